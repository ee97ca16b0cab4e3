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
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach/mach_time.h>
#endif
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

// For what the handler of a fault calls: no sanitizer sees its accesses. The fault may be inside an atomic access of the
// thread sanitizer's own, which holds a lock of the thread then; an access that it sees would wait for that lock forever.
#if __has_attribute(disable_sanitizer_instrumentation)
#define HW_FAULT_HANDLER __attribute__((disable_sanitizer_instrumentation))
#else
#define HW_FAULT_HANDLER
#endif

static inline int hw_errno(void) { return errno; }

// A clock of the system, in nanoseconds. Here, because which module a `timespec` belongs to depends on the build.
static inline int64_t hw_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The clock that timers follow: it stands still while the machine sleeps.
static inline int64_t hw_uptime(void) {
#if defined(__APPLE__)
    return (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
#else
    return hw_clock(CLOCK_MONOTONIC);
#endif
}

// When a file was last written, in nanoseconds since 1970; what is out of range wraps around.
static inline int64_t hw_modified(const struct stat *info) {
#if defined(__APPLE__)
    struct timespec time = info->st_mtimespec;
#else
    struct timespec time = info->st_mtim;
#endif
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

// Sets when a file was last read and written; `nanoseconds` are 0 to 999999999.
static inline int hw_set_modified(int descriptor, int64_t seconds, int64_t nanoseconds) {
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)nanoseconds};
    struct timespec times[2] = {time, time};
    return futimens(descriptor, times);
}

// Limits how long a write to a socket waits, in seconds.
static inline int hw_limit_writes(int descriptor, int32_t seconds) {
    struct timeval limit = {.tv_sec = seconds};
    return setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

// MARK: Cycle counter

// The counter that a call is stamped with; converted to wall time by whoever reads the record.
//
// Apple's own counter there: that of an Intel processor starts again when the machine wakes up.
static inline uint64_t hw_ticks(void) {
#if defined(__APPLE__)
    return mach_absolute_time();
#elif defined(__x86_64__)
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

// How many ticks a second has; on Intel and AMD about that.
uint64_t hw_ticks_per_second(void);

// MARK: What a thread keeps between two of its messages

// The label of a dispatch queue.
struct hw_label {
    const char *text;
    size_t size;
};

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
    // Whether a value of the next message was cut, as it was nested too deep.
    bool cut_value;
    char name[64];
    // The label that the thread had last, if it is one that never ends; its size need not be counted again.
    struct hw_label label;
    // How many locks the thread holds or waits for; read by a thread that forks.
    uint32_t locks;
    struct hw_thread *next, *before;
};

extern _Thread_local struct hw_thread *hw_this_thread __attribute__((tls_model("initial-exec")));

// How a spare buffer is freed; set by Swift before there is one.
void hw_set_free_spare(void (*free_spare)(void *));

struct hw_thread *hw_thread_make(void);

static inline struct hw_thread *hw_thread_current(void) {
    struct hw_thread *thread = hw_this_thread;
    return __builtin_expect(thread != NULL, 1) ? thread : hw_thread_make();
}

// MARK: Locks around a fork

// The thread that forks, from before the fork until after it.
extern _Atomic(struct hw_thread *) hw_forker;

void hw_lock_wait(struct hw_thread *thread);

// Called before a lock is taken, and after it was opened: while a thread forks, no other one takes its first lock.
static inline void hw_lock_enter(void) {
    struct hw_thread *thread = hw_thread_current();
    uint32_t locks = thread->locks;
    __atomic_store_n(&thread->locks, locks + 1, __ATOMIC_RELAXED);
    // The barrier that makes the thread that forks see this, or this thread see that one, is on that thread's side alone.
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&hw_forker, memory_order_relaxed) != NULL, 0) && locks == 0) {
        hw_lock_wait(thread);
    }
}
static inline void hw_lock_leave(void) {
    struct hw_thread *thread = hw_this_thread;
    if (!thread) return;
    __atomic_store_n(&thread->locks, thread->locks - 1, __ATOMIC_RELEASE);
}

// Waits until no other thread holds a lock, so many milliseconds at most, and lets none take one until the second call.
bool hw_fork_begin(int milliseconds);
void hw_fork_end(bool is_child);

// Reads the thread's name again.
void hw_thread_read_name(struct hw_thread *thread, uint64_t ticks);

// Reads the thread's name again if the last reading is older than about a second.
static inline void hw_thread_refresh_name(struct hw_thread *thread, uint64_t ticks) {
    if (ticks >= thread->name_expires) hw_thread_read_name(thread, ticks);
}

// The label of the dispatch queue that runs the calling thread, and its size, 255 at most; 0 for none.
struct hw_label hw_queue_label(struct hw_thread *thread);

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

// Whether levels are set for source files: calls that pass the gate then ask for theirs.
extern _Atomic bool hw_source_levels_used;

static inline bool hw_source_levels_load(void) {
    return atomic_load_explicit(&hw_source_levels_used, memory_order_relaxed);
}
static inline void hw_source_levels_store(bool used) {
    atomic_store_explicit(&hw_source_levels_used, used, memory_order_relaxed);
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

// The number of the process, without a system call: kept where a child finds zero, however it was forked.
extern _Atomic(_Atomic int32_t *) hw_process_kept;

int32_t hw_process_ask(void);

static inline int32_t hw_process(void) {
    _Atomic int32_t *kept = atomic_load_explicit(&hw_process_kept, memory_order_acquire);
    int32_t number = kept ? atomic_load_explicit(kept, memory_order_relaxed) : 0;
    return number != 0 ? number : hw_process_ask();
}

// Whether any task or category has, or ever had, fields of its own.
extern _Atomic bool hw_outer_fields_used;

static inline bool hw_outer_fields_load(void) {
    return atomic_load_explicit(&hw_outer_fields_used, memory_order_relaxed);
}
static inline void hw_outer_fields_set(void) {
    atomic_store_explicit(&hw_outer_fields_used, true, memory_order_relaxed);
}

// MARK: Bytes of texts

// Copies bytes; what is short, as most texts are, without a call.
static inline __attribute__((always_inline)) void hw_copy(void *target, const void *source, size_t count) {
    uint8_t *to = (uint8_t *)target;
    const uint8_t *from = (const uint8_t *)source;
    // The last step copies some bytes again.
    if (count > 128) {
        memcpy(to, from, count);
    } else if (count >= 32) {
        const uint8_t *last = from + count - 32;
        uint8_t *last_to = to + count - 32;
        while (from < last) {
            memcpy(to, from, 32);
            from += 32;
            to += 32;
        }
        memcpy(last_to, last, 32);
    } else if (count >= 16) {
        memcpy(to, from, 16);
        memcpy(to + count - 16, from + count - 16, 16);
    } else if (count >= 8) {
        memcpy(to, from, 8);
        memcpy(to + count - 8, from + count - 8, 8);
    } else if (count >= 4) {
        memcpy(to, from, 4);
        memcpy(to + count - 4, from + count - 4, 4);
    } else {
        for (size_t index = 0; index < count; index++) to[index] = from[index];
    }
}

typedef int8_t hw_bytes16 __attribute__((vector_size(16)));

// Marks what is not printable ASCII, and `special`, `other` and the backslash; the blank, too, with 0x21 as the `least`.
static inline hw_bytes16 hw_marks_below(hw_bytes16 bytes, int8_t least, int8_t special, int8_t other) {
    // Signed: what is not ASCII is below the blank, too; and so is DEL, with one added to all.
    typedef uint8_t hw_unsigned16 __attribute__((vector_size(16)));
    hw_bytes16 next = (hw_bytes16)((hw_unsigned16)bytes + 1);
    return (next < (int8_t)(least + 1)) | (bytes == special) | (bytes == other) | (bytes == 0x5C);
}

static inline hw_bytes16 hw_marks(hw_bytes16 bytes, int8_t special) {
    return hw_marks_below(bytes, 0x20, special, special);
}

static inline bool hw_has_marks(hw_bytes16 marks) {
    uint64_t halves[2];
    memcpy(halves, &marks, 16);
    return (halves[0] | halves[1]) != 0;
}

// Whether no byte is marked.
static inline __attribute__((always_inline)) bool hw_has_no_marks(
    const void *bytes, size_t count, int8_t least, int8_t special, int8_t other) {
    const uint8_t *place = (const uint8_t *)bytes;
    hw_bytes16 block;
    if (count < 16) {
        // Filled up with what is never marked, in two steps of eight.
        memset(&block, 'a', 16);
        if (count >= 8) {
            memcpy(&block, place, 8);
            memcpy((uint8_t *)&block + 8, place + count - 8, 8);
        } else if (count >= 4) {
            memcpy(&block, place, 4);
            memcpy((uint8_t *)&block + 4, place + count - 4, 4);
        } else {
            for (size_t index = 0; index < count; index++) ((uint8_t *)&block)[index] = place[index];
        }
        return !hw_has_marks(hw_marks_below(block, least, special, other));
    }
    for (size_t index = 0;;) {
        memcpy(&block, place + index, 16);
        if (hw_has_marks(hw_marks_below(block, least, special, other))) return false;
        if (index + 16 == count) return true;
        // The last sixteen bytes, some of which have been looked at before.
        index = index + 32 <= count ? index + 16 : count - 16;
    }
}

// Whether bytes are all printable ASCII, and neither a backslash nor `special`.
static inline bool hw_is_plain(const void *bytes, size_t count, int8_t special) {
    return hw_has_no_marks(bytes, count, 0x20, special, special);
}

// Whether bytes are all printable ASCII, and neither blanks, backslashes, quotation marks nor equals signs.
static inline bool hw_is_word(const void *bytes, size_t count) {
    return hw_has_no_marks(bytes, count, 0x21, '"', '=');
}

extern const char hw_digit_pairs[200];
extern const uint64_t hw_powers_of_ten[20];

static inline uint64_t hw_power_of_ten(int exponent) { return hw_powers_of_ten[exponent]; }

// How many decimal digits a number has; 1 for 0.
static inline int hw_decimal_size(uint64_t value) {
    // 1,233 / 4,096 is about the logarithm of 2: the guess is right, or one too small. 0 has as many digits as 1.
    value |= 1;
    int guess = (64 - __builtin_clzll(value)) * 1233 >> 12;
    return guess + (value >= hw_powers_of_ten[guess]);
}

// Writes `size` decimal digits, with zeros in front; two at a time, from the end.
static inline void hw_write_decimal(uint64_t value, int size, uint8_t *target) {
    while (size >= 2) {
        size -= 2;
        memcpy(target + size, hw_digit_pairs + value % 100 * 2, 2);
        value /= 100;
    }
    if (size == 1) target[0] = (uint8_t)('0' + value % 10);
}

// Writes a number with as many digits as it has, and up to seven bytes after them; returns how many digits it has.
static inline int hw_write_integer(uint64_t value, uint8_t *target) {
    if (value >= 100000000) {
        int size = hw_decimal_size(value);
        hw_write_decimal(value, size, target);
        return size;
    }
    // All eight digits at once, one in each byte, the first in the lowest: fours, then pairs, then digits.
    uint64_t fours = value / 10000 | value % 10000 << 32;
    uint64_t high = fours * 10486 >> 20 & 0x0000007F0000007Fu;
    uint64_t pairs = high | (fours - high * 100) << 16;
    uint64_t tens = pairs * 103 >> 10 & 0x000F000F000F000Fu;
    uint64_t digits = tens | (pairs - tens * 10) << 8;
    int zeros = __builtin_ctzll(digits | (uint64_t)1 << 56) & 56;
    digits = (digits | 0x3030303030303030u) >> zeros;
    memcpy(target, &digits, 8);
    return 8 - zeros / 8;
}

// Writes a number exactly as `Double.description` does, with the fewest digits that identify it; there must be room for 32
// bytes. Returns how many bytes these are; 0 for a number with more than 15 digits or 9 after the point, a very small or very
// large one, and one that is not finite: for these, `description` decides.
int hw_write_double(double value, uint8_t *target);

// MARK: Plain texts

// Writes the text of a message whose pieces are literals, strings, integers, Booleans, and doubles that `hw_write_double`
// writes, all of them without privacy and format (PieceTag in PieceEncoding.swift); `has_names` becomes true if one has a
// name. 16 bytes after the pieces can be read. `out` has room for three times the pieces' size and 64 bytes more.
//
// Returns the end of what was written; null if there is another piece, a byte that is not printable ASCII, a backslash, or
// `special`. Then the content of `out` is undefined. Its twin in Swift is `LogBuffer.appendPieces`; `PlainTextTests` holds
// the two equal.
uint8_t *hw_write_pieces(const void *pieces, size_t size, uint8_t *out, int8_t special, bool *has_names);

// MARK: Records of a journal

typedef uint64_t __attribute__((may_alias)) hw_word;

static inline uint64_t hw_fold(uint64_t left, uint64_t right) {
    unsigned __int128 product = (unsigned __int128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// The check of `words`, from `first` to before `count`: products of pairs, each pair with keys of its own, so that they
// do not depend on each other and the processor makes several at a time.
static inline uint64_t hw_fold_words(const hw_word *words, size_t first, size_t count, uint64_t sum) {
    uint64_t left = sum ^ 0x9E3779B97F4A7C15u, right = sum ^ 0xD1B54A32D192ED03u;
    size_t index = first;
    for (; index + 1 < count; index += 2) {
        sum ^= hw_fold(words[index] ^ left, words[index + 1] ^ right);
        left += 0xA0761D6478BD642Fu;
        right += 0xE7037ED1A0B428DBu;
    }
    if (index < count) sum ^= hw_fold(words[index] ^ left, right);
    return hw_fold(sum ^ 0x8EBC6AF09C88C6E3u, count ^ 0x589965CC75374CC3u);
}

// The check of bytes anywhere, the last word filled up with zeros.
static inline uint64_t hw_fold_bytes(const void *bytes, size_t count, uint64_t sum) {
    const uint8_t *place = (const uint8_t *)bytes;
    uint64_t left = sum ^ 0x9E3779B97F4A7C15u, right = sum ^ 0xD1B54A32D192ED03u, pair[2];
    size_t rest = count;
    for (; rest >= 16; rest -= 16, place += 16) {
        memcpy(pair, place, 16);
        sum ^= hw_fold(pair[0] ^ left, pair[1] ^ right);
        left += 0xA0761D6478BD642Fu;
        right += 0xE7037ED1A0B428DBu;
    }
    pair[0] = pair[1] = 0;
    if (count >= 16) {
        // The last 16 bytes, of which some have been taken already: shifted out where that is so.
        if (rest > 8) {
            memcpy(&pair[0], place, 8);
            memcpy(&pair[1], place + rest - 8, 8);
            pair[1] >>= 8 * (16 - rest);
        } else if (rest > 0) {
            memcpy(&pair[0], place + rest - 8, 8);
            pair[0] >>= 8 * (8 - rest);
        }
    } else {
        memcpy(pair, place, rest);
    }
    return sum ^ hw_fold(pair[0] ^ left, pair[1] ^ right ^ (uint64_t)count << 1);
}

// The check of a record whose text and fields are at `body`: of its words but the first and the eighth, where the check
// is kept, and of the body; the names of thread, queue and task have none.
static inline uint64_t hw_record_check(const void *record, const void *body, size_t count, uint64_t seed) {
    return hw_fold_words((const hw_word *)record, 1, 7, seed) + 3 * hw_fold_bytes(body, count, ~seed);
}

// MARK: The ring, as its producers see it

// The memory of a `RecordRing`, whose invariants hold here; `RingMemory` has the rest.
struct hw_ring {
    uint8_t *base;
    int64_t capacity;
    // A larger record takes another way.
    int64_t maximum_record;
    // After it, on the same cache line, is the salt of the journal that the memory belongs to; 0 for none.
    uint64_t *tail;
    uint64_t *head;
    // The address of the pad that records are encrypted with; 0 where they are not.
    uintptr_t *pad;
};

// Where a record of `size` bytes is reserved, and how full the ring was before; -1 for none.
struct hw_room {
    int64_t used;
    int64_t size;
};

enum { hw_record_message = 1, hw_record_control = 2, hw_record_filler = 3 };

// Makes a reserved and written record visible to the consumer.
static inline void hw_ring_publish(
    const struct hw_ring *ring, uint64_t position, int64_t size, uint64_t kind) {
    uint64_t *word = (uint64_t *)(ring->base + (position & (uint64_t)(ring->capacity - 1)));
    __atomic_store_n(word, (uint64_t)size | kind << 32, __ATOMIC_RELEASE);
}

// Reserves `size` bytes, a multiple of 8 and at most `maximum_record`; says how full the ring was before, or -1 when
// it is full.
static inline __attribute__((always_inline)) int64_t hw_ring_reserve(
    const struct hw_ring *ring, int64_t size, uint64_t *position) {
    while (true) {
        uint64_t tail = __atomic_load_n(ring->tail, __ATOMIC_RELAXED);
        uint64_t head = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
        int64_t capacity = ring->capacity;
        int64_t rest = capacity - (int64_t)(tail & (uint64_t)(capacity - 1));
        int64_t filler = size <= rest ? 0 : rest;
        int64_t used = (int64_t)(tail - head);
        if (__builtin_expect(used + filler + size > capacity, 0)) {
            // `tail` may be older than `head`: look again, unless the ring really is full.
            if (__atomic_load_n(ring->tail, __ATOMIC_RELAXED) != tail) continue;
            return -1;
        }
        // Sequentially consistent, together with the drain's falling asleep: see `RingConsumer`.
        uint64_t end = tail + (uint64_t)(filler + size);
        if (!__atomic_compare_exchange_n(ring->tail, &tail, end, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) continue;
        if (__builtin_expect(filler > 0, 0)) hw_ring_publish(ring, tail, filler, hw_record_filler);
        *position = tail + (uint64_t)filler;
        return used;
    }
}

// Puts a message that is a text alone into the ring, with the names and the time of its call, unless something is out
// of the ordinary: the call is in a hook, there are fields from outside, records are encrypted, or there is no room.
//
// `place` is the number of the call's site, and above it that of its category. Its twin is `RingMemory.write` in Swift,
// which writes any message; `RecordRingTests.plain` holds the two equal.
struct hw_room hw_ring_put(
    const struct hw_ring *ring, const void *text, size_t count, uint64_t place, int64_t context,
    uint32_t level);

// MARK: Sanitizer annotations (no-ops outside a thread-sanitizer build)

void hw_tsan_acquire(void *address);
void hw_tsan_release(void *address);

// Whole pages of zeros that cost nothing until they are used, given out once; null after that, or for more than there is.
void *hw_memory_reserve(size_t size);

// Moves mapped memory of whole pages, in one step, to a place where other memory is mapped, which goes.
HW_FAULT_HANDLER bool hw_move_memory(void *from, void *to, size_t size);

// MARK: Processes

// When a process was started, by a clock of the system's; 0 where the system does not say, or there is none.
uint64_t hw_process_start(int64_t process);
// The 16 bytes of the boot's id; zeros where the system does not say.
void hw_boot_id(uint8_t *id);
// openat(2). On Apple's devices a file that is created can be used from the first unlocking on, whatever the program's default.
enum { hw_readable_after_first_unlock = 3 };
int hw_open_file(int directory, const char *name, int flags, uint32_t mode);
// Allocates all blocks of a file up to `size`; 0, or -1 with errno.
int hw_allocate(int descriptor, int64_t size);
// Closes what a descriptor stands for, and keeps the number taken, so that closing it later does no harm.
void hw_let_go(int descriptor);

// As pipe, dup and mkstemp; programs that are started do not inherit what they open.
int hw_pipe(int ends[2]);
int hw_duplicate(int descriptor);
int hw_temporary_file(char *path);

// MARK: Sockets

// None of these sockets blocks, survives an exec, or raises SIGPIPE. Errors are in errno.

struct hw_address {
    struct sockaddr_storage storage;
    socklen_t size;
};

// A socket connected to a path; -1 where there is nobody.
int hw_connect_local(const char *path, bool stream);

// The addresses of a host and a port, so many at the most; their number, or a negative code of `hw_resolve_reason`.
// Waits for the network, unless only `numeric` addresses are understood.
int hw_resolve(
    const char *host, const char *port, bool stream, bool numeric, struct hw_address *addresses, int capacity);
const char *hw_resolve_reason(int error);

// A socket that is connected, or is being connected: then it becomes writable, and `hw_socket_error` says how it went.
int hw_connect(const struct hw_address *address, bool stream);
int hw_socket_error(int descriptor);

// The next connection of a listening socket; blocks.
int hw_accept(int listener);

ssize_t hw_send(int descriptor, const void *bytes, size_t count);

// Whether the other end of a stream, which never sends anything, is gone.
bool hw_peer_has_closed(int descriptor);

// Sends bytes as a sealed file in memory, in a datagram that has nothing else in it (SCM_RIGHTS); 0 or -1.
int hw_send_in_file(int descriptor, const void *bytes, size_t count);

// MARK: Mapped files that may be cut

// Keeps an access to a mapping from ending the process when the file under it was cut: zeros of this process alone are
// put in its place. Of a ring, `consumed` is a position that only grows, and `tail` and `head` are where its counters are;
// it is full then. False where too much is guarded.
bool hw_guard_add(
    void *start, size_t size, const uint64_t *consumed, size_t capacity, size_t tail, size_t head);
void hw_guard_remove(const void *start);
// Whether that has happened to guarded memory.
bool hw_guard_was_hit(const void *start);
// Does the same without a fault, to a file that is known to be cut; false where there is no memory for it.
bool hw_guard_hit(const void *start);
// For handlers of SIGBUS: whether the fault was one of those, and the access may happen again.
HW_FAULT_HANDLER bool hw_guard_repair(const siginfo_t *info);

// MARK: Fatal signals

// Has the first fatal signal that comes written to `place`, six words of which the first becomes 1 when the others are
// there: number, code, address, thread, ns since 1970. Then the handler that was there before acts. False: too many.
bool hw_note_fatal_signals(uint64_t *place);
void hw_ignore_fatal_signals(uint64_t *place);

// From now on each of these signals has `work` called on a thread of its own, and then does what it did before; a second one
// meanwhile does that at once. One that is ignored stays ignored. 0, or an errno.
int hw_ending_install(const int *numbers, int count, void (*work)(int));

// SIGHUP: from the first to the second call it is noted, and the handler that was there before is called. The third takes
// the note; false where there is none.
bool hw_hangup_install(void);
void hw_hangup_uninstall(void);
bool hw_hangup_take(void);

// MARK: Queues, on Linux

// Has the dispatch queue of the block that calls it known `key`, and returns the queue. Unlike DispatchSpecificKey this has
// libdispatch release nothing, for which it would wait for a thread.
void *hw_queue_mark(const void *key);
void hw_queue_unmark(void *queue, const void *key);
// Whether the caller is in a block of a queue that knows `key`, or of one whose target does.
bool hw_queue_is_marked(const void *key);

// MARK: Files

// When the file was begun (its birth), in ns since 1970, or -1 where the file system does not say.
int64_t hw_file_birth(int fd);

// How many bytes from `offset` on are a hole of the file, which reads as zeros; 0 where that is not known.
int64_t hw_file_hole(int fd, int64_t offset);

// An extended attribute of an open file: how many bytes it has, or -1. A null `value` to set removes the attribute; 0 where
// that is done.
int64_t hw_attribute_get(int file, const char *name, void *value, size_t size);
int hw_attribute_set(int file, const char *name, const void *value, size_t size);

// Waiting for changes of files: a descriptor for all of them, or -1 where the system has none left or no such thing.
int hw_watch_open(void);
// Watches an open file for what is written to it, cut from it, or done to its names; the number to give it up by, the same one
// if it is watched already, or -1. Apple's systems watch open directories as well, for names that come and go; Linux does so by
// path.
int hw_watch_file(int watch, int descriptor);
#ifdef __linux__
int hw_watch_directory(int watch, const char *path);
#endif
void hw_watch_remove(int watch, int number);
// Waits for a change, `milliseconds` at most, and takes all changes that there are.
enum hw_change {
    hw_change_none,
    // Files were written to or cut, and nothing else.
    hw_change_content,
    hw_change_names,
};
enum hw_change hw_watch_wait(int watch, int milliseconds);

// Waits until `descriptor` takes bytes, `milliseconds` at most (-1: without limit); poll(2)'s result.
int hw_wait_writable(int descriptor, int milliseconds);

// As hw_wait_writable, until there is an error on a socket.
int hw_wait_error(int descriptor, int milliseconds);

// The one guarded entrance to calls that raise SIGPIPE or SIGXFSZ: between the two calls, on one thread, neither ends the
// process nor reaches a handler; the call fails with EPIPE or EFBIG instead. The second takes back what was raised,
// unless the caller knows that nothing was. They may be nested, and used in signal handlers.
//
// The descriptor is the one that is written to, or -1; only Apple's systems need it, where SIGPIPE is turned off for it for good,
// and where a handler of the program's still gets SIGXFSZ.
struct hw_quiet {
    sigset_t before;
    bool pipe_was_pending, size_was_pending, is_blocked;
};
void hw_quiet_begin(struct hw_quiet *quiet, int descriptor);
void hw_quiet_end(struct hw_quiet *quiet, bool may_have_raised);

// write(2), pwrite(2) and ftruncate(2) through it.
ssize_t hw_write_quietly(int descriptor, const void *bytes, size_t count);
ssize_t hw_write_at_quietly(int descriptor, const void *bytes, size_t count, int64_t offset);
int hw_truncate_quietly(int descriptor, int64_t size);

// write(2) in one system call, for a file below the process's limit as far as is known. Where the limit was lowered
// meanwhile it fails with EFBIG: a handler of SIGXFSZ takes the signals of such writes, and no others.
ssize_t hw_write_guarded(int descriptor, const void *bytes, size_t count);

// As hw_write_quietly, but never waits for a reader of a pipe, a socket or a terminal: EAGAIN instead. The flags of the
// descriptor, which other processes may share, stay as they are. `terminal` keeps an open file for a terminal, -1 at first,
// which the caller closes.
ssize_t hw_write_now(int descriptor, const void *bytes, size_t count, int *terminal);

// Writes a line as far as the reader takes it, waiting so long at most for one that has taken a part; returns how many bytes
// it took, keeps errno. For signal handlers as well.
size_t hw_write_line(int descriptor, const void *bytes, size_t count, int milliseconds);

// Writes the text and a newline in one write(2), 4096 bytes at most, by async-signal-safe means only, without waiting for the
// reader; keeps errno. On Apple's systems a pipe takes 512 bytes in one write.
void hw_emergency(int descriptor, const void *text, size_t count);

#ifdef __linux__
// MARK: A counting semaphore whose time limits do not follow the wall clock

struct hw_semaphore {
    _Atomic uint32_t count;
    _Atomic uint32_t waiters;
};

void hw_semaphore_signal(struct hw_semaphore *semaphore);

// Takes one, or gives up after so many nanoseconds.
bool hw_semaphore_wait(struct hw_semaphore *semaphore, int64_t nanoseconds);
#endif

// MARK: Searching

// Where `text` is in `bytes` for the first time; NULL where it is not. As memmem(3), which not every system declares.
const void *hw_find(const void *bytes, size_t count, const void *text, size_t length);

// The next place, from `from` on, where three bytes begin that `table` has; `count` where there is none. `which` gets a bit for
// each entry of the table that has them. The table is 256 words for the first byte, 256 for the second and 256 for the third:
// an entry has a bit in a byte's word if it allows that byte there. Behind the last byte, zeros are looked at.
size_t hw_next_trigger(const uint64_t *table, const uint8_t *bytes, size_t count, size_t from, uint64_t *which);

// The next place, from `from` on, where digits begin that may be a card's or an account's number; `count` where there is none.
// These are four or more digits of which the first are a card's, and two or more digits after two capital letters.
size_t hw_next_number(const uint8_t *bytes, size_t count, size_t from);

// The length of the invisible sequence at a position: a terminal escape sequence, as it is or spelled (\u001b, \x1b, #033), or
// a character without width, such as a soft hyphen. 0 if there is none.
size_t hw_unseen(const uint8_t *bytes, size_t count, size_t at);

// The length of a terminal escape sequence at a position, with its final byte, whichever that is; 0 if there is none.
size_t hw_escape_sequence(const uint8_t *bytes, size_t count, size_t at);

// The next position, from `from` on, of an invisible sequence or a backspace; `count` if there is none.
size_t hw_next_unseen(const uint8_t *bytes, size_t count, size_t from);

// MARK: Bytes of lines

// Which of 64 bytes are what: bit 0 is the first byte.
struct hw_byte_masks {
    // A to Z and a to z.
    uint64_t letters;
    // A to Z.
    uint64_t capitals;
    // 0 to 9.
    uint64_t digits;
    // " ) : ; < = > ] |
    uint64_t marks;
    // Control characters, DEL, the backslash, and all that is not ASCII.
    uint64_t special;
    // The double quotation mark.
    uint64_t quotes;
};

// Looks at 64 bytes, all of which must be readable.
static inline struct hw_byte_masks hw_masks_of_64(const void *bytes) {
    struct hw_byte_masks masks = {0, 0, 0, 0, 0, 0};
#if defined(__x86_64__)
    for (int part = 0; part < 4; part++) {
        __m128i text = _mm_loadu_si128((const __m128i *)bytes + part);
        // Comparisons are signed: what is looked for is moved to the lowest numbers.
        __m128i lower = _mm_or_si128(text, _mm_set1_epi8(0x20));
        __m128i letter = _mm_cmplt_epi8(
            _mm_add_epi8(lower, _mm_set1_epi8((char)(0x80 - 'a'))), _mm_set1_epi8(-128 + 26));
        __m128i digit = _mm_cmplt_epi8(
            _mm_add_epi8(text, _mm_set1_epi8((char)(0x80 - '0'))), _mm_set1_epi8(-128 + 10));
        __m128i mark = _mm_cmplt_epi8(
            _mm_add_epi8(text, _mm_set1_epi8((char)(0x80 - ':'))), _mm_set1_epi8(-128 + 5));
        __m128i quote = _mm_cmpeq_epi8(text, _mm_set1_epi8('"'));
        mark = _mm_or_si128(mark, _mm_cmpeq_epi8(text, _mm_set1_epi8(']')));
        mark = _mm_or_si128(mark, _mm_cmpeq_epi8(text, _mm_set1_epi8(')')));
        mark = _mm_or_si128(mark, _mm_cmpeq_epi8(text, _mm_set1_epi8('|')));
        mark = _mm_or_si128(mark, quote);
        __m128i special = _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));
        special = _mm_or_si128(special, _mm_cmpeq_epi8(text, _mm_set1_epi8(0x7f)));
        special = _mm_or_si128(special, _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
        uint64_t letters = (uint32_t)_mm_movemask_epi8(letter);
        // The bit 0x20 of each byte becomes its highest.
        uint64_t small = (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(text, 2));
        int shift = part * 16;
        masks.letters |= letters << shift;
        masks.capitals |= (letters & ~small) << shift;
        masks.digits |= (uint64_t)(uint32_t)_mm_movemask_epi8(digit) << shift;
        masks.marks |= (uint64_t)(uint32_t)_mm_movemask_epi8(mark) << shift;
        masks.special |= (uint64_t)(uint32_t)_mm_movemask_epi8(special) << shift;
        masks.quotes |= (uint64_t)(uint32_t)_mm_movemask_epi8(quote) << shift;
    }
#else
    const uint8_t *text = (const uint8_t *)bytes;
    for (int index = 0; index < 64; index++) {
        uint8_t byte = text[index];
        uint64_t bit = (uint64_t)1 << index;
        if ((uint8_t)((byte | 0x20) - 'a') < 26) {
            masks.letters |= bit;
            if (!(byte & 0x20)) masks.capitals |= bit;
        }
        if ((uint8_t)(byte - '0') < 10) masks.digits |= bit;
        if ((byte >= ':' && byte <= '>') || byte == ']' || byte == ')' || byte == '|' || byte == '"') {
            masks.marks |= bit;
        }
        if (byte < 0x20 || byte >= 0x7f || byte == '\\') masks.special |= bit;
        if (byte == '"') masks.quotes |= bit;
    }
#endif
    return masks;
}

#endif
