#include "engine/kernel.h"

#include "base/str.h"
#include "engine/accesses.h"
#include "engine/assumptions.h"
#include "front/front.h"
#include "front/shim/shim.h"
#include "rules/analysis.h"

#include <string.h>

enum {
    MAX_INLINED_INSTRUCTIONS = 30000,
    MAX_FINDINGS_PER_FILE = 5000,
    FAMILY_KERNELS = 2, /* instantiations of one template may do as much as that many kernels together, */
    FAMILY_SHARE = 16   /* and each of the further ones a kernel's 16th */
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

static void run_rules(struct cw_unit *u, struct cw_rule_ctx *ctx) {
    for (uint32_t i = 0; i < cw_nrules; i++) {
        if (!u->options->selection.enabled[i])
            continue;
        ctx->rule = &cw_rules[i];
        cw_rules[i].check(ctx);
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

static void keep_findings(struct cw_unit *u, const struct cw_analysis *an) {
    for (uint32_t i = 0; i < an->findings.n && u->result->findings.n < MAX_FINDINGS_PER_FILE; i++)
        if (!is_theirs(u, &an->findings.at[i]))
            cw_findings_add(u->arena, u->result, &an->findings.at[i]);
}

static void keep_facts(struct cw_unit *u, const struct cw_fn *lowered, const struct cw_fn *inlined) {
    for (int b = 0; b < CW_NBAILS; b++)
        u->bails[b] += inlined->bails[b];
    if (inlined->is_degraded || lowered->is_degraded)
        cw_map_put(&u->degraded, (uint64_t)(uintptr_t)lowered, 1);
}

/* Thirty instantiations of one heavy template say the same thirty times: what the first ones did not show, the others get
 * little time for. */
static uint64_t work_for(struct cw_unit *u, const struct cw_fn *fn) {
    uint64_t taken = 0, all = CW_KERNEL_WORK * FAMILY_KERNELS, least = CW_KERNEL_WORK / FAMILY_SHARE;
    if (fn->pattern_key)
        cw_map_get(&u->family_work, (uint64_t)(uintptr_t)cw_intern(&u->module->names, fn->pattern_key), &taken);
    if (taken + least >= all)
        return least;
    return all - taken < CW_KERNEL_WORK ? all - taken : CW_KERNEL_WORK;
}

static void note_work(struct cw_unit *u, const struct cw_fn *fn, uint64_t work) {
    uint64_t taken = 0, key = fn->pattern_key ? (uint64_t)(uintptr_t)cw_intern(&u->module->names, fn->pattern_key) : 0;
    if (!fn->pattern_key)
        return;
    cw_map_get(&u->family_work, key, &taken);
    cw_map_put(&u->family_work, key, taken + work);
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

void cw_kernel_analyse(struct cw_unit *u, struct cw_fn *fn, bool is_alone) {
    struct cw_arena scratch;
    uint64_t work = work_for(u, fn);
    cw_arena_init(&scratch);
    struct cw_analysis an = {.keep = u->arena, .is_alone = is_alone, .work_left = work,
                             .source_of = cw_sources_callback, .ctx = u->sources,
                             .statements_of = statements_of, .statements_ctx = u};
    struct cw_fn *k = cw_inline(u->module, fn, &scratch, MAX_INLINED_INSTRUCTIONS);
    cw_optimize(k);
    k->cfg = cw_cfg_build(k);
    cw_assume_converged(u, k);
    struct cw_rule_ctx ctx = {.module = u->module,
                              .fn = k,
                              .launches = cw_launches_of(u->module, k, &u->launch, &scratch),
                              .semantics = u->options->semantics,
                              .min_arch = u->options->archs[0],
                              .arena = &scratch,
                              .analysis = &an};
    ctx.uniformity = cw_uniformity(k, cw_shape_facts_of(&ctx.launches), &scratch);
    dump(u, &ctx);
    run_rules(u, &ctx);
    note_work(u, fn, work - an.work_left);
    keep_findings(u, &an);
    keep_facts(u, fn, k);
    cw_arena_free(&scratch);
}
