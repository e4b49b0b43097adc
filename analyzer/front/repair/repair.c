/* What clang lost of a unit is repaired, and the unit is parsed once more; a parse counts only when it lost less.
 *
 * An unknown attribute-like macro before a kernel costs clang the whole definition. When an error stands beside such a
 * name, they are defined away. The same is tried with the macros that the #ifdef around a lost function asks for, and
 * with those under which a header means __device__ by a name of its own. */
#include "front/front.h"

#include "front/repair/missing.h"
#include "front/repair/standard.h"
#include "ir/order.h"
#include "source/alternatives.h"
#include "source/device_branches.h"
#include "source/lexed.h"
#include "source/makers.h"
#include "source/source.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct lost {
    struct cw_span *at; /* places of names */
    uint32_t n, cap;
};

/* ---- what is missing ---- */

/* A definition whose head was not understood may come out as a host function of the same name. */
static bool is_delivered(const struct cw_module *m, const struct cw_scan_function *function) {
    bool any_kind = !function->is_kernel || (function->hidden && !function->is_sure);
    for (uint32_t i = 0; i < m->seen.n && any_kind; i++)
        if (cw_scan_is_same(function, m->seen.at[i].name, m->seen.at[i].span))
            return true;
    for (uint32_t i = 0; i < m->fns.n; i++)
        if ((m->fns.at[i]->kind == (function->is_kernel ? CW_FN_KERNEL : CW_FN_DEVICE) ||
             (function->is_kernel && any_kind && m->fns.at[i]->kind == CW_FN_DEVICE)) &&
            cw_scan_is_same(function, m->fns.at[i]->name, m->fns.at[i]->span))
            return true;
    return false;
}

static struct lost find_lost(struct cw_arena *arena, const struct cw_module *m, const struct cw_scan *scan) {
    struct lost lost = {0};
    for (uint32_t i = 0; i < scan->functions.n; i++)
        if (!is_delivered(m, &scan->functions.at[i]))
            cw_vec_push(arena, &lost, scan->functions.at[i].name_span);
    return lost;
}

/* Itself or what it calls. */
static bool reaches_degraded(const struct cw_module *m, const struct cw_fn *from) {
    struct cw_fn_list reached = {0};
    struct cw_map seen;
    struct cw_arena scratch;
    bool found = from->is_degraded;
    cw_arena_init(&scratch);
    cw_map_init(&seen, &scratch);
    if (!found)
        cw_module_reach(m, from, &seen, &reached, &scratch);
    for (uint32_t i = 0; i < reached.n && !found; i++)
        found = reached.at[i]->is_degraded;
    cw_arena_free(&scratch);
    return found;
}

static uint32_t count_degraded(const struct cw_module *m, bool only_own) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        n += fn->kind == CW_FN_KERNEL && (!only_own || !fn->name_span.file) && reaches_degraded(m, fn);
    }
    return n;
}

/* One other than that a header is not there. */
static bool is_error_of_code(const struct cw_parse_note *parse_note) {
    return parse_note->is_error && !strstr(parse_note->text, "file not found");
}

static uint32_t count_errors(const struct cw_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->notes.n; i++)
        n += is_error_of_code(&m->notes.at[i]);
    return n;
}

/* ---- repair ---- */

/* A macro that makes a function of both sides is written before functions without any other mark. */
static const char *define_macro(struct cw_arena *arena, const struct cw_unknown_macro *macro) {
    return cw_arena_printf(arena, "-D%s%s=%s", macro->name, macro->is_call ? "(...)" : "",
                           macro->is_marked || macro->is_call ? "" : "__host__ __device__");
}

/* A parse of the unit, with what it lost. */
struct attempt {
    bool declares_missing; /* see struct cw_module */
    CW_VEC(const char *) warnings;
    struct cw_front_options options;
    struct cw_module *module;
    struct lost lost;
};

static bool is_better(const struct attempt *attempt, const struct attempt *other) {
    uint32_t new = count_degraded(attempt->module, false), old = count_degraded(other->module, false);
    if (attempt->lost.n != other->lost.n)
        return attempt->lost.n < other->lost.n;
    return new < old || (new == old &&count_errors(attempt->module) < count_errors(other->module));
}

/* A name that was taken for a macro and is none breaks the code around it: what is lost is degraded no more. */
static bool is_better_without_more_errors(const struct attempt *attempt, const struct attempt *other) {
    return is_better(attempt, other) && count_errors(attempt->module) <= count_errors(other->module);
}

typedef bool (*is_better_fn)(const struct attempt *attempt, const struct attempt *other);

static bool has_time(const struct cw_front_options *options) {
    return !options->may_parse_again || options->may_parse_again(options->limit_ctx);
}

/* Parses once more with other arguments; the attempt counts, and true is returned, only when it is better. */
static bool try_arguments(struct attempt *best, const char *const *args, uint32_t nargs, const struct cw_scan *scan,
                          is_better_fn is_better_than) {
    struct cw_arena *arena = best->module->arena;
    struct attempt again = *best;
    const char *error = NULL;
    if (!has_time(&best->options))
        return false;
    again.options.args = args;
    again.options.nargs = nargs;
    if (again.options.shared_notes) /* precompiled with the other arguments */
        again.options.precompiled = again.options.shared_notes = NULL;
    again.module = cw_front_clang(arena, &again.options, &error);
    if (!again.module)
        return false;
    again.lost = find_lost(arena, again.module, scan);
    if (!is_better_than(&again, best))
        return false;
    *best = again;
    return true;
}

/* The same with arguments added. */
static void try_more(struct attempt *best, const char *const *more, uint32_t n, const struct cw_scan *scan,
                     is_better_fn is_better_than) {
    struct cw_arena *arena = best->module->arena;
    const char **args = CW_NEW_ARRAY(arena, const char *, best->options.nargs + n);
    if (best->options.nargs)
        memcpy(args, best->options.args, best->options.nargs * sizeof *args);
    memcpy(args + best->options.nargs, more, n * sizeof *args);
    (void)try_arguments(best, args, best->options.nargs + n, scan, is_better_than);
}

static void try_again(struct attempt *best, const char *const *more, uint32_t n, const struct cw_scan *scan) {
    try_more(best, more, n, scan, is_better);
}

/* ---- headers that the command line includes ---- */

/* Errors in the main file, where a header that ends in the middle of a declaration shows. */
static uint32_t count_own_errors(const struct cw_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->notes.n; i++)
        n += !m->notes.at[i].span.file && is_error_of_code(&m->notes.at[i]);
    return n;
}

static bool is_better_without(const struct attempt *attempt, const struct attempt *other) {
    uint32_t new = count_degraded(attempt->module, false), old = count_degraded(other->module, false);
    uint32_t new_errors = count_own_errors(attempt->module), old_errors = count_own_errors(other->module);
    if (attempt->lost.n != other->lost.n || new_errors > old_errors)
        return attempt->lost.n < other->lost.n && new_errors <= old_errors;
    return new < old || (new == old &&new_errors < old_errors);
}

/* clang calls "x.h" what it found in a directory of the search as "directory/x.h". */
static bool is_file_named(const char *path, const char *name) {
    size_t n = strlen(path), length = strlen(name);
    return n >= length && !strcmp(path + n - length, name) && (n == length || path[n - length - 1] == '/');
}

/* The first error that clang found in the header, or that it did not find the header; NULL: none. */
static const struct cw_parse_note *problem_of(const struct cw_module *m, const char *name) {
    const char *missing = cw_arena_printf(m->arena, "'%s' file not found", name);
    for (uint32_t i = 0; i < m->notes.n; i++) {
        const struct cw_parse_note *n = &m->notes.at[i];
        bool is_there = n->span.file && is_file_named(m->files.at[n->span.file], name) && is_error_of_code(n);
        if (is_there || (n->is_error && !strcmp(n->text, missing)))
            return n;
    }
    return NULL;
}

static const char *warning_of(struct cw_arena *arena, const char *name, const struct cw_parse_note *problem,
                              bool is_dropped) {
    const char *rest = is_dropped ? "; kernels are read without it" : "";
    if (!problem)
        return cw_arena_printf(arena, "-include %s: it breaks the code after it%s", name, rest);
    if (!problem->span.file)
        return cw_arena_printf(arena, "-include %s: not found; kernels are read without it", name);
    return cw_arena_printf(arena, "-include %s: line %u: %s%s", name, problem->span.line, problem->text, rest);
}

/* A header of the command line that is broken must not cost the kernels: the unit is parsed without it, which
 * counts when less is lost then. What is wrong is said in any case. */
static void drop_broken_includes(struct attempt *best, const struct cw_scan *scan) {
    enum { MAX_TRIES = 4 };
    struct cw_arena *arena = best->module->arena;
    uint32_t tries = 0;
    uint32_t i = 0;
    while (i + 1 < best->options.nargs) {
        const char *name = best->options.args[i + 1];
        if (strcmp(best->options.args[i], "-include") != 0) {
            i++;
            continue;
        }
        const struct cw_parse_note *problem = problem_of(best->module, name);
        bool breaks_code = best->lost.n && count_own_errors(best->module), is_dropped = false;
        bool is_suspect = problem ? problem->span.file != 0 : breaks_code;
        if (is_suspect && tries++ < MAX_TRIES) {
            uint32_t kept = best->options.nargs - 2;
            const char **args = CW_NEW_ARRAY(arena, const char *, kept + 1);
            memcpy(args, best->options.args, i * sizeof *args);
            memcpy(args + i, best->options.args + i + 2, (kept - i) * sizeof *args);
            is_dropped = try_arguments(best, args, kept, scan, is_better_without);
        }
        if (problem || is_dropped)
            cw_vec_push(arena, &best->warnings, warning_of(arena, name, problem, is_dropped));
        i += is_dropped ? 0 : 2;
    }
}

/* ---- the language's standard ---- */

static const char *const later_standard[] = {"-std=c++20"};

/* Nothing says by which standard the unit is built, and its texts have words of C++20: one parse less. */
static void take_later_standard(struct cw_arena *arena, struct cw_front_options *options) {
    if (cw_front_has_standard(options) || !cw_front_needs_cxx20(options))
        return;
    const char **args = CW_NEW_ARRAY(arena, const char *, options->nargs + 1);
    if (options->nargs)
        memcpy(args, options->args, options->nargs * sizeof *args);
    args[options->nargs++] = later_standard[0];
    options->args = args;
    options->precompiled = options->shared_notes = NULL; /* precompiled by the standard before */
}

/* Nothing says by which standard the unit is built: where it is broken as C++17, it is read as C++20. */
static void try_later_standard(struct attempt *best, const struct cw_scan *scan) {
    bool is_wanted = false;
    for (uint32_t i = 0; i < best->module->notes.n && !is_wanted && !cw_front_has_standard(&best->options); i++)
        is_wanted = is_error_of_code(&best->module->notes.at[i]) && cw_front_lacks_cxx20(&best->module->notes.at[i]);
    if (is_wanted)
        try_more(best, later_standard, 1, scan, is_better_without_more_errors);
}

/* ---- is there anything to define? ---- */

/* A second parse, and the preprocessing that finds the names, cost as much as the first parse. Without an error
 * beside a name that may be such a macro they would change nothing. */
static bool suspects_in_file(const struct attempt *attempt, uint32_t file) {
    const struct cw_module *m = attempt->module;
    const struct cw_source *source = NULL;
    struct cw_arena scratch;
    const char *error;
    CW_VEC(uint32_t) lines = {0};
    cw_arena_init(&scratch);
    for (uint32_t i = 0; i < m->notes.n; i++)
        if (m->notes.at[i].span.file == file && is_error_of_code(&m->notes.at[i]))
            cw_vec_push(&scratch, &lines, m->notes.at[i].span.line);
    if (lines.n && !file)
        source = cw_source_of_text(&scratch, attempt->options.path, attempt->options.text, attempt->options.size);
    else if (lines.n)
        source = cw_source_load(&scratch, m->files.at[file], &error);
    bool is = source && cw_repair_suspects_macro(&scratch, source, lines.at, lines.n);
    cw_arena_free(&scratch);
    return is;
}

static bool suspects_macros(const struct attempt *attempt) {
    enum { MAX_FILES = 64 };
    for (uint32_t i = 0; i < attempt->module->files.n && i < MAX_FILES; i++)
        if (suspects_in_file(attempt, i))
            return true;
    return false;
}

static void define_unknown(struct attempt *best, const struct cw_scan *scan) {
    struct cw_arena *arena = best->module->arena;
    if (!suspects_macros(best))
        return;
    struct cw_unknown_macros macros = cw_repair_unknown_macros(arena, &best->options);
    const char **args = CW_NEW_ARRAY(arena, const char *, macros.n + 1);
    for (uint32_t i = 0; i < macros.n; i++)
        args[i] = define_macro(arena, &macros.at[i]);
    if (macros.n)
        try_more(best, args, macros.n, scan, is_better_without_more_errors);
}

/* ---- kernels that a macro hides ---- */

static bool is_defined(const struct cw_module *m, const char *macro) {
    struct cw_arena scratch;
    const char *error;
    bool is = false;
    cw_arena_init(&scratch);
    for (uint32_t i = 1; i < m->files.n && !is; i++) {
        const struct cw_source *s = cw_source_load(&scratch, m->files.at[i], &error);
        is = s && cw_macro_is_defined(s->text, s->size, macro);
    }
    cw_arena_free(&scratch);
    return is;
}

static const char *hidden_definition(struct cw_arena *arena, const struct cw_scan_function *function) {
    const char *macro = function->attribute_macro;
    switch (function->hidden) {
    case CW_HIDDEN_HEAD: return cw_arena_printf(arena, "-D%s(name)=__global__ void name", macro);
    case CW_HIDDEN_BY_CALL: return cw_arena_printf(arena, "-D%s(...)=__global__", macro);
    default: return cw_arena_printf(arena, "-D%s=__global__", macro);
    }
}

static bool is_in(const char *const *at, uint32_t n, const char *text) {
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(at[i], text))
            return true;
    return false;
}

/* `PROJECT_KERNEL void k()` where no header that was found defines the macro: it is read as if it meant __global__. */
static void define_hidden(struct attempt *best, const struct cw_scan *scan) {
    struct cw_arena *arena = best->module->arena;
    const char **args = CW_NEW_ARRAY(arena, const char *, scan->functions.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < scan->functions.n; i++) {
        const struct cw_scan_function *f = &scan->functions.at[i];
        if (!f->hidden || !f->is_sure || is_delivered(best->module, f))
            continue;
        const char *arg = hidden_definition(arena, f);
        if (!is_in(args, n, arg) && !is_defined(best->module, f->attribute_macro))
            args[n++] = arg;
    }
    if (n)
        try_again(best, args, n, scan);
}

/* ---- classes that are passed with __restrict__ ---- */

/* "no matching function for call to 'k'", of a kernel template of the main file. */
static bool lacks_match(const struct cw_parse_note *note, const struct cw_scan *scan) {
    static const char start[] = "no matching function for call to '";
    const char *name = !strncmp(note->text, start, sizeof start - 1) ? note->text + sizeof start - 1 : NULL;
    for (uint32_t i = 0; name && i < scan->functions.n; i++) {
        const struct cw_scan_function *f = &scan->functions.at[i];
        cw_str base = cw_scan_base_name(f->name);
        if (f->is_kernel && f->is_template && !strncmp(name, base.at, base.n) && name[base.n] == '\'')
            return true;
    }
    return false;
}

/* nvcc takes `M __restrict__ map` of a template for a class too, clang finds no such function then: the unit is read
 * without the word. */
static void drop_restrict(struct attempt *best, const struct cw_scan *scan) {
    static const char *const args[] = {"-D__restrict__=", "-D__restrict="};
    bool is_wanted = false;
    for (uint32_t i = 0; i < best->module->notes.n && !is_wanted; i++)
        is_wanted = lacks_match(&best->module->notes.at[i], scan);
    if (is_wanted && memmem(best->options.text, best->options.size, "__restrict", strlen("__restrict")))
        try_again(best, args, sizeof args / sizeof args[0], scan);
}

/* ---- branches that no macro makes active ---- */

/* Switches of a project may be thrown; the compiler's and the system's names, and other makers' devices, are facts. */
static bool is_switch(const char *name) {
    return name[0] != '_' && !cw_is_other_makers_macro(name);
}

enum { MACRO_STEPS = 4 }; /* macros that stand for each other */

struct main_text {
    const struct cw_source *source;
    struct cw_branches branches;
};

static struct main_text read_main_text(struct cw_arena *arena, const struct cw_front_options *options) {
    struct main_text t = {.source = cw_source_of_text(arena, options->path, options->text, options->size)};
    t.branches = cw_branches_read(arena, t.source->text, t.source->size);
    return t;
}

/* Index plus 1 of the branch around a place, 0: none. */
static uint32_t branch_of(const struct main_text *main_text, struct cw_span at) {
    return cw_branch_at(&main_text->branches, (uint32_t)cw_source_offset(main_text->source, at.line, at.col));
}

static bool is_argument(const struct attempt *best, const char *macro) {
    size_t n = strlen(macro);
    for (uint32_t i = 0; i < best->options.nargs; i++) {
        const char *arg = best->options.args[i], *told = arg + 2;
        if (strncmp(arg, "-D", 2) != 0 && strncmp(arg, "-U", 2) != 0)
            continue;
        if (!*told && i + 1 < best->options.nargs) /* "-D", "NAME=1" */
            told = best->options.args[i + 1];
        if (!strncmp(told, macro, n) && (!told[n] || told[n] == '='))
            return true;
    }
    return false;
}

/* The name that a file which was read gives for the macro, NULL: no file defines it; empty: one says what it is. */
static const char *other_name(const struct attempt *best, const char *macro) {
    const struct cw_module *m = best->module;
    const char *error, *name = NULL;
    for (uint32_t i = 1; i < m->files.n; i++) {
        struct cw_arena scratch;
        cw_arena_init(&scratch);
        const struct cw_source *s = cw_source_load(&scratch, m->files.at[i], &error);
        if (s && cw_macro_is_defined(s->text, s->size, macro)) {
            cw_str other = cw_macro_other_name(s->text, s->size, macro);
            name = cw_arena_strndup(m->arena, other.at, other.n);
        }
        cw_arena_free(&scratch);
        if (name && !*name)
            break;
    }
    return name;
}

/* The command line, the settings or a header that was found say what the macro is. `#define USE_CUDA LIB_USE_CUDA` does
 * not, where LIB_USE_CUDA would come from a header that is missing. */
static bool is_told(const struct attempt *best, const char *macro) {
    const char *name = macro;
    for (uint32_t step = 0; name && step < MACRO_STEPS; step++) {
        if (!*name || is_argument(best, name))
            return true;
        name = other_name(best, name);
    }
    return name != NULL;
}

/* A header that a build makes was made in memory with the definition, and read: an argument would change nothing. */
static bool is_made_so(const struct attempt *best, const struct cw_definition *wanted) {
    const struct cw_front_options *options = &best->options;
    for (uint32_t i = 0; i < options->nfiles; i++) {
        const struct cw_front_file *f = &options->files[i];
        if (is_in(best->module->made_reads.at, best->module->made_reads.n, f->path) &&
            cw_macro_is_defined_as(f->text, f->size, wanted->name, wanted->value))
            return true;
    }
    return false;
}

static void define_wanted(struct attempt *best, const struct cw_definitions *wanted, const struct cw_scan *scan,
                          is_better_fn is_better_than) {
    struct cw_arena *arena = best->module->arena;
    const char **args = CW_NEW_ARRAY(arena, const char *, wanted->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < wanted->n; i++) {
        const char *arg = cw_arena_printf(arena, "-D%s=%" PRId64, wanted->at[i].name, wanted->at[i].value);
        if (!is_in(args, n, arg) && !is_made_so(best, &wanted->at[i]))
            args[n++] = arg;
    }
    if (n)
        try_more(best, args, n, scan, is_better_than);
}

/* A kernel below #ifdef USE_CUDNN or #if HAVE_GPU == 1 is a kernel: the unit is read as it is built with that. */
static void throw_switches(struct attempt *best, const struct cw_scan *scan) {
    struct cw_arena *arena = best->module->arena;
    struct main_text text = read_main_text(arena, &best->options);
    struct cw_definitions wanted = {0};
    for (uint32_t i = 0; i < best->lost.n; i++) {
        uint32_t branch = branch_of(&text, best->lost.at[i]), before = wanted.n;
        bool is_open = branch && cw_branch_wants(arena, &text.branches, branch, is_switch, &wanted);
        for (uint32_t k = before; k < wanted.n && is_open; k++)
            is_open = !is_told(best, wanted.at[k].name);
        wanted.n = is_open ? wanted.n : before;
    }
    define_wanted(best, &wanted, scan, is_better);
}

/* ---- headers that were read as for a build without CUDA ---- */

static void add_device_switches(struct attempt *best, const char *text, size_t size, struct cw_definitions *wanted) {
    struct cw_arena *arena = best->module->arena;
    struct cw_branches branches = cw_branches_read(arena, text, size);
    struct cw_vec_u32 device = cw_device_branches(arena, &branches, text, size);
    for (uint32_t i = 0; i < device.n; i++) {
        uint32_t before = wanted->n;
        bool is_open = cw_branch_wants(arena, &branches, device.at[i], is_switch, wanted);
        for (uint32_t k = before; k < wanted->n && is_open; k++)
            is_open = !is_told(best, wanted->at[k].name);
        wanted->n = is_open ? wanted->n : before;
    }
}

static bool may_switch_device(const struct cw_source *source) {
    return memmem(source->text, source->size, "__device__", strlen("__device__")) ||
           memmem(source->text, source->size, "include <cuda", strlen("include <cuda"));
}

/* How the unit is built is known: of a reading as such, more kernels are no loss, though some of them are degraded. */
static bool has_fewer_errors(const struct attempt *attempt, const struct attempt *other) {
    return attempt->lost.n <= other->lost.n && count_errors(attempt->module) < count_errors(other->module);
}

/* Where WITH_CUDA makes a header's macro mean __device__, and no specifier otherwise, or includes the CUDA runtime, the
 * .cu file is built with it. */
static void throw_device_switches(struct attempt *best, const struct cw_scan *scan) {
    struct cw_definitions wanted = {0};
    const char *error;
    for (uint32_t i = 0; i < best->module->reads.n; i++) {
        struct cw_arena scratch;
        cw_arena_init(&scratch);
        const struct cw_source *s = cw_source_load(&scratch, best->module->reads.at[i], &error);
        if (s && may_switch_device(s))
            add_device_switches(best, s->text, s->size, &wanted);
        cw_arena_free(&scratch);
    }
    define_wanted(best, &wanted, scan, has_fewer_errors);
}

/* ---- names that no header gives ---- */

enum { OF_KERNEL = 1, OF_ANY = 2 }; /* is it known whose launch it is? */

static void add_launch_lines(const struct cw_fn *fn, struct cw_arena *scratch, struct cw_map *lines) {
    struct cw_order_of_blocks order = {0};
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        struct cw_span at = fn->locs.at[fn->ins.at[k].loc].span;
        if (fn->ins.at[k].op != CW_OP_LAUNCH || at.file)
            continue;
        if (!order.n)
            order = cw_order_blocks(fn, scratch);
        if (cw_order_reaches(&order, fn->ins.at[k].block)) /* not in a switch that was lost around it */
            cw_map_put(lines, at.line,
                       strcmp(fn->callees.at[fn->ins.at[k].aux], CW_LAUNCH_BY_POINTER) == 0 ? OF_ANY : OF_KERNEL);
    }
}

/* Lines of the unit's own file at which the module has a launch. */
static struct cw_map launch_lines(const struct cw_module *m, bool with_patterns, struct cw_arena *scratch) {
    struct cw_map lines;
    cw_map_init(&lines, scratch);
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->kind == CW_FN_HOST && (with_patterns || !m->fns.at[i]->is_pattern))
            add_launch_lines(m->fns.at[i], scratch, &lines);
    return lines;
}

/* The name in `name`, `space::name` and `name<arguments>`. */
static cw_str plain_name(const char *callee) {
    size_t end = strcspn(callee, "<"), begin = end;
    while (begin > 0 && (isalnum((unsigned char)callee[begin - 1]) || callee[begin - 1] == '_'))
        begin--;
    return (cw_str){callee + begin, end - begin};
}

static bool names_kernel(const struct cw_scan *scan, cw_str name) {
    for (uint32_t i = 0; i < scan->functions.n; i++)
        if (scan->functions.at[i].is_kernel && cw_str_is(name, scan->functions.at[i].name))
            return true;
    return false;
}

/* Launches of the text that the parse lost with broken host code, or of which it lost the kernel, as an argument is of
 * an unknown type. */
static uint32_t count_lost_launches(const struct cw_module *m, bool with_patterns, const struct cw_scan *scan) {
    struct cw_arena scratch;
    uint32_t n = 0;
    cw_arena_init(&scratch);
    struct cw_map lines = launch_lines(m, with_patterns, &scratch);
    for (uint32_t i = 0; i < scan->launches.n; i++) {
        uint64_t known = 0;
        const struct cw_scan_launch *launch = &scan->launches.at[i];
        n += !cw_map_get(&lines, launch->span.line, &known) ||
             (known == OF_ANY && launch->callee && names_kernel(scan, plain_name(launch->callee)));
    }
    cw_arena_free(&scratch);
    return n;
}

struct words {
    CW_VEC(cw_str) list;
};

static bool has_word(const struct words *words, cw_str word) {
    for (uint32_t i = 0; i < words->list.n; i++)
        if (cw_str_eq(words->list.at[i], word))
            return true;
    return false;
}

/* Is token i declared, `void launch_on(`, or a member, not called by its name? */
static bool is_declared_or_member(const struct cw_lexed *tokens, uint32_t i) {
    static const char *const marks[] = {">", "*", "&", ".", "->"}, *const words[] = {"return", "else", "do"};
    cw_str before = i ? cw_lexed_text(tokens, i - 1) : (cw_str){"", 0};
    bool is = i && tokens->at[i - 1].kind == CW_TOKEN_NAME;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        is &= !cw_str_is(before, words[k]);
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        is |= cw_str_is(before, marks[k]);
    return is;
}

/* A helper of a framework may launch, GpuLaunchKernel(kernel, …), whose header is missing: one that the text calls, and
 * does not declare. */
static bool has_launcher(const struct cw_front_options *options) {
    struct cw_arena scratch;
    struct words called = {0}, declared = {0};
    bool has = false;
    if (!options->text || !memmem(options->text, options->size, "aunch", strlen("aunch")))
        return false;
    cw_arena_init(&scratch);
    struct cw_lexed tokens = cw_lexed_read(&scratch, (cw_str){options->text, options->size});
    for (uint32_t i = 0; i < tokens.n; i++) {
        cw_str name = cw_lexed_text(&tokens, i);
        bool is_function = tokens.at[i].kind == CW_TOKEN_NAME && memmem(name.at, name.n, "aunch", strlen("aunch")) &&
                           (cw_lexed_is(&tokens, i + 1, "(") || cw_lexed_is(&tokens, i + 1, "<"));
        if (is_function && cw_names_launcher(cw_arena_strndup(&scratch, name.at, name.n)))
            cw_vec_push(&scratch, &(is_declared_or_member(&tokens, i) ? &declared : &called)->list, name);
    }
    for (uint32_t i = 0; i < called.list.n && !has; i++)
        has = !has_word(&declared, called.list.at[i]);
    cw_arena_free(&scratch);
    return has;
}

static bool is_launched(const struct cw_module *m, const struct cw_fn *kernel) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        for (uint32_t k = 0; m->fns.at[i]->kind == CW_FN_HOST && k < m->fns.at[i]->callees.n; k++)
            if (m->fns.at[i]->callees.at[k] == kernel->key || m->fns.at[i]->callees.at[k] == kernel->pattern_key)
                return true;
    return false;
}

static bool has_kernel_without_launch(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->kind == CW_FN_KERNEL && !m->fns.at[i]->name_span.file && !is_launched(m, m->fns.at[i]))
            return true;
    return false;
}

/* What declarations may win. A function that was lost may be one that is read in part with them. */
struct lack {
    uint32_t functions, in_part, launches; /* in part: also kernels that are read as a template's pattern only */
    uint32_t own_in_part;                  /* of the main file, without patterns */
    uint32_t nowhere;                      /* launches that not even a host template has, which may be instantiated */
};

static uint32_t count_patterns(const struct cw_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->fns.n; i++)
        n += m->fns.at[i]->kind == CW_FN_KERNEL && m->fns.at[i]->is_pattern;
    return n;
}

static struct lack find_lack(const struct attempt *attempt, const struct cw_scan *scan) {
    const struct cw_module *m = attempt->module;
    struct lack lack = {.functions = attempt->lost.n,
                        .in_part = count_degraded(m, false) + count_patterns(m),
                        .launches = count_lost_launches(m, false, scan),
                        .own_in_part = count_degraded(m, true),
                        .nowhere = count_lost_launches(m, true, scan)};
    if (has_launcher(&attempt->options))
        lack.launches += has_kernel_without_launch(m);
    return lack;
}

static bool is_less(struct lack lack, struct lack other) {
    bool is_no_more = lack.functions <= other.functions && lack.launches <= other.launches &&
                      lack.functions + lack.in_part <= other.functions + other.in_part;
    uint32_t sum = 2 * lack.functions + lack.in_part + lack.launches;
    uint32_t of_other = 2 * other.functions + other.in_part + other.launches;
    return is_no_more && (sum < of_other || (sum == of_other && lack.nowhere < other.nowhere));
}

/* In the place of an earlier text of the file. */
static void set_file(struct cw_arena *arena, struct cw_front_options *options, struct cw_front_file file) {
    struct cw_front_file *files = CW_NEW_ARRAY(arena, struct cw_front_file, options->nfiles + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < options->nfiles; i++)
        if (strcmp(options->files[i].path, file.path) != 0)
            files[n++] = options->files[i];
    files[n++] = file;
    options->files = files;
    options->nfiles = n;
}

/* One that has not failed yet. */
static bool is_parsed(const struct attempt *attempt, const struct attempt *other) {
    (void)other;
    return attempt->module != NULL;
}

/* May another parse with more names give a launch or a function, or fields of the file's own classes? The first shows
 * what classes of headers lack, of which the unit's own code may have more. */
static bool is_promising(struct lack now, int round, bool has_own_names) {
    bool lacks_code = now.functions + now.launches > 0;
    if (round == 0)
        return lacks_code || (now.own_in_part > 0 && has_own_names);
    return lacks_code && (round == 1 || has_own_names);
}

/* A type that nobody declares costs clang the function whose parameter it is, the fields of a class, and each statement
 * that names it, a value the branch that asks for it. Declared, they are only unknown, and what stood behind them shows
 * that it is missing, too. */
static void declare_missing(struct attempt *best, struct cw_missing *missing, const struct cw_scan *scan) {
    enum { MAX_ROUNDS = 5 };
    static const char *const include[] = {"-include", CW_MISSING_PATH};
    struct cw_arena *arena = best->module->arena;
    struct attempt with = *best;
    struct lack least = find_lack(best, scan), now = least;
    bool is_any_known = cw_missing_has_some(missing), has_own_names = false;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        const struct cw_module *before = with.module;
        bool is_more = cw_missing_add(missing, with.module, &with.options, &has_own_names);
        if (!is_promising(now, round, has_own_names) || !(is_more || (round == 0 && is_any_known)))
            break;
        const char *text = cw_missing_text(missing);
        set_file(arena, &with.options, (struct cw_front_file){CW_MISSING_PATH, text, strlen(text)});
        cw_missing_launchers(missing, &with.options);
        try_more(&with, include, round || best->declares_missing ? 0 : 2, scan, is_parsed);
        if (with.module == before)
            break;
        now = find_lack(&with, scan);
        if (!is_less(now, least))
            continue;
        least = now;
        *best = with;
        best->declares_missing = true;
    }
}

/* ---- instances ---- */

static bool is_asked_about(const struct cw_survey *survey, const char *path, const struct cw_assumed *assumed) {
    const struct cw_assumed *before = &survey->before;
    bool is = !strcmp(survey->path, path) && !strcmp(before->text, assumed->text) && !before->declarations &&
              !assumed->declarations && before->bodies.n == assumed->bodies.n;
    for (uint32_t i = 0; is && i < assumed->bodies.n; i++)
        is = !strcmp(before->bodies.at[i].path, assumed->bodies.at[i].path) &&
             before->bodies.at[i].from == assumed->bodies.at[i].from &&
             before->bodies.at[i].to == assumed->bodies.at[i].to;
    return is;
}

/* What an earlier survey found, for this module's own question. */
static const struct cw_assumed *known_survey(struct cw_arena *a, const struct cw_front_options *options,
                                             const struct cw_assumed *assumed) {
    for (uint32_t i = 0; options->surveys && i < options->surveys->n; i++) {
        const struct cw_survey *survey = &options->surveys->at[i];
        if (!is_asked_about(survey, options->path, assumed))
            continue;
        struct cw_assumed *known = CW_NEW(a, struct cw_assumed);
        *known = *assumed;
        known->declarations = survey->after.declarations;
        known->left_out.n = known->left_out.cap = 0;
        known->left_out.at = NULL;
        for (uint32_t k = 0; k < survey->after.left_out.n; k++)
            cw_vec_push(a, &known->left_out, survey->after.left_out.at[k]);
        return known;
    }
    return NULL;
}

/* Host templates that make many instances are first asked which: the bodies of most are not needed. */
static const struct cw_assumed *survey(struct cw_arena *a, const struct cw_front_options *options,
                                       const struct cw_assumed *assumed) {
    struct cw_front_options asked = *options;
    const char *error = NULL;
    asked.assumed = assumed;
    asked.is_survey = true;
    const struct cw_assumed *known = assumed->bodies.n ? known_survey(a, options, assumed) : assumed;
    if (known)
        return known;
    const struct cw_module *m = cw_front_clang(a, &asked, &error);
    if (m && options->surveys)
        cw_vec_push(a, options->surveys, ((struct cw_survey){options->path, *assumed, m->assumed}));
    return m ? &m->assumed : assumed;
}

struct cw_module *cw_front_assume(struct cw_arena *arena, const struct cw_front_options *options, struct cw_module *m) {
    struct cw_front_options more = *options;
    const struct cw_assumed *read_with = options->assumed;
    const char *error = NULL;
    struct cw_module *now = m, *again = m;
    while (now->assumed.text && has_time(options)) {
        more.assumed = survey(arena, options, &now->assumed);
        again = cw_front_clang(arena, &more, &error);
        if (!again)
            break;
        now = again;
        read_with = more.assumed;
    }
    if (!now->assumed.is_awaited)
        return now;
    more.assumed = read_with;
    more.is_last = true;
    again = cw_front_clang(arena, &more, &error);
    return again ? again : m;
}

/* Templates of kernels that nothing instantiates are read once more, with plausible arguments. */
static void assume_instances(struct attempt *best, const struct cw_scan *scan) {
    struct attempt again = *best;
    again.module = cw_front_assume(best->module->arena, &best->options, best->module);
    again.lost = find_lost(again.module->arena, again.module, scan);
    if (again.lost.n <= best->lost.n)
        *best = again;
}

/* ---- the front end ---- */

static struct cw_missing *known_missing(struct cw_arena *arena, const struct cw_front_options *options) {
    if (!options->missing)
        return cw_missing_new(arena);
    if (!*options->missing)
        *options->missing = cw_missing_new(arena);
    return *options->missing;
}

struct cw_module *cw_front_read(struct cw_arena *arena, const struct cw_front_options *options,
                                const struct cw_scan *scan, const char **error) {
    struct cw_remade remade = {0};
    struct attempt best = {.options = *options};
    struct cw_missing *missing = known_missing(arena, options);
    best.options.remade = &remade;
    take_later_standard(arena, &best.options);
    best.module = cw_front_clang(arena, &best.options, error);
    if (!best.module)
        return NULL;
    best.lost = find_lost(arena, best.module, scan);
    drop_broken_includes(&best, scan);
    define_hidden(&best, scan);
    if (count_errors(best.module)) {
        try_later_standard(&best, scan);
        throw_device_switches(&best, scan);
        define_unknown(&best, scan);
        drop_restrict(&best, scan);
        declare_missing(&best, missing, scan);
    }
    const struct cw_module *before = best.module;
    if (best.lost.n)
        throw_switches(&best, scan);
    if (best.module != before && count_errors(best.module)) /* of code that was not active */
        declare_missing(&best, missing, scan);
    assume_instances(&best, scan);
    best.module->declares_missing = best.declares_missing;
    for (uint32_t i = 0; i < best.warnings.n; i++)
        cw_vec_push(arena, &best.module->warnings, best.warnings.at[i]);
    return best.module;
}
