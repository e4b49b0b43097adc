/* By which standard of C++ a unit is written, where nothing says it. */
#ifndef CW_FRONT_REPAIR_STANDARD_H
#define CW_FRONT_REPAIR_STANDARD_H

#include "front/front.h"

/* Do the arguments name a standard? */
bool cw_front_has_standard(const struct cw_front_options *options);
/* Do the unit's text or one of options->headers define concepts, constrain templates or use `consteval` or `constinit`,
 * under no condition that asks for the standard? Cost: one search through each text; those that hold such a word are
 * lexed. */
bool cw_front_needs_cxx20(const struct cw_front_options *options);
/* Is it an error where C++17 lacks a word of C++20, or a name of its library? */
bool cw_front_lacks_cxx20(const struct cw_parse_note *note);

#endif
