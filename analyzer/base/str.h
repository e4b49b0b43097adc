/* Borrowed text slices, and a growable text buffer for output. */
#ifndef CW_BASE_STR_H
#define CW_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

/* A slice of text that somebody else owns; not NUL-terminated. */
typedef struct {
    const char *at;
    size_t n;
} cw_str;

#define CW_STR(literal) ((cw_str){("" literal), sizeof(literal) - 1})

cw_str cw_str_of(const char *text); /* NULL becomes the empty slice */
bool cw_str_eq(cw_str a, cw_str b);
bool cw_str_is(cw_str a, const char *text);
bool cw_str_starts(cw_str a, const char *prefix);
bool cw_str_ends(cw_str a, const char *suffix);
/* A path whose ending says that other files include it: .cuh, .h, .inl and their like. */
bool cw_str_names_header(const char *path);
cw_str cw_str_trim(cw_str a);
/* Does the text hold the word, not as a part of a longer name? False for an empty word. Cost: one search. */
bool cw_str_has_word(cw_str text, const char *word);
/* How often it does, `most` at most. */
size_t cw_str_count_word(cw_str text, const char *word, size_t most);

/* Text that grows by malloc; zero-initialise, release with cw_buf_free. `at` is always NUL-terminated once written. */
struct cw_buf {
    char *at;
    size_t n, cap;
};

void cw_buf_add(struct cw_buf *b, const char *text, size_t n);
void cw_buf_puts(struct cw_buf *b, const char *text);
void cw_buf_putc(struct cw_buf *b, char c);
void cw_buf_printf(struct cw_buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cw_buf_free(struct cw_buf *b);

#endif
