#include "ir/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cw_lex_fail(struct cw_lex *lex, const char *format, ...) {
    if (lex->error)
        return;
    va_list ap;
    va_start(ap, format);
    lex->error = cw_arena_printf(lex->arena, "line %u: %s", lex->line, cw_arena_vprintf(lex->arena, format, ap));
    va_end(ap);
    lex->at = lex->end;
}

void cw_lex_blanks(struct cw_lex *lex) {
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t' || *lex->at == '\r'))
        lex->at++;
    if (lex->at < lex->end && *lex->at == ';')
        while (lex->at < lex->end && *lex->at != '\n')
            lex->at++;
}

bool cw_lex_at_eol(struct cw_lex *lex) {
    cw_lex_blanks(lex);
    return lex->at == lex->end || *lex->at == '\n';
}

void cw_lex_end_line(struct cw_lex *lex) {
    if (!cw_lex_at_eol(lex))
        cw_lex_fail(lex, "unexpected '%c'", isprint((unsigned char)*lex->at) ? *lex->at : '?');
    while (lex->at < lex->end && cw_lex_at_eol(lex)) {
        if (lex->at < lex->end) {
            lex->at++;
            lex->line++;
        }
    }
}

char cw_lex_peek(struct cw_lex *lex) {
    cw_lex_blanks(lex);
    return lex->at < lex->end ? *lex->at : '\0';
}

bool cw_lex_accept(struct cw_lex *lex, char c) {
    cw_lex_blanks(lex);
    return cw_lex_direct(lex, c);
}

bool cw_lex_direct(struct cw_lex *lex, char c) {
    if (lex->at == lex->end || *lex->at != c)
        return false;
    lex->at++;
    return true;
}

bool cw_lex_expect(struct cw_lex *lex, char c) {
    if (cw_lex_accept(lex, c))
        return true;
    cw_lex_fail(lex, "expected '%c'", c);
    return false;
}

static cw_str scan_word(struct cw_lex *lex, bool dots) {
    cw_lex_blanks(lex);
    const char *from = lex->at;
    if (from < lex->end && (isalpha((unsigned char)*from) || *from == '_'))
        while (lex->at < lex->end && (isalnum((unsigned char)*lex->at) || *lex->at == '_' || (dots && *lex->at == '.')))
            lex->at++;
    return (cw_str){from, (size_t)(lex->at - from)};
}

cw_str cw_lex_word(struct cw_lex *lex) {
    return scan_word(lex, false);
}

cw_str cw_lex_dotted(struct cw_lex *lex) {
    return scan_word(lex, true);
}

bool cw_lex_accept_word(struct cw_lex *lex, const char *word) {
    const char *from = lex->at;
    if (cw_str_is(cw_lex_word(lex), word))
        return true;
    lex->at = from;
    return false;
}

/* Past a quoted string, if one starts here. */
static void skip_quoted(struct cw_lex *lex) {
    if (!cw_lex_direct(lex, '"'))
        return;
    while (lex->at < lex->end && *lex->at != '"' && *lex->at != '\n')
        lex->at += *lex->at == '\\' && lex->at + 1 < lex->end ? 2 : 1;
    if (lex->at >= lex->end || !cw_lex_direct(lex, '"'))
        cw_lex_fail(lex, "string without its closing quote");
}

cw_str cw_lex_label(struct cw_lex *lex) {
    const char *from = lex->at;
    skip_quoted(lex);
    while (lex->at < lex->end && (isalnum((unsigned char)*lex->at) || *lex->at == '_' || *lex->at == '.'))
        lex->at++;
    return lex->error ? (cw_str){from, 0} : (cw_str){from, (size_t)(lex->at - from)};
}

static int hex_digit(char c) {
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

const char *cw_lex_decode(struct cw_lex *lex, cw_str quoted) {
    char *out = cw_arena_alloc(lex->arena, quoted.n + 1);
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

const char *cw_lex_string(struct cw_lex *lex) {
    cw_lex_blanks(lex);
    const char *from = lex->at;
    skip_quoted(lex);
    if (lex->error)
        return NULL;
    if (lex->at == from) {
        cw_lex_fail(lex, "expected a string");
        return NULL;
    }
    return cw_lex_decode(lex, (cw_str){from, (size_t)(lex->at - from)});
}

const char *cw_lex_symbol(struct cw_lex *lex) {
    if (cw_lex_peek(lex) == '"')
        return cw_lex_string(lex);
    cw_str word = cw_lex_dotted(lex);
    if (word.n == 0)
        cw_lex_fail(lex, "expected a name");
    return cw_arena_strndup(lex->arena, word.at, word.n);
}

/* The characters of a number, copied so that strtoull and strtod see an end. */
static void number_text(struct cw_lex *lex, char *out, size_t cap) {
    cw_lex_blanks(lex);
    size_t n = 0;
    while (lex->at < lex->end && n + 1 < cap) {
        char c = *lex->at, last = n ? out[n - 1] : '\0';
        bool exponent = (last == 'e' || last == 'E') && !(n > 1 && out[1] == 'x') && !(n > 2 && out[2] == 'x');
        bool sign = (c == '-' && n == 0) || ((c == '-' || c == '+') && exponent);
        if (!isalnum((unsigned char)c) && c != '.' && !sign)
            break;
        out[n++] = c;
        lex->at++;
    }
    out[n] = '\0';
}

int64_t cw_lex_int(struct cw_lex *lex) {
    char text[40], *end;
    number_text(lex, text, sizeof text);
    bool minus = text[0] == '-';
    const char *digits = text + minus;
    errno = 0;
    uint64_t value = isdigit((unsigned char)digits[0]) ? strtoull(digits, &end, digits[1] == 'x' ? 16 : 10) : 0;
    if (!isdigit((unsigned char)digits[0]) || *end || errno || (minus && value > UINT64_C(1) << 63)) {
        cw_lex_fail(lex, "expected an integer, found \"%s\"", text);
        return 0;
    }
    return (int64_t)(minus ? 0 - value : value);
}

uint32_t cw_lex_u32(struct cw_lex *lex) {
    int64_t value = cw_lex_int(lex);
    if (value < 0 || value > UINT32_MAX)
        cw_lex_fail(lex, "number out of range");
    return (uint32_t)value;
}

int64_t cw_lex_float(struct cw_lex *lex) {
    char text[64], *end;
    number_text(lex, text, sizeof text);
    int64_t bits = 0;
    if (text[0] == '0' && text[1] == 'x') {
        bits = (int64_t)strtoull(text, &end, 16);
    } else {
        double value = strtod(text, &end);
        memcpy(&bits, &value, sizeof bits);
    }
    if (end == text || *end)
        cw_lex_fail(lex, "expected a number, found \"%s\"", text);
    return bits;
}
