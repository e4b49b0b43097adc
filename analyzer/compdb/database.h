/* compile_commands.json: which file is compiled how. Read as data: nothing in it is run or trusted. */
#ifndef CW_COMPDB_DATABASE_H
#define CW_COMPDB_DATABASE_H

#include "base/intern.h"
#include "compdb/options.h"

struct cw_command_entry {
    const char *file;      /* as written, joined to the directory */
    const char *directory;
    const char *command;   /* the text of "command", or NULL */
    struct cw_words words; /* of "arguments"; of "command" once somebody asked */
    struct cw_compile *compile; /* likewise */
    const char *real;      /* the file's real path, likewise; "" when there is none */
    uint32_t next;         /* the next entry of the same base name plus 1, 0: none */
};

struct cw_database {
    struct cw_arena *arena;
    struct cw_reader reader;
    CW_VEC(struct cw_command_entry) entries; /* in the order of the file */
    struct cw_intern names;
    struct cw_map by_name; /* interned base name -> first entry plus 1 */
    uint32_t malformed;    /* entries left out */
};

/* `path`: the file, or the directory that holds compile_commands.json. NULL and *error (arena text) when it cannot be
 * read or is no array of JSON. Single entries without sense are left out and counted. */
struct cw_database *cw_database_load(struct cw_arena *a, const char *path, const char **error);
/* The same from text; relative directories are seen from `directory`. */
struct cw_database *cw_database_parse(struct cw_arena *a, cw_str text, const char *directory, struct cw_reader reader,
                                      const char **error);

/* The entry of a file, found by its real path; a compilation as CUDA before others of the same file. NULL: none. */
struct cw_command_entry *cw_database_find(struct cw_database *d, const char *real_path);
/* The entry's options, read on the first call. */
const struct cw_compile *cw_database_compile(struct cw_database *d, struct cw_command_entry *e);
/* The entry's real path, "" when the file does not exist. */
const char *cw_database_real(struct cw_database *d, struct cw_command_entry *e);
/* Does the entry compile CUDA, by its file's name or by its command? Cheap when the name tells. */
bool cw_database_is_cuda(struct cw_database *d, struct cw_command_entry *e);
/* For files without an entry: the CUDA entry, or else any, whose path shares most folders with this one; the first of
 * equals. NULL when the database is empty. */
struct cw_command_entry *cw_database_nearest(struct cw_database *d, const char *real_path);

#endif
