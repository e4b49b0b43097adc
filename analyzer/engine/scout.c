/* A scout writes a frame for each file of its batch, in order: the length of a result, then the result; length 0: the
 * file has device code. The frames read so far tell which file a scout was at when it ended. */
#include "engine/scout.h"

#include "base/str.h"
#include "engine/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LEAST_FILES = 64, LEAST_BATCH = 16, MOST_BATCH = 512, BATCHES_PER_JOB = 8, MAX_SCOUTS = 64 };
enum { WAIT_MS = 50, PATIENCE_MS = 10000 };

struct batch {
    uint32_t from, to; /* in todo */
};

struct scout {
    pid_t pid; /* 0: free */
    int fd;
    struct batch batch; /* `from`: the file it is at */
    uint32_t first;     /* the file it began with */
    int64_t since;      /* ms; when it began with that */
    struct cw_buf wire; /* of an incomplete frame */
};

struct scouts {
    const struct cw_scouting *s;
    const struct cw_vec_u32 *todo;
    bool *is_done; /* by index in todo */
    CW_VEC(struct batch) batches;
    struct cw_arena arena;
    struct scout at[MAX_SCOUTS];
    uint32_t n, looked_at;
    bool is_stuck; /* no process can be started */
};

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void divide(struct scouts *o) {
    uint32_t n = o->todo->n, size = n / (o->n * BATCHES_PER_JOB);
    size = size < LEAST_BATCH ? LEAST_BATCH : size > MOST_BATCH ? MOST_BATCH : size;
    for (uint32_t to = n; to > 0; to = to > size ? to - size : 0) /* the last one is taken first */
        cw_vec_push(&o->arena, &o->batches, ((struct batch){to > size ? to - size : 0, to}));
}

static void start(struct scouts *o, struct scout *w) {
    struct batch b = o->batches.at[--o->batches.n];
    struct cw_worker_batch files = {o->s->inputs->paths.at, o->s->units, o->todo->at + b.from, b.to - b.from};
    pid_t pid = cw_worker_start_batch(o->s->options, &files, o->s->sources, &w->fd);
    o->is_stuck = pid < 0;
    if (pid < 0)
        return;
    w->pid = pid;
    w->batch = b;
    w->first = b.from;
    w->since = now_ms();
    w->wire.n = 0;
}

/* All complete frames of what has been read. */
static void take_frames(struct scouts *o, struct scout *w) {
    size_t at = 0;
    uint32_t length;
    while (w->wire.n - at >= sizeof length && w->batch.from < w->batch.to) {
        memcpy(&length, w->wire.at + at, sizeof length);
        if (w->wire.n - at - sizeof length < length)
            break;
        struct cw_buf result = {.at = w->wire.at + at + sizeof length, .n = length};
        if (length)
            o->s->take(o->s->ctx, o->todo->at[w->batch.from], &result);
        o->is_done[w->batch.from++] = length > 0;
        o->looked_at++;
        w->since = now_ms();
        at += sizeof length + length;
    }
    if (at)
        memmove(w->wire.at, w->wire.at + at, w->wire.n - at);
    w->wire.n -= at;
}

/* A scout that ended well after some files uses enough memory. Any other end is the present file's fault. */
static void finish(struct scouts *o, struct scout *w) {
    int status = 0;
    close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    w->pid = 0;
    bool blames = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || w->wire.n || w->batch.from == w->first;
    if (blames && w->batch.from < w->batch.to) {
        w->batch.from++;
        o->looked_at++;
    }
    if (w->batch.from < w->batch.to)
        cw_vec_push(&o->arena, &o->batches, w->batch);
}

static void read_from(struct scouts *o, struct scout *w) {
    char chunk[65536];
    ssize_t n = read(w->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish(o, w);
        return;
    }
    cw_buf_add(&w->wire, chunk, (size_t)n);
    take_frames(o, w);
}

static void look_after(const struct scouts *o, const struct scout *w) {
    uint64_t most = o->s->options->memory_limit;
    if (now_ms() - w->since > PATIENCE_MS || (most && cw_process_memory(w->pid) > most))
        kill(w->pid, SIGKILL);
}

static void serve(struct scouts *o) {
    struct pollfd fds[MAX_SCOUTS];
    struct scout *of[MAX_SCOUTS];
    nfds_t n = 0;
    for (uint32_t i = 0; i < o->n; i++)
        if (o->at[i].pid) {
            of[n] = &o->at[i];
            fds[n++] = (struct pollfd){.fd = o->at[i].fd, .events = POLLIN};
        }
    int ready = poll(fds, n, WAIT_MS);
    for (nfds_t i = 0; i < n; i++) {
        if (ready > 0 && fds[i].revents)
            read_from(o, of[i]);
        else
            look_after(o, of[i]);
    }
    if (n && o->s->progress)
        o->s->progress(o->s->ctx, o->looked_at, o->todo->at[of[0]->batch.from < o->todo->n ? of[0]->batch.from : 0]);
}

static bool is_at_work(const struct scouts *o) {
    for (uint32_t i = 0; i < o->n; i++)
        if (o->at[i].pid)
            return true;
    return false;
}

static void keep_undone(const struct scouts *o, struct cw_vec_u32 *todo) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < todo->n; i++)
        if (!o->is_done[i])
            todo->at[kept++] = todo->at[i];
    todo->n = kept;
}

void cw_scout(const struct cw_scouting *s, struct cw_vec_u32 *todo) {
    struct scouts o = {.s = s, .todo = todo, .n = s->options->jobs < MAX_SCOUTS ? s->options->jobs : MAX_SCOUTS};
    if (todo->n < LEAST_FILES || s->options->unit.dump != CW_DUMP_NONE)
        return;
    cw_arena_init(&o.arena);
    o.is_done = CW_NEW_ARRAY(&o.arena, bool, todo->n);
    divide(&o);
    while ((o.batches.n && !o.is_stuck) || is_at_work(&o)) {
        for (uint32_t i = 0; i < o.n && o.batches.n && !o.is_stuck; i++)
            if (!o.at[i].pid)
                start(&o, &o.at[i]);
        if (is_at_work(&o))
            serve(&o);
    }
    for (uint32_t i = 0; i < o.n; i++)
        cw_buf_free(&o.at[i].wire);
    keep_undone(&o, todo);
    cw_arena_free(&o.arena);
}
