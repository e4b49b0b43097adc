/* requires: nothing of the text. computes: line by line, what the makers of such headers write with everything off that
 * is not for CUDA. Lines keep their numbers. */
#include "compdb/made_header.h"

#include "source/makers.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NAME = 256 };

/* No constant: what needs one is an error in the code there, and no finding rests on it. */
#define UNKNOWN "cuwarp_value_of_the_build"

/* ---- names of templates ---- */

static const char *const ends[] = {".in", ".cmakein", ".cmake.in", ".cmake", ".in.cmake"};
enum { ENDS = sizeof ends / sizeof ends[0] };

static const char *ending_of(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && !strchr(dot, '/') ? dot : NULL;
}

const char *cw_made_header_template(struct cw_arena *a, const char *name, uint32_t n) {
    const char *dot = ending_of(name);
    if (n < ENDS)
        return cw_arena_printf(a, "%s%s", name, ends[n]);
    /* "config.in.h" */
    return n == ENDS && dot ? cw_arena_printf(a, "%.*s.in%s", (int)(dot - name), name, dot) : NULL;
}

static bool is_header_end(cw_str end) {
    return cw_str_is(end, "h") || cw_str_is(end, "hpp") || cw_str_is(end, "cuh") || cw_str_is(end, "hh");
}

bool cw_made_header_is_template(cw_str name) {
    for (size_t i = 0; i < ENDS; i++) {
        if (!cw_str_ends(name, ends[i]))
            continue;
        size_t dot = name.n - strlen(ends[i]), from = dot;
        while (from && name.at[from - 1] != '.')
            from--;
        if (from && is_header_end((cw_str){name.at + from, dot - from}))
            return true;
    }
    return false;
}

/* ---- what a switch or a value is ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Among the parts between underscores? `at_end`: as the last one. */
static bool has_part(const char *name, const char *part, bool at_end) {
    size_t n = strlen(part);
    for (const char *at = name; at; at = strchr(at, '_') ? strchr(at, '_') + 1 : NULL)
        if (!strncasecmp(at, part, n) && (!at[n] || (at[n] == '_' && !at_end)))
            return true;
    return false;
}

bool cw_made_header_is_cuda_switch(const char *name) {
    static const char *const negative[] = {"NO", "NOT", "DISABLE", "DISABLED", "WITHOUT", "SKIP"};
    for (size_t i = 0; i < sizeof negative / sizeof negative[0]; i++)
        if (has_part(name, negative[i], false))
            return false;
    return (has_part(name, "CUDA", false) || has_part(name, "GPU", true)) && !cw_is_other_makers_macro(name);
}

static const char *size_of_type(const char *name) {
    static const struct {
        const char *name, *size;
    } types[] = {{"SIZEOF_CHAR", "1"},      {"SIZEOF_SHORT", "2"},      {"SIZEOF_INT", "4"},
                 {"SIZEOF_LONG", "8"},      {"SIZEOF_LONG_LONG", "8"},  {"SIZEOF_SIZE_T", "8"},
                 {"SIZEOF_VOIDP", "8"},     {"SIZEOF_VOID_P", "8"},     {"SIZEOF_POINTER", "8"},
                 {"SIZEOF_FLOAT", "4"},     {"SIZEOF_DOUBLE", "8"},     {"SIZEOF_UNSIGNED_INT", "4"},
                 {"SIZEOF_OFF_T", "8"},     {"SIZEOF_WCHAR_T", "4"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const char *at = strstr(name, types[i].name);
        if (at && !at[strlen(types[i].name)])
            return types[i].size;
    }
    return NULL;
}

static bool has_some_part(const char *name, const char *const *parts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (has_part(name, parts[i], false))
            return true;
    return false;
}

#define HAS_SOME(name, parts) has_some_part(name, parts, sizeof(parts) / sizeof *(parts))

/* What a variable of the build is taken for. A size of it is a value that nobody knows, and no array's extent. */
static const char *value_of(const char *name, bool is_definition) {
    static const char *const versions[] = {"VERSION", "MAJOR", "MINOR", "PATCH", "LEVEL", "DEBUG"};
    static const char *const sizes[] = {"MAX", "MIN", "SIZE", "COUNT", "NUM", "NUMBER", "WIDTH", "LENGTH", "BITS",
                                        "THREADS", "DIM", "DIMS", "BYTES", "VALUE", "BLOCK", "WARP", "ALIGNMENT"};
    const char *size = size_of_type(name);
    if (size)
        return size;
    if (cw_made_header_is_cuda_switch(name))
        return "1";
    if (HAS_SOME(name, versions))
        return "0";
    if (HAS_SOME(name, sizes))
        return is_definition ? UNKNOWN : "0";
    if (!is_definition)
        return has_part(name, "TYPE", false) ? "int" : "0";
    return "";
}

/* ---- lines ---- */

struct line {
    cw_str text;
    size_t word, value; /* offsets of the directive's word and of what follows it; word 0: no directive */
};

static size_t skip_blanks(cw_str text, size_t at) {
    while (at < text.n && (text.at[at] == ' ' || text.at[at] == '\t'))
        at++;
    return at;
}

static size_t skip_name(cw_str text, size_t at) {
    while (at < text.n && is_name(text.at[at]))
        at++;
    return at;
}

static struct line split_line(cw_str text) {
    struct line line = {.text = text};
    size_t mark = skip_blanks(text, 0);
    if (mark < text.n && text.at[mark] == '#') {
        line.word = skip_blanks(text, mark + 1);
        line.value = skip_blanks(text, skip_name(text, line.word));
    }
    return line;
}

static bool is_word(const struct line *line, const char *word) {
    size_t n = strlen(word);
    return line->word && line->word + n <= line->text.n && !memcmp(line->text.at + line->word, word, n) &&
           (line->word + n == line->text.n || !is_name(line->text.at[line->word + n]));
}

/* The variable's name in "@NAME@" or "${NAME}" at `at`, and where it ends; false: none begins there. */
static bool read_variable(cw_str text, size_t at, char name[MAX_NAME], size_t *end) {
    bool is_brace = at + 1 < text.n && text.at[at] == '$' && text.at[at + 1] == '{';
    size_t from = at + (is_brace ? 2 : 1), to = from;
    if (!is_brace && text.at[at] != '@')
        return false;
    while (to < text.n && (is_name(text.at[to]) || text.at[to] == '-' || text.at[to] == '.'))
        to++;
    if (to == from || to - from >= MAX_NAME || to >= text.n || text.at[to] != (is_brace ? '}' : '@'))
        return false;
    memcpy(name, text.at + from, to - from);
    name[to - from] = '\0';
    *end = to + 1;
    return true;
}

/* With the variables replaced; of one in quotes nothing is left. */
static void add_replaced(struct cw_buf *out, cw_str text, bool is_definition) {
    char name[MAX_NAME];
    bool is_quoted = false;
    for (size_t at = 0, end; at < text.n; at = end) {
        if (read_variable(text, at, name, &end)) {
            cw_buf_puts(out, is_quoted ? "" : value_of(name, is_definition));
            continue;
        }
        is_quoted ^= text.at[at] == '"';
        cw_buf_putc(out, text.at[at]);
        end = at + 1;
    }
}

static void add_switch(struct cw_buf *out, const struct line *line, bool is_number) {
    char name[MAX_NAME] = "";
    size_t end = skip_name(line->text, line->value), n = end - line->value;
    if (!n || n >= MAX_NAME)
        return;
    memcpy(name, line->text.at + line->value, n);
    name[n] = '\0';
    size_t rest = skip_blanks(line->text, end);
    cw_str value = {line->text.at + rest, line->text.n - rest};
    if (!is_number && !cw_made_header_is_cuda_switch(name) && !size_of_type(name))
        return;
    cw_buf_printf(out, "#ifndef %s\n#define %s ", name, name); /* the command line knows better */
    if (is_number)
        cw_buf_printf(out, "%d", cw_made_header_is_cuda_switch(name));
    else if (cw_str_trim(value).n)
        add_replaced(out, value, true);
    else
        cw_buf_puts(out, value_of(name, true));
    cw_buf_puts(out, "\n#endif");
}

static bool has_variable(cw_str text) {
    char name[MAX_NAME];
    for (size_t at = 0, end; at < text.n; at++)
        if (read_variable(text, at, name, &end))
            return true;
    return false;
}

static void add_line(struct cw_buf *out, cw_str text) {
    struct line line = split_line(text);
    if (is_word(&line, "cmakedefine01") || is_word(&line, "mesondefine01"))
        add_switch(out, &line, true);
    else if (is_word(&line, "cmakedefine") || is_word(&line, "mesondefine") || is_word(&line, "undef"))
        add_switch(out, &line, false);
    else if (is_word(&line, "include") && has_variable(text))
        return; /* of a header that nobody knows */
    else
        add_replaced(out, text, is_word(&line, "define"));
}

cw_str cw_made_header_text(struct cw_arena *a, cw_str text) {
    struct cw_buf out = {0};
    cw_buf_puts(&out, "extern const int " UNKNOWN ";\n");
    for (size_t at = 0; at < text.n;) {
        const char *newline = memchr(text.at + at, '\n', text.n - at);
        size_t end = newline ? (size_t)(newline - text.at) : text.n;
        add_line(&out, (cw_str){text.at + at, end - at});
        cw_buf_putc(&out, '\n');
        at = end + 1;
    }
    cw_str made = {cw_arena_strndup(a, out.n ? out.at : "", out.n), out.n};
    cw_buf_free(&out);
    return made;
}

/* ---- headers without a template ---- */

cw_str cw_made_export_header(struct cw_arena *a, const char *name) {
    static const char end[] = "_export.h";
    const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name;
    char upper[MAX_NAME];
    size_t n = strlen(from);
    if (n < sizeof end || n - (sizeof end - 1) >= MAX_NAME || !cw_str_ends(cw_str_of(from), end))
        return (cw_str){0};
    n -= sizeof end - 1;
    for (size_t i = 0; i < n; i++)
        upper[i] = is_name(from[i]) ? (char)toupper((unsigned char)from[i]) : '_';
    upper[n] = '\0';
    const char *text = cw_arena_printf(a,
                                       "#pragma once\n#define %s_EXPORT\n#define %s_NO_EXPORT\n#define %s_DEPRECATED\n"
                                       "#define %s_DEPRECATED_EXPORT\n#define %s_DEPRECATED_NO_EXPORT\n",
                                       upper, upper, upper, upper, upper);
    return cw_str_of(text);
}
