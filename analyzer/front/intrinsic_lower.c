#include "front/intrinsic_lower.h"

#include "front/async_lower.h"

#include <string.h>

enum { MAX_OPERANDS = 24 };
static const int32_t FULL_MASK = -1;

struct lowering {
    struct cw_at *at;
    const struct cw_intrinsic_call *call;
    const struct cw_intrinsic *row;
    uint16_t flags;
};

/* The roles of each operation's operands, in the order of ops.def. Operations without a row take the arguments that are
 * not ignored, as they come. For what else a slot takes, see fits_slot(). */
static const char *const slots_of[CW_NOPS] = {
    [CW_OP_SHFL] = "mvlw",      [CW_OP_VOTE] = "mc",        [CW_OP_MATCH] = "mv",       [CW_OP_REDUX] = "mv",
    [CW_OP_SCAN] = "mv",        [CW_OP_SYNCWARP] = "m",     [CW_OP_COLLECTIVE] = "m",   [CW_OP_ELECT] = "m",
    [CW_OP_BARRIER] = "inc",    [CW_OP_LOAD] = "p",         [CW_OP_MBARARRIVE] = "p",   [CW_OP_MBARWAIT] = "p",
    [CW_OP_STORE] = "vp",       [CW_OP_MEMCOPY] = "pq",     [CW_OP_MEMSET] = "pv",      [CW_OP_ASYNCCOPY] = "pqn",
    [CW_OP_ASYNCWAIT] = "n",    [CW_OP_FRAGLOAD] = "pn",    [CW_OP_FRAGSTORE] = "pn",   [CW_OP_MBARINIT] = "pn",
    [CW_OP_ASSUME] = "c",       [CW_OP_GRIDSYNC] = "",      [CW_OP_CLUSTERSYNC] = "",   [CW_OP_FENCE] = "",
    [CW_OP_ASYNCCOMMIT] = "",   [CW_OP_ACTIVEMASK] = "",
};

static bool fits_slot(char slot, char role) {
    return slot == role || (slot == 'm' && role == 'g') || (slot == 'c' && role == 'v') ||
           (slot == 'v' && role == 'x') || (slot == 'p' && (role == 'g' || role == 'r'));
}

/* The role of argument i; `*` stands for "every argument is kept". */
bool cw_intrinsic_is_texture(const char *type) {
    static const char name[] = "texture";
    size_t n = sizeof name - 1;
    return type && strncmp(type, name, n) == 0 && (!type[n] || type[n] == '<');
}

char cw_intrinsic_role(const struct cw_intrinsic *row, uint32_t i) {
    uint32_t at = 0;
    if (row->roles[0] == '*')
        return 'x';
    for (const char *r = row->roles; *r; r++) {
        if (*r == '?')
            continue;
        if (at++ == i)
            return *r;
    }
    return '-';
}

/* Code that does not compile may write a call that gives nothing. */
static bool is_value(const struct lowering *lowering, const struct cw_intrinsic_arg *arg) {
    return arg->value.tag != CW_REF_NONE && cw_ref_type(lowering->at->fn, arg->value) != CW_VOID;
}

static const struct cw_intrinsic_arg *find_operand(const struct lowering *lowering, char slot) {
    for (uint32_t i = 0; i < lowering->call->nargs; i++)
        if (is_value(lowering, &lowering->call->args[i]) && fits_slot(slot, cw_intrinsic_role(lowering->row, i)))
            return &lowering->call->args[i];
    return NULL;
}

static cw_ref int32_ref(const struct lowering *lowering, int32_t value) {
    return cw_fn_const(lowering->at->fn, CW_I32, value);
}

/* What an operand is that the caller did not write. */
static cw_ref default_operand(struct lowering *lowering, char slot) {
    switch (slot) {
    case 'm':
        if (lowering->row->flags & CW_INTR_LEGACY)
            return cw_fn_undef(CW_I32);
        lowering->flags |= CW_INS_DEFAULT_MASK;
        return int32_ref(lowering, FULL_MASK);
    case 'w': lowering->flags |= CW_INS_DEFAULT_WIDTH; return int32_ref(lowering, 32);
    case 'n':
        if (!(lowering->row->flags & CW_INTR_TEMPLATE_N))
            return int32_ref(lowering, 0);
        return lowering->call->template_n >= 0 ? int32_ref(lowering, (int32_t)lowering->call->template_n)
                                        : cw_emit_opaque(*lowering->at, CW_I32, CW_BAIL_DEPENDENT, NULL, 0);
    case 'i': return int32_ref(lowering, 0);
    case 'p': return cw_emit_opaque(*lowering->at, CW_PTR, CW_BAIL_BROKEN_CODE, NULL, 0);
    case 'v': return cw_emit_opaque(*lowering->at, CW_I32, CW_BAIL_BROKEN_CODE, NULL, 0);
    default: return cw_fn_undef(CW_I32);
    }
}

/* In code that is not understood an operand that must be a number can be anything. */
static bool is_no_number(char slot, const struct cw_intrinsic_arg *arg) {
    bool wants_number = slot == 'm' || slot == 'w' || slot == 'l' || slot == 'i' || slot == 'n';
    return wants_number && !cw_type_is_int(arg->kind.type) && arg->kind.type != CW_GROUP;
}

static cw_ref widen_operand(struct lowering *lowering, char slot, const struct cw_intrinsic_arg *arg) {
    if (is_no_number(slot, arg)) {
        bool is_wide = slot == 'n' && (lowering->row->op == CW_OP_ASYNCCOPY || lowering->row->op == CW_OP_FRAGLOAD ||
                                       lowering->row->op == CW_OP_FRAGSTORE);
        return cw_emit_opaque(*lowering->at, is_wide ? CW_I64 : CW_I32, CW_BAIL_BROKEN_CODE, &arg->value, 1);
    }
    if ((slot == 'm' || slot == 'w' || slot == 'l' || slot == 'i') && cw_type_is_int(arg->kind.type))
        return cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){CW_I32, arg->kind.is_signed});
    if (slot == 'n' && cw_type_is_int(arg->kind.type))
        return cw_convert(*lowering->at, arg->value, arg->kind,
                          (struct cw_kind){lowering->row->op == CW_OP_ASYNCCOPY ||
                                                   lowering->row->op == CW_OP_FRAGLOAD ||
                                                   lowering->row->op == CW_OP_FRAGSTORE
                                               ? CW_I64
                                               : CW_I32,
                                           arg->kind.is_signed});
    if ((slot == 'p' || slot == 'q') && arg->kind.type != CW_PTR && arg->kind.type != CW_GROUP)
        return cw_type_is_int(arg->kind.type)
                   ? cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){CW_PTR, false})
                   : cw_emit_opaque(*lowering->at, CW_PTR, CW_BAIL_BROKEN_CODE, &arg->value, 1);
    if (slot == 'c' && lowering->row->op == CW_OP_ASSUME)
        return cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){CW_I1, false});
    if (slot == 'v' && lowering->row->op == CW_OP_MEMSET)
        return cw_convert(*lowering->at, arg->value, arg->kind, (struct cw_kind){CW_I8, false});
    return arg->value;
}

static uint32_t by_slots(struct lowering *lowering, const char *slots, cw_ref *out) {
    uint32_t n = 0;
    for (; *slots; slots++) {
        const struct cw_intrinsic_arg *a = find_operand(lowering, *slots);
        out[n++] = a ? widen_operand(lowering, *slots, a) : default_operand(lowering, *slots);
    }
    return n;
}

static uint32_t as_written(struct lowering *lowering, cw_ref *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < lowering->call->nargs && n < MAX_OPERANDS; i++) {
        char role = cw_intrinsic_role(lowering->row, i);
        if (role != '-' && role != 'o' && role != 'f' && is_value(lowering, &lowering->call->args[i]))
            out[n++] = lowering->call->args[i].value;
    }
    return n;
}

static uint32_t collect_operands(struct lowering *lowering, cw_ref *out) {
    const char *slots = slots_of[lowering->row->op];
    return slots ? by_slots(lowering, slots, out) : as_written(lowering, out);
}

static void mark_intrinsic(struct lowering *lowering, cw_ref ref) {
    struct cw_ins *i = cw_ins_of(lowering->at->fn, ref);
    if (!i)
        return;
    i->flags |= lowering->flags;
    i->intrinsic = cw_intrinsic_id(lowering->row);
}

static cw_ref emit_op(struct lowering *lowering, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                      uint32_t n) {
    cw_ref r = cw_fn_emit(lowering->at->fn, lowering->at->block, op, type, aux, args, n, lowering->at->loc);
    mark_intrinsic(lowering, r);
    return r;
}

static cw_ref emit_pure(struct lowering *lowering, cw_ref *args, uint32_t n) {
    if (lowering->call->result.type == CW_VOID) /* `max(f(), x)` of an f without a result: broken code */
        return CW_NONE;
    if (lowering->row->flags & CW_INTR_PER_BLOCK)
        for (uint32_t i = 0; i < 3 && n < MAX_OPERANDS; i++)
            args[n++] = cw_ref_of(CW_REF_SREG, CW_CTAID_X + i);
    return emit_op(lowering, CW_OP_PURE, lowering->call->result.type,
                   cw_fn_add_text(lowering->at->fn, lowering->row->name), args, n);
}

static enum cw_op unsigned_op(enum cw_op op) {
    return op == CW_OP_SMIN ? CW_OP_UMIN : op == CW_OP_SMAX ? CW_OP_UMAX : op;
}

/* Is the result of operand 1's type, whatever that is? */
static bool gives_operand(enum cw_op op) {
    return op == CW_OP_SHFL || op == CW_OP_REDUX || op == CW_OP_SCAN;
}

static enum cw_type natural_type(const struct lowering *lowering, const cw_ref *args, uint32_t n) {
    switch (lowering->row->op) {
    case CW_OP_POPC:
    case CW_OP_FFS:
    case CW_OP_CLZ:
    case CW_OP_GROUPRANK:
    case CW_OP_GROUPSIZE:
    case CW_OP_GROUPMETARANK:
    case CW_OP_GROUPMETASIZE:
    case CW_OP_ACTIVEMASK: return CW_I32;
    case CW_OP_ELECT: return CW_I1;
    case CW_OP_VOTE:
    case CW_OP_MATCH:
    case CW_OP_BARRIER: return cw_type_is_int(lowering->call->result.type) ? lowering->call->result.type : CW_I32;
    case CW_OP_BREV: return n ? cw_ref_type(lowering->at->fn, args[0]) : lowering->call->result.type;
    case CW_OP_MBARARRIVE: return CW_I64;
    case CW_OP_GROUP: return CW_GROUP;
    default: /* a shuffle of a call that gives nothing, in broken code: of what stands for it */
        return lowering->call->result.type == CW_VOID && gives_operand(lowering->row->op) && n > 1
                   ? cw_ref_type(lowering->at->fn, args[1])
                   : lowering->call->result.type;
    }
}

/* Atomics and vector-like loads of types that the IR has no scalar for keep their size in aux. */
static uint32_t aux_of(const struct lowering *lowering) {
    switch (lowering->row->op) {
    case CW_OP_LOAD: return lowering->call->result_bytes;
    case CW_OP_STORE: {
        const struct cw_intrinsic_arg *v = find_operand(lowering, 'v');
        return v ? v->bytes : 0;
    }
    case CW_OP_MEMCOPY:
    case CW_OP_MEMSET: {
        const struct cw_intrinsic_arg *n = find_operand(lowering, 'n');
        int64_t bytes;
        return n && cw_ref_const(lowering->at->fn, n->value, &bytes) && bytes > 0 && bytes <= UINT32_MAX
                   ? (uint32_t)bytes
                   : 0;
    }
    case CW_OP_REDUX:
    case CW_OP_SCAN:
        for (uint32_t i = 0; i < lowering->call->nargs; i++)
            if (cw_intrinsic_role(lowering->row, i) == 'f' && lowering->call->args[i].class_name)
                return cw_intrinsic_redux(lowering->call->args[i].class_name);
        return lowering->row->aux;
    default: return lowering->row->aux;
    }
}

static bool is_memory_op(enum cw_op op) {
    return op == CW_OP_MEMCOPY || op == CW_OP_MEMSET || op == CW_OP_ASYNCCOPY;
}

/* The value as the C++ function returns it. */
static cw_ref as_result(struct lowering *lowering, cw_ref ref, enum cw_type type) {
    if (lowering->call->result.type == CW_VOID || type == CW_VOID)
        return CW_NONE;
    return cw_convert(*lowering->at, ref, (struct cw_kind){type, false}, lowering->call->result);
}

/* `__popc(x)` of an x whose type a template leaves open, or that is missing, has no bits to look at. */
static bool has_bits(const struct lowering *lowering, const cw_ref *args, uint32_t n) {
    enum cw_op op = lowering->row->op;
    bool reads_bits = op == CW_OP_POPC || op == CW_OP_FFS || op == CW_OP_CLZ || op == CW_OP_BREV;
    return !reads_bits || (n == 1 && cw_type_is_int(cw_ref_type(lowering->at->fn, args[0])));
}

static bool is_group_query(enum cw_op op) {
    return op == CW_OP_GROUPRANK || op == CW_OP_GROUPSIZE || op == CW_OP_GROUPMETARANK || op == CW_OP_GROUPMETASIZE;
}

/* The group that a static member function asks about, as `thread_block::thread_rank()` in the toolkit's headers; NONE
 * for a class whose groups are not all one. */
static cw_ref group_of_class(struct lowering *lowering) {
    static const struct { const char *class; enum cw_group kind; } classes[] = {
        {"::thread_block::", CW_GROUP_BLOCK},
        {"::grid_group::", CW_GROUP_GRID},
        {"::cluster_group::", CW_GROUP_CLUSTER},
    };
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
        if (strstr(lowering->row->name, classes[k].class))
            return emit_op(lowering, CW_OP_GROUP, CW_GROUP, classes[k].kind, NULL, 0);
    return CW_NONE;
}

static cw_ref lower_plain(struct lowering *lowering) {
    cw_ref args[MAX_OPERANDS + 4];
    uint32_t n = collect_operands(lowering, args);
    enum cw_op op = lowering->row->op;
    if (n == 0 && is_group_query(op)) {
        args[n++] = group_of_class(lowering);
        if (args[0].tag == CW_REF_NONE)
            return cw_emit_opaque(*lowering->at, CW_I32, CW_BAIL_UNKNOWN_TYPE, args, 0);
    }
    if (!has_bits(lowering, args, n))
        return lowering->call->result.type == CW_VOID ? CW_NONE : emit_pure(lowering, args, n);
    const struct cw_intrinsic_arg *bytes =
        op == CW_OP_MEMCOPY && !aux_of(lowering) ? find_operand(lowering, 'n') : NULL;
    if (bytes && cw_type_is_int(bytes->kind.type)) /* constant propagation may tell */
        args[n++] = cw_convert(*lowering->at, bytes->value, bytes->kind, (struct cw_kind){CW_I64, false});
    bool may_be_void = cw_op_flags(op) & (CW_OP_B | CW_OP_E) && !gives_operand(op);
    bool has_result = !is_memory_op(op) && !(may_be_void && lowering->call->result.type == CW_VOID);
    enum cw_type type = has_result ? natural_type(lowering, args, n) : CW_VOID;
    cw_ref r = emit_op(lowering, op, type, aux_of(lowering), args, n);
    return as_result(lowering, r, type);
}

static cw_ref by_sign(struct lowering *lowering) {
    cw_ref args[MAX_OPERANDS + 4];
    struct cw_kind k = lowering->call->result;
    if (!cw_type_is_int(k.type))
        return emit_pure(lowering, args, as_written(lowering, args));
    uint32_t n = 0;
    for (uint32_t i = 0; i < lowering->call->nargs && n < 2; i++)
        if (cw_intrinsic_role(lowering->row, i) != '-' && lowering->call->args[i].value.tag != CW_REF_NONE)
            args[n++] = cw_convert(*lowering->at, lowering->call->args[i].value, lowering->call->args[i].kind, k);
    if (n != (uint32_t)cw_op_operands(lowering->row->op))
        return emit_pure(lowering, args, n);
    return emit_op(lowering, k.is_signed ? lowering->row->op : unsigned_op(lowering->row->op), k.type, 0, args, n);
}

static cw_ref lower_copy(struct lowering *lowering) {
    cw_ref first = cw_ref_of(CW_REF_SREG, lowering->row->aux & 0xff);
    if (lowering->row->flags & CW_INTR_SREG)
        return as_result(lowering, first, CW_I32);
    if (lowering->row->flags & CW_INTR_SREG3) {
        for (uint32_t i = 0; i < 3 && lowering->call->result_at.tag != CW_REF_NONE; i++) {
            cw_ref to[2] = {lowering->call->result_at, cw_fn_const(lowering->at->fn, CW_I64, 4 * i)};
            cw_ref at = i ? emit_op(lowering, CW_OP_PTRADD, CW_PTR, 0, to, 2) : to[0];
            cw_ref store[2] = {cw_ref_of(CW_REF_SREG, (lowering->row->aux & 0xff) + i), at};
            emit_op(lowering, CW_OP_STORE, CW_VOID, 4, store, 2);
        }
        return CW_NONE;
    }
    const struct cw_intrinsic_arg *v = find_operand(lowering, 'v');
    v = v ? v : find_operand(lowering, 'r');
    if (!v || lowering->call->result.type == CW_VOID)
        return CW_NONE;
    return cw_convert(*lowering->at, v->value, v->kind, lowering->call->result);
}

static cw_ref lower_unknown(struct lowering *lowering, enum cw_op op) {
    cw_ref args[MAX_OPERANDS + 4];
    uint32_t n = as_written(lowering, args);
    if (op == CW_OP_OPCALL) {
        cw_ref r = emit_op(lowering, CW_OP_OPCALL, lowering->call->result.type, lowering->row->aux, args, n);
        return lowering->call->result.type == CW_VOID ? CW_NONE : r;
    }
    if (lowering->call->result.type == CW_VOID)
        return CW_NONE;
    uint32_t why = lowering->row->op == CW_OP_OPAQUE ? lowering->row->aux : CW_BAIL_NONE;
    return emit_op(lowering, CW_OP_OPAQUE, lowering->call->result.type, why, args, n);
}

static cw_ref lower_nothing(struct lowering *lowering) {
    if (!(lowering->row->flags & CW_INTR_NORETURN))
        return lowering->call->result.type == CW_VOID ? CW_NONE : lower_unknown(lowering, CW_OP_OPAQUE);
    cw_fn_trap(lowering->at->fn, lowering->at->block, lowering->at->loc);
    lowering->at->block = cw_fn_add_block(lowering->at->fn);
    return lowering->call->result.type == CW_VOID ? CW_NONE : cw_fn_undef(lowering->call->result.type);
}

static cw_ref group_size(struct lowering *lowering) {
    if (lowering->call->template_n >= 0)
        return as_result(lowering, int32_ref(lowering, (int32_t)lowering->call->template_n), CW_I32);
    if (find_operand(lowering, 'g'))
        return lower_plain(lowering);
    cw_ref args[1];
    return emit_pure(lowering, args, 0);
}

/* ---- atomics of libcu++ ---- */

/* The toolkit's classes that stand for scopes. */
static enum cw_scope scope_of_tag(const struct lowering *lowering) {
    static const struct {
        const char *word;
        enum cw_scope scope;
    } tags[] = {{"__thread_scope_device_tag", CW_SCOPE_DEVICE}, {"__thread_scope_block_tag", CW_SCOPE_BLOCK}};
    for (uint32_t i = 0; i < lowering->call->nargs; i++)
        for (size_t k = 0; lowering->call->args[i].class_name && k < sizeof tags / sizeof *tags; k++)
            if (strstr(lowering->call->args[i].class_name, tags[k].word))
                return tags[k].scope;
    return CW_SCOPE_SYSTEM;
}

/* Scope and order, as CW_INS_HOW wants them: two bits for each std::memory_order, from relaxed to seq_cst. */
static cw_ref emit_how(struct lowering *lowering, const struct cw_intrinsic_arg *order) {
    enum { ORDERS = CW_RELAXED | CW_ACQUIRE << 2 | CW_ACQUIRE << 4 | CW_RELEASE << 6 | CW_ACQUIRE_RELEASE << 8 |
                    CW_ACQUIRE_RELEASE << 10 };
    struct cw_at at = *lowering->at;
    cw_ref shift = cw_convert(at, order->value, order->kind, (struct cw_kind){CW_I32, true});
    shift = cw_emit2(at, CW_OP_MUL, CW_I32, 0, shift, int32_ref(lowering, 2));
    cw_ref bits = cw_emit2(at, CW_OP_LSHR, CW_I32, 0, int32_ref(lowering, ORDERS), shift);
    bits = cw_emit2(at, CW_OP_AND, CW_I32, 0, bits, int32_ref(lowering, 3));
    bits = cw_emit2(at, CW_OP_SHL, CW_I32, 0, bits, int32_ref(lowering, 8));
    return cw_emit2(at, CW_OP_OR, CW_I32, 0, bits, int32_ref(lowering, (int32_t)scope_of_tag(lowering)));
}

/* `atomic_compare_exchange(p, &expected, v, …)`: did the place hold what was expected? */
static cw_ref lower_compare_exchange(struct lowering *lowering, const struct cw_intrinsic_arg *expected,
                                     const cw_ref *operands, cw_ref how) {
    enum cw_type type = cw_ref_type(lowering->at->fn, operands[1]);
    uint32_t bytes = cw_type_bytes(type);
    cw_ref wanted = cw_emit1(*lowering->at, CW_OP_LOAD, type, bytes, expected->value);
    cw_ref args[] = {operands[0], wanted, operands[1], how};
    cw_ref old = emit_op(lowering, CW_OP_ATOMIC, type, lowering->row->aux, args, 4);
    cw_emit2(*lowering->at, CW_OP_STORE, CW_VOID, bytes, old, expected->value);
    cw_ref same = cw_emit2(*lowering->at, CW_OP_EQ, CW_I1, 0, old, wanted);
    return as_result(lowering, same, CW_I1);
}

/* False: the call is not what the row says. */
static bool lower_libcu_atomic(struct lowering *lowering, const cw_ref *operands, uint32_t n, cw_ref *result) {
    const struct cw_intrinsic_arg *order = find_operand(lowering, 'n'), *expected = find_operand(lowering, 'q');
    cw_ref args[MAX_OPERANDS + 4];
    enum cw_type type = n > 1 ? cw_ref_type(lowering->at->fn, operands[1]) : CW_VOID;
    if (!order || !cw_type_is_int(order->kind.type) || (expected && !cw_type_is_int(type) && type != CW_PTR))
        return false;
    cw_ref how = emit_how(lowering, order);
    if (expected) {
        *result = lower_compare_exchange(lowering, expected, operands, how);
        return true;
    }
    memcpy(args, operands, n * sizeof *args);
    args[n++] = how;
    if (lowering->call->result.type != CW_VOID)
        type = lowering->call->result.type;
    *result = emit_op(lowering, CW_OP_ATOMIC, type, lowering->row->aux, args, n);
    return true;
}

static cw_ref lower_atomic(struct lowering *lowering) {
    cw_ref args[MAX_OPERANDS + 4];
    uint32_t n = 0;
    const struct cw_intrinsic_arg *p = find_operand(lowering, 'p');
    args[n++] = p ? widen_operand(lowering, 'p', p) : default_operand(lowering, 'p');
    for (uint32_t i = 0; i < lowering->call->nargs && n < MAX_OPERANDS; i++) {
        char role = cw_intrinsic_role(lowering->row, i);
        if ((role == 'v' || role == 'x') && lowering->call->args[i].value.tag != CW_REF_NONE)
            args[n++] = lowering->call->args[i].value;
    }
    cw_ref r = CW_NONE;
    bool has_operand = lowering->row->roles[strlen(lowering->row->roles) - 1] == 'x';
    if (!(lowering->row->flags & CW_INTR_HOW) || has_operand) {
        r = emit_op(lowering, CW_OP_ATOMIC, lowering->call->result.type, lowering->row->aux, args, n);
    } else if (!lower_libcu_atomic(lowering, args, n, &r)) {
        lowering->flags &= (uint16_t)~CW_INS_HOW;
        return lower_unknown(lowering, CW_OP_OPCALL);
    }
    return lowering->call->result.type == CW_VOID ? CW_NONE : r;
}

static cw_ref lower_body(struct lowering *lowering) {
    cw_ref args[MAX_OPERANDS + 4];
    if (lowering->row->flags & CW_INTR_TILE_SIZE)
        return group_size(lowering);
    if (lowering->row->flags & CW_INTR_BY_SIGN)
        return by_sign(lowering);
    switch (lowering->row->op) {
    case CW_OP_HOLE: return lower_nothing(lowering);
    case CW_OP_COPY: return lower_copy(lowering);
    case CW_OP_PURE:
        return lowering->call->result.type == CW_VOID ? CW_NONE : emit_pure(lowering, args, as_written(lowering, args));
    case CW_OP_OPAQUE:
    case CW_OP_OPCALL: return lower_unknown(lowering, lowering->row->op);
    case CW_OP_ATOMIC: return lower_atomic(lowering);
    case CW_OP_GROUP: {
        uint32_t n = by_slots(lowering, lowering->row->aux == CW_GROUP_TILE ? "gn" : "", args);
        if (lowering->row->aux == CW_GROUP_LABELED || lowering->row->aux == CW_GROUP_BINARY)
            n = by_slots(lowering, "gc", args);
        return emit_op(lowering, CW_OP_GROUP, CW_GROUP, lowering->row->aux, args, n);
    }
    default: return lower_plain(lowering);
    }
}

/* Results through pointers and references: an unknown value as far as single lanes go. */
static void write_outputs(struct lowering *lowering) {
    for (uint32_t i = 0; i < lowering->call->nargs; i++) {
        const struct cw_intrinsic_arg *a = &lowering->call->args[i];
        if (cw_intrinsic_role(lowering->row, i) != 'o' || a->value.tag == CW_REF_NONE)
            continue;
        enum cw_type t = a->pointee == 8 ? CW_I64 : a->pointee == 1 ? CW_I8 : a->pointee == 2 ? CW_I16 : CW_I32;
        if (cw_type_bytes(t) != a->pointee)
            t = CW_AGG;
        cw_ref args[2] = {cw_emit_opaque(*lowering->at, t, CW_BAIL_NONE, NULL, 0), a->value};
        emit_op(lowering, CW_OP_STORE, CW_VOID, a->pointee, args, 2);
    }
}

const struct cw_intrinsic *cw_intrinsic_of_count(const struct cw_intrinsic *row, uint32_t nargs) {
    uint32_t roles = 0;
    for (const char *r = row->roles; *r; r++)
        roles += *r != '?';
    return row->flags & CW_INTR_BY_COUNT && nargs < roles ? cw_intrinsic_find(row->replacement) : row;
}

const struct cw_intrinsic *cw_intrinsic_resolve(const struct cw_intrinsic_call *call) {
    const struct cw_intrinsic *row = call->row;
    if (!(row->flags & CW_INTR_FORWARD) || !call->nargs || !call->args[0].class_name)
        return row;
    char name[160];
    size_t n = strlen(call->args[0].class_name), m = strlen(row->replacement);
    if (n + m + 3 > sizeof name)
        return row;
    memcpy(name, call->args[0].class_name, n);
    memcpy(name + n, "::", 2);
    memcpy(name + n + 2, row->replacement, m + 1);
    const struct cw_intrinsic *found = cw_intrinsic_find(name);
    return found ? found : row;
}

static uint16_t flags_of(const struct cw_intrinsic *row) {
    uint16_t flags = 0;
    flags |= row->flags & CW_INTR_LEGACY ? CW_INS_LEGACY : 0;
    flags |= row->flags & CW_INTR_VOLATILE ? CW_INS_VOLATILE : 0;
    flags |= row->flags & CW_INTR_READONLY ? CW_INS_READONLY : 0;
    flags |= row->flags & CW_INTR_HOW ? CW_INS_HOW : 0;
    return flags;
}

/* A class result: the bytes become what the operation gives, as one value. */
static cw_ref deliver_result(struct lowering *lowering, cw_ref ref) {
    if (lowering->call->result_at.tag == CW_REF_NONE || ref.tag == CW_REF_NONE)
        return ref;
    cw_ref args[2] = {ref, lowering->call->result_at};
    emit_op(lowering, CW_OP_STORE, CW_VOID, lowering->call->result_bytes, args, 2);
    return CW_NONE;
}

/* What a row does before its operation. */
static void emit_before(struct lowering *lowering) {
    unsigned flags = lowering->call->row->flags;
    if (!(flags & CW_INTR_AFTER_COPIES))
        return;
    bool some = flags & CW_INTR_TEMPLATE_N && lowering->call->template_n >= 0;
    cw_ref pending = int32_ref(lowering, some ? (int32_t)lowering->call->template_n : 0);
    emit_op(lowering, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_GROUPS, &pending, 1);
}

static cw_ref lower_async(struct lowering *lowering) {
    cw_ref r = cw_async_lower(lowering->at, lowering->call, lowering->row);
    return r.tag == CW_REF_NONE ? r : as_result(lowering, r, cw_ref_type(lowering->at->fn, r));
}

cw_ref cw_intrinsic_lower(struct cw_at *at, const struct cw_intrinsic_call *call) {
    struct lowering l = {.at = at, .call = call, .row = cw_intrinsic_resolve(call)};
    l.flags = flags_of(l.row);
    emit_before(&l);
    cw_ref r = deliver_result(&l, l.row->flags & CW_INTR_ASYNC ? lower_async(&l) : lower_body(&l));
    write_outputs(&l);
    if (l.row->flags & CW_INTR_RETURNS_P && call->result.type == CW_PTR) {
        const struct cw_intrinsic_arg *p = find_operand(&l, 'p');
        return p ? p->value : CW_NONE;
    }
    return r;
}
