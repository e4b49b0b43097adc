#include "source/source.h"

struct code_range {
    uint32_t first, last;
};

static bool in_ranges(const struct code_range *ranges, size_t n, uint32_t code) {
    for (size_t i = 0; i < n; i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

/* The blocks that matter in comments and strings; a table of all of Unicode would be out of proportion. */
static uint32_t code_cells(uint32_t code) {
    static const struct code_range none[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF},
                                             {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};
    static const struct code_range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                             {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
                                             {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                             {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (code < 0x300)
        return 1;
    if (in_ranges(none, sizeof none / sizeof none[0], code))
        return 0;
    return in_ranges(wide, sizeof wide / sizeof wide[0], code) ? 2 : 1;
}

uint32_t cw_source_cells(cw_str line, size_t bytes, uint32_t tab) {
    uint32_t cells = 0;
    size_t at = 0;
    while (at < bytes && at < line.n) {
        uint32_t code = 0;
        at += cw_utf8_decode((cw_str){line.at + at, line.n - at}, &code);
        cells += code == '\t' && tab ? tab - cells % tab : code_cells(code);
    }
    return cells;
}
