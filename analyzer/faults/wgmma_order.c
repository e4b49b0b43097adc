/* See wgmma_order.h. */
#include "faults/wgmma_order.h"

#include "cfg/facts_print.h"
#include "uniformity/alias.h"
#include "uniformity/reachable_ops.h"
#include "uniformity/uses.h"

enum {
    RANGES_MAX = 512,  /* parts of local arrays that hold registers of one product */
    PENDING = 0,       /* states of a product: not in a group yet; 1 + k: in one, with k groups after it */
    GROUPS_MAX = 9,    /* more are told apart no longer */
    OVER = 15          /* complete; or a fence has come */
};

/* The least state over all paths that come here, and the greatest over those on which loops run at least once;
 * least > greatest: none does. */
struct state {
    uint8_t least, greatest;
};
static const struct state unreached = {UINT8_MAX, 0};

/* Bytes of a local array. */
struct range {
    cw_ref object;
    int64_t from, to;
};

struct access {
    uint32_t ins; /* a load or a store */
    struct range range;
};

struct search {
    const struct cw_fn *fn;
    struct cw_arena *a;
    const struct cw_uses *uses;
    CW_VEC(struct access) accesses; /* of local arrays, in reverse post-order of the blocks */
    struct cw_wgmma_faults out;
    struct state *entry;  /* per block, of the flow at hand */
    struct state *around; /* per loop: at its header, from its latches */
    uint32_t start;      /* instruction that the flow begins behind; UINT32_MAX: at the kernel's beginning */
    bool of_fences;      /* what ends the flow: fences, else waits */
    /* of the product at hand */
    uint32_t product;
    CW_VEC(struct range) ranges;
    struct cw_bitset seen; /* instructions whose value is one of its registers */
    struct cw_vec_u32 work;
};

static const struct cw_ins *ins_at(const struct search *search, uint32_t ins) {
    return &search->fn->ins.at[ins];
}

/* ---- the flow ---- */

static struct state join_states(struct state one, struct state other) {
    return (struct state){one.least < other.least ? one.least : other.least,
                          one.greatest > other.greatest ? one.greatest : other.greatest};
}

static bool is_state(struct state state) {
    return state.least <= state.greatest;
}

static uint8_t commit_group(uint8_t state) {
    return state == OVER ? OVER : state < GROUPS_MAX ? state + 1 : GROUPS_MAX;
}

static uint8_t wait_for_groups(uint8_t state, int64_t left) {
    return state != PENDING && (state == OVER || state - 1 >= left) ? OVER : state;
}

static bool is_of_matrices(const struct cw_ins *ins, enum cw_op op) {
    return ins->op == op && ins->aux == (op == CW_OP_ASYNCCOMMIT ? (uint32_t)CW_COPY_MATRIX : (uint32_t)CW_WAIT_MATRIX);
}

static struct state pass_ins(const struct search *search, struct state state, uint32_t ins) {
    const struct cw_ins *i = ins_at(search, ins);
    int64_t left;
    if (ins == search->start)
        return (struct state){PENDING, PENDING};
    if (!is_state(state))
        return state;
    if (search->of_fences && ins == search->product) /* its first execution is what is asked about */
        return unreached;
    if (cw_memory_is_call(i)) /* may wait, or fence */
        return (struct state){OVER, OVER};
    if (search->of_fences)
        return i->op == CW_OP_WGMMAFENCE ? (struct state){OVER, OVER} : state;
    if (is_of_matrices(i, CW_OP_ASYNCCOMMIT))
        return (struct state){commit_group(state.least), commit_group(state.greatest)};
    if (!is_of_matrices(i, CW_OP_ASYNCWAIT))
        return state;
    if (!cw_ref_const(search->fn, cw_arg(search->fn, i, 0), &left))
        left = 0;
    return (struct state){wait_for_groups(state.least, left), wait_for_groups(state.greatest, left)};
}

/* The state behind the block's instructions before `ins`, all of them for UINT32_MAX. */
static struct state pass_block(const struct search *search, uint32_t block, uint32_t ins, struct state state) {
    const struct cw_vec_u32 *list = &search->fn->blocks.at[block].ins;
    for (uint32_t k = 0; k < list->n && list->at[k] != ins; k++)
        state = pass_ins(search, state, list->at[k]);
    return state;
}

static struct state state_before(const struct search *search, uint32_t ins) {
    uint32_t block = ins_at(search, ins)->block;
    return pass_block(search, block, ins, search->entry[block]);
}

static bool flow_into(struct state *into, struct state state) {
    struct state old = *into;
    *into = is_state(state) ? join_states(old, state) : old;
    return into->least != old.least || into->greatest != old.greatest;
}

/* What a block hands on over an edge. Who leaves a loop at its header has been around it, as far as the greatest state
 * is asked for. */
static struct state state_at_edge(const struct search *search, uint32_t block, uint32_t to) {
    const struct cw_cfg *cfg = search->fn->cfg;
    uint32_t loop = cfg->loop_of[block];
    struct state state = pass_block(search, block, UINT32_MAX, search->entry[block]);
    if (loop == CW_NO_LOOP || cfg->loops.at[loop].header != block || cw_cfg_in_loop(cfg, loop, to) || !is_state(state))
        return state;
    struct state around = pass_block(search, block, UINT32_MAX, search->around[loop]);
    return (struct state){state.least, is_state(around) ? around.greatest : state.least};
}

static bool flow_over(struct search *search, uint32_t from, uint32_t to) {
    const struct cw_cfg *cfg = search->fn->cfg;
    uint32_t loop = cfg->loop_of[to];
    struct state state = state_at_edge(search, from, to);
    bool changes = flow_into(&search->entry[to], state);
    if (loop != CW_NO_LOOP && cfg->loops.at[loop].header == to && cw_cfg_in_loop(cfg, loop, from))
        changes |= flow_into(&search->around[loop], state);
    return changes;
}

/* Forward, from behind `start`, until nothing changes. */
static void run_flow(struct search *search, uint32_t start, bool of_fences) {
    const struct cw_cfg *cfg = search->fn->cfg;
    search->start = start;
    search->of_fences = of_fences;
    for (uint32_t b = 0; b < cfg->nblocks; b++)
        search->entry[b] = unreached;
    for (uint32_t l = 0; l < cfg->loops.n; l++)
        search->around[l] = unreached;
    if (start == UINT32_MAX)
        search->entry[0] = (struct state){PENDING, PENDING};
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t k = 0; k < cfg->nrpo; k++) {
            const struct cw_jump *jump = &search->fn->blocks.at[cfg->rpo[k]].jump;
            for (uint32_t s = 0; s < jump->nsucc; s++)
                changes |= flow_over(search, cfg->rpo[k], jump->succ[s]);
        }
    }
}

/* ---- registers ---- */

static bool find_range(const struct search *search, const struct cw_ins *ins, struct range *out) {
    if (ins->op != CW_OP_LOAD && ins->op != CW_OP_STORE)
        return false;
    uint32_t bytes = ins->aux ? ins->aux : 1;
    struct cw_bases bases = cw_memory_bases(search->fn, cw_arg(search->fn, ins, ins->op == CW_OP_STORE));
    if (bases.n != 1 || bases.at[0].root.tag != CW_REF_OBJECT || bases.at[0].is_read ||
        search->fn->objects.at[bases.at[0].root.index].space != CW_SPACE_LOCAL)
        return false;
    *out = (struct range){bases.at[0].root, bases.at[0].offset, bases.at[0].offset + bytes};
    if (!bases.at[0].exact)
        *out = (struct range){out->object, INT64_MIN, INT64_MAX};
    return true;
}

/* Does an access of this range touch registers of the product? One at an index that is no constant does when the
 * product has all of the array. */
static bool touches_registers(const struct search *search, const struct range *range) {
    uint64_t held = 0, size = search->fn->objects.at[range->object.index].size;
    for (uint32_t k = 0; k < search->ranges.n; k++) {
        const struct range *r = &search->ranges.at[k];
        if (!cw_ref_eq(r->object, range->object))
            continue;
        if (range->from != INT64_MIN && r->from < range->to && range->from < r->to)
            return true;
        held += (uint64_t)(r->to - r->from);
    }
    return range->from == INT64_MIN && size != 0 && held >= size;
}

static void add_value(struct search *search, uint32_t ins) {
    if (!cw_bitset_has(&search->seen, ins)) {
        cw_bitset_add(&search->seen, ins);
        cw_vec_push(search->a, &search->work, ins);
    }
}

/* The values that a product writes, and where in local arrays they are kept. */
static void collect_registers(struct search *search) {
    const struct cw_uses *uses = search->uses;
    search->ranges.n = search->work.n = 0;
    search->seen = cw_bitset_new(search->a, search->fn->ins.n);
    for (uint32_t u = uses->first[search->product]; u < uses->first[search->product + 1]; u++)
        if (!(uses->user[u] & CW_USE_JUMP))
            add_value(search, uses->user[u]);
    for (uint32_t k = 0; k < search->work.n; k++)
        for (uint32_t u = uses->first[search->work.at[k]]; u < uses->first[search->work.at[k] + 1]; u++) {
            struct range range;
            const struct cw_ins *user = uses->user[u] & CW_USE_JUMP ? NULL : ins_at(search, uses->user[u]);
            if (user && user->op == CW_OP_STORE && search->ranges.n < RANGES_MAX &&
                find_range(search, user, &range) && range.from != INT64_MIN)
                cw_vec_push(search->a, &search->ranges, range);
        }
}

/* A register that is handed on as it is: compilers leave it where it is. */
static bool is_copy(const struct search *search, const struct cw_ins *ins) {
    struct range range;
    if (ins->op == CW_OP_STORE)
        return find_range(search, ins, &range);
    return ins->op == CW_OP_PHI || ins->op == CW_OP_COPY || ins->op == CW_OP_WGMMA;
}

static bool is_made_by_product(const struct search *search, cw_ref value) {
    const struct cw_ins *i = cw_ins_of(search->fn, value);
    if (!i || i->op != CW_OP_PURE || i->narg == 0)
        return false;
    const struct cw_ins *token = cw_ins_of(search->fn, cw_arg(search->fn, i, 0));
    return token && token->op == CW_OP_WGMMA;
}

/* ---- faults ---- */

static bool is_known(const struct search *search, enum cw_wgmma_fault_kind kind, uint32_t access) {
    for (uint32_t k = 0; k < search->out.at.n; k++) {
        const struct cw_wgmma_fault *f = &search->out.at.at[k];
        if (f->kind == kind && (f->product == search->product || f->access == access))
            return true;
    }
    return false;
}

static void add_fault(struct search *search, struct cw_wgmma_fault fault) {
    fault.product = search->product;
    if (!is_known(search, fault.kind, fault.access))
        cw_vec_push(search->a, &search->out.at, fault);
}

/* A wait between that leaves the product pending. */
static uint32_t find_wait(const struct search *search, uint32_t access) {
    const struct cw_fn *fn = search->fn;
    uint32_t found = UINT32_MAX;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t p = 0; p < list->n; p++)
            if (is_of_matrices(ins_at(search, list->at[p]), CW_OP_ASYNCWAIT) &&
                is_state(state_before(search, list->at[p])) &&
                cw_cfg_ins_dominates(fn, list->at[p], access))
                found = list->at[p];
    }
    return found;
}

/* Is the first executed before the second in every run, or at least in those in which the loops around it run once? */
static bool comes_first(const struct search *search, uint32_t first, uint32_t second) {
    const struct cw_cfg *cfg = search->fn->cfg;
    uint32_t block = ins_at(search, first)->block, at = ins_at(search, second)->block;
    if (cw_cfg_ins_dominates(search->fn, first, second))
        return true;
    for (uint32_t l = cfg->loop_of[block]; l != CW_NO_LOOP; l = cfg->loops.at[l].parent) {
        const struct cw_loop *loop = &cfg->loops.at[l];
        for (uint32_t k = 0; k < loop->latches.n; k++)
            if (!cw_cfg_dominates(cfg, block, loop->latches.at[k]))
                return false;
        if (!cw_cfg_in_loop(cfg, l, at) && cw_cfg_dominates(cfg, loop->header, at))
            return true;
        block = loop->header;
    }
    return false;
}

/* `from`: where the register is taken from its array, which must be as early. */
static void check_access(struct search *search, uint32_t access, uint32_t from, bool writes) {
    struct state state = state_before(search, access), taken = state_before(search, from);
    if (!is_state(state) || !is_state(taken) || state.least == OVER || taken.least == OVER)
        return;
    bool always = state.greatest < OVER && taken.greatest < OVER && comes_first(search, search->product, from);
    add_fault(search, (struct cw_wgmma_fault){.kind = CW_WGMMA_INCOMPLETE, .access = access, .writes = writes,
                                              .is_committed = state.least != PENDING,
                                              .wait = find_wait(search, access), .definite = always});
}

/* Every use of a value that is a register, through PHIs and copies. */
static void check_uses(struct search *search, uint32_t value, uint32_t from) {
    const struct cw_uses *uses = search->uses;
    search->seen = cw_bitset_new(search->a, search->fn->ins.n);
    search->work.n = 0;
    add_value(search, value);
    for (uint32_t k = 0; k < search->work.n; k++)
        for (uint32_t u = uses->first[search->work.at[k]]; u < uses->first[search->work.at[k] + 1]; u++) {
            uint32_t user = uses->user[u];
            if (user & CW_USE_JUMP)
                continue;
            if (!is_copy(search, ins_at(search, user)))
                check_access(search, user, from == UINT32_MAX ? user : from, false);
            else if (ins_at(search, user)->op == CW_OP_PHI || ins_at(search, user)->op == CW_OP_COPY)
                add_value(search, user);
        }
}

static void check_array_access(struct search *search, const struct access *access) {
    const struct cw_ins *i = ins_at(search, access->ins);
    if (!touches_registers(search, &access->range))
        return;
    if (i->op == CW_OP_LOAD)
        check_uses(search, access->ins, access->ins);
    else if (!is_made_by_product(search, cw_arg(search->fn, i, 0)))
        check_access(search, access->ins, access->ins, true);
}

/* In program order, so that the first access is the one that is told. */
static void check_completion(struct search *search) {
    run_flow(search, search->product, false);
    for (uint32_t k = 0; search->ranges.n && k < search->accesses.n; k++)
        check_array_access(search, &search->accesses.at[k]);
    for (uint32_t u = search->uses->first[search->product]; u < search->uses->first[search->product + 1]; u++)
        if (!(search->uses->user[u] & CW_USE_JUMP))
            check_uses(search, search->uses->user[u], UINT32_MAX);
}

/* ---- fences ---- */

static void check_first_fence(struct search *search) {
    run_flow(search, UINT32_MAX, true);
    struct state state = state_before(search, search->product);
    if (is_state(state) && state.least != OVER)
        add_fault(search, (struct cw_wgmma_fault){.kind = CW_WGMMA_UNFENCED, .access = search->product,
                                                  .wait = UINT32_MAX, .definite = state.greatest != OVER});
}

/* A register that something else than a product has computed; what is constant may be set earlier by the compiler. */
static void check_writer(struct search *search, uint32_t writer) {
    run_flow(search, writer, true);
    struct state state = state_before(search, search->product);
    if (is_state(state) && state.least != OVER)
        add_fault(search, (struct cw_wgmma_fault){.kind = CW_WGMMA_WRITTEN, .access = writer, .wait = UINT32_MAX,
                                                  .definite = state.greatest != OVER &&
                                                              comes_first(search, writer, search->product)});
}

/* Where an element of a local array that the product reads was computed. */
static void check_element(struct search *search, const struct range *range) {
    for (uint32_t k = 0; k < search->accesses.n; k++) {
        const struct access *other = &search->accesses.at[k];
        const struct cw_ins *store = ins_at(search, other->ins);
        if (store->op == CW_OP_STORE && cw_ref_eq(other->range.object, range->object) &&
            other->range.from < range->to && range->from < other->range.to &&
            cw_arg(search->fn, store, 0).tag == CW_REF_INS &&
            !is_made_by_product(search, cw_arg(search->fn, store, 0)))
            check_writer(search, other->ins);
    }
}

static void check_operand(struct search *search, cw_ref value) {
    const struct cw_ins *i = cw_ins_of(search->fn, value);
    struct range range;
    if (!i || i->op == CW_OP_PHI || is_made_by_product(search, value))
        return;
    if (find_range(search, i, &range))
        check_element(search, &range);
    else
        check_writer(search, value.index);
}

static void check_fences(struct search *search) {
    const struct cw_ins *product = ins_at(search, search->product);
    uint32_t before = search->out.at.n;
    check_first_fence(search);
    for (uint32_t k = 2; k < product->narg && search->out.at.n == before; k++)
        check_operand(search, cw_arg(search->fn, product, k));
}

static void collect_accesses(struct search *search) {
    const struct cw_cfg *cfg = search->fn->cfg;
    struct access access;
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &search->fn->blocks.at[cfg->rpo[k]].ins;
        for (uint32_t p = 0; p < list->n; p++) {
            access.ins = list->at[p];
            if (find_range(search, ins_at(search, access.ins), &access.range))
                cw_vec_push(search->a, &search->accesses, access);
        }
    }
}

struct cw_wgmma_faults cw_wgmma_faults_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct search s = {.fn = fn, .a = a};
    struct cw_vec_u32 products = cw_reachable_ops(fn, CW_OP_WGMMA, a);
    if (products.n == 0)
        return s.out;
    collect_accesses(&s);
    s.uses = cw_uses_of(fn, a);
    s.entry = CW_NEW_ARRAY(a, struct state, fn->cfg->nblocks);
    s.around = CW_NEW_ARRAY(a, struct state, fn->cfg->loops.n + 1);
    for (uint32_t k = products.n; k-- > 0;) { /* the last product that holds a register has it */
        s.product = products.at[k];
        collect_registers(&s);
        check_completion(&s);
        check_fences(&s);
    }
    return s.out;
}

/* ---- text form ---- */

void cw_wgmma_faults_print(const struct cw_facts_print *to, const struct cw_wgmma_faults *faults) {
    static const char *const kinds[] = {[CW_WGMMA_UNFENCED] = "product without fence",
                                        [CW_WGMMA_WRITTEN] = "register written before a product without fence",
                                        [CW_WGMMA_INCOMPLETE] = "register of an incomplete product"};
    for (uint32_t k = 0; k < faults->at.n; k++) {
        const struct cw_wgmma_fault *fault = &faults->at.at[k];
        bool is_incomplete = fault->kind == CW_WGMMA_INCOMPLETE;
        cw_facts_begin(to, fault->definite, kinds[fault->kind]);
        cw_facts_ins(to, "", fault->product);
        cw_facts_ins(to, is_incomplete && !fault->writes ? "read by" : "written by",
                     fault->kind == CW_WGMMA_UNFENCED ? UINT32_MAX : fault->access);
        cw_facts_flag(to, is_incomplete, fault->is_committed ? "committed" : "not committed");
        cw_facts_ins(to, "pending at", is_incomplete ? fault->wait : UINT32_MAX);
        cw_facts_end(to);
    }
}
