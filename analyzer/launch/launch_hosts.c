/* Host functions, made ready for reading launches off them. */
#include "base/hash.h"
#include "cfg/cfg.h"
#include "launch/host_arrays.h"
#include "launch/launch.h"
#include "launch/named_kernels.h"

#include <string.h>

/* What host code may become when calls are inlined: of one function, and of all together, in proportion to what was
 * lowered. Where callers have used that up, a function that names a kernel still gets what a helper needs that
 * launches it. */
enum { MAX_HOST_INSTRUCTIONS = 20000, UNIT_INSTRUCTIONS = 40000, GROWTH = 4, LEAST_GROWTH = 600 };

/* A kernel's instance that is not lowered, as enough others are: its launches say nothing of those. */
static bool is_left_out(const struct cw_module *m, const char *callee) {
    uint64_t pattern = 0;
    return !cw_module_find(m, callee) && cw_map_get(&m->patterns, (uint64_t)(uintptr_t)callee, &pattern) &&
           (const char *)(uintptr_t)pattern != callee && !cw_module_find(m, (const char *)(uintptr_t)pattern);
}

/* One that counts, for the module itself or for another one (or NULL), or one that asks a module for a kernel, for
 * others to launch. */
static bool has_launch(const struct cw_module *m, const struct cw_module *other, const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        const char *callee = i->op == CW_OP_LAUNCH ? fn->callees.at[i->aux] : NULL;
        if (cw_is_kernel_by_name(fn, i) ||
            (callee && (!is_left_out(m, callee) || (other && cw_module_find(other, callee)))))
            return true;
    }
    return false;
}

static bool calls_marked(const struct cw_module *m, const struct cw_fn *fn, const struct cw_map *marked) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        if (fn->ins.at[k].op != CW_OP_CALL)
            continue;
        const struct cw_fn *callee = cw_module_find(m, fn->callees.at[fn->ins.at[k].aux]);
        if (callee && callee->kind == CW_FN_HOST && cw_map_get(marked, (uint64_t)(uintptr_t)callee, NULL))
            return true;
    }
    return false;
}

/* Functions that launch, themselves or through host functions that they call. */
static void mark_launching(const struct cw_module *m, const struct cw_module *other, struct cw_map *marked) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < m->fns.n; k++) {
            struct cw_fn *fn = m->fns.at[k];
            if (fn->kind != CW_FN_HOST || cw_map_get(marked, (uint64_t)(uintptr_t)fn, NULL))
                continue;
            if (!has_launch(m, other, fn) && !calls_marked(m, fn, marked))
                continue;
            cw_map_put(marked, (uint64_t)(uintptr_t)fn, 1);
            changed = true;
        }
    }
}

static uint32_t min_u32(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t instructions_for_all(const struct cw_module *m) {
    uint64_t n = UNIT_INSTRUCTIONS;
    for (uint32_t k = 0; k < m->fns.n; k++)
        n += (uint64_t)m->fns.at[k]->ins.n * GROWTH;
    return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* The address of a kernel is one that a helper may be handed. */
static bool names_kernel(const struct cw_module *m, const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (cw_is_kernel_by_name(fn, i))
            return true;
        const struct cw_fn *named = i->op == CW_OP_PURE && !i->narg ? cw_module_find(m, fn->texts.at[i->aux]) : NULL;
        if (named && named->kind == CW_FN_KERNEL)
            return true;
    }
    return false;
}

/* ---- which kernel ---- */

static bool is_by_pointer(const struct cw_fn *host, const struct cw_ins *launch) {
    return strcmp(host->callees.at[launch->aux], CW_LAUNCH_BY_POINTER) == 0;
}

struct addressed {
    struct cw_named_kernel kernel;
    struct cw_address_path path;
    bool is_of_several;
};

struct search {
    const struct cw_module *m;
    const struct cw_fn *host;
    struct cw_arena *arena;
    struct cw_map seen; /* joins, selects and loads */
    bool is_of_several; /* which of the kernels is an element's index, or an instance of a template */
    CW_VEC(struct addressed) found;
};

static void add_kernel(struct search *search, struct cw_named_kernel kernel, const struct cw_address_path *path) {
    cw_vec_push(search->arena, &search->found, ((struct addressed){kernel, *path, search->is_of_several}));
}

/* A kernel of another unit is known by the name alone. */
static void add_named(struct search *search, const char *string_key, const struct cw_address_path *path) {
    struct cw_named_kernel kernel = {string_key, NULL};
    if (cw_is_string_key(string_key))
        (void)cw_kernel_by_name(search->m, string_key, &kernel);
    if (cw_is_string_key(string_key))
        add_kernel(search, kernel, path);
}

/* The key as that of a template with instances that are kernels; NULL: it is none. */
static const char *kernel_template(const struct cw_module *m, const char *text) {
    const char *key = cw_intern_find(&m->names, text);
    for (uint32_t k = 0; key && k < m->fns.n; k++)
        if (m->fns.at[k]->kind == CW_FN_KERNEL && m->fns.at[k]->pattern_key == key)
            return key;
    return NULL;
}

static void find_kernels(struct search *search, cw_ref address, struct cw_address_path path);

/* The object that a pointer leads into, and the constant distance from its beginning, or -1. */
static cw_ref place_in_object(const struct cw_fn *host, cw_ref pointer, int64_t *offset) {
    const struct cw_ins *i = cw_ins_of(host, pointer);
    *offset = 0;
    for (uint32_t step = 0; i && i->op == CW_OP_PTRADD && step < CW_ADDRESS_STEPS; step++) {
        int64_t more;
        bool is_known = *offset >= 0 && cw_ref_const(host, cw_arg(host, i, 1), &more) && more >= 0;
        *offset = is_known ? *offset + more : -1;
        pointer = cw_arg(host, i, 0);
        i = cw_ins_of(host, pointer);
    }
    return pointer;
}

/* `kernels[i]`: all that the function stores there. */
static void find_in_table(struct search *search, const struct cw_ins *load, struct cw_address_path path) {
    const struct cw_fn *host = search->host;
    int64_t from, to;
    cw_ref table = place_in_object(host, cw_arg(host, load, 0), &from);
    if (table.tag != CW_REF_OBJECT)
        return;
    search->is_of_several = true;
    for (uint32_t k = 0; k < host->ins.n; k++) {
        const struct cw_ins *store = &host->ins.at[k];
        if (store->op != CW_OP_STORE || host->cfg->rpo_index[store->block] == CW_NO_BLOCK)
            continue;
        cw_ref place = place_in_object(host, cw_arg(host, store, 1), &to);
        if (cw_ref_eq(place, table) && (from < 0 || to < 0 || from == to))
            find_kernels(search, cw_arg(host, store, 0), path);
    }
}

/* The kernels whose address the value may be, through what joins or chooses values. A path of more than
 * CW_ADDRESS_STEPS keeps the last ones: the code before them is the most specific. */
static void find_kernels(struct search *search, cw_ref address, struct cw_address_path path) {
    const struct cw_ins *i = cw_ins_of(search->host, address);
    if (address.tag == CW_REF_OBJECT)
        add_named(search, search->host->objects.at[address.index].key, &path);
    if (!i)
        return;
    const char *text = i->op == CW_OP_PURE ? search->host->texts.at[i->aux] : "";
    const struct cw_fn *kernel = i->op == CW_OP_PURE && !i->narg ? cw_module_find(search->m, text) : NULL;
    const char *of_template = i->op == CW_OP_PURE && !i->narg && !kernel ? kernel_template(search->m, text) : NULL;
    if (kernel && kernel->kind == CW_FN_KERNEL)
        add_kernel(search, (struct cw_named_kernel){kernel->key, kernel->pattern_key}, &path);
    if (of_template) {
        search->is_of_several = true;
        add_kernel(search, (struct cw_named_kernel){of_template, NULL}, &path);
    }
    bool is_conversion = i->op == CW_OP_PURE && i->narg == 1 && i->type == CW_AGG; /* to `K` of a host template */
    if (cw_is_kernel_by_name(search->host, i) || is_conversion)
        find_kernels(search, cw_arg(search->host, i, 0), path);
    if (i->op == CW_OP_LOAD && !cw_map_get(&search->seen, address.index, NULL)) {
        cw_map_put(&search->seen, address.index, 1);
        find_in_table(search, i, path);
    }
    if ((i->op != CW_OP_PHI && i->op != CW_OP_SELECT) || cw_map_get(&search->seen, address.index, NULL))
        return;
    cw_map_put(&search->seen, address.index, 1);
    if (path.n == CW_ADDRESS_STEPS)
        memmove(path.at, path.at + 1, --path.n * sizeof *path.at);
    uint32_t first = i->op == CW_OP_SELECT;
    for (uint32_t k = first; k < i->narg; k++) {
        path.at[path.n] = (struct cw_address_step){address.index, k - first};
        struct cw_address_path longer = path;
        longer.n++;
        find_kernels(search, cw_arg(search->host, i, k), longer);
    }
}

static struct search kernels_behind(const struct cw_module *m, const struct cw_fn *host, const struct cw_ins *launch,
                                    struct cw_arena *scratch) {
    struct search search = {.m = m, .host = host, .arena = scratch};
    cw_map_init(&search.seen, scratch);
    cw_ref address = cw_arg(host, launch, launch->narg - 1);
    find_kernels(&search, address, (struct cw_address_path){0});
    if (!search.found.n)
        add_named(&search, cw_kernel_name_stored(m, host, address), &(struct cw_address_path){0});
    return search;
}

/* Of the kernel, or of all those whose address it may be. */
static uint64_t hash_kernel(const struct cw_module *m, const struct cw_fn *host, const struct cw_ins *launch,
                            struct cw_arena *scratch) {
    const char *callee = host->callees.at[launch->aux];
    uint64_t hash = cw_hash(callee, strlen(callee), 0);
    if (!is_by_pointer(host, launch))
        return hash;
    struct search search = kernels_behind(m, host, launch, scratch);
    for (uint32_t k = 0; k < search.found.n; k++) {
        const char *key = search.found.at[k].kernel.callee;
        hash += cw_hash(key, strlen(key), 0);
    }
    return hash;
}

/* ---- launches that callers tell more of ---- */

static uint64_t hash_span(uint64_t seed, const struct cw_span *at) {
    const uint32_t key[3] = {at->file, at->line, at->col};
    return cw_hash(key, sizeof key, seed);
}

/* A launch is known by its kernel, its place and by the calls it was inlined through, the innermost first. The hash
 * of all of them; `prefixes`, when given, receives those of all shorter lists. */
static uint64_t hash_launch(const struct cw_fn *fn, const struct cw_ins *launch, uint64_t kernel,
                            struct cw_map *prefixes) {
    uint64_t hash = hash_span(kernel, &fn->locs.at[launch->loc].span);
    for (uint32_t site = fn->locs.at[launch->loc].site; site; site = fn->locs.at[fn->sites.at[site].loc].site) {
        if (prefixes)
            cw_map_put(prefixes, hash, 1);
        hash = hash_span(hash, &fn->locs.at[fn->sites.at[site].loc].span);
    }
    return hash;
}

static bool is_host_launch(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->op == CW_OP_LAUNCH && fn->cfg && fn->cfg->rpo_index[ins->block] != CW_NO_BLOCK;
}

/* Where a helper's launch was inlined into the helper's callers, their copies have the arguments that they pass: the
 * helper's own copy says nothing that they do not say. */
static void mark_superseded(struct cw_module *m, struct cw_arena *scratch) {
    struct cw_map prefixes;
    cw_map_init(&prefixes, scratch);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t f = 0; f < m->fns.n; f++) {
            struct cw_fn *fn = m->fns.at[f];
            for (uint32_t k = 0; fn->kind == CW_FN_HOST && k < fn->ins.n; k++) {
                struct cw_ins *i = &fn->ins.at[k];
                if (!is_host_launch(fn, i))
                    continue;
                uint64_t hash = hash_launch(fn, i, hash_kernel(m, fn, i, scratch), pass ? NULL : &prefixes);
                if (pass && cw_map_get(&prefixes, hash, NULL))
                    i->flags |= CW_INS_SUPERSEDED;
            }
        }
}

/* ---- functions with their callees ---- */

enum { MAX_COVERED_CALLS = 64 };

/* The walk from a helper, as it was lowered, to all launches that it may reach. */
struct coverage {
    const struct cw_module *m;
    const struct cw_map *marked, *prefixes;
    const struct cw_span *calls[MAX_COVERED_CALLS]; /* the outermost first */
    uint32_t ncalls, steps;
};

static bool is_launch_covered(const struct coverage *coverage, const struct cw_fn *fn, const struct cw_ins *launch) {
    const char *callee = fn->callees.at[launch->aux];
    if (is_by_pointer(fn, launch))
        return false;
    uint64_t hash = hash_span(cw_hash(callee, strlen(callee), 0), &fn->locs.at[launch->loc].span);
    for (uint32_t k = coverage->ncalls; k-- > 0;)
        hash = hash_span(hash, coverage->calls[k]);
    return cw_map_get(coverage->prefixes, hash, NULL);
}

/* Are all launches that the function may reach in the copies that its callers have of it? They count, then, and its
 * own copy would not: see mark_superseded(). */
static bool is_covered(struct coverage *coverage, const struct cw_fn *fn) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (++coverage->steps > MAX_HOST_INSTRUCTIONS || cw_is_kernel_by_name(fn, i) ||
            (i->op == CW_OP_LAUNCH && !is_launch_covered(coverage, fn, i)))
            return false;
        const struct cw_fn *callee =
            i->op == CW_OP_CALL ? cw_module_find(coverage->m, fn->callees.at[i->aux]) : NULL;
        if (!callee || !cw_map_get(coverage->marked, (uint64_t)(uintptr_t)callee, NULL))
            continue;
        if (coverage->ncalls == MAX_COVERED_CALLS)
            return false;
        coverage->calls[coverage->ncalls++] = &fn->locs.at[i->loc].span;
        if (!is_covered(coverage, callee))
            return false;
        coverage->ncalls--;
    }
    return true;
}

/* Of those launches of the function whose kernel is written. */
static void add_prefixes(const struct cw_fn *fn, struct cw_map *prefixes) {
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *launch = &fn->ins.at[k];
        if (!is_host_launch(fn, launch) || is_by_pointer(fn, launch))
            continue;
        const char *callee = fn->callees.at[launch->aux];
        (void)hash_launch(fn, launch, cw_hash(callee, strlen(callee), 0), prefixes);
    }
}

static struct cw_fn *make_host(struct cw_module *m, const struct cw_fn *fn, uint32_t max_ins) {
    struct cw_fn *made = cw_inline(fn, m->arena, max_ins);
    cw_optimize(made);
    cw_cfg_build(made);
    cw_host_find_tables(made);
    cw_host_find_stored_once(made);
    return made;
}

/* Functions of the module by their numbers, each after its callees. */
struct host_order {
    const struct cw_module *m;
    const struct cw_map *marked;
    struct cw_map numbers; /* of functions that are not in the order yet */
    uint32_t *at, n;
};

static void add_to_order(struct host_order *order, const struct cw_fn *fn) {
    uint64_t number = 0, key = (uint64_t)(uintptr_t)fn;
    if (!cw_map_get(order->marked, key, NULL) || !cw_map_get(&order->numbers, key, &number) || !number)
        return;
    cw_map_put(&order->numbers, key, 0);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        const struct cw_fn *callee = i->op == CW_OP_CALL ? cw_module_find(order->m, fn->callees.at[i->aux]) : NULL;
        if (callee)
            add_to_order(order, callee);
    }
    order->at[order->n++] = (uint32_t)number - 1;
}

static struct host_order order_hosts(const struct cw_module *m, const struct cw_map *marked, struct cw_arena *scratch) {
    struct host_order order = {.m = m, .marked = marked, .at = CW_NEW_ARRAY(scratch, uint32_t, m->fns.n + 1)};
    cw_map_init(&order.numbers, scratch);
    for (uint32_t k = 0; k < m->fns.n; k++)
        cw_map_put(&order.numbers, (uint64_t)(uintptr_t)m->fns.at[k], k + 1);
    for (uint32_t k = 0; k < m->fns.n; k++)
        add_to_order(&order, m->fns.at[k]);
    return order;
}

/* Callers have the constants: they come first. A helper whose launches are all among theirs stays as it is, and has no
 * graph. */
static void make_hosts(struct cw_module *m, const struct cw_map *marked, struct cw_fn **made,
                       struct cw_arena *scratch) {
    uint32_t left = instructions_for_all(m);
    struct host_order order = order_hosts(m, marked, scratch);
    struct cw_map prefixes;
    cw_map_init(&prefixes, scratch);
    while (order.n) {
        uint32_t k = order.at[--order.n];
        const struct cw_fn *fn = m->fns.at[k];
        struct coverage coverage = {.m = m, .marked = marked, .prefixes = &prefixes};
        if (is_covered(&coverage, fn))
            continue;
        uint32_t least = names_kernel(m, fn) ? fn->ins.n + LEAST_GROWTH : 0;
        made[k] = make_host(m, fn, min_u32(left > least ? left : least, MAX_HOST_INSTRUCTIONS));
        left -= min_u32(left, made[k]->ins.n);
        add_prefixes(made[k], &prefixes);
    }
}

/* ---- the list of launches ---- */

static uint64_t hash_call(const char *kernel, const struct cw_span *call) {
    return hash_span(cw_hash(kernel, strlen(kernel), 0), call);
}

/* What a call of a helper says by itself, and what the helper's launch says where it was inlined there: one of the two
 * counts. The call's dimensions are not touched by what the helper does before it launches; where the call has none,
 * the helper knows more. */
struct listing {
    struct cw_module *m;
    struct cw_fn *host;
    struct cw_arena *scratch;
    struct cw_map known; /* direct launches whose block is given, by kernel and place */
    struct cw_map calls; /* of launches by pointer that count, the calls that they were inlined through */
};

static const char *direct_kernel(const struct listing *listing, const struct cw_ins *launch, uint64_t *hash) {
    const char *key = listing->host->callees.at[launch->aux];
    const struct cw_fn *kernel = cw_module_find(listing->m, key);
    *hash = kernel ? hash_call(kernel->key, &listing->host->locs.at[launch->loc].span) : 0;
    return key;
}

static void note_known(struct listing *listing, uint32_t ins) {
    const struct cw_ins *launch = &listing->host->ins.at[ins];
    const struct cw_ins *x = cw_ins_of(listing->host, cw_arg(listing->host, launch, 3));
    uint64_t hash;
    direct_kernel(listing, launch, &hash);
    if (!x || x->op != CW_OP_OPAQUE)
        cw_map_put(&listing->known, hash, 1);
}

/* Of each call that the launch was inlined through: marks it, or asks whether it says the block itself. */
static bool see_calls(struct listing *listing, const struct cw_ins *launch, const char *kernel, bool marks) {
    const struct cw_fn *host = listing->host;
    for (uint32_t site = host->locs.at[launch->loc].site; site; site = host->locs.at[host->sites.at[site].loc].site) {
        uint64_t hash = hash_call(kernel, &host->locs.at[host->sites.at[site].loc].span);
        if (marks)
            cw_map_put(&listing->calls, hash, 1);
        else if (cw_map_get(&listing->known, hash, NULL))
            return true;
    }
    return false;
}

static void list_by_pointer(struct listing *listing, uint32_t ins) {
    const struct cw_ins *launch = &listing->host->ins.at[ins];
    struct search search = kernels_behind(listing->m, listing->host, launch, listing->scratch);
    for (uint32_t k = 0; k < search.found.n; k++) {
        const struct addressed *addressed = &search.found.at[k];
        struct cw_named_kernel kernel = addressed->kernel;
        struct cw_module_launch found = {listing->host, ins, kernel.callee, kernel.pattern, NULL};
        if (see_calls(listing, launch, kernel.callee, false))
            continue;
        see_calls(listing, launch, kernel.callee, true);
        if (addressed->path.n || addressed->is_of_several) {
            struct cw_address_path *path = CW_NEW(listing->m->arena, struct cw_address_path);
            *path = addressed->path;
            found.path = path;
        }
        cw_vec_push(listing->m->arena, &listing->m->launches, found);
    }
}

/* The template of an instance whose body the parser could not make; its arguments count where the template has as many
 * parameters. */
static const char *pattern_of_undelivered(struct listing *listing, const char *key, uint32_t ins) {
    struct cw_ins *launch = &listing->host->ins.at[ins];
    uint64_t known = 0;
    if (!cw_map_get(&listing->m->patterns, (uint64_t)(uintptr_t)key, &known))
        return NULL;
    const struct cw_fn *pattern = cw_module_find(listing->m, (const char *)(uintptr_t)known);
    if (pattern && !(launch->flags & CW_INS_ATTRIBUTES) && launch->narg - CW_LAUNCH_ARGS != pattern->params.n)
        launch->narg = CW_LAUNCH_ARGS;
    return pattern ? pattern->key : NULL;
}

static void list_direct(struct listing *listing, uint32_t ins) {
    uint64_t hash;
    const char *key = direct_kernel(listing, &listing->host->ins.at[ins], &hash);
    const struct cw_fn *kernel = cw_module_find(listing->m, key);
    const char *pattern = kernel ? kernel->pattern_key : pattern_of_undelivered(listing, key, ins);
    struct cw_module_launch found = {listing->host, ins, key, pattern, NULL};
    if (!cw_map_get(&listing->calls, hash, NULL))
        cw_vec_push(listing->m->arena, &listing->m->launches, found);
}

static void list_launches_of(struct cw_module *m, struct cw_fn *host) {
    struct cw_arena scratch;
    struct listing listing = {.m = m, .host = host, .scratch = &scratch};
    cw_arena_init(&scratch);
    cw_map_init(&listing.known, &scratch);
    cw_map_init(&listing.calls, &scratch);
    for (uint32_t pass = 0; pass < 3; pass++)
        for (uint32_t b = 0; b < host->blocks.n; b++)
            for (uint32_t k = 0; host->cfg->rpo_index[b] != CW_NO_BLOCK && k < host->blocks.at[b].ins.n; k++) {
                uint32_t ins = host->blocks.at[b].ins.at[k];
                const struct cw_ins *i = &host->ins.at[ins];
                if (i->op != CW_OP_LAUNCH || i->narg < CW_LAUNCH_ARGS || (i->flags & CW_INS_SUPERSEDED) ||
                    is_by_pointer(host, i) != (pass == 1))
                    continue;
                if (pass == 0)
                    note_known(&listing, ins);
                else
                    (pass == 1 ? list_by_pointer : list_direct)(&listing, ins);
            }
    cw_arena_free(&scratch);
}

static void list_launches(struct cw_module *m) {
    m->launches.n = 0;
    for (uint32_t k = 0; k < m->fns.n; k++)
        if (m->fns.at[k]->cfg)
            list_launches_of(m, m->fns.at[k]);
}

void cw_launch_prepare_hosts(struct cw_module *m, const struct cw_module *other) {
    struct cw_arena scratch;
    struct cw_map marked;
    cw_arena_init(&scratch);
    cw_map_init(&marked, &scratch);
    mark_launching(m, other, &marked);
    struct cw_fn **made = CW_NEW_ARRAY(&scratch, struct cw_fn *, m->fns.n);
    make_hosts(m, &marked, made, &scratch);
    for (uint32_t k = 0; k < m->fns.n; k++) {
        if (!made[k])
            continue;
        m->fns.at[k] = made[k];
        cw_map_put(&m->fn_by_key, (uint64_t)(uintptr_t)made[k]->key, (uint64_t)(uintptr_t)made[k]);
    }
    cw_launch_read_names(m);
    mark_superseded(m, &scratch);
    list_launches(m);
    cw_arena_free(&scratch);
}
