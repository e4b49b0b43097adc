/* The memories and cells in which accesses are entered, and what stays unwritten in them.
 *
 * A memory is what a pointer points into. Its bytes are kept in cells of four, found by pages; a cell holds the readers
 * and writers of the present phase, each asked about when another access comes (shadow_conflicts.c). Memory that one
 * thread alone touches has no cells until another thread comes. An array in which some access may be anywhere has two
 * cells more, one of all accesses and one of those.
 *
 * requires: a walk, its order at the step. computes: the cells, what phases cover, out->unwritten. cost: one cell for
 * each four bytes that are touched; RECORDS_MAX records a cell. */
#include "races/shadow_internal.h"

#include "lanes/value.h"

#include <string.h>

enum {
    CELL = 4,          /* bytes */
    PAGE = 64,         /* cells that are looked up together: neighbours are touched one after the other */
    CHUNK = 512,       /* cells that are allocated together */
    RECORDS_FIRST = 1,
    RECORDS_MAX = 96   /* per cell and phase; later ones are forgotten */
};

struct page {
    uint32_t cell[PAGE]; /* 1 + the cell's number, 0: not touched yet */
};

struct deferred {
    struct touch touch;
    int64_t offset;
    uint32_t size;
    bool hidden;
    struct deferred *before;
};

/* ---- memories ---- */

/* The roots of everything that decides when a loop ends. */
static void find_polled(struct shadow *shadow) {
    struct cw_access acc[2];
    shadow->has_polled = true;
    for (uint32_t k = 0; shadow->t->roles->has_signals && k < shadow->fn->ins.n; k++) {
        if (!cw_bitset_has(&shadow->t->roles->polls, k) || !cw_memory_accesses(shadow->fn, &shadow->fn->ins.at[k], acc))
            continue;
        struct cw_bases bases = cw_memory_bases(shadow->fn, acc[0].pointer);
        for (uint32_t b = 0; b < bases.n; b++)
            cw_vec_push(shadow->a, &shadow->polled, bases.at[b].root);
    }
}

static bool is_waited_on(struct shadow *shadow, cw_ref root) {
    if (!shadow->has_polled)
        find_polled(shadow);
    for (uint32_t k = 0; k < shadow->polled.n; k++)
        if (cw_ref_eq(shadow->polled.at[k], root))
            return true;
    return false;
}

/* A pointer that several loads bring from one place is one: its token says which, not the load. */
static uint64_t memory_key(cw_ref root, int64_t token) {
    return cw_mix((uint64_t)token, root.tag == CW_REF_INS ? 0 : cw_ref_bits(root));
}

uint32_t cw_shadow_memory(struct shadow *shadow, cw_ref root, int64_t token) {
    uint64_t key = memory_key(root, token), at = shadow->memory.n;
    if (shadow->memory.n && shadow->memory_key == key)
        return shadow->memory_last;
    if (!cw_map_get(&shadow->memories, key, &at)) {
        cw_map_put(&shadow->memories, key, at);
        cw_vec_push(shadow->a, &shadow->memory,
                    ((struct memory){.root = root, .token = token, .is_flag = is_waited_on(shadow, root)}));
    }
    shadow->memory_key = key;
    return shadow->memory_last = (uint32_t)at;
}

/* ---- cells ---- */

static struct cell *cell_at(const struct shadow *shadow, uint32_t number) {
    return &shadow->cells.at[number / CHUNK][number % CHUNK];
}

const struct cell *cw_shadow_find_cell(const struct shadow *shadow, const struct cw_lane_place *place, bool *is_lost) {
    int64_t cell = place->offset / CELL, in_page = (cell % PAGE + PAGE) % PAGE;
    uint64_t memory, page;
    *is_lost = false;
    if (!cw_map_get(&shadow->memories, memory_key(place->base, place->token), &memory))
        return NULL;
    *is_lost = shadow->memory.at[memory].lost;
    if (!cw_map_get(&shadow->pages, cw_mix((uint64_t)((cell - in_page) / PAGE), memory), &page))
        return NULL;
    uint32_t index = ((const struct page *)(uintptr_t)page)->cell[in_page];
    return index ? cell_at(shadow, index - 1) : NULL;
}

static struct cell *refresh_cell(const struct shadow *shadow, struct cell *cell) {
    if (cell->phase != shadow->phase) {
        cell->phase = shadow->phase;
        cell->reads.n = cell->reads.plain = cell->writes.n = cell->writes.plain = 0;
        cell->now[0] = cell->now[1] = 0;
    }
    return cell;
}

static struct page *page_of(struct shadow *shadow, uint32_t memory, int64_t number) {
    uint64_t key = cw_mix((uint64_t)number, memory), at;
    if (shadow->page && shadow->page_key == key)
        return shadow->page;
    if (!cw_map_get(&shadow->pages, key, &at)) {
        at = (uint64_t)(uintptr_t)CW_NEW(shadow->a, struct page);
        cw_map_put(&shadow->pages, key, at);
    }
    shadow->page_key = key;
    return shadow->page = (struct page *)(uintptr_t)at;
}

static struct cell *cell_of(struct shadow *shadow, uint32_t memory, int64_t at) {
    int64_t cell = at / CELL, in_page = (cell % PAGE + PAGE) % PAGE;
    uint32_t *index = &page_of(shadow, memory, (cell - in_page) / PAGE)->cell[in_page];
    if (*index)
        return refresh_cell(shadow, cell_at(shadow, *index - 1));
    if (shadow->ncells % CHUNK == 0)
        cw_vec_push(shadow->a, &shadow->cells, CW_NEW_ARRAY(shadow->a, struct cell, CHUNK));
    *index = ++shadow->ncells;
    struct cell *made = cell_at(shadow, *index - 1);
    made->phase = shadow->phase;
    return made;
}

/* ---- entering ---- */

static bool same_stamp(const struct cw_stamp *stamp, const struct cw_stamp *other) {
    return stamp == other ||
           (stamp->clock == other->clock && stamp->version == other->version && stamp->passed == other->passed &&
            stamp->epoch == other->epoch && stamp->polled == other->polled && stamp->waited == other->waited);
}

/* The record of the same step by the same warp that the access joins, or NULL: among the last ones, as neighbouring
 * lanes may access different bytes of a cell in turn. */
static struct record *record_to_join(const struct shadow *shadow, const struct records *list,
                                     const struct touch *now) {
    const struct cw_stamp *stamps = shadow->stamps.at;
    for (uint32_t k = list->n; k-- > 0 && list->n - k <= CELL;) {
        struct record *r = &list->at[k];
        if (r->step != now->step || r->warp != now->thread / 32)
            return NULL;
        if (r->bytes == now->bytes && r->unplaced == now->unplaced &&
            same_stamp(&stamps[r->stamp], &stamps[now->stamp]))
            return r;
    }
    return NULL;
}

static struct record record_of(const struct touch *now) {
    return (struct record){.step = now->step,
                           .warp = (uint16_t)(now->thread / 32),
                           .lanes = 1u << now->thread % 32,
                           .access = now->access,
                           .stamp = now->stamp,
                           .bytes = now->bytes,
                           .atomic = now->atomic,
                           .guarded = now->guarded,
                           .unplaced = now->unplaced};
}

static bool is_done_again(const struct records *list, uint32_t k) {
    const struct record *r = &list->at[k];
    for (uint32_t j = k + 1; j < list->n; j++) {
        const struct record *later = &list->at[j];
        if (later->access == r->access && later->warp == r->warp && later->lanes == r->lanes &&
            later->bytes == r->bytes && later->unplaced == r->unplaced)
            return true;
    }
    return false;
}

/* Forgets what the same threads have done again, with the same instruction to the same bytes, in a later iteration. */
static void forget_repeated(struct shadow *shadow, struct records *list) {
    uint16_t kept = 0;
    list->plain = 0;
    for (uint32_t k = 0; k < list->n; k++)
        if (!is_done_again(list, k)) {
            list->plain += !list->at[k].atomic;
            list->at[kept++] = list->at[k];
        }
    list->n = kept;
    shadow->work += RECORDS_MAX;
}

static void enter_record(struct shadow *shadow, struct records *list, const struct touch *now) {
    struct record *same = record_to_join(shadow, list, now);
    if (same) {
        same->lanes |= 1u << now->thread % 32;
        return;
    }
    if (list->n >= RECORDS_MAX)
        forget_repeated(shadow, list);
    if (list->n >= RECORDS_MAX)
        return;
    if (list->n == list->cap) { /* most cells see one access or two in a phase */
        uint16_t cap = (uint16_t)(list->cap ? list->cap * 2 : RECORDS_FIRST);
        struct record *at = CW_NEW_ARRAY(shadow->a, struct record, cap);
        if (list->n)
            memcpy(at, list->at, list->n * sizeof *at);
        list->at = at;
        list->cap = cap;
    }
    list->at[list->n++] = record_of(now);
    list->plain += !now->atomic;
}

static void enter_copy(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    if (!cell->copies)
        cell->copies = CW_NEW(shadow->a, struct copies);
    if (cell->copies->list.n < RECORDS_MAX)
        cw_vec_push(shadow->a, &cell->copies->list,
                    ((struct copy){record_of(now), cw_order_copy_end(shadow->o, now->thread)}));
    if (cell->copies->phase != shadow->phase) {
        cell->copies->phase = shadow->phase;
        cell->copies->begun.n = 0;
    }
    if (now->writes && cell->copies->begun.n < RECORDS_MAX)
        cw_vec_push(shadow->a, &cell->copies->begun, record_of(now));
}

/* A call or an asm has its address, and may write what it likes; or other blocks of the cluster have. */
static bool may_be_filled_elsewhere(const struct shadow *shadow, cw_ref root) {
    const struct cw_roles *roles = shadow->t->roles;
    return root.tag == CW_REF_OBJECT && (roles->has_calls || roles->has_other_blocks) &&
           cw_bitset_has(&roles->memory->escaped, root.index);
}

static void note_read(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    const struct memory *m = &shadow->memory.at[now->memory];
    if (cell->written_phase || cell->first_read || m->lost || shadow->wild ||
        !cw_shadow_is_shared(shadow->fn, m->root) || may_be_filled_elsewhere(shadow, m->root))
        return;
    struct cw_unwritten u = {now->sure, cw_shadow_step(shadow, now->step)->ins, now->step, now->thread, m->root,
                             now->at};
    cw_vec_push(shadow->result, &shadow->out->unwritten, u);
    cw_vec_push(shadow->a, &shadow->read_from, now->memory);
    cell->first_read = shadow->out->unwritten.n;
    cell->read_phase = shadow->barriers;
}

static uint32_t bytes_added(uint8_t *to, uint8_t bytes) {
    uint32_t added = (uint32_t)__builtin_popcount(bytes & ~*to);
    *to |= bytes;
    return added;
}

static void cover_memory(struct shadow *shadow, struct cell *cell, const struct touch *now) {
    struct memory *m = &shadow->memory.at[now->memory];
    if (!m->covered || shadow->covered.at[m->covered - 1].phase != shadow->phase) {
        cw_vec_push(shadow->a, &shadow->covered, ((struct covered){.memory = now->memory, .phase = shadow->phase}));
        m->covered = shadow->covered.n;
    }
    if (now->sure) /* what only some data bring about covers nothing */
        shadow->covered.at[m->covered - 1].bytes[now->writes] += bytes_added(&cell->now[now->writes], now->bytes);
    m->ever[now->writes] += bytes_added(&cell->ever[now->writes], now->bytes);
}

static void touch_cell(struct shadow *shadow, const struct touch *now, bool hidden) {
    struct cell *c = cell_of(shadow, now->memory, now->at);
    if (shadow->follows_wide)
        cover_memory(shadow, c, now);
    if (!hidden) {
        cw_shadow_check_records(shadow, c, &c->writes, true, now);
        if (now->writes)
            cw_shadow_check_records(shadow, c, &c->reads, false, now);
        if (c->copies)
            cw_shadow_check_copies(shadow, c, now);
        if ((!now->writes || now->atomic) && !now->unsized)
            note_read(shadow, c, now);
        if (now->copies)
            enter_copy(shadow, c, now);
        else
            enter_record(shadow, now->writes ? &c->writes : &c->reads, now);
    }
    if (now->writes && !c->written_phase)
        c->written_phase = shadow->barriers + 1;
}

/* All cells that the access covers. */
static void touch_cells(struct shadow *shadow, struct touch *now, int64_t offset, uint32_t size, bool hidden) {
    int64_t end = offset + size;
    for (int64_t at = offset - (offset % CELL + CELL) % CELL; at < end; at += CELL) {
        int64_t from = at < offset ? offset - at : 0, to = at + CELL > end ? end - at : CELL;
        now->at = at;
        now->bytes = (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1));
        touch_cell(shadow, now, hidden);
    }
}

/* Enters the accesses that were put off, in their order. Those of an earlier phase would have been forgotten. */
static void settle_deferred(struct shadow *shadow, struct memory *memory) {
    struct deferred *first = NULL, *next;
    for (struct deferred *d = memory->deferred_phase == shadow->phase ? memory->deferred : NULL; d; d = next) {
        next = d->before;
        d->before = first;
        first = d;
    }
    memory->deferred = NULL;
    memory->is_met = true;
    for (; first; first = first->before)
        touch_cells(shadow, &first->touch, first->offset, first->size, first->hidden);
}

/* A thread meets nobody where it is alone, as behind a pointer of its own that nobody knows: the cells of such memory
 * are only made when another thread comes. Arrays in shared memory have theirs at once: what they hold unwritten, and
 * how much of them a phase covers, is asked of every access. */
void cw_shadow_touch_or_defer(struct shadow *shadow, struct touch *now, int64_t offset, uint32_t size, bool hidden) {
    struct memory *m = &shadow->memory.at[now->memory];
    if (!m->is_met &&
        (now->copies || cw_shadow_is_shared(shadow->fn, m->root) || (m->owner && m->owner != now->thread + 1)))
        settle_deferred(shadow, m);
    if (m->is_met) {
        touch_cells(shadow, now, offset, size, hidden);
        return;
    }
    if (m->deferred_phase != shadow->phase)
        m->deferred = NULL;
    struct deferred *d = CW_NEW(shadow->a, struct deferred);
    *d = (struct deferred){*now, offset, size, hidden, m->deferred};
    m->deferred = d;
    m->deferred_phase = shadow->phase;
    m->owner = now->thread + 1;
}

static struct cell *cell_of_whole(const struct shadow *shadow, struct cell **cell) {
    if (!*cell) {
        *cell = CW_NEW(shadow->a, struct cell);
        (*cell)->phase = shadow->phase;
    }
    return refresh_cell(shadow, *cell);
}

void cw_shadow_touch_whole(struct shadow *shadow, struct touch now, bool unplaced) {
    struct memory *m = &shadow->memory.at[now.memory];
    struct cell *all = cell_of_whole(shadow, &m->all), *wide = cell_of_whole(shadow, &m->wide);
    struct cell *others = unplaced ? all : wide;
    now.wide = true;
    now.unplaced = unplaced;
    m->is_read_anywhere |= unplaced && !now.writes;
    now.at = 0;
    now.bytes = (1u << CELL) - 1;
    cw_shadow_check_records(shadow, others, &others->writes, true, &now);
    if (now.writes)
        cw_shadow_check_records(shadow, others, &others->reads, false, &now);
    enter_record(shadow, now.writes ? &all->writes : &all->reads, &now);
    if (unplaced)
        enter_record(shadow, now.writes ? &wide->writes : &wide->reads, &now);
}

/* ---- unwritten bytes ---- */

static bool may_write(const struct shadow *shadow, const struct cw_ins *ins, cw_ref root) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(shadow->fn, ins, acc);
    bool may = cw_memory_is_call(ins);
    for (uint32_t k = 0; k < n; k++) {
        struct cw_bases bases = cw_memory_bases(shadow->fn, acc[k].pointer);
        for (uint32_t b = 0; acc[k].writes && b < bases.n; b++)
            may |= cw_ref_eq(bases.at[b].root, root) || bases.at[b].is_read || bases.at[b].root.tag == CW_REF_NONE;
        may |= acc[k].writes && bases.n == 0;
    }
    return may;
}

/* Is it written in a loop of which iterations were left out? */
static bool loops_write(const struct shadow *shadow, cw_ref root) {
    const struct cw_cfg *cfg = shadow->fn->cfg;
    for (uint32_t l = 0; shadow->t->is_partial && l < cfg->loops.n; l++)
        for (uint32_t b = 0; cw_bitset_has(&shadow->t->partial_loops, l) && b < shadow->fn->blocks.n; b++) {
            const struct cw_vec_u32 *ins = &shadow->fn->blocks.at[b].ins;
            for (uint32_t k = 0; cw_cfg_in_loop(cfg, l, b) && k < ins->n; k++)
                if (may_write(shadow, &shadow->fn->ins.at[ins->at[k]], root))
                    return true;
        }
    return false;
}

static bool is_written_unseen(const struct shadow *shadow, struct memory *memory) {
    if (memory->unseen == UNSEEN_UNASKED)
        memory->unseen = loops_write(shadow, memory->root) ? UNSEEN_WRITES : UNSEEN_NONE;
    return memory->unseen == UNSEEN_WRITES;
}

/* Where warps meet at channels, or iterations that write are missing, another order is possible. */
void cw_shadow_settle_unwritten(struct shadow *shadow) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < shadow->ncells; k++) {
        const struct cell *c = cell_at(shadow, k);
        if (c->first_read && c->written_phase && c->written_phase - 1 == c->read_phase)
            shadow->out->unwritten.at[c->first_read - 1].ins = UINT32_MAX;
    }
    for (uint32_t k = 0; k < shadow->out->unwritten.n; k++) {
        const struct cw_unwritten *u = &shadow->out->unwritten.at[k];
        struct memory *memory = &shadow->memory.at[shadow->read_from.at[k]];
        if (u->ins != UINT32_MAX && !shadow->wild && !shadow->t->is_vague && !memory->lost &&
            !is_written_unseen(shadow, memory))
            shadow->out->unwritten.at[kept++] = *u;
    }
    shadow->out->unwritten.n = kept;
}
