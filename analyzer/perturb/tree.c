#include "perturb/tree.h"

#include "base/io.h"
#include "base/log.h"
#include "engine/ignore.h"
#include "perturb/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEPTH = 64, MAX_FILES = 1 << 20 };

static const char *join_path(struct cw_arena *a, const char *folder, const char *name) {
    return cw_arena_printf(a, "%s%s%s", folder, strcmp(folder, "/") ? "/" : "", name);
}

/* ---- the folders ---- */

/* Cuts `root` down to what it has in common with `path`. */
static void common_folder(char *root, const char *path) {
    size_t n = 0, last = 0;
    while (root[n] && root[n] == path[n]) {
        if (root[n] == '/')
            last = n;
        n++;
    }
    if ((root[n] == '\0' && (path[n] == '/' || path[n] == '\0')) || (path[n] == '\0' && root[n] == '/'))
        last = n;
    root[last ? last : 1] = '\0';
}

const char *cw_tree_root(struct cw_arena *a, const char *const *paths, uint32_t n, const char **error) {
    char root[PATH_MAX] = "", full[PATH_MAX];
    for (uint32_t i = 0; i < n; i++) {
        struct stat st;
        if (!realpath(paths[i], full) || stat(full, &st)) {
            *error = cw_arena_printf(a, "%s: %s", paths[i], cw_open_error(errno));
            return NULL;
        }
        if (!S_ISDIR(st.st_mode))
            *strrchr(full, '/') = '\0';
        if (i)
            common_folder(root, full);
        else
            memcpy(root, full, sizeof root);
    }
    return cw_arena_strdup(a, *root ? root : "/");
}

static bool is_empty(const char *folder) {
    DIR *d = opendir(folder);
    bool empty = d != NULL;
    for (struct dirent *e; empty && (e = readdir(d));)
        empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
    if (d)
        closedir(d);
    return empty;
}

/* mkdir -p; 0 or -1 with errno. */
static int make_folders(struct cw_arena *a, const char *path) {
    char *at = cw_arena_strdup(a, path);
    for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(at, 0777) && errno != EEXIST)
            return -1;
        *slash = '/';
    }
    return mkdir(at, 0777) && errno != EEXIST ? -1 : 0;
}

const char *cw_tree_make_out(struct cw_arena *a, const char *out, const char *root, const char **error) {
    char full[PATH_MAX];
    struct stat st;
    bool is_new = stat(out, &st) != 0;
    if (!is_new && !S_ISDIR(st.st_mode)) {
        *error = cw_arena_printf(a, "--out: %s is not a folder", out);
        return NULL;
    }
    if (!is_new && !is_empty(out) && access(join_path(a, out, CW_SKEW_MANIFEST), F_OK)) {
        *error = cw_arena_printf(a, "--out: %s is not empty, and not by an earlier 'perturb'", out);
        return NULL;
    }
    if ((is_new && make_folders(a, out)) || !realpath(out, full)) {
        *error = cw_arena_printf(a, "--out: %s cannot be made: %s", out, strerror(errno));
        return NULL;
    }
    size_t n = strlen(full);
    if (!strncmp(root, full, n) && (root[n] == '/' || root[n] == '\0')) {
        *error = cw_arena_printf(a, "--out: the sources lie in %s", out);
        return NULL;
    }
    return cw_arena_strdup(a, full);
}

/* ---- what is copied ---- */

static void add_file(struct cw_tree *tree, const char *relative) {
    if (tree->files.n < MAX_FILES && strcmp(relative, CW_SKEW_HEADER) != 0 && strcmp(relative, CW_SKEW_MANIFEST) != 0)
        cw_vec_push(tree->arena, &tree->files, relative);
}

struct walk {
    struct cw_tree *tree;
    const struct cw_plan *plan;
    struct cw_ignore *ignore;
};

static void walk_folder(const struct walk *w, const char *folder, int depth);

static void walk_entry(const struct walk *walk, const char *path, int depth) {
    struct stat st;
    if (!strcmp(path, walk->plan->out) || lstat(path, &st))
        return;
    if (walk->ignore && !S_ISLNK(st.st_mode) && cw_is_ignored(walk->ignore, path, S_ISDIR(st.st_mode)))
        return;
    if (S_ISDIR(st.st_mode))
        walk_folder(walk, path, depth + 1);
    else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
        add_file(walk->tree, path + strlen(walk->plan->root) + (walk->plan->root[1] != '\0'));
}

static void walk_folder(const struct walk *walk, const char *folder, int depth) {
    struct dirent **names;
    int n = depth < MAX_DEPTH ? scandir(folder, &names, NULL, alphasort) : -1;
    if (n < 0)
        cw_note("%s: cannot be read, its files are not copied", folder);
    for (int i = 0; i < n; i++) {
        const char *name = names[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, ".git") != 0)
            walk_entry(walk, join_path(walk->tree->arena, folder, name), depth);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

void cw_tree_add_folder(struct cw_tree *tree, struct cw_plan *plan, const char *folder) {
    char full[PATH_MAX];
    if (!realpath(folder, full))
        return;
    struct cw_ignore *ignore = cw_ignore_open(full);
    struct walk w = {tree, plan, ignore};
    walk_folder(&w, full, 0);
    cw_ignore_close(ignore);
}

void cw_tree_add_file(struct cw_tree *tree, struct cw_plan *plan, const char *path) {
    const char *real = NULL, *relative = cw_plan_relative(plan, path, &real);
    if (relative)
        add_file(tree, relative);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_unique(struct cw_tree *tree) {
    uint32_t kept = 0;
    if (tree->files.n)
        qsort(tree->files.at, tree->files.n, sizeof *tree->files.at, by_text);
    for (uint32_t i = 0; i < tree->files.n; i++)
        if (!kept || strcmp(tree->files.at[kept - 1], tree->files.at[i]) != 0)
            tree->files.at[kept++] = tree->files.at[i];
    tree->files.n = kept;
}

/* ---- writing ---- */

static const char *write_error(struct cw_arena *a, const char *path, const char *what) {
    return cw_arena_printf(a, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* Appends a file's bytes; false with errno. */
static bool read_file(const char *path, struct cw_buf *out) {
    int fd = cw_open_regular(path, 0);
    bool good = fd >= 0 && cw_read_all(fd, out, UINT64_MAX);
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
    return good;
}

static bool holds_content(const char *path, cw_str content) {
    struct cw_buf now = {0};
    struct stat st;
    bool same = !lstat(path, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size == content.n && read_file(path, &now) &&
                cw_str_eq((cw_str){now.at, now.n}, content);
    cw_buf_free(&now);
    return same;
}

/* The old name goes first: it may be a link, or read-only. */
static const char *write_file(struct cw_arena *a, const char *path, cw_str content, mode_t mode) {
    if (holds_content(path, content))
        return chmod(path, mode) ? write_error(a, path, "changed") : NULL;
    char *folder = cw_arena_strdup(a, path);
    *strrchr(folder, '/') = '\0';
    unlink(path);
    int fd = make_folders(a, folder) ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return write_error(a, path, "made");
    bool good = cw_write_all(fd, content.at, content.n);
    fchmod(fd, mode);
    good &= close(fd) == 0;
    return good ? NULL : write_error(a, path, "written");
}

/* A link that stays inside of the root is copied as it is; another one leads to the same file as before. */
static const char *copy_link(struct cw_plan *plan, const char *from, const char *to) {
    char target[PATH_MAX], full[PATH_MAX], now[PATH_MAX];
    ssize_t n = readlink(from, target, sizeof target - 1), had = readlink(to, now, sizeof now - 1);
    if (n < 0)
        return write_error(plan->arena, from, "read");
    target[n] = '\0';
    const char *wanted = target, *real = NULL;
    if (realpath(from, full) && !cw_plan_relative(plan, full, &real))
        wanted = full;
    if (had >= 0 && (size_t)had == strlen(wanted) && !memcmp(now, wanted, (size_t)had))
        return NULL;
    char *folder = cw_arena_strdup(plan->arena, to);
    *strrchr(folder, '/') = '\0';
    unlink(to);
    return make_folders(plan->arena, folder) || symlink(wanted, to) ? write_error(plan->arena, to, "made") : NULL;
}

static const char *copy_one(struct cw_tree *tree, struct cw_plan *plan, const char *relative) {
    const char *from = join_path(plan->arena, plan->root, relative), *to = join_path(plan->arena, plan->out, relative);
    const struct cw_skewed_file *f = cw_plan_find(plan, from);
    struct cw_buf content = {0};
    struct stat st;
    if (lstat(from, &st))
        return write_error(plan->arena, from, "read");
    if (S_ISLNK(st.st_mode))
        return copy_link(plan, from, to);
    bool changes = f && f->prologue, good = true;
    if (changes)
        cw_skewed_text(f, plan->arena, &content);
    else
        good = read_file(from, &content);
    tree->changed += changes;
    const char *error = good ? write_file(plan->arena, to, (cw_str){content.at ? content.at : "", content.n},
                                          (st.st_mode & 0777) | S_IWUSR)
                             : write_error(plan->arena, from, "read");
    cw_buf_free(&content);
    return error;
}

static void remove_stale(const struct cw_tree *tree, struct cw_plan *plan) {
    struct cw_manifest_files old = cw_manifest_files(plan->arena, join_path(plan->arena, plan->out, CW_SKEW_MANIFEST));
    for (uint32_t i = 0; i < old.n; i++)
        if (!tree->files.n || !bsearch(&old.at[i], tree->files.at, tree->files.n, sizeof *tree->files.at, by_text))
            unlink(join_path(plan->arena, plan->out, old.at[i]));
}

const char *cw_tree_write(struct cw_tree *tree, struct cw_plan *plan) {
    const char *error = NULL;
    struct cw_buf manifest = {0};
    sort_unique(tree);
    remove_stale(tree, plan);
    for (uint32_t i = 0; i < tree->files.n && !error; i++)
        error = copy_one(tree, plan, tree->files.at[i]);
    if (!error)
        error = write_file(plan->arena, join_path(plan->arena, plan->out, CW_SKEW_HEADER), cw_skew_header(), 0644);
    cw_manifest_print(plan, tree, &manifest);
    if (!error)
        error = write_file(plan->arena, join_path(plan->arena, plan->out, CW_SKEW_MANIFEST),
                           (cw_str){manifest.at, manifest.n}, 0644);
    cw_buf_free(&manifest);
    return error;
}
