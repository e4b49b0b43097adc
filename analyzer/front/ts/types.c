/* Types as they are written, with names looked up and template arguments put in. */
#include "front/ts/lower.h"

#include "base/hash.h"

#include <string.h>

static struct ts_type *new_type(struct ts_unit *unit, enum ts_form form, enum cw_type kind) {
    struct ts_type *t = CW_NEW(&unit->scratch, struct ts_type);
    *t = (struct ts_type){.form = form, .kind = {kind, false}, .count = -1, .tile = -1};
    return t;
}

const struct ts_type *ts_scalar(struct ts_unit *unit, enum cw_type type, bool is_signed) {
    if (!unit->scalars[type][is_signed]) {
        struct ts_type *t = new_type(unit, TS_FORM_SCALAR, type);
        t->kind.is_signed = is_signed;
        t->size = t->align = cw_type_bytes(type);
        unit->scalars[type][is_signed] = t;
    }
    return unit->scalars[type][is_signed];
}

const struct ts_type *ts_pointer_to(struct ts_unit *unit, const struct ts_type *of) {
    struct ts_type *t = new_type(unit, TS_FORM_POINTER, CW_PTR);
    t->size = t->align = 8;
    t->of = of;
    return t;
}

const struct ts_type *ts_reference_to(struct ts_unit *unit, const struct ts_type *of) {
    if (of->form == TS_FORM_REFERENCE)
        return of;
    struct ts_type *t = new_type(unit, TS_FORM_REFERENCE, CW_PTR);
    t->size = t->align = 8;
    t->of = of;
    return t;
}

const struct ts_type *ts_array_of(struct ts_unit *unit, const struct ts_type *of, int64_t n) {
    struct ts_type *t = new_type(unit, TS_FORM_ARRAY, CW_AGG);
    t->of = of;
    t->count = n;
    t->align = of->align;
    t->is_volatile = of->is_volatile;
    t->is_const = of->is_const;
    t->is_dependent = of->is_dependent;
    if (n > 0 && of->size && (uint64_t)n < UINT64_MAX / 4 / of->size)
        t->size = of->size * (uint64_t)n;
    return t;
}

const struct ts_type *ts_qualified(struct ts_unit *unit, const struct ts_type *type, bool is_const, bool is_volatile) {
    if (type->form == TS_FORM_REFERENCE || ((!is_const || type->is_const) && (!is_volatile || type->is_volatile)))
        return type;
    struct ts_type *q = CW_NEW(&unit->scratch, struct ts_type);
    *q = *type;
    q->is_const |= is_const;
    q->is_volatile |= is_volatile;
    return q;
}

const struct ts_type *ts_group_type(struct ts_unit *unit, const char *name, int64_t tile) {
    struct ts_type *t = new_type(unit, TS_FORM_GROUP, CW_GROUP);
    t->size = t->align = 8;
    t->name = name;
    t->tile = tile;
    return t;
}

const struct ts_type *ts_record_type(struct ts_unit *unit, struct ts_record *record) {
    struct ts_type *t = new_type(unit, TS_FORM_RECORD, CW_AGG);
    ts_layout(unit, record);
    t->record = record;
    t->name = record->cls->name;
    t->size = record->is_known ? record->size : 0;
    t->align = record->align;
    return t;
}

const struct ts_type *ts_plain(const struct ts_type *type) {
    return type->form == TS_FORM_REFERENCE ? type->of : type;
}

bool ts_is_object(const struct ts_type *type) {
    return type->form == TS_FORM_RECORD || type->form == TS_FORM_ARRAY || type->form == TS_FORM_CLOSURE;
}

bool ts_type_same(const struct ts_type *type, const struct ts_type *other) {
    for (int i = 0; i < 32; i++) {
        if (type == other)
            return true;
        if (!type || !other || type->form != other->form || type->kind.type != other->kind.type ||
            type->kind.is_signed != other->kind.is_signed || type->record != other->record ||
            type->closure != other->closure || type->target != other->target || type->count != other->count ||
            type->tile != other->tile)
            return false;
        if (type->name != other->name && type->form == TS_FORM_GROUP && strcmp(type->name, other->name) != 0)
            return false;
        if (!type->of && !other->of)
            return type->form != TS_FORM_UNKNOWN || type->name == other->name;
        type = type->of;
        other = other->of;
    }
    return false;
}

static const char *scalar_text(const struct ts_type *type) {
    if (type->name)
        return type->name;
    switch (type->kind.type) {
    case CW_I1: return "bool";
    case CW_I8: return type->kind.is_signed ? "char" : "unsigned char";
    case CW_I16: return type->kind.is_signed ? "short" : "unsigned short";
    case CW_I32: return type->kind.is_signed ? "int" : "unsigned int";
    case CW_I64: return type->kind.is_signed ? "long" : "unsigned long";
    case CW_F16: return "__half";
    case CW_F32: return "float";
    case CW_F64: return "double";
    default: return "?";
    }
}

static void type_text(const struct ts_type *type, struct cw_buf *out) {
    const struct ts_type *inner = type;
    for (int i = 0; i < 32 && inner->form == TS_FORM_ARRAY && inner->of; i++)
        inner = inner->of;
    if (inner->is_const && inner->form != TS_FORM_POINTER)
        cw_buf_puts(out, "const ");
    if (inner->is_volatile && inner->form != TS_FORM_POINTER)
        cw_buf_puts(out, "volatile ");
    switch (inner->form) {
    case TS_FORM_VOID: cw_buf_puts(out, "void"); break;
    case TS_FORM_SCALAR: cw_buf_puts(out, scalar_text(inner)); break;
    case TS_FORM_POINTER:
    case TS_FORM_REFERENCE:
        if (out->n < 200)
            type_text(inner->of, out);
        cw_buf_puts(out, inner->form == TS_FORM_POINTER ? " *" : " &");
        break;
    case TS_FORM_RECORD:
        cw_buf_puts(out, inner->name);
        if (*inner->record->arguments)
            cw_buf_printf(out, "<%s>", inner->record->arguments);
        break;
    default: cw_buf_puts(out, inner->name ? inner->name : "?"); break;
    }
    for (int i = 0; i < 32 && type->form == TS_FORM_ARRAY; i++, type = type->of)
        if (type->count >= 0)
            cw_buf_printf(out, "[%lld]", (long long)type->count);
        else
            cw_buf_puts(out, "[]");
}

const char *ts_type_text(struct ts_unit *unit, const struct ts_type *type) {
    struct cw_buf text = {0};
    type_text(type, &text);
    const char *kept = cw_intern_n(&unit->module->names, text.at ? text.at : "", text.n);
    cw_buf_free(&text);
    return kept;
}

/* ---- built-in names ---- */

static const struct {
    const char *name;
    enum cw_type type;
    bool is_signed;
} scalar_names[] = {
    {"bool", CW_I1, false},          {"char", CW_I8, true},         {"int", CW_I32, true},
    {"float", CW_F32, true},         {"double", CW_F64, true},      {"size_t", CW_I64, false},
    {"ssize_t", CW_I64, true},       {"ptrdiff_t", CW_I64, true},   {"int8_t", CW_I8, true},
    {"uint8_t", CW_I8, false},       {"int16_t", CW_I16, true},     {"uint16_t", CW_I16, false},
    {"int32_t", CW_I32, true},       {"uint32_t", CW_I32, false},   {"int64_t", CW_I64, true},
    {"uint64_t", CW_I64, false},     {"intptr_t", CW_I64, true},    {"uintptr_t", CW_I64, false},
    {"uint", CW_I32, false},         {"ushort", CW_I16, false},     {"ulong", CW_I64, false},
    {"uchar", CW_I8, false},         {"char16_t", CW_I16, false},   {"char32_t", CW_I32, false},
    {"wchar_t", CW_I32, true},       {"half", CW_F16, true},        {"__half", CW_F16, true},
    {"__nv_bfloat16", CW_F16, true}, {"nv_bfloat16", CW_F16, true}, {"_Float16", CW_F16, true},
    {"clock_t", CW_I64, true},       {"cudaError_t", CW_I32, true},
};

/* Pointers that nobody looks into. */
static const char *const handle_names[] = {"cudaStream_t", "cudaEvent_t", "cudaGraph_t", "cudaGraphExec_t",
                                           "cudaArray_t",  "CUstream",    "CUevent"};

/* Two half-precision numbers: four bytes that nobody computes with. */
static const struct ts_type *pair_of_halves(struct ts_unit *unit, const char *name) {
    static const char *const names[] = {"half2", "__half2", "__nv_bfloat162", "nv_bfloat162"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            struct ts_type *t = new_type(unit, TS_FORM_UNKNOWN, CW_AGG);
            t->size = t->align = 4;
            t->name = names[i];
            return t;
        }
    return NULL;
}

static const struct ts_type *builtin_type(struct ts_unit *unit, cw_str name) {
    for (size_t i = 0; i < sizeof scalar_names / sizeof *scalar_names; i++)
        if (cw_str_is(name, scalar_names[i].name))
            return ts_scalar(unit, scalar_names[i].type, scalar_names[i].is_signed);
    if (cw_str_is(name, "void"))
        return unit->void_type;
    for (size_t i = 0; i < sizeof handle_names / sizeof *handle_names; i++)
        if (cw_str_is(name, handle_names[i]))
            return ts_pointer_to(unit, unit->void_type);
    return NULL;
}

static bool has_word(cw_str text, const char *word, uint32_t *count) {
    size_t n = strlen(word);
    uint32_t found = 0;
    for (size_t i = 0; i + n <= text.n; i++) {
        bool starts = !i || text.at[i - 1] == ' ' || text.at[i - 1] == '\n';
        bool ends = i + n == text.n || text.at[i + n] == ' ' || text.at[i + n] == '\n' || text.at[i + n] == '*' ||
                    text.at[i + n] == '&';
        found += starts && ends && memcmp(text.at + i, word, n) == 0;
    }
    if (count)
        *count = found;
    return found > 0;
}

/* `unsigned long long int` in any order. */
static const struct ts_type *sized_type(struct ts_unit *unit, cw_str text) {
    uint32_t longs = 0;
    bool is_unsigned = has_word(text, "unsigned", NULL);
    has_word(text, "long", &longs);
    if (has_word(text, "double", NULL))
        return ts_scalar(unit, CW_F64, true);
    enum cw_type type = has_word(text, "char", NULL)    ? CW_I8
                        : has_word(text, "short", NULL) ? CW_I16
                        : longs                         ? CW_I64
                                                        : CW_I32;
    return ts_scalar(unit, type, !is_unsigned);
}

static bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const struct ts_type *ts_type_of_words(struct ts_unit *unit, cw_str words, const struct ts_type *type) {
    static const char *const skipped[] = {"const", "static", "constexpr", "inline", "typename", "volatile"};
    const struct ts_type *base = NULL;
    cw_str rest = words;
    size_t i = 0;
    while (i < rest.n && rest.at[i] != '*' && rest.at[i] != '&' && rest.at[i] != '=') {
        size_t from = i;
        while (i < rest.n && is_word_char(rest.at[i]))
            i++;
        cw_str word = {rest.at + from, i - from};
        bool is_skipped = false;
        for (size_t k = 0; k < sizeof skipped / sizeof *skipped; k++)
            is_skipped |= cw_str_is(word, skipped[k]);
        if (word.n && !is_skipped && !base) {
            bool is_sized = cw_str_is(word, "unsigned") || cw_str_is(word, "signed") || cw_str_is(word, "long") ||
                            cw_str_is(word, "short");
            base = is_sized ? sized_type(unit, words) : cw_str_is(word, "T") ? type : builtin_type(unit, word);
            if (!base)
                return NULL;
        }
        if (i == from)
            i++;
    }
    for (; base && i < rest.n && rest.at[i] != '='; i++)
        if (rest.at[i] == '*')
            base = ts_pointer_to(unit, base);
        else if (rest.at[i] == '&')
            base = ts_reference_to(unit, base);
    return base;
}

/* ---- names ---- */

static const char *const group_names[] = {"thread_block_tile", "thread_block", "thread_group", "grid_group",
                                          "coalesced_group", "cluster_group", "multi_grid_group", "thread_"};

static void put_qualifier(struct ts_scope *other, TSNode scope, struct cw_buf *out) {
    uint64_t alias;
    const char *name = ts_name(other->u, ts_last_name(other->u, scope));
    bool is_alias = cw_map_get(&other->u->namespaces, (uint64_t)(uintptr_t)name, &alias);
    cw_buf_printf(out, "%s::", is_alias ? (const char *)(uintptr_t)alias : name);
}

const char *ts_qualified_name(struct ts_scope *s, TSNode name) {
    struct cw_buf text = {0};
    for (int i = 0; i < 16 && ts_is(s->u, name, TS_QUALIFIED); i++) {
        TSNode scope = ts_field(name, "scope");
        if (!ts_node_is_null(scope))
            put_qualifier(s, scope, &text);
        name = ts_field(name, "name");
    }
    cw_str last = ts_text(s->u, ts_last_name(s->u, name));
    cw_buf_add(&text, last.at, last.n);
    const char *kept = cw_intern_n(&s->u->module->names, text.at ? text.at : "", text.n);
    cw_buf_free(&text);
    return kept;
}

/* thread_block_tile<32>: the size may be an expression over template parameters. */
static int64_t tile_size(struct ts_scope *scope, TSNode name) {
    TSNode arguments = ts_template_arguments(scope->u, name);
    int64_t n;
    if (ts_node_is_null(arguments) || !ts_node_named_child_count(arguments) ||
        !ts_eval(scope, ts_node_named_child(arguments, 0), &n))
        return -1;
    return n;
}

static const struct ts_type *group_type(struct ts_scope *scope, TSNode node) {
    const char *name = ts_qualified_name(scope, node), *last = strrchr(name, ':');
    bool is_qualified = strncmp(name, "cooperative_groups::", 20) == 0;
    last = last ? last + 1 : name;
    if (!is_qualified && (last != name || !scope->u->uses_cg))
        return NULL;
    for (size_t i = 0; i < sizeof group_names / sizeof *group_names; i++)
        if (strcmp(last, group_names[i]) == 0)
            return ts_group_type(scope->u, cw_intern(&scope->u->module->names,
                                                 cw_arena_printf(&scope->u->scratch, "cooperative_groups::%s", last)),
                                 tile_size(scope, node));
    return NULL;
}

/* A class with its arguments; where these leave open which specialisation is meant, nothing is known of it. */
static const struct ts_type *instance_type(struct ts_scope *scope, struct ts_class *class, TSNode arguments,
                                           TSNode name) {
    struct ts_record *r = ts_record_of(scope, class, arguments);
    if (r)
        return ts_record_type(scope->u, r);
    struct ts_type *t = new_type(scope->u, TS_FORM_UNKNOWN, CW_AGG);
    t->name = ts_name(scope->u, name);
    t->is_dependent = true;
    return t;
}

/* Names of types read in one unit; what comes after is of unknown type. */
enum { MAX_NAMES_READ = 1 << 18 };

/* An alias that is no template means the same wherever it is named: it is read once for each record that it is a
 * member of. While it is read, and for good where it is made from itself, it means nothing known. */
static const struct ts_type *of_alias(struct ts_scope *at, struct ts_symbol *symbol, struct ts_record *home) {
    const void *pair[2] = {symbol, home};
    uint64_t key = cw_hash(pair, sizeof pair, 0), found;
    bool is_template = !ts_node_is_null(symbol->tmpl);
    if (!is_template && cw_map_get(&at->u->aliases, key, &found))
        return (const struct ts_type *)(uintptr_t)found;
    if (!is_template)
        cw_map_put(&at->u->aliases, key, (uint64_t)(uintptr_t)at->u->unknown_type);
    const struct ts_type *t = ts_declaration_type(at, symbol->node);
    if (!ts_node_is_null(symbol->declarator))
        t = ts_declarator_type(at, t, symbol->declarator);
    if (!is_template)
        cw_map_put(&at->u->aliases, key, (uint64_t)(uintptr_t)t);
    return t;
}

static const struct ts_type *of_symbol(struct ts_scope *scope, struct ts_symbol *symbol, TSNode name,
                                       struct ts_record *home) {
    struct ts_scope at = {.u = scope->u, .env = home ? home->env : NULL, .record = home, .cls = symbol->owner};
    TSNode arguments = ts_template_arguments(scope->u, name);
    if (++scope->u->names_read > MAX_NAMES_READ)
        return NULL;
    if (symbol->kind == TS_SYM_CLASS && !home && symbol->owner)
        return NULL;
    switch (symbol->kind) {
    case TS_SYM_CLASS:
        if (symbol->cls == (scope->record ? scope->record->cls : NULL) && ts_node_is_null(arguments))
            return ts_record_type(scope->u, scope->record);
        return instance_type(scope, symbol->cls, arguments, name);
    case TS_SYM_ENUM: {
        TSNode base = ts_field(symbol->node, "base");
        return ts_node_is_null(base) ? ts_scalar(scope->u, CW_I32, false) : ts_type_node(&at, base);
    }
    case TS_SYM_ALIAS:
        if (!ts_node_is_null(symbol->tmpl))
            at.env = ts_env_make(scope, symbol->tmpl, arguments, at.env);
        return of_alias(&at, symbol, home);
    default: return NULL;
    }
}

static const struct ts_type *member_type(struct ts_scope *scope, struct ts_record *record, TSNode name) {
    struct ts_record *home;
    uint64_t offset;
    struct ts_symbol *y =
        ts_find_member(scope->u, record, ts_name(scope->u, ts_last_name(scope->u, name)), &home, &offset);
    return y ? of_symbol(scope, y, name, home) : NULL;
}

/* `Outer::Inner`, `Traits<T>::type`. */
static const struct ts_type *of_scope(struct ts_scope *s, TSNode node) {
    TSNode scope = ts_field(node, "scope");
    const struct ts_type *outer = ts_node_is_null(scope) ? NULL : ts_named_type(s, scope);
    if (!outer || outer->form != TS_FORM_RECORD)
        return NULL;
    TSNode name = ts_field(node, "name");
    if (ts_is(s->u, name, TS_QUALIFIED))
        return NULL;
    return member_type(s, outer->record, name);
}

static const struct ts_type *local_type(struct ts_scope *scope, const char *name) {
    const struct ts_local *l = scope->body ? ts_find_local(scope->body, name) : NULL;
    return l && l->is_type ? l->type : NULL;
}

static const struct ts_type *look_up(struct ts_scope *scope, TSNode node) {
    TSNode last = ts_last_name(scope->u, node);
    const char *name = ts_name(scope->u, last);
    const struct ts_type *t = ts_is(scope->u, node, TS_QUALIFIED) ? NULL : local_type(scope, name);
    const struct ts_binding *b = ts_find_binding(scope->env, name);
    if (t)
        return t;
    if (b && !ts_is(scope->u, node, TS_QUALIFIED))
        return b->is_type ? b->type : NULL;
    if (scope->record && (t = member_type(scope, scope->record, node)))
        return t;
    if (ts_is(scope->u, node, TS_QUALIFIED) && (t = of_scope(scope, node)))
        return t;
    for (struct ts_symbol *y = ts_symbols(scope->u, name); y; y = y->next)
        if ((t = of_symbol(scope, y, node, NULL)))
            return t;
    if ((t = group_type(scope, node)) || (t = builtin_type(scope->u, (cw_str){name, strlen(name)})))
        return t;
    return pair_of_halves(scope->u, name);
}

const struct ts_type *ts_named_type(struct ts_scope *scope, TSNode name) {
    if (scope->u->depth >= TS_MAX_DEPTH)
        return NULL;
    scope->u->depth++;
    const struct ts_type *t = look_up(scope, name);
    scope->u->depth--;
    return t;
}

/* ---- written types ---- */

static const struct ts_type *class_type(struct ts_scope *scope, TSNode node) {
    uint64_t found;
    if (ts_node_is_null(ts_field(node, "body")))
        return ts_named_type(scope, ts_field(node, "name"));
    if (!cw_map_get(&scope->u->classes, (uint64_t)(uintptr_t)node.id, &found)) {
        struct ts_class *c = ts_class_make(scope->u, node, ts_none(), NULL);
        ts_class_read(scope->u, c);
        found = (uint64_t)(uintptr_t)c;
        cw_map_put(&scope->u->classes, (uint64_t)(uintptr_t)node.id, found);
    }
    return ts_record_type(scope->u, ts_record_plain(scope->u, (struct ts_class *)(uintptr_t)found, scope->env));
}

static const struct ts_type *unknown_named(struct ts_scope *scope, TSNode node) {
    struct ts_type *t = new_type(scope->u, TS_FORM_UNKNOWN, CW_AGG);
    t->name = ts_name(scope->u, node);
    return t;
}

static const struct ts_type *decltype_of(struct ts_scope *scope, TSNode node) {
    TSNode e = ts_node_named_child_count(node) ? ts_node_named_child(node, 0) : ts_none();
    const struct ts_type *t = ts_node_is_null(e) ? NULL : ts_type_of_expr(scope, e);
    return t ? t : scope->u->unknown_type;
}

static const struct ts_type *descriptor_type(struct ts_scope *scope, TSNode node) {
    const struct ts_type *base = ts_declaration_type(scope, node);
    TSNode d = ts_field(node, "declarator");
    return ts_node_is_null(d) ? base : ts_declarator_type(scope, base, d);
}

static const struct ts_type *written_type(struct ts_scope *scope, TSNode type) {
    const struct ts_type *t = NULL;
    switch (ts_kind(scope->u, type)) {
    case TS_PRIMITIVE: t = builtin_type(scope->u, ts_text(scope->u, type)); break;
    case TS_SIZED: return sized_type(scope->u, ts_text(scope->u, type));
    case TS_TYPE_DESCRIPTOR: return descriptor_type(scope, type);
    case TS_STRUCT:
    case TS_CLASS:
    case TS_UNION: t = class_type(scope, type); break;
    case TS_ENUM:
        t = ts_node_is_null(ts_field(type, "name")) ? NULL : ts_named_type(scope, ts_field(type, "name"));
        return t ? t : ts_scalar(scope->u, CW_I32, false);
    case TS_DECLTYPE: return decltype_of(scope, type);
    case TS_DEPENDENT_TYPE: return written_type(scope, ts_node_named_child(type, 0));
    case TS_PLACEHOLDER: return scope->u->unknown_type;
    default: t = ts_named_type(scope, type); break;
    }
    return t ? t : unknown_named(scope, type);
}

const struct ts_type *ts_type_node(struct ts_scope *scope, TSNode type) {
    if (ts_node_is_null(type) || scope->u->depth >= TS_MAX_DEPTH)
        return scope->u->unknown_type;
    scope->u->depth++;
    const struct ts_type *t = written_type(scope, type);
    scope->u->depth--;
    return t;
}

const struct ts_type *ts_declaration_type(struct ts_scope *scope, TSNode declaration) {
    const struct ts_type *t = ts_type_node(scope, ts_field(declaration, "type"));
    bool is_const = ts_has_word(scope->u, declaration, "const") || ts_has_word(scope->u, declaration, "constexpr");
    return ts_qualified(scope->u, t, is_const, ts_has_word(scope->u, declaration, "volatile"));
}

static const struct ts_type *pointer_level(struct ts_scope *scope, const struct ts_type *base, TSNode node) {
    const struct ts_type *t = ts_pointer_to(scope->u, base);
    return ts_qualified(scope->u, t, ts_has_word(scope->u, node, "const"), ts_has_word(scope->u, node, "volatile"));
}

static const struct ts_type *array_level(struct ts_scope *scope, const struct ts_type *base, TSNode node) {
    TSNode size = ts_field(node, "size");
    int64_t n = -1;
    if (!ts_node_is_null(size) && (!ts_eval(scope, size, &n) || n < 0))
        n = -1;
    return ts_array_of(scope->u, base, n);
}

static const struct ts_type *function_level(struct ts_scope *scope, const struct ts_type *base, TSNode node) {
    struct ts_type *t = new_type(scope->u, TS_FORM_FUNCTION, CW_AGG);
    t->of = base;
    t->function = node;
    return t;
}

/* From the base type outwards to the name: `*p[3]` is an array of pointers. */
const struct ts_type *ts_declarator_type(struct ts_scope *scope, const struct ts_type *base, TSNode node) {
    for (int i = 0; i < 40 && !ts_node_is_null(node); i++) {
        TSNode inner = ts_field(node, "declarator");
        enum ts_kind k = ts_kind(scope->u, node);
        if (k == TS_POINTER_DECLARATOR || k == TS_ABSTRACT_POINTER)
            base = pointer_level(scope, base, node);
        else if (k == TS_REFERENCE_DECLARATOR || k == TS_ABSTRACT_REFERENCE)
            base = ts_reference_to(scope->u, base);
        else if (k == TS_ARRAY_DECLARATOR || k == TS_ABSTRACT_ARRAY)
            base = array_level(scope, base, node);
        else if (k == TS_FUNCTION_DECLARATOR || k == TS_ABSTRACT_FUNCTION)
            base = function_level(scope, base, node);
        else if (k != TS_INIT_DECLARATOR && k != TS_PAREN_DECLARATOR && k != TS_ABSTRACT_PAREN)
            break;
        bool may_wrap = k == TS_REFERENCE_DECLARATOR || k == TS_PAREN_DECLARATOR || k == TS_ABSTRACT_PAREN ||
                        k == TS_ABSTRACT_REFERENCE;
        if (ts_node_is_null(inner) && may_wrap && ts_node_named_child_count(node))
            inner = ts_node_named_child(node, ts_node_named_child_count(node) - 1);
        node = inner;
    }
    return base;
}

const struct ts_type *ts_param_type(struct ts_scope *scope, TSNode parameter) {
    const struct ts_type *t = ts_declaration_type(scope, parameter);
    TSNode d = ts_field(parameter, "declarator");
    if (!ts_node_is_null(d))
        t = ts_declarator_type(scope, t, d);
    if (t->form == TS_FORM_ARRAY)
        return ts_pointer_to(scope->u, t->of);
    return t->form == TS_FORM_FUNCTION ? ts_pointer_to(scope->u, t) : t;
}
