/* One line per finding, the form that editors' error parsers know. */
#include "emit/emit.h"

void cw_emit_concise(struct cw_emit *e);

void cw_emit_concise(struct cw_emit *e) {
    for (uint32_t i = 0; i < e->report->findings.n; i++) {
        const struct cw_finding *f = &e->report->findings.at[i];
        cw_buf_printf(e->out, "%s:%u:%u: %s: %s%s [%s]\n", f->place.file ? f->place.file : "?", f->place.line,
                      f->place.col, cw_severity_text(f->severity),
                      f->confidence == CW_POSSIBLE ? "possible: " : "", f->message, f->rule);
    }
}
