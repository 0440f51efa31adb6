#!/usr/bin/env python3
"""Compares ten operations of the language with CPython, in one run on one machine.

beside_cpython.py [TOOTH]: for each, the CPU time of one more operation, with few and with many, in
`tooth run` and in CPython at module level. Fails if one costs more than twice as much as in
CPython, or if its cost grows with their number. The last line is the greatest ratio."""
import os, subprocess, sys, tempfile

# name, count, and the recipe and program before the loop and in it; {n} is the count
OPERATIONS = [
    ('addition', 300000, 'let s = 0', 'set s to s + 7', 's = 0', 's = s + 7'),
    ('string building', 300000, 'let t = ""', 'set t to t + "xy"', 't = ""', 't = t + "xy"'),
    ('list append', 300000, 'let l = []', 'set l to l + [7]', 'l = []', 'l.append(7)'),
    ('record field', 300000, 'let r = {a: 1, n: 0}', 'set r.n to r.n + 1', 'r = {"a": 1, "n": 0}', 'r["n"] = r["n"] + 1'),
    ('call', 300000, 'procedure f(a)\n  return a + 1\nend\nlet s = 0', 'set s to f(s)', 'def f(a):\n    return a + 1\ns = 0', 's = f(s)'),
    ('bytes decode', 300000, 'let d = hex "06 48 00 05 00"\nlet s = 0', 'set s to d.u8(0) + d.u16(1)',
     'import struct\nd = bytes.fromhex("0648000500")\ns = 0', 'a, b = struct.unpack_from("<BH", d, 0); s = a + b'),
    ('JSON line', 60000, 'let r = {time: 1.5, bpm: 72, name: "Strap 7"}\nlet t = ""', 'set t to json(r)',
     'import json\nr = {"time": 1.5, "bpm": 72, "name": "Strap 7"}\nt = ""', 't = json.dumps(r)'),
    ('text index', 300000, 'let t = "0123456789"\nset t to t + t + t + t + t\nset t to t + t\nlet c = ""', 'set c to t[57]',
     't = "0123456789" * 10\nc = ""', 'c = t[57]'),
    ('count', 300000, 'let t = "0123456789"\nset t to t + t + t + t + t\nset t to t + t\nlet n = 0', 'set n to count(t)',
     't = "0123456789" * 10\nn = 0', 'n = len(t)'),
    ('sort', 4000, 'let l = []\nlet i = 0\nrepeat 100 times\n  set l to l + [i * 7919 mod 1009]\n  set i to i + 1\nend\nlet s = []',
     'set s to l.sort()', 'l = [i * 7919 % 1009 for i in range(100)]\ns = []', 's = sorted(l)'),
]
PASSES = 5


def cpu(command, folder):
    """The best of several passes, in seconds."""
    best = None
    for _ in range(PASSES):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit('%s failed: %s' % (command, said.decode()))
        spent = usage.ru_utime + usage.ru_stime
        best = spent if best is None else min(best, spent)
    return best


def main():
    tooth = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else '.build/release/tooth')
    failed, dearest = False, 0
    print('%-16s %10s %10s %7s %7s' % ('', 'tooth ns', 'CPython ns', 'times', 'growth'))
    with tempfile.TemporaryDirectory() as folder:
        for name, most, before, inside, python_before, python_inside in OPERATIONS:
            costs = {}
            for count in (most // 8, most // 2, most):
                open(os.path.join(folder, 'r.ble'), 'w').write('%s\nrepeat %d times\n  %s\nend\n' % (before, count, inside))
                open(os.path.join(folder, 'p.py'), 'w').write(
                    '%s\nfor _ in range(%d):\n    %s\n' % (python_before, count, python_inside))
                costs[count] = (
                    cpu([tooth, 'run', 'r.ble', '--fresh', '--state', 'state', '-q'], folder),
                    cpu([sys.executable, '-S', '-E', 'p.py'], folder))
            few, half, many = sorted(costs)
            own, other = [(costs[many][side] - costs[few][side]) / (many - few) * 1e9 for side in (0, 1)]
            # The cost of one more in the second half, divided by that in the first: two if it is
            # quadratic.
            growth = ((costs[many][0] - costs[half][0]) / (many - half)) / max((costs[half][0] - costs[few][0]) / (half - few), 1e-12)
            bad = own > 2 * other or growth > 1.6
            failed, dearest = failed or bad, max(dearest, own / other)
            print('%-16s %10.0f %10.0f %7.2f %7.2f%s' % (name, own, other, own / other, growth, '  TOO MUCH' if bad else ''))
    print('dearest %.2f' % dearest)
    return 1 if failed else 0


sys.exit(main())
