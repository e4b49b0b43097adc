/* A stack large enough for deeply nested code. */
#ifndef CW_ENGINE_STACK_H
#define CW_ENGINE_STACK_H

#include <stddef.h>

enum { CW_STACK_OVERFLOW_STATUS = 77 };

/* Address space taken by the large stack; only what is used costs memory. */
size_t cw_large_stack_bytes(void);

/* Runs fn(arg) on a large stack and returns when it has. Should even that overflow, the process ends with
 * CW_STACK_OVERFLOW_STATUS: parsers recurse on nesting, and a file can nest as deep as it likes. For a worker process
 * only. libclang called from fn stays on this stack instead of making a thread of its own. */
void cw_on_large_stack(void (*fn)(void *), void *arg);

#endif
