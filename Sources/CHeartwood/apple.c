// Written from the documentation and from Apple's published sources: compiled for these systems, and run on none of them.
#ifdef __APPLE__
#include "platform.h"

#include <limits.h>
#include <mach/mach.h>
#include <sys/event.h>
#include <sys/sysctl.h>
#include <sys/xattr.h>

// MARK: Cycle counter

bool hw_ticks_are_reliable(void) { return true; }

uint64_t hw_ticks_per_second(void) {
    mach_timebase_info_data_t base;
    return mach_timebase_info(&base) == KERN_SUCCESS ? 1000000000ull * base.denom / base.numer : 1000000000;
}

// MARK: Threads

HW_FAULT_HANDLER uint64_t hw_thread_id(void) {
    uint64_t id = 0;
    pthread_threadid_np(NULL, &id);
    return id;
}

void hw_first_thread_name(char *name, size_t size) { (void)size, name[0] = 0; }

bool hw_task_name(struct hw_label *name) { return (void)name, false; }

// Long enough for a store to become visible.
void hw_pass_barrier(void) { usleep(1000); }

// MARK: Memory

void *hw_page_emptied_by_fork(void) { return NULL; }

HW_FAULT_HANDLER bool hw_move_memory(void *from, void *to, size_t size) {
    vm_address_t target = (vm_address_t)to;
    vm_prot_t now, most;
    kern_return_t result = vm_remap(
        mach_task_self(), &target, size, 0, VM_FLAGS_FIXED | VM_FLAGS_OVERWRITE, mach_task_self(), (vm_address_t)from, false,
        &now, &most, VM_INHERIT_DEFAULT);
    if (result != KERN_SUCCESS) return false;
    munmap(from, size);
    return true;
}

// MARK: Processes

// In microseconds since 1970. In an app, only its own process can be asked for.
uint64_t hw_process_start(int64_t process) {
    int name[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)process};
    struct kinfo_proc info;
    size_t size = sizeof info;
    if (sysctl(name, 4, &info, &size, NULL, 0) != 0 || size < sizeof info) return 0;
    // One that has ended and was not waited for yet does not live.
    if (info.kp_proc.p_pid != process || info.kp_proc.p_stat == SZOMB) return 0;
    struct timeval start = info.kp_proc.p_starttime;
    return (uint64_t)start.tv_sec * 1000000u + (uint64_t)start.tv_usec;
}

void hw_boot_id(uint8_t *id) {
    char text[64] = {0};
    size_t size = sizeof text - 1;
    memset(id, 0, 16);
    if (sysctlbyname("kern.bootsessionuuid", text, &size, NULL, 0) == 0) hw_read_id(text, id);
}

// MARK: Descriptors

// A new file gets its class while it is created: afterwards it may be one that cannot be opened while the device is locked.
int hw_open_file(int directory, const char *name, int flags, uint32_t mode) {
    if (flags & O_CREAT) {
        int descriptor = openat_dprotected_np(directory, name, flags, hw_readable_after_first_unlock, 0, (int)mode);
        // The volume has no such classes.
        if (descriptor >= 0 || (errno != ENOTSUP && errno != EINVAL)) return descriptor;
    }
    return openat(directory, name, flags, (int)mode);
}

int hw_allocate(int descriptor, int64_t size) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return -1;
    if (info.st_size >= size) return 0;
    fstore_t store = {F_ALLOCATEALL, F_PEOFPOSMODE, 0, size - info.st_size, 0};
    if (fcntl(descriptor, F_PREALLOCATE, &store) == 0) return hw_truncate_quietly(descriptor, size);
    if (errno != ENOTSUP && errno != EINVAL) return -1;
    // exFAT, FAT and network volumes have no such thing: the blocks are there once zeros are written.
    static const char zeros[16 * 1024];
    for (int64_t done = info.st_size; done < size;) {
        int64_t rest = size - done;
        size_t count = rest < (int64_t)sizeof zeros ? (size_t)rest : sizeof zeros;
        ssize_t written = hw_write_at_quietly(descriptor, zeros, count, done);
        if (written < 0 && errno != EINTR) return -1;
        if (written > 0) done += written;
    }
    return 0;
}

void hw_let_go(int descriptor) {
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0) return;
    dup2(nothing, descriptor);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    close(nothing);
}

int hw_pipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int index = 0; index < 2; index++) fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    return 0;
}

// If others fill the pipe between the two calls, this thread waits.
ssize_t hw_write_pipe(int descriptor, const void *bytes, size_t count) {
    return hw_write_if_writable(descriptor, bytes, count, PIPE_BUF);
}

void hw_terminal_path(int descriptor, char *path, size_t size) {
    if (ttyname_r(descriptor, path, size) != 0) path[0] = 0;
}

int hw_make_socket(int family, int type) {
    int descriptor = socket(family, type, 0);
    if (descriptor < 0) return -1;
    int yes = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return descriptor;
}

int hw_accept(int listener) {
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}

int hw_send_in_file(int descriptor, const void *bytes, size_t count) {
    (void)descriptor, (void)bytes, (void)count;
    errno = EMSGSIZE;
    return -1;
}

// MARK: Files

int64_t hw_file_birth(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) return -1;
    return hw_nanoseconds(info.st_birthtimespec.tv_sec, info.st_birthtimespec.tv_nsec);
}

int64_t hw_attribute_get(int file, const char *name, void *value, size_t size) {
    return fgetxattr(file, name, value, size, 0, 0);
}

int hw_attribute_set(int file, const char *name, const void *value, size_t size) {
    return value ? fsetxattr(file, name, value, size, 0, 0) : fremovexattr(file, name, 0);
}

int hw_watch_open(void) {
    int queue = kqueue();
    if (queue >= 0) fcntl(queue, F_SETFD, FD_CLOEXEC);
    return queue;
}

int hw_watch_file(int watch, int descriptor) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return -1;
    uint32_t changes = NOTE_WRITE | NOTE_EXTEND | NOTE_ATTRIB | NOTE_DELETE | NOTE_RENAME;
    struct kevent entry;
    EV_SET(&entry, descriptor, EVFILT_VNODE, EV_ADD | EV_CLEAR, changes, 0, (void *)(intptr_t)S_ISDIR(info.st_mode));
    return kevent(watch, &entry, 1, NULL, 0, NULL) == 0 ? descriptor : -1;
}

void hw_watch_remove(int watch, int number) {
    struct kevent entry;
    EV_SET(&entry, number, EVFILT_VNODE, EV_DELETE, 0, 0, NULL);
    kevent(watch, &entry, 1, NULL, 0, NULL);
}

enum hw_change hw_watch_wait(int watch, int milliseconds) {
    enum hw_change change = hw_change_none;
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    struct kevent events[32];
    int count;
    while ((count = kevent(watch, NULL, 0, events, 32, &limit)) > 0) {
        for (int index = 0; index < count; index++) {
            bool is_content = !events[index].udata && !(events[index].fflags & ~(uint32_t)(NOTE_WRITE | NOTE_EXTEND));
            if (!is_content) change = hw_change_names;
            else if (change == hw_change_none) change = hw_change_content;
        }
        limit = (struct timespec){0, 0};
    }
    return change;
}

// MARK: Signals

static void on_size(int number) { (void)number; }

// These signals come to any thread of the process that does not block them, so that no mask of this thread's keeps them away.
// SIGPIPE is turned off for the open file, for good and for all that share it. SIGXFSZ gets a handler where it would end the
// process; both calls may be made any number of times.
void hw_quiet_begin(struct hw_quiet *quiet, int descriptor) {
    static _Atomic bool is_size_handled;
    (void)quiet;
    int error = errno;
    if (descriptor >= 0 && fcntl(descriptor, F_GETNOSIGPIPE) == 0) fcntl(descriptor, F_SETNOSIGPIPE, 1);
    struct sigaction action;
    if (!is_size_handled && sigaction(SIGXFSZ, NULL, &action) == 0) {
        if (!(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL) {
            action = (struct sigaction){.sa_handler = on_size, .sa_flags = SA_RESTART};
            sigaction(SIGXFSZ, &action, NULL);
        }
        is_size_handled = true;
    }
    errno = error;
}

void hw_quiet_end(struct hw_quiet *quiet, bool may_have_raised) { (void)quiet, (void)may_have_raised; }

ssize_t hw_write_guarded(int descriptor, const void *bytes, size_t count) {
    struct hw_quiet quiet;
    hw_quiet_begin(&quiet, -1);
    return write(descriptor, bytes, count);
}
#endif
