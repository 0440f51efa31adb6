#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

// Calls that Swift's Glibc module does not show. Nothing here includes a header with _GNU_SOURCE: the types would differ from Glibc's.

/// A descriptor to read SIGINT, SIGTERM and SIGHUP from, which are blocked from then on; -1 with errno.
int cbluez_signals(void);

/// The number of the next signal, or 0.
int cbluez_next_signal(int descriptor);

/// Lets SIGINT, SIGTERM and SIGHUP through again.
void cbluez_unblock_signals(void);

/// poll with a limit in nanoseconds; without one when it is negative.
int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds);

/// accept, close-on-exec and not blocking.
int cbluez_accept(int listener);

/// Random octets from the kernel; 0, or -1.
int cbluez_random(void *bytes, size_t count);
#endif
