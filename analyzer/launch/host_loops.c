/* See host_loops.h. */
#include "launch/host_loops.h"

#include "cfg/cfg.h"

enum { VALUES_MAX = 48, STEPS_MAX = 512, NESTING = 8 };

struct loop_value {
    uint32_t ins;
    int64_t value;
};

struct run {
    struct cw_host_point *place;
    const struct cw_loop *loop;
    int depth;
    struct loop_value at[VALUES_MAX]; /* of phis in the loop, as of when they were last reached */
    uint32_t n;
};

static bool is_in_loop(const struct run *run, const struct cw_ins *ins) {
    return cw_bitset_has(&run->loop->blocks, ins->block);
}

static bool find_value(const struct run *run, uint32_t ins, int64_t *value) {
    for (uint32_t k = 0; k < run->n; k++)
        if (run->at[k].ins == ins) {
            *value = run->at[k].value;
            return true;
        }
    return false;
}

/* The value at this point of the run. */
static bool value_now(struct run *run, cw_ref ref, int nesting, int64_t *value) {
    const struct cw_fn *host = run->place->host;
    const struct cw_ins *i = cw_ins_of(host, ref);
    int64_t args[2];
    if (!i || !is_in_loop(run, i))
        return cw_host_value_within(run->place, ref, run->depth - 1, value);
    if (i->op == CW_OP_PHI)
        return find_value(run, ref.index, value);
    if (nesting == 0 || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P) || i->narg == 0 || i->narg > 3)
        return false;
    if (i->op == CW_OP_SELECT)
        return value_now(run, cw_arg(host, i, 0), nesting - 1, value) &&
               value_now(run, cw_arg(host, i, *value ? 1 : 2), nesting - 1, value);
    for (uint32_t k = 0; k < i->narg; k++)
        if (k == 2 || !value_now(run, cw_arg(host, i, k), nesting - 1, &args[k]))
            return false;
    if (i->op == CW_OP_COPY) {
        *value = args[0];
        return true;
    }
    return cw_fold((enum cw_op)i->op, cw_ref_type(host, cw_arg(host, i, 0)), (enum cw_type)i->type, args, value);
}

/* All phis of a block change at once. One whose value is not known is forgotten. */
static bool enter_block(struct run *run, uint32_t from, uint32_t to) {
    const struct cw_fn *host = run->place->host;
    const struct cw_block *block = &host->blocks.at[to];
    struct loop_value next[VALUES_MAX];
    uint32_t way = 0, n = 0;
    while (way < block->pred.n && block->pred.at[way] != from)
        way++;
    for (uint32_t k = 0; k < block->ins.n && host->ins.at[block->ins.at[k]].op == CW_OP_PHI; k++) {
        const struct cw_ins *phi = &host->ins.at[block->ins.at[k]];
        int64_t value;
        if (way < phi->narg && n < VALUES_MAX && value_now(run, cw_arg(host, phi, way), NESTING, &value))
            next[n++] = (struct loop_value){block->ins.at[k], value};
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < run->n; k++)
        if (host->ins.at[run->at[k].ins].block != to)
            run->at[kept++] = run->at[k];
    run->n = kept;
    for (uint32_t k = 0; k < n && run->n < VALUES_MAX; k++)
        run->at[run->n++] = next[k];
    return way < block->pred.n;
}

/* Where the block's jump leads; false: not known. */
static bool next_block(struct run *run, uint32_t block, uint32_t *next) {
    const struct cw_jump *jump = &run->place->host->blocks.at[block].jump;
    int64_t holds;
    if (jump->kind == CW_JUMP_GOTO) {
        *next = jump->succ[0];
        return true;
    }
    if (jump->kind != CW_JUMP_BRANCH || !value_now(run, jump->value, NESTING, &holds))
        return false;
    *next = jump->succ[holds ? 0 : 1];
    return true;
}

/* The only block outside of the loop from which it is entered. */
static uint32_t entry_of(const struct cw_host_point *place, const struct cw_loop *loop) {
    const struct cw_vec_u32 *pred = &place->host->blocks.at[loop->header].pred;
    uint32_t entry = CW_NO_BLOCK;
    for (uint32_t k = 0; k < pred->n; k++)
        if (!cw_bitset_has(&loop->blocks, pred->at[k])) {
            if (entry != CW_NO_BLOCK)
                return CW_NO_BLOCK;
            entry = pred->at[k];
        }
    return entry;
}

/* Where the branch leads that nobody can decide, and that leaves the loop or stays in it: on in the loop. A size that
 * is doubled until it is large enough is no choice of that kind: small ones are for sizes that are seldom used. */
static bool stay_in_loop(const struct run *run, uint32_t block, uint32_t *next) {
    const struct cw_jump *jump = &run->place->host->blocks.at[block].jump;
    const struct cw_ins *compare = cw_ins_of(run->place->host, jump->value);
    if (jump->kind != CW_JUMP_BRANCH || (compare && compare->op >= CW_OP_SLT && compare->op <= CW_OP_UGE))
        return false;
    bool first = cw_bitset_has(&run->loop->blocks, jump->succ[0]);
    *next = jump->succ[first ? 0 : 1];
    return first != cw_bitset_has(&run->loop->blocks, jump->succ[1]);
}

static struct run run_of(struct cw_host_point *place, uint32_t phi, int depth) {
    const struct cw_cfg *cfg = place->host->cfg;
    return (struct run){
        .place = place, .loop = &cfg->loops.at[cfg->loop_of[place->host->ins.at[phi].block]], .depth = depth};
}

/* Runs the loop to its end. `early`: what the phi is where a branch that nobody can decide may leave the loop; NULL:
 * there must be none. */
static bool run_to_end(struct run *run, uint32_t phi, struct cw_host_alternatives *early) {
    uint32_t from = entry_of(run->place, run->loop), at = run->loop->header;
    if (run->depth <= 0 || from == CW_NO_BLOCK)
        return false;
    for (uint32_t step = 0; step < STEPS_MAX; step++) {
        uint32_t next;
        int64_t value;
        if (!enter_block(run, from, at))
            return false;
        if (!next_block(run, at, &next) && (!early || !stay_in_loop(run, at, &next) ||
                                            !find_value(run, phi, &value) || !cw_host_add_alternative(early, value)))
            return false;
        if (!cw_bitset_has(&run->loop->blocks, next))
            return true;
        from = at;
        at = next;
    }
    return false;
}

bool cw_host_after_loop(struct cw_host_point *place, uint32_t phi, int depth, int64_t *value) {
    struct run run = run_of(place, phi, depth);
    return run_to_end(&run, phi, NULL) && find_value(&run, phi, value);
}

/* Do all exits lead to one block? Then a value behind the loop may be that of its end. */
static bool has_one_target(const struct cw_fn *host, const struct cw_loop *loop) {
    for (uint32_t x = 1; x < loop->exits.n; x++)
        if (cw_cfg_edge_target(host, loop->exits.at[x]) != cw_cfg_edge_target(host, loop->exits.at[0]))
            return false;
    return true;
}

bool cw_host_in_loop(struct cw_host_point *place, uint32_t phi, int depth, struct cw_host_alternatives *out) {
    struct run run = run_of(place, phi, depth);
    int64_t value;
    *out = (struct cw_host_alternatives){.value = cw_ref_ins(phi)};
    if (!run_to_end(&run, phi, out))
        return false;
    bool is_end = has_one_target(place->host, run.loop);
    return is_end ? find_value(&run, phi, &value) && cw_host_add_alternative(out, value) : out->n > 0;
}
