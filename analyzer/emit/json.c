/* The whole report as one JSON object; the shape only ever grows. Nothing in it depends on timing or on -j. */
#include "emit/report_json.h"

void cw_emit_json(struct cw_emit *e);

void cw_emit_json(struct cw_emit *e) {
    json_t *o = json_object(), *findings = json_array(), *suppressed = json_array();
    for (uint32_t i = 0; i < e->report->findings.n; i++)
        json_array_append_new(findings, cw_finding_to_json(&e->report->findings.at[i]));
    for (uint32_t i = 0; i < e->report->suppressed.n; i++)
        json_array_append_new(suppressed, cw_finding_to_json(&e->report->suppressed.at[i]));
    json_object_set_new(o, "version", cw_json_text(e->report->version));
    json_object_set_new(o, "tool", json_string("cuwarp-lint"));
    json_object_set_new(o, "findings", findings);
    json_object_set_new(o, "suppressed", suppressed);
    json_object_set_new(o, "coverage", cw_coverage_to_json(e->report));
    cw_emit_json_value(e, o, JSON_INDENT(2));
}
