/* requires: nothing. Nobody locks anything: files come whole by rename and go by unlink, and whoever has one open
 * keeps it. */
#include "engine/bounded.h"

#include "base/arena.h"
#include "base/io.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    USED_SECONDS = 600,     /* a file's time of use is noted that roughly */
    LEFTOVER_SECONDS = 3600 /* an unfinished file that old belongs to nobody any more */
};

/* ---- writing ---- */

static bool make_folders(const char *path) {
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= (int)sizeof at)
        return false;
    for (char *slash = strchr(at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(at, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

bool cw_bounded_takes(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || !make_folders(path))
        return false;
    *slash = '\0';
    return access(folder, W_OK | X_OK) == 0;
}

bool cw_bounded_write(const char *path, struct cw_bounded_text head, struct cw_bounded_text body) {
    char temporary[PATH_MAX + 16];
    sigset_t before;
    cw_hold_interrupts(&before);
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0 && errno == ENOENT && make_folders(path)) { /* mkostemp has taken the template */
        snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
        fd = mkostemp(temporary, O_CLOEXEC);
    }
    bool good = fd >= 0 && cw_write_all(fd, head.at, head.n) && cw_write_all(fd, body.at, body.n);
    good = (fd < 0 || close(fd) == 0) && good && rename(temporary, path) == 0;
    if (fd >= 0 && !good)
        unlink(temporary);
    cw_release_interrupts(&before);
    return good;
}

/* ---- the bound ---- */

void cw_bounded_note_use(int fd) {
    struct stat st;
    if (!fstat(fd, &st) && time(NULL) - st.st_mtim.tv_sec > USED_SECONDS)
        futimens(fd, NULL);
}

struct entry {
    const char *name;
    struct timespec used;
    uint64_t bytes;
};

struct entries {
    CW_VEC(struct entry) list;
    uint64_t bytes;
};

static int oldest_first(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* What the file takes on the disk, small ones as a block. */
static uint64_t bytes_of(const struct stat *st) {
    uint64_t blocks = (uint64_t)st->st_blocks * 512, size = (uint64_t)st->st_size;
    return blocks > size ? blocks : size;
}

static void read_entries(struct cw_arena *a, DIR *d, struct entries *out) {
    struct stat st;
    time_t now = time(NULL);
    for (const struct dirent *e; (e = readdir(d));) {
        bool is_entry = strlen(e->d_name) == CW_BOUNDED_NAME;
        if (e->d_name[0] == '.' || fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            continue;
        if (!is_entry && now - st.st_mtim.tv_sec > LEFTOVER_SECONDS)
            unlinkat(dirfd(d), e->d_name, 0);
        if (!is_entry)
            continue;
        struct entry found = {cw_arena_strdup(a, e->d_name), st.st_mtim, bytes_of(&st)};
        cw_vec_push(a, &out->list, found);
        out->bytes += found.bytes;
    }
}

/* Down to three quarters, so that this is not needed again at once. */
void cw_bounded_trim(const char *folder, uint64_t most) {
    struct cw_arena scratch;
    struct entries all = {0};
    cw_arena_init(&scratch);
    DIR *d = opendir(folder);
    if (d)
        read_entries(&scratch, d, &all);
    if (all.bytes > most) {
        qsort(all.list.at, all.list.n, sizeof *all.list.at, oldest_first);
        for (uint32_t i = 0; i < all.list.n && all.bytes > most - most / 4; i++)
            if (!unlinkat(dirfd(d), all.list.at[i].name, 0))
                all.bytes -= all.list.at[i].bytes;
    }
    if (d)
        closedir(d);
    cw_arena_free(&scratch);
}
