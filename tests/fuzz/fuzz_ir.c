/* The text form of the IR: any bytes are either refused with a reason or give a module that survives being verified and
 * printed, and the print reads back as the same text. What verifies goes through the passes, each of which must leave a
 * function that verifies. */
#include "base/str.h"
#include "cfg/cfg.h"
#include "ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "fuzz_ir: %s: %s\n", what, detail);
    abort();
}

static void check_print(struct cw_arena *a, const struct cw_module *m) {
    struct cw_buf first = {0}, second = {0};
    const char *error = NULL;
    cw_module_print(m, &first);
    const struct cw_module *again = cw_module_parse(a, first.at ? first.at : "", first.n, &error);
    if (!again)
        fail("printed text does not parse", error);
    cw_module_print(again, &second);
    if (first.n != second.n || (first.n && memcmp(first.at, second.at, first.n) != 0))
        fail("print, parse, print differs", first.at);
    cw_buf_free(&first);
    cw_buf_free(&second);
}

static void check_verified(const struct cw_fn *fn, const char *pass) {
    const char *wrong = cw_fn_verify(fn);
    if (wrong)
        fail(pass, wrong);
}

static void check_passes(struct cw_arena *a, struct cw_fn *root) {
    struct cw_fn *fn = cw_inline(root, a, 2000);
    check_verified(fn, "inline");
    cw_promote(fn);
    check_verified(fn, "promote");
    cw_simplify(fn);
    check_verified(fn, "simplify");
    cw_cfg_build(fn);
    check_verified(cw_inline_condensed(root, a, 2000), "inline condensed");
    cw_tail_calls(root);
    check_verified(root, "tail calls");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct cw_arena a;
    cw_arena_init(&a);
    const char *error = NULL;
    const struct cw_module *m = cw_module_parse(&a, (const char *)data, size, &error);
    if (!m && !error)
        fail("refused without a reason", "");
    bool sound = m != NULL;
    for (uint32_t i = 0; m && i < m->fns.n; i++)
        sound = cw_fn_verify(m->fns.at[i]) == NULL && sound;
    if (sound)
        check_print(&a, m);
    for (uint32_t i = 0; sound && i < m->fns.n; i++)
        if (!m->fns.at[i]->is_ssa)
            check_passes(&a, m->fns.at[i]);
    cw_arena_free(&a);
    return 0;
}
