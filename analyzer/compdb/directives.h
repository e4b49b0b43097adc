/* What a text's preprocessor lines say about other files and architectures, at memory speed and without a preprocessor:
 * both sides of every #if count. */
#ifndef CW_COMPDB_DIRECTIVES_H
#define CW_COMPDB_DIRECTIVES_H

#include "base/str.h"
#include "base/vec.h"
#include "compdb/kernel_names.h"

struct cw_include {
    const char *name;
    bool angled;
    bool is_optional; /* __has_include asks whether it is there */
};

struct cw_directives {
    CW_VEC(struct cw_include) includes;   /* in order, repeated ones too */
    CW_VEC(const char *) macro_includes;  /* NAME of each #include NAME */
    CW_VEC(uint32_t) arch_numbers;        /* whole numbers of directives that may be compared with __CUDA_ARCH__ */
    CW_VEC(const char *) launch_macros;   /* NAME of each #define NAME … <<< …, and of each that makes a function */
    struct cw_names_list kernels, launched; /* names of kernels that the text defines, and of those before its <<< */
    bool has_kernels;                     /* the text holds __global__ */
    bool has_launches;                    /* or <<< */
    bool names_arch;                      /* __CUDA_ARCH__ or one of its kin stands somewhere in the text */
    bool computes_arch;                   /* and outside of directives, where nobody says with what it is compared */
    bool is_open; /* #include_next, #include F(x), __has_include(MACRO): what is read cannot be told */
};

/* What a macro stands for where `text` defines it as the name of a header. False when it defines it as anything else.
 * In arena memory. */
struct cw_includes_list { struct cw_include *at; uint32_t n, cap; };
bool cw_directives_header_macro(struct cw_arena *a, cw_str text, const char *name, struct cw_includes_list *out);

void cw_directives_read(struct cw_arena *a, cw_str text, struct cw_directives *out);

#endif
