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
enum { WORTHWHILE = 12, MAX_PRELUDES = 16, MAX_SECONDS = 10 };

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
        cw_vec_push(p->arena, &p->list, ((struct cw_prelude){.key = key, .options = *o, .units = 1, .fd = -1}));
}

const char *cw_preludes_find(const struct cw_preludes *p, const struct cw_front_options *o) {
    const char *key = p && p->list.n ? cw_front_clang_prelude_key(p->arena, o) : NULL;
    const struct cw_prelude *known = key ? find(p, key) : NULL;
    return known ? known->path : NULL;
}

/* ---- making one ---- */

struct task {
    const struct cw_front_options *options;
    const char *path;
    bool done;
};

static void precompile(void *data) {
    struct task *t = data;
    t->done = cw_front_clang_precompile(t->options, t->path);
}

/* The child. Its standard streams would only repeat what parsing without a prelude says again. */
static _Noreturn void work(const struct cw_front_options *o, const char *path) {
    struct task t = {.options = o, .path = path};
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

static bool make_in_child(const struct cw_front_options *o, const char *path) {
    pid_t parent = getpid(), pid = fork();
    int status = 0;
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        work(o, path);
    }
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

static void make(struct cw_preludes *p, struct cw_prelude *one) {
    const char *temporary = getenv("TMPDIR");
    char *folder = cw_arena_printf(p->arena, "%s/cuwarp-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(folder))
        return;
    const char *path = cw_arena_printf(p->arena, "%s/prelude", folder);
    if (make_in_child(&one->options, path))
        one->fd = open(path, O_RDONLY | O_CLOEXEC);
    remove_folder(folder);
    if (one->fd >= 0)
        one->path = cw_arena_printf(p->arena, "/proc/self/fd/%d", one->fd);
    if (one->path && access(one->path, R_OK))
        one->path = NULL;
}

static int by_units(const void *a, const void *b) {
    const struct cw_prelude *x = a, *y = b;
    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    return strcmp(x->key, y->key);
}

void cw_preludes_make(struct cw_preludes *p) {
    if (p->list.n)
        qsort(p->list.at, p->list.n, sizeof *p->list.at, by_units);
    for (uint32_t i = 0; i < p->list.n && i < MAX_PRELUDES && p->list.at[i].units >= WORTHWHILE; i++)
        make(p, &p->list.at[i]);
}

void cw_preludes_close(struct cw_preludes *p) {
    for (uint32_t i = 0; i < p->list.n; i++)
        if (p->list.at[i].fd >= 0)
            close(p->list.at[i].fd);
    p->list.n = 0;
}
