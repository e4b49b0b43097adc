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

static int fail(const struct gate *g, const char *error) {
    cw_error("--%s: %s", g->since->staged && !g->since->ref ? "staged" : "since", error);
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
static const char *from_here(struct gate *g, const char *path) {
    struct cw_buf out = {0};
    size_t same = 0;
    for (size_t n = 0; g->below[n] == path[n] || (!g->below[n] && path[n] == '/') || (g->below[n] == '/' && !path[n]);
         n++) {
        if ((!g->below[n] || g->below[n] == '/') && (!path[n] || path[n] == '/'))
            same = n;
        if (!g->below[n] || !path[n])
            break;
    }
    for (const char *c = g->below + same; *c; c++)
        if (*c == '/')
            cw_buf_puts(&out, "../");
    cw_buf_puts(&out, path[same] ? path + same + 1 : "");
    while (out.n > 1 && out.at[out.n - 1] == '/')
        out.at[--out.n] = '\0';
    const char *text = cw_arena_strdup(g->arena, out.n ? out.at : ".");
    cw_buf_free(&out);
    return text;
}

static const char *add_operand(struct gate *g, const char *operand) {
    char full[PATH_MAX];
    const char *folder = cw_repository_folder(g->repository);
    if (!realpath(operand, full))
        return cw_arena_printf(g->arena, "%s: %s", operand, strerror(errno));
    if (!is_below(full, folder))
        return cw_arena_printf(g->arena, "%s lies outside of the repository %s", operand, folder);
    const char *name = operand[0] == '/' ? from_here(g, full + strlen(folder)) : operand;
    cw_vec_push(g->arena, &g->paths, name);
    return NULL;
}

static const char *find_place(struct gate *g) {
    char here[PATH_MAX];
    const char *error = NULL;
    g->repository = cw_repository_open(g->arena, &error);
    if (!g->repository)
        return error;
    g->root = cw_repository_folder(g->repository);
    if (!realpath(".", here))
        return strerror(errno);
    g->below = cw_arena_strdup(g->arena, is_below(here, g->root) ? here + strlen(g->root) : "");
    for (uint32_t i = 0; i < g->options->npaths && !error; i++)
        error = add_operand(g, g->options->paths[i]);
    if (!error && g->options->stdin_name)
        error = "standard input is in no version";
    return error;
}

/* Into the folder of a version that stands where the working directory stands in the repository. */
static const char *enter(struct gate *g, const char *folder) {
    cw_export_folders(g->arena, folder, g->below);
    return chdir(cw_arena_printf(g->arena, "%s%s", folder, g->below)) ? strerror(errno) : NULL;
}

static const char *leave(struct gate *g) {
    return fchdir(g->here) ? strerror(errno) : NULL;
}

/* ---- what matters ---- */

static const char *export_index(struct gate *g) {
    const char *error = NULL;
    if (!g->since->staged || !cw_repository_is_dirty(g->repository))
        return NULL;
    error = cw_scratch_make(g->arena, &g->index_folder);
    g->index = g->index_folder.path;
    if (!error)
        error = cw_repository_export_index(g->repository, g->index);
    if (!error)
        error = enter(g, g->index);
    g->root = g->index ? g->index : g->root;
    return error;
}

static const char *find_changes(struct gate *g) {
    const char *error = cw_repository_set_base(g->repository, g->since->ref);
    if (!error)
        error = cw_repository_changes(g->repository, g->since->staged, &g->changes);
    if (!error)
        error = export_index(g);
    cw_map_init(&g->changed, g->arena);
    for (uint32_t i = 0; i < g->changes.n; i++) {
        const struct cw_change *c = &g->changes.at[i];
        if (c->now)
            cw_map_put(&g->changed, key_of(cw_arena_printf(g->arena, "%s/%s", g->root, c->now)), 1);
    }
    return error;
}

static bool is_changed(const struct gate *g, const char *path) {
    char full[PATH_MAX];
    return realpath(path, full) && cw_map_get(&g->changed, key_of(full), NULL);
}

/* A unit matters when it or what it may include has changed, or when that is not known. */
static bool matters(const struct gate *g, const char *path, const struct cw_unit_options *u) {
    if (u->is_open || is_changed(g, path))
        return true;
    for (uint32_t i = 0; i < u->nfiles; i++)
        if (is_changed(g, u->files[i]))
            return true;
    return false;
}

static int find_files(struct gate *g) {
    struct cw_run_options all = *g->options;
    all.paths = g->paths.at;
    all.npaths = g->paths.n;
    all.own = g->index;
    struct cw_run_state *r = cw_run_open(&all, g->sources, g->arena);
    if (!r)
        return -1;
    cw_map_init(&g->unit_of, g->arena);
    for (uint32_t i = 0; i < cw_run_nfiles(r) && g->changes.n; i++) {
        const char *path = cw_run_path(r, i);
        if (!matters(g, path, cw_run_unit(r, i)))
            continue;
        cw_map_put(&g->unit_of, key_of(path), g->files.n);
        cw_vec_push(g->arena, &g->files, path);
        cw_vec_push(g->arena, &g->units, cw_run_unit(r, i));
    }
    cw_run_close(r);
    g->since->files = g->files.n;
    return 0;
}

/* ---- now ---- */

/* The folder will be gone when the findings are shown: texts are read now, and its files get their real names. */
static void load(struct gate *g, struct cw_place *place) {
    const struct cw_source *s = place->file ? cw_sources_get(g->sources, place->file, NULL) : NULL;
    if (!s || !is_below(place->file, g->index))
        return;
    place->file =
        cw_arena_printf(g->arena, "%s%s", cw_repository_folder(g->repository), place->file + strlen(g->index));
    cw_sources_put(g->sources, place->file, cw_source_of_text(g->arena, place->file, s->text, s->size));
}

static void load_remarks(struct gate *g, struct cw_remark *at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        load(g, &at[i].place);
}

static void load_finding(struct gate *g, struct cw_finding *f) {
    load(g, &f->place);
    load_remarks(g, f->inlined_at.at, f->inlined_at.n);
    load_remarks(g, f->labels.at, f->labels.n);
    load_remarks(g, f->notes.at, f->notes.n);
    load(g, &f->suppression.place);
    for (uint32_t i = 0; i < f->fixes.n; i++)
        for (uint32_t k = 0; k < f->fixes.at[i].edits.n; k++)
            load(g, &f->fixes.at[i].edits.at[k].place);
}

static void keep_sources(struct gate *g) {
    for (uint32_t i = 0; i < g->report->findings.n; i++)
        load_finding(g, &g->report->findings.at[i]);
    for (uint32_t i = 0; i < g->report->suppressed.n; i++)
        load_finding(g, &g->report->suppressed.at[i]);
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

static int run_now(struct gate *g) {
    struct cw_buf dump = {0};
    g->run = *g->options;
    g->run.paths = g->files.at;
    g->run.npaths = g->files.n;
    g->run.excludes = NULL; /* the files are known */
    g->run.options_of = options_now;
    g->run.ctx = g;
    g->run.own = g->index;
    g->state = cw_run_open(&g->run, g->sources, g->arena);
    int failed = !g->state || cw_run_all(g->state, &dump);
    g->now.folder = g->root;
    cw_version_read(&g->now, g->arena, (cw_str){dump.at, dump.n});
    cw_buf_free(&dump);
    return failed ? -1 : 0;
}

/* ---- before ---- */

/* "-I/repo/include" means the base's folder there: a name from the working directory, so that what is kept of one
 * folder serves for the next. */
static const char *moved(struct gate *g, const char *arg) {
    const char *folder = g->index ? g->index : cw_repository_folder(g->repository);
    size_t option = !strncmp(arg, "-I", 2) ? 2 : 0;
    if (!is_below(arg + option, folder))
        return arg;
    return cw_arena_printf(g->arena, "%.*s%s", (int)option, arg, from_here(g, arg + option + strlen(folder)));
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
        args[i] = moved(g, now->args[i]);
    o->unit = *now;
    o->unit.args = args;
    o->unit.preludes = NULL;
    o->unit.files = NULL;
    o->unit.nfiles = 0;
    o->unit.dump = CW_DUMP_SYNCS;
    o->archs_given = true;
    return o;
}

static const char *copy(struct gate *g, struct cw_export *e, const char *from, const char *name) {
    const char *error = NULL;
    const struct cw_source *s = cw_source_load(g->arena, from, &error);
    return s ? cw_export_file(e, name, (cw_str){s->text, s->size}) : NULL;
}

/* Headers that no version holds, made by a build: the base is read with them too. */
static const char *copy_made_files(struct gate *g) {
    const char *folder = cw_repository_folder(g->repository);
    struct cw_export e = {.arena = g->arena, .folder = g->base};
    const char *error = cw_export_begin(&e);
    for (uint32_t i = 0; i < cw_run_nfiles(g->state); i++) {
        const struct cw_file_result *r = cw_run_result(g->state, i);
        for (uint32_t k = 0; k < r->reads.n && !error; k++) {
            char full[PATH_MAX];
            const char *read = r->reads.at[k];
            if (!realpath(read, full) || !is_below(full, folder) || is_changed(g, full))
                continue;
            const char *name = full + strlen(folder) + 1;
            if (access(cw_arena_printf(g->arena, "%s/%s", g->base, name), F_OK))
                error = copy(g, &e, full, name);
        }
    }
    cw_export_end(&e);
    return error;
}

static const char *make_base(struct gate *g) {
    const char *error = NULL;
    cw_run_step(g->options, "reading the base");
    error = cw_scratch_make(g->arena, &g->base_folder);
    g->base = g->base_folder.path;
    if (!error)
        error = cw_repository_export_base(g->repository, &g->changes, g->base);
    if (!error && !g->index)
        error = copy_made_files(g);
    return error ? error : enter(g, g->base);
}

/* Files are called as they are now. */
static void follow_renames(struct gate *g) {
    for (uint32_t i = 0; i < g->changes.n; i++) {
        const struct cw_change *c = &g->changes.at[i];
        for (uint32_t k = 0; k < g->before.syncs.n && c->before && c->now && strcmp(c->before, c->now) != 0; k++) {
            struct cw_sync *s = &g->before.syncs.at[k];
            if (!s->file || strcmp(s->file, c->before) != 0)
                continue;
            s->file = c->now;
            s->place.file = from_here(g, cw_arena_printf(g->arena, "/%s", c->now));
        }
    }
}

/* In the base's folder. */
static int run_before(struct gate *g) {
    struct cw_run_options o = g->run;
    struct cw_sources sources;
    struct cw_buf dump = {0};
    CW_VEC(const char *) paths = {0};
    for (uint32_t i = 0; i < g->files.n; i++)
        if (!access(g->files.at[i], F_OK))
            cw_vec_push(g->arena, &paths, g->files.at[i]);
    if (!paths.n)
        return 0;
    o.paths = paths.at;
    o.npaths = paths.n;
    o.build = NULL;
    o.no_compile_commands = true; /* each file is read as it is now */
    o.own = g->base;
    o.options_of = options_before;
    cw_sources_init(&sources, g->arena);
    int failed = cw_run(&o, &sources, g->arena, &g->before_report, &dump);
    g->before.folder = g->base;
    cw_version_read(&g->before, g->arena, (cw_str){dump.at, dump.n});
    follow_renames(g);
    cw_buf_free(&dump);
    return failed;
}

/* ---- what is new ---- */

static void add_changes(struct gate *g) {
    struct cw_version_changes changes = cw_versions_compare(g->arena, &g->before, &g->now);
    struct cw_versions_ctx ctx = {.arena = g->arena, .changes = &changes};
    for (uint32_t i = 0; i < cw_nrules; i++) {
        ctx.rule = &cw_rules[i];
        if (ctx.rule->hooks->versions)
            ctx.rule->hooks->versions(&ctx);
    }
    for (uint32_t i = 0; i < ctx.found.n; i++)
        for (uint32_t k = 0; k < cw_run_nfiles(g->state); k++)
            if (!strcmp(cw_run_path(g->state, k), ctx.found.at[i].unit))
                cw_run_add(g->state, k, &ctx.found.at[i].finding);
}

static void subtract(struct gate *g) {
    struct cw_map known;
    uint32_t kept = 0;
    struct cw_run_report *now = g->report;
    cw_map_init(&known, g->arena);
    for (uint32_t i = 0; i < g->before_report.findings.n; i++)
        cw_map_put(&known, key_of(g->before_report.findings.at[i].fingerprint), 1);
    for (uint32_t i = 0; i < now->findings.n; i++)
        if (!cw_map_get(&known, key_of(now->findings.at[i].fingerprint), NULL))
            now->findings.at[kept++] = now->findings.at[i];
    g->since->known = now->findings.n - kept;
    now->findings.n = kept;
}

static bool is_race(const struct gate *g, const struct cw_finding *f) {
    for (uint32_t i = 0; i < g->report->rules.n; i++)
        if (!strcmp(g->report->rules.at[i].name, f->rule))
            return !strcmp(g->report->rules.at[i].category, "race");
    return false;
}

static bool is_of(const struct cw_finding *f, const char *root) {
    size_t n = strlen(root);
    return f->kernel && !strncmp(f->kernel, root, n) && (!f->kernel[n] || f->kernel[n] == '<');
}

/* The race that a lost barrier leaves behind says more than that it is lost. */
static bool note_at_races(struct gate *g, const struct cw_finding *lost) {
    bool told = false;
    for (uint32_t i = 0; i < g->report->findings.n; i++) {
        struct cw_finding *f = &g->report->findings.at[i];
        if (!is_race(g, f) || !is_of(f, lost->kernel))
            continue;
        cw_vec_push(g->arena, &f->notes, ((struct cw_remark){lost->place, lost->message}));
        told = true;
    }
    return told;
}

/* One finding for a barrier that went and the race that came: the race, with a note. */
static void merge_lost(struct gate *g) {
    struct cw_run_report *r = g->report;
    CW_VEC(struct cw_finding) lost = {0};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->findings.n; i++)
        if (r->findings.at[i].yields_to_race)
            cw_vec_push(g->arena, &lost, r->findings.at[i]);
        else
            r->findings.at[kept++] = r->findings.at[i];
    r->findings.n = kept;
    for (uint32_t i = 0; i < lost.n; i++)
        if (!note_at_races(g, &lost.at[i]))
            cw_vec_push(g->arena, &r->findings, lost.at[i]);
    cw_findings_sort(g->arena, r->findings.at, r->findings.n);
}

static int tell(struct gate *g) {
    struct cw_run_options o = g->run;
    o.max_results = 0;
    add_changes(g);
    int failed = cw_run_tell(g->state, &o, g->report);
    if (!failed) {
        subtract(g);
        merge_lost(g);
    }
    if (!failed && g->index)
        keep_sources(g);
    return failed;
}

/* ---- all ---- */

static int compare(struct gate *g) {
    const char *error = find_place(g);
    if (!error)
        error = find_changes(g);
    if (error)
        return fail(g, error);
    if (find_files(g) || run_now(g))
        return -1;
    if (g->files.n) {
        error = make_base(g);
        if (!error && run_before(g))
            return -1;
        if (!error)
            error = g->index ? enter(g, g->index) : leave(g);
    }
    return error ? fail(g, error) : tell(g);
}

int cw_since_run(struct cw_since *s, const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a,
                 struct cw_run_report *report) {
    struct gate g = {.since = s, .arena = a, .options = o, .sources = sources, .report = report,
                     .here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    int failed = g.here < 0 ? fail(&g, strerror(errno)) : compare(&g);
    const char *error = g.here < 0 ? NULL : leave(&g);
    if (error)
        failed = fail(&g, error);
    cw_scratch_remove(&g.index_folder);
    cw_scratch_remove(&g.base_folder);
    cw_repository_close(g.repository);
    if (g.state)
        cw_run_close(g.state);
    if (g.here >= 0)
        close(g.here);
    return failed;
}
