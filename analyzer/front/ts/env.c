/* Template parameters: what they stand for, from written arguments, the types of a call's arguments, and defaults. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_DEDUCE = 24 };

const struct ts_binding *ts_find_binding(const struct ts_env *env, const char *name) {
    for (; env; env = env->outer)
        for (uint32_t i = 0; i < env->n; i++)
            if (env->at[i].name == name)
                return &env->at[i];
    return NULL;
}

static bool is_type_parameter(const struct ts_unit *u, TSNode p) {
    enum ts_kind k = ts_kind(u, p);
    return k == TS_TYPE_PARAMETER || k == TS_OPTIONAL_TYPE_PARAMETER || k == TS_VARIADIC_TYPE_PARAMETER;
}

static const struct ts_type *dependent(struct ts_unit *u, const char *name) {
    struct ts_type *t = CW_NEW(&u->scratch, struct ts_type);
    *t = (struct ts_type){.form = TS_FORM_UNKNOWN, .kind = {CW_AGG, false}, .count = -1, .tile = -1, .name = name,
                          .is_dependent = true};
    return t;
}

static struct ts_binding parameter(struct ts_scope *s, TSNode p, const struct ts_env *before) {
    struct ts_binding b = {.is_type = is_type_parameter(s->u, p), .param = CW_NONE};
    if (b.is_type) {
        TSNode name = ts_field(p, "name");
        if (ts_node_is_null(name) && ts_node_named_child_count(p))
            name = ts_node_named_child(p, 0);
        b.name = ts_node_is_null(name) ? "" : ts_name(s->u, name);
        b.type = dependent(s->u, b.name);
        return b;
    }
    struct ts_scope inner = *s;
    inner.env = before;
    TSNode d = ts_field(p, "declarator");
    b.name = ts_node_is_null(d) ? "" : ts_declared_name(s->u, d);
    b.type = ts_param_type(&inner, p);
    return b;
}

/* A type where a type is wanted; the grammar cannot tell `f<N>` from `f<T>`. */
static void give(struct ts_scope *s, struct ts_binding *b, TSNode argument) {
    if (b->is_type) {
        const struct ts_type *t = ts_type_node(s, argument);
        b->is_known = t->form != TS_FORM_UNKNOWN || !t->is_dependent;
        b->type = t;
        return;
    }
    TSNode value = argument;
    if (ts_is(s->u, argument, TS_TYPE_DESCRIPTOR))
        value = ts_field(argument, "type");
    b->is_known = ts_eval(s, value, &b->value);
    if (b->is_known && b->type->form == TS_FORM_SCALAR)
        b->value = cw_type_wrap(b->type->kind.type, b->value);
}

struct ts_env *ts_env_make(struct ts_scope *s, TSNode tmpl, TSNode arguments, const struct ts_env *outer) {
    uint32_t n = ts_node_is_null(tmpl) ? 0 : ts_node_named_child_count(tmpl);
    uint32_t given = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    struct ts_env *env = CW_NEW(&s->u->scratch, struct ts_env);
    env->outer = outer;
    env->at = CW_NEW_ARRAY(&s->u->scratch, struct ts_binding, n);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(tmpl, i);
        if (ts_is(s->u, p, TS_COMMENT))
            continue;
        struct ts_binding b = parameter(s, p, env);
        if (env->n < given)
            give(s, &b, ts_node_named_child(arguments, env->n));
        env->at[env->n++] = b;
    }
    return env;
}

void ts_env_defaults(struct ts_scope *s, struct ts_env *env, TSNode tmpl) {
    struct ts_scope inner = *s;
    inner.env = env;
    inner.body = NULL;
    for (uint32_t i = 0; i < env->n && i < ts_node_named_child_count(tmpl); i++) {
        TSNode p = ts_node_named_child(tmpl, i), value = ts_field(p, env->at[i].is_type ? "default_type" : "default_value");
        if (!env->at[i].is_known && !ts_node_is_null(value))
            give(&inner, &env->at[i], value);
    }
}

bool ts_env_is_complete(const struct ts_env *env) {
    for (; env; env = env->outer)
        for (uint32_t i = 0; i < env->n; i++)
            if (!env->at[i].is_known)
                return false;
    return true;
}

const char *ts_env_text(struct ts_unit *u, const struct ts_env *env) {
    struct cw_buf text = {0};
    for (uint32_t i = 0; env && i < env->n; i++) {
        const struct ts_binding *b = &env->at[i];
        cw_buf_puts(&text, i ? ", " : "");
        if (b->is_type)
            cw_buf_puts(&text, ts_type_text(u, b->type));
        else if (b->is_known && b->type->kind.type == CW_I1)
            cw_buf_puts(&text, b->value ? "true" : "false");
        else if (b->is_known)
            cw_buf_printf(&text, "%lld", (long long)b->value);
        else
            cw_buf_puts(&text, b->name);
    }
    const char *kept = cw_intern_n(&u->module->names, text.at ? text.at : "", text.n);
    cw_buf_free(&text);
    return kept;
}

/* ---- deduction ---- */

static struct ts_binding *own(struct ts_env *env, const char *name) {
    for (uint32_t i = 0; i < env->n; i++)
        if (env->at[i].name == name)
            return &env->at[i];
    return NULL;
}

static void bind_type(struct ts_unit *u, struct ts_env *env, const char *name, const struct ts_type *t) {
    struct ts_binding *b = own(env, name);
    if (!b || !b->is_type || b->is_known || t->is_dependent)
        return;
    struct ts_type *plain = CW_NEW(&u->scratch, struct ts_type);
    *plain = *t;
    plain->is_const = plain->is_volatile = false;
    b->type = plain;
    b->is_known = true;
}

static void bind_value(struct ts_env *env, const char *name, int64_t value) {
    struct ts_binding *b = own(env, name);
    if (b && !b->is_type && !b->is_known)
        b->value = value, b->is_known = true;
}

/* Foo<T, N> against the arguments of a record; thread_block_tile<N> against a tile. */
static void deduce_arguments(struct ts_unit *u, struct ts_env *env, TSNode type, const struct ts_type *t) {
    TSNode arguments = ts_template_arguments(u, type);
    uint32_t n = ts_node_is_null(arguments) ? 0 : ts_node_named_child_count(arguments);
    for (uint32_t i = 0; i < n; i++) {
        TSNode a = ts_node_named_child(arguments, i);
        const char *name = ts_name(u, ts_is(u, a, TS_TYPE_DESCRIPTOR) ? ts_field(a, "type") : a);
        if (t->form == TS_FORM_GROUP && i == 0 && t->tile >= 0)
            bind_value(env, name, t->tile);
        if (t->form != TS_FORM_RECORD || !t->record->env || i >= t->record->env->n)
            continue;
        const struct ts_binding *from = &t->record->env->at[i];
        if (from->is_type)
            bind_type(u, env, name, from->type);
        else if (from->is_known)
            bind_value(env, name, from->value);
    }
}

/* The declarator's levels are taken off the argument's type until the parameter's own type is left. */
static void deduce_param(struct ts_unit *u, struct ts_env *env, TSNode parameter, const struct ts_type *arg) {
    TSNode d = ts_field(parameter, "declarator"), type = ts_field(parameter, "type");
    TSNode levels[MAX_DEDUCE];
    uint32_t n = 0;
    while (!ts_node_is_null(d) && n < MAX_DEDUCE) {
        enum ts_kind k = ts_kind(u, d);
        TSNode inner = ts_field(d, "declarator");
        if (k == TS_POINTER_DECLARATOR || k == TS_ABSTRACT_POINTER || k == TS_ARRAY_DECLARATOR || k == TS_ABSTRACT_ARRAY)
            levels[n++] = d;
        if (ts_node_is_null(inner) && (k == TS_REFERENCE_DECLARATOR || k == TS_PAREN_DECLARATOR) &&
            ts_node_named_child_count(d))
            inner = ts_node_named_child(d, ts_node_named_child_count(d) - 1);
        d = inner;
    }
    arg = ts_plain(arg);
    for (uint32_t i = 0; i < n; i++) { /* the innermost declarator is the outermost level of the type */
        TSNode level = levels[n - 1 - i];
        TSNode size = ts_field(level, "size");
        if ((arg->form != TS_FORM_POINTER && arg->form != TS_FORM_ARRAY) || !arg->of)
            return;
        if (!ts_node_is_null(size) && arg->count >= 0)
            bind_value(env, ts_name(u, size), arg->count);
        arg = arg->of;
    }
    if (!n && arg->form == TS_FORM_ARRAY && !memchr(ts_text(u, parameter).at, '&', ts_text(u, parameter).n))
        arg = ts_pointer_to(u, arg->of);
    if (!ts_node_is_null(ts_template_arguments(u, type)))
        deduce_arguments(u, env, type, arg);
    else
        bind_type(u, env, ts_name(u, type), arg);
}

void ts_env_deduce(struct ts_scope *s, struct ts_env *env, const struct ts_function *f, const struct ts_value *args,
                   uint32_t nargs) {
    TSNode list = ts_field(f->declarator, "parameters");
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), k = 0;
    for (uint32_t i = 0; i < n && k < nargs; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind kind = ts_kind(s->u, p);
        if (kind == TS_PARAMETER || kind == TS_OPTIONAL_PARAMETER)
            deduce_param(s->u, env, p, args[k++].type);
    }
}

/* ---- instances ---- */

static const char *display(struct ts_unit *u, const struct ts_function *f, const struct ts_env *env) {
    if (ts_node_is_null(f->tmpl) || !env || !env->n || !ts_env_is_complete(env))
        return f->name;
    return cw_intern(&u->module->names, cw_arena_printf(&u->scratch, "%s<%s>", f->name, ts_env_text(u, env)));
}

static const char *key_of(struct ts_unit *u, const struct ts_function *f, const struct ts_env *env,
                          const struct ts_record *record) {
    struct cw_buf text = {0};
    cw_buf_printf(&text, "%s%s@%u", u->key_prefix, f->name, f->index);
    for (const struct ts_env *e = env; e; e = e->outer)
        cw_buf_printf(&text, "<%s>", ts_env_text(u, e));
    if (record)
        cw_buf_printf(&text, "in %s<%s>", record->cls->name, record->arguments);
    const char *kept = cw_intern_n(&u->module->names, text.at, text.n);
    cw_buf_free(&text);
    return kept;
}

struct ts_instance *ts_instance_of(struct ts_unit *u, struct ts_function *f, const struct ts_env *env,
                                   struct ts_record *record) {
    uint64_t found;
    const char *key = key_of(u, f, env, record);
    if (cw_map_get(&u->instances, (uint64_t)(uintptr_t)key, &found))
        return (struct ts_instance *)(uintptr_t)found;
    struct ts_instance *i = CW_NEW(&u->scratch, struct ts_instance);
    *i = (struct ts_instance){.f = f, .env = env, .record = record, .key = key, .display = display(u, f, env)};
    i->is_pattern = !ts_env_is_complete(env);
    cw_map_put(&u->instances, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)i);
    return i;
}

/* A finding is reported on the template's lines, once; the hundredth instance of a kernel adds time only. */
void ts_queue(struct ts_unit *u, struct ts_instance *i) {
    if (i->is_queued || ts_node_is_null(ts_field(i->f->node, "body")))
        return;
    i->is_queued = true;
    bool is_template = !ts_node_is_null(i->f->tmpl) && i->f->is_kernel;
    if (is_template && i->f->ninstances++ >= TS_MAX_INSTANCES)
        return;
    cw_vec_push(&u->scratch, &u->queue, i);
}
