/* The lines before the first block of a function: its objects, sites, places, shapes and flags.
 *
 * requires: a function with its parameters. computes: what such a line says of it. cost: the text. preserves: what has
 * been read before. */
#include "ir/parse_internal.h"

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
            cw_parse_fail(parser, "unknown flag \"%.*s\"", (int)word.n, word.at);
    }
}

static void bails_line(struct parser *parser) {
    parser->has_bails = true;
    while (!cw_lex_at_eol(&parser->lex)) {
        cw_str word = cw_lex_word(&parser->lex);
        uint32_t b = 0;
        if (!cw_parse_find_aux(CW_OP_OPAQUE, word, &b))
            cw_parse_fail(parser, "unknown reason \"%.*s\"", (int)word.n, word.at);
        cw_lex_expect(&parser->lex, '=');
        parser->fn->bails[b] = cw_lex_u32(&parser->lex);
    }
}

static void site_line(struct parser *parser) {
    struct cw_lex *l = &parser->lex;
    cw_lex_expect(l, '~');
    if (cw_lex_u32(l) != parser->fn->sites.n)
        cw_parse_fail(parser, "sites are numbered in order, from 1");
    const char *callee = cw_lex_string(l);
    uint32_t loc = cw_parse_optional_loc(parser);
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

/* ---- objects ---- */

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
            cw_parse_fail(parser, "unknown attribute \"%.*s\"", (int)word.n, word.at);
        }
    }
}

static void object_line(struct parser *parser, enum cw_space space) {
    struct cw_lex *l = &parser->lex;
    struct cw_object o = {.space = space};
    cw_lex_expect(l, '$');
    cw_str raw = cw_lex_label(l);
    o.name = cw_parse_label_name(parser, raw, false);
    o.key = cw_text_default_key(space, o.name);
    cw_lex_expect(l, '[');
    if (cw_lex_peek(l) != ']')
        o.size = (uint64_t)cw_lex_int(l);
    cw_lex_expect(l, ']');
    object_attrs(parser, &o);
    o.loc = cw_parse_optional_loc(parser);
    uint64_t label = cw_parse_label_key(parser, raw);
    if (cw_map_get(&parser->objects, label, NULL))
        cw_parse_fail(parser, "object \"%.*s\" is declared twice", (int)raw.n, raw.at);
    uint32_t before = parser->fn->objects.n;
    if (l->error)
        return;
    cw_map_put(&parser->objects, label, cw_fn_add_object(parser->fn, o).index);
    if (parser->fn->objects.n == before)
        cw_parse_fail(parser, "another object has the key \"%s\"", o.key);
}

/* ---- a line ---- */

static bool find_space(cw_str word, enum cw_space *space) {
    for (unsigned s = 0; cw_space_text((enum cw_space)s); s++)
        if (cw_str_is(word, cw_space_text((enum cw_space)s))) {
            *space = (enum cw_space)s;
            return true;
        }
    return false;
}

void cw_parse_fact_line(struct parser *parser) {
    cw_str word = cw_lex_word(&parser->lex);
    enum cw_space space;
    if (find_space(word, &space))
        object_line(parser, space);
    else if (cw_str_is(word, "site"))
        site_line(parser);
    else if (cw_str_is(word, "span"))
        cw_parse_span(parser, &parser->fn->span);
    else if (cw_str_is(word, "name"))
        cw_parse_span(parser, &parser->fn->name_span);
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
        cw_parse_fail(parser, "expected a declaration, \"}\" or a block label");
    cw_lex_end_line(&parser->lex);
}
