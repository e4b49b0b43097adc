#include "engine/includer_index.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"

#include <string.h>

enum { MAX_INCLUDERS = 2 };

struct file {
    const char *path, *real;
    struct cw_unit_options *options;
    bool is_wanted;
    struct cw_hash128 contents; /* before it was linked */
};

struct cw_includer_index {
    struct cw_arena *arena;
    CW_VEC(struct file) files;
    struct cw_map wanted; /* hash of a real path -> index plus 1 */
};

struct cw_includer_index *cw_includer_index_new(struct cw_arena *a) {
    struct cw_includer_index *index = CW_NEW(a, struct cw_includer_index);
    index->arena = a;
    cw_map_init(&index->wanted, a);
    return index;
}

static uint64_t key_of_path(const char *path) {
    return cw_hash(path, strlen(path), 0);
}

void cw_includer_index_add(struct cw_includer_index *index, const char *path, const char *real,
                           struct cw_unit_options *options, bool is_wanted) {
    struct file file = {path, real, options, is_wanted, options->contents};
    cw_vec_push(index->arena, &index->files, file);
    if (is_wanted)
        cw_map_put(&index->wanted, key_of_path(real), index->files.n);
}

static uint32_t count_shared_folders(const char *one, const char *other) {
    uint32_t n = 0;
    for (; *one && *one == *other; one++, other++)
        n += *one == '/';
    return n;
}

/* Into the list, the nearest first; the first added of those that are equally near. */
static void insert_includer(struct cw_includer_index *index, const struct file *part, const struct file *whole) {
    struct cw_unit_options *options = part->options;
    struct cw_other_unit *list = (struct cw_other_unit *)options->includers;
    uint32_t at = 0, shared = count_shared_folders(whole->real, part->real);
    if (!list)
        list = CW_NEW_ARRAY(index->arena, struct cw_other_unit, MAX_INCLUDERS + 1);
    while (at < options->nincluders && count_shared_folders(list[at].path, part->real) >= shared)
        at++;
    memmove(list + at + 1, list + at, (options->nincluders - at) * sizeof *list);
    list[at] = (struct cw_other_unit){whole->real, whole->options};
    options->includers = list;
    options->nincluders += options->nincluders < MAX_INCLUDERS;
}

static const struct file *find_unit(const struct cw_includer_index *index, const struct cw_unit_options *options) {
    for (uint32_t i = 0; i < index->files.n; i++)
        if (index->files.at[i].options == options)
            return &index->files.at[i];
    return NULL;
}

/* The includers have the names that the run gave them from here on. */
static void finish_file(const struct cw_includer_index *index, const struct file *part) {
    struct cw_unit_options *options = part->options;
    struct cw_other_unit *list = (struct cw_other_unit *)options->includers;
    struct cw_hash128 all[MAX_INCLUDERS + 1] = {part->contents};
    for (uint32_t i = 0; i < options->nincluders; i++) {
        const struct file *whole = find_unit(index, list[i].options);
        list[i].path = whole->path;
        all[i + 1] = whole->contents;
        options->is_open |= whole->options->is_open && !options->includers_name;
    }
    if (options->nincluders)
        options->contents = cw_hash_wide(all, (options->nincluders + 1) * sizeof *all);
}

void cw_includer_index_link(struct cw_includer_index *index) {
    for (uint32_t i = 0; i < index->files.n && index->wanted.n; i++) {
        const struct file *whole = &index->files.at[i];
        for (uint32_t k = 0; k < whole->options->nfiles && !cw_str_names_header(whole->path); k++) {
            uint64_t found = 0;
            const char *path = whole->options->files[k];
            if (!cw_map_get(&index->wanted, key_of_path(path), &found) || found == i + 1)
                continue;
            const struct file *part = &index->files.at[found - 1];
            if (!strcmp(part->real, path) && strcmp(whole->real, path) != 0)
                insert_includer(index, part, whole);
        }
    }
    for (uint32_t i = 0; i < index->files.n && index->wanted.n; i++)
        if (index->files.at[i].is_wanted)
            finish_file(index, &index->files.at[i]);
}
