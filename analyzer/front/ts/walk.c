/* See struct ts_walk. */
#include "front/ts/lower.h"

struct ts_walk ts_walk_of(TSNode root, uint32_t most) {
    return (struct ts_walk){.cursor = ts_tree_cursor_new(root), .left = most};
}

/* A cursor does not leave the node that it was made for. */
static bool advance(struct ts_walk *w) {
    if (!w->is_closed && ts_tree_cursor_goto_first_child(&w->cursor)) {
        w->depth++;
        return true;
    }
    while (!ts_tree_cursor_goto_next_sibling(&w->cursor)) {
        if (!ts_tree_cursor_goto_parent(&w->cursor))
            return false;
        w->depth--;
    }
    return true;
}

bool ts_walk_next(struct ts_walk *w, TSNode *node) {
    if (w->is_begun && !advance(w))
        return false;
    w->is_cut = !w->left;
    if (w->is_cut)
        return false;
    w->left--;
    w->is_begun = true;
    w->is_closed = false;
    *node = ts_tree_cursor_current_node(&w->cursor);
    return true;
}

void ts_walk_end(struct ts_walk *w) {
    ts_tree_cursor_delete(&w->cursor);
}
