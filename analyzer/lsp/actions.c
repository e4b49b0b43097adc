/* Verified fixes are proved before they are offered: what the client applies is known to be right. The others are
 * worked out when they are chosen: clients that can resolve an action get data, the rest a command. */
#include "lsp/actions.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "lsp/fixes.h"
#include "lsp/publish.h"
#include "rules/registry.h"

#include <string.h>

enum { MOST_PROVED = 8 };

static const char quick_fix[] = "quickfix", fix_all[] = "source.fixAll.cuwarp-lint";

json_t *cw_lsp_commands(void) {
    return json_pack("[s, s, s, s]", "cuwarp-lint.apply", "cuwarp-lint.fixAll", "cuwarp-lint.suppress",
                     "cuwarp-lint.explain");
}

/* ---- findings ---- */

static const char *text_in(const json_t *json, const char *key) {
    return json_string_value(json_object_get(json, key));
}

/* Findings that touch the range; a new array of borrowed ones. */
static json_t *findings_in(struct cw_lsp_server *server, const struct cw_lsp_document *document, const json_t *range) {
    json_t *items = cw_lsp_items_of(server, document->real), *found = json_array(), *item;
    size_t i;
    json_array_foreach(items, i, item)
        if (cw_lsp_ranges_touch(json_object_get(json_object_get(item, "diagnostic"), "range"), range))
            json_array_append(found, item);
    json_decref(items);
    return found;
}

/* The first fix that is safe, or not; NULL: there is none. */
static const json_t *fix_of(const json_t *finding, bool safe) {
    size_t i;
    json_t *fix;
    json_array_foreach(json_object_get(finding, "fixes"), i, fix)
        if (json_is_true(json_object_get(fix, "safe")) == safe && json_array_size(json_object_get(fix, "edits")))
            return fix;
    return NULL;
}

static bool has_safe_fix(struct cw_lsp_server *server, const struct cw_lsp_document *document, const char *rule) {
    json_t *items = cw_lsp_items_of(server, document->real), *item;
    size_t i;
    bool found = false;
    json_array_foreach(items, i, item) {
        const json_t *finding = json_object_get(item, "finding");
        found |= fix_of(finding, true) && (!rule || !strcmp(rule, text_in(finding, "rule")));
    }
    json_decref(items);
    return found;
}

/* ---- proofs ---- */

static json_t *key_of(const json_t *finding) {
    const char *fingerprint = text_in(finding, "fingerprint");
    return json_sprintf("%s %s", text_in(finding, "rule"), fingerprint ? fingerprint : "");
}

/* The edit of a finding that stood the proof, JSON null when it did not; NULL: not tried yet. */
static json_t *proof_of(const struct cw_lsp_document *document, const json_t *finding) {
    json_t *key = key_of(finding);
    json_t *edit = json_object_get(json_object_get(document->result, "proofs"), json_string_value(key));
    json_decref(key);
    return edit;
}

static void keep_proofs(struct cw_lsp_document *document, const json_t *findings, const json_t *edits) {
    size_t i;
    json_t *finding, *proofs = json_object_get(document->result, "proofs");
    if (!proofs)
        json_object_set_new(document->result, "proofs", proofs = json_object());
    json_array_foreach(findings, i, finding) {
        json_t *key = key_of(finding), *edit = json_array_get(edits, i);
        if (edit)
            json_object_set(proofs, json_string_value(key), edit);
        else
            json_object_set_new(proofs, json_string_value(key), json_null());
        json_decref(key);
    }
}

/* Findings of the list whose safe fix was not tried yet; a new array. */
static json_t *unproved_items(const struct cw_lsp_document *document, const json_t *items) {
    json_t *list = json_array(), *item;
    size_t i;
    json_array_foreach(items, i, item) {
        json_t *finding = json_object_get(item, "finding");
        if (fix_of(finding, true) && !proof_of(document, finding) && json_array_size(list) < MOST_PROVED)
            json_array_append(list, finding);
    }
    return list;
}

static json_t *subject_of(struct cw_lsp_server *server, struct cw_lsp_document *document, const char *action) {
    return json_pack("{s:s, s:o}", "action", action, "paths", cw_lsp_paths_of(server, document));
}

/* ---- actions ---- */

struct offer {
    struct cw_lsp_server *server;
    struct cw_lsp_document *document;
    const json_t *only; /* kinds; NULL: all */
    json_t *list;
};

/* A kind stands for those below it: "quickfix" for "quickfix.x". */
static bool is_kind_wanted(const json_t *only, const char *kind) {
    size_t i;
    json_t *item;
    if (!json_is_array(only))
        return true;
    json_array_foreach(only, i, item) {
        const char *asked = json_string_value(item);
        size_t n = asked ? strlen(asked) : 0;
        if (asked && !strncmp(kind, asked, n) && (!n || !kind[n] || kind[n] == '.'))
            return true;
    }
    return false;
}

static void add_diagnostic(json_t *action, const json_t *item) {
    if (item)
        json_object_set_new(action, "diagnostics", json_pack("[O]", json_object_get(item, "diagnostic")));
}

static void add_command(json_t *action, const char *title, const char *command, const json_t *data) {
    json_object_set_new(
        action, "command",
        json_pack("{s:s, s:s, s:[O]}", "title", title, "command", command, "arguments", (json_t *)(uintptr_t)data));
}

/* Clients without literals understand commands alone. */
static void add_action(struct offer *offer, json_t *action) {
    if (offer->server->client.has_action_literals)
        json_array_append(offer->list, action);
    else if (json_object_get(action, "command"))
        json_array_append(offer->list, json_object_get(action, "command"));
    json_decref(action);
}

/* Takes `data`. */
static void offer_lazily(struct offer *offer, const char *title, const char *kind, const json_t *item, json_t *data) {
    json_t *action = json_pack("{s:s, s:s}", "title", title, "kind", kind);
    bool resolves = offer->server->client.resolves_edits && offer->server->client.has_action_literals;
    json_object_set_new(data, "uri", cw_json_text(offer->document->uri));
    add_diagnostic(action, item);
    if (resolves)
        json_object_set(action, "data", data);
    else
        add_command(action, title, "cuwarp-lint.apply", data);
    json_decref(data);
    add_action(offer, action);
}

static json_t *finding_data(const char *action, const json_t *finding) {
    return json_pack("{s:s, s:O, s:O}", "action", action, "rule", json_object_get(finding, "rule"), "fingerprint",
                     json_object_get(finding, "fingerprint"));
}

static void offer_verified(struct offer *offer, const json_t *item, struct cw_arena *a) {
    const json_t *finding = json_object_get(item, "finding"), *fix = fix_of(finding, true);
    json_t *edit = fix ? proof_of(offer->document, finding) : NULL;
    if (!json_is_object(edit))
        return;
    const char *title = cw_arena_printf(a, "%s (%s)", text_in(fix, "message"), text_in(finding, "rule"));
    if (!offer->server->client.has_action_literals) {
        offer_lazily(offer, title, quick_fix, item, finding_data("prove", finding));
        return;
    }
    json_t *action =
        json_pack("{s:s, s:s, s:b, s:O}", "title", title, "kind", quick_fix, "isPreferred", 1, "edit", edit);
    add_diagnostic(action, item);
    add_action(offer, action);
}

static void offer_unsafe(struct offer *offer, const json_t *item, struct cw_arena *a) {
    const json_t *finding = json_object_get(item, "finding");
    size_t i;
    json_t *fix;
    json_array_foreach(json_object_get(finding, "fixes"), i, fix) {
        if (json_is_true(json_object_get(fix, "safe")) || !json_array_size(json_object_get(fix, "edits")))
            continue;
        json_t *data = finding_data("fix", finding);
        json_object_set(data, "fix", json_object_get(fix, "message"));
        offer_lazily(offer,
                     cw_arena_printf(a, "Unsafe fix: %s (%s)", text_in(fix, "message"), text_in(finding, "rule")),
                     quick_fix, item, data);
    }
}

static void offer_explanation(struct offer *offer, const json_t *item, struct cw_arena *a) {
    const char *rule = text_in(json_object_get(item, "finding"), "rule");
    const char *title = cw_arena_printf(a, "Explain %s", rule);
    json_t *action = json_pack("{s:s}", "title", title), *data = json_pack("{s:s}", "rule", rule);
    add_diagnostic(action, item);
    add_command(action, title, "cuwarp-lint.explain", data);
    json_decref(data);
    add_action(offer, action);
}

static bool is_new_rule(const json_t *items, size_t at) {
    const char *rule = text_in(json_object_get(json_array_get(items, at), "finding"), "rule");
    for (size_t i = 0; i < at; i++)
        if (!strcmp(rule, text_in(json_object_get(json_array_get(items, i), "finding"), "rule")))
            return false;
    return true;
}

static void offer_for_rules(struct offer *offer, const json_t *items, struct cw_arena *a) {
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        const char *rule = text_in(json_object_get(item, "finding"), "rule");
        if (is_new_rule(items, i) && has_safe_fix(offer->server, offer->document, rule))
            offer_lazily(offer, cw_arena_printf(a, "Fix all findings of %s in this file", rule), quick_fix, NULL,
                         json_pack("{s:s, s:s}", "action", "fixRule", "rule", rule));
    }
}

static void offer_for_findings(struct offer *offer, const json_t *items) {
    struct cw_arena scratch;
    size_t i;
    json_t *item;
    cw_arena_init(&scratch);
    json_array_foreach(items, i, item)
        offer_verified(offer, item, &scratch);
    json_array_foreach(items, i, item)
        offer_unsafe(offer, item, &scratch);
    offer_for_rules(offer, items, &scratch);
    json_array_foreach(items, i, item) {
        const json_t *finding = json_object_get(item, "finding");
        offer_lazily(offer, cw_arena_printf(&scratch, "Suppress %s on this line", text_in(finding, "rule")), quick_fix,
                     item, finding_data("suppress", finding));
    }
    json_array_foreach(items, i, item)
        if (!offer->only)
            offer_explanation(offer, item, &scratch);
    cw_arena_free(&scratch);
}

/* Who asks for nothing but this kind wants to apply it at once, as on saving. */
static void offer_fix_all(struct offer *offer, const json_t *value) {
    static const char title[] = "Fix all findings of cuwarp-lint that can be fixed safely";
    json_t *edit = json_array_get(json_object_get(value, "edits"), 0);
    if (!has_safe_fix(offer->server, offer->document, NULL) || (value && !json_is_object(edit)))
        return;
    if (json_is_object(edit))
        add_action(offer, json_pack("{s:s, s:s, s:O}", "title", title, "kind", fix_all, "edit", edit));
    else
        offer_lazily(offer, title, fix_all, NULL, json_pack("{s:s}", "action", "fixAll"));
}

static bool is_for_saving(const struct cw_lsp_server *server, const json_t *only) {
    return json_is_array(only) && json_array_size(only) && server->client.has_action_literals &&
           !is_kind_wanted(only, quick_fix) && is_kind_wanted(only, fix_all);
}

/* False: a job has to end first. */
static bool prepare_proofs(struct cw_lsp_server *server, struct cw_lsp_request *request,
                           struct cw_lsp_document *document, const json_t *items, const json_t *only) {
    if (request->has_begun) {
        if (!is_for_saving(server, only))
            keep_proofs(document, json_object_get(request->value, "findings"),
                        json_object_get(request->value, "edits"));
        return true;
    }
    json_t *subject = NULL;
    if (is_for_saving(server, only)) {
        subject = has_safe_fix(server, document, NULL) ? subject_of(server, document, "fixAll") : NULL;
    } else if (is_kind_wanted(only, quick_fix)) {
        json_t *findings = unproved_items(document, items);
        if (json_array_size(findings)) {
            subject = subject_of(server, document, "prove");
            json_object_set(subject, "findings", findings);
        }
        json_decref(findings);
    }
    if (subject)
        cw_lsp_begin(server, request, cw_lsp_repair, subject);
    return !subject;
}

enum cw_lsp_outcome cw_lsp_code_action(struct cw_lsp_server *server, struct cw_lsp_request *request, json_t **result) {
    struct cw_lsp_document *d = cw_lsp_document_of(server, request);
    const json_t *range = json_object_get(request->params, "range");
    const json_t *only = json_object_get(json_object_get(request->params, "context"), "only");
    if (!d || !json_is_object(range))
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "the document is not open, or there is no range");
    if (!cw_lsp_is_current(server, d))
        return CW_LSP_WAITS;
    json_t *items = findings_in(server, d, range);
    bool is_ready = prepare_proofs(server, request, d, items, only);
    if (is_ready) {
        struct offer o = {server, d, json_is_array(only) ? only : NULL, json_array()};
        if (is_kind_wanted(only, quick_fix))
            offer_for_findings(&o, items);
        if (is_kind_wanted(only, fix_all))
            offer_fix_all(&o, is_for_saving(server, only) ? request->value : NULL);
        *result = o.list;
    }
    json_decref(items);
    return is_ready ? CW_LSP_ANSWERED : CW_LSP_WAITS;
}

/* ---- what was chosen ---- */

/* Findings of a rule in a document, by fingerprint when there is one; a new array. */
static json_t *findings_named(struct cw_lsp_server *server, const struct cw_lsp_document *document,
                              const json_t *data) {
    json_t *items = cw_lsp_items_of(server, document->real), *list = json_array(), *item;
    const char *rule = text_in(data, "rule"), *fingerprint = text_in(data, "fingerprint");
    size_t i;
    json_array_foreach(items, i, item) {
        json_t *finding = json_object_get(item, "finding");
        const char *own = text_in(finding, "fingerprint");
        if (rule && !strcmp(rule, text_in(finding, "rule")) && (!fingerprint || (own && !strcmp(own, fingerprint))))
            json_array_append(list, finding);
    }
    json_decref(items);
    return list;
}

static json_t *paths_of_all(struct cw_lsp_server *server) {
    json_t *paths = json_array();
    for (const struct cw_lsp_document *d = server->documents.first; d; d = d->next)
        json_array_append_new(paths, cw_json_text(d->path));
    return paths;
}

/* The job for the data of an action or command; NULL when there is nothing that it could be about. */
static json_t *subject_for(struct cw_lsp_server *server, struct cw_lsp_document *document, const json_t *data,
                           const char *action) {
    static const char *const known[] = {"prove", "fix", "fixRule", "fixAll", "suppress"};
    bool is_known = false, is_about_findings = strncmp(action, "fixAll", 6) != 0 && strcmp(action, "fixRule") != 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        is_known |= !strcmp(action, known[i]);
    json_t *findings = document && is_about_findings ? findings_named(server, document, data) : json_array();
    if (!is_known || (is_about_findings && !json_array_size(findings))) {
        json_decref(findings);
        return NULL;
    }
    json_t *subject =
        json_pack("{s:s, s:o, s:o}", "action", action, "paths",
                  document ? cw_lsp_paths_of(server, document) : paths_of_all(server), "findings", findings);
    const char *reason = text_in(data, "reason");
    json_object_set_new(subject, "reason", cw_json_text(reason ? reason : server->reason));
    if (text_in(data, "fix"))
        json_object_set(subject, "fix", json_object_get(data, "fix"));
    if (text_in(data, "rule"))
        json_object_set(subject, "rule", json_object_get(data, "rule"));
    return subject;
}

/* Starts the job once; then the edit that it gave (borrowed), or NULL with the request failed. */
static json_t *edit_for(struct cw_lsp_server *server, struct cw_lsp_request *request, const json_t *data,
                        const char *action, enum cw_lsp_outcome *outcome) {
    struct cw_lsp_document *d = cw_lsp_document_find(&server->documents, text_in(data, "uri"));
    json_t *subject = NULL;
    *outcome = CW_LSP_WAITS;
    if (text_in(data, "uri") && !d) {
        *outcome = cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "the document is not open");
    } else if (!request->has_begun && d && !cw_lsp_is_current(server, d)) {
        return NULL;
    } else if (!request->has_begun) {
        subject = action ? subject_for(server, d, data, action) : NULL;
        if (subject)
            cw_lsp_begin(server, request, cw_lsp_repair, subject);
        else
            *outcome = cw_lsp_fail(request, CW_LSP_REQUEST_FAILED, "there is no such finding any more");
    } else {
        json_t *edit = json_array_get(json_object_get(request->value, "edits"), 0);
        if (json_is_object(edit))
            return edit;
        *outcome = cw_lsp_fail(request, CW_LSP_REQUEST_FAILED, "no change was found that could be verified");
    }
    return NULL;
}

enum cw_lsp_outcome cw_lsp_resolve_action(struct cw_lsp_server *server, struct cw_lsp_request *request,
                                          json_t **result) {
    enum cw_lsp_outcome outcome;
    const json_t *data = json_object_get(request->params, "data");
    if (!json_is_object(data)) { /* nothing is missing */
        *result = json_incref(request->params);
        return CW_LSP_ANSWERED;
    }
    json_t *edit = edit_for(server, request, data, text_in(data, "action"), &outcome);
    if (!edit)
        return outcome;
    *result = json_copy(request->params);
    json_object_set(*result, "edit", edit);
    return CW_LSP_ANSWERED;
}

/* ---- rules ---- */

static const struct cw_rule *rule_named(const char *name) {
    for (uint32_t i = 0; i < cw_nrules && name; i++)
        if (!strcmp(cw_rules[i].name, name))
            return &cw_rules[i];
    return NULL;
}

/* The words after the language of a code block are for the tests of the documentation. */
void cw_lsp_put_rule(struct cw_buf *out, const char *name) {
    static const char fence[] = "```cuda ";
    const struct cw_rule *rule = rule_named(name);
    if (!rule)
        return;
    cw_buf_printf(out, "%s\n\n", cw_rule_summary(rule));
    for (const char *line = cw_rule_doc(rule); *line;) {
        size_t length = strcspn(line, "\n");
        bool is_fence = !strncmp(line, fence, sizeof fence - 1);
        cw_buf_add(out, line, is_fence ? sizeof fence - 2 : length);
        cw_buf_putc(out, '\n');
        line += length + (line[length] != '\0');
    }
}

static enum cw_lsp_outcome explain_rule(struct cw_lsp_server *server, struct cw_lsp_request *request,
                                        const json_t *data, json_t **result) {
    const char *rule = text_in(data, "rule");
    struct cw_buf text = {0};
    if (!rule_named(rule))
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "there is no such rule");
    cw_buf_printf(&text, "# %s\n\n", rule);
    cw_lsp_put_rule(&text, rule);
    /* A client that shows the text itself says so. */
    if (!json_is_true(json_object_get(data, "quiet")))
        cw_lsp_notify(server, "window/showMessage",
                      json_pack("{s:i, s:o}", "type", 3, "message", cw_json_text(text.at)));
    *result = json_pack("{s:s, s:o}", "rule", rule, "markdown", cw_json_text(text.at));
    cw_buf_free(&text);
    return CW_LSP_ANSWERED;
}

enum cw_lsp_outcome cw_lsp_execute_command(struct cw_lsp_server *server, struct cw_lsp_request *request,
                                           json_t **result) {
    const char *command = text_in(request->params, "command");
    const json_t *data = json_array_get(json_object_get(request->params, "arguments"), 0);
    enum cw_lsp_outcome outcome;
    if (command && !strcmp(command, "cuwarp-lint.explain"))
        return explain_rule(server, request, data, result);
    const char *action = !command                                      ? NULL
                         : !strcmp(command, "cuwarp-lint.apply")       ? text_in(data, "action")
                         : !strcmp(command, "cuwarp-lint.suppress")    ? "suppress"
                         : strcmp(command, "cuwarp-lint.fixAll") != 0 ? NULL
                         : text_in(data, "rule")                       ? "fixRule"
                                                                       : "fixAll";
    if (!action)
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "there is no such command, or its argument is missing");
    if (!server->client.applies_edits)
        return cw_lsp_fail(request, CW_LSP_REQUEST_FAILED, "the client does not apply edits (workspace/applyEdit)");
    json_t *edit = edit_for(server, request, data, action, &outcome);
    if (!edit)
        return outcome;
    cw_lsp_ask(server, "workspace/applyEdit", json_pack("{s:s, s:O}", "label", "cuwarp-lint", "edit", edit),
               "applied");
    *result = json_null();
    return CW_LSP_ANSWERED;
}
