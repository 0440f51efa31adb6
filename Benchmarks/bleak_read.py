"""Reads the battery level with bleak: `bleak_read.py ADDRESS`."""

import asyncio
import sys

import bleak


async def main(address):
    async with bleak.BleakClient(address) as client:
        print(await client.read_gatt_char('00002a19-0000-1000-8000-00805f9b34fb'))


asyncio.run(main(sys.argv[1]))
