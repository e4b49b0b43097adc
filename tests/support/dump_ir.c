/* Developer's view of the front ends: parses files, verifies what it lowered, prints the IR or only counts.
 *
 *     dump_ir [--ts] [--hosts] [--count] [--unknown] [--times] FILE… [-- compiler arguments]
 *
 * --hosts: the host functions that launch are shown as they are read for launches.
 *
 * Exit status 1 when a function is malformed. */
#include "base/str.h"
#include "front/front.h"
#include "launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct totals {
    bool wants_unknown, wants_hosts;
    uint32_t files, functions, seen, fate[3], bails[CW_NBAILS];
    uint64_t instructions;
    int malformed;
};

static char *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    if (!f)
        return NULL;
    for (size_t cap = 1 << 16, n = 1; n; cap *= 2) {
        text = realloc(text, cap);
        if (!text)
            abort();
        n = fread(text + *size, 1, cap - *size, f);
        *size += n;
    }
    fclose(f);
    return text;
}

static void count(struct totals *t, const struct cw_module *m, const char *path) {
    t->files++;
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        const char *wrong = cw_fn_verify(fn);
        t->functions++;
        t->instructions += fn->ins.n;
        for (int k = 0; k < CW_NBAILS; k++)
            t->bails[k] += fn->bails[k];
        if (wrong) {
            fprintf(stderr, "%s: %s is malformed: %s\n", path, fn->name, wrong);
            t->malformed++;
        }
    }
    for (uint32_t i = 0; i < m->seen.n; i++) {
        t->seen++;
        t->fate[m->seen.at[i].fate]++;
    }
}

/* The functions whose bodies are not known, once per call. */
static void show_unknown(const struct cw_module *m) {
    for (uint32_t i = 0; i < m->fns.n; i++) {
        const struct cw_fn *fn = m->fns.at[i];
        for (uint32_t k = 0; k < fn->ins.n && fn->kind != CW_FN_HOST; k++)
            if (fn->ins.at[k].op == CW_OP_OPCALL || fn->ins.at[k].op == CW_OP_OPAQUE)
                printf("? %s %s %s:%u\n", cw_bail_id((enum cw_bail)fn->ins.at[k].aux),
                       fn->ins.at[k].name ? fn->ins.at[k].name : "-", fn->name,
                       fn->locs.at[fn->ins.at[k].loc].span.line);
    }
}

static void report(const struct totals *t) {
    printf("%u files, %u functions, %llu instructions; device functions seen %u: analysed %u, degraded %u, lost %u\n",
           t->files, t->functions, (unsigned long long)t->instructions, t->seen, t->fate[CW_FATE_ANALYSED],
           t->fate[CW_FATE_DEGRADED], t->fate[CW_FATE_LOST]);
    for (int k = 1; k < CW_NBAILS; k++)
        if (t->bails[k])
            printf("%8u %s\n", t->bails[k], cw_bail_text((enum cw_bail)k));
}

static void show(const struct cw_module *m) {
    struct cw_buf out = {0};
    cw_module_print(m, &out);
    fwrite(out.at, 1, out.n, stdout);
    cw_buf_free(&out);
    for (uint32_t i = 0; i < m->notes.n; i++)
        if (m->notes.at[i].is_error)
            fprintf(stderr, "%s:%u:%u: %s\n", m->files.at[m->notes.at[i].span.file], m->notes.at[i].span.line,
                    m->notes.at[i].span.col, m->notes.at[i].text);
}

static void run(const char *path, const char *const *args, uint32_t nargs, bool is_count, bool is_timed,
                struct totals *t) {
    struct cw_arena a;
    struct timespec from, to;
    size_t size;
    const char *error = NULL;
    char *text = read_file(path, &size);
    cw_arena_init(&a);
    struct cw_front_options o = {.path = path, .text = text, .size = size, .args = args, .nargs = nargs, .arch = 75};
    clock_gettime(CLOCK_MONOTONIC, &from);
    struct cw_module *m = cw_front_clang(&a, &o, &error);
    clock_gettime(CLOCK_MONOTONIC, &to);
    if (is_timed)
        printf("%s: %.1f ms\n", path,
               (double)(to.tv_sec - from.tv_sec) * 1e3 + (double)(to.tv_nsec - from.tv_nsec) / 1e6);
    if (!m)
        fprintf(stderr, "%s: %s\n", path, error);
    if (m && t->wants_hosts)
        cw_launch_prepare_hosts(m, NULL);
    if (m && !is_count)
        show(m);
    if (m)
        count(t, m, path);
    if (m && t->wants_unknown)
        show_unknown(m);
    cw_arena_free(&a);
    free(text);
}

int main(int argc, char **argv) {
    struct totals t = {0};
    bool is_count = false, is_timed = false;
    int end = 1, first = 1;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    for (; first < end && strncmp(argv[first], "--", 2) == 0; first++) {
        is_count |= strcmp(argv[first], "--count") == 0;
        t.wants_hosts |= strcmp(argv[first], "--hosts") == 0;
        t.wants_unknown |= strcmp(argv[first], "--unknown") == 0;
        is_timed |= strcmp(argv[first], "--times") == 0;
    }
    const char *const *args = (const char *const *)(end < argc ? argv + end + 1 : argv + end);
    uint32_t nargs = end < argc ? (uint32_t)(argc - end - 1) : 0;
    for (int i = first; i < end; i++)
        run(argv[i], args, nargs, is_count, is_timed, &t);
    if (is_count)
        report(&t);
    return t.malformed != 0;
}
