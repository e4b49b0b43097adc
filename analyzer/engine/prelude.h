/* Precompiled preludes of a run: what every unit reads first, parsed once for the units that can share it, and kept for
 * later runs. */
#ifndef CW_ENGINE_PRELUDE_H
#define CW_ENGINE_PRELUDE_H

#include "base/scratch.h"
#include "base/vec.h"
#include "engine/cache.h"
#include "engine/flags.h"
#include "engine/leading.h"
#include "front/front.h"

struct cw_prelude {
    const char *key;                 /* what its units have in common, see cw_front_clang_prelude_key */
    struct cw_front_options options; /* of the first of them */
    uint32_t units;
    const char *path; /* of an open file without a name, as this process and those it forks see it; NULL: none */
    const char *notes; /* the same, for shared headers */
    int fd, notes_fd;
    const char *folder; /* while it is made */
    int pid;
    struct cw_beginning beginning; /* of shared headers */
    struct cw_hash128 kept;        /* its key in the cache */
    bool is_keepable, is_refused;
};

struct cw_preludes {
    struct cw_arena *arena;
    CW_VEC(struct cw_prelude) list;
    struct cw_leading *leading; /* which headers the units begin with; NULL: that is not looked at */
    struct cw_cache *cache;     /* where they are kept; NULL: nowhere */
    struct cw_scratch scratch;  /* for those being created */
    uint32_t made;              /* subfolders of it so far */
};

/* One more unit that will be parsed with these options; their arguments must live as long as `p`. True: its shared
 * headers are new, and are kept for later runs only when what they rest on is said next. */
bool cw_preludes_count(struct cw_preludes *p, const struct cw_front_options *o);
void cw_preludes_rest_on(struct cw_preludes *p, const struct cw_beginning *beginning);
/* Finds those that an earlier run has kept, and makes those that enough units will read. What cannot be made is
 * done without. */
void cw_preludes_make(struct cw_preludes *p);
/* Processes that make the others for later runs, while this one goes on without them; the second waits for them.
 * For runs over few files, of which somebody changes one and asks again. */
void cw_preludes_start_later(struct cw_preludes *p);
void cw_preludes_finish_later(struct cw_preludes *p);
/* Fills in what the unit of these options can load: its shared headers with the prelude, else the prelude, else
 * nothing. `p` may be NULL. */
void cw_preludes_use(const struct cw_preludes *p, struct cw_front_options *o);
/* For `precompiled` of a unit's options: NULL when there is none for it. `p` may be NULL. */
const char *cw_preludes_find(const struct cw_preludes *p, const struct cw_front_options *o);
/* Is there any? `p` may be NULL. */
bool cw_preludes_has_some(const struct cw_preludes *p);
void cw_preludes_close(struct cw_preludes *p);

#endif
