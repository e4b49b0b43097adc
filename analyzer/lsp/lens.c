/* Code lenses above kernels: with which launches each was analysed, and whether completely. */
#include "lsp/analysis.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "lsp/publish.h"

#include <string.h>

/* ---- in the job ---- */

static json_t *lens_json(json_t *range, const char *title) {
    json_t *o = json_object(), *command = json_object();
    json_object_set_new(command, "title", cw_json_text(title));
    json_object_set_new(command, "command", json_string(""));
    json_object_set_new(o, "range", range);
    json_object_set_new(o, "command", command);
    return o;
}

/* Adds it unless the place has one: instances of a template, and architectures, give the same kernel again. */
static void add_lens(struct cw_lsp_session *session, json_t *all, const json_t *place, const char *title) {
    const char *file = json_string_value(json_object_get(place, "file"));
    const char *path = file ? cw_lsp_real_of(session, file) : NULL;
    size_t i;
    json_t *lens, *list = path ? json_object_get(all, path) : NULL;
    if (!path || !cw_lsp_document_at(&session->server->documents, path))
        return;
    if (!list)
        json_object_set_new(all, path, list = json_array());
    json_t *range = cw_lsp_range_of_json(session, place);
    json_array_foreach(list, i, lens)
        if (json_equal(json_object_get(lens, "range"), range)) {
            json_decref(range);
            return;
        }
    json_array_append_new(list, lens_json(range, title));
}

static const struct cw_partial *partial_of(struct cw_lsp_session *session, const struct cw_run_report *report,
                                           const json_t *fact) {
    const char *file = json_string_value(json_object_get(fact, "file"));
    const char *path = file ? cw_lsp_real_of(session, file) : "";
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].partial.n; k++) {
            const struct cw_partial *p = &report->files.at[i].partial.at[k];
            if (p->place.file && p->place.line == json_integer_value(json_object_get(fact, "line")) &&
                !strcmp(cw_lsp_real_of(session, p->place.file), path))
                return p;
        }
    return NULL;
}

static const char *title_of(struct cw_lsp_session *session, const struct cw_run_report *report, const json_t *fact) {
    const json_t *launches = json_object_get(fact, "launches");
    const char *first = json_string_value(json_array_get(launches, 0));
    const struct cw_partial *p = partial_of(session, report, fact);
    size_t more = json_array_size(launches) > 1 ? json_array_size(launches) - 1 : 0;
    const char *others = more ? cw_arena_printf(session->arena, " (and %zu more)", more) : "";
    const char *depth = "analysed completely";
    if (p && p->reasons.n)
        depth = cw_arena_printf(session->arena, "analysed in part: %s: %s", p->reasons.at[0].analysis,
                                p->reasons.at[0].reason);
    return cw_arena_printf(session->arena, "%s%s; %s", first ? first : "no launch is known", others, depth);
}

static void add_skipped(struct cw_lsp_session *session, json_t *all, const struct cw_skipped *s) {
    json_t *skipped = cw_skipped_to_json(s);
    if (s->place.line)
        add_lens(session, all, skipped, cw_arena_printf(session->arena, "not analysed: %s", s->reason));
    json_decref(skipped);
}

static bool is_of_same_text(const json_t *fact, const json_t *other) {
    static const char *const keys[] = {"file", "line", "column"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!json_equal(json_object_get(fact, keys[i]), json_object_get(other, keys[i])))
            return false;
    return true;
}

static void add_launches(json_t *fact, const json_t *other) {
    size_t i, k;
    json_t *launches = json_object_get(fact, "launches"), *launch, *known;
    json_array_foreach(json_object_get(other, "launches"), i, launch) {
        bool is_known = false;
        json_array_foreach(launches, k, known)
            is_known |= json_equal(known, launch);
        if (!is_known)
            json_array_append(launches, launch);
    }
}

static json_t *find_same_text(const json_t *kernels, const json_t *fact) {
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
        if (is_of_same_text(kernel, fact))
            return kernel;
    return NULL;
}

/* Instances of a template are one kernel in the text, with the launches of all. Cost: quadratic in kernels. */
static json_t *merge_kernels(const json_t *facts) {
    json_t *kernels = json_array(), *fact;
    size_t i;
    json_array_foreach(facts, i, fact) {
        if (!json_is_true(json_object_get(fact, "is_kernel")))
            continue;
        json_t *known = find_same_text(kernels, fact);
        if (known)
            add_launches(known, fact);
        else
            json_array_append(kernels, fact);
    }
    return kernels;
}

json_t *cw_lsp_lenses_json(struct cw_lsp_session *session, const struct cw_run_report *report,
                           const struct cw_buf *facts) {
    json_t *all = json_object(), *list = cw_lsp_read_facts(facts), *kernels = merge_kernels(list), *kernel;
    size_t i;
    json_array_foreach(kernels, i, kernel)
        add_lens(session, all, kernel, title_of(session, report, kernel));
    json_decref(kernels);
    json_decref(list);
    for (uint32_t f = 0; f < report->files.n; f++)
        for (uint32_t k = 0; k < report->files.at[f].skipped.n; k++)
            add_skipped(session, all, &report->files.at[f].skipped.at[k]);
    return all;
}

/* ---- in the server ---- */

enum cw_lsp_outcome cw_lsp_code_lens(struct cw_lsp_server *server, struct cw_lsp_request *request, json_t **result) {
    struct cw_lsp_document *d = cw_lsp_document_of(server, request);
    if (!d)
        return cw_lsp_fail(request, CW_LSP_INVALID_PARAMS, "the document is not open");
    if (!cw_lsp_is_current(server, d))
        return CW_LSP_WAITS;
    json_t *lenses = json_object_get(json_object_get(d->result, "lenses"), d->real);
    *result = lenses ? json_deep_copy(lenses) : json_array();
    return CW_LSP_ANSWERED;
}
