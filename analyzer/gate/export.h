/* A folder filled with a version's sources. Whatever the repository holds, nothing is written outside of it. */
#ifndef CW_GATE_EXPORT_H
#define CW_GATE_EXPORT_H

#include "base/str.h"
#include "base/vec.h"

struct cw_export_link {
    const char *path, *target;
};

struct cw_export {
    struct cw_arena *arena;
    const char *folder;
    const char *made; /* folder made last */
    CW_VEC(struct cw_export_link) links; /* made at the end: no file goes through one */
};

/* Can a file of this name be a source or a header? */
bool cw_export_is_source(const char *path);

/* NULL, or what went wrong. Paths that lead out of the folder are left out. */
const char *cw_export_begin(struct cw_export *e);
const char *cw_export_file(struct cw_export *e, const char *path, cw_str text);
void cw_export_link(struct cw_export *e, const char *path, const char *target);
void cw_export_end(struct cw_export *e);

/* A new folder for temporary files. A process of its own waits for this one's end, however it comes, and removes the folder. */
struct cw_export_folder {
    const char *path; /* real; NULL: none was made */
    int keep;         /* the folder stays for as long as this is open */
    int janitor;      /* process id */
};

/* NULL, or why there is none. */
const char *cw_export_make(struct cw_arena *a, struct cw_export_folder *out);
/* Away with it and all that is in it. */
void cw_export_remove(struct cw_export_folder *f);

#endif
