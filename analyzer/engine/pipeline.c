/* requires: nothing of the file. computes: its findings and coverage. A file without device code stops after the
 * scan; a kernel's scratch memory goes as soon as its rules have run. */
#include "engine/pipeline.h"

#include "base/str.h"
#include "compdb/kernel_names.h"
#include "compdb/made_header.h"
#include "engine/archs.h"
#include "engine/basis.h"
#include "engine/assumed.h"
#include "engine/assumptions.h"
#include "engine/kernel.h"
#include "engine/other_switches.h"
#include "engine/parse_clock.h"
#include "engine/parts.h"
#include "engine/coverage.h"
#include "engine/prelude.h"
#include "engine/strings.h"
#include "engine/text_rules.h"
#include "front/front.h"
#include "front/shim/shim.h"
#include "launch/launches_elsewhere.h"
#include "source/lexer.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    MAX_NOTES = 20,
    MAX_ADDED_ARCHS = 3,
    MAX_SWITCHED = 3       /* readings with other definitions */
};

/* Processor time: what a file costs, however busy the machine is. */
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Adds the time since *from to *sum and starts anew. */
static void add_lap(double *from, double *sum) {
    double t = cpu_seconds();
    *sum += t - *from;
    *from = t;
}

static void fail_result(struct cw_file_result *result, const char *why) {
    result->failed = true;
    result->failure = why;
}

/* ---- what is analysed ---- */

struct fn_list {
    struct cw_fn **at;
    uint32_t n, cap;
};

/* A template of which the unit holds instantiations is looked at through them. */
static bool has_instance(const struct cw_module *m, const struct cw_fn *pattern) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        if (m->fns.at[i]->pattern_key && !strcmp(m->fns.at[i]->pattern_key, pattern->key))
            return true;
    return false;
}

static bool is_wanted(const struct cw_unit *unit, const struct cw_fn *fn) {
    return fn->kind != CW_FN_HOST && !(fn->is_pattern && has_instance(unit->module, fn)) &&
           (!unit->whole || cw_part_concerns(unit->module, fn, unit->arena));
}

/* Have so many instances of the function's template been chosen that one more adds time only? A finding is reported on
 * the template's lines, once. What is left out counts as such. */
static bool has_enough_instances(struct cw_unit *unit, struct cw_map *chosen, const struct cw_fn *fn) {
    uint64_t n = 0, key = (uint64_t)(uintptr_t)fn->pattern_key;
    if (!fn->pattern_key)
        return false;
    cw_map_get(chosen, key, &n);
    cw_map_put(chosen, key, n + 1);
    unit->bails[CW_BAIL_INSTANCES] += n >= CW_MAX_INSTANCES_ALONE;
    return n >= CW_MAX_INSTANCES_ALONE;
}

/* Kernels, then the device functions that none of them reaches: their callers are elsewhere. Those that another one of
 * them calls are seen through it as well, but their own caller may lie outside too. */
static void choose_functions(struct cw_unit *unit, struct fn_list *kernels, struct fn_list *alone) {
    struct cw_map seen, chosen;
    struct cw_fn_list reached = {0};
    cw_map_init(&seen, unit->arena);
    cw_map_init(&chosen, unit->arena);
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        struct cw_fn *fn = unit->module->fns.at[i];
        if (fn->kind != CW_FN_KERNEL || !is_wanted(unit, fn))
            continue;
        cw_module_reach(unit->module, fn, &seen, &reached, unit->arena);
        cw_vec_push(unit->arena, kernels, fn);
    }
    for (uint32_t i = 0; i < unit->module->fns.n; i++) {
        struct cw_fn *fn = unit->module->fns.at[i];
        if (fn->kind == CW_FN_DEVICE && is_wanted(unit, fn) &&
            !cw_map_get(&seen, (uint64_t)(uintptr_t)fn, NULL) && !has_enough_instances(unit, &chosen, fn))
            cw_vec_push(unit->arena, alone, fn);
    }
}

static void analyse_functions(struct cw_unit *unit) {
    struct fn_list kernels = {0}, alone = {0};
    choose_functions(unit, &kernels, &alone);
    unit->bails[CW_BAIL_INSTANCES] += unit->module->left_out;
    for (uint32_t i = 0; i < kernels.n; i++)
        cw_kernel_analyse(unit, kernels.at[i], kernels.at[i]->is_pattern);
    cw_assumed_settle(unit);
    for (uint32_t i = 0; i < alone.n; i++)
        cw_kernel_analyse(unit, alone.at[i], true);
}

/* ---- parse ---- */

/* The first ones tell; hundreds would be most of what a result is made of. */
static void keep_notes(const struct cw_module *m, struct cw_file_result *result, struct cw_arena *a) {
    for (uint32_t i = 0; i < m->notes.n && i < MAX_NOTES; i++) {
        const struct cw_parse_note *n = &m->notes.at[i];
        const char *file = n->span.file < m->files.n ? m->files.at[n->span.file] : NULL;
        struct cw_remark remark = {{file, n->span.line, n->span.col, n->span.end_line, n->span.end_col}, n->text};
        cw_vec_push(a, &result->parse_notes, remark);
    }
    if (m->notes.n > MAX_NOTES)
        cw_vec_push(a, &result->parse_notes,
                    ((struct cw_remark){{0}, cw_arena_printf(a, "and %u more", m->notes.n - MAX_NOTES)}));
    for (uint32_t i = 0; i < m->warnings.n; i++)
        cw_vec_push(a, &result->warnings, m->warnings.at[i]);
}

/* The arguments for the n-th architecture: sm_90a says so with a macro. */
static const char *const *args_of(struct cw_unit *u, uint32_t n, uint32_t *nargs) {
    const struct cw_unit_options *o = u->options;
    *nargs = o->nargs;
    if (!(o->specific >> n & 1))
        return o->args;
    const char **args = CW_NEW_ARRAY(u->arena, const char *, o->nargs + 1);
    if (o->nargs)
        memcpy(args, o->args, o->nargs * sizeof *args);
    args[(*nargs)++] = cw_arena_printf(u->arena, "-D__CUDA_ARCH_FEAT_SM%u_ALL", o->archs[n]);
    return args;
}

/* A header that the build makes, made of its template. */
static struct cw_front_file made_file(struct cw_unit *unit, const struct cw_made_name *made) {
    const struct cw_source *template = made->template ? cw_sources_get(unit->sources, made->template, NULL) : NULL;
    cw_str text = template ? cw_made_header_text(unit->arena, (cw_str){template->text, template->size})
                           : cw_made_export_header(unit->arena, made->name);
    const char *path = cw_arena_printf(unit->arena, CW_SHIM_MADE "/%s", made->name);
    return (struct cw_front_file){path, text.at ? text.at : "", text.n};
}

/* Headers that are to be read otherwise than the disk has them. The unit's own text goes in by its own name: that of
 * the file, or of a string in it. */
static void add_files(struct cw_unit *unit, const struct cw_unit_options *options, struct cw_front_options *front) {
    uint32_t n = unit->sources->overrides.n;
    const struct cw_source *own = n ? cw_sources_overridden(unit->sources, front->path) : NULL;
    struct cw_front_file *files = CW_NEW_ARRAY(unit->arena, struct cw_front_file, n + options->made.n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_override *o = &unit->sources->overrides.at[i];
        if (o->source != own)
            files[front->nfiles++] = (struct cw_front_file){o->real, o->source->text, o->source->size};
    }
    for (uint32_t i = 0; i < options->made.n; i++)
        files[front->nfiles++] = made_file(unit, &options->made.at[i]);
    front->files = files;
}

/* What the unit is read with that nobody wrote. */
static void note_made(struct cw_unit *unit) {
    const struct cw_made_headers *made = &unit->options->made;
    for (uint32_t i = 0; i < made->n; i++) {
        const char *name = made->at[i].name, *template = made->at[i].template;
        const char *text = cw_arena_printf(unit->arena, "%s is not there: its macros for exports are empty", name);
        if (template)
            text = cw_arena_printf(unit->arena, "%s is not there: made of %s, with only the switches for CUDA on", name,
                                   template);
        cw_vec_push(unit->arena, &unit->result->warnings, text);
    }
}

static struct cw_module *front_end(struct cw_unit *unit, struct cw_front_options *front, const struct cw_scan *scan,
                                   const char **error) {
    if (!unit->options->is_device_only)
        return cw_front_read(unit->arena, front, scan, error);
    front->text = cw_scan_device_text(unit->arena, scan, front->text, front->size);
    return cw_front_clang(unit->arena, front, error);
}

/* Of one architecture's parses; what they all used counts against the limit. */
struct parse_limit {
    uint32_t seconds;
    double began, last, *used;
    bool *is_refused;
};

static void limit_parser(void *ctx, bool begins) {
    struct parse_limit *limit = ctx;
    if (begins) {
        limit->began = cpu_seconds();
        cw_parse_clock_start(limit->seconds);
        return;
    }
    cw_parse_clock_stop();
    limit->last = cpu_seconds() - limit->began;
    *limit->used += limit->last;
}

#ifdef CUWARP_TEST_HOOKS
/* CUWARP_TEST_PARSES="once": there is no time for a second parse. */
static bool is_parsed_once(void) {
    const char *hook = getenv("CUWARP_TEST_PARSES");
    return hook && !strcmp(hook, "once");
}
#else
static bool is_parsed_once(void) {
    return false;
}
#endif

static bool may_parse_again(void *ctx) {
    const struct parse_limit *limit = ctx;
    bool may = *limit->used + limit->last <= limit->seconds && !is_parsed_once();
    *limit->is_refused |= !may;
    return may;
}

static void set_limit(struct cw_unit *unit, struct cw_front_options *front, struct parse_limit *limit) {
    front->surveys = &unit->surveys;
    front->missing = unit->string ? NULL : &unit->missing_names;
    front->limit_parser = limit_parser;
    front->may_parse_again = may_parse_again;
    front->limit_ctx = limit;
}

static void add_includers(struct cw_unit *unit, struct cw_front_options *front) {
    const struct cw_unit_options *o = unit->options;
    struct cw_front_file *files = CW_NEW_ARRAY(unit->arena, struct cw_front_file, o->nincluders + 1);
    for (uint32_t i = 0; i < o->nincluders && !unit->string; i++) {
        const struct cw_source *source = cw_sources_get(unit->sources, o->includers[i].path, NULL);
        if (source)
            files[front->nincluders++] = (struct cw_front_file){o->includers[i].path, source->text, source->size};
    }
    front->includers = files;
}

static struct cw_module *parse_unit(struct cw_unit *unit, const struct cw_source *source, uint32_t n) {
    const struct cw_unit_options *o = unit->options;
    struct cw_front_options front = {.path = unit->result->path, .text = source->text, .size = source->size,
                                     .arch = o->archs[n], .cuda_path = o->cuda_path,
                                     .headers = o->files, .nheaders = o->nfiles};
    front.args = args_of(unit, n, &front.nargs);
    add_files(unit, o, &front);
    add_includers(unit, &front);
    const char *error = "the parser gave no tree";
    if (unit->string) /* other text than the file has */
        front.precompiled = cw_preludes_find(o->preludes, &front);
    else
        cw_preludes_use(o->preludes, &front);
    struct parse_limit limit = {.seconds = cw_parse_seconds(o, source->size), .used = &unit->parse_seconds,
                                .is_refused = &unit->is_parse_refused};
    set_limit(unit, &front, &limit);
    struct cw_module *m = front_end(unit, &front, unit->own_scan, &error);
    if (!m)
        fail_result(unit->result, error);
    else if (unit->string)
        cw_string_unit_place_module(unit->string, m);
    return m;
}

/* How another file is parsed for the unit. */
static struct cw_front_options options_of_other(struct cw_unit *unit, const struct cw_other_unit *other,
                                                const struct cw_source *source) {
    const struct cw_unit_options *o = other->options;
    struct cw_front_options front = {.path = other->path, .text = source->text, .size = source->size,
                                     .args = o->args, .nargs = o->nargs, .arch = unit->arch,
                                     .cuda_path = o->cuda_path, .headers = o->files, .nheaders = o->nfiles};
    add_files(unit, o, &front);
    return front;
}

/* Parses a file that launches kernels of the unit, for its host code alone. It could only add to what is known: nothing
 * is said where it cannot be read, or has no time. */
static void read_launcher(struct cw_unit *unit, const struct cw_other_unit *launcher) {
    const struct cw_unit_options *o = launcher->options;
    const char *error = NULL;
    const struct cw_source *source = cw_sources_get(unit->sources, launcher->path, &error);
    struct parse_limit limit = {.seconds = cw_parse_seconds(o, source ? source->size : 0),
                                .used = &unit->parse_seconds, .is_refused = &unit->is_parse_refused};
    if (!source || unit->parse_seconds > limit.seconds)
        return;
    struct cw_front_options front = options_of_other(unit, launcher, source);
    cw_preludes_use(o->preludes, &front);
    set_limit(unit, &front, &limit);
    struct cw_module *other = cw_front_clang(unit->arena, &front, &error);
    if (!other)
        return;
    cw_launch_prepare_hosts(other, unit->module);
    cw_launch_take(unit->module, other);
}

/* Host code may compile its strings when it runs, and ask for their kernels by name. */
static void read_host_of_string(struct cw_unit *unit) {
    const struct cw_source *file = unit->string->file;
    struct cw_other_unit self = {unit->result->path, unit->options};
    if (!cw_str_ends(cw_str_of(self.path), ".py") && cw_kernel_names_asks((cw_str){file->text, file->size}) &&
        !unit->options->is_device_only && cw_launch_is_lacking(unit->module))
        read_launcher(unit, &self);
}

static void read_launchers(struct cw_unit *unit) {
    if (unit->string)
        read_host_of_string(unit);
    for (uint32_t i = 0; i < unit->options->nlaunchers && !unit->string; i++)
        if (!unit->options->is_device_only && cw_launch_is_lacking(unit->module))
            read_launcher(unit, &unit->options->launchers[i]);
}

static void prepare_module(struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++)
        cw_tail_calls(m->fns.at[i]);
    cw_launch_prepare_hosts(m, NULL);
}

/* The definitions that one reading has besides the options'. */
static void add_switches(struct cw_unit *unit, struct cw_front_options *front) {
    const struct cw_other_switches *switches = unit->switches;
    uint32_t more = switches ? switches->args.n : 0;
    const char **args = CW_NEW_ARRAY(unit->arena, const char *, front->nargs + more + 1);
    if (front->nargs)
        memcpy(args, front->args, front->nargs * sizeof *args);
    if (more)
        memcpy(args + front->nargs, switches->args.at, more * sizeof *args);
    front->args = args;
    front->nargs += more;
}

/* The includer's module, with the unit's file as its main one; NULL: it does not read the file. The file's text is the
 * one that the run has of it, which may not be on the disk. */
static struct cw_module *read_whole(struct cw_unit *unit, const struct cw_source *part,
                                    const struct cw_other_unit *whole) {
    char real[PATH_MAX];
    const char *path = unit->result->path, *error = NULL;
    const struct cw_source *source = realpath(path, real) ? cw_sources_get(unit->sources, whole->path, &error) : NULL;
    struct parse_limit limit = {.seconds = cw_parse_seconds(unit->options, source ? source->size : 0),
                                .used = &unit->parse_seconds, .is_refused = &unit->is_parse_refused};
    if (!source || unit->parse_seconds > limit.seconds)
        return NULL;
    struct cw_front_options front = options_of_other(unit, whole, source);
    struct cw_front_file *files = CW_NEW_ARRAY(unit->arena, struct cw_front_file, front.nfiles + 1);
    if (front.nfiles)
        memcpy(files, front.files, front.nfiles * sizeof *files);
    files[front.nfiles++] = (struct cw_front_file){real, part->text, part->size};
    front.files = files;
    add_switches(unit, &front);
    set_limit(unit, &front, &limit);
    const struct cw_scan *scan = cw_scan_text(unit->arena, source->text, source->size);
    struct cw_module *m = front_end(unit, &front, scan, &error);
    uint32_t file = m ? cw_part_file(m, path) : 0;
    if (!file)
        return NULL;
    cw_part_make_main(m, file, path);
    prepare_module(m);
    return m;
}

/* Where the only thing that lacks is a launch, some text that the includer reads has to name the kernel. */
static bool may_tell(struct cw_unit *unit, const struct cw_source *source, const struct cw_part_reading *alone,
                     const struct cw_other_unit *whole) {
    const struct cw_module *m = unit->module;
    const struct cw_unit_options *o = whole->options;
    char own[PATH_MAX], real[PATH_MAX];
    if (!cw_part_is_lacking(alone))
        return false;
    if (alone->errors || !o->nfiles || !realpath(unit->result->path, own) ||
        cw_part_names_unlaunched(m, (cw_str){source->text, source->size}, true))
        return true;
    for (uint32_t i = 0; i <= o->nfiles; i++) {
        const char *path = i < o->nfiles ? o->files[i] : whole->path;
        const struct cw_source *text = cw_sources_get(unit->sources, path, NULL);
        bool is_own = realpath(path, real) && !strcmp(real, own);
        if (text && !is_own && cw_part_names_unlaunched(m, (cw_str){text->text, text->size}, false))
            return true;
    }
    return false;
}

/* A file that lacks something when it is read by itself is read as the part of another file that it is. */
static void read_includers(struct cw_unit *unit, const struct cw_source *source) {
    struct cw_part_reading alone = cw_part_reading_of(unit->module, 0);
    for (uint32_t i = 0; i < unit->options->nincluders && !unit->whole && !unit->is_by_itself; i++) {
        const struct cw_other_unit *whole = &unit->options->includers[i];
        struct cw_module *m = may_tell(unit, source, &alone, whole) ? read_whole(unit, source, whole) : NULL;
        struct cw_part_reading with = m ? cw_part_reading_of(m, 0) : (struct cw_part_reading){0};
        if (!m || !cw_part_is_better(&with, &alone))
            continue;
        const char *text = cw_arena_printf(unit->arena, "read as a part of %s, which includes it", whole->path);
        cw_vec_push(unit->arena, &unit->result->parse_notes, ((struct cw_remark){{0}, text}));
        unit->whole = whole;
        unit->module = m;
    }
    unit->is_by_itself = !unit->whole;
}

/* The unit's module, ready for the analyses; false when there is none. */
static bool read_module(struct cw_unit *unit, const struct cw_source *source, uint32_t n) {
    unit->module = unit->whole ? read_whole(unit, source, unit->whole) : parse_unit(unit, source, n);
    if (!unit->module || unit->whole)
        return unit->module != NULL;
    prepare_module(unit->module);
    if (!unit->string && unit->options->nincluders && !unit->options->includers_name)
        read_includers(unit, source);
    return true;
}

/* What is read for a later architecture than the one opted out with is code for others. */
static void set_arch(struct cw_unit *unit, uint32_t n) {
    struct cw_opt_out out = cw_archs_opt_out(unit->options);
    unit->arch = unit->options->archs[n];
    unit->opt_out = unit->arch <= out.virtual_sm ? out : (struct cw_opt_out){0, 0};
}

static void run_arch(struct cw_unit *unit, const struct cw_source *source, uint32_t n) {
    double from = cpu_seconds();
    bool first = n == 0 && !unit->switches;
    set_arch(unit, n);
    cw_map_init(&unit->instances, unit->arena); /* each architecture has the same budgets */
    cw_map_init(&unit->code_hashes, unit->arena);
    bool is_read = read_module(unit, source, n);
    add_lap(&from, &unit->result->seconds_parse);
    if (!is_read)
        return;
    if (first)
        keep_notes(unit->module, unit->result, unit->arena);
    for (uint32_t i = 0; i < unit->module->reads.n; i++)
        cw_vec_push(unit->arena, &unit->result->reads, unit->module->reads.at[i]);
    read_launchers(unit);
    cw_assume_uniform(unit);
    analyse_functions(unit);
    add_lap(&from, &unit->result->seconds_analyse);
    cw_text_rules_run(unit, source, first && !unit->string);
    if (unit->switches)
        return;
    cw_basis_list(unit);
    if (first)
        cw_coverage(unit);
    else
        cw_coverage_more(unit);
}

/* `// cuwarp: launch block=256` is a fact like a launch in the file. */
static void read_launch_comments(struct cw_unit *unit) {
    CW_VEC(struct cw_launch_comment) comments = {0};
    for (uint32_t i = 0; i < unit->scan->directives.n; i++) {
        struct cw_launch_comment c = {.span = unit->scan->directives.at[i].span};
        if (cw_launch_comment_parse(unit->scan->directives.at[i].text, &c))
            cw_vec_push(unit->arena, &comments, c);
    }
    unit->launch.comments = comments.at;
    unit->launch.ncomments = comments.n;
}

/* Sums per reason over all functions; zero counts are left out. */
static void keep_bails(struct cw_unit *unit) {
    for (int b = 0; b < CW_NBAILS; b++) {
        struct cw_bail_count count = {cw_bail_text((enum cw_bail)b), unit->bails[b]};
        if (count.count && b != CW_BAIL_NONE)
            cw_vec_push(unit->arena, &unit->result->bails, count);
    }
}

static uint64_t peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

static bool is_cuda_name(const char *path) {
    cw_str p = cw_str_of(path);
    return cw_str_ends(p, ".cu") || cw_str_ends(p, ".cuh");
}

static bool is_hip(const struct cw_unit *unit, const struct cw_source *source) {
    const struct cw_unit_options *o = unit->options;
    enum cw_name_says name = o->is_in_hip_folder               ? CW_NAME_SAYS_HIP
                             : is_cuda_name(unit->result->path) ? CW_NAME_SAYS_CUDA
                                                             : CW_NAME_SAYS_NOTHING;
    return !o->is_cuda && cw_scan_is_hip(unit->arena, unit->scan, source->text, source->size, name);
}

static void run_given_archs(struct cw_unit *unit, const struct cw_source *source) {
    for (uint32_t i = 0; i < unit->options->narchs && !unit->result->failed; i++) {
        unit->adds_archs = unit->options->adds_archs && unit->options->narchs < CW_MAX_ARCHS;
        run_arch(unit, source, i);
    }
}

/* Code below `#if __CUDA_ARCH__ >= 900` is part of what is built, also where nobody says for which architectures:
 * one after the other, those are looked at that some kernel has code for. */
static void run_later_archs(struct cw_unit *unit, const struct cw_source *source) {
    const struct cw_unit_options *given = unit->options;
    struct cw_unit_options wider = *given;
    unit->options = &wider;
    for (uint32_t added = 0; unit->later_arch && !unit->result->failed && wider.narchs < CW_MAX_ARCHS; added++) {
        wider.archs[wider.narchs++] = unit->later_arch;
        unit->later_arch = 0;
        unit->late_macros = NULL;
        unit->adds_archs = added + 1 < MAX_ADDED_ARCHS && wider.narchs < CW_MAX_ARCHS;
        run_arch(unit, source, wider.narchs - 1);
    }
    unit->options = given;
}

/* Reads the unit with definitions besides the options'. What fails then is no failure of the unit. */
static void run_with(struct cw_unit *unit, const struct cw_source *source, const struct cw_other_switches *switches) {
    const struct cw_unit_options *given = unit->options;
    struct cw_unit_options wider = *given;
    const char **args = CW_NEW_ARRAY(unit->arena, const char *, given->nargs + switches->args.n);
    if (given->nargs)
        memcpy(args, given->args, given->nargs * sizeof *args);
    memcpy(args + given->nargs, switches->args.at, switches->args.n * sizeof *args);
    wider.args = args;
    wider.nargs += switches->args.n;
    unit->options = &wider;
    unit->switches = switches;
    unit->adds_archs = false;
    run_arch(unit, source, 0);
    unit->switches = NULL;
    unit->options = given;
    unit->result->failed = false;
    unit->result->failure = NULL;
}

/* Barriers below a switch that nobody threw: the unit is read once more with it. */
static void run_other_switches(struct cw_unit *unit, const struct cw_source *source) {
    const struct cw_unit_options *o = unit->options;
    struct cw_other_switches switches;
    if (unit->string || !unit->module || unit->result->failed || o->dump != CW_DUMP_NONE ||
        o->is_device_only)
        return;
    struct cw_switch_walk walk = cw_switch_walk_begin(unit, source);
    double each = unit->parse_seconds;
    for (uint32_t n = 0; n < MAX_SWITCHED && cw_switch_walk_next(unit, &walk, &switches); n++) {
        unit->is_parse_refused |= unit->parse_seconds + each > cw_parse_seconds(o, source->size);
        if (unit->is_parse_refused)
            return;
        run_with(unit, source, &switches);
    }
}

static void run_archs(struct cw_unit *unit, const struct cw_source *source) {
    run_given_archs(unit, source);
    run_later_archs(unit, source);
    run_other_switches(unit, source);
}

static struct cw_unit new_unit(const struct cw_unit_options *options, struct cw_sources *sources,
                               struct cw_file_result *result, struct cw_arena *a, struct cw_buf *dump) {
    struct cw_unit u = {.options = options, .sources = sources, .result = result, .arena = a, .dump = dump,
                        .launch = options->launch};
    cw_map_init(&u.partial, a);
    cw_map_init(&u.basis, a);
    cw_map_init(&u.instances, a);
    cw_map_init(&u.read_before, a);
    cw_map_init(&u.statements, a);
    cw_map_init(&u.handed, a);
    cw_map_init(&u.branches, a);
    return u;
}

static bool is_python(const char *path) {
    return cw_embedded_language_of(path) == CW_EMBEDDED_PYTHON;
}

/* The first look: whether there is something to parse. */
static void scan_file(struct cw_unit *unit, const struct cw_source *source) {
    struct cw_file_result *r = unit->result;
    double from = cpu_seconds();
    bool is_program = !is_python(r->path); /* in another language, nothing outside of strings is CUDA */
    unit->scan = cw_scan_text(unit->arena, source->text, is_program ? source->size : 0);
    unit->own_scan = unit->scan;
    add_lap(&from, &r->seconds_scan);
    bool may_have_code = unit->options->instances || unit->scan->has_device_code;
    r->is_hip = may_have_code && is_hip(unit, source);
    r->has_device_code = may_have_code && !r->is_hip;
    if (r->is_hip)
        cw_vec_push(unit->arena, &r->parse_notes, ((struct cw_remark){{0}, "code for HIP, which is not analysed"}));
    r->has_directives = unit->scan->directives.n || unit->scan->is_truncated;
}

/* `{% if … %}` of Jinja and its like: what a generator makes of the text is CUDA, the text itself is not. */
static bool is_generator_template(const struct cw_source *source) {
    struct cw_lexer l;
    struct cw_token t;
    cw_lexer_init(&l, source->text, source->size);
    while ((t = cw_lexer_next(&l)).kind != CW_TOKEN_END)
        if (t.kind == CW_TOKEN_PUNCT && source->text[t.at] == '{' && t.at + 1 < source->size &&
            source->text[t.at + 1] == '%')
            return true;
    return false;
}

static void run_file(struct cw_unit *unit, const struct cw_source *source) {
    static const char *const template = "a template of a code generator, which is not CUDA source";
    scan_file(unit, source);
    if (unit->result->has_device_code && is_generator_template(source)) {
        cw_vec_push(unit->arena, &unit->result->parse_notes, ((struct cw_remark){{0}, template}));
        cw_coverage_unread(unit, template);
        return;
    }
    read_launch_comments(unit);
    if (unit->result->has_device_code)
        note_made(unit);
    if (unit->result->has_device_code)
        run_archs(unit, source);
    if (unit->whole)
        cw_part_finish(unit->result);
}

/* ---- strings ---- */

/* NVRTC says so to the code, and it knows no header of the host. */
static const struct cw_unit_options *string_options(const struct cw_unit_options *options,
                                                    const struct cw_embedded *embedded, struct cw_arena *a) {
    struct cw_unit_options *copy = CW_NEW(a, struct cw_unit_options);
    const char **args = CW_NEW_ARRAY(a, const char *, options->nargs + 1);
    *copy = *options;
    if (options->nargs)
        memcpy(args, options->args, options->nargs * sizeof *args);
    if (embedded->is_rtc)
        args[copy->nargs++] = "-D__CUDACC_RTC__=1";
    copy->args = args;
    return copy;
}

static void run_string(struct cw_unit *file, const struct cw_source *source, const struct cw_embedded *embedded) {
    struct cw_file_result *r = file->result;
    const struct cw_source *text = cw_source_of_text(file->arena, r->path, embedded->text, embedded->size);
    struct cw_unit u =
        new_unit(string_options(file->options, embedded, file->arena), file->sources, r, file->arena, file->dump);
    struct cw_string_unit place = {embedded, source, text};
    u.own_scan = cw_scan_text(u.arena, text->text, text->size);
    u.scan = cw_string_unit_place_scan(&place, u.own_scan, u.arena);
    u.string = &place;
    if (!u.scan->functions.n) /* speaks of device code, as an error message does */
        return;
    r->has_device_code = true;
    r->embedded++;
    r->has_directives |= u.scan->directives.n || u.scan->is_truncated;
    if (embedded->obstacle) {
        cw_coverage_unread(&u, embedded->obstacle);
        return;
    }
    read_launch_comments(&u);
    run_archs(&u, text);
    cw_string_unit_check_fixes(&place, r);
    for (int b = 0; b < CW_NBAILS; b++)
        file->bails[b] += u.bails[b];
}

/* Each value is compiled by itself. Those of a program for another maker's compiler are none of ours. */
static void run_strings(struct cw_unit *unit, const struct cw_source *source) {
    enum cw_embedded_language language = cw_embedded_language_of(unit->result->path);
    bool is_theirs = language == CW_EMBEDDED_CPP && is_hip(unit, source);
    struct cw_embedded_list list = cw_embedded_find(unit->arena, is_theirs ? CW_EMBEDDED_NONE : language, source->text,
                                                    source->size);
    for (uint32_t i = 0; i < list.n && !unit->result->failed; i++)
        run_string(unit, source, &list.at[i]);
}

static const struct cw_source *open_source(struct cw_sources *sources, struct cw_file_result *result) {
    const char *error = NULL;
    const struct cw_source *source = cw_sources_get(sources, result->path, &error);
    if (!source)
        fail_result(result, error);
    else if (source->is_binary)
        fail_result(result, "a binary file");
    return result->failed ? NULL : source;
}

bool cw_pipeline_scan(const struct cw_unit_options *options, struct cw_sources *sources, struct cw_file_result *result,
                      struct cw_arena *a) {
    struct cw_unit u = new_unit(options, sources, result, a, NULL);
    const struct cw_source *source = open_source(sources, result);
    if (!source)
        return true;
    scan_file(&u, source);
    if (result->has_device_code)
        return false;
    read_launch_comments(&u);
    enum cw_embedded_language language = options->embedded ? cw_embedded_language_of(result->path) : CW_EMBEDDED_NONE;
    if (language != CW_EMBEDDED_NONE && cw_embedded_find(a, language, source->text, source->size).n)
        return false;
    keep_bails(&u);
    result->peak_bytes = peak_bytes();
    return true;
}

void cw_pipeline(const struct cw_unit_options *options, struct cw_sources *sources, struct cw_file_result *result,
                 struct cw_arena *a, struct cw_buf *dump) {
    struct cw_unit u = new_unit(options, sources, result, a, dump);
    const struct cw_source *source = open_source(sources, result);
    if (!source)
        return;
    run_file(&u, source);
    if (options->embedded && !result->failed)
        run_strings(&u, source);
    keep_bails(&u);
    result->peak_bytes = peak_bytes();
}
