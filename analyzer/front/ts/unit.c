/* The tree-sitter front end: preprocess, parse, index, then lower. */
#include "front/ts/lower.h"

#include "front/shim/shim.h"

#include <string.h>

/* ---- the prelude: vector types, and the API functions that have a body ---- */

static const struct {
    const char *name, *result, *params, *body;
} bodies[] = {
#define CW_INTRINSIC(name, result, params, types, op, aux, roles, min, max, order, scope, flags, replacement)
#define CW_BODY(name, result, params, types, body) {name, result, params, body},
#include "cuda/intrinsics.def"
};

static const char launch_config[] =
    "struct cudaLaunchConfig_t { dim3 gridDim; dim3 blockDim; size_t dynamicSmemBytes; void *stream; void *attrs; "
    "unsigned numAttrs; };\n";

static const struct cw_shim_file *shim_file(const char *path) {
    uint32_t n;
    const struct cw_shim_file *files = cw_shim_files(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}

static void prelude_text(struct cw_buf *out) {
    const struct cw_shim_file *vectors = shim_file(CW_SHIM_ROOT "/cuwarp/vector_types.h");
    if (vectors)
        cw_buf_add(out, vectors->text, vectors->size);
    cw_buf_puts(out, launch_config);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (!strchr(bodies[i].name, ':'))
            cw_buf_printf(out, "__device__ %s %s(%s) { %s }\n", bodies[i].result, bodies[i].name, bodies[i].params,
                          bodies[i].body);
}

/* Read on the first name that only it may know: most files need none of it. */
static void load_prelude(struct ts_unit *unit) {
    struct cw_buf text = {0};
    struct ts_preproc *p = CW_NEW(&unit->scratch, struct ts_preproc);
    prelude_text(&text);
    struct cw_front_options o = {.path = "prelude",
                                 .text = cw_arena_strndup(&unit->scratch, text.at, text.n),
                                 .size = text.n,
                                 .arch = unit->options->arch};
    cw_buf_free(&text);
    unit->is_reading_prelude = true;
    ts_preprocess(p, &unit->scratch, &unit->module->names, &o);
    unit->prelude = ts_part_make(&unit->scratch, p, &p->out);
    uint32_t depth = unit->depth;
    unit->depth = 0;
    ts_index(unit, unit->prelude);
    unit->depth = depth;
}

static bool is_prelude_name(const char *name) {
    static const char *const stems[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                                        "ulonglong", "float", "double"};
    if (strncmp(name, "make_", 5) == 0)
        name += 5;
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        size_t n = strlen(stems[i]);
        if (strncmp(name, stems[i], n) == 0 && name[n] >= '1' && name[n] <= '4')
            return true;
    }
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (strcmp(name, bodies[i].name) == 0)
            return true;
    return strcmp(name, "dim3") == 0 || strcmp(name, "cudaLaunchConfig_t") == 0;
}

struct ts_symbol *ts_symbols(struct ts_unit *unit, const char *name) {
    uint64_t found;
    if (!name)
        return NULL;
    if (cw_map_get(&unit->symbols, (uint64_t)(uintptr_t)name, &found))
        return (struct ts_symbol *)(uintptr_t)found;
    if (unit->is_reading_prelude || !unit->is_indexed || !is_prelude_name(name))
        return NULL;
    load_prelude(unit);
    return cw_map_get(&unit->symbols, (uint64_t)(uintptr_t)name, &found) ? (struct ts_symbol *)(uintptr_t)found : NULL;
}

/* ---- functions that the grammar lost ---- */

static uint64_t place_key(struct cw_span span) {
    return (uint64_t)span.line << 32 | span.col;
}

/* The tokens of the main file between two offsets; false when there are none (an inactive branch). */
static bool tokens_between(const struct ts_part *part, size_t from, size_t to, uint32_t *first, uint32_t *last) {
    bool any = false;
    for (uint32_t i = 0; i < part->tokens.n; i++) {
        const struct ts_token *t = &part->tokens.at[i];
        if (t->file || t->from < from || t->to > to)
            continue;
        *first = any ? *first : i;
        *last = i;
        any = true;
    }
    return any;
}

static bool holds_name(const struct ts_part *part, uint32_t first, uint32_t last, size_t offset) {
    for (uint32_t i = first; i <= last; i++)
        if (!part->tokens.at[i].file && part->tokens.at[i].from == offset)
            return true;
    return false;
}

static void index_piece(struct ts_unit *unit, const struct cw_scan_function *function) {
    const struct cw_source *s = unit->preproc.files.at[0].source;
    uint32_t first = 0, last = 0;
    size_t from = cw_source_offset(s, function->span.line, function->span.col),
           to = cw_source_offset(s, function->span.end_line, function->span.end_col);
    if (!tokens_between(unit->main_part, from, to, &first, &last) ||
        !holds_name(unit->main_part, first, last,
                    cw_source_offset(s, function->name_span.line, function->name_span.col)))
        return;
    TSTree *tree = ts_part_piece(unit->main_part, first, last);
    if (!tree)
        return;
    TSNode root = ts_tree_root_node(tree);
    for (uint32_t i = 0; i < ts_node_named_child_count(root); i++)
        ts_index_declaration(unit, ts_node_named_child(root, i), ts_none(), NULL);
}

static void index_lost(struct ts_unit *unit, const struct cw_scan *scan) {
    struct cw_map seen;
    cw_map_init(&seen, &unit->scratch);
    for (uint32_t i = 0; i < unit->functions.n; i++) {
        const struct ts_function *f = unit->functions.at[i];
        TSNode name = ts_last_name(unit, ts_declarator_name(unit, f->declarator));
        if (f->is_main && !ts_node_is_null(ts_field(f->node, "body")))
            cw_map_put(&seen, place_key(ts_place(unit, name).span), 1);
    }
    for (uint32_t i = 0; i < scan->functions.n; i++)
        if (!cw_map_get(&seen, place_key(scan->functions.at[i].name_span), NULL))
            index_piece(unit, &scan->functions.at[i]);
}

/* ---- the unit ---- */

static void init_unit(struct ts_unit *unit, struct cw_module *m, struct cw_arena *a,
                      const struct cw_front_options *options) {
    *unit = (struct ts_unit){.arena = a, .module = m, .options = options, .key_prefix = ""};
    cw_arena_init(&unit->scratch);
    struct cw_map *maps[] = {&unit->symbols, &unit->namespaces, &unit->instances, &unit->places, &unit->classes,
                             &unit->aliases};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        cw_map_init(maps[i], &unit->scratch);
    ts_kinds_init(unit);
    struct ts_type *types = CW_NEW_ARRAY(&unit->scratch, struct ts_type, 2);
    types[0] = (struct ts_type){.form = TS_FORM_VOID, .kind = {CW_VOID, false}, .count = -1, .tile = -1};
    types[1] = (struct ts_type){.form = TS_FORM_UNKNOWN, .kind = {CW_AGG, false}, .count = -1, .tile = -1};
    unit->void_type = &types[0];
    unit->unknown_type = &types[1];
}

static void read_unit(struct ts_unit *unit, const struct cw_scan *scan) {
    ts_preprocess(&unit->preproc, &unit->scratch, &unit->module->names, unit->options);
    unit->main_part = ts_part_make(&unit->scratch, &unit->preproc, &unit->preproc.out);
    ts_index(unit, unit->main_part);
    index_lost(unit, scan);
    unit->is_indexed = true;
}

static void collect_notes(struct ts_unit *unit) {
    for (uint32_t i = 0; i < unit->preproc.notes.n; i++) {
        struct cw_parse_note n = unit->preproc.notes.at[i];
        n.span.file = n.span.file ? cw_module_file(unit->module, unit->preproc.files.at[n.span.file].path) : 0;
        n.text = cw_intern(&unit->module->names, n.text);
        cw_vec_push(unit->arena, &unit->module->notes, n);
    }
}

/* What the result depends on, for whoever keeps results. */
static void remember_files(struct ts_unit *unit) {
    for (uint32_t i = 0; i < unit->preproc.files.n; i++)
        if (!unit->preproc.files.at[i].is_shim)
            cw_vec_push(unit->arena, &unit->module->reads,
                        (const char *)cw_arena_strdup(unit->arena, unit->preproc.files.at[i].path));
}

static void finish_unit(struct ts_unit *unit) {
    remember_files(unit);
    ts_part_free(unit->main_part);
    if (unit->prelude)
        ts_part_free(unit->prelude);
    cw_arena_free(&unit->scratch);
}

struct cw_module *cw_front_ts(struct cw_arena *a, const struct cw_front_options *options, const char **error) {
    struct ts_unit *u = CW_NEW(a, struct ts_unit);
    struct cw_module *m = CW_NEW(a, struct cw_module);
    *error = NULL;
    cw_module_init(m, a);
    m->frontend = "ts";
    cw_module_file(m, options->path);
    init_unit(u, m, a, options);
    read_unit(u, cw_scan_text(&u->scratch, options->text ? options->text : "", options->size));
    collect_notes(u);
    ts_collect(u);
    finish_unit(u);
    return m;
}

struct cw_unknown_macros cw_front_ts_unknown_macros(struct cw_arena *a, const struct cw_front_options *options) {
    struct cw_unknown_macros out = {0};
    struct cw_arena scratch;
    struct cw_intern names;
    struct ts_preproc p;
    cw_arena_init(&scratch);
    cw_intern_init(&names, &scratch);
    ts_preprocess(&p, &scratch, &names, options);
    ts_mask(&p.out);
    for (uint32_t i = 0; i < p.out.n; i++) {
        const struct ts_token *t = &p.out.at[i];
        uint32_t known = 0;
        while (known < out.n && !cw_str_is((cw_str){t->at, t->n}, out.at[known].name))
            known++;
        if (!t->is_unknown || t->macro || out.n >= 200)
            continue;
        if (known < out.n) {
            out.at[known].is_marked |= t->is_marked;
            continue;
        }
        bool is_call = i + 1 < p.out.n && p.out.at[i + 1].is_masked && ts_token_is(&p.out.at[i + 1], "(");
        struct cw_unknown_macro made = {cw_arena_strndup(a, t->at, t->n), is_call, t->is_marked};
        cw_vec_push(a, &out, made);
    }
    cw_arena_free(&scratch);
    return out;
}

static bool is_named(const struct cw_span *spans, uint32_t n, struct cw_span name) {
    for (uint32_t i = 0; i < n; i++)
        if (spans[i].line == name.line && spans[i].col == name.col)
            return true;
    return false;
}

void cw_front_ts_add(struct cw_module *m, const struct cw_front_options *options, const struct cw_scan *scan,
                     const struct cw_span *names, uint32_t n) {
    struct ts_unit *u = CW_NEW(m->arena, struct ts_unit);
    init_unit(u, m, m->arena, options);
    u->key_prefix = "ts:";
    u->is_partial = true;
    read_unit(u, scan);
    for (uint32_t i = 0; i < u->functions.n; i++) {
        struct ts_function *f = u->functions.at[i];
        TSNode name = ts_last_name(u, ts_declarator_name(u, f->declarator));
        f->is_wanted = f->is_main && is_named(names, n, ts_place(u, name).span);
    }
    ts_collect(u);
    finish_unit(u);
}
