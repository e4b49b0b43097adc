#include "engine/text_rules.h"

#include "front/front.h"
#include "rules/registry.h"

#include <string.h>

/* Does a finding of the category `race` lie between the lines of the function? */
static bool has_race(const struct cw_unit *unit, const struct cw_span *function) {
    for (uint32_t i = 0; i < unit->result->findings.n; i++) {
        const struct cw_finding *found = &unit->result->findings.at[i];
        const struct cw_rule *rule = cw_rule_find(found->rule);
        if (rule && !strcmp(rule->category, "race") && found->place.file &&
            !strcmp(found->place.file, unit->result->path) && found->place.line >= function->line &&
            found->place.line <= function->end_line)
            return true;
    }
    return false;
}

static struct cw_text_function function_of(const struct cw_unit *unit, const struct cw_source *source,
                                           const struct cw_scan_function *scan) {
    size_t from = cw_source_offset(source, scan->span.line, scan->span.col);
    size_t to = cw_source_offset(source, scan->span.end_line, scan->span.end_col);
    return (struct cw_text_function){scan->name, from, to > from ? to : from, has_race(unit, &scan->span)};
}

void cw_text_rules_run(struct cw_unit *unit, const struct cw_source *source, bool is_first) {
    uint32_t n = is_first ? unit->scan->functions.n : 0;
    struct cw_text_function *functions = CW_NEW_ARRAY(unit->arena, struct cw_text_function, n + 1);
    struct cw_text_ctx ctx = {.arena = unit->arena,
                              .path = unit->result->path,
                              .source = source,
                              .functions = functions,
                              .nfunctions = n,
                              .missing = unit->missing.at,
                              .nmissing = unit->missing.n};
    for (uint32_t i = 0; i < n; i++)
        functions[i] = function_of(unit, source, &unit->scan->functions.at[i]);
    for (uint32_t i = 0; i < cw_nrules; i++) {
        ctx.rule = &cw_rules[i];
        if (ctx.rule->hooks->text && unit->options->selection.enabled[i])
            ctx.rule->hooks->text(&ctx);
    }
    for (uint32_t i = 0; i < ctx.found.n; i++)
        cw_findings_add(unit->arena, unit->result, &ctx.found.at[i]);
    unit->missing.n = 0;
}
