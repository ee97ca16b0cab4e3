#define _GNU_SOURCE
#include "CHeartwood.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

// MARK: Mapped files

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
    // Another one for each memory that is guarded.
    _Atomic uint64_t number;
};

enum { guard_count = 256 };
static struct guard guards[guard_count];
static _Atomic bool is_changing;
static _Atomic uint64_t guard_number;
static struct sigaction previous_bus;

static struct guard *guard_at(const void *start) {
    for (int index = 0; index < guard_count; index++) {
        if (guards[index].start == (uintptr_t)start) return &guards[index];
    }
    return NULL;
}

// A thread may come to its handler long after its access failed, when other memory is there already: a fault is believed
// when the same access fails again.
static _Thread_local volatile uintptr_t failed_address __attribute__((tls_model("initial-exec")));
static _Thread_local volatile uint64_t failed_number __attribute__((tls_model("initial-exec")));

// One thread at a time repairs guarded memory or ends its guard: where other memory is put in its place, nobody is about to
// put zeros there. In the child of a fork, the thread that was at it may be missing.
HW_FAULT_HANDLER static void begin_change(void) {
    bool is_free = false;
    while (!atomic_compare_exchange_weak(&is_changing, &is_free, true) && !hw_forked_child) is_free = false;
}

HW_FAULT_HANDLER static void end_change(void) { is_changing = false; }

// Puts zeros in the place of guarded memory, once; unless another guard is there than the one of this number.
HW_FAULT_HANDLER static bool repair(struct guard *guard, uint64_t number) {
    begin_change();
    bool is_repaired = guard->was_hit || guard->start <= 1 || guard->number != number;
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
    end_change();
    return is_repaired;
}

// Whether a fault was in guarded memory, which is usable again then.
HW_FAULT_HANDLER bool hw_guard_repair(const siginfo_t *info) {
    if (info->si_code <= 0) return false;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct guard *guard = NULL;
    for (int index = 0; index < guard_count && !guard; index++) {
        uintptr_t start = guards[index].start;
        if (start > 1 && address >= start && address - start < guards[index].size) guard = &guards[index];
    }
    if (!guard) return false;
    uint64_t number = guard->number;
    if (failed_address != address || failed_number != number) {
        failed_address = address;
        failed_number = number;
        return true;
    }
    failed_address = 0;
    return repair(guard, number);
}

bool hw_guard_hit(const void *start) {
    struct guard *guard = guard_at(start);
    return guard && repair(guard, guard->number);
}

HW_FAULT_HANDLER static void on_bus(int number, siginfo_t *info, void *context) {
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
        guard->number = ++guard_number;
        guard->start = (uintptr_t)start;
        return true;
    }
    return false;
}

void hw_guard_remove(const void *start) {
    struct guard *guard = guard_at(start);
    if (!guard) return;
    begin_change();
    guard->start = 0;
    end_change();
}

bool hw_guard_was_hit(const void *start) {
    struct guard *guard = guard_at(start);
    return guard && guard->was_hit;
}
