/* Constant variables of host code: a call that nobody sees reads them, and does not write them.
 *
 * `const dim3 block(32, 8); note(block); kernel<<<1, block>>>(…)`: where the address of a constant local object is
 * passed on or stored, that of a copy takes its place. The object itself then has no address that gets out of sight,
 * and promote makes values of it. Who changes a constant object by a cast has no defined behaviour.
 *
 * requires: linked preds; values dominate their uses; after promote, when references are values. computes: no call and
 * no store has the address of a constant local object as an operand, unless something writes a part of the object
 * twice. Cost: linear in the instructions. */
#include "ir/edit.h"

#include "ir/locals.h"

struct constants {
    struct cw_fn *fn;
    struct cw_locals locals;
    uint64_t *written; /* object -> bytes of all writes: more than the object has when a part is written twice */
};

static bool has_constants(const struct cw_fn *fn) {
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (fn->objects.at[o].is_const && fn->objects.at[o].space == CW_SPACE_LOCAL)
            return true;
    return false;
}

static void count_write(struct constants *constants, const struct cw_ins *ins) {
    uint32_t to = ins->op == CW_OP_STORE ? 1 : 0;
    if (ins->op != CW_OP_STORE && ins->op != CW_OP_MEMCOPY && ins->op != CW_OP_MEMSET)
        return;
    struct cw_pointee p = cw_locals_pointee(&constants->locals, cw_arg(constants->fn, ins, to));
    if (p.object != CW_NO_OBJECT)
        constants->written[p.object] += ins->aux ? ins->aux : UINT32_MAX;
}

static bool is_constant(const struct constants *constants, cw_ref ref) {
    if (ref.tag != CW_REF_OBJECT)
        return false;
    const struct cw_object *object = &constants->fn->objects.at[ref.index];
    return object->is_const && object->space == CW_SPACE_LOCAL && object->size > 0 &&
           constants->written[ref.index] <= object->size;
}

static void replace_operand(struct constants *constants, struct cw_vec_u32 *list, uint32_t index, uint32_t operand) {
    struct cw_fn *fn = constants->fn;
    cw_ref from = fn->args.at[fn->ins.at[index].arg + operand];
    struct cw_object copy = fn->objects.at[from.index];
    copy.is_const = false;
    cw_ref to = cw_fn_add_object(fn, copy), args[] = {to, from};
    uint32_t made = cw_fn_new_ins(fn, CW_OP_MEMCOPY, CW_VOID, (uint32_t)copy.size, args, 2, fn->ins.at[index].loc);
    fn->ins.at[made].flags = CW_INS_IMPLICIT;
    fn->ins.at[made].block = fn->ins.at[index].block;
    cw_vec_push(fn->arena, list, made);
    fn->args.at[fn->ins.at[index].arg + operand] = to;
}

static bool passes_address(const struct cw_ins *ins, uint32_t operand) {
    return ins->op == CW_OP_OPCALL || ins->op == CW_OP_CALL || (ins->op == CW_OP_STORE && operand == 0);
}

static bool rewrite_block(struct constants *constants, struct cw_block *block) {
    struct cw_vec_u32 list = {0};
    bool any = false;
    for (uint32_t k = 0; k < block->ins.n; k++) {
        uint32_t index = block->ins.at[k], narg = constants->fn->ins.at[index].narg;
        for (uint32_t o = 0; o < narg; o++) {
            const struct cw_ins *ins = &constants->fn->ins.at[index];
            if (!passes_address(ins, o) || !is_constant(constants, cw_arg(constants->fn, ins, o)))
                continue;
            replace_operand(constants, &list, index, o);
            any = true;
        }
        cw_vec_push(constants->fn->arena, &list, index);
    }
    if (any)
        block->ins = list;
    return any;
}

bool cw_copy_constants(struct cw_fn *fn) {
    struct constants constants = {.fn = fn};
    struct cw_arena scratch;
    bool any = false;
    if (fn->kind != CW_FN_HOST || !has_constants(fn))
        return false;
    cw_arena_init(&scratch);
    struct cw_order_of_blocks order = cw_order_blocks(fn, &scratch);
    constants.locals = cw_locals_find(fn, &order, &scratch);
    constants.written = CW_NEW_ARRAY(&scratch, uint64_t, fn->objects.n);
    for (uint32_t k = 0; k < order.n; k++) {
        const struct cw_block *b = &fn->blocks.at[order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            count_write(&constants, &fn->ins.at[b->ins.at[i]]);
    }
    for (uint32_t k = 0; k < order.n; k++)
        any |= rewrite_block(&constants, &fn->blocks.at[order.rpo[k]]);
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "constants");
    return any;
}
