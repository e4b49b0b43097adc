/* See event_trace.h. */
#include "races/event_trace.h"

#include "base/str.h"
#include "lanes/condition.h"
#include "races/cluster_run.h"
#include "races/thread_private.h"
#include "uniformity/unknown_calls.h"
#include "uniformity/uses.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOP = 1u << 31,     /* an item of a region that is a loop */
    STEPS_MAX = 16000,
    LAID_OUT = 2,        /* that many times the steps may be laid out first, some of which nobody comes to */
    WORK_MAX = 1 << 22,  /* steps times threads */
    FAR_WORK_MAX = 1 << 20, /* the same for a kernel without shared memory, which seldom races */
    ANCESTORS_MAX = 48,  /* values looked at to see what one is made from */
    MOVES_DEPTH = 6      /* joins between a counter and what it will be */
};

/* ---- what instructions are ---- */

static bool is_unknown_sync(const struct cw_memory *memory, const struct cw_ins *ins) {
    const struct cw_fn *fn = memory->fn;
    if (ins->op == CW_OP_OPCALL || ins->op == CW_OP_CALL)
        return cw_call_order_of(memory, ins) != CW_CALL_NOTHING;
    if (ins->op != CW_OP_ASM)
        return false;
    const char *text = ins->aux < fn->texts.n ? fn->texts.at[ins->aux] : "bar";
    return strstr(text, "bar") || strstr(text, "sync") || strstr(text, "call");
}

static enum cw_step_kind sync_kind(const struct cw_memory *memory, const struct cw_ins *ins) {
    if (ins->op == CW_OP_MBARINIT)
        return CW_STEP_SETUP;
    if (ins->op == CW_OP_FENCE)
        return ins->flags & CW_INS_PROXY ? CW_STEP_FENCE : CW_STEP_NONE;
    if ((cw_op_flags(ins->op) & CW_OP_S) || ins->op == CW_OP_MBARARRIVE || ins->op == CW_OP_ASYNCCOMMIT ||
        ins->op == CW_OP_ASYNCWAIT || is_unknown_sync(memory, ins))
        return CW_STEP_SYNC;
    bool warp = (cw_op_flags(ins->op) & CW_OP_C) && ins->op != CW_OP_FRAGLOAD && ins->op != CW_OP_FRAGSTORE;
    return warp || ins->op == CW_OP_ACTIVEMASK ? CW_STEP_COLLECTIVE : CW_STEP_NONE;
}

/* How the accesses of one root look: only roots with a plain write, or with atomics beside plain reads, can race. */
struct root_use {
    bool written, read, atomic;
    bool initialised; /* by a write that does not depend on what was there */
};

struct survey {
    const struct cw_fn *fn;
    struct root_use *objects, *params;
    struct root_use lost; /* pointers of unknown origin */
};

static struct root_use *use_of(struct survey *survey, const struct cw_base *base) {
    if (base->is_read || (base->root.tag != CW_REF_OBJECT && base->root.tag != CW_REF_PARAM))
        return &survey->lost;
    return base->root.tag == CW_REF_OBJECT ? &survey->objects[base->root.index] : &survey->params[base->root.index];
}

static bool is_memory_op(const struct cw_ins *ins) {
    return ins->op != CW_OP_MBARINIT && ins->op != CW_OP_MBARARRIVE && ins->op != CW_OP_MBARWAIT &&
           !(ins->flags & CW_INS_READONLY);
}

/* Barrier objects are made by their init, and whole aggregates are handed to code that knows more of them. */
static bool is_made_elsewhere(const struct cw_ins *ins) {
    return ins->op == CW_OP_MBARINIT || ins->type == CW_AGG;
}

static void survey_ins(struct survey *survey, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(survey->fn, ins, acc);
    if (!is_memory_op(ins) && !is_made_elsewhere(ins))
        return;
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(survey->fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++) {
            struct root_use *u = use_of(survey, &bases.at[b]);
            u->initialised |= is_made_elsewhere(ins);
            if (!is_memory_op(ins))
                continue;
            u->atomic |= ins->op == CW_OP_ATOMIC;
            u->written |= acc[k].writes && ins->op != CW_OP_ATOMIC;
            u->read |= acc[k].reads && ins->op != CW_OP_ATOMIC;
            u->initialised |= acc[k].writes && (ins->op != CW_OP_ATOMIC || (ins->aux & 0xff) == CW_ATOMIC_EXCH ||
                                                (ins->aux & 0xff) == CW_ATOMIC_STORE);
        }
    }
}

/* What a device function gets by pointer may be a variable of its caller, private to the thread. */
static bool can_race(const struct cw_fn *fn, const struct cw_base *base, const struct root_use *root_use) {
    if (base->root.tag == CW_REF_PARAM && fn->kind != CW_FN_KERNEL)
        return false;
    enum cw_space space = base->root.tag == CW_REF_OBJECT && !base->is_read ? fn->objects.at[base->root.index].space
                                                                      : CW_SPACE_GLOBAL;
    if (space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED)
        return true;
    return space == CW_SPACE_GLOBAL && (root_use->written || (root_use->atomic && root_use->read));
}

static bool is_access(struct survey *survey, const struct cw_ins *ins) {
    struct cw_access acc[2];
    uint32_t n = is_memory_op(ins) ? cw_memory_accesses(survey->fn, ins, acc) : 0;
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(survey->fn, acc[k].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            if (can_race(survey->fn, &bases.at[b], use_of(survey, &bases.at[b])))
                return true;
    }
    return false;
}

/* ---- synchronisation through memory ---- */

/* Values from which `r` is made, each looked at once. */
struct ancestry {
    cw_ref at[ANCESTORS_MAX];
    uint32_t n, next;
};

static void add_ancestor(struct ancestry *ancestry, cw_ref ref) {
    for (uint32_t k = 0; k < ancestry->n; k++)
        if (cw_ref_eq(ancestry->at[k], ref))
            return;
    if (ref.tag == CW_REF_INS && ancestry->n < ANCESTORS_MAX)
        ancestry->at[ancestry->n++] = ref;
}

/* Is the value made from one that another thread may change while this one looks: an atomic's result, a volatile
 * read? */
static cw_ref poll_in(const struct cw_fn *fn, cw_ref ref, uint32_t loop) {
    struct ancestry y = {.n = 0};
    for (add_ancestor(&y, ref); y.next < y.n; y.next++) {
        const struct cw_ins *i = cw_ins_of(fn, y.at[y.next]);
        if (loop != CW_NO_LOOP && !cw_cfg_in_loop(fn->cfg, loop, i->block))
            continue;
        if (i->op == CW_OP_ATOMIC || (i->op == CW_OP_LOAD && (i->flags & CW_INS_VOLATILE)))
            return y.at[y.next];
        for (uint32_t k = 0; (cw_op_flags(i->op) & CW_OP_P) && k < i->narg; k++)
            add_ancestor(&y, cw_arg(fn, i, k));
    }
    return CW_NONE;
}

static bool holds_barrier(const struct cw_fn *fn, const struct cw_loop *loop) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; cw_bitset_has(&loop->blocks, b) && k < fn->blocks.at[b].ins.n; k++)
            if (cw_op_flags(fn->ins.at[fn->blocks.at[b].ins.at[k]].op) & CW_OP_B)
                return true;
    return false;
}

static bool is_plain_store_to(const struct cw_roles *roles, const struct cw_ins *store, const struct cw_base *base,
                              uint64_t size) {
    if (store->op != CW_OP_STORE)
        return false;
    struct cw_bases to = cw_memory_bases(roles->fn, cw_arg(roles->fn, store, 1));
    for (uint32_t k = 0; k < to.n; k++)
        if (cw_memory_may_meet(roles->memory, &to.at[k], store->aux, base, size))
            return true;
    return false;
}

/* Does a loop read shared memory that it stores to itself? It does not wait for another thread then, it hands values
 * round. */
static bool reads_own_stores(const struct cw_roles *roles, const struct cw_loop *loop, uint32_t load) {
    const struct cw_fn *fn = roles->fn;
    if (fn->ins.at[load].op != CW_OP_LOAD || cw_memory_is_volatile(fn, &fn->ins.at[load]))
        return false;
    struct cw_bases from = cw_memory_bases(fn, cw_arg(fn, &fn->ins.at[load], 0));
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; cw_bitset_has(&loop->blocks, b) && k < fn->blocks.at[b].ins.n; k++)
            for (uint32_t n = 0; n < from.n; n++)
                if (is_plain_store_to(roles, &fn->ins.at[fn->blocks.at[b].ins.at[k]], &from.at[n],
                                      fn->ins.at[load].aux))
                    return true;
    return false;
}

/* May the value be the counter as it was, by way of joins? */
static bool may_stay(const struct cw_fn *fn, cw_ref next, cw_ref phi, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, next);
    if (cw_ref_eq(next, phi) || depth == 0)
        return true;
    for (uint32_t k = 0; i && (i->op == CW_OP_PHI || i->op == CW_OP_SELECT) && k < i->narg; k++)
        if (may_stay(fn, cw_arg(fn, i, k), phi, depth - 1))
            return true;
    return false;
}

static bool always_moves(const struct cw_fn *fn, uint32_t loop, cw_ref phi) {
    const struct cw_ins *i = cw_ins_of(fn, phi);
    if (!i || i->op != CW_OP_PHI || i->block != fn->cfg->loops.at[loop].header)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (cw_cfg_in_loop(fn->cfg, loop, fn->blocks.at[i->block].pred.at[k]) &&
            may_stay(fn, cw_arg(fn, i, k), phi, MOVES_DEPTH))
            return false;
    return true;
}

/* Does each iteration look at another place? Then the loop probes, as in a hash table, and waits for nobody. */
static bool is_probing(const struct cw_fn *fn, uint32_t loop, uint32_t poll) {
    struct ancestry y = {.n = 0};
    for (add_ancestor(&y, cw_arg(fn, &fn->ins.at[poll], 0)); y.next < y.n; y.next++) {
        const struct cw_ins *i = cw_ins_of(fn, y.at[y.next]);
        if (always_moves(fn, loop, y.at[y.next]))
            return true;
        for (uint32_t k = 0; i && (cw_op_flags(i->op) & CW_OP_P) && i->op != CW_OP_PHI && k < i->narg; k++)
            add_ancestor(&y, cw_arg(fn, i, k));
    }
    return false;
}

/* A loop that ends when memory says so waits for another thread; what follows it is ordered by that. */
static void find_polls(struct cw_roles *roles, const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->cfg->loops.n; k++) {
        const struct cw_loop *loop = &fn->cfg->loops.at[k];
        for (uint32_t e = 0; !holds_barrier(fn, loop) && e < loop->exits.n; e++) {
            uint32_t from = loop->exits.at[e].block;
            cw_ref poll = poll_in(fn, fn->blocks.at[from].jump.value, k);
            if (poll.tag != CW_REF_INS || reads_own_stores(roles, loop, poll.index) || is_probing(fn, k, poll.index))
                continue;
            cw_bitset_add(&roles->polls, poll.index);
            roles->has_signals = true;
            for (uint32_t b = 0; b < fn->blocks.n; b++)
                if (fn->cfg->rpo_index[b] != CW_NO_BLOCK && cw_cfg_dominates(fn->cfg, from, b))
                    cw_bitset_add(&roles->guarded, b);
        }
    }
}

struct guard_search {
    const struct cw_cfg *cfg;
    uint32_t block;
    const struct cw_bitset *won; /* blocks whose branch an atomic decides */
    const uint8_t *places;       /* of those, enum cw_uni of the atomic's place */
    bool is_guarded;
    uint8_t least; /* of the places of the atomics that the winner has won */
};

static bool see_winner(void *ctx, struct cw_edge edge) {
    struct guard_search *g = ctx;
    /* The header of a loop depends on what its iterations find; its first one does not. */
    bool is_won = cw_bitset_has(g->won, edge.block) && edge.block != g->block &&
                  cw_cfg_dominates(g->cfg, edge.block, g->block);
    g->is_guarded |= is_won;
    if (is_won && g->places[edge.block] < g->least)
        g->least = g->places[edge.block];
    return true;
}

/* How far the place of the atomic is the same: GRID where nobody knows. */
static uint8_t place_of_atomic(const struct cw_uniformity *uniformity, const struct cw_ins *atomic) {
    struct cw_access acc[2];
    bool is_known = uniformity && cw_memory_accesses(uniformity->fn, atomic, acc) > 0;
    return is_known ? (uint8_t)cw_uni_of(uniformity, acc[0].pointer) : CW_UNI_GRID;
}

static void find_guarded(struct cw_roles *roles, const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                         struct cw_arena *a) {
    struct cw_bitset won = cw_bitset_new(a, fn->blocks.n);
    uint8_t *places = CW_NEW_ARRAY(a, uint8_t, fn->blocks.n + 1);
    bool any = false;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        cw_ref poll = poll_in(fn, fn->blocks.at[fn->cfg->rpo[k]].jump.value, CW_NO_LOOP);
        if (poll.tag != CW_REF_INS || fn->ins.at[poll.index].op != CW_OP_ATOMIC)
            continue;
        cw_bitset_add(&won, fn->cfg->rpo[k]);
        places[fn->cfg->rpo[k]] = place_of_atomic(uniformity, &fn->ins.at[poll.index]);
        any = true;
    }
    for (uint32_t k = 0; any && k < fn->cfg->nrpo; k++) {
        uint32_t block = fn->cfg->rpo[k];
        bool is_polled = cw_bitset_has(&roles->guarded, block);
        struct guard_search g = {fn->cfg, block, &won, places, false, is_polled ? CW_UNI_GRID : CW_UNI_DIVERGENT};
        cw_cfg_controls(fn, block, see_winner, &g);
        if (!g.is_guarded)
            continue;
        cw_bitset_add(&roles->guarded, block);
        roles->has_signals = true;
        if (g.least > CW_UNI_BLOCK)
            cw_bitset_add(&roles->claimed, block);
        if (g.least > CW_UNI_WARP)
            cw_bitset_add(&roles->claimed_by_lanes, block);
    }
}

/* Arrays that every use finds as they were: nothing writes them, nor gets hold of their address. */
static void find_unwritten(struct cw_roles *roles, const struct survey *survey) {
    for (uint32_t k = 0; k < survey->fn->objects.n; k++) {
        enum cw_space space = survey->fn->objects.at[k].space;
        const struct root_use *u = &survey->objects[k];
        if ((space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED) && (u->read || u->atomic) && !u->initialised &&
            !survey->lost.initialised && !cw_bitset_has(&roles->memory->escaped, k))
            cw_bitset_add(&roles->unwritten, k);
    }
}

/* ---- what becomes of values in shared memory ---- */

static bool reads_shared(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, ins, 0));
    for (uint32_t k = 0; k < bases.n; k++) {
        cw_ref root = bases.at[k].root;
        if (root.tag != CW_REF_OBJECT || fn->objects.at[root.index].space == CW_SPACE_SHARED ||
            fn->objects.at[root.index].space == CW_SPACE_DYNSHARED)
            return true;
    }
    return false;
}

static bool is_made_from_shared(const struct cw_roles *roles, const struct cw_ins *ins) {
    if (ins->op == CW_OP_LOAD || ins->op == CW_OP_ATOMIC)
        return reads_shared(roles->fn, ins);
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref a = cw_arg(roles->fn, ins, k);
        if (a.tag == CW_REF_INS && cw_bitset_has(&roles->from_shared, a.index))
            return true;
    }
    return false;
}

/* To a fixed point, since phis of loops see what comes round. */
static void trace_shared(struct cw_roles *roles) {
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t k = 0; k < roles->fn->cfg->nrpo; k++) {
            const struct cw_vec_u32 *list = &roles->fn->blocks.at[roles->fn->cfg->rpo[k]].ins;
            for (uint32_t n = 0; n < list->n; n++)
                if (!cw_bitset_has(&roles->from_shared, list->at[n]) &&
                    is_made_from_shared(roles, &roles->fn->ins.at[list->at[n]])) {
                    cw_bitset_add(&roles->from_shared, list->at[n]);
                    grew = true;
                }
        }
    }
}

static bool branches_on_shared(const struct cw_roles *roles, uint32_t block) {
    cw_ref v = roles->fn->blocks.at[block].jump.value;
    return v.tag == CW_REF_INS && !cw_bitset_has(&roles->quiet, block) && cw_bitset_has(&roles->from_shared, v.index);
}

/* An arm that leads to `join` at once, or through a block of pure instructions. */
static bool is_quiet_arm(const struct cw_fn *fn, uint32_t arm, uint32_t join) {
    const struct cw_block *b = &fn->blocks.at[arm];
    if (arm == join)
        return true;
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (!(cw_op_flags(fn->ins.at[b->ins.at[k]].op) & CW_OP_P))
            return false;
    return b->jump.nsucc == 1 && b->jump.succ[0] == join && b->pred.n == 1;
}

static void find_quiet(struct cw_roles *roles) {
    for (uint32_t k = 0; k < roles->fn->cfg->nrpo; k++) {
        uint32_t block = roles->fn->cfg->rpo[k], join = roles->fn->cfg->ipdom[block];
        const struct cw_jump *j = &roles->fn->blocks.at[block].jump;
        if (j->kind == CW_JUMP_BRANCH && join < roles->fn->blocks.n && roles->fn->cfg->idom[join] == block &&
            is_quiet_arm(roles->fn, j->succ[0], join) && is_quiet_arm(roles->fn, j->succ[1], join))
            cw_bitset_add(&roles->quiet, block);
    }
}

static bool is_use(const struct cw_roles *roles, const struct cw_ins *ins) {
    return (cw_op_flags(ins->op) & (CW_OP_W | CW_OP_E)) && !(cw_op_flags(ins->op) & CW_OP_P) &&
           is_made_from_shared(roles, ins);
}

/* ---- regions ---- */

/* RPO visits an inner loop's header before its blocks, and what follows the loop after; so a loop stands as one item
 * where its header is. */
static void list_items(struct cw_roles *roles, const struct cw_fn *fn, struct cw_arena *a) {
    roles->items = CW_NEW_ARRAY(a, struct cw_vec_u32, fn->cfg->loops.n + 1);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        uint32_t b = fn->cfg->rpo[k], loop = fn->cfg->loop_of[b];
        if (loop != CW_NO_LOOP && fn->cfg->loops.at[loop].header == b)
            cw_vec_push(a, &roles->items[fn->cfg->loops.at[loop].parent + 1], LOOP | loop);
        cw_vec_push(a, &roles->items[loop + 1], b);
    }
}

static void mark_loops(struct cw_roles *roles, const struct cw_fn *fn, uint32_t block, enum cw_step_kind kind) {
    for (uint32_t l = fn->cfg->loop_of[block]; l != CW_NO_LOOP; l = fn->cfg->loops.at[l].parent) {
        cw_bitset_add(&roles->loops, l);
        if (kind == CW_STEP_SYNC)
            cw_bitset_add(&roles->sync_loops, l);
    }
}

/* Of a copied struct only the members that are used are read. */
static bool is_idle_member(const struct cw_uses *uses, const struct cw_ins *ins, uint32_t index) {
    return ins->op == CW_OP_LOAD && (ins->flags & CW_INS_IMPLICIT) && !(ins->flags & CW_INS_VOLATILE) &&
           uses->first[index] == uses->first[index + 1];
}

static void assign_roles(struct cw_roles *roles, struct survey *survey, const struct cw_uses *uses) {
    const struct cw_fn *fn = survey->fn;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        roles->kind[k] = CW_STEP_NONE;
        if (i->op == CW_OP_HOLE || fn->cfg->rpo_index[i->block] == CW_NO_BLOCK || is_idle_member(uses, i, k))
            continue;
        roles->kind[k] = (uint8_t)(is_access(survey, i) ? CW_STEP_ACCESS : sync_kind(roles->memory, i));
        if (roles->kind[k] == CW_STEP_ACCESS && cw_own_is_candidate(fn, i)) {
            cw_bitset_add(&roles->device, k);
            roles->has_device = true;
        }
        roles->has_access |= roles->kind[k] == CW_STEP_ACCESS;
        roles->has_calls |= cw_memory_is_call(i);
        roles->has_other_blocks |= cw_is_cluster_map(fn, i);
        if (cw_bitset_has(&roles->polls, k))
            roles->kind[k] = CW_STEP_SYNC;
        if (roles->kind[k] == CW_STEP_NONE && is_use(roles, i))
            roles->kind[k] = CW_STEP_USE;
        if (roles->kind[k] == CW_STEP_NONE && roles->has_signals && i->op == CW_OP_ATOMIC)
            roles->kind[k] = CW_STEP_SIGNAL;
        if (roles->kind[k] != CW_STEP_NONE)
            mark_loops(roles, fn, i->block, (enum cw_step_kind)roles->kind[k]);
    }
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++)
        if (branches_on_shared(roles, fn->cfg->rpo[k]))
            mark_loops(roles, fn, fn->cfg->rpo[k], CW_STEP_BRANCH);
}

static bool has_shared(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->objects.n; k++)
        if (fn->objects.at[k].space == CW_SPACE_SHARED || fn->objects.at[k].space == CW_SPACE_DYNSHARED)
            return true;
    return false;
}

struct cw_roles *cw_roles_of(const struct cw_fn *fn, const struct cw_uniformity *uniformity, struct cw_arena *a) {
    struct cw_roles *r = CW_NEW(a, struct cw_roles);
    struct survey s = {.fn = fn, .objects = CW_NEW_ARRAY(a, struct root_use, fn->objects.n),
                       .params = CW_NEW_ARRAY(a, struct root_use, fn->params.n)};
    uint32_t nloops = fn->cfg->loops.n;
    *r = (struct cw_roles){.fn = fn,
                           .kind = CW_NEW_ARRAY(a, uint8_t, fn->ins.n),
                           .polls = cw_bitset_new(a, fn->ins.n),
                           .guarded = cw_bitset_new(a, fn->blocks.n),
                           .claimed = cw_bitset_new(a, fn->blocks.n),
                           .claimed_by_lanes = cw_bitset_new(a, fn->blocks.n),
                           .unwritten = cw_bitset_new(a, fn->objects.n),
                           .quiet = cw_bitset_new(a, fn->blocks.n),
                           .from_shared = cw_bitset_new(a, fn->ins.n),
                           .memory = cw_memory_new(fn, a),
                           .loops = cw_bitset_new(a, nloops),
                           .sync_loops = cw_bitset_new(a, nloops),
                           .device = cw_bitset_new(a, fn->ins.n)};
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t n = 0; n < b->ins.n; n++)
            survey_ins(&s, &fn->ins.at[b->ins.at[n]]);
    }
    r->has_shared = has_shared(fn);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        r->has_copies |= fn->ins.at[k].op == CW_OP_ASYNCCOPY;
        r->has_barrier_waits |= fn->ins.at[k].op == CW_OP_MBARWAIT;
    }
    find_unwritten(r, &s);
    trace_shared(r);
    find_quiet(r);
    find_polls(r, fn);
    find_guarded(r, fn, uniformity, a);
    const struct cw_uses *uses = cw_uses_of(fn, a);
    r->prechecks = cw_prechecks_of(fn, uses, a);
    assign_roles(r, &s, uses);
    list_items(r, fn, a);
    return r;
}

/* ---- the layout ---- */

/* How much of a loop is laid out. A conflict lies between two neighbouring barriers or across the back edge of a
 * loop, so a few iterations show nearly all; of a kernel that is too long with many, fewer are laid out. */
struct detail {
    uint32_t whole_sync;  /* trips up to which a loop with synchronisation is laid out whole */
    uint32_t whole_plain; /* the same for one without */
    uint32_t head, tail;  /* iterations shown of a longer one */
    uint32_t open;        /* iterations shown where the number is not known */
};

static const struct detail details[] = {{12, 8, 4, 2, 3}, {4, 3, 2, 1, 2}, {2, 2, 2, 0, 2}, {1, 1, 1, 0, 1}};
enum { LEVELS = sizeof details / sizeof *details };

/* A pipeline of copies reads what it began to copy a few iterations before: so many more of its end are laid out. A
 * ring of 2, 3, 4, 6 or 12 barriers comes round in so many iterations. */
enum { STAGES = 4, ROUND = 12 };

struct layout {
    const struct detail *detail;
    struct cw_event_trace *t;
    struct cw_lanes *l;
    const struct cw_roles *r;
    struct cw_arena *a;
    uint32_t max_steps;
};

/* The iterations of the beginning of a long loop that are laid out: of a ring of barriers in memory some that use a
 * stage again. */
static uint32_t head_of(const struct layout *layout, bool sync) {
    bool is_ring = sync && layout->r->has_barrier_waits && layout->detail == &details[0];
    return layout->detail->head + (is_ring ? STAGES : 0);
}

/* The iterations of the end of a long loop that are laid out. Where threads wait for barriers in memory, those of a
 * ring are to have as many phases left out each: whole rounds are. */
static uint32_t tail_of(const struct layout *layout, bool sync, uint32_t trips) {
    const struct detail *detail = layout->detail;
    bool is_pipeline = sync && layout->r->has_copies && detail == &details[0];
    uint32_t tail = detail->tail + (is_pipeline ? STAGES : 0), shown = head_of(layout, sync) + tail + 1;
    return is_pipeline && layout->r->has_barrier_waits && trips > shown ? tail + (trips - shown) % ROUND : tail;
}

/* Are some of so many iterations left out? The header runs once more than the body. */
static bool is_cut(const struct layout *layout, bool sync, uint32_t trips) {
    uint32_t whole = sync ? layout->detail->whole_sync : layout->detail->whole_plain;
    return trips > whole + 1 && trips > head_of(layout, sync) + tail_of(layout, sync, trips) + 1;
}

static void add_step(struct layout *layout, uint32_t ins, enum cw_step_kind kind, const struct cw_context *context) {
    struct cw_step s = {.ins = ins, .kind = (uint8_t)kind, .loop = CW_NO_LOOP, .context = context};
    if (layout->t->steps.n >= layout->max_steps * LAID_OUT)
        layout->t->is_too_long = true;
    else
        cw_vec_push(layout->a, &layout->t->steps, s);
}

/* A barrier of the warp, or one that a thread waits at for its own copies. */
static bool is_of_warp(const struct cw_fn *fn, const struct cw_ins *sync) {
    bool is_group = sync->narg > 0 && cw_ref_type(fn, cw_arg(fn, sync, 0)) == CW_GROUP;
    return (sync->op == CW_OP_SYNCWARP && !is_group) || sync->op == CW_OP_ASYNCCOMMIT || sync->op == CW_OP_ASYNCWAIT;
}

/* A barrier in memory, or of so many threads: other threads of the block need not come. */
static bool is_of_some(const struct cw_fn *fn, const struct cw_ins *sync) {
    int64_t count;
    if (sync->op == CW_OP_BARRIER)
        return cw_ref_const(fn, cw_arg(fn, sync, 1), &count) && count > 0;
    return is_of_warp(fn, sync) || sync->op == CW_OP_MBARARRIVE || sync->op == CW_OP_MBARWAIT;
}

static void add_gap(struct layout *layout, uint32_t loop, const struct cw_context *context) {
    const struct cw_fn *fn = layout->r->fn;
    bool is_of_warps = true, are_of_some = true;
    add_step(layout, UINT32_MAX, CW_STEP_GAP, context);
    for (uint32_t b = 0; b < fn->blocks.n && are_of_some; b++)
        for (uint32_t k = 0; cw_bitset_has(&fn->cfg->loops.at[loop].blocks, b) && k < fn->blocks.at[b].ins.n; k++) {
            uint32_t ins = fn->blocks.at[b].ins.at[k];
            is_of_warps &= layout->r->kind[ins] != CW_STEP_SYNC || is_of_warp(fn, &fn->ins.at[ins]);
            are_of_some &= layout->r->kind[ins] != CW_STEP_SYNC || is_of_some(fn, &fn->ins.at[ins]);
        }
    if (layout->t->is_too_long)
        return;
    cw_vec_last(&layout->t->steps).is_of_warps = is_of_warps && are_of_some;
    cw_vec_last(&layout->t->steps).loop = are_of_some && !is_of_warps ? loop : CW_NO_LOOP;
}

static bool nobody_comes(struct layout *layout, uint32_t block, const struct cw_context *context) {
    return cw_lane_cond_is(layout->l, cw_lane_cond_reach(layout->l, block, context), CW_BDD_FALSE);
}

/* In a kernel without shared memory it is asked whether somebody comes there when it is known that it matters:
 * prune_steps(). */
static void lay_block(struct layout *layout, uint32_t block, const struct cw_context *context) {
    const struct cw_vec_u32 *list = &layout->r->fn->blocks.at[block].ins;
    bool asked = !layout->r->has_shared;
    for (uint32_t k = 0; k < list->n && !layout->t->is_too_long; k++) {
        if (layout->r->kind[list->at[k]] == CW_STEP_NONE)
            continue;
        if (!asked && nobody_comes(layout, block, context))
            return;
        asked = true;
        add_step(layout, list->at[k], (enum cw_step_kind)layout->r->kind[list->at[k]], context);
    }
    if (branches_on_shared(layout->r, block) && (asked || !nobody_comes(layout, block, context)))
        add_step(layout, block, CW_STEP_BRANCH, context);
}

static void lay_region(struct layout *y, uint32_t loop, const struct cw_context *c, uint32_t depth);

static bool lay_iteration(struct layout *layout, uint32_t loop, const struct cw_context *outer, uint32_t k,
                          uint32_t depth) {
    const struct cw_context *c = cw_lanes_context(layout->l, outer, loop, k);
    if (nobody_comes(layout, layout->r->fn->cfg->loops.at[loop].header, c))
        return false;
    lay_region(layout, loop, c, depth + 1);
    return !layout->t->is_too_long;
}

/* Do constants and thread indices alone decide when the loop ends? */
static bool ends_exactly(struct layout *layout, uint32_t loop, const struct cw_context *outer) {
    const struct cw_fn *fn = layout->r->fn;
    const struct cw_loop *l = &fn->cfg->loops.at[loop];
    const struct cw_context *first = cw_lanes_context(layout->l, outer, loop, 0);
    for (uint32_t k = 0; k < l->exits.n; k++) {
        uint32_t block = l->exits.at[k].block;
        if (fn->blocks.at[block].jump.kind != CW_JUMP_BRANCH || fn->cfg->loop_of[block] != loop ||
            cw_lanes_eval(layout->l, fn->blocks.at[block].jump.value, first)->worst != CW_EXACT)
            return false;
    }
    return true;
}

static void lay_loop(struct layout *layout, uint32_t loop, const struct cw_context *outer, uint32_t depth) {
    bool sync = cw_bitset_has(&layout->r->sync_loops, loop);
    if (!cw_bitset_has(&layout->r->loops, loop) || depth >= 8)
        return;
    int32_t trips = cw_lanes_most_trips(layout->l, loop, outer);
    const struct detail *d = layout->detail;
    uint32_t n = trips < 0 ? d->open : (uint32_t)trips;
    bool cut = is_cut(layout, sync, n);
    bool endless = layout->r->fn->cfg->loops.at[loop].exits.n == 0;
    layout->t->is_cut |= cut;
    if (cut || (trips < 0 && !endless)) {
        layout->t->is_partial = true;
        layout->t->is_vague = layout->t->is_vague || trips < 0 || !ends_exactly(layout, loop, outer);
        cw_bitset_add(&layout->t->partial_loops, loop);
    }
    layout->t->is_endless |= endless;
    uint32_t head = cut ? head_of(layout, sync) : n, k = 0;
    while (k < head && lay_iteration(layout, loop, outer, k, depth))
        k++;
    if (!cut || k < head)
        return;
    if (sync)
        add_gap(layout, loop, outer);
    for (k = n - tail_of(layout, sync, n) - 1; k < n; k++)
        if (!lay_iteration(layout, loop, outer, k, depth))
            return;
}

static void lay_region(struct layout *layout, uint32_t loop, const struct cw_context *context, uint32_t depth) {
    const struct cw_vec_u32 *items = &layout->r->items[loop + 1];
    for (uint32_t k = 0; k < items->n && !layout->t->is_too_long; k++) {
        if (items->at[k] & LOOP)
            lay_loop(layout, items->at[k] & ~LOOP, context, depth);
        else
            lay_block(layout, items->at[k], context);
    }
}

/* ---- what matters ---- */

static bool is_own(const struct cw_event_trace *trace, const struct cw_step *step) {
    return step->kind == CW_STEP_ACCESS && cw_bitset_has(&trace->own, step->ins);
}

/* Accesses to what each thread has for itself go, though a store may still be a use of what was in shared memory. */
static bool is_kept(struct layout *layout, struct cw_step *step) {
    if (step->kind == CW_STEP_GAP)
        return true;
    if (is_own(layout->t, step)) {
        if (!is_use(layout->r, &layout->r->fn->ins.at[step->ins]))
            return false;
        step->kind = CW_STEP_USE;
    }
    return !nobody_comes(layout, step->kind == CW_STEP_BRANCH ? step->ins : layout->r->fn->ins.at[step->ins].block,
                         step->context);
}

static bool any_can_race(const struct cw_event_trace *trace) {
    for (uint32_t k = 0; k < trace->steps.n; k++)
        if (trace->steps.at[k].kind == CW_STEP_ACCESS && !is_own(trace, &trace->steps.at[k]))
            return true;
    return false;
}

/* Where nothing can race nothing else is of interest, and nobody needs to know who comes where. */
static void prune_steps(struct layout *layout) {
    struct cw_event_trace *t = layout->t;
    uint32_t kept = 0;
    t->own = layout->r->has_device ? cw_own_places(layout->l, layout->r->fn, t->steps.at, t->steps.n, layout->a)
                              : cw_bitset_new(layout->a, layout->r->fn->ins.n);
    for (uint32_t k = 0, n = any_can_race(t) ? t->steps.n : 0; k < n; k++)
        if (is_kept(layout, &t->steps.at[k]))
            t->steps.at[kept++] = t->steps.at[k];
    t->steps.n = kept;
}

/* How often a loop's header is laid out. */
static uint32_t laid_trips(const struct layout *layout, bool sync, int32_t trips) {
    uint32_t n = (uint32_t)trips;
    if (trips < 0)
        return layout->detail->open;
    return is_cut(layout, sync, n) ? head_of(layout, sync) + tail_of(layout, sync, n) + 1 : n;
}

/* Of each loop, as in the first iteration of those around it. Outer loops have smaller numbers. */
static uint64_t *times_of_loops(const struct layout *layout) {
    const struct cw_cfg *cfg = layout->r->fn->cfg;
    uint64_t *times = CW_NEW_ARRAY(layout->a, uint64_t, cfg->loops.n + 1);
    for (uint32_t k = 0; k < cfg->loops.n; k++) {
        uint32_t parent = cfg->loops.at[k].parent;
        uint64_t around = parent == CW_NO_LOOP ? 1 : times[parent];
        bool is_laid = cw_bitset_has(&layout->r->loops, k);
        const struct cw_context *outer =
            is_laid && parent != CW_NO_LOOP ? cw_lanes_first(layout->l, cfg->loops.at[parent].header) : NULL;
        int32_t trips = is_laid ? cw_lanes_most_trips(layout->l, k, outer) : 0;
        uint64_t own = laid_trips(layout, cw_bitset_has(&layout->r->sync_loops, k), trips);
        times[k] = around < UINT32_MAX ? around * own : around;
    }
    return times;
}

/* The steps of the layout if all threads that enter a loop run all of it: an estimate that evaluates trips alone. */
static uint64_t estimated_steps(const struct layout *layout) {
    const struct cw_cfg *cfg = layout->r->fn->cfg;
    const uint64_t *times = times_of_loops(layout);
    uint64_t steps = 0;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &layout->r->fn->blocks.at[cfg->rpo[k]].ins;
        uint32_t loop = cfg->loop_of[cfg->rpo[k]];
        uint64_t own = 0;
        for (uint32_t n = 0; n < list->n; n++)
            own += layout->r->kind[list->at[n]] != CW_STEP_NONE;
        steps += own * (loop == CW_NO_LOOP ? 1 : times[loop]);
    }
    return steps;
}

static struct cw_event_trace *lay_out(struct cw_lanes *lanes, const struct cw_roles *roles, const struct detail *detail,
                                   struct cw_arena *a) {
    struct cw_event_trace *t = CW_NEW(a, struct cw_event_trace);
    t->partial_loops = cw_bitset_new(a, roles->fn->cfg->loops.n);
    uint32_t steps = (roles->has_shared ? WORK_MAX : FAR_WORK_MAX) / cw_lanes_count(lanes);
    struct layout y = {detail, t, lanes, roles, a, steps < STEPS_MAX ? steps : STEPS_MAX};
    t->lanes = lanes;
    t->roles = roles;
    t->is_too_long = estimated_steps(&y) > (uint64_t)y.max_steps * LAID_OUT;
    if (!t->is_too_long)
        lay_region(&y, CW_NO_LOOP, NULL, 0);
    if (!t->is_too_long)
        prune_steps(&y);
    t->is_too_long |= cw_lanes_exhausted(lanes) || t->steps.n > y.max_steps;
    return t;
}

static struct cw_event_trace *timeline_from(struct cw_lanes *lanes, const struct cw_roles *roles, uint32_t level,
                                         struct cw_arena *a) {
    struct cw_event_trace *t = NULL;
    for (; level < LEVELS && (!t || (t->is_too_long && !cw_lanes_exhausted(lanes))); level++) {
        t = lay_out(lanes, roles, &details[level], a);
        t->level = level;
        t->open_trips = details[level].open;
    }
    return t;
}

struct cw_event_trace *cw_event_trace_of(struct cw_lanes *lanes, const struct cw_roles *roles, struct cw_arena *a) {
    return timeline_from(lanes, roles, 0, a);
}

struct cw_event_trace *cw_event_trace_shorter(const struct cw_event_trace *trace, struct cw_arena *a) {
    return timeline_from(trace->lanes, trace->roles, trace->level + 1, a);
}

/* ---- text form ---- */

void cw_event_trace_print(const struct cw_event_trace *trace, struct cw_buf *out) {
    static const char *const kinds[] = {"access", "sync", "collective", "gap", "use", "branch", "signal", "setup", ""};
    for (uint32_t k = 0; k < trace->steps.n; k++) {
        const struct cw_step *s = &trace->steps.at[k];
        cw_buf_printf(out, "  %4u %s", k, kinds[s->kind]);
        if (s->kind == CW_STEP_BRANCH) {
            cw_buf_printf(out, " of block %u", s->ins);
        } else if (s->ins != UINT32_MAX) {
            cw_buf_putc(out, ' ');
            cw_ins_print(trace->roles->fn, s->ins, out);
        }
        for (const struct cw_context *c = s->context; c; c = c->outer)
            cw_buf_printf(out, "%s%u", c == s->context ? " ; iteration " : " of ", c->iteration);
        cw_buf_putc(out, '\n');
    }
    if (trace->is_too_long)
        cw_buf_puts(out, "  too long\n");
}
