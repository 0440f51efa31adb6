// A kernel adapter whose controller is an H4 stream: vhci SOCKET. Prints its name (hci0) once the
// kernel has it. The adapter is plugged in while this runs.
//   vhci -     a controller that never answers
//   VHCI_TIMES a file that gets a line for each heart rate notification to the kernel: seconds
//              since 1970, the number
//   VHCI_LOG   a file that gets a line for each HCI command of the host: seconds since 1970, opcode
//   SIGHUP     unplugs it, and the next time plugs the same controller in, perhaps with another
//              number
//   SIGUSR1    silences the controller from then on
//   SIGUSR2    the controller reports a hardware error (0x42)
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint8_t held[65536 + 8];
static size_t count;

// The length of the packet at the beginning, or 0 while it is unknown.
static size_t whole(void) {
  switch (count ? held[0] : 0) {
  case 1:
  case 3: return count < 4 ? 0 : 4 + held[3];
  case 2: return count < 5 ? 0 : 5u + held[3] + 256u * held[4];
  case 4: return count < 3 ? 0 : 3 + held[2];
  case 5: return count < 5 ? 0 : 5u + held[3] + 256u * (held[4] & 0x3f);
  }
  return 0;
}

static volatile sig_atomic_t silent, broken, moved;
static void move(int number) { moved = number; }
static void be_silent(int number) { silent = number; }
static void break_down(int number) { broken = number; }

static int all(int descriptor, const uint8_t *bytes, size_t length) {
  while (length) {
    ssize_t sent = write(descriptor, bytes, length);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    bytes += sent;
    length -= (size_t)sent;
  }
  return 0;
}

static int plug(void) {
  int adapter = open("/dev/vhci", O_RDWR);
  uint8_t wish[2] = {0xff, 0};
  if (adapter < 0 || write(adapter, wish, sizeof wish) != sizeof wish) perror("/dev/vhci"), exit(1);
  return adapter;
}

int main(int argc, char **argv) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 2;
  strcpy(address.sun_path, argv[1]);
  struct sigaction action = {.sa_handler = be_silent};
  sigaction(SIGUSR1, &action, NULL);
  action.sa_handler = break_down;
  sigaction(SIGUSR2, &action, NULL);
  action.sa_handler = move;
  sigaction(SIGHUP, &action, NULL);
  FILE *log = getenv("VHCI_LOG") ? fopen(getenv("VHCI_LOG"), "a") : NULL;
  FILE *times = getenv("VHCI_TIMES") ? fopen(getenv("VHCI_TIMES"), "a") : NULL;
  int isMute = !strcmp(argv[1], "-"), stream = isMute ? -1 : socket(AF_UNIX, SOCK_STREAM, 0);
  if (!isMute && connect(stream, (struct sockaddr *)&address, sizeof address)) return perror("connect"), 1;
  int adapter = plug();
  struct pollfd both[2] = {{.fd = adapter, .events = POLLIN}, {.fd = stream, .events = POLLIN}};
  static uint8_t packet[65536];
  for (;;) {
    both[0].revents = both[1].revents = 0;
    if (poll(both, 2, -1) < 0 && errno != EINTR) return perror("poll"), 1;
    if (moved) {
      moved = 0;
      if (adapter < 0) {
        adapter = plug();
      } else {
        close(adapter);
        adapter = -1;
      }
      both[0].fd = adapter;
      continue;
    }
    if (broken) {
      static const uint8_t error[] = {4, 0x10, 1, 0x42};
      broken = 0;
      if (write(adapter, error, sizeof error) < 0) return perror("writing to the kernel"), 1;
    }
    if (both[0].revents) {
      ssize_t got = read(adapter, packet, sizeof packet);
      if (got <= 0) return perror("reading from the kernel"), 1;
      if (packet[0] == 0xff) {
        printf("hci%u\n", packet[2] + 256u * packet[3]);
        fflush(stdout);
        continue;
      }
      if (log && packet[0] == 1 && got > 2) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        fprintf(log, "%lld.%03ld 0x%04x\n", (long long)now.tv_sec, now.tv_nsec / 1000000, packet[1] + 256u * packet[2]);
        fflush(log);
      }
      if (!isMute && all(stream, packet, (size_t)got)) {
        return 0;
      }
    }
    if (both[1].revents) {
      ssize_t got = read(stream, held + count, sizeof held - count);
      if (got <= 0) return 0;
      if (silent || adapter < 0) {
        count = 0;
        continue;
      }
      count += (size_t)got;
      size_t length;
      while ((length = whole()) && length <= count) {
        // ACL with an ATT notification (0x1b): its handle, flags, and the number in one byte or
        // two.
        if (times && held[0] == 2 && length > 13 && held[7] == 4 && held[9] == 0x1b) {
          struct timespec now;
          clock_gettime(CLOCK_REALTIME, &now);
          fprintf(times, "%lld.%03ld %u\n", (long long)now.tv_sec, now.tv_nsec / 1000000, held[13] + (held[12] & 1 ? 256u * held[14] : 0));
          fflush(times);
        }
        // One packet per write. An adapter that is off accepts none.
        if (write(adapter, held, length) < 0 && errno != EINVAL && errno != ENXIO) return perror("writing to the kernel"), 1;
        memmove(held, held + length, count - length);
        count -= length;
      }
      if (count && !whole() && held[0] - 1u > 4) return fprintf(stderr, "no packet begins with %02x\n", held[0]), 1;
    }
  }
}
