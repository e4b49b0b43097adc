/* What a kernel's own checks say of its arguments: `assert(n % 256 == 0)` where every thread passes it. A failed check
 * ends the grid, so that no witness may have an argument that fails. */
#include "launch/host_values.h"
#include "launch/launch_internal.h"

/* The last block that every thread passes unless it traps. */
static uint32_t find_last_common_block(const struct cw_cfg *cfg) {
    uint32_t block = 0;
    while (!cfg->dies[block] && cfg->live_ipdom[block] < cfg->nblocks)
        block = cfg->live_ipdom[block];
    return block;
}

static bool has_traps(const struct cw_fn *kernel) {
    for (uint32_t b = 0; b < kernel->blocks.n; b++)
        if (kernel->blocks.at[b].jump.kind == CW_JUMP_TRAP)
            return true;
    return false;
}

static void narrow_arg(struct cw_launch_arg *arg, struct cw_host_bound range, int64_t divisor) {
    int64_t least = range.least > arg->least ? range.least : arg->least,
            most = range.most < arg->most ? range.most : arg->most;
    if (arg->known || least > most)
        return;
    arg->least = least;
    arg->most = most;
    int64_t both = arg->divisor / cw_host_common_divisor(arg->divisor, divisor) * divisor;
    arg->divisor = both <= CW_HOST_DIVISOR_MAX ? both : divisor > arg->divisor ? divisor : arg->divisor;
}

static void need_args(struct cw_launch *launch, uint32_t nargs, struct cw_arena *a) {
    struct cw_launch_arg *args = CW_NEW_ARRAY(a, struct cw_launch_arg, nargs);
    for (uint32_t k = 0; k < nargs; k++)
        args[k] = k < launch->nargs ? launch->args[k] : cw_launch_arg_unknown;
    launch->args = args;
    launch->nargs = nargs;
}

void cw_launch_narrow(struct cw_launch *launches, uint32_t n, const struct cw_fn *kernel, struct cw_arena *a) {
    struct cw_host_point point = {0};
    uint32_t block = has_traps(kernel) ? find_last_common_block(kernel->cfg) : 0;
    if (block == 0)
        return;
    cw_host_point_init(&point, kernel, block);
    for (uint32_t k = 0; k < kernel->params.n; k++) {
        cw_ref param = cw_ref_of(CW_REF_PARAM, k);
        if (!cw_type_is_int(kernel->params.at[k].type))
            continue;
        struct cw_host_bound range = cw_host_range(&point, param);
        int64_t divisor = cw_host_divisor(&point, param);
        if (range.least == INT64_MIN && range.most == INT64_MAX && divisor == 1)
            continue;
        for (uint32_t l = 0; l < n; l++) {
            if (launches[l].nargs < kernel->params.n)
                need_args(&launches[l], kernel->params.n, a);
            narrow_arg(&launches[l].args[k], range, divisor);
        }
    }
}
