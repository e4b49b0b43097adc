/* The processor time that one run of libclang's parser may take for a unit. A few lines of macros or templates can ask
 * for 2^25 expansions. libclang has no limit for them; it would go on until it runs out of memory, 20 to 40 s later. A
 * page of dispatch code asks for hundreds of instances of a kernel all the same, which take several seconds. */
#ifndef CW_ENGINE_PARSE_CLOCK_H
#define CW_ENGINE_PARSE_CLOCK_H

#include "engine/pipeline.h"

enum { CW_SLOW_PARSER_STATUS = 79 };

/* In seconds, by how much text there is: ordinary code takes less than one second per megabyte. */
uint32_t cw_parse_seconds(const struct cw_unit_options *o, size_t own_bytes);

/* For a worker process only: it ends with CW_SLOW_PARSER_STATUS when the time is over before cw_parse_clock_stop(). */
void cw_parse_clock_start(uint32_t seconds);
void cw_parse_clock_stop(void);

#endif
