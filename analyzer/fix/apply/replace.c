#include "fix/apply/replace.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static const char bom[] = "\xEF\xBB\xBF";
enum { BOM_BYTES = 3, ATTRIBUTE_BYTES = 65536 /* the most that Linux has for a value, and for a list of names */ };

static const char *system_error(struct cw_arena *a, const char *what) {
    return cw_arena_printf(a, "%s: %s", what, strerror(errno));
}

/* ---- the old file ---- */

/* Root may write to anything; a file that nobody has leave to write to was made so on purpose. */
static bool is_read_only(const char *path, const struct stat *st) {
    return !(st->st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

static const char *look_at(struct cw_arena *a, const char *path, struct stat *st) {
    if (stat(path, st))
        return system_error(a, "it cannot be looked at");
    if (!S_ISREG(st->st_mode))
        return "it is no regular file";
    if (is_read_only(path, st))
        return "it is read-only";
    return st->st_nlink > 1 ? "it has other names (hard links)" : NULL;
}

static bool is_unchanged(struct cw_arena *a, const char *path, const struct cw_source *was) {
    const char *error;
    struct cw_source *now = cw_source_load(a, path, &error);
    return now && now->has_bom == was->has_bom && now->size == was->size && !memcmp(now->text, was->text, was->size);
}

/* ---- the new one ---- */

static bool give_owner(int fd, const struct stat *st) {
    struct stat now;
    if (fstat(fd, &now))
        return false;
    return (now.st_uid == st->st_uid && now.st_gid == st->st_gid) || !fchown(fd, st->st_uid, st->st_gid);
}

static bool starts_with(const char *text, const char *prefix) {
    return !strncmp(text, prefix, strlen(prefix));
}

/* Attributes of users and access lists must be kept; a label of a security module where the system permits. Hashes
 * of the content, which integrity modules keep, are wrong for the new one. */
static bool copy_attribute(int from, int to, const char *name) {
    char value[ATTRIBUTE_BYTES];
    if (starts_with(name, "security.ima") || starts_with(name, "security.evm"))
        return true;
    ssize_t n = fgetxattr(from, name, value, sizeof value);
    if (n >= 0 && !fsetxattr(to, name, value, (size_t)n, 0))
        return true;
    return n < 0 ? errno == ENODATA : starts_with(name, "security.") || starts_with(name, "trusted.");
}

static bool copy_attributes(const char *path, int to) {
    char names[ATTRIBUTE_BYTES];
    int from = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (from < 0)
        return false;
    ssize_t n = flistxattr(from, names, sizeof names);
    bool good = n >= 0 || errno == ENOTSUP;
    for (const char *name = names; good && n > 0 && name < names + n; name += strlen(name) + 1)
        good = copy_attribute(from, to, name);
    int why = errno;
    close(from);
    errno = why;
    return good;
}

/* After owner and content, both of which clear the setuid and setgid bits; the setgid bit of a group that the user
 * is not in is lost all the same. */
static bool give_mode(int fd, const struct stat *st) {
    return fchmod(fd, st->st_mode & 07777) == 0;
}

static bool fill_file(int fd, const struct cw_source *was, const char *text, size_t size) {
    return (!was->has_bom || cw_write_all(fd, bom, BOM_BYTES)) && cw_write_all(fd, text, size);
}

/* So that the new name survives a crash of the machine; not every file system can. */
static void sync_folder(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash)
        return;
    slash[slash == folder] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static const char *swap_held(struct cw_arena *a, const char *path, const struct stat *st, const struct cw_source *was,
                             const char *text, size_t size) {
    char *beside = cw_arena_printf(a, "%s.cuwarp-XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return system_error(a, "no file can be made beside it");
    const char *error = NULL;
    if (!give_owner(fd, st))
        error = system_error(a, "its owner cannot be kept");
    else if (!fill_file(fd, was, text, size))
        error = system_error(a, "the new content cannot be written");
    else if (!copy_attributes(path, fd))
        error = system_error(a, "its extended attributes cannot be kept");
    else if (!give_mode(fd, st))
        error = system_error(a, "its permissions cannot be kept");
    else if (fsync(fd))
        error = system_error(a, "the new content cannot be written");
    if (close(fd) && !error)
        error = system_error(a, "the new content cannot be written");
    if (!error && !is_unchanged(a, path, was))
        error = "it changed meanwhile";
    if (!error && rename(beside, path))
        error = system_error(a, "the new content cannot take its place");
    if (error)
        unlink(beside);
    else
        sync_folder(path);
    return error;
}

static const char *swap_in(struct cw_arena *a, const char *path, const struct stat *st, const struct cw_source *was,
                           const char *text, size_t size) {
    sigset_t before;
    cw_hold_interrupts(&before);
    const char *error = swap_held(a, path, st, was, text, size);
    cw_release_interrupts(&before);
    return error;
}

const char *cw_file_replace(struct cw_arena *a, const struct cw_source *was, const char *text, size_t size) {
    char path[PATH_MAX];
    struct stat st;
    if (!realpath(was->path, path))
        return system_error(a, "it cannot be found");
    const char *error = look_at(a, path, &st);
    if (!error && !is_unchanged(a, path, was))
        error = "it changed meanwhile";
    return error ? error : swap_in(a, path, &st, was, text, size);
}
