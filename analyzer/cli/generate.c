/* --generate: the man page and the shells' completions. */
#include "cli/generate.h"

#include "cli/cli.h"
#include "emit/emit.h"
#include "kernel/dump.h"

#include <string.h>

static const struct {
    enum cw_value_kind kind;
    const char *words;
} values[CW_NOPTIONS] = {
#define CW_VALUES(option, kind, words) [CW_OPT_##option] = {CW_VALUE_##kind, words},
#include "cli/values.def"
#include "rules/registry.h"
};

static const char *take_text(struct cw_arena *arena, struct cw_buf *buf) {
    const char *text = cw_arena_strndup(arena, buf->at ? buf->at : "", buf->n);
    cw_buf_free(buf);
    return text;
}

static void add_word(struct cw_buf *buf, const char *word) {
    cw_buf_printf(buf, "%s%s", buf->n ? " " : "", word);
}

static const char *rule_words(struct cw_arena *arena) {
    struct cw_buf b = {0};
    for (uint32_t i = 0; i < cw_nrules; i++)
        add_word(&b, cw_rules[i].name);
    return take_text(arena, &b);
}

static const char *command_words(struct cw_arena *arena) {
    struct cw_buf b = {0};
    for (int i = 0; i < CW_NCOMMANDS; i++)
        add_word(&b, cw_commands[i].name);
    return take_text(arena, &b);
}

/* The categories, once each. */
static const char *category_words(struct cw_arena *arena) {
    struct cw_buf b = {0};
    for (uint32_t i = 0; i < cw_nrules; i++) {
        bool known = false;
        for (uint32_t k = 0; k < i; k++)
            known |= !strcmp(cw_rules[k].category, cw_rules[i].category);
        if (!known)
            add_word(&b, cw_rules[i].category);
    }
    return take_text(arena, &b);
}

/* Categories and rules. */
static const char *selector_words(struct cw_arena *arena, const char *more) {
    return cw_arena_printf(arena, "%s %s %s", category_words(arena), rule_words(arena), more);
}

const char *cw_operand_words(struct cw_arena *arena, enum cw_command command) {
    switch (command) {
    case CW_COMMAND_EXPLAIN: return selector_words(arena, "all");
    case CW_COMMAND_RULES: return category_words(arena);
    case CW_COMMAND_HELP: return command_words(arena);
    case CW_COMMAND_CHECK:
    case CW_COMMAND_LAUNCH:
    case CW_COMMAND_PERTURB: return NULL;
    default: return "";
    }
}

static const char *format_words(struct cw_arena *arena) {
    struct cw_buf b = {0};
    for (uint32_t i = 0; i < cw_nformats; i++)
        add_word(&b, cw_formats[i].name);
    return take_text(arena, &b);
}

static const char *dump_words(struct cw_arena *arena) {
    struct cw_buf b = {0};
    cw_dump_names(" ", &b);
    return take_text(arena, &b);
}

struct cw_values cw_values_of(struct cw_arena *arena, enum cw_option_id id) {
    struct cw_values v = {values[id].kind, values[id].words};
    if (v.kind == CW_VALUE_RULES)
        v.words = selector_words(arena, v.words);
    else if (v.kind == CW_VALUE_FORMATS)
        v.words = format_words(arena);
    else if (v.kind == CW_VALUE_DUMPS)
        v.words = dump_words(arena);
    return v;
}

int cw_cli_generate(const struct cw_command_line *command, struct cw_arena *arena) {
    static const struct {
        const char *name;
        void (*generate)(struct cw_arena *, struct cw_buf *);
    } kinds[] = {
        {"man", cw_generate_man},   {"bash", cw_generate_bash},     {"zsh", cw_generate_zsh},
        {"fish", cw_generate_fish}, {"schema", cw_generate_schema}};
    const char *what = cw_option_value(command, CW_OPT_GENERATE);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(what, kinds[i].name) != 0)
            continue;
        struct cw_buf out = {0};
        kinds[i].generate(arena, &out);
        int failed = cw_cli_write(&out, NULL);
        cw_buf_free(&out);
        return failed ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
    }
    return cw_cli_usage(cw_arena_printf(arena, "--generate: '%s' is not man, bash, zsh, fish or schema", what));
}
