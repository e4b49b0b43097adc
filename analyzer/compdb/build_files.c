/* requires: folders of a project. computes: the build file that compiles a file, each read once for all its files. */
#include "compdb/build_files.h"

#include "base/intern.h"
#include "base/map.h"
#include "compdb/cmake_lists.h"
#include "compdb/makefile.h"

#include <string.h>

struct cw_build_files {
    struct cw_arena *arena;
    struct cw_reader reader;
    struct cw_intern names;
    struct cw_map folders; /* interned path -> struct folder */
};

struct folder {
    const char *path;
    struct folder *above; /* NULL: the root of the project */
    struct cw_makefile *makefile;
    struct cw_cmake_lists *lists; /* NULL: no CMakeLists.txt */
};

struct cw_build_files *cw_build_files_new(struct cw_arena *a, struct cw_reader reader) {
    struct cw_build_files *files = CW_NEW(a, struct cw_build_files);
    files->arena = a;
    files->reader = reader;
    cw_intern_init(&files->names, a);
    cw_map_init(&files->folders, a);
    return files;
}

static const struct cw_cmake_lists *lists_above(const struct folder *folder) {
    while (folder && !folder->lists)
        folder = folder->above;
    return folder ? folder->lists : NULL;
}

static struct folder *folder_of(struct cw_build_files *files, const char *root, const char *path) {
    uint64_t known = 0;
    const char *key = cw_intern(&files->names, path), *slash = strrchr(path, '/');
    if (cw_map_get(&files->folders, (uint64_t)(uintptr_t)key, &known))
        return (struct folder *)(uintptr_t)known;
    struct folder *folder = CW_NEW(files->arena, struct folder);
    folder->path = key;
    if (slash > path && strlen(path) > strlen(root))
        folder->above = folder_of(files, root, cw_arena_strndup(files->arena, path, (size_t)(slash - path)));
    folder->makefile = cw_makefile_read(files->arena, files->reader, path);
    folder->lists = cw_cmake_lists_read(files->arena, files->reader, lists_above(folder->above), path);
    cw_map_put(&files->folders, (uint64_t)(uintptr_t)key, (uint64_t)(uintptr_t)folder);
    return folder;
}

struct cw_build_macros cw_build_files_macros(struct cw_build_files *files, const char *root, const char *directory,
                                             const char *name) {
    struct cw_build_macros macros = {.from = NULL};
    for (struct folder *at = folder_of(files, root, directory); at && !macros.from; at = at->above) {
        if (at->makefile && cw_makefile_is_for_cuda(at->makefile)) {
            cw_makefile_definitions(at->makefile, name, &macros.definitions);
            macros.from = cw_makefile_path(at->makefile);
        } else if (at->lists) {
            cw_cmake_lists_definitions(at->lists, name, &macros.definitions);
            macros.from = cw_arena_printf(files->arena, "%s/CMakeLists.txt", at->path);
        }
    }
    return macros;
}
