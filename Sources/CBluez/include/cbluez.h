#ifndef CBLUEZ_H
#define CBLUEZ_H
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls that Swift's Glibc module lacks. This header includes none that needs _GNU_SOURCE, because
// the types would differ from those of Glibc.

/// Returns a descriptor to read SIGINT, SIGTERM and SIGHUP from; -1 with errno. A process that does
/// not read a signal within 4 seconds is ended by it; one that does has `seconds` to end. Waiting
/// calls are interrupted (EINTR). Long work checks cbluez_is_interrupted and returns to the loop if
/// it is set.
int cbluez_signals(int seconds);
/// Returns the number of the next signal, or 0.
int cbluez_next_signal(int descriptor);
/// Cancels the end of the process after a SIGINT that stopped something else.
void cbluez_dismiss_interrupt(void);
/// From now on, a second SIGINT does not end the process at once: each stops something else.
void cbluez_outlast_interrupts(void);
/// Delivers SIGWINCH and SIGTSTP through the same descriptor; they do not end the process. Returns
/// 0, or -1 with errno.
int cbluez_terminal_signals(void);
/// Stops the process until it is continued; does nothing if no shell could continue it.
void cbluez_stop_process(void);
/// Whether the process was stopped and continued since the last call.
int cbluez_was_continued(void);
int cbluez_is_interrupted(void);
/// Whether a signal that ends the process arrived or the time limit is over.
int cbluez_is_over(void);

/// Ends the process with exit code 8 after this time. A process that reads signals has some more
/// seconds to end by itself.
void cbluez_limit(int64_t microseconds);

/// Unblocks SIGINT, SIGTERM and SIGHUP.
void cbluez_unblock_signals(void);

/// Opens /dev/null as each of the descriptors 0, 1 and 2 that is closed, so that no file or socket
/// gets their numbers. The access modes are swapped, so that reading 0 and writing 1 or 2 still
/// fails with EBADF. Returns 0, or -1 with errno.
int cbluez_hold_standard(void);

/// Ends the process with exit code 11 and a line on stderr on SIGBUS, which a mapped file causes
/// when another process truncates it (SQLite's WAL index).
void cbluez_explain_cut_files(void);

/// poll(2) with a timeout in nanoseconds; none if it is negative.
int cbluez_poll(struct pollfd *entries, size_t count, int64_t nanoseconds);

/// accept(2) with close-on-exec, nonblocking.
int cbluez_accept(int listener);

/// Returns a nonblocking HCI socket of the kernel; -1 with errno (EAFNOSUPPORT: the kernel has no
/// Bluetooth).
int cbluez_hci_socket(void);

/// Binds the socket to a controller's user channel.
int cbluez_bind_user(int descriptor, uint16_t index);

/// Binds the socket to the management channel.
int cbluez_bind_control(int descriptor);

/// Requests a receive queue of this many octets, beyond the system's limit if allowed. Returns the
/// size of the queue.
int cbluez_receive_queue(int descriptor, int octets);

/// Reads the kernel's list of controllers. Returns their count, or -1.
int cbluez_controllers(int descriptor, uint16_t *indexes, int room);

/// Reads address (least significant octet first), bus and flags of a controller. Returns 0, or -1.
int cbluez_controller(int descriptor, uint16_t index, uint8_t address[6], uint8_t *bus, uint32_t *flags);

/// Sends octets and a descriptor (-1 for none) over a Unix socket. Returns the number of octets, or
/// -1.
int cbluez_send_descriptor(int socket, const void *bytes, size_t count, int descriptor);

/// Receives octets and a descriptor (-1 for none), which is close-on-exec. Returns the number of
/// octets, 0 at the end, or -1.
int cbluez_receive_descriptor(int socket, void *bytes, size_t room, int *descriptor);

/// fork(2), which Swift hides. Only for a process with one thread.
pid_t cbluez_fork(void);

/// Forks a copy of this process under another name that ignores signals of the terminal and of
/// systemd and holds only the descriptor `kept`. Returns 0 in the copy, 1 in the caller (the copy
/// is not its child), or -1.
int cbluez_fork_helper(int kept, const char *name);

/// Drops every capability except CAP_NET_ADMIN if `keep_network` is set, and the right to gain
/// others. Returns 0, or -1.
int cbluez_drop_capabilities(int keep_network);

/// Whether this process may administer the network (CAP_NET_ADMIN in its effective set).
int cbluez_may_administer(void);

/// Reads the credentials of the peer of a Unix socket (SO_PEERCRED). Returns 0, or -1 with errno.
int cbluez_peer(int descriptor, int32_t *process, uint32_t *user, uint32_t *group);

/// Starts a program in a session of its own that inherits only `errors`, as its stderr, and needs
/// no wait(2). Returns 0, or an errno.
int cbluez_detach(const char *program, char *const arguments[], int errors);

/// Fills memory with random octets from the kernel. Returns 0, or -1.
int cbluez_random(void *bytes, size_t count);

/// The speeds of serial ports, ascending; 0 after the last.
uint32_t cbluez_speed(size_t index);

/// Sets raw mode, eight data bits, no parity, one stop bit and RTS/CTS flow control, and drops
/// pending data. Returns 0, or -1 with errno, EINVAL for a speed that the port lacks.
int cbluez_serial(int descriptor, uint32_t baud);

/// Keeps other programs from opening the terminal. Returns 0, or -1 with errno, EWOULDBLOCK if
/// another program has it open.
int cbluez_exclusive(int descriptor);

/// Drops pending data of a terminal, so that closing does not wait for it, and lets other programs
/// open it.
void cbluez_serial_drop(int descriptor);

// command.c

/// Starts a program from $PATH in a folder and a process group of its own, with these variables, an
/// empty stdin, and these two descriptors as stdout and stderr. When the caller dies, at whatever
/// moment, the program gets SIGTERM, and a guard ends its group: SIGTERM, then SIGKILL 2 s later.
/// Returns 0 and stores the process id and a descriptor of the guard, which is -1 if there is none,
/// or returns an errno. An octet written to the descriptor calls the guard off.
int cbluez_command(
    const char *directory, char *const arguments[], char *const variables[], int output, int errors, int *process, int *guard);

/// Returns a close-on-exec descriptor that is readable when a child has ended; -1 with errno.
int cbluez_watch_process(int process);

// files.c

/// Opens a path below a folder. A link that leads out of the folder fails with EXDEV. If the kernel
/// lacks openat2, or `without_openat2` is set, links are not followed (ELOOP, ENOTDIR) and `..` is
/// refused (EXDEV). Returns a close-on-exec descriptor, or -1 with errno.
int cbluez_open_beneath(int folder, const char *path, int flags, unsigned mode, int without_openat2);

// handover.c: state that outlives a process.

/// Creates an anonymous file in memory whose size cannot change; -1 with errno.
int cbluez_memory(const char *name, size_t size);

/// Maps such memory, which must be sealed against shrinking; NULL with errno.
void *cbluez_map(int descriptor, size_t *size);
void cbluez_unmap(void *memory, size_t size);

/// Stores a value with release order, so that a process that reads the memory after SIGKILL sees
/// all earlier stores.
void cbluez_store(void *place, uint64_t value);
uint64_t cbluez_load(const void *place);

/// Sends a message to a service manager's socket (a leading `@` marks an abstract one), with a
/// descriptor unless it is negative. Returns 0, or an errno.
int cbluez_notify(const char *path, const void *bytes, size_t count, int descriptor);

/// Reads without removing. Stores the arrival time in nanoseconds of the wall clock, or 0 if the
/// socket does not report it.
ssize_t cbluez_peek(int descriptor, void *bytes, size_t count, int64_t *arrived);

/// Turns timestamps of arrival on. Returns 0, or -1 with errno.
int cbluez_stamp(int descriptor);

/// Returns the number of packets that the socket dropped for lack of room (SO_MEMINFO); -1 if it is
/// unknown.
int64_t cbluez_drops(int descriptor);

/// Returns the number of octets that were peeked at and not removed (SO_PEEK_OFF); -1 if the socket
/// does not count them.
int cbluez_peeked(int descriptor);
int cbluez_set_peeked(int descriptor, int octets);

/// Whether this descriptor is such memory (it is sealed against shrinking).
int cbluez_is_memory(int descriptor);

// hci.c

/// Keeps the memory of this process out of core dumps and from other processes of its user. Returns
/// 0, or -1 with errno.
int cbluez_keep_out_of_dumps(void);
#endif
