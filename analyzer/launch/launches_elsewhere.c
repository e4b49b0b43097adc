#include "launch/launches_elsewhere.h"

#include "launch/launch.h"
#include "launch/named_kernels.h"

#include <string.h>

static bool is_launched(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk walk = {.module = m, .kernel = kernel};
    return cw_launch_next(&walk) != NULL;
}

bool cw_launch_is_lacking(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->kind == CW_FN_KERNEL && !m->fns.at[i]->is_pattern && !is_launched(m, m->fns.at[i]))
            return true;
    return false;
}

/* Files of `other` are numbered as those of `m`. */
static void renumber_files(struct cw_module *m, struct cw_module *other) {
    uint32_t *number = CW_NEW_ARRAY(m->arena, uint32_t, other->files.n + 1);
    for (uint32_t i = 0; i < other->files.n; i++)
        number[i] = cw_module_file(m, other->files.at[i]);
    for (uint32_t i = 0; i < other->fns.n; i++) {
        struct cw_fn *fn = other->fns.at[i];
        for (uint32_t k = 0; k < fn->locs.n; k++)
            if (fn->locs.at[k].span.file < other->files.n)
                fn->locs.at[k].span.file = number[fn->locs.at[k].span.file];
    }
}

/* What the kernel is in `m` that the other unit launches: one that it only declares, or knows by a name. */
static bool find_taken(const struct cw_module *m, const struct cw_module *other, const char *callee,
                       struct cw_named_kernel *out) {
    const struct cw_fn *kernel = cw_module_find(m, callee), *own = cw_module_find(other, callee);
    if (cw_is_string_key(callee))
        return cw_kernel_by_name(m, callee, out);
    if (!kernel || kernel->kind != CW_FN_KERNEL || (own && own->kind == CW_FN_KERNEL))
        return false;
    *out = (struct cw_named_kernel){kernel->key, kernel->pattern_key};
    return true;
}

void cw_launch_take(struct cw_module *m, struct cw_module *other) {
    uint32_t before = m->launches.n;
    renumber_files(m, other);
    for (uint32_t i = 0; i < other->launches.n; i++) {
        struct cw_module_launch launch = other->launches.at[i];
        struct cw_named_kernel kernel;
        if (!find_taken(m, other, launch.callee, &kernel))
            continue;
        bool is_known = false;
        for (uint32_t k = 0; k < before && !is_known; k++)
            is_known = m->launches.at[k].callee == kernel.callee;
        launch.callee = kernel.callee;
        launch.pattern = kernel.pattern;
        if (!is_known)
            cw_vec_push(m->arena, &m->launches, launch);
    }
}
