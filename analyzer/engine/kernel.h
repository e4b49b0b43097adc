/* One kernel, or device function on its own: inline, optimise, analyse, ask the rules. */
#ifndef CW_ENGINE_KERNEL_H
#define CW_ENGINE_KERNEL_H

#include "engine/pipeline.h"
#include "front/front.h"
#include "rules/hook_text.h"
#include "rules/rule.h"

struct cw_scan;
struct cw_comment;
struct cw_comments;

/* A `cuwarp: assume` comment in a file that functions come from. */
struct cw_assumption {
    uint32_t file; /* index in the module's files */
    const struct cw_comment *comment;
    const struct cw_comments *comments;
};
struct cw_late_macros;
struct cw_string_unit;
struct cw_kernel;
struct cw_rule_sink;

/* What an instance gave that nobody wrote. */
struct cw_assumed_result {
    const struct cw_fn *fn;
    const struct cw_rule_sink *findings;
    CW_VEC(struct cw_span) meetings; /* its barriers and collectives */
};

/* A file on its way through the pipeline. */
struct cw_unit {
    const struct cw_unit_options *options;
    struct cw_sources *sources;
    struct cw_file_result *result;
    struct cw_arena *arena;       /* lives until the result has been sent */
    struct cw_scan *scan;
    const struct cw_scan *own_scan;      /* the same with places of the unit's own text, when that stands in a string */
    const struct cw_string_unit *string; /* where it stands, NULL: the unit is the file */
    struct cw_module *module;
    const struct cw_other_unit *whole; /* the includer that the file is read through, see parts.h; NULL: by itself */
    bool is_by_itself;            /* it was found that no includer tells more */
    struct cw_surveys surveys;    /* of the parses for earlier architectures */
    struct cw_missing *missing_names; /* the same; NULL: none */
    uint32_t arch;                /* the one that the module was read for */
    bool adds_archs;              /* a kernel's code for a later architecture is looked at next, */
    uint32_t later_arch;          /* for this one, the lowest that was met; 0: none */
    const struct cw_other_switches *switches; /* that the module was read with besides the options', or NULL */
    struct cw_opt_out opt_out;    /* of that architecture's code, see engine/archs.h */
    struct cw_launch_options launch; /* --block, and the file's `cuwarp: launch` comments */
    CW_VEC(struct cw_assumption) assumptions;
    CW_VEC(struct cw_missing_variable) missing; /* that assumptions name; of this reading */
    struct cw_map partial;        /* lowered kernel -> struct cw_part_reasons *, of those analysed in part */
    struct cw_late_macros *late_macros; /* see later_archs.c; NULL until asked for */
    struct cw_map basis;          /* lowered kernel -> what its analysis rests on, see basis.h */
    CW_VEC(struct cw_assumed_result) assumed; /* findings of assumed instances, see assumed.h */
    uint32_t bails[CW_NBAILS];
    struct cw_map handed;         /* interned path -> struct cw_handed_kernels *, of files that were asked */
    struct cw_map read_before;    /* hash of inlined code and launches -> struct cw_reading *, see kernel.c */
    struct cw_map code_hashes;    /* function of the module -> hash of its code; of this architecture */
    struct cw_map instances;      /* key of a template -> how many of its instances have been analysed */
    double parse_seconds;         /* that the parser has used for the unit, of all architectures */
    bool is_parse_refused; /* a further parse, which could only add to what is known, was not begun for lack of time */
    struct cw_map statements;     /* interned path -> struct cw_statements *, of the files that fixes looked at */
    struct cw_map branches;       /* interned path -> struct cw_branches *, of the files that were asked about */
    struct cw_buf *dump;
};

/* The branches of a file of the unit, read once. Not for strings, whose places are another text's. */
struct cw_branches;
const struct cw_branches *cw_unit_branches(struct cw_unit *u, const char *file, const struct cw_source *source);
/* Appends to result->findings. `is_alone`: without its callers, see rules/README.md. */
void cw_kernel_analyse(struct cw_unit *u, struct cw_fn *fn, bool is_alone);
/* Adds findings to the unit's result, but those of others' headers and of code for other makers. */
void cw_kernel_keep(struct cw_unit *u, const struct cw_rule_sink *sink);

#endif
