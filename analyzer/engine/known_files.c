/* One entry of the cache per set of operands. Its form is that of this machine and this build: the key says which. */
#include "engine/known_files.h"

#include "base/intern.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { HAS_MARKS = 1, HAS_NO_MARKS = 2, HAS_TEXT = 4, HAS_HOST_MARKS = 8, MAX_RECORDS = 1 << 18 };

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

static void put_bytes(struct cw_buf *buf, const void *at, size_t n) {
    if (n)
        cw_buf_add(buf, at, n);
}

static void put_number(struct cw_buf *buf, uint32_t n) {
    put_bytes(buf, &n, sizeof n);
}

static void put_text(struct cw_buf *buf, const char *text) {
    put_number(buf, (uint32_t)strlen(text));
    cw_buf_puts(buf, text);
}

static void put_texts(struct cw_buf *buf, const char *const *at, uint32_t n) {
    put_number(buf, n);
    for (uint32_t i = 0; i < n; i++)
        put_text(buf, at[i]);
}

static uint32_t flags_of(const struct cw_directives *directives) {
    return (uint32_t)directives->has_kernels | (uint32_t)directives->has_launches << 1 |
           (uint32_t)directives->names_arch << 2 | (uint32_t)directives->computes_arch << 3 |
           (uint32_t)directives->is_open << 4;
}

static void put_directives(struct cw_buf *buf, const struct cw_directives *directives) {
    put_number(buf, flags_of(directives));
    put_number(buf, directives->includes.n);
    for (uint32_t i = 0; i < directives->includes.n; i++) {
        put_text(buf, directives->includes.at[i].name);
        put_number(buf,
                   (uint32_t)directives->includes.at[i].angled | (uint32_t)directives->includes.at[i].is_optional << 1);
    }
    put_texts(buf, directives->macro_includes.at, directives->macro_includes.n);
    put_number(buf, directives->arch_numbers.n);
    for (uint32_t i = 0; i < directives->arch_numbers.n; i++)
        put_number(buf, directives->arch_numbers.at[i]);
    put_texts(buf, directives->launch_macros.at, directives->launch_macros.n);
    put_texts(buf, directives->kernels.at, directives->kernels.n);
    put_texts(buf, directives->launched.at, directives->launched.n);
}

static void put_record(struct cw_buf *buf, const struct record *record) {
    put_text(buf, record->path);
    put_bytes(buf, &record->state, sizeof record->state);
    put_number(buf, record->has);
    if (record->has & HAS_TEXT) {
        put_bytes(buf, &record->content, sizeof record->content);
        put_directives(buf, &record->directives);
    }
}

/* The entry's hash has been checked; the bounds are all the same. */
struct reader {
    const char *at, *end;
    struct cw_arena *arena;
    bool failed;
};

static void get_bytes(struct reader *reader, void *to, size_t n) {
    reader->failed |= (size_t)(reader->end - reader->at) < n;
    if (reader->failed) {
        memset(to, 0, n);
        return;
    }
    memcpy(to, reader->at, n);
    reader->at += n;
}

static uint32_t get_number(struct reader *reader) {
    uint32_t n;
    get_bytes(reader, &n, sizeof n);
    return n;
}

static const char *get_text(struct reader *reader) {
    uint32_t n = get_number(reader);
    reader->failed |= (size_t)(reader->end - reader->at) < n;
    if (reader->failed)
        return "";
    const char *text = cw_arena_strndup(reader->arena, reader->at, n);
    reader->at += n;
    return text;
}

static void get_names(struct reader *reader, struct cw_names_list *names) {
    for (uint32_t i = 0, n = get_number(reader); i < n && !reader->failed; i++)
        cw_vec_push(reader->arena, names, get_text(reader));
}

static void get_directives(struct reader *reader, struct cw_directives *directives) {
    uint32_t flags = get_number(reader);
    directives->has_kernels = flags & 1;
    directives->has_launches = flags >> 1 & 1;
    directives->names_arch = flags >> 2 & 1;
    directives->computes_arch = flags >> 3 & 1;
    directives->is_open = flags >> 4 & 1;
    for (uint32_t i = 0, n = get_number(reader); i < n && !reader->failed; i++) {
        struct cw_include include = {.name = get_text(reader)};
        uint32_t kind = get_number(reader);
        include.angled = kind & 1;
        include.is_optional = kind >> 1 & 1;
        cw_vec_push(reader->arena, &directives->includes, include);
    }
    for (uint32_t i = 0, n = get_number(reader); i < n && !reader->failed; i++)
        cw_vec_push(reader->arena, &directives->macro_includes, get_text(reader));
    for (uint32_t i = 0, n = get_number(reader); i < n && !reader->failed; i++)
        cw_vec_push(reader->arena, &directives->arch_numbers, get_number(reader));
    for (uint32_t i = 0, n = get_number(reader); i < n && !reader->failed; i++)
        cw_vec_push(reader->arena, &directives->launch_macros, get_text(reader));
    get_names(reader, &directives->kernels);
    get_names(reader, &directives->launched);
}

/* ---- records ---- */

static uint64_t key_of(struct cw_known_files *known_files, const char *path) {
    return (uint64_t)(uintptr_t)cw_intern(&known_files->names, path);
}

static struct record *add_record(struct cw_known_files *known_files, const char *path) {
    struct record *r = CW_NEW(known_files->arena, struct record);
    r->path = cw_intern(&known_files->names, path);
    cw_map_put(&known_files->by_path, key_of(known_files, path), (uint64_t)(uintptr_t)r);
    cw_vec_push(known_files->arena, &known_files->records, r);
    return r;
}

static void read_records(struct cw_known_files *known_files, const struct cw_buf *text) {
    struct reader in = {text->at, text->at + text->n, known_files->arena, false};
    while (in.at < in.end && !in.failed) {
        struct record *r = add_record(known_files, get_text(&in));
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

static struct cw_hash128 key_for(struct cw_cache *cache, const char *const *operands, uint32_t n) {
    struct cw_buf b = {0};
    char here[PATH_MAX];
    put_text(&b, realpath(".", here) ? here : "");
    for (uint32_t i = 0; i < n; i++)
        put_text(&b, operands[i]);
    struct cw_hash128 key = cw_cache_key_of(cache, "known files", b.at, b.n);
    cw_buf_free(&b);
    return key;
}

struct cw_known_files *cw_known_files_open(struct cw_cache *cache, struct cw_arena *a, const char *const *operands,
                                           uint32_t n) {
    struct cw_known_files *k = CW_NEW(a, struct cw_known_files);
    struct cw_buf text = {0};
    *k = (struct cw_known_files){.arena = a, .cache = cache, .is_on = cw_cache_is_on(cache)};
    cw_intern_init(&k->names, a);
    cw_map_init(&k->by_path, a);
    if (k->is_on) {
        k->key = key_for(cache, operands, n);
        if (cw_cache_load(cache, k->key, &text))
            read_records(k, &text);
    }
    cw_buf_free(&text);
    return k;
}

static void read_state(struct record *record, const struct cw_cache *cache) {
    struct stat st;
    struct state now = {0};
    record->is_asked = true;
    record->is_settled = !stat(record->path, &st) && cw_cache_is_settled(cache, &st);
    if (record->is_settled)
        now = (struct state){(uint64_t)st.st_dev, (uint64_t)st.st_ino, (uint64_t)st.st_size, st.st_mtim.tv_sec,
                             st.st_mtim.tv_nsec, st.st_ctim.tv_sec, st.st_ctim.tv_nsec};
    if (!record->is_settled || memcmp(&now, &record->state, sizeof now) != 0)
        record->has = 0;
    record->state = now;
}

/* With its state as it is now, or was when it was first asked about in this run. */
static struct record *ask_record(struct cw_known_files *known_files, const char *path) {
    uint64_t known = 0;
    if (!known_files->is_on || (!cw_map_get(&known_files->by_path, key_of(known_files, path), &known) &&
                                known_files->records.n >= MAX_RECORDS))
        return NULL;
    struct record *r = known ? (struct record *)(uintptr_t)known : add_record(known_files, path);
    if (!r->is_asked)
        read_state(r, known_files->cache);
    return r;
}

bool cw_known_files_has_marks(struct cw_known_files *known_files, const char *path, enum cw_file_marks *marks) {
    const struct record *r = ask_record(known_files, path);
    uint32_t has = r ? r->has : 0;
    *marks = has & HAS_MARKS ? CW_MARKS_DEVICE : has & HAS_HOST_MARKS ? CW_MARKS_HOST : CW_MARKS_NONE;
    return has & (HAS_MARKS | HAS_NO_MARKS | HAS_HOST_MARKS);
}

static void note_state(struct cw_known_files *known_files, struct record *record, uint32_t has) {
    record->has |= has;
    known_files->has_news |= record->is_settled;
}

void cw_known_files_note_marks(struct cw_known_files *known_files, const char *path, enum cw_file_marks marks) {
    static const uint32_t has[] = {
        [CW_MARKS_NONE] = HAS_NO_MARKS, [CW_MARKS_DEVICE] = HAS_MARKS, [CW_MARKS_HOST] = HAS_HOST_MARKS};
    struct record *r = ask_record(known_files, path);
    if (r)
        note_state(known_files, r, has[marks]);
}

bool cw_known_files_recall(void *ctx, const char *path, struct cw_directives *out, struct cw_hash128 *content) {
    const struct record *r = ask_record(ctx, path);
    if (!r || !(r->has & HAS_TEXT))
        return false;
    *out = r->directives;
    *content = r->content;
    return true;
}

void cw_known_files_note(void *ctx, const char *path, const struct cw_directives *directives,
                         struct cw_hash128 content) {
    struct record *r = ask_record(ctx, path);
    if (!r)
        return;
    r->directives = *directives;
    r->content = content;
    note_state(ctx, r, HAS_TEXT);
}

void cw_known_files_close(struct cw_known_files *known_files) {
    struct cw_buf b = {0};
    if (!known_files->has_news)
        return;
    for (uint32_t i = 0; i < known_files->records.n; i++)
        if (known_files->records.at[i]->is_asked && known_files->records.at[i]->is_settled &&
            known_files->records.at[i]->has)
            put_record(&b, known_files->records.at[i]);
    if (b.n)
        cw_cache_store(known_files->cache, known_files->key, b.at, b.n);
    cw_buf_free(&b);
}
