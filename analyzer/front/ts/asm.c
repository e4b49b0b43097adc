/* Inline assembly. */
#include "front/asm_lower.h"
#include "front/asm_text.h"

#include "front/ts/lower.h"

enum { MAX_VALUES = 64 };

struct operands {
    TSNode at[MAX_VALUES];
    uint32_t n;
};

static void collect(const struct ts_unit *u, TSNode list, struct operands *out) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n && out->n < MAX_VALUES; i++) {
        TSNode value = ts_field(ts_node_named_child(list, i), "value");
        if (!ts_node_is_null(value))
            out->at[out->n++] = value;
    }
    (void)u;
}

static void opaque(struct ts_body *b, const struct operands *o, const char *text) {
    cw_ref args[MAX_VALUES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        struct ts_value v = ts_expr(b, o->at[i]);
        if (v.ref.tag != CW_REF_NONE)
            args[n++] = v.ref;
    }
    ts_bail(b, CW_BAIL_INLINE_ASM);
    cw_fn_emit(b->fn, b->at.block, CW_OP_ASM, CW_VOID, cw_fn_add_text(b->fn, text), args, n, b->at.loc);
}

/* All operands scalars, outputs places: as front/asm_lower.c wants them. */
static bool lower(struct ts_body *b, const struct operands *o, const struct cw_asm_text *s) {
    struct cw_asm_operand *ops = CW_NEW_ARRAY(&b->u->scratch, struct cw_asm_operand, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        struct ts_value v = i < s->noutputs ? ts_expr(b, o->at[i]) : ts_scalar_of(b, o->at[i]);
        bool is_scalar = v.type->form == TS_FORM_SCALAR || v.type->form == TS_FORM_POINTER;
        if (!is_scalar || v.ref.tag == CW_REF_NONE || v.is_place != (i < s->noutputs))
            return false;
        ops[i] = (struct cw_asm_operand){.name = s->name[i],
                                         .constraint = s->constraint[i],
                                         .type = v.type->kind.type,
                                         .value = v.is_place ? CW_NONE : v.ref,
                                         .address = v.is_place ? v.ref : CW_NONE};
    }
    struct cw_asm a = {s->text.at ? s->text.at : "", ops, s->n};
    cw_asm_lower(b->fn, b->at.block, &a, b->at.loc);
    return true;
}

void ts_asm(struct ts_body *b, TSNode e) {
    struct operands o = {.n = 0};
    struct cw_asm_text text = {.n = 0};
    collect(b->u, ts_field(e, "output_operands"), &o);
    collect(b->u, ts_field(e, "input_operands"), &o);
    bool is_read = cw_asm_read(&b->u->module->names, ts_text(b->u, e), &text);
    if (!is_read || text.n != o.n || !lower(b, &o, &text))
        opaque(b, &o, text.text.at ? text.text.at : "");
    cw_buf_free(&text.text);
}
