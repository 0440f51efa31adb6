#!/usr/bin/python3
"""bluetoothd as the central of our peripheral: bluez-client.py hci1 SERVICE pair|connect|keep|prove

Looks for the device that advertises the service, and prints a line for each step.
pair, connect: makes a bond, or a link with the bond; reads both characteristics, subscribes to the
protected one, writes to it, and ends after three notifications. It uses AcquireNotify, which passes
only notifications, while the property Value also changes with each read and write.
keep: makes a bond and subscribes with StartNotify, ends the link, makes it again and prints the
notifications. There are no reads or writes in between, so each change of Value is a notification.
prove: for each line of stdin, makes a bond with the agent of another process and reads both
characteristics; then makes the link again, and reads those that could be read. The line is the name
of a file for the output, which ends with `ended`.
"""

import os
import sys
import time
from contextlib import redirect_stderr, redirect_stdout

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

from bluez import BLUEZ, MANAGER, PROPERTIES, pair_with_everybody, say

DEVICE = 'org.bluez.Device1'
CHARACTERISTIC = 'org.bluez.GattCharacteristic1'

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
adapter, service, way = sys.argv[1], sys.argv[2].lower(), sys.argv[3]
open_uuid, secret_uuid = (service.replace('0000-', f'000{number}-', 1) for number in (1, 2))
values = []


def objects():
    return dbus.Interface(bus.get_object(BLUEZ, '/'), MANAGER).GetManagedObjects()


def search(find, seconds):
    """The first result of `find`, or None; handles signals while it waits."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        pause = time.monotonic() + 0.2
        while time.monotonic() < pause:
            if not GLib.MainContext.default().iteration(False):
                time.sleep(0.01)
    return None


def until(find, seconds, what):
    found = search(find, seconds)
    if not found:
        say('not in time:', what)
        sys.exit(1)
    return found


def interface(path, name):
    return dbus.Interface(bus.get_object(BLUEZ, path), name)


def device():
    for path, interfaces in objects().items():
        facts = interfaces.get(DEVICE)
        if facts and path.startswith(f'/org/bluez/{adapter}/') and service in facts.get('UUIDs', []):
            return path
    return None


def fact(name):
    return bool(objects()[path][DEVICE].get(name))


def characteristic(uuid):
    """Its path, once its services are known."""
    found = objects()
    if not found[path][DEVICE].get('ServicesResolved'):
        return None
    for place, interfaces in found.items():
        if place.startswith(path) and interfaces.get(CHARACTERISTIC, {}).get('UUID') == uuid:
            return interface(place, CHARACTERISTIC)
    return None


def changed(name, properties, invalidated, path=None):
    if name == CHARACTERISTIC and 'Value' in properties and path == secret.object_path:
        values.append(bytes(properties['Value']))


def link(verb):
    """Pairs or connects."""
    try:
        getattr(peer, verb)(timeout=40)
    except dbus.DBusException as error:
        say('failed', verb, error)
        sys.exit(1)
    return until(lambda: characteristic(secret_uuid), 30, 'its services')


def end_link():
    peer.Disconnect()
    until(lambda: not fact('Connected'), 20, 'the end of the link')


def next_value(socket):
    try:
        return os.read(socket, 512)
    except BlockingIOError:
        return None


def use_all():
    say('paired', fact('Paired'))
    say('open', bytes(characteristic(open_uuid).ReadValue({})).decode())
    say('protected', bytes(secret.ReadValue({})).hex())
    socket, _ = secret.AcquireNotify({})
    socket = socket.take()
    os.set_blocking(socket, False)
    secret.WriteValue(dbus.ByteArray(f'by {way}'.encode()), {'type': 'request'})
    for _ in range(3):
        say('notified', until(lambda: next_value(socket), 20, 'a notification').hex())


def keep():
    bus.add_signal_receiver(changed, 'PropertiesChanged', PROPERTIES, path_keyword='path')
    secret.StartNotify()
    until(lambda: values, 20, 'the first notification')
    say('first link', *(value.hex() for value in values))
    end_link()
    values.clear()
    link('Connect')
    search(lambda: values, 15)
    say('second link', *(value.hex() for value in values))


def find():
    own = interface(f'/org/bluez/{adapter}', 'org.bluez.Adapter1')
    own.SetDiscoveryFilter({'Transport': 'le'})
    # btvirt reports an advertiser once, when a scan or the advertising begins. At the start of a
    # scan the kernel may not listen yet, so the peripheral starts after this.
    for attempt in range(6):
        own.StartDiscovery()
        print('looking', file=sys.stderr, flush=True)
        found = search(device, 8)
        own.StopDiscovery()
        if found:
            return found
    say('not found:', *(facts[DEVICE].get('Alias') for facts in objects().values() if DEVICE in facts))
    sys.exit(1)


def can_read(uuid):
    try:
        say('read', bytes(until(lambda: characteristic(uuid), 20, uuid).ReadValue({}, timeout=10)).decode())
        return True
    except dbus.DBusException as error:
        # bluetoothd pairs again to read it. When that fails, it may answer nothing.
        say('refused')
        print(error, file=sys.stderr)
        return False


def prove():
    global path, peer, secret
    path = find()
    peer = interface(path, DEVICE)
    secret = link('Pair')
    say('paired', fact('Paired'))
    readable = [uuid for uuid in (open_uuid, secret_uuid) if can_read(uuid)]
    end_link()
    link('Connect')
    for uuid in readable:
        can_read(uuid)


def prove_all(names):
    for name in names:
        with open(name, 'w') as file, open(name + '-errors', 'w') as errors, redirect_stdout(file), redirect_stderr(errors):
            try:
                prove()
            except (SystemExit, dbus.DBusException) as error:
                print('failed:', error, file=sys.stderr)
            say('ended')


if way == 'prove':
    prove_all(line.strip() for line in sys.stdin)
    sys.exit()
agent = pair_with_everybody(bus, adapter, tell=lambda *words: print(*words, file=sys.stderr, flush=True))
path = until(device, 20, 'the device') if way == 'connect' else find()
peer = interface(path, DEVICE)
secret = link('Connect' if way == 'connect' else 'Pair')
keep() if way == 'keep' else use_all()
end_link()
