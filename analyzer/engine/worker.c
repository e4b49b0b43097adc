/* A process per file keeps a crash, a hang or a memory hog inside libclang (or here) to that one file. The parent has
 * nothing loaded but code, so a fork costs less than a millisecond. */
#include "engine/worker.h"

#include "base/io.h"
#include "base/log.h"
#include "base/sanitizer.h"
#include "base/str.h"
#include "diag/diag_json.h"
#include "engine/parse_clock.h"
#include "engine/prelude.h"
#include "engine/stack.h"
#include "front/front.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CW_HAS_ADDRESS_SANITIZER
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* ---- in the child ---- */

/* AddressSanitizer maps terabytes of shadow memory; there the parent's watch over the resident set is all there is. */
static void limit_resources(const struct cw_run_options *options) {
    rlim_t bytes = options->memory_limit + cw_large_stack_bytes(); /* most of the stack is never touched */
    struct rlimit none = {0, 0}, memory = {bytes, bytes};
    setrlimit(RLIMIT_CORE, &none);
    if (!SANITIZED && options->memory_limit)
        setrlimit(RLIMIT_DATA, &memory);
}

/* What one kernel's scratch gave back serves the next: returning it to the system and touching new pages costs more
 * than using it. Everything stays in one heap; the process ends soon. */
static void keep_memory(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, INT_MAX);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

#ifdef CUWARP_TEST_HOOKS
/* CUWARP_TEST_WORKER="crash:name": a worker whose path holds `name` does what tests of the isolation need. */
static void obey_test_hook(const char *path, const struct cw_unit_options *options) {
    const char *hook = getenv("CUWARP_TEST_WORKER"), *colon = hook ? strchr(hook, ':') : NULL;
    if (!colon || !strstr(path, colon + 1))
        return;
    if (!strncmp(hook, "crash:", 6) || (!strncmp(hook, "prelude:", 8) && cw_preludes_has_some(options->preludes))) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (!strncmp(hook, "parser:", 7) && !options->is_device_only)
        abort();
    while (!strncmp(hook, "hang:", 5))
        pause();
    if (!strncmp(hook, "garble:", 7))
        _exit(0);
    while (!strncmp(hook, "memory:", 7)) {
        char *block = malloc(1 << 20);
        if (!block)
            abort();
        memset(block, 1, 1 << 20);
    }
}
#else
static void obey_test_hook(const char *path, const struct cw_unit_options *options) {
    (void)path;
    (void)options;
}
#endif

struct task {
    const struct cw_unit_options *options;
    struct cw_sources *sources;
    struct cw_arena arena;
    struct cw_buf dump;
    struct cw_file_result result;
};

static void analyse_file(void *data) {
    struct task *t = data;
    obey_test_hook(t->result.path, t->options);
    cw_pipeline(t->options, t->sources, &t->result, &t->arena, &t->dump);
}

static char *text_of(struct task *task) {
    json_t *j = cw_result_to_json(&task->result), *reads = json_array();
    for (uint32_t i = 0; i < task->result.reads.n; i++)
        json_array_append_new(reads, cw_json_text(task->result.reads.at[i]));
    json_object_set_new(j, "reads", reads);
    json_object_set_new(j, "dump", task->dump.at ? cw_json_text(task->dump.at) : json_null());
    char *text = json_dumps(j, JSON_COMPACT);
    json_decref(j);
    return text;
}

static void work_on_file(const struct cw_run_options *options, const struct cw_unit_options *unit,
                         struct cw_sources *sources, const char *path, int fd) {
    struct task t = {.options = unit, .sources = sources, .result = {.path = path}};
    cw_arena_init(&t.arena);
    limit_resources(options);
    keep_memory();
    cw_on_large_stack(analyse_file, &t);
    if (cw_front_clang_problem())
        _exit(CW_NO_PARSER_STATUS);
    const char *text = text_of(&t);
    if (!text || !cw_write_all(fd, text, strlen(text)))
        _exit(1);
    /* Not exit(): nothing here is worth tearing down, and the parent's buffers must not be flushed twice. */
    _exit(0);
}

struct scan_task {
    const struct cw_worker_batch *batch;
    struct cw_sources *sources;
    int fd;
};

static void scan_one(const struct scan_task *scan_task, uint32_t file) {
    struct task t = {.options = scan_task->batch->units[file],
                     .sources = scan_task->sources,
                     .result = {.path = scan_task->batch->paths[file]}};
    cw_arena_init(&t.arena);
    obey_test_hook(t.result.path, t.options);
    bool is_done = cw_pipeline_scan(t.options, t.sources, &t.result, &t.arena);
    char *text = is_done ? text_of(&t) : NULL;
    uint32_t length = text ? (uint32_t)strlen(text) : 0;
    struct cw_buf frame = {0};
    cw_buf_add(&frame, (const char *)&length, sizeof length);
    if (length)
        cw_buf_add(&frame, text, length);
    if (!cw_write_all(scan_task->fd, frame.at, frame.n))
        _exit(1);
    cw_buf_free(&frame);
    free(text);
    cw_arena_free(&t.arena);
}

/* Ends early, and well, before the texts that it has read become many. */
static void scan_all(void *data) {
    enum { FILES_PER_LOOK = 16, MOST_BYTES = 256 << 20 };
    const struct scan_task *s = data;
    uint64_t before = cw_process_memory(getpid());
    for (uint32_t i = 0; i < s->batch->n; i++) {
        scan_one(s, s->batch->files[i]);
        if (i % FILES_PER_LOOK == 0 && cw_process_memory(getpid()) > before + MOST_BYTES)
            return;
    }
}

/* 0 in the child, which may write to *fd; -1 when no process or pipe can be made. */
static pid_t fork_with_pipe(int *fd) {
    int pipes[2];
    if (pipe2(pipes, O_CLOEXEC))
        return -1;
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
    }
    close(pipes[pid == 0 ? 0 : 1]);
    if (pid < 0)
        close(pipes[0]);
    *fd = pid < 0 ? -1 : pipes[pid == 0 ? 1 : 0];
    return pid;
}

pid_t cw_worker_start_batch(const struct cw_run_options *options, const struct cw_worker_batch *batch,
                            struct cw_sources *sources, int *fd) {
    pid_t pid = fork_with_pipe(fd);
    if (pid == 0) {
        struct scan_task s = {batch, sources, *fd};
        limit_resources(options);
        keep_memory();
        cw_on_large_stack(scan_all, &s);
        _exit(0);
    }
    return pid;
}

pid_t cw_worker_start(const struct cw_run_options *options, const struct cw_unit_options *unit,
                      struct cw_sources *sources, const char *path, int *fd) {
    pid_t pid = fork_with_pipe(fd);
    if (pid == 0)
        work_on_file(options, unit, sources, path, *fd);
    return pid;
}

/* ---- in the parent ---- */

uint64_t cw_process_memory(pid_t pid) {
    char path[64];
    unsigned long long total = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return 0;
    int got = fscanf(f, "%llu %llu", &total, &resident);
    fclose(f);
    return got == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

bool cw_process_is_runnable(pid_t pid) {
    char path[64], state = '?';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    bool got = fscanf(f, "%*d (%*[^)]) %c", &state) == 1; /* the name is this program's */
    fclose(f);
    return got && state == 'R';
}

static const char *memory_text(struct cw_arena *a, uint64_t limit) {
    return cw_arena_printf(a, "more memory needed than the limit of %llu MB", (unsigned long long)(limit >> 20));
}

bool cw_is_near_limit(uint64_t limit, uint64_t peak) {
    return peak > limit - limit / 8;
}

static const char *failure_of(struct cw_arena *a, int status, const char *killed, uint64_t limit, uint64_t peak) {
    if (killed)
        return killed;
    /* What fails to get memory aborts or gives up, each library in its own way. */
    if (limit && cw_is_near_limit(limit, peak))
        return memory_text(a, limit);
    if (WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        return cw_arena_printf(a, "the analyser crashed on it (SIG%s)", name ? name : "?");
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == CW_STACK_OVERFLOW_STATUS)
        return "it is nested too deeply to be parsed";
    if (WIFEXITED(status) && WEXITSTATUS(status) == CW_SLOW_PARSER_STATUS)
        return "the parser needs too much time for so little text";
    if (WIFEXITED(status) && WEXITSTATUS(status))
        return cw_arena_printf(a, "the analyser gave up on it (status %d)", WEXITSTATUS(status));
    return "the analyser gave no result";
}

static void get_reads(struct cw_arena *a, const json_t *json, struct cw_file_result *out) {
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(json, "reads"), i, item)
        if (json_is_string(item))
            cw_vec_push(a, &out->reads, (const char *)cw_arena_strdup(a, json_string_value(item)));
}

void cw_worker_result(struct cw_arena *a, const char *path, const struct cw_buf *wire, int status, const char *killed,
                      uint64_t memory_limit, uint64_t peak, struct cw_file_result *out, struct cw_buf *dump) {
    bool clean = !killed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    json_t *j = clean && wire->n ? json_loadb(wire->at, wire->n, 0, NULL) : NULL;
    bool understood = j && cw_result_from_json(a, j, out);
    if (understood) {
        get_reads(a, j, out);
        const char *text = json_string_value(json_object_get(j, "dump"));
        if (text)
            cw_buf_puts(dump, text);
    } else {
        *out = (struct cw_file_result){.failed = true,
                                       .failure = failure_of(a, status, killed, memory_limit, peak)};
    }
    out->path = path;
    json_decref(j);
}
