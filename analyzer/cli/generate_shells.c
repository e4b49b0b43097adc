/* Completions for bash, zsh and fish. The first word may be a command; without one the options are those of `check`. */
#include "cli/generate.h"

#include <string.h>

static bool takes_option(int command, int option) {
    return cw_options[option].commands >> command & 1;
}

/* Text inside single quotes. */
static void put_quoted(struct cw_buf *out, const char *text, const char *quote) {
    for (; *text; text++) {
        if (*text == '\'')
            cw_buf_puts(out, quote);
        else
            cw_buf_putc(out, *text);
    }
}

/* ---- bash ---- */

static void bash_options(struct cw_buf *out) {
    cw_buf_puts(out, "  case $command in\n");
    for (int c = 0; c < CW_NCOMMANDS; c++) {
        cw_buf_printf(out, "    %s) options='", cw_commands[c].name);
        for (int i = 0; i < CW_NOPTIONS; i++) {
            if (!takes_option(c, i))
                continue;
            if (cw_options[i].name)
                cw_buf_printf(out, "--%s ", cw_options[i].name);
            if (cw_options[i].letter)
                cw_buf_printf(out, "-%c ", cw_options[i].letter);
        }
        cw_buf_puts(out, "' ;;\n");
    }
    cw_buf_puts(out, "  esac\n");
}

static void bash_pattern(struct cw_buf *out, const struct cw_option *option) {
    if (option->name)
        cw_buf_printf(out, "--%s", option->name);
    if (option->letter)
        cw_buf_printf(out, "%s-%c", option->name ? "|" : "", option->letter);
}

static void bash_values(struct cw_arena *arena, struct cw_buf *out) {
    static const char *const functions[] = {
        [CW_VALUE_WORDS] = "words",   [CW_VALUE_LIST] = "list",   [CW_VALUE_RULES] = "list",
        [CW_VALUE_FORMATS] = "words", [CW_VALUE_DUMPS] = "words", [CW_VALUE_PATH] = "paths",
        [CW_VALUE_FOLDER] = "folders"};
    cw_buf_puts(out, "  case $previous in\n");
    for (int i = 0; i < CW_NOPTIONS; i++) {
        struct cw_values v = cw_values_of(arena, (enum cw_option_id)i);
        if (!cw_options[i].argument)
            continue;
        cw_buf_puts(out, "    ");
        bash_pattern(out, &cw_options[i]);
        if (v.kind == CW_VALUE_ANY)
            cw_buf_puts(out, ") return ;;\n");
        else if (v.kind == CW_VALUE_PATH || v.kind == CW_VALUE_FOLDER)
            cw_buf_printf(out, ") _cuwarp_lint_%s; return ;;\n", functions[v.kind]);
        else
            cw_buf_printf(out, ") _cuwarp_lint_%s '%s'; return ;;\n", functions[v.kind], v.words);
    }
    cw_buf_puts(out, "  esac\n");
}

/* In bash `=` is a word of its own: `--fail-on=er` comes as three words. */
void cw_generate_bash(struct cw_arena *arena, struct cw_buf *out) {
    cw_buf_puts(
        out,
        "# bash completion for cuwarp-lint, made by `cuwarp-lint --generate bash`\n"
        "_cuwarp_lint_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
        "_cuwarp_lint_list() {\n"
        "  local before=\n"
        "  [[ $current == *,* ]] && before=${current%,*},\n"
        "  mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${current##*,}\")\n"
        "  compopt -o nospace\n"
        "}\n"
        "_cuwarp_lint_paths() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); }\n"
        "_cuwarp_lint_folders() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); }\n"
        "_cuwarp_lint() {\n"
        "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=check options i\n"
        "  COMPREPLY=()\n"
        "  if [[ $current == = ]]; then current=\n"
        "  elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
        "  for ((i = 1; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} == -- ]] && { _cuwarp_lint_paths; return; }; "
        "done\n"
        "  ((COMP_CWORD > 1)) && case ${COMP_WORDS[1]} in\n    ");
    for (int c = 0; c < CW_NCOMMANDS; c++)
        cw_buf_printf(out, "%s%s", c ? "|" : "", cw_commands[c].name);
    cw_buf_puts(out, ") command=${COMP_WORDS[1]} ;;\n  esac\n");
    bash_values(arena, out);
    bash_options(out);
    cw_buf_puts(out, "  if [[ $current == -* ]]; then _cuwarp_lint_words \"$options\"; return; fi\n"
                     "  case $command in\n");
    for (int c = 0; c < CW_NCOMMANDS; c++) {
        const char *words = cw_operand_words(arena, (enum cw_command)c);
        if (words)
            cw_buf_printf(out, "    %s) _cuwarp_lint_words '%s'; return ;;\n", cw_commands[c].name, words);
    }
    cw_buf_puts(out, "  esac\n  _cuwarp_lint_paths\n  ((COMP_CWORD == 1)) && COMPREPLY+=($(compgen -W '");
    for (int c = 0; c < CW_NCOMMANDS; c++)
        cw_buf_printf(out, "%s%s", c ? " " : "", cw_commands[c].name);
    cw_buf_puts(out, "' -- \"$current\" || true))\n  return 0\n}\ncomplete -F _cuwarp_lint cuwarp-lint\n");
}

/* ---- zsh ---- */

static void zsh_action(struct cw_arena *arena, struct cw_buf *out, int option) {
    struct cw_values v = cw_values_of(arena, (enum cw_option_id)option);
    cw_buf_puts(out, ":value:");
    switch (v.kind) {
    case CW_VALUE_PATH:
        cw_buf_puts(out, "_files");
        break;
    case CW_VALUE_FOLDER:
        cw_buf_puts(out, "_files -/");
        break;
    case CW_VALUE_WORDS:
    case CW_VALUE_FORMATS:
    case CW_VALUE_DUMPS:
        cw_buf_printf(out, "(%s)", v.words);
        break;
    case CW_VALUE_LIST:
    case CW_VALUE_RULES:
        cw_buf_printf(out, "_sequence compadd - %s", v.words);
        break;
    case CW_VALUE_ANY:
        break;
    }
}

/* Brackets and colons have a meaning in a specification. */
static void zsh_text(struct cw_buf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            cw_buf_putc(out, '\\');
        put_quoted(out, (const char[]){*text, '\0'}, "'\\''");
    }
}

static void zsh_option(struct cw_arena *arena, struct cw_buf *out, int option) {
    const struct cw_option *o = &cw_options[option];
    for (int form = 0; form < 2; form++) {
        if (form ? !o->letter : !o->name)
            continue;
        cw_buf_puts(out, " \\\n        '*");
        if (form)
            cw_buf_printf(out, "-%c%s", o->letter, o->argument ? "+" : "");
        else
            cw_buf_printf(out, "--%s%s", o->name, o->argument ? "=" : "");
        cw_buf_putc(out, '[');
        zsh_text(out, o->help);
        cw_buf_putc(out, ']');
        if (o->argument)
            zsh_action(arena, out, option);
        cw_buf_putc(out, '\'');
    }
}

static void zsh_command(struct cw_arena *arena, struct cw_buf *out, int command) {
    cw_buf_printf(out, "    %s) _arguments -s -S", cw_commands[command].name);
    for (int i = 0; i < CW_NOPTIONS; i++)
        if (takes_option(command, i))
            zsh_option(arena, out, i);
    const char *words = cw_operand_words(arena, (enum cw_command)command);
    if (words && *words)
        cw_buf_printf(out, " \\\n        '*:name:(%s)'", words);
    else if (!words)
        cw_buf_puts(out, " \\\n        '*:file:_files'");
    cw_buf_puts(out, " ;;\n");
}

void cw_generate_zsh(struct cw_arena *arena, struct cw_buf *out) {
    cw_buf_puts(out, "#compdef cuwarp-lint\n# Made by `cuwarp-lint --generate zsh`.\n"
                     "_cuwarp-lint() {\n  local command=check\n  local -a commands=(\n");
    for (int c = 0; c < CW_NCOMMANDS; c++) {
        cw_buf_printf(out, "    '%s:", cw_commands[c].name);
        zsh_text(out, cw_commands[c].help);
        cw_buf_puts(out, "'\n");
    }
    cw_buf_puts(out,
                "  )\n"
                "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then _describe -t commands command commands; fi\n"
                "  if (( CURRENT > 2 )) && [[ -n ${(M)commands:#$words[2]:*} ]]; then\n"
                "    command=$words[2]\n    shift words\n    (( CURRENT-- ))\n  fi\n"
                "  case $command in\n");
    for (int c = 0; c < CW_NCOMMANDS; c++)
        zsh_command(arena, out, c);
    cw_buf_puts(
        out, "  esac\n}\nif [[ $funcstack[1] == _cuwarp-lint ]]; then _cuwarp-lint \"$@\"; else compdef _cuwarp-lint "
             "cuwarp-lint; fi\n");
}

/* ---- fish ---- */

static void fish_condition(struct cw_buf *out, unsigned commands) {
    if (commands == CW_FOR_ALL)
        return;
    if (commands & CW_FOR_CHECK) { /* the default: not behind the commands that do not take it */
        cw_buf_puts(out, " -n 'not __fish_seen_subcommand_from");
        for (int c = 0; c < CW_NCOMMANDS; c++)
            if (!(commands >> c & 1))
                cw_buf_printf(out, " %s", cw_commands[c].name);
    } else {
        cw_buf_puts(out, " -n '__fish_seen_subcommand_from");
        for (int c = 0; c < CW_NCOMMANDS; c++)
            if (commands >> c & 1)
                cw_buf_printf(out, " %s", cw_commands[c].name);
    }
    cw_buf_putc(out, '\'');
}

static void fish_values(struct cw_arena *arena, struct cw_buf *out, int option) {
    struct cw_values v = cw_values_of(arena, (enum cw_option_id)option);
    switch (v.kind) {
    case CW_VALUE_PATH:
        cw_buf_puts(out, " -r -F");
        break;
    case CW_VALUE_FOLDER:
        cw_buf_puts(out, " -x -a '(__fish_complete_directories)'");
        break;
    case CW_VALUE_WORDS:
    case CW_VALUE_FORMATS:
    case CW_VALUE_DUMPS:
        cw_buf_printf(out, " -x -a '%s'", v.words);
        break;
    case CW_VALUE_LIST:
    case CW_VALUE_RULES:
        cw_buf_printf(out, " -x -a '(__cuwarp_lint_list %s)'", v.words);
        break;
    case CW_VALUE_ANY:
        cw_buf_puts(out, " -x");
        break;
    }
}

static void fish_option(struct cw_arena *arena, struct cw_buf *out, int option) {
    const struct cw_option *o = &cw_options[option];
    cw_buf_puts(out, "complete -c cuwarp-lint");
    fish_condition(out, o->commands);
    if (o->name)
        cw_buf_printf(out, " -l %s", o->name);
    if (o->letter)
        cw_buf_printf(out, " -s %c", o->letter);
    if (o->argument)
        fish_values(arena, out, option);
    cw_buf_puts(out, " -d '");
    put_quoted(out, o->help, "\\'");
    cw_buf_puts(out, "'\n");
}

void cw_generate_fish(struct cw_arena *arena, struct cw_buf *out) {
    cw_buf_puts(
        out, "# fish completion for cuwarp-lint, made by `cuwarp-lint --generate fish`\n"
             "function __cuwarp_lint_list\n"
             "    set -l before (string match -r '^.*,' -- (commandline -ct | string replace -r '^--?[a-z-]+=' ''))\n"
             "    for word in $argv\n        echo $before$word\n    end\nend\n");
    for (int c = 0; c < CW_NCOMMANDS; c++) {
        cw_buf_printf(out, "complete -c cuwarp-lint -n __fish_use_subcommand -a %s -d '", cw_commands[c].name);
        put_quoted(out, cw_commands[c].help, "\\'");
        cw_buf_puts(out, "'\n");
    }
    for (int c = 0; c < CW_NCOMMANDS; c++) {
        const char *words = cw_operand_words(arena, (enum cw_command)c);
        if (words)
            cw_buf_printf(out, "complete -c cuwarp-lint -n '__fish_seen_subcommand_from %s' -f -a '%s'\n",
                          cw_commands[c].name, words);
    }
    for (int i = 0; i < CW_NOPTIONS; i++)
        fish_option(arena, out, i);
}
