/* See lost_updates.h. */
#include "races/lost_updates_internal.h"

#include "base/hash.h"
#include "base/map.h"
#include "lanes/condition.h"
#include "lanes/facts_print.h"
#include "lanes/iterations.h"
#include "launch/for_each_launch.h"
#include "races/like_values.h"

enum {
    ITERATIONS_MAX = 4, /* of the loops around a store, asked about */
    PLACES_MAX = 64,    /* data of one thread that are told apart */
    PAIR_TRIES = 64,    /* threads that are looked at for two with data of their own */
    THREAD_WORK = 4     /* cells of an evaluator that a thread's share costs */
};

/* Choices of sizes, in the order in which they are tried: under some a thread comes to the store. */
static const uint32_t samples[] = {0, 1, 2, CW_SAMPLE_WHOLE, CW_SAMPLE_DATA, CW_SAMPLE_DATA + 1};

struct finder {
    const struct cw_kernel_query *q;
    const struct cw_fn *fn;
    const struct cw_stored *stored;
    const struct cw_roles *roles;
    struct cw_update update;
    struct cw_bitset followers;
    cw_ref place;
    struct cw_lost_update found;
    bool is_cut; /* what leads to an element was not found out */
};

/* ---- one iteration ---- */

struct pair {
    uint32_t first, second, group;
    bool is_doubtful; /* their data cannot be chosen each by itself, or nobody knows whether lanes elect these two */
};

/* Where each thread loads a datum; NULL: not known. */
struct places {
    const struct cw_lane_value *at[PLACES_MAX];
    uint32_t n;
    bool is_cut; /* there may be more */
};

static struct places places_of(const struct cw_update_look *look, const struct cw_update_way *way) {
    uint32_t data[PLACES_MAX], n = cw_led_data_of_ways(look->values, look->place, data, PLACES_MAX);
    struct places places = {.is_cut = n + way->data.n > PLACES_MAX || n == PLACES_MAX};
    for (uint32_t k = 0; k < way->data.n && n < PLACES_MAX; k++)
        data[n++] = way->data.at[k];
    for (uint32_t k = 0; k < n; k++) {
        const struct cw_ins *load = &look->fn->ins.at[data[k]];
        const struct cw_context *there = cw_context_at(look->lanes, look->context, load->block);
        if (cw_context_missing(look->lanes, there, load->block) != CW_NO_LOOP)
            there = cw_lanes_first(look->lanes, load->block); /* in a loop that threads have left: one of several */
        if (load->narg > 0 && cw_ref_type(look->fn, cw_arg(look->fn, load, 0)) == CW_PTR)
            places.at[places.n++] = cw_lanes_places(look->lanes, cw_arg(look->fn, load, 0), there);
    }
    return places;
}

static bool is_one_place(const struct cw_lane_value *places, uint32_t t, const struct cw_lane_value *others,
                         uint32_t u) {
    struct cw_lane_place a = cw_lanes_place(places, t), b = cw_lanes_place(others, u);
    return a.known <= CW_SAMPLED && b.known <= CW_SAMPLED && a.token == b.token && a.offset == b.offset;
}

/* `in[t] < in[t + 1]`: what one thread loads first another one loads second; or two data are one for one of them. */
static bool share_data(const struct places *places, uint32_t t, uint32_t u) {
    if (places->is_cut)
        return true;
    for (uint32_t k = 0; k < places->n; k++)
        for (uint32_t j = 0; j < places->n; j++) {
            if (!places->at[k] || !places->at[j] || j == k)
                continue;
            bool is_one = is_one_place(places->at[k], t, places->at[j], t);
            if (is_one != is_one_place(places->at[k], u, places->at[j], u) ||
                (!is_one && is_one_place(places->at[k], t, places->at[j], u)))
                return true;
        }
    return false;
}

/* The first two threads that equal data lead to one element, and how many there are with them. Between blocks it is one
 * thread of each. `lane == __ffs(peers) - 1` is true for the first lane whatever the peers are; who else is elected is
 * for all of the warp's data to say. */
static bool find_pair(const struct cw_update_look *look, const struct cw_update_way *way, struct pair *pair) {
    struct cw_map seen;
    uint64_t first = 0;
    uint32_t found = 0, tries = 0;
    struct places places = places_of(look, way);
    cw_map_init(&seen, look->scratch);
    for (uint32_t t = 0; t < cw_lanes_count(look->lanes); t++) {
        uint64_t key = cw_mix(way->key[t], cw_led_number(look->led, t));
        if (!way->key[t])
            continue;
        bool is_known = look->is_between_blocks || cw_map_get(&seen, key, &first);
        if (!is_known)
            cw_map_put(&seen, key, t);
        else if (found == 0 || (pair->is_doubtful && tries < PAIR_TRIES)) {
            bool is_doubtful = !look->is_between_blocks && (share_data(&places, (uint32_t)first, t) ||
                                                            (way->is_of_warp && t % 32 != 0));
            if (found == 0 || !is_doubtful)
                *pair = (struct pair){look->is_between_blocks ? t : (uint32_t)first, t, 1, is_doubtful};
            tries++;
        }
        found += is_known;
        pair->group += is_known && first == pair->first;
    }
    return found > 0;
}

/* Do two threads that do it at once leave something else than two that do it one after the other? */
static bool loses_something(const struct cw_update_look *look, const struct pair *pair) {
    if (look->update.is_computed && !look->update.is_gathered)
        return true;
    if (look->update.is_repeatable)
        return false;
    struct cw_value_makers *makers = cw_value_makers_open(look->lanes, look->scratch);
    cw_ref value = cw_arg(look->fn, &look->fn->ins.at[look->update.store], 0);
    return look->is_between_blocks ? cw_led_value_of(look->values, value)->is_of_own ||
                                         cw_led_value_of(look->values, value)->is_of_block
                                   : cw_may_differ(makers, value, look->context, pair->first, pair->second,
                                                   CW_BDD_TRUE);
}

/* Can the data be chosen so that no promise of a host stands against it? */
static bool is_definite(const struct cw_update_look *look, const struct cw_update_way *way,
                        enum cw_update_ground ground) {
    bool keeps_better = !look->update.is_computed && cw_update_keeps_better(look);
    bool is_grounded = ground == CW_GROUND_PROBE || look->update.is_computed || keeps_better;
    if (ground == CW_GROUND_NEIGHBOURS) /* lists of who belongs to whom have nothing in common; nobody looks for the
                                           better of two there */
        is_grounded = keeps_better;
    is_grounded &= ground != CW_GROUND_ASSUMED;
    bool are_loaded = !look->led->is_stored && !look->led->is_private && !look->led->is_chased;
    return is_grounded && are_loaded && !way->is_doubtful && !look->may_choose_ways;
}

/* May the place be one for two threads, as data choose it or choose who comes? */
static bool is_open(const struct cw_update_look *look) {
    const struct cw_led_value *led = look->led;
    if (led->is_lost || led->is_walked || led->is_of_block || led->is_claim ||
        cw_is_offset_of_part(look->values, look->place))
        return false;
    return led->has_data || (look->update.is_computed && !cw_update_reaches_all(look));
}

static bool look_at_iteration(struct finder *finder, const struct cw_update_look *look) {
    struct pair pair = {0};
    if (!is_open(look))
        return false;
    struct cw_update_way way = cw_update_way_of(look);
    bool is_chosen = look->led->has_data || (way.has_own_data && !way.is_computed);
    if (way.is_kept_apart || !is_chosen || !find_pair(look, &way, &pair))
        return false;
    bool loses = loses_something(look, &pair);
    if (!loses && !(look->led->has_data && !look->update.is_computed && cw_update_acts_on_claim(look)))
        return false;
    uint32_t elements = 0;
    enum cw_update_ground ground = cw_update_ground_of(look, pair.first, pair.group, &elements);
    bool is_accumulated = look->update.is_accumulated || !look->update.is_computed;
    bool is_likely = loses ? is_accumulated && cw_update_has_own_share(look) : cw_update_is_of_list(look);
    if (ground == CW_GROUND_ASSUMED && !is_likely)
        return false;
    finder->found.update = look->update;
    finder->found.ground = ground;
    finder->found.definite = loses && !pair.is_doubtful && is_definite(look, &way, ground);
    finder->found.elements = elements;
    finder->found.first = pair.first;
    finder->found.second = pair.second;
    finder->found.is_between_blocks = look->is_between_blocks;
    finder->found.context = look->context;
    finder->found.datum = way.datum;
    if (look->led->has_data)
        cw_led_data(look->values, look->place, &finder->found.datum, 1);
    return true;
}

/* ---- launches ---- */

static struct cw_update_look look_of(const struct finder *finder, const struct cw_led_question *question) {
    struct cw_update_look look = {.fn = finder->fn,
                                  .u = finder->q->uniformity,
                                  .update = finder->update,
                                  .followers = &finder->followers,
                                  .place = finder->place,
                                  .size = finder->fn->ins.at[finder->update.store].aux,
                                  .lanes = question->lanes,
                                  .context = question->context,
                                  .is_between_blocks = question->is_between_blocks,
                                  .may_choose_ways = question->may_choose_ways,
                                  .values = cw_led_values_open(question),
                                  .scratch = question->arena};
    look.led = cw_led_value_of(look.values, finder->place);
    return look;
}

/* The ways to a join are chosen only where nothing was found without. */
static bool look_at_context(struct finder *finder, struct cw_lanes *lanes, const struct cw_context *context,
                            bool is_between_blocks, struct cw_arena *scratch) {
    bool is_found = false, is_cut = false, could_choose = true;
    for (uint32_t chooses = 0; chooses <= 1 && could_choose && !is_found && !is_cut; chooses++) {
        struct cw_led_question question = {.lanes = lanes,
                                           .context = context,
                                           .stored = finder->stored,
                                           .own = finder->place,
                                           .own_load = finder->update.load,
                                           .is_between_blocks = is_between_blocks,
                                           .may_choose_ways = chooses != 0,
                                           .arena = scratch};
        struct cw_update_look look = look_of(finder, &question);
        is_found = look_at_iteration(finder, &look);
        is_cut = cw_led_values_are_cut(look.values);
        could_choose = cw_led_values_could_choose(look.values);
    }
    finder->is_cut |= is_cut;
    return is_found && !is_cut;
}

static bool has_two_blocks(const struct cw_launch *launch) {
    return launch->grid_known ? launch->grid[0] > 1 || launch->grid[1] > 1 || launch->grid[2] > 1
                              : launch->grid_single != 7;
}

static bool is_in_device_memory(const struct finder *finder) {
    struct cw_bases bases = cw_memory_bases(finder->fn, finder->place);
    cw_ref root = bases.at[0].root;
    return root.tag == CW_REF_PARAM || bases.at[0].is_read ||
           (root.tag == CW_REF_OBJECT && finder->fn->objects.at[root.index].space == CW_SPACE_GLOBAL);
}

static bool look_at_lanes(struct finder *finder, struct cw_lanes *lanes, bool is_between_blocks) {
    struct cw_iterations it;
    const struct cw_context *context;
    uint32_t tries = 0;
    bool is_found = false;
    if (!cw_lanes_charge(lanes, (uint64_t)cw_lanes_count(lanes) * THREAD_WORK))
        return false;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    cw_iterations_begin(&it, lanes, finder->fn, finder->fn->ins.at[finder->update.store].block);
    while (!is_found && tries++ < ITERATIONS_MAX && cw_iterations_next(&it, &context))
        is_found = look_at_context(finder, lanes, context, is_between_blocks, &scratch);
    cw_arena_free(&scratch);
    return is_found;
}

static bool look_at_launch(struct finder *finder, uint32_t launch) {
    bool asks_blocks = is_in_device_memory(finder) && has_two_blocks(&finder->q->launches->at[launch]);
    for (uint32_t between = 0; between <= asks_blocks; between++)
        for (size_t k = 0; k < sizeof samples / sizeof *samples; k++) {
            struct cw_lanes *lanes = finder->q->lanes(finder->q->owner, launch, samples[k] % CW_SAMPLE_DATA);
            if (lanes && samples[k] >= CW_SAMPLE_DATA && !cw_lanes_reads_data_sizes(lanes))
                continue;
            if (lanes && samples[k] >= CW_SAMPLE_DATA)
                lanes = finder->q->lanes(finder->q->owner, launch, samples[k]);
            finder->found = (struct cw_lost_update){.launch = launch, .sample = samples[k], .lanes = lanes};
            if (lanes && look_at_lanes(finder, lanes, between != 0))
                return true;
        }
    return false;
}

/* `v[k].x += a; v[k].y += b;`: one datum leads to several elements of one array, for one reason. Of what is assumed of
 * data the first place in an array is told. */
static bool is_told(const struct finder *finder, const struct cw_lost_updates *updates,
                    const struct cw_lost_update *found) {
    struct cw_bases own = cw_memory_bases(finder->fn, finder->place);
    for (uint32_t k = 0; k < updates->at.n; k++) {
        const struct cw_lost_update *other = &updates->at.at[k];
        struct cw_bases bases =
            cw_memory_bases(finder->fn, cw_arg(finder->fn, &finder->fn->ins.at[other->update.store], 1));
        bool is_one_reason = other->datum == found->datum ||
                             (other->ground == CW_GROUND_ASSUMED && found->ground == CW_GROUND_ASSUMED);
        if (is_one_reason && other->definite >= found->definite && cw_base_is_one_memory(&bases.at[0], &own.at[0]))
            return true;
    }
    return false;
}

static void look_at(struct finder *finder, struct cw_lost_updates *out) {
    struct cw_survey survey = cw_survey_of(finder->q->launches, 2);
    struct cw_lost_update first = {0};
    bool is_definite = true;
    while (!(survey.shown && survey.launches->from_facts) && cw_survey_next(&survey)) {
        if (!look_at_launch(finder, survey.launch))
            continue;
        is_definite &= finder->found.definite;
        if (cw_survey_shown(&survey))
            first = finder->found;
    }
    if (survey.shown == 0)
        return;
    first.definite = is_definite && cw_survey_definite(&survey);
    if (!is_told(finder, out, &first))
        cw_vec_push(finder->q->arena, &out->at, first);
}

/* ---- all updates ---- */

static bool is_of_same_array(const struct finder *finder, const struct cw_ins *load) {
    struct cw_bases own = cw_memory_bases(finder->fn, finder->place),
                    other = cw_memory_bases(finder->fn, cw_arg(finder->fn, load, 0));
    return load->op == CW_OP_LOAD && own.n == 1 && other.n == 1 && cw_base_is_one_memory(&own.at[0], &other.at[0]);
}

/* Has who comes there left a loop as an atomic said, `while (atomicCAS(&slot[k], 0, key) != 0) k++;`? */
static bool is_behind_claim(const struct finder *finder, uint32_t atomic, struct cw_arena *scratch) {
    const struct cw_fn *fn = finder->fn;
    uint32_t store = fn->ins.at[finder->update.store].block, loop = fn->cfg->loop_of[fn->ins.at[atomic].block];
    if (loop == CW_NO_LOOP || cw_cfg_in_loop(fn->cfg, loop, store))
        return false;
    const struct cw_loop *around = &fn->cfg->loops.at[loop];
    for (uint32_t e = 0; e < around->exits.n; e++) {
        uint32_t from = around->exits.at[e].block;
        if (cw_cfg_dominates(fn->cfg, from, store)) {
            struct cw_bitset followers = cw_followers_of(fn, finder->stored, atomic, scratch);
            return cw_follows(&followers, fn->blocks.at[from].jump.value);
        }
    }
    return false;
}

/* May it be behind a wait for memory, such as a lock that one thread takes for its block? A look at the array that is
 * updated is none. */
static bool is_guarded(const struct finder *finder, struct cw_arena *scratch) {
    for (uint32_t k = 0; k < finder->fn->ins.n; k++)
        if (finder->fn->ins.at[k].op == CW_OP_ATOMIC && is_behind_claim(finder, k, scratch))
            return true;
    for (uint32_t k = 0; k < finder->fn->ins.n; k++)
        if (cw_bitset_has(&finder->roles->polls, k) && !is_of_same_array(finder, &finder->fn->ins.at[k]) &&
            cw_cfg_reaches(finder->fn, finder->fn->ins.at[k].block,
                           finder->fn->ins.at[finder->update.store].block))
            return true;
    return false;
}

struct cw_lost_updates cw_lost_updates_of(const struct cw_kernel_query *query) {
    struct cw_lost_updates out = {{0}};
    if (query->fn->cfg->is_irreducible)
        return out;
    struct cw_arena scratch;
    cw_arena_init(&scratch);
    struct cw_stored stored = cw_stored_of(query->fn, &scratch);
    struct cw_updates updates = cw_updates_of(query->fn, query->uniformity, &stored, &scratch);
    struct finder finder = {.q = query, .fn = query->fn, .stored = &stored};
    for (uint32_t k = 0; k < updates.at.n; k++) {
        finder.update = updates.at.at[k];
        finder.place = cw_arg(query->fn, &query->fn->ins.at[finder.update.store], 1);
        finder.roles = finder.roles ? finder.roles : cw_roles_of(query->fn, query->uniformity, &scratch);
        bool is_led = cw_uni_of(query->uniformity, finder.place) > CW_UNI_GRID ||
                      query->uniformity->control[query->fn->ins.at[finder.update.store].block] > CW_UNI_GRID;
        if (!is_led || is_guarded(&finder, &scratch))
            continue;
        finder.followers = cw_followers_of(query->fn, &stored, finder.update.load, &scratch);
        look_at(&finder, &out);
    }
    cw_query_gave_up(query, CW_BAIL_RACE_BUDGET, finder.is_cut);
    cw_arena_free(&scratch);
    return out;
}

/* ---- text form ---- */

void cw_lost_updates_print(const struct cw_facts_print *to, const struct cw_lost_updates *updates) {
    static const char *const grounds[] = {
        [CW_GROUND_ASSUMED] = "if the data say so",
        [CW_GROUND_ONE_PLACE] = "one place",
        [CW_GROUND_FEW] = "few elements",
        [CW_GROUND_NARROWED] = "many data for one element",
        [CW_GROUND_NEIGHBOURS] = "lists of neighbours",
        [CW_GROUND_ATOMICS] = "atomics elsewhere",
        [CW_GROUND_PROBE] = "first free element"};
    for (uint32_t k = 0; k < updates->at.n; k++) {
        const struct cw_lost_update *u = &updates->at.at[k];
        cw_facts_begin(to, u->definite, "lost update");
        cw_facts_ins(to, "", u->update.load);
        cw_facts_ins(to, "then", u->update.store);
        cw_facts_part(to, "%s", grounds[u->ground]);
        cw_facts_thread(to, "", u->first);
        cw_facts_thread(to, "", u->second);
        cw_facts_context(to, u->context);
        cw_facts_launch(to, u->launch, u->sample);
        cw_facts_end(to);
    }
}
