"""A peripheral and the controllers under it, all of Bumble.

Prints `listening PORT` (TCP, 127.0.0.1) or `listening PATH` (Unix) once hosts may connect: each connection is a virtual controller of Bumble,
spoken to in H4, on the same link as the peripheral. `tree …` lines before it are the table as Bumble holds it. What hosts write to the
control characteristic starts bursts, indications, losses and changes of the table; every write that arrives is printed.
"""

import asyncio
import struct
import sys

from bumble import att, controller, device, gatt, hci, host, link, transport
from bumble.core import UUID, AdvertisingData
from bumble.transport import common

Read = gatt.Characteristic.Properties.READ
Write = gatt.Characteristic.Properties.WRITE
Quick = gatt.Characteristic.Properties.WRITE_WITHOUT_RESPONSE
Notify = gatt.Characteristic.Properties.NOTIFY
Indicate = gatt.Characteristic.Properties.INDICATE
READABLE = att.Attribute.Permissions.READABLE
WRITEABLE = att.Attribute.Permissions.WRITEABLE
BOTH = READABLE | WRITEABLE


def say(*words):
    print(*words, flush=True)


def own(number):
    return UUID(f'7001{number:04x}-6b1d-4f6e-9d3a-2a4c1f0e5b77')


def pattern(length):
    return bytes((7 * index + length) % 256 for index in range(length))


ABILITIES = ['broadcast', 'read', 'write without response', 'write', 'notify', 'indicate', 'signed write', 'extended properties']


def abilities(properties):
    return ', '.join(word for bit, word in enumerate(ABILITIES) if properties >> bit & 1)


class Stranger(controller.Controller):
    """Bumble's controller, and what of the standard the tests need beyond it: the accept list, and links that end when their host is gone."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.accept_list = []

    def on_hci_le_clear_filter_accept_list_command(self, command):
        self.accept_list = []
        return super().on_hci_le_clear_filter_accept_list_command(command)

    def on_hci_le_add_device_to_filter_accept_list_command(self, command):
        self.accept_list.append(command.address)
        return super().on_hci_le_add_device_to_filter_accept_list_command(command)

    def on_hci_le_remove_device_from_filter_accept_list_command(self, command):
        self.accept_list = [address for address in self.accept_list if address != command.address]
        return super().on_hci_le_remove_device_from_filter_accept_list_command(command)

    def on_advertising_pdu(self, pdu):
        wish = self.pending_le_connection
        if wish and wish.initiator_filter_policy == 1 and pdu.advertiser_address in self.accept_list:
            wish.peer_address = pdu.advertiser_address
        super().on_advertising_pdu(pdu)

    def vanish(self, reason):
        """What both sides see of a supervision time-out."""
        for connection in list(self.le_connections.values()):
            other = self.link.find_le_controller(connection.peer_address)
            self.on_le_disconnected(connection, reason)
            for back in list(other.le_connections.values()) if other else []:
                if back.peer_address == connection.self_address:
                    other.on_le_disconnected(back, reason)

    def on_hci_reset_command(self, command):
        self.vanish(0x08)
        self.accept_list = []
        self.pending_le_connection = None
        self.le_scan_enable = False
        return super().on_hci_reset_command(command)


class Peripheral:
    def __init__(self):
        self.link = link.LocalLink()
        self.hosts = 0
        self.control = own(1)
        self.stores = {}

    def stored(self, uuid, properties, value, permissions=BOTH, descriptors=()):
        """A characteristic that keeps what is written, and prints it."""
        box = [value]

        def read(connection):
            return box[0]

        def write(connection, new):
            box[0] = new
            say('written', uuid.to_hex_str('-').lower(), len(new), new.hex())

        made = gatt.Characteristic(
            uuid, properties, permissions, gatt.CharacteristicValue(read=read, write=write), list(descriptors))
        return made

    def commanded(self, connection, value):
        words = value.decode().split()
        say('asked', *words)
        asyncio.get_running_loop().create_task(self.obey(connection, words))

    async def obey(self, connection, words):
        match words[0]:
            case 'burst':
                count = int(words[1])
                for number in range(count):
                    await self.device.notify_subscriber(connection, self.counter, struct.pack('<I', number))
                    if number % 64 == 0:
                        await asyncio.sleep(0)  # the hosts' turn; Bumble itself would send all in one
                say('burst sent', count)
            case 'indicate':
                for number in range(int(words[1])):
                    await self.device.indicate_subscriber(connection, self.sure, struct.pack('<I', number))
                say('indications confirmed', words[1])
            case 'question':
                # The peripheral is a client too, of the host that came.
                client = device.Peer(connection)
                say('their mtu', await client.request_mtu(517))
                await client.discover_services()
                say('their services', len(client.services))
                answer = await client.gatt_client.send_request(att.ATT_Read_Request(attribute_handle=0x0777))
                say('their handle 0x0777', f'0x{answer.error_code:02x}')
                result = await self.device.l2cap_channel_manager.update_connection_parameters(connection, 12, 24, 0, 400)
                say('their answer to new parameters', result)
                connection.on('pairing_failure', lambda reason: say('their answer to pairing', f'0x{int(reason):02x}'))
                connection.request_pairing()
            case 'echo':
                # Several indications that nobody subscribed to, before the answers to what the host asks.
                await self.device.notify_subscriber(connection, self.beat, bytes([0, 99]), force=True)
                await self.device.indicate_subscriber(connection, self.sure, struct.pack('<I', 7), force=True)
                say('echoed')
            case 'drop':
                self.controller.vanish(0x08)
                say('dropped')
            case 'leave':
                await connection.disconnect()
                say('left')
            case 'change':
                self.device.gatt_server.add_service(
                    gatt.Service(own(0x900), [self.stored(own(0x901), Read, b'new')]))
                self.tree()
                start = self.device.gatt_server.services[-1].handle
                await self.device.indicate_subscriber(
                    connection, self.device.gatt_service.service_changed_characteristic, struct.pack('<HH', start, 0xFFFF))
                await self.device.notify_subscriber(connection, self.counter, b'done')
                say('changed')

    def services(self):
        described = [
            gatt.Descriptor(UUID.from_16_bits(0x2901), READABLE, b'what it is'),
            gatt.Descriptor(own(0x4FF), BOTH, b'a descriptor of our own'),
        ]
        self.counter = gatt.Characteristic(own(2), Read | Notify, READABLE, b'\0\0\0\0')
        self.sure = gatt.Characteristic(own(3), Read | Indicate, READABLE, b'\0\0\0\0')
        self.beat = gatt.Characteristic(UUID.from_16_bits(0x2A37), Notify, READABLE, bytes([0, 72]))
        heart = gatt.Service(
            UUID.from_16_bits(0x180D), [self.beat, gatt.Characteristic(UUID.from_16_bits(0x2A38), Read, READABLE, bytes([1]))])
        battery = gatt.Service(
            UUID.from_16_bits(0x180F), [gatt.Characteristic(UUID.from_16_bits(0x2A19), Read, READABLE, bytes([97]))])
        second = gatt.Service(
            UUID.from_16_bits(0x180F), [gatt.Characteristic(UUID.from_16_bits(0x2A19), Read, READABLE, bytes([42]))])
        small = gatt.Service(own(0x700), [self.stored(own(0x701), Read, b'inside')], primary=False)
        lengths = [0, 1, 19, 20, 21, 22, 23, 24, 44, 45, 100, 243, 244, 245, 246, 247, 250, 251, 252, 253, 254, 255, 256, 300, 509,
                   510, 511, 512]
        values = gatt.Service(
            own(0x100), [self.stored(own(0x1000 + length), Read | Write, pattern(length)) for length in lengths])
        workshop = gatt.Service(
            own(0x400),
            [
                gatt.Characteristic(
                    self.control, Write, WRITEABLE, gatt.CharacteristicValue(write=self.commanded)),
                self.counter, self.sure,
                self.stored(own(0x401), Read | Write | Quick, b'', descriptors=described),
                self.stored(UUID.from_16_bits(0x2A56), Read | Write, b'first of two'),
                self.stored(UUID.from_16_bits(0x2A56), Read | Write, b'second of two'),
                gatt.Characteristic(
                    own(0x402), Read, READABLE, gatt.CharacteristicValue(read=self.refuses(0x80))),
            ],
            included_services=[battery, small])
        # Included ones first: Bumble would put them into the group of the service that includes them.
        return [heart, values, battery, small, workshop, second]

    def refuses(self, code):
        def read(connection):
            raise att.ATT_Error(code)

        return read

    def tree(self):
        """One line an attribute, in the form of dump.ble."""
        server = self.device.gatt_server
        for service in sorted(server.services, key=lambda service: service.handle):
            say('tree service', service.handle, self.name(service.uuid))
            for handle in range(service.handle + 1, service.end_group_handle + 1):
                attribute = server.get_attribute(handle)
                kind = attribute.type
                if isinstance(attribute, gatt.CharacteristicDeclaration):
                    inner = attribute.characteristic
                    say('tree characteristic', inner.handle, self.name(inner.uuid), abilities(inner.properties))
                elif isinstance(attribute, gatt.Characteristic) or kind == gatt.GATT_INCLUDE_ATTRIBUTE_TYPE:
                    continue
                elif kind in (gatt.GATT_PRIMARY_SERVICE_ATTRIBUTE_TYPE, gatt.GATT_SECONDARY_SERVICE_ATTRIBUTE_TYPE):
                    break
                else:
                    say('tree descriptor', handle, self.name(kind))

    def name(self, uuid):
        text = uuid.to_hex_str('-')
        return f'0x{text}' if len(text) == 4 else text.lower()

    def count_requests(self):
        """Says every request that the server gets."""
        server = self.device.gatt_server
        answer = server.on_gatt_pdu

        def counted(bearer, pdu):
            if pdu.op_code in att.ATT_REQUESTS:
                say('request', bytes(pdu).hex())
            answer(bearer, pdu)

        server.on_gatt_pdu = counted

    async def start(self, where, mtu):
        address = hci.Address('C4:11:22:33:44:55', hci.Address.RANDOM_DEVICE_ADDRESS)
        if where.startswith('tcp-client:'):
            # On an air that is not Bumble's.
            opened = await transport.open_transport(where)
            stack = host.Host(opened.source, opened.sink)
        else:
            self.controller = Stranger('peripheral', link=self.link)
            stack = host.Host(self.controller, common.AsyncPipeSink(self.controller))
        configuration = device.DeviceConfiguration(
            name='Stranger', address=address, gap_service_enabled=True, gatt_service_enabled=True)
        self.device = device.Device(config=configuration, host=stack)
        self.device.gatt_server.max_mtu = mtu
        self.count_requests()
        self.device.add_services(self.services())
        for attribute in self.device.gatt_server.attributes:
            # Bumble cuts 128-bit UUIDs to 16 bits there; the standard leaves them out (Vol 3, Part G, 3.2).
            if attribute.type == gatt.GATT_INCLUDE_ATTRIBUTE_TYPE and len(attribute.service.uuid.to_bytes()) == 16:
                attribute.value = attribute.value[:4]
        self.device.on('connection', self.connected)
        await self.device.power_on()
        self.device.advertising_data = bytes(
            AdvertisingData([
                (AdvertisingData.FLAGS, bytes([6])),
                (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, bytes.fromhex('0d18')),
                (AdvertisingData.COMPLETE_LOCAL_NAME, b'Stranger'),
            ]))
        await self.device.start_advertising(auto_restart=True, advertising_interval_min=100, advertising_interval_max=100)
        self.tree()
        if where.startswith('tcp-client:'):
            say('listening', where)
            await opened.source.wait_for_termination()
            return
        if where == 'tcp':
            server = await asyncio.get_running_loop().create_server(self.welcome, '127.0.0.1', 0)
            say('listening', server.sockets[0].getsockname()[1])
        else:
            server = await asyncio.get_running_loop().create_unix_server(self.welcome, where)
            say('listening', where)
        await server.serve_forever()

    def connected(self, connection):
        say('connected', str(connection.peer_address))
        connection.on('disconnection', lambda reason: say('disconnected', f'0x{reason:02x}'))

    def welcome(self):
        self.hosts += 1
        return Seat(self, self.hosts)


class Seat(asyncio.Protocol):
    """One host's socket, and its controller."""

    def __init__(self, peripheral, number):
        self.peripheral = peripheral
        self.number = number

    def connection_made(self, transport):
        self.transport = transport
        self.source = common.StreamPacketSource()
        self.controller = Stranger(
            f'host {self.number}', host_source=self.source, host_sink=self, link=self.peripheral.link,
            public_address=f'00:1B:DC:00:00:{self.number:02X}')
        # Bumble's link takes the random address for the source of data, whatever the host connected with.
        self.controller.random_address = self.controller.public_address

    def on_packet(self, packet):
        if not self.transport.is_closing():
            self.transport.write(packet)

    def data_received(self, data):
        self.source.data_received(data)

    def connection_lost(self, error):
        self.controller.vanish(0x08)
        self.peripheral.link.remove_controller(self.controller)
        self.controller.host = None


if __name__ == '__main__':
    asyncio.run(Peripheral().start(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 517))
