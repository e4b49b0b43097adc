#include "engine/inputs.h"

#include "base/io.h"

#include "base/log.h"
#include "base/str.h"
#include "compdb/kernel_names.h"
#include "engine/ignore.h"
#include "engine/known_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 64, MAX_FILES = 1 << 20, MARKER_BYTES = 1 << 20 };

struct walk {
    struct cw_arena *arena;
    struct cw_inputs *found;
    struct cw_ignore *ignore;
    const struct cw_inputs_filter *filter;
    const char **error;
};

static bool has_ending(const char *path, const char *const *endings, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cw_str_ends(cw_str_of(path), endings[i]))
            return true;
    return false;
}

static bool is_cuda(const char *path) {
    static const char *const endings[] = {".cu", ".cuh"};
    return has_ending(path, endings, sizeof endings / sizeof endings[0]);
}

static bool is_c_family(const char *path) {
    static const char *const endings[] = {".h", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".cpp", ".cc", ".cxx", ".c"};
    return has_ending(path, endings, sizeof endings / sizeof endings[0]);
}

static bool is_wanted(const struct walk *walk, const char *path) {
    bool is_python = cw_str_ends(cw_str_of(path), ".py");
    return is_cuda(path) || is_c_family(path) || (walk->filter->embedded && is_python);
}

static enum cw_file_marks find_marks(const char *text, size_t n) {
    static const char *const markers[] = {"__global__", "__device__", "threadIdx", "__syncthreads", "__shared__"};
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++)
        if (memmem(text, n, markers[i], strlen(markers[i])))
            return CW_MARKS_DEVICE;
    if (cw_kernel_names_launches((cw_str){text, n})) /* which only a compiler for CUDA takes */
        return CW_MARKS_DEVICE;
    return cw_kernel_names_asks((cw_str){text, n}) ? CW_MARKS_HOST : CW_MARKS_NONE;
}

/* The first megabyte tells: device code that only begins after it would be machine-made. */
static enum cw_file_marks marks_of_file(const char *path) {
    static char text[MARKER_BYTES];
    int fd = cw_open_regular(path, 0);
    if (fd < 0)
        return CW_MARKS_NONE;
    size_t n = 0;
    for (ssize_t got; n < sizeof text && (got = read(fd, text + n, sizeof text - n)) > 0;)
        n += (size_t)got;
    close(fd);
    return find_marks(text, n);
}

/* As an earlier run over the same directories found it. */
static enum cw_file_marks marks_of(const struct walk *walk, const char *path) {
    struct cw_known_files *known = walk->filter->known;
    enum cw_file_marks marks;
    if (known && cw_known_files_has_marks(known, path, &marks))
        return marks;
    marks = marks_of_file(path);
    if (known)
        cw_known_files_note_marks(known, path, marks);
    return marks;
}

static void add_path(struct cw_arena *a, struct cw_inputs *found, const char *path) {
    if (found->paths.n < MAX_FILES)
        cw_vec_push(a, &found->paths, path);
}

static bool is_excluded(const struct walk *walk, const char *path, bool is_directory) {
    const struct cw_inputs_filter *f = walk->filter;
    return *walk->error || (f->excludes && f->excludes(f->ctx, path, is_directory, walk->error));
}

static void walk_directory(const struct walk *w, const char *directory, int depth);

static void walk_entry(const struct walk *walk, const char *path, int depth) {
    struct stat st;
    if (lstat(path, &st))
        return;
    bool is_link = S_ISLNK(st.st_mode);
    if (is_link && (stat(path, &st) || S_ISDIR(st.st_mode)))
        return;
    if (S_ISDIR(st.st_mode)) {
        if ((!walk->ignore || !cw_is_ignored(walk->ignore, path, true)) && !is_excluded(walk, path, true))
            walk_directory(walk, path, depth + 1);
        return;
    }
    if (!S_ISREG(st.st_mode) || !is_wanted(walk, path))
        return;
    if ((walk->ignore && cw_is_ignored(walk->ignore, path, false)) || is_excluded(walk, path, false))
        return;
    enum cw_file_marks marks = is_cuda(path) ? CW_MARKS_DEVICE : marks_of(walk, path);
    if (marks == CW_MARKS_DEVICE)
        add_path(walk->arena, walk->found, path);
    else if (marks == CW_MARKS_HOST && walk->found->hosts.n < MAX_FILES)
        cw_vec_push(walk->arena, &walk->found->hosts, path);
}

static void walk_directory(const struct walk *walk, const char *directory, int depth) {
    struct dirent **names;
    int n = depth < MAX_DEPTH ? scandir(directory, &names, NULL, alphasort) : 0;
    if (n < 0)
        add_path(walk->arena, walk->found, directory); /* fails like a file that cannot be read */
    if (depth >= MAX_DEPTH)
        cw_note("%s: more than %d folders deep, its files are left out", directory, MAX_DEPTH);
    bool plain = !strcmp(directory, ".");
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (name[0] != '.')
            walk_entry(walk,
                       plain ? cw_arena_strdup(walk->arena, name)
                             : cw_arena_printf(walk->arena, "%s/%s", directory, name),
                       depth);
        free(names[i]);
    }
    if (n >= 0 && depth < MAX_DEPTH)
        free(names);
}

/* Without "./" in front, doubled slashes and a slash at the end, so that one file has one name. */
static const char *tidy_path(struct cw_arena *a, const char *path) {
    char *out = cw_arena_strdup(a, path), *to = out;
    while (path[0] == '.' && path[1] == '/') {
        path += 2;
        path += strspn(path, "/");
    }
    for (; *path; path++)
        if (*path != '/' || path[1] != '/')
            *to++ = *path;
    while (to - out > 1 && to[-1] == '/')
        to--;
    *to = '\0';
    return *out ? out : ".";
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_unique(struct cw_inputs *found) {
    uint32_t kept = 0;
    if (found->paths.n)
        qsort(found->paths.at, found->paths.n, sizeof *found->paths.at, by_text);
    for (uint32_t i = 0; i < found->paths.n; i++)
        if (!kept || strcmp(found->paths.at[kept - 1], found->paths.at[i]) != 0)
            found->paths.at[kept++] = found->paths.at[i];
    found->paths.n = kept;
}

static void take_operand(struct walk *walk, const char *path) {
    struct stat st;
    bool is_directory = !stat(path, &st) && S_ISDIR(st.st_mode);
    if (walk->filter->force_exclude && is_excluded(walk, path, is_directory))
        return;
    if (!is_directory) {
        add_path(walk->arena, walk->found, path);
        return;
    }
    if (access(path, R_OK | X_OK)) { /* fails like a file that cannot be read */
        add_path(walk->arena, walk->found, path);
        return;
    }
    uint32_t before = walk->found->paths.n;
    struct cw_ignore *ignore = walk->filter->no_ignore ? NULL : cw_ignore_open(path);
    walk->ignore = ignore;
    walk_directory(walk, path, 0);
    cw_ignore_close(ignore);
    if (walk->found->paths.n == before && !*walk->error)
        cw_note("%s: no CUDA files in this folder", path);
}

struct cw_inputs cw_inputs_of(struct cw_arena *a, const char *const *paths, uint32_t n,
                              const struct cw_inputs_filter *filter, const char **error) {
    struct cw_inputs found = {0};
    struct walk w = {.arena = a, .found = &found, .filter = filter, .error = error};
    for (uint32_t i = 0; i < n && !*error; i++) {
        if (!*paths[i])
            *error = "an operand is empty; name a file or folder";
        else
            take_operand(&w, tidy_path(a, paths[i]));
    }
    sort_unique(&found);
    return found;
}
