/* A whole run: inputs expanded, one worker process per file, results merged into one report. */
#ifndef CW_ENGINE_RUN_H
#define CW_ENGINE_RUN_H

#include "engine/inputs.h"
#include "engine/pipeline.h"

/* What holds for one file. */
struct cw_file_options {
    struct cw_unit_options unit;
    bool archs_given; /* unit.archs are the user's choice, not the default */
    bool possible;    /* keep findings of confidence `possible` */
    bool third_party; /* keep findings in others' headers too */
    bool is_own;      /* a configuration file has been found for it */
};

struct cw_run_options {
    const char *const *paths;
    uint32_t npaths;
    const char *build;        /* compile_commands.json or its directory, or NULL */
    bool no_compile_commands; /* without `build`, none is looked for near the sources */
    bool archs_given;         /* unit.archs are the user's choice, not the default */
    bool no_inference;        /* include directories are those given, and no others */
    bool third_party;         /* keep findings in others' headers too */
    bool no_ignore;           /* .gitignore does not count */
    bool force_exclude;       /* what is excluded is left out although it was named itself */
    const char *stdin_name;   /* a file of this name comes from standard input, or NULL */
    uint32_t jobs;            /* worker processes at a time, at least 1 */
    uint32_t time_limit;      /* seconds per file */
    uint64_t memory_limit;    /* bytes per worker */
    uint32_t max_results;     /* 0: all */
    bool possible;            /* keep findings of confidence `possible` */
    const char *cache;        /* folder of earlier results, or NULL: none are used or kept */
    bool is_hurried;          /* somebody waits: nothing is made for later runs */
    const char *own;          /* a folder, real path, whose files only this process writes, before the run; or NULL */
    /* Called again and again with the number of files done and the one that is at work longest; with total 0 at the
     * beginning of a step, which `file` names; with NULL when all are done. Or NULL. */
    void (*progress)(uint32_t done, uint32_t total, const char *file);
    /* Called while files are analysed, each time that findings were appended to report->findings which are final. The
     * report has nothing else yet. Interrupts are answered with what is known. NULL: not wanted. Used by cw_run
     * alone. */
    void (*early)(void *early_ctx, const struct cw_run_report *report);
    void *early_ctx;
    struct cw_unit_options unit;
    /* What holds for a file in place of `unit`, `archs_given`, `possible` and `third_party`; NULL: these hold for all.
     * `path` as the run names it. The result is NULL, with *error (arena text), when a configuration is wrong. */
    const struct cw_file_options *(*options_of)(void *ctx, const char *path, const char **error);
    /* Whether a file or directory below the operands is left out; NULL: none is. */
    bool (*excludes)(void *ctx, const char *path, bool is_directory, const char **error);
    void *ctx;
};

/* o->options_of, or what holds for all. False with *error. */
bool cw_run_file_options(const struct cw_run_options *o, const char *path, struct cw_file_options *out,
                         const char **error);

/* The files that a run looks at. *error (arena text) is set when a configuration is wrong. */
struct cw_inputs cw_run_inputs(const struct cw_run_options *o, struct cw_arena *a, const char **error);

/* The report does not depend on `jobs`. `dump` gets the text of --dump, in the order of the files. Returns 0, or -1
 * when the environment is at fault (no process can be made); the message has been printed. */
int cw_run(const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a, struct cw_run_report *report,
           struct cw_buf *dump);

/* ---- the same in steps, for what looks at files more than once ---- */

struct cw_run_state;

/* Says on a terminal what is being done, where that may take a while. */
void cw_run_step(const struct cw_run_options *o, const char *what);

/* Finds the files and how each is read. NULL when that is impossible; the message has been printed. */
struct cw_run_state *cw_run_open(const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a);
/* Analyses all files, or those whose text has changed since (cw_sources_override); 0, or -1 as above. Once, then as
 * often as one likes. Earlier results are neither used nor kept by the second. */
int cw_run_all(struct cw_run_state *r, struct cw_buf *dump);
/* In place of cw_run_all(): analyses nothing, but creates what later runs over few files begin with and keeps it in the
 * cache. */
int cw_run_warm_up(struct cw_run_state *r);
int cw_run_again(struct cw_run_state *r, const uint32_t *files, uint32_t n);
/* The files in their order; results are those of the last analysis. */
uint32_t cw_run_nfiles(const struct cw_run_state *r);
const char *cw_run_path(const struct cw_run_state *r, uint32_t file);
/* How a file is read: the compile command, the include directories that were found, and what it may include. */
const struct cw_unit_options *cw_run_unit(const struct cw_run_state *r, uint32_t file);
const struct cw_file_result *cw_run_result(const struct cw_run_state *r, uint32_t file);
/* Adds what was found by other means to a file's result, before the report is made. */
void cw_run_add(struct cw_run_state *r, uint32_t file, const struct cw_finding *f);
/* The report of the present results, as `o` wants it; may differ from the run's options in what is shown. 0, or -1 as
 * above. */
int cw_run_tell(struct cw_run_state *r, const struct cw_run_options *o, struct cw_run_report *report);
void cw_run_close(struct cw_run_state *r);

#endif
