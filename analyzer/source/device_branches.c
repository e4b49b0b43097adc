/* See device_branches.h. */
#include "source/device_branches.h"

#include "source/lexer.h"

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
};

static void begin_definition(struct definitions *definitions, struct cw_token token) {
    struct definition d = {{definitions->text + token.at, token.n}, cw_branch_at(definitions->branches, token.at),
                           false};
    if (definitions->at.n < DEFINITIONS_MAX)
        cw_vec_push(definitions->arena, &definitions->at, d);
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
    return out;
}
