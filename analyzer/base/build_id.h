/* What tells one build of this program from another. */
#ifndef CW_BASE_BUILD_ID_H
#define CW_BASE_BUILD_ID_H

#include <stddef.h>
#include <stdint.h>

/* The linker's note NT_GNU_BUILD_ID (a hash of all that was linked), as it lies in this process; *n its bytes, at
 * most 64. NULL when the program was linked without one. */
const uint8_t *cw_build_id(size_t *n);

#endif
