#include "engine/run.h"

#include "base/log.h"
#include "base/str.h"
#include "engine/cache.h"
#include "engine/early.h"
#include "engine/flags.h"
#include "engine/inputs.h"
#include "engine/known_files.h"
#include "engine/parse_clock.h"
#include "engine/prelude.h"
#include "engine/report.h"
#include "engine/scout.h"
#include "engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 256, FEW_FILES = 4, MANY_FILES = 32, MAX_WIRE_BYTES = 256 << 20 };
static const double watch_seconds = 0.05, idle_share = 100, patience = 30;

/* ---- the pool ---- */

struct slot {
    pid_t pid; /* 0: free */
    int fd;
    uint32_t file;
    double started;
    double mark, used_at_mark; /* when it was last seen to make progress, and its processor time then */
    double used_before;        /* its processor time when it began the file */
    bool is_over_memory;
    const char *killed; /* why we ended it */
    bool is_second;     /* the first worker crashed on the file */
    const char *lost;   /* why the parser lost the file, of which device functions alone are read now; or NULL */
    struct cw_buf wire;
};

struct kept {
    bool is_possible; /* can be kept for later runs */
    struct cw_hash128 key;
};

struct pool {
    const struct cw_run_options *options;
    struct cw_sources *sources;
    struct cw_arena *arena;
    const struct cw_inputs *inputs;
    const struct cw_unit_options **units; /* by index in inputs */
    struct cw_file_result *results; /* by index in inputs */
    struct cw_buf *dumps;           /* the same */
    struct cw_cache *cache;
    struct cw_flags *flags;
    struct cw_preludes *preludes;
    struct kept *keys;              /* the same */
    struct cw_vec_u32 todo;         /* indices of the files that no earlier run has the result of */
    struct slot slots[MAX_JOBS];
    uint32_t nslots, next, done;
    uint32_t scouted;   /* files that needed no parser; they are not in todo any more */
    bool lacks_parser;  /* a worker could not load it */
    struct cw_early *early; /* or NULL */
    double started;
};

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int start_worker(struct pool *pool, struct slot *slot, uint32_t file, const struct cw_unit_options *unit) {
    pid_t pid = cw_worker_start(pool->options, unit, pool->sources, pool->inputs->paths.at[file], &slot->fd);
    if (pid < 0)
        return -1;
    slot->pid = pid;
    slot->file = file;
    slot->started = now_seconds();
    slot->mark = slot->used_at_mark = slot->used_before = 0;
    slot->killed = NULL;
    slot->is_over_memory = false;
    slot->is_second = false;
    slot->lost = NULL;
    slot->wire.n = 0;
    return 0;
}

static int start_file(struct pool *pool, struct slot *slot) {
    uint32_t file = pool->todo.at[pool->next];
    if (start_worker(pool, slot, file, pool->units[file]))
        return -1;
    pool->next++;
    return 0;
}

/* Once more without precompiled text: where that was to blame for a crash, it may not cost the file. */
static bool start_plain(struct pool *pool, struct slot *slot) {
    struct cw_unit_options *plain = CW_NEW(pool->arena, struct cw_unit_options);
    *plain = *pool->units[slot->file];
    plain->preludes = NULL;
    bool started = start_worker(pool, slot, slot->file, plain) == 0;
    slot->is_second = started;
    return started;
}

/* Once more with the device functions alone: what was too much for the parser is often beside them. */
static bool start_device_only(struct pool *pool, struct slot *slot, const char *why) {
    struct cw_unit_options *less = CW_NEW(pool->arena, struct cw_unit_options);
    *less = *pool->units[slot->file];
    less->preludes = NULL;
    less->is_device_only = true;
    bool started = start_worker(pool, slot, slot->file, less) == 0;
    slot->lost = why;
    return started;
}

/* Fills the free slots. Running short of processes is fine as long as one is at work. */
static int start_more(struct pool *pool) {
    uint32_t busy = 0;
    for (uint32_t i = 0; i < pool->nslots; i++)
        busy += pool->slots[i].pid != 0;
    for (uint32_t i = 0; i < pool->nslots && pool->next < pool->todo.n; i++) {
        if (pool->slots[i].pid)
            continue;
        if (start_file(pool, &pool->slots[i])) {
            if (busy)
                return 0;
            cw_error("no worker process can be started: %s", strerror(errno));
            return -1;
        }
        busy++;
    }
    return 0;
}

static void keep_result(struct pool *pool, uint32_t file, const struct cw_buf *wire) {
    const struct cw_file_result *r = &pool->results[file];
    if (!r->failed && pool->keys[file].is_possible &&
        cw_cache_covers(pool->cache, pool->units[file], r->reads.at, r->reads.n))
        cw_cache_store(pool->cache, pool->keys[file].key, wire->at, wire->n);
}

/* Of itself, not for lack of memory, and maybe over precompiled text: neither the second attempt nor the one with
 * device functions alone uses any. */
static bool has_crashed(const struct slot *slot, int status, uint64_t limit, uint64_t peak) {
    return WIFSIGNALED(status) && !slot->killed && !slot->is_second && !slot->lost &&
           !(limit && cw_is_near_limit(limit, peak));
}

/* The parser crashed, gave up, or needed more memory, time or stack than it may have. The time limit of the whole file
 * is not meant. */
static bool is_parsers_loss(const struct pool *pool, const struct slot *slot, int status, uint64_t peak) {
    uint64_t limit = pool->options->memory_limit;
    bool lacks_memory = slot->is_over_memory || (limit && cw_is_near_limit(limit, peak));
    bool gave_up = WIFEXITED(status) && WEXITSTATUS(status) && WEXITSTATUS(status) != CW_NO_PARSER_STATUS;
    return pool->results[slot->file].failed && !slot->lost &&
           (lacks_memory || ((gave_up || WIFSIGNALED(status)) && !slot->killed));
}

/* The first reason counts when the second attempt was lost as well. */
static void tell_loss(struct pool *pool, const struct slot *slot) {
    struct cw_file_result *r = &pool->results[slot->file];
    r->is_parser_lost = !r->failed;
    if (r->failed)
        r->failure = slot->lost;
    else
        cw_vec_push(pool->arena, &r->warnings,
                    (const char *)cw_arena_printf(pool->arena, "%s: only its device functions are read: %s", r->path,
                                                  slot->lost));
}

static void finish_worker(struct pool *pool, struct slot *slot) {
    int status = 0;
    struct rusage usage = {0};
    close(slot->fd);
    while (wait4(slot->pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    pool->lacks_parser |= WIFEXITED(status) && WEXITSTATUS(status) == CW_NO_PARSER_STATUS;
    uint64_t limit = pool->options->memory_limit, peak = (uint64_t)usage.ru_maxrss * 1024;
    if (has_crashed(slot, status, limit, peak) && cw_preludes_has_some(pool->units[slot->file]->preludes) &&
        start_plain(pool, slot))
        return;
    cw_worker_result(pool->arena, pool->inputs->paths.at[slot->file], &slot->wire, status, slot->killed, limit, peak,
                     &pool->results[slot->file], &pool->dumps[slot->file]);
    if (is_parsers_loss(pool, slot, status, peak) && start_device_only(pool, slot, pool->results[slot->file].failure))
        return;
    if (slot->lost)
        tell_loss(pool, slot);
    else
        keep_result(pool, slot->file, &slot->wire);
    slot->pid = 0;
    pool->done++;
    cw_early_add(pool->early, slot->file);
}

static void stop_worker(struct slot *slot, const char *why) {
    if (!slot->killed)
        slot->killed = why;
    kill(slot->pid, SIGKILL);
}

/* Reads what is there; the worker is finished at the end of the stream. */
static void take_output(struct pool *pool, struct slot *slot) {
    char chunk[65536];
    ssize_t n = read(slot->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish_worker(pool, slot);
        return;
    }
    if (slot->wire.n < MAX_WIRE_BYTES)
        cw_buf_add(&slot->wire, chunk, (size_t)n);
    else
        stop_worker(slot, "its result is too large");
}

static double processor_time(pid_t pid) {
    struct timespec used;
    clockid_t clock;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Processor time is what a file needs, however busy the machine is. A worker that has next to none for as long hangs,
 * whatever it used before, unless it only waits for a processor; and there is an end to everything. */
static bool is_over_time(const struct cw_run_options *options, struct slot *slot, double t) {
    double limit = options->time_limit, used = processor_time(slot->pid) - slot->used_before;
    bool progresses = used - slot->used_at_mark > limit / idle_share || cw_process_is_runnable(slot->pid);
    if (progresses || slot->mark < slot->started) {
        slot->mark = t;
        slot->used_at_mark = used;
    }
    return options->time_limit && (used > limit || t - slot->mark > limit || t - slot->started > limit * patience);
}

/* Time and memory of the workers. RLIMIT_DATA does not see everything (and nothing under a sanitizer). */
static void watch_workers(struct pool *pool) {
    const struct cw_run_options *o = pool->options;
    double t = now_seconds();
    for (uint32_t i = 0; i < pool->nslots; i++) {
        struct slot *s = &pool->slots[i];
        if (!s->pid || s->killed)
            continue;
        if (is_over_time(o, s, t))
            stop_worker(s, cw_arena_printf(pool->arena, "more time needed than the limit of %u s", o->time_limit));
        else if ((s->is_over_memory = o->memory_limit && cw_process_memory(s->pid) > o->memory_limit))
            stop_worker(s, cw_arena_printf(pool->arena, "more memory needed than the limit of %llu MB",
                                           (unsigned long long)(o->memory_limit >> 20)));
    }
}

static void show_progress(const struct pool *pool, bool last) {
    const struct slot *oldest = NULL;
    for (uint32_t i = 0; i < pool->nslots; i++)
        if (pool->slots[i].pid && (!oldest || pool->slots[i].started < oldest->started))
            oldest = &pool->slots[i];
    if (pool->options->progress && (last || oldest))
        pool->options->progress(pool->scouted + pool->done, pool->scouted + pool->todo.n,
                             last ? NULL : pool->inputs->paths.at[oldest->file]);
}

/* Waits until a worker has something to say or it is time to look after them. */
static void serve_workers(struct pool *pool, double *watched) {
    struct pollfd fds[MAX_JOBS];
    struct slot *of[MAX_JOBS];
    nfds_t n = 0;
    for (uint32_t i = 0; i < pool->nslots; i++)
        if (pool->slots[i].pid) {
            of[n] = &pool->slots[i];
            fds[n++] = (struct pollfd){.fd = pool->slots[i].fd, .events = POLLIN};
        }
    int ready = poll(fds, n, (int)(watch_seconds * 1e3));
    if (cw_early_is_interrupted(pool->early))
        return; /* the workers' ends may be due to the same signal */
    for (nfds_t i = 0; i < n && ready > 0; i++)
        if (fds[i].revents)
            take_output(pool, of[i]);
    if (now_seconds() - *watched > watch_seconds) {
        watch_workers(pool);
        cw_early_report(pool->early);
        show_progress(pool, false);
        *watched = now_seconds();
    }
}

/* The workers end with this process. */
static void report_interrupted(struct pool *pool) {
    uint32_t all = pool->inputs->paths.n, done = all - pool->todo.n + pool->done;
    cw_early_cut_short(pool->early);
    cw_error("interrupted: the findings are those of %u of %u files, and incomplete", done, all);
}

static int run_pool(struct pool *pool) {
    double watched = pool->started = now_seconds();
    cw_early_hold_signals(pool->early);
    int failed = start_more(pool);
    show_progress(pool, false); /* however soon they end */
    while (!failed && pool->done < pool->todo.n && !cw_early_is_interrupted(pool->early)) {
        failed = start_more(pool);
        if (!failed)
            serve_workers(pool, &watched);
    }
    show_progress(pool, true);
    if (cw_early_is_interrupted(pool->early))
        report_interrupted(pool);
    cw_early_release_signals(pool->early);
    for (uint32_t i = 0; i < pool->nslots; i++)
        cw_buf_free(&pool->slots[i].wire);
    return failed;
}

/* Once for all workers, and only when there is one: a run whose results are all kept needs no libclang. A worker
 * that is the only one loads it for itself, when it has something to parse: pages that libclang writes to would be
 * copied for it. */
static int load_parser(const struct pool *pool) {
    const char *error = NULL;
    if (!pool->todo.n || (pool->todo.n == 1 && !pool->lacks_parser && cw_front_clang_library()) ||
        cw_front_clang_load(&error))
        return 0;
    cw_error("%s", error);
    return -1;
}

/* A run over so few files is one of many over nearly the same: what is made for the next pays. */
static bool is_repeated(const struct pool *pool, uint32_t most) {
    return pool->cache && cw_cache_is_on(pool->cache) && pool->todo.n <= most;
}

/* Headers have no later run in a folder that is gone after this one. */
static bool keeps_beginnings(const struct pool *pool) {
    return pool->cache && cw_cache_is_on(pool->cache) && !pool->options->own;
}

/* Which headers the files that are about to be parsed begin with. Text that is not on the disk has its own. */
static struct cw_leading *find_leading(const struct pool *pool) {
    struct cw_leading *leading = cw_leading_open(pool->arena, pool->sources);
    for (uint32_t i = 0; i < pool->todo.n; i++) {
        const struct cw_unit_options *u = pool->units[pool->todo.at[i]];
        const char *path = pool->inputs->paths.at[pool->todo.at[i]], *given = pool->options->stdin_name;
        if (!u->cuda_path && !(given && !strcmp(given, path)))
            cw_leading_add(leading, path, u->args, u->nargs);
    }
    cw_leading_choose(leading);
    if (keeps_beginnings(pool) && is_repeated(pool, MANY_FILES))
        cw_leading_choose_all(leading);
    return leading;
}

static void count_prelude(const struct pool *pool, const struct cw_unit_options *options, uint32_t arch,
                          const char *path) {
    struct cw_front_options front = {
        .path = path, .args = options->args, .nargs = options->nargs, .arch = arch, .cuda_path = options->cuda_path};
    struct cw_beginning beginning = {0};
    cw_preludes_count(pool->preludes, &front);
    front.shared = cw_leading_of(pool->preludes->leading, path, &front.nshared);
    if (front.nshared && cw_preludes_count(pool->preludes, &front) && keeps_beginnings(pool) &&
        cw_flags_beginning(pool->flags, options, front.shared, front.nshared, &beginning))
        cw_preludes_rest_on(pool->preludes, &beginning);
}

/* For the files that are about to be parsed. */
static void make_preludes(const struct pool *pool) {
    pool->preludes->leading = find_leading(pool);
    for (uint32_t i = 0; i < pool->todo.n; i++) {
        const struct cw_unit_options *u = pool->units[pool->todo.at[i]];
        for (uint32_t n = 0; n < u->narchs; n++)
            count_prelude(pool, u, u->archs[n], pool->inputs->paths.at[pool->todo.at[i]]);
    }
    cw_preludes_make(pool->preludes);
}

/* The result of an earlier run with the same options, files and program. The times in it are that run's. */
static bool recall_result(struct pool *pool, uint32_t file) {
    struct cw_buf text = {0};
    bool known = cw_cache_load(pool->cache, pool->keys[file].key, &text);
    struct cw_file_result *r = &pool->results[file];
    if (known) {
        cw_worker_result(pool->arena, pool->inputs->paths.at[file], &text, 0, NULL, 0, 0, r, &pool->dumps[file]);
        known = !r->failed;
        r->seconds_scan = r->seconds_parse = r->seconds_lower = r->seconds_analyse = 0;
        r->peak_bytes = r->cells_evaluated = r->cells_reused = 0;
    }
    cw_buf_free(&text);
    return known;
}

static void recall_all(struct pool *pool) {
    for (uint32_t i = 0; i < pool->inputs->paths.n; i++) {
        pool->keys[i].is_possible =
            cw_cache_key(pool->cache, pool->inputs->paths.at[i], pool->units[i], &pool->keys[i].key);
        if (!pool->keys[i].is_possible || !recall_result(pool, i))
            cw_vec_push(pool->arena, &pool->todo, i);
    }
}

bool cw_run_file_options(const struct cw_run_options *options, const char *path, struct cw_file_options *out,
                         const char **error) {
    const struct cw_file_options *found = options->options_of ? options->options_of(options->ctx, path, error) : NULL;
    if (found)
        *out = *found;
    else if (!options->options_of)
        *out = (struct cw_file_options){.unit = options->unit,
                                        .archs_given = options->archs_given,
                                        .possible = options->possible,
                                        .third_party = options->third_party};
    return found || !options->options_of;
}

/* Standard input stands for a file that was named. */
static bool is_stdin_wanted(const struct cw_run_options *options, const char **error) {
    return options->stdin_name && !(options->force_exclude && options->excludes &&
                                    options->excludes(options->ctx, options->stdin_name, false, error));
}

void cw_run_step(const struct cw_run_options *options, const char *what) {
    if (options->progress)
        options->progress(0, 0, what);
#ifdef CUWARP_TEST_HOOKS
    const char *slow = getenv("CUWARP_TEST_STEP"); /* tests of what a terminal shows */
    if (slow && !strcmp(slow, what))
        nanosleep(&(struct timespec){0, 600000000}, NULL);
#endif
}

static struct cw_inputs find_inputs(const struct cw_run_options *options, struct cw_arena *a,
                                    struct cw_known_files *known, const char **error) {
    struct cw_inputs_filter filter = {
        options->no_ignore, options->force_exclude, options->excludes, options->ctx, known, options->unit.embedded};
    struct cw_inputs inputs = cw_inputs_of(a, options->paths, options->npaths, &filter, error);
    if (!*error && is_stdin_wanted(options, error))
        cw_vec_push(a, &inputs.paths, options->stdin_name);
    return inputs;
}

struct cw_inputs cw_run_inputs(const struct cw_run_options *options, struct cw_arena *a, const char **error) {
    return find_inputs(options, a, NULL, error);
}

/* ---- a run in steps ---- */

struct cw_run_state {
    const struct cw_run_options *options;
    struct cw_sources *sources;
    struct cw_arena *arena;
    struct cw_inputs inputs;
    struct cw_flags *flags;
    struct cw_cache *cache;
    struct cw_preludes preludes; /* of the present step */
    const struct cw_unit_options **units; /* by index in inputs */
    struct cw_file_result *results;       /* the same */
    struct cw_early *early;               /* or NULL */
};

/* In the order of the files, see cw_flags_of. NULL when a configuration is wrong; the message has been printed. */
static const struct cw_unit_options **unit_options(struct cw_run_state *run) {
    uint32_t n = run->inputs.paths.n;
    const struct cw_unit_options **units = CW_NEW_ARRAY(run->arena, const struct cw_unit_options *, n + 1);
    const char *error = NULL;
    for (uint32_t i = 0; i < n; i++) {
        struct cw_unit_options *u = cw_flags_of(run->flags, run->inputs.paths.at[i], &error);
        if (!u) {
            cw_error("%s", error);
            return NULL;
        }
        u->preludes = &run->preludes;
        units[i] = u;
    }
    if (cw_flags_link(run->flags, &error))
        return units;
    cw_error("%s", error);
    return NULL;
}

static struct cw_cache *open_cache(const struct cw_run_options *options, struct cw_arena *a) {
    struct cw_hash128 tool = options->cache ? cw_cache_tool() : (struct cw_hash128){0};
    struct cw_cache *c = cw_cache_open(a, options->cache, (uint64_t)CW_CACHE_MEGABYTES << 20, tool);
    cw_cache_trust(c, options->own);
    return c;
}

/* Files that were just made, and are gone after the run, need not be known to later ones. */
static struct cw_known_files *open_known(const struct cw_run_options *options, struct cw_cache *cache,
                                         struct cw_arena *a) {
    struct cw_cache *none = options->own ? cw_cache_open(a, NULL, 0, (struct cw_hash128){0}) : NULL;
    return cw_known_files_open(none ? none : cache, a, options->paths, options->npaths);
}

struct cw_run_state *cw_run_open(const struct cw_run_options *options, struct cw_sources *sources, struct cw_arena *a) {
    struct cw_run_state *r = CW_NEW(a, struct cw_run_state);
    const char *error = NULL;
    *r = (struct cw_run_state){.options = options, .sources = sources, .arena = a};
    r->cache = open_cache(options, a); /* before files are looked at */
    struct cw_known_files *known = open_known(options, r->cache, a);
    cw_run_step(options, "looking for files");
    r->inputs = find_inputs(options, a, known, &error);
    cw_run_step(options, "looking for headers");
    r->flags = error ? NULL : cw_flags_open(options, &r->inputs, sources, known, a, &error);
    if (!r->flags) {
        cw_error("%s", error);
        return NULL;
    }
    r->units = unit_options(r);
    cw_known_files_close(known);
    r->results = CW_NEW_ARRAY(a, struct cw_file_result, r->inputs.paths.n + 1);
    for (uint32_t i = 0; i < r->inputs.paths.n; i++)
        r->results[i].path = r->inputs.paths.at[i];
    if (r->units)
        return r;
    cw_run_close(r);
    return NULL;
}

void cw_run_close(struct cw_run_state *run) {
    cw_flags_close(run->flags);
}

uint32_t cw_run_nfiles(const struct cw_run_state *run) {
    return run->inputs.paths.n;
}

const char *cw_run_path(const struct cw_run_state *run, uint32_t file) {
    return run->inputs.paths.at[file];
}

const struct cw_unit_options *cw_run_unit(const struct cw_run_state *run, uint32_t file) {
    return run->units[file];
}

const struct cw_file_result *cw_run_result(const struct cw_run_state *run, uint32_t file) {
    return &run->results[file];
}

void cw_run_add(struct cw_run_state *run, uint32_t file, const struct cw_finding *finding) {
    cw_vec_push(run->arena, &run->results[file].findings, *finding);
}

static void take_dumps(struct pool *pool, struct cw_buf *dump) {
    for (uint32_t i = 0; i < pool->inputs->paths.n; i++) {
        if (pool->dumps[i].at && dump)
            cw_buf_puts(dump, pool->dumps[i].at);
        cw_buf_free(&pool->dumps[i]);
    }
}

static struct pool *new_pool(struct cw_run_state *run) {
    struct cw_arena *a = run->arena;
    uint32_t n = run->inputs.paths.n;
    struct pool *p = CW_NEW(a, struct pool);
    *p = (struct pool){.options = run->options, .sources = run->sources, .arena = a, .inputs = &run->inputs,
                       .units = run->units, .results = run->results, .flags = run->flags, .preludes = &run->preludes,
                       .dumps = CW_NEW_ARRAY(a, struct cw_buf, n + 1), .keys = CW_NEW_ARRAY(a, struct kept, n + 1)};
    return p;
}

struct sized {
    uint32_t file;
    const char *first; /* see early.h */
    int64_t bytes;
};

static int by_size(const void *a, const void *b) {
    const struct sized *x = a, *y = b;
    int order = strcmp(x->first, y->first);
    if (order)
        return order;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

/* The longest first, as far as sizes tell: else the last worker has the longest file while the others have nothing.
 * Where findings are reported early, first those that others wait for. */
static void sort_todo(struct pool *pool) {
    struct sized *order = CW_NEW_ARRAY(pool->arena, struct sized, pool->todo.n + 1);
    for (uint32_t i = 0; i < pool->todo.n; i++) {
        struct stat st;
        uint32_t file = pool->todo.at[i];
        bool is_there = !stat(pool->inputs->paths.at[file], &st);
        order[i] = (struct sized){file, cw_early_first_of(pool->early, file), is_there ? (int64_t)st.st_size : 0};
    }
    if (pool->todo.n)
        qsort(order, pool->todo.n, sizeof *order, by_size);
    for (uint32_t i = 0; i < pool->todo.n; i++)
        pool->todo.at[i] = order[i].file;
}

/* With what is done already: earlier results, and files that needed no parser. */
static void begin_early(struct pool *pool) {
    uint32_t n = pool->inputs->paths.n;
    bool *is_left = CW_NEW_ARRAY(pool->arena, bool, n + 1);
    for (uint32_t i = 0; i < pool->todo.n; i++)
        is_left[pool->todo.at[i]] = true;
    for (uint32_t i = 0; i < n; i++)
        if (!is_left[i])
            cw_early_add(pool->early, i);
    cw_early_expect(pool->early, pool->todo.at, pool->todo.n);
}

/* With what a later run will begin with made beside, or after it where one process at a time was asked for. */
static int work_off(struct pool *pool) {
    bool for_later = is_repeated(pool, FEW_FILES) && !pool->options->is_hurried;
    cw_run_step(pool->options, "parsing what files begin with");
    make_preludes(pool);
    if (for_later && pool->options->jobs > 1)
        cw_preludes_start_later(pool->preludes);
    int failed = run_pool(pool);
    if (!failed && pool->lacks_parser)
        failed = load_parser(pool); /* says why */
    if (for_later && pool->options->jobs <= 1)
        cw_preludes_start_later(pool->preludes);
    cw_preludes_finish_later(pool->preludes);
    return failed;
}

static struct cw_report_files report_files(const struct cw_run_state *run) {
    return (struct cw_report_files){.results = run->results,
                                    .units = run->units,
                                    .n = run->inputs.paths.n,
                                    .flags = run->flags,
                                    .sources = run->sources};
}

static void take_scouted(void *ctx, uint32_t file, const struct cw_buf *wire) {
    struct pool *p = ctx;
    cw_worker_result(p->arena, p->inputs->paths.at[file], wire, 0, NULL, 0, 0, &p->results[file], &p->dumps[file]);
    keep_result(p, file, wire);
}

static void show_scouting(void *ctx, uint32_t done, uint32_t file) {
    const struct pool *p = ctx;
    if (p->options->progress)
        p->options->progress(done, p->todo.n, p->inputs->paths.at[file]);
}

static void scout_files(struct pool *pool) {
    struct cw_scouting s = {pool->options, pool->sources, pool->inputs, pool->units, take_scouted, show_scouting, pool};
    uint32_t all = pool->todo.n;
    cw_scout(&s, &pool->todo);
    pool->scouted = all - pool->todo.n;
}

static int run_todo(struct cw_run_state *run, struct pool *pool, struct cw_buf *dump) {
    uint32_t jobs = run->options->jobs < pool->todo.n ? run->options->jobs : pool->todo.n;
    pool->nslots = jobs < MAX_JOBS ? jobs : MAX_JOBS;
    run->preludes = (struct cw_preludes){.arena = run->arena, .cache = pool->cache};
    int failed = load_parser(pool);
    if (!failed) {
        sort_todo(pool);
        begin_early(pool);
        failed = work_off(pool);
    }
    cw_preludes_close(&run->preludes);
    take_dumps(pool, dump);
    return failed;
}

int cw_run_all(struct cw_run_state *run, struct cw_buf *dump) {
    struct pool *p = new_pool(run);
    p->cache = run->cache;
    p->early = run->early;
    cw_run_step(p->options, "looking for earlier results");
    recall_all(p);
    scout_files(p);
    int failed = run_todo(run, p, dump);
    cw_cache_close(p->cache);
    return failed;
}

int cw_run_warm_up(struct cw_run_state *run) {
    struct pool *p = new_pool(run);
    p->cache = run->cache;
    for (uint32_t i = 0; i < run->inputs.paths.n; i++)
        cw_vec_push(run->arena, &p->todo, i);
    run->preludes = (struct cw_preludes){.arena = run->arena, .cache = p->cache};
    int failed = load_parser(p);
    if (!failed && is_repeated(p, FEW_FILES)) {
        make_preludes(p);
        cw_preludes_start_later(p->preludes);
        cw_preludes_finish_later(p->preludes);
    }
    cw_preludes_close(&run->preludes);
    cw_cache_close(p->cache);
    return failed;
}

int cw_run_again(struct cw_run_state *run, const uint32_t *files, uint32_t n) {
    struct pool *p = new_pool(run);
    for (uint32_t i = 0; i < n; i++) {
        run->results[files[i]] = (struct cw_file_result){.path = run->inputs.paths.at[files[i]]};
        cw_vec_push(run->arena, &p->todo, files[i]);
    }
    return run_todo(run, p, NULL);
}

int cw_run_tell(struct cw_run_state *run, const struct cw_run_options *options, struct cw_run_report *report) {
    struct cw_report_files files = report_files(run);
    cw_run_step(options, "making the report");
    int failed = run->early ? cw_early_finish(run->early, report) : cw_report_make(options, &files, run->arena, report);
    if (options->progress)
        options->progress(0, 0, NULL);
    return failed;
}

int cw_run(const struct cw_run_options *options, struct cw_sources *sources, struct cw_arena *a,
           struct cw_run_report *report, struct cw_buf *dump) {
    struct cw_run_state *r = cw_run_open(options, sources, a);
    if (!r)
        return -1;
    struct cw_report_files files = report_files(r);
    r->early = cw_early_open(options, &files, a);
    int failed = cw_run_all(r, dump);
    if (!failed)
        failed = cw_run_tell(r, options, report);
    cw_run_close(r);
    return failed;
}
