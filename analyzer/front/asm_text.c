/* Reads the text of an asm statement: its template, and names and constraints of its operands. */
#include "front/asm_text.h"

#include <string.h>

struct reader {
    const char *at, *end;
    bool failed;
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

static const char *word(struct cw_intern *names, struct reader *r) {
    skip_space(r);
    const char *from = r->at;
    while (r->at < r->end && (*r->at == '_' || (*r->at >= '0' && *r->at <= '9') || (*r->at >= 'A' && *r->at <= 'Z') ||
                              (*r->at >= 'a' && *r->at <= 'z')))
        r->at++;
    return cw_intern_n(names, from, (size_t)(r->at - from));
}

static bool operand(struct cw_intern *names, struct reader *r, struct cw_asm_text *s) {
    struct cw_buf constraint = {0};
    const char *name = NULL;
    if (accept(r, '[')) {
        name = word(names, r);
        if (!accept(r, ']'))
            return false;
    }
    bool ok = s->n < CW_ASM_OPERANDS && strings(r, &constraint) && skip_parens(r);
    if (ok) {
        s->name[s->n] = name;
        s->constraint[s->n++] = cw_intern(names, constraint.at ? constraint.at : "");
    }
    cw_buf_free(&constraint);
    return ok;
}

/* asm [volatile] ( template [: outputs [: inputs [: clobbers]]] ); `::` is two colons. */
bool cw_asm_read(struct cw_intern *names, cw_str source, struct cw_asm_text *s) {
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
            if (!operand(names, &r, s))
                return false;
            s->noutputs += section == 0;
            accept(&r, ',');
        }
    }
    return true;
}
