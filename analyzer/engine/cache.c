/* requires: contents of files as engine/flags.c found them. The folder holds 64 folders and one for large files,
 * each with its share of the bound: a run looks after those it has written to, and no two processes need to agree
 * on anything. */
#include "engine/cache.h"

#include "base/build_id.h"
#include "base/intern.h"
#include "base/io.h"
#include "base/log.h"
#include "compdb/options.h"
#include "engine/bounded.h"
#include "front/front.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    FORMAT = 1,
    SHARES = 64,
    COARSE_NANOSECONDS = 2000000000, /* the coarsest tick that file systems have */
    CLOCK_NANOSECONDS = 10000000, /* how far the time of a file may lag behind the clock */
    HEAD_BYTES = 96
};

struct cw_cache {
    struct cw_arena *arena;
    const char *folder; /* NULL: off */
    uint64_t share;     /* bytes of one folder of results */
    uint64_t files_share; /* bytes of the folder of large files */
    struct cw_hash128 tool;
    struct timespec opened;
    const char *own;    /* see cw_cache_trust; NULL: none */
    bool written[SHARES], wrote_file;
    struct cw_intern names;
    struct cw_map real; /* interned path -> interned real path */
};

/* ---- opening ---- */

/* NULL, or why results from this folder cannot be believed: somebody else may have put them there. A folder that
 * does not exist yet will be created for this user alone. */
static const char *explain_distrust(const char *folder) {
    struct stat st;
    if (stat(folder, &st))
        return NULL;
    if (!S_ISDIR(st.st_mode))
        return "it is no folder";
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return "it belongs to another user";
    return st.st_mode & (S_IWGRP | S_IWOTH) ? "other users can write to it (chmod go-w)" : NULL;
}

/* The folder, or NULL when it is not trusted; said once for the several runs of --since. */
static const char *trust_folder(const char *folder) {
    static bool told;
    const char *why = folder ? explain_distrust(folder) : NULL;
    if (why && !told)
        cw_note("%s: the cache is not used: %s", folder, why);
    told |= why != NULL;
    return why ? NULL : folder;
}

struct cw_cache *cw_cache_open(struct cw_arena *a, const char *folder, uint64_t max_bytes, struct cw_hash128 tool) {
    struct cw_cache *c = CW_NEW(a, struct cw_cache);
    *c = (struct cw_cache){.arena = a, .folder = trust_folder(folder), .files_share = max_bytes / 4, .tool = tool};
    c->share = (max_bytes - c->files_share) / SHARES;
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

static void add_text(struct cw_buf *buf, const char *text) {
    cw_buf_printf(buf, "%zu:", text ? strlen(text) : 0);
    cw_buf_puts(buf, text ? text : "");
}

static void add_numbers(struct cw_buf *buf, const uint32_t *at, uint32_t n) {
    cw_buf_printf(buf, "[%u", n);
    for (uint32_t i = 0; i < n; i++)
        cw_buf_printf(buf, " %u", at[i]);
    cw_buf_putc(buf, ']');
}

static void add_file_state(struct cw_buf *buf, const char *path) {
    struct stat st;
    if (!stat(path, &st))
        cw_buf_printf(buf, "%lld.%lld.%ld ", (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
}

/* The library's file is told by its size and time: reading its hundred megabytes would cost more than the run. */
static void add_parser(struct cw_buf *buf) {
    const char *library = cw_front_clang_library();
    add_text(buf, library);
    if (library)
        add_file_state(buf, library);
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

static void add_options(struct cw_buf *buf, const struct cw_unit_options *options) {
    cw_buf_add(buf, (const char *)options->selection.enabled, sizeof options->selection.enabled);
    add_numbers(buf, options->archs, options->narchs);
    cw_buf_printf(buf, "%d %u %d %d %d %d %d %d %d %d", (int)options->dump, options->specific, options->embedded,
                  options->instances, options->is_cuda, options->is_in_hip_folder, options->includers_name,
                  options->is_device_only, (int)options->semantics, (int)options->effort);
    add_numbers(buf, options->launch.block, 3);
    for (uint32_t i = 0; i < options->ntargets; i++)
        cw_buf_printf(buf, "%u/%u%c ", options->targets[i].virtual_sm, options->targets[i].real_sm,
                      options->targets[i].suffix ? options->targets[i].suffix : ' ');
    for (uint32_t i = 0; i < options->nstands_for; i++)
        add_text(buf, options->stands_for[i]);
    add_text(buf, "");
    for (uint32_t i = 0; i < options->made.n; i++)
        add_text(buf, options->made.at[i].name);
    add_text(buf, "");
    for (uint32_t i = 0; i < options->nargs; i++)
        add_text(buf, options->args[i]);
}

/* A toolkit's headers are not among the files that are looked at. Dumps are for developers, who change the program
 * between two of them; only what --since compares is kept. */
bool cw_cache_key(struct cw_cache *cache, const char *path, const struct cw_unit_options *options,
                  struct cw_hash128 *key) {
    struct cw_buf b = {0};
    bool is_kept_dump =
        options->dump == CW_DUMP_NONE || options->dump == CW_DUMP_SYNCS || options->dump == CW_DUMP_FACTS;
    if (!cache->folder || options->is_open || options->cuda_path || !is_kept_dump)
        return false;
    cw_buf_add(&b, (const char *)&cache->tool, sizeof cache->tool);
    cw_buf_add(&b, (const char *)&options->contents, sizeof options->contents);
    add_text(&b, path);
    add_options(&b, options);
    *key = cw_hash_wide(b.at, b.n);
    cw_buf_free(&b);
    return true;
}

static const char *real_of(struct cw_cache *cache, const char *path) {
    const char *name = cw_intern(&cache->names, path);
    uint64_t known;
    char full[PATH_MAX];
    if (!cw_map_get(&cache->real, (uint64_t)(uintptr_t)name, &known)) {
        known = (uint64_t)(uintptr_t)(realpath(name, full) ? cw_intern(&cache->names, full) : name);
        cw_map_put(&cache->real, (uint64_t)(uintptr_t)name, known);
    }
    return (const char *)(uintptr_t)known;
}

struct cw_hash128 cw_cache_key_of(const struct cw_cache *cache, const char *kind, const char *at, size_t n) {
    struct cw_buf b = {0};
    cw_buf_add(&b, (const char *)&cache->tool, sizeof cache->tool);
    add_text(&b, kind);
    cw_buf_add(&b, at, n);
    struct cw_hash128 key = cw_hash_wide(b.at, b.n);
    cw_buf_free(&b);
    return key;
}

bool cw_cache_is_on(const struct cw_cache *cache) {
    return cache->folder != NULL;
}

/* File systems that keep whole seconds say so by a zero. */
bool cw_cache_is_settled(const struct cw_cache *cache, const struct stat *st) {
    int64_t seconds = (int64_t)cache->opened.tv_sec - (int64_t)st->st_ctim.tv_sec;
    int64_t tick = st->st_ctim.tv_nsec ? CLOCK_NANOSECONDS : COARSE_NANOSECONDS;
    return seconds > 3 || seconds * 1000000000 + cache->opened.tv_nsec - st->st_ctim.tv_nsec > tick;
}

void cw_cache_trust(struct cw_cache *cache, const char *folder) {
    cache->own = folder;
}

static bool is_own(struct cw_cache *cache, const char *path) {
    size_t n = cache->own ? strlen(cache->own) : 0;
    const char *real = n ? real_of(cache, path) : "";
    return n && !strncmp(real, cache->own, n) && real[n] == '/';
}

/* Asked anew each time: the worker may have read what was written a moment ago. */
static bool is_unchanged(struct cw_cache *cache, const char *path) {
    struct stat st;
    return is_own(cache, path) || (!stat(path, &st) && cw_cache_is_settled(cache, &st));
}

/* Of the unit and of those that it may be read through. */
static bool add_files(struct cw_cache *cache, const struct cw_unit_options *options, struct cw_map *files) {
    for (uint32_t i = 0; i < options->nfiles; i++) {
        if (!is_unchanged(cache, options->files[i]))
            return false;
        cw_map_put(files, (uint64_t)(uintptr_t)real_of(cache, options->files[i]), 1);
    }
    return true;
}

bool cw_cache_covers(struct cw_cache *cache, const struct cw_unit_options *options, const char *const *reads,
                     uint32_t n) {
    struct cw_arena scratch;
    struct cw_map files;
    cw_arena_init(&scratch);
    cw_map_init(&files, &scratch);
    bool all = add_files(cache, options, &files);
    for (uint32_t i = 0; i < options->nincluders && all; i++)
        all = add_files(cache, options->includers[i].options, &files);
    for (uint32_t i = 0; i < n && all; i++)
        all = cw_map_get(&files, (uint64_t)(uintptr_t)real_of(cache, reads[i]), NULL);
    cw_arena_free(&scratch);
    return all;
}

/* ---- entries ---- */

static uint32_t share_of(struct cw_hash128 key) {
    return (uint32_t)(key.high % SHARES);
}

static bool path_of(const struct cw_cache *cache, struct cw_hash128 key, char path[PATH_MAX]) {
    int n =
        snprintf(path, PATH_MAX, "%s/%02x/%016" PRIx64 "%016" PRIx64, cache->folder, share_of(key), key.high, key.low);
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

bool cw_cache_load(struct cw_cache *cache, struct cw_hash128 key, struct cw_buf *out) {
    char path[PATH_MAX];
    struct cw_buf whole = {0};
    int fd = cache->folder && path_of(cache, key, path) ? cw_open_regular(path, O_NOFOLLOW) : -1;
    if (fd < 0)
        return false;
    bool good = cw_read_all(fd, &whole, cache->share) && take_entry(key, &whole, out);
    if (good)
        cw_bounded_note_use(fd);
    close(fd);
    cw_buf_free(&whole);
    return good;
}

void cw_cache_store(struct cw_cache *cache, struct cw_hash128 key, const char *text, size_t n) {
    char path[PATH_MAX], head[HEAD_BYTES];
    if (!cache->folder || n + HEAD_BYTES > cache->share / 2 || !path_of(cache, key, path))
        return;
    int length = head_of(head, key, text, n);
    if (cw_bounded_write(path, (struct cw_bounded_text){head, (size_t)length}, (struct cw_bounded_text){text, n}))
        cache->written[share_of(key)] = true;
}

/* ---- large files ---- */

static bool file_path(const struct cw_cache *cache, struct cw_hash128 content, char path[PATH_MAX]) {
    int n = cache->folder ? snprintf(path, PATH_MAX, "%s/files/%016" PRIx64 "%016" PRIx64, cache->folder, content.high,
                                     content.low)
                          : 0;
    return n > 0 && n < PATH_MAX;
}

/* The open file's bytes for as long as they are looked at; false: empty, too large, or not to be read. */
static bool map_file(const struct cw_cache *cache, int fd, struct cw_bounded_text *out) {
    struct stat st;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size > cache->files_share / 2)
        return false;
    out->n = (size_t)st.st_size;
    void *at = mmap(NULL, out->n, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    out->at = at;
    return at != MAP_FAILED;
}

static void unmap_text(struct cw_bounded_text *text) {
    munmap((void *)(uintptr_t)text->at, text->n);
}

bool cw_cache_takes_files(const struct cw_cache *cache) {
    char path[PATH_MAX];
    return file_path(cache, (struct cw_hash128){0}, path) && cw_bounded_takes(path);
}

bool cw_cache_store_file(struct cw_cache *cache, int fd, struct cw_hash128 *content) {
    struct cw_bounded_text text;
    char path[PATH_MAX];
    if (!cache->folder || !map_file(cache, fd, &text))
        return false;
    *content = cw_hash_wide(text.at, text.n);
    bool good = file_path(cache, *content, path) && cw_bounded_write(path, (struct cw_bounded_text){"", 0}, text);
    unmap_text(&text);
    cache->wrote_file |= good;
    return good;
}

int cw_cache_open_file(const struct cw_cache *cache, struct cw_hash128 content) {
    struct cw_bounded_text text;
    char path[PATH_MAX];
    int fd = file_path(cache, content, path) ? cw_open_regular(path, O_NOFOLLOW) : -1;
    if (fd < 0)
        return -1;
    struct cw_hash128 found = {0};
    bool mapped = map_file(cache, fd, &text);
    if (mapped) {
        found = cw_hash_wide(text.at, text.n);
        unmap_text(&text);
    }
    if (!mapped || found.low != content.low || found.high != content.high) {
        close(fd);
        return -1;
    }
    cw_bounded_note_use(fd);
    return fd;
}

/* ---- the bound ---- */

void cw_cache_close(struct cw_cache *cache) {
    char folder[PATH_MAX];
    for (uint32_t i = 0; i < SHARES; i++)
        if (cache->written[i] && snprintf(folder, sizeof folder, "%s/%02x", cache->folder, i) < (int)sizeof folder)
            cw_bounded_trim(folder, cache->share);
    if (cache->wrote_file && snprintf(folder, sizeof folder, "%s/files", cache->folder) < (int)sizeof folder)
        cw_bounded_trim(folder, cache->files_share);
}
