#define _GNU_SOURCE
#include "CSuiteSupport.h"

#include <dlfcn.h>

int hw_place_of_address(const void *address, const char **file, uintptr_t *offset, const char **name) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fbase == 0 || info.dli_fname == 0) return 0;
    *file = info.dli_fname;
    *offset = (uintptr_t)address - (uintptr_t)info.dli_fbase;
    *name = info.dli_sname;
    return 1;
}

#if defined(__linux__) && __has_include(<execinfo.h>)

#include <errno.h>
#include <execinfo.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { maximum = 96 };

static void *found[maximum];
static int count;
// Which thread is asked: one that answers too late does not write into the answer of the next one.
static _Atomic int32_t asked;
static sem_t answered;

static void answer(int number) {
    (void)number;
    int error = errno;
    if (atomic_load(&asked) == (int32_t)syscall(SYS_gettid)) {
        count = backtrace(found, maximum);
        sem_post(&answered);
    }
    errno = error;
}

void hw_prepare_stacks(void) {
    void *one[1];
    backtrace(one, 1);
    sem_init(&answered, 0, 0);
}

int hw_stack_of_thread(int32_t thread, void **addresses, int capacity) {
    // The threads of Dispatch block all signals but those of crashes.
    struct sigaction action = {.sa_handler = answer, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigaction(SIGTRAP, &action, NULL);
    atomic_store(&asked, thread);
    if (syscall(SYS_tgkill, getpid(), thread, SIGTRAP) != 0) return 0;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 2;
    int result;
    while ((result = sem_timedwait(&answered, &limit)) != 0 && errno == EINTR) {}
    atomic_store(&asked, 0);
    if (result != 0) return 0;
    int stored = count < capacity ? count : capacity;
    memcpy(addresses, found, sizeof(void *) * (size_t)stored);
    return stored;
}

#else

void hw_prepare_stacks(void) {}

int hw_stack_of_thread(int32_t thread, void **addresses, int capacity) { return 0; }

#endif
