/* Host functions, made ready for reading launches off them. */
#include "cfg/cfg.h"
#include "flow/launch.h"

/* What host code may become when calls are inlined: of one function, and of all together, in proportion to what was
 * lowered. */
enum { MAX_HOST_INSTRUCTIONS = 20000, UNIT_INSTRUCTIONS = 8000, GROWTH = 2 };

static bool has_launch(const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (fn->ins.at[k].op == CW_OP_LAUNCH)
            return true;
    return false;
}

static bool calls_marked(const struct cw_module *m, const struct cw_fn *fn, const struct cw_map *marked) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        if (fn->ins.at[k].op != CW_OP_CALL)
            continue;
        const struct cw_fn *callee = cw_module_find(m, fn->callees.at[fn->ins.at[k].aux]);
        if (callee && callee->kind == CW_FN_HOST && cw_map_get(marked, (uint64_t)(uintptr_t)callee, NULL))
            return true;
    }
    return false;
}

/* Functions that launch, themselves or through host functions that they call. */
static void mark_launching(const struct cw_module *m, struct cw_map *marked) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < m->fns.n; k++) {
            struct cw_fn *fn = m->fns.at[k];
            if (fn->kind != CW_FN_HOST || cw_map_get(marked, (uint64_t)(uintptr_t)fn, NULL))
                continue;
            if (!has_launch(fn) && !calls_marked(m, fn, marked))
                continue;
            cw_map_put(marked, (uint64_t)(uintptr_t)fn, 1);
            changed = true;
        }
    }
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t instructions_for_all(const struct cw_module *m) {
    uint64_t n = UNIT_INSTRUCTIONS;
    for (uint32_t k = 0; k < m->fns.n; k++)
        n += (uint64_t)m->fns.at[k]->ins.n * GROWTH;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Callers stand behind what they call, most of the time, and have the constants: the last come first. */
static void inline_calls(struct cw_module *m, const struct cw_map *marked, struct cw_fn **made) {
    uint32_t left = instructions_for_all(m);
    for (uint32_t k = m->fns.n; k-- > 0;) {
        if (!cw_map_get(marked, (uint64_t)(uintptr_t)m->fns.at[k], NULL))
            continue;
        made[k] = cw_inline(m, m->fns.at[k], m->arena, smaller(left, MAX_HOST_INSTRUCTIONS));
        left -= smaller(left, made[k]->ins.n);
    }
}

void cw_launch_prepare_hosts(struct cw_module *m) {
    struct cw_arena scratch;
    struct cw_map marked;
    cw_arena_init(&scratch);
    cw_map_init(&marked, &scratch);
    mark_launching(m, &marked);
    struct cw_fn **made = CW_NEW_ARRAY(&scratch, struct cw_fn *, m->fns.n);
    inline_calls(m, &marked, made);
    for (uint32_t k = 0; k < m->fns.n; k++) {
        if (!made[k])
            continue;
        cw_optimize(made[k]);
        cw_cfg_build(made[k]);
        m->fns.at[k] = made[k];
        cw_map_put(&m->fn_by_key, (uint64_t)(uintptr_t)made[k]->key, (uint64_t)(uintptr_t)made[k]);
    }
    cw_arena_free(&scratch);
}
