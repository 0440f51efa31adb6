#!/usr/bin/python3
"""The default agent of bluetoothd: bluez-agent.py hci1 TYPED

Each line of stdin, `CAPABILITY FILE [refuses]`, makes bluetoothd forget all devices and registers
an agent with this capability. FILE then gets `ready` and what it is asked or shows: `asks`, `shows
DIGITS`, `compares DIGITS`, `authorized DEVICE`. What is typed is read from the file TYPED.
"""

import sys

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

from bluez import BLUEZ, MANAGER, pair_with_everybody

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
adapter, typed = sys.argv[1:3]
agent = None


def change(*_):
    global agent
    capability, name, *refuses = sys.stdin.readline().split()
    if agent:
        agent.withdraw()
    own = dbus.Interface(bus.get_object(BLUEZ, f'/org/bluez/{adapter}'), 'org.bluez.Adapter1')
    for path, interfaces in dbus.Interface(bus.get_object(BLUEZ, '/'), MANAGER).GetManagedObjects().items():
        if path.startswith(f'/org/bluez/{adapter}/') and 'org.bluez.Device1' in interfaces:
            own.RemoveDevice(path)
    file = open(name, 'w')
    agent = pair_with_everybody(
        bus, adapter, lambda *words: print(*words, file=file, flush=True), capability, typed=typed, refuses=bool(refuses))
    agent.tell('ready')
    return True


GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN, change)
GLib.MainLoop().run()
