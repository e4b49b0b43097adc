#include "support/ir_machine.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BIAS = 1 << 20, UNKNOWN_SIZE = 4096, MAX_CALLS = 64, LARGEST_AGG = 256 };

struct blob {
    uint32_t n;
    uint8_t bytes[];
};

/* One activation of a function. */
struct frame {
    struct machine *in;
    const struct cw_fn *fn;
    const int64_t *args;
    int64_t *value;     /* by instruction */
    uint32_t *region;   /* by object */
    uint32_t block, from; /* from: the predecessor edge's position in block.pred */
};

void machine_init(struct machine *in, struct cw_arena *a, const struct cw_module *m) {
    *in = (struct machine){.arena = a, .module = m, .max_steps = 200000};
    cw_map_init(&in->by_key, a);
    cw_map_init(&in->blobs, a);
}

void machine_free(struct machine *in) {
    cw_buf_free(&in->log);
}

/* Local variables begin as zeros, what comes from outside with bytes of its own. */
static uint32_t new_region(struct machine *in, const char *label, uint64_t size, enum cw_space space) {
    struct machine_region r = {label, cw_arena_alloc(in->arena, size), size,
                               space == CW_SPACE_LOCAL || space == CW_SPACE_PARAM};
    for (uint64_t i = 0; space != CW_SPACE_LOCAL && i < size; i++)
        r.bytes[i] = (uint8_t)cw_hash(&i, sizeof i, label ? (uint64_t)(unsigned char)label[0] : 0);
    cw_vec_push(in->arena, &in->regions, r);
    return in->regions.n - 1;
}

static int64_t pointer_to(uint32_t region) {
    return (int64_t)(((uint64_t)region + 1) << 32 | BIAS);
}

int64_t machine_memory(struct machine *in, const char *label, uint64_t size) {
    return pointer_to(new_region(in, label, size, CW_SPACE_GLOBAL));
}

static uint32_t region_of_object(struct machine *in, const struct cw_object *o) {
    uint64_t found, size = o->size ? o->size : UNKNOWN_SIZE;
    if (!o->key)
        return new_region(in, o->name, size, o->space);
    if (cw_map_get(&in->by_key, (uint64_t)(uintptr_t)o->key, &found))
        return (uint32_t)found;
    uint32_t made = new_region(in, o->key, size, o->space);
    cw_map_put(&in->by_key, (uint64_t)(uintptr_t)o->key, made);
    return made;
}

/* ---- memory ---- */

static uint8_t *bytes_at(struct machine *in, int64_t pointer, uint64_t n, struct machine_region **region) {
    uint64_t number = (uint64_t)pointer >> 32;
    int64_t offset = (int64_t)((uint64_t)pointer & 0xffffffff) - BIAS;
    if (number == 0 || number > in->regions.n || offset < 0 || (uint64_t)offset + n > in->regions.at[number - 1].size) {
        in->failed = "access out of bounds";
        return NULL;
    }
    *region = &in->regions.at[number - 1];
    return (*region)->bytes + offset;
}

static int64_t sign_extended(uint64_t v, uint32_t bytes) {
    unsigned shift = 64 - 8 * bytes;
    return (int64_t)(v << shift) >> shift;
}

/* An aggregate value: a hash of its bytes, which are kept aside. */
static int64_t blob_of(struct machine *in, const uint8_t *at, uint32_t n) {
    struct blob *b = cw_arena_alloc(in->arena, sizeof *b + n);
    uint64_t hash = cw_hash(at, n, n);
    b->n = n;
    memcpy(b->bytes, at, n);
    cw_map_put(&in->blobs, hash, (uint64_t)(uintptr_t)b);
    return (int64_t)hash;
}

static int64_t load(struct machine *in, int64_t pointer, uint32_t n, enum cw_type type) {
    struct machine_region *r;
    const uint8_t *at = bytes_at(in, pointer, n, &r);
    uint64_t v = 0;
    if (!at)
        return 0;
    if (type == CW_AGG)
        return blob_of(in, at, n);
    for (uint32_t k = 0; k < n && k < 8; k++)
        v |= (uint64_t)at[k] << (8 * k);
    return type == CW_I1 ? (int64_t)(v & 1) : sign_extended(v, n < 8 ? n : 8);
}

/* Byte by byte, because a pass may split an access into its fields. */
static void log_store(struct machine *in, const struct machine_region *r, const uint8_t *at, uint32_t n) {
    for (uint32_t k = 0; k < n && !r->is_local; k++)
        cw_buf_printf(&in->log, "%s+%td: %02x\n", r->label, at - r->bytes + k, at[k]);
}

static void store(struct machine *in, int64_t pointer, uint32_t n, enum cw_type type, int64_t v) {
    struct machine_region *r;
    uint8_t *at = bytes_at(in, pointer, n, &r);
    uint64_t found;
    if (!at)
        return;
    if (type == CW_AGG) {
        const struct blob *b =
            cw_map_get(&in->blobs, (uint64_t)v, &found) ? (const struct blob *)(uintptr_t)found : NULL;
        for (uint32_t k = 0; k < n; k++)
            at[k] = b && k < b->n ? b->bytes[k] : 0;
    } else {
        for (uint32_t k = 0; k < n; k++)
            at[k] = (uint8_t)((uint64_t)v >> (8 * (k & 7)));
    }
    log_store(in, r, at, n);
}

static void copy(struct machine *in, int64_t to, int64_t from, uint32_t n) {
    struct machine_region *source, *target;
    const uint8_t *s = bytes_at(in, from, n, &source);
    uint8_t *t = bytes_at(in, to, n, &target);
    if (!s || !t)
        return;
    memmove(t, s, n);
    log_store(in, target, t, n);
}

/* ---- values ---- */

static int64_t const_value(const struct cw_const *c) {
    double wide;
    float narrow;
    int32_t bits;
    if (c->type != CW_F32)
        return c->value;
    memcpy(&wide, &c->value, sizeof wide);
    narrow = (float)wide;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static int64_t value_of(struct frame *f, cw_ref r) {
    switch ((enum cw_ref_tag)r.tag) {
    case CW_REF_INS: return f->value[r.index];
    case CW_REF_CONST: return const_value(&f->fn->consts.at[r.index]);
    case CW_REF_OBJECT:
        if (!f->region[r.index])
            f->region[r.index] = region_of_object(f->in, &f->fn->objects.at[r.index]) + 1;
        return pointer_to(f->region[r.index] - 1);
    case CW_REF_PARAM: return f->args[r.index];
    case CW_REF_TPARAM: return 7;
    case CW_REF_SREG: return f->in->sreg[r.index];
    default: return 0;
    }
}

static int64_t arg(struct frame *f, const struct cw_ins *i, uint32_t k) {
    return value_of(f, cw_arg(f->fn, i, k));
}

/* The bits of a type, sign-extended, from any number. */
static int64_t cut(enum cw_type t, uint64_t v) {
    unsigned bits = cw_type_bits(t);
    if (t == CW_I1)
        return (int64_t)(v & 1);
    return bits == 0 || bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static int64_t unknown(struct frame *f, const struct cw_ins *i, const char *what) {
    uint64_t h = cw_hash(what, strlen(what), (uint64_t)i->op << 32 | (i->op == CW_OP_PURE ? 0 : i->aux));
    for (uint32_t k = 0; k < i->narg; k++) {
        int64_t v = arg(f, i, k);
        h = cw_hash(&v, sizeof v, h);
    }
    return cut((enum cw_type)i->type, h);
}

/* The bytes of a value as memory holds them; how many there are. */
static uint32_t bytes_of(struct frame *f, cw_ref r, uint8_t *out, uint32_t cap) {
    enum cw_type t = cw_ref_type(f->fn, r);
    uint64_t v = (uint64_t)value_of(f, r), found;
    uint32_t n = cw_type_bytes(t);
    if (t == CW_AGG) {
        const struct blob *b = cw_map_get(&f->in->blobs, v, &found) ? (const struct blob *)(uintptr_t)found : NULL;
        n = b ? (b->n < cap ? b->n : cap) : 0;
        if (n)
            memcpy(out, b->bytes, n);
        return n;
    }
    for (uint32_t k = 0; k < n && k < cap; k++)
        out[k] = (uint8_t)(v >> (8 * k));
    return n;
}

static int64_t value_from(struct machine *in, enum cw_type t, const uint8_t *bytes, uint32_t n) {
    uint64_t v = 0;
    if (t == CW_AGG)
        return blob_of(in, bytes, n);
    for (uint32_t k = 0; k < n && k < 8; k++)
        v |= (uint64_t)bytes[k] << (8 * k);
    return cut(t, v);
}

/* What promotion makes of accesses that are not one field. */
static bool rearranged(struct frame *f, const struct cw_ins *i, const char *text, int64_t *value) {
    uint8_t bytes[LARGEST_AGG] = {0};
    enum cw_type t = (enum cw_type)i->type;
    unsigned from, size;
    if (strcmp(text, "bits") == 0) {
        *value = value_from(f->in, t, bytes, bytes_of(f, cw_arg(f->fn, i, 0), bytes, sizeof bytes));
    } else if (strcmp(text, "splat") == 0) {
        memset(bytes, (int)(arg(f, i, 0) & 0xff), sizeof bytes);
        *value = value_from(f->in, t, bytes, t == CW_AGG ? LARGEST_AGG : cw_type_bytes(t));
    } else if (strncmp(text, "fields ", 7) == 0) {
        uint32_t n = 0;
        char *at = (char *)(uintptr_t)(text + 7);
        for (uint32_t k = 0; k < i->narg; k++) {
            bytes_of(f, cw_arg(f->fn, i, k), bytes + n, LARGEST_AGG - n);
            n += (uint32_t)strtoul(at, &at, 10);
        }
        *value = value_from(f->in, t, bytes, n);
    } else if (sscanf(text, "bytes %u+%u", &from, &size) == 2) {
        bytes_of(f, cw_arg(f->fn, i, 0), bytes, sizeof bytes);
        *value = value_from(f->in, t, bytes + from, size);
    } else {
        return false;
    }
    return true;
}

static int64_t pure(struct frame *f, const struct cw_ins *i) {
    const char *text = f->fn->texts.at[i->aux];
    int64_t value;
    return rearranged(f, i, text, &value) ? value : unknown(f, i, text);
}

static int64_t computed(struct frame *f, const struct cw_ins *i) {
    int64_t args[3] = {0}, out;
    for (uint32_t k = 0; k < i->narg && k < 3; k++)
        args[k] = arg(f, i, k);
    enum cw_type of = i->narg ? cw_ref_type(f->fn, cw_arg(f->fn, i, i->op == CW_OP_SELECT ? 1 : 0)) : CW_VOID;
    if (i->op == CW_OP_SELECT)
        return args[0] ? args[1] : args[2];
    if (i->op == CW_OP_COPY || i->op == CW_OP_PTRTOINT || i->op == CW_OP_INTTOPTR)
        return args[0];
    if (i->op == CW_OP_PTRADD)
        return (int64_t)((uint64_t)args[0] + (uint64_t)args[1]);
    if (cw_fold((enum cw_op)i->op, of, (enum cw_type)i->type, args, &out))
        return out;
    return unknown(f, i, "undefined");
}

/* ---- effects ---- */

static void log_operands(struct frame *f, const struct cw_ins *i, const char *name) {
    cw_buf_printf(&f->in->log, "%s.%u", name, i->op == CW_OP_OPCALL || i->op == CW_OP_CALL ? 0 : i->aux);
    for (uint32_t k = 0; k < i->narg; k++) {
        cw_ref r = cw_arg(f->fn, i, k);
        if (cw_ref_type(f->fn, r) == CW_PTR)
            cw_buf_puts(&f->in->log, " ptr"); /* its number depends on how many locals there were */
        else
            cw_buf_printf(&f->in->log, " %" PRId64, value_of(f, r));
    }
    cw_buf_putc(&f->in->log, '\n');
}

static int64_t called(struct frame *f, const struct cw_ins *i) {
    const struct cw_fn *callee = cw_module_find(f->in->module, f->fn->callees.at[i->aux]);
    int64_t args[16], result = 0;
    if (!callee || i->narg > 16) {
        log_operands(f, i, "opcall");
        return unknown(f, i, "opcall");
    }
    for (uint32_t k = 0; k < i->narg; k++)
        args[k] = arg(f, i, k);
    if (f->in->depth > MAX_CALLS || !machine_run(f->in, callee, args, i->narg, &result))
        f->in->failed = f->in->failed ? f->in->failed : "too many calls";
    return result;
}

static int64_t atomic(struct frame *f, const struct cw_ins *i) {
    enum cw_type type = i->narg > 1 ? cw_ref_type(f->fn, cw_arg(f->fn, i, 1)) : CW_I32;
    int64_t at = arg(f, i, 0), by = i->narg > 1 ? arg(f, i, 1) : 0, old = load(f->in, at, cw_type_bytes(type), type);
    if (f->in->failed)
        return 0;
    bool adds = (i->aux & 0xff) == CW_ATOMIC_ADD;
    cw_buf_printf(&f->in->log, "atomic.%u ", i->aux);
    store(f->in, at, cw_type_bytes(type), type, cut(type, adds ? (uint64_t)old + (uint64_t)by : (uint64_t)by));
    return old;
}

static int64_t effect(struct frame *f, const struct cw_ins *i) {
    const char *name = cw_op_text((enum cw_op)i->op);
    switch ((enum cw_op)i->op) {
    case CW_OP_LOAD: return load(f->in, arg(f, i, 0), i->aux, (enum cw_type)i->type);
    case CW_OP_STORE:
        store(f->in, arg(f, i, 1), i->aux, cw_ref_type(f->fn, cw_arg(f->fn, i, 0)), arg(f, i, 0));
        return 0;
    case CW_OP_MEMCOPY: copy(f->in, arg(f, i, 0), arg(f, i, 1), i->aux); return 0;
    case CW_OP_MEMSET: {
        struct machine_region *r;
        uint8_t *at = bytes_at(f->in, arg(f, i, 0), i->aux, &r);
        if (!at)
            return 0;
        memset(at, (int)(arg(f, i, 1) & 0xff), i->aux);
        log_store(f->in, r, at, i->aux);
        return 0;
    }
    case CW_OP_ATOMIC: return atomic(f, i);
    case CW_OP_CALL: return called(f, i);
    case CW_OP_PURE: return pure(f, i);
    case CW_OP_OPAQUE: return unknown(f, i, name);
    case CW_OP_ASSUME: return 0;
    default: break;
    }
    unsigned flags = cw_op_flags((enum cw_op)i->op);
    if (!(flags & CW_OP_E))
        return computed(f, i);
    log_operands(f, i, name);
    return i->type == CW_VOID ? 0 : unknown(f, i, name);
}

/* ---- control ---- */

static void enter_block(struct frame *f, uint32_t to, uint32_t which) {
    const struct cw_jump *j = &f->fn->blocks.at[f->block].jump;
    const struct cw_vec_u32 *pred = &f->fn->blocks.at[to].pred;
    uint32_t skip = 0, k = 0;
    for (uint32_t s = 0; s < which; s++)
        skip += j->succ[s] == to;
    while (k < pred->n && (pred->at[k] != f->block || skip > 0)) {
        skip -= pred->at[k] == f->block && skip > 0;
        k++;
    }
    f->block = to;
    f->from = k;
}

/* All PHIs of a block read before any writes. */
static uint32_t run_phis(struct frame *f) {
    const struct cw_block *b = &f->fn->blocks.at[f->block];
    uint32_t n = 0;
    while (n < b->ins.n && f->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI)
        n++;
    int64_t *values = cw_arena_alloc(f->in->arena, sizeof *values * (n + 1));
    for (uint32_t k = 0; k < n; k++)
        values[k] = arg(f, &f->fn->ins.at[b->ins.at[k]], f->from);
    for (uint32_t k = 0; k < n; k++)
        f->value[b->ins.at[k]] = values[k];
    return n;
}

static uint32_t chosen(struct frame *f, const struct cw_jump *j) {
    if (j->kind == CW_JUMP_GOTO)
        return 0;
    int64_t v = value_of(f, j->value);
    if (j->kind == CW_JUMP_BRANCH)
        return v ? 0 : 1;
    uint32_t k = 0;
    while (k + 1 < j->nsucc && j->cases[k] != v)
        k++;
    return k;
}

static bool run_frame(struct frame *f, int64_t *result) {
    for (;;) {
        const struct cw_block *b = &f->fn->blocks.at[f->block];
        for (uint32_t k = run_phis(f); k < b->ins.n && !f->in->failed; k++) {
            f->value[b->ins.at[k]] = effect(f, &f->fn->ins.at[b->ins.at[k]]);
            f->in->steps++;
        }
        if (f->in->steps++ > f->in->max_steps)
            f->in->failed = "out of steps";
        if (f->in->failed)
            return false;
        if (b->jump.kind == CW_JUMP_RETURN) {
            *result = b->jump.value.tag == CW_REF_NONE ? 0 : value_of(f, b->jump.value);
            return true;
        }
        if (b->jump.nsucc == 0) {
            cw_buf_puts(&f->in->log, "trap\n");
            f->in->failed = "trap";
            return false;
        }
        uint32_t which = chosen(f, &b->jump);
        enter_block(f, b->jump.succ[which], which);
    }
}

bool machine_run(struct machine *in, const struct cw_fn *fn, const int64_t *args, uint32_t nargs, int64_t *result) {
    if (nargs != fn->params.n) {
        in->failed = "wrong number of arguments";
        return false;
    }
    struct frame f = {.in = in, .fn = fn, .args = args};
    f.value = CW_NEW_ARRAY(in->arena, int64_t, fn->ins.n + 1);
    f.region = CW_NEW_ARRAY(in->arena, uint32_t, fn->objects.n + 1);
    in->depth++;
    bool ended = run_frame(&f, result);
    in->depth--;
    return ended;
}
