/* Inline assembly: libclang gives the operands but neither template nor constraints; those are read from the text. */
#include "front/asm_lower.h"
#include "front/asm_text.h"

#include "front/clang/lower.h"

#include <string.h>

static void opaque_asm(struct cw_body *body, const struct cw_kids *kids, const char *text) {
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < kids->n; i++) {
        bool is_place = cw_clang_is_glvalue(body, kids->at[i]);
        cw_ref v = is_place ? cw_clang_addr(body, kids->at[i]) : cw_clang_operand(body, kids->at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&body->u->scratch, &args, v);
    }
    cw_clang_bail(body, CW_BAIL_INLINE_ASM);
    cw_fn_emit(body->fn, body->at.block, CW_OP_ASM, CW_VOID, cw_fn_add_text(body->fn, text), args.at, args.n,
               body->at.loc);
}

static bool is_scalar(struct cw_body *body, CXCursor cursor) {
    return cw_clang_type_of(body->u, cursor)->shape == CW_SHAPE_SCALAR;
}

static void lower_text(struct cw_body *body, const struct cw_kids *kids, const struct cw_asm_text *asm_text) {
    struct cw_asm_operand *ops = CW_NEW_ARRAY(&body->u->scratch, struct cw_asm_operand, asm_text->n);
    for (uint32_t i = 0; i < asm_text->n; i++) {
        bool is_output = i < asm_text->noutputs;
        ops[i] = (struct cw_asm_operand){.name = asm_text->name[i],
                                         .constraint = asm_text->constraint[i],
                                         .value = CW_NONE,
                                         .address = CW_NONE,
                                         .type = cw_clang_type_of(body->u, kids->at[i])->kind.type};
        if (is_output)
            ops[i].address = cw_clang_addr(body, kids->at[i]);
        else
            ops[i].value = cw_clang_value(body, kids->at[i]);
    }
    struct cw_asm a = {asm_text->text.at ? asm_text->text.at : "", ops, asm_text->n};
    if (!cw_asm_lower(body->fn, body->at.block, &a, body->at.loc)) {
        cw_fn_trap(body->fn, body->at.block, body->at.loc);
        body->at.block = cw_fn_add_block(body->fn);
    }
}

void cw_clang_asm(struct cw_body *body, CXCursor cursor) {
    struct cw_kids all = cw_clang_kids(body->u, cursor), kids = {CW_NEW_ARRAY(&body->u->scratch, CXCursor, all.n), 0};
    struct cw_asm_text st = {0};
    bool scalars = true;
    for (uint32_t i = 0; i < all.n; i++)
        if (clang_isExpression(clang_getCursorKind(all.at[i])))
            kids.at[kids.n++] = all.at[i], scalars &= is_scalar(body, all.at[i]);
    if (cw_asm_read(&body->u->module->names, cw_clang_source(body->u, cursor), &st) && st.n == kids.n && scalars)
        lower_text(body, &kids, &st);
    else
        opaque_asm(body, &kids, st.text.at ? st.text.at : "");
    cw_buf_free(&st.text);
}
