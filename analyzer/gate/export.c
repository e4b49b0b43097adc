#include "gate/export.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SOURCE_BYTES = 8 << 20 };

bool cw_export_is_source(const char *path) {
    static const char *const endings[] = {".cu",  ".cuh", ".c",   ".cc",   ".cpp", ".cxx", ".c++", ".h",
                                          ".hh",  ".hpp", ".hxx", ".h++",  ".inl", ".inc", ".ipp", ".tpp",
                                          ".txx", ".def", ".in",  ".impl", ".tcc", ".x",   ".py"};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (!strcmp(dot, endings[i]))
            return true;
    return !dot; /* headers as <vector> */
}

/* Names such as "..", ".git" and "a//b" are no file's. */
static bool is_plain(const char *path) {
    for (const char *part = path;; part++) {
        size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && !strncmp(part, "..", 2)) ||
            (n == 4 && !strncasecmp(part, ".git", 4)))
            return false;
        part += n;
        if (!*part)
            return true;
    }
}

static const char *write_error(struct cw_export *export, const char *path) {
    return cw_arena_printf(export->arena, "%s: cannot be written: %s", path, strerror(errno));
}

/* Opens the subfolder `name` of `at`, which is created if need be. Consumes `at` unless it is `top`. */
static int open_subfolder(int top, int at, const char *name) {
    int below = -1;
    if (!mkdirat(at, name, 0700) || errno == EEXIST)
        below = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int why = errno;
    if (at != top)
        close(at);
    errno = why;
    return below;
}

/* The folder that will hold `path`, open; `top` itself, or a new descriptor. -1 and errno. */
static int open_parent(struct cw_arena *a, int top, const char *path) {
    int at = top;
    char *rest = cw_arena_strdup(a, path);
    for (char *slash; at >= 0 && (slash = strchr(rest, '/')); rest = slash + 1) {
        *slash = '\0';
        at = open_subfolder(top, at, rest);
    }
    return at;
}

static void forget_parent(struct cw_export *export) {
    if (export->made && export->made_at != export->top)
        close(export->made_at);
    export->made = NULL;
}

/* The same, kept open for the next file of the folder. */
static int parent_of(struct cw_export *export, const char *path) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    if (export->made && strlen(export->made) == n && !strncmp(export->made, path, n))
        return export->made_at;
    forget_parent(export);
    int at = open_parent(export->arena, export->top, path);
    if (at >= 0) {
        export->made = cw_arena_strndup(export->arena, path, n);
        export->made_at = at;
    }
    return at;
}

static const char *name_in(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A link or a file where the path needs a folder, or a name too long: no file of a work tree can have this name. */
static bool is_impossible(int why) {
    return why == ELOOP || why == ENOTDIR || why == ENAMETOOLONG || why == EISDIR || why == ENXIO;
}

const char *cw_export_begin(struct cw_export *export) {
    export->made = NULL;
    export->top = open(export->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (export->top < 0)
        return write_error(export, export->folder);
    return mkdirat(export->top, ".git", 0700) && errno != EEXIST ? write_error(export, export->folder) : NULL;
}

const char *cw_export_file(struct cw_export *export, const char *path, cw_str text) {
    if (!is_plain(path) || text.n > MAX_SOURCE_BYTES || strlen(path) + strlen(export->folder) >= PATH_MAX)
        return NULL;
    int parent = parent_of(export, path);
    int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = parent < 0 ? -1 : openat(parent, name_in(path), flags, 0600);
    if (fd < 0)
        return is_impossible(errno) ? NULL : write_error(export, path);
    bool good = cw_write_all(fd, text.at, text.n);
    good &= close(fd) == 0;
    return good ? NULL : write_error(export, path);
}

void cw_export_link(struct cw_export *export, const char *path, const char *target) {
    if (is_plain(path) && strlen(path) + strlen(export->folder) < PATH_MAX)
        cw_vec_push(export->arena, &export->links, ((struct cw_export_link){path, target}));
}

void cw_export_end(struct cw_export *export) {
    for (uint32_t i = 0; export->top >= 0 && i < export->links.n; i++) {
        int parent = parent_of(export, export->links.at[i].path);
        int failed_link =
            parent < 0 || symlinkat(export->links.at[i].target, parent, name_in(export->links.at[i].path));
        (void)failed_link; /* a link that cannot be created is a file that is not found: no reason to stop */
    }
    forget_parent(export);
    if (export->top >= 0)
        close(export->top);
    export->top = -1;
}

void cw_export_folders(struct cw_arena *a, const char *folder, const char *below) {
    int top = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int at = top < 0 || !*below ? top : open_parent(a, top, cw_arena_printf(a, "%s/", below + 1));
    if (at >= 0 && at != top)
        close(at);
    if (top >= 0)
        close(top);
}
