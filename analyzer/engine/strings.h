/* CUDA in string literals: units whose text is a literal's value, and whose places are the file's. */
#ifndef CW_ENGINE_STRINGS_H
#define CW_ENGINE_STRINGS_H

#include "embedded/embedded.h"
#include "engine/kernel.h"
#include "front/front.h"

/* One value in its file. */
struct cw_string_unit {
    const struct cw_embedded *value;
    const struct cw_source *file, *text; /* `text` is the value as a source of its own */
};

/* Places of the value become those of the file. Everything that is made of the module afterwards, texts too, names
 * these. */
void cw_string_unit_place_module(const struct cw_string_unit *s, struct cw_module *m);
/* A copy of the scan with the file's places. */
struct cw_scan *cw_string_unit_place_scan(const struct cw_string_unit *s, const struct cw_scan *scan,
                                          struct cw_arena *a);

/* requires: all findings of the value are in the result. Keeps of their fixes those that may be written into the
 * literal as they are. */
void cw_string_unit_check_fixes(const struct cw_string_unit *s, struct cw_file_result *r);

#endif
