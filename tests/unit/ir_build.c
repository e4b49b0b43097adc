/* Building functions: equal things have equal indices, declarations of one object meet, edges are listed. */
#include "check.h"

#include "ir/ir.h"

static void test_types(void) {
    CHECK_INT(cw_type_wrap(CW_I1, 3), 1);
    CHECK_INT(cw_type_wrap(CW_I1, -2), 0);
    CHECK_INT(cw_type_wrap(CW_I8, 255), -1);
    CHECK_INT(cw_type_wrap(CW_I16, 0x18000), -32768);
    CHECK_INT(cw_type_wrap(CW_I32, 0xffffffff), -1);
    CHECK_INT(cw_type_wrap(CW_I64, INT64_MIN), INT64_MIN);
    CHECK_INT(cw_type_wrap(CW_F32, INT64_MAX), INT64_MAX);
    CHECK_INT(cw_type_bytes(CW_I1), 1);
    CHECK_INT(cw_type_bytes(CW_F64), 8);
    CHECK_INT(cw_type_bytes(CW_AGG), 0);
    CHECK(cw_type_is_int(CW_I1) && !cw_type_is_int(CW_PTR) && cw_type_is_float(CW_F16));
    CHECK_STR(cw_op_text(CW_OP_SYNCWARP), "syncwarp");
    CHECK_INT(cw_op_operands(CW_OP_SHFL), 4);
    CHECK(cw_op_flags(CW_OP_BARRIER) & CW_OP_B);
    CHECK_STR(cw_sreg_cuda(CW_NTID_Y), "blockDim.y");
    for (unsigned b = 0; b < CW_NBAILS; b++)
        CHECK(cw_bail_id((enum cw_bail)b) && cw_bail_text((enum cw_bail)b));
    for (unsigned s = 0; s < CW_NSREGS; s++)
        CHECK(cw_sreg_text((enum cw_sreg)s) && cw_sreg_cuda((enum cw_sreg)s));
}

static void test_bail_ids(void) {
    CHECK_STR(cw_bail_id(CW_BAIL_NONE), "none");
    CHECK_STR(cw_bail_id(CW_BAIL_RECURSION), "recursion");
    CHECK_STR(cw_bail_id(CW_BAIL_INLINE_ASM), "inline_asm");
    CHECK_STR(cw_bail_id(CW_BAIL_DEPENDENT), "dependent");
    CHECK_STR(cw_bail_id(CW_BAIL_INDIRECT_GOTO), "indirect_goto");
    CHECK_STR(cw_bail_id(CW_BAIL_TEXTURE), "texture");
    CHECK_STR(cw_bail_id(CW_BAIL_IRREDUCIBLE), "irreducible");
}

static void test_tables(struct cw_fn *fn) {
    CHECK(cw_ref_eq(cw_fn_const(fn, CW_I8, 255), cw_fn_const(fn, CW_I8, -1)));
    CHECK(!cw_ref_eq(cw_fn_const(fn, CW_I8, -1), cw_fn_const(fn, CW_I16, -1)));
    int64_t v = 0;
    CHECK(cw_ref_const(fn, cw_fn_const(fn, CW_I8, 200), &v));
    CHECK_INT(v, -56);
    CHECK(!cw_ref_const(fn, cw_fn_const(fn, CW_F32, 0), &v));
    CHECK(!cw_ref_const(fn, cw_fn_const(fn, CW_PTR, 0), &v));
    struct cw_loc here = {.span = {0, 3, 5, 3, 9}, .macro = "CHECK"}, there = here;
    there.site = 1;
    CHECK_INT(cw_fn_add_loc(fn, (struct cw_loc){0}), 0);
    uint32_t first = cw_fn_add_loc(fn, here);
    CHECK(first != 0);
    CHECK_INT(cw_fn_add_loc(fn, here), first);
    CHECK(cw_fn_add_loc(fn, there) != first);
    char copy[] = "sinf";
    CHECK_INT(cw_fn_add_text(fn, copy), cw_fn_add_text(fn, "sinf"));
    CHECK(cw_fn_add_text(fn, "cosf") != cw_fn_add_text(fn, "sinf"));
    CHECK_INT(cw_fn_add_callee(fn, "f"), cw_fn_add_callee(fn, "f"));
    CHECK_INT(cw_ref_type(fn, cw_ref_of(CW_REF_SREG, CW_TID_X)), CW_I32);
    CHECK_INT(cw_ref_type(fn, cw_fn_undef(CW_F64)), CW_F64);
    CHECK_INT(cw_ref_type(fn, CW_NONE), CW_VOID);
}

static void test_objects(struct cw_fn *fn) {
    struct cw_object small = {.name = "a", .key = "dynshared", .space = CW_SPACE_DYNSHARED, .align = 4, .element = 4};
    struct cw_object big = {.name = "b", .key = "dynshared", .space = CW_SPACE_DYNSHARED, .size = 64, .align = 16};
    cw_ref a = cw_fn_add_object(fn, small), b = cw_fn_add_object(fn, big);
    CHECK(cw_ref_eq(a, b));
    CHECK_INT(fn->objects.at[a.index].size, 64);
    CHECK_INT(fn->objects.at[a.index].align, 16);
    CHECK_INT(fn->objects.at[a.index].element, 4);
    CHECK_STR(fn->objects.at[a.index].name, "a");
    struct cw_object local = {.name = "i", .space = CW_SPACE_LOCAL, .size = 4};
    CHECK(!cw_ref_eq(cw_fn_add_object(fn, local), cw_fn_add_object(fn, local)));
}

static void test_blocks(struct cw_fn *fn) {
    uint32_t entry = cw_fn_add_block(fn), then = cw_fn_add_block(fn), end = cw_fn_add_block(fn);
    cw_ref c = cw_fn_emit(fn, entry, CW_OP_OPAQUE, CW_I1, CW_BAIL_TEXTURE, NULL, 0, 0);
    CHECK_INT(fn->bails[CW_BAIL_TEXTURE], 1);
    cw_fn_branch(fn, entry, c, then, end, 0, CW_FROM_IF);
    int64_t values[] = {4, 9};
    uint32_t succ[] = {end, end, end};
    cw_fn_switch(fn, then, cw_fn_const(fn, CW_I32, 4), 2, values, succ, 0);
    cw_fn_return(fn, end, CW_NONE, 0);
    cw_fn_link_preds(fn);
    CHECK(!cw_fn_verify(fn));
    CHECK_INT(fn->blocks.at[entry].pred.n, 0);
    CHECK_INT(fn->blocks.at[end].pred.n, 4);
    CHECK_INT(fn->blocks.at[end].pred.at[0], entry);
    CHECK_INT(fn->blocks.at[end].pred.at[3], then);
    cw_fn_link_preds(fn);
    CHECK_INT(fn->blocks.at[end].pred.n, 4);
    CHECK_INT(fn->blocks.at[entry].unroll, -1);
}

/* Many equal and unequal constants: the table finds each again. */
static void test_many(struct cw_fn *fn) {
    uint32_t before = fn->consts.n;
    for (int round = 0; round < 2; round++)
        for (int64_t k = 1000; k < 6000; k++) {
            cw_ref r = cw_fn_const(fn, CW_I64, k * k);
            CHECK_INT(fn->consts.at[r.index].value, k * k);
        }
    CHECK_INT(fn->consts.n - before, 5000);
}

int main(void) {
    struct cw_arena a;
    struct cw_module m;
    cw_arena_init(&a);
    cw_module_init(&m, &a);
    struct cw_fn *fn = cw_fn_new(&m, CW_FN_KERNEL, "reduce<256>", "k1");
    CHECK(cw_module_find(&m, "k1") == fn);
    CHECK(!cw_module_find(&m, "k2"));
    CHECK_INT(cw_module_file(&m, "a.cu"), 0);
    CHECK_INT(cw_module_file(&m, "b.cuh"), 1);
    CHECK_INT(cw_module_file(&m, "a.cu"), 0);
    test_types();
    test_bail_ids();
    test_tables(fn);
    test_objects(fn);
    test_blocks(fn);
    test_many(fn);
    cw_arena_free(&a);
    return check_report();
}
