/* What the grammar of CUDA does not know, and attribute-like macros that nobody defines.
 *
 * Masking decides by neighbouring tokens: a name that stands where the language allows only a specifier is taken for
 * one. A wrong decision costs the meaning of one declaration, never an offset. */
#include "front/repair/preproc.h"

#include <string.h>

static const struct pp_token end_token = {.kind = CW_TOKEN_END, .at = "", .n = 0};

static const struct pp_token *token_at(const struct pp_tokens *tokens, uint32_t i) {
    return i < tokens->n ? &tokens->at[i] : &end_token;
}

static bool is_token(const struct pp_tokens *tokens, uint32_t i, const char *text) {
    return pp_token_is(token_at(tokens, i), text);
}

static bool is_one_of(const struct pp_token *token, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (pp_token_is(token, words[i]))
            return true;
    return false;
}
#define ONE_OF(token, words) is_one_of(token, words, sizeof words / sizeof *words)

/* Behind the bracket that closes the one at i; i when it does not close. */
static uint32_t after_brackets(const struct pp_tokens *tokens, uint32_t i) {
    uint32_t depth = 0;
    enum { FAR = 2000 };
    for (uint32_t k = i; k < tokens->n && k < i + FAR; k++) {
        depth += is_token(tokens, k, "(");
        if (is_token(tokens, k, ")") && --depth == 0)
            return k + 1;
    }
    return i;
}

static void hide_tokens(struct pp_tokens *tokens, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to && i < tokens->n; i++)
        tokens->at[i].is_masked = true;
}

static bool is_name(const struct pp_tokens *tokens, uint32_t i) {
    return token_at(tokens, i)->kind == CW_TOKEN_NAME;
}

/* Words that may begin a declaration behind a specifier: nothing of the user's has these names. */
static bool is_specifier(const struct pp_token *token) {
    static const char *const words[] = {"void",
                                        "bool",
                                        "char",
                                        "short",
                                        "int",
                                        "long",
                                        "float",
                                        "double",
                                        "unsigned",
                                        "signed",
                                        "auto",
                                        "static",
                                        "inline",
                                        "extern",
                                        "const",
                                        "constexpr",
                                        "volatile",
                                        "typename",
                                        "template",
                                        "struct",
                                        "class",
                                        "virtual",
                                        "explicit",
                                        "friend",
                                        "__global__",
                                        "__device__",
                                        "__host__",
                                        "__forceinline__",
                                        "__inline__",
                                        "__noinline__",
                                        "__launch_bounds__",
                                        "__cluster_dims__",
                                        "__maxnreg__",
                                        "__block_size__",
                                        "__shared__",
                                        "__constant__",
                                        "size_t",
                                        "int8_t",
                                        "uint8_t",
                                        "int16_t",
                                        "uint16_t",
                                        "int32_t",
                                        "uint32_t",
                                        "int64_t",
                                        "uint64_t",
                                        "half",
                                        "__half",
                                        "float2",
                                        "float4",
                                        "int2",
                                        "int4"};
    return token->kind == CW_TOKEN_NAME && ONE_OF(token, words);
}

static bool is_keyword(const struct pp_token *token) {
    static const char *const words[] = {
        "return",       "if",       "else",     "for",         "while",      "do",          "switch",
        "case",         "default",  "break",    "continue",    "goto",       "new",         "delete",
        "sizeof",       "throw",    "try",      "catch",       "using",      "namespace",   "typedef",
        "enum",         "union",    "operator", "public",      "private",    "protected",   "static_assert",
        "asm",          "__asm__",  "__asm",    "co_return",   "const_cast", "static_cast", "reinterpret_cast",
        "dynamic_cast", "decltype", "alignof",  "this",        "nullptr",    "true",        "false",
        "mutable",      "restrict", "register", "noexcept",    "override",   "final",       "and",
        "or",           "not",      "xor",      "__managed__", "concept",    "requires",    "thread_local"};
    return is_specifier(token) || ONE_OF(token, words);
}

static bool is_unknown_name(const struct pp_tokens *tokens, uint32_t i) {
    return is_name(tokens, i) && !is_keyword(token_at(tokens, i));
}

/* Known words without a meaning for the tree: they go, with their arguments. Offsets into `raw` find them again. */
static uint32_t known_attribute(const struct pp_tokens *tokens, uint32_t i) {
    static const char *const with_arguments[] = {
        "__align__",   "alignas",          "__attribute__",  "__attribute",  "__declspec",        "__builtin_align__",
        "__maxnreg__", "__cluster_dims__", "__block_size__", "__annotate__", "__launch_bounds__", "_Alignas"};
    static const char *const bare[] = {"__forceinline__", "__noinline__",      "__inline__",    "__inline",
                                       "__forceinline",   "__grid_constant__", "__restrict__",  "__restrict",
                                       "restrict",        "__nv_pure__",       "__extension__", "__inline_hint__",
                                       "noinline"};
    if (ONE_OF(token_at(tokens, i), bare))
        return i + 1;
    if (ONE_OF(token_at(tokens, i), with_arguments) && is_token(tokens, i + 1, "(")) {
        uint32_t end = after_brackets(tokens, i + 1);
        return end > i + 1 ? end : i;
    }
    return i;
}

/* `[=] __device__ (int i)`, `[&] MACRO {`; not `[[nodiscard]] float f(`. */
static uint32_t lambda_attribute(const struct pp_tokens *tokens, uint32_t i) {
    uint32_t k = i;
    if (!i || !is_token(tokens, i - 1, "]") || (i > 1 && is_token(tokens, i - 2, "]")) || !is_name(tokens, i) ||
        (is_keyword(token_at(tokens, i)) && !is_specifier(token_at(tokens, i))))
        return i;
    while (is_name(tokens, k) && k < i + 4 && !is_token(tokens, k, "mutable"))
        k++;
    return k > i && (is_token(tokens, k, "(") || is_token(tokens, k, "{")) && !is_token(tokens, i, "const") ? k : i;
}

/* `float *MACRO p`, `float &MACRO p`. */
static uint32_t pointer_attribute(const struct pp_tokens *tokens, uint32_t i) {
    static const char *const ends[] = {",", ")", ";", "=", "["};
    bool is_here = i && (is_token(tokens, i - 1, "*") || is_token(tokens, i - 1, "&")) && is_unknown_name(tokens, i) &&
                   is_unknown_name(tokens, i + 1);
    return is_here && ONE_OF(token_at(tokens, i + 2), ends) ? i + 1 : i;
}

/* Where a declaration or a parameter may begin. */
static bool may_begin(const struct pp_tokens *tokens, uint32_t i) {
    static const char *const before[] = {";", "{", "}", "(", ",", ":", ">"};
    return !i || ONE_OF(token_at(tokens, i - 1), before) || token_at(tokens, i - 1)->is_masked ||
           token_at(tokens, i - 1)->kind == CW_TOKEN_STRING || token_at(tokens, i - 1)->kind == CW_TOKEN_DIRECTIVE ||
           is_specifier(token_at(tokens, i - 1));
}

static bool is_type_word(const struct pp_token *token) {
    static const char *const words[] = {"void",  "bool",   "char", "short",  "int",      "long",
                                        "float", "double", "auto", "size_t", "unsigned", "signed"};
    return ONE_OF(token, words);
}

/* Behind a name and the arguments that it may have. */
static uint32_t after_macro(const struct pp_tokens *tokens, uint32_t i) {
    return is_token(tokens, i + 1, "(") ? after_brackets(tokens, i + 1) : i + 1;
}

/* Behind `T`, `ns::T`, `T<int, 3>`, with the `*` and `&` that follow; i when no type of a user's begins there. */
static uint32_t after_type(const struct pp_tokens *tokens, uint32_t i) {
    enum { FAR = 100 };
    static const char *const no_part[] = {";", "{", "}", "(", ")", "&&", "||"};
    uint32_t k = i, depth = 0;
    if (!is_unknown_name(tokens, i))
        return i;
    for (k++; is_token(tokens, k, "::") && is_name(tokens, k + 1); k += 2)
        continue;
    for (; (depth || is_token(tokens, k, "<")) && k < i + FAR; k++) {
        if (token_at(tokens, k)->kind == CW_TOKEN_END || ONE_OF(token_at(tokens, k), no_part))
            return i;
        depth += is_token(tokens, k, "<");
        uint32_t closed = is_token(tokens, k, ">") ? 1 : is_token(tokens, k, ">>") ? 2 : 0;
        depth -= closed < depth ? closed : depth;
    }
    while (is_token(tokens, k, "*") || is_token(tokens, k, "&"))
        k++;
    return k;
}

/* `T f(` */
static bool is_function_of_type(const struct pp_tokens *tokens, uint32_t i) {
    uint32_t k = after_type(tokens, i);
    return k > i && is_unknown_name(tokens, k) && is_token(tokens, k + 1, "(");
}

/* `MACRO static float f(`, `MACRO(x) OTHER __global__ void k(`, `MACRO T f(`. A type before `const` or `long` is a
 * type, and `T f() const` a member. */
static uint32_t leading_attribute(const struct pp_tokens *tokens, uint32_t i) {
    enum { MOST = 8 };
    if (!is_unknown_name(tokens, i) || !may_begin(tokens, i) || is_type_word(token_at(tokens, i ? i - 1 : tokens->n)))
        return i;
    uint32_t end = after_macro(tokens, i), next = end, last = i, n = 1;
    bool is_call = end > i + 1, before_function = false;
    for (; n < MOST && is_unknown_name(tokens, next) && next > last; n++) {
        before_function |= is_function_of_type(tokens, next);
        last = next;
        next = after_macro(tokens, next);
    }
    bool may_be_type = n == 1 ? !is_call || !i || is_token(tokens, i - 1, "(") : next > last + 1;
    bool is_qualifier = is_token(tokens, next, "const") || is_token(tokens, next, "volatile");
    if (is_specifier(token_at(tokens, next)) && !(is_qualifier && may_be_type))
        return end;
    return before_function && !is_call ? end : i;
}

/* Part of the head of a kernel or device function, or of a parameter. */
static bool is_marked(const struct pp_tokens *tokens, uint32_t i) {
    enum { FAR = 60 };
    for (uint32_t k = i; k < tokens->n && k < i + FAR && !is_token(tokens, k, "{") && !is_token(tokens, k, ";"); k++)
        if (is_token(tokens, k, "__global__") || is_token(tokens, k, "__device__"))
            return true;
    for (uint32_t k = i; k > 0 && i - k < 6 && !is_token(tokens, k - 1, ";") && !is_token(tokens, k - 1, "}") &&
                         !is_token(tokens, k - 1, "{");
         k--)
        if (is_token(tokens, k - 1, "__global__") || is_token(tokens, k - 1, "__device__"))
            return true;
    return i && (is_token(tokens, i - 1, "*") || is_token(tokens, i - 1, "&") || is_token(tokens, i - 1, ",") ||
                 is_token(tokens, i - 1, "("));
}

static void note_unknown(struct pp_tokens *tokens, uint32_t i, uint32_t end) {
    for (uint32_t k = i; k < end; k++) {
        bool is_named = is_unknown_name(tokens, k) && (k == i || !is_token(tokens, i + 1, "("));
        tokens->at[k].is_unknown = is_named;
        tokens->at[k].is_marked = is_named && is_marked(tokens, k);
    }
}

/* ---- `dim3 grid(n, m);` ---- */

/* Which braces are function bodies: only there a name behind a type is a variable that is constructed. */
struct braces {
    bool is_body[256];
    uint32_t depth;
    bool saw_class; /* struct, class, namespace since the last statement */
};

static bool in_body(const struct braces *braces) {
    return braces->depth && braces->depth <= sizeof braces->is_body && braces->is_body[braces->depth - 1];
}

static void follow_braces(struct braces *braces, const struct pp_tokens *tokens, uint32_t i) {
    static const char *const classes[] = {"struct", "class", "union", "namespace", "enum"};
    static const char *const before[] = {")", "const", "noexcept", "override", "mutable", "else", "do", "try"};
    if (ONE_OF(token_at(tokens, i), classes))
        braces->saw_class = true;
    if (is_token(tokens, i, "{")) {
        bool is_body = !braces->saw_class && (in_body(braces) || (i && ONE_OF(token_at(tokens, i - 1), before)));
        if (braces->depth < sizeof braces->is_body)
            braces->is_body[braces->depth] = is_body;
        braces->depth++;
    }
    braces->depth -= is_token(tokens, i, "}") && braces->depth;
    if (is_token(tokens, i, "{") || is_token(tokens, i, "}") || is_token(tokens, i, ";") || is_token(tokens, i, ")"))
        braces->saw_class = false;
}

/* True when the name at i - 1 is a whole type at the start of a statement. */
static bool is_type_before(const struct pp_tokens *tokens, uint32_t i) {
    static const char *const starts[] = {";", "{", "}", ")", "("};
    uint32_t k = i - 1;
    if (!is_name(tokens, k) || (is_keyword(token_at(tokens, k)) && !is_type_word(token_at(tokens, k))))
        return false;
    while (k >= 2 && is_token(tokens, k - 1, "::") && is_name(tokens, k - 2))
        k -= 2;
    while (k >= 1 && (is_token(tokens, k - 1, "const") || is_token(tokens, k - 1, "static") ||
                      token_at(tokens, k - 1)->is_masked))
        k--;
    return !k || ONE_OF(token_at(tokens, k - 1), starts) || token_at(tokens, k - 1)->kind == CW_TOKEN_DIRECTIVE;
}

/* Parameters begin with a type; `(unsigned(n))` does not. */
static bool looks_like_parameters(const struct pp_tokens *tokens, uint32_t open) {
    return (is_specifier(token_at(tokens, open + 1)) && !is_token(tokens, open + 2, "(")) ||
           is_token(tokens, open + 1, ")");
}

/* The grammar takes `T x(n)` for a function when n is a name. Braces leave no doubt, and have the same length. */
static void brace_constructions(struct pp_tokens *tokens, uint32_t i) {
    static const char *const ends[] = {";", ","};
    bool is_first = i && is_type_before(tokens, i);
    while (is_first && is_unknown_name(tokens, i) && is_token(tokens, i + 1, "(") &&
           !looks_like_parameters(tokens, i + 1)) {
        uint32_t end = after_brackets(tokens, i + 1);
        if (end == i + 1 || !ONE_OF(token_at(tokens, end), ends))
            return;
        tokens->at[i + 1].shown = '{';
        tokens->at[end - 1].shown = '}';
        if (!is_token(tokens, end, ","))
            return;
        i = end + 1;
    }
}

void pp_mask(struct pp_tokens *tokens) {
    struct braces braces = {.depth = 0};
    for (uint32_t i = 0; i < tokens->n; i++) {
        uint32_t end = known_attribute(tokens, i);
        follow_braces(&braces, tokens, i);
        if (in_body(&braces) && is_unknown_name(tokens, i))
            brace_constructions(tokens, i);
        bool is_known = end != i;
        if (end == i)
            end = lambda_attribute(tokens, i);
        if (end == i)
            end = pointer_attribute(tokens, i);
        if (end == i)
            end = leading_attribute(tokens, i);
        if (tokens->at[i].kind == CW_TOKEN_DIRECTIVE)
            end = i + 1;
        if (!is_known && tokens->at[i].kind != CW_TOKEN_DIRECTIVE)
            note_unknown(tokens, i, end);
        hide_tokens(tokens, i, end);
        i = end > i ? end - 1 : i;
    }
}
