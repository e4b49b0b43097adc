/* Calls of the device API: arguments as front/intrinsic_lower.c wants them. */
#include "front/intrinsic_lower.h"

#include "front/clang/lower.h"

#include <string.h>

enum { MAX_ARGS = 24 };

cw_ref cw_clang_group_value(struct cw_body *body, CXCursor cursor) {
    cw_ref v = cw_clang_operand(body, cursor);
    enum cw_type t = cw_ref_type(body->fn, v);
    if (t == CW_PTR)
        return cw_emit1(body->at, CW_OP_LOAD, CW_GROUP, 8, v);
    if (t == CW_GROUP)
        return v;
    return cw_emit_opaque(body->at, CW_GROUP, CW_BAIL_UNSUPPORTED_EXPR, &v, v.tag != CW_REF_NONE);
}

static const char *class_name(struct cw_unit *unit, CXType type) {
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        type = clang_getCanonicalType(clang_getPointeeType(type));
    return type.kind == CXType_Record ? cw_clang_qualified(unit, clang_getTypeDeclaration(type)) : NULL;
}

static bool is_group_type(struct cw_unit *unit, CXType type) {
    return cw_clang_type(unit, type)->kind.type == CW_GROUP;
}

/* A class that is one scalar (__half) goes as that scalar. */
static bool only_leaf(struct cw_body *body, CXType type, struct cw_leaf *leaf) {
    const struct cw_leaves *leaves = cw_clang_leaves(body->u, type);
    if (!leaves->is_split || leaves->n != 1 || leaves->at[0].size != cw_clang_type(body->u, type)->size)
        return false;
    *leaf = leaves->at[0];
    return true;
}

static cw_ref object_value(struct cw_body *body, cw_ref at, CXType type) {
    struct cw_leaf leaf;
    return only_leaf(body, type, &leaf) ? cw_emit1(body->at, CW_OP_LOAD, leaf.kind.type, leaf.size, at)
                                  : cw_clang_load(body, at, type);
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

static int64_t class_argument(CXType type) {
    type = clang_getCanonicalType(type);
    return type.kind == CXType_Record ? template_argument(clang_getTypeDeclaration(type), 0) : -1;
}

static struct cw_intrinsic_arg describe_argument(struct cw_body *body, CXCursor arg, CXType param, char role) {
    CXType own = cw_clang_cursor_type(body->u, arg);
    const struct cw_ctype *p = cw_clang_type(body->u, param), *t = cw_clang_type(body->u, own);
    struct cw_intrinsic_arg out = {.class_name = class_name(body->u, own), .class_n = class_argument(own),
                                   .bytes = (uint32_t)t->size};
    if (is_group_type(body->u, own)) {
        out.value = cw_clang_group_value(body, arg);
        out.kind.type = CW_GROUP;
        return out;
    }
    if (p->is_reference && (means_place(role) || cw_intrinsic_is_texture(out.class_name))) {
        out.value = cw_clang_addr(body, arg);
        out.kind.type = CW_PTR;
        out.pointee = (uint32_t)t->size;
        return out;
    }
    bool is_object = t->shape == CW_SHAPE_OBJECT && !t->is_array;
    out.value = cw_clang_operand(body, arg);
    if (is_object)
        out.value = object_value(body, out.value, own);
    out.kind = (struct cw_kind){cw_ref_type(body->fn, out.value), t->kind.is_signed};
    if (out.kind.type == CW_PTR && t->kind.type == CW_PTR) {
        int64_t size = cw_clang_pointee_size(body->u, own);
        out.pointee = size > 0 ? (uint32_t)size : 0;
    }
    return out;
}

static void result_of(struct cw_body *body, CXType type, cw_ref dest, struct cw_intrinsic_call *call) {
    const struct cw_ctype *r = cw_clang_type(body->u, type);
    call->result = r->kind;
    call->result_bytes = (uint32_t)r->size;
    call->result_at = CW_NONE;
    struct cw_leaf leaf;
    if (r->shape == CW_SHAPE_OBJECT && only_leaf(body, type, &leaf))
        call->result = leaf.kind;
    if (r->shape == CW_SHAPE_OBJECT)
        call->result_at = dest.tag != CW_REF_NONE ? dest : cw_clang_temp(body, type, "result");
}

static bool is_real(CXCursor cursor) {
    return !clang_Cursor_isNull(cursor) && !clang_isInvalid(clang_getCursorKind(cursor));
}

static uint32_t object_argument(struct cw_body *body, CXCursor cursor, struct cw_intrinsic_arg *out, uint32_t *from) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor member = kids.n ? cw_clang_peel(body->u, kids.at[0]) : clang_getNullCursor();
    CXType record = {0};
    *out = (struct cw_intrinsic_arg){.value = CW_NONE};
    if (is_real(member) && clang_getCursorKind(member) == CXCursor_MemberRefExpr) {
        out->value = cw_clang_object_of(body, member, &record);
    } else if (clang_Cursor_getNumArguments(cursor) > 0) {
        CXCursor first = clang_Cursor_getArgument(cursor, 0);
        record = cw_clang_cursor_type(body->u, first);
        out->value = cw_clang_operand(body, first);
        *from = 1;
    }
    if (cw_ref_type(body->fn, out->value) == CW_PTR && is_group_type(body->u, record))
        out->value = cw_emit1(body->at, CW_OP_LOAD, CW_GROUP, 8, out->value);
    out->kind.type = cw_ref_type(body->fn, out->value);
    out->class_name = class_name(body->u, record);
    out->pointee = out->kind.type == CW_PTR ? (uint32_t)cw_clang_type(body->u, record)->size : 0;
    return 1;
}

/* The toolkit declares `tile.sync()` static: the object is still the one that is named. */
static uint32_t static_object(struct cw_body *body, CXCursor cursor, struct cw_intrinsic_arg *out) {
    struct cw_kids kids = cw_clang_kids(body->u, cursor);
    CXCursor member = kids.n ? cw_clang_peel(body->u, kids.at[0]) : clang_getNullCursor();
    uint32_t from;
    *out = (struct cw_intrinsic_arg){.value = CW_NONE};
    if (!is_real(member) || clang_getCursorKind(member) != CXCursor_MemberRefExpr || !cw_clang_kids(body->u, member).n)
        return 1;
    return object_argument(body, cursor, out, &from);
}

/* A load or store of a class (float4 through __ldg): field by field, as an ordinary copy. */
static bool object_access(struct cw_body *body, const struct cw_intrinsic *row, CXCursor cursor, CXType result,
                          cw_ref dest) {
    CXCursor pointer = clang_Cursor_getArgument(cursor, 0), value = clang_Cursor_getArgument(cursor, 1);
    if (row->op == CW_OP_LOAD && cw_clang_type(body->u, result)->shape == CW_SHAPE_OBJECT && is_real(pointer)) {
        cw_clang_copy(body, dest, cw_clang_value(body, pointer), result);
        return true;
    }
    if (row->op != CW_OP_STORE || !is_real(value) || !is_real(pointer) ||
        cw_clang_type_of(body->u, value)->shape != CW_SHAPE_OBJECT)
        return false;
    cw_ref to = cw_clang_value(body, pointer);
    cw_clang_copy(body, to, cw_clang_addr(body, value), cw_clang_cursor_type(body->u, value));
    return true;
}

cw_ref cw_clang_intrinsic(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest) {
    struct cw_intrinsic_arg args[MAX_ARGS];
    int written = clang_Cursor_getNumArguments(cursor);
    const struct cw_intrinsic *row = cw_intrinsic_of_count(callee->intrinsic, written > 0 ? (uint32_t)written : 0);
    struct cw_intrinsic_call call = {.row = row, .args = args,
                                    .template_n = template_argument(callee->decl, 0),
                                    .scope = template_argument(callee->decl, 1)};
    uint32_t from = 0;
    result_of(body, callee->result, dest, &call);
    if (object_access(body, callee->intrinsic, cursor, callee->result, call.result_at))
        return CW_NONE;
    if (callee->is_method)
        call.nargs = object_argument(body, cursor, &args[0], &from);
    else if (callee->intrinsic->flags & CW_INTR_METHOD)
        call.nargs = static_object(body, cursor, &args[0]);
    if (callee->intrinsic->flags & CW_INTR_METHOD)
        call.scope = call.template_n = template_argument(clang_getCursorSemanticParent(callee->decl), 0);
    for (int i = (int)from; i < written && call.nargs < MAX_ARGS; i++) {
        CXCursor arg = cw_clang_written_argument(cursor, callee, (uint32_t)i - from, from);
        CXCursor param = clang_Cursor_getArgument(callee->decl, (unsigned)i - from);
        struct cw_intrinsic_arg none = {.value = CW_NONE};
        CXType t = is_real(param) ? cw_clang_param_type(body->u, callee, (uint32_t)i - from)
                                  : cw_clang_cursor_type(body->u, arg);
        char role = cw_intrinsic_role(row, call.nargs);
        args[call.nargs++] = is_real(arg) ? describe_argument(body, arg, t, role) : none;
    }
    struct cw_at at = body->at;
    cw_ref v = cw_intrinsic_lower(&at, &call);
    body->at.block = at.block;
    return v;
}

/* In patterns and broken code: the arguments' own types have to do. */
bool cw_clang_named_call(struct cw_body *body, CXCursor cursor, const char *name, const struct cw_kids *kids,
                         cw_ref *result) {
    struct cw_intrinsic_arg args[MAX_ARGS];
    struct cw_intrinsic_call call = {.row = cw_intrinsic_find(name), .args = args, .template_n = -1,
                                    .scope = -1};
    call.row = call.row ? cw_intrinsic_of_count(call.row, kids->n) : NULL;
    if (!call.row || call.row->flags & CW_INTR_METHOD)
        return false;
    result_of(body, cw_clang_cursor_type(body->u, cursor), CW_NONE, &call);
    for (uint32_t i = 0; i < kids->n && call.nargs < MAX_ARGS; i++) {
        char role = cw_intrinsic_role(call.row, call.nargs);
        if (clang_isExpression(clang_getCursorKind(kids->at[i])))
            args[call.nargs++] = describe_argument(body, kids->at[i], cw_clang_cursor_type(body->u, kids->at[i]), role);
    }
    struct cw_at at = body->at;
    *result = cw_intrinsic_lower(&at, &call);
    body->at.block = at.block;
    return true;
}
