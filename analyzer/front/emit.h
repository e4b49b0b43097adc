/* Where the next instruction goes, and what objects are made of: the part of lowering that knows neither cursors nor
 * syntax. Both front ends stand on it. */
#ifndef CW_FRONT_EMIT_H
#define CW_FRONT_EMIT_H

#include "front/arith.h"

/* Is the block without a jump yet? What follows one is unreachable. */
bool cw_at_is_open(struct cw_at at);
/* Jumps to the target from an open block; else nothing. */
void cw_at_go(struct cw_at at, uint32_t target, uint32_t loc, enum cw_origin origin);
/* Falls through from an open block to this one, and goes on there. */
void cw_at_enter(struct cw_at *at, uint32_t block);
/* Behind a jump: goes on in a block that nothing reaches. */
void cw_at_dead(struct cw_at *at);

void cw_add_flags(struct cw_fn *fn, cw_ref ref, uint16_t flags);
/* The address so many bytes on. */
cw_ref cw_at_offset(struct cw_at at, cw_ref addr, uint64_t bytes);
/* What the address leads to may hold anything from here on, as it depends on the arguments. */
void cw_at_clobber(struct cw_at at, struct cw_arena *scratch, cw_ref addr, enum cw_bail why, const cw_ref *args,
                   uint32_t n);

/* One scalar of an object of class or array type. */
struct cw_emit_part {
    uint64_t offset;
    enum cw_type type;
    uint32_t size;
    uint16_t flags; /* of each access to it, besides that nobody wrote it */
};

/* The object's parts, or what stands for all of it where they are not known. */
struct cw_emit_parts {
    const struct cw_emit_part *at;
    uint32_t n;
    bool is_split; /* else it is so many bytes as a whole */
    uint32_t size;
};

void cw_at_copy(struct cw_at at, cw_ref to, cw_ref from, const struct cw_emit_parts *parts);
/* Groups and objects among the parts stay as they are. */
void cw_at_zero(struct cw_at at, cw_ref to, const struct cw_emit_parts *parts);
/* The object's value becomes unknown, by stores of its parts where those are known: nothing else is touched. */
void cw_at_forget(struct cw_at at, struct cw_arena *scratch, cw_ref addr, const struct cw_emit_parts *parts,
                  enum cw_bail why, const cw_ref *args, uint32_t n);

#endif
