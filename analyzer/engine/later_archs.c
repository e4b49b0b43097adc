#include "engine/later_archs.h"

#include "source/branches.h"
#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MACROS = 64, MAX_REACHED = 512 };

/* A macro that is defined for an architecture and later ones. */
struct late_macro {
    const char *name;
    uint32_t arch;
};

struct cw_late_macros {
    struct late_macro *at;
    uint32_t n, cap;
};

static uint32_t highest_arch(const struct cw_unit *u) {
    uint32_t high = 0;
    for (uint32_t i = 0; i < u->options->narchs; i++)
        high = u->options->archs[i] > high ? u->options->archs[i] : high;
    return high;
}

/* ---- one condition ---- */

/* What a condition asks of the architecture: at least `from`, or below `below`; 0: nothing. `decides`: it is a
 * conjunction, so that it does not hold when one part does not. */
struct demand {
    uint32_t from, below;
    bool decides;
};

static uint32_t macro_arch(const struct cw_late_macros *m, cw_str name) {
    for (uint32_t i = 0; i < m->n; i++)
        if (cw_str_is(name, m->at[i].name))
            return m->at[i].arch;
    return 0;
}

/* The operator behind __CUDA_ARCH__ and its number. */
static void take_comparison(struct demand *d, const char *text, struct cw_lexer *l) {
    struct cw_token op = cw_lexer_next(l), t = cw_lexer_next(l);
    cw_str sign = {text + op.at, op.n};
    bool or_equal = op.n == 2 && sign.at[1] == '=';
    if (op.n == 1 && t.kind == CW_TOKEN_PUNCT && text[t.at] == '=') { /* '>' always comes singly */
        or_equal = true;
        t = cw_lexer_next(l);
    }
    if (t.kind != CW_TOKEN_NUMBER || !op.n)
        return;
    uint32_t arch = (uint32_t)strtoul(text + t.at, NULL, 10) / 10;
    if (*sign.at == '>')
        d->from = or_equal ? arch : arch + 1;
    else if (*sign.at == '<')
        d->below = or_equal ? arch + 1 : arch;
}

static struct demand read_condition(const struct cw_late_macros *m, cw_str condition) {
    struct demand d = {.decides = true};
    struct cw_lexer l;
    struct cw_token t, before = {0};
    cw_lexer_init(&l, condition.at, condition.n);
    for (; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END; before = t) {
        cw_str word = {condition.at + t.at, t.n};
        bool is_defined = before.n && cw_str_is((cw_str){condition.at + before.at, before.n}, "defined");
        if (cw_str_is(word, "|") || cw_str_is(word, "||") || cw_str_is(word, "!"))
            d.decides = false;
        else if (t.kind == CW_TOKEN_NAME && cw_str_is(word, "__CUDA_ARCH__") && !is_defined) {
            struct cw_lexer ahead = l;
            struct cw_token next = cw_lexer_next(&ahead);
            if (next.kind == CW_TOKEN_PUNCT && strchr("<>", condition.at[next.at]))
                take_comparison(&d, condition.at, &l);
        } else if (t.kind == CW_TOKEN_NAME && macro_arch(m, word) > d.from)
            d.from = macro_arch(m, word);
    }
    return d;
}

/* The architecture that this branch alone needs; 0: nothing that is known. */
static uint32_t arch_of(const struct cw_late_macros *m, const struct cw_branches *b, const struct cw_branch *one) {
    if (cw_str_is(one->word, "if") || cw_str_is(one->word, "ifdef") || cw_str_is(one->word, "elif")) {
        struct demand d = read_condition(m, one->condition);
        return d.decides ? d.from : 0;
    }
    if (!cw_str_is(one->word, "else") || !one->before || b->at[one->before - 1].before)
        return 0;
    const struct cw_branch *first = &b->at[one->before - 1];
    struct demand d = read_condition(m, first->condition);
    if (cw_str_is(first->word, "ifndef"))
        return d.from;
    return d.decides ? d.below : 0;
}

/* The architecture from which on the text differs here: the branch needs it, or is left out from then on. */
static uint32_t threshold_of(const struct cw_late_macros *m, const struct cw_branches *b, const struct cw_branch *one) {
    uint32_t needs = arch_of(m, b, one);
    if (needs || (!cw_str_is(one->word, "if") && !cw_str_is(one->word, "elif")))
        return needs;
    struct demand d = read_condition(m, one->condition);
    return d.decides ? d.below : 0;
}

/* ---- one file ---- */

static bool has_code(const char *text, const struct cw_branch *b) {
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, text + b->from, b->to - b->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END)
        if (!t.in_directive && t.kind != CW_TOKEN_COMMENT)
            return true;
    return false;
}

static void add_macro(struct cw_unit *u, struct cw_late_macros *out, cw_str name, uint32_t arch) {
    if (out->n < MAX_MACROS && !macro_arch(out, name))
        cw_vec_push(u->arena, out, ((struct late_macro){cw_arena_strndup(u->arena, name.at, name.n), arch}));
}

static void collect_in_branch(struct cw_unit *u, struct cw_late_macros *out, const char *text,
                              const struct cw_branch *b, uint32_t arch) {
    struct cw_lexer l;
    struct cw_token t;
    bool is_define = false;
    cw_lexer_init(&l, text + b->from, b->to - b->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        if (is_define && t.kind == CW_TOKEN_NAME)
            add_macro(u, out, (cw_str){text + b->from + t.at, t.n}, arch);
        is_define = t.kind == CW_TOKEN_DIRECTIVE && cw_str_is(cw_token_directive(text + b->from, t), "define");
    }
}

static void collect_in_file(struct cw_unit *u, struct cw_late_macros *out, const struct cw_source *s, uint32_t high) {
    if (!memmem(s->text, s->size, "__CUDA_ARCH__", strlen("__CUDA_ARCH__")))
        return;
    struct cw_branches b = cw_branches_read(u->arena, s->text, s->size);
    for (uint32_t i = 0; i < b.n; i++) {
        uint32_t arch = arch_of(out, &b, &b.at[i]);
        if (arch > high)
            collect_in_branch(u, out, s->text, &b.at[i], arch);
    }
}

static const struct cw_source *source_of(struct cw_unit *u, uint32_t file) {
    return file < u->module->files.n && !u->string ? cw_sources_get(u->sources, u->module->files.at[file], NULL) : NULL;
}

static const struct cw_late_macros *late_macros(struct cw_unit *u, uint32_t high) {
    if (u->late_macros)
        return u->late_macros;
    struct cw_late_macros *out = CW_NEW(u->arena, struct cw_late_macros);
    for (uint32_t i = u->module->files.n; i-- > 0;) { /* headers come before what includes them */
        const struct cw_source *s = source_of(u, i);
        if (s)
            collect_in_file(u, out, s, high);
    }
    u->late_macros = out;
    return out;
}

/* In the lines of one function. */
static uint32_t later_in(struct cw_unit *u, const struct cw_fn *fn, uint32_t high) {
    const struct cw_source *s = source_of(u, fn->span.file);
    uint32_t lowest = 0;
    if (!s || !fn->span.line)
        return 0;
    const struct cw_branches *b = cw_unit_branches(u, u->module->files.at[fn->span.file], s);
    uint32_t from = (uint32_t)cw_source_offset(s, fn->span.line, fn->span.col);
    uint32_t to = (uint32_t)cw_source_offset(s, fn->span.end_line, fn->span.end_col);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->at[i].from < from || b->at[i].to > to)
            continue;
        uint32_t arch = threshold_of(late_macros(u, high), b, &b->at[i]);
        if (arch > high && (!lowest || arch < lowest) && has_code(s->text, &b->at[i]))
            lowest = arch;
    }
    return lowest;
}

uint32_t cw_later_arch_of(struct cw_unit *u, const struct cw_fn *kernel) {
    uint32_t high = highest_arch(u), lowest = 0;
    CW_VEC(const struct cw_fn *) open = {0};
    struct cw_map seen;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    cw_map_init(&seen, &scratch);
    cw_vec_push(&scratch, &open, kernel);
    for (uint32_t n = 0; n < open.n && n < MAX_REACHED; n++) {
        const struct cw_fn *fn = open.at[n];
        uint32_t arch = later_in(u, fn, high);
        lowest = arch && (!lowest || arch < lowest) ? arch : lowest;
        for (uint32_t i = 0; i < fn->callees.n; i++) {
            const struct cw_fn *callee = cw_module_find(u->module, fn->callees.at[i]);
            if (!callee || cw_map_get(&seen, (uint64_t)(uintptr_t)callee, NULL))
                continue;
            cw_map_put(&seen, (uint64_t)(uintptr_t)callee, 1);
            cw_vec_push(&scratch, &open, callee);
        }
    }
    cw_arena_free(&scratch);
    return lowest;
}
