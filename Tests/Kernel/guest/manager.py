#!/usr/bin/python3
"""A service manager for one service: manager.py FOLDER COMMAND …

It keeps the descriptors that the service stores (sd_notify(3)), restarts it when it is killed, and
passes them to the next process. In FOLDER it writes `service` (the process), `ready` (a line each
time it was ready), `stored` (the names of the descriptors). `FOLDER/pause` is the number of seconds
before a restart.
  SIGHUP    kills the service           SIGUSR1   kills it, closes all descriptors, and exits
  SIGTERM   stops it cleanly            SIGUSR2   makes the queue of every stored socket as short as
                                                  the kernel allows, until the next restart
"""

import array
import fcntl
import os
import select
import signal
import socket
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]
notify = folder + '/notify'
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(notify)
listener.setblocking(False)
stored = []  # (name, descriptor, whether its end matters)
wanted = {'kill': False, 'end': False, 'leave': False}
signal.signal(signal.SIGHUP, lambda *_: wanted.update(kill=True))
signal.signal(signal.SIGTERM, lambda *_: wanted.update(end=True))
signal.signal(signal.SIGUSR1, lambda *_: wanted.update(leave=True))


isShort = False


def shorten(*_):
    global isShort
    isShort = True
    for _, descriptor, _ in stored:
        try:
            with socket.socket(fileno=os.dup(descriptor)) as kept:
                kept.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        except OSError:
            pass


signal.signal(signal.SIGUSR2, shorten)


def write(name, text, mode='w'):
    with open(f'{folder}/{name}.new' if mode == 'w' else f'{folder}/{name}', mode) as file:
        file.write(text)
    if mode == 'w':
        os.rename(f'{folder}/{name}.new', f'{folder}/{name}')


def restore():
    global isShort
    isShort = False
    for _, descriptor, _ in stored:
        try:
            with socket.socket(fileno=os.dup(descriptor)) as kept:
                # SO_RCVBUFFORCE
                kept.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)
        except OSError:
            pass


def start():
    if isShort:
        restore()
    process = os.fork()
    if process == 0:
        environment = dict(os.environ, NOTIFY_SOCKET=notify)
        high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, 100) for _, descriptor, _ in stored]
        for place, descriptor in enumerate(high):
            os.dup2(descriptor, 3 + place)
        os.closerange(3 + len(high), 256)
        if high:
            environment.update(
                LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(high)), LISTEN_FDNAMES=':'.join(name for name, _, _ in stored))
        os.execve(command[0], command, environment)
    write('service', f'{process}\n')
    return process


def tell():
    write('stored', ''.join(f'{name}\n' for name in sorted(name for name, _, _ in stored)))


def let_go(condition):
    for entry in [entry for entry in stored if condition(entry)]:
        stored.remove(entry)
        os.close(entry[1])
    tell()


def hear():
    while True:
        try:
            data, control, _, _ = listener.recvmsg(4096, 1024)
        except BlockingIOError:
            return
        passed = array.array('i')
        for level, kind, octets in control:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                passed.frombytes(octets[:len(octets) - len(octets) % passed.itemsize])
        words = dict(line.split('=', 1) for line in data.decode().splitlines() if '=' in line)
        if words.get('FDSTORE') == '1':
            for descriptor in passed:
                stored.append((words.get('FDNAME', 'stored'), descriptor, words.get('FDPOLL') != '0'))
            tell()
            continue
        for descriptor in passed:
            os.close(descriptor)
        if words.get('FDSTOREREMOVE') == '1':
            let_go(lambda entry: entry[0] == words.get('FDNAME'))
        if words.get('READY') == '1':
            write('ready', f'{time.time():.3f}\n', 'a')


def look():
    """Waits briefly, and drops descriptors whose other end has closed."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    for _, descriptor, matters in stored:
        if matters:
            poll.register(descriptor, 0)
    ended = [descriptor for descriptor, events in poll.poll(20) if descriptor != listener.fileno() and events]
    hear()
    if ended:
        let_go(lambda entry: entry[1] in ended)


tell()
service = start()
while True:
    look()
    if wanted['kill'] or wanted['leave']:
        wanted['kill'] = False
        os.kill(service, signal.SIGKILL)
    if wanted['end']:
        os.kill(service, signal.SIGTERM)
        wanted['end'] = False
    ended, status = os.waitpid(service, os.WNOHANG)
    if not ended:
        continue
    hear()
    write('ended', f'{status}\n', 'a')
    if wanted['leave'] or not os.WIFSIGNALED(status):
        let_go(lambda entry: True)
        sys.exit(0 if wanted['leave'] else os.waitstatus_to_exitcode(status))
    try:
        pause = float(open(folder + '/pause').read())
    except (OSError, ValueError):
        pause = 0.1
    until = time.monotonic() + pause
    while time.monotonic() < until and not wanted['leave'] and not wanted['end']:
        look()
    if wanted['leave'] or wanted['end']:
        let_go(lambda entry: True)
        sys.exit(0)
    service = start()
