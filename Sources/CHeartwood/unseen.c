// Finds the bytes of a text that a terminal or a browser does not show.

#include "CHeartwood.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

// A character, as it is or spelled: \u001b, \u{1b}, \x1b, \033, \e, with any number of backslashes; #033; ^[.
struct hw_character {
    uint32_t scalar;
    // Its length in bytes; 0 at the end of the text, and for bytes that are not UTF-8.
    size_t length;
    bool isSpelled;
};

static int hw_hexadecimal(uint8_t byte) {
    if (byte >= '0' && byte <= '9') return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static struct hw_character hw_spelled(const uint8_t *bytes, size_t count, size_t at) {
    size_t index = at;
    while (index < count && bytes[index] == '\\') index++;
    struct hw_character none = {'\\', 1, true}, found = {0, 0, true};
    if (index >= count) return none;
    uint8_t kind = bytes[index++];
    if (kind == 'e' || kind == 'a') {
        found.scalar = kind == 'e' ? 0x1B : 0x07;
    } else if (kind == '0' || kind == '3') {
        if (kind == '0' && index < count && bytes[index] == '3') index++;
        if (index >= count || bytes[index++] != '3') return none;
        found.scalar = 0x1B;
    } else if (kind == 'u' || kind == 'x') {
        bool isOpen = index < count && bytes[index] == '{';
        size_t least = isOpen ? 1 : kind == 'u' ? 4 : 2, most = isOpen ? 6 : least, digits = 0;
        if (isOpen) index++;
        for (; digits < most && index < count && hw_hexadecimal(bytes[index]) >= 0; digits++, index++)
            found.scalar = found.scalar << 4 | (uint32_t)hw_hexadecimal(bytes[index]);
        if (digits < least || (isOpen && (index >= count || bytes[index++] != '}'))) return none;
    } else {
        return none;
    }
    found.length = index - at;
    return found;
}

static struct hw_character hw_character(const uint8_t *bytes, size_t count, size_t at) {
    struct hw_character found = {0, 0, false};
    if (at >= count) return found;
    uint8_t first = bytes[at];
    if (first == '\\') return hw_spelled(bytes, count, at);
    if ((first == '#' && count - at >= 4 && !memcmp(bytes + at, "#033", 4))
        || (first == '^' && count - at >= 2 && bytes[at + 1] == '[')) {
        struct hw_character escape = {0x1B, first == '#' ? 4 : 2, true};
        return escape;
    }
    size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    if (length == 0 || count - at < length) return found;
    found.scalar = length == 1 ? first : first & (0x7F >> length);
    for (size_t index = 1; index < length; index++) {
        if ((bytes[at + index] & 0xC0) != 0x80) return found;
        found.scalar = found.scalar << 6 | (bytes[at + index] & 0x3F);
    }
    found.length = length;
    return found;
}

// The length of a control string with its end, which is BEL or ESC \; 0 if its line ends first, or, if it is spelled, a
// quotation mark comes first.
static size_t hw_control_string(const uint8_t *bytes, size_t count, size_t at, bool isSpelled) {
    for (size_t index = at; index < count && bytes[index] != '\n' && index - at < 8192;) {
        if (isSpelled && bytes[index] == '"') return 0;
        struct hw_character next = hw_character(bytes, count, index);
        index += next.length ? next.length : 1;
        if (next.length == 0) continue;
        if (next.scalar == 0x07 || next.scalar == 0x9C) return index - at;
        if (next.scalar != 0x1B) continue;
        while (index < count && bytes[index] == '\\') index++;
        return index - at;
    }
    return 0;
}

// The length of an escape sequence; 0 if there is none. If `isCautious`, an unusual final byte is not counted.
static size_t hw_sequence(const uint8_t *bytes, size_t count, size_t at, bool isCautious) {
    struct hw_character escape = hw_character(bytes, count, at);
    size_t start = at + escape.length;
    if (escape.length == 0) return 0;
    uint8_t kind = 0;
    switch (escape.scalar) {
    case 0x1B: kind = start < count ? bytes[start++] : 0; break;
    case 0x90: kind = 'P'; break;
    case 0x9B: kind = '['; break;
    case 0x9D: kind = ']'; break;
    default: return 0;
    }
    size_t end = start;
    if (kind == '[' && !isCautious) {
        while (end < count && bytes[end] >= 0x20 && bytes[end] <= 0x3F) end++;
        return end + (end < count) - at;
    }
    if (kind == '[') {
        while (end < count && bytes[end] >= 0x30 && bytes[end] <= 0x3F) end++;
        // Cursor style, and soft reset.
        if (count - end >= 2 && (!memcmp(bytes + end, " q", 2) || !memcmp(bytes + end, "!p", 2))) return end + 2 - at;
        // If a sequence was cut off, ordinary text follows. Taking its first letter for the final byte would hide a name such
        // as `password`. So only the final bytes of colors, erasing and modes are accepted.
        const char *ends = start < end && bytes[start] == '?' ? "hlm" : "JKm";
        bool isEnded = end < count && bytes[end] && strchr(ends, bytes[end]);
        return end + isEnded - at;
    }
    if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
        size_t length = hw_control_string(bytes, count, start, escape.isSpelled);
        return length || !escape.isSpelled ? start + length - at : 0;
    }
    // Selects a character set, as `tput sgr0` does; saves or restores the cursor; sets the keypad mode.
    bool isSelection = (kind == '(' || kind == ')') && end < count && bytes[end] && strchr("0AB", bytes[end]);
    if (isSelection) return end + 1 - at;
    if (!escape.isSpelled && kind && strchr("78=>\\", kind)) return end - at;
    return escape.isSpelled ? 0 : escape.length;
}

size_t hw_escape_sequence(const uint8_t *bytes, size_t count, size_t at) {
    return hw_sequence(bytes, count, at, false);
}

// Characters without width: joiners, direction marks, variation selectors, the soft hyphen, fillers, and control characters
// that do not move the cursor.
static bool hw_has_no_width(uint32_t scalar) {
    if (scalar < 0x20) return scalar != 0x1B && (scalar < 0x08 || scalar > 0x0D);
    return scalar == 0x7F || scalar == 0xAD || scalar == 0x34F || scalar == 0x61C || scalar == 0x115F || scalar == 0x1160
        || (scalar >= 0x180B && scalar <= 0x180F) || (scalar >= 0x200B && scalar <= 0x200F)
        || (scalar >= 0x202A && scalar <= 0x202E) || (scalar >= 0x2060 && scalar <= 0x206F) || scalar == 0x3164
        || (scalar >= 0xFE00 && scalar <= 0xFE0F) || scalar == 0xFEFF || scalar == 0xFFA0
        || (scalar >= 0xE0000 && scalar <= 0xE0FFF);
}

size_t hw_unseen(const uint8_t *bytes, size_t count, size_t at) {
    struct hw_character found = hw_character(bytes, count, at);
    if (found.length && hw_has_no_width(found.scalar)) return found.length;
    return hw_sequence(bytes, count, at, true);
}

// Whether a byte can begin an invisible sequence.
static inline bool hw_may_be_unseen(uint8_t byte) {
    if (byte < 0x20) return byte < 0x09 || byte > 0x0D;
    switch (byte) {
    case '#': case '\\': case '^': case 0x7F:
    case 0xC2: case 0xCD: case 0xD8: case 0xE1: case 0xE2: case 0xE3: case 0xEF: case 0xF3: return true;
    default: return false;
    }
}

size_t hw_next_unseen(const uint8_t *bytes, size_t count, size_t from) {
    size_t index = from;
    while (index < count) {
#if defined(__x86_64__)
        while (count - index >= 16) {
            __m128i text = _mm_loadu_si128((const __m128i *)(bytes + index));
            __m128i low = _mm_cmplt_epi8(text, _mm_set1_epi8(0x20));
            // Tabs and ends of lines: 0x09 to 0x0D.
            __m128i moves = _mm_cmplt_epi8(_mm_add_epi8(text, _mm_set1_epi8(0x77)), _mm_set1_epi8(-0x80 + 5));
            __m128i hash = _mm_cmpeq_epi8(text, _mm_set1_epi8('#'));
            __m128i caret = _mm_cmpeq_epi8(text, _mm_set1_epi8('^'));
            __m128i slash = _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'));
            __m128i erase = _mm_cmpeq_epi8(text, _mm_set1_epi8(0x7F));
            __m128i spelled = _mm_or_si128(_mm_or_si128(hash, caret), _mm_or_si128(slash, erase));
            // Bytes of 0x80 and more are negative, and so below the controls as well.
            __m128i found = _mm_or_si128(_mm_andnot_si128(moves, low), spelled);
            int places = _mm_movemask_epi8(found);
            if (places) {
                index += (size_t)__builtin_ctz((unsigned)places);
                break;
            }
            index += 16;
        }
        if (index >= count) break;
#endif
        if (hw_may_be_unseen(bytes[index]) && (bytes[index] == 0x08 || hw_unseen(bytes, count, index) > 0)) return index;
        // A run of backslashes belongs to one spelling.
        if (bytes[index] == '\\') while (index + 1 < count && bytes[index + 1] == '\\') index++;
        index++;
    }
    return count;
}
