/* The tables of operations, types, bail reasons and special registers as text and numbers. */
#include "ir/ir.h"

#include "base/require.h"

#include <ctype.h>
#include <stddef.h>

struct op_row {
    const char *text;
    int operands;
    unsigned flags;
};

static const struct op_row op_rows[CW_NOPS] = {
    [CW_OP_HOLE] = {"hole", 0, 0},
#define CW_OP(id, text, operands, flags, help) [CW_OP_##id] = {text, operands, flags},
#include "ir/ops.def"
};

struct type_row {
    const char *text;
    unsigned bits;
    char class;
};

enum { CLASS_NONE, CLASS_INT, CLASS_FLOAT, CLASS_POINTER, CLASS_GROUP };

static const struct type_row type_rows[CW_NTYPES] = {
#define CW_TYPE(id, text, bits, class) [CW_##id] = {text, bits, CLASS_##class},
#include "ir/types.def"
};

static const char *const bail_texts[CW_NBAILS] = {
#define CW_BAIL(id, text) [CW_BAIL_##id] = text,
#include "ir/bail.def"
};

static const char *const bail_names[CW_NBAILS] = {
#define CW_BAIL(id, text) [CW_BAIL_##id] = #id,
#include "ir/bail.def"
};

static const char *const sreg_texts[CW_NSREGS][2] = {
    [CW_TID_X] = {"tid.x", "threadIdx.x"},
    [CW_TID_Y] = {"tid.y", "threadIdx.y"},
    [CW_TID_Z] = {"tid.z", "threadIdx.z"},
    [CW_CTAID_X] = {"ctaid.x", "blockIdx.x"},
    [CW_CTAID_Y] = {"ctaid.y", "blockIdx.y"},
    [CW_CTAID_Z] = {"ctaid.z", "blockIdx.z"},
    [CW_NTID_X] = {"ntid.x", "blockDim.x"},
    [CW_NTID_Y] = {"ntid.y", "blockDim.y"},
    [CW_NTID_Z] = {"ntid.z", "blockDim.z"},
    [CW_NCTAID_X] = {"nctaid.x", "gridDim.x"},
    [CW_NCTAID_Y] = {"nctaid.y", "gridDim.y"},
    [CW_NCTAID_Z] = {"nctaid.z", "gridDim.z"},
    [CW_LANEID] = {"laneid", "laneid"},
    [CW_WARPSIZE] = {"warpsize", "warpSize"},
    [CW_LANEMASK_EQ] = {"lanemask.eq", "lanemask_eq"},
    [CW_LANEMASK_LT] = {"lanemask.lt", "lanemask_lt"},
    [CW_LANEMASK_LE] = {"lanemask.le", "lanemask_le"},
    [CW_LANEMASK_GT] = {"lanemask.gt", "lanemask_gt"},
    [CW_LANEMASK_GE] = {"lanemask.ge", "lanemask_ge"},
};

static const char *const space_texts[] = {"unknown", "global", "constant", "shared", "dynshared", "local", "param"};
static const char *const origin_texts[] = {"none",   "if",          "for", "while", "do",   "range_for", "switch",
                                           "conditional", "and", "or",  "goto", "break", "continue", "return",
                                           "assert"};
static const char *const scope_texts[] = {"thread", "warp", "block", "cluster", "device", "system"};
static const char *const shfl_texts[] = {"idx", "up", "down", "xor"};
static const char *const vote_texts[] = {"any", "all", "ballot", "uni"};
static const char *const redux_texts[] = {"add", "min", "max", "and", "or", "xor", "other"};
static const char *const barrier_texts[] = {"sync", "arrive", "count", "and", "or", "wait"};
static const char *const atomic_texts[] = {"add", "sub", "exch", "cas", "min", "max", "and",
                                           "or",  "xor", "inc",  "dec", "load", "store"};
static const char *const group_texts[] = {"block",  "tile", "coalesced", "labeled",
                                          "binary", "grid", "cluster",   "thread"};

#define PICK(table, at) ((at) < sizeof(table) / sizeof *(table) ? (table)[at] : NULL)

const char *cw_op_text(enum cw_op op) {
    cw_require(op < CW_NOPS);
    return op_rows[op].text;
}

int cw_op_operands(enum cw_op op) {
    cw_require(op < CW_NOPS);
    return op_rows[op].operands;
}

unsigned cw_op_flags(enum cw_op op) {
    cw_require(op < CW_NOPS);
    return op_rows[op].flags;
}

const char *cw_type_text(enum cw_type type) {
    cw_require(type < CW_NTYPES);
    return type_rows[type].text;
}

unsigned cw_type_bits(enum cw_type type) {
    cw_require(type < CW_NTYPES);
    return type_rows[type].bits;
}

uint32_t cw_type_bytes(enum cw_type type) {
    return (cw_type_bits(type) + 7) / 8;
}

bool cw_type_is_int(enum cw_type type) {
    cw_require(type < CW_NTYPES);
    return type_rows[type].class == CLASS_INT;
}

bool cw_type_is_float(enum cw_type type) {
    cw_require(type < CW_NTYPES);
    return type_rows[type].class == CLASS_FLOAT;
}

int64_t cw_type_wrap(enum cw_type type, int64_t value) {
    unsigned bits = cw_type_bits(type);
    if (type == CW_I1)
        return value & 1;
    if (!cw_type_is_int(type) || bits == 64)
        return value;
    uint64_t sign = UINT64_C(1) << (bits - 1), mask = (sign << 1) - 1;
    return (int64_t)((((uint64_t)value & mask) ^ sign) - sign);
}

const char *cw_bail_text(enum cw_bail bail) {
    cw_require(bail < CW_NBAILS);
    return bail_texts[bail];
}

/* The preprocessor cannot make lower case; filled on first use, always with the same bytes. */
const char *cw_bail_id(enum cw_bail bail) {
    static char ids[CW_NBAILS][32];
    cw_require(bail < CW_NBAILS);
    if (!ids[bail][0])
        for (size_t k = 0; bail_names[bail][k] && k + 1 < sizeof ids[bail]; k++)
            ids[bail][k] = (char)tolower((unsigned char)bail_names[bail][k]);
    return ids[bail];
}

const char *cw_sreg_text(enum cw_sreg sreg) {
    cw_require(sreg < CW_NSREGS);
    return sreg_texts[sreg][0];
}

const char *cw_sreg_cuda(enum cw_sreg sreg) {
    cw_require(sreg < CW_NSREGS);
    return sreg_texts[sreg][1];
}

const char *cw_space_text(enum cw_space space) {
    return PICK(space_texts, (unsigned)space);
}

const char *cw_origin_text(enum cw_origin origin) {
    return PICK(origin_texts, (unsigned)origin);
}

const char *cw_scope_text(enum cw_scope scope) {
    return PICK(scope_texts, (unsigned)scope);
}

const char *cw_memory_order_text(enum cw_memory_order order) {
    static const char *const texts[] = {"relaxed", "acquire", "release", "acq_rel"};
    return PICK(texts, (unsigned)order);
}

const char *cw_aux_text(enum cw_op op, uint32_t aux) {
    switch (op) {
    case CW_OP_SHFL: return PICK(shfl_texts, aux);
    case CW_OP_VOTE: case CW_OP_MATCH: return PICK(vote_texts, aux);
    case CW_OP_REDUX: case CW_OP_SCAN: return PICK(redux_texts, aux);
    case CW_OP_BARRIER: case CW_OP_CLUSTERSYNC: return PICK(barrier_texts, aux);
    case CW_OP_ATOMIC: return PICK(atomic_texts, aux & 0xff);
    case CW_OP_GROUP: return PICK(group_texts, aux);
    case CW_OP_FENCE: case CW_OP_UNIFORM: return PICK(scope_texts, aux);
    case CW_OP_OPAQUE: case CW_OP_OPCALL: return aux < CW_NBAILS ? cw_bail_id((enum cw_bail)aux) : NULL;
    default: return NULL;
    }
}
