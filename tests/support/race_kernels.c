#include "support/race_kernels.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum {
    ARRAY_BYTES = 4096,
    BASE = 32,          /* elements before the one called 0, for s[tid - 1] */
    OUT_SUMS = 3 << 12, /* where in out[] the sums go, behind what the programs use */
    OWN_ELEMENTS = 4,
    DEPTH = 3
};

/* ---- making ---- */

/* Which threads come to a place, as far as barriers care. */
enum company { ALL, WHOLE_WARPS, LOW_LANES, ANY };

struct maker {
    struct race_program *p;
    uint64_t seed;
    uint32_t depth, loops, threads;
    enum company company;
    int32_t lanes; /* LOW_LANES: how many of each warp */
    bool in_loop_of_threads, returns;
};

static uint32_t pick(struct maker *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(g->seed >> 33) % n;
}

static int32_t power(struct maker *g, uint32_t most) {
    return (int32_t)(1u << pick(g, most + 1));
}

static enum race_source some_source(struct maker *g) {
    switch (pick(g, g->p->by_choice ? 5 : 12)) {
    case 0: return RACE_CONST;
    case 1:
    case 2: return RACE_LANE;
    case 3: return RACE_WARP;
    case 4: return g->loops ? RACE_LOOP : RACE_TID;
    case 5:
        g->p->uses_data |= pick(g, 3) == 0;
        return g->p->uses_data ? RACE_DATUM : RACE_TID;
    default: return RACE_TID;
    }
}

static enum race_source second_source(struct maker *g) {
    static const enum race_source some[] = {RACE_CONST, RACE_LANE, RACE_WARP};
    if (g->loops == 0 || pick(g, 3) == 0)
        return some[pick(g, 3)];
    return g->loops > 1 && pick(g, 3) == 0 ? RACE_OUTER_LOOP : RACE_LOOP;
}

static struct race_index some_index(struct maker *g) {
    static const int32_t steps[] = {1, 1, 1, 1, 1, -1, 2, 3, 0, 4};
    struct race_index i = {.x = some_source(g), .y = RACE_CONST, .a = steps[pick(g, 10)]};
    if (pick(g, 2)) {
        i.y = second_source(g);
        i.b = i.y == RACE_WARP ? power(g, 5) : pick(g, 4) ? 1 : -1;
    }
    if (pick(g, 3) == 0)
        i.c = pick(g, 2) ? (int32_t)pick(g, 5) - 1 : power(g, 6);
    if (pick(g, 8) == 0)
        i.flip = power(g, 5);
    if (pick(g, 6) == 0)
        i.keep = power(g, 7) - 1;
    if (pick(g, 4) == 0) /* an element of its own */
        i = (struct race_index){.x = RACE_TID, .y = RACE_CONST, .a = 1};
    return i;
}

static struct race_condition shared_condition(struct maker *g) {
    struct race_condition c = {.kind = RACE_IF_SHARED, .k = 1 + (int32_t)pick(g, 5)};
    c.flip = pick(g, 3) ? (pick(g, 2) ? 0 : power(g, 5)) : -1;
    g->p->uses_data = true;
    return c;
}

/* Every other time about the element that the condition before was about: the same again, its opposite, what it implies
 * or excludes. */
static struct race_choice_part some_part(struct maker *g) {
    struct race_choice_part part = g->p->last;
    if (pick(g, 2) || g->p->n == 0) {
        part.element = pick(g, 2) ? RACE_ONE : RACE_OWN_ONE;
        part.which = part.element == RACE_ONE ? (int32_t)pick(g, 2) : pick(g, 3) ? 0 : power(g, 5);
    }
    part.comparison = (enum race_comparison)pick(g, 4);
    part.k = 1 + (int32_t)pick(g, RACE_CHOICES - 2);
    g->p->last = part;
    return part;
}

static struct race_condition choice_condition(struct maker *g) {
    struct race_condition c = {.kind = RACE_IF_CHOICE};
    c.join = pick(g, 3) ? RACE_ALONE : pick(g, 2) ? RACE_AND : RACE_OR;
    c.part[0] = some_part(g);
    if (c.join != RACE_ALONE)
        c.part[1] = some_part(g);
    g->p->uses_data = true;
    return c;
}

static bool is_for_all(const struct race_condition *c) {
    return c->kind == RACE_IF_CHOICE && c->part[0].element == RACE_ONE &&
           (c->join == RACE_ALONE || c->part[1].element == RACE_ONE);
}

static struct race_condition some_condition(struct maker *g) {
    if (g->p->by_choice && pick(g, 3))
        return choice_condition(g);
    if (g->p->by_data && pick(g, 2))
        return shared_condition(g);
    if (g->p->by_block && pick(g, 2))
        return (struct race_condition){.kind = RACE_IF_DATA_BLOCK, .k = (int32_t)pick(g, 5)};
    struct race_condition c = {.kind = (enum race_condition_kind)pick(g, RACE_IF_DATA_UNIFORM + 1)};
    bool data = c.kind >= RACE_IF_DATA, param = c.kind == RACE_IF_PARAM || c.kind == RACE_IF_TID_BELOW_PARAM;
    bool loop = c.kind == RACE_IF_TID_BELOW_LOOP || c.kind == RACE_IF_TID_MULTIPLE_LOOP || c.kind == RACE_IF_LOOP_ODD;
    if ((loop && g->loops == 0) || ((data || param) && pick(g, 3)))
        c.kind = RACE_IF_TID_BELOW;
    c.k = pick(g, 3) ? power(g, 6) : (int32_t)pick(g, 40);
    if (c.kind == RACE_IF_WARP_IS || c.kind == RACE_IF_WARP_FROM)
        c.k = (int32_t)pick(g, 4);
    if (c.kind == RACE_IF_TID_BITS)
        c.k = (1 << pick(g, 4)) | 1;
    if (c.kind >= RACE_IF_DATA)
        c.k = g->p->by_choice ? 1 + (int32_t)pick(g, RACE_CHOICES - 2) : (int32_t)pick(g, 7);
    if (c.kind == RACE_IF_LANE_BELOW && (c.k <= 0 || c.k > 31))
        c.k = 16;
    g->p->uses_data |= c.kind >= RACE_IF_DATA;
    g->p->uses_param |= c.kind == RACE_IF_PARAM || c.kind == RACE_IF_TID_BELOW_PARAM;
    return c;
}

/* Who is there behind the condition. */
static enum company company_after(struct maker *g, const struct race_condition *c) {
    if (is_for_all(c) || c->kind == RACE_IF_PARAM || c->kind == RACE_IF_DATA_UNIFORM || c->kind == RACE_IF_DATA_BLOCK ||
        (c->kind == RACE_IF_LOOP_ODD && !g->in_loop_of_threads))
        return g->company;
    bool warps = c->kind == RACE_IF_WARP_IS || c->kind == RACE_IF_WARP_FROM ||
                 ((c->kind == RACE_IF_TID_BELOW || c->kind == RACE_IF_TID_FROM) && c->k % 32 == 0);
    if (warps && g->company <= WHOLE_WARPS)
        return WHOLE_WARPS;
    if (c->kind == RACE_IF_LANE_BELOW && g->company <= WHOLE_WARPS) {
        g->lanes = c->k;
        return LOW_LANES;
    }
    return ANY;
}

static int add(struct maker *g, struct race_statement s) {
    if (g->p->n >= RACE_STATEMENTS)
        return RACE_NONE;
    g->p->at[g->p->n] = s;
    return (int)g->p->n++;
}

static int some_list(struct maker *g, uint32_t most);

static int nested(struct maker *g, enum company company) {
    enum company before = g->company;
    int32_t lanes = g->lanes;
    bool returns = g->returns;
    g->company = company;
    g->depth++;
    int list = some_list(g, 3);
    g->depth--;
    g->company = before;
    g->lanes = lanes;
    g->returns = returns;
    return list;
}

static enum race_place some_place(struct maker *g) {
    if (g->p->uses_pointers && pick(g, 2))
        return pick(g, 2) ? RACE_P : RACE_Q;
    return pick(g, 4) ? RACE_S : pick(g, 2) ? RACE_T : RACE_OUT;
}

static struct race_statement some_access(struct maker *g) {
    struct race_statement s = {.place = some_place(g), .index = some_index(g), .bytes = g->p->element};
    uint32_t what = pick(g, 16);
    if (pick(g, 24) == 0) { /* cp.async of 4, 8 or 16 bytes */
        s.kind = RACE_COPY;
        s.place = s.place == RACE_OUT ? RACE_S : s.place;
        s.bytes = 4u << pick(g, 3);
        return s;
    }
    s.kind = what < 6 ? RACE_READ : what < 12 ? RACE_WRITE : what < 15 ? RACE_UPDATE : RACE_ATOMIC;
    s.value = pick(g, 4) == 0 ? RACE_SAME : pick(g, 4) == 0 ? RACE_MADE : pick(g, 4) == 0 ? RACE_INPUT : RACE_OWN;
    s.number = (int32_t)pick(g, 2);
    s.other = s.index;
    if (s.kind == RACE_UPDATE) {
        s.other.y = g->loops ? RACE_LOOP : RACE_CONST;
        s.other.b = 1;
        s.other.c += g->loops ? 0 : power(g, 5);
        s.kept = pick(g, 4) > 0;
        g->p->forgets |= !s.kept;
    }
    if (pick(g, 10) == 0)
        s.bytes = 1u << pick(g, 5);
    if (s.kind == RACE_ATOMIC)
        s.bytes = 4;
    if (g->p->by_data) {
        s.kind = s.kind == RACE_ATOMIC ? RACE_WRITE : s.kind;
        s.value = RACE_INPUT;
        s.bytes = g->p->element;
    }
    return s;
}

static struct race_statement some_sync(struct maker *g) {
    struct race_statement s = {.kind = RACE_FENCE};
    uint32_t what = pick(g, 10);
    if (what < 4 && g->company == ALL)
        s.kind = RACE_SYNCTHREADS;
    else if (what < 7 && g->company <= WHOLE_WARPS && pick(g, 4) == 0)
        s.kind = RACE_SYNC_TILE;
    else if (what < 7 && g->company <= LOW_LANES)
        s.kind = RACE_SYNCWARP;
    else if (what < 9 && g->company <= LOW_LANES)
        s.kind = pick(g, 2) ? RACE_SHUFFLE : RACE_VOTE;
    else if (what == 9 && pick(g, 2))
        s.kind = pick(g, 2) ? RACE_ACTIVE : RACE_WAIT;
    s.number = s.kind == RACE_SYNC_TILE  ? 2 << pick(g, 5)
               : g->company == LOW_LANES ? (int32_t)((1u << g->lanes) - 1)
                                         : -1;
    return s;
}

static int some_if(struct maker *g) {
    struct race_statement s = {.kind = RACE_IF, .condition = some_condition(g), .otherwise = RACE_NONE};
    int32_t lanes = g->lanes;
    enum company company = company_after(g, &s.condition);
    s.body = nested(g, company);
    g->lanes = lanes;
    if (pick(g, 3) == 0)
        s.otherwise = nested(g, company == g->company || company == WHOLE_WARPS ? company : ANY);
    return add(g, s);
}

static int some_loop(struct maker *g) {
    static const enum race_loop kinds[] = {RACE_HALVE, RACE_HALVE, RACE_DOUBLE, RACE_COUNT, RACE_COUNT, RACE_STRIDE,
                                           RACE_BY_PARAM, RACE_BY_DATA};
    struct race_statement s = {.kind = RACE_FOR, .loop = kinds[pick(g, 8)], .otherwise = RACE_NONE};
    bool before = g->in_loop_of_threads;
    if (((s.loop == RACE_BY_PARAM || s.loop == RACE_BY_DATA) && pick(g, 2)) ||
        (s.loop == RACE_BY_DATA && g->p->by_choice))
        s.loop = RACE_COUNT;
    if (g->p->by_block && pick(g, 2))
        s.loop = RACE_BY_BLOCK;
    if (g->p->by_size && pick(g, 2))
        s.loop = RACE_ROUNDS;
    s.number = s.loop == RACE_COUNT ? (int32_t)(2 + pick(g, 3)) : power(g, 3) * 8;
    if (s.loop == RACE_COUNT && pick(g, 12) == 0)
        s.number = 20; /* too many to lay out all */
    if (s.loop == RACE_STRIDE)
        s.number = (int32_t)(g->threads * (1 + pick(g, 2)) + (pick(g, 2) ? pick(g, 40) : 0));
    g->p->uses_param |= s.loop == RACE_BY_PARAM || s.loop == RACE_ROUNDS;
    g->p->uses_data |= s.loop == RACE_BY_DATA;
    bool threads = s.loop == RACE_STRIDE || s.loop == RACE_BY_DATA;
    g->in_loop_of_threads |= threads;
    g->loops++;
    s.body = nested(g, threads ? ANY : g->company);
    g->loops--;
    g->in_loop_of_threads = before;
    return add(g, s);
}

static int some_statement(struct maker *g) {
    uint32_t what = pick(g, g->p->by_choice ? 14 : 20);
    bool deep = g->depth >= DEPTH || g->p->n > 24;
    if (what < 3 && !deep)
        return some_if(g);
    if (what < 6 && !deep && g->loops < RACE_LOOPS - 1)
        return some_loop(g);
    if (what < 11)
        return add(g, some_sync(g));
    if (what == 11 && g->company == ALL && !g->in_loop_of_threads && pick(g, 2))
        return add(g, (struct race_statement){.kind = RACE_RETURN, .condition = some_condition(g)});
    if (what == 12 && g->p->uses_pointers && g->company == ALL)
        return add(g, (struct race_statement){.kind = RACE_SWAP});
    if (what == 13 && !deep && pick(g, 2))
        return add(g, (struct race_statement){.kind = RACE_TWICE, .body = nested(g, g->company)});
    return add(g, some_access(g));
}

static int some_list(struct maker *g, uint32_t most) {
    int first = RACE_NONE, last = RACE_NONE;
    for (uint32_t k = 1 + pick(g, most); k > 0; k--) {
        int s = some_statement(g);
        if (s == RACE_NONE)
            break;
        g->p->at[s].next = RACE_NONE;
        if (last == RACE_NONE)
            first = s;
        else
            g->p->at[last].next = s;
        last = s;
    }
    return first;
}

void race_program_make(struct race_program *p, uint64_t seed) {
    static const uint32_t shapes[][3] = {{64, 1, 1}, {64, 1, 1}, {96, 1, 1}, {128, 1, 1}, {32, 1, 1},
                                         {16, 4, 1}, {32, 2, 1}, {48, 1, 1}, {8, 4, 2}, {80, 1, 1}};
    struct maker g = {.p = p, .seed = seed * 2654435761u + 11};
    *p = (struct race_program){.element = 4, .grid = {4, 1, 1}};
    for (uint32_t k = 0; k < 4; k++)
        pick(&g, 2);
    memcpy(p->block, shapes[pick(&g, 10)], sizeof p->block);
    g.threads = p->block[0] * p->block[1] * p->block[2];
    if (pick(&g, 4) == 0)
        p->element = 1u << pick(&g, 5);
    p->initialised = pick(&g, 2);
    p->uses_pointers = pick(&g, 6) == 0;
    p->guessed = p->block[1] == 1 && pick(&g, 8) == 0;
    p->by_data = seed % 5 == 3;
    p->initialised |= p->by_data;
    p->by_block = seed % 5 == 1;
    p->by_choice = seed % 5 == 2;
    if (p->by_choice) {
        p->guessed = false;
        p->by_data = pick(&g, 3) == 0;
        p->initialised |= p->by_data;
    }
    p->uses_pointers &= !p->by_block && !p->by_choice;
    p->by_array = seed % 7 == 4;
    p->by_trap = seed % 11 == 6;
    p->by_length = seed % 17 == 9;
    p->by_size = seed % 13 == 5;
    if (p->by_size)
        p->grid[0] = 1;
    p->uses_data |= p->by_data || p->by_block || p->by_choice || p->by_array || p->by_trap || p->by_length;
    p->uses_param |= p->by_length;
    p->first = some_list(&g, 7);
}

/* ---- lowering ---- */

struct lowering {
    const struct race_program *p;
    struct kernel_builder b;
    cw_ref in, data, out, n, m, array[2], pointer[2], sum, tid, loop[RACE_LOOPS], own;
    uint32_t loops, site, stored; /* stored: indices that went through own[] so far */
};

static cw_ref number(struct lowering *y, int64_t v) {
    return kernel_int(&y->b, v);
}

static cw_ref binary(struct lowering *y, enum cw_op op, cw_ref a, cw_ref b) {
    return kernel_binary(&y->b, op, a, b);
}

static cw_ref datum(struct lowering *y, cw_ref index) {
    return kernel_load(&y->b, kernel_element(&y->b, y->in, index, 4, 0), CW_I32, 4);
}

/* Conditions and loops look at different ones: what `x & 3` has to do with `x > 3` the analysis does not see. */
static cw_ref block_datum(struct lowering *y, uint32_t from) {
    return datum(y, binary(y, CW_OP_ADD, cw_ref_of(CW_REF_SREG, CW_CTAID_X), number(y, from)));
}

/* The variable of the innermost loop, or of the one around it. */
static cw_ref loop_variable(struct lowering *y, uint32_t up) {
    return y->loops > up ? kernel_get(&y->b, y->loop[y->loops - 1 - up], CW_I32) : number(y, 1);
}

static cw_ref source(struct lowering *y, enum race_source s) {
    switch (s) {
    case RACE_TID: return y->tid;
    case RACE_LANE: return binary(y, CW_OP_AND, y->tid, number(y, 31));
    case RACE_WARP: return binary(y, CW_OP_LSHR, y->tid, number(y, 5));
    case RACE_LOOP: return loop_variable(y, 0);
    case RACE_OUTER_LOOP: return loop_variable(y, 1);
    case RACE_DATUM: return datum(y, y->tid);
    case RACE_CONST: break;
    }
    return number(y, 0);
}

static cw_ref own_element(struct lowering *y, cw_ref k) {
    return kernel_element(&y->b, y->own, binary(y, CW_OP_AND, k, number(y, OWN_ELEMENTS - 1)), 4, 0);
}

/* The index goes through own[]: by a store right before, past another element; by a store that only some threads
 * execute, the others having stored the same or something else; or it is what an earlier iteration left. */
static cw_ref through_array(struct lowering *y, cw_ref at) {
    uint32_t n = y->stored++;
    cw_ref k = n % 3 ? number(y, n) : loop_variable(y, 0);
    kernel_store(&y->b, n % 5 == 4 ? number(y, n % 4) : at, own_element(y, k), 4);
    if (n % 4 == 1) {
        cw_ref some = binary(y, CW_OP_NE, binary(y, CW_OP_AND, y->tid, number(y, 1u << n % 6)), number(y, 0));
        uint32_t no = kernel_branch(&y->b, some, CW_FROM_IF);
        kernel_store(&y->b, n % 8 == 1 ? at : number(y, 1), own_element(y, k), 4);
        kernel_goto(&y->b, no, no);
    }
    kernel_store(&y->b, number(y, n % 8), own_element(y, binary(y, CW_OP_ADD, k, number(y, 1))), 4);
    cw_ref from = n % 6 == 5 ? binary(y, CW_OP_SUB, k, number(y, 1)) : k;
    return kernel_load(&y->b, own_element(y, from), CW_I32, 4);
}

static cw_ref plain_element(struct lowering *y, const struct race_index *i);

static cw_ref element(struct lowering *y, const struct race_index *i) {
    cw_ref at = plain_element(y, i);
    return y->p->by_array ? through_array(y, at) : at;
}

static cw_ref plain_element(struct lowering *y, const struct race_index *i) {
    cw_ref at = binary(y, CW_OP_MUL, source(y, i->x), number(y, i->a));
    if (i->y != RACE_CONST)
        at = binary(y, CW_OP_ADD, at, binary(y, CW_OP_MUL, source(y, i->y), number(y, i->b)));
    at = binary(y, CW_OP_ADD, at, number(y, i->c));
    if (i->flip)
        at = binary(y, CW_OP_XOR, at, number(y, i->flip));
    return i->keep ? binary(y, CW_OP_AND, at, number(y, i->keep)) : at;
}

static cw_ref base_of(struct lowering *y, enum race_place place) {
    if (place == RACE_OUT)
        return y->out;
    if (place < RACE_OUT)
        return y->array[place];
    return y->p->uses_pointers ? kernel_get(&y->b, y->pointer[place - RACE_P], CW_PTR) : y->array[0];
}

static cw_ref address(struct lowering *y, enum race_place place, const struct race_index *i) {
    int64_t size = y->p->element;
    return kernel_element(&y->b, base_of(y, place), element(y, i), size, size * BASE);
}

static enum cw_type type_of(uint32_t bytes) {
    return bytes == 1 ? CW_I8 : bytes == 2 ? CW_I16 : bytes == 4 ? CW_I32 : bytes == 8 ? CW_I64 : CW_AGG;
}

static void add_to_sum(struct lowering *y, cw_ref v) {
    kernel_set(&y->b, y->sum, kernel_mystery(&y->b, CW_I32, kernel_get(&y->b, y->sum, CW_I32), v));
}

static cw_ref value(struct lowering *y, const struct race_statement *s) {
    enum cw_type type = type_of(s->bytes);
    switch (s->value) {
    case RACE_SAME:
        return type == CW_AGG ? kernel_mystery(&y->b, type, number(y, s->number), number(y, s->number))
                              : cw_fn_const(y->b.fn, type, s->number);
    case RACE_OWN: return kernel_mystery(&y->b, type, y->tid, number(y, s->number));
    case RACE_INPUT:
        return kernel_mystery(&y->b, type, kernel_load(&y->b, kernel_element(&y->b, y->data, y->tid, 4, 0), CW_I32, 4),
                              number(y, 0));
    case RACE_MADE: break;
    }
    return kernel_mystery(&y->b, type, kernel_get(&y->b, y->sum, CW_I32), number(y, s->number));
}

static void lower_access(struct lowering *y, const struct race_statement *s) {
    cw_ref at = address(y, s->place, &s->index), args[2] = {at, number(y, 1)};
    enum cw_type type = type_of(s->bytes);
    switch (s->kind) {
    case RACE_READ: add_to_sum(y, kernel_load(&y->b, at, type, s->bytes)); return;
    case RACE_WRITE: kernel_store(&y->b, value(y, s), at, s->bytes); return;
    case RACE_ATOMIC:
        cw_fn_emit(y->b.fn, y->b.block, CW_OP_ATOMIC, CW_I32, CW_ATOMIC_ADD | CW_SCOPE_DEVICE << 8, args, 2, y->b.loc);
        return;
    default: break;
    }
    cw_ref a = kernel_load(&y->b, at, type, s->bytes);
    cw_ref b = kernel_load(&y->b, address(y, s->place, &s->other), type, s->bytes);
    cw_ref made = kernel_mystery(&y->b, type, a, b);
    kernel_store(&y->b, made, at, s->bytes);
    if (s->kept)
        add_to_sum(y, made);
}

/* The low bits of an element of s, mixed. */
static cw_ref shared_datum(struct lowering *y, const struct race_condition *c) {
    bool first = c->flip < 0;
    struct race_index at = {.x = first ? RACE_CONST : RACE_TID, .y = RACE_CONST, .a = 1, .flip = first ? 0 : c->flip};
    uint32_t bytes = y->p->element < 4 ? y->p->element : 4;
    cw_ref v = kernel_load(&y->b, address(y, RACE_S, &at), type_of(bytes), bytes);
    return kernel_mystery(&y->b, CW_I32, v, number(y, 0));
}

int32_t race_choice_element(const struct race_choice_part *part, uint32_t thread) {
    return part->element == RACE_ONE ? part->which : (int32_t)thread ^ part->which;
}

static cw_ref choice(struct lowering *y, const struct race_choice_part *part) {
    static const enum cw_op ops[] = {[RACE_ABOVE] = CW_OP_SGT, [RACE_AT_MOST] = CW_OP_SLE, [RACE_EQUAL] = CW_OP_EQ,
                                     [RACE_UNEQUAL] = CW_OP_NE};
    cw_ref at = part->element == RACE_ONE ? number(y, part->which)
                : part->which             ? binary(y, CW_OP_XOR, y->tid, number(y, part->which))
                                          : y->tid;
    return binary(y, ops[part->comparison], datum(y, at), number(y, part->k));
}

static cw_ref choices(struct lowering *y, const struct race_condition *c) {
    cw_ref first = choice(y, &c->part[0]);
    return c->join == RACE_ALONE
               ? first
               : binary(y, c->join == RACE_AND ? CW_OP_AND : CW_OP_OR, first, choice(y, &c->part[1]));
}

static cw_ref condition(struct lowering *y, const struct race_condition *c) {
    cw_ref k = number(y, c->k), loop = loop_variable(y, 0);
    switch (c->kind) {
    case RACE_IF_TID_BELOW: return binary(y, CW_OP_SLT, y->tid, k);
    case RACE_IF_TID_FROM: return binary(y, CW_OP_SGE, y->tid, k);
    case RACE_IF_TID_BITS: return binary(y, CW_OP_EQ, binary(y, CW_OP_AND, y->tid, k), number(y, 0));
    case RACE_IF_TID_BELOW_LOOP: return binary(y, CW_OP_SLT, y->tid, loop);
    case RACE_IF_TID_MULTIPLE_LOOP: {
        cw_ref twice = binary(y, CW_OP_OR, binary(y, CW_OP_MUL, loop, number(y, 2)), number(y, 1));
        return binary(y, CW_OP_EQ, binary(y, CW_OP_UREM, y->tid, twice), number(y, 0));
    }
    case RACE_IF_LANE_BELOW: return binary(y, CW_OP_SLT, source(y, RACE_LANE), k);
    case RACE_IF_LANE_IS: return binary(y, CW_OP_EQ, source(y, RACE_LANE), k);
    case RACE_IF_WARP_IS: return binary(y, CW_OP_EQ, source(y, RACE_WARP), k);
    case RACE_IF_WARP_FROM: return binary(y, CW_OP_SGE, source(y, RACE_WARP), k);
    case RACE_IF_LOOP_ODD: return binary(y, CW_OP_NE, binary(y, CW_OP_AND, loop, number(y, 1)), number(y, 0));
    case RACE_IF_PARAM: return binary(y, CW_OP_SGT, y->m, k);
    case RACE_IF_TID_BELOW_PARAM: return binary(y, CW_OP_SLT, y->tid, y->n);
    case RACE_IF_DATA: return binary(y, CW_OP_SGT, datum(y, y->tid), k);
    case RACE_IF_DATA_UNIFORM: return binary(y, CW_OP_SGT, datum(y, number(y, 0)), k);
    case RACE_IF_DATA_BLOCK: return binary(y, CW_OP_SGT, block_datum(y, 0), k);
    case RACE_IF_CHOICE: return choices(y, c);
    case RACE_IF_SHARED: return binary(y, CW_OP_SGT, binary(y, CW_OP_AND, shared_datum(y, c), number(y, 7)), k);
    }
    return cw_fn_const(y->b.fn, CW_I1, 1);
}

static void lower_warp(struct lowering *y, const struct race_statement *s) {
    cw_ref mask = number(y, s->number), sum = kernel_get(&y->b, y->sum, CW_I32);
    cw_ref shfl[4] = {mask, sum, number(y, 1), number(y, 32)};
    cw_ref vote[2] = {mask, binary(y, CW_OP_SLT, sum, number(y, 0))};
    switch (s->kind) {
    case RACE_SYNCWARP: kernel_emit(&y->b, CW_OP_SYNCWARP, CW_VOID, 0, mask, CW_NONE); return;
    case RACE_SHUFFLE:
        add_to_sum(y, cw_fn_emit(y->b.fn, y->b.block, CW_OP_SHFL, CW_I32, CW_SHFL_XOR, shfl, 4, y->b.loc));
        return;
    case RACE_VOTE:
        add_to_sum(y, cw_fn_emit(y->b.fn, y->b.block, CW_OP_VOTE, CW_I32, CW_VOTE_BALLOT, vote, 2, y->b.loc));
        return;
    default: add_to_sum(y, kernel_emit(&y->b, CW_OP_ACTIVEMASK, CW_I32, 0, CW_NONE, CW_NONE)); return;
    }
}

static void lower_tile(struct lowering *y, const struct race_statement *s) {
    cw_ref block = kernel_emit(&y->b, CW_OP_GROUP, CW_GROUP, CW_GROUP_BLOCK, CW_NONE, CW_NONE);
    cw_ref tile = kernel_emit(&y->b, CW_OP_GROUP, CW_GROUP, CW_GROUP_TILE, block, number(y, s->number));
    kernel_emit(&y->b, CW_OP_SYNCWARP, CW_VOID, 0, tile, CW_NONE);
}

/* From data[], 16 bytes for each thread. */
static void lower_copy(struct lowering *y, const struct race_statement *s) {
    cw_ref args[3] = {address(y, s->place, &s->index), kernel_element(&y->b, y->data, y->tid, 16, 0),
                      cw_fn_const(y->b.fn, CW_I64, s->bytes)};
    cw_fn_emit(y->b.fn, y->b.block, CW_OP_ASYNCCOPY, CW_VOID, 0, args, 3, y->b.loc);
    kernel_emit(&y->b, CW_OP_ASYNCCOMMIT, CW_VOID, 0, CW_NONE, CW_NONE);
}

static void lower_barrier(struct lowering *y) {
    cw_ref args[3] = {number(y, 0), number(y, 0), cw_fn_undef(CW_I1)};
    cw_fn_emit(y->b.fn, y->b.block, CW_OP_BARRIER, CW_VOID, CW_BARRIER_SYNC, args, 3, y->b.loc);
}

static void lower_list(struct lowering *y, int list);

static void lower_if(struct lowering *y, const struct race_statement *s) {
    uint32_t no = kernel_branch(&y->b, condition(y, &s->condition), CW_FROM_IF), end = cw_fn_add_block(y->b.fn);
    lower_list(y, s->body);
    kernel_goto(&y->b, end, no);
    lower_list(y, s->otherwise);
    kernel_goto(&y->b, end, end);
}

static cw_ref loop_begin(struct lowering *y, const struct race_statement *s) {
    if (s->loop == RACE_STRIDE)
        return y->tid;
    return number(y, s->loop == RACE_HALVE ? s->number : s->loop == RACE_DOUBLE || s->loop == RACE_ROUNDS ? 1 : 0);
}

static cw_ref loop_goes_on(struct lowering *y, const struct race_statement *s, cw_ref i) {
    switch (s->loop) {
    case RACE_HALVE: return binary(y, CW_OP_SGT, i, number(y, 0));
    case RACE_ROUNDS: return binary(y, CW_OP_SLT, i, y->n);
    case RACE_BY_PARAM: return binary(y, CW_OP_SLT, i, binary(y, CW_OP_AND, y->m, number(y, 3)));
    case RACE_BY_BLOCK: return binary(y, CW_OP_SLT, i, binary(y, CW_OP_AND, block_datum(y, 64), number(y, 3)));
    case RACE_BY_DATA: return binary(y, CW_OP_SLT, i, binary(y, CW_OP_AND, datum(y, y->tid), number(y, 3)));
    default: return binary(y, CW_OP_SLT, i, number(y, s->number));
    }
}

static cw_ref loop_next(struct lowering *y, const struct race_statement *s, cw_ref i) {
    switch (s->loop) {
    case RACE_HALVE: return binary(y, CW_OP_ASHR, i, number(y, 1));
    case RACE_DOUBLE:
    case RACE_ROUNDS: return binary(y, CW_OP_SHL, i, number(y, 1));
    case RACE_STRIDE:
        return binary(y, CW_OP_ADD, i, number(y, (int64_t)y->p->block[0] * y->p->block[1] * y->p->block[2]));
    default: return binary(y, CW_OP_ADD, i, number(y, 1));
    }
}

static void lower_loop(struct lowering *y, const struct race_statement *s) {
    static const char *const names[RACE_LOOPS] = {"i", "j", "k"};
    cw_ref variable = kernel_variable(&y->b, names[y->loops], CW_I32), rounds = variable;
    kernel_set(&y->b, variable, loop_begin(y, s));
    if (s->loop == RACE_ROUNDS) {
        rounds = kernel_variable(&y->b, "rounds", CW_I32);
        kernel_set(&y->b, rounds, number(y, 0));
    }
    uint32_t header = cw_fn_add_block(y->b.fn);
    kernel_goto(&y->b, header, header);
    uint32_t out = kernel_branch(&y->b, loop_goes_on(y, s, kernel_get(&y->b, rounds, CW_I32)), CW_FROM_FOR);
    y->loop[y->loops++] = variable;
    lower_list(y, s->body);
    y->loops--;
    kernel_set(&y->b, variable, loop_next(y, s, kernel_get(&y->b, variable, CW_I32)));
    if (s->loop == RACE_ROUNDS)
        kernel_set(&y->b, rounds, binary(y, CW_OP_ADD, kernel_get(&y->b, rounds, CW_I32), number(y, 1)));
    kernel_goto(&y->b, header, out);
}

static void lower_swap(struct lowering *y) {
    if (!y->p->uses_pointers)
        return;
    cw_ref p = kernel_get(&y->b, y->pointer[0], CW_PTR), q = kernel_get(&y->b, y->pointer[1], CW_PTR);
    kernel_set(&y->b, y->pointer[0], q);
    kernel_set(&y->b, y->pointer[1], p);
}

/* A helper that is called twice: the same lines, two sites. */
static void lower_twice(struct lowering *y, const struct race_statement *s) {
    uint32_t before = y->site;
    for (uint32_t k = 0; k < 2; k++) {
        cw_vec_push(y->b.fn->arena, &y->b.fn->sites, ((struct cw_site){.loc = y->b.loc, .callee = "helper"}));
        y->site = y->b.fn->sites.n - 1;
        lower_list(y, s->body);
        y->site = before;
    }
}

/* What everything was for, behind all that the kernel does with out[]. */
static void lower_end(struct lowering *y) {
    cw_ref end = kernel_element(&y->b, y->out, y->tid, 4, OUT_SUMS);
    kernel_store(&y->b, kernel_get(&y->b, y->sum, CW_I32), end, 4);
}

static void lower_return(struct lowering *y, const struct race_statement *s) {
    uint32_t no = kernel_branch(&y->b, condition(y, &s->condition), CW_FROM_IF);
    lower_end(y);
    cw_fn_return(y->b.fn, y->b.block, CW_NONE, y->b.loc);
    y->b.block = no;
}

/* `if (in[tid] > 1000) trap`: no datum is that large. */
static void lower_check(struct lowering *y) {
    cw_ref fails = binary(y, CW_OP_SGT, datum(y, y->tid), number(y, 1000));
    uint32_t no = kernel_branch(&y->b, fails, CW_FROM_IF);
    cw_fn_trap(y->b.fn, y->b.block, y->b.loc);
    y->b.block = no;
}

static void lower_statement(struct lowering *y, uint32_t at) {
    const struct race_statement *s = &y->p->at[at];
    struct cw_loc loc = {.span = {0, at + 1, 1, at + 1, 2}, .site = y->site};
    y->b.loc = cw_fn_add_loc(y->b.fn, loc);
    if (y->p->by_trap && at % 2)
        lower_check(y);
    switch (s->kind) {
    case RACE_READ:
    case RACE_WRITE:
    case RACE_UPDATE:
    case RACE_ATOMIC: lower_access(y, s); return;
    case RACE_SYNCTHREADS: lower_barrier(y); return;
    case RACE_FENCE: kernel_emit(&y->b, CW_OP_FENCE, CW_VOID, CW_SCOPE_BLOCK, CW_NONE, CW_NONE); return;
    case RACE_SYNC_TILE: lower_tile(y, s); return;
    case RACE_COPY: lower_copy(y, s); return;
    case RACE_WAIT: kernel_emit(&y->b, CW_OP_ASYNCWAIT, CW_VOID, 0, number(y, 0), CW_NONE); return;
    case RACE_IF: lower_if(y, s); return;
    case RACE_FOR: lower_loop(y, s); return;
    case RACE_RETURN: lower_return(y, s); return;
    case RACE_SWAP: lower_swap(y); return;
    case RACE_TWICE: lower_twice(y, s); return;
    default: lower_warp(y, s); return;
    }
}

static void lower_list(struct lowering *y, int list) {
    for (; list != RACE_NONE; list = y->p->at[list].next) {
        const struct race_statement *s = &y->p->at[list];
        if (s->dropped)
            continue;
        if (s->flat)
            lower_list(y, s->body);
        else
            lower_statement(y, (uint32_t)list);
    }
}

/* threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z) */
static cw_ref linear_tid(struct lowering *y) {
    cw_ref x = cw_ref_of(CW_REF_SREG, CW_TID_X), t = x;
    if (y->p->block[2] > 1) {
        cw_ref z = binary(y, CW_OP_MUL, cw_ref_of(CW_REF_SREG, CW_TID_Z), number(y, y->p->block[1]));
        t = binary(y, CW_OP_ADD, cw_ref_of(CW_REF_SREG, CW_TID_Y), z);
        return binary(y, CW_OP_ADD, x, binary(y, CW_OP_MUL, t, cw_ref_of(CW_REF_SREG, CW_NTID_X)));
    }
    if (y->p->block[1] > 1)
        t = binary(y, CW_OP_ADD, x,
                   binary(y, CW_OP_MUL, cw_ref_of(CW_REF_SREG, CW_TID_Y), cw_ref_of(CW_REF_SREG, CW_NTID_X)));
    return t;
}

/* for (i = tid; i < all; i += threads) s[i] = t[i] = data[i]; __syncthreads(); */
static void lower_filling(struct lowering *y) {
    struct race_statement s = {.kind = RACE_FOR, .loop = RACE_STRIDE, .body = RACE_NONE};
    cw_ref i = kernel_variable(&y->b, "fill", CW_I32);
    s.number = ARRAY_BYTES / 16;
    kernel_set(&y->b, i, y->tid);
    uint32_t header = cw_fn_add_block(y->b.fn);
    kernel_goto(&y->b, header, header);
    uint32_t out = kernel_branch(&y->b, loop_goes_on(y, &s, kernel_get(&y->b, i, CW_I32)), CW_FROM_FOR);
    for (uint32_t k = 0; k < 2; k++) {
        cw_ref now = kernel_get(&y->b, i, CW_I32);
        cw_ref from = y->p->by_data
                          ? kernel_load(&y->b, kernel_element(&y->b, y->data, now, 4, 0), CW_I32, 4) : now;
        cw_ref v = kernel_mystery(&y->b, CW_AGG, from, number(y, k));
        kernel_store(&y->b, v, kernel_element(&y->b, y->array[k], now, 16, 0), 16);
    }
    kernel_set(&y->b, i, loop_next(y, &s, kernel_get(&y->b, i, CW_I32)));
    kernel_goto(&y->b, header, out);
    lower_barrier(y);
}

/* sizes[blockIdx.x + k] */
static cw_ref size_of_block(struct lowering *y, cw_ref sizes, uint32_t k) {
    cw_ref at = binary(y, CW_OP_ADD, cw_ref_of(CW_REF_SREG, CW_CTAID_X), number(y, k));
    return kernel_load(&y->b, kernel_element(&y->b, sizes, at, 4, 0), CW_I32, 4);
}

static void declare(struct lowering *y) {
    static const char *const names[] = {"s", "t", "p", "q"};
    struct cw_fn *fn = y->b.fn;
    y->in = cw_fn_add_param(fn, (struct cw_param){.name = "in", .type = CW_PTR, .pointee_bytes = 4});
    y->data = cw_fn_add_param(fn, (struct cw_param){.name = "data", .type = CW_PTR, .pointee_bytes = 4});
    y->out = cw_fn_add_param(fn, (struct cw_param){.name = "out", .type = CW_PTR, .pointee_bytes = y->p->element});
    y->n = y->m = cw_fn_add_param(fn, (struct cw_param){.name = "n", .type = CW_I32});
    cw_ref sizes = cw_fn_add_param(fn, (struct cw_param){.name = "sizes", .type = CW_PTR, .pointee_bytes = 4});
    if (y->p->by_length) {
        y->n = size_of_block(y, sizes, 0);
        y->m = size_of_block(y, sizes, 1);
    }
    for (uint32_t k = 0; k < 2; k++)
        y->array[k] = cw_fn_add_object(fn, (struct cw_object){.name = names[k], .key = names[k],
                                                              .space = CW_SPACE_SHARED, .size = ARRAY_BYTES,
                                                              .element = y->p->element});
    y->tid = linear_tid(y);
    for (uint32_t k = 0; k < 2 && y->p->uses_pointers; k++) {
        y->pointer[k] = kernel_variable(&y->b, names[2 + k], CW_PTR);
        kernel_set(&y->b, y->pointer[k], y->array[k]);
    }
    if (y->p->by_array) {
        y->own = cw_fn_add_object(fn, (struct cw_object){.name = "own", .space = CW_SPACE_LOCAL,
                                                         .size = 4 * OWN_ELEMENTS, .element = 4});
        for (uint32_t k = 0; k < OWN_ELEMENTS; k++)
            kernel_store(&y->b, number(y, k), own_element(y, number(y, k)), 4);
    }
    y->sum = kernel_variable(&y->b, "sum", CW_I32);
    kernel_set(&y->b, y->sum, number(y, 0));
}

struct cw_fn *race_program_lower(const struct race_program *p, struct cw_module *m) {
    struct lowering y = {.p = p, .b = kernel_new(m, "random")};
    declare(&y);
    if (p->initialised)
        lower_filling(&y);
    lower_list(&y, p->first);
    y.b.loc = 0;
    lower_end(&y);
    const char *wrong = kernel_finish(&y.b);
    if (wrong)
        fprintf(stderr, "malformed: %s\n", wrong);
    return wrong ? NULL : y.b.fn;
}

/* ---- printing ---- */

struct printer {
    const struct race_program *p;
    struct cw_buf *out;
    uint32_t depth, loops;
};

static const char *loop_name(const struct printer *w, uint32_t up) {
    static const char *const names[RACE_LOOPS] = {"i", "j", "k"};
    return w->loops > up ? names[w->loops - 1 - up] : "1";
}

static const char *source_name(const struct printer *w, enum race_source s) {
    static const char *const names[] = {"0", "tid", "lane", "warp", "", "", "in[tid]"};
    return s == RACE_LOOP ? loop_name(w, 0) : s == RACE_OUTER_LOOP ? loop_name(w, 1) : names[s];
}

static void print_element(const struct printer *w, enum race_place place, const struct race_index *i) {
    static const char *const names[] = {"s", "t", "out", "p", "q"};
    cw_buf_printf(w->out, "%s[%s%d * %s", names[place >= RACE_P && !w->p->uses_pointers ? RACE_S : place],
                  i->keep || i->flip ? "(" : "", i->a, source_name(w, i->x));
    if (i->y != RACE_CONST)
        cw_buf_printf(w->out, " + %d * %s", i->b, source_name(w, i->y));
    cw_buf_printf(w->out, " + %d", i->c);
    if (i->keep || i->flip)
        cw_buf_putc(w->out, ')');
    if (i->flip)
        cw_buf_printf(w->out, " ^ %d", i->flip);
    if (i->keep)
        cw_buf_printf(w->out, " & %d", i->keep);
    cw_buf_putc(w->out, ']');
}

static void print_choice(const struct printer *w, const struct race_choice_part *part) {
    static const char *const names[] = {">", "<=", "==", "!="};
    if (part->element == RACE_OWN_ONE && part->which)
        cw_buf_printf(w->out, "in[tid ^ %d] %s %d", part->which, names[part->comparison], part->k);
    else if (part->element == RACE_OWN_ONE)
        cw_buf_printf(w->out, "in[tid] %s %d", names[part->comparison], part->k);
    else
        cw_buf_printf(w->out, "in[%d] %s %d", part->which, names[part->comparison], part->k);
}

static void print_condition(const struct printer *w, const struct race_condition *c) {
    const char *loop = loop_name(w, 0);
    switch (c->kind) {
    case RACE_IF_TID_BELOW: cw_buf_printf(w->out, "tid < %d", c->k); return;
    case RACE_IF_TID_FROM: cw_buf_printf(w->out, "tid >= %d", c->k); return;
    case RACE_IF_TID_BITS: cw_buf_printf(w->out, "(tid & %d) == 0", c->k); return;
    case RACE_IF_TID_BELOW_LOOP: cw_buf_printf(w->out, "tid < %s", loop); return;
    case RACE_IF_TID_MULTIPLE_LOOP: cw_buf_printf(w->out, "tid %% (2 * %s | 1) == 0", loop); return;
    case RACE_IF_LANE_BELOW: cw_buf_printf(w->out, "lane < %d", c->k); return;
    case RACE_IF_LANE_IS: cw_buf_printf(w->out, "lane == %d", c->k); return;
    case RACE_IF_WARP_IS: cw_buf_printf(w->out, "warp == %d", c->k); return;
    case RACE_IF_WARP_FROM: cw_buf_printf(w->out, "warp >= %d", c->k); return;
    case RACE_IF_LOOP_ODD: cw_buf_printf(w->out, "%s & 1", loop); return;
    case RACE_IF_PARAM: cw_buf_printf(w->out, "%s > %d", w->p->by_length ? "m" : "n", c->k); return;
    case RACE_IF_TID_BELOW_PARAM: cw_buf_puts(w->out, "tid < n"); return;
    case RACE_IF_DATA: cw_buf_printf(w->out, "in[tid] > %d", c->k); return;
    case RACE_IF_DATA_UNIFORM: cw_buf_printf(w->out, "in[0] > %d", c->k); return;
    case RACE_IF_DATA_BLOCK: cw_buf_printf(w->out, "in[block] > %d", c->k); return;
    case RACE_IF_CHOICE:
        print_choice(w, &c->part[0]);
        if (c->join != RACE_ALONE) {
            cw_buf_puts(w->out, c->join == RACE_AND ? " && " : " || ");
            print_choice(w, &c->part[1]);
        }
        return;
    case RACE_IF_SHARED:
        if (c->flip < 0)
            cw_buf_printf(w->out, "(f(s[0]) & 7) > %d", c->k);
        else
            cw_buf_printf(w->out, "(f(s[tid ^ %d]) & 7) > %d", c->flip, c->k);
        return;
    }
}

static void print_head(const struct printer *w, const struct race_statement *s) {
    const char *i = loop_name(w, 0);
    switch (s->loop) {
    case RACE_HALVE: cw_buf_printf(w->out, "for (%s = %d; %s > 0; %s >>= 1) {\n", i, s->number, i, i); return;
    case RACE_DOUBLE: cw_buf_printf(w->out, "for (%s = 1; %s < %d; %s <<= 1) {\n", i, i, s->number, i); return;
    case RACE_COUNT: cw_buf_printf(w->out, "for (%s = 0; %s < %d; %s++) {\n", i, i, s->number, i); return;
    case RACE_ROUNDS:
        cw_buf_printf(w->out, "for (%s = 1, rounds = 0; rounds < n; rounds++, %s <<= 1) {\n", i, i);
        return;
    case RACE_STRIDE: cw_buf_printf(w->out, "for (%s = tid; %s < %d; %s += threads) {\n", i, i, s->number, i); return;
    case RACE_BY_PARAM:
        cw_buf_printf(w->out, "for (%s = 0; %s < (%s & 3); %s++) {\n", i, i, w->p->by_length ? "m" : "n", i);
        return;
    case RACE_BY_BLOCK: cw_buf_printf(w->out, "for (%s = 0; %s < (in[block + 64] & 3); %s++) {\n", i, i, i); return;
    case RACE_BY_DATA: cw_buf_printf(w->out, "for (%s = 0; %s < (in[tid] & 3); %s++) {\n", i, i, i); return;
    }
}

static void print_access(const struct printer *w, const struct race_statement *s) {
    static const char *const values[] = {"same", "f(tid)", "data[tid]", "f(sum)"};
    bool update = s->kind == RACE_UPDATE;
    if (s->kind == RACE_COPY)
        cw_buf_printf(w->out, "copy %u bytes to ", s->bytes);
    cw_buf_puts(w->out, s->kind == RACE_READ ? "sum += " : s->kind == RACE_ATOMIC ? "atomicAdd(&" : "");
    print_element(w, s->place, &s->index);
    if (s->kind == RACE_WRITE)
        cw_buf_printf(w->out, " = %s %d", values[s->value], s->number);
    cw_buf_puts(w->out, update ? " += " : s->kind == RACE_ATOMIC ? ", 1)" : "");
    if (update)
        print_element(w, s->place, &s->other);
    cw_buf_putc(w->out, ';');
    if (s->bytes != w->p->element)
        cw_buf_printf(w->out, " // %u bytes", s->bytes);
    cw_buf_putc(w->out, '\n');
}

static void print_list(struct printer *w, int list);

static void print_body(struct printer *w, int list) {
    w->depth++;
    print_list(w, list);
    w->depth--;
    cw_buf_printf(w->out, "%*s}\n", (int)(4 * w->depth + 6), "");
}

static void print_statement(struct printer *w, const struct race_statement *s) {
    switch (s->kind) {
    case RACE_SYNCTHREADS: cw_buf_puts(w->out, "__syncthreads();\n"); return;
    case RACE_SYNCWARP: cw_buf_printf(w->out, "__syncwarp(0x%x);\n", (unsigned)s->number); return;
    case RACE_SHUFFLE: cw_buf_printf(w->out, "sum += __shfl_xor_sync(0x%x, sum, 1);\n", (unsigned)s->number); return;
    case RACE_VOTE: cw_buf_printf(w->out, "sum += __ballot_sync(0x%x, sum < 0);\n", (unsigned)s->number); return;
    case RACE_ACTIVE: cw_buf_puts(w->out, "sum += __activemask();\n"); return;
    case RACE_FENCE: cw_buf_puts(w->out, "__threadfence_block();\n"); return;
    case RACE_SWAP: cw_buf_puts(w->out, "swap(p, q);\n"); return;
    case RACE_SYNC_TILE: cw_buf_printf(w->out, "tiled_partition<%d>(block).sync();\n", s->number); return;
    case RACE_WAIT: cw_buf_puts(w->out, "wait for own copies;\n"); return;
    case RACE_IF:
    case RACE_RETURN:
        cw_buf_puts(w->out, "if (");
        print_condition(w, &s->condition);
        cw_buf_puts(w->out, s->kind == RACE_IF ? ") {\n" : ") return;\n");
        if (s->kind == RACE_RETURN)
            return;
        print_body(w, s->body);
        if (s->otherwise != RACE_NONE) {
            cw_buf_printf(w->out, "%*selse {\n", (int)(4 * w->depth + 6), "");
            print_body(w, s->otherwise);
        }
        return;
    case RACE_FOR:
        w->loops++;
        print_head(w, s);
        print_body(w, s->body);
        w->loops--;
        return;
    case RACE_TWICE:
        cw_buf_puts(w->out, "twice {\n");
        print_body(w, s->body);
        return;
    default: print_access(w, s); return;
    }
}

static void print_list(struct printer *w, int list) {
    for (; list != RACE_NONE; list = w->p->at[list].next) {
        const struct race_statement *s = &w->p->at[list];
        if (s->dropped)
            continue;
        if (s->flat) {
            print_list(w, s->body);
            continue;
        }
        cw_buf_printf(w->out, "%4d: %*s", list + 1, (int)(4 * w->depth), "");
        print_statement(w, s);
    }
}

void race_program_print(const struct race_program *p, struct cw_buf *out) {
    struct printer w = {.p = p, .out = out};
    cw_buf_printf(out, "%s (%u,%u,%u), elements of %u bytes%s%s%s%s%s%s%s\n",
                  p->guessed ? "nothing known, block" : "block", p->block[0], p->block[1], p->block[2],
                  p->element, p->initialised ? ", s and t filled before" : "",
                  p->by_data ? ", with data" : "", p->uses_pointers ? ", p = s, q = t" : "",
                  p->by_array ? ", indices through an array" : "", p->by_trap ? ", checks of data" : "",
                  p->by_size ? ", one block" : "", p->by_length ? ", n = sizes[block], m = sizes[block + 1]" : "");
    print_list(&w, p->first);
}
