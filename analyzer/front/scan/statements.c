/* The statements of a file as it stands: no macro is expanded, both sides of every #if are there. */
#include "front/front.h"

#include "source/statements.h"

#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_cuda(void);

enum { MAX_STATEMENTS = 200000, MAX_DEPTH = 200 };

struct walk {
    struct cw_arena *arena;
    struct cw_statements *out;
    const char *text;
};

static bool is_type(TSNode node, const char *type) {
    return !ts_node_is_null(node) && strcmp(ts_node_type(node), type) == 0;
}

static bool is_any(TSNode node, const char *const *types) {
    for (; *types; types++)
        if (is_type(node, *types))
            return true;
    return false;
}

static const char *const loops[] = {"for_statement", "for_range_loop", "while_statement", "do_statement", NULL};
static const char *const plain[] = {"expression_statement", "declaration", "return_statement", "break_statement",
                                    "continue_statement", "goto_statement", "attributed_statement", "throw_statement",
                                    "try_statement", "labeled_statement", "case_statement", NULL};

static bool kind_of(TSNode node, enum cw_statement_kind *kind) {
    *kind = CW_STATEMENT_PLAIN;
    if (is_type(node, "compound_statement"))
        *kind = CW_STATEMENT_COMPOUND;
    else if (is_type(node, "if_statement"))
        *kind = CW_STATEMENT_IF;
    else if (is_type(node, "switch_statement"))
        *kind = CW_STATEMENT_SWITCH;
    else if (is_any(node, loops))
        *kind = CW_STATEMENT_LOOP;
    else
        return is_any(node, plain);
    return true;
}

static TSNode child_field(TSNode node, const char *name) {
    return ts_node_is_null(node) ? node : ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

/* Is it the body of an if, else or loop? The parts of a for's header are declarations and expressions too. */
static bool is_body(TSNode node, TSNode parent) {
    static const char *const fields[] = {"body", "consequence", "alternative", NULL};
    if (is_type(parent, "else_clause"))
        return true;
    if (!is_type(parent, "if_statement") && !is_any(parent, loops))
        return false;
    for (const char *const *f = fields; *f; f++) {
        TSNode body = child_field(parent, *f);
        if (!ts_node_is_null(body) && ts_node_eq(body, node))
            return true;
    }
    return false;
}

/* Whether it stands where a statement can stand, rather than in a header, a class or at namespace level. */
static bool is_in_place(TSNode node, TSNode parent) {
    static const char *const lists[] = {"compound_statement",
                                        "case_statement",
                                        "labeled_statement",
                                        "function_definition",
                                        "lambda_expression",
                                        "preproc_if",
                                        "preproc_ifdef",
                                        "preproc_else",
                                        "preproc_elif",
                                        "attributed_statement",
                                        NULL};
    return is_body(node, parent) || is_any(parent, lists) || is_type(parent, "switch_statement");
}

static TSNode node_before(TSNode node) {
    TSNode at = ts_node_prev_sibling(node);
    while (is_type(at, "comment"))
        at = ts_node_prev_sibling(at);
    return at;
}

/* A #pragma unroll belongs to the loop behind it. */
static uint32_t head_of(const struct walk *walk, TSNode node) {
    uint32_t head = ts_node_start_byte(node);
    for (TSNode at = node_before(node); is_type(at, "preproc_call"); at = node_before(at)) {
        if (strncmp(walk->text + ts_node_start_byte(at), "#", 1) != 0 ||
            !memmem(walk->text + ts_node_start_byte(at), ts_node_end_byte(at) - ts_node_start_byte(at), "pragma", 6))
            break;
        head = ts_node_start_byte(at);
    }
    return head;
}

static struct cw_extent extent_of(TSNode node) {
    if (ts_node_is_null(node))
        return (struct cw_extent){0};
    return (struct cw_extent){ts_node_start_byte(node), ts_node_end_byte(node)};
}

static void add_assignment(TSNode node, struct cw_statement *statement) {
    TSNode e = ts_node_named_child(node, 0);
    if (!is_type(node, "expression_statement") || ts_node_named_child_count(node) != 1 ||
        !is_type(e, "assignment_expression"))
        return;
    statement->left = extent_of(child_field(e, "left"));
    statement->op = extent_of(child_field(e, "operator"));
    statement->right = extent_of(child_field(e, "right"));
}

/* `if (int x = f(); x > 0)` and `if (int x = f())` have no condition that could stand elsewhere. */
static void add_header(TSNode node, struct cw_statement *statement) {
    TSNode condition = child_field(node, "condition");
    if (is_type(condition, "condition_clause")) {
        TSNode value = child_field(condition, "value");
        condition = ts_node_is_null(child_field(condition, "initializer")) && !is_type(value, "declaration")
                        ? value
                        : child_field(value, "none");
    }
    statement->condition = extent_of(condition);
    statement->update = extent_of(child_field(node, "update"));
    statement->then = extent_of(child_field(node, "consequence"));
    statement->has_else = !ts_node_is_null(child_field(node, "alternative"));
}

static void add_statement(struct walk *walk, TSNode node, TSNode parent, uint32_t outer, enum cw_statement_kind kind) {
    struct cw_statement s = {.from = ts_node_start_byte(node),
                             .to = ts_node_end_byte(node),
                             .head = head_of(walk, node),
                             .parent = outer,
                             .kind = kind,
                             .is_broken = ts_node_has_error(node)};
    bool after_label = is_type(parent, "labeled_statement") || is_type(parent, "attributed_statement");
    s.is_bare = kind != CW_STATEMENT_COMPOUND && is_body(node, parent);
    s.is_labelled = after_label || is_type(node, "case_statement");
    if (kind == CW_STATEMENT_IF || kind == CW_STATEMENT_LOOP)
        add_header(node, &s);
    else
        add_assignment(node, &s);
    TSNode header = node_before(node);
    if (s.is_bare && !ts_node_is_null(header))
        s.header_end = ts_node_end_byte(header);
    cw_vec_push(walk->arena, &walk->out->at, s);
}

/* Nesting is capped: what lies deeper is in no statement of its own. */
static void collect_statements(struct walk *walk, TSNode root) {
    uint32_t outer[MAX_DEPTH + 1], depth = 0; /* the statement at or around each node on the way */
    TSNode way[MAX_DEPTH + 1];                /* to the present one; asking a node for its parent begins at the root */
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    outer[0] = CW_NO_STATEMENT;
    for (bool more = true; more && walk->out->at.n < MAX_STATEMENTS;) {
        TSNode n = way[depth] = ts_tree_cursor_current_node(&cursor);
        enum cw_statement_kind kind;
        uint32_t around = depth ? outer[depth - 1] : CW_NO_STATEMENT;
        outer[depth] = around;
        if (depth && ts_node_is_named(n) && kind_of(n, &kind) && is_in_place(n, way[depth - 1])) {
            add_statement(walk, n, way[depth - 1], around, kind);
            outer[depth] = walk->out->at.n - 1;
        }
        if (depth < MAX_DEPTH && ts_tree_cursor_goto_first_child(&cursor)) {
            depth++;
            continue;
        }
        while (!(more = ts_tree_cursor_goto_next_sibling(&cursor))) {
            if (!ts_tree_cursor_goto_parent(&cursor))
                break;
            depth--;
        }
    }
    ts_tree_cursor_delete(&cursor);
}

/* ---- parsing ---- */

struct input {
    const char *text;
    uint32_t size;
};

static const char *read_input(void *payload, uint32_t byte, TSPoint point, uint32_t *n) {
    const struct input *in = payload;
    (void)point;
    *n = byte < in->size ? in->size - byte : 0;
    return in->text + (byte < in->size ? byte : in->size);
}

/* In parser steps, not in time: results do not depend on the machine's load. */
static uint64_t budget_for(uint32_t bytes) {
    enum { BASE = 400, BYTES_PER_CALLBACK = 40, MOST = 60000 };
    uint64_t budget = BASE + bytes / BYTES_PER_CALLBACK;
    return budget < MOST ? budget : MOST;
}

static bool out_of_budget(TSParseState *state) {
    uint64_t *left = state->payload;
    return (*left)-- == 0;
}

struct cw_statements *cw_statements_of(struct cw_arena *a, const struct cw_source *source) {
    struct cw_statements *out = CW_NEW(a, struct cw_statements);
    struct walk w = {a, out, source->text};
    struct input in = {source->text, (uint32_t)source->size};
    uint64_t budget = budget_for(in.size);
    TSParser *parser = ts_parser_new();
    if (!source->is_binary && ts_parser_set_language(parser, tree_sitter_cuda())) {
        TSTree *tree = ts_parser_parse_with_options(
            parser, NULL, (TSInput){.payload = &in, .read = read_input, .encoding = TSInputEncodingUTF8},
            (TSParseOptions){.payload = &budget, .progress_callback = out_of_budget});
        if (tree) {
            collect_statements(&w, ts_tree_root_node(tree));
            ts_tree_delete(tree);
        }
    }
    ts_parser_delete(parser);
    return out;
}
