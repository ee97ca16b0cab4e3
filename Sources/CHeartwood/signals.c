#define _GNU_SOURCE
#include "CHeartwood.h"

#ifdef __linux__
#include <sys/syscall.h>
#endif

// Only what POSIX calls async-signal-safe is used in the handler: stores, clock_gettime, sigaction, raise.

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { signal_count = sizeof fatal_signals / sizeof *fatal_signals, place_count = 16 };

static struct sigaction previous[signal_count];
static _Atomic(uint64_t *) places[place_count];
static _Atomic bool was_seen;

static void note(int number, const siginfo_t *info) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t thread = 0;
#ifdef __linux__
    thread = (uint64_t)syscall(SYS_gettid);
#endif
    for (int index = 0; index < place_count; index++) {
        uint64_t *place = places[index];
        if (!place) continue;
        place[1] = (uint64_t)number;
        place[2] = (uint64_t)info->si_code;
        // Only for a fault does the signal have an address; else there stands who sent it.
        place[3] = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
        place[4] = thread;
        place[5] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        atomic_store_explicit((_Atomic uint64_t *)place, 1, memory_order_release);
    }
}

static void on_fatal(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (number == SIGBUS && hw_guard_repair(info)) {
        errno = error;
        return;
    }
    if (!atomic_exchange(&was_seen, true)) note(number, info);
    struct sigaction *action = NULL;
    for (int index = 0; index < signal_count; index++) {
        if (fatal_signals[index] == number) action = &previous[index];
    }
    if (action && (action->sa_flags & SA_SIGINFO) && action->sa_sigaction) {
        action->sa_sigaction(number, info, context);
    } else if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN) {
        action->sa_handler(number);
    } else {
        // A fault happens again as soon as this returns; a signal that was sent must be sent again.
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number);
    }
    errno = error;
}

static pthread_once_t catch_once = PTHREAD_ONCE_INIT;

static void catch_all(void) {
    // For the thread that sets it up: there a stack that has overflown can be told of, too.
    static char stack[64 * 1024];
    stack_t known;
    if (sigaltstack(NULL, &known) == 0 && (known.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        sigaltstack(&own, NULL);
    }
    for (int index = 0; index < signal_count; index++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_fatal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        sigaction(fatal_signals[index], &action, &previous[index]);
    }
}

bool hw_note_fatal_signals(uint64_t *place) {
    pthread_once(&catch_once, catch_all);
    for (int index = 0; index < place_count; index++) {
        uint64_t *none = NULL;
        if (atomic_compare_exchange_strong(&places[index], &none, place)) return true;
    }
    return false;
}

void hw_ignore_fatal_signals(uint64_t *place) {
    for (int index = 0; index < place_count; index++) {
        uint64_t *known = place;
        atomic_compare_exchange_strong(&places[index], &known, NULL);
    }
}

// MARK: SIGHUP

// Written before the handler is there, or while it is not.
static int hangup_pipe[2] = {-1, -1};
static pid_t hangup_process;
static struct sigaction hangup_previous;

// Somebody else's handler that is called by ours may call ours in turn, if it came between two of our installations.
static _Thread_local volatile sig_atomic_t is_in_hangup;

static void on_hangup(int number, siginfo_t *info, void *context) {
    if (is_in_hangup) return;
    is_in_hangup = 1;
    int error = errno;
    // The copy of the pipe that a forked child has leads to its parent.
    if (getpid() == hangup_process) {
        ssize_t written = write(hangup_pipe[1], "", 1);
        (void)written;  // full: then there is something to take anyway
    }
    if (hangup_previous.sa_flags & SA_SIGINFO) {
        if (hangup_previous.sa_sigaction) hangup_previous.sa_sigaction(number, info, context);
    } else if (hangup_previous.sa_handler != SIG_DFL && hangup_previous.sa_handler != SIG_IGN) {
        hangup_previous.sa_handler(number);
    }
    errno = error;
    is_in_hangup = 0;
}

int hw_hangup_install(void) {
    if (hangup_pipe[0] < 0) {
        int ends[2];
        if (pipe(ends) != 0) return -1;
        for (int index = 0; index < 2; index++) {
            fcntl(ends[index], F_SETFD, FD_CLOEXEC);
            fcntl(ends[index], F_SETFL, O_NONBLOCK);
        }
        hangup_pipe[0] = ends[0];
        hangup_pipe[1] = ends[1];
    }
    hangup_process = getpid();
    struct sigaction current;
    if (sigaction(SIGHUP, NULL, &current) != 0) return -1;
    // Still ours, where somebody has put another handler over it and then that one back.
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_hangup) return hangup_pipe[0];
    hangup_previous = current;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_hangup;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGHUP, &action, NULL) == 0 ? hangup_pipe[0] : -1;
}

void hw_hangup_uninstall(void) {
    struct sigaction current;
    if (sigaction(SIGHUP, NULL, &current) != 0) return;
    // Somebody else's handler stays; it may call ours, which does no harm.
    if (!(current.sa_flags & SA_SIGINFO) || current.sa_sigaction != on_hangup) return;
    sigaction(SIGHUP, &hangup_previous, NULL);
}

bool hw_hangup_take(void) {
    char bytes[64];
    bool was_there = false;
    ssize_t count;
    while ((count = read(hangup_pipe[0], bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)) {
        if (count > 0) was_there = true;
    }
    return was_there;
}
