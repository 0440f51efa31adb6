#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls that Swift's Glibc module lacks. Nothing here includes a header with _GNU_SOURCE, because
// the types would then differ from Glibc's.

/// Returns a descriptor for reading SIGINT, SIGTERM and SIGHUP; -1 with errno. A process that does
/// not read a signal within some seconds dies of it; one that does has `seconds` to exit. Waiting
/// calls are interrupted (EINTR). Long work must check cbluez_is_interrupted, and return if it is
/// set.
int cbluez_signals(int seconds);
/// The number of the next signal, or 0.
int cbluez_next_signal(int descriptor);
/// A SIGINT that has cancelled something must not end the process.
void cbluez_pardon(void);
/// Reads SIGWINCH and SIGTSTP the same way from now on, without ending the process. 0, or -1 with
/// errno.
int cbluez_terminal_signals(void);
/// Whether the process was stopped and continued since the last call.
int cbluez_was_continued(void);
int cbluez_is_interrupted(void);
/// Whether a signal has arrived or the time limit has passed.
int cbluez_is_over(void);

/// Ends the process with exit code 8 after this many microseconds, or some seconds later if it
/// reads signals, so that it can exit by itself.
void cbluez_limit(int64_t microseconds);

/// Unblocks SIGINT, SIGTERM and SIGHUP.
void cbluez_unblock_signals(void);

/// Opens /dev/null for descriptors 0, 1 and 2 if they are closed, so that no file or socket gets
/// their numbers. It is opened in the wrong direction, so reads of 0 and writes to 1 and 2 still
/// fail with EBADF. 0, or -1 with errno.
int cbluez_hold_standard(void);

/// Handles SIGBUS, which a mapped file causes after another process has truncated it (SQLite's
/// index of its log): the process exits with code 11 and a line on stderr.
void cbluez_explain_cut_files(void);

/// poll with a timeout in nanoseconds; a negative one waits forever.
int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds);

/// accept, close-on-exec and non-blocking.
int cbluez_accept(int listener);

/// A non-blocking HCI socket of the kernel; -1 with errno (EAFNOSUPPORT: no Bluetooth in this
/// kernel).
int cbluez_hci_socket(void);

/// Binds it to a controller's user channel.
int cbluez_bind_user(int descriptor, uint16_t index);

/// Binds it to the management channel.
int cbluez_bind_control(int descriptor);

/// Requests a receive queue of this size, beyond the usual limit if permitted. Returns the size
/// granted.
int cbluez_receive_queue(int descriptor, int octets);

/// The kernel's list of controllers; how many, or -1.
int cbluez_controllers(int descriptor, uint16_t *indexes, int room);

/// Address (least significant octet first), bus and flags of one controller; 0, or -1.
int cbluez_controller(int descriptor, uint16_t index, uint8_t address[6], uint8_t *bus, uint32_t *flags);

/// Sends octets with a descriptor (or -1) over a Unix socket; how many, or -1.
int cbluez_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/// Receives bytes and perhaps a descriptor (else -1), which is close-on-exec. Returns the number of
/// bytes, 0 at the end, or -1.
int cbluez_receive_descriptor(int socket, void *bytes, size_t room, int *descriptor);

/// fork(2), which Swift hides. For a process with one thread.
pid_t cbluez_fork(void);

/// Forks a helper that ignores signals of the terminal and systemd, has only this descriptor, and
/// this name. 0 in the helper, 1 in the caller, which is not its parent, or -1.
int cbluez_fork_helper(int kept, const char *name);

/// Drops every capability but CAP_NET_ADMIN (or that one, too), and the right to gain others; 0, or
/// -1.
int cbluez_drop_capabilities(int keep_network);

/// Whether this process may administer the network (CAP_NET_ADMIN in its effective set).
int cbluez_may_administer(void);

/// The credentials of the other end of a Unix socket (SO_PEERCRED); 0, or -1 with errno.
int cbluez_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group);

/// Starts a program in its own session, with only `errors` as its stderr. No process has to wait
/// for it. 0, or an errno.
int cbluez_detach(const char *program, char *const arguments[], int errors);

/// Random octets from the kernel; 0, or -1.
int cbluez_random(void *bytes, size_t count);

/// The speeds of serial ports, ascending; 0 after the last.
uint32_t cbluez_speed(size_t index);

/// Sets raw mode, eight data bits, no parity, one stop bit and RTS/CTS flow control, and discards
/// pending data; -1 with errno, EINVAL for an unsupported speed.
int cbluez_serial(int descriptor, uint32_t baud);

/// Keeps other programs from opening the terminal; -1 with errno, EWOULDBLOCK if another has it.
int cbluez_exclusive(int descriptor);

/// Discards pending data of a terminal, so that closing it does not wait, and lets others open it.
void cbluez_serial_drop(int descriptor);

// command.c

/// Starts a program of $PATH in a folder and its own process group, with these variables, an empty
/// stdin, and these two descriptors as stdout and stderr. It gets SIGTERM when the caller dies. 0
/// and its number, or an errno.
int cbluez_command(const char *directory, char *const arguments[], char *const variables[], int output, int errors, int *process);

/// Ends a process group when this process dies: SIGTERM, and SIGKILL 2 s later. Returns a
/// descriptor, or -1. Writing a byte to it cancels that.
int cbluez_guard_group(int group);

/// A descriptor that becomes readable when a child has ended, close-on-exec; -1 with errno.
int cbluez_watch_process(int process);

// files.c

/// Opens a path below a folder. A path whose links lead outside fails with EXDEV. Without openat2,
/// links are not followed (ELOOP, ENOTDIR), and `..` fails with EXDEV. Returns a close-on-exec
/// descriptor, or -1 with errno.
int cbluez_open_beneath(int folder, const char *path, int flags, unsigned mode, int without_openat2);

// handover.c: what outlives a process.

/// An unnamed file in memory that keeps this size; -1 with errno.
int cbluez_memory(const char *name, size_t size);

/// Maps such memory, which must be sealed against shrinking; NULL with errno.
void *cbluez_map(int descriptor, size_t *size);
void cbluez_unmap(void *memory, size_t size);

/// Stores after all earlier stores are visible, also to a process that maps the memory after
/// SIGKILL.
void cbluez_store(void *place, uint64_t value);
uint64_t cbluez_load(const void *place);

/// Sends a message to a service manager's socket (`@` begins an abstract one), with a descriptor
/// unless it is negative; 0, or an errno.
int cbluez_notify(const char *path, const void *bytes, size_t count, int descriptor);

/// Peeks at a packet. `arrived` is its time in nanoseconds of the wall clock, 0 if the socket has
/// none.
ssize_t cbluez_peek(int descriptor, void *bytes, size_t count, int64_t *arrived);

/// Requests timestamps for packets from now on; 0, or -1 with errno.
int cbluez_stamp(int descriptor);

/// The number of packets that the socket dropped for lack of room (SO_MEMINFO); -1 if unknown.
int64_t cbluez_drops(int descriptor);

/// Bytes that were peeked and not read (SO_PEEK_OFF); -1 if the socket does not count them.
int cbluez_peeked(int descriptor);
int cbluez_set_peeked(int descriptor, int octets);

/// Whether this descriptor is such memory (it carries a seal against shrinking).
int cbluez_is_memory(int descriptor);

// hci.c

/// Excludes this process's memory from core dumps and hides it from other processes of its user; 0,
/// or -1 with errno.
int cbluez_keep_out_of_dumps(void);
#endif
