/* Macros: definition and expansion, after the rules of the C++ standard (chapter cpp.replace). */
#include "front/repair/preproc.h"

#include <string.h>

enum {
    MAX_PARAMS = 64,
    MAX_NESTING = 64,
    MAX_ARGUMENT = 200000,
    CHEAP = 500000, /* tokens that macros make that count once; who makes more doubles them */
    DEAR = 8 /* what each of the others counts */
};

static cw_str text_of(const struct pp_token *token) {
    return (cw_str){token->at, token->n};
}

static uint64_t key_of(struct pp_preproc *preproc, cw_str name) {
    return (uint64_t)(uintptr_t)cw_intern_n(preproc->names, name.at, name.n);
}

struct pp_macro *pp_macro_find(struct pp_preproc *preproc, cw_str name) {
    uint64_t found;
    if (!name.n || !cw_map_get(&preproc->macros, key_of(preproc, name), &found))
        return NULL;
    struct pp_macro *m = (struct pp_macro *)(uintptr_t)found;
    return m->is_defined ? m : NULL;
}

void pp_macro_undef(struct pp_preproc *preproc, cw_str name) {
    struct pp_macro *m = pp_macro_find(preproc, name);
    if (m) {
        struct pp_macro *none = CW_NEW(preproc->arena, struct pp_macro);
        cw_map_put(&preproc->macros, key_of(preproc, name), (uint64_t)(uintptr_t)none);
    }
}

/* (a, b, ...) behind the name; the index behind the closing bracket, or 0 when it is malformed. */
static uint32_t read_params(struct pp_preproc *preproc, struct pp_macro *macro, const struct pp_token *at, uint32_t n) {
    const char *params[MAX_PARAMS];
    uint32_t i = 2;
    for (; i < n && !pp_token_is(&at[i], ")"); i++) {
        if (at[i].kind == CW_TOKEN_NAME && macro->nparams < MAX_PARAMS) {
            params[macro->nparams++] = cw_intern_n(preproc->names, at[i].at, at[i].n);
        } else if (pp_token_is(&at[i], ".")) {
            if (!macro->is_variadic && (!macro->nparams || !pp_token_is(&at[i - 1], "")) &&
                macro->nparams < MAX_PARAMS && at[i - 1].kind != CW_TOKEN_NAME)
                params[macro->nparams++] = cw_intern(preproc->names, "__VA_ARGS__");
            macro->is_variadic = true;
        }
    }
    macro->params = CW_NEW_ARRAY(preproc->arena, const char *, macro->nparams);
    if (macro->nparams)
        memcpy(macro->params, params, sizeof *params * macro->nparams);
    return i < n ? i + 1 : 0;
}

void pp_macro_define(struct pp_preproc *preproc, const struct pp_token *at, uint32_t n) {
    struct pp_macro *m = CW_NEW(preproc->arena, struct pp_macro);
    uint32_t body = 1;
    m->name = cw_intern_n(preproc->names, at->at, at->n);
    m->is_defined = true;
    if (n > 1 && pp_token_is(&at[1], "(") && !at[1].space) {
        m->is_function = true;
        body = read_params(preproc, m, at, n);
        if (!body)
            return;
    }
    for (uint32_t i = body; i < n; i++)
        cw_vec_push(preproc->arena, &m->body, at[i]);
    cw_map_put(&preproc->macros, (uint64_t)(uintptr_t)m->name, (uint64_t)(uintptr_t)m);
}

/* ---- expansion ---- */

struct active {
    const struct active *outer;
    const struct pp_macro *macro;
    uint32_t depth;
};

struct argument {
    const struct pp_token *at;
    uint32_t n;
};

/* One use of a macro at the outermost level: where its replacement lies. */
struct use {
    const char *macro;
    uint16_t file;
    uint32_t from, to;
};

static uint32_t expand_at(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n, struct pp_tokens *out,
                          const struct active *active, const struct use *use);

static void expand_list(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n, struct pp_tokens *out,
                        const struct active *active, const struct use *use) {
    for (uint32_t i = 0; i < n && preproc->work <= PP_MAX_WORK;)
        i += expand_at(preproc, in + i, n - i, out, active, use);
}

/* The arguments of a call whose `(` is at in[1]; the number of tokens up to and with `)`, 0 when it is not closed. */
static uint32_t read_arguments(const struct pp_macro *macro, const struct pp_token *in, uint32_t n,
                               struct argument *args, uint32_t *nargs) {
    uint32_t depth = 0, from = 2;
    *nargs = 0;
    for (uint32_t i = 1; i < n && i < MAX_ARGUMENT; i++) {
        bool opens = pp_token_is(&in[i], "("), closes = pp_token_is(&in[i], ")");
        if (opens)
            depth++;
        if (closes)
            depth--;
        bool is_rest = macro->is_variadic && *nargs + 1 >= macro->nparams;
        if ((depth == 1 && pp_token_is(&in[i], ",") && !is_rest) || !depth) {
            if (*nargs < MAX_PARAMS)
                args[(*nargs)++] = (struct argument){in + from, i - from};
            from = i + 1;
        }
        if (!depth)
            return i + 1;
    }
    return 0;
}

static int param_index(const struct pp_macro *macro, const struct pp_token *token) {
    if (token->kind != CW_TOKEN_NAME)
        return -1;
    for (uint32_t i = 0; i < macro->nparams; i++)
        if (cw_str_is(text_of(token), macro->params[i]))
            return (int)i;
    if (macro->is_variadic && macro->nparams && pp_token_is(token, "__VA_ARGS__"))
        return (int)macro->nparams - 1;
    return -1;
}

static void put_token(struct pp_preproc *preproc, struct pp_tokens *out, struct pp_token token, bool space) {
    token.space |= space;
    preproc->work += preproc->made++ < CHEAP ? 1 : DEAR;
    if (preproc->work <= PP_MAX_WORK)
        cw_vec_push(preproc->arena, out, token);
}

static void put_list(struct pp_preproc *preproc, struct pp_tokens *out, const struct pp_token *at, uint32_t n,
                     bool space) {
    for (uint32_t i = 0; i < n; i++)
        put_token(preproc, out, at[i], space && i == 0);
}

static struct pp_token at_use(struct pp_token token, const struct use *use) {
    token.file = use->file;
    token.from = use->from;
    token.to = use->to;
    token.macro = use->macro;
    token.line = false;
    return token;
}

static struct pp_token stringise_argument(struct pp_preproc *preproc, const struct argument *argument,
                                          const struct use *use) {
    struct cw_buf text = {0};
    cw_buf_putc(&text, '"');
    for (uint32_t i = 0; i < argument->n && text.n < 4000; i++) {
        if (i && argument->at[i].space)
            cw_buf_putc(&text, ' ');
        for (uint32_t k = 0; k < argument->at[i].n; k++) {
            char c = argument->at[i].at[k];
            if (argument->at[i].kind == CW_TOKEN_STRING && (c == '"' || c == '\\'))
                cw_buf_putc(&text, '\\');
            cw_buf_putc(&text, c == '\n' ? ' ' : c);
        }
    }
    cw_buf_putc(&text, '"');
    struct pp_token t = {
        .at = cw_arena_strndup(preproc->arena, text.at, text.n), .n = (uint32_t)text.n, .kind = CW_TOKEN_STRING};
    cw_buf_free(&text);
    return at_use(t, use);
}

/* a ## b */
static void paste_tokens(struct pp_preproc *preproc, struct pp_token *left, const struct pp_token *right) {
    char *text = cw_arena_alloc(preproc->arena, left->n + right->n + 1);
    memcpy(text, left->at, left->n);
    memcpy(text + left->n, right->at, right->n);
    left->at = text;
    left->n += right->n;
    left->is_painted = false;
}

static bool is_paste(const struct pp_macro *macro, uint32_t i) {
    return i + 1 < macro->body.n && pp_token_is(&macro->body.at[i], "#") && pp_token_is(&macro->body.at[i + 1], "#") &&
           !macro->body.at[i + 1].space;
}

struct substitution {
    struct pp_preproc *preproc;
    const struct pp_macro *m;
    const struct argument *args;
    uint32_t nargs;
    const struct active *active;
    const struct use *use;
    struct pp_tokens *out;
    bool joins; /* `##` stands before the next token */
};

static void add_joined(struct substitution *substitution, const struct pp_token *at, uint32_t n) {
    uint32_t i = 0;
    if (substitution->joins && substitution->out->n && n)
        paste_tokens(substitution->preproc, &substitution->out->at[substitution->out->n - 1], &at[i++]);
    if (n > i) /* an argument may have no tokens at all */
        put_list(substitution->preproc, substitution->out, at + i, n - i, false);
    substitution->joins = false;
}

static void substitute_param(struct substitution *substitution, uint32_t i, int param) {
    struct argument none = {NULL, 0};
    const struct argument *a = (uint32_t)param < substitution->nargs ? &substitution->args[param] : &none;
    if (substitution->joins || is_paste(substitution->m, i + 1)) {
        bool comma = substitution->joins && substitution->out->n &&
                     pp_token_is(&substitution->out->at[substitution->out->n - 1], ",");
        if (comma && !a->n) /* `, ##__VA_ARGS__` without arguments takes the comma away */
            substitution->out->n--;
        substitution->joins &= !comma;
        add_joined(substitution, a->at, a->n);
        return;
    }
    struct pp_tokens expanded = {0};
    struct use own = *substitution->use;
    expand_list(substitution->preproc, a->at, a->n, &expanded, substitution->active->outer, &own);
    for (uint32_t k = 0; k < expanded.n; k++)
        put_token(substitution->preproc, substitution->out, expanded.at[k], k == 0);
}

static void substitute_body(struct substitution *substitution) {
    const struct pp_macro *m = substitution->m;
    for (uint32_t i = 0; i < m->body.n && substitution->preproc->work <= PP_MAX_WORK; i++) {
        const struct pp_token *t = &m->body.at[i];
        int param = param_index(m, t);
        if (is_paste(m, i)) {
            substitution->joins = substitution->out->n > 0;
            i++;
        } else if (m->is_function && pp_token_is(t, "#") && i + 1 < m->body.n &&
                   param_index(m, &m->body.at[i + 1]) >= 0) {
            struct argument none = {NULL, 0};
            uint32_t index = (uint32_t)param_index(m, &m->body.at[++i]);
            struct pp_token made =
                stringise_argument(substitution->preproc,
                                   index < substitution->nargs ? &substitution->args[index] : &none, substitution->use);
            add_joined(substitution, &made, 1);
        } else if (param >= 0) {
            substitute_param(substitution, i, param);
        } else {
            struct pp_token made = at_use(*t, substitution->use);
            add_joined(substitution, &made, 1);
        }
    }
}

static bool is_active(const struct active *active, const struct pp_macro *macro) {
    for (; active; active = active->outer)
        if (active->macro == macro)
            return true;
    return false;
}

/* __LINE__ and the like are not the analysis' business; _Pragma("unroll") is. */
static uint32_t operator_pragma(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n,
                                struct pp_tokens *out) {
    if (n < 4 || !pp_token_is(in, "_Pragma") || !pp_token_is(&in[1], "(") || in[2].kind != CW_TOKEN_STRING)
        return 0;
    if (in[2].n > 8 && memcmp(in[2].at + 1, "unroll", 6) == 0) {
        struct pp_token line = in[0];
        line.kind = CW_TOKEN_DIRECTIVE;
        line.at = cw_arena_printf(preproc->arena, "#pragma %.*s", (int)in[2].n - 2, in[2].at + 1);
        line.n = (uint32_t)strlen(line.at);
        put_token(preproc, out, line, true);
    }
    return 4;
}

static uint32_t expand_at(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n, struct pp_tokens *out,
                          const struct active *active, const struct use *use) {
    struct argument args[MAX_PARAMS];
    uint32_t nargs = 0, taken = 1;
    const struct pp_macro *m =
        in->kind == CW_TOKEN_NAME && !in->is_painted ? pp_macro_find(preproc, text_of(in)) : NULL;
    if (in->kind == CW_TOKEN_NAME && (taken = operator_pragma(preproc, in, n, out)))
        return taken;
    taken = 1;
    bool blocked = m && (is_active(active, m) || (active && active->depth >= MAX_NESTING));
    if (m && m->is_function && !blocked)
        taken = n > 1 && pp_token_is(&in[1], "(") ? read_arguments(m, in, n, args, &nargs) : 0;
    if (!m || blocked || !taken) {
        struct pp_token t = *in;
        t.is_painted |= blocked;
        put_token(preproc, out, t, false);
        return 1;
    }
    struct use own = {m->name, in->file, in->from, in[taken - 1].to};
    struct active inner = {active, m, active ? active->depth + 1 : 1};
    struct pp_tokens replaced = {0};
    struct substitution s = {preproc, m, args, nargs, &inner, use ? use : &own, &replaced, false};
    substitute_body(&s);
    uint32_t first = out->n;
    expand_list(preproc, replaced.at, replaced.n, out, &inner, s.use);
    if (out->n > first) {
        out->at[first].space = true;
        out->at[first].line |= in->line;
    }
    return taken;
}

uint32_t pp_macro_expand(struct pp_preproc *preproc, const struct pp_token *in, uint32_t n, struct pp_tokens *out) {
    return expand_at(preproc, in, n, out, NULL, NULL);
}
