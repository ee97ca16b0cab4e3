#include "CHeartwoodTool.h"

// `#embed` is of C23, and an extension before that.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char html[] = {
#embed "page.html"
};
static const unsigned char css[] = {
#embed "page.css"
};
static const unsigned char state[] = {
#embed "state.js"
};
static const unsigned char list[] = {
#embed "list.js"
};
static const unsigned char tools[] = {
#embed "tools.js"
};
static const unsigned char record[] = {
#embed "record.js"
};

static const struct {
    const unsigned char *bytes;
    size_t count;
} parts[] = {
    [HW_PAGE_HTML] = {html, sizeof html},    [HW_PAGE_CSS] = {css, sizeof css},
    [HW_PAGE_STATE] = {state, sizeof state}, [HW_PAGE_LIST] = {list, sizeof list},
    [HW_PAGE_TOOLS] = {tools, sizeof tools}, [HW_PAGE_RECORD] = {record, sizeof record},
};

const unsigned char *hw_page_bytes(hw_page_part part, size_t *count) {
    *count = parts[part].count;
    return parts[part].bytes;
}
