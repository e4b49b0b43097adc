/* Which functions are lowered, and in which order: host code that launches first, because only its launches name the
 * instantiations of kernel templates. The order of the other front end, so that results compare. */
#include "front/ts/lower.h"

#include <string.h>

static bool has_body(const struct ts_function *f) {
    return !ts_node_is_null(ts_field(f->node, "body"));
}

static bool is_prelude(const struct ts_unit *u, const struct ts_function *f) {
    return ts_part_of(u, f->node) != u->main_part;
}

static void drain(struct ts_unit *u) {
    for (; u->next < u->queue.n && u->next < TS_MAX_FUNCTIONS; u->next++)
        ts_lower(u, u->queue.at[u->next]);
    if (u->next < u->queue.n && !u->is_cut) {
        u->is_cut = true;
        cw_vec_push(u->module->arena, &u->module->warnings,
                    (const char *)cw_arena_printf(u->module->arena,
                                                  "%s: more than %d functions for the syntax tree; the rest is skipped",
                                                  u->module->files.at[0], TS_MAX_FUNCTIONS));
    }
}

static void find_launchers(struct ts_unit *u, bool *is_in) {
    bool again = true;
    for (uint32_t round = 0; again && round < 8; round++) {
        again = false;
        for (uint32_t i = 0; i < u->functions.n; i++) {
            const struct ts_function *f = u->functions.at[i];
            if (is_in[i] || !f->is_host || f->is_kernel || !has_body(f) || is_prelude(u, f) || !ts_launches(u, f))
                continue;
            is_in[i] = again = true;
            cw_vec_push(&u->scratch, &u->launchers, f->name);
        }
    }
}

/* Of a class template's method or a function template, only instances that somebody names are known. */
static bool is_template(const struct ts_function *f) {
    return !ts_node_is_null(f->tmpl) || (f->owner && !ts_node_is_null(f->owner->tmpl));
}

static struct ts_instance *plain_instance(struct ts_unit *u, struct ts_function *f) {
    struct ts_scope s = {.u = u, .cls = f->owner};
    const struct ts_env *env = NULL;
    struct ts_record *record = NULL;
    if (f->owner) {
        if (!ts_node_is_null(f->owner->tmpl))
            env = ts_env_make(&s, f->owner->tmpl, ts_none(), NULL);
        record = ts_record_plain(u, f->owner, env);
    }
    if (!ts_node_is_null(f->tmpl))
        env = ts_env_make(&s, f->tmpl, ts_none(), env);
    return ts_instance_of(u, f, env, record);
}

static bool has_instance(const struct ts_unit *u, const struct ts_function *f) {
    for (uint32_t i = 0; i < u->queue.n; i++)
        if (u->queue.at[i]->f == f)
            return true;
    return false;
}

static bool is_wanted(const struct ts_unit *u, const struct ts_function *f) {
    return has_body(f) && !is_prelude(u, f) && (!u->is_partial || f->is_wanted);
}

/* Explicit instantiations: the arguments as written, the rest from the parameters' types. */
static void instantiate(struct ts_unit *u, TSNode node, const bool *is_host_meant) {
    enum { MAX_PARAMS = 64 };
    struct ts_scope s = {.u = u};
    struct ts_value types[MAX_PARAMS];
    uint32_t n = 0;
    TSNode d = ts_function_declarator(u, ts_field(node, "declarator")), list = ts_field(d, "parameters");
    TSNode name = ts_node_is_null(d) ? d : ts_declarator_name(u, d);
    for (uint32_t i = 0; !ts_node_is_null(list) && i < ts_node_named_child_count(list) && n < MAX_PARAMS; i++)
        types[n++] = (struct ts_value){.type = ts_param_type(&s, ts_node_named_child(list, i)), .ref = CW_NONE};
    struct ts_symbol *y = ts_node_is_null(name) ? NULL : ts_symbols(u, ts_name(u, ts_last_name(u, name)));
    for (; y; y = y->next) {
        struct ts_function *f = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        bool is_meant =
            f && (is_host_meant ? is_host_meant[f->index] && !f->is_device : is_wanted(u, f) && f->is_device);
        if (!is_meant || ts_node_is_null(f->tmpl) || f->is_specialisation || f->owner || n < f->nparams ||
            (n > f->nparams && ts_node_is_null(f->pack)))
            continue;
        struct ts_env *env = ts_env_make(&s, f->tmpl, ts_template_arguments(u, name), NULL);
        ts_env_deduce(&s, env, f, types, n);
        ts_env_defaults(&s, env, f->tmpl);
        ts_queue(u, ts_instance_of(u, f, env, NULL));
        return;
    }
}

static void queue_instantiations(struct ts_unit *u, const bool *is_host_meant) {
    for (uint32_t i = 0; i < u->instantiations.n; i++)
        instantiate(u, u->instantiations.at[i], is_host_meant);
    drain(u);
}

static void queue_hosts(struct ts_unit *u) {
    bool *is_in = CW_NEW_ARRAY(&u->scratch, bool, u->functions.n + 1);
    uint32_t n = u->functions.n;
    find_launchers(u, is_in);
    for (uint32_t i = 0; i < n; i++)
        if (is_in[i] && !is_template(u->functions.at[i]))
            ts_queue(u, plain_instance(u, u->functions.at[i]));
    queue_instantiations(u, is_in); /* `template void run<float>(float *);` */
}

/* Kernels or device functions, templates or not. */
static void queue_those(struct ts_unit *u, bool kernels, bool templates) {
    for (uint32_t i = 0; i < u->functions.n; i++) {
        struct ts_function *f = u->functions.at[i];
        if (!is_wanted(u, f) || !f->is_device || f->is_kernel != kernels || is_template(f) != templates ||
            (!kernels && !f->is_main) || (templates && has_instance(u, f)))
            continue;
        ts_queue(u, plain_instance(u, f));
    }
    drain(u);
}

/* What became of each device function: of a template, the worst of its instances. */
static void see(struct ts_unit *u) {
    for (uint32_t i = 0; i < u->functions.n; i++) {
        const struct ts_function *f = u->functions.at[i];
        if (!f->is_device || !has_body(f) || is_prelude(u, f) || (!f->is_main && !f->is_kernel))
            continue;
        struct cw_seen s = {.name = f->name, .span = ts_place(u, f->node).span, .is_kernel = f->is_kernel,
                            .fate = CW_FATE_LOST, .reason = "not reached from any kernel"};
        for (uint32_t k = 0; k < u->queue.n; k++) {
            const struct ts_instance *q = u->queue.at[k];
            if (q->f != f || !q->fn)
                continue;
            bool is_degraded = q->fn->is_degraded || s.fate == CW_FATE_DEGRADED;
            s.fate = is_degraded ? CW_FATE_DEGRADED : CW_FATE_ANALYSED;
            s.reason = is_degraded ? "parts are missing or broken" : NULL;
        }
        cw_vec_push(u->arena, &u->module->seen, s);
    }
}

/* The first instance of a kernel that is lowered answers for those that are not. */
static void count_left_out(struct ts_unit *u) {
    for (uint32_t i = 0; i < u->queue.n; i++) {
        const struct ts_instance *q = u->queue.at[i];
        if (!q->f->is_kernel || ts_node_is_null(q->f->tmpl) || q->f->ninstances <= TS_MAX_INSTANCES)
            continue;
        for (uint32_t k = 0; k < u->module->fns.n; k++)
            if (u->module->fns.at[k]->key == q->key)
                u->module->fns.at[k]->bails[CW_BAIL_INSTANCES] += q->f->ninstances - TS_MAX_INSTANCES;
        q->f->ninstances = 0;
    }
}

void ts_collect(struct ts_unit *u) {
    queue_hosts(u);
    queue_those(u, true, false);
    queue_instantiations(u, NULL);
    queue_those(u, true, true);
    queue_those(u, false, false);
    queue_those(u, false, true);
    count_left_out(u);
    if (!u->is_partial)
        see(u);
}
