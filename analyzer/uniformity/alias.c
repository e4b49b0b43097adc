#include "uniformity/alias.h"

enum { VISITED_MAX = 48, PROVENANCE_DEPTH = 4 };

/* ---- bases ---- */

struct place {
    cw_ref ref;
    int64_t offset;
    uint64_t extent; /* as in struct cw_base */
    bool exact;
};

struct search {
    const struct cw_fn *fn;
    struct place todo[VISITED_MAX];
    struct place seen[VISITED_MAX];
    uint32_t ntodo, nseen;
    bool is_lost, is_moving; /* too many ways; a pointer that came back with another offset */
    struct cw_bases found;
};

static int64_t add_offsets(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static void add_base(struct search *s, struct cw_base b) {
    for (uint32_t k = 0; k < s->found.n; k++) {
        struct cw_base *f = &s->found.at[k];
        if (!cw_ref_eq(f->root, b.root) || f->is_read != b.is_read || f->field != b.field)
            continue;
        if (f->offset != b.offset || f->exact != b.exact || f->extent != b.extent)
            f->exact = false, f->extent = 0;
        return;
    }
    if (s->found.n == CW_BASES_MAX)
        s->is_lost = true;
    else
        s->found.at[s->found.n++] = b;
}

static void visit(struct search *s, struct place p) {
    for (uint32_t k = 0; k < s->nseen; k++)
        if (cw_ref_eq(s->seen[k].ref, p.ref)) {
            const struct place *old = &s->seen[k];
            s->is_moving |= (old->exact || old->extent) &&
                            (old->exact != p.exact || old->offset != p.offset || old->extent != p.extent);
            return;
        }
    if (s->nseen == VISITED_MAX || s->ntodo == VISITED_MAX) {
        s->is_lost = true;
        return;
    }
    s->seen[s->nseen++] = s->todo[s->ntodo++] = p;
}

static bool is_integer_step(enum cw_op op) {
    return op == CW_OP_ADD || op == CW_OP_SUB || op == CW_OP_AND || op == CW_OP_OR || op == CW_OP_SEXT ||
           op == CW_OP_ZEXT || op == CW_OP_TRUNC || op == CW_OP_COPY;
}

/* The pointer that an integer was made from, looking through alignment arithmetic; NONE when there is none. */
static cw_ref provenance(const struct cw_fn *fn, cw_ref r, int depth) {
    const struct cw_ins *i = cw_ins_of(fn, r);
    if (!i || depth == 0)
        return CW_NONE;
    if (i->op == CW_OP_PTRTOINT || i->op == CW_OP_CVTA)
        return cw_arg(fn, i, 0);
    for (uint32_t k = 0; is_integer_step(i->op) && k < i->narg; k++) {
        cw_ref found = provenance(fn, cw_arg(fn, i, k), depth - 1);
        if (found.tag != CW_REF_NONE)
            return found;
    }
    return CW_NONE;
}

/* A pointer read from a place that has a name: a field of a parameter, a `__device__` or `__constant__` pointer. */
static struct cw_base base_of_read(const struct cw_fn *fn, const struct cw_ins *load) {
    struct cw_base unknown = {.root = CW_NONE};
    cw_ref at = cw_arg(fn, load, 0), step;
    int64_t field = 0, more;
    for (int hops = 0; hops < VISITED_MAX; hops++) {
        const struct cw_ins *i = cw_ins_of(fn, at);
        if (!i || i->op != CW_OP_PTRADD)
            break;
        step = cw_arg(fn, i, 1);
        if (!cw_ref_const(fn, step, &more))
            return unknown;
        field = add_offsets(field, more);
        at = cw_arg(fn, i, 0);
    }
    if (at.tag != CW_REF_OBJECT)
        return unknown;
    enum cw_space space = fn->objects.at[at.index].space;
    if (space != CW_SPACE_PARAM && space != CW_SPACE_CONSTANT && space != CW_SPACE_GLOBAL)
        return unknown;
    return (struct cw_base){.root = at, .is_read = true, .field = field, .exact = true};
}

static void visit_operands(struct search *s, const struct cw_ins *i, struct place p, uint32_t from) {
    for (uint32_t k = from; k < i->narg; k++) {
        p.ref = cw_arg(s->fn, i, k);
        visit(s, p);
    }
}

/* An index that is no constant may be any that does not leave the array; where nothing is known of what is added to an
 * element's address, nothing is known of the place. */
static void visit_sum(struct search *s, const struct cw_ins *i, struct place p) {
    int64_t step;
    p.ref = cw_arg(s->fn, i, 0);
    if (cw_ref_const(s->fn, cw_arg(s->fn, i, 1), &step)) {
        p.offset = add_offsets(p.offset, step);
    } else {
        p.extent = p.exact || p.extent ? i->aux : 0;
        p.offset = 0;
        p.exact = false;
    }
    visit(s, p);
}

static void follow(struct search *s, struct place p) {
    const struct cw_ins *i = cw_ins_of(s->fn, p.ref);
    if (!i) {
        bool is_root = p.ref.tag == CW_REF_OBJECT || p.ref.tag == CW_REF_PARAM;
        bool is_null = p.ref.tag == CW_REF_CONST || p.ref.tag == CW_REF_UNDEF; /* an access there is none at all */
        if (!is_null)
            add_base(s, (struct cw_base){.root = is_root ? p.ref : CW_NONE, .exact = p.exact, .offset = p.offset,
                                         .extent = p.extent});
        return;
    }
    switch (i->op) {
    case CW_OP_PTRADD:
        visit_sum(s, i, p);
        return;
    case CW_OP_COPY:
    case CW_OP_PHI:
        visit_operands(s, i, p, 0);
        return;
    case CW_OP_SELECT:
        visit_operands(s, i, p, 1);
        return;
    case CW_OP_INTTOPTR: {
        cw_ref from = provenance(s->fn, cw_arg(s->fn, i, 0), PROVENANCE_DEPTH);
        if (from.tag != CW_REF_NONE)
            visit(s, (struct place){.ref = from});
        else
            add_base(s, (struct cw_base){.root = CW_NONE});
        return;
    }
    case CW_OP_LOAD: {
        struct cw_base b = base_of_read(s->fn, i);
        b.exact &= p.exact;
        b.offset = p.offset;
        b.extent = p.extent;
        add_base(s, b);
        return;
    }
    default:
        add_base(s, (struct cw_base){.root = CW_NONE});
    }
}

struct cw_bases cw_memory_bases(const struct cw_fn *fn, cw_ref pointer) {
    struct search s = {.fn = fn};
    visit(&s, (struct place){.ref = pointer, .exact = true});
    while (s.ntodo && !s.is_lost)
        follow(&s, s.todo[--s.ntodo]);
    if (s.is_lost || s.found.n == 0)
        return (struct cw_bases){.at = {{.root = CW_NONE}}, .n = 1};
    for (uint32_t k = 0; s.is_moving && k < s.found.n; k++)
        s.found.at[k].exact = false, s.found.at[k].extent = 0;
    return s.found;
}

/* ---- accesses ---- */

bool cw_memory_is_call(const struct cw_ins *i) {
    return i->op == CW_OP_CALL || i->op == CW_OP_OPCALL || i->op == CW_OP_ASM;
}

/* No GPU has that much memory: such a length is a mistake in the code, or its type's wrap-around, and tells nothing. */
enum { MAX_ACCESS_BITS = 40 };

static struct cw_access access(const struct cw_fn *fn, const struct cw_ins *i, uint32_t operand, uint64_t size,
                               bool writes) {
    return (struct cw_access){cw_arg(fn, i, operand), size >> MAX_ACCESS_BITS ? 0 : size, !writes, writes};
}

static uint64_t bytes_of(const struct cw_fn *fn, cw_ref count) {
    int64_t n;
    return cw_ref_const(fn, count, &n) && n > 0 ? (uint64_t)n : 0;
}

bool cw_memory_atomic_changes(const struct cw_fn *fn, const struct cw_ins *i) {
    int64_t value;
    bool known = i->narg > 1 && cw_ref_const(fn, cw_arg(fn, i, 1), &value);
    switch ((enum cw_atomic)(i->aux & 0xff)) {
    case CW_ATOMIC_LOAD:
        return false;
    case CW_ATOMIC_ADD: case CW_ATOMIC_SUB: case CW_ATOMIC_OR: case CW_ATOMIC_XOR:
        return !(known && value == 0);
    case CW_ATOMIC_AND:
        return !(known && value == -1);
    case CW_ATOMIC_CAS:
        return !(i->narg > 2 && cw_ref_eq(cw_arg(fn, i, 1), cw_arg(fn, i, 2)));
    default:
        return true;
    }
}

static uint64_t copied_bytes(const struct cw_fn *fn, const struct cw_ins *i) {
    return i->aux || i->narg < 3 ? i->aux : bytes_of(fn, cw_arg(fn, i, 2));
}

uint32_t cw_memory_accesses(const struct cw_fn *fn, const struct cw_ins *i, struct cw_access out[2]) {
    switch (i->op) {
    case CW_OP_LOAD:
        out[0] = access(fn, i, 0, i->aux, false);
        return 1;
    case CW_OP_STORE:
        out[0] = access(fn, i, 1, i->aux, true);
        return 1;
    case CW_OP_MEMCOPY:
        out[0] = access(fn, i, 0, copied_bytes(fn, i), true);
        out[1] = access(fn, i, 1, copied_bytes(fn, i), false);
        return 2;
    case CW_OP_ASYNCCOPY:
        out[0] = access(fn, i, 0, bytes_of(fn, cw_arg(fn, i, 2)), true);
        out[1] = access(fn, i, 1, bytes_of(fn, cw_arg(fn, i, 2)), false);
        return 2;
    case CW_OP_MEMSET:
        out[0] = access(fn, i, 0, i->aux, true);
        return 1;
    case CW_OP_ATOMIC:
        out[0] = access(fn, i, 0, cw_type_bits(i->type) / 8, true);
        out[0].reads = true;
        out[0].writes = cw_memory_atomic_changes(fn, i);
        return 1;
    case CW_OP_FRAGLOAD:
        out[0] = access(fn, i, 0, 0, false);
        return 1;
    case CW_OP_FRAGSTORE:
        out[0] = access(fn, i, 0, 0, true);
        return 1;
    case CW_OP_MBARINIT:
    case CW_OP_MBARARRIVE:
    case CW_OP_MBARWAIT:
        out[0] = access(fn, i, 0, 0, true);
        return 1;
    default:
        return 0;
    }
}

/* ---- meeting ---- */

/* Does the operand only say where the access is? Everything else done with an address lets it escape. */
static bool is_address_operand(const struct cw_fn *fn, const struct cw_ins *i, uint32_t k) {
    struct cw_access acc[2];
    uint32_t n = cw_memory_accesses(fn, i, acc);
    if (i->op == CW_OP_STORE)
        return k == 1;
    if (n == 2)
        return k < 2;
    if (n == 1)
        return k == 0;
    return i->op == CW_OP_PTRADD || i->op == CW_OP_PHI || i->op == CW_OP_SELECT || i->op == CW_OP_COPY ||
           i->op == CW_OP_EQ || i->op == CW_OP_NE;
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
static bool is_exposed(const struct cw_memory *m, const struct cw_base *b) {
    if (b->root.tag == CW_REF_NONE || b->is_read)
        return true;
    if (b->root.tag == CW_REF_PARAM)
        return !m->fn->params.at[b->root.index].is_restrict;
    switch (m->fn->objects.at[b->root.index].space) {
    case CW_SPACE_CONSTANT:
    case CW_SPACE_PARAM:
        return false;
    case CW_SPACE_SHARED:
    case CW_SPACE_DYNSHARED:
    case CW_SPACE_LOCAL:
        return cw_bitset_has(&m->escaped, b->root.index);
    default:
        return true;
    }
}

static bool overlap(int64_t a, uint64_t size_a, int64_t b, uint64_t size_b) {
    if (!size_a || !size_b)
        return true;
    return a <= b ? (uint64_t)b - (uint64_t)a < size_a : (uint64_t)a - (uint64_t)b < size_b;
}

bool cw_memory_may_meet(const struct cw_memory *m, const struct cw_base *a, uint64_t size_a, const struct cw_base *b,
                        uint64_t size_b) {
    if (a->root.tag == CW_REF_NONE)
        return is_exposed(m, b);
    if (b->root.tag == CW_REF_NONE)
        return is_exposed(m, a);
    if (!cw_ref_eq(a->root, b->root) || a->is_read != b->is_read || a->field != b->field)
        return false;
    bool is_known = (a->exact || a->extent) && (b->exact || b->extent);
    return !is_known || overlap(a->offset, a->exact ? size_a : a->extent, b->offset, b->exact ? size_b : b->extent);
}
