#include "CCurl.h"

#ifdef __linux__
#include <pthread.h>

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
