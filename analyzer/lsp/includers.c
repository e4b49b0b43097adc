/* requires: nothing but the folders of the workspace. The run's own search for headers says what each file may read;
 * files that read the header and are no headers themselves are taken, those nearest to it first. Cost: the beginning of
 * a run over the workspace, no parser. */
#include "lsp/includers.h"

#include "diag/diag_json.h"
#include "lsp/analysis.h"
#include "lsp/publish.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* ---- in the job ---- */

static bool may_read(struct cw_lsp_session *session, const struct cw_unit_options *unit, const char *header) {
    for (uint32_t i = 0; i < unit->nfiles; i++) {
        const char *slash = strrchr(unit->files[i], '/'), *name = strrchr(header, '/');
        if (slash && name && !strcmp(slash, name) && !strcmp(cw_lsp_real_path(session->arena, unit->files[i]), header))
            return true;
    }
    return false;
}

static size_t shared_prefix(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* Into a list that is sorted, the nearest first, by its place in it. */
static void insert_near(json_t *list, const char *path, const char *header) {
    size_t at = 0;
    while (at < json_array_size(list) &&
           shared_prefix(json_string_value(json_array_get(list, at)), header) >= shared_prefix(path, header))
        at++;
    json_array_insert_new(list, at, cw_json_text(path));
    if (json_array_size(list) > MOST)
        json_array_remove(list, MOST);
}

static json_t *search_includers(struct cw_lsp_session *session, const char *header) {
    json_t *found = json_array();
    struct cw_run_state *run = cw_run_open(&session->run, &session->sources, session->arena);
    for (uint32_t i = 0; run && i < cw_run_nfiles(run); i++) {
        const char *path = cw_run_path(run, i);
        if (!cw_str_names_header(path) && may_read(session, cw_run_unit(run, i), header))
            insert_near(found, cw_lsp_real_path(session->arena, path), header);
    }
    if (run)
        cw_run_close(run);
    return found;
}

static void search_workspace(struct cw_lsp_channel *out, void *server, const json_t *subject) {
    struct cw_arena arena;
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    const char *error = cw_lsp_session_open(&n, n.server->folders);
    cw_lsp_emit(out,
                error ? json_array() : search_includers(&n, json_string_value(json_object_get(subject, "header"))));
    cw_arena_free(&arena);
}

/* ---- in the server ---- */

static void take_includers(void *server, struct cw_lsp_job *job, json_t *value) {
    struct cw_lsp_server *s = server;
    const char *header = json_string_value(json_object_get(job->subject, "header"));
    struct cw_lsp_document *d = cw_lsp_document_at(&s->documents, header);
    if (!value)
        return;
    json_object_set(s->includers, header, value);
    if (d && json_array_size(value))
        cw_lsp_touch(s, d);
}

void cw_lsp_find_includers(struct cw_lsp_server *server, struct cw_lsp_document *header) {
    struct cw_lsp_job like = {.work = search_workspace, .take = take_includers, .urgency = CW_LSP_USUAL};
    header->has_asked_includers = true;
    if (json_array_size(server->folders))
        cw_lsp_job_add(&server->jobs, &like, json_pack("{s:o}", "header", cw_json_text(header->real)));
}

void cw_lsp_forget_includers(struct cw_lsp_server *server) {
    json_object_clear(server->includers);
    for (struct cw_lsp_document *d = server->documents.first; d; d = d->next)
        d->has_asked_includers = false;
}
