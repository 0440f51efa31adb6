#include <sqlite3.h>

// sqlite3_config is variadic, so Swift cannot call it. Call this before the first database is
// opened.
static inline int csqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
