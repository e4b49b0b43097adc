#include "engine/kernel.h"

#include "base/hash.h"
#include "base/str.h"
#include "cuda/arch.h"
#include "engine/accesses.h"
#include "engine/assumed.h"
#include "engine/assumptions.h"
#include "engine/basis.h"
#include "engine/handed_kernels.h"
#include "engine/kernel_facts.h"
#include "engine/partial.h"
#include "front/front.h"
#include "front/shim/shim.h"
#include "ir/callee_syncs.h"
#include "lanes/launch_fit.h"
#include "rules/analysis.h"
#include "source/makers.h"
#include "uniformity/unknown_calls.h"

#include <string.h>

enum { MAX_POINTER_ROUNDS = 3 /* calls through pointers that calls through pointers are given */ };
enum {
    MAX_FINDINGS_PER_FILE = 5000
};

static void dump(struct cw_unit *u, struct cw_rule_ctx *ctx) {
    switch (u->options->dump) {
    case CW_DUMP_IR:
        cw_fn_print(ctx->fn, u->dump);
        break;
    case CW_DUMP_CFG:
        cw_cfg_print(ctx->fn, u->dump);
        break;
    case CW_DUMP_UNIFORMITY:
        cw_uniformity_print(ctx->uniformity, u->dump);
        break;
    case CW_DUMP_PARTICIPATION:
        for (uint32_t i = 0; i < ctx->launches.n; i++)
            cw_participation_print(cw_rule_lanes(ctx, i, 0), u->dump);
        break;
    case CW_DUMP_PHASES:
        cw_rule_print_races(ctx, u->dump);
        break;
    case CW_DUMP_ACCESSES:
        cw_accesses_print(ctx->fn, ctx->arena, u->dump);
        return;
    case CW_DUMP_SYNCS:
        cw_syncs_print(ctx->fn, ctx->arena, u->dump);
        return;
    case CW_DUMP_FACTS: /* after the rules */
    case CW_DUMP_NONE:
        return;
    }
    cw_buf_putc(u->dump, '\n');
}

bool cw_dump_parse(const char *text, enum cw_dump *out) {
    static const char *const names[] = {[CW_DUMP_IR] = "ir", [CW_DUMP_CFG] = "cfg",
                                        [CW_DUMP_UNIFORMITY] = "uniformity",
                                        [CW_DUMP_PARTICIPATION] = "participation",
                                        [CW_DUMP_PHASES] = "phases", [CW_DUMP_ACCESSES] = "accesses",
                                        [CW_DUMP_SYNCS] = "syncs"};
    for (int i = CW_DUMP_IR; i <= CW_DUMP_SYNCS; i++)
        if (!strcmp(text, names[i])) {
            *out = (enum cw_dump)i;
            return true;
        }
    return false;
}

/* A rule that is not selected runs all the same when it is one of the default ones: what it asks first is kept for
 * the rules after it, so that what a rule reports never depends on which others are selected. */
static void run_rule(struct cw_unit *u, struct cw_rule_ctx *ctx, uint32_t rule, uint64_t work) {
    uint32_t before = ctx->analysis->findings.n;
    ctx->rule = &cw_rules[rule];
    ctx->analysis->work_left = work;
    cw_rules[rule].check(ctx);
    if (!u->options->selection.enabled[rule])
        ctx->analysis->findings.n = before;
}

static bool begins_races(uint32_t rule) {
    return rule > 0 && !strcmp(cw_rules[rule].category, "race") && strcmp(cw_rules[rule - 1].category, "race");
}

/* The default rules first, in the order of the table: barriers and masks come before races there. Each has the whole
 * budget; races and the rules that are not default ones begin with evaluators that have not exhausted theirs. */
static void run_rules(struct cw_unit *u, struct cw_rule_ctx *ctx, uint64_t work) {
    for (int others = 0; others <= 1; others++)
        for (uint32_t i = 0; i < cw_nrules; i++) {
            bool is_default = !cw_rules[i].preview && !cw_rules[i].off_by_default;
            if (others ? i == 0 : begins_races(i))
                cw_rule_renew_lanes(ctx);
            if (is_default ? !others : others && u->options->selection.enabled[i])
                run_rule(u, ctx, i, work);
        }
}

/* A finding in a header that came with the system, the toolkit or this program is nobody's to repair here. */
static bool is_theirs(const struct cw_unit *u, const struct cw_finding *f) {
    static const char *const theirs[] = {"/usr/include/", "/usr/lib/", "/usr/local/", CW_SHIM_ROOT "/"};
    const char *file = f->place.file, *toolkit = u->options->cuda_path;
    if (!file || !strcmp(file, u->result->path))
        return false;
    for (size_t i = 0; i < sizeof theirs / sizeof theirs[0]; i++)
        if (!strncmp(file, theirs[i], strlen(theirs[i])))
            return true;
    return toolkit && !strncmp(file, toolkit, strlen(toolkit));
}

const struct cw_branches *cw_unit_branches(struct cw_unit *u, const char *file, const struct cw_source *source) {
    uint64_t known, key = (uint64_t)(uintptr_t)cw_intern(&u->module->names, file);
    if (cw_map_get(&u->branches, key, &known))
        return (const struct cw_branches *)(uintptr_t)known;
    struct cw_branches *b = CW_NEW(u->arena, struct cw_branches);
    *b = cw_branches_read(u->arena, source->text, source->size);
    cw_map_put(&u->branches, key, (uint64_t)(uintptr_t)b);
    return b;
}

static const struct cw_branches *branches_of(void *ctx, const char *file) {
    struct cw_unit *u = ctx;
    const struct cw_source *source = cw_sources_get(u->sources, file, NULL);
    return source ? cw_unit_branches(u, file, source) : NULL;
}

/* Code below `#ifdef USE_ROCM` and the like: no rule of CUDA holds for it. */
static bool is_for_other_makers(struct cw_unit *u, const struct cw_finding *f) {
    const struct cw_source *s = u->string || !f->place.line ? NULL : cw_sources_get(u->sources, f->place.file, NULL);
    if (!s)
        return false;
    const struct cw_branches *b = cw_unit_branches(u, f->place.file, s);
    return b->n && cw_branch_is_other_makers(
                       u->arena, b, cw_branch_at(b, (uint32_t)cw_source_offset(s, f->place.line, f->place.col)));
}

/* Of code that the first architecture does not have: where it holds. */
static void note_arch(struct cw_unit *u, struct cw_finding *f) {
    uint32_t first = u->options->archs[0];
    if (u->arch > first)
        cw_vec_push(u->arena, &f->notes,
                    ((struct cw_remark){{0}, cw_arena_printf(u->arena, "for sm_%u, not for sm_%u", u->arch, first)}));
}

/* The same text each time, which is shown once. */
static void warn_of_dropped(struct cw_unit *u) {
    cw_vec_push(u->arena, &u->result->warnings,
                (const char *)cw_arena_printf(u->arena, "%s: more than %d findings; the rest is not kept",
                                              u->result->path, MAX_FINDINGS_PER_FILE));
}

void cw_kernel_keep(struct cw_unit *u, const struct cw_analysis *an) {
    for (uint32_t i = 0; i < an->findings.n; i++)
        note_arch(u, &an->findings.at[i]);
    for (uint32_t i = 0; i < an->findings.n; i++) {
        if (is_theirs(u, &an->findings.at[i]) || is_for_other_makers(u, &an->findings.at[i]))
            continue;
        if (u->result->findings.n >= MAX_FINDINGS_PER_FILE) {
            warn_of_dropped(u);
            return;
        }
        cw_findings_add(u->arena, u->result, &an->findings.at[i]);
    }
}

static void keep_reasons(struct cw_unit *u, const struct cw_fn *lowered, const struct cw_part_reasons *reasons) {
    if (!reasons->n)
        return;
    struct cw_part_reasons *kept = CW_NEW(u->arena, struct cw_part_reasons);
    *kept = *reasons;
    cw_map_put(&u->partial, (uint64_t)(uintptr_t)lowered, (uint64_t)(uintptr_t)kept);
}

static void keep_facts(struct cw_unit *u, const struct cw_rule_ctx *ctx) {
    for (int b = 0; b < CW_NBAILS; b++)
        u->bails[b] += ctx->fn->bails[b];
    for (uint32_t i = 0; i < ctx->analysis->made.n; i++) {
        struct cw_lanes_cells cells = cw_lanes_cells_of(ctx->analysis->made.at[i]);
        u->result->cells_evaluated += cells.evaluated;
        u->result->cells_reused += cells.reused;
    }
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
static bool is_open_in_types_only(const struct cw_fn *k) {
    return k->kind == CW_FN_KERNEL && k->is_pattern && k->tparams.n == 0 && k->bails[CW_BAIL_DEPENDENT] == 0 &&
           k->bails[CW_BAIL_UNKNOWN_CALL] == 0;
}

/* Does the file hand the kernel to a function that launches it, in code that no front end could read? What the
 * function makes of its arguments, the block among them, nobody knows. */
static bool is_launched_unread(struct cw_unit *u, const struct cw_fn *fn) {
    struct cw_launch_walk w = {.module = u->module, .kernel = fn};
    const struct cw_source *s = u->string ? NULL : cw_sources_get(u->sources, u->result->path, NULL);
    if (!s || fn->kind != CW_FN_KERNEL || cw_launch_next(&w))
        return false;
    if (!u->handed)
        u->handed = cw_handed_kernels_read(s, u->arena);
    return cw_handed_kernels_has(u->handed, cw_scan_base_name(fn->name));
}

static struct cw_budget budget_of(struct cw_unit *u, const struct cw_fn *fn, bool is_alone) {
    struct cw_budget whole = cw_budget_of(u->options->effort, is_alone && fn->kind != CW_FN_KERNEL);
    uint64_t before = 0, key = (uint64_t)(uintptr_t)fn->pattern_key;
    if (fn->kind != CW_FN_KERNEL || !fn->pattern_key)
        return whole;
    cw_map_get(&u->instances, key, &before);
    cw_map_put(&u->instances, key, before + 1);
    return cw_budget_of_instance(whole, (uint32_t)before);
}

static bool has_calls_left(const struct cw_fn *fn) {
    for (uint32_t i = 0; i < fn->ins.n; i++)
        if (fn->ins.at[i].op == CW_OP_CALL)
            return true;
    return false;
}

/* What one architecture's reading of a kernel came to. */
struct cw_reading {
    uint32_t arch;
    struct cw_part_reasons reasons;
};

static uint64_t reading_key(const struct cw_unit *u, const struct cw_rule_ctx *ctx) {
    uint64_t facts[] = {cw_arch_flags(u->arch) & CW_ARCH_ITS, u->opt_out.virtual_sm, u->opt_out.real_sm,
                        cw_launches_hash(&ctx->launches), ctx->analysis->is_alone, ctx->analysis->is_doubtful};
    struct cw_buf text = {0};
    cw_fn_print(ctx->fn, &text);
    uint64_t key = cw_hash(text.at, text.n, cw_hash(facts, sizeof facts, 0));
    cw_buf_free(&text);
    return key;
}

/* The first architecture's reading of the same code under the same launches: its findings and its reasons for an
 * analysis in part hold for this one, too. NULL where each architecture is analysed for itself: only one is asked for,
 * or some callee was not inlined and may be another one. Cost: the code's text is hashed, which is little beside one
 * question of a rule. */
static struct cw_reading *reading_of(struct cw_unit *u, const struct cw_rule_ctx *ctx) {
    uint64_t known;
    if ((!u->options->adds_archs && u->options->narchs < 2) || u->options->dump != CW_DUMP_NONE ||
        has_calls_left(ctx->fn))
        return NULL;
    uint64_t key = reading_key(u, ctx);
    if (cw_map_get(&u->read_before, key, &known))
        return (struct cw_reading *)(uintptr_t)known;
    struct cw_reading *first = CW_NEW(u->arena, struct cw_reading);
    first->arch = u->arch;
    cw_map_put(&u->read_before, key, (uint64_t)(uintptr_t)first);
    return first;
}

/* Runs the rules, unless an earlier architecture's reading holds, and notes what was given up. */
static void run_reading(struct cw_unit *u, const struct cw_fn *lowered, struct cw_rule_ctx *ctx, uint64_t work) {
    struct cw_reading *first = lowered->assumed ? NULL : reading_of(u, ctx);
    struct cw_part_reasons reasons;
    if (first && first->arch != u->arch) {
        reasons = cw_part_reasons_again(u, lowered, ctx->fn, &first->reasons);
    } else {
        run_rules(u, ctx, work);
        cw_call_orders_count(ctx->fn, ctx->arena);
        reasons = cw_part_reasons_of(u, lowered, ctx);
        if (first)
            first->reasons = reasons;
    }
    keep_reasons(u, lowered, &reasons);
}

static bool has_assumed(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->assumed)
            return true;
    return m->assumed.round > 0 || m->assumed.patterns.n > 0;
}

void cw_kernel_analyse(struct cw_unit *u, struct cw_fn *fn, bool is_alone) {
    struct cw_arena scratch;
    struct cw_budget budget = budget_of(u, fn, is_alone);
    cw_arena_init(&scratch);
    struct cw_fn *k = cw_inline(u->module, fn, &scratch, budget.instructions);
    struct cw_analysis an = {.keep = u->arena, .is_alone = is_alone, .work_left = budget.work,
                             .source_of = cw_sources_callback, .ctx = u->sources,
                             .statements_of = statements_of, .branches_of = branches_of, .text_ctx = u};
    cw_optimize(k);
    for (int round = 0; round < MAX_POINTER_ROUNDS && cw_indirect_calls(k, &scratch); round++) {
        k = cw_inline(u->module, k, &scratch, budget.instructions);
        cw_optimize(k);
    }
    k->cfg = cw_cfg_build(k);
    an.is_alone &= !is_open_in_types_only(k);
    an.is_doubtful = is_alone && fn->pattern_key && has_assumed(u->module);
    cw_assume_converged(u, k);
    bool is_unread = is_launched_unread(u, fn);
    struct cw_launch_options launch = u->launch;
    launch.any_block = an.is_alone || is_unread || k->has_unread_bounds || fn->assumed;
    struct cw_rule_ctx ctx = {.module = u->module,
                              .fn = k,
                              .launches = cw_launches_of(u->module, k, &launch, cw_launch_fits, &scratch),
                              .semantics = u->options->semantics,
                              .min_arch = u->options->archs[0],
                              .arch = u->arch,
                              .opt_out = u->opt_out,
                              .arena = &scratch,
                              .analysis = &an};
    if (!ctx.launches.from_facts && is_unread) /* nobody knows which block that launch has */
        ctx.launches.fits_none = true;
    ctx.uniformity = cw_uniformity(k, cw_shape_facts_of(&ctx.launches), &scratch);
    dump(u, &ctx);
    run_reading(u, fn, &ctx, budget.work);
    if (fn->assumed)
        cw_assumed_note(u, fn, &an);
    else
        cw_kernel_keep(u, &an);
    keep_facts(u, &ctx);
    cw_basis_note(u, fn, &ctx);
    if (u->options->dump == CW_DUMP_FACTS) {
        an.work_left = budget.work;
        cw_kernel_facts(u, fn, &ctx);
    }
    cw_arena_free(&scratch);
}
