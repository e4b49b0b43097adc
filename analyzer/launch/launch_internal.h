/* Shared by the parts of cw_launches_of. */
#ifndef CW_LAUNCH_LAUNCH_INTERNAL_H
#define CW_LAUNCH_LAUNCH_INTERNAL_H

#include "base/map.h"
#include "launch/launch.h"

enum { CW_LAUNCHES_MAX = 12, CW_THREADS_MAX = 1024, CW_SHAPES_MAX = 16 };

static const struct cw_launch_arg cw_launch_arg_unknown = {false, 0, 1, INT64_MIN, INT64_MAX, false, 0};

struct cw_launch_list {
    struct cw_arena *arena;
    cw_launch_fits_fn *fits;
    CW_VEC(struct cw_launch) at;
    struct cw_map tried; /* chosen launches that do not fit, by what the kernel sees of them */
    bool incomplete; /* see struct cw_launches */
    bool any_block; /* as asked for; then as in struct cw_launches */
    bool fits_none; /* see struct cw_launches */
};

/* Adds a launch unless it is impossible, known already, or the list is full. */
void cw_launch_add(struct cw_launch_list *list, const struct cw_launch *l);

/* Hardware takes at most 1024 threads in a block, and 64 of them in depth. */
bool cw_launch_is_possible(const uint32_t block[3]);

/* Launches of the kernel in the module's host functions (launch_sites.c). */
void cw_launch_add_sites(struct cw_launch_list *list, const struct cw_module *m, const struct cw_fn *kernel);

/* Launches whose block the host computes from at most two integers that nobody knows, as in `k<<<8, dim / 2>>>(x,
 * dim)`: under usual values for these, which the arguments and the grid follow. Values under which the kernel leaves
 * its shared arrays or traps are left out. Adds nothing when some launch's block is any. requires: an empty list. */
void cw_launch_add_chosen(struct cw_launch_list *list, const struct cw_module *m, const struct cw_fn *kernel);

/* The argument that every launch of the kernel also takes for the (run-time) extent of its one-dimensional block: its
 * number + 1, or 0. */
uint32_t cw_launch_extent_param(const struct cw_module *m, const struct cw_fn *kernel);

/* The dimensions, from x on, in which some launch of the kernel in the unit may have more than one thread; 3 without
 * a launch. */
uint32_t cw_launch_dimensions(const struct cw_module *m, const struct cw_fn *kernel);

/* Sets common->args to the arguments that every launch of the kernel in the unit gives the same constant: what holds
 * whatever the shape is. Left alone when there is no launch. */
void cw_launch_common_args(const struct cw_module *m, const struct cw_fn *kernel, struct cw_arena *a,
                           struct cw_launch *common);

/* Adds to the arguments of `n` launches what the kernel's own checks say of them: every thread passes the check or
 * traps. requires: kernel->cfg. Cost: a bounded walk for each integer argument of a kernel that may trap. */
void cw_launch_narrow(struct cw_launch *launches, uint32_t n, const struct cw_fn *kernel, struct cw_arena *a);

/* Ordinary shapes of at most so many dimensions for a kernel without facts, likeliest first where the code hints at one
 * (launch_shapes.c). */
void cw_launch_add_shapes(struct cw_launch_list *list, const struct cw_fn *kernel, uint32_t dimensions);

#endif
