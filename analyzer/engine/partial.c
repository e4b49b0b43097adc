#include "engine/partial.h"

#include "base/str.h"
#include "engine/later_archs.h"
#include "kernel/ask/values.h"

#include <string.h>

enum { MAX_MISSING_NAMED = 4 };

/* Who gives up for a reason, and what would help. Reasons without an analysis make a value unknown, no more. */
struct row {
    const char *analysis, *option;
};

#define GUESSED "--block X[,Y[,Z]]" /* helps where the block was guessed */

static const struct row rows[CW_NBAILS] = {
    [CW_BAIL_RECURSION] = {"inlining", NULL},
    [CW_BAIL_INLINE_BUDGET] = {"inlining", NULL},
    [CW_BAIL_UNRESOLVED_NAME] = {"reading", "-I DIR"},
    [CW_BAIL_UNSUPPORTED_STMT] = {"reading", NULL},
    [CW_BAIL_INDIRECT_GOTO] = {"reading", NULL},
    [CW_BAIL_EXCEPTION] = {"reading", NULL},
    [CW_BAIL_TOO_LARGE] = {"reading", NULL},
    [CW_BAIL_BROKEN_CODE] = {"reading", "-D NAME, -I DIR or -p BUILD"},
    [CW_BAIL_ITERATION_BUDGET] = {"evaluation", GUESSED},
    [CW_BAIL_IRREDUCIBLE] = {"evaluation", NULL},
    [CW_BAIL_MASK_UNKNOWN] = {"masks", GUESSED},
    [CW_BAIL_MASK_BUDGET] = {"masks", GUESSED},
    [CW_BAIL_RACE_UNKNOWN] = {"race search", GUESSED},
    [CW_BAIL_RACE_BUDGET] = {"race search", GUESSED},
    [CW_BAIL_RACE_LAUNCHES] = {"race search", GUESSED},
    [CW_BAIL_RACY_READ] = {"reads by all threads", GUESSED},
    [CW_BAIL_SHUFFLE_BUDGET] = {"shuffles", NULL},
    [CW_BAIL_BARRIER_BUDGET] = {"barriers", NULL},
    [CW_BAIL_SPIN_BUDGET] = {"spin loops", NULL},
    [CW_BAIL_WEAK_WAIT] = {"order between blocks", NULL},
    [CW_BAIL_BLOCK_ORDER] = {"order between blocks", NULL},
    [CW_BAIL_SNAPSHOT_BUDGET] = {"uses of __activemask()", NULL},
    [CW_BAIL_STAND_IN] = {"instantiations", NULL},
    [CW_BAIL_INSTANCES] = {"instantiations", NULL},
    [CW_BAIL_FINDINGS] = {"report", NULL},
    [CW_BAIL_NO_LAUNCH] = {"launch", GUESSED},
};

static void add_reason(struct cw_arena *a, struct cw_part_reasons *out, struct cw_part_reason why) {
    for (uint32_t i = 0; i < out->n; i++)
        if (!strcmp(out->at[i].reason, why.reason) && !strcmp(out->at[i].analysis, why.analysis)) {
            out->at[i].count += why.count;
            return;
        }
    cw_vec_push(a, out, why);
}

void cw_part_reasons_add(struct cw_arena *a, struct cw_part_reasons *to, const struct cw_part_reasons *more) {
    for (uint32_t i = 0; i < more->n; i++)
        add_reason(a, to, more->at[i]);
}

/* ---- headers that are missing ---- */

/* The name in "'a/b.h' file not found", or an empty text. */
static cw_str missing_header(const struct cw_parse_note *parse_note) {
    const char *end = strstr(parse_note->text, "' file not found"), *from = end ? strchr(parse_note->text, '\'') : NULL;
    return from && from + 1 < end ? (cw_str){from + 1, (size_t)(end - from - 1)} : (cw_str){0};
}

static bool is_of_toolkit(cw_str name) {
    static const char *const starts[] = {"cuda", "cub/", "thrust/", "cooperative_groups", "nv/", "mma.h", "curand",
                                         "cublas", "cufft", "cusparse", "nvtx", "cutlass/", "cute/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (cw_str_starts(name, starts[i]))
            return true;
    return false;
}

/* A reason for each of the first missing headers, and one for the rest. */
static void add_missing(struct cw_unit *unit, struct cw_part_reasons *out) {
    const struct cw_module *m = unit->module;
    uint32_t named = 0, more = 0;
    const char *option = NULL;
    for (uint32_t i = 0; i < m->notes.n; i++) {
        cw_str name = missing_header(&m->notes.at[i]);
        if (!name.n)
            continue;
        if (named == MAX_MISSING_NAMED) {
            more++;
            continue;
        }
        option = is_of_toolkit(name) && !unit->options->cuda_path ? "--cuda-path DIR" : "-I DIR";
        const char *text = cw_arena_printf(unit->arena, CW_MISSING_HEADER "%.*s", (int)name.n, name.at);
        add_reason(unit->arena, out, (struct cw_part_reason){"reading", text, option, 1});
        named++;
    }
    const char *rest = more ? cw_arena_printf(unit->arena, "%u more missing", more) : NULL;
    if (rest)
        add_reason(unit->arena, out, (struct cw_part_reason){"reading", rest, option, 1});
}

/* Where the parser made up or dropped tokens of the function: "expected ')'". Only clang leaves notes of code. */
static bool has_syntax_error(const struct cw_module *m, const struct cw_fn *fn) {
    for (uint32_t i = 0; i < m->notes.n; i++) {
        const struct cw_parse_note *n = &m->notes.at[i];
        if (n->is_error && n->span.file == fn->span.file && n->span.line >= fn->span.line &&
            n->span.line <= fn->span.end_line && !strncmp(n->text, "expected ", strlen("expected ")))
            return true;
    }
    return false;
}

/* What the front end lost is put down to headers that are missing, where some are. */
static void add_reading(struct cw_unit *unit, struct cw_part_reasons *out, const struct cw_fn *lowered,
                        const struct cw_fn *inlined) {
    if (lowered->is_degraded || inlined->is_degraded)
        add_missing(unit, out);
    else if (has_syntax_error(unit->module, lowered))
        add_reason(unit->arena, out,
                   (struct cw_part_reason){rows[CW_BAIL_BROKEN_CODE].analysis, cw_bail_text(CW_BAIL_BROKEN_CODE),
                                           rows[CW_BAIL_BROKEN_CODE].option, 1});
}

/* What another parse, with other switches or with instances of templates, might have read. */
static void add_refused(struct cw_unit *unit, struct cw_part_reasons *out, const struct cw_fn *lowered,
                        const struct cw_fn *inlined) {
    struct cw_part_reason why = {"reading", "no time was left for another parse of the unit", NULL, 1};
    if (unit->is_parse_refused && (lowered->is_pattern || lowered->is_degraded || inlined->is_degraded))
        add_reason(unit->arena, out, why);
}

/* ---- launches ---- */

/* Did the rules find that every launch ends in a trap? Then none of the guessed ones is the one that was meant. */
static bool traps_always(struct cw_kernel *kernel) {
    bool all = cw_kernel_reasons(kernel)[CW_BAIL_TRAP] > 0;
    for (uint32_t k = 0; k < cw_kernel_launches(kernel)->n && all; k++)
        all = cw_lanes_exhausted(cw_kernel_lanes(kernel, k, 0));
    return all;
}

/* Where the launch is the reason, that the analyses knew nothing is no further one. */
static void add_launch(struct cw_unit *unit, struct cw_part_reasons *out, const struct cw_kernel *kernel) {
    struct cw_part_reason why = {"launch", "every known launch traps", NULL, 1};
    if (!cw_kernel_launches(kernel)->from_facts) {
        why.reason = "launch unknown: every guessed block traps";
        why.option = GUESSED;
    }
    add_reason(unit->arena, out, why);
}

static void add_later(struct cw_unit *unit, struct cw_part_reasons *out, const struct cw_fn *lowered,
                      struct cw_kernel *kernel) {
    uint32_t later = cw_later_arch_of(unit, lowered);
    struct cw_part_reason why = {"reading", NULL, NULL, 1};
    if (later && unit->adds_archs)
        unit->later_arch = unit->later_arch && unit->later_arch < later ? unit->later_arch : later;
    if (!later || unit->adds_archs)
        return;
    why.reason = cw_arena_printf(unit->arena, "code for sm_%u and later not looked at", later);
    why.option = cw_arena_printf(unit->arena, "--arch sm_%u", later);
    add_reason(unit->arena, out, why);
    cw_kernel_gave_up(kernel, CW_BAIL_LATER_ARCH, 1);
}

static void add_counted(struct cw_unit *unit, struct cw_part_reasons *out, struct cw_kernel *kernel, bool is_degraded) {
    const struct cw_launches *launches = cw_kernel_launches(kernel);
    bool is_missing = out->n > 0; /* headers */
    cw_kernel_gave_up(kernel, CW_BAIL_NO_LAUNCH, !launches->n || launches->fits_none);
    const uint32_t *reasons = cw_kernel_reasons(kernel);
    for (int b = 0; b < CW_NBAILS; b++) {
        const struct row *r = &rows[b];
        bool is_guess = r->option && !strcmp(r->option, GUESSED);
        const char *option = is_guess && launches->from_facts ? NULL : r->option;
        if (!reasons[b] || !r->analysis || (b == CW_BAIL_UNRESOLVED_NAME && is_missing) ||
            (!is_degraded && !strcmp(r->analysis, "reading")))
            continue;
        add_reason(unit->arena, out,
                   (struct cw_part_reason){r->analysis, cw_bail_text((enum cw_bail)b), option, reasons[b]});
    }
}

struct cw_part_reasons cw_part_reasons_of(struct cw_unit *unit, const struct cw_fn *lowered, struct cw_kernel *kernel) {
    struct cw_part_reasons out = {0};
    const struct cw_fn *fn = cw_kernel_fn(kernel);
    bool is_degraded = lowered->is_degraded || fn->is_degraded;
    if (lowered->kind != CW_FN_KERNEL)
        return out;
    add_reading(unit, &out, lowered, fn);
    if (traps_always(kernel))
        add_launch(unit, &out, kernel);
    else
        add_counted(unit, &out, kernel, is_degraded);
    if (is_degraded && !out.n)
        add_reason(unit->arena, &out,
                   (struct cw_part_reason){"reading", "code the front end does not follow", NULL, 1});
    add_refused(unit, &out, lowered, fn);
    add_later(unit, &out, lowered, kernel);
    return out;
}

struct cw_part_reasons cw_part_reasons_again(struct cw_unit *unit, const struct cw_fn *lowered,
                                             struct cw_kernel *kernel, const struct cw_part_reasons *first) {
    struct cw_part_reasons out = {0};
    cw_part_reasons_add(unit->arena, &out, first);
    if (lowered->kind == CW_FN_KERNEL) {
        add_refused(unit, &out, lowered, cw_kernel_fn(kernel));
        add_later(unit, &out, lowered, kernel);
    }
    return out;
}
