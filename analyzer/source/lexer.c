#include "source/lexer.h"

#include <string.h>

enum { NAME_START = 1, DIGIT = 2, BLANK = 4 };

/* One look-up per character keeps the lexer at memory speed; bytes from 0x80 on are letters of UTF-8 names. */
static const uint8_t char_class[256] = {
    ['a' ... 'z'] = NAME_START, ['A' ... 'Z'] = NAME_START, ['_'] = NAME_START, ['$'] = NAME_START,
    [0x80 ... 0xFF] = NAME_START, ['0' ... '9'] = DIGIT, [' '] = BLANK, ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK,
};

void cw_lexer_init(struct cw_lexer *lexer, const char *text, size_t size) {
    *lexer = (struct cw_lexer){.text = text, .size = size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)size,
                           .line_start = true};
}

static uint8_t class_at(const struct cw_lexer *lexer, uint32_t at) {
    return at < lexer->size ? char_class[(unsigned char)lexer->text[at]] : 0;
}

static char char_at(const struct cw_lexer *lexer, uint32_t at) {
    return at < lexer->size ? lexer->text[at] : '\0';
}

/* Length of the line ending at `at`: 0 when there is none. */
static uint32_t newline_length(const struct cw_lexer *lexer, uint32_t at) {
    if (char_at(lexer, at) == '\n')
        return 1;
    if (char_at(lexer, at) != '\r')
        return 0;
    return char_at(lexer, at + 1) == '\n' ? 2 : 1;
}

/* Length of a backslash with the line ending it hides, or 0. */
static uint32_t splice_length(const struct cw_lexer *lexer, uint32_t at) {
    if (char_at(lexer, at) != '\\')
        return 0;
    uint32_t newline = newline_length(lexer, at + 1);
    return newline ? newline + 1 : 0;
}

/* Blanks, line ends and line splices. A line end closes a directive. */
static void skip_blanks(struct cw_lexer *lexer) {
    for (;;) {
        uint32_t n;
        if (class_at(lexer, lexer->at) == BLANK) {
            lexer->at++;
        } else if ((n = newline_length(lexer, lexer->at))) {
            lexer->at += n;
            lexer->line_start = true;
            lexer->in_directive = lexer->header_next = false;
        } else if ((n = splice_length(lexer, lexer->at))) {
            lexer->at += n;
        } else {
            return;
        }
    }
}

static void line_comment(struct cw_lexer *lexer) {
    while (lexer->at < lexer->size && !newline_length(lexer, lexer->at)) {
        uint32_t splice = splice_length(lexer, lexer->at);
        lexer->at += splice ? splice : 1;
    }
}

static void block_comment(struct cw_lexer *lexer) {
    const char *from = lexer->text + lexer->at + 2, *end = lexer->text + lexer->size;
    const char *close = from <= end ? memmem(from, (size_t)(end - from), "*/", 2) : NULL;
    lexer->at = close ? (uint32_t)(close + 2 - lexer->text) : lexer->size;
}

/* A quoted literal from its opening quote; a line end closes it, as in an #error text with an apostrophe. */
static void lex_quoted(struct cw_lexer *lexer) {
    char quote = lexer->text[lexer->at++];
    while (lexer->at < lexer->size && !newline_length(lexer, lexer->at)) {
        uint32_t splice = splice_length(lexer, lexer->at);
        char c = lexer->text[lexer->at];
        lexer->at += splice ? splice : 1;
        if (c == quote)
            return;
        if (c == '\\' && !splice && lexer->at < lexer->size && !newline_length(lexer, lexer->at))
            lexer->at++;
    }
}

/* R"delimiter( … )delimiter", at the opening quote. */
static void raw_string(struct cw_lexer *lexer) {
    enum { DELIMITER_MAX = 16 };
    uint32_t open = lexer->at + 1;
    while (open < lexer->size && open - lexer->at <= DELIMITER_MAX + 1 && lexer->text[open] != '(')
        open++;
    if (char_at(lexer, open) != '(') {
        lex_quoted(lexer);
        return;
    }
    char close[DELIMITER_MAX + 4] = ")";
    uint32_t n = open - lexer->at - 1;
    memcpy(close + 1, lexer->text + lexer->at + 1, n);
    close[n + 1] = '"';
    const char *found = memmem(lexer->text + open, lexer->size - open, close, n + 2);
    lexer->at = found ? (uint32_t)(found - lexer->text) + n + 2 : lexer->size;
}

static void lex_number(struct cw_lexer *lexer) {
    while (lexer->at < lexer->size) {
        char c = lexer->text[lexer->at];
        if ((c == '+' || c == '-') && strchr("eEpP", lexer->text[lexer->at - 1]) != NULL)
            lexer->at++;
        else if (c == '\'' && (class_at(lexer, lexer->at + 1) & (NAME_START | DIGIT)))
            lexer->at += 2;
        else if (c == '.' || (class_at(lexer, lexer->at) & (NAME_START | DIGIT)))
            lexer->at++;
        else
            return;
    }
}

/* A name, or the literal whose prefix it is. */
static enum cw_token_kind name_or_literal(struct cw_lexer *lexer) {
    uint32_t start = lexer->at;
    while (class_at(lexer, lexer->at) & (NAME_START | DIGIT))
        lexer->at++;
    char next = char_at(lexer, lexer->at);
    uint32_t n = lexer->at - start;
    if ((next != '"' && next != '\'') || n > 3)
        return CW_TOKEN_NAME;
    cw_str prefix = {lexer->text + start, n};
    bool raw = lexer->text[lexer->at - 1] == 'R' && next == '"';
    if (raw)
        prefix.n--;
    if (prefix.n && !cw_str_is(prefix, "L") && !cw_str_is(prefix, "u") && !cw_str_is(prefix, "U") &&
        !cw_str_is(prefix, "u8"))
        return CW_TOKEN_NAME;
    if (raw)
        raw_string(lexer);
    else
        lex_quoted(lexer);
    return next == '"' ? CW_TOKEN_STRING : CW_TOKEN_CHAR;
}

static void lex_directive(struct cw_lexer *lexer) {
    lexer->at++;
    while (class_at(lexer, lexer->at) == BLANK || splice_length(lexer, lexer->at)) {
        uint32_t splice = splice_length(lexer, lexer->at);
        lexer->at += splice ? splice : 1;
    }
    uint32_t name = lexer->at;
    while (class_at(lexer, lexer->at) & (NAME_START | DIGIT))
        lexer->at++;
    lexer->in_directive = true;
    lexer->header_next = cw_str_starts((cw_str){lexer->text + name, lexer->at - name}, "include");
}

/* Those of more than one character that readers ask for: <<< << <= :: -> */
static uint32_t punctuation_length(const struct cw_lexer *lexer) {
    char next = char_at(lexer, lexer->at + 1);
    switch (lexer->text[lexer->at]) {
    case '<':
        if (next == '<')
            return char_at(lexer, lexer->at + 2) == '<' ? 3 : 2;
        return next == '=' ? 2 : 1;
    case ':':
        return next == ':' ? 2 : 1;
    case '-':
        return next == '>' ? 2 : 1;
    default:
        return 1;
    }
}

static enum cw_token_kind lex_punctuation(struct cw_lexer *lexer) {
    lexer->at += punctuation_length(lexer);
    return CW_TOKEN_PUNCT;
}

static enum cw_token_kind header_name(struct cw_lexer *lexer) {
    while (lexer->at < lexer->size && lexer->text[lexer->at] != '>' && !newline_length(lexer, lexer->at))
        lexer->at++;
    if (char_at(lexer, lexer->at) == '>')
        lexer->at++;
    return CW_TOKEN_HEADER;
}

static enum cw_token_kind lex_slash(struct cw_lexer *lexer) {
    char next = char_at(lexer, lexer->at + 1);
    if (next != '/' && next != '*')
        return lex_punctuation(lexer);
    if (next == '/')
        line_comment(lexer);
    else
        block_comment(lexer);
    return CW_TOKEN_COMMENT;
}

static enum cw_token_kind lex_token(struct cw_lexer *lexer, bool line_start) {
    char c = lexer->text[lexer->at];
    uint8_t class = class_at(lexer, lexer->at);
    if (class & NAME_START)
        return name_or_literal(lexer);
    if ((class & DIGIT) || (c == '.' && (class_at(lexer, lexer->at + 1) & DIGIT))) {
        lexer->at++;
        lex_number(lexer);
        return CW_TOKEN_NUMBER;
    }
    if (c == '/')
        return lex_slash(lexer);
    if (c == '"' || c == '\'') {
        lex_quoted(lexer);
        return c == '"' ? CW_TOKEN_STRING : CW_TOKEN_CHAR;
    }
    if (c == '#' && line_start && !lexer->in_directive) {
        lex_directive(lexer);
        return CW_TOKEN_DIRECTIVE;
    }
    return c == '<' && lexer->header_next ? header_name(lexer) : lex_punctuation(lexer);
}

struct cw_token cw_lexer_next(struct cw_lexer *lexer) {
    skip_blanks(lexer);
    struct cw_token t = {.at = lexer->at, .kind = CW_TOKEN_END};
    if (lexer->at >= lexer->size)
        return t;
    bool line_start = lexer->line_start, header_next = lexer->header_next;
    t.kind = (uint8_t)lex_token(lexer, line_start);
    t.n = lexer->at - t.at;
    t.in_directive = lexer->in_directive;
    /* A comment before '#' or <path> leaves either possible. */
    lexer->line_start = line_start && t.kind == CW_TOKEN_COMMENT;
    if (t.kind != CW_TOKEN_DIRECTIVE && t.kind != CW_TOKEN_COMMENT)
        lexer->header_next = false;
    else if (t.kind == CW_TOKEN_COMMENT)
        lexer->header_next = header_next;
    return t;
}

cw_str cw_token_directive(const char *text, struct cw_token token) {
    cw_str s = {text + token.at, token.n};
    while (s.n && !(char_class[(unsigned char)s.at[0]] & (NAME_START | DIGIT))) {
        s.at++;
        s.n--;
    }
    return s;
}

cw_str cw_token_comment(const char *text, struct cw_token token) {
    cw_str s = {text + token.at, token.n};
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
