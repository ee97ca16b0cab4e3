#include "CCurl.h"

#ifdef __linux__
#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode outcome;

static void prepare(void) { outcome = curl_global_init(CURL_GLOBAL_DEFAULT); }

int hw_curl_prepare(void) {
    pthread_once(&once, prepare);
    return outcome == CURLE_OK;
}

CURLcode hw_curl_set_sinks(CURL *handle, hw_curl_sink header, hw_curl_sink body, void *context) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    return result;
}

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    struct hw_curl_sockets *sockets = context;
    (void)purpose;
    curl_socket_t descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    int capacity = sizeof sockets->each / sizeof *sockets->each;
    if (descriptor >= 0 && sockets->count < capacity) sockets->each[sockets->count++] = descriptor;
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

static int close_socket(void *context, curl_socket_t descriptor) {
    struct hw_curl_sockets *sockets = context;
    for (int i = 0; i < sockets->count; i++) {
        if (sockets->each[i] == descriptor) sockets->each[i] = sockets->each[--sockets->count];
    }
    return close(descriptor);
}

CURLcode hw_curl_watch(CURL *handle, struct hw_curl_sockets *sockets) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, sockets);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    if (result == CURLE_OK) result = curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, sockets);
    return result;
}

static int queued(curl_socket_t socket, unsigned long which) {
    int bytes = 0;
    return ioctl(socket, which, &bytes) == 0 ? bytes : 0;
}

long hw_curl_unacknowledged(const struct hw_curl_sockets *sockets) {
    long sum = 0;
    for (int i = 0; i < sockets->count; i++) sum += queued(sockets->each[i], SIOCOUTQ);
    return sum;
}

int hw_curl_drop_unsent(const struct hw_curl_sockets *sockets) {
    int has_dropped = 0;
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    for (int i = 0; i < sockets->count; i++) {
        if (queued(sockets->each[i], SIOCOUTQNSD) <= 0) continue;
        if (connect(sockets->each[i], &nobody, sizeof nobody) == 0) has_dropped = 1;
    }
    return has_dropped;
}

// MARK: Pairs of sockets that libcurl opens for itself
//
// It wakes itself up by one pair for each multi handle, and by one for each name that it looks up. No callback makes them,
// and 7.88 lets programs that this process starts inherit them.

// Whether it is a local stream socket that a started program would inherit.
static int is_inherited(int descriptor) {
    int domain = 0, type = 0;
    socklen_t size = sizeof domain;
    return fcntl(descriptor, F_GETFD) == 0 && getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0
        && domain == AF_UNIX && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
}

static int unread(int descriptor) {
    int count = -1;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

// Finds the inherited socket that each call of `poke` gives one more byte to read; -1 for none.
//
// Several calls, so that it is not another socket of the program, to which something comes at the same time.
static int find_reader(void (*poke)(void *), void *context) {
    DIR *open = opendir("/proc/self/fd");
    if (!open) return -1;
    int found = -1;
    struct dirent *entry;
    while (found < 0 && (entry = readdir(open))) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] == '.' || !is_inherited(descriptor)) continue;
        int before = unread(descriptor), calls = 0;
        while (calls < 4 && before >= 0 && unread(descriptor) == before + calls) {
            poke(context);
            calls++;
        }
        if (calls == 4 && unread(descriptor) == before + 4) found = descriptor;
    }
    closedir(open);
    return found;
}

static void poke_multi(void *multi) { curl_multi_wakeup(multi); }

static void poke_peer(void *descriptor) { (void)send(*(int *)descriptor, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT); }

// Has no program inherit a pair of which libcurl reads this end alone, and writes to the other one alone.
static void close_pair_on_exec(int reader) {
    fcntl(reader, F_SETFD, FD_CLOEXEC);
    int writer = find_reader(poke_peer, &reader);
    if (writer >= 0) fcntl(writer, F_SETFD, FD_CLOEXEC);
}

CURLM *hw_curl_multi_make(void) {
    CURLM *multi = curl_multi_init();
    if (!multi) return NULL;
    int reader = find_reader(poke_multi, multi);
    if (reader >= 0) close_pair_on_exec(reader);
    // Takes what has woken it up.
    curl_multi_poll(multi, NULL, 0, 0, NULL);
    return multi;
}

CURLMcode hw_curl_multi_perform(CURLM *multi) {
    int running = 0, last = -1;
    CURLMcode result = curl_multi_perform(multi, &running);
    fd_set readers, writers, others;
    FD_ZERO(&readers);
    FD_ZERO(&writers);
    FD_ZERO(&others);
    if (curl_multi_fdset(multi, &readers, &writers, &others, &last) != CURLM_OK) return result;
    for (int descriptor = 0; descriptor <= last; descriptor++) {
        // The connections are those of `open_socket`; what else is read is the pair of a name that is looked up.
        if (FD_ISSET(descriptor, &readers) && is_inherited(descriptor)) close_pair_on_exec(descriptor);
    }
    return result;
}

CURL *hw_curl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}
#endif
