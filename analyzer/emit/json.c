/* The whole report as one JSON object; the shape only ever grows. Nothing in it depends on timing or on -j. */
#include "emit/report_json.h"

void cw_emit_json(struct cw_emit *e);

void cw_emit_json(struct cw_emit *emit) {
    json_t *o = json_object(), *findings = json_array(), *suppressed = json_array();
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        json_array_append_new(findings, cw_finding_to_json(&emit->report->findings.at[i]));
    for (uint32_t i = 0; i < emit->report->suppressed.n; i++)
        json_array_append_new(suppressed, cw_finding_to_json(&emit->report->suppressed.at[i]));
    json_object_set_new(o, "version", cw_json_text(emit->report->version));
    json_object_set_new(o, "tool", json_string("cuwarp-lint"));
    json_object_set_new(o, "findings", findings);
    json_object_set_new(o, "suppressed", suppressed);
    json_object_set_new(o, "coverage", cw_coverage_to_json(emit->report));
    cw_emit_json_value(emit, o, JSON_INDENT(2));
}
