/* How the body of a template uses its parameters, read from its tokens: what it declares of a type, and what it does
 * with these variables.
 *
 * requires: the text of one template. computes: the weakest kind of argument that the text asks for; a wrong answer
 * costs an instance that does not compile, nothing else. Cost: linear in the text. */
#include "front/clang/assume.h"

#include "source/lexed.h"

#include <string.h>

enum { MAX_MEMBERS = 32 };

static bool is_name_at(const struct cw_lexed *list, uint32_t i) {
    return i < list->n && list->at[i].kind == CW_TOKEN_NAME;
}

/* ---- types ---- */

static void add_member(struct cw_arena *a, struct cw_parameter_use *use, struct cw_asked_member asked) {
    for (uint32_t i = 0; i < use->members.n; i++)
        if (cw_str_eq(use->members.at[i].name, asked.name)) {
            if (asked.kind > use->members.at[i].kind)
                use->members.at[i].kind = asked.kind;
            use->members.at[i].has_effect |= asked.has_effect;
            return;
        }
    use->use = CW_USE_CLASS;
    if (use->members.n < MAX_MEMBERS)
        cw_vec_push(a, &use->members, asked);
}

/* Is the call a statement, from its first token on? `op.run(x);` is one, `y = op.run(x);` is none. */
static bool is_statement(const struct cw_lexed *list, uint32_t first) {
    static const char *const ends[] = {";", "{", "}", ")", "else", "do"};
    bool begins = false;
    int depth = 0;
    for (size_t k = 0; first && k < sizeof ends / sizeof *ends; k++)
        begins |= cw_lexed_is(list, first - 1, ends[k]);
    for (uint32_t i = first; begins && i < list->n && !cw_lexed_is(list, i, ";"); i++) {
        depth += cw_lexed_is(list, i, "(") ? 1 : cw_lexed_is(list, i, ")") ? -1 : 0;
        if (depth == 0 && cw_lexed_is(list, i, ")"))
            return cw_lexed_is(list, i + 1, ";");
    }
    return false;
}

static void raise_use(struct cw_parameter_use *use, enum cw_use to) {
    if (to > use->use)
        use->use = to;
}

/* `T::name`, at the `::`. */
static void read_scope(const struct cw_lexed *list, uint32_t i, struct cw_parameter_use *use) {
    uint32_t at = i + 1 + cw_lexed_is(list, i + 1, "template");
    if (!is_name_at(list, at))
        return;
    bool is_type = i >= 2 && cw_lexed_is(list, i - 2, "typename");
    bool is_call = cw_lexed_is(list, at + 1, "(") || cw_lexed_is(list, at + 1, "<");
    enum cw_asks kind = is_type ? CW_ASKS_TYPE : is_call ? CW_ASKS_STATIC_CALL : CW_ASKS_VALUE;
    if (!is_type && is_name_at(list, at + 1))
        kind = CW_ASKS_TYPE;
    add_member(list->arena, use,
               (struct cw_asked_member){cw_lexed_text(list, at), kind, is_call && i && is_statement(list, i - 1)});
}

static bool is_integer_operator(const struct cw_lexed *list, uint32_t i) {
    static const char *const operators[] = {"%", "^", "~", "<<", "|"};
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
        if (cw_lexed_is(list, i, operators[k]) && !cw_lexed_is(list, i + 1, operators[k]))
            return true;
    return false;
}

/* `*p`, `*(p + i)`: is the star before the name, or before the parenthesis that the name begins, no product? */
static bool is_dereferenced(const struct cw_lexed *list, uint32_t i) {
    static const char *const before[] = {"(", "{", "[", "=", ",", ";", "}", "!",
                                         "<", ">", "&", "+", "-", "?", ":", "return"};
    uint32_t star = i && cw_lexed_is(list, i - 1, "*") ? i - 1
                    : i > 1 && cw_lexed_is(list, i - 1, "(") && cw_lexed_is(list, i + 1, "+") ? i - 2
                                                                                             : 0;
    if (!star || !cw_lexed_is(list, star, "*"))
        return false;
    for (size_t k = 0; k < sizeof before / sizeof *before; k++)
        if (cw_lexed_is(list, star - 1, before[k]))
            return true;
    return false;
}

/* What is done with a variable of the type, at its name. */
static void read_variable(const struct cw_lexed *list, uint32_t i, struct cw_parameter_use *use) {
    bool is_member = cw_lexed_is(list, i + 1, ".") || cw_lexed_is(list, i + 1, "->");
    if (cw_lexed_is(list, i + 1, "(")) {
        use->is_called = true;
        use->has_effect |= is_statement(list, i);
        raise_use(use, CW_USE_CLASS);
    } else if (is_member && is_name_at(list, i + 2 + cw_lexed_is(list, i + 2, "template"))) {
        uint32_t at = i + 2 + cw_lexed_is(list, i + 2, "template");
        bool is_call = cw_lexed_is(list, at + 1, "(") || cw_lexed_is(list, at + 1, "<");
        add_member(list->arena, use,
                   (struct cw_asked_member){cw_lexed_text(list, at), is_call ? CW_ASKS_CALL : CW_ASKS_FIELD,
                                            is_call && is_statement(list, i)});
    } else if (i && (cw_lexed_is(list, i - 1, "(") || cw_lexed_is(list, i - 1, ",")) &&
               (cw_lexed_is(list, i + 1, ")") || cw_lexed_is(list, i + 1, ","))) {
        use->is_passed = true;
    } else if (cw_lexed_is(list, i + 1, "[") || is_dereferenced(list, i)) {
        raise_use(use, CW_USE_POINTER);
    } else if (i && cw_lexed_is(list, i - 1, "[") &&
               (cw_lexed_is(list, i + 1, "]") || cw_lexed_is(list, i + 1, "+"))) {
        raise_use(use, CW_USE_INTEGRAL);
    } else if (is_integer_operator(list, i + 1) || (i && is_integer_operator(list, i - 1))) {
        raise_use(use, CW_USE_INTEGRAL);
    }
}

/* What is done with a pointer to the type, at its name: `p->name`, `p[i].name`. */
static void read_pointer(const struct cw_lexed *list, uint32_t i, struct cw_parameter_use *use) {
    uint32_t at = i + 1;
    int depth = cw_lexed_is(list, at, "[");
    while (depth && at + 1 < list->n && !cw_lexed_is(list, at, ";")) {
        at++;
        depth += cw_lexed_is(list, at, "[") ? 1 : cw_lexed_is(list, at, "]") ? -1 : 0;
    }
    at += cw_lexed_is(list, at, "]");
    if (!cw_lexed_is(list, at, at == i + 1 ? "->" : ".") || !is_name_at(list, at + 1))
        return;
    bool is_call = cw_lexed_is(list, at + 2, "(");
    add_member(list->arena, use,
               (struct cw_asked_member){cw_lexed_text(list, at + 1), is_call ? CW_ASKS_CALL : CW_ASKS_FIELD,
                                        is_call && is_statement(list, i)});
}

static bool is_among(const struct cw_names *names, cw_str name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (cw_str_is(name, names->at[i]))
            return true;
    return false;
}

/* `T x`, `const T &x`, `T *p`: the name declared with the type at i, or past the list. */
static uint32_t declared_at(const struct cw_lexed *list, uint32_t i, bool *is_pointer) {
    uint32_t at = i + 1;
    *is_pointer = false;
    while (cw_lexed_is(list, at, "const") || cw_lexed_is(list, at, "&") || cw_lexed_is(list, at, "*") ||
           cw_lexed_is(list, at, "__restrict__"))
        *is_pointer |= cw_lexed_is(list, at++, "*");
    bool is_end = cw_lexed_is(list, at + 1, ",") || cw_lexed_is(list, at + 1, ")") ||
                  cw_lexed_is(list, at + 1, ";") || cw_lexed_is(list, at + 1, "=") ||
                  cw_lexed_is(list, at + 1, "(") || cw_lexed_is(list, at + 1, "{");
    return is_name_at(list, at) && is_end ? at : UINT32_MAX;
}

static void find_variables(const struct cw_lexed *list, const char *parameter, struct cw_names *variables,
                           struct cw_names *pointers) {
    for (uint32_t i = 0; i < list->n; i++) {
        bool is_pointer = false;
        uint32_t at = cw_lexed_is(list, i, parameter) && !(i && cw_lexed_is(list, i - 1, "typename")) &&
                              !(i && cw_lexed_is(list, i - 1, "class"))
                          ? declared_at(list, i, &is_pointer)
                          : UINT32_MAX;
        if (at == UINT32_MAX)
            continue;
        cw_str name = cw_lexed_text(list, at);
        cw_vec_push(list->arena, is_pointer ? pointers : variables,
                    (const char *)cw_arena_strndup(list->arena, name.at, name.n));
    }
}

struct cw_parameter_use cw_clang_type_use(struct cw_arena *a, cw_str text, const char *parameter) {
    struct cw_parameter_use use = {.use = CW_USE_ANY};
    struct cw_lexed list = cw_lexed_read(a, text);
    struct cw_names variables = {0}, pointers = {0};
    find_variables(&list, parameter, &variables, &pointers);
    for (uint32_t i = 0; i < list.n; i++) {
        if (cw_lexed_is(&list, i, parameter) && cw_lexed_is(&list, i + 1, "::"))
            read_scope(&list, i + 1, &use);
        use.is_element |=
            cw_lexed_is(&list, i, parameter) && (cw_lexed_is(&list, i + 1, "*") || cw_lexed_is(&list, i + 1, "["));
        bool is_temporary = cw_lexed_is(&list, i, parameter) &&
                            ((cw_lexed_is(&list, i + 1, "(") && cw_lexed_is(&list, i + 2, ")")) ||
                             (cw_lexed_is(&list, i + 1, "{") && cw_lexed_is(&list, i + 2, "}")));
        if (is_temporary && cw_lexed_is(&list, i + 3, "(")) {
            use.is_called = true;
            use.has_effect |= is_statement(&list, i);
            raise_use(&use, CW_USE_CLASS);
        }
        bool is_declared =
            i && (cw_lexed_is(&list, i - 1, parameter) || (i > 1 && cw_lexed_is(&list, i - 2, parameter)));
        if (list.at[i].kind == CW_TOKEN_NAME && !is_declared && is_among(&variables, cw_lexed_text(&list, i)))
            read_variable(&list, i, &use);
        if (list.at[i].kind == CW_TOKEN_NAME && is_among(&pointers, cw_lexed_text(&list, i)))
            read_pointer(&list, i, &use);
    }
    return use;
}

/* ---- integers ---- */

/* Of a declaration of shared memory from token i on: whether the name stands in it, and in how many extents names do.
 */
static enum cw_use use_in_shared(const struct cw_lexed *list, uint32_t i, const char *parameter) {
    uint32_t extents = 0;
    bool is_named = false;
    int depth = 0;
    for (; i < list->n && !cw_lexed_is(list, i, ";") && !cw_lexed_is(list, i, "="); i++) {
        if (cw_lexed_is(list, i, "["))
            extents += depth++ == 0 && !cw_lexed_is(list, i + 1, "]");
        else if (cw_lexed_is(list, i, "]"))
            depth--;
        is_named |= cw_lexed_is(list, i, parameter);
    }
    return !is_named ? CW_USE_SMALL : extents > 1 ? CW_USE_TILE : CW_USE_BLOCK;
}

static bool is_in_bounds(const struct cw_lexed *list, uint32_t i, const char *parameter) {
    for (uint32_t end = i + 16; i < list->n && i < end && !cw_lexed_is(list, i, ",") && !cw_lexed_is(list, i, ")");
         i++)
        if (cw_lexed_is(list, i, parameter))
            return true;
    return false;
}

/* `threadIdx.x < N`, `blockDim.x == N`, `threadIdx.x / N` do not say how large N is; a stride does. */
static bool is_stride(const struct cw_lexed *list, uint32_t i) {
    return i >= 2 && cw_lexed_is(list, i - 1, "=") && cw_lexed_is(list, i - 2, "+");
}

static bool is_in_statement(const struct cw_lexed *list, uint32_t i, cw_str name) {
    for (uint32_t end = i + 64; i < list->n && i < end && !cw_lexed_is(list, i, ";"); i++)
        if (cw_str_eq(cw_lexed_text(list, i), name))
            return true;
    return false;
}

/* An alias of a type that takes the parameter, of which an object of the block is made: `using Scan = Block<T, N>` and
 * `__shared__ typename Scan::Storage s`. */
static bool is_in_alias(const struct cw_lexed *list, uint32_t i, const char *parameter) {
    if (!cw_lexed_is(list, i, "using") || !cw_lexed_is(list, i + 2, "=") ||
        !is_in_statement(list, i, cw_str_of(parameter)))
        return false;
    for (uint32_t k = 0; k < list->n; k++)
        if (cw_lexed_is(list, k, "__shared__") && is_in_statement(list, k, cw_lexed_text(list, i + 1)))
            return true;
    return false;
}

enum cw_use cw_clang_integer_use(cw_str text, const char *parameter) {
    struct cw_arena scratch;
    enum cw_use use = CW_USE_SMALL, found;
    cw_arena_init(&scratch);
    struct cw_lexed list = cw_lexed_read(&scratch, text);
    for (uint32_t i = 0; i < list.n; i++) {
        found = CW_USE_SMALL;
        if (cw_lexed_is(&list, i, "__shared__"))
            found = use_in_shared(&list, i, parameter);
        else if (cw_lexed_is(&list, i, "__launch_bounds__") && is_in_bounds(&list, i + 2, parameter))
            found = CW_USE_BLOCK;
        else if (cw_lexed_is(&list, i, parameter) && is_stride(&list, i))
            found = CW_USE_BLOCK;
        else if (is_in_alias(&list, i, parameter))
            found = CW_USE_BLOCK;
        if (found == CW_USE_TILE || use == CW_USE_SMALL)
            use = found;
    }
    cw_arena_free(&scratch);
    return use;
}
