/* How many instances of kernels one instance of a host template makes, read from the tokens of the templates.
 *
 * requires: the texts of the templates. computes: the different argument lists with which each template names each
 * other one, multiplied along the calls. It decides only how many choices of arguments are worth a parser's time, so a
 * number that is too high (branches that are never instantiated) costs instances, and one that is too low costs time.
 * Cost: linear in the texts. */
#include "front/clang/assume.h"

#include "base/hash.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_ARGUMENTS = 200, MANY = 1 << 16, DEEPEST = 8 };

/* An argument list with which a template is named. */
struct naming {
    uint32_t from, to; /* numbers of templates; to == n: a kernel that is none of them */
    uint64_t arguments;
};

struct cw_reach {
    struct cw_arena *arena;
    const struct cw_reach_template *at;
    uint32_t n;
    CW_VEC(struct naming) namings;
};

static uint32_t find_template(const struct cw_reach *reach, cw_str name) {
    uint32_t i = 0;
    while (i < reach->n && !cw_str_is(name, reach->at[i].name))
        i++;
    return i;
}

static void add_naming(struct cw_reach *reach, struct naming naming) {
    for (uint32_t i = 0; i < reach->namings.n; i++) {
        const struct naming *other = &reach->namings.at[i];
        if (other->from == naming.from && other->to == naming.to && other->arguments == naming.arguments)
            return;
    }
    cw_vec_push(reach->arena, &reach->namings, naming);
}

static bool is_text(const char *text, struct cw_token token, const char *other) {
    return token.kind != CW_TOKEN_END && cw_str_is((cw_str){text + token.at, token.n}, other);
}

/* The hash of `<…>`, whose `<` was read; 0: it is none. The lexer is behind it then. */
static uint64_t read_arguments(const char *text, struct cw_lexer *lexer) {
    uint64_t hash = 1;
    int depth = 1;
    for (uint32_t i = 0; i < MAX_ARGUMENTS && depth; i++) {
        struct cw_token t = cw_lexer_next(lexer);
        bool is_open = is_text(text, t, "<") || is_text(text, t, "("),
             is_close = is_text(text, t, ">") || is_text(text, t, ")");
        if (t.kind == CW_TOKEN_END || is_text(text, t, ";") || is_text(text, t, "{"))
            return 0;
        depth += is_open - is_close;
        if (t.kind != CW_TOKEN_COMMENT)
            hash = cw_hash(text + t.at, t.n, hash);
    }
    return depth ? 0 : hash;
}

/* At a name: which template is named, with which arguments. */
static void read_name(struct cw_reach *reach, uint32_t from, const char *text, struct cw_token name,
                      struct cw_lexer lexer) {
    uint32_t to = find_template(reach, (cw_str){text + name.at, name.n});
    struct cw_token next = cw_lexer_next(&lexer);
    bool is_launch = is_text(text, next, "<<<");
    uint64_t arguments = is_launch || is_text(text, next, "(") ? 1 : 0;
    if (is_text(text, next, "<")) {
        arguments = read_arguments(text, &lexer);
        is_launch = arguments && is_text(text, cw_lexer_next(&lexer), "<<<");
    }
    if (arguments && to != from && (to < reach->n || is_launch))
        add_naming(reach, (struct naming){from, to, arguments});
}

static void read_template_text(struct cw_reach *reach, uint32_t from) {
    cw_str text = reach->at[from].text;
    struct cw_lexer lexer;
    struct cw_token token;
    cw_lexer_init(&lexer, text.at, text.n);
    while ((token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END)
        if (token.kind == CW_TOKEN_NAME)
            read_name(reach, from, text.at, token, lexer);
}

struct cw_reach *cw_clang_reach(struct cw_arena *a, const struct cw_reach_template *templates, uint32_t n) {
    struct cw_reach *reach = CW_NEW(a, struct cw_reach);
    *reach = (struct cw_reach){.arena = a, .at = templates, .n = n};
    for (uint32_t i = 0; i < n; i++)
        if (!templates[i].is_kernel)
            read_template_text(reach, i);
    return reach;
}

/* Instances of `kernel` that one of each template makes, through at most DEEPEST calls. */
static void count_instances(const struct cw_reach *reach, uint32_t kernel, uint64_t *counts, uint64_t *before) {
    memset(counts, 0, (reach->n + 1) * sizeof *counts);
    counts[kernel] = 1;
    for (uint32_t depth = 0; depth < DEEPEST; depth++) {
        memcpy(before, counts, (reach->n + 1) * sizeof *counts);
        memset(counts, 0, (reach->n + 1) * sizeof *counts);
        counts[kernel] = 1;
        for (uint32_t i = 0; i < reach->namings.n; i++) {
            const struct naming *naming = &reach->namings.at[i];
            uint64_t sum = counts[naming->from] + before[naming->to];
            counts[naming->from] = sum < MANY ? sum : MANY;
        }
    }
}

uint32_t cw_clang_least_instances(const struct cw_reach *reach, uint32_t host) {
    uint64_t *counts = CW_NEW_ARRAY(reach->arena, uint64_t, reach->n + 1);
    uint64_t *before = CW_NEW_ARRAY(reach->arena, uint64_t, reach->n + 1), least = 0;
    for (uint32_t kernel = 0; kernel <= reach->n; kernel++) {
        if (kernel < reach->n && !reach->at[kernel].is_kernel)
            continue;
        count_instances(reach, kernel, counts, before);
        if (counts[host] && (!least || counts[host] < least))
            least = counts[host];
    }
    return (uint32_t)least;
}
