/* --dump=uniformity: each block with the levels of its control, each value behind its level, with its cause. */
#include "base/str.h"
#include "uniformity/uniformity.h"

#include <inttypes.h>

static void print_value(const struct cw_uniformity *uniformity, struct cw_buf *out, uint32_t ins) {
    const struct cw_ins *i = &uniformity->fn->ins.at[ins];
    cw_buf_printf(out, "  %-9s ", cw_uni_text((enum cw_uni)uniformity->ins[ins]));
    cw_ins_print(uniformity->fn, ins, out);
    if (i->op == CW_OP_LOAD && cw_bitset_has(&uniformity->unstable, ins))
        cw_buf_puts(out, "  ; unstable");
    if (uniformity->cause_branch[ins] != CW_NO_BLOCK)
        cw_buf_printf(out, "  ; by the branch of b%" PRIu32, uniformity->cause_branch[ins]);
    else if (uniformity->cause[ins].tag != CW_REF_NONE && uniformity->ins[ins] > CW_UNI_GRID) {
        cw_buf_puts(out, "  ; by ");
        cw_ref_print(uniformity->fn, uniformity->cause[ins], out);
    }
    cw_buf_putc(out, '\n');
}

void cw_uniformity_print(const struct cw_uniformity *uniformity, struct cw_buf *out) {
    const struct cw_cfg *cfg = uniformity->fn->cfg;
    cw_buf_printf(out, "uniformity %s\n", uniformity->fn->name);
    for (uint32_t k = 0; k < cfg->nrpo; k++) {
        uint32_t b = cfg->rpo[k];
        cw_buf_printf(out, "b%" PRIu32 ": %s", b, cw_uni_text((enum cw_uni)uniformity->control[b]));
        if (uniformity->control_live[b] != uniformity->control[b])
            cw_buf_printf(out, ", %s without exited threads", cw_uni_text((enum cw_uni)uniformity->control_live[b]));
        if (uniformity->control_branch[b] != CW_NO_BLOCK)
            cw_buf_printf(out, ", by the branch of b%" PRIu32, uniformity->control_branch[b]);
        cw_buf_putc(out, '\n');
        for (uint32_t p = 0; p < uniformity->fn->blocks.at[b].ins.n; p++)
            if (uniformity->fn->ins.at[uniformity->fn->blocks.at[b].ins.at[p]].type != CW_VOID)
                print_value(uniformity, out, uniformity->fn->blocks.at[b].ins.at[p]);
    }
}
