/* Headers of libraries that device code includes and a checkout seldom holds: PyTorch's, CUTLASS's, RAPIDS' … What
 * stands in for them is small: types and macros as device code sees them, launches as dispatch macros make them, and a
 * host side that parses. They are searched last, so a real header always wins.
 *
 * Each library has a folder of its own below CW_FOREIGN_ROOT. A unit gets the folders of the libraries that it includes
 * something of and no real header was found of: halves of two versions would not fit. */
#ifndef CW_FRONT_FOREIGN_H
#define CW_FRONT_FOREIGN_H

#include "front/shim/shim.h"

#define CW_FOREIGN_ROOT CW_SHIM_ROOT "/foreign"

/* One name that code includes. */
struct cw_foreign_name {
    const char *name;   /* "ATen/ATen.h" */
    const char *folder; /* of its library, below CW_FOREIGN_ROOT and with it */
    const char *under;  /* a header of another library that the stand-in includes, or NULL */
};

/* All names; the array is static. */
const struct cw_foreign_name *cw_foreign_names(uint32_t *n);

/* The most files that cw_foreign_files adds. */
uint32_t cw_foreign_count(void);
/* Appends the files of the libraries whose folders stand among the arguments to `out`; returns how many. */
uint32_t cw_foreign_files(const char *const *args, uint32_t nargs, struct cw_shim_file *out);

#endif
