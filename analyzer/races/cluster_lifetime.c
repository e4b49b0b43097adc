/* See cluster_lifetime.h. Silent where something else may keep a block from starting or exiting too early: in kernels
 * with unknown calls or assembly, barriers in memory, or threads that poll memory. */
#include "races/cluster_lifetime.h"

#include "cuda/intrinsics.h"
#include "lanes/facts_print.h"
#include "lanes/participation.h"
#include "launch/for_each_launch.h"
#include "races/cluster_run.h"
#include "races/event_trace.h"
#include "races/origins.h"
#include "uniformity/reachable_ops.h"

#include <string.h>

struct search {
    const struct cw_kernel_query *query;
    const struct cw_fn *fn;
    uint32_t *map_of;            /* instruction -> 1 + the one that maps its address, 0: no address of another block */
    struct cw_vec_u32 barriers;  /* at which all threads of the cluster wait */
    bool *is_barrier;            /* the same by instruction */
    struct cw_stored stored;
    struct cw_cluster_faults *out;
};

/* ---- addresses in other blocks ---- */

static bool has_name(const struct cw_ins *ins, const char *const *names, uint32_t n) {
    const struct cw_intrinsic *row = ins->intrinsic ? cw_intrinsic_at(ins->intrinsic) : NULL;
    for (uint32_t k = 0; row && k < n; k++)
        if (strcmp(row->name, names[k]) == 0)
            return true;
    return false;
}

static bool passes_address(enum cw_op op) {
    switch (op) {
    case CW_OP_PTRADD: case CW_OP_ADD: case CW_OP_SUB: case CW_OP_SELECT: case CW_OP_PHI: case CW_OP_COPY:
    case CW_OP_PTRTOINT: case CW_OP_INTTOPTR: case CW_OP_CVTA: case CW_OP_TRUNC: case CW_OP_ZEXT: return true;
    default: return false;
    }
}

static uint32_t map_of_operands(const struct search *search, const struct cw_ins *ins) {
    for (uint32_t k = 0; k < ins->narg; k++) {
        cw_ref arg = cw_arg(search->fn, ins, k);
        if (arg.tag == CW_REF_INS && search->map_of[arg.index])
            return search->map_of[arg.index];
    }
    return 0;
}

static bool find_addresses(struct search *search) {
    bool any = false, changed = true;
    while (changed) {
        changed = false;
        for (uint32_t k = 0; k < search->fn->ins.n; k++) {
            const struct cw_ins *ins = &search->fn->ins.at[k];
            if (search->map_of[k])
                continue;
            if (cw_is_cluster_map(search->fn, ins))
                search->map_of[k] = k + 1;
            else if (passes_address(ins->op))
                search->map_of[k] = map_of_operands(search, ins);
            changed |= search->map_of[k] != 0;
        }
        any |= changed;
    }
    return any;
}

/* 1 + the instruction that maps the address of this access; 0: it is no access to another block. */
static uint32_t map_of_access(const struct search *search, const struct cw_ins *ins) {
    bool is_store = ins->op == CW_OP_STORE;
    if (!is_store && ins->op != CW_OP_LOAD && ins->op != CW_OP_ATOMIC)
        return 0;
    cw_ref pointer = cw_arg(search->fn, ins, is_store ? 1 : 0);
    return pointer.tag == CW_REF_INS ? search->map_of[pointer.index] : 0;
}

/* ---- ranks that input chooses ---- */

/* 1 + a load of input behind the value; 0: there is none, or something else takes part that nobody knows. */
static uint32_t find_datum(const struct search *search, cw_ref value) {
    struct cw_origins origins = cw_origins_of(search->fn, &search->stored, value, false, search->query->arena);
    for (uint32_t k = 0; k < origins.loads.n; k++)
        if (!cw_is_input_load(search->fn, &search->stored, origins.loads.at[k]))
            return 0;
    return origins.is_lost || origins.loads.n == 0 ? 0 : origins.loads.at[0] + 1;
}

/* ---- barriers before and after ---- */

static bool is_second_half(const struct cw_ins *ins) {
    static const char *const names[] = {"cooperative_groups::cluster_group::barrier_wait"};
    return ins->op == CW_OP_MBARWAIT && has_name(ins, names, 1);
}

static bool is_barrier(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return ins->op == CW_OP_GRIDSYNC || (ins->op == CW_OP_CLUSTERSYNC && ins->aux != CW_BARRIER_ARRIVE) ||
           is_second_half(ins);
}

static bool is_other_wait(const struct cw_fn *fn, const struct cw_ins *ins) {
    (void)fn;
    return (ins->op == CW_OP_MBARWAIT && !is_second_half(ins)) || ins->op == CW_OP_ASM ||
           (ins->op == CW_OP_OPCALL && !(ins->flags & CW_INS_SYNCFREE));
}

/* Is there a barrier on the way: behind the access in its own block, or in front of it? */
static bool has_barrier_beside(const struct search *search, uint32_t access, bool behind) {
    const struct cw_ins *ins = search->fn->ins.at;
    for (uint32_t k = 0; k < search->barriers.n; k++) {
        uint32_t barrier = search->barriers.at[k];
        if (ins[barrier].block == ins[access].block && cw_cfg_ins_dominates(search->fn, access, barrier) == behind)
            return true;
    }
    return false;
}

static bool has_barrier(const struct search *search, uint32_t block) {
    for (uint32_t k = 0; k < search->barriers.n; k++)
        if (search->fn->ins.at[search->barriers.at[k]].block == block)
            return true;
    return false;
}

struct walk {
    bool *seen;
    uint32_t *stack, n;
};

static void visit_block(struct walk *walk, uint32_t block) {
    if (walk->seen[block])
        return;
    walk->seen[block] = true;
    walk->stack[walk->n++] = block;
}

/* Does the access run again in an iteration that ends the loop over this exit? */
static bool runs_before_exit(const struct search *search, uint32_t block, const struct cw_edge *exit) {
    return cw_cfg_dominates(search->fn->cfg, block, exit->block);
}

static bool is_before_exit(const struct search *search, uint32_t block, const struct cw_edge *exit) {
    const uint32_t *order = search->fn->cfg->rpo_index;
    return block == exit->block ||
           (order[block] < order[exit->block] && cw_cfg_reaches(search->fn, block, exit->block));
}

/* Passes the last, partial iteration of a loop: from its header to an exit in front of the access. What follows the
 * exit is visited; is there perhaps a barrier on the way to it? */
static bool passes_barrier_to_exit(const struct search *search, uint32_t header, uint32_t block, struct walk *walk) {
    const struct cw_cfg *cfg = search->fn->cfg;
    for (uint32_t k = 0; k < cfg->loops.n; k++) {
        const struct cw_loop *loop = &cfg->loops.at[k];
        for (uint32_t e = 0; loop->header == header && e < loop->exits.n; e++) {
            if (runs_before_exit(search, block, &loop->exits.at[e]))
                continue;
            for (uint32_t b = 0; b < search->barriers.n; b++) {
                uint32_t at = search->fn->ins.at[search->barriers.at[b]].block;
                if (cw_cfg_in_loop(cfg, k, at) && is_before_exit(search, at, &loop->exits.at[e]))
                    return true;
            }
            visit_block(walk, cw_cfg_edge_target(search->fn, loop->exits.at[e]));
        }
    }
    return false;
}

/* Goes from `block` to the end of the kernel, or back to its beginning, with no further run of the access; is there
 * perhaps a barrier on the way? */
static bool finds_barrier_on(const struct search *search, uint32_t block, bool behind) {
    const struct cw_cfg *cfg = search->fn->cfg;
    struct walk walk = {CW_NEW_ARRAY(search->query->arena, bool, cfg->nblocks),
                        CW_NEW_ARRAY(search->query->arena, uint32_t, cfg->nblocks), 0};
    visit_block(&walk, block);
    while (walk.n > 0) {
        uint32_t at = walk.stack[--walk.n];
        const struct cw_block *b = &search->fn->blocks.at[at];
        if (at != block && has_barrier(search, at))
            return true;
        uint32_t n = behind ? b->jump.nsucc : b->pred.n;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t next = behind ? b->jump.succ[k] : b->pred.at[k];
            if (cfg->rpo_index[next] == CW_NO_BLOCK)
                continue;
            if (next != at && (cfg->rpo_index[next] > cfg->rpo_index[at]) == behind)
                visit_block(&walk, next);
            else if (behind && passes_barrier_to_exit(search, next, block, &walk))
                return true;
        }
    }
    return false;
}

/* Is it executed in every iteration of the loops around it? */
static bool is_in_every_iteration(const struct search *search, uint32_t block) {
    const struct cw_cfg *cfg = search->fn->cfg;
    for (uint32_t loop = cfg->loop_of[block]; loop != CW_NO_LOOP; loop = cfg->loops.at[loop].parent)
        for (uint32_t k = 0; k < cfg->loops.at[loop].latches.n; k++)
            if (!cw_cfg_dominates(cfg, block, cfg->loops.at[loop].latches.at[k]))
                return false;
    return true;
}

/* ---- faults ---- */

enum { MOST_RANKS = 16, THREADS_TRIED = 4 };

/* Blocks of a cluster where nobody says how many: those that every device has. */
static const uint32_t sizes[] = {2, 4, 8};

/* Under this launch an access may reach another block; is_sure: it does, and `run` shows how. */
struct attempt {
    bool may_reach, is_sure;
    uint32_t size, rank;
    struct cw_cluster_run run;
};

static bool lacks_barrier(const struct cw_cluster_run *run, enum cw_cluster_fault_kind kind) {
    return kind == CW_CLUSTER_EXITED ? run->is_complete && !run->waits_after : !run->waits_before;
}

/* Runs the kernel for one thread of each block of the cluster. */
static struct attempt try_thread(const struct search *search, const struct cw_cluster_place *place,
                                 enum cw_cluster_fault_kind kind) {
    struct cw_cluster_place at = *place;
    struct attempt out = {.may_reach = false};
    for (at.rank = 0; at.rank < at.size && at.rank < MOST_RANKS; at.rank++) {
        struct cw_cluster_run run = cw_cluster_run_of(&at);
        bool may_run_on = !run.is_complete && kind == CW_CLUSTER_EXITED &&
                          is_in_every_iteration(search, search->fn->ins.at[place->access].block);
        out.may_reach |= run.reaches_other || !run.is_known || !run.is_complete;
        if (!run.reaches_other || !(lacks_barrier(&run, kind) || may_run_on))
            continue;
        out = (struct attempt){true, true, at.size, at.rank, run};
        break;
    }
    return out;
}

static bool may_execute(const struct cw_participation *at, uint32_t thread) {
    enum cw_presence presence = at->presence[thread];
    return presence != CW_EXITED && presence != CW_ELSEWHERE;
}

/* Comes there, by itself or as input chooses. */
static bool can_arrive(const struct cw_participation *at, uint32_t thread) {
    enum cw_presence presence = at->presence[thread];
    return presence == CW_ARRIVES || presence == CW_DATA || presence == CW_DATA_EXIT;
}

/* The first two and the last two threads that may execute the access: the first one often has its own block. */
static uint32_t threads_to_try(const struct cw_participation *at, uint32_t threads, uint32_t *out) {
    uint32_t n = 0;
    for (uint32_t t = 0; t < threads && n < THREADS_TRIED / 2; t++)
        if (may_execute(at, t))
            out[n++] = t;
    for (uint32_t t = threads; t-- > 0 && n > 0 && n < THREADS_TRIED && t > out[THREADS_TRIED / 2 - 1];)
        if (n >= THREADS_TRIED / 2 && may_execute(at, t))
            out[n++] = t;
    return n;
}

static struct attempt try_size(const struct search *search, const struct cw_cluster_place *of,
                               const struct cw_cluster_fault *fault, const struct cw_participation *at) {
    uint32_t threads[THREADS_TRIED] = {0}, n = threads_to_try(at, cw_launch_threads(of->launch), threads);
    struct cw_cluster_place place = *of;
    struct attempt attempt = {.may_reach = false};
    for (uint32_t k = 0; k < n && !attempt.is_sure; k++) {
        bool may_reach = attempt.may_reach;
        place.thread = threads[k];
        place.arrives = can_arrive(at, place.thread);
        attempt = try_thread(search, &place, fault->kind);
        if (at->presence[place.thread] == CW_UNSURE) /* a run that meets known conditions only is a witness */
            attempt.may_reach = attempt.is_sure;
        attempt.may_reach |= may_reach;
    }
    return attempt;
}

static bool is_of_one_block(const struct cw_launch *launch) {
    return launch->cluster == 1 ||
           (launch->grid_known && launch->grid[0] * launch->grid[1] * launch->grid[2] == 1);
}

/* Do so many blocks of the grid make clusters? */
static bool fits_grid(const struct cw_launch *launch, uint32_t size) {
    return !launch->grid_known || (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] % size == 0;
}

/* Where nobody says how many blocks a cluster has, a launch with clusters may have any number; without a launch the
 * fault has to be there with each. */
static struct attempt try_launch(const struct search *search, uint32_t launch, const struct cw_cluster_fault *fault,
                                 const struct cw_participation *at) {
    const struct cw_launch *l = &search->query->launches->at[launch];
    const struct cw_ins *map = &search->fn->ins.at[fault->map];
    struct cw_cluster_place place = {.fn = search->fn, .launch = l, .access = fault->ins,
                                     .target = cw_arg(search->fn, map, map->narg - 1u),
                                     .is_target_chosen = fault->datum != 0,
                                     .is_barrier = search->is_barrier,
                                     .size = l->cluster};
    if (l->cluster)
        return try_size(search, &place, fault, at);
    struct attempt out = {.may_reach = false};
    bool is_sure_for_all = true;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        place.size = sizes[k];
        if (!fits_grid(l, place.size))
            continue;
        struct attempt attempt = try_size(search, &place, fault, at);
        bool may_reach = out.may_reach || attempt.may_reach;
        is_sure_for_all &= attempt.is_sure;
        if (attempt.is_sure && !out.is_sure)
            out = attempt;
        out.may_reach = may_reach;
    }
    out.is_sure &= is_sure_for_all || l->source == CW_LAUNCH_SITE;
    return out;
}

/* Does somebody execute the access under a launch with clusters of several blocks? */
static bool finds_witness(const struct search *search, struct cw_cluster_fault *fault) {
    const struct cw_kernel_query *query = search->query;
    struct cw_survey survey = cw_survey_of(query->launches, 1);
    bool has_sure = false, all_sure = true;
    while (cw_survey_next(&survey)) {
        struct cw_lanes *lanes = query->lanes(query->owner, survey.launch, 0);
        const struct cw_launch *launch = &query->launches->at[survey.launch];
        const struct cw_participation *at = lanes ? cw_participation(lanes, fault->ins, NULL, query->arena) : NULL;
        if (!at || is_of_one_block(launch))
            continue;
        struct attempt attempt = try_launch(search, survey.launch, fault, at);
        bool is_launched = launch->cluster || launch->source == CW_LAUNCH_SITE || !query->launches->is_unread;
        bool is_sure = attempt.is_sure && is_launched;
        all_sure &= is_sure;
        if (attempt.may_reach && (cw_survey_shown(&survey) || (is_sure && !has_sure))) {
            fault->launch = survey.launch;
            fault->at = at;
            fault->size = attempt.is_sure ? attempt.size : launch->cluster;
            fault->is_size_chosen = !launch->cluster;
            fault->has_ranks = attempt.is_sure;
            fault->rank = attempt.rank;
            fault->target = attempt.run.target;
        }
        has_sure |= is_sure;
    }
    fault->definite = has_sure && (all_sure || query->launches->from_facts) && cw_survey_definite(&survey);
    return survey.shown > 0;
}

/* One barrier serves all accesses through an address: the first definite one is told. */
static bool is_told(const struct search *search, enum cw_cluster_fault_kind kind, uint32_t map) {
    for (uint32_t k = 0; k < search->out->at.n; k++) {
        const struct cw_cluster_fault *other = &search->out->at.at[k];
        if (other->map == map && other->kind == kind && other->definite)
            return true;
    }
    return false;
}

static void check_access(struct search *search, uint32_t access, uint32_t map) {
    uint32_t block = search->fn->ins.at[access].block;
    const struct cw_ins *made = &search->fn->ins.at[map];
    uint32_t datum = find_datum(search, cw_arg(search->fn, made, made->narg - 1u));
    for (unsigned kind = CW_CLUSTER_NOT_STARTED; kind <= CW_CLUSTER_EXITED; kind++) {
        bool behind = kind == CW_CLUSTER_EXITED;
        if (is_told(search, kind, map))
            continue;
        struct cw_cluster_fault fault = {.kind = kind, .ins = access, .map = map, .datum = datum};
        if (!has_barrier_beside(search, access, behind) && !finds_barrier_on(search, block, behind) &&
            finds_witness(search, &fault))
            cw_vec_push(search->query->arena, &search->out->at, fault);
    }
}

struct cw_cluster_faults cw_cluster_faults_of(const struct cw_kernel_query *query) {
    struct cw_cluster_faults out = {{0}};
    struct search search = {.query = query, .fn = query->fn, .out = &out,
                            .map_of = CW_NEW_ARRAY(query->arena, uint32_t, query->fn->ins.n + 1)};
    if (query->fn->cfg->is_irreducible || !find_addresses(&search) ||
        cw_reachable_where(query->fn, is_other_wait, query->arena).n > 0 ||
        cw_roles_of(query->fn, query->uniformity, query->arena)->has_signals)
        return out;
    search.stored = cw_stored_of(query->fn, query->arena);
    search.barriers = cw_reachable_where(query->fn, is_barrier, query->arena);
    search.is_barrier = CW_NEW_ARRAY(query->arena, bool, query->fn->ins.n + 1);
    for (uint32_t k = 0; k < search.barriers.n; k++)
        search.is_barrier[search.barriers.at[k]] = true;
    struct cw_vec_u32 all = {0};
    for (enum cw_op op = CW_OP_LOAD; op <= CW_OP_ATOMIC; op++) {
        all = cw_reachable_ops(query->fn, op, query->arena);
        for (uint32_t k = 0; k < all.n; k++) {
            uint32_t map = map_of_access(&search, &query->fn->ins.at[all.at[k]]);
            if (map)
                check_access(&search, all.at[k], map - 1);
        }
    }
    return out;
}

/* ---- text form ---- */

void cw_cluster_faults_print(const struct cw_facts_print *to, const struct cw_cluster_faults *faults) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_cluster_fault *fault = &faults->at.at[k];
        cw_facts_begin(to, fault->definite,
                       fault->kind == CW_CLUSTER_NOT_STARTED ? "access before the block has started"
                                                             : "access after the block has exited");
        cw_facts_ins(to, "", fault->ins);
        cw_facts_ins(to, "mapped by", fault->map);
        if (fault->size)
            cw_facts_part(to, "cluster of %u blocks%s", fault->size, fault->is_size_chosen ? " (chosen)" : "");
        if (fault->datum)
            cw_facts_ins(to, "by", fault->datum - 1);
        if (fault->has_ranks)
            cw_facts_part(to, "block %u accesses block %u", fault->rank, fault->target);
        cw_facts_presence(to, fault->at, 0);
        cw_facts_launch(to, fault->launch, 0);
        cw_facts_end(to);
    }
}
