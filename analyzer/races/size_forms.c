/* See size_forms.h. A place is a polynomial: each unknown size has a name, a product of sizes the sum of its factors'
 * names. A size is named by the number that was chosen for it, since one number is often passed as two parameters; or
 * by how the kernel comes by it, since two sizes may have the same number. */
#include "races/size_forms.h"

#include "uniformity/launch_constants.h"

enum { FORM_DEPTH = 16, PRODUCTS_MAX = 8 };

struct product {
    uint64_t name; /* 0: of no size, a constant */
    int64_t factor;
};

struct form {
    struct product products[PRODUCTS_MAX];
    uint32_t n;
    cw_ref root; /* what a pointer points into */
    bool is_lost;
};

/* One thread's view. */
struct view {
    struct cw_lanes *l;
    const struct cw_context *context;
    uint32_t thread;
    bool by_origin; /* names */
};

static struct form form_of(const struct view *view, cw_ref ref, uint32_t depth);

static void add_product(struct form *form, struct product product) {
    uint32_t k = 0;
    while (k < form->n && form->products[k].name != product.name)
        k++;
    if (k == PRODUCTS_MAX) {
        form->is_lost = true;
        return;
    }
    if (k == form->n)
        form->products[form->n++] = (struct product){product.name, 0};
    form->is_lost |= __builtin_add_overflow(form->products[k].factor, product.factor, &form->products[k].factor);
}

static struct form scaled_sum(struct form form, const struct form *other, int64_t by) {
    form.is_lost |= other->is_lost;
    if (other->root.tag != CW_REF_NONE)
        form.root = other->root;
    for (uint32_t k = 0; k < other->n; k++) {
        struct product p = other->products[k];
        form.is_lost |= __builtin_mul_overflow(p.factor, by, &p.factor);
        add_product(&form, p);
    }
    return form;
}

static struct form product_of(const struct form *form, const struct form *other) {
    struct form out = {.root = CW_NONE, .is_lost = form->is_lost || other->is_lost};
    for (uint32_t k = 0; k < form->n; k++)
        for (uint32_t j = 0; j < other->n; j++) {
            struct product p = {form->products[k].name + other->products[j].name, 0};
            out.is_lost |= __builtin_mul_overflow(form->products[k].factor, other->products[j].factor, &p.factor);
            add_product(&out, p);
        }
    return out;
}

static struct form constant_form(int64_t number) {
    return (struct form){.products = {{0, number}}, .n = 1, .root = CW_NONE};
}

/* What nothing is known of but a number that follows from chosen ones, the same for all threads, is a size. */
static struct form leaf_form(const struct view *view, cw_ref ref) {
    const struct cw_lane_value *value = cw_lane_value_of(view->l, ref, view->context);
    struct cw_cell cell = cw_lane_value_cell(value, view->thread);
    bool is_size = cell.known == CW_SAMPLE && !value->mask;
    uint64_t name = (uint64_t)cell.value;
    if (is_size && view->by_origin) {
        is_size = ref.tag == CW_REF_SREG || cw_launch_constant(cw_lanes_fn(view->l), ref, &name);
        name = ref.tag == CW_REF_SREG ? cw_ref_bits(ref) : name;
    }
    if (cell.known == CW_NUMBER || (cell.known == CW_SAMPLE && value->mask)) /* an index of the thread's own */
        return constant_form(cell.value);
    return is_size ? (struct form){.products = {{cw_mix(1, name) | 1, 1}}, .n = 1, .root = CW_NONE}
                   : (struct form){.root = CW_NONE, .is_lost = true};
}

static struct form form_of_operands(const struct view *view, const struct cw_ins *ins, cw_ref ref, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(view->l);
    struct form first, second;
    int64_t bits;
    switch (ins->op) {
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
    case CW_OP_TRUNC:
    case CW_OP_COPY: return form_of(view, cw_arg(fn, ins, 0), depth);
    case CW_OP_SHL:
        if (!cw_ref_const(fn, cw_arg(fn, ins, 1), &bits) || bits < 0 || bits > 31)
            return leaf_form(view, ref);
        first = form_of(view, cw_arg(fn, ins, 0), depth);
        return scaled_sum((struct form){.root = CW_NONE}, &first, INT64_C(1) << bits);
    case CW_OP_ADD:
    case CW_OP_SUB:
    case CW_OP_PTRADD:
    case CW_OP_MUL: break;
    default: return leaf_form(view, ref);
    }
    first = form_of(view, cw_arg(fn, ins, 0), depth);
    second = form_of(view, cw_arg(fn, ins, 1), depth);
    return ins->op == CW_OP_MUL ? product_of(&first, &second)
                                : scaled_sum(first, &second, ins->op == CW_OP_SUB ? -1 : 1);
}

static struct form form_of(const struct view *view, cw_ref ref, uint32_t depth) {
    const struct cw_fn *fn = cw_lanes_fn(view->l);
    const struct cw_ins *i = cw_ins_of(fn, ref);
    int64_t number;
    if (depth == 0)
        return (struct form){.root = CW_NONE, .is_lost = true};
    if (cw_ref_const(fn, ref, &number))
        return constant_form(number);
    if (!cw_type_is_int(cw_ref_type(fn, ref)) && !(i && (i->op == CW_OP_PTRADD || i->op == CW_OP_COPY)))
        return (struct form){.root = ref};
    return i ? form_of_operands(view, i, ref, depth - 1) : leaf_form(view, ref);
}

/* Of sizes: constants aside. */
static uint32_t count_products(const struct form *form) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < form->n; k++)
        n += form->products[k].name != 0;
    return n;
}

static bool find_factor(const struct form *form, uint64_t name, int64_t *factor) {
    *factor = 0;
    for (uint32_t k = 0; k < form->n; k++)
        if (form->products[k].name == name) {
            *factor = form->products[k].factor;
            return true;
        }
    return false;
}

/* Has each product of sizes in one form a counterpart in the other? Element 0 of a row has lost its factor: of several
 * products one may be missing. *differ: they have another factor. */
static bool has_products_of(const struct form *form, const struct form *other, bool *differ) {
    uint32_t missing = 0;
    for (uint32_t k = 0; k < form->n; k++) {
        int64_t factor;
        if (form->products[k].name == 0)
            continue;
        missing += !find_factor(other, form->products[k].name, &factor);
        *differ |= form->products[k].factor != factor;
    }
    return missing == 0 || (missing == 1 && count_products(form) > 1);
}

/* Pointers that are loaded twice from one place, such as a member of a parameter, point into one thing. */
static bool is_one_root(struct cw_lanes *lanes, const struct cw_place_of *a, cw_ref root, const struct cw_place_of *b,
                        cw_ref other) {
    if (cw_ref_eq(root, other))
        return true;
    if (root.tag == CW_REF_NONE || other.tag == CW_REF_NONE)
        return false;
    const struct cw_lane_value *x = cw_lanes_places(lanes, root, a->context);
    const struct cw_lane_value *y = cw_lanes_places(lanes, other, b->context);
    return x && y && cw_lane_value_base(x, a->thread).token != CW_NO_TOKEN &&
           cw_lane_value_base(x, a->thread).token == cw_lane_value_base(y, b->thread).token &&
           cw_cell_same(cw_lane_value_cell(x, a->thread), cw_lane_value_cell(y, b->thread));
}

static bool differ_in(struct cw_lanes *lanes, const struct cw_place_of *a, const struct cw_place_of *b,
                      bool by_origin) {
    struct form x = form_of(&(struct view){lanes, a->context, a->thread, by_origin}, a->pointer, FORM_DEPTH);
    struct form y = form_of(&(struct view){lanes, b->context, b->thread, by_origin}, b->pointer, FORM_DEPTH);
    bool differ = false;
    return !x.is_lost && !y.is_lost && is_one_root(lanes, a, x.root, b, y.root) && has_products_of(&x, &y, &differ) &&
           has_products_of(&y, &x, &differ) && differ;
}

bool cw_differ_in_sizes(struct cw_lanes *lanes, const struct cw_place_of *a, const struct cw_place_of *b) {
    return differ_in(lanes, a, b, false) || differ_in(lanes, a, b, true);
}
