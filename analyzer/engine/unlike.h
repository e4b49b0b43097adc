/* Barriers that like places have and one place lacks. */
#ifndef CW_ENGINE_UNLIKE_H
#define CW_ENGINE_UNLIKE_H

#include "engine/kernel.h"
#include "source/source.h"

/* Adds a possible finding of sibling-without-sync for each place of the unit's main file that lacks a barrier which two
 * or more like places in its device functions have (source/siblings.h). Comes behind the rules: where a race is
 * reported, that says more. Does nothing when the rule is off. */
void cw_unlike_siblings(struct cw_unit *u, const struct cw_source *s);

#endif
