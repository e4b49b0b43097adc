/* How many instances of kernels one instance of a host template makes, read from the tokens of the templates.
 *
 * requires: the texts of the templates. computes: the different argument lists with which each template names each
 * other one, multiplied along the calls. A list that holds a name which a dispatch macro is given, as in
 * `BOOL_SWITCH(x, IsEven, [&] { kernel<IsEven><<<…>>>(); })`, stands for two. It decides only how many choices of
 * arguments are worth a parser's time, so a number that is too high (branches that are never instantiated) costs
 * instances, and one that is too low costs time.
 * Cost: linear in the texts. */
#include "front/clang/assume.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "source/lexer.h"

#include <string.h>

enum { MAX_ARGUMENTS = 200, MANY = 1 << 16, DEEPEST = 8, MAX_NAMES = 32 };

/* An argument list with which a template is named. */
struct naming {
    uint32_t from, to; /* numbers of templates; to == n: a kernel that is none of them */
    uint64_t arguments;
    uint32_t times;     /* for how many lists it stands */
    uint32_t handed_on; /* arguments that are type parameters of `from`, as a mask */
};

struct names {
    cw_str at[MAX_NAMES];
    uint32_t n;
};

/* The template whose text is read. */
struct reading {
    uint32_t from;
    const struct cw_reach_template *template;
    const char *text;
    struct names switched;  /* given to macros */
    struct names variables; /* that are initialised, as in `auto kernel = &k<T>;` */
};

struct cw_reach {
    struct cw_arena *arena;
    const struct cw_reach_template *at;
    uint32_t n;
    CW_VEC(struct naming) namings;
    uint32_t *classes; /* per template: parameters that need a class, also for a template that they are handed on to */
    uint32_t *least;   /* per template, see cw_clang_least_instances() */
    uint32_t *most;    /* per template, see cw_clang_most_instances() */
    uint64_t *kernels; /* per template, see cw_clang_reached_kernels() */
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

/* The number of the name; names->n when it is none of them. */
static uint32_t find_name(const struct names *names, cw_str name) {
    uint32_t k = 0;
    while (k < names->n && !cw_str_eq(names->at[k], name))
        k++;
    return k;
}

static void add_name(struct names *names, cw_str name) {
    if (names->n < MAX_NAMES && find_name(names, name) == names->n)
        names->at[names->n++] = name;
}

static bool is_type_parameter(const struct reading *reading, struct cw_token token) {
    for (uint32_t k = 0; k < reading->template->nparameters && token.kind == CW_TOKEN_NAME; k++)
        if (reading->template->types[k] && is_text(reading->text, token, reading->template->types[k]))
            return true;
    return false;
}

/* The arguments of `<…>` that are no more than a type parameter; the lexer is behind the `<`. */
static uint32_t find_handed_on(const struct reading *reading, struct cw_lexer lexer) {
    uint32_t mask = 0, position = 0;
    struct cw_token before = {.kind = CW_TOKEN_END}, first = before;
    bool is_alone = false; /* the argument so far is the one token before */
    int depth = 1;
    for (uint32_t i = 0; i < MAX_ARGUMENTS && depth > 0 && position < 32; i++) {
        struct cw_token t = cw_lexer_next(&lexer);
        bool ends = depth == 1 && (is_text(reading->text, t, ",") || is_text(reading->text, t, ">"));
        if (t.kind == CW_TOKEN_END)
            return 0;
        if (ends) {
            mask |= is_alone && is_type_parameter(reading, before) ? 1u << position : 0;
            position++;
            first.kind = CW_TOKEN_END;
        } else {
            is_alone = first.kind == CW_TOKEN_END;
            first = is_alone ? t : first;
        }
        depth += is_text(reading->text, t, "<") || is_text(reading->text, t, "(");
        depth -= is_text(reading->text, t, ">") || is_text(reading->text, t, ")");
        before = t;
    }
    return mask;
}

/* The hash of `<…>`, whose `<` was read; 0: it is none. The lexer is behind it then. *times: for how many lists it
 * stands. */
static uint64_t read_arguments(const struct reading *reading, struct cw_lexer *lexer, uint32_t *times) {
    const char *text = reading->text;
    uint64_t hash = 1;
    uint32_t seen = 0;
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
        const struct names *switched = &reading->switched;
        uint32_t k = t.kind == CW_TOKEN_NAME ? find_name(switched, (cw_str){text + t.at, t.n}) : switched->n;
        if (k < switched->n && !(seen >> k & 1) && *times < MANY)
            *times *= 2;
        seen |= k < switched->n ? 1u << k : 0;
    }
    return depth ? 0 : hash;
}

/* A macro, as far as its name says. */
static bool is_in_capitals(cw_str name) {
    bool has_letter = false;
    for (size_t i = 0; i < name.n; i++) {
        if (name.at[i] >= 'a' && name.at[i] <= 'z')
            return false;
        has_letter |= name.at[i] >= 'A' && name.at[i] <= 'Z';
    }
    return has_letter;
}

/* Behind a macro's name: its arguments that are no more than a name. */
static void read_switched(struct reading *reading, struct cw_lexer lexer) {
    struct cw_token before = cw_lexer_next(&lexer), name = {.kind = CW_TOKEN_END};
    if (!is_text(reading->text, before, "("))
        return;
    int depth = 1;
    for (uint32_t i = 0; i < MAX_ARGUMENTS && depth > 0; i++) {
        struct cw_token t = cw_lexer_next(&lexer);
        if (t.kind == CW_TOKEN_END)
            return;
        bool ends = depth == 1 && (is_text(reading->text, t, ",") || is_text(reading->text, t, ")"));
        if (ends && name.kind == CW_TOKEN_NAME)
            add_name(&reading->switched, (cw_str){reading->text + name.at, name.n});
        bool begins = depth == 1 && (is_text(reading->text, before, "(") || is_text(reading->text, before, ","));
        name = begins ? t : (struct cw_token){.kind = CW_TOKEN_END};
        depth += is_text(reading->text, t, "(") || is_text(reading->text, t, "{") || is_text(reading->text, t, "[");
        depth -= is_text(reading->text, t, ")") || is_text(reading->text, t, "}") || is_text(reading->text, t, "]");
        before = t;
    }
}

/* At a name: which template is named, with which arguments. */
static void read_name(struct cw_reach *reach, struct reading *reading, struct cw_token name,
                      struct cw_lexer lexer) {
    const char *text = reading->text;
    cw_str spelling = {text + name.at, name.n};
    uint32_t to = find_template(reach, spelling), times = 1, handed_on = 0;
    struct cw_token next = cw_lexer_next(&lexer);
    if (is_text(text, next, "="))
        add_name(&reading->variables, spelling);
    bool is_variable = find_name(&reading->variables, spelling) < reading->variables.n;
    bool is_launch = is_text(text, next, "<<<") && !is_variable;
    uint64_t arguments = is_launch || is_text(text, next, "(") ? 1 : 0;
    if (is_text(text, next, "<")) {
        handed_on = find_handed_on(reading, lexer);
        arguments = read_arguments(reading, &lexer, &times);
        is_launch = arguments && is_text(text, cw_lexer_next(&lexer), "<<<");
    }
    if (arguments && to != reading->from && (to < reach->n || is_launch))
        add_naming(reach, (struct naming){reading->from, to, arguments, times, handed_on});
}

static void read_template_text(struct cw_reach *reach, uint32_t from) {
    cw_str text = reach->at[from].text;
    struct reading reading = {.from = from, .template = &reach->at[from], .text = text.at};
    struct cw_lexer lexer;
    struct cw_token token;
    cw_lexer_init(&lexer, text.at, text.n);
    while ((token = cw_lexer_next(&lexer)).kind != CW_TOKEN_END)
        if (token.kind == CW_TOKEN_NAME && is_in_capitals((cw_str){text.at + token.at, token.n}))
            read_switched(&reading, lexer);
        else if (token.kind == CW_TOKEN_NAME)
            read_name(reach, &reading, token, lexer);
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
            uint64_t sum = counts[naming->from] + before[naming->to] * naming->times;
            counts[naming->from] = sum < MANY ? sum : MANY;
        }
    }
}

/* Of each template: the least count of a kernel that it reaches, and which kernels these are. */
static void sum_up(struct cw_reach *reach) {
    uint64_t *counts = CW_NEW_ARRAY(reach->arena, uint64_t, reach->n + 1);
    uint64_t *before = CW_NEW_ARRAY(reach->arena, uint64_t, reach->n + 1);
    reach->least = CW_NEW_ARRAY(reach->arena, uint32_t, reach->n + 1);
    reach->most = CW_NEW_ARRAY(reach->arena, uint32_t, reach->n + 1);
    reach->kernels = CW_NEW_ARRAY(reach->arena, uint64_t, reach->n + 1);
    for (uint32_t kernel = 0; kernel <= reach->n; kernel++) {
        if (kernel < reach->n && !reach->at[kernel].is_kernel)
            continue;
        count_instances(reach, kernel, counts, before);
        for (uint32_t host = 0; host < reach->n; host++) {
            if (!counts[host])
                continue;
            if (!reach->least[host] || counts[host] < reach->least[host])
                reach->least[host] = (uint32_t)counts[host];
            if (counts[host] > reach->most[host])
                reach->most[host] = (uint32_t)counts[host];
            reach->kernels[host] = cw_mix(reach->kernels[host], kernel + 1);
        }
    }
}

static uint32_t type_parameters(const struct cw_reach_template *template) {
    uint32_t mask = 0;
    for (uint32_t k = 0; k < template->nparameters && k < 32; k++)
        mask |= template->types[k] ? 1u << k : 0;
    return mask;
}

/* Which of its parameters a template hands on is not known: all types count. */
static void find_classes(struct cw_reach *reach) {
    reach->classes = CW_NEW_ARRAY(reach->arena, uint32_t, reach->n + 1);
    for (uint32_t i = 0; i < reach->n; i++)
        reach->classes[i] = reach->at[i].classes;
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < reach->namings.n; k++) {
            const struct naming *naming = &reach->namings.at[k];
            if (reach->classes[naming->from] || !(naming->handed_on & reach->classes[naming->to]))
                continue;
            reach->classes[naming->from] = type_parameters(&reach->at[naming->from]);
            grows = true;
        }
    }
}

struct cw_reach *cw_clang_reach(struct cw_arena *a, const struct cw_reach_template *templates, uint32_t n) {
    struct cw_reach *reach = CW_NEW(a, struct cw_reach);
    *reach = (struct cw_reach){.arena = a, .at = templates, .n = n};
    for (uint32_t i = 0; i < n; i++)
        if (!templates[i].is_kernel)
            read_template_text(reach, i);
    find_classes(reach);
    sum_up(reach);
    return reach;
}

uint32_t cw_clang_most_instances(const struct cw_reach *reach, uint32_t host) {
    return reach->most[host];
}

uint32_t cw_clang_least_instances(const struct cw_reach *reach, uint32_t host) {
    return reach->least[host];
}

uint64_t cw_clang_reached_kernels(const struct cw_reach *reach, uint32_t host) {
    return reach->kernels[host];
}

bool cw_clang_is_given_classes(const struct cw_reach *reach, uint32_t i) {
    struct cw_bitset given = cw_bitset_new(reach->arena, reach->n + 1);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t k = 0; k < reach->namings.n; k++) {
            const struct naming *naming = &reach->namings.at[k];
            bool is_own = naming->to < reach->n && !(naming->handed_on & reach->classes[naming->to]);
            if (naming->to >= reach->n || cw_bitset_has(&given, naming->to) ||
                !(is_own || cw_bitset_has(&given, naming->from)))
                continue;
            cw_bitset_add(&given, naming->to);
            grows = true;
        }
    }
    return reach->classes[i] && cw_bitset_has(&given, i);
}
