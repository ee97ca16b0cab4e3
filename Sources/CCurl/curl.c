#include "CCurl.h"

#ifdef __linux__
#include <linux/sockios.h>
#include <pthread.h>
#include <sys/ioctl.h>
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

long hw_curl_unacknowledged(const struct hw_curl_sockets *sockets) {
    long sum = 0;
    for (int i = 0; i < sockets->count; i++) {
        int bytes = 0;
        if (ioctl(sockets->each[i], SIOCOUTQ, &bytes) == 0) sum += bytes;
    }
    return sum;
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
