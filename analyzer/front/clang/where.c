/* Source positions. A place inside a macro's text is the macro's use in the file; a place inside a macro's argument is
 * the argument, as people see it. */
#include "front/clang/lower.h"

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

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *name_at(struct cw_unit *u, const struct cw_file_text *f, uint32_t offset) {
    size_t end = offset;
    while (f->text && end < f->size && is_name(f->text[end]))
        end++;
    return end > offset ? cw_intern_n(&u->module->names, f->text + offset, end - offset) : NULL;
}

struct point {
    CXFile file;
    unsigned line, col, offset;
};

static struct point file_point(CXSourceLocation l) {
    struct point p = {0};
    clang_getFileLocation(l, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static struct point use_point(CXSourceLocation l) {
    struct point p = {0};
    clang_getExpansionLocation(l, &p.file, &p.line, &p.col, &p.offset);
    return p;
}

static bool same_point(struct point a, struct point b) {
    return a.file == b.file && a.offset == b.offset;
}

static void locate(struct cw_unit *u, CXSourceRange range, struct cw_loc *out) {
    struct point from = file_point(clang_getRangeStart(range)), to = file_point(clang_getRangeEnd(range));
    struct point use = use_point(clang_getRangeStart(range)), spelled = {0};
    clang_getSpellingLocation(clang_getRangeStart(range), &spelled.file, &spelled.line, &spelled.col, &spelled.offset);
    bool in_macro_text = same_point(from, use) && !same_point(spelled, use);
    if (from.file != to.file || to.offset < from.offset)
        from = use, to = use_point(clang_getRangeEnd(range));
    if (to.file != from.file || to.offset < from.offset)
        to = from;
    struct cw_file_text *f = cw_clang_file(u, from.file);
    out->span = (struct cw_span){f->index, from.line, from.col, to.line, to.col};
    if (in_macro_text)
        out->macro = name_at(u, f, use.offset);
}

static const struct cw_loc *range_loc(struct cw_unit *u, CXSourceRange range) {
    uint64_t found, key = (uint64_t)range.begin_int_data << 32 | range.end_int_data;
    if (cw_map_get(&u->spans, key, &found))
        return (const struct cw_loc *)(uintptr_t)found;
    struct cw_loc *loc = CW_NEW(&u->scratch, struct cw_loc);
    if (!clang_Range_isNull(range))
        locate(u, range, loc);
    cw_map_put(&u->spans, key, (uint64_t)(uintptr_t)loc);
    return loc;
}

const struct cw_loc *cw_clang_loc_of(struct cw_unit *u, CXCursor c) {
    return range_loc(u, clang_getCursorExtent(c));
}

struct cw_span cw_clang_range_span(struct cw_unit *u, CXSourceRange r) {
    return range_loc(u, r)->span;
}

struct cw_span cw_clang_span(struct cw_unit *u, CXCursor c) {
    return cw_clang_loc_of(u, c)->span;
}

uint32_t cw_clang_loc(struct cw_body *b, CXCursor c) {
    const struct cw_loc *loc = cw_clang_loc_of(b->u, c);
    return loc->span.line ? cw_fn_add_loc(b->fn, *loc) : b->at.loc;
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
