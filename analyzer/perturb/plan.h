/* What is put where: the places that a run flagged become calls of CUWARP_SKEW in the files below one folder. */
#ifndef CW_PERTURB_PLAN_H
#define CW_PERTURB_PLAN_H

#include "base/intern.h"
#include "diag/diag.h"
#include "engine/sources.h"
#include "perturb/spots.h"

#define CW_SKEW_HEADER "cuwarp_skew.h"

/* A flagged access or collective. */
struct cw_flagged {
    CW_VEC(struct cw_place) frames; /* itself, then the calls it was inlined through */
    const char *rule;
};

/* Text put in front of a byte of the original. */
struct cw_insertion {
    uint32_t offset; /* in the text without a byte order mark */
    const char *text;
};

struct cw_skew {
    uint32_t id;            /* from 1; in the order of files and offsets */
    struct cw_place place;  /* the first flagged place it serves; `file` is relative to the root */
    struct cw_spot spot;
    CW_VEC(const char *) rules;
    CW_VEC(struct cw_insertion) inserted;
};

struct cw_skewed_file {
    const char *real;     /* real path */
    const char *relative; /* below the root */
    const struct cw_source *source;
    const struct cw_tokens *tokens;
    CW_VEC(struct cw_skew) skews; /* by offset once the plan is finished */
    const char *prologue;         /* its first lines; NULL: the file stays as it is */
};

struct cw_unskewed {
    struct cw_place place;
    const char *rule, *why;
};

struct cw_plan {
    struct cw_arena *arena;
    struct cw_sources *sources;
    const char *root, *out; /* real paths of folders; nothing below `out` is touched, it may lie below `root` */
    struct cw_intern names;
    struct cw_map by_name;  /* interned real path -> struct cw_skewed_file * */
    struct cw_map told;     /* hash of a lost place and rule -> 1 */
    CW_VEC(struct cw_skewed_file *) files;
    CW_VEC(struct cw_unskewed) lost;
    uint32_t nskews;
};

void cw_plan_init(struct cw_plan *p, struct cw_arena *a, struct cw_sources *sources, const char *root, const char *out);
/* The first of the site's frames that has a spot in a file below the root gets a call; without one the site is listed
 * as lost. Sites with one spot share a call. */
void cw_plan_add(struct cw_plan *p, const struct cw_flagged *site);
/* A unit that read these files: when one of them gets a call, the unit's main file includes the header first, so that
 * it is never first included inside of a namespace or function. Call it after all sites were added. */
void cw_plan_unit(struct cw_plan *p, const char *main_file, const char *const *reads, uint32_t n);
/* Numbers the calls and fixes the order of the files. */
void cw_plan_finish(struct cw_plan *p);

/* The path of a file below the root, or NULL when it lies elsewhere or in `out` (arena text). */
const char *cw_plan_relative(struct cw_plan *p, const char *path, const char **real);
/* The planned change of a file by its real path, or NULL. */
const struct cw_skewed_file *cw_plan_find(struct cw_plan *p, const char *real);

/* The whole new file, byte order mark included. */
void cw_skewed_text(const struct cw_skewed_file *f, struct cw_arena *a, struct cw_buf *out);

/* Text of cuwarp_skew.h. */
cw_str cw_skew_header(void);

#endif
