/* requires: contents of files as engine/flags.c found them. The folder holds 64 folders, each with its share of the bound:
 * a run looks after those it has written to, and no two processes need to agree on anything. */
#include "engine/cache.h"

#include "base/build_id.h"
#include "base/intern.h"
#include "base/io.h"
#include "compdb/options.h"
#include "front/front.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT = 1,
    SHARES = 64,
    USED_SECONDS = 600,    /* an entry's time of use is noted that roughly */
    LEFTOVER_SECONDS = 3600, /* an unfinished file that old belongs to nobody any more */
    COARSE_NANOSECONDS = 2000000000, /* the coarsest tick that file systems have */
    CLOCK_NANOSECONDS = 10000000, /* how far the time of a file may lag behind the clock */
    HEAD_BYTES = 96
};

struct cw_cache {
    struct cw_arena *arena;
    const char *folder; /* NULL: off */
    uint64_t share;     /* bytes of one folder */
    struct cw_hash128 tool;
    struct timespec opened;
    const char *own;    /* see cw_cache_trust; NULL: none */
    bool written[SHARES];
    struct cw_intern names;
    struct cw_map real; /* interned path -> interned real path */
};

/* ---- opening ---- */

struct cw_cache *cw_cache_open(struct cw_arena *a, const char *folder, uint64_t max_bytes, struct cw_hash128 tool) {
    struct cw_cache *c = CW_NEW(a, struct cw_cache);
    *c = (struct cw_cache){.arena = a, .folder = folder, .share = max_bytes / SHARES, .tool = tool};
    clock_gettime(CLOCK_REALTIME, &c->opened);
    cw_intern_init(&c->names, a);
    cw_map_init(&c->real, a);
    return c;
}

const char *cw_cache_default_folder(struct cw_arena *a) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        return cw_arena_printf(a, "%s/cuwarp-lint", cache);
    return home && home[0] == '/' ? cw_arena_printf(a, "%s/.cache/cuwarp-lint", home) : NULL;
}

/* ---- keys ---- */

static void add_text(struct cw_buf *b, const char *text) {
    cw_buf_printf(b, "%zu:", text ? strlen(text) : 0);
    cw_buf_puts(b, text ? text : "");
}

static void add_numbers(struct cw_buf *b, const uint32_t *at, uint32_t n) {
    cw_buf_printf(b, "[%u", n);
    for (uint32_t i = 0; i < n; i++)
        cw_buf_printf(b, " %u", at[i]);
    cw_buf_putc(b, ']');
}

static bool read_all(int fd, struct cw_buf *out, uint64_t most) {
    char chunk[65536];
    for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || out->n > most)
            return false;
        cw_buf_add(out, chunk, (size_t)n);
    }
    return true;
}

static void add_file_state(struct cw_buf *b, const char *path) {
    struct stat st;
    if (!stat(path, &st))
        cw_buf_printf(b, "%lld.%lld.%ld ", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* The library's file is told by its size and time: reading its hundred megabytes would cost more than the run. */
static void add_parser(struct cw_buf *b) {
    const char *library = cw_front_clang_library();
    add_text(b, library);
    if (library)
        add_file_state(b, library);
}

struct cw_hash128 cw_cache_tool(void) {
    struct cw_buf b = {0};
    size_t n;
    const uint8_t *program = cw_build_id(&n);
    cw_buf_printf(&b, "%d %s ", FORMAT, CUWARP_VERSION);
    if (program)
        cw_buf_add(&b, (const char *)program, n);
    else
        add_file_state(&b, "/proc/self/exe");
    add_parser(&b);
    struct cw_hash128 tool = cw_hash_wide(b.at, b.n);
    cw_buf_free(&b);
    return tool;
}

static void add_options(struct cw_buf *b, const struct cw_unit_options *o) {
    cw_buf_add(b, (const char *)o->selection.enabled, sizeof o->selection.enabled);
    add_numbers(b, o->archs, o->narchs);
    cw_buf_printf(b, "%d %u %d %d %d %d %d", (int)o->dump, o->specific, o->embedded, o->instances, o->is_cuda, (int)o->frontend, (int)o->semantics);
    add_numbers(b, o->launch.block, 3);
    for (uint32_t i = 0; i < o->ntargets; i++)
        cw_buf_printf(b, "%u/%u%c ", o->targets[i].virtual_sm, o->targets[i].real_sm,
                      o->targets[i].suffix ? o->targets[i].suffix : ' ');
    for (uint32_t i = 0; i < o->nstands_for; i++)
        add_text(b, o->stands_for[i]);
    add_text(b, "");
    for (uint32_t i = 0; i < o->nargs; i++)
        add_text(b, o->args[i]);
}

/* A toolkit's headers are not among the files that are looked at. Dumps are for developers, who change the program between
 * two of them; only what --since compares is kept. */
bool cw_cache_key(struct cw_cache *c, const char *path, const struct cw_unit_options *o, struct cw_hash128 *key) {
    struct cw_buf b = {0};
    if (!c->folder || o->is_open || o->cuda_path || (o->dump != CW_DUMP_NONE && o->dump != CW_DUMP_SYNCS))
        return false;
    cw_buf_add(&b, (const char *)&c->tool, sizeof c->tool);
    cw_buf_add(&b, (const char *)&o->contents, sizeof o->contents);
    add_text(&b, path);
    add_options(&b, o);
    *key = cw_hash_wide(b.at, b.n);
    cw_buf_free(&b);
    return true;
}

static const char *real_of(struct cw_cache *c, const char *path) {
    const char *name = cw_intern(&c->names, path);
    uint64_t known;
    char full[PATH_MAX];
    if (!cw_map_get(&c->real, (uint64_t)(uintptr_t)name, &known)) {
        known = (uint64_t)(uintptr_t)(realpath(name, full) ? cw_intern(&c->names, full) : name);
        cw_map_put(&c->real, (uint64_t)(uintptr_t)name, known);
    }
    return (const char *)(uintptr_t)known;
}

struct cw_hash128 cw_cache_key_of(const struct cw_cache *c, const char *kind, const char *at, size_t n) {
    struct cw_buf b = {0};
    cw_buf_add(&b, (const char *)&c->tool, sizeof c->tool);
    add_text(&b, kind);
    cw_buf_add(&b, at, n);
    struct cw_hash128 key = cw_hash_wide(b.at, b.n);
    cw_buf_free(&b);
    return key;
}

bool cw_cache_is_on(const struct cw_cache *c) {
    return c->folder != NULL;
}

/* File systems that keep whole seconds say so by a zero. */
bool cw_cache_is_settled(const struct cw_cache *c, const struct stat *st) {
    int64_t seconds = (int64_t)c->opened.tv_sec - (int64_t)st->st_ctim.tv_sec;
    int64_t tick = st->st_ctim.tv_nsec ? CLOCK_NANOSECONDS : COARSE_NANOSECONDS;
    return seconds > 3 || seconds * 1000000000 + c->opened.tv_nsec - st->st_ctim.tv_nsec > tick;
}

void cw_cache_trust(struct cw_cache *c, const char *folder) {
    c->own = folder;
}

static bool is_own(struct cw_cache *c, const char *path) {
    size_t n = c->own ? strlen(c->own) : 0;
    const char *real = n ? real_of(c, path) : "";
    return n && !strncmp(real, c->own, n) && real[n] == '/';
}

/* Asked anew each time: the worker may have read what was written a moment ago. */
static bool is_unchanged(struct cw_cache *c, const char *path) {
    struct stat st;
    return is_own(c, path) || (!stat(path, &st) && cw_cache_is_settled(c, &st));
}

bool cw_cache_covers(struct cw_cache *c, const struct cw_unit_options *o, const char *const *reads, uint32_t n) {
    struct cw_arena scratch;
    struct cw_map files;
    bool all = true;
    for (uint32_t i = 0; i < o->nfiles; i++)
        if (!is_unchanged(c, o->files[i]))
            return false;
    cw_arena_init(&scratch);
    cw_map_init(&files, &scratch);
    for (uint32_t i = 0; i < o->nfiles; i++)
        cw_map_put(&files, (uint64_t)(uintptr_t)real_of(c, o->files[i]), 1);
    for (uint32_t i = 0; i < n && all; i++)
        all = cw_map_get(&files, (uint64_t)(uintptr_t)real_of(c, reads[i]), NULL);
    cw_arena_free(&scratch);
    return all;
}

/* ---- entries ---- */

static uint32_t share_of(struct cw_hash128 key) {
    return (uint32_t)(key.high % SHARES);
}

static bool path_of(const struct cw_cache *c, struct cw_hash128 key, char path[PATH_MAX]) {
    int n = snprintf(path, PATH_MAX, "%s/%02x/%016" PRIx64 "%016" PRIx64, c->folder, share_of(key), key.high, key.low);
    return n > 0 && n < PATH_MAX;
}

/* Every bit of the text counts, and so does the key: an entry under a wrong name is none. */
static int head_of(char head[HEAD_BYTES], struct cw_hash128 key, const char *text, size_t n) {
    struct cw_hash128 h = cw_hash_wide(text, n);
    return snprintf(head, HEAD_BYTES, "cuwarp %d %016" PRIx64 "%016" PRIx64 " %016" PRIx64 "%016" PRIx64 "\n", FORMAT,
                    key.high, key.low, h.high, h.low);
}

static bool take_entry(struct cw_hash128 key, struct cw_buf *whole, struct cw_buf *out) {
    char head[HEAD_BYTES];
    const char *end = whole->n ? memchr(whole->at, '\n', whole->n) : NULL;
    size_t from = end ? (size_t)(end - whole->at) + 1 : 0;
    if (!from)
        return false;
    int n = head_of(head, key, whole->at + from, whole->n - from);
    if ((size_t)n != from || memcmp(head, whole->at, from) != 0)
        return false;
    out->n = 0;
    cw_buf_add(out, whole->at + from, whole->n - from);
    return true;
}

static void note_use(int fd) {
    struct stat st;
    if (!fstat(fd, &st) && time(NULL) - st.st_mtim.tv_sec > USED_SECONDS)
        futimens(fd, NULL);
}

bool cw_cache_load(struct cw_cache *c, struct cw_hash128 key, struct cw_buf *out) {
    char path[PATH_MAX];
    struct cw_buf whole = {0};
    int fd = c->folder && path_of(c, key, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd < 0)
        return false;
    bool good = read_all(fd, &whole, c->share) && take_entry(key, &whole, out);
    if (good)
        note_use(fd);
    close(fd);
    cw_buf_free(&whole);
    return good;
}

static bool make_folders(const char *path) {
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
        return false;
    for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(at, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

void cw_cache_store(struct cw_cache *c, struct cw_hash128 key, const char *text, size_t n) {
    char path[PATH_MAX], temporary[PATH_MAX + 16], head[HEAD_BYTES];
    if (!c->folder || n + HEAD_BYTES > c->share / 2 || !path_of(c, key, path) || !make_folders(path))
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC), length = head_of(head, key, text, n);
    if (fd < 0)
        return;
    bool good = cw_write_all(fd, head, (size_t)length) && cw_write_all(fd, text, n);
    good &= close(fd) == 0;
    if (!good || rename(temporary, path))
        unlink(temporary);
    else
        c->written[share_of(key)] = true;
}

/* ---- the bound ---- */

struct entry {
    const char *name;
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    CW_VEC(struct entry) list;
    uint64_t bytes;
};

static int oldest_first(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* What the file takes on the disk, small ones as a block. */
static uint64_t bytes_of(const struct stat *st) {
    uint64_t blocks = (uint64_t)st->st_blocks * 512, size = (uint64_t)st->st_size;
    return blocks > size ? blocks : size;
}

static void read_entries(struct cw_arena *a, DIR *d, struct entries *out) {
    struct stat st;
    time_t now = time(NULL);
    for (const struct dirent *e; (e = readdir(d));) {
        bool is_entry = strlen(e->d_name) == 32;
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!is_entry && now - st.st_mtim.tv_sec > LEFTOVER_SECONDS)
            unlinkat(dirfd(d), e->d_name, 0);
        if (!is_entry)
            continue;
        struct entry found = {cw_arena_strdup(a, e->d_name), st.st_mtim, bytes_of(&st)};
        cw_vec_push(a, &out->list, found);
        out->bytes += found.bytes;
    }
}

/* Down to three quarters of the share, so that this is not needed again at once. */
static void trim(const struct cw_cache *c, uint32_t share) {
    struct cw_arena scratch;
    struct entries all = {0};
    cw_arena_init(&scratch);
    DIR *d = opendir(cw_arena_printf(&scratch, "%s/%02x", c->folder, share));
    if (d)
        read_entries(&scratch, d, &all);
    if (all.bytes > c->share) {
        qsort(all.list.at, all.list.n, sizeof *all.list.at, oldest_first);
        for (uint32_t i = 0; i < all.list.n && all.bytes > c->share - c->share / 4; i++)
            if (!unlinkat(dirfd(d), all.list.at[i].name, 0))
                all.bytes -= all.list.at[i].bytes;
    }
    if (d)
        closedir(d);
    cw_arena_free(&scratch);
}

void cw_cache_close(struct cw_cache *c) {
    for (uint32_t i = 0; i < SHARES; i++)
        if (c->written[i])
            trim(c, i);
}
