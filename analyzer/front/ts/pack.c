/* Parameter packs: lists in which `pattern...` stands for one element for each argument.
 *
 * A pack of types or values is a binding with elements; a pack of a function's parameters is a local of that name with
 * as many others behind it. An expansion evaluates its pattern once for each element, with the packs' names standing
 * for that element alone. Of a pattern whose packs have an unknown length nothing is taken apart. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_PATTERN = 400 };

static const struct ts_local *local_pack(const struct ts_scope *scope, const char *name) {
    const struct ts_local *l = scope->body ? ts_find_local(scope->body, name) : NULL;
    return l && l->is_pack ? l : NULL;
}

static bool is_name(enum ts_kind kind) {
    return kind == TS_IDENTIFIER || kind == TS_TYPE_IDENTIFIER || kind == TS_NAMESPACE_IDENTIFIER ||
           kind == TS_FIELD_IDENTIFIER;
}

/* An expansion within the pattern has its own packs. */
static bool is_closed(const struct ts_unit *unit, TSNode node) {
    enum ts_kind k = ts_kind(unit, node);
    return k == TS_EXPANSION || k == TS_FOLD || (k == TS_SIZEOF && ts_has_word(unit, node, "..."));
}

struct packs {
    const char *at[TS_MAX_PACKS];
    uint32_t n;
};

static void add_name(struct ts_scope *scope, struct packs *out, const char *name) {
    const struct ts_binding *b = ts_find_binding(scope->env, name);
    if (!local_pack(scope, name) && !(b && b->is_pack))
        return;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->at[i] == name)
            return;
    if (out->n < TS_MAX_PACKS)
        out->at[out->n++] = name;
}

/* The packs that a pattern names. */
static void packs_in(struct ts_scope *scope, TSNode pattern, struct packs *out) {
    struct ts_walk w = ts_walk_of(pattern, MAX_PATTERN);
    for (TSNode n; ts_walk_next(&w, &n);) {
        if (is_name(ts_kind(scope->u, n)))
            add_name(scope, out, ts_name(scope->u, n));
        w.is_closed = w.depth && is_closed(scope->u, n);
    }
    ts_walk_end(&w);
}

uint32_t ts_packs_of_env(struct ts_scope *scope, struct ts_env *env, TSNode pattern, struct ts_binding **out) {
    struct packs found = {.n = 0};
    struct ts_scope inner = {.u = scope->u, .env = env};
    uint32_t n = 0;
    packs_in(&inner, pattern, &found);
    for (uint32_t i = 0; i < env->n; i++)
        for (uint32_t k = 0; k < found.n; k++)
            if (env->at[i].is_pack && env->at[i].name == found.at[k] && n < TS_MAX_PACKS)
                out[n++] = &env->at[i];
    return n;
}

/* How many elements; -1: nobody knows. */
static int64_t pack_length(struct ts_scope *scope, const char *name) {
    const struct ts_local *l = local_pack(scope, name);
    const struct ts_binding *b = ts_find_binding(scope->env, name);
    if (l)
        return l->value;
    return b && b->is_pack && b->is_known ? (int64_t)b->nelements : -1;
}

int64_t ts_pack_length(struct ts_scope *scope, TSNode pattern) {
    struct packs packs = {.n = 0};
    int64_t n = -1;
    packs_in(scope, pattern, &packs);
    for (uint32_t i = 0; i < packs.n; i++) {
        int64_t one = pack_length(scope, packs.at[i]);
        if (one < 0 || (n >= 0 && one != n))
            return -1;
        n = one;
    }
    return n <= TS_MAX_ELEMENTS ? n : -1;
}

const char *ts_element_name(struct ts_unit *unit, const char *pack, uint32_t index) {
    return cw_intern(&unit->module->names, cw_arena_printf(&unit->scratch, "%s#%u", pack, index));
}

/* The pack's name stands for element `index`. */
static void pick_local(struct ts_scope *scope, const char *name, uint32_t index) {
    const struct ts_local *element = ts_find_local(scope->body, ts_element_name(scope->u, name, index));
    if (!element)
        return;
    struct ts_local alias = *element;
    alias.name = name;
    cw_vec_push(&scope->u->scratch, &scope->body->locals, alias);
}

void ts_pick(struct ts_scope *scope, TSNode pattern, uint32_t index) {
    struct packs packs = {.n = 0};
    packs_in(scope, pattern, &packs);
    struct ts_env *env = CW_NEW(&scope->u->scratch, struct ts_env);
    *env = (struct ts_env){
        .outer = scope->env, .at = CW_NEW_ARRAY(&scope->u->scratch, struct ts_binding, packs.n + 1), .is_pick = true};
    for (uint32_t i = 0; i < packs.n; i++) {
        const struct ts_binding *b = ts_find_binding(scope->env, packs.at[i]);
        if (local_pack(scope, packs.at[i])) {
            pick_local(scope, packs.at[i], index);
        } else if (b && index < b->nelements) {
            env->at[env->n] = b->elements[index];
            env->at[env->n++].name = packs.at[i];
        }
    }
    scope->env = env;
}

/* ---- lists ---- */

struct ts_each ts_each_of(struct ts_scope *scope, TSNode list) {
    struct ts_each e = {.s = scope, .list = list, .env = scope->env, .locals = scope->body ? scope->body->locals.n : 0};
    e.count = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    return e;
}

void ts_each_end(struct ts_each *each) {
    each->s->env = each->env;
    if (each->s->body)
        each->s->body->locals.n = each->locals;
}

bool ts_each_next(struct ts_each *each, TSNode *node) {
    ts_each_end(each);
    while (each->next < each->count) {
        *node = ts_node_named_child(each->list, each->next);
        if (ts_is(each->s->u, *node, TS_COMMENT)) {
            each->next++;
            continue;
        }
        TSNode pattern = ts_is(each->s->u, *node, TS_EXPANSION) ? ts_field(*node, "pattern") : ts_none();
        int64_t n = ts_node_is_null(pattern) ? -1 : ts_pack_length(each->s, pattern);
        if (n < 0) {
            each->next++;
            return true;
        }
        if (each->element < (uint32_t)n) {
            ts_pick(each->s, pattern, each->element++);
            *node = pattern;
            return true;
        }
        each->element = 0;
        each->next++;
    }
    return false;
}

uint32_t ts_each_count(struct ts_scope *scope, TSNode list) {
    struct ts_each e = ts_each_of(scope, list);
    TSNode node;
    uint32_t n = 0;
    while (n < TS_MAX_ELEMENTS && ts_each_next(&e, &node))
        n++;
    ts_each_end(&e);
    return n;
}
