"""The same work done by Bumble's own host, on a controller of server.py.

`client.py PORT TASK` prints `name value` lines.

`read`, `subscribe` and `everything` use the link; `notifications` and `reports` are packets that
this process passes to the host.
"""

import asyncio
import resource
import struct
import sys
import time

from bumble import device, gatt, hci, transport
from bumble.core import UUID

PEER = hci.Address('C4:11:22:33:44:55', hci.Address.RANDOM_DEVICE_ADDRESS)
BATTERY_LEVEL = UUID.from_16_bits(0x2A19)
HEART_RATE = UUID.from_16_bits(0x180D)
MEASUREMENT = UUID.from_16_bits(0x2A37)
COUNT = 20000


def say(*words):
    print(*words, flush=True)


def spent():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round((usage.ru_utime + usage.ru_stime) * 1e6)


async def link(central):
    connection = await central.connect(PEER, timeout=20)
    peer = device.Peer(connection)
    await peer.request_mtu(517)
    return connection, peer


async def read(central):
    connection, peer = await link(central)
    values = await peer.read_characteristics_by_uuid(BATTERY_LEVEL)
    assert values == [bytes([97])], values
    await connection.disconnect()


async def subscribe(central):
    """To the first notification: discovers one service, its characteristics, one's descriptors."""
    connection, peer = await link(central)
    await peer.discover_service(HEART_RATE)
    await peer.discover_characteristics([MEASUREMENT], peer.services[0])
    heard = asyncio.Event()
    await peer.subscribe(peer.get_characteristics_by_uuid(MEASUREMENT)[0], lambda value: heard.set())
    await asyncio.wait_for(heard.wait(), 10)
    await connection.disconnect()


async def everything(central):
    """Services, then the characteristics of each, then the descriptors where there can be any."""
    connection, peer = await link(central)
    await peer.discover_services()
    found = 0
    for service in peer.services:
        found += 1
        for characteristic in await service.discover_characteristics():
            found += 2
    for service in peer.services:
        for characteristic in service.characteristics:
            found += len(await characteristic.discover_descriptors())
    say('attributes', found)
    await connection.disconnect()


async def notifications(central):
    """20,000 notifications as ACL packets, counted by a subscriber."""
    connection, peer = await link(central)
    await peer.discover_service(HEART_RATE)
    await peer.discover_characteristics([MEASUREMENT], peer.services[0])
    count = 0

    def heard(value):
        nonlocal count
        count += 1

    characteristic = peer.get_characteristics_by_uuid(MEASUREMENT)[0]
    await peer.subscribe(characteristic, heard)
    pdu = struct.pack('<BHBB', 0x1B, characteristic.handle, 0, 72)
    packet = struct.pack('<BHHHH', 2, connection.handle | 0x2000, len(pdu) + 4, len(pdu), 4) + pdu
    best = 1e9
    for _ in range(3):
        before = count
        start = time.process_time()
        for _ in range(COUNT):
            central.host.on_packet(packet)
        best = min(best, time.process_time() - start)
        assert count - before == COUNT, count
    say('notification_us', round(best * 1e6 / COUNT, 2))
    await connection.disconnect()


def report(sender, rssi):
    """The same reports as in Benchmarks/Sources/ReportBench.swift."""
    data = bytes([2, 1, 6])
    match sender % 5:
        case 0:
            name = f'Belt {sender}'.encode()
            data += bytes([3, 3, 0x0D, 0x18, len(name) + 1, 9]) + name
        case 1:
            data += bytes([0x1A, 0xFF, 0x4C, 0, 2, 0x15]) + bytes((sender + n) % 256 for n in range(21))
        case 2:
            data += bytes([3, 3, 0xAA, 0xFE, 6, 0x16, 0xAA, 0xFE, 0x20, 0, sender % 256])
        case 3:
            data += bytes([3, 3, 0x0D, 0x18])
        case _:
            data += bytes([7, 9]) + f'Lamp {sender % 10}'.encode()
    return (bytes([4, 0x3E, 12 + len(data), 2, 1, 0, 1]) + sender.to_bytes(4, 'little') + bytes([0x5E, 0xC0, len(data)]) + data
            + struct.pack('b', rssi))


async def reports(central):
    """20,000 advertising reports of 200 senders, filtered as the recipe does."""
    found = {}

    def heard(advertisement):
        if not advertisement.is_connectable or advertisement.rssi <= -100:
            return
        name = advertisement.data.get(9, raw=True) or b''
        services = advertisement.data.get(3) or []
        if name.startswith(b'Belt ') and HEART_RATE in services:
            found[bytes(advertisement.address)] = advertisement.rssi

    central.on('advertisement', heard)
    await central.start_scanning(filter_duplicates=False)
    packets = [report(number % 200, -40 - (number * 31 + 7) % 50) for number in range(COUNT)]
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        for packet in packets:
            central.host.on_packet(packet)
        best = min(best, time.process_time() - start)
    assert len(found) == 40, len(found)
    say('report_us', round(best * 1e6 / COUNT, 2))


async def main(port, task):
    opened = await transport.open_transport(f'tcp-client:127.0.0.1:{port}')
    say('first_packet_cpu_us', spent())
    central = device.Device.with_hci('bench', hci.Address('F0:F1:F2:F3:F4:F5'), opened.source, opened.sink)
    await central.power_on()
    await task(central)
    await opened.close()


if __name__ == '__main__':
    asyncio.run(main(sys.argv[1], {each.__name__: each for each in [read, subscribe, everything, notifications, reports]}[sys.argv[2]]))
