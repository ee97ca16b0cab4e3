#define _GNU_SOURCE
#include "CAllocations.h"

#include <stddef.h>

#if defined(__GLIBC__)

// The program's own malloc takes the place of the library's in all of its code, and passes every call on.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Thread_local int64_t count __attribute__((tls_model("initial-exec")));

void *malloc(size_t size) { count++; return __libc_malloc(size); }
void *calloc(size_t number, size_t size) { count++; return __libc_calloc(number, size); }
void *realloc(void *block, size_t size) { count++; return __libc_realloc(block, size); }
void *memalign(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { count++; return __libc_memalign(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    count++;
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : 12;
}

int64_t allocations_of_this_thread(void) { return count; }

#else

int64_t allocations_of_this_thread(void) { return -1; }

#endif
