/* GitLab's code quality report: an array of issues in the style of Code Climate. Paths are from the repository's root,
 * and a fingerprint may stand only once in the report. */
#include "emit/places.h"
#include "emit/report_json.h"

#include "base/hash.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

void cw_emit_gitlab(struct cw_emit *e);

static json_t *make_position(uint32_t line, uint32_t column) {
    json_t *o = json_object();
    json_object_set_new(o, "line", json_integer(line ? line : 1));
    json_object_set_new(o, "column", json_integer(column ? column : 1));
    return o;
}

static json_t *make_location(struct cw_emit *emit, const struct cw_place *place) {
    struct cw_place at = cw_emit_utf16(emit, place);
    json_t *o = json_object(), *lines = json_object(), *positions = json_object();
    json_object_set_new(o, "path", cw_json_text(place->file ? cw_emit_path(emit, place->file) : ""));
    json_object_set_new(lines, "begin", json_integer(at.line ? at.line : 1));
    json_object_set_new(lines, "end", json_integer(at.end_line ? at.end_line : 1));
    json_object_set_new(positions, "begin", make_position(at.line, at.col));
    json_object_set_new(positions, "end", make_position(at.end_line, at.end_col));
    json_object_set_new(o, "lines", lines);
    json_object_set_new(o, "positions", positions);
    return o;
}

/* The finding's own fingerprint, or one made from it when another finding has it already. */
static json_t *unique_fingerprint(struct cw_emit *emit, struct cw_map *seen, const struct cw_finding *finding) {
    const char *text = finding->fingerprint ? finding->fingerprint : finding->rule;
    uint64_t key = cw_hash(text, strlen(text), 0), times = 0;
    cw_map_get(seen, key, &times);
    cw_map_put(seen, key, times + 1);
    if (times)
        text = cw_arena_printf(emit->arena, "%s-%llu", text, (unsigned long long)times);
    return cw_json_text(text);
}

static json_t *make_issue(struct cw_emit *emit, struct cw_map *seen, const struct cw_finding *finding) {
    static const char *const severities[] = {[CW_INFO] = "info", [CW_WARNING] = "minor", [CW_ERROR] = "major"};
    json_t *o = json_object(), *categories = json_array();
    const char *possible = finding->confidence == CW_POSSIBLE ? "possible: " : "";
    const char *text = finding->help
                           ? cw_arena_printf(emit->arena, "%s%s (help: %s)", possible, finding->message, finding->help)
                           : cw_arena_printf(emit->arena, "%s%s", possible, finding->message);
    json_array_append_new(categories, json_string("Bug Risk"));
    json_object_set_new(o, "type", json_string("issue"));
    json_object_set_new(o, "check_name", cw_json_text(finding->rule));
    json_object_set_new(o, "description", cw_json_text(text));
    json_object_set_new(o, "categories", categories);
    json_object_set_new(o, "severity", json_string(severities[finding->severity]));
    json_object_set_new(o, "fingerprint", unique_fingerprint(emit, seen, finding));
    json_object_set_new(o, "location", make_location(emit, &finding->place));
    return o;
}

void cw_emit_gitlab(struct cw_emit *emit) {
    struct cw_map seen;
    json_t *list = json_array();
    cw_map_init(&seen, emit->arena);
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        json_array_append_new(list, make_issue(emit, &seen, &emit->report->findings.at[i]));
    cw_emit_json_value(emit, list, JSON_INDENT(2));
}
