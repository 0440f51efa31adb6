#!/usr/bin/python3
"""Prints the pairings in captures: pairings.py FILE …

There is a line for each link, like `FILE 1: comparison (1) DisplayYesNo/KeyboardDisplay,
encrypted`. The method is what table 2.8 of the Core Specification (Vol 3, Part H) gives for the
features that initiator and responder have sent. The number is how many random numbers the peer has
sent: 20 in passkey entry, else 1. `failed` and a reason follow it in a pairing that failed."""

import struct
import sys

NAMES = ['DisplayOnly', 'DisplayYesNo', 'KeyboardOnly', 'NoInputNoOutput', 'KeyboardDisplay']
# Table 2.8: a row for each responder, a column for each initiator, in the order of the names. With
# LE legacy pairing a comparison is what follows the slash.
J, I, R, B = 'just works', 'initiator shows', 'responder shows', 'both type'
TABLE = [
    [J, J, R, J, R],
    [J, 'comparison/' + J, R, J, 'comparison/' + R],
    [I, I, B, J, I],
    [J, J, J, J, J],
    [I, 'comparison/' + I, R, J, 'comparison/' + I],
]


def method(request, response):
    authentication = request[3] | response[3]
    if not authentication & 4:
        return J
    secure, _, legacy = TABLE[response[1]][request[1]].partition('/')
    return secure if request[3] & response[3] & 8 else legacy or secure


def words(pairing):
    request, response = pairing['request'], pairing.get('response')
    if response:
        text = f'{method(request, response)} ({pairing["randoms"]}) {NAMES[request[1]]}/{NAMES[response[1]]}'
    else:
        text = f'no answer ({pairing["randoms"]}) {NAMES[request[1]]}'
    return text + (f' failed {pairing["failed"]:02x}' if 'failed' in pairing else '')


for name in sys.argv[1:]:
    data = open(name, 'rb').read()
    at, links, pairing = 16, [], None
    while at + 24 <= len(data):
        _, length, flags, _, _ = struct.unpack('>IIIIQ', data[at:at + 24])
        packet = data[at + 24:at + 24 + length]
        at += 24 + length
        if packet[0] == 4 and packet[1] == 0x3E and packet[3] in (0x01, 0x0A) and packet[4] == 0:
            links.append([])
        elif packet[0] == 4 and packet[1] in (0x08, 0x59) and packet[3] == 0:
            links[-1].append('encrypted')
        # The first fragment of a PDU of the Security Manager.
        elif packet[0] == 2 and packet[2] & 0x30 != 0x10 and packet[7:9] == b'\x06\x00':
            pdu = packet[9:]
            if pdu[0] == 1:
                pairing = {'request': pdu, 'randoms': 0}
                links[-1].append(pairing)
            elif pairing and pdu[0] == 2:
                pairing['response'] = pdu
            elif pairing and pdu[0] == 4 and flags & 1:
                pairing['randoms'] += 1
            elif pairing and pdu[0] == 5:
                pairing['failed'] = pdu[1]
    for number, steps in enumerate(links, 1):
        print(f'{name} {number}:', ', '.join(step if isinstance(step, str) else words(step) for step in steps))
