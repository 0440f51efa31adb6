#include "creadline.h"
#include <dlfcn.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names and types are those of the manual of GNU readline, "Programming with GNU Readline".

typedef char **completion(const char *, int, int);
typedef void prepare(int);
typedef void restore(void);

static void (*callback_handler_install)(const char *, void (*)(char *));
static void (*callback_handler_remove)(void);
static void (*callback_read_char)(void);
static int (*clear_visible_line)(void);
static int (*on_new_line)(void);
static void (*redisplay)(void);
static int (*set_prompt)(const char *);
static void (*replace_line)(const char *, int);
static void (*resize_terminal)(void);
static void (*reset_screen_size)(void);
static void (*tty_set_echoing)(int);
static void (*add_history)(const char *);
static void (*stifle_history)(int);
static char **(*completion_matches)(const char *, char *(*)(const char *, int));
static char **line_buffer;
static int *point;
static int *completion_is_over;
static int *append_character;
static int (*variable_bind)(const char *, const char *);

static int state;
static int is_hidden;
static char *line;
static void (*finder)(const char *, int);
// Words on offer, and the next one to hand out.
static char **offers;
static size_t offered, room, next_offer;

enum { HISTORY = 5000, OFFERS = 4096 };

static void finished(char *text) {
  free(line);
  line = text;
  state = text ? 1 : 2;
  // The end of a line that is not shown is not shown either.
  if (!text || is_hidden) putchar('\n');
  // Else the prompt comes again at once.
  callback_handler_remove();
  fflush(stdout);
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
  // No names of files.
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

void creadline_glue(void) { *append_character = 0; }

void creadline_complete_with(void (*find)(const char *, int)) { finder = find; }

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
  SET(const char *, "rl_readline_name", "tooth");
  SET(int, "rl_catch_signals", 0);
  SET(int, "rl_catch_sigwinch", 0);
  SET(int, "rl_persistent_signal_handlers", 0);
  // All are shown: a question would stop the session.
  SET(int, "rl_completion_query_items", -1);
  SET(completion *, "rl_attempted_completion_function", complete);
  SET(const char *, "rl_completer_word_break_characters", " \t\n\"(),;:[]{}");
  // What is offered has its quotes.
  SET(const char *, "rl_basic_quote_characters", "");
  SET(prepare *, "rl_prep_term_function", leave_terminal_alone);
  SET(restore *, "rl_deprep_term_function", leave_it_alone);
  FIND(completion_is_over, "rl_attempted_completion_over");
  FIND(append_character, "rl_completion_append_character");
  FIND(variable_bind, "rl_variable_bind");
  variable_bind("page-completions", "off");
  // Columns of what is typed are counted in characters.
  if (setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8")) setlocale(LC_CTYPE, "C.UTF-8");
  stifle_history(HISTORY);
  return 0;
}

void creadline_begin(const char *prompt, int is_secret) {
  state = 0;
  is_hidden = is_secret;
  tty_set_echoing(!is_secret);
  callback_handler_install(prompt, finished);
}

void creadline_end(void) {
  callback_handler_remove();
  fflush(stdout);
}
void creadline_key(void) { callback_read_char(); }

int creadline_state(void) {
  int told = state;
  state = 0;
  return told;
}

const char *creadline_line(void) { return line ? line : ""; }
const char *creadline_typed(void) { return line_buffer && *line_buffer ? *line_buffer : ""; }

void creadline_hide(void) {
  clear_visible_line();
  // What comes next is not written through stdio.
  fflush(stdout);
}

void creadline_show(void) {
  on_new_line();
  redisplay();
}

void creadline_prompt(const char *prompt) { set_prompt(prompt); }

void creadline_clear(void) {
  replace_line("", 0);
  *point = 0;
}

void creadline_brackets(int are_wanted) {
  printf("\033[?2004%c", are_wanted ? 'h' : 'l');
  fflush(stdout);
}

void creadline_resize(int is_reading) {
  if (is_reading)
    resize_terminal();
  else
    reset_screen_size();
}
void creadline_remember(const char *text) { add_history(text); }
