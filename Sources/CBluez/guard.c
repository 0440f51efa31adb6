#define _GNU_SOURCE
#include "cbluez.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

// A run survives its death at any moment, so a handler may end a process that is stuck. A process
// that reads its signals in time is never ended this way.

// Seconds from a signal or the time limit until a process that has not read it is ended.
enum { UNSEEN = 4, TIMED_OUT = 8 };
// A call may start to wait between the handler and the check for the signal. Until the process
// reads the signal, calls are interrupted this often per second.
enum { TICKS = 10 };

static volatile sig_atomic_t interrupted;
// The signal that ends the process; SIGALRM for the time limit.
static volatile sig_atomic_t cause;
static volatile sig_atomic_t looks;
static volatile sig_atomic_t writer = -1;
static volatile sig_atomic_t ticks;
static volatile sig_atomic_t continued;
// Whether every SIGINT gets as much time as the first one.
static volatile sig_atomic_t outlasts;
// Seconds that a process may take to end after it has read the signal.
static int patience;
static volatile pid_t owner;

static void arm(int64_t microseconds) {
  struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void tick(void) { arm(INT64_C(1000000) / TICKS); }

static void over(void) {
  if (cause == SIGALRM) _exit(TIMED_OUT);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, cause);
  signal(cause, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  kill(getpid(), cause);
  _exit(128 + cause);
}

static void note(int number) {
  int kept = errno;
  // A forked child that has not called exec yet.
  if (getpid() != owner) _exit(128 + number);
  if (number == SIGALRM) {
    if (cause && ticks > 0) {
      ticks--;
      tick();
      errno = kept;
      return;
    }
    if (cause) over();
    cause = SIGALRM;
    if (writer < 0) {
      static const char text[] = "error: the time limit was over before the work began\n  = fix: allow more time with --time-limit\n";
      if (write(2, text, sizeof text - 1) < 0) _exit(TIMED_OUT);
      over();
    }
    ticks = UNSEEN * TICKS - 1;
    tick();
  } else if (number == SIGWINCH || number == SIGTSTP) {
    // These do not end the process.
  } else if (!cause || cause == SIGALRM) {
    cause = number;
    ticks = UNSEEN * TICKS - 1;
    tick();
  } else if (number == SIGINT && !outlasts) {
    // A second SIGINT ends the process at once.
    ticks = 0;
    arm(250000);
  }
  interrupted = 1;
  unsigned char octet = (unsigned char)number;
  ssize_t count = write(writer, &octet, 1);
  (void)count;
  errno = kept;
}

static int watch(const int *numbers, int count) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  // Without SA_RESTART, so that waiting calls return.
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGHUP);
  sigaddset(&action.sa_mask, SIGALRM);
  owner = getpid();
  // The parent may have blocked these signals; a handler would then never run.
  sigset_t set;
  sigemptyset(&set);
  for (int index = 0; index < count; index++) {
    if (sigaction(numbers[index], &action, NULL)) return -1;
    sigaddset(&set, numbers[index]);
  }
  return sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void go_on(int number) {
  (void)number;
  continued = 1;
}

int cbluez_was_continued(void) {
  int told = continued;
  continued = 0;
  return told;
}

int cbluez_signals(int seconds) {
  static const int ends_of_a_process[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return -1;
  writer = ends[1];
  patience = seconds;
  if (watch(ends_of_a_process, 4)) return -1;
  struct sigaction action = {.sa_handler = go_on, .sa_flags = SA_RESTART};
  if (sigaction(SIGCONT, &action, NULL)) return -1;
  return ends[0];
}

int cbluez_terminal_signals(void) {
  static const int of_a_terminal[] = {SIGWINCH, SIGTSTP};
  return watch(of_a_terminal, 2);
}

void cbluez_stop_process(void) {
  struct sigaction action = {.sa_handler = SIG_DFL}, kept;
  if (sigaction(SIGTSTP, &action, &kept)) return;
  // Not SIGSTOP: the kernel discards this one if no shell could continue the process.
  raise(SIGTSTP);
  sigaction(SIGTSTP, &kept, NULL);
}

void cbluez_outlast_interrupts(void) { outlasts = 1; }

int cbluez_next_signal(int descriptor) {
  interrupted = 0;
  unsigned char octet;
  if (read(descriptor, &octet, 1) != 1) return 0;
  // Another signal may follow it.
  interrupted = 1;
  if (octet == SIGWINCH || octet == SIGTSTP) return octet;
  // An earlier signal was pardoned.
  if (!cause) cause = octet;
  // The process has read the signal: it gets more time, but not without limit.
  if (looks++ == 0) {
    ticks = 0;
    arm(patience * INT64_C(1000000));
  }
  return octet;
}

void cbluez_dismiss_interrupt(void) {
  if (cause != SIGINT) return;
  cause = 0;
  looks = 0;
  ticks = 0;
  arm(0);
}

int cbluez_is_interrupted(void) { return interrupted; }
int cbluez_is_over(void) { return cause != 0; }

void cbluez_limit(int64_t microseconds) {
  static const int alarm_alone[] = {SIGALRM};
  if (watch(alarm_alone, 1)) return;
  arm(microseconds > 0 ? microseconds : 1);
}
