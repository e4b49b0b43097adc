/* One name per file: an included header is called by the name the run knows it by, or the shortest way to it. */
#ifndef CW_ENGINE_PATHS_H
#define CW_ENGINE_PATHS_H

#include "base/intern.h"
#include "diag/diag.h"

struct cw_paths {
    struct cw_arena *arena;
    struct cw_intern names;
    struct cw_map known; /* interned real path -> the name an input has */
    struct cw_map shown; /* interned path as given -> name to show */
    const char *here;    /* real path of the working directory, or NULL */
    bool has_relative;   /* some input was named from there */
};

void cw_paths_init(struct cw_paths *p, struct cw_arena *a);
/* A file that was named by the user: its name stays. */
void cw_paths_add_input(struct cw_paths *p, const char *path);
bool cw_paths_is_input(struct cw_paths *p, const char *path);
/* "src/../common/x.cuh" becomes "common/x.cuh"; files that do not exist keep their names. */
const char *cw_paths_name(struct cw_paths *p, const char *path);
/* Renames in every place of a finding. */
void cw_paths_apply(struct cw_paths *p, struct cw_finding *f);

#endif
