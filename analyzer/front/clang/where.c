/* Source positions. A place inside a macro's text is the macro's use in the file; a place inside a macro's argument is
 * the argument, as people see it. */
#include "front/clang/lower.h"
#include "front/clang/remake.h"

#include "source/source.h"

#include <string.h>

struct cw_file_text *cw_clang_file(struct cw_unit *unit, CXFile file) {
    uint64_t found, key = (uint64_t)(uintptr_t)file;
    if (cw_map_get(&unit->files, key, &found))
        return (struct cw_file_text *)(uintptr_t)found;
    struct cw_file_text *t = CW_NEW(&unit->scratch, struct cw_file_text);
    t->file = file;
    if (file) {
        const char *name = cw_clang_text(unit, clang_getFileName(file));
        t->is_main = unit->main_file && clang_File_isEqual(file, unit->main_file->file);
        t->index = t->is_main ? 0 : cw_module_file(unit->module, name);
        t->text = clang_getFileContents(unit->tu, file, &t->size);
        if (t->text)
            t->text = cw_clang_original(unit, t->is_main ? unit->options->path : name, t->text, t->size);
    }
    cw_map_put(&unit->files, key, (uint64_t)(uintptr_t)t);
    return t;
}

static const char *name_at(struct cw_unit *unit, const struct cw_file_text *file_text, uint32_t offset) {
    size_t end = offset;
    while (file_text->text && end < file_text->size && cw_clang_is_name(file_text->text[end]))
        end++;
    return end > offset ? cw_intern_n(&unit->module->names, file_text->text + offset, end - offset) : NULL;
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

static struct point use_point(CXSourceLocation location) {
    struct point p = {0};
    clang_getExpansionLocation(location, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static struct point spelling_point(CXSourceLocation location) {
    struct point p = {0};
    clang_getSpellingLocation(location, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static bool same_point(struct point point, struct point other) {
    return point.file == other.file && point.offset == other.offset;
}

static const struct cw_placed *placed_at(const struct cw_unit *unit, uint32_t raw) {
    for (uint32_t k = 0; k < unit->placed.n; k++)
        if (raw - unit->placed.at[k].base <= unit->placed.at[k].file->size)
            return &unit->placed.at[k];
    return NULL;
}

/* Both ends are in the file's own text, as far apart as their numbers. */
static void place_between(struct cw_unit *unit, const struct cw_where *from, const struct cw_where *to) {
    bool are_plain = from->is_plain && to->is_plain && from->file == to->file && to->offset > from->offset;
    if (!are_plain || to->raw - from->raw != to->offset - from->offset || unit->placed.n == PLACED_MAX)
        return;
    struct cw_file_text *f = from->file;
    if (!f->text || f->size > INT32_MAX || placed_at(unit, from->raw))
        return;
    if (!f->lines.n)
        f->lines = cw_line_starts(&unit->scratch, f->text, f->size);
    cw_vec_push(&unit->scratch, &unit->placed, ((struct cw_placed){from->raw - from->offset, f}));
}

static struct cw_where placed_where(const struct cw_placed *placed, uint32_t raw) {
    struct cw_where w = {.raw = raw, .file = placed->file, .offset = raw - placed->base, .is_plain = true};
    uint32_t line = cw_line_at(&placed->file->lines, w.offset);
    w.line = line + 1;
    w.col = w.offset - placed->file->lines.at[line] + 1;
    w.use_file = w.file;
    w.use_offset = w.offset;
    return w;
}

static struct cw_where asked_where(struct cw_unit *unit, uint32_t raw, CXSourceLocation location) {
    struct cw_where w = {.raw = raw};
    CXFile file = NULL;
    clang_getFileLocation(location, &file, &w.line, &w.col, &w.offset);
    w.file = cw_clang_file(unit, file);
    return w;
}

/* Half of all numbers are for places in macros. Whether the upper half is, as in libclang 17 to 19, the main file
 * tells. */
static bool is_macro_number(struct cw_unit *unit, uint32_t raw) {
    if (!unit->asked_numbers && unit->main_file) { /* none while shared headers are precompiled */
        CXSourceLocation start = clang_getLocationForOffset(unit->tu, unit->main_file->file, 0);
        unit->upper_is_macro = !(clang_getRange(start, start).begin_int_data >> 31);
        unit->asked_numbers = true;
    }
    return unit->upper_is_macro && raw >> 31;
}

/* What the place is to macros: of half of all places, the ends of ranges, nobody asks it. */
static void ask_use(struct cw_unit *unit, struct cw_where *where, CXSourceLocation location) {
    struct point use = use_point(location);
    where->use_file = cw_clang_file(unit, use.file);
    where->use_line = use.line;
    where->use_col = use.col;
    where->use_offset = use.offset;
    if (where->file == where->use_file && where->offset == where->use_offset) {
        where->is_plain = !is_macro_number(unit, where->raw) && same_point(spelling_point(location), use);
        where->is_macro_text = !where->is_plain;
    }
}

static struct cw_where where_of(struct cw_unit *unit, uint32_t raw, CXSourceLocation location, bool with_use) {
    const struct cw_placed *p = placed_at(unit, raw);
    if (p)
        return placed_where(p, raw);
    struct cw_where *kept = &unit->where[raw % CW_WHERE_KEPT];
    if (!kept->file || kept->raw != raw)
        *kept = asked_where(unit, raw, location);
    if (with_use && !kept->use_file)
        ask_use(unit, kept, location);
    return *kept;
}

/* ---- ranges ---- */

static bool is_range(const struct cw_where *from, const struct cw_where *to) {
    return from->file == to->file && from->offset <= to->offset;
}

/* The uses of the macros, for ends that stand apart. */
static void go_to_use(struct cw_where *where) {
    where->file = where->use_file;
    where->line = where->is_plain ? where->line : where->use_line;
    where->col = where->is_plain ? where->col : where->use_col;
    where->offset = where->use_offset;
}

static struct cw_loc locate_range(struct cw_unit *unit, CXSourceRange range) {
    CXSourceLocation end = clang_getRangeEnd(range);
    struct cw_where from = where_of(unit, range.begin_int_data, clang_getRangeStart(range), true);
    struct cw_where to = where_of(unit, range.end_int_data, end, from.is_plain);
    struct cw_loc out = {.macro = from.is_macro_text ? name_at(unit, from.use_file, from.use_offset) : NULL};
    place_between(unit, &from, &to);
    if (!is_range(&from, &to)) {
        to = where_of(unit, range.end_int_data, end, true);
        go_to_use(&from);
        go_to_use(&to);
    }
    if (!is_range(&from, &to))
        to = from;
    out.span = (struct cw_span){from.file->index, from.line, from.col, to.line, to.col};
    return out;
}

/* libclang finds the ends of an expression by going down to its first and last token, each time anew. */
static CXSourceRange extent_of(struct cw_unit *unit, CXCursor cursor) {
    struct cw_known_expr *known = cw_clang_known(unit, cursor);
    if (!known)
        return clang_getCursorExtent(cursor);
    if (!known->has_range)
        known->range = clang_getCursorExtent(cursor);
    known->has_range = true;
    return known->range;
}

bool cw_clang_same_range(struct cw_unit *unit, CXCursor cursor, CXCursor other) {
    CXSourceRange x = extent_of(unit, cursor), y = extent_of(unit, other);
    return x.begin_int_data == y.begin_int_data && x.end_int_data == y.end_int_data;
}

struct cw_span cw_clang_range_span(struct cw_unit *unit, CXSourceRange range) {
    return clang_Range_isNull(range) ? (struct cw_span){0} : locate_range(unit, range).span;
}

struct cw_span cw_clang_span(struct cw_unit *unit, CXCursor cursor) {
    return cw_clang_range_span(unit, extent_of(unit, cursor));
}

/* In a function of so many instructions that little of it can be evaluated, arithmetic stands where its statement does:
 * asking for the places of all its parts takes longer than parsing it. */
static bool needs_no_place(const struct cw_body *body, CXCursor cursor) {
    enum { LARGE = 8192 };
    return body->fn->ins.n > LARGE && body->at.loc &&
           (cursor.kind == CXCursor_BinaryOperator || cursor.kind == CXCursor_ParenExpr ||
            cursor.kind == CXCursor_UnexposedExpr || cursor.kind == CXCursor_UnaryOperator ||
            cursor.kind == CXCursor_IntegerLiteral || cursor.kind == CXCursor_FloatingLiteral);
}

uint32_t cw_clang_loc(struct cw_body *body, CXCursor cursor) {
    if (needs_no_place(body, cursor))
        return body->at.loc;
    CXSourceRange r = extent_of(body->u, cursor);
    bool is_last = r.begin_int_data == body->last.begin && r.end_int_data == body->last.end;
    if (clang_Range_isNull(r))
        return body->at.loc;
    if (!is_last || !body->last.loc) {
        struct cw_loc loc = locate_range(body->u, r);
        if (!loc.span.line)
            return body->at.loc;
        body->last = (struct cw_last_range){r.begin_int_data, r.end_int_data, cw_fn_add_loc(body->fn, loc)};
    }
    return body->last.loc;
}

struct cw_file_text *cw_clang_spelling(struct cw_unit *unit, CXSourceLocation location, uint32_t *offset) {
    CXFile f = NULL;
    unsigned at = 0;
    clang_getSpellingLocation(location, &f, NULL, NULL, &at);
    *offset = at;
    return cw_clang_file(unit, f);
}

static cw_str text_between(struct cw_unit *unit, struct point from, struct point to) {
    struct cw_file_text *file = cw_clang_file(unit, from.file);
    if (cw_clang_file(unit, to.file) != file || !file->text || to.offset < from.offset)
        return CW_STR("");
    size_t end = to.offset < file->size ? to.offset : file->size;
    return (cw_str){file->text + from.offset, from.offset < end ? end - from.offset : 0};
}

/* As spelled; where that is no text, since an end stands in a macro of another file, as in `EXPORT void f() { … }`,
 * what stands between the macros' uses. */
cw_str cw_clang_source(struct cw_unit *unit, CXCursor cursor) {
    CXSourceRange range = clang_getCursorExtent(cursor);
    CXSourceLocation from = clang_getRangeStart(range), to = clang_getRangeEnd(range);
    if (clang_Range_isNull(range))
        return CW_STR("");
    cw_str text = text_between(unit, spelling_point(from), spelling_point(to));
    return text.n ? text : text_between(unit, use_point(from), use_point(to));
}
