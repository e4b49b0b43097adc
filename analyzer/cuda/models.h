/* What is known of library functions beyond the device API's own table: which synchronise no threads, and the contracts
 * of CUB's collectives (collectives.def). docs/internals/models.md says what rests on this. */
#ifndef CW_CUDA_MODELS_H
#define CW_CUDA_MODELS_H

#include "ir/ir.h"

/* Does a function of this qualified name surely order no two threads? False: nobody knows. */
bool cw_model_is_syncfree(const char *qualified);

/* ---- collectives of CUB: a row of collectives.def, which explains the members ---- */

enum cw_collective_valid { CW_VALID_ALL, CW_VALID_FIRST, CW_VALID_HEADS };
enum cw_collective_storage { CW_STORAGE_NONE, CW_STORAGE_EXCHANGE, CW_STORAGE_READ };

struct cw_collective_class {
    const char *name; /* "BlockScan" */
    enum cw_scope scope;
    int dims[3], algorithm; /* indices of template parameters, -1: none */
};

struct cw_collective {
    const struct cw_collective_class *of;
    const char *member, *roles;
    enum cw_collective_valid valid;
    enum cw_collective_storage storage;
    uint32_t alone, warps; /* bits of algorithms */
};

/* By the qualified name of a member function, "cub::BlockScan::ExclusiveSum", also where CUB is wrapped in another
 * namespace, and of hipCUB. NULL: none. */
const struct cw_collective *cw_collective_find(const char *qualified);
/* Of a member function of a base class, which template argument of the base names the class with the row; -1: none. */
int cw_collective_base_argument(const char *qualified);
/* What cw_ins.intrinsic holds for the instructions that a collective is lowered to; no row of the device API has such a
 * number. Of other numbers cw_collective_at() gives NULL. */
uint32_t cw_collective_id(const struct cw_collective *);
const struct cw_collective *cw_collective_at(uint32_t intrinsic);
/* The letter of the k-th argument. */
char cw_collective_role(const struct cw_collective *, uint32_t k);

#endif
