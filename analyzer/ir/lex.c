#include "ir/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cw_lex_fail(struct cw_lex *l, const char *format, ...) {
    if (l->error)
        return;
    va_list ap;
    va_start(ap, format);
    l->error = cw_arena_printf(l->arena, "line %u: %s", l->line, cw_arena_vprintf(l->arena, format, ap));
    va_end(ap);
    l->at = l->end;
}

void cw_lex_blanks(struct cw_lex *l) {
    while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
        l->at++;
    if (l->at < l->end && *l->at == ';')
        while (l->at < l->end && *l->at != '\n')
            l->at++;
}

bool cw_lex_at_eol(struct cw_lex *l) {
    cw_lex_blanks(l);
    return l->at == l->end || *l->at == '\n';
}

void cw_lex_end_line(struct cw_lex *l) {
    if (!cw_lex_at_eol(l))
        cw_lex_fail(l, "unexpected '%c'", isprint((unsigned char)*l->at) ? *l->at : '?');
    while (l->at < l->end && cw_lex_at_eol(l)) {
        if (l->at < l->end) {
            l->at++;
            l->line++;
        }
    }
}

char cw_lex_peek(struct cw_lex *l) {
    cw_lex_blanks(l);
    return l->at < l->end ? *l->at : '\0';
}

bool cw_lex_accept(struct cw_lex *l, char c) {
    cw_lex_blanks(l);
    return cw_lex_direct(l, c);
}

bool cw_lex_direct(struct cw_lex *l, char c) {
    if (l->at == l->end || *l->at != c)
        return false;
    l->at++;
    return true;
}

bool cw_lex_expect(struct cw_lex *l, char c) {
    if (cw_lex_accept(l, c))
        return true;
    cw_lex_fail(l, "expected '%c'", c);
    return false;
}

static cw_str scan_word(struct cw_lex *l, bool dots) {
    cw_lex_blanks(l);
    const char *from = l->at;
    if (from < l->end && (isalpha((unsigned char)*from) || *from == '_'))
        while (l->at < l->end && (isalnum((unsigned char)*l->at) || *l->at == '_' || (dots && *l->at == '.')))
            l->at++;
    return (cw_str){from, (size_t)(l->at - from)};
}

cw_str cw_lex_word(struct cw_lex *l) {
    return scan_word(l, false);
}

cw_str cw_lex_dotted(struct cw_lex *l) {
    return scan_word(l, true);
}

bool cw_lex_accept_word(struct cw_lex *l, const char *word) {
    const char *from = l->at;
    if (cw_str_is(cw_lex_word(l), word))
        return true;
    l->at = from;
    return false;
}

/* Past a quoted string, if one starts here. */
static void skip_quoted(struct cw_lex *l) {
    if (!cw_lex_direct(l, '"'))
        return;
    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at += *l->at == '\\' && l->at + 1 < l->end ? 2 : 1;
    if (l->at >= l->end || !cw_lex_direct(l, '"'))
        cw_lex_fail(l, "string without its closing quote");
}

cw_str cw_lex_label(struct cw_lex *l) {
    const char *from = l->at;
    skip_quoted(l);
    while (l->at < l->end && (isalnum((unsigned char)*l->at) || *l->at == '_' || *l->at == '.'))
        l->at++;
    return l->error ? (cw_str){from, 0} : (cw_str){from, (size_t)(l->at - from)};
}

static int hex_digit(char c) {
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

const char *cw_lex_decode(struct cw_lex *l, cw_str quoted) {
    char *out = cw_arena_alloc(l->arena, quoted.n + 1);
    size_t n = 0;
    for (size_t i = 1; i + 1 < quoted.n; i++) {
        char c = quoted.at[i];
        if (c == '\\' && i + 2 < quoted.n)
            c = quoted.at[++i];
        else if (c == '"')
            break;
        else {
            out[n++] = c;
            continue;
        }
        if (c == 'x' && i + 3 < quoted.n && hex_digit(quoted.at[i + 1]) >= 0 && hex_digit(quoted.at[i + 2]) >= 0) {
            c = (char)(hex_digit(quoted.at[i + 1]) * 16 + hex_digit(quoted.at[i + 2]));
            i += 2;
        }
        if (c)
            out[n++] = c;
    }
    return out;
}

const char *cw_lex_string(struct cw_lex *l) {
    cw_lex_blanks(l);
    const char *from = l->at;
    skip_quoted(l);
    if (l->error)
        return NULL;
    if (l->at == from) {
        cw_lex_fail(l, "expected a string");
        return NULL;
    }
    return cw_lex_decode(l, (cw_str){from, (size_t)(l->at - from)});
}

const char *cw_lex_symbol(struct cw_lex *l) {
    if (cw_lex_peek(l) == '"')
        return cw_lex_string(l);
    cw_str word = cw_lex_dotted(l);
    if (word.n == 0)
        cw_lex_fail(l, "expected a name");
    return cw_arena_strndup(l->arena, word.at, word.n);
}

/* The characters of a number, copied so that strtoull and strtod see an end. */
static void number_text(struct cw_lex *l, char *out, size_t cap) {
    cw_lex_blanks(l);
    size_t n = 0;
    while (l->at < l->end && n + 1 < cap) {
        char c = *l->at, last = n ? out[n - 1] : '\0';
        bool exponent = (last == 'e' || last == 'E') && !(n > 1 && out[1] == 'x') && !(n > 2 && out[2] == 'x');
        bool sign = (c == '-' && n == 0) || ((c == '-' || c == '+') && exponent);
        if (!isalnum((unsigned char)c) && c != '.' && !sign)
            break;
        out[n++] = c;
        l->at++;
    }
    out[n] = '\0';
}

int64_t cw_lex_int(struct cw_lex *l) {
    char text[40], *end;
    number_text(l, text, sizeof text);
    bool minus = text[0] == '-';
    const char *digits = text + minus;
    errno = 0;
    uint64_t value = isdigit((unsigned char)digits[0]) ? strtoull(digits, &end, digits[1] == 'x' ? 16 : 10) : 0;
    if (!isdigit((unsigned char)digits[0]) || *end || errno || (minus && value > UINT64_C(1) << 63)) {
        cw_lex_fail(l, "expected an integer, found \"%s\"", text);
        return 0;
    }
    return (int64_t)(minus ? 0 - value : value);
}

uint32_t cw_lex_u32(struct cw_lex *l) {
    int64_t value = cw_lex_int(l);
    if (value < 0 || value > UINT32_MAX)
        cw_lex_fail(l, "number out of range");
    return (uint32_t)value;
}

int64_t cw_lex_float(struct cw_lex *l) {
    char text[64], *end;
    number_text(l, text, sizeof text);
    int64_t bits = 0;
    if (text[0] == '0' && text[1] == 'x') {
        bits = (int64_t)strtoull(text, &end, 16);
    } else {
        double value = strtod(text, &end);
        memcpy(&bits, &value, sizeof bits);
    }
    if (end == text || *end)
        cw_lex_fail(l, "expected a number, found \"%s\"", text);
    return bits;
}
