#include "gate/repository.h"

#include "base/str.h"
#include "gate/export.h"
#include "git/git.h"
#include "git/plain.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TREE_DEPTH = 128 };

struct cw_repository {
    const struct cw_git *git;
    struct cw_arena *arena;
    git_repository *repository;
    const char *folder;
    git_object *base; /* a tree; NULL: nothing */
};

static const char *last_error(const struct cw_repository *repository) {
    const git_error *e = repository->git->error_last();
    return e && e->message ? cw_arena_strdup(repository->arena, e->message) : "no reason is known";
}

/* ---- opening ---- */

/* The work tree, or the bare repository, that git finds from the working directory without opening it; NULL: none. */
static const char *find_repository(struct cw_repository *repository) {
    git_buf found = {0};
    if (repository->git->repository_discover(&found, ".", 0, NULL))
        return NULL;
    char *path = cw_arena_strndup(repository->arena, found.ptr, found.size);
    repository->git->buf_dispose(&found);
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
    if (n > 5 && !strcmp(path + n - 5, "/.git"))
        path[n - 5] = '\0';
    return path;
}

/* Why the repository cannot be opened. Versions of libgit2 disagree on the code for a foreign owner, so the owner
 * is compared here as well. */
static const char *explain_refusal(struct cw_repository *repository, int status) {
    const char *path = find_repository(repository);
    struct stat st;
    if (path && (status == GIT_EOWNER || (status == GIT_ENOTFOUND && !stat(path, &st) && st.st_uid != geteuid())))
        return cw_arena_printf(repository->arena,
                               "detected dubious ownership in repository at '%s': another user owns it; "
                               "to trust it, call: git config --global --add safe.directory %s",
                               path, path);
    return status == GIT_ENOTFOUND ? "the working directory lies in no git repository" : last_error(repository);
}

struct cw_repository *cw_repository_open(struct cw_arena *a, const char **error) {
    struct cw_repository *r = CW_NEW(a, struct cw_repository);
    char full[PATH_MAX];
    r->arena = a;
    r->git = cw_git_load();
    if (!r->git) {
        *error = "libgit2 cannot be loaded";
        return NULL;
    }
    if (!cw_git_is_plain(".", full, sizeof full)) {
        *error = cw_arena_printf(a, "%s is not a regular file", full);
        return NULL;
    }
    int status = r->git->repository_open_ext(&r->repository, ".", 0, NULL);
    if (status) {
        *error = explain_refusal(r, status);
        return NULL;
    }
    const char *folder = r->git->repository_workdir(r->repository);
    if (!folder || !realpath(folder, full)) {
        *error = "the repository has no working tree";
        cw_repository_close(r);
        return NULL;
    }
    r->folder = cw_arena_strdup(a, full);
    return r;
}

void cw_repository_close(struct cw_repository *repository) {
    if (!repository)
        return;
    repository->git->object_free(repository->base);
    repository->git->repository_free(repository->repository);
}

const char *cw_repository_folder(const struct cw_repository *repository) {
    return repository->folder;
}

/* ---- the base ---- */

static git_object *commit_of(struct cw_repository *repository, const char *name) {
    git_object *found = NULL, *commit = NULL;
    if (repository->git->revparse_single(&found, repository->repository, name))
        return NULL;
    if (repository->git->object_peel(&commit, found, GIT_OBJECT_COMMIT))
        commit = NULL;
    repository->git->object_free(found);
    return commit;
}

/* Actions and jobs check out one commit unless they are told otherwise. */
static const char *cut_off(struct cw_repository *repository, const char *text) {
    if (repository->git->repository_is_shallow(repository->repository) != 1)
        return text;
    return cw_arena_printf(repository->arena, "%s; this is a shallow clone: fetch the history (git fetch --unshallow; "
                                     "fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 for GitLab)", text);
}

static const char *set_tree(struct cw_repository *repository, git_object *commit) {
    return repository->git->object_peel(&repository->base, commit, GIT_OBJECT_TREE) ? last_error(repository) : NULL;
}

static const char *set_merge_base(struct cw_repository *repository, const char *ref, git_object *head,
                                  git_object *other) {
    git_oid oid;
    git_object *commit = NULL;
    if (repository->git->merge_base(&oid, repository->repository, repository->git->object_id(head),
                                    repository->git->object_id(other)))
        return cut_off(repository, cw_arena_printf(repository->arena, "'%s' and HEAD have no common commit", ref));
    if (repository->git->object_lookup(&commit, repository->repository, &oid, GIT_OBJECT_COMMIT))
        return cut_off(repository, last_error(repository));
    const char *error = set_tree(repository, commit);
    repository->git->object_free(commit);
    return error;
}

const char *cw_repository_set_base(struct cw_repository *repository, const char *ref) {
    const char *error = NULL;
    git_object *head = commit_of(repository, "HEAD"), *other = ref ? commit_of(repository, ref) : NULL;
    if (ref && !other)
        error = cut_off(repository, cw_arena_printf(repository->arena,
                                                    "'%s' is not a commit or branch of this repository", ref));
    else if (ref && !head)
        error = set_tree(repository, other);
    else if (ref)
        error = set_merge_base(repository, ref, head, other);
    else if (head)
        error = set_tree(repository, head);
    repository->git->object_free(head);
    repository->git->object_free(other);
    return error;
}

/* ---- changes ---- */

static const char *path_of(struct cw_repository *repository, const git_diff_file *file) {
    return file->path ? cw_arena_strdup(repository->arena, file->path) : NULL;
}

static void add_delta(struct cw_repository *repository, const git_diff_delta *delta, struct cw_changes *out) {
    struct cw_change c = {path_of(repository, &delta->old_file), path_of(repository, &delta->new_file)};
    if (delta->status == GIT_DELTA_UNMODIFIED || delta->status == GIT_DELTA_IGNORED)
        return;
    if (delta->status == GIT_DELTA_ADDED || delta->status == GIT_DELTA_UNTRACKED || delta->status == GIT_DELTA_COPIED)
        c.before = NULL;
    if (delta->status == GIT_DELTA_DELETED)
        c.now = NULL;
    cw_vec_push(repository->arena, out, c);
}

static int find_renames(struct cw_repository *repository, git_diff *diff) {
    git_diff_find_options o;
    if (repository->git->diff_find_options_init(&o, GIT_DIFF_FIND_OPTIONS_VERSION))
        return -1;
    o.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_FOR_UNTRACKED;
    return repository->git->diff_find_similar(diff, &o);
}

/* What the next commit is made of. While `git commit -a` or `git commit FILE` runs its hooks that is an index of its
 * own, which $GIT_INDEX_FILE names, from the top of the work tree. NULL: there is none. */
static git_index *open_index(struct cw_repository *repository) {
    const char *given = getenv("GIT_INDEX_FILE"), *top = repository->git->repository_workdir(repository->repository);
    git_index *index = NULL;
    if (given && *given && *given != '/' && top)
        given = cw_arena_printf(repository->arena, "%s/%s", top, given);
    if (given && *given == '/' && !access(given, R_OK) && !repository->git->index_open(&index, given))
        return index;
    return repository->git->repository_index(&index, repository->repository) || repository->git->index_read(index, 0)
               ? NULL
               : index;
}

static int diff_staged(struct cw_repository *repository, const git_diff_options *options, git_diff **diff) {
    git_index *index = open_index(repository);
    int failed = index ? repository->git->diff_tree_to_index(diff, repository->repository, (git_tree *)repository->base,
                                                             index, options)
                       : -1;
    if (index)
        repository->git->index_free(index);
    return failed;
}

const char *cw_repository_changes(struct cw_repository *repository, bool staged, struct cw_changes *out) {
    git_diff *diff = NULL;
    git_diff_options o;
    repository->git->diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION);
    o.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS | GIT_DIFF_INCLUDE_TYPECHANGE;
    int failed = staged ? diff_staged(repository, &o, &diff)
                        : repository->git->diff_tree_to_workdir_with_index(&diff, repository->repository,
                                                                           (git_tree *)repository->base, &o);
    if (!failed)
        failed = find_renames(repository, diff);
    const char *error = failed ? last_error(repository) : NULL;
    for (size_t i = 0; !failed && i < repository->git->diff_num_deltas(diff); i++)
        add_delta(repository, repository->git->diff_get_delta(diff, i), out);
    if (diff)
        repository->git->diff_free(diff);
    return error;
}

bool cw_repository_is_dirty(struct cw_repository *repository) {
    git_diff *diff = NULL;
    git_diff_options o;
    bool dirty = false;
    repository->git->diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION);
    if (repository->git->diff_index_to_workdir(&diff, repository->repository, NULL, &o))
        return true;
    for (size_t i = 0; i < repository->git->diff_num_deltas(diff) && !dirty; i++) {
        const char *path = repository->git->diff_get_delta(diff, i)->old_file.path;
        dirty = !path || cw_export_is_source(path);
    }
    repository->git->diff_free(diff);
    return dirty;
}

/* ---- export ---- */

/* Does a relative link's target climb out of the work tree? Judged by the text alone. */
static bool leaves_tree(const char *path, const char *target) {
    int depth = 0;
    for (const char *c = path; *c; c++)
        depth += *c == '/';
    for (const char *part = target; *part; part += strspn(part, "/")) {
        size_t n = strcspn(part, "/");
        if (n == 2 && !strncmp(part, "..", 2))
            depth--;
        else if (n > 1 || *part != '.')
            depth++;
        if (depth < 0)
            return true;
        part += n;
    }
    return false;
}

/* The part of `full` below the work tree ("/a/b"), or NULL. */
static const char *below_tree(const struct cw_repository *repository, const char *full) {
    size_t n = strlen(repository->folder);
    return !strncmp(full, repository->folder, n) && (full[n] == '/' || !full[n]) ? full + n : NULL;
}

/* The target that a link of the version gets in the exported folder. A link out of the work tree leads where it
 * leads from the work tree; a link into the work tree by its absolute path leads to the exported file. */
static const char *link_target(struct cw_repository *repository, const struct cw_export *export, const char *path,
                               const char *target) {
    char real[PATH_MAX];
    const char *slash = strrchr(path, '/'), *full = target, *inside;
    if (target[0] != '/') {
        if (!leaves_tree(path, target))
            return target;
        full = cw_arena_printf(repository->arena, "%s/%.*s%s", repository->folder, (int)(slash ? slash + 1 - path : 0),
                               path, target);
        inside = realpath(full, real) ? below_tree(repository, real) : NULL;
    } else {
        inside = below_tree(repository, realpath(full, real) ? real : full);
    }
    return inside ? cw_arena_printf(repository->arena, "%s%s", export->folder, inside) : full;
}

static const char *export_blob(struct cw_repository *repository, struct cw_export *export, const char *path,
                               const git_oid *oid, unsigned mode) {
    git_blob *blob = NULL;
    const char *error = NULL;
    if (mode == GIT_FILEMODE_COMMIT) {
        cw_export_link(export, path, cw_arena_printf(repository->arena, "%s/%s", repository->folder, path));
        return NULL;
    }
    if (!cw_export_is_source(path) && mode != GIT_FILEMODE_LINK)
        return NULL;
    if (repository->git->blob_lookup(&blob, repository->repository, oid))
        return cut_off(repository, last_error(repository));
    cw_str text = {repository->git->blob_rawcontent(blob), (size_t)repository->git->blob_rawsize(blob)};
    if (mode == GIT_FILEMODE_LINK)
        cw_export_link(export, path,
                       link_target(repository, export, path, cw_arena_strndup(repository->arena, text.at, text.n)));
    else
        error = cw_export_file(export, path, text);
    repository->git->blob_free(blob);
    return error;
}

static const char *export_tree(struct cw_repository *repository, struct cw_export *export, const git_tree *tree,
                               const char *prefix, int depth) {
    const char *error = NULL;
    for (size_t i = 0; i < repository->git->tree_entrycount(tree) && !error && depth < MAX_TREE_DEPTH; i++) {
        const git_tree_entry *entry = repository->git->tree_entry_byindex(tree, i);
        const char *path = cw_arena_printf(repository->arena, "%s%s", prefix, repository->git->tree_entry_name(entry));
        git_tree *below = NULL;
        if (repository->git->tree_entry_filemode(entry) != GIT_FILEMODE_TREE) {
            error = export_blob(repository, export, path, repository->git->tree_entry_id(entry),
                                repository->git->tree_entry_filemode(entry));
        } else if (repository->git->tree_lookup(&below, repository->repository,
                                                repository->git->tree_entry_id(entry))) {
            error = cut_off(repository, last_error(repository));
        } else {
            error = export_tree(repository, export, below, cw_arena_printf(repository->arena, "%s/", path), depth + 1);
            repository->git->tree_free(below);
        }
    }
    return error;
}

static const char *export_renamed(struct cw_repository *repository, struct cw_export *export,
                                  const struct cw_change *change) {
    git_tree_entry *entry = NULL;
    if (!change->before || !change->now || !strcmp(change->before, change->now) ||
        repository->git->tree_entry_bypath(&entry, (git_tree *)repository->base, change->before))
        return NULL;
    const char *error = export_blob(repository, export, change->now, repository->git->tree_entry_id(entry),
                                    repository->git->tree_entry_filemode(entry));
    repository->git->tree_entry_free(entry);
    return error;
}

const char *cw_repository_export_base(struct cw_repository *repository, const struct cw_changes *changes,
                                      const char *folder) {
    struct cw_export e = {.arena = repository->arena, .folder = folder};
    const char *error = cw_export_begin(&e);
    if (!error && repository->base)
        error = export_tree(repository, &e, (git_tree *)repository->base, "", 0);
    for (uint32_t i = 0; i < changes->n && !error && repository->base; i++)
        error = export_renamed(repository, &e, &changes->at[i]);
    cw_export_end(&e);
    return error;
}

const char *cw_repository_export_index(struct cw_repository *repository, const char *folder) {
    struct cw_export e = {.arena = repository->arena, .folder = folder};
    const char *error = cw_export_begin(&e);
    git_index *index = error ? NULL : open_index(repository);
    if (!error && !index)
        error = last_error(repository);
    for (size_t i = 0; !error && i < repository->git->index_entrycount(index); i++) {
        const git_index_entry *entry = repository->git->index_get_byindex(index, i);
        if (!(entry->flags & GIT_INDEX_ENTRY_STAGEMASK))
            error = export_blob(repository, &e, entry->path, &entry->id, entry->mode);
    }
    if (index)
        repository->git->index_free(index);
    cw_export_end(&e);
    return error;
}
