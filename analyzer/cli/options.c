#include "cli/options.h"

#include "base/str.h"
#include "base/suggest.h"
#include "cli/usual_names.h"
#include "config/config.h"
#include "emit/emit.h"

#include <string.h>
#include <unistd.h>

const struct cw_option cw_options[CW_NOPTIONS] = {
#define CW_OPTION(id, name, letter, argument, group, commands, help)                                                   \
    {name, letter, argument, CW_GROUP_##group, commands, help},
#include "cli/options.def"
};

const struct cw_command_info cw_commands[CW_NCOMMANDS] = {
#define CW_COMMAND(id, name, arguments, help) {#name, arguments, help},
#include "cli/commands.def"
};

const char *const cw_group_titles[CW_NGROUPS] = {
#define CW_OPTION_GROUP(id, title) title,
#include "cli/groups.def"
};

/* ---- parsing ---- */

struct parse {
    struct cw_arena *arena;
    struct cw_command_line *out;
    char *const *argv;
    int argc, at;
};

static bool is_for(const struct parse *parse, int id) {
    return cw_options[id].commands >> parse->out->command & 1;
}

static int find_long(const struct parse *parse, cw_str name) {
    for (int i = 0; i < CW_NOPTIONS; i++)
        if (is_for(parse, i) && cw_options[i].name && cw_str_is(name, cw_options[i].name))
            return i;
    return -1;
}

static int find_letter(const struct parse *parse, char letter) {
    for (int i = 0; i < CW_NOPTIONS; i++)
        if (is_for(parse, i) && cw_options[i].letter == letter)
            return i;
    return -1;
}

/* What other programs call it. */
static const char *usual_name(const struct parse *parse, const char *name) {
    const char *usual = cw_usual_option(name);
    return usual && find_long(parse, cw_str_of(usual)) >= 0 ? usual : NULL;
}

static const char *format_named(const char *name) {
    for (uint32_t i = 0; i < cw_nformats; i++)
        if (!strcmp(name, cw_formats[i].name))
            return cw_formats[i].name;
    return NULL;
}

static bool is_key(const char *name) {
    for (int i = 0; i < CW_NKEYS; i++)
        if (!strcmp(name, cw_key_name((enum cw_key)i)))
            return true;
    return false;
}

/* What is no option, but is known by this name: a report, a command, a key of the configuration; NULL: nothing is. */
static const char *hint_other(const struct parse *parse, const char *name) {
    const char *usual = cw_usual_command(name);
    enum cw_command command;
    if (format_named(name) && is_for(parse, CW_OPT_OUTPUT))
        return cw_arena_printf(parse->arena, "did you mean '--output %s'?", name);
    if (usual || cw_command_find(name, &command))
        return cw_arena_printf(parse->arena, "did you mean 'cuwarp-lint %s'?", usual ? usual : name);
    if (is_key(name) && is_for(parse, CW_OPT_CONFIG))
        return cw_arena_printf(parse->arena, "it is a key of " CW_CONFIG_NAME ": --config %s=VALUE", name);
    return NULL;
}

static const char *unknown_option(struct parse *parse, cw_str name) {
    const char *names[CW_NOPTIONS];
    uint32_t n = 0;
    for (int i = 0; i < CW_NOPTIONS; i++)
        if (is_for(parse, i) && cw_options[i].name)
            names[n++] = cw_options[i].name;
    const char *text = cw_arena_strndup(parse->arena, name.at, name.n), *near = usual_name(parse, text);
    const char *hint = near ? NULL : hint_other(parse, text);
    near = near || hint ? near : cw_suggest(text, names, n);
    if (near)
        hint = cw_arena_printf(parse->arena, "did you mean '--%s'?", near);
    else if (!hint)
        hint = cw_arena_printf(parse->arena, "see 'cuwarp-lint %s --help'", cw_commands[parse->out->command].name);
    return cw_arena_printf(parse->arena, "unknown option '--%s'; %s", text, hint);
}

/* Compilers have long options with one dash. */
static const char *unknown_letter(struct parse *parse, const char *arg, char letter) {
    const char word[] = {letter, '\0'}, *near = usual_name(parse, word);
    if (near)
        return cw_arena_printf(parse->arena, "unknown option '-%s'; did you mean '--%s'?", word, near);
    cw_str name = {arg + 1, strcspn(arg + 1, "=")};
    int id = find_long(parse, name);
    near = id >= 0 ? cw_options[id].name : usual_name(parse, cw_arena_strndup(parse->arena, name.at, name.n));
    bool is_word = name.n > 1 && letter == arg[1]; /* else letters before it are ours */
    if (near && is_word)
        return cw_arena_printf(parse->arena, "unknown option '%s'; did you mean '--%s'?", arg, near);
    if (is_for(parse, CW_OPT_STD) && is_word)
        return cw_arena_printf(parse->arena,
                               "unknown option '%s'; options of a compiler stand at the end, after '--'", arg);
    return cw_arena_printf(parse->arena, "unknown option '-%c' in '%s'; see 'cuwarp-lint %s --help'", letter, arg,
                           cw_commands[parse->out->command].name);
}

/* Records option `id`. `joined` is what stood behind = or the letter, or NULL. */
static const char *take_option(struct parse *parse, int id, const char *shown, const char *joined) {
    const struct cw_option *o = &cw_options[id];
    struct cw_given given = {.id = (enum cw_option_id)id};
    if (!o->argument && joined)
        return cw_arena_printf(parse->arena, "option '%s' takes no value", shown);
    if (o->argument) {
        given.value = joined ? joined : parse->at < parse->argc ? parse->argv[parse->at++] : NULL;
        if (!given.value || (!*given.value))
            return cw_arena_printf(parse->arena, "option '%s' needs a value: %s", shown, o->argument);
    }
    cw_vec_push(parse->arena, &parse->out->options, given);
    return NULL;
}

static const char *parse_long(struct parse *parse, const char *arg) {
    const char *equals = strchr(arg, '=');
    cw_str name = {arg + 2, equals ? (size_t)(equals - arg - 2) : strlen(arg + 2)};
    int id = find_long(parse, name);
    if (id < 0)
        return unknown_option(parse, name);
    return take_option(parse, id, cw_arena_printf(parse->arena, "--%s", cw_options[id].name),
                       equals ? equals + 1 : NULL);
}

/* "-std=c++17" is how compilers spell it. */
static const char *parse_letters(struct parse *parse, const char *arg) {
    if (!strncmp(arg, "-std=", 5) && is_for(parse, CW_OPT_STD))
        return take_option(parse, CW_OPT_STD, "-std", arg + 5);
    for (const char *letter = arg + 1; *letter; letter++) {
        const char shown[] = {'-', *letter, '\0'};
        int id = find_letter(parse, *letter);
        if (id < 0)
            return unknown_letter(parse, arg, *letter);
        bool joined = cw_options[id].argument && letter[1];
        const char *error = take_option(parse, id, shown, joined ? letter + 1 : NULL);
        if (error || joined)
            return error;
    }
    return NULL;
}

static const char *parse_one(struct parse *parse, const char *arg) {
    if (arg[0] == '-' && arg[1] == '-')
        return parse_long(parse, arg);
    if (arg[0] == '-' && arg[1])
        return parse_letters(parse, arg);
    cw_vec_push(parse->arena, &parse->out->operands, arg);
    return NULL;
}

bool cw_command_find(const char *name, enum cw_command *out) {
    for (int i = 0; i < CW_NCOMMANDS; i++)
        if (!strcmp(name, cw_commands[i].name)) {
            *out = (enum cw_command)i;
            return true;
        }
    return false;
}

const char *cw_command_unknown(struct cw_arena *a, const char *word, const char *what) {
    const char *names[CW_NCOMMANDS];
    for (int i = 0; i < CW_NCOMMANDS; i++)
        names[i] = cw_commands[i].name;
    const char *usual = cw_usual_command(word), *near = usual ? usual : cw_suggest(word, names, CW_NCOMMANDS);
    if (near)
        return cw_arena_printf(a, "'%s' is not a command%s; did you mean '%s'?", word, what, near);
    for (int i = 0; i < CW_NOPTIONS; i++)
        if (cw_options[i].name && !strcmp(word, cw_options[i].name))
            return cw_arena_printf(a, "'%s' is not a command%s; did you mean '--%s'?", word, what, word);
    return cw_arena_printf(a, "'%s' is not a command%s; 'cuwarp-lint help' lists the commands", word, what);
}

/* Letters and dashes only: a path has a slash or a dot, or it exists. "-" is standard input. */
static bool is_mistyped_command(const char *word) {
    return *word && *word != '-' && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-")] &&
           access(word, F_OK) != 0;
}

/* The sub-command is the first argument, if it is one. */
static enum cw_command command_of(int argc, char *const *argv, int *at) {
    enum cw_command command = CW_COMMAND_CHECK;
    *at = argc > 1 && cw_command_find(argv[1], &command) ? 2 : 1;
    return command;
}

const char *cw_options_parse(struct cw_arena *a, int argc, char *const *argv, struct cw_command_line *out) {
    struct parse p = {.arena = a, .out = out, .argv = argv, .argc = argc};
    const char *error = NULL;
    *out = (struct cw_command_line){.command = command_of(argc, argv, &p.at)};
    bool is_implied = p.at == 1;
    while (!error && p.at < argc) {
        const char *arg = argv[p.at++];
        if (!strcmp(arg, "--")) {
            while (p.at < argc)
                cw_vec_push(a, &out->rest, (const char *)argv[p.at++]);
            break;
        }
        error = parse_one(&p, arg);
    }
    /* What is wrong with the options of a command that was not recognised is of no interest. */
    if (is_implied && out->operands.n && is_mistyped_command(out->operands.at[0]))
        return cw_command_unknown(a, out->operands.at[0], ", and no such file exists");
    return error;
}

bool cw_option_given(const struct cw_command_line *command, enum cw_option_id id) {
    for (uint32_t i = command->options.n; i-- > 0;)
        if (command->options.at[i].id == id)
            return cw_options[id].argument || !command->options.at[i].value ||
                   strcmp(command->options.at[i].value, "false") != 0;
    return false;
}

bool cw_option_denied(const struct cw_command_line *command, enum cw_option_id id) {
    for (uint32_t i = command->options.n; i-- > 0;)
        if (command->options.at[i].id == id)
            return !cw_option_given(command, id);
    return false;
}

const char *cw_option_value(const struct cw_command_line *command, enum cw_option_id id) {
    for (uint32_t i = command->options.n; i-- > 0;)
        if (command->options.at[i].id == id)
            return command->options.at[i].value;
    return NULL;
}

/* ---- help ---- */

enum { HELP_COLUMN = 30 };

/* Words filled to `width` columns; further lines begin below the first. The text is ASCII. */
static void put_filled(struct cw_buf *out, const char *text, uint32_t width) {
    size_t column = HELP_COLUMN;
    for (bool first = true; *text; first = false) {
        size_t n = strcspn(text, " ");
        if (!first && column + 1 + n > width) {
            cw_buf_printf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        } else if (!first) {
            cw_buf_putc(out, ' ');
            column++;
        }
        cw_buf_add(out, text, n);
        column += n;
        text += n + strspn(text + n, " ");
    }
    cw_buf_putc(out, '\n');
}

static void help_option(const struct cw_option *option, uint32_t width, struct cw_buf *out) {
    size_t from = out->n;
    cw_buf_puts(out, "  ");
    if (option->letter)
        cw_buf_printf(out, "-%c%s", option->letter, option->name ? ", " : "");
    else
        cw_buf_puts(out, "    ");
    if (option->name)
        cw_buf_printf(out, "--%s", option->name);
    if (option->argument)
        cw_buf_printf(out, " %s", option->argument);
    if (out->n - from >= HELP_COLUMN) {
        cw_buf_putc(out, '\n');
        from = out->n;
    }
    while (out->n - from < HELP_COLUMN)
        cw_buf_putc(out, ' ');
    put_filled(out, option->help, width);
}

static void help_group(enum cw_command command, enum cw_option_group group, const char *title, uint32_t width,
                       struct cw_buf *out) {
    bool any = false;
    for (int i = 0; i < CW_NOPTIONS; i++) {
        if (cw_options[i].group != group || !(cw_options[i].commands >> command & 1))
            continue;
        if (!any)
            cw_buf_printf(out, "\n%s:\n", title);
        any = true;
        help_option(&cw_options[i], width, out);
    }
}

static void help_commands(struct cw_buf *out) {
    cw_buf_puts(out, "\nCommands:\n");
    for (int i = 0; i < CW_NCOMMANDS; i++)
        cw_buf_printf(out, "  %-8s %-12s %s\n", cw_commands[i].name, cw_commands[i].arguments, cw_commands[i].help);
}

void cw_options_help(enum cw_command command, uint32_t width, struct cw_buf *out) {
    bool is_default = command == CW_COMMAND_CHECK;
    cw_buf_printf(out, "Usage: cuwarp-lint %s%s%s[OPTION...] %s%s\n", is_default ? "[" : "", cw_commands[command].name,
                  is_default ? "] " : " ", cw_commands[command].arguments,
                  is_default ? " [-- COMPILER-ARGUMENT...]" : "");
    if (is_default) {
        cw_buf_puts(out, "\nFinds code that breaks under independent thread scheduling (Volta and later) in CUDA "
                         "sources,\nwithout a GPU, a build or the CUDA toolkit.\n");
        help_commands(out);
    } else {
        cw_buf_printf(out, "\n%c%s.\n", cw_commands[command].help[0] - 'a' + 'A', cw_commands[command].help + 1);
    }
    for (int g = 0; g < CW_NGROUPS; g++)
        help_group(command, (enum cw_option_group)g, cw_group_titles[g], width, out);
    if (is_default)
        cw_buf_puts(out, "\nExit status: 0 clean, 1 findings at or above --fail-on, 2 wrong usage or a broken "
                         "installation,\n3 some input could not be analysed at all.\n");
}
