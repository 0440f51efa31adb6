/* Makes bind() of a Bluetooth socket take 200 ms: a program that preloads this loses every race for
   an adapter. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
  static int (*next)(int, const struct sockaddr *, socklen_t);
  if (!next) next = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind");
  if (address && address->sa_family == AF_BLUETOOTH) usleep(200000);
  return next(descriptor, address, length);
}
