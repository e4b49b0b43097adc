/* Reads the declaration around a `__global__` or `__device__` by its tokens.
 *
 * The C++ grammar is not needed to tell a function definition from everything else that may carry these words: a head
 * is specifiers, types and attribute-like macros up to a name with a parameter list, and what follows the list decides.
 * Heads in text that does not parse, or that stands between preprocessor branches, read just as well. */
#include "front/ts/scan_internal.h"

#include <ctype.h>

enum { STEPS_MAX = 20000, BACK_MAX = 2000, CANDIDATES_MAX = 8, OPERATOR_TOKENS_MAX = 16 };

struct head {
    const struct scan_text *t;
    uint32_t i;     /* current token, never a DIRECTIVE */
    uint32_t steps; /* a bound on the work for one head */
    bool saw_type;
    uint32_t call_macro; /* NAME(…) that turned out not to be the declarator */
    uint32_t candidates[CANDIDATES_MAX], ncandidates; /* plain names: a type, or macros before one */
    struct scan_declaration d;
};

/* ---- moving ---- */

static uint32_t last_token(const struct scan_text *t) {
    return t->tokens.n - 1;
}

static bool directive_is(const struct scan_text *t, uint32_t i, const char *prefix) {
    struct cw_token token = {t->tokens.at[i].at, t->tokens.at[i].n, t->tokens.at[i].kind, true};
    return cw_str_starts(cw_token_directive(t->text, token), prefix);
}

/* From an #else or #elif to its #endif: the head goes on in the branch it began in. */
static uint32_t skip_to_endif(struct head *h, uint32_t i) {
    uint32_t depth = 0;
    for (i++; i < last_token(h->t) && h->steps < STEPS_MAX; i++, h->steps++) {
        if (h->t->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
            continue;
        if (directive_is(h->t, i, "if"))
            depth++;
        else if (directive_is(h->t, i, "endif") && depth-- == 0)
            return i;
    }
    return last_token(h->t);
}

static void move_to(struct head *h, uint32_t i) {
    while (h->t->tokens.at[i].kind == CW_TOKEN_DIRECTIVE) {
        if (directive_is(h->t, i, "el"))
            i = skip_to_endif(h, i);
        if (i < last_token(h->t))
            i++;
    }
    h->i = ++h->steps < STEPS_MAX ? i : last_token(h->t);
}

static void advance(struct head *h) {
    if (h->i < last_token(h->t))
        move_to(h, h->i + 1);
}

static bool at(const struct head *h, const char *text) {
    return scan_is(h->t, h->i, text);
}

static uint32_t word(const struct head *h) {
    return h->t->tokens.at[h->i].word;
}

static bool at_name(const struct head *h) {
    return h->t->tokens.at[h->i].kind == CW_TOKEN_NAME;
}

/* Over a bracketed group; false when it is never closed. */
static bool skip_group(struct head *h) {
    uint32_t close = h->t->match[h->i];
    if (close == SCAN_NONE || close < h->i)
        return false;
    move_to(h, close);
    advance(h);
    return true;
}

/* Over <…> when the current token opens template arguments; stays put when it does not look closed. */
static bool skip_angles(struct head *h) {
    uint32_t from = h->i, depth = 0;
    while (!at(h, ";") && !at(h, "{") && !at(h, "}") && h->i != last_token(h->t)) {
        if (at(h, "(") || at(h, "[")) {
            if (!skip_group(h))
                break;
            continue;
        }
        if (at(h, "<"))
            depth++;
        bool closing = at(h, ">") && --depth == 0;
        advance(h);
        if (closing)
            return true;
    }
    h->i = from;
    return false;
}

/* Over [[…]]. */
static bool skip_attribute(struct head *h) {
    return scan_is(h->t, h->i + 1, "[") && skip_group(h);
}

/* Over the operand of a requires clause: (…) or a concept, joined by && and ||. */
static void skip_requires(struct head *h) {
    advance(h);
    for (bool more = true; more;) {
        if (at(h, "("))
            skip_group(h);
        while (at_name(h) && !(word(h) & (SCAN_KERNEL | SCAN_DEVICE | SCAN_SPECIFIER | SCAN_TYPE))) {
            advance(h);
            if (at(h, "<") && !skip_angles(h))
                return;
            if (!at(h, "::"))
                break;
            advance(h);
        }
        more = at(h, "&") || at(h, "|");
        while (at(h, "&") || at(h, "|"))
            advance(h);
    }
}

/* ---- what follows a parameter list ---- */

enum step { GO_ON, DONE };

static enum step finish(struct head *h, enum scan_declaration_kind kind) {
    h->d.kind = kind;
    return DONE;
}

static enum step body(struct head *h) {
    h->d.body_open = h->i;
    h->d.body_close = h->t->match[h->i];
    return finish(h, SCAN_DEFINED_HERE);
}

static bool all_caps(const struct scan_text *t, uint32_t i) {
    cw_str name = scan_token_text(t, i);
    for (size_t k = 0; k < name.n; k++)
        if (islower((unsigned char)name.at[k]))
            return false;
    return true;
}

/* `: member(x), Base<T>{y} {` */
static enum step initialisers(struct head *h) {
    advance(h);
    while (at_name(h) || at(h, "::")) {
        bool angles = true;
        advance(h);
        if (at(h, "<"))
            angles = skip_angles(h);
        if (at_name(h) || at(h, "::"))
            continue;
        if (!angles || !(at(h, "(") || at(h, "{")) || !skip_group(h))
            break;
        while (at(h, "."))
            advance(h);
        if (at(h, "{"))
            return body(h);
        if (at(h, ","))
            advance(h);
    }
    return finish(h, SCAN_NOT_FUNCTION);
}

static enum step trailing_return(struct head *h) {
    while (!at(h, "{") && !at(h, ";") && !at(h, "=") && h->i != last_token(h->t))
        if (!((at(h, "(") || at(h, "[")) && skip_group(h)))
            advance(h);
    return GO_ON;
}

/* The NAME(…) before the current token was an attribute-like macro: the head goes on here. */
static enum step call_was_macro(struct head *h) {
    if (h->call_macro == SCAN_NONE)
        h->call_macro = h->d.name_first;
    h->d.name_first = SCAN_NONE;
    return DONE;
}

/* A name that is no specifier, after NAME(…): a macro behind the parameter list, or the rest of a head whose NAME(…)
 * was one itself. */
static enum step name_after_list(struct head *h) {
    uint32_t name = h->i;
    if (at(h, "requires")) {
        skip_requires(h);
        return GO_ON;
    }
    if ((word(h) & (SCAN_KERNEL | SCAN_DEVICE | SCAN_TYPE | SCAN_STATEMENT)) || at(h, "template") || at(h, "operator"))
        return call_was_macro(h);
    advance(h);
    if (at(h, "{") || at(h, ";"))
        return GO_ON;
    if (at(h, "(") && all_caps(h->t, name) && !all_caps(h->t, h->d.name_last) && skip_group(h))
        return GO_ON;
    h->i = name;
    return call_was_macro(h);
}

static enum step specifier_after_list(struct head *h) {
    bool call_like = word(h) & SCAN_CALL_LIKE;
    advance(h);
    if (call_like && at(h, "(") && !skip_group(h))
        return finish(h, SCAN_NOT_FUNCTION);
    return GO_ON;
}

static enum step after_list(struct head *h) {
    if (at(h, "{"))
        return body(h);
    if (at(h, ";") || at(h, ",") || at(h, "="))
        return finish(h, SCAN_DECLARED);
    if (at(h, ":"))
        return initialisers(h);
    if (at(h, "->"))
        return trailing_return(h);
    if (at(h, "&")) {
        advance(h);
        return GO_ON;
    }
    if (at(h, "(")) { /* NAME(x)(parameters): a macro makes the name */
        h->d.name_last = h->i - 1;
        return skip_group(h) ? GO_ON : finish(h, SCAN_NOT_FUNCTION);
    }
    if (at(h, "[") && skip_attribute(h))
        return GO_ON;
    if (!at_name(h))
        return finish(h, SCAN_NOT_FUNCTION);
    bool specifier = (word(h) & SCAN_SPECIFIER) && !(word(h) & (SCAN_KERNEL | SCAN_DEVICE));
    return specifier ? specifier_after_list(h) : name_after_list(h);
}

/* From the '(' of a parameter list, the name known. GO_ON when the list belonged to an attribute-like macro. */
static enum step declarator(struct head *h, uint32_t first, uint32_t last) {
    h->d.name_first = first;
    h->d.name_last = last;
    if (!skip_group(h))
        return finish(h, SCAN_NOT_FUNCTION);
    while (after_list(h) == GO_ON) {
    }
    return h->d.name_first == SCAN_NONE ? GO_ON : DONE;
}

/* ---- the head up to the parameter list ---- */

static enum step operator_name(struct head *h) {
    uint32_t first = h->i, last;
    advance(h);
    if (at(h, "("))
        advance(h);
    int tokens = 0;
    do {
        last = h->i;
        if (!(at(h, "<") && last > first + 1 && skip_angles(h)))
            advance(h);
    } while (!at(h, "(") && ++tokens < OPERATOR_TOKENS_MAX);
    return at(h, "(") ? declarator(h, first, last) : finish(h, SCAN_NOT_FUNCTION);
}

static void plain_name(struct head *h, uint32_t name, bool surely_type) {
    if (surely_type)
        h->saw_type = true;
    else if (h->ncandidates < CANDIDATES_MAX)
        h->candidates[h->ncandidates++] = name;
}

/* A::B<C>::d, then a parameter list, or it was a type or macro. */
static enum step qualified_name(struct head *h) {
    uint32_t first = h->i, last = h->i;
    bool simple = true;
    for (;;) {
        last = h->i;
        if (at(h, "operator"))
            return operator_name(h);
        if (at(h, "~")) {
            first = h->i;
            advance(h);
            last = h->i;
        } else {
            first = last;
        }
        advance(h);
        if (at(h, "<")) {
            simple = false;
            if (!skip_angles(h))
                return finish(h, SCAN_NOT_FUNCTION);
        }
        if (!at(h, "::"))
            break;
        simple = false;
        advance(h);
        if (!at_name(h) && !at(h, "~"))
            return GO_ON; /* A::* */
    }
    if (at(h, "("))
        return declarator(h, first, last);
    plain_name(h, last, !simple);
    return GO_ON;
}

static enum step type_word(struct head *h) {
    h->saw_type = true;
    bool elaborated = at(h, "struct") || at(h, "class") || at(h, "union") || at(h, "enum");
    bool call_like = word(h) & SCAN_CALL_LIKE;
    advance(h);
    if (call_like && at(h, "("))
        skip_group(h);
    else if (elaborated && at_name(h))
        advance(h);
    return GO_ON;
}

static enum step specifier_word(struct head *h) {
    bool call_like = word(h) & SCAN_CALL_LIKE;
    advance(h);
    if (call_like && at(h, "(") && !skip_group(h))
        return finish(h, SCAN_NOT_FUNCTION);
    if (h->t->tokens.at[h->i].kind == CW_TOKEN_STRING) /* extern "C" */
        advance(h);
    return GO_ON;
}

static enum step name_word(struct head *h) {
    if (word(h) & (SCAN_KERNEL | SCAN_DEVICE)) {
        h->d.is_kernel = h->d.is_kernel || (word(h) & SCAN_KERNEL);
        advance(h);
        return GO_ON;
    }
    if (word(h) & SCAN_STATEMENT)
        return finish(h, SCAN_NOT_FUNCTION);
    if (word(h) & SCAN_TYPE)
        return type_word(h);
    if (word(h) & SCAN_SPECIFIER)
        return specifier_word(h);
    if (at(h, "template")) {
        advance(h);
        h->d.is_template = at(h, "<") && !scan_is(h->t, h->i + 1, ">"); /* template<> is a full specialisation */
        return at(h, "<") && !skip_angles(h) ? finish(h, SCAN_NOT_FUNCTION) : GO_ON;
    }
    if (at(h, "requires")) {
        skip_requires(h);
        return GO_ON;
    }
    return at(h, "operator") ? operator_name(h) : qualified_name(h);
}

static enum step head_step(struct head *h) {
    if (at_name(h))
        return name_word(h);
    if (at(h, "~") && h->t->tokens.at[h->i + 1].kind == CW_TOKEN_NAME)
        return qualified_name(h);
    if (at(h, "*") || at(h, "&") || at(h, "::")) {
        advance(h);
        return GO_ON;
    }
    if (at(h, "[") && skip_attribute(h))
        return GO_ON;
    uint32_t close = at(h, "(") ? h->t->match[h->i] : SCAN_NONE;
    if (close == h->i + 2 && h->t->tokens.at[h->i + 1].kind == CW_TOKEN_NAME && scan_is(h->t, close + 1, "(")) {
        uint32_t name = h->i + 1; /* void (name)(parameters) */
        move_to(h, close + 1);
        return declarator(h, name, name);
    }
    return finish(h, SCAN_NOT_FUNCTION); /* a variable, a class, a pointer to a function, broken text */
}

/* ---- the macro that may have hidden the function from the compiler ---- */

static uint32_t unknown_macro(const struct head *h) {
    const struct scan_text *t = h->t;
    if (h->call_macro != SCAN_NONE && !(t->tokens.at[h->call_macro].word & SCAN_DEFINED))
        return h->call_macro;
    uint32_t macros = h->ncandidates; /* without a surer type, the last plain name is the type */
    if (!h->saw_type && macros)
        macros--;
    for (uint32_t i = 0; i < macros; i++)
        if (!(t->tokens.at[h->candidates[i]].word & SCAN_DEFINED))
            return h->candidates[i];
    return SCAN_NONE;
}

/* ---- where a declaration starts ---- */

static bool is_boundary(const struct scan_text *t, uint32_t i) {
    if (t->tokens.at[i].kind != CW_TOKEN_PUNCT || t->tokens.at[i].n != 1)
        return false;
    char c = t->text[t->tokens.at[i].at];
    return c == ';' || c == '{' || c == '}' || c == '(' || c == '[' || c == ':';
}

/* True when what stands before the directive is the other branch of a conditional the declaration is in. */
static bool other_branch(const struct scan_text *t, uint32_t i, uint32_t *depth) {
    if (directive_is(t, i, "endif"))
        ++*depth;
    else if (directive_is(t, i, "if") && *depth)
        --*depth;
    return *depth == 0 && directive_is(t, i, "el");
}

static uint32_t start_of(const struct scan_text *t, uint32_t i, uint32_t floor) {
    uint32_t anchor = i, depth = 0;
    for (uint32_t steps = 0; i > floor && steps < BACK_MAX; steps++) {
        uint32_t before = i - 1;
        bool closing = scan_is(t, before, ")") || scan_is(t, before, "]");
        if (closing)
            before = t->match[before];
        if (before == SCAN_NONE || before < floor || (!closing && is_boundary(t, before)))
            break;
        if (t->tokens.at[before].kind == CW_TOKEN_DIRECTIVE && other_branch(t, before, &depth))
            break;
        i = before;
    }
    while (i < anchor && t->tokens.at[i].kind == CW_TOKEN_DIRECTIVE)
        i++;
    return i;
}

/* `[captures] __device__ (…) {…}`: has no name, and belongs to the function around it. */
static bool is_lambda(const struct scan_text *t, uint32_t anchor) {
    uint32_t i = anchor;
    while (i > 0 && (t->tokens.at[i - 1].word & (SCAN_KERNEL | SCAN_DEVICE | SCAN_SPECIFIER)))
        i--;
    if (i < 2 || !scan_is(t, i - 1, "]") || t->match[i - 1] == SCAN_NONE)
        return false;
    uint32_t open = t->match[i - 1];
    return !(scan_is(t, i - 2, "]") && t->match[i - 2] == open + 1);
}

/* True for a member of a class template. */
static bool in_template(const struct scan_text *t, uint32_t i) {
    enum { NESTING_MAX = 32 };
    uint32_t outer = t->parent[i];
    for (int n = 0; outer != SCAN_NONE && n < NESTING_MAX; n++, outer = t->parent[outer]) {
        if (scan_is(t, outer, "{") && scan_is(t, start_of(t, outer, 0), "template"))
            return true;
    }
    return false;
}

static struct head read_head(const struct scan_text *t, uint32_t start) {
    struct head h = {.t = t, .call_macro = SCAN_NONE};
    h.d.name_first = h.d.name_last = h.d.body_open = h.d.body_close = h.d.macro = SCAN_NONE;
    move_to(&h, start);
    h.d.start = h.i;
    while (head_step(&h) == GO_ON) {
    }
    h.d.stop = h.i;
    return h;
}

struct scan_declaration scan_declaration_at(const struct scan_text *t, uint32_t anchor, uint32_t floor) {
    struct head h = {.t = t, .d = {.kind = SCAN_NOT_FUNCTION, .stop = anchor + 1}};
    if (is_lambda(t, anchor))
        return h.d;
    uint32_t start = start_of(t, anchor, floor);
    h = read_head(t, start);
    bool missed = h.d.kind == SCAN_NOT_FUNCTION || h.d.stop <= anchor;
    if (missed && start < anchor) { /* what stands before made no sense: try without it */
        struct head again = read_head(t, anchor);
        if (again.d.kind != SCAN_NOT_FUNCTION || h.d.stop <= anchor)
            h = again;
    }
    h.d.macro = unknown_macro(&h);
    h.d.is_template = h.d.is_template || in_template(t, anchor);
    if (h.d.stop <= anchor)
        h.d.stop = anchor + 1;
    return h.d;
}
