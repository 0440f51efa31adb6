#include "creadline.h"
#include <dlfcn.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Names and types come from the manual of GNU readline, "Programming with GNU Readline".

typedef char **completion(const char *, int, int);
typedef void prepare(int);
typedef void restore(void);
typedef int getter(FILE *);
typedef int hook(void);
typedef void display(char **, int, int);

static void (*callback_handler_install)(const char *, void (*)(char *));
static void (*callback_handler_remove)(void);
static void (*callback_read_char)(void);
static void (*callback_sigcleanup)(void);
static int (*clear_visible_line)(void);
static int (*on_new_line)(void);
static void (*redisplay)(void);
static restore **redisplay_function;
static int (*set_prompt)(const char *);
static void (*replace_line)(const char *, int);
static void (*resize_terminal)(void);
static void (*reset_screen_size)(void);
static void (*tty_set_echoing)(int);
static void (*add_history)(const char *);
static void (*stifle_history)(int);
static char **(*completion_matches)(const char *, char *(*)(const char *, int));
static char **line_buffer;
static const char **display_prompt;
// The cursor's row in the prompt; readline has no function for it.
static int *last_row;
static int *point;
static unsigned long *readline_state;
static int *numeric_arg, *arg_sign, *explicit_arg;
static void (*restore_prompt)(void);
static int (*clear_message)(void);
static display *display_match_list;
static int (*forced_update_display)(void);
static int *display_fixed;
static void (*free_line_state)(void);
static int *completion_is_over;
static int *append_character;
static int (*variable_bind)(const char *, const char *);

static int state;
static int is_hidden;
// Whether the locale of the environment is not UTF-8.
static int is_foreign;
static char *line;
static void (*finder)(const char *, int);
static int (*lister)(char *const *, int);
// Words on offer, and the next one to hand out.
static char **offers;
static size_t offered, room, next_offer;

enum { HISTORY = 5000, OFFERS = 4096, PASTE = 65536 + 16 };
enum { IN_ARGUMENT = 0x400 }; // RL_STATE_NUMERICARG

static void finished(char *text) {
  free(line);
  line = text;
  state = text ? 1 : 2;
  // readline does not echo the end of a hidden line.
  if (!text || is_hidden) putchar('\n');
  // Otherwise readline shows the prompt again at once.
  callback_handler_remove();
  fflush(stdout);
}

// Typed keys that readline has not read yet. It reads a paste in one go and would wait for the end,
// so it gets a paste only when it is complete.
static unsigned char keys[PASTE];
static size_t first_key, last_key;
static int is_pasting, is_dropped, is_over;
static const char opening[] = "\033[200~", closing[] = "\033[201~";

// Whether the process has other work to do.
static int (*is_awaited)(void);

void creadline_yield_when(int (*check)(void)) { is_awaited = check; }

// Returns 1 with a key, 0 if there is none yet, and -1 at the end of the input. Reads do not
// block, because Ctrl-C and Ctrl-Z drop octets that poll has reported.
static int take_key(unsigned char *key) {
  // Keys that were typed after a Ctrl-C belong to the next line.
  if (is_awaited && is_awaited()) return 0;
  ssize_t count = is_over ? -1 : read(0, key, 1);
  if (count == 1) return 1;
  if (count < 0) {
    if (!is_over && (errno == EINTR || errno == EAGAIN)) return 0;
  } else {
    struct pollfd entry = {.fd = 0, .events = POLLIN};
    if (poll(&entry, 1, 0) <= 0 || !(entry.revents & (POLLHUP | POLLERR | POLLNVAL))) return 0;
  }
  is_over = 1;
  return -1;
}

enum { ABORT = 7 };

// Waits only in the middle of something, such as a character of several octets.
static int next_key(FILE *stream) {
  (void)stream;
  if (first_key < last_key) return keys[first_key++];
  unsigned char key;
  for (;;) {
    int count = take_key(&key);
    if (count) return count > 0 ? key : EOF;
    // Abort what readline has begun, so that the loop can read a signal.
    if (is_awaited && is_awaited()) return ABORT;
    struct pollfd entry = {.fd = 0, .events = POLLIN};
    poll(&entry, 1, -1);
  }
}

static int has_key(void) { return first_key < last_key; }

static int ends_in(const char *mark, size_t length) {
  return last_key >= length && !memcmp(keys + last_key - length, mark, length);
}

// Returns the octets of the UTF-8 character at this key; 0 if it is invalid, -1 if it is
// incomplete.
static int character(size_t place) {
  unsigned char first = keys[place];
  int length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  for (int index = 1; index < length; index++) {
    if (place + (size_t)index == last_key) return -1;
    if ((keys[place + (size_t)index] & 0xC0) != 0x80) return 0;
  }
  return length;
}

int creadline_take(void) {
  if (first_key == last_key) first_key = last_key = 0;
  unsigned char key;
  int count = take_key(&key);
  if (count <= 0) return count;
  // Of a paste that is too long, keep only the closing mark.
  if (last_key == sizeof keys) {
    memmove(keys, keys + sizeof keys - sizeof closing, sizeof closing);
    first_key = 0;
    last_key = sizeof closing;
    is_dropped = 1;
  }
  keys[last_key++] = key;
  if (is_pasting) {
    if (!ends_in(closing, sizeof closing - 1)) return 0;
    is_pasting = 0;
    if (!is_dropped) return 1;
    first_key = last_key = 0;
    return 0;
  }
  for (size_t length = sizeof opening - 1; length > 0; length--) {
    if (!ends_in(opening, length)) continue;
    is_pasting = length == sizeof opening - 1;
    // A lone escape is a key; the octets of an escape sequence arrive together.
    struct pollfd entry = {.fd = 0, .events = POLLIN};
    return length == 1 && poll(&entry, 1, 0) <= 0;
  }
  // readline would wait for the rest of a character.
  for (size_t place = first_key; place < last_key;) {
    int length = character(place);
    if (length < 0) return 0;
    place += length ? (size_t)length : 1;
  }
  return 1;
}

int creadline_has_keys(void) { return has_key() && !is_pasting; }
int creadline_is_pasting(void) { return is_pasting; }

int creadline_dropped(void) {
  int told = is_dropped && !is_pasting;
  if (told) is_dropped = 0;
  return told;
}

static void leave_terminal_alone(int meta) { (void)meta; }
static void leave_it_alone(void) {}

static char *take_offer(const char *text, int is_next) {
  size_t length = strlen(text);
  if (!is_next) next_offer = 0;
  while (next_offer < offered) {
    const char *word = offers[next_offer++];
    if (!strncmp(word, text, length)) return strdup(word);
  }
  return NULL;
}

static char **complete(const char *text, int start, int end) {
  (void)start;
  // Do not complete file names.
  *completion_is_over = 1;
  *append_character = ' ';
  for (size_t index = 0; index < offered; index++) free(offers[index]);
  offered = 0;
  if (finder && line_buffer && *line_buffer) {
    char *before = strndup(*line_buffer, (size_t)end);
    if (before) finder(before, (int)strlen(text));
    free(before);
  }
  return completion_matches(text, take_offer);
}

void creadline_offer(const char *word) {
  if (offered >= OFFERS) return;
  if (offered == room) {
    size_t wanted = room ? room * 2 : 64;
    char **grown = realloc(offers, wanted * sizeof *offers);
    if (!grown) return;
    offers = grown;
    room = wanted;
  }
  char *copy = strdup(word);
  if (copy) offers[offered++] = copy;
}

// Lists the completions, with notes if there are any.
static void show_offers(char **matches, int count, int longest) {
  if (!lister || !lister(matches + 1, count)) display_match_list(matches, count, longest);
  forced_update_display();
  *display_fixed = 1;
}

void creadline_list_with(int (*list)(char *const *, int)) { lister = list; }

void creadline_write(const char *text) { fputs(text, stdout); }

void creadline_glue(void) { *append_character = 0; }

void creadline_complete_with(void (*find)(const char *, int)) { finder = find; }

// After a search or an unknown key, readline 8.2 reads on in the same call. If it aborts, it jumps
// into a function that has returned, so this redirects the jump when it redisplays the line.
static sigjmp_buf *top_level;
static sigjmp_buf here;

static void show_line(void) {
  if (top_level) memcpy(top_level, &here, sizeof here);
  redisplay();
}

#define FIND(place, name) \
  do { \
    *(void **)&(place) = dlsym(library, name); \
    if (!(place)) return -1; \
  } while (0)
#define SET(type, name, value) \
  do { \
    type *variable = (type *)dlsym(library, name); \
    if (!variable) return -1; \
    *variable = (value); \
  } while (0)

int creadline_load(void) {
  void *library = dlopen("libreadline.so.8", RTLD_NOW | RTLD_LOCAL);
  if (!library) return -1;
  FIND(callback_handler_install, "rl_callback_handler_install");
  FIND(callback_handler_remove, "rl_callback_handler_remove");
  FIND(callback_read_char, "rl_callback_read_char");
  FIND(callback_sigcleanup, "rl_callback_sigcleanup");
  FIND(clear_visible_line, "rl_clear_visible_line");
  FIND(on_new_line, "rl_on_new_line");
  FIND(redisplay, "rl_redisplay");
  FIND(set_prompt, "rl_set_prompt");
  FIND(replace_line, "rl_replace_line");
  FIND(resize_terminal, "rl_resize_terminal");
  FIND(reset_screen_size, "rl_reset_screen_size");
  FIND(tty_set_echoing, "rl_tty_set_echoing");
  FIND(add_history, "add_history");
  FIND(stifle_history, "stifle_history");
  FIND(completion_matches, "rl_completion_matches");
  FIND(line_buffer, "rl_line_buffer");
  FIND(point, "rl_point");
  FIND(display_prompt, "rl_display_prompt");
  last_row = (int *)dlsym(library, "_rl_last_v_pos");
  FIND(readline_state, "rl_readline_state");
  FIND(numeric_arg, "rl_numeric_arg");
  FIND(arg_sign, "rl_arg_sign");
  FIND(explicit_arg, "rl_explicit_arg");
  FIND(restore_prompt, "rl_restore_prompt");
  FIND(clear_message, "rl_clear_message");
  FIND(free_line_state, "rl_free_line_state");
  FIND(display_match_list, "rl_display_match_list");
  FIND(forced_update_display, "rl_forced_update_display");
  FIND(display_fixed, "rl_display_fixed");
  SET(display *, "rl_completion_display_matches_hook", show_offers);
  SET(const char *, "rl_readline_name", "tooth");
  SET(int, "rl_catch_signals", 0);
  SET(int, "rl_catch_sigwinch", 0);
  SET(int, "rl_persistent_signal_handlers", 0);
  // Show all words, because a question would block the session.
  SET(int, "rl_completion_query_items", -1);
  SET(completion *, "rl_attempted_completion_function", complete);
  SET(const char *, "rl_completer_word_break_characters", " \t\n\"(),;:[]{}");
  // The offered words contain their quotes.
  SET(const char *, "rl_basic_quote_characters", "");
  SET(getter *, "rl_getc_function", next_key);
  FIND(redisplay_function, "rl_redisplay_function");
  top_level = (sigjmp_buf *)dlsym(library, "_rl_top_level");
  SET(hook *, "rl_input_available_hook", has_key);
  SET(prepare *, "rl_prep_term_function", leave_terminal_alone);
  SET(restore *, "rl_deprep_term_function", leave_it_alone);
  FIND(completion_is_over, "rl_attempted_completion_over");
  FIND(append_character, "rl_completion_append_character");
  FIND(variable_bind, "rl_variable_bind");
  variable_bind("page-completions", "off");
  // Columns of the typed line are counted in characters, whatever the locale.
  if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8")) is_foreign = !!setlocale(LC_CTYPE, "C.UTF-8");
  stifle_history(HISTORY);
  return 0;
}

void creadline_begin(const char *prompt, int is_secret) {
  state = 0;
  is_hidden = is_secret;
  tty_set_echoing(!is_secret);
  if (!is_foreign) {
    callback_handler_install(prompt, finished);
    return;
  }
  // At its first line readline reads the locale from the environment, and strips the eighth bit of
  // each key if it is not UTF-8. Restore it afterwards, because a recipe's programs inherit it.
  char *before = getenv("LC_ALL");
  if (before) before = strdup(before);
  setenv("LC_ALL", "C.UTF-8", 1);
  callback_handler_install(prompt, finished);
  if (before) {
    setenv("LC_ALL", before, 1);
  } else {
    unsetenv("LC_ALL");
  }
  free(before);
}

void creadline_end(void) {
  callback_handler_remove();
  fflush(stdout);
}

// Set only while a key is read: if readline finds a foreign redisplay function when it checks the
// terminal, it assumes that the cursor cannot move up and scrolls long lines sideways.
void creadline_key(void) {
  if (sigsetjmp(here, 0)) {
    *redisplay_function = redisplay;
    redisplay();
    return;
  }
  *redisplay_function = show_line;
  callback_read_char();
  *redisplay_function = redisplay;
}

int creadline_state(void) {
  int told = state;
  state = 0;
  return told;
}

const char *creadline_line(void) { return line ? line : ""; }
const char *creadline_typed(void) { return line_buffer && *line_buffer ? *line_buffer : ""; }

void creadline_hide(void) {
  clear_visible_line();
  // Later output does not go through stdio.
  fflush(stdout);
}

void creadline_show(void) {
  on_new_line();
  redisplay();
}

void creadline_prompt(const char *prompt) { set_prompt(prompt); }

void creadline_abandon(void) {
  first_key = last_key = 0;
  is_pasting = is_dropped = 0;
  int has_argument = (*readline_state & IN_ARGUMENT) != 0;
  callback_sigcleanup();
  if (has_argument) {
    restore_prompt();
    clear_message();
  }
  *numeric_arg = *arg_sign = 1;
  *explicit_arg = 0;
  // This also redraws the line.
  free_line_state();
}

void creadline_clear(void) {
  replace_line("", 1);
  *point = 0;
}

void creadline_brackets(int are_wanted) {
  printf("\033[?2004%c", are_wanted ? 'h' : 'l');
  fflush(stdout);
}

// The columns up to the cursor, at least: a wide character counts as one.
static int used_columns(void) {
  int used = 0;
  const char *shown = display_prompt ? *display_prompt : 0;
  for (int is_invisible = 0; shown && *shown; shown++) {
    if (*shown == 1) is_invisible = 1;
    if (!is_invisible && (*shown & 0xC0) != 0x80) used++;
    if (*shown == 2) is_invisible = 0;
  }
  for (int place = 0; place < *point; place++)
    if (((*line_buffer)[place] & 0xC0) != 0x80) used++;
  return used;
}

void creadline_resize(int is_reading, int columns) {
  if (!is_reading) {
    reset_screen_size();
    return;
  }
  // A terminal that wraps its lines anew has moved the cursor up. Going up by the old number of
  // rows would erase what is above the prompt.
  int row = columns > 0 ? used_columns() / columns : 0;
  if (last_row && *last_row > row) *last_row = row;
  resize_terminal();
}
void creadline_remember(const char *text) { add_history(text); }
