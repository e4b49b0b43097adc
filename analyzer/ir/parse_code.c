/* Instructions and jumps of the text form.
 *
 * requires: the labels of the function. computes: the instruction, at the index of its label, and the jump of a block;
 * operands of a PHI and sizes of loads and stores are settled when the function is whole. cost: the text. preserves:
 * what has been read before. */
#include "ir/parse_internal.h"

#include <ctype.h>

/* ---- operations ---- */

static bool find_op(cw_str word, enum cw_op *op) {
    for (unsigned o = CW_OP_HOLE + 1; o < CW_NOPS; o++)
        if (cw_str_is(word, cw_op_text((enum cw_op)o))) {
            *op = (enum cw_op)o;
            return true;
        }
    return false;
}

bool cw_parse_find_aux(enum cw_op op, cw_str word, uint32_t *aux) {
    for (uint32_t a = 0; cw_aux_text(op, a); a++)
        if (cw_str_is(word, cw_aux_text(op, a))) {
            *aux = a;
            return true;
        }
    return false;
}

static uint32_t atomic_scope(struct parser *parser) {
    if (!cw_lex_direct(&parser->lex, '.'))
        return CW_SCOPE_DEVICE;
    cw_str word = cw_lex_word(&parser->lex);
    for (unsigned s = 0; cw_scope_text((enum cw_scope)s); s++)
        if (cw_str_is(word, cw_scope_text((enum cw_scope)s)))
            return s;
    cw_parse_fail(parser, "unknown scope \"%.*s\"", (int)word.n, word.at);
    return 0;
}

static uint32_t atomic_order(struct parser *parser) {
    if (!cw_lex_direct(&parser->lex, '.'))
        return CW_RELAXED;
    cw_str word = cw_lex_word(&parser->lex);
    for (unsigned order = 0; cw_memory_order_text((enum cw_memory_order)order); order++)
        if (cw_str_is(word, cw_memory_order_text((enum cw_memory_order)order)))
            return order;
    cw_parse_fail(parser, "unknown order \"%.*s\"", (int)word.n, word.at);
    return 0;
}

/* Sets *natural when nothing was written: loads and stores then access the bytes of their value. */
static uint32_t parse_suffix(struct parser *parser, enum cw_op op, bool *natural) {
    struct cw_lex *l = &parser->lex;
    *natural = !cw_lex_direct(l, '.');
    bool named_aux = cw_aux_text(op, 0) && op != CW_OP_BARRIER && op != CW_OP_CLUSTERSYNC;
    if (*natural) {
        if (named_aux || op == CW_OP_PURE || op == CW_OP_ASM)
            cw_parse_fail(parser, "\"%s\" needs a suffix", cw_op_text(op));
        return 0;
    }
    if (op == CW_OP_PURE || op == CW_OP_ASM) {
        const char *text = cw_lex_symbol(l);
        return l->error ? 0 : cw_fn_add_text(parser->fn, text);
    }
    if (isdigit((unsigned char)cw_lex_peek(l)))
        return cw_lex_u32(l);
    cw_str word = cw_lex_word(l);
    uint32_t aux = 0;
    if (!cw_parse_find_aux(op, word, &aux))
        cw_parse_fail(parser, "unknown suffix \"%.*s\" of \"%s\"", (int)word.n, word.at, cw_op_text(op));
    if (op != CW_OP_ATOMIC)
        return aux;
    uint32_t scope = atomic_scope(parser);
    return aux | scope << 8 | atomic_order(parser) << 16;
}

static void parse_flag(struct parser *parser, struct cw_ins *ins) {
    cw_str word = cw_lex_word(&parser->lex);
    if (cw_str_is(word, "intrinsic")) {
        cw_lex_expect(&parser->lex, '=');
        ins->intrinsic = cw_lex_u32(&parser->lex);
        return;
    }
    for (unsigned bit = 0; cw_text_flag(bit); bit++)
        if (cw_str_is(word, cw_text_flag(bit))) {
            ins->flags |= (uint16_t)(1u << bit);
            return;
        }
    cw_parse_fail(parser, "unknown flag \"%.*s\"", (int)word.n, word.at);
}

/* ---- operands ---- */

struct operands {
    cw_ref *at;
    uint32_t n, cap;
};

static void operand_list(struct parser *parser, enum cw_op op, enum cw_type type, char end, struct operands *out) {
    struct cw_lex *l = &parser->lex;
    if (cw_lex_at_eol(l) || *l->at == end || *l->at == '!' || cw_parse_is_at_place(parser))
        return;
    do {
        cw_ref r = cw_parse_operand(parser, cw_text_operand_type(op, type, out->n));
        cw_vec_push(l->arena, out, r);
    } while (cw_lex_accept(l, ','));
}

static void phi_operands(struct parser *parser, enum cw_type type, struct operands *out) {
    struct cw_lex *l = &parser->lex;
    parser->phis.at[parser->phis.n - 1].first = parser->phi_args.n;
    if (cw_lex_at_eol(l) || *l->at == '!' || cw_parse_is_at_place(parser))
        return;
    do {
        struct phi_arg a = {.block = cw_parse_block(parser)};
        cw_lex_expect(l, ':');
        a.value = cw_parse_operand(parser, cw_text_operand_type(CW_OP_PHI, type, out->n));
        cw_vec_push(l->arena, &parser->phi_args, a);
        cw_vec_push(l->arena, out, a.value);
    } while (cw_lex_accept(l, ','));
}

static void call_operands(struct parser *parser, struct cw_ins *ins, struct operands *out) {
    cw_lex_expect(&parser->lex, '@');
    const char *key = cw_lex_symbol(&parser->lex);
    if (parser->lex.error)
        return;
    ins->aux = cw_fn_add_callee(parser->fn, key);
    cw_lex_expect(&parser->lex, '(');
    operand_list(parser, (enum cw_op)ins->op, (enum cw_type)ins->type, ')', out);
    cw_lex_expect(&parser->lex, ')');
}

/* Operands that tests leave out: a barrier of the whole block, a full mask, a full-width shuffle. */
static void usual_operands(struct parser *parser, struct cw_ins *ins, struct operands *out) {
    if (ins->op == CW_OP_BARRIER && out->n == 0) {
        cw_ref zero = cw_fn_const(parser->fn, CW_I32, 0);
        cw_vec_push(parser->lex.arena, out, zero);
        cw_vec_push(parser->lex.arena, out, zero);
        cw_vec_push(parser->lex.arena, out, cw_fn_undef(CW_I32));
    } else if (ins->op == CW_OP_SYNCWARP && out->n == 0) {
        ins->flags |= CW_INS_DEFAULT_MASK;
        cw_vec_push(parser->lex.arena, out, cw_fn_const(parser->fn, CW_I32, -1));
    } else if (ins->op == CW_OP_SHFL && out->n == 3) {
        ins->flags |= CW_INS_DEFAULT_WIDTH;
        cw_vec_push(parser->lex.arena, out, cw_fn_const(parser->fn, CW_I32, 32));
    }
}

static void all_operands(struct parser *parser, struct cw_ins *ins, struct operands *out) {
    enum cw_op op = (enum cw_op)ins->op;
    if (op == CW_OP_CALL || op == CW_OP_LAUNCH)
        call_operands(parser, ins, out);
    else if (op == CW_OP_PHI)
        phi_operands(parser, (enum cw_type)ins->type, out);
    else
        operand_list(parser, op, (enum cw_type)ins->type, '\0', out);
    usual_operands(parser, ins, out);
    int want = cw_op_operands(op);
    if (!parser->lex.error && want >= 0 && (uint32_t)want != out->n)
        cw_parse_fail(parser, "\"%s\" takes %d operands, not %u", cw_op_text(op), want, out->n);
}

/* ---- instructions ---- */

static void place_instruction(struct parser *parser, uint32_t block, uint32_t index, struct cw_ins ins,
                              const struct operands *operands) {
    struct cw_fn *fn = parser->fn;
    ins.block = block;
    ins.arg = fn->args.n;
    ins.narg = operands->n;
    for (uint32_t k = 0; k < operands->n; k++)
        cw_vec_push(fn->arena, &fn->args, operands->at[k]);
    fn->ins.at[index] = ins;
    cw_vec_push(fn->arena, &fn->blocks.at[block].ins, index);
    if ((ins.op == CW_OP_OPAQUE || ins.op == CW_OP_OPCALL) && !parser->has_bails)
        fn->bails[ins.aux < CW_NBAILS ? ins.aux : CW_BAIL_NONE]++;
}

void cw_parse_instruction(struct parser *parser, uint32_t block, cw_str label, bool has_result) {
    struct cw_lex *l = &parser->lex;
    uint32_t index = parser->next < parser->order.n ? parser->order.at[parser->next++] : 0, line = l->line;
    cw_str word = cw_lex_word(l);
    enum cw_op op;
    if (!find_op(word, &op)) { /* the first look counts only lines that start with a word */
        cw_parse_fail(parser, "unknown operation \"%.*s\"", (int)word.n, word.at);
        return;
    }
    bool natural;
    struct cw_ins i = {.op = (uint8_t)op, .type = (uint8_t)cw_text_result_type(op)};
    i.aux = parse_suffix(parser, op, &natural);
    enum cw_type type;
    if (cw_parse_accept_type(parser, &type))
        i.type = (uint8_t)type;
    if (has_result && i.type == CW_VOID)
        cw_parse_fail(parser, "\"%s\" needs a type to have a result", cw_op_text(op));
    if (op == CW_OP_PHI)
        cw_vec_push(l->arena, &parser->phis, ((struct phi){.ins = index, .line = line}));
    struct operands o = {0};
    all_operands(parser, &i, &o);
    while (cw_lex_accept(l, '!'))
        parse_flag(parser, &i);
    i.loc = cw_parse_optional_loc(parser);
    i.name = has_result ? cw_parse_label_name(parser, label, false) : NULL;
    if (l->error)
        return;
    if (natural && (op == CW_OP_LOAD || op == CW_OP_STORE))
        cw_vec_push(l->arena, &parser->natural, index);
    if (op == CW_OP_PHI)
        parser->phis.at[parser->phis.n - 1].n = o.n;
    place_instruction(parser, block, index, i, &o);
}

/* ---- jumps ---- */

static void parse_origin(struct parser *parser, struct cw_jump *jump) {
    if (cw_lex_accept(&parser->lex, '!')) {
        cw_str word = cw_lex_word(&parser->lex);
        for (unsigned o = 0; cw_origin_text((enum cw_origin)o); o++)
            if (cw_str_is(word, cw_origin_text((enum cw_origin)o))) {
                jump->origin = (enum cw_origin)o;
                return;
            }
        cw_parse_fail(parser, "unknown origin \"%.*s\"", (int)word.n, word.at);
    }
}

static void switch_jump(struct parser *parser, uint32_t block) {
    struct cw_lex *l = &parser->lex;
    cw_ref value = cw_parse_operand(parser, CW_I32);
    CW_VEC(int64_t) cases = {0};
    struct cw_vec_u32 succ = {0};
    while (cw_lex_expect(l, ',') && !cw_lex_accept_word(l, "default")) {
        cw_vec_push(l->arena, &cases, cw_lex_int(l));
        cw_lex_expect(l, ':');
        cw_vec_push(l->arena, &succ, cw_parse_block(parser));
    }
    cw_lex_expect(l, ':');
    cw_vec_push(l->arena, &succ, cw_parse_block(parser));
    if (!l->error)
        cw_fn_switch(parser->fn, block, value, cases.n, cases.at, succ.at, 0);
}

static void branch_jump(struct parser *parser, uint32_t block) {
    cw_ref value = cw_parse_operand(parser, CW_I1);
    cw_lex_expect(&parser->lex, ',');
    uint32_t yes = cw_parse_block(parser);
    cw_lex_expect(&parser->lex, ',');
    cw_fn_branch(parser->fn, block, value, yes, cw_parse_block(parser), 0, CW_FROM_NONE);
}

static void return_jump(struct parser *parser, uint32_t block) {
    bool bare = cw_lex_at_eol(&parser->lex) || *parser->lex.at == '!' || cw_parse_is_at_place(parser);
    cw_fn_return(parser->fn, block, bare ? CW_NONE : cw_parse_operand(parser, parser->fn->result), 0);
}

void cw_parse_jump(struct parser *parser, uint32_t block, cw_str word) {
    struct cw_jump *j = &parser->fn->blocks.at[block].jump;
    if (j->kind != CW_JUMP_NONE)
        cw_parse_fail(parser, "the block has two jumps");
    else if (cw_str_is(word, "goto"))
        cw_fn_jump(parser->fn, block, cw_parse_block(parser), 0, CW_FROM_NONE);
    else if (cw_str_is(word, "branch"))
        branch_jump(parser, block);
    else if (cw_str_is(word, "switch"))
        switch_jump(parser, block);
    else if (cw_str_is(word, "return"))
        return_jump(parser, block);
    else
        cw_fn_trap(parser->fn, block, 0);
    parse_origin(parser, j);
    j->loc = cw_parse_optional_loc(parser);
}
