/* Builds the control-flow facts of a function and answers the simple questions about them.
 *
 * requires: linked preds. computes: fn->cfg. preserves: the function. Blocks that the entry does not reach take part in
 * nothing: their edges do not count, they dominate only themselves. */
#include "cfg/cfg_internal.h"

/* Rows of the reachability relation kept for later questions; beyond this each question walks the graph again. */
enum { REACH_BYTES_MAX = 16 << 20 };

static uint32_t count_successors(const struct cw_fn *fn, uint32_t b) {
    return fn->blocks.at[b].jump.nsucc;
}

/* ---- the graph of blocks, with the virtual exit as node number nblocks ---- */

static void number_edges(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a) {
    cfg->first_edge = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks + 1);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        cfg->first_edge[b + 1] = cfg->first_edge[b] + count_successors(fn, b);
}

static void fill_incoming(struct cw_graph *graph, struct cw_arena *a) {
    uint32_t nedges = graph->out_at[graph->n];
    graph->in_at = CW_NEW_ARRAY(a, uint32_t, graph->n + 1);
    graph->in = CW_NEW_ARRAY(a, uint32_t, nedges);
    for (uint32_t e = 0; e < nedges; e++)
        graph->in_at[graph->out[e] + 1]++;
    for (uint32_t v = 0; v < graph->n; v++)
        graph->in_at[v + 1] += graph->in_at[v];
    uint32_t *next = CW_NEW_ARRAY(a, uint32_t, graph->n);
    for (uint32_t v = 0; v < graph->n; v++)
        for (uint32_t e = graph->out_at[v]; e < graph->out_at[v + 1]; e++) {
            uint32_t to = graph->out[e];
            graph->in[graph->in_at[to] + next[to]++] = v;
        }
}

/* `leaves`: block -> has an edge to the virtual exit. `alive`: block -> its edges and those to it count. */
static struct cw_graph make_graph(const struct cw_fn *fn, struct cw_arena *a, const uint8_t *alive,
                                  const uint8_t *leaves) {
    uint32_t n = fn->blocks.n, nedges = 0;
    for (uint32_t b = 0; b < n; b++)
        nedges += count_successors(fn, b) + 1;
    struct cw_graph g = {.n = n + 1, .root = 0};
    g.out_at = CW_NEW_ARRAY(a, uint32_t, n + 2);
    g.out = CW_NEW_ARRAY(a, uint32_t, nedges);
    nedges = 0;
    for (uint32_t b = 0; b < n; b++) {
        for (uint32_t s = 0; alive[b] && s < count_successors(fn, b); s++)
            if (alive[fn->blocks.at[b].jump.succ[s]])
                g.out[nedges++] = fn->blocks.at[b].jump.succ[s];
        if (alive[b] && leaves[b])
            g.out[nedges++] = n;
        g.out_at[b + 1] = nedges;
    }
    g.out_at[n + 1] = nedges;
    fill_incoming(&g, a);
    return g;
}

static struct cw_graph reverse_graph(const struct cw_graph *graph, uint32_t root) {
    return (struct cw_graph){graph->n, root, graph->in_at, graph->in, graph->out_at, graph->out};
}

/* ---- endless loops ---- */

static void mark_reaching(const struct cw_graph *graph, uint32_t to, uint8_t *reaching, uint32_t *stack) {
    uint32_t depth = 0;
    reaching[to] = 1;
    stack[depth++] = to;
    while (depth) {
        uint32_t v = stack[--depth];
        for (uint32_t e = graph->in_at[v]; e < graph->in_at[v + 1]; e++)
            if (!reaching[graph->in[e]]) {
                reaching[graph->in[e]] = 1;
                stack[depth++] = graph->in[e];
            }
    }
}

/* Finishing order of a depth-first walk of the reversed graph over the given nodes. */
static uint32_t finish_backwards(const struct cw_graph *graph, uint8_t *done, uint32_t *order, uint32_t *stack,
                                 uint32_t *next) {
    uint32_t count = 0, depth;
    for (uint32_t root = 0; root + 1 < graph->n; root++) {
        if (done[root])
            continue;
        done[stack[0] = root] = 1;
        next[0] = graph->in_at[root];
        depth = 1;
        while (depth) {
            uint32_t v = stack[depth - 1];
            if (next[depth - 1] == graph->in_at[v + 1]) {
                order[count++] = v;
                depth--;
                continue;
            }
            uint32_t from = graph->in[next[depth - 1]++];
            if (!done[from]) {
                done[from] = 1;
                next[depth] = graph->in_at[from];
                stack[depth++] = from;
            }
        }
    }
    return count;
}

/* Lets every reachable block reach the exit. The block that finishes last in a walk of the reversed graph lies in a
 * component without successors (as in Kosaraju's algorithm), so only cycles that truly never end are opened. */
static void open_endless_loops(const struct cw_graph *graph, struct cw_cfg *cfg, struct cw_arena *a,
                               const uint8_t *alive, uint8_t *leaves) {
    uint32_t *stack = CW_NEW_ARRAY(a, uint32_t, graph->n), *next = CW_NEW_ARRAY(a, uint32_t, graph->n);
    uint32_t *order = CW_NEW_ARRAY(a, uint32_t, graph->n);
    uint8_t *reaching = CW_NEW_ARRAY(a, uint8_t, graph->n), *done = CW_NEW_ARRAY(a, uint8_t, graph->n);
    mark_reaching(graph, cfg->nblocks, reaching, stack);
    for (uint32_t b = 0; b < graph->n; b++)
        done[b] = reaching[b] || (b < cfg->nblocks && !alive[b]);
    for (uint32_t i = finish_backwards(graph, done, order, stack, next); i-- > 0;)
        if (!reaching[order[i]]) {
            leaves[order[i]] = 1;
            cw_vec_push(a, &cfg->endless, order[i]);
            mark_reaching(graph, order[i], reaching, stack);
        }
}

/* ---- building ---- */

static uint8_t *reachable_blocks(const struct cw_fn *fn, struct cw_arena *a) {
    uint8_t *alive = CW_NEW_ARRAY(a, uint8_t, fn->blocks.n);
    uint32_t *stack = CW_NEW_ARRAY(a, uint32_t, fn->blocks.n), depth = 0;
    alive[stack[depth++] = 0] = 1;
    while (depth) {
        const struct cw_jump *j = &fn->blocks.at[stack[--depth]].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (!alive[j->succ[s]])
                alive[stack[depth++] = j->succ[s]] = 1;
    }
    return alive;
}

/* ---- without traps ---- */

/* Which blocks only lead to a TRAP. None when all ways do: then nothing would be left. */
static uint8_t *dying_blocks(const struct cw_fn *fn, const struct cw_graph *graph, const struct cw_cfg *cfg,
                             struct cw_arena *a) {
    uint8_t *dies = CW_NEW_ARRAY(a, uint8_t, graph->n), *survives = CW_NEW_ARRAY(a, uint8_t, graph->n);
    uint32_t *stack = CW_NEW_ARRAY(a, uint32_t, graph->n);
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        enum cw_jump_kind kind = fn->blocks.at[b].jump.kind;
        if ((kind == CW_JUMP_RETURN || kind == CW_JUMP_NONE) && !survives[b])
            mark_reaching(graph, b, survives, stack);
    }
    for (uint32_t k = 0; k < cfg->endless.n; k++)
        if (!survives[cfg->endless.at[k]])
            mark_reaching(graph, cfg->endless.at[k], survives, stack);
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        dies[b] = survives[0] && !survives[b];
    return dies;
}

static void find_live(const struct cw_fn *fn, struct cw_cfg *cfg, const struct cw_graph *graph, struct cw_arena *a,
                      struct cw_arena *scratch, const uint8_t *alive, const uint8_t *leaves) {
    bool any = false;
    cfg->dies = dying_blocks(fn, graph, cfg, a);
    uint8_t *lives = CW_NEW_ARRAY(scratch, uint8_t, graph->n);
    for (uint32_t b = 0; b < cfg->nblocks; b++) {
        lives[b] = alive[b] && !cfg->dies[b];
        any |= alive[b] && cfg->dies[b];
    }
    cfg->live_ipdom = cfg->ipdom;
    cfg->live_control = cfg->control;
    if (!any)
        return;
    struct cw_graph live = make_graph(fn, scratch, lives, leaves), back = reverse_graph(&live, cfg->nblocks);
    uint32_t *first, *size;
    cw_graph_dominators(&back, a, &cfg->live_ipdom, &first, &size);
    cfg->live_control = cw_cfg_find_control(fn, cfg, cfg->live_ipdom, cfg->dies, a);
}

static void find_positions(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a) {
    cfg->nposition = fn->ins.n;
    cfg->position = CW_NEW_ARRAY(a, uint32_t, fn->ins.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++)
            cfg->position[fn->blocks.at[b].ins.at[k]] = k;
}

struct cw_cfg *cw_cfg_build(struct cw_fn *fn) {
    struct cw_arena *a = fn->arena, scratch;
    cw_arena_init(&scratch);
    struct cw_cfg *cfg = CW_NEW(a, struct cw_cfg);
    cfg->nblocks = fn->blocks.n;
    number_edges(fn, cfg, a);
    uint8_t *alive = reachable_blocks(fn, &scratch), *leaves = CW_NEW_ARRAY(&scratch, uint8_t, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        leaves[b] = count_successors(fn, b) == 0;
    struct cw_graph g = make_graph(fn, &scratch, alive, leaves);
    open_endless_loops(&g, cfg, a, alive, leaves);
    g = make_graph(fn, &scratch, alive, leaves);
    struct cw_graph back = reverse_graph(&g, cfg->nblocks);
    cw_graph_dominators(&g, a, &cfg->idom, &cfg->dom_in, &cfg->dom_size);
    cw_graph_dominators(&back, a, &cfg->ipdom, &cfg->pdom_in, &cfg->pdom_size);
    cfg->rpo_index = CW_NEW_ARRAY(a, uint32_t, cfg->nblocks + 1);
    struct cw_graph real = make_graph(fn, &scratch, alive, CW_NEW_ARRAY(&scratch, uint8_t, fn->blocks.n));
    cfg->rpo = cw_graph_rpo(&real, a, cfg->rpo_index, &cfg->nrpo);
    cfg->control = cw_cfg_find_control(fn, cfg, cfg->ipdom, NULL, a);
    find_live(fn, cfg, &g, a, &scratch, alive, leaves);
    cw_arena_free(&scratch);
    cw_cfg_find_loops(fn, cfg, a);
    find_positions(fn, cfg, a);
    fn->cfg = cfg;
    cw_cfg_find_inductions(fn, cfg, a);
    return cfg;
}

/* ---- questions ---- */

static bool in_interval(const uint32_t *first, const uint32_t *size, uint32_t a, uint32_t b) {
    return size[a] && size[b] && first[a] <= first[b] && first[b] - first[a] < size[a];
}

bool cw_cfg_dominates(const struct cw_cfg *cfg, uint32_t a, uint32_t b) {
    return a == b || in_interval(cfg->dom_in, cfg->dom_size, a, b);
}

bool cw_cfg_postdominates(const struct cw_cfg *cfg, uint32_t a, uint32_t b) {
    return a == b || in_interval(cfg->pdom_in, cfg->pdom_size, a, b);
}

bool cw_cfg_in_loop(const struct cw_cfg *cfg, uint32_t loop, uint32_t block) {
    return loop != CW_NO_LOOP && cw_bitset_has(&cfg->loops.at[loop].blocks, block);
}

int cw_cfg_way_to(const struct cw_fn *fn, uint32_t from, uint32_t block) {
    const struct cw_jump *jump = &fn->blocks.at[from].jump;
    for (int way = 0; way < 2 && jump->kind == CW_JUMP_BRANCH; way++)
        if (fn->blocks.at[jump->succ[way]].pred.n == 1 && cw_cfg_dominates(fn->cfg, jump->succ[way], block))
            return way;
    return -1;
}

/* All blocks on a path of at least one edge from `from`. */
static struct cw_bitset reach_row(const struct cw_fn *fn, struct cw_arena *a, uint32_t from) {
    struct cw_bitset row = cw_bitset_new(a, fn->blocks.n);
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    uint32_t *stack = CW_NEW_ARRAY(&scratch, uint32_t, fn->blocks.n + 1), depth = 0;
    stack[depth++] = from;
    while (depth) {
        const struct cw_jump *j = &fn->blocks.at[stack[--depth]].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (!cw_bitset_has(&row, j->succ[s])) {
                cw_bitset_add(&row, j->succ[s]);
                stack[depth++] = j->succ[s];
            }
    }
    cw_arena_free(&scratch);
    return row;
}

bool cw_cfg_reaches(const struct cw_fn *fn, uint32_t from, uint32_t to) {
    struct cw_cfg *cfg = fn->cfg;
    if (!cfg->reach)
        cfg->reach = CW_NEW_ARRAY(fn->arena, struct cw_bitset, cfg->nblocks);
    if (!cfg->reach[from].word && cfg->reach_bytes > REACH_BYTES_MAX) {
        struct cw_arena scratch;
        cw_arena_init(&scratch);
        struct cw_bitset row = reach_row(fn, &scratch, from);
        bool found = cw_bitset_has(&row, to);
        cw_arena_free(&scratch);
        return found;
    }
    if (!cfg->reach[from].word) {
        cfg->reach[from] = reach_row(fn, fn->arena, from);
        cfg->reach_bytes += cfg->nblocks / 8 + 8;
    }
    return cw_bitset_has(&cfg->reach[from], to);
}

/* Positions are remembered from the build and checked, for passes may have added or removed instructions since. */
static uint32_t position_of(const struct cw_fn *fn, uint32_t ins) {
    const struct cw_vec_u32 *list = &fn->blocks.at[fn->ins.at[ins].block].ins;
    if (ins < fn->cfg->nposition) {
        uint32_t k = fn->cfg->position[ins];
        if (k < list->n && list->at[k] == ins)
            return k;
    }
    for (uint32_t k = 0; k < list->n; k++)
        if (list->at[k] == ins)
            return k;
    return UINT32_MAX;
}

bool cw_cfg_ins_dominates(const struct cw_fn *fn, uint32_t a, uint32_t b) {
    uint32_t in_a = fn->ins.at[a].block, in_b = fn->ins.at[b].block;
    if (in_a != in_b)
        return cw_cfg_dominates(fn->cfg, in_a, in_b);
    return position_of(fn, a) < position_of(fn, b);
}

struct cw_edge cw_cfg_incoming(const struct cw_fn *fn, uint32_t block, uint32_t k) {
    const struct cw_vec_u32 *pred = &fn->blocks.at[block].pred;
    uint32_t from = pred->at[k], nth = 0;
    for (uint32_t p = 0; p < k; p++)
        nth += pred->at[p] == from;
    const struct cw_jump *j = &fn->blocks.at[from].jump;
    for (uint32_t s = 0; s < j->nsucc; s++)
        if (j->succ[s] == block && nth-- == 0)
            return (struct cw_edge){from, s};
    return (struct cw_edge){from, UINT32_MAX};
}
