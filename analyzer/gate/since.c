#include "gate/since.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/scratch.h"
#include "base/str.h"
#include "engine/sources.h"
#include "gate/export.h"
#include "gate/repository.h"
#include "rules/hook_versions.h"
#include "rules/registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct gate {
    struct cw_since *since;
    struct cw_arena *arena;
    const struct cw_run_options *options; /* as given */
    struct cw_run_options run;            /* for the files that matter */
    struct cw_sources *sources;
    struct cw_run_report *report;
    struct cw_repository *repository;
    struct cw_changes changes;
    const char *root;   /* real path of the tree that is looked at: the working tree, or the index as a folder */
    const char *below;  /* the working directory below it, "" or "/sub" */
    struct cw_scratch index_folder, base_folder;
    const char *index;  /* folder with the index, or NULL */
    const char *base;   /* folder with the base, or NULL */
    int here;           /* the working directory */
    struct cw_map changed; /* hash of a real path -> 1 */
    CW_VEC(const char *) paths;              /* operands, from the working directory */
    CW_VEC(const char *) files;              /* those that matter */
    CW_VEC(const struct cw_unit_options *) units; /* the same */
    struct cw_run_state *state;              /* of the run over them */
    struct cw_run_report before_report;
    struct cw_version before, now;
    struct cw_map unit_of;                   /* hash of a file's name -> index in units */
};

static int report_failure(const struct gate *gate, const char *error) {
    cw_error("--%s: %s", gate->since->staged && !gate->since->ref ? "staged" : "since", error);
    return -1;
}

static uint64_t key_of(const char *text) {
    return cw_hash(text, strlen(text), 0);
}

/* ---- where ---- */

static bool is_below(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (path[n] == '/' || !path[n]);
}

/* `path` (below the tree's root, "/a/b.cu") from the working directory, with ".." as needed. */
static const char *from_here(struct gate *gate, const char *path) {
    struct cw_buf out = {0};
    size_t same = 0;
    for (size_t n = 0;
         gate->below[n] == path[n] || (!gate->below[n] && path[n] == '/') || (gate->below[n] == '/' && !path[n]); n++) {
        if ((!gate->below[n] || gate->below[n] == '/') && (!path[n] || path[n] == '/'))
            same = n;
        if (!gate->below[n] || !path[n])
            break;
    }
    for (const char *c = gate->below + same; *c; c++)
        if (*c == '/')
            cw_buf_puts(&out, "../");
    cw_buf_puts(&out, path[same] ? path + same + 1 : "");
    while (out.n > 1 && out.at[out.n - 1] == '/')
        out.at[--out.n] = '\0';
    const char *text = cw_arena_strdup(gate->arena, out.n ? out.at : ".");
    cw_buf_free(&out);
    return text;
}

static const char *add_operand(struct gate *gate, const char *operand) {
    char full[PATH_MAX];
    const char *folder = cw_repository_folder(gate->repository);
    if (!realpath(operand, full))
        return cw_arena_printf(gate->arena, "%s: %s", operand, strerror(errno));
    if (!is_below(full, folder))
        return cw_arena_printf(gate->arena, "%s lies outside of the repository %s", operand, folder);
    const char *name = operand[0] == '/' ? from_here(gate, full + strlen(folder)) : operand;
    cw_vec_push(gate->arena, &gate->paths, name);
    return NULL;
}

static const char *find_place(struct gate *gate) {
    char here[PATH_MAX];
    const char *error = NULL;
    gate->repository = cw_repository_open(gate->arena, &error);
    if (!gate->repository)
        return error;
    gate->root = cw_repository_folder(gate->repository);
    if (!realpath(".", here))
        return strerror(errno);
    gate->below = cw_arena_strdup(gate->arena, is_below(here, gate->root) ? here + strlen(gate->root) : "");
    for (uint32_t i = 0; i < gate->options->npaths && !error; i++)
        error = add_operand(gate, gate->options->paths[i]);
    if (!error && gate->options->stdin_name)
        error = "standard input is in no version";
    return error;
}

/* Into the folder of a version that stands where the working directory stands in the repository. */
static const char *enter_folder(struct gate *gate, const char *folder) {
    cw_export_folders(gate->arena, folder, gate->below);
    return chdir(cw_arena_printf(gate->arena, "%s%s", folder, gate->below)) ? strerror(errno) : NULL;
}

static const char *leave_folder(struct gate *gate) {
    return fchdir(gate->here) ? strerror(errno) : NULL;
}

/* ---- what matters ---- */

static const char *export_index(struct gate *gate) {
    const char *error = NULL;
    if (!gate->since->staged || !cw_repository_is_dirty(gate->repository))
        return NULL;
    error = cw_scratch_make(gate->arena, &gate->index_folder);
    gate->index = gate->index_folder.path;
    if (!error)
        error = cw_repository_export_index(gate->repository, gate->index);
    if (!error)
        error = enter_folder(gate, gate->index);
    gate->root = gate->index ? gate->index : gate->root;
    return error;
}

static const char *find_changes(struct gate *gate) {
    const char *error = cw_repository_set_base(gate->repository, gate->since->ref);
    if (!error)
        error = cw_repository_changes(gate->repository, gate->since->staged, &gate->changes);
    if (!error)
        error = export_index(gate);
    cw_map_init(&gate->changed, gate->arena);
    for (uint32_t i = 0; i < gate->changes.n; i++) {
        const struct cw_change *c = &gate->changes.at[i];
        if (c->now)
            cw_map_put(&gate->changed, key_of(cw_arena_printf(gate->arena, "%s/%s", gate->root, c->now)), 1);
    }
    return error;
}

static bool is_changed(const struct gate *gate, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) && cw_map_get(&gate->changed, key_of(full), NULL);
}

/* A unit matters when it or what it may include has changed, or when that is not known. */
static bool may_have_changed(const struct gate *gate, const char *path, const struct cw_unit_options *options) {
    if (options->is_open || is_changed(gate, path))
        return true;
    for (uint32_t i = 0; i < options->nfiles; i++)
        if (is_changed(gate, options->files[i]))
            return true;
    return false;
}

static int find_files(struct gate *gate) {
    struct cw_run_options all = *gate->options;
    all.paths = gate->paths.at;
    all.npaths = gate->paths.n;
    all.own = gate->index;
    struct cw_run_state *r = cw_run_open(&all, gate->sources, gate->arena);
    if (!r)
        return -1;
    cw_map_init(&gate->unit_of, gate->arena);
    for (uint32_t i = 0; i < cw_run_nfiles(r) && gate->changes.n; i++) {
        const char *path = cw_run_path(r, i);
        if (!may_have_changed(gate, path, cw_run_unit(r, i)))
            continue;
        cw_map_put(&gate->unit_of, key_of(path), gate->files.n);
        cw_vec_push(gate->arena, &gate->files, path);
        cw_vec_push(gate->arena, &gate->units, cw_run_unit(r, i));
    }
    cw_run_close(r);
    gate->since->files = gate->files.n;
    return 0;
}

/* ---- now ---- */

/* The folder will be gone when the findings are shown: texts are read now, and its files get their real names. */
static void load_text(struct gate *gate, struct cw_place *place) {
    const struct cw_source *s = place->file ? cw_sources_get(gate->sources, place->file, NULL) : NULL;
    if (!s || !is_below(place->file, gate->index))
        return;
    place->file =
        cw_arena_printf(gate->arena, "%s%s", cw_repository_folder(gate->repository), place->file + strlen(gate->index));
    cw_sources_put(gate->sources, place->file, cw_source_of_text(gate->arena, place->file, s->text, s->size));
}

static void load_remarks(struct gate *gate, struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        load_text(gate, &at[i].place);
}

static void load_finding(struct gate *gate, struct cw_finding *finding) {
    load_text(gate, &finding->place);
    load_remarks(gate, finding->inlined_at.at, finding->inlined_at.n);
    load_remarks(gate, finding->labels.at, finding->labels.n);
    load_remarks(gate, finding->notes.at, finding->notes.n);
    load_text(gate, &finding->suppression.place);
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        for (uint32_t k = 0; k < finding->fixes.at[i].edits.n; k++)
            load_text(gate, &finding->fixes.at[i].edits.at[k].place);
}

static void keep_sources(struct gate *gate) {
    for (uint32_t i = 0; i < gate->report->findings.n; i++)
        load_finding(gate, &gate->report->findings.at[i]);
    for (uint32_t i = 0; i < gate->report->suppressed.n; i++)
        load_finding(gate, &gate->report->suppressed.at[i]);
}

/* As the configuration has it, and with the barriers of each function written down. */
static const struct cw_file_options *options_now(void *ctx, const char *path, const char **error) {
    struct gate *g = ctx;
    struct cw_file_options *o = CW_NEW(g->arena, struct cw_file_options);
    if (!cw_run_file_options(g->options, path, o, error))
        return NULL;
    o->unit.dump = CW_DUMP_SYNCS;
    return o;
}

static int run_now(struct gate *gate) {
    struct cw_buf dump = {0};
    gate->run = *gate->options;
    gate->run.paths = gate->files.at;
    gate->run.npaths = gate->files.n;
    gate->run.excludes = NULL; /* the files are known */
    gate->run.options_of = options_now;
    gate->run.ctx = gate;
    gate->run.own = gate->index;
    gate->state = cw_run_open(&gate->run, gate->sources, gate->arena);
    int failed = !gate->state || cw_run_all(gate->state, &dump);
    gate->now.folder = gate->root;
    cw_version_read(&gate->now, gate->arena, (cw_str){dump.at, dump.n});
    cw_buf_free(&dump);
    return failed ? -1 : 0;
}

/* ---- before ---- */

/* "-I/repo/include" means the base's folder there: a name from the working directory, so that what is kept of one
 * folder serves for the next. */
static const char *move_argument(struct gate *gate, const char *arg) {
    const char *folder = gate->index ? gate->index : cw_repository_folder(gate->repository);
    size_t option = !strncmp(arg, "-I", 2) ? 2 : 0;
    if (!is_below(arg + option, folder))
        return arg;
    return cw_arena_printf(gate->arena, "%.*s%s", (int)option, arg, from_here(gate, arg + option + strlen(folder)));
}

/* As the file is read now, a configuration or compile command included. */
static const struct cw_file_options *options_before(void *ctx, const char *path, const char **error) {
    struct gate *g = ctx;
    struct cw_file_options *o = CW_NEW(g->arena, struct cw_file_options), given = {0};
    uint64_t at;
    if (!cw_run_file_options(g->options, path, &given, error))
        return NULL;
    *o = given;
    if (!cw_map_get(&g->unit_of, key_of(path), &at))
        return o;
    const struct cw_unit_options *now = g->units.at[at];
    const char **args = CW_NEW_ARRAY(g->arena, const char *, now->nargs + 1);
    for (uint32_t i = 0; i < now->nargs; i++)
        args[i] = move_argument(g, now->args[i]);
    o->unit = *now;
    o->unit.args = args;
    o->unit.preludes = NULL;
    o->unit.files = NULL;
    o->unit.nfiles = 0;
    o->unit.dump = CW_DUMP_SYNCS;
    o->archs_given = true;
    return o;
}

static const char *copy_file(struct gate *gate, struct cw_export *export, const char *from, const char *name) {
    const char *error = NULL;
    const struct cw_source *s = cw_source_load(gate->arena, from, &error);
    return s ? cw_export_file(export, name, (cw_str){s->text, s->size}) : NULL;
}

/* Headers that no version holds, made by a build: the base is read with them too. */
static const char *copy_made_files(struct gate *gate) {
    const char *folder = cw_repository_folder(gate->repository);
    struct cw_export e = {.arena = gate->arena, .folder = gate->base};
    const char *error = cw_export_begin(&e);
    for (uint32_t i = 0; i < cw_run_nfiles(gate->state); i++) {
        const struct cw_file_result *r = cw_run_result(gate->state, i);
        for (uint32_t k = 0; k < r->reads.n && !error; k++) {
            char full[PATH_MAX];
            const char *read = r->reads.at[k];
            if (!realpath(read, full) || !is_below(full, folder) || is_changed(gate, full))
                continue;
            const char *name = full + strlen(folder) + 1;
            if (access(cw_arena_printf(gate->arena, "%s/%s", gate->base, name), F_OK))
                error = copy_file(gate, &e, full, name);
        }
    }
    cw_export_end(&e);
    return error;
}

static const char *make_base(struct gate *gate) {
    const char *error = NULL;
    cw_run_step(gate->options, "reading the base");
    error = cw_scratch_make(gate->arena, &gate->base_folder);
    gate->base = gate->base_folder.path;
    if (!error)
        error = cw_repository_export_base(gate->repository, &gate->changes, gate->base);
    if (!error && !gate->index)
        error = copy_made_files(gate);
    return error ? error : enter_folder(gate, gate->base);
}

/* Files are called as they are now. */
static void follow_renames(struct gate *gate) {
    for (uint32_t i = 0; i < gate->changes.n; i++) {
        const struct cw_change *c = &gate->changes.at[i];
        for (uint32_t k = 0; k < gate->before.syncs.n && c->before && c->now && strcmp(c->before, c->now) != 0; k++) {
            struct cw_sync *s = &gate->before.syncs.at[k];
            if (!s->file || strcmp(s->file, c->before) != 0)
                continue;
            s->file = c->now;
            s->place.file = from_here(gate, cw_arena_printf(gate->arena, "/%s", c->now));
        }
    }
}

/* In the base's folder. */
static int run_before(struct gate *gate) {
    struct cw_run_options o = gate->run;
    struct cw_sources sources;
    struct cw_buf dump = {0};
    CW_VEC(const char *) paths = {0};
    for (uint32_t i = 0; i < gate->files.n; i++)
        if (!access(gate->files.at[i], F_OK))
            cw_vec_push(gate->arena, &paths, gate->files.at[i]);
    if (!paths.n)
        return 0;
    o.paths = paths.at;
    o.npaths = paths.n;
    o.build = NULL;
    o.no_compile_commands = true; /* each file is read as it is now */
    o.own = gate->base;
    o.options_of = options_before;
    cw_sources_init(&sources, gate->arena);
    int failed = cw_run(&o, &sources, gate->arena, &gate->before_report, &dump);
    gate->before.folder = gate->base;
    cw_version_read(&gate->before, gate->arena, (cw_str){dump.at, dump.n});
    follow_renames(gate);
    cw_buf_free(&dump);
    return failed;
}

/* ---- what is new ---- */

static void add_changes(struct gate *gate) {
    struct cw_version_changes changes = cw_versions_compare(gate->arena, &gate->before, &gate->now);
    struct cw_versions_ctx ctx = {.arena = gate->arena, .changes = &changes};
    for (uint32_t i = 0; i < cw_nrules; i++) {
        ctx.rule = &cw_rules[i];
        if (ctx.rule->hooks->versions)
            ctx.rule->hooks->versions(&ctx);
    }
    for (uint32_t i = 0; i < ctx.found.n; i++)
        for (uint32_t k = 0; k < cw_run_nfiles(gate->state); k++)
            if (!strcmp(cw_run_path(gate->state, k), ctx.found.at[i].unit))
                cw_run_add(gate->state, k, &ctx.found.at[i].finding);
}

static void subtract_known(struct gate *gate) {
    struct cw_map known;
    uint32_t kept = 0;
    struct cw_run_report *now = gate->report;
    cw_map_init(&known, gate->arena);
    for (uint32_t i = 0; i < gate->before_report.findings.n; i++)
        cw_map_put(&known, key_of(gate->before_report.findings.at[i].fingerprint), 1);
    for (uint32_t i = 0; i < now->findings.n; i++)
        if (!cw_map_get(&known, key_of(now->findings.at[i].fingerprint), NULL))
            now->findings.at[kept++] = now->findings.at[i];
    gate->since->known = now->findings.n - kept;
    now->findings.n = kept;
}

static bool is_race(const struct gate *gate, const struct cw_finding *finding) {
    for (uint32_t i = 0; i < gate->report->rules.n; i++)
        if (!strcmp(gate->report->rules.at[i].name, finding->rule))
            return !strcmp(gate->report->rules.at[i].category, "race");
    return false;
}

static bool is_of(const struct cw_finding *finding, const char *root) {
    size_t n = strlen(root);
    return finding->kernel && !strncmp(finding->kernel, root, n) && (!finding->kernel[n] || finding->kernel[n] == '<');
}

/* The race that a lost barrier leaves behind says more than that it is lost. */
static bool note_at_races(struct gate *gate, const struct cw_finding *lost) {
    bool told = false;
    for (uint32_t i = 0; i < gate->report->findings.n; i++) {
        struct cw_finding *f = &gate->report->findings.at[i];
        if (!is_race(gate, f) || !is_of(f, lost->kernel))
            continue;
        cw_vec_push(gate->arena, &f->notes, ((struct cw_remark){lost->place, lost->message}));
        told = true;
    }
    return told;
}

/* One finding for a barrier that went and the race that came: the race, with a note. */
static void merge_lost(struct gate *gate) {
    struct cw_run_report *r = gate->report;
    CW_VEC(struct cw_finding) lost = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->findings.n; i++)
        if (r->findings.at[i].yields_to_race)
            cw_vec_push(gate->arena, &lost, r->findings.at[i]);
        else
            r->findings.at[kept++] = r->findings.at[i];
    r->findings.n = kept;
    for (uint32_t i = 0; i < lost.n; i++)
        if (!note_at_races(gate, &lost.at[i]))
            cw_vec_push(gate->arena, &r->findings, lost.at[i]);
    cw_findings_sort(gate->arena, r->findings.at, r->findings.n);
}

static int tell_report(struct gate *gate) {
    struct cw_run_options o = gate->run;
    o.max_results = 0;
    add_changes(gate);
    int failed = cw_run_tell(gate->state, &o, gate->report);
    if (!failed) {
        subtract_known(gate);
        merge_lost(gate);
    }
    if (!failed && gate->index)
        keep_sources(gate);
    return failed;
}

/* ---- all ---- */

static int compare_versions(struct gate *gate) {
    const char *error = find_place(gate);
    if (!error)
        error = find_changes(gate);
    if (error)
        return report_failure(gate, error);
    if (find_files(gate) || run_now(gate))
        return -1;
    if (gate->files.n) {
        error = make_base(gate);
        if (!error && run_before(gate))
            return -1;
        if (!error)
            error = gate->index ? enter_folder(gate, gate->index) : leave_folder(gate);
    }
    return error ? report_failure(gate, error) : tell_report(gate);
}

int cw_since_run(struct cw_since *since, const struct cw_run_options *options, struct cw_sources *sources,
                 struct cw_arena *a, struct cw_run_report *report) {
    struct gate g = {.since = since, .arena = a, .options = options, .sources = sources, .report = report,
                     .here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    int failed = g.here < 0 ? report_failure(&g, strerror(errno)) : compare_versions(&g);
    const char *error = g.here < 0 ? NULL : leave_folder(&g);
    if (error)
        failed = report_failure(&g, error);
    cw_scratch_remove(&g.index_folder);
    cw_scratch_remove(&g.base_folder);
    cw_repository_close(g.repository);
    if (g.state)
        cw_run_close(g.state);
    if (g.here >= 0)
        close(g.here);
    return failed;
}
