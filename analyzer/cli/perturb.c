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

static void add_frame(struct perturb *perturb, struct cw_flagged *flagged, struct cw_place place) {
    cw_vec_push(perturb->arena, &flagged->frames, place);
}

/* The place itself, and the accesses that its labels show. */
static void add_finding(struct perturb *perturb, const struct cw_finding *finding) {
    struct cw_flagged site = {.rule = finding->rule};
    add_frame(perturb, &site, finding->place);
    for (uint32_t i = 0; i < finding->inlined_at.n; i++)
        add_frame(perturb, &site, finding->inlined_at.at[i].place);
    cw_plan_add(&perturb->plan, &site);
    for (uint32_t i = 0; i < finding->labels.n; i++) {
        struct cw_flagged label = {.rule = finding->rule};
        add_frame(perturb, &label, finding->labels.at[i].place);
        if (label.frames.at[0].line)
            cw_plan_add(&perturb->plan, &label);
    }
}

/* A line of --dump=accesses, see kernel/dump_accesses.h; it is cut into pieces. */
static void add_access(struct perturb *perturb, char *line) {
    char *rest = line;
    struct cw_flagged site = {.rule = strsep(&rest, "\t")};
    while (rest) {
        char *file = strsep(&rest, "\t"), *number = strsep(&rest, "\t"), *col = strsep(&rest, "\t");
        if (!number || !col)
            return;
        struct cw_place place = {.file = file, .line = (uint32_t)strtoul(number, NULL, 10),
                                 .col = (uint32_t)strtoul(col, NULL, 10)};
        add_frame(perturb, &site, place);
    }
    cw_plan_add(&perturb->plan, &site);
}

/* Every kernel that inlines a function tells of it. */
static void add_accesses(struct perturb *perturb, const struct cw_buf *dump) {
    struct cw_map told;
    cw_map_init(&told, perturb->arena);
    char *rest = dump->n ? cw_arena_strndup(perturb->arena, dump->at, dump->n) : NULL;
    while (rest && *rest) {
        char *line = strsep(&rest, "\n");
        uint64_t key = cw_hash(line, strlen(line), 0);
        if (*line && !cw_map_get(&told, key, NULL))
            add_access(perturb, line);
        cw_map_put(&told, key, 1);
    }
}

static void make_plan(struct perturb *perturb, const struct cw_buf *dump) {
    for (uint32_t i = 0; i < perturb->report.findings.n; i++)
        add_finding(perturb, &perturb->report.findings.at[i]);
    add_accesses(perturb, dump);
    for (uint32_t i = 0; i < perturb->report.files.n; i++) {
        const struct cw_file_result *r = &perturb->report.files.at[i];
        cw_plan_unit(&perturb->plan, r->path, r->reads.at, r->reads.n);
    }
    cw_plan_finish(&perturb->plan);
}

/* Folders as a whole; of files that were named themselves, what they include as well. */
static void make_tree(struct perturb *perturb) {
    for (uint32_t i = 0; i < perturb->run.npaths; i++) {
        struct stat st;
        if (!stat(perturb->run.paths[i], &st) && S_ISDIR(st.st_mode))
            cw_tree_add_folder(&perturb->tree, &perturb->plan, perturb->run.paths[i]);
    }
    for (uint32_t i = 0; i < perturb->report.files.n; i++) {
        const struct cw_file_result *r = &perturb->report.files.at[i];
        cw_tree_add_file(&perturb->tree, &perturb->plan, r->path);
        for (uint32_t k = 0; k < r->reads.n; k++)
            cw_tree_add_file(&perturb->tree, &perturb->plan, r->reads.at[k]);
    }
}

/* ---- what is told ---- */

static void print_skew(const struct cw_skew *skew, struct cw_buf *out) {
    cw_buf_printf(out, "%5u  ", skew->id);
    cw_puts_printable(out, skew->place.file);
    cw_buf_printf(out, ":%u:%u  ", skew->place.line, skew->place.col);
    for (uint32_t i = 0; i < skew->rules.n; i++)
        cw_buf_printf(out, "%s%s", i ? ", " : "", skew->rules.at[i]);
    cw_buf_putc(out, '\n');
}

static int print_plan(const struct perturb *perturb) {
    struct cw_buf out = {0};
    for (uint32_t i = 0; i < perturb->plan.files.n; i++)
        for (uint32_t k = 0; k < perturb->plan.files.at[i]->skews.n; k++)
            print_skew(&perturb->plan.files.at[i]->skews.at[k], &out);
    int wrong = cw_cli_write(&out, NULL);
    cw_buf_free(&out);
    for (uint32_t i = 0; i < perturb->plan.lost.n; i++) {
        const struct cw_unskewed *u = &perturb->plan.lost.at[i];
        cw_verbose("%s:%u:%u: %s is not skewed: %s", u->place.file, u->place.line, u->place.col, u->rule, u->why);
    }
    for (uint32_t i = 0; i < perturb->report.files.n; i++)
        if (perturb->report.files.at[i].failed)
            cw_error("%s: could not be analysed: %s", perturb->report.files.at[i].path,
                     perturb->report.files.at[i].failure ? perturb->report.files.at[i].failure : "no reason is known");
    cw_note("%u skews in %u of %u files copied to %s%s", perturb->plan.nskews, perturb->tree.changed,
            perturb->tree.files.n, perturb->plan.out, perturb->plan.nskews ? "" : ": nothing was found to skew");
    if (perturb->plan.lost.n)
        cw_note("%u places could not be skewed; -v says why", perturb->plan.lost.n);
    return wrong;
}

/* ---- the command ---- */

static int run_perturb(struct perturb *perturb) {
    struct cw_buf dump = {0};
    perturb->run.progress = cw_cli_progress(perturb->line);
    int status = CW_EXIT_USAGE;
    if (!cw_run(&perturb->run, &perturb->sources, perturb->arena, &perturb->report, &dump)) {
        make_plan(perturb, &dump);
        make_tree(perturb);
        const char *error = cw_tree_write(&perturb->tree, &perturb->plan);
        if (error)
            cw_error("%s", error);
        else if (!print_plan(perturb))
            status = perturb->report.failed ? CW_EXIT_INCOMPLETE : CW_EXIT_CLEAN;
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

static bool excludes_path(void *ctx, const char *path, bool is_directory, const char **error) {
    return cw_cli_config_excludes(((struct perturb *)ctx)->config, path, is_directory, error);
}

int cw_command_perturb(const struct cw_command_line *command, struct cw_arena *a) {
    static const char *const here[] = {"."};
    struct perturb p = {.line = command, .arena = a, .tree = {.arena = a}};
    struct cw_cli_config *config = NULL;
    const char *out = cw_option_value(command, CW_OPT_OUT), *error = cw_cli_config_open(command, a, &config);
    const struct cw_command_line *line = error ? NULL : cw_cli_config_run(config, &error);
    if (!error)
        error = cw_cli_run_options(line, a, &p.run);
    if (!error && !out)
        error = "perturb needs --out DIR: the folder for the copy";
    p.run.unit.embedded = false;
    p.run.paths = command->operands.n ? command->operands.at : here;
    p.run.npaths = command->operands.n ? command->operands.n : 1;
    p.config = config;
    p.run.options_of = options_of;
    p.run.excludes = excludes_path;
    p.run.ctx = &p;
    const char *root = error ? NULL : cw_tree_root(a, p.run.paths, p.run.npaths, &error);
    const char *made = root ? cw_tree_make_out(a, out, root, &error) : NULL;
    if (!made)
        return cw_cli_usage(error);
    cw_sources_init(&p.sources, a);
    cw_plan_init(&p.plan, a, &p.sources, root, made);
    return run_perturb(&p);
}
