/* The lane evaluator: what every thread of one block computes, for a concrete launch.
 *
 * For each thread a value is one of
 *   EXACT    an integer that follows from thread indices and constants;
 *   SAMPLED  an integer that holds for one generic choice of the uniform unknowns (parameters, uniform loads);
 *   INPUT    an unknown that input data decides freely; a token: equal tokens are equal values, unequal ones can
 * differ; UNKNOWN  an unknown about which nothing may be claimed (opaque call, racy load); again a token. Uniform
 * unknowns are the same token-derived sample in all threads, so `n` stays uniform and `i < n` can be decided.
 *
 * Loops are unrolled lazily: a value is asked for in a *context* that fixes the iteration of each enclosing loop.
 * A value used after its loop has, per thread, the value of the iteration in which that thread left. */
#ifndef CW_LANES_LANES_H
#define CW_LANES_LANES_H

#include "cfg/cfg.h"
#include "launch/launch.h"
#include "uniformity/uniformity.h"

enum cw_known { CW_EXACT, CW_SAMPLED, CW_INPUT, CW_UNKNOWN };

/* One value for all threads of the block; thread t is x + bx*(y + by*z); warp t/32, lane t%32. */
struct cw_lane_values {
    uint8_t *known;  /* enum cw_known per thread */
    int64_t *value;  /* the integer, sign-extended from its type; or the token */
    uint8_t worst;   /* the largest known[] */
};

/* Whether threads get somewhere. */
enum cw_reach {
    CW_REACH_NO, CW_REACH_YES, 
    CW_REACH_INPUT,   /* input data decides freely */
    CW_REACH_UNKNOWN  /* nothing may be claimed */
};

/* An iteration of the loop nest: NULL is outside all loops. Interned: equal contexts are equal pointers. */
struct cw_context {
    const struct cw_context *outer; /* context of the enclosing loop's iteration */
    uint32_t loop;                  /* index in cfg->loops */
    uint32_t iteration;             /* from 0 */
};

/* The sample whose sizes end within a block but at a round place: what is wrong for odd sizes only may be excluded by a
 * check that nobody sees, or be what a size is not meant to be. */
enum { CW_SAMPLE_ROUND = 3 };

/* The sample of odd sizes whose blocks are whole: a check that each thread has data (`assert(i < n)`) holds in it. */
enum { CW_SAMPLE_WHOLE = 5 };

/* Added to a sample: what a block reads from device memory at one place, such as the length of its segment, is a number
 * too, chosen like a parameter. Without it, it is input of which any number may be asked. */
enum { CW_SAMPLE_DATA = 8 };

struct cw_lanes; /* one launch, one sample of the uniform unknowns */

/* requires: SSA, fn->cfg, uniformity (for the stability of loads). sample: 0, 1, … chooses the generic values.
 * The evaluator owns what it returns; it lives in `a`. `budget` bounds the number of evaluated (value, context) pairs;
 * beyond it everything is UNKNOWN and ITERATION_BUDGET is counted among its reasons. */
struct cw_lanes *cw_lanes_new(const struct cw_fn *fn, const struct cw_uniformity *u, const struct cw_launch *launch,
                              uint32_t sample, uint32_t budget, struct cw_arena *a);

/* The same for one block of the grid that the caller chooses: blockIdx is this number, not a sample. For questions
 * about two blocks, which take two evaluators with the same sample. */
struct cw_lanes *cw_lanes_new_in_block(const struct cw_fn *fn, const struct cw_uniformity *u,
                                       const struct cw_launch *launch, uint32_t sample, uint32_t budget,
                                       const uint32_t block_index[3], struct cw_arena *a);

/* Chooses what one thread of the block draws by an atomic that counts up by one in device memory, in its first
 * execution; to be called before anything is asked. Other atomics keep a result that nobody knows. */
void cw_lanes_draw(struct cw_lanes *l, uint32_t ticket);

/* Loops that a branch of one of these blocks leaves are left in their first iteration, as the schedule lets what the
 * branch waits for come about: values behind the loop are those of that iteration. To be called before anything is
 * asked; `blocks` must outlive the evaluator. */
void cw_lanes_choose_exits(struct cw_lanes *l, const struct cw_bitset *blocks);

/* The same launch and choice, for a thread that runs first after a barrier: what it reads from shared memory while
 * others may write is what the barrier has left, as for any other read behind it. Made when first asked for. */
struct cw_lanes *cw_lanes_snapshot(struct cw_lanes *l);

/* The evaluators of one kernel draw on one store of work as well, counted in cells and formulas, never in time:
 * `left` goes down, and at 0 all of them are exhausted. It must outlive the evaluator. */
void cw_lanes_share_work(struct cw_lanes *l, uint64_t *left);
/* Reasons for giving up are counted there, by enum cw_bail, those so far too; NULL: nobody asks. */
void cw_lanes_share_reasons(struct cw_lanes *l, uint32_t *reasons);
/* Takes `cells` of work done elsewhere from that store; false when it is empty now. */
bool cw_lanes_charge(struct cw_lanes *l, uint64_t cells);

/* Does a trap or a failed assertion end this launch, because some thread surely reaches it (in the first iteration
 * of the loops around it)? Then no thread goes on, and what other threads do afterwards is no fact. Traps that only
 * input data decides are taken not to happen. */
bool cw_lanes_traps(struct cw_lanes *l);
/* Does some thread surely execute the block, in the first iteration of the loops around it? */
bool cw_lanes_surely_reached(struct cw_lanes *l, uint32_t block);
/* Are the decisions that lead to the block, in the first iteration of the loops around, a matter of thread indices and
 * constants alone? */
bool cw_lanes_decided_exactly(struct cw_lanes *l, uint32_t block);
/* From here on nothing is known: for launches that end in a trap. Counts CW_BAIL_TRAP. */
void cw_lanes_abandon_trapped(struct cw_lanes *l);
bool cw_lanes_is_trapped(const struct cw_lanes *l); /* it has been abandoned so */

/* What an evaluator has computed: cells of values and conditions, and cells of kept values that were asked for
 * again. */
struct cw_lanes_cells {
    uint64_t evaluated, reused;
};
struct cw_lanes_cells cw_lanes_cells_of(const struct cw_lanes *l);

uint32_t cw_lanes_count(const struct cw_lanes *l); /* threads of the block */
const struct cw_fn *cw_lanes_fn(const struct cw_lanes *l);
const struct cw_launch *cw_lanes_launch(const struct cw_lanes *l);
const struct cw_uniformity *cw_lanes_uniformity(const struct cw_lanes *l);
/* The budget is spent: what was not evaluated by then is UNKNOWN, and the silence says nothing. */
bool cw_lanes_exhausted(const struct cw_lanes *l);

/* The value of `r` in `context` (which must fix every loop around r's definition that also encloses the use). */
const struct cw_lane_values *cw_lanes_eval(struct cw_lanes *l, cw_ref r, const struct cw_context *context);

/* Per thread, enum cw_reach: does the thread execute `block` in this context (iteration)? */
const uint8_t *cw_lanes_reach(struct cw_lanes *l, uint32_t block, const struct cw_context *context);

/* NO: it is certain that no thread executes `block` in any iteration; YES: some thread may; UNKNOWN: nothing is known.
 * Cost: the iterations of the loops around the block, at most 4096 together. */
enum cw_reach cw_lanes_somebody_reaches(struct cw_lanes *l, uint32_t block);

/* False: it is certain that thread t does not execute `block` in any iteration. Cost: the iterations of the loops
 * around the block, at most 256 together. */
bool cw_lanes_may_come(struct cw_lanes *l, uint32_t block, uint32_t t);

/* Per thread, enum cw_reach: does the thread take this edge in this context? */
const uint8_t *cw_lanes_takes(struct cw_lanes *l, struct cw_edge edge, const struct cw_context *context);

/* Where a pointer points, per thread. `base`: an object, a pointer parameter, CW_REF_CONST for an absolute address
 * (null), CW_REF_INS for a pointer of unknown origin (loaded, or chosen by input), CW_REF_NONE where nothing is known.
 * Threads with equal base and token point into the same thing; LOCAL objects are private to each thread all the same.
 * The byte offset is a number where known is EXACT or SAMPLED, else a token. */
struct cw_lane_addresses {
    cw_ref *base;
    int64_t *token;
    int64_t *offset;
    uint8_t *known;
};

/* False when `ptr` is no pointer that can be followed. */
bool cw_lanes_address(struct cw_lanes *l, cw_ref ptr, const struct cw_context *context, struct cw_lane_addresses *out);

/* The same without copies, for questions asked in many iterations: a handle (NULL as above), and one thread's place. */
struct cw_lane_place {
    cw_ref base;
    int64_t token, offset;
    uint8_t known;
};

struct cw_lane_value;
const struct cw_lane_value *cw_lanes_places(struct cw_lanes *l, cw_ref ptr, const struct cw_context *context);
struct cw_lane_place cw_lanes_place(const struct cw_lane_value *places, uint32_t t);
bool cw_lanes_one_place(const struct cw_lane_value *places); /* the same for all threads */

/* Can thread t of the first place and thread u of the second both get there, for the same input? YES: always both. */
enum cw_reach cw_lanes_together(struct cw_lanes *l, uint32_t block_a, const struct cw_context *context_a, uint32_t t,
                                uint32_t block_b, const struct cw_context *context_b, uint32_t u);

/* Does thread t reach `block` in this context, given that thread u reaches the block `from` in that one? */
enum cw_reach cw_lanes_reach_given(struct cw_lanes *l, uint32_t block, const struct cw_context *context, uint32_t from,
                                   const struct cw_context *from_context, uint32_t t, uint32_t u);

const struct cw_context *cw_lanes_context(struct cw_lanes *l, const struct cw_context *outer, uint32_t loop,
                                          uint32_t iteration);
/* The context with iteration 0 of every loop around `block`. */
const struct cw_context *cw_lanes_first(struct cw_lanes *l, uint32_t block);

/* Per thread: how many times the loop's header runs in `outer` before the thread leaves, if it enters; 0 where it
 * surely does not, -1 where it cannot be known (input, unknown, budget). */
const int32_t *cw_lanes_trips(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer);
/* The largest of them, -1 when one is not known. Cheaper: it ends at the first iteration in which some thread may have
 * left. */
int32_t cw_lanes_most_trips(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer);

/* The first iteration to which some thread of those that enter does not come any more, and others may, as one exit's
 * condition tells by numbers, whatever the other exits do; 0 when there is none. Costs the condition in each iteration
 * before. */
uint32_t cw_lanes_first_away(struct cw_lanes *l, uint32_t loop, const struct cw_context *outer);

/* The bytes that stand for an element whose type nobody knows. */
int64_t cw_lanes_unknown_size(const struct cw_lanes *l);

/* The number of the sample. */
uint32_t cw_lanes_sample(const struct cw_lanes *l);

/* The sampled choice made for a uniform unknown, for witnesses: "n = 1000". NULL when none was used yet. */
const char *cw_lanes_sample_text(const struct cw_lanes *l, struct cw_arena *a);

#endif
