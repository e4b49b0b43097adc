/* Loops that nothing ends, on textual IR. Expectations are reasoned from the code in each title. */
#include "check.h"

#include "base/str.h"
#include "cfg/cfg.h"
#include "uniformity/infinite_loops.h"

/* Of the only function of `text`: how many such loops, and the line of the first one's condition (0: none). */
static void expect(const char *text, uint32_t n, uint32_t line) {
    struct cw_arena a;
    const char *error = NULL;
    cw_arena_init(&a);
    struct cw_module *m = cw_module_parse(&a, text, strlen(text), &error);
    if (m == NULL)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1);
    struct cw_fn *fn = m->fns.at[0];
    cw_cfg_build(fn);
    struct cw_endless_loops loops = cw_endless_loops_of(fn, &a);
    CHECK_INT(loops.at.n, n);
    if (loops.at.n == 1)
        CHECK_INT(fn->locs.at[loops.at.at[0].condition].span.line, line);
    cw_arena_free(&a);
}

/* while (1) { if (p) break; } for (; q;) … in one loop: the exits' blocks as given, the first one's origin before. */
#define TWO_EXITS(first, second, step)                                                                                 \
    "kernel @k(i32 %p, i32 %q) {\nb0:\n  goto b1\nb1:\n  %i = phi i32 b0: 0, b3: %j\n  %c = slt i32 %p, 4\n"           \
    "  branch %c, b2, b4 " first " @3:5-9\nb2:\n  %d = slt i32 " second ", 4\n"                                        \
    "  branch %d, b3, b4 !for @7:5-9\nb3:\n  %j = add i32 %i, 1\n" step "  goto b1\nb4:\n  return\n}\n"

int main(void) {
    expect(TWO_EXITS("!if", "%q", ""), 1, 7); /* for (; q < 4;) if (!(p < 4)) break; */
    expect(TWO_EXITS("!while", "%q", ""), 1, 3); /* the first of two */
    expect(TWO_EXITS("!if", "%i", ""), 0, 0);    /* the counter ends it */
    expect(TWO_EXITS("!if", "%q", "  %x = opcall.unknown_call i32\n"), 0, 0); /* unknown code may end the thread */
    return check_report();
}
