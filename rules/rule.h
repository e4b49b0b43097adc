/* The header of every rule: its hooks, what the hook on kernels is given, and how it reports.
 *
 * A rule is a short question to the analyses. It keeps no global state and reports through cw_report*(). It includes
 * this header, what it asks (kernel/ask/), the hooks that are not on kernels (rules/hook_*.h), and what it shares with
 * others (rules/report_*.h, rules/text_*.h, fix/make/). Its head comment is its documentation (see rules/README.md for
 * the sections); the build turns it into `explain`, the web page and the SARIF help. */
#ifndef CW_RULES_RULE_H
#define CW_RULES_RULE_H

#include "diag/diag.h"
#include "ir/ir.h"

enum cw_semantics { CW_SEMANTICS_CUDA13, CW_SEMANTICS_CUDA12, CW_SEMANTICS_PORTABLE };

struct cw_kernel;
struct cw_race_properties;
struct cw_launches;
struct cw_rule;
struct cw_rule_sink;
struct cw_uniformity;

/* Code of a virtual architecture below sm_70, compiled for a real one from there on: its warps run in lock-step. */
struct cw_opt_out {
    uint32_t virtual_sm, real_sm; /* 0: not so, or not known */
};

/* Everything a rule may look at for one kernel (or device function that no kernel of the unit reaches). */
struct cw_rule_ctx {
    const struct cw_rule *rule;
    struct cw_kernel *kernel;         /* to be asked, see kernel/ask/ */
    const struct cw_module *module;
    const struct cw_fn *fn;           /* inlined, SSA, simplified, fn->cfg set */
    const struct cw_uniformity *uniformity;
    const struct cw_launches *launches;
    enum cw_semantics semantics;
    uint32_t min_arch;                /* 75 for sm_75; lowest of --arch */
    uint32_t arch;                    /* the one that the text was read for: __CUDA_ARCH__ / 10 */
    struct cw_opt_out opt_out;        /* how the build runs this text without independent thread scheduling */
    struct cw_arena *arena;           /* scratch of this kernel */
    struct cw_rule_sink *sink;        /* where findings go, and the texts that they quote: rules/sink.h */
};

/* ---- hooks ---- */

struct cw_text_ctx;
struct cw_versions_ctx;
struct cw_comments_ctx;

/* What editors show a finding's place as, besides its severity: code that does nothing, or that the language has
 * given up. */
enum cw_rule_tag { CW_TAG_NONE, CW_TAG_UNNECESSARY, CW_TAG_DEPRECATED };

/* When the engine calls a rule; NULL: never. */
struct cw_rule_hooks {
    void (*kernel)(struct cw_rule_ctx *);       /* once for each kernel and architecture */
    void (*text)(struct cw_text_ctx *);         /* for each file's text: rules/hook_text.h */
    void (*versions)(struct cw_versions_ctx *); /* with two versions of the code: rules/hook_versions.h */
    void (*comments)(struct cw_comments_ctx *); /* for each file when all findings of the run are known:
                                                 * rules/hook_comments.h */
    bool (*is_my_race)(const struct cw_race_properties *); /* of rules on races: rules/report_races.h */
    enum cw_rule_tag tag;
};

/* Defines them: CW_RULE_HOOKS(removed_barrier, .versions = check_versions); */
#define CW_RULE_HOOKS(id, ...)                                                                                         \
    extern const struct cw_rule_hooks cw_rule_##id;                                                                    \
    const struct cw_rule_hooks cw_rule_##id = {__VA_ARGS__}

/* The same for a rule with nothing but a hook on kernels: CW_RULE_CHECK(divergent_barrier) { … } */
#define CW_RULE_CHECK(id)                                                                                              \
    static void check_kernel(struct cw_rule_ctx *);                                                                    \
    CW_RULE_HOOKS(id, .kernel = check_kernel);                                                                         \
    static void check_kernel(struct cw_rule_ctx *ctx)

/* ---- reporting: begin, decorate, submit. The finding lives until the run ends. ---- */

/* At instruction `ins`: place, kernel and inline stack are filled in. `confidence` may be lowered by the engine when
 * the function is a pattern or device function analysed alone. */
struct cw_finding *cw_report(struct cw_rule_ctx *, enum cw_confidence, uint32_t ins, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At any loc of ctx->fn (index in fn->locs). */
struct cw_finding *cw_report_at(struct cw_rule_ctx *, enum cw_confidence, uint32_t loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* At a place outside of the kernel. */
struct cw_finding *cw_report_span(struct cw_rule_ctx *, enum cw_confidence, struct cw_span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_label(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_note(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc /* 0: no place */, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void cw_report_help(struct cw_rule_ctx *, struct cw_finding *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A further place with the same cause: a finding of the rule that another kernel gives there is not told again. */
void cw_report_covers(struct cw_rule_ctx *, struct cw_finding *, uint32_t loc);
/* The finding takes `name` for the toolkit's. In a header that is read on its own it is void where an includer defines
 * it. */
void cw_report_rests_on(struct cw_finding *, const char *name);
void cw_report_severity(struct cw_finding *, enum cw_severity);
/* What was seen is wrong whatever a caller does: keeps CW_DEFINITE in functions analysed without their callers. */
void cw_report_textual(struct cw_finding *);
/* It is about how the file is built: of all kernels' findings the first one in the file is told. */
void cw_report_once_per_file(struct cw_finding *);
void cw_report_submit(struct cw_rule_ctx *, struct cw_finding *);

#endif
