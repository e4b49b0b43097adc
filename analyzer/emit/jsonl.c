/* JSON lines: a finding per line, as in `--output json`; the last line has "coverage" instead, so that what was not
 * analysed or not shown is never lost. */
#include "emit/report_json.h"

void cw_emit_jsonl(struct cw_emit *e);

void cw_emit_jsonl(struct cw_emit *e) {
    for (uint32_t i = 0; i < e->report->findings.n; i++)
        cw_emit_json_value(e, cw_finding_to_json(&e->report->findings.at[i]), JSON_COMPACT);
    json_t *last = json_object();
    json_object_set_new(last, "version", cw_json_text(e->report->version));
    json_object_set_new(last, "tool", json_string("cuwarp-lint"));
    json_object_set_new(last, "coverage", cw_coverage_to_json(e->report));
    cw_emit_json_value(e, last, JSON_COMPACT);
}
