/* Both front ends together: clang decides; what it lost is repaired, else taken from the syntax tree.
 *
 * Repair: an unknown attribute-like macro before a kernel costs clang the whole definition. When an error stands
 * beside such a name, they are defined away and the unit is parsed once more; it counts only when it lost less. The
 * same is tried with the macros that the #ifdef around a lost function asks for, and with those under which a header
 * means __device__ by a name of its own. Fallback: what is lost still is
 * lowered from the tree into clang's module. A kernel of which clang left broken parts is replaced when the tree's
 * version has none. */
#include "front/front.h"

#include "base/bitset.h"
#include "front/auto/standard.h"
#include "source/alternatives.h"
#include "source/device_branches.h"
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

static struct lost find_lost(struct cw_arena *a, const struct cw_module *m, const struct cw_scan *scan) {
    struct lost lost = {0};
    for (uint32_t i = 0; i < scan->functions.n; i++)
        if (!is_delivered(m, &scan->functions.at[i]))
            cw_vec_push(a, &lost, scan->functions.at[i].name_span);
    return lost;
}

static bool is_broken(const struct cw_fn *fn) {
    return fn->is_degraded && fn->bails[CW_BAIL_BROKEN_CODE];
}

/* Itself or what it calls. */
static bool reaches_function(const struct cw_module *m, const struct cw_fn *from, bool (*is)(const struct cw_fn *)) {
    struct cw_fn_list reached = {0};
    struct cw_map seen;
    struct cw_arena scratch;
    bool found = is(from);
    cw_arena_init(&scratch);
    cw_map_init(&seen, &scratch);
    if (!found)
        cw_module_reach(m, from, &seen, &reached, &scratch);
    for (uint32_t i = 0; i < reached.n && !found; i++)
        found = is(reached.at[i]);
    cw_arena_free(&scratch);
    return found;
}

static bool is_degraded(const struct cw_fn *fn) {
    return fn->is_degraded;
}

static uint32_t count_degraded(const struct cw_module *m) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->fns.n; i++)
        n += m->fns.at[i]->kind == CW_FN_KERNEL && reaches_function(m, m->fns.at[i], is_degraded);
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
static const char *define_macro(struct cw_arena *a, const struct cw_unknown_macro *macro) {
    return cw_arena_printf(a, "-D%s%s=%s", macro->name, macro->is_call ? "(...)" : "",
                           macro->is_marked || macro->is_call ? "" : "__host__ __device__");
}

/* A parse of the unit, with what it lost. */
struct attempt {
    CW_VEC(const char *) warnings;
    struct cw_module *(*front_end)(struct cw_arena *, const struct cw_front_options *, const char **);
    struct cw_front_options options;
    struct cw_module *module;
    struct lost lost;
};

static bool is_better(const struct attempt *attempt, const struct attempt *other) {
    uint32_t new = count_degraded(attempt->module), old = count_degraded(other->module);
    if (attempt->lost.n != other->lost.n)
        return attempt->lost.n < other->lost.n;
    return new < old || (new == old && count_errors(attempt->module) < count_errors(other->module));
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
    struct cw_arena *a = best->module->arena;
    struct attempt again = *best;
    const char *error = NULL;
    if (!has_time(&best->options))
        return false;
    again.options.args = args;
    again.options.nargs = nargs;
    if (again.options.shared_notes) /* precompiled with the other arguments */
        again.options.precompiled = again.options.shared_notes = NULL;
    again.module = best->front_end(a, &again.options, &error);
    if (!again.module)
        return false;
    again.lost = find_lost(a, again.module, scan);
    if (!is_better_than(&again, best))
        return false;
    *best = again;
    return true;
}

/* The same with arguments added. */
static void try_more(struct attempt *best, const char *const *more, uint32_t n, const struct cw_scan *scan,
                     is_better_fn is_better_than) {
    struct cw_arena *a = best->module->arena;
    const char **args = CW_NEW_ARRAY(a, const char *, best->options.nargs + n);
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
    uint32_t new = count_degraded(attempt->module), old = count_degraded(other->module);
    uint32_t new_errors = count_own_errors(attempt->module), old_errors = count_own_errors(other->module);
    if (attempt->lost.n != other->lost.n || new_errors > old_errors)
        return attempt->lost.n < other->lost.n && new_errors <= old_errors;
    return new < old || (new == old && new_errors < old_errors);
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

static const char *warning_of(struct cw_arena *a, const char *name, const struct cw_parse_note *problem,
                              bool is_dropped) {
    const char *rest = is_dropped ? "; kernels are read without it" : "";
    if (!problem)
        return cw_arena_printf(a, "-include %s: it breaks the code after it%s", name, rest);
    if (!problem->span.file)
        return cw_arena_printf(a, "-include %s: not found; kernels are read without it", name);
    return cw_arena_printf(a, "-include %s: line %u: %s%s", name, problem->span.line, problem->text, rest);
}

/* A header of the command line that is broken must not cost the kernels: the unit is parsed without it, which
 * counts when less is lost then. What is wrong is said in any case. */
static void drop_broken_includes(struct attempt *best, const struct cw_scan *scan) {
    enum { MAX_TRIES = 4 };
    struct cw_arena *a = best->module->arena;
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
            const char **args = CW_NEW_ARRAY(a, const char *, kept + 1);
            memcpy(args, best->options.args, i * sizeof *args);
            memcpy(args + i, best->options.args + i + 2, (kept - i) * sizeof *args);
            is_dropped = try_arguments(best, args, kept, scan, is_better_without);
        }
        if (problem || is_dropped)
            cw_vec_push(a, &best->warnings, warning_of(a, name, problem, is_dropped));
        i += is_dropped ? 0 : 2;
    }
}

/* ---- the language's standard ---- */

static const char *const later_standard[] = {"-std=c++20"};

/* Nothing says by which standard the unit is built, and its texts have words of C++20: one parse less. */
static void take_later_standard(struct cw_arena *a, struct cw_front_options *options) {
    if (cw_front_has_standard(options) || !cw_front_needs_cxx20(options))
        return;
    const char **args = CW_NEW_ARRAY(a, const char *, options->nargs + 1);
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
    bool is = source && cw_front_ts_suspects_macro(&scratch, source, lines.at, lines.n);
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
    struct cw_arena *a = best->module->arena;
    if (!suspects_macros(best))
        return;
    struct cw_unknown_macros macros = cw_front_ts_unknown_macros(a, &best->options);
    const char **args = CW_NEW_ARRAY(a, const char *, macros.n + 1);
    for (uint32_t i = 0; i < macros.n; i++)
        args[i] = define_macro(a, &macros.at[i]);
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

static const char *hidden_definition(struct cw_arena *a, const struct cw_scan_function *function) {
    const char *macro = function->attribute_macro;
    switch (function->hidden) {
    case CW_HIDDEN_HEAD: return cw_arena_printf(a, "-D%s(name)=__global__ void name", macro);
    case CW_HIDDEN_BY_CALL: return cw_arena_printf(a, "-D%s(...)=__global__", macro);
    default: return cw_arena_printf(a, "-D%s=__global__", macro);
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
    struct cw_arena *a = best->module->arena;
    const char **args = CW_NEW_ARRAY(a, const char *, scan->functions.n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < scan->functions.n; i++) {
        const struct cw_scan_function *f = &scan->functions.at[i];
        if (!f->hidden || !f->is_sure || is_delivered(best->module, f))
            continue;
        const char *arg = hidden_definition(a, f);
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

struct main_text {
    const struct cw_source *source;
    struct cw_branches branches;
};

static struct main_text read_main_text(struct cw_arena *a, const struct cw_front_options *options) {
    struct main_text t = {.source = cw_source_of_text(a, options->path, options->text, options->size)};
    t.branches = cw_branches_read(a, t.source->text, t.source->size);
    return t;
}

/* Index plus 1 of the branch around a place, 0: none. */
static uint32_t branch_of(const struct main_text *main_text, struct cw_span at) {
    return cw_branch_at(&main_text->branches, (uint32_t)cw_source_offset(main_text->source, at.line, at.col));
}

/* The command line, the settings or a header that was found say what the macro is. */
static bool is_told(const struct attempt *best, const char *macro) {
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
    return is_defined(best->module, macro);
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
    struct cw_arena *a = best->module->arena;
    const char **args = CW_NEW_ARRAY(a, const char *, wanted->n + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < wanted->n; i++) {
        const char *arg = cw_arena_printf(a, "-D%s=%" PRId64, wanted->at[i].name, wanted->at[i].value);
        if (!is_in(args, n, arg) && !is_made_so(best, &wanted->at[i]))
            args[n++] = arg;
    }
    if (n)
        try_more(best, args, n, scan, is_better_than);
}

/* A kernel below #ifdef USE_CUDNN or #if HAVE_GPU == 1 is a kernel: the unit is read as it is built with that. */
static void throw_switches(struct attempt *best, const struct cw_scan *scan) {
    struct cw_arena *a = best->module->arena;
    struct main_text text = read_main_text(a, &best->options);
    struct cw_definitions wanted = {0};
    for (uint32_t i = 0; i < best->lost.n; i++) {
        uint32_t branch = branch_of(&text, best->lost.at[i]), before = wanted.n;
        bool is_open = branch && cw_branch_wants(a, &text.branches, branch, is_switch, &wanted);
        for (uint32_t k = before; k < wanted.n && is_open; k++)
            is_open = !is_told(best, wanted.at[k].name);
        wanted.n = is_open ? wanted.n : before;
    }
    define_wanted(best, &wanted, scan, is_better);
}

/* ---- headers that were read as for a build without CUDA ---- */

static void add_device_switches(struct attempt *best, const char *text, size_t size, struct cw_definitions *wanted) {
    struct cw_arena *a = best->module->arena;
    struct cw_branches branches = cw_branches_read(a, text, size);
    struct cw_vec_u32 device = cw_device_branches(a, &branches, text, size);
    for (uint32_t i = 0; i < device.n; i++) {
        uint32_t before = wanted->n;
        bool is_open = cw_branch_wants(a, &branches, device.at[i], is_switch, wanted);
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

/* ---- fallback ---- */

static bool same_place(struct cw_span span, struct cw_span other) {
    return span.file == other.file && span.line == other.line && span.col == other.col;
}

static bool is_from_tree(const struct cw_fn *fn) {
    return strncmp(fn->key, "ts:", 3) == 0;
}

/* Takes out the kernels at a place that came from one of the two. */
static void drop_kernels(struct cw_module *m, struct cw_span name, bool from_tree) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        struct cw_fn *fn = m->fns.at[i];
        bool goes = fn->kind == CW_FN_KERNEL && same_place(fn->name_span, name) && is_from_tree(fn) == from_tree;
        if (!goes)
            m->fns.at[kept++] = fn;
    }
    m->fns.n = kept;
}

/* Clang's kernels at a place as the target of a launch: the only one, or the pattern of all of them, or NULL. */
static const char *launch_target(const struct cw_module *m, struct cw_span name, uint32_t nparams) {
    const char *target = NULL;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || is_from_tree(fn) || !same_place(fn->name_span, name))
            continue;
        const char *key = fn->pattern_key ? fn->pattern_key : fn->key;
        if (fn->params.n != nparams || (target && target != key))
            return NULL;
        target = key;
    }
    return target;
}

/* Before the tree's version of a kernel is dropped, its launches, which clang lost, become those of clang's version. */
static void redirect_launches(struct cw_module *m, struct cw_span name) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        bool goes = fn->kind == CW_FN_KERNEL && is_from_tree(fn) && same_place(fn->name_span, name);
        const char *target = goes ? launch_target(m, name, fn->params.n) : NULL;
        for (uint32_t k = 0; target && k < m->fns.n; k++) {
            struct cw_fn *host = m->fns.at[k];
            for (uint32_t c = 0; host->kind == CW_FN_HOST && c < host->callees.n; c++)
                if (host->callees.at[c] == fn->key)
                    host->callees.at[c] = target;
        }
    }
}

/* The tree's kernel at a place; NULL: none, or several. */
static const struct cw_fn *tree_kernel(const struct cw_module *m, struct cw_span name) {
    const struct cw_fn *found = NULL;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_from_tree(fn) || !same_place(fn->name_span, name))
            continue;
        if (found)
            return NULL;
        found = fn;
    }
    return found;
}

/* In the host's launches and addresses of kernels. Arguments count where both versions have the same. */
static void replace_kernel(struct cw_fn *host, const struct cw_fn *from, const struct cw_fn *to) {
    for (uint32_t k = 0; k < host->ins.n && from->params.n != to->params.n; k++) {
        struct cw_ins *i = &host->ins.at[k];
        bool is_its = i->op == CW_OP_LAUNCH && host->callees.at[i->aux] == from->key;
        if (is_its && i->narg > CW_LAUNCH_ARGS && !(i->flags & CW_INS_ATTRIBUTES))
            i->narg = CW_LAUNCH_ARGS;
    }
    for (uint32_t c = 0; c < host->callees.n; c++)
        if (host->callees.at[c] == from->key)
            host->callees.at[c] = to->key;
    for (uint32_t t = 0; t < host->texts.n; t++)
        if (host->texts.at[t] == from->key)
            host->texts.at[t] = to->key;
}

/* Before clang's version of a kernel is dropped, its launches become those of the tree's version, which is noted. */
static void take_launches(struct cw_module *m, struct cw_span name, struct cw_map *taken) {
    const struct cw_fn *to = tree_kernel(m, name);
    if (to)
        cw_map_put(taken, (uint64_t)(uintptr_t)to->key, 1);
    for (uint32_t i = 0; to && i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        bool goes = fn->kind == CW_FN_KERNEL && !is_from_tree(fn) && same_place(fn->name_span, name);
        for (uint32_t k = 0; goes && k < m->fns.n; k++)
            if (m->fns.at[k]->kind == CW_FN_HOST)
                replace_kernel(m->fns.at[k], fn, to);
    }
}

static bool tree_is_whole(const struct cw_module *m, struct cw_span name) {
    bool any = false;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_from_tree(fn) || !same_place(fn->name_span, name))
            continue;
        if (reaches_function(m, fn, is_degraded))
            return false;
        any = true;
    }
    return any;
}

static struct lost find_broken(struct cw_arena *a, const struct cw_module *m) {
    struct lost broken = {0};
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        bool known = broken.n && same_place(broken.at[broken.n - 1], fn->name_span);
        if (fn->kind == CW_FN_KERNEL && !fn->name_span.file && !known && reaches_function(m, fn, is_broken))
            cw_vec_push(a, &broken, fn->name_span);
    }
    return broken;
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

struct cw_module *cw_front_assume(struct cw_arena *a, const struct cw_front_options *options, struct cw_module *m) {
    struct cw_front_options more = *options;
    const struct cw_assumed *read_with = options->assumed;
    const char *error = NULL;
    struct cw_module *now = m, *again = m;
    while (now->assumed.text && has_time(options)) {
        more.assumed = survey(a, options, &now->assumed);
        again = cw_front_clang(a, &more, &error);
        if (!again)
            break;
        now = again;
        read_with = more.assumed;
    }
    if (!now->assumed.is_awaited)
        return now;
    more.assumed = read_with;
    more.is_last = true;
    again = cw_front_clang(a, &more, &error);
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

/* ---- launches ---- */

enum { OF_KERNEL = 1, OF_ANY = 2 }; /* does clang know whose launch it is? */

/* Lines of the unit's own file at which clang has a launch. */
static struct cw_map launch_lines(const struct cw_module *m) {
    struct cw_map lines;
    cw_map_init(&lines, m->arena);
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        for (uint32_t k = 0; fn->kind == CW_FN_HOST && !is_from_tree(fn) && k < fn->ins.n; k++) {
            struct cw_span at = fn->locs.at[fn->ins.at[k].loc].span;
            if (fn->ins.at[k].op == CW_OP_LAUNCH && !at.file)
                cw_map_put(&lines, at.line,
                           strcmp(fn->callees.at[fn->ins.at[k].aux], CW_LAUNCH_BY_POINTER) == 0 ? OF_ANY : OF_KERNEL);
        }
    }
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

/* A helper of a framework may launch, GpuLaunchKernel(kernel, …), whose header is missing. */
static bool has_launcher(const struct cw_front_options *options) {
    return options->text && (memmem(options->text, options->size, "Launch", 6) ||
                             memmem(options->text, options->size, "launch_", 7));
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

/* A launch in broken host code, as inside a macro that nobody defines, or one that clang has without its kernel, as an
 * argument is of an unknown type. Without errors it is one that nobody compiles. */
static bool lost_launch(const struct cw_module *m, const struct cw_map *lines, const struct cw_scan *scan,
                        const struct cw_front_options *options) {
    if (!count_errors(m))
        return false;
    if (has_launcher(options) && has_kernel_without_launch(m))
        return true;
    for (uint32_t i = 0; i < scan->launches.n; i++) {
        uint64_t known = 0;
        const struct cw_scan_launch *launch = &scan->launches.at[i];
        if (!cw_map_get(lines, launch->span.line, &known) ||
            (known == OF_ANY && launch->callee && names_kernel(scan, plain_name(launch->callee))))
            return true;
    }
    return false;
}

static bool has_errors_in_main_file(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->notes.n; i++)
        if (!m->notes.at[i].span.file && is_error_of_code(&m->notes.at[i]))
            return true;
    return false;
}

/* An include guard is a branch too: one that delivered something is active. By cw_branch_at's numbers. */
static struct cw_bitset active_branches(const struct main_text *text, const struct cw_module *m,
                                        const struct cw_scan *scan) {
    struct cw_bitset active = cw_bitset_new(m->arena, text->branches.n + 1);
    for (uint32_t i = 0; i < scan->functions.n; i++)
        if (is_delivered(m, &scan->functions.at[i]))
            cw_bitset_add(&active, branch_of(text, scan->functions.at[i].name_span));
    return active;
}

/* Clang loses nothing silently: what it says no word about lies in a branch that is not active. The tree would say
 * the same, after it has read all headers. */
static void drop_inactive(struct lost *lost, const struct cw_module *m, const struct cw_front_options *options,
                          const struct cw_scan *scan) {
    struct main_text text;
    uint32_t kept = 0;
    if (!lost->n || has_errors_in_main_file(m))
        return;
    text = read_main_text(m->arena, options);
    struct cw_bitset active = active_branches(&text, m, scan);
    for (uint32_t i = 0; i < lost->n; i++) {
        uint32_t branch = branch_of(&text, lost->at[i]);
        if (!branch || cw_bitset_has(&active, branch))
            lost->at[kept++] = lost->at[i];
    }
    lost->n = kept;
}

/* Are all launches of the tree's function ones that clang has too, of kernels that are clang's, or were? Clang's know
 * more: checks behind macros, constants of headers. */
static bool repeats_launches(const struct cw_map *lines, const struct cw_map *taken, const struct cw_fn *fn) {
    bool any = false;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op != CW_OP_LAUNCH)
            continue;
        struct cw_span at = fn->locs.at[i->loc].span;
        const char *callee = fn->callees.at[i->aux];
        uint64_t known = 0;
        if (at.file || !cw_map_get(lines, at.line, &known) || known != OF_KERNEL ||
            (strncmp(callee, "ts:", 3) == 0 && !cw_map_get(taken, (uint64_t)(uintptr_t)callee, NULL)))
            return false;
        any = true;
    }
    return any;
}

static void drop_repeated_hosts(struct cw_module *m, const struct cw_map *lines, const struct cw_map *taken) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        struct cw_fn *fn = m->fns.at[i];
        if (fn->kind != CW_FN_HOST || !is_from_tree(fn) || !repeats_launches(lines, taken, fn))
            m->fns.at[kept++] = fn;
    }
    m->fns.n = kept;
}

static void fall_back(struct cw_module *m, const struct cw_front_options *options, const struct cw_scan *scan,
                      const struct lost *lost) {
    struct lost broken = find_broken(m->arena, m), all = {0};
    struct cw_map lines = launch_lines(m), taken;
    cw_map_init(&taken, m->arena);
    for (uint32_t i = 0; i < lost->n; i++)
        cw_vec_push(m->arena, &all, lost->at[i]);
    drop_inactive(&all, m, options, scan);
    for (uint32_t i = 0; i < broken.n; i++)
        cw_vec_push(m->arena, &all, broken.at[i]);
    if (!all.n && !lost_launch(m, &lines, scan, options))
        return;
    cw_front_ts_add(m, options, scan, all.at, all.n);
    for (uint32_t i = 0; i < broken.n; i++) {
        bool from_tree = !tree_is_whole(m, broken.at[i]);
        if (from_tree)
            redirect_launches(m, broken.at[i]);
        else
            take_launches(m, broken.at[i], &taken);
        drop_kernels(m, broken.at[i], from_tree);
    }
    drop_repeated_hosts(m, &lines, &taken);
}

struct cw_module *cw_front_auto(struct cw_arena *a, const struct cw_front_options *options, const struct cw_scan *scan,
                                const char **error) {
    struct cw_remade remade = {0};
    struct attempt best = {.front_end = cw_front_clang, .options = *options};
    best.options.remade = &remade;
    take_later_standard(a, &best.options);
    best.module = cw_front_clang(a, &best.options, error);
    if (!best.module)
        return cw_front_ts(a, options, error);
    best.lost = find_lost(a, best.module, scan);
    drop_broken_includes(&best, scan);
    define_hidden(&best, scan);
    if (count_errors(best.module)) {
        try_later_standard(&best, scan);
        throw_device_switches(&best, scan);
        define_unknown(&best, scan);
        drop_restrict(&best, scan);
    }
    if (best.lost.n)
        throw_switches(&best, scan);
    assume_instances(&best, scan);
    fall_back(best.module, &best.options, scan, &best.lost);
    for (uint32_t i = 0; i < best.warnings.n; i++)
        cw_vec_push(a, &best.module->warnings, best.warnings.at[i]);
    return best.module;
}

struct cw_module *cw_front_tree(struct cw_arena *a, const struct cw_front_options *options, const struct cw_scan *scan,
                                const char **error) {
    struct attempt best = {.front_end = cw_front_ts, .options = *options, .module = cw_front_ts(a, options, error)};
    if (!best.module)
        return NULL;
    best.lost = find_lost(a, best.module, scan);
    if (best.lost.n)
        throw_switches(&best, scan);
    return best.module;
}
