/* A finding, as rules make it and emitters show it. Plain data: paths are text, nothing points into the analysis.
 * The JSON form (diag_json.c) is the contract of `--output json`, the workers' wire format and the cache's content. */
#ifndef CW_DIAG_DIAG_H
#define CW_DIAG_DIAG_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum cw_severity { CW_INFO, CW_WARNING, CW_ERROR };
enum cw_confidence { CW_DEFINITE, CW_POSSIBLE };

/* Lines and columns from 1, columns in bytes, end exclusive; line 0: no place. */
struct cw_place {
    const char *file;
    uint32_t line, col, end_line, end_col;
};

/* A remark, with a place or without. Labels are remarks drawn into the excerpt of the main place. */
struct cw_remark {
    struct cw_place place;
    const char *text;
};

/* One row of the lane picture: 32 lanes, set bits are drawn solid. */
struct cw_lane_row {
    const char *label;   /* "arrive" */
    uint32_t lanes;
    const char *meaning; /* "lanes that reach the barrier" */
    uint32_t warps;      /* of the block, see struct cw_witness */
};

/* What proves a definite finding. Fields that do not apply stay 0/NULL/-1. */
struct cw_witness {
    bool present;
    uint32_t block[3], grid[3]; /* block[0] == 0: no launch */
    const char *launch_source;  /* "launch at a.cu:40", "ordinary block shape" */
    int32_t warp;               /* -1: none */
    CW_VEC(uint32_t) lanes;
    CW_VEC(uint32_t) threads;   /* linear thread indices in the block */
    int64_t iteration;          /* -1: none */
    const char *address;        /* "s_y[16]" */
    bool has_mask;
    uint32_t mask;
    CW_VEC(struct cw_lane_row) rows;
    bool rows_are_warps;        /* their warps show it, not the lanes of one: no warp has lanes of two kinds */
    CW_VEC(struct cw_witness_fact { const char *name; const char *value; }) facts; /* "offset" = "16" */
};

struct cw_edit {
    struct cw_place place;
    const char *replacement;
};

struct cw_fix {
    const char *message;
    bool safe;
    CW_VEC(struct cw_edit) edits;
};

/* Why a finding is not shown: a comment in the source says so, or an earlier run knew of it. */
struct cw_suppression {
    const char *kind;   /* "inSource" or "external", as SARIF calls them; NULL: not suppressed */
    const char *reason; /* what the comment gives as the reason, or NULL */
    struct cw_place place; /* of the comment; line 0: none */
};

/* What a barrier has to order so that it ends a race. NONE: the finding is about something else; MORE: no barrier of a
 * block is enough. */
enum cw_orders { CW_ORDERS_NONE, CW_ORDERS_WARP, CW_ORDERS_BLOCK, CW_ORDERS_MORE };

struct cw_finding {
    const char *rule;
    enum cw_severity severity;
    enum cw_confidence confidence;
    const char *message;   /* one sentence, lower case, no full stop */
    struct cw_place place;
    const char *kernel;    /* display name of the kernel or function it was found in, or NULL: in none */
    CW_VEC(struct cw_remark) inlined_at; /* innermost call first; text: the callee's name */
    CW_VEC(struct cw_remark) labels;
    CW_VEC(struct cw_remark) notes;
    uint32_t nsteps;       /* the first notes that lead, step by step, from the source of divergence to this place */
    const char *help;      /* how to fix it, one sentence, or NULL */
    struct cw_witness witness;
    CW_VEC(struct cw_fix) fixes;
    const char *fingerprint;
    bool is_textual;       /* wrong whatever a caller does; not part of the JSON form */
    bool is_of_any_warp;   /* textual: wrong wherever a whole warp executes it; not part of the JSON form */
    uint64_t decision;     /* textual: stands for the condition that decides, 0: none; not part of the JSON form */
    bool yields_to_race;   /* becomes a note of the races in its kernel, if there are any; not part of the JSON form */
    bool is_once_per_file; /* about how the file is built: the first of the rule is told; not part of the JSON form */
    CW_VEC(const char *) also_in; /* other kernels that gave the same finding, at most 3; "also_in" in JSON */
    CW_VEC(struct cw_place) covers; /* further places with the same cause; not part of the JSON form */
    const char *macro;     /* outermost macro that the code came out of, or NULL */
    const char *rests_on;  /* a name that is taken for the toolkit's; from the worker to the report, never shown */
    enum cw_orders orders; /* from the worker to the report, never shown */
    struct cw_suppression suppression;
    bool is_possible_wanted; /* shown even if only possible; set when the report is made, not part of the JSON form */
};

struct cw_findings { struct cw_finding *at; uint32_t n, cap; };

/* Coverage of one file: what the scan saw and what was analysed. */
struct cw_skipped {
    const char *kernel;
    struct cw_place place;
    const char *reason;
};

/* How the reason begins that names a header which was not found. */
#define CW_MISSING_HEADER "missing header "

/* Why a kernel was analysed in part only. */
struct cw_part_reason {
    const char *analysis; /* which one gave up: "reading", "race search", "masks", "launch", … */
    const char *reason;
    const char *option;   /* of the command line, that would help; NULL: none */
    uint32_t count;
};

struct cw_partial {
    const char *kernel;
    struct cw_place place;
    CW_VEC(struct cw_part_reason) reasons; /* in the order of the analyses */
};

struct cw_bail_count {
    const char *reason;
    uint32_t count;
};

/* What the analysis of a kernel rests on, in all of its instances. */
enum cw_basis_flag {
    CW_BASIS_PATTERN = 1,    /* a template that nothing instantiates */
    CW_BASIS_GUESSED = 2,    /* no block is known */
    CW_BASIS_NO_HEADERS = 4, /* in part, for headers were not found */
    CW_BASIS_NO_LAUNCH = 8,  /* nor is a launch, whose block would be a value of the run */
    CW_BASIS_ALL = 15
};

struct cw_basis {
    const char *kernel;
    struct cw_place place;
    uint32_t flags;
};

/* Kernels of a run with each of the flags, and those with any, in the order of the files. */
struct cw_basis_counts {
    uint32_t patterns, guessed, no_headers;
    CW_VEC(struct cw_basis) kernels;
};

struct cw_file_result {
    const char *path;
    bool failed;             /* could not be analysed at all */
    bool is_parser_lost;     /* only device functions are read, as the parser crashed; not in the JSON form */
    const char *failure;     /* why: crash, time limit, memory limit, unreadable, … */
    bool has_device_code;
    bool is_hip;             /* its device code is HIP, which is not analysed */
    bool has_directives;     /* comments for this program, or too much text to tell */
    uint32_t embedded;       /* string literals with device code; their findings' fixes may be written as they are */
    /* analysed: no question about the kernel was abandoned; degraded: in part, see `partial`; the rest: `skipped` */
    uint32_t kernels, analysed, degraded;
    CW_VEC(struct cw_skipped) skipped;
    CW_VEC(struct cw_partial) partial;
    /* Kernels of included files; whole where there is no reason; from the worker to the report. */
    CW_VEC(struct cw_partial) included;
    CW_VEC(struct cw_basis) basis; /* of the kernels of all files of the unit; from the worker to the report */
    CW_VEC(struct cw_finding) findings;
    CW_VEC(struct cw_bail_count) bails;
    CW_VEC(struct cw_remark) parse_notes; /* shown with -v */
    CW_VEC(const char *) warnings; /* always shown, each text once in a run */
    uint32_t possible_hidden; /* possible findings not shown */
    CW_VEC(const char *) reads; /* files opened for it; between worker and parent only */
    double seconds_scan, seconds_parse, seconds_lower, seconds_analyse;
    uint64_t peak_bytes;
    uint64_t cells_evaluated, cells_reused; /* of the evaluators (lanes/lanes.h) of all its functions */
};

/* A rule that took part in the run, for formats that list them. All of it is static text. */
struct cw_rule_info {
    const char *name, *category, *summary, *doc; /* doc: Markdown */
    enum cw_severity severity;                   /* as this run has it */
    bool preview;
};

/* What a whole run gave: what emitters show. */
struct cw_run_report {
    const char *version;
    CW_VEC(struct cw_rule_info) rules;     /* those enabled, in the order of the registry */
    CW_VEC(struct cw_file_result) files;   /* in the order of their paths; their findings have moved into `findings` */
    CW_VEC(struct cw_finding) findings;    /* sorted, without duplicates, selected */
    CW_VEC(struct cw_finding) suppressed; /* the same of what comments in the source silence; never shown as findings */
    CW_VEC(struct cw_bail_count) bails;    /* over all files, most frequent first */
    uint32_t kernels, analysed, degraded;
    struct cw_basis_counts basis;
    CW_VEC(const char *) commands;         /* files of compile commands that were used, each once */
    uint32_t failed;                       /* files that could not be analysed at all */
    uint32_t hip;                          /* files of HIP code, which were not analysed */
    uint32_t parser_lost;                  /* files of which only device functions were read */
    uint32_t possible_hidden;              /* possible findings that --possible would show */
    uint32_t third_party_hidden;           /* findings in others' headers */
    uint32_t not_shown;                    /* findings beyond --max-results */
    const char *docs_url; /* where the documentation is published, without a slash at its end; "": nowhere */
    enum cw_severity fail_on;              /* findings of this severity and above make the run fail */
    int exit_status;                       /* what the program will exit with */
};

const char *cw_severity_text(enum cw_severity s);     /* "error" … */
const char *cw_confidence_text(enum cw_confidence c); /* "definite", "possible" */
bool cw_severity_parse(const char *text, enum cw_severity *out);

/* By file, place and rule; among findings of one rule at one place the strongest first, then in the order given. */
void cw_findings_sort(struct cw_arena *a, struct cw_finding *at, uint32_t n);
/* requires: sorted. Keeps the first finding of each rule and place, notes at most three other kernels in `also_in`. Its
 * fixes stay safe when all of them offer them as such. Of several races of the same two places, each gets the help and
 * the fixes of the one whose accesses are hardest to order.
 * Returns how many are left. */
uint32_t cw_findings_dedupe(struct cw_arena *a, struct cw_finding *at, uint32_t n);

/* Adds `f` to a file's findings, unless one of another kernel told it already as a further place of its own cause;
 * takes the place of those that it tells itself. Instantiations of one template are the usual case. Of the findings of
 * a rule that are told once per file the first place in the file itself stays, else the first in a header. */
void cw_findings_add(struct cw_arena *a, struct cw_file_result *result, const struct cw_finding *f);

#endif
