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

static void divide_batches(struct scouts *scouts) {
    uint32_t n = scouts->todo->n, size = n / (scouts->n * BATCHES_PER_JOB);
    size = size < LEAST_BATCH ? LEAST_BATCH : size > MOST_BATCH ? MOST_BATCH : size;
    for (uint32_t to = n; to > 0; to = to > size ? to - size : 0) /* the last one is taken first */
        cw_vec_push(&scouts->arena, &scouts->batches, ((struct batch){to > size ? to - size : 0, to}));
}

static void start_scout(struct scouts *scouts, struct scout *scout) {
    struct batch b = scouts->batches.at[--scouts->batches.n];
    struct cw_worker_batch files = {scouts->s->inputs->paths.at, scouts->s->units, scouts->todo->at + b.from,
                                    b.to - b.from};
    pid_t pid = cw_worker_start_batch(scouts->s->options, &files, scouts->s->sources, &scout->fd);
    scouts->is_stuck = pid < 0;
    if (pid < 0)
        return;
    scout->pid = pid;
    scout->batch = b;
    scout->first = b.from;
    scout->since = now_ms();
    scout->wire.n = 0;
}

/* All complete frames of what has been read. */
static void take_frames(struct scouts *scouts, struct scout *scout) {
    size_t at = 0;
    uint32_t length;
    while (scout->wire.n - at >= sizeof length && scout->batch.from < scout->batch.to) {
        memcpy(&length, scout->wire.at + at, sizeof length);
        if (scout->wire.n - at - sizeof length < length)
            break;
        struct cw_buf result = {.at = scout->wire.at + at + sizeof length, .n = length};
        if (length)
            scouts->s->take(scouts->s->ctx, scouts->todo->at[scout->batch.from], &result);
        scouts->is_done[scout->batch.from++] = length > 0;
        scouts->looked_at++;
        scout->since = now_ms();
        at += sizeof length + length;
    }
    if (at)
        memmove(scout->wire.at, scout->wire.at + at, scout->wire.n - at);
    scout->wire.n -= at;
}

/* A scout that ended well after some files uses enough memory. Any other end is the present file's fault. */
static void finish_scout(struct scouts *scouts, struct scout *scout) {
    int status = 0;
    close(scout->fd);
    while (waitpid(scout->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    scout->pid = 0;
    bool blames = !WIFEXITED(status) || WEXITSTATUS(status) != 0 || scout->wire.n || scout->batch.from == scout->first;
    if (blames && scout->batch.from < scout->batch.to) {
        scout->batch.from++;
        scouts->looked_at++;
    }
    if (scout->batch.from < scout->batch.to)
        cw_vec_push(&scouts->arena, &scouts->batches, scout->batch);
}

static void read_from(struct scouts *scouts, struct scout *scout) {
    char chunk[65536];
    ssize_t n = read(scout->fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
        return;
    if (n <= 0) {
        finish_scout(scouts, scout);
        return;
    }
    cw_buf_add(&scout->wire, chunk, (size_t)n);
    take_frames(scouts, scout);
}

static void look_after(const struct scouts *scouts, const struct scout *scout) {
    uint64_t most = scouts->s->options->memory_limit;
    if (now_ms() - scout->since > PATIENCE_MS || (most && cw_process_memory(scout->pid) > most))
        kill(scout->pid, SIGKILL);
}

static void serve_scouts(struct scouts *scouts) {
    struct pollfd fds[MAX_SCOUTS];
    struct scout *of[MAX_SCOUTS];
    nfds_t n = 0;
    for (uint32_t i = 0; i < scouts->n; i++)
        if (scouts->at[i].pid) {
            of[n] = &scouts->at[i];
            fds[n++] = (struct pollfd){.fd = scouts->at[i].fd, .events = POLLIN};
        }
    int ready = poll(fds, n, WAIT_MS);
    for (nfds_t i = 0; i < n; i++) {
        if (ready > 0 && fds[i].revents)
            read_from(scouts, of[i]);
        else
            look_after(scouts, of[i]);
    }
    if (n && scouts->s->progress)
        scouts->s->progress(scouts->s->ctx, scouts->looked_at,
                            scouts->todo->at[of[0]->batch.from < scouts->todo->n ? of[0]->batch.from : 0]);
}

static bool is_at_work(const struct scouts *scouts) {
    for (uint32_t i = 0; i < scouts->n; i++)
        if (scouts->at[i].pid)
            return true;
    return false;
}

static void keep_undone(const struct scouts *scouts, struct cw_vec_u32 *todo) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < todo->n; i++)
        if (!scouts->is_done[i])
            todo->at[kept++] = todo->at[i];
    todo->n = kept;
}

void cw_scout(const struct cw_scouting *scouting, struct cw_vec_u32 *todo) {
    struct scouts o = {
        .s = scouting, .todo = todo, .n = scouting->options->jobs < MAX_SCOUTS ? scouting->options->jobs : MAX_SCOUTS};
    if (todo->n < LEAST_FILES || scouting->options->unit.dump != CW_DUMP_NONE)
        return;
    cw_arena_init(&o.arena);
    o.is_done = CW_NEW_ARRAY(&o.arena, bool, todo->n);
    divide_batches(&o);
    while ((o.batches.n && !o.is_stuck) || is_at_work(&o)) {
        for (uint32_t i = 0; i < o.n && o.batches.n && !o.is_stuck; i++)
            if (!o.at[i].pid)
                start_scout(&o, &o.at[i]);
        if (is_at_work(&o))
            serve_scouts(&o);
    }
    for (uint32_t i = 0; i < o.n; i++)
        cw_buf_free(&o.at[i].wire);
    keep_undone(&o, todo);
    cw_arena_free(&o.arena);
}
