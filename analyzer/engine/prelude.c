/* libclang reads text here that no user wrote, but it may still crash or lack memory, so a child makes each prelude. The
 * file loses its name as soon as it is whole: nothing is left behind, whatever ends the run. */
#include "engine/prelude.h"

#include "engine/stack.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Making one takes as long as it saves in three or four units, and nothing else runs meanwhile. */
enum { WORTHWHILE = 12, WORTHWHILE_SHARED = 6, MAX_PRELUDES = 16, MAX_SECONDS = 10 };

static struct cw_prelude *find(const struct cw_preludes *p, const char *key) {
    for (uint32_t i = 0; i < p->list.n; i++)
        if (!strcmp(p->list.at[i].key, key))
            return &p->list.at[i];
    return NULL;
}

void cw_preludes_count(struct cw_preludes *p, const struct cw_front_options *o) {
    const char *key = cw_front_clang_prelude_key(p->arena, o);
    struct cw_prelude *known = key ? find(p, key) : NULL;
    if (known)
        known->units++;
    else if (key)
        cw_vec_push(p->arena, &p->list, ((struct cw_prelude){.key = key, .options = *o, .units = 1, .fd = -1, .notes_fd = -1}));
}

const char *cw_preludes_find(const struct cw_preludes *p, const struct cw_front_options *o) {
    const char *key = p && p->list.n ? cw_front_clang_prelude_key(p->arena, o) : NULL;
    const struct cw_prelude *known = key ? find(p, key) : NULL;
    return known ? known->path : NULL;
}

void cw_preludes_use(const struct cw_preludes *p, struct cw_front_options *o) {
    const struct cw_prelude *known = NULL;
    if (p && p->list.n)
        o->shared = cw_leading_of(p->leading, o->path, &o->nshared);
    if (o->nshared)
        known = find(p, cw_front_clang_prelude_key(p->arena, o));
    if (known && known->path && known->notes) {
        o->precompiled = known->path;
        o->shared_notes = known->notes;
        return;
    }
    o->nshared = 0;
    o->precompiled = cw_preludes_find(p, o);
}

/* ---- making one ---- */

struct task {
    const struct cw_front_options *options;
    const char *path, *notes;
    bool done;
};

static void precompile(void *data) {
    struct task *t = data;
    t->done = t->options->nshared ? cw_front_clang_precompile_shared(t->options, t->path, t->notes)
                                  : cw_front_clang_precompile(t->options, t->path);
}

/* The child. Its standard streams would only repeat what parsing without a prelude says again. */
static _Noreturn void work(const struct cw_front_options *o, const char *path, const char *notes) {
    struct task t = {.options = o, .path = path, .notes = notes};
    struct rlimit none = {0, 0}, seconds = {MAX_SECONDS, MAX_SECONDS};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &seconds);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    cw_on_large_stack(precompile, &t);
    _exit(t.done ? 0 : 1);
}

static pid_t start_child(const struct cw_front_options *o, const char *path, const char *notes) {
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        work(o, path, notes);
    }
    return pid;
}

static bool wait_for(pid_t pid) {
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A child that crashed may have left files of other names. */
static void remove_folder(const char *folder) {
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}

static const char *file_in(const struct cw_preludes *p, const struct cw_prelude *one, const char *name) {
    return cw_arena_printf(p->arena, "%s/%s", one->folder, name);
}

static void start(struct cw_preludes *p, struct cw_prelude *one) {
    const char *temporary = getenv("TMPDIR");
    char *folder = cw_arena_printf(p->arena, "%s/cuwarp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return;
    one->folder = folder;
    one->pid = start_child(&one->options, file_in(p, one, "prelude"), file_in(p, one, "notes"));
}

/* The name of an open file that forked processes can open too. */
static const char *name_of(const struct cw_preludes *p, int fd) {
    const char *path = cw_arena_printf(p->arena, "/proc/self/fd/%d", fd);
    return fd >= 0 && !access(path, R_OK) ? path : NULL;
}

static void finish(struct cw_preludes *p, struct cw_prelude *one) {
    if (!one->folder)
        return;
    if (wait_for(one->pid)) {
        one->fd = open(file_in(p, one, "prelude"), O_RDONLY | O_CLOEXEC);
        one->notes_fd = open(file_in(p, one, "notes"), O_RDONLY | O_CLOEXEC);
    }
    remove_folder(one->folder);
    one->path = name_of(p, one->fd);
    one->notes = name_of(p, one->notes_fd);
}

static int by_units(const void *a, const void *b) {
    const struct cw_prelude *x = a, *y = b;
    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    return strcmp(x->key, y->key);
}

static bool pays(const struct cw_prelude *one) {
    return one->units >= (one->options.nshared ? WORTHWHILE_SHARED : WORTHWHILE);
}

/* All at once: each is a process, and nothing else runs yet. */
void cw_preludes_make(struct cw_preludes *p) {
    if (p->list.n)
        qsort(p->list.at, p->list.n, sizeof *p->list.at, by_units);
    for (uint32_t i = 0; i < p->list.n && i < MAX_PRELUDES; i++)
        if (pays(&p->list.at[i]))
            start(p, &p->list.at[i]);
    for (uint32_t i = 0; i < p->list.n; i++)
        finish(p, &p->list.at[i]);
}

void cw_preludes_close(struct cw_preludes *p) {
    for (uint32_t i = 0; i < p->list.n; i++) {
        if (p->list.at[i].fd >= 0)
            close(p->list.at[i].fd);
        if (p->list.at[i].notes_fd >= 0)
            close(p->list.at[i].notes_fd);
    }
    p->list.n = 0;
}
