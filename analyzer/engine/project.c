#include "engine/project.h"

#include "compdb/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const repository_marks[] = {".git", ".hg", ".svn", ".jj", NULL};
static const char *const build_marks[] = {
    "CMakeLists.txt", "compile_commands.json", "MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel", "meson.build",
    "Makefile",       "makefile",              "GNUmakefile",  "setup.py",  "pyproject.toml",  "setup.cfg",
    "package.xml",    "package.json",          "conanfile.py", "conanfile.txt", "vcpkg.json", "Cargo.toml",
    "go.mod",         "xmake.lua",             "SConstruct",   "premake5.lua",  NULL};

static uint64_t key_of(struct cw_project *project, const char *text) {
    return (uint64_t)(uintptr_t)cw_intern(&project->names, text);
}

const char *cw_project_full(struct cw_project *project, const char *path) {
    char full[PATH_MAX];
    if (strstr(path, "..") && realpath(path, full))
        return cw_intern(&project->names, full);
    return cw_intern(&project->names, cw_compile_path(project->arena, project->here, path));
}

void cw_project_init(struct cw_project *project, struct cw_arena *a, const char *const *operands, uint32_t n) {
    char full[PATH_MAX];
    struct stat st;
    *project = (struct cw_project){.arena = a};
    cw_intern_init(&project->names, a);
    cw_map_init(&project->roots, a);
    cw_map_init(&project->repositories, a);
    project->here = cw_arena_strdup(a, realpath(".", full) ? full : "/");
    for (uint32_t i = 0; i < n; i++)
        if (!stat(operands[i], &st) && S_ISDIR(st.st_mode))
            cw_vec_push(a, &project->operands, cw_project_full(project, operands[i]));
}

static bool holds_any(const char *directory, const char *const *names) {
    char path[PATH_MAX];
    struct stat st;
    for (; *names; names++) {
        int n = snprintf(path, sizeof path, "%s/%s", directory, *names);
        if (n > 0 && (size_t)n < sizeof path && !stat(path, &st))
            return true;
    }
    return false;
}

/* The directory above, in place; false at the top. */
static bool go_up(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || !path[1])
        return false;
    slash[slash == path] = '\0';
    return true;
}

static bool is_operand(const struct cw_project *project, const char *directory) {
    for (uint32_t i = 0; i < project->operands.n; i++)
        if (!strcmp(project->operands.at[i], directory))
            return true;
    return false;
}

static const char *find_root(struct cw_project *project, const char *directory) {
    char at[PATH_MAX];
    const char *highest = directory, *home = getenv("HOME");
    if (snprintf(at, sizeof at, "%s", directory) >= (int)sizeof at)
        return directory;
    do {
        if (holds_any(at, repository_marks))
            return cw_intern(&project->names, at);
        bool is_anybodys = !at[1] || (home && !strcmp(at, home));
        if (is_operand(project, at) || (!is_anybodys && holds_any(at, build_marks)))
            highest = cw_intern(&project->names, at);
    } while (go_up(at));
    return highest;
}

const char *cw_project_root(struct cw_project *project, const char *directory) {
    uint64_t known, key = key_of(project, directory);
    if (!cw_map_get(&project->roots, key, &known)) {
        known = key_of(project, find_root(project, directory));
        cw_map_put(&project->roots, key, known);
    }
    return (const char *)(uintptr_t)known;
}

bool cw_project_is_repository(struct cw_project *project, const char *root) {
    uint64_t known, key = key_of(project, root);
    if (!cw_map_get(&project->repositories, key, &known)) {
        known = holds_any(root, repository_marks) ? 1 : 2;
        cw_map_put(&project->repositories, key, known);
    }
    return known == 1;
}
