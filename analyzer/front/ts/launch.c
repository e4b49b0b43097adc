/* Kernel launches in host code. */
#include "front/launch_lower.h"
#include "front/ts/lower.h"

#include <string.h>

enum { FIXED = 7, MAX_OPERANDS = 96 }; /* grid and block by axis, shared bytes */

static uint32_t count_children(TSNode list) {
    return ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
}

static bool text_launches(cw_str text) {
    return text.n && (memmem(text.at, text.n, "<<<", 3) || memmem(text.at, text.n, "cudaLaunch", 10));
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool mentions_name(cw_str text, const char *word) {
    size_t n = strlen(word);
    const char *at = text.at, *end = text.at + text.n;
    while (text.n && (at = memmem(at, (size_t)(end - at), word, n))) {
        if ((at == text.at || !is_word(at[-1])) && (at + n >= end || !is_word(at[n])))
            return true;
        at += n;
    }
    return false;
}

/* Is a helper named so that it launches what it is handed: GpuLaunchKernel, launch_on_stream? */
static bool is_launcher_name(cw_str name) {
    return name.n && (memmem(name.at, name.n, "Launch", 6) || memmem(name.at, name.n, "launch", 6));
}

static bool names_kernel(const struct ts_unit *unit, cw_str text) {
    for (uint32_t i = 0; i < unit->functions.n; i++)
        if (unit->functions.at[i]->is_kernel && mentions_name(text, unit->functions.at[i]->name))
            return true;
    return false;
}

/* Callers of functions that launch launch too: that is where the block size often comes from. */
bool ts_launches(struct ts_unit *unit, const struct ts_function *function) {
    cw_str text = ts_text(unit, ts_field(function->node, "body"));
    if (text_launches(text) || (is_launcher_name(text) && names_kernel(unit, text)))
        return true;
    for (uint32_t i = 0; i < unit->launchers.n; i++)
        if (mentions_name(text, unit->launchers.at[i]))
            return true;
    return false;
}

/* ---- which kernel ---- */

static struct ts_function *kernel_named(struct ts_body *body, const char *name, uint32_t nargs, bool any_arity) {
    struct ts_function *found = NULL;
    for (struct ts_symbol *y = ts_symbols(body->u, name); y; y = y->next) {
        struct ts_function *f = y->kind == TS_SYM_FUNCTION && y->function->is_kernel ? y->function : NULL;
        bool fits = f && (any_arity || (nargs >= f->nrequired && (nargs <= f->nparams || !ts_node_is_null(f->pack))));
        if (fits && !f->is_specialisation &&
            (!found || !ts_node_is_null(ts_field(f->node, "body"))))
            found = f;
    }
    return found;
}

/* A kernel's name in an expression, through casts, `&` and a variable that holds one. */
static struct ts_function *kernel_in(struct ts_body *body, TSNode node, TSNode *named, uint32_t nargs, bool any_arity,
                                     int depth) {
    enum ts_kind k = ts_kind(body->u, node);
    if (ts_node_is_null(node) || depth > 16)
        return NULL;
    if (k == TS_IDENTIFIER || k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION || k == TS_TYPE_IDENTIFIER) {
        const char *name = ts_name(body->u, ts_last_name(body->u, node));
        const struct ts_local *l = ts_find_local(body, name);
        const struct ts_type *t = l && l->type->form == TS_FORM_POINTER ? l->type->of
                                  : l                                   ? l->type
                                                                        : body->u->unknown_type;
        if (t->form == TS_FORM_FUNCTION && t->target) /* handed to a function that launches it */
            return t->target->is_kernel ? t->target : NULL;
        if (l)
            return ts_node_is_null(l->init) ? NULL : kernel_in(body, l->init, named, nargs, any_arity, depth + 1);
        *named = node;
        return kernel_named(body, name, nargs, any_arity);
    }
    for (uint32_t i = count_children(node); i-- > 0;) {
        struct ts_function *f = kernel_in(body, ts_node_named_child(node, i), named, nargs, any_arity, depth + 1);
        if (f)
            return f;
    }
    return NULL;
}

static struct ts_instance *find_instance(struct ts_body *body, struct ts_function *function, TSNode named,
                                         const struct ts_arguments *args) {
    struct ts_env *env = NULL;
    if (!ts_node_is_null(function->tmpl)) {
        env = ts_env_make(&body->s, function->tmpl, ts_template_arguments(body->u, named), NULL);
        ts_env_deduce(&body->s, env, function, args->at, args->n);
        ts_env_defaults(&body->s, env, function->tmpl);
    }
    struct ts_record *record = function->owner ? ts_record_plain(body->u, function->owner, NULL) : NULL;
    struct ts_scope s = {.u = body->u, .env = env, .record = record, .cls = function->owner};
    bool is_open;
    if (env && (function = ts_specialised(body, function, &s, &is_open))->is_specialisation)
        env = ts_env_make(&body->s, function->tmpl, ts_none(), NULL);
    return ts_instance_of(body->u, function, env, record);
}

/* ---- operands ---- */

static void unknown_extent(struct ts_body *body, cw_ref ref, cw_ref *out) {
    for (uint32_t i = 0; i < 3; i++)
        out[i] = cw_emit_opaque(body->at, CW_I32, CW_BAIL_UNSUPPORTED_EXPR, &ref, ref.tag != CW_REF_NONE);
}

/* A dim3, or one number for its first axis. */
static void lower_dimensions(struct ts_body *body, TSNode node, cw_ref *out) {
    if (ts_is(body->u, node, TS_INITIALIZER_LIST)) {
        for (uint32_t i = 0; i < 3; i++)
            out[i] = i < count_children(node)
                         ? ts_number_of(body, ts_node_named_child(node, i), ts_scalar(body->u, CW_I32, false))
                         : cw_fn_const(body->fn, CW_I32, 1);
        return;
    }
    struct ts_value v = ts_scalar_of(body, node);
    if (v.is_place && v.type->form == TS_FORM_RECORD && ts_size(v.type) == 12) {
        cw_load_extents(body->at, v.ref, out);
    } else if (v.type->form == TS_FORM_SCALAR && v.ref.tag != CW_REF_NONE) {
        out[0] = ts_convert(body, v, ts_scalar(body->u, CW_I32, false));
        out[1] = out[2] = cw_fn_const(body->fn, CW_I32, 1);
    } else {
        unknown_extent(body, v.ref, out);
    }
}

static cw_ref shared_bytes(struct ts_body *body, TSNode node) {
    if (ts_node_is_null(node))
        return cw_fn_const(body->fn, CW_I64, 0);
    struct ts_value v = ts_scalar_of(body, node);
    if (v.type->form != TS_FORM_SCALAR || v.ref.tag == CW_REF_NONE)
        return cw_emit_opaque(body->at, CW_I64, CW_BAIL_UNSUPPORTED_EXPR, NULL, 0);
    return ts_convert(body, v, ts_scalar(body->u, CW_I64, false));
}

static cw_ref scalar_argument(struct ts_body *body, const struct ts_value *arg, const struct ts_type *type) {
    cw_ref v = arg && !ts_is_object(arg->type) ? ts_convert(body, *arg, type) : CW_NONE;
    if (v.tag == CW_REF_NONE || cw_ref_type(body->fn, v) != type->kind.type)
        v = cw_emit_opaque(body->at, type->form == TS_FORM_VOID ? CW_AGG : type->kind.type, CW_BAIL_UNSUPPORTED_EXPR,
                           NULL, 0);
    return v;
}

/* Arguments of class type are not among the kernel's scalar parameters (they are objects of their own there). */
static uint32_t scalar_arguments(struct ts_body *body, struct ts_instance *instance, const struct ts_arguments *args,
                                 cw_ref *out, uint32_t n) {
    struct ts_scope s = {.u = body->u, .env = instance->env, .record = instance->record, .cls = instance->f->owner};
    TSNode list = ts_field(instance->f->declarator, "parameters");
    uint32_t index = 0;
    for (uint32_t i = 0; i < count_children(list) && n < MAX_OPERANDS; i++) {
        TSNode p = ts_node_named_child(list, i);
        if (!ts_is(body->u, p, TS_PARAMETER) && !ts_is(body->u, p, TS_OPTIONAL_PARAMETER))
            continue;
        const struct ts_type *t = ts_param_type(&s, p);
        uint32_t at = index++;
        if (ts_is_object(t))
            continue;
        out[n++] = scalar_argument(body, at < args->n ? &args->at[at] : NULL, t);
    }
    int64_t more = ts_node_is_null(instance->f->pack) ? 0 : ts_pack_length(&s, instance->f->pack);
    for (uint32_t e = 0; (int64_t)e < more && n < MAX_OPERANDS; e++) {
        ts_pick(&s, instance->f->pack, e);
        const struct ts_type *t = ts_param_type(&s, instance->f->pack);
        s.env = instance->env;
        if (!ts_is_object(t))
            out[n++] = scalar_argument(body, index + e < args->n ? &args->at[index + e] : NULL, t);
    }
    return n;
}

/* In a module of another front end, a kernel that is not wanted goes by the key it has there. Of a template that has no
 * instance there, because nobody else saw its launch, the instance is lowered here. */
static const char *known_key(struct ts_body *body, struct ts_instance *instance) {
    const struct cw_fn *found = NULL;
    struct cw_span name =
        ts_place(body->u, ts_last_name(body->u, ts_declarator_name(body->u, instance->f->declarator))).span;
    for (uint32_t i = 0; body->u->is_partial && !instance->f->is_wanted && i < body->u->module->fns.n; i++) {
        const struct cw_fn *fn = body->u->module->fns.at[i];
        bool is_it = fn->kind == CW_FN_KERNEL && fn->name_span.file == name.file && fn->name_span.line == name.line &&
                     fn->name_span.col == name.col;
        if (is_it && (!found || strcmp(fn->name, instance->display) == 0))
            found = fn;
    }
    if (found && found->assumed && strcmp(found->name, instance->display) != 0)
        return found->pattern_key; /* a launch of the template: it counts for all instances that were assumed */
    if (found && found->is_pattern && !instance->is_pattern) {
        instance->pattern_key = found->key;
        ts_queue(body->u, instance);
        return instance->key;
    }
    return found && (found->is_pattern || strcmp(found->name, instance->display) == 0) ? found->key : instance->key;
}

/* A launch from device code (dynamic parallelism) is a call that nobody follows. */
static void emit_launch(struct ts_body *body, struct ts_instance *instance, const cw_ref *args, uint32_t n,
                        unsigned flags) {
    if (!body->u->is_partial || instance->f->is_wanted)
        ts_queue(body->u, instance);
    const char *key = body->fn->kind == CW_FN_HOST ? known_key(body, instance) : instance->key;
    cw_emit_launch(body->at, key, args, n, flags);
}

static TSNode nth_child(TSNode list, uint32_t i) {
    return i < count_children(list) ? ts_node_named_child(list, i) : ts_none();
}

bool ts_launch(struct ts_body *body, TSNode node) {
    TSNode config = ts_child_of(body->u, node, TS_LAUNCH), named = ts_none();
    cw_ref operands[MAX_OPERANDS];
    if (count_children(config) < 2)
        return false;
    lower_dimensions(body, nth_child(config, 0), operands);
    lower_dimensions(body, nth_child(config, 1), operands + 3);
    operands[6] = shared_bytes(body, nth_child(config, 2));
    struct ts_arguments args = ts_arguments(body, ts_field(node, "arguments"));
    struct ts_function *f = kernel_in(body, ts_field(node, "function"), &named, args.n, false, 0);
    if (!f)
        return true; /* of a kernel that is not here */
    struct ts_instance *k = find_instance(body, f, named, &args);
    emit_launch(body, k, operands, scalar_arguments(body, k, &args, operands, FIXED), 0);
    return true;
}

/* cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream): the arguments, behind pointers, stay unknown. */
static bool by_address(struct ts_body *body, TSNode list, bool is_cooperative) {
    TSNode named = ts_none();
    cw_ref operands[FIXED];
    struct ts_arguments none = {0};
    struct ts_function *f = kernel_in(body, nth_child(list, 0), &named, 0, true, 0);
    if (!f || count_children(list) < 3)
        return false;
    lower_dimensions(body, nth_child(list, 1), operands);
    lower_dimensions(body, nth_child(list, 2), operands + 3);
    operands[6] = shared_bytes(body, nth_child(list, 4));
    emit_launch(body, find_instance(body, f, named, &none), operands, FIXED,
                is_cooperative ? CW_INS_COOPERATIVE : 0);
    return true;
}

static bool config_field(struct ts_body *body, struct ts_value config, const char *name, cw_ref *at) {
    const struct ts_field *f;
    uint64_t offset;
    const struct ts_type *t = config.type->of;
    if (config.type->form != TS_FORM_POINTER || t->form != TS_FORM_RECORD ||
        !ts_find_field(body->u, t->record, cw_intern(&body->u->module->names, name), &f, &offset))
        return false;
    *at = cw_at_offset(body->at, config.ref, offset);
    return true;
}

static void attributes_of_config(struct ts_body *body, struct ts_value config, cw_ref out[CW_LAUNCH_ATTRIBUTES]) {
    cw_ref attributes = CW_NONE, count = CW_NONE;
    if (config_field(body, config, "attrs", &attributes))
        config_field(body, config, "numAttrs", &count);
    cw_attributes_of_config(body->at, attributes, count, out);
}

/* cudaLaunchKernelEx(&config, kernel, arguments…) */
static bool with_config(struct ts_body *body, TSNode list) {
    TSNode named = ts_none();
    cw_ref operands[MAX_OPERANDS + CW_LAUNCH_ATTRIBUTES], grid, block, bytes;
    struct ts_function *f = kernel_in(body, nth_child(list, 1), &named, 0, true, 0);
    if (!f)
        return false;
    struct ts_value config = ts_scalar_of(body, nth_child(list, 0));
    if (!config_field(body, config, "gridDim", &grid) || !config_field(body, config, "blockDim", &block) ||
        !config_field(body, config, "dynamicSmemBytes", &bytes))
        return false;
    cw_load_extents(body->at, grid, operands);
    cw_load_extents(body->at, block, operands + 3);
    operands[6] = cw_emit1(body->at, CW_OP_LOAD, CW_I64, 8, bytes);
    struct ts_arguments args = ts_arguments(body, list);
    args.at += 2, args.node += 2, args.n = args.n > 2 ? args.n - 2 : 0;
    struct ts_instance *k = find_instance(body, f, named, &args);
    uint32_t n = scalar_arguments(body, k, &args, operands, FIXED);
    attributes_of_config(body, config, operands + n);
    emit_launch(body, k, operands, n + CW_LAUNCH_ATTRIBUTES, CW_INS_ATTRIBUTES);
    return true;
}

bool ts_runtime_launch(struct ts_body *body, TSNode node, const char *name) {
    TSNode list = ts_field(node, "arguments");
    if (strcmp(name, "cudaLaunchKernelEx") == 0)
        return with_config(body, list);
    if (strcmp(name, "cudaLaunchKernel") == 0)
        return by_address(body, list, false);
    return strcmp(name, "cudaLaunchCooperativeKernel") == 0 && by_address(body, list, true);
}

/* The helper of a framework whose header is missing, in the order that all of them have: kernel, grid, block, shared
 * bytes and stream, or neither of these, then the kernel's arguments. */
bool ts_helper_launch(struct ts_body *body, TSNode node, const char *name) {
    enum { WITHOUT_STREAM = 3, WITH_STREAM = 5 };
    TSNode list = ts_field(node, "arguments"), named = ts_none();
    cw_ref operands[MAX_OPERANDS + 1];
    struct ts_function *f = is_launcher_name(cw_str_of(name))
                                ? kernel_in(body, nth_child(list, 0), &named, 0, true, 0)
                                : NULL;
    uint32_t first = f ? count_children(list) - f->nparams : 0;
    if (first != WITHOUT_STREAM && first != WITH_STREAM)
        return false;
    lower_dimensions(body, nth_child(list, 1), operands);
    lower_dimensions(body, nth_child(list, 2), operands + 3);
    operands[6] = shared_bytes(body, first == WITH_STREAM ? nth_child(list, 3) : ts_none());
    struct ts_arguments args = ts_arguments(body, list);
    args.at += first, args.node += first, args.n = args.n > first ? args.n - first : 0;
    struct ts_instance *k = find_instance(body, f, named, &args);
    emit_launch(body, k, operands, scalar_arguments(body, k, &args, operands, FIXED), 0);
    return true;
}
