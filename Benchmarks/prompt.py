"""Types at a prompt in a pseudo terminal and prints the costs, one name and number per line.

    python3 Benchmarks/prompt.py TOOTH AIR

CPU time is that of the program alone, in nanoseconds, from the scheduler. strace counts system
calls, if it is installed: the cost of N keys is that of 2 N keys less that of N.
"""
import fcntl, os, pty, select, shutil, signal, struct, subprocess, sys, tempfile, termios, time

TOOTH, AIR = sys.argv[1:3]
PROMPT = b"> "


class Typed:
    """A prompt in a pseudo terminal of its own."""

    def __init__(self, *before, arguments=()):
        self.folder = tempfile.mkdtemp(prefix="tooth-bench-")
        self.seen = b""
        begin = time.monotonic()
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="xterm", LANG="C.UTF-8", HOME=self.folder, INPUTRC="/dev/null")
            words = [*before, TOOTH, "repl", "--adapter", AIR, "--state", self.folder + "/state", *arguments]
            os.execvp(words[0], words)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.wait(lambda: PROMPT in self.seen)
        self.ready = time.monotonic() - begin

    def wait(self, holds, limit=60):
        end = time.monotonic() + limit
        while not holds():
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                sys.exit(f"bench: the prompt did not answer; it said {self.seen[-500:]!r}")
            try:
                self.seen += os.read(self.terminal, 65536)
            except OSError:
                return

    def key(self, octets):
        """Waits for some echo of each key before the next one."""
        before = len(self.seen)
        os.write(self.terminal, octets)
        self.wait(lambda: len(self.seen) > before)

    def line(self, octets, wanted=PROMPT):
        before = len(self.seen)
        os.write(self.terminal, octets)
        self.wait(lambda: wanted in self.seen[before:].split(b"\n", 1)[-1] and self.seen.endswith(wanted))

    def cpu(self):
        """CPU time so far, in µs."""
        with open(f"/proc/{self.pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1000

    def quit(self):
        os.write(self.terminal, b"\x15quit\n")
        self.wait(lambda: False)
        _, status = os.waitpid(self.pid, 0)
        if status:
            sys.exit(f"bench: the prompt ended with {status}: {self.seen[-500:]!r}")
        shutil.rmtree(self.folder)


def keys(session, count):
    for place in range(count):
        session.key(b"a" if place % 2 == 0 else b"\x7f")


def completions(session, count):
    for _ in range(count):
        session.key(b"disc")
        session.wait(lambda: session.seen.endswith(b"disc"))
        session.key(b"\t")
        session.key(b"\x15")


def beginnings(session, count):
    """The same without Tab."""
    for _ in range(count):
        session.key(b"disc")
        session.wait(lambda: session.seen.endswith(b"disc"))
        session.key(b"\x15")


def cancels(session, count):
    """From cancelling a waiting entry to the next prompt."""
    for _ in range(count):
        before = len(session.seen)
        session.key(b"wait 1h\n")
        # From then on Ctrl-C cancels the entry instead of the line.
        session.wait(lambda: b"\n" in session.seen[before:])
        session.line(b"\x03")


def system_calls(work, count):
    with tempfile.NamedTemporaryFile() as file:
        session = Typed("strace", "-f", "-qq", "-o", file.name)
        work(session, count)
        session.quit()
        return sum(b"(" in line for line in file)


def each(work, count):
    return max(0, (system_calls(work, 2 * count) - system_calls(work, count)) / count)


def printed():
    """The cost of a key and the number of redraws, with 1,000 lines a second above the input."""
    session = Typed()
    session.key(b"every 1ms: print \"some line of a log, as long as such lines are\"\n")
    session.wait(lambda: session.seen.count(b"some line") > 100)
    shown, before, begin = session.seen.count(PROMPT), session.seen.count(b"some line"), time.monotonic()
    session.wait(lambda: time.monotonic() - begin >= 3)
    drawn = (session.seen.count(PROMPT) - shown) / (time.monotonic() - begin)
    lines = (session.seen.count(b"some line") - before) / (time.monotonic() - begin)
    os.kill(session.pid, signal.SIGKILL)
    os.waitpid(session.pid, 0)
    shutil.rmtree(session.folder)
    return drawn, lines


starts, times = [], []
for _ in range(10):
    session = Typed()
    starts.append(session.cpu())
    keys(session, 20)
    before = session.cpu()
    keys(session, 400)
    times.append((session.cpu() - before) / 400)
    session.quit()
print(f"prompt_start_ms {min(starts) / 1000:.1f}")
print(f"prompt_key_us {min(times):.1f}")
drawn, lines = printed()
print(f"prompt_draws_a_second {drawn:.1f}")
print(f"prompt_lines_a_second {lines:.0f}")
if shutil.which("strace"):
    print(f"prompt_key_system_calls {each(keys, 50):.1f}")
    print(f"prompt_tab_system_calls {max(0, each(completions, 20) - each(beginnings, 20)):.1f}")
    print(f"prompt_cancel_system_calls {each(cancels, 10):.1f}")
