/* Values of host code at one place of it, where a launch stands: what constant evaluation and dominating comparisons
 * tell. See host_values.h. */
#include "launch/host_values.h"

#include "cfg/cfg.h"
#include "ir/algebra.h"
#include "launch/host_arrays.h"
#include "launch/host_loops.h"

enum { DEPTH_MAX = 12, RANGE_DEPTH = 4, MAX_WAYS = 8 };

/* ---- values that a dominating comparison fixes ---- */

bool cw_host_add_alternative(struct cw_host_alternatives *out, int64_t constant) {
    for (uint32_t k = 0; k < out->n; k++)
        if (out->constant[k] == constant)
            return true;
    if (out->n == CW_HOST_WAYS)
        return false;
    out->constant[out->n++] = constant;
    return true;
}

static cw_ref without_widening(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    for (int hops = 0; i && hops < DEPTH_MAX; hops++, i = cw_ins_of(fn, ref)) {
        if (i->op != CW_OP_SEXT && i->op != CW_OP_ZEXT && i->op != CW_OP_COPY)
            break;
        ref = cw_arg(fn, i, 0);
    }
    return ref;
}

static void add_equality(const struct cw_host_point *host_point, struct cw_host_equalities *list, cw_ref value,
                         int64_t constant) {
    if (list->n < CW_HOST_EQUALITIES)
        list->at[list->n++] = (struct cw_host_equality){without_widening(host_point->host, value), constant};
}

static void add_comparison(const struct cw_host_point *host_point, cw_ref condition, bool holds,
                           struct cw_host_equalities *equal, struct cw_host_equalities *unequal) {
    const struct cw_ins *c = cw_ins_of(host_point->host, condition);
    int64_t constant;
    if (!c || (c->op != CW_OP_EQ && c->op != CW_OP_NE))
        return;
    struct cw_host_equalities *list = (c->op == CW_OP_EQ) == holds ? equal : unequal;
    for (uint32_t k = 0; k < 2; k++)
        if (cw_ref_const(host_point->host, cw_arg(host_point->host, c, k), &constant))
            add_equality(host_point, list, cw_arg(host_point->host, c, 1 - k), constant);
}

/* `c < value` as `value > c`. */
static enum cw_op mirror_comparison(enum cw_op op) {
    switch (op) {
    case CW_OP_SLT: case CW_OP_ULT: return op == CW_OP_SLT ? CW_OP_SGT : CW_OP_UGT;
    case CW_OP_SLE: case CW_OP_ULE: return op == CW_OP_SLE ? CW_OP_SGE : CW_OP_UGE;
    case CW_OP_SGT: case CW_OP_UGT: return op == CW_OP_SGT ? CW_OP_SLT : CW_OP_ULT;
    case CW_OP_SGE: case CW_OP_UGE: return op == CW_OP_SGE ? CW_OP_SLE : CW_OP_ULE;
    default: return op;
    }
}

/* What `value op c` leaves of a value; of an unsigned comparison only where c is small, and only the upper bound,
 * since the value may be a large one that is read as negative. False for other operations. */
static bool range_of_comparison(enum cw_op op, int64_t c, bool holds, struct cw_host_bound *out) {
    bool is_unsigned = op == CW_OP_ULT || op == CW_OP_ULE || op == CW_OP_UGT || op == CW_OP_UGE;
    if (c == INT64_MIN || c == INT64_MAX || (is_unsigned && c < 0))
        return false;
    switch (op) {
    case CW_OP_SLT: case CW_OP_ULT: holds ? (out->most = c - 1) : (out->least = c); break;
    case CW_OP_SLE: case CW_OP_ULE: holds ? (out->most = c) : (out->least = c + 1); break;
    case CW_OP_SGT: case CW_OP_UGT: holds ? (out->least = c + 1) : (out->most = c); break;
    case CW_OP_SGE: case CW_OP_UGE: holds ? (out->least = c) : (out->most = c - 1); break;
    default: return false;
    }
    if (is_unsigned && out->most < INT64_MAX)
        out->least = 0;
    return true;
}

static void add_bound(struct cw_host_point *host_point, cw_ref condition, bool holds) {
    const struct cw_ins *c = cw_ins_of(host_point->host, condition);
    int64_t constant;
    for (uint32_t k = 0; c && c->narg == 2 && k < 2 && host_point->nbound < CW_HOST_BOUNDS; k++) {
        struct cw_host_bound b = {.least = INT64_MIN, .most = INT64_MAX};
        enum cw_op op = k ? mirror_comparison((enum cw_op)c->op) : (enum cw_op)c->op;
        if (!cw_ref_const(host_point->host, cw_arg(host_point->host, c, 1 - k), &constant) ||
            !range_of_comparison(op, constant, holds, &b))
            continue;
        b.value = without_widening(host_point->host, cw_arg(host_point->host, c, k));
        host_point->bound[host_point->nbound++] = b;
    }
}

/* What one edge of the jump says when it is taken. */
static void add_edge_facts(const struct cw_host_point *host_point, const struct cw_jump *jump, uint32_t which,
                           struct cw_host_equalities *equal, struct cw_host_equalities *unequal) {
    if (jump->kind == CW_JUMP_BRANCH && jump->succ[0] != jump->succ[1])
        add_comparison(host_point, jump->value, which == 0, equal, unequal);
    if (jump->kind != CW_JUMP_SWITCH)
        return;
    if (which + 1 < jump->nsucc)
        add_equality(host_point, equal, jump->value, jump->cases[which]);
    for (uint32_t k = 0; which + 1 == jump->nsucc && k < which; k++)
        add_equality(host_point, unequal, jump->value, jump->cases[k]);
}

/* Keeps the alternatives for a value of the first edge that all other edges speak of, too. */
static void add_alternatives(struct cw_host_point *host_point, const struct cw_host_equalities *edges,
                             uint32_t nedges) {
    for (uint32_t f = 0; f < edges[0].n && host_point->noneof < CW_HOST_ALTERNATIVES; f++) {
        struct cw_host_alternatives a = {.value = edges[0].at[f].value};
        for (uint32_t e = 0; e < nedges && a.n == e; e++)
            for (uint32_t k = 0; k < edges[e].n && a.n == e; k++)
                if (cw_ref_eq(edges[e].at[k].value, a.value))
                    a.constant[a.n++] = edges[e].at[k].constant;
        if (a.n == nedges)
            host_point->oneof[host_point->noneof++] = a;
    }
}

/* A block that dominates the launch: what must hold for one to be there. */
static void add_block_facts(struct cw_host_point *host_point, uint32_t block) {
    const struct cw_vec_u32 *pred = &host_point->host->blocks.at[block].pred;
    struct cw_host_equalities edges[CW_HOST_WAYS] = {0}, ignored = {0};
    uint32_t nedges = 0;
    for (uint32_t p = 0; p < pred->n; p++) {
        const struct cw_jump *j = &host_point->host->blocks.at[pred->at[p]].jump;
        bool seen = host_point->host->cfg->rpo_index[pred->at[p]] == CW_NO_BLOCK;
        for (uint32_t q = 0; q < p; q++)
            seen |= pred->at[q] == pred->at[p];
        for (uint32_t which = 0; !seen && which < j->nsucc; which++) {
            if (j->succ[which] != block)
                continue;
            if (nedges == CW_HOST_WAYS)
                return;
            add_edge_facts(host_point, j, which, &edges[nedges++], pred->n == 1 ? &host_point->unequal : &ignored);
            if (pred->n == 1 && j->kind == CW_JUMP_BRANCH && j->succ[0] != j->succ[1])
                add_bound(host_point, j->value, which == 0);
        }
    }
    for (uint32_t k = 0; nedges == 1 && k < edges[0].n; k++)
        add_equality(host_point, &host_point->equal, edges[0].at[k].value, edges[0].at[k].constant);
    if (nedges > 1)
        add_alternatives(host_point, edges, nedges);
}

void cw_host_point_init(struct cw_host_point *host_point, const struct cw_fn *host, uint32_t block) {
    const struct cw_cfg *cfg = host->cfg;
    *host_point = (struct cw_host_point){.host = host, .block = block};
    for (uint32_t b = host_point->block; cfg->idom[b] != CW_NO_BLOCK; b = cfg->idom[b])
        add_block_facts(host_point, b);
}

/* Of the blocks that dominate one on the path, but for those that dominate the place and are known already. */
static void add_facts_of_path(struct cw_host_point *host_point, uint32_t block) {
    const struct cw_cfg *cfg = host_point->host->cfg;
    for (uint32_t b = block; cfg->idom[b] != CW_NO_BLOCK && !cw_cfg_dominates(cfg, b, host_point->block);
         b = cfg->idom[b])
        add_block_facts(host_point, b);
}

/* What the edge into the join says, where the block before it has other ways to go. */
static void add_facts_of_edge(struct cw_host_point *host_point, uint32_t from, uint32_t to) {
    const struct cw_jump *jump = &host_point->host->blocks.at[from].jump;
    for (uint32_t which = 0; which < jump->nsucc; which++)
        if (jump->succ[which] == to && jump->kind == CW_JUMP_BRANCH && jump->succ[0] != jump->succ[1]) {
            add_comparison(host_point, jump->value, which == 0, &host_point->equal, &host_point->unequal);
            add_bound(host_point, jump->value, which == 0);
        }
}

void cw_host_point_follow(struct cw_host_point *host_point, const struct cw_address_path *path) {
    const struct cw_fn *host = host_point->host;
    for (uint32_t k = 0; path && k < path->n; k++) {
        const struct cw_ins *i = &host->ins.at[path->at[k].ins];
        struct cw_host_choice choice = {.way = path->at[k].way};
        if (i->op == CW_OP_SELECT) {
            choice.kind = CW_HOST_SELECT;
            choice.value = cw_arg(host, i, 0);
            add_comparison(host_point, choice.value, choice.way == 0, &host_point->equal, &host_point->unequal);
            add_bound(host_point, choice.value, choice.way == 0);
        } else {
            uint32_t from = host->blocks.at[i->block].pred.at[choice.way];
            choice.kind = CW_HOST_JOIN;
            choice.block = i->block;
            add_facts_of_edge(host_point, from, i->block);
            add_facts_of_path(host_point, from);
        }
        if (host_point->nchoice < CW_HOST_CHOICES)
            host_point->choice[host_point->nchoice++] = choice;
    }
}

/* ---- evaluation ---- */

static bool want_choice(struct cw_host_point *host_point, struct cw_host_choice host_choice, uint32_t ways) {
    if (!host_point->ways && ways <= CW_HOST_WAYS && host_point->nchoice < CW_HOST_CHOICES) {
        host_point->wanted = host_choice;
        host_point->ways = ways;
    }
    return false;
}

static bool is_chosen(const struct cw_host_point *host_point, const struct cw_host_choice *host_choice, uint32_t *way) {
    for (uint32_t k = 0; k < host_point->nchoice; k++) {
        const struct cw_host_choice *have = &host_point->choice[k];
        if (have->kind != host_choice->kind || have->block != host_choice->block ||
            !cw_ref_eq(have->value, host_choice->value))
            continue;
        *way = have->way;
        return true;
    }
    return false;
}

static bool find_equal(const struct cw_host_equalities *list, cw_ref value, int64_t *constant) {
    for (uint32_t k = 0; k < list->n; k++)
        if (cw_ref_eq(list->at[k].value, value)) {
            *constant = list->at[k].constant;
            return true;
        }
    return false;
}

static bool is_excluded(const struct cw_host_point *host_point, cw_ref value, int64_t constant) {
    for (uint32_t k = 0; k < host_point->unequal.n; k++)
        if (cw_ref_eq(host_point->unequal.at[k].value, value) && host_point->unequal.at[k].constant == constant)
            return true;
    return false;
}

static bool value_of_alternatives(struct cw_host_point *host_point, const struct cw_host_alternatives *alternatives,
                                  int64_t *value) {
    struct cw_host_choice c = {.kind = CW_HOST_VALUE, .value = alternatives->value};
    uint32_t way;
    if (!is_chosen(host_point, &c, &way))
        return want_choice(host_point, c, alternatives->n);
    *value = alternatives->constant[way];
    return !is_excluded(host_point, alternatives->value, *value);
}

static bool value_of(struct cw_host_point *s, cw_ref r, int depth, int64_t *value);

/* What a loop changes has, behind the loop, any of its values: the first is no fact about the launch, and the last one
 * only where the loop can be run. In the loop itself the first is a fact, of one of the launches. */
static bool is_changed_before(const struct cw_host_point *host_point, const struct cw_ins *phi) {
    const struct cw_cfg *cfg = host_point->host->cfg;
    uint32_t loop = cfg->loop_of[phi->block];
    return loop != CW_NO_LOOP && cfg->loops.at[loop].header == phi->block &&
           !cw_cfg_in_loop(cfg, loop, host_point->block);
}

/* A comparison of a value with a constant that the dominating comparisons decide: `dim > 768` below `if (dim < 64)`. It
 * is monotone, so both ends of the range decide it for all of it. */
static bool value_of_bounds(const struct cw_host_point *host_point, const struct cw_ins *ins, int64_t *value) {
    bool is_ordering = ins->op == CW_OP_SLT || ins->op == CW_OP_SLE || ins->op == CW_OP_SGT || ins->op == CW_OP_SGE;
    int64_t constant, low, high;
    if (!is_ordering || !cw_ref_const(host_point->host, cw_arg(host_point->host, ins, 1), &constant))
        return false;
    cw_ref plain = without_widening(host_point->host, cw_arg(host_point->host, ins, 0));
    enum cw_type type = cw_ref_type(host_point->host, cw_arg(host_point->host, ins, 0));
    for (uint32_t k = 0; k < host_point->nbound; k++) {
        const struct cw_host_bound *b = &host_point->bound[k];
        int64_t floor = type == CW_I32 ? INT32_MIN : INT64_MIN, ceiling = type == CW_I32 ? INT32_MAX : INT64_MAX;
        int64_t least[2] = {b->least < floor ? floor : b->least, constant};
        int64_t most[2] = {b->most > ceiling ? ceiling : b->most, constant};
        if (cw_ref_eq(b->value, plain) && cw_fold(ins->op, type, ins->type, least, &low) &&
            cw_fold(ins->op, type, ins->type, most, &high) && low == high) {
            *value = low;
            return true;
        }
    }
    return false;
}

/* A constant, or what is one at this place: `channels` in `case 32:`. */
static bool is_number_here(const struct cw_host_point *host_point, cw_ref ref, int64_t *value) {
    if (cw_ref_const(host_point->host, ref, value) || find_equal(&host_point->equal, ref, value))
        return true;
    for (uint32_t k = 0; k < host_point->nassumed; k++)
        if (cw_ref_eq(host_point->assumed[k].value, ref)) {
            *value = host_point->assumed[k].constant;
            return true;
        }
    return false;
}

/* What the dominating comparisons make of a condition: `impl == 0` below another `if (impl == 0)`. */
static bool is_decided(const struct cw_host_point *host_point, cw_ref condition, int64_t *holds) {
    const struct cw_ins *i = cw_ins_of(host_point->host, condition);
    int64_t args[2];
    if (is_number_here(host_point, condition, holds))
        return true;
    if (!i || i->narg != 2 || !cw_ref_const(host_point->host, cw_arg(host_point->host, i, 1), &args[1]))
        return false;
    cw_ref compared = cw_arg(host_point->host, i, 0), plain = without_widening(host_point->host, compared);
    if (is_number_here(host_point, plain, &args[0]))
        return cw_fold(i->op, cw_ref_type(host_point->host, compared), i->type, args, holds);
    *holds = i->op == CW_OP_NE;
    return ((i->op == CW_OP_EQ || i->op == CW_OP_NE) && is_excluded(host_point, plain, args[1])) ||
           value_of_bounds(host_point, i, holds);
}

/* Do the dominating comparisons exclude the way to `block` that comes from its predecessor `from`? */
static bool is_way_excluded(const struct cw_host_point *host_point, uint32_t from, uint32_t block) {
    const struct cw_block *pred = &host_point->host->blocks.at[from];
    if (pred->jump.kind == CW_JUMP_GOTO && pred->pred.n == 1) {
        block = from;
        pred = &host_point->host->blocks.at[pred->pred.at[0]];
    }
    int64_t holds;
    return pred->jump.kind == CW_JUMP_BRANCH && pred->jump.succ[0] != pred->jump.succ[1] &&
           is_decided(host_point, pred->jump.value, &holds) && pred->jump.succ[holds ? 0 : 1] != block;
}

/* The way into the phi's block that is left when the excluded ones are not counted; UINT32_MAX: none, or several. */
static uint32_t only_way(const struct cw_host_point *host_point, const struct cw_ins *phi) {
    uint32_t way = UINT32_MAX, left = 0;
    for (uint32_t k = 0; k < phi->narg; k++)
        if (!is_way_excluded(host_point, host_point->host->blocks.at[phi->block].pred.at[k], phi->block)) {
            way = k;
            left++;
        }
    return left == 1 && phi->narg > 1 ? way : UINT32_MAX;
}

/* The last value of what a loop changes, or one of those with which it may be left. */
static bool value_behind_loop(struct cw_host_point *host_point, uint32_t phi, int depth, int64_t *value) {
    struct cw_host_alternatives values;
    return cw_host_after_loop(host_point, phi, depth, value) ||
           (cw_host_in_loop(host_point, phi, depth, &values) && value_of_alternatives(host_point, &values, value));
}

static bool value_of_phi(struct cw_host_point *host_point, const struct cw_ins *ins, int depth, int64_t *value) {
    struct cw_host_choice c = {.kind = CW_HOST_JOIN, .block = ins->block};
    uint32_t way = only_way(host_point, ins);
    if (is_changed_before(host_point, ins))
        return value_behind_loop(host_point, (uint32_t)(ins - host_point->host->ins.at), depth, value);
    if (way == UINT32_MAX && !is_chosen(host_point, &c, &way))
        return want_choice(host_point, c, ins->narg);
    return way < ins->narg && value_of(host_point, cw_arg(host_point->host, ins, way), depth - 1, value);
}

static bool value_of_select(struct cw_host_point *host_point, const struct cw_ins *ins, int depth, int64_t *value) {
    struct cw_host_choice c = {.kind = CW_HOST_SELECT, .value = cw_arg(host_point->host, ins, 0)};
    int64_t holds;
    uint32_t way;
    if (value_of(host_point, c.value, depth - 1, &holds))
        way = holds ? 0 : 1;
    else if (!is_chosen(host_point, &c, &way))
        return want_choice(host_point, c, 2);
    return value_of(host_point, cw_arg(host_point->host, ins, 1 + way), depth - 1, value);
}

static bool value_of_ins(struct cw_host_point *host_point, const struct cw_ins *ins, int depth, int64_t *value) {
    int64_t args[2];
    if (value_of_bounds(host_point, ins, value))
        return true;
    if (ins->op == CW_OP_PHI)
        return value_of_phi(host_point, ins, depth, value);
    if (ins->op == CW_OP_SELECT)
        return value_of_select(host_point, ins, depth, value);
    if (!(cw_op_flags(ins->op) & CW_OP_P) || ins->narg == 0 || ins->narg > 2)
        return false;
    for (uint32_t k = 0; k < ins->narg; k++)
        if (!value_of(host_point, cw_arg(host_point->host, ins, k), depth - 1, &args[k]))
            return false;
    if (ins->op == CW_OP_COPY) {
        *value = args[0];
        return true;
    }
    return cw_fold(ins->op, cw_ref_type(host_point->host, cw_arg(host_point->host, ins, 0)), ins->type, args, value);
}

static bool value_of(struct cw_host_point *host_point, cw_ref ref, int depth, int64_t *value) {
    const struct cw_ins *i = cw_ins_of(host_point->host, ref);
    if (cw_ref_const(host_point->host, ref, value))
        return true;
    cw_ref plain = without_widening(host_point->host, ref);
    if (is_number_here(host_point, plain, value))
        return true;
    for (uint32_t k = 0; k < host_point->noneof; k++)
        if (cw_ref_eq(host_point->oneof[k].value, plain))
            return value_of_alternatives(host_point, &host_point->oneof[k], value);
    struct cw_host_alternatives elements;
    if (depth > 0 && cw_host_elements(host_point->host, plain, &elements))
        return value_of_alternatives(host_point, &elements, value);
    return i && depth > 0 && value_of_ins(host_point, i, depth, value);
}

/* `(int64_t)(uint32_t)n` may be a mask of the low half. */
static bool is_cast(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t mask;
    return cw_is_cast((enum cw_op)ins->op) ||
           (ins->op == CW_OP_AND && cw_ref_const(fn, cw_arg(fn, ins, 1), &mask) && mask == UINT32_MAX);
}

cw_ref cw_host_without_casts(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    for (int hops = 0; i && hops < DEPTH_MAX; hops++, i = cw_ins_of(fn, ref)) {
        if (!is_cast(fn, i))
            break;
        ref = cw_arg(fn, i, 0);
    }
    return ref;
}

/* The value of a variable that is stored to once, as a parameter is. */
static cw_ref stored_once(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *load = cw_ins_of(fn, ref);
    cw_ref at = load && load->op == CW_OP_LOAD ? cw_arg(fn, load, 0) : CW_NONE;
    if (at.tag != CW_REF_OBJECT || !fn->only_stored)
        return ref;
    cw_ref value = fn->only_stored[at.index];
    return value.tag != CW_REF_NONE && cw_ref_type(fn, value) == load->type ? value : ref;
}

static cw_ref origin_of(const struct cw_fn *fn, cw_ref ref) {
    return cw_host_without_casts(fn, stored_once(fn, cw_host_without_casts(fn, ref)));
}

/* By what `remainder` is the remainder of `value`, `n % 128`, `n & 127`, or `n % size` where the size is a number here;
 * 1: it is none. */
static int64_t divisor_in(const struct cw_host_point *host_point, cw_ref remainder, cw_ref value) {
    const struct cw_fn *host = host_point->host;
    const struct cw_ins *i = cw_ins_of(host, origin_of(host, remainder));
    int64_t by;
    bool is_one = i && (i->op == CW_OP_SREM || i->op == CW_OP_UREM || i->op == CW_OP_AND);
    if (!is_one || !cw_ref_eq(origin_of(host, cw_arg(host, i, 0)), value) ||
        !is_number_here(host_point, origin_of(host, cw_arg(host, i, 1)), &by))
        return 1;
    bool is_mask = i->op == CW_OP_AND;
    if (by < 1 || by > CW_HOST_DIVISOR_MAX - is_mask)
        return 1;
    by += is_mask;
    return is_mask && (by & (by - 1)) != 0 ? 1 : by;
}

/* What the value is said to be a multiple of, by a comparison that dominates the launch: `assert(n % 128 == 0)`. */
static int64_t divisor_of(const struct cw_host_point *host_point, cw_ref value) {
    int64_t by = 1;
    for (uint32_t k = 0; k < host_point->equal.n && by == 1; k++)
        if (host_point->equal.at[k].constant == 0)
            by = divisor_in(host_point, host_point->equal.at[k].value, value);
    return by;
}

/* The same by a condition that holds, or does not: `n % 128 == 0`, `n % 128`. */
static int64_t divisor_by(const struct cw_host_point *host_point, cw_ref condition, bool holds, cw_ref value) {
    const struct cw_fn *host = host_point->host;
    const struct cw_ins *i = cw_ins_of(host, condition);
    int64_t constant;
    bool is_comparison = i && (i->op == CW_OP_EQ || i->op == CW_OP_NE);
    if (!is_comparison || !cw_ref_const(host, cw_arg(host, i, 1), &constant) || constant != 0 ||
        (i->op == CW_OP_EQ) != holds)
        return 1;
    return divisor_in(host_point, cw_arg(host, i, 0), value);
}

/* The same by the branch that leads from the block, or alone to it, into the phi's. */
static int64_t divisor_on_way(const struct cw_host_point *host_point, uint32_t from, uint32_t to, cw_ref value) {
    const struct cw_fn *host = host_point->host;
    const struct cw_block *block = &host->blocks.at[from];
    if (block->jump.kind != CW_JUMP_BRANCH && block->pred.n == 1) {
        to = from;
        block = &host->blocks.at[block->pred.at[0]];
    }
    if (block->jump.kind != CW_JUMP_BRANCH || block->jump.succ[0] == block->jump.succ[1])
        return 1;
    return divisor_by(host_point, block->jump.value, block->jump.succ[0] == to, value);
}

static int64_t magnitude_of(int64_t value) {
    return value == INT64_MIN ? INT64_MAX / 2 + 1 : value < 0 ? -value : value; /* of 2^63 any lesser power serves */
}

int64_t cw_host_common_divisor(int64_t a, int64_t b) {
    return (int64_t)cw_algebra_common_divisor((uint64_t)magnitude_of(a), (uint64_t)magnitude_of(b));
}

static int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* `n - n % 32`, and `n + (64 - n % 32)`; 1: it is neither. */
static int64_t divisor_of_rounded(const struct cw_host_point *host_point, const struct cw_ins *ins) {
    const struct cw_fn *host = host_point->host;
    if (ins->op == CW_OP_SUB)
        return divisor_in(host_point, cw_arg(host, ins, 1), origin_of(host, cw_arg(host, ins, 0)));
    for (uint32_t k = 0; k < 2 && ins->op == CW_OP_ADD; k++) {
        const struct cw_ins *rest = cw_ins_of(host, origin_of(host, cw_arg(host, ins, k)));
        int64_t whole;
        if (!rest || rest->op != CW_OP_SUB || !cw_ref_const(host, cw_arg(host, rest, 0), &whole))
            continue;
        int64_t by = divisor_in(host_point, cw_arg(host, rest, 1), origin_of(host, cw_arg(host, ins, 1 - k)));
        if (whole % by == 0)
            return by;
    }
    return 1;
}

static int64_t factor_of(const struct cw_host_point *host_point, cw_ref ref, int depth);

/* `n % 32 == 0 ? n : n - n % 32 + 32`: what all ways have in common. */
static int64_t factor_of_join(const struct cw_host_point *host_point, const struct cw_ins *ins, int depth) {
    const struct cw_fn *host = host_point->host;
    bool is_select = ins->op == CW_OP_SELECT;
    int64_t common = 0;
    if (ins->narg > MAX_WAYS)
        return 1;
    for (uint32_t k = is_select; k < ins->narg && common != 1; k++) {
        cw_ref value = origin_of(host, cw_arg(host, ins, k));
        uint32_t from = is_select ? 0 : host->blocks.at[ins->block].pred.at[k];
        int64_t told = is_select ? divisor_by(host_point, cw_arg(host, ins, 0), k == 1, value)
                                 : divisor_on_way(host_point, from, ins->block, value);
        int64_t factor = max_i64(told, factor_of(host_point, value, depth - 1));
        common = common ? cw_host_common_divisor(common, factor) : factor;
    }
    return common ? common : 1;
}

/* A number, at least 1, of which the host computes a multiple: `n * 1024`, `n << 5`, `n & ~31`, `n - n % 32`, sums of
 * such. */
static int64_t factor_of(const struct cw_host_point *host_point, cw_ref ref, int depth) {
    ref = origin_of(host_point->host, ref);
    const struct cw_ins *i = cw_ins_of(host_point->host, ref);
    int64_t value, told = divisor_of(host_point, ref);
    if (is_number_here(host_point, ref, &value))
        return value ? magnitude_of(value) : CW_HOST_DIVISOR_MAX;
    if (i && depth > 0 && (i->op == CW_OP_SELECT || i->op == CW_OP_PHI))
        return max_i64(factor_of_join(host_point, i, depth), told);
    if (!i || depth == 0 || i->narg != 2)
        return told;
    bool is_const = cw_ref_const(host_point->host, cw_arg(host_point->host, i, 1), &value);
    int64_t a = factor_of(host_point, cw_arg(host_point->host, i, 0), depth - 1),
            b = factor_of(host_point, cw_arg(host_point->host, i, 1), depth - 1);
    int64_t made = 1;
    told = max_i64(told, divisor_of_rounded(host_point, i));
    if (i->op == CW_OP_MUL)
        made = a > CW_HOST_DIVISOR_MAX || b > CW_HOST_DIVISOR_MAX ? max_i64(a, b) : a * b;
    else if (i->op == CW_OP_SHL && is_const && value >= 0 && value < 31)
        made = a > CW_HOST_DIVISOR_MAX ? a : a << value;
    else if (i->op == CW_OP_ADD || i->op == CW_OP_SUB)
        made = cw_host_common_divisor(a, b);
    else if (i->op == CW_OP_AND && is_const && value)
        made = value & -value;
    return max_i64(made, told);
}

/* The largest divisor of the factor that samples can be multiples of. */
static int64_t usable_divisor(int64_t factor) {
    while (factor > CW_HOST_DIVISOR_MAX && factor % 2 == 0)
        factor /= 2;
    return factor > CW_HOST_DIVISOR_MAX ? 1 : factor;
}


/* The range that the argument's expression has by itself (`min(n, 8)`, `n & 7`), and that dominating comparisons
 * leave. */
static struct cw_host_bound range_of(const struct cw_host_point *host_point, cw_ref ref, int depth) {
    struct cw_host_bound out = {.least = INT64_MIN, .most = INT64_MAX};
    ref = origin_of(host_point->host, ref);
    const struct cw_ins *i = cw_ins_of(host_point->host, ref);
    int64_t constant;
    if (is_number_here(host_point, ref, &constant))
        return (struct cw_host_bound){.least = constant, .most = constant};
    if (depth > 0 && i && (i->op == CW_OP_SMIN || i->op == CW_OP_SMAX)) {
        struct cw_host_bound a = range_of(host_point, cw_arg(host_point->host, i, 0), depth - 1);
        struct cw_host_bound b = range_of(host_point, cw_arg(host_point->host, i, 1), depth - 1);
        int64_t (*pick)(int64_t, int64_t) = i->op == CW_OP_SMIN ? min_i64 : max_i64;
        out.least = pick(a.least, b.least);
        out.most = pick(a.most, b.most);
    } else if (i && i->op == CW_OP_AND && cw_ref_const(host_point->host, cw_arg(host_point->host, i, 1), &constant) &&
               constant >= 0) {
        out.least = 0;
        out.most = constant;
    }
    for (uint32_t k = 0; k < host_point->nbound; k++) {
        if (!cw_ref_eq(origin_of(host_point->host, host_point->bound[k].value), ref))
            continue;
        out.least = max_i64(out.least, host_point->bound[k].least);
        out.most = min_i64(out.most, host_point->bound[k].most);
    }
    return out;
}

/* ---- for others ---- */

bool cw_host_value(struct cw_host_point *host_point, cw_ref ref, int64_t *value) {
    return value_of(host_point, ref, DEPTH_MAX, value);
}

bool cw_host_value_within(struct cw_host_point *host_point, cw_ref ref, int depth, int64_t *value) {
    return value_of(host_point, ref, depth, value);
}

int64_t cw_host_divisor(const struct cw_host_point *host_point, cw_ref ref) {
    return usable_divisor(factor_of(host_point, ref, RANGE_DEPTH));
}

struct cw_host_bound cw_host_range(const struct cw_host_point *host_point, cw_ref ref) {
    struct cw_host_bound out = range_of(host_point, ref, RANGE_DEPTH);
    bool is_empty = out.least > out.most; /* contradictory checks: the place is never reached */
    return is_empty ? (struct cw_host_bound){.least = INT64_MIN, .most = INT64_MAX} : out;
}

static bool add_unknown(cw_ref ref, cw_ref *out, uint32_t *n, uint32_t max) {
    for (uint32_t k = 0; k < *n; k++)
        if (cw_ref_eq(out[k], ref))
            return true;
    if (*n == max)
        return false;
    out[(*n)++] = ref;
    return true;
}

static bool find_unknowns(struct cw_host_point *host_point, cw_ref ref, int depth, cw_ref *out, uint32_t *n,
                          uint32_t max) {
    int64_t value;
    ref = without_widening(host_point->host, ref);
    const struct cw_ins *i = cw_ins_of(host_point->host, ref);
    if (value_of(host_point, ref, DEPTH_MAX, &value))
        return true;
    bool is_leaf = ref.tag == CW_REF_PARAM || (i && (i->op == CW_OP_LOAD || i->op == CW_OP_OPCALL));
    if (is_leaf)
        return cw_type_is_int(cw_ref_type(host_point->host, ref)) && add_unknown(ref, out, n, max);
    if (i && depth > 0 && i->op == CW_OP_PHI && only_way(host_point, i) != UINT32_MAX)
        return find_unknowns(host_point, cw_arg(host_point->host, i, only_way(host_point, i)), depth - 1, out, n, max);
    if (!i || depth == 0 || i->op == CW_OP_PHI || !(cw_op_flags(i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (!find_unknowns(host_point, cw_arg(host_point->host, i, k), depth - 1, out, n, max))
            return false;
    return i->narg > 0;
}

bool cw_host_unknowns(struct cw_host_point *host_point, cw_ref ref, cw_ref *out, uint32_t *n, uint32_t max) {
    return find_unknowns(host_point, ref, DEPTH_MAX, out, n, max);
}
