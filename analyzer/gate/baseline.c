#include "gate/baseline.h"

#include "base/hash.h"
#include "diag/diag_paths.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ENTRIES = 1 << 20 };

void cw_baseline_init(struct cw_baseline *baseline, struct cw_arena *a) {
    *baseline = (struct cw_baseline){.arena = a};
    cw_map_init(&baseline->by_fingerprint, a);
}

static uint64_t key_of(const char *fingerprint) {
    return cw_hash(fingerprint, strlen(fingerprint), 0);
}

static struct cw_baseline_entry *find_entry(struct cw_baseline *baseline, const char *fingerprint) {
    uint64_t at;
    return cw_map_get(&baseline->by_fingerprint, key_of(fingerprint), &at) ? &baseline->entries.at[at] : NULL;
}

static void add_entry(struct cw_baseline *baseline, struct cw_baseline_entry entry) {
    if (find_entry(baseline, entry.fingerprint) || baseline->entries.n >= MAX_ENTRIES)
        return;
    cw_map_put(&baseline->by_fingerprint, key_of(entry.fingerprint), baseline->entries.n);
    cw_vec_push(baseline->arena, &baseline->entries, entry);
}

/* ---- reading ---- */

static const char *text_of(struct cw_baseline *baseline, const json_t *json, const char *key) {
    const char *text = json_string_value(json_object_get(json, key));
    return text ? cw_arena_strdup(baseline->arena, text) : "";
}

static const char *read_line(struct cw_baseline *baseline, cw_str line, uint32_t number) {
    json_error_t why;
    json_t *o = json_loadb(line.at, line.n, JSON_REJECT_DUPLICATES, &why);
    struct cw_baseline_entry e = {text_of(baseline, o, "fingerprint"),
                                  text_of(baseline, o, "rule"),
                                  text_of(baseline, o, "file"),
                                  text_of(baseline, o, "function"),
                                  !strcmp(text_of(baseline, o, "confidence"), "possible"),
                                  false};
    bool good = json_is_object(o) && *e.fingerprint;
    json_decref(o);
    if (good)
        add_entry(baseline, e);
    return good ? NULL : cw_arena_printf(baseline->arena, "line %u is no finding of a baseline", number);
}

const char *cw_baseline_read(struct cw_baseline *baseline, cw_str text) {
    const char *error = NULL;
    for (uint32_t number = 1; text.n && !error; number++) {
        const char *end = memchr(text.at, '\n', text.n);
        size_t n = end ? (size_t)(end - text.at) : text.n;
        cw_str line = cw_str_trim((cw_str){text.at, n});
        if (line.n)
            error = read_line(baseline, line, number);
        text.at += n + (end != NULL);
        text.n -= n + (end != NULL);
    }
    return error;
}

/* ---- use ---- */

uint32_t cw_baseline_hide(struct cw_baseline *baseline, struct cw_run_report *report) {
    uint32_t kept = 0, before = report->findings.n;
    for (uint32_t i = 0; i < before; i++) {
        struct cw_finding *f = &report->findings.at[i];
        struct cw_baseline_entry *e = find_entry(baseline, f->fingerprint);
        if (!e) {
            report->findings.at[kept++] = *f;
            continue;
        }
        e->is_found = true;
        f->suppression = (struct cw_suppression){.kind = "external", .reason = "known to the baseline"};
        cw_vec_push(baseline->arena, &report->suppressed, *f);
    }
    report->findings.n = kept;
    for (uint32_t i = 0; i < report->suppressed.n; i++) { /* what a comment silences is there all the same */
        struct cw_baseline_entry *e =
            report->suppressed.at[i].fingerprint ? find_entry(baseline, report->suppressed.at[i].fingerprint) : NULL;
        if (e)
            e->is_found = true;
    }
    return before - kept;
}

static bool has_rule(const struct cw_run_report *report, const char *name) {
    for (uint32_t i = 0; i < report->rules.n; i++)
        if (!strcmp(report->rules.at[i].name, name))
            return true;
    return false;
}

/* Files that the run has looked at, units and what they include, by their names below the root. */
static void list_looked_at(struct cw_baseline *baseline, const struct cw_run_report *report, struct cw_map *out) {
    cw_map_init(out, baseline->arena);
    for (uint32_t i = 0; i < report->files.n; i++) {
        const struct cw_file_result *r = &report->files.at[i];
        if (r->failed)
            continue;
        cw_map_put(out, key_of(cw_repository_path(baseline->arena, r->path)), 1);
        for (uint32_t k = 0; k < r->reads.n; k++)
            cw_map_put(out, key_of(cw_repository_path(baseline->arena, r->reads.at[k])), 1);
    }
}

static bool is_gone(struct cw_baseline *baseline, const char *root, const char *file) {
    return root && *file && access(cw_arena_printf(baseline->arena, "%s/%s", root, file), F_OK) != 0;
}

uint32_t cw_baseline_stale(struct cw_baseline *baseline, const struct cw_run_report *report, const char *root,
                           bool possible, bool remove) {
    struct cw_map looked_at;
    uint32_t stale = 0, kept = 0;
    list_looked_at(baseline, report, &looked_at);
    for (uint32_t i = 0; i < baseline->entries.n; i++) {
        const struct cw_baseline_entry *e = &baseline->entries.at[i];
        bool is_news = has_rule(report, e->rule) && (possible || !e->is_possible) &&
                       (cw_map_get(&looked_at, key_of(e->file), NULL) || is_gone(baseline, root, e->file));
        bool is_stale = !e->is_found && is_news;
        stale += is_stale;
        if (!is_stale || !remove)
            baseline->entries.at[kept++] = *e;
    }
    baseline->entries.n = kept;
    if (remove) { /* the indices have moved */
        cw_map_init(&baseline->by_fingerprint, baseline->arena);
        for (uint32_t i = 0; i < kept; i++)
            cw_map_put(&baseline->by_fingerprint, key_of(baseline->entries.at[i].fingerprint), i);
    }
    return stale;
}

void cw_baseline_add(struct cw_baseline *baseline, const struct cw_run_report *report) {
    for (uint32_t i = 0; i < report->findings.n; i++) {
        const struct cw_finding *f = &report->findings.at[i];
        struct cw_baseline_entry e = {f->fingerprint,
                                      f->rule,
                                      "",
                                      f->inlined_at.n ? f->inlined_at.at[0].text : f->kernel,
                                      f->confidence == CW_POSSIBLE,
                                      true};
        if (f->place.file)
            e.file = cw_repository_path(baseline->arena, f->place.file);
        e.function = e.function ? e.function : "";
        add_entry(baseline, e);
    }
}

/* ---- printing ---- */

static int in_order(const void *x, const void *y) {
    const struct cw_baseline_entry *a = x, *b = y;
    int order = strcmp(a->file, b->file);
    order = order ? order : strcmp(a->rule, b->rule);
    order = order ? order : strcmp(a->function, b->function);
    return order ? order : strcmp(a->fingerprint, b->fingerprint);
}

static void put_text(json_t *json, const char *key, const char *text) {
    json_t *value = json_string(text);
    json_object_set_new(json, key, value ? value : json_string("?"));
}

void cw_baseline_print(const struct cw_baseline *baseline, struct cw_buf *out) {
    struct cw_baseline_entry *sorted = CW_NEW_ARRAY(baseline->arena, struct cw_baseline_entry, baseline->entries.n + 1);
    if (baseline->entries.n) {
        memcpy(sorted, baseline->entries.at, baseline->entries.n * sizeof *sorted);
        qsort(sorted, baseline->entries.n, sizeof *sorted, in_order);
    }
    for (uint32_t i = 0; i < baseline->entries.n; i++) {
        json_t *o = json_object();
        put_text(o, "file", sorted[i].file);
        put_text(o, "rule", sorted[i].rule);
        put_text(o, "function", sorted[i].function);
        if (sorted[i].is_possible)
            put_text(o, "confidence", "possible");
        put_text(o, "fingerprint", sorted[i].fingerprint);
        char *line = json_dumps(o, JSON_COMPACT);
        cw_buf_printf(out, "%s\n", line ? line : "");
        free(line);
        json_decref(o);
    }
}
