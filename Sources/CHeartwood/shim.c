#define _GNU_SOURCE
#include "platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>


// MARK: Bytes of texts

// Not terminated: only the digits are read.
const char hw_digit_pairs[200] =
    "00010203040506070809"
    "10111213141516171819"
    "20212223242526272829"
    "30313233343536373839"
    "40414243444546474849"
    "50515253545556575859"
    "60616263646566676869"
    "70717273747576777879"
    "80818283848586878889"
    "90919293949596979899";

const uint64_t hw_powers_of_ten[20] = {
    1u,
    10u,
    100u,
    1000u,
    10000u,
    100000u,
    1000000u,
    10000000u,
    100000000u,
    1000000000u,
    10000000000u,
    100000000000u,
    1000000000000u,
    10000000000000u,
    100000000000000u,
    1000000000000000u,
    10000000000000000u,
    100000000000000000u,
    1000000000000000000u,
    10000000000000000000u,
};

// MARK: Plain texts

// Writes three digits, but no zeros at their end; returns how many digits these are.
static inline int write_fraction(uint32_t three, uint8_t *target) {
    target[0] = (uint8_t)('0' + three / 100);
    memcpy(target + 1, hw_digit_pairs + three % 100 * 2, 2);
    return 1 + (three % 100 != 0) + (three % 10 != 0);
}

static inline __attribute__((always_inline)) int write_double(double value, uint8_t *target) {
    double magnitude = __builtin_fabs(value);
    uint8_t *at = target;
    *at = '-';
    at += __builtin_signbit(value) != 0;
    if (magnitude == 0) {
        memcpy(at, "0.0", 3);
        return (int)(at - target) + 3;
    }
    if (!(magnitude >= 1e-4 && magnitude < 1e9)) return 0;
    // As many digits after the point as make 15 with those before it: what so few digits say is said by no fewer.
    // So if they say this number, they are the shortest that do, but for zeros at their end.
    double unit = magnitude < 1e6 ? 1e9 : 1e6;
    uint64_t whole = (uint64_t)(int64_t)(magnitude * unit + 0.5);
    if ((double)(int64_t)whole / unit != magnitude) return 0;
    if (magnitude >= 1e6) whole *= 1000;
    uint64_t front = whole / 1000000000;
    uint32_t rest = (uint32_t)(whole - front * 1000000000);
    at += hw_write_integer(front, at);
    *at++ = '.';
    uint32_t millionths = rest / 1000;
    if (rest % 1000000 == 0) return (int)(at - target) + write_fraction(rest / 1000000, at);
    hw_write_decimal(rest / 1000000, 3, at);
    if (rest % 1000 == 0) return (int)(at - target) + 3 + write_fraction(millionths % 1000, at + 3);
    hw_write_decimal(millionths % 1000, 3, at + 3);
    return (int)(at - target) + 6 + write_fraction(rest % 1000, at + 6);
}

int hw_write_double(double value, uint8_t *target) { return write_double(value, target); }

uint8_t *hw_write_pieces(const void *pieces, size_t size, uint8_t *out, int8_t special, bool *has_names) {
    const uint8_t *at = pieces, *end = at + size;
    uint8_t *const start = out;
    while (at < end) {
        // What is read beyond the end is not used: 16 bytes after it can be read.
        uint8_t tag = *at++;
        if (tag == 0x01 || tag == 0x16) {
            uint32_t count;
            memcpy(&count, at, 4);
            at += 4;
            if (end - at < (ptrdiff_t)count) return NULL;
            if (count <= 16) memcpy(out, at, 16); else memcpy(out, at, count);
            at += count;
            out += count;
        } else if (tag >= 0x12 && tag <= 0x14) {
            uint64_t bits;
            memcpy(&bits, at, 8);
            at += 8;
            if (at > end) return NULL;
            if (tag == 0x14) {
                double value;
                memcpy(&value, &bits, 8);
                int count = write_double(value, out);
                if (count == 0) return NULL;
                out += count;
            } else {
                bool is_negative = tag == 0x12 && (int64_t)bits < 0;
                *out = '-';
                out += is_negative;
                out += hw_write_integer(is_negative ? -bits : bits, out);
            }
        } else if (tag == 0x02) {
            uint16_t count;
            memcpy(&count, at, 2);
            at += 2;
            if (end - at < (ptrdiff_t)count) return NULL;
            at += count;
            *has_names = true;
        } else if (tag == 0x11 && at < end) {
            bool value = *at++ != 0;
            memcpy(out, value ? "true" : "false", 5);
            out += 5 - value;
        } else {
            return NULL;
        }
    }
    // All at once, in whole blocks: after the last byte there are blanks.
    hw_bytes16 marks = {0}, block;
    memset(out, ' ', 16);
    for (const uint8_t *place = start; place < out; place += 16) {
        memcpy(&block, place, 16);
        marks |= hw_marks(block, special);
    }
    return hw_has_marks(marks) ? NULL : out;
}

// MARK: What a thread keeps

_Thread_local struct hw_thread *hw_this_thread __attribute__((tls_model("initial-exec")));
static _Atomic(void (*)(void *)) hw_free_spare;

void hw_set_free_spare(void (*free_spare)(void *)) { hw_free_spare = free_spare; }

static pthread_key_t exit_key;
static pthread_once_t exit_once = PTHREAD_ONCE_INIT;
// The name that every thread has until somebody gives it another: the program's, cut by the kernel.
static char first_name[64];

// All threads that there are; the gate is closed while one forks.
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER, fork_gate = PTHREAD_MUTEX_INITIALIZER;
static struct hw_thread *threads;
_Atomic(struct hw_thread *) hw_forker;

static void thread_ends(void *state) {
    struct hw_thread *thread = state;
    hw_this_thread = NULL;
    void (*free_spare)(void *) = hw_free_spare;
    if (thread->spare && free_spare) free_spare(thread->spare);
    pthread_mutex_lock(&threads_lock);
    if (thread->before) thread->before->next = thread->next; else threads = thread->next;
    if (thread->next) thread->next->before = thread->before;
    pthread_mutex_unlock(&threads_lock);
    free(thread);
}

static void begin(void) {
    pthread_key_create(&exit_key, thread_ends);
    hw_first_thread_name(first_name, sizeof first_name);
}

struct hw_thread *hw_thread_make(void) {
    pthread_once(&exit_once, begin);
    struct hw_thread *thread = calloc(1, sizeof *thread);
    if (!thread) abort();  // as every allocation in Swift does
    thread->id = hw_thread_id();
    pthread_setspecific(exit_key, thread);
    pthread_mutex_lock(&threads_lock);
    thread->next = threads;
    if (threads) threads->before = thread;
    threads = thread;
    pthread_mutex_unlock(&threads_lock);
    hw_this_thread = thread;
    return thread;
}

// MARK: Locks around a fork

void hw_lock_wait(struct hw_thread *thread) {
    while (true) {
        struct hw_thread *forker = atomic_load(&hw_forker);
        if (!forker || forker == thread) return;
        __atomic_store_n(&thread->locks, 0, __ATOMIC_SEQ_CST);
        pthread_mutex_lock(&fork_gate);
        pthread_mutex_unlock(&fork_gate);
        __atomic_store_n(&thread->locks, 1, __ATOMIC_SEQ_CST);
        // Two atomic operations in one order, here and in hw_fork_begin: one of the threads sees the other.
    }
}

bool hw_fork_begin(int milliseconds) {
    struct hw_thread *self = hw_thread_current();
    pthread_mutex_lock(&fork_gate);
    atomic_store(&hw_forker, self);
    hw_pass_barrier();
    pthread_mutex_lock(&threads_lock);
    bool is_quiet = true;
    for (int round = 0;; round++) {
        is_quiet = true;
        for (struct hw_thread *thread = threads; thread && is_quiet; thread = thread->next) {
            if (thread != self && __atomic_load_n(&thread->locks, __ATOMIC_SEQ_CST) != 0) is_quiet = false;
        }
        if (is_quiet || round >= milliseconds * 10) break;
        pthread_mutex_unlock(&threads_lock);
        usleep(100);
        pthread_mutex_lock(&threads_lock);
    }
    // One of them waits for a thread that waits at the gate: better a child that may find a lock closed.
    if (!is_quiet) hw_fork_end(false);
    return is_quiet;
}

void hw_fork_end(bool is_child) {
    struct hw_thread *self = hw_thread_current();
    if (is_child) {
        threads = self;
        self->next = self->before = NULL;
        pthread_mutex_init(&threads_lock, NULL);
        pthread_mutex_init(&fork_gate, NULL);
    } else {
        pthread_mutex_unlock(&threads_lock);
    }
    atomic_store(&hw_forker, NULL);
    if (!is_child) pthread_mutex_unlock(&fork_gate);
}

void hw_thread_read_name(struct hw_thread *thread, uint64_t ticks) {
    thread->name_expires = ticks + hw_ticks_per_second();
    thread->name_size = 0;
    if (pthread_getname_np(pthread_self(), thread->name, sizeof thread->name) != 0) return;
    // The names of dispatch's workers say nothing, nor does the program's own.
    if (strcmp(thread->name, first_name) == 0 || strstr(thread->name, "-qos")) return;
    thread->name_size = (uint8_t)strnlen(thread->name, sizeof thread->name);
}

extern const char *dispatch_queue_get_label(void *queue);
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern struct hw_main_queue _dispatch_main_q;

// The labels of a process's first thread, of threads without a queue, and of global queues never end, nor change.
static bool lasts(const char *label) {
    static const char *_Atomic lasting[3];
    if (!lasting[0]) {
        lasting[2] = dispatch_queue_get_label(dispatch_get_global_queue(0, 0));
        lasting[1] = dispatch_queue_get_label(dispatch_get_global_queue(0, 2));
        lasting[0] = dispatch_queue_get_label(&_dispatch_main_q);
    }
    return label == lasting[0] || label == lasting[1] || label == lasting[2];
}

static __attribute__((noinline)) struct hw_label measured(const char *label, struct hw_thread *thread) {
    struct hw_label found = {label, label ? strnlen(label, 255) : 0};
    if (lasts(label)) thread->label = found;
    return found;
}

struct hw_label hw_queue_label(struct hw_thread *thread) {
    const char *label = dispatch_queue_get_label(NULL);
    if (__builtin_expect(label == thread->label.text, 1)) return thread->label;
    return measured(label, thread);
}

// MARK: The ring

// A record that has neither fields, references nor flags, as `RecordView` says.
struct plain_record {
    uint64_t commit, time, thread;
    int64_t context;
    // The site, and above it the category.
    uint64_t place;
    uint64_t text_size;
    // The level, and the sizes of the names.
    uint64_t sizes;
    uint64_t sequence;
    uint8_t body[];
};

// Completes a record for the journal, as `RecordView` does: its stamp, or its check where it is in two pages.
static __attribute__((noinline)) void complete(
    struct plain_record *record, uint64_t position, uint64_t salt, size_t names, int64_t size) {
    record->sizes |= (position >> 3) << 40;
    record->sequence = position ^ salt;
    if ((int64_t)(position & 4095) + size > 4096) {
        record->sequence = hw_record_check(record, record->body + names, record->text_size, position ^ salt);
    }
}

struct hw_room hw_ring_put(
    const struct hw_ring *ring, const void *text, size_t count, uint64_t place, int64_t context,
    uint32_t level) {
    static const struct hw_room none = {-1, 0};
    struct hw_label task = {NULL, 0};
    if (hw_in_task()) {
        // A variable of its own: the other one stays in registers.
        struct hw_label name;
        if (!hw_task_name(&name)) return none;
        task = name;
    }
    struct hw_thread *thread = hw_thread_current();
    struct hw_label label = hw_queue_label(thread);
    uint64_t ticks = hw_ticks();
    hw_thread_refresh_name(thread, ticks);
    if (thread->running_node || thread->cut_value || hw_outer_fields_load()) return none;
    if (__atomic_load_n(ring->pad, __ATOMIC_RELAXED)) return none;
    size_t name_size = thread->name_size;
    size_t names = name_size + label.size + task.size;
    int64_t size = (int64_t)((sizeof(struct plain_record) + names + count + 7) & ~(size_t)7);
    if (size > ring->maximum_record) return none;
    uint64_t position;
    int64_t used = hw_ring_reserve(ring, size, &position);
    if (used < 0) return none;

    uint8_t *start = ring->base + (position & (uint64_t)(ring->capacity - 1));
    struct plain_record *record = (struct plain_record *)start;
    record->time = ticks;
    record->thread = thread->id;
    record->context = context;
    record->place = place;
    record->text_size = count;
    record->sizes = (uint64_t)__builtin_ctz(level) | name_size << 16 | label.size << 24 | (uint64_t)task.size << 32;
    uint8_t *body = record->body;
    if (name_size) hw_copy(body, thread->name, name_size);
    hw_copy(body + name_size, label.text, label.size);
    if (task.size) hw_copy(body + name_size + label.size, task.text, task.size);
    hw_copy(body + names, text, count);
    uint64_t salt = __atomic_load_n(ring->tail + 1, __ATOMIC_RELAXED);
    if (salt) complete(record, position, salt, names, size);
    __atomic_store_n(&record->commit, (uint64_t)size | (uint64_t)hw_record_message << 32, __ATOMIC_RELEASE);
    return (struct hw_room){used, size};
}

// MARK: The gate

_Atomic uint32_t hw_shared_gate;
_Atomic bool hw_outer_fields_used;
_Atomic bool hw_source_levels_used;
_Atomic bool hw_forked_child;

void hw_forked_child_set(void) {
    hw_forked_child = true;
    hw_outer_fields_used = true;
    if (hw_this_thread) hw_this_thread->id = hw_thread_id();
}

// MARK: The number of the process

_Atomic(_Atomic int32_t *) hw_process_kept;
static pthread_once_t process_once = PTHREAD_ONCE_INIT;

static void forget_process(void) {
    _Atomic int32_t *kept = hw_process_kept;
    if (kept) *kept = 0;
}

// In a page that the kernel empties in a child, also in one that calls clone(2) by itself and so runs no handlers.
static void keep_process(void) {
    static _Atomic int32_t plain;
    _Atomic int32_t *kept = &plain;
    void *own = hw_page_emptied_by_fork();
    if (own) kept = own;
    if (pthread_atfork(NULL, NULL, forget_process) == 0 || kept != &plain) hw_process_kept = kept;
}

int32_t hw_process_ask(void) {
    pthread_once(&process_once, keep_process);
    int32_t number = (int32_t)getpid();
    _Atomic int32_t *kept = hw_process_kept;
    if (kept) *kept = number;
    return number;
}

_Atomic(const void *) hw_shared_intake;
_Atomic(const void *) hw_call_sites;

void hw_shared_intake_store(const void *intake) { hw_shared_intake = intake; }
void hw_call_sites_store(const void *table) { hw_call_sites = table; }

// MARK: Sanitizer annotations

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HW_TSAN 1
#endif
#endif

#ifdef HW_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void hw_tsan_acquire(void *address) { __tsan_acquire(address); }
void hw_tsan_release(void *address) { __tsan_release(address); }
#else
void hw_tsan_acquire(void *address) { (void)address; }
void hw_tsan_release(void *address) { (void)address; }
#endif

void *hw_memory_reserve(size_t size) {
    static char memory[128 * 1024] __attribute__((aligned(HW_PAGE_ALIGNMENT)));
    static _Atomic bool is_taken;
    return size <= sizeof memory && !atomic_exchange(&is_taken, true) ? memory : NULL;
}

// MARK: Files

int hw_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

int hw_temporary_file(char *path) { return mkostemp(path, O_CLOEXEC); }

int64_t hw_file_hole(int fd, int64_t offset) {
    off_t data = lseek(fd, offset, SEEK_DATA);
    struct stat info;
    // Nothing but a hole follows.
    if (data < 0 && errno == ENXIO && fstat(fd, &info) == 0) data = info.st_size;
    return data > offset ? data - offset : 0;
}

int hw_wait_writable(int descriptor, int milliseconds) {
    struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
    return poll(&entry, 1, milliseconds);
}

int hw_wait_error(int descriptor, int milliseconds) {
    struct pollfd entry = {.fd = descriptor};
    return poll(&entry, 1, milliseconds);
}

// MARK: Writes without a signal

ssize_t hw_write_quietly(int descriptor, const void *bytes, size_t count) {
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, descriptor);
    ssize_t written = write(descriptor, bytes, count);
    hw_quiet_end(&quiet, written < 0 || (size_t)written < count);
    return written;
}

ssize_t hw_write_at_quietly(int descriptor, const void *bytes, size_t count, int64_t offset) {
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, descriptor);
    ssize_t written = pwrite(descriptor, bytes, count, (off_t)offset);
    hw_quiet_end(&quiet, written < 0 || (size_t)written < count);
    return written;
}

int hw_truncate_quietly(int descriptor, int64_t size) {
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, descriptor);
    int result = ftruncate(descriptor, (off_t)size);
    hw_quiet_end(&quiet, result != 0);
    return result;
}

// MARK: Writes that never wait

ssize_t hw_write_if_writable(int descriptor, const void *bytes, size_t count, size_t most) {
    if (hw_wait_writable(descriptor, 0) > 0) return write(descriptor, bytes, count < most ? count : most);
    errno = EAGAIN;
    return -1;
}

// A terminal takes some bytes and then waits for room in the middle of a write. An open file of our own may say
// O_NONBLOCK; the one that the program shares with others must not.
static ssize_t write_terminal(int descriptor, const void *bytes, size_t count, dev_t device, int *own) {
    struct stat info;
    // Of another terminal, or closed by the program, whose own file may have the number by now: so it is not closed here.
    if (*own >= 0 && (fstat(*own, &info) != 0 || !S_ISCHR(info.st_mode) || info.st_rdev != device)) *own = -1;
    if (*own < 0) {
        char path[64];
        hw_terminal_path(descriptor, path, sizeof path);
        *own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    }
    if (*own >= 0) return write(*own, bytes, count);
    // The terminal is another user's, as after su: in pieces for which there is room, as far as that can be known.
    return hw_write_if_writable(descriptor, bytes, count, 128);
}

ssize_t hw_write_now(int descriptor, const void *bytes, size_t count, int *terminal) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return -1;
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, descriptor);
    ssize_t written;
    if (S_ISFIFO(info.st_mode)) {
        written = hw_write_pipe(descriptor, bytes, count);
    } else if (S_ISSOCK(info.st_mode)) {
        written = send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else if (S_ISCHR(info.st_mode) && isatty(descriptor)) {
        written = write_terminal(descriptor, bytes, count, info.st_rdev, terminal);
    } else {
        written = write(descriptor, bytes, count);
    }
    hw_quiet_end(&quiet, (written < 0 && errno != EAGAIN) || (written >= 0 && (size_t)written < count));
    return written;
}

size_t hw_write_line(int descriptor, const void *bytes, size_t count, int milliseconds) {
    int terminal = -1, error = errno;
    size_t done = 0;
    while (done < count) {
        ssize_t written = hw_write_now(descriptor, (const char *)bytes + done, count - done, &terminal);
        if (written > 0) {
            done += (size_t)written;
        } else if (written < 0 && errno == EINTR) {
            continue;
        } else if (written < 0 && errno == EAGAIN && milliseconds > 0) {
            // What a terminal has taken a part of.
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
            milliseconds--;
        } else {
            break;
        }
    }
    if (terminal >= 0) close(terminal);
    errno = error;
    return done;
}

void hw_emergency(int descriptor, const void *text, size_t count) {
    char line[4096];
    int error = errno;
    if (count > sizeof line - 1) count = sizeof line - 1;
    memcpy(line, text, count);
    line[count] = '\n';
    hw_write_line(descriptor, line, count + 1, 0);
    errno = error;
}

// MARK: Searching

size_t hw_next_trigger(
    const uint64_t *table, const uint8_t *bytes, size_t count, size_t from, uint64_t *which) {
    const uint64_t *first = table, *second = table + 256, *third = table + 512;
    size_t index = from;
    for (; index + 6 <= count; index += 4) {
        const uint8_t *at = bytes + index;
        uint64_t found0 = first[at[0]] & second[at[1]] & third[at[2]];
        uint64_t found1 = first[at[1]] & second[at[2]] & third[at[3]];
        uint64_t found2 = first[at[2]] & second[at[3]] & third[at[4]];
        uint64_t found3 = first[at[3]] & second[at[4]] & third[at[5]];
        if (__builtin_expect((found0 | found1 | found2 | found3) == 0, 1)) continue;
        *which = found0 ? found0 : found1 ? found1 : found2 ? found2 : found3;
        return index + (found0 ? 0 : found1 ? 1 : found2 ? 2 : 3);
    }
    for (; index < count; index++) {
        uint8_t next = index + 1 < count ? bytes[index + 1] : 0;
        uint8_t last = index + 2 < count ? bytes[index + 2] : 0;
        uint64_t found = first[bytes[index]] & second[next] & third[last];
        if (found) {
            *which = found;
            return index;
        }
    }
    return count;
}

struct hw_digits_and_capitals {
    uint64_t digits, capitals;
};

// Which of up to 64 bytes are digits, and capital letters.
static inline struct hw_digits_and_capitals hw_digits_and_capitals(const uint8_t *bytes, size_t count) {
    struct hw_digits_and_capitals found = {0, 0};
    size_t index = 0;
#if defined(__x86_64__)
    // The last part is that of the last 16 bytes, some of which are looked at twice.
    for (size_t next = 0; count >= 16 && index < count; index = next) {
        next = index + 16 < count ? index + 16 : count;
        size_t start = next - 16;
        __m128i text = _mm_loadu_si128((const __m128i *)(bytes + start));
        __m128i digit = _mm_cmplt_epi8(
            _mm_add_epi8(text, _mm_set1_epi8((char)(0x80 - '0'))), _mm_set1_epi8(-128 + 10));
        __m128i capital = _mm_cmplt_epi8(
            _mm_add_epi8(text, _mm_set1_epi8((char)(0x80 - 'A'))), _mm_set1_epi8(-128 + 26));
        found.digits |= (uint64_t)(uint32_t)_mm_movemask_epi8(digit) << start;
        found.capitals |= (uint64_t)(uint32_t)_mm_movemask_epi8(capital) << start;
    }
#endif
    for (; index < count; index++) {
        found.digits |= (uint64_t)((uint8_t)(bytes[index] - '0') < 10) << index;
        found.capitals |= (uint64_t)((uint8_t)(bytes[index] - 'A') < 26) << index;
    }
    return found;
}

size_t hw_next_number(const uint8_t *bytes, size_t count, size_t from) {
    // Of each 64 bytes, 58 are looked at as a beginning, so that what is around them is there, too.
    size_t block = from < 2 ? 0 : from - 2;
    for (; block < count; block += 58) {
        size_t size = count - block < 64 ? count - block : 64;
        struct hw_digits_and_capitals found = hw_digits_and_capitals(bytes + block, size);
        uint64_t digits = found.digits, capitals = found.capitals;
        uint64_t begins = digits & ~(digits << 1) & digits >> 1;
        uint64_t places = begins & (digits >> 2 & digits >> 3 | capitals << 1 & capitals << 2);
        // What begins in the first two bytes was looked at in the block before.
        if (block > 0) places &= ~(uint64_t)3;
        places &= ((uint64_t)1 << 60) - 1;
        for (; places; places &= places - 1) {
            int bit = __builtin_ctzll(places);
            size_t place = block + bit;
            if (place < from) continue;
            uint8_t one = bytes[place], two = bytes[place + 1];
            bool isAccount = bit >= 2 && capitals >> (bit - 1) & capitals >> (bit - 2) & 1;
            if (isAccount || (one >= '3' && one <= '6') || (one == '2' && two >= '2' && two <= '7')) return place;
        }
    }
    return count;
}

const void *hw_find(const void *bytes, size_t count, const void *text, size_t length) {
    return memmem(bytes, count, text, length);
}
