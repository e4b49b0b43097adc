/* Runs the cases of tests/ir/: text in, passes, expectations about the text that comes out.
 *
 *     ; passes: inline, promote, simplify      also: inline(N) with a budget of N instructions, condensed(N) with
 *                                          callees optimised, tails (of all functions), optimize
 *     ; has: GLOB     a line of the first function's output, after the line that the `has` before found
 *     ; not: GLOB     no such line
 *
 * In a GLOB `*` stands for any text; blanks at the start of a line do not count. */
#include "check.h"
#include "support/files.h"

#include "base/str.h"
#include "ir/ir.h"

#include <dirent.h>
#include <stdlib.h>

struct test_case {
    const char *path;
    const char *passes;
    CW_VEC(const char *) has;
    CW_VEC(const char *) not;
};

static bool glob(const char *pattern, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            retry = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static void read_expectations(struct cw_arena *a, const char *text, struct test_case *c) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        cw_str s = cw_str_trim((cw_str){line, n});
        if (cw_str_starts(s, "; passes: "))
            c->passes = cw_arena_strndup(a, s.at + 10, s.n - 10);
        else if (cw_str_starts(s, "; has: "))
            cw_vec_push(a, &c->has, cw_arena_strndup(a, s.at + 7, s.n - 7));
        else if (cw_str_starts(s, "; not: "))
            cw_vec_push(a, &c->not, cw_arena_strndup(a, s.at + 7, s.n - 7));
        line += n + (line[n] == '\n');
    }
}

static void must_verify(const struct test_case *c, const struct cw_fn *fn, const char *pass) {
    const char *wrong = cw_fn_verify(fn);
    if (wrong)
        fprintf(stderr, "%s: after %s: %s\n", c->path, pass, wrong);
    CHECK(!wrong);
}

static struct cw_fn *run_pass(struct cw_arena *a, struct cw_fn *fn, const char *pass) {
    unsigned budget = 1000000;
    if (strcmp(pass, "promote") == 0)
        cw_promote(fn);
    else if (strcmp(pass, "simplify") == 0)
        cw_simplify(fn);
    else if (strcmp(pass, "optimize") == 0)
        cw_optimize(fn);
    else if (strcmp(pass, "tails") == 0)
        for (uint32_t k = 0; k < fn->module->fns.n; k++)
            cw_tail_calls(fn->module->fns.at[k]);
    else if (sscanf(pass, "condensed(%u)", &budget) == 1)
        fn = cw_inline_condensed(fn, a, budget);
    else if (strcmp(pass, "inline") == 0 || sscanf(pass, "inline(%u)", &budget) == 1)
        fn = cw_inline(fn, a, budget);
    else
        CHECK_STR(pass, "a pass");
    return fn;
}

static const char *result_of(struct cw_arena *a, const struct test_case *c, const char *text, size_t n) {
    const char *error = "no function";
    struct cw_module *m = cw_module_parse(a, text, n, &error);
    if (!m || !m->fns.n) {
        fprintf(stderr, "%s: %s\n", c->path, error);
        exit(1);
    }
    struct cw_fn *fn = m->fns.at[0];
    must_verify(c, fn, "reading");
    char *passes = cw_arena_strdup(a, c->passes ? c->passes : ""), *rest = NULL;
    for (char *pass = strtok_r(passes, ", ", &rest); pass; pass = strtok_r(NULL, ", ", &rest)) {
        fn = run_pass(a, fn, pass);
        must_verify(c, fn, pass);
    }
    struct cw_buf out = {0};
    cw_fn_print(fn, &out);
    const char *copy = cw_arena_strdup(a, out.at);
    cw_buf_free(&out);
    return copy;
}

/* The line of `text` that matches, as the text after it; NULL when none does. */
static const char *find_line(struct cw_arena *a, const char *text, const char *pattern) {
    while (*text) {
        size_t n = strcspn(text, "\n");
        cw_str s = cw_str_trim((cw_str){text, n});
        text += n + (text[n] == '\n');
        if (glob(pattern, cw_arena_strndup(a, s.at, s.n)))
            return text;
    }
    return NULL;
}

static void run_case(const char *path) {
    struct cw_arena a;
    cw_arena_init(&a);
    size_t n;
    char *text = read_whole(path, &n);
    struct test_case c = {.path = path};
    read_expectations(&a, text, &c);
    const char *out = result_of(&a, &c, text, n), *at = out;
    int before = check_failures;
    CHECK(c.has.n + c.not.n > 0);
    for (uint32_t k = 0; k < c.has.n; k++) {
        const char *next = find_line(&a, at, c.has.at[k]);
        if (!next)
            fprintf(stderr, "%s: missing: %s\n", path, c.has.at[k]);
        CHECK(next != NULL);
        at = next ? next : at;
    }
    for (uint32_t k = 0; k < c.not.n; k++) {
        bool found = find_line(&a, out, c.not.at[k]) != NULL;
        if (found)
            fprintf(stderr, "%s: unwanted: %s\n", path, c.not.at[k]);
        CHECK(!found);
    }
    if (check_failures > before)
        fprintf(stderr, "%s", out);
    free(text);
    cw_arena_free(&a);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_case(const struct dirent *e) {
    return strncmp(e->d_name, "pass_", 5) == 0 && cw_str_ends(cw_str_of(e->d_name), ".ir");
}

int main(void) {
    struct dirent **files;
    int n = scandir(CW_TEST_DIR "/ir", &files, is_case, by_name);
    CHECK(n > 20);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/ir/%s", CW_TEST_DIR, files[i]->d_name);
        run_case(path);
        free(files[i]);
    }
    free(files);
    return check_report();
}
