/* Barriers that stand in comments. */
#ifndef CW_ENGINE_COMMENTED_H
#define CW_ENGINE_COMMENTED_H

#include "engine/kernel.h"
#include "source/source.h"

/* Adds a possible finding of commented-out-barrier for each comment in a device function of the unit's main file that
 * is nothing but a barrier's call, unless the statement before or behind it is a barrier. */
void cw_commented_barriers(struct cw_unit *u, const struct cw_source *s);

/* Is the text a call of a barrier with its semicolon and nothing else: "__syncthreads();", "tile.sync();"? */
bool cw_is_barrier_statement(cw_str text);

#endif
