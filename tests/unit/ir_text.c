/* The text form: what the printer writes reads back the same; what people write by hand is completed; errors have
 * lines; no text crashes the parser. */
#include "check.h"
#include "support/files.h"

#include "base/str.h"
#include "ir/ir.h"

static const char *print_of(struct cw_arena *a, const char *text, size_t n) {
    const char *error = NULL;
    struct cw_module *m = cw_module_parse(a, text, n, &error);
    if (!m)
        return cw_arena_printf(a, "error: %s", error);
    struct cw_buf out = {0};
    for (uint32_t i = 0; i < m->fns.n; i++)
        (void)cw_fn_verify(m->fns.at[i]); /* whatever it says of garbage, it must survive it */
    cw_module_print(m, &out);
    const char *copy = cw_arena_strndup(a, out.at ? out.at : "", out.n);
    cw_buf_free(&out);
    return copy;
}

static const char *canonical(struct cw_arena *a, const char *text) {
    return print_of(a, text, strlen(text));
}

static void test_everything(struct cw_arena *a) {
    char *text = read_whole(CW_TEST_DIR "/ir/text_everything.ir", NULL);
    const char *first = print_of(a, text, strlen(text));
    CHECK_STR(first, strchr(text, '\n') + 1); /* all but the comment in the first line */
    CHECK_STR(canonical(a, first), first);
    free(text);
}

static void test_by_hand(struct cw_arena *a) {
    CHECK_STR(canonical(a, "kernel @k(ptr %p, i32 %n) {\n"
                           "  shared $s[128] elem=4\n"
                           "entry:             ; comments and blank lines\n"
                           "\n"
                           "  %i = phi i32 \n"
                           "  %x = add i32 tid.x, 1\n"
                           "  store %y, $s     ; defined below\n"
                           "  %y = zext i64 %x\n"
                           "  barrier\n"
                           "  syncwarp\n"
                           "  %v = shfl.xor i32 -1, %x, 16\n"
                           "  goto done\n"
                           "done:\n"
                           "  return\n"
                           "}\n"),
              "kernel @k(ptr %p, i32 %n) {\n"
              "  shared $s[128] elem=4\n"
              "b0:\n"
              "  %i.0 = phi i32\n"
              "  %x.1 = add i32 tid.x, 1\n"
              "  store %y.3, $s\n"
              "  %y.3 = zext i64 %x.1\n"
              "  barrier.sync 0, 0, undef\n"
              "  syncwarp 0xffffffff !default_mask\n"
              "  %v.6 = shfl.xor i32 0xffffffff, %x.1, 16, 32 !default_width\n"
              "  goto b1\n"
              "b1:\n"
              "  return\n"
              "}\n");
}

/* The example in the documentation is what it says. */
static void test_documented(struct cw_arena *a) {
    char *page = read_whole(CW_TEST_DIR "/../docs/internals/ir.md", NULL);
    char *from = strstr(page, "kernel @k("), *to = from ? strstr(from, "```") : NULL;
    CHECK(to != NULL);
    const char *error = NULL;
    struct cw_module *m = to ? cw_module_parse(a, from, (size_t)(to - from), &error) : NULL;
    CHECK_STR(error ? error : "fine", "fine");
    CHECK(m && !cw_fn_verify(m->fns.at[0]));
    CHECK_INT(m ? m->fns.at[0]->blocks.n : 0, 3);
    free(page);
}

/* PHI operands are named by block, so their order in the text is free. */
static void test_phi_order(struct cw_arena *a) {
    const char *error;
    const char *text = "kernel @k(i32 %n) {\nb0:\n  %c = slt %n, 3\n  branch %c, b2, b1\nb1:\n  goto b2\n"
                       "b2:\n  %x = phi i32 b1: 10, b0: 20\n  return\n}\n";
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    CHECK(m != NULL);
    const struct cw_fn *fn = m->fns.at[0];
    const struct cw_block *join = &fn->blocks.at[2];
    int64_t from0 = 0, from1 = 0;
    CHECK_INT(join->pred.at[0], 0);
    CHECK(cw_ref_const(fn, cw_arg(fn, &fn->ins.at[join->ins.at[0]], 0), &from0));
    CHECK(cw_ref_const(fn, cw_arg(fn, &fn->ins.at[join->ins.at[0]], 1), &from1));
    CHECK_INT(from0, 20);
    CHECK_INT(from1, 10);
}

/* What the numbers of labels fix: indices survive, and removed instructions and blocks stay holes. */
static void test_numbers(struct cw_arena *a) {
    const char *error;
    const char *text = "kernel @k() {\nb0:\n  %9 = add i32 1, 2\n  %x = add i32 %9, 2\n  goto b4\nb4:\n  return\n}\n";
    struct cw_module *m = cw_module_parse(a, text, strlen(text), &error);
    CHECK(m != NULL);
    const struct cw_fn *fn = m->fns.at[0];
    CHECK_INT(fn->ins.n, 10);
    CHECK_INT(fn->ins.at[9].op, CW_OP_ADD);
    CHECK_INT(fn->ins.at[0].op, CW_OP_ADD);
    CHECK_STR(fn->ins.at[0].name, "x");
    CHECK(fn->ins.at[9].name == NULL);
    CHECK_INT(fn->ins.at[5].op, CW_OP_HOLE);
    CHECK_INT(fn->blocks.n, 5);
    CHECK_INT(fn->blocks.at[4].pred.n, 1);
}

static void test_errors(struct cw_arena *a) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"kernel k() {\n}\n", "line 1: expected '@'"},
        {"kernel @k() {\n}\n", "line 2: a function needs a block"},
        {"kernel @k() {\nb1:\n return\n}\n",
         "line 2: the first block is the entry and must be b0 when blocks are numbered"},
        {"kernel @k() {\nb0:\n goto b7\n}\n", "line 3: unknown block \"b7\""},
        {"kernel @k() {\nb0:\n store %x, $s\n return\n}\n", "line 3: unknown value \"x\""},
        {"kernel @k() {\nb0:\n %x = add i32 1\n return\n}\n", "line 3: \"add\" takes 2 operands, not 1"},
        {"kernel @k() {\nb0:\n %x = frob i32 1\n}\n", "line 3: unknown operation \"frob\""},
        {"kernel @k() {\nb0:\n %x = add i32 1, 2\n %x = add i32 1, 2\n}\n", "line 4: \"x\" is defined twice"},
        {"kernel @k() {\nb0:\n %x.3 = add i32 1, 2\n %y.3 = add i32 1, 2\n}\n",
         "line 4: two instructions have the number 3"},
        {"kernel @k() {\nb0:\n return\n return\n}\n", "line 4: the block has two jumps"},
        {"kernel @k() {\nb0:\n return\n barrier\n}\n", "line 4: an instruction after the block's jump"},
        {"kernel @k() {\nb0:\n %x = vote 1, 2\n}\n", "line 3: \"vote\" needs a suffix"},
        {"kernel @k() {\nb0:\n %x = add i8 300, 2\n}\n", "line 3: the number does not fit i8"},
        {"kernel @k() {\nb0:\n store 1, ptr:0 @1/2:3\n}\n", "line 3: no file number 1"},
        {"kernel @k() {\nb0:\n store 1, ptr:0 @2:3~4\n}\n", "line 3: no site ~4"},
        {"kernel @k() {\nb0:\n goto b1\nb1:\n %x = phi i32 b1: 1\n return\n}\n",
         "line 5: a phi without an operand for predecessor b0"},
        {"kernel @k() {\nb0:\n return\n}\nkernel @k() {\nb0:\n return\n}\n", "line 5: function \"k\" is defined twice"},
        {"kernel @k() {\nb0:\n %9999999 = add i32 1, 2\n}\n", "line 3: number of a label is too large"},
        {"kernel @\"k", "line 1: string without its closing quote"},
        {"kernel @k() {\nb0:\n return\n", "line 4: expected '}'"},
        {"kernel @k() {\nb0:\n =\n}\n", "line 3: unknown operation \"\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *error = NULL;
        CHECK(!cw_module_parse(a, cases[i].text, strlen(cases[i].text), &error));
        CHECK_STR(error, cases[i].error);
    }
}

static uint32_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

/* One small damage: a byte, a cut, a doubled piece, or a word moved from elsewhere. */
static size_t damage(char *text, size_t n, size_t cap, uint64_t *seed) {
    size_t at = next_random(seed) % n, from = next_random(seed) % n, len = next_random(seed) % 24;
    switch (next_random(seed) % 4) {
    case 0: text[at] = "%$@!.:,;=()[]{}\"\\-~^/0 9abx\n"[next_random(seed) % 29]; return n;
    case 1:
        len = at + len > n ? n - at : len;
        memmove(text + at, text + at + len, n - at - len);
        return n - len;
    default:
        len = from + len > n ? n - from : len;
        if (n + len > cap)
            return n;
        char piece[24];
        memcpy(piece, text + from, len);
        memmove(text + at + len, text + at, n - at);
        memcpy(text + at, piece, len);
        return n + len;
    }
}

static void test_garbage(void) {
    size_t n;
    char *text = read_whole(CW_TEST_DIR "/ir/text_everything.ir", &n);
    char *copy = malloc(n + 4096);
    unsigned accepted = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        uint64_t state = seed;
        struct cw_arena a;
        cw_arena_init(&a);
        memcpy(copy, text, n);
        size_t m = n;
        for (uint32_t hits = seed % 2 ? 1 : 1 + next_random(&state) % 6; hits-- > 0 && m;)
            m = damage(copy, m, n + 4096, &state);
        const char *once = print_of(&a, copy, m);
        if (strncmp(once, "error: line ", 12) != 0) {
            accepted++;
            CHECK_STR(canonical(&a, once), once);
        }
        cw_arena_free(&a);
    }
    CHECK(accepted > 50 && accepted < 1450);
    free(copy);
    free(text);
}

/* Every beginning of a valid text is an error or a valid text. */
static void test_truncated(void) {
    size_t n;
    char *text = read_whole(CW_TEST_DIR "/ir/text_everything.ir", &n);
    for (size_t cut = 0; cut < n; cut += 7) {
        struct cw_arena a;
        cw_arena_init(&a);
        char *part = cw_arena_alloc(&a, cut + 1); /* its own block: reading past the end shows */
        memcpy(part, text, cut);
        const char *once = print_of(&a, part, cut);
        CHECK(strncmp(once, "error: line ", 12) == 0 || strcmp(canonical(&a, once), once) == 0);
        cw_arena_free(&a);
    }
    free(text);
}

int main(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    test_everything(&a);
    test_by_hand(&a);
    test_documented(&a);
    test_phi_order(&a);
    test_numbers(&a);
    test_errors(&a);
    cw_arena_free(&a);
    test_garbage();
    test_truncated();
    return check_report();
}
