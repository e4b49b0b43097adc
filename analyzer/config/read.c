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

static bool fail_at(struct reading *r, uint32_t line, uint32_t col, const char *message) {
    if (r->configs->hides_text)
        message = "this is no configuration (the file lies outside of the project, so it is not quoted)";
    if (!r->error && r->out)
        r->error = cw_arena_printf(r->arena, "%s:%u:%u: %s", r->shown, line, col, message);
    else if (!r->error)
        r->error = cw_arena_printf(r->arena, "%s: %s", r->shown, message);
    return false;
}

static bool fail(struct reading *r, const struct cw_yaml *y, const char *message) {
    return fail_at(r, y->line, y->col, message);
}

/* ---- single values ---- */

static const char *origin_of(const struct reading *r, const struct cw_yaml *y) {
    return r->out ? cw_arena_printf(r->arena, "%s:%u:%u", r->shown, y->line, y->col) : r->shown;
}

static bool put(struct reading *r, enum cw_key key, const char *value, const struct cw_yaml *y) {
    struct cw_setting s = {key, value, origin_of(r, y)};
    const char *wrong = r->configs->check ? r->configs->check(r->configs->ctx, r->arena, &s) : NULL;
    if (wrong)
        return fail(r, y, wrong);
    if (key == CW_KEY_EXTEND)
        cw_vec_push(r->arena, r->extends, s);
    else
        cw_vec_push(r->arena, &r->section->settings, s);
    return true;
}

/* A value that was written. `y: ` alone is null, which nothing here means. */
static bool is_text(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (y->kind != CW_YAML_SCALAR)
        return fail(r, y, cw_arena_printf(r->arena, "'%s' wants a single value, not %s", cw_key_name(key),
                                          cw_yaml_kind_text(y)));
    if (!*y->text || (y->is_plain && (!strcmp(y->text, "~") || !strcmp(y->text, "null"))))
        return fail(r, y, cw_arena_printf(r->arena, "'%s' has no value", cw_key_name(key)));
    return true;
}

static bool put_flag(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (!is_text(r, key, y))
        return false;
    bool yes = !strcmp(y->text, "true"), no = !strcmp(y->text, "false");
    if (!y->is_plain || (!yes && !no))
        return fail(r, y, cw_arena_printf(r->arena, "'%s' is true or false, not %s%s%s", cw_key_name(key),
                                          y->is_plain ? "'" : "the text \"", y->text, y->is_plain ? "'" : "\""));
    return put(r, key, y->text, y);
}

static bool put_number(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (!is_text(r, key, y))
        return false;
    if (y->text[strspn(y->text, "0123456789")])
        return fail(r, y, cw_arena_printf(r->arena, "'%s' wants a number, not '%s'", cw_key_name(key), y->text));
    return put(r, key, y->text, y);
}

static bool put_path(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    return is_text(r, key, y) && put(r, key, cw_config_join(r->arena, r->directory, y->text), y);
}

static bool is_pattern(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (!is_text(r, key, y))
        return false;
    const char *wrong = strlen(y->text) > MAX_PATTERN ? "a pattern is too long" : cw_glob_check(y->text);
    return !wrong || fail(r, y, cw_arena_printf(r->arena, "'%s': %s", y->text, wrong));
}

static bool put_pattern(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    return is_pattern(r, key, y) && put(r, key, y->text, y);
}

static bool put_text(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    return is_text(r, key, y) && put(r, key, y->text, y);
}

/* ---- lists ---- */

typedef bool put_one(struct reading *r, enum cw_key key, const struct cw_yaml *y);

/* One setting per element. An empty list says something too: nothing is selected, nothing is excluded. */
static bool put_each(struct reading *r, enum cw_key key, const struct cw_yaml *y, put_one *one) {
    if (y->kind != CW_YAML_LIST)
        return one(r, key, y);
    for (uint32_t i = 0; i < y->items.n; i++)
        if (!one(r, key, y->items.at[i]))
            return false;
    return y->items.n || put(r, key, "", y);
}

static bool put_joined(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (y->kind != CW_YAML_LIST)
        return put_text(r, key, y);
    const char *all = NULL;
    for (uint32_t i = 0; i < y->items.n; i++) {
        const struct cw_yaml *item = y->items.at[i];
        if (!is_text(r, key, item))
            return false;
        all = all ? cw_arena_printf(r->arena, "%s,%s", all, item->text) : item->text;
    }
    return all ? put(r, key, all, y)
               : fail(r, y, cw_arena_printf(r->arena, "'%s' has no value", cw_key_name(key)));
}

static bool put_levels(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    if (y->kind != CW_YAML_MAPPING)
        return fail(r, y, cw_arena_printf(r->arena, "'%s' wants a mapping such as {mask: warning}, not %s",
                                          cw_key_name(key), cw_yaml_kind_text(y)));
    for (uint32_t i = 0; i < y->items.n; i += 2) {
        const struct cw_yaml *rule = y->items.at[i], *level = y->items.at[i + 1];
        if (!is_text(r, key, level) ||
            !put(r, key, cw_arena_printf(r->arena, "%s=%s", rule->text, level->text), rule))
            return false;
    }
    return true;
}

/* ---- keys ---- */

static bool read_mapping(struct reading *r, const struct cw_yaml *y);

static bool unknown_key(struct reading *r, const struct cw_yaml *y) {
    const char *names[CW_NKEYS + 1];
    uint32_t n = 0;
    for (int k = 0; k < CW_NKEYS; k++)
        if (!r->in_override || cw_key_reach((enum cw_key)k) == CW_OF_FILE)
            names[n++] = cw_key_name((enum cw_key)k);
    if (r->in_override)
        names[n++] = "paths";
    const char *near = cw_suggest(y->text, names, n);
    if (near)
        return fail(r, y, cw_arena_printf(r->arena, "unknown key '%s'; did you mean '%s'?", y->text, near));
    return fail(r, y, cw_arena_printf(r->arena, "unknown key '%s'", y->text));
}

static struct cw_section *new_section(struct reading *r) {
    struct cw_section *s = CW_NEW(r->arena, struct cw_section);
    s->directory = r->directory;
    return s;
}

static bool read_paths(struct reading *r, const struct cw_yaml *y) {
    uint32_t n = y->kind == CW_YAML_LIST ? y->items.n : 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_yaml *item = y->kind == CW_YAML_LIST ? y->items.at[i] : y;
        if (item->kind != CW_YAML_SCALAR || !*item->text)
            return fail(r, item, "'paths' wants a list of patterns");
        if (!is_pattern(r, CW_KEY_OVERRIDES, item))
            return false;
        cw_vec_push(r->arena, &r->section->paths, item->text);
    }
    return r->section->paths.n || fail(r, y, "'paths' names none");
}

static bool read_override(struct reading *r, const struct cw_yaml *y) {
    if (y->kind != CW_YAML_MAPPING)
        return fail(r, y, "each of 'overrides' is a mapping with 'paths' and other keys");
    struct cw_section *outer = r->section;
    r->section = new_section(r);
    r->in_override = true;
    bool good = read_mapping(r, y) && (r->section->paths.n || fail(r, y, "an override without 'paths'"));
    cw_vec_push(r->arena, &r->out->sections, (const struct cw_section *)r->section);
    r->in_override = false;
    r->section = outer;
    return good;
}

static bool read_overrides(struct reading *r, const struct cw_yaml *y) {
    if (y->kind != CW_YAML_LIST || y->items.n > MAX_OVERRIDES)
        return fail(r, y, y->kind != CW_YAML_LIST ? "'overrides' wants a list" : "too many overrides");
    for (uint32_t i = 0; i < y->items.n; i++)
        if (!read_override(r, y->items.at[i]))
            return false;
    return true;
}

static bool read_key(struct reading *r, enum cw_key key, const struct cw_yaml *y) {
    switch (cw_key_kind(key)) {
    case CW_KIND_FLAG: return put_flag(r, key, y);
    case CW_KIND_NUMBER: return put_number(r, key, y);
    case CW_KIND_TEXT: return put_text(r, key, y);
    case CW_KIND_NAMES:
    case CW_KIND_TEXTS: return put_each(r, key, y, put_text);
    case CW_KIND_JOINED: return put_joined(r, key, y);
    case CW_KIND_PATH: return put_path(r, key, y);
    case CW_KIND_PATHS: return put_each(r, key, y, put_path);
    case CW_KIND_PATTERNS: return put_each(r, key, y, put_pattern);
    case CW_KIND_LEVELS: return put_levels(r, key, y);
    case CW_KIND_OVERRIDES: return read_overrides(r, y);
    }
    return false;
}

static bool read_mapping(struct reading *r, const struct cw_yaml *y) {
    for (uint32_t i = 0; i < y->items.n; i += 2) {
        const struct cw_yaml *name = y->items.at[i], *value = y->items.at[i + 1];
        enum cw_key key = cw_key_find(cw_str_of(name->text));
        bool is_paths = r->in_override && !strcmp(name->text, "paths");
        if (is_paths && !read_paths(r, value))
            return false;
        if (is_paths)
            continue;
        if (key == CW_NKEYS)
            return unknown_key(r, name);
        if (r->in_override && cw_key_reach(key) != CW_OF_FILE)
            return fail(r, name, cw_arena_printf(r->arena, "'%s' cannot differ from file to file; it stands outside of "
                                                           "'overrides'", name->text));
        if (!read_key(r, key, value))
            return false;
    }
    return true;
}

const char *cw_config_parse(struct cw_configs *c, cw_str text, const char *path, const char *shown,
                            struct cw_config *out, struct cw_settings *extends) {
    const char *slash = strrchr(path, '/');
    struct reading r = {.configs = c,
                        .arena = c->arena,
                        .shown = shown,
                        .out = out,
                        .extends = extends,
                        .directory =
                            slash && slash > path ? cw_arena_strndup(c->arena, path, (size_t)(slash - path)) : "/"};
    struct cw_yaml_error wrong;
    *out = (struct cw_config){.path = path, .shown = shown};
    r.section = new_section(&r);
    cw_vec_push(c->arena, &out->sections, (const struct cw_section *)r.section);
    const struct cw_yaml *y = cw_yaml_parse(c->arena, text, &wrong);
    if (wrong.message)
        fail_at(&r, wrong.line, wrong.col, wrong.message);
    else if (y && y->kind == CW_YAML_MAPPING)
        read_mapping(&r, y);
    else if (y && (y->kind == CW_YAML_LIST || *y->text)) /* "---" alone says nothing */
        fail(&r, y, "a configuration is a mapping of keys to values");
    return r.error;
}

const char *cw_config_parse_pair(struct cw_configs *c, const char *pair, const char *directory,
                                 struct cw_settings *out) {
    struct cw_section section = {.directory = directory};
    const char *equals = strchr(pair, '=');
    struct reading r = {.configs = c, .arena = c->arena, .directory = directory, .section = &section,
                        .shown = cw_arena_printf(c->arena, "--config %s", pair)};
    c->hides_text = false;
    struct cw_yaml_error wrong;
    struct cw_yaml name = {.text = cw_arena_strndup(c->arena, pair, equals ? (size_t)(equals - pair) : strlen(pair))};
    enum cw_key key = cw_key_find(cw_str_of(name.text));
    if (key == CW_NKEYS) {
        unknown_key(&r, &name);
        return r.error;
    }
    if (key == CW_KEY_EXTEND || key == CW_KEY_OVERRIDES) {
        fail(&r, &name, cw_arena_printf(c->arena, "'%s' stands in files only", name.text));
        return r.error;
    }
    const struct cw_yaml *y = cw_yaml_parse(c->arena, cw_str_of(equals ? equals + 1 : ""), &wrong);
    if (wrong.message)
        fail(&r, &name, wrong.message);
    else
        read_key(&r, key, y ? y : &(struct cw_yaml){.text = "", .is_plain = true});
    *out = section.settings;
    return r.error;
}
