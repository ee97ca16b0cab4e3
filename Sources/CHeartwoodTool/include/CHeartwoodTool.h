#ifndef CHEARTWOOD_TOOL_H
#define CHEARTWOOD_TOOL_H

#include <stddef.h>

/// The files that make the page of `heartwood view`. The C compiler embeds them: as Swift literals, they took seconds to compile.
typedef enum {
    HW_PAGE_HTML,
    HW_PAGE_CSS,
    HW_PAGE_STATE,
    HW_PAGE_LIST,
    HW_PAGE_TOOLS,
    HW_PAGE_RECORD,
} hw_page_part;

/// The bytes of a file, which are there as long as the process; sets their number.
const unsigned char *_Nonnull hw_page_bytes(hw_page_part part, size_t *_Nonnull count);

/// Has a signal write a byte, its number, to a descriptor, which must not block; -1 ends that. From the return on, none is lost,
/// as a signal source of Dispatch may lose one: it passes each on from thread to thread.
///
/// With `is_stop`, the signal is also what `hw_tool_stop` returns, and a second such signal ends the process at once.
///
/// Returns 0 where the signal was ignored when the process began, as under `nohup`; it stays ignored.
int hw_tool_pass_signal(int number, int descriptor, int is_stop);

/// The first signal that asked for the end; 0 for none.
int hw_tool_stop(void);

#endif
