/* Which instances of a kernel are lowered, and how the others are kept from costing the parser time.
 *
 * A parse that follows with other instances (assume.h) need not instantiate the bodies of those that are not lowered:
 * an explicit instantiation declaration (`extern template`, [temp.explicit]/13) suppresses that. Which instances host
 * templates make is asked in a parse of its own, in which kernels have no bodies at all. */
#include "front/clang/instances.h"

#include "base/hash.h"
#include "front/clang/assume.h"
#include "source/lexer.h"

#include <string.h>

/* ---- the selection ---- */

struct number { /* among the arguments of an instance; of a class, what identifies it, or its template */
    int64_t position, value;
};

/* A class that is called, or whose members are, brings code of its own; `F<float>` and `F<int>` bring the same. */
static int64_t class_number(CXCursor instance, unsigned position) {
    CXType type = clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(instance, position));
    CXCursor decl = clang_getTypeDeclaration(type), pattern = clang_getSpecializedCursorTemplate(decl);
    return type.kind == CXType_Record ? (int64_t)cw_clang_id(clang_Cursor_isNull(pattern) ? decl : pattern) : 0;
}

static uint32_t numbers_of(CXCursor instance, struct number *numbers, uint32_t most) {
    int all = clang_Cursor_getNumTemplateArguments(instance);
    uint32_t n = 0;
    for (int i = 0; i < all && n < most; i++) {
        enum CXTemplateArgumentKind kind = clang_Cursor_getTemplateArgumentKind(instance, (unsigned)i);
        int64_t class = kind == CXTemplateArgumentKind_Type ? class_number(instance, (unsigned)i) : 0;
        if (kind == CXTemplateArgumentKind_Integral)
            numbers[n++] = (struct number){i, clang_Cursor_getTemplateArgumentValue(instance, (unsigned)i)};
        else if (class)
            numbers[n++] = (struct number){i, class};
    }
    return n;
}

/* Numbers and classes of the instance that no lowered one has in their place, and pairs that none has together. */
static uint32_t count_novelty(struct cw_unit *unit, const struct cw_callee *callee, bool is_taken) {
    enum { MAX_NUMBERS = 12 };
    struct number numbers[MAX_NUMBERS];
    uint32_t n = numbers_of(callee->decl, numbers, MAX_NUMBERS), novel = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k <= i; k++) { /* k == i: the number itself */
            struct number both[2] = {numbers[k], numbers[i]};
            uint64_t key = cw_hash(both, sizeof both, (uint64_t)(uintptr_t)callee->pattern);
            novel += !cw_map_get(&unit->arguments, key, NULL);
            if (is_taken)
                cw_map_put(&unit->arguments, key, 1);
        }
    return novel;
}

/* A finding is reported on the template's lines, once; the hundredth instance of a kernel adds time only. */
static bool has_enough_instances(struct cw_unit *unit, struct cw_callee *callee) {
    uint64_t n = 0;
    if (!callee->pattern || !callee->is_kernel)
        return false;
    cw_map_get(&unit->instances, (uint64_t)(uintptr_t)callee->pattern, &n);
    cw_map_put(&unit->instances, (uint64_t)(uintptr_t)callee->pattern, n + 1);
    if (n >= CW_MAX_INSTANCES)
        cw_vec_push(&unit->scratch, &unit->spare, callee);
    else
        (void)count_novelty(unit, callee, true);
    return n >= CW_MAX_INSTANCES;
}

/* `columns = 2` may have a loop, and a barrier in it, that `columns = 1` has not: of the instances that are left, those
 * with the most numbers, classes, and pairs of them, that no other has. */
static void queue_spread(struct cw_unit *unit, const char *pattern) {
    for (uint32_t taken = 0; taken < CW_MAX_SPREAD_INSTANCES; taken++) {
        struct cw_callee **best = NULL;
        uint32_t most = 0;
        for (uint32_t i = 0; i < unit->spare.n; i++) {
            struct cw_callee **c = &unit->spare.at[i];
            uint32_t novelty = *c && (*c)->pattern == pattern ? count_novelty(unit, *c, false) : 0;
            if (novelty > most) {
                best = c;
                most = novelty;
            }
        }
        if (!best)
            return;
        (void)count_novelty(unit, *best, true);
        cw_vec_push(&unit->scratch, &unit->queue, *best);
        *best = NULL;
    }
}

void cw_clang_queue_spare(struct cw_unit *unit) {
    for (uint32_t i = 0; i < unit->spare.n; i++) {
        uint64_t n = 0, key = unit->spare.at[i] ? (uint64_t)(uintptr_t)unit->spare.at[i]->pattern : 0;
        if (!key)
            continue;
        if (!cw_map_get(&unit->left_out, key, &n))
            queue_spread(unit, unit->spare.at[i]->pattern);
        if (unit->spare.at[i])
            n++;
        cw_map_put(&unit->left_out, key, n);
    }
}

void cw_clang_queue(struct cw_unit *unit, struct cw_callee *callee) {
    if (callee->is_queued || callee->kind != CW_CALLEE_BODY)
        return;
    callee->is_queued = true;
    if (has_enough_instances(unit, callee))
        return;
    cw_vec_push(&unit->scratch, &unit->queue, callee);
}

/* ---- declarations of those that are left out ---- */

/* `a::b::k`; a namespace without a name is not written. NULL: a member of a class. */
static const char *written_name(struct cw_unit *unit, CXCursor decl) {
    const char *name = cw_clang_text(unit, clang_getCursorSpelling(decl));
    CXCursor c = clang_getCursorSemanticParent(decl);
    while (clang_getCursorKind(c) == CXCursor_Namespace) {
        const char *space = cw_clang_text(unit, clang_getCursorSpelling(c));
        if (!clang_Cursor_isAnonymous(c))
            name = cw_arena_printf(&unit->scratch, "%s::%s", space, name);
        c = clang_getCursorSemanticParent(c);
    }
    return clang_getCursorKind(c) == CXCursor_TranslationUnit ? name : NULL;
}

/* NULL: a type that has no name at the end of the file, as that of a lambda. */
static const char *written_type(struct cw_unit *unit, CXType type) {
    const char *text = cw_clang_text(unit, clang_getTypeSpelling(clang_getCanonicalType(type)));
    return *text && !strchr(text, '(') ? text : NULL;
}

static const char *written_number(struct cw_unit *unit, CXCursor decl, CXCursor parameter, unsigned index) {
    CXType type = clang_getCanonicalType(clang_getCursorType(parameter));
    const char *text = cw_clang_argument(unit, decl, index),
               *cast = type.kind == CXType_Enum ? written_type(unit, type) : NULL;
    if (type.kind != CXType_Enum)
        return text;
    return cast ? cw_arena_printf(&unit->scratch, "static_cast<%s>(%s)", cast, text) : NULL;
}

static const char *written_argument(struct cw_unit *unit, CXCursor decl, CXCursor parameter, unsigned index) {
    switch (clang_Cursor_getTemplateArgumentKind(decl, index)) {
    case CXTemplateArgumentKind_Type: return written_type(unit, clang_Cursor_getTemplateArgumentType(decl, index));
    case CXTemplateArgumentKind_Integral: return written_number(unit, decl, parameter, index);
    default: return NULL;
    }
}

/* `k<float, 64>` of an instance; false where an argument cannot be written. */
static bool write_arguments(struct cw_unit *unit, CXCursor decl, struct cw_buf *out) {
    struct cw_kids kids = cw_clang_kids(unit, clang_getSpecializedCursorTemplate(decl));
    int n = clang_Cursor_getNumTemplateArguments(decl), index = 0;
    for (uint32_t i = 0; i < kids.n && index < n; i++) {
        enum CXCursorKind kind = clang_getCursorKind(kids.at[i]);
        if (kind != CXCursor_NonTypeTemplateParameter && kind != CXCursor_TemplateTypeParameter)
            continue;
        const char *text = written_argument(unit, decl, kids.at[i], (unsigned)index);
        if (!text)
            return false;
        cw_buf_printf(out, "%s%s", index++ ? ", " : "<", text);
    }
    cw_buf_puts(out, "> ");
    return n > 0 && index == n;
}

static bool write_parameters(struct cw_unit *unit, CXCursor decl, struct cw_buf *out) {
    CXType type = clang_getCanonicalType(clang_getCursorType(decl));
    cw_buf_putc(out, '(');
    for (int i = 0, n = clang_getNumArgTypes(type); i < n; i++) {
        const char *text = written_type(unit, clang_getArgType(type, (unsigned)i));
        if (!text)
            return false;
        cw_buf_printf(out, "%s%s", i ? ", " : "", text);
    }
    cw_buf_puts(out, ");\n");
    return true;
}

static void write_declaration(struct cw_unit *unit, const struct cw_callee *callee, struct cw_buf *out) {
    size_t before = out->n;
    const char *name = written_name(unit, callee->decl);
    cw_buf_printf(out, "extern template __attribute__((global)) void %s", name ? name : "");
    if (!name || !write_arguments(unit, callee->decl, out) || !write_parameters(unit, callee->decl, out))
        out->n = before;
}

void cw_clang_leave_out(struct cw_unit *unit, struct cw_assumed *next) {
    const struct cw_assumed *before = unit->options->assumed;
    struct cw_buf out = {0};
    if (before && before->declarations)
        cw_buf_puts(&out, before->declarations);
    for (uint32_t i = 0; before && i < before->left_out.n; i++)
        cw_vec_push(unit->arena, &next->left_out, before->left_out.at[i]);
    for (uint32_t i = 0; i < unit->spare.n; i++) {
        const struct cw_callee *c = unit->spare.at[i];
        size_t n = out.n;
        if (c)
            write_declaration(unit, c, &out);
        if (out.n > n)
            cw_vec_push(
                unit->arena, &next->left_out,
                ((struct cw_left_out){cw_arena_strdup(unit->arena, c->key), cw_arena_strdup(unit->arena, c->pattern)}));
    }
    next->declarations = out.n ? cw_arena_strndup(unit->arena, out.at, out.n) : NULL;
    cw_buf_free(&out);
}

/* ---- a parse without bodies ---- */

static enum CXChildVisitResult find_body(CXCursor cursor, CXCursor parent, CXClientData data) {
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_CompoundStmt)
        return CXChildVisit_Continue;
    *(CXCursor *)data = cursor;
    return CXChildVisit_Break;
}

/* Is every conditional that begins in the text ended there, and no other? */
static bool holds_conditionals(const char *text, size_t size) {
    struct cw_lexer lexer;
    int depth = 0;
    cw_lexer_init(&lexer, text, size);
    for (struct cw_token t = cw_lexer_next(&lexer); t.kind != CW_TOKEN_END; t = cw_lexer_next(&lexer)) {
        cw_str word = t.kind == CW_TOKEN_DIRECTIVE ? cw_token_directive(text, t) : (cw_str){"", 0};
        bool begins = word.n >= 2 && !strncmp(word.at, "if", 2), ends = cw_str_is(word, "endif");
        bool is_other = cw_str_is(word, "else") || (word.n >= 4 && !strncmp(word.at, "elif", 4));
        if ((ends || is_other) && !depth)
            return false;
        depth += begins - ends;
    }
    return !depth;
}

void cw_clang_find_body(struct cw_unit *unit, const struct cw_callee *pattern, struct cw_assumed *next) {
    CXCursor body = clang_getNullCursor();
    CXFile file = NULL, same = NULL;
    unsigned from = 0, to = 0;
    size_t size = 0;
    clang_visitChildren(pattern->definition, find_body, &body);
    if (clang_Cursor_isNull(body))
        return;
    CXSourceRange range = clang_getCursorExtent(body);
    clang_getFileLocation(clang_getRangeStart(range), &file, NULL, NULL, &from);
    clang_getFileLocation(clang_getRangeEnd(range), &same, NULL, NULL, &to);
    const char *text =
        file && same && clang_File_isEqual(file, same) ? clang_getFileContents(unit->tu, file, &size) : NULL;
    if (!text || to > size || to < from + 2 || text[from] != '{' || text[to - 1] != '}' ||
        !holds_conditionals(text + from + 1, to - from - 2))
        return;
    CXFile own = clang_getFile(unit->tu, unit->options->path);
    const char *path =
        own && clang_File_isEqual(file, own) ? unit->options->path : cw_clang_text(unit, clang_getFileName(file));
    struct cw_text_range found = {cw_arena_strdup(unit->arena, path), from + 1, to - 1};
    if (cw_clang_is_users(path))
        cw_vec_push(unit->arena, &next->bodies, found);
}

void cw_clang_survey_instances(struct cw_unit *unit, struct cw_callee *const *kernels, uint32_t n) {
    struct cw_assumed *next = &unit->module->assumed;
    const struct cw_assumed *before = unit->options->assumed;
    for (uint32_t i = 0; i < n; i++)
        if (!cw_map_get(&unit->assumed, (uint64_t)(uintptr_t)kernels[i]->key, NULL))
            cw_clang_queue(unit, kernels[i]);
    cw_clang_queue_spare(unit);
    *next = *before;
    next->left_out.n = next->left_out.cap = 0;
    next->left_out.at = NULL;
    cw_clang_leave_out(unit, next);
}
