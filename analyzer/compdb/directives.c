/* Lines are found by their '#'. One in a comment or a raw string counts too: all that comes of it is a directory that
 * is looked into, or an architecture parsed for, without need. */
#include "compdb/directives.h"

#include <ctype.h>
#include <string.h>

enum {
    MAX_INCLUDES = 4096,
    MAX_NUMBERS = 256,
    MAX_NAME = 1024,
    MAX_MACROS = 64,
    LOWEST_ARCH = 200,
    HIGHEST_ARCH = 9999
};

/* __CUDA_ARCH__, __CUDA_ARCH_FEAT_SM90_ALL, … */
static const char arch_macro[] = "__CUDA_ARCH_";

struct reading {
    struct cw_arena *arena;
    struct cw_directives *out;
    cw_str text;
    size_t arch_at; /* the next place of arch_macro, or the text's size */
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_digit(char c) {
    return isdigit((unsigned char)c);
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static size_t skip_blanks(cw_str text, size_t at) {
    while (at < text.n && is_blank(text.at[at]))
        at++;
    return at;
}

/* Does nothing but blanks stand before `at` on its line? */
static bool begins_line(cw_str text, size_t at) {
    while (at > 0 && is_blank(text.at[at - 1]))
        at--;
    return at == 0 || text.at[at - 1] == '\n' || text.at[at - 1] == '\r';
}

/* The end of the directive's line, with the lines that backslashes join to it. */
static size_t line_end(cw_str text, size_t at) {
    for (;;) {
        const char *newline = memchr(text.at + at, '\n', text.n - at);
        if (!newline)
            return text.n;
        size_t end = (size_t)(newline - text.at), last = end;
        if (last > at && text.at[last - 1] == '\r')
            last--;
        if (last == at || text.at[last - 1] != '\\')
            return end;
        at = end + 1;
    }
}

static bool opens_name(cw_str line, size_t at) {
    return at < line.n && (line.at[at] == '"' || line.at[at] == '<');
}

/* Is it the first of a line in a string literal, "#include <, R"(#include <, \n#include \"? Its name's place in *name.
 */
static bool begins_literal_line(cw_str text, size_t at, size_t *name) {
    size_t word = skip_blanks(text, at + 1);
    if (word + 7 >= text.n || memcmp(text.at + word, "include", 7) != 0)
        return false;
    *name = skip_blanks(text, word + 7);
    *name += *name < text.n && text.at[*name] == '\\';
    while (at > 0 && is_blank(text.at[at - 1]))
        at--;
    char before = at ? text.at[at - 1] : '\0';
    bool begins = before == '"' || before == '(' || (before == 'n' && at > 1 && text.at[at - 2] == '\\');
    return begins && opens_name(text, *name);
}

/* "name" or <name> at `at`; .name is NULL when there is none, or none that can be meant. *n: its length. */
static struct cw_include read_name(struct cw_arena *a, cw_str line, size_t at, size_t *n) {
    struct cw_include include = {.angled = line.at[at++] == '<'};
    const char *close = memchr(line.at + at, include.angled ? '>' : '"', line.n - at);
    *n = close ? (size_t)(close - line.at) - at : 0;
    if (*n && line.at[at + *n - 1] == '\\')
        --*n;
    if (*n && *n <= MAX_NAME && !memchr(line.at + at, '\0', *n))
        include.name = cw_arena_strndup(a, line.at + at, *n);
    return include;
}

/* #include NAME, with nothing but a comment behind it. */
static void take_macro(struct reading *reading, cw_str line, size_t at) {
    size_t end = at;
    while (end < line.n && is_name(line.at[end]))
        end++;
    size_t behind = skip_blanks(line, end);
    bool ends = behind >= line.n || line.at[behind] == '\r' || line.at[behind] == '/';
    if (end > at && ends && reading->out->macro_includes.n < MAX_MACROS)
        cw_vec_push(reading->arena, &reading->out->macro_includes,
                    (const char *)cw_arena_strndup(reading->arena, line.at + at, end - at));
    else
        reading->out->is_open = true;
}

static void take_include(struct reading *reading, cw_str line, size_t at, bool is_optional) {
    at = skip_blanks(line, at);
    struct cw_include include = {0};
    size_t n = 0;
    if (!opens_name(line, at)) {
        take_macro(reading, line, at);
    } else if (reading->out->includes.n >= MAX_INCLUDES || !(include = read_name(reading->arena, line, at, &n)).name) {
        reading->out->is_open |= n != 0;
    } else {
        include.is_optional = is_optional;
        cw_vec_push(reading->arena, &reading->out->includes, include);
    }
}

static void add_number(struct reading *reading, uint32_t number) {
    if (number < LOWEST_ARCH || number > HIGHEST_ARCH)
        return;
    for (uint32_t i = 0; i < reading->out->arch_numbers.n; i++)
        if (reading->out->arch_numbers.at[i] == number)
            return;
    reading->out->computes_arch |= reading->out->arch_numbers.n >= MAX_NUMBERS;
    if (reading->out->computes_arch)
        return;
    cw_vec_push(reading->arena, &reading->out->arch_numbers, number);
}

/* "#if __CUDA_ARCH__ >= 700" and "#define CC_VOLTA 700": whichever macro it goes through, a number of a directive. */
static void take_numbers(struct reading *reading, cw_str line) {
    for (size_t i = 0; i < line.n; i++) {
        if (!is_digit(line.at[i]) || (i && is_name(line.at[i - 1])))
            continue;
        uint32_t number = 0;
        for (; i < line.n && is_digit(line.at[i]); i++)
            number = number <= HIGHEST_ARCH ? number * 10 + (uint32_t)(line.at[i] - '0') : number;
        add_number(reading, number);
    }
}

static void find_arch(struct reading *reading, size_t from) {
    cw_str rest = {reading->text.at + from, from < reading->text.n ? reading->text.n - from : 0};
    const char *found = rest.n ? memmem(rest.at, rest.n, arch_macro, sizeof arch_macro - 1) : NULL;
    reading->arch_at = found ? (size_t)(found - reading->text.at) : reading->text.n;
    reading->out->names_arch |= found != NULL;
}

/* `#define REGISTER(T) void run_##T(params &p) { launch<T>(p); }`: the functions of a file that holds nothing else. */
static bool makes_function(cw_str line, size_t at) {
    const char *brace = memchr(line.at + at, '{', line.n - at);
    size_t before = brace ? (size_t)(brace - line.at) : 0;
    while (before > at && strchr(" \t\r\n\\", line.at[before - 1]))
        before--;
    return before > at && line.at[before - 1] == ')' && memchr(brace, '<', line.n - (size_t)(brace - line.at));
}

/* `#define LAUNCH(f, g, b, ...) f<<<g, b>>>(__VA_ARGS__)` */
static void take_launch_macro(struct reading *reading, cw_str line, size_t at) {
    if (!memmem(line.at + at, line.n - at, "<<<", 3) && !makes_function(line, at))
        return;
    size_t from = skip_blanks(line, at), to = from;
    while (to < line.n && is_name(line.at[to]))
        to++;
    if (to > from)
        cw_vec_push(reading->arena, &reading->out->launch_macros,
                    (const char *)cw_arena_strndup(reading->arena, line.at + from, to - from));
}

static void take_line(struct reading *reading, size_t from, size_t to) {
    cw_str line = {reading->text.at + from, to - from};
    size_t at = skip_blanks(line, 1);
    if (reading->arch_at < from)
        reading->out->computes_arch = true;
    if (reading->arch_at < to)
        find_arch(reading, to);
    if (line.n - at > 7 && !memcmp(line.at + at, "include", 7))
        take_include(reading, line, at + 7, false);
    else if (line.n - at > 6 && !memcmp(line.at + at, "import", 6))
        take_include(reading, line, at + 6, false);
    else
        take_numbers(reading, line);
    if (line.n - at > 7 && !memcmp(line.at + at, "define", 6))
        take_launch_macro(reading, line, at + 6);
}

/* __has_include("name"): whether it is there makes a difference. The bare word asks about the compiler only. */
static void take_questions(struct reading *reading) {
    static const char question[] = "__has_include";
    cw_str s = reading->text;
    for (size_t at = 0; at < s.n;) {
        const char *found = memmem(s.at + at, s.n - at, question, sizeof question - 1);
        if (!found)
            return;
        at = skip_blanks(s, (size_t)(found - s.at) + sizeof question - 1);
        if (at < s.n && s.at[at] == '_')
            reading->out->is_open = true;
        if (at >= s.n || s.at[at] != '(')
            continue;
        at = skip_blanks(s, at + 1);
        cw_str line = {s.at, line_end(s, at)};
        if (opens_name(line, at))
            take_include(reading, line, at, true);
        else
            reading->out->is_open = true;
    }
}

static size_t skip_back(cw_str text, size_t at) {
    while (at > 0 && is_blank(text.at[at - 1]))
        at--;
    return at;
}

/* Does a line's "#define " stand before `at`? */
static bool is_defined_at(cw_str text, size_t at) {
    size_t before = skip_back(text, at);
    if (before == at || before < 7 || memcmp(text.at + before - 6, "define", 6) != 0)
        return false;
    size_t mark = skip_back(text, before - 6);
    return mark > 0 && text.at[mark - 1] == '#' && begins_line(text, mark - 1);
}

bool cw_directives_header_macro(struct cw_arena *a, cw_str text, const char *name, struct cw_includes_list *out) {
    size_t length = strlen(name), n;
    for (size_t at = 0; at < text.n;) {
        const char *found = memmem(text.at + at, text.n - at, name, length);
        if (!found)
            return true;
        size_t from = (size_t)(found - text.at);
        at = from + length;
        if (!is_defined_at(text, from) || (at < text.n && is_name(text.at[at])))
            continue;
        cw_str line = {text.at, line_end(text, at)};
        size_t value = skip_blanks(line, at);
        struct cw_include include = {0};
        if (opens_name(line, value))
            include = read_name(a, line, value, &n);
        if (!include.name)
            return false;
        cw_vec_push(a, out, include);
    }
    return true;
}

void cw_directives_read(struct cw_arena *a, cw_str text, struct cw_directives *out) {
    struct reading r = {.arena = a, .out = out, .text = text};
    *out = (struct cw_directives){0};
    out->has_kernels = text.n && memmem(text.at, text.n, "__global__", 10);
    out->has_launches = text.n && memmem(text.at, text.n, "<<<", 3);
    if (out->has_kernels || out->has_launches || cw_kernel_names_asks(text))
        cw_kernel_names_read(a, text, &out->kernels, &out->launched);
    find_arch(&r, 0);
    for (size_t at = 0; at < text.n;) {
        const char *mark = memchr(text.at + at, '#', text.n - at);
        if (!mark)
            break;
        at = (size_t)(mark - text.at);
        size_t end = at + 1, name;
        if (begins_line(text, at)) {
            end = line_end(text, at);
            take_line(&r, at, end);
        } else if (begins_literal_line(text, at, &name)) {
            take_include(&r, (cw_str){text.at, line_end(text, name)}, name, false);
        }
        at = end;
    }
    out->computes_arch |= r.arch_at < text.n;
    take_questions(&r);
}
