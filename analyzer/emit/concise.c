/* One line per finding, the form that editors' error parsers know. */
#include "emit/excerpt.h"

void cw_emit_concise(struct cw_emit *e);

void cw_emit_concise(struct cw_emit *emit) {
    for (uint32_t i = emit->told; i < emit->report->findings.n; i++) {
        const struct cw_finding *f = &emit->report->findings.at[i];
        cw_put_path(emit->out, f->place.file ? f->place.file : "?");
        cw_buf_printf(emit->out, ":%u:%u: %s: %s", f->place.line, f->place.col, cw_severity_text(f->severity),
                      f->confidence == CW_POSSIBLE ? "possible: " : "");
        cw_puts_printable(emit->out, f->message);
        cw_buf_printf(emit->out, " [%s]\n", f->rule);
    }
}
