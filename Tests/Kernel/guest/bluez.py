"""Shared by the scripts that use bluetoothd over D-Bus."""

import dbus
import dbus.service

BLUEZ = 'org.bluez'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
PROPERTIES = 'org.freedesktop.DBus.Properties'


def say(*words):
    print(*words, flush=True)


class Agent(dbus.service.Object):
    """An agent without keyboard and display."""

    def __init__(self, bus, tell):
        self.tell = tell
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

    @dbus.service.method('org.bluez.Agent1')
    def Cancel(self):
        self.tell('cancelled')


def pair_with_everybody(bus, adapter, tell=say):
    """Registers an agent that passes its questions to `tell`. The caller must keep the result."""
    agent = Agent(bus, tell)
    manager = dbus.Interface(bus.get_object(BLUEZ, '/org/bluez'), 'org.bluez.AgentManager1')
    manager.RegisterAgent('/tooth/agent', 'NoInputNoOutput')
    manager.RequestDefaultAgent('/tooth/agent')
    settings = dbus.Interface(bus.get_object(BLUEZ, f'/org/bluez/{adapter}'), PROPERTIES)
    settings.Set('org.bluez.Adapter1', 'Pairable', dbus.Boolean(True))
    return agent
