#include "lsp/requests.h"

#include "base/log.h"
#include "lsp/messages.h"
#include "lsp/progress.h"

#include <stdlib.h>

enum { MOST = 4096 };

static void free_request(struct cw_lsp_request *request) {
    json_decref(request->id);
    json_decref(request->params);
    json_decref(request->value);
    free(request);
}

static void unlink_request(struct cw_lsp_server *server, struct cw_lsp_request *request) {
    struct cw_lsp_request **at = &server->requests;
    while (*at && *at != request)
        at = &(*at)->next;
    if (*at)
        *at = request->next;
}

/* Before the answer, for the token of the progress is good only until then. */
static void end_progress(struct cw_lsp_server *server, struct cw_lsp_request *request) {
    if (request->has_begun)
        cw_lsp_progress_end(server, request);
    request->has_begun = false;
}

/* Its job, if it has one, is ended. */
static void end_request(struct cw_lsp_server *server, struct cw_lsp_request *request) {
    unlink_request(server, request);
    if (request->job)
        cw_lsp_job_kill(&server->jobs, request->job);
    free_request(request);
}

enum cw_lsp_outcome cw_lsp_fail(struct cw_lsp_request *request, int code, const char *message) {
    request->code = code;
    request->message = message;
    return CW_LSP_FAILED;
}

/* Asks it once. True: it is gone. */
static bool try_request(struct cw_lsp_server *server, struct cw_lsp_request *request) {
    json_t *result = NULL;
    if (request->job)
        return false;
    const struct cw_lsp_document *d = request->edition ? cw_lsp_document_of(server, request) : NULL;
    enum cw_lsp_outcome outcome = CW_LSP_FAILED;
    if (request->edition && (!d || d->edition != request->edition))
        cw_lsp_fail(request, CW_LSP_CONTENT_MODIFIED, "the document has changed");
    else
        outcome = request->answer(server, request, &result);
    if (outcome == CW_LSP_WAITS)
        return false;
    end_progress(server, request);
    if (outcome == CW_LSP_ANSWERED)
        cw_lsp_reply(server, request->id, result);
    else
        cw_lsp_reply_error(server, request->id, request->code, request->message);
    end_request(server, request);
    return true;
}

void cw_lsp_request_take(struct cw_lsp_server *server, const json_t *id, json_t *params, cw_lsp_answer *answer,
                         bool minds_changes) {
    unsigned n = 0;
    struct cw_lsp_request **end = &server->requests;
    for (; *end; end = &(*end)->next)
        n++;
    struct cw_lsp_request *r = n < MOST ? calloc(1, sizeof *r) : NULL;
    if (!r) {
        cw_lsp_reply_error(server, id, CW_LSP_REQUEST_FAILED, "too many requests wait for an answer");
        return;
    }
    *r = (struct cw_lsp_request){.id = json_deep_copy(id), .params = json_incref(params), .answer = answer};
    *end = r;
    const struct cw_lsp_document *d = minds_changes ? cw_lsp_document_of(server, r) : NULL;
    r->edition = d ? d->edition : 0;
    try_request(server, r);
}

void cw_lsp_requests_retry(struct cw_lsp_server *server) {
    for (struct cw_lsp_request *r = server->requests, *next; r; r = next) {
        next = r->next;
        try_request(server, r);
    }
}

void cw_lsp_request_cancel(struct cw_lsp_server *server, const json_t *id) {
    for (struct cw_lsp_request *r = server->requests; r; r = r->next)
        if (json_equal(r->id, id)) {
            end_progress(server, r);
            cw_lsp_reply_error(server, r->id, CW_LSP_REQUEST_CANCELLED, "cancelled");
            end_request(server, r);
            return;
        }
}

void cw_lsp_progress_cancel(struct cw_lsp_server *server, const json_t *token) {
    for (struct cw_lsp_request *r = server->requests; r; r = r->next)
        if (token && json_equal(json_object_get(r->params, "workDoneToken"), token)) {
            cw_lsp_request_cancel(server, r->id);
            return;
        }
}

void cw_lsp_requests_free(struct cw_lsp_server *server) {
    while (server->requests) {
        struct cw_lsp_request *r = server->requests;
        server->requests = r->next;
        free_request(r);
    }
}

/* ---- jobs of requests ---- */

static void copy_key(json_t *to, const json_t *from, const char *key) {
    json_t *value = json_object_get(from, key);
    if (value)
        json_object_set(to, key, value);
}

/* The job's last value is the request's, with what it was about. */
static void take_value(void *server, struct cw_lsp_job *job, json_t *value) {
    struct cw_lsp_server *s = server;
    struct cw_lsp_request *r = s->requests;
    while (r && r->job != job)
        r = r->next;
    if (!r)
        return;
    if (json_object_get(value, "progress")) {
        cw_lsp_progress_report(s, r, json_object_get(value, "progress"));
    } else if (value) {
        copy_key(value, job->subject, "findings");
        copy_key(value, job->subject, "edition");
        json_decref(r->value);
        r->value = json_incref(value);
    } else {
        r->job = NULL;
        if (!r->value)
            r->value = json_pack("{s:s, s:O*}", "error", "an analysis ended unexpectedly; see the server's log",
                                 "findings", json_object_get(job->subject, "findings"));
    }
}

void cw_lsp_begin(struct cw_lsp_server *server, struct cw_lsp_request *request,
                  void (*work)(struct cw_lsp_channel *, void *, const json_t *), json_t *subject) {
    bool is_large = request->answer == cw_lsp_workspace_diagnostic;
    struct cw_lsp_job like = {.work = work, .take = take_value, .urgency = is_large ? CW_LSP_IDLE : CW_LSP_ASKED};
    request->has_begun = true;
    cw_lsp_progress_begin(server, request, is_large ? "analysing the workspace" : "cuwarp-lint");
    request->job = cw_lsp_job_add(&server->jobs, &like, subject);
}
