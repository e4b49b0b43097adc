/* Which files hold for which directory, and what they extend. */
#include "config/config.h"

#include "base/log.h"
#include "config/glob.h"
#include "config/internal.h"
#include "source/source.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_EXTEND_DEPTH = 8, MAX_SECTIONS = 2000 };

/* A chain of files that extend each other, innermost first. */
struct chain {
    const struct chain *from;
    const char *real;
    uint32_t depth;
    const char *project; /* real path of the folder whose texts messages may quote */
};

void cw_configs_init(struct cw_configs *configs, struct cw_arena *a, cw_config_check *check, void *ctx) {
    char here[PATH_MAX];
    *configs = (struct cw_configs){.arena = a, .check = check, .ctx = ctx};
    configs->here = realpath(".", here) ? cw_arena_strdup(a, here) : NULL;
    cw_intern_init(&configs->names, a);
    cw_map_init(&configs->files, a);
    cw_map_init(&configs->directories, a);
}

const char *cw_config_join(struct cw_arena *a, const char *directory, const char *path) {
    if (path[0] == '/')
        return path;
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    if (!*path || !strcmp(path, "."))
        return directory;
    return cw_arena_printf(a, "%s%s%s", directory, directory[strlen(directory) - 1] == '/' ? "" : "/", path);
}

/* Files below the working directory are named from there, as the user would. */
static const char *shown_path(const struct cw_configs *configs, const char *path) {
    size_t n = configs->here ? strlen(configs->here) : 0;
    return n && !strncmp(path, configs->here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* ---- files ---- */

static const char *read_file(struct cw_configs *configs, const char *path, cw_str *text) {
    const char *error = NULL;
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode))
        return "not a file";
    const struct cw_source *s = cw_source_load(configs->arena, path, &error);
    if (s)
        *text = (cw_str){s->text, s->size};
    return s ? NULL : error;
}

/* The repository, as far as a .git shows one, or else the folder around a configuration file: whoever wrote that
 * file wrote what lies there as well. */
static const char *project_of(struct cw_configs *configs, const char *path) {
    char real[PATH_MAX];
    struct stat st;
    const char *slash = strrchr(path, '/'), *folder = configs->here ? configs->here : "/";
    if (slash)
        folder = slash > path ? cw_arena_strndup(configs->arena, path, (size_t)(slash - path)) : "/";
    if (!realpath(folder, real))
        return folder;
    for (char *at = cw_arena_strdup(configs->arena, real), *end; (end = strrchr(at, '/')); *end = '\0')
        if (!lstat(cw_arena_printf(configs->arena, "%s/.git", at), &st))
            return at;
    return cw_arena_strdup(configs->arena, real);
}

static bool is_below(const char *real, const char *folder) {
    size_t n = strlen(folder);
    return !strncmp(real, folder, n) && (real[n] == '/' || folder[n - 1] == '/');
}

static bool is_in(const struct chain *chain, const char *real) {
    for (; chain; chain = chain->from)
        if (!strcmp(chain->real, real))
            return true;
    return false;
}

static const struct cw_config *load_config(struct cw_configs *c, const char *path, const struct chain *from,
                                           const char *project, const char **error);

/* Everything of the files named, then the file's own sections. */
static bool add_extended(struct cw_configs *configs, struct cw_config *config, const struct cw_settings *extends,
                         const struct chain *chain, const char **error) {
    struct cw_config all = {.path = config->path, .shown = config->shown};
    for (uint32_t i = 0; i < extends->n; i++) {
        const char *wrong = NULL, *path = extends->at[i].value;
        const struct cw_config *base = *path ? load_config(configs, path, chain, chain->project, &wrong) : NULL;
        if (wrong) {
            *error = cw_arena_printf(configs->arena, "%s; extended from %s", wrong, extends->at[i].origin);
            return false;
        }
        for (uint32_t k = 0; base && k < base->sections.n && all.sections.n < MAX_SECTIONS; k++)
            cw_vec_push(configs->arena, &all.sections, base->sections.at[k]);
    }
    for (uint32_t k = 0; k < config->sections.n; k++)
        cw_vec_push(configs->arena, &all.sections, config->sections.at[k]);
    *config = all;
    return true;
}

static const struct cw_config *load_config(struct cw_configs *configs, const char *path, const struct chain *from,
                                           const char *project, const char **error) {
    char full[PATH_MAX];
    cw_str text = {0};
    const char *shown = shown_path(configs, path),
               *real = cw_intern(&configs->names, realpath(path, full) ? full : path);
    struct chain chain = {from, real, from ? from->depth + 1 : 0, project};
    struct cw_config *config = CW_NEW(configs->arena, struct cw_config);
    struct cw_settings extends = {0};
    uint64_t known;
    if (is_in(from, real) || chain.depth > MAX_EXTEND_DEPTH) {
        *error = cw_arena_printf(configs->arena, "%s: %s", shown,
                                 is_in(from, real) ? "extends itself" : "extended over too many files");
        return NULL;
    }
    if (cw_map_get(&configs->files, (uint64_t)(uintptr_t)real, &known))
        return (const struct cw_config *)(uintptr_t)known;
    const char *wrong = read_file(configs, path, &text);
    configs->hides_text = !is_below(real, project);
    *error = wrong ? cw_arena_printf(configs->arena, "%s: %s", shown, wrong)
                   : cw_config_parse(configs, text, cw_intern(&configs->names, path), shown, config, &extends);
    if (*error || !add_extended(configs, config, &extends, &chain, error))
        return NULL;
    cw_map_put(&configs->files, (uint64_t)(uintptr_t)real, (uint64_t)(uintptr_t)config);
    return config;
}

const struct cw_config *cw_config_load(struct cw_configs *configs, const char *path, const char **error) {
    *error = NULL;
    char full[PATH_MAX];
    const char *joined = cw_config_join(configs->arena, configs->here ? configs->here : "/", path);
    /* The user named it: it may be quoted, wherever a link leads. */
    return load_config(configs, joined, NULL, project_of(configs, realpath(joined, full) ? full : joined), error);
}

/* ---- discovery ---- */

static bool is_file(const char *path) {
    struct stat st;
    return !lstat(path, &st) && !S_ISDIR(st.st_mode);
}

/* The file of one directory, or NULL. */
static const char *file_in(struct cw_configs *configs, const char *directory) {
    const char *file = cw_config_join(configs->arena, directory, CW_CONFIG_NAME);
    const char *other = cw_config_join(configs->arena, directory, CW_CONFIG_OTHER_NAME);
    bool has_file = is_file(file), has_other = is_file(other);
    if (has_file && has_other)
        cw_note("%s is not read: %s lies beside it", shown_path(configs, other), CW_CONFIG_NAME);
    return has_file ? file : has_other ? other : NULL;
}

static bool is_in_file(struct cw_configs *configs, const char *path, const char *words) {
    cw_str text = {0};
    return is_file(path) && !read_file(configs, path, &text) && text.n && memmem(text.at, text.n, words, strlen(words));
}

/* What users of other linters write is pointed out where nothing is read: it would be believed to hold. */
static void tell_of_others(struct cw_configs *configs, const char *directory) {
    static const char *const names[] = {"cuwarp-lint.toml", ".cuwarp-lint.toml", "cuwarp-lint.yaml", "cuwarp-lint.yml",
                                        ".cuwarp-lint", ".cuwarp-lint.json"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *file = cw_config_join(configs->arena, directory, names[i]);
        if (is_file(file))
            cw_note("%s is not read; settings are read from %s", shown_path(configs, file), CW_CONFIG_NAME);
    }
    const char *python = cw_config_join(configs->arena, directory, "pyproject.toml");
    if (is_in_file(configs, python, "[tool.cuwarp-lint"))
        cw_note("%s: [tool.cuwarp-lint] is not read; settings are read from %s", shown_path(configs, python),
                CW_CONFIG_NAME);
}

/* Directories on the way up learn the same answer. */
const struct cw_config *cw_config_of(struct cw_configs *configs, const char *directory, const char **error) {
    const struct cw_config *found = NULL;
    CW_VEC(const char *) passed = {0};
    const char *at = cw_intern(&configs->names, directory);
    *error = NULL;
    for (;;) {
        uint64_t known;
        if (cw_map_get(&configs->directories, (uint64_t)(uintptr_t)at, &known)) {
            found = (const struct cw_config *)(uintptr_t)known;
            break;
        }
        cw_vec_push(configs->arena, &passed, at);
        const char *file = file_in(configs, at);
        if (!file)
            tell_of_others(configs, at);
        if (file) {
            found = load_config(configs, file, NULL, project_of(configs, file), error);
            break;
        }
        const char *slash = strrchr(at, '/');
        if (!slash || !at[1])
            break;
        at = cw_intern_n(&configs->names, at, slash > at ? (size_t)(slash - at) : 1);
    }
    for (uint32_t i = 0; i < passed.n && !*error; i++)
        cw_map_put(&configs->directories, (uint64_t)(uintptr_t)passed.at[i], (uint64_t)(uintptr_t)found);
    return found;
}

/* ---- matching ---- */

/* The path from the section's directory; NULL when it lies outside. */
static const char *path_inside(const struct cw_section *section, const char *path) {
    size_t n = strlen(section->directory);
    if (n == 1)
        return path[0] == '/' ? path + 1 : NULL;
    return !strncmp(path, section->directory, n) && path[n] == '/' ? path + n + 1 : NULL;
}

bool cw_section_matches(const struct cw_section *section, const char *path) {
    const char *rest = path_inside(section, path);
    if (!section->paths.n)
        return true;
    for (uint32_t i = 0; rest && i < section->paths.n; i++)
        if (cw_glob_matches(section->paths.at[i], rest, false))
            return true;
    return false;
}

static bool excludes_path(const struct cw_section *section, enum cw_key key, const char *rest, bool is_directory) {
    for (uint32_t i = 0; i < section->settings.n; i++)
        if (section->settings.at[i].key == key && *section->settings.at[i].value &&
            cw_glob_matches(section->settings.at[i].value, rest, is_directory))
            return true;
    return false;
}

static bool gives_key(const struct cw_section *section, enum cw_key key) {
    for (uint32_t i = 0; i < section->settings.n; i++)
        if (section->settings.at[i].key == key)
            return true;
    return false;
}

bool cw_config_excludes(const struct cw_section *const *sections, uint32_t n, const char *path, bool is_directory) {
    bool excluded = false;
    for (uint32_t i = 0; i < n; i++) {
        const char *rest = path_inside(sections[i], path);
        if (sections[i]->paths.n)
            continue;
        if (gives_key(sections[i], CW_KEY_EXCLUDE))
            excluded = rest && excludes_path(sections[i], CW_KEY_EXCLUDE, rest, is_directory);
        if (!excluded && rest)
            excluded = excludes_path(sections[i], CW_KEY_EXTEND_EXCLUDE, rest, is_directory);
    }
    return excluded;
}
