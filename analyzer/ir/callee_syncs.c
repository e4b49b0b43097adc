/* See callee_syncs.h. */
#include "ir/callee_syncs.h"

#include <string.h>

/* ---- what a function holds ---- */

struct walk {
    const struct cw_module *m;
    CW_VEC(const struct cw_fn *) todo;
    struct cw_map seen;
    struct cw_arena *a;
    bool is_unknown, syncs;
};

/* The key is interned in the module. */
static const struct cw_fn *function_of_key(const struct cw_module *m, const char *key) {
    uint64_t found;
    return cw_map_get(&m->fn_by_key, (uint64_t)(uintptr_t)key, &found) ? (const struct cw_fn *)(uintptr_t)found : NULL;
}

static const struct cw_fn *callee_of(const struct walk *walk, const struct cw_fn *fn, const struct cw_ins *ins) {
    return function_of_key(walk->m, fn->callees.at[ins->aux]);
}

static void add_function(struct walk *walk, const struct cw_fn *fn) {
    uint64_t seen;
    if (cw_map_get(&walk->seen, (uint64_t)(uintptr_t)fn, &seen))
        return;
    cw_map_put(&walk->seen, (uint64_t)(uintptr_t)fn, 1);
    cw_vec_push(walk->a, &walk->todo, fn);
}

static void look_at(struct walk *walk, const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_CALL) {
        const struct cw_fn *callee = callee_of(walk, fn, ins);
        walk->is_unknown |= callee == NULL;
        if (callee)
            add_function(walk, callee);
    }
    walk->is_unknown |= ins->op == CW_OP_ASM || (ins->op == CW_OP_OPCALL && !(ins->flags & CW_INS_SYNCFREE));
    walk->syncs |= (cw_op_flags((enum cw_op)ins->op) & (CW_OP_B | CW_OP_S)) || (ins->flags & CW_INS_SYNCS);
}

enum cw_callee_syncs cw_callee_syncs_of(const struct cw_module *m, const struct cw_fn *callee, struct cw_map *known,
                                        struct cw_arena *scratch) {
    struct walk w = {.m = m, .a = scratch};
    uint64_t key = (uint64_t)(uintptr_t)callee, found;
    if (cw_map_get(known, key, &found))
        return (enum cw_callee_syncs)found;
    cw_map_init(&w.seen, scratch);
    add_function(&w, callee);
    while (w.todo.n && !w.syncs) {
        const struct cw_fn *fn = w.todo.at[--w.todo.n];
        for (uint32_t k = 0; k < fn->ins.n && !w.syncs; k++)
            look_at(&w, fn, &fn->ins.at[k]);
    }
    enum cw_callee_syncs answer = w.syncs ? CW_CALLEE_SYNCS : w.is_unknown ? CW_CALLEE_UNKNOWN : CW_CALLEE_SYNCFREE;
    cw_map_put(known, key, (uint64_t)answer);
    return answer;
}

uint16_t cw_callee_syncs_flag(enum cw_callee_syncs answer) {
    return answer == CW_CALLEE_SYNCS ? CW_INS_SYNCS : answer == CW_CALLEE_SYNCFREE ? CW_INS_SYNCFREE : 0;
}

/* ---- calls through pointers ---- */

/* The function whose address the value is, NULL when it is none of the module. */
static const struct cw_fn *function_at(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (!ins || ins->op != CW_OP_PURE || ins->narg != 0 || ins->type != CW_PTR)
        return NULL;
    const struct cw_fn *callee = function_of_key(fn->module, fn->texts.at[ins->aux]);
    return callee && callee->kind == CW_FN_DEVICE ? callee : NULL;
}

static bool is_indirect(const struct cw_ins *ins) {
    return ins->op == CW_OP_OPCALL && ins->aux == CW_BAIL_INDIRECT_CALL && ins->narg > 0;
}

/* The first operand is the pointer, the rest are arguments in the order of parameters. */
static bool fits_call(const struct cw_fn *fn, const struct cw_ins *ins, const struct cw_fn *callee) {
    if (callee->params.n + 1 != ins->narg || (callee->result == CW_VOID) != (ins->type == CW_VOID))
        return false;
    for (uint32_t k = 0; k < callee->params.n; k++)
        if ((cw_ref_type(fn, cw_arg(fn, ins, k + 1)) == CW_PTR) != (callee->params.at[k].type == CW_PTR))
            return false;
    return true;
}

static void make_direct(struct cw_fn *fn, struct cw_ins *ins, const struct cw_fn *callee) {
    ins->op = CW_OP_CALL;
    ins->aux = cw_fn_add_callee(fn, callee->key);
    ins->arg++;
    ins->narg--;
}

/* Device functions whose address the module takes, each once, with what is known of them. Found at the first question,
 * when all functions are there. */
struct cw_taken_functions {
    CW_VEC(const struct cw_fn *) list;
    struct cw_map known; /* see cw_callee_syncs_of */
};

static void add_taken(struct cw_taken_functions *taken, struct cw_map *seen, const struct cw_fn *callee) {
    uint64_t key = (uint64_t)(uintptr_t)callee;
    if (!callee || callee->kind != CW_FN_DEVICE || cw_map_get(seen, key, NULL))
        return;
    cw_map_put(seen, key, 1);
    cw_vec_push(callee->module->arena, &taken->list, callee);
}

static void list_taken(struct cw_taken_functions *taken, struct cw_map *seen, const struct cw_fn *in) {
    for (uint32_t k = 0; k < in->ins.n; k++)
        add_taken(taken, seen, function_at(in, &in->ins.at[k]));
}

static struct cw_taken_functions *taken_functions(struct cw_module *m, struct cw_arena *scratch) {
    struct cw_map seen;
    if (m->taken)
        return m->taken;
    m->taken = CW_NEW(m->arena, struct cw_taken_functions);
    cw_map_init(&m->taken->known, m->arena);
    cw_map_init(&seen, scratch);
    for (uint32_t k = 0; k < m->fns.n; k++)
        list_taken(m->taken, &seen, m->fns.at[k]);
    for (uint32_t k = 0; k < m->taken_keys.n; k++)
        add_taken(m->taken, &seen, function_of_key(m, m->taken_keys.at[k]));
    return m->taken;
}

/* The answers for all functions that a call may run, joined; UNKNOWN when there is none. */
struct joined {
    enum cw_callee_syncs answer;
    bool any;
};

static void join(struct joined *joined, enum cw_callee_syncs one) {
    joined->answer = !joined->any || joined->answer == one ? one : CW_CALLEE_UNKNOWN;
    joined->any = true;
}

/* Of all functions of the call's shape whose address is taken. */
static enum cw_callee_syncs answer_of_all(const struct cw_fn *fn, const struct cw_ins *call, struct cw_arena *scratch) {
    struct cw_taken_functions *taken = taken_functions(fn->module, scratch);
    struct joined joined = {CW_CALLEE_UNKNOWN, false};
    for (uint32_t k = 0; k < taken->list.n; k++)
        if (fits_call(fn, call, taken->list.at[k]))
            join(&joined, cw_callee_syncs_of(fn->module, taken->list.at[k], &taken->known, scratch));
    return joined.answer;
}

/* Of all methods that override a virtual one. */
static enum cw_callee_syncs answer_of_targets(const struct cw_fn *fn, const struct cw_call_targets *targets,
                                              struct cw_arena *scratch) {
    struct cw_taken_functions *taken = taken_functions(fn->module, scratch);
    struct joined joined = {CW_CALLEE_UNKNOWN, false};
    for (uint32_t k = 0; k < targets->n; k++) {
        const struct cw_fn *target = function_of_key(fn->module, targets->at[k]);
        join(&joined, target ? cw_callee_syncs_of(fn->module, target, &taken->known, scratch) : CW_CALLEE_UNKNOWN);
    }
    return joined.answer;
}

bool cw_indirect_calls(struct cw_fn *fn, struct cw_arena *scratch) {
    bool any = false;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        struct cw_ins *i = &fn->ins.at[k];
        uint64_t targets;
        if (!is_indirect(i))
            continue;
        if (i->name && cw_map_get(&fn->module->call_targets, (uint64_t)(uintptr_t)i->name, &targets)) {
            i->flags |= cw_callee_syncs_flag(
                answer_of_targets(fn, (const struct cw_call_targets *)(uintptr_t)targets, scratch));
            continue;
        }
        const struct cw_fn *callee = function_at(fn, cw_ins_of(fn, cw_arg(fn, i, 0)));
        if (callee && fits_call(fn, i, callee)) {
            make_direct(fn, i, callee);
            any = true;
        } else {
            i->flags |= cw_callee_syncs_flag(answer_of_all(fn, i, scratch));
        }
    }
    return any;
}
