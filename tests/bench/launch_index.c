/* What the index of launches costs (engine/launch_index.h), for all CUDA and C++ files below the folders that are
 * named: the look at each text for kernels and launches, and the join. Reading the files is not counted: a run does it
 * anyway.
 *
 *     cuwarp-launch-index [--runs N] FOLDER… */
#include "base/str.h"
#include "compdb/kernel_names.h"
#include "engine/launch_index.h"

#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_MAX = 101 };

struct text {
    const char *path;
    cw_str text;
};

struct texts {
    CW_VEC(struct text) at;
    size_t bytes;
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool is_source(const char *name) {
    static const char *const ends[] = {".cu", ".cuh", ".h", ".hpp", ".cc", ".cpp", ".inl"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (cw_str_ends(cw_str_of(name), ends[i]))
            return true;
    return false;
}

static void add_file(struct texts *texts, struct cw_arena *a, const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return;
    size_t n = (size_t)ftell(f);
    char *at = cw_arena_alloc(a, n + 1);
    rewind(f);
    n = fread(at, 1, n, f);
    fclose(f);
    cw_vec_push(a, &texts->at, ((struct text){cw_arena_strdup(a, path), {at, n}}));
    texts->bytes += n;
}

static void add_folder(struct texts *texts, struct cw_arena *a, char *folder) {
    char *const roots[] = {folder, NULL};
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (FTSENT *e; walk && (e = fts_read(walk));)
        if (e->fts_info == FTS_F && is_source(e->fts_name))
            add_file(texts, a, e->fts_path);
    if (walk)
        fts_close(walk);
}

/* Milliseconds of one index over all texts; how many files got launchers in *linked. */
static double index_once(const struct texts *texts, uint32_t *linked) {
    struct cw_arena a;
    cw_arena_init(&a);
    struct cw_directives *own = CW_NEW_ARRAY(&a, struct cw_directives, texts->at.n + 1);
    struct cw_unit_options *options = CW_NEW_ARRAY(&a, struct cw_unit_options, texts->at.n + 1);
    double from = now_ms();
    struct cw_launch_index *index = cw_launch_index_new(&a);
    for (uint32_t i = 0; i < texts->at.n; i++) {
        cw_kernel_names_read(&a, texts->at.at[i].text, &own[i].kernels, &own[i].launched);
        cw_launch_index_add(index, texts->at.at[i].path, texts->at.at[i].path, &own[i], &options[i]);
    }
    cw_launch_index_link(index);
    double took = now_ms() - from;
    *linked = 0;
    for (uint32_t i = 0; i < texts->at.n; i++)
        *linked += options[i].nlaunchers > 0;
    cw_arena_free(&a);
    return took;
}

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
    struct texts texts = {0};
    struct cw_arena a;
    int first = 1, runs = 11;
    double took[RUNS_MAX];
    uint32_t linked = 0;
    cw_arena_init(&a);
    if (argc > 2 && !strcmp(argv[1], "--runs")) {
        runs = atoi(argv[2]);
        first = 3;
    }
    for (int i = first; i < argc; i++)
        add_folder(&texts, &a, argv[i]);
    if (!texts.at.n || runs < 1 || runs > RUNS_MAX) {
        fprintf(stderr, "usage: cuwarp-launch-index [--runs N] FOLDER...\n");
        return 2;
    }
    for (int i = 0; i < runs; i++)
        took[i] = index_once(&texts, &linked);
    qsort(took, (size_t)runs, sizeof *took, by_value);
    printf("%u files, %.1f MB: %.1f ms (median of %d), %.1f ms for 1000 files; %u files whose kernels others launch\n",
           texts.at.n, (double)texts.bytes / 1e6, took[runs / 2], runs, took[runs / 2] * 1000 / texts.at.n, linked);
    cw_arena_free(&a);
    return 0;
}
