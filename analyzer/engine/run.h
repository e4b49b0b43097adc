/* A whole run: inputs expanded, one worker process per file, results merged into one report. */
#ifndef CW_ENGINE_RUN_H
#define CW_ENGINE_RUN_H

#include "engine/pipeline.h"

struct cw_run_options {
    const char *const *paths;
    uint32_t npaths;
    const char *build;        /* compile_commands.json or its directory, or NULL */
    bool archs_given;         /* unit.archs are the user's choice, not the default */
    bool no_inference;        /* include directories are those given, and no others */
    bool third_party;         /* keep findings in others' headers too */
    const char *stdin_name;   /* a file of this name comes from standard input, or NULL */
    uint32_t jobs;            /* worker processes at a time, at least 1 */
    uint32_t time_limit;      /* seconds per file */
    uint64_t memory_limit;    /* bytes per worker */
    uint32_t max_results;     /* 0: all */
    bool possible;            /* keep findings of confidence `possible` */
    const char *cache;        /* folder of earlier results, or NULL: none are used or kept */
    bool progress;            /* tell on stderr how far it is, when it takes longer than a second */
    struct cw_unit_options unit;
};

/* The report does not depend on `jobs`. `dump` gets the text of --dump, in the order of the files. Returns 0, or -1 when
 * the environment is at fault (no process can be made); the message has been printed. */
int cw_run(const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a, struct cw_run_report *report,
           struct cw_buf *dump);

#endif
