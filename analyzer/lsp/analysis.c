#include "lsp/analysis.h"

#include "base/str.h"
#include "diag/diag_json.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the session ---- */

const char *cw_lsp_real_path(struct cw_arena *a, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) ? cw_arena_strdup(a, full) : path;
}

const char *cw_lsp_real_of(struct cw_lsp_session *session, const char *path) {
    if (!session->last.path || strcmp(session->last.path, path) != 0) {
        session->last.path = cw_arena_strdup(session->arena, path);
        session->last.real = cw_lsp_real_path(session->arena, session->last.path); /* may be its argument */
    }
    return session->last.real;
}

json_t *cw_lsp_failure(const char *text) {
    json_t *o = json_object();
    json_object_set_new(o, "error", cw_json_text(text));
    return o;
}

/* A document that says what the disk says needs no text of its own: earlier results hold for it. */
static void override_text(struct cw_lsp_session *session, const struct cw_lsp_document *document) {
    const char *error;
    struct cw_source *disk = cw_source_load(session->arena, document->path, &error);
    const char *text = document->text.at ? document->text.at : "";
    if (disk && disk->size == document->text.n && !memcmp(disk->text, text, document->text.n))
        return;
    struct cw_source *s = cw_source_of_text(session->arena, document->path, text, document->text.n);
    s->has_bom = disk && disk->has_bom;
    cw_sources_override(&session->sources, document->path, s);
}

/* The same as the run's own options for a file, with the facts that hover and lenses show. */
static const struct cw_file_options *options_with_facts(void *ctx, const char *path, const char **error) {
    struct cw_lsp_session *n = ctx;
    struct cw_file_options *o = CW_NEW(n->arena, struct cw_file_options);
    if (!cw_run_file_options(n->narrow, path, o, error))
        return NULL;
    o->unit.dump = CW_DUMP_FACTS;
    return o;
}

static bool is_excluded(void *ctx, const char *path, bool is_directory, const char **error) {
    const struct cw_run_options *o = ((struct cw_lsp_session *)ctx)->narrow;
    return o->excludes && o->excludes(o->ctx, path, is_directory, error);
}

static const char **texts_of(struct cw_arena *a, const json_t *list, uint32_t *n) {
    size_t i;
    json_t *item;
    const char **at = CW_NEW_ARRAY(a, const char *, json_array_size(list) + 1);
    *n = 0;
    json_array_foreach(list, i, item)
        if (json_is_string(item))
            at[(*n)++] = json_string_value(item);
    return at;
}

/* A wrong configuration is found before the run, whose message would go to a log that nobody reads. */
static const char *check_configuration(struct cw_lsp_session *session) {
    const char *error = NULL;
    struct cw_file_options o;
    for (uint32_t i = 0; i < session->run.npaths && !error; i++)
        (void)cw_run_file_options(&session->run, session->run.paths[i], &o, &error);
    return error;
}

const char *cw_lsp_session_open(struct cw_lsp_session *session, const json_t *paths) {
    const struct cw_lsp_host *host = session->server->host;
    uint32_t npaths, nsettings;
    const char **at = texts_of(session->arena, paths, &npaths),
               **settings = texts_of(session->arena, session->server->settings, &nsettings);
    cw_sources_init(&session->sources, session->arena);
    for (const struct cw_lsp_document *d = session->server->documents.first; d; d = d->next)
        override_text(session, d);
    const char *error =
        host->options(host->ctx, session->arena, at, npaths, settings, nsettings, &session->run, &session->docs_url);
    if (error)
        return error;
    session->run.paths = at;
    session->run.npaths = npaths;
    session->run.max_results = 0;
    session->run.force_exclude = true; /* an editor opens files that nobody asked about */
    session->narrow = &session->run;
    session->wide = session->run;
    session->wide.options_of = options_with_facts;
    session->wide.excludes = is_excluded;
    session->wide.ctx = session;
    return check_configuration(session);
}

/* ---- a document ---- */

static json_t *reads_json(struct cw_lsp_session *session, const struct cw_run_state *run) {
    json_t *seen = json_object(), *list = json_array();
    for (uint32_t i = 0; i < cw_run_nfiles(run); i++) {
        const struct cw_file_result *r = cw_run_result(run, i);
        for (uint32_t k = 0; k < r->reads.n; k++)
            json_object_set_new(seen, cw_lsp_real_path(session->arena, r->reads.at[k]), json_true());
    }
    const char *path;
    json_t *value;
    json_object_foreach(seen, path, value)
        json_array_append_new(list, cw_json_text(path));
    json_decref(seen);
    return list;
}

/* Files that no analysis could be made of, as far as they are open. */
static json_t *failures_json(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->files.n; i++) {
        const struct cw_file_result *r = &report->files.at[i];
        if (r->failed)
            json_array_append_new(list, json_sprintf("%s: could not be analysed: %s", r->path,
                                                     r->failure ? r->failure : "no reason is known"));
    }
    return list;
}

static json_t *check_files(struct cw_lsp_session *session) {
    struct cw_run_report report;
    struct cw_buf facts = {0};
    session->wide.is_hurried = true;
    struct cw_run_state *run = cw_run_open(&session->wide, &session->sources, session->arena);
    if (!run || cw_run_all(run, &facts) || cw_run_tell(run, &session->run, &report))
        return cw_lsp_failure("the analysis could not be run; the log of the server says why");
    json_t *o = json_object();
    json_object_set_new(o, "files", cw_lsp_files_json(session, &report));
    json_object_set_new(o, "reads", reads_json(session, run));
    json_object_set_new(o, "failures", failures_json(&report));
    json_object_set_new(o, "lenses", cw_lsp_lenses_json(session, &report, &facts));
    json_object_set_new(o, "facts", cw_lsp_facts_json(session, &facts));
    cw_run_close(run);
    cw_buf_free(&facts);
    return o;
}

void cw_lsp_check(struct cw_lsp_channel *out, void *server, const json_t *subject) {
    struct cw_arena arena;
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    const char *error = cw_lsp_session_open(&n, json_object_get(subject, "paths"));
    cw_lsp_emit(out, error ? cw_lsp_failure(error) : check_files(&n));
    cw_arena_free(&arena);
}

void cw_lsp_warm_up(struct cw_lsp_channel *out, void *server, const json_t *subject) {
    struct cw_arena arena;
    (void)out;
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    const char *error = cw_lsp_session_open(&n, json_object_get(subject, "paths"));
    struct cw_run_state *run = error ? NULL : cw_run_open(&n.run, &n.sources, &arena);
    if (run) {
        (void)cw_run_warm_up(run); /* what cannot be created is done without */
        cw_run_close(run);
    }
    cw_arena_free(&arena);
}

/* ---- places ---- */

json_t *cw_lsp_range_of_json(struct cw_lsp_session *session, const json_t *place) {
    const char *file = json_string_value(json_object_get(place, "file"));
    struct cw_place p = {.file = file,
                         .line = (uint32_t)json_integer_value(json_object_get(place, "line")),
                         .col = (uint32_t)json_integer_value(json_object_get(place, "column")),
                         .end_line = (uint32_t)json_integer_value(json_object_get(place, "end_line")),
                         .end_col = (uint32_t)json_integer_value(json_object_get(place, "end_column"))};
    return cw_lsp_range(file ? cw_sources_get(&session->sources, file, NULL) : NULL, &p, session->server->encoding);
}

json_t *cw_lsp_read_facts(const struct cw_buf *facts) {
    json_t *list = json_array();
    for (const char *at = facts->at; at && *at;) {
        const char *end = strchr(at, '\n');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        json_t *fact = json_loadb(at, length, 0, NULL);
        if (fact)
            json_array_append_new(list, fact);
        at = end ? end + 1 : NULL;
    }
    return list;
}
