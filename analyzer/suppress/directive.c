#include "suppress/directive.h"

#include "base/suggest.h"

#include <string.h>

struct reading {
    struct cw_arena *arena;
    cw_str rest;
    struct cw_directive *out;
};

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static void skip(struct reading *r, size_t n) {
    r->rest = (cw_str){r->rest.at + n, r->rest.n - n};
}

static void skip_blanks(struct reading *r) {
    while (r->rest.n && (r->rest.at[0] == ' ' || r->rest.at[0] == '\t'))
        skip(r, 1);
}

static cw_str take_name(struct reading *r) {
    size_t n = 0;
    while (n < r->rest.n && is_name(r->rest.at[n]))
        n++;
    cw_str name = {r->rest.at, n};
    skip(r, n);
    return name;
}

static bool take(struct reading *r, char c) {
    skip_blanks(r);
    if (!r->rest.n || r->rest.at[0] != c)
        return false;
    skip(r, 1);
    return true;
}

static void malformed(struct reading *r, const char *why) {
    r->out->kind = CW_DIRECTIVE_MALFORMED;
    r->out->names.n = 0;
    r->out->wrong = why;
}

/* The end of the line, or a further comment in it. */
static cw_str one_line(cw_str s) {
    for (size_t i = 0; i < s.n; i++) {
        bool ends = s.at[i] == '\n' || s.at[i] == '\r';
        bool comments =
            i > 0 && i + 1 < s.n && s.at[i] == '/' && s.at[i + 1] == '/' && (s.at[i - 1] == ' ' || s.at[i - 1] == '\t');
        if (ends || comments)
            return cw_str_trim((cw_str){s.at, i});
    }
    return s;
}

/* Names with commas between, up to `close`. False when it is not closed or a name is missing. */
static bool take_names(struct reading *r, char close) {
    r->out->list.at = r->rest.at;
    for (;;) {
        skip_blanks(r);
        cw_str name = take_name(r);
        if (!name.n || r->out->names.n == CW_DIRECTIVE_MAX_NAMES)
            return false;
        cw_vec_push(r->arena, &r->out->names, name);
        if (take(r, ','))
            continue;
        skip_blanks(r);
        r->out->list.n = (size_t)(r->rest.at - r->out->list.at);
        return take(r, close);
    }
}

/* What may follow: nothing, or a reason. */
static void take_reason(struct reading *r, const char *word) {
    skip_blanks(r);
    if (!r->rest.n)
        return;
    if (!cw_str_starts(r->rest, "--"))
        malformed(r, cw_arena_printf(r->arena, "after '%s[…]' comes nothing, or '-- ' and the reason", word));
    else
        r->out->reason = cw_str_trim((cw_str){r->rest.at + 2, r->rest.n - 2});
}

static void suppression(struct reading *r, enum cw_directive_kind kind, const char *word) {
    r->out->kind = kind;
    if (!take(r, '['))
        malformed(r, cw_arena_printf(r->arena, "'%s' needs the rules it is for: '%s[rule]'", word, word));
    else if (!take_names(r, ']'))
        malformed(r, cw_arena_printf(r->arena, "'%s[…]' wants names of rules or categories with commas between", word));
    else
        take_reason(r, word);
}

static void assumption(struct reading *r) {
    skip_blanks(r);
    cw_str what = take_name(r);
    if (cw_str_is(what, "converged")) {
        r->out->kind = CW_DIRECTIVE_ASSUME_CONVERGED;
    } else if (cw_str_is(what, "uniform")) {
        r->out->kind = CW_DIRECTIVE_ASSUME_UNIFORM;
        if (!take(r, '(') || !take_names(r, ')'))
            malformed(r, "'assume uniform(…)' wants names of variables with commas between");
    } else {
        malformed(r, "'assume' is followed by 'uniform(variable)' or 'converged'");
    }
    if (r->out->kind != CW_DIRECTIVE_MALFORMED)
        take_reason(r, "assume");
}

static const char *near_word(struct reading *r, cw_str word) {
    static const char *const words[] = {"ignore", "ignore-file", "off", "on", "assume", "launch"};
    return cw_suggest(cw_arena_strndup(r->arena, word.at, word.n), words, sizeof words / sizeof words[0]);
}

static void unknown_word(struct reading *r, cw_str word) {
    const char *text = cw_arena_strndup(r->arena, word.at, word.n), *near = near_word(r, word);
    if (near)
        malformed(r, cw_arena_printf(r->arena, "unknown directive '%s'; did you mean '%s'?", text, near));
    else
        malformed(r, word.n ? cw_arena_printf(r->arena, "unknown directive '%s'", text) : "an empty directive");
}

static void own(struct reading *r) {
    static const struct {
        const char *word;
        enum cw_directive_kind kind;
    } words[] = {{"ignore", CW_DIRECTIVE_IGNORE}, {"ignore-file", CW_DIRECTIVE_IGNORE_FILE},
                 {"off", CW_DIRECTIVE_OFF}, {"on", CW_DIRECTIVE_ON}};
    skip(r, strlen("cuwarp:"));
    skip_blanks(r);
    cw_str word = take_name(r);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cw_str_is(word, words[i].word)) {
            suppression(r, words[i].kind, words[i].word);
            return;
        }
    if (cw_str_is(word, "assume"))
        assumption(r);
    else if (cw_str_is(word, "launch"))
        r->out->kind = CW_DIRECTIVE_LAUNCH;
    else
        unknown_word(r, word);
}

/* "cuwarp-lint: ignore[…]" has the program's name in front. Other words after it are a remark about the program. */
static void long_name(struct reading *r) {
    skip(r, strlen("cuwarp-lint:"));
    skip_blanks(r);
    cw_str word = take_name(r);
    const char *near = word.n ? near_word(r, word) : NULL;
    if (near)
        malformed(r, cw_arena_printf(r->arena, "directives begin with 'cuwarp:': write 'cuwarp: %s'", near));
}

/* ---- NOLINT, as clang-tidy reads it ---- */

struct names { cw_str *at; uint32_t n, cap; };

static enum cw_directive_kind nolint_kind(cw_str word) {
    return cw_str_is(word, "NOLINT")           ? CW_DIRECTIVE_NOLINT
           : cw_str_is(word, "NOLINTNEXTLINE") ? CW_DIRECTIVE_NOLINT_NEXT_LINE
           : cw_str_is(word, "NOLINTBEGIN")    ? CW_DIRECTIVE_NOLINT_BEGIN
           : cw_str_is(word, "NOLINTEND")      ? CW_DIRECTIVE_NOLINT_END
                                               : CW_DIRECTIVE_NONE;
}

static bool nolint_names(struct reading *r, struct names *others) {
    static const char prefix[] = "cuwarp-";
    size_t close = 0;
    while (close < r->rest.n && r->rest.at[close] != ')')
        close++;
    if (close == r->rest.n)
        return false;
    cw_str list = r->out->list = (cw_str){r->rest.at, close};
    while (list.n) {
        const char *comma = memchr(list.at, ',', list.n);
        size_t n = comma ? (size_t)(comma - list.at) : list.n;
        cw_str name = cw_str_trim((cw_str){list.at, n});
        bool is_ours = cw_str_starts(name, prefix) && name.n >= sizeof prefix;
        if (is_ours && r->out->names.n < CW_DIRECTIVE_MAX_NAMES)
            cw_vec_push(r->arena, &r->out->names, ((cw_str){name.at + sizeof prefix - 1, name.n - sizeof prefix + 1}));
        else if (name.n)
            cw_vec_push(r->arena, others, name);
        n += comma != NULL;
        list = (cw_str){list.at + n, list.n - n};
    }
    return r->out->names.n > 0;
}

static void nolint(struct reading *r) {
    struct names others = {0};
    while (r->rest.n) {
        const char *at = memmem(r->rest.at, r->rest.n, "NOLINT", 6);
        if (!at)
            break;
        bool is_word = at == r->rest.at || !is_name(at[-1]);
        skip(r, (size_t)(at - r->rest.at));
        enum cw_directive_kind kind = nolint_kind(take_name(r));
        if (is_word && kind != CW_DIRECTIVE_NONE && r->rest.n && r->rest.at[0] == '(') {
            skip(r, 1);
            if (nolint_names(r, &others)) {
                r->out->kind = kind;
                r->out->others = others.n;
                return;
            }
        }
    }
    if (others.n)
        r->out->kind = CW_DIRECTIVE_NOLINT_OTHERS;
    for (uint32_t i = 0; i < others.n && i < CW_DIRECTIVE_MAX_NAMES; i++)
        cw_vec_push(r->arena, &r->out->names, others.at[i]);
}

struct cw_directive cw_directive_parse(struct cw_arena *a, cw_str comment) {
    struct cw_directive d = {0};
    struct reading r = {a, one_line(comment), &d};
    if (cw_str_starts(comment, "cuwarp:")) {
        own(&r);
    } else if (cw_str_starts(comment, "cuwarp-lint:")) {
        long_name(&r);
    } else {
        r.rest = comment;
        nolint(&r);
    }
    return d;
}

bool cw_directive_is_nolint(enum cw_directive_kind kind) {
    return kind >= CW_DIRECTIVE_NOLINT && kind <= CW_DIRECTIVE_NOLINT_END;
}

bool cw_directive_is_suppression(enum cw_directive_kind kind) {
    return kind >= CW_DIRECTIVE_IGNORE && kind <= CW_DIRECTIVE_NOLINT_END && kind != CW_DIRECTIVE_ON &&
           kind != CW_DIRECTIVE_NOLINT_END;
}
