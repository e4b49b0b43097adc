/* The man page, in man(7) macros. */
#include "cli/generate.h"

#include <string.h>

enum { LINE_COLUMNS = 76 };

/* Backslashes and hyphens are escaped; a line must not begin with a control character. */
static void put_word(struct cw_buf *out, const char *word, size_t n, bool starts_line) {
    if (starts_line && n && (*word == '.' || *word == '\''))
        cw_buf_puts(out, "\\&");
    for (size_t i = 0; i < n; i++) {
        if (word[i] == '\\' || word[i] == '-')
            cw_buf_puts(out, word[i] == '-' ? "\\-" : "\\e");
        else
            cw_buf_putc(out, word[i]);
    }
}

static void put_text(struct cw_buf *out, const char *text) {
    put_word(out, text, strlen(text), false);
}

/* Words, in lines as short as troff's checkers like them. */
static void put_line(struct cw_buf *out, const char *text) {
    size_t column = 0;
    while (*text) {
        size_t n = strcspn(text, " ");
        bool breaks = column && column + n > LINE_COLUMNS;
        if (column)
            cw_buf_putc(out, breaks ? '\n' : ' ');
        put_word(out, text, n, !column || breaks);
        column = (breaks ? 0 : column) + n + 1;
        text += n + strspn(text + n, " ");
    }
    cw_buf_putc(out, '\n');
}

static void put_option(struct cw_buf *out, const struct cw_option *option) {
    cw_buf_puts(out, ".TP\n");
    if (option->letter)
        cw_buf_printf(out, "\\fB\\-%c\\fR%s", option->letter, option->name ? ", " : "");
    if (option->name) {
        cw_buf_puts(out, "\\fB\\-\\-");
        put_text(out, option->name);
        cw_buf_puts(out, "\\fR");
    }
    if (option->argument) {
        cw_buf_puts(out, " \\fI");
        put_text(out, option->argument);
        cw_buf_puts(out, "\\fR");
    }
    cw_buf_putc(out, '\n');
    put_line(out, option->help);
}

/* Which commands take it, when not all that lint do. */
static void put_commands(struct cw_buf *out, const struct cw_option *option) {
    if ((option->commands & CW_FOR_CHECK) || option->commands == CW_FOR_ALL)
        return;
    cw_buf_puts(out, "(only");
    for (int i = 0; i < CW_NCOMMANDS; i++)
        if (option->commands >> i & 1)
            cw_buf_printf(out, " \\fB%s\\fR", cw_commands[i].name);
    cw_buf_puts(out, ")\n");
}

static void put_options(struct cw_buf *out) {
    cw_buf_puts(out, ".SH OPTIONS\n");
    for (int group = 0; group < CW_NGROUPS; group++) {
        bool any = false;
        for (int i = 0; i < CW_NOPTIONS; i++) {
            if (cw_options[i].group != (enum cw_option_group)group)
                continue;
            if (!any)
                cw_buf_printf(out, ".SS %s\n", cw_group_titles[group]);
            any = true;
            put_option(out, &cw_options[i]);
            put_commands(out, &cw_options[i]);
        }
    }
}

static void put_commands_section(struct cw_buf *out) {
    cw_buf_puts(out, ".SH COMMANDS\n");
    for (int i = 0; i < CW_NCOMMANDS; i++) {
        cw_buf_printf(out, ".TP\n\\fB%s\\fR%s", cw_commands[i].name, *cw_commands[i].arguments ? " " : "");
        put_line(out, cw_commands[i].arguments);
        put_line(out, cw_commands[i].help);
    }
}

static void put_pairs(struct cw_buf *out, const char *title, const char *const (*pairs)[2], size_t n) {
    cw_buf_printf(out, ".SH %s\n", title);
    for (size_t i = 0; i < n; i++) {
        cw_buf_puts(out, ".TP\n.B ");
        put_line(out, pairs[i][0]);
        put_line(out, pairs[i][1]);
    }
}
#define PUT_PAIRS(out, title, pairs) put_pairs(out, title, pairs, sizeof(pairs) / sizeof(pairs)[0])

static void put_ending(struct cw_buf *out) {
    static const char *const statuses[][2] = {
        {"0", "Nothing was found at or above the severity of --fail-on."},
        {"1", "Something was found."},
        {"2", "Wrong usage, a wrong configuration, or a broken installation."},
        {"3", "Some input could not be analysed at all."},
    };
    static const char *const variables[][2] = {
        {"NO_COLOR, FORCE_COLOR", "No colours; colours even where the output is no terminal. --color beats both."},
        {"COLUMNS", "Width of the terminal, where it does not tell itself."},
        {"XDG_CACHE_HOME", "Results of earlier runs are kept in its folder cuwarp-lint (default: ~/.cache)."},
    };
    static const char *const files[][2] = {
        {".cuwarp-lint.yaml, .cuwarp-lint.yml",
         "The settings of the files below its folder, the nearest one up the tree."},
    };
    static const char *const examples[][2] = {
        {"cuwarp-lint src", "Lint all CUDA sources below src."},
        {"cuwarp-lint --possible kernels.cu -- -Iinclude -DN=4",
         "Show findings that rest on an assumption too; what stands behind -- is for the compiler."},
        {"cuwarp-lint --output text --output sarif:report.sarif .", "Two outputs at once, one of them into a file."},
        {"cuwarp-lint explain divergent-barrier", "What the rule reports, and how to fix it."},
    };
    PUT_PAIRS(out, "EXIT STATUS", statuses);
    PUT_PAIRS(out, "ENVIRONMENT", variables);
    PUT_PAIRS(out, "FILES", files);
    PUT_PAIRS(out, "EXAMPLES", examples);
    cw_buf_puts(out, ".SH SEE ALSO\n.BR nvcc (1),\n.BR compute\\-sanitizer (1)\n");
}

void cw_generate_man(struct cw_arena *a, struct cw_buf *out) {
    (void)a;
    cw_buf_puts(out,
                ".\\\" Made by cuwarp-lint --generate man.\n"
                ".TH CUWARP\\-LINT 1 \"\" \"cuwarp\\-lint " CUWARP_VERSION "\" \"User Commands\"\n"
                ".SH NAME\ncuwarp\\-lint \\- find CUDA code that breaks under independent thread scheduling\n"
                ".SH SYNOPSIS\n.B cuwarp\\-lint\n.RI [ check ]\n.RI [ OPTION... ]\n.RI [ PATH...| \\- ]\n"
                ".RB [ \\-\\-\n.IR COMPILER\\-ARGUMENT... ]\n.br\n.B cuwarp\\-lint\n.I COMMAND\n.RI [ OPTION... ]\n"
                ".RI [ OPERAND... ]\n.SH DESCRIPTION\n");
    put_line(out,
             "Reads CUDA sources and tells where they break under independent thread scheduling (Volta and later): "
             "barriers and collectives that some threads do not reach, masks that name the wrong lanes, races that "
             "lock-step execution used to hide. Each finding names the launch and the lanes that prove it. No GPU, no "
             "build and no CUDA toolkit are needed.");
    put_commands_section(out);
    put_options(out);
    put_ending(out);
}
