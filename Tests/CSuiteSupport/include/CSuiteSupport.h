#pragma once

#include <stdint.h>

/// Where a thread of this process is: the return addresses on its stack, innermost first.
///
/// Works without a debugger, and only once the process is about to end: the thread is interrupted by SIGTRAP, whose
/// handler is replaced. Returns how many addresses were stored; 0 if the thread did not answer within two seconds, and
/// where the system is not Linux with glibc.
int hw_stack_of_thread(int32_t thread, void **addresses, int capacity);

/// Prepares hw_stack_of_thread: what it needs may not be loaded in a handler of a signal.
void hw_prepare_stacks(void);

/// What an address belongs to: the file it was loaded from, the place in it, and the name of the function where the file
/// exports that. Returns 0 if it belongs to nothing.
int hw_place_of_address(const void *address, const char **file, uintptr_t *offset, const char **name);
