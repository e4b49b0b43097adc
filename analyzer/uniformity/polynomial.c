#include "uniformity/polynomial.h"

/* Values share parts: without a bound on the whole, depth 10 could mean a thousand parts, again for every value
 * asked. */
enum { DEPTH_MAX = 10, PARTS_MAX = 128, HOPS_MAX = 32 };

struct expansion {
    const struct cw_fn *fn;
    const struct cw_shape_facts *facts;
    uint32_t parts;
};

static uint32_t key_of(cw_ref ref) {
    return (uint32_t)ref.tag << 28 | ref.index;
}

void cw_polynomial_add_atom(struct cw_monomial *monomial, cw_ref ref, bool *is_lost) {
    uint32_t k = monomial->n;
    if (k == CW_ATOMS_MAX) {
        *is_lost = true;
        return;
    }
    for (; k > 0 && key_of(monomial->atom[k - 1]) > key_of(ref); k--)
        monomial->atom[k] = monomial->atom[k - 1];
    monomial->atom[k] = ref;
    monomial->n++;
}

bool cw_polynomial_same_atoms(const struct cw_monomial *monomial, const struct cw_monomial *other) {
    if (monomial->n != other->n)
        return false;
    for (uint32_t k = 0; k < monomial->n; k++)
        if (!cw_ref_eq(monomial->atom[k], other->atom[k]))
            return false;
    return true;
}

static void add_term(struct cw_polynomial *polynomial, struct cw_monomial monomial) {
    for (uint32_t k = 0; k < polynomial->n; k++)
        if (cw_polynomial_same_atoms(&polynomial->at[k], &monomial)) {
            polynomial->at[k].factor = (int64_t)((uint64_t)polynomial->at[k].factor + (uint64_t)monomial.factor);
            return;
        }
    if (polynomial->n == CW_TERMS_MAX)
        polynomial->is_lost = true;
    else
        polynomial->at[polynomial->n++] = monomial;
}

struct cw_polynomial cw_polynomial_sum(const struct cw_polynomial *polynomial, const struct cw_polynomial *other,
                                       int64_t sign) {
    struct cw_polynomial out = *polynomial;
    out.is_lost |= other->is_lost;
    for (uint32_t k = 0; k < other->n; k++) {
        struct cw_monomial m = other->at[k];
        m.factor = (int64_t)((uint64_t)m.factor * (uint64_t)sign);
        add_term(&out, m);
    }
    return out;
}

static struct cw_polynomial multiply_polynomials(const struct cw_polynomial *polynomial,
                                                 const struct cw_polynomial *other) {
    struct cw_polynomial out = {.is_lost = polynomial->is_lost || other->is_lost};
    for (uint32_t x = 0; x < polynomial->n; x++)
        for (uint32_t y = 0; y < other->n; y++) {
            struct cw_monomial m = polynomial->at[x];
            m.factor = (int64_t)((uint64_t)m.factor * (uint64_t)other->at[y].factor);
            for (uint32_t k = 0; k < other->at[y].n; k++)
                cw_polynomial_add_atom(&m, other->at[y].atom[k], &out.is_lost);
            add_term(&out, m);
        }
    return out;
}

static bool is_always_zero(const struct cw_shape_facts *facts, uint32_t r) {
    if (facts->block[r - CW_TID_X] == 1)
        return true;
    return (r == CW_TID_Y && facts->one_dimensional) ||
           (r == CW_TID_Z && (facts->one_dimensional || facts->two_dimensional));
}

/* An index register whose value the block shape fixes, as a constant. */
static bool fixed_value(const struct cw_shape_facts *facts, cw_ref ref, int64_t *value) {
    if (ref.tag != CW_REF_SREG)
        return false;
    if (ref.index >= CW_NTID_X && ref.index <= CW_NTID_Z && facts->block[ref.index - CW_NTID_X]) {
        *value = facts->block[ref.index - CW_NTID_X];
        return true;
    }
    *value = 0;
    return ref.index <= CW_TID_Z && is_always_zero(facts, ref.index);
}

static struct cw_polynomial make_atom(cw_ref ref) {
    struct cw_polynomial p = {.n = 1, .at = {{.factor = 1, .n = 1, .atom = {ref}}}};
    return p;
}

static struct cw_polynomial expand_value(struct expansion *e, cw_ref r, int depth);

static struct cw_polynomial combine_operands(struct expansion *expansion, const struct cw_ins *ins, int depth) {
    struct cw_polynomial a = expand_value(expansion, cw_arg(expansion->fn, ins, 0), depth - 1);
    if (a.is_lost)
        return a;
    struct cw_polynomial b = expand_value(expansion, cw_arg(expansion->fn, ins, 1), depth - 1);
    if (b.is_lost)
        return b;
    return ins->op == CW_OP_MUL ? multiply_polynomials(&a, &b)
                                : cw_polynomial_sum(&a, &b, ins->op == CW_OP_ADD ? 1 : -1);
}

static struct cw_polynomial expand_value(struct expansion *expansion, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(expansion->fn, ref);
    int64_t c;
    if (expansion->parts++ >= PARTS_MAX)
        return (struct cw_polynomial){.is_lost = true};
    if (cw_ref_const(expansion->fn, ref, &c) || fixed_value(expansion->facts, ref, &c))
        return (struct cw_polynomial){.n = 1, .at = {{.factor = c}}};
    if (!i || depth == 0)
        return make_atom(ref);
    switch (i->op) {
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_MUL:
        return combine_operands(expansion, i, depth);
    case CW_OP_SHL:
        if (cw_ref_const(expansion->fn, cw_arg(expansion->fn, i, 1), &c) && c >= 0 && c < 32) {
            struct cw_polynomial a = expand_value(expansion, cw_arg(expansion->fn, i, 0), depth - 1);
            struct cw_polynomial b = {.n = 1, .at = {{.factor = (int64_t)1 << c}}};
            return multiply_polynomials(&a, &b);
        }
        return make_atom(ref);
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_COPY:
        return expand_value(expansion, cw_arg(expansion->fn, i, 0), depth - 1);
    default:
        return make_atom(ref);
    }
}

struct cw_polynomial cw_polynomial_of(const struct cw_fn *fn, const struct cw_shape_facts *facts, cw_ref ref) {
    struct expansion e = {fn, facts, 0};
    return expand_value(&e, ref, DEPTH_MAX);
}

bool cw_polynomial_of_pointer(const struct cw_fn *fn, cw_ref pointer, uint32_t *object, struct cw_polynomial *offset) {
    struct cw_shape_facts none = {0};
    *offset = (struct cw_polynomial){0};
    for (int hops = 0; pointer.tag == CW_REF_INS && hops < HOPS_MAX; hops++) {
        const struct cw_ins *i = cw_ins_of(fn, pointer);
        if (i->op != CW_OP_PTRADD)
            return false;
        struct cw_polynomial step = cw_polynomial_of(fn, &none, cw_arg(fn, i, 1));
        *offset = cw_polynomial_sum(offset, &step, 1);
        pointer = cw_arg(fn, i, 0);
    }
    *object = pointer.index;
    return pointer.tag == CW_REF_OBJECT && !offset->is_lost;
}

bool cw_polynomial_of_shared(const struct cw_fn *fn, cw_ref pointer, uint32_t *object, struct cw_polynomial *offset) {
    return cw_polynomial_of_pointer(fn, pointer, object, offset) &&
           fn->objects.at[*object].space == CW_SPACE_SHARED && fn->objects.at[*object].size > 0;
}
