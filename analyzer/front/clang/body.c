/* Lowering of one function: blocks, parameters, body. */
#include "front/clang/assume.h"
#include "front/clang/lower.h"
#include "front/shim/shim.h"

#include <string.h>

uint32_t cw_clang_block(struct cw_body *b) {
    return cw_fn_add_block(b->fn);
}

bool cw_clang_is_open(const struct cw_body *b) {
    return b->fn->blocks.at[b->at.block].jump.kind == CW_JUMP_NONE;
}

void cw_clang_go(struct cw_body *b, uint32_t target, uint32_t loc, enum cw_origin origin) {
    if (cw_clang_is_open(b))
        cw_fn_jump(b->fn, b->at.block, target, loc, origin);
}

void cw_clang_enter(struct cw_body *b, uint32_t block) {
    cw_clang_go(b, block, 0, CW_FROM_NONE);
    b->at.block = block;
}

void cw_clang_dead(struct cw_body *b) {
    b->at.block = cw_clang_block(b);
}

static struct cw_param parameter(struct cw_body *b, CXCursor p, enum cw_type type) {
    CXType t = clang_getCanonicalType(cw_clang_cursor_type(b->u, p));
    struct cw_param out = {.name = cw_clang_text(b->u, clang_getCursorSpelling(p)), .type = type,
                           .loc = cw_clang_loc(b, p), .is_restrict = clang_isRestrictQualifiedType(t)};
    if (t.kind == CXType_Pointer || t.kind == CXType_LValueReference || t.kind == CXType_RValueReference) {
        int64_t size = cw_clang_pointee_size(b->u, t);
        out.pointee_bytes = size > 0 ? (uint32_t)size : 0;
        out.points_to_const = clang_isConstQualifiedType(clang_getPointeeType(t));
    }
    return out;
}

static const char *type_text(struct cw_body *b, CXType t) {
    return cw_clang_text(b->u, clang_getTypeSpelling(t));
}

/* A class passed by value: constant memory of a kernel; for a device function, the caller's copy by address. */
static void object_parameter(struct cw_body *b, CXCursor p) {
    CXType type = cw_clang_cursor_type(b->u, p);
    const struct cw_ctype *t = cw_clang_type(b->u, type);
    if (b->fn->kind != CW_FN_KERNEL) {
        cw_clang_bind(b, p, cw_fn_add_param(b->fn, parameter(b, p, CW_PTR)), type);
        return;
    }
    cw_ref at = cw_fn_add_object(b->fn, (struct cw_object){
        .name = cw_clang_text(b->u, clang_getCursorSpelling(p)), .space = CW_SPACE_PARAM, .size = t->size,
        .loc = cw_clang_loc(b, p), .type_text = type_text(b, type)});
    cw_clang_bind(b, p, at, type);
}

static void scalar_parameter(struct cw_body *b, CXCursor p, const struct cw_ctype *t) {
    CXType type = cw_clang_cursor_type(b->u, p);
    uint32_t outer = b->at.loc;
    b->at.loc = cw_clang_loc(b, p);
    cw_ref value = cw_fn_add_param(b->fn, parameter(b, p, t->kind.type));
    if (t->is_reference) {
        cw_clang_bind(b, p, value, clang_getPointeeType(t->canonical));
    } else {
        cw_ref at = cw_clang_temp(b, type, cw_clang_text(b->u, clang_getCursorSpelling(p)));
        cw_clang_store(b, value, at, type);
        cw_clang_bind(b, p, at, type);
    }
    b->at.loc = outer;
}

static void hidden_parameters(struct cw_body *b, struct cw_callee *c) {
    const struct cw_ctype *r = cw_clang_type(b->u, c->result);
    if (!c->is_constructor && r->shape == CW_SHAPE_OBJECT)
        b->sret = cw_fn_add_param(b->fn, (struct cw_param){.name = "result", .type = CW_PTR});
    if (!c->is_method)
        return;
    CXCursor parent = clang_getCursorSemanticParent(c->decl);
    b->this_type = cw_clang_cursor_type(b->u, parent);
    enum cw_type type = cw_clang_type(b->u, b->this_type)->kind.type == CW_GROUP ? CW_GROUP : CW_PTR;
    int64_t size = (int64_t)cw_clang_type(b->u, b->this_type)->size;
    b->this_ptr = cw_fn_add_param(b->fn, (struct cw_param){.name = "this", .type = type,
                                                           .pointee_bytes = size > 0 ? (uint32_t)size : 0});
}

/* Remembers that a parameter written as an array is a pointer. */
static void note_decay(struct cw_body *b, CXCursor p, uint32_t index) {
    CXType written = clang_getCursorType(p), real = cw_clang_param_type(b->u, b->self, index);
    if (!cw_clang_type(b->u, written)->is_array || cw_clang_type(b->u, real)->kind.type != CW_PTR)
        return;
    CXType *kept = CW_NEW(&b->u->scratch, CXType);
    *kept = real;
    cw_map_put(&b->u->decayed, cw_clang_id(p), (uint64_t)(uintptr_t)kept);
}

static void parameters(struct cw_body *b, const struct cw_kids *kids) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < kids->n; i++) {
        if (clang_getCursorKind(kids->at[i]) != CXCursor_ParmDecl)
            continue;
        note_decay(b, kids->at[i], index++);
        const struct cw_ctype *t = cw_clang_type_of(b->u, kids->at[i]);
        if (t->shape == CW_SHAPE_OBJECT)
            object_parameter(b, kids->at[i]);
        else
            scalar_parameter(b, kids->at[i], t);
    }
}

static void template_parameters(struct cw_body *b, const struct cw_kids *kids) {
    for (uint32_t i = 0; i < kids->n; i++) {
        if (clang_getCursorKind(kids->at[i]) != CXCursor_NonTypeTemplateParameter)
            continue;
        const struct cw_ctype *t = cw_clang_type_of(b->u, kids->at[i]);
        if (t->shape != CW_SHAPE_SCALAR)
            continue;
        cw_ref r = cw_fn_add_tparam(b->fn, parameter(b, kids->at[i], t->kind.type));
        cw_clang_bind(b, kids->at[i], r, cw_clang_cursor_type(b->u, kids->at[i]));
    }
}

static enum cw_fn_kind kind_of(struct cw_unit *u, const struct cw_callee *c) {
    if (c->is_kernel)
        return CW_FN_KERNEL;
    return c->is_device || clang_Location_isInSystemHeader(clang_getCursorLocation(c->decl)) || c->is_device_by_use ||
                   cw_clang_has_attr(u, c->decl, CXCursor_CUDADeviceAttr)
               ? CW_FN_DEVICE
               : CW_FN_HOST;
}

static const char *file_name(const struct cw_body *b, uint32_t file) {
    return file < b->u->module->files.n ? b->u->module->files.at[file] : "";
}

static void describe_function(struct cw_body *b, struct cw_callee *c) {
    struct cw_fn *fn = b->fn;
    CXSourceRange name = clang_Cursor_getSpellingNameRange(c->definition, 0, 0);
    fn->span = cw_clang_span(b->u, c->definition);
    fn->name_span = cw_clang_range_span(b->u, name);
    fn->is_pattern = c->is_pattern;
    fn->is_model = !strncmp(file_name(b, fn->span.file), CW_SHIM_ROOT "/", sizeof CW_SHIM_ROOT);
    fn->is_static_scope = clang_getCursorLinkage(c->decl) == CXLinkage_Internal;
    fn->pattern_key = c->pattern;
    if (cw_clang_is_assumed_pattern(b->u, c->pattern))
        fn->assumed = cw_clang_arguments_text(b->u, c);
    b->result = c->result;
    const struct cw_ctype *r = cw_clang_type(b->u, c->result);
    fn->result = r->shape == CW_SHAPE_SCALAR ? r->kind.type : r->shape == CW_SHAPE_UNKNOWN ? CW_AGG : CW_VOID;
    cw_clang_bounds(b, c->definition);
}

static const struct cw_closure *closure_of(struct cw_unit *u, const struct cw_callee *c) {
    uint64_t found;
    CXCursor parent = clang_getCursorSemanticParent(c->decl);
    if (!c->is_method || !cw_map_get(&u->closures, cw_clang_id(parent), &found))
        return NULL;
    return (const struct cw_closure *)(uintptr_t)found;
}

static bool is_lambda(struct cw_unit *u, const struct cw_callee *c) {
    CXCursor parent = clang_getCursorSemanticParent(c->decl);
    const char *name = c->is_method ? cw_clang_text(u, clang_getTypeSpelling(clang_getCursorType(parent))) : "";
    return strncmp(name, "(lambda", 7) == 0; /* not `keeper<(lambda at …)>` */
}

static void body(struct cw_body *b, struct cw_callee *c, const struct cw_kids *kids) {
    if (c->is_constructor)
        cw_clang_member_inits(b, kids);
    for (uint32_t i = 0; i < kids->n; i++) {
        enum CXCursorKind k = clang_getCursorKind(kids->at[i]);
        if (k == CXCursor_CompoundStmt || k == CXCursor_CXXTryStmt)
            cw_clang_stmt(b, kids->at[i]);
    }
    if (!cw_clang_is_open(b))
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

void cw_clang_lower(struct cw_unit *u, struct cw_callee *c) {
    struct cw_body b = {.u = u, .self = c, .this_ptr = CW_NONE, .sret = CW_NONE, .unroll = -1};
    struct cw_kids kids = cw_clang_kids(u, c->definition);
    cw_map_init(&b.vars, &u->scratch);
    cw_map_init(&b.by_name, &u->scratch);
    cw_map_init(&b.labels, &u->scratch);
    b.fn = cw_fn_new(u->module, kind_of(u, c), cw_clang_display(u, c->decl), c->key);
    b.at.fn = b.fn;
    b.at.block = cw_clang_block(&b);
    b.closure = closure_of(u, c);
    b.is_lambda = b.closure || is_lambda(u, c);
    describe_function(&b, c);
    hidden_parameters(&b, c);
    if (b.closure)
        b.this_type = b.closure->this_type;
    parameters(&b, &kids);
    if (c->is_pattern)
        template_parameters(&b, &kids);
    body(&b, c, &kids);
    close_blocks(b.fn);
    b.fn->is_degraded = b.is_degraded;
    cw_fn_link_preds(b.fn);
}
