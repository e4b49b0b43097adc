/* requires: directories that may change under us. computes: names -> directories, as far as the budget goes. Entries
 * are sorted per directory, so nothing depends on the order a file system keeps. */
#include "compdb/headers.h"

#include "base/str.h"
#include "compdb/folders.h"
#include "compdb/made_header.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 48, MAX_CANDIDATES = 4096, MAX_PATH_BYTES = 4096, MAX_LISTED = 1 << 16, MAX_TRIES = 32 };

struct directory {
    const char *path;
    const char *foreign; /* the top of the others' tree it lies in, or NULL */
    bool is_toolkit;     /* or below one: its headers are those that the analysis brings itself */
};

struct file {
    uint32_t directory;
    uint32_t next; /* of the same name, plus 1 */
    bool is_asked, is_ignored;
};

struct cw_headers {
    struct cw_arena *arena;
    struct cw_headers_options options;
    struct cw_intern names;
    CW_VEC(struct directory) directories;
    CW_VEC(struct file) files;
    struct cw_map by_name;  /* interned name -> newest file plus 1 */
    struct cw_map walked;   /* interned path of a directory -> 1 */
    struct cw_map tops;     /* interned path of a directory -> see foreign_top */
    struct cw_map verdicts; /* interned path of a directory -> 1 + whether it is foreign */
    uint32_t seen;
    bool is_cut; /* the budget ended before the walk */
};

struct cw_headers *cw_headers_new(struct cw_arena *a, const struct cw_headers_options *options) {
    struct cw_headers *h = CW_NEW(a, struct cw_headers);
    h->arena = a;
    h->options = *options;
    cw_intern_init(&h->names, a);
    cw_map_init(&h->by_name, a);
    cw_map_init(&h->walked, a);
    cw_map_init(&h->tops, a);
    cw_map_init(&h->verdicts, a);
    return h;
}

static uint64_t key_of(struct cw_headers *headers, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&headers->names, text);
}

static uint64_t key_of_n(struct cw_headers *headers, const char *text, size_t n) {
    return (uint64_t)(uintptr_t)cw_intern_n(&headers->names, text, n);
}

/* ---- whose is it? ---- */

static bool is_foreign_name(cw_str name) {
    static const char *const names[] = {"third_party", "third-party", "thirdparty", "3rdparty", "3rd_party",
                                        "3rd-party", "vendor", "vendors", "external", "externals", "extern",
                                        "deps", "_deps", "subprojects", "submodules", "node_modules"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cw_str_is(name, names[i]))
            return true;
    return false;
}

static bool holds_header(const char *directory, const char *name) {
    char path[MAX_PATH_BYTES];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s/%s", directory, name);
    return n > 0 && (size_t)n < sizeof path && !stat(path, &st);
}

static bool is_below(const char *path, const char *root) {
    size_t n = strlen(root);
    return !strncmp(path, root, n) && (path[n] == '/' || (n && root[n - 1] == '/' && path[n]));
}

static cw_str last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return cw_str_of(slash ? slash + 1 : path);
}

static const char *parent_of(struct cw_headers *headers, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || !slash[1])
        return NULL;
    return cw_intern_n(&headers->names, path, slash > path ? (size_t)(slash - path) : 1);
}

bool cw_headers_is_foreign(struct cw_headers *headers, const char *root, const char *directory) {
    uint64_t known;
    if (!is_below(directory, root))
        return false;
    uint64_t key = key_of(headers, directory);
    if (cw_map_get(&headers->verdicts, key, &known))
        return known == 2;
    bool is = is_foreign_name(last_part(directory)) || holds_header(directory, ".git") ||
              holds_header(directory, "cuda_runtime.h");
    for (const char *up = parent_of(headers, directory); !is && up && is_below(up, root); up = parent_of(headers, up))
        is = is_foreign_name(last_part(up)) || holds_header(up, ".git") || holds_header(up, "cuda_runtime.h");
    cw_map_put(&headers->verdicts, key, is ? 2 : 1);
    return is;
}

/* ---- the walk ---- */

static bool is_source_name(cw_str name) {
    static const char *const endings[] = {"h",   "cuh", "hpp", "cu",   "inl", "hh",  "inc", "hxx", "cpp",   "cc", "c",
                                          "ipp", "tpp", "tcc", "impl", "def", "cxx", "H",   "hu",  "cuinc", "h++"};
    size_t dot = name.n;
    while (dot && name.at[dot - 1] != '.')
        dot--;
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
        if (name.at[dot] == endings[i][0] && cw_str_is((cw_str){name.at + dot, name.n - dot}, endings[i]))
            return true;
    return false;
}

static bool is_listed(cw_str name) {
    return is_source_name(name) || cw_made_header_is_template(name);
}

/* One directory's folders and source files, sorted; they go before the next directory is read. */
struct entry {
    const char *name;
    bool is_directory;
};

struct listing {
    struct cw_arena *arena;
    struct {
        struct entry *at;
        uint32_t n, cap;
    } entries;
    uint32_t seen; /* all of its entries */
    bool has_repository, has_toolkit;
};

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Hidden ones are looked at for what they tell about the folder only. */
static void add_entry(struct listing *listing, const char *path, const struct dirent *dirent) {
    listing->seen++;
    listing->has_repository |= !strcmp(dirent->d_name, ".git");
    listing->has_toolkit |= !strcmp(dirent->d_name, "cuda_runtime.h");
    if (dirent->d_name[0] == '.')
        return;
    bool is_folder = cw_is_directory_entry(path, dirent);
    if (is_folder || is_listed(cw_str_of(dirent->d_name)))
        cw_vec_push(listing->arena, &listing->entries,
                    ((struct entry){cw_arena_strdup(listing->arena, dirent->d_name), is_folder}));
}

static bool list_directory(struct listing *listing, const char *path) {
    DIR *d = opendir(path);
    if (!d)
        return false;
    for (struct dirent *e; listing->seen < MAX_LISTED && (e = readdir(d));)
        add_entry(listing, path, e);
    closedir(d);
    if (listing->entries.n)
        qsort(listing->entries.at, listing->entries.n, sizeof *listing->entries.at, by_name);
    return true;
}

static void add_file(struct cw_headers *headers, uint32_t directory, const char *name) {
    uint64_t key = key_of(headers, name), before = 0;
    cw_map_get(&headers->by_name, key, &before);
    struct file f = {.directory = directory, .next = (uint32_t)before};
    cw_vec_push(headers->arena, &headers->files, f);
    cw_map_put(&headers->by_name, key, headers->files.n);
}

struct frame {
    const char *path;
    const char *foreign;
    bool is_toolkit;
    uint32_t depth;
};

struct frames {
    struct frame *at;
    uint32_t n, cap;
};

static void describe_folder(struct cw_headers *headers, const struct listing *listing, const char *root,
                            struct frame *frame) {
    bool is_root = !strcmp(frame->path, root);
    if (!frame->foreign && !is_root && (is_foreign_name(last_part(frame->path)) || listing->has_repository))
        frame->foreign = frame->path;
    frame->is_toolkit |= listing->has_toolkit;
    struct directory d = {frame->path, frame->foreign, frame->is_toolkit};
    cw_vec_push(headers->arena, &headers->directories, d);
}

static void add_entries(struct cw_headers *headers, const struct listing *listing, const struct frame *frame,
                        struct frames *later) {
    uint32_t directory = headers->directories.n - 1;
    for (uint32_t i = 0; i < listing->entries.n; i++) {
        const struct entry *e = &listing->entries.at[i];
        if (e->is_directory && frame->depth < MAX_DEPTH) {
            const char *path =
                cw_arena_printf(headers->arena, "%s/%s", strcmp(frame->path, "/") ? frame->path : "", e->name);
            struct frame inner = {path, frame->foreign, frame->is_toolkit, frame->depth + 1};
            cw_vec_push(headers->arena, later, inner);
        } else if (!e->is_directory && !frame->is_toolkit) {
            add_file(headers, directory, e->name);
        }
    }
}

static void walk_one(struct cw_headers *headers, const char *root, struct frame frame, struct frames *later,
                     struct cw_arena *scratch) {
    struct listing l = {.arena = scratch};
    uint64_t key = key_of(headers, frame.path);
    if (cw_map_get(&headers->walked, key, NULL))
        return;
    cw_map_put(&headers->walked, key, 1);
    if (list_directory(&l, frame.path)) {
        headers->seen += l.seen;
        describe_folder(headers, &l, root, &frame);
        add_entries(headers, &l, &frame, later);
    }
}

static bool has_budget(const struct cw_headers *headers) {
    return headers->seen < headers->options.budget;
}

/* Breadth first: what lies high in a tree is what gets included. */
static void walk_below(struct cw_headers *headers, const char *root, struct frame top) {
    struct frames queue = {0};
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    cw_vec_push(headers->arena, &queue, top);
    for (uint32_t i = 0; i < queue.n && has_budget(headers); i++) {
        walk_one(headers, root, queue.at[i], &queue, &scratch);
        cw_arena_reset(&scratch); /* a new one for each folder would be most of the walk */
        headers->is_cut |= i + 1 < queue.n && !has_budget(headers);
    }
    cw_arena_free(&scratch);
}

/* The highest directory of others above `directory` or itself, NULL when it is the project's own. */
static const char *foreign_top(struct cw_headers *headers, const char *root, const char *directory) {
    uint64_t key = key_of(headers, directory), known = 0;
    if (cw_map_get(&headers->tops, key, &known))
        return (const char *)(uintptr_t)known;
    for (const char *up = directory; up && is_below(up, root); up = parent_of(headers, up))
        if (is_foreign_name(last_part(up)) || holds_header(up, ".git"))
            known = key_of(headers, up);
    cw_map_put(&headers->tops, key, known);
    return (const char *)(uintptr_t)known;
}

/* From `from` upwards to the root, each time what has not been walked yet. */
static void walk_around(struct cw_headers *headers, const char *root, const char *from) {
    bool inside = is_below(from, root);
    for (const char *top = inside ? from : root; top && has_budget(headers); top = parent_of(headers, top)) {
        uint64_t key = key_of(headers, cw_arena_printf(headers->arena, "around %s", top));
        bool known = cw_map_get(&headers->walked, key, NULL);
        if (!known) {
            struct frame f = {.path = cw_intern(&headers->names, top), .foreign = foreign_top(headers, root, top)};
            cw_map_put(&headers->walked, key, 1);
            walk_below(headers, root, f);
        }
        if (known || !strcmp(top, root))
            break;
    }
}

uint32_t cw_headers_seen(const struct cw_headers *headers) {
    return headers->seen;
}

bool cw_headers_is_cut(const struct cw_headers *headers) {
    return headers->is_cut;
}

/* ---- finding ---- */

/* The directory from which `name` leads into directory `d`, as its length in d's path; 0: it does not. */
static size_t base_of(const char *d, cw_str folders) {
    size_t n = strlen(d);
    if (!folders.n)
        return n;
    if (n <= folders.n || strncmp(d + n - folders.n, folders.at, folders.n) != 0 || d[n - folders.n - 1] != '/')
        return 0;
    return n - folders.n - 1 ? n - folders.n - 1 : 1;
}

/* Folders that both paths begin with. */
static uint32_t shared_folders(const char *a, const char *b) {
    uint32_t n = 0;
    for (; *a && *a == *b; a++, b++)
        n += *a == '/';
    bool both_end = (!*a || *a == '/') && (!*b || *b == '/');
    return n + both_end;
}

struct choice {
    struct file *file;
    const struct directory *directory;
    size_t base;
    uint32_t shared;
    bool is_own, is_tie;
};

static void consider_choice(struct choice *best, struct choice choice) {
    bool same_rank = best->file && best->is_own == choice.is_own;
    if (best->file && !same_rank && best->is_own)
        return;
    if (same_rank && choice.shared < best->shared)
        return;
    choice.is_tie = same_rank && choice.shared == best->shared;
    *best = choice;
}

struct question {
    const char *root, *from, *name; /* the name without folders */
    cw_str folders;
};

/* The n-th candidate from `*at` on; moves behind it. */
static bool next_candidate(struct cw_headers *headers, const struct question *question, uint64_t *at,
                           struct choice *out) {
    for (; *at; *at = headers->files.at[*at - 1].next) {
        struct file *f = &headers->files.at[*at - 1];
        const struct directory *d = &headers->directories.at[f->directory];
        size_t base = f->is_ignored ? 0 : base_of(d->path, question->folders);
        if (!base || !(is_below(d->path, question->root) || !strcmp(d->path, question->root)))
            continue;
        *out =
            (struct choice){.file = f, .directory = d, .base = base, .shared = shared_folders(d->path, question->from)};
        *at = f->next;
        return true;
    }
    return false;
}

static struct choice choose_header(struct cw_headers *headers, const struct question *question) {
    struct choice best = {0}, c;
    uint64_t at = 0;
    const char *top = foreign_top(headers, question->root, question->from);
    cw_map_get(&headers->by_name, key_of(headers, question->name), &at);
    for (uint32_t n = 0; n < MAX_CANDIDATES && next_candidate(headers, question, &at, &c); n++) {
        c.is_own = !c.directory->foreign || (top && !strcmp(c.directory->foreign, top));
        consider_choice(&best, c);
    }
    return best;
}

/* Asking costs more than everything else here, so only what would be chosen, or stands in its way, is asked about. */
static bool drop_ignored(struct cw_headers *headers, const struct question *question, const struct choice *best) {
    struct choice c;
    uint64_t at = 0;
    bool dropped = false;
    if (!headers->options.is_ignored)
        return false;
    cw_map_get(&headers->by_name, key_of(headers, question->name), &at);
    for (uint32_t n = 0; n < MAX_CANDIDATES && next_candidate(headers, question, &at, &c); n++) {
        if (c.file->is_asked || c.shared != best->shared || (!best->is_tie && c.file != best->file))
            continue;
        c.file->is_asked = true;
        c.file->is_ignored = headers->options.is_ignored(
            headers->options.ctx, cw_arena_printf(headers->arena, "%s/%s", c.directory->path, question->name));
        dropped |= c.file->is_ignored;
    }
    return dropped;
}

/* "../x.h" is seen from its file alone, and a name without an ending is the standard library's. */
static bool is_searched(const char *name) {
    return *name && name[0] != '/' && strncmp(name, "../", 3) != 0 && !strstr(name, "/../") &&
           is_listed(cw_str_of(name));
}

const char *cw_headers_find(struct cw_headers *headers, const char *root, const char *from, const char *name) {
    while (name[0] == '.' && name[1] == '/')
        name += 2;
    const char *slash = strrchr(name, '/');
    struct question q = {root, from, slash ? slash + 1 : name, {name, slash ? (size_t)(slash - name) : 0}};
    if (!is_searched(name))
        return NULL;
    walk_around(headers, root, from);
    struct choice best = choose_header(headers, &q);
    for (int tries = 0; tries < MAX_TRIES && best.file && drop_ignored(headers, &q, &best); tries++)
        best = choose_header(headers, &q);
    if (!best.file || best.is_tie)
        return NULL;
    return (const char *)(uintptr_t)key_of_n(headers, best.directory->path, best.base);
}
