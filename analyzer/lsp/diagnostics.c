/* Findings as diagnostics: the other places of a finding and its witness are related information. */
#include "lsp/analysis.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "lsp/uri.h"
#include "rules/registry.h"

#include <string.h>

enum { ERROR = 1, WARNING = 2, INFORMATION = 3 };
enum { UNNECESSARY = 1, DEPRECATED = 2 };
enum { LISTED = 8 };

static int severity_of(enum cw_severity severity) {
    return severity == CW_ERROR ? ERROR : severity == CW_WARNING ? WARNING : INFORMATION;
}

static json_t *location_of(struct cw_lsp_session *session, const struct cw_place *place) {
    const char *real = cw_lsp_real_of(session, place->file);
    const struct cw_lsp_document *d = cw_lsp_document_at(&session->server->documents, real);
    const char *uri = d ? d->uri : *real == '/' ? cw_lsp_uri_of_path(session->arena, real) : NULL;
    if (!uri)
        return NULL;
    json_t *o = json_object();
    json_object_set_new(o, "uri", cw_json_text(uri));
    json_object_set_new(o, "range", cw_lsp_range(cw_sources_get(&session->sources, place->file, NULL), place,
                                                 session->server->encoding));
    return o;
}

static void add_related(struct cw_lsp_session *session, json_t *list, const struct cw_place *place, const char *text) {
    json_t *location = place->line && place->file ? location_of(session, place) : NULL;
    if (!location)
        return;
    json_t *o = json_object();
    json_object_set_new(o, "location", location);
    json_object_set_new(o, "message", cw_json_text(text));
    json_array_append_new(list, o);
}

/* ---- the witness in words ---- */

static void put_numbers(struct cw_buf *out, const char *noun, const uint32_t *at, uint32_t n) {
    if (n)
        cw_buf_printf(out, "%s%s%s ", out->n ? ", " : "with ", noun, n == 1 ? "" : "s");
    for (uint32_t i = 0; i < n && i < LISTED; i++)
        cw_buf_printf(out, "%s%u", i == 0 ? "" : i + 1 == n ? " and " : ", ", at[i]);
    cw_buf_puts(out, n > LISTED ? ", …" : "");
}

static const char *separator_for(const struct cw_buf *out) {
    return out->n ? ", " : "with ";
}

static void put_launch(struct cw_buf *out, const struct cw_witness *witness) {
    if (!witness->block[0])
        return;
    cw_buf_printf(out, "with block (%u,%u,%u)", witness->block[0], witness->block[1], witness->block[2]);
    if (witness->grid[0])
        cw_buf_printf(out, ", grid (%u,%u,%u)", witness->grid[0], witness->grid[1], witness->grid[2]);
    if (witness->launch_source)
        cw_buf_printf(out, " (%s)", witness->launch_source);
}

static void put_circumstances(struct cw_buf *out, const struct cw_witness *witness) {
    put_launch(out, witness);
    if (witness->rows_are_warps)
        cw_buf_printf(out, "%sa cell for each warp", separator_for(out));
    else if (witness->warp >= 0)
        cw_buf_printf(out, "%swarp %d", separator_for(out), witness->warp);
    if (witness->iteration >= 0)
        cw_buf_printf(out, "%siteration %lld (from 0)", separator_for(out), (long long)witness->iteration);
    if (!witness->rows.n) {
        put_numbers(out, "lane", witness->lanes.at, witness->lanes.n);
        put_numbers(out, "thread", witness->threads.at, witness->threads.n);
    }
    if (witness->has_mask)
        cw_buf_printf(out, "%smask 0x%08x", separator_for(out), witness->mask);
    if (witness->address)
        cw_buf_printf(out, "%s%s", separator_for(out), witness->address);
    for (uint32_t i = 0; i < witness->facts.n; i++)
        cw_buf_printf(out, "%s%s = %s", separator_for(out), witness->facts.at[i].name, witness->facts.at[i].value);
}

/* Warps that the block has, or the 32 lanes of one. */
static uint32_t cells_of(const struct cw_witness *witness) {
    uint32_t warps = (witness->block[0] * witness->block[1] * witness->block[2] + 31) / 32;
    return witness->rows_are_warps && warps < 32 ? warps : 32;
}

static void put_row(struct cw_buf *out, const struct cw_witness *witness, const struct cw_lane_row *row) {
    uint32_t shown = witness->rows_are_warps ? row->warps : row->lanes;
    cw_buf_printf(out, "%s%s ", out->n ? "\n" : "", row->label);
    for (uint32_t lane = 0; lane < cells_of(witness); lane++)
        cw_buf_puts(out, shown >> lane & 1 ? "█" : "·");
    if (row->meaning)
        cw_buf_printf(out, " (%s)", row->meaning);
}

static void add_witness(struct cw_lsp_session *session, json_t *list, const struct cw_finding *finding) {
    struct cw_buf text = {0};
    if (finding->witness.present)
        put_circumstances(&text, &finding->witness);
    for (uint32_t i = 0; i < finding->witness.rows.n; i++)
        put_row(&text, &finding->witness, &finding->witness.rows.at[i]);
    if (text.n)
        add_related(session, list, &finding->place, text.at);
    cw_buf_free(&text);
}

static json_t *related_of(struct cw_lsp_session *session, const struct cw_finding *finding) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->labels.n; i++)
        add_related(session, list, &finding->labels.at[i].place, finding->labels.at[i].text);
    for (uint32_t i = 0; i < finding->notes.n; i++)
        add_related(session, list, finding->notes.at[i].place.line ? &finding->notes.at[i].place : &finding->place,
                    finding->notes.at[i].text);
    for (uint32_t i = 0; i < finding->inlined_at.n; i++)
        add_related(session, list, &finding->inlined_at.at[i].place,
                    cw_arena_printf(session->arena, "in the call of %s", finding->inlined_at.at[i].text));
    add_witness(session, list, finding);
    if (finding->help)
        add_related(session, list, &finding->place, cw_arena_printf(session->arena, "help: %s", finding->help));
    return list;
}

/* ---- a diagnostic ---- */

/* The protocol's numbers. */
static void add_tag(json_t *json, const char *name) {
    static const int tags[] = {[CW_TAG_UNNECESSARY] = UNNECESSARY, [CW_TAG_DEPRECATED] = DEPRECATED};
    const struct cw_rule *rule = cw_rule_find(name);
    if (rule && rule->hooks->tag != CW_TAG_NONE)
        json_object_set_new(json, "tags", json_pack("[i]", tags[rule->hooks->tag]));
}

json_t *cw_lsp_diagnostic(struct cw_lsp_session *session, const struct cw_finding *finding) {
    const struct cw_lsp_client *client = &session->server->client;
    const char *possible = finding->confidence == CW_POSSIBLE ? "possible: " : "";
    json_t *o = json_object();
    const struct cw_source *source =
        finding->place.file ? cw_sources_get(&session->sources, finding->place.file, NULL) : NULL;
    json_object_set_new(o, "range", cw_lsp_range(source, &finding->place, session->server->encoding));
    json_object_set_new(o, "severity", json_integer(severity_of(finding->severity)));
    json_object_set_new(o, "code", cw_json_text(finding->rule));
    json_object_set_new(o, "source", json_string("cuwarp-lint"));
    json_object_set_new(o, "message",
                        cw_json_text(cw_arena_printf(session->arena, "%s%s", possible, finding->message)));
    if (*session->docs_url && client->has_code_link)
        json_object_set_new(o, "codeDescription",
                            json_pack("{s:o}", "href", json_sprintf("%s/rules/%s/", session->docs_url, finding->rule)));
    if (client->has_tags)
        add_tag(o, finding->rule);
    if (client->has_related)
        json_object_set_new(o, "relatedInformation", related_of(session, finding));
    if (client->has_data)
        json_object_set_new(o, "data", json_pack("{s:o}", "fingerprint", cw_json_text(finding->fingerprint)));
    return o;
}

json_t *cw_lsp_files_json(struct cw_lsp_session *session, const struct cw_run_report *report) {
    json_t *files = json_object();
    for (uint32_t i = 0; i < report->findings.n; i++) {
        const struct cw_finding *f = &report->findings.at[i];
        const char *path = f->place.file ? cw_lsp_real_of(session, f->place.file) : NULL;
        if (!path)
            continue;
        json_t *list = json_object_get(files, path), *item = json_object();
        if (!list)
            json_object_set_new(files, path, list = json_array());
        json_object_set_new(item, "diagnostic", cw_lsp_diagnostic(session, f));
        json_object_set_new(item, "finding", cw_finding_to_json(f));
        json_array_append_new(list, item);
    }
    return files;
}
