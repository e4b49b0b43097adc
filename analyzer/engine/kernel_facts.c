#include "engine/kernel_facts.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "kernel/ask/values.h"
#include "kernel/kernel.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COLLECTIVES = 64, MAX_LAUNCHES = 3, MAX_VARIABLES = 512, MAX_STEPS = 16, MIN_INSTRUCTIONS = 4096 };

struct facts {
    struct cw_unit *unit;
    const struct cw_fn *lowered;
    struct cw_kernel *kernel;
    const struct cw_fn *fn; /* inlined */
    const struct cw_launches *launches;
    const struct cw_uniformity *uniformity;
    struct cw_arena *arena;
    bool is_alone; /* a device function without its callers: what its parameters are is not known */
};

/* ---- places ---- */

static void put_int(json_t *json, const char *key, json_int_t value) {
    json_object_set_new(json, key, json_integer(value));
}

static const char *file_at(const struct facts *facts, uint32_t file) {
    const struct cw_module *m = facts->unit->module;
    return file < m->files.n ? m->files.at[file] : NULL;
}

static void put_span(const struct facts *facts, json_t *json, const struct cw_span *span) {
    json_object_set_new(json, "file", cw_json_text(file_at(facts, span->file)));
    put_int(json, "line", span->line);
    put_int(json, "column", span->col);
    put_int(json, "end_line", span->end_line);
    put_int(json, "end_column", span->end_col);
}

/* ---- who takes part ---- */

/* "0-15, 20" */
static void put_lanes(struct cw_buf *out, uint32_t lanes) {
    const char *between = "";
    for (uint32_t from = 0; from < 32; from++) {
        uint32_t to = from;
        if (!(lanes >> from & 1))
            continue;
        while (to < 31 && lanes >> (to + 1) & 1)
            to++;
        cw_buf_printf(out, to > from ? "%s%u-%u" : "%s%u", between, from, to);
        between = ", ";
        from = to;
    }
}

static const char *const presence_text[] = {
    [CW_ARRIVES] = "reach it",
    [CW_EXITED] = "have exited before",
    [CW_ELSEWHERE] = "take another path",
    [CW_DATA] = "reach it or not, as input data decides",
    [CW_DATA_EXIT] = "reach it or have exited, as input data decides",
    [CW_UNSURE] = "may reach it: not known",
};
enum { PRESENCES = CW_UNSURE + 1 };

static void put_counts(struct cw_buf *out, const struct cw_participation *participation, uint32_t threads) {
    const char *between = "";
    for (int what = 0; what < PRESENCES; what++) {
        if (!participation->count[what])
            continue;
        if (participation->count[what] == threads)
            cw_buf_printf(out, "all %u threads %s", threads, presence_text[what]);
        else
            cw_buf_printf(out, "%s%u of %u threads %s", between, participation->count[what], threads,
                          presence_text[what]);
        between = "; ";
    }
}

/* The first warp whose lanes do not all do the same. */
static void put_mixed_warp(struct cw_buf *out, const struct cw_participation *participation,
                           const struct cw_lanes *lanes, uint32_t warps) {
    for (uint32_t warp = 0; warp < warps; warp++) {
        uint32_t kinds = 0;
        for (int what = 0; what < PRESENCES; what++)
            kinds += cw_participation_lanes(participation, lanes, warp, (enum cw_presence)what) != 0;
        if (kinds < 2)
            continue;
        const char *between = " Warp";
        for (int what = 0; what < PRESENCES; what++) {
            uint32_t mask = cw_participation_lanes(participation, lanes, warp, (enum cw_presence)what);
            if (!mask)
                continue;
            if (*between == ' ')
                cw_buf_printf(out, "%s %u: lanes ", between, warp);
            else
                cw_buf_puts(out, between);
            put_lanes(out, mask);
            cw_buf_printf(out, " %s", presence_text[what]);
            between = "; lanes ";
        }
        cw_buf_putc(out, '.');
        return;
    }
}

static void put_launch_line(const struct facts *facts, uint32_t ins, uint32_t launch, struct cw_buf *out) {
    const struct cw_launch *l = &facts->launches->at[launch];
    struct cw_lanes *lanes = cw_kernel_lanes(facts->kernel, launch, 0);
    struct cw_participation *p = lanes ? cw_participation(lanes, ins, NULL, facts->arena) : NULL;
    if (!p)
        return;
    uint32_t threads = cw_launch_threads(l);
    cw_buf_printf(out, "%s- %s: ", out->n ? "\n" : "", cw_launch_text(l, facts->arena));
    put_counts(out, p, threads);
    cw_buf_putc(out, '.');
    put_mixed_warp(out, p, lanes, (threads + 31) / 32);
}

static void add_collective(const struct facts *facts, uint32_t ins, json_t *list) {
    const struct cw_fn *fn = facts->fn;
    const struct cw_loc *loc = &fn->locs.at[fn->ins.at[ins].loc];
    struct cw_buf text = {0};
    for (uint32_t i = 0; i < facts->launches->n && i < MAX_LAUNCHES; i++)
        put_launch_line(facts, ins, i, &text);
    if (text.n && fn->cfg->loop_of[fn->ins.at[ins].block] != CW_NO_LOOP)
        cw_buf_puts(&text, "\n\nThis holds for the first iteration of the loops around it.");
    if (text.n && loc->span.line) {
        json_t *o = json_object();
        put_span(facts, o, &loc->span);
        json_object_set_new(o, "text", cw_json_text(text.at));
        json_array_append_new(list, o);
    }
    cw_buf_free(&text);
}

static json_t *collectives_json(const struct facts *facts) {
    const struct cw_fn *fn = facts->fn;
    json_t *list = json_array();
    for (uint32_t k = 0; k < fn->cfg->nrpo && !facts->is_alone; k++) {
        const struct cw_vec_u32 *ins = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t i = 0; i < ins->n && json_array_size(list) < MAX_COLLECTIVES; i++)
            if (cw_op_flags(fn->ins.at[ins->at[i]].op) & (CW_OP_B | CW_OP_C))
                add_collective(facts, ins->at[i], list);
    }
    return list;
}

/* ---- uniformity of variables ---- */

/* A variable is its name in the function whose text declares it. */
struct variable {
    const struct cw_fn *owner;
    const char *name;
    uint32_t declared; /* how often: two of the same name cannot be told apart */
    bool is_known;
    enum cw_uni level;
    cw_ref worst;      /* a value with that level */
    const struct cw_uniformity *of; /* that it is a value of */
};

struct variables {
    struct variable *at;
    uint32_t n, cap;
};

/* The innermost function that a place lies in. */
static const struct cw_fn *owner_of(const struct facts *facts, const struct cw_span *span) {
    const struct cw_module *m = facts->unit->module;
    const struct cw_fn *found = NULL;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_span *whole = &m->fns.at[i]->span;
        bool holds = whole->file == span->file && whole->line <= span->line && span->line <= whole->end_line;
        if (holds && (!found || whole->line >= found->span.line))
            found = m->fns.at[i];
    }
    return found;
}

static struct variable *find_variable(struct variables *all, const struct cw_fn *owner, const char *name) {
    for (uint32_t i = 0; i < all->n; i++)
        if (all->at[i].owner == owner && !strcmp(all->at[i].name, name))
            return &all->at[i];
    return NULL;
}

static struct variable *add_variable(const struct facts *facts, struct variables *all, const struct cw_fn *owner,
                                     const char *name) {
    struct variable *known = find_variable(all, owner, name);
    struct variable fresh = {.owner = owner, .name = name};
    if (known || all->n >= MAX_VARIABLES)
        return known;
    cw_vec_push(facts->arena, all, fresh);
    return &cw_vec_last(all);
}

static void note_level(struct variable *variable, const struct cw_uniformity *of, enum cw_uni level, cw_ref value) {
    if (!variable || (variable->is_known && level <= variable->level))
        return;
    variable->is_known = true;
    variable->level = level;
    variable->worst = value;
    variable->of = of;
}

static void note_declared(const struct facts *facts, struct variables *all, const struct cw_fn *fn,
                          const struct cw_fn *owner) {
    for (uint32_t i = 0; i < fn->objects.n; i++) {
        const struct cw_object *o = &fn->objects.at[i];
        struct variable *v = o->space == CW_SPACE_LOCAL && o->name ? add_variable(facts, all, owner, o->name) : NULL;
        if (v)
            v->declared++;
    }
}

/* Instructions that define a variable say which one, wherever they were inlined from. */
static void note_defined(const struct facts *facts, struct variables *all) {
    const struct cw_fn *fn = facts->fn;
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t i = 0; i < list->n; i++) {
            const struct cw_ins *ins = &fn->ins.at[list->at[i]];
            const struct cw_fn *owner = ins->name ? owner_of(facts, &fn->locs.at[ins->loc].span) : NULL;
            if (owner)
                note_level(add_variable(facts, all, owner, ins->name), facts->uniformity,
                           (enum cw_uni)facts->uniformity->ins[list->at[i]], cw_ref_ins(list->at[i]));
        }
    }
}

/* Of the parameter or variable that the value is read from. */
static const char *name_of_value(const struct cw_fn *fn, cw_ref value) {
    const struct cw_ins *ins = value.tag == CW_REF_INS ? cw_ins_of(fn, value) : NULL;
    cw_ref from = ins && ins->op == CW_OP_LOAD ? cw_arg(fn, ins, 0) : CW_NONE;
    if (value.tag == CW_REF_PARAM)
        return fn->params.at[value.index].name;
    return from.tag == CW_REF_OBJECT && fn->objects.at[from.index].space == CW_SPACE_LOCAL
               ? fn->objects.at[from.index].name
               : NULL;
}

/* What is stored as it is leaves no instruction: `int t = threadIdx.x;`. What a parameter holds is known by now. */
static void note_stored(const struct facts *facts, struct variables *all, const struct cw_fn *fn,
                        const struct cw_fn *owner) {
    for (uint32_t i = 0; i < fn->ins.n; i++) {
        const struct cw_ins *ins = &fn->ins.at[i];
        cw_ref to = ins->op == CW_OP_STORE && ins->narg >= 2 ? cw_arg(fn, ins, 1) : CW_NONE;
        cw_ref value = to.tag == CW_REF_OBJECT ? cw_arg(fn, ins, 0) : CW_NONE;
        const char *name = to.tag == CW_REF_OBJECT ? fn->objects.at[to.index].name : NULL;
        struct variable *variable = name ? find_variable(all, owner, name) : NULL;
        const char *passed = name_of_value(fn, value);
        const struct variable *from = passed ? find_variable(all, owner, passed) : NULL;
        if (from && from->is_known)
            note_level(variable, from->of, from->level, from->worst);
        else if (value.tag == CW_REF_SREG)
            note_level(variable, facts->uniformity, cw_uni_of(facts->uniformity, value), value);
        else if (value.tag == CW_REF_CONST)
            note_level(variable, facts->uniformity, CW_UNI_CONST, value);
    }
}

/* A reference is an address to the analyses, which says nothing of the value that the text means by the name; so is
 * what is passed by value and has a class type. Pointers are told by their `*`. */
static bool is_written_as_pointer(const struct facts *facts, const struct cw_span *span) {
    const char *file = file_at(facts, span->file);
    const struct cw_source *s = file ? cw_sources_get(facts->unit->sources, file, NULL) : NULL;
    size_t at = s && span->line ? cw_source_offset(s, span->line, span->col) : 0;
    size_t end = at ? cw_source_offset(s, span->end_line, span->end_col) : 0;
    bool is_pointer = false, is_reference = false;
    for (; at < end && end <= s->size; at++) {
        is_pointer |= s->text[at] == '*';
        is_reference |= s->text[at] == '&';
    }
    return is_pointer && !is_reference;
}

/* What all calls that were inlined pass for the parameters of device functions. */
static void note_passed(const struct facts *facts, struct variables *all) {
    struct cw_fn *fn = cw_inline_noted(facts->lowered, facts->arena,
                                       facts->fn->ins.n * 2 + MIN_INSTRUCTIONS);
    cw_optimize(fn);
    fn->cfg = cw_cfg_build(fn);
    const struct cw_uniformity *u = cw_uniformity(fn, cw_shape_facts_of(facts->launches), facts->arena);
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[fn->cfg->rpo[k]].ins;
        for (uint32_t i = 0; i < list->n; i++) {
            const struct cw_ins *ins = &fn->ins.at[list->at[i]];
            const struct cw_span *span = &fn->locs.at[ins->loc].span;
            const struct cw_fn *owner = ins->op == CW_OP_NOTE ? owner_of(facts, span) : NULL;
            cw_ref value = owner ? cw_arg(fn, ins, 0) : CW_NONE;
            if (owner && (cw_ref_type(fn, value) != CW_PTR || is_written_as_pointer(facts, span)))
                note_level(add_variable(facts, all, owner, ins->name), u, cw_uni_of(u, value), value);
        }
    }
}

/* The device functions behind the kernel's calls, each text once: instances of a template share it. */
static void note_callees(const struct facts *facts, struct variables *all) {
    struct cw_map seen, told;
    struct cw_fn_list reached = {0};
    cw_map_init(&seen, facts->arena);
    cw_map_init(&told, facts->arena);
    cw_module_reach(facts->unit->module, facts->lowered, &seen, &reached, facts->arena);
    for (uint32_t i = 0; i < reached.n; i++) {
        const struct cw_fn *fn = reached.at[i], *owner = fn->is_model ? NULL : owner_of(facts, &fn->span);
        uint64_t key = (uint64_t)(uintptr_t)owner, found;
        if (!owner || owner == owner_of(facts, &facts->lowered->span))
            continue;
        if (!cw_map_get(&told, key, &found))
            note_declared(facts, all, fn, owner);
        cw_map_put(&told, key, 1);
        note_stored(facts, all, fn, owner);
    }
}

static const char *level_text(enum cw_uni level) {
    switch (level) {
    case CW_UNI_CONST:
    case CW_UNI_GRID: return "the same for all threads of the grid";
    case CW_UNI_BLOCK: return "the same for all threads of a block";
    case CW_UNI_WARP: return "the same for all threads of a warp";
    case CW_UNI_DIVERGENT: break;
    }
    return "may differ between the threads of a warp";
}

static cw_ref source_of(const struct variable *variable) {
    cw_ref steps[MAX_STEPS], value = variable->worst;
    uint32_t n = value.tag == CW_REF_INS ? cw_uni_explain(variable->of, value, steps, MAX_STEPS) : 0;
    return n ? steps[n - 1] : value;
}

/* Where the difference begins; NULL: not known, or not worth a word. */
static const char *source_text(const struct variable *variable) {
    cw_ref last = source_of(variable);
    const struct cw_ins *ins = cw_ins_of(variable->of->fn, last);
    if (last.tag == CW_REF_SREG)
        return cw_sreg_cuda((enum cw_sreg)last.index);
    if (ins && ins->op == CW_OP_LOAD)
        return "a value that is loaded from memory";
    return ins && ins->op == CW_OP_ATOMIC ? "the result of an atomic" : NULL;
}

/* Of a function without its callers: a difference that begins in the function is certain, and so are constants. */
static bool depends_on_caller(const struct variable *variable) {
    if (variable->level == CW_UNI_DIVERGENT)
        return source_of(variable).tag == CW_REF_PARAM;
    return variable->level != CW_UNI_CONST;
}

static json_t *variable_json(const struct facts *facts, const struct variable *variable) {
    const char *source = variable->level > CW_UNI_GRID ? source_text(variable) : NULL;
    const char *why = variable->level == CW_UNI_DIVERGENT ? "because of" : "it depends on";
    const char *text = source ? cw_arena_printf(facts->arena, "%s, %s %s", level_text(variable->level), why, source)
                              : level_text(variable->level);
    if (facts->is_alone && depends_on_caller(variable))
        text = "depends on the caller; no kernel that is known here calls the function";
    json_t *o = json_object();
    json_object_set_new(o, "file", cw_json_text(file_at(facts, variable->owner->span.file)));
    put_int(o, "line", variable->owner->span.line);
    put_int(o, "end_line", variable->owner->span.end_line);
    json_object_set_new(o, "name", cw_json_text(variable->name));
    if (variable->owner != owner_of(facts, &facts->lowered->span))
        json_object_set_new(o, "function", cw_json_text(variable->owner->name));
    put_int(o, "level", variable->level);
    json_object_set_new(o, "text", cw_json_text(text));
    return o;
}

static json_t *variables_json(const struct facts *facts) {
    struct variables all = {0};
    json_t *list = json_array();
    const struct cw_fn *lowered = facts->lowered, *owner = owner_of(facts, &lowered->span);
    if (!owner)
        return list;
    note_declared(facts, &all, lowered, owner);
    note_defined(facts, &all);
    for (uint32_t i = 0; i < lowered->params.n; i++)
        if (lowered->params.at[i].name && !lowered->params.at[i].part_of)
            note_level(add_variable(facts, &all, owner, lowered->params.at[i].name), facts->uniformity, CW_UNI_GRID,
                       CW_NONE);
    note_stored(facts, &all, lowered, owner);
    if (facts->fn->sites.n > 1)
        note_passed(facts, &all);
    note_callees(facts, &all);
    for (uint32_t i = 0; i < all.n; i++)
        if (all.at[i].is_known && all.at[i].declared <= 1)
            json_array_append_new(list, variable_json(facts, &all.at[i]));
    return list;
}

/* ---- the kernel ---- */

static json_t *launches_json(const struct facts *facts) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < facts->launches->n; i++)
        json_array_append_new(list, cw_json_text(cw_launch_text(&facts->launches->at[i], facts->arena)));
    return list;
}

void cw_kernel_facts(struct cw_unit *unit, const struct cw_fn *lowered, struct cw_kernel *kernel) {
    struct facts f = {.unit = unit,
                      .lowered = lowered,
                      .kernel = kernel,
                      .fn = cw_kernel_fn(kernel),
                      .launches = cw_kernel_launches(kernel),
                      .uniformity = cw_kernel_uniformity(kernel),
                      .arena = cw_kernel_arena(kernel),
                      .is_alone = lowered->kind != CW_FN_KERNEL};
    json_t *o = json_object();
    put_span(&f, o, &lowered->name_span);
    json_object_set_new(o, "kernel", cw_json_text(lowered->name));
    json_object_set_new(o, "is_kernel", json_boolean(!f.is_alone));
    json_object_set_new(o, "launches", launches_json(&f));
    cw_kernel_renew_lanes(kernel);
    json_object_set_new(o, "collectives", collectives_json(&f));
    json_object_set_new(o, "variables", variables_json(&f));
    char *text = json_dumps(o, JSON_COMPACT);
    if (text && unit->dump) {
        cw_buf_puts(unit->dump, text);
        cw_buf_putc(unit->dump, '\n');
    }
    free(text);
    json_decref(o);
}
