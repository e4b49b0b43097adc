/* A unit built for eight architectures is parsed eight times only where its text asks for eight answers: two between
 * which no number lies that the text compares with give the same code. */
#include "cuda/arch.h"
#include "engine/archs.h"

#include <string.h>

enum { MAX_ALL = 64 };

struct one {
    uint32_t arch;
    bool specific; /* sm_90a: __CUDA_ARCH_FEAT_SM90_ALL is defined */
};

static bool comes_before(struct one one, struct one other) {
    return one.arch != other.arch ? one.arch < other.arch : one.specific < other.specific;
}

static uint32_t insert_arch(struct one *list, uint32_t n, struct one one) {
    uint32_t at = 0;
    while (at < n && comes_before(list[at], one))
        at++;
    if (n == MAX_ALL || (at < n && !comes_before(one, list[at])))
        return n;
    memmove(&list[at + 1], &list[at], (n - at) * sizeof *list);
    list[at] = one;
    return n + 1;
}

static void set_archs(struct cw_unit_options *options, const struct one *list, uint32_t n) {
    options->narchs = options->specific = 0;
    for (uint32_t i = 0; i < n && options->narchs < CW_MAX_ARCHS; i++) {
        options->specific |= (uint32_t)list[i].specific << options->narchs;
        options->archs[options->narchs++] = list[i].arch;
    }
}

void cw_archs_of_targets(struct cw_unit_options *options, const struct cw_target *targets, uint32_t n) {
    struct one list[MAX_ALL + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        count = insert_arch(list, count, (struct one){targets[i].virtual_sm, targets[i].suffix == 'a'});
    if (count)
        set_archs(options, list, count);
}

static bool has_its(uint32_t sm) {
    return (cw_arch_flags(sm) & CW_ARCH_ITS) != 0;
}

static bool has_own_code(const struct cw_unit_options *options, uint32_t real_sm) {
    for (uint32_t i = 0; i < options->ntargets; i++)
        if (options->targets[i].real_sm == real_sm && has_its(options->targets[i].virtual_sm))
            return true;
    return false;
}

struct cw_opt_out cw_archs_opt_out(const struct cw_unit_options *options) {
    for (uint32_t i = 0; i < options->ntargets; i++) {
        const struct cw_target *t = &options->targets[i];
        if (t->real_sm && has_its(t->real_sm) && !has_its(t->virtual_sm) && !has_own_code(options, t->real_sm))
            return (struct cw_opt_out){t->virtual_sm, t->real_sm};
    }
    return (struct cw_opt_out){0, 0};
}

static bool compare_alike(const struct cw_include_result *unit, uint32_t a, uint32_t b) {
    uint32_t x = a * 10, y = b * 10;
    for (uint32_t i = 0; i < unit->arch_numbers.n; i++) {
        uint32_t n = unit->arch_numbers.at[i];
        if ((x < n) != (y < n) || (x == n) != (y == n))
            return false;
    }
    return true;
}

/* Is the unit's text the same for both? */
static bool read_alike(const struct cw_include_result *unit, struct one one, struct one other) {
    if (!unit->names_arch)
        return true;
    return !unit->computes_arch && one.specific == other.specific && compare_alike(unit, one.arch, other.arch);
}

void cw_archs_reduce(struct cw_unit_options *options, const struct cw_include_result *unit) {
    struct one kept[CW_MAX_ARCHS + 1];
    uint32_t n = 0;
    for (uint32_t i = 0; i < options->narchs; i++) {
        struct one x = {options->archs[i], options->specific >> i & 1};
        bool is_known = false;
        for (uint32_t k = 0; k < n && !is_known; k++)
            is_known = read_alike(unit, kept[k], x);
        if (!is_known)
            kept[n++] = x;
    }
    set_archs(options, kept, n);
}
