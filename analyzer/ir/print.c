/* The text form of functions and modules. docs/internals/ir.md has the grammar; parse.c reads it back. */
#include "ir/order.h"
#include "ir/text.h"

#include "base/bitset.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_quoted(struct cw_buf *out, const char *text) {
    cw_buf_putc(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            cw_buf_printf(out, "\\%c", *c);
        else if ((unsigned char)*c < 0x20 || *c == 0x7f)
            cw_buf_printf(out, "\\x%02x", (unsigned char)*c);
        else
            cw_buf_putc(out, *c);
    }
    cw_buf_putc(out, '"');
}

static void put_symbol(struct cw_buf *out, const char *text) {
    if (cw_text_is_plain(text))
        cw_buf_puts(out, text);
    else
        put_quoted(out, text ? text : "");
}

/* ---- references ---- */

/* `sigil name`, or with `.infix index` where the name alone would not do. */
static void put_label(struct cw_buf *out, char sigil, const char *name, bool alone, const char *infix, uint32_t index) {
    cw_buf_putc(out, sigil);
    if (name)
        put_symbol(out, name);
    if (!alone)
        cw_buf_printf(out, ".%s%u", infix, index);
}

static bool stands_alone(const char *name) {
    return cw_text_is_plain(name) && !strchr(name, '.');
}

static void object_label(const struct cw_fn *fn, uint32_t index, struct cw_buf *out) {
    const char *name = fn->objects.at[index].name;
    bool alone = stands_alone(name);
    for (uint32_t i = 0; alone && i < fn->objects.n; i++)
        alone = i == index || fn->objects.at[i].name != name;
    put_label(out, '$', name, alone, "", index);
}

static void param_label(const struct cw_fn *fn, bool is_template, uint32_t index, struct cw_buf *out) {
    const char *name = is_template ? fn->tparams.at[index].name : fn->params.at[index].name;
    bool alone = stands_alone(name);
    for (uint32_t i = 0; alone && i < fn->params.n; i++)
        alone = (!is_template && i == index) || fn->params.at[i].name != name;
    for (uint32_t i = 0; alone && i < fn->tparams.n; i++)
        alone = (is_template && i == index) || fn->tparams.at[i].name != name;
    put_label(out, '%', name, alone, is_template ? "t" : "p", index);
}

static void ins_label(const struct cw_fn *fn, uint32_t index, struct cw_buf *out) {
    const char *name = fn->ins.at[index].name;
    if (name)
        put_label(out, '%', name, false, "", index);
    else
        cw_buf_printf(out, "%%%u", index);
}

static void float_literal(struct cw_buf *out, int64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    char text[40] = "";
    for (int digits = 6; digits <= 17 && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break; /* the shortest that reads back */
    }
    if (isfinite(value))
        cw_buf_puts(out, text);
    else
        cw_buf_printf(out, "0x%016" PRIx64, (uint64_t)bits);
}

static void put_constant(const struct cw_const *c, bool hex, struct cw_buf *out) {
    if (cw_type_is_float(c->type))
        float_literal(out, c->value);
    else if (hex && c->type == CW_I32)
        cw_buf_printf(out, "0x%" PRIx32, (uint32_t)c->value);
    else
        cw_buf_printf(out, "%" PRId64, c->value);
}

/* `usual`: the type that needs no mention. */
static void put_operand(const struct cw_fn *fn, cw_ref ref, enum cw_type usual, bool hex, struct cw_buf *out) {
    if ((ref.tag == CW_REF_CONST || ref.tag == CW_REF_UNDEF) && cw_ref_type(fn, ref) != usual)
        cw_buf_printf(out, "%s:", cw_type_text(cw_ref_type(fn, ref)));
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_NONE: cw_buf_puts(out, "none"); break;
    case CW_REF_INS: ins_label(fn, ref.index, out); break;
    case CW_REF_CONST: put_constant(&fn->consts.at[ref.index], hex, out); break;
    case CW_REF_OBJECT: object_label(fn, ref.index, out); break;
    case CW_REF_PARAM: param_label(fn, false, ref.index, out); break;
    case CW_REF_TPARAM: param_label(fn, true, ref.index, out); break;
    case CW_REF_SREG: cw_buf_puts(out, cw_sreg_text((enum cw_sreg)ref.index)); break;
    case CW_REF_UNDEF: cw_buf_puts(out, "undef"); break;
    }
}

void cw_ref_print(const struct cw_fn *fn, cw_ref ref, struct cw_buf *out) {
    put_operand(fn, ref, CW_I32, false, out);
}

/* ---- places ---- */

static void span_text(const struct cw_span *span, struct cw_buf *out) {
    cw_buf_puts(out, " @");
    if (span->file)
        cw_buf_printf(out, "%u/", span->file);
    cw_buf_printf(out, "%u:%u", span->line, span->col);
    if (span->end_line == span->line && span->end_col)
        cw_buf_printf(out, "-%u", span->end_col);
    else if (span->end_line || span->end_col)
        cw_buf_printf(out, "-%u:%u", span->end_line, span->end_col);
}

static void loc_text(const struct cw_fn *fn, uint32_t loc, struct cw_buf *out) {
    if (!loc)
        return;
    const struct cw_loc *l = &fn->locs.at[loc];
    span_text(&l->span, out);
    if (l->site)
        cw_buf_printf(out, "~%u", l->site);
    if (l->macro) {
        cw_buf_putc(out, '^');
        put_symbol(out, l->macro);
    }
}

/* ---- instructions ---- */

static void atomic_suffix(uint32_t aux, struct cw_buf *out) {
    uint32_t scope = aux >> 8 & 0xff, order = aux >> 16;
    cw_buf_printf(out, ".%s", cw_aux_text(CW_OP_ATOMIC, aux));
    if (scope != CW_SCOPE_DEVICE || order != CW_RELAXED)
        cw_buf_printf(out, ".%s", cw_scope_text((enum cw_scope)scope));
    if (order != CW_RELAXED)
        cw_buf_printf(out, ".%s", cw_memory_order_text((enum cw_memory_order)order));
}

static bool natural_aux(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op == CW_OP_LOAD)
        return ins->aux == cw_type_bytes((enum cw_type)ins->type);
    if (ins->op == CW_OP_STORE && ins->narg)
        return ins->aux == cw_type_bytes(cw_ref_type(fn, cw_arg(fn, ins, 0)));
    return ins->aux == 0;
}

static void put_suffix(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_buf *out) {
    enum cw_op op = (enum cw_op)ins->op;
    const char *text = cw_aux_text(op, ins->aux);
    if (op == CW_OP_CALL || op == CW_OP_LAUNCH)
        return;
    if (op == CW_OP_PURE || op == CW_OP_ASM) {
        cw_buf_putc(out, '.');
        put_symbol(out, fn->texts.at[ins->aux]);
    } else if (op == CW_OP_ATOMIC && text && (ins->aux >> 8 & 0xff) <= CW_SCOPE_SYSTEM) {
        atomic_suffix(ins->aux, out);
    } else if (text && op != CW_OP_ATOMIC) {
        cw_buf_printf(out, ".%s", text);
    } else if (!natural_aux(fn, ins)) {
        cw_buf_printf(out, ".%u", ins->aux);
    }
}

static void put_operands(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_buf *out) {
    enum cw_op op = (enum cw_op)ins->op;
    for (uint32_t k = 0; k < ins->narg; k++) {
        enum cw_type usual = cw_text_operand_type(op, (enum cw_type)ins->type, k);
        cw_buf_puts(out, k ? ", " : "");
        put_operand(fn, cw_arg(fn, ins, k), usual, cw_text_is_mask(op, k), out);
    }
}

/* The position in `pred` of each operand, in the order in which cw_fn_link_preds lists predecessors: by block, equal
 * ones as they come. The parser links anew, so that order is the one that reads back. Insertion sort: it is nearly
 * sorted. */
static uint32_t *pred_order(const struct cw_block *block, uint32_t n) {
    uint32_t *order = calloc(n + 1, sizeof *order);
    for (uint32_t k = 0; order && k < n; k++) {
        uint32_t at = k;
        for (; at > 0 && block->pred.at[order[at - 1]] > block->pred.at[k]; at--)
            order[at] = order[at - 1];
        order[at] = k;
    }
    return order;
}

static void phi_operands(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_buf *out) {
    const struct cw_block *b = &fn->blocks.at[ins->block];
    uint32_t n = ins->narg < b->pred.n ? ins->narg : b->pred.n;
    uint32_t *order = pred_order(b, n);
    for (uint32_t k = 0; order && k < n; k++) {
        cw_buf_printf(out, "%sb%u: ", k ? ", " : "", b->pred.at[order[k]]);
        put_operand(fn, cw_arg(fn, ins, order[k]), cw_text_operand_type(CW_OP_PHI, (enum cw_type)ins->type, k), false,
                    out);
    }
    free(order);
}

static void ins_flags(const struct cw_ins *ins, struct cw_buf *out) {
    for (unsigned bit = 0; cw_text_flag(bit); bit++)
        if (ins->flags >> bit & 1)
            cw_buf_printf(out, " !%s", cw_text_flag(bit));
    if (ins->intrinsic)
        cw_buf_printf(out, " !intrinsic=%u", ins->intrinsic);
}

void cw_ins_print(const struct cw_fn *fn, uint32_t index, struct cw_buf *out) {
    const struct cw_ins *i = &fn->ins.at[index];
    enum cw_op op = (enum cw_op)i->op;
    if (i->type != CW_VOID) {
        ins_label(fn, index, out);
        cw_buf_puts(out, " = ");
    }
    cw_buf_puts(out, cw_op_text(op));
    put_suffix(fn, i, out);
    if ((enum cw_type)i->type != cw_text_result_type(op))
        cw_buf_printf(out, " %s", cw_type_text((enum cw_type)i->type));
    bool calls = op == CW_OP_CALL || op == CW_OP_LAUNCH;
    if (calls) {
        cw_buf_puts(out, " @");
        put_symbol(out, fn->callees.at[i->aux]);
    }
    cw_buf_puts(out, calls ? "(" : i->narg ? " " : "");
    if (op == CW_OP_PHI)
        phi_operands(fn, i, out);
    else
        put_operands(fn, i, out);
    cw_buf_puts(out, calls ? ")" : "");
    ins_flags(i, out);
}

static void switch_text(const struct cw_fn *fn, const struct cw_jump *jump, struct cw_buf *out) {
    cw_buf_puts(out, "switch ");
    put_operand(fn, jump->value, CW_I32, false, out);
    for (uint32_t s = 0; s + 1 < jump->nsucc; s++)
        cw_buf_printf(out, ", %" PRId64 ": b%u", jump->cases[s], jump->succ[s]);
    cw_buf_printf(out, ", default: b%u", jump->succ[jump->nsucc - 1]);
}

static void jump_text(const struct cw_fn *fn, const struct cw_jump *jump, struct cw_buf *out) {
    cw_buf_puts(out, "  ");
    switch (jump->kind) {
    case CW_JUMP_NONE: break;
    case CW_JUMP_GOTO: cw_buf_printf(out, "goto b%u", jump->succ[0]); break;
    case CW_JUMP_BRANCH:
        cw_buf_puts(out, "branch ");
        put_operand(fn, jump->value, CW_I1, false, out);
        cw_buf_printf(out, ", b%u, b%u", jump->succ[0], jump->succ[1]);
        break;
    case CW_JUMP_SWITCH: switch_text(fn, jump, out); break;
    case CW_JUMP_RETURN:
        cw_buf_puts(out, jump->value.tag == CW_REF_NONE ? "return" : "return ");
        if (jump->value.tag != CW_REF_NONE)
            put_operand(fn, jump->value, fn->result, false, out);
        break;
    case CW_JUMP_TRAP: cw_buf_puts(out, "trap"); break;
    }
    if (jump->origin != cw_text_origin(jump->kind))
        cw_buf_printf(out, " !%s", cw_origin_text(jump->origin));
    loc_text(fn, jump->loc, out);
    cw_buf_putc(out, '\n');
}

static void block_text(const struct cw_fn *fn, uint32_t index, struct cw_buf *out) {
    const struct cw_block *b = &fn->blocks.at[index];
    cw_buf_printf(out, "b%u:", index);
    if (b->unroll >= 0)
        cw_buf_printf(out, " unroll=%d", b->unroll);
    if (b->always) {
        cw_buf_puts(out, " always");
        loc_text(fn, b->always, out);
    }
    cw_buf_putc(out, '\n');
    for (uint32_t k = 0; k < b->ins.n; k++) {
        cw_buf_puts(out, "  ");
        cw_ins_print(fn, b->ins.at[k], out);
        loc_text(fn, fn->ins.at[b->ins.at[k]].loc, out);
        cw_buf_putc(out, '\n');
    }
    if (b->jump.kind != CW_JUMP_NONE)
        jump_text(fn, &b->jump, out);
}

/* ---- functions ---- */

static void params_text(const struct cw_fn *fn, bool is_template, struct cw_buf *out) {
    uint32_t n = is_template ? fn->tparams.n : fn->params.n;
    const struct cw_param *list = is_template ? fn->tparams.at : fn->params.at;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_param *p = &list[i];
        cw_buf_printf(out, "%s%s ", i ? ", " : "", cw_type_text(p->type));
        param_label(fn, is_template, i, out);
        cw_buf_puts(out, p->is_restrict ? " restrict" : "");
        cw_buf_puts(out, p->points_to_const ? " const" : "");
        if (p->pointee_bytes)
            cw_buf_printf(out, " elem=%u", p->pointee_bytes);
        if (p->part_of)
            cw_buf_printf(out, " part=%u+%u%s", p->part_of - 1, p->part_at, p->is_element ? " element" : "");
        loc_text(fn, p->loc, out);
    }
}

static void header_text(const struct cw_fn *fn, struct cw_buf *out) {
    static const char *const kinds[] = {"kernel", "device", "host"};
    cw_buf_printf(out, "%s ", kinds[fn->kind]);
    if (fn->result != CW_VOID)
        cw_buf_printf(out, "%s ", cw_type_text(fn->result));
    cw_buf_putc(out, '@');
    put_symbol(out, fn->key);
    if (fn->name != fn->key) {
        cw_buf_putc(out, ' ');
        put_quoted(out, fn->name);
    }
    if (fn->tparams.n) {
        cw_buf_putc(out, '<');
        params_text(fn, true, out);
        cw_buf_putc(out, '>');
    }
    cw_buf_putc(out, '(');
    params_text(fn, false, out);
    cw_buf_puts(out, ") {\n");
}

static void flags_text(const struct cw_fn *fn, struct cw_buf *out) {
    if (!fn->is_pattern && !fn->is_static_scope && !fn->is_degraded && !fn->is_ssa)
        return;
    cw_buf_printf(out, "  flags%s%s%s%s\n", fn->is_pattern ? " pattern" : "", fn->is_static_scope ? " static" : "",
                  fn->is_degraded ? " degraded" : "", fn->is_ssa ? " ssa" : "");
}

static void bails_text(const struct cw_fn *fn, struct cw_buf *out) {
    bool any = false;
    for (uint32_t b = 0; b < CW_NBAILS; b++) {
        if (!fn->bails[b])
            continue;
        cw_buf_printf(out, "%s%s=%u", any ? " " : "  bails ", cw_bail_id((enum cw_bail)b), fn->bails[b]);
        any = true;
    }
    cw_buf_puts(out, any ? "\n" : "");
}

static void facts_text(const struct cw_fn *fn, struct cw_buf *out) {
    if (fn->pattern_key) {
        cw_buf_puts(out, "  pattern ");
        put_quoted(out, fn->pattern_key);
        cw_buf_putc(out, '\n');
    }
    if (fn->span.line) {
        cw_buf_puts(out, "  span");
        span_text(&fn->span, out);
        cw_buf_putc(out, '\n');
    }
    if (fn->name_span.line) {
        cw_buf_puts(out, "  name");
        span_text(&fn->name_span, out);
        cw_buf_putc(out, '\n');
    }
    if (fn->bounds_max_threads)
        cw_buf_printf(out, "  bounds %u\n", fn->bounds_max_threads);
    const uint32_t *r = fn->reqd_block;
    if (r[0] || r[1] || r[2])
        cw_buf_printf(out, "  block %u, %u, %u\n", r[0], r[1], r[2]);
    const uint32_t *cluster = fn->reqd_cluster;
    if (cluster[0] || cluster[1] || cluster[2])
        cw_buf_printf(out, "  cluster %u, %u, %u\n", cluster[0], cluster[1], cluster[2]);
    flags_text(fn, out);
    bails_text(fn, out);
}

static void sites_text(const struct cw_fn *fn, struct cw_buf *out) {
    for (uint32_t s = 1; s < fn->sites.n; s++) {
        cw_buf_printf(out, "  site ~%u ", s);
        put_quoted(out, fn->sites.at[s].callee ? fn->sites.at[s].callee : "");
        loc_text(fn, fn->sites.at[s].loc, out);
        cw_buf_putc(out, '\n');
    }
}

static void key_text(const struct cw_object *object, struct cw_buf *out) {
    const char *usual = cw_text_default_key(object->space, object->name);
    if (object->key && (!usual || strcmp(object->key, usual) != 0)) {
        cw_buf_puts(out, " key=");
        put_quoted(out, object->key);
    } else if (!object->key && usual) {
        cw_buf_puts(out, " key=none");
    }
}

static void object_text(const struct cw_fn *fn, uint32_t index, struct cw_buf *out) {
    const struct cw_object *o = &fn->objects.at[index];
    cw_buf_printf(out, "  %s ", cw_space_text(o->space));
    object_label(fn, index, out);
    cw_buf_putc(out, '[');
    if (o->size)
        cw_buf_printf(out, "%" PRIu64, o->size);
    cw_buf_putc(out, ']');
    if (o->align)
        cw_buf_printf(out, " align=%u", o->align);
    if (o->element)
        cw_buf_printf(out, " elem=%u", o->element);
    if (o->row)
        cw_buf_printf(out, " row=%u", o->row);
    cw_buf_puts(out, o->is_volatile ? " volatile" : "");
    key_text(o, out);
    if (o->type_text) {
        cw_buf_puts(out, " type=");
        put_quoted(out, o->type_text);
    }
    loc_text(fn, o->loc, out);
    cw_buf_putc(out, '\n');
}

static bool is_removed(const struct cw_block *block) {
    return block->ins.n == 0 && block->jump.kind == CW_JUMP_NONE;
}

/* In the order in which they run, then what the entry does not reach. */
static void blocks_text(const struct cw_fn *fn, struct cw_buf *out) {
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct cw_order_of_blocks o = cw_order_blocks(fn, &scratch);
    struct cw_bitset asked = cw_bitset_new(&scratch, fn->blocks.n);
    for (uint32_t k = 0; k < o.n; k++)
        block_text(fn, o.rpo[k], out);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t s = 0; s < fn->blocks.at[b].jump.nsucc; s++)
            cw_bitset_add(&asked, fn->blocks.at[b].jump.succ[s]);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        if (!cw_order_reaches(&o, b) && (!is_removed(&fn->blocks.at[b]) || cw_bitset_has(&asked, b)))
            block_text(fn, b, out);
    cw_arena_free(&scratch);
}

void cw_fn_print(const struct cw_fn *fn, struct cw_buf *out) {
    header_text(fn, out);
    facts_text(fn, out);
    sites_text(fn, out);
    for (uint32_t i = 0; i < fn->objects.n; i++)
        object_text(fn, i, out);
    blocks_text(fn, out);
    cw_buf_puts(out, "}\n");
}

/* ---- modules ---- */

static void seen_text(const struct cw_seen *seen, struct cw_buf *out) {
    static const char *const fates[] = {"analysed", "degraded", "lost"};
    cw_buf_printf(out, "seen %s %s ", seen->is_kernel ? "kernel" : "device", fates[seen->fate]);
    put_quoted(out, seen->name ? seen->name : "");
    if (seen->reason) {
        cw_buf_putc(out, ' ');
        put_quoted(out, seen->reason);
    }
    span_text(&seen->span, out);
    cw_buf_putc(out, '\n');
}

void cw_module_print(const struct cw_module *m, struct cw_buf *out) {
    for (uint32_t i = 0; i < m->files.n; i++) {
        cw_buf_puts(out, "file ");
        put_quoted(out, m->files.at[i]);
        cw_buf_putc(out, '\n');
    }
    for (uint32_t i = 0; i < m->seen.n; i++)
        seen_text(&m->seen.at[i], out);
    for (uint32_t i = 0; i < m->notes.n; i++) {
        cw_buf_puts(out, m->notes.at[i].is_error ? "note error " : "note ");
        put_quoted(out, m->notes.at[i].text ? m->notes.at[i].text : "");
        span_text(&m->notes.at[i].span, out);
        cw_buf_putc(out, '\n');
    }
    for (uint32_t i = 0; i < m->fns.n; i++) {
        cw_buf_puts(out, out->n ? "\n" : "");
        cw_fn_print(m->fns.at[i], out);
    }
}
