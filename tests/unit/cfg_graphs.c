/* Random graphs: every fact of cw_cfg_build against its definition, computed the slow way. */
#include "cfg/cfg.h"
#include "check.h"

#include <stdlib.h>

enum { MAX_BLOCKS = 14, GRAPHS = 4000 };

struct naive {
    uint32_t n; /* blocks; node n is the virtual exit */
    bool edge[MAX_BLOCKS + 1][MAX_BLOCKS + 1];
    bool alive[MAX_BLOCKS + 1];
};

static uint32_t seed = 12345;

static uint32_t pick(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

/* Is there a path (possibly empty) from `from` to `to` that avoids node `without`? */
static bool has_path(const struct naive *g, uint32_t from, uint32_t to, uint32_t without) {
    bool seen[MAX_BLOCKS + 1] = {false};
    uint32_t stack[MAX_BLOCKS + 1], depth = 0;
    if (from == without || to == without)
        return false;
    seen[stack[depth++] = from] = true;
    while (depth) {
        uint32_t v = stack[--depth];
        if (v == to)
            return true;
        for (uint32_t w = 0; w <= g->n; w++)
            if (g->edge[v][w] && !seen[w] && w != without)
                seen[stack[depth++] = w] = true;
    }
    return false;
}

static bool dominates(const struct naive *g, uint32_t a, uint32_t b) {
    return a == b || (g->alive[a] && g->alive[b] && !has_path(g, 0, b, a));
}

static bool postdominates(const struct naive *g, uint32_t a, uint32_t b) {
    return a == b || (g->alive[a] && g->alive[b] && !has_path(g, b, g->n, a));
}

static void random_jump(struct cw_fn *fn, uint32_t b, uint32_t n) {
    int64_t cases[2] = {1, 2};
    uint32_t succ[3] = {pick(n), pick(n), pick(n)}, kind = pick(10);
    if (kind < 4)
        cw_fn_branch(fn, b, cw_fn_const(fn, CW_I1, 1), succ[0], succ[1], 0, CW_FROM_IF);
    else if (kind < 7)
        cw_fn_jump(fn, b, kind == 6 || b + 1 == n ? succ[0] : b + 1, 0, CW_FROM_NONE);
    else if (kind < 8)
        cw_fn_switch(fn, b, cw_fn_const(fn, CW_I32, 1), 2, cases, succ, 0);
    else if (kind < 9)
        cw_fn_return(fn, b, CW_NONE, 0);
    else
        cw_fn_trap(fn, b, 0);
}

static struct cw_fn *random_fn(struct cw_module *m, struct naive *g) {
    struct cw_fn *fn = cw_fn_new(m, CW_FN_KERNEL, "g", "g");
    memset(g, 0, sizeof *g);
    g->n = 1 + pick(MAX_BLOCKS);
    while (fn->blocks.n < g->n)
        cw_fn_add_block(fn);
    for (uint32_t b = 0; b < g->n; b++)
        random_jump(fn, b, g->n);
    cw_fn_link_preds(fn);
    for (uint32_t b = 0; b < g->n; b++) {
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            g->edge[b][j->succ[s]] = true;
        if (!j->nsucc)
            g->edge[b][g->n] = true;
    }
    for (uint32_t b = 0; b < g->n; b++)
        g->alive[b] = has_path(g, 0, b, UINT32_MAX);
    for (uint32_t b = 0; b < g->n; b++)
        for (uint32_t w = 0; w <= g->n; w++)
            g->edge[b][w] &= g->alive[b];
    return fn;
}

/* A cycle nothing leaves is opened by exactly one pseudo edge. */
static void check_endless(struct naive *g, const struct cw_cfg *cfg) {
    for (uint32_t b = 0; b < g->n; b++) {
        if (!g->alive[b] || has_path(g, b, g->n, UINT32_MAX))
            continue;
        bool is_sink = true;
        for (uint32_t w = 0; w < g->n; w++)
            is_sink &= !has_path(g, b, w, UINT32_MAX) || has_path(g, w, b, UINT32_MAX);
        uint32_t opened = 0;
        for (uint32_t k = 0; k < cfg->endless.n; k++)
            opened += has_path(g, b, cfg->endless.at[k], UINT32_MAX) && has_path(g, cfg->endless.at[k], b, UINT32_MAX);
        CHECK_INT(opened, is_sink);
    }
    for (uint32_t k = 0; k < cfg->endless.n; k++)
        CHECK(!has_path(g, cfg->endless.at[k], g->n, UINT32_MAX));
    for (uint32_t k = 0; k < cfg->endless.n; k++)
        g->edge[cfg->endless.at[k]][g->n] = true;
}

static void check_dominance(const struct naive *g, const struct cw_cfg *cfg) {
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++) {
            CHECK_INT(cw_cfg_dominates(cfg, a, b), dominates(g, a, b));
            CHECK_INT(cw_cfg_postdominates(cfg, a, b), postdominates(g, a, b));
        }
}

/* The immediate (post-)dominator is the strict one that all other strict ones (post-)dominate. */
static void check_immediate(const struct naive *g, const struct cw_cfg *cfg) {
    CHECK_INT(cfg->idom[0], CW_NO_BLOCK);
    for (uint32_t b = 0; b < g->n; b++) {
        if (!g->alive[b]) {
            CHECK_INT(cfg->idom[b], CW_NO_BLOCK);
            CHECK_INT(cfg->ipdom[b], CW_NO_BLOCK);
            continue;
        }
        uint32_t idom = CW_NO_BLOCK, ipdom = g->n;
        for (uint32_t a = 0; a < g->n; a++) {
            if (a != b && dominates(g, a, b) && (idom == CW_NO_BLOCK || dominates(g, idom, a)))
                idom = a;
            if (a != b && postdominates(g, a, b) && (ipdom == g->n || postdominates(g, a, ipdom) == false))
                ipdom = a;
        }
        CHECK_INT(cfg->idom[b], idom);
        CHECK_INT(cfg->ipdom[b], ipdom);
    }
}

static bool has_control(const struct cw_cfg *cfg, uint32_t block, uint32_t from, uint32_t which) {
    uint32_t found = 0;
    for (uint32_t k = 0; k < cfg->control[block].n; k++)
        found += cfg->control[block].at[k].block == from && cfg->control[block].at[k].which == which;
    CHECK(found <= 1);
    return found;
}

static void check_control(const struct cw_fn *fn, const struct naive *g) {
    for (uint32_t a = 0; a < g->n; a++) {
        const struct cw_jump *j = &fn->blocks.at[a].jump;
        bool decides = false;
        for (uint32_t s = 0; s < j->nsucc; s++)
            decides |= j->succ[s] != j->succ[0];
        for (uint32_t s = 0; g->alive[a] && s < j->nsucc; s++)
            for (uint32_t c = 0; c < g->n; c++) {
                bool depends = decides && g->alive[c] && postdominates(g, c, j->succ[s]) &&
                               (c == a || !postdominates(g, c, a));
                CHECK_INT(has_control(fn->cfg, c, a, s), depends);
            }
    }
}

/* Without the blocks that only lead to a trap: the same definitions on a smaller graph. */
static void check_live(const struct cw_fn *fn, struct naive g) {
    bool dies[MAX_BLOCKS] = {false}, entry_dies = true;
    for (uint32_t b = 0; b < g.n; b++) {
        dies[b] = true;
        for (uint32_t x = 0; x < g.n; x++)
            if (g.edge[x][g.n] && fn->blocks.at[x].jump.kind != CW_JUMP_TRAP && has_path(&g, b, x, UINT32_MAX))
                dies[b] = false;
        entry_dies &= dies[b] || b;
    }
    for (uint32_t b = 0; b < g.n; b++) {
        dies[b] &= !entry_dies;
        if (g.alive[b])
            CHECK_INT(fn->cfg->dies[b], dies[b]);
    }
    for (uint32_t b = 0; b < g.n; b++)
        for (uint32_t w = 0; w <= g.n; w++)
            g.edge[b][w] &= !dies[b] && (w == g.n || !dies[w]);
    for (uint32_t b = 0; b < g.n; b++) {
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        uint32_t ways = 0;
        for (uint32_t w = 0; w < g.n; w++)
            ways += g.edge[b][w];
        for (uint32_t s = 0; g.alive[b] && s < j->nsucc; s++)
            for (uint32_t c = 0; c < g.n; c++) {
                bool found = false, depends = ways > 1 && g.edge[b][j->succ[s]] && g.alive[c] && !dies[c] &&
                                              postdominates(&g, c, j->succ[s]) && (c == b || !postdominates(&g, c, b));
                for (uint32_t k = 0; k < fn->cfg->live_control[c].n; k++)
                    found |= fn->cfg->live_control[c].at[k].block == b && fn->cfg->live_control[c].at[k].which == s;
                CHECK_INT(found, depends);
            }
    }
}

static void check_reaches(const struct cw_fn *fn, const struct naive *g) {
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; g->alive[a] && b < g->n; b++) {
            bool path = false;
            for (uint32_t s = 0; s < g->n; s++)
                path |= g->edge[a][s] && has_path(g, s, b, UINT32_MAX);
            CHECK_INT(cw_cfg_reaches(fn, a, b), path);
        }
}

static uint32_t loop_headed_by(const struct cw_cfg *cfg, uint32_t h) {
    for (uint32_t l = 0; l < cfg->loops.n; l++)
        if (cfg->loops.at[l].header == h)
            return l;
    return CW_NO_LOOP;
}

static bool in_natural_loop(const struct naive *g, uint32_t h, uint32_t x) {
    for (uint32_t latch = 0; latch < g->n; latch++)
        if (g->edge[latch][h] && dominates(g, h, latch) && (x == h || latch == x || has_path(g, x, latch, h)))
            return g->alive[x];
    return false;
}

static void check_loop(const struct cw_fn *fn, const struct naive *g, uint32_t loop) {
    const struct cw_loop *l = &fn->cfg->loops.at[loop];
    for (uint32_t x = 0; x < g->n; x++)
        CHECK_INT(cw_bitset_has(&l->blocks, x), in_natural_loop(g, l->header, x));
    if (l->parent != CW_NO_LOOP) {
        CHECK(l->parent < loop);
        CHECK(cw_cfg_in_loop(fn->cfg, l->parent, l->header));
        CHECK_INT(l->depth, fn->cfg->loops.at[l->parent].depth + 1);
    } else {
        CHECK_INT(l->depth, 1);
    }
    uint32_t exits = 0;
    for (uint32_t x = 0; x < g->n; x++)
        for (uint32_t s = 0; cw_bitset_has(&l->blocks, x) && s < fn->blocks.at[x].jump.nsucc; s++)
            exits += !cw_bitset_has(&l->blocks, fn->blocks.at[x].jump.succ[s]);
    CHECK_INT(l->exits.n, exits);
}

static void check_loops(const struct cw_fn *fn, const struct naive *g) {
    const struct cw_cfg *cfg = fn->cfg;
    for (uint32_t h = 0; h < g->n; h++)
        CHECK_INT(loop_headed_by(cfg, h) != CW_NO_LOOP, g->alive[h] && in_natural_loop(g, h, h));
    for (uint32_t l = 0; l < cfg->loops.n; l++)
        check_loop(fn, g, l);
    for (uint32_t b = 0; b < g->n; b++) {
        uint32_t deepest = CW_NO_LOOP;
        for (uint32_t l = 0, depth = 0; l < cfg->loops.n; l++)
            if (cw_cfg_in_loop(cfg, l, b) && cfg->loops.at[l].depth > depth) {
                deepest = l;
                depth = cfg->loops.at[l].depth;
            }
        CHECK_INT(cfg->loop_of[b], deepest);
    }
}

/* Reducible: without its back edges (to a dominator) the graph has no cycle. */
static void check_reducible(const struct naive *g, const struct cw_cfg *cfg) {
    struct naive forward = *g;
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++)
            forward.edge[a][b] &= !dominates(g, b, a);
    bool has_cycle = false;
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++)
            has_cycle |= forward.edge[a][b] && has_path(&forward, b, a, UINT32_MAX);
    CHECK_INT(cfg->is_irreducible, has_cycle);
}

static void check_order(const struct naive *g, const struct cw_cfg *cfg) {
    uint32_t alive = 0;
    for (uint32_t b = 0; b < g->n; b++)
        alive += g->alive[b];
    CHECK_INT(cfg->nrpo, alive);
    CHECK_INT(cfg->rpo[0], 0);
    for (uint32_t a = 0; a < g->n; a++)
        for (uint32_t b = 0; b < g->n; b++)
            if (a != b && g->alive[a] && g->alive[b] && dominates(g, a, b))
                CHECK(cfg->rpo_index[a] < cfg->rpo_index[b]);
}

struct seen {
    uint32_t n;
    struct cw_edge at[3 * MAX_BLOCKS];
};

static bool collect(void *ctx, struct cw_edge e) {
    struct seen *s = ctx;
    for (uint32_t k = 0; k < s->n; k++)
        CHECK(s->at[k].block != e.block || s->at[k].which != e.which);
    s->at[s->n++] = e;
    return true;
}

/* The walk visits the closure of direct control dependence, each edge once. */
static void check_walk(const struct cw_fn *fn, const struct naive *g) {
    for (uint32_t b = 0; b < g->n; b++) {
        bool wanted[MAX_BLOCKS] = {false};
        struct seen s = {0};
        wanted[b] = true;
        for (uint32_t round = 0; round < g->n; round++)
            for (uint32_t c = 0; c < g->n; c++)
                for (uint32_t k = 0; wanted[c] && k < fn->cfg->control[c].n; k++)
                    wanted[fn->cfg->control[c].at[k].block] = true;
        uint32_t edges = 0;
        for (uint32_t a = 0; a < g->n; a++)
            for (uint32_t which = 0; which < fn->blocks.at[a].jump.nsucc; which++) {
                bool used = false;
                for (uint32_t c = 0; c < g->n; c++)
                    used |= wanted[c] && has_control(fn->cfg, c, a, which);
                edges += used;
            }
        cw_cfg_controls(fn, b, collect, &s);
        CHECK_INT(s.n, edges);
    }
}

int main(void) {
    for (int k = 0; k < GRAPHS; k++) {
        struct cw_arena a;
        struct cw_module m;
        struct naive g;
        cw_arena_init(&a);
        cw_module_init(&m, &a);
        struct cw_fn *fn = random_fn(&m, &g);
        struct cw_cfg *cfg = cw_cfg_build(fn);
        check_endless(&g, cfg);
        check_order(&g, cfg);
        check_dominance(&g, cfg);
        check_immediate(&g, cfg);
        check_control(fn, &g);
        check_live(fn, g);
        check_walk(fn, &g);
        check_reaches(fn, &g);
        check_loops(fn, &g);
        check_reducible(&g, cfg);
        cw_arena_free(&a);
    }
    return check_report();
}
