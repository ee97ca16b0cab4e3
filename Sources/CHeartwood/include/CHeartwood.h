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

// MARK: What a thread keeps between two of its messages

// Only its own thread touches it; freed when the thread ends.
struct hw_thread {
    // The buffer for the next message, an owned reference; null while a message is being built.
    void *spare;
    // The kernel's number of the thread.
    uint64_t id;
    // The logger whose hook runs on this thread, and the formatter whose other `format` stands below on the stack.
    const void *running_node;
    const void *formatter;
    uint64_t name_expires;
    // The thread's name in UTF-8; empty when nobody gave it one.
    uint8_t name_size;
    // Whether the message that the hook handles was itself logged inside a hook.
    bool handles_reentrant;
    // Whether the handler of the diagnostics runs.
    bool reporting;
    // Whether a logger's flush hook runs.
    bool flushing;
    char name[64];
};

extern _Thread_local struct hw_thread *hw_this_thread __attribute__((tls_model("initial-exec")));

// How a spare buffer is freed; set by Swift before there is one.
void hw_set_free_spare(void (*free_spare)(void *));

struct hw_thread *hw_thread_make(void);

static inline struct hw_thread *hw_thread_current(void) {
    struct hw_thread *thread = hw_this_thread;
    return __builtin_expect(thread != NULL, 1) ? thread : hw_thread_make();
}

// Reads the thread's name again.
void hw_thread_read_name(struct hw_thread *thread, uint64_t ticks);

// Reads the thread's name again if the last reading is older than about a second.
static inline void hw_thread_refresh_name(struct hw_thread *thread, uint64_t ticks) {
    if (ticks >= thread->name_expires) hw_thread_read_name(thread, ticks);
}

// The label of the dispatch queue that runs the caller, or null.
const char *hw_queue_label(void);

// The running task, or null.
void *swift_task_getCurrent(void) __attribute__((swiftcall));

static inline bool hw_in_task(void) { return swift_task_getCurrent() != NULL; }

// MARK: The gate of the shared dispatcher's default category

extern _Atomic uint32_t hw_shared_gate;

static inline uint32_t hw_shared_gate_load(void) {
    return atomic_load_explicit(&hw_shared_gate, memory_order_relaxed);
}
static inline void hw_shared_gate_store(uint32_t mask) {
    atomic_store_explicit(&hw_shared_gate, mask, memory_order_relaxed);
}

// Two objects of Swift's that live for ever, reached without the check whether they have been made: null until then.
extern _Atomic(const void *) hw_shared_intake;
extern _Atomic(const void *) hw_call_sites;

static inline const void *hw_shared_intake_load(void) {
    return atomic_load_explicit(&hw_shared_intake, memory_order_acquire);
}
static inline const void *hw_call_sites_load(void) {
    return atomic_load_explicit(&hw_call_sites, memory_order_acquire);
}
void hw_shared_intake_store(const void *intake);
void hw_call_sites_store(const void *table);

// Whether this process is the child of a `fork`, which has no dispatch queues that work.
extern _Atomic bool hw_forked_child;

static inline bool hw_forked_child_load(void) {
    return atomic_load_explicit(&hw_forked_child, memory_order_relaxed);
}
// Sets it; calls take the long way from then on, where it is looked at.
void hw_forked_child_set(void);

// Whether any task or category has, or ever had, fields of its own.
extern _Atomic bool hw_outer_fields_used;

static inline bool hw_outer_fields_load(void) {
    return atomic_load_explicit(&hw_outer_fields_used, memory_order_relaxed);
}
static inline void hw_outer_fields_set(void) {
    atomic_store_explicit(&hw_outer_fields_used, true, memory_order_relaxed);
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
