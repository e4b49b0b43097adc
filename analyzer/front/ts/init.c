/* Initialisation: braced lists, constructors, members. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_ELEMENTS = 4096, MAX_CONSTRUCTED = 64 };

static uint32_t count(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

static void init_unknown(struct ts_body *b, TSNode value, cw_ref dest) {
    struct ts_value v = ts_node_is_null(value) || ts_is(b->u, value, TS_INITIALIZER_LIST)
                            ? ts_rvalue_of(CW_NONE, b->u->void_type)
                            : ts_expr(b, value);
    ts_clobber(b, dest, ts_why(b, CW_BAIL_UNKNOWN_TYPE), &v.ref, v.ref.tag != CW_REF_NONE);
}

/* ---- lists ---- */

static bool has_constructor(struct ts_unit *u, struct ts_record *r) {
    ts_class_read(u, r->cls);
    for (uint32_t i = 0; i < r->cls->members.n; i++) {
        const struct ts_symbol *y = r->cls->members.at[i];
        if (y->kind == TS_SYM_FUNCTION && y->function->is_constructor && !ts_has_word(u, y->function->node, "default"))
            return true;
    }
    return false;
}

static bool is_aggregate(struct ts_unit *u, struct ts_record *r, int depth);

struct list {
    TSNode node, *e;
    int32_t *element; /* of an expansion's pattern: which element; -1 of what stands alone */
    uint32_t n, cap;
    uint32_t at; /* next element */
};

/* The next one; of `pattern...` one element after the other, with the scope that each needs. */
static TSNode element(struct ts_body *b, const struct list *l) {
    if (l->at < l->n && l->element[l->at] >= 0)
        ts_pick(&b->s, l->e[l->at], (uint32_t)l->element[l->at]);
    TSNode e = l->at < l->n ? l->e[l->at] : ts_none();
    return ts_is(b->u, e, TS_INITIALIZER_PAIR) ? ts_field(e, "value") : e;
}

static bool has_more(const struct list *l) {
    return l->at < l->n;
}

static void push_element(struct list *l, TSNode e, int32_t index) {
    if (l->n >= l->cap)
        return;
    l->e[l->n] = e;
    l->element[l->n++] = index;
}

static struct list list_of(struct ts_body *b, TSNode node) {
    struct list l = {.node = node, .cap = count(node)};
    for (uint32_t i = 0; i < count(node); i++)
        if (ts_is(b->u, ts_node_named_child(node, i), TS_EXPANSION))
            l.cap += TS_MAX_ELEMENTS;
    l.e = CW_NEW_ARRAY(&b->u->scratch, TSNode, l.cap + 1);
    l.element = CW_NEW_ARRAY(&b->u->scratch, int32_t, l.cap + 1);
    for (uint32_t i = 0; i < count(node); i++) {
        TSNode e = ts_node_named_child(node, i),
               pattern = ts_is(b->u, e, TS_EXPANSION) ? ts_field(e, "pattern") : ts_none();
        int64_t n = ts_node_is_null(pattern) ? -1 : ts_pack_length(&b->s, pattern);
        if (n < 0)
            push_element(&l, e, -1);
        for (int32_t k = 0; k < n; k++)
            push_element(&l, pattern, k);
    }
    return l;
}

static void fill(struct ts_body *b, struct list *l, cw_ref dest, const struct ts_type *t);

/* One element of an aggregate: a list of its own, a value, or the next of the outer list (braces left out). */
static void fill_part(struct ts_body *b, struct list *l, cw_ref dest, const struct ts_type *t) {
    const struct ts_env *env = b->s.env;
    uint32_t locals = b->locals.n;
    TSNode e = element(b, l);
    const struct ts_type *of = ts_is(b->u, e, TS_INITIALIZER_LIST) || !ts_is_object(t) ? t : ts_type_of_expr(&b->s, e);
    bool is_whole = of == t || (of && ts_is_object(ts_plain(of)) && ts_type_same(ts_plain(of), t));
    l->at += is_whole;
    if (is_whole)
        ts_init(b, e, dest, t);
    b->s.env = env;
    b->locals.n = locals;
    if (is_whole)
        return;
    if (b->depth >= TS_MAX_DEPTH)
        return;
    b->depth++;
    fill(b, l, dest, t);
    b->depth--;
}

/* `.x = 1` */
static bool designated(struct ts_body *b, struct list *l, cw_ref dest, const struct ts_type *t) {
    TSNode pair = l->e[l->at], d = ts_field(pair, "designator");
    const struct ts_field *f;
    uint64_t offset;
    if (!ts_is(b->u, pair, TS_INITIALIZER_PAIR) || t->form != TS_FORM_RECORD || !ts_node_named_child_count(d))
        return false;
    const char *name = ts_name(b->u, ts_node_named_child(d, 0));
    if (!ts_find_field(b->u, t->record, name, &f, &offset))
        return false;
    ts_init(b, ts_field(pair, "value"), ts_offset(b, dest, offset), f->type);
    l->at++;
    return true;
}

/* `[4] = 9` moves on; -1: to nobody knows where. */
static int64_t index_of(struct ts_body *b, const struct list *l, int64_t next) {
    TSNode pair = l->e[l->at], d = ts_field(pair, "designator");
    int64_t value;
    if (!ts_is(b->u, pair, TS_INITIALIZER_PAIR))
        return next;
    return ts_node_named_child_count(d) == 1 && ts_eval(&b->s, ts_node_named_child(d, 0), &value) ? value : -1;
}

static void fill(struct ts_body *b, struct list *l, cw_ref dest, const struct ts_type *t) {
    if (t->form == TS_FORM_ARRAY) {
        uint64_t size = ts_size(t->of);
        for (int64_t i = 0; i < t->count && i < MAX_ELEMENTS && has_more(l) && size; i++) {
            i = index_of(b, l, i);
            if (i < 0 || i >= t->count) {
                ts_clobber(b, dest, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
                return;
            }
            fill_part(b, l, ts_offset(b, dest, (uint64_t)i * size), t->of);
        }
        return;
    }
    ts_layout(b->u, t->record);
    for (uint32_t i = 0; i < t->record->fields.n && has_more(l); i++) {
        const struct ts_field *f = &t->record->fields.at[i];
        if (f->is_base && !ts_size(f->type))
            continue;
        if (!designated(b, l, dest, t))
            fill_part(b, l, ts_offset(b, dest, f->offset), f->type);
        if (t->record->cls->is_union)
            break;
    }
}

/* True when the list writes every scalar, so that nothing needs clearing first. */
static bool is_complete(struct ts_body *b, TSNode list, const struct ts_type *t) {
    struct ts_leaves leaves = ts_leaves_of(b->u, t);
    if (!leaves.is_split || leaves.n != count(list))
        return false;
    for (uint32_t i = 0; i < count(list); i++)
        if (ts_is(b->u, ts_node_named_child(list, i), TS_INITIALIZER_LIST) ||
            ts_is(b->u, ts_node_named_child(list, i), TS_EXPANSION))
            return false;
    return true;
}

static void init_defaults(struct ts_body *b, cw_ref dest, const struct ts_type *t) {
    if (t->form != TS_FORM_RECORD)
        return;
    for (uint32_t i = 0; i < t->record->fields.n; i++) {
        const struct ts_field *f = &t->record->fields.at[i];
        if (!ts_node_is_null(f->init) && !f->is_bit_field)
            ts_init(b, f->init, ts_offset(b, dest, f->offset), f->type);
    }
}

static void init_list(struct ts_body *b, TSNode list, cw_ref dest, const struct ts_type *t) {
    if (!ts_is_object(t)) {
        TSNode only = count(list) == 1 ? ts_node_named_child(list, 0) : ts_none();
        if (!ts_node_is_null(only))
            ts_init(b, only, dest, t);
        else if (t->form == TS_FORM_UNKNOWN || t->form == TS_FORM_GROUP)
            init_unknown(b, list, dest);
        else
            ts_zero(b, dest, t);
        return;
    }
    if (t->form == TS_FORM_RECORD && (!is_aggregate(b->u, t->record, 0) || strcmp(t->name, "dim3") == 0)) {
        ts_construct(b, list, dest, t);
        return;
    }
    if (count(list) == 1) {
        TSNode only = ts_node_named_child(list, 0);
        const struct ts_type *of = ts_is(b->u, only, TS_INITIALIZER_LIST) ? NULL : ts_type_of_expr(&b->s, only);
        if (of && ts_type_same(ts_plain(of), t)) {
            ts_init(b, only, dest, t);
            return;
        }
    }
    if (!is_complete(b, list, t))
        ts_zero(b, dest, t);
    init_defaults(b, dest, t);
    struct list l = list_of(b, list);
    fill(b, &l, dest, t);
}

/* ---- constructors ---- */

static void construct_dim3(struct ts_body *b, TSNode arguments, cw_ref dest) {
    const struct ts_type *t = ts_scalar(b->u, CW_I32, false);
    for (uint32_t i = 0; i < 3; i++) {
        cw_ref v = cw_fn_const(b->fn, CW_I32, 1);
        if (i < count(arguments))
            v = ts_number_of(b, ts_node_named_child(arguments, i), t);
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 4, v, ts_offset(b, dest, 4 * i));
    }
}

/* Constructors with a body, in the form that ts_choose takes. */
static struct ts_symbol *constructors(struct ts_body *b, struct ts_record *r) {
    struct ts_symbol *chain = NULL;
    ts_class_read(b->u, r->cls);
    for (uint32_t i = 0; i < r->cls->members.n; i++) {
        struct ts_symbol *y = r->cls->members.at[i];
        struct ts_function *f = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        if (!f || !f->is_constructor || ts_node_is_null(ts_field(f->node, "body")))
            continue;
        struct ts_symbol *link = CW_NEW(&b->u->scratch, struct ts_symbol);
        *link = *y;
        link->next = chain;
        chain = link;
    }
    return chain;
}

static struct ts_function *constructor(struct ts_body *b, struct ts_record *r, const struct ts_arguments *args) {
    struct ts_symbol *chain = constructors(b, r);
    return chain ? ts_choose(b, chain, args, false) : NULL;
}

bool ts_copy_by_user(struct ts_body *b, cw_ref to, cw_ref from, const struct ts_type *t) {
    TSNode none = ts_none();
    struct ts_value source = ts_place_of(from, t);
    struct ts_arguments args = {&source, &none, 1};
    if (t->form != TS_FORM_RECORD || b->depth >= TS_MAX_DEPTH)
        return false;
    struct ts_scope s = {.u = b->u, .env = t->record->env, .record = t->record, .cls = t->record->cls};
    for (struct ts_symbol *y = constructors(b, t->record); y; y = y->next) {
        TSNode list = ts_field(y->function->declarator, "parameters");
        const struct ts_type *p =
            y->function->nparams == 1 && count(list) ? ts_param_type(&s, ts_node_named_child(list, 0)) : NULL;
        if (!p || p->form != TS_FORM_REFERENCE || !ts_type_same(p->of, t))
            continue;
        ts_call_function(b, y->function, t->record->env, t->record, to, &args, CW_NONE);
        return true;
    }
    return false;
}

/* No constructor of its own, and none that a base would need: initialised member by member. */
static bool is_aggregate(struct ts_unit *u, struct ts_record *r, int depth) {
    ts_layout(u, r);
    if (has_constructor(u, r) || depth > 8)
        return false;
    for (uint32_t i = 0; i < r->fields.n; i++)
        if (r->fields.at[i].is_base && (r->fields.at[i].type->form != TS_FORM_RECORD ||
                                        !is_aggregate(u, r->fields.at[i].type->record, depth + 1)))
            return false;
    return true;
}

static bool copies(const struct ts_type *t, const struct ts_arguments *args) {
    return args->n == 1 && args->at[0].is_place && args->at[0].type->form == TS_FORM_RECORD &&
           args->at[0].type->record == t->record;
}

/* dim3 from a uint3 or another dim3 is a copy. */
static bool is_vector_copy(struct ts_body *b, TSNode arguments, const struct ts_type *t) {
    const struct ts_type *of = count(arguments) == 1 ? ts_type_of_expr(&b->s, ts_node_named_child(arguments, 0)) : NULL;
    of = of ? ts_plain(of) : NULL;
    return of && of->form == TS_FORM_RECORD && ts_size(of) == ts_size(t);
}

void ts_construct(struct ts_body *b, TSNode arguments, cw_ref dest, const struct ts_type *t) {
    if (strcmp(t->name, "dim3") == 0 && !is_vector_copy(b, arguments, t)) {
        construct_dim3(b, arguments, dest);
        return;
    }
    struct ts_arguments args = ts_arguments(b, arguments);
    struct ts_function *f = constructor(b, t->record, &args);
    if (copies(t, &args) && ts_copy_by_user(b, dest, args.at[0].ref, t))
        return;
    if (copies(t, &args) || (args.n == 1 && strcmp(t->name, "dim3") == 0)) {
        ts_copy(b, dest, ts_address(b, args.at[0]), t);
        return;
    }
    if (f) {
        ts_call_function(b, f, t->record->env, t->record, dest, &args, CW_NONE);
    } else if (!args.n && is_aggregate(b->u, t->record, 0)) {
        ts_zero(b, dest, t);
        init_defaults(b, dest, t);
    } else if (is_aggregate(b->u, t->record, 0)) {
        struct list l = list_of(b, arguments);
        ts_zero(b, dest, t);
        fill(b, &l, dest, t);
    } else {
        ts_degrade(b, CW_BAIL_UNSUPPORTED_EXPR);
        ts_clobber(b, dest, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
}

static void default_init_record(struct ts_body *b, cw_ref dest, const struct ts_type *t) {
    struct ts_arguments none = {0};
    struct ts_function *f = constructor(b, t->record, &none);
    if (f) {
        ts_call_function(b, f, t->record->env, t->record, dest, &none, CW_NONE);
        return;
    }
    if (strcmp(t->name, "dim3") == 0) {
        construct_dim3(b, ts_none(), dest);
        return;
    }
    ts_layout(b->u, t->record);
    for (uint32_t i = 0; i < t->record->fields.n && !t->record->cls->is_union; i++) {
        const struct ts_field *p = &t->record->fields.at[i];
        cw_ref at = ts_offset(b, dest, p->offset);
        if (p->is_bit_field)
            continue;
        if (!ts_node_is_null(p->init))
            ts_init(b, p->init, at, p->type);
        else
            ts_default_init(b, at, p->type);
    }
}

void ts_default_init(struct ts_body *b, cw_ref dest, const struct ts_type *t) {
    if (!ts_is_object(t) || b->depth >= TS_MAX_DEPTH || b->fn->ins.n > TS_MAX_INS)
        return;
    b->depth++;
    if (t->form == TS_FORM_RECORD) {
        default_init_record(b, dest, t);
    } else if (t->form == TS_FORM_ARRAY && t->of->form == TS_FORM_RECORD && t->count > 0 &&
               t->count <= MAX_CONSTRUCTED && ts_size(t->of)) {
        for (int64_t i = 0; i < t->count; i++)
            ts_default_init(b, ts_offset(b, dest, (uint64_t)i * ts_size(t->of)), t->of);
    }
    b->depth--;
}

/* ---- whatever stands behind the name ---- */

/* A short string is stored character by character, so that its elements are known. */
static bool init_string(struct ts_body *b, TSNode value, cw_ref dest, const struct ts_type *t) {
    cw_str text = ts_text(b->u, value);
    if (!ts_is(b->u, value, TS_STRING) || t->form != TS_FORM_ARRAY || t->of->kind.type != CW_I8)
        return false;
    if (t->count < 0 || t->count > 64 || text.n < 2 || memchr(text.at, '\\', text.n)) {
        ts_clobber(b, dest, CW_BAIL_NONE, NULL, 0);
        return true;
    }
    for (int64_t i = 0; i < t->count; i++)
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 1, cw_fn_const(b->fn, CW_I8, (size_t)i < text.n - 2 ? text.at[i + 1] : 0),
                 ts_offset(b, dest, (uint64_t)i));
    return true;
}

/* What is known as a whole (a texture's element) is stored as a whole; a scalar would go through a constructor. */
static void init_by_value(struct ts_body *b, cw_ref v, cw_ref dest, const struct ts_type *t) {
    if (v.tag != CW_REF_NONE && cw_ref_type(b->fn, v) == CW_AGG && ts_size(t))
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(t), v, dest);
    else
        ts_clobber(b, dest, ts_why(b, CW_BAIL_UNSUPPORTED_EXPR), &v, v.tag != CW_REF_NONE);
}

static void init_object(struct ts_body *b, TSNode value, cw_ref dest, const struct ts_type *t) {
    if (ts_is(b->u, value, TS_CALL)) {
        struct ts_value v = ts_call(b, value, dest);
        if (!ts_is_object(ts_plain(v.type)))
            init_by_value(b, v.is_place ? CW_NONE : v.ref, dest, t);
        else if (!cw_ref_eq(v.ref, dest))
            ts_copy(b, dest, v.ref, t);
        return;
    }
    struct ts_value v = ts_expr(b, value);
    if (!ts_is_object(ts_plain(v.type)) || !v.is_place) {
        init_by_value(b, v.is_place ? CW_NONE : v.ref, dest, t);
        return;
    }
    if (!ts_copy_by_user(b, dest, v.ref, t))
        ts_copy(b, dest, v.ref, t);
}

/* A type nobody knows: it may be a class, so the value is a guess; it is kept as one unknown scalar. */
static void init_opaque(struct ts_body *b, TSNode value, cw_ref dest, const struct ts_type *t) {
    if (t->form == TS_FORM_UNKNOWN && !ts_is(b->u, value, TS_ARGUMENTS)) {
        struct ts_value v = ts_scalar_of(b, value);
        if (v.type->form != TS_FORM_UNKNOWN && v.ref.tag != CW_REF_NONE && !ts_is_object(v.type)) {
            cw_ref pure = cw_emit_pure(b->at, CW_AGG, "convert", &v.ref, 1);
            ts_store(b, pure, dest, t);
            return;
        }
        if (v.ref.tag != CW_REF_NONE && !v.is_place) {
            ts_store(b, v.ref, dest, t);
            return;
        }
    }
    init_unknown(b, ts_none(), dest);
}

void ts_init(struct ts_body *b, TSNode value, cw_ref dest, const struct ts_type *t) {
    bool is_arguments = ts_is(b->u, value, TS_ARGUMENTS);
    if (ts_is(b->u, value, TS_INITIALIZER_LIST)) {
        init_list(b, value, dest, t);
    } else if (is_arguments && t->form == TS_FORM_RECORD) {
        ts_construct(b, value, dest, t);
    } else if (is_arguments && t->form != TS_FORM_UNKNOWN && count(value) == 1) {
        ts_init(b, ts_node_named_child(value, 0), dest, t);
    } else if (is_arguments && !count(value) && t->form == TS_FORM_SCALAR) {
        ts_zero(b, dest, t);
    } else if (t->form == TS_FORM_REFERENCE) {
        cw_emit2(b->at, CW_OP_STORE, CW_VOID, 8, ts_address(b, ts_expr(b, value)), dest);
    } else if (ts_is_object(t)) {
        if (!init_string(b, value, dest, t))
            init_object(b, value, dest, t);
    } else if (t->form == TS_FORM_UNKNOWN || is_arguments) {
        init_opaque(b, value, dest, t);
    } else {
        ts_store(b, ts_convert(b, ts_scalar_of(b, value), t), dest, t);
    }
}

/* ---- inside a constructor ---- */

static TSNode written_init(const struct ts_unit *u, TSNode inits, const char *name) {
    uint32_t n = count(inits);
    for (uint32_t i = 0; i < n; i++) {
        TSNode one = ts_node_named_child(inits, i);
        uint32_t parts = ts_is(u, one, TS_FIELD_INIT) ? ts_node_named_child_count(one) : 0;
        if (parts >= 2 && cw_str_is(ts_text(u, ts_last_name(u, ts_node_named_child(one, 0))), name))
            return ts_node_named_child(one, parts - 1);
    }
    return ts_none();
}

void ts_member_inits(struct ts_body *b, TSNode function) {
    struct ts_record *r = b->s.record;
    TSNode inits = ts_child_of(b->u, function, TS_FIELD_INITS);
    TSNode own = written_init(b->u, inits, r->cls->name);
    ts_layout(b->u, r);
    if (!ts_node_is_null(own)) { /* delegates */
        ts_construct(b, own, b->this_ptr, ts_record_type(b->u, r));
        return;
    }
    for (uint32_t i = 0; i < r->fields.n; i++) {
        const struct ts_field *f = &r->fields.at[i];
        const char *name = f->is_base && f->type->name ? f->type->name : f->name;
        TSNode value = *name ? written_init(b->u, inits, name) : ts_none();
        cw_ref at = ts_offset(b, b->this_ptr, f->offset);
        if (ts_node_is_null(value))
            value = f->init;
        if (f->is_bit_field)
            continue;
        if (ts_node_is_null(value))
            ts_default_init(b, at, f->type);
        else
            ts_init(b, value, at, f->type);
    }
}
