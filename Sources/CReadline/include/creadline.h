#ifndef CREADLINE_H
#define CREADLINE_H

// GNU readline, loaded when a prompt begins: nothing else of the program pays for it, and it is not needed to build. One line at a time is typed.

/// Loads the library. 0, or -1 when it is not there or lacks something.
int creadline_load(void);

/// Shows a prompt and begins a line. What is typed is shown unless it is secret.
void creadline_begin(const char *prompt, int is_secret);
/// Ends the line; nothing is erased.
void creadline_end(void);
/// Reads what one key gives; there must be something to read.
void creadline_key(void);
/// Reads one octet. 0: readline is not to have it yet; -1: there are no more.
int creadline_take(void);
/// What readline waits for in the middle of something ends when this says so.
void creadline_yield_when(int (*check)(void));
int creadline_has_keys(void);
// Whether a key has been read that no call has looked at, because a signal came with it.
int creadline_has_kept(void);
int creadline_is_pasting(void);
/// Whether a paste was left out because it is too long; told once.
int creadline_dropped(void);
/// What came of the keys: 0 for nothing yet, 1 for a line, 2 for the end of the input. Told once.
int creadline_state(void);
/// The line, valid until the next one begins.
const char *creadline_line(void);
/// What is typed so far.
const char *creadline_typed(void);

/// Takes the line off the screen, and puts it back below what was written meanwhile.
void creadline_hide(void);
void creadline_show(void);
void creadline_prompt(const char *prompt);
/// Leaves a paste, a search or a count that is begun; the line must be shown.
void creadline_abandon(void);
/// Forgets what is typed.
void creadline_clear(void);
/// The terminal has another size; a line that is being read is drawn again.
void creadline_resize(int is_reading);

/// A paste comes in brackets, so that its line ends run nothing; or no longer.
void creadline_brackets(int are_wanted);

void creadline_remember(const char *line);

/// Words that may follow: called with the line up to the cursor and the length of the word that is begun. It calls `creadline_offer` for each.
void creadline_complete_with(void (*find)(const char *line, int word));
void creadline_offer(const char *word);
/// No space follows a word that is taken, until the next completion.
void creadline_glue(void);
/// Shows the words of which one may follow, with `creadline_write`. 0: it has not, and they are shown as words alone.
void creadline_list_with(int (*list)(char *const *words, int count));
void creadline_write(const char *text);

#endif
