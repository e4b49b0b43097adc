#include "engine/accesses.h"

#include "base/map.h"
#include "base/str.h"
#include "flow/memory.h"

static bool is_shared(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    for (uint32_t i = 0; i < bases.n; i++) {
        const struct cw_base *b = &bases.at[i];
        if (b->root.tag != CW_REF_OBJECT || b->is_read)
            continue;
        enum cw_space space = fn->objects.at[b->root.index].space;
        if (space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED)
            return true;
    }
    return false;
}

static bool is_wanted(const struct cw_fn *fn, const struct cw_ins *i) {
    struct cw_access accesses[2];
    if (cw_op_flags((enum cw_op)i->op) & (CW_OP_C | CW_OP_B) || i->op == CW_OP_ACTIVEMASK)
        return true;
    uint32_t n = cw_memory_accesses(fn, i, accesses);
    for (uint32_t k = 0; k < n; k++)
        if (is_shared(fn, accesses[k].pointer))
            return true;
    return false;
}

static void print_frames(const struct cw_fn *fn, uint32_t loc, struct cw_buf *out) {
    enum { MAX_FRAMES = 64 };
    for (uint32_t n = 0; loc && n < MAX_FRAMES; n++) {
        const struct cw_loc *l = &fn->locs.at[loc];
        if (l->span.file < fn->module->files.n)
            cw_buf_printf(out, "\t%s\t%u\t%u", fn->module->files.at[l->span.file], l->span.line, l->span.col);
        loc = l->site ? fn->sites.at[l->site].loc : 0;
    }
}

void cw_accesses_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out) {
    struct cw_map told;
    cw_map_init(&told, scratch);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            uint64_t key = (uint64_t)i->op << 32 | i->loc;
            if (!i->loc || !is_wanted(fn, i) || cw_map_get(&told, key, NULL))
                continue;
            cw_map_put(&told, key, 1);
            cw_buf_puts(out, cw_op_text((enum cw_op)i->op));
            print_frames(fn, i->loc, out);
            cw_buf_putc(out, '\n');
        }
}
