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
    const char *lost;   /* why the parser lost the file, which the syntax tree reads now; or NULL */
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

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int start_worker(struct pool *p, struct slot *s, uint32_t file, const struct cw_unit_options *unit) {
    pid_t pid = cw_worker_start(p->options, unit, p->sources, p->inputs->paths.at[file], &s->fd);
    if (pid < 0)
        return -1;
    s->pid = pid;
    s->file = file;
    s->started = now();
    s->mark = s->used_at_mark = s->used_before = 0;
    s->killed = NULL;
    s->is_over_memory = false;
    s->is_second = false;
    s->lost = NULL;
    s->wire.n = 0;
    return 0;
}

static int start(struct pool *p, struct slot *s) {
    uint32_t file = p->todo.at[p->next];
    if (start_worker(p, s, file, p->units[file]))
        return -1;
    p->next++;
    return 0;
}

/* Once more without precompiled text: where that was to blame for a crash, it may not cost the file. */
static bool start_plain(struct pool *p, struct slot *s) {
    struct cw_unit_options *plain = CW_NEW(p->arena, struct cw_unit_options);
    *plain = *p->units[s->file];
    plain->preludes = NULL;
    bool started = start_worker(p, s, s->file, plain) == 0;
    s->is_second = started;
    return started;
}

/* Once more with the front end that needs little memory and no libclang. */
static bool start_tree(struct pool *p, struct slot *s, const char *why) {
    struct cw_unit_options *tree = CW_NEW(p->arena, struct cw_unit_options);
    *tree = *p->units[s->file];
    tree->preludes = NULL;
    tree->frontend = CW_FRONTEND_TS;
    bool started = start_worker(p, s, s->file, tree) == 0;
    s->lost = why;
    return started;
}

/* Fills the free slots. Running short of processes is fine as long as one is at work. */
static int start_more(struct pool *p) {
    uint32_t busy = 0;
    for (uint32_t i = 0; i < p->nslots; i++)
        busy += p->slots[i].pid != 0;
    for (uint32_t i = 0; i < p->nslots && p->next < p->todo.n; i++) {
        if (p->slots[i].pid)
            continue;
        if (start(p, &p->slots[i])) {
            if (busy)
                return 0;
            cw_error("no worker process can be started: %s", strerror(errno));
            return -1;
        }
        busy++;
    }
    return 0;
}

static void keep(struct pool *p, uint32_t file, const struct cw_buf *wire) {
    const struct cw_file_result *r = &p->results[file];
    if (!r->failed && p->keys[file].is_possible && cw_cache_covers(p->cache, p->units[file], r->reads.at, r->reads.n))
        cw_cache_store(p->cache, p->keys[file].key, wire->at, wire->n);
}

/* Of itself, not for lack of memory, and maybe over precompiled text: neither the second attempt nor the one by the
 * syntax tree uses any. */
static bool crashed(const struct slot *s, int status, uint64_t limit, uint64_t peak) {
    return WIFSIGNALED(status) && !s->killed && !s->is_second && !s->lost && !(limit && cw_is_near_limit(limit, peak));
}

/* The parser crashed, gave up, or needed more memory, time or stack than it may have. The time limit of the whole file
 * is not meant. */
static bool is_parsers_loss(const struct pool *p, const struct slot *s, int status, uint64_t peak) {
    uint64_t limit = p->options->memory_limit;
    bool lacks_memory = s->is_over_memory || (limit && cw_is_near_limit(limit, peak));
    bool gave_up = WIFEXITED(status) && WEXITSTATUS(status) && WEXITSTATUS(status) != CW_NO_PARSER_STATUS;
    return p->results[s->file].failed && !s->lost && p->units[s->file]->frontend != CW_FRONTEND_TS &&
           (lacks_memory || ((gave_up || WIFSIGNALED(status)) && !s->killed));
}

/* The first reason counts when the syntax tree was lost as well. */
static void tell_loss(struct pool *p, const struct slot *s) {
    struct cw_file_result *r = &p->results[s->file];
    r->is_parser_lost = !r->failed;
    if (r->failed)
        r->failure = s->lost;
    else
        cw_vec_push(p->arena, &r->warnings,
                    (const char *)cw_arena_printf(p->arena, "%s: read by the syntax tree alone: %s", r->path, s->lost));
}

static void finish(struct pool *p, struct slot *s) {
    int status = 0;
    struct rusage usage = {0};
    close(s->fd);
    while (wait4(s->pid, &status, 0, &usage) < 0 && errno == EINTR)
        continue;
    p->lacks_parser |= WIFEXITED(status) && WEXITSTATUS(status) == CW_NO_PARSER_STATUS;
    uint64_t limit = p->options->memory_limit, peak = (uint64_t)usage.ru_maxrss * 1024;
    if (crashed(s, status, limit, peak) && cw_preludes_has_some(p->units[s->file]->preludes) && start_plain(p, s))
        return;
    cw_worker_result(p->arena, p->inputs->paths.at[s->file], &s->wire, status, s->killed, limit, peak,
                     &p->results[s->file], &p->dumps[s->file]);
    if (is_parsers_loss(p, s, status, peak) && start_tree(p, s, p->results[s->file].failure))
        return;
    if (s->lost)
        tell_loss(p, s);
    else
        keep(p, s->file, &s->wire);
    s->pid = 0;
    p->done++;
    cw_early_add(p->early, s->file);
}

static void stop(struct slot *s, const char *why) {
    if (!s->killed)
        s->killed = why;
    kill(s->pid, SIGKILL);
}

/* Reads what is there; the worker is finished at the end of the stream. */
static void take(struct pool *p, struct slot *s) {
    char chunk[65536];
    ssize_t n = read(s->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish(p, s);
        return;
    }
    if (s->wire.n < MAX_WIRE_BYTES)
        cw_buf_add(&s->wire, chunk, (size_t)n);
    else
        stop(s, "its result is too large");
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
static bool is_over_time(const struct cw_run_options *o, struct slot *s, double t) {
    double limit = o->time_limit, used = processor_time(s->pid) - s->used_before;
    bool progresses = used - s->used_at_mark > limit / idle_share || cw_process_is_runnable(s->pid);
    if (progresses || s->mark < s->started) {
        s->mark = t;
        s->used_at_mark = used;
    }
    return o->time_limit && (used > limit || t - s->mark > limit || t - s->started > limit * patience);
}

/* Time and memory of the workers. RLIMIT_DATA does not see everything (and nothing under a sanitizer). */
static void watch(struct pool *p) {
    const struct cw_run_options *o = p->options;
    double t = now();
    for (uint32_t i = 0; i < p->nslots; i++) {
        struct slot *s = &p->slots[i];
        if (!s->pid || s->killed)
            continue;
        if (is_over_time(o, s, t))
            stop(s, cw_arena_printf(p->arena, "more time needed than the limit of %u s", o->time_limit));
        else if ((s->is_over_memory = o->memory_limit && cw_process_memory(s->pid) > o->memory_limit))
            stop(s, cw_arena_printf(p->arena, "more memory needed than the limit of %llu MB",
                                    (unsigned long long)(o->memory_limit >> 20)));
    }
}

static void show_progress(const struct pool *p, bool last) {
    const struct slot *oldest = NULL;
    for (uint32_t i = 0; i < p->nslots; i++)
        if (p->slots[i].pid && (!oldest || p->slots[i].started < oldest->started))
            oldest = &p->slots[i];
    if (p->options->progress && (last || oldest))
        p->options->progress(p->scouted + p->done, p->scouted + p->todo.n,
                             last ? NULL : p->inputs->paths.at[oldest->file]);
}

/* Waits until a worker has something to say or it is time to look after them. */
static void serve(struct pool *p, double *watched) {
    struct pollfd fds[MAX_JOBS];
    struct slot *of[MAX_JOBS];
    nfds_t n = 0;
    for (uint32_t i = 0; i < p->nslots; i++)
        if (p->slots[i].pid) {
            of[n] = &p->slots[i];
            fds[n++] = (struct pollfd){.fd = p->slots[i].fd, .events = POLLIN};
        }
    int ready = poll(fds, n, (int)(watch_seconds * 1e3));
    if (cw_early_is_interrupted(p->early))
        return; /* the workers' ends may be due to the same signal */
    for (nfds_t i = 0; i < n && ready > 0; i++)
        if (fds[i].revents)
            take(p, of[i]);
    if (now() - *watched > watch_seconds) {
        watch(p);
        cw_early_report(p->early);
        show_progress(p, false);
        *watched = now();
    }
}

/* The workers end with this process. */
static void report_interrupted(struct pool *p) {
    uint32_t all = p->inputs->paths.n, done = all - p->todo.n + p->done;
    cw_early_cut_short(p->early);
    cw_error("interrupted: the findings are those of %u of %u files, and incomplete", done, all);
}

static int run_pool(struct pool *p) {
    double watched = p->started = now();
    int failed = 0;
    cw_early_hold_signals(p->early);
    while (!failed && p->done < p->todo.n && !cw_early_is_interrupted(p->early)) {
        failed = start_more(p);
        if (!failed)
            serve(p, &watched);
    }
    show_progress(p, true);
    if (cw_early_is_interrupted(p->early))
        report_interrupted(p);
    cw_early_release_signals(p->early);
    for (uint32_t i = 0; i < p->nslots; i++)
        cw_buf_free(&p->slots[i].wire);
    return failed;
}

/* Once for all workers, and only when there is one: a run whose results are all kept needs no libclang. A worker
 * that is the only one loads it for itself, when it has something to parse: pages that libclang writes to would be
 * copied for it. */
static int load_parser(const struct pool *p) {
    const char *error = NULL;
    bool is_needed = false;
    for (uint32_t i = 0; i < p->todo.n && !is_needed; i++)
        is_needed = p->units[p->todo.at[i]]->frontend != CW_FRONTEND_TS;
    if (!is_needed || (p->todo.n == 1 && !p->lacks_parser && cw_front_clang_library()) || cw_front_clang_load(&error))
        return 0;
    cw_error("%s", error);
    return -1;
}

/* A run over so few files is one of many over nearly the same: what is made for the next pays. */
static bool is_repeated(const struct pool *p, uint32_t most) {
    return p->cache && cw_cache_is_on(p->cache) && p->todo.n <= most;
}

/* Headers have no later run in a folder that is gone after this one. */
static bool keeps_beginnings(const struct pool *p) {
    return p->cache && cw_cache_is_on(p->cache) && !p->options->own;
}

/* Which headers the files that are about to be parsed begin with. Text that is not on the disk has its own. */
static struct cw_leading *find_leading(const struct pool *p) {
    struct cw_leading *leading = cw_leading_open(p->arena, p->sources);
    for (uint32_t i = 0; i < p->todo.n; i++) {
        const struct cw_unit_options *u = p->units[p->todo.at[i]];
        const char *path = p->inputs->paths.at[p->todo.at[i]], *given = p->options->stdin_name;
        if (u->frontend != CW_FRONTEND_TS && !u->cuda_path && !(given && !strcmp(given, path)))
            cw_leading_add(leading, path, u->args, u->nargs);
    }
    cw_leading_choose(leading);
    if (keeps_beginnings(p) && is_repeated(p, MANY_FILES))
        cw_leading_choose_all(leading);
    return leading;
}

static void count_prelude(const struct pool *p, const struct cw_unit_options *u, uint32_t arch, const char *path) {
    struct cw_front_options front = {
        .path = path, .args = u->args, .nargs = u->nargs, .arch = arch, .cuda_path = u->cuda_path};
    struct cw_beginning beginning = {0};
    cw_preludes_count(p->preludes, &front);
    front.shared = cw_leading_of(p->preludes->leading, path, &front.nshared);
    if (front.nshared && cw_preludes_count(p->preludes, &front) && keeps_beginnings(p) &&
        cw_flags_beginning(p->flags, u, front.shared, front.nshared, &beginning))
        cw_preludes_rest_on(p->preludes, &beginning);
}

/* For the files that are about to be parsed. */
static void make_preludes(const struct pool *p) {
    p->preludes->leading = find_leading(p);
    for (uint32_t i = 0; i < p->todo.n; i++) {
        const struct cw_unit_options *u = p->units[p->todo.at[i]];
        for (uint32_t n = 0; n < u->narchs && u->frontend != CW_FRONTEND_TS; n++)
            count_prelude(p, u, u->archs[n], p->inputs->paths.at[p->todo.at[i]]);
    }
    cw_preludes_make(p->preludes);
}

/* The result of an earlier run with the same options, files and program. The times in it are that run's. */
static bool recall(struct pool *p, uint32_t file) {
    struct cw_buf text = {0};
    bool known = cw_cache_load(p->cache, p->keys[file].key, &text);
    struct cw_file_result *r = &p->results[file];
    if (known) {
        cw_worker_result(p->arena, p->inputs->paths.at[file], &text, 0, NULL, 0, 0, r, &p->dumps[file]);
        known = !r->failed;
        r->seconds_scan = r->seconds_parse = r->seconds_lower = r->seconds_analyse = 0;
        r->peak_bytes = r->cells_evaluated = r->cells_reused = 0;
    }
    cw_buf_free(&text);
    return known;
}

static void recall_all(struct pool *p) {
    for (uint32_t i = 0; i < p->inputs->paths.n; i++) {
        p->keys[i].is_possible = cw_cache_key(p->cache, p->inputs->paths.at[i], p->units[i], &p->keys[i].key);
        if (!p->keys[i].is_possible || !recall(p, i))
            cw_vec_push(p->arena, &p->todo, i);
    }
}

bool cw_run_file_options(const struct cw_run_options *o, const char *path, struct cw_file_options *out,
                         const char **error) {
    const struct cw_file_options *found = o->options_of ? o->options_of(o->ctx, path, error) : NULL;
    if (found)
        *out = *found;
    else if (!o->options_of)
        *out = (struct cw_file_options){.unit = o->unit, .archs_given = o->archs_given, .possible = o->possible,
                                        .third_party = o->third_party};
    return found || !o->options_of;
}

/* Standard input stands for a file that was named. */
static bool is_stdin_wanted(const struct cw_run_options *o, const char **error) {
    return o->stdin_name && !(o->force_exclude && o->excludes && o->excludes(o->ctx, o->stdin_name, false, error));
}

void cw_run_step(const struct cw_run_options *o, const char *what) {
    if (o->progress)
        o->progress(0, 0, what);
#ifdef CUWARP_TEST_HOOKS
    const char *slow = getenv("CUWARP_TEST_STEP"); /* tests of what a terminal shows */
    if (slow && !strcmp(slow, what))
        nanosleep(&(struct timespec){0, 600000000}, NULL);
#endif
}

static struct cw_inputs find_inputs(const struct cw_run_options *o, struct cw_arena *a, struct cw_known_files *known,
                                    const char **error) {
    struct cw_inputs_filter filter = {o->no_ignore, o->force_exclude, o->excludes, o->ctx, known, o->unit.embedded};
    struct cw_inputs inputs = cw_inputs_of(a, o->paths, o->npaths, &filter, error);
    if (!*error && is_stdin_wanted(o, error))
        cw_vec_push(a, &inputs.paths, o->stdin_name);
    return inputs;
}

struct cw_inputs cw_run_inputs(const struct cw_run_options *o, struct cw_arena *a, const char **error) {
    return find_inputs(o, a, NULL, error);
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
static const struct cw_unit_options **unit_options(struct cw_run_state *r) {
    uint32_t n = r->inputs.paths.n;
    const struct cw_unit_options **units = CW_NEW_ARRAY(r->arena, const struct cw_unit_options *, n + 1);
    const char *error = NULL;
    for (uint32_t i = 0; i < n; i++) {
        struct cw_unit_options *u = cw_flags_of(r->flags, r->inputs.paths.at[i], &error);
        if (!u) {
            cw_error("%s", error);
            return NULL;
        }
        u->preludes = &r->preludes;
        units[i] = u;
    }
    return units;
}

static struct cw_cache *open_cache(const struct cw_run_options *o, struct cw_arena *a) {
    struct cw_hash128 tool = o->cache ? cw_cache_tool() : (struct cw_hash128){0};
    struct cw_cache *c = cw_cache_open(a, o->cache, (uint64_t)CW_CACHE_MEGABYTES << 20, tool);
    cw_cache_trust(c, o->own);
    return c;
}

/* Files that were just made, and are gone after the run, need not be known to later ones. */
static struct cw_known_files *open_known(const struct cw_run_options *o, struct cw_cache *cache, struct cw_arena *a) {
    struct cw_cache *none = o->own ? cw_cache_open(a, NULL, 0, (struct cw_hash128){0}) : NULL;
    return cw_known_files_open(none ? none : cache, a, o->paths, o->npaths);
}

struct cw_run_state *cw_run_open(const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a) {
    struct cw_run_state *r = CW_NEW(a, struct cw_run_state);
    const char *error = NULL;
    *r = (struct cw_run_state){.options = o, .sources = sources, .arena = a};
    r->cache = open_cache(o, a); /* before files are looked at */
    struct cw_known_files *known = open_known(o, r->cache, a);
    cw_run_step(o, "looking for files");
    r->inputs = find_inputs(o, a, known, &error);
    cw_run_step(o, "looking for headers");
    r->flags = error ? NULL : cw_flags_open(o, &r->inputs, sources, known, a, &error);
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

void cw_run_close(struct cw_run_state *r) {
    cw_flags_close(r->flags);
}

uint32_t cw_run_nfiles(const struct cw_run_state *r) {
    return r->inputs.paths.n;
}

const char *cw_run_path(const struct cw_run_state *r, uint32_t file) {
    return r->inputs.paths.at[file];
}

const struct cw_unit_options *cw_run_unit(const struct cw_run_state *r, uint32_t file) {
    return r->units[file];
}

const struct cw_file_result *cw_run_result(const struct cw_run_state *r, uint32_t file) {
    return &r->results[file];
}

void cw_run_add(struct cw_run_state *r, uint32_t file, const struct cw_finding *f) {
    cw_vec_push(r->arena, &r->results[file].findings, *f);
}

static void take_dumps(struct pool *p, struct cw_buf *dump) {
    for (uint32_t i = 0; i < p->inputs->paths.n; i++) {
        if (p->dumps[i].at && dump)
            cw_buf_puts(dump, p->dumps[i].at);
        cw_buf_free(&p->dumps[i]);
    }
}

static struct pool *new_pool(struct cw_run_state *r) {
    struct cw_arena *a = r->arena;
    uint32_t n = r->inputs.paths.n;
    struct pool *p = CW_NEW(a, struct pool);
    *p = (struct pool){.options = r->options, .sources = r->sources, .arena = a, .inputs = &r->inputs,
                       .units = r->units, .results = r->results, .flags = r->flags, .preludes = &r->preludes,
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
static void sort_todo(struct pool *p) {
    struct sized *order = CW_NEW_ARRAY(p->arena, struct sized, p->todo.n + 1);
    for (uint32_t i = 0; i < p->todo.n; i++) {
        struct stat st;
        uint32_t file = p->todo.at[i];
        bool is_there = !stat(p->inputs->paths.at[file], &st);
        order[i] = (struct sized){file, cw_early_first_of(p->early, file), is_there ? (int64_t)st.st_size : 0};
    }
    if (p->todo.n)
        qsort(order, p->todo.n, sizeof *order, by_size);
    for (uint32_t i = 0; i < p->todo.n; i++)
        p->todo.at[i] = order[i].file;
}

/* With what is done already: earlier results, and files that needed no parser. */
static void begin_early(struct pool *p) {
    uint32_t n = p->inputs->paths.n;
    bool *is_left = CW_NEW_ARRAY(p->arena, bool, n + 1);
    for (uint32_t i = 0; i < p->todo.n; i++)
        is_left[p->todo.at[i]] = true;
    for (uint32_t i = 0; i < n; i++)
        if (!is_left[i])
            cw_early_add(p->early, i);
    cw_early_expect(p->early, p->todo.at, p->todo.n);
}

/* With what a later run will begin with made beside, or after it where one process at a time was asked for. */
static int work_off(struct pool *p) {
    bool for_later = is_repeated(p, FEW_FILES) && !p->options->is_hurried;
    cw_run_step(p->options, "parsing what files begin with");
    make_preludes(p);
    if (for_later && p->options->jobs > 1)
        cw_preludes_start_later(p->preludes);
    int failed = run_pool(p);
    if (!failed && p->lacks_parser)
        failed = load_parser(p); /* says why */
    if (for_later && p->options->jobs <= 1)
        cw_preludes_start_later(p->preludes);
    cw_preludes_finish_later(p->preludes);
    return failed;
}

static struct cw_report_files report_files(const struct cw_run_state *r) {
    return (struct cw_report_files){.results = r->results, .units = r->units, .n = r->inputs.paths.n, .flags = r->flags,
                                    .sources = r->sources};
}

static void take_scouted(void *ctx, uint32_t file, const struct cw_buf *wire) {
    struct pool *p = ctx;
    cw_worker_result(p->arena, p->inputs->paths.at[file], wire, 0, NULL, 0, 0, &p->results[file], &p->dumps[file]);
    keep(p, file, wire);
}

static void show_scouting(void *ctx, uint32_t done, uint32_t file) {
    const struct pool *p = ctx;
    if (p->options->progress)
        p->options->progress(done, p->todo.n, p->inputs->paths.at[file]);
}

static void scout(struct pool *p) {
    struct cw_scouting s = {p->options, p->sources, p->inputs, p->units, take_scouted, show_scouting, p};
    uint32_t all = p->todo.n;
    cw_scout(&s, &p->todo);
    p->scouted = all - p->todo.n;
}

static int run_todo(struct cw_run_state *r, struct pool *p, struct cw_buf *dump) {
    uint32_t jobs = r->options->jobs < p->todo.n ? r->options->jobs : p->todo.n;
    p->nslots = jobs < MAX_JOBS ? jobs : MAX_JOBS;
    r->preludes = (struct cw_preludes){.arena = r->arena, .cache = p->cache};
    int failed = load_parser(p);
    if (!failed) {
        sort_todo(p);
        begin_early(p);
        failed = work_off(p);
    }
    cw_preludes_close(&r->preludes);
    take_dumps(p, dump);
    return failed;
}

int cw_run_all(struct cw_run_state *r, struct cw_buf *dump) {
    struct pool *p = new_pool(r);
    p->cache = r->cache;
    p->early = r->early;
    cw_run_step(p->options, "looking for earlier results");
    recall_all(p);
    scout(p);
    int failed = run_todo(r, p, dump);
    cw_cache_close(p->cache);
    return failed;
}

int cw_run_warm_up(struct cw_run_state *r) {
    struct pool *p = new_pool(r);
    p->cache = r->cache;
    for (uint32_t i = 0; i < r->inputs.paths.n; i++)
        cw_vec_push(r->arena, &p->todo, i);
    r->preludes = (struct cw_preludes){.arena = r->arena, .cache = p->cache};
    int failed = load_parser(p);
    if (!failed && is_repeated(p, FEW_FILES)) {
        make_preludes(p);
        cw_preludes_start_later(p->preludes);
        cw_preludes_finish_later(p->preludes);
    }
    cw_preludes_close(&r->preludes);
    cw_cache_close(p->cache);
    return failed;
}

int cw_run_again(struct cw_run_state *r, const uint32_t *files, uint32_t n) {
    struct pool *p = new_pool(r);
    for (uint32_t i = 0; i < n; i++) {
        r->results[files[i]] = (struct cw_file_result){.path = r->inputs.paths.at[files[i]]};
        cw_vec_push(r->arena, &p->todo, files[i]);
    }
    return run_todo(r, p, NULL);
}

int cw_run_tell(struct cw_run_state *r, const struct cw_run_options *o, struct cw_run_report *report) {
    struct cw_report_files files = report_files(r);
    cw_run_step(o, "making the report");
    int failed = r->early ? cw_early_finish(r->early, report) : cw_report_make(o, &files, r->arena, report);
    if (o->progress)
        o->progress(0, 0, NULL);
    return failed;
}

int cw_run(const struct cw_run_options *o, struct cw_sources *sources, struct cw_arena *a, struct cw_run_report *report,
           struct cw_buf *dump) {
    struct cw_run_state *r = cw_run_open(o, sources, a);
    if (!r)
        return -1;
    struct cw_report_files files = report_files(r);
    r->early = cw_early_open(o, &files, a);
    int failed = cw_run_all(r, dump);
    if (!failed)
        failed = cw_run_tell(r, o, report);
    cw_run_close(r);
    return failed;
}
