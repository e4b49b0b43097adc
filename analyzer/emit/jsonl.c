/* JSON lines: a finding per line, as in `--output json`; the last line has "coverage" instead, so that what was not
 * analysed or not shown is never lost. */
#include "emit/report_json.h"

void cw_emit_jsonl(struct cw_emit *e);

void cw_emit_jsonl(struct cw_emit *emit) {
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        cw_emit_json_value(emit, cw_finding_to_json(&emit->report->findings.at[i]), JSON_COMPACT);
    json_t *last = json_object();
    json_object_set_new(last, "version", cw_json_text(emit->report->version));
    json_object_set_new(last, "tool", json_string("cuwarp-lint"));
    json_object_set_new(last, "coverage", cw_coverage_to_json(emit->report));
    cw_emit_json_value(emit, last, JSON_COMPACT);
}
