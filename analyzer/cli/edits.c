/* Which files --fix, --diff and --add-ignore may change: what the user named, each file once, whatever it is called. */
#include "cli/edits.h"

#include "fix/apply/replace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_below(const char *real, const char *folder) {
    size_t n = strlen(folder);
    return !strncmp(real, folder, n) && (real[n] == '/' || !real[n] || !strcmp(folder, "/"));
}

bool cw_cli_is_link(const char *path) {
    struct stat st;
    return !lstat(path, &st) && S_ISLNK(st.st_mode);
}

/* A link that the search in a folder came upon, to a file that is neither an operand nor below one. */
static bool is_outside(const struct cw_run_options *options, const char *path, const char *real) {
    char operand[PATH_MAX];
    bool outside = cw_cli_is_link(path);
    for (uint32_t i = 0; i < options->npaths && outside; i++)
        outside = !realpath(options->paths[i], operand) || !is_below(real, operand);
    return outside;
}

const char *cw_cli_edit(struct cw_cli_edits *cli_edits, const struct cw_source *was, const char *text, size_t size,
                        bool *again) {
    char real[PATH_MAX];
    *again = false;
    if (was->is_converted)
        return "it is UTF-16 or holds NUL bytes, which would not be kept";
    if (!realpath(was->path, real))
        return "it cannot be found";
    if (is_outside(cli_edits->options, was->path, real))
        return cw_arena_printf(cli_edits->arena, "it is a link to %s, which was not named", real);
    for (uint32_t i = 0; i < cli_edits->done.n; i++) {
        const struct cw_cli_edited *d = &cli_edits->done.at[i];
        if (strcmp(d->real, real) != 0)
            continue;
        *again = d->text.n == size && !memcmp(d->text.at, text, size);
        if (*again)
            return NULL;
        return cw_arena_printf(cli_edits->arena, "it is another name of %s, which got other changes; run again",
                               d->path);
    }
    const char *error = cli_edits->only_show ? NULL : cw_file_replace(cli_edits->arena, was, text, size);
    if (!error)
        cw_vec_push(cli_edits->arena, &cli_edits->done,
                    ((struct cw_cli_edited){cw_arena_strdup(cli_edits->arena, real), was->path,
                                            {cw_arena_strndup(cli_edits->arena, size ? text : "", size), size}}));
    return error;
}
