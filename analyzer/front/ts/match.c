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

static enum ts_match weaker_match(enum ts_match match, enum ts_match other) {
    return match < other ? match : other;
}

static struct ts_binding *own_binding(struct ts_env *env, const char *name) {
    for (uint32_t i = 0; i < env->n; i++)
        if (env->at[i].name == name && *name)
            return &env->at[i];
    return NULL;
}

static const struct ts_type *unqualify_type(struct ts_unit *unit, const struct ts_type *type) {
    struct ts_type *plain = CW_NEW(&unit->scratch, struct ts_type);
    *plain = *type;
    plain->is_const = plain->is_volatile = false;
    return plain;
}

static bool same_exactly(const struct ts_type *type, const struct ts_type *other) {
    const struct ts_type *x = type, *y = other;
    for (int i = 0; i < 32 && x && y; i++, x = x->of, y = y->of)
        if (x->is_const != y->is_const || x->is_volatile != y->is_volatile)
            return false;
    return ts_type_same(type, other);
}

static enum ts_match bind_type(struct match *match, struct ts_binding *binding, const struct ts_type *type) {
    if (!binding->is_type || binding->is_pack)
        return TS_MATCH_UNSURE;
    if (type->is_dependent || type->form == TS_FORM_UNKNOWN)
        return binding->is_known || type->is_dependent ? TS_MATCH_UNSURE
                                                       : (binding->type = type, binding->is_known = true, TS_MATCH_YES);
    if (binding->is_known)
        return !match->exact || same_exactly(binding->type, type) ? TS_MATCH_YES : TS_MATCH_NO;
    binding->type = match->exact ? type : unqualify_type(match->s->u, type);
    binding->is_known = true;
    return TS_MATCH_YES;
}

static enum ts_match bind_value(struct ts_binding *binding, int64_t value) {
    if (binding->is_type || binding->is_pack)
        return TS_MATCH_UNSURE;
    if (binding->type->form == TS_FORM_SCALAR && cw_type_is_int(binding->type->kind.type))
        value = cw_type_wrap(binding->type->kind.type, value);
    if (binding->is_known)
        return binding->value == value ? TS_MATCH_YES : TS_MATCH_NO;
    binding->value = value;
    binding->is_known = true;
    return TS_MATCH_YES;
}

static enum ts_match match_list(struct match *m, TSNode list, const struct ts_binding *given, uint32_t n);

/* ---- a written type ---- */

/* The class of that name which the record is, or is derived from; its arguments. */
static const struct ts_env *arguments_as(const struct ts_record *record, const char *name, int depth, uint32_t *left) {
    const struct ts_env *found = record->cls->name == name ? record->given : NULL;
    for (uint32_t i = 0; i < record->fields.n && depth < 8 && record->cls->name != name && !found && *left; i++) {
        const struct ts_field *f = &record->fields.at[i];
        if (f->is_base && f->type->form == TS_FORM_RECORD) {
            --*left;
            found = arguments_as(f->type->record, name, depth + 1, left);
        }
    }
    return found;
}

/* A pack's elements stand in a row with the other arguments. False when they are more than MAX_ARGUMENTS. */
static bool flatten_packs(const struct ts_env *env, struct ts_binding *out, uint32_t *n) {
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
static enum ts_match match_template(struct match *match, TSNode type, const struct ts_type *other) {
    TSNode list = ts_template_arguments(match->s->u, type);
    struct ts_binding given[MAX_ARGUMENTS];
    if (other->form == TS_FORM_GROUP) {
        given[0] = (struct ts_binding){
            .type = ts_scalar(match->s->u, CW_I64, true), .value = other->tile, .is_known = other->tile >= 0};
        return match_list(match, list, given, 1);
    }
    if (other->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    if (other->form != TS_FORM_RECORD)
        return TS_MATCH_NO;
    const char *name = ts_name(match->s->u, ts_last_name(match->s->u, type));
    bool is_it = other->record->cls->name == name;
    uint32_t left = MAX_BASES, n;
    const struct ts_env *env = match->exact && !is_it ? NULL : arguments_as(other->record, name, 0, &left);
    if (!env)
        return is_it || !left ? TS_MATCH_UNSURE : TS_MATCH_NO;
    if (has_open_pack(env) || !flatten_packs(env, given, &n))
        return TS_MATCH_UNSURE;
    return match_list(match, list, given, n);
}

/* What is left when the declarator's levels are off. */
static enum ts_match match_base(struct match *match, TSNode type, bool is_const, const struct ts_type *other) {
    struct ts_binding *b = ts_node_is_null(ts_template_arguments(match->s->u, type))
                               ? own_binding(match->env, ts_name(match->s->u, type))
                               : NULL;
    if (match->exact && is_const && !other->is_const)
        return other->is_dependent ? TS_MATCH_UNSURE : TS_MATCH_NO;
    if (is_const && other->is_const)
        other = unqualify_type(match->s->u, other);
    if (b)
        return bind_type(match, b, other);
    if (!ts_node_is_null(ts_template_arguments(match->s->u, type)))
        return match->exact && other->is_const ? TS_MATCH_NO : match_template(match, type, other);
    if (!match->exact)
        return TS_MATCH_YES;
    const struct ts_type *written = ts_type_node(match->s, type);
    if (written->form == TS_FORM_UNKNOWN || other->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    return same_exactly(written, other) ? TS_MATCH_YES : TS_MATCH_NO;
}

static bool is_reference(enum ts_kind kind) {
    return kind == TS_REFERENCE_DECLARATOR || kind == TS_ABSTRACT_REFERENCE;
}

/* The written size of an array against the known one. */
static enum ts_match match_size(struct match *match, TSNode size, int64_t count, bool is_array) {
    struct ts_binding *b = ts_node_is_null(size) ? NULL : own_binding(match->env, ts_name(match->s->u, size));
    int64_t n;
    if (b && count >= 0)
        return bind_value(b, count);
    if (!match->exact || !is_array)
        return TS_MATCH_YES;
    if (ts_node_is_null(size))
        return count < 0 ? TS_MATCH_YES : TS_MATCH_NO;
    if (!ts_eval(match->s, size, &n) || count < 0)
        return TS_MATCH_UNSURE;
    return n == count ? TS_MATCH_YES : TS_MATCH_NO;
}

/* One `*`, `[N]` or `&` of the declarator off the type. */
static enum ts_match take_level(struct match *match, TSNode level, const struct ts_type **type) {
    enum ts_kind k = ts_kind(match->s->u, level);
    bool is_array = k == TS_ARRAY_DECLARATOR || k == TS_ABSTRACT_ARRAY;
    bool refers = is_reference(k);
    if ((*type)->form == TS_FORM_UNKNOWN)
        return TS_MATCH_UNSURE;
    if (refers && !match->exact)
        return TS_MATCH_YES;
    bool fits = refers       ? (*type)->form == TS_FORM_REFERENCE
                : match->exact   ? (*type)->form == (is_array ? TS_FORM_ARRAY : TS_FORM_POINTER)
                             : (*type)->form == TS_FORM_POINTER || (*type)->form == TS_FORM_ARRAY;
    if (!fits || !(*type)->of)
        return TS_MATCH_NO;
    if (match->exact && !is_array && !refers && (*type)->is_const != ts_has_word(match->s->u, level, "const"))
        return TS_MATCH_NO;
    enum ts_match r = match_size(match, ts_field(level, "size"), (*type)->count, is_array);
    *type = (*type)->of;
    return r;
}

static bool is_level(enum ts_kind kind) {
    return is_reference(kind) || kind == TS_POINTER_DECLARATOR || kind == TS_ABSTRACT_POINTER ||
           kind == TS_ARRAY_DECLARATOR || kind == TS_ABSTRACT_ARRAY;
}

/* The declarators from the outside in; how many, or -1 where a function is meant. */
static int levels_of(const struct match *match, TSNode node, TSNode *levels, bool *has_reference) {
    int n = 0;
    while (!ts_node_is_null(node) && n < MAX_DEDUCE) {
        enum ts_kind k = ts_kind(match->s->u, node);
        TSNode inner = ts_field(node, "declarator");
        *has_reference |= is_reference(k);
        if (is_level(k))
            levels[n++] = node;
        else if (match->exact && (k == TS_FUNCTION_DECLARATOR || k == TS_ABSTRACT_FUNCTION))
            return -1;
        if (ts_node_is_null(inner) && (is_reference(k) || k == TS_PAREN_DECLARATOR || k == TS_ABSTRACT_PAREN) &&
            ts_node_named_child_count(node))
            inner = ts_node_named_child(node, ts_node_named_child_count(node) - 1);
        node = inner;
    }
    return n;
}

static bool has_declarator(const struct ts_unit *unit, TSNode node) {
    enum ts_kind k = ts_kind(unit, node);
    return k == TS_TYPE_DESCRIPTOR || k == TS_PARAMETER || k == TS_OPTIONAL_PARAMETER || k == TS_VARIADIC_PARAMETER;
}

/* The innermost declarator is the outermost level of the type. A parameter, a type descriptor or a bare name. */
static enum ts_match match_written(struct match *match, TSNode node, const struct ts_type *type) {
    struct ts_unit *u = match->s->u;
    TSNode levels[MAX_DEDUCE];
    bool has_reference = false, is_bare = !has_declarator(u, node);
    int n = is_bare ? 0 : levels_of(match, ts_field(node, "declarator"), levels, &has_reference);
    enum ts_match r = n < 0 ? TS_MATCH_UNSURE : TS_MATCH_YES;
    if (!match->exact)
        type = ts_plain(type);
    if (!match->exact && !n && type->form == TS_FORM_ARRAY && !has_reference)
        type = ts_pointer_to(u, type->of);
    for (int i = n - 1; i >= 0 && r == TS_MATCH_YES; i--)
        r = take_level(match, levels[i], &type);
    if (r != TS_MATCH_YES)
        return r;
    return match_base(match, is_bare ? node : ts_field(node, "type"), ts_has_word(u, node, "const"), type);
}

/* ---- lists of arguments ---- */

static enum ts_match match_argument(struct match *match, TSNode node, const struct ts_binding *from) {
    struct ts_unit *u = match->s->u;
    TSNode inner = ts_is(u, node, TS_TYPE_DESCRIPTOR) ? ts_field(node, "type") : node;
    struct ts_binding *b = own_binding(match->env, ts_name(u, inner));
    int64_t value;
    if (from->is_type)
        return match_written(match, node, from->type);
    if (!from->is_known)
        return TS_MATCH_UNSURE;
    if (b)
        return bind_value(b, from->value);
    if (!match->exact)
        return TS_MATCH_YES;
    if (!ts_eval(match->s, inner, &value))
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

static struct gathered gather_packs(struct match *match, TSNode pattern, uint32_t most) {
    struct gathered g = {.is_known = true};
    g.n = ts_packs_of_env(match->s, match->env, pattern, g.pack);
    for (uint32_t i = 0; i < g.n; i++) {
        g.was[i] = *g.pack[i];
        g.elements[i] = CW_NEW_ARRAY(&match->s->u->scratch, struct ts_binding, most + 1);
    }
    return g;
}

static void open_element(struct gathered *gathered) {
    for (uint32_t i = 0; i < gathered->n; i++) {
        const struct ts_binding *was = &gathered->was[i];
        bool is_given = was->nelements > gathered->count; /* written in front: f<int>(1, 2) */
        *gathered->pack[i] = is_given ? was->elements[gathered->count] : *was;
        gathered->pack[i]->name = was->name;
        gathered->pack[i]->is_pack = false;
        gathered->pack[i]->is_known &= is_given;
    }
}

static void close_element(struct gathered *gathered) {
    for (uint32_t i = 0; i < gathered->n; i++) {
        gathered->elements[i][gathered->count] = *gathered->pack[i];
        gathered->is_known &= gathered->pack[i]->is_known;
    }
    gathered->count++;
}

static void close_packs(struct gathered *gathered) {
    for (uint32_t i = 0; i < gathered->n; i++) {
        *gathered->pack[i] = gathered->was[i];
        gathered->pack[i]->elements = gathered->elements[i];
        gathered->pack[i]->nelements = gathered->count;
        gathered->pack[i]->is_known = gathered->is_known;
    }
}

static enum ts_match match_list(struct match *match, TSNode list, const struct ts_binding *given, uint32_t n) {
    uint32_t count = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), k = 0;
    enum ts_match r = TS_MATCH_YES;
    if (match->depth > MAX_DEPTH)
        return TS_MATCH_UNSURE;
    match->depth++;
    for (uint32_t i = 0; i < count && r > TS_MATCH_NO; i++) {
        TSNode node = ts_node_named_child(list, i);
        if (ts_is(match->s->u, node, TS_COMMENT))
            continue;
        if (ts_is(match->s->u, node, TS_EXPANSION)) {
            TSNode pattern = ts_field(node, "pattern");
            struct gathered g = gather_packs(match, pattern, n);
            for (; k < n && g.n; k++) {
                open_element(&g);
                r = weaker_match(r, match_argument(match, pattern, &given[k]));
                close_element(&g);
            }
            close_packs(&g);
        } else if (k < n) {
            r = weaker_match(r, match_argument(match, node, &given[k++]));
        } else {
            r = TS_MATCH_NO;
        }
    }
    match->depth--;
    return r == TS_MATCH_YES && k < n && match->exact ? TS_MATCH_NO : r;
}

/* ---- what others ask ---- */

static void deduce_pack(struct match *match, TSNode parameter, const struct ts_value *args, uint32_t n) {
    struct gathered g = gather_packs(match, parameter, n);
    for (uint32_t i = 0; i < n && g.n; i++) {
        open_element(&g);
        match_written(match, parameter, args[i].type);
        close_element(&g);
    }
    close_packs(&g);
}

void ts_env_deduce(struct ts_scope *scope, struct ts_env *env, const struct ts_function *function,
                   const struct ts_value *args, uint32_t nargs) {
    TSNode list = ts_field(function->declarator, "parameters");
    struct ts_scope inner = {.u = scope->u, .env = env};
    struct match m = {.s = &inner, .env = env};
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list), k = 0;
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind kind = ts_kind(scope->u, p);
        if ((kind == TS_PARAMETER || kind == TS_OPTIONAL_PARAMETER) && k < nargs)
            match_written(&m, p, args[k++].type);
        else if (kind == TS_VARIADIC_PARAMETER)
            deduce_pack(&m, p, args + k, nargs - k);
    }
}

/* Arguments that the specialisation leaves out are the primary template's defaults. */
static enum ts_match match_defaults(struct ts_scope *scope, const struct ts_class *class, const struct ts_env *env,
                                    uint32_t from) {
    struct ts_env *copy = ts_env_copy(scope->u, env);
    enum ts_match r = TS_MATCH_YES;
    for (uint32_t i = from; i < copy->n; i++)
        copy->at[i].is_known = false;
    ts_env_defaults(scope, copy, class->tmpl);
    for (uint32_t i = from; i < copy->n; i++) {
        const struct ts_binding *x = &copy->at[i], *y = &env->at[i];
        if (!x->is_known || !y->is_known)
            return TS_MATCH_UNSURE;
        bool same = x->is_type ? same_exactly(x->type, y->type) : x->value == y->value;
        r = same ? r : TS_MATCH_NO;
    }
    return r;
}

static bool has_expansion(const struct ts_unit *unit, TSNode list) {
    return !ts_node_is_null(ts_child_of(unit, list, TS_EXPANSION));
}

enum ts_match ts_match_class(struct ts_scope *scope, const struct ts_class *special, const struct ts_env *env,
                             struct ts_env **found) {
    struct ts_scope at = {.u = scope->u, .cls = special->owner};
    struct ts_env *env_of = ts_env_make(&at, special->tmpl, ts_none(), NULL);
    struct ts_binding given[MAX_ARGUMENTS];
    struct match m = {.s = &at, .env = env_of, .exact = true};
    uint32_t n, written = ts_node_named_child_count(special->arguments);
    enum ts_match r = TS_MATCH_YES;
    at.env = env_of;
    if (has_open_pack(env) || !flatten_packs(env, given, &n))
        return TS_MATCH_UNSURE;
    if (written < n && !has_expansion(scope->u, special->arguments) && special->primary) {
        r = match_defaults(scope, special->primary, env, written);
        n = written;
    }
    if (r > TS_MATCH_NO)
        r = weaker_match(r, match_list(&m, special->arguments, given, n));
    if (r == TS_MATCH_YES && !ts_env_is_complete(env_of))
        r = TS_MATCH_UNSURE;
    *found = env_of->n ? env_of : NULL;
    return r;
}

bool ts_match_function(struct ts_scope *scope, const struct ts_function *special, const struct ts_env *env) {
    TSNode name = ts_declarator_name(scope->u, special->declarator);
    struct ts_env none = {.n = 0};
    struct ts_scope at = {.u = scope->u, .env = &none};
    struct ts_binding given[MAX_ARGUMENTS];
    struct match m = {.s = &at, .env = &none, .exact = true};
    TSNode list = ts_template_arguments(scope->u, name);
    uint32_t n;
    return !ts_node_is_null(list) && flatten_packs(env, given, &n) && match_list(&m, list, given, n) == TS_MATCH_YES;
}
