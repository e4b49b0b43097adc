/* See updates.h. */
#include "races/updates.h"

#include "base/hash.h"
#include "base/map.h"
#include "cfg/cfg.h"
#include "races/cluster_run.h"
#include "uniformity/alias.h"

#include <string.h>

/* ---- memory ---- */

static bool is_of_threads(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->is_read || base->root.tag != CW_REF_OBJECT)
        return base->root.tag == CW_REF_PARAM || base->root.tag == CW_REF_OBJECT;
    enum cw_space space = (enum cw_space)fn->objects.at[base->root.index].space;
    return space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED || space == CW_SPACE_GLOBAL;
}

/* Does the pointer lead to memory that threads share, and to one array of it? */
static bool leads_to_shared(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    return bases.n == 1 && is_of_threads(fn, &bases.at[0]);
}

static bool may_be_one(const struct cw_base *base, const struct cw_base *other) {
    return base->root.tag == CW_REF_NONE || other->root.tag == CW_REF_NONE ||
           cw_base_is_one_memory(base, other);
}

static bool has_base(const struct cw_stored *stored, const struct cw_base *base) {
    for (uint32_t k = 0; k < stored->at.n; k++)
        if (may_be_one(&stored->at.at[k], base))
            return true;
    return false;
}

/* 1 + the thread's own array that an ordinary load or store goes to, 0: it goes elsewhere. */
static uint32_t find_private_array(const struct cw_fn *fn, const struct cw_ins *ins) {
    if (ins->op != CW_OP_LOAD && ins->op != CW_OP_STORE)
        return 0;
    struct cw_bases to = cw_memory_bases(fn, cw_arg(fn, ins, ins->op == CW_OP_STORE));
    cw_ref root = to.at[0].root;
    bool is_private = to.n == 1 && !to.at[0].is_read && root.tag == CW_REF_OBJECT &&
                      fn->objects.at[root.index].space == CW_SPACE_LOCAL;
    return is_private ? root.index + 1 : 0;
}

/* Shared memory, be it that of another block of the cluster: of which array is not known. */
static bool is_mapped(const struct cw_fn *fn, cw_ref pointer) {
    const struct cw_ins *i = cw_ins_of(fn, pointer);
    while (i && i->op == CW_OP_PTRADD)
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    return i && cw_is_cluster_map(fn, i);
}

struct cw_stored cw_stored_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_stored out = {.private_array = CW_NEW_ARRAY(a, uint32_t, fn->ins.n + 1)};
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        out.private_array[k] = find_private_array(fn, &fn->ins.at[k]);
        struct cw_access access[2];
        for (uint32_t n = cw_memory_accesses(fn, &fn->ins.at[k], access); n-- > 0;) {
            struct cw_bases bases = cw_memory_bases(fn, access[n].pointer);
            bool writes = access[n].writes && !is_mapped(fn, access[n].pointer);
            for (uint32_t b = 0; writes && b < bases.n; b++)
                if (!has_base(&out, &bases.at[b]))
                    cw_vec_push(a, &out.at, bases.at[b]);
        }
    }
    return out;
}

bool cw_is_stored_into(const struct cw_fn *fn, const struct cw_stored *stored, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    for (uint32_t k = 0; k < bases.n; k++)
        if (has_base(stored, &bases.at[k]))
            return true;
    return false;
}

/* ---- equal places ---- */

/* A load, and 1 + the index of the one before it from the same place, 0: there is none. */
struct earlier {
    uint32_t load, before;
};

struct search {
    const struct cw_fn *fn;
    const struct cw_uniformity *u;
    const struct cw_stored *stored;
    struct cw_arena *arena, scratch;
    struct cw_map names; /* instruction -> a number that equal operations on equal operands share */
    struct cw_map loads; /* a place's number -> 1 + the index of the last load from there in `earlier` */
    CW_VEC(struct earlier) earlier;
    struct cw_map followers; /* load -> its followers, a bitset */
    struct cw_updates *out;
};

static uint64_t name_of(struct search *search, cw_ref ref);

/* Two loads of one place bring the same, as long as nobody stores there. */
static bool brings_same(struct search *search, const struct cw_ins *load) {
    return load->op == CW_OP_LOAD && !(load->flags & CW_INS_VOLATILE) &&
           !cw_is_stored_into(search->fn, search->stored, cw_arg(search->fn, load, 0));
}

static uint64_t name_of_operation(struct search *search, uint32_t ins) {
    const struct cw_ins *i = &search->fn->ins.at[ins];
    bool is_pure = (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && i->op != CW_OP_PHI;
    if (!is_pure && !brings_same(search, i))
        return cw_mix(cw_mix(CW_REF_INS, ins), 1);
    uint64_t name = cw_mix(cw_mix(i->op, i->type), i->op == CW_OP_PURE || i->op == CW_OP_LOAD ? i->aux : 0);
    for (uint32_t k = 0; k < i->narg; k++)
        name = cw_mix(name, name_of(search, cw_arg(search->fn, i, k)));
    return name;
}

static uint64_t name_of(struct search *search, cw_ref ref) {
    uint64_t name;
    int64_t number;
    if (cw_ref_const(search->fn, ref, &number))
        return cw_mix((uint64_t)number, CW_REF_CONST);
    if (ref.tag != CW_REF_INS)
        return cw_mix(cw_mix(ref.tag, ref.index), 2);
    if (!cw_map_get(&search->names, ref.index, &name)) {
        name = name_of_operation(search, ref.index);
        cw_map_put(&search->names, ref.index, name);
    }
    return name;
}

/* ---- what follows from a value ---- */

/* Is the result made from a follower? A private array that one is stored into follows as a whole. */
static bool is_made_of_followers(const struct cw_fn *fn, const struct cw_stored *stored, uint32_t ins,
                                 const struct cw_bitset *followers, const struct cw_bitset *arrays) {
    const struct cw_ins *i = &fn->ins.at[ins];
    if (i->op == CW_OP_LOAD)
        return stored->private_array[ins] && cw_bitset_has(arrays, stored->private_array[ins]);
    for (uint32_t k = 0; (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && k < i->narg; k++)
        if (cw_follows(followers, cw_arg(fn, i, k)))
            return true;
    return false;
}

struct cw_bitset cw_followers_of(const struct cw_fn *fn, const struct cw_stored *stored, uint32_t ins,
                                 struct cw_arena *a) {
    struct cw_bitset followers = cw_bitset_new(a, fn->ins.n), arrays = cw_bitset_new(a, fn->objects.n + 1);
    bool grows = true;
    cw_bitset_add(&followers, ins);
    while (grows) { /* again where a loop brings something back */
        grows = false;
        for (uint32_t b = 0; b < fn->cfg->nrpo; b++) {
            const struct cw_block *block = &fn->blocks.at[fn->cfg->rpo[b]];
            for (uint32_t n = 0; n < block->ins.n; n++) {
                uint32_t k = block->ins.at[n], array = stored->private_array[k];
                bool is_store = fn->ins.at[k].op == CW_OP_STORE;
                if (is_store && array && !cw_bitset_has(&arrays, array) &&
                    cw_follows(&followers, cw_arg(fn, &fn->ins.at[k], 0))) {
                    cw_bitset_add(&arrays, array);
                    grows = true;
                }
                if (!is_store && !cw_bitset_has(&followers, k) &&
                    is_made_of_followers(fn, stored, k, &followers, &arrays)) {
                    cw_bitset_add(&followers, k);
                    grows = true;
                }
            }
        }
    }
    return followers;
}

struct deciding {
    const struct cw_fn *fn;
    const struct cw_bitset *followers;
    uint32_t load;
    bool decides;
};

static bool see_branch(void *deciding, struct cw_edge edge) {
    struct deciding *d = deciding;
    d->decides = cw_cfg_dominates(d->fn->cfg, d->fn->ins.at[d->load].block, edge.block) &&
                 cw_follows(d->followers, d->fn->blocks.at[edge.block].jump.value);
    return !d->decides;
}

/* Does a branch on what was loaded lead to the store? An assertion about it is none. */
static bool decides_about(const struct search *search, const struct cw_bitset *followers, uint32_t load,
                          uint32_t store) {
    struct deciding d = {search->fn, followers, load, false};
    cw_cfg_live_controls(search->fn, search->fn->ins.at[store].block, see_branch, &d);
    return d.decides;
}

static const struct cw_ins *without_casts(const struct cw_fn *fn, cw_ref value) {
    const struct cw_ins *i = cw_ins_of(fn, value);
    while (i && cw_is_cast((enum cw_op)i->op))
        i = cw_ins_of(fn, cw_arg(fn, i, 0));
    return i;
}

static bool is_idempotent(const struct cw_fn *fn, const struct cw_ins *ins) {
    static const char *const names[] = {"fmin", "fmax", "fminf", "fmaxf", "min", "max"};
    if (ins->op == CW_OP_AND || ins->op == CW_OP_OR || (ins->op >= CW_OP_SMIN && ins->op <= CW_OP_UMAX))
        return true;
    for (size_t k = 0; ins->op == CW_OP_PURE && k < sizeof names / sizeof *names; k++)
        if (strcmp(fn->texts.at[ins->aux], names[k]) == 0)
            return true;
    return false;
}

/* `x |= c`, `x = max(x, c)`, and the load itself stored again: of two threads that do it at once none loses anything,
 * where `c` is the same for both. */
static bool is_repeatable(struct search *search, uint32_t load, cw_ref value) {
    const struct cw_ins *i = without_casts(search->fn, value);
    if (!i || i == &search->fn->ins.at[load])
        return i != NULL;
    if (!is_idempotent(search->fn, i))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (without_casts(search->fn, cw_arg(search->fn, i, k)) != &search->fn->ins.at[load] &&
            cw_uni_of(search->u, cw_arg(search->fn, i, k)) > CW_UNI_BLOCK)
            return false;
    return true;
}

/* Does the old value come into what is stored by such operations and choices alone? Two threads that add the same lose
 * nothing then. */
static bool is_gathered(const struct search *search, const struct cw_bitset *followers, uint32_t load, cw_ref value,
                        struct cw_bitset *seen) {
    const struct cw_ins *i = cw_ins_of(search->fn, value);
    if (!i || value.index == load || cw_bitset_has(seen, value.index) || !cw_follows(followers, value))
        return true;
    cw_bitset_add(seen, value.index);
    bool is_gathering = cw_is_cast((enum cw_op)i->op) || i->op == CW_OP_PHI || i->op == CW_OP_SELECT ||
                        is_idempotent(search->fn, i);
    for (uint32_t k = 0; is_gathering && k < i->narg; k++)
        is_gathering = is_gathered(search, followers, load, cw_arg(search->fn, i, k), seen);
    return is_gathering;
}

static bool adds(const struct cw_fn *fn, const struct cw_ins *ins) {
    const char *name = ins->op == CW_OP_PURE ? fn->texts.at[ins->aux] : "";
    return ins->op == CW_OP_ADD || ins->op == CW_OP_SUB || strcmp(name, "+") == 0 || strcmp(name, "-") == 0 ||
           is_idempotent(fn, ins);
}

/* Is what is stored the old value and something else, which does not depend on it? */
static bool is_accumulated(const struct search *search, const struct cw_bitset *followers, uint32_t load,
                           cw_ref value) {
    const struct cw_ins *i = without_casts(search->fn, value);
    uint32_t olds = 0;
    if (!i || i->narg != 2 || !adds(search->fn, i))
        return false;
    for (uint32_t k = 0; k < i->narg; k++) {
        bool is_old = without_casts(search->fn, cw_arg(search->fn, i, k)) == &search->fn->ins.at[load];
        olds += is_old;
        if (!is_old && cw_follows(followers, cw_arg(search->fn, i, k)))
            return false;
    }
    return olds == 1;
}

/* ---- the search ---- */

/* Does each execution of the store come behind one of the load in the same iteration of the loops around the store? */
static bool is_before(const struct cw_fn *fn, uint32_t load, uint32_t store) {
    uint32_t loop = fn->cfg->loop_of[fn->ins.at[store].block];
    return cw_cfg_ins_dominates(fn, load, store) &&
           (loop == CW_NO_LOOP || cw_cfg_in_loop(fn->cfg, loop, fn->ins.at[load].block));
}

/* Does the load end a loop that the store stands behind? Then the place that is found last is the one that is taken. */
static bool is_probe(const struct search *search, const struct cw_bitset *followers, uint32_t load, uint32_t store) {
    const struct cw_fn *fn = search->fn;
    uint32_t loop = fn->cfg->loop_of[fn->ins.at[load].block];
    if (loop == fn->cfg->loop_of[fn->ins.at[store].block] || loop == CW_NO_LOOP)
        return false;
    const struct cw_loop *around = &fn->cfg->loops.at[loop];
    for (uint32_t e = 0; e < around->exits.n; e++)
        if (cw_follows(followers, fn->blocks.at[around->exits.at[e].block].jump.value))
            return true;
    return false;
}

static const struct cw_bitset *followers_of(struct search *search, uint32_t load) {
    uint64_t known;
    if (cw_map_get(&search->followers, load, &known))
        return (const struct cw_bitset *)(uintptr_t)known;
    struct cw_bitset *followers = CW_NEW(&search->scratch, struct cw_bitset);
    *followers = cw_followers_of(search->fn, search->stored, load, &search->scratch);
    cw_map_put(&search->followers, load, (uint64_t)(uintptr_t)followers);
    return followers;
}

static bool find_update(struct search *search, uint32_t load, uint32_t store) {
    const struct cw_fn *fn = search->fn;
    cw_ref value = cw_arg(fn, &fn->ins.at[store], 0);
    if (!is_before(fn, load, store))
        return false;
    const struct cw_bitset *followers = followers_of(search, load);
    bool is_computed = cw_follows(followers, value), is_taken = is_probe(search, followers, load, store);
    if (!is_computed && !is_taken && !decides_about(search, followers, load, store))
        return false;
    struct cw_bitset seen = cw_bitset_new(&search->scratch, fn->ins.n);
    struct cw_update update = {.load = load,
                               .store = store,
                               .is_computed = is_computed,
                               .is_accumulated = is_computed && is_accumulated(search, followers, load, value),
                               .is_gathered = is_computed && is_gathered(search, followers, load, value, &seen),
                               .is_repeatable = is_computed && is_repeatable(search, load, value),
                               .is_probe = is_taken};
    cw_vec_push(search->arena, &search->out->at, update);
    return true;
}

static bool is_plain_access(const struct cw_fn *fn, const struct cw_ins *ins) {
    bool is_access = ins->op == CW_OP_LOAD || ins->op == CW_OP_STORE;
    return is_access && ins->aux > 0 && ins->type != CW_AGG &&
           leads_to_shared(fn, cw_arg(fn, ins, ins->op == CW_OP_STORE));
}

static void look_at(struct search *search, uint32_t ins) {
    const struct cw_ins *i = &search->fn->ins.at[ins];
    uint64_t at = 0, place;
    if (!is_plain_access(search->fn, i))
        return;
    place = cw_mix(name_of(search, cw_arg(search->fn, i, i->op == CW_OP_STORE)), i->aux);
    cw_map_get(&search->loads, place, &at);
    if (i->op == CW_OP_LOAD) {
        cw_vec_push(&search->scratch, &search->earlier, ((struct earlier){ins, (uint32_t)at}));
        cw_map_put(&search->loads, place, search->earlier.n);
        return;
    }
    while (at > 0 && !find_update(search, search->earlier.at[at - 1].load, ins))
        at = search->earlier.at[at - 1].before;
}

struct cw_updates cw_updates_of(const struct cw_fn *fn, const struct cw_uniformity *uniformity,
                                const struct cw_stored *stored, struct cw_arena *a) {
    struct cw_updates out = {{0}};
    struct search s = {.fn = fn, .u = uniformity, .stored = stored, .arena = a, .out = &out};
    cw_arena_init(&s.scratch);
    cw_map_init(&s.names, &s.scratch);
    cw_map_init(&s.loads, &s.scratch);
    cw_map_init(&s.followers, &s.scratch);
    for (uint32_t b = 0; b < fn->cfg->nrpo; b++) {
        const struct cw_block *block = &fn->blocks.at[fn->cfg->rpo[b]];
        for (uint32_t k = 0; k < block->ins.n; k++)
            look_at(&s, block->ins.at[k]);
    }
    cw_arena_free(&s.scratch);
    return out;
}
