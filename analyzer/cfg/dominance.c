/* Reverse post-order and dominators of a graph in compressed rows.
 *
 * Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Post-dominators are the dominators of the
 * reversed graph. */
#include "cfg/cfg_internal.h"

#include "base/require.h"

struct walk {
    uint32_t *stack, *next; /* nodes on the way, and the edge to follow next from each */
    uint32_t depth;
};

static void enter_node(struct walk *walk, const struct cw_graph *graph, uint8_t *seen, uint32_t v) {
    seen[v] = 1;
    walk->stack[walk->depth] = v;
    walk->next[walk->depth++] = graph->out_at[v + 1];
}

/* Post-order of what the root reaches. Successors are taken last to first, so that reversing the order lists the first
 * successor's part first, as people read it. */
static uint32_t post_order(const struct cw_graph *graph, struct cw_arena *a, uint32_t *order) {
    struct walk w = {CW_NEW_ARRAY(a, uint32_t, graph->n), CW_NEW_ARRAY(a, uint32_t, graph->n), 0};
    uint8_t *seen = CW_NEW_ARRAY(a, uint8_t, graph->n);
    uint32_t count = 0;
    enter_node(&w, graph, seen, graph->root);
    while (w.depth) {
        uint32_t v = w.stack[w.depth - 1];
        if (w.next[w.depth - 1] == graph->out_at[v]) {
            order[count++] = v;
            w.depth--;
            continue;
        }
        uint32_t to = graph->out[--w.next[w.depth - 1]];
        if (!seen[to])
            enter_node(&w, graph, seen, to);
    }
    return count;
}

uint32_t *cw_graph_rpo(const struct cw_graph *graph, struct cw_arena *a, uint32_t *rank, uint32_t *count) {
    uint32_t *post = CW_NEW_ARRAY(a, uint32_t, graph->n), *rpo = CW_NEW_ARRAY(a, uint32_t, graph->n);
    *count = post_order(graph, a, post);
    for (uint32_t v = 0; v < graph->n; v++)
        rank[v] = CW_NO_BLOCK;
    for (uint32_t i = 0; i < *count; i++) {
        rpo[i] = post[*count - 1 - i];
        rank[rpo[i]] = i;
    }
    return rpo;
}

static uint32_t intersect_dominators(const uint32_t *idom, const uint32_t *rank, uint32_t x, uint32_t y) {
    while (x != y) {
        while (rank[x] > rank[y])
            x = idom[x];
        while (rank[y] > rank[x])
            y = idom[y];
    }
    return x;
}

/* The nearest common dominator of v's predecessors that have one already. */
static uint32_t dominator_of(const struct cw_graph *graph, const uint32_t *idom, const uint32_t *rank, uint32_t v) {
    uint32_t dom = CW_NO_BLOCK;
    for (uint32_t e = graph->in_at[v]; e < graph->in_at[v + 1]; e++) {
        uint32_t p = graph->in[e];
        if (rank[p] == CW_NO_BLOCK || idom[p] == CW_NO_BLOCK)
            continue;
        dom = dom == CW_NO_BLOCK ? p : intersect_dominators(idom, rank, dom, p);
    }
    return dom;
}

/* Children follow their parent in reverse post-order: sizes add up backwards, intervals are dealt out forwards. */
static void number_tree(const uint32_t *rpo, uint32_t count, const uint32_t *idom, uint32_t *first, uint32_t *size,
                        uint32_t *next) {
    for (uint32_t i = count; i-- > 0;) {
        size[rpo[i]]++;
        if (i)
            size[idom[rpo[i]]] += size[rpo[i]];
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = rpo[i];
        if (i) {
            first[v] = next[idom[v]];
            next[idom[v]] += size[v];
        }
        next[v] = first[v] + 1;
    }
}

void cw_graph_dominators(const struct cw_graph *graph, struct cw_arena *a, uint32_t **idom_out, uint32_t **first_out,
                         uint32_t **size_out) {
    uint32_t *rank = CW_NEW_ARRAY(a, uint32_t, graph->n), *idom = CW_NEW_ARRAY(a, uint32_t, graph->n), count;
    uint32_t *rpo = cw_graph_rpo(graph, a, rank, &count);
    for (uint32_t v = 0; v < graph->n; v++)
        idom[v] = CW_NO_BLOCK;
    idom[graph->root] = graph->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 1; i < count; i++) {
            uint32_t dom = dominator_of(graph, idom, rank, rpo[i]);
            cw_require(dom != CW_NO_BLOCK);
            changed |= idom[rpo[i]] != dom;
            idom[rpo[i]] = dom;
        }
    }
    idom[graph->root] = CW_NO_BLOCK;
    *idom_out = idom;
    *first_out = CW_NEW_ARRAY(a, uint32_t, graph->n);
    *size_out = CW_NEW_ARRAY(a, uint32_t, graph->n);
    number_tree(rpo, count, idom, *first_out, *size_out, CW_NEW_ARRAY(a, uint32_t, graph->n));
}
