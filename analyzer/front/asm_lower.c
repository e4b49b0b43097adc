#include "front/asm_lower.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 24, MAX_PARTS = 160, MAX_REGISTERS = 256, MAX_INSTRUCTIONS = 512 };

enum handler {
    H_UNKNOWN,
    H_NOTHING,
    H_PURE,
    H_MATRIX,
    H_WGMMA,
    H_WGMMA_FENCE,
    H_WGMMA_COMMIT,
    H_WGMMA_WAIT,
    H_BAR_SYNC,
    H_BAR_ARRIVE,
    H_BAR_RED,
    H_WARP_SYNC,
    H_CLUSTER_ARRIVE,
    H_CLUSTER_WAIT,
    H_SHFL,
    H_VOTE,
    H_MATCH,
    H_REDUX,
    H_ACTIVEMASK,
    H_ELECT,
    H_FENCE,
    H_ASYNC_COPY,
    H_ASYNC_COMMIT,
    H_ASYNC_WAIT,
    H_ASYNC_WAIT_ALL,
    H_ASYNC_BIND,
    H_BULK_COPY,
    H_BULK_COMMIT,
    H_BULK_WAIT,
    H_MBAR_INIT,
    H_MBAR_ARRIVE,
    H_MBAR_EXPECT,
    H_MBAR_WAIT,
    H_BRANCH,
    H_LOAD,
    H_STORE,
    H_ATOMIC,
    H_RED,
    H_LDMATRIX,
    H_TRAP,
    H_MOV,
    H_CVTA,
    H_ADD,
    H_SUB,
    H_MUL,
    H_AND,
    H_OR,
    H_XOR,
    H_NOT,
    H_POPC,
    H_BREV,
    H_SETP,
    H_SELP
};

static const struct ptx_row {
    const char *prefix;
    enum handler handler;
} ptx_rows[] = {
#define CW_PTX(prefix, handler, help) {prefix, H_##handler},
#include "front/ptx.def"
};

/* A PTX register or an output operand, and the value it holds now. */
struct reg {
    cw_str name;
    cw_ref value;
};

struct asm_ctx {
    struct cw_fn *fn;
    uint32_t block, loc;
    const struct cw_asm *statement;
    struct reg regs[MAX_REGISTERS];
    uint32_t nregs;
    bool gave_up;
    bool has_trapped;  /* no instruction behind counts */
    bool is_wait_loop; /* labels and branches only lead back to a wait for an mbarrier */
    /* the instruction at hand */
    cw_str mnemonic, guard;
    bool guard_negated;
    cw_str operand[MAX_OPERANDS];
    uint32_t noperands;
};

static cw_ref emit_at(struct asm_ctx *ctx, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                      uint32_t n) {
    return cw_fn_emit(ctx->fn, ctx->block, op, type, aux, args, n, ctx->loc);
}

/* ---- operands ---- */

/* "%3" or "%[name]": the statement's operand; NULL for PTX registers and literals. */
static const struct cw_asm_operand *operand_of(const struct asm_ctx *ctx, cw_str text) {
    if (text.n < 2 || text.at[0] != '%')
        return NULL;
    if (isdigit((unsigned char)text.at[1])) {
        unsigned long k = strtoul(text.at + 1, NULL, 10);
        return k < ctx->statement->noperands ? &ctx->statement->operands[k] : NULL;
    }
    if (text.at[1] != '[' || text.at[text.n - 1] != ']')
        return NULL;
    cw_str name = {text.at + 2, text.n - 3};
    for (uint32_t k = 0; k < ctx->statement->noperands; k++)
        if (ctx->statement->operands[k].name && cw_str_is(name, ctx->statement->operands[k].name))
            return &ctx->statement->operands[k];
    return NULL;
}

static struct reg *find_reg(struct asm_ctx *ctx, cw_str name) {
    for (uint32_t i = 0; i < ctx->nregs; i++)
        if (cw_str_eq(ctx->regs[i].name, name))
            return &ctx->regs[i];
    if (ctx->nregs == MAX_REGISTERS) {
        ctx->gave_up = true;
        return &ctx->regs[0];
    }
    ctx->regs[ctx->nregs] = (struct reg){name, CW_NONE};
    return &ctx->regs[ctx->nregs++];
}

static bool special_register(cw_str text, cw_ref *out) {
    static const char *const names[CW_NSREGS] = {
        "%%tid.x", "%%tid.y", "%%tid.z", "%%ctaid.x", "%%ctaid.y", "%%ctaid.z", "%%ntid.x", "%%ntid.y", "%%ntid.z",
        "%%nctaid.x", "%%nctaid.y", "%%nctaid.z", "%%laneid", "WARP_SZ", "%%lanemask_eq", "%%lanemask_lt",
        "%%lanemask_le", "%%lanemask_gt", "%%lanemask_ge"};
    for (uint32_t i = 0; i < CW_NSREGS; i++)
        if (cw_str_is(text, names[i]) || cw_str_is(text, names[i] + (names[i][1] == '%'))) {
            *out = (cw_ref){CW_REF_SREG, i & 0x0fffffff};
            return true;
        }
    return false;
}

/* "%cluster_ctarank" and the like: a pure value, of the block where blocks of a cluster differ in it. */
static bool cluster_register(struct asm_ctx *ctx, cw_str text, cw_ref *out) {
    static const struct {
        const char *name;
        bool is_of_grid;
    } names[] = {{"%%cluster_ctarank", false},   {"%%cluster_nctarank", true},   {"%%cluster_ctaid.x", false},
                 {"%%cluster_ctaid.y", false},   {"%%cluster_ctaid.z", false},   {"%%cluster_nctaid.x", true},
                 {"%%cluster_nctaid.y", true},   {"%%cluster_nctaid.z", true},   {"%%clusterid.x", false},
                 {"%%clusterid.y", false},       {"%%clusterid.z", false},       {"%%nclusterid.x", true},
                 {"%%nclusterid.y", true},       {"%%nclusterid.z", true},       {"%%is_explicit_cluster", true}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!cw_str_is(text, names[i].name) && !cw_str_is(text, names[i].name + 1))
            continue;
        cw_ref block[3];
        for (uint32_t d = 0; d < 3; d++)
            block[d] = cw_ref_of(CW_REF_SREG, CW_CTAID_X + d);
        *out = emit_at(ctx, CW_OP_PURE, CW_I32, cw_fn_add_text(ctx->fn, names[i].name + 1), block,
                       names[i].is_of_grid ? 0 : 3);
        return true;
    }
    return false;
}

static cw_ref emit_opaque_result(struct asm_ctx *ctx, enum cw_type type) {
    return emit_at(ctx, CW_OP_OPAQUE, type, CW_BAIL_INLINE_ASM, NULL, 0);
}

/* Integer types of different widths meet where C++ code passes an int to a 64-bit operand and the like. */
static cw_ref as_type(struct asm_ctx *ctx, cw_ref value, enum cw_type want) {
    enum cw_type have = cw_ref_type(ctx->fn, value);
    if (have == want)
        return value;
    if (cw_type_is_int(have) && cw_type_is_int(want))
        return emit_at(ctx, cw_type_bits(have) > cw_type_bits(want) ? CW_OP_TRUNC : CW_OP_ZEXT, want, 0, &value, 1);
    if (have == CW_PTR && want == CW_I64)
        return emit_at(ctx, CW_OP_PTRTOINT, want, 0, &value, 1);
    if (have == CW_PTR && cw_type_is_int(want))
        return emit_at(ctx, CW_OP_CVTA, want, 0, &value, 1);
    return emit_at(ctx, CW_OP_PURE, want, cw_fn_add_text(ctx->fn, "bits"), &value, 1);
}

static cw_ref parse_literal(struct asm_ctx *ctx, cw_str text, enum cw_type want) {
    char digits[40];
    size_t n = text.n < sizeof digits - 1 ? text.n : sizeof digits - 1;
    memcpy(digits, text.at, n);
    digits[n] = '\0';
    char *end;
    int64_t value = (int64_t)strtoull(digits[0] == '-' ? digits + 1 : digits, &end, 0);
    if (*end && *end != 'U' && *end != 'u')
        return emit_opaque_result(ctx, want);
    return cw_fn_const(ctx->fn, want, digits[0] == '-' ? -value : value);
}

static cw_ref read_unconverted(struct asm_ctx *ctx, cw_str text, enum cw_type want) {
    cw_ref value;
    if (special_register(text, &value) || cluster_register(ctx, text, &value))
        return value;
    const struct cw_asm_operand *o = operand_of(ctx, text);
    struct reg *r = find_reg(ctx, text);
    if (r->value.tag != CW_REF_NONE)
        return r->value;
    if (o && o->value.tag != CW_REF_NONE)
        return o->value;
    if (o && o->constraint[0] == '+')
        return r->value = emit_at(ctx, CW_OP_LOAD, o->type, cw_type_bits(o->type) / 8, &o->address, 1);
    if (text.n && (isdigit((unsigned char)text.at[0]) || text.at[0] == '-'))
        return parse_literal(ctx, text, want);
    return emit_opaque_result(ctx, want);
}

static cw_ref read_operand(struct asm_ctx *ctx, uint32_t k, enum cw_type want) {
    if (k >= ctx->noperands) {
        ctx->gave_up = true;
        return emit_opaque_result(ctx, want);
    }
    return as_type(ctx, read_unconverted(ctx, ctx->operand[k], want), want);
}

/* "[%0]" or "[%rd1+16]" as a pointer. */
static cw_ref read_address(struct asm_ctx *ctx, uint32_t k) {
    cw_str text = k < ctx->noperands ? ctx->operand[k] : CW_STR("");
    if (text.n < 2 || text.at[0] != '[') {
        ctx->gave_up = true;
        return emit_opaque_result(ctx, CW_PTR);
    }
    text = cw_str_trim((cw_str){text.at + 1, text.n - 2});
    const char *comma = memchr(text.at, ',', text.n); /* a tensor's map and coordinates */
    if (comma)
        text = cw_str_trim((cw_str){text.at, (size_t)(comma - text.at)});
    const char *plus = memchr(text.at, '+', text.n);
    cw_str base = plus ? cw_str_trim((cw_str){text.at, (size_t)(plus - text.at)}) : text;
    cw_ref value = read_unconverted(ctx, base, CW_I64);
    if (cw_ref_type(ctx->fn, value) != CW_PTR) {
        value = as_type(ctx, value, CW_I64);
        value = emit_at(ctx, CW_OP_INTTOPTR, CW_PTR, 0, &value, 1);
    }
    if (!plus)
        return value;
    cw_str offset = cw_str_trim((cw_str){plus + 1, (size_t)(text.at + text.n - plus - 1)});
    cw_ref args[] = {value, as_type(ctx, read_unconverted(ctx, offset, CW_I64), CW_I64)};
    return emit_at(ctx, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

/* Assigns to the k-th operand ("d" or "d|p": part 0 or 1); a guarded instruction keeps the old value where it is off.
 */
static void write_part(struct asm_ctx *ctx, cw_str text, cw_ref value) {
    if (cw_str_is(text, "_"))
        return;
    struct reg *r = find_reg(ctx, text);
    if (ctx->guard.n) {
        cw_ref on = read_unconverted(ctx, ctx->guard, CW_I1);
        cw_ref old =
            as_type(ctx, read_unconverted(ctx, text, cw_ref_type(ctx->fn, value)), cw_ref_type(ctx->fn, value));
        cw_ref args[] = {as_type(ctx, on, CW_I1), ctx->guard_negated ? old : value, ctx->guard_negated ? value : old};
        value = emit_at(ctx, CW_OP_SELECT, cw_ref_type(ctx->fn, value), 0, args, 3);
    }
    r->value = value;
}

static cw_str part_of(cw_str text, int part) {
    const char *bar = memchr(text.at, '|', text.n);
    if (!bar)
        return part == 0 ? text : CW_STR("_");
    cw_str first = {text.at, (size_t)(bar - text.at)}, second = {bar + 1, text.n - first.n - 1};
    return cw_str_trim(part == 0 ? first : second);
}

static void write_operand(struct asm_ctx *ctx, uint32_t k, cw_ref value) {
    if (k < ctx->noperands)
        write_part(ctx, part_of(ctx->operand[k], 0), value);
}

/* ---- mnemonics ---- */

static bool has_part(const struct asm_ctx *ctx, const char *part) {
    size_t n = strlen(part);
    for (size_t at = 0; at + n <= ctx->mnemonic.n; at++)
        if (memcmp(ctx->mnemonic.at + at, part, n) == 0 && (at == 0 || ctx->mnemonic.at[at - 1] == '.') &&
            (at + n == ctx->mnemonic.n || ctx->mnemonic.at[at + n] == '.'))
            return true;
    return false;
}

/* ".b32", ".u64", ".f16x2" …: the last type suffix decides the width. */
static enum cw_type type_of(const struct asm_ctx *ctx) {
    static const struct {
        const char *part;
        enum cw_type type;
    } types[] = {{"pred", CW_I1}, {"b8", CW_I8},   {"u8", CW_I8},   {"s8", CW_I8},   {"b16", CW_I16}, {"u16", CW_I16},
                 {"s16", CW_I16}, {"b64", CW_I64}, {"u64", CW_I64}, {"s64", CW_I64}, {"f64", CW_F64}, {"f32", CW_F32},
                 {"f16", CW_F16}, {"bf16", CW_F16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (has_part(ctx, types[i].part))
            return types[i].type;
    return CW_I32;
}

static enum handler find_handler(cw_str mnemonic) {
    size_t best = 0;
    enum handler handler = H_UNKNOWN;
    for (size_t i = 0; i < sizeof ptx_rows / sizeof ptx_rows[0]; i++) {
        size_t n = strlen(ptx_rows[i].prefix);
        bool at_part_end = mnemonic.n == n || (mnemonic.n > n && mnemonic.at[n] == '.');
        if (n > best && at_part_end && cw_str_starts(mnemonic, ptx_rows[i].prefix)) {
            best = n;
            handler = ptx_rows[i].handler;
        }
    }
    return handler;
}

/* ---- one function per family ---- */

static void set_flags(struct asm_ctx *ctx, cw_ref ins, unsigned flags) {
    struct cw_ins *i = cw_ins_of(ctx->fn, ins);
    if (i)
        i->flags = (uint16_t)(i->flags | flags);
}

/* A volatile asm returns refs only for value-producing instructions; flags go to the newest one either way. */
static void flag_newest(struct asm_ctx *ctx, unsigned flags) {
    set_flags(ctx, cw_ref_ins(ctx->fn->ins.n - 1), flags);
}

static unsigned aligned_flag(const struct asm_ctx *ctx) {
    bool bar = cw_str_starts(ctx->mnemonic, "bar.");
    return bar || has_part(ctx, "aligned") ? CW_INS_ALIGNED : 0;
}

static void lower_barrier(struct asm_ctx *ctx, enum cw_barrier kind) {
    cw_ref args[] = {read_operand(ctx, 0, CW_I32),
                     ctx->noperands > 1 ? read_operand(ctx, 1, CW_I32) : cw_fn_const(ctx->fn, CW_I32, 0),
                     cw_fn_undef(CW_I1)};
    emit_at(ctx, CW_OP_BARRIER, CW_VOID, kind, args, 3);
    flag_newest(ctx, aligned_flag(ctx));
}

static void lower_barrier_red(struct asm_ctx *ctx) {
    enum cw_barrier kind = has_part(ctx, "popc")  ? CW_BARRIER_COUNT
                           : has_part(ctx, "and") ? CW_BARRIER_AND
                                                  : CW_BARRIER_OR;
    uint32_t last = ctx->noperands - 1;
    cw_ref count = ctx->noperands > 3 ? read_operand(ctx, 2, CW_I32) : cw_fn_const(ctx->fn, CW_I32, 0);
    cw_ref args[] = {read_operand(ctx, 1, CW_I32), count, read_operand(ctx, last, CW_I1)};
    cw_ref result = emit_at(ctx, CW_OP_BARRIER, CW_I32, kind, args, 3);
    set_flags(ctx, result, aligned_flag(ctx));
    write_operand(ctx, 0, kind == CW_BARRIER_COUNT ? result : as_type(ctx, result, CW_I1));
}

static enum cw_shfl shuffle_mode(const struct asm_ctx *ctx) {
    return has_part(ctx, "up")     ? CW_SHFL_UP
           : has_part(ctx, "down") ? CW_SHFL_DOWN
           : has_part(ctx, "bfly") ? CW_SHFL_XOR
                                 : CW_SHFL_IDX;
}

/* PTX packs the width into the clamp operand: bits 8–12 hold 32 - width. */
static cw_ref shuffle_width(struct asm_ctx *ctx, cw_ref clamp) {
    int64_t value;
    if (!cw_ref_const(ctx->fn, clamp, &value))
        return emit_opaque_result(ctx, CW_I32);
    return cw_fn_const(ctx->fn, CW_I32, 32 - ((value >> 8) & 31));
}

static void lower_shuffle(struct asm_ctx *ctx, bool legacy) {
    cw_ref mask = legacy ? cw_fn_undef(CW_I32) : read_operand(ctx, 4, CW_I32);
    cw_ref value = read_operand(ctx, 1, CW_I32), lane = read_operand(ctx, 2, CW_I32);
    cw_ref args[] = {mask, value, lane, shuffle_width(ctx, read_operand(ctx, 3, CW_I32))};
    cw_ref result = emit_at(ctx, CW_OP_SHFL, CW_I32, shuffle_mode(ctx), args, 4);
    set_flags(ctx, result, legacy ? CW_INS_LEGACY : 0);
    if (ctx->noperands && memchr(ctx->operand[0].at, '|', ctx->operand[0].n))
        write_part(ctx, part_of(ctx->operand[0], 1), emit_opaque_result(ctx, CW_I1));
    write_operand(ctx, 0, result);
}

static void lower_vote(struct asm_ctx *ctx, bool legacy) {
    enum cw_vote kind = has_part(ctx, "ballot") ? CW_VOTE_BALLOT
                        : has_part(ctx, "any")  ? CW_VOTE_ANY
                        : has_part(ctx, "all")  ? CW_VOTE_ALL
                                              : CW_VOTE_UNI;
    cw_ref args[] = {legacy ? cw_fn_undef(CW_I32) : read_operand(ctx, 2, CW_I32), read_operand(ctx, 1, CW_I1)};
    cw_ref result = emit_at(ctx, CW_OP_VOTE, kind == CW_VOTE_BALLOT ? CW_I32 : CW_I1, kind, args, 2);
    set_flags(ctx, result, legacy ? CW_INS_LEGACY : 0);
    write_operand(ctx, 0, result);
}

static void lower_match(struct asm_ctx *ctx) {
    enum cw_type type = has_part(ctx, "b64") ? CW_I64 : CW_I32;
    cw_ref args[] = {read_operand(ctx, 2, CW_I32), read_operand(ctx, 1, type)};
    write_operand(ctx, 0, emit_at(ctx, CW_OP_MATCH, CW_I32, has_part(ctx, "all") ? CW_VOTE_ALL : CW_VOTE_ANY, args, 2));
    if (memchr(ctx->operand[0].at, '|', ctx->operand[0].n))
        write_part(ctx, part_of(ctx->operand[0], 1), emit_opaque_result(ctx, CW_I1));
}

static enum cw_redux redux_kind(const struct asm_ctx *ctx) {
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (has_part(ctx, names[i]))
            return (enum cw_redux)i;
    return CW_REDUX_OTHER;
}

static void lower_redux(struct asm_ctx *ctx) {
    cw_ref args[] = {read_operand(ctx, 2, CW_I32), read_operand(ctx, 1, type_of(ctx))};
    write_operand(ctx, 0, emit_at(ctx, CW_OP_REDUX, type_of(ctx), redux_kind(ctx), args, 2));
}

static void lower_elect(struct asm_ctx *ctx) {
    cw_ref mask = read_operand(ctx, 1, CW_I32);
    cw_ref elected = emit_at(ctx, CW_OP_ELECT, CW_I1, 0, &mask, 1);
    write_part(ctx, part_of(ctx->operand[0], 1), elected);
    write_operand(ctx, 0, emit_opaque_result(ctx, CW_I32));
}

static void lower_fence(struct asm_ctx *ctx) {
    enum cw_scope scope = has_part(ctx, "cta")       ? CW_SCOPE_BLOCK
                          : has_part(ctx, "cluster") ? CW_SCOPE_CLUSTER
                          : has_part(ctx, "sys")     ? CW_SCOPE_SYSTEM
                                                   : CW_SCOPE_DEVICE;
    emit_at(ctx, CW_OP_FENCE, CW_VOID, scope, NULL, 0);
    flag_newest(ctx, cw_str_starts(ctx->mnemonic, "fence.proxy.async") ? CW_INS_PROXY : 0);
}

static void lower_async_copy(struct asm_ctx *ctx) {
    cw_ref args[] = {read_address(ctx, 0), read_address(ctx, 1), read_operand(ctx, 2, CW_I64)};
    emit_at(ctx, CW_OP_ASYNCCOPY, CW_VOID, CW_COPY_GROUP, args, 3);
}

/* To shared memory with a barrier that learns of it; from shared memory in groups. The size of a tensor's box is in its
 * map, which the host fills. */
static void lower_bulk_copy(struct asm_ctx *ctx) {
    bool is_tensor = has_part(ctx, "tensor"), has_barrier = has_part(ctx, "mbarrier::complete_tx::bytes");
    if (has_part(ctx, "prefetch"))
        return;
    if (!has_barrier && !has_part(ctx, "bulk_group")) {
        ctx->gave_up = true;
        return;
    }
    cw_ref args[4] = {read_address(ctx, 0), read_address(ctx, 1)};
    args[2] =
        is_tensor ? emit_at(ctx, CW_OP_OPAQUE, CW_I64, CW_BAIL_INLINE_ASM, NULL, 0) : read_operand(ctx, 2, CW_I64);
    if (has_barrier)
        args[3] = read_address(ctx, is_tensor ? 2 : 3);
    emit_at(ctx, CW_OP_ASYNCCOPY, CW_VOID, has_barrier ? CW_COPY_BARRIER : CW_COPY_BULK, args, has_barrier ? 4 : 3);
}

static void lower_bulk_wait(struct asm_ctx *ctx) {
    cw_ref pending = read_operand(ctx, 0, CW_I32);
    emit_at(ctx, CW_OP_ASYNCWAIT, CW_VOID, has_part(ctx, "read") ? CW_WAIT_BULK_READ : CW_WAIT_BULK, &pending, 1);
}

static void lower_bind(struct asm_ctx *ctx) {
    cw_ref args[] = {read_address(ctx, 0), cw_fn_const(ctx->fn, CW_I32, 1)};
    emit_at(ctx, CW_OP_MBARARRIVE, CW_I64, has_part(ctx, "noinc") ? CW_MBAR_ARRIVE_COPIES : CW_MBAR_BIND, args, 2);
}

static void lower_async_wait(struct asm_ctx *ctx, bool all) {
    cw_ref pending = all ? cw_fn_const(ctx->fn, CW_I32, 0) : read_operand(ctx, 0, CW_I32);
    if (all) /* also those that no group holds yet */
        emit_at(ctx, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0);
    emit_at(ctx, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_GROUPS, &pending, 1);
}

static void lower_mbarrier(struct asm_ctx *ctx, enum handler handler) {
    if (handler == H_MBAR_INIT) {
        cw_ref args[] = {read_address(ctx, 0), read_operand(ctx, 1, CW_I32)};
        emit_at(ctx, CW_OP_MBARINIT, CW_VOID, 0, args, 2);
        return;
    }
    bool first_is_address = ctx->noperands && ctx->operand[0].n && ctx->operand[0].at[0] == '[';
    cw_ref pointer = read_address(ctx, first_is_address ? 0 : 1);
    if (handler == H_MBAR_WAIT) {
        bool by_parity = has_part(ctx, "parity");
        cw_ref args[] = {pointer, by_parity ? read_operand(ctx, 2, CW_I32) : CW_NONE};
        emit_at(ctx, CW_OP_MBARWAIT, CW_VOID, by_parity ? CW_MBAR_PARITY : CW_MBAR_OWN, args, by_parity ? 2 : 1);
        write_operand(ctx, 0,
                      cw_fn_const(ctx->fn, CW_I1, 1)); /* the run that is looked at is one in which it succeeds */
        return;
    }
    uint32_t next = first_is_address ? 1 : 2;
    bool expects = has_part(ctx, "expect_tx");
    cw_ref args[] = {pointer, cw_fn_const(ctx->fn, CW_I32, 1), CW_NONE};
    if (expects)
        args[2] = read_operand(ctx, next, CW_I32);
    else if (next < ctx->noperands)
        args[1] = read_operand(ctx, next, CW_I32);
    enum cw_mbar_arrive how = handler == H_MBAR_EXPECT ? CW_MBAR_EXPECT : expects ? CW_MBAR_ARRIVE_TX : CW_MBAR_ARRIVE;
    cw_ref token = emit_at(ctx, CW_OP_MBARARRIVE, CW_I64, how, args, expects ? 3 : 2);
    if (!first_is_address)
        write_operand(ctx, 0, token);
}

/* Splits "{a, b}" into its registers; a plain operand is its own only part. */
static uint32_t vector_parts(cw_str text, cw_str *parts, uint32_t max) {
    if (!text.n || text.at[0] != '{') {
        parts[0] = text;
        return 1;
    }
    uint32_t n = 0;
    size_t start = 1;
    for (size_t i = 1; i < text.n && n < max; i++)
        if (text.at[i] == ',' || text.at[i] == '}') {
            parts[n++] = cw_str_trim((cw_str){text.at + start, i - start});
            start = i + 1;
        }
    return n;
}

static cw_ref element_address(struct asm_ctx *ctx, cw_ref base, uint32_t bytes) {
    cw_ref args[] = {base, cw_fn_const(ctx->fn, CW_I64, bytes)};
    return bytes ? emit_at(ctx, CW_OP_PTRADD, CW_PTR, 0, args, 2) : base;
}

static unsigned access_flags(const struct asm_ctx *ctx) {
    bool strong =
        has_part(ctx, "volatile") || has_part(ctx, "relaxed") || has_part(ctx, "acquire") || has_part(ctx, "release");
    return (strong ? CW_INS_VOLATILE : 0u) | (has_part(ctx, "nc") ? CW_INS_READONLY : 0u);
}

/* Scope and order of an atomic, as they stand in its aux. */
static uint32_t how_of(const struct asm_ctx *ctx) {
    enum cw_scope scope = has_part(ctx, "cta")       ? CW_SCOPE_BLOCK
                          : has_part(ctx, "cluster") ? CW_SCOPE_CLUSTER
                          : has_part(ctx, "sys")     ? CW_SCOPE_SYSTEM
                                                   : CW_SCOPE_DEVICE;
    enum cw_memory_order order = has_part(ctx, "acq_rel")   ? CW_ACQUIRE_RELEASE
                                 : has_part(ctx, "acquire") ? CW_ACQUIRE
                                 : has_part(ctx, "release") ? CW_RELEASE
                                                            : CW_RELAXED;
    return (uint32_t)scope << 8 | (uint32_t)order << 16;
}

/* One element that is loaded or stored with a scope and an order. */
static bool is_strong_scalar(const struct asm_ctx *ctx, uint32_t parts) {
    return parts == 1 && (has_part(ctx, "relaxed") || has_part(ctx, "acquire") || has_part(ctx, "release"));
}

static void lower_load(struct asm_ctx *ctx) {
    cw_str parts[8];
    uint32_t n = ctx->noperands ? vector_parts(ctx->operand[0], parts, 8) : 0;
    cw_ref base = read_address(ctx, 1);
    enum cw_type type = type_of(ctx);
    uint32_t bytes = cw_type_bits(type) / 8;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref pointer = element_address(ctx, base, i * bytes);
        bool is_strong = is_strong_scalar(ctx, n);
        cw_ref value = emit_at(ctx, is_strong ? CW_OP_ATOMIC : CW_OP_LOAD, type,
                               is_strong ? CW_ATOMIC_LOAD | how_of(ctx) : bytes, &pointer, 1);
        set_flags(ctx, value, is_strong ? 0 : access_flags(ctx));
        write_part(ctx, parts[i], value);
    }
}

static void lower_store(struct asm_ctx *ctx) {
    cw_str parts[8];
    uint32_t n = ctx->noperands > 1 ? vector_parts(ctx->operand[1], parts, 8) : 0;
    cw_ref base = read_address(ctx, 0);
    enum cw_type type = type_of(ctx);
    uint32_t bytes = cw_type_bits(type) / 8;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref args[] = {as_type(ctx, read_unconverted(ctx, parts[i], type), type),
                         element_address(ctx, base, i * bytes)};
        cw_ref swapped[] = {args[1], args[0]};
        if (is_strong_scalar(ctx, n)) {
            emit_at(ctx, CW_OP_ATOMIC, type, CW_ATOMIC_STORE | how_of(ctx), swapped, 2);
            continue;
        }
        emit_at(ctx, CW_OP_STORE, CW_VOID, bytes, args, 2);
        flag_newest(ctx, access_flags(ctx));
    }
}

static enum cw_atomic atomic_kind(const struct asm_ctx *ctx) {
    static const struct {
        const char *part;
        enum cw_atomic kind;
    } kinds[] = {{"add", CW_ATOMIC_ADD}, {"exch", CW_ATOMIC_EXCH}, {"cas", CW_ATOMIC_CAS}, {"min", CW_ATOMIC_MIN},
                 {"max", CW_ATOMIC_MAX}, {"and", CW_ATOMIC_AND},   {"or", CW_ATOMIC_OR},   {"xor", CW_ATOMIC_XOR},
                 {"inc", CW_ATOMIC_INC}, {"dec", CW_ATOMIC_DEC}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_part(ctx, kinds[i].part))
            return kinds[i].kind;
    return CW_ATOMIC_EXCH;
}

static void lower_atomic(struct asm_ctx *ctx, uint32_t address) {
    cw_ref args[3] = {read_address(ctx, address)};
    uint32_t n = 1;
    for (uint32_t k = address + 1; k < ctx->noperands && n < 3; k++)
        args[n++] = read_operand(ctx, k, type_of(ctx));
    cw_ref old = emit_at(ctx, CW_OP_ATOMIC, type_of(ctx), (uint32_t)atomic_kind(ctx) | how_of(ctx), args, n);
    if (address == 1)
        write_operand(ctx, 0, old);
}

static void opaque_parts(struct asm_ctx *ctx, enum cw_bail why) {
    cw_str parts[MAX_OPERANDS];
    uint32_t n = ctx->noperands ? vector_parts(ctx->operand[0], parts, MAX_OPERANDS) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_asm_operand *o = operand_of(ctx, part_of(parts[i], 0));
        write_part(ctx, part_of(parts[i], 0), emit_at(ctx, CW_OP_OPAQUE, o ? o->type : CW_I32, why, NULL, 0));
    }
}

/* The values of a vector of registers, each of its own operand's type. */
static uint32_t read_parts(struct asm_ctx *ctx, uint32_t k, cw_ref *out) {
    cw_str parts[MAX_PARTS];
    uint32_t n = k < ctx->noperands ? vector_parts(ctx->operand[k], parts, MAX_PARTS) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_asm_operand *o = operand_of(ctx, parts[i]);
        out[i] = read_unconverted(ctx, parts[i], o ? o->type : CW_I32);
    }
    return n;
}

static cw_ref matrix_pointer(struct asm_ctx *ctx, uint32_t k) {
    cw_ref descriptor = read_operand(ctx, k, CW_I64);
    return emit_at(ctx, CW_OP_MATRIXPTR, CW_PTR, 0, &descriptor, 1);
}

/* All lanes take part. */
static void meet_lanes(struct asm_ctx *ctx) {
    cw_ref all = cw_fn_undef(CW_I32);
    emit_at(ctx, CW_OP_COLLECTIVE, CW_VOID, 0, &all, 1);
    flag_newest(ctx, CW_INS_ALIGNED);
}

static void lower_wgmma(struct asm_ctx *ctx) {
    cw_ref args[2 + 2 * MAX_PARTS];
    cw_str parts[MAX_PARTS];
    bool a_in_registers = ctx->noperands > 1 && ctx->operand[1].at[0] == '{';
    uint32_t n = 2, outputs = ctx->noperands ? vector_parts(ctx->operand[0], parts, MAX_PARTS) : 0;
    args[0] = matrix_pointer(ctx, 2);
    args[1] = a_in_registers ? cw_fn_undef(CW_PTR) : matrix_pointer(ctx, 1);
    n += read_parts(ctx, 0, args + n);
    n += a_in_registers ? read_parts(ctx, 1, args + n) : 0;
    meet_lanes(ctx);
    cw_ref token = emit_at(ctx, CW_OP_WGMMA, CW_I32, CW_COPY_MATRIX, args, n);
    uint32_t name = cw_fn_add_text(ctx->fn, "wgmma");
    for (uint32_t i = 0; i < outputs; i++) {
        const struct cw_asm_operand *o = operand_of(ctx, parts[i]);
        cw_ref made_of[] = {token, cw_fn_const(ctx->fn, CW_I32, i)};
        write_part(ctx, parts[i], emit_at(ctx, CW_OP_PURE, o ? o->type : CW_I32, name, made_of, 2));
    }
}

static void lower_wgmma_wait(struct asm_ctx *ctx) {
    cw_ref pending = read_operand(ctx, 0, CW_I32);
    emit_at(ctx, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_MATRIX, &pending, 1);
}

static void lower_ldmatrix(struct asm_ctx *ctx) {
    cw_ref args[] = {read_address(ctx, 1), cw_fn_const(ctx->fn, CW_I64, 0)};
    emit_at(ctx, CW_OP_FRAGLOAD, CW_VOID, 16, args, 2);
    flag_newest(ctx, CW_INS_ALIGNED);
    opaque_parts(ctx, CW_BAIL_MATRIX_FRAGMENT);
}

static void lower_mov(struct asm_ctx *ctx) {
    const struct cw_asm_operand *o = ctx->noperands ? operand_of(ctx, ctx->operand[0]) : NULL;
    bool packs = ctx->noperands == 2 && (ctx->operand[0].at[0] == '{' || ctx->operand[1].at[0] == '{');
    if (packs) {
        opaque_parts(ctx, CW_BAIL_INLINE_ASM);
        return;
    }
    enum cw_type type = o ? o->type : type_of(ctx);
    if (ctx->noperands != 2 ||
        (ctx->operand[1].at[0] != '%' && find_reg(ctx, ctx->operand[1])->value.tag == CW_REF_NONE &&
         !isdigit((unsigned char)ctx->operand[1].at[0]) && ctx->operand[1].at[0] != '-' &&
         !cw_str_is(ctx->operand[1], "WARP_SZ")))
        ctx->gave_up = true;
    cw_ref value = ctx->noperands == 2 ? read_unconverted(ctx, ctx->operand[1], type) : emit_opaque_result(ctx, type);
    write_operand(ctx, 0, as_type(ctx, value, type == CW_PTR ? cw_ref_type(ctx->fn, value) : type));
}

static void lower_cvta(struct asm_ctx *ctx) {
    enum cw_type type = type_of(ctx);
    cw_ref value =
        ctx->noperands == 2 ? read_unconverted(ctx, ctx->operand[1], CW_I64) : emit_opaque_result(ctx, CW_I64);
    write_operand(ctx, 0, emit_at(ctx, CW_OP_CVTA, type, 0, &value, 1));
}

static void lower_pure(struct asm_ctx *ctx) {
    cw_ref args[MAX_OPERANDS];
    uint32_t n = 0;
    for (uint32_t k = 1; k < ctx->noperands; k++)
        args[n++] = read_unconverted(ctx, ctx->operand[k], type_of(ctx));
    const struct cw_asm_operand *o = ctx->noperands ? operand_of(ctx, ctx->operand[0]) : NULL;
    char *name = cw_arena_strndup(ctx->fn->arena, ctx->mnemonic.at, ctx->mnemonic.n);
    write_operand(ctx, 0, emit_at(ctx, CW_OP_PURE, o ? o->type : type_of(ctx), cw_fn_add_text(ctx->fn, name), args, n));
}

static void lower_alu(struct asm_ctx *ctx, enum cw_op op) {
    enum cw_type type = type_of(ctx);
    if (cw_type_is_float(type) || has_part(ctx, "sat") || has_part(ctx, "cc") || ctx->noperands < 2) {
        lower_pure(ctx);
        return;
    }
    cw_ref args[2] = {read_operand(ctx, 1, type), CW_NONE};
    uint32_t n = 1;
    if (cw_op_operands(op) == 2)
        args[n++] = read_operand(ctx, 2, type);
    write_operand(ctx, 0, emit_at(ctx, op, op == CW_OP_POPC ? CW_I32 : type, 0, args, n));
}

static void lower_setp(struct asm_ctx *ctx) {
    static const struct {
        const char *part;
        enum cw_op is_signed, is_unsigned;
    } compares[] = {{"eq", CW_OP_EQ, CW_OP_EQ},   {"ne", CW_OP_NE, CW_OP_NE},   {"lt", CW_OP_SLT, CW_OP_ULT},
                    {"le", CW_OP_SLE, CW_OP_ULE}, {"gt", CW_OP_SGT, CW_OP_UGT}, {"ge", CW_OP_SGE, CW_OP_UGE}};
    enum cw_type type = type_of(ctx);
    bool is_signed = has_part(ctx, "s16") || has_part(ctx, "s32") || has_part(ctx, "s64");
    for (size_t i = 0; i < sizeof compares / sizeof compares[0] && cw_type_is_int(type) && ctx->noperands == 3; i++)
        if (has_part(ctx, compares[i].part)) {
            cw_ref args[] = {read_operand(ctx, 1, type), read_operand(ctx, 2, type)};
            write_operand(ctx, 0,
                          emit_at(ctx, is_signed ? compares[i].is_signed : compares[i].is_unsigned, CW_I1, 0, args, 2));
            return;
        }
    write_operand(ctx, 0, emit_opaque_result(ctx, CW_I1));
}

static void lower_selp(struct asm_ctx *ctx) {
    enum cw_type type = type_of(ctx);
    cw_ref args[] = {read_operand(ctx, 3, CW_I1), read_operand(ctx, 1, type), read_operand(ctx, 2, type)};
    write_operand(ctx, 0, emit_at(ctx, CW_OP_SELECT, type, 0, args, 3));
}

static void lower_activemask(struct asm_ctx *ctx) {
    write_operand(ctx, 0, emit_at(ctx, CW_OP_ACTIVEMASK, CW_I32, 0, NULL, 0));
}

static void lower_warp_sync(struct asm_ctx *ctx) {
    cw_ref mask = read_operand(ctx, 0, CW_I32);
    emit_at(ctx, CW_OP_SYNCWARP, CW_VOID, 0, &mask, 1);
}

static bool lower_value(struct asm_ctx *ctx, enum handler handler) {
    switch (handler) {
    case H_MOV: lower_mov(ctx); return true;
    case H_CVTA: lower_cvta(ctx); return true;
    case H_ADD: lower_alu(ctx, CW_OP_ADD); return true;
    case H_SUB: lower_alu(ctx, CW_OP_SUB); return true;
    case H_MUL: lower_alu(ctx, CW_OP_MUL); return true;
    case H_AND: lower_alu(ctx, CW_OP_AND); return true;
    case H_OR: lower_alu(ctx, CW_OP_OR); return true;
    case H_XOR: lower_alu(ctx, CW_OP_XOR); return true;
    case H_NOT: lower_alu(ctx, CW_OP_NOT); return true;
    case H_POPC: lower_alu(ctx, CW_OP_POPC); return true;
    case H_BREV: lower_alu(ctx, CW_OP_BREV); return true;
    case H_SETP: lower_setp(ctx); return true;
    case H_SELP: lower_selp(ctx); return true;
    case H_PURE: lower_pure(ctx); return true;
    case H_MATRIX: opaque_parts(ctx, CW_BAIL_MATRIX_FRAGMENT); return true;
    case H_NOTHING: return true;
    default: return false;
    }
}

static void lower_collective(struct asm_ctx *ctx, enum handler handler) {
    switch (handler) {
    case H_WARP_SYNC: lower_warp_sync(ctx); break;
    case H_SHFL: lower_shuffle(ctx, !has_part(ctx, "sync")); break;
    case H_VOTE: lower_vote(ctx, !has_part(ctx, "sync")); break;
    case H_MATCH: lower_match(ctx); break;
    case H_REDUX: lower_redux(ctx); break;
    case H_ACTIVEMASK: lower_activemask(ctx); break;
    case H_ELECT: lower_elect(ctx); break;
    default: ctx->gave_up = true;
    }
}

static void lower_effect(struct asm_ctx *ctx, enum handler handler) {
    switch (handler) {
    case H_BAR_SYNC: lower_barrier(ctx, CW_BARRIER_SYNC); break;
    case H_BAR_ARRIVE: lower_barrier(ctx, CW_BARRIER_ARRIVE); break;
    case H_BAR_RED: lower_barrier_red(ctx); break;
    case H_CLUSTER_ARRIVE: emit_at(ctx, CW_OP_CLUSTERSYNC, CW_VOID, CW_BARRIER_ARRIVE, NULL, 0); break;
    case H_CLUSTER_WAIT: emit_at(ctx, CW_OP_CLUSTERSYNC, CW_VOID, CW_BARRIER_WAIT, NULL, 0); break;
    case H_FENCE: lower_fence(ctx); break;
    case H_ASYNC_COPY: lower_async_copy(ctx); break;
    case H_ASYNC_COMMIT: emit_at(ctx, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0); break;
    case H_ASYNC_WAIT: lower_async_wait(ctx, false); break;
    case H_ASYNC_WAIT_ALL: lower_async_wait(ctx, true); break;
    case H_ASYNC_BIND: lower_bind(ctx); break;
    case H_BULK_COPY: lower_bulk_copy(ctx); break;
    case H_BULK_COMMIT: emit_at(ctx, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_BULK, NULL, 0); break;
    case H_BULK_WAIT: lower_bulk_wait(ctx); break;
    case H_MBAR_INIT:
    case H_MBAR_ARRIVE:
    case H_MBAR_EXPECT:
    case H_MBAR_WAIT: lower_mbarrier(ctx, handler); break;
    case H_LOAD: lower_load(ctx); break;
    case H_STORE: lower_store(ctx); break;
    case H_ATOMIC: lower_atomic(ctx, 1); break;
    case H_RED: lower_atomic(ctx, 0); break;
    case H_LDMATRIX: lower_ldmatrix(ctx); break;
    case H_TRAP: ctx->has_trapped = true; break;
    case H_WGMMA: lower_wgmma(ctx); break;
    case H_WGMMA_FENCE: emit_at(ctx, CW_OP_WGMMAFENCE, CW_VOID, 0, NULL, 0); break;
    case H_WGMMA_COMMIT: emit_at(ctx, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_MATRIX, NULL, 0); break;
    case H_WGMMA_WAIT: lower_wgmma_wait(ctx); break;
    default: lower_collective(ctx, handler);
    }
}

/* ---- the statement ---- */

/* Splits the operand list at top-level commas; braces and brackets keep vectors and addresses whole. */
static void split_operands(struct asm_ctx *ctx, cw_str text) {
    int depth = 0;
    size_t start = 0;
    ctx->noperands = 0;
    for (size_t i = 0; i <= text.n; i++) {
        bool end = i == text.n;
        if (!end && (text.at[i] == '{' || text.at[i] == '['))
            depth++;
        if (!end && (text.at[i] == '}' || text.at[i] == ']'))
            depth--;
        if (!end && (text.at[i] != ',' || depth > 0))
            continue;
        cw_str part = cw_str_trim((cw_str){text.at + start, i - start});
        start = i + 1;
        if (!part.n)
            continue;
        if (ctx->noperands == MAX_OPERANDS) {
            ctx->gave_up = true;
            return;
        }
        ctx->operand[ctx->noperands++] = part;
    }
}

static cw_str take_word(cw_str *text) {
    size_t n = 0;
    while (n < text->n && !isspace((unsigned char)text->at[n]) && !strchr("{[", text->at[n]))
        n++;
    cw_str word = {text->at, n};
    *text = cw_str_trim((cw_str){text->at + n, text->n - n});
    return word;
}

static void take_guard(struct asm_ctx *ctx, cw_str *text) {
    ctx->guard = CW_STR("");
    ctx->guard_negated = false;
    if (!cw_str_starts(*text, "@"))
        return;
    cw_str word = take_word(text);
    ctx->guard_negated = cw_str_starts(word, "@!");
    size_t skip = ctx->guard_negated ? 2 : 1;
    ctx->guard = (cw_str){word.at + skip, word.n - skip};
}

static bool is_directive(cw_str text) {
    return !text.n || cw_str_starts(text, ".") || cw_str_starts(text, "//");
}

/* Names of instructions have colons in pairs: "shared::cta". */
static bool take_label(cw_str *text) {
    cw_str rest = *text, word = take_word(&rest);
    if (word.n < 2 || word.at[word.n - 1] != ':')
        return false;
    *text = rest;
    return true;
}

static void lower_instruction(struct asm_ctx *ctx, cw_str text) {
    if (take_label(&text) && !ctx->is_wait_loop)
        ctx->gave_up = true; /* control flow */
    if (is_directive(text)) /* such as .reg */
        return;
    take_guard(ctx, &text);
    ctx->mnemonic = take_word(&text);
    split_operands(ctx, text);
    enum handler h = find_handler(ctx->mnemonic);
    if (lower_value(ctx, h) || (h == H_BRANCH && ctx->is_wait_loop))
        return;
    if (ctx->guard.n || h == H_UNKNOWN)
        ctx->gave_up = true;
    else
        lower_effect(ctx, h);
}

/* At a semicolon, or at the end of a line that no comma carries on. */
static size_t instruction_end(cw_str text, size_t at) {
    char before = '\0'; /* the last character that is no space */
    for (; at < text.n && text.at[at] != ';' && (text.at[at] != '\n' || before == ','); at++)
        before = isspace((unsigned char)text.at[at]) ? before : text.at[at];
    return at;
}

/* A scope brace stands alone at the start of a statement; a vector's brace follows a mnemonic. */
static cw_str without_scope_braces(cw_str text) {
    text = cw_str_trim(text);
    while (text.n && (text.at[0] == '{' || text.at[0] == '}'))
        text = cw_str_trim((cw_str){text.at + 1, text.n - 1});
    return text;
}

/* Nothing but waits for an mbarrier, values, and jumps: whichever way it goes, it ends when the wait succeeds. */
static bool is_wait_loop(cw_str text) {
    bool waits = false;
    for (size_t at = 0; at < text.n;) {
        size_t end = instruction_end(text, at);
        struct asm_ctx c = {.nregs = 0};
        cw_str one = without_scope_braces((cw_str){text.at + at, end - at});
        at = end + 1;
        take_label(&one);
        if (is_directive(one))
            continue;
        take_guard(&c, &one);
        enum handler h = find_handler(take_word(&one));
        waits |= h == H_MBAR_WAIT;
        if (h != H_MBAR_WAIT && h != H_BRANCH && h != H_NOTHING && h != H_SELP && h != H_SETP && h != H_MOV)
            return false;
    }
    return waits;
}

static void lower_all(struct asm_ctx *ctx, cw_str text) {
    uint32_t count = 0;
    ctx->is_wait_loop = is_wait_loop(text);
    for (size_t at = 0; at < text.n && !ctx->gave_up && !ctx->has_trapped;) {
        size_t end = instruction_end(text, at);
        if (++count > MAX_INSTRUCTIONS)
            ctx->gave_up = true;
        else
            lower_instruction(ctx, without_scope_braces((cw_str){text.at + at, end - at}));
        at = end + 1;
    }
}

/* What was not understood keeps its inputs and every effect. */
static void keep_as_asm(struct asm_ctx *ctx) {
    cw_ref args[MAX_OPERANDS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < ctx->statement->noperands && n < MAX_OPERANDS; k++)
        if (ctx->statement->operands[k].value.tag != CW_REF_NONE)
            args[n++] = ctx->statement->operands[k].value;
    emit_at(ctx, CW_OP_ASM, CW_VOID, cw_fn_add_text(ctx->fn, ctx->statement->text), args, n);
    ctx->fn->bails[CW_BAIL_INLINE_ASM]++;
}

static cw_ref final_value(struct asm_ctx *ctx, const struct cw_asm_operand *asm_operand, cw_str name) {
    struct reg *r = find_reg(ctx, name);
    if (ctx->gave_up || r->value.tag == CW_REF_NONE)
        return emit_at(ctx, CW_OP_OPAQUE, asm_operand->type, CW_BAIL_INLINE_ASM, NULL, 0);
    return as_type(ctx, r->value, asm_operand->type);
}

/* Does no instruction of the statement write it? `asm volatile("" : "+r"(x))` only stands between optimisations. */
static bool is_left_alone(struct asm_ctx *ctx, const struct cw_asm_operand *asm_operand, cw_str name) {
    return !ctx->gave_up && asm_operand->constraint[0] == '+' && find_reg(ctx, name)->value.tag == CW_REF_NONE;
}

static void store_outputs(struct asm_ctx *ctx) {
    for (uint32_t k = 0; k < ctx->statement->noperands; k++) {
        const struct cw_asm_operand *o = &ctx->statement->operands[k];
        if (o->address.tag == CW_REF_NONE)
            continue;
        char *number = cw_arena_printf(ctx->fn->arena, "%%%u", k);
        cw_str name = cw_str_of(number);
        if (o->name && find_reg(ctx, name)->value.tag == CW_REF_NONE)
            name = cw_str_of(cw_arena_printf(ctx->fn->arena, "%%[%s]", o->name));
        if (is_left_alone(ctx, o, name))
            continue;
        cw_ref args[] = {final_value(ctx, o, name), o->address};
        emit_at(ctx, CW_OP_STORE, CW_VOID, cw_type_bits(o->type) / 8, args, 2);
    }
}

bool cw_asm_lower(struct cw_fn *fn, uint32_t block, const struct cw_asm *statement, uint32_t loc) {
    struct asm_ctx c = {.fn = fn, .block = block, .loc = loc, .statement = statement};
    lower_all(&c, cw_str_of(statement->text));
    if (c.gave_up)
        keep_as_asm(&c);
    store_outputs(&c);
    return !c.has_trapped;
}
