/* Reviewdog's diagnostic format: one DiagnosticResult object. Its columns count bytes, as ours do. */
#include "emit/merge.h"
#include "emit/report_json.h"

#include <string.h>

void cw_emit_rdjson(struct cw_emit *e);

static json_t *make_position(uint32_t line, uint32_t column) {
    json_t *o = json_object();
    json_object_set_new(o, "line", json_integer(line));
    json_object_set_new(o, "column", json_integer(column));
    return o;
}

static json_t *make_range(const struct cw_place *place) {
    json_t *o = json_object();
    json_object_set_new(o, "start", make_position(place->line, place->col));
    json_object_set_new(o, "end", make_position(place->end_line, place->end_col));
    return o;
}

static json_t *make_location(const struct cw_place *place) {
    json_t *o = json_object();
    json_object_set_new(o, "path", cw_json_text(place->file ? place->file : ""));
    if (place->line)
        json_object_set_new(o, "range", make_range(place));
    return o;
}

/* Labels, then notes: those that have a place. */
static void add_related(json_t *list, const struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (!at[i].place.line || !at[i].place.file)
            continue;
        json_t *o = json_object();
        json_object_set_new(o, "message", cw_json_text(at[i].text));
        json_object_set_new(o, "location", make_location(&at[i].place));
        json_array_append_new(list, o);
    }
}

/* A suggestion is one replacement in the finding's file, near enough for a reviewer to see what it does. */
static void add_suggestion(struct cw_emit *emit, json_t *list, const struct cw_finding *finding,
                           const struct cw_fix *fix) {
    enum { MOST_LINES = 20 };
    struct cw_edit edit;
    if (!finding->place.file || !cw_emit_merge(emit, fix, MOST_LINES, &edit) ||
        strcmp(edit.place.file, finding->place.file) != 0)
        return;
    json_t *o = json_object();
    json_object_set_new(o, "range", make_range(&edit.place));
    json_object_set_new(o, "text", cw_json_text(edit.replacement));
    json_array_append_new(list, o);
}

static const char *message_text(struct cw_emit *emit, const struct cw_finding *finding) {
    const char *possible = finding->confidence == CW_POSSIBLE ? "possible: " : "";
    return finding->help ? cw_arena_printf(emit->arena, "%s%s\nhelp: %s", possible, finding->message, finding->help)
                   : cw_arena_printf(emit->arena, "%s%s", possible, finding->message);
}

static json_t *make_diagnostic(struct cw_emit *emit, const struct cw_finding *finding) {
    static const char *const severities[] = {[CW_INFO] = "INFO", [CW_WARNING] = "WARNING", [CW_ERROR] = "ERROR"};
    json_t *o = json_object(), *code = json_object(), *related = json_array(), *suggestions = json_array();
    json_object_set_new(code, "value", cw_json_text(finding->rule));
    add_related(related, finding->labels.at, finding->labels.n);
    add_related(related, finding->notes.at, finding->notes.n);
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        add_suggestion(emit, suggestions, finding, &finding->fixes.at[i]);
    json_object_set_new(o, "message", cw_json_text(message_text(emit, finding)));
    json_object_set_new(o, "location", make_location(&finding->place));
    json_object_set_new(o, "severity", json_string(severities[finding->severity]));
    json_object_set_new(o, "code", code);
    if (json_array_size(suggestions))
        json_object_set(o, "suggestions", suggestions);
    if (json_array_size(related))
        json_object_set(o, "relatedLocations", related);
    json_decref(suggestions);
    json_decref(related);
    return o;
}

void cw_emit_rdjson(struct cw_emit *emit) {
    json_t *o = json_object(), *source = json_object(), *list = json_array();
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        json_array_append_new(list, make_diagnostic(emit, &emit->report->findings.at[i]));
    json_object_set_new(source, "name", json_string("cuwarp-lint"));
    json_object_set_new(o, "source", source);
    json_object_set_new(o, "diagnostics", list);
    cw_emit_json_value(emit, o, JSON_INDENT(2));
}
