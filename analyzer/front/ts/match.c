/* Deduction: what template parameters stand for, found by laying a written type over a known one.
 *
 * For a call's arguments as far as they tell; for a partial specialisation exactly, so that "no" and "cannot know" are
 * different answers ([temp.deduct.type], [temp.class.spec.match]). */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_DEDUCE = 24, MAX_ARGUMENTS = 64, MAX_BASES = 1000, MAX_DEPTH = 16 };

struct match {
    struct ts_scope *s; /* s->env is `env` */
    struct ts_env *env;
    bool exact;
    int depth;
};

static enum ts_match both(enum ts_match a, enum ts_match b) {
    return a < b ? a : b;
}

static struct ts_binding *own(struct ts_env *env, const char *name) {
    for (uint32_t i = 0; i < env->n; i++)
        if (env->at[i].name == name && *name)
            return &env->at[i];
    return NULL;
}

static const struct ts_type *unqualified(struct ts_unit *u, const struct ts_type *t) {
    struct ts_type *plain = CW_NEW(&u->scratch, struct ts_type);
    *plain = *t;
    plain->is_const = plain->is_volatile = false;
    return plain;
}

static bool same_exactly(const struct ts_type *a, const struct ts_type *b) {
    const struct ts_type *x = a, *y = b;
    for (int i = 0; i < 32 && x && y; i++, x = x->of, y = y->of)
        if (x->is_const != y->is_const || x->is_volatile != y->is_volatile)
            return false;
    return ts_type_same(a, b);
}

static enum ts_match bind_type(struct match *m, struct ts_binding *b, const struct ts_type *t) {
    if (!b->is_type || b->is_pack)
        return TS_MATCH_UNSURE;
    if (t->is_dependent || t->form == TS_FORM_UNKNOWN)
        return b->is_known || t->is_dependent ? TS_MATCH_UNSURE : (b->type = t, b->is_known = true, TS_MATCH_YES);
    if (b->is_known)
        return !m->exact || same_exactly(b->type, t) ? TS_MATCH_YES : TS_MATCH_NO;
    b->type = m->exact ? t : unqualified(m->s->u, t);
    b->is_known = true;
    return TS_MATCH_YES;
}

static enum ts_match bind_value(struct ts_binding *b, int64_t value) {
    if (b->is_type || b->is_pack)
        return TS_MATCH_UNSURE;
    if (b->type->form == TS_FORM_SCALAR && cw_type_is_int(b->type->kind.type))
        value = cw_type_wrap(b->type->kind.type, value);
    if (b->is_known)
        return b->value == value ? TS_MATCH_YES : TS_MATCH_NO;
    b->value = value;
    b->is_known = true;
    return TS_MATCH_YES;
}

static enum ts_match match_list(struct match *m, TSNode list, const struct ts_binding *given, uint32_t n);

/* ---- a written type ---- */

/* The class of that name which the record is, or is derived from; its arguments. */
static const struct ts_env *arguments_as(const struct ts_record *r, const char *name, int depth, uint32_t *left) {
    const struct ts_env *found = r->cls->name == name ? r->given : NULL;
    for (uint32_t i = 0; i < r->fields.n && depth < 8 && r->cls->name != name && !found && *left; i++) {
        const struct ts_field *f = &r->fields.at[i];
        if (f->is_base && f->type->form == TS_FORM_RECORD) {
            --*left;
            found = arguments_as(f->type->record, name, depth + 1, left);
        }
    }
    return found;
}

/* A pack's elements stand in a row with the other arguments. False when they are more than MAX_ARGUMENTS. */
static bool flatten(const struct ts_env *env, struct ts_binding *out, uint32_t *n) {
    *n = 0;
    for (uint32_t i = 0; i < env->n; i++) {
        const struct ts_binding *b = &env->at[i], *from = b->is_pack ? b->elements : b;
        uint32_t count = b->is_pack ? b->nelements : 1;
        if (count > MAX_ARGUMENTS - *n)
            return false;
        for (uint32_t k = 0; k < count; k++)
            out[(*n)++] = from[k];
    }
    return true;
}

static bool has_open_pack(const struct ts_env *env) {
    for (uint32_t i = 0; i < env->n; i++)
        if (env->at[i].is_pack && !env->at[i].is_known)
            return true;
    return false;
}

/* Foo<T, N> against the arguments of a record; thread_block_tile<N> against a tile. */
static enum ts_match match_template(struct match *m, TSNode type, const struct ts_type *t) {
    TSNode list = ts_template_arguments(m->s->u, type);
    struct ts_binding given[MAX_ARGUMENTS];
    if (t->form == TS_FORM_GROUP) {
        given[0] =
            (struct ts_binding){.type = ts_scalar(m->s->u, CW_I64, true), .value = t->tile, .is_known = t->tile >= 0};
        return match_list(m, list, given, 1);
    }
    if (t->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    if (t->form != TS_FORM_RECORD)
        return TS_MATCH_NO;
    const char *name = ts_name(m->s->u, ts_last_name(m->s->u, type));
    bool is_it = t->record->cls->name == name;
    uint32_t left = MAX_BASES, n;
    const struct ts_env *env = m->exact && !is_it ? NULL : arguments_as(t->record, name, 0, &left);
    if (!env)
        return is_it || !left ? TS_MATCH_UNSURE : TS_MATCH_NO;
    if (has_open_pack(env) || !flatten(env, given, &n))
        return TS_MATCH_UNSURE;
    return match_list(m, list, given, n);
}

/* What is left when the declarator's levels are off. */
static enum ts_match match_base(struct match *m, TSNode type, bool is_const, const struct ts_type *t) {
    struct ts_binding *b =
        ts_node_is_null(ts_template_arguments(m->s->u, type)) ? own(m->env, ts_name(m->s->u, type)) : NULL;
    if (m->exact && is_const && !t->is_const)
        return t->is_dependent ? TS_MATCH_UNSURE : TS_MATCH_NO;
    if (is_const && t->is_const)
        t = unqualified(m->s->u, t);
    if (b)
        return bind_type(m, b, t);
    if (!ts_node_is_null(ts_template_arguments(m->s->u, type)))
        return m->exact && t->is_const ? TS_MATCH_NO : match_template(m, type, t);
    if (!m->exact)
        return TS_MATCH_YES;
    const struct ts_type *written = ts_type_node(m->s, type);
    if (written->form == TS_FORM_UNKNOWN || t->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    return same_exactly(written, t) ? TS_MATCH_YES : TS_MATCH_NO;
}

static bool is_reference(enum ts_kind k) {
    return k == TS_REFERENCE_DECLARATOR || k == TS_ABSTRACT_REFERENCE;
}

/* The written size of an array against the known one. */
static enum ts_match match_size(struct match *m, TSNode size, int64_t count, bool is_array) {
    struct ts_binding *b = ts_node_is_null(size) ? NULL : own(m->env, ts_name(m->s->u, size));
    int64_t n;
    if (b && count >= 0)
        return bind_value(b, count);
    if (!m->exact || !is_array)
        return TS_MATCH_YES;
    if (ts_node_is_null(size))
        return count < 0 ? TS_MATCH_YES : TS_MATCH_NO;
    if (!ts_eval(m->s, size, &n) || count < 0)
        return TS_MATCH_UNSURE;
    return n == count ? TS_MATCH_YES : TS_MATCH_NO;
}

/* One `*`, `[N]` or `&` of the declarator off the type. */
static enum ts_match take_level(struct match *m, TSNode level, const struct ts_type **t) {
    enum ts_kind k = ts_kind(m->s->u, level);
    bool is_array = k == TS_ARRAY_DECLARATOR || k == TS_ABSTRACT_ARRAY;
    bool refers = is_reference(k);
    if ((*t)->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    if (refers && !m->exact)
        return TS_MATCH_YES;
    bool fits = refers       ? (*t)->form == TS_FORM_REFERENCE
                : m->exact   ? (*t)->form == (is_array ? TS_FORM_ARRAY : TS_FORM_POINTER)
                             : (*t)->form == TS_FORM_POINTER || (*t)->form == TS_FORM_ARRAY;
    if (!fits || !(*t)->of)
        return TS_MATCH_NO;
    if (m->exact && !is_array && !refers && (*t)->is_const != ts_has_word(m->s->u, level, "const"))
        return TS_MATCH_NO;
    enum ts_match r = match_size(m, ts_field(level, "size"), (*t)->count, is_array);
    *t = (*t)->of;
    return r;
}

static bool is_level(enum ts_kind k) {
    return is_reference(k) || k == TS_POINTER_DECLARATOR || k == TS_ABSTRACT_POINTER || k == TS_ARRAY_DECLARATOR ||
           k == TS_ABSTRACT_ARRAY;
}

/* The declarators from the outside in; how many, or -1 where a function is meant. */
static int levels_of(const struct match *m, TSNode d, TSNode *levels, bool *has_reference) {
    int n = 0;
    while (!ts_node_is_null(d) && n < MAX_DEDUCE) {
        enum ts_kind k = ts_kind(m->s->u, d);
        TSNode inner = ts_field(d, "declarator");
        *has_reference |= is_reference(k);
        if (is_level(k))
            levels[n++] = d;
        else if (m->exact && (k == TS_FUNCTION_DECLARATOR || k == TS_ABSTRACT_FUNCTION))
            return -1;
        if (ts_node_is_null(inner) && (is_reference(k) || k == TS_PAREN_DECLARATOR || k == TS_ABSTRACT_PAREN) &&
            ts_node_named_child_count(d))
            inner = ts_node_named_child(d, ts_node_named_child_count(d) - 1);
        d = inner;
    }
    return n;
}

static bool has_declarator(const struct ts_unit *u, TSNode node) {
    enum ts_kind k = ts_kind(u, node);
    return k == TS_TYPE_DESCRIPTOR || k == TS_PARAMETER || k == TS_OPTIONAL_PARAMETER || k == TS_VARIADIC_PARAMETER;
}

/* The innermost declarator is the outermost level of the type. A parameter, a type descriptor or a bare name. */
static enum ts_match match_written(struct match *m, TSNode node, const struct ts_type *t) {
    struct ts_unit *u = m->s->u;
    TSNode levels[MAX_DEDUCE];
    bool has_reference = false, is_bare = !has_declarator(u, node);
    int n = is_bare ? 0 : levels_of(m, ts_field(node, "declarator"), levels, &has_reference);
    enum ts_match r = n < 0 ? TS_MATCH_UNSURE : TS_MATCH_YES;
    if (!m->exact)
        t = ts_plain(t);
    if (!m->exact && !n && t->form == TS_FORM_ARRAY && !has_reference)
        t = ts_pointer_to(u, t->of);
    for (int i = n - 1; i >= 0 && r == TS_MATCH_YES; i--)
        r = take_level(m, levels[i], &t);
    if (r != TS_MATCH_YES)
        return r;
    return match_base(m, is_bare ? node : ts_field(node, "type"), ts_has_word(u, node, "const"), t);
}

/* ---- lists of arguments ---- */

static enum ts_match match_argument(struct match *m, TSNode node, const struct ts_binding *from) {
    struct ts_unit *u = m->s->u;
    TSNode inner = ts_is(u, node, TS_TYPE_DESCRIPTOR) ? ts_field(node, "type") : node;
    struct ts_binding *b = own(m->env, ts_name(u, inner));
    int64_t value;
    if (from->is_type)
        return match_written(m, node, from->type);
    if (!from->is_known)
        return TS_MATCH_UNSURE;
    if (b)
        return bind_value(b, from->value);
    if (!m->exact)
        return TS_MATCH_YES;
    if (!ts_eval(m->s, inner, &value))
        return TS_MATCH_UNSURE;
    if (from->type->form == TS_FORM_SCALAR && cw_type_is_int(from->type->kind.type))
        value = cw_type_wrap(from->type->kind.type, value);
    return value == from->value ? TS_MATCH_YES : TS_MATCH_NO;
}

/* The packs of a pattern, while each stands for a single element that is looked for. */
struct gathered {
    struct ts_binding *pack[TS_MAX_PACKS], was[TS_MAX_PACKS];
    struct ts_binding *elements[TS_MAX_PACKS];
    uint32_t n, count;
    bool is_known;
};

static struct gathered gather(struct match *m, TSNode pattern, uint32_t most) {
    struct gathered g = {.is_known = true};
    g.n = ts_packs_of_env(m->s, m->env, pattern, g.pack);
    for (uint32_t i = 0; i < g.n; i++) {
        g.was[i] = *g.pack[i];
        g.elements[i] = CW_NEW_ARRAY(&m->s->u->scratch, struct ts_binding, most + 1);
    }
    return g;
}

static void open_element(struct gathered *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        const struct ts_binding *was = &g->was[i];
        bool is_given = was->nelements > g->count; /* written in front: f<int>(1, 2) */
        *g->pack[i] = is_given ? was->elements[g->count] : *was;
        g->pack[i]->name = was->name;
        g->pack[i]->is_pack = false;
        g->pack[i]->is_known &= is_given;
    }
}

static void close_element(struct gathered *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        g->elements[i][g->count] = *g->pack[i];
        g->is_known &= g->pack[i]->is_known;
    }
    g->count++;
}

static void close_packs(struct gathered *g) {
    for (uint32_t i = 0; i < g->n; i++) {
        *g->pack[i] = g->was[i];
        g->pack[i]->elements = g->elements[i];
        g->pack[i]->nelements = g->count;
        g->pack[i]->is_known = g->is_known;
    }
}

static enum ts_match match_list(struct match *m, TSNode list, const struct ts_binding *given, uint32_t n) {
    uint32_t count = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), k = 0;
    enum ts_match r = TS_MATCH_YES;
    if (m->depth > MAX_DEPTH)
        return TS_MATCH_UNSURE;
    m->depth++;
    for (uint32_t i = 0; i < count && r > TS_MATCH_NO; i++) {
        TSNode node = ts_node_named_child(list, i);
        if (ts_is(m->s->u, node, TS_COMMENT))
            continue;
        if (ts_is(m->s->u, node, TS_EXPANSION)) {
            TSNode pattern = ts_field(node, "pattern");
            struct gathered g = gather(m, pattern, n);
            for (; k < n && g.n; k++) {
                open_element(&g);
                r = both(r, match_argument(m, pattern, &given[k]));
                close_element(&g);
            }
            close_packs(&g);
        } else if (k < n) {
            r = both(r, match_argument(m, node, &given[k++]));
        } else {
            r = TS_MATCH_NO;
        }
    }
    m->depth--;
    return r == TS_MATCH_YES && k < n && m->exact ? TS_MATCH_NO : r;
}

/* ---- what others ask ---- */

static void deduce_pack(struct match *m, TSNode parameter, const struct ts_value *args, uint32_t n) {
    struct gathered g = gather(m, parameter, n);
    for (uint32_t i = 0; i < n && g.n; i++) {
        open_element(&g);
        match_written(m, parameter, args[i].type);
        close_element(&g);
    }
    close_packs(&g);
}

void ts_env_deduce(struct ts_scope *s, struct ts_env *env, const struct ts_function *f, const struct ts_value *args,
                   uint32_t nargs) {
    TSNode list = ts_field(f->declarator, "parameters");
    struct ts_scope inner = {.u = s->u, .env = env};
    struct match m = {.s = &inner, .env = env};
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), k = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind kind = ts_kind(s->u, p);
        if ((kind == TS_PARAMETER || kind == TS_OPTIONAL_PARAMETER) && k < nargs)
            match_written(&m, p, args[k++].type);
        else if (kind == TS_VARIADIC_PARAMETER)
            deduce_pack(&m, p, args + k, nargs - k);
    }
}

/* Arguments that the specialisation leaves out are the primary template's defaults. */
static enum ts_match match_defaults(struct ts_scope *s, const struct ts_class *c, const struct ts_env *env,
                                    uint32_t from) {
    struct ts_env *copy = ts_env_copy(s->u, env);
    enum ts_match r = TS_MATCH_YES;
    for (uint32_t i = from; i < copy->n; i++)
        copy->at[i].is_known = false;
    ts_env_defaults(s, copy, c->tmpl);
    for (uint32_t i = from; i < copy->n; i++) {
        const struct ts_binding *x = &copy->at[i], *y = &env->at[i];
        if (!x->is_known || !y->is_known)
            return TS_MATCH_UNSURE;
        bool same = x->is_type ? same_exactly(x->type, y->type) : x->value == y->value;
        r = same ? r : TS_MATCH_NO;
    }
    return r;
}

static bool has_expansion(const struct ts_unit *u, TSNode list) {
    return !ts_node_is_null(ts_child_of(u, list, TS_EXPANSION));
}

enum ts_match ts_match_class(struct ts_scope *s, const struct ts_class *special, const struct ts_env *env,
                             struct ts_env **found) {
    struct ts_scope at = {.u = s->u, .cls = special->owner};
    struct ts_env *env_of = ts_env_make(&at, special->tmpl, ts_none(), NULL);
    struct ts_binding given[MAX_ARGUMENTS];
    struct match m = {.s = &at, .env = env_of, .exact = true};
    uint32_t n, written = ts_node_named_child_count(special->arguments);
    enum ts_match r = TS_MATCH_YES;
    at.env = env_of;
    if (has_open_pack(env) || !flatten(env, given, &n))
        return TS_MATCH_UNSURE;
    if (written < n && !has_expansion(s->u, special->arguments) && special->primary) {
        r = match_defaults(s, special->primary, env, written);
        n = written;
    }
    if (r > TS_MATCH_NO)
        r = both(r, match_list(&m, special->arguments, given, n));
    if (r == TS_MATCH_YES && !ts_env_is_complete(env_of))
        r = TS_MATCH_UNSURE;
    *found = env_of->n ? env_of : NULL;
    return r;
}

bool ts_match_function(struct ts_scope *s, const struct ts_function *special, const struct ts_env *env) {
    TSNode name = ts_declarator_name(s->u, special->declarator);
    struct ts_env none = {.n = 0};
    struct ts_scope at = {.u = s->u, .env = &none};
    struct ts_binding given[MAX_ARGUMENTS];
    struct match m = {.s = &at, .env = &none, .exact = true};
    TSNode list = ts_template_arguments(s->u, name);
    uint32_t n;
    return !ts_node_is_null(list) && flatten(env, given, &n) && match_list(&m, list, given, n) == TS_MATCH_YES;
}
