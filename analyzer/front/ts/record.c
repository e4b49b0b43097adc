/* Classes: instances, fields and their places, by the Itanium C++ ABI where it leaves no choice. */
#include "front/ts/lower.h"

#include <string.h>

enum {
    UNKNOWN_FIELD_SIZE = 64,
    UNKNOWN_FIELD_ALIGN = 8,
    MAX_FIELDS = 400,
    MAX_LEAVES = 32,
    MAX_NESTING = 16,
    MAX_CLASS_INSTANCES = 200,
    MAX_BASES = 1000,
    MAX_STEPS = 1000
};

uint64_t ts_size(const struct ts_type *type) {
    if (type->form == TS_FORM_RECORD)
        return type->record->is_known ? type->record->size : 0;
    if (type->form == TS_FORM_ARRAY)
        return type->count > 0 && (uint64_t)type->count < UINT32_MAX ? ts_size(type->of) * (uint64_t)type->count : 0;
    return type->size;
}

uint32_t ts_align(const struct ts_type *type) {
    uint32_t align = type->form == TS_FORM_RECORD ? type->record->align : type->align;
    return align ? align : 1;
}

static bool same_element(const struct ts_binding *binding, const struct ts_binding *other) {
    return binding->is_type == other->is_type && binding->is_known == other->is_known &&
           binding->is_pack == other->is_pack && binding->nelements == other->nelements &&
           (binding->is_type || binding->is_pack || binding->value == other->value) &&
           (!binding->is_type || binding->is_pack || ts_type_same(binding->type, other->type));
}

static bool same_binding(const struct ts_binding *binding, const struct ts_binding *other) {
    if (!same_element(binding, other))
        return false;
    for (uint32_t i = 0; binding->is_pack && i < binding->nelements; i++)
        if (!same_element(&binding->elements[i], &other->elements[i]))
            return false;
    return true;
}

static bool same_env(const struct ts_env *env, const struct ts_env *other) {
    for (; env && other; env = env->outer, other = other->outer) {
        if (env == other)
            return true;
        if (env->n != other->n)
            return false;
        for (uint32_t i = 0; i < env->n; i++)
            if (!same_binding(&env->at[i], &other->at[i]))
                return false;
    }
    return env == other;
}

static struct ts_record *rest_of(struct ts_unit *unit, struct ts_class *class) {
    if (!class->rest) {
        class->rest = CW_NEW(&unit->scratch, struct ts_record);
        *class->rest = (struct ts_record){.cls = class, .arguments = "", .align = 1, .is_laid_out = true};
    }
    return class->rest;
}

struct ts_record *ts_record_plain(struct ts_unit *unit, struct ts_class *class, const struct ts_env *env) {
    for (uint32_t i = 0; i < class->instances.n; i++)
        if (same_env(class->instances.at[i]->env, env))
            return class->instances.at[i];
    if (class->instances.n >= MAX_CLASS_INSTANCES)
        return rest_of(unit, class);
    struct ts_record *r = CW_NEW(&unit->scratch, struct ts_record);
    *r = (struct ts_record){.cls = class, .env = env, .given = class->primary ? NULL : env, .arguments = ""};
    if (!ts_node_is_null(class->tmpl) && env)
        r->arguments = ts_env_text(unit, env);
    cw_vec_push(&unit->scratch, &class->instances, r);
    return r;
}

static bool names_parameter(struct ts_unit *unit, const struct ts_class *class, TSNode leaf) {
    uint32_t n = ts_node_named_child_count(class->tmpl);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(class->tmpl, i), d = ts_field(p, "declarator");
        if (ts_node_is_null(d))
            d = ts_node_named_child_count(p) ? ts_node_named_child(p, 0) : p;
        if (ts_declared_name(unit, d) == ts_name(unit, leaf))
            return true;
    }
    return false;
}

/* How much a specialisation's arguments say beyond its parameters' names: what is more special says more. */
static uint32_t weigh_arguments(struct ts_unit *unit, const struct ts_class *class, TSNode node, int depth) {
    uint32_t sum = 0, count = ts_node_child_count(node);
    if (!count)
        return !cw_str_is(ts_text(unit, node), ",") && !names_parameter(unit, class, node);
    for (uint32_t i = 0; i < count && depth < 24; i++)
        sum += weigh_arguments(unit, class, ts_node_child(node, i), depth + 1);
    return sum;
}

/* `<T, T>` says more than `<T, U>`. */
static uint32_t special_weight(struct ts_unit *unit, const struct ts_class *class) {
    uint32_t parameters = ts_node_named_child_count(class->tmpl);
    return 8 * weigh_arguments(unit, class, class->arguments, 0) + (parameters < 8 ? 8 - parameters : 0);
}

/* The specialisation that the arguments mean; false when that cannot be known. */
static bool choose_special(struct ts_scope *scope, struct ts_class *class, const struct ts_env *env,
                           struct ts_class **special, struct ts_env **own) {
    uint32_t best = 0;
    bool is_clear = true;
    *special = NULL;
    for (uint32_t i = 0; i < class->specialisations.n; i++) {
        struct ts_class *one = class->specialisations.at[i];
        struct ts_env *found = NULL;
        if (ts_node_is_null(one->tmpl))
            continue;
        enum ts_match r = ts_match_class(scope, one, env, &found);
        uint32_t w = special_weight(scope->u, one);
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

struct ts_record *ts_record_of(struct ts_scope *scope, struct ts_class *class, TSNode arguments) {
    if (ts_node_is_null(class->tmpl))
        return ts_record_plain(scope->u, class,
                               class->owner && scope->record && scope->record->cls == class->owner ? scope->record->env
                                                                                                   : NULL);
    struct ts_env *env = ts_env_make(scope, class->tmpl, arguments, NULL), *own = NULL;
    struct ts_class *special;
    ts_env_defaults(scope, env, class->tmpl);
    ts_env_defaults(scope, env, class->defaults);
    for (uint32_t i = 0; i < env->n && !ts_node_is_null(arguments); i++) /* `S<>` has none, and that is known */
        env->at[i].is_known |= env->at[i].is_pack && !env->at[i].nelements && !ts_node_named_child_count(arguments);
    if (!choose_special(scope, class, env, &special, &own))
        return NULL;
    struct ts_record *r = ts_record_plain(scope->u, special ? special : class, special ? own : env);
    if (r == r->cls->rest)
        return r;
    r->given = env;
    if (special)
        r->arguments = ts_env_text(scope->u, env);
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
static bool is_unfinished(const struct ts_type *type) {
    for (int i = 0; i < 32 && type->form == TS_FORM_ARRAY; i++)
        type = type->of;
    return type->form == TS_FORM_RECORD && type->record->is_open;
}

/* Bytes that a member of unknown size gets: its class has no known size then, but the members behind it are apart. */
static uint64_t made_up_size(const struct ts_type *type) {
    if (type->form == TS_FORM_ARRAY && type->count > 0 && type->count < UINT16_MAX)
        return made_up_size(type->of) * (uint64_t)type->count;
    bool has_fields = type->form == TS_FORM_RECORD && type->record->size > UNKNOWN_FIELD_SIZE;
    return has_fields ? type->record->size : UNKNOWN_FIELD_SIZE;
}

static void place_field(struct layout *layout, struct ts_field field) {
    if (is_unfinished(field.type))
        field.type = layout->u->unknown_type;
    uint64_t size = ts_size(field.type);
    uint32_t align = ts_align(field.type);
    if (!size || layout->r->fields.n >= MAX_FIELDS)
        layout->is_known = false;
    if (!size)
        size = made_up_size(field.type), align = UNKNOWN_FIELD_ALIGN;
    align = align ? align : 1;
    if (!layout->r->cls->is_union)
        layout->at = (layout->at + align - 1) / align * align;
    field.offset = layout->r->cls->is_union ? 0 : layout->at;
    if (layout->r->cls->is_union)
        layout->at = size > layout->at ? size : layout->at;
    else
        layout->at += size;
    layout->r->align = align > layout->r->align ? align : layout->r->align;
    if (layout->r->fields.n < MAX_FIELDS)
        cw_vec_push(&layout->u->scratch, &layout->r->fields, field);
}

static void place_base(struct layout *layout, TSNode name) {
    const struct ts_type *t = ts_named_type(&layout->scope, name);
    struct ts_field f = {.name = "", .type = t ? t : layout->u->unknown_type, .init = ts_none(), .is_base = true};
    if (t && t->form == TS_FORM_RECORD && t->record->is_known && !t->record->fields.n) {
        cw_vec_push(&layout->u->scratch, &layout->r->fields, f); /* an empty base takes no room */
        return;
    }
    place_field(layout, f);
}

static void place_bases(struct layout *layout) {
    TSNode clause = ts_child_of(layout->u, layout->r->cls->node, TS_BASES);
    uint32_t n = ts_node_is_null(clause) ? 0 : ts_node_named_child_count(clause);
    for (uint32_t i = 0; i < n; i++) {
        TSNode name = ts_node_named_child(clause, i);
        if (!ts_is(layout->u, name, TS_ACCESS))
            place_base(layout, name);
    }
}

/* Bit-fields keep no value: their place is that of a run of them. */
static void place_bits(struct layout *layout, struct ts_field field) {
    field.is_bit_field = true;
    layout->is_known &= ts_size(field.type) > 0;
    place_field(layout, field);
    layout->is_known = false;
}

static void place_declarators(struct layout *layout, TSNode node) {
    const struct ts_type *base = ts_declaration_type(&layout->scope, node);
    uint32_t n = ts_node_child_count(node), placed = 0;
    bool has_bits = !ts_node_is_null(ts_child_of(layout->u, node, TS_BITFIELD));
    struct ts_field last = {.name = ""};
    for (uint32_t i = 0; i < n; i++) {
        const char *role = ts_node_field_name_for_child(node, i);
        TSNode child = ts_node_child(node, i);
        if (role && strcmp(role, "default_value") == 0 && layout->r->fields.n)
            cw_vec_last(&layout->r->fields).init = child;
        if (!role || strcmp(role, "declarator") != 0)
            continue;
        placed++;
        if (!ts_node_is_null(ts_function_declarator(layout->u, child)))
            continue;
        last = (struct ts_field){.name = ts_declared_name(layout->u, child), .init = ts_none(),
                                 .type = ts_declarator_type(&layout->scope, base, child)};
        if (has_bits)
            place_bits(layout, last);
        else
            place_field(layout, last);
    }
    bool is_anonymous = !placed && base->form == TS_FORM_RECORD && !*base->record->cls->name;
    if (is_anonymous)
        place_field(layout, (struct ts_field){.name = "", .type = base, .init = ts_none()});
}

static uint32_t written_align(struct ts_unit *unit, struct ts_record *record, TSNode body) {
    static const char *const words[] = {"__align__", "alignas", "__attribute__"};
    cw_str head = ts_raw(unit, ts_node_start_byte(record->cls->node), ts_node_start_byte(body), body);
    struct ts_scope scope = {.u = unit, .env = record->env};
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

static void lay_out(struct layout *layout, TSNode body) {
    uint32_t n = ts_node_named_child_count(body);
    place_bases(layout);
    for (uint32_t i = 0; i < n; i++) {
        TSNode child = ts_node_named_child(body, i);
        if (ts_is(layout->u, child, TS_FIELD_DECLARATION) && !ts_has_word(layout->u, child, "static"))
            place_declarators(layout, child);
        layout->is_known &= !ts_is(layout->u, child, TS_ERROR);
        layout->is_known &= !ts_has_word(layout->u, child, "virtual");
    }
}

void ts_layout(struct ts_unit *unit, struct ts_record *record) {
    TSNode body = ts_field(record->cls->node, "body");
    if (record->is_laid_out || record->is_open)
        return;
    record->is_open = true;
    record->align = 1;
    struct layout l = {.u = unit, .r = record, .is_known = !ts_node_is_null(body)};
    l.scope = (struct ts_scope){.u = unit, .env = record->env, .record = record, .cls = record->cls};
    if (l.is_known)
        lay_out(&l, body);
    uint32_t align = l.is_known ? written_align(unit, record, body) : 0;
    record->align = align > record->align ? align : record->align;
    record->size = l.at ? (l.at + record->align - 1) / record->align * record->align : 1;
    record->is_known = l.is_known;
    record->is_open = false;
    record->is_laid_out = true;
}

/* ---- members ---- */

static bool find_field(struct ts_unit *unit, struct ts_record *record, const char *name, const struct ts_field **field,
                       uint64_t *offset, int depth, uint32_t *left) {
    ts_layout(unit, record);
    for (uint32_t i = 0; i < record->fields.n; i++) {
        const struct ts_field *f = &record->fields.at[i];
        if (f->name == name && *name) {
            *field = f;
            *offset += f->offset;
            return true;
        }
        uint64_t inner = *offset + f->offset;
        bool is_open = (f->is_base || !*f->name) && f->type->form == TS_FORM_RECORD && depth < MAX_NESTING;
        if (is_open && *left && (--*left, find_field(unit, f->type->record, name, field, &inner, depth + 1, left))) {
            *offset = inner;
            return true;
        }
    }
    return false;
}

bool ts_find_field(struct ts_unit *unit, struct ts_record *record, const char *name, const struct ts_field **field,
                   uint64_t *offset) {
    uint32_t left = MAX_BASES; /* bases of bases may be met on more ways than anybody can follow */
    *offset = 0;
    return find_field(unit, record, name, field, offset, 0, &left);
}

static struct ts_symbol *find_member(struct ts_unit *unit, struct ts_record *record, const char *name,
                                     struct ts_record **home, uint64_t *offset, int depth, uint32_t *left) {
    struct ts_class *c = record->cls;
    ts_class_read(unit, c);
    struct ts_symbol *found = NULL, *declared = NULL;
    for (uint32_t i = 0; i < c->members.n; i++) {
        struct ts_symbol *y = c->members.at[i];
        bool has_body = y->kind != TS_SYM_FUNCTION || !ts_node_is_null(ts_field(y->function->node, "body"));
        if (y->name == name && has_body)
            found = y;
        else if (y->name == name)
            declared = y;
    }
    *home = record;
    if (found || declared)
        return found ? found : declared;
    ts_layout(unit, record);
    for (uint32_t i = 0; i < record->fields.n && depth < MAX_NESTING; i++) {
        const struct ts_field *f = &record->fields.at[i];
        uint64_t inner = *offset + f->offset;
        if (f->is_base && f->type->form == TS_FORM_RECORD && *left &&
            (--*left, found = find_member(unit, f->type->record, name, home, &inner, depth + 1, left))) {
            *offset = inner;
            return found;
        }
    }
    return NULL;
}

struct ts_symbol *ts_find_member(struct ts_unit *unit, struct ts_record *record, const char *name,
                                 struct ts_record **home, uint64_t *offset) {
    uint32_t left = MAX_BASES;
    *offset = 0;
    return find_member(unit, record, name, home, offset, 0, &left);
}

bool ts_is_base_of(struct ts_unit *unit, struct ts_record *base, struct ts_record *derived, uint64_t *offset) {
    ts_layout(unit, derived);
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

static bool split_type(struct ts_unit *unit, const struct ts_type *type, uint64_t offset, struct ts_leaves *out,
                       int depth) {
    if (depth > MAX_NESTING || out->n >= MAX_LEAVES || out->steps++ >= MAX_STEPS) /* empty elements are no leaves */
        return false;
    if (type->form == TS_FORM_ARRAY) {
        for (int64_t i = 0; i < type->count; i++)
            if (!split_type(unit, type->of, offset + (uint64_t)i * ts_size(type->of), out, depth + 1))
                return false;
        return type->count >= 0 && ts_size(type->of);
    }
    if (type->form == TS_FORM_RECORD) {
        ts_layout(unit, type->record);
        if (!type->record->is_known || type->record->cls->is_union)
            return false;
        for (uint32_t i = 0; i < type->record->fields.n; i++) {
            const struct ts_field *f = &type->record->fields.at[i];
            bool is_empty = f->is_base && !ts_size(f->type);
            if (f->is_bit_field || (!is_empty && !split_type(unit, f->type, offset + f->offset, out, depth + 1)))
                return false;
        }
        return true;
    }
    for (uint32_t i = 0; type->form == TS_FORM_CLOSURE && i < type->closure->captures.n; i++) {
        const struct ts_capture *c = &type->closure->captures.at[i];
        const struct ts_type *field = c->is_reference ? ts_pointer_to(unit, c->variable.type) : c->variable.type;
        if (!split_type(unit, field, offset + c->offset, out, depth + 1))
            return false;
    }
    if (type->form == TS_FORM_CLOSURE)
        return true;
    if (!type->size || type->form == TS_FORM_UNKNOWN)
        return false;
    struct ts_leaf leaf = {offset, type};
    cw_vec_push(&unit->scratch, out, leaf);
    return true;
}

struct ts_leaves ts_leaves_of(struct ts_unit *unit, const struct ts_type *type) {
    struct ts_leaves out = {0};
    out.is_split = split_type(unit, type, 0, &out, 0);
    return out;
}
