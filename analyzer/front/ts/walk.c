/* See struct ts_walk. */
#include "front/ts/lower.h"

struct ts_walk ts_walk_of(TSNode root, uint32_t most) {
    return (struct ts_walk){.cursor = ts_tree_cursor_new(root), .left = most};
}

/* A cursor does not leave the node that it was made for. */
static bool advance_cursor(struct ts_walk *walk) {
    if (!walk->is_closed && ts_tree_cursor_goto_first_child(&walk->cursor)) {
        walk->depth++;
        return true;
    }
    while (!ts_tree_cursor_goto_next_sibling(&walk->cursor)) {
        if (!ts_tree_cursor_goto_parent(&walk->cursor))
            return false;
        walk->depth--;
    }
    return true;
}

bool ts_walk_next(struct ts_walk *walk, TSNode *node) {
    if (walk->is_begun && !advance_cursor(walk))
        return false;
    walk->is_cut = !walk->left;
    if (walk->is_cut)
        return false;
    walk->left--;
    walk->is_begun = true;
    walk->is_closed = false;
    *node = ts_tree_cursor_current_node(&walk->cursor);
    return true;
}

void ts_walk_end(struct ts_walk *walk) {
    ts_tree_cursor_delete(&walk->cursor);
}
