/* A text without all but its device functions. */
#include "front/front.h"

#include "source/lexer.h"
#include "source/source.h"

#include <string.h>

/* Keeps the bytes [from, to) of the text that `copy` is made of. */
static void keep(char *copy, const char *text, size_t from, size_t to) {
    memcpy(copy + from, text + from, to - from);
}

/* Directives but for #include: the branches of the text stay as they are. */
static void keep_directives(char *copy, const char *text, size_t size) {
    struct cw_lexer lexer;
    bool is_include = false;
    cw_lexer_init(&lexer, text, size);
    for (struct cw_token token; (token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END;) {
        if (token.kind == CW_TOKEN_DIRECTIVE)
            is_include = cw_str_starts(cw_token_directive(text, token), "include");
        if (token.in_directive && !is_include)
            keep(copy, text, token.at, token.at + token.n);
    }
}

char *cw_scan_device_text(struct cw_arena *arena, const struct cw_scan *scan, const char *text, size_t size) {
    char *copy = cw_arena_strndup(arena, text, size);
    const struct cw_source *source = cw_source_of_text(arena, "", text, size);
    for (size_t i = 0; i < size; i++) {
        bool goes_on = text[i] == '\\' && i + 1 < size && text[i + 1] == '\n'; /* the line of a macro */
        if (text[i] != '\n' && !goes_on)
            copy[i] = ' ';
    }
    keep_directives(copy, text, size);
    for (uint32_t i = 0; i < scan->functions.n; i++) {
        struct cw_span span = scan->functions.at[i].span;
        keep(copy, text, cw_source_offset(source, span.line, span.col),
             cw_source_offset(source, span.end_line, span.end_col));
    }
    return copy;
}
