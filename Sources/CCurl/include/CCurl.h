#ifndef CCURL_H
#define CCURL_H
#ifdef __linux__
#include <curl/curl.h>
#endif
#endif
