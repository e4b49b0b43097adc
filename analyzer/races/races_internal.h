/* Shared by the parts of the race analysis (races*.c); nobody else includes this. */
#ifndef CW_RACES_RACES_INTERNAL_H
#define CW_RACES_RACES_INTERNAL_H

#include "base/str.h"
#include "races/filled.h"
#include "races/liveness.h"
#include "races/races.h"
#include "races/shadow_memory.h"
#include "uniformity/uses.h"

enum {
    CW_RACE_SAMPLES = 3,                /* choices of the uniform unknowns that must all show a conflict */
    CW_RACE_SLOTS = 2 * CW_SAMPLE_DATA, /* numbers of such choices */
    CW_RACE_INNER_BLOCK = 2, /* the sample looked at first: an inner block, whole in every dimension */
    CW_RACE_FIRST_BLOCK = 7  /* the sample of block 0 that is looked at first */
};

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

/* ---- races_runs.c ---- */

/* The choices that a conflict of this one has to hold for: CW_RACE_SAMPLES of them. */
const uint8_t *cw_race_samples_like(uint32_t sample);
/* The run of the launch and choice, made when first asked for; NULL: it was given up, or its guessed shape is
 * none. */
struct cw_race_run *cw_race_run_of(struct cw_race_search *race_search, uint32_t launch, uint32_t sample);

/* ---- races_confirm.c ---- */

/* Has the launch's block more than one warp? */
bool cw_race_is_block_wide(const struct cw_race_search *race_search, uint32_t launch);
/* Does the run of the launch and choice show that the instruction reads what nobody wrote? */
bool cw_race_shows_unwritten(struct cw_race_search *race_search, uint32_t launch, uint32_t sample, uint32_t ins);
/* Does some thread come there, and does it need what it reads? */
bool cw_race_does_happen(const struct cw_race_run *run, uint32_t step);
/* Says the run anything of the two instructions? Where the one never comes behind the other (a loop of one
 * iteration, a block outside of the data), or where two threads are needed and one alone comes to both, it does
 * not. */
bool cw_race_says_something(const struct cw_race_run *run, uint32_t first, uint32_t second, bool needs_two);
/* Where thread t accesses memory, and how many bytes; false: the thread does not come there, or the place is no
 * number. */
bool cw_race_place_of(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_context *context,
                      uint32_t t, struct cw_lane_place *place, uint64_t *size);
/* Is the root in device memory? */
bool cw_race_is_device_memory(const struct cw_fn *fn, cw_ref root);
/* Is the place of the thread's access in the step computed from unknowns? */
bool cw_race_rests_on_choice(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_step *step,
                             uint32_t t);
/* Does it hold for the other choices too? conflict: NULL for a read, by `ins`, of what nobody wrote. */
bool cw_race_holds_in_samples(struct cw_race_search *race_search, const struct cw_race_run *run,
                              const struct cw_conflict *conflict, uint32_t ins);
/* Does the conflict hold for other choices of the unknowns and for blocks of other shapes? */
bool cw_race_is_sure(struct cw_race_search *race_search, const struct cw_race_run *run,
                     const struct cw_conflict *conflict);

/* ---- races_mishaps.c ---- */

/* Do the two meet only if one of them leaves its array, or the part of it that is its own, or if chosen sizes make two
 * elements of one layout one? */
bool cw_race_rests_on_mishap(struct cw_race_search *race_search, struct cw_race_run *run,
                             const struct cw_conflict *conflict);
/* Do the two meet only if sizes lead one of them out of its stage of a ring? */
bool cw_race_leaves_stage(const struct cw_race_run *run, const struct cw_conflict *conflict);

/* ---- races_unwritten.c ---- */

/* The one variable that the instruction accesses, else CW_NONE. */
cw_ref cw_race_object_of(const struct cw_fn *fn, const struct cw_ins *ins);
/* Adds the reads of the run that find what nobody wrote. */
void cw_race_collect_unwritten(struct cw_race_search *race_search, struct cw_races *out, const struct cw_race_run *run);

/* ---- races_search.c ---- */

/* Looks at the launches and adds what they show: candidates, and reads of what nobody wrote. Are there known launches
 * that were not looked at? */
bool cw_race_search_launches(struct cw_race_search *race_search, struct cw_races *out);

#endif
