/* Syntax nodes: kinds, text and places. */
#include "front/ts/lower.h"

#include <string.h>

const TSLanguage *tree_sitter_cuda(void);

static const char *const kind_names[TS_NKINDS] = {
    NULL,
#define TS_KIND(id, name) name,
#include "front/ts/node_kinds.def"
};

void ts_kinds_init(struct ts_unit *unit) {
    const TSLanguage *language = tree_sitter_cuda();
    uint32_t n = ts_language_symbol_count(language);
    for (uint32_t s = 0; s < n && s < sizeof unit->kinds; s++) {
        const char *name = ts_language_symbol_name(language, (TSSymbol)s);
        bool is_named = ts_language_symbol_type(language, (TSSymbol)s) == TSSymbolTypeRegular;
        for (uint8_t k = 1; k < TS_NKINDS && is_named; k++)
            if (strcmp(name, kind_names[k]) == 0)
                unit->kinds[s] = k;
    }
}

enum ts_kind ts_kind(const struct ts_unit *unit, TSNode node) {
    if (ts_node_is_null(node))
        return TS_OTHER;
    TSSymbol s = ts_node_symbol(node);
    if (s == (TSSymbol)-1)
        return TS_ERROR;
    return s < sizeof unit->kinds ? (enum ts_kind)unit->kinds[s] : TS_OTHER;
}

bool ts_is(const struct ts_unit *unit, TSNode node, enum ts_kind kind) {
    return ts_kind(unit, node) == kind;
}

TSNode ts_none(void) {
    return (TSNode){{0}, NULL, NULL};
}

TSNode ts_field(TSNode node, const char *name) {
    return ts_node_is_null(node) ? node : ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

TSNode ts_child_of(const struct ts_unit *unit, TSNode node, enum ts_kind kind) {
    uint32_t count = ts_node_is_null(node) ? 0 : ts_node_named_child_count(node);
    for (uint32_t i = 0; i < count; i++) {
        TSNode child = ts_node_named_child(node, i);
        if (ts_is(unit, child, kind))
            return child;
    }
    return ts_none();
}

bool ts_has_word(const struct ts_unit *unit, TSNode node, const char *word) {
    uint32_t count = ts_node_is_null(node) ? 0 : ts_node_child_count(node);
    for (uint32_t i = 0; i < count; i++) {
        TSNode child = ts_node_child(node, i);
        enum ts_kind k = ts_kind(unit, child);
        bool may_be = !ts_node_is_named(child) || k == TS_STORAGE || k == TS_QUALIFIER || k == TS_OTHER;
        if (may_be && cw_str_is(ts_text(unit, child), word))
            return true;
    }
    return false;
}

static bool owns_tree(const struct ts_part *part, const TSTree *tree) {
    if (!part || part->tree == tree)
        return part != NULL;
    for (uint32_t i = 0; i < part->pieces.n; i++)
        if (part->pieces.at[i] == tree)
            return true;
    return false;
}

struct ts_part *ts_part_of(const struct ts_unit *unit, TSNode node) {
    return owns_tree(unit->prelude, node.tree) ? unit->prelude : unit->main_part;
}

cw_str ts_text(const struct ts_unit *unit, TSNode node) {
    if (ts_node_is_null(node))
        return CW_STR("");
    uint32_t from = ts_node_start_byte(node), to = ts_node_end_byte(node);
    const struct ts_part *part = ts_part_of(unit, node);
    if (to > part->size || from > to)
        return CW_STR("");
    return (cw_str){part->text + from, to - from};
}

cw_str ts_raw(const struct ts_unit *unit, uint32_t from, uint32_t to, TSNode like) {
    const struct ts_part *part = ts_part_of(unit, like);
    if (to > part->size)
        to = part->size;
    return from < to ? (cw_str){part->raw + from, to - from} : CW_STR("");
}

const char *ts_name(struct ts_unit *unit, TSNode node) {
    cw_str text = ts_text(unit, node);
    return cw_intern_n(&unit->module->names, text.at, text.n);
}

bool ts_same(TSNode node, TSNode other) {
    return !ts_node_is_null(node) && !ts_node_is_null(other) && ts_node_eq(node, other);
}

static uint32_t file_index(struct ts_unit *unit, uint32_t file) {
    uint64_t found;
    if (!file)
        return 0;
    if (!cw_map_get(&unit->places, file, &found)) {
        found = cw_module_file(unit->module, unit->preproc.files.at[file].path);
        cw_map_put(&unit->places, file, found);
    }
    return (uint32_t)found;
}

/* From the first token's start to the last one's end, as written; see preproc.h for tokens of macros. */
struct cw_loc ts_place(struct ts_unit *unit, TSNode node) {
    return ts_place_between(unit, node, node);
}

struct cw_loc ts_place_between(struct ts_unit *unit, TSNode node, TSNode until) {
    struct cw_loc loc = {0};
    const struct ts_part *part =
        ts_node_is_null(node) || ts_node_is_null(until) ? unit->prelude : ts_part_of(unit, node);
    if (!part || part != unit->main_part || !part->tokens.n)
        return loc;
    uint32_t from = ts_node_start_byte(node), to = ts_node_end_byte(until);
    uint32_t a = ts_part_token(part, from), b = to > from ? ts_part_token(part, to - 1) : a;
    if (a >= part->tokens.n)
        return loc;
    const struct ts_token *first = &part->tokens.at[a], *last = b < part->tokens.n ? &part->tokens.at[b] : first;
    uint32_t start = first->from, end = last->to;
    if (last->file != first->file || end < start)
        end = first->to;
    const struct cw_source *s = unit->preproc.files.at[first->file].source;
    loc.span.file = file_index(unit, first->file);
    cw_source_place(s, start, &loc.span.line, &loc.span.col);
    cw_source_place(s, end, &loc.span.end_line, &loc.span.end_col);
    loc.macro = first->macro;
    return loc;
}

uint32_t ts_operator(const struct ts_unit *unit, TSNode node, char *out, uint32_t size) {
    cw_str text = ts_text(unit, node);
    uint32_t k = 0;
    for (size_t i = 0; i < text.n && k + 1 < size; i++)
        if (text.at[i] != ' ' && text.at[i] != '\n')
            out[k++] = text.at[i];
    out[k] = '\0';
    return k;
}
