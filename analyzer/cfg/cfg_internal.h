/* Shared by the parts of cw_cfg_build; nobody else includes this. */
#ifndef CW_CFG_CFG_INTERNAL_H
#define CW_CFG_CFG_INTERNAL_H

#include "cfg/cfg.h"

/* A directed graph in compressed rows: the successors of v are out[out_at[v] … out_at[v + 1]). */
struct cw_graph {
    uint32_t n, root;
    uint32_t *out_at, *out, *in_at, *in;
};

/* The *count nodes that the root reaches, in reverse post-order. rank: node -> position, CW_NO_BLOCK if unreached. */
uint32_t *cw_graph_rpo(const struct cw_graph *g, struct cw_arena *a, uint32_t *rank, uint32_t *count);

/* Immediate dominators (CW_NO_BLOCK for the root and unreached nodes) and the tree as intervals: a dominates b when
 * first[a] <= first[b] < first[a] + size[a]. */
void cw_graph_dominators(const struct cw_graph *g, struct cw_arena *a, uint32_t **idom, uint32_t **first,
                         uint32_t **size);

/* Direct control dependence by a post-dominator tree, without edges into the blocks of `without` (may be NULL). */
struct cw_vec_edge *cw_cfg_find_control(const struct cw_fn *fn, const struct cw_cfg *cfg, const uint32_t *ipdom,
                                        const uint8_t *without, struct cw_arena *a);
void cw_cfg_find_loops(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a);
void cw_cfg_find_inductions(const struct cw_fn *fn, struct cw_cfg *cfg, struct cw_arena *a);

#endif
