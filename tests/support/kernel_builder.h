/* Kernels put together by hand: variables are private objects that are loaded and stored, as front ends lower them;
 * kernel_finish() makes SSA of it. */
#ifndef CW_TESTS_SUPPORT_KERNEL_BUILDER_H
#define CW_TESTS_SUPPORT_KERNEL_BUILDER_H

#include "cfg/cfg.h"

struct kernel_builder {
    struct cw_fn *fn;
    uint32_t block; /* where what is emitted goes */
    uint32_t loc;
};

static inline struct kernel_builder kernel_new(struct cw_module *m, const char *name) {
    struct kernel_builder b = {.fn = cw_fn_new(m, CW_FN_KERNEL, name, name)};
    b.block = cw_fn_add_block(b.fn);
    return b;
}

static inline cw_ref kernel_emit(struct kernel_builder *b, enum cw_op op, enum cw_type type, uint32_t aux, cw_ref x,
                                 cw_ref y) {
    cw_ref args[2] = {x, y};
    uint32_t n = x.tag == CW_REF_NONE ? 0 : y.tag == CW_REF_NONE ? 1 : 2;
    return cw_fn_emit(b->fn, b->block, op, type, aux, args, n, b->loc);
}

static inline cw_ref kernel_int(struct kernel_builder *b, int64_t v) {
    return cw_fn_const(b->fn, CW_I32, v);
}

static inline cw_ref kernel_binary(struct kernel_builder *b, enum cw_op op, cw_ref x, cw_ref y) {
    enum cw_type type = op >= CW_OP_EQ && op <= CW_OP_UGE ? CW_I1 : cw_ref_type(b->fn, x);
    return kernel_emit(b, op, type, 0, x, y);
}

/* Some function of two values, the same in all threads, of which nothing else is known. */
static inline cw_ref kernel_mystery(struct kernel_builder *b, enum cw_type type, cw_ref x, cw_ref y) {
    return kernel_emit(b, CW_OP_PURE, type, cw_fn_add_text(b->fn, "mystery"), x, y);
}

static inline cw_ref kernel_variable(struct kernel_builder *b, const char *name, enum cw_type type) {
    uint32_t bytes = cw_type_bytes(type);
    return cw_fn_add_object(b->fn, (struct cw_object){.name = name, .space = CW_SPACE_LOCAL, .size = bytes,
                                                      .element = bytes});
}

static inline cw_ref kernel_load(struct kernel_builder *b, cw_ref pointer, enum cw_type type, uint32_t bytes) {
    return kernel_emit(b, CW_OP_LOAD, type, bytes, pointer, CW_NONE);
}

static inline void kernel_store(struct kernel_builder *b, cw_ref value, cw_ref pointer, uint32_t bytes) {
    kernel_emit(b, CW_OP_STORE, CW_VOID, bytes, value, pointer);
}

static inline cw_ref kernel_get(struct kernel_builder *b, cw_ref variable, enum cw_type type) {
    return kernel_load(b, variable, type, cw_type_bytes(type));
}

static inline void kernel_set(struct kernel_builder *b, cw_ref variable, cw_ref value) {
    kernel_store(b, value, variable, cw_type_bytes(cw_ref_type(b->fn, value)));
}

/* base + index * scale + more, in bytes */
static inline cw_ref kernel_element(struct kernel_builder *b, cw_ref base, cw_ref index, int64_t scale, int64_t more) {
    cw_ref wide = kernel_emit(b, CW_OP_SEXT, CW_I64, 0, index, CW_NONE);
    cw_ref bytes = kernel_binary(b, CW_OP_MUL, wide, cw_fn_const(b->fn, CW_I64, scale));
    if (more)
        bytes = kernel_binary(b, CW_OP_ADD, bytes, cw_fn_const(b->fn, CW_I64, more));
    return kernel_emit(b, CW_OP_PTRADD, CW_PTR, 0, base, bytes);
}

/* Branches to two fresh blocks; the builder goes on in the first. */
static inline uint32_t kernel_branch(struct kernel_builder *b, cw_ref condition, enum cw_origin origin) {
    uint32_t yes = cw_fn_add_block(b->fn), no = cw_fn_add_block(b->fn);
    cw_fn_branch(b->fn, b->block, condition, yes, no, b->loc, origin);
    b->block = yes;
    return no;
}

/* Jumps to `to` and goes on in `next`. */
static inline void kernel_goto(struct kernel_builder *b, uint32_t to, uint32_t next) {
    cw_fn_jump(b->fn, b->block, to, b->loc, CW_FROM_NONE);
    b->block = next;
}

/* Ends the kernel, in SSA with a CFG; what is wrong with it, or NULL. */
static inline const char *kernel_finish(struct kernel_builder *b) {
    cw_fn_return(b->fn, b->block, CW_NONE, 0);
    cw_fn_link_preds(b->fn);
    cw_optimize(b->fn);
    b->fn->is_ssa = true;
    b->fn->cfg = cw_cfg_build(b->fn);
    return cw_fn_verify(b->fn);
}

#endif
