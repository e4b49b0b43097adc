/* Reads the text form that print.c writes, and what people write by hand in tests: places, numbers after names and most
 * attributes may be left out. Two looks at each function: the first gives every label its index, so that the second can
 * resolve forward references at once. */
#include "ir/edit.h"
#include "ir/lex.h"
#include "ir/text.h"

#include "base/bitset.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = 256 << 20, MAX_NUMBER = 1 << 20 };

/* A PHI operand as written: the value from `block`. */
struct phi_arg {
    uint32_t block;
    cw_ref value;
};

struct phi {
    uint32_t ins, line, first, n; /* range in parser.phi_args */
};

struct parser {
    struct cw_lex lex;
    struct cw_module *module;
    struct cw_fn *fn;
    struct cw_intern labels;
    struct cw_map values;  /* interned label -> tag << 28 | index, of instructions and parameters */
    struct cw_map objects; /* interned label -> index */
    struct cw_map blocks;  /* interned label -> index */
    struct cw_vec_u32 order; /* index of each instruction in order of appearance; filled by the first look */
    uint32_t next;           /* position in `order` */
    uint32_t first_line;     /* of the function */
    CW_VEC(struct phi_arg) phi_args;
    CW_VEC(struct phi) phis;
    struct cw_vec_u32 natural; /* loads and stores that access as many bytes as their value has */
    bool has_bails;
};

#define fail(p, ...) cw_lex_fail(&(p)->lex, __VA_ARGS__)

static uint64_t label_key(struct parser *parser, cw_str raw) {
    return (uint64_t)(uintptr_t)cw_intern_n(&parser->labels, raw.at, raw.n);
}

/* ---- first look ---- */

/* "b12" with 'b', "i.12" or "12" with 0: the number at the end that fixes an index. */
static bool label_number(cw_str raw, char prefix, uint32_t *number) {
    size_t digits = 0;
    while (digits < raw.n && isdigit((unsigned char)raw.at[raw.n - 1 - digits]))
        digits++;
    size_t before = raw.n - digits;
    bool fits = prefix ? before == 1 && raw.at[0] == prefix : before == 0 || raw.at[before - 1] == '.';
    if (!fits || digits == 0 || digits > 9)
        return false;
    uint64_t value = 0;
    for (size_t i = before; i < raw.n; i++)
        value = value * 10 + (uint64_t)(raw.at[i] - '0');
    *number = (uint32_t)value;
    return true;
}

/* What one line defines. `label` is NULL for an instruction without a result. */
struct defined {
    const char *label;
    size_t n;
    uint32_t line;
};

struct look {
    CW_VEC(struct defined) blocks;
    CW_VEC(struct defined) ins;
};

static bool starts_jump(cw_str word) {
    static const char *const jumps[] = {"goto", "branch", "switch", "return", "trap"};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (cw_str_is(word, jumps[i]))
            return true;
    return false;
}

static void look_at_line(struct parser *parser, struct look *look) {
    struct cw_lex *l = &parser->lex;
    if (cw_lex_accept(l, '%')) {
        cw_str raw = cw_lex_label(l);
        bool defines = cw_lex_accept(l, '=');
        cw_vec_push(l->arena, &look->ins, ((struct defined){defines ? raw.at : NULL, raw.n, l->line}));
        return;
    }
    cw_str word = cw_lex_dotted(l);
    if (word.n && cw_lex_direct(l, ':'))
        cw_vec_push(l->arena, &look->blocks, ((struct defined){word.at, word.n, l->line}));
    else if (word.n && look->blocks.n && !starts_jump(word))
        cw_vec_push(l->arena, &look->ins, ((struct defined){NULL, 0, l->line}));
}

static void look_ahead(struct parser *parser, struct look *look) {
    struct cw_lex saved = parser->lex;
    while (!parser->lex.error && cw_lex_peek(&parser->lex) && *parser->lex.at != '}') {
        look_at_line(parser, look);
        while (parser->lex.at < parser->lex.end && *parser->lex.at != '\n')
            parser->lex.at++;
        if (!parser->lex.error)
            cw_lex_end_line(&parser->lex);
    }
    const char *error = parser->lex.error;
    parser->lex = saved;
    if (error) {
        parser->lex.error = error;
        parser->lex.at = parser->lex.end;
    }
}

/* Gives each definition its index: the number in its label, else the next free one. */
static void number_all(struct parser *parser, const struct defined *at, uint32_t n, char prefix,
                       struct cw_vec_u32 *out) {
    uint32_t number = 0, top = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].label || !label_number((cw_str){at[i].label, at[i].n}, prefix, &number))
            continue;
        if (number > MAX_NUMBER) {
            parser->lex.line = at[i].line;
            fail(parser, "number of a label is too large");
            return;
        }
        top = number + 1 > top ? number + 1 : top;
    }
    struct cw_bitset taken = cw_bitset_new(parser->lex.arena, top);
    for (uint32_t i = 0; i < n; i++)
        if (at[i].label && label_number((cw_str){at[i].label, at[i].n}, prefix, &number))
            cw_bitset_add(&taken, number);
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].label || !label_number((cw_str){at[i].label, at[i].n}, prefix, &number)) {
            while (next < top && cw_bitset_has(&taken, next))
                next++;
            number = next++;
        }
        cw_vec_push(parser->lex.arena, out, number);
    }
}

static void define_label(struct parser *parser, struct cw_map *map, const struct defined *defined, uint64_t value) {
    uint64_t key = label_key(parser, (cw_str){defined->label, defined->n});
    if (cw_map_get(map, key, NULL)) {
        parser->lex.line = defined->line;
        fail(parser, "\"%.*s\" is defined twice", (int)defined->n, defined->label);
    }
    cw_map_put(map, key, value);
}

static void define_blocks(struct parser *parser, const struct look *look) {
    struct cw_vec_u32 index = {0};
    number_all(parser, look->blocks.at, look->blocks.n, 'b', &index);
    for (uint32_t i = 0; i < index.n && !parser->lex.error; i++) {
        define_label(parser, &parser->blocks, &look->blocks.at[i], index.at[i]);
        while (parser->fn->blocks.n <= index.at[i])
            cw_fn_add_block(parser->fn);
    }
    if (look->blocks.n == 0)
        fail(parser, "a function needs a block");
    else if (!parser->lex.error && index.at[0] != 0) {
        parser->lex.line = look->blocks.at[0].line;
        fail(parser, "the first block is the entry and must be b0 when blocks are numbered");
    }
}

static uint64_t pack_ref(cw_ref ref) {
    return (uint64_t)ref.tag << 28 | ref.index;
}

/* Named first, so that two different labels never meet in one slot: the table is made whole before it is filled. */
static void define_values(struct parser *parser, const struct look *look) {
    number_all(parser, look->ins.at, look->ins.n, 0, &parser->order);
    uint32_t top = 0;
    for (uint32_t i = 0; i < parser->order.n && !parser->lex.error; i++) {
        top = parser->order.at[i] + 1 > top ? parser->order.at[i] + 1 : top;
        if (look->ins.at[i].label)
            define_label(parser, &parser->values, &look->ins.at[i], pack_ref(cw_ref_ins(parser->order.at[i])));
    }
    struct cw_bitset seen = cw_bitset_new(parser->lex.arena, top);
    for (uint32_t i = 0; i < parser->order.n && !parser->lex.error; i++) {
        if (cw_bitset_has(&seen, parser->order.at[i])) {
            parser->lex.line = look->ins.at[i].line;
            fail(parser, "two instructions have the number %u", parser->order.at[i]);
        }
        cw_bitset_add(&seen, parser->order.at[i]);
    }
    for (uint32_t i = 0; i < top && !parser->lex.error; i++)
        cw_vec_push(parser->fn->arena, &parser->fn->ins, (struct cw_ins){.op = CW_OP_HOLE});
}

/* ---- small parts ---- */

static bool find_type(cw_str word, enum cw_type *type) {
    for (unsigned t = 0; t < CW_NTYPES; t++)
        if (cw_str_is(word, cw_type_text((enum cw_type)t))) {
            *type = (enum cw_type)t;
            return true;
        }
    return false;
}

/* A type word; not one before ':', which belongs to an operand. */
static bool accept_type(struct parser *parser, enum cw_type *type) {
    const char *from = parser->lex.at;
    if (find_type(cw_lex_word(&parser->lex), type) && cw_lex_peek(&parser->lex) != ':')
        return true;
    parser->lex.at = from;
    return false;
}

/* The source name in a label: without its number, decoded; NULL when the label is a number alone. */
static const char *label_name(struct parser *parser, cw_str raw, bool is_param) {
    size_t n = raw.n;
    while (n && isdigit((unsigned char)raw.at[n - 1]))
        n--;
    if (is_param && n > 1 && n < raw.n && (raw.at[n - 1] == 'p' || raw.at[n - 1] == 't') && raw.at[n - 2] == '.')
        raw.n = n - 2;
    else if (!is_param && (n == 0 || (n < raw.n && raw.at[n - 1] == '.')))
        raw.n = n ? n - 1 : 0;
    if (raw.n == 0)
        return NULL;
    if (raw.at[0] == '"')
        return cw_intern(&parser->module->names, cw_lex_decode(&parser->lex, raw));
    return cw_intern_n(&parser->module->names, raw.at, raw.n);
}

static void parse_span(struct parser *parser, struct cw_span *s) {
    struct cw_lex *l = &parser->lex;
    uint32_t first = cw_lex_u32(l);
    if (cw_lex_direct(l, '/')) {
        s->file = first;
        first = cw_lex_u32(l);
        if (s->file >= parser->module->files.n)
            fail(parser, "no file number %u", s->file);
    }
    s->line = first;
    cw_lex_expect(l, ':');
    s->col = cw_lex_u32(l);
    if (!cw_lex_direct(l, '-'))
        return;
    s->end_line = s->line;
    s->end_col = cw_lex_u32(l);
    if (cw_lex_direct(l, ':')) {
        s->end_line = s->end_col;
        s->end_col = cw_lex_u32(l);
    }
}

static void required_span(struct parser *parser, struct cw_span *s) {
    if (cw_lex_expect(&parser->lex, '@'))
        parse_span(parser, s);
}

static bool at_place(struct parser *parser) {
    return cw_lex_peek(&parser->lex) == '@' && parser->lex.at + 1 < parser->lex.end &&
           isdigit((unsigned char)parser->lex.at[1]);
}

static uint32_t optional_loc(struct parser *parser) {
    if (!at_place(parser))
        return 0;
    struct cw_loc loc = {0};
    parser->lex.at++;
    parse_span(parser, &loc.span);
    if (cw_lex_direct(&parser->lex, '~')) {
        loc.site = cw_lex_u32(&parser->lex);
        if (loc.site >= parser->fn->sites.n)
            fail(parser, "no site ~%u", loc.site);
    }
    if (cw_lex_direct(&parser->lex, '^'))
        loc.macro = cw_lex_symbol(&parser->lex);
    return parser->lex.error ? 0 : cw_fn_add_loc(parser->fn, loc);
}

/* ---- operands ---- */

static bool find_sreg(cw_str word, cw_ref *ref) {
    for (unsigned s = 0; s < CW_NSREGS; s++)
        if (cw_str_is(word, cw_sreg_text((enum cw_sreg)s))) {
            *ref = cw_ref_of(CW_REF_SREG, s);
            return true;
        }
    return false;
}

static cw_ref parse_literal(struct parser *parser, enum cw_type type) {
    int64_t value = cw_type_is_float(type) ? cw_lex_float(&parser->lex) : cw_lex_int(&parser->lex);
    unsigned bits = cw_type_bits(type);
    if (cw_type_is_int(type) && bits < 64 && (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << bits))
        fail(parser, "the number does not fit %s", cw_type_text(type));
    return cw_fn_const(parser->fn, type, value);
}

static cw_ref parse_named(struct parser *parser, const struct cw_map *map, enum cw_ref_tag tag) {
    cw_str raw = cw_lex_label(&parser->lex);
    uint64_t found = 0;
    if (!cw_map_get(map, label_key(parser, raw), &found)) {
        fail(parser, "unknown value \"%.*s\"", (int)raw.n, raw.at);
        return CW_NONE;
    }
    if (tag == CW_REF_OBJECT)
        return cw_ref_of(tag, (uint32_t)found);
    return cw_ref_of((enum cw_ref_tag)(found >> 28), (uint32_t)found);
}

static cw_ref parse_operand(struct parser *parser, enum cw_type usual) {
    struct cw_lex *l = &parser->lex;
    char c = cw_lex_peek(l);
    if (cw_lex_direct(l, '%'))
        return parse_named(parser, &parser->values, CW_REF_NONE);
    if (cw_lex_direct(l, '$'))
        return parse_named(parser, &parser->objects, CW_REF_OBJECT);
    if (isdigit((unsigned char)c) || c == '-')
        return parse_literal(parser, usual);
    cw_str word = cw_lex_dotted(l);
    enum cw_type type;
    cw_ref r = CW_NONE;
    if (cw_str_is(word, "undef"))
        return cw_fn_undef(usual);
    if (cw_str_is(word, "none") || find_sreg(word, &r))
        return r;
    if (!find_type(word, &type) || !cw_lex_expect(l, ':')) {
        fail(parser, "expected an operand");
        return r;
    }
    return cw_lex_accept_word(l, "undef") ? cw_fn_undef(type) : parse_literal(parser, type);
}

static uint32_t block_ref(struct parser *parser) {
    cw_str word = cw_lex_dotted(&parser->lex);
    uint64_t found = 0;
    if (!cw_map_get(&parser->blocks, label_key(parser, word), &found))
        fail(parser, "unknown block \"%.*s\"", (int)word.n, word.at);
    return (uint32_t)found;
}

/* ---- instructions ---- */

static bool find_op(cw_str word, enum cw_op *op) {
    for (unsigned o = CW_OP_HOLE + 1; o < CW_NOPS; o++)
        if (cw_str_is(word, cw_op_text((enum cw_op)o))) {
            *op = (enum cw_op)o;
            return true;
        }
    return false;
}

static bool find_aux(enum cw_op op, cw_str word, uint32_t *aux) {
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
    fail(parser, "unknown scope \"%.*s\"", (int)word.n, word.at);
    return 0;
}

static uint32_t atomic_order(struct parser *parser) {
    if (!cw_lex_direct(&parser->lex, '.'))
        return CW_RELAXED;
    cw_str word = cw_lex_word(&parser->lex);
    for (unsigned order = 0; cw_memory_order_text((enum cw_memory_order)order); order++)
        if (cw_str_is(word, cw_memory_order_text((enum cw_memory_order)order)))
            return order;
    fail(parser, "unknown order \"%.*s\"", (int)word.n, word.at);
    return 0;
}

/* Sets *natural when nothing was written: loads and stores then access the bytes of their value. */
static uint32_t parse_suffix(struct parser *parser, enum cw_op op, bool *natural) {
    struct cw_lex *l = &parser->lex;
    *natural = !cw_lex_direct(l, '.');
    bool named_aux = cw_aux_text(op, 0) && op != CW_OP_BARRIER && op != CW_OP_CLUSTERSYNC;
    if (*natural) {
        if (named_aux || op == CW_OP_PURE || op == CW_OP_ASM)
            fail(parser, "\"%s\" needs a suffix", cw_op_text(op));
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
    if (!find_aux(op, word, &aux))
        fail(parser, "unknown suffix \"%.*s\" of \"%s\"", (int)word.n, word.at, cw_op_text(op));
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
    fail(parser, "unknown flag \"%.*s\"", (int)word.n, word.at);
}

struct operands {
    cw_ref *at;
    uint32_t n, cap;
};

static void operand_list(struct parser *parser, enum cw_op op, enum cw_type type, char end, struct operands *out) {
    struct cw_lex *l = &parser->lex;
    if (cw_lex_at_eol(l) || *l->at == end || *l->at == '!' || at_place(parser))
        return;
    do {
        cw_ref r = parse_operand(parser, cw_text_operand_type(op, type, out->n));
        cw_vec_push(l->arena, out, r);
    } while (cw_lex_accept(l, ','));
}

static void phi_operands(struct parser *parser, enum cw_type type, struct operands *out) {
    struct cw_lex *l = &parser->lex;
    parser->phis.at[parser->phis.n - 1].first = parser->phi_args.n;
    if (cw_lex_at_eol(l) || *l->at == '!' || at_place(parser))
        return;
    do {
        struct phi_arg a = {.block = block_ref(parser)};
        cw_lex_expect(l, ':');
        a.value = parse_operand(parser, cw_text_operand_type(CW_OP_PHI, type, out->n));
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
        fail(parser, "\"%s\" takes %d operands, not %u", cw_op_text(op), want, out->n);
}

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

static void parse_instruction(struct parser *parser, uint32_t block, cw_str label, bool has_result) {
    struct cw_lex *l = &parser->lex;
    uint32_t index = parser->next < parser->order.n ? parser->order.at[parser->next++] : 0, line = l->line;
    cw_str word = cw_lex_word(l);
    enum cw_op op;
    if (!find_op(word, &op)) { /* the first look counts only lines that start with a word */
        fail(parser, "unknown operation \"%.*s\"", (int)word.n, word.at);
        return;
    }
    bool natural;
    struct cw_ins i = {.op = (uint8_t)op, .type = (uint8_t)cw_text_result_type(op)};
    i.aux = parse_suffix(parser, op, &natural);
    enum cw_type type;
    if (accept_type(parser, &type))
        i.type = (uint8_t)type;
    if (has_result && i.type == CW_VOID)
        fail(parser, "\"%s\" needs a type to have a result", cw_op_text(op));
    if (op == CW_OP_PHI)
        cw_vec_push(l->arena, &parser->phis, ((struct phi){.ins = index, .line = line}));
    struct operands o = {0};
    all_operands(parser, &i, &o);
    while (cw_lex_accept(l, '!'))
        parse_flag(parser, &i);
    i.loc = optional_loc(parser);
    i.name = has_result ? label_name(parser, label, false) : NULL;
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
        fail(parser, "unknown origin \"%.*s\"", (int)word.n, word.at);
    }
}

static void switch_jump(struct parser *parser, uint32_t block) {
    struct cw_lex *l = &parser->lex;
    cw_ref value = parse_operand(parser, CW_I32);
    CW_VEC(int64_t) cases = {0};
    struct cw_vec_u32 succ = {0};
    while (cw_lex_expect(l, ',') && !cw_lex_accept_word(l, "default")) {
        cw_vec_push(l->arena, &cases, cw_lex_int(l));
        cw_lex_expect(l, ':');
        cw_vec_push(l->arena, &succ, block_ref(parser));
    }
    cw_lex_expect(l, ':');
    cw_vec_push(l->arena, &succ, block_ref(parser));
    if (!l->error)
        cw_fn_switch(parser->fn, block, value, cases.n, cases.at, succ.at, 0);
}

static void branch_jump(struct parser *parser, uint32_t block) {
    cw_ref value = parse_operand(parser, CW_I1);
    cw_lex_expect(&parser->lex, ',');
    uint32_t yes = block_ref(parser);
    cw_lex_expect(&parser->lex, ',');
    cw_fn_branch(parser->fn, block, value, yes, block_ref(parser), 0, CW_FROM_NONE);
}

static void return_jump(struct parser *parser, uint32_t block) {
    bool bare = cw_lex_at_eol(&parser->lex) || *parser->lex.at == '!' || at_place(parser);
    cw_fn_return(parser->fn, block, bare ? CW_NONE : parse_operand(parser, parser->fn->result), 0);
}

/* The word that starts the line has been read. */
static void parse_jump(struct parser *parser, uint32_t block, cw_str word) {
    struct cw_jump *j = &parser->fn->blocks.at[block].jump;
    if (j->kind != CW_JUMP_NONE)
        fail(parser, "the block has two jumps");
    else if (cw_str_is(word, "goto"))
        cw_fn_jump(parser->fn, block, block_ref(parser), 0, CW_FROM_NONE);
    else if (cw_str_is(word, "branch"))
        branch_jump(parser, block);
    else if (cw_str_is(word, "switch"))
        switch_jump(parser, block);
    else if (cw_str_is(word, "return"))
        return_jump(parser, block);
    else
        cw_fn_trap(parser->fn, block, 0);
    parse_origin(parser, j);
    j->loc = optional_loc(parser);
}

/* ---- lines before the first block ---- */

static void flags_line(struct parser *parser) {
    struct cw_fn *fn = parser->fn;
    while (!cw_lex_at_eol(&parser->lex)) {
        cw_str word = cw_lex_word(&parser->lex);
        if (cw_str_is(word, "pattern"))
            fn->is_pattern = true;
        else if (cw_str_is(word, "static"))
            fn->is_static_scope = true;
        else if (cw_str_is(word, "degraded"))
            fn->is_degraded = true;
        else if (cw_str_is(word, "ssa"))
            fn->is_ssa = true;
        else
            fail(parser, "unknown flag \"%.*s\"", (int)word.n, word.at);
    }
}

static void bails_line(struct parser *parser) {
    parser->has_bails = true;
    while (!cw_lex_at_eol(&parser->lex)) {
        cw_str word = cw_lex_word(&parser->lex);
        uint32_t b = 0;
        if (!find_aux(CW_OP_OPAQUE, word, &b))
            fail(parser, "unknown reason \"%.*s\"", (int)word.n, word.at);
        cw_lex_expect(&parser->lex, '=');
        parser->fn->bails[b] = cw_lex_u32(&parser->lex);
    }
}

static void site_line(struct parser *parser) {
    struct cw_lex *l = &parser->lex;
    cw_lex_expect(l, '~');
    if (cw_lex_u32(l) != parser->fn->sites.n)
        fail(parser, "sites are numbered in order, from 1");
    const char *callee = cw_lex_string(l);
    uint32_t loc = optional_loc(parser);
    if (!l->error)
        cw_vec_push(parser->fn->arena, &parser->fn->sites,
                    ((struct cw_site){loc, cw_intern(&parser->module->names, callee)}));
}

static void pattern_line(struct parser *parser) {
    const char *key = cw_lex_symbol(&parser->lex);
    if (!parser->lex.error)
        parser->fn->pattern_key = cw_intern(&parser->module->names, key);
}

static void shape_line(struct parser *parser, uint32_t shape[3]) {
    for (int k = 0; k < 3; k++) {
        if (k)
            cw_lex_expect(&parser->lex, ',');
        shape[k] = cw_lex_u32(&parser->lex);
    }
}

static void object_key(struct parser *parser, struct cw_object *object) {
    cw_lex_expect(&parser->lex, '=');
    object->key = cw_lex_accept_word(&parser->lex, "none") ? NULL : cw_lex_string(&parser->lex);
}

static void object_attrs(struct parser *parser, struct cw_object *object) {
    struct cw_lex *l = &parser->lex;
    while (!cw_lex_at_eol(l) && *l->at != '@') {
        cw_str word = cw_lex_word(l);
        if (cw_str_is(word, "volatile")) {
            object->is_volatile = true;
        } else if (cw_str_is(word, "key")) {
            object_key(parser, object);
        } else if (cw_lex_expect(l, '=') && cw_str_is(word, "type")) {
            object->type_text = cw_lex_string(l);
        } else if (cw_str_is(word, "align")) {
            object->align = cw_lex_u32(l);
        } else if (cw_str_is(word, "elem")) {
            object->element = cw_lex_u32(l);
        } else if (cw_str_is(word, "row")) {
            object->row = cw_lex_u32(l);
        } else {
            fail(parser, "unknown attribute \"%.*s\"", (int)word.n, word.at);
        }
    }
}

static void object_line(struct parser *parser, enum cw_space space) {
    struct cw_lex *l = &parser->lex;
    struct cw_object o = {.space = space};
    cw_lex_expect(l, '$');
    cw_str raw = cw_lex_label(l);
    o.name = label_name(parser, raw, false);
    o.key = cw_text_default_key(space, o.name);
    cw_lex_expect(l, '[');
    if (cw_lex_peek(l) != ']')
        o.size = (uint64_t)cw_lex_int(l);
    cw_lex_expect(l, ']');
    object_attrs(parser, &o);
    o.loc = optional_loc(parser);
    uint64_t label = label_key(parser, raw);
    if (cw_map_get(&parser->objects, label, NULL))
        fail(parser, "object \"%.*s\" is declared twice", (int)raw.n, raw.at);
    uint32_t before = parser->fn->objects.n;
    if (l->error)
        return;
    cw_map_put(&parser->objects, label, cw_fn_add_object(parser->fn, o).index);
    if (parser->fn->objects.n == before)
        fail(parser, "another object has the key \"%s\"", o.key);
}

static bool find_space(cw_str word, enum cw_space *space) {
    for (unsigned s = 0; cw_space_text((enum cw_space)s); s++)
        if (cw_str_is(word, cw_space_text((enum cw_space)s))) {
            *space = (enum cw_space)s;
            return true;
        }
    return false;
}

static void fact_line(struct parser *parser) {
    cw_str word = cw_lex_word(&parser->lex);
    enum cw_space space;
    if (find_space(word, &space))
        object_line(parser, space);
    else if (cw_str_is(word, "site"))
        site_line(parser);
    else if (cw_str_is(word, "span"))
        required_span(parser, &parser->fn->span);
    else if (cw_str_is(word, "name"))
        required_span(parser, &parser->fn->name_span);
    else if (cw_str_is(word, "bounds"))
        parser->fn->bounds_max_threads = cw_lex_u32(&parser->lex);
    else if (cw_str_is(word, "block"))
        shape_line(parser, parser->fn->reqd_block);
    else if (cw_str_is(word, "cluster"))
        shape_line(parser, parser->fn->reqd_cluster);
    else if (cw_str_is(word, "flags"))
        flags_line(parser);
    else if (cw_str_is(word, "bails"))
        bails_line(parser);
    else if (cw_str_is(word, "pattern"))
        pattern_line(parser);
    else
        fail(parser, "expected a declaration, \"}\" or a block label");
    cw_lex_end_line(&parser->lex);
}

/* ---- functions ---- */

static void param_attr(struct parser *parser, struct cw_param *param) {
    cw_str word = cw_lex_word(&parser->lex);
    if (cw_str_is(word, "restrict"))
        param->is_restrict = true;
    else if (cw_str_is(word, "const"))
        param->points_to_const = true;
    else if (cw_str_is(word, "elem") && cw_lex_expect(&parser->lex, '='))
        param->pointee_bytes = cw_lex_u32(&parser->lex);
    else if (cw_str_is(word, "part") && cw_lex_expect(&parser->lex, '=')) {
        param->part_of = cw_lex_u32(&parser->lex) + 1;
        cw_lex_expect(&parser->lex, '+');
        param->part_at = cw_lex_u32(&parser->lex);
    } else if (cw_str_is(word, "element"))
        param->is_element = true;
    else
        fail(parser, "unknown attribute \"%.*s\" of a parameter", (int)word.n, word.at);
}

static void parse_param(struct parser *parser, bool is_template) {
    struct cw_lex *l = &parser->lex;
    struct cw_param q = {0};
    if (!accept_type(parser, &q.type))
        fail(parser, "expected a parameter's type");
    cw_lex_expect(l, '%');
    cw_str raw = cw_lex_label(l);
    q.name = label_name(parser, raw, true);
    while (!l->error && isalpha((unsigned char)cw_lex_peek(l)))
        param_attr(parser, &q);
    q.loc = optional_loc(parser);
    if (l->error)
        return;
    struct defined d = {raw.at, raw.n, l->line};
    define_label(parser, &parser->values, &d,
                 pack_ref(is_template ? cw_fn_add_tparam(parser->fn, q) : cw_fn_add_param(parser->fn, q)));
}

static void parse_params(struct parser *parser, bool is_template) {
    char end = is_template ? '>' : ')';
    if (cw_lex_accept(&parser->lex, end))
        return;
    do
        parse_param(parser, is_template);
    while (cw_lex_accept(&parser->lex, ','));
    cw_lex_expect(&parser->lex, end);
}

static void start_function(struct parser *parser, enum cw_fn_kind kind) {
    struct cw_lex *l = &parser->lex;
    enum cw_type result = CW_VOID;
    accept_type(parser, &result);
    cw_lex_expect(l, '@');
    const char *key = cw_lex_symbol(l);
    const char *name = cw_lex_peek(l) == '"' ? cw_lex_string(l) : key;
    if (l->error)
        return;
    if (cw_module_find(parser->module, key))
        fail(parser, "function \"%s\" is defined twice", key);
    parser->fn = cw_fn_new(parser->module, kind, name, key);
    parser->fn->result = result;
}

static void body_line(struct parser *parser, uint32_t *block) {
    struct cw_lex *l = &parser->lex;
    if (cw_lex_accept(l, '%')) {
        cw_str label = cw_lex_label(l);
        cw_lex_expect(l, '=');
        parse_instruction(parser, *block, label, true);
        cw_lex_end_line(l);
        return;
    }
    const char *from = l->at;
    cw_str word = cw_lex_dotted(l);
    if (word.n && cw_lex_direct(l, ':')) {
        l->at = from;
        *block = block_ref(parser);
        cw_lex_direct(l, ':');
        if (cw_lex_accept_word(l, "unroll") && cw_lex_expect(l, '='))
            parser->fn->blocks.at[*block].unroll = (int32_t)(cw_lex_u32(l) & INT32_MAX);
        if (cw_lex_accept_word(l, "always"))
            parser->fn->blocks.at[*block].always = optional_loc(parser);
    } else if (starts_jump(word)) {
        parse_jump(parser, *block, word);
    } else {
        l->at = from;
        if (parser->fn->blocks.at[*block].jump.kind != CW_JUMP_NONE)
            fail(parser, "an instruction after the block's jump");
        parse_instruction(parser, *block, CW_STR(""), false);
    }
    cw_lex_end_line(l);
}

static bool at_label(struct parser *parser) {
    const char *from = parser->lex.at;
    bool is = cw_lex_dotted(&parser->lex).n && cw_lex_direct(&parser->lex, ':');
    parser->lex.at = from;
    return is;
}

/* Puts the operands of one PHI into the order of its block's predecessors. The search for each goes on where the last
 * one ended, which is at once right when the text has them in that order. */
static void settle_phi(struct parser *parser, const struct phi *phi) {
    struct cw_ins *i = &parser->fn->ins.at[phi->ins];
    const struct cw_block *b = &parser->fn->blocks.at[i->block];
    struct cw_bitset used = cw_bitset_new(parser->lex.arena, phi->n);
    if (b->pred.n != phi->n) {
        parser->lex.line = phi->line;
        fail(parser, "a phi with %u operands in a block with %u predecessors", phi->n, b->pred.n);
        return;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < phi->n; k++) {
        uint32_t tries = 0;
        while (tries < phi->n &&
               (parser->phi_args.at[phi->first + at].block != b->pred.at[k] || cw_bitset_has(&used, at))) {
            at = at + 1 < phi->n ? at + 1 : 0;
            tries++;
        }
        if (tries == phi->n) {
            parser->lex.line = phi->line;
            fail(parser, "a phi without an operand for predecessor b%u", b->pred.at[k]);
            return;
        }
        cw_bitset_add(&used, at);
        parser->fn->args.at[i->arg + k] = parser->phi_args.at[phi->first + at].value;
    }
}

/* At the end, because a store may stand before the definition of its value. */
static void settle_sizes(struct parser *parser) {
    for (uint32_t k = 0; k < parser->natural.n; k++) {
        struct cw_ins *i = &parser->fn->ins.at[parser->natural.at[k]];
        enum cw_type type =
            i->op == CW_OP_LOAD ? (enum cw_type)i->type : cw_ref_type(parser->fn, cw_arg(parser->fn, i, 0));
        i->aux = cw_type_bytes(type);
    }
}

static void parse_body(struct parser *parser) {
    struct cw_lex *l = &parser->lex;
    while (!l->error && cw_lex_peek(l) && *l->at != '}' && !at_label(parser))
        fact_line(parser);
    uint32_t block = 0;
    while (!l->error && cw_lex_peek(l) && *l->at != '}')
        body_line(parser, &block);
    cw_lex_expect(l, '}');
}

static void parse_function(struct parser *parser, enum cw_fn_kind kind) {
    struct cw_lex *l = &parser->lex;
    parser->has_bails = false;
    parser->next = parser->order.n = parser->phis.n = parser->phi_args.n = parser->natural.n = 0;
    cw_map_init(&parser->values, l->arena);
    cw_map_init(&parser->objects, l->arena);
    cw_map_init(&parser->blocks, l->arena);
    start_function(parser, kind);
    if (!l->error && cw_lex_accept(l, '<'))
        parse_params(parser, true);
    cw_lex_expect(l, '(');
    if (!l->error)
        parse_params(parser, false);
    cw_lex_expect(l, '{');
    cw_lex_end_line(l);
    struct look look = {0};
    look_ahead(parser, &look);
    if (!l->error)
        define_blocks(parser, &look);
    if (!l->error)
        define_values(parser, &look);
    if (!l->error)
        parse_body(parser);
    if (l->error)
        return;
    settle_sizes(parser);
    cw_fn_link_preds(parser->fn);
    for (uint32_t i = 0; i < parser->phis.n && !l->error; i++)
        settle_phi(parser, &parser->phis.at[i]);
}

/* ---- modules ---- */

static void seen_line(struct parser *parser) {
    static const char *const fates[] = {"analysed", "degraded", "lost"};
    struct cw_lex *l = &parser->lex;
    struct cw_seen s = {.is_kernel = cw_lex_accept_word(l, "kernel")};
    if (!s.is_kernel && !cw_lex_accept_word(l, "device"))
        fail(parser, "expected \"kernel\" or \"device\"");
    cw_str fate = cw_lex_word(l);
    unsigned f = 0;
    while (f < 3 && !cw_str_is(fate, fates[f]))
        f++;
    if (f == 3)
        fail(parser, "unknown fate");
    s.fate = (enum cw_fate)f;
    s.name = cw_lex_string(l);
    s.reason = cw_lex_peek(l) == '"' ? cw_lex_string(l) : NULL;
    required_span(parser, &s.span);
    cw_vec_push(parser->module->arena, &parser->module->seen, s);
}

static void note_line(struct parser *parser) {
    struct cw_parse_note n = {.is_error = cw_lex_accept_word(&parser->lex, "error")};
    n.text = cw_lex_string(&parser->lex);
    required_span(parser, &n.span);
    cw_vec_push(parser->module->arena, &parser->module->notes, n);
}

static void file_line(struct parser *parser) {
    const char *path = cw_lex_string(&parser->lex);
    if (!parser->lex.error && cw_module_file(parser->module, path) != parser->module->files.n - 1)
        fail(parser, "file \"%s\" is listed twice", path);
}

static void parse_item(struct parser *parser) {
    cw_str word = cw_lex_word(&parser->lex);
    if (cw_str_is(word, "kernel"))
        parse_function(parser, CW_FN_KERNEL);
    else if (cw_str_is(word, "device"))
        parse_function(parser, CW_FN_DEVICE);
    else if (cw_str_is(word, "host"))
        parse_function(parser, CW_FN_HOST);
    else if (cw_str_is(word, "file"))
        file_line(parser);
    else if (cw_str_is(word, "seen"))
        seen_line(parser);
    else if (cw_str_is(word, "note"))
        note_line(parser);
    else
        fail(parser, "expected a function, \"file\", \"seen\" or \"note\"");
    cw_lex_end_line(&parser->lex);
}

struct cw_module *cw_module_parse(struct cw_arena *a, const char *text, size_t n, const char **error) {
    struct parser p = {.lex = {.at = text, .end = text + n, .line = 1, .arena = a}};
    p.module = CW_NEW(a, struct cw_module);
    cw_module_init(p.module, a);
    cw_intern_init(&p.labels, a);
    if (n > MAX_TEXT)
        fail(&p, "text too large");
    if (cw_lex_at_eol(&p.lex))
        cw_lex_end_line(&p.lex);
    while (!p.lex.error && p.lex.at < p.lex.end)
        parse_item(&p);
    if (error)
        *error = p.lex.error;
    return p.lex.error ? NULL : p.module;
}
