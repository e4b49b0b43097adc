#include "emit/report_json.h"

#include <stdlib.h>

static void put_count(json_t *json, const char *key, uint32_t value) {
    json_object_set_new(json, key, json_integer(value));
}

static json_t *skipped_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].skipped.n; k++)
            json_array_append_new(list, cw_skipped_to_json(&report->files.at[i].skipped.at[k]));
    return list;
}

static json_t *partial_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->files.n; i++)
        for (uint32_t k = 0; k < report->files.at[i].partial.n; k++)
            json_array_append_new(list, cw_partial_to_json(&report->files.at[i].partial.at[k]));
    return list;
}

static json_t *assumptions_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->basis.kernels.n; i++)
        json_array_append_new(list, cw_basis_to_json(&report->basis.kernels.at[i]));
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

static json_t *commands_of(const struct cw_run_report *report) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < report->commands.n; i++)
        json_array_append_new(list, cw_json_text(report->commands.at[i]));
    return list;
}

json_t *cw_coverage_to_json(const struct cw_run_report *report) {
    json_t *o = json_object();
    put_count(o, "files", report->files.n);
    put_count(o, "kernels", report->kernels);
    put_count(o, "analysed", report->analysed);
    put_count(o, "degraded", report->degraded);
    put_count(o, "patterns", report->basis.patterns);
    put_count(o, "guessed_launches", report->basis.guessed);
    put_count(o, "missing_headers", report->basis.no_headers);
    put_count(o, "hip_files", report->hip);
    if (report->commands.n)
        json_object_set_new(o, "compile_commands", commands_of(report));
    json_object_set_new(o, "skipped", skipped_of(report));
    json_object_set_new(o, "partial", partial_of(report));
    json_object_set_new(o, "without", assumptions_of(report));
    json_object_set_new(o, "failed", failed_of(report));
    json_object_set_new(o, "bails", bails_of(report));
    put_count(o, "not_shown", report->not_shown);
    put_count(o, "suppressed", report->suppressed.n);
    return o;
}

void cw_emit_json_value(struct cw_emit *emit, json_t *json, size_t flags) {
    char *text = json_dumps(json, flags | JSON_PRESERVE_ORDER);
    cw_buf_puts(emit->out, text ? text : "null");
    cw_buf_putc(emit->out, '\n');
    free(text);
    json_decref(json);
}
