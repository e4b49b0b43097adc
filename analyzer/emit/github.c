/* Workflow commands of GitHub Actions, which become annotations of the changed lines. A step shows ten of each level,
 * so the worst come first, and a notice tells when there are more. */
#include "emit/excerpt.h"
#include "emit/places.h"

#include <string.h>

enum { SHOWN_PER_LEVEL = 10 };

void cw_emit_github(struct cw_emit *e);

static const char *const levels[] = {[CW_INFO] = "notice", [CW_WARNING] = "warning", [CW_ERROR] = "error"};

static bool is_escaped(char c, bool is_property) {
    return c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
}

/* The runner undoes %25 %0D %0A in the message, and %3A %2C in properties as well. */
static void put_escaped(struct cw_buf *out, const char *text, bool is_property) {
    uint32_t code, n;
    for (const char *at = text; (n = cw_utf8_decode(cw_str_of(at), &code)); at += n) {
        char one[8] = {0};
        memcpy(one, at, n);
        if (is_escaped(one[0], is_property))
            cw_buf_printf(out, "%%%02X", (unsigned)one[0]);
        else
            cw_puts_printable(out, one);
    }
}

/* Columns are refused by GitHub when the range spans lines. */
static void put_place(struct cw_emit *emit, const struct cw_place *p) {
    if (!p->file)
        return;
    cw_buf_puts(emit->out, "file=");
    put_escaped(emit->out, cw_emit_path(emit, p->file), true);
    if (p->line) {
        struct cw_place at = cw_emit_utf16(emit, p);
        cw_buf_printf(emit->out, ",line=%u,endLine=%u", at.line, at.end_line);
        if (at.line == at.end_line)
            cw_buf_printf(emit->out, ",col=%u,endColumn=%u", at.col, at.end_col > at.col ? at.end_col - 1 : at.col);
    }
    cw_buf_putc(emit->out, ',');
}

static void put_annotation(struct cw_emit *emit, const struct cw_finding *finding) {
    cw_buf_printf(emit->out, "::%s ", levels[finding->severity]);
    put_place(emit, &finding->place);
    cw_buf_puts(emit->out, "title=");
    put_escaped(emit->out, finding->rule, true);
    cw_buf_puts(emit->out, "::");
    cw_buf_puts(emit->out, finding->confidence == CW_POSSIBLE ? "possible: " : "");
    put_escaped(emit->out, finding->message, false);
    if (finding->help) {
        cw_buf_puts(emit->out, "%0Ahelp: ");
        put_escaped(emit->out, finding->help, false);
    }
    cw_buf_putc(emit->out, '\n');
}

static bool is_cut(const struct cw_run_report *report) {
    uint32_t count[CW_ERROR + 1] = {0};
    for (uint32_t i = 0; i < report->findings.n; i++)
        if (++count[report->findings.at[i].severity] > SHOWN_PER_LEVEL)
            return true;
    return report->not_shown > 0;
}

void cw_emit_github(struct cw_emit *emit) {
    const struct cw_finding **list = cw_worst_first(emit->arena, emit->report);
    if (is_cut(emit->report)) {
        cw_buf_puts(emit->out, "::notice title=cuwarp-lint::");
        put_escaped(emit->out, cw_summary_text(emit->arena, emit->report), false);
        cw_buf_printf(emit->out, "%%0AGitHub shows the first %d annotations of each level; the log has the others.\n",
                      SHOWN_PER_LEVEL);
    }
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        put_annotation(emit, list[i]);
}
