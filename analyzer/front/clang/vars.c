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

static cw_ref sreg(enum cw_sreg r) {
    return (cw_ref){CW_REF_SREG, r};
}

static bool is_file_scope(CXCursor decl) {
    enum CXCursorKind k = clang_getCursorKind(clang_getCursorSemanticParent(decl));
    return k == CXCursor_TranslationUnit || k == CXCursor_LinkageSpec || k == CXCursor_Namespace;
}

/* The first register when the cursor names threadIdx and the like, CW_NSREGS otherwise. */
static enum cw_sreg builtin_vector(struct cw_unit *u, CXCursor decl) {
    if (clang_getCursorKind(decl) != CXCursor_VarDecl || !is_file_scope(decl) ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(decl)))
        return CW_NSREGS;
    const char *name = cw_clang_text(u, clang_getCursorSpelling(decl));
    for (size_t i = 0; i < sizeof builtin_vectors / sizeof *builtin_vectors; i++)
        if (strcmp(name, builtin_vectors[i].name) == 0)
            return builtin_vectors[i].first;
    return strcmp(name, "warpSize") == 0 ? CW_WARPSIZE : CW_NSREGS;
}

/* `x` of threadIdx.x. In clang's own header it is a property without a name: the text has it. */
static char axis_of(struct cw_body *b, CXCursor e) {
    const char *name = cw_clang_text(b->u, clang_getCursorSpelling(e));
    if (*name)
        return name[1] ? 0 : *name;
    cw_str text = cw_clang_source(b->u, e);
    bool is_member = text.n >= 2 && (text.at[text.n - 2] == '.' || text.at[text.n - 2] == ' ');
    return is_member ? text.at[text.n - 1] : 0;
}

bool cw_clang_sreg(struct cw_body *b, CXCursor e, cw_ref *value) {
    CXCursor base = e;
    uint32_t axis = 0;
    if (clang_getCursorKind(e) == CXCursor_MemberRefExpr) {
        char name = axis_of(b, e);
        if (name < 'x' || name > 'z')
            return false;
        axis = (uint32_t)(name - 'x');
        struct cw_kids kids = cw_clang_kids(b->u, e);
        if (!kids.n)
            return false;
        base = cw_clang_peel(b->u, kids.at[0]);
    }
    if (clang_getCursorKind(base) != CXCursor_DeclRefExpr)
        return false;
    enum cw_sreg first = builtin_vector(b->u, clang_getCursorReferenced(base));
    if (first == CW_NSREGS || (first == CW_WARPSIZE) != clang_equalCursors(base, e))
        return false;
    *value = sreg((enum cw_sreg)((uint32_t)first + axis));
    return true;
}

/* threadIdx as a whole (`uint3 t = threadIdx`) is copied to a temporary. */
static cw_ref materialise(struct cw_body *b, enum cw_sreg first, CXType t) {
    cw_ref at = cw_clang_temp(b, t, "temporary");
    uint32_t n = first == CW_WARPSIZE ? 1 : 3;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref value = sreg((enum cw_sreg)((uint32_t)first + i));
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 4, value, cw_clang_offset(b, at, 4 * i));
    }
    return at;
}

static enum cw_space space_of(struct cw_unit *u, CXCursor decl) {
    bool is_extern = clang_Cursor_getStorageClass(decl) == CX_SC_Extern;
    struct cw_kids kids = clang_Cursor_hasAttrs(decl) ? cw_clang_kids(u, decl) : (struct cw_kids){NULL, 0};
    for (uint32_t i = 0; i < kids.n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids.at[i]);
        if (k == CXCursor_CUDASharedAttr)
            return is_extern ? CW_SPACE_DYNSHARED : CW_SPACE_SHARED;
        if (k == CXCursor_CUDAConstantAttr)
            return CW_SPACE_CONSTANT;
    }
    return clang_Cursor_hasVarDeclGlobalStorage(decl) == 1 ? CW_SPACE_GLOBAL : CW_SPACE_LOCAL;
}

static uint32_t innermost_size(struct cw_unit *u, CXType t) {
    while (cw_clang_type(u, t)->is_array)
        t = clang_getArrayElementType(clang_getCanonicalType(t));
    return (uint32_t)cw_clang_type(u, t)->size;
}

static struct cw_object object_of(struct cw_body *b, CXCursor decl, enum cw_space space) {
    CXType type = cw_clang_cursor_type(b->u, decl);
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    CXType element = t->canonical;
    while (cw_clang_type(b->u, element)->is_array)
        element = clang_getCanonicalType(clang_getArrayElementType(element));
    struct cw_object o = {.name = cw_clang_text(b->u, clang_getCursorSpelling(decl)), .space = space, .size = t->size,
                          .align = t->align, .element = innermost_size(b->u, type),
                          .loc = cw_clang_loc(b, decl), .type_text = cw_clang_text(b->u, clang_getTypeSpelling(type)),
                          .is_volatile = clang_isVolatileQualifiedType(element)};
    if (space == CW_SPACE_DYNSHARED)
        o.key = "dynshared", o.size = 0;
    else if (space != CW_SPACE_LOCAL)
        o.key = cw_clang_key(b->u, decl);
    return o;
}

void cw_clang_bind(struct cw_body *b, CXCursor decl, cw_ref addr, CXType type) {
    struct cw_var *v = CW_NEW(&b->u->scratch, struct cw_var);
    *v = (struct cw_var){addr, type};
    cw_map_put(&b->vars, cw_clang_id(decl), (uint64_t)(uintptr_t)v);
    if (b->u->errors.n)
        cw_clang_name(b, cw_clang_text(b->u, clang_getCursorSpelling(decl)), v);
}

static cw_ref bind_reference(struct cw_body *b, CXCursor init) {
    if (clang_Cursor_isNull(init))
        return cw_emit_opaque(b->at, CW_PTR, CW_BAIL_UNRESOLVED_NAME, NULL, 0);
    struct cw_kids kids = {NULL, 0};
    if (clang_getCursorKind(init) == CXCursor_InitListExpr && (kids = cw_clang_kids(b->u, init)).n == 1)
        init = kids.at[0];
    return cw_clang_addr(b, init);
}

void cw_clang_declare(struct cw_body *b, CXCursor var) {
    CXType type = cw_clang_cursor_type(b->u, var);
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    CXCursor init = clang_Cursor_getVarDeclInitializer(var);
    uint32_t outer = b->at.loc;
    b->at.loc = cw_clang_loc(b, var);
    enum cw_space space = space_of(b->u, var);
    if (t->is_reference && space == CW_SPACE_LOCAL) {
        cw_clang_bind(b, var, bind_reference(b, init), clang_getPointeeType(t->canonical));
    } else {
        cw_ref at = cw_fn_add_object(b->fn, object_of(b, var, space));
        cw_clang_bind(b, var, at, type);
        if (space == CW_SPACE_LOCAL && !clang_Cursor_isNull(init))
            cw_clang_init(b, init, at, type);
        else if (space == CW_SPACE_LOCAL && t->shape == CW_SHAPE_SCALAR && cw_clang_lost_initialiser(b, var))
            cw_clang_store(b, cw_clang_unknown(b, type, CW_BAIL_BROKEN_CODE, NULL, 0), at, type);
        cw_clang_note_destructor(b, type);
    }
    b->at.loc = outer;
}

static struct cw_global *global(struct cw_body *b, CXCursor decl) {
    uint64_t found, id = cw_clang_id(decl);
    if (cw_map_get(&b->u->globals, id, &found))
        return (struct cw_global *)(uintptr_t)found;
    struct cw_global *g = CW_NEW(&b->u->scratch, struct cw_global);
    g->type = cw_clang_cursor_type(b->u, decl);
    const struct cw_ctype *t = cw_clang_type(b->u, g->type);
    g->kind = t->kind;
    CXCursor home = clang_Cursor_isNull(clang_getCursorDefinition(decl)) ? decl : clang_getCursorDefinition(decl);
    if (t->is_const && t->shape == CW_SHAPE_SCALAR && cw_type_is_int(t->kind.type) && !t->is_volatile)
        g->is_const = cw_clang_evaluate(home, &g->value) || cw_clang_evaluate(decl, &g->value);
    g->object = object_of(b, home, space_of(b->u, home));
    if (g->object.space == CW_SPACE_LOCAL)
        g->object.space = CW_SPACE_UNKNOWN, g->object.key = cw_clang_key(b->u, decl);
    cw_map_put(&b->u->globals, id, (uint64_t)(uintptr_t)g);
    return g;
}

bool cw_clang_var_const(struct cw_body *b, CXCursor decl, cw_ref *value) {
    if (clang_getCursorKind(decl) != CXCursor_VarDecl || clang_Cursor_hasVarDeclGlobalStorage(decl) != 1)
        return false;
    if (!clang_isConstQualifiedType(clang_getCanonicalType(cw_clang_cursor_type(b->u, decl))))
        return false;
    struct cw_global *g = global(b, decl);
    if (g->is_const)
        *value = cw_fn_const(b->fn, g->kind.type, g->value);
    return g->is_const;
}

static cw_ref global_addr(struct cw_body *b, CXCursor decl) {
    struct cw_global *g = global(b, decl);
    const struct cw_ctype *t = cw_clang_type(b->u, g->type);
    struct cw_object o = g->object;
    o.loc = cw_clang_loc(b, decl);
    cw_ref at = cw_fn_add_object(b->fn, o);
    return t->is_reference ? cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, at) : at;
}

cw_ref cw_clang_var_addr(struct cw_body *b, CXCursor decl) {
    uint64_t found;
    if (cw_map_get(&b->vars, cw_clang_id(decl), &found))
        return ((struct cw_var *)(uintptr_t)found)->addr;
    cw_ref captured = cw_clang_lambda_capture(b, cw_clang_id(decl));
    if (captured.tag != CW_REF_NONE)
        return captured;
    if (clang_getCursorKind(decl) != CXCursor_VarDecl)
        return CW_NONE;
    enum cw_sreg first = builtin_vector(b->u, decl);
    if (first != CW_NSREGS)
        return materialise(b, first, cw_clang_cursor_type(b->u, decl));
    if (clang_Cursor_hasVarDeclGlobalStorage(decl) == 1)
        return global_addr(b, decl);
    if (!b->declares_on_use)
        return CW_NONE;
    b->declares_on_use = false;
    cw_clang_declare(b, decl);
    return cw_clang_var_addr(b, decl);
}
