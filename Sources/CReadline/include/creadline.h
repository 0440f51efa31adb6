#ifndef CREADLINE_H
#define CREADLINE_H

// GNU readline, loaded when a prompt starts, so that other commands do not pay for it and no build
// needs it. One line is edited at a time.

/// Loads the library. Returns 0, or -1 if it or one of its functions is missing.
int creadline_load(void);

/// Shows a prompt and starts a line. Typed text is shown unless it is secret.
void creadline_begin(const char *prompt, int is_secret);
/// Ends the line without erasing anything.
void creadline_end(void);
/// Handles one key, which must be available.
void creadline_key(void);
/// Reads one octet. Returns 0 if readline must wait for more, -1 at the end.
int creadline_take(void);
/// Sets a function that returns true to abort what readline waits for in the middle of something.
void creadline_yield_when(int (*check)(void));
int creadline_has_keys(void);
int creadline_is_pasting(void);
/// Whether a paste was dropped because it is too long; true once for each paste.
int creadline_dropped(void);
/// Returns 0 if the line goes on, 1 for a line, 2 for the end of the input, once each.
int creadline_state(void);
/// The line, valid until the next one starts.
const char *creadline_line(void);
/// The text that is typed so far.
const char *creadline_typed(void);

/// Removes the line from the screen, or shows it again below what was written meanwhile.
void creadline_hide(void);
void creadline_show(void);
void creadline_prompt(const char *prompt);
/// Aborts a paste, a search or a count in progress; the line must be shown.
void creadline_abandon(void);
/// Clears the typed text.
void creadline_clear(void);
/// Adapts to a new terminal size, with this many columns, and redraws the line if one is shown.
void creadline_resize(int is_reading, int columns);

/// Turns bracketed paste on or off. In brackets, line ends of a paste run nothing.
void creadline_brackets(int are_wanted);

void creadline_remember(const char *line);

/// Sets the completion function. It gets the line up to the cursor and the length of the word at
/// its end, and calls `creadline_offer` for each candidate.
void creadline_complete_with(void (*find)(const char *line, int word));
void creadline_offer(const char *word);
/// Adds no space after a completed word, until the next completion.
void creadline_glue(void);
/// `list` shows the words of which one may follow, with `creadline_write`. If it returns 0,
/// readline shows the words alone.
void creadline_list_with(int (*list)(char *const *words, int count));
void creadline_write(const char *text);

#endif
