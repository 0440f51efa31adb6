#!/usr/bin/python3
"""What a capture has before the first notified value of its last link: before-value.py FILE. Prints how many ATT requests we
sent after the link was made, whether it was encrypted by then, and each step on stderr."""

import struct
import sys

data = open(sys.argv[1], 'rb').read()
REQUESTS = {0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20}
at, steps, requests, is_encrypted, found = 16, [], 0, False, None
while at + 24 <= len(data):
    _, length, flags, _, _ = struct.unpack('>IIIIQ', data[at:at + 24])
    packet = data[at + 24:at + 24 + length]
    at += 24 + length
    is_ours = not flags & 1
    if packet[0] == 4 and packet[1] == 0x3E and packet[3] in (0x01, 0x0A) and packet[4] == 0:
        steps, requests, is_encrypted, found = ['a link'], 0, False, None
    elif packet[0] == 4 and packet[1] in (0x08, 0x59) and packet[3] == 0:
        is_encrypted = True
        steps.append('encrypted')
    elif packet[0] == 2 and len(packet) > 9 and packet[7:9] == b'\x04\x00' and found is None:
        opcode = packet[9]
        steps.append(f'{"sent" if is_ours else "received"} 0x{opcode:02x}')
        if is_ours and opcode in REQUESTS:
            requests += 1
        if not is_ours and opcode == 0x1B:
            found = (requests, is_encrypted)
print(', '.join(steps[:40]), file=sys.stderr)
print('no value' if found is None else f'{found[0]} requests, {"encrypted" if found[1] else "not encrypted"}')
