/* See cluster_run.h. */
#include "races/cluster_run.h"

#include "cfg/cfg.h"
#include "cuda/intrinsics.h"

#include <string.h>

enum { MOST_STEPS = 20000 };

struct run {
    const struct cw_cluster_place *place;
    const struct cw_fn *fn;
    int64_t *value; /* by instruction, where is_known */
    bool *is_known;
    bool *skipped; /* by block, scratch of skip_to_join() */
    uint32_t *stack;
    uint32_t steps;
    struct cw_cluster_run out;
    bool has_waited, has_arrived;
    struct cw_arena scratch;
};

static bool has_text(const struct cw_fn *fn, const struct cw_ins *ins, const char *const *texts, uint32_t n) {
    for (uint32_t k = 0; ins->op == CW_OP_PURE && k < n; k++)
        if (strcmp(fn->texts.at[ins->aux], texts[k]) == 0)
            return true;
    return false;
}

/* A cluster that extends along x alone: its blocks differ in blockIdx.x. */
static bool is_row(const struct cw_fn *fn) {
    return fn->reqd_cluster[0] > 0 && fn->reqd_cluster[1] == 1 && fn->reqd_cluster[2] == 1;
}

bool cw_is_cluster_rank(const struct cw_fn *fn, const struct cw_ins *ins) {
    static const char *const names[] = {"cooperative_groups::cluster_group::block_rank", "__clusterRelativeBlockRank",
                                        "%cluster_ctarank"};
    static const char *const names_in_row[] = {"%cluster_ctaid.x"};
    return has_text(fn, ins, names, 3) || (is_row(fn) && has_text(fn, ins, names_in_row, 1));
}

bool cw_is_cluster_size(const struct cw_fn *fn, const struct cw_ins *ins) {
    static const char *const names[] = {"cooperative_groups::cluster_group::num_blocks", "__clusterSizeInBlocks",
                                        "%cluster_nctarank"};
    static const char *const names_in_row[] = {"%cluster_nctaid.x"};
    return has_text(fn, ins, names, 3) || (is_row(fn) && has_text(fn, ins, names_in_row, 1));
}

bool cw_is_cluster_map(const struct cw_fn *fn, const struct cw_ins *ins) {
    static const char *const names[] = {"cooperative_groups::cluster_group::map_shared_rank",
                                        "__cluster_map_shared_rank"};
    const struct cw_intrinsic *row = ins->intrinsic ? cw_intrinsic_at(ins->intrinsic) : NULL;
    if (ins->op == CW_OP_PURE && strncmp(fn->texts.at[ins->aux], "mapa.", 5) == 0)
        return true;
    return ins->op == CW_OP_OPAQUE && row && (strcmp(row->name, names[0]) == 0 || strcmp(row->name, names[1]) == 0);
}

/* ---- values ---- */

static bool read_register(const struct run *run, uint32_t sreg, int64_t *value) {
    const struct cw_cluster_place *place = run->place;
    const uint32_t *block = place->launch->block, thread = place->thread;
    const uint32_t index[3] = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
    bool is_in_first_cluster = is_row(run->fn) && sreg == CW_CTAID_X;
    if (sreg <= CW_TID_Z)
        *value = index[sreg - CW_TID_X];
    else if (sreg >= CW_NTID_X && sreg <= CW_NTID_Z)
        *value = block[sreg - CW_NTID_X];
    else if (sreg >= CW_NCTAID_X && sreg <= CW_NCTAID_Z && place->launch->grid_known)
        *value = place->launch->grid[sreg - CW_NCTAID_X];
    else if (is_in_first_cluster || (is_row(run->fn) && (sreg == CW_CTAID_Y || sreg == CW_CTAID_Z)))
        *value = is_in_first_cluster ? place->rank : 0;
    else if (sreg == CW_LANEID)
        *value = thread % 32;
    else if (sreg == CW_WARPSIZE)
        *value = 32;
    else
        return false;
    return true;
}

static bool read_value(const struct run *run, cw_ref ref, int64_t *value) {
    const struct cw_launch *launch = run->place->launch;
    if (ref.tag == CW_REF_INS) {
        *value = run->value[ref.index];
        return run->is_known[ref.index];
    }
    if (ref.tag == CW_REF_PARAM && ref.index < launch->nargs && launch->args[ref.index].known) {
        *value = launch->args[ref.index].value;
        return true;
    }
    return ref.tag == CW_REF_SREG ? read_register(run, ref.index, value) : cw_ref_const(run->fn, ref, value);
}

static bool evaluate(const struct run *run, const struct cw_ins *ins, int64_t *value) {
    int64_t args[3];
    bool is_rank = cw_is_cluster_rank(run->fn, ins), is_size = cw_is_cluster_size(run->fn, ins);
    if (is_rank || is_size) {
        *value = is_rank ? run->place->rank : run->place->size;
        return true;
    }
    if (ins->op == CW_OP_SELECT && read_value(run, cw_arg(run->fn, ins, 0), &args[0]))
        return read_value(run, cw_arg(run->fn, ins, args[0] ? 1 : 2), value);
    if (!ins->narg || ins->narg > 3 || ins->op == CW_OP_SELECT)
        return false;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (!read_value(run, cw_arg(run->fn, ins, k), &args[k]))
            return false;
    if (ins->op == CW_OP_COPY || ins->op == CW_OP_UNIFORM) {
        *value = args[0];
        return true;
    }
    return cw_fold((enum cw_op)ins->op, cw_ref_type(run->fn, cw_arg(run->fn, ins, 0)), (enum cw_type)ins->type, args,
                   value);
}

/* The phis of a block at once. `from`: the block before, CW_NO_BLOCK: one of those that were skipped. */
static void evaluate_phis(struct run *run, uint32_t block, uint32_t from) {
    const struct cw_block *b = &run->fn->blocks.at[block];
    uint32_t n = 0;
    while (n < b->ins.n && run->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI)
        n++;
    int64_t *value = CW_NEW_ARRAY(&run->scratch, int64_t, n + 1);
    bool *is_known = CW_NEW_ARRAY(&run->scratch, bool, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_ins *phi = &run->fn->ins.at[b->ins.at[k]];
        for (uint32_t p = 0; p < b->pred.n; p++)
            if (b->pred.at[p] == from)
                is_known[k] = read_value(run, cw_arg(run->fn, phi, p), &value[k]);
    }
    for (uint32_t k = 0; k < n; k++) {
        run->value[b->ins.at[k]] = value[k];
        run->is_known[b->ins.at[k]] = is_known[k];
    }
}

/* ---- the run ---- */

static void arrive(struct run *run) {
    int64_t target;
    run->has_arrived = true;
    if (!read_value(run, run->place->target, &target)) {
        run->out.is_known = false;
        if (!run->place->is_target_chosen)
            return;
        target = (run->place->rank + 1) % run->place->size;
    }
    if (target == run->place->rank || target < 0 || target >= run->place->size)
        return;
    if (!run->out.reaches_other) {
        run->out.target = (uint32_t)target;
        run->out.waits_before = run->has_waited;
    }
    run->out.reaches_other = true;
    run->out.waits_after = false;
}

static void wait_for_cluster(struct run *run) {
    run->has_waited = true;
    run->out.waits_after = true;
}

static void execute_block(struct run *run, uint32_t block, uint32_t from) {
    const struct cw_block *b = &run->fn->blocks.at[block];
    evaluate_phis(run, block, from);
    run->steps += 1 + b->ins.n;
    for (uint32_t k = 0; k < b->ins.n; k++) {
        uint32_t index = b->ins.at[k];
        const struct cw_ins *ins = &run->fn->ins.at[index];
        if (index == run->place->access)
            arrive(run);
        if (run->place->is_barrier[index])
            wait_for_cluster(run);
        if (ins->op != CW_OP_PHI)
            run->is_known[index] = evaluate(run, ins, &run->value[index]);
    }
}

static void skip_block(struct run *run, uint32_t block) {
    const struct cw_block *b = &run->fn->blocks.at[block];
    for (uint32_t k = 0; k < b->ins.n; k++) {
        uint32_t index = b->ins.at[k];
        run->is_known[index] = false;
        if (index == run->place->access)
            run->out.is_known = false;
        if (run->place->is_barrier[index])
            wait_for_cluster(run);
    }
}

/* From a branch whose condition is not known to where its ways join; CW_NO_BLOCK: they may end the thread. */
static uint32_t skip_to_join(struct run *run, uint32_t branch) {
    const struct cw_cfg *cfg = run->fn->cfg;
    uint32_t join = cfg->live_ipdom[branch], n = 0;
    if (join >= cfg->nblocks)
        return CW_NO_BLOCK;
    memset(run->skipped, 0, cfg->nblocks * sizeof *run->skipped);
    run->stack[n++] = branch;
    while (n > 0) {
        const struct cw_jump *jump = &run->fn->blocks.at[run->stack[--n]].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++) {
            uint32_t next = jump->succ[k];
            if (next == join || cfg->dies[next] || run->skipped[next])
                continue;
            run->skipped[next] = true;
            run->stack[n++] = next;
            skip_block(run, next);
            run->steps++;
        }
    }
    return join;
}

static void visit_on_way(struct run *run, uint32_t block, uint32_t branch, uint32_t join, uint32_t *n) {
    if (block == branch || block == join || run->skipped[block])
        return;
    run->skipped[block] = true;
    run->stack[(*n)++] = block;
}

/* Does a way lead from the block to the access that does not pass the branch again, nor its join? */
static bool leads_to_access(struct run *run, uint32_t from, uint32_t branch, uint32_t join) {
    uint32_t n = 0;
    memset(run->skipped, 0, run->fn->cfg->nblocks * sizeof *run->skipped);
    visit_on_way(run, from, branch, join, &n);
    while (n > 0) {
        const struct cw_jump *jump = &run->fn->blocks.at[run->stack[--n]].jump;
        for (uint32_t k = 0; k < jump->nsucc; k++)
            visit_on_way(run, jump->succ[k], branch, join, &n);
    }
    return run->skipped[run->fn->ins.at[run->place->access].block];
}

/* The only way from the branch to the access, for a thread that arrives there; CW_NO_BLOCK: there are several, or none
 * before the ways join. */
static uint32_t find_way_to_access(struct run *run, uint32_t branch) {
    uint32_t way = CW_NO_BLOCK, join = run->fn->cfg->live_ipdom[branch];
    const struct cw_jump *jump = &run->fn->blocks.at[branch].jump;
    for (uint32_t k = 0; k < jump->nsucc; k++) {
        if (!leads_to_access(run, jump->succ[k], branch, join))
            continue;
        if (way != CW_NO_BLOCK)
            return CW_NO_BLOCK;
        way = jump->succ[k];
    }
    return way;
}

/* The next block, and in *from the one before it; CW_NO_BLOCK: the run ends. */
static uint32_t leave_block(struct run *run, uint32_t block, uint32_t *from) {
    const struct cw_jump *jump = &run->fn->blocks.at[block].jump;
    int64_t value;
    *from = block;
    switch (jump->kind) {
    case CW_JUMP_GOTO:
        return jump->succ[0];
    case CW_JUMP_BRANCH:
        if (read_value(run, jump->value, &value))
            return jump->succ[value ? 0 : 1];
        break;
    case CW_JUMP_RETURN:
        run->out.is_complete = true;
        return CW_NO_BLOCK;
    case CW_JUMP_SWITCH:
        if (read_value(run, jump->value, &value)) {
            uint32_t way = 0;
            while (way + 1 < jump->nsucc && jump->cases[way] != value)
                way++;
            return jump->succ[way];
        }
        break;
    default:
        return CW_NO_BLOCK;
    }
    uint32_t way = run->place->arrives && !run->has_arrived ? find_way_to_access(run, block) : CW_NO_BLOCK;
    if (way != CW_NO_BLOCK)
        return way;
    *from = CW_NO_BLOCK;
    return skip_to_join(run, block);
}

struct cw_cluster_run cw_cluster_run_of(const struct cw_cluster_place *place) {
    const struct cw_fn *fn = place->fn;
    struct run run = {.place = place, .fn = fn, .out = {.is_known = true}};
    cw_arena_init(&run.scratch);
    run.value = CW_NEW_ARRAY(&run.scratch, int64_t, fn->ins.n + 1);
    run.is_known = CW_NEW_ARRAY(&run.scratch, bool, fn->ins.n + 1);
    run.skipped = CW_NEW_ARRAY(&run.scratch, bool, fn->cfg->nblocks + 1);
    run.stack = CW_NEW_ARRAY(&run.scratch, uint32_t, fn->cfg->nblocks + 1);
    uint32_t from = CW_NO_BLOCK;
    for (uint32_t block = 0; block != CW_NO_BLOCK && run.steps < MOST_STEPS; block = leave_block(&run, block, &from))
        execute_block(&run, block, from);
    cw_arena_free(&run.scratch);
    return run.out;
}
