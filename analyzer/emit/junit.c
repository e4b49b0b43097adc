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

static bool is_failure(const struct cw_emit *e, const struct cw_finding *f) {
    return f->severity >= e->report->fail_on;
}

static const char *file_of(const struct cw_finding *f) {
    return f->place.file ? f->place.file : "?";
}

static void details(struct cw_emit *e, const struct cw_finding *f) {
    cw_xml_puts(e->out, cw_arena_printf(e->arena, "%s:%u:%u: %s: %s%s [%s]", file_of(f), f->place.line, f->place.col,
                                        cw_severity_text(f->severity), f->confidence == CW_POSSIBLE ? "possible: " : "",
                                        f->message, f->rule));
    if (f->kernel)
        cw_xml_puts(e->out, cw_arena_printf(e->arena, "\nin %s", f->kernel));
    if (f->help)
        cw_xml_puts(e->out, cw_arena_printf(e->arena, "\nhelp: %s", f->help));
}

static void open_case(struct cw_emit *e, const char *name, const char *file) {
    cw_buf_puts(e->out, "    <testcase");
    cw_xml_attribute(e->out, "name", name);
    cw_xml_attribute(e->out, "classname", file);
    cw_xml_attribute(e->out, "file", file);
}

static void finding(struct cw_emit *e, const struct cw_finding *f) {
    open_case(e, cw_arena_printf(e->arena, "%s:%u:%u", f->rule, f->place.line, f->place.col), file_of(f));
    if (f->place.line)
        cw_xml_number(e->out, "line", f->place.line);
    if (is_failure(e, f)) {
        cw_buf_puts(e->out, ">\n      <failure");
        cw_xml_attribute(e->out, "type", f->rule);
        const char *possible = f->confidence == CW_POSSIBLE ? "possible: " : "";
        cw_xml_attribute(e->out, "message", cw_arena_printf(e->arena, "%s%s", possible, f->message));
        cw_buf_putc(e->out, '>');
        details(e, f);
        cw_buf_puts(e->out, "</failure>\n    </testcase>\n");
    } else {
        cw_buf_puts(e->out, ">\n      <system-out>");
        details(e, f);
        cw_buf_puts(e->out, "</system-out>\n    </testcase>\n");
    }
}

static void error(struct cw_emit *e, const struct cw_file_result *r) {
    open_case(e, "analysis", r->path);
    cw_buf_puts(e->out, ">\n      <error type=\"not-analysed\"");
    cw_xml_attribute(e->out, "message", r->failure ? r->failure : "no reason is known");
    cw_buf_puts(e->out, "/>\n    </testcase>\n");
}

static uint32_t failures_of(const struct cw_emit *e, const struct suite *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += is_failure(e, &s->at[i]);
    return n;
}

static void suite(struct cw_emit *e, const struct suite *s) {
    bool failed = s->result && s->result->failed, clean = !failed && !s->n;
    cw_buf_puts(e->out, "  <testsuite");
    cw_xml_attribute(e->out, "name", s->name);
    cw_xml_number(e->out, "tests", s->n + failed + clean);
    cw_xml_number(e->out, "failures", failures_of(e, s));
    cw_xml_number(e->out, "errors", failed);
    cw_buf_puts(e->out, ">\n");
    if (failed)
        error(e, s->result);
    for (uint32_t i = 0; i < s->n; i++)
        finding(e, &s->at[i]);
    if (clean) {
        open_case(e, "analysis", s->name);
        cw_buf_puts(e->out, "/>\n");
    }
    cw_buf_puts(e->out, "  </testsuite>\n");
}

/* The findings of the file that the first of them is in. */
static struct suite next_suite(const struct cw_run_report *r, uint32_t from) {
    struct suite s = {.name = file_of(&r->findings.at[from]), .at = &r->findings.at[from]};
    while (from + s.n < r->findings.n && !strcmp(file_of(&s.at[s.n]), s.name))
        s.n++;
    return s;
}

/* The file's result, which is then told (a name on the command line may be anywhere in the order). */
static const struct cw_file_result *take_result(const struct cw_run_report *r, const char *name, bool *told) {
    for (uint32_t i = 0; i < r->files.n; i++)
        if (!told[i] && !strcmp(r->files.at[i].path, name)) {
            told[i] = true;
            return &r->files.at[i];
        }
    return NULL;
}

/* Files with findings first, then the others. */
static void suites(struct cw_emit *e) {
    const struct cw_run_report *r = e->report;
    bool *told = CW_NEW_ARRAY(e->arena, bool, r->files.n + 1);
    for (uint32_t i = 0; i < r->findings.n;) {
        struct suite s = next_suite(r, i);
        s.result = take_result(r, s.name, told);
        suite(e, &s);
        i += s.n;
    }
    for (uint32_t i = 0; i < r->files.n; i++)
        if (!told[i])
            suite(e, &(struct suite){.name = r->files.at[i].path, .result = &r->files.at[i]});
}

static void totals(struct cw_emit *e) {
    const struct cw_run_report *r = e->report;
    struct suite all = {.at = r->findings.at, .n = r->findings.n};
    cw_xml_number(e->out, "failures", failures_of(e, &all));
    cw_xml_number(e->out, "errors", r->failed);
}

void cw_emit_junit(struct cw_emit *e) {
    cw_buf_puts(e->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cuwarp-lint\"");
    totals(e);
    cw_buf_puts(e->out, ">\n");
    if (e->report->not_shown)
        cw_buf_printf(e->out, "  <!-- %u more not shown -->\n", e->report->not_shown);
    suites(e);
    cw_buf_puts(e->out, "</testsuites>\n");
}
