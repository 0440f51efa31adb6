"""The peer of the benchmarks: a peripheral of 148 attributes and its controllers, all from Bumble.

`server.py` prints `listening PORT` (H4 over TCP on 127.0.0.1; each connection is a controller) and
`attributes N`. When a link ends it prints its traffic:
`link requests=N mtu_exchanges=N octets=N first_requests=N first_octets=N opcodes=…`. The octets are
those on the air: ATT, 4 of L2CAP for each PDU, and 10 of the link layer (preamble, access address,
header, CRC; Vol 6, Part B, 2.1) for each 251 of them. `first_` is up to the first notification,
without what a host reads afterwards for the next time.
"""

import asyncio
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'Tests' / 'Interop'))

from bumble import att, gatt
from bumble.core import UUID

import peripheral


class Server(peripheral.Peripheral):
    def services(self):
        services = []
        for service in range(12):
            is_long = service % 2 == 0
            characteristics = []
            for number in range(4) if service < 11 else [2, 3]:
                uuid = UUID(f'7002{service + 10}0{number}-6b1d-4f6e-9d3a-2a4c1f0e5b77') if is_long else UUID.from_16_bits(
                    0xFD00 + 16 * service + number)
                properties = peripheral.Read | peripheral.Notify if number > 1 else peripheral.Read
                characteristics.append(gatt.Characteristic(uuid, properties, peripheral.READABLE, bytes([number, 0, 0, 0])))
            uuid = UUID(f'70010{service + 100}-6b1d-4f6e-9d3a-2a4c1f0e5b77') if is_long else UUID.from_16_bits(0xFE00 + service)
            services.append(gatt.Service(uuid, characteristics))
        battery = gatt.Service(
            UUID.from_16_bits(0x180F),
            [gatt.Characteristic(UUID.from_16_bits(0x2A19), peripheral.Read, peripheral.READABLE, bytes([97]))])
        self.beat = gatt.Characteristic(
            UUID.from_16_bits(0x2A37), peripheral.Notify, peripheral.READABLE, bytes([0, 72]))
        return services + [battery, gatt.Service(UUID.from_16_bits(0x180D), [self.beat])]

    def tree(self):
        pass

    def count_requests(self):
        server = self.device.gatt_server
        take, send = server.on_gatt_pdu, server.send_gatt_pdu
        self.forget()

        def weigh(count):
            frame = count + 4
            self.octets += frame + 10 * -(-frame // 251)

        def taken(bearer, pdu):
            self.opcodes[int(pdu.op_code)] += 1
            weigh(len(bytes(pdu)))
            take(bearer, pdu)

        def sent(bearer, pdu):
            weigh(len(pdu))
            if pdu[0] == att.Opcode.ATT_HANDLE_VALUE_NOTIFICATION and self.first is None:
                self.first = (self.requests(), self.octets)
            send(bearer, pdu)

        server.on_gatt_pdu = taken
        server.send_gatt_pdu = sent

    def forget(self):
        self.opcodes = collections.Counter()
        self.octets = 0
        self.first = None

    def requests(self):
        """Those without the MTU exchange."""
        asked = sum(count for code, count in self.opcodes.items() if code in att.ATT_REQUESTS)
        return asked - self.opcodes[int(att.Opcode.ATT_EXCHANGE_MTU_REQUEST)]

    def connected(self, connection):
        self.forget()
        connection.on('disconnection', lambda reason: self.tell())
        asyncio.get_running_loop().create_task(self.beats(connection))

    async def beats(self, connection):
        """A notification every 50 ms to each subscriber."""
        while connection.handle in self.device.connections:
            await self.device.notify_subscriber(connection, self.beat)
            await asyncio.sleep(0.05)

    def tell(self):
        mtu = self.opcodes[int(att.Opcode.ATT_EXCHANGE_MTU_REQUEST)]
        requests, octets = self.first or (self.requests(), self.octets)
        names = ','.join(f'{code:02x}:{count}' for code, count in sorted(self.opcodes.items()))
        peripheral.say('link', f'requests={self.requests()}', f'mtu_exchanges={mtu}', f'octets={self.octets}',
                       f'first_requests={requests}', f'first_octets={octets}', f'opcodes={names}')


if __name__ == '__main__':
    asyncio.run(Server(peripheral.parser().parse_args(['tcp'])).start())
