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

static void skip_bytes(struct reading *reading, size_t n) {
    reading->rest = (cw_str){reading->rest.at + n, reading->rest.n - n};
}

static void skip_blanks(struct reading *reading) {
    while (reading->rest.n && (reading->rest.at[0] == ' ' || reading->rest.at[0] == '\t'))
        skip_bytes(reading, 1);
}

static cw_str take_name(struct reading *reading) {
    size_t n = 0;
    while (n < reading->rest.n && is_name(reading->rest.at[n]))
        n++;
    cw_str name = {reading->rest.at, n};
    skip_bytes(reading, n);
    return name;
}

static bool take_char(struct reading *reading, char c) {
    skip_blanks(reading);
    if (!reading->rest.n || reading->rest.at[0] != c)
        return false;
    skip_bytes(reading, 1);
    return true;
}

static void set_malformed(struct reading *reading, const char *why) {
    reading->out->kind = CW_DIRECTIVE_MALFORMED;
    reading->out->names.n = 0;
    reading->out->wrong = why;
}

/* The end of the line, or a further comment in it. */
static cw_str one_line(cw_str text) {
    for (size_t i = 0; i < text.n; i++) {
        bool ends = text.at[i] == '\n' || text.at[i] == '\r';
        bool comments = i > 0 && i + 1 < text.n && text.at[i] == '/' && text.at[i + 1] == '/' &&
                        (text.at[i - 1] == ' ' || text.at[i - 1] == '\t');
        if (ends || comments)
            return cw_str_trim((cw_str){text.at, i});
    }
    return text;
}

/* Names with commas between, up to `close`. False when it is not closed or a name is missing. */
static bool take_names(struct reading *reading, char close) {
    reading->out->list.at = reading->rest.at;
    for (;;) {
        skip_blanks(reading);
        cw_str name = take_name(reading);
        if (!name.n || reading->out->names.n == CW_DIRECTIVE_MAX_NAMES)
            return false;
        cw_vec_push(reading->arena, &reading->out->names, name);
        if (take_char(reading, ','))
            continue;
        skip_blanks(reading);
        reading->out->list.n = (size_t)(reading->rest.at - reading->out->list.at);
        return take_char(reading, close);
    }
}

/* What may follow: nothing, or a reason. */
static void take_reason(struct reading *reading, const char *word) {
    skip_blanks(reading);
    if (!reading->rest.n)
        return;
    if (!cw_str_starts(reading->rest, "--"))
        set_malformed(reading,
                      cw_arena_printf(reading->arena, "unexpected text after '%s[…]' (a reason starts with '-- ')",
                                      word));
    else
        reading->out->reason = cw_str_trim((cw_str){reading->rest.at + 2, reading->rest.n - 2});
}

static void read_suppression(struct reading *reading, enum cw_directive_kind kind, const char *word) {
    reading->out->kind = kind;
    if (!take_char(reading, '['))
        set_malformed(reading,
                      cw_arena_printf(reading->arena, "'%s' needs the rules it is for: '%s[rule]'", word, word));
    else if (!take_names(reading, ']'))
        set_malformed(reading, cw_arena_printf(reading->arena,
                                               "'%s[…]': expected a comma-separated list of rules or categories",
                                               word));
    else
        take_reason(reading, word);
}

static void read_assumption(struct reading *reading) {
    skip_blanks(reading);
    cw_str what = take_name(reading);
    if (cw_str_is(what, "converged")) {
        reading->out->kind = CW_DIRECTIVE_ASSUME_CONVERGED;
    } else if (cw_str_is(what, "uniform")) {
        reading->out->kind = CW_DIRECTIVE_ASSUME_UNIFORM;
        if (!take_char(reading, '(') || !take_names(reading, ')'))
            set_malformed(reading, "'assume uniform(…)': expected a comma-separated list of variables");
    } else {
        set_malformed(reading, "'assume' is followed by 'uniform(variable)' or 'converged'");
    }
    if (reading->out->kind != CW_DIRECTIVE_MALFORMED)
        take_reason(reading, "assume");
}

/* Also what linters of other languages call it. */
static const char *near_word(struct reading *reading, cw_str word) {
    static const char *const words[] = {"ignore", "ignore-file", "off", "on", "assume", "launch"};
    static const char *const others[] = {"disable",      "disable-line", "disable-next-line", "suppress",
                                         "allow",        "nolint",       "NOLINT",            "noqa",
                                         "NOLINTNEXTLINE"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (cw_str_is(word, others[i]))
            return "ignore";
    return cw_suggest(cw_arena_strndup(reading->arena, word.at, word.n), words, sizeof words / sizeof words[0]);
}

static void unknown_word(struct reading *reading, cw_str word) {
    const char *text = cw_arena_strndup(reading->arena, word.at, word.n), *near = near_word(reading, word);
    if (near)
        set_malformed(reading,
                      cw_arena_printf(reading->arena, "unknown directive '%s'; did you mean '%s'?", text, near));
    else
        set_malformed(reading,
                      word.n ? cw_arena_printf(reading->arena, "unknown directive '%s'", text) : "an empty directive");
}

static void read_own(struct reading *reading) {
    static const struct {
        const char *word;
        enum cw_directive_kind kind;
    } words[] = {{"ignore", CW_DIRECTIVE_IGNORE}, {"ignore-file", CW_DIRECTIVE_IGNORE_FILE},
                 {"off", CW_DIRECTIVE_OFF}, {"on", CW_DIRECTIVE_ON}};
    skip_bytes(reading, strlen("cuwarp:"));
    skip_blanks(reading);
    cw_str word = take_name(reading);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (cw_str_is(word, words[i].word)) {
            read_suppression(reading, words[i].kind, words[i].word);
            return;
        }
    if (cw_str_is(word, "assume"))
        read_assumption(reading);
    else if (cw_str_is(word, "launch"))
        reading->out->kind = CW_DIRECTIVE_LAUNCH;
    else
        unknown_word(reading, word);
}

/* "cuwarp-lint: ignore[…]" has the program's name in front. Other words after it are a remark about the program. */
static void long_name(struct reading *reading) {
    skip_bytes(reading, strlen("cuwarp-lint:"));
    skip_blanks(reading);
    cw_str word = take_name(reading);
    const char *near = word.n ? near_word(reading, word) : NULL;
    if (near)
        set_malformed(reading,
                      cw_arena_printf(reading->arena, "directives begin with 'cuwarp:': write 'cuwarp: %s'", near));
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

static bool nolint_names(struct reading *reading, struct names *others) {
    static const char prefix[] = "cuwarp-";
    size_t close = 0;
    while (close < reading->rest.n && reading->rest.at[close] != ')')
        close++;
    if (close == reading->rest.n)
        return false;
    cw_str list = reading->out->list = (cw_str){reading->rest.at, close};
    while (list.n) {
        const char *comma = memchr(list.at, ',', list.n);
        size_t n = comma ? (size_t)(comma - list.at) : list.n;
        cw_str name = cw_str_trim((cw_str){list.at, n});
        bool is_ours = cw_str_starts(name, prefix) && name.n >= sizeof prefix;
        if (is_ours && reading->out->names.n < CW_DIRECTIVE_MAX_NAMES)
            cw_vec_push(reading->arena, &reading->out->names,
                        ((cw_str){name.at + sizeof prefix - 1, name.n - sizeof prefix + 1}));
        else if (name.n)
            cw_vec_push(reading->arena, others, name);
        n += comma != NULL;
        list = (cw_str){list.at + n, list.n - n};
    }
    return reading->out->names.n > 0;
}

static void read_nolint(struct reading *reading) {
    struct names others = {0};
    while (reading->rest.n) {
        const char *at = memmem(reading->rest.at, reading->rest.n, "NOLINT", 6);
        if (!at)
            break;
        bool is_word = at == reading->rest.at || !is_name(at[-1]);
        skip_bytes(reading, (size_t)(at - reading->rest.at));
        enum cw_directive_kind kind = nolint_kind(take_name(reading));
        if (is_word && kind != CW_DIRECTIVE_NONE && reading->rest.n && reading->rest.at[0] == '(') {
            skip_bytes(reading, 1);
            if (nolint_names(reading, &others)) {
                reading->out->kind = kind;
                reading->out->others = others.n;
                return;
            }
        }
    }
    if (others.n)
        reading->out->kind = CW_DIRECTIVE_NOLINT_OTHERS;
    for (uint32_t i = 0; i < others.n && i < CW_DIRECTIVE_MAX_NAMES; i++)
        cw_vec_push(reading->arena, &reading->out->names, others.at[i]);
}

struct cw_directive cw_directive_parse(struct cw_arena *a, cw_str comment) {
    struct cw_directive d = {0};
    struct reading r = {a, one_line(comment), &d};
    if (cw_str_starts(comment, "cuwarp:")) {
        read_own(&r);
    } else if (cw_str_starts(comment, "cuwarp-lint:")) {
        long_name(&r);
    } else {
        r.rest = comment;
        read_nolint(&r);
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
