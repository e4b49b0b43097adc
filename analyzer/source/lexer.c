#include "source/lexer.h"

#include <string.h>

enum { NAME_START = 1, DIGIT = 2, BLANK = 4 };

/* One look-up per character keeps the lexer at memory speed; bytes from 0x80 on are letters of UTF-8 names. */
static const uint8_t char_class[256] = {
    ['a' ... 'z'] = NAME_START, ['A' ... 'Z'] = NAME_START, ['_'] = NAME_START, ['$'] = NAME_START,
    [0x80 ... 0xFF] = NAME_START, ['0' ... '9'] = DIGIT, [' '] = BLANK, ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK,
};

void cw_lexer_init(struct cw_lexer *l, const char *text, size_t size) {
    *l = (struct cw_lexer){.text = text, .size = size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)size,
                           .line_start = true};
}

static uint8_t class_at(const struct cw_lexer *l, uint32_t at) {
    return at < l->size ? char_class[(unsigned char)l->text[at]] : 0;
}

static char char_at(const struct cw_lexer *l, uint32_t at) {
    return at < l->size ? l->text[at] : '\0';
}

/* Length of the line ending at `at`: 0 when there is none. */
static uint32_t newline_length(const struct cw_lexer *l, uint32_t at) {
    if (char_at(l, at) == '\n')
        return 1;
    if (char_at(l, at) != '\r')
        return 0;
    return char_at(l, at + 1) == '\n' ? 2 : 1;
}

/* Length of a backslash with the line ending it hides, or 0. */
static uint32_t splice_length(const struct cw_lexer *l, uint32_t at) {
    if (char_at(l, at) != '\\')
        return 0;
    uint32_t newline = newline_length(l, at + 1);
    return newline ? newline + 1 : 0;
}

/* Blanks, line ends and line splices. A line end closes a directive. */
static void skip_blanks(struct cw_lexer *l) {
    for (;;) {
        uint32_t n;
        if (class_at(l, l->at) == BLANK) {
            l->at++;
        } else if ((n = newline_length(l, l->at))) {
            l->at += n;
            l->line_start = true;
            l->in_directive = l->header_next = false;
        } else if ((n = splice_length(l, l->at))) {
            l->at += n;
        } else {
            return;
        }
    }
}

static void line_comment(struct cw_lexer *l) {
    while (l->at < l->size && !newline_length(l, l->at)) {
        uint32_t splice = splice_length(l, l->at);
        l->at += splice ? splice : 1;
    }
}

static void block_comment(struct cw_lexer *l) {
    const char *from = l->text + l->at + 2, *end = l->text + l->size;
    const char *close = from <= end ? memmem(from, (size_t)(end - from), "*/", 2) : NULL;
    l->at = close ? (uint32_t)(close + 2 - l->text) : l->size;
}

/* A quoted literal from its opening quote; a line end closes it, as in an #error text with an apostrophe. */
static void quoted(struct cw_lexer *l) {
    char quote = l->text[l->at++];
    while (l->at < l->size && !newline_length(l, l->at)) {
        uint32_t splice = splice_length(l, l->at);
        char c = l->text[l->at];
        l->at += splice ? splice : 1;
        if (c == quote)
            return;
        if (c == '\\' && !splice && l->at < l->size && !newline_length(l, l->at))
            l->at++;
    }
}

/* R"delimiter( … )delimiter", at the opening quote. */
static void raw_string(struct cw_lexer *l) {
    enum { DELIMITER_MAX = 16 };
    uint32_t open = l->at + 1;
    while (open < l->size && open - l->at <= DELIMITER_MAX + 1 && l->text[open] != '(')
        open++;
    if (char_at(l, open) != '(') {
        quoted(l);
        return;
    }
    char close[DELIMITER_MAX + 4] = ")";
    uint32_t n = open - l->at - 1;
    memcpy(close + 1, l->text + l->at + 1, n);
    close[n + 1] = '"';
    const char *found = memmem(l->text + open, l->size - open, close, n + 2);
    l->at = found ? (uint32_t)(found - l->text) + n + 2 : l->size;
}

static void number(struct cw_lexer *l) {
    while (l->at < l->size) {
        char c = l->text[l->at];
        if ((c == '+' || c == '-') && strchr("eEpP", l->text[l->at - 1]) != NULL)
            l->at++;
        else if (c == '\'' && (class_at(l, l->at + 1) & (NAME_START | DIGIT)))
            l->at += 2;
        else if (c == '.' || (class_at(l, l->at) & (NAME_START | DIGIT)))
            l->at++;
        else
            return;
    }
}

/* A name, or the literal whose prefix it is. */
static enum cw_token_kind name_or_literal(struct cw_lexer *l) {
    uint32_t start = l->at;
    while (class_at(l, l->at) & (NAME_START | DIGIT))
        l->at++;
    char next = char_at(l, l->at);
    uint32_t n = l->at - start;
    if ((next != '"' && next != '\'') || n > 3)
        return CW_TOKEN_NAME;
    cw_str prefix = {l->text + start, n};
    bool raw = l->text[l->at - 1] == 'R' && next == '"';
    if (raw)
        prefix.n--;
    if (prefix.n && !cw_str_is(prefix, "L") && !cw_str_is(prefix, "u") && !cw_str_is(prefix, "U") &&
        !cw_str_is(prefix, "u8"))
        return CW_TOKEN_NAME;
    if (raw)
        raw_string(l);
    else
        quoted(l);
    return next == '"' ? CW_TOKEN_STRING : CW_TOKEN_CHAR;
}

static void directive(struct cw_lexer *l) {
    l->at++;
    while (class_at(l, l->at) == BLANK || splice_length(l, l->at)) {
        uint32_t splice = splice_length(l, l->at);
        l->at += splice ? splice : 1;
    }
    uint32_t name = l->at;
    while (class_at(l, l->at) & (NAME_START | DIGIT))
        l->at++;
    l->in_directive = true;
    l->header_next = cw_str_starts((cw_str){l->text + name, l->at - name}, "include");
}

/* Those of more than one character that readers ask for: <<< << <= :: -> */
static uint32_t punctuation_length(const struct cw_lexer *l) {
    char next = char_at(l, l->at + 1);
    switch (l->text[l->at]) {
    case '<':
        if (next == '<')
            return char_at(l, l->at + 2) == '<' ? 3 : 2;
        return next == '=' ? 2 : 1;
    case ':':
        return next == ':' ? 2 : 1;
    case '-':
        return next == '>' ? 2 : 1;
    default:
        return 1;
    }
}

static enum cw_token_kind punctuation(struct cw_lexer *l) {
    l->at += punctuation_length(l);
    return CW_TOKEN_PUNCT;
}

static enum cw_token_kind header_name(struct cw_lexer *l) {
    while (l->at < l->size && l->text[l->at] != '>' && !newline_length(l, l->at))
        l->at++;
    if (char_at(l, l->at) == '>')
        l->at++;
    return CW_TOKEN_HEADER;
}

static enum cw_token_kind slash(struct cw_lexer *l) {
    char next = char_at(l, l->at + 1);
    if (next != '/' && next != '*')
        return punctuation(l);
    if (next == '/')
        line_comment(l);
    else
        block_comment(l);
    return CW_TOKEN_COMMENT;
}

static enum cw_token_kind lex(struct cw_lexer *l, bool line_start) {
    char c = l->text[l->at];
    uint8_t class = class_at(l, l->at);
    if (class & NAME_START)
        return name_or_literal(l);
    if ((class & DIGIT) || (c == '.' && (class_at(l, l->at + 1) & DIGIT))) {
        l->at++;
        number(l);
        return CW_TOKEN_NUMBER;
    }
    if (c == '/')
        return slash(l);
    if (c == '"' || c == '\'') {
        quoted(l);
        return c == '"' ? CW_TOKEN_STRING : CW_TOKEN_CHAR;
    }
    if (c == '#' && line_start && !l->in_directive) {
        directive(l);
        return CW_TOKEN_DIRECTIVE;
    }
    return c == '<' && l->header_next ? header_name(l) : punctuation(l);
}

struct cw_token cw_lexer_next(struct cw_lexer *l) {
    skip_blanks(l);
    struct cw_token t = {.at = l->at, .kind = CW_TOKEN_END};
    if (l->at >= l->size)
        return t;
    bool line_start = l->line_start, header_next = l->header_next;
    t.kind = (uint8_t)lex(l, line_start);
    t.n = l->at - t.at;
    t.in_directive = l->in_directive;
    /* A comment before '#' or <path> leaves either possible. */
    l->line_start = line_start && t.kind == CW_TOKEN_COMMENT;
    if (t.kind != CW_TOKEN_DIRECTIVE && t.kind != CW_TOKEN_COMMENT)
        l->header_next = false;
    else if (t.kind == CW_TOKEN_COMMENT)
        l->header_next = header_next;
    return t;
}

cw_str cw_token_directive(const char *text, struct cw_token t) {
    cw_str s = {text + t.at, t.n};
    while (s.n && !(char_class[(unsigned char)s.at[0]] & (NAME_START | DIGIT))) {
        s.at++;
        s.n--;
    }
    return s;
}

cw_str cw_token_comment(const char *text, struct cw_token t) {
    cw_str s = {text + t.at, t.n};
    if (s.n >= 4 && cw_str_starts(s, "/*") && cw_str_ends(s, "*/"))
        s.n -= 2;
    if (s.n >= 2) {
        s.at += 2;
        s.n -= 2;
    }
    while (s.n && (s.at[0] == '/' || s.at[0] == '*' || s.at[0] == '!')) { /* the marks of documentation comments */
        s.at++;
        s.n--;
    }
    return cw_str_trim(s);
}
