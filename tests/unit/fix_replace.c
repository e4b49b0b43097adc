/* Files replaced: content, permissions, links; and every reason not to. */
#include "check.h"

#include "fix/apply/replace.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cw_arena arena;
static char folder[64];

static const char *path_of(const char *name) {
    return cw_arena_printf(&arena, "%s/%s", folder, name);
}

static const char *put(const char *name, const char *text, mode_t mode) {
    const char *path = path_of(name);
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    CHECK(chmod(path, mode) == 0);
    return path;
}

static const char *get(const char *path) {
    char text[256] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    return cw_arena_strndup(&arena, text, n);
}

static struct cw_source *load(const char *path) {
    const char *error = NULL;
    return cw_source_load(&arena, path, &error);
}

static const char *replace(struct cw_source *was, const char *text) {
    return cw_file_replace(&arena, was, text, strlen(text));
}

static uint32_t entries(void) {
    DIR *d = opendir(folder);
    uint32_t n = 0;
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void test_content(void) {
    const char *plain = put("plain.cu", "old\n", 0640), *marked = put("bom.cu", "\xEF\xBB\xBFold\xE9\r\n", 0755);
    struct stat st;
    CHECK(replace(load(plain), "new") == NULL);
    CHECK_STR(get(plain), "new");
    CHECK(stat(plain, &st) == 0 && (st.st_mode & 07777) == 0640);
    CHECK(replace(load(marked), "x\xE9\r\n") == NULL);
    CHECK_STR(get(marked), "\xEF\xBB\xBFx\xE9\r\n");
    CHECK(stat(marked, &st) == 0 && (st.st_mode & 07777) == 0755);
}

static void test_links(void) {
    const char *target = put("target.cu", "old\n", 0644), *way = path_of("way.cu"), *other = path_of("other.cu");
    struct stat st;
    CHECK(symlink("target.cu", way) == 0);
    CHECK(replace(load(way), "new\n") == NULL);
    CHECK(lstat(way, &st) == 0 && S_ISLNK(st.st_mode));
    CHECK_STR(get(target), "new\n");
    CHECK(link(target, other) == 0);
    CHECK_STR(replace(load(target), "newer\n"), "it has other names (hard links)");
    CHECK_STR(get(other), "new\n");
}

static void test_refusals(void) {
    const char *changed = put("changed.cu", "old\n", 0644), *locked = put("locked.cu", "old\n", 0444);
    struct cw_source *was = load(changed), *gone = load(put("gone.cu", "old\n", 0644)), *fixed = load(locked);
    put("changed.cu", "Old\n", 0644);
    CHECK_STR(replace(was, "new\n"), "it changed meanwhile");
    CHECK_STR(get(changed), "Old\n");
    put("changed.cu", "\xEF\xBB\xBFold\n", 0644);
    CHECK_STR(replace(was, "new\n"), "it changed meanwhile");
    CHECK_STR(replace(fixed, "new\n"), "it is read-only");
    CHECK_STR(get(locked), "old\n");
    CHECK(unlink(gone->path) == 0);
    CHECK(replace(gone, "new\n") != NULL);
}

int main(void) {
    cw_arena_init(&arena);
    snprintf(folder, sizeof folder, "/tmp/cuwarp-replace-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    test_content();
    test_links();
    test_refusals();
    CHECK_INT(entries(), 7); /* nothing was left beside them */
    const char *clean = cw_arena_printf(&arena, "rm -rf %s", folder);
    CHECK(system(clean) == 0);
    cw_arena_free(&arena);
    return check_report();
}
