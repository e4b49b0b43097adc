/* Names that no header gives: what a header that is not there would declare. */
#ifndef CW_FRONT_REPAIR_MISSING_H
#define CW_FRONT_REPAIR_MISSING_H

#include "front/front.h"

struct cw_missing *cw_missing_new(struct cw_arena *a);

/* Adds the names that a parse of the unit found missing in the files of the module. False: there is none that was not
 * known. *is_of_main: one of those that were not stands in the main file. Cost: one pass over the text of each file
 * with such an error. */
bool cw_missing_add(struct cw_missing *missing, const struct cw_module *m, const struct cw_front_options *o,
                    bool *is_of_main);
bool cw_missing_has_some(const struct cw_missing *missing);

/* Adds the functions among them that may launch, by their names, to the options. */
void cw_missing_launchers(struct cw_missing *missing, struct cw_front_options *o);

/* Declarations of all names in their namespaces: types (templates where they are used so) of unknown size and content,
 * made of anything and convertible to anything, with the members that are asked for; values and host functions of such
 * a type. */
const char *cw_missing_text(struct cw_missing *missing);

#endif
