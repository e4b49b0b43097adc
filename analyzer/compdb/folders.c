/* requires: a tree that does not change during the search. computes: a cache of directory entries, one record for each
 * path asked about; a record of a listed folder also answers for the names that are not there. */
#include "compdb/folders.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A listing takes about as many calls as LIST_AFTER questions; folders of more than MAX_NAMES are asked by name. */
enum { LIST_AFTER = 6, MAX_NAMES = 1 << 16, NAMES_PER_CALL = 512, MAX_PARTS = 512 };

bool cw_is_directory_entry(const char *parent, const struct dirent *entry) {
    char path[PATH_MAX];
    struct stat st;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    int n = snprintf(path, sizeof path, "%s/%s", parent, entry->d_name);
    return n > 0 && (size_t)n < sizeof path && !lstat(path, &st) && S_ISDIR(st.st_mode);
}

enum kind { NONE, FILE_ENTRY, FOLDER, UNKNOWN_LINK };

struct entry {
    const char *path;   /* interned */
    const char *parent; /* interned; NULL for the top */
    const char *real;   /* of a folder, when it is known */
    enum kind kind;
    bool is_link;
    uint32_t asked; /* names looked up in the folder by a call of their own */
    bool is_listed, is_too_large;
};

struct cw_folders {
    struct cw_arena *arena;
    struct cw_intern names;
    struct cw_map entries;  /* interned path -> struct entry * */
    struct cw_map resolved; /* interned path as asked -> interned canonical path, 0: none */
    uint64_t calls, budget, limit;
    bool is_exhausted;
};

struct cw_folders *cw_folders_new(struct cw_arena *a, uint64_t budget) {
    struct cw_folders *f = CW_NEW(a, struct cw_folders);
    f->arena = a;
    f->budget = f->limit = budget;
    cw_intern_init(&f->names, a);
    cw_map_init(&f->entries, a);
    cw_map_init(&f->resolved, a);
    return f;
}

uint64_t cw_folders_calls(const struct cw_folders *folders) {
    return folders->calls;
}

void cw_folders_limit(struct cw_folders *folders, uint64_t calls) {
    folders->limit = calls < folders->budget ? calls : folders->budget;
    folders->is_exhausted = false;
}

bool cw_folders_is_exhausted(const struct cw_folders *folders) {
    return folders->is_exhausted;
}

static uint64_t key_of(const char *interned) {
    return (uint64_t)(uintptr_t)interned;
}

static bool spend_calls(struct cw_folders *folders, uint64_t calls) {
    bool can = folders->calls + calls <= folders->limit;
    folders->is_exhausted |= !can;
    folders->calls += can ? calls : 0;
    return can;
}

/* ---- entries ---- */

static struct entry *known_entry(struct cw_folders *folders, const char *interned) {
    uint64_t found = 0;
    cw_map_get(&folders->entries, key_of(interned), &found);
    return (struct entry *)(uintptr_t)found;
}

static struct entry *add_entry(struct cw_folders *folders, const char *path, const char *parent, enum kind kind,
                               bool is_link) {
    struct entry *e = CW_NEW(folders->arena, struct entry);
    *e = (struct entry){.path = path, .parent = parent, .kind = kind, .is_link = is_link};
    cw_map_put(&folders->entries, key_of(path), (uint64_t)(uintptr_t)e);
    return e;
}

static enum kind kind_of(const struct stat *st) {
    return S_ISREG(st->st_mode) ? FILE_ENTRY : S_ISDIR(st->st_mode) ? FOLDER : NONE;
}

/* NULL: the budget is exhausted, and nothing is recorded. */
static struct entry *ask_for(struct cw_folders *folders, const char *path, const char *parent) {
    struct stat st;
    if (!spend_calls(folders, 1))
        return NULL;
    if (lstat(path, &st))
        return add_entry(folders, path, parent, NONE, false);
    bool is_link = S_ISLNK(st.st_mode);
    if (is_link && (!spend_calls(folders, 1) || stat(path, &st)))
        st.st_mode = 0;
    return add_entry(folders, path, parent, kind_of(&st), is_link);
}

static const char *join_path(struct cw_folders *folders, const char *directory, const char *name, size_t n) {
    char path[PATH_MAX];
    size_t length = strlen(directory);
    if (length + 1 + n >= sizeof path)
        return NULL;
    memcpy(path, directory, length); /* printf would be half of the time of a search */
    if (length && path[length - 1] != '/')
        path[length++] = '/';
    memcpy(path + length, name, n);
    return cw_intern_n(&folders->names, path, length + n);
}

static void note_listed(struct cw_folders *folders, const struct entry *folder, const struct dirent *dirent) {
    enum kind kind = dirent->d_type == DT_REG ? FILE_ENTRY : dirent->d_type == DT_DIR ? FOLDER
                     : dirent->d_type == DT_LNK || dirent->d_type == DT_UNKNOWN ? UNKNOWN_LINK : NONE;
    const char *path = join_path(folders, folder->path, dirent->d_name, strlen(dirent->d_name));
    if (path && strcmp(dirent->d_name, ".") != 0 && strcmp(dirent->d_name, "..") != 0 && !known_entry(folders, path))
        add_entry(folders, path, folder->path, kind, false);
}

static void list_folder(struct cw_folders *folders, struct entry *folder) {
    uint32_t n = 0;
    DIR *d = spend_calls(folders, 4) ? opendir(folder->path) : NULL;
    folder->is_too_large = !d;
    for (struct dirent *e; d && !folder->is_too_large && (e = readdir(d));) {
        folder->is_too_large = ++n > MAX_NAMES || (n % NAMES_PER_CALL == 0 && !spend_calls(folders, 1));
        note_listed(folders, folder, e);
    }
    folder->is_listed = d && !folder->is_too_large;
    if (d)
        closedir(d);
}

/* The entry `name` of a folder; NULL: there is none, or the budget is exhausted. */
static struct entry *look_up(struct cw_folders *folders, struct entry *folder, const char *name, size_t n) {
    const char *path = join_path(folders, folder->path, name, n);
    struct entry *e = path ? known_entry(folders, path) : NULL;
    if (!path)
        return NULL;
    if (!e && !folder->is_listed && !folder->is_too_large && ++folder->asked > LIST_AFTER) {
        list_folder(folders, folder);
        e = known_entry(folders, path);
    }
    if (!e && folder->is_listed)
        return NULL;
    if (!e || e->kind == UNKNOWN_LINK)
        e = ask_for(folders, path, folder->path);
    return e && e->kind != NONE ? e : NULL;
}

/* ---- folders ---- */

static struct entry *top_folder(struct cw_folders *folders, bool is_absolute) {
    const char *path = cw_intern(&folders->names, is_absolute ? "/" : ".");
    struct entry *e = known_entry(folders, path);
    return e ? e : add_entry(folders, path, NULL, FOLDER, !is_absolute);
}

static struct entry *walk_path(struct cw_folders *f, const char *path, size_t n);

/* ".." of a link is beside what the link names. */
static struct entry *parent_of(struct cw_folders *folders, struct entry *entry) {
    char full[PATH_MAX + 4];
    if (entry->parent && !entry->is_link)
        return known_entry(folders, entry->parent);
    if (!entry->parent && !entry->is_link)
        return entry;
    size_t n = strlen(entry->path);
    memcpy(full, entry->path, n);
    memcpy(full + n, "/..", 4);
    char *real = spend_calls(folders, 2) ? realpath(full, NULL) : NULL;
    struct entry *up = real ? walk_path(folders, real, strlen(real)) : NULL;
    free(real);
    return up;
}

static struct entry *step_into(struct cw_folders *folders, struct entry *at, const char *name, size_t n) {
    if (!n || (n == 1 && name[0] == '.'))
        return at;
    if (n == 2 && name[0] == '.' && name[1] == '.')
        return parent_of(folders, at);
    struct entry *e = look_up(folders, at, name, n);
    return e && e->kind == FOLDER ? e : NULL;
}

static struct entry *walk_path(struct cw_folders *folders, const char *path, size_t n) {
    struct entry *at = top_folder(folders, n && path[0] == '/');
    uint32_t parts = 0;
    for (size_t from = 0; at && from < n && parts < MAX_PARTS; parts++) {
        const char *slash = memchr(path + from, '/', n - from);
        size_t end = slash ? (size_t)(slash - path) : n;
        at = step_into(folders, at, path + from, end - from);
        from = end + 1;
    }
    return at;
}

static struct entry *folder_at(struct cw_folders *folders, const char *path, size_t n) {
    const char *asked = cw_intern_n(&folders->names, path, n);
    uint64_t known = 0;
    if (cw_map_get(&folders->resolved, key_of(asked), &known))
        return (struct entry *)(uintptr_t)known;
    bool before = folders->is_exhausted;
    folders->is_exhausted = false;
    struct entry *e = walk_path(folders, path, n);
    if (!folders->is_exhausted)
        cw_map_put(&folders->resolved, key_of(asked), (uint64_t)(uintptr_t)e);
    folders->is_exhausted |= before;
    return e;
}

const char *cw_folders_resolve(struct cw_folders *folders, const char *path) {
    struct entry *e = folder_at(folders, path, strlen(path));
    return e ? e->path : NULL;
}

const char *cw_folders_file(struct cw_folders *folders, const char *directory, const char *name) {
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const char *whole = directory;
    size_t n = slash ? (size_t)(slash - name) : 0;
    if (name[0] == '/') {
        whole = slash == name ? "/" : cw_intern_n(&folders->names, name, n);
    } else if (n) {
        whole = join_path(folders, directory, name, n);
    }
    struct entry *folder = whole ? folder_at(folders, whole, strlen(whole)) : NULL;
    struct entry *e = folder && *base ? look_up(folders, folder, base, strlen(base)) : NULL;
    return e && e->kind == FILE_ENTRY ? e->path : NULL;
}

/* The first folder from the top that is a link decides; most trees have none. */
static const char *real_folder(struct cw_folders *folders, struct entry *entry) {
    char full[PATH_MAX];
    struct entry *up = entry->parent ? known_entry(folders, entry->parent) : NULL;
    if (entry->real)
        return entry->real;
    entry->real = entry->path;
    const char *above = up ? real_folder(folders, up) : NULL;
    if ((entry->is_link || (up && above != up->path)) && spend_calls(folders, 2) && realpath(entry->path, full))
        entry->real = cw_intern(&folders->names, full);
    return entry->real;
}

const char *cw_folders_real(struct cw_folders *folders, const char *path) {
    const char *slash = strrchr(path, '/');
    struct entry *folder = slash ? folder_at(folders, path, slash > path ? (size_t)(slash - path) : 1) : NULL;
    const char *real = folder ? real_folder(folders, folder) : NULL;
    const char *whole = real && real != folder->path ? join_path(folders, real, slash + 1, strlen(slash + 1)) : NULL;
    return whole ? whole : cw_intern(&folders->names, path);
}
