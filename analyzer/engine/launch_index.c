#include "engine/launch_index.h"

#include "base/hash.h"
#include "base/intern.h"

#include <string.h>

enum { MAX_LAUNCHERS = 4 };

struct file {
    const char *path, *full;
    const struct cw_directives *own;
    struct cw_unit_options *options;
};

struct cw_launch_index {
    struct cw_arena *arena;
    CW_VEC(struct file) files;
    struct cw_map launching; /* hash of a kernel's name -> struct cw_vec_u32 *, the files that launch it */
};

struct cw_launch_index *cw_launch_index_new(struct cw_arena *a) {
    struct cw_launch_index *index = CW_NEW(a, struct cw_launch_index);
    index->arena = a;
    cw_map_init(&index->launching, a);
    return index;
}

static uint64_t key_of_name(const char *name) {
    return cw_hash(name, strlen(name), 0);
}

void cw_launch_index_add(struct cw_launch_index *index, const char *path, const char *full,
                         const struct cw_directives *own, struct cw_unit_options *options) {
    uint32_t number = index->files.n;
    cw_vec_push(index->arena, &index->files, ((struct file){path, full, own, options}));
    for (uint32_t i = 0; i < own->launched.n; i++) {
        uint64_t found = 0, key = key_of_name(own->launched.at[i]);
        if (!cw_map_get(&index->launching, key, &found)) {
            found = (uint64_t)(uintptr_t)CW_NEW(index->arena, struct cw_vec_u32);
            cw_map_put(&index->launching, key, found);
        }
        cw_vec_push(index->arena, (struct cw_vec_u32 *)(uintptr_t)found, number);
    }
}

static bool has_name(const struct cw_names_list *names, const char *name) {
    for (uint32_t i = 0; i < names->n; i++)
        if (!strcmp(names->at[i], name))
            return true;
    return false;
}

static bool reads_file(const struct cw_unit_options *options, const char *full) {
    for (uint32_t i = 0; i < options->nfiles; i++)
        if (!strcmp(options->files[i], full))
            return true;
    return false;
}

/* Folders that two paths have in common. */
static uint32_t count_shared_folders(const char *one, const char *other) {
    uint32_t n = 0;
    for (; *one && *one == *other; one++, other++)
        n += *one == '/';
    return n;
}

/* The nearest file that launches the kernel which `definer` has; NULL: none, or one of them includes the definer and
 * reads the kernel with its launch. */
static const struct file *find_launcher(const struct cw_launch_index *index, const struct file *definer,
                                        const char *kernel) {
    const struct file *best = NULL;
    uint64_t found = 0;
    if (has_name(&definer->own->launched, kernel) ||
        !cw_map_get(&index->launching, key_of_name(kernel), &found))
        return NULL;
    const struct cw_vec_u32 *files = (const struct cw_vec_u32 *)(uintptr_t)found;
    for (uint32_t i = 0; i < files->n; i++) {
        const struct file *file = &index->files.at[files->at[i]];
        if (reads_file(file->options, definer->full))
            return NULL;
        if (file->options->is_in_hip_folder || has_name(&file->own->kernels, kernel))
            continue;
        if (!best || count_shared_folders(file->full, definer->full) > count_shared_folders(best->full, definer->full))
            best = file;
    }
    return best;
}

static void add_launcher(struct cw_launch_index *index, struct cw_unit_options *options, const struct file *file) {
    for (uint32_t i = 0; i < options->nlaunchers; i++)
        if (options->launchers[i].options == file->options)
            return;
    if (options->nlaunchers == MAX_LAUNCHERS)
        return;
    struct cw_other_unit *launchers = CW_NEW_ARRAY(index->arena, struct cw_other_unit, MAX_LAUNCHERS);
    if (options->nlaunchers)
        memcpy(launchers, options->launchers, options->nlaunchers * sizeof *launchers);
    launchers[options->nlaunchers++] = (struct cw_other_unit){file->path, file->options};
    options->launchers = launchers;
}

/* Of the contents before any file was linked. */
static void depend_on_launchers(struct cw_unit_options *options, const struct cw_hash128 *contents) {
    options->contents = cw_hash_wide(contents, (options->nlaunchers + 1) * sizeof *contents);
    for (uint32_t i = 0; i < options->nlaunchers; i++)
        options->is_open |= options->launchers[i].options->is_open;
}

void cw_launch_index_link(struct cw_launch_index *index) {
    struct cw_hash128 *contents = CW_NEW_ARRAY(index->arena, struct cw_hash128, index->files.n + 1);
    struct cw_map numbers;
    cw_map_init(&numbers, index->arena);
    for (uint32_t i = 0; i < index->files.n; i++) {
        contents[i] = index->files.at[i].options->contents;
        cw_map_put(&numbers, (uint64_t)(uintptr_t)index->files.at[i].options, i);
    }
    for (uint32_t i = 0; i < index->files.n; i++) {
        const struct file *file = &index->files.at[i];
        for (uint32_t k = 0; k < file->own->kernels.n; k++) {
            const struct file *launcher = find_launcher(index, file, file->own->kernels.at[k]);
            if (launcher)
                add_launcher(index, file->options, launcher);
        }
        struct cw_hash128 all[MAX_LAUNCHERS + 1] = {contents[i]};
        for (uint32_t k = 0; k < file->options->nlaunchers; k++) {
            uint64_t number = 0;
            cw_map_get(&numbers, (uint64_t)(uintptr_t)file->options->launchers[k].options, &number);
            all[k + 1] = contents[number];
        }
        if (file->options->nlaunchers)
            depend_on_launchers(file->options, all);
    }
}
