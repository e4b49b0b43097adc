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
    int top;          /* the folder, open between begin and end */
    const char *made; /* subfolder created last, "" for the folder itself; NULL: none */
    int made_at;      /* the same, open */
    CW_VEC(struct cw_export_link) links; /* created at the end */
};

/* Can a file of this name be a source or a header? */
bool cw_export_is_source(const char *path);

/* NULL, or what went wrong. Everything is created relative to the open folder, and no symbolic link is followed:
 * paths that lead out of the folder or through a link, and names that no file can have, are left out.
 * cw_export_end() must follow, after errors too. */
const char *cw_export_begin(struct cw_export *e);
const char *cw_export_file(struct cw_export *e, const char *path, cw_str text);
void cw_export_link(struct cw_export *e, const char *path, const char *target);
void cw_export_end(struct cw_export *e);
/* Creates the subfolder ("" or "/a/b"), as far as no link and no file is in its way. */
void cw_export_folders(struct cw_arena *a, const char *folder, const char *below);

#endif
