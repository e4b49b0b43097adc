#include "base/str.h"

#include "base/log.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cw_str cw_str_of(const char *text) {
    return (cw_str){text ? text : "", text ? strlen(text) : 0};
}

bool cw_str_eq(cw_str text, cw_str other) {
    return text.n == other.n && (text.n == 0 || memcmp(text.at, other.at, text.n) == 0);
}

bool cw_str_is(cw_str token, const char *text) {
    return (token.n == 0 || token.at[0] == text[0]) &&
           cw_str_eq(token, cw_str_of(text)); /* most words differ in their first letter */
}

bool cw_str_starts(cw_str text, const char *prefix) {
    size_t n = strlen(prefix);
    return text.n >= n && memcmp(text.at, prefix, n) == 0;
}

bool cw_str_ends(cw_str text, const char *suffix) {
    size_t n = strlen(suffix);
    return text.n >= n && memcmp(text.at + text.n - n, suffix, n) == 0;
}

bool cw_str_names_header(const char *path) {
    static const char *const endings[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (cw_str_ends(cw_str_of(path), endings[i]))
            return true;
    return false;
}

cw_str cw_str_trim(cw_str text) {
    while (text.n && isspace((unsigned char)text.at[0])) {
        text.at++;
        text.n--;
    }
    while (text.n && isspace((unsigned char)text.at[text.n - 1]))
        text.n--;
    return text;
}

static void reserve_bytes(struct cw_buf *buf, size_t more) {
    if (buf->cap - buf->n > more)
        return;
    size_t cap = buf->cap ? buf->cap : 256;
    while (cap - buf->n <= more)
        cap *= 2;
    char *at = realloc(buf->at, cap);
    if (!at)
        cw_die("out of memory (%zu bytes)", cap);
    buf->at = at;
    buf->cap = cap;
}

void cw_buf_add(struct cw_buf *buf, const char *text, size_t n) {
    reserve_bytes(buf, n);
    if (n)
        memcpy(buf->at + buf->n, text, n);
    buf->n += n;
    buf->at[buf->n] = '\0';
}

void cw_buf_puts(struct cw_buf *buf, const char *text) {
    cw_buf_add(buf, text, strlen(text));
}

void cw_buf_putc(struct cw_buf *buf, char c) {
    cw_buf_add(buf, &c, 1);
}

void cw_buf_printf(struct cw_buf *buf, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n > 0) {
        reserve_bytes(buf, (size_t)n);
        vsnprintf(buf->at + buf->n, (size_t)n + 1, format, again);
        buf->n += (size_t)n;
    }
    va_end(again);
}

void cw_buf_free(struct cw_buf *buf) {
    free(buf->at);
    *buf = (struct cw_buf){0};
}

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

size_t cw_str_count_word(cw_str text, const char *word, size_t most) {
    size_t n = strlen(word);
    const char *at = text.at, *end = text.at + text.n;
    size_t found = 0;
    while (n && text.n && found < most && (at = memmem(at, (size_t)(end - at), word, n))) {
        bool before = at > text.at && is_of_name(at[-1]), after = at + n < end && is_of_name(at[n]);
        found += !before && !after;
        at += n;
    }
    return found;
}

bool cw_str_has_word(cw_str text, const char *word) {
    return cw_str_count_word(text, word, 1) > 0;
}
