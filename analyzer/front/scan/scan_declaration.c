/* Reads the declaration around a `__global__` or `__device__` by its tokens.
 *
 * The C++ grammar is not needed to tell a function definition from everything else that may carry these words: a head
 * is specifiers, types and attribute-like macros up to a name with a parameter list, and what follows the list decides.
 * Heads in text that does not parse, or that stands between preprocessor branches, read just as well. */
#include "front/scan/scan_internal.h"

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

static uint32_t last_token(const struct scan_text *scan) {
    return scan->tokens.n - 1;
}

static bool directive_is(const struct scan_text *scan, uint32_t i, const char *prefix) {
    struct cw_token token = {scan->tokens.at[i].at, scan->tokens.at[i].n, scan->tokens.at[i].kind, true};
    return cw_str_starts(cw_token_directive(scan->text, token), prefix);
}

/* From an #else or #elif to its #endif: the head goes on in the branch it began in. */
static uint32_t skip_to_endif(struct head *head, uint32_t i) {
    uint32_t depth = 0;
    for (i++; i < last_token(head->t) && head->steps < STEPS_MAX; i++, head->steps++) {
        if (head->t->tokens.at[i].kind != CW_TOKEN_DIRECTIVE)
            continue;
        if (directive_is(head->t, i, "if"))
            depth++;
        else if (directive_is(head->t, i, "endif") && depth-- == 0)
            return i;
    }
    return last_token(head->t);
}

static void move_to(struct head *head, uint32_t i) {
    while (head->t->tokens.at[i].kind == CW_TOKEN_DIRECTIVE) {
        if (directive_is(head->t, i, "el"))
            i = skip_to_endif(head, i);
        if (i < last_token(head->t))
            i++;
    }
    head->i = ++head->steps < STEPS_MAX ? i : last_token(head->t);
}

static void advance_head(struct head *head) {
    if (head->i < last_token(head->t))
        move_to(head, head->i + 1);
}

static bool head_is(const struct head *head, const char *text) {
    return scan_is(head->t, head->i, text);
}

static uint32_t word_of(const struct head *head) {
    return head->t->tokens.at[head->i].word;
}

static bool at_name(const struct head *head) {
    return head->t->tokens.at[head->i].kind == CW_TOKEN_NAME;
}

/* Over a bracketed group; false when it is never closed. */
static bool skip_group(struct head *head) {
    uint32_t close = head->t->match[head->i];
    if (close == SCAN_NONE || close < head->i)
        return false;
    move_to(head, close);
    advance_head(head);
    return true;
}

/* Over <…> when the current token opens template arguments; stays put when it does not look closed. */
static bool skip_angles(struct head *head) {
    uint32_t from = head->i, depth = 0;
    while (!head_is(head, ";") && !head_is(head, "{") && !head_is(head, "}") && head->i != last_token(head->t)) {
        if (head_is(head, "(") || head_is(head, "[")) {
            if (!skip_group(head))
                break;
            continue;
        }
        if (head_is(head, "<"))
            depth++;
        bool closing = head_is(head, ">") && --depth == 0;
        advance_head(head);
        if (closing)
            return true;
    }
    head->i = from;
    return false;
}

/* Over [[…]]. */
static bool skip_attribute(struct head *head) {
    return scan_is(head->t, head->i + 1, "[") && skip_group(head);
}

/* Over the operand of a requires clause: (…) or a concept, joined by && and ||. */
static void skip_requires(struct head *head) {
    advance_head(head);
    for (bool more = true; more;) {
        if (head_is(head, "("))
            skip_group(head);
        while (at_name(head) && !(word_of(head) & (SCAN_KERNEL | SCAN_DEVICE | SCAN_SPECIFIER | SCAN_TYPE))) {
            advance_head(head);
            if (head_is(head, "<") && !skip_angles(head))
                return;
            if (!head_is(head, "::"))
                break;
            advance_head(head);
        }
        more = head_is(head, "&") || head_is(head, "|");
        while (head_is(head, "&") || head_is(head, "|"))
            advance_head(head);
    }
}

/* ---- what follows a parameter list ---- */

enum step { GO_ON, DONE };

static enum step finish_head(struct head *head, enum scan_declaration_kind kind) {
    head->d.kind = kind;
    return DONE;
}

static enum step read_body(struct head *head) {
    head->d.body_open = head->i;
    head->d.body_close = head->t->match[head->i];
    return finish_head(head, SCAN_DEFINED_HERE);
}

static bool all_caps(const struct scan_text *scan, uint32_t i) {
    cw_str name = scan_token_text(scan, i);
    for (size_t k = 0; k < name.n; k++)
        if (islower((unsigned char)name.at[k]))
            return false;
    return true;
}

/* `: member(x), Base<T>{y} {` */
static enum step read_initialisers(struct head *head) {
    advance_head(head);
    while (at_name(head) || head_is(head, "::")) {
        bool angles = true;
        advance_head(head);
        if (head_is(head, "<"))
            angles = skip_angles(head);
        if (at_name(head) || head_is(head, "::"))
            continue;
        if (!angles || !(head_is(head, "(") || head_is(head, "{")) || !skip_group(head))
            break;
        while (head_is(head, "."))
            advance_head(head);
        if (head_is(head, "{"))
            return read_body(head);
        if (head_is(head, ","))
            advance_head(head);
    }
    return finish_head(head, SCAN_NOT_FUNCTION);
}

static enum step trailing_return(struct head *head) {
    while (!head_is(head, "{") && !head_is(head, ";") && !head_is(head, "=") && head->i != last_token(head->t))
        if (!((head_is(head, "(") || head_is(head, "[")) && skip_group(head)))
            advance_head(head);
    return GO_ON;
}

/* The NAME(…) before the current token was an attribute-like macro: the head goes on here. */
static enum step call_was_macro(struct head *head) {
    if (head->call_macro == SCAN_NONE)
        head->call_macro = head->d.name_first;
    head->d.name_first = SCAN_NONE;
    return DONE;
}

/* A name that is no specifier, after NAME(…): a macro behind the parameter list, or the rest of a head whose NAME(…)
 * was one itself. */
static enum step name_after_list(struct head *head) {
    uint32_t name = head->i;
    if (head_is(head, "requires")) {
        skip_requires(head);
        return GO_ON;
    }
    if ((word_of(head) & (SCAN_KERNEL | SCAN_DEVICE | SCAN_TYPE | SCAN_STATEMENT)) || head_is(head, "template") ||
        head_is(head, "operator"))
        return call_was_macro(head);
    advance_head(head);
    if (head_is(head, "{") || head_is(head, ";"))
        return GO_ON;
    if (head_is(head, "(") && all_caps(head->t, name) && !all_caps(head->t, head->d.name_last) && skip_group(head))
        return GO_ON;
    head->i = name;
    return call_was_macro(head);
}

static enum step specifier_after_list(struct head *head) {
    bool call_like = word_of(head) & SCAN_CALL_LIKE;
    advance_head(head);
    if (call_like && head_is(head, "(") && !skip_group(head))
        return finish_head(head, SCAN_NOT_FUNCTION);
    return GO_ON;
}

static enum step after_list(struct head *head) {
    if (head_is(head, "{"))
        return read_body(head);
    if (head_is(head, ";") || head_is(head, ",") || head_is(head, "="))
        return finish_head(head, SCAN_DECLARED);
    if (head_is(head, ":"))
        return read_initialisers(head);
    if (head_is(head, "->"))
        return trailing_return(head);
    if (head_is(head, "&")) {
        advance_head(head);
        return GO_ON;
    }
    if (head_is(head, "(")) { /* NAME(x)(parameters): a macro makes the name */
        head->d.name_last = head->i - 1;
        return skip_group(head) ? GO_ON : finish_head(head, SCAN_NOT_FUNCTION);
    }
    if (head_is(head, "[") && skip_attribute(head))
        return GO_ON;
    if (!at_name(head))
        return finish_head(head, SCAN_NOT_FUNCTION);
    bool specifier = (word_of(head) & SCAN_SPECIFIER) && !(word_of(head) & (SCAN_KERNEL | SCAN_DEVICE));
    return specifier ? specifier_after_list(head) : name_after_list(head);
}

/* From the '(' of a parameter list, the name known. GO_ON when the list belonged to an attribute-like macro. */
static enum step read_declarator(struct head *head, uint32_t first, uint32_t last) {
    head->d.name_first = first;
    head->d.name_last = last;
    if (!skip_group(head))
        return finish_head(head, SCAN_NOT_FUNCTION);
    while (after_list(head) == GO_ON) {
    }
    return head->d.name_first == SCAN_NONE ? GO_ON : DONE;
}

/* ---- the head up to the parameter list ---- */

static enum step operator_name(struct head *head) {
    uint32_t first = head->i, last;
    advance_head(head);
    if (head_is(head, "("))
        advance_head(head);
    int tokens = 0;
    do {
        last = head->i;
        if (!(head_is(head, "<") && last > first + 1 && skip_angles(head)))
            advance_head(head);
    } while (!head_is(head, "(") && ++tokens < OPERATOR_TOKENS_MAX);
    return head_is(head, "(") ? read_declarator(head, first, last) : finish_head(head, SCAN_NOT_FUNCTION);
}

static void plain_name(struct head *head, uint32_t name, bool surely_type) {
    if (surely_type)
        head->saw_type = true;
    else if (head->ncandidates < CANDIDATES_MAX)
        head->candidates[head->ncandidates++] = name;
}

/* A::B<C>::d, then a parameter list, or it was a type or macro. */
static enum step qualified_name(struct head *head) {
    uint32_t first = head->i, last = head->i;
    bool simple = true;
    for (;;) {
        last = head->i;
        if (head_is(head, "operator"))
            return operator_name(head);
        if (head_is(head, "~")) {
            first = head->i;
            advance_head(head);
            last = head->i;
        } else {
            first = last;
        }
        advance_head(head);
        if (head_is(head, "<")) {
            simple = false;
            if (!skip_angles(head))
                return finish_head(head, SCAN_NOT_FUNCTION);
        }
        if (!head_is(head, "::"))
            break;
        simple = false;
        advance_head(head);
        if (!at_name(head) && !head_is(head, "~"))
            return GO_ON; /* A::* */
    }
    if (head_is(head, "("))
        return read_declarator(head, first, last);
    plain_name(head, last, !simple);
    return GO_ON;
}

static enum step type_word(struct head *head) {
    head->saw_type = true;
    bool elaborated =
        head_is(head, "struct") || head_is(head, "class") || head_is(head, "union") || head_is(head, "enum");
    bool call_like = word_of(head) & SCAN_CALL_LIKE;
    advance_head(head);
    if (call_like && head_is(head, "("))
        skip_group(head);
    else if (elaborated && at_name(head))
        advance_head(head);
    return GO_ON;
}

static enum step specifier_word(struct head *head) {
    bool call_like = word_of(head) & SCAN_CALL_LIKE;
    advance_head(head);
    if (call_like && head_is(head, "(") && !skip_group(head))
        return finish_head(head, SCAN_NOT_FUNCTION);
    if (head->t->tokens.at[head->i].kind == CW_TOKEN_STRING) /* extern "C" */
        advance_head(head);
    return GO_ON;
}

static enum step name_word(struct head *head) {
    if (word_of(head) & (SCAN_KERNEL | SCAN_DEVICE)) {
        head->d.is_kernel = head->d.is_kernel || (word_of(head) & SCAN_KERNEL);
        advance_head(head);
        return GO_ON;
    }
    if (word_of(head) & SCAN_STATEMENT)
        return finish_head(head, SCAN_NOT_FUNCTION);
    if (word_of(head) & SCAN_TYPE)
        return type_word(head);
    if (word_of(head) & SCAN_SPECIFIER)
        return specifier_word(head);
    if (head_is(head, "template")) {
        advance_head(head);
        head->d.is_template =
            head_is(head, "<") && !scan_is(head->t, head->i + 1, ">"); /* template<> is a full specialisation */
        return head_is(head, "<") && !skip_angles(head) ? finish_head(head, SCAN_NOT_FUNCTION) : GO_ON;
    }
    if (head_is(head, "requires")) {
        skip_requires(head);
        return GO_ON;
    }
    return head_is(head, "operator") ? operator_name(head) : qualified_name(head);
}

static enum step head_step(struct head *head) {
    if (at_name(head))
        return name_word(head);
    if (head_is(head, "~") && head->t->tokens.at[head->i + 1].kind == CW_TOKEN_NAME)
        return qualified_name(head);
    if (head_is(head, "*") || head_is(head, "&") || head_is(head, "::")) {
        advance_head(head);
        return GO_ON;
    }
    if (head_is(head, "[") && skip_attribute(head))
        return GO_ON;
    uint32_t close = head_is(head, "(") ? head->t->match[head->i] : SCAN_NONE;
    if (close == head->i + 2 && head->t->tokens.at[head->i + 1].kind == CW_TOKEN_NAME &&
        scan_is(head->t, close + 1, "(")) {
        uint32_t name = head->i + 1; /* void (name)(parameters) */
        move_to(head, close + 1);
        return read_declarator(head, name, name);
    }
    return finish_head(head, SCAN_NOT_FUNCTION); /* a variable, a class, a pointer to a function, broken text */
}

/* ---- the macro that may have hidden the function from the compiler ---- */

static uint32_t unknown_macro(const struct head *head) {
    const struct scan_text *t = head->t;
    if (head->call_macro != SCAN_NONE && !(t->tokens.at[head->call_macro].word & SCAN_DEFINED))
        return head->call_macro;
    uint32_t macros = head->ncandidates; /* without a surer type, the last plain name is the type */
    if (!head->saw_type && macros)
        macros--;
    for (uint32_t i = 0; i < macros; i++)
        if (!(t->tokens.at[head->candidates[i]].word & SCAN_DEFINED))
            return head->candidates[i];
    return SCAN_NONE;
}

/* ---- where a declaration starts ---- */

static bool is_boundary(const struct scan_text *scan, uint32_t i) {
    if (scan->tokens.at[i].kind != CW_TOKEN_PUNCT || scan->tokens.at[i].n != 1)
        return false;
    char c = scan->text[scan->tokens.at[i].at];
    return c == ';' || c == '{' || c == '}' || c == '(' || c == '[' || c == ':';
}

/* True when what stands before the directive is the other branch of a conditional the declaration is in. */
static bool other_branch(const struct scan_text *scan, uint32_t i, uint32_t *depth) {
    if (directive_is(scan, i, "endif"))
        ++*depth;
    else if (directive_is(scan, i, "if") && *depth)
        --*depth;
    return *depth == 0 && directive_is(scan, i, "el");
}

static uint32_t start_of(const struct scan_text *scan, uint32_t i, uint32_t floor) {
    uint32_t anchor = i, depth = 0;
    for (uint32_t steps = 0; i > floor && steps < BACK_MAX; steps++) {
        uint32_t before = i - 1;
        bool closing = scan_is(scan, before, ")") || scan_is(scan, before, "]");
        if (closing)
            before = scan->match[before];
        if (before == SCAN_NONE || before < floor || (!closing && is_boundary(scan, before)))
            break;
        if (scan->tokens.at[before].kind == CW_TOKEN_DIRECTIVE && other_branch(scan, before, &depth))
            break;
        i = before;
    }
    while (i < anchor && scan->tokens.at[i].kind == CW_TOKEN_DIRECTIVE)
        i++;
    return i;
}

/* `[captures] __device__ (…) {…}`: has no name, and belongs to the function around it. */
static bool is_lambda(const struct scan_text *scan, uint32_t anchor) {
    uint32_t i = anchor;
    while (i > 0 && (scan->tokens.at[i - 1].word & (SCAN_KERNEL | SCAN_DEVICE | SCAN_SPECIFIER)))
        i--;
    if (i < 2 || !scan_is(scan, i - 1, "]") || scan->match[i - 1] == SCAN_NONE)
        return false;
    uint32_t open = scan->match[i - 1];
    return !(scan_is(scan, i - 2, "]") && scan->match[i - 2] == open + 1);
}

/* True for a member of a class template. */
static bool in_template(const struct scan_text *scan, uint32_t i) {
    enum { NESTING_MAX = 32 };
    uint32_t outer = scan->parent[i];
    for (int n = 0; outer != SCAN_NONE && n < NESTING_MAX; n++, outer = scan->parent[outer]) {
        if (scan_is(scan, outer, "{") && scan_is(scan, start_of(scan, outer, 0), "template"))
            return true;
    }
    return false;
}

static struct head read_head(const struct scan_text *scan, uint32_t start) {
    struct head h = {.t = scan, .call_macro = SCAN_NONE};
    h.d.name_first = h.d.name_last = h.d.body_open = h.d.body_close = h.d.macro = SCAN_NONE;
    move_to(&h, start);
    h.d.start = h.i;
    while (head_step(&h) == GO_ON) {
    }
    h.d.stop = h.i;
    return h;
}

struct scan_declaration scan_declaration_at(const struct scan_text *scan, uint32_t anchor, uint32_t floor) {
    struct head h = {.t = scan, .d = {.kind = SCAN_NOT_FUNCTION, .stop = anchor + 1}};
    if (is_lambda(scan, anchor))
        return h.d;
    uint32_t start = start_of(scan, anchor, floor);
    h = read_head(scan, start);
    bool missed = h.d.kind == SCAN_NOT_FUNCTION || h.d.stop <= anchor;
    if (missed && start < anchor) { /* what stands before made no sense: try without it */
        struct head again = read_head(scan, anchor);
        if (again.d.kind != SCAN_NOT_FUNCTION || h.d.stop <= anchor)
            h = again;
    }
    h.d.macro = unknown_macro(&h);
    h.d.is_template = h.d.is_template || in_template(scan, anchor);
    if (h.d.stop <= anchor)
        h.d.stop = anchor + 1;
    return h.d;
}
