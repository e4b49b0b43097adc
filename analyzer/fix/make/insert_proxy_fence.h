/* Fixes of copies by an engine that does not see what was stored: the proxy fence that is missing. */
#ifndef CW_FIX_MAKE_INSERT_PROXY_FENCE_H
#define CW_FIX_MAKE_INSERT_PROXY_FENCE_H

#include "rules/rule.h"

/* A proxy fence behind the statement of the store, where the threads that store run it before they reach the copy. */
void cw_fix_proxy_fence(struct cw_rule_ctx *, struct cw_finding *, uint32_t store, uint32_t copy);

#endif
