/* One self-contained page: findings beside their source, lanes as pictures, filters, the rules' documentation.
 *
 * The page loads nothing and works without its script; the script only filters and moves the focus. What comes from
 * files is escaped, and the page's policy runs no script but its own, which it knows by a number made from the content.
 */
#include "emit/html_parts.h"

#include "base/hash.h"
#include "emit/xml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const char cw_html_style[], cw_html_script[];

void cw_emit_html(struct cw_emit *e);

static void put_markup(struct cw_emit *emit, const char *markup) {
    cw_buf_puts(emit->out, markup);
}

static void put_text(struct cw_emit *emit, const char *any) {
    cw_html_text(emit->out, cw_str_of(any));
}

/* ---- what a finding points at ---- */

static void add_pin(struct cw_emit *emit, struct cw_pins *pins, struct cw_pin pin) {
    if (pin.place.line && pin.place.file)
        cw_vec_push(emit->arena, &pins->list, pin);
}

static bool is_same(const struct cw_place *place, const struct cw_place *other) {
    return place->line == other->line && place->col == other->col && place->file && other->file &&
           !strcmp(place->file, other->file);
}

/* The main place first, so that its file's panel leads. Steps are numbered as in the list beside. */
static struct cw_pins pins_of(struct cw_emit *emit, const struct cw_finding *finding) {
    struct cw_pins pins = {0};
    const char *said = NULL; /* the message stands above */
    for (uint32_t i = 0; i < finding->labels.n; i++)
        if (is_same(&finding->labels.at[i].place, &finding->place))
            said = finding->labels.at[i].text;
    add_pin(emit, &pins, (struct cw_pin){finding->place, "main", 0, said});
    for (uint32_t i = 0; i < finding->labels.n; i++)
        if (!is_same(&finding->labels.at[i].place, &finding->place))
            add_pin(emit, &pins, (struct cw_pin){finding->labels.at[i].place, "label", 0, finding->labels.at[i].text});
    for (uint32_t i = 0; i < finding->notes.n; i++)
        add_pin(emit, &pins,
                (struct cw_pin){finding->notes.at[i].place, i < finding->nsteps ? "step" : "note",
                                i < finding->nsteps ? i + 1 : 0, finding->notes.at[i].text});
    return pins;
}

/* ---- the right side ---- */

static void put_place(struct cw_emit *emit, const struct cw_place *p) {
    put_markup(emit, "<code class=\"at\">");
    put_text(emit, p->file ? p->file : "?");
    cw_buf_printf(emit->out, ":%u:%u</code>", p->line, p->col);
}

/* In the finding's own file the line is enough. */
static void place_from(struct cw_emit *emit, const struct cw_finding *finding, const struct cw_place *p) {
    if (p->file && finding->place.file && !strcmp(p->file, finding->place.file))
        cw_buf_printf(emit->out, "<span class=\"at\">line %u</span>", p->line);
    else
        put_place(emit, p);
}

static void put_steps(struct cw_emit *emit, const struct cw_finding *finding) {
    if (!finding->nsteps)
        return;
    put_markup(emit, "<h4>How it comes about</h4><ol class=\"steps\">");
    for (uint32_t i = 0; i < finding->nsteps; i++) {
        put_markup(emit, "<li>");
        put_text(emit, finding->notes.at[i].text);
        put_markup(emit, " ");
        place_from(emit, finding, &finding->notes.at[i].place);
        put_markup(emit, "</li>");
    }
    put_markup(emit, "<li>");
    put_text(emit, finding->message);
    put_markup(emit, "</li></ol>");
}

static void put_calls(struct cw_emit *emit, const struct cw_finding *finding) {
    if (!finding->inlined_at.n)
        return;
    put_markup(emit, "<h4>Reached through</h4><ul class=\"calls\">");
    for (uint32_t i = 0; i < finding->inlined_at.n; i++) {
        put_markup(emit, "<li><code>");
        put_text(emit, finding->inlined_at.at[i].text);
        put_markup(emit, "</code> called at ");
        place_from(emit, finding, &finding->inlined_at.at[i].place);
        put_markup(emit, "</li>");
    }
    put_markup(emit, "</ul>");
}

static void loose_notes(struct cw_emit *emit, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < finding->notes.n; i++)
        if (!finding->notes.at[i].place.line) {
            put_markup(emit, "<p class=\"loose\">");
            put_text(emit, finding->notes.at[i].text);
            put_markup(emit, "</p>");
        }
}

static void put_fact(struct cw_emit *emit, const char *name, const char *value) {
    put_markup(emit, "<div><dt>");
    put_text(emit, name);
    put_markup(emit, "</dt><dd>");
    put_text(emit, value);
    put_markup(emit, "</dd></div>");
}

static const char *shape_text(struct cw_emit *emit, const uint32_t at[3]) {
    return cw_arena_printf(emit->arena, "(%u, %u, %u)", at[0], at[1], at[2]);
}

static void put_witness(struct cw_emit *emit, const struct cw_witness *w) {
    if (!w->present)
        return;
    put_markup(emit, "<h4>Witness</h4><dl class=\"facts\">");
    if (w->block[0])
        put_fact(emit, "block", shape_text(emit, w->block));
    if (w->block[0] && w->grid[0])
        put_fact(emit, "grid", shape_text(emit, w->grid));
    if (w->block[0] && w->launch_source)
        put_fact(emit, "shape", w->launch_source);
    if (w->warp >= 0)
        put_fact(emit, "warp", cw_arena_printf(emit->arena, "%d", w->warp));
    if (w->iteration >= 0)
        put_fact(emit, "iteration", cw_arena_printf(emit->arena, "%lld (from 0)", (long long)w->iteration));
    if (w->has_mask)
        put_fact(emit, "mask", cw_arena_printf(emit->arena, "0x%08x", w->mask));
    if (w->address)
        put_fact(emit, "address", w->address);
    for (uint32_t i = 0; i < w->facts.n; i++)
        put_fact(emit, w->facts.at[i].name, w->facts.at[i].value);
    put_markup(emit, "</dl>");
    cw_html_lanes(emit, w);
}

static void put_help(struct cw_emit *emit, const struct cw_finding *finding) {
    if (finding->help) {
        put_markup(emit, "<p class=\"help\"><b>Help</b> ");
        put_text(emit, finding->help);
        put_markup(emit, "</p>");
    }
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        cw_html_fix(emit, &finding->fixes.at[i]);
}

/* ---- a finding ---- */

static void put_data(struct cw_emit *emit, const char *name, const char *value) {
    cw_xml_attribute(emit->out, cw_arena_printf(emit->arena, "data-%s", name), value);
}

static bool is_listed(const struct cw_run_report *report, const char *rule) {
    for (uint32_t i = 0; i < report->rules.n; i++)
        if (!strcmp(report->rules.at[i].name, rule))
            return true;
    return false;
}

static void finding_head(struct cw_emit *emit, const struct cw_finding *finding) {
    cw_buf_printf(emit->out, "<header><span class=\"badge %s\">%s</span>", cw_severity_text(finding->severity),
                  cw_severity_text(finding->severity));
    put_markup(emit, finding->confidence == CW_POSSIBLE ? "<span class=\"badge possible\">possible</span>" : "");
    put_markup(emit, "<h3>");
    put_text(emit, finding->message);
    put_markup(emit, "</h3><p class=\"where\">");
    put_place(emit, &finding->place);
    if (finding->kernel) {
        put_markup(emit, " in <code>");
        put_text(emit, finding->kernel);
        put_markup(emit, "</code>");
    }
    for (uint32_t i = 0; i < finding->also_in.n; i++) {
        put_markup(emit, i ? ", <code>" : ", also in <code>");
        put_text(emit, finding->also_in.at[i]);
        put_markup(emit, "</code>");
    }
    bool linked = is_listed(emit->report, finding->rule);
    put_markup(emit, linked ? " <a class=\"rule\" href=\"#rule-" : " <span class=\"rule\">");
    put_text(emit, linked ? finding->rule : "");
    put_markup(emit, linked ? "\">" : "");
    put_text(emit, finding->rule);
    put_markup(emit, linked ? "</a></p></header>" : "</span></p></header>");
}

static void put_finding(struct cw_emit *emit, struct cw_paint *paint, const struct cw_finding *f, uint32_t number) {
    struct cw_pins pins = pins_of(emit, f);
    cw_buf_printf(emit->out, "<article id=\"f%u\" tabindex=\"-1\"", number);
    put_data(emit, "rule", f->rule);
    put_data(emit, "severity", cw_severity_text(f->severity));
    put_data(emit, "confidence", cw_confidence_text(f->confidence));
    put_markup(emit, ">");
    finding_head(emit, f);
    put_markup(emit, "<div class=\"beside\"><div>");
    cw_html_panels(emit, paint, &pins);
    put_markup(emit, "</div><div class=\"why\">");
    put_steps(emit, f);
    put_calls(emit, f);
    loose_notes(emit, f);
    put_witness(emit, &f->witness);
    put_help(emit, f);
    put_markup(emit, "</div></div></article>\n");
}

static const char *file_of(const struct cw_finding *finding) {
    return finding->place.file ? finding->place.file : "?";
}

/* requires: findings sorted by file. */
static void put_findings(struct cw_emit *emit) {
    const struct cw_run_report *r = emit->report;
    struct cw_paint paint = {.arena = emit->arena};
    for (uint32_t i = 0; i < r->findings.n; i++) {
        const char *file = file_of(&r->findings.at[i]);
        if (!i || strcmp(file, file_of(&r->findings.at[i - 1])) != 0) {
            put_markup(emit, i ? "</section>\n<section class=\"file\"" : "<section class=\"file\"");
            put_data(emit, "file", file);
            put_markup(emit, "><h2>");
            put_text(emit, file);
            put_markup(emit, "</h2>\n");
        }
        put_finding(emit, &paint, &r->findings.at[i], i + 1);
    }
    put_markup(emit, r->findings.n ? "</section>\n" : "<p class=\"empty\">No findings.</p>\n");
    if (r->findings.n)
        put_markup(emit, "<p class=\"empty\" id=\"none\" hidden>No finding passes the filters.</p>\n");
    if (r->not_shown)
        cw_buf_printf(emit->out, "<p class=\"empty\">%u more not shown (--max-results).</p>\n", r->not_shown);
}

/* ---- filters ---- */

struct choice {
    const char *name;
    uint32_t count;
};

static int most_first(const void *a, const void *b) {
    const struct choice *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count ? 1 : -1) : strcmp(x->name, y->name);
}

static void put_choices(struct cw_emit *emit, const char *title, const char *key,
                        const char *(*name_of)(const struct cw_finding *)) {
    const struct cw_run_report *r = emit->report;
    struct choice *at = CW_NEW_ARRAY(emit->arena, struct choice, r->findings.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->findings.n; i++) {
        uint32_t k = 0;
        while (k < n && strcmp(at[k].name, name_of(&r->findings.at[i])) != 0)
            k++;
        at[k].name = name_of(&r->findings.at[i]);
        at[k].count++;
        n += k == n;
    }
    qsort(at, n, sizeof *at, most_first);
    cw_buf_printf(emit->out, "<fieldset class=\"%s\"><legend>%s</legend>", key, title);
    for (uint32_t i = 0; i < n; i++) {
        cw_buf_printf(emit->out, "<label><input type=\"checkbox\" data-key=\"%s\"", key);
        cw_xml_attribute(emit->out, "value", at[i].name);
        put_markup(emit, "><span>");
        put_text(emit, at[i].name);
        cw_buf_printf(emit->out, "</span><small>%u</small></label>", at[i].count);
    }
    put_markup(emit, "</fieldset>");
}

static const char *rule_of(const struct cw_finding *finding) {
    return finding->rule;
}

static const char *severity_of(const struct cw_finding *finding) {
    return cw_severity_text(finding->severity);
}

static const char *confidence_of(const struct cw_finding *finding) {
    return cw_confidence_text(finding->confidence);
}

static void put_filters(struct cw_emit *emit) {
    if (!emit->report->findings.n)
        return;
    put_markup(emit, "<form id=\"filters\" hidden aria-label=\"Filters\"><label class=\"search\"><span>Search</span>"
                  "<input type=\"search\" id=\"query\" placeholder=\"text, kernel, file\" autocomplete=\"off\" "
                  "spellcheck=\"false\">"
                  "<kbd>/</kbd></label><p id=\"count\" role=\"status\" aria-live=\"polite\"></p>");
    put_choices(emit, "Severity", "severity", severity_of);
    put_choices(emit, "Confidence", "confidence", confidence_of);
    put_choices(emit, "Rule", "rule", rule_of);
    put_choices(emit, "File", "file", file_of);
    put_markup(emit,
               "<button type=\"reset\">Show all</button><p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> next and previous "
               "finding, "
               "<kbd>/</kbd> search, <kbd>Esc</kbd> show all</p></form>");
}

/* ---- the rest ---- */

static void put_row(struct cw_emit *emit, const char *what, const char *detail) {
    put_markup(emit, "<tr><td>");
    put_text(emit, what);
    put_markup(emit, "</td><td>");
    put_text(emit, detail);
    put_markup(emit, "</td></tr>");
}

static void put_missing(struct cw_emit *emit) {
    for (uint32_t i = 0; i < emit->report->files.n; i++) {
        const struct cw_file_result *r = &emit->report->files.at[i];
        if (r->failed)
            put_row(emit, r->path, r->failure ? r->failure : "no reason is known");
        for (uint32_t k = 0; k < r->skipped.n; k++)
            put_row(emit,
                    cw_arena_printf(emit->arena, "%s:%u: kernel %s", r->path, r->skipped.at[k].place.line,
                                    r->skipped.at[k].kernel),
                    r->skipped.at[k].reason);
        for (uint32_t k = 0; k < r->partial.n; k++)
            put_row(emit,
                    cw_arena_printf(emit->arena, "%s:%u: kernel %s, in part", r->path, r->partial.at[k].place.line,
                                    r->partial.at[k].kernel),
                    cw_partial_text(emit->arena, &r->partial.at[k]));
    }
    for (uint32_t i = 0; i < emit->report->bails.n; i++)
        put_row(emit, cw_arena_printf(emit->arena, "%u times", emit->report->bails.at[i].count),
                emit->report->bails.at[i].reason);
}

static void put_suppressed(struct cw_emit *emit) {
    const struct cw_run_report *r = emit->report;
    if (!r->suppressed.n)
        return;
    cw_buf_printf(emit->out,
                  "<details><summary>%u finding%s silenced by comments or known to a baseline</summary><table>",
                  r->suppressed.n, r->suppressed.n == 1 ? "" : "s");
    for (uint32_t i = 0; i < r->suppressed.n; i++) {
        const struct cw_finding *f = &r->suppressed.at[i];
        put_row(emit,
                cw_arena_printf(emit->arena, "%s:%u: %s", f->place.file ? f->place.file : "?", f->place.line, f->rule),
                f->suppression.reason ? f->suppression.reason : "no reason is given");
    }
    put_markup(emit, "</table></details>");
}

static void put_coverage(struct cw_emit *emit) {
    const struct cw_run_report *r = emit->report;
    put_markup(emit, "<section class=\"coverage\" id=\"coverage\"><h2>Coverage</h2><p>");
    put_text(emit, cw_summary_text(emit->arena, r));
    put_markup(emit, ".</p><details><summary>What was not analysed, or left undecided</summary><table>");
    put_missing(emit);
    put_markup(emit, "</table></details>");
    put_suppressed(emit);
    put_markup(emit, "</section>\n");
}

static bool has_findings(const struct cw_run_report *report, const char *rule) {
    for (uint32_t i = 0; i < report->findings.n; i++)
        if (!strcmp(report->findings.at[i].rule, rule))
            return true;
    return false;
}

static void put_rules(struct cw_emit *emit) {
    put_markup(emit, "<section class=\"rules\" id=\"rules\"><h2>Rules</h2>\n");
    for (uint32_t i = 0; i < emit->report->rules.n; i++) {
        const struct cw_rule_info *r = &emit->report->rules.at[i];
        put_markup(emit,
                   has_findings(emit->report, r->name) ? "<details class=\"used\" id=\"rule-" : "<details id=\"rule-");
        put_text(emit, r->name);
        cw_buf_printf(emit->out, "\"><summary><span class=\"badge %s\">%s</span> <code>", cw_severity_text(r->severity),
                      cw_severity_text(r->severity));
        put_text(emit, r->name);
        put_markup(emit, "</code> ");
        cw_html_inline(emit->out, cw_str_of(r->summary));
        put_markup(emit, "</summary><div class=\"doc\">");
        cw_html_markdown(emit->out, r->doc);
        put_markup(emit, "</div></details>\n");
    }
    put_markup(emit, "</section>\n");
}

static void put_top(struct cw_emit *emit) {
    uint32_t count[CW_ERROR + 1] = {0};
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        count[emit->report->findings.at[i].severity]++;
    put_markup(
        emit,
        "<a class=\"skip\" href=\"#findings\">Skip to the findings</a><header class=\"top\"><h1>cuwarp-lint</h1><p>");
    for (int s = CW_ERROR; s >= CW_INFO; s--)
        cw_buf_printf(emit->out, "<span class=\"tally %s\"><b>%u</b> %s%s</span>",
                      cw_severity_text((enum cw_severity)s), count[s], cw_severity_text((enum cw_severity)s),
                      s != CW_INFO && count[s] != 1 ? "s" : "");
    cw_buf_printf(emit->out,
                  "<span class=\"tally\"><b>%u</b> of %u kernel%s analysed</span></p>"
                  "<nav><a href=\"#coverage\">Coverage</a><a href=\"#rules\">Rules</a>"
                  "<button type=\"button\" id=\"theme\" hidden>Theme: auto</button></nav></header>\n",
                  emit->report->analysed, emit->report->kernels, emit->report->kernels == 1 ? "" : "s");
}

static void put_body(struct cw_emit *emit) {
    put_top(emit);
    put_markup(emit,
               emit->report->findings.n ? "<div class=\"page\"><aside>" : "<div class=\"page plain\"><aside hidden>");
    put_filters(emit);
    put_markup(emit, "</aside><main id=\"findings\" tabindex=\"-1\">\n");
    put_findings(emit);
    put_coverage(emit);
    put_rules(emit);
    put_markup(emit, "</main></div>\n<footer>cuwarp-lint ");
    put_text(emit, emit->report->version);
    put_markup(emit, "</footer>\n");
}

void cw_emit_html(struct cw_emit *emit) {
    struct cw_buf *out = emit->out, content = {0};
    emit->out = &content;
    put_body(emit);
    emit->out = out;
    struct cw_hash128 hash = cw_hash_wide(content.at, content.n);
    char nonce[40];
    snprintf(nonce, sizeof nonce, "%016" PRIx64 "%016" PRIx64, hash.high, hash.low);
    cw_buf_printf(out,
                  "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'nonce-%s'; "
                  "script-src 'nonce-%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
                  "<title>cuwarp-lint report</title>\n<style nonce=\"%s\">\n",
                  nonce, nonce, nonce);
    cw_buf_puts(out, cw_html_style);
    cw_buf_puts(out, "</style>\n</head>\n<body>\n");
    cw_buf_add(out, content.at, content.n);
    cw_buf_printf(out, "<script nonce=\"%s\">\n", nonce);
    cw_buf_puts(out, cw_html_script);
    cw_buf_puts(out, "</script>\n</body>\n</html>\n");
    cw_buf_free(&content);
}
