/* Which kernels a text defines and which it launches or asks a module for, by their names, at memory speed and without
 * a parser. What it finds in a comment or a string counts too: a reader takes it for a hint. */
#ifndef CW_COMPDB_KERNEL_NAMES_H
#define CW_COMPDB_KERNEL_NAMES_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

struct cw_names_list { const char **at; uint32_t n, cap; };

/* Does the text ask a module for kernels by their names? */
bool cw_kernel_names_asks(cw_str text);

/* Does the text launch a kernel, `name<<<…>>>(`? Cost: one search of the text. */
bool cw_kernel_names_launches(cw_str text);

/* Appends names, each once, in arena memory: those of definitions behind __global__, and those before <<<, of the first
 * 2048 places each. A text that asks a module for kernels launches those that its strings name. Cost: four searches of
 * the text, and a bounded look around each place. */
void cw_kernel_names_read(struct cw_arena *a, cw_str text, struct cw_names_list *defined,
                          struct cw_names_list *launched);

#endif
