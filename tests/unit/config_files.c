/* Configuration files: what is read, what is refused and where, which file holds, what extends what. */
#include "check.h"

#include "config/config.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_arena arena;
static const char *root;

/* The value "bad" is refused, as the command line refuses some. */
static const char *check_value(void *ctx, struct cw_arena *a, const struct cw_setting *s) {
    (void)ctx;
    return strcmp(s->value, "bad") ? NULL : cw_arena_printf(a, "%s: no", cw_key_name(s->key));
}

static struct cw_configs configs(void) {
    struct cw_configs c;
    cw_configs_init(&c, &arena, check_value, NULL);
    return c;
}

static const char *parse(const char *text, struct cw_config *out) {
    struct cw_configs c = configs();
    struct cw_settings extends = {0};
    return cw_config_parse(&c, cw_str_of(text), "/d/c.yaml", "c.yaml", out, &extends);
}

static const char *error_of(const char *text) {
    struct cw_config out;
    const char *error = parse(text, &out);
    return error ? error : "(none)";
}

/* "key=value key=value …" of a section, in order. */
static const char *text_of(const struct cw_section *s) {
    const char *text = "";
    for (uint32_t i = 0; i < s->settings.n; i++)
        text = cw_arena_printf(&arena, "%s%s%s=%s", text, *text ? " " : "", cw_key_name(s->settings.at[i].key),
                               s->settings.at[i].value);
    return text;
}

static void check_settings(const char *yaml, const char *expected) {
    struct cw_config out;
    const char *error = parse(yaml, &out);
    CHECK_STR(error ? error : text_of(out.sections.at[0]), expected);
}

static void test_values(void) {
    check_settings("", "");
    check_settings("# nothing\n", "");
    check_settings("---\n", "");
    check_settings("possible: true\npreview: false\n", "possible=true preview=false");
    check_settings("select: [mask, race]\nignore: volta\n", "select=mask select=race ignore=volta");
    check_settings("ignore: mask, race\n", "ignore=mask, race");
    check_settings("select: []\n", "select=");
    check_settings("arch: [sm_75, sm_90]\nblock: [32, 8]\n", "arch=sm_75,sm_90 block=32,8");
    check_settings("arch: 86\n", "arch=86");
    check_settings("severity: {mask: warning, race: \"info\"}\n", "severity=mask=warning severity=race=info");
    check_settings("define:\n  - A=1\n  - 'B=x y'\n", "define=A=1 define=B=x y");
    check_settings("include: [inc, /abs, ./x/, .]\n", "include=/d/inc include=/abs include=/d/x/ include=/d");
    check_settings("max-results: 10\nfail-on: error\n", "max-results=10 fail-on=error");
    check_settings("exclude: [\"build/\", \"**/*.inc\"]\n", "exclude=build/ exclude=**/*.inc");
}

static void test_wrong_keys(void) {
    CHECK_STR(error_of("ingore: x\n"), "c.yaml:1:1: unknown key 'ingore'; did you mean 'ignore'?");
    CHECK_STR(error_of("possible: true\nextend_select: x\n"),
              "c.yaml:2:1: unknown key 'extend_select'; did you mean 'extend-select'?");
    CHECK_STR(error_of("zzzzzzzz: x\n"), "c.yaml:1:1: unknown key 'zzzzzzzz'");
    CHECK_STR(error_of("overrides:\n  - paths: [a]\n    output: text\n"),
              "c.yaml:3:5: 'output' cannot differ from file to file; it stands outside of 'overrides'");
    CHECK_STR(error_of("overrides:\n  - path: [a]\n"), "c.yaml:2:5: unknown key 'path'; did you mean 'paths'?");
    CHECK_STR(error_of("possible: true\nignore: a\npossible: false\n"),
              "c.yaml:3:1: 'possible' is given twice, first in line 1");
    CHECK_STR(error_of("[a, b]\n"), "c.yaml:1:1: a configuration is a mapping of keys to values");
    CHECK_STR(error_of("text\n"), "c.yaml:1:1: a configuration is a mapping of keys to values");
}

static void test_wrong_values(void) {
    CHECK_STR(error_of("possible: yes\n"), "c.yaml:1:11: 'possible' is true or false, not 'yes'");
    CHECK_STR(error_of("possible: \"true\"\n"), "c.yaml:1:11: 'possible' is true or false, not the text \"true\"");
    CHECK_STR(error_of("possible: [true]\n"), "c.yaml:1:11: 'possible' wants a single value, not a list");
    CHECK_STR(error_of("possible:\n"), "c.yaml:1:10: 'possible' has no value");
    CHECK_STR(error_of("std: null\n"), "c.yaml:1:6: 'std' has no value");
    CHECK_STR(error_of("max-results: ten\n"), "c.yaml:1:14: 'max-results' wants a number, not 'ten'");
    CHECK_STR(error_of("ignore: {a: b}\n"), "c.yaml:1:9: 'ignore' wants a single value, not a mapping");
    CHECK_STR(error_of("ignore:\n  - a\n  - [b]\n"), "c.yaml:3:5: 'ignore' wants a single value, not a list");
    CHECK_STR(error_of("ignore:\n  - a\n  - bad\n"), "c.yaml:3:5: ignore: no");
    CHECK_STR(error_of("severity: [a]\n"),
              "c.yaml:1:11: 'severity' wants a mapping such as {mask: warning}, not a list");
    CHECK_STR(error_of("exclude: [\"!a\"]\n"), "c.yaml:1:11: '!a': a pattern cannot be negated");
    CHECK_STR(error_of("arch: []\n"), "c.yaml:1:7: 'arch' has no value");
    CHECK_STR(error_of("overrides: {paths: a}\n"), "c.yaml:1:12: 'overrides' wants a list");
    CHECK_STR(error_of("overrides: [a]\n"),
              "c.yaml:1:13: each of 'overrides' is a mapping with 'paths' and other keys");
    CHECK_STR(error_of("overrides:\n  - ignore: a\n"), "c.yaml:2:5: an override without 'paths'");
    CHECK_STR(error_of("overrides:\n  - paths: []\n"), "c.yaml:2:12: 'paths' names none");
}

static void check_refused(const char *text, const char *words) {
    const char *error = error_of(text);
    CHECK(strstr(error, words) != NULL);
    if (!strstr(error, words))
        fprintf(stderr, "  %s\n", error);
}

static void test_hostile(void) {
    check_refused("a: &x [y]\nb: *x\n", "anchors are not supported");
    check_refused("ignore: *x\n", "aliases are not supported");
    check_refused("ignore: !!str x\n", "tags are not supported");
    check_refused("--- {}\n--- {}\n", "a second document");
    check_refused("? [a]\n: b\n", "a key must be a name");
    check_refused("ignore: \"a\\0b\"\n", "control characters");
    check_refused("ignore: \"a\\nb\"\n", "line ends");
    check_refused("ignore: caf\xe9\n", "c.yaml:1:");
    check_refused("ignore: [a\n", "c.yaml:");
    check_refused("\tignore: a\n", "c.yaml:1:1");
    check_refused("\xff\xfe" "a\0:\0", "c.yaml:1:1");
    static char deep[4000], wide[300000], lengthy[8000];
    memset(deep, '[', sizeof deep - 1);
    check_refused(deep, "nested too deeply");
    int n = sprintf(wide, "ignore: [");
    for (int i = 0; i < 60000; i++)
        n += sprintf(wide + n, "a, ");
    check_refused(wide, "too many entries");
    n = sprintf(lengthy, "std: ");
    memset(lengthy + n, 'x', 6000);
    check_refused(lengthy, "a value is too long");
    char *large = calloc(2 << 20, 1);
    memset(large, '#', (2 << 20) - 1);
    check_refused(large, "too large");
    free(large);
}

static void test_overrides(void) {
    struct cw_config out;
    CHECK(parse("ignore: mask\noverrides:\n  - paths: [old/**, \"*.inc\"]\n    possible: true\n", &out) == NULL);
    CHECK_INT(out.sections.n, 2);
    CHECK_STR(text_of(out.sections.at[1]), "possible=true");
    CHECK(cw_section_matches(out.sections.at[0], "/d/a.cu") && !cw_section_matches(out.sections.at[1], "/d/a.cu"));
    CHECK(cw_section_matches(out.sections.at[1], "/d/old/x/a.cu") &&
          cw_section_matches(out.sections.at[1], "/d/x/a.inc"));
    CHECK(!cw_section_matches(out.sections.at[1], "/e/old/a.cu"));
}

static void test_excludes(void) {
    struct cw_config out;
    CHECK(parse("exclude: [build/, a.cu]\nextend-exclude: gen\n", &out) == NULL);
    const struct cw_section *const *s = out.sections.at;
    CHECK(cw_config_excludes(s, 1, "/d/build", true) && cw_config_excludes(s, 1, "/d/x/build/b.cu", false));
    CHECK(cw_config_excludes(s, 1, "/d/x/a.cu", false) && cw_config_excludes(s, 1, "/d/gen/y.cu", false));
    CHECK(!cw_config_excludes(s, 1, "/d/b.cu", false) && !cw_config_excludes(s, 1, "/e/a.cu", false));
    struct cw_config more;
    CHECK(parse("exclude: []\n", &more) == NULL); /* takes back what was excluded before */
    const struct cw_section *both[] = {s[0], more.sections.at[0]};
    CHECK(!cw_config_excludes(both, 2, "/d/a.cu", false));
}

static void test_pairs(void) {
    struct cw_configs c = configs();
    struct cw_settings got;
    CHECK(cw_config_parse_pair(&c, "ignore=[mask, race]", "/h", &got) == NULL);
    CHECK_INT(got.n, 2);
    CHECK_STR(got.at[1].value, "race");
    CHECK(cw_config_parse_pair(&c, "include=inc", "/h", &got) == NULL);
    CHECK_STR(got.at[0].value, "/h/inc");
    CHECK_STR(got.at[0].origin, "--config include=inc");
    CHECK_STR(cw_config_parse_pair(&c, "possibel=true", "/h", &got),
              "--config possibel=true: unknown key 'possibel'; did you mean 'possible'?");
    CHECK_STR(cw_config_parse_pair(&c, "possible=", "/h", &got), "--config possible=: 'possible' has no value");
    CHECK_STR(cw_config_parse_pair(&c, "ignore=[a", "/h", &got) ? "error" : "", "error");
    CHECK(strstr(cw_config_parse_pair(&c, "extend=x", "/h", &got), "stands in files only") != NULL);
}

/* ---- on the disk ---- */

static void put(const char *name, const char *text) {
    const char *path = cw_arena_printf(&arena, "%s/%s", root, name);
    char *made = cw_arena_strdup(&arena, path);
    for (char *slash = strchr(made + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(made, 0700);
        *slash = '/';
    }
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

/* All settings that hold for a directory, or the error with the folder's own name left out. */
static const char *found(const char *directory) {
    struct cw_configs c = configs();
    const char *error = NULL, *text = "";
    const struct cw_config *config = cw_config_of(&c, cw_arena_printf(&arena, "%s/%s", root, directory), &error);
    for (uint32_t i = 0; config && i < config->sections.n; i++)
        text = cw_arena_printf(&arena, "%s%s%s", text, *text ? "; " : "", text_of(config->sections.at[i]));
    if (!error)
        return text;
    char *out = cw_arena_strdup(&arena, error);
    for (char *at; (at = strstr(out, root)) != NULL;)
        memmove(at, at + strlen(root) + 1, strlen(at + strlen(root) + 1) + 1);
    return out;
}

static void test_discovery(void) {
    put(CW_CONFIG_NAME, "ignore: mask\n");
    put("a/b/c/x.cu", "");
    put("a/b/" CW_CONFIG_NAME, "ignore: race\n");
    CHECK_STR(found("a"), "ignore=mask");
    CHECK_STR(found("a/b"), "ignore=race");
    CHECK_STR(found("a/b/c"), "ignore=race");
    CHECK_STR(found("not/there"), "ignore=mask");
    put("e/" CW_CONFIG_NAME, "ingore: race\n");
    CHECK_STR(found("e"), "e/.cuwarp-lint.yaml:1:1: unknown key 'ingore'; did you mean 'ignore'?");
}

static void test_extend(void) {
    put("base.yaml", "ignore: mask\noverrides:\n  - paths: [x]\n    std: c++17\n");
    put("x/" CW_CONFIG_NAME, "ignore: race\nextend: ../base.yaml\n");
    CHECK_STR(found("x"), "ignore=mask; std=c++17; ignore=race");
    put("y/" CW_CONFIG_NAME, "extend: [../base.yaml, ../x/.cuwarp-lint.yaml]\n");
    CHECK_STR(found("y"), "ignore=mask; std=c++17; ignore=mask; std=c++17; ignore=race; ");
    put("z/" CW_CONFIG_NAME, "possible: true\nextend: ../none.yaml\n");
    CHECK_STR(found("z"), "z/../none.yaml: No such file or directory; extended from z/.cuwarp-lint.yaml:2:9");
    put("m/" CW_CONFIG_NAME, "extend: n.yaml\n");
    put("m/n.yaml", "extend: .cuwarp-lint.yaml\n");
    CHECK_STR(found("m"), "m/.cuwarp-lint.yaml: extends itself; extended from m/n.yaml:1:9"
                          "; extended from m/.cuwarp-lint.yaml:1:9");
    put("d/" CW_CONFIG_NAME, "extend: .\n");
    CHECK_STR(found("d"), "d: not a file; extended from d/.cuwarp-lint.yaml:1:9");
    for (int i = 0; i < 12; i++)
        put(cw_arena_printf(&arena, "deep/%d.yaml", i), cw_arena_printf(&arena, "extend: %d.yaml\n", i + 1));
    put("deep/12.yaml", "");
    put("deep/" CW_CONFIG_NAME, "extend: 0.yaml\n");
    CHECK(strstr(found("deep"), "extended over too many files") != NULL);
}

int main(void) {
    char made[] = "/tmp/cuwarp_config_XXXXXX";
    cw_arena_init(&arena);
    root = mkdtemp(made);
    CHECK(root != NULL);
    test_values();
    test_wrong_keys();
    test_wrong_values();
    test_hostile();
    test_overrides();
    test_excludes();
    test_pairs();
    test_discovery();
    test_extend();
    if (root && system(cw_arena_printf(&arena, "rm -r '%s'", root)))
        CHECK(false && "the folder could not be removed");
    cw_arena_free(&arena);
    return check_report();
}
