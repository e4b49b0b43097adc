/* Diagnostics of the whole workspace, on request: a run over its folders in a job, with the results of earlier runs. */
#include "diag/diag_json.h"
#include "lsp/analysis.h"
#include "lsp/progress.h"
#include "lsp/publish.h"
#include "lsp/uri.h"

#include <string.h>

/* ---- in the job ---- */

static struct cw_lsp_channel *progress_channel; /* the run's callback has no context */
static double progress_told;
static bool is_total_told;

static void send_progress(uint32_t done, uint32_t total, const char *file) {
    static const double least_pause = 0.1;
    double now = cw_lsp_now();
    if (!file || (now - progress_told < least_pause && is_total_told && total))
        return;
    progress_told = now;
    is_total_told = total;
    cw_lsp_emit(progress_channel, json_pack("{s:{s:i, s:i, s:o}}", "progress", "done", (int)done, "total", (int)total,
                                            "message", cw_json_text(file)));
}

static json_t *run_workspace(struct cw_lsp_session *session) {
    struct cw_run_report report;
    session->run.progress = send_progress;
    session->run.is_hurried = true;
    struct cw_run_state *run = cw_run_open(&session->run, &session->sources, session->arena);
    if (!run || cw_run_all(run, NULL) || cw_run_tell(run, &session->run, &report))
        return cw_lsp_failure("the workspace could not be analysed; the log of the server says why");
    json_t *o = json_pack("{s:o}", "files", cw_lsp_files_json(session, &report));
    cw_run_close(run);
    return o;
}

static void check_workspace(struct cw_lsp_channel *out, void *server, const json_t *subject) {
    struct cw_arena arena;
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    progress_channel = out;
    const char *error = cw_lsp_session_open(&n, json_object_get(subject, "paths"));
    cw_lsp_emit(out, error ? cw_lsp_failure(error) : run_workspace(&n));
    cw_arena_free(&arena);
}

/* ---- in the server ---- */

static const char *previous_of(const json_t *params, const char *uri) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(params, "previousResultIds"), i, item) {
        const char *of = json_string_value(json_object_get(item, "uri"));
        if (of && !strcmp(of, uri))
            return json_string_value(json_object_get(item, "value"));
    }
    return NULL;
}

/* An open document has the findings of its own analysis, which knows its text. */
static void add_report(struct cw_lsp_server *server, const json_t *params, json_t *list, const char *uri,
                       const char *path, json_t *items) {
    const struct cw_lsp_document *d = cw_lsp_document_at(&server->documents, path);
    json_t *diagnostics = json_array(), *item;
    size_t i;
    json_array_foreach(items, i, item)
        json_array_append(diagnostics, json_object_get(item, "diagnostic"));
    json_t *report = d && d->result ? cw_lsp_pulled_report(server, d->real, previous_of(params, uri))
                                    : cw_lsp_diagnostic_report(diagnostics, previous_of(params, uri));
    json_object_set_new(report, "uri", cw_json_text(uri));
    json_object_set_new(report, "version", d ? json_integer(d->version) : json_null());
    json_array_append_new(list, report);
    json_decref(diagnostics);
}

static json_t *reports_of(struct cw_lsp_server *server, const json_t *params, json_t *files) {
    json_t *list = json_array(), *items, *told = json_object();
    struct cw_arena scratch;
    const char *path;
    size_t i;
    cw_arena_init(&scratch);
    json_object_foreach(files, path, items) {
        const struct cw_lsp_document *d = cw_lsp_document_at(&server->documents, path);
        const char *uri = d ? d->uri : *path == '/' ? cw_lsp_uri_of_path(&scratch, path) : NULL;
        if (!uri)
            continue;
        add_report(server, params, list, uri, path, items);
        json_object_set_new(told, uri, json_true());
    }
    /* Files that had findings when the client asked last. */
    json_array_foreach(json_object_get(params, "previousResultIds"), i, items) {
        const char *uri = json_string_value(json_object_get(items, "uri"));
        const char *of = uri && !json_object_get(told, uri) ? cw_lsp_path_of_uri(&scratch, uri) : NULL;
        if (of)
            add_report(server, params, list, uri, of, NULL);
    }
    cw_arena_free(&scratch);
    json_decref(told);
    return list;
}

/* Clients ask again as soon as they have an answer: one that knows all waits until something has changed. */
static bool has_no_news(const struct cw_lsp_server *server, const struct cw_lsp_request *request) {
    return server->workspace_told == server->workspace_edition &&
           json_array_size(json_object_get(request->params, "previousResultIds"));
}

enum cw_lsp_outcome cw_lsp_workspace_diagnostic(struct cw_lsp_server *server, struct cw_lsp_request *request,
                                                json_t **result) {
    if (!request->has_begun && has_no_news(server, request))
        return CW_LSP_WAITS;
    if (!request->has_begun && json_array_size(server->folders)) {
        cw_lsp_begin(server, request, check_workspace, json_pack("{s:O, s:I}", "paths", server->folders, "edition",
                                                      (json_int_t)server->workspace_edition));
        return CW_LSP_WAITS;
    }
    const char *error = json_string_value(json_object_get(request->value, "error"));
    if (error)
        cw_lsp_show_error(server, error);
    if (request->has_begun && (error || !request->value))
        return cw_lsp_fail(request, CW_LSP_REQUEST_FAILED, "the workspace could not be analysed");
    server->workspace_told = (uint64_t)json_integer_value(json_object_get(request->value, "edition"));
    *result =
        json_pack("{s:o}", "items", reports_of(server, request->params, json_object_get(request->value, "files")));
    return CW_LSP_ANSWERED;
}
