#!/usr/bin/python3
"""Compares the gaps in a counter with the pauses reported to the run.

gaps.py AIR-LOG BEATS.CSV RESTORED: a reported pause lasts from the last commit to the next start.
Values are missing until the link is there again, so a gap is longer than its pause, never shorter.
A gap is measured by the times in the air's log: on a busy machine the counter itself is late.
"""

import json
import re
import sys

sent = {}
for line in open(sys.argv[1]):
    try:
        entry = json.loads(line)
    except ValueError:
        continue
    value = bytes.fromhex(entry.get('bytes') or '')
    # a notification: opcode, handle, flags, one byte or two
    if entry['kind'] == 'acl' and len(value) > 4 and value[0] == 0x1B:
        sent[int.from_bytes(value[4:6] if value[3] & 1 else value[4:5], 'little')] = entry['t']
numbers = [int(line.split(',')[1]) for line in open(sys.argv[2]).read().split('\n')[1:-1]]
gaps = [sent[b] - sent[a] for a, b in zip(numbers, numbers[1:]) if b > a + 1]
units = {'ms': 0.001, 's': 1, 'min': 60, 'h': 3600}
told = []
for line in open(sys.argv[3]):
    told.append(sum(float(n) * units[u] for n, u in re.findall(r'([0-9.]+)(ms|s|min|h)', line.split(' ')[-1])))
# those of the kills are the last ones
gaps = gaps[-len(told):]
print(f'    gaps {[round(g, 2) for g in gaps]} s, told {told} s')
bad = len(gaps) != len(told) or any(not 0.05 < t <= g + 0.3 for g, t in zip(gaps, told))
sys.exit(1 if bad or not told else 0)
