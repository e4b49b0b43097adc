/* --dump=uniformity: each block with the levels of its control, each value behind its level, with its cause. */
#include "base/str.h"
#include "uniformity/uniformity.h"

#include <inttypes.h>

static void print_value(const struct cw_uniformity *u, struct cw_buf *out, uint32_t ins) {
    const struct cw_ins *i = &u->fn->ins.at[ins];
    cw_buf_printf(out, "  %-9s ", cw_uni_text((enum cw_uni)u->ins[ins]));
    cw_ins_print(u->fn, ins, out);
    if (i->op == CW_OP_LOAD && cw_bitset_has(&u->unstable, ins))
        cw_buf_puts(out, "  ; unstable");
    if (u->cause_branch[ins] != CW_NO_BLOCK)
        cw_buf_printf(out, "  ; by the branch of b%" PRIu32, u->cause_branch[ins]);
    else if (u->cause[ins].tag != CW_REF_NONE && u->ins[ins] > CW_UNI_GRID) {
        cw_buf_puts(out, "  ; by ");
        cw_ref_print(u->fn, u->cause[ins], out);
    }
    cw_buf_putc(out, '\n');
}

void cw_uniformity_print(const struct cw_uniformity *u, struct cw_buf *out) {
    const struct cw_cfg *cfg = u->fn->cfg;
    cw_buf_printf(out, "uniformity %s\n", u->fn->name);
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        cw_buf_printf(out, "b%" PRIu32 ": %s", b, cw_uni_text((enum cw_uni)u->control[b]));
        if (u->control_live[b] != u->control[b])
            cw_buf_printf(out, ", %s without exited threads", cw_uni_text((enum cw_uni)u->control_live[b]));
        if (u->control_branch[b] != CW_NO_BLOCK)
            cw_buf_printf(out, ", by the branch of b%" PRIu32, u->control_branch[b]);
        cw_buf_putc(out, '\n');
        for (uint32_t p = 0; p < u->fn->blocks.at[b].ins.n; p++)
            if (u->fn->ins.at[u->fn->blocks.at[b].ins.at[p]].type != CW_VOID)
                print_value(u, out, u->fn->blocks.at[b].ins.at[p]);
    }
}
