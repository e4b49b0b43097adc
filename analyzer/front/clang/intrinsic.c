/* Calls of the device API: arguments as front/intrinsic_lower.c wants them. */
#include "front/intrinsic_lower.h"

#include "front/clang/lower.h"

#include <string.h>

enum { MAX_ARGS = 24 };

cw_ref cw_clang_group_value(struct cw_body *b, CXCursor e) {
    cw_ref v = cw_clang_operand(b, e);
    enum cw_type t = cw_ref_type(b->fn, v);
    if (t == CW_PTR)
        return cw_emit1(b->at, CW_OP_LOAD, CW_GROUP, 8, v);
    if (t == CW_GROUP)
        return v;
    return cw_emit_opaque(b->at, CW_GROUP, CW_BAIL_UNSUPPORTED_EXPR, &v, v.tag != CW_REF_NONE);
}

static const char *class_name(struct cw_unit *u, CXType t) {
    t = clang_getCanonicalType(t);
    if (t.kind == CXType_LValueReference || t.kind == CXType_RValueReference)
        t = clang_getCanonicalType(clang_getPointeeType(t));
    return t.kind == CXType_Record ? cw_clang_qualified(u, clang_getTypeDeclaration(t)) : NULL;
}

static bool is_group_type(struct cw_unit *u, CXType t) {
    return cw_clang_type(u, t)->kind.type == CW_GROUP;
}

/* A class that is one scalar (__half) goes as that scalar. */
static bool only_leaf(struct cw_body *b, CXType t, struct cw_leaf *leaf) {
    const struct cw_leaves *leaves = cw_clang_leaves(b->u, t);
    if (!leaves->is_split || leaves->n != 1 || leaves->at[0].size != cw_clang_type(b->u, t)->size)
        return false;
    *leaf = leaves->at[0];
    return true;
}

static cw_ref object_value(struct cw_body *b, cw_ref at, CXType t) {
    struct cw_leaf leaf;
    return only_leaf(b, t, &leaf) ? cw_emit1(b->at, CW_OP_LOAD, leaf.kind.type, leaf.size, at)
                                  : cw_clang_load(b, at, t);
}

/* Roles that mean the place an argument denotes; the others mean its value, even when it is passed by reference. */
static bool means_place(char role) {
    return role == 'o' || role == 'r' || role == 'p' || role == 'q';
}

/* A template argument of a call (tiled_partition<32>) or of a class (thread_block_tile<32>). */
static int64_t template_argument(CXCursor decl, unsigned index) {
    if (clang_Cursor_getNumTemplateArguments(decl) <= (int)index ||
        clang_Cursor_getTemplateArgumentKind(decl, index) != CXTemplateArgumentKind_Integral)
        return -1;
    return clang_Cursor_getTemplateArgumentValue(decl, index);
}

static int64_t class_argument(CXType t) {
    t = clang_getCanonicalType(t);
    return t.kind == CXType_Record ? template_argument(clang_getTypeDeclaration(t), 0) : -1;
}

static struct cw_intrinsic_arg describe(struct cw_body *b, CXCursor arg, CXType param, char role) {
    CXType own = cw_clang_cursor_type(b->u, arg);
    const struct cw_ctype *p = cw_clang_type(b->u, param), *t = cw_clang_type(b->u, own);
    struct cw_intrinsic_arg out = {.class_name = class_name(b->u, own), .class_n = class_argument(own),
                                   .bytes = (uint32_t)t->size};
    if (is_group_type(b->u, own)) {
        out.value = cw_clang_group_value(b, arg);
        out.kind.type = CW_GROUP;
        return out;
    }
    if (p->is_reference && (means_place(role) || cw_intrinsic_is_texture(out.class_name))) {
        out.value = cw_clang_addr(b, arg);
        out.kind.type = CW_PTR;
        out.pointee = (uint32_t)t->size;
        return out;
    }
    bool is_object = t->shape == CW_SHAPE_OBJECT && !t->is_array;
    out.value = cw_clang_operand(b, arg);
    if (is_object)
        out.value = object_value(b, out.value, own);
    out.kind = (struct cw_kind){cw_ref_type(b->fn, out.value), t->kind.is_signed};
    if (out.kind.type == CW_PTR && t->kind.type == CW_PTR) {
        int64_t size = cw_clang_pointee_size(b->u, own);
        out.pointee = size > 0 ? (uint32_t)size : 0;
    }
    return out;
}

static void result_of(struct cw_body *b, CXType t, cw_ref dest, struct cw_intrinsic_call *call) {
    const struct cw_ctype *r = cw_clang_type(b->u, t);
    call->result = r->kind;
    call->result_bytes = (uint32_t)r->size;
    call->result_at = CW_NONE;
    struct cw_leaf leaf;
    if (r->shape == CW_SHAPE_OBJECT && only_leaf(b, t, &leaf))
        call->result = leaf.kind;
    if (r->shape == CW_SHAPE_OBJECT)
        call->result_at = dest.tag != CW_REF_NONE ? dest : cw_clang_temp(b, t, "result");
}

static bool is_real(CXCursor c) {
    return !clang_Cursor_isNull(c) && !clang_isInvalid(clang_getCursorKind(c));
}

static uint32_t object_argument(struct cw_body *b, CXCursor e, struct cw_intrinsic_arg *out, uint32_t *from) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CXCursor member = kids.n ? cw_clang_peel(b->u, kids.at[0]) : clang_getNullCursor();
    CXType record = {0};
    *out = (struct cw_intrinsic_arg){.value = CW_NONE};
    if (is_real(member) && clang_getCursorKind(member) == CXCursor_MemberRefExpr) {
        out->value = cw_clang_object_of(b, member, &record);
    } else if (clang_Cursor_getNumArguments(e) > 0) {
        CXCursor first = clang_Cursor_getArgument(e, 0);
        record = cw_clang_cursor_type(b->u, first);
        out->value = cw_clang_operand(b, first);
        *from = 1;
    }
    if (cw_ref_type(b->fn, out->value) == CW_PTR && is_group_type(b->u, record))
        out->value = cw_emit1(b->at, CW_OP_LOAD, CW_GROUP, 8, out->value);
    out->kind.type = cw_ref_type(b->fn, out->value);
    out->class_name = class_name(b->u, record);
    out->pointee = out->kind.type == CW_PTR ? (uint32_t)cw_clang_type(b->u, record)->size : 0;
    return 1;
}

/* The toolkit declares `tile.sync()` static: the object is still the one that is named. */
static uint32_t static_object(struct cw_body *b, CXCursor e, struct cw_intrinsic_arg *out) {
    struct cw_kids kids = cw_clang_kids(b->u, e);
    CXCursor member = kids.n ? cw_clang_peel(b->u, kids.at[0]) : clang_getNullCursor();
    uint32_t from;
    *out = (struct cw_intrinsic_arg){.value = CW_NONE};
    if (!is_real(member) || clang_getCursorKind(member) != CXCursor_MemberRefExpr || !cw_clang_kids(b->u, member).n)
        return 1;
    return object_argument(b, e, out, &from);
}

/* A load or store of a class (float4 through __ldg): field by field, as an ordinary copy. */
static bool object_access(struct cw_body *b, const struct cw_intrinsic *row, CXCursor e, CXType result, cw_ref dest) {
    CXCursor pointer = clang_Cursor_getArgument(e, 0), value = clang_Cursor_getArgument(e, 1);
    if (row->op == CW_OP_LOAD && cw_clang_type(b->u, result)->shape == CW_SHAPE_OBJECT && is_real(pointer)) {
        cw_clang_copy(b, dest, cw_clang_value(b, pointer), result);
        return true;
    }
    if (row->op != CW_OP_STORE || !is_real(value) || !is_real(pointer) ||
        cw_clang_type_of(b->u, value)->shape != CW_SHAPE_OBJECT)
        return false;
    cw_ref to = cw_clang_value(b, pointer);
    cw_clang_copy(b, to, cw_clang_addr(b, value), cw_clang_cursor_type(b->u, value));
    return true;
}

cw_ref cw_clang_intrinsic(struct cw_body *b, CXCursor e, struct cw_callee *c, cw_ref dest) {
    struct cw_intrinsic_arg args[MAX_ARGS];
    int written = clang_Cursor_getNumArguments(e);
    const struct cw_intrinsic *row = cw_intrinsic_of_count(c->intrinsic, written > 0 ? (uint32_t)written : 0);
    struct cw_intrinsic_call call = {.row = row, .args = args,
                                    .template_n = template_argument(c->decl, 0),
                                    .scope = template_argument(c->decl, 1)};
    uint32_t from = 0;
    result_of(b, c->result, dest, &call);
    if (object_access(b, c->intrinsic, e, c->result, call.result_at))
        return CW_NONE;
    if (c->is_method)
        call.nargs = object_argument(b, e, &args[0], &from);
    else if (c->intrinsic->flags & CW_INTR_METHOD)
        call.nargs = static_object(b, e, &args[0]);
    if (c->intrinsic->flags & CW_INTR_METHOD)
        call.scope = call.template_n = template_argument(clang_getCursorSemanticParent(c->decl), 0);
    for (int i = (int)from; i < written && call.nargs < MAX_ARGS; i++) {
        CXCursor arg = cw_clang_written_argument(e, c, (uint32_t)i - from, from);
        CXCursor param = clang_Cursor_getArgument(c->decl, (unsigned)i - from);
        struct cw_intrinsic_arg none = {.value = CW_NONE};
        CXType t = is_real(param) ? cw_clang_param_type(b->u, c, (uint32_t)i - from) : cw_clang_cursor_type(b->u, arg);
        char role = cw_intrinsic_role(row, call.nargs);
        args[call.nargs++] = is_real(arg) ? describe(b, arg, t, role) : none;
    }
    struct cw_at at = b->at;
    cw_ref v = cw_intrinsic_lower(&at, &call);
    b->at.block = at.block;
    return v;
}

/* In patterns and broken code: the arguments' own types have to do. */
bool cw_clang_named_call(struct cw_body *b, CXCursor e, const char *name, const struct cw_kids *kids, cw_ref *result) {
    struct cw_intrinsic_arg args[MAX_ARGS];
    struct cw_intrinsic_call call = {.row = cw_intrinsic_find(name), .args = args, .template_n = -1,
                                    .scope = -1};
    call.row = call.row ? cw_intrinsic_of_count(call.row, kids->n) : NULL;
    if (!call.row || call.row->flags & CW_INTR_METHOD)
        return false;
    result_of(b, cw_clang_cursor_type(b->u, e), CW_NONE, &call);
    for (uint32_t i = 0; i < kids->n && call.nargs < MAX_ARGS; i++) {
        char role = cw_intrinsic_role(call.row, call.nargs);
        if (clang_isExpression(clang_getCursorKind(kids->at[i])))
            args[call.nargs++] = describe(b, kids->at[i], cw_clang_cursor_type(b->u, kids->at[i]), role);
    }
    struct cw_at at = b->at;
    *result = cw_intrinsic_lower(&at, &call);
    b->at.block = at.block;
    return true;
}
