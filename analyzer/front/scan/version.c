/* Which grammar this is. */
#include "front/front.h"

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_cuda(void);

const char *cw_scan_grammar_version(struct cw_arena *a) {
    return cw_arena_printf(a, "CUDA grammar, ABI %u (the library reads %u to %u)",
                           (unsigned)ts_language_abi_version(tree_sitter_cuda()),
                           (unsigned)TREE_SITTER_MIN_COMPATIBLE_LANGUAGE_VERSION,
                           (unsigned)TREE_SITTER_LANGUAGE_VERSION);
}
