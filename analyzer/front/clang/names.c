/* Names and identities of functions, and what is known of a function that is called. */
#include "front/clang/lower.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PARENTS = 32 };

static bool has_name(CXCursor cursor) {
    enum CXCursorKind k = clang_getCursorKind(cursor);
    return !clang_Cursor_isNull(cursor) && !clang_isInvalid(k) && k != CXCursor_TranslationUnit;
}

const char *cw_clang_qualified(struct cw_unit *unit, CXCursor decl) {
    const char *part[MAX_PARENTS];
    size_t n = 0, length = 0;
    for (CXCursor c = decl; has_name(c) && n < MAX_PARENTS; c = clang_getCursorSemanticParent(c)) {
        if (clang_Cursor_isInlineNamespace(c) || clang_getCursorKind(c) == CXCursor_LinkageSpec)
            continue;
        part[n] = cw_clang_text(unit, clang_getCursorSpelling(c));
        length += strlen(part[n++]) + 2;
    }
    char *out = cw_arena_alloc(&unit->scratch, length + 1), *at = out;
    while (n--) {
        size_t size = strlen(part[n]);
        memcpy(at, part[n], size);
        at += size;
        if (n)
            *at++ = ':', *at++ = ':';
    }
    return cw_intern(&unit->module->names, out);
}

/* libclang shows the template arguments of functions, but not those of methods such as a generic lambda's operator();
 * the types of its parameters tell the instances of such a method apart. */
static void add_lambda_arguments(struct cw_unit *unit, CXCursor decl, struct cw_buf *key) {
    int n = clang_Cursor_getNumTemplateArguments(decl);
    if (n < 0)
        cw_buf_printf(key, "|%s", cw_clang_text(unit, clang_getTypeSpelling(
                                      clang_getCanonicalType(clang_getCursorType(decl)))));
    for (int i = 0; i < n; i++)
        if (clang_Cursor_getTemplateArgumentKind(decl, (unsigned)i) == CXTemplateArgumentKind_Type)
            cw_buf_printf(key, "|%s", cw_clang_text(unit, clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(
                                                           decl, (unsigned)i))));
}

/* A macro that names its argument several times makes as many lambdas of one place: AT_DISPATCH_FLOATING_TYPES has one
 * for each type. They are numbered in the order in which they are met. */
static uint32_t closure_number(struct cw_unit *unit, CXCursor decl, const char *place) {
    CXCursor parent = clang_getCursorSemanticParent(decl);
    enum CXCursorKind k = clang_getCursorKind(parent);
    if (k != CXCursor_ClassDecl && k != CXCursor_StructDecl)
        return 0;
    uint64_t number = 0, class_id = cw_clang_id(parent), count_id = (uint64_t)(uintptr_t)place;
    if (cw_map_get(&unit->closure_numbers, class_id, &number))
        return (uint32_t)number;
    cw_map_get(&unit->closure_numbers, count_id, &number);
    cw_map_put(&unit->closure_numbers, count_id, number + 1);
    cw_map_put(&unit->closure_numbers, class_id, number);
    return (uint32_t)number;
}

/* libclang's USR names template arguments too. Closure classes of one function share theirs ("@Sa"), so the location
 * of the name tells them apart (not the extent, which references and instances report differently), and the spelling
 * of types, which holds the location of a lambda. */
const char *cw_clang_key(struct cw_unit *unit, CXCursor decl) {
    const char *usr = cw_clang_text(unit, clang_getCursorUSR(decl));
    if (*usr && !strstr(usr, "@Sa"))
        return usr;
    CXSourceLocation at = clang_getCursorLocation(decl);
    struct cw_span s = cw_clang_range_span(unit, clang_getRange(at, at));
    struct cw_buf key = {0};
    cw_buf_printf(&key, "@%u:%u:%u", s.file, s.line, s.col);
    uint32_t number = closure_number(unit, decl, cw_intern_n(&unit->module->names, key.at, key.n));
    if (number)
        cw_buf_printf(&key, "#%u", number);
    cw_buf_puts(&key, usr);
    add_lambda_arguments(unit, decl, &key);
    const char *kept = cw_intern_n(&unit->module->names, key.at, key.n);
    cw_buf_free(&key);
    return kept;
}

/* libclang gives a template argument's value without its type. */
static bool is_bool_parameter(struct cw_unit *unit, CXCursor decl, unsigned index) {
    CXCursor pattern = clang_getSpecializedCursorTemplate(decl);
    struct cw_kids kids = cw_clang_kids(unit, pattern);
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

static const char *integral_text(struct cw_unit *unit, CXCursor decl, unsigned i) {
    long long value = clang_Cursor_getTemplateArgumentValue(decl, i);
    if ((value == 0 || value == -1) && is_bool_parameter(unit, decl, i))
        return value ? "true" : "false";
    return cw_arena_printf(&unit->scratch, "%lld", value);
}

const char *cw_clang_argument(struct cw_unit *unit, CXCursor decl, unsigned i) {
    switch (clang_Cursor_getTemplateArgumentKind(decl, i)) {
    case CXTemplateArgumentKind_Type:
        return cw_clang_text(unit, clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(decl, i)));
    case CXTemplateArgumentKind_Integral:
        return integral_text(unit, decl, i);
    case CXTemplateArgumentKind_Declaration: return "&";
    default: return "…";
    }
}

const char *cw_clang_display(struct cw_unit *unit, CXCursor decl) {
    const char *name = cw_clang_text(unit, clang_getCursorSpelling(decl));
    int n = clang_Cursor_getNumTemplateArguments(decl);
    if (n <= 0)
        return name;
    struct cw_buf text = {0};
    cw_buf_printf(&text, "%s<", name);
    for (int i = 0; i < n; i++)
        cw_buf_printf(&text, "%s%s", i ? ", " : "", cw_clang_argument(unit, decl, (unsigned)i));
    cw_buf_putc(&text, '>');
    name = cw_intern_n(&unit->module->names, text.at, text.n);
    cw_buf_free(&text);
    return name;
}

/* A user's function of the same name wins over the table: old code brings its own atomicAdd(double *, double). */
static void find_intrinsic(struct cw_unit *unit, struct cw_callee *callee) {
    bool is_users = callee->kind == CW_CALLEE_BODY &&
                    !clang_Location_isInSystemHeader(clang_getCursorLocation(callee->definition));
    if (is_users)
        return;
    const struct cw_intrinsic *row = cw_intrinsic_find(cw_clang_qualified(unit, callee->decl));
    if (!row || (row->flags & CW_INTR_BODY && callee->kind == CW_CALLEE_BODY))
        return;
    callee->intrinsic = row;
    callee->kind = CW_CALLEE_INTRINSIC;
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
static bool is_inherited_constructor(struct cw_unit *unit, const struct cw_callee *callee) {
    if (!callee->is_constructor || callee->is_defaulted || callee->kind != CW_CALLEE_BODY || !callee->nparam)
        return false;
    struct cw_kids kids = cw_clang_kids(unit, callee->definition);
    for (uint32_t i = 0; i < kids.n; i++)
        if (cw_clang_is_parameter(kids.at[i]))
            return false;
    return true;
}

/* libclang counts the parameters of functions, not those of their templates. A pack may be any number. */
static void count_parameters(struct cw_unit *unit, struct cw_callee *callee) {
    int n = clang_Cursor_getNumArguments(callee->decl);
    callee->nparam = n > 0 ? (uint32_t)n : 0;
    if (n >= 0 || clang_getCursorKind(callee->decl) != CXCursor_FunctionTemplate)
        return;
    struct cw_kids kids = cw_clang_kids(unit, callee->decl);
    for (uint32_t i = 0; i < kids.n; i++) {
        if (!cw_clang_is_parameter(kids.at[i]))
            continue;
        callee->nparam++;
        const char *type = cw_clang_text(unit, clang_getTypeSpelling(clang_getCursorType(kids.at[i])));
        callee->is_variadic |= cw_str_ends(cw_str_of(type), "...");
    }
}

static void read_attributes(struct cw_unit *unit, struct cw_callee *callee) {
    CXCursor where = clang_Cursor_isNull(callee->definition) ? callee->decl : callee->definition;
    enum CXCursorKind k = clang_getCursorKind(callee->decl);
    bool is_template = k == CXCursor_FunctionTemplate;
    callee->is_kernel = is_template ? cw_clang_template_is_kernel(unit, where)
                               : cw_clang_has_attr(unit, where, CXCursor_CUDAGlobalAttr);
    callee->is_device = callee->is_kernel || (is_template ? cw_clang_template_is_device(unit, where)
                                                : cw_clang_has_attr(unit, where, CXCursor_CUDADeviceAttr));
    callee->is_constructor = k == CXCursor_Constructor;
    callee->is_static = clang_CXXMethod_isStatic(callee->decl);
    callee->is_method = !callee->is_static && (k == CXCursor_CXXMethod || k == CXCursor_Constructor ||
                                     k == CXCursor_ConversionFunction || k == CXCursor_Destructor);
    callee->is_pattern = k == CXCursor_FunctionTemplate || is_in_class_template(callee->decl);
    /* In a class template whose base is dependent only the word tells. */
    callee->is_virtual = clang_CXXMethod_isVirtual(callee->decl) ||
                         (callee->is_pattern && callee->is_method &&
                          (cw_clang_has_attr(unit, callee->decl, CXCursor_CXXOverrideAttr) ||
                           cw_clang_has_attr(unit, callee->decl, CXCursor_CXXFinalAttr)));
    callee->is_defaulted = clang_CXXMethod_isDefaulted(callee->decl);
    callee->is_variadic = clang_Cursor_isVariadic(callee->decl);
    callee->result = clang_getCursorResultType(callee->decl);
    count_parameters(unit, callee);
    callee->is_inherited = is_inherited_constructor(unit, callee);
}

/* The row of a member function of CUB's classes, and the class that has it. */
static void find_collective(struct cw_unit *unit, struct cw_callee *callee) {
    const char *name = cw_clang_qualified(unit, callee->decl);
    int argument = cw_collective_base_argument(name);
    callee->collective_class = clang_getCursorSemanticParent(callee->decl);
    if (argument >= 0 && argument < clang_Cursor_getNumTemplateArguments(callee->collective_class)) {
        CXType derived = clang_Cursor_getTemplateArgumentType(callee->collective_class, (unsigned)argument);
        callee->collective_class = clang_getTypeDeclaration(clang_getCanonicalType(derived));
        name = cw_arena_printf(&unit->scratch, "%s::%s", cw_clang_qualified(unit, callee->collective_class),
                               callee->name);
    }
    callee->collective = cw_collective_find(name);
}

/* The template that the function is made of. That of a member template of a class template's instance, `K<int>::f`, is
 * an instance itself: of `K<T>::f`. */
static const char *find_pattern(struct cw_unit *unit, CXCursor decl) {
    const char *key = NULL;
    for (int step = 0; step < 4; step++) {
        decl = clang_getSpecializedCursorTemplate(decl);
        if (clang_Cursor_isNull(decl) || clang_isInvalid(clang_getCursorKind(decl)))
            break;
        key = cw_clang_key(unit, decl);
    }
    return key;
}

static struct cw_callee *describe_callee(struct cw_unit *unit, CXCursor decl) {
    struct cw_callee *c = CW_NEW(&unit->scratch, struct cw_callee);
    c->decl = decl;
    c->definition = clang_getCursorDefinition(decl);
    c->key = cw_clang_key(unit, decl);
    c->name = cw_clang_text(unit, clang_getCursorSpelling(decl));
    bool has_body = !clang_Cursor_isNull(c->definition) && !clang_isInvalid(clang_getCursorKind(c->definition));
    if (!has_body)
        c->definition = clang_getNullCursor();
    c->kind = has_body ? CW_CALLEE_BODY : CW_CALLEE_UNKNOWN;
    c->pattern = find_pattern(unit, decl);
    read_attributes(unit, c);
    find_intrinsic(unit, c);
    if (c->is_method && !c->is_constructor)
        find_collective(unit, c);
    return c;
}

struct cw_callee *cw_clang_callee(struct cw_unit *unit, CXCursor decl) {
    uint64_t found, id = cw_clang_id(decl);
    if (cw_map_get(&unit->callees, id, &found))
        return (struct cw_callee *)(uintptr_t)found;
    const char *key = cw_clang_key(unit, decl);
    struct cw_callee *c;
    if (cw_map_get(&unit->callees, (uint64_t)(uintptr_t)key, &found))
        c = (struct cw_callee *)(uintptr_t)found;
    else
        c = describe_callee(unit, decl);
    cw_map_put(&unit->callees, id, (uint64_t)(uintptr_t)c);
    cw_map_put(&unit->callees, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)c);
    return c;
}
