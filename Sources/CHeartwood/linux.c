#ifdef __linux__
#define _GNU_SOURCE
#include "platform.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

// MARK: Cycle counter

bool hw_ticks_are_reliable(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000007u) return false;
    __get_cpuid(0x80000007u, &a, &b, &c, &d);
    return (d & (1u << 8)) != 0;  // the invariant TSC
#elif defined(__aarch64__)
    return true;  // architectural: constant rate, same on every core
#else
    return false;
#endif
}

uint64_t hw_ticks_per_second(void) {
#if defined(__aarch64__)
    uint64_t value;
    __asm__("mrs %0, cntfrq_el0" : "=r"(value));
    return value;
#else
    return 2000000000;
#endif
}

// MARK: Threads

HW_FAULT_HANDLER uint64_t hw_thread_id(void) { return (uint64_t)syscall(SYS_gettid); }

void hw_first_thread_name(char *name, size_t size) {
    FILE *file = fopen("/proc/self/comm", "re");
    if (!file) return;
    if (!fgets(name, (int)size, file)) name[0] = 0;
    name[strcspn(name, "\n")] = 0;
    fclose(file);
}

extern const char *swift_task_getCurrentTaskName(void) __attribute__((swiftcall));

bool hw_task_name(struct hw_label *name) {
    name->text = swift_task_getCurrentTaskName();
    name->size = name->text ? strnlen(name->text, 255) : 0;
    return true;
}

void hw_pass_barrier(void) {
    static bool is_registered;
    if (!is_registered) is_registered = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    if (is_registered && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) return;
    // Long enough for a store to become visible.
    usleep(1000);
}

// MARK: Memory

void *hw_page_emptied_by_fork(void) {
#ifdef MADV_WIPEONFORK
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (page == MAP_FAILED) return NULL;
    if (madvise(page, size, MADV_WIPEONFORK) == 0) return page;
    munmap(page, size);
#endif
    return NULL;
}

HW_FAULT_HANDLER bool hw_move_memory(void *from, void *to, size_t size) {
    return mremap(from, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

// MARK: Processes

uint64_t hw_process_start(int64_t process) {
    char text[1024];
    snprintf(text, sizeof text, "/proc/%lld/stat", (long long)process);
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return 0;
    text[count] = 0;
    // The name is in parentheses and may contain anything; the start is the 20th field after it.
    char *field = strrchr(text, ')');
    // One that has ended and was not waited for yet does not live.
    if (field && field[1] == ' ' && (field[2] == 'Z' || field[2] == 'X')) return 0;
    for (int number = 0; field && number < 20; number++) {
        field = strchr(field + 1, ' ');
    }
    return field ? strtoull(field, NULL, 10) : 0;
}

void hw_boot_id(uint8_t *id) {
    memset(id, 0, 16);
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char text[40] = {0};
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    hw_read_id(text, id);
}

// MARK: Descriptors

int hw_open_file(int directory, const char *name, int flags, uint32_t mode) {
    return openat(directory, name, flags, (mode_t)mode);
}

int hw_allocate(int descriptor, int64_t size) {
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, descriptor);
    int result;
    do {
        result = posix_fallocate(descriptor, 0, size);
    } while (result == EINTR);
    hw_quiet_end(&quiet, result != 0);
    errno = result;
    return result ? -1 : 0;
}

void hw_let_go(int descriptor) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return;
    dup3(nothing, descriptor, O_CLOEXEC);
    close(nothing);
}

int hw_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

ssize_t hw_write_pipe(int descriptor, const void *bytes, size_t count) {
#ifdef RWF_NOWAIT
    // Others that write to the pipe may fill it between poll and write: only the kernel can tell in one step.
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    ssize_t written = pwritev2(descriptor, &part, 1, -1, RWF_NOWAIT);
    if (written >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINVAL && errno != ESPIPE)) return written;
#endif
    return hw_write_if_writable(descriptor, bytes, count, PIPE_BUF);
}

void hw_terminal_path(int descriptor, char *path, size_t size) {
    // Built by hand: snprintf is not for signal handlers.
    static const char directory[] = "/proc/self/fd/";
    char digits[12];
    int length = 0, end = (int)sizeof directory - 1;
    path[0] = 0;
    if (size < sizeof directory + sizeof digits) return;
    memcpy(path, directory, sizeof directory);
    for (int rest = descriptor; length == 0 || rest > 0; rest /= 10) digits[length++] = (char)('0' + rest % 10);
    while (length > 0) path[end++] = digits[--length];
    path[end] = 0;
}

int hw_make_socket(int family, int type) { return socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int hw_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC); }

int hw_send_in_file(int descriptor, const void *bytes, size_t count) {
    int file = memfd_create("heartwood", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) {
        // Not to be had here at all: too long, then. No descriptor just now: later.
        if (errno == ENOSYS || errno == EPERM || errno == EACCES) errno = EMSGSIZE;
        if (errno == EMFILE || errno == ENFILE) errno = EAGAIN;
        return -1;
    }
    int result = -1;
    for (size_t written = 0; written < count;) {
        ssize_t step = write(file, (const char *)bytes + written, count - written);
        if (step < 0 && errno == EINTR) continue;
        if (step <= 0) goto end;
        written += (size_t)step;
    }
    if (fcntl(file, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) goto end;

    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_control = &control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof file);
    ssize_t sent;
    do {
        sent = sendmsg(descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    result = sent < 0 ? -1 : 0;
end:;
    int error = errno;
    close(file);
    errno = error;
    return result;
}

// MARK: Files

int64_t hw_file_birth(int fd) {
    struct statx info;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &info) != 0 || !(info.stx_mask & STATX_BTIME)) return -1;
    return hw_nanoseconds(info.stx_btime.tv_sec, info.stx_btime.tv_nsec);
}

int64_t hw_attribute_get(int file, const char *name, void *value, size_t size) {
    return fgetxattr(file, name, value, size);
}

int hw_attribute_set(int file, const char *name, const void *value, size_t size) {
    return value ? fsetxattr(file, name, value, size, 0) : fremovexattr(file, name);
}

int hw_watch_open(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int hw_watch_directory(int watch, const char *path) {
    return inotify_add_watch(watch, path, IN_CREATE | IN_MOVE | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR);
}

int hw_watch_file(int watch, int descriptor) {
    // By its descriptor: its path may lead to another file by now.
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return inotify_add_watch(watch, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF);
}

void hw_watch_remove(int watch, int number) { inotify_rm_watch(watch, number); }

enum hw_change hw_watch_wait(int watch, int milliseconds) {
    struct pollfd entry = {.fd = watch, .events = POLLIN};
    if (poll(&entry, 1, milliseconds) <= 0) return hw_change_none;
    enum hw_change change = hw_change_none;
    _Alignas(struct inotify_event) char events[4096];
    ssize_t count;
    while ((count = read(watch, events, sizeof events)) > 0) {
        const struct inotify_event *event;
        for (const char *place = events; place < events + count; place += sizeof *event + event->len) {
            event = (const struct inotify_event *)place;
            // That a watch has ended says nothing more.
            if (event->mask & IN_IGNORED) continue;
            if (event->mask != IN_MODIFY) change = hw_change_names;
            else if (change == hw_change_none) change = hw_change_content;
        }
    }
    return change;
}

// MARK: Signals

void hw_quiet_begin(struct hw_quiet *quiet, int descriptor) {
    (void)descriptor;
    sigset_t blocked, pending;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGXFSZ);
    sigemptyset(&pending);
    sigpending(&pending);
    quiet->pipe_was_pending = sigismember(&pending, SIGPIPE);
    quiet->size_was_pending = sigismember(&pending, SIGXFSZ);
    quiet->is_blocked = pthread_sigmask(SIG_BLOCK, &blocked, &quiet->before) == 0;
}

void hw_quiet_end(struct hw_quiet *quiet, bool may_have_raised) {
    if (!quiet->is_blocked) return;
    int error = errno;
    // A signal that was raised meanwhile is pending on this thread: take it back before the mask is lifted. A reader that
    // goes in the middle of a write raises one even though the write reports the bytes that it took.
    if (may_have_raised) {
        sigset_t raised;
        sigemptyset(&raised);
        if (!quiet->pipe_was_pending) sigaddset(&raised, SIGPIPE);
        if (!quiet->size_was_pending) sigaddset(&raised, SIGXFSZ);
        struct timespec none = {0, 0};
        int taken;
        do {
            taken = sigtimedwait(&raised, NULL, &none);
        } while (taken > 0 || (taken < 0 && errno == EINTR));
    }
    pthread_sigmask(SIG_SETMASK, &quiet->before, NULL);
    errno = error;
}

// The kernel raises SIGXFSZ on the thread whose write(2) reaches the limit, before that write returns. So the handler knows
// by a variable of the thread whether the signal is ours; any other one has the effect that it had before.

static _Thread_local volatile sig_atomic_t is_writing __attribute__((tls_model("initial-exec")));
static struct sigaction previous_size;
static pthread_once_t size_once = PTHREAD_ONCE_INIT;

static void on_size(int number, siginfo_t *info, void *context) {
    int error = errno;
    if (is_writing) {
        // The write fails with EFBIG, and that is all.
    } else if (previous_size.sa_flags & SA_SIGINFO) {
        previous_size.sa_sigaction(number, info, context);
    } else if (previous_size.sa_handler == SIG_DFL) {
        // Ends the process as soon as this returns.
        signal(number, SIG_DFL);
        raise(number);
    } else if (previous_size.sa_handler != SIG_IGN) {
        previous_size.sa_handler(number);
    }
    errno = error;
}

static void catch_size(void) {
    struct sigaction action;
    // An ignored signal stays ignored, also in programs that this one starts.
    if (sigaction(SIGXFSZ, NULL, &previous_size) != 0) return;
    if (!(previous_size.sa_flags & SA_SIGINFO) && previous_size.sa_handler == SIG_IGN) return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_size;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGXFSZ, &action, &previous_size);
}

ssize_t hw_write_guarded(int descriptor, const void *bytes, size_t count) {
    pthread_once(&size_once, catch_size);
    is_writing = 1;
    ssize_t written = write(descriptor, bytes, count);
    is_writing = 0;
    return written;
}

// MARK: Marks of queues

extern void *dispatch_get_current_queue(void);
extern void *dispatch_get_specific(const void *key);
extern void dispatch_queue_set_specific(void *queue, const void *key, void *context, void (*destructor)(void *));

void *hw_queue_mark(const void *key) {
    void *queue = dispatch_get_current_queue();
    dispatch_queue_set_specific(queue, key, queue, NULL);
    return queue;
}

void hw_queue_unmark(void *queue, const void *key) { dispatch_queue_set_specific(queue, key, NULL, NULL); }

bool hw_queue_is_marked(const void *key) { return dispatch_get_specific(key) != NULL; }

// MARK: A counting semaphore

// The kernel compares the count under its own lock, so that no signal falls between the look and the sleep.
void hw_semaphore_signal(struct hw_semaphore *semaphore) {
    atomic_fetch_add(&semaphore->count, 1);
    if (atomic_load(&semaphore->waiters)) {
        syscall(SYS_futex, &semaphore->count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
}

bool hw_semaphore_wait(struct hw_semaphore *semaphore, int64_t nanoseconds) {
    int64_t now = hw_uptime();
    int64_t deadline = nanoseconds > INT64_MAX - now ? INT64_MAX : now + nanoseconds;
    while (true) {
        uint32_t count = atomic_load(&semaphore->count);
        while (count > 0) {
            if (atomic_compare_exchange_weak(&semaphore->count, &count, count - 1)) return true;
        }
        int64_t rest = deadline - hw_uptime();
        if (rest <= 0) return false;
        struct timespec limit = {rest / 1000000000, rest % 1000000000};
        atomic_fetch_add(&semaphore->waiters, 1);
        syscall(SYS_futex, &semaphore->count, FUTEX_WAIT_PRIVATE, 0, &limit, NULL, 0);
        atomic_fetch_sub(&semaphore->waiters, 1);
    }
}
#endif
