#include <sqlite3.h>

// sqlite3_config is variadic, which Swift cannot call. Must be called before the first database is
// opened.
static inline int csqlite_without_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
