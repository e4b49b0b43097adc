/* libclang's types as the IR sees them. Cached by type: asking libclang for sizes is dear. */
#include "front/clang/lower.h"

#include <string.h>

static const struct cw_kind scalar_of[] = {
    [CXType_Bool] = {CW_I1, false},        [CXType_Char_U] = {CW_I8, false},    [CXType_UChar] = {CW_I8, false},
    [CXType_Char16] = {CW_I16, false},     [CXType_Char32] = {CW_I32, false},   [CXType_UShort] = {CW_I16, false},
    [CXType_UInt] = {CW_I32, false},       [CXType_ULong] = {CW_I64, false},    [CXType_ULongLong] = {CW_I64, false},
    [CXType_Char_S] = {CW_I8, true},       [CXType_SChar] = {CW_I8, true},      [CXType_WChar] = {CW_I32, true},
    [CXType_Short] = {CW_I16, true},       [CXType_Int] = {CW_I32, true},       [CXType_Long] = {CW_I64, true},
    [CXType_LongLong] = {CW_I64, true},    [CXType_Float] = {CW_F32, true},     [CXType_Double] = {CW_F64, true},
    [CXType_LongDouble] = {CW_F64, true},  [CXType_NullPtr] = {CW_PTR, false},  [CXType_Half] = {CW_F16, true},
    [CXType_Float16] = {CW_F16, true},     [CXType_BFloat16] = {CW_F16, true},  [CXType_Pointer] = {CW_PTR, false},
    [CXType_LValueReference] = {CW_PTR, false}, [CXType_RValueReference] = {CW_PTR, false},
};

static bool scalar_kind(enum CXTypeKind k, struct cw_kind *kind) {
    if ((size_t)k >= sizeof scalar_of / sizeof *scalar_of || scalar_of[k].type == CW_VOID)
        return false;
    *kind = scalar_of[k];
    return true;
}

/* Handles of cooperative groups: thread_block, grid_group, thread_block_tile …, and the bases that the toolkit's own
 * headers make them from. */
static bool names_group(const char *name) {
    size_t n = strlen(name);
    return strstr(name, "thread_block") || strstr(name, "thread_group") || strcmp(name, "thread_") == 0 ||
           (n > 6 && strcmp(name + n - 6, "_group") == 0) || (n > 10 && strcmp(name + n - 10, "_tile_base") == 0);
}

bool cw_clang_is_group(struct cw_unit *unit, CXType type) {
    CXCursor decl = clang_getTypeDeclaration(type);
    return names_group(cw_clang_text(unit, clang_getCursorSpelling(decl))) &&
           strncmp(cw_clang_qualified(unit, decl), "cooperative_groups::", 20) == 0;
}

static struct cw_kind enum_kind(CXType type) {
    CXType under = clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(type)));
    struct cw_kind kind = {CW_I32, true};
    scalar_kind(under.kind, &kind);
    return kind;
}

/* libclang crashes when asked for the size of one of clang's placeholder types, so only these are asked about. */
static bool has_layout(enum CXTypeKind k) {
    struct cw_kind ignored;
    return scalar_kind(k, &ignored) || k == CXType_Record || k == CXType_Enum || k == CXType_ConstantArray ||
           k == CXType_Vector || k == CXType_ExtVector || k == CXType_Int128 || k == CXType_UInt128 ||
           k == CXType_Complex;
}

static bool is_dependent(enum CXTypeKind k) {
    return k == CXType_Dependent || k == CXType_Unexposed || k == CXType_DependentSizedArray || k == CXType_Auto;
}

/* A class that clang could not lay out, or an array of such. What clang takes for its size in constant expressions
 * is wrong: where elements of such a class lie, and what lies behind them, nobody can say. */
static bool measure_made_up(struct cw_unit *unit, struct cw_ctype *out) {
    CXType t = out->canonical;
    if (t.kind == CXType_Record && cw_clang_needs_made_layout(unit, t)) {
        out->room = cw_clang_made_layout(unit, t).size;
        return true;
    }
    if (t.kind != CXType_ConstantArray)
        return false;
    const struct cw_ctype *element = cw_clang_type(unit, clang_getArrayElementType(t));
    long long n = clang_getArraySize(t);
    if (!element->is_made_up || n <= 0 || (uint64_t)n >= UINT32_MAX / element->room)
        return false;
    out->room = element->room * (uint64_t)n;
    return true;
}

/* `auto s[64]` of broken code, of whose size libclang crashes. */
static bool is_of_undeduced(CXType type) {
    enum { MAX_DIMENSIONS = 16 };
    for (int i = 0; i < MAX_DIMENSIONS; i++) {
        CXType element = clang_getArrayElementType(type);
        if (element.kind == CXType_Invalid)
            break;
        type = clang_getCanonicalType(element);
    }
    return type.kind == CXType_Auto;
}

/* Returns the size, or an error of libclang's. */
static long long measure_type(struct cw_unit *unit, struct cw_ctype *out) {
    CXType t = out->canonical;
    out->is_made_up = measure_made_up(unit, out);
    if (out->is_made_up)
        return 0;
    long long size = has_layout(t.kind) && !is_of_undeduced(t) ? clang_Type_getSizeOf(t) : -1;
    out->size = size > 0 ? (uint64_t)size : 0;
    if (size > 0) {
        long long align = clang_Type_getAlignOf(t);
        out->align = align > 0 ? (uint32_t)align : 0;
    }
    return size;
}

static void classify_type(struct cw_unit *unit, struct cw_ctype *out) {
    CXType t = out->canonical;
    long long size = measure_type(unit, out);
    out->is_dependent = is_dependent(t.kind) || size == CXTypeLayoutError_Dependent;
    out->shape = CW_SHAPE_UNKNOWN;
    out->kind = (struct cw_kind){CW_AGG, false};
    switch (t.kind) {
    case CXType_Void: out->shape = CW_SHAPE_VOID, out->kind.type = CW_VOID; return;
    case CXType_Record:
        out->shape = CW_SHAPE_OBJECT;
        if (cw_clang_is_group(unit, t))
            *out = (struct cw_ctype){.shape = CW_SHAPE_SCALAR, .kind = {CW_GROUP, false}, .size = 8, .align = 8,
                                     .canonical = t};
        return;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_DependentSizedArray: out->shape = CW_SHAPE_OBJECT, out->is_array = true; return;
    case CXType_Enum: out->shape = CW_SHAPE_SCALAR, out->kind = enum_kind(t); return;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: out->is_function = true; return;
    default: break;
    }
    if (scalar_kind(t.kind, &out->kind))
        out->shape = CW_SHAPE_SCALAR;
    out->is_reference = t.kind == CXType_LValueReference || t.kind == CXType_RValueReference;
    if (out->kind.type == CW_PTR)
        out->size = 8, out->align = 8, out->is_dependent = false;
}

const struct cw_ctype *cw_clang_type(struct cw_unit *unit, CXType type) {
    uint64_t found, key = (uint64_t)(uintptr_t)type.data[0];
    if (key && cw_map_get(&unit->types, key, &found))
        return (const struct cw_ctype *)(uintptr_t)found;
    struct cw_ctype *out = CW_NEW(&unit->scratch, struct cw_ctype);
    out->canonical = clang_getCanonicalType(type);
    if (key) /* first: broken code may have a class that contains itself */
        cw_map_put(&unit->types, key, (uint64_t)(uintptr_t)out);
    classify_type(unit, out);
    out->is_volatile = clang_isVolatileQualifiedType(out->canonical);
    out->is_const = clang_isConstQualifiedType(out->canonical);
    return out;
}

static bool is_array(enum CXTypeKind k) {
    return k == CXType_ConstantArray || k == CXType_IncompleteArray || k == CXType_VariableArray ||
           k == CXType_DependentSizedArray;
}

/* The operand that gives an expression of pointer type its "array" type. */
static bool decayed_operand(struct cw_unit *unit, CXCursor *cursor) {
    enum CXCursorKind k = clang_getCursorKind(*cursor);
    enum CXUnaryOperatorKind op = k == CXCursor_UnaryOperator ? clang_getCursorUnaryOperatorKind(*cursor) : 0;
    bool passes = k == CXCursor_UnexposedExpr || k == CXCursor_ParenExpr || k == CXCursor_BinaryOperator ||
                  k == CXCursor_CompoundAssignOperator || k == CXCursor_ConditionalOperator ||
                  (k == CXCursor_UnaryOperator && op != CXUnaryOperator_Deref);
    struct cw_kids kids = passes ? cw_clang_kids(unit, *cursor) : (struct cw_kids){NULL, 0};
    for (uint32_t i = kids.n; i-- > 0;)
        if (is_array(clang_getCanonicalType(clang_getCursorType(kids.at[i])).kind)) {
            *cursor = kids.at[i];
            return true;
        }
    return false;
}

/* An argument converted to such a parameter's type: its operand is a pointer already. */
static bool converted_pointer(struct cw_unit *unit, CXCursor cursor, CXType *type) {
    if (clang_getCursorKind(cursor) != CXCursor_UnexposedExpr)
        return false;
    struct cw_kids kids = cw_clang_kids(unit, cursor);
    if (kids.n != 1)
        return false;
    *type = clang_getCursorType(kids.at[0]);
    enum CXTypeKind k = clang_getCanonicalType(*type).kind;
    return k == CXType_Pointer || k == CXType_NullPtr;
}

static CXType told_type(struct cw_unit *unit, CXCursor cursor) {
    struct cw_known_expr *known = cw_clang_known(unit, cursor);
    if (!known)
        return clang_getCursorType(cursor);
    if (!known->has_type)
        known->type = clang_getCursorType(cursor);
    known->has_type = true;
    return known->type;
}

/* libclang shows a parameter `int a[4]`, and every expression of its type, as the array that was written; it is a
 * pointer. The function's type has the true one, see cw_clang_lower. */
CXType cw_clang_cursor_type(struct cw_unit *unit, CXCursor cursor) {
    CXType t = told_type(unit, cursor);
    uint64_t found;
    bool is_plain = t.kind == CXType_Pointer || (t.kind >= CXType_FirstBuiltin && t.kind <= CXType_LastBuiltin);
    if (!is_array(t.kind) && (is_plain || !is_array(clang_getCanonicalType(t).kind)))
        return t;
    CXType pointer;
    for (int i = 0; i < 64; i++) {
        enum CXCursorKind k = clang_getCursorKind(cursor);
        uint64_t id = cw_clang_id(k == CXCursor_DeclRefExpr ? clang_getCursorReferenced(cursor) : cursor);
        if (k == CXCursor_DeclRefExpr || k == CXCursor_ParmDecl)
            return cw_map_get(&unit->decayed, id, &found) ? *(CXType *)(uintptr_t)found : t;
        if (converted_pointer(unit, cursor, &pointer))
            return pointer;
        if (!unit->decayed.n || !decayed_operand(unit, &cursor))
            return t;
    }
    return t;
}

const struct cw_ctype *cw_clang_type_of(struct cw_unit *unit, CXCursor cursor) {
    return cw_clang_type(unit, cw_clang_cursor_type(unit, cursor));
}

bool cw_clang_same_type(CXType type, CXType other) {
    if (type.kind == CXType_Invalid || other.kind == CXType_Invalid)
        return false; /* libclang crashes on them */
    type = clang_getUnqualifiedType(clang_getCanonicalType(type));
    other = clang_getUnqualifiedType(clang_getCanonicalType(other));
    return clang_equalTypes(type, other);
}

int64_t cw_clang_pointee_size(struct cw_unit *unit, CXType pointer) {
    CXType to = clang_getPointeeType(cw_clang_type(unit, pointer)->canonical);
    const struct cw_ctype *t = cw_clang_type(unit, to);
    if (t->shape == CW_SHAPE_VOID || t->is_function)
        return 1;
    return t->size ? (int64_t)t->size : -1;
}
