/* The value of a literal, and which bytes of the file each of its bytes comes from. */
#include "embedded/internal.h"

#include <string.h>

static void add_piece(struct emb_value *emb_value, uint32_t n, uint32_t outer, uint32_t outer_n) {
    struct cw_embedded *e = emb_value->out;
    struct cw_embedded_piece *last = e->pieces.n ? &cw_vec_last(&e->pieces) : NULL;
    bool continues = last && n == outer_n && last->n == last->outer_n && last->outer + last->outer_n == outer;
    if (continues) {
        last->n += n;
        last->outer_n += n;
    } else {
        struct cw_embedded_piece piece = {(uint32_t)emb_value->text->n, n, outer, outer_n};
        cw_vec_push(emb_value->arena, &e->pieces, piece);
    }
}

void emb_add_plain(struct emb_value *emb_value, cw_str text, uint32_t at, uint32_t n) {
    if (!n)
        return;
    add_piece(emb_value, n, at, n);
    cw_buf_add(emb_value->text, text.at + at, n);
}

/* One byte for one byte is still no copy: nobody may continue such a piece. */
void emb_add_escape(struct emb_value *emb_value, const char *bytes, uint32_t n, uint32_t outer, uint32_t outer_n) {
    struct cw_embedded_piece piece = {(uint32_t)emb_value->text->n, n, outer, outer_n};
    cw_vec_push(emb_value->arena, &emb_value->out->pieces, piece);
    cw_buf_add(emb_value->text, bytes, n);
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* Digits of `base` from `at` on, at most `most`; their number in *n. */
static uint32_t read_digits(cw_str text, uint32_t at, uint32_t end, int base, uint32_t most, uint32_t *n) {
    uint32_t value = 0;
    for (*n = 0; *n < most && at + *n < end && digit_value(text.at[at + *n]) < base; ++*n)
        value = value * (uint32_t)base + (uint32_t)digit_value(text.at[at + *n]);
    return value;
}

/* A byte that is no text of a program would end it; a blank does not change what the rest means. */
static void add_byte(struct emb_value *emb_value, uint32_t value, uint32_t at, uint32_t n) {
    char byte = value && value < 0x100 ? (char)value : ' ';
    emb_add_escape(emb_value, &byte, 1, at, n);
}

uint32_t emb_common_escape(struct emb_value *emb_value, cw_str text, uint32_t at, uint32_t end) {
    static const char letters[] = "abfnrtv\\'\"", bytes[] = "\a\b\f\n\r\t\v\\'\"";
    uint32_t n;
    char c = at + 1 < end ? text.at[at + 1] : '\0';
    const char *known = c ? strchr(letters, c) : NULL;
    if (known) {
        emb_add_escape(emb_value, &bytes[known - letters], 1, at, 2);
        return 2;
    }
    if (c == 'x') {
        uint32_t value = read_digits(text, at + 2, end, 16, 2, &n);
        if (n)
            add_byte(emb_value, value, at, 2 + n);
        return n ? 2 + n : 0;
    }
    uint32_t value = read_digits(text, at + 1, end, 8, 3, &n);
    if (n)
        add_byte(emb_value, value, at, 1 + n);
    return n ? 1 + n : 0;
}

/* ---- from the value to the file ---- */

/* The piece that holds byte `at`, the last one for what is behind the end. */
static const struct cw_embedded_piece *piece_of(const struct cw_embedded *embedded, uint32_t at) {
    uint32_t low = 0, high = embedded->pieces.n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (embedded->pieces.at[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &embedded->pieces.at[low];
}

uint32_t cw_embedded_begin(const struct cw_embedded *embedded, uint32_t at) {
    if (!embedded->pieces.n)
        return 0;
    const struct cw_embedded_piece *p = piece_of(embedded, at);
    uint32_t within = at - p->at;
    if (within >= p->n)
        return p->outer + p->outer_n;
    return p->outer + (p->n == p->outer_n ? within : 0);
}

uint32_t cw_embedded_end(const struct cw_embedded *embedded, uint32_t at) {
    if (!embedded->pieces.n || !at)
        return cw_embedded_begin(embedded, at);
    const struct cw_embedded_piece *p = piece_of(embedded, at - 1);
    uint32_t within = at - p->at;
    return p->outer + (p->n == p->outer_n && within < p->n ? within : p->outer_n);
}
