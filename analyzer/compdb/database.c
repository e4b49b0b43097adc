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

static bool take_arguments(struct cw_database *database, const json_t *list, struct cw_words *out) {
    for (size_t i = 0; i < json_array_size(list) && out->n < CW_MAX_WORDS; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word)
            return false;
        if (json_string_length(json_array_get(list, i)) <= CW_MAX_WORD_BYTES)
            cw_vec_push(database->arena, out, (const char *)cw_arena_strdup(database->arena, word));
    }
    return out->n > 0;
}

static bool read_entry(struct cw_database *database, const json_t *json, const char *base,
                       struct cw_command_entry *entry) {
    const char *file = text_of(json, "file"), *directory = text_of(json, "directory"),
               *command = text_of(json, "command");
    const json_t *arguments = json_object_get(json, "arguments");
    *entry = (struct cw_command_entry){0};
    if (!file || !*file || (!command && !json_is_array(arguments)))
        return false;
    entry->directory =
        cw_compile_path(database->arena, base, cw_arena_strdup(database->arena, directory ? directory : ""));
    entry->file = cw_compile_path(database->arena, entry->directory, cw_arena_strdup(database->arena, file));
    if (json_is_array(arguments))
        return take_arguments(database, arguments, &entry->words);
    entry->command = cw_arena_strdup(database->arena, command);
    return true;
}

/* Chains keep the order of the file: the first entry of a name is met first. */
static void link_entries(struct cw_database *database) {
    for (uint32_t i = database->entries.n; i-- > 0;) {
        uint64_t first = 0,
                 key = (uint64_t)(uintptr_t)cw_intern(&database->names, base_name(database->entries.at[i].file));
        cw_map_get(&database->by_name, key, &first);
        database->entries.at[i].next = (uint32_t)first;
        cw_map_put(&database->by_name, key, i + 1);
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

const struct cw_compile *cw_database_compile(struct cw_database *database, struct cw_command_entry *entry) {
    if (entry->compile)
        return entry->compile;
    if (entry->command && !entry->words.n)
        cw_words_split(database->arena, cw_str_of(entry->command), CW_QUOTING_SHELL, &entry->words);
    entry->compile = CW_NEW(database->arena, struct cw_compile);
    cw_compile_read(database->arena, &entry->words, entry->directory, database->reader, entry->compile);
    return entry->compile;
}

const char *cw_database_real(struct cw_database *database, struct cw_command_entry *entry) {
    char full[PATH_MAX];
    if (!entry->real)
        entry->real = realpath(entry->file, full) ? cw_arena_strdup(database->arena, full) : "";
    return entry->real;
}

bool cw_database_is_cuda(struct cw_database *database, struct cw_command_entry *entry) {
    if (cw_str_ends(cw_str_of(entry->file), ".cu"))
        return true;
    /* Only a line that names the language, or nvcc, is worth being taken apart. */
    bool may_be = entry->command &&
                  (strstr(entry->command, "-x") || strstr(entry->command, "cuda") || strstr(entry->command, "nvcc"));
    return (may_be || !entry->command) && cw_database_compile(database, entry)->is_cuda;
}

struct cw_command_entry *cw_database_find(struct cw_database *database, const char *real_path) {
    uint64_t at = 0;
    struct cw_command_entry *found = NULL;
    cw_map_get(&database->by_name, (uint64_t)(uintptr_t)cw_intern(&database->names, base_name(real_path)), &at);
    for (; at; at = database->entries.at[at - 1].next) {
        struct cw_command_entry *e = &database->entries.at[at - 1];
        if (strcmp(e->file, real_path) != 0 && strcmp(cw_database_real(database, e), real_path) != 0)
            continue;
        if (cw_database_is_cuda(database, e))
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

struct cw_command_entry *cw_database_nearest(struct cw_database *database, const char *real_path) {
    struct cw_command_entry *best = NULL;
    uint32_t most = 0;
    bool best_is_cuda = false;
    for (uint32_t i = 0; i < database->entries.n; i++) {
        struct cw_command_entry *e = &database->entries.at[i];
        uint32_t shared = shared_folders(e->file, real_path);
        if (best && best_is_cuda && shared <= most)
            continue;
        bool is_cuda = cw_database_is_cuda(database, e);
        if (best && (best_is_cuda > is_cuda || (best_is_cuda == is_cuda && shared <= most)))
            continue;
        best = e;
        most = shared;
        best_is_cuda = is_cuda;
    }
    return best;
}
