/* Entries are kept as text and taken apart only when a file asks for one: a database may have ten thousand. */
#include "compdb/database.h"

#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DATABASE_BYTES = 512 << 20, MAX_ENTRIES = 1 << 18 };

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- entries ---- */

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static bool take_arguments(struct cw_database *d, const json_t *list, struct cw_words *out) {
    for (size_t i = 0; i < json_array_size(list) && out->n < CW_MAX_WORDS; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word)
            return false;
        if (json_string_length(json_array_get(list, i)) <= CW_MAX_WORD_BYTES)
            cw_vec_push(d->arena, out, (const char *)cw_arena_strdup(d->arena, word));
    }
    return out->n > 0;
}

static bool read_entry(struct cw_database *d, const json_t *j, const char *base, struct cw_command_entry *e) {
    const char *file = text_of(j, "file"), *directory = text_of(j, "directory"), *command = text_of(j, "command");
    const json_t *arguments = json_object_get(j, "arguments");
    *e = (struct cw_command_entry){0};
    if (!file || !*file || (!command && !json_is_array(arguments)))
        return false;
    e->directory = cw_compile_path(d->arena, base, cw_arena_strdup(d->arena, directory ? directory : ""));
    e->file = cw_compile_path(d->arena, e->directory, cw_arena_strdup(d->arena, file));
    if (json_is_array(arguments))
        return take_arguments(d, arguments, &e->words);
    e->command = cw_arena_strdup(d->arena, command);
    return true;
}

/* Chains keep the order of the file: the first entry of a name is met first. */
static void link_entries(struct cw_database *d) {
    for (uint32_t i = d->entries.n; i-- > 0;) {
        uint64_t first = 0, key = (uint64_t)(uintptr_t)cw_intern(&d->names, base_name(d->entries.at[i].file));
        cw_map_get(&d->by_name, key, &first);
        d->entries.at[i].next = (uint32_t)first;
        cw_map_put(&d->by_name, key, i + 1);
    }
}

struct cw_database *cw_database_parse(struct cw_arena *a, cw_str text, const char *directory, struct cw_reader reader,
                                      const char **error) {
    json_error_t why;
    json_t *root = json_loadb(text.at ? text.at : "", text.n, 0, &why);
    if (!json_is_array(root)) {
        /* jansson quotes the text after "near"; a configuration can name any file here */
        int n = strstr(why.text, " near ") ? (int)(strstr(why.text, " near ") - why.text) : (int)strlen(why.text);
        *error = root ? "it is no array" : cw_arena_printf(a, "line %d: %.*s", why.line, n, why.text);
        json_decref(root);
        return NULL;
    }
    struct cw_database *d = CW_NEW(a, struct cw_database);
    d->arena = a;
    d->reader = reader;
    cw_intern_init(&d->names, a);
    cw_map_init(&d->by_name, a);
    for (size_t i = 0; i < json_array_size(root); i++) {
        struct cw_command_entry e;
        if (d->entries.n < MAX_ENTRIES && read_entry(d, json_array_get(root, i), directory, &e))
            cw_vec_push(a, &d->entries, e);
        else
            d->malformed++;
    }
    json_decref(root);
    link_entries(d);
    return d;
}

/* ---- the file ---- */

/* Released by the caller; the text is needed only until its entries have been copied. */
static char *read_all(struct cw_arena *a, const char *path, size_t *n, const char **error) {
    struct stat st;
    int fd = cw_open_regular(path, 0);
    char *text = NULL;
    *n = 0;
    *error = NULL;
    if (fd < 0 || fstat(fd, &st))
        *error = cw_arena_strdup(a, cw_open_error(errno));
    else if (st.st_size > MAX_DATABASE_BYTES)
        *error = cw_arena_printf(a, "it is larger than %d MB", MAX_DATABASE_BYTES >> 20);
    else if (!(text = malloc((size_t)st.st_size + 1)))
        *error = "out of memory";
    for (ssize_t got; text && *n < (size_t)st.st_size && (got = read(fd, text + *n, (size_t)st.st_size - *n)) > 0;)
        *n += (size_t)got;
    if (fd >= 0)
        close(fd);
    return text;
}

struct cw_database *cw_database_load(struct cw_arena *a, const char *path, const char **error) {
    char full[PATH_MAX];
    struct stat st;
    size_t n;
    bool is_directory = !stat(path, &st) && S_ISDIR(st.st_mode);
    const char *file = is_directory ? cw_arena_printf(a, "%s/compile_commands.json", path) : path;
    char *text = read_all(a, file, &n, error);
    if (!text)
        return NULL;
    const char *base = realpath(file, full) ? full : file, *slash = strrchr(base, '/');
    const char *directory = slash ? cw_arena_strndup(a, base, slash > base ? (size_t)(slash - base) : 1) : "";
    struct cw_database *d = cw_database_parse(a, (cw_str){text, n}, directory, cw_reader_of_disk(), error);
    free(text);
    return d;
}

/* ---- questions ---- */

const struct cw_compile *cw_database_compile(struct cw_database *d, struct cw_command_entry *e) {
    if (e->compile)
        return e->compile;
    if (e->command && !e->words.n)
        cw_words_split(d->arena, cw_str_of(e->command), CW_QUOTING_SHELL, &e->words);
    e->compile = CW_NEW(d->arena, struct cw_compile);
    cw_compile_read(d->arena, &e->words, e->directory, d->reader, e->compile);
    return e->compile;
}

const char *cw_database_real(struct cw_database *d, struct cw_command_entry *e) {
    char full[PATH_MAX];
    if (!e->real)
        e->real = realpath(e->file, full) ? cw_arena_strdup(d->arena, full) : "";
    return e->real;
}

bool cw_database_is_cuda(struct cw_database *d, struct cw_command_entry *e) {
    if (cw_str_ends(cw_str_of(e->file), ".cu"))
        return true;
    /* Only a line that names the language, or nvcc, is worth being taken apart. */
    bool may_be = e->command && (strstr(e->command, "-x") || strstr(e->command, "cuda") || strstr(e->command, "nvcc"));
    return (may_be || !e->command) && cw_database_compile(d, e)->is_cuda;
}

struct cw_command_entry *cw_database_find(struct cw_database *d, const char *real_path) {
    uint64_t at = 0;
    struct cw_command_entry *found = NULL;
    cw_map_get(&d->by_name, (uint64_t)(uintptr_t)cw_intern(&d->names, base_name(real_path)), &at);
    for (; at; at = d->entries.at[at - 1].next) {
        struct cw_command_entry *e = &d->entries.at[at - 1];
        if (strcmp(e->file, real_path) != 0 && strcmp(cw_database_real(d, e), real_path) != 0)
            continue;
        if (cw_database_is_cuda(d, e))
            return e;
        found = found ? found : e;
    }
    return found;
}

/* Folders that two paths have in common from the root on. */
static uint32_t shared_folders(const char *a, const char *b) {
    uint32_t n = 0;
    for (; *a && *a == *b; a++, b++)
        n += *a == '/';
    return n;
}

struct cw_command_entry *cw_database_nearest(struct cw_database *d, const char *real_path) {
    struct cw_command_entry *best = NULL;
    uint32_t most = 0;
    bool best_is_cuda = false;
    for (uint32_t i = 0; i < d->entries.n; i++) {
        struct cw_command_entry *e = &d->entries.at[i];
        uint32_t shared = shared_folders(e->file, real_path);
        if (best && best_is_cuda && shared <= most)
            continue;
        bool is_cuda = cw_database_is_cuda(d, e);
        if (best && (best_is_cuda > is_cuda || (best_is_cuda == is_cuda && shared <= most)))
            continue;
        best = e;
        most = shared;
        best_is_cuda = is_cuda;
    }
    return best;
}
