#define _GNU_SOURCE
#include "CHeartwood.h"

#include <sys/mman.h>

// Mapped files that somebody may cut while they are in use: an access beyond their end raises SIGBUS. The handler puts
// memory of zeros in the place of such a mapping, takes note of it, and lets the access happen again.
//
// Only what is async-signal-safe is used in the handler: system calls and atomics.

struct guard {
    // 0: free. 1: being made. Else the first address.
    _Atomic(uintptr_t) start;
    size_t size;
    // Of a ring: its counters, and up to where its consumer has come; else null.
    const _Atomic uint64_t *consumed;
    size_t capacity, tail, head;
    _Atomic bool was_hit;
};

enum { guard_count = 256 };
static struct guard guards[guard_count];
static _Atomic bool is_repairing;
static struct sigaction previous_bus;

static struct guard *guard_at(const void *start) {
    for (int index = 0; index < guard_count; index++) {
        if (guards[index].start == (uintptr_t)start) return &guards[index];
    }
    return NULL;
}

// Whether a fault was in guarded memory, which is usable again then.
bool hw_guard_repair(const siginfo_t *info) {
    if (info->si_code <= 0) return false;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct guard *guard = NULL;
    for (int index = 0; index < guard_count && !guard; index++) {
        uintptr_t start = guards[index].start;
        if (start > 1 && address >= start && address - start < guards[index].size) guard = &guards[index];
    }
    if (!guard) return false;
    bool is_free = false;
    while (!atomic_compare_exchange_weak(&is_repairing, &is_free, true)) is_free = false;
    bool is_repaired = guard->was_hit;
    if (!is_repaired) {
        void *place = (void *)(uintptr_t)guard->start;
        void *fresh = mmap(NULL, guard->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
        if (fresh != MAP_FAILED) {
            if (guard->consumed) {
                // Full, at a position behind all that were used: nobody gets room until the consumer has seen it.
                uint64_t beginning = (*guard->consumed / guard->capacity + 3) * guard->capacity;
                *(uint64_t *)((char *)fresh + guard->head) = beginning;
                *(uint64_t *)((char *)fresh + guard->tail) = beginning + guard->capacity;
            }
            // Before others can see the fresh memory, they can see that there is some.
            guard->was_hit = true;
            is_repaired = hw_move_memory(fresh, place, guard->size);
        }
    }
    is_repairing = false;
    return is_repaired;
}

static void on_bus(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (!hw_guard_repair(info)) {
        if (previous_bus.sa_flags & SA_SIGINFO) {
            previous_bus.sa_sigaction(number, info, context);
        } else if (previous_bus.sa_handler != SIG_DFL && previous_bus.sa_handler != SIG_IGN) {
            previous_bus.sa_handler(number);
        } else {
            // A fault happens again as soon as this returns; a signal that was sent must be sent again, unless ignored.
            if (info->si_code > 0 || previous_bus.sa_handler == SIG_DFL) signal(number, SIG_DFL);
            if (info->si_code <= 0 && previous_bus.sa_handler == SIG_DFL) raise(number);
        }
    }
    errno = error;
}

static pthread_once_t bus_once = PTHREAD_ONCE_INIT;

static void catch_bus(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous_bus);
}

bool hw_guard_add(
    void *start, size_t size, const uint64_t *consumed, size_t capacity, size_t tail, size_t head) {
    pthread_once(&bus_once, catch_bus);
    for (int index = 0; index < guard_count; index++) {
        uintptr_t none = 0;
        struct guard *guard = &guards[index];
        if (!atomic_compare_exchange_strong(&guard->start, &none, 1)) continue;
        guard->size = size;
        guard->consumed = (const _Atomic uint64_t *)consumed;
        guard->capacity = capacity;
        guard->tail = tail;
        guard->head = head;
        guard->was_hit = false;
        guard->start = (uintptr_t)start;
        return true;
    }
    return false;
}

void hw_guard_remove(const void *start) {
    struct guard *guard = guard_at(start);
    if (guard) guard->start = 0;
}

bool hw_guard_was_hit(const void *start) {
    struct guard *guard = guard_at(start);
    return guard && guard->was_hit;
}
