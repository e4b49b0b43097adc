#include "engine/later_archs.h"

#include "source/branches.h"
#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MACROS = 64, MAX_REACHED = 512, MIN_NUMBER = 500, MAX_NUMBER = 2000, MAX_AROUND = 64 };

/* A macro that is defined for an architecture and later ones. */
struct late_macro {
    const char *name;
    uint32_t arch;
};

struct cw_late_macros {
    struct late_macro *at;
    uint32_t n, cap;
    CW_VEC(struct late_macro) numbers; /* macros that are such a number: #define MIN_ARCH 900 */
};

static uint32_t highest_arch(const struct cw_unit *unit) {
    uint32_t high = 0;
    for (uint32_t i = 0; i < unit->options->narchs; i++)
        high = unit->options->archs[i] > high ? unit->options->archs[i] : high;
    return high;
}

/* ---- one condition ---- */

/* What a condition asks of the architecture: at least `from`, or below `below`; 0: nothing. `decides`: it is a
 * conjunction, so that it does not hold when one part does not. */
struct demand {
    uint32_t from, below;
    bool decides;
};

static uint32_t macro_arch(const struct cw_late_macros *late_macros, cw_str name) {
    for (uint32_t i = 0; i < late_macros->n; i++)
        if (cw_str_is(name, late_macros->at[i].name))
            return late_macros->at[i].arch;
    return 0;
}

static uint32_t number_of(const struct cw_late_macros *late_macros, const char *text, struct cw_token token) {
    cw_str word = {text + token.at, token.n};
    for (uint32_t i = 0; i < late_macros->numbers.n && token.kind == CW_TOKEN_NAME; i++)
        if (cw_str_is(word, late_macros->numbers.at[i].name))
            return late_macros->numbers.at[i].arch;
    return token.kind == CW_TOKEN_NUMBER ? (uint32_t)strtoul(word.at, NULL, 10) / 10 : 0;
}

/* The operator behind __CUDA_ARCH__ and its number. */
static void take_comparison(const struct cw_late_macros *late_macros, struct demand *demand, const char *text,
                            struct cw_lexer *lexer) {
    struct cw_token op = cw_lexer_next(lexer), t = cw_lexer_next(lexer);
    cw_str sign = {text + op.at, op.n};
    bool or_equal = op.n == 2 && sign.at[1] == '=';
    if (op.n == 1 && t.kind == CW_TOKEN_PUNCT && text[t.at] == '=') { /* '>' always comes singly */
        or_equal = true;
        t = cw_lexer_next(lexer);
    }
    uint32_t arch = number_of(late_macros, text, t);
    if (!arch || !op.n)
        return;
    if (*sign.at == '=' && or_equal)
        demand->from = arch;
    else if (*sign.at == '>')
        demand->from = or_equal ? arch : arch + 1;
    else if (*sign.at == '<')
        demand->below = or_equal ? arch + 1 : arch;
}

static bool next_is(const char *text, struct cw_lexer *lexer, const char *word) {
    struct cw_token t = cw_lexer_next(lexer);
    return t.kind != CW_TOKEN_END && cw_str_is((cw_str){text + t.at, t.n}, word);
}

/* Behind a "!": what must not be defined, "defined(NAME)", "defined NAME" or "NAME". Empty: something else. */
static cw_str read_negated(const char *text, struct cw_lexer *lexer) {
    struct cw_lexer l = *lexer;
    struct cw_token t = cw_lexer_next(&l);
    bool is_defined = t.kind == CW_TOKEN_NAME && cw_str_is((cw_str){text + t.at, t.n}, "defined"), is_closed = true;
    if (is_defined)
        t = cw_lexer_next(&l);
    if (is_defined && t.kind == CW_TOKEN_PUNCT && text[t.at] == '(') {
        t = cw_lexer_next(&l);
        is_closed = next_is(text, &l, ")");
    }
    if (t.kind != CW_TOKEN_NAME || !is_closed)
        return (cw_str){0};
    *lexer = l;
    return (cw_str){text + t.at, t.n};
}

/* Is the operator one that makes the name before or behind it a comparison? */
static bool is_comparison(const char *text, struct cw_token op) {
    cw_str sign = {text + op.at, op.n};
    return op.kind == CW_TOKEN_PUNCT && strchr("<>=", *sign.at);
}

static struct demand read_condition(const struct cw_late_macros *late_macros, cw_str condition) {
    struct demand d = {.decides = true};
    uint32_t alternatives = 0, never = 0;
    struct cw_lexer l;
    struct cw_token t, before = {0};
    cw_lexer_init(&l, condition.at, condition.n);
    for (; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END; before = t) {
        cw_str word = {condition.at + t.at, t.n};
        bool is_defined = before.n && cw_str_is((cw_str){condition.at + before.at, before.n}, "defined");
        if (cw_str_is(word, "|")) { /* '||' comes as two */
            d.decides &= next_is(condition.at, &l, "|");
            alternatives++;
        } else if (cw_str_is(word, "!")) {
            cw_str name = read_negated(condition.at, &l);
            uint32_t arch = macro_arch(late_macros, name);
            d.decides &= name.n > 0;
            d.below = arch ? arch : d.below;
            never += cw_str_is(name, "__CUDA_ARCH__"); /* in device code it is defined */
        } else if (t.kind == CW_TOKEN_NAME && cw_str_is(word, "__CUDA_ARCH__") && !is_defined) {
            struct cw_lexer ahead = l;
            struct cw_token next = cw_lexer_next(&ahead);
            if (is_comparison(condition.at, next))
                take_comparison(late_macros, &d, condition.at, &l);
        } else if (t.kind == CW_TOKEN_NAME && macro_arch(late_macros, word) > d.from)
            d.from = macro_arch(late_macros, word);
    }
    d.decides &= alternatives <= never;
    return d;
}

/* The architecture that this branch alone needs; 0: nothing that is known. */
static uint32_t arch_of(const struct cw_late_macros *late_macros, const struct cw_branches *branches,
                        const struct cw_branch *one) {
    if (cw_str_is(one->word, "if") || cw_str_is(one->word, "ifdef") || cw_str_is(one->word, "elif")) {
        struct demand d = read_condition(late_macros, one->condition);
        return d.decides ? d.from : 0;
    }
    if (!cw_str_is(one->word, "else") || !one->before || branches->at[one->before - 1].before)
        return 0;
    const struct cw_branch *first = &branches->at[one->before - 1];
    struct demand d = read_condition(late_macros, first->condition);
    if (cw_str_is(first->word, "ifndef"))
        return d.from;
    return d.decides ? d.below : 0;
}

/* The architecture from which on the text differs here: the branch needs it, or is left out from then on. */
static uint32_t threshold_of(const struct cw_late_macros *late_macros, const struct cw_branches *branches,
                             const struct cw_branch *one) {
    uint32_t needs = arch_of(late_macros, branches, one);
    if (needs || (!cw_str_is(one->word, "if") && !cw_str_is(one->word, "elif")))
        return needs;
    struct demand d = read_condition(late_macros, one->condition);
    return d.decides ? d.below : 0;
}

/* ---- one file ---- */

static bool has_code(const char *text, const struct cw_branch *branch) {
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, text + branch->from, branch->to - branch->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END)
        if (!t.in_directive && t.kind != CW_TOKEN_COMMENT)
            return true;
    return false;
}

static void add_macro(struct cw_unit *unit, struct cw_late_macros *out, cw_str name, uint32_t arch) {
    if (out->n < MAX_MACROS && !macro_arch(out, name))
        cw_vec_push(unit->arena, out, ((struct late_macro){cw_arena_strndup(unit->arena, name.at, name.n), arch}));
}

static void collect_in_branch(struct cw_unit *unit, struct cw_late_macros *out, const char *text,
                              const struct cw_branch *branch, uint32_t arch) {
    struct cw_lexer l;
    struct cw_token t;
    bool is_define = false;
    cw_lexer_init(&l, text + branch->from, branch->to - branch->from);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        if (is_define && t.kind == CW_TOKEN_NAME)
            add_macro(unit, out, (cw_str){text + branch->from + t.at, t.n}, arch);
        is_define = t.kind == CW_TOKEN_DIRECTIVE && cw_str_is(cw_token_directive(text + branch->from, t), "define");
    }
}

/* #define NAME 900 */
static void collect_numbers(struct cw_unit *unit, struct cw_late_macros *out, const struct cw_source *source) {
    struct cw_lexer l;
    struct cw_token t, name = {0};
    cw_lexer_init(&l, source->text, source->size);
    for (int state = 0; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END && out->numbers.n < MAX_MACROS;) {
        uint32_t value = state == 2 && t.kind == CW_TOKEN_NUMBER ? (uint32_t)strtoul(source->text + t.at, NULL, 10) : 0;
        if (value >= MIN_NUMBER && value <= MAX_NUMBER && value % 10 == 0)
            cw_vec_push(
                unit->arena, &out->numbers,
                ((struct late_macro){cw_arena_strndup(unit->arena, source->text + name.at, name.n), value / 10}));
        bool is_define = t.kind == CW_TOKEN_DIRECTIVE && cw_str_is(cw_token_directive(source->text, t), "define");
        state = is_define ? 1 : state == 1 && t.kind == CW_TOKEN_NAME ? 2 : 0;
        if (state == 2)
            name = t;
    }
}

static void collect_in_file(struct cw_unit *unit, struct cw_late_macros *out, const struct cw_source *source,
                            uint32_t high) {
    if (!memmem(source->text, source->size, "__CUDA_ARCH__", strlen("__CUDA_ARCH__")))
        return;
    struct cw_branches b = cw_branches_read(unit->arena, source->text, source->size);
    for (uint32_t i = 0; i < b.n; i++) {
        uint32_t arch = arch_of(out, &b, &b.at[i]);
        if (arch > high)
            collect_in_branch(unit, out, source->text, &b.at[i], arch);
    }
}

static const struct cw_source *source_of(struct cw_unit *unit, uint32_t file) {
    return file < unit->module->files.n && !unit->string
               ? cw_sources_get(unit->sources, unit->module->files.at[file], NULL)
               : NULL;
}

static const struct cw_late_macros *late_macros(struct cw_unit *unit, uint32_t high) {
    if (unit->late_macros)
        return unit->late_macros;
    struct cw_late_macros *out = CW_NEW(unit->arena, struct cw_late_macros);
    for (uint32_t i = unit->module->files.n; i-- > 0;) {
        const struct cw_source *s = source_of(unit, i);
        if (s && !unit->string)
            collect_numbers(unit, out, s);
    }
    for (uint32_t i = unit->module->files.n; i-- > 0;) { /* headers come before what includes them */
        const struct cw_source *s = source_of(unit, i);
        if (s)
            collect_in_file(unit, out, s, high);
    }
    unit->late_macros = out;
    return out;
}

/* In the lines of one function. */
static uint32_t later_in(struct cw_unit *unit, const struct cw_fn *fn, uint32_t high) {
    const struct cw_source *s = source_of(unit, fn->span.file);
    uint32_t lowest = 0;
    if (!s || !fn->span.line)
        return 0;
    const struct cw_branches *b = cw_unit_branches(unit, unit->module->files.at[fn->span.file], s);
    uint32_t from = (uint32_t)cw_source_offset(s, fn->span.line, fn->span.col);
    uint32_t to = (uint32_t)cw_source_offset(s, fn->span.end_line, fn->span.end_col);
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->at[i].from < from || b->at[i].to > to)
            continue;
        uint32_t arch = threshold_of(late_macros(unit, high), b, &b->at[i]);
        if (arch > high && (!lowest || arch < lowest) && has_code(s->text, &b->at[i]))
            lowest = arch;
    }
    return lowest;
}

uint32_t cw_later_arch_of(struct cw_unit *unit, const struct cw_fn *kernel) {
    uint32_t high = highest_arch(unit), lowest = later_in(unit, kernel, high);
    struct cw_fn_list reached = {0};
    struct cw_map seen;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    cw_map_init(&seen, &scratch);
    cw_module_reach(unit->module, kernel, &seen, &reached, &scratch);
    for (uint32_t i = 0; i < reached.n && i < MAX_REACHED; i++) {
        uint32_t arch = later_in(unit, reached.at[i], high);
        lowest = arch && (!lowest || arch < lowest) ? arch : lowest;
    }
    cw_arena_free(&scratch);
    return lowest;
}

void cw_later_arch_of_lost(struct cw_unit *unit, struct cw_span name) {
    uint32_t high = highest_arch(unit), needed = 0;
    const struct cw_source *s = unit->adds_archs ? source_of(unit, 0) : NULL;
    if (!s)
        return;
    const struct cw_branches *b = cw_unit_branches(unit, unit->module->files.at[0], s);
    uint32_t at = cw_branch_at(b, (uint32_t)cw_source_offset(s, name.line, name.col));
    for (uint32_t i = 0; at && i < MAX_AROUND; i++, at = b->at[at - 1].outer) {
        uint32_t arch = arch_of(late_macros(unit, high), b, &b->at[at - 1]);
        needed = arch > needed ? arch : needed;
    }
    if (needed > high && (!unit->later_arch || needed < unit->later_arch))
        unit->later_arch = needed;
}
