#!/usr/bin/python3
"""Prints the traffic of the links in a capture: att-steps.py FILE.

There is a line for each `link`, `pairing`, `encrypted`, and ATT PDU, like `sent 1b 1200 01` or
`received 12 1300 0100`: its opcode, the bytes of its handle, and the rest."""

import struct
import sys

data = open(sys.argv[1], 'rb').read()
at, links = 16, []
while at + 24 <= len(data):
    _, length, flags, _, _ = struct.unpack('>IIIIQ', data[at:at + 24])
    packet = data[at + 24:at + 24 + length]
    at += 24 + length
    if packet[0] == 4 and packet[1] == 0x3E and packet[3] in (0x01, 0x0A) and packet[4] == 0:
        links.append(['link'])
    elif not links:
        continue
    elif packet[0] == 4 and packet[1] in (0x08, 0x59) and packet[3] == 0:
        links[-1].append('encrypted')
    elif packet[0] == 2 and packet[7:9] == b'\x04\x00' and len(packet) > 9:
        words = [packet[9:10], packet[10:12], packet[12:]]
        links[-1].append(' '.join(['received' if flags & 1 else 'sent'] + [word.hex() for word in words if word]))
    elif packet[0] == 2 and packet[7:10] == b'\x06\x00\x01':
        links[-1].append('pairing')
for steps in links:
    print(', '.join(steps))
