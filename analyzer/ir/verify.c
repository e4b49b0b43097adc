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
    [CW_OP_INTTOPTR] = "p6", [CW_OP_CVTA] = "ip", [CW_OP_PURE] = "aa", [CW_OP_OPAQUE] = "aa", [CW_OP_COPY] = "at",
    [CW_OP_UNIFORM] = "at",
    [CW_OP_PHI] = "at", [CW_OP_ASSUME] = "v1", [CW_OP_PTRADD] = "pp6", [CW_OP_LOAD] = "ap", [CW_OP_STORE] = "vap",
    [CW_OP_MEMCOPY] = "vpp6", [CW_OP_MEMSET] = "vp8", [CW_OP_ATOMIC] = "*pa", [CW_OP_ASYNCCOPY] = "vpp6p",
    [CW_OP_ASYNCCOMMIT] = "v", [CW_OP_ASYNCWAIT] = "vi", [CW_OP_FRAGLOAD] = "*pi", [CW_OP_FRAGSTORE] = "*pi",
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

static bool fits(char letter, enum cw_type t, enum cw_type result, enum cw_type before) {
    switch (letter) {
    case 'i': return cw_type_is_int(t);
    case '1': return t == CW_I1;
    case '8': return t == CW_I8;
    case '3': return t == CW_I32;
    case '6': return t == CW_I64;
    case 'p': return t == CW_PTR;
    case 'g': return t == CW_GROUP;
    case 'a': return t != CW_VOID;
    case 'v': return t == CW_VOID;
    case 't': return t == result;
    case 's': return t == before;
    case 'c': return cw_type_is_int(t) || t == CW_PTR;
    case 'm': return t == CW_I32 || t == CW_GROUP;
    default: return true;
    }
}

static bool ref_in_range(const struct check *c, cw_ref r) {
    const struct cw_fn *fn = c->fn;
    switch ((enum cw_ref_tag)r.tag) {
    case CW_REF_NONE: return false;
    case CW_REF_INS: return r.index < fn->ins.n && c->place[r.index] && fn->ins.at[r.index].type != CW_VOID;
    case CW_REF_CONST: return r.index < fn->consts.n;
    case CW_REF_OBJECT: return r.index < fn->objects.n;
    case CW_REF_PARAM: return r.index < fn->params.n;
    case CW_REF_TPARAM: return r.index < fn->tparams.n;
    case CW_REF_SREG: return r.index < CW_NSREGS;
    case CW_REF_UNDEF: return r.index < CW_NTYPES && r.index != CW_VOID;
    }
    return false;
}

static void check_casts(struct check *c, const struct cw_ins *i, uint32_t index) {
    if (i->op != CW_OP_SEXT && i->op != CW_OP_ZEXT && i->op != CW_OP_TRUNC)
        return;
    unsigned to = cw_type_bits((enum cw_type)i->type), from = cw_type_bits(cw_ref_type(c->fn, cw_arg(c->fn, i, 0)));
    if (i->op == CW_OP_TRUNC ? from <= to : from >= to)
        wrong(c, "instruction %u: %s from %u to %u bits", index, cw_op_text((enum cw_op)i->op), from, to);
}

static void check_types(struct check *c, const struct cw_ins *i, uint32_t index) {
    const char *letter = signatures[i->op] ? signatures[i->op] : "*a", *name = cw_op_text((enum cw_op)i->op);
    enum cw_type result = (enum cw_type)i->type, before = CW_VOID;
    if (!fits(letter[0], result, result, before))
        wrong(c, "instruction %u: %s cannot have the type %s", index, name, cw_type_text(result));
    for (uint32_t k = 0; k < i->narg; k++) {
        letter += letter[1] ? 1 : 0;
        enum cw_type t = cw_ref_type(c->fn, cw_arg(c->fn, i, k));
        if (!fits(letter[0], t, result, before))
            wrong(c, "instruction %u: operand %u of %s cannot be %s", index, k, name, cw_type_text(t));
        before = t;
    }
    check_casts(c, i, index);
}

static void check_aux(struct check *c, const struct cw_ins *i, uint32_t index) {
    uint32_t limit = UINT32_MAX;
    enum cw_op op = (enum cw_op)i->op;
    if (op == CW_OP_PURE || op == CW_OP_ASM)
        limit = c->fn->texts.n;
    else if (op == CW_OP_CALL || op == CW_OP_LAUNCH)
        limit = c->fn->callees.n;
    if (i->aux >= limit || (cw_aux_text(op, 0) && !cw_aux_text(op, i->aux)) ||
        (op == CW_OP_ATOMIC && i->aux >> 8 > CW_SCOPE_SYSTEM))
        wrong(c, "instruction %u: %s with aux %u", index, cw_op_text(op), i->aux);
    if (i->loc >= c->fn->locs.n)
        wrong(c, "instruction %u: no location %u", index, i->loc);
}

/* Operations some of whose operands may be missing: a copy has the bytes where they are no constant. */
static bool has_odd_operands(const struct cw_ins *i) {
    switch (i->op) {
    case CW_OP_MEMCOPY: return i->narg != 2 && (i->narg != 3 || i->aux != 0);
    case CW_OP_ASYNCCOPY: return i->narg != 3u + (i->aux == CW_COPY_BARRIER);
    case CW_OP_MBARARRIVE: return i->narg < 1 || i->narg > 3;
    case CW_OP_MBARWAIT: return i->narg != 1u + (i->aux == CW_MBAR_PARITY);
    default: return false;
    }
}

static bool check_operands(struct check *c, const struct cw_ins *i, uint32_t index) {
    int want = cw_op_operands((enum cw_op)i->op);
    if ((want >= 0 && (uint32_t)want != i->narg) || has_odd_operands(i) || i->arg > c->fn->args.n ||
        i->narg > c->fn->args.n - i->arg) {
        wrong(c, "instruction %u: %s with %u operands", index, cw_op_text((enum cw_op)i->op), i->narg);
        return false;
    }
    for (uint32_t k = 0; k < i->narg; k++)
        if (!ref_in_range(c, cw_arg(c->fn, i, k))) {
            wrong(c, "instruction %u: operand %u of %s refers to nothing", index, k, cw_op_text((enum cw_op)i->op));
            return false;
        }
    return true;
}

static void check_ins(struct check *c, uint32_t index) {
    const struct cw_ins *i = &c->fn->ins.at[index];
    if (!check_operands(c, i, index))
        return;
    check_types(c, i, index);
    check_aux(c, i, index);
    if (i->op == CW_OP_PHI && i->narg != c->fn->blocks.at[i->block].pred.n)
        wrong(c, "instruction %u: a phi with %u operands in a block with %u predecessors", index, i->narg,
              c->fn->blocks.at[i->block].pred.n);
}

/* Fills `place`, and finds instructions that stand in two blocks, in the wrong one, or after which a PHI follows. */
static void place_block(struct check *c, uint32_t b) {
    const struct cw_block *block = &c->fn->blocks.at[b];
    bool past_phis = false;
    for (uint32_t k = 0; k < block->ins.n; k++) {
        uint32_t index = block->ins.at[k];
        if (index >= c->fn->ins.n || c->fn->ins.at[index].op == CW_OP_HOLE || c->fn->ins.at[index].op >= CW_NOPS ||
            c->fn->ins.at[index].type >= CW_NTYPES) {
            wrong(c, "block %u lists %u, which is no instruction", b, index);
            return;
        }
        const struct cw_ins *i = &c->fn->ins.at[index];
        if (c->place[index] || i->block != b)
            wrong(c, "instruction %u stands in block %u and elsewhere", index, b);
        if (i->op == CW_OP_PHI && past_phis)
            wrong(c, "instruction %u: a phi after other instructions", index);
        past_phis |= i->op != CW_OP_PHI;
        c->place[index] = k + 1;
    }
}

static void check_jump_shape(struct check *c, uint32_t b) {
    const struct cw_jump *j = &c->fn->blocks.at[b].jump;
    static const uint32_t succs[] = {[CW_JUMP_GOTO] = 1, [CW_JUMP_BRANCH] = 2};
    uint32_t want = j->kind <= CW_JUMP_BRANCH ? succs[j->kind] : 0;
    if (j->kind == CW_JUMP_SWITCH ? j->nsucc == 0 : j->nsucc != want)
        wrong(c, "block %u: a jump to %u blocks", b, j->nsucc);
    for (uint32_t s = 0; s < j->nsucc; s++)
        if (j->succ[s] >= c->fn->blocks.n)
            wrong(c, "block %u: a jump to block %u, which there is not", b, j->succ[s]);
        else if (j->succ[s] == 0)
            wrong(c, "block %u jumps to the entry", b);
    if (j->loc >= c->fn->locs.n || c->fn->blocks.at[b].always >= c->fn->locs.n)
        wrong(c, "block %u: no location %u", b, j->loc);
}

static void check_jump_value(struct check *c, uint32_t b) {
    const struct cw_jump *j = &c->fn->blocks.at[b].jump;
    bool needs = j->kind == CW_JUMP_BRANCH || j->kind == CW_JUMP_SWITCH;
    if (j->value.tag == CW_REF_NONE && !needs)
        return;
    if (!ref_in_range(c, j->value)) {
        wrong(c, "block %u: the jump's value refers to nothing", b);
        return;
    }
    enum cw_type t = cw_ref_type(c->fn, j->value);
    bool fine = j->kind == CW_JUMP_BRANCH   ? t == CW_I1
                : j->kind == CW_JUMP_SWITCH ? cw_type_is_int(t)
                : j->kind == CW_JUMP_RETURN ? t == c->fn->result
                                            : false;
    if (!fine)
        wrong(c, "block %u: the jump's value cannot be %s", b, cw_type_text(t));
}

/* Compared as multisets: `seen` counts each predecessor up once per edge and down once per entry of the list. */
static void check_preds_of(struct check *c, uint32_t b, const uint32_t *from, uint32_t n, int32_t *seen) {
    const struct cw_vec_u32 *pred = &c->fn->blocks.at[b].pred;
    bool same = n == pred->n;
    for (uint32_t k = 0; k < n; k++)
        seen[from[k]]++;
    for (uint32_t k = 0; same && k < n; k++)
        same = pred->at[k] < c->fn->blocks.n && seen[pred->at[k]]-- > 0;
    for (uint32_t k = 0; k < n; k++)
        seen[from[k]] = 0;
    if (!same)
        wrong(c, "block %u: its predecessors are not those that jump to it", b);
}

static void check_preds(struct check *c) {
    const struct cw_fn *fn = c->fn;
    if (!fn->is_ssa && !cw_edit_is_linked(fn))
        return;
    struct cw_vec_u32 *from = CW_NEW_ARRAY(c->scratch, struct cw_vec_u32, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t s = 0; s < fn->blocks.at[b].jump.nsucc; s++)
            cw_vec_push(c->scratch, &from[fn->blocks.at[b].jump.succ[s]], b);
    int32_t *seen = CW_NEW_ARRAY(c->scratch, int32_t, fn->blocks.n);
    for (uint32_t b = 0; b < fn->blocks.n && !c->wrong; b++)
        check_preds_of(c, b, from[b].at, from[b].n, seen);
}

static bool available(const struct check *c, cw_ref r, uint32_t block, uint32_t place) {
    if (r.tag != CW_REF_INS || !cw_order_reaches(&c->order, block))
        return true;
    uint32_t from = c->fn->ins.at[r.index].block;
    if (from == block)
        return c->place[r.index] < place;
    return cw_order_reaches(&c->order, from) && cw_order_dominates(&c->order, from, block);
}

static void check_dominance(struct check *c, uint32_t b) {
    const struct cw_block *block = &c->fn->blocks.at[b];
    for (uint32_t k = 0; k < block->ins.n; k++) {
        const struct cw_ins *i = &c->fn->ins.at[block->ins.at[k]];
        for (uint32_t o = 0; o < i->narg; o++) {
            bool phi = i->op == CW_OP_PHI;
            if (!available(c, cw_arg(c->fn, i, o), phi ? block->pred.at[o] : b, phi ? UINT32_MAX : k + 1))
                wrong(c, "instruction %u: operand %u is not computed on every way there", block->ins.at[k], o);
        }
    }
    if (!available(c, block->jump.value, b, UINT32_MAX))
        wrong(c, "block %u: the jump's value is not computed on every way there", b);
}

static void check_blocks(struct check *c) {
    uint32_t n = c->fn->blocks.n;
    for (uint32_t b = 0; b < n && !c->wrong; b++) {
        place_block(c, b);
        check_jump_shape(c, b);
    }
    if (!c->wrong)
        check_preds(c);
    for (uint32_t b = 0; b < n && !c->wrong; b++) {
        check_jump_value(c, b);
        for (uint32_t k = 0; k < c->fn->blocks.at[b].ins.n && !c->wrong; k++)
            check_ins(c, c->fn->blocks.at[b].ins.at[k]);
    }
    if (c->wrong)
        return;
    c->order = cw_order_blocks(c->fn, c->scratch);
    for (uint32_t b = 0; b < n && !c->wrong; b++) {
        if (cw_order_reaches(&c->order, b) && c->fn->blocks.at[b].jump.kind == CW_JUMP_NONE)
            wrong(c, "block %u does not end in a jump", b);
        check_dominance(c, b);
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
