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

static void put(struct cw_emit *e, const char *markup) {
    cw_buf_puts(e->out, markup);
}

static void text(struct cw_emit *e, const char *any) {
    cw_html_text(e->out, cw_str_of(any));
}

/* ---- what a finding points at ---- */

static void add_pin(struct cw_emit *e, struct cw_pins *pins, struct cw_pin pin) {
    if (pin.place.line && pin.place.file)
        cw_vec_push(e->arena, &pins->list, pin);
}

static bool is_same(const struct cw_place *a, const struct cw_place *b) {
    return a->line == b->line && a->col == b->col && a->file && b->file && !strcmp(a->file, b->file);
}

/* The main place first, so that its file's panel leads. Steps are numbered as in the list beside. */
static struct cw_pins pins_of(struct cw_emit *e, const struct cw_finding *f) {
    struct cw_pins pins = {0};
    const char *said = NULL; /* the message stands above */
    for (uint32_t i = 0; i < f->labels.n; i++)
        if (is_same(&f->labels.at[i].place, &f->place))
            said = f->labels.at[i].text;
    add_pin(e, &pins, (struct cw_pin){f->place, "main", 0, said});
    for (uint32_t i = 0; i < f->labels.n; i++)
        if (!is_same(&f->labels.at[i].place, &f->place))
            add_pin(e, &pins, (struct cw_pin){f->labels.at[i].place, "label", 0, f->labels.at[i].text});
    for (uint32_t i = 0; i < f->notes.n; i++)
        add_pin(e, &pins,
                (struct cw_pin){f->notes.at[i].place, i < f->nsteps ? "step" : "note", i < f->nsteps ? i + 1 : 0,
                                f->notes.at[i].text});
    return pins;
}

/* ---- the right side ---- */

static void place(struct cw_emit *e, const struct cw_place *p) {
    put(e, "<code class=\"at\">");
    text(e, p->file ? p->file : "?");
    cw_buf_printf(e->out, ":%u:%u</code>", p->line, p->col);
}

/* In the finding's own file the line is enough. */
static void place_from(struct cw_emit *e, const struct cw_finding *f, const struct cw_place *p) {
    if (p->file && f->place.file && !strcmp(p->file, f->place.file))
        cw_buf_printf(e->out, "<span class=\"at\">line %u</span>", p->line);
    else
        place(e, p);
}

static void steps(struct cw_emit *e, const struct cw_finding *f) {
    if (!f->nsteps)
        return;
    put(e, "<h4>How it comes about</h4><ol class=\"steps\">");
    for (uint32_t i = 0; i < f->nsteps; i++) {
        put(e, "<li>");
        text(e, f->notes.at[i].text);
        put(e, " ");
        place_from(e, f, &f->notes.at[i].place);
        put(e, "</li>");
    }
    put(e, "<li>");
    text(e, f->message);
    put(e, "</li></ol>");
}

static void calls(struct cw_emit *e, const struct cw_finding *f) {
    if (!f->inlined_at.n)
        return;
    put(e, "<h4>Reached through</h4><ul class=\"calls\">");
    for (uint32_t i = 0; i < f->inlined_at.n; i++) {
        put(e, "<li><code>");
        text(e, f->inlined_at.at[i].text);
        put(e, "</code> called at ");
        place_from(e, f, &f->inlined_at.at[i].place);
        put(e, "</li>");
    }
    put(e, "</ul>");
}

static void loose_notes(struct cw_emit *e, const struct cw_finding *f) {
    for (uint32_t i = 0; i < f->notes.n; i++)
        if (!f->notes.at[i].place.line) {
            put(e, "<p class=\"loose\">");
            text(e, f->notes.at[i].text);
            put(e, "</p>");
        }
}

static void fact(struct cw_emit *e, const char *name, const char *value) {
    put(e, "<div><dt>");
    text(e, name);
    put(e, "</dt><dd>");
    text(e, value);
    put(e, "</dd></div>");
}

static const char *shape(struct cw_emit *e, const uint32_t at[3]) {
    return cw_arena_printf(e->arena, "(%u, %u, %u)", at[0], at[1], at[2]);
}

static void witness(struct cw_emit *e, const struct cw_witness *w) {
    if (!w->present)
        return;
    put(e, "<h4>Witness</h4><dl class=\"facts\">");
    if (w->block[0])
        fact(e, "block", shape(e, w->block));
    if (w->block[0] && w->grid[0])
        fact(e, "grid", shape(e, w->grid));
    if (w->block[0] && w->launch_source)
        fact(e, "shape", w->launch_source);
    if (w->warp >= 0)
        fact(e, "warp", cw_arena_printf(e->arena, "%d", w->warp));
    if (w->iteration >= 0)
        fact(e, "iteration", cw_arena_printf(e->arena, "%lld (from 0)", (long long)w->iteration));
    if (w->has_mask)
        fact(e, "mask", cw_arena_printf(e->arena, "0x%08x", w->mask));
    if (w->address)
        fact(e, "address", w->address);
    for (uint32_t i = 0; i < w->facts.n; i++)
        fact(e, w->facts.at[i].name, w->facts.at[i].value);
    put(e, "</dl>");
    cw_html_lanes(e, w);
}

static void help(struct cw_emit *e, const struct cw_finding *f) {
    if (f->help) {
        put(e, "<p class=\"help\"><b>Help</b> ");
        text(e, f->help);
        put(e, "</p>");
    }
    for (uint32_t i = 0; i < f->fixes.n; i++)
        cw_html_fix(e, &f->fixes.at[i]);
}

/* ---- a finding ---- */

static void data(struct cw_emit *e, const char *name, const char *value) {
    cw_xml_attribute(e->out, cw_arena_printf(e->arena, "data-%s", name), value);
}

static bool is_listed(const struct cw_run_report *r, const char *rule) {
    for (uint32_t i = 0; i < r->rules.n; i++)
        if (!strcmp(r->rules.at[i].name, rule))
            return true;
    return false;
}

static void finding_head(struct cw_emit *e, const struct cw_finding *f) {
    cw_buf_printf(e->out, "<header><span class=\"badge %s\">%s</span>", cw_severity_text(f->severity),
                  cw_severity_text(f->severity));
    put(e, f->confidence == CW_POSSIBLE ? "<span class=\"badge possible\">possible</span>" : "");
    put(e, "<h3>");
    text(e, f->message);
    put(e, "</h3><p class=\"where\">");
    place(e, &f->place);
    if (f->kernel) {
        put(e, " in <code>");
        text(e, f->kernel);
        put(e, "</code>");
    }
    for (uint32_t i = 0; i < f->also_in.n; i++) {
        put(e, i ? ", <code>" : ", also in <code>");
        text(e, f->also_in.at[i]);
        put(e, "</code>");
    }
    bool linked = is_listed(e->report, f->rule);
    put(e, linked ? " <a class=\"rule\" href=\"#rule-" : " <span class=\"rule\">");
    text(e, linked ? f->rule : "");
    put(e, linked ? "\">" : "");
    text(e, f->rule);
    put(e, linked ? "</a></p></header>" : "</span></p></header>");
}

static void finding(struct cw_emit *e, struct cw_paint *paint, const struct cw_finding *f, uint32_t number) {
    struct cw_pins pins = pins_of(e, f);
    cw_buf_printf(e->out, "<article id=\"f%u\" tabindex=\"-1\"", number);
    data(e, "rule", f->rule);
    data(e, "severity", cw_severity_text(f->severity));
    data(e, "confidence", cw_confidence_text(f->confidence));
    put(e, ">");
    finding_head(e, f);
    put(e, "<div class=\"beside\"><div>");
    cw_html_panels(e, paint, &pins);
    put(e, "</div><div class=\"why\">");
    steps(e, f);
    calls(e, f);
    loose_notes(e, f);
    witness(e, &f->witness);
    help(e, f);
    put(e, "</div></div></article>\n");
}

static const char *file_of(const struct cw_finding *f) {
    return f->place.file ? f->place.file : "?";
}

/* requires: findings sorted by file. */
static void findings(struct cw_emit *e) {
    const struct cw_run_report *r = e->report;
    struct cw_paint paint = {.arena = e->arena};
    for (uint32_t i = 0; i < r->findings.n; i++) {
        const char *file = file_of(&r->findings.at[i]);
        if (!i || strcmp(file, file_of(&r->findings.at[i - 1])) != 0) {
            put(e, i ? "</section>\n<section class=\"file\"" : "<section class=\"file\"");
            data(e, "file", file);
            put(e, "><h2>");
            text(e, file);
            put(e, "</h2>\n");
        }
        finding(e, &paint, &r->findings.at[i], i + 1);
    }
    put(e, r->findings.n ? "</section>\n" : "<p class=\"empty\">No findings.</p>\n");
    if (r->findings.n)
        put(e, "<p class=\"empty\" id=\"none\" hidden>No finding passes the filters.</p>\n");
    if (r->not_shown)
        cw_buf_printf(e->out, "<p class=\"empty\">%u more not shown (--max-results).</p>\n", r->not_shown);
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

static void choices(struct cw_emit *e, const char *title, const char *key,
                    const char *(*name_of)(const struct cw_finding *)) {
    const struct cw_run_report *r = e->report;
    struct choice *at = CW_NEW_ARRAY(e->arena, struct choice, r->findings.n + 1);
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
    cw_buf_printf(e->out, "<fieldset class=\"%s\"><legend>%s</legend>", key, title);
    for (uint32_t i = 0; i < n; i++) {
        cw_buf_printf(e->out, "<label><input type=\"checkbox\" data-key=\"%s\"", key);
        cw_xml_attribute(e->out, "value", at[i].name);
        put(e, "><span>");
        text(e, at[i].name);
        cw_buf_printf(e->out, "</span><small>%u</small></label>", at[i].count);
    }
    put(e, "</fieldset>");
}

static const char *rule_of(const struct cw_finding *f) {
    return f->rule;
}

static const char *severity_of(const struct cw_finding *f) {
    return cw_severity_text(f->severity);
}

static const char *confidence_of(const struct cw_finding *f) {
    return cw_confidence_text(f->confidence);
}

static void filters(struct cw_emit *e) {
    if (!e->report->findings.n)
        return;
    put(e, "<form id=\"filters\" hidden aria-label=\"Filters\"><label class=\"search\"><span>Search</span>"
           "<input type=\"search\" id=\"query\" placeholder=\"text, kernel, file\" autocomplete=\"off\" "
           "spellcheck=\"false\">"
           "<kbd>/</kbd></label><p id=\"count\" role=\"status\" aria-live=\"polite\"></p>");
    choices(e, "Severity", "severity", severity_of);
    choices(e, "Confidence", "confidence", confidence_of);
    choices(e, "Rule", "rule", rule_of);
    choices(e, "File", "file", file_of);
    put(e, "<button type=\"reset\">Show all</button><p class=\"keys\"><kbd>j</kbd> <kbd>k</kbd> next and previous "
           "finding, "
           "<kbd>/</kbd> search, <kbd>Esc</kbd> show all</p></form>");
}

/* ---- the rest ---- */

static void row(struct cw_emit *e, const char *what, const char *detail) {
    put(e, "<tr><td>");
    text(e, what);
    put(e, "</td><td>");
    text(e, detail);
    put(e, "</td></tr>");
}

static void missing(struct cw_emit *e) {
    for (uint32_t i = 0; i < e->report->files.n; i++) {
        const struct cw_file_result *r = &e->report->files.at[i];
        if (r->failed)
            row(e, r->path, r->failure ? r->failure : "no reason is known");
        for (uint32_t k = 0; k < r->skipped.n; k++)
            row(e,
                cw_arena_printf(e->arena, "%s:%u: kernel %s", r->path, r->skipped.at[k].place.line,
                                r->skipped.at[k].kernel),
                r->skipped.at[k].reason);
        for (uint32_t k = 0; k < r->partial.n; k++)
            row(e,
                cw_arena_printf(e->arena, "%s:%u: kernel %s, in part", r->path, r->partial.at[k].place.line,
                                r->partial.at[k].kernel),
                cw_partial_text(e->arena, &r->partial.at[k]));
    }
    for (uint32_t i = 0; i < e->report->bails.n; i++)
        row(e, cw_arena_printf(e->arena, "%u times", e->report->bails.at[i].count), e->report->bails.at[i].reason);
}

static void suppressed(struct cw_emit *e) {
    const struct cw_run_report *r = e->report;
    if (!r->suppressed.n)
        return;
    cw_buf_printf(e->out, "<details><summary>%u finding%s silenced by comments or known to a baseline</summary><table>",
                  r->suppressed.n, r->suppressed.n == 1 ? "" : "s");
    for (uint32_t i = 0; i < r->suppressed.n; i++) {
        const struct cw_finding *f = &r->suppressed.at[i];
        row(e, cw_arena_printf(e->arena, "%s:%u: %s", f->place.file ? f->place.file : "?", f->place.line, f->rule),
            f->suppression.reason ? f->suppression.reason : "no reason is given");
    }
    put(e, "</table></details>");
}

static void coverage(struct cw_emit *e) {
    const struct cw_run_report *r = e->report;
    put(e, "<section class=\"coverage\" id=\"coverage\"><h2>Coverage</h2><p>");
    text(e, cw_summary_text(e->arena, r));
    put(e, ".</p><details><summary>What was not looked at, and what could not be known</summary><table>");
    missing(e);
    put(e, "</table></details>");
    suppressed(e);
    put(e, "</section>\n");
}

static bool has_findings(const struct cw_run_report *r, const char *rule) {
    for (uint32_t i = 0; i < r->findings.n; i++)
        if (!strcmp(r->findings.at[i].rule, rule))
            return true;
    return false;
}

static void rules(struct cw_emit *e) {
    put(e, "<section class=\"rules\" id=\"rules\"><h2>Rules</h2>\n");
    for (uint32_t i = 0; i < e->report->rules.n; i++) {
        const struct cw_rule_info *r = &e->report->rules.at[i];
        put(e, has_findings(e->report, r->name) ? "<details class=\"used\" id=\"rule-" : "<details id=\"rule-");
        text(e, r->name);
        cw_buf_printf(e->out, "\"><summary><span class=\"badge %s\">%s</span> <code>", cw_severity_text(r->severity),
                      cw_severity_text(r->severity));
        text(e, r->name);
        put(e, "</code> ");
        cw_html_inline(e->out, cw_str_of(r->summary));
        put(e, "</summary><div class=\"doc\">");
        cw_html_markdown(e->out, r->doc);
        put(e, "</div></details>\n");
    }
    put(e, "</section>\n");
}

static void top(struct cw_emit *e) {
    uint32_t count[CW_ERROR + 1] = {0};
    for (uint32_t i = 0; i < e->report->findings.n; i++)
        count[e->report->findings.at[i].severity]++;
    put(e,
        "<a class=\"skip\" href=\"#findings\">Skip to the findings</a><header class=\"top\"><h1>cuwarp-lint</h1><p>");
    for (int s = CW_ERROR; s >= CW_INFO; s--)
        cw_buf_printf(e->out, "<span class=\"tally %s\"><b>%u</b> %s%s</span>", cw_severity_text((enum cw_severity)s),
                      count[s], cw_severity_text((enum cw_severity)s), s != CW_INFO && count[s] != 1 ? "s" : "");
    cw_buf_printf(e->out,
                  "<span class=\"tally\"><b>%u</b> of %u kernel%s analysed</span></p>"
                  "<nav><a href=\"#coverage\">Coverage</a><a href=\"#rules\">Rules</a>"
                  "<button type=\"button\" id=\"theme\" hidden>Theme: auto</button></nav></header>\n",
                  e->report->analysed, e->report->kernels, e->report->kernels == 1 ? "" : "s");
}

static void body(struct cw_emit *e) {
    top(e);
    put(e, e->report->findings.n ? "<div class=\"page\"><aside>" : "<div class=\"page plain\"><aside hidden>");
    filters(e);
    put(e, "</aside><main id=\"findings\" tabindex=\"-1\">\n");
    findings(e);
    coverage(e);
    rules(e);
    put(e, "</main></div>\n<footer>cuwarp-lint ");
    text(e, e->report->version);
    put(e, "</footer>\n");
}

void cw_emit_html(struct cw_emit *e) {
    struct cw_buf *out = e->out, content = {0};
    e->out = &content;
    body(e);
    e->out = out;
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
