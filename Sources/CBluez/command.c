#define _GNU_SOURCE
#include "cbluez.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Ends the process group whose number comes first through descriptor 3 when every other end of
// that pipe is closed. An octet after it calls the guard off.
static void guard_group(void) {
  pid_t group = 0;
  ssize_t count;
  while ((count = read(3, &group, sizeof group)) < 0 && errno == EINTR) {
  }
  if (count != sizeof group || group <= 1) _exit(0);
  char octet;
  while ((count = read(3, &octet, 1)) < 0 && errno == EINTR) {
  }
  if (count == 0) {
    kill(-group, SIGTERM);
    int left = 40;
    while (left > 0 && kill(-group, 0) == 0) {
      usleep(50000);
      left--;
    }
    if (left == 0) kill(-group, SIGKILL);
  }
  _exit(0);
}

// Returns the descriptor of a new guard, or -1.
static int start_guard(void) {
  int life[2];
  if (pipe2(life, O_CLOEXEC)) return -1;
  int which = cbluez_fork_helper(life[0], "tooth-run");
  if (which == 0) guard_group();
  close(life[0]);
  if (which > 0) return life[1];
  close(life[1]);
  return -1;
}

static void dismiss(int guard) {
  if (guard < 0) return;
  ssize_t count = write(guard, "", 1);
  (void)count;
  close(guard);
}

int cbluez_command(
    const char *directory, char *const arguments[], char *const variables[], int output, int errors, int *process, int *guard) {
  int told[2];
  *guard = -1;
  if (pipe2(told, O_CLOEXEC)) return errno;
  // The guard comes first: there is no moment at which this process can die and leave the program.
  int watcher = start_guard();
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    int failure = errno;
    close(told[0]);
    close(told[1]);
    if (watcher >= 0) close(watcher);
    return failure;
  }
  if (child == 0) {
    // A group of its own: its children receive its signals, and keys of the terminal do not reach
    // it.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    pid_t self = getpid();
    int is_guarded = watcher < 0 || write(watcher, &self, sizeof self) == sizeof self;
    if (is_guarded && getppid() == parent) {
      cbluez_unblock_signals();
      signal(SIGPIPE, SIG_DFL);
      signal(SIGXFSZ, SIG_DFL);
      int nothing = open("/dev/null", O_RDONLY);
      if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(output, 1) == 1 && dup2(errors, 2) == 2 && chdir(directory) == 0) {
        execvpe(arguments[0], arguments, variables);
      }
    }
    int failure = errno;
    if (write(told[1], &failure, sizeof failure) < 0) _exit(127);
    _exit(127);
  }
  setpgid(child, child);
  close(told[1]);
  int failure = 0;
  ssize_t count;
  while ((count = read(told[0], &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  close(told[0]);
  if (count > 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    dismiss(watcher);
    return failure;
  }
  *process = child;
  *guard = watcher;
  return 0;
}

int cbluez_watch_process(int process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}
