#include "lsp/fixes.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "lsp/analysis.h"
#include "lsp/uri.h"
#include "fix/prove/ignores.h"
#include "fix/prove/proof.h"
#include "fix/prove/repair.h"

#include <string.h>

/* ---- edits for the client ---- */

static json_t *text_edits(struct cw_lsp_session *session, const struct cw_source *source,
                          const struct cw_edits *edits) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < edits->at.n; i++) {
        const struct cw_replacement *x = &edits->at.at[i];
        json_t *edit = json_object(), *range = json_object();
        json_object_set_new(range, "start", cw_lsp_position(source, x->from, session->server->encoding));
        json_object_set_new(range, "end", cw_lsp_position(source, x->to, session->server->encoding));
        json_object_set_new(edit, "range", range);
        json_object_set_new(edit, "newText", cw_json_text(x->text));
        json_array_append_new(list, edit);
    }
    return list;
}

/* Adds the edits of one file to a WorkspaceEdit. */
static void add_file(struct cw_lsp_session *session, json_t *edit, const char *path, json_t *edits) {
    const char *real = cw_lsp_real_of(session, path);
    const struct cw_lsp_document *d = cw_lsp_document_at(&session->server->documents, real);
    const char *uri = d ? d->uri : cw_lsp_uri_of_path(session->arena, real);
    bool has_versions = session->server->client.has_document_changes;
    json_t *all = json_object_get(edit, has_versions ? "documentChanges" : "changes");
    if (!has_versions) {
        if (!all)
            json_object_set_new(edit, "changes", all = json_object());
        json_object_set_new(all, uri, edits);
        return;
    }
    if (!all)
        json_object_set_new(edit, "documentChanges", all = json_array());
    json_t *version = d ? json_integer(d->version) : json_null();
    json_array_append_new(all, json_pack("{s:{s:o, s:o}, s:o}", "textDocument", "uri", cw_json_text(uri), "version",
                                         version, "edits", edits));
}

/* ---- fixes ---- */

/* What is to be fixed. */
struct order {
    const char *rule, *fingerprint, *fix; /* NULL: any */
};

static bool is_wanted(void *ctx, const struct cw_finding *finding, const struct cw_fix *fix) {
    const struct order *o = ctx;
    return (!o->rule || !strcmp(finding->rule, o->rule)) &&
           (!o->fingerprint || (finding->fingerprint && !strcmp(finding->fingerprint, o->fingerprint))) &&
           (!o->fix || !strcmp(fix->message, o->fix));
}

/* One run for one order: a repair leaves the run with its results. A new reference, or NULL when nothing stood the
 * proof. */
static json_t *prove_fixes(struct cw_lsp_server *server, const json_t *subject, const struct order *order) {
    struct cw_arena arena;
    struct cw_repair done = {.fixed = 0};
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    json_t *edit = NULL;
    const char *error = cw_lsp_session_open(&n, json_object_get(subject, "paths"));
    n.run.is_hurried = true;
    struct cw_run_state *run = error ? NULL : cw_run_open(cw_proof_options(&n.run, &arena), &n.sources, &arena);
    struct cw_repair_options options = {.shown = &n.run, .unsafe = order->fix != NULL, .wants = is_wanted,
                                        .ctx = (void *)(uintptr_t)order};
    if (run && !cw_run_all(run, NULL) && !cw_repair(run, &options, &n.sources, &arena, &done) && done.fixed)
        edit = json_object();
    for (uint32_t i = 0; i < done.files.n && edit; i++)
        add_file(&n, edit, done.files.at[i].path, text_edits(&n, done.files.at[i].original, &done.files.at[i].edits));
    if (run)
        cw_run_close(run);
    cw_arena_free(&arena);
    return edit;
}

static struct order order_of(const json_t *finding, const char *message) {
    return (struct order){json_string_value(json_object_get(finding, "rule")),
                          json_string_value(json_object_get(finding, "fingerprint")), message};
}

static void fix_each(struct cw_lsp_server *server, const json_t *subject, json_t *edits) {
    size_t i;
    json_t *finding;
    const char *message = json_string_value(json_object_get(subject, "fix"));
    json_array_foreach(json_object_get(subject, "findings"), i, finding) {
        struct order order = order_of(finding, message);
        json_t *edit = order.fingerprint ? prove_fixes(server, subject, &order) : NULL;
        json_array_append_new(edits, edit ? edit : json_null());
    }
}

/* ---- comments ---- */

static json_t *make_suppression(struct cw_lsp_server *server, const json_t *subject) {
    struct cw_arena arena;
    struct cw_ignored ignored = {.silenced = 0};
    size_t i;
    json_t *item, *edit = NULL;
    CW_VEC(const struct cw_finding *) findings = {0};
    cw_arena_init(&arena);
    struct cw_lsp_session n = {.server = server, .arena = &arena};
    const char *error = cw_lsp_session_open(&n, json_object_get(subject, "paths"));
    json_array_foreach(json_object_get(subject, "findings"), i, item) {
        struct cw_finding *f = CW_NEW(&arena, struct cw_finding);
        if (cw_finding_from_json(&arena, item, f) && f->place.file)
            cw_vec_push(&arena, &findings, (const struct cw_finding *)f);
    }
    const struct cw_source *source =
        !error && findings.n ? cw_sources_get(&n.sources, findings.at[0]->place.file, NULL) : NULL;
    const char *reason = json_string_value(json_object_get(subject, "reason"));
    if (source && !cw_ignore_reason_check(reason))
        cw_add_ignores(&arena, source, findings.at, findings.n, reason, &ignored);
    if (ignored.edits.at.n) {
        edit = json_object();
        add_file(&n, edit, source->path, text_edits(&n, source, &ignored.edits));
    }
    cw_arena_free(&arena);
    return edit;
}

/* ---- the job ---- */

void cw_lsp_repair(struct cw_lsp_channel *out, void *server, const json_t *subject) {
    const char *action = json_string_value(json_object_get(subject, "action"));
    json_t *edits = json_array();
    struct order order = {json_string_value(json_object_get(subject, "rule")), NULL, NULL};
    if (!strcmp(action, "prove") || !strcmp(action, "fix")) {
        fix_each(server, subject, edits);
    } else {
        json_t *edit =
            !strcmp(action, "suppress") ? make_suppression(server, subject) : prove_fixes(server, subject, &order);
        json_array_append_new(edits, edit ? edit : json_null());
    }
    cw_lsp_emit(out, json_pack("{s:o}", "edits", edits));
}
