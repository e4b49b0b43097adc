#include "uniformity/alias.h"

#include "base/hash.h"
#include "uniformity/launch_constants.h"

enum { MBARRIER_BYTES = 8, VISITED_MAX = 48, PROVENANCE_DEPTH = 4, DESCRIPTOR_DEPTH = 16, FACTOR_DEPTH = 8 };

/* ---- bases ---- */

/* Where an access lies from a pointer on, as in struct cw_base. */
struct reach {
    int64_t offset, rest;
    uint64_t extent, step, inner, outer_step;
    bool exact, is_indexed; /* is_indexed: by a number that is no constant */
};

struct place {
    cw_ref ref;
    struct reach at;
    /* From the first number on that only the launch tells: what lies outside of it, the sum of the hashes of all such
     * numbers, and that of the constants among them. */
    struct reach in_array;
    uint64_t numbers;
    int64_t constant;
    bool is_in_array, has_no_array;
};

struct search {
    const struct cw_fn *fn;
    struct place *todo, *seen; /* VISITED_MAX of each */
    uint32_t ntodo, nseen;
    bool is_lost, is_moving; /* too many ways; a pointer that came back with another offset */
    bool is_leaving; /* or in another array */
    bool is_turning; /* or in another element's array */
    uint64_t turn; /* the differences of pointers that came back are multiples of so many bytes, 0: there are none */
    struct cw_bases found;
};

static int64_t add_offsets(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* ---- factors ---- */

static uint64_t common_factor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t distance(int64_t a, int64_t b) {
    return a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
}

static uint64_t power_of_two_in(uint64_t factor) {
    return factor & (0 - factor);
}

/* A number of which the value is a multiple whatever it is; of 0 that is 0. What wraps around keeps powers of two. */
static uint64_t factor_of(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    int64_t number;
    if (cw_ref_const(fn, ref, &number))
        return distance(number, 0);
    if (!i || depth == 0)
        return 1;
    switch (i->op) {
    case CW_OP_MUL: {
        uint64_t product;
        bool wraps = __builtin_mul_overflow(factor_of(fn, cw_arg(fn, i, 0), depth - 1),
                                            factor_of(fn, cw_arg(fn, i, 1), depth - 1), &product);
        return wraps ? 1 : product;
    }
    case CW_OP_SHL:
        return cw_ref_const(fn, cw_arg(fn, i, 1), &number) && number >= 0 && number < 32
                   ? factor_of(fn, cw_arg(fn, i, 0), depth - 1) << number
                   : 1;
    case CW_OP_ADD:
    case CW_OP_SUB:
        return common_factor(factor_of(fn, cw_arg(fn, i, 0), depth - 1), factor_of(fn, cw_arg(fn, i, 1), depth - 1));
    case CW_OP_COPY:
        return factor_of(fn, cw_arg(fn, i, 0), depth - 1);
    case CW_OP_SEXT:
    case CW_OP_ZEXT:
        return power_of_two_in(factor_of(fn, cw_arg(fn, i, 0), depth - 1));
    default:
        return 1;
    }
}

static void add_base(struct search *search, struct cw_base base) {
    for (uint32_t k = 0; k < search->found.n; k++) {
        struct cw_base *f = &search->found.at[k];
        if (!cw_ref_eq(f->root, base.root) || f->is_read != base.is_read || f->field != base.field ||
            f->fields != base.fields)
            continue;
        if (f->offset != base.offset || f->exact != base.exact || f->extent != base.extent || f->array != base.array)
            f->exact = false, f->extent = 0;
        if (f->array != base.array)
            f->array = CW_ARRAY_ANY;
        f->inner = f->inner == base.inner && f->rest == base.rest ? f->inner : 0;
        f->outer_step = common_factor(f->outer_step, base.outer_step);
        f->step = common_factor(common_factor(f->step, base.step), distance(f->rest, base.rest));
        return;
    }
    if (search->found.n == CW_BASES_MAX)
        search->is_lost = true;
    else
        search->found.at[search->found.n++] = base;
}

static void visit_place(struct search *search, struct place place) {
    for (uint32_t k = 0; k < search->nseen; k++)
        if (cw_ref_eq(search->seen[k].ref, place.ref)) {
            const struct place *old = &search->seen[k];
            search->is_moving |= (old->at.exact || old->at.extent) &&
                                 (old->at.exact != place.at.exact || old->at.offset != place.at.offset ||
                                  old->at.extent != place.at.extent);
            search->is_turning |= old->at.inner != place.at.inner || old->at.outer_step != place.at.outer_step ||
                                  old->at.rest != place.at.rest;
            search->turn = common_factor(common_factor(search->turn, distance(old->at.rest, place.at.rest)),
                                         common_factor(old->at.step, place.at.step));
            search->is_leaving |= old->numbers != place.numbers || old->constant != place.constant ||
                                  old->is_in_array != place.is_in_array;
            return;
        }
    if (search->nseen == VISITED_MAX || search->ntodo == VISITED_MAX) {
        search->is_lost = true;
        return;
    }
    search->seen[search->nseen++] = search->todo[search->ntodo++] = place;
}

static bool is_integer_step(enum cw_op op) {
    return op == CW_OP_ADD || op == CW_OP_SUB || op == CW_OP_AND || op == CW_OP_OR || op == CW_OP_SEXT ||
           op == CW_OP_ZEXT || op == CW_OP_TRUNC || op == CW_OP_COPY || op == CW_OP_LSHR;
}

/* The pointer that an integer was made from, looking through alignment arithmetic; NONE when there is none. */
static cw_ref pointer_of_integer(const struct cw_fn *fn, cw_ref ref, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (!i || depth == 0)
        return CW_NONE;
    if (i->op == CW_OP_PTRTOINT || i->op == CW_OP_CVTA)
        return cw_arg(fn, i, 0);
    for (uint32_t k = 0; is_integer_step(i->op) && k < i->narg; k++) {
        cw_ref found = pointer_of_integer(fn, cw_arg(fn, i, k), depth - 1);
        if (found.tag != CW_REF_NONE)
            return found;
    }
    return CW_NONE;
}

/* A pointer read from a place that has a name: a field of a parameter, a `__device__` or `__constant__` pointer, or one
 * of an array of pointers there. */
static struct cw_base base_of_read(const struct cw_fn *fn, const struct cw_ins *load) {
    struct cw_base unknown = {.root = CW_NONE};
    cw_ref at = cw_arg(fn, load, 0), step;
    int64_t field = 0, more;
    uint64_t fields = 0;
    for (int hops = 0; hops < VISITED_MAX; hops++) {
        const struct cw_ins *i = cw_ins_of(fn, at);
        if (!i || i->op != CW_OP_PTRADD)
            break;
        step = cw_arg(fn, i, 1);
        if (cw_ref_const(fn, step, &more))
            field = add_offsets(field, more);
        else if (fields == 0 && i->aux > 0 && field == 0)
            fields = i->aux;
        else
            return unknown;
        at = cw_arg(fn, i, 0);
    }
    if (at.tag != CW_REF_OBJECT)
        return unknown;
    enum cw_space space = fn->objects.at[at.index].space;
    if (space != CW_SPACE_PARAM && space != CW_SPACE_CONSTANT && space != CW_SPACE_GLOBAL)
        return unknown;
    return (struct cw_base){.root = at, .is_read = true, .field = field, .fields = fields, .exact = fields == 0};
}

static void visit_operands(struct search *search, const struct cw_ins *ins, struct place place, uint32_t from) {
    for (uint32_t k = from; k < ins->narg; k++) {
        place.ref = cw_arg(search->fn, ins, k);
        visit_place(search, place);
    }
}

/* An index that is no constant may be any that does not leave the array; where nothing is known of what is added to an
 * element's address, nothing is known of the place. */
static void add_step(const struct search *search, const struct cw_ins *ins, struct reach *reach) {
    int64_t step;
    if (cw_ref_const(search->fn, cw_arg(search->fn, ins, 1), &step)) {
        reach->offset = add_offsets(reach->offset, step);
        reach->rest = add_offsets(reach->rest, step);
    } else {
        uint64_t factor = factor_of(search->fn, cw_arg(search->fn, ins, 1), FACTOR_DEPTH);
        reach->step = common_factor(reach->step, factor);
        if (reach->is_indexed)
            reach->outer_step = common_factor(reach->outer_step, factor);
        else
            reach->inner = ins->aux;
        reach->is_indexed = true;
        reach->extent = reach->exact || reach->extent ? ins->aux : 0;
        reach->offset = 0;
        reach->exact = false;
    }
}

/* Where does the array begin in which the place lies? */
static void note_array(const struct search *search, cw_ref step, struct place *place) {
    int64_t number;
    uint64_t hash;
    bool is_number = cw_ref_const(search->fn, step, &number);
    if (!is_number && cw_launch_constant(search->fn, step, &hash)) {
        if (!place->is_in_array)
            place->in_array = place->at;
        place->is_in_array = true;
        place->numbers += cw_mix(CW_ARRAY_WHOLE, hash);
    } else if (is_number && place->is_in_array) {
        place->constant = add_offsets(place->constant, number);
    } else if (!is_number && (place->is_in_array || cw_has_launch_term(search->fn, step))) {
        place->has_no_array = true;
    }
}

static void visit_sum(struct search *search, const struct cw_ins *ins, struct place place) {
    place.ref = cw_arg(search->fn, ins, 0);
    note_array(search, cw_arg(search->fn, ins, 1), &place);
    add_step(search, ins, &place.at);
    visit_place(search, place);
}

static struct cw_base base_at(const struct search *search, const struct place *place) {
    bool is_root = place->ref.tag == CW_REF_OBJECT || place->ref.tag == CW_REF_PARAM;
    bool is_divided = place->ref.tag == CW_REF_OBJECT && !place->has_no_array &&
                      search->fn->objects.at[place->ref.index].space == CW_SPACE_DYNSHARED;
    const struct reach *at = is_divided && place->is_in_array ? &place->in_array : &place->at;
    uint64_t array = place->is_in_array ? cw_mix(place->numbers, (uint64_t)place->constant) | 2 : CW_ARRAY_WHOLE;
    return (struct cw_base){.root = is_root ? place->ref : CW_NONE,
                            .exact = at->exact,
                            .offset = at->offset,
                            .extent = at->extent,
                            .step = place->at.step,
                            .inner = place->at.inner,
                            .outer_step = place->at.outer_step,
                            .rest = place->at.rest,
                            .array = is_divided ? array : CW_ARRAY_ANY};
}

static void follow_place(struct search *search, struct place place) {
    const struct cw_ins *i = cw_ins_of(search->fn, place.ref);
    if (!i) {
        bool is_null =
            place.ref.tag == CW_REF_CONST || place.ref.tag == CW_REF_UNDEF; /* an access there is none at all */
        if (!is_null)
            add_base(search, base_at(search, &place));
        return;
    }
    switch (i->op) {
    case CW_OP_PTRADD:
        visit_sum(search, i, place);
        return;
    case CW_OP_COPY:
    case CW_OP_PHI:
        visit_operands(search, i, place, 0);
        return;
    case CW_OP_SELECT:
        visit_operands(search, i, place, 1);
        return;
    case CW_OP_INTTOPTR:
    case CW_OP_MATRIXPTR: {
        cw_ref from = pointer_of_integer(search->fn, cw_arg(search->fn, i, 0),
                                         i->op == CW_OP_MATRIXPTR ? DESCRIPTOR_DEPTH : PROVENANCE_DEPTH);
        if (from.tag != CW_REF_NONE)
            visit_place(search, (struct place){.ref = from, .has_no_array = true});
        else
            add_base(search, (struct cw_base){.root = CW_NONE});
        return;
    }
    case CW_OP_LOAD: {
        struct cw_base b = base_of_read(search->fn, i);
        b.exact &= place.at.exact;
        b.offset = place.at.offset;
        b.extent = b.fields ? 0 : place.at.extent;
        b.step = b.fields ? 1 : place.at.step;
        b.rest = place.at.rest;
        b.inner = b.fields ? 0 : place.at.inner;
        b.outer_step = place.at.outer_step;
        add_base(search, b);
        return;
    }
    default:
        add_base(search, (struct cw_base){.root = CW_NONE});
    }
}

static struct cw_bases find_bases(const struct cw_fn *fn, cw_ref pointer) {
    struct place todo[VISITED_MAX], seen[VISITED_MAX];
    struct search s = {.fn = fn, .todo = todo, .seen = seen};
    visit_place(&s, (struct place){.ref = pointer, .at = {.exact = true}});
    while (s.ntodo && !s.is_lost)
        follow_place(&s, s.todo[--s.ntodo]);
    if (s.is_lost || s.found.n == 0)
        return (struct cw_bases){.at = {{.root = CW_NONE}}, .n = 1};
    for (uint32_t k = 0; s.is_turning && k < s.found.n; k++)
        s.found.at[k].inner = 0;
    for (uint32_t k = 0; s.turn && k < s.found.n; k++)
        s.found.at[k].step = common_factor(s.found.at[k].step, s.turn);
    for (uint32_t k = 0; s.is_moving && k < s.found.n; k++)
        s.found.at[k].exact = false, s.found.at[k].extent = 0;
    for (uint32_t k = 0; s.is_leaving && k < s.found.n; k++)
        s.found.at[k].exact = false, s.found.at[k].extent = 0, s.found.at[k].array = CW_ARRAY_ANY;
    return s.found;
}

struct cw_kept_bases {
    const struct cw_bases **of; /* by instruction; NULL: not asked for yet */
};

void cw_memory_keep_bases(struct cw_fn *fn) {
    fn->kept_bases = CW_NEW(fn->arena, struct cw_kept_bases);
    fn->kept_bases->of = CW_NEW_ARRAY(fn->arena, const struct cw_bases *, fn->ins.n + 1);
}

struct cw_bases cw_memory_bases(const struct cw_fn *fn, cw_ref pointer) {
    if (!fn->kept_bases || pointer.tag != CW_REF_INS)
        return find_bases(fn, pointer);
    const struct cw_bases **kept = &fn->kept_bases->of[pointer.index];
    if (!*kept) {
        struct cw_bases *found = CW_NEW(fn->arena, struct cw_bases);
        *found = find_bases(fn, pointer);
        *kept = found;
    }
    return **kept;
}

static bool is_of_block(const struct cw_fn *fn, const struct cw_base *base) {
    if (base->root.tag != CW_REF_OBJECT || base->is_read)
        return false;
    enum cw_space space = fn->objects.at[base->root.index].space;
    return space == CW_SPACE_LOCAL || space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED;
}

bool cw_memory_is_volatile(const struct cw_fn *fn, const struct cw_ins *load) {
    if (!(load->flags & CW_INS_VOLATILE))
        return false;
    struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, load, 0));
    for (uint32_t k = 0; k < bases.n; k++)
        if (!is_of_block(fn, &bases.at[k]))
            return true;
    return false;
}

/* ---- accesses ---- */

bool cw_memory_is_call(const struct cw_ins *ins) {
    return ins->op == CW_OP_CALL || ins->op == CW_OP_OPCALL || ins->op == CW_OP_ASM;
}

/* No GPU has that much memory: such a length is a mistake in the code, or its type's wrap-around, and tells nothing. */
enum { MAX_ACCESS_BITS = 40 };

static struct cw_access make_access(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t operand, uint64_t size,
                                    bool writes) {
    return (struct cw_access){cw_arg(fn, ins, operand), size >> MAX_ACCESS_BITS ? 0 : size, !writes, writes};
}

static uint64_t bytes_of(const struct cw_fn *fn, cw_ref count) {
    int64_t n;
    return cw_ref_const(fn, count, &n) && n > 0 ? (uint64_t)n : 0;
}

bool cw_memory_atomic_changes(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t value;
    bool known = ins->narg > 1 && cw_ref_const(fn, cw_arg(fn, ins, 1), &value);
    switch ((enum cw_atomic)(ins->aux & 0xff)) {
    case CW_ATOMIC_LOAD:
        return false;
    case CW_ATOMIC_ADD: case CW_ATOMIC_SUB: case CW_ATOMIC_OR: case CW_ATOMIC_XOR:
        return !(known && value == 0);
    case CW_ATOMIC_AND:
        return !(known && value == -1);
    case CW_ATOMIC_CAS:
        return !(ins->narg > 2 && cw_ref_eq(cw_arg(fn, ins, 1), cw_arg(fn, ins, 2)));
    default:
        return true;
    }
}

static uint64_t copied_bytes(const struct cw_fn *fn, const struct cw_ins *ins) {
    return ins->aux || ins->narg < 3 ? ins->aux : bytes_of(fn, cw_arg(fn, ins, 2));
}

/* A reduction has no result; its operand has the element's type. */
static uint32_t bytes_of_atomic(const struct cw_fn *fn, const struct cw_ins *ins) {
    enum cw_type type = ins->type == CW_VOID && ins->narg > 1 ? cw_ref_type(fn, cw_arg(fn, ins, 1)) : ins->type;
    return cw_type_bits(type) / 8;
}

uint32_t cw_memory_accesses(const struct cw_fn *fn, const struct cw_ins *ins, struct cw_access out[2]) {
    switch (ins->op) {
    case CW_OP_LOAD:
        out[0] = make_access(fn, ins, 0, ins->aux, false);
        return 1;
    case CW_OP_STORE:
        out[0] = make_access(fn, ins, 1, ins->aux, true);
        return 1;
    case CW_OP_MEMCOPY:
        out[0] = make_access(fn, ins, 0, copied_bytes(fn, ins), true);
        out[1] = make_access(fn, ins, 1, copied_bytes(fn, ins), false);
        return 2;
    case CW_OP_ASYNCCOPY:
        out[0] = make_access(fn, ins, 0, bytes_of(fn, cw_arg(fn, ins, 2)), true);
        out[1] = make_access(fn, ins, 1, bytes_of(fn, cw_arg(fn, ins, 2)), false);
        return 2;
    case CW_OP_WGMMA:
        out[0] = make_access(fn, ins, 0, CW_WGMMA_BYTES, false);
        out[1] = make_access(fn, ins, 1, CW_WGMMA_BYTES, false);
        return cw_arg(fn, ins, 1).tag == CW_REF_UNDEF ? 1 : 2;
    case CW_OP_MEMSET:
        out[0] = make_access(fn, ins, 0, ins->aux, true);
        return 1;
    case CW_OP_ATOMIC:
        out[0] = make_access(fn, ins, 0, bytes_of_atomic(fn, ins), true);
        out[0].reads = true;
        out[0].writes = cw_memory_atomic_changes(fn, ins);
        return 1;
    case CW_OP_FRAGLOAD:
        out[0] = make_access(fn, ins, 0, 0, false);
        return 1;
    case CW_OP_FRAGSTORE:
        out[0] = make_access(fn, ins, 0, 0, true);
        return 1;
    case CW_OP_MBARINIT:
    case CW_OP_MBARARRIVE:
    case CW_OP_MBARWAIT: out[0] = make_access(fn, ins, 0, MBARRIER_BYTES, true); return 1;
    default:
        return 0;
    }
}

/* ---- meeting ---- */

/* Does the operand only say where the access is? Everything else done with an address lets it escape. */
static bool is_address_operand(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t k) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, ins, acc);
    if (ins->op == CW_OP_STORE)
        return k == 1;
    if (n == 2)
        return k < 2;
    if (n == 1)
        return k == 0;
    return ins->op == CW_OP_PTRADD || ins->op == CW_OP_PHI || ins->op == CW_OP_SELECT || ins->op == CW_OP_COPY ||
           ins->op == CW_OP_EQ || ins->op == CW_OP_NE;
}

struct cw_memory *cw_memory_new(const struct cw_fn *fn, struct cw_arena *a) {
    struct cw_memory *m = CW_NEW(a, struct cw_memory);
    m->fn = fn;
    m->escaped = cw_bitset_new(a, fn->objects.n);
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        for (uint32_t p = 0; p < fn->blocks.at[b].ins.n; p++) {
            const struct cw_ins *i = &fn->ins.at[fn->blocks.at[b].ins.at[p]];
            for (uint32_t k = 0; k < i->narg; k++) {
                if (cw_ref_type(fn, cw_arg(fn, i, k)) != CW_PTR || is_address_operand(fn, i, k))
                    continue;
                struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, i, k));
                for (uint32_t j = 0; j < bases.n; j++)
                    if (bases.at[j].root.tag == CW_REF_OBJECT && !bases.at[j].is_read)
                        cw_bitset_add(&m->escaped, bases.at[j].root.index);
            }
        }
    return m;
}

/* Can a pointer of unknown origin reach this base? */
static bool is_exposed(const struct cw_memory *memory, const struct cw_base *base) {
    if (base->root.tag == CW_REF_NONE || base->is_read)
        return true;
    if (base->root.tag == CW_REF_PARAM)
        return !memory->fn->params.at[base->root.index].is_restrict;
    switch (memory->fn->objects.at[base->root.index].space) {
    case CW_SPACE_CONSTANT:
    case CW_SPACE_PARAM:
        return false;
    case CW_SPACE_SHARED:
    case CW_SPACE_DYNSHARED:
    case CW_SPACE_LOCAL:
        return cw_bitset_has(&memory->escaped, base->root.index);
    default:
        return true;
    }
}

static bool do_overlap(int64_t a, uint64_t size_a, int64_t b, uint64_t size_b) {
    if (!size_a || !size_b)
        return true;
    return a <= b ? (uint64_t)b - (uint64_t)a < size_a : (uint64_t)a - (uint64_t)b < size_b;
}

bool cw_base_may_be_same(const struct cw_base *base, const struct cw_base *other) {
    if (base->fields == 0 && other->fields == 0)
        return base->field == other->field;
    return do_overlap(base->field, base->fields ? base->fields : 1, other->field, other->fields ? other->fields : 1);
}

bool cw_base_is_one_memory(const struct cw_base *base, const struct cw_base *other) {
    return base->root.tag != CW_REF_NONE && cw_ref_eq(base->root, other->root) && base->is_read == other->is_read &&
           cw_base_may_be_same(base, other);
}

/* Bytes from a place of the first to the next one of the other; *stride: 0: there are no others. */
static uint64_t bytes_to(const struct cw_strided *interval, const struct cw_strided *other, uint64_t *stride) {
    *stride = common_factor(interval->stride, other->stride);
    uint64_t bytes = distance(interval->first, other->first);
    if (*stride == 0)
        return bytes;
    return interval->first <= other->first ? bytes % *stride : (*stride - bytes % *stride) % *stride;
}

bool cw_strided_are_apart(const struct cw_strided *interval, const struct cw_strided *other) {
    uint64_t stride, bytes = bytes_to(interval, other, &stride);
    return stride && interval->bytes && other->bytes && interval->bytes <= bytes && other->bytes <= stride - bytes;
}

bool cw_base_may_be_member(const struct cw_base *base, const struct cw_base *other) {
    struct cw_strided one = {base->rest, base->step, 0}, two = {other->rest, other->step, 0};
    uint64_t stride;
    return bytes_to(&one, &two, &stride) == 0;
}

/* By its place in an element, or by the array in an element that holds it. Returns how many. */
static uint32_t intervals_of(const struct cw_base *base, uint64_t size, struct cw_strided out[2]) {
    out[0] = (struct cw_strided){base->rest, base->step, size};
    out[1] = (struct cw_strided){base->rest, base->outer_step, base->inner};
    return base->inner ? 2 : 1;
}

/* Do both lie in elements of one size, apart from one another? */
static bool are_apart(const struct cw_base *base, uint64_t size_a, const struct cw_base *other, uint64_t size_b) {
    struct cw_strided intervals[2], others[2];
    uint32_t n = intervals_of(base, size_a, intervals), m = intervals_of(other, size_b, others);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = 0; j < m; j++)
            if (cw_strided_are_apart(&intervals[k], &others[j]))
                return true;
    return false;
}

bool cw_base_may_overlap(const struct cw_base *base, uint64_t size_a, const struct cw_base *other, uint64_t size_b) {
    bool has_arrays = base->array != CW_ARRAY_ANY && other->array != CW_ARRAY_ANY;
    if (base->array != other->array)
        return !has_arrays;
    if (are_apart(base, size_a, other, size_b))
        return false;
    bool is_known = (base->exact || base->extent) && (other->exact || other->extent);
    return !is_known || do_overlap(base->offset, base->exact ? size_a : base->extent, other->offset,
                                   other->exact ? size_b : other->extent);
}

bool cw_memory_may_meet(const struct cw_memory *memory, const struct cw_base *base, uint64_t size_a,
                        const struct cw_base *other, uint64_t size_b) {
    if (base->root.tag == CW_REF_NONE)
        return is_exposed(memory, other);
    if (other->root.tag == CW_REF_NONE)
        return is_exposed(memory, base);
    return cw_base_is_one_memory(base, other) && cw_base_may_overlap(base, size_a, other, size_b);
}

bool cw_memory_ends_before(const struct cw_base *base, uint64_t size, const struct cw_base *indexed) {
    return base->exact && size > 0 && !indexed->exact && base->offset + (int64_t)size <= indexed->offset;
}
