#include "ir/order.h"

static uint32_t *new_unordered(struct cw_arena *a, uint32_t n) {
    uint32_t *v = CW_NEW_ARRAY(a, uint32_t, n + 1);
    for (uint32_t i = 0; i <= n; i++)
        v[i] = CW_ORDER_NONE;
    return v;
}

/* Depth-first with its own stack: `next` is the successor to visit when a block is on top again. */
static void number_blocks(const struct cw_fn *fn, struct cw_order_of_blocks *blocks, struct cw_arena *a) {
    uint32_t n = fn->blocks.n, depth = 1, place = n;
    uint32_t *stack = CW_NEW_ARRAY(a, uint32_t, n + 1), *next = CW_NEW_ARRAY(a, uint32_t, n + 1);
    uint32_t *post = CW_NEW_ARRAY(a, uint32_t, n + 1);
    bool *seen = CW_NEW_ARRAY(a, bool, n + 1);
    seen[0] = n > 0;
    while (n && depth) {
        uint32_t b = stack[depth - 1];
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        if (next[b] == j->nsucc) {
            post[--place] = b;
            depth--;
            continue;
        }
        /* the last successor first, so that in the result the first one (`then`, the loop's body) comes first */
        uint32_t to = j->succ[j->nsucc - 1 - next[b]++];
        if (!seen[to]) {
            seen[to] = true;
            stack[depth++] = to;
        }
    }
    blocks->rpo = post + place;
    blocks->n = n - place;
    for (uint32_t k = 0; k < blocks->n; k++)
        blocks->at[blocks->rpo[k]] = k;
}

static uint32_t meet_dominators(const struct cw_order_of_blocks *blocks, uint32_t a, uint32_t b) {
    while (a != b) {
        while (blocks->at[a] > blocks->at[b])
            a = blocks->idom[a];
        while (blocks->at[b] > blocks->at[a])
            b = blocks->idom[b];
    }
    return a;
}

/* The predecessors come from the jumps, gathered once: pred lists may be stale while a pass works. */
struct preds {
    uint32_t *first, *of;
};

static struct preds gather_preds(const struct cw_fn *fn, const struct cw_order_of_blocks *blocks, struct cw_arena *a) {
    struct preds p = {.first = CW_NEW_ARRAY(a, uint32_t, fn->blocks.n + 2)};
    uint32_t edges = 0;
    for (uint32_t k = 0; k < blocks->n; k++) {
        const struct cw_jump *j = &fn->blocks.at[blocks->rpo[k]].jump;
        edges += j->nsucc;
        for (uint32_t s = 0; s < j->nsucc; s++)
            p.first[j->succ[s] + 2]++;
    }
    for (uint32_t b = 2; b < fn->blocks.n + 2; b++)
        p.first[b] += p.first[b - 1];
    p.of = CW_NEW_ARRAY(a, uint32_t, edges + 1);
    for (uint32_t k = 0; k < blocks->n; k++) {
        const struct cw_jump *j = &fn->blocks.at[blocks->rpo[k]].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            p.of[p.first[j->succ[s] + 1]++] = blocks->rpo[k];
    }
    return p;
}

static void find_dominators(const struct cw_fn *fn, struct cw_order_of_blocks *blocks, struct cw_arena *a) {
    struct preds preds = gather_preds(fn, blocks, a);
    bool changed = blocks->n > 0;
    if (blocks->n)
        blocks->idom[0] = 0; /* for meet; undone below */
    while (changed) {
        changed = false;
        for (uint32_t k = 1; k < blocks->n; k++) {
            uint32_t b = blocks->rpo[k], best = CW_ORDER_NONE;
            for (uint32_t e = preds.first[b]; e < preds.first[b + 1]; e++) {
                uint32_t from = preds.of[e];
                if (blocks->idom[from] != CW_ORDER_NONE)
                    best = best == CW_ORDER_NONE ? from : meet_dominators(blocks, best, from);
            }
            changed |= blocks->idom[b] != best;
            blocks->idom[b] = best;
        }
    }
    if (blocks->n)
        blocks->idom[0] = CW_ORDER_NONE;
}

/* Intervals of the dominator tree: sizes bottom-up, then starts top-down; a dominator comes before its blocks in rpo.
 */
static void number_tree(struct cw_order_of_blocks *blocks, uint32_t nblocks, struct cw_arena *a) {
    uint32_t *size = CW_NEW_ARRAY(a, uint32_t, nblocks + 1), *given = CW_NEW_ARRAY(a, uint32_t, nblocks + 1);
    for (uint32_t k = blocks->n; k-- > 0;) {
        uint32_t b = blocks->rpo[k];
        size[b]++;
        if (k)
            size[blocks->idom[b]] += size[b];
    }
    for (uint32_t k = 0; k < blocks->n; k++) {
        uint32_t b = blocks->rpo[k], up = blocks->idom[b];
        blocks->enter[b] = k ? blocks->enter[up] + 1 + given[up] : 0;
        blocks->leave[b] = blocks->enter[b] + size[b] - 1;
        if (k)
            given[up] += size[b];
    }
}

struct cw_order_of_blocks cw_order_blocks(const struct cw_fn *fn, struct cw_arena *a) {
    uint32_t n = fn->blocks.n;
    struct cw_order_of_blocks o = {0};
    o.at = new_unordered(a, n);
    o.idom = new_unordered(a, n);
    o.enter = new_unordered(a, n);
    o.leave = new_unordered(a, n);
    number_blocks(fn, &o, a);
    find_dominators(fn, &o, a);
    number_tree(&o, n, a);
    return o;
}
