/* A reference machine for the IR, for property tests: one thread, all its effects as text.
 *
 * Two forms of one program (before and after a pass) must give the same log and result. Memory is a set of regions; a
 * pointer is (region number + 1) << 32 | offset + 2^20. Objects with a key are one region however many functions name
 * them; local objects are new, and zero, in every activation, and accesses to them are not logged. What the IR calls
 * unknown (float arithmetic, opaque values, what other lanes give) is a hash of the operands, so it is the same in both
 * forms. (support/ir_interp.h computes floats and has real memory; it is for what a front end made.) */
#ifndef CW_TESTS_IR_MACHINE_H
#define CW_TESTS_IR_MACHINE_H

#include "base/str.h"
#include "ir/ir.h"

struct machine_region {
    const char *label;
    uint8_t *bytes;
    uint64_t size;
    bool is_local;
};

struct machine {
    struct cw_arena *arena;
    const struct cw_module *module;
    int64_t sreg[CW_NSREGS];
    CW_VEC(struct machine_region) regions;
    struct cw_map by_key; /* interned key -> region */
    struct cw_map blobs;  /* hash -> struct blob*, values of type AGG */
    struct cw_buf log;
    uint64_t steps, max_steps;
    uint32_t depth;
    const char *failed; /* out of bounds, out of steps, …: nothing can be said about the run; or "trap" */
};

void machine_init(struct machine *in, struct cw_arena *a, const struct cw_module *m);
void machine_free(struct machine *in);

/* New memory with contents that depend on the label; the pointer to its start. */
int64_t machine_memory(struct machine *in, const char *label, uint64_t size);

/* Runs a function; false when it did not come to an end (see `failed`). *result is 0 for void functions. */
bool machine_run(struct machine *in, const struct cw_fn *fn, const int64_t *args, uint32_t nargs, int64_t *result);

#endif
