"""A peripheral and its controllers, all from Bumble.

Prints `listening PORT` (TCP, 127.0.0.1) or `listening PATH` (Unix) once hosts may connect. Each
connection is a virtual controller of Bumble, with H4 packets, on the same link as the peripheral.
`tree …` lines before it show Bumble's attribute table. Writes of hosts to the control
characteristic start bursts, indications, losses and changes of the table; every write is printed.

    peripheral.py tcp|PATH|tcp-client:HOST:PORT [--mtu N] [--log FILE] [--traces DIRECTORY]
                  [--pace MS] [--beats MS] [--attributes N]

`--log` gets the traffic of the link, one JSON object per line in the format of `tooth air --log`.
`--traces` gets a btsnoop file for each host that connects. `--pace` is the time that each PDU takes
to cross. `--beats` is only a strap that counts up with each notification; `--attributes` is a plain
table of this size.
"""

import argparse
import asyncio
import os
import struct
import time

from bumble import att, controller, device, gatt, hci, host, link, snoop, transport
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


class Log:
    """The traffic of the link, for the judge. It sees the link and not the hosts."""

    def __init__(self, path):
        self.file = open(path, 'w', buffering=1) if path else None
        self.links = 0
        self.last = 0

    def now(self):
        return time.monotonic_ns()

    def write(self, kind, **fields):
        if not self.file:
            return
        self.last = max(self.last, self.now())
        parts = [f'"t":{self.seconds(self.last)}', f'"kind":"{kind}"']
        for key, value in fields.items():
            if value is None:
                continue
            if isinstance(value, bool):
                parts.append(f'"{key}":{"true" if value else "false"}')
            elif isinstance(value, int):
                parts.append(f'"{key}":{self.seconds(value) if key == "sent" else value}')
            else:
                parts.append(f'"{key}":"{value}"')
        self.file.write('{' + ','.join(parts) + '}\n')

    def seconds(self, nanoseconds):
        return f'{nanoseconds // 1_000_000_000}.{nanoseconds % 1_000_000_000:09}'


class Crossing(link.LocalLink):
    """Bumble's link with an optional delay and a log."""

    def __init__(self, log, pace):
        super().__init__()
        self.log = log
        self.pace = pace
        self.due = 0

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        loop = asyncio.get_running_loop()
        sent = self.log.now()
        receiver = self.find_le_controller(destination_address)
        if receiver is None:
            return
        source = sender_controller.random_address
        number = sender_controller.numbers.get(destination_address)

        def arrive():
            channel = struct.unpack_from('<H', data, 2)[0]
            there = receiver.le_connections.get(source) is not None
            self.log.write(
                'acl', **{'from': sender_controller.called, 'to': receiver.called}, link=number, cid=channel, bytes=data[4:].hex(),
                sent=sent, delivered=there, host=receiver.host is not None)
            if there:
                receiver.on_link_acl_data(source, transport, data)

        if self.pace:
            # Never two at once, so the order is preserved.
            self.due = max(loop.time() + self.pace, self.due + 1e-5)
            loop.call_at(self.due, arrive)
        else:
            loop.call_soon(arrive)


class Stranger(controller.Controller):
    """Bumble's controller with an accept list, and links that end when their host is gone."""

    def __init__(self, *arguments, called, **named):
        self.called = called
        self.accept_list = []
        # The links' numbers in the log, by peer.
        self.numbers = {}
        super().__init__(*arguments, **named)

    def create_le_connection(self, peer_address):
        other = self.link.find_le_controller(peer_address)
        known = set(self.le_connections)
        super().create_le_connection(peer_address)
        for made in set(self.le_connections) - known:
            log = self.link.log
            log.links += 1
            self.numbers[made] = other.numbers[self.le_connections[made].self_address] = log.links
            log.write('connect_ind', **{'from': self.called, 'to': other.called}, link=log.links, delivered=True)
            log.write('established', **{'from': self.called, 'to': other.called}, link=log.links)

    def on_hci_disconnect_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection:
            self.ended('disconnect', connection, command.reason)
        super().on_hci_disconnect_command(command)

    def ended(self, kind, connection, reason):
        other = self.link.find_le_controller(connection.peer_address)
        self.link.log.write(
            kind, **{'from': self.called, 'to': other.called if other else None}, link=self.numbers.get(connection.peer_address),
            reason=int(reason))

    def on_le_encryption_change(self, connection, status):
        self.link.log.write(
            'encryption', **{'from': self.called}, link=self.numbers.get(connection.peer_address), delivered=status == 0)
        super().on_le_encryption_change(connection, status)

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
        # A request that was in flight when the host left: there is no host left to connect.
        if self.host is None:
            return
        wish = self.pending_le_connection
        if wish and wish.initiator_filter_policy == 1 and pdu.advertiser_address in self.accept_list:
            wish.peer_address = pdu.advertiser_address
        super().on_advertising_pdu(pdu)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Disallowed without a pending attempt; otherwise reports its end (Vol 4, E, 7.8.13)."""
        if not self.pending_le_connection:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        self.pending_le_connection = None
        asyncio.get_running_loop().call_soon(self.send_hci_packet, self.no_connection())
        return super().on_hci_le_create_connection_cancel_command(command)

    @staticmethod
    def no_connection():
        return hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR, connection_handle=0, role=hci.Role.CENTRAL,
            peer_address_type=hci.Address.PUBLIC_DEVICE_ADDRESS, peer_address=hci.Address.ANY, connection_interval=0, peripheral_latency=0,
            supervision_timeout=0, central_clock_accuracy=0)

    def vanish(self, reason):
        """What both sides see of a supervision timeout."""
        for connection in list(self.le_connections.values()):
            other = self.link.find_le_controller(connection.peer_address)
            self.ended('link_ended', connection, reason)
            self.on_le_disconnected(connection, reason)
            for back in list(other.le_connections.values()) if other else []:
                if back.peer_address == connection.self_address:
                    other.ended('supervision_timeout', back, reason)
                    other.on_le_disconnected(back, reason)

    def on_hci_reset_command(self, command):
        self.vanish(0x08)
        self.link.log.write('reset', **{'from': self.called})
        self.accept_list = []
        self.pending_le_connection = None
        self.le_scan_enable = False
        return super().on_hci_reset_command(command)


class Peripheral:
    def __init__(self, options):
        self.options = options
        self.log = Log(options.log)
        self.link = Crossing(self.log, options.pace / 1000)
        # Connected hosts, and how many have connected so far.
        self.hosts = set()
        self.came = 0
        self.control = own(1)
        self.stores = {}

    def stored(self, uuid, properties, value, permissions=BOTH, descriptors=()):
        """A characteristic that stores and prints writes."""
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
                # The peripheral is also a client of the connected host.
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
                # Several indications without a subscription, before the answers to the host's
                # requests.
                await self.device.notify_subscriber(connection, self.beat, bytes([0, 99]), force=True)
                await self.device.indicate_subscriber(connection, self.sure, struct.pack('<I', 7), force=True)
                say('echoed')
            case 'several':
                # Bumble never sends it by itself.
                value = lambda attribute, number: struct.pack('<HHI', attribute.handle, 4, number)
                self.device.gatt_server.send_gatt_pdu(
                    connection, bytes([0x23]) + value(self.counter, 1001) + value(self.counter, 1002))
                say('several sent')
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

    def strap(self):
        """A strap that numbers every beat."""
        self.beat = gatt.Characteristic(UUID.from_16_bits(0x2A37), Notify, READABLE, b'')
        self.beats = 0
        point = self.stored(UUID.from_16_bits(0x2A39), Write, b'', WRITEABLE)
        place = gatt.Characteristic(UUID.from_16_bits(0x2A38), Read, READABLE, bytes([1]))
        battery = gatt.Characteristic(UUID.from_16_bits(0x2A19), Read, READABLE, bytes([97]))
        return [
            gatt.Service(UUID.from_16_bits(0x180F), [battery]),
            gatt.Service(UUID.from_16_bits(0x180D), [self.beat, place, point]),
        ]

    async def pulse(self, every):
        while True:
            await asyncio.sleep(every)
            self.beats += 1
            # Flags: a rate of two bytes, contact is supported and detected.
            value = struct.pack('<BH', 7, self.beats)
            # Bumble applies a subscription that it handles just after its link has ended to the
            # next link with that handle, and would notify that one twice.
            for connection in list(self.device.connections.values()):
                await self.device.notify_subscriber(connection, self.beat, value)

    def plain(self, wanted):
        """A table of this size: services of four characteristics, half with a configuration. The
        last one is the target."""
        made = []
        # Bumble's own attributes come first, and the heart rate last.
        left = wanted - len(self.device.gatt_server.attributes) - 4
        number = 0
        while left > 0:
            number += 0x10
            inside = []
            left -= 1
            for place in range(4):
                size = 3 if place % 2 else 2
                if left >= size:
                    left -= size
                    inside.append(
                        gatt.Characteristic(own(0x2000 + number + place), Read | (Notify if size == 3 else 0), READABLE, b'x'))
            descriptors = []
            if 0 < left < 4:
                descriptors = [gatt.Descriptor(own(0x3000 + index), READABLE, b'd') for index in range(left)]
                left = 0
                inside[-1].descriptors = descriptors
            uuid = UUID.from_16_bits(0x1810) if number == 0x20 else own(0x2000 + number)
            made.append(gatt.Service(uuid, inside))
        self.beat = gatt.Characteristic(UUID.from_16_bits(0x2A37), Notify, READABLE, bytes([0, 72]))
        return made + [gatt.Service(UUID.from_16_bits(0x180D), [self.beat])]

    def services(self):
        if self.options.beats:
            return self.strap()
        if self.options.attributes:
            return self.plain(self.options.attributes)
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
        # Included services first: Bumble would put them into the group of the service that includes
        # them.
        return [heart, values, battery, small, workshop, second]

    def refuses(self, code):
        def read(connection):
            raise att.ATT_Error(code)

        return read

    def tree(self):
        """One line per attribute, in the format of dump.ble."""
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
        """Prints every request to the server."""
        server = self.device.gatt_server
        answer = server.on_gatt_pdu

        def counted(bearer, pdu):
            if pdu.op_code in att.ATT_REQUESTS:
                say('request', bytes(pdu).hex())
            answer(bearer, pdu)

        server.on_gatt_pdu = counted

    def configuration(self, address):
        return device.DeviceConfiguration(name='Stranger', address=address, gap_service_enabled=True, gatt_service_enabled=True)

    async def start(self):
        where = self.options.place
        address = hci.Address('C4:11:22:33:44:55', hci.Address.RANDOM_DEVICE_ADDRESS)
        if where.startswith('tcp-client:'):
            # On an air other than Bumble's.
            opened = await transport.open_transport(where)
            stack = host.Host(opened.source, opened.sink)
            if self.options.traces:
                stack.snooper = snoop.BtSnooper(open(f'{self.options.traces}/peripheral.btsnoop', 'wb', buffering=0))
        else:
            self.controller = Stranger('peripheral', called=address.to_string(False), link=self.link)
            stack = host.Host(self.controller, common.AsyncPipeSink(self.controller))
        self.device = device.Device(config=self.configuration(address), host=stack)
        self.device.gatt_server.max_mtu = self.options.mtu
        self.count_requests()
        self.device.add_services(self.services())
        for attribute in self.device.gatt_server.attributes:
            # Bumble truncates 128-bit UUIDs to 16 bits there; the standard omits them (Vol 3, Part
            # G, 3.2).
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
        say('attributes', len(self.device.gatt_server.attributes))
        if where.startswith('tcp-client:'):
            say('listening', where)
            await opened.source.wait_for_termination()
            return
        if self.options.beats:
            self.pulsing = asyncio.get_running_loop().create_task(self.pulse(self.options.beats / 1000))
        if where == 'tcp':
            server = await asyncio.get_running_loop().create_server(self.welcome, '127.0.0.1', 0)
            say('listening', server.sockets[0].getsockname()[1])
        else:
            # The path gets its name only once the socket is listening.
            server = await asyncio.get_running_loop().create_unix_server(self.welcome, where + '.early')
            os.rename(where + '.early', where)
            say('listening', where)
        await server.serve_forever()

    def connected(self, connection):
        say('connected', str(connection.peer_address))
        connection.on('disconnection', lambda reason: say('disconnected', f'0x{reason:02x}'))

    def welcome(self):
        self.came += 1
        return Seat(self, self.came)


class Seat(asyncio.Protocol):
    """One host's socket, and its controller, which a host that reconnects finds as it left it."""

    def __init__(self, peripheral, number):
        self.peripheral = peripheral
        self.number = number
        traces = peripheral.options.traces
        self.trace = open(f'{traces}/seat-{os.getpid()}-{number}.btsnoop', 'wb', buffering=0) if traces else None
        self.snooper = snoop.BtSnooper(self.trace) if self.trace else snoop.Snooper()

    def connection_made(self, transport):
        self.transport = transport
        self.source = common.StreamPacketSource()
        self.place = next(place for place in range(1, 256) if place not in self.peripheral.hosts)
        self.peripheral.hosts.add(self.place)
        address = f'00:1B:DC:00:00:{self.place:02X}'
        self.controller = Stranger(
            f'host {self.number}', called=address, host_source=self.source, host_sink=self, link=self.peripheral.link,
            public_address=address)
        # Bumble's link takes the random address as the source of data, whichever the host connected
        # with.
        self.controller.random_address = self.controller.public_address
        self.source.set_packet_sink(Tap(self.controller, self.snooper))

    def on_packet(self, packet):
        if not self.transport.is_closing():
            self.snooper.snoop(packet, snoop.Snooper.Direction.CONTROLLER_TO_HOST)
            self.transport.write(packet)

    def data_received(self, data):
        self.source.data_received(data)

    def connection_lost(self, error):
        self.peripheral.log.write('host_gone', **{'from': self.controller.called})
        self.controller.vanish(0x08)
        self.peripheral.link.remove_controller(self.controller)
        self.peripheral.hosts.discard(self.place)
        self.controller.host = None
        if self.trace:
            self.trace.close()
            self.snooper = snoop.Snooper()


class Tap:
    """Between a host's socket and its controller."""

    def __init__(self, sink, snooper):
        self.sink = sink
        self.snooper = snooper

    def on_packet(self, packet):
        self.snooper.snoop(packet, snoop.Snooper.Direction.HOST_TO_CONTROLLER)
        self.sink.on_packet(packet)


def parser():
    parser = argparse.ArgumentParser()
    parser.add_argument('place')
    parser.add_argument('--mtu', type=int, default=517)
    parser.add_argument('--log')
    parser.add_argument('--traces')
    parser.add_argument('--pace', type=float, default=0)
    parser.add_argument('--beats', type=float, default=0)
    parser.add_argument('--attributes', type=int, default=0)
    return parser


if __name__ == '__main__':
    asyncio.run(Peripheral(parser().parse_args()).start())
