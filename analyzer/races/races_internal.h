/* Shared by the parts of the race analysis (races*.c); nobody else includes this. */
#ifndef CW_RACES_RACES_INTERNAL_H
#define CW_RACES_RACES_INTERNAL_H

#include "base/str.h"
#include "races/filled.h"
#include "races/liveness.h"
#include "races/races.h"
#include "races/shadow_memory.h"
#include "uniformity/uses.h"

enum { CW_RACE_FIRST_BLOCK = 7 }; /* the sample of block 0 that is looked at first */

struct cw_race_run { /* one launch and sample */
    uint32_t launch, sample;
    struct cw_event_trace *timeline;
    struct cw_shadow *all, *needed; /* conflicts of all reads, and of those whose value is needed */
    struct cw_liveness *needs;         /* NULL: not asked for, since no conflict depends on a read */
    struct cw_filled_list *filled;     /* NULL: not asked for */
};

struct cw_race_candidate {
    const struct cw_conflict *meeting;
    const struct cw_race_run *run;
    bool unused, definite;
    bool is_idle; /* told by another one of the two instructions, or denied by sizes in device memory */
};

struct cw_race_search {
    const struct cw_kernel_query *q;
    struct cw_roles *roles;
    struct cw_race_run **runs; /* per launch and sample */
    uint32_t nruns;
    bool *tried;
    bool gave_up, unknown;
    bool looks_at_first; /* at block 0 by itself */
    CW_VEC(struct cw_race_candidate) candidates;
    const struct cw_uses *uses; /* NULL: not asked for */
};

/* Is there a conflict of the same two instructions, of the same kind? */
const struct cw_conflict *cw_race_same_meeting(const struct cw_shadow *s, const struct cw_conflict *m);
/* Is `one`, which is sure to happen, about one access of the other conflict and a neighbour of its other access, in the
 * same basic block? Which half of a buffer is in use may be a matter of sizes, and nothing orders either half. */
bool cw_race_are_neighbours(const struct cw_fn *fn, const struct cw_conflict *one, const struct cw_conflict *other);
/* Adds conflicts of the run across barriers that input may skip (races_skips.c). */
void cw_race_add_skips(struct cw_race_search *r, struct cw_race_run *run);
/* Adds conflicts of the run across unknown calls that may order them (races_calls.c). */
void cw_race_add_calls(struct cw_race_search *r, struct cw_race_run *run);
/* Whether what is read is needed: not asked before where no conflict was about a read (races_skips.c). */
void cw_race_find_needs(struct cw_race_search *r, struct cw_race_run *run);
/* Puts together what one barrier at one place would order (races_causes.c), and says what each cause is. */
void cw_race_causes(struct cw_race_search *r, struct cw_races *out);
/* Is block 0 to be looked at by itself (races_blocks.c)? */
bool cw_races_first_block(const struct cw_fn *fn, const struct cw_roles *roles, struct cw_arena *a);
/* Do the threads of every block surely access the bytes that the conflict is about? */
bool cw_races_in_all_blocks(const struct cw_race_search *r, const struct cw_conflict *m);
/* requires: base and same_warp of the race. computes: what orders its accesses (races_remedy.c). */
void cw_race_find_remedy(struct cw_race_search *r, const struct cw_race_candidate *const *list, uint32_t n,
                         struct cw_race *race);
/* What a conflict is by itself; *between as in struct cw_race. */
struct cw_race_properties cw_race_properties_of(const struct cw_race_candidate *c, const struct cw_fn *fn,
                                                uint32_t *between);

#endif
