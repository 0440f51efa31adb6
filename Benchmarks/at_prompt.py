#!/usr/bin/env python3
"""at_prompt.py COMMAND…: runs the command at a terminal, types Ctrl-D at its prompt, and prints the
milliseconds from its start to its end.
"""
import os, pty, select, sys, time

PROMPT = b' > '
DEADLINE = 60

began = time.monotonic()
process, terminal = pty.fork()
if process == 0:
    os.environ['TERM'] = 'xterm'
    os.execvp(sys.argv[1], sys.argv[1:])
said, took = b'', None
while True:
    ready, _, _ = select.select([terminal], [], [], DEADLINE)
    try:
        part = os.read(terminal, 4096) if ready else b''
    except OSError:
        # Linux reports this when no process has the other end open any more.
        break
    if not part:
        break
    said += part
    if took is None and PROMPT in said:
        took = (time.monotonic() - began) * 1000
        os.write(terminal, b'\x04')
_, status = os.waitpid(process, 0)
if took is None or status != 0:
    sys.exit('at_prompt: %r ended with %d' % (said[-500:], status))
print('%.1f' % took)
