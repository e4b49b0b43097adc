/* Text for people: a gcc-style header line, the excerpt, how it comes about, the lanes, and one help line. */
#include "emit/excerpt.h"
#include "emit/places.h"

#include <string.h>

enum { LISTED_THREADS = 8 };

void cw_emit_text(struct cw_emit *e);

static bool same_place(const struct cw_place *a, const struct cw_place *b) {
    return a->line == b->line && a->col == b->col && a->file && b->file && !strcmp(a->file, b->file);
}

static void puts_place(struct cw_emit *e, const struct cw_place *p) {
    cw_put_path(e->out, p->file ? p->file : "?");
    cw_buf_printf(e->out, ":%u:%u:", p->line, p->col);
}

/* Hyperlinks of terminals (OSC 8): what is printed between the two leads to the address. */
static void open_link(struct cw_emit *e, const char *address) {
    if (e->links)
        cw_buf_printf(e->out, "\x1b]8;;%s\x1b\\", address);
}

static void close_link(struct cw_emit *e) {
    open_link(e, "");
}

static const char *rule_address(struct cw_emit *e, const struct cw_finding *f) {
    const char *url = e->report->docs_url;
    return url && *url ? cw_arena_printf(e->arena, "%s/rules/%s/", url, f->rule) : NULL;
}

static void header_rule(struct cw_emit *e, const struct cw_finding *f) {
    const char *address = rule_address(e, f);
    cw_buf_puts(e->out, " [");
    if (address)
        open_link(e, address);
    cw_buf_puts(e->out, f->rule);
    if (address)
        close_link(e);
    cw_buf_puts(e->out, "]\n");
}

static void header(struct cw_emit *e, const struct cw_finding *f) {
    static const enum cw_style styles[] = {
        [CW_INFO] = CW_STYLE_INFO, [CW_WARNING] = CW_STYLE_WARNING, [CW_ERROR] = CW_STYLE_ERROR};
    cw_emit_style(e, CW_STYLE_STRONG);
    bool is_link = e->links && f->place.file;
    if (is_link)
        open_link(e, cw_emit_file_uri(e, f->place.file));
    puts_place(e, &f->place);
    if (is_link)
        close_link(e);
    cw_emit_style(e, CW_STYLE_NONE);
    cw_buf_putc(e->out, ' ');
    cw_emit_style(e, styles[f->severity]);
    cw_buf_printf(e->out, "%s:", cw_severity_text(f->severity));
    cw_emit_style(e, CW_STYLE_NONE);
    cw_buf_puts(e->out, f->confidence == CW_POSSIBLE ? " possible: " : " ");
    cw_emit_style(e, CW_STYLE_STRONG);
    cw_puts_printable(e->out, f->message);
    cw_emit_style(e, CW_STYLE_NONE);
    header_rule(e, f);
}

/* ---- excerpt ---- */

static struct cw_mark mark_of(const struct cw_place *p, bool is_main, const char *label) {
    return (struct cw_mark){p->line, p->col, p->end_line, p->end_col, is_main, label};
}

static void excerpt(struct cw_emit *e, const struct cw_finding *f) {
    struct cw_marks marks = {0};
    const char *main_label = NULL;
    for (uint32_t i = 0; i < f->labels.n; i++) {
        const struct cw_remark *r = &f->labels.at[i];
        if (!main_label && same_place(&r->place, &f->place))
            main_label = r->text;
        else if (r->place.line && r->place.file && f->place.file && !strcmp(r->place.file, f->place.file))
            cw_vec_push(e->arena, &marks.list, mark_of(&r->place, false, r->text));
    }
    if (f->place.line)
        cw_vec_push(e->arena, &marks.list, mark_of(&f->place, true, main_label));
    cw_excerpt(e, f->place.file, &marks);
}

static void remark(struct cw_emit *e, const struct cw_remark *r) {
    cw_buf_puts(e->out, "   ");
    cw_emit_style(e, CW_STYLE_INFO);
    cw_buf_puts(e->out, "note:");
    cw_emit_style(e, CW_STYLE_NONE);
    cw_buf_putc(e->out, ' ');
    if (r->place.line) {
        puts_place(e, &r->place);
        cw_buf_putc(e->out, ' ');
    }
    cw_puts_printable(e->out, r->text);
    cw_buf_putc(e->out, '\n');
    if (r->place.line) {
        struct cw_marks marks = {0};
        cw_vec_push(e->arena, &marks.list, mark_of(&r->place, true, NULL));
        cw_excerpt(e, r->place.file, &marks);
    }
}

/* Labels in other files cannot be drawn into the excerpt. */
static void remarks(struct cw_emit *e, const struct cw_finding *f) {
    for (uint32_t i = 0; i < f->labels.n; i++) {
        const struct cw_place *p = &f->labels.at[i].place;
        if (!p->line || !p->file || !f->place.file || strcmp(p->file, f->place.file))
            remark(e, &f->labels.at[i]);
    }
    for (uint32_t i = 0; i < f->notes.n; i++)
        remark(e, &f->notes.at[i]);
}

/* ---- where ---- */

/* Named when the place alone does not tell: code that was inlined, instantiated or found in several kernels. */
static void where(struct cw_emit *e, const struct cw_finding *f) {
    bool is_instance = f->kernel && strchr(f->kernel, '<');
    for (uint32_t i = 0; i < f->inlined_at.n; i++) {
        const struct cw_remark *r = &f->inlined_at.at[i];
        cw_buf_puts(e->out, "   in ");
        cw_puts_printable(e->out, r->text);
        cw_buf_puts(e->out, ", called at ");
        puts_place(e, &r->place);
        e->out->at[--e->out->n] = '\0';
        cw_buf_putc(e->out, '\n');
    }
    if (!f->kernel || !(is_instance || f->inlined_at.n || f->also_in.n))
        return;
    cw_buf_puts(e->out, "   in ");
    cw_puts_printable(e->out, f->kernel);
    for (uint32_t i = 0; i < f->also_in.n; i++) {
        cw_buf_puts(e->out, i ? ", " : ", also in ");
        cw_puts_printable(e->out, f->also_in.at[i]);
    }
    cw_buf_putc(e->out, '\n');
}

/* ---- witness ---- */

/* Puts what separates two items of the "with" line. */
static void item(struct cw_emit *e, bool *any) {
    cw_buf_puts(e->out, *any ? ", " : "   with ");
    *any = true;
}

static void with_launch(struct cw_emit *e, const struct cw_witness *w, bool *any) {
    if (!w->block[0])
        return;
    item(e, any);
    cw_buf_printf(e->out, "block (%u,%u,%u)", w->block[0], w->block[1], w->block[2]);
    if (w->grid[0])
        cw_buf_printf(e->out, ", grid (%u,%u,%u)", w->grid[0], w->grid[1], w->grid[2]);
    if (w->launch_source) {
        cw_buf_puts(e->out, " (");
        cw_puts_printable(e->out, w->launch_source);
        cw_buf_putc(e->out, ')');
    }
}

static void with_numbers(struct cw_emit *e, const char *noun, const uint32_t *at, uint32_t n, bool *any) {
    if (!n)
        return;
    item(e, any);
    cw_buf_printf(e->out, "%s%s ", noun, n == 1 ? "" : "s");
    for (uint32_t i = 0; i < n && i < LISTED_THREADS; i++)
        cw_buf_printf(e->out, "%s%u", i == 0 ? "" : i + 1 == n ? " and " : ", ", at[i]);
    if (n > LISTED_THREADS)
        cw_buf_puts(e->out, e->unicode ? ", …" : ", ...");
}

static void with(struct cw_emit *e, const struct cw_witness *w) {
    bool any = false;
    with_launch(e, w, &any);
    if (w->rows_are_warps) {
        item(e, &any);
        cw_buf_puts(e->out, "a cell for each warp");
    } else if (w->warp >= 0) {
        item(e, &any);
        cw_buf_printf(e->out, "warp %d", w->warp);
    }
    if (w->iteration >= 0) {
        item(e, &any);
        cw_buf_printf(e->out, "iteration %lld (from 0)", (long long)w->iteration);
    }
    if (!w->rows.n) {
        with_numbers(e, "lane", w->lanes.at, w->lanes.n, &any);
        with_numbers(e, "thread", w->threads.at, w->threads.n, &any);
    }
    if (w->has_mask) {
        item(e, &any);
        cw_buf_printf(e->out, "mask 0x%08x", w->mask);
    }
    if (w->address) {
        item(e, &any);
        cw_puts_printable(e->out, w->address);
    }
    for (uint32_t i = 0; i < w->facts.n; i++) {
        item(e, &any);
        cw_puts_printable(e->out, w->facts.at[i].name);
        cw_buf_puts(e->out, " = ");
        cw_puts_printable(e->out, w->facts.at[i].value);
    }
    if (any)
        cw_buf_putc(e->out, '\n');
}

static uint32_t label_width(const struct cw_witness *w) {
    size_t width = 0;
    for (uint32_t i = 0; i < w->rows.n; i++)
        width = strlen(w->rows.at[i].label) > width ? strlen(w->rows.at[i].label) : width;
    return (uint32_t)width;
}

static void lane_rows(struct cw_emit *e, const struct cw_witness *w) {
    const char *solid = e->unicode ? "█" : "#", *empty = e->unicode ? "·" : ".";
    uint32_t width = label_width(w);
    for (uint32_t i = 0; i < w->rows.n; i++) {
        const struct cw_lane_row *row = &w->rows.at[i];
        cw_buf_printf(e->out, "   %-*s ", (int)width, row->label);
        cw_emit_style(e, CW_STYLE_MARK);
        for (uint32_t lane = 0; lane < cw_witness_cells(w); lane++)
            cw_buf_puts(e->out, cw_witness_row(w, i) >> lane & 1 ? solid : empty);
        cw_emit_style(e, CW_STYLE_NONE);
        if (row->meaning) {
            cw_buf_puts(e->out, "   (");
            cw_puts_printable(e->out, row->meaning);
            cw_buf_putc(e->out, ')');
        }
        cw_buf_putc(e->out, '\n');
    }
}

static void help(struct cw_emit *e, const struct cw_finding *f) {
    if (!f->help)
        return;
    cw_buf_puts(e->out, "   ");
    cw_emit_style(e, CW_STYLE_HELP);
    cw_buf_puts(e->out, "help:");
    cw_emit_style(e, CW_STYLE_NONE);
    cw_buf_putc(e->out, ' ');
    cw_puts_printable(e->out, f->help);
    cw_buf_putc(e->out, '\n');
}

/* Where the rule is described, when that is known. */
static void see(struct cw_emit *e, const struct cw_finding *f) {
    const char *address = rule_address(e, f);
    if (address && !e->brief)
        cw_buf_printf(e->out, "   see: %s\n", address);
}

static void finding(struct cw_emit *e, const struct cw_finding *f) {
    header(e, f);
    excerpt(e, f);
    where(e, f);
    if (!e->brief)
        remarks(e, f);
    if (f->witness.present) {
        with(e, &f->witness);
        lane_rows(e, &f->witness);
    }
    help(e, f);
    see(e, f);
    cw_buf_putc(e->out, '\n');
}

enum { LISTED_PARTIAL = 8 };

/* The kernels that were analysed in part, the first of them with their reasons. */
static void partial_kernels(struct cw_emit *e) {
    uint32_t listed = 0, all = 0;
    for (uint32_t i = 0; i < e->report->files.n; i++)
        for (uint32_t k = 0; k < e->report->files.at[i].partial.n; k++) {
            const struct cw_partial *p = &e->report->files.at[i].partial.at[k];
            if (all++ >= LISTED_PARTIAL)
                continue;
            listed++;
            cw_buf_puts(e->out, "in part: ");
            cw_puts_printable(e->out, p->kernel);
            cw_buf_puts(e->out, " (");
            cw_put_path(e->out, p->place.file ? p->place.file : e->report->files.at[i].path);
            cw_buf_printf(e->out, ":%u): ", p->place.line);
            cw_puts_printable(e->out, cw_partial_text(e->arena, p));
            cw_buf_putc(e->out, '\n');
        }
    if (all > listed)
        cw_buf_printf(e->out, "and %u more kernels in part, see --statistics\n", all - listed);
}

void cw_emit_text(struct cw_emit *e) {
    for (uint32_t i = e->told; i < e->report->findings.n; i++)
        finding(e, &e->report->findings.at[i]);
    if (!e->quiet)
        partial_kernels(e);
    if (!e->quiet)
        cw_buf_printf(e->out, "%s\n", cw_summary_text(e->arena, e->report));
}
