#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls that Swift's Glibc module does not show. Nothing here includes a header with _GNU_SOURCE: the types would differ from Glibc's.

/// A descriptor to read SIGINT, SIGTERM and SIGHUP from; -1 with errno. A process that does not read one within some seconds dies of it, and one
/// that does has so many seconds to end. Calls that wait are interrupted (EINTR). Whoever is at work looks at cbluez_is_interrupted, and comes
/// back when it is set.
int cbluez_signals(int seconds);
/// The number of the next signal, or 0.
int cbluez_next_signal(int descriptor);
/// The process is not to end because of a SIGINT after all: it has cancelled something.
void cbluez_pardon(void);
/// SIGWINCH and SIGTSTP are read the same way from now on, and end nothing. 0, or -1 with errno.
int cbluez_terminal_signals(void);
/// Whether the process was stopped and continued, since this was asked last.
int cbluez_was_continued(void);
int cbluez_is_interrupted(void);
/// Whether there was any, or the time limit.
int cbluez_is_over(void);

/// From now on, the process ends with exit code 8 after so many microseconds: some seconds later when it reads signals, for it should end by itself.
void cbluez_limit(int64_t microseconds);

/// Lets SIGINT, SIGTERM and SIGHUP through again.
void cbluez_unblock_signals(void);

/// Gives descriptors 0, 1 and 2 to /dev/null where they are closed, so that no file or socket gets their numbers. Opened the wrong way round:
/// reading the one and writing the others still fails with EBADF. 0, or -1 with errno.
int cbluez_hold_standard(void);

/// From now on SIGBUS, which a mapped file gives when somebody cuts it off (SQLite's index of its log), ends the process with exit code 11 and a
/// line on stderr.
void cbluez_explain_cut_files(void);

/// poll with a limit in nanoseconds; without one when it is negative.
int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds);

/// accept, close-on-exec and not blocking.
int cbluez_accept(int listener);

/// An HCI socket of the kernel, not blocking; -1 with errno (EAFNOSUPPORT: no Bluetooth in this kernel).
int cbluez_hci_socket(void);

/// Binds it to a controller's user channel.
int cbluez_bind_user(int descriptor, uint16_t index);

/// Binds it to the management channel.
int cbluez_bind_control(int descriptor);

/// Asks for a receive queue of so many octets, beyond the usual limit where that is allowed; what was got.
int cbluez_receive_queue(int descriptor, int octets);

/// The kernel's list of controllers; how many, or -1.
int cbluez_controllers(int descriptor, uint16_t *indexes, int room);

/// Address (least significant octet first), bus and flags of one controller; 0, or -1.
int cbluez_controller(int descriptor, uint16_t index, uint8_t address[6], uint8_t *bus, uint32_t *flags);

/// Sends octets with a descriptor (or -1) over a Unix socket; how many, or -1.
int cbluez_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/// Receives octets and perhaps a descriptor (else -1), which is close-on-exec; how many, 0 at the end, or -1.
int cbluez_receive_descriptor(int socket, void *bytes, size_t room, int *descriptor);

/// fork(2), which Swift hides. For a process with one thread.
pid_t cbluez_fork(void);

/// A copy of this process that ignores what the terminal and systemd send, holds no descriptor but this one, and has this name. 0 in the
/// copy, 1 in the caller, whose child it is not, or -1.
int cbluez_fork_helper(int kept, const char *name);

/// Gives up every capability but CAP_NET_ADMIN (or that one too), and the right to get others; 0, or -1.
int cbluez_drop_capabilities(int keep_network);

/// Whether this process may administer the network (CAP_NET_ADMIN in its effective set).
int cbluez_may_administer(void);

/// Who is at the other end of a Unix socket (SO_PEERCRED); 0, or -1 with errno.
int cbluez_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group);

/// Starts a program in a session of its own, with nothing of ours but `errors` as its stderr; nobody has to wait for it. 0, or an errno.
int cbluez_detach(const char *program, char *const arguments[], int errors);

/// Random octets from the kernel; 0, or -1.
int cbluez_random(void *bytes, size_t count);

/// The speeds of serial ports, ascending; 0 behind the last.
uint32_t cbluez_speed(size_t index);

/// Raw, eight data bits, no parity, one stop bit, RTS/CTS flow control, what waits in it thrown away; -1 with errno, EINVAL for a speed
/// that it does not have.
int cbluez_serial(int descriptor, uint32_t baud);

/// Keeps others from opening the terminal; -1 with errno, EWOULDBLOCK when somebody has it.
int cbluez_exclusive(int descriptor);

/// Throws away what waits in a terminal, so that closing it does not wait for it, and lets others open it.
void cbluez_serial_drop(int descriptor);

// command.c

/// Starts a program of $PATH in a folder and a process group of its own, with these variables, nothing to read, and these two descriptors as
/// its stdout and stderr. It is told to end when the caller dies. 0 and its number, or an errno.
int cbluez_command(const char *directory, char *const arguments[], char *const variables[], int output, int errors, int *process);

/// Ends a process group when this process dies: SIGTERM, and SIGKILL 2 s later. Gives a descriptor; an octet written to it calls that off.
/// -1 when it cannot be.
int cbluez_guard_group(int group);

/// A descriptor that is readable when a child has ended, close-on-exec; -1 with errno.
int cbluez_watch_process(int process);

// files.c

/// Opens a path below a folder, wherever the links on the way point: what leads out of it is EXDEV. Where the kernel has no openat2, or it is
/// not wanted, no link is followed at all (ELOOP, ENOTDIR) and no `..` (EXDEV). A descriptor that is close-on-exec, or -1 with errno.
int cbluez_open_beneath(int folder, const char *path, int flags, unsigned mode, int without_openat2);

// handover.c: what outlives a process.

/// Memory of a file that has no name, of this size for good; -1 with errno.
int cbluez_memory(const char *name, size_t size);

/// Maps such memory, which must be unable to shrink; NULL with errno.
void *cbluez_map(int descriptor, size_t *size);
void cbluez_unmap(void *memory, size_t size);

/// A store behind which all stores before it are seen, also by whoever finds the memory after SIGKILL.
void cbluez_store(void *place, uint64_t value);
uint64_t cbluez_load(const void *place);

/// One message to a service manager's socket (an `@` first: an abstract one), with a descriptor unless that is negative; 0, or an errno.
int cbluez_notify(const char *path, const void *bytes, size_t count, int descriptor);

/// Reads without taking away. The time of arrival in nanoseconds of the wall clock, 0 when the socket does not tell.
ssize_t cbluez_peek(int descriptor, void *bytes, size_t count, int64_t *arrived);

/// Arrivals are stamped from now on; 0, or -1 with errno.
int cbluez_stamp(int descriptor);

/// Packets that the socket had no room for (SO_MEMINFO); -1 where it does not tell.
int64_t cbluez_drops(int descriptor);

/// Octets that were peeked at and not taken (SO_PEEK_OFF); -1 where the socket does not count them.
int cbluez_peeked(int descriptor);
int cbluez_set_peeked(int descriptor, int octets);

/// Whether this descriptor is such memory (it carries a seal against shrinking).
int cbluez_is_memory(int descriptor);

// hci.c

/// The memory of this process is in no core dump, and other processes of its user cannot look at it; 0, or -1 with errno.
int cbluez_keep_out_of_dumps(void);
#endif
