/* How kernels are launched: every case of tests/analyses/launch.ir, and launch comments and texts. */
#include "check.h"
#include "support/files.h"

#include "base/str.h"
#include "cfg/cfg.h"
#include "lanes/launch_fit.h"
#include "launch/launch.h"
#include "uniformity/uniformity.h"

#include <ctype.h>
#include <inttypes.h>

struct launch_case {
    char title[160];
    struct cw_launch_options options;
    struct cw_launch_comment comment;
    struct cw_buf text, expected;
};

/* "?" for an unknown argument, with the range that is known of it: "?[..8]". */
static void print_argument(const struct cw_launch_arg *a, struct cw_buf *out) {
    if (a->known) {
        cw_buf_printf(out, "%" PRId64, a->value);
        return;
    }
    cw_buf_putc(out, '?');
    if (a->least == INT64_MIN && a->most == INT64_MAX)
        return;
    cw_buf_putc(out, '[');
    if (a->least != INT64_MIN)
        cw_buf_printf(out, "%" PRId64, a->least);
    cw_buf_puts(out, "..");
    if (a->most != INT64_MAX)
        cw_buf_printf(out, "%" PRId64, a->most);
    cw_buf_putc(out, ']');
}

static void print_launch(struct cw_buf *out, const struct cw_launch *l) {
    static const char *const sources[] = {"option", "comment", "site", "bounds", "chosen", "hypothesis"};
    const uint32_t *b = l->block;
    cw_buf_printf(out, "%s %" PRIu32 ",%" PRIu32 ",%" PRIu32, sources[l->source], b[0], b[1], b[2]);
    if (l->chosen)
        cw_buf_printf(out, " (%s)", l->chosen);
    if (l->grid_known)
        cw_buf_printf(out, " grid %" PRIu32 ",%" PRIu32 ",%" PRIu32, l->grid[0], l->grid[1], l->grid[2]);
    if (l->dynamic_known)
        cw_buf_printf(out, " smem %" PRIu64, l->dynamic_shared);
    if (l->cooperative)
        cw_buf_puts(out, " cooperative");
    for (uint32_t k = 0; k < l->nargs; k++) {
        cw_buf_puts(out, k ? " " : " args ");
        print_argument(&l->args[k], out);
    }
    if (l->exact_cover_param)
        cw_buf_printf(out, " covers %" PRIu32, l->exact_cover_param);
    if (l->cluster > 1)
        cw_buf_printf(out, " cluster %" PRIu32, l->cluster);
    else if (!l->cluster && l->source == CW_LAUNCH_SITE)
        cw_buf_puts(out, " cluster ?");
    cw_buf_putc(out, '\n');
}

static struct cw_fn *first_kernel(const struct cw_module *m) {
    for (uint32_t k = 0; k < m->fns.n; k++)
        if (m->fns.at[k]->kind == CW_FN_KERNEL)
            return m->fns.at[k];
    return NULL;
}

static void run_case(struct launch_case *c) {
    struct cw_arena a;
    struct cw_buf out = {0};
    const char *error = NULL;
    int before = check_failures;
    cw_arena_init(&a);
    struct cw_module *m = cw_module_parse(&a, c->text.at, c->text.n, &error);
    if (!m)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && c->expected.n > 0);
    if (m) {
        cw_launch_prepare_hosts(m, NULL);
        struct cw_fn *k = first_kernel(m);
        cw_cfg_build(k);
        if (c->comment.span.line)
            c->options.comments = &c->comment;
        struct cw_launches l = cw_launches_of(m, k, &c->options, cw_launch_fits, &a);
        for (uint32_t i = 0; i < l.n; i++) {
            print_launch(&out, &l.at[i]);
            CHECK_INT(l.at[i].source < CW_LAUNCH_CHOSEN, l.from_facts);
            CHECK(cw_launch_threads(&l.at[i]) >= 1 && cw_launch_threads(&l.at[i]) <= 1024);
        }
        CHECK_STR(out.at, c->expected.at);
    }
    if (check_failures != before)
        fprintf(stderr, "  … in %s\n", c->title);
    cw_buf_free(&out);
    cw_arena_free(&a);
}

static void read_option(struct launch_case *c, const char *words) {
    if (strncmp(words, "block ", 6) == 0) {
        uint32_t *b = c->options.block;
        CHECK_INT(sscanf(words + 6, "%u,%u,%u", &b[0], &b[1], &b[2]), 3);
    } else if (strncmp(words, "comment ", 8) == 0) {
        char *text;
        c->comment.span.line = (uint32_t)strtoul(words + 8, &text, 10);
        CHECK(cw_launch_comment_parse(text + strspn(text, " "), &c->comment));
        c->options.ncomments = 1;
    }
}

static void finish_case(struct launch_case *c) {
    if (c->title[0])
        run_case(c);
    cw_buf_free(&c->text);
    cw_buf_free(&c->expected);
    *c = (struct launch_case){0};
}

static int run_cases(void) {
    struct launch_case c = {0};
    size_t n;
    int cases = 0;
    char *text = read_whole(CW_TEST_DIR "/analyses/launch.ir", &n);
    for (char *line = text, *end; line < text + n; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + n - line));
        end = end ? end : text + n;
        *end = 0;
        bool is_title = strncmp(line, ";; ", 3) == 0;
        if (is_title && (!c.title[0] || c.text.n)) {
            cases++;
            finish_case(&c);
            snprintf(c.title, sizeof c.title, "%s", line + 3);
        } else if (is_title) {
            read_option(&c, line + 3);
        } else if (strncmp(line, ";> ", 3) == 0) {
            cw_buf_printf(&c.expected, "%s\n", line + 3);
        } else if (c.title[0]) {
            cw_buf_printf(&c.text, "%s\n", line);
        }
    }
    finish_case(&c);
    free(text);
    return cases;
}

static void test_comments(void) {
    struct cw_launch_comment c = {.span.line = 7};
    CHECK(cw_launch_comment_parse("cuwarp: launch block=256", &c));
    CHECK_INT(c.block[0], 256);
    CHECK_INT(c.block[1], 1);
    CHECK_INT(c.grid[0], 0);
    CHECK_INT(c.span.line, 7);
    CHECK(cw_launch_comment_parse("cuwarp:launch  block=16,8,2 smem=64 because the host says so", &c));
    CHECK_INT(c.block[1], 8);
    CHECK_INT(c.block[2], 2);
    CHECK_INT(c.dynamic_shared, 64);
    CHECK(!cw_launch_comment_parse("cuwarp: launch", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch grid=3", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=0", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=64x", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=1x1x1x1", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=2048", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=1,1,65", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: launch block=99999999999999999999", &c));
    CHECK(!cw_launch_comment_parse("cuwarp: disable launch block=32", &c));
    CHECK(!cw_launch_comment_parse("", &c));
}

static void test_texts(void) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_launch l = {.block = {128, 2, 1}, .source = CW_LAUNCH_SITE, .span.line = 40};
    CHECK_INT(cw_launch_threads(&l), 256);
    CHECK_STR(cw_launch_text(&l, &a), "block (128,2,1), from the launch at line 40");
    l.source = CW_LAUNCH_OPTION;
    CHECK_STR(cw_launch_text(&l, &a), "block (128,2,1), given by --block");
    cw_arena_free(&a);
}

static void test_shape_facts(void) {
    struct cw_launch at[2] = {{.block = {64, 1, 1}}, {.block = {96, 1, 1}}};
    struct cw_shape_facts f = cw_shape_facts_of(&(struct cw_launches){.at = at, .n = 2, .from_facts = true});
    CHECK(f.x_multiple_of_32 && f.one_dimensional && f.two_dimensional);
    CHECK_INT(f.block[0], 0);
    CHECK_INT(f.block[1], 1);
    at[1].block[0] = 16;
    at[1].block[1] = 4;
    f = cw_shape_facts_of(&(struct cw_launches){.at = at, .n = 2, .from_facts = true});
    CHECK(!f.x_multiple_of_32 && !f.one_dimensional && f.two_dimensional);
    CHECK_INT(f.block[1], 0);
    CHECK_INT(f.block[2], 1);
    f = cw_shape_facts_of(&(struct cw_launches){0});
    CHECK(!f.x_multiple_of_32 && !f.one_dimensional && !f.two_dimensional && !f.block[2]);
}

/* A helper whose launch is in its caller's copy stays as it is; a launch of an instance that is not lowered makes no
 * graph, unless another module has that kernel. */
static void test_graphs(void) {
    static const char text[] = "kernel @k(i32 %n) {\nb0:\n  return\n}\n"
                               "host @main() {\nb0:\n  call @helper(4) @3:3\n  return\n}\n"
                               "host @helper(i32 %n) {\nb0:\n"
                               "  launch @k(%n, 1, 1, 96, 1, 1, i64:0, %n) @5:3\n  return\n}\n"
                               "host @other(i32 %n) {\nb0:\n"
                               "  launch @spare(%n, 1, 1, 96, 1, 1, i64:0, %n) @9:3\n  return\n}\n";
    static const char elsewhere[] = "kernel @spare(i32 %n) {\nb0:\n  return\n}\n";
    for (int with = 0; with < 2; with++) {
        struct cw_arena a;
        const char *error = NULL;
        cw_arena_init(&a);
        struct cw_module *m = cw_module_parse(&a, text, sizeof text - 1, &error);
        struct cw_module *other = cw_module_parse(&a, elsewhere, sizeof elsewhere - 1, &error);
        cw_map_put(&m->patterns, (uint64_t)(uintptr_t)cw_intern(&m->names, "spare"),
                   (uint64_t)(uintptr_t)cw_intern(&m->names, "its template"));
        cw_launch_prepare_hosts(m, with ? other : NULL);
        CHECK(cw_module_find(m, "main")->cfg != NULL);
        CHECK(cw_module_find(m, "helper")->cfg == NULL);
        CHECK_INT(cw_module_find(m, "other")->cfg != NULL, with);
        CHECK_INT(m->launches.n, with ? 2 : 1);
        cw_arena_free(&a);
    }
}

int main(void) {
    test_graphs();
    CHECK(run_cases() >= 25);
    test_comments();
    test_texts();
    test_shape_facts();
    return check_report();
}
