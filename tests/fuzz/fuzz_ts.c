/* The second front end takes any bytes: what it lowers is well-formed, and every place lies inside the text. */
#include "front/front.h"
#include "source/source.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_function(const struct cw_fn *fn, const struct cw_source *s) {
    const char *wrong = cw_fn_verify(fn);
    if (wrong) {
        fprintf(stderr, "%s is malformed: %s\n", fn->name, wrong);
        abort();
    }
    for (uint32_t i = 1; i < fn->locs.n; i++) {
        struct cw_span at = fn->locs.at[i].span;
        if (!at.file && at.line && (at.end_line > cw_source_lines(s) || at.end_line < at.line))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    const char *error;
    cw_arena_init(&a);
    const struct cw_source *s = cw_source_of_text(&a, "", (const char *)data, size);
    struct cw_front_options o = {.path = "fuzz.cu", .text = s->text, .size = s->size, .arch = 75};
    struct cw_module *m = cw_front_ts(&a, &o, &error);
    for (uint32_t i = 0; i < m->fns.n; i++)
        check_function(m->fns.at[i], s);
    cw_front_ts_unknown_macros(&a, &o);
    cw_arena_free(&a);
    return 0;
}
