"""What the scripts that talk to bluetoothd over D-Bus have in common."""

import dbus
import dbus.service

BLUEZ = 'org.bluez'
MANAGER = 'org.freedesktop.DBus.ObjectManager'
PROPERTIES = 'org.freedesktop.DBus.Properties'


def say(*words):
    print(*words, flush=True)


class Agent(dbus.service.Object):
    """Without keys and display."""

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
    """What the agent is asked is told by `tell`. The agent, which has to be kept."""
    agent = Agent(bus, tell)
    manager = dbus.Interface(bus.get_object(BLUEZ, '/org/bluez'), 'org.bluez.AgentManager1')
    manager.RegisterAgent('/tooth/agent', 'NoInputNoOutput')
    manager.RequestDefaultAgent('/tooth/agent')
    settings = dbus.Interface(bus.get_object(BLUEZ, f'/org/bluez/{adapter}'), PROPERTIES)
    settings.Set('org.bluez.Adapter1', 'Pairable', dbus.Boolean(True))
    return agent
