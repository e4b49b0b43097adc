/* What do types, places in the source and operands of the text form say?
 *
 * requires: for operands, the labels of the function. computes: references, and constants of the function. cost: the
 * text. preserves: what has been read before. */
#include "ir/parse_internal.h"

#include <ctype.h>

/* ---- types and names ---- */

static bool find_type(cw_str word, enum cw_type *type) {
    for (unsigned t = 0; t < CW_NTYPES; t++)
        if (cw_str_is(word, cw_type_text((enum cw_type)t))) {
            *type = (enum cw_type)t;
            return true;
        }
    return false;
}

bool cw_parse_accept_type(struct parser *parser, enum cw_type *type) {
    const char *from = parser->lex.at;
    if (find_type(cw_lex_word(&parser->lex), type) && cw_lex_peek(&parser->lex) != ':')
        return true;
    parser->lex.at = from;
    return false;
}

const char *cw_parse_label_name(struct parser *parser, cw_str raw, bool is_param) {
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

/* ---- places ---- */

static void read_span(struct parser *parser, struct cw_span *s) {
    struct cw_lex *l = &parser->lex;
    uint32_t first = cw_lex_u32(l);
    if (cw_lex_direct(l, '/')) {
        s->file = first;
        first = cw_lex_u32(l);
        if (s->file >= parser->module->files.n)
            cw_parse_fail(parser, "no file number %u", s->file);
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

void cw_parse_span(struct parser *parser, struct cw_span *s) {
    if (cw_lex_expect(&parser->lex, '@'))
        read_span(parser, s);
}

bool cw_parse_is_at_place(struct parser *parser) {
    return cw_lex_peek(&parser->lex) == '@' && parser->lex.at + 1 < parser->lex.end &&
           isdigit((unsigned char)parser->lex.at[1]);
}

uint32_t cw_parse_optional_loc(struct parser *parser) {
    if (!cw_parse_is_at_place(parser))
        return 0;
    struct cw_loc loc = {0};
    parser->lex.at++;
    read_span(parser, &loc.span);
    if (cw_lex_direct(&parser->lex, '~')) {
        loc.site = cw_lex_u32(&parser->lex);
        if (loc.site >= parser->fn->sites.n)
            cw_parse_fail(parser, "no site ~%u", loc.site);
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
        cw_parse_fail(parser, "the number does not fit %s", cw_type_text(type));
    return cw_fn_const(parser->fn, type, value);
}

static cw_ref parse_named(struct parser *parser, const struct cw_map *map, enum cw_ref_tag tag) {
    cw_str raw = cw_lex_label(&parser->lex);
    uint64_t found = 0;
    if (!cw_map_get(map, cw_parse_label_key(parser, raw), &found)) {
        cw_parse_fail(parser, "unknown value \"%.*s\"", (int)raw.n, raw.at);
        return CW_NONE;
    }
    if (tag == CW_REF_OBJECT)
        return cw_ref_of(tag, (uint32_t)found);
    return cw_ref_of((enum cw_ref_tag)(found >> 28), (uint32_t)found);
}

cw_ref cw_parse_operand(struct parser *parser, enum cw_type usual) {
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
        cw_parse_fail(parser, "expected an operand");
        return r;
    }
    return cw_lex_accept_word(l, "undef") ? cw_fn_undef(type) : parse_literal(parser, type);
}

uint32_t cw_parse_block(struct parser *parser) {
    cw_str word = cw_lex_dotted(&parser->lex);
    uint64_t found = 0;
    if (!cw_map_get(&parser->blocks, cw_parse_label_key(parser, word), &found))
        cw_parse_fail(parser, "unknown block \"%.*s\"", (int)word.n, word.at);
    return (uint32_t)found;
}
