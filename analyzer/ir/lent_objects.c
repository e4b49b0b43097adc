/* Host objects that calls are lent: a call that nobody sees has the address of a copy.
 *
 * `p = make(); p.limit = 32; kernel<<<1, 64>>>(p)`: what make() does to p is over when it returns. So the copy is made
 * before the call and copied back behind it; the object itself then has no address that gets out of sight, and promote
 * makes values of its members. That nobody keeps the address is an assumption; of objects whose address is stored
 * anywhere it is not made. A constant object is not copied back: who changes it by a cast has no defined behaviour, so
 * its address may be stored, too (`const dim3 block(32, 8); note(block); kernel<<<1, block>>>(…)`).
 *
 * requires: linked preds; values dominate their uses; after promote, when references are values. computes: no call has
 * the address of a local object of class type as an operand, and no call and no store that of a constant one, unless
 * something writes a part of that one twice. Cost: linear in the instructions. */
#include "ir/edit.h"

#include "ir/locals.h"

/* Larger objects are buffers, smaller ones scalars: what calls write there is found where it is read. */
enum { MIN_CLASS_BYTES = 9, MAX_CLASS_BYTES = 1024 };

struct lender {
    struct cw_fn *fn;
    struct cw_locals locals;
    uint64_t *written; /* object -> bytes of all writes: more than the object has when a part is written twice */
    bool *is_kept;     /* object -> something but a call may have kept its address */
    struct cw_vec_u32 list; /* the block being rewritten */
};

/* A copy that the call at hand is lent. */
struct loan {
    uint32_t object;
    cw_ref copy;
};

static bool is_of_class(const struct cw_object *o) {
    return o->size >= MIN_CLASS_BYTES && o->size <= MAX_CLASS_BYTES && o->element == o->size && !o->is_copy;
}

static bool has_candidates(const struct cw_fn *fn) {
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (fn->objects.at[o].space == CW_SPACE_LOCAL &&
            (fn->objects.at[o].is_const || is_of_class(&fn->objects.at[o])))
            return true;
    return false;
}

static bool is_call(const struct cw_ins *ins) {
    return ins->op == CW_OP_OPCALL || ins->op == CW_OP_CALL;
}

static void count_write(struct lender *lender, const struct cw_ins *ins) {
    uint32_t to = ins->op == CW_OP_STORE ? 1 : 0;
    if (ins->op != CW_OP_STORE && ins->op != CW_OP_MEMCOPY && ins->op != CW_OP_MEMSET)
        return;
    struct cw_pointee p = cw_locals_pointee(&lender->locals, cw_arg(lender->fn, ins, to));
    if (p.object != CW_NO_OBJECT)
        lender->written[p.object] += ins->aux ? ins->aux : UINT32_MAX;
}

/* Does the operand only say which place is read or written, or go to a call? */
static bool keeps_nothing(const struct cw_ins *ins, uint32_t operand, const struct cw_pointee *p) {
    if (is_call(ins))
        return p->exact;
    return ins->op == CW_OP_LOAD || ins->op == CW_OP_MEMCOPY || ins->op == CW_OP_MEMSET ||
           (ins->op == CW_OP_STORE && operand == 1) || (ins->op == CW_OP_PTRADD && operand == 0);
}

static void note_uses(struct lender *lender, const struct cw_ins *ins) {
    for (uint32_t k = 0; k < ins->narg; k++) {
        struct cw_pointee p = cw_locals_pointee(&lender->locals, cw_arg(lender->fn, ins, k));
        if (p.object != CW_NO_OBJECT && !keeps_nothing(ins, k, &p))
            lender->is_kept[p.object] = true;
    }
}

static bool is_lent(const struct lender *lender, const struct cw_ins *ins, uint32_t operand, uint32_t object) {
    const struct cw_object *o = &lender->fn->objects.at[object];
    if (o->space != CW_SPACE_LOCAL || o->size == 0)
        return false;
    if (o->is_const && lender->written[object] <= o->size)
        return is_call(ins) || (ins->op == CW_OP_STORE && operand == 0);
    return is_call(ins) && is_of_class(o) && !lender->is_kept[object];
}

static uint32_t put_ins(struct lender *lender, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                        const struct cw_ins *at) {
    uint32_t block = at->block, made = cw_fn_new_ins(lender->fn, op, type, aux, args, 2, at->loc);
    lender->fn->ins.at[made].flags = CW_INS_IMPLICIT;
    lender->fn->ins.at[made].block = block;
    cw_vec_push(lender->fn->arena, &lender->list, made);
    return made;
}

static cw_ref copy_of(struct lender *lender, uint32_t index, uint32_t object) {
    struct cw_object copy = lender->fn->objects.at[object];
    struct cw_ins at = lender->fn->ins.at[index];
    copy.is_const = false;
    copy.is_copy = true;
    cw_ref to = cw_fn_add_object(lender->fn, copy), args[] = {to, cw_ref_of(CW_REF_OBJECT, object)};
    put_ins(lender, CW_OP_MEMCOPY, CW_VOID, (uint32_t)copy.size, args, &at);
    return to;
}

enum { MAX_LOANS = 16 };

/* A second operand that points into the same object points into the same copy. */
static bool lend_operand(struct lender *lender, uint32_t index, uint32_t operand, struct loan *loans, uint32_t *n) {
    struct cw_ins ins = lender->fn->ins.at[index];
    struct cw_pointee p = cw_locals_pointee(&lender->locals, cw_arg(lender->fn, &ins, operand));
    uint32_t k = 0;
    if (p.object == CW_NO_OBJECT || !p.exact || *n == MAX_LOANS || !is_lent(lender, &ins, operand, p.object))
        return false;
    while (k < *n && loans[k].object != p.object)
        k++;
    if (k == *n)
        loans[(*n)++] = (struct loan){p.object, copy_of(lender, index, p.object)};
    cw_ref to = loans[k].copy, args[] = {to, cw_fn_const(lender->fn, CW_I64, p.offset)};
    if (p.offset)
        to = cw_ref_ins(put_ins(lender, CW_OP_PTRADD, CW_PTR, 0, args, &ins));
    lender->fn->args.at[ins.arg + operand] = to;
    return true;
}

static void take_back(struct lender *lender, uint32_t index, const struct loan *loan) {
    struct cw_object *o = &lender->fn->objects.at[loan->object];
    cw_ref args[] = {cw_ref_of(CW_REF_OBJECT, loan->object), loan->copy};
    struct cw_ins at = lender->fn->ins.at[index];
    if (!o->is_const)
        put_ins(lender, CW_OP_MEMCOPY, CW_VOID, (uint32_t)o->size, args, &at);
}

static bool rewrite_block(struct lender *lender, struct cw_block *block) {
    struct loan loans[MAX_LOANS];
    bool any = false;
    lender->list = (struct cw_vec_u32){0};
    for (uint32_t k = 0; k < block->ins.n; k++) {
        uint32_t index = block->ins.at[k], narg = lender->fn->ins.at[index].narg, n = 0;
        for (uint32_t o = 0; o < narg; o++)
            any |= lend_operand(lender, index, o, loans, &n);
        cw_vec_push(lender->fn->arena, &lender->list, index);
        for (uint32_t l = 0; l < n; l++)
            take_back(lender, index, &loans[l]);
    }
    if (any)
        block->ins = lender->list;
    return any;
}

bool cw_lend_objects(struct cw_fn *fn) {
    struct lender lender = {.fn = fn};
    struct cw_arena scratch;
    bool any = false;
    if (fn->kind != CW_FN_HOST || !has_candidates(fn))
        return false;
    cw_arena_init(&scratch);
    struct cw_order_of_blocks order = cw_order_blocks(fn, &scratch);
    lender.locals = cw_locals_find(fn, &order, &scratch);
    lender.written = CW_NEW_ARRAY(&scratch, uint64_t, fn->objects.n);
    lender.is_kept = CW_NEW_ARRAY(&scratch, bool, fn->objects.n);
    for (uint32_t k = 0; k < order.n; k++) {
        const struct cw_block *b = &fn->blocks.at[order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++) {
            count_write(&lender, &fn->ins.at[b->ins.at[i]]);
            note_uses(&lender, &fn->ins.at[b->ins.at[i]]);
        }
    }
    for (uint32_t k = 0; k < order.n; k++)
        any |= rewrite_block(&lender, &fn->blocks.at[order.rpo[k]]);
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "lent objects");
    return any;
}
