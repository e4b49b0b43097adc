/* One entry of the cache per set of operands. Its form is that of this machine and this build: the key says which. */
#include "engine/known_files.h"

#include "base/intern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HAS_MARKS = 1, HAS_NO_MARKS = 2, HAS_TEXT = 4, MAX_RECORDS = 1 << 18 };

/* What tells one state of a file from another; compared and kept as bytes, so it has no padding. */
struct state {
    uint64_t device, inode, size;
    int64_t modified_seconds, modified_nanoseconds, changed_seconds, changed_nanoseconds;
};

struct record {
    const char *path;
    struct state state;
    bool is_asked;   /* in this run: the state is today's */
    bool is_settled; /* may be kept */
    uint32_t has;
    struct cw_hash128 content;
    struct cw_directives directives;
};

struct cw_known_files {
    struct cw_arena *arena;
    struct cw_cache *cache;
    struct cw_hash128 key;
    struct cw_intern names;
    struct cw_map by_path; /* interned path -> struct record * */
    CW_VEC(struct record *) records;
    bool is_on, has_news;
};

/* ---- text form ---- */

static void put_bytes(struct cw_buf *b, const void *at, size_t n) {
    if (n)
        cw_buf_add(b, at, n);
}

static void put_number(struct cw_buf *b, uint32_t n) {
    put_bytes(b, &n, sizeof n);
}

static void put_text(struct cw_buf *b, const char *text) {
    put_number(b, (uint32_t)strlen(text));
    cw_buf_puts(b, text);
}

static uint32_t flags_of(const struct cw_directives *d) {
    return (uint32_t)d->has_kernels | (uint32_t)d->has_launches << 1 | (uint32_t)d->names_arch << 2 |
           (uint32_t)d->computes_arch << 3 | (uint32_t)d->is_open << 4;
}

static void put_directives(struct cw_buf *b, const struct cw_directives *d) {
    put_number(b, flags_of(d));
    put_number(b, d->includes.n);
    for (uint32_t i = 0; i < d->includes.n; i++) {
        put_text(b, d->includes.at[i].name);
        put_number(b, (uint32_t)d->includes.at[i].angled | (uint32_t)d->includes.at[i].is_optional << 1);
    }
    put_number(b, d->macro_includes.n);
    for (uint32_t i = 0; i < d->macro_includes.n; i++)
        put_text(b, d->macro_includes.at[i]);
    put_number(b, d->arch_numbers.n);
    for (uint32_t i = 0; i < d->arch_numbers.n; i++)
        put_number(b, d->arch_numbers.at[i]);
    put_number(b, d->launch_macros.n);
    for (uint32_t i = 0; i < d->launch_macros.n; i++)
        put_text(b, d->launch_macros.at[i]);
}

static void put_record(struct cw_buf *b, const struct record *r) {
    put_text(b, r->path);
    put_bytes(b, &r->state, sizeof r->state);
    put_number(b, r->has);
    if (r->has & HAS_TEXT) {
        put_bytes(b, &r->content, sizeof r->content);
        put_directives(b, &r->directives);
    }
}

/* The entry's hash has been checked; the bounds are all the same. */
struct reader {
    const char *at, *end;
    struct cw_arena *arena;
    bool failed;
};

static void get_bytes(struct reader *r, void *to, size_t n) {
    r->failed |= (size_t)(r->end - r->at) < n;
    if (r->failed) {
        memset(to, 0, n);
        return;
    }
    memcpy(to, r->at, n);
    r->at += n;
}

static uint32_t get_number(struct reader *r) {
    uint32_t n;
    get_bytes(r, &n, sizeof n);
    return n;
}

static const char *get_text(struct reader *r) {
    uint32_t n = get_number(r);
    r->failed |= (size_t)(r->end - r->at) < n;
    if (r->failed)
        return "";
    const char *text = cw_arena_strndup(r->arena, r->at, n);
    r->at += n;
    return text;
}

static void get_directives(struct reader *r, struct cw_directives *d) {
    uint32_t flags = get_number(r);
    d->has_kernels = flags & 1;
    d->has_launches = flags >> 1 & 1;
    d->names_arch = flags >> 2 & 1;
    d->computes_arch = flags >> 3 & 1;
    d->is_open = flags >> 4 & 1;
    for (uint32_t i = 0, n = get_number(r); i < n && !r->failed; i++) {
        struct cw_include include = {.name = get_text(r)};
        uint32_t kind = get_number(r);
        include.angled = kind & 1;
        include.is_optional = kind >> 1 & 1;
        cw_vec_push(r->arena, &d->includes, include);
    }
    for (uint32_t i = 0, n = get_number(r); i < n && !r->failed; i++)
        cw_vec_push(r->arena, &d->macro_includes, get_text(r));
    for (uint32_t i = 0, n = get_number(r); i < n && !r->failed; i++)
        cw_vec_push(r->arena, &d->arch_numbers, get_number(r));
    for (uint32_t i = 0, n = get_number(r); i < n && !r->failed; i++)
        cw_vec_push(r->arena, &d->launch_macros, get_text(r));
}

/* ---- records ---- */

static uint64_t key_of(struct cw_known_files *k, const char *path) {
    return (uint64_t)(uintptr_t)cw_intern(&k->names, path);
}

static struct record *add_record(struct cw_known_files *k, const char *path) {
    struct record *r = CW_NEW(k->arena, struct record);
    r->path = cw_intern(&k->names, path);
    cw_map_put(&k->by_path, key_of(k, path), (uint64_t)(uintptr_t)r);
    cw_vec_push(k->arena, &k->records, r);
    return r;
}

static void read_records(struct cw_known_files *k, const struct cw_buf *text) {
    struct reader in = {text->at, text->at + text->n, k->arena, false};
    while (in.at < in.end && !in.failed) {
        struct record *r = add_record(k, get_text(&in));
        get_bytes(&in, &r->state, sizeof r->state);
        r->has = get_number(&in);
        if (r->has & HAS_TEXT) {
            get_bytes(&in, &r->content, sizeof r->content);
            get_directives(&in, &r->directives);
        }
        if (in.failed)
            r->has = 0;
    }
}

static struct cw_hash128 key_for(struct cw_cache *c, const char *const *operands, uint32_t n) {
    struct cw_buf b = {0};
    char here[PATH_MAX];
    put_text(&b, realpath(".", here) ? here : "");
    for (uint32_t i = 0; i < n; i++)
        put_text(&b, operands[i]);
    struct cw_hash128 key = cw_cache_key_of(c, "known files", b.at, b.n);
    cw_buf_free(&b);
    return key;
}

struct cw_known_files *cw_known_files_open(struct cw_cache *c, struct cw_arena *a, const char *const *operands,
                                           uint32_t n) {
    struct cw_known_files *k = CW_NEW(a, struct cw_known_files);
    struct cw_buf text = {0};
    *k = (struct cw_known_files){.arena = a, .cache = c, .is_on = cw_cache_is_on(c)};
    cw_intern_init(&k->names, a);
    cw_map_init(&k->by_path, a);
    if (k->is_on) {
        k->key = key_for(c, operands, n);
        if (cw_cache_load(c, k->key, &text))
            read_records(k, &text);
    }
    cw_buf_free(&text);
    return k;
}

static void read_state(struct record *r, const struct cw_cache *c) {
    struct stat st;
    struct state now = {0};
    r->is_asked = true;
    r->is_settled = !stat(r->path, &st) && cw_cache_is_settled(c, &st);
    if (r->is_settled)
        now = (struct state){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec,
                             st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec};
    if (!r->is_settled || memcmp(&now, &r->state, sizeof now) != 0)
        r->has = 0;
    r->state = now;
}

/* With its state as it is now, or was when it was first asked about in this run. */
static struct record *ask(struct cw_known_files *k, const char *path) {
    uint64_t known = 0;
    if (!k->is_on || (!cw_map_get(&k->by_path, key_of(k, path), &known) && k->records.n >= MAX_RECORDS))
        return NULL;
    struct record *r = known ? (struct record *)(uintptr_t)known : add_record(k, path);
    if (!r->is_asked)
        read_state(r, k->cache);
    return r;
}

bool cw_known_files_has_marks(struct cw_known_files *k, const char *path, bool *has_marks) {
    const struct record *r = ask(k, path);
    *has_marks = r && r->has & HAS_MARKS;
    return r && r->has & (HAS_MARKS | HAS_NO_MARKS);
}

static void note(struct cw_known_files *k, struct record *r, uint32_t has) {
    r->has |= has;
    k->has_news |= r->is_settled;
}

void cw_known_files_note_marks(struct cw_known_files *k, const char *path, bool has_marks) {
    struct record *r = ask(k, path);
    if (r)
        note(k, r, has_marks ? HAS_MARKS : HAS_NO_MARKS);
}

bool cw_known_files_recall(void *ctx, const char *path, struct cw_directives *out, struct cw_hash128 *content) {
    const struct record *r = ask(ctx, path);
    if (!r || !(r->has & HAS_TEXT))
        return false;
    *out = r->directives;
    *content = r->content;
    return true;
}

void cw_known_files_note(void *ctx, const char *path, const struct cw_directives *d, struct cw_hash128 content) {
    struct record *r = ask(ctx, path);
    if (!r)
        return;
    r->directives = *d;
    r->content = content;
    note(ctx, r, HAS_TEXT);
}

void cw_known_files_close(struct cw_known_files *k) {
    struct cw_buf b = {0};
    if (!k->has_news)
        return;
    for (uint32_t i = 0; i < k->records.n; i++)
        if (k->records.at[i]->is_asked && k->records.at[i]->is_settled && k->records.at[i]->has)
            put_record(&b, k->records.at[i]);
    if (b.n)
        cw_cache_store(k->cache, k->key, b.at, b.n);
    cw_buf_free(&b);
}
