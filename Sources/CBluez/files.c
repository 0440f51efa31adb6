#define _GNU_SOURCE
#include "cbluez.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// As Sources/Linux has it.
_Static_assert(O_PATH == 010000000, "O_PATH");

static int last_part(int folder, const char *part, int flags, unsigned mode) {
  int opened = openat(folder, part, flags | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
  struct stat status;
  // O_PATH opens the link itself.
  if (opened >= 0 && !fstat(opened, &status) && S_ISLNK(status.st_mode)) {
    close(opened);
    errno = ELOOP;
    return -1;
  }
  return opened;
}

static int open_stepwise(int root, const char *path, int flags, unsigned mode) {
  int folder = fcntl(root, F_DUPFD_CLOEXEC, 3);
  while (folder >= 0) {
    path += strspn(path, "/");
    size_t length = strcspn(path, "/");
    char part[NAME_MAX + 1];
    int opened = -1;
    int is_last = path[length + strspn(path + length, "/")] == 0;
    if (length > NAME_MAX) {
      errno = ENAMETOOLONG;
    } else {
      memcpy(part, path, length);
      part[length] = 0;
      if (!strcmp(part, "..")) {
        errno = EXDEV;
      } else if (is_last) {
        opened = last_part(folder, length ? part : ".", flags, mode);
      } else {
        opened = openat(folder, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      }
    }
    int failure = errno;
    close(folder);
    errno = failure;
    if (opened < 0 || is_last) return opened;
    folder = opened;
    path += length;
  }
  return -1;
}

int cbluez_open_beneath(int folder, const char *path, int flags, unsigned mode, int without_openat2) {
  if (without_openat2) return open_stepwise(folder, path, flags, mode);
  struct open_how how = {
      .flags = (unsigned)flags | O_CLOEXEC, .mode = flags & O_CREAT ? mode : 0, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  int opened = -1;
  // EAGAIN: a folder on the way was renamed meanwhile.
  for (int attempt = 0; attempt < 64; attempt++) {
    opened = (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (opened >= 0 || errno != EAGAIN) break;
  }
  // EPERM: also from a system call filter that does not know it.
  return opened < 0 && (errno == ENOSYS || errno == EPERM) ? open_stepwise(folder, path, flags, mode) : opened;
}
