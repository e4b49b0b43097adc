/* Inline assembly: libclang gives the operands but neither template nor constraints; those are read from the text. */
#include "front/asm_lower.h"

#include "front/clang/lower.h"

#include <string.h>

enum { MAX_OPERANDS = 64 };

struct reader {
    const char *at, *end;
    bool failed;
};

struct statement {
    struct cw_buf text;
    const char *name[MAX_OPERANDS], *constraint[MAX_OPERANDS];
    uint32_t n, noutputs;
};

static void skip_space(struct reader *r) {
    for (;;) {
        if (r->at < r->end && strchr(" \t\r\n\\", *r->at)) {
            r->at++;
        } else if (r->end - r->at > 1 && r->at[0] == '/' && r->at[1] == '/') {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (r->end - r->at > 1 && r->at[0] == '/' && r->at[1] == '*') {
            r->at += 2;
            while (r->end - r->at > 1 && !(r->at[0] == '*' && r->at[1] == '/'))
                r->at++;
            r->at = r->end - r->at > 1 ? r->at + 2 : r->end;
        } else {
            return;
        }
    }
}

static bool accept(struct reader *r, char c) {
    skip_space(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static char unescape(char c) {
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* One or more adjacent string literals. */
static bool strings(struct reader *r, struct cw_buf *out) {
    bool any = false;
    while (accept(r, '"')) {
        any = true;
        for (; r->at < r->end && *r->at != '"'; r->at++) {
            bool escaped = *r->at == '\\' && r->at + 1 < r->end;
            r->at += escaped;
            if (!(escaped && *r->at == '\n'))
                cw_buf_putc(out, escaped ? unescape(*r->at) : *r->at);
        }
        if (r->at < r->end)
            r->at++;
    }
    return any;
}

static bool skip_parens(struct reader *r) {
    int depth = 1;
    if (!accept(r, '('))
        return false;
    for (; r->at < r->end && depth; r->at++) {
        depth += *r->at == '(';
        depth -= *r->at == ')';
    }
    return !depth;
}

static const char *word(struct cw_unit *u, struct reader *r) {
    skip_space(r);
    const char *from = r->at;
    while (r->at < r->end && (*r->at == '_' || (*r->at >= '0' && *r->at <= '9') || (*r->at >= 'A' && *r->at <= 'Z') ||
                              (*r->at >= 'a' && *r->at <= 'z')))
        r->at++;
    return cw_intern_n(&u->module->names, from, (size_t)(r->at - from));
}

static bool operand(struct cw_unit *u, struct reader *r, struct statement *s) {
    struct cw_buf constraint = {0};
    const char *name = NULL;
    if (accept(r, '[')) {
        name = word(u, r);
        if (!accept(r, ']'))
            return false;
    }
    bool ok = s->n < MAX_OPERANDS && strings(r, &constraint) && skip_parens(r);
    if (ok) {
        s->name[s->n] = name;
        s->constraint[s->n++] = cw_intern(&u->module->names, constraint.at ? constraint.at : "");
    }
    cw_buf_free(&constraint);
    return ok;
}

/* asm [volatile] ( template [: outputs [: inputs [: clobbers]]] ); `::` is two colons. */
static bool parse(struct cw_unit *u, cw_str source, struct statement *s) {
    struct reader r = {source.at, source.at + source.n, false};
    while (r.at < r.end && *r.at != '(')
        r.at++;
    if (!accept(&r, '(') || !strings(&r, &s->text))
        return false;
    for (uint32_t section = 0; section < 2 && accept(&r, ':'); section++) {
        while (!accept(&r, ')')) {
            skip_space(&r);
            if (r.at < r.end && *r.at == ':')
                break;
            if (!operand(u, &r, s))
                return false;
            s->noutputs += section == 0;
            accept(&r, ',');
        }
    }
    return true;
}

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

static void lower(struct cw_body *b, const struct cw_kids *kids, const struct statement *s) {
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
    struct statement st = {0};
    bool scalars = true;
    for (uint32_t i = 0; i < all.n; i++)
        if (clang_isExpression(clang_getCursorKind(all.at[i])))
            kids.at[kids.n++] = all.at[i], scalars &= is_scalar(b, all.at[i]);
    if (parse(b->u, cw_clang_source(b->u, s), &st) && st.n == kids.n && scalars)
        lower(b, &kids, &st);
    else
        opaque_asm(b, &kids, st.text.at ? st.text.at : "");
    cw_buf_free(&st.text);
}
