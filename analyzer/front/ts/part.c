/* Writing tokens out as text, and parsing it. */
#include "front/ts/part.h"

#include <string.h>

const TSLanguage *tree_sitter_cuda(void);

static uint32_t size_of(const struct ts_tokens *tokens) {
    uint64_t n = 1;
    for (uint32_t i = 0; i < tokens->n; i++)
        n += tokens->at[i].n + 1u;
    return n < UINT32_MAX / 2 ? (uint32_t)n : 0;
}

static void write_out(struct ts_part *part) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < part->tokens.n; i++) {
        const struct ts_token *t = &part->tokens.at[i];
        if (t->line || t->space || t->kind == CW_TOKEN_DIRECTIVE)
            part->text[at] = part->raw[at] = t->line ? '\n' : ' ', at++;
        part->start[i] = at;
        memcpy(part->raw + at, t->at, t->n);
        memcpy(part->text + at, t->at, t->n);
        for (uint32_t k = 0; t->is_masked && k < t->n; k++)
            part->text[at + k] = ' ';
        if (t->shown)
            part->text[at] = t->shown;
        at += t->n;
    }
    part->size = at;
}

/* A budget in parser steps, not in time: results do not depend on the machine's load. */
static uint64_t budget_for(const struct ts_part *part, uint32_t tokens) {
    enum { BASE = 400, TOKENS_PER_CALLBACK = 10, MOST = 60000 };
    uint64_t budget = BASE + tokens / TOKENS_PER_CALLBACK;
    (void)part;
    return budget < MOST ? budget : MOST;
}

static bool out_of_budget(TSParseState *state) {
    uint64_t *left = state->payload;
    return (*left)-- == 0;
}

static const char *read_input(void *payload, uint32_t byte, TSPoint point, uint32_t *n) {
    const struct ts_part *part = payload;
    (void)point;
    *n = byte < part->size ? part->size - byte : 0;
    return part->text + (byte < part->size ? byte : part->size);
}

static TSTree *parse_ranges(struct ts_part *part, const TSRange *range, uint32_t tokens) {
    TSParser *parser = ts_parser_new();
    TSTree *tree = NULL;
    uint64_t budget = budget_for(part, tokens);
    if (ts_parser_set_language(parser, tree_sitter_cuda()) &&
        (!range || ts_parser_set_included_ranges(parser, range, 1)))
        tree = ts_parser_parse_with_options(
            parser, NULL, (TSInput){.payload = part, .read = read_input, .encoding = TSInputEncodingUTF8},
            (TSParseOptions){.payload = &budget, .progress_callback = out_of_budget});
    ts_parser_delete(parser);
    return tree;
}

struct ts_part *ts_part_make(struct cw_arena *a, const struct ts_preproc *preproc, const struct ts_tokens *tokens) {
    struct ts_part *part = CW_NEW(a, struct ts_part);
    *part = (struct ts_part){.arena = a, .preproc = preproc, .tokens = *tokens};
    ts_mask(&part->tokens);
    uint32_t size = size_of(&part->tokens);
    if (!size)
        part->tokens.n = 0, size = 1;
    part->text = cw_arena_alloc(a, size + 1u);
    part->raw = cw_arena_alloc(a, size + 1u);
    part->start = CW_NEW_ARRAY(a, uint32_t, part->tokens.n + 1);
    write_out(part);
    part->tree = parse_ranges(part, NULL, part->tokens.n);
    return part;
}

/* Rows and columns are not used by anybody: tokens know their places. */
static TSPoint point_of(const struct ts_part *part, uint32_t offset) {
    TSPoint p = {0, 0};
    const char *at = part->text, *end = part->text + offset, *line = at;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))))
        p.row++, line = ++at;
    p.column = (uint32_t)(end - line);
    return p;
}

TSTree *ts_part_piece(struct ts_part *part, uint32_t first, uint32_t last) {
    uint32_t from = part->start[first], to = part->start[last] + part->tokens.at[last].n;
    TSRange range = {point_of(part, from), point_of(part, to), from, to};
    TSTree *tree = parse_ranges(part, &range, last - first + 1);
    if (tree)
        cw_vec_push(part->arena, &part->pieces, tree);
    return tree;
}

void ts_part_free(struct ts_part *part) {
    if (part->tree)
        ts_tree_delete(part->tree);
    for (uint32_t i = 0; i < part->pieces.n; i++)
        ts_tree_delete(part->pieces.at[i]);
    part->tree = NULL;
    part->pieces.n = 0;
}

uint32_t ts_part_token(const struct ts_part *part, uint32_t offset) {
    uint32_t low = 0, high = part->tokens.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part->start[middle] + part->tokens.at[middle].n <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
