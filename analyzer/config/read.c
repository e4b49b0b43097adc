/* One configuration's text into sections: every key known, every value of the right kind, every error with its
 * place. */
#include "base/suggest.h"
#include "config/glob.h"
#include "config/internal.h"
#include "config/yaml.h"

#include <string.h>

enum { MAX_OVERRIDES = 500, MAX_PATTERN = 512 };

struct reading {
    struct cw_configs *configs;
    struct cw_arena *arena;
    const char *directory, *shown;
    struct cw_config *out;        /* NULL: a single pair */
    struct cw_settings *extends;
    struct cw_section *section;   /* that settings go to */
    bool in_override;
    const char *error;
};

static bool fail_at(struct reading *reading, uint32_t line, uint32_t col, const char *message) {
    if (reading->configs->hides_text)
        message = "this is no configuration (the file lies outside of the project, so it is not quoted)";
    if (!reading->error && reading->out)
        reading->error = cw_arena_printf(reading->arena, "%s:%u:%u: %s", reading->shown, line, col, message);
    else if (!reading->error)
        reading->error = cw_arena_printf(reading->arena, "%s: %s", reading->shown, message);
    return false;
}

static bool fail_node(struct reading *reading, const struct cw_yaml *yaml, const char *message) {
    return fail_at(reading, yaml->line, yaml->col, message);
}

/* ---- single values ---- */

static const char *origin_of(const struct reading *reading, const struct cw_yaml *yaml) {
    return reading->out ? cw_arena_printf(reading->arena, "%s:%u:%u", reading->shown, yaml->line, yaml->col)
                        : reading->shown;
}

static bool put_setting(struct reading *reading, enum cw_key key, const char *value, const struct cw_yaml *yaml) {
    struct cw_setting s = {key, value, origin_of(reading, yaml)};
    const char *wrong =
        reading->configs->check ? reading->configs->check(reading->configs->ctx, reading->arena, &s) : NULL;
    if (wrong)
        return fail_node(reading, yaml, wrong);
    if (key == CW_KEY_EXTEND)
        cw_vec_push(reading->arena, reading->extends, s);
    else
        cw_vec_push(reading->arena, &reading->section->settings, s);
    return true;
}

/* A value that was written. `y: ` alone is null, which nothing here means. */
static bool is_text(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (yaml->kind != CW_YAML_SCALAR)
        return fail_node(reading, yaml,
                         cw_arena_printf(reading->arena, "'%s' wants a single value, not %s", cw_key_name(key),
                                         cw_yaml_kind_text(yaml)));
    if (!*yaml->text || (yaml->is_plain && (!strcmp(yaml->text, "~") || !strcmp(yaml->text, "null"))))
        return fail_node(reading, yaml, cw_arena_printf(reading->arena, "'%s' has no value", cw_key_name(key)));
    return true;
}

static bool put_flag(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (!is_text(reading, key, yaml))
        return false;
    bool yes = !strcmp(yaml->text, "true"), no = !strcmp(yaml->text, "false");
    if (!yaml->is_plain || (!yes && !no))
        return fail_node(reading, yaml,
                         cw_arena_printf(reading->arena, "'%s' is true or false, not %s%s%s", cw_key_name(key),
                                         yaml->is_plain ? "'" : "the text \"", yaml->text,
                                         yaml->is_plain ? "'" : "\""));
    return put_setting(reading, key, yaml->text, yaml);
}

static bool put_number(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (!is_text(reading, key, yaml))
        return false;
    if (yaml->text[strspn(yaml->text, "0123456789")])
        return fail_node(
            reading, yaml,
            cw_arena_printf(reading->arena, "'%s' wants a number, not '%s'", cw_key_name(key), yaml->text));
    return put_setting(reading, key, yaml->text, yaml);
}

static bool put_path(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    return is_text(reading, key, yaml) &&
           put_setting(reading, key, cw_config_join(reading->arena, reading->directory, yaml->text), yaml);
}

static bool is_pattern(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (!is_text(reading, key, yaml))
        return false;
    const char *wrong = strlen(yaml->text) > MAX_PATTERN ? "a pattern is too long" : cw_glob_check(yaml->text);
    return !wrong || fail_node(reading, yaml, cw_arena_printf(reading->arena, "'%s': %s", yaml->text, wrong));
}

static bool put_pattern(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    return is_pattern(reading, key, yaml) && put_setting(reading, key, yaml->text, yaml);
}

static bool put_text(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    return is_text(reading, key, yaml) && put_setting(reading, key, yaml->text, yaml);
}

/* ---- lists ---- */

typedef bool put_one(struct reading *r, enum cw_key key, const struct cw_yaml *y);

/* One setting per element. An empty list says something too: nothing is selected, nothing is excluded. */
static bool put_each(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml, put_one *one) {
    if (yaml->kind != CW_YAML_LIST)
        return one(reading, key, yaml);
    for (uint32_t i = 0; i < yaml->items.n; i++)
        if (!one(reading, key, yaml->items.at[i]))
            return false;
    return yaml->items.n || put_setting(reading, key, "", yaml);
}

static bool put_joined(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (yaml->kind != CW_YAML_LIST)
        return put_text(reading, key, yaml);
    const char *all = NULL;
    for (uint32_t i = 0; i < yaml->items.n; i++) {
        const struct cw_yaml *item = yaml->items.at[i];
        if (!is_text(reading, key, item))
            return false;
        all = all ? cw_arena_printf(reading->arena, "%s,%s", all, item->text) : item->text;
    }
    return all ? put_setting(reading, key, all, yaml)
               : fail_node(reading, yaml, cw_arena_printf(reading->arena, "'%s' has no value", cw_key_name(key)));
}

static bool put_levels(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    if (yaml->kind != CW_YAML_MAPPING)
        return fail_node(reading, yaml,
                         cw_arena_printf(reading->arena, "'%s' wants a mapping such as {mask: warning}, not %s",
                                         cw_key_name(key), cw_yaml_kind_text(yaml)));
    for (uint32_t i = 0; i < yaml->items.n; i += 2) {
        const struct cw_yaml *rule = yaml->items.at[i], *level = yaml->items.at[i + 1];
        if (!is_text(reading, key, level) ||
            !put_setting(reading, key, cw_arena_printf(reading->arena, "%s=%s", rule->text, level->text), rule))
            return false;
    }
    return true;
}

/* ---- keys ---- */

static bool read_mapping(struct reading *r, const struct cw_yaml *y);

static bool unknown_key(struct reading *reading, const struct cw_yaml *yaml) {
    const char *names[CW_NKEYS + 1];
    uint32_t n = 0;
    for (int k = 0; k < CW_NKEYS; k++)
        if (!reading->in_override || cw_key_reach((enum cw_key)k) == CW_OF_FILE)
            names[n++] = cw_key_name((enum cw_key)k);
    if (reading->in_override)
        names[n++] = "paths";
    const char *near = cw_suggest(yaml->text, names, n);
    if (near)
        return fail_node(reading, yaml,
                         cw_arena_printf(reading->arena, "unknown key '%s'; did you mean '%s'?", yaml->text, near));
    return fail_node(reading, yaml, cw_arena_printf(reading->arena, "unknown key '%s'", yaml->text));
}

static struct cw_section *new_section(struct reading *reading) {
    struct cw_section *s = CW_NEW(reading->arena, struct cw_section);
    s->directory = reading->directory;
    return s;
}

static bool read_paths(struct reading *reading, const struct cw_yaml *yaml) {
    uint32_t n = yaml->kind == CW_YAML_LIST ? yaml->items.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_yaml *item = yaml->kind == CW_YAML_LIST ? yaml->items.at[i] : yaml;
        if (item->kind != CW_YAML_SCALAR || !*item->text)
            return fail_node(reading, item, "'paths' wants a list of patterns");
        if (!is_pattern(reading, CW_KEY_OVERRIDES, item))
            return false;
        cw_vec_push(reading->arena, &reading->section->paths, item->text);
    }
    return reading->section->paths.n || fail_node(reading, yaml, "'paths' names none");
}

static bool read_override(struct reading *reading, const struct cw_yaml *yaml) {
    if (yaml->kind != CW_YAML_MAPPING)
        return fail_node(reading, yaml, "each of 'overrides' is a mapping with 'paths' and other keys");
    struct cw_section *outer = reading->section;
    reading->section = new_section(reading);
    reading->in_override = true;
    bool good = read_mapping(reading, yaml) &&
                (reading->section->paths.n || fail_node(reading, yaml, "an override without 'paths'"));
    cw_vec_push(reading->arena, &reading->out->sections, (const struct cw_section *)reading->section);
    reading->in_override = false;
    reading->section = outer;
    return good;
}

static bool read_overrides(struct reading *reading, const struct cw_yaml *yaml) {
    if (yaml->kind != CW_YAML_LIST || yaml->items.n > MAX_OVERRIDES)
        return fail_node(reading, yaml, yaml->kind != CW_YAML_LIST ? "'overrides' wants a list" : "too many overrides");
    for (uint32_t i = 0; i < yaml->items.n; i++)
        if (!read_override(reading, yaml->items.at[i]))
            return false;
    return true;
}

static bool read_key(struct reading *reading, enum cw_key key, const struct cw_yaml *yaml) {
    switch (cw_key_kind(key)) {
    case CW_KIND_FLAG: return put_flag(reading, key, yaml);
    case CW_KIND_NUMBER: return put_number(reading, key, yaml);
    case CW_KIND_TEXT: return put_text(reading, key, yaml);
    case CW_KIND_NAMES:
    case CW_KIND_TEXTS: return put_each(reading, key, yaml, put_text);
    case CW_KIND_JOINED: return put_joined(reading, key, yaml);
    case CW_KIND_PATH: return put_path(reading, key, yaml);
    case CW_KIND_PATHS: return put_each(reading, key, yaml, put_path);
    case CW_KIND_PATTERNS: return put_each(reading, key, yaml, put_pattern);
    case CW_KIND_LEVELS: return put_levels(reading, key, yaml);
    case CW_KIND_OVERRIDES: return read_overrides(reading, yaml);
    }
    return false;
}

static bool read_mapping(struct reading *reading, const struct cw_yaml *yaml) {
    for (uint32_t i = 0; i < yaml->items.n; i += 2) {
        const struct cw_yaml *name = yaml->items.at[i], *value = yaml->items.at[i + 1];
        enum cw_key key = cw_key_find(cw_str_of(name->text));
        bool is_paths = reading->in_override && !strcmp(name->text, "paths");
        if (is_paths && !read_paths(reading, value))
            return false;
        if (is_paths)
            continue;
        if (key == CW_NKEYS)
            return unknown_key(reading, name);
        if (reading->in_override && cw_key_reach(key) != CW_OF_FILE)
            return fail_node(reading, name,
                             cw_arena_printf(reading->arena,
                                             "'%s' cannot differ from file to file; it stands outside of "
                                             "'overrides'",
                                             name->text));
        if (!read_key(reading, key, value))
            return false;
    }
    return true;
}

const char *cw_config_parse(struct cw_configs *configs, cw_str text, const char *path, const char *shown,
                            struct cw_config *out, struct cw_settings *extends) {
    const char *slash = strrchr(path, '/');
    struct reading r = {
        .configs = configs,
        .arena = configs->arena,
        .shown = shown,
        .out = out,
        .extends = extends,
        .directory = slash && slash > path ? cw_arena_strndup(configs->arena, path, (size_t)(slash - path)) : "/"};
    struct cw_yaml_error wrong;
    *out = (struct cw_config){.path = path, .shown = shown};
    r.section = new_section(&r);
    cw_vec_push(configs->arena, &out->sections, (const struct cw_section *)r.section);
    const struct cw_yaml *y = cw_yaml_parse(configs->arena, text, &wrong);
    if (wrong.message)
        fail_at(&r, wrong.line, wrong.col, wrong.message);
    else if (y && y->kind == CW_YAML_MAPPING)
        read_mapping(&r, y);
    else if (y && (y->kind == CW_YAML_LIST || *y->text)) /* "---" alone says nothing */
        fail_node(&r, y, "a configuration is a mapping of keys to values");
    return r.error;
}

const char *cw_config_parse_pair(struct cw_configs *configs, const char *pair, const char *directory,
                                 struct cw_settings *out) {
    struct cw_section section = {.directory = directory};
    const char *equals = strchr(pair, '=');
    struct reading r = {.configs = configs, .arena = configs->arena, .directory = directory, .section = &section,
                        .shown = cw_arena_printf(configs->arena, "--config %s", pair)};
    configs->hides_text = false;
    struct cw_yaml_error wrong;
    struct cw_yaml name = {.text =
                               cw_arena_strndup(configs->arena, pair, equals ? (size_t)(equals - pair) : strlen(pair))};
    enum cw_key key = cw_key_find(cw_str_of(name.text));
    if (key == CW_NKEYS) {
        unknown_key(&r, &name);
        return r.error;
    }
    if (key == CW_KEY_EXTEND || key == CW_KEY_OVERRIDES) {
        fail_node(&r, &name, cw_arena_printf(configs->arena, "'%s' stands in files only", name.text));
        return r.error;
    }
    const struct cw_yaml *y = cw_yaml_parse(configs->arena, cw_str_of(equals ? equals + 1 : ""), &wrong);
    if (wrong.message)
        fail_node(&r, &name, wrong.message);
    else
        read_key(&r, key, y ? y : &(struct cw_yaml){.text = "", .is_plain = true});
    *out = section.settings;
    return r.error;
}
