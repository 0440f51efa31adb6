"""Shared by the scripts that use bluetoothd over D-Bus."""

import os
import time

import dbus
import dbus.service

BLUEZ = 'org.bluez'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
PROPERTIES = 'org.freedesktop.DBus.Properties'


def say(*words):
    print(*words, flush=True)


class Rejected(dbus.DBusException):
    _dbus_error_name = 'org.bluez.Error.Rejected'


class Agent(dbus.service.Object):
    """An agent. What is typed at its keyboard is the file `typed`, for which it waits; it consents
    to everything unless `refuses`."""

    def __init__(self, bus, tell, typed=None, refuses=False):
        self.tell, self.typed, self.refuses = tell, typed, refuses
        super().__init__(bus, '/tooth/agent')

    @dbus.service.method('org.bluez.Agent1')
    def Release(self):
        pass

    @dbus.service.method('org.bluez.Agent1', in_signature='o')
    def RequestAuthorization(self, device):
        self.tell('authorized', device)

    @dbus.service.method('org.bluez.Agent1', in_signature='os')
    def AuthorizeService(self, device, uuid):
        pass

    @dbus.service.method('org.bluez.Agent1', in_signature='o', out_signature='u')
    def RequestPasskey(self, device):
        self.tell('asks')
        end = time.monotonic() + 20
        while not os.path.exists(self.typed):
            if time.monotonic() > end:
                raise Rejected('nothing was typed')
            time.sleep(0.1)
        return int(open(self.typed).read())

    # It is called again for each digit that is typed at the other end.
    @dbus.service.method('org.bluez.Agent1', in_signature='ouq')
    def DisplayPasskey(self, device, passkey, entered):
        if not entered:
            self.tell('shows', f'{passkey:06}')

    @dbus.service.method('org.bluez.Agent1', in_signature='ou')
    def RequestConfirmation(self, device, passkey):
        self.tell('compares', f'{passkey:06}')
        if self.refuses:
            raise Rejected('the digits differ')

    @dbus.service.method('org.bluez.Agent1')
    def Cancel(self):
        self.tell('cancelled')

    def withdraw(self):
        dbus.Interface(self.connection.get_object(BLUEZ, '/org/bluez'), 'org.bluez.AgentManager1').UnregisterAgent('/tooth/agent')
        self.remove_from_connection()


def pair_with_everybody(bus, adapter, tell=say, capability='NoInputNoOutput', **words):
    """Registers an agent that passes its questions to `tell`. The caller must keep the result."""
    agent = Agent(bus, tell, **words)
    manager = dbus.Interface(bus.get_object(BLUEZ, '/org/bluez'), 'org.bluez.AgentManager1')
    manager.RegisterAgent('/tooth/agent', capability)
    manager.RequestDefaultAgent('/tooth/agent')
    settings = dbus.Interface(bus.get_object(BLUEZ, f'/org/bluez/{adapter}'), PROPERTIES)
    settings.Set('org.bluez.Adapter1', 'Pairable', dbus.Boolean(True))
    return agent
