/* cuwarp-lint perturb PATH… --out DIR: a copy of the sources in which the threads of a warp are delayed by different
 * amounts at each finding, so that the project's own tests fail where a hazard is real. */
#include "base/hash.h"
#include "base/log.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "perturb/plan.h"
#include "perturb/tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct perturb {
    const struct cw_command_line *line;
    struct cw_arena *arena;
    struct cw_run_options run;
    struct cw_sources sources;
    struct cw_run_report report;
    struct cw_plan plan;
    struct cw_tree tree;
    struct cw_cli_config *config;
};

/* ---- what is skewed ---- */

static void add_frame(struct perturb *p, struct cw_flagged *s, struct cw_place place) {
    cw_vec_push(p->arena, &s->frames, place);
}

/* The place itself, and the accesses that its labels show. */
static void add_finding(struct perturb *p, const struct cw_finding *f) {
    struct cw_flagged site = {.rule = f->rule};
    add_frame(p, &site, f->place);
    for (uint32_t i = 0; i < f->inlined_at.n; i++)
        add_frame(p, &site, f->inlined_at.at[i].place);
    cw_plan_add(&p->plan, &site);
    for (uint32_t i = 0; i < f->labels.n; i++) {
        struct cw_flagged label = {.rule = f->rule};
        add_frame(p, &label, f->labels.at[i].place);
        if (label.frames.at[0].line)
            cw_plan_add(&p->plan, &label);
    }
}

/* A line of --dump=accesses, see kernel/dump_accesses.h; it is cut into pieces. */
static void add_access(struct perturb *p, char *line) {
    char *rest = line;
    struct cw_flagged site = {.rule = strsep(&rest, "\t")};
    while (rest) {
        char *file = strsep(&rest, "\t"), *number = strsep(&rest, "\t"), *col = strsep(&rest, "\t");
        if (!number || !col)
            return;
        struct cw_place place = {.file = file, .line = (uint32_t)strtoul(number, NULL, 10),
                                 .col = (uint32_t)strtoul(col, NULL, 10)};
        add_frame(p, &site, place);
    }
    cw_plan_add(&p->plan, &site);
}

/* Every kernel that inlines a function tells of it. */
static void add_accesses(struct perturb *p, const struct cw_buf *dump) {
    struct cw_map told;
    cw_map_init(&told, p->arena);
    char *rest = dump->n ? cw_arena_strndup(p->arena, dump->at, dump->n) : NULL;
    while (rest && *rest) {
        char *line = strsep(&rest, "\n");
        uint64_t key = cw_hash(line, strlen(line), 0);
        if (*line && !cw_map_get(&told, key, NULL))
            add_access(p, line);
        cw_map_put(&told, key, 1);
    }
}

static void make_plan(struct perturb *p, const struct cw_buf *dump) {
    for (uint32_t i = 0; i < p->report.findings.n; i++)
        add_finding(p, &p->report.findings.at[i]);
    add_accesses(p, dump);
    for (uint32_t i = 0; i < p->report.files.n; i++) {
        const struct cw_file_result *r = &p->report.files.at[i];
        cw_plan_unit(&p->plan, r->path, r->reads.at, r->reads.n);
    }
    cw_plan_finish(&p->plan);
}

/* Folders as a whole; of files that were named themselves, what they include as well. */
static void make_tree(struct perturb *p) {
    for (uint32_t i = 0; i < p->run.npaths; i++) {
        struct stat st;
        if (!stat(p->run.paths[i], &st) && S_ISDIR(st.st_mode))
            cw_tree_add_folder(&p->tree, &p->plan, p->run.paths[i]);
    }
    for (uint32_t i = 0; i < p->report.files.n; i++) {
        const struct cw_file_result *r = &p->report.files.at[i];
        cw_tree_add_file(&p->tree, &p->plan, r->path);
        for (uint32_t k = 0; k < r->reads.n; k++)
            cw_tree_add_file(&p->tree, &p->plan, r->reads.at[k]);
    }
}

/* ---- what is told ---- */

static void print_skew(const struct cw_skew *s, struct cw_buf *out) {
    cw_buf_printf(out, "%5u  ", s->id);
    cw_puts_printable(out, s->place.file);
    cw_buf_printf(out, ":%u:%u  ", s->place.line, s->place.col);
    for (uint32_t i = 0; i < s->rules.n; i++)
        cw_buf_printf(out, "%s%s", i ? ", " : "", s->rules.at[i]);
    cw_buf_putc(out, '\n');
}

static int tell(const struct perturb *p) {
    struct cw_buf out = {0};
    for (uint32_t i = 0; i < p->plan.files.n; i++)
        for (uint32_t k = 0; k < p->plan.files.at[i]->skews.n; k++)
            print_skew(&p->plan.files.at[i]->skews.at[k], &out);
    int wrong = cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    for (uint32_t i = 0; i < p->plan.lost.n; i++) {
        const struct cw_unskewed *u = &p->plan.lost.at[i];
        cw_verbose("%s:%u:%u: %s is not skewed: %s", u->place.file, u->place.line, u->place.col, u->rule, u->why);
    }
    for (uint32_t i = 0; i < p->report.files.n; i++)
        if (p->report.files.at[i].failed)
            cw_error("%s: could not be analysed: %s", p->report.files.at[i].path,
                     p->report.files.at[i].failure ? p->report.files.at[i].failure : "no reason is known");
    cw_note("%u skews in %u of %u files copied to %s%s", p->plan.nskews, p->tree.changed, p->tree.files.n, p->plan.out,
            p->plan.nskews ? "" : ": nothing was found to skew");
    if (p->plan.lost.n)
        cw_note("%u places could not be skewed; -v says why", p->plan.lost.n);
    return wrong;
}

/* ---- the command ---- */

static int run(struct perturb *p) {
    struct cw_buf dump = {0};
    p->run.progress = cw_cli_progress(p->line);
    int status = CW_EXIT_USAGE;
    if (!cw_run(&p->run, &p->sources, p->arena, &p->report, &dump)) {
        make_plan(p, &dump);
        make_tree(p);
        const char *error = cw_tree_write(&p->tree, &p->plan);
        if (error)
            cw_error("%s", error);
        else if (!tell(p))
            status = p->report.failed ? CW_EXIT_INCOMPLETE : CW_EXIT_CLEAN;
    }
    cw_buf_free(&dump);
    return status;
}

static const struct cw_file_options *options_of(void *ctx, const char *path, const char **error) {
    struct perturb *p = ctx;
    const struct cw_file_options *found = cw_cli_config_file(p->config, path, error);
    struct cw_file_options *o = found ? CW_NEW(p->arena, struct cw_file_options) : NULL;
    if (!o)
        return NULL;
    *o = *found;
    o->unit.dump = cw_option_given(p->line, CW_OPT_ALL) ? CW_DUMP_ACCESSES : CW_DUMP_NONE;
    o->unit.embedded = false; /* a delay is put into functions of the file, not into a string */
    return o;
}

static bool excludes(void *ctx, const char *path, bool is_directory, const char **error) {
    return cw_cli_config_excludes(((struct perturb *)ctx)->config, path, is_directory, error);
}

int cw_command_perturb(const struct cw_command_line *c, struct cw_arena *a) {
    static const char *const here[] = {"."};
    struct perturb p = {.line = c, .arena = a, .tree = {.arena = a}};
    struct cw_cli_config *config = NULL;
    const char *out = cw_option_value(c, CW_OPT_OUT), *error = cw_cli_config_open(c, a, &config);
    const struct cw_command_line *line = error ? NULL : cw_cli_config_run(config, &error);
    if (!error)
        error = cw_cli_run_options(line, a, &p.run);
    if (!error && !out)
        error = "perturb needs --out DIR: the folder for the copy";
    p.run.unit.embedded = false;
    p.run.paths = c->operands.n ? c->operands.at : here;
    p.run.npaths = c->operands.n ? c->operands.n : 1;
    p.config = config;
    p.run.options_of = options_of;
    p.run.excludes = excludes;
    p.run.ctx = &p;
    const char *root = error ? NULL : cw_tree_root(a, p.run.paths, p.run.npaths, &error);
    const char *made = root ? cw_tree_make_out(a, out, root, &error) : NULL;
    if (!made)
        return cw_cli_usage(error);
    cw_sources_init(&p.sources, a);
    cw_plan_init(&p.plan, a, &p.sources, root, made);
    return run(&p);
}
