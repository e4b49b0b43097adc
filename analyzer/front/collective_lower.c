/* See collective_lower.h. */
#include "front/collective_lower.h"

#include <string.h>

enum { WARP = 32, SLOT = 4 };
static const uint32_t NO_BLOCK = UINT32_MAX;

/* Who exchanges with whom: `size` threads, the caller is number `rank` of them; their slots begin at `first`. */
struct team {
    cw_ref rank, first;
    int64_t size, threads; /* threads: of all teams that share the storage */
};

struct lowering {
    struct cw_at *at;
    const struct cw_collective_call *call;
    uint32_t id;
};

static cw_ref mark_intrinsic(struct lowering *lowering, cw_ref ref) {
    struct cw_ins *i = cw_ins_of(lowering->at->fn, ref);
    if (i)
        i->intrinsic = lowering->id;
    return ref;
}

static cw_ref number_ref(struct lowering *lowering, int64_t n) {
    return cw_fn_const(lowering->at->fn, CW_I32, n);
}

static cw_ref emit_op(struct lowering *lowering, enum cw_op op, cw_ref left, cw_ref right) {
    return cw_emit2(*lowering->at, op, CW_I32, 0, left, right);
}

static cw_ref make_result(struct lowering *lowering) {
    return mark_intrinsic(lowering, cw_emit_opaque(*lowering->at, CW_I32, CW_BAIL_INPUT, NULL, 0));
}

static cw_ref sreg_ref(enum cw_sreg r) {
    return cw_ref_of(CW_REF_SREG, r);
}

static bool is_power_of_two(int64_t n) {
    return n > 0 && (n & (n - 1)) == 0;
}

/* ---- who takes part ---- */

static cw_ref block_rank(struct lowering *lowering) {
    const int64_t *dims = lowering->call->dims;
    cw_ref rank = sreg_ref(CW_TID_X), row = number_ref(lowering, dims[0]),
           plane = number_ref(lowering, dims[0] * dims[1]);
    if (dims[1] > 1)
        rank = emit_op(lowering, CW_OP_ADD, rank, emit_op(lowering, CW_OP_MUL, sreg_ref(CW_TID_Y), row));
    if (dims[2] > 1)
        rank = emit_op(lowering, CW_OP_ADD, rank, emit_op(lowering, CW_OP_MUL, sreg_ref(CW_TID_Z), plane));
    return rank;
}

/* The threads that the block has: fewer than the class was declared for where only the first ones have items. */
static cw_ref block_threads(struct lowering *lowering) {
    const int64_t *dims = lowering->call->dims;
    cw_ref threads = sreg_ref(CW_NTID_X);
    if (dims[1] > 1)
        threads = emit_op(lowering, CW_OP_MUL, threads, sreg_ref(CW_NTID_Y));
    if (dims[2] > 1)
        threads = emit_op(lowering, CW_OP_MUL, threads, sreg_ref(CW_NTID_Z));
    return threads;
}

static struct team block_team(struct lowering *lowering) {
    int64_t size = lowering->call->dims[0] * lowering->call->dims[1] * lowering->call->dims[2];
    return (struct team){block_rank(lowering), number_ref(lowering, 0), size, size};
}

static struct team warps_of_block(struct lowering *lowering) {
    struct team t = block_team(lowering);
    cw_ref rank = emit_op(lowering, CW_OP_AND, t.rank, number_ref(lowering, WARP - 1));
    return (struct team){rank, emit_op(lowering, CW_OP_SUB, t.rank, rank), WARP, t.threads};
}

static struct team logical_warp(struct lowering *lowering) {
    int64_t size = lowering->call->dims[0];
    cw_ref lane = sreg_ref(CW_LANEID);
    if (is_power_of_two(size) && size < WARP)
        lane = emit_op(lowering, CW_OP_AND, lane, number_ref(lowering, size - 1));
    return (struct team){lane, number_ref(lowering, 0), size, size};
}

/* The lanes of the caller's logical warp. A size that is no power of two has one logical warp in each warp. */
static cw_ref warp_mask(struct lowering *lowering, const struct team *team) {
    if (team->size >= WARP)
        return number_ref(lowering, -1);
    if (team->size <= 0)
        return cw_emit_opaque(*lowering->at, CW_I32, CW_BAIL_DEPENDENT, NULL, 0);
    cw_ref ones = number_ref(lowering, (int64_t)((1u << team->size) - 1));
    if (!is_power_of_two(team->size))
        return ones;
    return emit_op(lowering, CW_OP_SHL, ones, emit_op(lowering, CW_OP_SUB, sreg_ref(CW_LANEID), team->rank));
}

/* ---- the exchange ---- */

static cw_ref slot_at(struct lowering *lowering, cw_ref slot, uint32_t bytes) {
    cw_ref wide = cw_emit1(*lowering->at, CW_OP_ZEXT, CW_I64, 0, slot);
    cw_ref offset = cw_emit2(*lowering->at, CW_OP_MUL, CW_I64, 0, wide, cw_fn_const(lowering->at->fn, CW_I64, bytes));
    return cw_emit2(*lowering->at, CW_OP_PTRADD, CW_PTR, 0, lowering->call->storage, offset);
}

/* Which thread stores to which slot. A real storage may hold less than a slot for each thread: where it has one for
 * each warp, lane 0 stores for its warp; in a smaller one the first threads store. */
struct stores {
    cw_ref slot, guard; /* guard: the condition under which a thread stores, CW_NONE: always */
    int64_t filled;     /* slots that are stored to: the first ones */
};

static struct stores slots_of(struct lowering *lowering, const struct team *team, int64_t slots) {
    cw_ref own = emit_op(lowering, CW_OP_ADD, team->first, team->rank);
    int64_t warps = (team->threads + WARP - 1) / WARP;
    if (slots >= team->threads)
        return (struct stores){own, CW_NONE, team->threads};
    if (team->size > WARP && slots >= warps) {
        cw_ref is_leader = cw_emit2(*lowering->at, CW_OP_EQ, CW_I1, 0, sreg_ref(CW_LANEID), number_ref(lowering, 0));
        return (struct stores){emit_op(lowering, CW_OP_UDIV, own, number_ref(lowering, WARP)), is_leader, warps};
    }
    return (struct stores){own, cw_emit2(*lowering->at, CW_OP_ULT, CW_I1, 0, own, number_ref(lowering, slots)), slots};
}

static void store_own(struct lowering *lowering, const struct stores *own, uint32_t bytes) {
    uint32_t behind = NO_BLOCK;
    if (own->guard.tag != CW_REF_NONE) {
        uint32_t store = cw_fn_add_block(lowering->at->fn);
        behind = cw_fn_add_block(lowering->at->fn);
        cw_fn_branch(lowering->at->fn, lowering->at->block, own->guard, store, behind, lowering->at->loc, CW_FROM_NONE);
        lowering->at->block = store;
    }
    cw_ref value = make_result(lowering), to = slot_at(lowering, own->slot, bytes);
    if (bytes == 1)
        value = cw_emit1(*lowering->at, CW_OP_TRUNC, CW_I8, 0, value);
    cw_emit2(*lowering->at, CW_OP_STORE, CW_VOID, bytes, value, to);
    lowering->at->fn->ins.at[lowering->at->fn->ins.n - 1].intrinsic = lowering->id;
    if (behind != NO_BLOCK) {
        cw_fn_jump(lowering->at->fn, lowering->at->block, behind, lowering->at->loc, CW_FROM_NONE);
        lowering->at->block = behind;
    }
}

/* Threads beyond the number of valid items need not exist: nothing is read of them. */
static cw_ref valid_slot(struct lowering *lowering, cw_ref slot, int64_t threads) {
    if (lowering->call->row->valid != CW_VALID_FIRST ||
        cw_ref_type(lowering->at->fn, lowering->call->valid) != CW_I32)
        return slot;
    cw_ref first = emit_op(lowering, CW_OP_MUL, slot, number_ref(lowering, threads));
    cw_ref is_valid = cw_emit2(*lowering->at, CW_OP_ULT, CW_I1, 0, first, lowering->call->valid);
    cw_ref args[] = {is_valid, slot, number_ref(lowering, 0)};
    return cw_fn_emit(lowering->at->fn, lowering->at->block, CW_OP_SELECT, CW_I32, 0, args, 3, lowering->at->loc);
}

/* The slot `distance` behind the caller's own. */
static cw_ref load_slot(struct lowering *lowering, const struct team *team, const struct stores *own,
                        int64_t distance, uint32_t bytes) {
    int64_t filled = own->filled;
    cw_ref other = emit_op(lowering, CW_OP_ADD, team->rank, number_ref(lowering, distance));
    int64_t size = team->size < filled ? team->size : filled;
    cw_ref slot =
        emit_op(lowering, CW_OP_ADD, team->first, emit_op(lowering, CW_OP_UREM, other, number_ref(lowering, size)));
    if (filled < team->threads)
        slot = emit_op(lowering, CW_OP_UREM, slot, number_ref(lowering, filled));
    else if (team->size > WARP)
        slot = emit_op(lowering, CW_OP_UREM, slot, block_threads(lowering));
    if (team->size == team->threads)
        slot = valid_slot(lowering, slot, own->guard.tag != CW_REF_NONE && filled * WARP >= team->threads ? WARP : 1);
    cw_ref value = mark_intrinsic(lowering, cw_emit1(*lowering->at, CW_OP_LOAD, bytes == 1 ? CW_I8 : CW_I32, bytes,
                                                     slot_at(lowering, slot, bytes)));
    return bytes == 1 ? cw_emit1(*lowering->at, CW_OP_ZEXT, CW_I32, 0, value) : value;
}

/* What a neighbour has stored, and a thread of another warp where there are several. */
static cw_ref load_others(struct lowering *lowering, const struct team *team, const struct stores *own,
                          uint32_t bytes) {
    cw_ref next = load_slot(lowering, team, own, 1, bytes);
    return team->size > WARP ? emit_op(lowering, CW_OP_XOR, next, load_slot(lowering, team, own, WARP, bytes)) : next;
}

/* What each thread gives is of use to all. */
static cw_ref wait_for_block(struct lowering *lowering) {
    cw_ref any = cw_emit_opaque(*lowering->at, CW_I1, CW_BAIL_INPUT, lowering->call->from, lowering->call->nfrom);
    cw_ref args[] = {number_ref(lowering, 0), number_ref(lowering, 0), any};
    return mark_intrinsic(lowering, cw_fn_emit(lowering->at->fn, lowering->at->block, CW_OP_BARRIER, CW_I32,
                                               CW_BARRIER_OR, args, 3, lowering->at->loc));
}

static bool gives_common(const struct cw_collective *row) {
    return strpbrk(row->roles, "ab") != NULL || (row->valid == CW_VALID_ALL && strcmp(row->roles, "i") == 0);
}

/* A vote is the one operation whose result all lanes of a mask share. */
static cw_ref wait_for_warp(struct lowering *lowering, const struct team *team) {
    cw_ref args[] = {warp_mask(lowering, team), CW_NONE};
    cw_fn_emit(lowering->at->fn, lowering->at->block, CW_OP_SYNCWARP, CW_VOID, 0, args, 1, lowering->at->loc);
    struct cw_ins *sync = &lowering->at->fn->ins.at[lowering->at->fn->ins.n - 1];
    sync->flags |= CW_INS_DEFAULT_MASK | (lowering->call->valid.tag == CW_REF_NONE ? 0 : CW_INS_COUNTED);
    sync->intrinsic = lowering->id;
    if (!gives_common(lowering->call->row))
        return CW_NONE;
    args[1] = cw_emit_opaque(*lowering->at, CW_I1, CW_BAIL_INPUT, NULL, 0);
    return mark_intrinsic(lowering, cw_emit2(*lowering->at, CW_OP_VOTE, CW_I32, CW_VOTE_BALLOT, args[0], args[1]));
}

static bool is_alone(const struct cw_collective_call *call) {
    return call->row->storage == CW_STORAGE_NONE || (call->algorithm >= 0 && call->algorithm < 32 &&
                                                     (call->row->alone >> call->algorithm & 1));
}

static bool is_by_warps(const struct cw_collective_call *call) {
    return call->algorithm >= 0 && call->algorithm < 32 && (call->row->warps >> call->algorithm & 1);
}

struct cw_collective_values cw_collective_lower(struct cw_at *at, const struct cw_collective_call *call) {
    struct lowering l = {at, call, cw_collective_id(call->row)};
    struct cw_collective_values values = {CW_NONE, CW_NONE};
    bool is_block = call->row->of->scope == CW_SCOPE_BLOCK, by_warps = !is_block || is_by_warps(call);
    if (is_alone(call)) {
        values.own = make_result(&l);
        return values;
    }
    struct team t = !is_block ? logical_warp(&l) : by_warps ? warps_of_block(&l) : block_team(&l);
    bool has_storage = call->storage.tag != CW_REF_NONE && call->storage_bytes > 0 && t.size > 0;
    uint32_t bytes = call->storage_bytes >= SLOT ? SLOT : 1;
    int64_t slots = (int64_t)(call->storage_bytes / bytes);
    struct stores own = has_storage ? slots_of(&l, &t, slots) : (struct stores){.filled = 0};
    if (has_storage && call->row->storage == CW_STORAGE_EXCHANGE)
        store_own(&l, &own, bytes);
    if (call->row->storage == CW_STORAGE_EXCHANGE)
        values.common = by_warps ? wait_for_warp(&l, &t) : wait_for_block(&l);
    values.own = has_storage ? load_others(&l, &t, &own, bytes) : make_result(&l);
    return values;
}

cw_ref cw_collective_result(struct cw_at at, const struct cw_collective *row, enum cw_type type, const cw_ref *from,
                            uint32_t n) {
    struct lowering l = {&at, NULL, cw_collective_id(row)};
    return mark_intrinsic(&l, cw_emit_opaque(at, type, CW_BAIL_INPUT, from, n));
}

cw_ref cw_collective_aggregate(struct cw_at at, const struct cw_collective *row, enum cw_type type, cw_ref common) {
    if (common.tag == CW_REF_NONE)
        return cw_collective_result(at, row, type, NULL, 0);
    return cw_emit_pure(at, type, "aggregate", &common, 1);
}
