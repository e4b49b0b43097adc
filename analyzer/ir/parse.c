/* Reads the text form that print.c writes, and what people write by hand in tests: places, numbers after names and most
 * attributes may be left out. Two looks at each function: the first gives every label its index (parse_labels.c), so
 * that the second can resolve forward references at once. Here: functions and modules. */
#include "ir/parse_internal.h"

#include "base/bitset.h"

#include <ctype.h>

enum { MAX_TEXT = 256 << 20 };

/* ---- parameters ---- */

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
        cw_parse_fail(parser, "unknown attribute \"%.*s\" of a parameter", (int)word.n, word.at);
}

static void parse_param(struct parser *parser, bool is_template) {
    struct cw_lex *l = &parser->lex;
    struct cw_param q = {0};
    if (!cw_parse_accept_type(parser, &q.type))
        cw_parse_fail(parser, "expected a parameter's type");
    cw_lex_expect(l, '%');
    cw_str raw = cw_lex_label(l);
    q.name = cw_parse_label_name(parser, raw, true);
    while (!l->error && isalpha((unsigned char)cw_lex_peek(l)))
        param_attr(parser, &q);
    q.loc = cw_parse_optional_loc(parser);
    if (l->error)
        return;
    struct defined d = {raw.at, raw.n, l->line};
    cw_parse_define_label(
        parser, &parser->values, &d,
        cw_parse_pack_ref(is_template ? cw_fn_add_tparam(parser->fn, q) : cw_fn_add_param(parser->fn, q)));
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

/* ---- the body ---- */

static void body_line(struct parser *parser, uint32_t *block) {
    struct cw_lex *l = &parser->lex;
    if (cw_lex_accept(l, '%')) {
        cw_str label = cw_lex_label(l);
        cw_lex_expect(l, '=');
        cw_parse_instruction(parser, *block, label, true);
        cw_lex_end_line(l);
        return;
    }
    const char *from = l->at;
    cw_str word = cw_lex_dotted(l);
    if (word.n && cw_lex_direct(l, ':')) {
        l->at = from;
        *block = cw_parse_block(parser);
        cw_lex_direct(l, ':');
        if (cw_lex_accept_word(l, "unroll") && cw_lex_expect(l, '='))
            parser->fn->blocks.at[*block].unroll = (int32_t)(cw_lex_u32(l) & INT32_MAX);
        if (cw_lex_accept_word(l, "always"))
            parser->fn->blocks.at[*block].always = cw_parse_optional_loc(parser);
    } else if (cw_parse_starts_jump(word)) {
        cw_parse_jump(parser, *block, word);
    } else {
        l->at = from;
        if (parser->fn->blocks.at[*block].jump.kind != CW_JUMP_NONE)
            cw_parse_fail(parser, "an instruction after the block's jump");
        cw_parse_instruction(parser, *block, CW_STR(""), false);
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
        cw_parse_fail(parser, "a phi with %u operands in a block with %u predecessors", phi->n, b->pred.n);
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
            cw_parse_fail(parser, "a phi without an operand for predecessor b%u", b->pred.at[k]);
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
        cw_parse_fact_line(parser);
    uint32_t block = 0;
    while (!l->error && cw_lex_peek(l) && *l->at != '}')
        body_line(parser, &block);
    cw_lex_expect(l, '}');
}

/* ---- functions ---- */

static void start_function(struct parser *parser, enum cw_fn_kind kind) {
    struct cw_lex *l = &parser->lex;
    enum cw_type result = CW_VOID;
    cw_parse_accept_type(parser, &result);
    cw_lex_expect(l, '@');
    const char *key = cw_lex_symbol(l);
    const char *name = cw_lex_peek(l) == '"' ? cw_lex_string(l) : key;
    if (l->error)
        return;
    if (cw_module_find(parser->module, key))
        cw_parse_fail(parser, "function \"%s\" is defined twice", key);
    parser->fn = cw_fn_new(parser->module, kind, name, key);
    parser->fn->result = result;
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
    cw_parse_define_labels(parser);
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
        cw_parse_fail(parser, "expected \"kernel\" or \"device\"");
    cw_str fate = cw_lex_word(l);
    unsigned f = 0;
    while (f < 3 && !cw_str_is(fate, fates[f]))
        f++;
    if (f == 3)
        cw_parse_fail(parser, "unknown fate");
    s.fate = (enum cw_fate)f;
    s.name = cw_lex_string(l);
    s.reason = cw_lex_peek(l) == '"' ? cw_lex_string(l) : NULL;
    cw_parse_span(parser, &s.span);
    cw_vec_push(parser->module->arena, &parser->module->seen, s);
}

static void note_line(struct parser *parser) {
    struct cw_parse_note n = {.is_error = cw_lex_accept_word(&parser->lex, "error")};
    n.text = cw_lex_string(&parser->lex);
    cw_parse_span(parser, &n.span);
    cw_vec_push(parser->module->arena, &parser->module->notes, n);
}

static void file_line(struct parser *parser) {
    const char *path = cw_lex_string(&parser->lex);
    if (!parser->lex.error && cw_module_file(parser->module, path) != parser->module->files.n - 1)
        cw_parse_fail(parser, "file \"%s\" is listed twice", path);
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
        cw_parse_fail(parser, "expected a function, \"file\", \"seen\" or \"note\"");
    cw_lex_end_line(&parser->lex);
}

struct cw_module *cw_module_parse(struct cw_arena *a, const char *text, size_t n, const char **error) {
    struct parser p = {.lex = {.at = text, .end = text + n, .line = 1, .arena = a}};
    p.module = CW_NEW(a, struct cw_module);
    cw_module_init(p.module, a);
    cw_intern_init(&p.labels, a);
    if (n > MAX_TEXT)
        cw_parse_fail(&p, "text too large");
    if (cw_lex_at_eol(&p.lex))
        cw_lex_end_line(&p.lex);
    while (!p.lex.error && p.lex.at < p.lex.end)
        parse_item(&p);
    if (error)
        *error = p.lex.error;
    return p.lex.error ? NULL : p.module;
}
