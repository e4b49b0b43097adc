/* Calls of CUB's collectives: arguments as front/collective_lower.c wants them, and results where they go.
 *
 * requires: a member function of a class of cuda/models/collectives.def, of the shim or of the library's own headers,
 * whose bodies are not looked at. Of the class its template arguments and its field `temp_storage` are read. */
#include "front/collective_lower.h"

#include "front/clang/lower.h"

#include <string.h>

enum { MAX_ITEMS = 2 };

struct call {
    struct cw_body *b;
    struct cw_callee *c;
    const struct cw_collective *row;
    struct cw_refs args; /* as parameters take them */
    struct cw_refs from; /* what the results are made of */
    struct cw_collective_values values;
};

/* ---- the class ---- */

static int64_t class_argument(CXCursor class, int index, int64_t otherwise) {
    if (index < 0 || index >= clang_Cursor_getNumTemplateArguments(class) ||
        clang_Cursor_getTemplateArgumentKind(class, (unsigned)index) != CXTemplateArgumentKind_Integral)
        return otherwise;
    return clang_Cursor_getTemplateArgumentValue(class, (unsigned)index);
}

static void find_storage(struct cw_body *b, CXType class, cw_ref object, struct cw_collective_call *call) {
    struct cw_kids fields = cw_clang_fields(b->u, class);
    for (uint32_t k = 0; k < fields.n; k++) {
        uint64_t offset;
        if (strcmp(cw_clang_text(b->u, clang_getCursorSpelling(fields.at[k])), "temp_storage") != 0 ||
            !cw_clang_field_offset(b->u, class, fields.at[k], &offset))
            continue;
        int64_t size = cw_clang_pointee_size(b->u, clang_getCanonicalType(clang_getCursorType(fields.at[k])));
        call->storage = cw_emit1(b->at, CW_OP_LOAD, CW_PTR, 8, cw_clang_offset(b, object, offset));
        call->storage_bytes = size > 0 ? (uint64_t)size : 0;
    }
}

static struct cw_collective_call describe(struct cw_body *b, struct cw_callee *c, cw_ref object) {
    const struct cw_collective_class *of = c->collective->of;
    CXCursor class = clang_getCursorSemanticParent(c->decl);
    bool is_block = of->scope == CW_SCOPE_BLOCK;
    struct cw_collective_call call = {.row = c->collective, .storage = CW_NONE};
    for (int k = 0; k < 3; k++)
        call.dims[k] = class_argument(class, of->dims[k], k == 0 ? 0 : is_block);
    call.algorithm = class_argument(class, of->algorithm, 0);
    if (cw_ref_type(b->fn, object) == CW_PTR)
        find_storage(b, clang_getCursorType(class), object, &call);
    return call;
}

/* ---- arguments ---- */

static CXType object_type(const struct call *x, uint32_t k) {
    CXType t = clang_getCanonicalType(cw_clang_param_type(x->b->u, x->c, k));
    return cw_clang_type(x->b->u, t)->is_reference ? clang_getCanonicalType(clang_getPointeeType(t)) : t;
}

static bool is_writable(const struct call *x, uint32_t k) {
    CXType t = clang_getCanonicalType(cw_clang_param_type(x->b->u, x->c, k));
    return cw_clang_type(x->b->u, t)->is_reference && !clang_isConstQualifiedType(object_type(x, k));
}

static bool is_class(const struct call *x, uint32_t k) {
    return clang_getCanonicalType(object_type(x, k)).kind == CXType_Record;
}

/* A scalar that is passed by reference is read here, by the calling thread. */
static cw_ref value_of(const struct call *x, uint32_t k) {
    CXType param = cw_clang_param_type(x->b->u, x->c, k);
    const struct cw_ctype *t = cw_clang_type(x->b->u, object_type(x, k));
    if (t->shape != CW_SHAPE_SCALAR)
        return CW_NONE;
    return cw_clang_type(x->b->u, param)->is_reference ? cw_clang_load(x->b, x->args.at[k], object_type(x, k))
                                                       : x->args.at[k];
}

/* Of an array of the caller's own, items that say as well as all of them where its values come from. */
static void read_items(struct call *x, uint32_t k) {
    const struct cw_leaves *leaves = cw_clang_leaves(x->b->u, object_type(x, k));
    for (uint32_t n = 0; leaves->is_split && n < leaves->n && n < MAX_ITEMS; n++) {
        const struct cw_leaf *l = &leaves->at[n];
        cw_ref from = cw_clang_offset(x->b, x->args.at[k], l->offset);
        cw_vec_push(&x->b->u->scratch, &x->from,
                    cw_emit1(x->b->at, CW_OP_LOAD, l->kind.type, l->size, from));
    }
}

static void read_arguments(struct call *x) {
    for (uint32_t k = 0; k < x->args.n && k < x->c->nparam; k++) {
        char role = cw_collective_role(x->row, k);
        if (role != 'i' && role != 'x')
            continue;
        cw_ref v = value_of(x, k);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&x->b->u->scratch, &x->from, v);
        else if (cw_clang_type(x->b->u, object_type(x, k))->is_array)
            read_items(x, k);
    }
}

/* ---- results ---- */

static void put_results(struct call *x, cw_ref at, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(x->b->u, type);
    if (!leaves->is_split) {
        cw_clang_clobber(x->b, at, CW_BAIL_INPUT, x->from.at, x->from.n);
        return;
    }
    for (uint32_t k = 0; k < leaves->n; k++) {
        const struct cw_leaf *l = &leaves->at[k];
        cw_ref v = cw_collective_result(x->b->at, x->row, l->kind.type, x->from.at, x->from.n);
        cw_ref to = cw_clang_offset(x->b, at, l->offset);
        cw_emit2(x->b->at, CW_OP_STORE, CW_VOID, l->size, v, to);
    }
}

static void put_aggregate(struct call *x, uint32_t k) {
    const struct cw_ctype *t = cw_clang_type(x->b->u, object_type(x, k));
    cw_ref v = cw_collective_aggregate(x->b->at, x->row, t->kind.type, x->values.common);
    cw_clang_store(x->b, v, x->args.at[k], object_type(x, k));
}

/* An aggregate comes last; a callback keeps a state, which the library changes. */
static void put_last(struct call *x, uint32_t k, bool behind_object) {
    if (cw_clang_type(x->b->u, object_type(x, k))->shape == CW_SHAPE_SCALAR) {
        if (k + 1 == x->c->nparam)
            put_aggregate(x, k);
    } else if (is_class(x, k) && (!behind_object || (k > 0 && is_class(x, k - 1)))) {
        put_results(x, x->args.at[k], object_type(x, k));
    }
}

/* Memory that several threads write, at places of which nothing is said. */
static void write_through(struct call *x, uint32_t k) {
    const struct cw_ctype *t = cw_clang_type(x->b->u, object_type(x, k));
    cw_ref pointer = t->kind.type == CW_PTR && t->shape == CW_SHAPE_SCALAR ? value_of(x, k) : x->args.at[k];
    if (cw_ref_type(x->b->fn, pointer) != CW_PTR)
        return;
    cw_clang_clobber(x->b, pointer, CW_BAIL_NONE, NULL, 0);
    x->b->fn->ins.at[x->b->fn->ins.n - 1].flags |= CW_INS_SYNCFREE;
}

static void put_argument(struct call *x, uint32_t k) {
    char role = cw_collective_role(x->row, k);
    if (role == 'w' || role == 'h')
        write_through(x, k);
    else if (!is_writable(x, k))
        return;
    else if (role == 'o' || (role == 'x' && cw_clang_type(x->b->u, object_type(x, k))->is_array))
        put_results(x, x->args.at[k], object_type(x, k));
    else if (role == 'a' || role == 'b')
        put_last(x, k, role == 'b');
}

static cw_ref give_result(struct call *x, cw_ref dest) {
    const struct cw_ctype *t = cw_clang_type(x->b->u, x->c->result);
    if (t->shape == CW_SHAPE_OBJECT && dest.tag != CW_REF_NONE)
        put_results(x, dest, x->c->result);
    if (t->shape != CW_SHAPE_SCALAR)
        return t->shape == CW_SHAPE_UNKNOWN ? cw_clang_unknown(x->b, x->c->result, CW_BAIL_INPUT, NULL, 0) : CW_NONE;
    bool is_common = x->row->valid == CW_VALID_ALL && x->values.common.tag != CW_REF_NONE;
    return is_common ? cw_collective_aggregate(x->b->at, x->row, t->kind.type, x->values.common)
                     : cw_collective_result(x->b->at, x->row, t->kind.type, x->from.at, x->from.n);
}

cw_ref cw_clang_collective(struct cw_body *b, CXCursor e, struct cw_callee *c, cw_ref dest) {
    struct call x = {.b = b, .c = c, .row = c->collective};
    uint32_t from = 0;
    cw_ref object = cw_clang_object_of_call(b, e, c, &from);
    cw_clang_arguments(b, e, c, from, &x.args);
    read_arguments(&x);
    struct cw_collective_call call = describe(b, c, object);
    call.from = x.from.at;
    call.nfrom = x.from.n;
    x.values = cw_collective_lower(&b->at, &call);
    cw_vec_push(&b->u->scratch, &x.from, x.values.own);
    int64_t size = c->collective->of->scope == CW_SCOPE_WARP ? call.dims[0] : 0;
    cw_vec_push(&b->u->scratch, &x.from, cw_fn_const(b->fn, CW_I32, size));
    for (uint32_t k = 0; k < x.args.n && k < c->nparam; k++)
        put_argument(&x, k);
    return give_result(&x, dest);
}
