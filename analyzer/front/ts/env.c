/* Template parameters: what they stand for, from written arguments, the types of a call's arguments, and defaults. */
#include "front/ts/lower.h"

#include <string.h>

const struct ts_binding *ts_find_binding(const struct ts_env *env, const char *name) {
    for (; env; env = env->outer)
        for (uint32_t i = 0; i < env->n; i++)
            if (env->at[i].name == name)
                return &env->at[i];
    return NULL;
}

static bool is_type_parameter(const struct ts_unit *unit, TSNode node) {
    enum ts_kind k = ts_kind(unit, node);
    return k == TS_TYPE_PARAMETER || k == TS_OPTIONAL_TYPE_PARAMETER || k == TS_VARIADIC_TYPE_PARAMETER;
}

static const struct ts_type *dependent_type(struct ts_unit *unit, const char *name) {
    struct ts_type *t = CW_NEW(&unit->scratch, struct ts_type);
    *t = (struct ts_type){.form = TS_FORM_UNKNOWN, .kind = {CW_AGG, false}, .count = -1, .tile = -1, .name = name,
                          .is_dependent = true};
    return t;
}

static struct ts_binding bind_parameter(struct ts_scope *scope, TSNode node, const struct ts_env *before) {
    enum ts_kind k = ts_kind(scope->u, node);
    struct ts_binding b = {.is_type = is_type_parameter(scope->u, node), .param = CW_NONE,
                           .is_pack = k == TS_VARIADIC_PARAMETER || k == TS_VARIADIC_TYPE_PARAMETER};
    if (b.is_type) {
        TSNode name = ts_field(node, "name");
        if (ts_node_is_null(name) && ts_node_named_child_count(node))
            name = ts_node_named_child(node, 0);
        b.name = ts_node_is_null(name) ? "" : ts_name(scope->u, name);
        b.type = dependent_type(scope->u, b.name);
        return b;
    }
    struct ts_scope inner = *scope;
    inner.env = before;
    TSNode d = ts_field(node, "declarator");
    b.name = ts_node_is_null(d) ? "" : ts_declared_name(scope->u, d);
    b.type = ts_param_type(&inner, node);
    return b;
}

/* A type where a type is wanted; the grammar cannot tell `f<N>` from `f<T>`. */
static void give_argument(struct ts_scope *scope, struct ts_binding *binding, TSNode argument) {
    if (binding->is_type) {
        const struct ts_type *t = ts_type_node(scope, argument);
        binding->is_known = t->form != TS_FORM_UNKNOWN || !t->is_dependent;
        binding->type = t;
        return;
    }
    TSNode value = argument;
    if (ts_is(scope->u, argument, TS_TYPE_DESCRIPTOR))
        value = ts_field(argument, "type");
    binding->is_known = ts_eval(scope, value, &binding->value);
    if (binding->is_known && binding->type->form == TS_FORM_SCALAR)
        binding->value = cw_type_wrap(binding->type->kind.type, binding->value);
}

/* All arguments from here on. */
static void give_pack(struct ts_scope *scope, struct ts_binding *pack, struct ts_each *each, bool *more,
                      TSNode *argument) {
    struct ts_binding *elements = CW_NEW_ARRAY(&scope->u->scratch, struct ts_binding, TS_MAX_ELEMENTS);
    pack->elements = elements;
    pack->is_known = !ts_node_is_null(each->list);
    for (; *more && pack->nelements < TS_MAX_ELEMENTS; *more = ts_each_next(each, argument)) {
        struct ts_binding *e = &elements[pack->nelements++];
        *e = (struct ts_binding){.name = pack->name, .type = pack->type, .is_type = pack->is_type, .param = CW_NONE};
        if (!ts_is(scope->u, *argument, TS_EXPANSION))
            give_argument(scope, e, *argument);
        pack->is_known &= e->is_known;
    }
    pack->is_known &= !*more;
}

struct ts_env *ts_env_make(struct ts_scope *scope, TSNode tmpl, TSNode arguments, const struct ts_env *outer) {
    uint32_t n = ts_node_is_null(tmpl) ? 0 : ts_node_named_child_count(tmpl);
    TSNode argument = ts_none();
    struct ts_each each = ts_each_of(scope, arguments);
    bool more = ts_each_next(&each, &argument);
    struct ts_env *env = CW_NEW(&scope->u->scratch, struct ts_env);
    env->outer = outer;
    env->at = CW_NEW_ARRAY(&scope->u->scratch, struct ts_binding, n);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(tmpl, i);
        if (ts_is(scope->u, p, TS_COMMENT))
            continue;
        struct ts_binding b = bind_parameter(scope, p, env);
        if (b.is_pack) {
            give_pack(scope, &b, &each, &more, &argument);
        } else if (more) {
            if (!ts_is(scope->u, argument, TS_EXPANSION))
                give_argument(scope, &b, argument);
            more = ts_each_next(&each, &argument);
        }
        env->at[env->n++] = b;
    }
    ts_each_end(&each);
    return env;
}

struct ts_env *ts_env_copy(struct ts_unit *unit, const struct ts_env *env) {
    struct ts_env *copy = CW_NEW(&unit->scratch, struct ts_env);
    *copy = *env;
    copy->at = CW_NEW_ARRAY(&unit->scratch, struct ts_binding, env->n + 1);
    if (env->n)
        memcpy(copy->at, env->at, env->n * sizeof *env->at);
    return copy;
}

void ts_env_defaults(struct ts_scope *scope, struct ts_env *env, TSNode tmpl) {
    struct ts_scope inner = *scope;
    inner.env = env;
    inner.body = NULL;
    for (uint32_t i = 0; !ts_node_is_null(tmpl) && i < env->n && i < ts_node_named_child_count(tmpl); i++) {
        TSNode p = ts_node_named_child(tmpl, i),
               value = ts_field(p, env->at[i].is_type ? "default_type" : "default_value");
        if (!env->at[i].is_known && !env->at[i].is_pack && !ts_node_is_null(value))
            give_argument(&inner, &env->at[i], value);
    }
}

bool ts_env_is_complete(const struct ts_env *env) {
    for (; env; env = env->outer)
        for (uint32_t i = 0; i < env->n; i++)
            if (!env->at[i].is_known)
                return false;
    return true;
}

static void argument_text(struct ts_unit *unit, const struct ts_binding *binding, struct cw_buf *out) {
    cw_buf_puts(out, out->n ? ", " : "");
    if (binding->is_type)
        cw_buf_puts(out, ts_type_text(unit, binding->type));
    else if (binding->is_known && binding->type->kind.type == CW_I1)
        cw_buf_puts(out, binding->value ? "true" : "false");
    else if (binding->is_known)
        cw_buf_printf(out, "%lld", (long long)binding->value);
    else
        cw_buf_puts(out, binding->name);
}

const char *ts_env_text(struct ts_unit *unit, const struct ts_env *env) {
    struct cw_buf text = {0};
    for (uint32_t i = 0; env && i < env->n; i++) {
        const struct ts_binding *b = &env->at[i];
        if (!b->is_pack)
            argument_text(unit, b, &text);
        for (uint32_t k = 0; b->is_pack && k < b->nelements; k++)
            argument_text(unit, &b->elements[k], &text);
        if (b->is_pack && !b->is_known)
            cw_buf_printf(&text, "%s%s...", text.n ? ", " : "", b->name);
    }
    const char *kept = cw_intern_n(&unit->module->names, text.at ? text.at : "", text.n);
    cw_buf_free(&text);
    return kept;
}

/* ---- instances ---- */

static const char *display_name(struct ts_unit *unit, const struct ts_function *function, const struct ts_env *env) {
    if (ts_node_is_null(function->tmpl) || !env || !env->n || !ts_env_is_complete(env))
        return function->name;
    return cw_intern(&unit->module->names,
                     cw_arena_printf(&unit->scratch, "%s<%s>", function->name, ts_env_text(unit, env)));
}

static const char *key_of(struct ts_unit *unit, const struct ts_function *function, const struct ts_env *env,
                          const struct ts_record *record) {
    struct cw_buf text = {0};
    cw_buf_printf(&text, "%s%s@%u", unit->key_prefix, function->name, function->index);
    for (const struct ts_env *e = env; e; e = e->outer)
        cw_buf_printf(&text, "<%s>", ts_env_text(unit, e));
    if (record)
        cw_buf_printf(&text, "in %s<%s>", record->cls->name, record->arguments);
    const char *kept = cw_intern_n(&unit->module->names, text.at, text.n);
    cw_buf_free(&text);
    return kept;
}

struct ts_instance *ts_instance_of(struct ts_unit *unit, struct ts_function *function, const struct ts_env *env,
                                   struct ts_record *record) {
    uint64_t found;
    const char *key = key_of(unit, function, env, record);
    if (cw_map_get(&unit->instances, (uint64_t)(uintptr_t)key, &found))
        return (struct ts_instance *)(uintptr_t)found;
    struct ts_instance *i = CW_NEW(&unit->scratch, struct ts_instance);
    *i = (struct ts_instance){
        .f = function, .env = env, .record = record, .key = key, .display = display_name(unit, function, env)};
    i->is_pattern = !ts_env_is_complete(env);
    cw_map_put(&unit->instances, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)i);
    return i;
}

/* A finding is reported on the template's lines, once; the hundredth instance of a kernel adds time only. A helper that
 * counts its argument down has no last instance where its end is not understood; what is not lowered is a call of
 * something unknown. */
void ts_queue(struct ts_unit *unit, struct ts_instance *instance) {
    if (instance->is_queued || ts_node_is_null(ts_field(instance->f->node, "body")))
        return;
    instance->is_queued = true;
    uint32_t most = instance->f->is_kernel ? TS_MAX_INSTANCES : TS_MAX_HELPERS;
    if (!ts_node_is_null(instance->f->tmpl) && instance->f->ninstances++ >= most)
        return;
    cw_vec_push(&unit->scratch, &unit->queue, instance);
}
