#!/usr/bin/python3
"""bluetoothd as the central: bluez-client.py hci1 SERVICE pair|connect VALUES

Looks for the device that advertises the service, pairs with it or only connects, and reads, writes and subscribes to its two
characteristics, the open and the protected one. Each step prints a line. It ends when so many values were notified.
"""

import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

BLUEZ = 'org.bluez'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
PROPERTIES = 'org.freedesktop.DBus.Properties'
DEVICE = 'org.bluez.Device1'
CHARACTERISTIC = 'org.bluez.GattCharacteristic1'


def say(*words):
    print(*words, flush=True)


class Agent(dbus.service.Object):
    """Without keys and display."""

    @dbus.service.method('org.bluez.Agent1')
    def Release(self):
        pass

    @dbus.service.method('org.bluez.Agent1', in_signature='o')
    def RequestAuthorization(self, device):
        say('authorized')

    @dbus.service.method('org.bluez.Agent1')
    def Cancel(self):
        say('cancelled')


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
adapter, service, way, wanted = sys.argv[1], sys.argv[2].lower(), sys.argv[3], int(sys.argv[4])
open_uuid, secret_uuid = (service.replace('0000-', f'000{number}-', 1) for number in (1, 2))


def objects():
    return dbus.Interface(bus.get_object(BLUEZ, '/'), MANAGER).GetManagedObjects()


def until(find, seconds, what):
    """The first thing that `find` gives; signals are taken in meanwhile."""
    end = time.monotonic() + 3 * seconds
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        pause = time.monotonic() + 0.1
        while time.monotonic() < pause:
            if not GLib.MainContext.default().iteration(False):
                time.sleep(0.01)
    say('not in time:', what)
    sys.exit(1)


def interface(path, name):
    return dbus.Interface(bus.get_object(BLUEZ, path), name)


def device():
    for path, interfaces in objects().items():
        facts = interfaces.get(DEVICE)
        if facts and path.startswith(f'/org/bluez/{adapter}/') and service in facts.get('UUIDs', []):
            return path


def is_resolved():
    return objects()[path][DEVICE].get('ServicesResolved')


def characteristic(uuid):
    for place, interfaces in objects().items():
        facts = interfaces.get(CHARACTERISTIC)
        if facts and place.startswith(path) and facts['UUID'] == uuid:
            return place


def text(value):
    return bytes(value).decode()


agent = Agent(bus, '/tooth/agent')
manager = interface('/org/bluez', 'org.bluez.AgentManager1')
manager.RegisterAgent('/tooth/agent', 'NoInputNoOutput')
manager.RequestDefaultAgent('/tooth/agent')
own = interface(f'/org/bluez/{adapter}', 'org.bluez.Adapter1')
interface(f'/org/bluez/{adapter}', PROPERTIES).Set('org.bluez.Adapter1', 'Pairable', dbus.Boolean(True))
if way == 'pair':
    own.SetDiscoveryFilter({'Transport': 'le'})
    own.StartDiscovery()
    path = until(device, 30, 'the device')
    own.StopDiscovery()
else:
    path = until(device, 30, 'the device')
values = []


def changed(name, properties, invalidated, path=None):
    if name == CHARACTERISTIC and 'Value' in properties and path == characteristic(secret_uuid):
        values.append(bytes(properties['Value']))


bus.add_signal_receiver(changed, 'PropertiesChanged', PROPERTIES, path_keyword='path')
peer = interface(path, DEVICE)
try:
    (peer.Pair if way == 'pair' else peer.Connect)(timeout=90)
except dbus.DBusException as error:
    say('failed', error)
    sys.exit(1)
until(is_resolved, 30, 'its services')
facts = objects()[path][DEVICE]
say('paired', bool(facts.get('Paired')))
say('open', text(interface(until(lambda: characteristic(open_uuid), 10, 'open'), CHARACTERISTIC).ReadValue({})))
secret = interface(until(lambda: characteristic(secret_uuid), 10, 'secret'), CHARACTERISTIC)
say('secret', bytes(secret.ReadValue({})).hex())
secret.WriteValue(dbus.ByteArray(f'by {way}'.encode()), {})
say('written', text(secret.ReadValue({})))
del values[:]
secret.StartNotify()
until(lambda: len(values) >= wanted, 20, f'{wanted} values, not {values}')
say('notified', *(value.hex() for value in values))
peer.Disconnect()
