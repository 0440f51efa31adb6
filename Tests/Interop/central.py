"""Bumble's host as a central, on our air or on Bumble's own link.

`central.py PLACE [--name NAME] [--trace FILE] TASK…`, where PLACE is a transport in Bumble's
notation (`tcp-client:127.0.0.1:4000`). `--trace` records every HCI packet (btsnoop).

Each task prints its result, one line each; `done` is the last line.
"""

import argparse
import asyncio
import struct

from bumble import att, device, gatt, hci, snoop, transport
from bumble.core import UUID


def say(*words):
    print(*words, flush=True)


def own(number):
    return UUID(f'9a5f{number:04x}-3c21-4d6c-8f13-d0f2b1c4a7e9')


def pattern(length):
    return bytes((7 * index + length) % 256 for index in range(length))


def name(uuid):
    return uuid.to_hex_str('-').lower()


class Central:
    def __init__(self, device, name):
        self.device = device
        self.name = name.encode()

    async def find(self):
        found = asyncio.get_running_loop().create_future()

        def heard(advertisement):
            local = advertisement.data.get(9, raw=True)
            if local == self.name and not found.done():
                found.set_result(advertisement)

        self.device.on('advertisement', heard)
        await self.device.start_scanning(filter_duplicates=False)
        advertisement = await asyncio.wait_for(found, 20)
        await self.device.stop_scanning()
        self.device.remove_listener('advertisement', heard)
        say('found', advertisement.is_connectable, (advertisement.data.get(3, raw=True) or b'').hex())
        return advertisement.address

    async def connect(self, address):
        self.lost = asyncio.Event()
        quick = device.ConnectionParametersPreferences(
            connection_interval_min=7.5, connection_interval_max=7.5, supervision_timeout=2000)
        self.connection = await self.device.connect(
            address, timeout=20, connection_parameters_preferences={hci.Phy.LE_1M: quick})
        self.connection.on('disconnection', self.gone)
        self.peer = device.Peer(self.connection)
        say('connected')

    def gone(self, reason):
        say('disconnected', f'0x{reason:02x}')
        self.lost.set()

    def one(self, number, place=0):
        return self.peer.get_characteristics_by_uuid(own(number))[place]

    async def mtu(self, size):
        say('mtu', await self.peer.request_mtu(int(size)))

    async def discover(self):
        await self.peer.discover_services()
        for service in self.peer.services:
            say('tree service', service.handle, name(service.uuid))
            for included in await self.peer.gatt_client.discover_included_services(service):
                say('tree include', included.handle, name(included.uuid))
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                say('tree characteristic', characteristic.handle, name(characteristic.uuid), int(characteristic.properties))
                for descriptor in await characteristic.discover_descriptors():
                    say('tree descriptor', descriptor.handle, name(descriptor.type))

    async def attributes(self):
        """Find Information over everything."""
        for attribute in await self.peer.gatt_client.discover_attributes():
            say('attribute', attribute.handle, name(attribute.type))

    async def by_uuid(self):
        """Find By Type Value, and Read By Type of values."""
        found = await self.peer.gatt_client.discover_service(own(0))
        say('service', found[0].handle, found[0].end_group_handle)
        for value in await self.peer.gatt_client.read_characteristics_by_uuid(own(9), None):
            say('twin', value.hex())

    async def ask(self, words):
        """Controls Bumble's own peripheral."""
        control = UUID('70010001-6b1d-4f6e-9d3a-2a4c1f0e5b77')
        await self.peer.discover_services()
        await self.peer.discover_characteristics([control])
        await self.peer.get_characteristics_by_uuid(control)[0].write_value(words.encode(), with_response=True)

    async def sizes(self):
        """Writes sizes near the limits of PDUs, reads them back, and compares them."""
        slot = self.one(2)
        mtu = self.connection.att_mtu
        edges = [0, 20, mtu - 5, mtu - 3, mtu - 1, 2 * (mtu - 5), 2 * (mtu - 1), 100, 251, 510]
        for length in sorted({edge + step for edge in edges for step in (-1, 0, 1, 2) if 0 <= edge + step <= 512}):
            value = pattern(length)
            await slot.write_value(value, with_response=True)
            if await slot.read_value() != value:
                say('differs', length)
        say('sizes', self.connection.att_mtu)

    async def every_size(self):
        """Writes all of them and reads them back."""
        slot = self.one(2)
        wrong = []
        for length in range(513):
            value = pattern(length)
            await slot.write_value(value, with_response=True)
            if await slot.read_value() != value:
                wrong.append(length)
        say('every size', self.connection.att_mtu, wrong)

    async def everything(self):
        """Discovers everything, as Bumble's console does."""
        await self.peer.discover_services()
        count = 0
        for service in self.peer.services:
            count += 1
            await self.peer.gatt_client.discover_included_services(service)
            await service.discover_characteristics()
            for characteristic in service.characteristics:
                await characteristic.discover_descriptors()
                count += 2 + len(characteristic.descriptors)
        say('everything', count)

    async def targeted(self):
        """One service by UUID, one characteristic, its configuration: the least to subscribe."""
        found = asyncio.Event()
        service = (await self.peer.discover_service(UUID.from_16_bits(0x180D)))[0]
        characteristic = (await service.discover_characteristics([UUID.from_16_bits(0x2A37)]))[0]
        await characteristic.discover_descriptors()
        await characteristic.subscribe(lambda value: found.set())
        say('targeted')

    async def by_type(self):
        """A value by its UUID."""
        values = await self.peer.gatt_client.read_characteristics_by_uuid(UUID.from_16_bits(0x2A19), None)
        say('by type', values[0].hex())

    async def signed(self):
        """Signed Write Command: there is no key, so it must have no effect."""
        slot = self.one(2)
        await slot.write_value(b'not signed', with_response=True)
        # Bumble's class leaves the signature to its caller.
        command = att.ATT_Signed_Write_Command(attribute_handle=slot.handle, attribute_value=b'signed' + bytes(12))
        await self.peer.gatt_client.send_command(command)
        say('signed', await slot.read_value())

    async def offsets(self):
        """Overlapping prepared writes, a cancelled write, and one beyond the end."""
        client = self.peer.gatt_client
        slot = self.one(2)

        async def prepare(offset, part):
            return await client.send_request(
                att.ATT_Prepare_Write_Request(
                    attribute_handle=slot.handle, value_offset=offset, part_attribute_value=part))

        async def execute(flags):
            return await client.send_request(att.ATT_Execute_Write_Request(flags=flags))

        await slot.write_value(b'abcdef', with_response=True)
        await prepare(0, b'012345')
        await prepare(3, b'XYZ')
        await execute(1)
        say('overlap', await slot.read_value())
        await prepare(0, b'nothing of this')
        await execute(0)
        say('given up', await slot.read_value())
        await prepare(0, b'ab')
        await prepare(40, b'far')
        answer = await execute(1)
        say('gap', answer.name, f'0x{getattr(answer, "error_code", 0):02x}')
        say('after', await slot.read_value())

    async def refusals(self):
        client = self.peer.gatt_client
        refuses = self.one(7)

        async def attempt(words, request):
            answer = await client.send_request(request)
            code = f'0x{answer.error_code:02x}' if isinstance(answer, att.ATT_Error_Response) else 'fine'
            say('refusal', words, code)

        await attempt('read', att.ATT_Read_Request(attribute_handle=refuses.handle))
        await attempt('write', att.ATT_Write_Request(attribute_handle=refuses.handle, attribute_value=b'1'))
        await attempt('handle', att.ATT_Read_Request(attribute_handle=0x7777))
        await attempt('zero', att.ATT_Read_Request(attribute_handle=0))
        await attempt('unreadable', att.ATT_Read_Request(attribute_handle=self.one(5).handle))
        await attempt('unwritable', att.ATT_Write_Request(attribute_handle=self.one(3).handle, attribute_value=b'1'))
        await attempt('offset', att.ATT_Read_Blob_Request(attribute_handle=self.one(1).handle, value_offset=600))
        await attempt(
            'group', att.ATT_Read_By_Group_Type_Request(
                starting_handle=1, ending_handle=0xFFFF, attribute_group_type=UUID.from_16_bits(0x2803)))
        await attempt(
            'range', att.ATT_Find_Information_Request(starting_handle=9, ending_handle=3))
        handles = [self.one(9, 0).handle, self.one(9, 1).handle]
        answer = await client.send_request(att.ATT_Read_Multiple_Request(set_of_handles=handles))
        say('several', answer.name, getattr(answer, 'set_of_values', b'').hex())
        answer = await client.send_request(att.ATT_Read_Multiple_Variable_Request(set_of_handles=handles))
        say('variable', answer.name, [value.hex() for _, value in getattr(answer, 'length_value_tuple_list', [])])

    async def quick(self):
        """Write Command without an answer; what follows shows that it arrived."""
        slot = self.one(2)
        await slot.write_value(b'in a hurry', with_response=False)
        say('quick', await slot.read_value())

    async def descriptors(self):
        slot = self.one(2)
        note = slot.get_descriptor(own(8))
        say('note', (await note.read_value()).hex())
        await note.write_value(b'changed', with_response=True)
        say('note', await note.read_value())

    async def values(self, kind, number, code, count):
        seen = []
        enough = asyncio.Event()

        def came(value):
            seen.append(struct.unpack('<I', value)[0])
            if len(seen) >= count:
                enough.set()

        characteristic = self.one(number)
        await self.peer.subscribe(characteristic, came, prefer_notify=kind == 'notify')
        await self.one(5).write_value(bytes([code]) + struct.pack('<H', count), with_response=True)
        await asyncio.wait_for(enough.wait(), 60)
        say(kind, len(seen), 'in order' if seen == sorted(seen) and len(set(seen)) == count else seen[:50])
        await self.peer.unsubscribe(characteristic, came)

    async def notify(self, count):
        await self.values('notify', 3, 1, int(count))

    async def indicate(self, count):
        await self.values('indicate', 4, 2, int(count))

    async def subscribe(self):
        """Stays subscribed; `notified` counts the values."""
        self.counted = []
        await self.peer.subscribe(self.one(3), lambda value: self.counted.append(struct.unpack('<I', value)[0]))
        say('subscribed')

    async def notified(self, count):
        """Requests values over the existing subscription."""
        self.counted.clear()
        await self.one(5).write_value(bytes([1]) + struct.pack('<H', int(count)), with_response=True)
        while len(self.counted) < int(count):
            await asyncio.sleep(0.05)
        say('notified', len(self.counted), 'in order' if self.counted == list(range(int(count))) else self.counted)

    async def held(self, seconds):
        """Reads while the server is killed, and for some seconds more."""
        say('holding')
        for turn in range(10 * int(seconds)):
            await self.peer.gatt_client.read_value(self.one(9))
            if turn == 30:
                say('answered')
            await asyncio.sleep(0.1)
        say('held')

    async def pair(self):
        """Pairs with Just Works, like every simulated peripheral, and keeps the link."""
        try:
            await asyncio.wait_for(self.connection.pair(), 10)
            say('paired')
        except Exception as error:
            say('pairing', type(error).__name__, error)

    async def parameters(self):
        changed = asyncio.Event()
        self.connection.on('connection_parameters_update', changed.set)
        await self.connection.update_parameters(30, 30, 0, 3000)
        await asyncio.wait_for(changed.wait(), 10)
        say('parameters', self.connection.parameters.connection_interval)

    async def leave(self):
        await self.connection.disconnect()
        await asyncio.wait_for(self.lost.wait(), 20)

    async def dismissed(self):
        """The peripheral ends the link."""
        await self.one(6).write_value(b'go', with_response=False)
        await asyncio.wait_for(self.lost.wait(), 20)

    async def again(self):
        await self.connect(await self.find())


async def main(options):
    opened = await transport.open_transport(options.place)
    async with opened:
        me = device.Device.with_hci('Stranger', hci.Address('C4:99:88:77:66:55'), opened.source, opened.sink)
        if options.trace:
            me.host.snooper = snoop.BtSnooper(open(options.trace, 'wb', buffering=0))
        await me.power_on()
        central = Central(me, options.name)
        await central.again()
        for task in options.tasks:
            words = task.split('=')
            await getattr(central, words[0])(*words[1:])
        say('done')


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('place')
    parser.add_argument('--name', default='Shelf 1')
    parser.add_argument('--trace')
    parser.add_argument('tasks', nargs='*')
    asyncio.run(main(parser.parse_intermixed_args()))
