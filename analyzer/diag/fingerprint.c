#include "diag/fingerprint.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "diag/diag_paths.h"
#include "source/lexer.h"

#include <string.h>

/* A statement is looked for in a window of this many bytes around the place, so that a file of one line stays cheap. */
enum { WINDOW_BYTES = 4096 };

static bool ends_statement(const char *text, struct cw_token token) {
    return token.kind == CW_TOKEN_PUNCT && token.n == 1 &&
           (text[token.at] == ';' || text[token.at] == '{' || text[token.at] == '}');
}

/* Beginning of the line that holds the window's first byte. */
static size_t window_start(const struct cw_source *source, size_t offset) {
    uint32_t line, col;
    cw_source_place(source, offset > WINDOW_BYTES ? offset - WINDOW_BYTES : 0, &line, &col);
    return cw_source_offset(source, line, 1);
}

/* The lexer, positioned behind the last statement end before `offset`. */
static struct cw_lexer statement_lexer(const struct cw_source *source, size_t from, size_t offset, size_t limit) {
    struct cw_lexer l, start;
    cw_lexer_init(&l, source->text + from, limit - from);
    start = l;
    for (struct cw_token t = cw_lexer_next(&l); t.kind != CW_TOKEN_END && from + t.at < offset; t = cw_lexer_next(&l))
        if (ends_statement(l.text, t))
            start = l;
    return start;
}

void cw_statement_tokens(const struct cw_source *source, size_t offset, struct cw_buf *out) {
    if (offset > source->size)
        return;
    size_t from = window_start(source, offset),
           limit = source->size - offset > WINDOW_BYTES ? offset + WINDOW_BYTES : source->size;
    struct cw_lexer l = statement_lexer(source, from, offset, limit);
    bool first = true;
    for (struct cw_token t = cw_lexer_next(&l); t.kind != CW_TOKEN_END; t = cw_lexer_next(&l)) {
        if (t.kind == CW_TOKEN_COMMENT)
            continue;
        if (from + t.at >= offset && ends_statement(l.text, t))
            return;
        if (!first)
            cw_buf_putc(out, ' ');
        cw_buf_add(out, l.text + t.at, t.n);
        first = false;
    }
}

/* The innermost function by its name without template arguments: all instantiations share a fingerprint. */
static cw_str function_of(const struct cw_finding *finding) {
    const char *name = finding->inlined_at.n ? finding->inlined_at.at[0].text : finding->kernel;
    cw_str s = cw_str_of(name);
    const char *angle = memchr(s.at, '<', s.n);
    if (angle && angle > s.at)
        s.n = (size_t)(angle - s.at);
    return s;
}

static uint64_t key_hash(struct cw_arena *a, const struct cw_finding *finding, const struct cw_source *source) {
    struct cw_buf key = {0};
    cw_str function = function_of(finding);
    cw_buf_printf(&key, "%s\n%s\n", finding->rule,
                  finding->place.file ? cw_repository_path(a, finding->place.file) : "");
    cw_buf_add(&key, function.at, function.n);
    cw_buf_putc(&key, '\n');
    if (source)
        cw_statement_tokens(source, cw_source_offset(source, finding->place.line, finding->place.col), &key);
    uint64_t hash = cw_hash(key.at, key.n, 0);
    cw_buf_free(&key);
    return hash;
}

void cw_findings_fingerprint(struct cw_arena *a, struct cw_finding *at, uint32_t n, cw_source_of_file *source_of,
                             void *ctx) {
    struct cw_map seen;
    cw_map_init(&seen, a);
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_source *source = at[i].place.file ? source_of(ctx, at[i].place.file) : NULL;
        uint64_t hash = key_hash(a, &at[i], source), ordinal = 0;
        cw_map_get(&seen, hash, &ordinal);
        cw_map_put(&seen, hash, ordinal + 1);
        uint64_t named = cw_hash(&ordinal, sizeof ordinal, hash);
        at[i].fingerprint = cw_arena_printf(a, "%016llx", (unsigned long long)named);
    }
}
