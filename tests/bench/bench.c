/* Measures the tool beside the bare libclang parse of the same files in the same run, and beside clang-tidy if asked.
 *
 *     cuwarp-bench [OPTION…] PATH…       directories are walked for .cu and .cuh
 *       --tool FILE     the tool (default: the one built with this program); --bare FILE likewise
 *       --tool-option A an argument for every run of the tool; may be repeated
 *       --runs N        each measurement is the median of N interleaved runs (default 3)
 *       --tidy FILE     also run this clang-tidy, with the headers of --cuda-path DIR when given
 *       --json FILE     the numbers, for machines
 *       --tree          also run the tool once over all files, with one job and with its own choice of jobs
 *       --quiet         totals only */
#include "measure.h"

#include <errno.h>
#include <fts.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MAX = 101, KINDS = 3, TOOL_OPTIONS_MAX = 16 };
enum kind { TOOL, BARE, TIDY };
static const char *const kind_names[KINDS] = {"tool", "bare", "tidy"};

struct file {
    char *path;
    size_t lines;
    struct measure of[KINDS];
};

struct bench {
    const char *tool, *bare, *tidy, *cuda_path, *json;
    const char *tool_options[TOOL_OPTIONS_MAX];
    size_t ntool_options, runs;
    bool tree, quiet;
    struct file *files;
    size_t nfiles;
    char stub[64]; /* folder with what clang 19 misses in newer toolkits */
};

static void *need(void *p) {
    if (!p) {
        fprintf(stderr, "cuwarp-bench: out of memory\n");
        exit(2);
    }
    return p;
}

/* ---- files ---- */

static size_t count_lines(const char *path) {
    FILE *f = fopen(path, "rb");
    size_t lines = 0;
    for (int c; f && (c = getc(f)) != EOF;)
        lines += c == '\n';
    if (f)
        fclose(f);
    return lines;
}

static void add_file(struct bench *b, const char *path) {
    b->files = need(realloc(b->files, (b->nfiles + 1) * sizeof *b->files));
    b->files[b->nfiles++] = (struct file){.path = need(strdup(path)), .lines = count_lines(path)};
}

static bool is_cuda(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cuh") == 0);
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static void find_files(struct bench *b, char **paths) {
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; walk && (e = fts_read(walk));)
        if (e->fts_info == FTS_F && (e->fts_level == FTS_ROOTLEVEL || is_cuda(e->fts_path)))
            add_file(b, e->fts_path);
    if (walk)
        fts_close(walk);
    if (!b->nfiles) {
        fprintf(stderr, "cuwarp-bench: no files\n");
        exit(2);
    }
    qsort(b->files, b->nfiles, sizeof *b->files, by_path);
}

static void forget_files(struct bench *b) {
    for (size_t i = 0; i < b->nfiles; i++)
        free(b->files[i].path);
    free(b->files);
}

/* ---- running ---- */

/* Clang 19 asks for a header that CUDA 13 no longer has. */
static void make_stub(struct bench *b) {
    char path[128];
    snprintf(b->stub, sizeof b->stub, "/tmp/cuwarp-bench-XXXXXX");
    if (!mkdtemp(b->stub)) {
        perror(b->stub);
        exit(2);
    }
    snprintf(path, sizeof path, "%s/texture_fetch_functions.h", b->stub);
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
}

static void remove_stub(const struct bench *b) {
    char path[128];
    snprintf(path, sizeof path, "%s/texture_fetch_functions.h", b->stub);
    unlink(path);
    rmdir(b->stub);
}

static struct measure run_tidy(const struct bench *b, const char *path) {
    char cuda[4096], stub[96], cccl[4096];
    snprintf(cuda, sizeof cuda, "--cuda-path=%s", b->cuda_path ? b->cuda_path : "");
    snprintf(cccl, sizeof cccl, "-isystem%s/include/cccl", b->cuda_path ? b->cuda_path : "");
    snprintf(stub, sizeof stub, "-isystem%s", b->stub);
    const char *with_toolkit[] = {
        b->tidy,      "--quiet", path, "--", "-xcuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only",
        "-std=c++17", cuda,      stub, cccl, NULL};
    const char *without[] = {b->tidy, "--quiet", path, "--", "-xcuda", "--cuda-gpu-arch=sm_75", "--cuda-device-only",
                             "-std=c++17", "-nocudainc", "-nocudalib", NULL};
    return measure_run(b->cuda_path ? with_toolkit : without);
}

static struct measure run_tool(const struct bench *b, const char *jobs, char *const *paths, size_t npaths) {
    const char **argv = need(calloc(npaths + b->ntool_options + 4, sizeof *argv));
    size_t n = 0;
    argv[n++] = b->tool;
    argv[n++] = "--no-cache";
    for (size_t i = 0; i < b->ntool_options; i++)
        argv[n++] = b->tool_options[i];
    if (jobs)
        argv[n++] = jobs;
    for (size_t i = 0; i < npaths; i++)
        argv[n++] = paths[i];
    struct measure m = measure_run(argv);
    free(argv);
    return m;
}

static struct measure run_bare(const struct bench *b, char *const *paths, size_t npaths) {
    const char **argv = need(calloc(npaths + 2, sizeof *argv));
    argv[0] = b->bare;
    memcpy(argv + 1, paths, npaths * sizeof *paths);
    struct measure m = measure_run(argv);
    free(argv);
    return m;
}

static struct measure run_kind(const struct bench *b, enum kind kind, char *path) {
    switch (kind) {
    case TOOL: return run_tool(b, "-j1", &path, 1);
    case BARE: return run_bare(b, &path, 1);
    case TIDY: return run_tidy(b, path);
    }
    abort();
}

/* The kinds take turns, so that a busy moment of the machine hits all of them. */
static void measure_file(const struct bench *b, struct file *f) {
    struct measure runs[KINDS][RUNS_MAX];
    for (size_t r = 0; r < b->runs; r++)
        for (int kind = 0; kind < (b->tidy ? KINDS : TIDY); kind++)
            runs[kind][r] = run_kind(b, (enum kind)kind, f->path);
    for (int kind = 0; kind < (b->tidy ? KINDS : TIDY); kind++)
        f->of[kind] = measure_median(runs[kind], b->runs);
}

/* 0 clean, 1 findings, 3 some input not analysed; anything else is a failure of the tool. */
static bool tool_failed(const struct file *f) {
    int status = f->of[TOOL].status;
    return status != 0 && status != 1 && status != 3;
}

/* ---- reporting ---- */

struct summary {
    double seconds[KINDS], most_megabytes[KINDS];
    size_t lines, failed;
    const struct file *slowest_small, *largest; /* of those up to 500 lines; by memory of the tool */
};

static struct summary summarise(const struct bench *b) {
    struct summary s = {.lines = 0};
    for (size_t i = 0; i < b->nfiles; i++) {
        const struct file *f = &b->files[i];
        for (int kind = 0; kind < KINDS; kind++) {
            s.seconds[kind] += f->of[kind].seconds;
            s.most_megabytes[kind] = fmax(s.most_megabytes[kind], f->of[kind].megabytes);
        }
        s.lines += f->lines;
        s.failed += tool_failed(f);
        if (f->lines <= 500 && (!s.slowest_small || f->of[TOOL].seconds > s.slowest_small->of[TOOL].seconds))
            s.slowest_small = f;
        if (!s.largest || f->of[TOOL].megabytes > s.largest->of[TOOL].megabytes)
            s.largest = f;
    }
    return s;
}

static void print_row(const struct bench *b, const struct file *f) {
    printf("%7zu %9.1f %9.1f %6.2f %7.0f %7.0f", f->lines, f->of[TOOL].seconds * 1e3, f->of[BARE].seconds * 1e3,
           f->of[TOOL].seconds / f->of[BARE].seconds, f->of[TOOL].megabytes, f->of[BARE].megabytes);
    if (b->tidy)
        printf(" %9.1f %7.0f", f->of[TIDY].seconds * 1e3, f->of[TIDY].megabytes);
    printf("  %s", f->path);
    if (tool_failed(f))
        printf("  (tool: exit %d)", f->of[TOOL].status);
    printf("\n");
    fflush(stdout);
}

static void print_head(const struct bench *b) {
    printf("%7s %9s %9s %6s %7s %7s", "lines", "tool ms", "bare ms", "ratio", "tool MB", "bare MB");
    if (b->tidy)
        printf(" %9s %7s", "tidy ms", "tidy MB");
    printf("  file\n");
}

static void print_summary(const struct bench *b, const struct summary *s) {
    printf("\n%zu files, %zu lines, median of %zu runs\n", b->nfiles, s->lines, b->runs);
    printf("total: tool %.2f s, bare parse %.2f s, ratio %.2f (aim 1.30)\n", s->seconds[TOOL], s->seconds[BARE],
           s->seconds[TOOL] / s->seconds[BARE]);
    if (b->tidy)
        printf("total: clang-tidy %.2f s, %.1f times the tool; at most %.0f MB\n", s->seconds[TIDY],
               s->seconds[TIDY] / s->seconds[TOOL], s->most_megabytes[TIDY]);
    if (s->slowest_small)
        printf("slowest file of up to 500 lines: %.1f ms (aim 60), %s\n", s->slowest_small->of[TOOL].seconds * 1e3,
               s->slowest_small->path);
    printf("most memory: tool %.0f MB (aim 150), %s; bare parse %.0f MB\n", s->most_megabytes[TOOL], s->largest->path,
           s->most_megabytes[BARE]);
    if (s->failed)
        printf("the tool failed on %zu files\n", s->failed);
}

static json_t *json_measure(const struct measure *m) {
    return json_pack("{s:f, s:f, s:i}", "seconds", m->seconds, "megabytes", m->megabytes, "status", m->status);
}

static json_t *json_file(const struct bench *b, const struct file *f) {
    json_t *o = json_pack("{s:s, s:I}", "path", f->path, "lines", (json_int_t)f->lines);
    for (int kind = 0; kind < (b->tidy ? KINDS : TIDY); kind++)
        json_object_set_new(o, kind_names[kind], json_measure(&f->of[kind]));
    return o;
}

static json_t *json_summary(const struct bench *b, const struct summary *s) {
    json_t *o = json_pack("{s:I, s:I, s:I, s:f}", "files", (json_int_t)b->nfiles, "lines", (json_int_t)s->lines,
                          "tool_failed", (json_int_t)s->failed, "ratio", s->seconds[TOOL] / s->seconds[BARE]);
    for (int kind = 0; kind < (b->tidy ? KINDS : TIDY); kind++)
        json_object_set_new(o, kind_names[kind],
                            json_pack("{s:f, s:f}", "seconds", s->seconds[kind], "most_megabytes",
                                      s->most_megabytes[kind]));
    return o;
}

static void write_json(const struct bench *b, const struct summary *s, json_t *tree) {
    json_t *files = json_array();
    for (size_t i = 0; i < b->nfiles; i++)
        json_array_append_new(files, json_file(b, &b->files[i]));
    json_t *o = json_pack("{s:I, s:o, s:o}", "runs", (json_int_t)b->runs, "total", json_summary(b, s), "files", files);
    if (tree)
        json_object_set_new(o, "tree", tree);
    if (json_dump_file(o, b->json, JSON_INDENT(1)) != 0)
        fprintf(stderr, "cuwarp-bench: cannot write %s: %s\n", b->json, strerror(errno));
    json_decref(o);
}

/* ---- the whole tree at once ---- */

static json_t *measure_tree(const struct bench *b) {
    char **paths = need(calloc(b->nfiles, sizeof *paths));
    for (size_t i = 0; i < b->nfiles; i++)
        paths[i] = b->files[i].path;
    struct measure one = run_tool(b, "-j1", paths, b->nfiles), all = run_tool(b, NULL, paths, b->nfiles);
    struct measure bare = run_bare(b, paths, b->nfiles);
    free(paths);
    printf("all files in one run: tool %.2f s with -j1, %.2f s with its own choice of jobs; bare parse %.2f s; "
           "ratio %.2f, %.0f MB\n",
           one.seconds, all.seconds, bare.seconds, one.seconds / bare.seconds, one.megabytes);
    return json_pack("{s:o, s:o, s:o}", "tool_j1", json_measure(&one), "tool", json_measure(&all), "bare",
                     json_measure(&bare));
}

/* ---- options ---- */

static void usage(void) {
    fprintf(stderr, "usage: cuwarp-bench [--tool F] [--tool-option A] [--bare F] [--runs N] [--tidy F [--cuda-path "
                    "DIR]] [--json F] "
                    "[--tree] [--quiet] PATH...\n");
    exit(2);
}

static int parse_options(struct bench *b, int argc, char **argv) {
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        const char **text = strcmp(name, "--tool") == 0        ? &b->tool
                            : strcmp(name, "--bare") == 0      ? &b->bare
                            : strcmp(name, "--tidy") == 0      ? &b->tidy
                            : strcmp(name, "--cuda-path") == 0 ? &b->cuda_path
                            : strcmp(name, "--json") == 0      ? &b->json
                                                               : NULL;
        if (strcmp(name, "--tree") == 0)
            b->tree = true;
        else if (strcmp(name, "--quiet") == 0)
            b->quiet = true;
        else if (!value)
            usage();
        else if (text)
            *text = argv[++i];
        else if (strcmp(name, "--tool-option") == 0 && b->ntool_options < TOOL_OPTIONS_MAX)
            b->tool_options[b->ntool_options++] = argv[++i];
        else if (strcmp(name, "--runs") == 0)
            b->runs = strtoul(argv[++i], NULL, 10);
        else
            usage();
    }
    if (i == argc || b->runs < 1 || b->runs > RUNS_MAX)
        usage();
    return i;
}

int main(int argc, char **argv) {
    struct bench b = {.tool = CUWARP_TOOL, .bare = CUWARP_BARE, .runs = 3};
    find_files(&b, argv + parse_options(&b, argc, argv));
    if (access(b.tool, X_OK) != 0 || access(b.bare, X_OK) != 0) {
        fprintf(stderr, "cuwarp-bench: %s or %s is not there to run\n", b.tool, b.bare);
        return 2;
    }
    make_stub(&b);
    if (!b.quiet)
        print_head(&b);
    for (size_t i = 0; i < b.nfiles; i++) {
        measure_file(&b, &b.files[i]);
        if (!b.quiet)
            print_row(&b, &b.files[i]);
    }
    struct summary s = summarise(&b);
    print_summary(&b, &s);
    json_t *tree = b.tree ? measure_tree(&b) : NULL;
    if (b.json)
        write_json(&b, &s, tree);
    remove_stub(&b);
    forget_files(&b);
    return s.failed ? 1 : 0;
}
