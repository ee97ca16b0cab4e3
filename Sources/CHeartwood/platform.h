// What Linux and Apple's systems do by different means: linux.c and apple.c implement it, each subject in the same order. What
// Swift calls as well is declared in CHeartwood.h. No other file of C asks which system it is compiled for.
#ifndef PLATFORM_H
#define PLATFORM_H

#include "CHeartwood.h"

#ifdef __APPLE__
#include <TargetConditionals.h>
#endif

// MARK: Threads

// The kernel's number of the calling thread.
HW_FAULT_HANDLER uint64_t hw_thread_id(void);
// The name that each thread has until it is given another; empty where that is no name.
void hw_first_thread_name(char *name, size_t size);
// The name of the running task, up to 255 bytes; false where only Swift can tell.
bool hw_task_name(struct hw_label *name);
// Has all threads of the process pass a barrier, so that theirs need not have one.
void hw_pass_barrier(void);

// MARK: Memory

// No page of the system is larger.
#if defined(__APPLE__) && defined(__x86_64__)
#define HW_PAGE_ALIGNMENT 4096
#elif defined(__APPLE__)
#define HW_PAGE_ALIGNMENT 16384
#else
#define HW_PAGE_ALIGNMENT 65536
#endif

// A page that is zero in the child of a fork, however it was forked; null where there is no such thing.
void *hw_page_emptied_by_fork(void);

// MARK: Descriptors

// write(2) to a pipe that may be full, without waiting: EAGAIN then.
ssize_t hw_write_pipe(int descriptor, const void *bytes, size_t count);
// The path of the terminal that is open; empty where there is none.
void hw_terminal_path(int descriptor, char *path, size_t size);
// A socket that neither blocks, nor survives an exec, nor raises SIGPIPE.
int hw_make_socket(int family, int type);

// MARK: Signals

// Whether a thread may have a stack for its signals.
#if defined(__APPLE__) && TARGET_OS_TV
#define HW_HAS_SIGNAL_STACKS 0
#else
#define HW_HAS_SIGNAL_STACKS 1
#endif

// MARK: What both use

// write(2) of `most` bytes at most, if poll(2) says that it need not wait; else EAGAIN.
ssize_t hw_write_if_writable(int descriptor, const void *bytes, size_t count, size_t most);

// Nanoseconds since 1970; stops at the ends of the range.
static inline int64_t hw_nanoseconds(int64_t seconds, int64_t rest) {
    int64_t result;
    bool is_beyond = __builtin_mul_overflow(seconds, 1000000000, &result) || __builtin_add_overflow(result, rest, &result);
    return is_beyond ? (seconds < 0 ? INT64_MIN : INT64_MAX) : result;
}

// The bytes that 32 hexadecimal digits say, whatever is between them.
static inline void hw_read_id(const char *text, uint8_t *id) {
    int digits = 0;
    for (const char *place = text; *place && digits < 32; place++) {
        int letter = *place | 0x20;
        int value = *place >= '0' && *place <= '9' ? *place - '0' : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
        if (value < 0) continue;
        id[digits / 2] = (uint8_t)(id[digits / 2] << 4 | value);
        digits++;
    }
}

#endif
