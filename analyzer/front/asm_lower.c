#include "front/asm_lower.h"

#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 24, MAX_REGISTERS = 256, MAX_INSTRUCTIONS = 512 };

enum handler {
    H_UNKNOWN,
    H_NOTHING,
    H_PURE,
    H_MATRIX,
    H_BAR_SYNC,
    H_BAR_ARRIVE,
    H_BAR_RED,
    H_WARP_SYNC,
    H_CLUSTER_ARRIVE,
    H_CLUSTER_WAIT,
    H_SHFL,
    H_SHFL_LEGACY,
    H_VOTE,
    H_VOTE_LEGACY,
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
    bool is_wait_loop; /* labels and branches only lead back to a wait for an mbarrier */
    /* the instruction at hand */
    cw_str mnemonic, guard;
    bool guard_negated;
    cw_str operand[MAX_OPERANDS];
    uint32_t noperands;
};

static cw_ref emit(struct asm_ctx *c, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args, uint32_t n) {
    return cw_fn_emit(c->fn, c->block, op, type, aux, args, n, c->loc);
}

/* ---- operands ---- */

/* "%3" or "%[name]": the statement's operand; NULL for PTX registers and literals. */
static const struct cw_asm_operand *operand_of(const struct asm_ctx *c, cw_str text) {
    if (text.n < 2 || text.at[0] != '%')
        return NULL;
    if (isdigit((unsigned char)text.at[1])) {
        unsigned long k = strtoul(text.at + 1, NULL, 10);
        return k < c->statement->noperands ? &c->statement->operands[k] : NULL;
    }
    if (text.at[1] != '[' || text.at[text.n - 1] != ']')
        return NULL;
    cw_str name = {text.at + 2, text.n - 3};
    for (uint32_t k = 0; k < c->statement->noperands; k++)
        if (c->statement->operands[k].name && cw_str_is(name, c->statement->operands[k].name))
            return &c->statement->operands[k];
    return NULL;
}

static struct reg *find_reg(struct asm_ctx *c, cw_str name) {
    for (uint32_t i = 0; i < c->nregs; i++)
        if (cw_str_eq(c->regs[i].name, name))
            return &c->regs[i];
    if (c->nregs == MAX_REGISTERS) {
        c->gave_up = true;
        return &c->regs[0];
    }
    c->regs[c->nregs] = (struct reg){name, CW_NONE};
    return &c->regs[c->nregs++];
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

static cw_ref opaque(struct asm_ctx *c, enum cw_type type) {
    return emit(c, CW_OP_OPAQUE, type, CW_BAIL_INLINE_ASM, NULL, 0);
}

/* Integer types of different widths meet where C++ code passes an int to a 64-bit operand and the like. */
static cw_ref as_type(struct asm_ctx *c, cw_ref value, enum cw_type want) {
    enum cw_type have = cw_ref_type(c->fn, value);
    if (have == want)
        return value;
    if (cw_type_is_int(have) && cw_type_is_int(want))
        return emit(c, cw_type_bits(have) > cw_type_bits(want) ? CW_OP_TRUNC : CW_OP_ZEXT, want, 0, &value, 1);
    if (have == CW_PTR && want == CW_I64)
        return emit(c, CW_OP_PTRTOINT, want, 0, &value, 1);
    if (have == CW_PTR && cw_type_is_int(want))
        return emit(c, CW_OP_CVTA, want, 0, &value, 1);
    return emit(c, CW_OP_PURE, want, cw_fn_add_text(c->fn, "bits"), &value, 1);
}

static cw_ref literal(struct asm_ctx *c, cw_str text, enum cw_type want) {
    char digits[40];
    size_t n = text.n < sizeof digits - 1 ? text.n : sizeof digits - 1;
    memcpy(digits, text.at, n);
    digits[n] = '\0';
    char *end;
    int64_t value = (int64_t)strtoull(digits[0] == '-' ? digits + 1 : digits, &end, 0);
    if (*end && *end != 'U' && *end != 'u')
        return opaque(c, want);
    return cw_fn_const(c->fn, want, digits[0] == '-' ? -value : value);
}

static cw_ref read_unconverted(struct asm_ctx *c, cw_str text, enum cw_type want) {
    cw_ref value;
    if (special_register(text, &value))
        return value;
    const struct cw_asm_operand *o = operand_of(c, text);
    struct reg *r = find_reg(c, text);
    if (r->value.tag != CW_REF_NONE)
        return r->value;
    if (o && o->value.tag != CW_REF_NONE)
        return o->value;
    if (o && o->constraint[0] == '+')
        return r->value = emit(c, CW_OP_LOAD, o->type, cw_type_bits(o->type) / 8, &o->address, 1);
    if (text.n && (isdigit((unsigned char)text.at[0]) || text.at[0] == '-'))
        return literal(c, text, want);
    return opaque(c, want);
}

static cw_ref read_operand(struct asm_ctx *c, uint32_t k, enum cw_type want) {
    if (k >= c->noperands) {
        c->gave_up = true;
        return opaque(c, want);
    }
    return as_type(c, read_unconverted(c, c->operand[k], want), want);
}

/* "[%0]" or "[%rd1+16]" as a pointer. */
static cw_ref read_address(struct asm_ctx *c, uint32_t k) {
    cw_str text = k < c->noperands ? c->operand[k] : CW_STR("");
    if (text.n < 2 || text.at[0] != '[') {
        c->gave_up = true;
        return opaque(c, CW_PTR);
    }
    text = cw_str_trim((cw_str){text.at + 1, text.n - 2});
    const char *comma = memchr(text.at, ',', text.n); /* a tensor's map and coordinates */
    if (comma)
        text = cw_str_trim((cw_str){text.at, (size_t)(comma - text.at)});
    const char *plus = memchr(text.at, '+', text.n);
    cw_str base = plus ? cw_str_trim((cw_str){text.at, (size_t)(plus - text.at)}) : text;
    cw_ref value = read_unconverted(c, base, CW_I64);
    if (cw_ref_type(c->fn, value) != CW_PTR) {
        value = as_type(c, value, CW_I64);
        value = emit(c, CW_OP_INTTOPTR, CW_PTR, 0, &value, 1);
    }
    if (!plus)
        return value;
    cw_str offset = cw_str_trim((cw_str){plus + 1, (size_t)(text.at + text.n - plus - 1)});
    cw_ref args[] = {value, as_type(c, read_unconverted(c, offset, CW_I64), CW_I64)};
    return emit(c, CW_OP_PTRADD, CW_PTR, 0, args, 2);
}

/* Assigns to the k-th operand ("d" or "d|p": part 0 or 1); a guarded instruction keeps the old value where it is off.
 */
static void write_part(struct asm_ctx *c, cw_str text, cw_ref value) {
    if (cw_str_is(text, "_"))
        return;
    struct reg *r = find_reg(c, text);
    if (c->guard.n) {
        cw_ref on = read_unconverted(c, c->guard, CW_I1);
        cw_ref old = as_type(c, read_unconverted(c, text, cw_ref_type(c->fn, value)), cw_ref_type(c->fn, value));
        cw_ref args[] = {as_type(c, on, CW_I1), c->guard_negated ? old : value, c->guard_negated ? value : old};
        value = emit(c, CW_OP_SELECT, cw_ref_type(c->fn, value), 0, args, 3);
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

static void write_operand(struct asm_ctx *c, uint32_t k, cw_ref value) {
    if (k < c->noperands)
        write_part(c, part_of(c->operand[k], 0), value);
}

/* ---- mnemonics ---- */

static bool has_part(const struct asm_ctx *c, const char *part) {
    size_t n = strlen(part);
    for (size_t at = 0; at + n <= c->mnemonic.n; at++)
        if (memcmp(c->mnemonic.at + at, part, n) == 0 && (at == 0 || c->mnemonic.at[at - 1] == '.') &&
            (at + n == c->mnemonic.n || c->mnemonic.at[at + n] == '.'))
            return true;
    return false;
}

/* ".b32", ".u64", ".f16x2" …: the last type suffix decides the width. */
static enum cw_type type_of(const struct asm_ctx *c) {
    static const struct {
        const char *part;
        enum cw_type type;
    } types[] = {{"pred", CW_I1}, {"b8", CW_I8},   {"u8", CW_I8},   {"s8", CW_I8},   {"b16", CW_I16}, {"u16", CW_I16},
                 {"s16", CW_I16}, {"b64", CW_I64}, {"u64", CW_I64}, {"s64", CW_I64}, {"f64", CW_F64}, {"f32", CW_F32},
                 {"f16", CW_F16}, {"bf16", CW_F16}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (has_part(c, types[i].part))
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

static void set_flags(struct asm_ctx *c, cw_ref ins, unsigned flags) {
    struct cw_ins *i = cw_ins_of(c->fn, ins);
    if (i)
        i->flags = (uint16_t)(i->flags | flags);
}

/* A volatile asm returns refs only for value-producing instructions; flags go to the newest one either way. */
static void flag_newest(struct asm_ctx *c, unsigned flags) {
    set_flags(c, cw_ref_ins(c->fn->ins.n - 1), flags);
}

static unsigned aligned_flag(const struct asm_ctx *c) {
    bool bar = cw_str_starts(c->mnemonic, "bar.");
    return bar || has_part(c, "aligned") ? CW_INS_ALIGNED : 0;
}

static void lower_barrier(struct asm_ctx *c, enum cw_barrier kind) {
    cw_ref args[] = {read_operand(c, 0, CW_I32),
                     c->noperands > 1 ? read_operand(c, 1, CW_I32) : cw_fn_const(c->fn, CW_I32, 0), cw_fn_undef(CW_I1)};
    emit(c, CW_OP_BARRIER, CW_VOID, kind, args, 3);
    flag_newest(c, aligned_flag(c));
}

static void lower_barrier_red(struct asm_ctx *c) {
    enum cw_barrier kind = has_part(c, "popc") ? CW_BARRIER_COUNT : has_part(c, "and") ? CW_BARRIER_AND : CW_BARRIER_OR;
    uint32_t last = c->noperands - 1;
    cw_ref count = c->noperands > 3 ? read_operand(c, 2, CW_I32) : cw_fn_const(c->fn, CW_I32, 0);
    cw_ref args[] = {read_operand(c, 1, CW_I32), count, read_operand(c, last, CW_I1)};
    cw_ref result = emit(c, CW_OP_BARRIER, CW_I32, kind, args, 3);
    set_flags(c, result, aligned_flag(c));
    write_operand(c, 0, kind == CW_BARRIER_COUNT ? result : as_type(c, result, CW_I1));
}

static enum cw_shfl shuffle_mode(const struct asm_ctx *c) {
    return has_part(c, "up")     ? CW_SHFL_UP
           : has_part(c, "down") ? CW_SHFL_DOWN
           : has_part(c, "bfly") ? CW_SHFL_XOR
                                 : CW_SHFL_IDX;
}

/* PTX packs the width into the clamp operand: bits 8–12 hold 32 - width. */
static cw_ref shuffle_width(struct asm_ctx *c, cw_ref clamp) {
    int64_t value;
    if (!cw_ref_const(c->fn, clamp, &value))
        return opaque(c, CW_I32);
    return cw_fn_const(c->fn, CW_I32, 32 - ((value >> 8) & 31));
}

static void lower_shuffle(struct asm_ctx *c, bool legacy) {
    cw_ref mask = legacy ? cw_fn_undef(CW_I32) : read_operand(c, 4, CW_I32);
    cw_ref value = read_operand(c, 1, CW_I32), lane = read_operand(c, 2, CW_I32);
    cw_ref args[] = {mask, value, lane, shuffle_width(c, read_operand(c, 3, CW_I32))};
    cw_ref result = emit(c, CW_OP_SHFL, CW_I32, shuffle_mode(c), args, 4);
    set_flags(c, result, legacy ? CW_INS_LEGACY : 0);
    if (c->noperands && memchr(c->operand[0].at, '|', c->operand[0].n))
        write_part(c, part_of(c->operand[0], 1), opaque(c, CW_I1));
    write_operand(c, 0, result);
}

static void lower_vote(struct asm_ctx *c, bool legacy) {
    enum cw_vote kind = has_part(c, "ballot") ? CW_VOTE_BALLOT
                        : has_part(c, "any")  ? CW_VOTE_ANY
                        : has_part(c, "all")  ? CW_VOTE_ALL
                                              : CW_VOTE_UNI;
    cw_ref args[] = {legacy ? cw_fn_undef(CW_I32) : read_operand(c, 2, CW_I32), read_operand(c, 1, CW_I1)};
    cw_ref result = emit(c, CW_OP_VOTE, kind == CW_VOTE_BALLOT ? CW_I32 : CW_I1, kind, args, 2);
    set_flags(c, result, legacy ? CW_INS_LEGACY : 0);
    write_operand(c, 0, result);
}

static void lower_match(struct asm_ctx *c) {
    enum cw_type type = has_part(c, "b64") ? CW_I64 : CW_I32;
    cw_ref args[] = {read_operand(c, 2, CW_I32), read_operand(c, 1, type)};
    write_operand(c, 0, emit(c, CW_OP_MATCH, CW_I32, has_part(c, "all") ? CW_VOTE_ALL : CW_VOTE_ANY, args, 2));
    if (memchr(c->operand[0].at, '|', c->operand[0].n))
        write_part(c, part_of(c->operand[0], 1), opaque(c, CW_I1));
}

static enum cw_redux redux_kind(const struct asm_ctx *c) {
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (has_part(c, names[i]))
            return (enum cw_redux)i;
    return CW_REDUX_OTHER;
}

static void lower_redux(struct asm_ctx *c) {
    cw_ref args[] = {read_operand(c, 2, CW_I32), read_operand(c, 1, type_of(c))};
    write_operand(c, 0, emit(c, CW_OP_REDUX, type_of(c), redux_kind(c), args, 2));
}

static void lower_elect(struct asm_ctx *c) {
    cw_ref mask = read_operand(c, 1, CW_I32);
    cw_ref elected = emit(c, CW_OP_ELECT, CW_I1, 0, &mask, 1);
    write_part(c, part_of(c->operand[0], 1), elected);
    write_operand(c, 0, opaque(c, CW_I32));
}

static void lower_fence(struct asm_ctx *c) {
    enum cw_scope scope = has_part(c, "cta")       ? CW_SCOPE_BLOCK
                          : has_part(c, "cluster") ? CW_SCOPE_CLUSTER
                          : has_part(c, "sys")     ? CW_SCOPE_SYSTEM
                                                   : CW_SCOPE_DEVICE;
    emit(c, CW_OP_FENCE, CW_VOID, scope, NULL, 0);
}

static void lower_async_copy(struct asm_ctx *c) {
    cw_ref args[] = {read_address(c, 0), read_address(c, 1), read_operand(c, 2, CW_I64)};
    emit(c, CW_OP_ASYNCCOPY, CW_VOID, CW_COPY_GROUP, args, 3);
}

/* To shared memory with a barrier that learns of it; from shared memory in groups. The size of a tensor's box is in its
 * map, which the host fills. */
static void lower_bulk_copy(struct asm_ctx *c) {
    bool is_tensor = has_part(c, "tensor"), has_barrier = has_part(c, "mbarrier::complete_tx::bytes");
    if (has_part(c, "prefetch"))
        return;
    if (!has_barrier && !has_part(c, "bulk_group")) {
        c->gave_up = true;
        return;
    }
    cw_ref args[4] = {read_address(c, 0), read_address(c, 1)};
    args[2] = is_tensor ? emit(c, CW_OP_OPAQUE, CW_I64, CW_BAIL_INLINE_ASM, NULL, 0) : read_operand(c, 2, CW_I64);
    if (has_barrier)
        args[3] = read_address(c, is_tensor ? 2 : 3);
    emit(c, CW_OP_ASYNCCOPY, CW_VOID, has_barrier ? CW_COPY_BARRIER : CW_COPY_BULK, args, has_barrier ? 4 : 3);
}

static void lower_bulk_wait(struct asm_ctx *c) {
    cw_ref pending = read_operand(c, 0, CW_I32);
    emit(c, CW_OP_ASYNCWAIT, CW_VOID, has_part(c, "read") ? CW_WAIT_BULK_READ : CW_WAIT_BULK, &pending, 1);
}

static void lower_bind(struct asm_ctx *c) {
    cw_ref args[] = {read_address(c, 0), cw_fn_const(c->fn, CW_I32, 1)};
    emit(c, CW_OP_MBARARRIVE, CW_I64, has_part(c, "noinc") ? CW_MBAR_ARRIVE_COPIES : CW_MBAR_BIND, args, 2);
}

static void lower_async_wait(struct asm_ctx *c, bool all) {
    cw_ref pending = all ? cw_fn_const(c->fn, CW_I32, 0) : read_operand(c, 0, CW_I32);
    if (all) /* also those that no group holds yet */
        emit(c, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0);
    emit(c, CW_OP_ASYNCWAIT, CW_VOID, CW_WAIT_GROUPS, &pending, 1);
}

static void lower_mbarrier(struct asm_ctx *c, enum handler h) {
    if (h == H_MBAR_INIT) {
        cw_ref args[] = {read_address(c, 0), read_operand(c, 1, CW_I32)};
        emit(c, CW_OP_MBARINIT, CW_VOID, 0, args, 2);
        return;
    }
    bool first_is_address = c->noperands && c->operand[0].n && c->operand[0].at[0] == '[';
    cw_ref pointer = read_address(c, first_is_address ? 0 : 1);
    if (h == H_MBAR_WAIT) {
        bool by_parity = has_part(c, "parity");
        cw_ref args[] = {pointer, by_parity ? read_operand(c, 2, CW_I32) : CW_NONE};
        emit(c, CW_OP_MBARWAIT, CW_VOID, by_parity ? CW_MBAR_PARITY : CW_MBAR_OWN, args, by_parity ? 2 : 1);
        write_operand(c, 0, cw_fn_const(c->fn, CW_I1, 1)); /* the run that is looked at is one in which it succeeds */
        return;
    }
    uint32_t next = first_is_address ? 1 : 2;
    bool expects = has_part(c, "expect_tx");
    cw_ref args[] = {pointer, cw_fn_const(c->fn, CW_I32, 1), CW_NONE};
    if (expects)
        args[2] = read_operand(c, next, CW_I32);
    else if (next < c->noperands)
        args[1] = read_operand(c, next, CW_I32);
    enum cw_mbar_arrive how = h == H_MBAR_EXPECT ? CW_MBAR_EXPECT : expects ? CW_MBAR_ARRIVE_TX : CW_MBAR_ARRIVE;
    cw_ref token = emit(c, CW_OP_MBARARRIVE, CW_I64, how, args, expects ? 3 : 2);
    if (!first_is_address)
        write_operand(c, 0, token);
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

static cw_ref element_address(struct asm_ctx *c, cw_ref base, uint32_t bytes) {
    cw_ref args[] = {base, cw_fn_const(c->fn, CW_I64, bytes)};
    return bytes ? emit(c, CW_OP_PTRADD, CW_PTR, 0, args, 2) : base;
}

static unsigned access_flags(const struct asm_ctx *c) {
    bool strong = has_part(c, "volatile") || has_part(c, "relaxed") || has_part(c, "acquire") || has_part(c, "release");
    return (strong ? CW_INS_VOLATILE : 0u) | (has_part(c, "nc") ? CW_INS_READONLY : 0u);
}

static void lower_load(struct asm_ctx *c) {
    cw_str parts[8];
    uint32_t n = c->noperands ? vector_parts(c->operand[0], parts, 8) : 0;
    cw_ref base = read_address(c, 1);
    enum cw_type type = type_of(c);
    uint32_t bytes = cw_type_bits(type) / 8;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref pointer = element_address(c, base, i * bytes);
        cw_ref value = emit(c, CW_OP_LOAD, type, bytes, &pointer, 1);
        set_flags(c, value, access_flags(c));
        write_part(c, parts[i], value);
    }
}

static void lower_store(struct asm_ctx *c) {
    cw_str parts[8];
    uint32_t n = c->noperands > 1 ? vector_parts(c->operand[1], parts, 8) : 0;
    cw_ref base = read_address(c, 0);
    enum cw_type type = type_of(c);
    uint32_t bytes = cw_type_bits(type) / 8;
    for (uint32_t i = 0; i < n; i++) {
        cw_ref args[] = {as_type(c, read_unconverted(c, parts[i], type), type), element_address(c, base, i * bytes)};
        emit(c, CW_OP_STORE, CW_VOID, bytes, args, 2);
        flag_newest(c, access_flags(c));
    }
}

static enum cw_atomic atomic_kind(const struct asm_ctx *c) {
    static const struct {
        const char *part;
        enum cw_atomic kind;
    } kinds[] = {{"add", CW_ATOMIC_ADD}, {"exch", CW_ATOMIC_EXCH}, {"cas", CW_ATOMIC_CAS}, {"min", CW_ATOMIC_MIN},
                 {"max", CW_ATOMIC_MAX}, {"and", CW_ATOMIC_AND},   {"or", CW_ATOMIC_OR},   {"xor", CW_ATOMIC_XOR},
                 {"inc", CW_ATOMIC_INC}, {"dec", CW_ATOMIC_DEC}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (has_part(c, kinds[i].part))
            return kinds[i].kind;
    return CW_ATOMIC_EXCH;
}

static void lower_atomic(struct asm_ctx *c, uint32_t address) {
    cw_ref args[3] = {read_address(c, address)};
    uint32_t n = 1;
    for (uint32_t k = address + 1; k < c->noperands && n < 3; k++)
        args[n++] = read_operand(c, k, type_of(c));
    enum cw_scope scope = has_part(c, "cta") ? CW_SCOPE_BLOCK : has_part(c, "sys") ? CW_SCOPE_SYSTEM : CW_SCOPE_DEVICE;
    cw_ref old = emit(c, CW_OP_ATOMIC, type_of(c), (uint32_t)atomic_kind(c) | (uint32_t)scope << 8, args, n);
    if (address == 1)
        write_operand(c, 0, old);
}

static void opaque_parts(struct asm_ctx *c, enum cw_bail why) {
    cw_str parts[MAX_OPERANDS];
    uint32_t n = c->noperands ? vector_parts(c->operand[0], parts, MAX_OPERANDS) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct cw_asm_operand *o = operand_of(c, part_of(parts[i], 0));
        write_part(c, part_of(parts[i], 0), emit(c, CW_OP_OPAQUE, o ? o->type : CW_I32, why, NULL, 0));
    }
}

static void lower_ldmatrix(struct asm_ctx *c) {
    cw_ref args[] = {read_address(c, 1), cw_fn_const(c->fn, CW_I64, 0)};
    emit(c, CW_OP_FRAGLOAD, CW_VOID, 16, args, 2);
    flag_newest(c, CW_INS_ALIGNED);
    opaque_parts(c, CW_BAIL_MATRIX_FRAGMENT);
}

static void lower_mov(struct asm_ctx *c) {
    const struct cw_asm_operand *o = c->noperands ? operand_of(c, c->operand[0]) : NULL;
    bool packs = c->noperands == 2 && (c->operand[0].at[0] == '{' || c->operand[1].at[0] == '{');
    if (packs) {
        opaque_parts(c, CW_BAIL_INLINE_ASM);
        return;
    }
    enum cw_type type = o ? o->type : type_of(c);
    if (c->noperands != 2 || (c->operand[1].at[0] != '%' && find_reg(c, c->operand[1])->value.tag == CW_REF_NONE &&
                              !isdigit((unsigned char)c->operand[1].at[0]) && c->operand[1].at[0] != '-' &&
                              !cw_str_is(c->operand[1], "WARP_SZ")))
        c->gave_up = true;
    cw_ref value = c->noperands == 2 ? read_unconverted(c, c->operand[1], type) : opaque(c, type);
    write_operand(c, 0, as_type(c, value, type == CW_PTR ? cw_ref_type(c->fn, value) : type));
}

static void lower_cvta(struct asm_ctx *c) {
    enum cw_type type = type_of(c);
    cw_ref value = c->noperands == 2 ? read_unconverted(c, c->operand[1], CW_I64) : opaque(c, CW_I64);
    write_operand(c, 0, emit(c, CW_OP_CVTA, type, 0, &value, 1));
}

static void lower_pure(struct asm_ctx *c) {
    cw_ref args[MAX_OPERANDS];
    uint32_t n = 0;
    for (uint32_t k = 1; k < c->noperands; k++)
        args[n++] = read_unconverted(c, c->operand[k], type_of(c));
    const struct cw_asm_operand *o = c->noperands ? operand_of(c, c->operand[0]) : NULL;
    char *name = cw_arena_strndup(c->fn->arena, c->mnemonic.at, c->mnemonic.n);
    write_operand(c, 0, emit(c, CW_OP_PURE, o ? o->type : type_of(c), cw_fn_add_text(c->fn, name), args, n));
}

static void lower_alu(struct asm_ctx *c, enum cw_op op) {
    enum cw_type type = type_of(c);
    if (cw_type_is_float(type) || has_part(c, "sat") || has_part(c, "cc") || c->noperands < 2) {
        lower_pure(c);
        return;
    }
    cw_ref args[2] = {read_operand(c, 1, type), CW_NONE};
    uint32_t n = 1;
    if (cw_op_operands(op) == 2)
        args[n++] = read_operand(c, 2, type);
    write_operand(c, 0, emit(c, op, op == CW_OP_POPC ? CW_I32 : type, 0, args, n));
}

static void lower_setp(struct asm_ctx *c) {
    static const struct {
        const char *part;
        enum cw_op is_signed, is_unsigned;
    } compares[] = {{"eq", CW_OP_EQ, CW_OP_EQ},   {"ne", CW_OP_NE, CW_OP_NE},   {"lt", CW_OP_SLT, CW_OP_ULT},
                    {"le", CW_OP_SLE, CW_OP_ULE}, {"gt", CW_OP_SGT, CW_OP_UGT}, {"ge", CW_OP_SGE, CW_OP_UGE}};
    enum cw_type type = type_of(c);
    bool is_signed = has_part(c, "s16") || has_part(c, "s32") || has_part(c, "s64");
    for (size_t i = 0; i < sizeof compares / sizeof compares[0] && cw_type_is_int(type) && c->noperands == 3; i++)
        if (has_part(c, compares[i].part)) {
            cw_ref args[] = {read_operand(c, 1, type), read_operand(c, 2, type)};
            write_operand(c, 0,
                          emit(c, is_signed ? compares[i].is_signed : compares[i].is_unsigned, CW_I1, 0, args, 2));
            return;
        }
    write_operand(c, 0, opaque(c, CW_I1));
}

static void lower_selp(struct asm_ctx *c) {
    enum cw_type type = type_of(c);
    cw_ref args[] = {read_operand(c, 3, CW_I1), read_operand(c, 1, type), read_operand(c, 2, type)};
    write_operand(c, 0, emit(c, CW_OP_SELECT, type, 0, args, 3));
}

static void lower_activemask(struct asm_ctx *c) {
    write_operand(c, 0, emit(c, CW_OP_ACTIVEMASK, CW_I32, 0, NULL, 0));
}

static void lower_warp_sync(struct asm_ctx *c) {
    cw_ref mask = read_operand(c, 0, CW_I32);
    emit(c, CW_OP_SYNCWARP, CW_VOID, 0, &mask, 1);
}

static bool lower_value(struct asm_ctx *c, enum handler h) {
    switch (h) {
    case H_MOV: lower_mov(c); return true;
    case H_CVTA: lower_cvta(c); return true;
    case H_ADD: lower_alu(c, CW_OP_ADD); return true;
    case H_SUB: lower_alu(c, CW_OP_SUB); return true;
    case H_MUL: lower_alu(c, CW_OP_MUL); return true;
    case H_AND: lower_alu(c, CW_OP_AND); return true;
    case H_OR: lower_alu(c, CW_OP_OR); return true;
    case H_XOR: lower_alu(c, CW_OP_XOR); return true;
    case H_NOT: lower_alu(c, CW_OP_NOT); return true;
    case H_POPC: lower_alu(c, CW_OP_POPC); return true;
    case H_BREV: lower_alu(c, CW_OP_BREV); return true;
    case H_SETP: lower_setp(c); return true;
    case H_SELP: lower_selp(c); return true;
    case H_PURE: lower_pure(c); return true;
    case H_MATRIX: opaque_parts(c, CW_BAIL_MATRIX_FRAGMENT); return true;
    case H_NOTHING: return true;
    default: return false;
    }
}

static void lower_collective(struct asm_ctx *c, enum handler h) {
    switch (h) {
    case H_WARP_SYNC: lower_warp_sync(c); break;
    case H_SHFL: lower_shuffle(c, false); break;
    case H_SHFL_LEGACY: lower_shuffle(c, true); break;
    case H_VOTE: lower_vote(c, false); break;
    case H_VOTE_LEGACY: lower_vote(c, true); break;
    case H_MATCH: lower_match(c); break;
    case H_REDUX: lower_redux(c); break;
    case H_ACTIVEMASK: lower_activemask(c); break;
    case H_ELECT: lower_elect(c); break;
    default: c->gave_up = true;
    }
}

static void lower_effect(struct asm_ctx *c, enum handler h) {
    switch (h) {
    case H_BAR_SYNC: lower_barrier(c, CW_BARRIER_SYNC); break;
    case H_BAR_ARRIVE: lower_barrier(c, CW_BARRIER_ARRIVE); break;
    case H_BAR_RED: lower_barrier_red(c); break;
    case H_CLUSTER_ARRIVE: emit(c, CW_OP_CLUSTERSYNC, CW_VOID, CW_BARRIER_ARRIVE, NULL, 0); break;
    case H_CLUSTER_WAIT: emit(c, CW_OP_CLUSTERSYNC, CW_VOID, CW_BARRIER_SYNC, NULL, 0); break;
    case H_FENCE: lower_fence(c); break;
    case H_ASYNC_COPY: lower_async_copy(c); break;
    case H_ASYNC_COMMIT: emit(c, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_GROUP, NULL, 0); break;
    case H_ASYNC_WAIT: lower_async_wait(c, false); break;
    case H_ASYNC_WAIT_ALL: lower_async_wait(c, true); break;
    case H_ASYNC_BIND: lower_bind(c); break;
    case H_BULK_COPY: lower_bulk_copy(c); break;
    case H_BULK_COMMIT: emit(c, CW_OP_ASYNCCOMMIT, CW_VOID, CW_COPY_BULK, NULL, 0); break;
    case H_BULK_WAIT: lower_bulk_wait(c); break;
    case H_MBAR_INIT:
    case H_MBAR_ARRIVE:
    case H_MBAR_EXPECT:
    case H_MBAR_WAIT: lower_mbarrier(c, h); break;
    case H_LOAD: lower_load(c); break;
    case H_STORE: lower_store(c); break;
    case H_ATOMIC: lower_atomic(c, 1); break;
    case H_RED: lower_atomic(c, 0); break;
    case H_LDMATRIX: lower_ldmatrix(c); break;
    default: lower_collective(c, h);
    }
}

/* ---- the statement ---- */

/* Splits the operand list at top-level commas; braces and brackets keep vectors and addresses whole. */
static void split_operands(struct asm_ctx *c, cw_str text) {
    int depth = 0;
    size_t start = 0;
    c->noperands = 0;
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
        if (c->noperands == MAX_OPERANDS) {
            c->gave_up = true;
            return;
        }
        c->operand[c->noperands++] = part;
    }
}

static cw_str take_word(cw_str *text) {
    size_t n = 0;
    while (n < text->n && !isspace((unsigned char)text->at[n]))
        n++;
    cw_str word = {text->at, n};
    *text = cw_str_trim((cw_str){text->at + n, text->n - n});
    return word;
}

static void take_guard(struct asm_ctx *c, cw_str *text) {
    c->guard = CW_STR("");
    c->guard_negated = false;
    if (!cw_str_starts(*text, "@"))
        return;
    cw_str word = take_word(text);
    c->guard_negated = cw_str_starts(word, "@!");
    size_t skip = c->guard_negated ? 2 : 1;
    c->guard = (cw_str){word.at + skip, word.n - skip};
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

static void lower_instruction(struct asm_ctx *c, cw_str text) {
    if (take_label(&text) && !c->is_wait_loop)
        c->gave_up = true; /* control flow */
    if (is_directive(text)) /* such as .reg */
        return;
    take_guard(c, &text);
    c->mnemonic = take_word(&text);
    split_operands(c, text);
    enum handler h = find_handler(c->mnemonic);
    if (lower_value(c, h) || (h == H_BRANCH && c->is_wait_loop))
        return;
    if (c->guard.n || h == H_UNKNOWN)
        c->gave_up = true;
    else
        lower_effect(c, h);
}

static size_t instruction_end(cw_str text, size_t at) {
    while (at < text.n && text.at[at] != ';' && text.at[at] != '\n')
        at++;
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

static void lower_all(struct asm_ctx *c, cw_str text) {
    uint32_t count = 0;
    c->is_wait_loop = is_wait_loop(text);
    for (size_t at = 0; at < text.n && !c->gave_up;) {
        size_t end = instruction_end(text, at);
        if (++count > MAX_INSTRUCTIONS)
            c->gave_up = true;
        else
            lower_instruction(c, without_scope_braces((cw_str){text.at + at, end - at}));
        at = end + 1;
    }
}

/* What was not understood keeps its inputs and every effect. */
static void keep_as_asm(struct asm_ctx *c) {
    cw_ref args[MAX_OPERANDS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->statement->noperands && n < MAX_OPERANDS; k++)
        if (c->statement->operands[k].value.tag != CW_REF_NONE)
            args[n++] = c->statement->operands[k].value;
    emit(c, CW_OP_ASM, CW_VOID, cw_fn_add_text(c->fn, c->statement->text), args, n);
    c->fn->bails[CW_BAIL_INLINE_ASM]++;
}

static cw_ref final_value(struct asm_ctx *c, const struct cw_asm_operand *o, cw_str name) {
    struct reg *r = find_reg(c, name);
    if (c->gave_up || r->value.tag == CW_REF_NONE)
        return emit(c, CW_OP_OPAQUE, o->type, CW_BAIL_INLINE_ASM, NULL, 0);
    return as_type(c, r->value, o->type);
}

static void store_outputs(struct asm_ctx *c) {
    for (uint32_t k = 0; k < c->statement->noperands; k++) {
        const struct cw_asm_operand *o = &c->statement->operands[k];
        if (o->address.tag == CW_REF_NONE)
            continue;
        char *number = cw_arena_printf(c->fn->arena, "%%%u", k);
        cw_str name = cw_str_of(number);
        if (o->name && find_reg(c, name)->value.tag == CW_REF_NONE)
            name = cw_str_of(cw_arena_printf(c->fn->arena, "%%[%s]", o->name));
        cw_ref args[] = {final_value(c, o, name), o->address};
        emit(c, CW_OP_STORE, CW_VOID, cw_type_bits(o->type) / 8, args, 2);
    }
}

void cw_asm_lower(struct cw_fn *fn, uint32_t block, const struct cw_asm *statement, uint32_t loc) {
    struct asm_ctx c = {.fn = fn, .block = block, .loc = loc, .statement = statement};
    lower_all(&c, cw_str_of(statement->text));
    if (c.gave_up)
        keep_as_asm(&c);
    store_outputs(&c);
}
