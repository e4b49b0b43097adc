/* Checkstyle's XML, which many review tools read. */
#include "emit/places.h"
#include "emit/xml.h"

#include <string.h>

void cw_emit_checkstyle(struct cw_emit *e);

static void error(struct cw_emit *e, const struct cw_finding *f) {
    struct cw_place at = cw_emit_utf16(e, &f->place);
    cw_buf_puts(e->out, "    <error");
    if (at.line) {
        cw_xml_number(e->out, "line", at.line);
        cw_xml_number(e->out, "column", at.col);
    }
    cw_xml_attribute(e->out, "severity", cw_severity_text(f->severity));
    const char *possible = f->confidence == CW_POSSIBLE ? "possible: " : "";
    cw_xml_attribute(e->out, "message", cw_arena_printf(e->arena, "%s%s", possible, f->message));
    cw_xml_attribute(e->out, "source", cw_arena_printf(e->arena, "cuwarp-lint.%s", f->rule));
    cw_buf_puts(e->out, "/>\n");
}

static void failures(struct cw_emit *e) {
    for (uint32_t i = 0; i < e->report->files.n; i++) {
        const struct cw_file_result *r = &e->report->files.at[i];
        if (!r->failed)
            continue;
        cw_buf_puts(e->out, "  <file");
        cw_xml_attribute(e->out, "name", r->path);
        cw_buf_puts(e->out, ">\n    <exception>");
        cw_xml_puts(e->out, r->failure);
        cw_buf_puts(e->out, "</exception>\n  </file>\n");
    }
}

/* requires: findings sorted by file. */
static void files(struct cw_emit *e) {
    const char *open = NULL;
    for (uint32_t i = 0; i < e->report->findings.n; i++) {
        const struct cw_finding *f = &e->report->findings.at[i];
        const char *file = f->place.file ? f->place.file : "";
        if (!open || strcmp(open, file) != 0) {
            cw_buf_puts(e->out, open ? "  </file>\n  <file" : "  <file");
            cw_xml_attribute(e->out, "name", file);
            cw_buf_puts(e->out, ">\n");
            open = file;
        }
        error(e, f);
    }
    if (open)
        cw_buf_puts(e->out, "  </file>\n");
}

void cw_emit_checkstyle(struct cw_emit *e) {
    cw_buf_puts(e->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n");
    if (e->report->not_shown)
        cw_buf_printf(e->out, "  <!-- %u more not shown -->\n", e->report->not_shown);
    files(e);
    failures(e);
    cw_buf_puts(e->out, "</checkstyle>\n");
}
