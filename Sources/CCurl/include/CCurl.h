// libcurl, and its variadic calls in forms that Swift can import.
#ifndef CCURL_H
#define CCURL_H
#ifdef __linux__
#include <curl/curl.h>

static inline CURLcode hw_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode hw_curl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode hw_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode hw_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode hw_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(handle, option, list);
}

// Has each new connection read the file of authorities again, which libcurl otherwise keeps for a day. A libcurl that does not
// know the option does so anyway.
static inline void hw_curl_keep_no_authorities(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
}

// Both callbacks are called with `context`; one that does not return the number of bytes it was given ends the transfer.
typedef size_t (*hw_curl_sink)(char *bytes, size_t size, size_t count, void *context);
CURLcode hw_curl_set_sinks(CURL *handle, hw_curl_sink header, hw_curl_sink body, void *context);

static inline CURLcode hw_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode hw_curl_get_size(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode hw_curl_get_text(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, (char **)value);
}

// The open connections of some transfers that run in one thread; zeros at first.
struct hw_curl_sockets {
    int count;
    curl_socket_t each[64];
};

// Has the transfer's connections kept in `sockets`, which must live as long as they do.
CURLcode hw_curl_watch(CURL *handle, struct hw_curl_sockets *sockets);

// How many bytes the other sides of all connections have not acknowledged.
long hw_curl_unacknowledged(const struct hw_curl_sockets *sockets);

// Aborts the connections with buffered bytes that were never sent, and discards these bytes; 0 if there is none.
//
// If a connection is only closed, the system still sends what it has buffered.
int hw_curl_drop_unsent(const struct hw_curl_sockets *sockets);

// A multi handle; null where there is no memory. Programs that this process starts do not inherit its sockets.
//
// libcurl makes two of them without a way to say so: a program that another thread starts between that and the end of this
// function inherits them.
CURLM *hw_curl_multi_make(void);

// Does what there is to do for the transfers. Programs that are started after it do not inherit the sockets of a lookup of
// a name that it has begun, where their numbers are below FD_SETSIZE.
CURLMcode hw_curl_multi_perform(CURLM *multi);

// The next finished transfer and its result, or null.
CURL *hw_curl_next_finished(CURLM *multi, CURLcode *result);

static inline CURLMcode hw_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// Initialises libcurl once per process; whether that went well.
int hw_curl_prepare(void);

#endif
#endif
