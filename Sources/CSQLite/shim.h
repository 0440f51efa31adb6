#include <sqlite3.h>
#include <stdlib.h>

// The locks of a write-ahead log (sqlite.org/walformat.html, 2.3) that the only writer of a database keeps between its commits: six calls of fcntl
// less for each. Readers come and go as before. The lock to write is kept because nobody else writes. The lock on a read mark is kept, and the mark
// stays where it is: behind the log's end it protects more frames than it must. Both are given back when the log is moved or begun anew.

enum { CSQLITE_WRITE = 0, CSQLITE_CHECKPOINT = 1, CSQLITE_READ = 3, CSQLITE_FIRST_MARK = 4 };

struct csqlite_locks {
  // First: a file leads to it.
  sqlite3_io_methods methods;
  const sqlite3_io_methods *real;
  int writes;
  // The shared lock that is held; 0 for none.
  int mark;
  int moves;
};

static inline void csqlite_let_go(struct csqlite_locks *locks, sqlite3_file *file) {
  if (locks->mark) locks->real->xShmLock(file, locks->mark, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_SHARED);
  locks->mark = 0;
}

static inline int csqlite_shm_lock(sqlite3_file *file, int place, int count, int flags) {
  struct csqlite_locks *locks = (struct csqlite_locks *)file->pMethods;
  int takes = flags & SQLITE_SHM_LOCK;
  if (flags & SQLITE_SHM_SHARED && place >= CSQLITE_READ) {
    if (!takes || locks->mark == place) return SQLITE_OK;
    csqlite_let_go(locks, file);
    int code = locks->real->xShmLock(file, place, count, flags);
    if (code == SQLITE_OK) locks->mark = place;
    return code;
  }
  if (place == CSQLITE_WRITE && count == 1) {
    if (!takes || locks->writes) return SQLITE_OK;
    int code = locks->real->xShmLock(file, place, count, flags);
    locks->writes = code == SQLITE_OK;
    return code;
  }
  if (flags & SQLITE_SHM_EXCLUSIVE && takes) {
    // To set a mark anew, but for a checkpoint: the one that is held will do.
    if (count == 1 && place >= CSQLITE_FIRST_MARK && locks->mark >= CSQLITE_FIRST_MARK && !locks->moves) return SQLITE_BUSY;
    if (place <= locks->mark && locks->mark < place + count) csqlite_let_go(locks, file);
  }
  int code = locks->real->xShmLock(file, place, count, flags);
  if (code == SQLITE_OK && place <= CSQLITE_CHECKPOINT && CSQLITE_CHECKPOINT < place + count) locks->moves = takes;
  return code;
}

static inline sqlite3_file *csqlite_file(sqlite3 *database) {
  sqlite3_file *file = NULL;
  if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file) return NULL;
  return file->pMethods && file->pMethods->iVersion >= 2 ? file : NULL;
}

// Where it cannot be done, locks are taken and given back as ever.
static inline void csqlite_keep_locks(sqlite3 *database) {
  sqlite3_file *file = csqlite_file(database);
  struct csqlite_locks *locks = file ? calloc(1, sizeof *locks) : NULL;
  if (!locks) return;
  locks->real = file->pMethods;
  locks->methods = *file->pMethods;
  locks->methods.xShmLock = csqlite_shm_lock;
  file->pMethods = &locks->methods;
}

// Before the database is closed.
static inline void csqlite_give_locks(sqlite3 *database) {
  sqlite3_file *file = csqlite_file(database);
  if (!file || file->pMethods->xShmLock != csqlite_shm_lock) return;
  struct csqlite_locks *locks = (struct csqlite_locks *)file->pMethods;
  csqlite_let_go(locks, file);
  if (locks->writes) locks->real->xShmLock(file, CSQLITE_WRITE, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE);
  file->pMethods = locks->real;
  free(locks);
}
