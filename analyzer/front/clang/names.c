/* Names and identities of functions, and what is known of a function that is called. */
#include "front/clang/lower.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARENTS = 32 };

static bool has_name(CXCursor c) {
    enum CXCursorKind k = clang_getCursorKind(c);
    return !clang_Cursor_isNull(c) && !clang_isInvalid(k) && k != CXCursor_TranslationUnit;
}

const char *cw_clang_qualified(struct cw_unit *u, CXCursor decl) {
    const char *part[MAX_PARENTS];
    size_t n = 0, length = 0;
    for (CXCursor c = decl; has_name(c) && n < MAX_PARENTS; c = clang_getCursorSemanticParent(c)) {
        if (clang_Cursor_isInlineNamespace(c) || clang_getCursorKind(c) == CXCursor_LinkageSpec)
            continue;
        part[n] = cw_clang_text(u, clang_getCursorSpelling(c));
        length += strlen(part[n++]) + 2;
    }
    char *out = cw_arena_alloc(&u->scratch, length + 1), *at = out;
    while (n--) {
        size_t size = strlen(part[n]);
        memcpy(at, part[n], size);
        at += size;
        if (n)
            *at++ = ':', *at++ = ':';
    }
    return cw_intern(&u->module->names, out);
}

/* libclang shows the template arguments of functions, but not those of methods such as a generic lambda's operator();
 * the types of its parameters tell the instances of such a method apart. */
static void add_lambda_arguments(struct cw_unit *u, CXCursor decl, struct cw_buf *key) {
    int n = clang_Cursor_getNumTemplateArguments(decl);
    if (n < 0)
        cw_buf_printf(key, "|%s", cw_clang_text(u, clang_getTypeSpelling(
                                      clang_getCanonicalType(clang_getCursorType(decl)))));
    for (int i = 0; i < n; i++)
        if (clang_Cursor_getTemplateArgumentKind(decl, (unsigned)i) == CXTemplateArgumentKind_Type)
            cw_buf_printf(key, "|%s", cw_clang_text(u, clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(
                                                           decl, (unsigned)i))));
}

/* A macro that names its argument several times makes as many lambdas of one place: AT_DISPATCH_FLOATING_TYPES has one
 * for each type. They are numbered in the order in which they are met. */
static uint32_t closure_number(struct cw_unit *u, CXCursor decl, const char *place) {
    CXCursor parent = clang_getCursorSemanticParent(decl);
    enum CXCursorKind k = clang_getCursorKind(parent);
    if (k != CXCursor_ClassDecl && k != CXCursor_StructDecl)
        return 0;
    uint64_t number = 0, class_id = cw_clang_id(parent), count_id = (uint64_t)(uintptr_t)place;
    if (cw_map_get(&u->closure_numbers, class_id, &number))
        return (uint32_t)number;
    cw_map_get(&u->closure_numbers, count_id, &number);
    cw_map_put(&u->closure_numbers, count_id, number + 1);
    cw_map_put(&u->closure_numbers, class_id, number);
    return (uint32_t)number;
}

/* libclang's USR names template arguments too. Closure classes of one function share theirs ("@Sa"), so the location
 * of the name tells them apart (not the extent, which references and instances report differently), and the spelling
 * of types, which holds the location of a lambda. */
const char *cw_clang_key(struct cw_unit *u, CXCursor decl) {
    const char *usr = cw_clang_text(u, clang_getCursorUSR(decl));
    if (*usr && !strstr(usr, "@Sa"))
        return usr;
    CXSourceLocation at = clang_getCursorLocation(decl);
    struct cw_span s = cw_clang_range_span(u, clang_getRange(at, at));
    struct cw_buf key = {0};
    cw_buf_printf(&key, "@%u:%u:%u", s.file, s.line, s.col);
    uint32_t number = closure_number(u, decl, cw_intern_n(&u->module->names, key.at, key.n));
    if (number)
        cw_buf_printf(&key, "#%u", number);
    cw_buf_puts(&key, usr);
    add_lambda_arguments(u, decl, &key);
    const char *kept = cw_intern_n(&u->module->names, key.at, key.n);
    cw_buf_free(&key);
    return kept;
}

/* libclang gives a template argument's value without its type. */
static bool is_bool_parameter(struct cw_unit *u, CXCursor decl, unsigned index) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(u, pattern);
    unsigned n = 0;
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids.at[i]);
        bool is_parameter = k == CXCursor_NonTypeTemplateParameter || k == CXCursor_TemplateTypeParameter ||
                            k == CXCursor_TemplateTemplateParameter;
        if (is_parameter && n++ == index)
            return clang_getCursorType(kids.at[i]).kind == CXType_Bool;
    }
    return false;
}

static const char *integral_text(struct cw_unit *u, CXCursor decl, unsigned i) {
    long long value = clang_Cursor_getTemplateArgumentValue(decl, i);
    if ((value == 0 || value == -1) && is_bool_parameter(u, decl, i))
        return value ? "true" : "false";
    return cw_arena_printf(&u->scratch, "%lld", value);
}

const char *cw_clang_argument(struct cw_unit *u, CXCursor decl, unsigned i) {
    switch (clang_Cursor_getTemplateArgumentKind(decl, i)) {
    case CXTemplateArgumentKind_Type:
        return cw_clang_text(u, clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(decl, i)));
    case CXTemplateArgumentKind_Integral:
        return integral_text(u, decl, i);
    case CXTemplateArgumentKind_Declaration: return "&";
    default: return "…";
    }
}

const char *cw_clang_display(struct cw_unit *u, CXCursor decl) {
    const char *name = cw_clang_text(u, clang_getCursorSpelling(decl));
    int n = clang_Cursor_getNumTemplateArguments(decl);
    if (n <= 0)
        return name;
    struct cw_buf text = {0};
    cw_buf_printf(&text, "%s<", name);
    for (int i = 0; i < n; i++)
        cw_buf_printf(&text, "%s%s", i ? ", " : "", cw_clang_argument(u, decl, (unsigned)i));
    cw_buf_putc(&text, '>');
    name = cw_intern_n(&u->module->names, text.at, text.n);
    cw_buf_free(&text);
    return name;
}

/* A user's function of the same name wins over the table: old code brings its own atomicAdd(double *, double). */
static void find_intrinsic(struct cw_unit *u, struct cw_callee *c) {
    bool is_users = c->kind == CW_CALLEE_BODY &&
                    !clang_Location_isInSystemHeader(clang_getCursorLocation(c->definition));
    if (is_users)
        return;
    const struct cw_intrinsic *row = cw_intrinsic_find(cw_clang_qualified(u, c->decl));
    if (!row || (row->flags & CW_INTR_BODY && c->kind == CW_CALLEE_BODY))
        return;
    c->intrinsic = row;
    c->kind = CW_CALLEE_INTRINSIC;
}

static bool is_in_class_template(CXCursor decl) {
    CXCursor c = clang_getCursorSemanticParent(decl);
    for (int i = 0; i < MAX_PARENTS && has_name(c); i++, c = clang_getCursorSemanticParent(c)) {
        enum CXCursorKind k = clang_getCursorKind(c);
        if (k == CXCursor_ClassTemplate || k == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    }
    return false;
}

/* `using base::base;` makes constructors whose parameters libclang does not show. */
static bool is_inherited_constructor(struct cw_unit *u, const struct cw_callee *c) {
    if (!c->is_constructor || c->is_defaulted || c->kind != CW_CALLEE_BODY || !c->nparam)
        return false;
    struct cw_kids kids = cw_clang_kids(u, c->definition);
    for (uint32_t i = 0; i < kids.n; i++)
        if (clang_getCursorKind(kids.at[i]) == CXCursor_ParmDecl)
            return false;
    return true;
}

/* libclang counts the parameters of functions, not those of their templates. A pack may be any number. */
static void count_parameters(struct cw_unit *u, struct cw_callee *c) {
    int n = clang_Cursor_getNumArguments(c->decl);
    c->nparam = n > 0 ? (uint32_t)n : 0;
    if (n >= 0 || clang_getCursorKind(c->decl) != CXCursor_FunctionTemplate)
        return;
    struct cw_kids kids = cw_clang_kids(u, c->decl);
    for (uint32_t i = 0; i < kids.n; i++) {
        if (clang_getCursorKind(kids.at[i]) != CXCursor_ParmDecl)
            continue;
        c->nparam++;
        const char *type = cw_clang_text(u, clang_getTypeSpelling(clang_getCursorType(kids.at[i])));
        c->is_variadic |= cw_str_ends(cw_str_of(type), "...");
    }
}

static void read_attributes(struct cw_unit *u, struct cw_callee *c) {
    CXCursor where = clang_Cursor_isNull(c->definition) ? c->decl : c->definition;
    enum CXCursorKind k = clang_getCursorKind(c->decl);
    bool is_template = k == CXCursor_FunctionTemplate;
    c->is_kernel = is_template ? cw_clang_template_is_kernel(u, where)
                               : cw_clang_has_attr(u, where, CXCursor_CUDAGlobalAttr);
    c->is_device = c->is_kernel || (is_template ? cw_clang_template_is_device(u, where)
                                                : cw_clang_has_attr(u, where, CXCursor_CUDADeviceAttr));
    c->is_constructor = k == CXCursor_Constructor;
    c->is_static = clang_CXXMethod_isStatic(c->decl);
    c->is_method = !c->is_static && (k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
                                     k == CXCursor_ConversionFunction || k == CXCursor_Destructor);
    c->is_pattern = k == CXCursor_FunctionTemplate || is_in_class_template(c->decl);
    c->is_virtual = clang_CXXMethod_isVirtual(c->decl);
    c->is_defaulted = clang_CXXMethod_isDefaulted(c->decl);
    c->is_variadic = clang_Cursor_isVariadic(c->decl);
    c->result = clang_getCursorResultType(c->decl);
    count_parameters(u, c);
    c->is_inherited = is_inherited_constructor(u, c);
}

static struct cw_callee *describe(struct cw_unit *u, CXCursor decl) {
    struct cw_callee *c = CW_NEW(&u->scratch, struct cw_callee);
    c->decl = decl;
    c->definition = clang_getCursorDefinition(decl);
    c->key = cw_clang_key(u, decl);
    c->name = cw_clang_text(u, clang_getCursorSpelling(decl));
    bool has_body = !clang_Cursor_isNull(c->definition) && !clang_isInvalid(clang_getCursorKind(c->definition));
    if (!has_body)
        c->definition = clang_getNullCursor();
    c->kind = has_body ? CW_CALLEE_BODY : CW_CALLEE_UNKNOWN;
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    if (!clang_Cursor_isNull(pattern) && !clang_isInvalid(clang_getCursorKind(pattern)))
        c->pattern = cw_clang_key(u, pattern);
    read_attributes(u, c);
    find_intrinsic(u, c);
    if (c->is_method && !c->is_constructor)
        c->collective = cw_collective_find(cw_clang_qualified(u, c->decl));
    return c;
}

struct cw_callee *cw_clang_callee(struct cw_unit *u, CXCursor decl) {
    uint64_t found, id = cw_clang_id(decl);
    if (cw_map_get(&u->callees, id, &found))
        return (struct cw_callee *)(uintptr_t)found;
    const char *key = cw_clang_key(u, decl);
    struct cw_callee *c;
    if (cw_map_get(&u->callees, (uint64_t)(uintptr_t)key, &found))
        c = (struct cw_callee *)(uintptr_t)found;
    else
        c = describe(u, decl);
    cw_map_put(&u->callees, id, (uint64_t)(uintptr_t)c);
    cw_map_put(&u->callees, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)c);
    return c;
}

/* A finding is reported on the template's lines, once; the hundredth instance of a kernel adds time only. */
static bool has_enough_instances(struct cw_unit *u, const struct cw_callee *c) {
    uint64_t n = 0;
    if (!c->pattern || !c->is_kernel)
        return false;
    cw_map_get(&u->instances, (uint64_t)(uintptr_t)c->pattern, &n);
    cw_map_put(&u->instances, (uint64_t)(uintptr_t)c->pattern, n + 1);
    return n >= CW_MAX_INSTANCES;
}

void cw_clang_queue(struct cw_unit *u, struct cw_callee *c) {
    if (c->is_queued || c->kind != CW_CALLEE_BODY)
        return;
    c->is_queued = true;
    if (has_enough_instances(u, c))
        return;
    cw_vec_push(&u->scratch, &u->queue, c);
}
