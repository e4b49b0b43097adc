/* Shuffle trees: loops that halve the distance down to 1, and whether they cover their segments.
 *
 * requires: lanes of the kernel. computes: answers by evaluating the distance in each iteration. preserves:
 * everything. */
#ifndef CW_FAULTS_SHUFFLE_TREES_H
#define CW_FAULTS_SHUFFLE_TREES_H

#include "lanes/lanes.h"

/* The width in lanes that somebody wrote, or a tile's size, when it is a power of two below 32; else 0. */
uint32_t cw_shuffle_written_width(const struct cw_fn *fn, const struct cw_ins *shuffle);

/* The distance at which the tree of shuffle `ins` begins, if that is below half of its written width, lanes that it
 * does not reach come with values of their own, and no other shuffle may do the missing step; else 0. */
uint32_t cw_shuffle_low_begin(struct cw_lanes *l, const struct cw_fn *fn, uint32_t ins);

#endif
