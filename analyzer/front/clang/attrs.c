/* Arguments of __launch_bounds__, __cluster_dims__ and `#pragma unroll`, which libclang does not show. The attributes'
 * are read from the annotation that the shim's macro adds; else, and the pragma's, the text is read as an integer
 * expression over literals, macros, constants and template parameters. */
#include "front/clang/lower.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RECURSION = 24, MOST_THREADS = 1024 /* of a block */ };

struct parser {
    struct cw_unit *u;
    CXCursor decl;
    const char *at, *end;
    int depth;
    bool failed;
};

static int64_t parse_sum(struct parser *p);

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_space(struct parser *parser) {
    while (parser->at < parser->end && strchr(" \t\r\n\\", *parser->at))
        parser->at++;
}

static bool accept_char(struct parser *parser, char c) {
    skip_space(parser);
    if (parser->at >= parser->end || *parser->at != c)
        return false;
    parser->at++;
    return true;
}

/* The text a macro of this name stands for, from the last `#define` of it in the file. */
static cw_str macro_text(const struct cw_file_text *file_text, cw_str name) {
    cw_str found = {NULL, 0};
    for (size_t i = 0; file_text && file_text->text && i + 8 < file_text->size; i++) {
        if (file_text->text[i] != '#')
            continue;
        struct parser p = {.at = file_text->text + i + 1, .end = file_text->text + file_text->size};
        while (p.at < p.end && (*p.at == ' ' || *p.at == '\t'))
            p.at++;
        if ((size_t)(p.end - p.at) < 7 || memcmp(p.at, "define", 6) != 0)
            continue;
        p.at += 6;
        skip_space(&p);
        if ((size_t)(p.end - p.at) <= name.n || memcmp(p.at, name.at, name.n) != 0 || is_name(p.at[name.n]) ||
            p.at[name.n] == '(')
            continue;
        const char *from = p.at + name.n, *to = from;
        while (to < p.end && *to != '\n' && !(to + 1 < p.end && to[0] == '/' && (to[1] == '/' || to[1] == '*')))
            to++;
        found = cw_str_trim((cw_str){from, (size_t)(to - from)});
    }
    return found;
}

static bool template_value(struct parser *parser, cw_str name, int64_t *value) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(parser->decl);
    if (clang_Cursor_isNull(pattern) || clang_isInvalid(clang_getCursorKind(pattern)))
        return false;
    struct cw_kids kids = cw_clang_kids(parser->u, pattern);
    unsigned index = 0;
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids.at[i]);
        if (k != CXCursor_NonTypeTemplateParameter && k != CXCursor_TemplateTypeParameter &&
            k != CXCursor_TemplateTemplateParameter)
            continue;
        if (cw_str_is(name, cw_clang_text(parser->u, clang_getCursorSpelling(kids.at[i])))) {
            if (clang_Cursor_getTemplateArgumentKind(parser->decl, index) != CXTemplateArgumentKind_Integral)
                return false;
            *value = clang_Cursor_getTemplateArgumentValue(parser->decl, index);
            return true;
        }
        index++;
    }
    return false;
}

static bool constant_value(struct parser *parser, cw_str name, int64_t *value) {
    uint64_t found;
    const char *key = cw_intern_n(&parser->u->module->names, name.at, name.n);
    CXCursor decl;
    if (cw_map_get(&parser->u->names, (uint64_t)(uintptr_t)key, &found))
        decl = *(CXCursor *)(uintptr_t)found;
    else if (!cw_clang_shared_name(parser->u, key, &decl))
        return false;
    if (clang_getCursorKind(decl) == CXCursor_EnumConstantDecl) {
        *value = clang_getEnumConstantDeclValue(decl);
        return true;
    }
    CXType t = clang_getCanonicalType(clang_getCursorType(decl));
    return clang_isConstQualifiedType(t) && cw_clang_evaluate(decl, value);
}

static int64_t name_value(struct parser *parser) {
    int64_t value = 0;
    cw_str name = {parser->at, 0};
    while (parser->at < parser->end && is_name(*parser->at))
        parser->at++, name.n++;
    if (!name.n) {
        parser->failed = true;
        return 0;
    }
    if (template_value(parser, name, &value) || constant_value(parser, name, &value))
        return value;
    cw_str text = macro_text(parser->u->main_file, name);
    if (!text.n || parser->depth + 1 > MAX_RECURSION) {
        parser->failed = true;
        return 0;
    }
    struct parser inner = {
        .u = parser->u, .decl = parser->decl, .at = text.at, .end = text.at + text.n, .depth = parser->depth + 1};
    value = parse_sum(&inner);
    skip_space(&inner);
    parser->failed |= inner.failed || inner.at != inner.end;
    return value;
}

static int64_t parse_primary(struct parser *parser) {
    int64_t value;
    char *end;
    skip_space(parser);
    if (parser->depth++ > MAX_RECURSION || parser->at >= parser->end) {
        parser->failed = true;
        value = 0;
    } else if (accept_char(parser, '(')) {
        value = parse_sum(parser);
        parser->failed |= !accept_char(parser, ')');
    } else if (*parser->at >= '0' && *parser->at <= '9') {
        value = (int64_t)strtoull(parser->at, &end, 0);
        parser->at = end;
        while (parser->at < parser->end && strchr("uUlL", *parser->at))
            parser->at++;
    } else {
        value = name_value(parser);
    }
    parser->depth--;
    return value;
}

static int64_t parse_product(struct parser *parser) {
    int64_t value = parse_primary(parser);
    while (!parser->failed) {
        if (accept_char(parser, '*')) {
            value = (int64_t)((uint64_t)value * (uint64_t)parse_primary(parser));
        } else if (accept_char(parser, '/')) {
            int64_t by = parse_primary(parser);
            parser->failed |= by <= 0;
            value = by > 0 ? value / by : 0;
        } else {
            break;
        }
    }
    return value;
}

static int64_t parse_sum(struct parser *parser) {
    int64_t value = parse_product(parser);
    while (!parser->failed) {
        if (accept_char(parser, '+'))
            value = (int64_t)((uint64_t)value + (uint64_t)parse_product(parser));
        else if (accept_char(parser, '-'))
            value = (int64_t)((uint64_t)value - (uint64_t)parse_product(parser));
        else
            break;
    }
    return value;
}

/* Reads an integer expression that ends at `,`, `)` or the end of the text. */
bool cw_clang_int_text(struct cw_unit *unit, CXCursor decl, cw_str text, int64_t *value) {
    struct parser p = {.u = unit, .decl = decl, .at = text.at, .end = text.at + text.n};
    *value = parse_sum(&p);
    skip_space(&p);
    return !p.failed && (p.at == p.end || *p.at == ',' || *p.at == ')');
}

/* The declaration's text before its name, from the end of what stands before it. */
static cw_str heading_of(struct cw_unit *unit, CXCursor decl) {
    CXFile file = NULL;
    unsigned name = 0;
    clang_getFileLocation(clang_getCursorLocation(decl), &file, NULL, NULL, &name);
    struct cw_file_text *f = cw_clang_file(unit, file);
    size_t from = name;
    if (!f->text || name > f->size)
        return CW_STR("");
    while (from > 0 && f->text[from - 1] != ';' && f->text[from - 1] != '}' && f->text[from - 1] != '{')
        from--;
    return (cw_str){f->text + from, name - from};
}

/* An attribute's integers: those that could be evaluated, from the first on. */
struct numbers {
    int64_t value[3];
    uint32_t n;
    bool is_written, is_complete;
};

/* The shim's macro writes the arguments down once more, where libclang shows them: of an instance with the template's
 * arguments in them. */
static struct numbers annotated_numbers(struct cw_unit *unit, CXCursor decl, const char *annotation) {
    struct cw_kids kids = cw_clang_kids(unit, decl);
    struct numbers out = {.n = 0};
    for (uint32_t i = 0; i < kids.n; i++) {
        bool is_note = clang_getCursorKind(kids.at[i]) == CXCursor_AnnotateAttr;
        if (!is_note || strcmp(cw_clang_text(unit, clang_getCursorSpelling(kids.at[i])), annotation) != 0)
            continue;
        struct cw_kids arguments = cw_clang_kids(unit, kids.at[i]);
        out.is_written = true;
        while (out.n < 3 && out.n < arguments.n && cw_clang_evaluate(arguments.at[out.n], &out.value[out.n]))
            out.n++;
        out.is_complete = out.n == arguments.n;
        break;
    }
    return out;
}

/* With the toolkit's own macro: the integers behind the word. */
static struct numbers written_numbers(struct cw_unit *unit, CXCursor decl, cw_str text, const char *word) {
    size_t length = strlen(word);
    const char *at = text.n ? memmem(text.at, text.n, word, length) : NULL;
    struct numbers out = {.is_written = at != NULL};
    struct parser p = {.u = unit, .decl = decl, .at = at ? at + length : NULL, .end = text.at + text.n};
    for (char before = '('; at && out.n < 3 && accept_char(&p, before); before = ',') {
        out.value[out.n] = parse_sum(&p);
        skip_space(&p);
        if (p.failed || p.at == p.end || (*p.at != ',' && *p.at != ')'))
            return out;
        out.n++;
    }
    out.is_complete = at && out.n && accept_char(&p, ')');
    return out;
}

static struct numbers attribute_numbers(struct cw_body *body, CXCursor decl, const char *annotation, const char *word) {
    CXCursor self = body->self->decl;
    struct numbers noted = annotated_numbers(body->u, self, annotation);
    if (noted.n)
        return noted;
    struct numbers written = written_numbers(body->u, self, heading_of(body->u, decl), word);
    written.is_written |= noted.is_written;
    return written;
}

void cw_clang_bounds(struct cw_body *body, CXCursor decl) {
    struct numbers bounds = attribute_numbers(body, decl, "cuwarp_launch_bounds", "__launch_bounds__");
    if (bounds.n && bounds.value[0] > 0 && bounds.value[0] <= MOST_THREADS)
        body->fn->bounds_max_threads = (uint32_t)bounds.value[0];
    body->fn->has_unread_bounds = bounds.is_written && !body->fn->bounds_max_threads;
}

void cw_clang_cluster(struct cw_body *body, CXCursor decl) {
    struct numbers cluster = attribute_numbers(body, decl, "cuwarp_cluster_dims", "__cluster_dims__");
    bool is_read = cluster.is_complete && cw_fn_require_cluster(body->fn, cluster.value, cluster.n);
    body->fn->has_unread_cluster = cluster.is_written && !is_read;
}

/* An attributed statement starts at its pragma. -1: no unroll pragma, 0: without a number. */
int32_t cw_clang_unroll(struct cw_body *body, CXCursor cursor) {
    uint32_t from;
    struct cw_file_text *f = cw_clang_spelling(body->u, clang_getRangeStart(clang_getCursorExtent(cursor)), &from);
    int64_t value;
    if (!f->text || from >= f->size)
        return -1;
    size_t to = from;
    while (to < f->size && f->text[to] != '\n')
        to++;
    cw_str line = {f->text + from, to - from};
    const char *at = memmem(line.at, line.n, "unroll", 6);
    if (!at)
        return -1;
    cw_str rest = cw_str_trim((cw_str){at + 6, (size_t)(line.at + line.n - at) - 6});
    if (rest.n && *rest.at == '(')
        rest.at++, rest.n--;
    const char *comment = rest.n ? memmem(rest.at, rest.n, "/", 1) : NULL;
    if (comment && comment + 1 < rest.at + rest.n && (comment[1] == '/' || comment[1] == '*'))
        rest = cw_str_trim((cw_str){rest.at, (size_t)(comment - rest.at)});
    if (!rest.n || *rest.at == '"')
        return 0;
    bool is_known = cw_clang_int_text(body->u, body->self->decl, rest, &value) && value > 0 && value <= INT32_MAX;
    return is_known ? (int32_t)value : -1;
}
