#define _GNU_SOURCE
#include "cbluez.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int cbluez_command(const char *directory, char *const arguments[], char *const variables[], int output, int errors, int *process) {
  int told[2];
  if (pipe2(told, O_CLOEXEC)) return errno;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    int failure = errno;
    close(told[0]);
    close(told[1]);
    return failure;
  }
  if (child == 0) {
    // A group of its own, so that its children are ended with it and the terminal's keys do not
    // reach it.
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent) {
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
    return failure;
  }
  *process = child;
  return 0;
}

int cbluez_guard_group(int group) {
  int life[2];
  if (pipe2(life, O_CLOEXEC)) return -1;
  int which = cbluez_fork_helper(life[0], "tooth-run");
  if (which == 0) {
    // Its descriptor 3 is the end of the pipe; a byte means that there is nothing to do.
    char octet;
    ssize_t count;
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
  close(life[0]);
  if (which > 0) return life[1];
  close(life[1]);
  return -1;
}

int cbluez_watch_process(int process) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, process, 0);
#else
  errno = ENOSYS;
  return -1;
#endif
}
