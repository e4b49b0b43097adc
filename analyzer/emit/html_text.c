/* Source text for the page: escaping, and which words have which colour. */
#include "emit/html_parts.h"

#include "emit/xml.h"
#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* Characters that show something else than the file says: controls of direction and invisible ones (CVE-2021-42574). */
static bool is_deceptive(uint32_t code) {
    return code != '\t' && code != 0xfffd && cw_is_unprintable(code);
}

void cw_html_text(struct cw_buf *out, cw_str text) {
    uint32_t code, n;
    for (cw_str s = text; (n = cw_utf8_decode(s, &code)); s = (cw_str){s.at + n, s.n - n}) {
        if (is_deceptive(code))
            cw_buf_printf(out, "<b class=\"odd\">U+%04X</b>", code);
        else
            cw_xml_add(out, (cw_str){s.at, n});
    }
}

static int compare_word(const void *key, const void *item) {
    const cw_str *word = key;
    const char *other = *(const char *const *)item;
    int order = strncmp(word->at, other, word->n);
    return order ? order : -(int)(other[word->n] != '\0');
}

static bool is_in(cw_str word, const char *const *sorted, size_t n) {
    return bsearch(&word, sorted, n, sizeof *sorted, compare_word) != NULL;
}
#define IS_IN(word, list) is_in(word, list, sizeof(list) / sizeof(list)[0])

static char letter_of_name(cw_str word) {
    static const char *const keywords[] = {
        "auto",     "bool",      "break",  "case",     "char",     "class",   "const",    "constexpr",
        "continue", "default",   "delete", "do",       "double",   "else",    "enum",     "extern",
        "false",    "float",     "for",    "goto",     "half",     "if",      "inline",   "int",
        "long",     "namespace", "new",    "nullptr",  "operator", "private", "public",   "return",
        "short",    "signed",    "sizeof", "static",   "struct",   "switch",  "template", "this",
        "true",     "typename",  "union",  "unsigned", "using",    "void",    "volatile", "while"};
    static const char *const gpu[] = {"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"};
    if ((word.n > 2 && !memcmp(word.at, "__", 2)) || IS_IN(word, gpu))
        return 'g';
    return IS_IN(word, keywords) ? 'k' : 0;
}

static char letter_of(const char *text, struct cw_token token) {
    switch (token.kind) {
    case CW_TOKEN_COMMENT:
        return 'c';
    case CW_TOKEN_STRING:
    case CW_TOKEN_CHAR:
    case CW_TOKEN_HEADER:
        return 's';
    case CW_TOKEN_NUMBER:
        return 'n';
    case CW_TOKEN_DIRECTIVE:
        return 'p';
    case CW_TOKEN_NAME:
        return letter_of_name((cw_str){text + token.at, token.n});
    default:
        return 0;
    }
}

/* Findings come sorted by file, so the last file's colours are all that is worth keeping. */
const char *cw_paint_of(struct cw_paint *paint, const struct cw_source *source) {
    struct cw_lexer l;
    if (paint->source == source)
        return paint->letters;
    char *letters = cw_arena_alloc(paint->arena, source->size + 1);
    memset(letters, 0, source->size + 1);
    cw_lexer_init(&l, source->text, source->size);
    for (struct cw_token t = cw_lexer_next(&l); t.kind != CW_TOKEN_END; t = cw_lexer_next(&l))
        memset(letters + t.at, letter_of(source->text, t), t.n);
    paint->source = source;
    paint->letters = letters;
    return letters;
}
