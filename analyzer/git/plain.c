#include "git/plain.h"

#include "base/io.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MAX_CONFIG_BYTES = 1 << 20, MAX_INCLUDES = 8 };

struct answer {
    char *bad;
    size_t size;
};

/* Folders and /dev/null do not block either. */
static bool is_plain(const char *path, struct answer out) {
    struct stat st;
    if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
        (S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3)))
        return true;
    snprintf(out.bad, out.size, "%s", path);
    return false;
}

bool cw_git_is_plain_file(const char *folder, const char *name, char *bad, size_t size) {
    char path[PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n < 0 || (size_t)n >= sizeof path || is_plain(path, (struct answer){bad, size});
}

static bool read_text(const char *path, struct cw_buf *out) {
    int fd = cw_open_regular(path, 0);
    bool good = fd >= 0 && cw_read_all(fd, out, MAX_CONFIG_BYTES);
    if (fd >= 0)
        close(fd);
    return good && out->n;
}

/* ---- the configuration ---- */

static bool is_config_plain(const char *path, int depth, struct answer out);

static bool names_file(cw_str key) {
    static const char *const keys[] = {"path", "excludesfile", "attributesfile"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (key.n == strlen(keys[i]) && !strncasecmp(key.at, keys[i], key.n))
            return true;
    return false;
}

static cw_str trim_blanks(cw_str text) {
    static const char *const blank = " \t\r\"";
    while (text.n && strchr(blank, text.at[0]))
        text = (cw_str){text.at + 1, text.n - 1};
    while (text.n && strchr(blank, text.at[text.n - 1]))
        text.n--;
    return text;
}

/* A file that a configuration names: below the home folder, absolute, or beside the configuration. */
static bool is_named_plain(const char *config, cw_str value, int depth, struct answer out) {
    char path[PATH_MAX];
    const char *home = getenv("HOME"), *slash = strrchr(config, '/');
    int folder = slash ? (int)(slash - config) : 0, n;
    if (value.n > 1 && value.at[0] == '~' && value.at[1] == '/' && home)
        n = snprintf(path, sizeof path, "%s%.*s", home, (int)value.n - 1, value.at + 1);
    else if (value.n && value.at[0] == '/')
        n = snprintf(path, sizeof path, "%.*s", (int)value.n, value.at);
    else
        n = snprintf(path, sizeof path, "%.*s/%.*s", folder, config, (int)value.n, value.at);
    return n < 0 || (size_t)n >= sizeof path || is_config_plain(path, depth + 1, out);
}

static bool is_line_plain(const char *config, cw_str line, int depth, struct answer out) {
    const char *equals = memchr(line.at, '=', line.n), *close = memchr(line.at, ']', line.n);
    if (!equals)
        return true;
    const char *from = close && close < equals ? close + 1 : line.at; /* "[include] path = x" on one line */
    cw_str key = trim_blanks((cw_str){from, (size_t)(equals - from)});
    cw_str value = trim_blanks((cw_str){equals + 1, line.n - (size_t)(equals + 1 - line.at)});
    return !value.n || !names_file(key) || is_named_plain(config, value, depth, out);
}

static bool is_config_plain(const char *path, int depth, struct answer out) {
    struct cw_buf text = {0};
    bool plain = is_plain(path, out) && depth < MAX_INCLUDES;
    bool has_text = plain && read_text(path, &text);
    for (size_t i = 0, end; plain && has_text && i < text.n; i = end + 1) {
        const char *newline = memchr(text.at + i, '\n', text.n - i);
        end = newline ? (size_t)(newline - text.at) : text.n;
        plain = is_line_plain(path, (cw_str){text.at + i, end - i}, depth, out);
    }
    cw_buf_free(&text);
    return plain;
}

/* ---- the repository ---- */

/* What "PREFIX: PATH" or a file of one line names, seen from the folder; false: there is none. */
static bool follow_link(const char *folder, const char *file, const char *prefix, char to[PATH_MAX]) {
    char path[PATH_MAX];
    struct cw_buf text = {0};
    int n = snprintf(path, sizeof path, "%s/%s", folder, file);
    bool good = n > 0 && (size_t)n < sizeof path && read_text(path, &text) && text.n > strlen(prefix) &&
                !strncmp(text.at, prefix, strlen(prefix));
    if (good) {
        size_t from = strlen(prefix), end = from;
        while (end < text.n && text.at[end] != '\n')
            end++;
        bool absolute = text.at[from] == '/';
        n = snprintf(to, PATH_MAX, "%s%s%.*s", absolute ? "" : folder, absolute ? "" : "/", (int)(end - from),
                     text.at + from);
        good = n > 0 && n < PATH_MAX;
    }
    cw_buf_free(&text);
    return good;
}

static bool is_folder_plain(const char *git, struct answer out) {
    static const char *const names[] = {"HEAD",           "index",           "packed-refs",
                                        "commondir",      "gitdir",          "shallow",
                                        "info/exclude",   "info/attributes", "objects/info/alternates",
                                        "config.worktree"};
    char config[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!cw_git_is_plain_file(git, names[i], out.bad, out.size))
            return false;
    int n = snprintf(config, sizeof config, "%s/config", git);
    return n > 0 && (size_t)n < sizeof config && is_config_plain(config, 0, out);
}

static bool is_repository_plain(const char *dot_git, const char *work_tree, struct answer out) {
    char pointed[PATH_MAX], common[PATH_MAX];
    const char *git = dot_git;
    struct stat st;
    if (stat(dot_git, &st))
        return true;
    if (!is_plain(dot_git, out))
        return false;
    if (!S_ISDIR(st.st_mode) && !follow_link(work_tree, ".git", "gitdir: ", pointed))
        return true;
    if (!S_ISDIR(st.st_mode))
        git = pointed;
    return is_folder_plain(git, out) && (!follow_link(git, "commondir", "", common) || is_folder_plain(common, out));
}

bool cw_git_is_plain(const char *directory, char *bad, size_t size) {
    char at[PATH_MAX], dot_git[PATH_MAX + 8];
    struct stat st;
    if (!realpath(directory, at))
        return true;
    for (char *slash = at + strlen(at); slash; slash = strrchr(at, '/')) {
        *slash = '\0';
        snprintf(dot_git, sizeof dot_git, "%s/.git", at);
        if (!stat(dot_git, &st))
            return is_repository_plain(dot_git, at, (struct answer){bad, size});
    }
    return true;
}
