/* See prechecks.h. */
#include "races/prechecks.h"

enum { CHAIN_MAX = 24 /* values between a load and a branch */ };

struct search {
    const struct cw_fn *fn;
    const struct cw_uses *uses;
    const struct cw_ins *atomic;
    struct cw_arena *arena;
    struct cw_prechecks *found;
};

/* Values that are looked at, each once. */
struct chain {
    uint32_t at[CHAIN_MAX], n;
    bool is_lost; /* there were more */
};

static void add(struct chain *chain, uint32_t ins) {
    for (uint32_t k = 0; k < chain->n; k++)
        if (chain->at[k] == ins)
            return;
    if (chain->n == CHAIN_MAX)
        chain->is_lost = true;
    else
        chain->at[chain->n++] = ins;
}

static bool is_decision(const struct cw_ins *ins) {
    return ins->type == CW_I1 && (cw_op_flags(ins->op) & CW_OP_P) != 0;
}

/* Made of the value alone: another width, or a floating-point number of it. */
static bool is_conversion(const struct cw_ins *ins) {
    return ins->narg == 1 && (cw_op_flags(ins->op) & CW_OP_P) != 0;
}

/* Is all that becomes of the load a condition? */
static bool only_decides(const struct search *search, uint32_t load) {
    struct chain chain = {{load}, 1, false};
    for (uint32_t k = 0; k < chain.n; k++)
        for (uint32_t u = search->uses->first[chain.at[k]]; u < search->uses->first[chain.at[k] + 1]; u++) {
            uint32_t at = search->uses->user[u];
            if (at & CW_USE_JUMP)
                continue;
            const struct cw_ins *user = &search->fn->ins.at[at];
            if (!is_decision(user) && !is_conversion(user) && !(user->op == CW_OP_PHI && user->type == CW_I1))
                return false;
            add(&chain, at);
        }
    return !chain.is_lost;
}

/* Done once more, or once less for an old value, it leaves what is right. A count up to a limit would not. */
static bool may_be_repeated(const struct cw_ins *atomic) {
    switch (atomic->aux & 0xff) {
    case CW_ATOMIC_MIN:
    case CW_ATOMIC_MAX:
    case CW_ATOMIC_AND:
    case CW_ATOMIC_OR:
    case CW_ATOMIC_EXCH:
    case CW_ATOMIC_CAS:
        return true;
    default:
        return false;
    }
}

static bool is_one_place(const struct cw_fn *fn, cw_ref a, cw_ref b) {
    const struct cw_ins *x = cw_ins_of(fn, a), *y = cw_ins_of(fn, b);
    return cw_ref_eq(a, b) || (x && y && x->op == CW_OP_PTRADD && y->op == CW_OP_PTRADD &&
                               cw_ref_eq(cw_arg(fn, x, 0), cw_arg(fn, y, 0)) &&
                               cw_ref_eq(cw_arg(fn, x, 1), cw_arg(fn, y, 1)));
}

/* Looks through the condition of a branch on the way to the atomic. */
static bool visit_branch(void *ctx, struct cw_edge edge) {
    struct search *search = ctx;
    const struct cw_fn *fn = search->fn;
    struct chain chain = {{0}, 0, false};
    cw_ref condition = fn->blocks.at[edge.block].jump.value;
    if (condition.tag == CW_REF_INS)
        add(&chain, condition.index);
    for (uint32_t k = 0; k < chain.n; k++) {
        const struct cw_ins *i = &fn->ins.at[chain.at[k]];
        if (i->op == CW_OP_LOAD && !(i->flags & CW_INS_VOLATILE) &&
            is_one_place(fn, cw_arg(fn, i, 0), cw_arg(fn, search->atomic, 0)) && only_decides(search, chain.at[k]))
            cw_vec_push(search->arena, search->found,
                        ((struct cw_precheck){chain.at[k], (uint32_t)(search->atomic - fn->ins.at)}));
        for (uint32_t a = 0; (is_decision(i) || is_conversion(i)) && a < i->narg; a++)
            if (cw_arg(fn, i, a).tag == CW_REF_INS)
                add(&chain, cw_arg(fn, i, a).index);
    }
    return true;
}

struct cw_prechecks cw_prechecks_of(const struct cw_fn *fn, const struct cw_uses *uses, struct cw_arena *a) {
    struct cw_prechecks found = {0};
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        struct search search = {fn, uses, &fn->ins.at[k], a, &found};
        if (search.atomic->op == CW_OP_ATOMIC && may_be_repeated(search.atomic) &&
            fn->cfg->rpo_index[search.atomic->block] != CW_NO_BLOCK)
            cw_cfg_controls(fn, search.atomic->block, visit_branch, &search);
    }
    return found;
}

bool cw_prechecks_have(const struct cw_prechecks *prechecks, uint32_t load, uint32_t atomic) {
    for (uint32_t k = 0; k < prechecks->n; k++)
        if (prechecks->at[k].load == load && prechecks->at[k].atomic == atomic)
            return true;
    return false;
}
