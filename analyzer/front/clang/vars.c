/* Variables: which object a name stands for. */
#include "front/clang/lower.h"

#include <string.h>

struct cw_global {
    bool is_const;
    struct cw_kind kind;
    int64_t value;
    struct cw_object object;
    CXType type;
};

static const struct {
    const char *name;
    enum cw_sreg first;
} builtin_vectors[] = {
    {"threadIdx", CW_TID_X}, {"blockIdx", CW_CTAID_X}, {"blockDim", CW_NTID_X}, {"gridDim", CW_NCTAID_X}};

static cw_ref sreg_ref(enum cw_sreg r) {
    return (cw_ref){CW_REF_SREG, r};
}

static bool is_file_scope(CXCursor decl) {
    enum CXCursorKind k = clang_getCursorKind(clang_getCursorSemanticParent(decl));
    return k == CXCursor_TranslationUnit || k == CXCursor_LinkageSpec || k == CXCursor_Namespace;
}

/* The first register when the cursor names threadIdx and the like, CW_NSREGS otherwise. */
static enum cw_sreg builtin_vector(struct cw_unit *unit, CXCursor decl) {
    if (clang_getCursorKind(decl) != CXCursor_VarDecl || !is_file_scope(decl) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(decl)))
        return CW_NSREGS;
    const char *name = cw_clang_text(unit, clang_getCursorSpelling(decl));
    for (size_t i = 0; i < sizeof builtin_vectors / sizeof *builtin_vectors; i++)
        if (strcmp(name, builtin_vectors[i].name) == 0)
            return builtin_vectors[i].first;
    return strcmp(name, "warpSize") == 0 ? CW_WARPSIZE : CW_NSREGS;
}

/* `x` of threadIdx.x. In clang's own header it is a property without a name: the text has it. */
static char axis_of(struct cw_body *body, CXCursor cursor) {
    const char *name = cw_clang_text(body->u, clang_getCursorSpelling(cursor));
    if (*name)
        return name[1] ? 0 : *name;
    cw_str text = cw_clang_source(body->u, cursor);
    bool is_member = text.n >= 2 && (text.at[text.n - 2] == '.' || text.at[text.n - 2] == ' ');
    return is_member ? text.at[text.n - 1] : 0;
}

bool cw_clang_sreg(struct cw_body *body, CXCursor cursor, cw_ref *value) {
    CXCursor base = cursor;
    uint32_t axis = 0;
    if (clang_getCursorKind(cursor) == CXCursor_MemberRefExpr) {
        char name = axis_of(body, cursor);
        if (name < 'x' || name > 'z')
            return false;
        axis = (uint32_t)(name - 'x');
        struct cw_kids kids = cw_clang_kids(body->u, cursor);
        if (!kids.n)
            return false;
        base = cw_clang_peel(body->u, kids.at[0]);
    }
    if (clang_getCursorKind(base) != CXCursor_DeclRefExpr)
        return false;
    enum cw_sreg first = builtin_vector(body->u, clang_getCursorReferenced(base));
    if (first == CW_NSREGS || (first == CW_WARPSIZE) != clang_equalCursors(base, cursor))
        return false;
    *value = sreg_ref((enum cw_sreg)((uint32_t)first + axis));
    return true;
}

/* threadIdx as a whole (`uint3 t = threadIdx`) is copied to a temporary. */
static cw_ref materialise_sreg(struct cw_body *body, enum cw_sreg first, CXType type) {
    cw_ref at = cw_clang_temp(body, type, "temporary");
    uint32_t n = first == CW_WARPSIZE ? 1 : 3;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref value = sreg_ref((enum cw_sreg)((uint32_t)first + i));
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 4, value, cw_at_offset(body->at, at, 4 * i));
    }
    return at;
}

static enum cw_space space_of(struct cw_unit *unit, CXCursor decl) {
    bool is_extern = clang_Cursor_getStorageClass(decl) == CX_SC_Extern;
    struct cw_kids kids = clang_Cursor_hasAttrs(decl) ? cw_clang_kids(unit, decl) : (struct cw_kids){NULL, 0};
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids.at[i]);
        if (k == CXCursor_CUDASharedAttr)
            return is_extern ? CW_SPACE_DYNSHARED : CW_SPACE_SHARED;
        if (k == CXCursor_CUDAConstantAttr)
            return CW_SPACE_CONSTANT;
    }
    return clang_Cursor_hasVarDeclGlobalStorage(decl) == 1 ? CW_SPACE_GLOBAL : CW_SPACE_LOCAL;
}

static uint32_t innermost_size(struct cw_unit *unit, CXType type) {
    while (cw_clang_type(unit, type)->is_array)
        type = clang_getArrayElementType(clang_getCanonicalType(type));
    return (uint32_t)cw_clang_type(unit, type)->size;
}

static struct cw_object object_of(struct cw_body *body, CXCursor decl, enum cw_space space) {
    CXType type = cw_clang_cursor_type(body->u, decl);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    CXType element = t->canonical, row = t->canonical;
    while (cw_clang_type(body->u, element)->is_array) {
        row = element;
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    }
    uint64_t row_bytes = cw_clang_type(body->u, row)->size;
    struct cw_object o = {.name = cw_clang_text(body->u, clang_getCursorSpelling(decl)),
                          .space = space,
                          .size = t->size,
                          .align = t->align,
                          .element = innermost_size(body->u, type),
                          .row = row_bytes < t->size && row_bytes <= UINT32_MAX ? (uint32_t)row_bytes : 0,
                          .loc = cw_clang_loc(body, decl),
                          .type_text = cw_clang_text(body->u, clang_getTypeSpelling(type)),
                          .is_volatile = clang_isVolatileQualifiedType(element)};
    if (space == CW_SPACE_DYNSHARED)
        o.key = "dynshared", o.size = 0;
    else if (space != CW_SPACE_LOCAL)
        o.key = cw_clang_key(body->u, decl);
    return o;
}

void cw_clang_bind(struct cw_body *body, CXCursor decl, cw_ref addr, CXType type) {
    struct cw_var *v = CW_NEW(&body->u->scratch, struct cw_var);
    *v = (struct cw_var){addr, type};
    cw_map_put(&body->vars, cw_clang_id(decl), (uint64_t)(uintptr_t)v);
    if (body->u->errors.n)
        cw_clang_name(body, cw_clang_text(body->u, clang_getCursorSpelling(decl)), v);
}

static cw_ref bind_reference(struct cw_body *body, CXCursor init) {
    if (clang_Cursor_isNull(init))
        return cw_emit_opaque(body->at, CW_PTR, CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    struct cw_kids kids = {NULL, 0};
    if (clang_getCursorKind(init) == CXCursor_InitListExpr && (kids = cw_clang_kids(body->u, init)).n == 1)
        init = kids.at[0];
    return cw_clang_addr(body, init);
}

/* `at` holds what a constant variable or parameter of host code is: an object that nothing else writes. Of a large
 * one, `at` itself. */
cw_ref cw_clang_constant(struct cw_body *body, CXCursor var, cw_ref at) {
    enum { MAX_CONSTANT = 64 };
    CXType type = cw_clang_cursor_type(body->u, var);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    bool is_number = t->kind.type == CW_PTR || cw_type_is_int(t->kind.type);
    bool is_plain = t->shape == CW_SHAPE_OBJECT || (t->shape == CW_SHAPE_SCALAR && is_number);
    if (body->fn->kind != CW_FN_HOST || !is_plain || t->is_volatile || !t->size || t->size > MAX_CONSTANT ||
        t->is_array || !clang_isConstQualifiedType(clang_getCanonicalType(type)))
        return at;
    struct cw_object object = object_of(body, var, CW_SPACE_LOCAL);
    object.is_const = true;
    cw_ref constant = cw_fn_add_object(body->fn, object);
    if (t->shape == CW_SHAPE_OBJECT)
        cw_clang_copy(body, constant, at, type);
    else
        cw_clang_store(body, cw_clang_load(body, at, type), constant, type);
    return constant;
}

void cw_clang_declare(struct cw_body *body, CXCursor var) {
    CXType type = cw_clang_cursor_type(body->u, var);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    CXCursor init = clang_Cursor_getVarDeclInitializer(var);
    uint32_t outer = body->at.loc;
    body->at.loc = cw_clang_loc(body, var);
    cw_clang_check_type(body, var);
    enum cw_space space = space_of(body->u, var);
    if (t->is_reference && space == CW_SPACE_LOCAL) {
        cw_clang_bind(body, var, bind_reference(body, init), clang_getPointeeType(t->canonical));
    } else {
        cw_ref at = cw_fn_add_object(body->fn, object_of(body, var, space));
        cw_clang_bind(body, var, at, type);
        if (space == CW_SPACE_LOCAL && !clang_Cursor_isNull(init)) {
            cw_clang_init(body, init, at, type);
            cw_clang_bind(body, var, cw_clang_constant(body, var, at), type);
        }
        bool is_lost = space == CW_SPACE_LOCAL && clang_Cursor_isNull(init) && cw_clang_lost_initialiser(body, var);
        if (is_lost && t->shape == CW_SHAPE_SCALAR)
            cw_clang_store(body, cw_clang_unknown(body, type, CW_BAIL_BROKEN_CODE, NULL, 0), at, type);
        else if (is_lost)
            cw_at_clobber(body->at, &body->u->scratch, at, CW_BAIL_BROKEN_CODE, NULL, 0);
        cw_clang_note_destructor(body, type);
    }
    body->at.loc = outer;
}

static struct cw_global *global_of(struct cw_body *body, CXCursor decl) {
    uint64_t found, id = cw_clang_id(decl);
    if (cw_map_get(&body->u->globals, id, &found))
        return (struct cw_global *)(uintptr_t)found;
    struct cw_global *g = CW_NEW(&body->u->scratch, struct cw_global);
    g->type = cw_clang_cursor_type(body->u, decl);
    const struct cw_ctype *t = cw_clang_type(body->u, g->type);
    g->kind = t->kind;
    CXCursor home = clang_Cursor_isNull(clang_getCursorDefinition(decl)) ? decl : clang_getCursorDefinition(decl);
    if (t->is_const && t->shape == CW_SHAPE_SCALAR && cw_type_is_int(t->kind.type) && !t->is_volatile)
        g->is_const = cw_clang_evaluate(home, &g->value) || cw_clang_evaluate(decl, &g->value);
    g->object = object_of(body, home, space_of(body->u, home));
    if (g->object.space == CW_SPACE_LOCAL)
        g->object.space = CW_SPACE_UNKNOWN, g->object.key = cw_clang_key(body->u, decl);
    cw_map_put(&body->u->globals, id, (uint64_t)(uintptr_t)g);
    return g;
}

bool cw_clang_var_const(struct cw_body *body, CXCursor decl, cw_ref *value) {
    if (clang_getCursorKind(decl) != CXCursor_VarDecl || clang_Cursor_hasVarDeclGlobalStorage(decl) != 1)
        return false;
    if (!clang_isConstQualifiedType(clang_getCanonicalType(cw_clang_cursor_type(body->u, decl))))
        return false;
    struct cw_global *g = global_of(body, decl);
    if (g->is_const)
        *value = cw_fn_const(body->fn, g->kind.type, g->value);
    return g->is_const;
}

static cw_ref global_addr(struct cw_body *body, CXCursor decl) {
    struct cw_global *g = global_of(body, decl);
    const struct cw_ctype *t = cw_clang_type(body->u, g->type);
    struct cw_object o = g->object;
    o.loc = cw_clang_loc(body, decl);
    cw_ref at = cw_fn_add_object(body->fn, o);
    return t->is_reference ? cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, at) : at;
}

/* Is the type a pointer to a function, an array of such, or a class with one of these? */
static bool holds_function(struct cw_body *body, CXType type, int depth) {
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray)
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    if (type.kind != CXType_Record || depth == 0)
        return clang_getPointeeType(type).kind == CXType_FunctionProto;
    struct cw_kids fields = cw_clang_fields(body->u, type);
    bool holds = false;
    for (uint32_t i = 0; i < fields.n && !holds; i++)
        holds = holds_function(body, clang_getCursorType(fields.at[i]), depth - 1);
    return holds;
}

/* Of an array its elements, or itself. */
static bool is_const(CXType type) {
    type = clang_getCanonicalType(type);
    while (type.kind == CXType_ConstantArray && !clang_isConstQualifiedType(type))
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return clang_isConstQualifiedType(type);
}

/* `static constexpr auto kernel = reduce<256>;` that host code hands on by reference, and `static const kernel_type
 * kernels[] = {…};`: a variable of its own with these addresses. */
static cw_ref constant_function(struct cw_body *body, CXCursor decl) {
    enum { MAX_NESTED = 3, MAX_BYTES = 4096 };
    if (body->fn->kind != CW_FN_HOST)
        return CW_NONE;
    CXType type = cw_clang_cursor_type(body->u, decl);
    CXCursor init = clang_Cursor_getVarDeclInitializer(decl);
    if (clang_Cursor_isNull(init) || !is_const(type) || cw_clang_type(body->u, type)->size > MAX_BYTES ||
        !holds_function(body, type, MAX_NESTED))
        return CW_NONE;
    cw_ref at = cw_clang_temp(body, type, cw_clang_text(body->u, clang_getCursorSpelling(decl)));
    cw_clang_init(body, init, at, type);
    return at;
}

cw_ref cw_clang_var_addr(struct cw_body *body, CXCursor decl) {
    uint64_t found;
    if (cw_map_get(&body->vars, cw_clang_id(decl), &found))
        return ((struct cw_var *)(uintptr_t)found)->addr;
    cw_ref captured = cw_clang_lambda_capture(body, cw_clang_id(decl));
    if (captured.tag != CW_REF_NONE)
        return captured;
    if (clang_getCursorKind(decl) != CXCursor_VarDecl)
        return CW_NONE;
    enum cw_sreg first = builtin_vector(body->u, decl);
    if (first != CW_NSREGS)
        return materialise_sreg(body, first, cw_clang_cursor_type(body->u, decl));
    if (clang_Cursor_hasVarDeclGlobalStorage(decl) == 1) {
        cw_ref constant = constant_function(body, decl);
        return constant.tag != CW_REF_NONE ? constant : global_addr(body, decl);
    }
    if (!body->declares_on_use)
        return CW_NONE;
    body->declares_on_use = false;
    cw_clang_declare(body, decl);
    return cw_clang_var_addr(body, decl);
}
