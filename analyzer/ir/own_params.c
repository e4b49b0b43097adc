/* Parameters of class type that a kernel writes become local variables: each thread has a copy of its own.
 *
 * A PARAM object is constant for the analyses, the same in all threads. `view.data += threadIdx.x * view.stride` writes
 * one, perhaps in a member function that was inlined. Such a parameter is copied into a local variable at the entry,
 * which takes its place everywhere else; promote then makes its fields values.
 *
 * requires: linked preds; values dominate their uses; `this` and references are values, so after promote. computes: no
 * store, copy, set or atomic whose destination can be seen writes a PARAM object. An unknown call that gets the address
 * is taken not to write. Cost: linear in the instructions, but for the operands behind a destination that is joined. */
#include "ir/edit.h"

#include "base/bitset.h"
#include "ir/locals.h"

enum {
    JOINED_MAX = 64, /* pointers behind one destination */
    PARTS_MAX = 256  /* of all parameters; the others are copied all the same */
};

/* A part of a parameter as some load reads it: what the copy holds has the place of that load, and so its name. */
struct part {
    uint32_t object, size, loc;
    int64_t offset;
    enum cw_type type;
};

struct params {
    struct cw_fn *fn;
    struct cw_arena *scratch;
    struct cw_locals locals;
    struct cw_bitset written;
    uint32_t nwritten;
    CW_VEC(struct part) parts;
};

/* ---- which are written ---- */

static void mark_written(struct params *params, uint32_t object) {
    if (params->fn->objects.at[object].space != CW_SPACE_PARAM || cw_bitset_has(&params->written, object))
        return;
    cw_bitset_add(&params->written, object);
    params->nwritten++;
}

static bool is_joined(const struct cw_ins *ins) {
    return ins && (ins->op == CW_OP_PHI || ins->op == CW_OP_SELECT || ins->op == CW_OP_PTRADD || ins->op == CW_OP_COPY);
}

static uint32_t add_pointer(cw_ref *at, uint32_t n, cw_ref ref) {
    for (uint32_t k = 0; k < n; k++)
        if (cw_ref_eq(at[k], ref))
            return n;
    if (n < JOINED_MAX)
        at[n++] = ref;
    return n;
}

/* The objects that the pointer may point into, also by way of phis and selects. */
static void mark_destination(struct params *params, cw_ref pointer) {
    cw_ref at[JOINED_MAX] = {pointer};
    uint32_t n = 1;
    for (uint32_t k = 0; k < n; k++) {
        struct cw_pointee to = cw_locals_pointee(&params->locals, at[k]);
        const struct cw_ins *i = cw_ins_of(params->fn, at[k]);
        if (to.object != CW_NO_OBJECT) {
            mark_written(params, to.object);
            continue;
        }
        uint32_t pointers = is_joined(i) ? (i->op == CW_OP_PTRADD ? 1 : i->narg) : 0;
        for (uint32_t o = i && i->op == CW_OP_SELECT ? 1 : 0; o < pointers; o++)
            n = add_pointer(at, n, cw_arg(params->fn, i, o));
    }
}

static void visit_read(struct params *params, const struct cw_ins *ins) {
    struct cw_pointee from = cw_locals_pointee(&params->locals, cw_arg(params->fn, ins, 0));
    if (from.object == CW_NO_OBJECT || !from.exact || ins->aux == 0 || params->parts.n == PARTS_MAX ||
        params->fn->objects.at[from.object].space != CW_SPACE_PARAM)
        return;
    for (uint32_t k = 0; k < params->parts.n; k++) {
        const struct part *p = &params->parts.at[k];
        if (p->object == from.object && p->offset == from.offset && p->size == ins->aux)
            return;
    }
    struct part part = {from.object, ins->aux, ins->loc, from.offset, (enum cw_type)ins->type};
    cw_vec_push(params->scratch, &params->parts, part);
}

static void visit_access(struct params *params, const struct cw_ins *ins) {
    switch ((enum cw_op)ins->op) {
    case CW_OP_LOAD:
        visit_read(params, ins);
        break;
    case CW_OP_STORE:
        mark_destination(params, cw_arg(params->fn, ins, 1));
        break;
    case CW_OP_MEMCOPY:
    case CW_OP_MEMSET:
    case CW_OP_ATOMIC:
        mark_destination(params, cw_arg(params->fn, ins, 0));
        break;
    default:
        break;
    }
}

static bool has_params(const struct cw_fn *fn) {
    for (uint32_t o = 0; o < fn->objects.n; o++)
        if (fn->objects.at[o].space == CW_SPACE_PARAM)
            return true;
    return false;
}

static void visit_all(struct params *params) {
    struct cw_order_of_blocks order = cw_order_blocks(params->fn, params->scratch);
    params->locals = cw_locals_find(params->fn, &order, params->scratch);
    params->written = cw_bitset_new(params->scratch, params->fn->objects.n);
    for (uint32_t k = 0; k < order.n; k++) {
        const struct cw_block *b = &params->fn->blocks.at[order.rpo[k]];
        for (uint32_t i = 0; i < b->ins.n; i++)
            visit_access(params, &params->fn->ins.at[b->ins.at[i]]);
    }
}

/* ---- copies ---- */

/* Without a name: its parts are named by what the source says where they are read. */
static cw_ref add_copy(struct cw_fn *fn, uint32_t object) {
    struct cw_object own = fn->objects.at[object];
    own.space = CW_SPACE_LOCAL;
    own.name = NULL;
    return cw_fn_add_object(fn, own);
}

/* copies: by object; CW_NONE for one that stays. */
static void use_copies(struct cw_fn *fn, const cw_ref *copies, uint32_t ncopies) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            for (uint32_t o = 0; o < i->narg; o++) {
                cw_ref *ref = &fn->args.at[i->arg + o];
                if (ref->tag == CW_REF_OBJECT && ref->index < ncopies && copies[ref->index].tag != CW_REF_NONE)
                    *ref = copies[ref->index];
            }
        }
}

static cw_ref add_to_entry(struct cw_fn *fn, struct cw_vec_u32 *list, struct cw_ins made, const cw_ref *args,
                           uint32_t narg) {
    uint32_t index = cw_fn_new_ins(fn, (enum cw_op)made.op, (enum cw_type)made.type, made.aux, args, narg, made.loc);
    fn->ins.at[index].flags = CW_INS_IMPLICIT;
    fn->ins.at[index].block = 0;
    cw_vec_push(fn->arena, list, index);
    return cw_ref_ins(index);
}

static cw_ref add_place(struct cw_fn *fn, struct cw_vec_u32 *list, const struct part *part, cw_ref object) {
    cw_ref args[] = {object, cw_fn_const(fn, CW_I64, part->offset)};
    struct cw_ins place = {.op = CW_OP_PTRADD, .type = CW_PTR, .loc = part->loc};
    return part->offset ? add_to_entry(fn, list, place, args, 2) : object;
}

static void copy_part(struct cw_fn *fn, struct cw_vec_u32 *list, const struct part *part, cw_ref copy) {
    cw_ref from = add_place(fn, list, part, cw_ref_of(CW_REF_OBJECT, part->object));
    struct cw_ins load = {.op = CW_OP_LOAD, .type = (uint8_t)part->type, .aux = part->size, .loc = part->loc},
                  store = {.op = CW_OP_STORE, .type = CW_VOID, .aux = part->size, .loc = part->loc};
    cw_ref value = add_to_entry(fn, list, load, &from, 1);
    cw_ref args[] = {value, add_place(fn, list, part, copy)};
    add_to_entry(fn, list, store, args, 2);
}

/* All bytes at once, and the parts that are read once more. */
static void fill_copies(const struct params *params, const cw_ref *copies, uint32_t ncopies) {
    struct cw_fn *fn = params->fn;
    struct cw_vec_u32 all = {0}, entry = fn->blocks.at[0].ins;
    for (uint32_t o = 0; o < ncopies; o++) {
        const struct cw_object *object = &fn->objects.at[o];
        cw_ref args[] = {copies[o], cw_ref_of(CW_REF_OBJECT, o)};
        struct cw_ins copy = {
            .op = CW_OP_MEMCOPY, .type = CW_VOID, .aux = (uint32_t)object->size, .loc = object->loc};
        if (copies[o].tag != CW_REF_NONE)
            add_to_entry(fn, &all, copy, args, 2);
    }
    for (uint32_t k = 0; k < params->parts.n; k++) {
        const struct part *part = &params->parts.at[k];
        if (copies[part->object].tag != CW_REF_NONE)
            copy_part(fn, &all, part, copies[part->object]);
    }
    for (uint32_t k = 0; k < entry.n; k++)
        cw_vec_push(fn->arena, &all, entry.at[k]);
    fn->blocks.at[0].ins = all;
}

bool cw_own_params(struct cw_fn *fn) {
    struct cw_arena scratch;
    if (!has_params(fn) || fn->blocks.at[0].pred.n) /* an entry in a loop would copy them again and again */
        return false;
    cw_arena_init(&scratch);
    struct params p = {.fn = fn, .scratch = &scratch};
    visit_all(&p);
    uint32_t n = fn->objects.n;
    cw_ref *copies = CW_NEW_ARRAY(&scratch, cw_ref, n);
    for (uint32_t o = 0; o < n; o++)
        copies[o] = cw_bitset_has(&p.written, o) ? add_copy(fn, o) : CW_NONE;
    if (p.nwritten) {
        use_copies(fn, copies, n);
        fill_copies(&p, copies, n);
    }
    cw_arena_free(&scratch);
    cw_fn_verify_after(fn, "own params");
    return p.nwritten > 0;
}
