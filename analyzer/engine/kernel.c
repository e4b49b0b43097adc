#include "engine/kernel.h"

#include "base/hash.h"
#include "cuda/arch.h"
#include "engine/assumed.h"
#include "engine/assumptions.h"
#include "engine/basis.h"
#include "engine/handed_kernels.h"
#include "engine/kernel_facts.h"
#include "engine/other_switches.h"
#include "engine/partial.h"
#include "front/front.h"
#include "front/shim/shim.h"
#include "ir/code_hash.h"
#include "kernel/kernel.h"
#include "rules/registry.h"
#include "rules/sink.h"
#include "source/constant_counts.h"
#include "source/makers.h"
#include "uniformity/unknown_calls.h"

#include <string.h>

enum { MAX_FINDINGS_PER_FILE = 5000 };

/* A rule that is not selected runs all the same when it is one of the default ones: what it asks first is kept for
 * the rules after it, so that what a rule reports never depends on which others are selected. */
static void run_rule(struct cw_unit *unit, struct cw_rule_ctx *ctx, uint32_t rule, uint64_t work) {
    uint32_t before = ctx->sink->findings.n;
    ctx->rule = &cw_rules[rule];
    cw_kernel_allow(ctx->kernel, work);
    if (cw_rules[rule].hooks->kernel)
        cw_rules[rule].hooks->kernel(ctx);
    if (!unit->options->selection.enabled[rule])
        ctx->sink->findings.n = before;
}

static bool begins_races(uint32_t rule) {
    return rule > 0 && !strcmp(cw_rules[rule].category, "race") && strcmp(cw_rules[rule - 1].category, "race");
}

/* The default rules first, in the order of the table: barriers and masks come before races there. Each has the whole
 * budget; races and the rules that are not default ones begin with evaluators that have not exhausted theirs. */
static void run_rules(struct cw_unit *unit, struct cw_rule_ctx *ctx, uint64_t work) {
    for (int others = 0; others <= 1; others++)
        for (uint32_t i = 0; i < cw_nrules; i++) {
            bool is_default = !cw_rules[i].preview && !cw_rules[i].off_by_default;
            if (others ? i == 0 : begins_races(i))
                cw_kernel_renew_lanes(ctx->kernel);
            if (is_default ? !others : others && unit->options->selection.enabled[i])
                run_rule(unit, ctx, i, work);
        }
}

/* A finding in a header that came with the system, the toolkit or this program is nobody's to repair here. */
static bool is_theirs(const struct cw_unit *unit, const struct cw_finding *finding) {
    static const char *const theirs[] = {"/usr/include/", "/usr/lib/", "/usr/local/", CW_SHIM_ROOT "/"};
    const char *file = finding->place.file, *toolkit = unit->options->cuda_path;
    if (!file || !strcmp(file, unit->result->path))
        return false;
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++)
        if (!strncmp(file, theirs[i], strlen(theirs[i])))
            return true;
    return toolkit && !strncmp(file, toolkit, strlen(toolkit));
}

const struct cw_branches *cw_unit_branches(struct cw_unit *unit, const char *file, const struct cw_source *source) {
    uint64_t known, key = (uint64_t)(uintptr_t)cw_intern(&unit->module->names, file);
    if (cw_map_get(&unit->branches, key, &known))
        return (const struct cw_branches *)(uintptr_t)known;
    struct cw_branches *b = CW_NEW(unit->arena, struct cw_branches);
    *b = cw_branches_read(unit->arena, source->text, source->size);
    cw_map_put(&unit->branches, key, (uint64_t)(uintptr_t)b);
    return b;
}

static const struct cw_branches *branches_of(void *ctx, const char *file) {
    struct cw_unit *u = ctx;
    const struct cw_source *source = cw_sources_get(u->sources, file, NULL);
    return source ? cw_unit_branches(u, file, source) : NULL;
}

/* Code below `#ifdef USE_ROCM` and the like: no rule of CUDA holds for it. */
static bool is_for_other_makers(struct cw_unit *unit, const struct cw_finding *finding) {
    const struct cw_source *s =
        unit->string || !finding->place.line ? NULL : cw_sources_get(unit->sources, finding->place.file, NULL);
    if (!s)
        return false;
    const struct cw_branches *b = cw_unit_branches(unit, finding->place.file, s);
    return b->n &&
           cw_branch_is_other_makers(
               unit->arena, b, cw_branch_at(b, (uint32_t)cw_source_offset(s, finding->place.line, finding->place.col)));
}

/* Of code that the first architecture does not have: where it holds. */
static void note_arch(struct cw_unit *unit, struct cw_finding *finding) {
    uint32_t first = unit->options->archs[0];
    if (unit->arch > first)
        cw_vec_push(
            unit->arena, &finding->notes,
            ((struct cw_remark){{0}, cw_arena_printf(unit->arena, "for sm_%u, not for sm_%u", unit->arch, first)}));
}

/* The same text each time, which is shown once. */
static void warn_of_dropped(struct cw_unit *unit) {
    cw_vec_push(unit->arena, &unit->result->warnings,
                (const char *)cw_arena_printf(unit->arena, "%s: more than %d findings; the rest is not kept",
                                              unit->result->path, MAX_FINDINGS_PER_FILE));
}

/* Of code that the unit as given leaves out: with what it holds. */
static void note_switches(struct cw_unit *unit, struct cw_finding *finding) {
    if (unit->switches)
        cw_vec_push(
            unit->arena, &finding->notes,
            ((struct cw_remark){{0}, cw_arena_printf(unit->arena, "in a build with %s", unit->switches->text)}));
}

void cw_kernel_keep(struct cw_unit *unit, const struct cw_rule_sink *sink) {
    for (uint32_t i = 0; i < sink->findings.n; i++) {
        note_arch(unit, &sink->findings.at[i]);
        note_switches(unit, &sink->findings.at[i]);
    }
    for (uint32_t i = 0; i < sink->findings.n; i++) {
        if (unit->switches && !cw_other_switches_have(unit, &sink->findings.at[i]))
            continue;
        if (is_theirs(unit, &sink->findings.at[i]) || is_for_other_makers(unit, &sink->findings.at[i]))
            continue;
        if (unit->result->findings.n >= MAX_FINDINGS_PER_FILE) {
            warn_of_dropped(unit);
            return;
        }
        cw_findings_add(unit->arena, unit->result, &sink->findings.at[i]);
    }
}

static void keep_reasons(struct cw_unit *unit, const struct cw_fn *lowered, const struct cw_part_reasons *reasons) {
    if (!reasons->n)
        return;
    struct cw_part_reasons *kept = CW_NEW(unit->arena, struct cw_part_reasons);
    *kept = *reasons;
    cw_map_put(&unit->partial, (uint64_t)(uintptr_t)lowered, (uint64_t)(uintptr_t)kept);
}

static void keep_facts(struct cw_unit *unit, const struct cw_kernel *kernel) {
    struct cw_lanes_cells cells = cw_kernel_cells(kernel);
    for (int b = 0; b < CW_NBAILS; b++)
        unit->bails[b] += cw_kernel_reasons(kernel)[b];
    unit->result->cells_evaluated += cells.evaluated;
    unit->result->cells_reused += cells.reused;
}

static const struct cw_statements *statements_of(void *ctx, const char *file) {
    struct cw_unit *u = ctx;
    const struct cw_source *source = u->string ? NULL : cw_sources_get(u->sources, file, NULL); /* strings hold none */
    uint64_t known, key = (uint64_t)(uintptr_t)cw_intern(&u->module->names, file);
    if (!cw_map_get(&u->statements, key, &known)) {
        known = source ? (uint64_t)(uintptr_t)cw_statements_of(u->arena, source) : 0;
        cw_map_put(&u->statements, key, known);
    }
    return (const struct cw_statements *)(uintptr_t)known;
}

/* A kernel template that nobody instantiates here, of which all is known but how large its elements are: that is
 * proof enough.
 */
static bool is_open_in_types_only(const struct cw_fn *fn) {
    return fn->kind == CW_FN_KERNEL && fn->is_pattern && fn->tparams.n == 0 && fn->bails[CW_BAIL_DEPENDENT] == 0 &&
           fn->bails[CW_BAIL_UNKNOWN_CALL] == 0;
}

/* What the file makes of kernels, in code that no front end could read, too; NULL: it cannot be read itself. */
static const struct cw_handed_kernels *handed_in(struct cw_unit *unit, const char *path) {
    uint64_t known = 0, key = (uint64_t)(uintptr_t)cw_intern(&unit->module->names, path);
    if (!cw_map_get(&unit->handed, key, &known)) {
        const struct cw_source *source = cw_sources_get(unit->sources, path, NULL);
        known = source ? (uint64_t)(uintptr_t)cw_handed_kernels_read(source, unit->arena) : 0;
        cw_map_put(&unit->handed, key, known);
    }
    return (const struct cw_handed_kernels *)(uintptr_t)known;
}

/* Does the unit's file, or the one that defines the kernel, launch it, or hand it to a function that does, in code that
 * no front end could read? */
static enum cw_handed unread_launch_of(struct cw_unit *unit, const struct cw_fn *fn) {
    struct cw_launch_walk w = {.module = unit->module, .kernel = fn};
    if (unit->string || fn->kind != CW_FN_KERNEL || cw_launch_next(&w))
        return CW_HANDED_NOT;
    cw_str name = cw_scan_base_name(fn->name);
    const char *files[] = {unit->result->path, unit->module->files.at[fn->name_span.file]};
    enum cw_handed most = CW_HANDED_NOT;
    for (uint32_t i = 0; i < (fn->name_span.file ? 2u : 1u); i++) {
        const struct cw_handed_kernels *handed = handed_in(unit, files[i]);
        enum cw_handed use = handed ? cw_handed_kernels_use(handed, name) : CW_HANDED_NOT;
        most = use > most ? use : most;
    }
    return most;
}

static struct cw_budget budget_of(struct cw_unit *unit, const struct cw_fn *fn, bool is_alone) {
    struct cw_budget whole = cw_budget_of(unit->options->effort, is_alone && fn->kind != CW_FN_KERNEL);
    uint64_t before = 0, key = (uint64_t)(uintptr_t)fn->pattern_key;
    if (fn->kind != CW_FN_KERNEL || !fn->pattern_key)
        return whole;
    cw_map_get(&unit->instances, key, &before);
    cw_map_put(&unit->instances, key, before + 1);
    return cw_budget_of_instance(whole, (uint32_t)before);
}

static bool has_calls_left(const struct cw_fn *fn) {
    for (uint32_t i = 0; i < fn->ins.n; i++)
        if (fn->ins.at[i].op == CW_OP_CALL)
            return true;
    return false;
}

/* Of all that the kernel calls, inlined or not, in no order. Each function is hashed once for an architecture. */
static uint64_t hash_callees(struct cw_unit *unit, const struct cw_fn *lowered) {
    struct cw_arena scratch;
    struct cw_map seen;
    struct cw_fn_list reached = {0};
    uint64_t sum = 0, hash;
    cw_arena_init(&scratch);
    cw_map_init(&seen, &scratch);
    cw_module_reach(unit->module, lowered, &seen, &reached, &scratch);
    for (uint32_t i = 0; i < reached.n; i++) {
        uint64_t key = (uint64_t)(uintptr_t)reached.at[i];
        if (!cw_map_get(&unit->code_hashes, key, &hash)) {
            hash = cw_fn_code_hash(reached.at[i], false, 0);
            cw_map_put(&unit->code_hashes, key, hash);
        }
        sum += hash;
    }
    cw_arena_free(&scratch);
    return sum;
}

/* What one architecture's reading of a kernel came to. */
struct cw_reading {
    uint32_t arch;
    const struct cw_other_switches *switches; /* that it was read with */
    struct cw_part_reasons reasons;
};

/* Calls that are left take the code of the functions behind them into the key. */
static uint64_t reading_key(struct cw_unit *unit, const struct cw_fn *lowered, const struct cw_rule_ctx *ctx) {
    uint64_t callees = has_calls_left(ctx->fn) ? hash_callees(unit, lowered) : 0;
    uint64_t facts[] = {cw_arch_flags(unit->arch) & CW_ARCH_ITS, unit->opt_out.virtual_sm, unit->opt_out.real_sm,
                        cw_launches_hash(ctx->launches), ctx->sink->is_alone, ctx->sink->is_doubtful, callees};
    return cw_fn_code_hash(ctx->fn, true, cw_hash(facts, sizeof facts, 0));
}

/* The first architecture's reading of the same code under the same launches: its findings and its reasons for an
 * analysis in part hold for this one, too. NULL where only one architecture is asked for. Cost: the code's text is
 * hashed, which is little beside one question of a rule. */
static struct cw_reading *reading_of(struct cw_unit *unit, const struct cw_fn *lowered, const struct cw_rule_ctx *ctx) {
    uint64_t known;
    bool is_shown = unit->options->dump != CW_DUMP_NONE && unit->options->dump != CW_DUMP_FACTS;
    if ((!unit->options->adds_archs && unit->options->narchs < 2) || is_shown)
        return NULL;
    uint64_t key = reading_key(unit, lowered, ctx);
    if (cw_map_get(&unit->read_before, key, &known))
        return (struct cw_reading *)(uintptr_t)known;
    struct cw_reading *first = CW_NEW(unit->arena, struct cw_reading);
    first->arch = unit->arch;
    first->switches = unit->switches;
    cw_map_put(&unit->read_before, key, (uint64_t)(uintptr_t)first);
    return first;
}

/* Reasons that no analysis counts by itself. */
static void count_reasons(struct cw_rule_ctx *ctx) {
    uint32_t orders[CW_NBAILS] = {0};
    cw_call_orders_count(ctx->fn, ctx->arena, orders);
    for (int b = 0; b < CW_NBAILS; b++)
        cw_kernel_gave_up(ctx->kernel, (enum cw_bail)b, orders[b]);
    cw_kernel_gave_up(ctx->kernel, CW_BAIL_FINDINGS, ctx->sink->dropped);
}

/* Runs the rules, unless an earlier architecture's reading holds (false), and notes what was given up. */
static bool run_reading(struct cw_unit *unit, const struct cw_fn *lowered, struct cw_rule_ctx *ctx, uint64_t work) {
    struct cw_reading *first = lowered->assumed ? NULL : reading_of(unit, lowered, ctx);
    struct cw_part_reasons reasons;
    bool is_read_before = first && (first->arch != unit->arch || first->switches != unit->switches);
    if (is_read_before) {
        reasons = cw_part_reasons_again(unit, lowered, ctx->kernel, &first->reasons);
    } else {
        run_rules(unit, ctx, work);
        count_reasons(ctx);
        reasons = cw_part_reasons_of(unit, lowered, ctx->kernel);
        if (first)
            first->reasons = reasons;
    }
    keep_reasons(unit, lowered, &reasons);
    return !is_read_before;
}

static bool has_assumed(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->assumed)
            return true;
    return m->assumed.round > 0 || m->assumed.patterns.n > 0;
}

static struct cw_rule_ctx context_of(const struct cw_unit *unit, struct cw_kernel *kernel, struct cw_rule_sink *sink) {
    return (struct cw_rule_ctx){.kernel = kernel,
                                .module = unit->module,
                                .fn = cw_kernel_fn(kernel),
                                .uniformity = cw_kernel_uniformity(kernel),
                                .launches = cw_kernel_launches(kernel),
                                .semantics = unit->options->semantics,
                                .min_arch = unit->options->archs[0],
                                .arch = unit->arch,
                                .opt_out = unit->opt_out,
                                .arena = cw_kernel_arena(kernel),
                                .sink = sink};
}

/* Is code of the unit broken, or was it before names were declared that no header gives? */
static bool may_lack_code(const struct cw_module *m) {
    bool may = m->declares_missing;
    for (uint32_t i = 0; i < m->notes.n && !may; i++)
        may = m->notes.at[i].is_error && !strstr(m->notes.at[i].text, "file not found");
    return may;
}

/* Does the unit's file call the function with a count that is a constant? */
static bool is_called_with_count(struct cw_unit *unit, const struct cw_fn *host) {
    const struct cw_source *source = cw_sources_get(unit->sources, unit->result->path, NULL);
    cw_str name = cw_scan_base_name(host->name);
    return source && name.n && cw_passes_constant_count((cw_str){source->text, source->size}, name);
}

/* Does it stand in a host template or an instance, which the file calls with a constant, in a unit of which code may be
 * lost? Had the caller been read, the launch would be one of the caller's. Other callers pass what a run has. */
static bool lacks_caller(struct cw_unit *unit, const struct cw_fn *fn) {
    struct cw_launch_walk w = {.module = unit->module, .kernel = fn};
    bool lacks = false;
    if (unit->string || !may_lack_code(unit->module))
        return false;
    while (!lacks && cw_launch_next(&w))
        lacks = (w.host->pattern_key || w.host->is_pattern) && is_called_with_count(unit, w.host);
    return lacks;
}

/* The launches, with what the file says of them. */
static void find_launches(struct cw_unit *unit, const struct cw_fn *fn, struct cw_kernel *kernel, bool is_alone) {
    struct cw_launch_options options = unit->launch;
    /* What a function makes of its arguments, the block among them, nobody knows. */
    enum cw_handed unread = unread_launch_of(unit, fn);
    bool is_unread = unread == CW_HANDED_TO_FUNCTION;
    options.is_launched = unread == CW_HANDED_LAUNCHED;
    options.any_block = is_alone || is_unread || cw_kernel_fn(kernel)->has_unread_bounds || fn->assumed;
    cw_kernel_launch(kernel, &options, is_unread, lacks_caller(unit, fn));
}

void cw_kernel_analyse(struct cw_unit *unit, struct cw_fn *fn, bool is_alone) {
    struct cw_arena scratch;
    struct cw_budget budget = budget_of(unit, fn, is_alone);
    struct cw_rule_sink sink = {.keep = unit->arena, .is_alone = is_alone,
                                .source_of = cw_sources_callback, .ctx = unit->sources,
                                .statements_of = statements_of, .branches_of = branches_of, .text_ctx = unit};
    cw_arena_init(&scratch);
    struct cw_kernel *kernel = cw_kernel_new(unit->module, fn, budget.instructions, &scratch);
    sink.is_alone &= !is_open_in_types_only(cw_kernel_fn(kernel));
    sink.is_doubtful = is_alone && fn->pattern_key && has_assumed(unit->module);
    cw_assume_converged(unit, cw_kernel_draft(kernel));
    find_launches(unit, fn, kernel, sink.is_alone);
    cw_kernel_allow(kernel, budget.work);
    cw_kernel_dump(kernel, unit->options->dump, unit->dump);
    struct cw_rule_ctx ctx = context_of(unit, kernel, &sink);
    bool is_new = run_reading(unit, fn, &ctx, budget.work);
    if (fn->assumed)
        cw_assumed_note(unit, fn, ctx.fn, &sink);
    else
        cw_kernel_keep(unit, &sink);
    keep_facts(unit, kernel);
    cw_basis_note(unit, fn, kernel);
    if (unit->options->dump == CW_DUMP_FACTS && is_new) {
        cw_kernel_allow(kernel, budget.work);
        cw_kernel_facts(unit, fn, kernel);
    }
    cw_arena_free(&scratch);
}
