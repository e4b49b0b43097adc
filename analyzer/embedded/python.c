/* Tokens and string literals of Python: chapter 2, "Lexical analysis", of its language reference. A field of an
 * f-string is taken to hold no quotes like those around the string (they may from Python 3.12 on). */
#include "embedded/internal.h"

#include <string.h>

struct python_lexer {
    cw_str text;
    uint32_t at, depth; /* of brackets: line ends inside of them mean nothing */
};

static char char_at(const struct python_lexer *python_lexer, uint32_t at) {
    return at < python_lexer->text.n ? python_lexer->text.at[at] : '\0';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static uint32_t newline_length(const struct python_lexer *python_lexer, uint32_t at) {
    if (char_at(python_lexer, at) == '\n')
        return 1;
    if (char_at(python_lexer, at) != '\r')
        return 0;
    return char_at(python_lexer, at + 1) == '\n' ? 2 : 1;
}

/* r, b, u, f, t in either case, at most two of them. */
static bool is_prefix(cw_str text) {
    if (text.n > 2)
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (!strchr("rRbBuUfFtT", text.at[i]))
            return false;
    return true;
}

/* Bytes of the quotes at `at`: 3, 1 or 0. */
static uint32_t quotes_at(const struct python_lexer *python_lexer, uint32_t at) {
    char c = char_at(python_lexer, at);
    if (c != '"' && c != '\'')
        return 0;
    return char_at(python_lexer, at + 1) == c && char_at(python_lexer, at + 2) == c ? 3 : 1;
}

/* From the opening quotes; an unclosed string ends with its line, or with the text when its quotes are three. A
 * backslash keeps the character behind it from ending the string, in raw strings too. */
static void read_string(struct python_lexer *python_lexer) {
    uint32_t quotes = quotes_at(python_lexer, python_lexer->at);
    char quote = char_at(python_lexer, python_lexer->at);
    python_lexer->at += quotes;
    while (python_lexer->at < python_lexer->text.n) {
        uint32_t newline = newline_length(python_lexer, python_lexer->at);
        if (quotes == 1 && newline)
            return;
        if (char_at(python_lexer, python_lexer->at) == '\\') {
            uint32_t escaped = newline_length(python_lexer, python_lexer->at + 1);
            python_lexer->at += 1 + (escaped ? escaped : python_lexer->at + 1 < python_lexer->text.n);
        } else if (char_at(python_lexer, python_lexer->at) == quote &&
                   (quotes == 1 || quotes_at(python_lexer, python_lexer->at) == 3)) {
            python_lexer->at += quotes;
            return;
        } else {
            python_lexer->at++;
        }
    }
}

static enum emb_kind name_or_string(struct python_lexer *python_lexer) {
    uint32_t from = python_lexer->at;
    while (is_name(char_at(python_lexer, python_lexer->at)))
        python_lexer->at++;
    if (!quotes_at(python_lexer, python_lexer->at) ||
        !is_prefix((cw_str){python_lexer->text.at + from, python_lexer->at - from}))
        return EMB_NAME;
    read_string(python_lexer);
    return EMB_STRING;
}

static enum emb_kind read_punctuation(struct python_lexer *python_lexer) {
    char c = char_at(python_lexer, python_lexer->at++);
    if (c == '(' || c == '[' || c == '{')
        python_lexer->depth++;
    else if ((c == ')' || c == ']' || c == '}') && python_lexer->depth)
        python_lexer->depth--;
    return EMB_PUNCT;
}

/* Blanks, comments and line ends that mean nothing; true at one that ends a logical line. */
static bool skip_blanks(struct python_lexer *python_lexer) {
    for (;;) {
        char c = char_at(python_lexer, python_lexer->at);
        uint32_t newline = newline_length(python_lexer, python_lexer->at),
                 joined = c == '\\' ? newline_length(python_lexer, python_lexer->at + 1) : 0;
        if (newline && !python_lexer->depth)
            return true;
        if (newline || joined)
            python_lexer->at += newline ? newline : 1 + joined;
        else if (c == '#')
            while (python_lexer->at < python_lexer->text.n && !newline_length(python_lexer, python_lexer->at))
                python_lexer->at++;
        else if (python_lexer->at < python_lexer->text.n && strchr(" \t\f", c) && c)
            python_lexer->at++;
        else
            return false;
    }
}

static struct emb_token next_token(struct python_lexer *python_lexer) {
    bool newline = skip_blanks(python_lexer);
    struct emb_token t = {python_lexer->at, 0, EMB_END};
    if (python_lexer->at >= python_lexer->text.n)
        return t;
    char c = char_at(python_lexer, python_lexer->at);
    if (newline) {
        t.kind = EMB_NEWLINE;
        python_lexer->at += newline_length(python_lexer, python_lexer->at);
    } else if (quotes_at(python_lexer, python_lexer->at)) {
        t.kind = EMB_STRING;
        read_string(python_lexer);
    } else if (c >= '0' && c <= '9') {
        t.kind = EMB_OTHER;
        while (is_name(char_at(python_lexer, python_lexer->at)))
            python_lexer->at++;
    } else {
        t.kind = (uint8_t)(is_name(c) ? name_or_string(python_lexer) : read_punctuation(python_lexer));
    }
    t.n = python_lexer->at - t.at;
    return t;
}

struct emb_tokens emb_python_tokens(struct cw_arena *a, cw_str text) {
    struct emb_tokens out = {0};
    struct python_lexer l = {.text = text};
    for (struct emb_token t; out.n < EMB_MAX_TOKENS && (t = next_token(&l)).kind != EMB_END;)
        cw_vec_push(a, &out, t);
    return out;
}

/* ---- values ---- */

struct python_string {
    uint32_t at, end; /* between the quotes */
    bool is_raw, is_formatted;
};

static struct python_string parts_of(cw_str text, struct emb_token emb_token) {
    struct python_lexer l = {.text = {text.at, emb_token.at + emb_token.n}, .at = emb_token.at};
    struct python_string s = {0};
    for (; is_name(char_at(&l, l.at)); l.at++) {
        s.is_raw |= (text.at[l.at] | 0x20) == 'r';
        s.is_formatted |= strchr("fFtT", text.at[l.at]) != NULL;
    }
    uint32_t quotes = quotes_at(&l, l.at);
    s.at = l.at + quotes;
    s.end = emb_token.at + emb_token.n;
    bool is_closed = s.end >= s.at + quotes && text.at[s.end - 1] == text.at[l.at];
    if (is_closed)
        s.end -= quotes;
    return s;
}

/* In strings that are not raw; anything unknown stays as it is written. */
static uint32_t decode_escape(struct emb_value *emb_value, cw_str text, uint32_t at, uint32_t end) {
    struct python_lexer l = {.text = {text.at, end}};
    uint32_t newline = newline_length(&l, at + 1);
    if (newline)
        return 1 + newline;
    uint32_t n = emb_common_escape(emb_value, text, at, end);
    if (!n)
        emb_add_plain(emb_value, text, at, 1);
    return n ? n : 1;
}

/* "{{" is one brace; a single one begins a field. */
static uint32_t decode_brace(struct emb_value *emb_value, cw_str text, uint32_t at, uint32_t end) {
    bool doubled = at + 1 < end && text.at[at + 1] == text.at[at];
    emb_value->has_fields |= !doubled && text.at[at] == '{';
    emb_add_escape(emb_value, text.at + at, 1, at, doubled ? 2 : 1);
    return doubled ? 2 : 1;
}

void emb_python_decode(struct emb_value *emb_value, cw_str text, struct emb_token emb_token) {
    struct python_string s = parts_of(text, emb_token);
    emb_value->is_formatted |= s.is_formatted;
    for (uint32_t at = s.at, from = s.at; at < s.end || from < s.end; from = at) {
        while (at < s.end && !(text.at[at] == '\\' && !s.is_raw) &&
               !(s.is_formatted && (text.at[at] == '{' || text.at[at] == '}')))
            at++;
        emb_add_plain(emb_value, text, from, at - from);
        if (at < s.end)
            at += text.at[at] == '\\' ? decode_escape(emb_value, text, at, s.end)
                                      : decode_brace(emb_value, text, at, s.end);
    }
}
