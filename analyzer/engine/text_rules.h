/* The hooks of rules on a file's text. */
#ifndef CW_ENGINE_TEXT_RULES_H
#define CW_ENGINE_TEXT_RULES_H

#include "engine/kernel.h"
#include "source/source.h"

/* Runs those that are selected and adds their findings to the unit's result. requires: the kernels of this reading have
 * been analysed. `is_first`: the first reading of the file's own text, whose functions are looked at. */
void cw_text_rules_run(struct cw_unit *u, const struct cw_source *s, bool is_first);

#endif
