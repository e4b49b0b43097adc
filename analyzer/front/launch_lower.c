#include "front/launch_lower.h"

#include "front/front.h"

#include <string.h>

/* struct cudaLaunchAttribute: its number, and at VALUE a union of 64 bytes that begins with the cluster's extents,
 * or with an integer that is not 0 for a cooperative launch. */
enum { ATTRIBUTE_BYTES = 72, VALUE = 8, COOPERATIVE = 2, CLUSTER_DIMENSION = 4, LOOKED_AT = 4 };

static cw_ref load_at(struct cw_at at, cw_ref base, int64_t offset) {
    cw_ref address = cw_emit2(at, CW_OP_PTRADD, CW_PTR, 0, base, cw_fn_const(at.fn, CW_I64, offset));
    return cw_emit1(at, CW_OP_LOAD, CW_I32, 4, address);
}

static cw_ref select_value(struct cw_at at, cw_ref condition, cw_ref yes, cw_ref no) {
    cw_ref args[] = {condition, yes, no};
    return cw_fn_emit(at.fn, at.block, CW_OP_SELECT, CW_I32, 0, args, 3, at.loc);
}

static cw_ref product_of_extents(struct cw_at at, cw_ref base, int64_t offset) {
    cw_ref blocks = load_at(at, base, offset);
    for (int64_t d = 1; d < 3; d++)
        blocks = cw_emit2(at, CW_OP_MUL, CW_I32, 0, blocks, load_at(at, base, offset + 4 * d));
    return blocks;
}

/* Is there a k-th attribute, and has it this number? */
static cw_ref has_attribute(struct cw_at at, cw_ref attributes, cw_ref count, int64_t k, int64_t number) {
    cw_ref is_there = cw_emit2(at, CW_OP_ULT, CW_I1, 0, cw_fn_const(at.fn, CW_I32, k), count);
    cw_ref is_it = cw_emit2(at, CW_OP_EQ, CW_I1, 0, load_at(at, attributes, k * ATTRIBUTE_BYTES),
                            cw_fn_const(at.fn, CW_I32, number));
    return cw_emit2(at, CW_OP_AND, CW_I1, 0, is_there, is_it);
}

static void read_attributes(struct cw_at at, cw_ref attributes, cw_ref count, cw_ref out[CW_LAUNCH_ATTRIBUTES]) {
    cw_ref blocks = cw_fn_const(at.fn, CW_I32, 1), cooperative = cw_fn_const(at.fn, CW_I32, 0);
    for (int64_t k = 0; k < LOOKED_AT; k++) {
        int64_t value = k * ATTRIBUTE_BYTES + VALUE;
        blocks = select_value(at, has_attribute(at, attributes, count, k, CLUSTER_DIMENSION),
                              product_of_extents(at, attributes, value), blocks);
        cooperative = select_value(at, has_attribute(at, attributes, count, k, COOPERATIVE),
                                   load_at(at, attributes, value), cooperative);
    }
    cw_ref is_all = cw_emit2(at, CW_OP_ULE, CW_I1, 0, count, cw_fn_const(at.fn, CW_I32, LOOKED_AT));
    out[0] = select_value(at, is_all, blocks, cw_fn_const(at.fn, CW_I32, 0));
    out[1] = select_value(at, is_all, cooperative, cw_fn_const(at.fn, CW_I32, 1));
}

void cw_unknown_attributes(struct cw_at at, cw_ref out[CW_LAUNCH_ATTRIBUTES]) {
    out[0] = cw_fn_const(at.fn, CW_I32, 0);
    out[1] = cw_fn_const(at.fn, CW_I32, 1);
}

void cw_attributes_of_config(struct cw_at at, cw_ref attributes, cw_ref count, cw_ref out[CW_LAUNCH_ATTRIBUTES]) {
    if (attributes.tag == CW_REF_NONE || count.tag == CW_REF_NONE) {
        cw_unknown_attributes(at, out);
        return;
    }
    attributes = cw_emit1(at, CW_OP_LOAD, CW_PTR, 8, attributes);
    read_attributes(at, attributes, cw_emit1(at, CW_OP_LOAD, CW_I32, 4, count), out);
}

void cw_load_extents(struct cw_at at, cw_ref dim3, cw_ref out[3]) {
    for (uint32_t i = 0; i < 3; i++)
        out[i] = cw_emit1(at, CW_OP_LOAD, CW_I32, 4, cw_at_offset(at, dim3, 4 * i));
}

void cw_emit_launch(struct cw_at at, const char *key, const cw_ref *args, uint32_t n, unsigned flags) {
    if (at.fn->kind != CW_FN_HOST) {
        cw_fn_emit(at.fn, at.block, CW_OP_OPCALL, CW_VOID, CW_BAIL_UNKNOWN_CALL, args, n, at.loc);
        at.fn->ins.at[at.fn->ins.n - 1].flags |= CW_INS_SYNCFREE; /* the grid runs beside the block */
        return;
    }
    cw_fn_emit(at.fn, at.block, CW_OP_LAUNCH, CW_VOID, cw_fn_add_callee(at.fn, key), args, n, at.loc);
    struct cw_ins *launch = &at.fn->ins.at[at.fn->ins.n - 1];
    launch->flags = (uint16_t)(launch->flags | flags);
}

bool cw_names_launcher(const char *name) {
    bool is_toolkits = !strncmp(name, "cuda", 4) || !strncmp(name, "cuLaunch", 8);
    return !is_toolkits && (strstr(name, "Launch") || strstr(name, "launch"));
}
