/* The scan takes any bytes; what it lists lies inside the text. */
#include "front/front.h"
#include "source/source.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_span(const struct cw_source *s, struct cw_span span) {
    bool ordered = span.line < span.end_line || (span.line == span.end_line && span.col <= span.end_col);
    bool inside = span.line >= 1 && span.end_line <= cw_source_lines(s);
    if (!ordered || !inside)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_source *s = cw_source_of_text(&a, "", (const char *)data, size);
    const struct cw_scan *scan = cw_scan_text(&a, (const char *)data, size);
    for (uint32_t i = 0; i < scan->functions.n; i++) {
        check_span(s, scan->functions.at[i].span);
        check_span(s, scan->functions.at[i].name_span);
    }
    for (uint32_t i = 0; i < scan->launches.n; i++)
        check_span(s, scan->launches.at[i].span);
    for (uint32_t i = 0; i < scan->directives.n; i++)
        check_span(s, scan->directives.at[i].span);
    cw_arena_free(&a);
    return 0;
}
