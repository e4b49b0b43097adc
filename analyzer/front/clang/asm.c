/* Inline assembly: libclang gives the operands but neither template nor constraints; those are read from the text. */
#include "front/asm_lower.h"
#include "front/asm_text.h"

#include "front/clang/lower.h"

#include <string.h>

static void opaque_asm(struct cw_body *b, const struct cw_kids *kids, const char *text) {
    struct cw_refs args = {0};
    for (uint32_t i = 0; i < kids->n; i++) {
        bool is_place = cw_clang_is_glvalue(b, kids->at[i]);
        cw_ref v = is_place ? cw_clang_addr(b, kids->at[i]) : cw_clang_operand(b, kids->at[i]);
        if (v.tag != CW_REF_NONE)
            cw_vec_push(&b->u->scratch, &args, v);
    }
    cw_clang_bail(b, CW_BAIL_INLINE_ASM);
    cw_fn_emit(b->fn, b->at.block, CW_OP_ASM, CW_VOID, cw_fn_add_text(b->fn, text), args.at, args.n, b->at.loc);
}

static bool is_scalar(struct cw_body *b, CXCursor e) {
    return cw_clang_type_of(b->u, e)->shape == CW_SHAPE_SCALAR;
}

static void lower(struct cw_body *b, const struct cw_kids *kids, const struct cw_asm_text *s) {
    struct cw_asm_operand *ops = CW_NEW_ARRAY(&b->u->scratch, struct cw_asm_operand, s->n);
    for (uint32_t i = 0; i < s->n; i++) {
        bool is_output = i < s->noutputs;
        ops[i] = (struct cw_asm_operand){.name = s->name[i], .constraint = s->constraint[i], .value = CW_NONE,
                                         .address = CW_NONE, .type = cw_clang_type_of(b->u, kids->at[i])->kind.type};
        if (is_output)
            ops[i].address = cw_clang_addr(b, kids->at[i]);
        else
            ops[i].value = cw_clang_value(b, kids->at[i]);
    }
    struct cw_asm a = {s->text.at ? s->text.at : "", ops, s->n};
    cw_asm_lower(b->fn, b->at.block, &a, b->at.loc);
}

void cw_clang_asm(struct cw_body *b, CXCursor s) {
    struct cw_kids all = cw_clang_kids(b->u, s), kids = {CW_NEW_ARRAY(&b->u->scratch, CXCursor, all.n), 0};
    struct cw_asm_text st = {0};
    bool scalars = true;
    for (uint32_t i = 0; i < all.n; i++)
        if (clang_isExpression(clang_getCursorKind(all.at[i])))
            kids.at[kids.n++] = all.at[i], scalars &= is_scalar(b, all.at[i]);
    if (cw_asm_read(&b->u->module->names, cw_clang_source(b->u, s), &st) && st.n == kids.n && scalars)
        lower(b, &kids, &st);
    else
        opaque_asm(b, &kids, st.text.at ? st.text.at : "");
    cw_buf_free(&st.text);
}
