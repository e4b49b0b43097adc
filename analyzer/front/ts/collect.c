/* Which functions are lowered, and in which order: host code that launches first, because only its launches name the
 * instantiations of kernel templates. The order of the other front end, so that results compare. */
#include "front/ts/lower.h"

#include <string.h>

static bool has_body(const struct ts_function *function) {
    return !ts_node_is_null(ts_field(function->node, "body"));
}

static bool is_prelude(const struct ts_unit *unit, const struct ts_function *function) {
    return ts_part_of(unit, function->node) != unit->main_part;
}

static void drain_queue(struct ts_unit *unit) {
    for (; unit->next < unit->queue.n && unit->next < TS_MAX_FUNCTIONS; unit->next++)
        ts_lower(unit, unit->queue.at[unit->next]);
    if (unit->next < unit->queue.n && !unit->is_cut) {
        unit->is_cut = true;
        cw_vec_push(unit->module->arena, &unit->module->warnings,
                    (const char *)cw_arena_printf(unit->module->arena,
                                                  "%s: more than %d functions for the syntax tree; the rest is skipped",
                                                  unit->module->files.at[0], TS_MAX_FUNCTIONS));
    }
}

static void find_launchers(struct ts_unit *unit, bool *is_in) {
    bool again = true;
    for (uint32_t round = 0; again && round < 8; round++) {
        again = false;
        for (uint32_t i = 0; i < unit->functions.n; i++) {
            const struct ts_function *f = unit->functions.at[i];
            if (is_in[i] || !f->is_host || f->is_kernel || !has_body(f) || is_prelude(unit, f) || !ts_launches(unit, f))
                continue;
            is_in[i] = again = true;
            cw_vec_push(&unit->scratch, &unit->launchers, f->name);
        }
    }
}

/* Of a class template's method or a function template, only instances that somebody names are known. */
static bool is_template(const struct ts_function *function) {
    return !ts_node_is_null(function->tmpl) || (function->owner && !ts_node_is_null(function->owner->tmpl));
}

static struct ts_instance *plain_instance(struct ts_unit *unit, struct ts_function *function) {
    struct ts_scope s = {.u = unit, .cls = function->owner};
    const struct ts_env *env = NULL;
    struct ts_record *record = NULL;
    if (function->owner) {
        if (!ts_node_is_null(function->owner->tmpl))
            env = ts_env_make(&s, function->owner->tmpl, ts_none(), NULL);
        record = ts_record_plain(unit, function->owner, env);
    }
    if (!ts_node_is_null(function->tmpl))
        env = ts_env_make(&s, function->tmpl, ts_none(), env);
    return ts_instance_of(unit, function, env, record);
}

static bool has_instance(const struct ts_unit *unit, const struct ts_function *function) {
    for (uint32_t i = 0; i < unit->queue.n; i++)
        if (unit->queue.at[i]->f == function)
            return true;
    return false;
}

static bool is_wanted(const struct ts_unit *unit, const struct ts_function *function) {
    return has_body(function) && !is_prelude(unit, function) && (!unit->is_partial || function->is_wanted);
}

/* Explicit instantiations: the arguments as written, the rest from the parameters' types. */
static void instantiate_template(struct ts_unit *unit, TSNode node, const bool *is_host_meant) {
    enum { MAX_PARAMS = 64 };
    struct ts_scope s = {.u = unit};
    struct ts_value types[MAX_PARAMS];
    uint32_t n = 0;
    TSNode d = ts_function_declarator(unit, ts_field(node, "declarator")), list = ts_field(d, "parameters");
    TSNode name = ts_node_is_null(d) ? d : ts_declarator_name(unit, d);
    for (uint32_t i = 0; !ts_node_is_null(list) && i < ts_node_named_child_count(list) && n < MAX_PARAMS; i++)
        types[n++] = (struct ts_value){.type = ts_param_type(&s, ts_node_named_child(list, i)), .ref = CW_NONE};
    struct ts_symbol *y = ts_node_is_null(name) ? NULL : ts_symbols(unit, ts_name(unit, ts_last_name(unit, name)));
    for (; y; y = y->next) {
        struct ts_function *f = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        bool is_meant =
            f && (is_host_meant ? is_host_meant[f->index] && !f->is_device : is_wanted(unit, f) && f->is_device);
        if (!is_meant || ts_node_is_null(f->tmpl) || f->is_specialisation || f->owner || n < f->nparams ||
            (n > f->nparams && ts_node_is_null(f->pack)))
            continue;
        struct ts_env *env = ts_env_make(&s, f->tmpl, ts_template_arguments(unit, name), NULL);
        ts_env_deduce(&s, env, f, types, n);
        ts_env_defaults(&s, env, f->tmpl);
        ts_queue(unit, ts_instance_of(unit, f, env, NULL));
        return;
    }
}

static void queue_instantiations(struct ts_unit *unit, const bool *is_host_meant) {
    for (uint32_t i = 0; i < unit->instantiations.n; i++)
        instantiate_template(unit, unit->instantiations.at[i], is_host_meant);
    drain_queue(unit);
}

static bool has_wanted(const struct ts_unit *unit) {
    for (uint32_t i = 0; i < unit->functions.n; i++)
        if (unit->functions.at[i]->is_wanted)
            return true;
    return false;
}

static void queue_hosts(struct ts_unit *unit) {
    bool *is_in = CW_NEW_ARRAY(&unit->scratch, bool, unit->functions.n + 1);
    uint32_t n = unit->functions.n;
    find_launchers(unit, is_in);
    for (uint32_t i = 0; i < n; i++)
        if (is_in[i] && !is_template(unit->functions.at[i]))
            ts_queue(unit, plain_instance(unit, unit->functions.at[i]));
    queue_instantiations(unit, is_in); /* `template void run<float>(float *);` */
    /* Beside another front end, which has read what is instantiated, the launches of the others say what they can: not
     * of kernels that are read here, which would get an instance by arguments that nobody knows. */
    for (uint32_t i = 0; unit->is_partial && !has_wanted(unit) && i < n; i++)
        if (is_in[i] && is_template(unit->functions.at[i]) && !has_instance(unit, unit->functions.at[i]))
            ts_queue(unit, plain_instance(unit, unit->functions.at[i]));
    drain_queue(unit);
}

/* Kernels or device functions, templates or not. */
static void queue_those(struct ts_unit *unit, bool kernels, bool templates) {
    for (uint32_t i = 0; i < unit->functions.n; i++) {
        struct ts_function *f = unit->functions.at[i];
        if (!is_wanted(unit, f) || !f->is_device || f->is_kernel != kernels || is_template(f) != templates ||
            (!kernels && !f->is_main) || (templates && has_instance(unit, f)))
            continue;
        ts_queue(unit, plain_instance(unit, f));
    }
    drain_queue(unit);
}

/* What became of each device function: of a template, the worst of its instances. */
static void see_functions(struct ts_unit *unit) {
    for (uint32_t i = 0; i < unit->functions.n; i++) {
        const struct ts_function *f = unit->functions.at[i];
        if (!f->is_device || !has_body(f) || is_prelude(unit, f) || (!f->is_main && !f->is_kernel))
            continue;
        struct cw_seen s = {.name = f->name, .span = ts_place(unit, f->node).span, .is_kernel = f->is_kernel,
                            .fate = CW_FATE_LOST, .reason = "not reached from any kernel"};
        for (uint32_t k = 0; k < unit->queue.n; k++) {
            const struct ts_instance *q = unit->queue.at[k];
            if (q->f != f || !q->fn)
                continue;
            bool is_degraded = q->fn->is_degraded || s.fate == CW_FATE_DEGRADED;
            s.fate = is_degraded ? CW_FATE_DEGRADED : CW_FATE_ANALYSED;
            s.reason = is_degraded ? "parts are missing or broken" : NULL;
        }
        cw_vec_push(unit->arena, &unit->module->seen, s);
    }
}

/* The first instance of a kernel that is lowered answers for those that are not. */
static void count_left_out(struct ts_unit *unit) {
    for (uint32_t i = 0; i < unit->queue.n; i++) {
        const struct ts_instance *q = unit->queue.at[i];
        if (!q->f->is_kernel || ts_node_is_null(q->f->tmpl) || q->f->ninstances <= TS_MAX_INSTANCES)
            continue;
        for (uint32_t k = 0; k < unit->module->fns.n; k++)
            if (unit->module->fns.at[k]->key == q->key)
                unit->module->fns.at[k]->bails[CW_BAIL_INSTANCES] += q->f->ninstances - TS_MAX_INSTANCES;
        q->f->ninstances = 0;
    }
}

void ts_collect(struct ts_unit *unit) {
    queue_hosts(unit);
    queue_those(unit, true, false);
    queue_instantiations(unit, NULL);
    queue_those(unit, true, true);
    queue_those(unit, false, false);
    queue_those(unit, false, true);
    count_left_out(unit);
    if (!unit->is_partial)
        see_functions(unit);
}
