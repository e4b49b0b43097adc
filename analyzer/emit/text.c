/* Text for people: a gcc-style header line, the excerpt, how it comes about, the lanes, and one help line. */
#include "emit/excerpt.h"
#include "emit/places.h"

#include <string.h>

enum { LISTED_THREADS = 8 };

void cw_emit_text(struct cw_emit *e);

static bool same_place(const struct cw_place *place, const struct cw_place *other) {
    return place->line == other->line && place->col == other->col && place->file && other->file &&
           !strcmp(place->file, other->file);
}

static void puts_place(struct cw_emit *emit, const struct cw_place *place) {
    cw_put_path(emit->out, place->file ? place->file : "?");
    cw_buf_printf(emit->out, ":%u:%u:", place->line, place->col);
}

/* Hyperlinks of terminals (OSC 8): what is printed between the two leads to the address. */
static void open_link(struct cw_emit *emit, const char *address) {
    if (emit->links)
        cw_buf_printf(emit->out, "\x1b]8;;%s\x1b\\", address);
}

static void close_link(struct cw_emit *emit) {
    open_link(emit, "");
}

static const char *rule_address(struct cw_emit *emit, const struct cw_finding *finding) {
    const char *url = emit->report->docs_url;
    return url && *url ? cw_arena_printf(emit->arena, "%s/rules/%s/", url, finding->rule) : NULL;
}

static void header_rule(struct cw_emit *emit, const struct cw_finding *finding) {
    const char *address = rule_address(emit, finding);
    cw_buf_puts(emit->out, " [");
    if (address)
        open_link(emit, address);
    cw_buf_puts(emit->out, finding->rule);
    if (address)
        close_link(emit);
    cw_buf_puts(emit->out, "]\n");
}

static void put_header(struct cw_emit *emit, const struct cw_finding *finding) {
    static const enum cw_style styles[] = {
        [CW_INFO] = CW_STYLE_INFO, [CW_WARNING] = CW_STYLE_WARNING, [CW_ERROR] = CW_STYLE_ERROR};
    cw_emit_style(emit, CW_STYLE_STRONG);
    bool is_link = emit->links && finding->place.file;
    if (is_link)
        open_link(emit, cw_emit_file_uri(emit, finding->place.file));
    puts_place(emit, &finding->place);
    if (is_link)
        close_link(emit);
    cw_emit_style(emit, CW_STYLE_NONE);
    cw_buf_putc(emit->out, ' ');
    cw_emit_style(emit, styles[finding->severity]);
    cw_buf_printf(emit->out, "%s:", cw_severity_text(finding->severity));
    cw_emit_style(emit, CW_STYLE_NONE);
    cw_buf_puts(emit->out, finding->confidence == CW_POSSIBLE ? " possible: " : " ");
    cw_emit_style(emit, CW_STYLE_STRONG);
    cw_puts_printable(emit->out, finding->message);
    cw_emit_style(emit, CW_STYLE_NONE);
    header_rule(emit, finding);
}

/* ---- excerpt ---- */

static struct cw_mark mark_of(const struct cw_place *place, bool is_main, const char *label) {
    return (struct cw_mark){place->line, place->col, place->end_line, place->end_col, is_main, label};
}

static void put_excerpt(struct cw_emit *emit, const struct cw_finding *finding) {
    struct cw_marks marks = {0};
    const char *main_label = NULL;
    for (uint32_t i = 0; i < finding->labels.n; i++) {
        const struct cw_remark *r = &finding->labels.at[i];
        if (!main_label && same_place(&r->place, &finding->place))
            main_label = r->text;
        else if (r->place.line && r->place.file && finding->place.file && !strcmp(r->place.file, finding->place.file))
            cw_vec_push(emit->arena, &marks.list, mark_of(&r->place, false, r->text));
    }
    if (finding->place.line)
        cw_vec_push(emit->arena, &marks.list, mark_of(&finding->place, true, main_label));
    cw_excerpt(emit, finding->place.file, &marks);
}

static void put_remark(struct cw_emit *emit, const struct cw_remark *r) {
    cw_buf_puts(emit->out, "   ");
    cw_emit_style(emit, CW_STYLE_INFO);
    cw_buf_puts(emit->out, "note:");
    cw_emit_style(emit, CW_STYLE_NONE);
    cw_buf_putc(emit->out, ' ');
    if (r->place.line) {
        puts_place(emit, &r->place);
        cw_buf_putc(emit->out, ' ');
    }
    cw_puts_printable(emit->out, r->text);
    cw_buf_putc(emit->out, '\n');
    if (r->place.line) {
        struct cw_marks marks = {0};
        cw_vec_push(emit->arena, &marks.list, mark_of(&r->place, true, NULL));
        cw_excerpt(emit, r->place.file, &marks);
    }
}

/* Labels in other files cannot be drawn into the excerpt. */
static void put_remarks(struct cw_emit *emit, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < finding->labels.n; i++) {
        const struct cw_place *p = &finding->labels.at[i].place;
        if (!p->line || !p->file || !finding->place.file || strcmp(p->file, finding->place.file))
            put_remark(emit, &finding->labels.at[i]);
    }
    for (uint32_t i = 0; i < finding->notes.n; i++)
        put_remark(emit, &finding->notes.at[i]);
}

/* ---- where ---- */

enum { LONG_NAME = 120 };

/* A long instance without the arguments of its arguments: `kernel<traits<…>, 4>`. In the emit's arena. */
static const char *short_name(struct cw_emit *emit, const char *name) {
    const char *left_out = emit->unicode ? "…" : "...";
    size_t size = strlen(name), n = 0;
    int depth = 0;
    if (size <= LONG_NAME)
        return name;
    char *text = cw_arena_alloc(emit->arena, size * (1 + strlen(left_out)) + 1);
    for (const char *at = name; *at; at++) {
        depth -= *at == '>' && depth > 0 && at[-1] != '-';
        if (depth < 2)
            text[n++] = *at;
        if (*at != '<')
            continue;
        depth++;
        if (depth == 2) {
            memcpy(text + n, left_out, strlen(left_out));
            n += strlen(left_out);
        }
    }
    text[n] = '\0';
    return text;
}

/* The other kernels, those that look alike when they are shortened once. */
static void put_others(struct cw_emit *emit, const struct cw_finding *finding) {
    uint32_t alike = 0, shown = 0;
    for (uint32_t i = 0; i < finding->also_in.n; i++) {
        const char *name = short_name(emit, finding->also_in.at[i]);
        bool is_seen = !strcmp(name, short_name(emit, finding->kernel));
        for (uint32_t k = 0; k < i && !is_seen; k++)
            is_seen = !strcmp(name, short_name(emit, finding->also_in.at[k]));
        alike += is_seen;
        if (is_seen)
            continue;
        cw_buf_puts(emit->out, shown++ ? ", " : ", also in ");
        cw_puts_printable(emit->out, name);
    }
    if (alike)
        cw_buf_printf(emit->out, " and %u more instance%s", alike, alike == 1 ? "" : "s");
}

/* Named when the place alone does not tell: code that was inlined, instantiated or found in several kernels. */
static void put_where(struct cw_emit *emit, const struct cw_finding *finding) {
    bool is_instance = finding->kernel && strchr(finding->kernel, '<');
    for (uint32_t i = 0; i < finding->inlined_at.n; i++) {
        const struct cw_remark *r = &finding->inlined_at.at[i];
        cw_buf_puts(emit->out, "   in ");
        cw_puts_printable(emit->out, r->text);
        cw_buf_puts(emit->out, ", called at ");
        puts_place(emit, &r->place);
        emit->out->at[--emit->out->n] = '\0';
        cw_buf_putc(emit->out, '\n');
    }
    if (!finding->kernel || !(is_instance || finding->inlined_at.n || finding->also_in.n))
        return;
    cw_buf_puts(emit->out, "   in ");
    cw_puts_printable(emit->out, short_name(emit, finding->kernel));
    put_others(emit, finding);
    cw_buf_putc(emit->out, '\n');
}

/* ---- witness ---- */

/* Puts what separates two items of the "with" line. */
static void put_separator(struct cw_emit *emit, bool *any) {
    cw_buf_puts(emit->out, *any ? ", " : "   with ");
    *any = true;
}

static void with_launch(struct cw_emit *emit, const struct cw_witness *witness, bool *any) {
    if (!witness->block[0])
        return;
    put_separator(emit, any);
    cw_buf_printf(emit->out, "block (%u,%u,%u)", witness->block[0], witness->block[1], witness->block[2]);
    if (witness->grid[0])
        cw_buf_printf(emit->out, ", grid (%u,%u,%u)", witness->grid[0], witness->grid[1], witness->grid[2]);
    if (witness->launch_source) {
        cw_buf_puts(emit->out, " (");
        cw_puts_printable(emit->out, witness->launch_source);
        cw_buf_putc(emit->out, ')');
    }
}

static void with_numbers(struct cw_emit *emit, const char *noun, const uint32_t *at, uint32_t n, bool *any) {
    if (!n)
        return;
    put_separator(emit, any);
    cw_buf_printf(emit->out, "%s%s ", noun, n == 1 ? "" : "s");
    for (uint32_t i = 0; i < n && i < LISTED_THREADS; i++)
        cw_buf_printf(emit->out, "%s%u", i == 0 ? "" : i + 1 == n ? " and " : ", ", at[i]);
    if (n > LISTED_THREADS)
        cw_buf_puts(emit->out, emit->unicode ? ", …" : ", ...");
}

static void put_witness(struct cw_emit *emit, const struct cw_witness *witness) {
    bool any = false;
    with_launch(emit, witness, &any);
    if (witness->rows_are_warps) {
        put_separator(emit, &any);
        cw_buf_puts(emit->out, "a cell for each warp");
    } else if (witness->warp >= 0) {
        put_separator(emit, &any);
        cw_buf_printf(emit->out, "warp %d", witness->warp);
    }
    if (witness->iteration >= 0) {
        put_separator(emit, &any);
        cw_buf_printf(emit->out, "iteration %lld (from 0)", (long long)witness->iteration);
    }
    if (!witness->rows.n) {
        with_numbers(emit, "lane", witness->lanes.at, witness->lanes.n, &any);
        with_numbers(emit, "thread", witness->threads.at, witness->threads.n, &any);
    }
    if (witness->has_mask) {
        put_separator(emit, &any);
        cw_buf_printf(emit->out, "mask 0x%08x", witness->mask);
    }
    if (witness->address) {
        put_separator(emit, &any);
        cw_puts_printable(emit->out, witness->address);
    }
    for (uint32_t i = 0; i < witness->facts.n; i++) {
        put_separator(emit, &any);
        cw_puts_printable(emit->out, witness->facts.at[i].name);
        cw_buf_puts(emit->out, " = ");
        cw_puts_printable(emit->out, witness->facts.at[i].value);
    }
    if (any)
        cw_buf_putc(emit->out, '\n');
}

static uint32_t label_width(const struct cw_witness *witness) {
    size_t width = 0;
    for (uint32_t i = 0; i < witness->rows.n; i++)
        width = strlen(witness->rows.at[i].label) > width ? strlen(witness->rows.at[i].label) : width;
    return (uint32_t)width;
}

static void lane_rows(struct cw_emit *emit, const struct cw_witness *witness) {
    const char *solid = emit->unicode ? "█" : "#", *empty = emit->unicode ? "·" : ".";
    uint32_t width = label_width(witness);
    for (uint32_t i = 0; i < witness->rows.n; i++) {
        const struct cw_lane_row *row = &witness->rows.at[i];
        cw_buf_printf(emit->out, "   %-*s ", (int)width, row->label);
        cw_emit_style(emit, CW_STYLE_MARK);
        for (uint32_t lane = 0; lane < cw_witness_cells(witness); lane++)
            cw_buf_puts(emit->out, cw_witness_row(witness, i) >> lane & 1 ? solid : empty);
        cw_emit_style(emit, CW_STYLE_NONE);
        if (row->meaning) {
            cw_buf_puts(emit->out, "   (");
            cw_puts_printable(emit->out, row->meaning);
            cw_buf_putc(emit->out, ')');
        }
        cw_buf_putc(emit->out, '\n');
    }
}

static void put_help(struct cw_emit *emit, const struct cw_finding *finding) {
    if (!finding->help)
        return;
    cw_buf_puts(emit->out, "   ");
    cw_emit_style(emit, CW_STYLE_HELP);
    cw_buf_puts(emit->out, "help:");
    cw_emit_style(emit, CW_STYLE_NONE);
    cw_buf_putc(emit->out, ' ');
    cw_puts_printable(emit->out, finding->help);
    cw_buf_putc(emit->out, '\n');
}

/* Where the rule is described, when that is known. */
static void put_address(struct cw_emit *emit, const struct cw_finding *finding) {
    const char *address = rule_address(emit, finding);
    if (address && !emit->brief)
        cw_buf_printf(emit->out, "   see: %s\n", address);
}

static void put_finding(struct cw_emit *emit, const struct cw_finding *f) {
    put_header(emit, f);
    put_excerpt(emit, f);
    put_where(emit, f);
    if (!emit->brief)
        put_remarks(emit, f);
    if (f->witness.present) {
        put_witness(emit, &f->witness);
        lane_rows(emit, &f->witness);
    }
    put_help(emit, f);
    put_address(emit, f);
    cw_buf_putc(emit->out, '\n');
}

enum { LISTED_PARTIAL = 8 };

/* The kernels that were analysed in part, the first of them with their reasons. */
static void partial_kernels(struct cw_emit *emit) {
    uint32_t listed = 0, all = 0;
    for (uint32_t i = 0; i < emit->report->files.n; i++)
        for (uint32_t k = 0; k < emit->report->files.at[i].partial.n; k++) {
            const struct cw_partial *p = &emit->report->files.at[i].partial.at[k];
            if (all++ >= LISTED_PARTIAL)
                continue;
            listed++;
            cw_buf_puts(emit->out, "in part: ");
            cw_puts_printable(emit->out, p->kernel);
            cw_buf_puts(emit->out, " (");
            cw_put_path(emit->out, p->place.file ? p->place.file : emit->report->files.at[i].path);
            cw_buf_printf(emit->out, ":%u): ", p->place.line);
            cw_puts_printable(emit->out, cw_partial_text(emit->arena, p));
            cw_buf_putc(emit->out, '\n');
        }
    if (all > listed)
        cw_buf_printf(emit->out, "and %u more kernels in part, see --statistics\n", all - listed);
}

void cw_emit_text(struct cw_emit *emit) {
    for (uint32_t i = emit->told; i < emit->report->findings.n; i++)
        put_finding(emit, &emit->report->findings.at[i]);
    if (!emit->quiet)
        partial_kernels(emit);
    if (!emit->quiet)
        cw_buf_printf(emit->out, "%s\n", cw_summary_text(emit->arena, emit->report));
}
