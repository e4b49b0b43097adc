/* What the text declares: names of functions, classes, variables and types, with all namespaces as one.
 *
 * Nothing is lowered or evaluated here. Names of namespaces are kept for the device API only ("cg::" may stand for
 * "cooperative_groups::"): two user functions of one name in different namespaces are told apart by their parameters.
 */
#include "front/ts/lower.h"

#include <string.h>

enum { MAX_DECLARATOR = 40 };

static struct ts_symbol *add_symbol(struct ts_unit *unit, enum ts_symbol_kind kind, const char *name, TSNode node,
                                    struct ts_class *owner) {
    struct ts_symbol *s = CW_NEW(&unit->scratch, struct ts_symbol);
    *s = (struct ts_symbol){.kind = kind, .name = name, .node = node, .owner = owner};
    if (owner) {
        cw_vec_push(&unit->scratch, &owner->members, s);
        return s;
    }
    s->next = ts_symbols(unit, name);
    cw_map_put(&unit->symbols, (uint64_t)(uintptr_t)name, (uint64_t)(uintptr_t)s);
    return s;
}

/* ---- declarators ---- */

static TSNode inner_declarator(const struct ts_unit *unit, TSNode node) {
    TSNode inner = ts_field(node, "declarator");
    enum ts_kind k = ts_kind(unit, node);
    bool is_wrapper = k == TS_REFERENCE_DECLARATOR || k == TS_PAREN_DECLARATOR || k == TS_POINTER_DECLARATOR ||
                      k == TS_ATTRIBUTED || k == TS_VARIADIC_DECLARATOR;
    if (ts_node_is_null(inner) && is_wrapper && ts_node_named_child_count(node))
        inner = ts_node_named_child(node, ts_node_named_child_count(node) - 1);
    return inner;
}

TSNode ts_declarator_name(const struct ts_unit *unit, TSNode declarator) {
    for (int i = 0; i < MAX_DECLARATOR && !ts_node_is_null(declarator); i++) {
        TSNode inner = inner_declarator(unit, declarator);
        if (ts_node_is_null(inner))
            break;
        declarator = inner;
    }
    return declarator;
}

TSNode ts_function_declarator(const struct ts_unit *unit, TSNode declarator) {
    for (int i = 0; i < MAX_DECLARATOR && !ts_node_is_null(declarator); i++) {
        if (ts_is(unit, declarator, TS_FUNCTION_DECLARATOR)) {
            TSNode inner = inner_declarator(unit, declarator); /* a pointer to a function is a variable */
            return ts_is(unit, inner, TS_PAREN_DECLARATOR) ? ts_none() : declarator;
        }
        declarator = inner_declarator(unit, declarator);
    }
    return ts_none();
}

TSNode ts_last_name(const struct ts_unit *unit, TSNode name) {
    for (int i = 0; i < MAX_DECLARATOR; i++) {
        enum ts_kind k = ts_kind(unit, name);
        TSNode inner = ts_none();
        if (k == TS_QUALIFIED || k == TS_TEMPLATE_FUNCTION || k == TS_TEMPLATE_TYPE || k == TS_TEMPLATE_METHOD)
            inner = ts_field(name, "name");
        else if ((k == TS_DEPENDENT_NAME || k == TS_DEPENDENT_TYPE) && ts_node_named_child_count(name))
            inner = ts_node_named_child(name, 0);
        if (ts_node_is_null(inner))
            break;
        name = inner;
    }
    return name;
}

TSNode ts_template_arguments(const struct ts_unit *unit, TSNode name) {
    for (int i = 0; i < MAX_DECLARATOR; i++) {
        enum ts_kind k = ts_kind(unit, name);
        if (k == TS_TEMPLATE_FUNCTION || k == TS_TEMPLATE_TYPE || k == TS_TEMPLATE_METHOD)
            return ts_field(name, "arguments");
        TSNode inner = ts_none();
        if (k == TS_QUALIFIED)
            inner = ts_field(name, "name");
        else if ((k == TS_DEPENDENT_NAME || k == TS_DEPENDENT_TYPE) && ts_node_named_child_count(name))
            inner = ts_node_named_child(name, 0);
        if (ts_node_is_null(inner))
            break;
        name = inner;
    }
    return ts_none();
}

const char *ts_declared_name(struct ts_unit *unit, TSNode declarator) {
    TSNode name = ts_last_name(unit, ts_declarator_name(unit, declarator));
    char text[64];
    enum ts_kind k = ts_kind(unit, name);
    bool is_abstract = k == TS_ABSTRACT_POINTER || k == TS_ABSTRACT_REFERENCE || k == TS_ABSTRACT_ARRAY ||
                       k == TS_ABSTRACT_FUNCTION || k == TS_ABSTRACT_PAREN || k == TS_PAREN_DECLARATOR ||
                       k == TS_REFERENCE_DECLARATOR || k == TS_POINTER_DECLARATOR;
    if (is_abstract)
        return "";
    if (k == TS_OPERATOR_NAME) { /* `operator ()` with or without a blank */
        ts_operator(unit, name, text, sizeof text);
        return cw_intern(&unit->module->names, text);
    }
    return ts_name(unit, name);
}

/* ---- functions ---- */

cw_str ts_head(const struct ts_unit *unit, TSNode function) {
    TSNode body = ts_field(function, "body");
    uint32_t from = ts_node_start_byte(function),
             to = ts_node_is_null(body) ? ts_node_end_byte(function) : ts_node_start_byte(body);
    const struct ts_part *part = ts_part_of(unit, function);
    while (from > 0 && !strchr(";{}", part->raw[from - 1]))
        from--; /* masked words before it */
    return ts_raw(unit, from, to, function);
}

static bool mentions_word(cw_str text, const char *word) {
    size_t n = strlen(word);
    const char *at = text.at, *end = text.at + text.n;
    while (text.n && (at = memmem(at, (size_t)(end - at), word, n))) {
        char before = at > text.at ? at[-1] : ' ', after = at + n < end ? at[n] : ' ';
        if (!((before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_') &&
            !((after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z') || after == '_'))
            return true;
        at += n;
    }
    return false;
}

static void count_params(struct ts_unit *unit, struct ts_function *function) {
    TSNode list = ts_field(function->declarator, "parameters");
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode p = ts_node_named_child(list, i);
        enum ts_kind k = ts_kind(unit, p);
        bool is_void = k == TS_PARAMETER && cw_str_is(ts_text(unit, p), "void");
        if ((k != TS_PARAMETER && k != TS_OPTIONAL_PARAMETER && k != TS_VARIADIC_PARAMETER) || is_void)
            continue;
        if (k == TS_VARIADIC_PARAMETER)
            function->pack = p;
        function->nparams += k != TS_VARIADIC_PARAMETER;
        function->nrequired += k == TS_PARAMETER;
    }
    function->is_variadic = !ts_node_is_null(list) && memmem(ts_text(unit, list).at, ts_text(unit, list).n, "...", 3);
}

static bool is_in_main_file(const struct ts_unit *unit, TSNode node) {
    const struct ts_part *part = ts_part_of(unit, node);
    uint32_t t = ts_part_token(part, ts_node_start_byte(node));
    return part == unit->main_part && t < part->tokens.n && part->tokens.at[t].file == 0;
}

static void add_function(struct ts_unit *unit, TSNode node, TSNode declarator, TSNode tmpl, struct ts_class *owner) {
    if (unit->functions.n >= 20000)
        return;
    struct ts_function *f = CW_NEW(&unit->scratch, struct ts_function);
    cw_str head = ts_head(unit, node);
    bool is_conversion = ts_is(unit, declarator, TS_ABSTRACT_FUNCTION);
    const char *name =
        is_conversion ? cw_intern(&unit->module->names, TS_CONVERSION) : ts_declared_name(unit, declarator);
    *f = (struct ts_function){.name = name, .node = node, .tmpl = tmpl, .declarator = declarator,
                              .owner = owner, .index = unit->functions.n, .is_main = is_in_main_file(unit, node)};
    f->is_kernel = mentions_word(head, "__global__");
    f->is_device = f->is_kernel || mentions_word(head, "__device__");
    f->is_host = !f->is_device || mentions_word(head, "__host__");
    f->is_static_scope = !owner && ts_has_word(unit, node, "static");
    f->is_static = owner && ts_has_word(unit, node, "static");
    f->is_constructor = owner && f->name == owner->name && ts_node_is_null(ts_field(node, "type"));
    f->is_deleted =
        memmem(ts_text(unit, node).at, ts_text(unit, node).n, "= delete", 8) && ts_node_is_null(ts_field(node, "body"));
    f->never_returns = (head.n && memmem(head.at, head.n, "noreturn", 8)) || mentions_word(head, "_Noreturn");
    f->is_specialisation = !ts_node_is_null(tmpl) && !ts_node_named_child_count(tmpl);
    f->pack = ts_none();
    count_params(unit, f);
    struct ts_symbol *s = add_symbol(unit, TS_SYM_FUNCTION, f->name, node, owner);
    s->function = f;
    cw_vec_push(&unit->scratch, &unit->functions, f);
}

/* ---- classes and enumerations ---- */

static void add_enum(struct ts_unit *unit, TSNode node, struct ts_class *owner) {
    TSNode name = ts_field(node, "name"), list = ts_field(node, "body");
    if (!ts_node_is_null(name))
        add_symbol(unit, TS_SYM_ENUM, ts_name(unit, name), node, owner);
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++) {
        TSNode e = ts_node_named_child(list, i);
        if (ts_is(unit, e, TS_ENUMERATOR))
            add_symbol(unit, TS_SYM_ENUMERATOR, ts_name(unit, ts_field(e, "name")), e, owner);
    }
}

static struct ts_class *primary_of(struct ts_unit *unit, const char *name) {
    for (struct ts_symbol *s = ts_symbols(unit, name); s; s = s->next)
        if (s->kind == TS_SYM_CLASS && ts_node_is_null(s->cls->arguments))
            return s->cls;
    return NULL;
}

struct ts_class *ts_class_make(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    struct ts_class *c = CW_NEW(&unit->scratch, struct ts_class);
    TSNode name = ts_field(node, "name");
    *c = (struct ts_class){.defaults = ts_none(),
                           .name = ts_node_is_null(name) ? "" : ts_name(unit, ts_last_name(unit, name)),
                           .node = node,
                           .tmpl = tmpl,
                           .owner = owner,
                           .is_union = ts_is(unit, node, TS_UNION),
                           .arguments = ts_template_arguments(unit, name)};
    return c;
}

/* The body of a template that stood there as a declaration. Defaults may stand in either. */
static void define_class(struct ts_unit *unit, struct ts_class *class, TSNode node, TSNode tmpl) {
    bool has_defaults = false;
    for (uint32_t i = 0; i < ts_node_named_child_count(class->tmpl); i++) {
        enum ts_kind k = ts_kind(unit, ts_node_named_child(class->tmpl, i));
        has_defaults |= k == TS_OPTIONAL_PARAMETER || k == TS_OPTIONAL_TYPE_PARAMETER;
    }
    class->defaults = has_defaults ? class->tmpl : ts_none();
    class->node = node;
    class->tmpl = tmpl;
    class->is_read = false;
    cw_map_put(&unit->classes, (uint64_t)(uintptr_t)node.id, (uint64_t)(uintptr_t)class);
    ts_class_read(unit, class);
}

static struct ts_class *add_class(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    bool has_body = !ts_node_is_null(ts_field(node, "body"));
    bool is_template = !ts_node_is_null(tmpl) && ts_node_named_child_count(tmpl);
    if (!has_body && (!is_template || owner))
        return NULL;
    struct ts_class *c = ts_class_make(unit, node, tmpl, owner),
                    *before = owner || !is_template ? NULL : primary_of(unit, c->name);
    if (before && ts_node_is_null(c->arguments)) {
        bool is_open = ts_node_is_null(ts_field(before->node, "body"));
        if (has_body && is_open)
            define_class(unit, before, node, tmpl);
        if (!has_body || is_open)
            return before;
    }
    if (!has_body && !ts_node_is_null(c->arguments))
        return NULL;
    cw_map_put(&unit->classes, (uint64_t)(uintptr_t)node.id, (uint64_t)(uintptr_t)c);
    if (!*c->name) {
        ts_class_read(unit, c);
        return c;
    }
    if (!ts_node_is_null(c->arguments) && (c->primary = primary_of(unit, c->name))) {
        cw_vec_push(&unit->scratch, &c->primary->specialisations, c);
    } else {
        struct ts_symbol *s = add_symbol(unit, TS_SYM_CLASS, c->name, node, owner);
        s->cls = c;
    }
    ts_class_read(unit, c);
    return c;
}

void ts_class_read(struct ts_unit *unit, struct ts_class *class) {
    TSNode body = ts_field(class->node, "body");
    uint32_t n = ts_node_is_null(body) ? 0 : ts_node_named_child_count(body);
    if (class->is_read)
        return;
    class->is_read = true;
    for (uint32_t i = 0; i < n; i++)
        ts_index_declaration(unit, ts_node_named_child(body, i), ts_none(), class);
}

/* ---- declarations ---- */

static void add_type_of(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    TSNode type = ts_field(node, "type");
    enum ts_kind k = ts_kind(unit, type);
    if (k == TS_STRUCT || k == TS_CLASS || k == TS_UNION)
        add_class(unit, type, tmpl, owner);
    else if (k == TS_ENUM)
        add_enum(unit, type, owner);
}

/* Each declarator of `int a, *b, f();`. */
static void add_declarators(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner,
                            enum ts_symbol_kind kind) {
    uint32_t n = ts_node_child_count(node);
    bool is_field = ts_is(unit, node, TS_FIELD_DECLARATION), is_static = ts_has_word(unit, node, "static");
    for (uint32_t i = 0; i < n; i++) {
        const char *role = ts_node_field_name_for_child(node, i);
        if (!role || strcmp(role, "declarator") != 0)
            continue;
        TSNode d = ts_node_child(node, i), function = ts_function_declarator(unit, d);
        if (!ts_node_is_null(function) && kind == TS_SYM_VARIABLE) {
            add_function(unit, node, function, tmpl, owner);
            continue;
        }
        if (is_field && kind == TS_SYM_VARIABLE && !is_static)
            continue; /* part of the layout */
        struct ts_symbol *s = add_symbol(unit, kind, ts_declared_name(unit, d), node, owner);
        s->declarator = d;
        s->tmpl = tmpl;
    }
}

static void add_alias(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    struct ts_symbol *s = add_symbol(unit, TS_SYM_ALIAS, ts_name(unit, ts_field(node, "name")), node, owner);
    s->tmpl = tmpl;
}

static void add_template(struct ts_unit *unit, TSNode node, struct ts_class *owner) {
    TSNode list = ts_field(node, "parameters");
    uint32_t n = ts_node_named_child_count(node);
    if (n)
        ts_index_declaration(unit, ts_node_named_child(node, n - 1), list, owner);
}

static void add_namespace_alias(struct ts_unit *unit, TSNode node) {
    uint32_t n = ts_node_named_child_count(node);
    if (n < 2)
        return;
    const char *alias = ts_name(unit, ts_node_named_child(node, 0)),
               *name = ts_name(unit, ts_node_named_child(node, n - 1));
    cw_map_put(&unit->namespaces, (uint64_t)(uintptr_t)alias, (uint64_t)(uintptr_t)name);
}

static void add_using(struct ts_unit *unit, TSNode node) {
    TSNode name = ts_node_named_child_count(node) ? ts_node_named_child(node, 0) : ts_none();
    if (ts_has_word(unit, node, "namespace") && unit->used.n < 64)
        cw_vec_push(&unit->scratch, &unit->used, ts_name(unit, name));
    if (ts_has_word(unit, node, "namespace"))
        unit->uses_cg |= cw_str_is(ts_text(unit, name), "cooperative_groups") || cw_str_is(ts_text(unit, name), "cg");
    else if (cw_str_starts(ts_text(unit, name), "cooperative_groups::"))
        unit->uses_cg = true;
}

static void index_list(struct ts_unit *unit, TSNode list, struct ts_class *owner) {
    uint32_t n = ts_node_is_null(list) ? 0 : ts_node_named_child_count(list);
    for (uint32_t i = 0; i < n; i++)
        ts_index_declaration(unit, ts_node_named_child(list, i), ts_none(), owner);
}

static bool same_text(cw_str text, cw_str other) {
    return text.n == other.n && memcmp(text.at, other.at, text.n) == 0;
}

/* Whose member `S<T *>::get` is: the specialisation of these arguments, as they are written. */
static struct ts_class *of_arguments(struct ts_unit *unit, struct ts_class *class, TSNode written) {
    for (uint32_t i = 0; i < class->specialisations.n; i++)
        if (same_text(ts_text(unit, class->specialisations.at[i]->arguments), ts_text(unit, written)))
            return class->specialisations.at[i];
    return class;
}

/* A member defined outside its class: `template <class T> float S<T>::get() {…}`. */
static struct ts_class *owner_by_name(struct ts_unit *unit, TSNode declarator) {
    TSNode name = ts_declarator_name(unit, declarator);
    if (!ts_is(unit, name, TS_QUALIFIED))
        return NULL;
    TSNode scope = ts_field(name, "scope");
    struct ts_class *c = NULL;
    for (int i = 0; i < MAX_DECLARATOR && ts_is(unit, name, TS_QUALIFIED); i++) {
        scope = ts_field(name, "scope");
        name = ts_field(name, "name");
    }
    if (!ts_node_is_null(scope))
        c = primary_of(unit, ts_name(unit, ts_last_name(unit, scope)));
    TSNode written = ts_node_is_null(scope) ? scope : ts_template_arguments(unit, scope);
    return c && !ts_node_is_null(written) && c->specialisations.n ? of_arguments(unit, c, written) : c;
}

/* `operator T *()` has no declarator with a name. */
static TSNode conversion_declarator(const struct ts_unit *unit, TSNode node) {
    for (int i = 0; i < MAX_DECLARATOR && !ts_node_is_null(node) && !ts_is(unit, node, TS_ABSTRACT_FUNCTION); i++)
        node = ts_field(node, "declarator");
    return node;
}

static void index_function(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    TSNode whole = ts_field(node, "declarator");
    TSNode declarator = owner && ts_is(unit, whole, TS_OPERATOR_CAST) ? conversion_declarator(unit, whole)
                                                                   : ts_function_declarator(unit, whole);
    if (ts_node_is_null(declarator))
        return;
    bool is_full = !ts_node_is_null(tmpl) && !ts_node_named_child_count(tmpl);
    if (!owner && (owner = owner_by_name(unit, declarator)) && !ts_node_is_null(owner->tmpl)) {
        if (is_full && ts_node_named_child_count(owner->tmpl)) {
            owner->has_odd_members = true; /* template <> int S<int>::get(): of one instance only */
            return;
        }
        tmpl = ts_none(); /* the class's own parameters */
    }
    add_function(unit, node, declarator, tmpl, owner);
}

static void index_body(struct ts_unit *unit, TSNode body, struct ts_class *owner) {
    if (ts_is(unit, body, TS_DECLARATION_LIST))
        index_list(unit, body, owner);
    else
        ts_index_declaration(unit, body, ts_none(), owner); /* extern "C" void f(); */
}

static void index_node(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    switch (ts_kind(unit, node)) {
    case TS_FUNCTION: index_function(unit, node, tmpl, owner); break;
    case TS_TEMPLATE: add_template(unit, node, owner); break;
    case TS_STRUCT:
    case TS_CLASS:
    case TS_UNION: add_class(unit, node, tmpl, owner); break;
    case TS_ENUM: add_enum(unit, node, owner); break;
    case TS_DECLARATION:
    case TS_FIELD_DECLARATION:
        add_type_of(unit, node, tmpl, owner);
        add_declarators(unit, node, tmpl, owner, TS_SYM_VARIABLE);
        break;
    case TS_TYPE_DEFINITION:
        add_type_of(unit, node, ts_none(), owner);
        add_declarators(unit, node, tmpl, owner, TS_SYM_ALIAS);
        break;
    case TS_ALIAS: add_alias(unit, node, tmpl, owner); break;
    case TS_NAMESPACE:
    case TS_LINKAGE: index_body(unit, ts_field(node, "body"), owner); break;
    case TS_TEMPLATE_INSTANTIATION: cw_vec_push(&unit->scratch, &unit->instantiations, node); break;
    case TS_NAMESPACE_ALIAS: add_namespace_alias(unit, node); break;
    case TS_USING: add_using(unit, node); break;
    case TS_DECLARATION_LIST:
    case TS_ERROR: index_list(unit, node, owner); break;
    default: break;
    }
}

void ts_index_declaration(struct ts_unit *unit, TSNode node, TSNode tmpl, struct ts_class *owner) {
    if (unit->depth >= TS_MAX_DEPTH)
        return;
    unit->depth++;
    index_node(unit, node, tmpl, owner);
    unit->depth--;
}

void ts_index(struct ts_unit *unit, struct ts_part *part) {
    if (part->tree)
        index_list(unit, ts_tree_root_node(part->tree), NULL);
}
