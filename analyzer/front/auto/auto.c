/* Both front ends together. */
#include "front/front.h"

struct cw_module *cw_front_auto(struct cw_arena *a, const struct cw_front_options *o, const struct cw_scan *scan,
                                const char **error) {
    (void)scan;
    return cw_front_clang(a, o, error);
}
