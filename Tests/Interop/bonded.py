"""Bumble's pairing peripheral on Bumble's controllers.

    bonded.py tcp|PATH [options of peripheral.py] [--pairings IO:KIND,…] [--typed FILE] [--code N]
              [--refuses] [--private] [--asks] [--announces]

Each pairing takes the next of `--pairings` (IO: none, display, yesno, keyboard, both; KIND: sc or
legacy), and the last one again and again. A code that has to be typed here is the last line that
was added to FILE after the pairing began; `--code` is displayed. `--refuses` rejects comparisons.
`--private` uses only resolvable private addresses. `--asks` sends a Security Request to each
central, `--announces` notifies as soon as a bond has encrypted the link, even if this link has no
subscription.

SIGUSR1: the device goes out of range. SIGUSR2: it returns with another private address. SIGHUP: it
forgets its bonds.
"""

import asyncio
import os
import signal

from bumble import att, device, gatt, hci, pairing
from bumble.core import UUID

import peripheral
from peripheral import READABLE, WRITEABLE, Notify, Read, own, say

CAPABILITIES = {
    'none': pairing.PairingDelegate.NO_OUTPUT_NO_INPUT,
    'display': pairing.PairingDelegate.DISPLAY_OUTPUT_ONLY,
    'yesno': pairing.PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    'keyboard': pairing.PairingDelegate.KEYBOARD_INPUT_ONLY,
    'both': pairing.PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class User(pairing.PairingDelegate):
    """The user of the device, who prints each question."""

    def __init__(self, capability, options):
        super().__init__(CAPABILITIES[capability])
        self.options = options
        self.seen = len(self.typed())

    def typed(self):
        if not self.options.typed or not os.path.exists(self.options.typed):
            return []
        return [line for line in open(self.options.typed).read().split('\n')[:-1] if line]

    async def confirm(self, auto=False):
        say('consents')
        return True

    async def compare_numbers(self, number, digits):
        say('compares', f'{number:06}')
        return not self.options.refuses

    async def get_number(self):
        while len(self.typed()) <= self.seen:
            await asyncio.sleep(0.02)
        say('types', self.typed()[-1])
        return int(self.typed()[-1])

    async def generate_passkey(self):
        return int(self.options.code)

    async def display_number(self, number, digits):
        say('shows', f'{number:06}')


class Users:
    """The next of `--pairings` for each link that pairs."""

    def __init__(self, options):
        self.options = options
        self.left = [words.split(':') for words in options.pairings.split(',')]

    def next(self, connection):
        capability, kind = self.left.pop(0) if len(self.left) > 1 else self.left[0]
        say('pairing', capability, kind)
        return pairing.PairingConfig(
            sc=kind == 'sc', mitm=capability != 'none', bonding=True, delegate=User(capability, self.options),
            identity_address_type=pairing.PairingConfig.AddressType.RANDOM)


def watch(connection):
    """Prints changes of a link's security."""

    def paired(keys):
        key = keys.ltk or keys.ltk_central
        say('paired', 'sc' if keys.ltk else 'legacy', 'authenticated' if key.authenticated else 'unauthenticated')

    connection.on('pairing', paired)
    connection.on('pairing_failure', lambda reason: say('pairing failed', f'0x{int(reason):02x}'))
    connection.on('connection_encryption_change', lambda: say('encrypted', int(connection.encryption)))
    connection.on('connection_encryption_failure', lambda reason: say('encryption failed', f'0x{int(reason):02x}'))


def swap_legacy(store):
    """Bumble stores its peripheral key as `ltk_central`, and looks for it as `ltk_peripheral`."""
    update = store.update

    async def swapped(name, keys):
        if keys.ltk is None:
            keys.ltk_central, keys.ltk_peripheral = keys.ltk_peripheral, keys.ltk_central
        await update(name, keys)

    store.update = swapped


class Bonded(peripheral.Peripheral):
    swapped = False

    def configuration(self, address):
        return device.DeviceConfiguration(
            name='Stranger', address=address, gap_service_enabled=True, gatt_service_enabled=True, irk=bytes(range(1, 17)),
            le_privacy_enabled=self.options.private, le_rpa_timeout=0)

    def services(self):
        self.device.pairing_config_factory = Users(self.options).next
        permissions = att.Attribute.Permissions
        secret = gatt.Characteristic(own(0xA01), Read, READABLE | permissions.READ_REQUIRES_ENCRYPTION, b'secret light')
        self.light = gatt.Characteristic(own(0xA02), Notify, READABLE, b'')
        configuration = UUID.from_16_bits(0x2902)
        self.light.descriptors = [
            gatt.Descriptor(
                configuration, READABLE | WRITEABLE | permissions.WRITE_REQUIRES_ENCRYPTION,
                self.device.gatt_server.make_descriptor_value(self.light))
        ]
        self.number = 0
        # The process that starts this may have blocked them.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP})
        loop = asyncio.get_running_loop()
        for name, action in [(signal.SIGUSR1, self.leave), (signal.SIGUSR2, self.back), (signal.SIGHUP, self.forget)]:
            loop.add_signal_handler(name, lambda action=action: loop.create_task(action()))
        return [gatt.Service(own(0xA00), [secret, self.light])]

    def connected(self, connection):
        super().connected(connection)
        watch(connection)
        if not self.swapped:
            self.swapped = True
            swap_legacy(self.device.keystore)
        if self.options.announces:
            connection.on('connection_encryption_change', lambda: asyncio.get_running_loop().create_task(self.announce(connection)))
        if self.options.asks:
            connection.request_pairing()

    async def announce(self, connection):
        keys = await self.device.keystore.get(str(connection.peer_address))
        # Not during a pairing, which the other end has not reported yet.
        if connection.encryption and keys and connection.handle not in self.device.smp_manager.sessions:
            self.number += 1
            await self.device.notify_subscriber(connection, self.light, f'light {self.number}'.encode(), force=True)
            say('announced', self.number)

    async def leave(self):
        await self.device.stop_advertising()
        self.controller.vanish(0x08)
        # It already advertises by itself after the loss.
        await asyncio.sleep(0.2)
        await self.device.stop_advertising()
        say('away')

    async def back(self):
        if self.options.private:
            address = hci.Address.generate_private_address(self.device.irk)
            # Bumble's own update_rpa sends the old address.
            await self.device.send_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
            self.device.random_address = address
        await self.device.start_advertising(auto_restart=True, advertising_interval_min=100, advertising_interval_max=100)
        say('back', self.device.random_address.to_string(False))

    async def forget(self):
        await self.device.keystore.delete_all()
        say('forgot')


def pairing_options(parser):
    parser.add_argument('--pairings', default='none:sc')
    parser.add_argument('--typed')
    parser.add_argument('--code', default='042137')
    parser.add_argument('--refuses', action='store_true')


def options():
    parser = peripheral.parser()
    pairing_options(parser)
    for name in ('private', 'asks', 'announces'):
        parser.add_argument(f'--{name}', action='store_true')
    return parser.parse_args()


if __name__ == '__main__':
    asyncio.run(Bonded(options()).start())
