#include "emit/emit.h"

#include <string.h>

#define CW_FORMAT(id, is_streamed, help) void cw_emit_##id(struct cw_emit *e);
#include "emit/formats.def"

const struct cw_format cw_formats[] = {
#define CW_FORMAT(id, is_streamed, help) {#id, help, is_streamed, cw_emit_##id},
#include "emit/formats.def"
};
const uint32_t cw_nformats = sizeof cw_formats / sizeof cw_formats[0];

const struct cw_format *cw_format_find(const char *name) {
    for (uint32_t i = 0; i < cw_nformats; i++)
        if (!strcmp(cw_formats[i].name, name))
            return &cw_formats[i];
    return NULL;
}

const struct cw_finding **cw_worst_first(struct cw_arena *a, const struct cw_run_report *report) {
    const struct cw_finding **list = CW_NEW_ARRAY(a, const struct cw_finding *, report->findings.n + 1);
    uint32_t n = 0;
    for (int severity = CW_ERROR; severity >= CW_INFO; severity--)
        for (uint32_t i = 0; i < report->findings.n; i++)
            if (report->findings.at[i].severity == (enum cw_severity)severity)
                list[n++] = &report->findings.at[i];
    return list;
}

uint32_t cw_witness_row(const struct cw_witness *witness, uint32_t row) {
    return witness->rows_are_warps ? witness->rows.at[row].warps : witness->rows.at[row].lanes;
}

uint32_t cw_witness_cells(const struct cw_witness *witness) {
    uint32_t threads = witness->block[0] * witness->block[1] * witness->block[2];
    if (witness->rows_are_warps)
        return threads > 31 * 32 ? 32 : (threads + 31) / 32;
    uint32_t before = witness->warp > 0 ? (uint32_t)witness->warp * 32 : 0;
    return threads > before && threads - before < 32 ? threads - before : 32;
}

static void add_count(struct cw_buf *out, uint32_t count, const char *noun) {
    if (count)
        cw_buf_printf(out, "%s%u %s%s", out->n ? ", " : "", count, noun, count == 1 ? "" : "s");
}

static void add_findings(struct cw_buf *out, const struct cw_run_report *report) {
    uint32_t count[CW_ERROR + 1] = {0};
    for (uint32_t i = 0; i < report->findings.n; i++)
        count[report->findings.at[i].severity]++;
    add_count(out, count[CW_ERROR], "error");
    add_count(out, count[CW_WARNING], "warning");
    if (count[CW_INFO])
        cw_buf_printf(out, "%s%u info", out->n ? ", " : "", count[CW_INFO]);
    if (!out->n)
        cw_buf_puts(out, "no findings");
}

static bool is_first_of_its_analysis(const struct cw_partial *partial, uint32_t at) {
    for (uint32_t i = 0; i < at; i++)
        if (!strcmp(partial->reasons.at[i].analysis, partial->reasons.at[at].analysis))
            return false;
    return true;
}

static void add_reasons(struct cw_buf *out, const struct cw_partial *partial, const char *analysis) {
    const char *between = out->n ? "; " : "";
    for (uint32_t i = 0; i < partial->reasons.n; i++) {
        const struct cw_part_reason *r = &partial->reasons.at[i];
        if (strcmp(r->analysis, analysis) != 0)
            continue;
        cw_buf_puts(out, between);
        if (strcmp(between, ", ") != 0 && strncmp(r->reason, analysis, strlen(analysis)) != 0)
            cw_buf_printf(out, "%s: ", analysis);
        cw_buf_puts(out, r->reason);
        if (r->count > 1)
            cw_buf_printf(out, " (%u times)", r->count);
        between = ", ";
    }
}

const char *cw_partial_text(struct cw_arena *a, const struct cw_partial *partial) {
    struct cw_buf out = {0};
    for (uint32_t i = 0; i < partial->reasons.n; i++)
        if (is_first_of_its_analysis(partial, i))
            add_reasons(&out, partial, partial->reasons.at[i].analysis);
    const char *text = cw_arena_strndup(a, out.at ? out.at : "", out.n);
    cw_buf_free(&out);
    return text;
}

const char *cw_summary_text(struct cw_arena *a, const struct cw_run_report *report) {
    struct cw_buf out = {0};
    add_findings(&out, report);
    cw_buf_printf(&out, " in %u file%s; %u of %u kernel%s analysed", report->files.n, report->files.n == 1 ? "" : "s",
                  report->analysed, report->kernels, report->kernels == 1 ? "" : "s");
    if (report->degraded)
        cw_buf_printf(&out, ", %u in part", report->degraded);
    if (report->hip)
        cw_buf_printf(&out, "; %u file%s of HIP code not analysed", report->hip, report->hip == 1 ? "" : "s");
    if (report->parser_lost)
        cw_buf_printf(&out, "; %u file%s read for device functions only", report->parser_lost,
                      report->parser_lost == 1 ? "" : "s");
    if (report->failed)
        cw_buf_printf(&out, "; %u file%s could not be analysed", report->failed, report->failed == 1 ? "" : "s");
    if (report->not_shown)
        cw_buf_printf(&out, "; %u more beyond --max-results", report->not_shown);
    const char *text = cw_arena_strndup(a, out.at, out.n);
    cw_buf_free(&out);
    return text;
}
