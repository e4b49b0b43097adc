/* What jobs do: an analysis of some files as the editor has them, and its result as the client wants to see it. */
#ifndef CW_LSP_ANALYSIS_H
#define CW_LSP_ANALYSIS_H

#include "engine/run.h"
#include "lsp/server.h"

/* One analysis, in a job's process. */
struct cw_lsp_session {
    struct cw_lsp_server *server;
    struct cw_arena *arena;
    struct cw_sources sources; /* with the text of all open documents */
    struct cw_run_options run, wide;
    const struct cw_run_options *narrow; /* behind `wide` */
    const char *docs_url;
    struct {
        const char *path, *real;
    } last; /* of cw_lsp_real_of() */
};

/* Options and texts for a run over `paths`. NULL, or what is wrong. requires: a zeroed session with server and arena.
 */
const char *cw_lsp_session_open(struct cw_lsp_session *n, const json_t *paths);
/* The name under which results speak of a file: its path without links. */
const char *cw_lsp_real_path(struct cw_arena *a, const char *path);
/* The same, quick for one file many times in a row. */
const char *cw_lsp_real_of(struct cw_lsp_session *n, const char *path);
json_t *cw_lsp_failure(const char *text); /* {"error": text} */

/* Work of the job that looks at one open document: subject {"uri", "paths"}. Sends one value,
 *
 *     {"files": {path: [{"diagnostic", "finding"}]}, "reads": [path], "lenses": {path: [CodeLens]},
 *      "facts": {path: {"collectives": [{"range", "text"}], "variables": [{"line", "end_line", "name", "text"}]}}}
 *
 * or {"error": text}. Paths are real ones. */
void cw_lsp_check(struct cw_lsp_channel *out, void *server, const json_t *subject);

/* The same subject: creates precompiled headers for later checks. Sends nothing. */
void cw_lsp_warm_up(struct cw_lsp_channel *out, void *server, const json_t *subject);

/* A finding as a diagnostic (diagnostics.c). */
json_t *cw_lsp_diagnostic(struct cw_lsp_session *n, const struct cw_finding *f);
/* {path: [{"diagnostic", "finding"}]} of a report. */
json_t *cw_lsp_files_json(struct cw_lsp_session *n, const struct cw_run_report *report);
/* Lenses and facts of open documents (lens.c, hover.c), from the kernels' facts, one line of JSON each. */
json_t *cw_lsp_lenses_json(struct cw_lsp_session *n, const struct cw_run_report *report, const struct cw_buf *facts);
json_t *cw_lsp_facts_json(struct cw_lsp_session *n, const struct cw_buf *facts);
/* The lines of a dump, read; a new array. */
json_t *cw_lsp_read_facts(const struct cw_buf *facts);
/* A range of a fact's or finding's "file", "line", "column", "end_line", "end_column". */
json_t *cw_lsp_range_of_json(struct cw_lsp_session *n, const json_t *place);

#endif
