/* Places that are computed from sizes: `y * pitch + x`. Two elements of one array have one form in the sizes and other
 * factors; that they are one element, as with x = pitch, is no relation that anybody means. */
#ifndef CW_RACES_SIZE_FORMS_H
#define CW_RACES_SIZE_FORMS_H

#include "races/data_places.h"

/* Are the two places sums of the same products of unknown sizes, with different factors? They meet only where the
 * numbers chosen for the sizes happen to say so. requires: contexts of the accesses. cost: the operations behind the
 * two places. */
bool cw_differ_in_sizes(struct cw_lanes *l, const struct cw_place_of *a, const struct cw_place_of *b);

#endif
