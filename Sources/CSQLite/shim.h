#include <sqlite3.h>

// sqlite3_config takes any number of arguments, which Swift cannot call. Before the first database is opened.
static inline int csqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
