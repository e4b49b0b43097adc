/* Initialisation: braced lists, constructors, members. */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_ELEMENTS = 4096, MAX_CONSTRUCTED = 64 };

static uint32_t count_children(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

static void init_unknown(struct ts_body *body, TSNode value, cw_ref dest) {
    struct ts_value v = ts_node_is_null(value) || ts_is(body->u, value, TS_INITIALIZER_LIST)
                            ? ts_rvalue_of(CW_NONE, body->u->void_type)
                            : ts_expr(body, value);
    cw_at_clobber(body->at, &body->u->scratch, dest, ts_why(body, CW_BAIL_UNKNOWN_TYPE), &v.ref,
                  v.ref.tag != CW_REF_NONE);
}

/* ---- lists ---- */

static bool has_constructor(struct ts_unit *unit, struct ts_record *record) {
    ts_class_read(unit, record->cls);
    for (uint32_t i = 0; i < record->cls->members.n; i++) {
        const struct ts_symbol *y = record->cls->members.at[i];
        if (y->kind == TS_SYM_FUNCTION && y->function->is_constructor &&
            !ts_has_word(unit, y->function->node, "default"))
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
static TSNode next_element(struct ts_body *body, const struct list *list) {
    if (list->at < list->n && list->element[list->at] >= 0)
        ts_pick(&body->s, list->e[list->at], (uint32_t)list->element[list->at]);
    TSNode e = list->at < list->n ? list->e[list->at] : ts_none();
    return ts_is(body->u, e, TS_INITIALIZER_PAIR) ? ts_field(e, "value") : e;
}

static bool has_more(const struct list *list) {
    return list->at < list->n;
}

static void push_element(struct list *list, TSNode node, int32_t index) {
    if (list->n >= list->cap)
        return;
    list->e[list->n] = node;
    list->element[list->n++] = index;
}

static struct list list_of(struct ts_body *body, TSNode node) {
    struct list l = {.node = node, .cap = count_children(node)};
    for (uint32_t i = 0; i < count_children(node); i++)
        if (ts_is(body->u, ts_node_named_child(node, i), TS_EXPANSION))
            l.cap += TS_MAX_ELEMENTS;
    l.e = CW_NEW_ARRAY(&body->u->scratch, TSNode, l.cap + 1);
    l.element = CW_NEW_ARRAY(&body->u->scratch, int32_t, l.cap + 1);
    for (uint32_t i = 0; i < count_children(node); i++) {
        TSNode e = ts_node_named_child(node, i),
               pattern = ts_is(body->u, e, TS_EXPANSION) ? ts_field(e, "pattern") : ts_none();
        int64_t n = ts_node_is_null(pattern) ? -1 : ts_pack_length(&body->s, pattern);
        if (n < 0)
            push_element(&l, e, -1);
        for (int32_t k = 0; k < n; k++)
            push_element(&l, pattern, k);
    }
    return l;
}

static void fill_object(struct ts_body *b, struct list *l, cw_ref dest, const struct ts_type *t);

/* One element of an aggregate: a list of its own, a value, or the next of the outer list (braces left out). */
static void fill_part(struct ts_body *body, struct list *list, cw_ref dest, const struct ts_type *type) {
    const struct ts_env *env = body->s.env;
    uint32_t locals = body->locals.n;
    TSNode e = next_element(body, list);
    const struct ts_type *of =
        ts_is(body->u, e, TS_INITIALIZER_LIST) || !ts_is_object(type) ? type : ts_type_of_expr(&body->s, e);
    bool is_whole = of == type || (of && ts_is_object(ts_plain(of)) && ts_type_same(ts_plain(of), type));
    list->at += is_whole;
    if (is_whole)
        ts_init(body, e, dest, type);
    body->s.env = env;
    body->locals.n = locals;
    if (is_whole)
        return;
    if (body->depth >= TS_MAX_DEPTH)
        return;
    body->depth++;
    fill_object(body, list, dest, type);
    body->depth--;
}

/* `.x = 1` */
static bool fill_designated(struct ts_body *body, struct list *list, cw_ref dest, const struct ts_type *type) {
    TSNode pair = list->e[list->at], d = ts_field(pair, "designator");
    const struct ts_field *f;
    uint64_t offset;
    if (!ts_is(body->u, pair, TS_INITIALIZER_PAIR) || type->form != TS_FORM_RECORD || !ts_node_named_child_count(d))
        return false;
    const char *name = ts_name(body->u, ts_node_named_child(d, 0));
    if (!ts_find_field(body->u, type->record, name, &f, &offset))
        return false;
    ts_init(body, ts_field(pair, "value"), cw_at_offset(body->at, dest, offset), f->type);
    list->at++;
    return true;
}

/* `[4] = 9` moves on; -1: to nobody knows where. */
static int64_t index_of(struct ts_body *body, const struct list *list, int64_t next) {
    TSNode pair = list->e[list->at], d = ts_field(pair, "designator");
    int64_t value;
    if (!ts_is(body->u, pair, TS_INITIALIZER_PAIR))
        return next;
    return ts_node_named_child_count(d) == 1 && ts_eval(&body->s, ts_node_named_child(d, 0), &value) ? value : -1;
}

static void fill_object(struct ts_body *body, struct list *list, cw_ref dest, const struct ts_type *type) {
    if (type->form == TS_FORM_ARRAY) {
        uint64_t size = ts_size(type->of);
        for (int64_t i = 0; i < type->count && i < MAX_ELEMENTS && has_more(list) && size; i++) {
            i = index_of(body, list, i);
            if (i < 0 || i >= type->count) {
                cw_at_clobber(body->at, &body->u->scratch, dest, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
                return;
            }
            fill_part(body, list, cw_at_offset(body->at, dest, (uint64_t)i * size), type->of);
        }
        return;
    }
    ts_layout(body->u, type->record);
    for (uint32_t i = 0; i < type->record->fields.n && has_more(list); i++) {
        const struct ts_field *f = &type->record->fields.at[i];
        if (f->is_base && !ts_size(f->type))
            continue;
        if (!fill_designated(body, list, dest, type))
            fill_part(body, list, cw_at_offset(body->at, dest, f->offset), f->type);
        if (type->record->cls->is_union)
            break;
    }
}

/* True when the list writes every scalar, so that nothing needs clearing first. */
static bool is_complete(struct ts_body *body, TSNode list, const struct ts_type *type) {
    struct ts_leaves leaves = ts_leaves_of(body->u, type);
    if (!leaves.is_split || leaves.n != count_children(list))
        return false;
    for (uint32_t i = 0; i < count_children(list); i++)
        if (ts_is(body->u, ts_node_named_child(list, i), TS_INITIALIZER_LIST) ||
            ts_is(body->u, ts_node_named_child(list, i), TS_EXPANSION))
            return false;
    return true;
}

static void init_defaults(struct ts_body *body, cw_ref dest, const struct ts_type *type) {
    if (type->form != TS_FORM_RECORD)
        return;
    for (uint32_t i = 0; i < type->record->fields.n; i++) {
        const struct ts_field *f = &type->record->fields.at[i];
        if (!ts_node_is_null(f->init) && !f->is_bit_field)
            ts_init(body, f->init, cw_at_offset(body->at, dest, f->offset), f->type);
    }
}

static void init_list(struct ts_body *body, TSNode list, cw_ref dest, const struct ts_type *type) {
    if (!ts_is_object(type)) {
        TSNode only = count_children(list) == 1 ? ts_node_named_child(list, 0) : ts_none();
        if (!ts_node_is_null(only))
            ts_init(body, only, dest, type);
        else if (type->form == TS_FORM_UNKNOWN || type->form == TS_FORM_GROUP)
            init_unknown(body, list, dest);
        else
            ts_zero(body, dest, type);
        return;
    }
    if (type->form == TS_FORM_RECORD && (!is_aggregate(body->u, type->record, 0) || strcmp(type->name, "dim3") == 0)) {
        ts_construct(body, list, dest, type);
        return;
    }
    if (count_children(list) == 1) {
        TSNode only = ts_node_named_child(list, 0);
        const struct ts_type *of = ts_is(body->u, only, TS_INITIALIZER_LIST) ? NULL : ts_type_of_expr(&body->s, only);
        if (of && ts_type_same(ts_plain(of), type)) {
            ts_init(body, only, dest, type);
            return;
        }
    }
    if (!is_complete(body, list, type))
        ts_zero(body, dest, type);
    init_defaults(body, dest, type);
    struct list l = list_of(body, list);
    fill_object(body, &l, dest, type);
}

/* ---- constructors ---- */

static void construct_dim3(struct ts_body *body, TSNode arguments, cw_ref dest) {
    const struct ts_type *t = ts_scalar(body->u, CW_I32, false);
    for (uint32_t i = 0; i < 3; i++) {
        cw_ref v = cw_fn_const(body->fn, CW_I32, 1);
        if (i < count_children(arguments))
            v = ts_number_of(body, ts_node_named_child(arguments, i), t);
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 4, v, cw_at_offset(body->at, dest, 4 * i));
    }
}

/* Constructors with a body, in the form that ts_choose takes. */
static struct ts_symbol *list_constructors(struct ts_body *body, struct ts_record *record) {
    struct ts_symbol *chain = NULL;
    ts_class_read(body->u, record->cls);
    for (uint32_t i = 0; i < record->cls->members.n; i++) {
        struct ts_symbol *y = record->cls->members.at[i];
        struct ts_function *f = y->kind == TS_SYM_FUNCTION ? y->function : NULL;
        if (!f || !f->is_constructor || ts_node_is_null(ts_field(f->node, "body")))
            continue;
        struct ts_symbol *link = CW_NEW(&body->u->scratch, struct ts_symbol);
        *link = *y;
        link->next = chain;
        chain = link;
    }
    return chain;
}

static struct ts_function *choose_constructor(struct ts_body *body, struct ts_record *record,
                                              const struct ts_arguments *args) {
    struct ts_symbol *chain = list_constructors(body, record);
    return chain ? ts_choose(body, chain, args, false) : NULL;
}

bool ts_copy_by_user(struct ts_body *body, cw_ref to, cw_ref from, const struct ts_type *type) {
    TSNode none = ts_none();
    struct ts_value source = ts_place_of(from, type);
    struct ts_arguments args = {&source, &none, 1};
    if (type->form != TS_FORM_RECORD || body->depth >= TS_MAX_DEPTH)
        return false;
    struct ts_scope s = {.u = body->u, .env = type->record->env, .record = type->record, .cls = type->record->cls};
    for (struct ts_symbol *y = list_constructors(body, type->record); y; y = y->next) {
        TSNode list = ts_field(y->function->declarator, "parameters");
        const struct ts_type *p =
            y->function->nparams == 1 && count_children(list) ? ts_param_type(&s, ts_node_named_child(list, 0)) : NULL;
        if (!p || p->form != TS_FORM_REFERENCE || !ts_type_same(p->of, type))
            continue;
        ts_call_function(body, y->function, type->record->env, type->record, to, &args, CW_NONE);
        return true;
    }
    return false;
}

/* No constructor of its own, and none that a base would need: initialised member by member. */
static bool is_aggregate(struct ts_unit *unit, struct ts_record *record, int depth) {
    ts_layout(unit, record);
    if (has_constructor(unit, record) || depth > 8)
        return false;
    for (uint32_t i = 0; i < record->fields.n; i++)
        if (record->fields.at[i].is_base && (record->fields.at[i].type->form != TS_FORM_RECORD ||
                                        !is_aggregate(unit, record->fields.at[i].type->record, depth + 1)))
            return false;
    return true;
}

static bool is_copy(const struct ts_type *type, const struct ts_arguments *args) {
    return args->n == 1 && args->at[0].is_place && args->at[0].type->form == TS_FORM_RECORD &&
           args->at[0].type->record == type->record;
}

/* dim3 from a uint3 or another dim3 is a copy. */
static bool is_vector_copy(struct ts_body *body, TSNode arguments, const struct ts_type *type) {
    const struct ts_type *of =
        count_children(arguments) == 1 ? ts_type_of_expr(&body->s, ts_node_named_child(arguments, 0)) : NULL;
    of = of ? ts_plain(of) : NULL;
    return of && of->form == TS_FORM_RECORD && ts_size(of) == ts_size(type);
}

void ts_construct(struct ts_body *body, TSNode arguments, cw_ref dest, const struct ts_type *type) {
    if (strcmp(type->name, "dim3") == 0 && !is_vector_copy(body, arguments, type)) {
        construct_dim3(body, arguments, dest);
        return;
    }
    struct ts_arguments args = ts_arguments(body, arguments);
    struct ts_function *f = choose_constructor(body, type->record, &args);
    if (is_copy(type, &args) && ts_copy_by_user(body, dest, args.at[0].ref, type))
        return;
    if (is_copy(type, &args) || (args.n == 1 && strcmp(type->name, "dim3") == 0)) {
        ts_copy(body, dest, ts_address(body, args.at[0]), type);
        return;
    }
    if (f) {
        ts_call_function(body, f, type->record->env, type->record, dest, &args, CW_NONE);
    } else if (!args.n && is_aggregate(body->u, type->record, 0)) {
        ts_zero(body, dest, type);
        init_defaults(body, dest, type);
    } else if (is_aggregate(body->u, type->record, 0)) {
        struct list l = list_of(body, arguments);
        ts_zero(body, dest, type);
        fill_object(body, &l, dest, type);
    } else {
        ts_degrade(body, CW_BAIL_UNSUPPORTED_EXPR);
        cw_at_clobber(body->at, &body->u->scratch, dest, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), NULL, 0);
    }
}

static void default_init_record(struct ts_body *body, cw_ref dest, const struct ts_type *type) {
    struct ts_arguments none = {0};
    struct ts_function *f = choose_constructor(body, type->record, &none);
    if (f) {
        ts_call_function(body, f, type->record->env, type->record, dest, &none, CW_NONE);
        return;
    }
    if (strcmp(type->name, "dim3") == 0) {
        construct_dim3(body, ts_none(), dest);
        return;
    }
    ts_layout(body->u, type->record);
    for (uint32_t i = 0; i < type->record->fields.n && !type->record->cls->is_union; i++) {
        const struct ts_field *p = &type->record->fields.at[i];
        cw_ref at = cw_at_offset(body->at, dest, p->offset);
        if (p->is_bit_field)
            continue;
        if (!ts_node_is_null(p->init))
            ts_init(body, p->init, at, p->type);
        else
            ts_default_init(body, at, p->type);
    }
}

void ts_default_init(struct ts_body *body, cw_ref dest, const struct ts_type *type) {
    if (!ts_is_object(type) || body->depth >= TS_MAX_DEPTH || body->fn->ins.n > TS_MAX_INS)
        return;
    body->depth++;
    if (type->form == TS_FORM_RECORD) {
        default_init_record(body, dest, type);
    } else if (type->form == TS_FORM_ARRAY && type->of->form == TS_FORM_RECORD && type->count > 0 &&
               type->count <= MAX_CONSTRUCTED && ts_size(type->of)) {
        for (int64_t i = 0; i < type->count; i++)
            ts_default_init(body, cw_at_offset(body->at, dest, (uint64_t)i * ts_size(type->of)), type->of);
    }
    body->depth--;
}

/* ---- whatever stands behind the name ---- */

/* A short string is stored character by character, so that its elements are known. */
static bool init_string(struct ts_body *body, TSNode value, cw_ref dest, const struct ts_type *type) {
    cw_str text = ts_text(body->u, value);
    if (!ts_is(body->u, value, TS_STRING) || type->form != TS_FORM_ARRAY || type->of->kind.type != CW_I8)
        return false;
    if (type->count < 0 || type->count > 64 || text.n < 2 || memchr(text.at, '\\', text.n)) {
        cw_at_clobber(body->at, &body->u->scratch, dest, CW_BAIL_NONE, NULL, 0);
        return true;
    }
    for (int64_t i = 0; i < type->count; i++)
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 1,
                 cw_fn_const(body->fn, CW_I8, (size_t)i < text.n - 2 ? text.at[i + 1] : 0),
                 cw_at_offset(body->at, dest, (uint64_t)i));
    return true;
}

/* What is known as a whole (a texture's element) is stored as a whole; a scalar would go through a constructor. */
static void init_by_value(struct ts_body *body, cw_ref ref, cw_ref dest, const struct ts_type *type) {
    if (ref.tag != CW_REF_NONE && cw_ref_type(body->fn, ref) == CW_AGG && ts_size(type))
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, (uint32_t)ts_size(type), ref, dest);
    else
        cw_at_clobber(body->at, &body->u->scratch, dest, ts_why(body, CW_BAIL_UNSUPPORTED_EXPR), &ref,
                      ref.tag != CW_REF_NONE);
}

static void init_object(struct ts_body *body, TSNode value, cw_ref dest, const struct ts_type *type) {
    if (ts_is(body->u, value, TS_CALL)) {
        struct ts_value v = ts_call(body, value, dest);
        if (!ts_is_object(ts_plain(v.type)))
            init_by_value(body, v.is_place ? CW_NONE : v.ref, dest, type);
        else if (!cw_ref_eq(v.ref, dest))
            ts_copy(body, dest, v.ref, type);
        return;
    }
    struct ts_value v = ts_expr(body, value);
    if (!ts_is_object(ts_plain(v.type)) || !v.is_place) {
        init_by_value(body, v.is_place ? CW_NONE : v.ref, dest, type);
        return;
    }
    if (!ts_copy_by_user(body, dest, v.ref, type))
        ts_copy(body, dest, v.ref, type);
}

/* A type nobody knows: it may be a class, so the value is a guess; it is kept as one unknown scalar. */
static void init_opaque(struct ts_body *body, TSNode value, cw_ref dest, const struct ts_type *type) {
    if (type->form == TS_FORM_UNKNOWN && !ts_is(body->u, value, TS_ARGUMENTS)) {
        struct ts_value v = ts_scalar_of(body, value);
        if (v.type->form != TS_FORM_UNKNOWN && v.ref.tag != CW_REF_NONE && !ts_is_object(v.type)) {
            cw_ref pure = cw_emit_pure(body->at, CW_AGG, "convert", &v.ref, 1);
            ts_store(body, pure, dest, type);
            return;
        }
        if (v.ref.tag != CW_REF_NONE && !v.is_place) {
            ts_store(body, v.ref, dest, type);
            return;
        }
    }
    init_unknown(body, ts_none(), dest);
}

void ts_init(struct ts_body *body, TSNode value, cw_ref dest, const struct ts_type *type) {
    bool is_arguments = ts_is(body->u, value, TS_ARGUMENTS);
    if (ts_is(body->u, value, TS_INITIALIZER_LIST)) {
        init_list(body, value, dest, type);
    } else if (is_arguments && type->form == TS_FORM_RECORD) {
        ts_construct(body, value, dest, type);
    } else if (is_arguments && type->form != TS_FORM_UNKNOWN && count_children(value) == 1) {
        ts_init(body, ts_node_named_child(value, 0), dest, type);
    } else if (is_arguments && !count_children(value) && type->form == TS_FORM_SCALAR) {
        ts_zero(body, dest, type);
    } else if (type->form == TS_FORM_REFERENCE) {
        cw_emit2(body->at, CW_OP_STORE, CW_VOID, 8, ts_address(body, ts_expr(body, value)), dest);
    } else if (ts_is_object(type)) {
        if (!init_string(body, value, dest, type))
            init_object(body, value, dest, type);
    } else if (type->form == TS_FORM_UNKNOWN || is_arguments) {
        init_opaque(body, value, dest, type);
    } else {
        ts_store(body, ts_convert(body, ts_scalar_of(body, value), type), dest, type);
    }
}

/* ---- inside a constructor ---- */

static TSNode written_init(const struct ts_unit *unit, TSNode inits, const char *name) {
    uint32_t n = count_children(inits);
    for (uint32_t i = 0; i < n; i++) {
        TSNode one = ts_node_named_child(inits, i);
        uint32_t parts = ts_is(unit, one, TS_FIELD_INIT) ? ts_node_named_child_count(one) : 0;
        if (parts >= 2 && cw_str_is(ts_text(unit, ts_last_name(unit, ts_node_named_child(one, 0))), name))
            return ts_node_named_child(one, parts - 1);
    }
    return ts_none();
}

void ts_member_inits(struct ts_body *body, TSNode function) {
    struct ts_record *r = body->s.record;
    TSNode inits = ts_child_of(body->u, function, TS_FIELD_INITS);
    TSNode own = written_init(body->u, inits, r->cls->name);
    ts_layout(body->u, r);
    if (!ts_node_is_null(own)) { /* delegates */
        ts_construct(body, own, body->this_ptr, ts_record_type(body->u, r));
        return;
    }
    for (uint32_t i = 0; i < r->fields.n; i++) {
        const struct ts_field *f = &r->fields.at[i];
        const char *name = f->is_base && f->type->name ? f->type->name : f->name;
        TSNode value = *name ? written_init(body->u, inits, name) : ts_none();
        cw_ref at = cw_at_offset(body->at, body->this_ptr, f->offset);
        if (ts_node_is_null(value))
            value = f->init;
        if (f->is_bit_field)
            continue;
        if (ts_node_is_null(value))
            ts_default_init(body, at, f->type);
        else
            ts_init(body, value, at, f->type);
    }
}
