/* --dump=cfg: one line per block in reverse post-order, then loops and inductions. */
#include "base/str.h"
#include "cfg/cfg.h"

#include <inttypes.h>

static void put_block(struct cw_buf *out, const struct cw_cfg *cfg, uint32_t b) {
    if (b == CW_NO_BLOCK)
        cw_buf_puts(out, "-");
    else if (b == cfg->nblocks)
        cw_buf_puts(out, "exit");
    else
        cw_buf_printf(out, "b%" PRIu32, b);
}

static void print_block(const struct cw_fn *fn, struct cw_buf *out, uint32_t b) {
    const struct cw_cfg *cfg = fn->cfg;
    const struct cw_jump *j = &fn->blocks.at[b].jump;
    cw_buf_printf(out, "b%" PRIu32 " ->", b);
    for (uint32_t s = 0; s < j->nsucc; s++)
        cw_buf_printf(out, " b%" PRIu32, j->succ[s]);
    cw_buf_puts(out, "; idom ");
    put_block(out, cfg, cfg->idom[b]);
    cw_buf_puts(out, ", ipdom ");
    put_block(out, cfg, cfg->ipdom[b]);
    if (cfg->loop_of[b] != CW_NO_LOOP)
        cw_buf_printf(out, ", loop %" PRIu32, cfg->loop_of[b]);
    for (uint32_t k = 0; k < cfg->control[b].n; k++)
        cw_buf_printf(out, "%s b%" PRIu32 ":%" PRIu32, k ? "" : ", control", cfg->control[b].at[k].block,
                      cfg->control[b].at[k].which);
    cw_buf_putc(out, '\n');
}

static void print_list(struct cw_buf *out, const char *title, const struct cw_vec_u32 *vec_u32) {
    cw_buf_puts(out, title);
    for (uint32_t k = 0; k < vec_u32->n; k++)
        cw_buf_printf(out, " b%" PRIu32, vec_u32->at[k]);
}

static void print_loop(const struct cw_fn *fn, struct cw_buf *out, uint32_t loop) {
    const struct cw_loop *l = &fn->cfg->loops.at[loop];
    cw_buf_printf(out, "loop %" PRIu32 ": header b%" PRIu32 ", depth %" PRIu32 ",", loop, l->header, l->depth);
    print_list(out, " latches", &l->latches);
    cw_buf_puts(out, ", exits");
    for (uint32_t k = 0; k < l->exits.n; k++)
        cw_buf_printf(out, " b%" PRIu32 ":%" PRIu32, l->exits.at[k].block, l->exits.at[k].which);
    cw_buf_putc(out, '\n');
    for (uint32_t k = 0; k < l->inductions.n; k++) {
        const struct cw_induction *v = &fn->cfg->inductions.at[l->inductions.at[k]];
        const char *name = fn->ins.at[v->phi].name;
        int64_t step;
        cw_buf_printf(out, "  induction %%%" PRIu32 "%s%s by %s", v->phi, name ? " " : "", name ? name : "",
                      cw_op_text(v->op));
        if (cw_ref_const(fn, v->step, &step))
            cw_buf_printf(out, " %" PRId64, step);
        cw_buf_putc(out, '\n');
    }
}

void cw_cfg_print(const struct cw_fn *fn, struct cw_buf *out) {
    const struct cw_cfg *cfg = fn->cfg;
    cw_buf_printf(out, "cfg %s%s\n", fn->name, cfg->is_irreducible ? " irreducible" : "");
    for (uint32_t i = 0; i < cfg->nrpo; i++)
        print_block(fn, out, cfg->rpo[i]);
    if (cfg->endless.n) {
        print_list(out, "endless", &cfg->endless);
        cw_buf_putc(out, '\n');
    }
    for (uint32_t l = 0; l < cfg->loops.n; l++)
        print_loop(fn, out, l);
}
