/* Kernels whose name a file hands to a function: `run(kernel<float>, …)`. That function may launch it with any block.
 */
#ifndef CW_ENGINE_HANDED_KERNELS_H
#define CW_ENGINE_HANDED_KERNELS_H

#include "base/arena.h"
#include "base/str.h"
#include "source/source.h"

#include <stdbool.h>

struct cw_handed_kernels;

/* The names that are the first argument of a call of a helper, in code that no front end could read, too. The file is
 * read once: linear in its size. The result lives in the arena and refers to the text of the source. */
struct cw_handed_kernels *cw_handed_kernels_read(const struct cw_source *source, struct cw_arena *arena);
/* Constant time. */
bool cw_handed_kernels_has(const struct cw_handed_kernels *handed, cw_str name);

#endif
