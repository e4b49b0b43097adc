/* Reads the text of an asm statement: its template, and names and constraints of its operands. */
#include "front/asm_text.h"

#include <string.h>

struct reader {
    const char *at, *end;
    bool failed;
};

static void skip_space(struct reader *reader) {
    for (;;) {
        if (reader->at < reader->end && strchr(" \t\r\n\\", *reader->at)) {
            reader->at++;
        } else if (reader->end - reader->at > 1 && reader->at[0] == '/' && reader->at[1] == '/') {
            while (reader->at < reader->end && *reader->at != '\n')
                reader->at++;
        } else if (reader->end - reader->at > 1 && reader->at[0] == '/' && reader->at[1] == '*') {
            reader->at += 2;
            while (reader->end - reader->at > 1 && !(reader->at[0] == '*' && reader->at[1] == '/'))
                reader->at++;
            reader->at = reader->end - reader->at > 1 ? reader->at + 2 : reader->end;
        } else {
            return;
        }
    }
}

static bool accept_char(struct reader *reader, char c) {
    skip_space(reader);
    if (reader->at >= reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static char unescape_char(char c) {
    return c == 'n' ? '\n' : c == 't' ? '\t' : c;
}

/* One or more adjacent string literals. */
static bool read_strings(struct reader *reader, struct cw_buf *out) {
    bool any = false;
    while (accept_char(reader, '"')) {
        any = true;
        for (; reader->at < reader->end && *reader->at != '"'; reader->at++) {
            bool escaped = *reader->at == '\\' && reader->at + 1 < reader->end;
            reader->at += escaped;
            if (!(escaped && *reader->at == '\n'))
                cw_buf_putc(out, escaped ? unescape_char(*reader->at) : *reader->at);
        }
        if (reader->at < reader->end)
            reader->at++;
    }
    return any;
}

static bool skip_parens(struct reader *reader) {
    int depth = 1;
    if (!accept_char(reader, '('))
        return false;
    for (; reader->at < reader->end && depth; reader->at++) {
        depth += *reader->at == '(';
        depth -= *reader->at == ')';
    }
    return !depth;
}

static const char *read_word(struct cw_intern *names, struct reader *reader) {
    skip_space(reader);
    const char *from = reader->at;
    while (reader->at < reader->end &&
           (*reader->at == '_' || (*reader->at >= '0' && *reader->at <= '9') ||
            (*reader->at >= 'A' && *reader->at <= 'Z') || (*reader->at >= 'a' && *reader->at <= 'z')))
        reader->at++;
    return cw_intern_n(names, from, (size_t)(reader->at - from));
}

static bool read_operand(struct cw_intern *names, struct reader *reader, struct cw_asm_text *asm_text) {
    struct cw_buf constraint = {0};
    const char *name = NULL;
    if (accept_char(reader, '[')) {
        name = read_word(names, reader);
        if (!accept_char(reader, ']'))
            return false;
    }
    bool ok = asm_text->n < CW_ASM_OPERANDS && read_strings(reader, &constraint) && skip_parens(reader);
    if (ok) {
        asm_text->name[asm_text->n] = name;
        asm_text->constraint[asm_text->n++] = cw_intern(names, constraint.at ? constraint.at : "");
    }
    cw_buf_free(&constraint);
    return ok;
}

/* asm [volatile] ( template [: outputs [: inputs [: clobbers]]] ); `::` is two colons. */
bool cw_asm_read(struct cw_intern *names, cw_str source, struct cw_asm_text *asm_text) {
    struct reader r = {source.at, source.at + source.n, false};
    while (r.at < r.end && *r.at != '(')
        r.at++;
    if (!accept_char(&r, '(') || !read_strings(&r, &asm_text->text))
        return false;
    for (uint32_t section = 0; section < 2 && accept_char(&r, ':'); section++) {
        while (!accept_char(&r, ')')) {
            skip_space(&r);
            if (r.at < r.end && *r.at == ':')
                break;
            if (!read_operand(names, &r, asm_text))
                return false;
            asm_text->noutputs += section == 0;
            accept_char(&r, ',');
        }
    }
    return true;
}
