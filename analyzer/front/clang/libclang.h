/* libclang, loaded when the first file needs it. A run whose results are all kept never maps its hundred megabytes, and
 * one program works with the libclang of the system, of a Python package, or of the user's choice.
 *
 * This folder includes this header in place of <clang-c/Index.h>: each clang_name of libclang.def then is a pointer in
 * cw_libclang. The build turns the table into the macros (libclang_calls.h), since a macro cannot define one. */
#ifndef CW_FRONT_CLANG_LIBCLANG_H
#define CW_FRONT_CLANG_LIBCLANG_H

#include <clang-c/Index.h>

struct cw_libclang {
#define CW_LIBCLANG(name) __typeof__(name) *name;
#include "front/clang/libclang.def"
};

/* Valid after cw_front_clang_load() gave true. */
extern struct cw_libclang cw_libclang;

#include <libclang_calls.h>

#endif
