/* Is a function well-formed?
 *
 * requires: nothing, any contents of the tables. computes: the first thing that is wrong. preserves: everything.
 * Checked: indices in range; each instruction in one place; operands by number and type; blocks that end in a jump;
 * pred lists (once linked) that match the jumps; PHIs that match the preds; every use dominated by its definition. */
#include "ir/edit.h"
#include "ir/order.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* What operands and results may be: the result first, then the operands, the last letter also for any further ones.
 *   i an integer   1 i1   8 i8   3 i32   6 i64   p pointer   g group   a anything with a value   v nothing   * anything
 *   t the result's type   s the type of the operand before   c integer or pointer   m lane mask (i32) or group */
static const char *const signatures[CW_NOPS] = {
    [CW_OP_ADD] = "itt", [CW_OP_SUB] = "itt", [CW_OP_MUL] = "itt", [CW_OP_SDIV] = "itt", [CW_OP_UDIV] = "itt",
    [CW_OP_SREM] = "itt", [CW_OP_UREM] = "itt", [CW_OP_AND] = "itt", [CW_OP_OR] = "itt", [CW_OP_XOR] = "itt",
    [CW_OP_SHL] = "itt", [CW_OP_LSHR] = "itt", [CW_OP_ASHR] = "itt", [CW_OP_NEG] = "it", [CW_OP_NOT] = "it",
    [CW_OP_SMIN] = "itt", [CW_OP_SMAX] = "itt", [CW_OP_UMIN] = "itt", [CW_OP_UMAX] = "itt", [CW_OP_ABS] = "it",
    [CW_OP_POPC] = "3i", [CW_OP_FFS] = "3i", [CW_OP_CLZ] = "3i", [CW_OP_BREV] = "it",
    [CW_OP_EQ] = "1cs", [CW_OP_NE] = "1cs", [CW_OP_SLT] = "1cs", [CW_OP_SLE] = "1cs", [CW_OP_SGT] = "1cs",
    [CW_OP_SGE] = "1cs", [CW_OP_ULT] = "1cs", [CW_OP_ULE] = "1cs", [CW_OP_UGT] = "1cs", [CW_OP_UGE] = "1cs",
    [CW_OP_SELECT] = "a1tt", [CW_OP_SEXT] = "ii", [CW_OP_ZEXT] = "ii", [CW_OP_TRUNC] = "ii", [CW_OP_PTRTOINT] = "6p",
    [CW_OP_INTTOPTR] = "p6", [CW_OP_CVTA] = "ip", [CW_OP_MATRIXPTR] = "p6",
    [CW_OP_PURE] = "aa", [CW_OP_OPAQUE] = "aa", [CW_OP_COPY] = "at", [CW_OP_UNIFORM] = "at",
    [CW_OP_PHI] = "at", [CW_OP_ASSUME] = "v1", [CW_OP_NOTE] = "va",
    [CW_OP_PTRADD] = "pp6", [CW_OP_LOAD] = "ap", [CW_OP_STORE] = "vap",
    [CW_OP_MEMCOPY] = "vpp6", [CW_OP_MEMSET] = "vp8", [CW_OP_ATOMIC] = "*pa", [CW_OP_ASYNCCOPY] = "vpp6p",
    [CW_OP_ASYNCCOMMIT] = "v", [CW_OP_ASYNCWAIT] = "vi", [CW_OP_WGMMA] = "3ppa", [CW_OP_WGMMAFENCE] = "v",
    [CW_OP_FRAGLOAD] = "*pi", [CW_OP_FRAGSTORE] = "*pi",
    [CW_OP_BARRIER] = "*33a", [CW_OP_GRIDSYNC] = "v", [CW_OP_CLUSTERSYNC] = "*", [CW_OP_SYNCWARP] = "vm",
    [CW_OP_FENCE] = "v", [CW_OP_MBARINIT] = "vpi", [CW_OP_MBARARRIVE] = "*pi", [CW_OP_MBARWAIT] = "*pi",
    [CW_OP_SHFL] = "ama33", [CW_OP_VOTE] = "ima", [CW_OP_MATCH] = "ima", [CW_OP_REDUX] = "ama", [CW_OP_SCAN] = "ama",
    [CW_OP_ACTIVEMASK] = "3", [CW_OP_ELECT] = "1m", [CW_OP_COLLECTIVE] = "*m", [CW_OP_GROUP] = "ga",
    [CW_OP_GROUPRANK] = "ig",
    [CW_OP_GROUPSIZE] = "ig", [CW_OP_GROUPMETARANK] = "ig", [CW_OP_GROUPMETASIZE] = "ig", [CW_OP_CALL] = "*a",
    [CW_OP_OPCALL] = "*a", [CW_OP_ASM] = "*a", [CW_OP_LAUNCH] = "v3333336a",
};

struct check {
    const struct cw_fn *fn;
    struct cw_arena *scratch;
    uint32_t *place; /* instruction -> 1 + position in its block, 0: in no block */
    struct cw_order_of_blocks order;
    const char *wrong; /* arena text of the function */
};

#define wrong(c, ...) ((c)->wrong = (c)->wrong ? (c)->wrong : cw_arena_printf((c)->fn->arena, __VA_ARGS__))

static bool fits_letter(char letter, enum cw_type type, enum cw_type result, enum cw_type before) {
    switch (letter) {
    case 'i': return cw_type_is_int(type);
    case '1': return type == CW_I1;
    case '8': return type == CW_I8;
    case '3': return type == CW_I32;
    case '6': return type == CW_I64;
    case 'p': return type == CW_PTR;
    case 'g': return type == CW_GROUP;
    case 'a': return type != CW_VOID;
    case 'v': return type == CW_VOID;
    case 't': return type == result;
    case 's': return type == before;
    case 'c': return cw_type_is_int(type) || type == CW_PTR;
    case 'm': return type == CW_I32 || type == CW_GROUP;
    default: return true;
    }
}

static bool ref_in_range(const struct check *check, cw_ref ref) {
    const struct cw_fn *fn = check->fn;
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_NONE: return false;
    case CW_REF_INS: return ref.index < fn->ins.n && check->place[ref.index] && fn->ins.at[ref.index].type != CW_VOID;
    case CW_REF_CONST: return ref.index < fn->consts.n;
    case CW_REF_OBJECT: return ref.index < fn->objects.n;
    case CW_REF_PARAM: return ref.index < fn->params.n;
    case CW_REF_TPARAM: return ref.index < fn->tparams.n;
    case CW_REF_SREG: return ref.index < CW_NSREGS;
    case CW_REF_UNDEF: return ref.index < CW_NTYPES && ref.index != CW_VOID;
    }
    return false;
}

static void check_casts(struct check *check, const struct cw_ins *ins, uint32_t index) {
    if (ins->op != CW_OP_SEXT && ins->op != CW_OP_ZEXT && ins->op != CW_OP_TRUNC)
        return;
    unsigned to = cw_type_bits((enum cw_type)ins->type),
             from = cw_type_bits(cw_ref_type(check->fn, cw_arg(check->fn, ins, 0)));
    if (ins->op == CW_OP_TRUNC ? from <= to : from >= to)
        wrong(check, "instruction %u: %s from %u to %u bits", index, cw_op_text((enum cw_op)ins->op), from, to);
}

static void check_types(struct check *check, const struct cw_ins *ins, uint32_t index) {
    const char *letter = signatures[ins->op] ? signatures[ins->op] : "*a", *name = cw_op_text((enum cw_op)ins->op);
    enum cw_type result = (enum cw_type)ins->type, before = CW_VOID;
    if (!fits_letter(letter[0], result, result, before))
        wrong(check, "instruction %u: %s cannot have the type %s", index, name, cw_type_text(result));
    for (uint32_t k = 0; k < ins->narg; k++) {
        letter += letter[1] ? 1 : 0;
        enum cw_type t = cw_ref_type(check->fn, cw_arg(check->fn, ins, k));
        if (!fits_letter(letter[0], t, result, before))
            wrong(check, "instruction %u: operand %u of %s cannot be %s", index, k, name, cw_type_text(t));
        before = t;
    }
    check_casts(check, ins, index);
}

static void check_aux(struct check *check, const struct cw_ins *ins, uint32_t index) {
    uint32_t limit = UINT32_MAX;
    enum cw_op op = (enum cw_op)ins->op;
    if (op == CW_OP_PURE || op == CW_OP_ASM)
        limit = check->fn->texts.n;
    else if (op == CW_OP_CALL || op == CW_OP_LAUNCH)
        limit = check->fn->callees.n;
    if (ins->aux >= limit || (cw_aux_text(op, 0) && !cw_aux_text(op, ins->aux)) ||
        (op == CW_OP_ATOMIC && ((ins->aux >> 8 & 0xff) > CW_SCOPE_SYSTEM || ins->aux >> 16 > CW_ACQUIRE_RELEASE)))
        wrong(check, "instruction %u: %s with aux %u", index, cw_op_text(op), ins->aux);
    if (ins->loc >= check->fn->locs.n)
        wrong(check, "instruction %u: no location %u", index, ins->loc);
}

/* Operations some of whose operands may be missing: a copy has the bytes where they are no constant. */
static bool has_odd_operands(const struct cw_ins *ins) {
    switch (ins->op) {
    case CW_OP_MEMCOPY: return ins->narg != 2 && (ins->narg != 3 || ins->aux != 0);
    case CW_OP_ASYNCCOPY: return ins->narg != 3u + (ins->aux == CW_COPY_BARRIER);
    case CW_OP_WGMMA: return ins->narg < 2;
    case CW_OP_MBARARRIVE: return ins->narg < 1 || ins->narg > 3;
    case CW_OP_MBARWAIT: return ins->narg != 1u + (ins->aux == CW_MBAR_PARITY);
    default: return false;
    }
}

static bool check_operands(struct check *check, const struct cw_ins *ins, uint32_t index) {
    int want = cw_op_operands((enum cw_op)ins->op);
    if ((want >= 0 && (uint32_t)want != ins->narg) || has_odd_operands(ins) || ins->arg > check->fn->args.n ||
        ins->narg > check->fn->args.n - ins->arg) {
        wrong(check, "instruction %u: %s with %u operands", index, cw_op_text((enum cw_op)ins->op), ins->narg);
        return false;
    }
    for (uint32_t k = 0; k < ins->narg; k++)
        if (!ref_in_range(check, cw_arg(check->fn, ins, k))) {
            wrong(check, "instruction %u: operand %u of %s refers to nothing", index, k,
                  cw_op_text((enum cw_op)ins->op));
            return false;
        }
    return true;
}

static void check_ins(struct check *check, uint32_t index) {
    const struct cw_ins *i = &check->fn->ins.at[index];
    if (!check_operands(check, i, index))
        return;
    check_types(check, i, index);
    check_aux(check, i, index);
    if (i->op == CW_OP_PHI && i->narg != check->fn->blocks.at[i->block].pred.n)
        wrong(check, "instruction %u: a phi with %u operands in a block with %u predecessors", index, i->narg,
              check->fn->blocks.at[i->block].pred.n);
}

/* Fills `place`, and finds instructions that stand in two blocks, in the wrong one, or after which a PHI follows. */
static void place_block(struct check *check, uint32_t b) {
    const struct cw_block *block = &check->fn->blocks.at[b];
    bool past_phis = false;
    for (uint32_t k = 0; k < block->ins.n; k++) {
        uint32_t index = block->ins.at[k];
        if (index >= check->fn->ins.n || check->fn->ins.at[index].op == CW_OP_HOLE ||
            check->fn->ins.at[index].op >= CW_NOPS || check->fn->ins.at[index].type >= CW_NTYPES) {
            wrong(check, "block %u lists %u, which is no instruction", b, index);
            return;
        }
        const struct cw_ins *i = &check->fn->ins.at[index];
        if (check->place[index] || i->block != b)
            wrong(check, "instruction %u stands in block %u and elsewhere", index, b);
        if (i->op == CW_OP_PHI && past_phis)
            wrong(check, "instruction %u: a phi after other instructions", index);
        past_phis |= i->op != CW_OP_PHI;
        check->place[index] = k + 1;
    }
}

static void check_jump_shape(struct check *check, uint32_t b) {
    const struct cw_jump *j = &check->fn->blocks.at[b].jump;
    static const uint32_t succs[] = {[CW_JUMP_GOTO] = 1, [CW_JUMP_BRANCH] = 2};
    uint32_t want = j->kind <= CW_JUMP_BRANCH ? succs[j->kind] : 0;
    if (j->kind == CW_JUMP_SWITCH ? j->nsucc == 0 : j->nsucc != want)
        wrong(check, "block %u: a jump to %u blocks", b, j->nsucc);
    for (uint32_t s = 0; s < j->nsucc; s++)
        if (j->succ[s] >= check->fn->blocks.n)
            wrong(check, "block %u: a jump to block %u, which there is not", b, j->succ[s]);
        else if (j->succ[s] == 0)
            wrong(check, "block %u jumps to the entry", b);
    if (j->loc >= check->fn->locs.n || check->fn->blocks.at[b].always >= check->fn->locs.n)
        wrong(check, "block %u: no location %u", b, j->loc);
}

static void check_jump_value(struct check *check, uint32_t b) {
    const struct cw_jump *j = &check->fn->blocks.at[b].jump;
    bool needs = j->kind == CW_JUMP_BRANCH || j->kind == CW_JUMP_SWITCH;
    if (j->value.tag == CW_REF_NONE && !needs)
        return;
    if (!ref_in_range(check, j->value)) {
        wrong(check, "block %u: the jump's value refers to nothing", b);
        return;
    }
    enum cw_type t = cw_ref_type(check->fn, j->value);
    bool fine = j->kind == CW_JUMP_BRANCH   ? t == CW_I1
                : j->kind == CW_JUMP_SWITCH ? cw_type_is_int(t)
                : j->kind == CW_JUMP_RETURN ? t == check->fn->result
                                            : false;
    if (!fine)
        wrong(check, "block %u: the jump's value cannot be %s", b, cw_type_text(t));
}

/* Compared as multisets: `seen` counts each predecessor up once per edge and down once per entry of the list. */
static void check_preds_of(struct check *check, uint32_t b, const uint32_t *from, uint32_t n, int32_t *seen) {
    const struct cw_vec_u32 *pred = &check->fn->blocks.at[b].pred;
    bool same = n == pred->n;
    for (uint32_t k = 0; k < n; k++)
        seen[from[k]]++;
    for (uint32_t k = 0; same && k < n; k++)
        same = pred->at[k] < check->fn->blocks.n && seen[pred->at[k]]-- > 0;
    for (uint32_t k = 0; k < n; k++)
        seen[from[k]] = 0;
    if (!same)
        wrong(check, "block %u: its predecessors are not those that jump to it", b);
}

static void check_preds(struct check *check) {
    const struct cw_fn *fn = check->fn;
    if (!fn->is_ssa && !cw_edit_is_linked(fn))
        return;
    struct cw_vec_u32 *from = CW_NEW_ARRAY(check->scratch, struct cw_vec_u32, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t s = 0; s < fn->blocks.at[b].jump.nsucc; s++)
            cw_vec_push(check->scratch, &from[fn->blocks.at[b].jump.succ[s]], b);
    int32_t *seen = CW_NEW_ARRAY(check->scratch, int32_t, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n && !check->wrong; b++)
        check_preds_of(check, b, from[b].at, from[b].n, seen);
}

static bool is_available(const struct check *check, cw_ref ref, uint32_t block, uint32_t place) {
    if (ref.tag != CW_REF_INS || !cw_order_reaches(&check->order, block))
        return true;
    uint32_t from = check->fn->ins.at[ref.index].block;
    if (from == block)
        return check->place[ref.index] < place;
    return cw_order_reaches(&check->order, from) && cw_order_dominates(&check->order, from, block);
}

static void check_dominance(struct check *check, uint32_t b) {
    const struct cw_block *block = &check->fn->blocks.at[b];
    for (uint32_t k = 0; k < block->ins.n; k++) {
        const struct cw_ins *i = &check->fn->ins.at[block->ins.at[k]];
        for (uint32_t o = 0; o < i->narg; o++) {
            bool phi = i->op == CW_OP_PHI;
            if (!is_available(check, cw_arg(check->fn, i, o), phi ? block->pred.at[o] : b, phi ? UINT32_MAX : k + 1))
                wrong(check, "instruction %u: operand %u is not computed on every way there", block->ins.at[k], o);
        }
    }
    if (!is_available(check, block->jump.value, b, UINT32_MAX))
        wrong(check, "block %u: the jump's value is not computed on every way there", b);
}

static void check_blocks(struct check *check) {
    uint32_t n = check->fn->blocks.n;
    for (uint32_t b = 0; b < n && !check->wrong; b++) {
        place_block(check, b);
        check_jump_shape(check, b);
    }
    if (!check->wrong)
        check_preds(check);
    for (uint32_t b = 0; b < n && !check->wrong; b++) {
        check_jump_value(check, b);
        for (uint32_t k = 0; k < check->fn->blocks.at[b].ins.n && !check->wrong; k++)
            check_ins(check, check->fn->blocks.at[b].ins.at[k]);
    }
    if (check->wrong)
        return;
    check->order = cw_order_blocks(check->fn, check->scratch);
    for (uint32_t b = 0; b < n && !check->wrong; b++) {
        if (cw_order_reaches(&check->order, b) && check->fn->blocks.at[b].jump.kind == CW_JUMP_NONE)
            wrong(check, "block %u does not end in a jump", b);
        check_dominance(check, b);
    }
}

const char *cw_fn_verify(const struct cw_fn *fn) {
    if (fn->blocks.n == 0)
        return "the function has no block";
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct check c = {.fn = fn, .scratch = &scratch};
    c.place = CW_NEW_ARRAY(&scratch, uint32_t, fn->ins.n + 1);
    check_blocks(&c);
    cw_arena_free(&scratch);
    return c.wrong;
}

void cw_fn_verify_after(const struct cw_fn *fn, const char *pass) {
#ifdef CUWARP_VERIFY
    const char *wrong = cw_fn_verify(fn);
    if (wrong) {
        cw_error("after %s, %s: %s", pass, fn->name, wrong);
        abort();
    }
#else
    (void)fn;
    (void)pass;
#endif
}
