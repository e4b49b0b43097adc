/* The report's parts as JSON, shared by the formats that are JSON. */
#ifndef CW_EMIT_REPORT_JSON_H
#define CW_EMIT_REPORT_JSON_H

#include "emit/emit.h"
#include "diag/diag_json.h"

/* "coverage" of `--output json` (new reference). */
json_t *cw_coverage_to_json(const struct cw_run_report *report);
/* Prints `j` with jansson's flags and a line end, and releases it. */
void cw_emit_json_value(struct cw_emit *e, json_t *j, size_t flags);

#endif
