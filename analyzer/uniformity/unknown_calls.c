/* See unknown_calls.h. */
#include "uniformity/unknown_calls.h"

#include "base/words.h"

#include <string.h>

enum { LONGEST_WORD = 24 };

/* ---- names ---- */

static enum cw_call_order order_of_word(const char *word) {
    static const struct {
        const char *word;
        enum cw_call_order order;
    } words[] = {
#define CW_CALL_WORD(word, order) {word, CW_CALL_##order},
#include "uniformity/call_words.def"
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k].word, word) == 0)
            return words[k].order;
    return CW_CALL_NOTHING;
}

enum cw_call_order cw_call_order_of_name(const char *name) {
    enum cw_call_order found = CW_CALL_NOTHING;
    const char *at, *end = name ? cw_bare_name(name, &at) : NULL;
    char word[LONGEST_WORD];
    while (name && cw_next_word(&at, end, word, sizeof word)) {
        enum cw_call_order order = order_of_word(word);
        found = order > found ? order : found;
    }
    return found;
}

/* ---- what a call is passed ---- */

static bool is_shared(const struct cw_fn *fn, uint32_t object) {
    enum cw_space space = fn->objects.at[object].space;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

/* Is the address of shared memory kept somewhere, so that an object or an unknown pointer may lead to it? */
static bool has_escaped_shared(const struct cw_memory *memory) {
    for (uint32_t k = 0; k < memory->fn->objects.n; k++)
        if (is_shared(memory->fn, k) && cw_bitset_has(&memory->escaped, k))
            return true;
    return false;
}

static bool leads_to_shared(const struct cw_memory *memory, cw_ref pointer, bool has_escaped) {
    struct cw_bases bases = cw_memory_bases(memory->fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++) {
        const struct cw_base *b = &bases.at[k];
        bool is_object = b->root.tag == CW_REF_OBJECT && !b->is_read;
        if (is_object && is_shared(memory->fn, b->root.index))
            return true;
        bool may_hold = b->root.tag == CW_REF_NONE ||
                        (is_object && memory->fn->objects.at[b->root.index].space == CW_SPACE_LOCAL);
        if (may_hold && has_escaped)
            return true;
    }
    return false;
}

/* Shared memory, an object that may hold its address, or a group of threads. */
static bool gets_hold_of_block(const struct cw_memory *memory, const struct cw_ins *ins) {
    bool has_escaped = has_escaped_shared(memory);
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref arg = cw_arg(memory->fn, ins, k);
        enum cw_type type = cw_ref_type(memory->fn, arg);
        if (type == CW_GROUP || (type == CW_AGG && has_escaped) ||
            (type == CW_PTR && leads_to_shared(memory, arg, has_escaped)))
            return true;
    }
    return false;
}

/* ---- verdicts ---- */

/* What stands for the initialisation of an object calls a function only where its class is not known. */
static bool may_run_code(const struct cw_ins *ins) {
    if (!(ins->flags & CW_INS_IMPLICIT))
        return true;
    return ins->aux == CW_BAIL_UNKNOWN_TYPE || ins->aux == CW_BAIL_DEPENDENT || ins->aux == CW_BAIL_UNRESOLVED_NAME ||
           ins->aux == CW_BAIL_BROKEN_CODE;
}

/* Of a function of this unit that was not inlined, and of what is no function perhaps. */
static enum cw_call_order order_of_reason(const struct cw_ins *ins) {
    bool is_implicit = ins->flags & CW_INS_IMPLICIT;
    switch ((enum cw_bail)ins->aux) {
    case CW_BAIL_BROKEN_CODE: return is_implicit ? CW_CALL_NOTHING : CW_CALL_ORDERS;
    case CW_BAIL_RECURSION: case CW_BAIL_INLINE_BUDGET: case CW_BAIL_STAND_IN: return CW_CALL_MAY;
    case CW_BAIL_UNRESOLVED_NAME: case CW_BAIL_DEPENDENT: return is_implicit ? CW_CALL_NOTHING : CW_CALL_MAY;
    default: return CW_CALL_NOTHING;
    }
}

enum cw_call_order cw_call_order_of(const struct cw_memory *memory, const struct cw_ins *ins) {
    if (ins->op != CW_OP_OPCALL && ins->op != CW_OP_CALL)
        return CW_CALL_NOTHING;
    if (ins->flags & CW_INS_SYNCS || (ins->intrinsic && !(ins->flags & CW_INS_SYNCFREE)))
        return CW_CALL_ORDERS;
    if (ins->flags & CW_INS_SYNCFREE || !may_run_code(ins))
        return CW_CALL_NOTHING;
    enum cw_call_order by_name = cw_call_order_of_name(ins->name), by_reason = order_of_reason(ins);
    enum cw_call_order order = by_name > by_reason ? by_name : by_reason;
    return order == CW_CALL_NOTHING && gets_hold_of_block(memory, ins) ? CW_CALL_MAY : order;
}

void cw_call_orders_count(const struct cw_fn *fn, struct cw_arena *scratch, uint32_t *reasons) {
    const struct cw_memory *m = NULL;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        if (fn->ins.at[k].op != CW_OP_OPCALL && fn->ins.at[k].op != CW_OP_CALL)
            continue;
        m = m ? m : cw_memory_new(fn, scratch);
        enum cw_call_order order = cw_call_order_of(m, &fn->ins.at[k]);
        reasons[CW_BAIL_CALL_AS_BARRIER] += order == CW_CALL_ORDERS;
        reasons[CW_BAIL_CALL_MAY_SYNC] += order == CW_CALL_MAY;
    }
}
