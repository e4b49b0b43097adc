/* The command line's parser, and what becomes of values. */
#include "check.h"

#include "base/str.h"
#include "cli/cli.h"
#include "config/config.h"

static struct cw_arena arena;
static struct cw_command_line line;

#define PARSE(...)                                                                                                     \
    parse((char *[]){(char *)"cuwarp-lint", __VA_ARGS__, NULL},                                                        \
          (int)(sizeof((char *[]){(char *)"", __VA_ARGS__}) / sizeof(char *)))

static const char *parse(char **argv, int argc) {
    return cw_options_parse(&arena, argc, argv, &line);
}

static void test_forms(void) {
    CHECK(PARSE("--select=a", "x.cu", "--select", "b", "-j4", "-j", "8", "-qv", "-Iinc", "-I", "inc2", "-std=c++17",
                "-", "--", "-DX", "--select") == NULL);
    CHECK_INT(line.command, CW_COMMAND_CHECK);
    CHECK_STR(cw_option_value(&line, CW_OPT_SELECT), "b");
    CHECK_STR(cw_option_value(&line, CW_OPT_JOBS), "8");
    CHECK_STR(cw_option_value(&line, CW_OPT_INCLUDE), "inc2");
    CHECK_STR(cw_option_value(&line, CW_OPT_STD), "c++17");
    CHECK(cw_option_given(&line, CW_OPT_QUIET) && cw_option_given(&line, CW_OPT_VERBOSE));
    CHECK(!cw_option_given(&line, CW_OPT_POSSIBLE));
    CHECK_INT(line.operands.n, 2);
    CHECK_STR(line.operands.at[1], "-");
    CHECK_INT(line.rest.n, 2);
}

static void test_commands(void) {
    CHECK(PARSE("explain", "all") == NULL);
    CHECK_INT(line.command, CW_COMMAND_EXPLAIN);
    CHECK(PARSE("check", "explain") == NULL);
    CHECK_INT(line.command, CW_COMMAND_CHECK);
    CHECK_STR(line.operands.at[0], "explain");
    CHECK(PARSE("src/", "rules") == NULL);
    CHECK_INT(line.command, CW_COMMAND_CHECK);
    CHECK_STR(PARSE("explian", "all"), "'explian' is not a command, and no such file exists; did you mean 'explain'?");
    CHECK(PARSE("-", "-V") == NULL);
}

static void test_errors(void) {
    CHECK_STR(PARSE("--posible"), "unknown option '--posible'; did you mean '--possible'?");
    CHECK_STR(PARSE("rules", "--select", "x"), "unknown option '--select'; see 'cuwarp-lint rules --help'");
    CHECK_STR(PARSE("--select"), "option '--select' needs a value: LIST");
    CHECK_STR(PARSE("--select="), "option '--select' needs a value: LIST");
    CHECK_STR(PARSE("-qZ"), "unknown option '-Z' in '-qZ'; see 'cuwarp-lint check --help'");
    CHECK_STR(PARSE("--quiet=1"), "option '--quiet' takes no value");
}

static void test_values(void) {
    struct cw_run_options o;
    CHECK(PARSE("--arch", "sm_90a,compute_80,75", "--block", "32,8", "--semantics=portable", "-DA=1", "--std=c++20") ==
          NULL);
    CHECK(cw_cli_run_options(&line, &arena, &o) == NULL);
    CHECK_INT(o.unit.narchs, 3);
    CHECK_INT(o.unit.archs[0], 75);
    CHECK_INT(o.unit.archs[2], 90);
    CHECK_INT(o.unit.launch.block[0], 32);
    CHECK_INT(o.unit.launch.block[1], 8);
    CHECK_INT(o.unit.launch.block[2], 1);
    CHECK_INT(o.unit.semantics, CW_SEMANTICS_PORTABLE);
    CHECK_INT(o.unit.nargs, 2);
    CHECK_STR(o.unit.args[0], "-DA=1");
    CHECK_STR(o.unit.args[1], "-std=c++20");
}

static void test_defaults(void) {
    struct cw_run_options o;
    CHECK(PARSE("a.cu") == NULL);
    CHECK(cw_cli_run_options(&line, &arena, &o) == NULL);
    CHECK_INT(o.unit.narchs, 1);
    CHECK_INT(o.unit.archs[0], 75);
    CHECK_INT(o.unit.launch.block[0], 0);
    CHECK(o.jobs >= 1 && o.time_limit == 60 && o.memory_limit == UINT64_C(2048) << 20);
}

/* Nothing that loads or runs code may reach the parser. */
static void test_compiler_arguments(void) {
    struct cw_run_options o;
    CHECK(PARSE("a.cu", "--", "-fplugin=x.so", "-isystem", "inc", "-gencode", "arch=compute_80,code=sm_80", "-Xclang",
                "-load", "-Iy", "-B/tmp", "-wrapper", "sh", "file.o") == NULL);
    CHECK(cw_cli_run_options(&line, &arena, &o) == NULL);
    CHECK_INT(o.unit.nargs, 3);
    CHECK_STR(o.unit.args[0], "-isystem");
    CHECK_STR(o.unit.args[1], "inc");
    CHECK_STR(o.unit.args[2], "-Iy");
}

static void test_help(void) {
    struct cw_buf out = {0};
    cw_options_help(CW_COMMAND_CHECK, 100, &out);
    CHECK(strstr(out.at, "  -j, --jobs N ") != NULL);
    CHECK(strstr(out.at, "\nExit status: ") != NULL);
    out.n = 0;
    cw_options_help(CW_COMMAND_RULES, 100, &out);
    CHECK(strstr(out.at, "--select") == NULL);
    CHECK(strstr(out.at, "--output") != NULL);
    cw_buf_free(&out);
}

/* Keys of a configuration are options under the same name, and what --show-settings calls a default is one. */
static void test_keys(void) {
    struct cw_run_options plain, given;
    CHECK(PARSE("a.cu") == NULL && cw_cli_run_options(&line, &arena, &plain) == NULL);
    for (int k = 0; k < CW_NKEYS; k++) {
        enum cw_key key = (enum cw_key)k;
        bool is_short = key == CW_KEY_INCLUDE || key == CW_KEY_DEFINE; /* -I, -D */
        if (cw_key_reach(key) == CW_OF_TREE || is_short)
            continue;
        const char *missing = cw_key_missing(key), *name = cw_key_name(key);
        bool is_flag = missing && (!strcmp(missing, "false") || !strcmp(missing, "true"));
        char *option = is_flag ? cw_arena_printf(&arena, "--%s", name)
                               : cw_arena_printf(&arena, "--%s=%s", name, missing ? missing : "1");
        const char *error = PARSE(option);
        CHECK_STR(error ? error : "", "");
        if (!missing || is_flag)
            continue;
        CHECK(cw_cli_run_options(&line, &arena, &given) == NULL);
        CHECK_INT(given.unit.narchs, plain.unit.narchs);
        CHECK_INT(given.unit.archs[0], plain.unit.archs[0]);
        CHECK_INT(given.unit.semantics, plain.unit.semantics);
        CHECK_INT(given.time_limit, plain.time_limit);
        CHECK_INT(given.memory_limit, plain.memory_limit);
    }
}

int main(void) {
    cw_arena_init(&arena);
    test_keys();
    test_forms();
    test_commands();
    test_errors();
    test_values();
    test_defaults();
    test_compiler_arguments();
    test_help();
    cw_arena_free(&arena);
    return check_report();
}
