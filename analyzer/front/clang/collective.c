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
    cw_ref valid; /* the number of valid items, CW_NONE: not given */
};

/* ---- the class ---- */

static int64_t class_argument(CXCursor class, int index, int64_t otherwise) {
    if (index < 0 || index >= clang_Cursor_getNumTemplateArguments(class) ||
        clang_Cursor_getTemplateArgumentKind(class, (unsigned)index) != CXTemplateArgumentKind_Integral)
        return otherwise;
    return clang_Cursor_getTemplateArgumentValue(class, (unsigned)index);
}

/* The class of the field that holds the storage: the one that declares the member, or its only base. */
static CXType class_of_storage(struct cw_body *body, CXType class) {
    struct cw_kids fields = cw_clang_fields(body->u, class), bases = cw_clang_bases(body->u, class);
    return fields.n == 0 && bases.n == 1 ? clang_getCanonicalType(cw_clang_cursor_type(body->u, bases.at[0])) : class;
}

/* Of a base that is an alias libclang shows no fields (WarpExchange). In all of CUB's classes the reference to the
 * storage comes first; of how large that is, a byte for each lane is known: each has an item or more in it. */
static void storage_of_hidden_base(struct cw_body *body, CXType class, cw_ref object, struct cw_collective_call *call) {
    bool has_pointer = clang_Type_getSizeOf(class) >= 8, is_warp = call->row->of->scope == CW_SCOPE_WARP;
    if (!has_pointer || !is_warp || call->row->storage != CW_STORAGE_EXCHANGE || call->dims[0] <= 0)
        return;
    call->storage = cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, object);
    call->storage_bytes = (uint64_t)call->dims[0];
}

static void find_storage(struct cw_body *body, CXType class, cw_ref object, struct cw_collective_call *call) {
    bool has_hidden_base = !cw_clang_fields(body->u, class).n && cw_clang_bases(body->u, class).n == 1;
    CXType own = class;
    class = class_of_storage(body, class);
    has_hidden_base &= !cw_clang_fields(body->u, class).n;
    if (has_hidden_base)
        storage_of_hidden_base(body, own, object, call);
    struct cw_kids fields = cw_clang_fields(body->u, class);
    for (uint32_t k = 0; k < fields.n; k++) {
        uint64_t offset;
        if (strcmp(cw_clang_text(body->u, clang_getCursorSpelling(fields.at[k])), "temp_storage") != 0 ||
            !cw_clang_field_offset(body->u, class, fields.at[k], &offset))
            continue;
        int64_t size = cw_clang_pointee_size(body->u, clang_getCanonicalType(clang_getCursorType(fields.at[k])));
        call->storage = cw_emit1(body->at, CW_OP_LOAD, CW_PTR, 8, cw_at_offset(body->at, object, offset));
        call->storage_bytes = size > 0 ? (uint64_t)size : 0;
    }
}

static struct cw_collective_call describe_call(struct cw_body *body, struct cw_callee *callee, cw_ref object) {
    const struct cw_collective_class *of = callee->collective->of;
    CXCursor class = callee->collective_class;
    bool is_block = of->scope == CW_SCOPE_BLOCK;
    struct cw_collective_call call = {.row = callee->collective, .storage = CW_NONE};
    for (int k = 0; k < 3; k++)
        call.dims[k] = class_argument(class, of->dims[k], k == 0 ? 0 : is_block);
    call.algorithm = class_argument(class, of->algorithm, 0);
    if (cw_ref_type(body->fn, object) == CW_PTR)
        find_storage(body, clang_getCursorType(clang_getCursorSemanticParent(callee->decl)), object, &call);
    return call;
}

/* ---- arguments ---- */

static CXType object_type(const struct call *call, uint32_t k) {
    CXType t = clang_getCanonicalType(cw_clang_param_type(call->b->u, call->c, k));
    return cw_clang_type(call->b->u, t)->is_reference ? clang_getCanonicalType(clang_getPointeeType(t)) : t;
}

static bool is_writable(const struct call *call, uint32_t k) {
    CXType t = clang_getCanonicalType(cw_clang_param_type(call->b->u, call->c, k));
    return cw_clang_type(call->b->u, t)->is_reference && !clang_isConstQualifiedType(object_type(call, k));
}

static bool is_class(const struct call *call, uint32_t k) {
    return clang_getCanonicalType(object_type(call, k)).kind == CXType_Record;
}

/* A scalar that is passed by reference is read here, by the calling thread. */
static cw_ref value_of(const struct call *call, uint32_t k) {
    CXType param = cw_clang_param_type(call->b->u, call->c, k);
    const struct cw_ctype *t = cw_clang_type(call->b->u, object_type(call, k));
    if (t->shape != CW_SHAPE_SCALAR)
        return CW_NONE;
    return cw_clang_type(call->b->u, param)->is_reference
               ? cw_clang_load(call->b, call->args.at[k], object_type(call, k))
               : call->args.at[k];
}

/* Of an array of the caller's own, items that say as well as all of them where its values come from. */
static void read_items(struct call *call, uint32_t k) {
    const struct cw_leaves *leaves = cw_clang_leaves(call->b->u, object_type(call, k));
    for (uint32_t n = 0; leaves->is_split && n < leaves->n && n < MAX_ITEMS; n++) {
        const struct cw_leaf *l = &leaves->at[n];
        cw_ref from = cw_at_offset(call->b->at, call->args.at[k], l->offset);
        cw_vec_push(&call->b->u->scratch, &call->from,
                    cw_emit1(call->b->at, CW_OP_LOAD, l->kind.type, l->size, from));
    }
}

static void read_arguments(struct call *call) {
    for (uint32_t k = 0; k < call->args.n && k < call->c->nparam; k++) {
        char role = cw_collective_role(call->row, k);
        if (!strchr("ixnv", role))
            continue;
        cw_ref v = value_of(call, k);
        if (strchr("nv", role) && call->valid.tag == CW_REF_NONE)
            call->valid = v;
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&call->b->u->scratch, &call->from, v);
        else if (cw_clang_type(call->b->u, object_type(call, k))->is_array)
            read_items(call, k);
    }
}

/* ---- results ---- */

static void put_results(struct call *call, cw_ref at, CXType type) {
    const struct cw_leaves *leaves = cw_clang_leaves(call->b->u, type);
    if (!leaves->is_split) {
        cw_at_clobber(call->b->at, &call->b->u->scratch, at, CW_BAIL_INPUT, call->from.at, call->from.n);
        return;
    }
    for (uint32_t k = 0; k < leaves->n; k++) {
        const struct cw_leaf *l = &leaves->at[k];
        cw_ref v = cw_collective_result(call->b->at, call->row, l->kind.type, call->from.at, call->from.n);
        cw_ref to = cw_at_offset(call->b->at, at, l->offset);
        cw_emit2(call->b->at, CW_OP_STORE, CW_VOID, l->size, v, to);
    }
}

static void put_aggregate(struct call *call, uint32_t k) {
    const struct cw_ctype *t = cw_clang_type(call->b->u, object_type(call, k));
    cw_ref v = cw_collective_aggregate(call->b->at, call->row, t->kind.type, call->values.common);
    cw_clang_store(call->b, v, call->args.at[k], object_type(call, k));
}

/* An aggregate comes last; a callback keeps a state, which the library changes. */
static void put_last(struct call *call, uint32_t k, bool behind_object) {
    if (cw_clang_type(call->b->u, object_type(call, k))->shape == CW_SHAPE_SCALAR) {
        if (k + 1 == call->c->nparam)
            put_aggregate(call, k);
    } else if (is_class(call, k) && (!behind_object || (k > 0 && is_class(call, k - 1)))) {
        put_results(call, call->args.at[k], object_type(call, k));
    }
}

/* Memory that several threads write, at places of which nothing is said. */
static void write_through(struct call *call, uint32_t k) {
    const struct cw_ctype *t = cw_clang_type(call->b->u, object_type(call, k));
    cw_ref pointer = t->kind.type == CW_PTR && t->shape == CW_SHAPE_SCALAR ? value_of(call, k) : call->args.at[k];
    if (cw_ref_type(call->b->fn, pointer) != CW_PTR)
        return;
    cw_at_clobber(call->b->at, &call->b->u->scratch, pointer, CW_BAIL_NONE, NULL, 0);
    call->b->fn->ins.at[call->b->fn->ins.n - 1].flags |= CW_INS_SYNCFREE;
}

static void put_argument(struct call *call, uint32_t k) {
    char role = cw_collective_role(call->row, k);
    if (role == 'w' || role == 'h')
        write_through(call, k);
    else if (!is_writable(call, k))
        return;
    else if (role == 'o' || (strchr("xv", role) && cw_clang_type(call->b->u, object_type(call, k))->is_array))
        put_results(call, call->args.at[k], object_type(call, k));
    else if (role == 'a' || role == 'b')
        put_last(call, k, role == 'b');
}

static cw_ref give_result(struct call *call, cw_ref dest) {
    const struct cw_ctype *t = cw_clang_type(call->b->u, call->c->result);
    if (t->shape == CW_SHAPE_OBJECT && dest.tag != CW_REF_NONE)
        put_results(call, dest, call->c->result);
    if (t->shape != CW_SHAPE_SCALAR)
        return t->shape == CW_SHAPE_UNKNOWN ? cw_clang_unknown(call->b, call->c->result, CW_BAIL_INPUT, NULL, 0)
                                            : CW_NONE;
    bool is_common = call->row->valid == CW_VALID_ALL && call->values.common.tag != CW_REF_NONE;
    return is_common ? cw_collective_aggregate(call->b->at, call->row, t->kind.type, call->values.common)
                     : cw_collective_result(call->b->at, call->row, t->kind.type, call->from.at, call->from.n);
}

/* Who has a result: the logical warps of a size; of a block, below zero, the rows of so many threads, where the class
 * was declared for one row; 0: the block. */
static int64_t size_with_result(const struct cw_collective_call *call) {
    if (call->row->of->scope == CW_SCOPE_WARP)
        return call->dims[0];
    return call->dims[1] == 1 && call->dims[2] == 1 && call->dims[0] > 0 ? -call->dims[0] : 0;
}

cw_ref cw_clang_collective(struct cw_body *body, CXCursor cursor, struct cw_callee *callee, cw_ref dest) {
    struct call x = {.b = body, .c = callee, .row = callee->collective, .valid = CW_NONE};
    uint32_t from = 0;
    cw_ref object = cw_clang_object_of_call(body, cursor, callee, &from);
    cw_clang_arguments(body, cursor, callee, from, &x.args);
    read_arguments(&x);
    struct cw_collective_call call = describe_call(body, callee, object);
    call.from = x.from.at;
    call.nfrom = x.from.n;
    call.valid = x.valid;
    x.values = cw_collective_lower(&body->at, &call);
    cw_vec_push(&body->u->scratch, &x.from, x.values.own);
    cw_vec_push(&body->u->scratch, &x.from, cw_fn_const(body->fn, CW_I32, size_with_result(&call)));
    for (uint32_t k = 0; k < x.args.n && k < callee->nparam; k++)
        put_argument(&x, k);
    return give_result(&x, dest);
}
