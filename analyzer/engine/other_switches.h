/* Barriers and warp collectives in device code that the unit as read leaves out: below `#if USE_NVSHMEM` inside a
 * kernel, in the #else of `#if CUDART_VERSION >= 12080`. The unit is read once more with definitions that make it
 * active; what is found there holds for a build with them. */
#ifndef CW_ENGINE_OTHER_SWITCHES_H
#define CW_ENGINE_OTHER_SWITCHES_H

#include "base/bitset.h"
#include "engine/kernel.h"

struct cw_other_switches {
    CW_VEC(const char *) args; /* -DNAME=VALUE */
    CW_VEC(struct cw_span) lines; /* of the unit's own text that they make active: line to end_line */
    const char *text;          /* "NAME = VALUE, …" */
};

/* A walk over the branches that `given`, the module of the unit as it is, leaves out. */
struct cw_switch_walk {
    const struct cw_module *given;
    const struct cw_source *source;
    struct cw_bitset done; /* branches that were brought in, or cannot be */
};

struct cw_switch_walk cw_switch_walk_begin(struct cw_unit *u, const struct cw_source *source);
/* What to define for a further reading: all that one branch needs, with the other branches that are active then, too.
 * False when there are no more. Names that begin with `_`, other makers' names, and those that the options, the file
 * or its headers define are never defined. requires: u is no string. Cost: a walk over the places of
 * the module's functions for each branch with a barrier. */
bool cw_switch_walk_next(struct cw_unit *u, struct cw_switch_walk *walk, struct cw_other_switches *out);

/* Does the finding stand in a line that the definitions make active? */
bool cw_other_switches_have(const struct cw_unit *u, const struct cw_finding *f);

#endif
