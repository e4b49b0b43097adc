/* One line per finding, the form that editors' error parsers know. */
#include "emit/excerpt.h"

void cw_emit_concise(struct cw_emit *e);

void cw_emit_concise(struct cw_emit *e) {
    for (uint32_t i = e->told; i < e->report->findings.n; i++) {
        const struct cw_finding *f = &e->report->findings.at[i];
        cw_put_path(e->out, f->place.file ? f->place.file : "?");
        cw_buf_printf(e->out, ":%u:%u: %s: %s", f->place.line, f->place.col, cw_severity_text(f->severity),
                      f->confidence == CW_POSSIBLE ? "possible: " : "");
        cw_puts_printable(e->out, f->message);
        cw_buf_printf(e->out, " [%s]\n", f->rule);
    }
}
