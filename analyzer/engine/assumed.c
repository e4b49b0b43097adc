/* computes: for each finding of an assumed instance whether it depends on the assumed arguments. */
#include "engine/assumed.h"

#include "base/str.h"
#include "front/front.h"
#include "rules/sink.h"

#include <ctype.h>
#include <string.h>

/* Where the instance holds barriers and collectives once its arguments have decided what they decide. */
static void note_meetings(struct cw_unit *unit, const struct cw_fn *whole, struct cw_assumed_result *out) {
    for (uint32_t b = 0; b < whole->blocks.n; b++) {
        const struct cw_vec_u32 *list = &whole->blocks.at[b].ins;
        for (uint32_t k = 0; whole->cfg->rpo_index[b] != CW_NO_BLOCK && k < list->n; k++) {
            const struct cw_ins *ins = &whole->ins.at[list->at[k]];
            if (cw_op_flags((enum cw_op)ins->op) & (CW_OP_B | CW_OP_C))
                cw_vec_push(unit->arena, &out->meetings, whole->locs.at[ins->loc].span);
        }
    }
}

void cw_assumed_note(struct cw_unit *unit, const struct cw_fn *fn, const struct cw_fn *whole,
                     const struct cw_rule_sink *sink) {
    struct cw_assumed_result result = {.fn = fn};
    struct cw_rule_sink *kept = CW_NEW(unit->arena, struct cw_rule_sink);
    memcpy(&kept->findings, &sink->findings, sizeof kept->findings);
    result.findings = kept;
    note_meetings(unit, whole, &result);
    cw_vec_push(unit->arena, &unit->assumed, result);
}

static bool is_of_template(const struct cw_assumed_result *result, const struct cw_fn *fn) {
    return result->fn->pattern_key && fn->pattern_key && !strcmp(result->fn->pattern_key, fn->pattern_key);
}

/* ---- arguments ---- */

/* One of "T = float, N = 256". */
struct argument {
    cw_str name, value;
};

/* Takes the first argument off the text; false at its end. Commas in brackets are part of a value. */
static bool next_argument(cw_str *text, struct argument *out) {
    int depth = 0;
    const char *equals = text->n ? memmem(text->at, text->n, " = ", 3) : NULL;
    if (!equals)
        return false;
    const char *value = equals + 3, *at = value, *end = text->at + text->n;
    for (; at < end && !(depth == 0 && *at == ','); at++)
        depth += *at == '<' || *at == '(' || *at == '[' ? 1 : *at == '>' || *at == ')' || *at == ']' ? -1 : 0;
    *out = (struct argument){{text->at, (size_t)(equals - text->at)}, {value, (size_t)(at - value)}};
    at = at + 2 < end ? at + 2 : end;
    *text = (cw_str){at, (size_t)(end - at)};
    return true;
}

static bool differ_in_all(const char *one, const char *other) {
    cw_str x = cw_str_of(one), y = cw_str_of(other);
    struct argument p, q;
    while (next_argument(&x, &p) && next_argument(&y, &q))
        if (cw_str_eq(p.value, q.value))
            return false;
    return true;
}

/* Integers decide sizes, widths and trip counts, and which of them a project uses is correlated with its block shapes:
 * what is found with assumed ones may be excluded by a caller. */
static bool has_integer(const char *assumed) {
    cw_str text = cw_str_of(assumed);
    struct argument p;
    while (next_argument(&text, &p))
        for (size_t i = 0; i < p.value.n; i++) /* also among the arguments of a class: traits<32, float> */
            if (isdigit((unsigned char)p.value.at[i]) && (i == 0 || strchr("<, -", p.value.at[i - 1])))
                return true;
    return false;
}

/* An argument that all instances share may be one that belongs to another launch, as in a switch over block sizes: what
 * holds for it alone is not said of the template. */
static bool is_varied(struct cw_unit *unit, const struct cw_fn *fn) {
    for (uint32_t i = 0; i < unit->assumed.n; i++) {
        const struct cw_assumed_result *r = &unit->assumed.at[i];
        if (r->fn != fn && is_of_template(r, fn) && differ_in_all(fn->assumed, r->fn->assumed))
            return true;
    }
    return !*fn->assumed;
}

/* ---- findings ---- */

static bool has_finding(const struct cw_rule_sink *sink, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < sink->findings.n; i++) {
        const struct cw_finding *g = &sink->findings.at[i];
        if (g->confidence == CW_DEFINITE && g->is_textual == finding->is_textual && g->decision == finding->decision &&
            !strcmp(g->rule, finding->rule) && g->place.line == finding->place.line &&
            g->place.col == finding->place.col && !strcmp(g->place.file, finding->place.file))
            return true;
    }
    return false;
}

/* Does the instance execute a barrier or collective there? What its arguments leave out of it says nothing. */
static bool is_executed(const struct cw_unit *unit, const struct cw_assumed_result *result,
                        const struct cw_finding *finding) {
    for (uint32_t i = 0; i < result->meetings.n; i++) {
        const struct cw_span *s = &result->meetings.at[i];
        if (s->line == finding->place.line && s->col == finding->place.col && s->file < unit->module->files.n &&
            !strcmp(unit->module->files.at[s->file], finding->place.file))
            return true;
    }
    return false;
}

static bool holds_in_all(const struct cw_unit *unit, const struct cw_assumed_result *own,
                         const struct cw_finding *finding) {
    bool may_lack = finding->is_textual && is_executed(unit, own, finding);
    for (uint32_t i = 0; i < unit->assumed.n; i++) {
        const struct cw_assumed_result *r = &unit->assumed.at[i];
        if (is_of_template(r, own->fn) && !has_finding(r->findings, finding) &&
            (!may_lack || is_executed(unit, r, finding)))
            return false;
    }
    return true;
}

static void add_facts(struct cw_unit *unit, const struct cw_fn *fn, struct cw_finding *finding) {
    cw_str text = cw_str_of(fn->assumed);
    struct argument p;
    while (next_argument(&text, &p)) {
        struct cw_witness_fact fact = {cw_arena_printf(unit->arena, "assumed %.*s", (int)p.name.n, p.name.at),
                                       cw_arena_strndup(unit->arena, p.value.at, p.value.n)};
        cw_vec_push(unit->arena, &finding->witness.facts, fact);
    }
}

static void settle_finding(struct cw_unit *unit, const struct cw_assumed_result *own, bool varied,
                           struct cw_finding *finding) {
    const struct cw_fn *fn = own->fn;
    cw_str base = cw_scan_base_name(fn->name);
    if (finding->kernel && !strcmp(finding->kernel, fn->name))
        finding->kernel = cw_arena_strndup(unit->arena, base.at, base.n);
    if (!*fn->assumed)
        return;
    add_facts(unit, fn, finding);
    /* The same decision in all, whatever they are, does not; but a bound of the block may be computed from them. */
    bool rests_on_size = has_integer(fn->assumed) && (!finding->is_textual || fn->bounds_max_threads);
    bool is_told = finding->is_of_any_warp || (varied && !rests_on_size);
    if (finding->confidence != CW_DEFINITE || (is_told && holds_in_all(unit, own, finding)))
        return;
    finding->confidence = CW_POSSIBLE;
    const char *text = cw_arena_printf(
        unit->arena, "depends on template arguments that nothing here gives: %s is assumed", fn->assumed);
    cw_vec_push(unit->arena, &finding->notes, ((struct cw_remark){{0}, text}));
}

void cw_assumed_settle(struct cw_unit *unit) {
    struct cw_rule_sink *settled = CW_NEW_ARRAY(unit->arena, struct cw_rule_sink, unit->assumed.n + 1);
    for (uint32_t i = 0; i < unit->assumed.n; i++) {
        const struct cw_assumed_result *r = &unit->assumed.at[i];
        bool varied = is_varied(unit, r->fn);
        for (uint32_t k = 0; k < r->findings->findings.n; k++) {
            struct cw_finding f = r->findings->findings.at[k];
            settle_finding(unit, r, varied, &f);
            cw_vec_push(unit->arena, &settled[i].findings, f);
        }
    }
    for (uint32_t i = 0; i < unit->assumed.n; i++)
        cw_kernel_keep(unit, &settled[i]);
    unit->assumed.n = 0;
}
