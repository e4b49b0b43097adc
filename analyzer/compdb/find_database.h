/* Compile commands that nobody named: compile_commands.json near the sources, as clangd and clang-tidy look for it. */
#ifndef CW_COMPDB_FIND_DATABASE_H
#define CW_COMPDB_FIND_DATABASE_H

#include "compdb/database.h"

/* A database that a search has come to. */
struct cw_found_database {
    const char *path;             /* of compile_commands.json */
    struct cw_database *database; /* NULL: it is not used */
    const char *refusal;          /* why not, for the user; NULL when its commands compile no CUDA */
};

struct cw_found_databases {
    struct cw_found_database **at;
    uint32_t n, cap;
};

struct cw_database_search;

struct cw_database_search *cw_database_search_new(struct cw_arena *a);
/* The databases for a file in `directory` of the project at `root` (both absolute, `directory` at or below `root`):
 * those in `directory` and the folders above it up to `root`, then those in the folders build*, out* and cmake-build-*
 * of `root`, which may be a level or two down (build/release, out/build/linux); in this order, by name. Each file is
 * read once, and so is each folder listed. A database that cannot be read, whose files lie elsewhere, or that compiles
 * no CUDA is in the list without its commands. The list is the search's. */
const struct cw_found_databases *cw_databases_for(struct cw_database_search *s, const char *directory,
                                                  const char *root);

#endif
