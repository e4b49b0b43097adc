/* Launches as IR of the host function. */
#ifndef CW_FRONT_LAUNCH_LOWER_H
#define CW_FRONT_LAUNCH_LOWER_H

#include "front/emit.h"

/* The three extents of a dim3 at the address. */
void cw_load_extents(struct cw_at at, cw_ref dim3, cw_ref out[3]);

/* A LAUNCH of the kernel with this key, or of the one whose address is the last operand (CW_LAUNCH_BY_POINTER). Device
 * code launches nothing that is followed: a call of unknown effect. */
void cw_emit_launch(struct cw_at at, const char *key, const cw_ref *args, uint32_t n, unsigned flags);

/* The operands of a launch with attributes (CW_INS_ATTRIBUTES), by the addresses of the fields `attrs` and
 * `numAttrs` of a cudaLaunchConfig_t, whose attributes have a layout that is part of the runtime's binary interface.
 * out[0]: the number of blocks of a cluster, 1 when no attribute gives cluster dimensions; out[1]: not 0 for a
 * cooperative launch. Where nothing can be said, because there are more attributes than are looked at or an address
 * is missing, they are those of cw_unknown_attributes(): 0 and 1. Cost: some forty instructions. */
void cw_attributes_of_config(struct cw_at at, cw_ref attributes, cw_ref count, cw_ref out[CW_LAUNCH_ATTRIBUTES]);
void cw_unknown_attributes(struct cw_at at, cw_ref out[CW_LAUNCH_ATTRIBUTES]);

#endif
