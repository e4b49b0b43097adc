/* The whole report as one JSON object; the shape only ever grows. Nothing in it depends on timing or on -j. */
#include "emit/emit.h"

#include "engine/diag_json.h"

#include <stdlib.h>

void cw_emit_json(struct cw_emit *e);

static void put_count(json_t *o, const char *key, uint32_t value) {
    json_object_set_new(o, key, json_integer(value));
}

static json_t *skipped_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].skipped.n; k++)
            json_array_append_new(list, cw_skipped_to_json(&report->files.at[i].skipped.at[k]));
    return list;
}

static json_t *failed_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->files.n; i++) {
        const struct cw_file_result *r = &report->files.at[i];
        if (!r->failed)
            continue;
        json_t *o = json_object();
        json_object_set_new(o, "file", cw_json_text(r->path));
        json_object_set_new(o, "reason", cw_json_text(r->failure));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *bails_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->bails.n; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "reason", cw_json_text(report->bails.at[i].reason));
        put_count(o, "count", report->bails.at[i].count);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *coverage_of(const struct cw_run_report *report) {
    json_t *o = json_object();
    put_count(o, "files", report->files.n);
    put_count(o, "kernels", report->kernels);
    put_count(o, "analysed", report->analysed);
    put_count(o, "degraded", report->degraded);
    json_object_set_new(o, "skipped", skipped_of(report));
    json_object_set_new(o, "failed", failed_of(report));
    json_object_set_new(o, "bails", bails_of(report));
    put_count(o, "not_shown", report->not_shown);
    return o;
}

void cw_emit_json(struct cw_emit *e) {
    json_t *o = json_object(), *findings = json_array(), *suppressed = json_array();
    for (uint32_t i = 0; i < e->report->suppressed.n; i++)
        json_array_append_new(suppressed, cw_finding_to_json(&e->report->suppressed.at[i]));
    for (uint32_t i = 0; i < e->report->findings.n; i++)
        json_array_append_new(findings, cw_finding_to_json(&e->report->findings.at[i]));
    json_object_set_new(o, "version", cw_json_text(e->report->version));
    json_object_set_new(o, "tool", json_string("cuwarp-lint"));
    json_object_set_new(o, "findings", findings);
    json_object_set_new(o, "suppressed", suppressed);
    json_object_set_new(o, "coverage", coverage_of(e->report));
    char *text = json_dumps(o, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    cw_buf_puts(e->out, text ? text : "{}");
    cw_buf_putc(e->out, '\n');
    free(text);
    json_decref(o);
}
