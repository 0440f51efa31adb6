#define _GNU_SOURCE
#include "cbluez.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef SO_MEMINFO
#define SO_MEMINFO 55
#endif

int cbluez_memory(const char *name, size_t size) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)size) || fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
    int failure = errno;
    close(descriptor);
    errno = failure;
    return -1;
  }
  return descriptor;
}

int cbluez_is_memory(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK);
}

void *cbluez_map(int descriptor, size_t *size) {
  struct stat status;
  // If the file could shrink, a page could be gone when it is read.
  if (!cbluez_is_memory(descriptor)) {
    errno = EINVAL;
    return NULL;
  }
  if (fstat(descriptor, &status)) return NULL;
  *size = (size_t)status.st_size;
  void *memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return NULL;
  // A helper that outlives this process would keep it open.
  madvise(memory, *size, MADV_DONTFORK);
  return memory;
}

void cbluez_unmap(void *memory, size_t size) { munmap(memory, size); }

void cbluez_store(void *place, uint64_t value) { __atomic_store_n((uint64_t *)place, value, __ATOMIC_SEQ_CST); }
uint64_t cbluez_load(const void *place) { return __atomic_load_n((const uint64_t *)place, __ATOMIC_SEQ_CST); }

int cbluez_notify(const char *path, const void *bytes, size_t count, int descriptor) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length < 2 || length >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@')) return EINVAL;
  memcpy(address.sun_path, path, length);
  if (path[0] == '@') address.sun_path[0] = 0;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  int socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return errno;
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
  } control = {0};
  struct msghdr message = {.msg_name = &address, .msg_namelen = size, .msg_iov = &part, .msg_iovlen = 1};
  if (descriptor >= 0) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
  }
  int failure = 0;
  while (sendmsg(socket_, &message, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    failure = errno;
    break;
  }
  close(socket_);
  return failure;
}

ssize_t cbluez_peek(int descriptor, void *bytes, size_t count, int64_t *arrived) {
  union {
    char bytes[CMSG_SPACE(sizeof(struct timespec)) + 64];
    struct cmsghdr header;
  } control = {0};
  struct iovec part = {.iov_base = bytes, .iov_len = count};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.bytes};
  ssize_t length;
  do length = recvmsg(descriptor, &message, MSG_PEEK | MSG_DONTWAIT);
  while (length < 0 && errno == EINTR);
  *arrived = 0;
  if (length <= 0) return length;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec time;
      memcpy(&time, CMSG_DATA(header), sizeof time);
      *arrived = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    }
  }
  return length;
}

int cbluez_stamp(int descriptor) {
  int yes = 1;
  return setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
}

int64_t cbluez_drops(int descriptor) {
  uint32_t information[SK_MEMINFO_VARS];
  socklen_t size = sizeof information;
  if (getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, information, &size)) return -1;
  return size > SK_MEMINFO_DROPS * sizeof information[0] ? (int64_t)information[SK_MEMINFO_DROPS] : -1;
}

int cbluez_peeked(int descriptor) {
  int octets = -1;
  socklen_t size = sizeof octets;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &octets, &size) ? -1 : octets;
}

int cbluez_set_peeked(int descriptor, int octets) {
  return setsockopt(descriptor, SOL_SOCKET, SO_PEEK_OFF, &octets, sizeof octets);
}
