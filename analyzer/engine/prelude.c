/* libclang reads text here that no user wrote, but it may still crash or lack memory, so a child makes each prelude.
 * The file loses its name as soon as it is whole, and the folder it is made in has a janitor: nothing is left behind,
 * whatever ends the run.
 *
 * A kept one is a large file of the cache, and an entry under the key of all it rests on that names it: its hash, and
 * the notes. */
#include "engine/prelude.h"

#include "base/io.h"
#include "base/log.h"
#include "engine/stack.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Making one takes as long as it saves in three or four units, and nothing else runs meanwhile. For later runs a
 * few are made beside the work; little text is parsed as fast as it is loaded. */
enum {
    WORTHWHILE = 12,
    WORTHWHILE_SHARED = 6,
    MAX_PRELUDES = 16,
    MAX_LATER = 4,
    LEAST_BYTES = 16384,
    MAX_SECONDS = 10
};

/* How a child ends. */
enum { MADE, NOT_MADE, REFUSED };

enum { HASH_DIGITS = 32, MAX_NOTES = 64 << 20 };

static struct cw_prelude *find_prelude(const struct cw_preludes *preludes, const char *key) {
    for (uint32_t i = 0; i < preludes->list.n; i++)
        if (!strcmp(preludes->list.at[i].key, key))
            return &preludes->list.at[i];
    return NULL;
}

/* ---- what a kept one rests on ---- */

/* Its files by name, time and size, as libclang asks it for them when it is loaded; what they hold is in the hash
 * of the contents. False when one has changed too lately to be told from its next state. */
static bool add_files(const struct cw_preludes *preludes, const struct cw_beginning *beginning, struct cw_buf *out,
                      uint64_t *bytes) {
    struct stat st;
    for (uint32_t i = 0; i < beginning->nfiles; i++) {
        if (stat(beginning->files[i], &st) || !cw_cache_is_settled(preludes->cache, &st))
            return false;
        cw_buf_printf(out, "%s\n%lld %lld\n", beginning->files[i], (long long)st.st_size, (long long)st.st_mtim.tv_sec);
        *bytes += (uint64_t)st.st_size;
    }
    return true;
}

/* Relative names in the arguments count from the working directory. */
static void find_kept_key(const struct cw_preludes *preludes, struct cw_prelude *one) {
    struct cw_buf b = {0};
    char here[PATH_MAX];
    uint64_t bytes = 0;
    bool is_shared = one->options.nshared > 0;
    if (!preludes->cache || !cw_cache_is_on(preludes->cache) || (is_shared && !getcwd(here, sizeof here)))
        return;
    cw_buf_printf(&b, "%s\n", one->key);
    if (is_shared) {
        cw_buf_printf(&b, "in %s\n", here);
        cw_buf_add(&b, (const char *)&one->beginning.contents, sizeof one->beginning.contents);
        one->is_keepable = add_files(preludes, &one->beginning, &b, &bytes) && bytes >= LEAST_BYTES;
    } else {
        one->is_keepable = true;
    }
    one->kept = cw_cache_key_of(preludes->cache, "prelude", b.at, b.n);
    cw_buf_free(&b);
}

bool cw_preludes_count(struct cw_preludes *preludes, const struct cw_front_options *options) {
    const char *key = cw_front_clang_prelude_key(preludes->arena, options);
    struct cw_prelude *known = key ? find_prelude(preludes, key) : NULL;
    if (known)
        known->units++;
    if (!key || known)
        return false;
    struct cw_prelude one = {.key = key, .options = *options, .units = 1, .fd = -1, .notes_fd = -1};
    if (!options->nshared)
        find_kept_key(preludes, &one);
    cw_vec_push(preludes->arena, &preludes->list, one);
    return options->nshared > 0;
}

void cw_preludes_rest_on(struct cw_preludes *preludes, const struct cw_beginning *beginning) {
    struct cw_prelude *one = &cw_vec_last(&preludes->list);
    one->beginning = *beginning;
    find_kept_key(preludes, one);
}

const char *cw_preludes_find(const struct cw_preludes *preludes, const struct cw_front_options *options) {
    const char *key = preludes && preludes->list.n ? cw_front_clang_prelude_key(preludes->arena, options) : NULL;
    const struct cw_prelude *known = key ? find_prelude(preludes, key) : NULL;
    return known ? known->path : NULL;
}

void cw_preludes_use(const struct cw_preludes *preludes, struct cw_front_options *options) {
    const struct cw_prelude *known = NULL;
    if (preludes && preludes->list.n)
        options->shared = cw_leading_of(preludes->leading, options->path, &options->nshared);
    if (options->nshared)
        known = find_prelude(preludes, cw_front_clang_prelude_key(preludes->arena, options));
    if (known && known->path && known->notes) {
        options->precompiled = known->path;
        options->shared_notes = known->notes;
        return;
    }
    options->nshared = 0;
    options->precompiled = cw_preludes_find(preludes, options);
}

/* ---- making one ---- */

struct task {
    const struct cw_front_options *options;
    const char *path, *notes;
    bool done, refused;
};

static void precompile_task(void *data) {
    struct task *t = data;
    t->done = t->options->nshared ? cw_front_clang_precompile_shared(t->options, t->path, t->notes, &t->refused)
                                  : cw_front_clang_precompile(t->options, t->path);
}

/* The child. Its standard streams would only repeat what parsing without a prelude says again. */
static _Noreturn void run_child(const struct cw_front_options *options, const char *path, const char *notes) {
    struct task t = {.options = options, .path = path, .notes = notes};
    struct rlimit none = {0, 0}, seconds = {MAX_SECONDS, MAX_SECONDS};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_CPU, &seconds);
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    cw_on_large_stack(precompile_task, &t);
    _exit(t.done ? MADE : t.refused ? REFUSED : NOT_MADE);
}

static pid_t start_child(const struct cw_front_options *options, const char *path, const char *notes) {
    pid_t parent = getpid(), pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(NOT_MADE);
        run_child(options, path, notes);
    }
    return pid;
}

static int wait_for(pid_t pid) {
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return NOT_MADE;
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : NOT_MADE;
}

static const char *file_in(const struct cw_preludes *preludes, const struct cw_prelude *one, const char *name) {
    return cw_arena_printf(preludes->arena, "%s/%s", one->folder, name);
}

static void start_prelude(struct cw_preludes *preludes, struct cw_prelude *one) {
    if (!preludes->scratch.path && cw_scratch_make(preludes->arena, &preludes->scratch))
        return;
    char *folder = cw_arena_printf(preludes->arena, "%s/%u", preludes->scratch.path, preludes->made++);
    if (mkdir(folder, 0700))
        return;
    one->folder = folder;
    one->pid = start_child(&one->options, file_in(preludes, one, "prelude"), file_in(preludes, one, "notes"));
}

/* The name of an open file that forked processes can open too. */
static const char *name_of(const struct cw_preludes *preludes, int fd) {
    const char *path = cw_arena_printf(preludes->arena, "/proc/self/fd/%d", fd);
    return fd >= 0 && !access(path, R_OK) ? path : NULL;
}

static void name_files(const struct cw_preludes *preludes, struct cw_prelude *one) {
    one->path = name_of(preludes, one->fd);
    one->notes = name_of(preludes, one->notes_fd);
}

static void finish_child(struct cw_preludes *preludes, struct cw_prelude *one) {
    if (!one->folder)
        return;
    int end = wait_for(one->pid);
    if (end == MADE) {
        one->fd = open(file_in(preludes, one, "prelude"), O_RDONLY | O_CLOEXEC);
        one->notes_fd = open(file_in(preludes, one, "notes"), O_RDONLY | O_CLOEXEC);
    }
    one->is_refused = end == REFUSED;
    unlink(file_in(preludes, one, "prelude")); /* what a child that crashed left goes with the scratch folder */
    unlink(file_in(preludes, one, "notes"));
    one->folder = NULL;
    name_files(preludes, one);
}

/* ---- keeping ---- */

static void tell_outcome(const char *what, const struct cw_prelude *one) {
    const char *verdict = one->is_refused ? " cannot be shared, which is" : "";
    if (one->options.nshared)
        cw_verbose("%s: precompiled beginning of %u headers%s %s", one->options.path, one->options.nshared, verdict,
                   what);
    else
        cw_verbose("sm_%u: precompiled prelude%s %s", one->options.arch, verdict, what);
}

/* Are all files that were read among those of the key, and as they were when the run began? "F path" in the notes. */
static bool is_covered(const struct cw_preludes *preludes, const struct cw_prelude *one, const struct cw_buf *notes) {
    const struct cw_unit_options rest = {.files = one->beginning.files, .nfiles = one->beginning.nfiles};
    CW_VEC(const char *) reads = {0};
    const char *end = notes->n ? notes->at + notes->n : NULL;
    for (const char *line = notes->at; line && line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop)
            return false;
        if (line[0] == 'F' && stop - line > 2)
            cw_vec_push(preludes->arena, &reads,
                        (const char *)cw_arena_strndup(preludes->arena, line + 2, (size_t)(stop - line) - 2));
        line = stop + 1;
    }
    return cw_cache_covers(preludes->cache, &rest, reads.at, reads.n);
}

/* What has just been made, or was refused: nothing will change that. */
static void keep_prelude(const struct cw_preludes *preludes, const struct cw_prelude *one) {
    struct cw_buf text = {0}, notes = {0};
    struct cw_hash128 content = {0};
    if (!one->is_keepable || (!one->path && !one->is_refused))
        return;
    bool good =
        (one->notes_fd < 0 || cw_read_all(one->notes_fd, &notes, MAX_NOTES)) && is_covered(preludes, one, &notes);
    if (good && (one->is_refused || cw_cache_store_file(preludes->cache, one->fd, &content))) {
        cw_buf_printf(&text, "%016" PRIx64 "%016" PRIx64 "\n", content.high, content.low);
        if (notes.n)
            cw_buf_add(&text, notes.at, notes.n);
        cw_cache_store(preludes->cache, one->kept, text.at, text.n);
        tell_outcome("kept for later runs", one);
    }
    cw_buf_free(&text);
    cw_buf_free(&notes);
}

static int file_of_text(const char *text, size_t n) {
    int fd = memfd_create("notes", MFD_CLOEXEC);
    if (fd >= 0 && cw_write_all(fd, text, n))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static void recall_prelude(const struct cw_preludes *preludes, struct cw_prelude *one) {
    struct cw_buf text = {0};
    struct cw_hash128 content;
    char digits[HASH_DIGITS + 1] = "";
    bool found = one->is_keepable && cw_cache_load(preludes->cache, one->kept, &text) && text.n > HASH_DIGITS;
    if (found)
        memcpy(digits, text.at, HASH_DIGITS);
    if (sscanf(digits, "%16" SCNx64 "%16" SCNx64, &content.high, &content.low) == 2) {
        one->is_refused = !content.high && !content.low;
        one->fd = one->is_refused ? -1 : cw_cache_open_file(preludes->cache, content);
        if (one->options.nshared && one->fd >= 0)
            one->notes_fd = file_of_text(text.at + HASH_DIGITS + 1, text.n - HASH_DIGITS - 1);
        name_files(preludes, one);
        tell_outcome("kept by an earlier run", one);
    }
    cw_buf_free(&text);
}

/* ---- which ---- */

static int by_units(const void *a, const void *b) {
    const struct cw_prelude *x = a, *y = b;
    if (x->units != y->units)
        return x->units > y->units ? -1 : 1;
    return strcmp(x->key, y->key);
}

static bool is_missing(const struct cw_prelude *one) {
    return !one->path && !one->is_refused;
}

static bool is_worthwhile(const struct cw_prelude *one) {
    return is_missing(one) && one->units >= (one->options.nshared ? WORTHWHILE_SHARED : WORTHWHILE);
}

static void finish_started(struct cw_preludes *preludes) {
    for (uint32_t i = 0; i < preludes->list.n; i++)
        if (preludes->list.at[i].folder) {
            finish_child(preludes, &preludes->list.at[i]);
            keep_prelude(preludes, &preludes->list.at[i]);
        }
    cw_scratch_remove(&preludes->scratch);
}

/* All at once: each is a process, and nothing else runs yet. */
void cw_preludes_make(struct cw_preludes *preludes) {
    if (preludes->list.n)
        qsort(preludes->list.at, preludes->list.n, sizeof *preludes->list.at, by_units);
    for (uint32_t i = 0; i < preludes->list.n; i++) {
        recall_prelude(preludes, &preludes->list.at[i]);
        if (i < MAX_PRELUDES && is_worthwhile(&preludes->list.at[i]))
            start_prelude(preludes, &preludes->list.at[i]);
    }
    finish_started(preludes);
}

void cw_preludes_start_later(struct cw_preludes *preludes) {
    uint32_t n = 0;
    bool takes = preludes->cache && cw_cache_takes_files(preludes->cache);
    for (uint32_t i = 0; i < preludes->list.n && takes && n < MAX_LATER; i++)
        if (preludes->list.at[i].is_keepable && is_missing(&preludes->list.at[i])) {
            start_prelude(preludes, &preludes->list.at[i]);
            n++;
        }
}

void cw_preludes_finish_later(struct cw_preludes *preludes) {
    finish_started(preludes);
}

bool cw_preludes_has_some(const struct cw_preludes *preludes) {
    for (uint32_t i = 0; preludes && i < preludes->list.n; i++)
        if (preludes->list.at[i].path)
            return true;
    return false;
}

void cw_preludes_close(struct cw_preludes *preludes) {
    for (uint32_t i = 0; i < preludes->list.n; i++) {
        if (preludes->list.at[i].fd >= 0)
            close(preludes->list.at[i].fd);
        if (preludes->list.at[i].notes_fd >= 0)
            close(preludes->list.at[i].notes_fd);
    }
    preludes->list.n = 0;
}
