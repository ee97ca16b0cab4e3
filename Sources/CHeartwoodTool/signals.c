#include "CHeartwoodTool.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

// What the handler reads: all of it is lock-free.
static _Atomic int descriptors[NSIG];
static _Atomic int stops[NSIG];
static _Atomic int taken[NSIG];
static _Atomic int stop;

static void pass(int number) {
    int before = errno;
    int none = 0;
    if (stops[number] && !atomic_compare_exchange_strong(&stop, &none, number)) _exit(128 + number);
    int descriptor = descriptors[number];
    unsigned char byte = (unsigned char)number;
    // A full pipe has enough bytes for its reader.
    if (descriptor >= 0) (void)!write(descriptor, &byte, 1);
    errno = before;
}

int hw_tool_pass_signal(int number, int descriptor, int is_stop) {
    if (number <= 0 || number >= NSIG) return 0;
    if (descriptor < 0) {
        descriptors[number] = -1;
        return 1;
    }
    struct sigaction action = {0};
    if (!taken[number]) {
        if (sigaction(number, NULL, &action)) return 0;
        if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN) return 0;
    }
    descriptors[number] = descriptor;
    stops[number] = is_stop;
    taken[number] = 1;
    action.sa_handler = pass;
    action.sa_flags = SA_RESTART;
    sigfillset(&action.sa_mask);
    return sigaction(number, &action, NULL) == 0;
}

int hw_tool_stop(void) { return stop; }
