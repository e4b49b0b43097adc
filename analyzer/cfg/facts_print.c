#include "cfg/facts_print.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void cw_facts_begin(const struct cw_facts_print *to, bool definite, const char *what) {
    cw_buf_printf(to->out, "  %s %s", definite ? "definite" : "possible", what);
}

void cw_facts_end(const struct cw_facts_print *to) {
    cw_buf_putc(to->out, '\n');
}

void cw_facts_part(const struct cw_facts_print *to, const char *format, ...) {
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cw_buf_printf(to->out, ", %s", text);
}

void cw_facts_flag(const struct cw_facts_print *to, bool is_set, const char *text) {
    if (is_set)
        cw_buf_printf(to->out, ", %s", text);
}

static void put_place(const struct cw_facts_print *to, uint32_t loc) {
    enum { MAX_FRAMES = 64 };
    const struct cw_fn *fn = to->fn;
    for (uint32_t n = 0; loc && n < MAX_FRAMES; n++) {
        const struct cw_loc *at = &fn->locs.at[loc];
        if (at->span.file < fn->module->files.n)
            cw_buf_printf(to->out, " %s %s:%" PRIu32 ":%" PRIu32, n ? "from" : "at",
                          fn->module->files.at[at->span.file], at->span.line, at->span.col);
        loc = at->site ? fn->sites.at[at->site].loc : 0;
    }
}

static void put_ins(const struct cw_facts_print *to, uint32_t ins) {
    const struct cw_ins *i = &to->fn->ins.at[ins];
    cw_buf_puts(to->out, cw_op_text((enum cw_op)i->op));
    if (i->loc)
        put_place(to, i->loc);
    else
        cw_buf_printf(to->out, " %%%" PRIu32, ins);
}

void cw_facts_ins(const struct cw_facts_print *to, const char *label, uint32_t ins) {
    if (ins == UINT32_MAX)
        return;
    cw_buf_printf(to->out, ", %s%s", label, *label ? " " : "");
    put_ins(to, ins);
}

void cw_facts_access(const struct cw_facts_print *to, bool writes, bool atomic, uint32_t ins) {
    const char *const labels[] = {"read", "write", "atomic read", "atomic write"};
    cw_facts_ins(to, labels[2 * atomic + writes], ins);
}

void cw_facts_also(const struct cw_facts_print *to, const struct cw_vec_u32 *also) {
    for (uint32_t k = 0; k < also->n; k++)
        cw_facts_ins(to, "also", also->at[k]);
}

void cw_facts_loc(const struct cw_facts_print *to, const char *label, uint32_t loc) {
    if (loc == 0)
        return;
    cw_buf_printf(to->out, ", %s", label);
    put_place(to, loc);
}

void cw_facts_branch(const struct cw_facts_print *to, uint32_t block) {
    if (block == CW_NO_BLOCK)
        return;
    uint32_t loc = to->fn->blocks.at[block].jump.loc;
    cw_buf_printf(to->out, loc ? ", branch" : ", branch b%" PRIu32, block);
    put_place(to, loc);
}

/* The first place of a block that has one. */
static uint32_t loc_of_block(const struct cw_fn *fn, uint32_t block) {
    const struct cw_block *b = &fn->blocks.at[block];
    if (b->jump.loc || b->always)
        return b->jump.loc ? b->jump.loc : b->always;
    for (uint32_t k = 0; k < b->ins.n; k++)
        if (fn->ins.at[b->ins.at[k]].loc)
            return fn->ins.at[b->ins.at[k]].loc;
    return 0;
}

void cw_facts_loop(const struct cw_facts_print *to, uint32_t loop) {
    if (loop == CW_NO_LOOP)
        return;
    cw_buf_printf(to->out, ", loop %" PRIu32, loop);
    put_place(to, loc_of_block(to->fn, to->fn->cfg->loops.at[loop].header));
}

void cw_facts_base(const struct cw_facts_print *to, cw_ref base) {
    if (base.tag == CW_REF_NONE)
        return;
    cw_buf_puts(to->out, ", on ");
    cw_ref_print(to->fn, base, to->out);
}

void cw_facts_memory(const struct cw_facts_print *to, cw_ref base, int64_t offset, uint64_t bytes) {
    cw_facts_base(to, base);
    if (base.tag != CW_REF_NONE)
        cw_buf_printf(to->out, "+%" PRId64 " (%" PRIu64 " bytes)", offset, bytes);
}
