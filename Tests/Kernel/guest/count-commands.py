#!/usr/bin/python3
"""Counts the HCI commands of a btsnoop file up to the one that starts scanning.

count-commands.py FILE: prints each command on stderr."""

import struct
import sys

data = open(sys.argv[1], 'rb').read()
at, count = 16, 0
while at < len(data):
    _, length, flags, _, _ = struct.unpack('>IIIIQ', data[at:at + 24])
    packet = data[at + 24:at + 24 + length]
    at += 24 + length
    if packet[0] == 1:
        count += 1
        opcode = packet[1] | packet[2] << 8
        print(f'{count}: 0x{opcode:04x}', file=sys.stderr)
        # LE Set Scan Enable, LE Set Extended Scan Enable, with an enable of 1
        if opcode in (0x200C, 0x2042) and packet[4] == 1:
            print(count)
            sys.exit(0)
print('never')
sys.exit(1)
