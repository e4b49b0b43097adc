/* The verifier accepts what is well-formed and names what is not. */
#include "check.h"
#include "support/files.h"

#include "ir/ir.h"

static struct cw_fn *parse_one(struct cw_arena *a, const char *text) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    return m->fns.at[0];
}

static const char *verdict(struct cw_arena *a, const char *body) {
    const char *text = cw_arena_printf(a, "kernel @k(ptr %%p, i32 %%n, f32 %%f) {\n  shared $s[64]\nb0:\n%s}\n", body);
    return cw_fn_verify(parse_one(a, text));
}

static void test_text(struct cw_arena *a) {
    static const struct {
        const char *body, *wrong;
    } cases[] = {
        {"  %x = add i32 %y, 1\n  %y = add i32 1, 2\n  return\n",
         "instruction 0: operand 0 is not computed on every way there"},
        {"  %x = add i32 %x, 1\n  return\n", "instruction 0: operand 0 is not computed on every way there"},
        {"  %x = add i64 %n, 1\n  return\n", "instruction 0: operand 0 of add cannot be i32"},
        {"  %x = add f32 %f, %f\n  return\n", "instruction 0: add cannot have the type f32"},
        {"  %x = slt %n, i64:1\n  return\n", "instruction 0: operand 1 of slt cannot be i64"},
        {"  %x = slt %f, %f\n  return\n", "instruction 0: operand 0 of slt cannot be f32"},
        {"  %x = sext i32 %n\n  return\n", "instruction 0: sext from 32 to 32 bits"},
        {"  %x = trunc i64 %n\n  return\n", "instruction 0: trunc from 32 to 64 bits"},
        {"  %x = ptradd %p, %n\n  return\n", "instruction 0: operand 1 of ptradd cannot be i32"},
        {"  %x = select i32 %n, 1, 2\n  return\n", "instruction 0: operand 0 of select cannot be i32"},
        {"  store %p, %n\n  return\n", "instruction 0: operand 1 of store cannot be i32"},
        {"  syncwarp %p\n  return\n", "instruction 0: operand 0 of syncwarp cannot be ptr"},
        {"  store none, %p\n  return\n", "instruction 0: operand 0 of store refers to nothing"},
        {"  branch %n, b1, b1\nb1:\n  return\n", "block 0: the jump's value cannot be i32"},
        {"  return %n\n", "block 0: the jump's value cannot be i32"},
        {"  goto b1\nb1:\n  goto b0\n", "block 1 jumps to the entry"},
        {"  goto b1\nb1:\n", "block 1 does not end in a jump"},
        {"  %c = slt %n, 1\n  branch %c, b1, b2\nb1:\n  %x = add i32 1, 2\n  goto b2\nb2:\n  %y = add i32 %x, 1\n"
         "  return\n",
         "instruction 2: operand 0 is not computed on every way there"},
        {"  %c = slt %n, 1\n  branch %c, b1, b2\nb1:\n  goto b2\nb2:\n  %y = phi i32 b0: %x, b1: 1\n"
         "  %x = add i32 1, 2\n  return\n",
         "instruction 1: operand 0 is not computed on every way there"},
        {"  goto b1\nb1:\n  %x = add i32 1, 1\n  %y = phi i32 b0: 1\n  return\n",
         "instruction 1: a phi after other instructions"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_STR(verdict(a, cases[i].body), cases[i].wrong);
}

static void test_fine(struct cw_arena *a) {
    CHECK(!verdict(a, "  return\n"));
    CHECK(!verdict(a, "  %c = slt %n, 1\n  branch %c, b1, b2\nb1:\n  %x = add i32 1, 2\n  goto b2\nb2:\n"
                      "  %y = phi i32 b0: 3, b1: %x\n  goto b3\nb3:\n  %i = phi i32 b2: 0, b3: %j\n"
                      "  %j = add i32 %i, %y\n  %d = slt %j, %n\n  branch %d, b3, b4\nb4:\n  return\n"));
    CHECK(!verdict(a, "  %x = load f32 $s\n  switch %n, 1: b1, 2: b1, default: b2\nb1:\n  %y = phi f32 b0: %x, b0: %f\n"
                      "  goto b2\nb2:\n  trap\n"));
    CHECK(!verdict(a, "  return\nb1:\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  goto b1\n")); /* unreachable */
    size_t n;
    char *text = read_whole(CW_TEST_DIR "/ir/text_everything.ir", &n);
    CHECK(cw_fn_verify(parse_one(a, text)) == NULL);
    free(text);
}

/* What no text can say. */
static void test_tables(struct cw_arena *a) {
    const char *text = "kernel @k() {\nb0:\n  %x = add i32 1, 2\n  %y = add i32 %x, 2\n  goto b1\nb1:\n  return\n}\n";
    struct cw_fn *fn = parse_one(a, text);
    CHECK(!cw_fn_verify(fn));
    fn->ins.at[1].block = 1;
    CHECK_STR(cw_fn_verify(fn), "instruction 1 stands in block 0 and elsewhere");
    fn->ins.at[1].block = 0;
    fn->ins.at[0].op = CW_OP_HOLE;
    CHECK_STR(cw_fn_verify(fn), "block 0 lists 0, which is no instruction");
    fn->ins.at[0].op = CW_OP_ADD;
    fn->ins.at[0].loc = 9;
    CHECK_STR(cw_fn_verify(fn), "instruction 0: no location 9");
    fn->ins.at[0].loc = 0;
    fn->args.at[0] = cw_ref_of(CW_REF_CONST, 77);
    CHECK_STR(cw_fn_verify(fn), "instruction 0: operand 0 of add refers to nothing");
    fn->args.at[0] = fn->args.at[1];
    fn->ins.at[0].narg = 700;
    CHECK_STR(cw_fn_verify(fn), "instruction 0: add with 700 operands");
    fn->ins.at[0].narg = 2;
    fn->blocks.at[1].pred.at[0] = 1;
    CHECK_STR(cw_fn_verify(fn), "block 1: its predecessors are not those that jump to it");
    fn->blocks.at[1].pred.at[0] = 0;
    fn->blocks.at[0].jump.succ[0] = 5;
    CHECK_STR(cw_fn_verify(fn), "block 0: a jump to block 5, which there is not");
    fn->blocks.at[0].jump.succ[0] = 1;
    CHECK(!cw_fn_verify(fn));
}

int main(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    test_text(&a);
    test_fine(&a);
    test_tables(&a);
    cw_arena_free(&a);
    return check_report();
}
