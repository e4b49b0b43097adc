#include "kernel/dump_accesses.h"

#include "base/map.h"
#include "base/printable.h"
#include "base/str.h"
#include "uniformity/unknown_calls.h"

#include <string.h>

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

static bool is_wanted(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_access accesses[2];
    if (cw_op_flags((enum cw_op)ins->op) & (CW_OP_C | CW_OP_B) || ins->op == CW_OP_ACTIVEMASK)
        return true;
    uint32_t n = cw_memory_accesses(fn, ins, accesses);
    for (uint32_t k = 0; k < n; k++)
        if (is_shared(fn, accesses[k].pointer))
            return true;
    return false;
}

static void print_frames(const struct cw_fn *fn, uint32_t loc, struct cw_buf *out) {
    enum { MAX_FRAMES = 64 };
    for (uint32_t n = 0; loc && n < MAX_FRAMES; n++) {
        const struct cw_loc *l = &fn->locs.at[loc];
        if (l->span.file < fn->module->files.n) {
            cw_buf_putc(out, '\t');
            cw_put_field(out, fn->module->files.at[l->span.file]);
            cw_buf_printf(out, "\t%u\t%u", l->span.line, l->span.col);
        }
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

/* ---- syncs ---- */

/* What the mask of a collective is made from. */
static const char *mask_of(const struct cw_fn *fn, const struct cw_ins *ins) {
    enum { MAX_STEPS = 16 };
    int64_t value;
    cw_ref r = ins->narg ? cw_arg(fn, ins, 0) : CW_NONE;
    if (!(cw_op_flags((enum cw_op)ins->op) & CW_OP_C))
        return "-";
    for (int n = 0; n < MAX_STEPS; n++) {
        if (cw_ref_const(fn, r, &value))
            return (uint32_t)value == UINT32_MAX ? "full" : "-";
        const struct cw_ins *from = cw_ins_of(fn, r);
        if (from && from->op == CW_OP_ACTIVEMASK)
            return "activemask";
        if (!from || (from->op != CW_OP_COPY && from->op != CW_OP_PHI) || !from->narg)
            return "-";
        r = cw_arg(fn, from, 0);
    }
    return "-";
}

static bool stores_to_shared(const struct cw_fn *fn) {
    struct cw_access accesses[2];
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            uint32_t n = cw_memory_accesses(fn, i, accesses);
            for (uint32_t a = 0; a < n; a++)
                if (accesses[a].writes && is_shared(fn, accesses[a].pointer))
                    return true;
        }
    return false;
}

static int plain_length(const char *name) {
    const char *angle = strchr(name, '<');
    return angle && angle > name ? (int)(angle - name) : (int)strlen(name);
}

static void print_row(const struct cw_fn *fn, const char *shared, const char *function, const char *op,
                      const char *mask, const struct cw_span *span, struct cw_buf *out) {
    if (span->file >= fn->module->files.n)
        return;
    cw_put_field(out, fn->module->files.at[0]);
    cw_buf_printf(out, "\t%.*s\t%s\t%.*s\t%s\t%s\t", plain_length(fn->name), fn->name, shared, plain_length(function),
                  function, op, mask);
    cw_put_field(out, fn->module->files.at[span->file]);
    cw_buf_printf(out, "\t%u\t%u\t%u\t%u\n", span->line, span->col, span->end_line, span->end_col);
}

static void print_root(const struct cw_fn *fn, const char *shared, struct cw_buf *out) {
    print_row(fn, shared, fn->name, "root", "-", &fn->name_span, out);
}

static void print_sync(const struct cw_fn *fn, const struct cw_ins *ins, const char *shared, struct cw_buf *out) {
    const struct cw_loc *l = &fn->locs.at[ins->loc];
    const char *function = l->site ? fn->sites.at[l->site].callee : fn->name;
    print_row(fn, shared, function, cw_op_text((enum cw_op)ins->op), mask_of(fn, ins), &l->span, out);
}

void cw_syncs_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out) {
    const char *shared = stores_to_shared(fn) ? "shared" : "-";
    struct cw_map told;
    cw_map_init(&told, scratch);
    print_root(fn, shared, out);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            uint64_t key = (uint64_t)i->op << 32 | i->loc;
            if (!i->loc || !(cw_op_flags((enum cw_op)i->op) & (CW_OP_C | CW_OP_B)) || cw_map_get(&told, key, NULL))
                continue;
            cw_map_put(&told, key, 1);
            print_sync(fn, i, shared, out);
        }
}

/* ---- calls ---- */

static bool is_call(const struct cw_ins *ins) {
    return (ins->op == CW_OP_OPCALL || ins->op == CW_OP_CALL) && !(ins->flags & CW_INS_IMPLICIT) && ins->loc;
}

static const char *reason_of(const struct cw_ins *ins) {
    return ins->op == CW_OP_OPCALL && ins->aux < CW_NBAILS ? cw_bail_id((enum cw_bail)ins->aux) : "call";
}

static const char *order_text(enum cw_call_order order) {
    switch (order) {
    case CW_CALL_NOTHING: return "nothing";
    case CW_CALL_MAY: return "may";
    case CW_CALL_ORDERS: break;
    }
    return "orders";
}

/* What of the kernel is read: an instance that the code makes, one with chosen arguments, the template itself. */
static const char *reading_of(const struct cw_fn *fn) {
    if (fn->kind != CW_FN_KERNEL)
        return "device";
    return fn->is_pattern ? "template" : fn->assumed ? "assumed" : "kernel";
}

static void print_reading(const struct cw_fn *fn, struct cw_buf *out) {
    const struct cw_span *name = &fn->name_span;
    cw_buf_printf(out, "%s\t%.*s\t", reading_of(fn), plain_length(fn->name), fn->name);
    cw_put_field(out, name->file < fn->module->files.n ? fn->module->files.at[name->file] : "-");
    cw_buf_printf(out, "\t%u", name->line);
}

static void print_call(const struct cw_memory *memory, const struct cw_ins *ins, struct cw_buf *out) {
    const struct cw_fn *fn = memory->fn;
    bool is_known = ins->intrinsic || ins->flags & (CW_INS_SYNCFREE | CW_INS_SYNCS);
    print_reading(fn, out);
    cw_buf_printf(out, "\t%s\t%s\t%s\t", reason_of(ins), is_known ? "known" : "unknown",
                  order_text(cw_call_order_of(memory, ins)));
    cw_put_field(out, ins->name ? ins->name : "-");
    print_frames(fn, ins->loc, out);
    cw_buf_putc(out, '\n');
}

void cw_calls_print(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_buf *out) {
    const struct cw_memory *memory = cw_memory_new(fn, scratch);
    print_reading(fn, out);
    cw_buf_putc(out, '\n');
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t k = 0; k < fn->blocks.at[b].ins.n; k++) {
            const struct cw_ins *ins = &fn->ins.at[fn->blocks.at[b].ins.at[k]];
            if (is_call(ins))
                print_call(memory, ins, out);
        }
}
