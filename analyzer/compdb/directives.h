/* What a text's preprocessor lines say about other files and architectures, at memory speed and without a preprocessor:
 * both sides of every #if count. */
#ifndef CW_COMPDB_DIRECTIVES_H
#define CW_COMPDB_DIRECTIVES_H

#include "base/str.h"
#include "base/vec.h"

struct cw_include {
    const char *name;
    bool angled;
};

struct cw_directives {
    CW_VEC(struct cw_include) includes;   /* in order, repeated ones too */
    CW_VEC(uint32_t) arch_numbers;        /* whole numbers of directives that may be compared with __CUDA_ARCH__ */
    bool names_arch;                      /* __CUDA_ARCH__ or one of its kin stands somewhere in the text */
    bool computes_arch;                   /* and outside of directives, where nobody says with what it is compared */
    bool is_open;                         /* #include MACRO, #include_next, __has_include: what is read cannot be told */
};

void cw_directives_read(struct cw_arena *a, cw_str text, struct cw_directives *out);

#endif
