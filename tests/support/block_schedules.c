/* See block_schedules.h. */
#include "support/block_schedules.h"

#include "base/hash.h"

#include <string.h>

enum { MESSAGES = 8, ACCESSES = 32, FLAGS = BLOCK_ELEMENTS, LOCKS = 2 * BLOCK_ELEMENTS, TICKETS = 3 * BLOCK_ELEMENTS,
       PLACES = 4 * BLOCK_ELEMENTS };

/* ---- executions ---- */

struct clock {
    uint32_t of[BLOCK_ACTORS];
};

/* A strong write that later reads of the place observe. */
struct message {
    uint8_t actor, scope;
    struct clock block, device; /* what happens before it, for threads of the block and for all */
};

struct access {
    uint32_t statement, actor, clock;
    int32_t value;
};

struct place {
    int32_t value;
    struct message at[MESSAGES];
    struct access seen[ACCESSES];
    uint32_t n, nseen;
};

struct actor {
    uint32_t next;
    struct clock now, fenced_block, fenced_device, pending_block, pending_device;
    bool waits; /* at a barrier */
};

struct execution {
    const struct block_program *program;
    struct block_model model;
    struct block_races *races;
    struct actor actor[BLOCK_ACTORS];
    struct place place[PLACES];
};

static uint32_t block_of_actor(uint32_t actor) {
    return actor / 2;
}

static void join_clock(struct clock *to, const struct clock *from) {
    for (uint32_t k = 0; k < BLOCK_ACTORS; k++)
        if (from->of[k] > to->of[k])
            to->of[k] = from->of[k];
}

static uint32_t element_touched(const struct block_statement *statement, uint32_t actor) {
    return (statement->element + (statement->by_block ? block_of_actor(actor) : 0) +
            (statement->by_warp ? 2 * (actor % 2) : 0)) % BLOCK_ELEMENTS;
}

static int32_t value_stored(const struct block_statement *statement, uint32_t actor) {
    return statement->value + (statement->by_block || statement->by_warp ? (int32_t)actor : 0);
}

static bool is_atomic_access(const struct block_statement *statement) {
    return statement->kind == BLOCK_UPDATE;
}

static uint8_t scope_of_pair(uint32_t actor, uint32_t other) {
    return block_of_actor(actor) == block_of_actor(other) ? CW_SCOPE_BLOCK : CW_SCOPE_DEVICE;
}

static bool is_in_conflict(const struct execution *execution, const struct access *access,
                           const struct access *other) {
    const struct block_statement *a = &execution->program->at[access->statement],
                                 *b = &execution->program->at[other->statement];
    uint8_t scope = execution->model.any_scope ? CW_SCOPE_THREAD : scope_of_pair(access->actor, other->actor);
    bool wide = is_atomic_access(a) && a->scope >= scope, other_wide = is_atomic_access(b) && b->scope >= scope;
    if (access->actor == other->actor || (a->kind == BLOCK_LOAD && b->kind == BLOCK_LOAD) || (wide && other_wide))
        return wide && other_wide && access->actor != other->actor && execution->model.collected &&
               a->collects != b->collects;
    if ((wide && b->kind == BLOCK_LOAD && b->is_volatile) || (other_wide && a->kind == BLOCK_LOAD && a->is_volatile))
        return false;
    bool stores = a->kind == BLOCK_STORE && b->kind == BLOCK_STORE;
    return !stores || access->value != other->value;
}

/* Draws of one ticket are no data, and race only where one of them is atomic for too few. */
static bool is_narrow_draw(const struct execution *execution, const struct access *access, const struct access *other) {
    const struct block_statement *a = &execution->program->at[access->statement],
                                 *b = &execution->program->at[other->statement];
    uint8_t needed = scope_of_pair(access->actor, other->actor);
    return !execution->model.any_scope && (a->scope < needed || b->scope < needed);
}

static void enter_access(struct execution *execution, struct place *place, uint32_t statement, uint32_t actor) {
    const struct block_statement *s = &execution->program->at[statement];
    struct actor *self = &execution->actor[actor];
    struct access now = {statement, actor, self->now.of[actor], value_stored(s, actor)};
    for (uint32_t k = 0; k < place->nseen; k++) {
        const struct access *before = &place->seen[k];
        bool conflicts = s->kind == BLOCK_TICKET ? is_narrow_draw(execution, &now, before)
                                                 : is_in_conflict(execution, &now, before);
        if (self->now.of[before->actor] >= before->clock || !conflicts)
            continue;
        uint32_t a = block_access(statement, actor), b = block_access(before->statement, before->actor);
        execution->races->pair[a][b] = execution->races->pair[b][a] = 1;
        execution->races->some = true;
    }
    if (place->nseen < ACCESSES)
        place->seen[place->nseen++] = now;
}

static void run_fence(struct execution *execution, struct actor *self, uint8_t scope) {
    bool device = scope >= CW_SCOPE_DEVICE || execution->model.any_scope;
    join_clock(&self->now, &self->pending_block);
    if (device)
        join_clock(&self->now, &self->pending_device);
    self->fenced_block = self->now;
    if (device)
        self->fenced_device = self->now;
}

static void write_strong(struct execution *execution, struct place *place, uint32_t actor, uint8_t scope, uint8_t order,
                         bool updates) {
    const struct actor *self = &execution->actor[actor];
    struct message message = {(uint8_t)actor, scope, self->fenced_block, self->fenced_device};
    if ((order & CW_RELEASE) || execution->model.no_fence) {
        message.block = self->now;
        if (scope >= CW_SCOPE_DEVICE || execution->model.no_fence)
            message.device = self->now;
    }
    if (!updates)
        place->n = 0;
    if (place->n < MESSAGES)
        place->at[place->n++] = message;
}

static void read_strong(struct execution *execution, const struct place *place, uint32_t actor, uint8_t scope,
                        uint8_t order) {
    struct actor *self = &execution->actor[actor];
    for (uint32_t k = 0; k < place->n; k++) {
        const struct message *message = &place->at[k];
        uint8_t needed = scope_of_pair(actor, message->actor);
        if (!execution->model.any_scope && (message->scope < needed || scope < needed))
            continue;
        bool one_block = needed == CW_SCOPE_BLOCK;
        const struct clock *told = one_block ? &message->block : &message->device;
        join_clock(one_block ? &self->pending_block : &self->pending_device, told);
        if ((order & CW_ACQUIRE) || execution->model.no_acquire)
            join_clock(&self->now, told);
    }
}

static uint8_t scope_of(const struct block_statement *statement) {
    return statement->is_volatile ? CW_SCOPE_SYSTEM : statement->scope;
}

/* Runs a wait, or says that its actor has to go on waiting. */
static bool run_wait(struct execution *execution, const struct block_statement *statement, uint32_t actor) {
    bool takes = statement->kind == BLOCK_TAKE;
    struct place *place = &execution->place[(takes ? LOCKS : FLAGS) + statement->element];
    if ((place->value == 0) != takes)
        return false;
    read_strong(execution, place, actor, scope_of(statement), statement->order);
    bool exchanges = statement->adds && !statement->is_volatile && !statement->is_access;
    if (takes || exchanges) {
        place->value = takes;
        write_strong(execution, place, actor, scope_of(statement), statement->order, true);
    }
    return true;
}

static void run_signal(struct execution *execution, const struct block_statement *statement, uint32_t actor) {
    bool releases = statement->kind == BLOCK_RELEASE;
    struct place *place = &execution->place[(releases ? LOCKS : FLAGS) + statement->element];
    bool adds = statement->adds && !releases && !statement->is_volatile && !statement->is_access;
    bool updates = !statement->is_volatile && !statement->is_access;
    if (updates)
        read_strong(execution, place, actor, scope_of(statement), statement->order);
    place->value = adds ? place->value + 1 : !releases;
    write_strong(execution, place, actor, scope_of(statement), statement->order, updates);
}

static uint32_t skip_body(const struct block_program *program, uint32_t at) {
    for (uint32_t depth = 1; depth > 0;) {
        const struct block_statement *statement = &program->at[++at];
        if (statement->kind == BLOCK_IF || statement->kind == BLOCK_TICKET)
            depth += !statement->dropped;
        else if (statement->kind == BLOCK_END)
            depth -= !statement->dropped;
    }
    return at;
}

static bool is_for(const struct block_statement *statement, uint32_t actor) {
    return (statement->block < 0 || (uint32_t)statement->block == block_of_actor(actor)) &&
           (statement->warp < 0 || (uint32_t)statement->warp == actor % 2);
}

/* Does the actor win? */
static bool draw_ticket(struct execution *execution, uint32_t at, uint32_t actor) {
    const struct block_statement *statement = &execution->program->at[at];
    struct place *place = &execution->place[TICKETS + statement->element];
    enter_access(execution, place, at, actor);
    read_strong(execution, place, actor, statement->scope, statement->order);
    write_strong(execution, place, actor, statement->scope, statement->order, true);
    return place->value++ == statement->value;
}

/* One statement of the actor; false when it has to wait. */
static bool run_statement(struct execution *execution, uint32_t actor) {
    struct actor *self = &execution->actor[actor];
    uint32_t at = self->next;
    const struct block_statement *statement = &execution->program->at[at];
    self->now.of[actor]++;
    if (!statement->dropped)
        switch ((enum block_statement_kind)statement->kind) {
        case BLOCK_STORE:
        case BLOCK_LOAD:
        case BLOCK_UPDATE:
            enter_access(execution, &execution->place[element_touched(statement, actor)], at, actor);
            break;
        case BLOCK_FENCE:
            run_fence(execution, self, statement->scope);
            break;
        case BLOCK_SIGNAL:
        case BLOCK_RELEASE:
            run_signal(execution, statement, actor);
            break;
        case BLOCK_SPIN:
        case BLOCK_TAKE:
            if (!run_wait(execution, statement, actor))
                return false;
            break;
        case BLOCK_IF:
            at = is_for(statement, actor) ? at : skip_body(execution->program, at);
            break;
        case BLOCK_TICKET:
            at = draw_ticket(execution, at, actor) ? at : skip_body(execution->program, at);
            break;
        case BLOCK_BARRIER:
        case BLOCK_GRID:
        case BLOCK_WARP:
            self->waits = statement->kind != BLOCK_WARP || execution->program->apart == 1;
            self->next += !self->waits;
            return true;
        case BLOCK_END:
            break;
        }
    self->next = at + 1;
    return true;
}

/* Lets the actors first..last-1 go on when all of them are at one barrier. */
static bool pass_barrier(struct execution *execution, uint32_t first, uint32_t last, enum block_statement_kind kind) {
    struct clock all = {0}, block = {0}, device = {0};
    for (uint32_t k = first; k < last; k++) {
        const struct actor *actor = &execution->actor[k];
        if (!actor->waits || actor->next != execution->actor[first].next ||
            execution->program->at[actor->next].kind != kind)
            return false;
        join_clock(&all, &actor->now);
        join_clock(&block, &actor->fenced_block);
        join_clock(&device, &actor->fenced_device);
    }
    for (uint32_t k = first; k < last; k++) {
        struct actor *actor = &execution->actor[k];
        actor->now = all;
        if (execution->model.no_acquire) { /* the others' fences count as well */
            actor->fenced_block = block;
            actor->fenced_device = device;
        }
        actor->waits = false;
        actor->next++;
    }
    return true;
}

static bool pass_barriers(struct execution *execution) {
    bool some = pass_barrier(execution, 0, 2, BLOCK_BARRIER);
    some |= pass_barrier(execution, 2, 4, BLOCK_BARRIER);
    some |= pass_barrier(execution, 0, 2, BLOCK_WARP);
    some |= pass_barrier(execution, 2, 4, BLOCK_WARP);
    return pass_barrier(execution, 0, BLOCK_ACTORS, BLOCK_GRID) || some;
}

static bool is_done(const struct execution *execution, uint32_t actor) {
    return execution->actor[actor].waits || execution->actor[actor].next >= execution->program->n;
}

/* The actor of the highest priority that can go on runs; at the given steps it becomes the last. Ends when nobody can:
 * at the end, or in a deadlock, which is an execution too. */
static uint32_t run_execution(struct execution *execution, uint8_t order[BLOCK_ACTORS], uint32_t first_switch,
                              uint32_t second_switch) {
    uint32_t step = 0;
    for (bool goes = true; goes; step += goes) {
        goes = false;
        for (uint32_t k = 0; k < BLOCK_ACTORS && !goes; k++) {
            if (is_done(execution, order[k]) || !run_statement(execution, order[k]))
                continue;
            goes = true;
            if (step == first_switch || step == second_switch) {
                uint8_t last = order[k];
                memmove(order + k, order + k + 1, BLOCK_ACTORS - 1 - k);
                order[BLOCK_ACTORS - 1] = last;
            }
        }
        goes |= pass_barriers(execution);
    }
    execution->races->executions++;
    return step;
}

static uint32_t run_once(const struct block_program *program, struct block_model model, uint32_t permutation,
                         uint32_t first_switch, uint32_t second_switch, uint32_t initial, struct block_races *races) {
    static struct execution execution;
    uint8_t order[BLOCK_ACTORS] = {0, 1, 2, 3};
    memset(&execution.actor, 0, sizeof execution.actor);
    for (uint32_t k = 0; k < PLACES; k++) {
        execution.place[k].n = execution.place[k].nseen = 0;
        int32_t digit = (int32_t)(k % BLOCK_ELEMENTS == 0 ? initial % 4 : initial / 4);
        execution.place[k].value = k >= TICKETS ? -digit : k >= FLAGS && k < LOCKS ? digit : 0;
    }
    execution.program = program;
    execution.model = model;
    execution.races = races;
    for (uint32_t k = 0; k < BLOCK_ACTORS - 1; k++) { /* the permutation by its number */
        uint32_t left = BLOCK_ACTORS - k, pick = k + permutation % left;
        uint8_t kept = order[k];
        permutation /= left;
        order[k] = order[pick];
        order[pick] = kept;
    }
    return run_execution(&execution, order, first_switch, second_switch);
}

void block_schedules_run(const struct block_program *program, struct block_model model, uint32_t switches,
                         uint32_t initial, struct block_races *races) {
    for (uint32_t p = 0; p < 24; p++) {
        uint32_t steps = run_once(program, model, p, UINT32_MAX, UINT32_MAX, initial, races);
        for (uint32_t k = 0; switches > 0 && k < steps; k++)
            run_once(program, model, p, k, UINT32_MAX, initial, races);
        for (uint32_t k = 0; switches > 1 && k < steps; k++)
            for (uint32_t n = k + 1; n < steps; n++)
                run_once(program, model, p, k, n, initial, races);
    }
}

/* ---- random programs ---- */

struct maker {
    struct block_program *program;
    uint64_t state;
};

static uint32_t pick_below(struct maker *maker, uint32_t n) {
    maker->state = cw_hash(&maker->state, sizeof maker->state, 1);
    return (uint32_t)((maker->state >> 17) % n);
}

static bool pick_one_in(struct maker *maker, uint32_t n) {
    return pick_below(maker, n) == 0;
}

static struct block_statement *add_statement(struct maker *maker, enum block_statement_kind kind) {
    struct block_program *program = maker->program;
    struct block_statement *statement = &program->at[program->n < BLOCK_STATEMENTS ? program->n++ : program->n - 1];
    *statement = (struct block_statement){.kind = (uint8_t)kind, .block = -1, .warp = -1, .scope = CW_SCOPE_DEVICE};
    if (pick_one_in(maker, 5))
        statement->scope = CW_SCOPE_BLOCK;
    else if (pick_one_in(maker, 5))
        statement->scope = CW_SCOPE_SYSTEM;
    return statement;
}

static void add_data(struct maker *maker, uint32_t element, bool writes) {
    enum block_statement_kind kind = !writes ? BLOCK_LOAD : pick_one_in(maker, 4) ? BLOCK_UPDATE : BLOCK_STORE;
    struct block_statement *statement = add_statement(maker, kind);
    statement->element = (uint8_t)element;
    statement->value = (uint8_t)(1 + pick_below(maker, 3));
    statement->is_volatile = kind != BLOCK_UPDATE && pick_one_in(maker, 3);
    statement->by_block = pick_one_in(maker, 4);
    statement->by_warp = pick_one_in(maker, 6);
    statement->collects = kind == BLOCK_UPDATE && pick_one_in(maker, 3);
}

static void add_fence(struct maker *maker, uint32_t one_in) {
    if (!pick_one_in(maker, one_in))
        add_statement(maker, BLOCK_FENCE);
}

static struct block_statement *add_strong(struct maker *maker, enum block_statement_kind kind, uint32_t variable) {
    struct block_statement *statement = add_statement(maker, kind);
    statement->element = (uint8_t)variable;
    statement->adds = pick_one_in(maker, 2);
    statement->is_volatile = kind != BLOCK_TAKE && pick_one_in(maker, 4);
    statement->is_access = !statement->is_volatile && kind != BLOCK_TAKE && pick_one_in(maker, 5);
    if (!statement->is_volatile && pick_one_in(maker, 4))
        statement->order = (uint8_t)(1 + pick_below(maker, 3));
    return statement;
}

static void begin_actors(struct maker *maker, int block, int warp) {
    struct block_statement *statement = add_statement(maker, BLOCK_IF);
    statement->block = (int8_t)block;
    statement->warp = (int8_t)warp;
}

static int pick_side(struct maker *maker) {
    return (int)pick_below(maker, 3) - 1;
}

/* Data, then a flag; a wait for the flag, then the data. */
static void make_message(struct maker *maker, uint32_t element) {
    int block = (int)pick_below(maker, 2), warp = (int)pick_below(maker, 2);
    uint32_t flag = pick_below(maker, 2);
    bool writes = !pick_one_in(maker, 5);
    begin_actors(maker, block, pick_one_in(maker, 6) ? -1 : warp);
    add_data(maker, element, writes);
    add_fence(maker, 5);
    add_strong(maker, BLOCK_SIGNAL, flag);
    if (pick_one_in(maker, 8))
        add_data(maker, element, writes);
    add_statement(maker, BLOCK_END);
    bool across = !pick_one_in(maker, 4);
    begin_actors(maker, across ? 1 - block : block, across ? pick_side(maker) : 1 - warp);
    if (pick_one_in(maker, 10))
        add_data(maker, element, !writes);
    add_strong(maker, BLOCK_SPIN, flag);
    add_fence(maker, 2);
    add_data(maker, element, !writes || pick_one_in(maker, 2));
    add_statement(maker, BLOCK_END);
}

static void make_critical_section(struct maker *maker, uint32_t element) {
    uint32_t lock = pick_one_in(maker, 5);
    begin_actors(maker, pick_one_in(maker, 6) ? pick_side(maker) : -1, pick_side(maker));
    add_strong(maker, BLOCK_TAKE, lock);
    add_fence(maker, 5);
    if (pick_one_in(maker, 2))
        add_data(maker, element, false);
    add_data(maker, element, true);
    maker->program->at[maker->program->n - 1].by_block = true;
    add_fence(maker, 5);
    add_strong(maker, BLOCK_RELEASE, pick_one_in(maker, 8) ? 1 - lock : lock);
    if (pick_one_in(maker, 8))
        add_data(maker, element, true);
    add_statement(maker, BLOCK_END);
}

static void add_barrier(struct maker *maker) {
    add_statement(maker, pick_one_in(maker, 3) ? BLOCK_WARP : BLOCK_BARRIER);
}

/* All store, one of them announces, and who draws the last ticket reads. */
static void make_last_block(struct maker *maker, uint32_t element) {
    bool all = pick_one_in(maker, 2);
    begin_actors(maker, -1, all ? -1 : 0);
    add_data(maker, element, true);
    maker->program->at[maker->program->n - 1].by_block = true;
    maker->program->at[maker->program->n - 1].by_warp = all;
    add_fence(maker, 4);
    add_statement(maker, BLOCK_END);
    if (all && !pick_one_in(maker, 4))
        add_barrier(maker);
    begin_actors(maker, -1, 0);
    add_fence(maker, 2);
    struct block_statement *ticket = add_statement(maker, BLOCK_TICKET);
    ticket->value = !pick_one_in(maker, 6);
    ticket->element = (uint8_t)pick_below(maker, 2);
    if (pick_one_in(maker, 3))
        ticket->order = (uint8_t)(1 + pick_below(maker, 3));
    add_fence(maker, 2);
    add_data(maker, element, pick_one_in(maker, 4));
    add_data(maker, element + 1, false);
    add_statement(maker, BLOCK_END);
    add_statement(maker, BLOCK_END);
}

static void make_plain(struct maker *maker, uint32_t element) {
    begin_actors(maker, pick_side(maker), pick_side(maker));
    add_data(maker, element, pick_one_in(maker, 2));
    add_fence(maker, 4);
    if (pick_one_in(maker, 2))
        add_data(maker, element + 1, pick_one_in(maker, 2));
    add_statement(maker, BLOCK_END);
}

void block_program_make(struct block_program *program, uint64_t seed) {
    struct maker maker = {program, cw_hash(&seed, sizeof seed, 0)};
    program->n = 0;
    program->apart = pick_one_in(&maker, 3) ? 1 : 32;
    for (uint32_t parts = 1 + pick_below(&maker, 3); parts > 0 && program->n + 14 < BLOCK_STATEMENTS; parts--) {
        uint32_t element = 2 * pick_below(&maker, 3);
        switch (pick_below(&maker, 6)) {
        case 0: case 1: make_message(&maker, element); break;
        case 2: make_critical_section(&maker, element); break;
        case 3: make_last_block(&maker, element); break;
        default: make_plain(&maker, element); break;
        }
        if (pick_one_in(&maker, 8))
            add_statement(&maker, BLOCK_GRID);
        else if (pick_one_in(&maker, 4))
            add_barrier(&maker);
    }
}

/* ---- as textual IR ---- */

struct printer {
    struct cw_buf *out;
    uint32_t apart;
    uint32_t names, blocks, line;
    uint32_t ends[8], depth; /* the basic blocks after the open bodies */
};

static const char *scope_text(uint8_t scope) {
    return scope == CW_SCOPE_BLOCK ? ".block" : scope == CW_SCOPE_SYSTEM ? ".system" : "";
}

static const char *fence_text(uint8_t scope) {
    return scope == CW_SCOPE_DEVICE ? ".device" : scope_text(scope);
}

/* Scope and order of an atomic. */
static const char *how_text(const struct block_statement *statement) {
    static const char *const text[3][4] = {
        {".block", ".block.acquire", ".block.release", ".block.acq_rel"},
        {"", ".device.acquire", ".device.release", ".device.acq_rel"},
        {".system", ".system.acquire", ".system.release", ".system.acq_rel"}};
    uint8_t scope = statement->scope;
    return text[scope == CW_SCOPE_BLOCK ? 0 : scope == CW_SCOPE_SYSTEM ? 2 : 1][statement->order];
}

/* The pointer's number. */
static uint32_t print_pointer(struct printer *printer, const char *base, const struct block_statement *statement) {
    uint32_t first = printer->names;
    if (!statement->by_block && !statement->by_warp) {
        cw_buf_printf(printer->out, "  %%v%u = ptradd %%%s, %u @%u:1-2\n", printer->names++, base,
                      4u * statement->element, printer->line);
        return first;
    }
    cw_buf_printf(printer->out, "  %%v%u = sext i64 ctaid.x @%u:1-2\n", first, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = mul i64 %%v%u, %u @%u:1-2\n", first + 1, first, statement->by_block ? 4 : 0,
                  printer->line);
    cw_buf_printf(printer->out, "  %%v%u = sext i64 tid.x @%u:1-2\n", first + 2, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = lshr i64 %%v%u, %u @%u:1-2\n", first + 3, first + 2,
                  printer->apart == 1 ? 0u : 5u, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = mul i64 %%v%u, %u @%u:1-2\n", first + 4, first + 3,
                  statement->by_warp ? 8 : 0, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = add i64 %%v%u, %%v%u @%u:1-2\n", first + 5, first + 1, first + 4,
                  printer->line);
    cw_buf_printf(printer->out, "  %%v%u = add i64 %%v%u, %u @%u:1-2\n", first + 6, first + 5, 4u * statement->element,
                  printer->line);
    cw_buf_printf(printer->out, "  %%v%u = ptradd %%%s, %%v%u @%u:1-2\n", first + 7, base, first + 6, printer->line);
    printer->names += 8;
    return first + 7;
}

/* value_stored() as an operand's text. */
static uint32_t print_value(struct printer *printer, const struct block_statement *statement) {
    uint32_t first = printer->names, varies = statement->by_block || statement->by_warp;
    cw_buf_printf(printer->out, "  %%v%u = mul i32 ctaid.x, %u @%u:1-2\n", first, 2 * varies, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = lshr i32 tid.x, %u @%u:1-2\n", first + 1, printer->apart == 1 ? 0u : 5u,
                  printer->line);
    cw_buf_printf(printer->out, "  %%v%u = mul i32 %%v%u, %u @%u:1-2\n", first + 2, first + 1, varies, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = add i32 %%v%u, %%v%u @%u:1-2\n", first + 3, first, first + 2, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = add i32 %%v%u, %u @%u:1-2\n", first + 4, first + 3, statement->value,
                  printer->line);
    printer->names += 5;
    return first + 4;
}

static uint32_t print_read(struct printer *printer, const struct block_statement *statement, uint32_t pointer) {
    uint32_t read = printer->names++;
    if (statement->kind == BLOCK_TAKE)
        cw_buf_printf(printer->out, "  %%v%u = atomic.cas%s i32 %%v%u, 0, 1", read, how_text(statement), pointer);
    else if (statement->is_volatile)
        cw_buf_printf(printer->out, "  %%v%u = load i32 %%v%u !volatile", read, pointer);
    else if (statement->is_access)
        cw_buf_printf(printer->out, "  %%v%u = atomic.load%s i32 %%v%u", read, how_text(statement), pointer);
    else
        cw_buf_printf(printer->out, "  %%v%u = atomic.%s%s i32 %%v%u, 0", read, statement->adds ? "exch" : "add",
                      how_text(statement), pointer);
    cw_buf_printf(printer->out, " @%u:1-2\n", printer->line);
    return read;
}

static void print_wait(struct printer *printer, const struct block_statement *statement) {
    struct block_statement at = {.element = statement->element};
    uint32_t head = printer->blocks;
    printer->blocks += 3;
    cw_buf_printf(printer->out, "  goto b%u\nb%u:\n", head, head);
    uint32_t read = print_read(printer, statement,
                               print_pointer(printer, statement->kind == BLOCK_TAKE ? "lock" : "flag", &at));
    uint32_t test = printer->names++;
    cw_buf_printf(printer->out, "  %%v%u = %s %%v%u, 0 @%u:1-2\n", test, statement->kind == BLOCK_TAKE ? "ne" : "eq",
                  read, printer->line);
    cw_buf_printf(printer->out, "  branch %%v%u, b%u, b%u !while @%u:1-2\nb%u:\n  goto b%u\nb%u:\n", test, head + 1,
                  head + 2, printer->line, head + 1, head, head + 2);
}

static void print_signal(struct printer *printer, const struct block_statement *statement) {
    struct block_statement at = {.element = statement->element};
    bool releases = statement->kind == BLOCK_RELEASE;
    uint32_t pointer = print_pointer(printer, releases ? "lock" : "flag", &at);
    if (statement->is_volatile)
        cw_buf_printf(printer->out, "  store %d, %%v%u !volatile", !releases, pointer);
    else if (statement->is_access)
        cw_buf_printf(printer->out, "  %%v%u = atomic.store%s i32 %%v%u, %d", printer->names++, how_text(statement),
                      pointer, !releases);
    else
        cw_buf_printf(printer->out, "  %%v%u = atomic.%s%s i32 %%v%u, %d", printer->names++,
                      statement->adds && !releases ? "add" : "exch", how_text(statement), pointer, !releases);
    cw_buf_printf(printer->out, " @%u:1-2\n", printer->line);
}

static void begin_body(struct printer *printer, uint32_t condition) {
    uint32_t body = printer->blocks;
    printer->blocks += 2;
    printer->ends[printer->depth++ % 8] = body + 1;
    cw_buf_printf(printer->out, "  branch %%v%u, b%u, b%u !if @%u:1-2\nb%u:\n", condition, body, body + 1,
                  printer->line, body);
}

static void print_guard(struct printer *printer, const struct block_statement *statement) {
    uint32_t first = printer->names;
    printer->names += 4;
    if (statement->warp < 0 && printer->apart == 1) {
        cw_buf_printf(printer->out, "  %%v%u = ult tid.x, 2 @%u:1-2\n", first + 1, printer->line);
    } else if (statement->warp < 0) {
        cw_buf_printf(printer->out, "  %%v%u = and i32 tid.x, 31 @%u:1-2\n", first, printer->line);
        cw_buf_printf(printer->out, "  %%v%u = eq %%v%u, 0 @%u:1-2\n", first + 1, first, printer->line);
    } else {
        cw_buf_printf(printer->out, "  %%v%u = eq tid.x, %u @%u:1-2\n", first + 1,
                      statement->warp ? printer->apart : 0u, printer->line);
    }
    begin_body(printer, first + 1);
    if (statement->block < 0)
        cw_buf_printf(printer->out, "  %%v%u = ult ctaid.x, 2 @%u:1-2\n", first + 2, printer->line);
    else
        cw_buf_printf(printer->out, "  %%v%u = eq ctaid.x, %d @%u:1-2\n", first + 2, statement->block, printer->line);
    begin_body(printer, first + 2);
}

static void end_body(struct printer *printer) {
    uint32_t end = printer->ends[--printer->depth % 8];
    cw_buf_printf(printer->out, "  goto b%u\nb%u:\n", end, end);
}

static void print_ticket(struct printer *printer, const struct block_statement *statement) {
    struct block_statement at = {.element = statement->element};
    uint32_t pointer = print_pointer(printer, "ticket", &at), drawn = printer->names;
    printer->names += 2;
    cw_buf_printf(printer->out, "  %%v%u = atomic.add%s i32 %%v%u, 1 @%u:1-2\n", drawn, how_text(statement), pointer,
                  printer->line);
    cw_buf_printf(printer->out, "  %%v%u = eq %%v%u, %u @%u:1-2\n", drawn + 1, drawn, statement->value, printer->line);
    begin_body(printer, drawn + 1);
}

/* Somebody uses what it has found. */
static void print_collection(struct printer *printer, const struct block_statement *statement, uint32_t pointer) {
    uint32_t found = printer->names;
    cw_buf_printf(printer->out, "  %%v%u = atomic.exch%s i32 %%v%u, 0 @%u:1-2\n", found, scope_text(statement->scope),
                  pointer, printer->line);
    cw_buf_printf(printer->out, "  %%v%u = add i32 %%v%u, 1 @%u:1-2\n", found + 1, found, printer->line);
    printer->names += 2;
}

static void print_data(struct printer *printer, const struct block_statement *statement) {
    const char *flags = statement->is_volatile ? " !volatile" : "";
    uint32_t pointer = print_pointer(printer, "data", statement);
    if (statement->kind == BLOCK_LOAD) {
        cw_buf_printf(printer->out, "  %%v%u = load i32 %%v%u%s @%u:1-2\n", printer->names++, pointer, flags,
                      printer->line);
        return;
    }
    uint32_t value = print_value(printer, statement);
    if (statement->kind == BLOCK_STORE)
        cw_buf_printf(printer->out, "  store %%v%u, %%v%u%s @%u:1-2\n", value, pointer, flags, printer->line);
    else if (!statement->collects)
        cw_buf_printf(printer->out, "  %%v%u = atomic.add%s i32 %%v%u, %%v%u @%u:1-2\n", printer->names++,
                      scope_text(statement->scope), pointer, value, printer->line);
    else
        print_collection(printer, statement, pointer);
}

static void print_statement(struct printer *printer, const struct block_statement *statement, bool ends_guard) {
    switch ((enum block_statement_kind)statement->kind) {
    case BLOCK_STORE:
    case BLOCK_LOAD:
    case BLOCK_UPDATE:
        print_data(printer, statement);
        break;
    case BLOCK_FENCE:
        cw_buf_printf(printer->out, "  fence%s @%u:1-2\n", fence_text(statement->scope), printer->line);
        break;
    case BLOCK_SIGNAL:
    case BLOCK_RELEASE:
        print_signal(printer, statement);
        break;
    case BLOCK_SPIN:
    case BLOCK_TAKE:
        print_wait(printer, statement);
        break;
    case BLOCK_IF:
        print_guard(printer, statement);
        break;
    case BLOCK_TICKET:
        print_ticket(printer, statement);
        break;
    case BLOCK_END:
        end_body(printer);
        if (ends_guard)
            end_body(printer);
        break;
    case BLOCK_BARRIER:
        cw_buf_printf(printer->out, "  barrier.sync 0, 0, undef @%u:1-2\n", printer->line);
        break;
    case BLOCK_GRID:
        cw_buf_printf(printer->out, "  gridsync @%u:1-2\n", printer->line);
        break;
    case BLOCK_WARP:
        cw_buf_printf(printer->out, "  syncwarp -1 @%u:1-2\n", printer->line);
        break;
    }
}

void block_program_print(const struct block_program *program, struct cw_buf *out) {
    struct printer printer = {.out = out, .apart = program->apart, .blocks = 1};
    bool is_guard[8];
    uint32_t depth = 0;
    cw_buf_printf(out, "kernel @k(ptr %%data elem=4, ptr %%flag elem=4, ptr %%lock elem=4, ptr %%ticket elem=4) {\n"
                       "  flags ssa\nb0:\n");
    for (uint32_t k = 0; k < program->n; k++) {
        const struct block_statement *statement = &program->at[k];
        if (statement->dropped)
            continue;
        printer.line = k + 1;
        if (statement->kind == BLOCK_IF || statement->kind == BLOCK_TICKET)
            is_guard[depth++ % 8] = statement->kind == BLOCK_IF;
        bool ends_guard = statement->kind == BLOCK_END && is_guard[--depth % 8];
        print_statement(&printer, statement, ends_guard);
    }
    cw_buf_printf(out, "  return\n}\n");
}
