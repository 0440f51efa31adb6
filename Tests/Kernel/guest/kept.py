#!/usr/bin/python3
"""Judges the rows of a run with a keeper, from its file and the air's log only.

kept.py BEATS.CSV AIR.LOG [gap | TIMES]

Every value must be there once and in order, from the first to the last. Times must never decrease
and must be true: the delay from the air to the row is the same for all values, whichever process
was dead meanwhile. With TIMES it is measured from the time at which the kernel received the value.
There is one connection, which ends after the last value. With `gap` values may be missing, over any
number of connections.
"""

import datetime
import json
import sys

rows = [line.split(',') for line in open(sys.argv[1]).read().splitlines()]
head, rows = rows[0], rows[1:]
if head != ['at', 'bpm']:
    sys.exit(f'the head is {head}')
may_miss = sys.argv[3:] == ['gap']


def time_of(text):
    return datetime.datetime.fromisoformat(text.replace('Z', '+00:00')).timestamp()


values = [int(row[1]) for row in rows]
times = [time_of(row[0]) for row in rows]
bad = []
wrong = [(a, b) for a, b in zip(values, values[1:]) if b != a + 1]
twice = [pair for pair in wrong if pair[1] <= pair[0]]
missing = sum(b - a - 1 for a, b in wrong if b > a)
if twice:
    bad.append(f'twice or out of order: {twice[:5]}')
if missing and not may_miss:
    bad.append(f'{missing} lost: {wrong[:5]}')
if any(b < a for a, b in zip(times, times[1:])):
    bad.append('times go back')

# On the air: handle value notifications (0x1B), with the value in byte 1 of the measurement, or
# bytes 1 and 2.
air, connects, lost = {}, 0, []
for line in open(sys.argv[2]):
    entry = json.loads(line)
    if entry['kind'] == 'connect_ind' or entry['kind'] == 'connect':
        connects += 1
    if entry['kind'] in ('disconnect', 'supervision_timeout', 'link_ended'):
        lost.append((entry['t'], line.strip()))
    if entry['kind'] == 'acl' and entry.get('cid') == 4:
        octets = bytes.fromhex(entry['bytes'])
        # opcode, handle, flags, value
        if octets[:1] == b'\x1b' and len(octets) > 4:
            air[octets[4] if octets[3] & 1 == 0 else octets[4] | octets[5] << 8] = entry['t']
last = max((air[value] for value in values if value in air), default=0)
if len(sys.argv) > 3 and not may_miss:
    # A slow machine passes values from the air to the kernel late.
    air = {int(value): float(moment) for moment, value in (line.split() for line in open(sys.argv[3]))}
offsets = sorted((came - air[value], value) for value, came in zip(values, times) if value in air)
if len(offsets) < len(values):
    bad.append(f'{len(values) - len(offsets)} values were never on the air')
if offsets:
    middle = offsets[len(offsets) // 2][0]
    spread = (offsets[0][0] - middle, offsets[-1][0] - middle)
    print(f'{len(values)} values from {values[0]} to {values[-1]}, {missing} missing, {len(twice)} twice; '
          f'times true within {spread[0]:.3f} and {spread[1]:.3f} s')
    if not may_miss and max(-spread[0], spread[1]) > 0.5:
        bad.append(f'times are not true: {offsets[0]}, {offsets[-1]}')
lost = [text for moment, text in lost if moment < last]
print(f'{connects} connections, {len(lost)} lost before the last value')
if not may_miss and (connects != 1 or lost):
    bad.append(f'{connects} connections; {lost[:3]}')
for text in bad:
    print('BAD:', text)
sys.exit(bool(bad))
