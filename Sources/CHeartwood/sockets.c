#define _GNU_SOURCE
#include "platform.h"

#include <netdb.h>
#include <sys/un.h>

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
    int descriptor = hw_make_socket(AF_UNIX, stream ? SOCK_STREAM : SOCK_DGRAM);
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

const char *hw_resolve_reason(int error) { return gai_strerror(EAI_NONAME < 0 ? error : -error); }

int hw_connect(const struct hw_address *address, bool stream) {
    int descriptor = hw_make_socket(address->storage.ss_family, stream ? SOCK_STREAM : SOCK_DGRAM);
    return connect_or_close(descriptor, (const struct sockaddr *)&address->storage, address->size);
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
