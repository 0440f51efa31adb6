#!/usr/bin/python3
"""Compares the gaps in a counter of 100 values a second with the pauses reported to the run.

gaps.py BEATS.CSV RESTORED: a reported pause lasts from the last commit to the next start. Values
are missing until the link is there again, so a gap is longer than its pause, never shorter.
"""

import re
import sys

numbers = [int(line.split(',')[1]) for line in open(sys.argv[1]).read().split('\n')[1:-1]]
gaps = [(b - a - 1) / 100 for a, b in zip(numbers, numbers[1:]) if b > a + 1]
units = {'ms': 0.001, 's': 1, 'min': 60, 'h': 3600}
told = []
for line in open(sys.argv[2]):
    told.append(sum(float(n) * units[u] for n, u in re.findall(r'([0-9.]+)(ms|s|min|h)', line.split(' ')[-1])))
# those of the kills are the last ones
gaps = gaps[-len(told):]
print(f'    gaps {[round(g, 2) for g in gaps]} s, told {told} s')
bad = len(gaps) != len(told) or any(not 0.05 < t <= g + 0.15 for g, t in zip(gaps, told))
sys.exit(1 if bad or not told else 0)
