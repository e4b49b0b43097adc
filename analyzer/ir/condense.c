/* See condense.h. Callees come first, as in bottom-up inliners (Scheifler, "An Analysis of Inline Substitution for a
 * Structured Programming Language", 1977), so that each is optimised once however many calls it has. */
#include "ir/condense.h"

#include "base/map.h"

enum {
    MAX_INSTRUCTIONS = 50000, /* of one function before it is optimised */
    MAX_DEPTH = 128
};

struct cw_condensed_functions {
    struct cw_map body_of; /* function -> body; itself while it is made */
    uint32_t depth;
};

static struct cw_condensed_functions *functions_of(struct cw_module *m) {
    if (!m->condensed) {
        m->condensed = CW_NEW(m->arena, struct cw_condensed_functions);
        cw_map_init(&m->condensed->body_of, m->arena);
    }
    return m->condensed;
}

/* Instructions that were removed have no place in a copy. */
static struct cw_fn *make_body(const struct cw_fn *fn) {
    struct cw_arena scratch;
    struct cw_fn *body = NULL;
    cw_arena_init(&scratch);
    struct cw_fn *whole = cw_inline_condensed(fn, &scratch, MAX_INSTRUCTIONS);
    cw_optimize(whole);
    if (!whole->bails[CW_BAIL_INLINE_BUDGET] && !whole->bails[CW_BAIL_RECURSION]) {
        body = cw_inline(whole, fn->module->arena, 0);
        body->is_model = fn->is_model;
        body->is_ssa = true;
    }
    cw_arena_free(&scratch);
    return body;
}

const struct cw_fn *cw_condensed(const struct cw_fn *fn) {
    struct cw_condensed_functions *known = functions_of(fn->module);
    uint64_t key = (uint64_t)(uintptr_t)fn, found;
    if (cw_map_get(&known->body_of, key, &found))
        return (const struct cw_fn *)(uintptr_t)found;
    cw_map_put(&known->body_of, key, key);
    if (fn->kind != CW_FN_DEVICE || fn->tparams.n || known->depth >= MAX_DEPTH)
        return fn;
    known->depth++;
    const struct cw_fn *body = make_body(fn);
    known->depth--;
    if (!body || body->tparams.n)
        return fn;
    cw_map_put(&known->body_of, key, (uint64_t)(uintptr_t)body);
    return body;
}
