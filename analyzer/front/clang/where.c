/* Source positions. A place inside a macro's text is the macro's use in the file; a place inside a macro's argument is
 * the argument, as people see it. */
#include "front/clang/lower.h"

#include "source/source.h"

#include <string.h>

struct cw_file_text *cw_clang_file(struct cw_unit *u, CXFile f) {
    uint64_t found, key = (uint64_t)(uintptr_t)f;
    if (cw_map_get(&u->files, key, &found))
        return (struct cw_file_text *)(uintptr_t)found;
    struct cw_file_text *t = CW_NEW(&u->scratch, struct cw_file_text);
    t->file = f;
    if (f) {
        const char *name = cw_clang_text(u, clang_getFileName(f));
        t->is_main = u->main_file && clang_File_isEqual(f, u->main_file->file);
        t->index = t->is_main ? 0 : cw_module_file(u->module, name);
        t->text = clang_getFileContents(u->tu, f, &t->size);
    }
    cw_map_put(&u->files, key, (uint64_t)(uintptr_t)t);
    return t;
}

bool cw_clang_is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *name_at(struct cw_unit *u, const struct cw_file_text *f, uint32_t offset) {
    size_t end = offset;
    while (f->text && end < f->size && cw_clang_is_name(f->text[end]))
        end++;
    return end > offset ? cw_intern_n(&u->module->names, f->text + offset, end - offset) : NULL;
}

/* ---- one place ----
 *
 * libclang searches its list of files and macro uses for each answer. The places in the text of one file are
 * consecutive numbers to it: from one that is known in a file, all others follow. Where text is included twice, each
 * time has numbers of its own; places in macros have others. The numbers are no part of libclang's interface, so a
 * range in each file shows first that they run so. The few places that were asked for last are kept: an expression
 * shares its ends with its parts. */

enum { PLACED_MAX = 64 };

struct point {
    CXFile file;
    unsigned line, col, offset;
};

static struct point use_point(CXSourceLocation l) {
    struct point p = {0};
    clang_getExpansionLocation(l, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static struct point spelling_point(CXSourceLocation l) {
    struct point p = {0};
    clang_getSpellingLocation(l, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static bool same_point(struct point a, struct point b) {
    return a.file == b.file && a.offset == b.offset;
}

static const struct cw_placed *placed_at(const struct cw_unit *u, uint32_t raw) {
    for (uint32_t k = 0; k < u->placed.n; k++)
        if (raw - u->placed.at[k].base <= u->placed.at[k].file->size)
            return &u->placed.at[k];
    return NULL;
}

/* Both ends are in the file's own text, as far apart as their numbers. */
static void place(struct cw_unit *u, const struct cw_where *from, const struct cw_where *to) {
    bool are_plain = from->is_plain && to->is_plain && from->file == to->file && to->offset > from->offset;
    if (!are_plain || to->raw - from->raw != to->offset - from->offset || u->placed.n == PLACED_MAX)
        return;
    struct cw_file_text *f = from->file;
    if (!f->text || f->size > INT32_MAX || placed_at(u, from->raw))
        return;
    if (!f->lines.n)
        f->lines = cw_line_starts(&u->scratch, f->text, f->size);
    cw_vec_push(&u->scratch, &u->placed, ((struct cw_placed){from->raw - from->offset, f}));
}

static struct cw_where placed_where(const struct cw_placed *p, uint32_t raw) {
    struct cw_where w = {.raw = raw, .file = p->file, .offset = raw - p->base, .is_plain = true};
    uint32_t line = cw_line_at(&p->file->lines, w.offset);
    w.line = line + 1;
    w.col = w.offset - p->file->lines.at[line] + 1;
    w.use_file = w.file;
    w.use_offset = w.offset;
    return w;
}

static struct cw_where asked_where(struct cw_unit *u, uint32_t raw, CXSourceLocation l) {
    struct cw_where w = {.raw = raw};
    CXFile file = NULL;
    clang_getFileLocation(l, &file, &w.line, &w.col, &w.offset);
    w.file = cw_clang_file(u, file);
    return w;
}

/* Half of all numbers are for places in macros. Whether the upper half is, as in libclang 17 to 19, the main file
 * tells. */
static bool is_macro_number(struct cw_unit *u, uint32_t raw) {
    if (!u->asked_numbers && u->main_file) { /* none while shared headers are precompiled */
        CXSourceLocation start = clang_getLocationForOffset(u->tu, u->main_file->file, 0);
        u->upper_is_macro = !(clang_getRange(start, start).begin_int_data >> 31);
        u->asked_numbers = true;
    }
    return u->upper_is_macro && raw >> 31;
}

/* What the place is to macros: of half of all places, the ends of ranges, nobody asks it. */
static void ask_use(struct cw_unit *u, struct cw_where *w, CXSourceLocation l) {
    struct point use = use_point(l);
    w->use_file = cw_clang_file(u, use.file);
    w->use_line = use.line;
    w->use_col = use.col;
    w->use_offset = use.offset;
    if (w->file == w->use_file && w->offset == w->use_offset) {
        w->is_plain = !is_macro_number(u, w->raw) && same_point(spelling_point(l), use);
        w->is_macro_text = !w->is_plain;
    }
}

static struct cw_where where(struct cw_unit *u, uint32_t raw, CXSourceLocation l, bool with_use) {
    const struct cw_placed *p = placed_at(u, raw);
    if (p)
        return placed_where(p, raw);
    struct cw_where *kept = &u->where[raw % CW_WHERE_KEPT];
    if (!kept->file || kept->raw != raw)
        *kept = asked_where(u, raw, l);
    if (with_use && !kept->use_file)
        ask_use(u, kept, l);
    return *kept;
}

/* ---- ranges ---- */

static bool is_range(const struct cw_where *from, const struct cw_where *to) {
    return from->file == to->file && from->offset <= to->offset;
}

/* The uses of the macros, for ends that stand apart. */
static void go_to_use(struct cw_where *w) {
    w->file = w->use_file;
    w->line = w->is_plain ? w->line : w->use_line;
    w->col = w->is_plain ? w->col : w->use_col;
    w->offset = w->use_offset;
}

static struct cw_loc locate(struct cw_unit *u, CXSourceRange range) {
    CXSourceLocation end = clang_getRangeEnd(range);
    struct cw_where from = where(u, range.begin_int_data, clang_getRangeStart(range), true);
    struct cw_where to = where(u, range.end_int_data, end, from.is_plain);
    struct cw_loc out = {.macro = from.is_macro_text ? name_at(u, from.use_file, from.use_offset) : NULL};
    place(u, &from, &to);
    if (!is_range(&from, &to)) {
        to = where(u, range.end_int_data, end, true);
        go_to_use(&from);
        go_to_use(&to);
    }
    if (!is_range(&from, &to))
        to = from;
    out.span = (struct cw_span){from.file->index, from.line, from.col, to.line, to.col};
    return out;
}

/* libclang finds the ends of an expression by going down to its first and last token, each time anew. */
static CXSourceRange extent(struct cw_unit *u, CXCursor c) {
    struct cw_known_expr *known = cw_clang_known(u, c);
    if (!known)
        return clang_getCursorExtent(c);
    if (!known->has_range)
        known->range = clang_getCursorExtent(c);
    known->has_range = true;
    return known->range;
}

bool cw_clang_same_range(struct cw_unit *u, CXCursor a, CXCursor b) {
    CXSourceRange x = extent(u, a), y = extent(u, b);
    return x.begin_int_data == y.begin_int_data && x.end_int_data == y.end_int_data;
}

struct cw_span cw_clang_range_span(struct cw_unit *u, CXSourceRange r) {
    return clang_Range_isNull(r) ? (struct cw_span){0} : locate(u, r).span;
}

struct cw_span cw_clang_span(struct cw_unit *u, CXCursor c) {
    return cw_clang_range_span(u, extent(u, c));
}

/* In a function of so many instructions that little of it can be evaluated, arithmetic stands where its statement does:
 * asking for the places of all its parts takes longer than parsing it. */
static bool needs_no_place(const struct cw_body *b, CXCursor c) {
    enum { LARGE = 8192 };
    return b->fn->ins.n > LARGE && b->at.loc &&
           (c.kind == CXCursor_BinaryOperator || c.kind == CXCursor_ParenExpr || c.kind == CXCursor_UnexposedExpr ||
            c.kind == CXCursor_UnaryOperator || c.kind == CXCursor_IntegerLiteral ||
            c.kind == CXCursor_FloatingLiteral);
}

uint32_t cw_clang_loc(struct cw_body *b, CXCursor c) {
    if (needs_no_place(b, c))
        return b->at.loc;
    CXSourceRange r = extent(b->u, c);
    bool is_last = r.begin_int_data == b->last.begin && r.end_int_data == b->last.end;
    if (clang_Range_isNull(r))
        return b->at.loc;
    if (!is_last || !b->last.loc) {
        struct cw_loc loc = locate(b->u, r);
        if (!loc.span.line)
            return b->at.loc;
        b->last = (struct cw_last_range){r.begin_int_data, r.end_int_data, cw_fn_add_loc(b->fn, loc)};
    }
    return b->last.loc;
}

struct cw_file_text *cw_clang_spelling(struct cw_unit *u, CXSourceLocation l, uint32_t *offset) {
    CXFile f = NULL;
    unsigned at = 0;
    clang_getSpellingLocation(l, &f, NULL, NULL, &at);
    *offset = at;
    return cw_clang_file(u, f);
}

cw_str cw_clang_source(struct cw_unit *u, CXCursor c) {
    CXSourceRange r = clang_getCursorExtent(c);
    uint32_t from, to;
    struct cw_file_text *f = cw_clang_spelling(u, clang_getRangeStart(r), &from);
    if (clang_Range_isNull(r) || cw_clang_spelling(u, clang_getRangeEnd(r), &to) != f || !f->text || to < from)
        return CW_STR("");
    size_t end = to < f->size ? to : f->size;
    return (cw_str){f->text + from, from < end ? end - from : 0};
}
