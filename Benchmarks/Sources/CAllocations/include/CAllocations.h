#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H
#include <stdint.h>

// How many blocks the calling thread has allocated so far. Counted only on Linux with the GNU C library; elsewhere -1.
int64_t allocations_of_this_thread(void);

#endif
