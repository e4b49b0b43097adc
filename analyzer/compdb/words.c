#include "compdb/words.h"

#include <string.h>

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

struct splitter {
    struct cw_arena *arena;
    struct cw_words *out;
    enum cw_quoting quoting;
    char *word; /* as long as the text: what is taken out of quotes never grows */
    size_t n;
    bool open;  /* a word has begun, if only with an empty pair of quotes */
};

static void end_word(struct splitter *splitter) {
    if (splitter->open && splitter->n <= CW_MAX_WORD_BYTES && splitter->out->n < CW_MAX_WORDS)
        cw_vec_push(splitter->arena, splitter->out,
                    (const char *)cw_arena_strndup(splitter->arena, splitter->word, splitter->n));
    splitter->n = 0;
    splitter->open = false;
}

static void put_char(struct splitter *splitter, char c) {
    splitter->word[splitter->n++] = c;
    splitter->open = true;
}

/* Does a backslash before `next` take it literally, and vanish? */
static bool is_escaping(const struct splitter *splitter, char quote, char next) {
    if (splitter->quoting == CW_QUOTING_RESPONSE || !quote)
        return true;
    return quote == '"' && (next == '"' || next == '\\' || next == '$' || next == '`');
}

/* Inside quotes from behind the opening one; the result stands behind the closing one. */
static size_t take_quoted(struct splitter *splitter, cw_str text, size_t at, char quote) {
    splitter->open = true;
    while (at < text.n && text.at[at] != quote) {
        if (text.at[at] == '\\' && at + 1 < text.n && is_escaping(splitter, quote, text.at[at + 1]))
            at++;
        put_char(splitter, text.at[at++]);
    }
    return at < text.n ? at + 1 : at;
}

/* A backslash outside of quotes; with a line end behind it, it joins two lines. */
static size_t take_escaped(struct splitter *splitter, cw_str text, size_t at) {
    if (at + 1 >= text.n)
        return at + 1;
    if (text.at[at + 1] == '\n')
        return at + 2;
    if (text.at[at + 1] == '\r' && at + 2 < text.n && text.at[at + 2] == '\n')
        return at + 3;
    put_char(splitter, text.at[at + 1]);
    return at + 2;
}

static cw_str until_nul(cw_str text) {
    const char *nul = text.n ? memchr(text.at, '\0', text.n) : NULL;
    return nul ? (cw_str){text.at, (size_t)(nul - text.at)} : text;
}

void cw_words_split(struct cw_arena *a, cw_str text, enum cw_quoting quoting, struct cw_words *out) {
    text = until_nul(text);
    struct splitter s = {.arena = a, .out = out, .quoting = quoting, .word = cw_arena_alloc(a, text.n + 1)};
    for (size_t at = 0; at < text.n;) {
        char c = text.at[at];
        if (is_blank(c)) {
            end_word(&s);
            at++;
        } else if (c == '"' || c == '\'') {
            at = take_quoted(&s, text, at + 1, c);
        } else if (c == '\\') {
            at = take_escaped(&s, text, at);
        } else {
            put_char(&s, c);
            at++;
        }
    }
    end_word(&s);
}

void cw_words_split_list(struct cw_arena *a, const char *list, struct cw_words *out) {
    cw_str text = cw_str_of(list);
    struct splitter s = {.arena = a, .out = out, .word = cw_arena_alloc(a, text.n + 1)};
    bool quoted = false;
    for (size_t at = 0; at < text.n; at++) {
        char c = text.at[at], next = at + 1 < text.n ? text.at[at + 1] : '\0';
        if (c == ',' && !quoted) {
            end_word(&s);
        } else if (c == '\\' && (next == ',' || next == '"')) {
            put_char(&s, next);
            at++;
        } else {
            quoted ^= c == '"';
            put_char(&s, c);
        }
    }
    end_word(&s);
}
