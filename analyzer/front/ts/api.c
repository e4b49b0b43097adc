/* Calls of the device API: arguments as front/intrinsic_lower.c wants them, types from the texts of intrinsics.def. */
#include "front/intrinsic_lower.h"

#include "front/ts/lower.h"

#include <string.h>

enum { MAX_ARGS = 24 };

static uint32_t count_children(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

/* ---- the texts of a row ---- */

/* Parameter i of "unsigned mask, T var, int width = 32"; empty when there is none. */
static cw_str param_text(const struct cw_intrinsic *row, uint32_t index) {
    const char *at = row->params;
    uint32_t depth = 0;
    for (const char *from = at;; at++) {
        depth += *at == '<' || *at == '(';
        depth -= (*at == '>' || *at == ')') && depth;
        if ((*at == ',' && !depth) || !*at) {
            if (!index--)
                return cw_str_trim((cw_str){from, (size_t)(at - from)});
            from = at + 1;
        }
        if (!*at)
            return CW_STR("");
    }
}

static bool has_char(cw_str text, char c) {
    return text.n && memchr(text.at, c, text.n) != NULL;
}

static bool names_t(cw_str text) {
    for (size_t i = 0; i < text.n; i++)
        if (text.at[i] == 'T' &&
            (!i || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", text.at[i - 1])) &&
            (i + 1 == text.n || strchr(" *&", text.at[i + 1])))
            return true;
    return false;
}

/* Parameter texts do not count the object of a method. */
static uint32_t first_param(const struct cw_intrinsic *row) {
    return row->flags & CW_INTR_METHOD ? 1 : 0;
}

/* What T stands for: the type of the arguments that have it, by the usual conversions. */
static const struct ts_type *type_of_t(struct ts_body *body, const struct cw_intrinsic *row,
                                       const struct ts_value *values, uint32_t n) {
    const struct ts_type *found = NULL;
    for (uint32_t i = first_param(row); i < n; i++) {
        cw_str text = param_text(row, i - first_param(row));
        const struct ts_type *t = values[i].type ? ts_plain(values[i].type) : NULL;
        if (!t || !names_t(text))
            continue;
        if (has_char(text, '*'))
            t = t->form == TS_FORM_POINTER || t->form == TS_FORM_ARRAY ? t->of : NULL;
        if (!t)
            continue;
        if (has_char(text, '*') && found == NULL)
            return ts_qualified(body->u, t, false, false);
        found = found && t->form == TS_FORM_SCALAR && found->form == TS_FORM_SCALAR ? ts_common(body->u, found, t)
                : found                                                             ? found
                                                                                    : t;
    }
    bool any_type = strcmp(row->types, "*") == 0 || row->types[0] == '<';
    return found && !any_type ? ts_promoted(body->u, found) : found;
}

static const struct ts_type *unqualify_type(struct ts_body *body, const struct ts_type *type) {
    if (!type || (!type->is_const && !type->is_volatile))
        return type;
    struct ts_type *plain = CW_NEW(&body->u->scratch, struct ts_type);
    *plain = *type;
    plain->is_const = plain->is_volatile = false;
    return plain;
}

/* thread_block_tile<N, G>, coalesced_group, dim3 … */
static const struct ts_type *class_result(struct ts_body *body, const struct cw_intrinsic *row, int64_t n,
                                          const struct ts_value *first) {
    const char *name = row->result;
    size_t length = strcspn(name, "< ");
    if (row->op == CW_OP_GROUP) {
        const char *text = cw_arena_printf(&body->u->scratch, "cooperative_groups::%.*s", (int)length, name);
        bool is_tile = row->aux == CW_GROUP_TILE;
        if (is_tile && n < 0)
            text =
                first && first->type && ts_plain(first->type)->name && strstr(ts_plain(first->type)->name, "coalesced")
                    ? "cooperative_groups::coalesced_group"
                    : "cooperative_groups::thread_group";
        return ts_group_type(body->u, cw_intern(&body->u->module->names, text), is_tile ? n : -1);
    }
    struct ts_symbol *y = ts_symbols(body->u, cw_intern_n(&body->u->module->names, name, length));
    if (y && y->kind == TS_SYM_CLASS)
        return ts_record_type(body->u, ts_record_plain(body->u, y->cls, NULL));
    return NULL;
}

static const struct ts_type *result_type(struct ts_body *body, const struct cw_intrinsic *row,
                                         const struct ts_type *type, int64_t n, const struct ts_value *first) {
    cw_str text = cw_str_of(row->result);
    const struct ts_type *r = ts_type_of_words(body->u, text, type);
    if (!r)
        r = class_result(body, row, n, first);
    if (!r && cw_str_starts(text, "__half2"))
        r = body->u->unknown_type;
    if (!r && (cw_str_starts(text, "__half") || cw_str_starts(text, "__nv_bfloat16")))
        r = ts_scalar(body->u, CW_F16, true);
    return r ? unqualify_type(body, r) : body->u->unknown_type;
}

/* ---- arguments ---- */

static bool means_place(char role) {
    return role == 'o' || role == 'r' || role == 'p' || role == 'q';
}

static const char *class_name(const struct ts_type *type) {
    return type->form == TS_FORM_GROUP || type->form == TS_FORM_RECORD ? type->name : NULL;
}

static struct cw_intrinsic_arg group_argument(struct ts_body *body, struct ts_value value) {
    struct cw_intrinsic_arg out = {
        .kind = {CW_GROUP, false}, .class_name = class_name(ts_plain(value.type)), .bytes = 8};
    value = ts_rvalue(body, value);
    out.value = value.ref;
    return out;
}

static struct cw_intrinsic_arg describe_argument(struct ts_body *body, struct ts_value value, cw_str param,
                                                 const struct ts_type *type, char role) {
    const struct ts_type *own = ts_plain(value.type);
    struct cw_intrinsic_arg out = {.class_name = class_name(own), .bytes = (uint32_t)ts_size(own)};
    if (own->form == TS_FORM_GROUP)
        return group_argument(body, value);
    if (value.is_place && ((means_place(role) && has_char(param, '&')) || cw_intrinsic_is_texture(own->name))) {
        out.value = value.ref;
        out.kind.type = CW_PTR;
        out.pointee = (uint32_t)ts_size(own);
        return out;
    }
    value = ts_rvalue(body, value);
    const struct ts_type *to = ts_type_of_words(body->u, param, type);
    to = to ? ts_plain(to) : NULL;
    bool is_value =
        value.type->form == TS_FORM_SCALAR || (value.type->form == TS_FORM_UNKNOWN && value.ref.tag != CW_REF_NONE);
    if (to && to->form == TS_FORM_SCALAR && is_value) {
        value = ts_rvalue_of(ts_convert(body, value, to), to);
        out.bytes = (uint32_t)to->size;
    } else if (value.is_place && value.type->form == TS_FORM_RECORD) {
        struct ts_leaves leaves = ts_leaves_of(body->u, value.type);
        bool is_one = leaves.is_split && leaves.n == 1;
        value = is_one ? ts_rvalue_of(ts_load(body, value.ref, leaves.at[0].type), leaves.at[0].type)
                   : ts_rvalue_of(ts_load(body, value.ref, value.type), value.type);
    }
    out.value = value.ref;
    out.kind = (struct cw_kind){cw_ref_type(body->fn, value.ref), value.type->kind.is_signed};
    if (value.type->form == TS_FORM_POINTER && value.type->of)
        out.pointee = (uint32_t)ts_size(value.type->of);
    return out;
}

/* A function object says which operation by its class alone: `cg::plus<int>()`. */
static const char *functor_name(struct ts_body *body, TSNode arg) {
    TSNode name = ts_is(body->u, arg, TS_CALL)               ? ts_field(arg, "function")
                  : ts_is(body->u, arg, TS_COMPOUND_LITERAL) ? ts_field(arg, "type")
                                                          : arg;
    return ts_qualified_name(&body->s, name);
}

/* ---- the call ---- */

/* A load or store of a class (float4 through __ldg): field by field, as an ordinary copy. */
static bool object_access(struct ts_body *body, const struct cw_intrinsic *row, const struct ts_value *value,
                          uint32_t n, const struct ts_type *result, struct ts_value *out) {
    if (row->op == CW_OP_LOAD && result->form == TS_FORM_RECORD && n) {
        cw_ref at = ts_temp(body, result, "result");
        ts_copy(body, at, ts_rvalue(body, value[0]).ref, result);
        *out = ts_place_of(at, result);
        return true;
    }
    if (row->op != CW_OP_STORE || n < 2 || !value[1].is_place || value[1].type->form != TS_FORM_RECORD)
        return false;
    ts_copy(body, ts_rvalue(body, value[0]).ref, value[1].ref, value[1].type);
    *out = ts_rvalue_of(CW_NONE, body->u->void_type);
    return true;
}

static struct ts_value lower_intrinsic(struct ts_body *body, const struct cw_intrinsic *row,
                                       const struct ts_value *values, const char *const *functors, uint32_t n,
                                       int64_t template_n) {
    struct cw_intrinsic_arg args[MAX_ARGS];
    struct cw_intrinsic_call call = {.row = row, .args = args, .template_n = template_n, .scope = -1,
                                    .result_at = CW_NONE};
    const struct ts_type *t = unqualify_type(body, type_of_t(body, row, values, n));
    const struct ts_type *r = result_type(body, row, t, template_n, n ? &values[0] : NULL);
    struct ts_value out;
    if (object_access(body, row, values, n, r, &out))
        return out;
    for (uint32_t i = 0; i < n; i++) {
        char role = cw_intrinsic_role(row, i);
        cw_str param = i >= first_param(row) ? param_text(row, i - first_param(row)) : CW_STR("");
        if (functors[i])
            args[call.nargs++] = (struct cw_intrinsic_arg){.value = CW_NONE, .class_name = functors[i]};
        else
            args[call.nargs++] = describe_argument(body, values[i], param, t, role);
    }
    if (ts_is_object(r))
        call.result_at = ts_temp(body, r, "result");
    struct ts_leaves leaves = {0};
    call.result = r->kind;
    call.result_bytes = (uint32_t)ts_size(r);
    if (ts_is_object(r) && (leaves = ts_leaves_of(body->u, r)).is_split && leaves.n == 1)
        call.result = leaves.at[0].type->kind;
    struct cw_at at = body->at;
    cw_ref v = cw_intrinsic_lower(&at, &call);
    body->at.block = at.block;
    if (ts_is_object(r))
        return ts_place_of(call.result_at, r);
    return r->form == TS_FORM_VOID ? ts_rvalue_of(CW_NONE, r) : ts_rvalue_of(v, r);
}

/* Names as the table has them: with the device API's namespace when that is used, `std::min` as `min`. */
static const struct cw_intrinsic *find_intrinsic(struct ts_body *body, const char *qualified, TSNode list) {
    const struct cw_intrinsic *row = cw_intrinsic_find(qualified);
    const char *last = strrchr(qualified, ':');
    if (row)
        return row;
    if (strncmp(qualified, "std::", 5) == 0)
        return cw_intrinsic_find(qualified + 5);
    for (uint32_t i = 0; i < body->u->used.n && !row; i++)
        row = cw_intrinsic_find(cw_arena_printf(&body->u->scratch, "%s::%s", body->u->used.at[i], qualified));
    if (row || last)
        return row;
    bool may_be_cg = body->u->uses_cg;
    if (!may_be_cg && count_children(list)) {
        const struct ts_type *t = ts_infer(&body->s, ts_node_named_child(list, 0));
        may_be_cg = t && ts_plain(t)->form == TS_FORM_GROUP;
    }
    return may_be_cg ? cw_intrinsic_find(cw_arena_printf(&body->u->scratch, "cooperative_groups::%s", qualified))
                     : NULL;
}

static int64_t template_argument(struct ts_body *body, TSNode callee) {
    TSNode given = ts_template_arguments(body->u, callee);
    int64_t n;
    return count_children(given) && ts_eval(&body->s, ts_node_named_child(given, 0), &n) ? n : -1;
}

/* One member of a group runs the function. */
static bool invoke_one(struct ts_body *body, const char *qualified, TSNode list) {
    if (strcmp(qualified, "cooperative_groups::invoke_one") != 0 || count_children(list) != 2)
        return false;
    struct ts_value group = ts_scalar_of(body, ts_node_named_child(list, 0)),
                    f = ts_expr(body, ts_node_named_child(list, 1));
    uint32_t yes = cw_fn_add_block(body->fn), done = cw_fn_add_block(body->fn), loc = body->at.loc;
    cw_ref elected = cw_emit1(body->at, CW_OP_ELECT, CW_I1, 0, group.ref);
    struct cw_ins *i = cw_ins_of(body->fn, elected);
    if (i)
        i->intrinsic = cw_intrinsic_id(cw_intrinsic_find("cooperative_groups::elect_one"));
    cw_fn_branch(body->fn, body->at.block, elected, yes, done, loc, CW_FROM_IF);
    body->at.block = yes;
    struct ts_arguments none = {0};
    if (f.type->form == TS_FORM_CLOSURE)
        ts_call_closure(body, f, &none);
    else
        ts_degrade(body, CW_BAIL_INDIRECT_CALL);
    cw_at_go(body->at, done, 0, CW_FROM_NONE);
    body->at.block = done;
    return true;
}

/* What compilers know themselves. */
static bool lower_builtin(struct ts_body *body, const char *name, TSNode list, struct ts_value *out) {
    bool passes =
        strcmp(name, "__builtin_expect") == 0 || strcmp(name, "std::move") == 0 || strcmp(name, "std::forward") == 0;
    if (passes && count_children(list)) {
        *out = ts_expr(body, ts_node_named_child(list, 0));
        return true;
    }
    if (strcmp(name, "std::swap") == 0 && count_children(list) == 2) {
        struct ts_value x = ts_expr(body, ts_node_named_child(list, 0)),
                        y = ts_expr(body, ts_node_named_child(list, 1));
        struct ts_value p = ts_rvalue(body, x), q = ts_rvalue(body, y);
        if (!x.is_place || !y.is_place || ts_is_object(x.type) || ts_is_object(y.type))
            return false;
        ts_store(body, ts_convert(body, q, x.type), x.ref, x.type);
        ts_store(body, ts_convert(body, p, y.type), y.ref, y.type);
        *out = ts_rvalue_of(CW_NONE, body->u->void_type);
        return true;
    }
    return false;
}

bool ts_api_call(struct ts_body *body, TSNode callee, const char *qualified, TSNode list, struct ts_value *out) {
    struct ts_value values[MAX_ARGS];
    const char *functors[MAX_ARGS] = {NULL};
    *out = ts_rvalue_of(CW_NONE, body->u->void_type);
    if (lower_builtin(body, qualified, list, out) || invoke_one(body, qualified, list))
        return true;
    const struct cw_intrinsic *row = find_intrinsic(body, qualified, list);
    if (!row || row->flags & (CW_INTR_METHOD | CW_INTR_BODY))
        return false;
    row = cw_intrinsic_of_count(row, count_children(list));
    uint32_t n = 0;
    TSNode arg, nodes[MAX_ARGS];
    struct ts_each each = ts_each_of(&body->s, list);
    while (n < MAX_ARGS && ts_each_next(&each, &arg)) {
        nodes[n] = arg;
        values[n] = (struct ts_value){.ref = CW_NONE, .type = body->u->unknown_type};
        if (cw_intrinsic_role(row, n) == 'f')
            functors[n] = functor_name(body, arg);
        else
            values[n] = ts_expr(body, arg);
        n++;
    }
    ts_each_end(&each);
    for (uint32_t i = 0; i < n; i++) { /* objects and places stay, for roles that mean them */
        bool is_place = means_place(cw_intrinsic_role(row, i)) && has_char(param_text(row, i), '&');
        is_place |= cw_intrinsic_is_texture(ts_plain(values[i].type)->name);
        if (!functors[i] && !is_place && !ts_is_object(values[i].type)) {
            uint32_t outer = body->at.loc;
            body->at.loc = ts_loc(body, nodes[i]);
            values[i] = ts_rvalue(body, values[i]);
            body->at.loc = outer;
        }
    }
    *out = lower_intrinsic(body, row, values, functors, n, template_argument(body, callee));
    return true;
}

bool ts_api_method(struct ts_body *body, struct ts_value object, const char *name, const struct ts_arguments *args,
                   struct ts_value *out) {
    struct ts_value values[MAX_ARGS];
    const char *functors[MAX_ARGS] = {NULL};
    char text[160];
    if (!object.type->name || strlen(object.type->name) + strlen(name) + 3 > sizeof text)
        return false;
    strcpy(text, object.type->name);
    strcat(text, "::");
    strcat(text, name);
    const struct cw_intrinsic *row = cw_intrinsic_find(text);
    if (!row && strncmp(text, "cooperative_groups::", 20) == 0)
        row = cw_intrinsic_find(cw_arena_printf(&body->u->scratch, "cooperative_groups::thread_group::%s", name));
    if (!row || row->flags & CW_INTR_BODY)
        return false;
    uint32_t n = 0;
    values[n++] = object;
    for (uint32_t i = 0; i < args->n && n < MAX_ARGS; i++)
        values[n++] = args->at[i];
    *out = lower_intrinsic(body, row, values, functors, n, object.type->tile);
    return true;
}
