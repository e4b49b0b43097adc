/* The command line over the configuration files: each section of a file becomes a layer of options as if they had been
 * given, the command line's own come last. So a value is read by the same code wherever it stands. */
#include "config/config.h"

#include "base/printable.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/generate.h"
#include "emit/emit.h"
#include "engine/project.h"

#include <string.h>
#include <sys/stat.h>

struct sections { const struct cw_section **at; uint32_t n, cap; };

struct cw_cli_config {
    const struct cw_command_line *line;
    struct cw_arena *arena;
    struct cw_configs configs;
    struct cw_project project;
    bool is_isolated;
    struct sections forced; /* of --config FILE; with one of them, no file is looked for */
    bool is_forced;
    struct cw_settings pairs; /* of --config KEY=VALUE */
    struct cw_map known;      /* sections that hold, as interned text -> struct profile */
};

/* What holds for files to which the same sections apply. */
struct profile {
    struct sections sections;
    struct cw_file_options options;
};

/* ---- keys and options ---- */

enum { NO_OPTION = -1 };
#define OPTION_FILE(id) CW_OPT_##id
#define OPTION_RUN(id) CW_OPT_##id
#define OPTION_TREE(id) NO_OPTION

static const int option_of[CW_NKEYS] = {
#define CW_KEY(id, name, kind, reach, missing) OPTION_##reach(id),
#include "config/keys.def"
#include "rules/registry.h"
};

int cw_option_of_key(enum cw_key key) {
    return option_of[key];
}

static void give_option(struct cw_arena *a, struct cw_command_line *line, const struct cw_setting *setting,
                        uint32_t layer) {
    int id = option_of[setting->key];
    if (id != NO_OPTION)
        cw_vec_push(a, &line->options,
                    ((struct cw_given){(enum cw_option_id)id, setting->value, setting->origin, layer}));
}

/* The messages of options begin with their names, as on the command line: "--arch: 'volta' is not …". */
static const char *without_dashes(const char *message) {
    return message && !strncmp(message, "--", 2) ? message + 2 : message;
}

/* A file may choose a format; to write somewhere is for the command line to say. */
static const char *check_output(struct cw_arena *a, const char *value) {
    if (!*value || cw_format_find(value))
        return NULL;
    if (strchr(value, ':'))
        return cw_arena_printf(a, "output: '%s' names a file; only the command line may", value);
    return cw_arena_printf(a, "output: unknown format '%s'", value);
}

static const char *check_setting(void *ctx, struct cw_arena *a, const struct cw_setting *setting) {
    struct cw_command_line line = {.command = CW_COMMAND_CHECK};
    struct cw_run_options run;
    enum cw_severity severity;
    (void)ctx;
    if (setting->key == CW_KEY_OUTPUT)
        return check_output(a, setting->value);
    if (setting->key == CW_KEY_FAIL_ON && !cw_severity_parse(setting->value, &severity))
        return cw_arena_printf(a, "fail-on: '%s' is not error, warning or info", setting->value);
    if (setting->key == CW_KEY_DOCS_URL && !cw_cli_is_url(setting->value))
        return cw_arena_printf(a, "docs-url: '%s' is not an address such as https://host/path", setting->value);
    if (setting->key == CW_KEY_ARCH && !strcmp(setting->value, "native"))
        return "arch: 'native' differs between machines; only the command line may say it";
    give_option(a, &line, setting, 0);
    return without_dashes(cw_cli_run_options(&line, a, &run));
}

/* ---- opening ---- */

/* KEY=VALUE begins with a word of a key's letters; a path to a file that looks so can be written "./a=b". */
static bool is_pair(const char *value) {
    size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz-_");
    return n && value[n] == '=';
}

static const char *add_pair(struct cw_cli_config *cli_config, const char *value) {
    struct cw_settings found;
    const char *error = cw_config_parse_pair(&cli_config->configs, value, cli_config->project.here, &found);
    for (uint32_t i = 0; i < found.n && !error; i++)
        cw_vec_push(cli_config->arena, &cli_config->pairs, found.at[i]);
    return error;
}

/* What a file named on the command line says of paths is meant from the working directory: it may lie anywhere. */
static const char *add_file(struct cw_cli_config *cli_config, const char *path) {
    const char *error = NULL;
    const struct cw_config *config = cw_config_load(&cli_config->configs, path, &error);
    for (uint32_t i = 0; config && i < config->sections.n; i++) {
        struct cw_section *section = CW_NEW(cli_config->arena, struct cw_section);
        *section = *config->sections.at[i];
        section->directory = cli_config->project.here;
        cw_vec_push(cli_config->arena, &cli_config->forced, (const struct cw_section *)section);
    }
    cli_config->is_forced = true;
    return error;
}

const char *cw_cli_config_open(const struct cw_command_line *command, struct cw_arena *a, struct cw_cli_config **out) {
    struct cw_cli_config *k = CW_NEW(a, struct cw_cli_config);
    const char *error = NULL;
    *out = k;
    *k = (struct cw_cli_config){.line = command, .arena = a, .is_isolated = cw_option_given(command, CW_OPT_ISOLATED)};
    cw_configs_init(&k->configs, a, check_setting, NULL);
    cw_project_init(&k->project, a, NULL, 0);
    cw_map_init(&k->known, a);
    for (uint32_t i = 0; i < command->options.n && !error; i++) {
        const struct cw_given *g = &command->options.at[i];
        if (g->id == CW_OPT_CONFIG)
            error = is_pair(g->value) ? add_pair(k, g->value) : add_file(k, g->value);
    }
    return !error && k->is_isolated && k->is_forced ? "--isolated and a file with --config contradict each other"
                                                    : error;
}

/* ---- what holds where ---- */

static const char *directory_of(struct cw_cli_config *cli_config, const char *full) {
    const char *slash = strrchr(full, '/');
    return slash && slash > full ? cw_arena_strndup(cli_config->arena, full, (size_t)(slash - full)) : "/";
}

/* Sections for what lies in an absolute directory, whatever paths they are for. */
static struct sections sections_in(struct cw_cli_config *cli_config, const char *directory, const char **error) {
    struct sections found = {0};
    if (cli_config->is_forced || cli_config->is_isolated)
        return cli_config->forced;
    const struct cw_config *config = cw_config_of(&cli_config->configs, directory, error);
    if (config)
        found = (struct sections){config->sections.at, config->sections.n, config->sections.n};
    return found;
}

static struct sections sections_for(struct cw_cli_config *cli_config, const char *full, const char **error) {
    struct sections all = sections_in(cli_config, directory_of(cli_config, full), error), found = {0};
    for (uint32_t i = 0; i < all.n; i++)
        if (cw_section_matches(all.at[i], full))
            cw_vec_push(cli_config->arena, &found, all.at[i]);
    return found;
}

/* Outputs of a lower layer are not added to those of a higher one. */
static void replace_outputs(struct cw_command_line *line, uint32_t layer) {
    uint32_t kept = 0;
    bool is_given = false;
    for (uint32_t i = 0; i < line->options.n; i++)
        is_given |= line->options.at[i].id == CW_OPT_OUTPUT && line->options.at[i].layer == layer;
    for (uint32_t i = 0; i < line->options.n; i++) {
        const struct cw_given *g = &line->options.at[i];
        if (!is_given || g->id != CW_OPT_OUTPUT || g->layer == layer)
            line->options.at[kept++] = *g;
    }
    line->options.n = kept;
}

static struct cw_command_line *merge_sections(struct cw_cli_config *cli_config, const struct sections *sections) {
    struct cw_command_line *line = CW_NEW(cli_config->arena, struct cw_command_line);
    uint32_t layer = 0;
    *line = *cli_config->line;
    line->options.at = NULL;
    line->options.n = line->options.cap = 0;
    for (; layer < sections->n; layer++) {
        const struct cw_settings *s = &sections->at[layer]->settings;
        for (uint32_t i = 0; i < s->n; i++)
            give_option(cli_config->arena, line, &s->at[i], layer);
        replace_outputs(line, layer);
    }
    for (uint32_t i = 0; i < cli_config->pairs.n; i++)
        give_option(cli_config->arena, line, &cli_config->pairs.at[i], layer);
    replace_outputs(line, layer++);
    for (uint32_t i = 0; i < cli_config->line->options.n; i++) {
        struct cw_given g = cli_config->line->options.at[i];
        g.layer = layer;
        cw_vec_push(cli_config->arena, &line->options, g);
    }
    replace_outputs(line, layer);
    return line;
}

/* ---- the run ---- */

static const char *operand_directory(struct cw_cli_config *cli_config, const char *operand) {
    struct stat st;
    bool is_stdin = !strcmp(operand, "-");
    if (is_stdin && !cw_option_value(cli_config->line, CW_OPT_STDIN_FILENAME))
        return cli_config->project.here;
    const char *path = is_stdin ? cw_option_value(cli_config->line, CW_OPT_STDIN_FILENAME) : operand;
    const char *full = cw_project_full(&cli_config->project, path);
    return !stat(path, &st) && S_ISDIR(st.st_mode) ? full : directory_of(cli_config, full);
}

/* The longest directory that both paths lie in. */
static const char *common_folder(struct cw_cli_config *cli_config, const char *a, const char *b) {
    size_t n = 0, end = 0;
    while (a[n] && a[n] == b[n]) {
        n++;
        if ((!a[n] || a[n] == '/') && (!b[n] || b[n] == '/'))
            end = n;
    }
    return end ? cw_arena_strndup(cli_config->arena, a, end) : "/";
}

static const char *common_directory(struct cw_cli_config *cli_config) {
    const char *found = NULL;
    for (uint32_t i = 0; i < cli_config->line->operands.n; i++) {
        const char *directory = operand_directory(cli_config, cli_config->line->operands.at[i]);
        found = found ? common_folder(cli_config, found, directory) : directory;
    }
    return found ? found : cli_config->project.here;
}

static struct sections run_sections(struct cw_cli_config *cli_config, const char **error) {
    struct sections all = sections_in(cli_config, common_directory(cli_config), error), found = {0};
    for (uint32_t i = 0; i < all.n; i++)
        if (!all.at[i]->paths.n)
            cw_vec_push(cli_config->arena, &found, all.at[i]);
    return found;
}

const struct cw_command_line *cw_cli_config_run(struct cw_cli_config *cli_config, const char **error) {
    *error = NULL;
    struct sections sections = run_sections(cli_config, error);
    return *error ? NULL : merge_sections(cli_config, &sections);
}

/* ---- a file ---- */

static struct profile *profile_of(struct cw_cli_config *cli_config, const char *path, const char **error) {
    const char *full = cw_project_full(&cli_config->project, path);
    struct sections sections = sections_for(cli_config, full, error);
    uint64_t known;
    if (*error)
        return NULL;
    const char *key = cw_intern_n(&cli_config->configs.names, sections.n ? (const char *)sections.at : "",
                                  sections.n * sizeof *sections.at);
    if (cw_map_get(&cli_config->known, (uint64_t)(uintptr_t)key, &known))
        return (struct profile *)(uintptr_t)known;
    struct profile *p = CW_NEW(cli_config->arena, struct profile);
    const struct cw_command_line *line = merge_sections(cli_config, &sections);
    p->sections = sections;
    p->options = (struct cw_file_options){.archs_given = cw_option_given(line, CW_OPT_ARCH),
                                          .possible = cw_option_given(line, CW_OPT_POSSIBLE),
                                          .third_party = cw_option_given(line, CW_OPT_THIRD_PARTY),
                                          .is_own = sections.n > 0};
    *error = cw_cli_unit_options(line, cli_config->arena, &p->options.unit);
    if (*error)
        return NULL;
    cw_map_put(&cli_config->known, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)p);
    return p;
}

const struct cw_file_options *cw_cli_config_file(void *ctx, const char *path, const char **error) {
    *error = NULL;
    struct profile *p = profile_of(ctx, path, error);
    return p ? &p->options : NULL;
}

bool cw_cli_config_excludes(void *ctx, const char *path, bool is_directory, const char **error) {
    struct cw_cli_config *k = ctx;
    const char *full = cw_project_full(&k->project, path);
    struct sections all = sections_in(k, directory_of(k, full), error), with_pairs = {0};
    struct cw_section pairs = {.directory = k->project.here, .settings = k->pairs};
    for (uint32_t i = 0; i < all.n; i++)
        cw_vec_push(k->arena, &with_pairs, all.at[i]);
    cw_vec_push(k->arena, &with_pairs, (const struct cw_section *)&pairs);
    return !*error && cw_config_excludes(with_pairs.at, with_pairs.n, full, is_directory);
}

/* ---- --show-settings ---- */

enum { ORIGIN_COLUMN = 40, WIDTH = 100 };

static void show_line(struct cw_buf *out, size_t from, const char *origin) {
    while (out->n - from < ORIGIN_COLUMN)
        cw_buf_putc(out, ' ');
    cw_buf_puts(out, "  # ");
    cw_puts_printable(out, origin ? origin : "command line");
    cw_buf_putc(out, '\n');
}

/* Quoted where YAML would take it for something else. */
static void show_value(struct cw_buf *out, enum cw_key key, const char *value) {
    const char *equals = key == CW_KEY_SEVERITY ? strchr(value, '=') : NULL;
    bool is_plain =
        *value &&
        strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+,") == strlen(value) &&
        *value != '-' && *value != ',';
    if (equals) {
        cw_put_printable(out, (cw_str){value, (size_t)(equals - value)});
        cw_buf_puts(out, ": ");
        cw_puts_printable(out, equals + 1);
        return;
    }
    cw_buf_puts(out, is_plain ? "" : "\"");
    for (const char *c = value; *c; c += strspn(c, "\"\\") ? 1 : strcspn(c, "\"\\")) {
        size_t n = strcspn(c, "\"\\");
        if (n)
            cw_put_printable(out, (cw_str){c, n});
        else
            cw_buf_printf(out, "\\%c", *c);
    }
    cw_buf_puts(out, is_plain ? "" : "\"");
}

static void show_item(struct cw_buf *out, enum cw_key key, const char *value, const char *origin) {
    size_t from = out->n;
    cw_buf_puts(out, key == CW_KEY_SEVERITY ? "  " : "  - ");
    show_value(out, key, value);
    show_line(out, from, origin);
}

static void show_scalar(struct cw_buf *out, enum cw_key key, const char *value, const char *origin) {
    size_t from = out->n;
    cw_buf_printf(out, "%s: ", cw_key_name(key));
    show_value(out, key, value);
    show_line(out, from, origin);
}

static void show_key(struct cw_buf *out, const struct cw_command_line *line, enum cw_key key) {
    const struct cw_given *last = NULL;
    bool is_list = cw_key_is_list(key);
    for (uint32_t i = 0; i < line->options.n; i++) {
        const struct cw_given *g = &line->options.at[i];
        if ((int)g->id != option_of[key])
            continue;
        if (is_list && !last)
            cw_buf_printf(out, "%s:\n", cw_key_name(key));
        if (is_list)
            show_item(out, key, g->value, g->origin);
        last = g;
    }
    if (last && !is_list)
        show_scalar(out, key, last->value ? last->value : "true", last->origin);
    if (!last && cw_key_missing(key))
        show_scalar(out, key, cw_key_missing(key), "default");
}

static void show_keys(struct cw_buf *out, const struct cw_command_line *line, enum cw_key_reach reach) {
    for (int key = 0; key < CW_NKEYS; key++)
        if (cw_key_reach((enum cw_key)key) == reach)
            show_key(out, line, (enum cw_key)key);
}

static void show_tree(struct cw_buf *out, const struct sections *sections) {
    static const enum cw_key keys[] = {CW_KEY_EXCLUDE, CW_KEY_EXTEND_EXCLUDE};
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        bool any = false;
        for (uint32_t i = 0; i < sections->n; i++)
            for (uint32_t s = 0; s < sections->at[i]->settings.n; s++) {
                const struct cw_setting *setting = &sections->at[i]->settings.at[s];
                if (setting->key != keys[k])
                    continue;
                if (!any)
                    cw_buf_printf(out, "%s:\n", cw_key_name(keys[k]));
                any = true;
                show_item(out, keys[k], setting->value, setting->origin);
            }
    }
}

static void show_rules(struct cw_buf *out, const struct cw_selection *selection) {
    size_t from = out->n;
    cw_buf_puts(out, "# rules:");
    for (uint32_t i = 0; i < cw_nrules; i++) {
        if (!selection->enabled[i])
            continue;
        if (out->n - from + strlen(cw_rules[i].name) + 1 > WIDTH) {
            from = out->n + 1;
            cw_buf_puts(out, "\n#  ");
        }
        cw_buf_printf(out, " %s", cw_rules[i].name);
    }
    cw_buf_putc(out, '\n');
}

static void show_profile(struct cw_cli_config *cli_config, const struct profile *profile, struct cw_buf *out) {
    const struct cw_command_line *line = merge_sections(cli_config, &profile->sections);
    show_keys(out, line, CW_OF_FILE);
    show_tree(out, &profile->sections);
    show_rules(out, &profile->options.unit.selection);
}

const char *cw_cli_config_show(struct cw_cli_config *cli_config, const struct cw_inputs *inputs, struct cw_buf *out) {
    CW_VEC(struct profile *) profiles = {0};
    const char *error = NULL;
    const struct cw_command_line *line = cw_cli_config_run(cli_config, &error);
    if (error)
        return error;
    cw_buf_puts(out, "# the run\n");
    show_keys(out, line, CW_OF_RUN);
    for (uint32_t i = 0; i < inputs->paths.n; i++) {
        struct profile *p = profile_of(cli_config, inputs->paths.at[i], &error);
        bool is_new = true;
        if (!p)
            return error;
        for (uint32_t n = 0; n < profiles.n; n++)
            is_new &= profiles.at[n] != p;
        if (is_new)
            cw_vec_push(cli_config->arena, &profiles, p);
    }
    for (uint32_t n = 0; n < profiles.n; n++) {
        cw_buf_putc(out, '\n');
        for (uint32_t i = 0; i < inputs->paths.n; i++)
            if (profile_of(cli_config, inputs->paths.at[i], &error) == profiles.at[n]) {
                cw_buf_puts(out, "# ");
                cw_puts_printable(out, inputs->paths.at[i]);
                cw_buf_putc(out, '\n');
            }
        show_profile(cli_config, profiles.at[n], out);
    }
    return NULL;
}
