/* Questions about the code of a kernel: its operations, its calls of the device API, its target. */
#ifndef CW_KERNEL_ASK_CODE_H
#define CW_KERNEL_ASK_CODE_H

#include "cfg/cfg.h"
#include "cuda/arch.h"
#include "cuda/intrinsics.h"
#include "cuda/models.h"
#include "ir/ir.h"
#include "uniformity/reachable_ops.h"

/* See cw_reachable_ops(), cw_intrinsic_at(), cw_arch_flags(). */

#endif
