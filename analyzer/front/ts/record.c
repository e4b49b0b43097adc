/* Classes: instances, fields and their places, by the Itanium C++ ABI where it leaves no choice. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_FIELDS = 400, MAX_LEAVES = 32, MAX_NESTING = 16, MAX_CLASS_INSTANCES = 200,
       MAX_BASES = 1000, MAX_STEPS = 1000 };

uint64_t ts_size(const struct ts_type *t) {
    if (t->form == TS_FORM_RECORD)
        return t->record->is_known ? t->record->size : 0;
    if (t->form == TS_FORM_ARRAY)
        return t->count > 0 && (uint64_t)t->count < UINT32_MAX ? ts_size(t->of) * (uint64_t)t->count : 0;
    return t->size;
}

uint32_t ts_align(const struct ts_type *t) {
    uint32_t align = t->form == TS_FORM_RECORD ? t->record->align : t->align;
    return align ? align : 1;
}

static bool same_element(const struct ts_binding *x, const struct ts_binding *y) {
    return x->is_type == y->is_type && x->is_known == y->is_known && x->is_pack == y->is_pack &&
           x->nelements == y->nelements && (x->is_type || x->is_pack || x->value == y->value) &&
           (!x->is_type || x->is_pack || ts_type_same(x->type, y->type));
}

static bool same_binding(const struct ts_binding *x, const struct ts_binding *y) {
    if (!same_element(x, y))
        return false;
    for (uint32_t i = 0; x->is_pack && i < x->nelements; i++)
        if (!same_element(&x->elements[i], &y->elements[i]))
            return false;
    return true;
}

static bool same_env(const struct ts_env *a, const struct ts_env *b) {
    for (; a && b; a = a->outer, b = b->outer) {
        if (a == b)
            return true;
        if (a->n != b->n)
            return false;
        for (uint32_t i = 0; i < a->n; i++)
            if (!same_binding(&a->at[i], &b->at[i]))
                return false;
    }
    return a == b;
}

static struct ts_record *rest_of(struct ts_unit *u, struct ts_class *c) {
    if (!c->rest) {
        c->rest = CW_NEW(&u->scratch, struct ts_record);
        *c->rest = (struct ts_record){.cls = c, .arguments = "", .align = 1, .is_laid_out = true};
    }
    return c->rest;
}

struct ts_record *ts_record_plain(struct ts_unit *u, struct ts_class *c, const struct ts_env *env) {
    for (uint32_t i = 0; i < c->instances.n; i++)
        if (same_env(c->instances.at[i]->env, env))
            return c->instances.at[i];
    if (c->instances.n >= MAX_CLASS_INSTANCES)
        return rest_of(u, c);
    struct ts_record *r = CW_NEW(&u->scratch, struct ts_record);
    *r = (struct ts_record){.cls = c, .env = env, .given = c->primary ? NULL : env, .arguments = ""};
    if (!ts_node_is_null(c->tmpl) && env)
        r->arguments = ts_env_text(u, env);
    cw_vec_push(&u->scratch, &c->instances, r);
    return r;
}

static bool names_parameter(struct ts_unit *u, const struct ts_class *c, TSNode leaf) {
    uint32_t n = ts_node_named_child_count(c->tmpl);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(c->tmpl, i), d = ts_field(p, "declarator");
        if (ts_node_is_null(d))
            d = ts_node_named_child_count(p) ? ts_node_named_child(p, 0) : p;
        if (ts_declared_name(u, d) == ts_name(u, leaf))
            return true;
    }
    return false;
}

/* How much a specialisation's arguments say beyond its parameters' names: what is more special says more. */
static uint32_t weight(struct ts_unit *u, const struct ts_class *c, TSNode n, int depth) {
    uint32_t sum = 0, count = ts_node_child_count(n);
    if (!count)
        return !cw_str_is(ts_text(u, n), ",") && !names_parameter(u, c, n);
    for (uint32_t i = 0; i < count && depth < 24; i++)
        sum += weight(u, c, ts_node_child(n, i), depth + 1);
    return sum;
}

/* `<T, T>` says more than `<T, U>`. */
static uint32_t special_weight(struct ts_unit *u, const struct ts_class *c) {
    uint32_t parameters = ts_node_named_child_count(c->tmpl);
    return 8 * weight(u, c, c->arguments, 0) + (parameters < 8 ? 8 - parameters : 0);
}

/* The specialisation that the arguments mean; false when that cannot be known. */
static bool choose(struct ts_scope *s, struct ts_class *c, const struct ts_env *env, struct ts_class **special,
                   struct ts_env **own) {
    uint32_t best = 0;
    bool is_clear = true;
    *special = NULL;
    for (uint32_t i = 0; i < c->specialisations.n; i++) {
        struct ts_class *one = c->specialisations.at[i];
        struct ts_env *found = NULL;
        if (ts_node_is_null(one->tmpl))
            continue;
        enum ts_match r = ts_match_class(s, one, env, &found);
        uint32_t w = special_weight(s->u, one);
        if (r == TS_MATCH_UNSURE)
            return false;
        if (r == TS_MATCH_NO || (*special && w < best))
            continue;
        is_clear = !*special || w > best;
        best = w;
        *special = one;
        *own = found;
    }
    return is_clear;
}

struct ts_record *ts_record_of(struct ts_scope *s, struct ts_class *c, TSNode arguments) {
    if (ts_node_is_null(c->tmpl))
        return ts_record_plain(s->u, c, c->owner && s->record && s->record->cls == c->owner ? s->record->env : NULL);
    struct ts_env *env = ts_env_make(s, c->tmpl, arguments, NULL), *own = NULL;
    struct ts_class *special;
    ts_env_defaults(s, env, c->tmpl);
    ts_env_defaults(s, env, c->defaults);
    for (uint32_t i = 0; i < env->n && !ts_node_is_null(arguments); i++) /* `S<>` has none, and that is known */
        env->at[i].is_known |= env->at[i].is_pack && !env->at[i].nelements && !ts_node_named_child_count(arguments);
    if (!choose(s, c, env, &special, &own))
        return NULL;
    struct ts_record *r = ts_record_plain(s->u, special ? special : c, special ? own : env);
    if (r == r->cls->rest)
        return r;
    r->given = env;
    if (special)
        r->arguments = ts_env_text(s->u, env);
    return r;
}

/* ---- layout ---- */

struct layout {
    struct ts_unit *u;
    struct ts_record *r;
    struct ts_scope scope;
    uint64_t at, bits;
    bool is_known;
};

/* A class cannot hold itself; whoever writes so means something else, and following it would have no end. */
static bool is_unfinished(const struct ts_type *t) {
    for (int i = 0; i < 32 && t->form == TS_FORM_ARRAY; i++)
        t = t->of;
    return t->form == TS_FORM_RECORD && t->record->is_open;
}

static void place(struct layout *l, struct ts_field f) {
    if (is_unfinished(f.type))
        f.type = l->u->unknown_type;
    uint64_t size = ts_size(f.type);
    uint32_t align = ts_align(f.type);
    if (!size || l->r->fields.n >= MAX_FIELDS)
        l->is_known = false;
    align = align ? align : 1;
    if (!l->r->cls->is_union)
        l->at = (l->at + align - 1) / align * align;
    f.offset = l->r->cls->is_union ? 0 : l->at;
    if (l->r->cls->is_union)
        l->at = size > l->at ? size : l->at;
    else
        l->at += size;
    l->r->align = align > l->r->align ? align : l->r->align;
    if (l->r->fields.n < MAX_FIELDS)
        cw_vec_push(&l->u->scratch, &l->r->fields, f);
}

static void place_base(struct layout *l, TSNode name) {
    const struct ts_type *t = ts_named_type(&l->scope, name);
    struct ts_field f = {.name = "", .type = t ? t : l->u->unknown_type, .init = ts_none(), .is_base = true};
    if (t && t->form == TS_FORM_RECORD && t->record->is_known && !t->record->fields.n) {
        cw_vec_push(&l->u->scratch, &l->r->fields, f); /* an empty base takes no room */
        return;
    }
    place(l, f);
}

static void place_bases(struct layout *l) {
    TSNode clause = ts_child_of(l->u, l->r->cls->node, TS_BASES);
    uint32_t n = ts_node_is_null(clause) ? 0 : ts_node_named_child_count(clause);
    for (uint32_t i = 0; i < n; i++) {
        TSNode name = ts_node_named_child(clause, i);
        if (!ts_is(l->u, name, TS_ACCESS))
            place_base(l, name);
    }
}

/* Bit-fields keep no value: their place is that of a run of them. */
static void place_bits(struct layout *l, struct ts_field f) {
    f.is_bit_field = true;
    l->is_known &= ts_size(f.type) > 0;
    place(l, f);
    l->is_known = false;
}

static void place_declarators(struct layout *l, TSNode node) {
    const struct ts_type *base = ts_declaration_type(&l->scope, node);
    uint32_t n = ts_node_child_count(node), placed = 0;
    bool has_bits = !ts_node_is_null(ts_child_of(l->u, node, TS_BITFIELD));
    struct ts_field last = {.name = ""};
    for (uint32_t i = 0; i < n; i++) {
        const char *role = ts_node_field_name_for_child(node, i);
        TSNode child = ts_node_child(node, i);
        if (role && strcmp(role, "default_value") == 0 && l->r->fields.n)
            cw_vec_last(&l->r->fields).init = child;
        if (!role || strcmp(role, "declarator") != 0)
            continue;
        placed++;
        if (!ts_node_is_null(ts_function_declarator(l->u, child)))
            continue;
        last = (struct ts_field){.name = ts_declared_name(l->u, child), .init = ts_none(),
                                 .type = ts_declarator_type(&l->scope, base, child)};
        if (has_bits)
            place_bits(l, last);
        else
            place(l, last);
    }
    bool is_anonymous = !placed && base->form == TS_FORM_RECORD && !*base->record->cls->name;
    if (is_anonymous)
        place(l, (struct ts_field){.name = "", .type = base, .init = ts_none()});
}

static uint32_t written_align(struct ts_unit *u, struct ts_record *r, TSNode body) {
    static const char *const words[] = {"__align__", "alignas", "__attribute__"};
    cw_str head = ts_raw(u, ts_node_start_byte(r->cls->node), ts_node_start_byte(body), body);
    struct ts_scope scope = {.u = u, .env = r->env};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = head.n ? memmem(head.at, head.n, words[i], strlen(words[i])) : NULL;
        const char *open = at ? memchr(at, '(', (size_t)(head.at + head.n - at)) : NULL;
        int64_t n;
        if (open && i == 2)
            open = memmem(open, (size_t)(head.at + head.n - open), "aligned(", 8), open = open ? open + 7 : NULL;
        if (open && ts_int_words(&scope, (cw_str){open + 1, (size_t)(head.at + head.n - open) - 1}, &n) && n > 0 &&
            n <= 4096)
            return (uint32_t)n;
    }
    return 0;
}

static void lay_out(struct layout *l, TSNode body) {
    uint32_t n = ts_node_named_child_count(body);
    place_bases(l);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(body, i);
        if (ts_is(l->u, child, TS_FIELD_DECLARATION) && !ts_has_word(l->u, child, "static"))
            place_declarators(l, child);
        l->is_known &= !ts_is(l->u, child, TS_ERROR);
        l->is_known &= !ts_has_word(l->u, child, "virtual");
    }
}

void ts_layout(struct ts_unit *u, struct ts_record *r) {
    TSNode body = ts_field(r->cls->node, "body");
    if (r->is_laid_out || r->is_open)
        return;
    r->is_open = true;
    r->align = 1;
    struct layout l = {.u = u, .r = r, .is_known = !ts_node_is_null(body)};
    l.scope = (struct ts_scope){.u = u, .env = r->env, .record = r, .cls = r->cls};
    if (l.is_known)
        lay_out(&l, body);
    uint32_t align = l.is_known ? written_align(u, r, body) : 0;
    r->align = align > r->align ? align : r->align;
    r->size = l.at ? (l.at + r->align - 1) / r->align * r->align : 1;
    r->is_known = l.is_known;
    r->is_open = false;
    r->is_laid_out = true;
}

/* ---- members ---- */

static bool find_field(struct ts_unit *u, struct ts_record *r, const char *name, const struct ts_field **field,
                       uint64_t *offset, int depth, uint32_t *left) {
    ts_layout(u, r);
    for (uint32_t i = 0; i < r->fields.n; i++) {
        const struct ts_field *f = &r->fields.at[i];
        if (f->name == name && *name) {
            *field = f;
            *offset += f->offset;
            return true;
        }
        uint64_t inner = *offset + f->offset;
        bool is_open = (f->is_base || !*f->name) && f->type->form == TS_FORM_RECORD && depth < MAX_NESTING;
        if (is_open && *left && (--*left, find_field(u, f->type->record, name, field, &inner, depth + 1, left))) {
            *offset = inner;
            return true;
        }
    }
    return false;
}

bool ts_find_field(struct ts_unit *u, struct ts_record *r, const char *name, const struct ts_field **field,
                   uint64_t *offset) {
    uint32_t left = MAX_BASES; /* bases of bases may be met on more ways than anybody can follow */
    *offset = 0;
    return find_field(u, r, name, field, offset, 0, &left);
}

static struct ts_symbol *find_member(struct ts_unit *u, struct ts_record *r, const char *name, struct ts_record **home,
                                     uint64_t *offset, int depth, uint32_t *left) {
    struct ts_class *c = r->cls;
    ts_class_read(u, c);
    struct ts_symbol *found = NULL, *declared = NULL;
    for (uint32_t i = 0; i < c->members.n; i++) {
        struct ts_symbol *y = c->members.at[i];
        bool has_body = y->kind != TS_SYM_FUNCTION || !ts_node_is_null(ts_field(y->function->node, "body"));
        if (y->name == name && has_body)
            found = y;
        else if (y->name == name)
            declared = y;
    }
    *home = r;
    if (found || declared)
        return found ? found : declared;
    ts_layout(u, r);
    for (uint32_t i = 0; i < r->fields.n && depth < MAX_NESTING; i++) {
        const struct ts_field *f = &r->fields.at[i];
        uint64_t inner = *offset + f->offset;
        if (f->is_base && f->type->form == TS_FORM_RECORD && *left &&
            (--*left, found = find_member(u, f->type->record, name, home, &inner, depth + 1, left))) {
            *offset = inner;
            return found;
        }
    }
    return NULL;
}

struct ts_symbol *ts_find_member(struct ts_unit *u, struct ts_record *r, const char *name, struct ts_record **home,
                                 uint64_t *offset) {
    uint32_t left = MAX_BASES;
    *offset = 0;
    return find_member(u, r, name, home, offset, 0, &left);
}

bool ts_is_base_of(struct ts_unit *u, struct ts_record *base, struct ts_record *derived, uint64_t *offset) {
    ts_layout(u, derived);
    for (uint32_t i = 0; i < derived->fields.n; i++) {
        const struct ts_field *f = &derived->fields.at[i];
        if (f->is_base && f->type->form == TS_FORM_RECORD && f->type->record == base) {
            *offset = f->offset;
            return true;
        }
    }
    return false;
}

/* ---- scalars inside an object ---- */

static bool split(struct ts_unit *u, const struct ts_type *t, uint64_t offset, struct ts_leaves *out, int depth) {
    if (depth > MAX_NESTING || out->n >= MAX_LEAVES || out->steps++ >= MAX_STEPS) /* empty elements are no leaves */
        return false;
    if (t->form == TS_FORM_ARRAY) {
        for (int64_t i = 0; i < t->count; i++)
            if (!split(u, t->of, offset + (uint64_t)i * ts_size(t->of), out, depth + 1))
                return false;
        return t->count >= 0 && ts_size(t->of);
    }
    if (t->form == TS_FORM_RECORD) {
        ts_layout(u, t->record);
        if (!t->record->is_known || t->record->cls->is_union)
            return false;
        for (uint32_t i = 0; i < t->record->fields.n; i++) {
            const struct ts_field *f = &t->record->fields.at[i];
            bool is_empty = f->is_base && !ts_size(f->type);
            if (f->is_bit_field || (!is_empty && !split(u, f->type, offset + f->offset, out, depth + 1)))
                return false;
        }
        return true;
    }
    for (uint32_t i = 0; t->form == TS_FORM_CLOSURE && i < t->closure->captures.n; i++) {
        const struct ts_capture *c = &t->closure->captures.at[i];
        const struct ts_type *field = c->is_reference ? ts_pointer_to(u, c->variable.type) : c->variable.type;
        if (!split(u, field, offset + c->offset, out, depth + 1))
            return false;
    }
    if (t->form == TS_FORM_CLOSURE)
        return true;
    if (!t->size || t->form == TS_FORM_UNKNOWN)
        return false;
    struct ts_leaf leaf = {offset, t};
    cw_vec_push(&u->scratch, out, leaf);
    return true;
}

struct ts_leaves ts_leaves_of(struct ts_unit *u, const struct ts_type *t) {
    struct ts_leaves out = {0};
    out.is_split = split(u, t, 0, &out, 0);
    return out;
}
