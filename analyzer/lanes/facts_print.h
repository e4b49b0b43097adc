/* The parts of a fact's line that speak of threads and launches; see cfg/facts_print.h. Sets of lanes are masks of a
 * warp in hexadecimal, and a single thread has the mask of its lane beside its number. */
#ifndef CW_LANES_FACTS_PRINT_H
#define CW_LANES_FACTS_PRINT_H

#include "cfg/facts_print.h"
#include "lanes/participation.h"

/* ", LABEL thread 33 in warp 1 0x00000002" */
void cw_facts_thread(const struct cw_facts_print *to, const char *label, uint32_t thread);
/* ", LABEL warp 1 0x0000ffff" */
void cw_facts_lanes(const struct cw_facts_print *to, const char *label, uint32_t warp, uint32_t lanes);
/* ", iteration 2 of 0", the innermost loop first; nothing outside of loops. */
void cw_facts_context(const struct cw_facts_print *to, const struct cw_context *context);
/* ", warp 1 arrives 0x0000ffff elsewhere 0xffff0000"; NULL: nothing. */
void cw_facts_presence(const struct cw_facts_print *to, const struct cw_participation *participation, uint32_t warp);
/* ", used by store at a.cu:9:5, in warp 1 0x0000ffff"; "perhaps used" where input decides it. */
struct cw_use;
void cw_facts_use(const struct cw_facts_print *to, uint32_t warp, const struct cw_use *use);
/* ", block (64,1,1) sample 2" of a launch by its index, or of an evaluator (NULL: nothing). */
void cw_facts_launch(const struct cw_facts_print *to, uint32_t launch, uint32_t sample);
void cw_facts_evaluator(const struct cw_facts_print *to, const struct cw_lanes *lanes);

#endif
