/* Reviewdog's diagnostic format: one DiagnosticResult object. Its columns count bytes, as ours do. */
#include "emit/merge.h"
#include "emit/report_json.h"

#include <string.h>

void cw_emit_rdjson(struct cw_emit *e);

static json_t *position(uint32_t line, uint32_t column) {
    json_t *o = json_object();
    json_object_set_new(o, "line", json_integer(line));
    json_object_set_new(o, "column", json_integer(column));
    return o;
}

static json_t *range(const struct cw_place *p) {
    json_t *o = json_object();
    json_object_set_new(o, "start", position(p->line, p->col));
    json_object_set_new(o, "end", position(p->end_line, p->end_col));
    return o;
}

static json_t *location(const struct cw_place *p) {
    json_t *o = json_object();
    json_object_set_new(o, "path", cw_json_text(p->file ? p->file : ""));
    if (p->line)
        json_object_set_new(o, "range", range(p));
    return o;
}

/* Labels, then notes: those that have a place. */
static void add_related(json_t *list, const struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].place.line || !at[i].place.file)
            continue;
        json_t *o = json_object();
        json_object_set_new(o, "message", cw_json_text(at[i].text));
        json_object_set_new(o, "location", location(&at[i].place));
        json_array_append_new(list, o);
    }
}

/* A suggestion is one replacement in the finding's file, near enough for a reviewer to see what it does. */
static void add_suggestion(struct cw_emit *e, json_t *list, const struct cw_finding *f, const struct cw_fix *fix) {
    enum { MOST_LINES = 20 };
    struct cw_edit edit;
    if (!f->place.file || !cw_emit_merge(e, fix, MOST_LINES, &edit) || strcmp(edit.place.file, f->place.file) != 0)
        return;
    json_t *o = json_object();
    json_object_set_new(o, "range", range(&edit.place));
    json_object_set_new(o, "text", cw_json_text(edit.replacement));
    json_array_append_new(list, o);
}

static const char *message(struct cw_emit *e, const struct cw_finding *f) {
    const char *possible = f->confidence == CW_POSSIBLE ? "possible: " : "";
    return f->help ? cw_arena_printf(e->arena, "%s%s\nhelp: %s", possible, f->message, f->help)
                   : cw_arena_printf(e->arena, "%s%s", possible, f->message);
}

static json_t *diagnostic(struct cw_emit *e, const struct cw_finding *f) {
    static const char *const severities[] = {[CW_INFO] = "INFO", [CW_WARNING] = "WARNING", [CW_ERROR] = "ERROR"};
    json_t *o = json_object(), *code = json_object(), *related = json_array(), *suggestions = json_array();
    json_object_set_new(code, "value", cw_json_text(f->rule));
    add_related(related, f->labels.at, f->labels.n);
    add_related(related, f->notes.at, f->notes.n);
    for (uint32_t i = 0; i < f->fixes.n; i++)
        add_suggestion(e, suggestions, f, &f->fixes.at[i]);
    json_object_set_new(o, "message", cw_json_text(message(e, f)));
    json_object_set_new(o, "location", location(&f->place));
    json_object_set_new(o, "severity", json_string(severities[f->severity]));
    json_object_set_new(o, "code", code);
    if (json_array_size(suggestions))
        json_object_set(o, "suggestions", suggestions);
    if (json_array_size(related))
        json_object_set(o, "relatedLocations", related);
    json_decref(suggestions);
    json_decref(related);
    return o;
}

void cw_emit_rdjson(struct cw_emit *e) {
    json_t *o = json_object(), *source = json_object(), *list = json_array();
    for (uint32_t i = 0; i < e->report->findings.n; i++)
        json_array_append_new(list, diagnostic(e, &e->report->findings.at[i]));
    json_object_set_new(source, "name", json_string("cuwarp-lint"));
    json_object_set_new(o, "source", source);
    json_object_set_new(o, "diagnostics", list);
    cw_emit_json_value(e, o, JSON_INDENT(2));
}
