/* The JSON schema (draft 7) of a configuration, from the tables of keys and options: editors complete and check with
 * it. It is as strict as the reader, but for names of rules, which may be patterns. */
#include "cli/generate.h"
#include "config/config.h"
#include "diag/diag_json.h"

#include <stdlib.h>
#include <string.h>

/* Keys that are no options. */
static const char *const tree_texts[CW_NKEYS] = {
    [CW_KEY_EXTEND] = "take over the keys of these files first",
    [CW_KEY_EXCLUDE] = "files and folders that a walk leaves out, as patterns of .gitignore",
    [CW_KEY_EXTEND_EXCLUDE] = "more of them, on top of what is excluded already",
    [CW_KEY_OVERRIDES] = "other settings for a part of the tree",
};

static json_t *words_json(const char *words) {
    json_t *list = json_array();
    for (size_t n; *words; words += n + strspn(words + n, " "))
        if ((n = strcspn(words, " ")))
            json_array_append_new(list, json_stringn(words, n));
    return list;
}

static json_t *text_json(void) {
    return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
}

/* One word of those that can stand there; lists with commas and patterns where a list can. */
static json_t *word_json(const struct cw_values *values) {
    json_t *known;
    switch (values->kind) {
    case CW_VALUE_WORDS:
    case CW_VALUE_FORMATS: return json_pack("{s:o}", "enum", words_json(values->words));
    case CW_VALUE_LIST: /* suggestions: newer architectures may be known than these */
    case CW_VALUE_RULES:
        known = json_pack("{s:o}", "enum", words_json(values->words));
        return json_pack("{s:[o, {s:s, s:s}]}", "anyOf", known, "type", "string", "pattern",
                         values->kind == CW_VALUE_RULES ? "[,*?\\[]" : "^[a-z0-9_,. ]+$");
    default: return text_json();
    }
}

static json_t *one_or_list(json_t *one) {
    json_t *list = json_pack("{s:s, s:O}", "type", "array", "items", one);
    return json_pack("{s:[o, o]}", "anyOf", one, list);
}

static json_t *levels_json(struct cw_arena *a) {
    struct cw_values rules = cw_values_of(a, CW_OPT_SELECT);
    return json_pack("{s:s, s:o, s:{s:[s, s, s]}}", "type", "object", "propertyNames", word_json(&rules),
                     "additionalProperties", "enum", "error", "warning", "info");
}

static json_t *keys_json(struct cw_arena *a, bool of_files_only);

static json_t *overrides_json(struct cw_arena *a) {
    json_t *properties = keys_json(a, true);
    json_t *paths = one_or_list(text_json());
    json_object_set_new(paths, "description", json_string("patterns of the files that these settings are for"));
    json_object_set_new(properties, "paths", paths);
    return json_pack("{s:s, s:{s:s, s:o, s:[s], s:b}}", "type", "array", "items", "type", "object", "properties",
                     properties, "required", "paths", "additionalProperties", 0);
}

static json_t *value_json(struct cw_arena *a, enum cw_key key) {
    int option = cw_option_of_key(key);
    struct cw_values v = {CW_VALUE_ANY, ""};
    if (option >= 0)
        v = cw_values_of(a, (enum cw_option_id)option);
    switch (cw_key_kind(key)) {
    case CW_KIND_FLAG: return json_pack("{s:s}", "type", "boolean");
    case CW_KIND_NUMBER: return json_pack("{s:s, s:i}", "type", "integer", "minimum", 1);
    case CW_KIND_TEXT: return word_json(&v);
    case CW_KIND_NAMES:
    case CW_KIND_TEXTS: return one_or_list(word_json(&v));
    case CW_KIND_JOINED: /* 75 and 256 are numbers to YAML */
        return one_or_list(json_pack("{s:[o, {s:s, s:i}]}", "anyOf", word_json(&v), "type", "integer", "minimum", 1));
    case CW_KIND_PATH: return text_json();
    case CW_KIND_PATHS:
    case CW_KIND_PATTERNS: return one_or_list(text_json());
    case CW_KIND_LEVELS: return levels_json(a);
    case CW_KIND_OVERRIDES: return overrides_json(a);
    }
    return text_json();
}

static json_t *keys_json(struct cw_arena *a, bool of_files_only) {
    json_t *properties = json_object();
    for (int k = 0; k < CW_NKEYS; k++) {
        enum cw_key key = (enum cw_key)k;
        if (of_files_only && cw_key_reach(key) != CW_OF_FILE)
            continue;
        int option = cw_option_of_key(key);
        json_t *value = value_json(a, key);
        json_object_set_new(value, "description", json_string(option >= 0 ? cw_options[option].help : tree_texts[k]));
        json_object_set_new(properties, cw_key_name(key), value);
    }
    return properties;
}

void cw_generate_schema(struct cw_arena *a, struct cw_buf *out) {
    json_t *schema = json_pack("{s:s, s:s, s:s, s:s, s:o, s:b}", "$schema", "http://json-schema.org/draft-07/schema#",
                               "title", "cuwarp-lint configuration", "description",
                               "Settings of .cuwarp-lint.yaml; every key may be left out.", "type", "object",
                               "properties", keys_json(a, false), "additionalProperties", 0);
    char *text = json_dumps(schema, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
    cw_buf_puts(out, text ? text : "null");
    cw_buf_putc(out, '\n');
    free(text);
    json_decref(schema);
}
