/* requires: the event loop calls cw_lsp_schedule(). An open document is looked at by a job of its own; a header
 * together with files that include it. What a job finds in other files counts for these too, as long as its document is
 * open. */
#include "lsp/publish.h"

#include "base/hash.h"
#include "diag/diag_json.h"
#include "lsp/analysis.h"
#include "lsp/includers.h"
#include "lsp/uri.h"

#include <stdlib.h>
#include <string.h>

/* Seconds between the last change and the analysis; other documents that read the changed one come later. */
static const double pause_of_typing = 0.02, pause_of_readers = 0.2;
enum { MAX_INCLUDERS = 3 };

/* ---- jobs of documents ---- */

static bool is_about(const struct cw_lsp_job *job, const struct cw_lsp_document *document) {
    const char *uri = json_string_value(json_object_get(job->subject, "uri"));
    return uri && !strcmp(uri, document->uri);
}

/* The job that analyses it, or, without `is_check`, any about it. */
static struct cw_lsp_job *job_of(struct cw_lsp_server *server, const struct cw_lsp_document *document, bool is_check) {
    struct cw_lsp_job *job = server->jobs.first;
    while (job && !(is_about(job, document) && (!is_check || job->work == cw_lsp_check)))
        job = job->next;
    return job;
}

bool cw_lsp_is_current(struct cw_lsp_server *server, const struct cw_lsp_document *document) {
    return document->due == 0 && document->result && !job_of(server, document, true);
}

static bool holds_text(const json_t *list, const char *text) {
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
        if (!strcmp(json_string_value(item), text))
            return true;
    return false;
}

/* What a document reads is known after its first analysis. */
static bool is_reader(const struct cw_lsp_document *document, const struct cw_lsp_document *changed) {
    if (!changed || document == changed || !document->result)
        return true;
    return holds_text(json_object_get(document->result, "reads"), changed->real);
}

void cw_lsp_touch(struct cw_lsp_server *server, const struct cw_lsp_document *changed) {
    double now = cw_lsp_now();
    server->workspace_edition++;
    for (struct cw_lsp_document *d = server->documents.first; d; d = d->next) {
        struct cw_lsp_job *job;
        if (!is_reader(d, changed))
            continue;
        while ((job = job_of(server, d, false)))
            cw_lsp_job_kill(&server->jobs, job);
        d->due = now + (d == changed ? pause_of_typing : pause_of_readers);
    }
}

/* ---- results ---- */

static void tell_failures(struct cw_lsp_server *server, const json_t *result) {
    const char *error = json_string_value(json_object_get(result, "error"));
    size_t i;
    json_t *failure;
    if (error)
        cw_lsp_show_error(server, error);
    json_array_foreach(json_object_get(result, "failures"), i, failure)
        cw_lsp_log(server, "%s", json_string_value(failure));
}

static void refresh_client(struct cw_lsp_server *server) {
    if (server->client.pulls && server->client.refreshes_pulls)
        cw_lsp_ask(server, "workspace/diagnostic/refresh", NULL, "nothing");
    if (server->client.refreshes_lenses)
        cw_lsp_ask(server, "workspace/codeLens/refresh", NULL, "nothing");
}

/* Is anything waiting for an answer about it? Then there is no need to tell the client to ask. */
static bool is_asked_about(struct cw_lsp_server *server, struct cw_lsp_document *document) {
    for (struct cw_lsp_request *r = server->requests; r; r = r->next)
        if (cw_lsp_document_of(server, r) == document)
            return true;
    return false;
}

static void take_result(struct cw_lsp_server *server, struct cw_lsp_document *document, json_t *result) {
    tell_failures(server, result);
    if (json_object_get(result, "error") && document->result)
        return; /* what was known stays */
    bool is_news =
        !document->result || !json_equal(json_object_get(document->result, "files"), json_object_get(result, "files"));
    json_decref(document->result);
    document->result = json_incref(result);
    document->result_edition = document->edition;
    cw_lsp_publish(server);
    if (is_news && !is_asked_about(server, document))
        refresh_client(server);
}

static json_t *subject_of(struct cw_lsp_server *server, struct cw_lsp_document *document) {
    return json_pack("{s:o, s:o}", "uri", cw_json_text(document->uri), "paths", cw_lsp_paths_of(server, document));
}

static void take_warmth(void *server, struct cw_lsp_job *job, json_t *value) {
    struct cw_lsp_server *s = server;
    struct cw_lsp_document *d =
        cw_lsp_document_find(&s->documents, json_string_value(json_object_get(job->subject, "uri")));
    if (d && !value)
        d->is_warm = true;
}

/* Once, when the first result is there: nobody waits for it. */
static void start_warm_up(struct cw_lsp_server *server, struct cw_lsp_document *document) {
    struct cw_lsp_job like = {.work = cw_lsp_warm_up, .take = take_warmth, .urgency = CW_LSP_IDLE};
    cw_lsp_job_add(&server->jobs, &like, subject_of(server, document));
}

/* A crash takes the findings of the document with it, and nothing else. */
static void take_check(void *server, struct cw_lsp_job *job, json_t *value) {
    struct cw_lsp_server *s = server;
    struct cw_lsp_document *d =
        cw_lsp_document_find(&s->documents, json_string_value(json_object_get(job->subject, "uri")));
    bool has_answered = json_object_get(job->subject, "has_answered");
    if (d && value) {
        json_object_set_new(job->subject, "has_answered", json_true());
        take_result(s, d, value);
    } else if (d && !has_answered) {
        json_t *lost = cw_lsp_failure("an analysis ended unexpectedly; see the server's log");
        take_result(s, d, lost);
        json_decref(lost);
    } else if (d && !d->is_warm) {
        start_warm_up(s, d);
    }
}

/* ---- starting ---- */

static bool is_open_reader(const struct cw_lsp_document *document, const struct cw_lsp_document *header) {
    return document != header && !document->is_header && document->result &&
           holds_text(json_object_get(document->result, "reads"), header->real);
}

/* The document, and for a header files that include it: open ones, else those found in the workspace. */
json_t *cw_lsp_paths_of(struct cw_lsp_server *server, struct cw_lsp_document *document) {
    json_t *paths = json_array(), *known;
    json_array_append_new(paths, cw_json_text(document->path));
    for (const struct cw_lsp_document *o = server->documents.first; o && document->is_header; o = o->next)
        if (is_open_reader(o, document) && json_array_size(paths) <= MAX_INCLUDERS)
            json_array_append_new(paths, cw_json_text(o->path));
    if (!document->is_header || json_array_size(paths) > 1)
        return paths;
    known = json_object_get(server->includers, document->real);
    for (size_t i = 0; i < json_array_size(known) && i < MAX_INCLUDERS; i++)
        json_array_append(paths, json_array_get(known, i));
    if (!known && !document->has_asked_includers)
        cw_lsp_find_includers(server, document);
    return paths;
}

static void start_check(struct cw_lsp_server *server, struct cw_lsp_document *document, enum cw_lsp_urgency urgency) {
    struct cw_lsp_job like = {.work = cw_lsp_check, .take = take_check, .urgency = urgency};
    cw_lsp_job_add(&server->jobs, &like, subject_of(server, document));
}

double cw_lsp_schedule(struct cw_lsp_server *server) {
    double now = cw_lsp_now(), wait = -1;
    for (struct cw_lsp_document *d = server->documents.first; d; d = d->next) {
        if (d->due != 0 && d->due <= now) {
            d->due = 0;
            start_check(server, d, d->edition == server->documents.editions ? CW_LSP_TYPING : CW_LSP_USUAL);
        } else if (d->due != 0 && (wait < 0 || d->due - now < wait)) {
            wait = d->due - now;
        }
    }
    cw_lsp_jobs_start(&server->jobs);
    return wait;
}

/* ---- what each file has ---- */

static bool has_item(const json_t *list, const json_t *item) {
    size_t i;
    json_t *other;
    const json_t *of = json_object_get(item, "diagnostic");
    json_array_foreach(list, i, other) {
        const json_t *diagnostic = json_object_get(other, "diagnostic");
        if (json_equal(json_object_get(diagnostic, "range"), json_object_get(of, "range")) &&
            json_equal(json_object_get(diagnostic, "code"), json_object_get(of, "code")))
            return true;
    }
    return false;
}

static void add_items(json_t *list, const struct cw_lsp_document *document, const char *path) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json_object_get(document->result, "files"), path), i, item)
        if (!has_item(list, item))
            json_array_append(list, item);
}

/* Its own analysis has the first word. One of a header says nothing of other files: they have, or had, their own. */
json_t *cw_lsp_items_of(struct cw_lsp_server *server, const char *path) {
    json_t *list = json_array();
    const struct cw_lsp_document *own = cw_lsp_document_at(&server->documents, path);
    if (own)
        add_items(list, own, path);
    for (const struct cw_lsp_document *d = server->documents.first; d; d = d->next)
        if (d != own && !d->is_header)
            add_items(list, d, path);
    return list;
}

static json_t *diagnostics_of(struct cw_lsp_server *server, const char *path) {
    json_t *list = json_array(), *items = cw_lsp_items_of(server, path), *item;
    size_t i;
    json_array_foreach(items, i, item)
        json_array_append(list, json_object_get(item, "diagnostic"));
    json_decref(items);
    return list;
}

/* ---- pushing ---- */

static void push_diagnostics(struct cw_lsp_server *server, const char *path, json_t *diagnostics) {
    const struct cw_lsp_document *d = cw_lsp_document_at(&server->documents, path);
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    json_t *params = json_object(), *uri = cw_json_text(d ? d->uri : cw_lsp_uri_of_path(&scratch, path));
    json_object_set_new(params, "uri", uri);
    if (d)
        json_object_set_new(params, "version", json_integer(d->version));
    json_object_set(params, "diagnostics", diagnostics);
    cw_lsp_notify(server, "textDocument/publishDiagnostics", params);
    cw_arena_free(&scratch);
}

/* Paths with findings, those that had some, and the open documents. */
static json_t *paths_to_tell(struct cw_lsp_server *server) {
    json_t *paths = json_object(), *value;
    const char *path;
    for (const struct cw_lsp_document *d = server->documents.first; d; d = d->next) {
        if (d->result)
            json_object_set_new(paths, d->real, json_true());
        json_object_foreach(json_object_get(d->result, "files"), path, value)
            if (!d->is_header || !strcmp(path, d->real))
                json_object_set_new(paths, path, json_true());
    }
    json_object_foreach(server->published, path, value)
        json_object_set_new(paths, path, json_true());
    return paths;
}

/* The result of an older text has its places there: it waits for the next, whoever else has news. */
static bool is_fit_to_push(const struct cw_lsp_document *document) {
    return !document || (document->due == 0 && document->result_edition == document->edition);
}

void cw_lsp_publish(struct cw_lsp_server *server) {
    if (server->client.pulls || server->state != CW_LSP_RUNNING)
        return;
    json_t *paths = paths_to_tell(server), *value;
    const char *path;
    json_object_foreach(paths, path, value) {
        const struct cw_lsp_document *d = cw_lsp_document_at(&server->documents, path);
        json_t *diagnostics = diagnostics_of(server, path);
        /* With the version, so that the client knows for which text an unchanged list holds. */
        json_t *told = json_pack("{s:O, s:I}", "diagnostics", diagnostics, "version", d ? d->version : (json_int_t)-1);
        if (!json_equal(told, json_object_get(server->published, path)) && is_fit_to_push(d))
            push_diagnostics(server, path, diagnostics);
        if (!d && !json_array_size(diagnostics))
            json_object_del(server->published, path);
        else if (is_fit_to_push(d))
            json_object_set(server->published, path, told);
        json_decref(told);
        json_decref(diagnostics);
    }
    json_decref(paths);
}

void cw_lsp_forget(struct cw_lsp_server *server, struct cw_lsp_document *document) {
    struct cw_lsp_job *job;
    while ((job = job_of(server, document, false)))
        cw_lsp_job_kill(&server->jobs, job);
    cw_lsp_document_close(&server->documents, document);
    server->workspace_edition++;
    cw_lsp_publish(server);
}

/* ---- pulling ---- */

/* The list itself says whether it is the one that the client has. */
json_t *cw_lsp_diagnostic_report(json_t *diagnostics, const char *previous) {
    char *text = json_dumps(diagnostics, JSON_COMPACT | JSON_SORT_KEYS);
    json_t *o = json_object();
    json_t *id = json_sprintf("%016llx", (unsigned long long)cw_hash(text ? text : "", text ? strlen(text) : 0, 0));
    bool is_same = previous && !strcmp(previous, json_string_value(id));
    json_object_set_new(o, "kind", json_string(is_same ? "unchanged" : "full"));
    json_object_set_new(o, "resultId", id);
    if (!is_same)
        json_object_set(o, "items", diagnostics);
    free(text);
    return o;
}

json_t *cw_lsp_pulled_report(struct cw_lsp_server *server, const char *path, const char *previous) {
    json_t *diagnostics = diagnostics_of(server, path), *o = cw_lsp_diagnostic_report(diagnostics, previous);
    json_decref(diagnostics);
    return o;
}

static void add_related_document(struct cw_lsp_server *server, json_t *related, const char *path) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    if (*path == '/' && !cw_lsp_document_at(&server->documents, path))
        json_object_set_new(related, cw_lsp_uri_of_path(&scratch, path), cw_lsp_pulled_report(server, path, NULL));
    cw_arena_free(&scratch);
}

/* Findings in files that are not open, which only this document's analysis knows; and those files that had some when
 * the client asked last, for it keeps what it is not told of. */
static void add_related_documents(struct cw_lsp_server *server, struct cw_lsp_document *document, json_t *report) {
    json_t *files = json_object_get(document->result, "files"), *told = json_object(), *related = json_object(), *value;
    const char *path;
    json_object_foreach(document->related, path, value)
        add_related_document(server, related, path);
    json_object_foreach(files, path, value) {
        if (document->is_header)
            continue;
        add_related_document(server, related, path);
        json_object_set_new(told, path, json_true());
    }
    if (json_object_size(related))
        json_object_set(report, "relatedDocuments", related);
    json_decref(related);
    json_decref(document->related);
    document->related = told;
}

enum cw_lsp_outcome cw_lsp_document_diagnostic(struct cw_lsp_server *server, struct cw_lsp_request *request,
                                               json_t **result) {
    struct cw_lsp_document *d = cw_lsp_document_of(server, request);
    if (!d)
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "the document is not open");
    if (!cw_lsp_is_current(server, d))
        return CW_LSP_WAITS;
    *result =
        cw_lsp_pulled_report(server, d->real, json_string_value(json_object_get(request->params, "previousResultId")));
    if (server->client.has_related_documents)
        add_related_documents(server, d, *result);
    return CW_LSP_ANSWERED;
}
