#define _GNU_SOURCE
#include "CHeartwood.h"

#include <netdb.h>
#include <sys/un.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

// A socket that neither blocks, nor survives an exec, nor raises SIGPIPE.
static int make_socket(int family, int type) {
#ifdef __linux__
    return socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
    int descriptor = socket(family, type, 0);
    if (descriptor < 0) return -1;
    int yes = 1;
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
    return descriptor;
#endif
}

static int connect_or_close(int descriptor, const struct sockaddr *address, socklen_t size) {
    if (descriptor < 0) return -1;
    int result;
    do {
        result = connect(descriptor, address, size);
    } while (result != 0 && errno == EINTR);
    if (result == 0 || errno == EINPROGRESS) return descriptor;
    int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

int hw_connect_local(const char *path, bool stream) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t size = strlen(path);
    if (size >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, size + 1);
    int descriptor = make_socket(AF_UNIX, stream ? SOCK_STREAM : SOCK_DGRAM);
    return connect_or_close(descriptor, (const struct sockaddr *)&address, sizeof address);
}

int hw_resolve(
    const char *host, const char *port, bool stream, bool numeric, struct hw_address *addresses, int capacity) {
    struct addrinfo hints = {0}, *first = NULL;
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = stream ? SOCK_STREAM : SOCK_DGRAM;
    hints.ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST : 0);
    int error = getaddrinfo(host, port, &hints, &first);
    // All codes of errors are negative in glibc, and positive elsewhere.
    if (error != 0) return error < 0 ? error : -error;
    int count = 0;
    for (struct addrinfo *each = first; each && count < capacity; each = each->ai_next) {
        if (each->ai_addrlen > sizeof addresses[count].storage) continue;
        memcpy(&addresses[count].storage, each->ai_addr, each->ai_addrlen);
        addresses[count].size = each->ai_addrlen;
        count++;
    }
    freeaddrinfo(first);
    return count;
}

const char *hw_resolve_reason(int error) {
#ifdef __linux__
    return gai_strerror(error);
#else
    return gai_strerror(-error);
#endif
}

int hw_connect(const struct hw_address *address, bool stream) {
    int descriptor = make_socket(address->storage.ss_family, stream ? SOCK_STREAM : SOCK_DGRAM);
    return connect_or_close(descriptor, (const struct sockaddr *)&address->storage, address->size);
}

int hw_accept(int listener) {
#ifdef __linux__
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC);
#else
    int descriptor = accept(listener, NULL, NULL);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

int hw_socket_error(int descriptor) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

ssize_t hw_send(int descriptor, const void *bytes, size_t count) {
    ssize_t sent;
    do {
        sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent;
}

bool hw_peer_has_closed(int descriptor) {
    char byte;
    ssize_t count;
    do {
        count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

int hw_send_in_file(int descriptor, const void *bytes, size_t count) {
#ifdef __linux__
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
#else
    (void)descriptor, (void)bytes, (void)count;
    errno = EMSGSIZE;
    return -1;
#endif
}
