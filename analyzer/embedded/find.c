/* Which literals of a file are programs, by the tokens around them. Nothing is executed and no name is followed out of
 * the file: where the value depends on more than its literals, it has an obstacle. */
#include "embedded/internal.h"

#include "source/lexer.h"

#include <string.h>

enum { MAX_CONDITIONALS = 64 };

struct finding {
    struct cw_arena *arena;
    enum cw_embedded_language language;
    cw_str text;
    struct emb_tokens tokens;
    bool is_rtc;
};

/* Tokens [from, to) are literals that the language joins. */
struct run {
    uint32_t from, to;
};

static const char by_call[] = "in a string that is filled in when the program runs";
static const char by_field[] = "in an f-string with fields: its text is made when the program runs";
static const char by_parts[] = "in a string that is put together when the program runs";

enum cw_embedded_language cw_embedded_language_of(const char *path) {
    cw_str p = cw_str_of(path);
    return cw_str_ends(p, ".py") || cw_str_ends(p, ".pyw") ? CW_EMBEDDED_PYTHON : CW_EMBEDDED_CPP;
}

/* ---- tokens ---- */

static bool is_punct(const struct finding *finding, uint32_t i, char c) {
    return i < finding->tokens.n && finding->tokens.at[i].kind == EMB_PUNCT && finding->tokens.at[i].n == 1 &&
           finding->text.at[finding->tokens.at[i].at] == c;
}

static bool is_kind(const struct finding *finding, uint32_t i, enum emb_kind kind) {
    return i < finding->tokens.n ? finding->tokens.at[i].kind == kind : kind == EMB_END;
}

static cw_str text_of(const struct finding *finding, uint32_t i) {
    if (i >= finding->tokens.n)
        return (cw_str){"", 0};
    return (cw_str){finding->text.at + finding->tokens.at[i].at, finding->tokens.at[i].n};
}

static bool is_one_of(cw_str name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cw_str_is(name, names[i]))
            return true;
    return false;
}

/* ---- what fills a text in ---- */

static bool is_filling_method(cw_str name) {
    static const char *const names[] = {"format", "format_map", "replace", "substitute", "safe_substitute", "render",
                                        "translate", "join"};
    return is_one_of(name, names, sizeof names / sizeof names[0]);
}

static bool is_filling_call(cw_str name) {
    static const char *const names[] = {"Template",   "CodeTemplate", "from_string", "format",  "vformat",
                                        "Substitute", "StrFormat",    "StrCat",      "sprintf", "snprintf",
                                        "asprintf",   "vsnprintf",    "Format"};
    return is_one_of(name, names, sizeof names / sizeof names[0]);
}

/* `operand % values`, `operand.format(…)`, with the operand's last token before `i`. In C++ nothing else is meant by
 * these names; "%" there is no operator on text. */
static bool is_filled_behind(const struct finding *finding, uint32_t i) {
    if (finding->language == CW_EMBEDDED_PYTHON && is_punct(finding, i, '%'))
        return true;
    return is_punct(finding, i, '.') && is_kind(finding, i + 1, EMB_NAME) && is_filling_method(text_of(finding, i + 1));
}

/* Is token i among the arguments of such a call? The callee of the innermost bracket, and of those around it up to the
 * statement's begin. */
static bool is_filled_around(const struct finding *finding, uint32_t i) {
    uint32_t closed = 0;
    for (uint32_t steps = 0; i-- > 0 && steps < 4096; steps++) {
        if (is_punct(finding, i, ')'))
            closed++;
        else if (is_punct(finding, i, '(') && closed)
            closed--;
        else if (is_punct(finding, i, '(') && i && is_kind(finding, i - 1, EMB_NAME) &&
                 is_filling_call(text_of(finding, i - 1)))
            return true;
        else if (is_punct(finding, i, ';') || is_punct(finding, i, '{') || is_punct(finding, i, '}') ||
                 is_kind(finding, i, EMB_NEWLINE))
            return false;
    }
    return false;
}

/* A name of the file whose value is used as a pattern somewhere. */
static bool is_name_filled(const struct finding *finding, cw_str name) {
    for (uint32_t i = 0; i < finding->tokens.n; i++)
        if (finding->tokens.at[i].kind == EMB_NAME && finding->tokens.at[i].n == name.n &&
            cw_str_eq(text_of(finding, i), name) && (is_filled_behind(finding, i + 1) || is_filled_around(finding, i)))
            return true;
    return false;
}

/* Marks that no CUDA has and that text gets replaced at: ${x}, $x, %(x)s, {% … %}. `{{` is an initialiser as well. */
static bool has_placeholders(cw_str value) {
    for (size_t i = 0; i + 1 < value.n; i++) {
        char c = value.at[i], d = value.at[i + 1];
        bool is_name = (d >= 'a' && d <= 'z') || (d >= 'A' && d <= 'Z') || d == '_' || d == '{';
        if ((c == '$' && is_name) || (c == '{' && d == '%'))
            return true;
        const char *close = c == '%' && d == '(' ? memchr(value.at + i, ')', value.n - i) : NULL;
        size_t after = close ? (size_t)(close - value.at) + 1 : value.n;
        if (after < value.n && strchr("sdrfixg", value.at[after]) && value.at[after])
            return true;
    }
    return false;
}

/* Depths of braces at the conditionals that are open: each branch begins at the depth of its #if. */
struct braces {
    int64_t depth, at[MAX_CONDITIONALS];
    uint32_t n;
};

static void take_directive(struct braces *braces, cw_str name) {
    if (cw_str_starts(name, "if") && braces->n < MAX_CONDITIONALS)
        braces->at[braces->n++] = braces->depth;
    else if (cw_str_starts(name, "el") && braces->n)
        braces->depth = braces->at[braces->n - 1];
    else if (cw_str_is(name, "endif") && braces->n)
        braces->n--;
}

/* A text that ends inside of a function goes on somewhere else. */
static bool is_balanced(cw_str value) {
    struct cw_lexer l;
    struct braces b = {0};
    cw_lexer_init(&l, value.at, value.n);
    for (struct cw_token t; (t = cw_lexer_next(&l)).kind != CW_TOKEN_END && b.depth >= 0;) {
        if (t.kind == CW_TOKEN_DIRECTIVE)
            take_directive(&b, cw_token_directive(value.at, t));
        else if (t.kind == CW_TOKEN_PUNCT && !t.in_directive)
            b.depth += value.at[t.at] == '{' ? 1 : value.at[t.at] == '}' ? -1 : 0;
    }
    return b.depth == 0;
}

/* ---- runs ---- */

/* The name that the literal is the value of: NAME = "…", NAME[] = "…", NAME("…"), NAME = dedent("…"). */
static cw_str name_of(const struct finding *finding, const struct run *run) {
    for (uint32_t i = run->from, steps = 0; i-- > 0 && steps < 16; steps++) {
        if (is_kind(finding, i, EMB_NEWLINE) || is_punct(finding, i, ';') || is_punct(finding, i, '}'))
            break;
        if (!is_punct(finding, i, '='))
            continue;
        while (i > 0 && !is_kind(finding, i - 1, EMB_NAME) &&
               (is_punct(finding, i - 1, ']') || is_punct(finding, i - 1, '[')))
            i--;
        return i ? text_of(finding, i - 1) : (cw_str){"", 0};
    }
    bool is_initialiser = run->from >= 2 && is_kind(finding, run->from - 2, EMB_NAME) &&
                          (is_punct(finding, run->from - 1, '(') || is_punct(finding, run->from - 1, '{'));
    return is_initialiser ? text_of(finding, run->from - 2) : (cw_str){"", 0};
}

/* A Python statement of nothing but a string is documentation. */
static bool is_documentation(const struct finding *finding, const struct run *run) {
    bool begins = run->from == 0 || is_kind(finding, run->from - 1, EMB_NEWLINE);
    bool ends = is_kind(finding, run->to, EMB_END) || is_kind(finding, run->to, EMB_NEWLINE);
    return finding->language == CW_EMBEDDED_PYTHON && begins && ends;
}

/* A macro beside a literal of C++ is one more part of it, unless it is the one that is defined. */
static bool has_macro_parts(const struct finding *finding, const struct run *run) {
    static const char *const words[] = {"return", "else", "case", "and", "or", "operator"};
    bool behind = is_kind(finding, run->to, EMB_NAME);
    bool defined = run->from >= 2 && is_kind(finding, run->from - 2, EMB_NEWLINE);
    bool before = run->from && !defined && is_kind(finding, run->from - 1, EMB_NAME) &&
                  !is_one_of(text_of(finding, run->from - 1), words, sizeof words / sizeof words[0]);
    return finding->language == CW_EMBEDDED_CPP && (behind || before);
}

static const char *obstacle_of(const struct finding *finding, const struct run *run,
                               const struct emb_value *emb_value) {
    cw_str value = {emb_value->text->at, emb_value->text->n}, name = name_of(finding, run);
    uint32_t behind = run->to;
    while (is_punct(finding, behind, ')'))
        behind++;
    if (emb_value->has_fields)
        return by_field;
    if (is_filled_behind(finding, behind) || is_filled_around(finding, run->from) || has_placeholders(value) ||
        (name.n && is_name_filled(finding, name)))
        return by_call;
    return has_macro_parts(finding, run) || !is_balanced(value) ? by_parts : NULL;
}

static bool holds_marks(cw_str value) {
    static const char *const marks[] = {"__global__", "__device__"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (value.n && memmem(value.at, value.n, marks[i], strlen(marks[i])))
            return true;
    return false;
}

/* Each byte by itself, and nothing around that gives other bytes put there another meaning. */
static bool takes_edits(const struct cw_embedded *embedded, const struct emb_value *emb_value) {
    return embedded->pieces.n == 1 && embedded->pieces.at[0].n == embedded->pieces.at[0].outer_n &&
           !emb_value->is_formatted;
}

static void add_run(const struct finding *finding, const struct run *run, struct cw_embedded_list *out) {
    struct cw_buf text = {0};
    struct cw_embedded e = {.is_rtc = finding->is_rtc};
    struct emb_value v = {.arena = finding->arena, .text = &text, .out = &e};
    for (uint32_t i = run->from; i < run->to; i++)
        (finding->language == CW_EMBEDDED_PYTHON ? emb_python_decode : emb_cpp_decode)(&v, finding->text,
                                                                                       finding->tokens.at[i]);
    if (text.n && holds_marks((cw_str){text.at, text.n}) && !is_documentation(finding, run)) {
        e.obstacle = obstacle_of(finding, run, &v);
        e.takes_edits = takes_edits(&e, &v);
        e.text = cw_arena_strndup(finding->arena, text.at, text.n);
        e.size = (uint32_t)text.n;
        cw_vec_push(finding->arena, out, e);
    }
    cw_buf_free(&text);
}

/* PyCUDA compiles with nvcc, everything else with NVRTC. */
static bool uses_nvrtc(const struct finding *finding) {
    static const char *const pycuda[] = {"SourceModule", "DynamicSourceModule", "pycuda"};
    static const char *const nvrtc[] = {"RawKernel", "RawModule", "cupy", "nvrtc", "nvrtcCreateProgram"};
    bool by_nvcc = false;
    for (uint32_t i = 0; i < finding->tokens.n; i++) {
        if (finding->tokens.at[i].kind != EMB_NAME)
            continue;
        if (is_one_of(text_of(finding, i), nvrtc, sizeof nvrtc / sizeof nvrtc[0]))
            return true;
        by_nvcc |= is_one_of(text_of(finding, i), pycuda, sizeof pycuda / sizeof pycuda[0]);
    }
    return !by_nvcc;
}

struct cw_embedded_list cw_embedded_find(struct cw_arena *a, enum cw_embedded_language language, const char *text,
                                         size_t size) {
    struct cw_embedded_list out = {0};
    struct finding f = {.arena = a, .language = language, .text = {text, size}};
    if (language == CW_EMBEDDED_NONE || size > UINT32_MAX / 2)
        return out;
    f.tokens = (language == CW_EMBEDDED_PYTHON ? emb_python_tokens : emb_cpp_tokens)(a, f.text);
    f.is_rtc = uses_nvrtc(&f);
    for (uint32_t i = 0; i < f.tokens.n; i++) {
        struct run r = {i, i};
        while (is_kind(&f, r.to, EMB_STRING))
            r.to++;
        if (r.to > r.from)
            add_run(&f, &r, &out);
        i = r.to > r.from ? r.to - 1 : i;
    }
    return out;
}
