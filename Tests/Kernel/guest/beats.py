#!/usr/bin/python3
"""Judges the rows that a recipe wrote for a counter by the air's log.

beats.py AIR-LOG BEATS.CSV [option …]

  links=N     exactly this many links were made
  gaps=N      at most this many gaps (default 0) with missing values between two rows
  late=MS     values are at most this late (default 150; 0 skips the check)
"""

import datetime
import json
import sys

options = dict(word.split('=') for word in sys.argv[3:])
sent, links = {}, 0
for line in open(sys.argv[1]):
    try:
        entry = json.loads(line)
    except ValueError:
        continue
    links += entry['kind'] == 'connect_ind'
    value = bytes.fromhex(entry.get('bytes') or '')
    # a notification: opcode, handle, flags, one byte or two
    if entry['kind'] == 'acl' and len(value) > 4 and value[0] == 0x1B:
        sent[int.from_bytes(value[4:6] if value[3] & 1 else value[4:5], 'little')] = entry['t']
rows = []
for line in open(sys.argv[2]).read().split('\n')[1:-1]:
    time, bpm = line.split(',')
    rows.append((datetime.datetime.fromisoformat(time.replace('Z', '+00:00')).timestamp(), int(bpm)))
problems = []
numbers = [bpm for _, bpm in rows]
if len(numbers) < 100:
    problems.append(f'only {len(numbers)} values')
if len(set(numbers)) != len(numbers):
    problems.append(f'twice: {sorted({n for n in numbers if numbers.count(n) > 1})[:20]}')
if numbers != sorted(numbers):
    problems.append(f'out of order: {[(a, b) for a, b in zip(numbers, numbers[1:]) if b < a][:20]}')
gaps = [(a, b) for a, b in zip(numbers, numbers[1:]) if b > a + 1]
if len(gaps) > int(options.get('gaps', 0)):
    problems.append(f'{len(gaps)} gaps, {sum(b - a - 1 for a, b in gaps)} values lost: {gaps[:20]}')
unsent = [n for n in numbers if n not in sent]
if unsent:
    problems.append(f'never sent: {unsent[:20]}')
else:
    # The air's clock starts at zero: the earliest value counts as being on time.
    late = [time - sent[n] for time, n in rows]
    most = (max(late) - min(late)) * 1000 if late else 0
    if most > int(options.get('late', 150)) > 0:
        worst = [n for n, l in zip(numbers, late) if (l - min(late)) * 1000 > int(options.get('late', 150))]
        problems.append(f'times are wrong by up to {most:.0f} ms: {worst[:20]}')
if 'links' in options and links != int(options['links']):
    problems.append(f'{links} links were made, not {options["links"]}')
print(f'    {len(numbers)} values {numbers[:1]} to {numbers[-1:]}, {len(gaps)} gaps, {links} links, late by at most {most if not unsent else -1:.0f} ms')
for problem in problems:
    print(f'    {problem}')
sys.exit(1 if problems else 0)
