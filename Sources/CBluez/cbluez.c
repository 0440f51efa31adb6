#define _GNU_SOURCE
#include "cbluez.h"
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <termios.h>
#include <sys/wait.h>
#include <unistd.h>

// Checks the definitions of the kernel's HCI socket.
_Static_assert(sizeof(struct sockaddr_hci) == 6, "sockaddr_hci");
_Static_assert(HCI_CHANNEL_USER == 1, "user channel");

static void ours(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

void cbluez_unblock_signals(void) {
  sigset_t set;
  ours(&set);
  sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int cbluez_hold_standard(void) {
  struct pollfd entries[3] = {{.fd = 0}, {.fd = 1}, {.fd = 2}};
  if (poll(entries, 3, 0) <= 0) return 0;
  for (int descriptor = 0; descriptor < 3; descriptor++) {
    if (!(entries[descriptor].revents & POLLNVAL)) continue;
    int opened = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
    // Without /dev/null, opens something that can be neither read nor written.
    if (opened < 0) opened = open("/", O_PATH);
    if (opened != descriptor) return -1;
  }
  return 0;
}

static void cut_off(int number) {
  (void)number;
  static const char text[] = "error: a file of the checkpoint was cut off while the run was going on\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(11);
  _exit(11);
}

void cbluez_explain_cut_files(void) {
  struct sigaction action = {.sa_handler = cut_off};
  sigaction(SIGBUS, &action, NULL);
}

int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds) {
  struct timespec limit = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  return ppoll(entries, count, nanoseconds < 0 ? NULL : &limit, NULL);
}

int cbluez_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int cbluez_random(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }

// Every speed that termios has a name for.
static const struct {
  uint32_t baud;
  speed_t name;
} speeds[] = {
    {9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},     {115200, B115200},
    {230400, B230400},   {460800, B460800},   {500000, B500000},   {576000, B576000},   {921600, B921600},
    {1000000, B1000000}, {1152000, B1152000}, {1500000, B1500000}, {2000000, B2000000}, {2500000, B2500000},
    {3000000, B3000000}, {3500000, B3500000}, {4000000, B4000000},
};

uint32_t cbluez_speed(size_t index) { return index < sizeof speeds / sizeof *speeds ? speeds[index].baud : 0; }

int cbluez_serial(int descriptor, uint32_t baud) {
  speed_t wanted = B0;
  for (size_t index = 0; index < sizeof speeds / sizeof *speeds; index++)
    if (speeds[index].baud == baud) wanted = speeds[index].name;
  struct termios mode;
  if (tcgetattr(descriptor, &mode)) return -1;
  if (wanted == B0) {
    errno = EINVAL;
    return -1;
  }
  cfmakeraw(&mode);
  mode.c_cflag &= ~(CSTOPB | HUPCL);
  mode.c_cflag |= CLOCAL | CREAD | CRTSCTS;
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  if (cfsetispeed(&mode, wanted) || cfsetospeed(&mode, wanted)) return -1;
  if (tcsetattr(descriptor, TCSANOW, &mode)) return -1;
  // It succeeds if any of the changes was possible.
  struct termios made;
  if (tcgetattr(descriptor, &made)) return -1;
  if (cfgetospeed(&made) != wanted) {
    errno = EINVAL;
    return -1;
  }
  return tcflush(descriptor, TCIOFLUSH);
}

int cbluez_exclusive(int descriptor) {
  // The terminal's own lock does not exclude root.
  if (ioctl(descriptor, TIOCEXCL)) return -1;
  return flock(descriptor, LOCK_EX | LOCK_NB);
}

void cbluez_serial_drop(int descriptor) {
  tcflush(descriptor, TCIOFLUSH);
  ioctl(descriptor, TIOCNXCL);
}

int cbluez_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return -1;
  *process = credentials.pid;
  *user = credentials.uid;
  *group = credentials.gid;
  return 0;
}

int cbluez_detach(const char *program, char *const arguments[], int errors) {
  int told[2];
  if (pipe2(told, O_CLOEXEC)) return errno;
  pid_t child = fork();
  if (child < 0) {
    int failure = errno;
    close(told[0]);
    close(told[1]);
    return failure;
  }
  if (child == 0) {
    // Twice, so that init inherits it and it cannot acquire a terminal.
    if (setsid() < 0 || fork() != 0) _exit(0);
    cbluez_unblock_signals();
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    // Variables of the service manager are only for the service itself.
    const char *own[] = {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"};
    for (size_t index = 0; index < sizeof own / sizeof *own; index++) unsetenv(own[index]);
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(nothing, 1) == 1 && dup2(errors < 0 ? nothing : errors, 2) == 2) {
      if (chdir("/") == 0) execv(program, arguments);
    }
    int failure = errno;
    if (write(told[1], &failure, sizeof failure) < 0) _exit(127);
    _exit(127);
  }
  close(told[1]);
  int failure = 0;
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
  }
  // Exits silently if the program was started.
  if (read(told[0], &failure, sizeof failure) != (ssize_t)sizeof failure) failure = 0;
  close(told[0]);
  return failure;
}

pid_t cbluez_fork(void) { return fork(); }
