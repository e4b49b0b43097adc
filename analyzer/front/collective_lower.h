/* Calls of CUB's collectives as IR: what cuda/models/collectives.def says, in operations that every analysis knows.
 *
 * An exchange is a store of each participant into the temporary storage, the synchronisation of the participants, and a
 * load of what another one stored. So the barrier inside, a divergent call, and storage that is used again too early
 * are seen like those of written code. All instructions carry cw_collective_id(). */
#ifndef CW_FRONT_COLLECTIVE_LOWER_H
#define CW_FRONT_COLLECTIVE_LOWER_H

#include "cuda/models.h"
#include "front/arith.h"

struct cw_collective_call {
    const struct cw_collective *row;
    cw_ref storage;         /* address of the temporary storage, CW_NONE: not known */
    uint64_t storage_bytes; /* 0: not known */
    int64_t dims[3];        /* of the block, or of the logical warp first; 0: not known */
    int64_t algorithm;      /* 0 when the class has none */
    cw_ref valid;           /* the number of valid items, CW_NONE: all are */
    const cw_ref *from;     /* what the calling thread gives */
    uint32_t nfrom;
};

struct cw_collective_values {
    cw_ref own;    /* made from what others gave; i32 */
    cw_ref common; /* the same in all participants; i32, CW_NONE when nobody waits for others */
};

/* Emits the exchange at *at, which may end in another block. The values are the seeds of the call's results. */
struct cw_collective_values cw_collective_lower(struct cw_at *at, const struct cw_collective_call *call);
/* A value of the call: unknown, and made from the operands. The last one is the size of the caller's logical warp, 0
 * for a collective of the block: it says where a result is valid that one thread of each gets
 * (faults/partial_results.h). */
cw_ref cw_collective_result(struct cw_at at, const struct cw_collective *row, enum cw_type type, const cw_ref *from,
                            uint32_t n);
/* A value that all participants get. */
cw_ref cw_collective_aggregate(struct cw_at at, const struct cw_collective *row, enum cw_type type, cw_ref common);

#endif
