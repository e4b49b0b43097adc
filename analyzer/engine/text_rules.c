#include "engine/text_rules.h"

#include "front/front.h"
#include "rules/registry.h"

#include <string.h>

/* Does a finding of the category `race` lie between the lines of the function? */
static bool has_race(const struct cw_unit *u, const struct cw_span *function) {
    for (uint32_t i = 0; i < u->result->findings.n; i++) {
        const struct cw_finding *found = &u->result->findings.at[i];
        const struct cw_rule *rule = cw_rule_find(found->rule);
        if (rule && !strcmp(rule->category, "race") && found->place.file &&
            !strcmp(found->place.file, u->result->path) && found->place.line >= function->line &&
            found->place.line <= function->end_line)
            return true;
    }
    return false;
}

static struct cw_text_function function_of(const struct cw_unit *u, const struct cw_source *s,
                                           const struct cw_scan_function *scan) {
    size_t from = cw_source_offset(s, scan->span.line, scan->span.col);
    size_t to = cw_source_offset(s, scan->span.end_line, scan->span.end_col);
    return (struct cw_text_function){scan->name, from, to > from ? to : from, has_race(u, &scan->span)};
}

void cw_text_rules_run(struct cw_unit *u, const struct cw_source *s, bool is_first) {
    uint32_t n = is_first ? u->scan->functions.n : 0;
    struct cw_text_function *functions = CW_NEW_ARRAY(u->arena, struct cw_text_function, n + 1);
    struct cw_text_ctx ctx = {.arena = u->arena, .path = u->result->path, .source = s, .functions = functions,
                              .nfunctions = n, .missing = u->missing.at, .nmissing = u->missing.n};
    for (uint32_t i = 0; i < n; i++)
        functions[i] = function_of(u, s, &u->scan->functions.at[i]);
    for (uint32_t i = 0; i < cw_nrules; i++) {
        ctx.rule = &cw_rules[i];
        if (ctx.rule->hooks->text && u->options->selection.enabled[i])
            ctx.rule->hooks->text(&ctx);
    }
    for (uint32_t i = 0; i < ctx.found.n; i++)
        cw_findings_add(u->arena, u->result, &ctx.found.at[i]);
    u->missing.n = 0;
}
