/* Host code reads what it has just stored: `q->limit = 64; kernel<<<1, 64>>>(*q)`.
 *
 * For what promote leaves in memory: objects behind pointers, globals, those whose address is out of sight. A store
 * holds in its block and in blocks that are only entered from there, until something may write the place: a store to
 * it, one of the same type or of bytes behind another pointer (other types do not alias), a call that has the pointer,
 * or, for globals and what loaded pointers lead to, any call that nobody sees.
 *
 * requires: linked preds; values dominate their uses. computes: loads of such a place are the stored value. preserves:
 * everything else. Cost: linear in the instructions, times MAX_STORES. */
#include "ir/edit.h"

#include <string.h>

enum { MAX_STORES = 32, MAX_STEPS = 16 };

struct place {
    cw_ref base;
    int64_t offset;
    uint32_t bytes;
    enum cw_type type;
};

struct stored {
    struct place at;
    cw_ref value;
};

/* The last stores that hold, the oldest first. */
struct state {
    struct stored at[MAX_STORES];
    uint32_t n;
};

struct forwarder {
    struct cw_fn *fn;
    cw_ref *to; /* instruction -> value instead of it, or CW_NONE */
    uint32_t found;
};

static cw_ref resolve_ref(const struct forwarder *forwarder, cw_ref r) {
    return r.tag == CW_REF_INS && forwarder->to[r.index].tag != CW_REF_NONE ? forwarder->to[r.index] : r;
}

/* Of an address: what it begins at and the constant behind it. An unknown offset is part of the base. */
static struct place place_of(const struct forwarder *forwarder, cw_ref address) {
    struct place p = {.base = resolve_ref(forwarder, address)};
    for (int step = 0; step < MAX_STEPS; step++) {
        const struct cw_ins *i = cw_ins_of(forwarder->fn, p.base);
        int64_t more;
        if (!i || i->op != CW_OP_PTRADD || !cw_ref_const(forwarder->fn, cw_arg(forwarder->fn, i, 1), &more))
            break;
        p.offset += more;
        p.base = resolve_ref(forwarder, cw_arg(forwarder->fn, i, 0));
    }
    return p;
}

/* The pointer from which a place was reached, through all indices. */
static cw_ref root_of(const struct forwarder *forwarder, cw_ref r) {
    r = resolve_ref(forwarder, r);
    for (int step = 0; step < MAX_STEPS; step++) {
        const struct cw_ins *i = cw_ins_of(forwarder->fn, r);
        if (!i || i->op != CW_OP_PTRADD)
            break;
        r = resolve_ref(forwarder, cw_arg(forwarder->fn, i, 0));
    }
    return r;
}

/* A character type may alias any other one. */
static bool is_of_bytes(enum cw_type type) {
    return type == CW_VOID || type == CW_I8 || type == CW_AGG;
}

/* Two objects of the function are different memory; pointers may lead anywhere. */
static bool may_be_same(const struct place *a, const struct place *b) {
    if (cw_ref_eq(a->base, b->base))
        return a->offset < b->offset + (int64_t)b->bytes && b->offset < a->offset + (int64_t)a->bytes;
    if (a->base.tag == CW_REF_OBJECT && b->base.tag == CW_REF_OBJECT)
        return false;
    return a->type == b->type || is_of_bytes(a->type) || is_of_bytes(b->type);
}

static void forget_place(struct state *state, const struct place *p) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < state->n; k++)
        if (!may_be_same(&state->at[k].at, p))
            state->at[kept++] = state->at[k];
    state->n = kept;
}

/* What a call may write: all that it has a pointer to, and what others may point to. */
static bool may_call_write(const struct forwarder *forwarder, const struct cw_ins *call, const struct place *p) {
    cw_ref root = root_of(forwarder, p->base);
    bool is_own = root.tag == CW_REF_PARAM ||
                  (root.tag == CW_REF_OBJECT && forwarder->fn->objects.at[root.index].space == CW_SPACE_LOCAL);
    bool may = !is_own;
    for (uint32_t k = 0; k < call->narg && !may; k++)
        may = cw_ref_eq(root_of(forwarder, cw_arg(forwarder->fn, call, k)), root);
    return may;
}

static void forget_written(const struct forwarder *forwarder, struct state *state, const struct cw_ins *call) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < state->n; k++)
        if (!may_call_write(forwarder, call, &state->at[k].at))
            state->at[kept++] = state->at[k];
    state->n = kept;
}

static void note_store(struct forwarder *forwarder, struct state *state, const struct cw_ins *store) {
    struct place p = place_of(forwarder, cw_arg(forwarder->fn, store, 1));
    cw_ref value = resolve_ref(forwarder, cw_arg(forwarder->fn, store, 0));
    p.bytes = store->aux;
    p.type = cw_ref_type(forwarder->fn, value);
    forget_place(state, &p);
    if (store->flags & CW_INS_VOLATILE)
        return;
    if (state->n == MAX_STORES)
        memmove(state->at, state->at + 1, --state->n * sizeof *state->at);
    state->at[state->n++] = (struct stored){p, value};
}

/* A whole object at once. */
static void note_move(const struct forwarder *forwarder, struct state *state, const struct cw_ins *move) {
    struct place p = place_of(forwarder, cw_arg(forwarder->fn, move, 0));
    p.bytes = move->aux ? move->aux : UINT32_MAX;
    p.type = CW_VOID;
    forget_place(state, &p);
}

static void read_load(struct forwarder *forwarder, const struct state *state, uint32_t index) {
    const struct cw_ins *load = &forwarder->fn->ins.at[index];
    struct place p = place_of(forwarder, cw_arg(forwarder->fn, load, 0));
    if (load->flags & CW_INS_VOLATILE)
        return;
    for (uint32_t k = 0; k < state->n; k++) {
        const struct stored *s = &state->at[k];
        if (!cw_ref_eq(s->at.base, p.base) || s->at.offset != p.offset || s->at.type != load->type ||
            s->at.bytes != load->aux)
            continue;
        forwarder->to[index] = s->value;
        forwarder->found++;
    }
}

static void walk_block(struct forwarder *forwarder, struct state *state, struct cw_block *block) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < block->ins.n; k++) {
        uint32_t index = block->ins.at[k];
        const struct cw_ins *i = &forwarder->fn->ins.at[index];
        if (i->op == CW_OP_LOAD)
            read_load(forwarder, state, index);
        else if (i->op == CW_OP_STORE)
            note_store(forwarder, state, i);
        else if (i->op == CW_OP_MEMCOPY || i->op == CW_OP_MEMSET)
            note_move(forwarder, state, i);
        else if (cw_op_flags(i->op) & CW_OP_W)
            forget_written(forwarder, state, i);
        if (forwarder->to[index].tag == CW_REF_NONE)
            block->ins.at[kept++] = index;
    }
    block->ins.n = kept;
}

bool cw_forward_stores(struct cw_fn *fn) {
    struct forwarder forwarder = {.fn = fn};
    struct cw_arena scratch;
    if (fn->kind != CW_FN_HOST)
        return false;
    cw_arena_init(&scratch);
    struct cw_order_of_blocks order = cw_order_blocks(fn, &scratch);
    struct state **behind = CW_NEW_ARRAY(&scratch, struct state *, fn->blocks.n);
    forwarder.to = CW_NEW_ARRAY(&scratch, cw_ref, fn->ins.n + 1);
    for (uint32_t k = 0; k < order.n; k++) {
        struct cw_block *block = &fn->blocks.at[order.rpo[k]];
        struct state *state = CW_NEW(&scratch, struct state);
        const struct state *before = block->pred.n == 1 ? behind[block->pred.at[0]] : NULL;
        if (before)
            *state = *before;
        walk_block(&forwarder, state, block);
        behind[order.rpo[k]] = state;
    }
    if (forwarder.found)
        cw_edit_use_instead(fn, forwarder.to);
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "forwarded stores");
    return forwarder.found > 0;
}
