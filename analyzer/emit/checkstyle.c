/* Checkstyle's XML, which many review tools read. */
#include "emit/places.h"
#include "emit/xml.h"

#include <string.h>

void cw_emit_checkstyle(struct cw_emit *e);

static void put_error(struct cw_emit *emit, const struct cw_finding *finding) {
    struct cw_place at = cw_emit_utf16(emit, &finding->place);
    cw_buf_puts(emit->out, "    <error");
    if (at.line) {
        cw_xml_number(emit->out, "line", at.line);
        cw_xml_number(emit->out, "column", at.col);
    }
    cw_xml_attribute(emit->out, "severity", cw_severity_text(finding->severity));
    const char *possible = finding->confidence == CW_POSSIBLE ? "possible: " : "";
    cw_xml_attribute(emit->out, "message", cw_arena_printf(emit->arena, "%s%s", possible, finding->message));
    cw_xml_attribute(emit->out, "source", cw_arena_printf(emit->arena, "cuwarp-lint.%s", finding->rule));
    cw_buf_puts(emit->out, "/>\n");
}

static void put_failures(struct cw_emit *emit) {
    for (uint32_t i = 0; i < emit->report->files.n; i++) {
        const struct cw_file_result *r = &emit->report->files.at[i];
        if (!r->failed)
            continue;
        cw_buf_puts(emit->out, "  <file");
        cw_xml_attribute(emit->out, "name", r->path);
        cw_buf_puts(emit->out, ">\n    <exception>");
        cw_xml_puts(emit->out, r->failure);
        cw_buf_puts(emit->out, "</exception>\n  </file>\n");
    }
}

/* requires: findings sorted by file. */
static void put_files(struct cw_emit *emit) {
    const char *open = NULL;
    for (uint32_t i = 0; i < emit->report->findings.n; i++) {
        const struct cw_finding *f = &emit->report->findings.at[i];
        const char *file = f->place.file ? f->place.file : "";
        if (!open || strcmp(open, file) != 0) {
            cw_buf_puts(emit->out, open ? "  </file>\n  <file" : "  <file");
            cw_xml_attribute(emit->out, "name", file);
            cw_buf_puts(emit->out, ">\n");
            open = file;
        }
        put_error(emit, f);
    }
    if (open)
        cw_buf_puts(emit->out, "  </file>\n");
}

void cw_emit_checkstyle(struct cw_emit *emit) {
    cw_buf_puts(emit->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n");
    if (emit->report->not_shown)
        cw_buf_printf(emit->out, "  <!-- %u more not shown -->\n", emit->report->not_shown);
    put_files(emit);
    put_failures(emit);
    cw_buf_puts(emit->out, "</checkstyle>\n");
}
