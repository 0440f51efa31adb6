#define _GNU_SOURCE
#include "cbluez.h"
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int cbluez_hci_socket(void) { return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI); }

static int bind_hci(int descriptor, uint16_t index, uint16_t channel) {
  struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = index, .hci_channel = channel};
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

int cbluez_bind_user(int descriptor, uint16_t index) { return bind_hci(descriptor, index, HCI_CHANNEL_USER); }

int cbluez_bind_control(int descriptor) { return bind_hci(descriptor, HCI_DEV_NONE, HCI_CHANNEL_CONTROL); }

int cbluez_receive_queue(int descriptor, int octets) {
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &octets, sizeof octets))
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &octets, sizeof octets);
  int got = 0;
  socklen_t size = sizeof got;
  return getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &got, &size) ? -1 : got;
}

int cbluez_controllers(int descriptor, uint16_t *indexes, int room) {
  struct hci_dev_list_req *list = calloc(1, sizeof *list + HCI_MAX_DEV * sizeof list->dev_req[0]);
  if (!list) return -1;
  list->dev_num = HCI_MAX_DEV;
  int count = -1;
  if (!ioctl(descriptor, HCIGETDEVLIST, list)) {
    count = 0;
    while (count < list->dev_num && count < room) {
      indexes[count] = list->dev_req[count].dev_id;
      count++;
    }
  }
  free(list);
  return count;
}

int cbluez_controller(int descriptor, uint16_t index, uint8_t address[6], uint8_t *bus, uint32_t *flags) {
  struct hci_dev_info info = {.dev_id = index};
  if (ioctl(descriptor, HCIGETDEVINFO, &info)) return -1;
  memcpy(address, info.bdaddr.b, 6);
  *bus = info.type & 0x0f;
  *flags = info.flags;
  return 0;
}

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

int cbluez_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
  union control control = {{0}};
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  ssize_t sent;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return (int)sent;
}

int cbluez_receive_descriptor(int socket, void *bytes, size_t room, int *descriptor) {
  union control control;
  struct iovec part = {.iov_base = bytes, .iov_len = room};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  *descriptor = -1;
  ssize_t got;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return -1;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(descriptor, CMSG_DATA(header), sizeof(int));
  return (int)got;
}

static void close_others(int kept) {
  if (kept > 0 && syscall(SYS_close_range, 0u, (unsigned)kept - 1, 0u) == 0) {
    syscall(SYS_close_range, (unsigned)kept + 1, ~0u, 0u);
    return;
  }
  for (int descriptor = 0; descriptor < 4096; descriptor++)
    if (descriptor != kept) close(descriptor);
}

int cbluez_fork_helper(int kept, const char *name) {
  pid_t child = fork();
  if (child < 0) return -1;
  if (child > 0) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
      // Children that no process waits for must not write anything.
      if (errno != EINTR) return 1;
    }
    if (status == 0) return 1;
    errno = EAGAIN;
    return -1;
  }
  // Twice, so that init reaps the helper, which ends after its socket, when this process no longer
  // waits for it.
  pid_t helper = fork();
  if (helper != 0) _exit(helper < 0);
  // Above the standard descriptors, which are /dev/null, so that readers of our output do not wait
  // for the helper.
  int moved = fcntl(kept, F_DUPFD_CLOEXEC, 3);
  if (moved < 0) _exit(1);
  close_others(moved);
  int nowhere = open("/dev/null", O_RDWR);
  if (nowhere != 0) _exit(1);
  dup2(0, 1);
  dup2(0, 2);
  if (dup2(moved, 3) != 3) _exit(1);
  if (moved != 3) close(moved);
  fcntl(3, F_SETFD, FD_CLOEXEC);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_NAME, name);
  if (chdir("/")) _exit(1);
  return 0;
}

int cbluez_drop_capabilities(int keep_network) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {{0}};
  if (keep_network && cbluez_may_administer()) {
    sets[0].effective = sets[0].permitted = 1u << CAP_NET_ADMIN;
  }
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
  return syscall(SYS_capset, &header, sets) ? -1 : 0;
}

int cbluez_may_administer(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {{0}};
  if (syscall(SYS_capget, &header, sets)) return 0;
  return (sets[0].effective >> CAP_NET_ADMIN) & 1;
}

int cbluez_keep_out_of_dumps(void) {
  // The limit alone has no effect if dumps are piped to a handler.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
