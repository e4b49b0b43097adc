/* Parameter packs: lists in which `pattern...` stands for one element for each argument.
 *
 * A pack of types or values is a binding with elements; a pack of a function's parameters is a local of that name with
 * as many others behind it. An expansion evaluates its pattern once for each element, with the packs' names standing
 * for that element alone. Of a pattern whose packs have an unknown length nothing is taken apart. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_PATTERN = 400 };

static const struct ts_local *local_pack(const struct ts_scope *s, const char *name) {
    const struct ts_local *l = s->body ? ts_find_local(s->body, name) : NULL;
    return l && l->is_pack ? l : NULL;
}

static bool is_name(enum ts_kind k) {
    return k == TS_IDENTIFIER || k == TS_TYPE_IDENTIFIER || k == TS_NAMESPACE_IDENTIFIER || k == TS_FIELD_IDENTIFIER;
}

/* An expansion within the pattern has its own packs. */
static bool is_closed(const struct ts_unit *u, TSNode n) {
    enum ts_kind k = ts_kind(u, n);
    return k == TS_EXPANSION || k == TS_FOLD || (k == TS_SIZEOF && ts_has_word(u, n, "..."));
}

struct packs {
    const char *at[TS_MAX_PACKS];
    uint32_t n;
};

static void add_name(struct ts_scope *s, struct packs *out, const char *name) {
    const struct ts_binding *b = ts_find_binding(s->env, name);
    if (!local_pack(s, name) && !(b && b->is_pack))
        return;
    for (uint32_t i = 0; i < out->n; i++)
        if (out->at[i] == name)
            return;
    if (out->n < TS_MAX_PACKS)
        out->at[out->n++] = name;
}

/* The packs that a pattern names. */
static void packs_in(struct ts_scope *s, TSNode pattern, struct packs *out) {
    struct ts_walk w = ts_walk_of(pattern, MAX_PATTERN);
    for (TSNode n; ts_walk_next(&w, &n);) {
        if (is_name(ts_kind(s->u, n)))
            add_name(s, out, ts_name(s->u, n));
        w.is_closed = w.depth && is_closed(s->u, n);
    }
    ts_walk_end(&w);
}

uint32_t ts_packs_of_env(struct ts_scope *s, struct ts_env *env, TSNode pattern, struct ts_binding **out) {
    struct packs found = {.n = 0};
    struct ts_scope inner = {.u = s->u, .env = env};
    uint32_t n = 0;
    packs_in(&inner, pattern, &found);
    for (uint32_t i = 0; i < env->n; i++)
        for (uint32_t k = 0; k < found.n; k++)
            if (env->at[i].is_pack && env->at[i].name == found.at[k] && n < TS_MAX_PACKS)
                out[n++] = &env->at[i];
    return n;
}

/* How many elements; -1: nobody knows. */
static int64_t length(struct ts_scope *s, const char *name) {
    const struct ts_local *l = local_pack(s, name);
    const struct ts_binding *b = ts_find_binding(s->env, name);
    if (l)
        return l->value;
    return b && b->is_pack && b->is_known ? (int64_t)b->nelements : -1;
}

int64_t ts_pack_length(struct ts_scope *s, TSNode pattern) {
    struct packs packs = {.n = 0};
    int64_t n = -1;
    packs_in(s, pattern, &packs);
    for (uint32_t i = 0; i < packs.n; i++) {
        int64_t one = length(s, packs.at[i]);
        if (one < 0 || (n >= 0 && one != n))
            return -1;
        n = one;
    }
    return n <= TS_MAX_ELEMENTS ? n : -1;
}

const char *ts_element_name(struct ts_unit *u, const char *pack, uint32_t index) {
    return cw_intern(&u->module->names, cw_arena_printf(&u->scratch, "%s#%u", pack, index));
}

/* The pack's name stands for element `index`. */
static void pick_local(struct ts_scope *s, const char *name, uint32_t index) {
    const struct ts_local *element = ts_find_local(s->body, ts_element_name(s->u, name, index));
    if (!element)
        return;
    struct ts_local alias = *element;
    alias.name = name;
    cw_vec_push(&s->u->scratch, &s->body->locals, alias);
}

void ts_pick(struct ts_scope *s, TSNode pattern, uint32_t index) {
    struct packs packs = {.n = 0};
    packs_in(s, pattern, &packs);
    struct ts_env *env = CW_NEW(&s->u->scratch, struct ts_env);
    *env = (struct ts_env){
        .outer = s->env, .at = CW_NEW_ARRAY(&s->u->scratch, struct ts_binding, packs.n + 1), .is_pick = true};
    for (uint32_t i = 0; i < packs.n; i++) {
        const struct ts_binding *b = ts_find_binding(s->env, packs.at[i]);
        if (local_pack(s, packs.at[i])) {
            pick_local(s, packs.at[i], index);
        } else if (b && index < b->nelements) {
            env->at[env->n] = b->elements[index];
            env->at[env->n++].name = packs.at[i];
        }
    }
    s->env = env;
}

/* ---- lists ---- */

struct ts_each ts_each_of(struct ts_scope *s, TSNode list) {
    struct ts_each e = {.s = s, .list = list, .env = s->env, .locals = s->body ? s->body->locals.n : 0};
    e.count = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    return e;
}

void ts_each_end(struct ts_each *e) {
    e->s->env = e->env;
    if (e->s->body)
        e->s->body->locals.n = e->locals;
}

bool ts_each_next(struct ts_each *e, TSNode *node) {
    ts_each_end(e);
    while (e->next < e->count) {
        *node = ts_node_named_child(e->list, e->next);
        if (ts_is(e->s->u, *node, TS_COMMENT)) {
            e->next++;
            continue;
        }
        TSNode pattern = ts_is(e->s->u, *node, TS_EXPANSION) ? ts_field(*node, "pattern") : ts_none();
        int64_t n = ts_node_is_null(pattern) ? -1 : ts_pack_length(e->s, pattern);
        if (n < 0) {
            e->next++;
            return true;
        }
        if (e->element < (uint32_t)n) {
            ts_pick(e->s, pattern, e->element++);
            *node = pattern;
            return true;
        }
        e->element = 0;
        e->next++;
    }
    return false;
}

uint32_t ts_each_count(struct ts_scope *s, TSNode list) {
    struct ts_each e = ts_each_of(s, list);
    TSNode node;
    uint32_t n = 0;
    while (n < TS_MAX_ELEMENTS && ts_each_next(&e, &node))
        n++;
    ts_each_end(&e);
    return n;
}
