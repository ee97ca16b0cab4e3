#ifndef CHEARTWOOD_PAGE_H
#define CHEARTWOOD_PAGE_H

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

#endif
