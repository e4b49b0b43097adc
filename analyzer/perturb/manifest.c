#include "perturb/manifest.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* File names need not be UTF-8. */
static json_t *json_text(const char *s) {
    json_t *j = json_string(s);
    return j ? j : json_string("?");
}

static json_t *json_place(const char *file, uint32_t line, uint32_t col) {
    return json_pack("{s:o, s:i, s:i}", "file", json_text(file), "line", (int)line, "column", (int)col);
}

static json_t *skew_json(const struct cw_skew *skew) {
    json_t *o = json_pack("{s:i}", "id", (int)skew->id), *rules = json_array(), *inserted = json_array();
    json_object_update_new(o, json_place(skew->place.file, skew->place.line, skew->place.col));
    for (uint32_t i = 0; i < skew->rules.n; i++)
        json_array_append_new(rules, json_text(skew->rules.at[i]));
    for (uint32_t i = 0; i < skew->inserted.n; i++)
        json_array_append_new(inserted, json_pack("{s:i, s:s}", "offset", (int)skew->inserted.at[i].offset, "text",
                                                  skew->inserted.at[i].text));
    json_object_set_new(o, "rules", rules);
    json_object_set_new(o, "inserted", inserted);
    return o;
}

static void add_file(const struct cw_skewed_file *skewed_file, json_t *skews, json_t *changed) {
    for (uint32_t i = 0; i < skewed_file->skews.n; i++)
        json_array_append_new(skews, skew_json(&skewed_file->skews.at[i]));
    if (skewed_file->prologue)
        json_array_append_new(changed, json_pack("{s:o, s:s}", "file", json_text(skewed_file->relative), "prologue",
                                                 skewed_file->prologue));
}

static json_t *lost_json(const struct cw_unskewed *unskewed) {
    json_t *o = json_place(unskewed->place.file, unskewed->place.line, unskewed->place.col);
    json_object_set_new(o, "rule", json_text(unskewed->rule));
    json_object_set_new(o, "reason", json_text(unskewed->why));
    return o;
}

void cw_manifest_print(const struct cw_plan *plan, const struct cw_tree *tree, struct cw_buf *out) {
    json_t *skews = json_array(), *changed = json_array(), *lost = json_array(), *files = json_array();
    for (uint32_t i = 0; i < plan->files.n; i++)
        add_file(plan->files.at[i], skews, changed);
    for (uint32_t i = 0; i < plan->lost.n; i++)
        json_array_append_new(lost, lost_json(&plan->lost.at[i]));
    for (uint32_t i = 0; i < tree->files.n; i++)
        json_array_append_new(files, json_text(tree->files.at[i]));
    json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "version", CUWARP_VERSION, "tool", "cuwarp-lint", "skews",
                          skews, "not_skewed", lost, "changed", changed, "files", files);
    char *printed = json_dumps(o, JSON_INDENT(1));
    if (printed)
        cw_buf_printf(out, "%s\n", printed);
    free(printed);
    json_decref(o);
}

/* A path that leads out of the folder is nobody's to remove. */
static bool is_plain(const char *path) {
    size_t n = strlen(path);
    return *path && *path != '/' && strncmp(path, "../", 3) != 0 && !strstr(path, "/../") && strcmp(path, "..") != 0 &&
           (n < 3 || strcmp(path + n - 3, "/..") != 0);
}

struct cw_manifest_files cw_manifest_files(struct cw_arena *a, const char *path) {
    struct cw_manifest_files out = {0};
    json_t *o = json_load_file(path, 0, NULL), *item;
    size_t i;
    json_array_foreach(json_object_get(o, "files"), i, item)
        if (json_is_string(item) && is_plain(json_string_value(item)))
            cw_vec_push(a, &out, (const char *)cw_arena_strdup(a, json_string_value(item)));
    json_decref(o);
    return out;
}
