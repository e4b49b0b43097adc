/* Lowering of one function: blocks, parameters, body. */
#include "front/clang/assume.h"
#include "front/clang/lower.h"
#include "front/shim/shim.h"
#include "ir/assertions.h"

#include <string.h>

/* What the type says of a pointer. */
static void describe_pointer(struct cw_body *body, CXType written, struct cw_param *out) {
    CXType t = clang_getCanonicalType(written);
    out->is_restrict = clang_isRestrictQualifiedType(t);
    if (t.kind == CXType_Pointer || t.kind == CXType_LValueReference || t.kind == CXType_RValueReference) {
        int64_t size = cw_clang_pointee_size(body->u, t);
        out->pointee_bytes = size > 0 ? (uint32_t)size : 0;
        out->points_to_const = clang_isConstQualifiedType(clang_getPointeeType(t));
    }
}

static struct cw_param make_parameter(struct cw_body *body, CXCursor cursor, enum cw_type type) {
    struct cw_param out = {.name = cw_clang_text(body->u, clang_getCursorSpelling(cursor)), .type = type,
                           .loc = cw_clang_loc(body, cursor)};
    describe_pointer(body, cw_clang_cursor_type(body->u, cursor), &out);
    return out;
}

static const char *type_text(struct cw_body *body, CXType type) {
    return cw_clang_text(body->u, clang_getTypeSpelling(type));
}

/* A class passed by value: constant memory of a kernel; for a device function, the caller's copy by address. */
static void object_parameter(struct cw_body *body, CXCursor cursor) {
    CXType type = cw_clang_cursor_type(body->u, cursor);
    const struct cw_ctype *t = cw_clang_type(body->u, type);
    if (body->fn->kind != CW_FN_KERNEL) {
        cw_ref given = cw_fn_add_param(body->fn, make_parameter(body, cursor, CW_PTR));
        cw_clang_bind(body, cursor, cw_clang_constant(body, cursor, given), type);
        return;
    }
    cw_ref at = cw_fn_add_object(body->fn, (struct cw_object){
        .name = cw_clang_text(body->u, clang_getCursorSpelling(cursor)), .space = CW_SPACE_PARAM, .size = t->size,
        .loc = cw_clang_loc(body, cursor), .type_text = type_text(body, type)});
    cw_clang_bind(body, cursor, at, type);
    cw_vec_push(&body->u->scratch, &body->objects, ((struct cw_object_parameter){at.index, type}));
}

/* Integers and pointers in the kernel's parameters of class type, behind the others: a launch says what they are as it
 * does of those that are passed by themselves. */
static void parameters_in_objects(struct cw_body *body) {
    for (uint32_t k = 0; k < body->objects.n; k++) {
        const struct cw_leaves *members = cw_clang_member_parameters(body->u, body->objects.at[k].type);
        const struct cw_object *object = &body->fn->objects.at[body->objects.at[k].object];
        for (uint32_t i = 0; i < members->n; i++) {
            const struct cw_leaf *leaf = &members->at[i];
            struct cw_param member = {.name = leaf->name && *leaf->name ? leaf->name : object->name,
                                      .type = leaf->kind.type, .loc = object->loc,
                                      .part_of = body->objects.at[k].object + 1, .part_at = (uint32_t)leaf->offset,
                                      .is_element = leaf->in_array};
            describe_pointer(body, leaf->type, &member);
            cw_fn_add_param(body->fn, member);
        }
    }
}

static void scalar_parameter(struct cw_body *body, CXCursor cursor, const struct cw_ctype *ctype) {
    CXType type = cw_clang_cursor_type(body->u, cursor);
    uint32_t outer = body->at.loc;
    body->at.loc = cw_clang_loc(body, cursor);
    cw_ref value = cw_fn_add_param(body->fn, make_parameter(body, cursor, ctype->kind.type));
    if (ctype->is_reference) {
        cw_clang_bind(body, cursor, value, clang_getPointeeType(ctype->canonical));
    } else {
        cw_ref at = cw_clang_temp(body, type, cw_clang_text(body->u, clang_getCursorSpelling(cursor)));
        cw_clang_store(body, value, at, type);
        cw_clang_bind(body, cursor, cw_clang_constant(body, cursor, at), type);
    }
    body->at.loc = outer;
}

static void hidden_parameters(struct cw_body *body, struct cw_callee *callee) {
    const struct cw_ctype *r = cw_clang_type(body->u, callee->result);
    if (!callee->is_constructor && r->shape == CW_SHAPE_OBJECT)
        body->sret = cw_fn_add_param(body->fn, (struct cw_param){.name = "result", .type = CW_PTR});
    if (!callee->is_method)
        return;
    CXCursor parent = clang_getCursorSemanticParent(callee->decl);
    body->this_type = cw_clang_cursor_type(body->u, parent);
    enum cw_type type = cw_clang_type(body->u, body->this_type)->kind.type == CW_GROUP ? CW_GROUP : CW_PTR;
    int64_t size = (int64_t)cw_clang_type(body->u, body->this_type)->size;
    body->this_ptr = cw_fn_add_param(body->fn, (struct cw_param){.name = "this", .type = type,
                                                           .pointee_bytes = size > 0 ? (uint32_t)size : 0});
}

/* Remembers that a parameter written as an array is a pointer. */
static void note_decay(struct cw_body *body, CXCursor cursor, uint32_t index) {
    CXType written = clang_getCursorType(cursor), real = cw_clang_param_type(body->u, body->self, index);
    if (!cw_clang_type(body->u, written)->is_array || cw_clang_type(body->u, real)->kind.type != CW_PTR)
        return;
    CXType *kept = CW_NEW(&body->u->scratch, CXType);
    *kept = real;
    cw_map_put(&body->u->decayed, cw_clang_id(cursor), (uint64_t)(uintptr_t)kept);
}

static void lower_parameters(struct cw_body *body, const struct cw_kids *kids) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < kids->n; i++) {
        if (!cw_clang_is_parameter(kids->at[i]))
            continue;
        note_decay(body, kids->at[i], index++);
        cw_clang_check_type(body, kids->at[i]);
        const struct cw_ctype *t = cw_clang_type_of(body->u, kids->at[i]);
        if (t->shape == CW_SHAPE_OBJECT)
            object_parameter(body, kids->at[i]);
        else
            scalar_parameter(body, kids->at[i], t);
    }
    parameters_in_objects(body);
}

static void template_parameters(struct cw_body *body, const struct cw_kids *kids) {
    for (uint32_t i = 0; i < kids->n; i++) {
        if (clang_getCursorKind(kids->at[i]) != CXCursor_NonTypeTemplateParameter)
            continue;
        const struct cw_ctype *t = cw_clang_type_of(body->u, kids->at[i]);
        if (t->shape != CW_SHAPE_SCALAR)
            continue;
        cw_ref r = cw_fn_add_tparam(body->fn, make_parameter(body, kids->at[i], t->kind.type));
        cw_clang_bind(body, kids->at[i], r, cw_clang_cursor_type(body->u, kids->at[i]));
    }
}

static enum cw_fn_kind kind_of(struct cw_unit *unit, struct cw_callee *callee) {
    if (callee->is_kernel)
        return CW_FN_KERNEL;
    bool is_of_system = clang_Location_isInSystemHeader(clang_getCursorLocation(callee->decl));
    return callee->is_device || (is_of_system && !cw_clang_launches(unit, callee)) ||
                   callee->is_device_by_use || cw_clang_has_attr(unit, callee->decl, CXCursor_CUDADeviceAttr)
               ? CW_FN_DEVICE
               : CW_FN_HOST;
}

static const char *file_name(const struct cw_body *body, uint32_t file) {
    return file < body->u->module->files.n ? body->u->module->files.at[file] : "";
}

/* Of this program's own headers, or of libcu++ in a toolkit's. */
static bool is_of_library(const struct cw_body *body, const struct cw_callee *callee) {
    if (!strncmp(file_name(body, body->fn->span.file), CW_SHIM_ROOT "/", sizeof CW_SHIM_ROOT))
        return true;
    return clang_Location_isInSystemHeader(clang_getCursorLocation(callee->definition)) &&
           !strncmp(cw_clang_qualified(body->u, callee->decl), "cuda::", 6);
}

static void describe_function(struct cw_body *body, struct cw_callee *callee) {
    struct cw_fn *fn = body->fn;
    CXSourceRange name = clang_Cursor_getSpellingNameRange(callee->definition, 0, 0);
    fn->span = cw_clang_span(body->u, callee->definition);
    fn->name_span = cw_clang_range_span(body->u, name);
    fn->is_pattern = callee->is_pattern;
    fn->is_model = is_of_library(body, callee);
    fn->is_static_scope = clang_getCursorLinkage(callee->decl) == CXLinkage_Internal;
    fn->pattern_key = callee->pattern;
    if (cw_clang_is_assumed_pattern(body->u, callee->pattern) && !cw_clang_is_named(body->u, callee))
        fn->assumed = cw_clang_arguments_text(body->u, callee);
    body->result = callee->result;
    const struct cw_ctype *r = cw_clang_type(body->u, callee->result);
    fn->result = r->shape == CW_SHAPE_SCALAR ? r->kind.type : r->shape == CW_SHAPE_UNKNOWN ? CW_AGG : CW_VOID;
    cw_clang_bounds(body, callee->definition);
    cw_clang_cluster(body, callee->definition);
}

static const struct cw_closure *closure_of(const struct cw_unit *unit, const struct cw_callee *callee) {
    return callee->is_method ? cw_clang_closure_of(unit, clang_getCursorSemanticParent(callee->decl)) : NULL;
}

static void lower_body(struct cw_body *b, struct cw_callee *callee, const struct cw_kids *kids) {
    if (callee->is_constructor)
        cw_clang_member_inits(b, kids);
    for (uint32_t i = 0; i < kids->n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids->at[i]);
        if (k == CXCursor_CompoundStmt || k == CXCursor_CXXTryStmt)
            cw_clang_stmt(b, kids->at[i]);
    }
    if (!cw_at_is_open(b->at))
        return;
    cw_ref value = b->fn->result == CW_VOID ? CW_NONE : cw_fn_undef(b->fn->result);
    cw_fn_return(b->fn, b->at.block, value, 0);
}

/* Blocks that nothing jumps to any more still need an end. */
static void close_blocks(struct cw_fn *fn) {
    for (uint32_t i = 0; i < fn->blocks.n; i++)
        if (fn->blocks.at[i].jump.kind == CW_JUMP_NONE)
            cw_fn_trap(fn, i, 0);
}

void cw_clang_lower(struct cw_unit *unit, struct cw_callee *callee) {
    struct cw_body b = {.u = unit, .self = callee, .this_ptr = CW_NONE, .sret = CW_NONE, .unroll = -1};
    struct cw_kids kids = cw_clang_kids(unit, callee->definition);
    cw_map_init(&b.vars, &unit->scratch);
    cw_map_init(&b.by_name, &unit->scratch);
    cw_map_init(&b.labels, &unit->scratch);
    b.fn = cw_fn_new(unit->module, kind_of(unit, callee), cw_clang_display(unit, callee->decl), callee->key);
    b.at.fn = b.fn;
    b.at.block = cw_fn_add_block(b.fn);
    b.closure = closure_of(unit, callee);
    b.is_lambda = b.closure || cw_clang_is_lambda(unit, callee);
    describe_function(&b, callee);
    hidden_parameters(&b, callee);
    if (b.closure)
        b.this_type = b.closure->this_type;
    lower_parameters(&b, &kids);
    if (callee->is_pattern)
        template_parameters(&b, &kids);
    lower_body(&b, callee, &kids);
    close_blocks(b.fn);
    if (b.fn->kind != CW_FN_HOST && !callee->is_pattern && cw_clang_names_missing(unit, callee->definition)) {
        cw_clang_bail(&b, CW_BAIL_UNRESOLVED_NAME);
        b.is_degraded = true;
    }
    b.fn->is_degraded = b.is_degraded;
    cw_fn_lower_assertions(b.fn);
    cw_fn_link_preds(b.fn);
}
