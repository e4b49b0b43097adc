/* Building blocks that the passes of this folder share; not for other layers. */
#ifndef CW_IR_EDIT_H
#define CW_IR_EDIT_H

#include "ir/ir.h"

/* An empty function that its module does not list; its tables live in `a`. */
struct cw_fn *cw_fn_bare(struct cw_module *m, struct cw_arena *a, const char *name, const char *key);

/* Adds an instruction to the table only; the caller puts it into a block and sets .block. Counts no bail. */
uint32_t cw_fn_new_ins(struct cw_fn *fn, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                       uint32_t narg, uint32_t loc);

/* With CUWARP_VERIFY: ends the process when the pass left a malformed function. */
void cw_fn_verify_after(const struct cw_fn *fn, const char *pass);

#endif
