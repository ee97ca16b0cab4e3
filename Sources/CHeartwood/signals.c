#define _GNU_SOURCE
#include "platform.h"

// Only what POSIX calls async-signal-safe is used in the handler: stores, clock_gettime, sigaction, raise.

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
enum { signal_count = sizeof fatal_signals / sizeof *fatal_signals, place_count = 16 };

static struct sigaction previous[signal_count];
static _Atomic(uint64_t *) places[place_count];
static _Atomic bool was_seen;

HW_FAULT_HANDLER static void note(int number, const siginfo_t *info) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t thread = hw_thread_id();
    for (int index = 0; index < place_count; index++) {
        uint64_t *place = places[index];
        if (!place) continue;
        place[1] = (uint64_t)number;
        place[2] = (uint64_t)info->si_code;
        // Only for a fault does the signal have an address; else there stands who sent it.
        place[3] = info->si_code > 0 ? (uint64_t)(uintptr_t)info->si_addr : 0;
        place[4] = thread;
        // The last moment that 63 bits of nanoseconds can say is in 2262.
        place[5] = now.tv_sec > INT64_MAX / 1000000000 - 1
                       ? (uint64_t)INT64_MAX
                       : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        atomic_store_explicit((_Atomic uint64_t *)place, 1, memory_order_release);
    }
}

HW_FAULT_HANDLER static void on_fatal(int number, siginfo_t *info, void *context) {
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
#if HW_HAS_SIGNAL_STACKS
    // For the thread that sets it up: there a stack that has overflown can be told of, too.
    static char stack[64 * 1024];
    stack_t known;
    if (sigaltstack(NULL, &known) == 0 && (known.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
        sigaltstack(&own, NULL);
    }
#endif
    for (int index = 0; index < signal_count; index++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_fatal;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        if (sigaction(fatal_signals[index], NULL, &previous[index]) != 0) continue;
        // What the program ignores stays ignored.
        if (!(previous[index].sa_flags & SA_SIGINFO) && previous[index].sa_handler == SIG_IGN) continue;
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

static atomic_bool hangup_came;
// Written before the handler is there, or while it is not.
static struct sigaction hangup_previous;

// Somebody else's handler that is called by ours may call ours in turn, if it came between two of our installations.
static _Thread_local volatile sig_atomic_t is_in_hangup;

static void on_hangup(int number, siginfo_t *info, void *context) {
    if (is_in_hangup) return;
    is_in_hangup = 1;
    int error = errno;
    atomic_store(&hangup_came, true);
    if (hangup_previous.sa_flags & SA_SIGINFO) {
        if (hangup_previous.sa_sigaction) hangup_previous.sa_sigaction(number, info, context);
    } else if (hangup_previous.sa_handler != SIG_DFL && hangup_previous.sa_handler != SIG_IGN) {
        hangup_previous.sa_handler(number);
    }
    errno = error;
    is_in_hangup = 0;
}

bool hw_hangup_install(void) {
    struct sigaction current;
    if (sigaction(SIGHUP, NULL, &current) != 0) return false;
    // Still ours, where somebody has put another handler over it and then that one back.
    if ((current.sa_flags & SA_SIGINFO) && current.sa_sigaction == on_hangup) return true;
    hangup_previous = current;
    // What came when none looked for it is of before.
    atomic_store(&hangup_came, false);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_hangup;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGHUP, &action, NULL) == 0;
}

void hw_hangup_uninstall(void) {
    struct sigaction current;
    if (sigaction(SIGHUP, NULL, &current) != 0) return;
    // Somebody else's handler stays; it may call ours, which does no harm.
    if (!(current.sa_flags & SA_SIGINFO) || current.sa_sigaction != on_hangup) return;
    sigaction(SIGHUP, &hangup_previous, NULL);
}

bool hw_hangup_take(void) {
    return atomic_exchange(&hangup_came, false);
}

// MARK: Signals that end the process

enum { ending_count = 32 };

static struct sigaction ending_previous[ending_count];
static int ending_pipe[2] = {-1, -1};
static pid_t ending_process;
static void (*ending_work)(int);
// The signal that is being worked on, 0 for none, and what came with it.
static _Atomic int ending_number;
static siginfo_t ending_info;
// Whether this thread does what a signal did before, and how many handlers of before it is in.
static _Thread_local volatile sig_atomic_t ending_is_passed_on, ending_depth;

// Does what the signal did before.
static void ending_pass_on(int number, siginfo_t *info, void *context) {
    struct sigaction *before = &ending_previous[number];
    // A handler of before that calls ours in turn would never come to an end.
    bool is_known = ending_depth < 2;
    if (is_known && (before->sa_flags & SA_SIGINFO) && before->sa_sigaction) {
        before->sa_sigaction(number, info, context);
    } else if (is_known && before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(number);
    } else {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = SIG_DFL;
        sigaction(number, &action, NULL);
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, number);
        raise(number);
        // Blocked while its handler runs: here the process ends.
        pthread_sigmask(SIG_UNBLOCK, &only, NULL);
        // Process 1 of a container, for which the kernel ignores signals without a handler.
        _exit(128 + number);
    }
}

static void on_ending(int number, siginfo_t *info, void *context) {
    int error = errno, none = 0;
    // The child of a fork has neither the pipe's reader nor its parent's messages.
    bool is_ours = getpid() == ending_process && !ending_is_passed_on && ending_depth == 0;
    if (is_ours && atomic_compare_exchange_strong(&ending_number, &none, number)) {
        ending_info = *info;
        char byte = (char)number;
        if (write(ending_pipe[1], &byte, 1) == 1) {
            errno = error;
            return;
        }
        atomic_store(&ending_number, 0);
    }
    // Also a second signal while the first is worked on: whoever sends it does not want to wait.
    bool is_first = ending_is_passed_on && ending_depth == 0;
    ending_depth++;
    ending_pass_on(number, is_first ? &ending_info : info, context);
    ending_depth--;
    errno = error;
}

static void *ending_loop(void *unused) {
    (void)unused;
    while (true) {
        char byte;
        ssize_t count = read(ending_pipe[0], &byte, 1);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return NULL;
        ending_work(byte);
        // On this thread, so that a handler of before finds what a handler expects.
        ending_is_passed_on = 1;
        sigset_t only;
        sigemptyset(&only);
        sigaddset(&only, byte);
        pthread_sigmask(SIG_UNBLOCK, &only, NULL);
        raise(byte);
        pthread_sigmask(SIG_BLOCK, &only, NULL);
        ending_is_passed_on = 0;
        atomic_store(&ending_number, 0);
    }
}

// Not for several threads at once.
int hw_ending_install(const int *numbers, int count, void (*work)(int)) {
    ending_work = work;
    if (ending_process != getpid()) {
        int ends[2];
        if (hw_pipe(ends) != 0) return errno;
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        ending_pipe[0] = ends[0];
        ending_pipe[1] = ends[1];
        atomic_store(&ending_number, 0);
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_t thread;
        // The thread takes none of the program's signals.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int error = pthread_create(&thread, &attributes, ending_loop, NULL);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        if (error != 0) {
            close(ends[0]);
            close(ends[1]);
            return error;
        }
        ending_process = getpid();
    }
    for (int index = 0; index < count; index++) {
        int number = numbers[index];
        struct sigaction current;
        if (number <= 0 || number >= ending_count || sigaction(number, NULL, &current) != 0) return EINVAL;
        bool has_info = current.sa_flags & SA_SIGINFO;
        // Ours already, or ignored, as under nohup: then it stays so.
        if (has_info ? current.sa_sigaction == on_ending : current.sa_handler == SIG_IGN) continue;
        ending_previous[number] = current;
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = on_ending;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        if (sigaction(number, &action, NULL) != 0) return errno;
    }
    return 0;
}
