/* Kernels by the names that a program looks them up by when it runs (CW_KERNEL_BY_NAME). */
#ifndef CW_LAUNCH_NAMED_KERNELS_H
#define CW_LAUNCH_NAMED_KERNELS_H

#include "ir/ir.h"

#include <string.h>

/* The launch's callee and template: keys of functions, or `callee` is the key of a name's string, which names a kernel
 * of another unit. */
struct cw_named_kernel { const char *callee, *pattern; };

static inline bool cw_is_string_key(const char *key) {
    return key && !strncmp(key, CW_STRING_KEY, sizeof CW_STRING_KEY - 1);
}

/* Is it a CW_KERNEL_BY_NAME? */
bool cw_is_kernel_by_name(const struct cw_fn *fn, const struct cw_ins *ins);

/* The kernel of the module that the string names: as it is written, mangled, or as an expression with its namespace and
 * template arguments (`&ns::kernel<float, 3>`), which stands for all instances. False: none, or several. */
bool cw_kernel_by_name(const struct cw_module *m, const char *string_key, struct cw_named_kernel *out);

/* Reads which names host code asks for and stores; once per module, when host functions are in their last form. */
void cw_launch_read_names(struct cw_module *m);

/* The key of the string that names the kernel at an address which nobody follows: of all names that host code stores to
 * the loaded variable of the file, where these are one; else the only name that the unit asks for. NULL: not known.
 * requires: cw_launch_read_names(). */
const char *cw_kernel_name_stored(const struct cw_module *m, const struct cw_fn *host, cw_ref address);

#endif
