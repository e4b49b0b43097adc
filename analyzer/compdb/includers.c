#include "compdb/includers.h"

#include "base/str.h"
#include "compdb/neighbours.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 4 };

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* `#include "kernel.cu"` beside another kernel.cu means that one. */
static bool means_another(struct cw_arena *a, const char *from, const char *name, const struct cw_words *meant) {
    char full[PATH_MAX];
    const char *path = cw_arena_printf(a, "%.*s%s", (int)(name_of(from) - from), from, name);
    if (!realpath(path, full))
        return false;
    for (uint32_t i = 0; i < meant->n; i++)
        if (!strcmp(meant->at[i], full))
            return false;
    return true;
}

/* `meant`: paths of files. */
static bool may_include(struct cw_includes *in, struct cw_arena *a, const char *from, const struct cw_words *meant) {
    const struct cw_directives *directives = cw_includes_read(in, from);
    for (uint32_t i = 0; i < directives->includes.n; i++) {
        const char *name = directives->includes.at[i].name;
        for (uint32_t k = 0; k < meant->n; k++)
            if (!strcmp(name_of(name), name_of(meant->at[k])) && !means_another(a, from, name, meant))
                return true;
    }
    return false;
}

void cw_includers_near(struct cw_includes *in, struct cw_arena *a, const char *root, const char *file, uint32_t most,
                       struct cw_words *out) {
    struct cw_words near = {0}, meant = {0};
    const char *directory = cw_arena_strndup(a, file, (size_t)(name_of(file) - file) - (name_of(file) > file + 1));
    bool is_changed = true;
    cw_neighbours_of(a, root, directory, &near);
    bool *is_taken = CW_NEW_ARRAY(a, bool, near.n + 1);
    cw_vec_push(a, &meant, file);
    for (int round = 0; round < MAX_ROUNDS && is_changed; round++) {
        is_changed = false;
        for (uint32_t i = 0; i < near.n && out->n < most; i++) {
            bool is_header = cw_str_names_header(near.at[i]);
            if (is_taken[i] || !strcmp(near.at[i], file) || !may_include(in, a, near.at[i], &meant))
                continue;
            is_taken[i] = is_changed = true;
            cw_vec_push(a, is_header ? &meant : out, near.at[i]);
        }
    }
}
