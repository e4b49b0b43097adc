/* Arrays of which each thread, warp or row of threads has a part of its own: `count[warp * 16 + digit[i]]`,
 * `head = rows + (threadIdx.x / 8) * 64; head[i + pairs]`. Nothing in the code need say that the digit is below 16, or
 * that the pairs end within the row; that each position begins a part of its own says that they are meant to. */
#ifndef CW_RACES_OWN_PARTS_H
#define CW_RACES_OWN_PARTS_H

#include "races/data_places.h"

/* Do the two accesses lie in different parts of one array, unless data or chosen sizes lead one of them out of its
 * part? A part is as long as a step that threads' positions make in either place. Of what is chosen, each factor has to
 * be smaller, and so has what it may be at most, where the code says so. False when nothing is chosen:
 * what positions and constants decide is no assumption.
 * requires: contexts of the accesses. cost: the operations behind the two places, each for all threads. */
bool cw_have_own_parts(struct cw_lanes *l, const struct cw_place_of *a, const struct cw_place_of *b);

/* Do the two accesses lie in different stages of a ring, `buffers + (i % 2) * window + index`, whose length is a size,
 * unless other sizes or data lead one of them out of its stage? However often the chosen numbers say so: that a window
 * is as long as what is read of it is a relation that nobody sees. Where positions and constants alone decide, as in
 * `window[threadIdx.x + 1]`, it is no assumption, and the answer is no.
 * requires, cost: as above. */
bool cw_are_in_own_stages(struct cw_lanes *l, const struct cw_place_of *a, const struct cw_place_of *b);

#endif
