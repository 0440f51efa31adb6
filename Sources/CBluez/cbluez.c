#define _GNU_SOURCE
#include "cbluez.h"
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

// The address of the kernel's HCI socket, as tooth's own definitions have it.
_Static_assert(sizeof(struct sockaddr_hci) == 6, "sockaddr_hci");
_Static_assert(HCI_CHANNEL_USER == 1, "user channel");

static void ours(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

int cbluez_signals(void) {
  sigset_t set;
  ours(&set);
  if (sigprocmask(SIG_BLOCK, &set, NULL)) return -1;
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int cbluez_next_signal(int descriptor) {
  struct signalfd_siginfo info;
  if (read(descriptor, &info, sizeof info) != (ssize_t)sizeof info) return 0;
  return (int)info.ssi_signo;
}

void cbluez_unblock_signals(void) {
  sigset_t set;
  ours(&set);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(entries, count, nanoseconds < 0 ? NULL : &limit, NULL);
}

int cbluez_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int cbluez_random(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }
