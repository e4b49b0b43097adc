/* Inline assembly. */
#include "front/asm_lower.h"
#include "front/asm_text.h"

#include "front/ts/lower.h"

enum { MAX_VALUES = 64 };

struct operands {
    TSNode at[MAX_VALUES];
    uint32_t n;
};

static void collect_operands(const struct ts_unit *unit, TSNode list, struct operands *out) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n && out->n < MAX_VALUES; i++) {
        TSNode value = ts_field(ts_node_named_child(list, i), "value");
        if (!ts_node_is_null(value))
            out->at[out->n++] = value;
    }
    (void)unit;
}

static void emit_opaque_asm(struct ts_body *body, const struct operands *operands, const char *text) {
    cw_ref args[MAX_VALUES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < operands->n; i++) {
        struct ts_value v = ts_expr(body, operands->at[i]);
        if (v.ref.tag != CW_REF_NONE)
            args[n++] = v.ref;
    }
    ts_bail(body, CW_BAIL_INLINE_ASM);
    cw_fn_emit(body->fn, body->at.block, CW_OP_ASM, CW_VOID, cw_fn_add_text(body->fn, text), args, n, body->at.loc);
}

/* All operands scalars, outputs places: as front/asm_lower.c wants them. */
static bool lower_text(struct ts_body *body, const struct operands *operands, const struct cw_asm_text *asm_text) {
    struct cw_asm_operand *ops = CW_NEW_ARRAY(&body->u->scratch, struct cw_asm_operand, asm_text->n);
    for (uint32_t i = 0; i < asm_text->n; i++) {
        struct ts_value v =
            i < asm_text->noutputs ? ts_expr(body, operands->at[i]) : ts_scalar_of(body, operands->at[i]);
        bool is_scalar = v.type->form == TS_FORM_SCALAR || v.type->form == TS_FORM_POINTER;
        if (!is_scalar || v.ref.tag == CW_REF_NONE || v.is_place != (i < asm_text->noutputs))
            return false;
        ops[i] = (struct cw_asm_operand){.name = asm_text->name[i],
                                         .constraint = asm_text->constraint[i],
                                         .type = v.type->kind.type,
                                         .value = v.is_place ? CW_NONE : v.ref,
                                         .address = v.is_place ? v.ref : CW_NONE};
    }
    struct cw_asm a = {asm_text->text.at ? asm_text->text.at : "", ops, asm_text->n};
    if (!cw_asm_lower(body->fn, body->at.block, &a, body->at.loc)) {
        cw_fn_trap(body->fn, body->at.block, body->at.loc);
        cw_at_dead(&body->at);
    }
    return true;
}

void ts_asm(struct ts_body *body, TSNode node) {
    struct operands o = {.n = 0};
    struct cw_asm_text text = {.n = 0};
    collect_operands(body->u, ts_field(node, "output_operands"), &o);
    collect_operands(body->u, ts_field(node, "input_operands"), &o);
    bool is_read = cw_asm_read(&body->u->module->names, ts_text(body->u, node), &text);
    if (!is_read || text.n != o.n || !lower_text(body, &o, &text))
        emit_opaque_asm(body, &o, text.text.at ? text.text.at : "");
    cw_buf_free(&text.text);
}
