#ifndef CREADLINE_H
#define CREADLINE_H

// GNU readline, loaded when a prompt opens, so other commands do not load it and no build needs it.
// It reads one line at a time.

/// Loads the library. 0, or -1 if it is missing or lacks a function.
int creadline_load(void);

/// Shows a prompt and starts a line. Typed text is shown unless it is secret.
void creadline_begin(const char *prompt, int is_secret);
/// Ends the line; nothing is erased.
void creadline_end(void);
/// Processes one key; there must be input.
void creadline_key(void);
/// Reads one byte. 0: readline must not have it yet; -1: the input has ended.
int creadline_take(void);
/// A sequence that readline waits for is aborted when this returns true.
void creadline_yield_when(int (*check)(void));
int creadline_has_keys(void);
int creadline_is_pasting(void);
/// Whether a paste was dropped because it was too long; reported once.
int creadline_dropped(void);
/// The result of the keys: 0 for none yet, 1 for a line, 2 for the end of the input. Reported once.
int creadline_state(void);
/// The line, valid until the next one begins.
const char *creadline_line(void);
/// The text typed so far.
const char *creadline_typed(void);

/// Removes the line from the screen, and shows it again below other output.
void creadline_hide(void);
void creadline_show(void);
void creadline_prompt(const char *prompt);
/// Leaves an unfinished paste, search or count; the line must be shown.
void creadline_abandon(void);
/// Discards the typed text.
void creadline_clear(void);
/// The terminal was resized; a line that is being read is redrawn.
void creadline_resize(int is_reading);

/// Turns bracketed paste on or off. With it, line ends in a paste do not run anything.
void creadline_brackets(int are_wanted);

void creadline_remember(const char *line);

/// Sets the completion function. It gets the line up to the cursor and the length of the current
/// word, and calls `creadline_offer` for each completion.
void creadline_complete_with(void (*find)(const char *line, int word));
void creadline_offer(const char *word);
/// No space follows the inserted word, until the next completion.
void creadline_glue(void);

#endif
