// SQLite's own library on the same work: `sqlite normal|full FILE ROWS`; prints rows per second.
// One prepared INSERT into a table like Heartwood's, with the same indexes and pragmas, and 500 rows per transaction.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void run(sqlite3 *database, const char *text) {
    char *error = NULL;
    if (sqlite3_exec(database, text, NULL, NULL, &error) == SQLITE_OK) return;
    fprintf(stderr, "%s: %s\n", text, error);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const long rows = atol(arguments[3]);
    enum { per_transaction = 500 };
    int64_t start = nanoseconds(CLOCK_MONOTONIC);
    sqlite3 *database;
    if (sqlite3_open(arguments[2], &database) != SQLITE_OK) return 1;
    run(database, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 4194304");
    run(database, strcmp(arguments[1], "full") == 0 ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    run(database,
        "CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, level INTEGER NOT NULL,"
        " category TEXT NOT NULL, message TEXT NOT NULL, metadata TEXT, context INTEGER NOT NULL, file TEXT NOT NULL,"
        " function TEXT NOT NULL, line INTEGER NOT NULL, thread INTEGER NOT NULL, thread_name TEXT, queue TEXT,"
        " task TEXT, sequence INTEGER NOT NULL, process INTEGER NOT NULL);"
        "CREATE INDEX messages_by_time ON messages (time);"
        "CREATE INDEX messages_by_level ON messages (level, time);"
        "CREATE INDEX messages_by_category ON messages (category, time)");
    sqlite3_stmt *insert;
    const char *text =
        "INSERT INTO messages (time, level, category, message, metadata, context, file, function, line, thread,"
        " thread_name, queue, task, sequence, process) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    if (sqlite3_prepare_v2(database, text, -1, &insert, NULL) != SQLITE_OK) return 1;
    static const char *const categories[] = {"benchmark.0", "benchmark.1", "benchmark.2", "benchmark.3"};
    for (long row = 0; row < rows; row++) {
        if (row % per_transaction == 0) run(database, "BEGIN IMMEDIATE");
        char message[80], metadata[80];
        int size = snprintf(message, sizeof message, "request %ld of user alice took 12.5 ms", row);
        int more = snprintf(metadata, sizeof metadata, "{\"request\":%ld,\"user\":\"alice\",\"ms\":12.5}", row);
        sqlite3_bind_int64(insert, 1, nanoseconds(CLOCK_REALTIME));
        sqlite3_bind_int64(insert, 2, 4);
        sqlite3_bind_text(insert, 3, categories[row & 3], -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, message, size, SQLITE_STATIC);
        sqlite3_bind_text(insert, 5, metadata, more, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 6, 0);
        sqlite3_bind_text(insert, 7, "heartwood_benchmark/SQLiteScenarios.swift", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 8, "fillDatabase(_:count:synchronous:)", -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 9, 90);
        sqlite3_bind_int64(insert, 10, 12345);
        sqlite3_bind_null(insert, 11);
        sqlite3_bind_text(insert, 12, "com.apple.main-thread", -1, SQLITE_STATIC);
        sqlite3_bind_null(insert, 13);
        sqlite3_bind_int64(insert, 14, row);
        sqlite3_bind_int64(insert, 15, 4321);
        if (sqlite3_step(insert) != SQLITE_DONE) return 1;
        sqlite3_reset(insert);
        if (row % per_transaction == per_transaction - 1 || row == rows - 1) run(database, "COMMIT");
    }
    sqlite3_finalize(insert);
    double seconds = (nanoseconds(CLOCK_MONOTONIC) - start) / 1e9;
    sqlite3_close(database);
    printf("%f\n", rows / seconds);
}
