/* Strings with device code in other languages: values, their bytes' places, and what cannot be read. */
#include "embedded/embedded.h"

#include "check.h"

static struct cw_arena arena;

static struct cw_embedded_list find(enum cw_embedded_language language, const char *text) {
    return cw_embedded_find(&arena, language, text, strlen(text));
}

static struct cw_embedded one(enum cw_embedded_language language, const char *text) {
    struct cw_embedded_list list = find(language, text);
    CHECK_INT(list.n, 1);
    return list.n ? list.at[0] : (struct cw_embedded){.text = ""};
}

/* Bytes that stand for themselves lie where the places say, in ascending order. */
static void check_places(const struct cw_embedded *e, const char *file) {
    for (uint32_t i = 0; i < e->size; i++) {
        uint32_t from = cw_embedded_begin(e, i), to = cw_embedded_end(e, i + 1);
        CHECK(from < to && to <= strlen(file));
        CHECK(i == 0 || cw_embedded_end(e, i) <= from);
        CHECK(to - from > 1 || file[from] == e->text[i]);
    }
}

static void value(enum cw_embedded_language language, const char *file, const char *expected, bool takes_edits) {
    struct cw_embedded e = one(language, file);
    CHECK_STR(e.text, expected);
    CHECK_INT(e.size, strlen(expected));
    CHECK_INT(e.takes_edits, takes_edits);
    CHECK_STR(e.obstacle ? e.obstacle : "", "");
    check_places(&e, file);
}

static void test_cpp_values(void) {
    value(CW_EMBEDDED_CPP, "auto s = R\"(__global__ \\n \")\";", "__global__ \\n \"", true);
    value(CW_EMBEDDED_CPP, "auto s = u8R\"x(__global__ )\" )x\";", "__global__ )\" ", true);
    value(CW_EMBEDDED_CPP, "s = \"__global__\\t\\\"a\\\\n\\\"\\n\";", "__global__\t\"a\\n\"\n", false);
    value(CW_EMBEDDED_CPP, "s = \"__glo\" /* x */ \"bal__\\x41\" // y\n L\"\\101\\?\";", "__global__AA?", false);
    value(CW_EMBEDDED_CPP, "s = \"__glo\\\nbal__ a\\\r\nb\";", "__global__ ab", false);
    value(CW_EMBEDDED_CPP, "#define S \"__global__ \" \\\n \"f\"\n\"g\"", "__global__ f", false);
    value(CW_EMBEDDED_CPP, "s = \"__global__ void f()\";", "__global__ void f()", true);
}

static void test_python_values(void) {
    value(CW_EMBEDDED_PYTHON, "s = r'''__global__ \\n'''", "__global__ \\n", true);
    value(CW_EMBEDDED_PYTHON, "s = '__global__ \\'a\\'\\q'", "__global__ 'a'\\q", false);
    value(CW_EMBEDDED_PYTHON, "s = f('__global__', # '__device__\n  b\"x\"\n )\n", "__global__", true);
    value(CW_EMBEDDED_PYTHON, "s = ('__global__ ' # '\n  b\"x\"\n )\n", "__global__ x", false);
    value(CW_EMBEDDED_PYTHON, "s = '__global__ a\\\r\nb' \\\n 'c'\n'__device__'", "__global__ abc", false);
    value(CW_EMBEDDED_PYTHON, "s = f'''__global__ {{ }}'''", "__global__ { }", false);
    value(CW_EMBEDDED_PYTHON, "s = FR'__global__'", "__global__", false);
    value(CW_EMBEDDED_PYTHON, "s = '''__global__ ' '' '''", "__global__ ' '' ", true);
    value(CW_EMBEDDED_PYTHON, "s = R'__global__ \\''", "__global__ \\'", true);
    value(CW_EMBEDDED_PYTHON, "x = 1 % 2\ns = '__global__ % f'\n", "__global__ % f", true);
}

static void obstacle(enum cw_embedded_language language, const char *file, const char *words) {
    struct cw_embedded e = one(language, file);
    CHECK(e.obstacle && strstr(e.obstacle, words));
    if (!e.obstacle)
        fprintf(stderr, "no obstacle: %s\n", file);
}

static void test_obstacles(void) {
    obstacle(CW_EMBEDDED_PYTHON, "s = f'__global__ {name}'", "f-string");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__' % x", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__ %(type)s f'", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = ('__global__').format(3)", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__'\nm = RawModule(code=s.replace('a', 'b'))", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = Template('__global__')", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__ ${T} f'", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__ {% if a %}'", "filled in");
    obstacle(CW_EMBEDDED_PYTHON, "s = '__global__ f() { int a[' + n + ']; }'", "put together");
    obstacle(CW_EMBEDDED_CPP, "s = \"__global__ \" NAME;", "put together");
    obstacle(CW_EMBEDDED_CPP, "s = NAME \"__global__ \";", "put together");
    obstacle(CW_EMBEDDED_CPP, "snprintf(b, n, \"__global__ %d\", x);", "filled in");
    obstacle(CW_EMBEDDED_CPP, "auto t = at::jit::CodeTemplate(R\"(__global__)\");", "filled in");
    obstacle(CW_EMBEDDED_CPP, "const char s[] = \"__global__\"; x = fmt::format(s, 1);", "filled in");
}

static void test_what_is_none(void) {
    CHECK_INT(find(CW_EMBEDDED_PYTHON, "'''__global__'''\n").n, 0);
    CHECK_INT(find(CW_EMBEDDED_PYTHON, "def f():\n  '__global__'\n  return 1\n").n, 0);
    CHECK_INT(find(CW_EMBEDDED_PYTHON, "# '__global__'\nx = 'y'\n").n, 0);
    CHECK_INT(find(CW_EMBEDDED_CPP, "// \"__global__\"\n__global__ void f();").n, 0);
    CHECK_INT(find(CW_EMBEDDED_NONE, "s = \"__global__\";").n, 0);
    CHECK_INT(find(CW_EMBEDDED_CPP, "").n, 0);
}

static void test_conditionals_balance(void) {
    value(CW_EMBEDDED_CPP, "s = R\"(\n#if A\n__global__ f() {\n#else\n__device__ f() {\n#endif\n})\";",
          "\n#if A\n__global__ f() {\n#else\n__device__ f() {\n#endif\n}", true);
}

static void test_who_compiles(void) {
    CHECK(one(CW_EMBEDDED_PYTHON, "import cupy\ns = '__global__'").is_rtc);
    CHECK(!one(CW_EMBEDDED_PYTHON, "m = SourceModule('__global__')").is_rtc);
    CHECK(one(CW_EMBEDDED_CPP, "nvrtcCreateProgram(&p, \"__global__\");").is_rtc);
}

/* Cut anywhere, in both languages: never a place outside, never a crash. */
static void test_cut(void) {
    static const char text[] =
        "s = f'''__global__ {{ \\x4 \\' }}''' R\"a(__device__)a\" \"__global__\\\\\\1\\\r\n\" '\\";
    for (size_t n = 0; n <= sizeof text - 1; n++)
        for (int language = CW_EMBEDDED_CPP; language <= CW_EMBEDDED_PYTHON; language++) {
            char *cut = cw_arena_strndup(&arena, text, n);
            struct cw_embedded_list list = cw_embedded_find(&arena, (enum cw_embedded_language)language, cut, n);
            for (uint32_t i = 0; i < list.n; i++)
                check_places(&list.at[i], cut);
        }
}

int main(void) {
    cw_arena_init(&arena);
    test_cpp_values();
    test_python_values();
    test_obstacles();
    test_what_is_none();
    test_conditionals_balance();
    test_who_compiles();
    test_cut();
    cw_arena_free(&arena);
    return check_report();
}
