/* JUnit's XML: a suite per file, a test case per finding. What makes the run fail is a failure, what does not passes
 * and tells of itself in system-out; a file without findings is one case that passes, a file not analysed is an error.
 * No times: the same input gives the same bytes. */
#include "emit/emit.h"
#include "emit/xml.h"

#include <string.h>

void cw_emit_junit(struct cw_emit *e);

struct suite {
    const char *name;
    const struct cw_finding *at; /* of this file */
    uint32_t n;
    const struct cw_file_result *result; /* NULL for a header that is no input */
};

static bool is_failure(const struct cw_emit *emit, const struct cw_finding *finding) {
    return finding->severity >= emit->report->fail_on;
}

static const char *file_of(const struct cw_finding *finding) {
    return finding->place.file ? finding->place.file : "?";
}

static void put_details(struct cw_emit *emit, const struct cw_finding *finding) {
    cw_xml_puts(emit->out, cw_arena_printf(emit->arena, "%s:%u:%u: %s: %s%s [%s]", file_of(finding),
                                           finding->place.line, finding->place.col, cw_severity_text(finding->severity),
                                           finding->confidence == CW_POSSIBLE ? "possible: " : "", finding->message,
                                           finding->rule));
    if (finding->kernel)
        cw_xml_puts(emit->out, cw_arena_printf(emit->arena, "\nin %s", finding->kernel));
    if (finding->help)
        cw_xml_puts(emit->out, cw_arena_printf(emit->arena, "\nhelp: %s", finding->help));
}

static void open_case(struct cw_emit *emit, const char *name, const char *file) {
    cw_buf_puts(emit->out, "    <testcase");
    cw_xml_attribute(emit->out, "name", name);
    cw_xml_attribute(emit->out, "classname", file);
    cw_xml_attribute(emit->out, "file", file);
}

static void put_finding(struct cw_emit *emit, const struct cw_finding *f) {
    open_case(emit, cw_arena_printf(emit->arena, "%s:%u:%u", f->rule, f->place.line, f->place.col), file_of(f));
    if (f->place.line)
        cw_xml_number(emit->out, "line", f->place.line);
    if (is_failure(emit, f)) {
        cw_buf_puts(emit->out, ">\n      <failure");
        cw_xml_attribute(emit->out, "type", f->rule);
        const char *possible = f->confidence == CW_POSSIBLE ? "possible: " : "";
        cw_xml_attribute(emit->out, "message", cw_arena_printf(emit->arena, "%s%s", possible, f->message));
        cw_buf_putc(emit->out, '>');
        put_details(emit, f);
        cw_buf_puts(emit->out, "</failure>\n    </testcase>\n");
    } else {
        cw_buf_puts(emit->out, ">\n      <system-out>");
        put_details(emit, f);
        cw_buf_puts(emit->out, "</system-out>\n    </testcase>\n");
    }
}

static void put_error(struct cw_emit *emit, const struct cw_file_result *result) {
    open_case(emit, "analysis", result->path);
    cw_buf_puts(emit->out, ">\n      <error type=\"not-analysed\"");
    cw_xml_attribute(emit->out, "message", result->failure ? result->failure : "no reason is known");
    cw_buf_puts(emit->out, "/>\n    </testcase>\n");
}

static uint32_t failures_of(const struct cw_emit *emit, const struct suite *suite) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < suite->n; i++)
        n += is_failure(emit, &suite->at[i]);
    return n;
}

static void put_suite(struct cw_emit *emit, const struct suite *s) {
    bool failed = s->result && s->result->failed, clean = !failed && !s->n;
    cw_buf_puts(emit->out, "  <testsuite");
    cw_xml_attribute(emit->out, "name", s->name);
    cw_xml_number(emit->out, "tests", s->n + failed + clean);
    cw_xml_number(emit->out, "failures", failures_of(emit, s));
    cw_xml_number(emit->out, "errors", failed);
    cw_buf_puts(emit->out, ">\n");
    if (failed)
        put_error(emit, s->result);
    for (uint32_t i = 0; i < s->n; i++)
        put_finding(emit, &s->at[i]);
    if (clean) {
        open_case(emit, "analysis", s->name);
        cw_buf_puts(emit->out, "/>\n");
    }
    cw_buf_puts(emit->out, "  </testsuite>\n");
}

/* The findings of the file that the first of them is in. */
static struct suite next_suite(const struct cw_run_report *report, uint32_t from) {
    struct suite s = {.name = file_of(&report->findings.at[from]), .at = &report->findings.at[from]};
    while (from + s.n < report->findings.n && !strcmp(file_of(&s.at[s.n]), s.name))
        s.n++;
    return s;
}

/* The file's result, which is then told (a name on the command line may be anywhere in the order). */
static const struct cw_file_result *take_result(const struct cw_run_report *report, const char *name, bool *told) {
    for (uint32_t i = 0; i < report->files.n; i++)
        if (!told[i] && !strcmp(report->files.at[i].path, name)) {
            told[i] = true;
            return &report->files.at[i];
        }
    return NULL;
}

/* Files with findings first, then the others. */
static void put_suites(struct cw_emit *emit) {
    const struct cw_run_report *r = emit->report;
    bool *told = CW_NEW_ARRAY(emit->arena, bool, r->files.n + 1);
    for (uint32_t i = 0; i < r->findings.n;) {
        struct suite s = next_suite(r, i);
        s.result = take_result(r, s.name, told);
        put_suite(emit, &s);
        i += s.n;
    }
    for (uint32_t i = 0; i < r->files.n; i++)
        if (!told[i])
            put_suite(emit, &(struct suite){.name = r->files.at[i].path, .result = &r->files.at[i]});
}

static void put_totals(struct cw_emit *emit) {
    const struct cw_run_report *r = emit->report;
    struct suite all = {.at = r->findings.at, .n = r->findings.n};
    cw_xml_number(emit->out, "failures", failures_of(emit, &all));
    cw_xml_number(emit->out, "errors", r->failed);
}

void cw_emit_junit(struct cw_emit *emit) {
    cw_buf_puts(emit->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cuwarp-lint\"");
    put_totals(emit);
    cw_buf_puts(emit->out, ">\n");
    if (emit->report->not_shown)
        cw_buf_printf(emit->out, "  <!-- %u more not shown -->\n", emit->report->not_shown);
    put_suites(emit);
    cw_buf_puts(emit->out, "</testsuites>\n");
}
