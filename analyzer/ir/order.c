#include "ir/order.h"

static uint32_t *new_unordered(struct cw_arena *arena, uint32_t n) {
    uint32_t *v = CW_NEW_ARRAY(arena, uint32_t, n + 1);
    for (uint32_t i = 0; i <= n; i++)
        v[i] = CW_ORDER_NONE;
    return v;
}

/* The depth-first walk's tree: blocks by the number that the walk gave them, with the arrays of the algorithm that
 * finds dominators in it. */
struct walk_tree {
    uint32_t *block, *number; /* number -> block and back */
    uint32_t *parent, *idom;  /* number -> number; path compression shortens `parent` */
    uint32_t *semi, *label;
    uint32_t *stack;
    uint32_t n;
};

static void number_block(struct walk_tree *tree, uint32_t block, uint32_t parent) {
    uint32_t i = tree->n++;
    tree->block[i] = block;
    tree->number[block] = i;
    tree->parent[i] = tree->idom[i] = parent;
    tree->semi[i] = tree->label[i] = i;
}

static struct walk_tree new_tree(struct cw_arena *arena, uint32_t n) {
    uint32_t *space = CW_NEW_ARRAY(arena, uint32_t, 7 * (size_t)n + 7);
    return (struct walk_tree){.block = space, .number = space + n, .parent = space + 2 * n, .idom = space + 3 * n,
                              .semi = space + 4 * n, .label = space + 5 * n, .stack = space + 6 * n};
}

/* Depth-first with its own stack: `next` is the successor to visit when a block is on top again. */
static void number_blocks(const struct cw_fn *fn, struct cw_order_of_blocks *blocks, struct walk_tree *tree,
                          struct cw_arena *arena) {
    uint32_t n = fn->blocks.n, depth = 1, place = n;
    uint32_t *stack = tree->stack, *next = CW_NEW_ARRAY(arena, uint32_t, n + 1),
             *post = CW_NEW_ARRAY(arena, uint32_t, n + 1);
    bool *seen = CW_NEW_ARRAY(arena, bool, n + 1);
    seen[0] = n > 0;
    if (n)
        number_block(tree, 0, 0);
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
            number_block(tree, to, tree->number[b]);
            stack[depth++] = to;
        }
    }
    blocks->rpo = post + place;
    blocks->n = n - place;
    for (uint32_t k = 0; k < blocks->n; k++)
        blocks->at[blocks->rpo[k]] = k;
}

/* The predecessors come from the jumps, gathered once: pred lists may be stale while a pass works. By number. */
struct preds {
    uint32_t *first, *of;
};

static struct preds gather_preds(const struct cw_fn *fn, const struct walk_tree *tree, struct cw_arena *arena) {
    struct preds p = {.first = CW_NEW_ARRAY(arena, uint32_t, tree->n + 2)};
    uint32_t edges = 0;
    for (uint32_t k = 0; k < tree->n; k++) {
        const struct cw_jump *j = &fn->blocks.at[tree->block[k]].jump;
        edges += j->nsucc;
        for (uint32_t s = 0; s < j->nsucc; s++)
            p.first[tree->number[j->succ[s]] + 2]++;
    }
    for (uint32_t i = 2; i < tree->n + 2; i++)
        p.first[i] += p.first[i - 1];
    p.of = CW_NEW_ARRAY(arena, uint32_t, edges + 1);
    for (uint32_t k = 0; k < tree->n; k++) {
        const struct cw_jump *j = &fn->blocks.at[tree->block[k]].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            p.of[p.first[tree->number[j->succ[s]] + 1]++] = k;
    }
    return p;
}

/* The block with the lowest semidominator on the way from v up through the numbers from `linked` on. */
static uint32_t lowest_label(struct walk_tree *tree, uint32_t v, uint32_t linked) {
    uint32_t depth = 0;
    if (tree->parent[v] < linked)
        return tree->label[v];
    while (tree->parent[v] >= linked) {
        tree->stack[depth++] = v;
        v = tree->parent[v];
    }
    while (depth) {
        uint32_t above = v;
        v = tree->stack[--depth];
        tree->parent[v] = tree->parent[above];
        if (tree->semi[tree->label[above]] < tree->semi[tree->label[v]])
            tree->label[v] = tree->label[above];
    }
    return tree->label[v];
}

static void find_dominators(const struct cw_fn *fn, struct cw_order_of_blocks *blocks, struct walk_tree *tree,
                            struct cw_arena *arena) {
    struct preds preds = gather_preds(fn, tree, arena);
    for (uint32_t i = tree->n; i-- > 1;) {
        tree->semi[i] = tree->parent[i];
        for (uint32_t e = preds.first[i]; e < preds.first[i + 1]; e++) {
            uint32_t semi = tree->semi[lowest_label(tree, preds.of[e], i + 1)];
            tree->semi[i] = semi < tree->semi[i] ? semi : tree->semi[i];
        }
    }
    for (uint32_t i = 1; i < tree->n; i++) {
        uint32_t up = tree->idom[i];
        while (up > tree->semi[i])
            up = tree->idom[up];
        tree->idom[i] = up;
        blocks->idom[tree->block[i]] = tree->block[up];
    }
}

/* Intervals of the dominator tree: sizes bottom-up, then starts top-down; a dominator comes before its blocks in rpo.
 */
static void number_tree(struct cw_order_of_blocks *blocks, uint32_t nblocks, struct cw_arena *arena) {
    uint32_t *size = CW_NEW_ARRAY(arena, uint32_t, nblocks + 1), *given = CW_NEW_ARRAY(arena, uint32_t, nblocks + 1);
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

struct cw_order_of_blocks cw_order_blocks(const struct cw_fn *fn, struct cw_arena *arena) {
    uint32_t n = fn->blocks.n;
    struct cw_order_of_blocks o = {0};
    struct walk_tree tree = new_tree(arena, n);
    o.at = new_unordered(arena, n);
    o.idom = new_unordered(arena, n);
    o.enter = new_unordered(arena, n);
    o.leave = new_unordered(arena, n);
    number_blocks(fn, &o, &tree, arena);
    find_dominators(fn, &o, &tree, arena);
    number_tree(&o, n, arena);
    return o;
}
