/* Calls of a function by itself, in tail position, as jumps.
 *
 * requires: a lowered function without PHIs, before anything is inlined into it. computes: the loop that the
 * recursion is: parameters become local objects, the call stores its arguments there and jumps to the entry (as LLVM's
 * TailRecursionElimination does). preserves: effects, in order. A call is left alone where an argument may lead to a
 * local variable, since each activation has its own.
 *
 * Cost: linear in the function, once for each pointer that such a call passes. */
#include "ir/edit.h"

struct tails {
    struct cw_fn *fn;
    struct cw_arena scratch;
    struct cw_vec_u32 calls; /* instructions */
    cw_ref *objects;         /* parameter -> the local object that holds it now */
    uint32_t start;          /* the block in which each activation begins */
};

/* ---- which calls ---- */

/* What a pointer is made of, through additions and copies. */
static cw_ref root_of(const struct cw_fn *fn, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    while (i && (i->op == CW_OP_PTRADD || i->op == CW_OP_COPY)) {
        pointer = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, pointer);
    }
    return pointer;
}

static bool is_local(const struct cw_fn *fn, cw_ref pointer) {
    cw_ref root = root_of(fn, pointer);
    return root.tag == CW_REF_OBJECT && fn->objects.at[root.index].space == CW_SPACE_LOCAL;
}

/* May memory at `from` hold the address of a local variable? Only where one is stored to the same variable, or through
 * a pointer, or is among the values of a PHI or SELECT. */
static bool may_hold_local_address(const struct cw_fn *fn, cw_ref from) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        bool is_store = i->op == CW_OP_STORE;
        if (i->op == CW_OP_MEMCOPY && cw_ref_eq(root_of(fn, cw_arg(fn, i, 0)), root_of(fn, from)))
            return true;
        if (!is_store && i->op != CW_OP_PHI && i->op != CW_OP_SELECT)
            continue;
        bool is_elsewhere = is_store && is_local(fn, from) && is_local(fn, cw_arg(fn, i, 1)) &&
                            !cw_ref_eq(root_of(fn, from), root_of(fn, cw_arg(fn, i, 1)));
        for (uint32_t a = 0; !is_elsewhere && a < (is_store ? 1 : i->narg); a++)
            if (cw_ref_type(fn, cw_arg(fn, i, a)) == CW_PTR && is_local(fn, cw_arg(fn, i, a)))
                return true;
    }
    return false;
}

static bool may_pass(const struct cw_fn *fn, cw_ref arg) {
    const struct cw_ins *i = cw_ins_of(fn, root_of(fn, arg));
    switch (cw_ref_type(fn, arg)) {
    case CW_PTR: return i ? i->op == CW_OP_LOAD && !may_hold_local_address(fn, cw_arg(fn, i, 0)) : !is_local(fn, arg);
    case CW_AGG: case CW_GROUP: return false;
    default: return true;
    }
}

static bool calls_itself(const struct cw_fn *fn, const struct cw_ins *call) {
    if (call->op != CW_OP_CALL || fn->callees.at[call->aux] != fn->key || call->narg != fn->params.n)
        return false;
    for (uint32_t a = 0; a < call->narg; a++)
        if (!may_pass(fn, cw_arg(fn, call, a)) || cw_ref_type(fn, cw_arg(fn, call, a)) != fn->params.at[a].type)
            return false;
    return true;
}

/* What a call returned, on its way to the caller's return: a value, or a local variable that holds it. */
struct returned {
    cw_ref value, variable;
};

/* Is the instruction nothing but a step on that way? */
static bool carries_result(const struct cw_fn *fn, uint32_t index, struct returned *result) {
    const struct cw_ins *i = &fn->ins.at[index];
    if (i->op == CW_OP_STORE && cw_ref_eq(cw_arg(fn, i, 0), result->value)) {
        result->variable = cw_arg(fn, i, 1);
        return result->variable.tag == CW_REF_OBJECT && is_local(fn, result->variable);
    }
    if (i->op == CW_OP_LOAD && cw_ref_eq(cw_arg(fn, i, 0), result->variable) &&
        (enum cw_type)i->type == cw_ref_type(fn, result->value)) {
        result->value = cw_ref_ins(index);
        return true;
    }
    return i->op == CW_OP_COPY && cw_ref_eq(cw_arg(fn, i, 0), result->value) &&
           (result->value = cw_ref_ins(index), true);
}

/* Does nothing but the return of the call's result follow instruction `from` of the block's list? */
static bool only_returns(const struct cw_fn *fn, uint32_t block, uint32_t from, cw_ref value) {
    struct returned result = {value, CW_NONE};
    for (uint32_t steps = 0; steps < fn->blocks.n; steps++, from = 0) {
        const struct cw_block *b = &fn->blocks.at[block];
        for (uint32_t k = from; k < b->ins.n; k++)
            if (!carries_result(fn, b->ins.at[k], &result))
                return false;
        cw_ref back = b->jump.value;
        if (b->jump.kind == CW_JUMP_RETURN)
            return back.tag == CW_REF_NONE || back.tag == CW_REF_UNDEF || cw_ref_eq(back, result.value);
        if (b->jump.kind != CW_JUMP_GOTO)
            return false;
        block = b->jump.succ[0];
    }
    return false;
}

static void find_tail_calls(struct tails *tails) {
    const struct cw_fn *fn = tails->fn;
    for (uint32_t b = 0; b < fn->blocks.n && !fn->is_ssa; b++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[b].ins;
        for (uint32_t k = 0; k < list->n; k++)
            if (calls_itself(fn, &fn->ins.at[list->at[k]]) && only_returns(fn, b, k + 1, cw_ref_ins(list->at[k]))) {
                cw_vec_push(&tails->scratch, &tails->calls, list->at[k]);
                break;
            }
    }
}

/* ---- the loop ---- */

/* The entry's code moves to a block that can be jumped to; who jumped to the entry before jumps there now. */
static void move_entry(struct tails *tails) {
    struct cw_fn *fn = tails->fn;
    uint32_t start = tails->start = cw_fn_add_block(fn);
    struct cw_block *entry = &fn->blocks.at[0], *to = &fn->blocks.at[start];
    *to = *entry;
    *entry = (struct cw_block){.unroll = -1};
    for (uint32_t k = 0; k < to->ins.n; k++)
        fn->ins.at[to->ins.at[k]].block = start;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            if (j->succ[s] == 0)
                j->succ[s] = start;
    }
}

static void append(struct cw_fn *fn, uint32_t block, uint32_t index) {
    fn->ins.at[index].block = block;
    cw_vec_push(fn->arena, &fn->blocks.at[block].ins, index);
}

static void store_param(struct tails *tails, uint32_t block, cw_ref value, uint32_t param, uint32_t loc) {
    struct cw_fn *fn = tails->fn;
    cw_ref args[] = {value, tails->objects[param]};
    uint32_t bytes = (uint32_t)fn->objects.at[tails->objects[param].index].size;
    uint32_t index = cw_fn_new_ins(fn, CW_OP_STORE, CW_VOID, bytes, args, 2, loc);
    fn->ins.at[index].flags = CW_INS_IMPLICIT;
    append(fn, block, index);
}

/* Does every call hand the parameter on as it came? Then it needs no variable. */
static bool is_passed_on(const struct tails *tails, uint32_t param) {
    for (uint32_t c = 0; c < tails->calls.n; c++) {
        const struct cw_ins *call = &tails->fn->ins.at[tails->calls.at[c]];
        if (!cw_ref_eq(cw_arg(tails->fn, call, param), cw_ref_of(CW_REF_PARAM, param)))
            return false;
    }
    return true;
}

static void make_objects(struct tails *tails) {
    struct cw_fn *fn = tails->fn;
    tails->objects = CW_NEW_ARRAY(&tails->scratch, cw_ref, fn->params.n + 1);
    for (uint32_t p = 0; p < fn->params.n; p++) {
        const struct cw_param *param = &fn->params.at[p];
        uint32_t bytes = cw_type_bytes(param->type);
        if (is_passed_on(tails, p))
            continue;
        tails->objects[p] = cw_fn_add_object(fn, (struct cw_object){.name = param->name, .space = CW_SPACE_LOCAL,
                                                                    .size = bytes, .align = bytes, .element = bytes,
                                                                    .loc = param->loc});
    }
}

/* Each activation reads its parameters where it begins. */
static void read_params(struct tails *tails) {
    struct cw_fn *fn = tails->fn;
    cw_ref *values = CW_NEW_ARRAY(&tails->scratch, cw_ref, fn->params.n + 1);
    uint32_t last = fn->ins.n;
    struct cw_vec_u32 old = fn->blocks.at[tails->start].ins;
    fn->blocks.at[tails->start].ins = (struct cw_vec_u32){0};
    for (uint32_t p = 0; p < fn->params.n; p++) {
        if (tails->objects[p].tag == CW_REF_NONE)
            continue;
        enum cw_type type = fn->params.at[p].type;
        uint32_t index = cw_fn_new_ins(fn, CW_OP_LOAD, type, cw_type_bytes(type), &tails->objects[p], 1,
                                       fn->params.at[p].loc);
        fn->ins.at[index].flags = CW_INS_IMPLICIT;
        fn->ins.at[index].name = fn->params.at[p].name;
        append(fn, tails->start, index);
        values[p] = cw_ref_ins(index);
    }
    for (uint32_t k = 0; k < old.n; k++)
        append(fn, tails->start, old.at[k]);
    for (uint32_t k = 0; k < last; k++)
        for (uint32_t a = 0; a < fn->ins.at[k].narg; a++) {
            cw_ref *arg = &fn->args.at[fn->ins.at[k].arg + a];
            if (arg->tag == CW_REF_PARAM && values[arg->index].tag != CW_REF_NONE)
                *arg = values[arg->index];
        }
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        cw_ref *value = &fn->blocks.at[b].jump.value;
        if (value->tag == CW_REF_PARAM && values[value->index].tag != CW_REF_NONE)
            *value = values[value->index];
    }
}

static void make_jump(struct tails *tails, uint32_t call) {
    struct cw_fn *fn = tails->fn;
    struct cw_ins ins = fn->ins.at[call];
    struct cw_vec_u32 *list = &fn->blocks.at[ins.block].ins;
    while (list->at[list->n - 1] != call)
        cw_edit_remove(fn, list->at[--list->n]);
    list->n--;
    for (uint32_t p = 0; p < fn->params.n; p++)
        if (tails->objects[p].tag != CW_REF_NONE)
            store_param(tails, ins.block, cw_arg(fn, &ins, p), p, ins.loc);
    cw_edit_remove(fn, call);
    cw_fn_jump(fn, ins.block, tails->start, ins.loc, CW_FROM_GOTO);
}

bool cw_tail_calls(struct cw_fn *fn) {
    struct tails tails = {.fn = fn};
    cw_arena_init(&tails.scratch);
    find_tail_calls(&tails);
    bool any = tails.calls.n > 0;
    if (any) {
        make_objects(&tails);
        move_entry(&tails);
        read_params(&tails);
        for (uint32_t p = 0; p < fn->params.n; p++)
            if (tails.objects[p].tag != CW_REF_NONE)
                store_param(&tails, 0, cw_ref_of(CW_REF_PARAM, p), p, fn->params.at[p].loc);
        cw_fn_jump(fn, 0, tails.start, 0, CW_FROM_NONE);
        for (uint32_t c = 0; c < tails.calls.n; c++)
            make_jump(&tails, tails.calls.at[c]);
        cw_fn_link_preds(fn);
        struct cw_order_of_blocks order = cw_order_blocks(fn, &tails.scratch);
        cw_edit_drop_unreachable(fn, &order); /* the returns that only those calls led to */
    }
    cw_arena_free(&tails.scratch);
    if (any)
        cw_fn_verify_after(fn, "tail calls");
    return any;
}
