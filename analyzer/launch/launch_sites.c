/* Launches as the host code of the unit writes them: dimensions and arguments by the values of host code. */
#include "launch/host_values.h"
#include "launch/launch_internal.h"

#include "base/hash.h"
#include "cfg/cfg.h"

#include <string.h>

struct site {
    struct cw_host_point point;
    const struct cw_fn *host;
    const struct cw_ins *launch;
    bool is_one_of_several; /* kernels, by its address */
    cw_ref *passed, *counted; /* of each argument, see note_passed() */
};

/* Of the launch that the walk returned. */
static struct site site_of(const struct cw_launch_walk *walk, const struct cw_ins *launch) {
    struct site s = {.host = walk->host, .launch = launch, .is_one_of_several = walk->path != NULL};
    cw_host_point_init(&s.point, walk->host, launch->block);
    cw_host_point_follow(&s.point, walk->path);
    return s;
}

uint32_t cw_launch_args_end(const struct cw_fn *host, const struct cw_ins *launch) {
    bool has_address = strcmp(host->callees.at[launch->aux], CW_LAUNCH_BY_POINTER) == 0;
    uint32_t more = (uint32_t)has_address + (launch->flags & CW_INS_ATTRIBUTES ? CW_LAUNCH_ATTRIBUTES : 0);
    return launch->narg > CW_LAUNCH_ARGS + more ? launch->narg - more : CW_LAUNCH_ARGS;
}

static bool value_of_operand(struct site *site, uint32_t k, int64_t *value) {
    return k < site->launch->narg && cw_host_value(&site->point, cw_arg(site->host, site->launch, k), value);
}

static bool read_dimensions(struct site *site, uint32_t first, uint32_t out[3]) {
    bool known = true;
    for (uint32_t d = 0; d < 3; d++) {
        int64_t value = 0;
        known &= value_of_operand(site, first + d, &value) && value > 0 && value <= INT32_MAX;
        out[d] = known ? (uint32_t)value : 0;
    }
    return known;
}

/* The elements that a pointer argument counts, the n of `x + n`; CW_NONE: it is no such sum. */
static cw_ref count_of(const struct cw_fn *host, cw_ref pointer) {
    const struct cw_ins *sum = cw_ins_of(host, cw_host_without_casts(host, pointer));
    if (!sum || sum->op != CW_OP_PTRADD)
        return CW_NONE;
    cw_ref count = cw_host_without_casts(host, cw_arg(host, sum, 1));
    const struct cw_ins *bytes = cw_ins_of(host, count);
    bool is_scaled = bytes && (bytes->op == CW_OP_MUL || bytes->op == CW_OP_SHL) &&
                     cw_ref_const(host, cw_arg(host, bytes, 1), NULL);
    return is_scaled ? cw_host_without_casts(host, cw_arg(host, bytes, 0)) : count;
}

static bool is_address_of(const struct cw_fn *host, cw_ref number, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(host, cw_host_without_casts(host, number));
    return i && i->op == CW_OP_PTRTOINT &&
           cw_ref_eq(cw_host_without_casts(host, cw_arg(host, i, 0)), cw_host_without_casts(host, pointer));
}

/* Is the value `last - first` of two pointers, and the last one this argument? */
static bool is_distance_to(const struct cw_fn *host, cw_ref value, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(host, value);
    if (i && (i->op == CW_OP_SDIV || i->op == CW_OP_ASHR) && cw_ref_const(host, cw_arg(host, i, 1), NULL))
        i = cw_ins_of(host, cw_host_without_casts(host, cw_arg(host, i, 0)));
    const struct cw_ins *first = i && i->op == CW_OP_SUB ? cw_ins_of(host, cw_arg(host, i, 1)) : NULL;
    return first && first->op == CW_OP_PTRTOINT && is_address_of(host, cw_arg(host, i, 0), pointer);
}

/* The values that are passed, without casts, and the elements up to which pointers among them count. */
static void note_passed(struct site *site, struct cw_arena *a) {
    uint32_t n = cw_launch_args_end(site->host, site->launch) - CW_LAUNCH_ARGS;
    site->passed = CW_NEW_ARRAY(a, cw_ref, n + 1);
    site->counted = CW_NEW_ARRAY(a, cw_ref, n + 1);
    for (uint32_t k = 0; k < n; k++) {
        cw_ref passed = cw_arg(site->host, site->launch, CW_LAUNCH_ARGS + k);
        site->passed[k] = cw_host_without_casts(site->host, passed);
        site->counted[k] = count_of(site->host, passed);
    }
}

/* The kernel's argument that the value is, or up to which it counts elements: its number + 1, or 0. */
static uint32_t argument_that_is(const struct site *site, cw_ref value) {
    uint32_t n = cw_launch_args_end(site->host, site->launch) - CW_LAUNCH_ARGS;
    value = cw_host_without_casts(site->host, value);
    if (value.tag == CW_REF_CONST)
        return 0;
    for (uint32_t k = 0; k < n; k++)
        if (cw_ref_eq(site->passed[k], value))
            return k + 1;
    for (uint32_t k = 0; k < n; k++)
        if ((site->counted[k].tag != CW_REF_NONE && cw_ref_eq(site->counted[k], value)) ||
            is_distance_to(site->host, value, cw_arg(site->host, site->launch, CW_LAUNCH_ARGS + k)))
            return k + 1;
    return 0;
}

/* grid.x is `n / blockDim.x` with the n that is passed as an argument: its number + 1. */
static uint32_t exact_cover(struct site *site, const struct cw_launch *launch) {
    const struct cw_fn *fn = site->host;
    const struct cw_ins *i = cw_ins_of(fn, cw_host_without_casts(fn, cw_arg(fn, site->launch, 0)));
    int64_t by, rows, layers;
    if (!i || launch->block[1] != 1 || launch->block[2] != 1 || !value_of_operand(site, 1, &rows) || rows != 1 ||
        !value_of_operand(site, 2, &layers) || layers != 1)
        return 0;
    bool is_shift = i->op == CW_OP_LSHR || i->op == CW_OP_ASHR;
    if ((!is_shift && i->op != CW_OP_SDIV && i->op != CW_OP_UDIV) ||
        !cw_host_value(&site->point, cw_arg(fn, i, 1), &by) || (is_shift && (by < 0 || by > 30)) ||
        (is_shift ? (int64_t)1 << by : by) != launch->block[0])
        return 0;
    return argument_that_is(site, cw_arg(fn, i, 0));
}

/* The value that is multiplied by a number, and the number; CW_NONE: another operation. */
static cw_ref multiplied(struct site *site, cw_ref product, int64_t *times) {
    const struct cw_fn *fn = site->host;
    const struct cw_ins *i = cw_ins_of(fn, cw_host_without_casts(fn, product));
    for (uint32_t k = 0; i && i->op == CW_OP_MUL && k < 2; k++)
        if (cw_host_value(&site->point, cw_arg(fn, i, 1 - k), times) && *times > 0)
            return cw_host_without_casts(fn, cw_arg(fn, i, k));
    if (!i || i->op != CW_OP_SHL || !cw_host_value(&site->point, cw_arg(fn, i, 1), times) || *times < 0 || *times > 30)
        return CW_NONE;
    *times = (int64_t)1 << *times;
    return cw_host_without_casts(fn, cw_arg(fn, i, 0));
}

/* grid.x is `(n + add) / by` or `(n + add) >> k` of an argument n, or `(n * 32 + add) / by`. */
static void read_grid(struct site *site, struct cw_launch *launch) {
    const struct cw_fn *fn = site->host;
    cw_ref n = cw_host_without_casts(fn, cw_arg(fn, site->launch, 0));
    int64_t by = 1, add = 0, shift;
    const struct cw_ins *i = cw_ins_of(fn, n);
    if (i && (i->op == CW_OP_SDIV || i->op == CW_OP_UDIV) && cw_host_value(&site->point, cw_arg(fn, i, 1), &by))
        n = cw_host_without_casts(fn, cw_arg(fn, i, 0));
    else if (i && (i->op == CW_OP_LSHR || i->op == CW_OP_ASHR) && cw_ref_const(fn, cw_arg(fn, i, 1), &shift) &&
             shift >= 0 && shift < 31) {
        by = (int64_t)1 << shift;
        n = cw_host_without_casts(fn, cw_arg(fn, i, 0));
    }
    i = cw_ins_of(fn, n);
    if (i && (i->op == CW_OP_ADD || i->op == CW_OP_SUB) && cw_host_value(&site->point, cw_arg(fn, i, 1), &add)) {
        add = i->op == CW_OP_SUB ? -add : add;
        n = cw_arg(fn, i, 0);
    }
    uint32_t param = argument_that_is(site, n);
    int64_t times = 1;
    if (!param && (n = multiplied(site, n, &times)).tag != CW_REF_NONE && add >= 0 && by % times == 0) {
        param = argument_that_is(site, n);
        add /= times;
        by /= times;
    }
    if (!param || by < 1 || by > INT32_MAX || add < -INT32_MAX || add > INT32_MAX)
        return;
    launch->grid_param = param;
    launch->grid_add = add;
    launch->grid_by = by;
}

static struct cw_launch_arg read_arg(struct site *site, uint32_t k) {
    struct cw_launch_arg out = cw_launch_arg_unknown;
    cw_ref arg = cw_arg(site->host, site->launch, k);
    bool is_int = cw_type_is_int(cw_ref_type(site->host, arg));
    if (!is_int)
        arg = count_of(site->host, arg);
    if (arg.tag == CW_REF_NONE)
        return out;
    out.known = is_int && value_of_operand(site, k, &out.value);
    if (out.known)
        return out;
    struct cw_host_bound range = cw_host_range(&site->point, arg);
    out.divisor = cw_host_divisor(&site->point, arg);
    out.least = range.least;
    out.most = range.most;
    return out;
}

static void read_args(struct site *site, struct cw_launch *launch, struct cw_arena *a) {
    launch->nargs = cw_launch_args_end(site->host, site->launch) - CW_LAUNCH_ARGS;
    launch->args = cw_arena_alloc(a, sizeof *launch->args * launch->nargs);
    note_passed(site, a);
    for (uint32_t k = 0; k < launch->nargs; k++) {
        launch->args[k] = read_arg(site, CW_LAUNCH_ARGS + k);
        cw_ref arg = cw_arg(site->host, site->launch, CW_LAUNCH_ARGS + k);
        if (!cw_type_is_int(cw_ref_type(site->host, arg)))
            arg = count_of(site->host, arg);
        uint32_t first = arg.tag != CW_REF_NONE ? argument_that_is(site, arg) : 0;
        launch->args[k].same_as = launch->args[k].known || first == k + 1 ? 0 : first;
    }
}

/* A helper that gets the kernel's address launches many: the call of it is the place that says something. */
static struct cw_span place_of(const struct site *site) {
    const struct cw_fn *host = site->host;
    uint32_t loc = site->launch->loc, inlined = host->locs.at[loc].site;
    bool is_helper = strcmp(host->callees.at[site->launch->aux], CW_LAUNCH_BY_POINTER) == 0;
    return host->locs.at[is_helper && inlined ? host->sites.at[inlined].loc : loc].span;
}

static uint32_t read_cluster(struct site *site) {
    uint32_t end = cw_launch_args_end(site->host, site->launch);
    int64_t blocks;
    if (!(site->launch->flags & CW_INS_ATTRIBUTES))
        return 1;
    site->point.ways = 0;
    return value_of_operand(site, end, &blocks) && blocks > 0 && blocks <= INT32_MAX ? (uint32_t)blocks : 0;
}

static bool may_be_cooperative(struct site *site) {
    int64_t value;
    if (!(site->launch->flags & CW_INS_ATTRIBUTES))
        return site->launch->flags & CW_INS_COOPERATIVE;
    site->point.ways = 0;
    return !value_of_operand(site, cw_launch_args_end(site->host, site->launch) + 1, &value) || value != 0;
}

bool cw_launch_may_be_cooperative(const struct cw_launch_walk *walk, const struct cw_ins *launch) {
    struct site site = site_of(walk, launch);
    return may_be_cooperative(&site);
}

/* The rest of a launch whose block is known. */
static void read_launch(struct site *site, struct cw_launch *launch, struct cw_arena *a) {
    int64_t bytes;
    launch->span = place_of(site);
    launch->cooperative = may_be_cooperative(site);
    launch->cluster = read_cluster(site);
    launch->grid_known = read_dimensions(site, 0, launch->grid);
    for (uint32_t d = 0; d < 3 && !launch->grid_known; d++) {
        int64_t blocks; /* `dim3 grid(1, n)` */
        launch->grid_single |= (uint8_t)((value_of_operand(site, d, &blocks) && blocks == 1) << d);
    }
    launch->dynamic_known = value_of_operand(site, 6, &bytes) && bytes >= 0;
    launch->dynamic_shared = launch->dynamic_known ? (uint64_t)bytes : 0;
    read_args(site, launch, a);
    launch->exact_cover_param = exact_cover(site, launch);
    if (!launch->grid_known)
        read_grid(site, launch);
}

static void add_site(struct site *site, struct cw_launch_list *list) {
    struct cw_launch l = {.source = CW_LAUNCH_SITE};
    struct cw_host_point *p = &site->point;
    p->ways = 0;
    if (read_dimensions(site, 3, l.block)) {
        p->ways = 0; /* what the rest lacks is left unknown */
        read_launch(site, &l, list->arena);
        cw_launch_add(list, &l);
        return;
    }
    struct cw_host_choice open = p->wanted;
    uint32_t ways = p->ways;
    /* Which of the ways goes with this kernel is not known: to try them all would pair what never meets. */
    ways = site->is_one_of_several ? 0 : ways;
    list->incomplete |= ways == 0;
    for (uint32_t w = 0; w < ways; w++) {
        open.way = w;
        p->choice[p->nchoice++] = open;
        add_site(site, list); /* at most CW_HOST_CHOICES deep */
        p->nchoice--;
    }
}

/* A pattern is run by the launches of its instantiations. */
static bool is_launch_of(const struct cw_module_launch *launch, const struct cw_fn *kernel) {
    const char *pattern = kernel->assumed ? kernel->pattern_key : kernel->key; /* stands for every instance of it */
    return launch->callee == kernel->key || launch->callee == kernel->pattern_key ||
           (launch->pattern && launch->pattern == pattern);
}

const struct cw_ins *cw_launch_next(struct cw_launch_walk *launch_walk) {
    while (launch_walk->at < launch_walk->module->launches.n) {
        const struct cw_module_launch *l = &launch_walk->module->launches.at[launch_walk->at++];
        if (is_launch_of(l, launch_walk->kernel)) {
            launch_walk->host = l->host;
            launch_walk->path = l->path;
            return &l->host->ins.at[l->ins];
        }
    }
    return NULL;
}

void cw_launch_add_sites(struct cw_launch_list *list, const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    for (const struct cw_ins *i; (i = cw_launch_next(&w));) {
        struct site s = site_of(&w, i);
        add_site(&s, list);
    }
}

/* ---- blocks that the host computes from values that nobody knows ---- */

/* Sizes that programs have, the likeliest first. */
static const int64_t usual_sizes[] = {256, 1024, 512, 128, 64, 2048, 4096, 192, 384, 16,
                                       8, 32, 4, 2, 1, 16384, 65536, 255, 1023, 127};
enum { USUAL_SIZES = sizeof usual_sizes / sizeof *usual_sizes, CHOSEN_PER_SITE = 4, UNKNOWNS_MAX = 4, WARP = 32 };

static bool may_be(const struct cw_host_point *host_point, cw_ref ref, int64_t value) {
    struct cw_host_bound range = cw_host_range(host_point, ref);
    return value >= range.least && value <= range.most && value % cw_host_divisor(host_point, ref) == 0;
}

static const char *name_of_host_value(const struct cw_fn *host, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(host, ref);
    cw_ref at = i && i->op == CW_OP_LOAD ? cw_arg(host, i, 0) : CW_NONE;
    if (ref.tag == CW_REF_PARAM)
        return host->params.at[ref.index].name;
    return at.tag == CW_REF_OBJECT ? host->objects.at[at.index].name : NULL;
}

static const char *chosen_text(const struct site *site, struct cw_arena *a) {
    const char *text = "";
    for (uint32_t k = 0; k < site->point.nassumed; k++) {
        const struct cw_host_equality *e = &site->point.assumed[k];
        const char *name = name_of_host_value(site->host, e->value);
        text = cw_arena_printf(a, "%s%s%s = %lld", text, *text ? ", " : "", name && *name ? name : "a host value",
                               (long long)e->constant);
    }
    return text;
}

/* What a kernel sees of its launch. */
static uint64_t hash_launch(const struct cw_launch *launch) {
    uint64_t h = cw_mix(launch->grid_known, launch->grid_single);
    for (uint32_t d = 0; d < 3; d++)
        h = cw_mix(cw_mix(h, launch->block[d]), launch->grid_known ? launch->grid[d] : 0);
    h = cw_mix(cw_mix(h, launch->dynamic_known), launch->dynamic_shared);
    h = cw_mix(cw_mix(cw_mix(h, launch->exact_cover_param), launch->grid_param), (uint64_t)launch->grid_add);
    h = cw_mix(cw_mix(cw_mix(h, (uint64_t)launch->grid_by), launch->cluster), launch->cooperative);
    for (uint32_t k = 0; k < launch->nargs; k++) {
        const struct cw_launch_arg *arg = &launch->args[k];
        h = cw_mix(cw_mix(h, (uint64_t)arg->known << 1 | arg->likely), (uint64_t)arg->value);
        h = cw_mix(cw_mix(cw_mix(h, (uint64_t)arg->divisor), (uint64_t)arg->least), (uint64_t)arg->most);
    }
    return h;
}

/* Does the kernel fit the launch? One that many sites and values lead to is tried once. */
static bool does_fit(struct cw_launch_list *list, const struct cw_fn *kernel, const struct cw_launch *launch) {
    uint64_t key = hash_launch(launch);
    if (cw_map_get(&list->tried, key, NULL))
        return false;
    bool fits = list->fits(kernel, launch, NULL);
    if (!fits)
        cw_map_put(&list->tried, key, 1);
    return fits;
}

/* Adds the launch under the values that the point assumes; false when they give no block, or one that is there
 * already. */
static bool add_chosen(struct site *site, struct cw_launch_list *list, const struct cw_fn *kernel, uint32_t multiple) {
    struct cw_launch l = {.source = CW_LAUNCH_CHOSEN};
    uint32_t before = list->at.n;
    site->point.ways = 0;
    if (!read_dimensions(site, 3, l.block) || !cw_launch_is_possible(l.block) || cw_launch_threads(&l) % multiple != 0)
        return false;
    for (uint32_t k = 0; k < list->at.n; k++)
        if (memcmp(list->at.at[k].block, l.block, sizeof l.block) == 0)
            return false;
    read_launch(site, &l, list->arena);
    if (does_fit(list, kernel, &l)) {
        l.chosen = chosen_text(site, list->arena);
        cw_launch_add(list, &l);
    }
    return list->at.n > before;
}

static bool depends_on(struct site *site, cw_ref ref, const cw_ref *unknown, uint32_t n) {
    cw_ref found[UNKNOWNS_MAX];
    uint32_t nfound = 0;
    cw_host_unknowns(&site->point, ref, found, &nfound, UNKNOWNS_MAX);
    for (uint32_t k = 0; k < nfound; k++)
        for (uint32_t u = 0; u < n; u++)
            if (cw_ref_eq(found[k], unknown[u]))
                return true;
    return false;
}

/* `dim3(w, threads / w)` where w is a number of some structure, such as the properties of a device: the block has rows
 * of w threads, which mostly are warps. Numbers that are chosen for it, and for what it divides, would say nothing. */
static bool has_rows_of_warps(struct site *site, cw_ref unknown) {
    const struct cw_ins *ins = cw_ins_of(site->host, unknown);
    cw_ref x = cw_host_without_casts(site->host, cw_arg(site->host, site->launch, 3));
    cw_ref y = cw_host_without_casts(site->host, cw_arg(site->host, site->launch, 4));
    return ins && ins->op == CW_OP_LOAD && cw_arg(site->host, ins, 0).tag != CW_REF_OBJECT && cw_ref_eq(x, unknown) &&
           !cw_ref_eq(y, unknown) && depends_on(site, y, &unknown, 1);
}

static void choose_values(struct site *site, const cw_ref *unknown, uint32_t n, struct cw_launch_list *list,
                          const struct cw_fn *kernel, uint32_t multiple) {
    uint32_t added = 0, second = n > 1 ? USUAL_SIZES : 1;
    for (uint32_t k = 0; k < USUAL_SIZES * second && added < CHOSEN_PER_SITE && list->at.n < CW_LAUNCHES_MAX; k++) {
        const int64_t value[CW_HOST_ASSUMED] = {usual_sizes[k % USUAL_SIZES], usual_sizes[k / USUAL_SIZES]};
        bool may = true;
        site->point.nassumed = 0;
        for (uint32_t u = 0; u < n; u++)
            may &= may_be(&site->point, unknown[u], value[u]);
        for (uint32_t u = 0; u < n; u++)
            site->point.assumed[site->point.nassumed++] = (struct cw_host_equality){unknown[u], value[u]};
        added += may && add_chosen(site, list, kernel, multiple);
    }
    site->point.nassumed = 0;
}

static bool is_bare(const struct site *site, uint32_t operand, const cw_ref *unknown, uint32_t n) {
    cw_ref r = cw_host_without_casts(site->host, cw_arg(site->host, site->launch, operand));
    for (uint32_t k = 0; k < n; k++)
        if (cw_ref_eq(unknown[k], r))
            return true;
    return r.tag == CW_REF_CONST;
}

/* Is something computed from the unknowns, in the block or beside it? Else the block is any, and ordinary shapes serve
 * better. */
static bool is_computed(struct site *site, const cw_ref *unknown, uint32_t n) {
    for (uint32_t k = 3; k < cw_launch_args_end(site->host, site->launch); k++) {
        cw_ref r = cw_arg(site->host, site->launch, k);
        if (!is_bare(site, k, unknown, n) && cw_type_is_int(cw_ref_type(site->host, r)) &&
            depends_on(site, r, unknown, n))
            return true;
    }
    return false;
}

/* Chooses values for the unknowns of one launch's block, whose threads are to be a multiple of `multiple`. False: there
 * is nothing to choose. */
static bool choose_at(struct site *site, struct cw_launch_list *list, const struct cw_fn *kernel, uint32_t multiple) {
    cw_ref unknown[CW_HOST_ASSUMED];
    uint32_t n = 0;
    for (uint32_t d = 0; d < 3; d++)
        if (!cw_host_unknowns(&site->point, cw_arg(site->host, site->launch, 3 + d), unknown, &n, CW_HOST_ASSUMED))
            return false;
    if (!n || !is_computed(site, unknown, n))
        return false;
    for (uint32_t u = 0; u < n; u++)
        if (has_rows_of_warps(site, unknown[u]))
            return false;
    choose_values(site, unknown, n, list, kernel, multiple);
    return true;
}

void cw_launch_add_chosen(struct cw_launch_list *list, const struct cw_module *m, const struct cw_fn *kernel) {
    static const uint32_t multiple[] = {WARP, 1}; /* blocks with a warp in part only where there are no others */
    bool all = true;
    for (uint32_t pass = 0; pass < 2 && all && !list->at.n; pass++) {
        struct cw_launch_walk w = {.module = m, .kernel = kernel};
        for (const struct cw_ins *i; all && (i = cw_launch_next(&w));) {
            struct site s = site_of(&w, i);
            all = choose_at(&s, list, kernel, multiple[pass]);
        }
    }
    if (!all) /* another launch has any block */
        list->at.n = 0;
}

/* The argument that is the block's extent at this launch, as in `k<<<blocks, n>>>(data, n)`: its number + 1, else 0. */
static uint32_t extent_argument(const struct cw_fn *host, const struct cw_ins *launch) {
    cw_ref x = cw_host_without_casts(host, cw_arg(host, launch, 3));
    int64_t y, z;
    if (x.tag == CW_REF_CONST || !cw_ref_const(host, cw_arg(host, launch, 4), &y) || y != 1 ||
        !cw_ref_const(host, cw_arg(host, launch, 5), &z) || z != 1)
        return 0;
    for (uint32_t k = CW_LAUNCH_ARGS; k < cw_launch_args_end(host, launch); k++)
        if (cw_ref_eq(cw_host_without_casts(host, cw_arg(host, launch, k)), x))
            return k - CW_LAUNCH_ARGS + 1;
    return 0;
}

uint32_t cw_launch_dimensions(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    uint32_t most = 0;
    for (const struct cw_ins *i; (i = cw_launch_next(&w));) {
        struct site s = site_of(&w, i);
        for (uint32_t d = 3; d > most; d--) {
            int64_t extent;
            if (d == 1 || !value_of_operand(&s, 2 + d, &extent) || extent != 1)
                most = d;
        }
    }
    return most ? most : 3;
}

uint32_t cw_launch_extent_param(const struct cw_module *m, const struct cw_fn *kernel) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    const struct cw_ins *i = cw_launch_next(&w);
    uint32_t param = i ? extent_argument(w.host, i) : 0;
    while (param && (i = cw_launch_next(&w)))
        if (extent_argument(w.host, i) != param)
            param = 0;
    return param;
}

static int64_t min_i64(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t max_i64(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void keep_equal(struct cw_launch *common, const struct cw_launch *other) {
    for (uint32_t k = 0; k < common->nargs; k++) {
        struct cw_launch_arg *c = &common->args[k], o = k < other->nargs ? other->args[k] : cw_launch_arg_unknown;
        int64_t divisor = cw_host_common_divisor(c->known ? c->value : c->divisor, o.known ? o.value : o.divisor);
        c->least = min_i64(c->known ? c->value : c->least, o.known ? o.value : o.least);
        c->most = max_i64(c->known ? c->value : c->most, o.known ? o.value : o.most);
        bool is_told = c->known || c->likely, is_told_too = o.known || o.likely, is_equal = c->value == o.value;
        c->likely = is_told && is_told_too ? is_equal : is_told || is_told_too;
        c->value = is_told ? c->value : o.value;
        c->known = c->known && o.known && is_equal;
        c->likely &= !c->known;
        c->same_as = c->same_as == o.same_as ? c->same_as : 0;
        c->divisor = c->known || divisor < 1 || divisor > CW_HOST_DIVISOR_MAX ? 1 : divisor;
    }
}

static bool says_nothing(const struct cw_launch_arg *launch_arg) {
    return !launch_arg->known && !launch_arg->likely && !launch_arg->same_as && launch_arg->divisor == 1 &&
           launch_arg->least == INT64_MIN && launch_arg->most == INT64_MAX;
}

/* The arguments of one launch, merged into what all before it have in common. */
static void merge_args(struct cw_launch *common, bool is_first, const struct cw_launch_walk *walk,
                       const struct cw_ins *launch, struct cw_arena *a) {
    struct site s = site_of(walk, launch);
    struct cw_launch here = {0};
    read_args(&s, &here, a);
    if (is_first)
        *common = here;
    else
        keep_equal(common, &here);
}

void cw_launch_common_args(const struct cw_module *m, const struct cw_fn *kernel, struct cw_arena *a,
                           struct cw_launch *common) {
    struct cw_launch_walk w = {.module = m, .kernel = kernel};
    bool is_first = true;
    for (const struct cw_ins *i; (i = cw_launch_next(&w)); is_first = false)
        merge_args(common, is_first, &w, i, a);
    while (common->nargs && says_nothing(&common->args[common->nargs - 1]))
        common->nargs--;
}
