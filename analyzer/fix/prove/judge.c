/* Whether a unit is worse with the fixes than it was without. Findings are the same when their rule is and their place
 * is where the edits moved it. */
#include "fix/prove/prove_internal.h"

#include <string.h>

static const struct target *target_named(const struct round *round, const char *path) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        if (!strcmp(cw_run_path(round->run, round->targets.at[i].file), path))
            return &round->targets.at[i];
    return NULL;
}

/* ---- findings ---- */

static bool is_at(const struct cw_finding *finding, const struct cw_finding *other) {
    return finding->place.line == other->place.line && finding->place.col == other->place.col &&
           !strcmp(finding->rule, other->rule);
}

static bool in_one_file(const struct cw_finding *finding, const struct cw_finding *other) {
    return finding->place.file && other->place.file && !strcmp(finding->place.file, other->place.file);
}

static bool is_to_be_fixed(const struct round *round, const struct target *target, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < target->attempt.n; i++) {
        const struct cw_finding *fixed = round->candidates.at[target->attempt.at[i]].finding;
        if (is_at(fixed, finding) && in_one_file(fixed, finding))
            return true;
    }
    return false;
}

/* Is `now` what `was` has become? In files without fixes places do not move. */
static bool is_same(const struct round *round, const struct cw_finding *was, const struct cw_finding *now) {
    if (strcmp(was->rule, now->rule) != 0 || !in_one_file(was, now) || now->confidence < was->confidence)
        return false;
    const struct target *t = target_named(round, now->place.file);
    if (!t || !t->attempt.n)
        return is_at(was, now);
    const struct cw_source *text = cw_sources_get(round->sources, now->place.file, NULL);
    size_t offset = cw_source_offset(text, now->place.line, now->place.col);
    struct cw_range moved = cw_edits_map(&t->edits, cw_source_offset(t->base, was->place.line, was->place.col));
    return offset >= moved.from && offset <= moved.to;
}

static bool may_stay(const struct round *round, const struct affected *affected, const struct cw_finding *now) {
    const struct target *t;
    for (uint32_t i = 0; i < affected->before.findings.n; i++) {
        const struct cw_finding *was = &affected->before.findings.at[i];
        if (!is_same(round, was, now))
            continue;
        bool fixed = false; /* a fix may lie in another file than its finding */
        for (uint32_t k = 0; k < affected->targets.n && !fixed; k++) {
            t = &round->targets.at[affected->targets.at[k]];
            fixed = is_to_be_fixed(round, t, was);
        }
        if (!fixed)
            return true;
    }
    return false;
}

/* Code that could not be followed before, for want of a mask, may be slow as well. It always was: that holds no repair
 * back. */
static bool is_about_speed(const struct round *round, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < round->report.rules.n; i++)
        if (!strcmp(round->report.rules.at[i].name, finding->rule))
            return !strcmp(round->report.rules.at[i].category, "perf");
    return false;
}

static const char *worse_finding(const struct round *round, const struct affected *affected,
                                 const struct cw_file_result *now) {
    for (uint32_t i = 0; i < now->findings.n; i++) {
        const struct cw_finding *f = &now->findings.at[i];
        if (!is_about_speed(round, f) && !may_stay(round, affected, f))
            return cw_arena_printf(round->arena, "with it there is, at line %u: %s [%s]", f->place.line, f->message,
                                   f->rule);
    }
    return NULL;
}

/* ---- coverage ---- */

static bool has_note(const struct cw_file_result *result, const char *text) {
    for (uint32_t i = 0; i < result->parse_notes.n; i++)
        if (!strcmp(result->parse_notes.at[i].text, text))
            return true;
    return false;
}

static const char *worse_parse(const struct round *round, const struct cw_file_result *was,
                               const struct cw_file_result *now) {
    const char *what = NULL;
    if (now->parse_notes.n <= was->parse_notes.n)
        return NULL;
    for (uint32_t i = 0; i < now->parse_notes.n && !what; i++)
        if (!has_note(was, now->parse_notes.at[i].text))
            what = now->parse_notes.at[i].text;
    return cw_arena_printf(round->arena, "with it the parser says: %s", what ? what : now->parse_notes.at[0].text);
}

static bool is_budget(const char *reason) {
    static const enum cw_bail budgets[] = {CW_BAIL_ITERATION_BUDGET, CW_BAIL_TOO_LARGE, CW_BAIL_RACE_BUDGET,
                                           CW_BAIL_MASK_BUDGET, CW_BAIL_SHUFFLE_BUDGET};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++)
        if (!strcmp(reason, cw_bail_text(budgets[i])))
            return true;
    return false;
}

/* Reasons to stop before all was seen. Others grow when a finding goes and what was behind it is asked about. */
static uint64_t given_up(const struct cw_file_result *result) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < result->bails.n; i++)
        if (is_budget(result->bails.at[i].reason))
            sum += result->bails.at[i].count;
    return sum;
}

static uint32_t count_delivered(const struct cw_file_result *result) {
    return result->analysed + result->degraded;
}

/* Kernels with code that the front end or the inliner left out. Questions of other analyses do not count: one that a
 * finding answered before may stay open when the finding is gone. */
static uint32_t read_in_part(const struct cw_file_result *result) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < result->partial.n; i++) {
        bool lacks_code = false;
        for (uint32_t k = 0; k < result->partial.at[i].reasons.n; k++) {
            const char *analysis = result->partial.at[i].reasons.at[k].analysis;
            lacks_code |= !strcmp(analysis, "reading") || !strcmp(analysis, "inlining");
        }
        n += lacks_code;
    }
    return n;
}

static const char *explain_worse(const struct round *round, const struct affected *affected,
                                 const struct cw_file_result *now) {
    const struct cw_file_result *was = &affected->before;
    if (now->failed)
        return was->failed ? NULL : cw_arena_printf(round->arena, "with it %s could not be analysed", now->path);
    const char *parse = worse_parse(round, was, now);
    if (parse)
        return parse;
    if (count_delivered(now) < count_delivered(was) || read_in_part(now) > read_in_part(was) ||
        given_up(now) > given_up(was))
        return "with it less of the code can be understood";
    return worse_finding(round, affected, now);
}

/* ---- who is to blame ---- */

void cw_round_judge(struct round *round) {
    for (uint32_t i = 0; i < round->units.n; i++) {
        const struct affected *u = &round->units.at[i];
        const char *reason = explain_worse(round, u, cw_run_result(round->run, u->file));
        for (uint32_t k = 0; k < u->targets.n && reason; k++) {
            struct target *t = &round->targets.at[u->targets.at[k]];
            if (t->is_tried && !t->blame)
                t->blame = reason;
        }
    }
}
