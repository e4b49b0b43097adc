/* The one header of a rule: what it may ask, and how it reports.
 *
 * A rule is a short question to the analyses. It never walks source text or syntax, keeps no global state, and reports
 * through cw_report_*(). Its head comment is its documentation (see rules/README.md for the sections); the build turns
 * it into `explain`, the web page and the SARIF help. */
#ifndef CW_RULES_RULE_H
#define CW_RULES_RULE_H

#include "blocks/inter_block.h"
#include "cfg/cfg.h"
#include "cuda/arch.h"
#include "cuda/intrinsics.h"
#include "diag/diag.h"
#include "faults/banks.h"
#include "faults/barrier_use.h"
#include "faults/coalescing.h"
#include "faults/contention.h"
#include "faults/divergent_arms.h"
#include "uniformity/infinite_loops.h"
#include "faults/early_exits.h"
#include "faults/exited_lanes.h"
#include "faults/groups.h"
#include "faults/lane_index.h"
#include "lanes/lanes.h"
#include "launch/launch.h"
#include "uniformity/reachable_ops.h"
#include "faults/unwritten_by_exited.h"
#include "faults/mask_faults.h"
#include "faults/named_barriers.h"
#include "faults/partial_results.h"
#include "lanes/participation.h"
#include "races/races.h"
#include "faults/reduce_trees.h"
#include "faults/shuffle_trees.h"
#include "faults/shuffle_faults.h"
#include "faults/activemask_uses.h"
#include "faults/spins.h"
#include "faults/barrier_divergence.h"
#include "uniformity/uniformity.h"
#include "uniformity/conflicting_store.h"
#include "ir/ir.h"

enum cw_semantics { CW_SEMANTICS_CUDA13, CW_SEMANTICS_CUDA12, CW_SEMANTICS_PORTABLE };

struct cw_rule;

/* Code of a virtual architecture below sm_70, compiled for a real one from there on: its warps run in lock-step. */
struct cw_opt_out {
    uint32_t virtual_sm, real_sm; /* 0: not so, or not known */
};

/* Everything a rule may look at for one kernel (or device function that no kernel of the unit reaches). */
struct cw_rule_ctx {
    const struct cw_rule *rule;
    const struct cw_module *module;
    struct cw_fn *fn;                        /* inlined, SSA, simplified, fn->cfg set */
    const struct cw_uniformity *uniformity;
    struct cw_launches launches;
    enum cw_semantics semantics;
    uint32_t min_arch;                       /* 75 for sm_75; lowest of --arch */
    uint32_t arch;                           /* the one that the text was read for: __CUDA_ARCH__ / 10 */
    struct cw_opt_out opt_out;               /* how the build runs this text without independent thread scheduling */
    struct cw_arena *arena;                  /* scratch of this kernel */
    struct cw_analysis *analysis;            /* internal: cached evaluators, the sink */
    struct cw_splits *splits;                /* internal: see cw_rule_splits; NULL until asked for */
    struct cw_mask_faults *mask_faults;      /* internal: see cw_rule_mask_faults; NULL until asked for */
    struct cw_races *races;                  /* internal: see cw_rule_races; NULL until asked for */
    struct cw_block_faults *block_faults;    /* internal: see cw_rule_block_faults; NULL until asked for */
    struct cw_spare_barriers *spare_barriers; /* internal: see cw_rule_spare_barriers; NULL until asked for */
};

typedef void cw_rule_check(struct cw_rule_ctx *);

struct cw_rule {
    const char *name, *category;
    enum cw_severity severity;
    bool preview, off_by_default;
    cw_rule_check *check;
};

/* The evaluator for launch `launch` (index in ctx->launches) and sample; cached per kernel. */
struct cw_lanes *cw_rule_lanes(struct cw_rule_ctx *, uint32_t launch, uint32_t sample);
/* Where the block's threads part before block barriers (faults/barrier_divergence.h); computed once per kernel. */
const struct cw_splits *cw_rule_splits(struct cw_rule_ctx *);
/* What is wrong with the masks of warp collectives (faults/mask_faults.h); computed once per kernel. */
const struct cw_mask_faults *cw_rule_mask_faults(struct cw_rule_ctx *);
/* Which two threads touch one byte with nothing that orders them (races/races.h); computed once per kernel. */
const struct cw_races *cw_rule_races(struct cw_rule_ctx *);

/* Threads that return before a block barrier (faults/early_exits.h). */
struct cw_early_exits cw_rule_exits(struct cw_rule_ctx *, bool all);
/* Cooperative groups that do not hold whom they stand for (faults/groups.h). */
struct cw_parted_groups cw_rule_parted_groups(struct cw_rule_ctx *);
struct cw_escaped_groups cw_rule_escaped_groups(struct cw_rule_ctx *);
/* `threadIdx.x % 32` taken for the lane where it is not (faults/lane_index.h). */
struct cw_narrow_indices cw_rule_narrow_indices(struct cw_rule_ctx *);
/* Masks that name lanes which have exited or never were (faults/exited_lanes.h). */
struct cw_gone_list cw_rule_gone_lanes(struct cw_rule_ctx *);
/* Shuffles whose result is indeterminate and used (faults/shuffle_faults.h); kinds: a bit per enum cw_source_fault. */
struct cw_shuffle_faults cw_rule_shuffle_faults(struct cw_rule_ctx *, uint32_t kinds);
/* Reductions whose result is used where it is not valid (faults/partial_results.h). */
struct cw_partial_uses cw_rule_partial_uses(struct cw_rule_ctx *);
/* What is wrong with the uses of __activemask() (faults/activemask_uses.h). */
struct cw_snapshots cw_rule_snapshots(struct cw_rule_ctx *, enum cw_snapshot_kind kind);
/* Accesses to shared memory that take several passes (faults/banks.h). */
struct cw_bank_conflicts cw_rule_bank_conflicts(struct cw_rule_ctx *);
/* Accesses to device memory that move far more than they use (faults/coalescing.h). */
struct cw_scattered_accesses cw_rule_scattered_accesses(struct cw_rule_ctx *);
/* Atomics of many lanes on one address (faults/contention.h). */
struct cw_contentions cw_rule_contentions(struct cw_rule_ctx *);
/* Trees that one instruction, or shuffles, would do (faults/reduce_trees.h). */
struct cw_reduce_trees cw_rule_shuffle_reductions(struct cw_rule_ctx *);
struct cw_reduce_trees cw_rule_shared_tails(struct cw_rule_ctx *);
/* Branches at which the lanes of a warp part by their indices alone (faults/divergent_arms.h). */
struct cw_divergent_branches cw_rule_divergent_branches(struct cw_rule_ctx *);
/* What is not ordered between blocks, or through device memory (blocks/inter_block.h); computed once per kernel. */
const struct cw_block_faults *cw_rule_block_faults(struct cw_rule_ctx *);
/* Block barriers that order nothing, or only what happens within warps (faults/barrier_use.h); computed once per
 * kernel. */
const struct cw_spare_barriers *cw_rule_spare_barriers(struct cw_rule_ctx *);
/* Named barriers that cannot complete (faults/named_barriers.h). */
struct cw_named_faults cw_rule_named_faults(struct cw_rule_ctx *);
/* Is the kernel one of several instantiations of a template? Their launches and their arguments differ. */
bool cw_rule_has_siblings(struct cw_rule_ctx *);
/* CW_DEFINITE for what is seen in this kernel's own code or in a function that nobody else calls; CW_POSSIBLE where
 * another kernel, instantiation or call has the same line and may need it. */
enum cw_confidence cw_rule_for_all_uses(struct cw_rule_ctx *, uint32_t ins);
/* Lanes that wait in a loop for a lane of their own warp (faults/spins.h). */
struct cw_spins cw_rule_spins(struct cw_rule_ctx *);

/* ---- reporting: begin, decorate, submit. The finding lives until the run ends. ---- */

/* At instruction `ins`: place, kernel and inline stack are filled in. `confidence` may be lowered by the engine when
 * the function is a pattern or device function analysed alone. */
struct cw_finding *cw_report(struct cw_rule_ctx *, enum cw_confidence, uint32_t ins, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At any loc of ctx->fn (index in fn->locs). */
struct cw_finding *cw_report_at(struct cw_rule_ctx *, enum cw_confidence, uint32_t loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_label(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_note(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc /* 0: no place */, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_help(struct cw_rule_ctx *, struct cw_finding *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A further place with the same cause: a finding of the rule that another kernel gives there is not told again. */
void cw_report_covers(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);
/* The finding takes `name` for the toolkit's. In a header that is read on its own it is void where an includer defines
 * it. */
void cw_report_rests_on(struct cw_finding *, const char *name);
void cw_report_severity(struct cw_finding *, enum cw_severity);
/* What was seen is wrong whatever a caller does: keeps CW_DEFINITE in functions analysed without their callers. */
void cw_report_textual(struct cw_finding *);
/* Makes it textual when the split at the branch needs no caller, no assumed argument and no launch: the threads'
 * positions alone decide, in whatever block. Until then what a function without callers shows is possible at most. */
void cw_report_any_caller(struct cw_rule_ctx *, struct cw_finding *, uint32_t branch);
/* It is about how the file is built: of all kernels' findings the first one in the file is told. */
void cw_report_once_per_file(struct cw_finding *);
/* Notes that tell how divergence reaches a branch: source (threadIdx.x, a load), the branch, the calls between. */
void cw_report_divergence(struct cw_rule_ctx *, struct cw_finding *, uint32_t branch_block);
/* All of that for a split: how divergence arose, launch, lanes, and the other barriers with the same cause. */
void cw_report_split(struct cw_rule_ctx *, struct cw_finding *, const struct cw_split *);
/* The launch into the witness; or that and the values chosen for unknowns. */
void cw_report_shape(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *);
void cw_report_launch(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *);
/* Warp, lane rows (arrive / exited / elsewhere) and the threads of a participation into the witness. */
void cw_report_participation(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *,
                             const struct cw_participation *, uint32_t warp);
/* The same for a barrier of the whole block: the warp that shows the divergence best, or a row of warps where no warp
 * has lanes of two kinds. */
void cw_report_block_participation(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *,
                                   const struct cw_participation *);
/* A warp and a row of its lanes into the witness, told by `label` and `meaning`. */
void cw_report_lanes(struct cw_rule_ctx *, struct cw_finding *, const struct cw_lanes *, uint32_t warp,
                     const char *label, uint32_t lanes, const char *meaning);
/* Further places with the same cause, as notes; each line once. */
void cw_report_also(struct cw_rule_ctx *, struct cw_finding *, const struct cw_vec_u32 *also, const char *text);
/* All of a mask's fault: how the lanes part, launch, mask, lanes, and the other calls with the same cause. */
void cw_report_mask_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_mask_fault *);
/* All of a shuffle's fault: who left where, the other shuffles with the same cause, the use, launch and lanes. */
void cw_report_shuffle_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_shuffle_fault *);
/* How a snapshot is misused: where it was taken, where the lanes part or the result is used, who was caught. */
void cw_report_snapshot(struct cw_rule_ctx *, struct cw_finding *, const struct cw_snapshot_fault *);
/* The other call at a named barrier, and the launch and the thread that waits. */
void cw_report_named_fault(struct cw_rule_ctx *, struct cw_finding *, const struct cw_named_fault *);
/* Use, launch, thread. */
void cw_report_partial_use(struct cw_rule_ctx *, struct cw_finding *, const struct cw_partial_use *);
/* Launch, warp and the two lanes of a spin. */
void cw_report_spin(struct cw_rule_ctx *, struct cw_finding *, const struct cw_spin *);
/* All of a race: what each thread does with which element and in which iteration, where order is missing, the other
 * places with the same cause, launch and lanes, and the cheapest help (a later cw_report_help() replaces it). */
void cw_report_race(struct cw_rule_ctx *, struct cw_finding *, const struct cw_race *);
void cw_report_submit(struct cw_rule_ctx *, struct cw_finding *);

/* ---- fixes: docs/internals/fixes.md ---- */

/* A range of a file, to be edited. */
struct cw_source;
struct cw_span_text {
    const struct cw_source *source;
    uint32_t file; /* index in module->files */
    size_t from, to;
};

/* A fix in the making. */
struct cw_draft {
    struct cw_rule_ctx *ctx;
    struct cw_fix fix;
    bool spoilt;
};

struct cw_draft cw_draft_begin(struct cw_rule_ctx *);
void cw_draft_edit(struct cw_draft *, const struct cw_span_text *file, size_t from, size_t to, const char *replacement);
void cw_draft_spoil(struct cw_draft *);
/* Adds it to the finding unless it is spoilt or empty. Of several fixes the first that stands the proof is applied.
 * Safe: right whatever was meant, given what the analysis has shown; the message says what is done, as an order. */
void cw_draft_offer(struct cw_draft *, struct cw_finding *, bool safe, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* False when the text is not at hand or came out of a macro. */
bool cw_rule_text(struct cw_rule_ctx *, uint32_t loc, struct cw_span_text *out);
/* The same, and of what came out of a macro the macro's use. */
bool cw_rule_use_text(struct cw_rule_ctx *, uint32_t loc, struct cw_span_text *out);
/* The call's k-th argument, or the name called. False also when the text has not the arguments that the call has. */
bool cw_rule_argument(struct cw_rule_ctx *, uint32_t ins, uint32_t k, struct cw_span_text *out);
bool cw_rule_callee(struct cw_rule_ctx *, uint32_t ins, struct cw_span_text *out);
bool cw_span_text_is(const struct cw_span_text *, const char *text);
bool cw_span_text_is_literal(const struct cw_span_text *);
const char *cw_span_text_copy(struct cw_rule_ctx *, const struct cw_span_text *);

/* Do all threads of each warp (CW_UNI_WARP) or of the block (CW_UNI_BLOCK) come to a place, or none of them? Threads of
 * a warp that have exited do not count. */
enum cw_together {
    CW_APART,         /* some do not, or it cannot be known */
    CW_TOGETHER_HERE, /* under every launch that is considered */
    CW_TOGETHER       /* always */
};
enum cw_together cw_rule_together(struct cw_rule_ctx *, uint32_t block, enum cw_uni level);
/* The same of every inlined copy of a collective, for warps. */
enum cw_together cw_rule_warp_calls(struct cw_rule_ctx *, uint32_t ins);
/* Does some launch show that lanes of a warp make the call while others of it run elsewhere, or that input data decides
 * it? */
bool cw_rule_leaves_lanes_out(struct cw_rule_ctx *, uint32_t ins);
/* Is the call the old side of a version switch: does a sibling branch of the #if around it, or another definition of
 * the macro that it comes from, use a shuffle or vote with a mask? */
bool cw_rule_is_version_switch(struct cw_rule_ctx *, uint32_t ins);
/* Whether that carries a safe fix at `loc`: in code whose callers and launches lie before us. */
bool cw_rule_proves(const struct cw_rule_ctx *, uint32_t loc, enum cw_together);

/* The full mask in all calls of the kernel with this constant mask, which all of the warp make: a mask has to name who
 * calls. */
void cw_fix_constant_mask(struct cw_rule_ctx *, struct cw_finding *, uint32_t value);
/* The full mask in these calls, the same. `certain`: no result can depend on which mask was meant. */
void cw_fix_full_mask(struct cw_rule_ctx *, struct cw_finding *, const uint32_t *ins, uint32_t n, bool certain);
/* `__activemask()` replaced by the full mask, where all of the warp comes and it is used as a mask only. */
void cw_fix_snapshot(struct cw_rule_ctx *, struct cw_finding *, uint32_t snapshot);
/* A ballot of the branch's condition in front of the branch, in place of the mask of these calls, or of the snapshot.
 */
void cw_fix_ballot(struct cw_rule_ctx *, struct cw_finding *, const uint32_t *ins, uint32_t n, bool certain);
/* `a >= 1` in a loop's header made `a >>= 1`, `a + 1` made `a += 1`; loc: its condition. */
void cw_fix_step(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);
/* Two arguments of a call in each other's place. */
void cw_fix_swap(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins, uint32_t x, uint32_t y, bool certain);
/* One more argument before the k-th. */
void cw_fix_insert_argument(struct cw_rule_ctx *, struct cw_finding *, uint32_t ins, uint32_t k, const char *text);
/* `f(m == x)` made `f(m) == x`, `a & b == c` made `(a & b) == c`. */
void cw_fix_parentheses(struct cw_rule_ctx *, struct cw_finding *, uint32_t outer, uint32_t inner);
/* `threadIdx.x % 32` made the remainder of the linear thread index. */
void cw_fix_narrow_index(struct cw_rule_ctx *, struct cw_finding *, uint32_t index);
/* `a > b` made `a >> b`. */
void cw_fix_shift(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);
/* Edits that order the two accesses of a race with the barrier it lacks. */
void cw_fix_race(struct cw_rule_ctx *, struct cw_finding *, const struct cw_race *);

/* ---- names for messages ---- */
/* How a person would call a value: variable name, "threadIdx.x", a constant, else "this value". */
const char *cw_name_of(struct cw_rule_ctx *, cw_ref);
/* "thread 0 waits, thread 16 is elsewhere" for a split's witness. */
const char *cw_split_text(struct cw_rule_ctx *, const struct cw_split *);
/* "lanes 0-15 and 24"; "lane 3"; "no lane". */
const char *cw_lanes_text(struct cw_rule_ctx *, uint32_t lanes);
/* The mask of a fault's thread as a message calls it: "mask 0x0000ffff", "mask 'm'", "tile 'warp'". */
const char *cw_mask_text(struct cw_rule_ctx *, const struct cw_mask_fault *);
/* Which lanes that the mask or group names are absent, and what they do instead: "lanes 8-31", "never execute it". */
struct cw_absence {
    const char *who, *what;
};
struct cw_absence cw_absence_of(struct cw_rule_ctx *, const struct cw_mask_fault *);
/* An element as a message calls it: "s[3][5]", "count", "p (byte 6)". accessed: bytes of the access; unknown: bytes of
 * an element whose type is not known, 0 when nothing stands for it. */
const char *cw_element_text(struct cw_rule_ctx *, cw_ref base, int64_t offset, uint64_t accessed, uint64_t unknown);
/* "thread 0 of block 0 writes data[0], thread 0 of block 1 reads it" */
const char *cw_block_fault_text(struct cw_rule_ctx *, const struct cw_block_fault *);
/* Begins the finding at the faulty operation, or at the second access when there is none, with labels, notes and
 * witness. `format` has one %s for cw_block_fault_text(). */
struct cw_finding *cw_report_block_fault(struct cw_rule_ctx *, const struct cw_block_fault *, const char *message);
/* The instruction as the source has it, for messages: "atomicExch(&flag, 1)"; else `otherwise`. */
const char *cw_ins_text(struct cw_rule_ctx *, uint32_t ins, const char *otherwise);
/* The instruction at which a race becomes visible, for cw_report(): the second access. */
uint32_t cw_race_ins(const struct cw_race *);
/* CW_DEFINITE or CW_POSSIBLE, for cw_report(). */
enum cw_confidence cw_race_confidence(const struct cw_race *);
/* Who races: "lanes 0 and 16 of a warp", "threads 31 and 32", "thread 5". */
const char *cw_race_who(struct cw_rule_ctx *, const struct cw_race *);
/* About what: "s_y[16]", "tile[3][5]", "pairs[7] (byte 4)". */
const char *cw_race_what(struct cw_rule_ctx *, const struct cw_race *);
/* `s[t] += s[t + k]`: one statement reads one element and writes another. */
bool cw_race_in_one_statement(struct cw_rule_ctx *, const struct cw_race *);
/* Two threads write in the same execution of one statement: no barrier orders the two. */
bool cw_race_of_one_write(const struct cw_race *);
/* A constant mask that is odd by its looks (seven f's, …), or NULL. *certain: hardly ever meant, whoever calls. */
const char *cw_mask_oddity(uint32_t mask, bool *certain);
bool cw_has_odd_mask(struct cw_rule_ctx *, uint32_t ins);
/* How the source calls a barrier or collective: its text, else its name, else "this barrier". */
const char *cw_call_text(struct cw_rule_ctx *, uint32_t ins);
/* Source text of a loc (trimmed, at most 60 bytes, one line), or NULL when the file is not at hand. */
const char *cw_source_of(struct cw_rule_ctx *, uint32_t loc);

/* Text of the call's argument k (trimmed), or NULL when the text is not at hand, came out of a macro, or has no such
 * one. */
const char *cw_argument_text(struct cw_rule_ctx *, uint32_t ins, uint32_t k);

/* ---- the registry (rules.def) ---- */
#define CW_RULE(id, name, category, severity, preview, off_by_default) cw_rule_check cw_rule_##id##_check;
#include "rules/rules.def"
extern const struct cw_rule cw_rules[];
extern const uint32_t cw_nrules;
const struct cw_rule *cw_rule_find(const char *name);
const char *cw_rule_doc(const struct cw_rule *);     /* Markdown, from the head comment */
const char *cw_rule_summary(const struct cw_rule *); /* one line, from the head comment */

#endif
