/* Integer values as sums of products: `threadIdx.y * blockDim.x + threadIdx.x` in any of its spellings. Casts between
 * integer widths are looked through: thread indices and sizes are small. Anything else than + - * << is an atom.
 * Registers that the block shape fixes become constants. */
#ifndef CW_UNIFORMITY_POLYNOMIAL_H
#define CW_UNIFORMITY_POLYNOMIAL_H

#include "uniformity/uniformity.h"

enum { CW_TERMS_MAX = 8, CW_ATOMS_MAX = 4 };

struct cw_monomial {
    int64_t factor;
    uint32_t n;
    cw_ref atom[CW_ATOMS_MAX]; /* sorted */
};

struct cw_polynomial {
    uint32_t n;
    bool is_lost; /* grew too large */
    struct cw_monomial at[CW_TERMS_MAX];
};

struct cw_polynomial cw_polynomial_of(const struct cw_fn *fn, const struct cw_shape_facts *facts, cw_ref r);
struct cw_polynomial cw_polynomial_sum(const struct cw_polynomial *a, const struct cw_polynomial *b, int64_t sign);

void cw_polynomial_add_atom(struct cw_monomial *m, cw_ref r, bool *is_lost);
bool cw_polynomial_same_atoms(const struct cw_monomial *a, const struct cw_monomial *b);

/* A pointer into an object: the object, and the bytes from its beginning. False for any other pointer, and when the
 * offset is lost. */
bool cw_polynomial_of_pointer(const struct cw_fn *fn, cw_ref pointer, uint32_t *object, struct cw_polynomial *offset);
/* The same for shared objects with a declared size only. */
bool cw_polynomial_of_shared(const struct cw_fn *fn, cw_ref pointer, uint32_t *object, struct cw_polynomial *offset);

#endif
