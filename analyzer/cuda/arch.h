/* GPU architectures and what they bring, from arch.def. */
#ifndef CW_CUDA_ARCH_H
#define CW_CUDA_ARCH_H

#include <stdint.h>

enum cw_arch_flag {
    CW_ARCH_ITS = 1,     /* independent thread scheduling */
    CW_ARCH_MATCH = 2,   /* __match_*_sync */
    CW_ARCH_REDUX = 4,   /* __reduce_*_sync */
    CW_ARCH_ASYNC = 8,   /* cp.async */
    CW_ARCH_CLUSTER = 16 /* thread block clusters */
};

struct cw_arch {
    uint16_t sm;              /* 75 for sm_75 */
    const char *name;         /* "Turing" */
    uint16_t first_ptx;       /* 63 for PTX ISA 6.3 */
    uint16_t dropped_by_cuda; /* first CUDA major version that does not target it, 0: none yet */
    unsigned flags;
};

/* The number in "sm_90a", "compute_75", "lto_80", "90", "7.5"; 0 when the text names no architecture. A number that
 * arch.def does not know is returned too: newer than the table. */
uint32_t cw_arch_parse(const char *text);

/* NULL when the table does not have it. */
const struct cw_arch *cw_arch_find(uint32_t sm);
const struct cw_arch *cw_arch_at(uint32_t index); /* in ascending order; NULL past the end */
const struct cw_arch *cw_arch_latest(void);

/* Features of an architecture; one newer than the table has what the latest has, one between two has the lower's. */
unsigned cw_arch_flags(uint32_t sm);

#endif
