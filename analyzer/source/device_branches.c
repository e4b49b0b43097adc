/* See device_branches.h. */
#include "source/device_branches.h"

#include "source/lexer.h"

#include <string.h>

enum { DEFINITIONS_MAX = 1024 };

/* A definition of a macro in a branch of a conditional. */
struct definition {
    cw_str name;
    uint32_t branch;
    bool is_device;
};

struct definitions {
    struct cw_arena *arena;
    const struct cw_branches *branches;
    const char *text;
    CW_VEC(struct definition) at;
    struct cw_vec_u32 included; /* branches that include the runtime */
};

static void begin_definition(struct definitions *definitions, struct cw_token token) {
    struct definition d = {{definitions->text + token.at, token.n}, cw_branch_at(definitions->branches, token.at),
                           false};
    if (definitions->at.n < DEFINITIONS_MAX)
        cw_vec_push(definitions->arena, &definitions->at, d);
}

/* `#include <cuda_runtime.h>`, and the like. */
static bool includes_runtime(cw_str line) {
    static const char *const names[] = {"cuda_runtime.h", "cuda_runtime_api.h", "cuda.h"};
    size_t at = 0;
    while (at < line.n && (line.at[at] == ' ' || line.at[at] == '\t'))
        at++;
    if (at == line.n || (line.at[at] != '<' && line.at[at] != '"'))
        return false;
    cw_str rest = {line.at + at + 1, line.n - at - 1};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        size_t n = strlen(names[k]);
        if (rest.n > n && !memcmp(rest.at, names[k], n) && (rest.at[n] == '>' || rest.at[n] == '"'))
            return true;
    }
    return false;
}

static void read_include(struct definitions *definitions, struct cw_token directive, size_t size) {
    size_t from = directive.at + directive.n;
    const char *start = definitions->text + from, *end = memchr(start, '\n', size - from);
    uint32_t branch = cw_branch_at(definitions->branches, directive.at);
    if (branch && includes_runtime((cw_str){start, end ? (size_t)(end - start) : size - from}))
        cw_vec_push(definitions->arena, &definitions->included, branch);
}

static void read_definitions(struct definitions *definitions, size_t size) {
    struct cw_lexer l;
    struct cw_token t;
    bool is_named = false, is_define = false; /* the directive's macro has been read; the directive is a definition */
    cw_lexer_init(&l, definitions->text, size);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END) {
        bool is_name = t.kind == CW_TOKEN_NAME && t.in_directive && is_define;
        if (t.kind == CW_TOKEN_DIRECTIVE) {
            is_define = cw_str_is(cw_token_directive(definitions->text, t), "define");
            is_named = false;
            if (cw_str_is(cw_token_directive(definitions->text, t), "include"))
                read_include(definitions, t, size);
        } else if (is_name && !is_named) {
            begin_definition(definitions, t);
            is_named = true;
        } else if (is_name && cw_str_is((cw_str){definitions->text + t.at, t.n}, "__device__")) {
            cw_vec_last(&definitions->at).is_device = true;
        }
    }
}

static bool has_other_meaning(const struct definitions *definitions, const struct definition *one) {
    for (uint32_t i = 0; i < definitions->at.n; i++) {
        const struct definition *d = &definitions->at.at[i];
        if (!d->is_device && cw_str_eq(d->name, one->name) &&
            cw_branches_exclude(definitions->branches, d->branch, one->branch))
            return true;
    }
    return false;
}

struct cw_vec_u32 cw_device_branches(struct cw_arena *a, const struct cw_branches *branches, const char *text,
                                     size_t size) {
    struct cw_vec_u32 out = {0};
    struct definitions d = {.arena = a, .branches = branches, .text = text};
    read_definitions(&d, size);
    for (uint32_t i = 0; i < d.at.n; i++) {
        const struct definition *one = &d.at.at[i];
        bool is_new = out.n == 0 || cw_vec_last(&out) != one->branch;
        if (one->is_device && one->branch && is_new && has_other_meaning(&d, one))
            cw_vec_push(a, &out, one->branch);
    }
    for (uint32_t i = 0; i < d.included.n; i++)
        cw_vec_push(a, &out, d.included.at[i]);
    return out;
}
