/* Function definitions by tree-sitter's CUDA grammar.
 *
 * The parser would spend nearly all of its time inside function bodies, and nearly all its errors come from there and
 * from attribute-like macros. Neither says which functions there are, so both are blanked out first (same length:
 * offsets stay true), which makes the parse several times faster and the tree cleaner. */
#include "front/scan/scan_internal.h"

#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_cuda(void);

static void blank_text(char *text, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++)
        if (text[i] != '\n' && text[i] != '\r')
            text[i] = ' ';
}

/* Empties every outermost pair of braces that holds no anchor. */
static void blank_bodies(const struct scan_text *scan, char *text) {
    uint32_t next_anchor = 0;
    for (uint32_t i = 0; i + 1 < scan->tokens.n; i++) {
        while (next_anchor < scan->anchors.n && scan->anchors.at[next_anchor] < i)
            next_anchor++;
        uint32_t close = scan_is(scan, i, "{") ? scan->match[i] : SCAN_NONE;
        if (close == SCAN_NONE || close < i || scan->parent[i] == close)
            continue;
        if (next_anchor < scan->anchors.n && scan->anchors.at[next_anchor] < close)
            continue;
        blank_text(text, scan_token_end(scan, i), scan->tokens.at[close].at);
        i = close;
    }
}

static char *masked_text(const struct scan_text *scan, const struct cw_vec_u32 *masked) {
    char *text = cw_arena_strndup(scan->arena, scan->text, scan->source->size);
    blank_bodies(scan, text);
    for (uint32_t i = 0; i + 1 < masked->n; i += 2)
        blank_text(text, scan->tokens.at[masked->at[i]].at, scan_token_end(scan, masked->at[i + 1]));
    return text;
}

static TSNode child_field(TSNode node, const char *name) {
    return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

/* The name inside nested declarators: pointers, references, qualified and template names. */
static TSNode name_of(TSNode declarator) {
    enum { NESTING_MAX = 64 };
    for (int n = 0; n < NESTING_MAX; n++) {
        TSNode inner = child_field(declarator, "declarator");
        if (ts_node_is_null(inner))
            inner = child_field(declarator, "name");
        /* A reference's declarator carries no field name in this grammar. */
        if (ts_node_is_null(inner) && strcmp(ts_node_type(declarator), "reference_declarator") == 0)
            inner = ts_node_named_child(declarator, ts_node_named_child_count(declarator) - 1);
        if (ts_node_is_null(inner))
            break;
        declarator = inner;
    }
    return declarator;
}

static bool is_type(TSNode node, const char *type) {
    return strcmp(ts_node_type(node), type) == 0;
}

/* An error among the children of a definition, its body apart. */
static bool head_has_error(TSNode definition, TSNode body) {
    for (uint32_t i = 0; i < ts_node_child_count(definition); i++) {
        TSNode child = ts_node_child(definition, i);
        if (!ts_node_eq(child, body) && (ts_node_has_error(child) || ts_node_is_missing(child)))
            return true;
    }
    return false;
}

static void add_function(const struct scan_text *scan, struct scan_tree *tree, TSNode node, TSNode outer) {
    TSNode body = child_field(node, "body"), declarator = child_field(node, "declarator");
    if (ts_node_is_null(body) || ts_node_is_null(declarator) || head_has_error(node, body))
        return;
    TSNode name = name_of(declarator), whole = node;
    if (!ts_node_is_null(outer) && is_type(outer, "template_declaration"))
        whole = outer;
    struct scan_tree_function f = {
        .start = ts_node_start_byte(whole), .end = ts_node_end_byte(node), .name_start = ts_node_start_byte(name),
        .name_end = ts_node_end_byte(name), .body_start = ts_node_start_byte(body),
        .is_template = !ts_node_eq(whole, node)};
    cw_vec_push(scan->arena, &tree->functions, f);
}

static void collect_nodes(const struct scan_text *scan, struct scan_tree *tree, TSNode root) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    for (bool more = true; more;) {
        TSNode node = ts_tree_cursor_current_node(&cursor);
        if (is_type(node, "function_definition"))
            add_function(scan, tree, node, ts_node_parent(node));
        if (ts_tree_cursor_goto_first_child(&cursor))
            continue;
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor)))
            if (!ts_tree_cursor_goto_parent(&cursor))
                break;
    }
    ts_tree_cursor_delete(&cursor);
}

/* The parser calls back every so many steps. A budget in steps, not in time, keeps results the same on a busy machine.
 * Real files need one callback for every 20 to 200 tokens; text that explodes the error recovery is left to the tokens.
 */
static uint64_t budget_for(const struct scan_text *scan) {
    enum { BASE = 60, TOKENS_PER_CALLBACK = 50, MOST = 800 };
    uint64_t budget = BASE + scan->tokens.n / TOKENS_PER_CALLBACK;
    return budget < MOST ? budget : MOST;
}

static bool out_of_budget(TSParseState *state) {
    uint64_t *left = state->payload;
    return (*left)-- == 0;
}

struct input {
    const char *text;
    uint32_t size;
};

static const char *read_input(void *payload, uint32_t byte, TSPoint point, uint32_t *n) {
    (void)point;
    const struct input *in = payload;
    *n = byte < in->size ? in->size - byte : 0;
    return in->text + (byte < in->size ? byte : in->size);
}

struct scan_tree *scan_tree_parse(const struct scan_text *scan, const struct cw_vec_u32 *masked) {
    struct scan_tree *out = CW_NEW(scan->arena, struct scan_tree);
    TSParser *parser = ts_parser_new();
    struct input in = {masked_text(scan, masked), (uint32_t)scan->source->size};
    uint64_t budget = budget_for(scan);
    if (ts_parser_set_language(parser, tree_sitter_cuda())) {
        TSTree *tree = ts_parser_parse_with_options(
            parser, NULL, (TSInput){.payload = &in, .read = read_input, .encoding = TSInputEncodingUTF8},
            (TSParseOptions){.payload = &budget, .progress_callback = out_of_budget});
        out->complete = tree != NULL;
        if (tree) {
            collect_nodes(scan, out, ts_tree_root_node(tree));
            ts_tree_delete(tree);
        }
    }
    ts_parser_delete(parser);
    return out;
}
