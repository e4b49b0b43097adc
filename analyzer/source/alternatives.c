#include "source/alternatives.h"

#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BODY_NAMES = 64 };

static bool range_holds(const char *text, uint32_t from, uint32_t to, cw_token_test *is) {
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, text + from, to - from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END)
        if (t.kind != CW_TOKEN_COMMENT && is((cw_str){text + from + t.at, t.n}, t.kind))
            return true;
    return false;
}

bool cw_branches_sibling_holds(const struct cw_branches *branches, const char *text, uint32_t branch,
                               cw_token_test *is) {
    for (; branch; branch = branches->at[branch - 1].outer)
        for (uint32_t i = 0; i < branches->n; i++)
            if (i != branch - 1 && branches->at[i].conditional == branches->at[branch - 1].conditional &&
                range_holds(text, branches->at[i].from, branches->at[i].to, is))
                return true;
    return false;
}

/* ---- macros ---- */

/* Calls `visit` for each definition: the bytes of its body, and where it stands. Stops when `visit` returns true. */
struct definitions {
    const char *text;
    cw_str name;
    bool (*visit)(void *ctx, uint32_t from, uint32_t to);
    void *ctx;
};

static bool visit_definitions(const struct definitions *definitions, size_t size) {
    struct cw_lexer l;
    struct cw_token t;
    uint32_t from = 0, to = 0;
    bool is_define = false, in_body = false, found = false;
    cw_lexer_init(&l, definitions->text, size);
    do {
        t = cw_lexer_next(&l);
        bool ends = t.kind == CW_TOKEN_END || t.kind == CW_TOKEN_DIRECTIVE || !t.in_directive;
        if (in_body && ends)
            found = definitions->visit(definitions->ctx, from, to);
        else if (in_body)
            to = t.at + t.n;
        in_body &= !ends;
        cw_str token = {definitions->text + t.at, t.n};
        if (is_define && t.kind == CW_TOKEN_NAME && t.in_directive && cw_str_eq(token, definitions->name)) {
            in_body = true;
            from = to = t.at + t.n;
        }
        is_define = t.kind == CW_TOKEN_DIRECTIVE && cw_str_is(cw_token_directive(definitions->text, t), "define");
    } while (t.kind != CW_TOKEN_END && !found);
    return found;
}

static bool is_any(void *ctx, uint32_t from, uint32_t to) {
    (void)ctx;
    return from <= to;
}

bool cw_macro_is_defined(const char *text, size_t size, const char *name) {
    struct definitions d = {text, cw_str_of(name), is_any, NULL};
    return visit_definitions(&d, size);
}

struct other_body {
    const char *text;
    cw_str name;
};

/* Is the body anything but one name? Else the name is noted. */
static bool is_other_than_name(void *ctx, uint32_t from, uint32_t to) {
    struct other_body *other = ctx;
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, other->text + from, to - from);
    t = cw_lexer_next(&l);
    if (t.kind != CW_TOKEN_NAME || cw_lexer_next(&l).kind != CW_TOKEN_END)
        return true;
    other->name = (cw_str){other->text + from + t.at, t.n};
    return false;
}

cw_str cw_macro_other_name(const char *text, size_t size, const char *name) {
    struct other_body other = {.text = text};
    struct definitions d = {text, cw_str_of(name), is_other_than_name, &other};
    return visit_definitions(&d, size) ? (cw_str){0} : other.name;
}

struct number {
    const char *text;
    int64_t value;
};

static bool is_number(void *ctx, uint32_t from, uint32_t to) {
    const struct number *number = ctx;
    cw_str body = cw_str_trim((cw_str){number->text + from, to - from});
    char digits[32], *end;
    if (!body.n || body.n >= sizeof digits)
        return false;
    memcpy(digits, body.at, body.n);
    digits[body.n] = '\0';
    return strtoll(digits, &end, 0) == number->value && !*end;
}

bool cw_macro_is_defined_as(const char *text, size_t size, const char *name, int64_t value) {
    struct number number = {text, value};
    struct definitions d = {text, cw_str_of(name), is_number, &number};
    return visit_definitions(&d, size);
}

struct alternative {
    const char *text;
    struct cw_branches branches;
    cw_token_test *is;
};

static bool is_alternative(void *ctx, uint32_t from, uint32_t to) {
    const struct alternative *a = ctx;
    return range_holds(a->text, from, to, a->is) ||
           cw_branches_sibling_holds(&a->branches, a->text, cw_branch_at(&a->branches, from), a->is);
}

bool cw_macro_alternative_holds(struct cw_arena *a, const char *text, size_t size, const char *name,
                                cw_token_test *is) {
    if (!memmem(text, size, name, strlen(name)))
        return false;
    struct alternative ctx = {text, cw_branches_read(a, text, size), is};
    struct definitions d = {text, cw_str_of(name), is_alternative, &ctx};
    return visit_definitions(&d, size);
}

struct body_names {
    struct cw_arena *arena;
    const char *text;
    struct cw_name_list *out;
};

static bool has_name(const struct cw_name_list *list, cw_str name) {
    for (uint32_t i = 0; i < list->n; i++)
        if (cw_str_is(name, list->at[i]))
            return true;
    return false;
}

static bool collect_names(void *ctx, uint32_t from, uint32_t to) {
    const struct body_names *c = ctx;
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, c->text + from, to - from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        cw_str name = {c->text + from + t.at, t.n};
        if (t.kind == CW_TOKEN_NAME && c->out->n < MAX_BODY_NAMES && !has_name(c->out, name))
            cw_vec_push(c->arena, c->out, (const char *)cw_arena_strndup(c->arena, name.at, name.n));
    }
    return false;
}

void cw_macro_body_names(struct cw_arena *a, const char *text, size_t size, const char *name,
                         struct cw_name_list *out) {
    if (!memmem(text, size, name, strlen(name)))
        return;
    struct body_names ctx = {a, text, out};
    struct definitions d = {text, cw_str_of(name), collect_names, &ctx};
    visit_definitions(&d, size);
}
