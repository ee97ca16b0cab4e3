// write(2) alone, of text that is ready: `write pieces|lines|calls FILE LINES`; prints lines per second, or ns per call.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    const char *line = "2026-11-20 10:20:30.123Z info    CallScenarios.swift:10 request 123456 from user-1234 took 12.5 ms\n";
    size_t size = strlen(line);
    long lines = atol(arguments[3]), done = 0;
    int file = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (file < 0) return 1;
    size_t per_piece = strcmp(arguments[1], "pieces") != 0 ? 1 : 65536 / size;
    char *piece = malloc(per_piece * size);
    for (size_t i = 0; i < per_piece; i++) memcpy(piece + i * size, line, size);
    double start = now();
    while (done < lines) {
        if (write(file, piece, per_piece * size) != (ssize_t)(per_piece * size)) return 1;
        done += per_piece;
    }
    double seconds = now() - start;
    printf("%f\n", strcmp(arguments[1], "calls") == 0 ? seconds * 1e9 / done : done / seconds);
}
