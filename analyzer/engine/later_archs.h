/* Code below `#if __CUDA_ARCH__ >= 800` that no architecture of the run makes active. */
#ifndef CW_ENGINE_LATER_ARCHS_H
#define CW_ENGINE_LATER_ARCHS_H

#include "engine/kernel.h"

/* The lowest architecture (80 for sm_80), above all those of the run, that code in the kernel or in a function that it
 * calls is written for; 0: none. Conditions are read as far as they compare __CUDA_ARCH__ with a number, or ask for a
 * macro that is defined below such a condition. */
uint32_t cw_later_arch_of(struct cw_unit *u, const struct cw_fn *kernel);
/* For a kernel of the main file that was not delivered: when the branches around its name need a later architecture
 * than those of the run, it is looked at next (u->later_arch). */
void cw_later_arch_of_lost(struct cw_unit *u, struct cw_span name);

#endif
