/* What many units of a run read before anything else: the headers that their texts begin with.
 *
 * A unit's leading headers are those whose text clang has read, in this order, before it meets the first token of the
 * unit that is no #include. Two units with the same arguments and the same leading headers begin with the same text,
 * whichever files name it, so it can be parsed once for both. Headers that the shim brings are left out: their order
 * changes nothing (tests/shim holds them to that). */
#ifndef CW_ENGINE_LEADING_H
#define CW_ENGINE_LEADING_H

#include "base/arena.h"
#include "base/vec.h"
#include "engine/sources.h"

struct cw_leading;

/* Units are read as `sources` has them; a header that it overrides is shared with nobody, nor is what comes after it.
 */
struct cw_leading *cw_leading_open(struct cw_arena *a, const struct cw_sources *sources);
/* One more unit that will be parsed with these arguments, which must live as long as `l`. */
void cw_leading_add(struct cw_leading *l, const char *path, const char *const *args, uint32_t nargs);
/* Chooses for each unit what it shares, so that most text is parsed least often. Deterministic. */
void cw_leading_choose(struct cw_leading *l);
/* Then: units that share nothing with others of this run take all that they begin with, to share it with later runs. */
void cw_leading_choose_all(struct cw_leading *l);
/* Absolute paths of the headers that the unit shares with others; *n is 0 when there are none. `l` may be NULL. */
const char *const *cw_leading_of(struct cw_leading *l, const char *path, uint32_t *n);

#endif
