"""Bumble's host as a central that pairs, on our air.

`pairing_central.py PLACE [--name NAME] [--trace FILE] [options of bonded.py] TASK…`

`matrix=N` pairs N times, each time with another identity, and uses the bond on a second link.
Results are lines; `done` is the last.
"""

import argparse
import asyncio

from bumble import att, device, hci, snoop, transport
from bumble.core import UUID

import central
from bonded import Users, pairing_options, watch
from central import say


class Guest(central.Central):
    def __init__(self, me, options):
        super().__init__(me, options.name)
        self.number = 0
        me.pairing_config_factory = Users(options).next

    async def become(self):
        """Another central, without a bond."""
        self.number += 1
        address = hci.Address(f'C4:99:88:77:66:{self.number:02X}')
        await self.device.send_command(hci.HCI_LE_Set_Random_Address_Command(random_address=address))
        self.device.random_address = self.device.static_address = address

    async def read(self, number):
        value = await self.peer.gatt_client.send_request(
            att.ATT_Read_By_Type_Request(
                starting_handle=1, ending_handle=0xFFFF, attribute_type=UUID.from_16_bits(int(number, 16))))
        if isinstance(value, att.ATT_Error_Response):
            say('read', number, f'0x{value.error_code:02x}')
        else:
            say('read', number, value.attribute_data_list[2:].decode())

    async def reach(self):
        await self.connect(await self.find())
        watch(self.connection)
        self.connection.on('security_request', lambda request: say('asked for security', f'0x{int(request):02x}'))

    async def pair(self):
        try:
            await asyncio.wait_for(self.connection.pair(), 20)
        except Exception as error:
            say('not paired', type(error).__name__)
            return False
        return True

    async def encrypt(self):
        try:
            await asyncio.wait_for(self.connection.encrypt(), 20)
        except Exception as error:
            say('not encrypted', type(error).__name__)

    async def close(self):
        if not self.lost.is_set():
            await self.leave()

    async def forget(self):
        await self.device.keystore.delete_all()

    async def wait(self, seconds):
        await asyncio.sleep(float(seconds))

    async def matrix(self, count):
        for _ in range(int(count)):
            await self.become()
            await self.reach()
            if await self.pair():
                await self.close()
                await self.reach()
                await self.encrypt()
                await self.read('FFF1')
            await self.close()


async def main(options):
    opened = await transport.open_transport(options.place)
    async with opened:
        configuration = device.DeviceConfiguration(
            name='Stranger', address=hci.Address('C4:99:88:77:66:55'), irk=bytes(range(17, 33)))
        me = device.Device.from_config_with_hci(configuration, opened.source, opened.sink)
        if options.trace:
            me.host.snooper = snoop.BtSnooper(open(options.trace, 'wb', buffering=0))
        await me.power_on()
        guest = Guest(me, options)
        for task in options.tasks:
            words = task.split('=')
            await getattr(guest, words[0])(*words[1:])
        say('done')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('place')
    parser.add_argument('--name', default='Lock')
    parser.add_argument('--trace')
    pairing_options(parser)
    parser.add_argument('tasks', nargs='*')
    asyncio.run(main(parser.parse_intermixed_args()))
