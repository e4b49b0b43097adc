/* Which index has each label of a function?
 *
 * A first look over the lines of the body finds what they define. A label keeps the number that it ends in, `b12` or
 * `i.12`; the others get the numbers that are left, in order of appearance.
 *
 * requires: a cursor at the start of the body. computes: blocks and instructions without content, and the tables of the
 * parser. cost: one pass over the text. preserves: the cursor. */
#include "ir/parse_internal.h"

#include "base/bitset.h"

#include <ctype.h>

enum { MAX_NUMBER = 1 << 20 };

struct look {
    CW_VEC(struct defined) blocks;
    CW_VEC(struct defined) ins;
};

uint64_t cw_parse_label_key(struct parser *parser, cw_str raw) {
    return (uint64_t)(uintptr_t)cw_intern_n(&parser->labels, raw.at, raw.n);
}

bool cw_parse_starts_jump(cw_str word) {
    static const char *const jumps[] = {"goto", "branch", "switch", "return", "trap"};
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
        if (cw_str_is(word, jumps[i]))
            return true;
    return false;
}

void cw_parse_define_label(struct parser *parser, struct cw_map *map, const struct defined *defined, uint64_t value) {
    uint64_t key = cw_parse_label_key(parser, (cw_str){defined->label, defined->n});
    if (cw_map_get(map, key, NULL)) {
        parser->lex.line = defined->line;
        cw_parse_fail(parser, "\"%.*s\" is defined twice", (int)defined->n, defined->label);
    }
    cw_map_put(map, key, value);
}

uint64_t cw_parse_pack_ref(cw_ref ref) {
    return (uint64_t)ref.tag << 28 | ref.index;
}

/* ---- the first look ---- */

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
    else if (word.n && look->blocks.n && !cw_parse_starts_jump(word))
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

/* ---- numbers ---- */

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

/* Gives each definition its index: the number in its label, else the next free one. */
static void number_all(struct parser *parser, const struct defined *at, uint32_t n, char prefix,
                       struct cw_vec_u32 *out) {
    uint32_t number = 0, top = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].label || !label_number((cw_str){at[i].label, at[i].n}, prefix, &number))
            continue;
        if (number > MAX_NUMBER) {
            parser->lex.line = at[i].line;
            cw_parse_fail(parser, "number of a label is too large");
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

static void define_blocks(struct parser *parser, const struct look *look) {
    struct cw_vec_u32 index = {0};
    number_all(parser, look->blocks.at, look->blocks.n, 'b', &index);
    for (uint32_t i = 0; i < index.n && !parser->lex.error; i++) {
        cw_parse_define_label(parser, &parser->blocks, &look->blocks.at[i], index.at[i]);
        while (parser->fn->blocks.n <= index.at[i])
            cw_fn_add_block(parser->fn);
    }
    if (look->blocks.n == 0)
        cw_parse_fail(parser, "a function needs a block");
    else if (!parser->lex.error && index.at[0] != 0) {
        parser->lex.line = look->blocks.at[0].line;
        cw_parse_fail(parser, "the first block is the entry and must be b0 when blocks are numbered");
    }
}

/* Named first, so that two different labels never meet in one slot: the table is made whole before it is filled. */
static void define_values(struct parser *parser, const struct look *look) {
    number_all(parser, look->ins.at, look->ins.n, 0, &parser->order);
    uint32_t top = 0;
    for (uint32_t i = 0; i < parser->order.n && !parser->lex.error; i++) {
        top = parser->order.at[i] + 1 > top ? parser->order.at[i] + 1 : top;
        if (look->ins.at[i].label)
            cw_parse_define_label(parser, &parser->values, &look->ins.at[i],
                                  cw_parse_pack_ref(cw_ref_ins(parser->order.at[i])));
    }
    struct cw_bitset seen = cw_bitset_new(parser->lex.arena, top);
    for (uint32_t i = 0; i < parser->order.n && !parser->lex.error; i++) {
        if (cw_bitset_has(&seen, parser->order.at[i])) {
            parser->lex.line = look->ins.at[i].line;
            cw_parse_fail(parser, "two instructions have the number %u", parser->order.at[i]);
        }
        cw_bitset_add(&seen, parser->order.at[i]);
    }
    for (uint32_t i = 0; i < top && !parser->lex.error; i++)
        cw_vec_push(parser->fn->arena, &parser->fn->ins, (struct cw_ins){.op = CW_OP_HOLE});
}

void cw_parse_define_labels(struct parser *parser) {
    struct look look = {0};
    look_ahead(parser, &look);
    if (!parser->lex.error)
        define_blocks(parser, &look);
    if (!parser->lex.error)
        define_values(parser, &look);
}
