/* Building blocks that the passes of this folder share; not for other layers. */
#ifndef CW_IR_EDIT_H
#define CW_IR_EDIT_H

#include "ir/order.h"

/* An empty function that its module does not list; its tables live in `a`. */
struct cw_fn *cw_fn_bare(struct cw_module *m, struct cw_arena *a, const char *name, const char *key);

/* Adds an instruction to the table only; the caller puts it into a block and sets .block. Counts no bail. */
uint32_t cw_fn_new_ins(struct cw_fn *fn, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                       uint32_t narg, uint32_t loc);

/* Makes an instruction a hole; the caller takes it out of its block's list. */
void cw_edit_remove(struct cw_fn *fn, uint32_t index);

/* Uses to[k] instead of instruction k, wherever it is not CW_NONE, and makes holes of those; the caller has taken them
 * out of their blocks' lists. No to[k] is itself an instruction with a value instead of it. */
void cw_edit_use_instead(struct cw_fn *fn, const cw_ref *to);

/* Takes entry k out of a block's pred list and the operand k out of its PHIs. */
void cw_edit_remove_pred(struct cw_fn *fn, uint32_t block, uint32_t k);

/* Empties unreachable blocks (no instructions, no jump, no preds) and cuts them out of the others' pred lists. */
void cw_edit_drop_unreachable(struct cw_fn *fn, const struct cw_order_of_blocks *o);

/* The operation that makes a value of one type from one of another: for integers of different width as C does for
 * signed ones, between pointers and i64 the address, else PURE (the same bits, not computed). The types differ. */
enum cw_op cw_edit_cast(enum cw_type from, enum cw_type to);

/* Has somebody filled the pred lists? */
bool cw_edit_is_linked(const struct cw_fn *fn);

/* cw_promote; how many objects became values. */
uint32_t cw_promote_count(struct cw_fn *fn);

/* Gives each thread its own copy of parameters of class type that the kernel writes; true when there is one. */
bool cw_own_params(struct cw_fn *fn);

/* Loads of members of class parameters that are parameters of their own become these; true when there was one. */
bool cw_member_params(struct cw_fn *fn);

/* Parts a host object that holds the address of its own later member there; true when there was one. */
bool cw_split_members(struct cw_fn *fn);

/* Hands out copies of local objects in host code instead of their addresses; true when there was one. */
bool cw_lend_objects(struct cw_fn *fn);

/* Loads of host code that read what was just stored become the stored value; true when there was one. */
bool cw_forward_stores(struct cw_fn *fn);

/* With CUWARP_VERIFY: ends the process when the pass left a malformed function. */
void cw_fn_verify_after(const struct cw_fn *fn, const char *pass);

#endif
