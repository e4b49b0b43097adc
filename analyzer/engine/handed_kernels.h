/* Kernels that a file launches, `kernel<float><<<…>>>`, or whose name it hands to a function, `run(kernel<float>, …)`,
 * which may launch it with any block. */
#ifndef CW_ENGINE_HANDED_KERNELS_H
#define CW_ENGINE_HANDED_KERNELS_H

#include "base/arena.h"
#include "base/str.h"
#include "source/source.h"

#include <stdbool.h>

struct cw_handed_kernels;

enum cw_handed { CW_HANDED_NOT, CW_HANDED_LAUNCHED, CW_HANDED_TO_FUNCTION }; /* the last overrules the one before */

/* The names before `<<<` or behind a macro that is named for launches, and those that are an argument of a call of a
 * helper, in code that could not be read, too. The file is read once: linear in its size. The result lives in the arena
 * and refers to the text of the source. */
struct cw_handed_kernels *cw_handed_kernels_read(const struct cw_source *source, struct cw_arena *arena);
/* Constant time. */
enum cw_handed cw_handed_kernels_use(const struct cw_handed_kernels *handed, cw_str name);

#endif
