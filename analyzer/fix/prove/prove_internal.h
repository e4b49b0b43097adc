/* The parts of a repair: what is tried (candidates.c), what it did (judge.c), and the rounds around both (repair.c). */
#ifndef CW_FIX_PROVE_INTERNAL_H
#define CW_FIX_PROVE_INTERNAL_H

#include "fix/prove/repair.h"

/* One fix of one finding of the round's report. */
struct candidate {
    const struct cw_finding *finding;
    const struct cw_fix *fix;
    CW_VEC(struct cw_replacement) edits; /* of the round's text; all in one file */
    uint32_t target;                     /* index in round.targets */
    bool is_last;                        /* the finding has no other fix to try */
    const char *dropped;                 /* why, or NULL */
};

/* Some of a target's candidates, which are tried together. */
struct slice {
    uint32_t from, n;
};

/* A file that some candidate edits. */
struct target {
    uint32_t file;                       /* of the run */
    const struct cw_source *base;        /* its text when the round began */
    struct cw_vec_u32 candidates;        /* in the order of the report; edits of the file do not overlap */
    struct cw_vec_u32 accepted;
    CW_VEC(struct slice) pending;        /* a stack */
    struct cw_vec_u32 attempt;           /* accepted ones and those being tried */
    struct cw_edits edits;               /* those of the attempt */
    bool is_tried;
    const char *blame;                   /* what the attempt made worse, or NULL */
};

/* A unit that reads some target. */
struct affected {
    uint32_t file;                       /* of the run */
    struct cw_vec_u32 targets;
    struct cw_file_result before;        /* when the round began */
};

struct round {
    struct cw_run_state *run;
    struct cw_sources *sources;
    struct cw_arena *arena;
    const struct cw_repair_options *options;
    struct cw_run_report report;
    CW_VEC(struct candidate) candidates;
    CW_VEC(struct target) targets;
    CW_VEC(struct affected) units;
    uint32_t unsafe_left;
};

/* A fix that was tried in an earlier round: its finding, at its place in the present text. */
struct refused {
    const char *file, *rule;
    size_t offset;
};

struct refusals {
    CW_VEC(struct refused) at;
};

/* Fills candidates, targets and units from the present results. */
void cw_round_plan(struct round *r, const struct refusals *refused);
/* Which candidates the attempt of a target holds, as edits. */
void cw_round_edits(struct round *r, struct target *t);
/* Blames the tried targets of each unit that is worse than before, after the units were analysed with the attempts. */
void cw_round_judge(struct round *r);

#endif
