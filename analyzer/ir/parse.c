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

static uint64_t label_key(struct parser *p, cw_str raw) {
    return (uint64_t)(uintptr_t)cw_intern_n(&p->labels, raw.at, raw.n);
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

static void look_at_line(struct parser *p, struct look *look) {
    struct cw_lex *l = &p->lex;
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

static void look_ahead(struct parser *p, struct look *look) {
    struct cw_lex saved = p->lex;
    while (!p->lex.error && cw_lex_peek(&p->lex) && *p->lex.at != '}') {
        look_at_line(p, look);
        while (p->lex.at < p->lex.end && *p->lex.at != '\n')
            p->lex.at++;
        if (!p->lex.error)
            cw_lex_end_line(&p->lex);
    }
    const char *error = p->lex.error;
    p->lex = saved;
    if (error) {
        p->lex.error = error;
        p->lex.at = p->lex.end;
    }
}

/* Gives each definition its index: the number in its label, else the next free one. */
static void number_all(struct parser *p, const struct defined *at, uint32_t n, char prefix, struct cw_vec_u32 *out) {
    uint32_t number = 0, top = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].label || !label_number((cw_str){at[i].label, at[i].n}, prefix, &number))
            continue;
        if (number > MAX_NUMBER) {
            p->lex.line = at[i].line;
            fail(p, "number of a label is too large");
            return;
        }
        top = number + 1 > top ? number + 1 : top;
    }
    struct cw_bitset taken = cw_bitset_new(p->lex.arena, top);
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
        cw_vec_push(p->lex.arena, out, number);
    }
}

static void define(struct parser *p, struct cw_map *map, const struct defined *d, uint64_t value) {
    uint64_t key = label_key(p, (cw_str){d->label, d->n});
    if (cw_map_get(map, key, NULL)) {
        p->lex.line = d->line;
        fail(p, "\"%.*s\" is defined twice", (int)d->n, d->label);
    }
    cw_map_put(map, key, value);
}

static void define_blocks(struct parser *p, const struct look *look) {
    struct cw_vec_u32 index = {0};
    number_all(p, look->blocks.at, look->blocks.n, 'b', &index);
    for (uint32_t i = 0; i < index.n && !p->lex.error; i++) {
        define(p, &p->blocks, &look->blocks.at[i], index.at[i]);
        while (p->fn->blocks.n <= index.at[i])
            cw_fn_add_block(p->fn);
    }
    if (look->blocks.n == 0)
        fail(p, "a function needs a block");
    else if (!p->lex.error && index.at[0] != 0) {
        p->lex.line = look->blocks.at[0].line;
        fail(p, "the first block is the entry and must be b0 when blocks are numbered");
    }
}

static uint64_t pack(cw_ref r) {
    return (uint64_t)r.tag << 28 | r.index;
}

/* Named first, so that two different labels never meet in one slot: the table is made whole before it is filled. */
static void define_values(struct parser *p, const struct look *look) {
    number_all(p, look->ins.at, look->ins.n, 0, &p->order);
    uint32_t top = 0;
    for (uint32_t i = 0; i < p->order.n && !p->lex.error; i++) {
        top = p->order.at[i] + 1 > top ? p->order.at[i] + 1 : top;
        if (look->ins.at[i].label)
            define(p, &p->values, &look->ins.at[i], pack(cw_ref_ins(p->order.at[i])));
    }
    struct cw_bitset seen = cw_bitset_new(p->lex.arena, top);
    for (uint32_t i = 0; i < p->order.n && !p->lex.error; i++) {
        if (cw_bitset_has(&seen, p->order.at[i])) {
            p->lex.line = look->ins.at[i].line;
            fail(p, "two instructions have the number %u", p->order.at[i]);
        }
        cw_bitset_add(&seen, p->order.at[i]);
    }
    for (uint32_t i = 0; i < top && !p->lex.error; i++)
        cw_vec_push(p->fn->arena, &p->fn->ins, (struct cw_ins){.op = CW_OP_HOLE});
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
static bool accept_type(struct parser *p, enum cw_type *type) {
    const char *from = p->lex.at;
    if (find_type(cw_lex_word(&p->lex), type) && cw_lex_peek(&p->lex) != ':')
        return true;
    p->lex.at = from;
    return false;
}

/* The source name in a label: without its number, decoded; NULL when the label is a number alone. */
static const char *label_name(struct parser *p, cw_str raw, bool is_param) {
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
        return cw_intern(&p->module->names, cw_lex_decode(&p->lex, raw));
    return cw_intern_n(&p->module->names, raw.at, raw.n);
}

static void span(struct parser *p, struct cw_span *s) {
    struct cw_lex *l = &p->lex;
    uint32_t first = cw_lex_u32(l);
    if (cw_lex_direct(l, '/')) {
        s->file = first;
        first = cw_lex_u32(l);
        if (s->file >= p->module->files.n)
            fail(p, "no file number %u", s->file);
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

static void required_span(struct parser *p, struct cw_span *s) {
    if (cw_lex_expect(&p->lex, '@'))
        span(p, s);
}

static bool at_place(struct parser *p) {
    return cw_lex_peek(&p->lex) == '@' && p->lex.at + 1 < p->lex.end && isdigit((unsigned char)p->lex.at[1]);
}

static uint32_t optional_loc(struct parser *p) {
    if (!at_place(p))
        return 0;
    struct cw_loc loc = {0};
    p->lex.at++;
    span(p, &loc.span);
    if (cw_lex_direct(&p->lex, '~')) {
        loc.site = cw_lex_u32(&p->lex);
        if (loc.site >= p->fn->sites.n)
            fail(p, "no site ~%u", loc.site);
    }
    if (cw_lex_direct(&p->lex, '^'))
        loc.macro = cw_lex_symbol(&p->lex);
    return p->lex.error ? 0 : cw_fn_add_loc(p->fn, loc);
}

/* ---- operands ---- */

static bool find_sreg(cw_str word, cw_ref *r) {
    for (unsigned s = 0; s < CW_NSREGS; s++)
        if (cw_str_is(word, cw_sreg_text((enum cw_sreg)s))) {
            *r = cw_ref_of(CW_REF_SREG, s);
            return true;
        }
    return false;
}

static cw_ref literal(struct parser *p, enum cw_type type) {
    int64_t value = cw_type_is_float(type) ? cw_lex_float(&p->lex) : cw_lex_int(&p->lex);
    unsigned bits = cw_type_bits(type);
    if (cw_type_is_int(type) && bits < 64 && (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << bits))
        fail(p, "the number does not fit %s", cw_type_text(type));
    return cw_fn_const(p->fn, type, value);
}

static cw_ref named(struct parser *p, const struct cw_map *map, enum cw_ref_tag tag) {
    cw_str raw = cw_lex_label(&p->lex);
    uint64_t found = 0;
    if (!cw_map_get(map, label_key(p, raw), &found)) {
        fail(p, "unknown value \"%.*s\"", (int)raw.n, raw.at);
        return CW_NONE;
    }
    if (tag == CW_REF_OBJECT)
        return cw_ref_of(tag, (uint32_t)found);
    return cw_ref_of((enum cw_ref_tag)(found >> 28), (uint32_t)found);
}

static cw_ref operand(struct parser *p, enum cw_type usual) {
    struct cw_lex *l = &p->lex;
    char c = cw_lex_peek(l);
    if (cw_lex_direct(l, '%'))
        return named(p, &p->values, CW_REF_NONE);
    if (cw_lex_direct(l, '$'))
        return named(p, &p->objects, CW_REF_OBJECT);
    if (isdigit((unsigned char)c) || c == '-')
        return literal(p, usual);
    cw_str word = cw_lex_dotted(l);
    enum cw_type type;
    cw_ref r = CW_NONE;
    if (cw_str_is(word, "undef"))
        return cw_fn_undef(usual);
    if (cw_str_is(word, "none") || find_sreg(word, &r))
        return r;
    if (!find_type(word, &type) || !cw_lex_expect(l, ':')) {
        fail(p, "expected an operand");
        return r;
    }
    return cw_lex_accept_word(l, "undef") ? cw_fn_undef(type) : literal(p, type);
}

static uint32_t block_ref(struct parser *p) {
    cw_str word = cw_lex_dotted(&p->lex);
    uint64_t found = 0;
    if (!cw_map_get(&p->blocks, label_key(p, word), &found))
        fail(p, "unknown block \"%.*s\"", (int)word.n, word.at);
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

static uint32_t atomic_scope(struct parser *p) {
    if (!cw_lex_direct(&p->lex, '.'))
        return CW_SCOPE_DEVICE;
    cw_str word = cw_lex_word(&p->lex);
    for (unsigned s = 0; cw_scope_text((enum cw_scope)s); s++)
        if (cw_str_is(word, cw_scope_text((enum cw_scope)s)))
            return s;
    fail(p, "unknown scope \"%.*s\"", (int)word.n, word.at);
    return 0;
}

/* Sets *natural when nothing was written: loads and stores then access the bytes of their value. */
static uint32_t suffix(struct parser *p, enum cw_op op, bool *natural) {
    struct cw_lex *l = &p->lex;
    *natural = !cw_lex_direct(l, '.');
    bool named_aux = cw_aux_text(op, 0) && op != CW_OP_BARRIER && op != CW_OP_CLUSTERSYNC;
    if (*natural) {
        if (named_aux || op == CW_OP_PURE || op == CW_OP_ASM)
            fail(p, "\"%s\" needs a suffix", cw_op_text(op));
        return 0;
    }
    if (op == CW_OP_PURE || op == CW_OP_ASM) {
        const char *text = cw_lex_symbol(l);
        return l->error ? 0 : cw_fn_add_text(p->fn, text);
    }
    if (isdigit((unsigned char)cw_lex_peek(l)))
        return cw_lex_u32(l);
    cw_str word = cw_lex_word(l);
    uint32_t aux = 0;
    if (!find_aux(op, word, &aux))
        fail(p, "unknown suffix \"%.*s\" of \"%s\"", (int)word.n, word.at, cw_op_text(op));
    return op == CW_OP_ATOMIC ? aux | atomic_scope(p) << 8 : aux;
}

static void flag(struct parser *p, struct cw_ins *i) {
    cw_str word = cw_lex_word(&p->lex);
    if (cw_str_is(word, "intrinsic")) {
        cw_lex_expect(&p->lex, '=');
        i->intrinsic = cw_lex_u32(&p->lex);
        return;
    }
    for (unsigned bit = 0; cw_text_flag(bit); bit++)
        if (cw_str_is(word, cw_text_flag(bit))) {
            i->flags |= (uint16_t)(1u << bit);
            return;
        }
    fail(p, "unknown flag \"%.*s\"", (int)word.n, word.at);
}

struct operands {
    cw_ref *at;
    uint32_t n, cap;
};

static void operand_list(struct parser *p, enum cw_op op, enum cw_type type, char end, struct operands *out) {
    struct cw_lex *l = &p->lex;
    if (cw_lex_at_eol(l) || *l->at == end || *l->at == '!' || at_place(p))
        return;
    do {
        cw_ref r = operand(p, cw_text_operand_type(op, type, out->n));
        cw_vec_push(l->arena, out, r);
    } while (cw_lex_accept(l, ','));
}

static void phi_operands(struct parser *p, enum cw_type type, struct operands *out) {
    struct cw_lex *l = &p->lex;
    p->phis.at[p->phis.n - 1].first = p->phi_args.n;
    if (cw_lex_at_eol(l) || *l->at == '!' || at_place(p))
        return;
    do {
        struct phi_arg a = {.block = block_ref(p)};
        cw_lex_expect(l, ':');
        a.value = operand(p, cw_text_operand_type(CW_OP_PHI, type, out->n));
        cw_vec_push(l->arena, &p->phi_args, a);
        cw_vec_push(l->arena, out, a.value);
    } while (cw_lex_accept(l, ','));
}

static void call_operands(struct parser *p, struct cw_ins *i, struct operands *out) {
    cw_lex_expect(&p->lex, '@');
    const char *key = cw_lex_symbol(&p->lex);
    if (p->lex.error)
        return;
    i->aux = cw_fn_add_callee(p->fn, key);
    cw_lex_expect(&p->lex, '(');
    operand_list(p, (enum cw_op)i->op, (enum cw_type)i->type, ')', out);
    cw_lex_expect(&p->lex, ')');
}

/* Operands that tests leave out: a barrier of the whole block, a full mask, a full-width shuffle. */
static void usual_operands(struct parser *p, struct cw_ins *i, struct operands *out) {
    if (i->op == CW_OP_BARRIER && out->n == 0) {
        cw_ref zero = cw_fn_const(p->fn, CW_I32, 0);
        cw_vec_push(p->lex.arena, out, zero);
        cw_vec_push(p->lex.arena, out, zero);
        cw_vec_push(p->lex.arena, out, cw_fn_undef(CW_I32));
    } else if (i->op == CW_OP_SYNCWARP && out->n == 0) {
        i->flags |= CW_INS_DEFAULT_MASK;
        cw_vec_push(p->lex.arena, out, cw_fn_const(p->fn, CW_I32, -1));
    } else if (i->op == CW_OP_SHFL && out->n == 3) {
        i->flags |= CW_INS_DEFAULT_WIDTH;
        cw_vec_push(p->lex.arena, out, cw_fn_const(p->fn, CW_I32, 32));
    }
}

static void all_operands(struct parser *p, struct cw_ins *i, struct operands *out) {
    enum cw_op op = (enum cw_op)i->op;
    if (op == CW_OP_CALL || op == CW_OP_LAUNCH)
        call_operands(p, i, out);
    else if (op == CW_OP_PHI)
        phi_operands(p, (enum cw_type)i->type, out);
    else
        operand_list(p, op, (enum cw_type)i->type, '\0', out);
    usual_operands(p, i, out);
    int want = cw_op_operands(op);
    if (!p->lex.error && want >= 0 && (uint32_t)want != out->n)
        fail(p, "\"%s\" takes %d operands, not %u", cw_op_text(op), want, out->n);
}

static void place(struct parser *p, uint32_t block, uint32_t index, struct cw_ins i, const struct operands *o) {
    struct cw_fn *fn = p->fn;
    i.block = block;
    i.arg = fn->args.n;
    i.narg = o->n;
    for (uint32_t k = 0; k < o->n; k++)
        cw_vec_push(fn->arena, &fn->args, o->at[k]);
    fn->ins.at[index] = i;
    cw_vec_push(fn->arena, &fn->blocks.at[block].ins, index);
    if ((i.op == CW_OP_OPAQUE || i.op == CW_OP_OPCALL) && !p->has_bails)
        fn->bails[i.aux < CW_NBAILS ? i.aux : CW_BAIL_NONE]++;
}

static void instruction(struct parser *p, uint32_t block, cw_str label, bool has_result) {
    struct cw_lex *l = &p->lex;
    uint32_t index = p->next < p->order.n ? p->order.at[p->next++] : 0, line = l->line;
    cw_str word = cw_lex_word(l);
    enum cw_op op;
    if (!find_op(word, &op)) { /* the first look counts only lines that start with a word */
        fail(p, "unknown operation \"%.*s\"", (int)word.n, word.at);
        return;
    }
    bool natural;
    struct cw_ins i = {.op = (uint8_t)op, .type = (uint8_t)cw_text_result_type(op)};
    i.aux = suffix(p, op, &natural);
    enum cw_type type;
    if (accept_type(p, &type))
        i.type = (uint8_t)type;
    if (has_result && i.type == CW_VOID)
        fail(p, "\"%s\" needs a type to have a result", cw_op_text(op));
    if (op == CW_OP_PHI)
        cw_vec_push(l->arena, &p->phis, ((struct phi){.ins = index, .line = line}));
    struct operands o = {0};
    all_operands(p, &i, &o);
    while (cw_lex_accept(l, '!'))
        flag(p, &i);
    i.loc = optional_loc(p);
    i.name = has_result ? label_name(p, label, false) : NULL;
    if (l->error)
        return;
    if (natural && (op == CW_OP_LOAD || op == CW_OP_STORE))
        cw_vec_push(l->arena, &p->natural, index);
    if (op == CW_OP_PHI)
        p->phis.at[p->phis.n - 1].n = o.n;
    place(p, block, index, i, &o);
}

/* ---- jumps ---- */

static void origin(struct parser *p, struct cw_jump *j) {
    if (cw_lex_accept(&p->lex, '!')) {
        cw_str word = cw_lex_word(&p->lex);
        for (unsigned o = 0; cw_origin_text((enum cw_origin)o); o++)
            if (cw_str_is(word, cw_origin_text((enum cw_origin)o))) {
                j->origin = (enum cw_origin)o;
                return;
            }
        fail(p, "unknown origin \"%.*s\"", (int)word.n, word.at);
    }
}

static void switch_jump(struct parser *p, uint32_t block) {
    struct cw_lex *l = &p->lex;
    cw_ref value = operand(p, CW_I32);
    CW_VEC(int64_t) cases = {0};
    struct cw_vec_u32 succ = {0};
    while (cw_lex_expect(l, ',') && !cw_lex_accept_word(l, "default")) {
        cw_vec_push(l->arena, &cases, cw_lex_int(l));
        cw_lex_expect(l, ':');
        cw_vec_push(l->arena, &succ, block_ref(p));
    }
    cw_lex_expect(l, ':');
    cw_vec_push(l->arena, &succ, block_ref(p));
    if (!l->error)
        cw_fn_switch(p->fn, block, value, cases.n, cases.at, succ.at, 0);
}

static void branch_jump(struct parser *p, uint32_t block) {
    cw_ref value = operand(p, CW_I1);
    cw_lex_expect(&p->lex, ',');
    uint32_t yes = block_ref(p);
    cw_lex_expect(&p->lex, ',');
    cw_fn_branch(p->fn, block, value, yes, block_ref(p), 0, CW_FROM_NONE);
}

static void return_jump(struct parser *p, uint32_t block) {
    bool bare = cw_lex_at_eol(&p->lex) || *p->lex.at == '!' || at_place(p);
    cw_fn_return(p->fn, block, bare ? CW_NONE : operand(p, p->fn->result), 0);
}

/* The word that starts the line has been read. */
static void jump(struct parser *p, uint32_t block, cw_str word) {
    struct cw_jump *j = &p->fn->blocks.at[block].jump;
    if (j->kind != CW_JUMP_NONE)
        fail(p, "the block has two jumps");
    else if (cw_str_is(word, "goto"))
        cw_fn_jump(p->fn, block, block_ref(p), 0, CW_FROM_NONE);
    else if (cw_str_is(word, "branch"))
        branch_jump(p, block);
    else if (cw_str_is(word, "switch"))
        switch_jump(p, block);
    else if (cw_str_is(word, "return"))
        return_jump(p, block);
    else
        cw_fn_trap(p->fn, block, 0);
    origin(p, j);
    j->loc = optional_loc(p);
}

/* ---- lines before the first block ---- */

static void flags_line(struct parser *p) {
    struct cw_fn *fn = p->fn;
    while (!cw_lex_at_eol(&p->lex)) {
        cw_str word = cw_lex_word(&p->lex);
        if (cw_str_is(word, "pattern"))
            fn->is_pattern = true;
        else if (cw_str_is(word, "static"))
            fn->is_static_scope = true;
        else if (cw_str_is(word, "degraded"))
            fn->is_degraded = true;
        else if (cw_str_is(word, "ssa"))
            fn->is_ssa = true;
        else
            fail(p, "unknown flag \"%.*s\"", (int)word.n, word.at);
    }
}

static void bails_line(struct parser *p) {
    p->has_bails = true;
    while (!cw_lex_at_eol(&p->lex)) {
        cw_str word = cw_lex_word(&p->lex);
        uint32_t b = 0;
        if (!find_aux(CW_OP_OPAQUE, word, &b))
            fail(p, "unknown reason \"%.*s\"", (int)word.n, word.at);
        cw_lex_expect(&p->lex, '=');
        p->fn->bails[b] = cw_lex_u32(&p->lex);
    }
}

static void site_line(struct parser *p) {
    struct cw_lex *l = &p->lex;
    cw_lex_expect(l, '~');
    if (cw_lex_u32(l) != p->fn->sites.n)
        fail(p, "sites are numbered in order, from 1");
    const char *callee = cw_lex_string(l);
    uint32_t loc = optional_loc(p);
    if (!l->error)
        cw_vec_push(p->fn->arena, &p->fn->sites, ((struct cw_site){loc, cw_intern(&p->module->names, callee)}));
}

static void pattern_line(struct parser *p) {
    const char *key = cw_lex_symbol(&p->lex);
    if (!p->lex.error)
        p->fn->pattern_key = cw_intern(&p->module->names, key);
}

static void block_shape_line(struct parser *p) {
    for (int k = 0; k < 3; k++) {
        if (k)
            cw_lex_expect(&p->lex, ',');
        p->fn->reqd_block[k] = cw_lex_u32(&p->lex);
    }
}

static void object_key(struct parser *p, struct cw_object *o) {
    cw_lex_expect(&p->lex, '=');
    o->key = cw_lex_accept_word(&p->lex, "none") ? NULL : cw_lex_string(&p->lex);
}

static void object_attrs(struct parser *p, struct cw_object *o) {
    struct cw_lex *l = &p->lex;
    while (!cw_lex_at_eol(l) && *l->at != '@') {
        cw_str word = cw_lex_word(l);
        if (cw_str_is(word, "volatile")) {
            o->is_volatile = true;
        } else if (cw_str_is(word, "key")) {
            object_key(p, o);
        } else if (cw_lex_expect(l, '=') && cw_str_is(word, "type")) {
            o->type_text = cw_lex_string(l);
        } else if (cw_str_is(word, "align")) {
            o->align = cw_lex_u32(l);
        } else if (cw_str_is(word, "elem")) {
            o->element = cw_lex_u32(l);
        } else {
            fail(p, "unknown attribute \"%.*s\"", (int)word.n, word.at);
        }
    }
}

static void object_line(struct parser *p, enum cw_space space) {
    struct cw_lex *l = &p->lex;
    struct cw_object o = {.space = space};
    cw_lex_expect(l, '$');
    cw_str raw = cw_lex_label(l);
    o.name = label_name(p, raw, false);
    o.key = cw_text_default_key(space, o.name);
    cw_lex_expect(l, '[');
    if (cw_lex_peek(l) != ']')
        o.size = (uint64_t)cw_lex_int(l);
    cw_lex_expect(l, ']');
    object_attrs(p, &o);
    o.loc = optional_loc(p);
    uint64_t label = label_key(p, raw);
    if (cw_map_get(&p->objects, label, NULL))
        fail(p, "object \"%.*s\" is declared twice", (int)raw.n, raw.at);
    uint32_t before = p->fn->objects.n;
    if (l->error)
        return;
    cw_map_put(&p->objects, label, cw_fn_add_object(p->fn, o).index);
    if (p->fn->objects.n == before)
        fail(p, "another object has the key \"%s\"", o.key);
}

static bool find_space(cw_str word, enum cw_space *space) {
    for (unsigned s = 0; cw_space_text((enum cw_space)s); s++)
        if (cw_str_is(word, cw_space_text((enum cw_space)s))) {
            *space = (enum cw_space)s;
            return true;
        }
    return false;
}

static void fact_line(struct parser *p) {
    cw_str word = cw_lex_word(&p->lex);
    enum cw_space space;
    if (find_space(word, &space))
        object_line(p, space);
    else if (cw_str_is(word, "site"))
        site_line(p);
    else if (cw_str_is(word, "span"))
        required_span(p, &p->fn->span);
    else if (cw_str_is(word, "name"))
        required_span(p, &p->fn->name_span);
    else if (cw_str_is(word, "bounds"))
        p->fn->bounds_max_threads = cw_lex_u32(&p->lex);
    else if (cw_str_is(word, "block"))
        block_shape_line(p);
    else if (cw_str_is(word, "flags"))
        flags_line(p);
    else if (cw_str_is(word, "bails"))
        bails_line(p);
    else if (cw_str_is(word, "pattern"))
        pattern_line(p);
    else
        fail(p, "expected a declaration, \"}\" or a block label");
    cw_lex_end_line(&p->lex);
}

/* ---- functions ---- */

static void param_attr(struct parser *p, struct cw_param *q) {
    cw_str word = cw_lex_word(&p->lex);
    if (cw_str_is(word, "restrict"))
        q->is_restrict = true;
    else if (cw_str_is(word, "const"))
        q->points_to_const = true;
    else if (cw_str_is(word, "elem") && cw_lex_expect(&p->lex, '='))
        q->pointee_bytes = cw_lex_u32(&p->lex);
    else
        fail(p, "unknown attribute \"%.*s\" of a parameter", (int)word.n, word.at);
}

static void param(struct parser *p, bool is_template) {
    struct cw_lex *l = &p->lex;
    struct cw_param q = {0};
    if (!accept_type(p, &q.type))
        fail(p, "expected a parameter's type");
    cw_lex_expect(l, '%');
    cw_str raw = cw_lex_label(l);
    q.name = label_name(p, raw, true);
    while (!l->error && isalpha((unsigned char)cw_lex_peek(l)))
        param_attr(p, &q);
    q.loc = optional_loc(p);
    if (l->error)
        return;
    struct defined d = {raw.at, raw.n, l->line};
    define(p, &p->values, &d, pack(is_template ? cw_fn_add_tparam(p->fn, q) : cw_fn_add_param(p->fn, q)));
}

static void params(struct parser *p, bool is_template) {
    char end = is_template ? '>' : ')';
    if (cw_lex_accept(&p->lex, end))
        return;
    do
        param(p, is_template);
    while (cw_lex_accept(&p->lex, ','));
    cw_lex_expect(&p->lex, end);
}

static void start_function(struct parser *p, enum cw_fn_kind kind) {
    struct cw_lex *l = &p->lex;
    enum cw_type result = CW_VOID;
    accept_type(p, &result);
    cw_lex_expect(l, '@');
    const char *key = cw_lex_symbol(l);
    const char *name = cw_lex_peek(l) == '"' ? cw_lex_string(l) : key;
    if (l->error)
        return;
    if (cw_module_find(p->module, key))
        fail(p, "function \"%s\" is defined twice", key);
    p->fn = cw_fn_new(p->module, kind, name, key);
    p->fn->result = result;
}

static void body_line(struct parser *p, uint32_t *block) {
    struct cw_lex *l = &p->lex;
    if (cw_lex_accept(l, '%')) {
        cw_str label = cw_lex_label(l);
        cw_lex_expect(l, '=');
        instruction(p, *block, label, true);
        cw_lex_end_line(l);
        return;
    }
    const char *from = l->at;
    cw_str word = cw_lex_dotted(l);
    if (word.n && cw_lex_direct(l, ':')) {
        l->at = from;
        *block = block_ref(p);
        cw_lex_direct(l, ':');
        if (cw_lex_accept_word(l, "unroll") && cw_lex_expect(l, '='))
            p->fn->blocks.at[*block].unroll = (int32_t)(cw_lex_u32(l) & INT32_MAX);
        if (cw_lex_accept_word(l, "always"))
            p->fn->blocks.at[*block].always = optional_loc(p);
    } else if (starts_jump(word)) {
        jump(p, *block, word);
    } else {
        l->at = from;
        if (p->fn->blocks.at[*block].jump.kind != CW_JUMP_NONE)
            fail(p, "an instruction after the block's jump");
        instruction(p, *block, CW_STR(""), false);
    }
    cw_lex_end_line(l);
}

static bool at_label(struct parser *p) {
    const char *from = p->lex.at;
    bool is = cw_lex_dotted(&p->lex).n && cw_lex_direct(&p->lex, ':');
    p->lex.at = from;
    return is;
}

/* Puts the operands of one PHI into the order of its block's predecessors. The search for each goes on where the last
 * one ended, which is at once right when the text has them in that order. */
static void settle_phi(struct parser *p, const struct phi *phi) {
    struct cw_ins *i = &p->fn->ins.at[phi->ins];
    const struct cw_block *b = &p->fn->blocks.at[i->block];
    struct cw_bitset used = cw_bitset_new(p->lex.arena, phi->n);
    if (b->pred.n != phi->n) {
        p->lex.line = phi->line;
        fail(p, "a phi with %u operands in a block with %u predecessors", phi->n, b->pred.n);
        return;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < phi->n; k++) {
        uint32_t tries = 0;
        while (tries < phi->n && (p->phi_args.at[phi->first + at].block != b->pred.at[k] || cw_bitset_has(&used, at))) {
            at = at + 1 < phi->n ? at + 1 : 0;
            tries++;
        }
        if (tries == phi->n) {
            p->lex.line = phi->line;
            fail(p, "a phi without an operand for predecessor b%u", b->pred.at[k]);
            return;
        }
        cw_bitset_add(&used, at);
        p->fn->args.at[i->arg + k] = p->phi_args.at[phi->first + at].value;
    }
}

/* At the end, because a store may stand before the definition of its value. */
static void settle_sizes(struct parser *p) {
    for (uint32_t k = 0; k < p->natural.n; k++) {
        struct cw_ins *i = &p->fn->ins.at[p->natural.at[k]];
        enum cw_type type = i->op == CW_OP_LOAD ? (enum cw_type)i->type : cw_ref_type(p->fn, cw_arg(p->fn, i, 0));
        i->aux = cw_type_bytes(type);
    }
}

static void body(struct parser *p) {
    struct cw_lex *l = &p->lex;
    while (!l->error && cw_lex_peek(l) && *l->at != '}' && !at_label(p))
        fact_line(p);
    uint32_t block = 0;
    while (!l->error && cw_lex_peek(l) && *l->at != '}')
        body_line(p, &block);
    cw_lex_expect(l, '}');
}

static void function(struct parser *p, enum cw_fn_kind kind) {
    struct cw_lex *l = &p->lex;
    p->has_bails = false;
    p->next = p->order.n = p->phis.n = p->phi_args.n = p->natural.n = 0;
    cw_map_init(&p->values, l->arena);
    cw_map_init(&p->objects, l->arena);
    cw_map_init(&p->blocks, l->arena);
    start_function(p, kind);
    if (!l->error && cw_lex_accept(l, '<'))
        params(p, true);
    cw_lex_expect(l, '(');
    if (!l->error)
        params(p, false);
    cw_lex_expect(l, '{');
    cw_lex_end_line(l);
    struct look look = {0};
    look_ahead(p, &look);
    if (!l->error)
        define_blocks(p, &look);
    if (!l->error)
        define_values(p, &look);
    if (!l->error)
        body(p);
    if (l->error)
        return;
    settle_sizes(p);
    cw_fn_link_preds(p->fn);
    for (uint32_t i = 0; i < p->phis.n && !l->error; i++)
        settle_phi(p, &p->phis.at[i]);
}

/* ---- modules ---- */

static void seen_line(struct parser *p) {
    static const char *const fates[] = {"analysed", "degraded", "lost"};
    struct cw_lex *l = &p->lex;
    struct cw_seen s = {.is_kernel = cw_lex_accept_word(l, "kernel")};
    if (!s.is_kernel && !cw_lex_accept_word(l, "device"))
        fail(p, "expected \"kernel\" or \"device\"");
    cw_str fate = cw_lex_word(l);
    unsigned f = 0;
    while (f < 3 && !cw_str_is(fate, fates[f]))
        f++;
    if (f == 3)
        fail(p, "unknown fate");
    s.fate = (enum cw_fate)f;
    s.name = cw_lex_string(l);
    s.reason = cw_lex_peek(l) == '"' ? cw_lex_string(l) : NULL;
    required_span(p, &s.span);
    cw_vec_push(p->module->arena, &p->module->seen, s);
}

static void note_line(struct parser *p) {
    struct cw_parse_note n = {.is_error = cw_lex_accept_word(&p->lex, "error")};
    n.text = cw_lex_string(&p->lex);
    required_span(p, &n.span);
    cw_vec_push(p->module->arena, &p->module->notes, n);
}

static void file_line(struct parser *p) {
    const char *path = cw_lex_string(&p->lex);
    if (!p->lex.error && cw_module_file(p->module, path) != p->module->files.n - 1)
        fail(p, "file \"%s\" is listed twice", path);
}

static void item(struct parser *p) {
    cw_str word = cw_lex_word(&p->lex);
    if (cw_str_is(word, "kernel"))
        function(p, CW_FN_KERNEL);
    else if (cw_str_is(word, "device"))
        function(p, CW_FN_DEVICE);
    else if (cw_str_is(word, "host"))
        function(p, CW_FN_HOST);
    else if (cw_str_is(word, "file"))
        file_line(p);
    else if (cw_str_is(word, "frontend"))
        p->module->frontend = cw_lex_string(&p->lex);
    else if (cw_str_is(word, "seen"))
        seen_line(p);
    else if (cw_str_is(word, "note"))
        note_line(p);
    else
        fail(p, "expected a function, \"file\", \"frontend\", \"seen\" or \"note\"");
    cw_lex_end_line(&p->lex);
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
        item(&p);
    if (error)
        *error = p.lex.error;
    return p.lex.error ? NULL : p.module;
}
