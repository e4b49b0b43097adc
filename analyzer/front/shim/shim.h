/* The shim: small C++ headers, inside the program, that stand in for the CUDA Toolkit's and the host's.
 *
 * They go to libclang as unsaved files below a folder that does not exist on disk, so nothing is written and no header
 * of the machine is read. Declarations of the device API come from cuda/intrinsics.def, the rest is in shim/include. */
#ifndef CW_FRONT_SHIM_H
#define CW_FRONT_SHIM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CW_SHIM_ROOT "/cuwarp-shim"
/* Of headers that a build makes and that were made here of their templates; given as files of a unit. */
#define CW_SHIM_MADE CW_SHIM_ROOT "/made"

struct cw_shim_file {
    const char *path; /* below CW_SHIM_ROOT */
    const char *text; /* NUL-terminated */
    size_t size;
};

/* All files of the shim; the array is static. */
const struct cw_shim_file *cw_shim_files(uint32_t *n);

/* The compiler arguments under which the shim is found and read first. The user's own (-I, -D, -std=) go behind them.
 */
const char *const *cw_shim_args(uint32_t *n);

/* What cw_shim_args reads first. Reading it costs about 10 ms a unit, so a run over many files precompiles it once;
 * units with the same architecture and language options then load it lazily. */
#define CW_SHIM_PRELUDE CW_SHIM_ROOT "/cuwarp/runtime.h"

/* Does the word stand anywhere in the files? A macro of that name would change them. */
bool cw_shim_mentions(const char *word, size_t n);
/* The same arguments with the precompiled prelude at `path`; NULL: without any prelude, as for making one. */
const char *const *cw_shim_precompiled_args(struct cw_arena *a, const char *path, uint32_t *n);

/* With a real toolkit instead: the arguments, and in `stub` a file to give as unsaved too. clang 19 cannot parse CUDA
 * 13's texture_fetch_functions.h (nobody needs what it declares), and libcu++ moved to include/cccl there. */
const char *const *cw_shim_toolkit_args(struct cw_arena *a, const char *cuda_path, uint32_t *n,
                                        struct cw_shim_file *stub);

/* Arguments that set the architecture (75 for sm_75), with the shim or with a toolkit; in `a`. */
const char *const *cw_shim_arch_args(struct cw_arena *a, uint32_t arch, uint32_t *n);

#endif
