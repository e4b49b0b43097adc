/* requires: the texts of CMakeLists.txt files, folder by folder. computes: commands in their order, as the manual
 * cmake-language(7) reads them; functions and macros of the project are not called. */
#include "compdb/cmake_lists.h"

#include "base/intern.h"
#include "base/map.h"
#include "compdb/build_language.h"
#include "compdb/made_header.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { MAX_VALUE = 1 << 16, MAX_DEPTH = 24, MAX_INCLUDES = 32 };

enum { UNKNOWN = CW_BUILD_UNKNOWN };

struct target {
    const char *name;
    const char *sources; /* with spaces between them */
    struct cw_words definitions;
};

struct cw_cmake_lists {
    struct cw_arena *arena;
    struct cw_reader reader;
    const struct cw_cmake_lists *above;
    const char *folder;
    struct cw_intern names;
    struct cw_map variables; /* interned name -> text of its value */
    struct cw_words definitions;
    CW_VEC(struct target) targets;
    uint32_t left; /* bytes of text that may still be read */
    uint32_t work; /* characters that may still come of expansion */
    uint32_t includes;
    uint32_t uncalled; /* depth of functions, macros and loops around the present command */
};

/* A command with its arguments, which are not expanded. */
struct command {
    const char *name;
    CW_VEC(const char *) args;
};

/* ---- variables ---- */

static const char *value_of(const struct cw_cmake_lists *lists, const char *name) {
    for (; lists; lists = lists->above) {
        uint64_t at = 0;
        const char *key = cw_intern((struct cw_intern *)&lists->names, name);
        if (cw_map_get(&lists->variables, (uint64_t)(uintptr_t)key, &at))
            return (const char *)(uintptr_t)at;
    }
    return NULL;
}

static void set_variable(struct cw_cmake_lists *lists, const char *name, const char *value) {
    cw_map_put(&lists->variables, (uint64_t)(uintptr_t)cw_intern(&lists->names, name), (uint64_t)(uintptr_t)value);
}

static void expand_text(struct cw_cmake_lists *lists, const char *text, struct cw_buf *out, int depth) {
    for (; *text && out->n < MAX_VALUE; text++) {
        if (!cw_build_spend(&lists->work, 1)) {
            cw_buf_putc(out, UNKNOWN);
            return;
        }
        const char *close = text[0] == '$' && text[1] == '{' ? strchr(text, '}') : NULL;
        if (!close) {
            cw_buf_putc(out, *text);
            continue;
        }
        const char *name = cw_arena_strndup(lists->arena, text + 2, (size_t)(close - text - 2));
        const char *value = strchr(name, '$') || depth > MAX_DEPTH ? NULL : value_of(lists, name);
        if (value)
            expand_text(lists, value, out, depth + 1);
        else if (!strcmp(name, "CMAKE_CURRENT_SOURCE_DIR") || !strcmp(name, "CMAKE_CURRENT_LIST_DIR"))
            cw_buf_puts(out, lists->folder);
        else
            cw_buf_putc(out, UNKNOWN);
        text = close;
    }
}

/* Arguments from `first` on as one text with spaces between them. In the arena. */
static const char *joined_arguments(struct cw_cmake_lists *lists, const struct command *command, uint32_t first) {
    struct cw_buf out = {0};
    for (uint32_t i = first; i < command->args.n; i++) {
        if (i > first)
            cw_buf_putc(&out, ' ');
        expand_text(lists, command->args.at[i], &out, 0);
    }
    for (size_t i = 0; i < out.n; i++)
        if (out.at[i] == ';') /* a list */
            out.at[i] = ' ';
    const char *text = cw_arena_strndup(lists->arena, out.at ? out.at : "", out.n);
    cw_buf_free(&out);
    return text;
}

static void append_value(struct cw_cmake_lists *lists, const char *name, const char *more) {
    const char *before = value_of(lists, name);
    bool is_longer = before && cw_build_spend(&lists->work, strlen(before) + strlen(more));
    set_variable(lists, name, is_longer ? cw_arena_printf(lists->arena, "%s %s", before, more) : more);
}

/* set(NAME values… [CACHE type text [FORCE]] [PARENT_SCOPE]) */
static void set_values(struct cw_cmake_lists *lists, const struct command *command) {
    struct command values = *command;
    for (uint32_t i = 1; i < command->args.n; i++) {
        bool is_cached = !strcmp(command->args.at[i], "CACHE");
        if (!is_cached && strcmp(command->args.at[i], "PARENT_SCOPE") != 0)
            continue;
        values.args.n = i;
        if (is_cached && value_of(lists, command->args.at[0])) /* of the command line or above: it stays */
            return;
        break;
    }
    set_variable(lists, command->args.at[0], joined_arguments(lists, &values, 1));
}

/* ---- conditions ---- */

static enum cw_truth truth_of_word(const struct cw_cmake_lists *lists, const char *word, int depth) {
    static const char *const yes[] = {"1", "ON", "YES", "TRUE", "Y"};
    static const char *const no[] = {"0", "OFF", "NO", "FALSE", "N", "IGNORE", "NOTFOUND", ""};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!strcasecmp(word, yes[i]))
            return CW_TRUE;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (!strcasecmp(word, no[i]))
            return CW_FALSE;
    if (cw_made_header_is_cuda_switch(word))
        return CW_TRUE;
    const char *value = depth ? NULL : value_of(lists, word);
    return value ? truth_of_word(lists, value, depth + 1) : CW_UNKNOWN;
}

/* Words with NOT, AND and OR; brackets and comparisons are not followed. */
static enum cw_truth condition_of(struct cw_cmake_lists *lists, const struct command *command) {
    enum cw_truth any = CW_FALSE, all = CW_TRUE;
    bool is_negated = false, wants_word = true;
    for (uint32_t i = 0; i < command->args.n; i++) {
        const char *word = command->args.at[i];
        if (wants_word && !strcmp(word, "NOT"))
            is_negated = !is_negated;
        else if (wants_word) {
            struct command one = {.args = {.at = command->args.at + i, .n = 1}};
            enum cw_truth truth = truth_of_word(lists, joined_arguments(lists, &one, 0), 0);
            all = cw_truth_and(all, is_negated ? cw_truth_not(truth) : truth);
            wants_word = is_negated = false;
        } else if (!strcmp(word, "AND"))
            wants_word = true;
        else if (!strcmp(word, "OR")) {
            any = cw_truth_not(cw_truth_and(cw_truth_not(any), cw_truth_not(all)));
            all = CW_TRUE;
            wants_word = true;
        } else
            return CW_UNKNOWN;
    }
    return wants_word ? CW_UNKNOWN : cw_truth_not(cw_truth_and(cw_truth_not(any), cw_truth_not(all)));
}

/* ---- definitions ---- */

/* "$<$<COMPILE_LANGUAGE:CUDA>:-DX>" is -DX for these files; other generator expressions are unknown. */
static const char *for_cuda(struct cw_cmake_lists *lists, const char *arg) {
    static const char mark[] = "$<$<COMPILE_LANGUAGE:CUDA>:";
    size_t n = strlen(arg), skipped = sizeof mark - 1;
    if (strncmp(arg, mark, skipped) != 0 || arg[n - 1] != '>')
        return strstr(arg, "$<") ? "" : arg;
    const char *inner = cw_arena_strndup(lists->arena, arg + skipped, n - skipped - 1);
    return strstr(inner, "$<") ? "" : inner;
}

static bool is_scope(const char *word) {
    return !strcmp(word, "PRIVATE") || !strcmp(word, "PUBLIC") || !strcmp(word, "INTERFACE");
}

/* For a splitter of shell words: an argument's quotes and backslashes are its own. */
static const char *escaped_text(struct cw_arena *arena, const char *text) {
    struct cw_buf out = {0};
    for (; *text; text++) {
        if (strchr("\"'\\", *text))
            cw_buf_putc(&out, '\\');
        cw_buf_putc(&out, *text);
    }
    const char *copy = cw_arena_strndup(arena, out.at ? out.at : "", out.n);
    cw_buf_free(&out);
    return copy;
}

/* Words of the arguments: options with -D, or plain definitions with or without it. */
static void take_definitions(struct cw_cmake_lists *lists, const struct command *command, uint32_t first,
                             bool are_options, struct cw_words *out) {
    struct cw_words words = {0};
    struct command selected = {.args = {0}};
    for (uint32_t i = first; i < command->args.n; i++)
        cw_vec_push(lists->arena, &selected.args, for_cuda(lists, command->args.at[i]));
    const char *text = escaped_text(lists->arena, joined_arguments(lists, &selected, 0));
    if (are_options) {
        cw_build_definitions(lists->arena, text, out);
        return;
    }
    cw_words_split(lists->arena, cw_str_of(text), CW_QUOTING_SHELL, &words);
    for (uint32_t i = 0; i < words.n; i++)
        if (!is_scope(words.at[i]))
            cw_build_add_definition(lists->arena, words.at[i] + 2 * !strncmp(words.at[i], "-D", 2), out);
}

static struct target *target_of(struct cw_cmake_lists *lists, const char *name) {
    for (uint32_t i = 0; i < lists->targets.n; i++)
        if (!strcmp(lists->targets.at[i].name, name))
            return &lists->targets.at[i];
    cw_vec_push(lists->arena, &lists->targets, ((struct target){.name = name, .sources = ""}));
    return &lists->targets.at[lists->targets.n - 1];
}

static void add_sources(struct cw_cmake_lists *lists, const struct command *command) {
    struct command one = {.args = {.at = command->args.at, .n = 1}};
    struct target *target = target_of(lists, joined_arguments(lists, &one, 0));
    const char *sources = joined_arguments(lists, command, 1);
    if (cw_build_spend(&lists->work, strlen(target->sources) + strlen(sources)))
        target->sources = cw_arena_printf(lists->arena, "%s %s", target->sources, sources);
}

/* ---- commands ---- */

static void read_text(struct cw_cmake_lists *lists, cw_str text);

static bool read_file(struct cw_cmake_lists *lists, const char *path) {
    cw_str text = {0};
    bool is_read = cw_build_read(lists->arena, lists->reader, path, &lists->left, &text);
    if (is_read)
        read_text(lists, text);
    return is_read;
}

static void include_file(struct cw_cmake_lists *lists, const struct command *command) {
    struct command one = {.args = {.at = command->args.at, .n = 1}};
    const char *name = joined_arguments(lists, &one, 0);
    if (!strchr(name, UNKNOWN) && lists->includes++ < MAX_INCLUDES)
        (void)read_file(lists, *name == '/' ? name : cw_arena_printf(lists->arena, "%s/%s", lists->folder, name));
}

static bool is_one_of(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcasecmp(name, names[i]))
            return true;
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

/* list(APPEND NAME …), string(APPEND NAME …) */
static bool is_appending(const struct command *command) {
    static const char *const names[] = {"list", "string"};
    return IS_ONE_OF(command->name, names) && command->args.n > 2 && !strcmp(command->args.at[0], "APPEND");
}

static void run_command(struct cw_cmake_lists *lists, const struct command *command) {
    static const char *const for_folder[] = {"add_definitions", "add_compile_definitions", "add_compile_options"};
    static const char *const for_target[] = {"target_compile_definitions", "target_compile_options"};
    static const char *const sources[] = {"add_executable", "add_library", "cuda_add_executable", "cuda_add_library",
                                          "target_sources"};
    if (!command->args.n)
        return;
    const char *first = command->args.at[0];
    if (!strcasecmp(command->name, "set"))
        set_values(lists, command);
    else if (!strcasecmp(command->name, "option"))
        set_variable(lists, first,
                     command->args.n > 2
                         ? joined_arguments(lists, &(struct command){.args = {.at = command->args.at + 2, .n = 1}}, 0)
                         : "OFF");
    else if (is_appending(command))
        append_value(lists, command->args.at[1], joined_arguments(lists, command, 2));
    else if (!strcasecmp(command->name, "include"))
        include_file(lists, command);
    else if (IS_ONE_OF(command->name, sources))
        add_sources(lists, command);
    else if (IS_ONE_OF(command->name, for_folder))
        take_definitions(lists, command, 0, !strcasecmp(command->name, for_folder[2]), &lists->definitions);
    else if (IS_ONE_OF(command->name, for_target)) {
        struct command one = {.args = {.at = command->args.at, .n = 1}};
        take_definitions(lists, command, 1, !strcasecmp(command->name, for_target[1]),
                         &target_of(lists, joined_arguments(lists, &one, 0))->definitions);
    }
}

/* Of a command that may run or not, or often, and of one of the project or a module: what it may set is not known. */
static void forget_results(struct cw_cmake_lists *lists, const struct command *command) {
    for (uint32_t i = 0; i < command->args.n; i++)
        if (value_of(lists, command->args.at[i]))
            set_variable(lists, command->args.at[i], "\001");
}

/* Is all that it sets taken over? */
static bool is_known(const struct command *command) {
    static const char *const names[] = {"set",
                                        "option",
                                        "include",
                                        "message",
                                        "project",
                                        "cmake_minimum_required",
                                        "find_package",
                                        "target_link_libraries",
                                        "target_include_directories",
                                        "include_directories",
                                        "add_subdirectory",
                                        "add_executable",
                                        "add_library",
                                        "cuda_add_executable",
                                        "cuda_add_library",
                                        "target_sources",
                                        "add_definitions",
                                        "add_compile_definitions",
                                        "add_compile_options",
                                        "target_compile_definitions",
                                        "target_compile_options",
                                        "set_target_properties",
                                        "install",
                                        "add_dependencies",
                                        "add_test"};
    return is_appending(command) || IS_ONE_OF(command->name, names);
}

static void take_command(struct cw_cmake_lists *lists, const struct command *command,
                         struct cw_build_branches *branches) {
    static const char *const begins[] = {"function", "macro", "foreach", "while"};
    static const char *const ends[] = {"endfunction", "endmacro", "endforeach", "endwhile"};
    bool is_taken = !lists->uncalled && cw_build_here(branches) == CW_TRUE;
    if (IS_ONE_OF(command->name, begins))
        lists->uncalled++;
    else if (IS_ONE_OF(command->name, ends))
        lists->uncalled -= lists->uncalled > 0;
    else if (!strcasecmp(command->name, "if"))
        cw_build_if(branches, condition_of(lists, command));
    else if (!strcasecmp(command->name, "elseif"))
        cw_build_else(branches, condition_of(lists, command));
    else if (!strcasecmp(command->name, "else"))
        cw_build_else(branches, CW_TRUE);
    else if (!strcasecmp(command->name, "endif"))
        cw_build_endif(branches);
    else if (is_taken && is_known(command))
        run_command(lists, command);
    else if (is_taken || lists->uncalled || cw_build_here(branches) == CW_UNKNOWN)
        forget_results(lists, command);
}

/* ---- syntax ---- */

/* Behind a bracket argument or comment "[==[ … ]==]" that begins at `at`; `at` when none does. */
static size_t skip_bracket(cw_str text, size_t at, cw_str *inside) {
    size_t marks = 0, from = at + 1;
    while (from < text.n && text.at[from] == '=')
        from++, marks++;
    if (at >= text.n || text.at[at] != '[' || from >= text.n || text.at[from] != '[')
        return at;
    for (size_t i = ++from; i + marks + 1 < text.n; i++) {
        size_t n = 0;
        while (text.at[i] == ']' && n < marks && text.at[i + 1 + n] == '=')
            n++;
        if (text.at[i] == ']' && n == marks && text.at[i + 1 + n] == ']') {
            *inside = (cw_str){text.at + from, i - from};
            return i + n + 2;
        }
    }
    *inside = (cw_str){text.at + from, text.n - from};
    return text.n;
}

static size_t skip_comment(cw_str text, size_t at) {
    cw_str inside;
    size_t behind = skip_bracket(text, at + 1, &inside);
    if (behind != at + 1)
        return behind;
    while (at < text.n && text.at[at] != '\n')
        at++;
    return at;
}

/* Without its quotes; escapes become what they stand for. */
static size_t read_argument(struct cw_arena *arena, cw_str text, size_t at, const char **out) {
    struct cw_buf word = {0};
    bool is_quoted = text.at[at] == '"';
    bool in_quotes = is_quoted;
    for (at += is_quoted; at < text.n; at++) {
        char c = text.at[at];
        if (c == '\\' && at + 1 < text.n) {
            c = text.at[++at];
            if (c == '\n')
                continue;
        } else if (is_quoted && c == '"') {
            at++;
            break;
        } else if (!is_quoted && c == '"')
            in_quotes = !in_quotes; /* -DX="a b" */
        else if (!is_quoted && !in_quotes && (isspace((unsigned char)c) || (c && strchr("()#", c))))
            break;
        if (c)
            cw_buf_putc(&word, c);
    }
    *out = cw_arena_strndup(arena, word.at ? word.at : "", word.n);
    cw_buf_free(&word);
    return at;
}

/* The arguments of a command whose opening bracket stands at `at`; brackets among them are arguments. */
static size_t read_arguments(struct cw_arena *arena, cw_str text, size_t at, struct command *out) {
    int nesting = 0;
    while (at < text.n) {
        cw_str inside;
        size_t behind = skip_bracket(text, at, &inside);
        char c = text.at[at];
        const char *arg = c == '(' ? "(" : ")";
        if (behind != at) {
            arg = cw_arena_strndup(arena, inside.at, inside.n);
            at = behind;
        } else if (c == '#') {
            at = skip_comment(text, at);
            continue;
        } else if (isspace((unsigned char)c) || c == ';') {
            at++;
            continue;
        } else if (c == '(' || c == ')') {
            at++;
            nesting += c == '(' ? 1 : -1;
            if (!nesting)
                return at;
            if (c == '(' && nesting == 1)
                continue;
        } else
            at = read_argument(arena, text, at, &arg);
        cw_vec_push(arena, &out->args, arg);
    }
    return at;
}

static void read_text(struct cw_cmake_lists *lists, cw_str text) {
    struct cw_build_branches branches = {.n = 0};
    for (size_t at = 0; at < text.n;) {
        size_t from = at;
        while (at < text.n && (isalnum((unsigned char)text.at[at]) || text.at[at] == '_'))
            at++;
        if (at == from) {
            at = text.at[at] == '#' ? skip_comment(text, at) : at + 1;
            continue;
        }
        struct command command = {.name = cw_arena_strndup(lists->arena, text.at + from, at - from)};
        while (at < text.n && isblank((unsigned char)text.at[at]))
            at++;
        if (at < text.n && text.at[at] == '(') {
            at = read_arguments(lists->arena, text, at, &command);
            take_command(lists, &command, &branches);
        }
    }
}

struct cw_cmake_lists *cw_cmake_lists_read(struct cw_arena *arena, struct cw_reader reader,
                                           const struct cw_cmake_lists *above, const char *folder) {
    struct cw_cmake_lists *lists = CW_NEW(arena, struct cw_cmake_lists);
    *lists = (struct cw_cmake_lists){.arena = arena,
                                     .reader = reader,
                                     .above = above,
                                     .folder = folder,
                                     .left = CW_BUILD_BYTES,
                                     .work = CW_BUILD_WORK};
    cw_intern_init(&lists->names, arena);
    cw_map_init(&lists->variables, arena);
    return read_file(lists, cw_arena_printf(arena, "%s/CMakeLists.txt", folder)) ? lists : NULL;
}

/* ---- which target compiles a file ---- */

static const struct target *target_for(const struct cw_cmake_lists *lists, const char *name) {
    const struct target *unknown = NULL;
    uint32_t nunknown = 0;
    for (; lists; lists = lists->above)
        for (uint32_t i = 0; i < lists->targets.n; i++) {
            const struct target *target = &lists->targets.at[i];
            if (cw_build_names_file(target->sources, name))
                return target;
            if (strchr(target->sources, UNKNOWN)) {
                unknown = target;
                nunknown++;
            }
        }
    return nunknown == 1 ? unknown : NULL;
}

/* Switches of optional parts bring headers of libraries that a checkout does not have: only those for CUDA count, and
 * values. */
static bool is_counted(const char *definition) {
    return strchr(definition, '=') || cw_made_header_is_cuda_switch(definition);
}

static void add_all(struct cw_arena *arena, const struct cw_words *from, struct cw_words *out) {
    for (uint32_t i = 0; i < from->n; i++)
        if (is_counted(from->at[i] + strlen("-D")))
            cw_build_add_definition(arena, from->at[i] + strlen("-D"), out);
}

void cw_cmake_lists_definitions(const struct cw_cmake_lists *lists, const char *name, struct cw_words *out) {
    static const char *const flags[] = {"CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS"};
    const struct target *target = target_for(lists, name);
    struct cw_words of_flags = {0};
    if (target)
        add_all(lists->arena, &target->definitions, out);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (value_of(lists, flags[i]))
            cw_build_definitions(lists->arena, value_of(lists, flags[i]), &of_flags);
    add_all(lists->arena, &of_flags, out);
    for (const struct cw_cmake_lists *at = lists; at; at = at->above)
        add_all(at->arena, &at->definitions, out);
}
