// What Swift cannot import from the system, and the few operations that must be inlined C.
#ifndef CHEARTWOOD_H
#define CHEARTWOOD_H

// The C library comes along, so that `import CHeartwood` is the one import that system code needs.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline int hw_errno(void) { return errno; }

// MARK: Cycle counter

// The counter that a call is stamped with; converted to wall time by whoever reads the record.
static inline uint64_t hw_ticks(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

// Whether `hw_ticks` advances at one rate on every core and in every power state.
bool hw_ticks_are_reliable(void);

// MARK: Thread identity

extern _Thread_local void *hw_thread_state __attribute__((tls_model("initial-exec")));

// One pointer per thread, owned by Swift; null until the thread's first message.
static inline void *hw_thread_state_get(void) { return hw_thread_state; }

// Sets the pointer; `destructor` is called with it when the thread ends.
void hw_thread_state_set(void *state, void (*destructor)(void *));

// The kernel's number of the calling thread.
uint64_t hw_thread_id(void);

// Copies the calling thread's name, cut to `capacity` bytes, without a final zero; returns its length.
size_t hw_thread_name(char *buffer, size_t capacity);

// The label of the dispatch queue that runs the caller, or null.
const char *hw_queue_label(void);

// MARK: The gate of the shared dispatcher's default category

extern _Atomic uint32_t hw_shared_gate;

static inline uint32_t hw_shared_gate_load(void) {
    return atomic_load_explicit(&hw_shared_gate, memory_order_relaxed);
}
static inline void hw_shared_gate_store(uint32_t mask) {
    atomic_store_explicit(&hw_shared_gate, mask, memory_order_relaxed);
}

// MARK: Sanitizer annotations (no-ops outside a thread-sanitizer build)

void hw_tsan_acquire(void *address);
void hw_tsan_release(void *address);

// MARK: Files

// When the file was begun (its birth), in ns since 1970, or -1 where the file system does not say.
int64_t hw_file_birth(int fd);

// Waits until `descriptor` takes bytes, `milliseconds` at most (-1: without limit); poll(2)'s result.
int hw_wait_writable(int descriptor, int milliseconds);

// write(2) that neither SIGPIPE nor SIGXFSZ can turn into the death of the process: EPIPE or EFBIG instead.
ssize_t hw_write_quietly(int descriptor, const void *bytes, size_t count);

#endif
