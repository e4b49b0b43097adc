/* Directives in any text: no crash, slices lie in the text, what is covered are lines of it, and taking all directives'
 * comments away leaves a text without directives. */
#include "suppress/suppress.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(const struct cw_source *s, cw_str slice) {
    return !slice.n || (slice.at >= s->text && slice.at + slice.n <= s->text + s->size);
}

static void check_silence(const struct cw_source *s, const struct cw_silence *silence) {
    bool is_open = silence->last == UINT32_MAX;
    if (!silence->name.n || !is_inside(s, silence->name) || silence->first > cw_source_lines(s) + 1)
        abort();
    if (!is_open && (silence->last < silence->first || silence->last > cw_source_lines(s) + 1))
        abort();
    cw_silence_names(silence->name, "divergent-barrier", "barrier");
}

static void check_comment(const struct cw_comments *all, const struct cw_comment *c) {
    const struct cw_source *s = all->source;
    const struct cw_directive *d = &c->directive;
    uint32_t line, col, end_line, end_col;
    if (d->kind == CW_DIRECTIVE_NONE || !is_inside(s, c->text) || !is_inside(s, c->code) || !is_inside(s, c->macro) ||
        !is_inside(s, d->list) || !is_inside(s, d->reason) || (d->kind == CW_DIRECTIVE_MALFORMED) != (d->wrong != NULL))
        abort();
    cw_comments_place(all, c->text, &line, &col, &end_line, &end_col);
    if (cw_source_offset(s, line, col) != (size_t)(c->text.at - s->text))
        abort();
    for (uint32_t i = 0; i < d->names.n; i++)
        if (!is_inside(s, d->names.at[i]))
            abort();
    for (uint32_t i = 0; i < c->silences.n; i++)
        check_silence(s, &c->silences.at[i]);
}

/* Blanks replace the comments. Nothing else moves, so no directive may appear that was not there. A binary file is
 * left out: it may count as text without its comments, and then its NULs become blanks as well. */
static void check_without(struct cw_arena *a, const struct cw_comments *all) {
    if (all->source->is_binary)
        return;
    char *text = cw_arena_strndup(a, all->source->text, all->source->size);
    for (uint32_t i = 0; i < all->list.n; i++)
        memset(text + (all->list.at[i].text.at - all->source->text), ' ', all->list.at[i].text.n);
    const struct cw_source *s = cw_source_of_text(a, "b.cu", text, all->source->size);
    if (all->list.n < 1000 && cw_comments_read(a, s)->list.n)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    cw_arena_init(&a);
    const struct cw_source *s = cw_source_of_text(&a, "a.cu", (const char *)data, size);
    const struct cw_comments *all = cw_comments_read(&a, s);
    for (uint32_t i = 0; i < all->list.n; i++)
        check_comment(all, &all->list.at[i]);
    struct cw_macros macros = cw_macros_read(&a, s);
    for (uint32_t i = 0; i < macros.n; i++)
        if (!macros.at[i].name.n || !is_inside(s, macros.at[i].name))
            abort();
    check_without(&a, all);
    cw_arena_free(&a);
    return 0;
}
