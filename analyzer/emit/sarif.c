/* SARIF 2.1.0 (OASIS standard; section numbers below are its own), made for GitHub code scanning first.
 *
 * Files are named from the root of the repository, under the base SRCROOT whose place on this machine is left out: the
 * same tree gives the same bytes everywhere. Columns count UTF-16 code units, which is what columnKind says. */
#include "emit/places.h"
#include "emit/report_json.h"

#include <string.h>

void cw_emit_sarif(struct cw_emit *e);

static const char *const levels[] = {[CW_INFO] = "note", [CW_WARNING] = "warning", [CW_ERROR] = "error"};

static json_t *make_message(const char *text) {
    json_t *o = json_object();
    json_object_set_new(o, "text", cw_json_text(text ? text : ""));
    return o;
}

/* ---- places ---- */

static json_t *make_artifact(struct cw_emit *emit, const char *file) {
    bool in_root;
    json_t *o = json_object();
    json_object_set_new(o, "uri", cw_json_text(cw_emit_uri(emit, file, &in_root)));
    if (in_root)
        json_object_set_new(o, "uriBaseId", json_string("SRCROOT"));
    return o;
}

static json_t *make_region(struct cw_emit *emit, const struct cw_place *place) {
    struct cw_place at = cw_emit_utf16(emit, place);
    json_t *o = json_object();
    json_object_set_new(o, "startLine", json_integer(at.line));
    json_object_set_new(o, "startColumn", json_integer(at.col));
    json_object_set_new(o, "endLine", json_integer(at.end_line));
    json_object_set_new(o, "endColumn", json_integer(at.end_col));
    return o;
}

/* The lines of a region and one more on each side, with their text, which viewers show that do not have the file. It
 * has to hold more than the region (3.29.5). */
static json_t *context_region(struct cw_emit *emit, const struct cw_place *place) {
    enum { MOST_LINES = 10, MOST_BYTES = 4000 };
    const struct cw_source *s = emit->source_of(emit->ctx, place->file);
    uint32_t lines = s ? cw_source_lines(s) : 0;
    lines -= lines > 1 && !cw_source_line(s, lines).n; /* behind the last line end is no line */
    if (place->line > lines || place->end_line < place->line || place->end_line > lines ||
        place->end_line - place->line > MOST_LINES)
        return NULL;
    uint32_t from = place->line > 1 ? place->line - 1 : 1, to = place->end_line < lines ? place->end_line + 1 : lines;
    cw_str text = cw_source_range(s, from, 1, to, (uint32_t)cw_source_line(s, to).n + 1);
    if ((from == place->line && to == place->end_line) || text.n > MOST_BYTES)
        return NULL;
    json_t *o = json_object();
    json_object_set_new(o, "startLine", json_integer(from));
    json_object_set_new(o, "endLine", json_integer(to));
    json_object_set_new(o, "snippet", make_message(cw_arena_strndup(emit->arena, text.at, text.n)));
    return o;
}

static json_t *make_physical(struct cw_emit *emit, const struct cw_place *place) {
    json_t *o = json_object(), *context = place->line ? context_region(emit, place) : NULL;
    json_object_set_new(o, "artifactLocation", make_artifact(emit, place->file));
    if (place->line)
        json_object_set_new(o, "region", make_region(emit, place));
    if (context)
        json_object_set_new(o, "contextRegion", context);
    return o;
}

/* A location with what there is to say about it; `text` may be NULL. */
static json_t *make_location(struct cw_emit *emit, const struct cw_place *place, const char *text) {
    json_t *o = json_object();
    if (place->file)
        json_object_set_new(o, "physicalLocation", make_physical(emit, place));
    if (text)
        json_object_set_new(o, "message", make_message(text));
    return o;
}

static json_t *main_location(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *o = make_location(emit, &finding->place, NULL);
    if (finding->kernel) {
        json_t *list = json_array(), *function = json_object();
        json_object_set_new(function, "fullyQualifiedName", cw_json_text(finding->kernel));
        json_object_set_new(function, "kind", json_string("function"));
        json_array_append_new(list, function);
        json_object_set_new(o, "logicalLocations", list);
    }
    return o;
}

/* ---- how it comes about ---- */

static void add_step(json_t *list, json_t *place, const char *importance) {
    json_t *step = json_object();
    json_object_set_new(step, "location", place);
    json_object_set_new(step, "executionOrder", json_integer((json_int_t)json_array_size(list) + 1));
    json_object_set_new(step, "importance", json_string(importance));
    json_array_append_new(list, step);
}

/* From the source of divergence to the branch to the barrier (3.36). NULL when the notes tell no such way. */
static json_t *code_flows(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *steps = json_array(), *flow = json_object(), *flows = json_array(), *thread = json_object();
    json_t *threads = json_array();
    for (uint32_t i = 0; i < finding->nsteps; i++)
        if (finding->notes.at[i].place.line && finding->notes.at[i].place.file)
            add_step(steps, make_location(emit, &finding->notes.at[i].place, finding->notes.at[i].text),
                     i ? "important" : "essential");
    bool any = json_array_size(steps) > 0;
    add_step(steps, make_location(emit, &finding->place, finding->message), "essential");
    json_object_set_new(thread, "locations", steps);
    json_array_append_new(threads, thread);
    json_object_set_new(flow, "threadFlows", threads);
    json_array_append_new(flows, flow);
    if (any)
        return flows;
    json_decref(flows);
    return NULL;
}

/* The calls that lead to the place, innermost first (3.44). */
static json_t *make_stacks(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *frames = json_array(), *stack = json_object(), *list = json_array();
    for (uint32_t i = 0; i <= finding->inlined_at.n; i++) {
        const struct cw_place *p = i ? &finding->inlined_at.at[i - 1].place : &finding->place;
        const char *name = i < finding->inlined_at.n ? finding->inlined_at.at[i].text : finding->kernel;
        json_t *frame = json_object();
        json_object_set_new(frame, "location", make_location(emit, p, name ? name : "?"));
        json_array_append_new(frames, frame);
    }
    json_object_set_new(stack, "message", make_message("how the code is reached"));
    json_object_set_new(stack, "frames", frames);
    json_array_append_new(list, stack);
    return list;
}

/* Labels, and the notes that are no steps. Numbered from 1, as messages could refer to them (3.28.2). */
static void add_related(struct cw_emit *emit, json_t *list, const struct cw_remark *at, uint32_t from, uint32_t n) {
    for (uint32_t i = from; i < n; i++) {
        if (!at[i].place.line || !at[i].place.file)
            continue;
        json_t *o = make_location(emit, &at[i].place, at[i].text);
        json_object_set_new(o, "id", json_integer((json_int_t)json_array_size(list) + 1));
        json_array_append_new(list, o);
    }
}

/* ---- fixes ---- */

static json_t *make_replacement(struct cw_emit *emit, const struct cw_edit *edit) {
    json_t *o = json_object();
    json_object_set_new(o, "deletedRegion", make_region(emit, &edit->place));
    json_object_set_new(o, "insertedContent", make_message(edit->replacement));
    return o;
}

static bool is_same_file(const struct cw_fix *fix, uint32_t i, uint32_t k) {
    return !strcmp(fix->edits.at[i].place.file, fix->edits.at[k].place.file);
}

/* An artifactChange per file (3.56). */
static json_t *make_fix(struct cw_emit *emit, const struct cw_fix *x) {
    json_t *o = json_object(), *changes = json_array();
    for (uint32_t i = 0; i < x->edits.n; i++) {
        bool is_first = x->edits.at[i].place.file != NULL;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = !x->edits.at[k].place.file || !is_same_file(x, i, k);
        if (!is_first)
            continue;
        json_t *change = json_object(), *list = json_array();
        for (uint32_t k = i; k < x->edits.n; k++)
            if (x->edits.at[k].place.file && is_same_file(x, i, k))
                json_array_append_new(list, make_replacement(emit, &x->edits.at[k]));
        json_object_set_new(change, "artifactLocation", make_artifact(emit, x->edits.at[i].place.file));
        json_object_set_new(change, "replacements", list);
        json_array_append_new(changes, change);
    }
    json_object_set_new(o, "description", make_message(x->message));
    json_object_set_new(o, "artifactChanges", changes);
    return o;
}

/* The list has no item twice (3.27.30). */
static void append_unique(json_t *list, json_t *item) {
    size_t i;
    json_t *other;
    json_array_foreach(list, i, other) if (json_equal(other, item)) {
        json_decref(item);
        return;
    }
    json_array_append_new(list, item);
}

static json_t *make_fixes(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        if (finding->fixes.at[i].edits.n)
            append_unique(list, make_fix(emit, &finding->fixes.at[i]));
    return list;
}

/* ---- results ---- */

static json_t *make_properties(const struct cw_finding *finding) {
    json_t *o = json_object();
    json_object_set_new(o, "confidence", json_string(cw_confidence_text(finding->confidence)));
    if (finding->witness.present)
        json_object_set_new(o, "witness", cw_witness_to_json(&finding->witness));
    if (finding->also_in.n) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < finding->also_in.n; i++)
            json_array_append_new(list, cw_json_text(finding->also_in.at[i]));
        json_object_set_new(o, "alsoIn", list);
    }
    return o;
}

static json_t *make_suppressions(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *list = json_array();
    if (finding->suppression.kind) {
        json_t *o = json_object();
        json_object_set_new(o, "kind", cw_json_text(finding->suppression.kind));
        if (finding->suppression.reason)
            json_object_set_new(o, "justification", cw_json_text(finding->suppression.reason));
        if (finding->suppression.place.line && finding->suppression.place.file)
            json_object_set_new(o, "location", make_location(emit, &finding->suppression.place, NULL));
        json_array_append_new(list, o);
    }
    return list;
}

/* Sets a list that has something in it; takes the reference. */
static void set_list(json_t *json, const char *key, json_t *list) {
    if (list && json_array_size(list))
        json_object_set(json, key, list);
    json_decref(list);
}

static json_t *make_list(json_t *item) {
    json_t *list = json_array();
    json_array_append_new(list, item);
    return list;
}

static json_t *make_fingerprints(const struct cw_finding *finding) {
    json_t *o = json_object();
    if (finding->fingerprint)
        json_object_set_new(o, "cuwarpLint/v1", cw_json_text(finding->fingerprint));
    return o;
}

static json_t *text_of(struct cw_emit *emit, const struct cw_finding *finding) {
    const char *possible = finding->confidence == CW_POSSIBLE ? "possible: " : "";
    return make_message(finding->help
                            ? cw_arena_printf(emit->arena, "%s%s\nhelp: %s", possible, finding->message, finding->help)
                            : cw_arena_printf(emit->arena, "%s%s", possible, finding->message));
}

static json_t *make_result(struct cw_emit *emit, const struct cw_finding *finding) {
    json_t *o = json_object(), *related = json_array();
    json_object_set_new(o, "ruleId", cw_json_text(finding->rule));
    uint32_t index = 0;
    for (uint32_t i = 0; i < emit->report->rules.n; i++) {
        if (!strcmp(emit->report->rules.at[i].name, finding->rule) && emit->rules_used[i])
            json_object_set_new(o, "ruleIndex", json_integer(index));
        index += emit->rules_used[i];
    }
    json_object_set_new(o, "level", json_string(levels[finding->severity]));
    json_object_set_new(o, "message", text_of(emit, finding));
    json_object_set_new(o, "locations", make_list(main_location(emit, finding)));
    json_object_set_new(o, "partialFingerprints", make_fingerprints(finding));
    set_list(o, "codeFlows", code_flows(emit, finding));
    if (finding->inlined_at.n)
        json_object_set_new(o, "stacks", make_stacks(emit, finding));
    add_related(emit, related, finding->labels.at, 0, finding->labels.n);
    add_related(emit, related, finding->notes.at, finding->nsteps, finding->notes.n);
    set_list(o, "relatedLocations", related);
    set_list(o, "fixes", make_fixes(emit, finding));
    /* All results have the property or none does (3.27.23). */
    if (emit->report->suppressed.n)
        json_object_set_new(o, "suppressions", make_suppressions(emit, finding));
    json_object_set_new(o, "properties", make_properties(finding));
    return o;
}

static json_t *make_results(struct cw_emit *emit) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        json_array_append_new(list, make_result(emit, &emit->report->findings.at[i]));
    for (uint32_t i = 0; i < emit->report->suppressed.n; i++)
        json_array_append_new(list, make_result(emit, &emit->report->suppressed.at[i]));
    return list;
}

/* ---- rules ---- */

/* "precision" and "problem.severity" order the alerts of GitHub's code scanning. */
static json_t *rule_properties(const struct cw_rule_info *rule_info) {
    static const char *const problems[] = {
        [CW_INFO] = "recommendation", [CW_WARNING] = "warning", [CW_ERROR] = "error"};
    json_t *o = json_object(), *tags = json_array();
    json_array_append_new(tags, json_string("cuda"));
    json_array_append_new(tags, cw_json_text(rule_info->category));
    json_array_append_new(tags, json_string(!strcmp(rule_info->category, "perf")      ? "performance"
                                            : !strcmp(rule_info->category, "hygiene") ? "maintainability"
                                                                              : "correctness"));
    json_object_set_new(o, "tags", tags);
    json_object_set_new(o, "precision", json_string(rule_info->preview ? "medium" : "very-high"));
    json_object_set_new(o, "problem.severity", json_string(problems[rule_info->severity]));
    return o;
}

/* "bad-shuffle-width" -> "BadShuffleWidth" (3.49.7: an identifier people can read). */
static json_t *rule_name(struct cw_emit *emit, const char *name) {
    char *out = cw_arena_strdup(emit->arena, name), *to = out;
    bool begins = true;
    for (const char *at = name; *at; at++) {
        if (*at != '-')
            *to++ = (char)(begins && *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
        begins = *at == '-';
    }
    *to = '\0';
    return cw_json_text(out);
}

/* The first paragraph of the documentation, in one line; the summary when there is none. */
static json_t *full_description(struct cw_emit *emit, const struct cw_rule_info *rule_info) {
    const char *from = rule_info->doc;
    if (from && *from == '#')
        from = strchr(from, '\n');
    while (from && *from == '\n')
        from++;
    const char *end = from ? strstr(from, "\n\n") : NULL;
    if (!end)
        return make_message(rule_info->summary);
    char *text = cw_arena_strndup(emit->arena, from, (size_t)(end - from));
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = ' ';
    return make_message(text);
}

static json_t *make_rule(struct cw_emit *emit, const struct cw_rule_info *rule_info) {
    json_t *o = json_object(), *help = make_message(rule_info->doc), *configuration = json_object();
    json_object_set_new(help, "markdown", cw_json_text(rule_info->doc));
    json_object_set_new(configuration, "level", json_string(levels[rule_info->severity]));
    json_object_set_new(o, "id", cw_json_text(rule_info->name));
    json_object_set_new(o, "name", rule_name(emit, rule_info->name));
    json_object_set_new(o, "shortDescription", make_message(rule_info->summary));
    json_object_set_new(o, "fullDescription", full_description(emit, rule_info));
    json_object_set_new(o, "help", help);
    if (emit->report->docs_url && *emit->report->docs_url)
        json_object_set_new(
            o, "helpUri",
            cw_json_text(cw_arena_printf(emit->arena, "%s/rules/%s/", emit->report->docs_url, rule_info->name)));
    json_object_set_new(o, "defaultConfiguration", configuration);
    json_object_set_new(o, "properties", rule_properties(rule_info));
    return o;
}

/* A report names the rules of its results: the help of all of them would be most of the file. */
static bool is_used(const struct cw_emit *emit, const char *name) {
    for (uint32_t i = 0; i < emit->report->findings.n; i++)
        if (!strcmp(emit->report->findings.at[i].rule, name))
            return true;
    for (uint32_t i = 0; i < emit->report->suppressed.n; i++)
        if (!strcmp(emit->report->suppressed.at[i].rule, name))
            return true;
    return false;
}

static void find_used(struct cw_emit *emit) {
    emit->rules_used = CW_NEW_ARRAY(emit->arena, bool, emit->report->rules.n + 1);
    for (uint32_t i = 0; i < emit->report->rules.n; i++)
        emit->rules_used[i] = is_used(emit, emit->report->rules.at[i].name);
}

static json_t *make_tool(struct cw_emit *emit) {
    json_t *o = json_object(), *driver = json_object(), *rules = json_array();
    for (uint32_t i = 0; i < emit->report->rules.n; i++)
        if (emit->rules_used[i])
            json_array_append_new(rules, make_rule(emit, &emit->report->rules.at[i]));
    json_object_set_new(driver, "name", json_string("cuwarp-lint"));
    json_object_set_new(driver, "version", cw_json_text(emit->report->version));
    json_object_set_new(driver, "semanticVersion", cw_json_text(emit->report->version));
    json_object_set_new(driver, "rules", rules);
    json_object_set_new(o, "driver", driver);
    return o;
}

/* ---- the run ---- */

static json_t *make_notification(const char *level, json_t *place, const char *text) {
    json_t *o = json_object();
    json_object_set_new(o, "level", json_string(level));
    json_object_set_new(o, "message", make_message(text));
    if (place)
        json_object_set_new(o, "locations", make_list(place));
    return o;
}

static void add_skipped(struct cw_emit *emit, json_t *list, const struct cw_file_result *result) {
    for (uint32_t k = 0; k < result->skipped.n; k++) {
        const struct cw_skipped *s = &result->skipped.at[k];
        struct cw_place p = s->place.file ? s->place : (struct cw_place){.file = result->path};
        json_array_append_new(list, make_notification("note", make_location(emit, &p, NULL),
                                                      cw_arena_printf(emit->arena, "kernel %s was not analysed: %s",
                                                                      s->kernel, s->reason)));
    }
}

static void add_partial(struct cw_emit *emit, json_t *list, const struct cw_file_result *result) {
    for (uint32_t k = 0; k < result->partial.n; k++) {
        const struct cw_partial *p = &result->partial.at[k];
        const char *text = cw_arena_printf(emit->arena, "kernel %s was analysed in part: %s", p->kernel,
                                           cw_partial_text(emit->arena, p));
        json_array_append_new(list, make_notification("note", make_location(emit, &p->place, NULL), text));
    }
}

/* What was not looked at, and what is not shown: a report without results must not look better than it is. */
static json_t *make_notifications(struct cw_emit *emit) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < emit->report->files.n; i++) {
        const struct cw_file_result *r = &emit->report->files.at[i];
        struct cw_place p = {.file = r->path};
        if (r->failed)
            json_array_append_new(list,
                                  make_notification("error", make_location(emit, &p, NULL),
                                                    cw_arena_printf(emit->arena, "the file could not be analysed: %s",
                                                                    r->failure ? r->failure : "no reason is known")));
        add_skipped(emit, list, r);
        add_partial(emit, list, r);
    }
    if (emit->report->not_shown)
        json_array_append_new(
            list, make_notification("warning", NULL,
                                    cw_arena_printf(emit->arena, "%u more results not shown (--max-results)",
                                                    emit->report->not_shown)));
    return list;
}

static json_t *make_invocation(struct cw_emit *emit) {
    json_t *o = json_object();
    json_object_set_new(o, "executionSuccessful", json_boolean(emit->report->failed == 0));
    json_object_set_new(o, "exitCode", json_integer(emit->report->exit_status));
    set_list(o, "toolExecutionNotifications", make_notifications(emit));
    return o;
}

static json_t *base_ids(void) {
    json_t *o = json_object(), *root = json_object();
    json_object_set_new(root, "description", make_message("root of the repository, else the working directory"));
    json_object_set_new(o, "SRCROOT", root);
    return o;
}

static json_t *make_run(struct cw_emit *emit) {
    json_t *o = json_object(), *properties_of_run = json_object();
    json_object_set_new(properties_of_run, "coverage", cw_coverage_to_json(emit->report));
    json_object_set_new(o, "tool", make_tool(emit));
    json_object_set_new(o, "invocations", make_list(make_invocation(emit)));
    json_object_set_new(o, "originalUriBaseIds", base_ids());
    json_object_set_new(o, "columnKind", json_string("utf16CodeUnits"));
    json_object_set_new(o, "results", make_results(emit));
    json_object_set_new(o, "properties", properties_of_run);
    return o;
}

void cw_emit_sarif(struct cw_emit *emit) {
    json_t *o = json_object();
    find_used(emit);
    json_object_set_new(o, "$schema",
                        json_string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                                    "sarif-schema-2.1.0.json"));
    json_object_set_new(o, "version", json_string("2.1.0"));
    json_object_set_new(o, "runs", make_list(make_run(emit)));
    cw_emit_json_value(emit, o, JSON_INDENT(2));
}
