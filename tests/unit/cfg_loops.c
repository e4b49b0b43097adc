/* Loops, exits and induction variables of textual IR, by the text of --dump=cfg. */
#include "check.h"

#include "base/str.h"
#include "cfg/cfg.h"

#include <stdlib.h>

static struct cw_fn *parse(struct cw_arena *a, const char *body) {
    const char *error = NULL;
    char *text = cw_arena_printf(a, "kernel @k(i32 %%n, ptr %%p) {\n%s}\n", body);
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    cw_cfg_build(m->fns.at[0]);
    return m->fns.at[0];
}

static void check_dump(const char *body, const char *expected) {
    struct cw_arena a;
    struct cw_buf out = {0};
    cw_arena_init(&a);
    cw_cfg_print(parse(&a, body), &out);
    CHECK_STR(out.at, expected);
    cw_buf_free(&out);
    cw_arena_free(&a);
}

static void test_for(void) {
    check_dump("b0:\n  goto b1\n"
               "b1:\n  %i = phi i32 b0: 0, b2: %j\n  %c = slt %i, %n\n  branch %c, b2, b3\n"
               "b2:\n  %j = add i32 %i, 3\n  goto b1\n"
               "b3:\n  return\n",
               "cfg k\n"
               "b0 -> b1; idom -, ipdom b1\n"
               "b1 -> b2 b3; idom b0, ipdom b3, loop 0, control b1:0\n"
               "b2 -> b1; idom b1, ipdom b1, loop 0, control b1:0\n"
               "b3 ->; idom b1, ipdom exit\n"
               "loop 0: header b1, depth 1, latches b2, exits b1:1\n"
               "  induction %0 i by add 3\n");
}

static void test_nest_with_return_and_endless(void) {
    check_dump("b0:\n  goto b1\n"
               "b1:\n  goto b2\n"
               "b2:\n  branch 1, b3, b4\n"
               "b3:\n  branch 0, b2, b5\n"
               "b4:\n  goto b1\n"
               "b5:\n  branch 0, b6, b7\n"
               "b6:\n  goto b6\n"
               "b7:\n  return\n",
               "cfg k\n"
               "b0 -> b1; idom -, ipdom b1\n"
               "b1 -> b2; idom b0, ipdom b2, loop 0, control b2:1\n"
               "b2 -> b3 b4; idom b1, ipdom b3, loop 1, control b2:1 b3:0\n"
               "b3 -> b2 b5; idom b2, ipdom b5, loop 1, control b3:0\n"
               "b5 -> b6 b7; idom b3, ipdom exit\n"
               "b6 -> b6; idom b5, ipdom exit, loop 2, control b5:0\n"
               "b7 ->; idom b5, ipdom exit, control b5:1\n"
               "b4 -> b1; idom b2, ipdom b1, loop 0, control b2:1\n"
               "endless b6\n"
               "loop 0: header b1, depth 1, latches b4, exits b3:1\n"
               "loop 1: header b2, depth 2, latches b3, exits b2:1 b3:1\n"
               "loop 2: header b6, depth 1, latches b6, exits\n");
}

/* One loop whose counter's next value is `step`; the induction's text, or "" when there is none. */
static void check_induction(const char *type, const char *before, const char *step, const char *expected) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_fn *fn = parse(&a, cw_arena_printf(&a, "b0:\n%s  goto b1\n"
                                                 "b1:\n  %%i = phi %s b0: %s, b1: %%next\n%s"
                                                 "  %%c = slt i32 %%n, 3\n  branch %%c, b1, b2\nb2:\n  return\n",
                                                 before, type, strcmp(type, "ptr") ? "64" : "%p", step));
    const struct cw_cfg *cfg = fn->cfg;
    CHECK_INT(cfg->loops.n, 1);
    CHECK_INT(cfg->inductions.n, expected[0] != 0);
    if (cfg->inductions.n) {
        CHECK_STR(cw_op_text(cfg->inductions.at[0].op), expected);
        CHECK_STR(fn->ins.at[cfg->inductions.at[0].phi].name, "i");
        CHECK_STR(fn->ins.at[cfg->inductions.at[0].next.index].name, "next");
        CHECK_INT(cfg->loops.at[0].inductions.n, 1);
    }
    cw_arena_free(&a);
}

static void test_inductions(void) {
    check_induction("i32", "", "  %next = add i32 %i, 1\n", "add");
    check_induction("i32", "", "  %next = add i32 %n, %i\n", "add");
    check_induction("i32", "", "  %next = sub i32 %i, 2\n", "sub");
    check_induction("i32", "", "  %next = sub i32 2, %i\n", "");
    check_induction("i32", "", "  %next = ashr i32 %i, 1\n", "ashr");
    check_induction("i32", "", "  %next = lshr i32 %i, 1\n", "lshr");
    check_induction("i32", "", "  %next = mul i32 2, %i\n", "mul");
    check_induction("i32", "", "  %next = shl i32 %i, 1\n", "shl");
    check_induction("i32", "", "  %next = sdiv i32 %i, 2\n", "sdiv");
    check_induction("i32", "", "  %next = udiv i32 %i, 2\n", "udiv");
    check_induction("i32", "", "  %next = xor i32 %i, 1\n", "");
    check_induction("ptr", "", "  %next = ptradd %i, 4\n", "ptradd");
    /* i *= i and steps that change in the loop */
    check_induction("i32", "", "  %next = mul i32 %i, %i\n", "");
    check_induction("i32", "", "  %x = load i32 %p\n  %next = add i32 %i, %x\n", "");
    /* a step computed in the loop from what does not change there: i += blockDim.x * gridDim.x */
    check_induction("i32", "", "  %x = mul i32 ntid.x, nctaid.x\n  %next = add i32 %i, %x\n", "add");
    check_induction("i32", "  %x = load i32 %p\n", "  %next = add i32 %i, %x\n", "add");
    check_induction("i32", "", "  %x = mul i32 %n, %i\n  %next = add i32 %i, %x\n", "");
}

/* C computes `short` and `unsigned char` counters in int. */
static void test_narrow_inductions(void) {
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = add i32 %w, 1\n  %next = trunc i16 %x\n", "add");
    check_induction("i8", "", "  %w = zext i32 %i\n  %x = ashr i32 %w, 1\n  %next = trunc i8 %x\n", "lshr");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = ashr i32 %w, 1\n  %next = trunc i16 %x\n", "ashr");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = lshr i32 %w, 1\n  %next = trunc i16 %x\n", "");
    check_induction("i8", "", "  %w = zext i32 %i\n  %x = sdiv i32 %w, 2\n  %next = trunc i8 %x\n", "udiv");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = sdiv i32 %w, 2\n  %next = trunc i16 %x\n", "sdiv");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = sdiv i32 %w, -2\n  %next = trunc i16 %x\n", "");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = udiv i32 %w, 2\n  %next = trunc i16 %x\n", "");
    check_induction("i16", "", "  %w = sext i32 %i\n  %x = shl i32 %w, 20\n  %next = trunc i16 %x\n", "");
}

static void test_instruction_order(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_fn *fn = parse(&a, "b0:\n  %0 = add i32 1, %n\n  %1 = add i32 2, %n\n  branch 1, b1, b2\n"
                                 "b1:\n  %2 = add i32 3, %n\n  goto b2\nb2:\n  %3 = add i32 4, %n\n  return\n");
    CHECK(cw_cfg_ins_dominates(fn, 0, 1));
    CHECK(!cw_cfg_ins_dominates(fn, 1, 0));
    CHECK(cw_cfg_ins_dominates(fn, 0, 2));
    CHECK(cw_cfg_ins_dominates(fn, 1, 3));
    CHECK(!cw_cfg_ins_dominates(fn, 2, 3));
    /* positions found at build time do not mislead after an instruction went away */
    struct cw_vec_u32 *list = &fn->blocks.at[0].ins;
    list->at[0] = 1;
    list->at[1] = 0;
    CHECK(cw_cfg_ins_dominates(fn, 1, 0));
    cw_arena_free(&a);
}

int main(void) {
    test_for();
    test_nest_with_return_and_endless();
    test_inductions();
    test_narrow_inductions();
    test_instruction_order();
    return check_report();
}
