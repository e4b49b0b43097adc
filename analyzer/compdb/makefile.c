/* requires: the texts of Makefiles. computes: variables as they are at the end, and recipes with the heads of their
 * rules; definitions come of expanded recipes. The syntax is that of the GNU make manual, chapters 3 to 6. */
#include "compdb/makefile.h"

#include "base/intern.h"
#include "base/map.h"
#include "compdb/build_language.h"

#include <ctype.h>
#include <string.h>

enum { MAX_VALUE = 1 << 16, MAX_DEPTH = 24, MAX_INCLUDES = 32 };

enum { UNKNOWN = CW_BUILD_UNKNOWN, OWN_FILE = CW_BUILD_OWN_FILE };

struct recipe {
    const char *head; /* of its rule: targets, colon and prerequisites */
    const char *line;
};

struct cw_makefile {
    struct cw_arena *arena;
    const char *path;
    struct cw_reader reader;
    struct cw_intern names;
    struct cw_map variables; /* interned name -> text of its value */
    CW_VEC(const char *) flags; /* interned names of variables that hold options */
    CW_VEC(struct recipe) recipes;
    const char *head; /* of the rule that the next recipe lines belong to; NULL: none */
    uint32_t left; /* bytes of text that may still be read */
    uint32_t work; /* characters that may still come of expansion */
    uint32_t includes;
    bool names_nvcc, names_other, names_cuda; /* which compiler, and files that end in .cu */
    bool lacks_include; /* a file that it includes could not be read */
};

/* ---- variables ---- */

static const char *value_of(const struct cw_makefile *makefile, const char *name, size_t n) {
    uint64_t at = 0;
    const char *key = cw_intern_n((struct cw_intern *)&makefile->names, name, n);
    return cw_map_get(&makefile->variables, (uint64_t)(uintptr_t)key, &at) ? (const char *)(uintptr_t)at : NULL;
}

static void set_variable(struct cw_makefile *makefile, cw_str name, const char *value) {
    const char *key = cw_intern_n(&makefile->names, name.at, name.n);
    if (!cw_map_get(&makefile->variables, (uint64_t)(uintptr_t)key, NULL) && strstr(key, "FLAGS"))
        cw_vec_push(makefile->arena, &makefile->flags, key);
    cw_map_put(&makefile->variables, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)value);
}

struct expansion {
    struct cw_makefile *makefile;
    struct cw_buf out;
    char undefined; /* what an undefined variable gives: nothing (0) or UNKNOWN */
};

static void expand_text(struct expansion *expansion, const char *text, int depth);

/* The end of "$(…)" or "${…}", whose opening bracket stands at text[0]; NULL: there is none. */
static const char *closing_bracket(const char *text) {
    char open = *text, close = open == '(' ? ')' : '}';
    int nesting = 0;
    for (; *text; text++) {
        nesting += *text == open;
        nesting -= *text == close;
        if (!nesting)
            return text;
    }
    return NULL;
}

static void expand_variable(struct expansion *expansion, const char *name, size_t n, int depth) {
    const char *value =
        cw_build_spend(&expansion->makefile->work, n + 1) ? value_of(expansion->makefile, name, n) : NULL;
    bool is_function = memchr(name, ' ', n) || memchr(name, ':', n) || memchr(name, '$', n) || memchr(name, ',', n);
    if (value && depth < MAX_DEPTH && expansion->out.n < MAX_VALUE)
        expand_text(expansion, value, depth + 1);
    else if (value || is_function || expansion->undefined)
        cw_buf_putc(&expansion->out, UNKNOWN);
}

static void expand_text(struct expansion *expansion, const char *text, int depth) {
    for (; *text && expansion->out.n < MAX_VALUE; text++) {
        const char *close = NULL;
        if (!cw_build_spend(&expansion->makefile->work, 1)) {
            cw_buf_putc(&expansion->out, UNKNOWN);
            return;
        }
        if (*text != '$' || !text[1]) {
            cw_buf_putc(&expansion->out, *text);
            continue;
        }
        text++;
        if (strchr("<^@*?+|%", *text))
            cw_buf_putc(&expansion->out, OWN_FILE);
        else if (*text == '$')
            cw_buf_putc(&expansion->out, UNKNOWN); /* the shell's variable */
        else if (*text != '(' && *text != '{')
            expand_variable(expansion, text, 1, depth);
        else if ((close = closing_bracket(text))) {
            expand_variable(expansion, text + 1, (size_t)(close - text - 1), depth);
            text = close;
        }
    }
}

/* In the arena. */
static const char *expanded_text(struct cw_makefile *makefile, const char *text, char undefined) {
    struct expansion expansion = {.makefile = makefile, .undefined = undefined};
    expand_text(&expansion, text, 0);
    const char *out = cw_arena_strndup(makefile->arena, expansion.out.at ? expansion.out.at : "", expansion.out.n);
    cw_buf_free(&expansion.out);
    return out;
}

/* ---- conditionals ---- */

static const char *unquoted_word(struct cw_makefile *makefile, cw_str word) {
    word = cw_str_trim(word);
    if (word.n > 1 && (*word.at == '"' || *word.at == '\''))
        word = (cw_str){word.at + 1, word.n - 2};
    return expanded_text(makefile, cw_arena_strndup(makefile->arena, word.at, word.n), 0);
}

/* The end of the first operand: the comma outside of brackets in "(a,b)", the closing quote in "'a' 'b'". */
static size_t first_operand(cw_str text, bool is_bracketed) {
    int nesting = 0;
    for (size_t i = is_bracketed ? 0 : 1; i < text.n; i++) {
        nesting += text.at[i] == '(' || text.at[i] == '{';
        nesting -= text.at[i] == ')' || text.at[i] == '}';
        if (is_bracketed ? text.at[i] == ',' && !nesting : text.at[i] == *text.at)
            return is_bracketed ? i : i + 1;
    }
    return text.n;
}

static enum cw_truth are_equal(struct cw_makefile *makefile, cw_str text) {
    bool is_bracketed = text.n > 1 && *text.at == '(';
    if (is_bracketed)
        text = cw_str_trim((cw_str){text.at + 1, text.n - 1 - (text.at[text.n - 1] == ')')});
    if (!text.n)
        return CW_UNKNOWN;
    size_t end = first_operand(text, is_bracketed), behind = end + is_bracketed;
    if (behind > text.n)
        return CW_UNKNOWN;
    const char *first = unquoted_word(makefile, (cw_str){text.at, end});
    const char *second = unquoted_word(makefile, (cw_str){text.at + behind, text.n - behind});
    if (strchr(first, UNKNOWN) || strchr(second, UNKNOWN))
        return CW_UNKNOWN;
    return cw_str_eq(cw_str_trim(cw_str_of(first)), cw_str_trim(cw_str_of(second))) ? CW_TRUE : CW_FALSE;
}

static enum cw_truth is_defined(struct cw_makefile *makefile, cw_str name) {
    const char *value = value_of(makefile, name.at, name.n);
    return value && *value ? CW_TRUE : CW_FALSE;
}

static bool takes_word(cw_str *line, const char *word) {
    size_t n = strlen(word);
    if (!cw_str_starts(*line, word) || (line->n > n && (isalnum((unsigned char)line->at[n]) || line->at[n] == '_')))
        return false;
    *line = cw_str_trim((cw_str){line->at + n, line->n - n});
    return true;
}

static bool condition_of(struct cw_makefile *makefile, cw_str line, enum cw_truth *out) {
    if (takes_word(&line, "ifeq"))
        *out = are_equal(makefile, line);
    else if (takes_word(&line, "ifneq"))
        *out = cw_truth_not(are_equal(makefile, line));
    else if (takes_word(&line, "ifdef"))
        *out = is_defined(makefile, line);
    else if (takes_word(&line, "ifndef"))
        *out = cw_truth_not(is_defined(makefile, line));
    else
        return false;
    return true;
}

/* Is the line a conditional's? */
static bool take_conditional(struct cw_makefile *makefile, cw_str line, struct cw_build_branches *branches) {
    enum cw_truth condition = CW_TRUE;
    if (condition_of(makefile, line, &condition))
        cw_build_if(branches, condition);
    else if (takes_word(&line, "else")) {
        (void)condition_of(makefile, line, &condition);
        cw_build_else(branches, condition);
    } else if (takes_word(&line, "endif"))
        cw_build_endif(branches);
    else
        return false;
    return true;
}

/* ---- lines ---- */

static void read_text(struct cw_makefile *makefile, const char *folder, cw_str text);

/* False: it cannot be read. */
static bool read_file(struct cw_makefile *makefile, const char *path) {
    cw_str text = {0};
    bool is_read = cw_build_read(makefile->arena, makefile->reader, path, &makefile->left, &text);
    if (is_read && text.n) {
        const char *slash = strrchr(path, '/');
        makefile->names_nvcc |= memmem(text.at, text.n, "nvcc", 4) != NULL;
        makefile->names_other |= memmem(text.at, text.n, "hipcc", 5) != NULL;
        makefile->names_cuda |= memmem(text.at, text.n, ".cu", 3) != NULL;
        read_text(makefile, cw_arena_strndup(makefile->arena, path, (size_t)(slash - path)), text);
    }
    return is_read;
}

static void include_files(struct cw_makefile *makefile, const char *folder, cw_str names) {
    struct cw_words files = {0};
    const char *text = expanded_text(makefile, cw_arena_strndup(makefile->arena, names.at, names.n), UNKNOWN);
    cw_words_split(makefile->arena, cw_str_of(text), CW_QUOTING_SHELL, &files);
    for (uint32_t i = 0; i < files.n; i++) {
        const char *name = files.at[i];
        bool may_read = !strchr(name, UNKNOWN) && makefile->includes++ < MAX_INCLUDES;
        if (!may_read ||
            !read_file(makefile, *name == '/' ? name : cw_arena_printf(makefile->arena, "%s/%s", folder, name)))
            makefile->lacks_include = true;
    }
}

/* "NAME = value" with one of make's operators; false: the line is none. Below a condition that is not known
 * it gives the variable, or what is appended to it, a value that is not known. */
static bool take_assignment(struct cw_makefile *makefile, cw_str line, enum cw_truth is_taken) {
    size_t at = 0;
    while (at < line.n && (isalnum((unsigned char)line.at[at]) || strchr("_-.", line.at[at])))
        at++;
    cw_str name = {line.at, at};
    while (at < line.n && (line.at[at] == ' ' || line.at[at] == '\t'))
        at++;
    size_t sign = at;
    while (at < line.n && strchr(":?+!", line.at[at]))
        at++;
    if (!name.n || at >= line.n || line.at[at] != '=' || at - sign > 3)
        return false;
    cw_str value = cw_str_trim((cw_str){line.at + at + 1, line.n - at - 1});
    const char *before = value_of(makefile, name.at, name.n);
    char kind = line.at[sign];
    if (is_taken == CW_FALSE || (kind == '?' && before))
        return true;
    const char *text = cw_arena_strndup(makefile->arena, value.at, value.n);
    if (is_taken == CW_UNKNOWN)
        text = "\001";
    else if (kind == ':') /* by its value now */
        text = expanded_text(makefile, text, UNKNOWN);
    else if (kind == '!')
        text = "$(shell )";
    if (kind == '+' && before && cw_build_spend(&makefile->work, strlen(before) + value.n))
        text = cw_arena_printf(makefile->arena, "%s %s", before, text);
    set_variable(makefile, name, text);
    return true;
}

/* A rule's head, or a variable of one target alone, which is not read. */
static void take_rule(struct cw_makefile *makefile, cw_str line, bool is_taken) {
    const char *colon = memchr(line.at, ':', line.n);
    makefile->head = NULL;
    if (!colon || !is_taken || memchr(colon, '=', (size_t)(line.at + line.n - colon)))
        return;
    const char *semicolon = memchr(colon, ';', (size_t)(line.at + line.n - colon));
    makefile->head = cw_arena_strndup(makefile->arena, line.at, semicolon ? (size_t)(semicolon - line.at) : line.n);
    if (semicolon)
        cw_vec_push(makefile->arena, &makefile->recipes,
                    ((struct recipe){makefile->head, cw_arena_strndup(makefile->arena, semicolon + 1,
                                                                      (size_t)(line.at + line.n - semicolon - 1))}));
}

static void take_line(struct cw_makefile *makefile, const char *folder, const char *text,
                      struct cw_build_branches *branches) {
    cw_str line = cw_str_trim(cw_str_of(text));
    if (take_conditional(makefile, line, branches))
        return;
    bool is_taken = cw_build_here(branches) == CW_TRUE;
    if (*text == '\t' && makefile->head) {
        if (is_taken && line.n)
            cw_vec_push(makefile->arena, &makefile->recipes, ((struct recipe){makefile->head, text + 1}));
        return;
    }
    (void)(takes_word(&line, "export") || takes_word(&line, "override"));
    if (takes_word(&line, "-include") || takes_word(&line, "sinclude") || takes_word(&line, "include")) {
        if (is_taken)
            include_files(makefile, folder, line);
    } else if (line.n && !take_assignment(makefile, line, cw_build_here(branches)))
        take_rule(makefile, line, is_taken);
}

/* The next line with those that a backslash continues, without its comment. False at the end. */
static bool next_line(cw_str text, size_t *at, struct cw_buf *line) {
    bool is_comment = false;
    line->n = 0;
    if (*at >= text.n)
        return false;
    for (; *at < text.n && text.at[*at] != '\n'; ++*at) {
        bool is_continued = text.at[*at] == '\\' && *at + 1 < text.n && text.at[*at + 1] == '\n';
        is_comment |= text.at[*at] == '#' && (!*at || text.at[*at - 1] != '\\') && (!line->n || line->at[0] != '\t');
        if (is_continued)
            ++*at;
        if (!is_comment && text.at[*at] != '\r' && text.at[*at])
            cw_buf_putc(line, is_continued ? ' ' : text.at[*at]);
    }
    ++*at;
    cw_buf_add(line, "", 0);
    return true;
}

static void read_text(struct cw_makefile *makefile, const char *folder, cw_str text) {
    struct cw_build_branches branches = {.n = 0};
    struct cw_buf line = {0};
    bool in_define = false;
    for (size_t at = 0; next_line(text, &at, &line);) {
        cw_str words = cw_str_trim((cw_str){line.at, line.n});
        bool begins = takes_word(&words, "define"), ends = takes_word(&words, "endef");
        if (!in_define && !begins)
            take_line(makefile, folder, cw_arena_strndup(makefile->arena, line.at ? line.at : "", line.n), &branches);
        in_define = begins || (in_define && !ends);
    }
    cw_buf_free(&line);
}

/* With the values that the variables have at the end, as when make runs them. */
static void expand_recipes(struct cw_makefile *makefile) {
    for (uint32_t i = 0; i < makefile->recipes.n; i++) {
        struct recipe *recipe = &makefile->recipes.at[i];
        recipe->head = expanded_text(makefile, recipe->head, UNKNOWN);
        recipe->line = expanded_text(makefile, recipe->line, UNKNOWN);
    }
}

struct cw_makefile *cw_makefile_read(struct cw_arena *arena, struct cw_reader reader, const char *folder) {
    static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
    struct cw_makefile *makefile = CW_NEW(arena, struct cw_makefile);
    makefile->arena = arena;
    makefile->reader = reader;
    makefile->left = CW_BUILD_BYTES;
    makefile->work = CW_BUILD_WORK;
    cw_intern_init(&makefile->names, arena);
    cw_map_init(&makefile->variables, arena);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        makefile->path = cw_arena_printf(arena, "%s/%s", folder, names[i]);
    if (read_file(makefile, makefile->path)) {
        expand_recipes(makefile);
        return makefile;
    }
    return NULL;
}

const char *cw_makefile_path(const struct cw_makefile *makefile) {
    return makefile->path;
}

bool cw_makefile_is_for_cuda(const struct cw_makefile *makefile) {
    return makefile->names_nvcc || (makefile->names_cuda && !makefile->names_other);
}

/* ---- which line compiles a file ---- */

enum fit { FITS_NOT, FITS_ANY, FITS_PATTERN, FITS_NAME };

/* ".cu " in "%.o: %.cu Makefile", ".cu." in ".cu.o:", or at the end. */
static bool has_ending(const char *head, const char *ending) {
    size_t n = strlen(ending);
    for (const char *at = head; (at = strstr(at, ending)); at += n)
        if (!at[n] || strchr(" \t.:", at[n]))
            return true;
    return false;
}

/* A header is compiled with any source. */
static bool is_pattern_for(const char *head, const char *name) {
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx"};
    bool is_pattern = strchr(head, '%') || *head == '.';
    for (size_t i = 0; is_pattern && i < sizeof endings / sizeof *endings; i++)
        if ((cw_str_names_header(name) || cw_str_ends(cw_str_of(name), endings[i])) && has_ending(head, endings[i]))
            return true;
    return false;
}

static bool is_compiling(const char *line) {
    static const char *const marks[] = {"nvcc", " -c ", " -o ", ".cu "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(line, marks[i]))
            return true;
    return false;
}

static enum fit fit_of(const struct recipe *recipe, const char *name) {
    const char *head = recipe->head, *line = recipe->line;
    if (!is_compiling(line))
        return FITS_NOT;
    if (cw_build_names_file(line, name) || (strchr(line, OWN_FILE) && cw_build_names_file(head, name)))
        return FITS_NAME;
    return is_pattern_for(head, name) ? FITS_PATTERN : FITS_ANY;
}

void cw_makefile_definitions(struct cw_makefile *makefile, const char *name, struct cw_words *out) {
    enum fit best = FITS_NOT;
    const char *compiling = NULL;
    for (uint32_t i = 0; i < makefile->recipes.n && best < FITS_NAME; i++) {
        enum fit fit = fit_of(&makefile->recipes.at[i], name);
        if (fit > best) {
            best = fit;
            compiling = makefile->recipes.at[i].line;
        }
    }
    if (compiling)
        cw_build_definitions(makefile->arena, compiling, out);
    for (uint32_t i = 0; i < makefile->flags.n && !compiling && makefile->lacks_include; i++)
        cw_build_definitions(
            makefile->arena,
            expanded_text(makefile, value_of(makefile, makefile->flags.at[i], strlen(makefile->flags.at[i])), UNKNOWN),
            out);
}
