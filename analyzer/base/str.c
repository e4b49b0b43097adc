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

bool cw_str_eq(cw_str a, cw_str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

bool cw_str_is(cw_str a, const char *text) {
    return (a.n == 0 || a.at[0] == text[0]) &&
           cw_str_eq(a, cw_str_of(text)); /* most words differ in their first letter */
}

bool cw_str_starts(cw_str a, const char *prefix) {
    size_t n = strlen(prefix);
    return a.n >= n && memcmp(a.at, prefix, n) == 0;
}

bool cw_str_ends(cw_str a, const char *suffix) {
    size_t n = strlen(suffix);
    return a.n >= n && memcmp(a.at + a.n - n, suffix, n) == 0;
}

bool cw_str_names_header(const char *path) {
    static const char *const endings[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (cw_str_ends(cw_str_of(path), endings[i]))
            return true;
    return false;
}

cw_str cw_str_trim(cw_str a) {
    while (a.n && isspace((unsigned char)a.at[0])) {
        a.at++;
        a.n--;
    }
    while (a.n && isspace((unsigned char)a.at[a.n - 1]))
        a.n--;
    return a;
}

static void reserve(struct cw_buf *b, size_t more) {
    if (b->cap - b->n > more)
        return;
    size_t cap = b->cap ? b->cap : 256;
    while (cap - b->n <= more)
        cap *= 2;
    char *at = realloc(b->at, cap);
    if (!at)
        cw_die("out of memory (%zu bytes)", cap);
    b->at = at;
    b->cap = cap;
}

void cw_buf_add(struct cw_buf *b, const char *text, size_t n) {
    reserve(b, n);
    if (n)
        memcpy(b->at + b->n, text, n);
    b->n += n;
    b->at[b->n] = '\0';
}

void cw_buf_puts(struct cw_buf *b, const char *text) {
    cw_buf_add(b, text, strlen(text));
}

void cw_buf_putc(struct cw_buf *b, char c) {
    cw_buf_add(b, &c, 1);
}

void cw_buf_printf(struct cw_buf *b, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n > 0) {
        reserve(b, (size_t)n);
        vsnprintf(b->at + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void cw_buf_free(struct cw_buf *b) {
    free(b->at);
    *b = (struct cw_buf){0};
}

static bool is_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool cw_str_has_word(cw_str text, const char *word) {
    size_t n = strlen(word);
    const char *at = text.at, *end = text.at + text.n;
    while (n && text.n && (at = memmem(at, (size_t)(end - at), word, n))) {
        bool before = at > text.at && is_of_name(at[-1]), after = at + n < end && is_of_name(at[n]);
        if (!before && !after)
            return true;
        at += n;
    }
    return false;
}
