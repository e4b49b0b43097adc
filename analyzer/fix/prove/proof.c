#include "fix/prove/proof.h"
#include "rules/registry.h"

struct proof {
    const struct cw_run_options *options;
    struct cw_selection usual;
    struct cw_arena *arena;
};

static const struct cw_file_options *options_for_proof(void *ctx, const char *path, const char **error) {
    const struct proof *p = ctx;
    struct cw_file_options *wide = CW_NEW(p->arena, struct cw_file_options);
    if (!cw_run_file_options(p->options, path, wide, error))
        return NULL;
    for (uint32_t i = 0; i < cw_nrules; i++)
        wide->unit.selection.enabled[i] |= p->usual.enabled[i];
    return wide;
}

static bool is_excluded_from_proof(void *ctx, const char *path, bool is_directory, const char **error) {
    const struct cw_run_options *o = ((const struct proof *)ctx)->options;
    return o->excludes && o->excludes(o->ctx, path, is_directory, error);
}

struct cw_run_options *cw_proof_options(const struct cw_run_options *options, struct cw_arena *a) {
    struct cw_selection_options none = {0};
    struct proof *p = CW_NEW(a, struct proof);
    struct cw_run_options *wide = CW_NEW(a, struct cw_run_options);
    *p = (struct proof){.options = options, .arena = a};
    (void)cw_select(&p->usual, &none, a); /* nothing in it can be wrong */
    *wide = *options;
    wide->options_of = options_for_proof;
    wide->excludes = is_excluded_from_proof;
    wide->ctx = p;
    return wide;
}
