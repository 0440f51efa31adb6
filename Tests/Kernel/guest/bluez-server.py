#!/usr/bin/python3
"""A GATT server of bluetoothd: bluez-server.py hci1 [secret|proof]

Registers services and an advertisement over D-Bus and prints `ready` when bluetoothd has both;
every write is printed. The heart rate beats every 200 ms while a central is subscribed. `burst N`
written to the control characteristic sends N values of the counter. With `secret` there is a value
that needs encryption, and an agent that accepts every pairing; with `proof` there is also a value
that needs authentication, but no agent.
"""

import struct
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

from bluez import BLUEZ, MANAGER, PROPERTIES, pair_with_everybody, say

ROOT = '/tooth'


def own(number):
    return f'7001{number:04x}-6b1d-4f6e-9d3a-2a4c1f0e5b77'


class Thing(dbus.service.Object):
    """An object with the properties of one interface."""

    interface = None

    def __init__(self, bus, path):
        self.path = dbus.ObjectPath(path)
        super().__init__(bus, path)

    def described(self):
        return {}

    @dbus.service.method(PROPERTIES, in_signature='s', out_signature='a{sv}')
    def GetAll(self, interface):
        return self.described()

    @dbus.service.method(PROPERTIES, in_signature='ssv')
    def Set(self, interface, name, value):
        pass

    @dbus.service.signal(PROPERTIES, signature='sa{sv}as')
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class Service(Thing):
    interface = 'org.bluez.GattService1'

    def __init__(self, bus, number, uuid):
        super().__init__(bus, f'{ROOT}/service{number:02d}')
        self.uuid = uuid

    def described(self):
        return {'UUID': self.uuid, 'Primary': True}


class Characteristic(Thing):
    interface = 'org.bluez.GattCharacteristic1'

    def __init__(self, bus, service, number, uuid, flags, value=b''):
        super().__init__(bus, f'{service.path}/char{number:02d}')
        self.service, self.uuid, self.flags, self.value = service, uuid, flags, bytes(value)
        self.listens = False

    def described(self):
        return {'Service': self.service.path, 'UUID': self.uuid, 'Flags': dbus.Array(self.flags, signature='s')}

    @dbus.service.method('org.bluez.GattCharacteristic1', in_signature='a{sv}', out_signature='ay')
    def ReadValue(self, options):
        return dbus.ByteArray(self.value[int(options.get('offset', 0)):])

    @dbus.service.method('org.bluez.GattCharacteristic1', in_signature='aya{sv}')
    def WriteValue(self, value, options):
        at = int(options.get('offset', 0))
        self.value = self.value[:at] + bytes(value)
        say('written', self.uuid, self.value.hex())
        self.written()

    def written(self):
        pass

    @dbus.service.method('org.bluez.GattCharacteristic1')
    def StartNotify(self):
        self.listens = True
        say('listens', self.uuid)

    @dbus.service.method('org.bluez.GattCharacteristic1')
    def StopNotify(self):
        self.listens = False

    @dbus.service.method('org.bluez.GattCharacteristic1')
    def Confirm(self):
        say('confirmed', self.uuid)

    def notify(self, value):
        self.value = bytes(value)
        self.PropertiesChanged(self.interface, {'Value': dbus.ByteArray(self.value)}, [])


class Control(Characteristic):
    counter = None

    def written(self):
        words = self.value.decode().split()
        if words[:1] == ['burst']:
            for number in range(int(words[1])):
                self.counter.notify(struct.pack('<I', number))


class Descriptor(Thing):
    interface = 'org.bluez.GattDescriptor1'

    def __init__(self, bus, characteristic, number, uuid, flags, value):
        super().__init__(bus, f'{characteristic.path}/desc{number:02d}')
        self.characteristic, self.uuid, self.flags, self.value = characteristic, uuid, flags, bytes(value)

    def described(self):
        return {'Characteristic': self.characteristic.path, 'UUID': self.uuid, 'Flags': dbus.Array(self.flags, signature='s')}

    @dbus.service.method('org.bluez.GattDescriptor1', in_signature='a{sv}', out_signature='ay')
    def ReadValue(self, options):
        return dbus.ByteArray(self.value[int(options.get('offset', 0)):])

    @dbus.service.method('org.bluez.GattDescriptor1', in_signature='aya{sv}')
    def WriteValue(self, value, options):
        self.value = bytes(value)
        say('written', self.uuid, self.value.hex())


class Application(dbus.service.Object):
    def __init__(self, bus, things):
        self.things = things
        super().__init__(bus, ROOT)

    @dbus.service.method(MANAGER, out_signature='a{oa{sa{sv}}}')
    def GetManagedObjects(self):
        return {thing.path: {thing.interface: thing.described()} for thing in self.things}


class Advertisement(Thing):
    interface = 'org.bluez.LEAdvertisement1'

    def described(self):
        return {
            'Type': 'peripheral', 'ServiceUUIDs': dbus.Array(['180d'], signature='s'), 'LocalName': 'Strap B',
            'MinInterval': dbus.UInt32(100), 'MaxInterval': dbus.UInt32(100),
        }

    @dbus.service.method('org.bluez.LEAdvertisement1')
    def Release(self):
        say('released')


def main(adapter, *words):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus()
    things = []

    def add(thing):
        things.append(thing)
        return thing

    heart = add(Service(bus, 0, '180d'))
    beats = add(Characteristic(bus, heart, 0, '2a37', ['notify']))
    add(Characteristic(bus, heart, 1, '2a38', ['read'], b'\x01'))
    battery = add(Service(bus, 1, '180f'))
    add(Characteristic(bus, battery, 0, '2a19', ['read', 'notify'], b'\x61'))
    strange = add(Service(bus, 2, own(0)))
    control = add(Control(bus, strange, 0, own(1), ['write']))
    control.counter = add(Characteristic(bus, strange, 1, own(2), ['read', 'notify'], bytes(4)))
    add(Characteristic(bus, strange, 2, own(3), ['read', 'indicate'], bytes(4)))
    slot = add(Characteristic(bus, strange, 3, own(4), ['read', 'write', 'write-without-response'], b''))
    add(Descriptor(bus, slot, 0, own(5), ['read', 'write'], b'\x01\x02'))
    add(Descriptor(bus, slot, 1, '2901', ['read'], b'Slot'))
    add(Characteristic(bus, strange, 4, own(6), ['read'], bytes((7 * index) % 256 for index in range(300))))
    for number in range(12):
        add(Characteristic(bus, strange, 5 + number, own(0x100 + number), ['read'], bytes([number])))

    if words:
        hidden = add(Service(bus, 3, own(0xA00)))
        add(Characteristic(bus, hidden, 0, own(0xA01), ['encrypt-read'], b'secret light'))
    if 'proof' in words:
        add(Characteristic(bus, hidden, 1, own(0xA02), ['encrypt-authenticated-read'], b'proven light'))
    elif 'secret' in words:
        agent = pair_with_everybody(bus, adapter)

    waiting = ['application', 'advertisement']

    def done(what):
        def registered():
            waiting.remove(what)
            if not waiting:
                say('ready')
        return registered

    def failed(error):
        say('failed', error)
        sys.exit(1)

    application = Application(bus, things)
    target = bus.get_object(BLUEZ, f'/org/bluez/{adapter}')
    dbus.Interface(target, 'org.bluez.GattManager1').RegisterApplication(
        application, {}, reply_handler=done('application'), error_handler=failed)
    advertisement = Advertisement(bus, f'{ROOT}/advertisement')
    dbus.Interface(target, 'org.bluez.LEAdvertisingManager1').RegisterAdvertisement(
        advertisement.path, {}, reply_handler=done('advertisement'), error_handler=failed)

    number = 0

    def beat():
        nonlocal number
        if beats.listens:
            number += 1
            beats.notify(bytes([0x08, 60 + number % 30]) + struct.pack('<H', number))
        return True

    GLib.timeout_add(200, beat)
    GLib.MainLoop().run()


main(*sys.argv[1:])
