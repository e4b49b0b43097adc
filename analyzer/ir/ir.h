/* The intermediate representation: a control-flow graph of typed instructions, in SSA after `promote`.
 *
 * Life of a function: a front end lowers it with every local variable as an object in memory (load/store), so that
 * references, `this`, out-parameters and structs need no special care; `inline` merges device callees into each kernel;
 * `promote` turns the private objects into SSA values, field by field; `simplify` folds constants. Analyses see the
 * result.
 *
 * A function owns its tables. References (`cw_ref`) are tag + index into them, so passes may append freely, and an
 * instruction keeps its index for life; a removed one becomes a hole (op == CW_OP_HOLE) that no block lists.
 *
 * docs/internals/ir.md has the grammar of the text form (print.c, parse.c). */
#ifndef CW_IR_IR_H
#define CW_IR_IR_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum cw_type {
#define CW_TYPE(id, text, bits, class) CW_##id,
#include "ir/types.def"
    CW_NTYPES
};

enum cw_op_flag {
    CW_OP_P = 1,    /* pure */
    CW_OP_R = 2,    /* reads memory */
    CW_OP_W = 4,    /* writes memory */
    CW_OP_C = 8,    /* warp collective */
    CW_OP_B = 16,   /* block-wide or wider barrier */
    CW_OP_S = 32,   /* orders memory between threads */
    CW_OP_O = 64,   /* opaque */
    CW_OP_E = 128,  /* has an effect: kept although unused */
};

enum cw_op {
    CW_OP_HOLE, /* a removed instruction */
#define CW_OP(id, text, operands, flags, help) CW_OP_##id,
#include "ir/ops.def"
    CW_NOPS
};

enum cw_bail {
#define CW_BAIL(id, text) CW_BAIL_##id,
#include "ir/bail.def"
    CW_NBAILS
};

/* aux of the operations */
enum cw_shfl { CW_SHFL_IDX, CW_SHFL_UP, CW_SHFL_DOWN, CW_SHFL_XOR };
enum cw_vote { CW_VOTE_ANY, CW_VOTE_ALL, CW_VOTE_BALLOT, CW_VOTE_UNI };
enum cw_redux { CW_REDUX_ADD, CW_REDUX_MIN, CW_REDUX_MAX, CW_REDUX_AND, CW_REDUX_OR, CW_REDUX_XOR, CW_REDUX_OTHER };
/* Block barriers: SYNC blocks; COUNT/AND/OR block and give a block-uniform result; ARRIVE does not block. */
/* WAIT: the second half of a split cluster barrier; threads that arrived need not wait for its end. */
enum cw_barrier {
    CW_BARRIER_SYNC,
    CW_BARRIER_ARRIVE,
    CW_BARRIER_COUNT,
    CW_BARRIER_AND,
    CW_BARRIER_OR,
    CW_BARRIER_WAIT
};
enum cw_atomic {
    CW_ATOMIC_ADD, CW_ATOMIC_SUB, CW_ATOMIC_EXCH, CW_ATOMIC_CAS, CW_ATOMIC_MIN, CW_ATOMIC_MAX, CW_ATOMIC_AND,
    CW_ATOMIC_OR, CW_ATOMIC_XOR, CW_ATOMIC_INC, CW_ATOMIC_DEC, CW_ATOMIC_LOAD, CW_ATOMIC_STORE
};
/* How the end of an asynchronous copy is learnt: by groups of the copying thread (cp.async), by a phase of an mbarrier,
 * by the groups of the bulk copy engine, which reads the source later; MATRIX: by the groups of wgmma, which reads its
 * matrices later. */
enum cw_copy { CW_COPY_GROUP, CW_COPY_BARRIER, CW_COPY_BULK, CW_COPY_MATRIX };
/* What a product of a warp group surely reads of a matrix: the first 16 bytes of its first row, which start where the
 * descriptor says under every layout (PTX ISA, matrix descriptor and strides). */
enum { CW_WGMMA_BYTES = 16 };
/* At most N groups pending; the oldest group that was not waited for like this (cuda::pipeline); groups of bulk copies,
 * and of those only that the source has been read; groups of wgmma. */
enum cw_wait { CW_WAIT_GROUPS, CW_WAIT_OLDEST, CW_WAIT_BULK, CW_WAIT_BULK_READ, CW_WAIT_MATRIX };
/* TX: also expects bytes; COPIES: when the thread's earlier cp.async are complete; BIND: those complete with the
 * phase, no arrival; EXPECT: only expects bytes; STAGE: of a cuda::pipeline, which needs no init. */
enum cw_mbar_arrive {
    CW_MBAR_ARRIVE, CW_MBAR_ARRIVE_TX, CW_MBAR_ARRIVE_COPIES, CW_MBAR_BIND, CW_MBAR_EXPECT, CW_MBAR_ARRIVE_STAGE
};
/* For which phase: that of the own last arrival; the one whose parity is given; the next one, and the one before
 * (stages of a cuda::pipeline that are filled, and that are free again). */
enum cw_mbar_wait { CW_MBAR_OWN, CW_MBAR_PARITY, CW_MBAR_NEXT, CW_MBAR_BEFORE };
/* What an atomic orders besides its own access: acquire and release are bits. */
enum cw_memory_order { CW_RELAXED, CW_ACQUIRE, CW_RELEASE, CW_ACQUIRE_RELEASE };
enum cw_scope { CW_SCOPE_THREAD, CW_SCOPE_WARP, CW_SCOPE_BLOCK, CW_SCOPE_CLUSTER, CW_SCOPE_DEVICE, CW_SCOPE_SYSTEM };
enum cw_group {
    CW_GROUP_BLOCK, CW_GROUP_TILE, CW_GROUP_COALESCED, CW_GROUP_LABELED, CW_GROUP_BINARY, CW_GROUP_GRID,
    CW_GROUP_CLUSTER, CW_GROUP_THREAD
};

/* Special registers, block-shape order x, y, z. */
enum cw_sreg {
    CW_TID_X, CW_TID_Y, CW_TID_Z, CW_CTAID_X, CW_CTAID_Y, CW_CTAID_Z, CW_NTID_X, CW_NTID_Y, CW_NTID_Z,
    CW_NCTAID_X, CW_NCTAID_Y, CW_NCTAID_Z, CW_LANEID, CW_WARPSIZE,
    CW_LANEMASK_EQ, CW_LANEMASK_LT, CW_LANEMASK_LE, CW_LANEMASK_GT, CW_LANEMASK_GE,
    CW_NSREGS
};

enum cw_ref_tag {
    CW_REF_NONE,
    CW_REF_INS,    /* result of fn->ins[index] */
    CW_REF_CONST,  /* fn->consts[index] */
    CW_REF_OBJECT, /* address of fn->objects[index] */
    CW_REF_PARAM,  /* fn->params[index]: a kernel or function parameter of scalar type */
    CW_REF_TPARAM, /* fn->tparams[index]: a template parameter of an uninstantiated pattern (grid-uniform unknown) */
    CW_REF_SREG,   /* enum cw_sreg; all i32 */
    CW_REF_UNDEF,  /* an indeterminate value; index: enum cw_type */
};

typedef struct {
    uint32_t tag : 4;
    uint32_t index : 28;
} cw_ref;

#define CW_NONE ((cw_ref){CW_REF_NONE, 0})

static inline cw_ref cw_ref_of(enum cw_ref_tag tag, uint32_t index) {
    return (cw_ref){(unsigned)tag & 15, index & 0xfffffff};
}

static inline bool cw_ref_eq(cw_ref ref, cw_ref other) {
    return ref.tag == other.tag && ref.index == other.index;
}

/* A range of a file: lines and columns from 1, columns in bytes, end exclusive. file: index in module->files. */
struct cw_span {
    uint32_t file;
    uint32_t line, col, end_line, end_col;
};

/* Where an instruction comes from. In a macro expansion, the span is the macro's use in the file. */
struct cw_loc {
    struct cw_span span;
    uint32_t site;    /* inline stack: index in fn->sites, 0 when in the function's own body */
    const char *macro; /* outermost macro's name when the code came out of one, else NULL */
};

/* One level of inlining: the call at `loc` (whose own .site is the next outer level) entered `callee`. */
struct cw_site {
    uint32_t loc;       /* index in fn->locs: the call expression */
    const char *callee; /* display name of the inlined function */
};

struct cw_const {
    enum cw_type type;
    int64_t value; /* sign-extended from the type's width, but i1 is 0 or 1; floats: bit pattern of a double, only for
                      equality */
};

enum cw_space {
    CW_SPACE_UNKNOWN,  /* generic address, nothing known */
    CW_SPACE_GLOBAL,   /* device memory: __device__ variables */
    CW_SPACE_CONSTANT, /* __constant__ */
    CW_SPACE_SHARED,   /* __shared__ with a declared size; one per block */
    CW_SPACE_DYNSHARED,/* the dynamic shared block; every `extern __shared__` names this one object */
    CW_SPACE_LOCAL,    /* a local variable, private to the thread */
    CW_SPACE_PARAM,    /* an aggregate kernel parameter passed by value: constant, the same in all threads; those that
                          the kernel writes become local copies (own_params.c) */
};

struct cw_object {
    const char *name;      /* as the source calls it */
    const char *key;       /* interned identity across functions (USR; "dynshared"), NULL for LOCAL and PARAM */
    enum cw_space space;
    uint64_t size;         /* bytes; 0 when unknown (incomplete array, dependent size) */
    uint32_t align;        /* bytes; 0 unknown */
    uint32_t element;      /* bytes of the innermost array element; 0 unknown */
    uint32_t row;          /* bytes of the innermost array of an array of arrays that pointers to its rows lead to; 0:
                              it is none, it is used as a flat array as well (`&s[0][0]`), or unknown */
    uint32_t loc;          /* declaration */
    const char *type_text; /* for messages: "float[32][33]" */
    bool is_volatile;
    bool is_const;         /* of host code: written where it is declared, and nowhere else */
    bool is_copy;          /* of host code: of an object that a call is lent */
};

struct cw_param {
    const char *name;
    enum cw_type type;
    uint32_t loc;
    bool is_restrict, points_to_const;
    uint32_t pointee_bytes; /* for PTR: bytes of one element, 0 unknown */
    uint32_t part_of;       /* 1 + the PARAM object of which this is a member, at part_at; 0: a parameter of its own */
    uint32_t part_at;       /* bytes from the object's beginning */
    bool is_element;        /* of an array in it */
};

enum cw_ins_flag {
    CW_INS_VOLATILE = 1, /* access through a volatile type */
    CW_INS_LEGACY = 2, /* pre-Volta intrinsic without a mask */
    CW_INS_COOPERATIVE = 4, /* launch through cudaLaunchCooperativeKernel */
    CW_INS_ALIGNED = 8, /* PTX form that demands convergence (bar.sync, *.aligned) */
    CW_INS_DEFAULT_MASK = 16, /* the mask was not written (__syncwarp()) */
    CW_INS_DEFAULT_WIDTH = 32, /* the width was not written */
    CW_INS_IMPLICIT = 64, /* made by the compiler (member-wise copy, initialiser), not written by the user */
    CW_INS_READONLY = 128, /* __ldg and the like: memory nobody writes during the kernel */
    CW_INS_SUPERSEDED = 256, /* launch that callers of this host function have as well, with the arguments they pass */
    CW_INS_SYNCFREE = 512, /* unknown call: the callee is known to synchronise no threads */
    CW_INS_SYNCS = 1024, /* unknown call: the callee is known to hold a barrier */
    CW_INS_PROXY = 2048, /* fence between ordinary accesses and those of the asynchronous proxy */
    CW_INS_ATTRIBUTES = 4096, /* launch with CW_LAUNCH_ATTRIBUTES operands behind the arguments */
    CW_INS_HOW = 8192, /* atomic: the last operand is scope and order, as in aux >> 8; gone where it is constant */
    CW_INS_COUNTED = 16384, /* collective of CUB: the caller gave a number of valid items */
};

struct cw_ins {
    uint8_t op;   /* enum cw_op */
    uint8_t type; /* enum cw_type of the result; CW_VOID: no result */
    uint16_t flags;
    uint32_t aux;
    uint32_t arg, narg; /* operands: fn->args[arg … arg+narg) */
    uint32_t block;
    uint32_t loc;       /* index in fn->locs; 0 is "nowhere" */
    uint32_t intrinsic; /* 1 + row in cuda/intrinsics.def that made it, 0: none (see cw_intrinsic_at) */
    const char *name;   /* source name of the variable it defines, or NULL */
};

/* Of an ATOMIC: aux is enum cw_atomic | scope << 8 | order << 16. What is not known yet counts as the strongest. */
/* Is it carried out after the thread has gone on? */
static inline bool cw_ins_is_asynchronous(const struct cw_ins *ins) {
    return ins->op == CW_OP_ASYNCCOPY || ins->op == CW_OP_WGMMA;
}
/* Of these, those that read shared memory later, so that it must not be overwritten before. */
static inline bool cw_ins_reads_later(const struct cw_ins *ins) {
    return cw_ins_is_asynchronous(ins) && (ins->aux == CW_COPY_BULK || ins->aux == CW_COPY_MATRIX);
}

static inline enum cw_scope cw_atomic_scope(const struct cw_ins *ins) {
    return ins->flags & CW_INS_HOW ? CW_SCOPE_SYSTEM : (enum cw_scope)(ins->aux >> 8 & 0xff);
}

static inline enum cw_memory_order cw_atomic_order(const struct cw_ins *ins) {
    return ins->flags & CW_INS_HOW ? CW_ACQUIRE_RELEASE : (enum cw_memory_order)(ins->aux >> 16 & 3);
}

enum cw_jump_kind { CW_JUMP_NONE, CW_JUMP_GOTO, CW_JUMP_BRANCH, CW_JUMP_SWITCH, CW_JUMP_RETURN, CW_JUMP_TRAP };

/* What the user wrote to get this branch; for messages only. */
enum cw_origin {
    CW_FROM_NONE, CW_FROM_IF, CW_FROM_FOR, CW_FROM_WHILE, CW_FROM_DO, CW_FROM_RANGE_FOR, CW_FROM_SWITCH,
    CW_FROM_CONDITIONAL /* ?: */, CW_FROM_AND, CW_FROM_OR, CW_FROM_GOTO, CW_FROM_BREAK, CW_FROM_CONTINUE,
    CW_FROM_RETURN, CW_FROM_ASSERT
};

/* BRANCH: value (i1), succ[0] when true, succ[1] when false. SWITCH: value, cases[i] -> succ[i], the last succ is the
 * default. RETURN: value or CW_NONE. TRAP: __trap(), assert failure, unreachable. */
struct cw_jump {
    enum cw_jump_kind kind;
    enum cw_origin origin;
    cw_ref value;
    uint32_t nsucc;
    uint32_t *succ;
    int64_t *cases;     /* nsucc - 1 of them for SWITCH */
    uint32_t loc;       /* the condition expression; for RETURN, GOTO of break/continue: that statement */
};

struct cw_block {
    struct cw_vec_u32 ins;   /* indices into fn->ins, PHIs first */
    struct cw_jump jump;
    struct cw_vec_u32 pred;  /* kept by cw_fn_link_preds; PHI operands follow this order */
    int32_t unroll;          /* loop header: -1 no pragma, 0 `#pragma unroll`, N `#pragma unroll N` */
    uint32_t always;         /* loc of a loop's condition that folded to "go on" here, 0: none */
};

enum cw_fn_kind { CW_FN_KERNEL, CW_FN_DEVICE, CW_FN_HOST };

struct cw_module;

struct cw_fn {
    struct cw_arena *arena;   /* owns every table */
    struct cw_module *module;
    enum cw_fn_kind kind;
    const char *name;         /* for people: "reduce<256>" */
    const char *key;          /* interned, unique: USR, plus template arguments for an instantiation */
    const char *pattern_key;  /* key of the template it was made from, or NULL */
    const char *assumed;      /* template arguments that nobody wrote, "T = float, N = 256"; NULL: an instance of the
                                 unit's own */
    struct cw_span span;      /* the whole definition */
    struct cw_span name_span;
    enum cw_type result;
    uint32_t bounds_max_threads; /* __launch_bounds__ first argument, 0 none */
    bool has_unread_bounds;      /* there is one that could not be evaluated: not every block is meant */
    uint32_t reqd_block[3];      /* __block_size__ / reqntid, 0 none */
    uint32_t reqd_cluster[3];    /* __cluster_dims__: blocks of a cluster, 0 none */
    bool has_unread_cluster;     /* it is written, with sizes that could not be evaluated */
    /* of this program's own headers: what a library's function does, inlined as if written at the call */
    bool is_model;
    bool is_pattern;          /* an uninstantiated template: tparams unknown */
    bool is_static_scope;     /* not callable from other units */
    bool is_degraded;         /* some part became opaque because code was broken or names were missing */
    bool is_ssa;              /* promote has run */
    CW_VEC(struct cw_ins) ins;
    CW_VEC(cw_ref) args;
    CW_VEC(struct cw_const) consts;
    CW_VEC(struct cw_object) objects;
    CW_VEC(struct cw_param) params;
    CW_VEC(struct cw_param) tparams;
    CW_VEC(struct cw_block) blocks; /* blocks[0] is the entry */
    CW_VEC(struct cw_loc) locs;     /* locs[0] is "nowhere" */
    CW_VEC(struct cw_site) sites;   /* sites[0] is "not inlined" */
    CW_VEC(const char *) callees;   /* keys, interned */
    CW_VEC(const char *) texts;     /* interned */
    uint32_t bails[CW_NBAILS];
    /* Kernel analyses attach here (cfg/cfg.h); NULL until computed. Owned by the arena. */
    struct cw_cfg *cfg;
    struct cw_kept_bases *kept_bases; /* uniformity/alias.h */
    /* Of a host function: its objects that are tables of constants, and of each the value that alone is stored to it
     * (launch/host_arrays.h). NULL until computed. */
    struct cw_bitset *constant_tables;
    cw_ref *only_stored;
    struct cw_map const_index, loc_index, text_index; /* internal: deduplication */
    struct cw_map object_index, callee_index;         /* internal: deduplication by interned key */
};

/* A device function, kernel or launch the scan saw, and what became of it. */
enum cw_fate { CW_FATE_ANALYSED, CW_FATE_DEGRADED, CW_FATE_LOST };

struct cw_seen {
    const char *name;
    struct cw_span span;
    bool is_kernel;
    enum cw_fate fate;
    const char *reason; /* when not ANALYSED */
};

/* A parsed preprocessor include that could not be found, a parse error, …: kept for `--statistics` and `-v`. */
struct cw_parse_note {
    struct cw_span span;
    bool is_error;
    const char *text;
};

/* Instances of templates that nothing in the unit instantiates, for another parse of it. */
struct cw_text_range {
    const char *path;
    uint32_t from, to; /* bytes, `to` behind the last */
};
struct cw_left_out {
    const char *key, *pattern; /* of an instance of a kernel that is not lowered, and of its template */
};
struct cw_assumed {
    const char *text;                /* to be appended to the main file; NULL: there is nothing to assume */
    CW_VEC(const char *) patterns;   /* keys of the kernel templates without an instance of the unit's own */
    uint32_t round;                  /* how many such texts there were before */
    bool is_awaited;                 /* the module holds no functions: that parse is to take its place */
    const char *declarations;        /* behind the text: of instances that get no body, as they are not lowered; NULL */
    CW_VEC(struct cw_left_out) left_out; /* these */
    /* Bodies of kernel templates, where so many instances are to come that a parse without these is to tell first which
     * of them need one. */
    CW_VEC(struct cw_text_range) bodies;
};

/* The callee of a LAUNCH whose kernel is known by its address only; no function has this key. */
#define CW_LAUNCH_BY_POINTER "*"

/* The operands of a LAUNCH before the kernel's arguments: grid, block, dynamic shared memory. */
enum { CW_LAUNCH_ARGS = 7, CW_LAUNCH_ATTRIBUTES = 2 };

/* The text of a PURE that is the kernel which a module has by the name at its operand; the name is an object whose key
 * begins with CW_STRING_KEY where the source writes it. */
#define CW_KERNEL_BY_NAME "kernel by name"
#define CW_STRING_KEY "string:"

/* Everything one translation unit gave. */
/* A LAUNCH in a function that has been made ready for reading (launch/launch.h). */
struct cw_module_launch {
    const struct cw_fn *host;
    uint32_t ins;
    const char *callee, *pattern; /* keys: of the kernel, and of the template that it instantiates or NULL */
    const struct cw_address_path *path; /* where the kernel is one of several by its address, else NULL */
};

/* How a variable came to hold the address of one kernel among several: the ways into the joins, and of the selects,
 * that led there. A way of a join is the number of the phi's operand, of a select 0 or 1 for its condition. */
enum { CW_ADDRESS_STEPS = 4 };
struct cw_address_step { uint32_t ins, way; };
struct cw_address_path {
    struct cw_address_step at[CW_ADDRESS_STEPS];
    uint32_t n;
};

/* Keys of the functions that a call may run, each of the module. */
struct cw_call_targets {
    const char **at;
    uint32_t n, cap;
};

struct cw_module {
    struct cw_arena *arena;
    struct cw_intern names;
    CW_VEC(const char *) files; /* files[0] is the main file, as the user named it */
    CW_VEC(struct cw_fn *) fns; /* kernels, device functions, host functions that launch */
    struct cw_map fn_by_key;    /* interned key -> struct cw_fn* */
    struct cw_taken_functions *taken; /* see callee_syncs.c; NULL until asked for */
    CW_VEC(const char *) taken_keys;  /* of functions whose address a variable of the file is initialised with */
    struct cw_kernel_names *kernel_names; /* see launch/named_kernels.h; NULL until read */
    struct cw_map call_targets; /* name of an OPCALL, by identity -> struct cw_call_targets*: a virtual method's */
    struct cw_map patterns;     /* key of a kernel's instance that is launched -> key of its template, both interned */
    struct cw_condensed_functions *condensed; /* see condense.c; NULL until asked for */
    CW_VEC(struct cw_module_launch) launches; /* in the order of functions, blocks and instructions */
    CW_VEC(struct cw_seen) seen;
    CW_VEC(struct cw_parse_note) notes;
    uint64_t searched_bytes;     /* of files, once more, for what errors dropped from the tree */
    uint32_t left_out;          /* instances of device functions that were not lowered, as enough others were */
    struct cw_assumed assumed;
    CW_VEC(const char *) reads; /* files that were opened for it: the main file, headers; not those built in */
    CW_VEC(const char *) made_reads; /* the same of headers that a build makes and that are made in memory */
    CW_VEC(const char *) warnings; /* of what the unit is read without; one line each */
    bool declares_missing; /* names that no header gives were declared: code around them may still be lost */
};

void cw_module_init(struct cw_module *m, struct cw_arena *a);
struct cw_fn *cw_module_find(const struct cw_module *m, const char *key); /* key need not be interned */
struct cw_fn_list { const struct cw_fn **at; uint32_t n, cap; };
/* Appends to `reached` what `from` calls, directly or not, but what `seen` (function -> 1) has already; `from` itself
 * only where it is among them. Breadth first, each function once. Both live in `a`. Cost: linear in the calls. */
void cw_module_reach(const struct cw_module *m, const struct cw_fn *from, struct cw_map *seen,
                     struct cw_fn_list *reached, struct cw_arena *a);
uint32_t cw_module_file(struct cw_module *m, const char *path);           /* index, added when new */

/* ---- facts about operations and types ---- */
const char *cw_op_text(enum cw_op op);
int cw_op_operands(enum cw_op op);
unsigned cw_op_flags(enum cw_op op);

/* Does it compare two integers or pointers? */
static inline bool cw_is_compare(enum cw_op op) {
    return op >= CW_OP_EQ && op <= CW_OP_UGE;
}
/* Does it change the width of an integer and nothing else, or not even that? */
static inline bool cw_is_cast(enum cw_op op) {
    return op == CW_OP_SEXT || op == CW_OP_ZEXT || op == CW_OP_TRUNC || op == CW_OP_COPY;
}
/* blockIdx.x, .y or .z */
static inline bool cw_is_block_index(cw_ref ref) {
    return ref.tag == CW_REF_SREG && ref.index >= CW_CTAID_X && ref.index <= CW_CTAID_Z;
}

const char *cw_type_text(enum cw_type t);
unsigned cw_type_bits(enum cw_type t); /* 0 for VOID and AGG */
bool cw_type_is_int(enum cw_type t);
bool cw_type_is_float(enum cw_type t);
const char *cw_bail_text(enum cw_bail b);
const char *cw_sreg_text(enum cw_sreg r);   /* IR text: "tid.x" */
const char *cw_sreg_cuda(enum cw_sreg r);   /* for people: "threadIdx.x" */

/* `value` cut to the type's width and sign-extended again (i1: 0 or 1); floats, void and agg come back unchanged. */
int64_t cw_type_wrap(enum cw_type t, int64_t value);
uint32_t cw_type_bytes(enum cw_type t); /* in memory: i1 and i8 take 1; 0 for VOID and AGG */
const char *cw_space_text(enum cw_space s);   /* "shared" */
const char *cw_origin_text(enum cw_origin o); /* IR text: "if" */
const char *cw_bail_id(enum cw_bail b);       /* IR text: "unknown_call" */
/* IR text of an enumerator that an operation keeps in aux ("down" of a SHFL, "tile" of a GROUP); NULL when the op's aux
 * is not an enumeration or the value is out of range. For ATOMIC: the operation only, not the scope. */
const char *cw_aux_text(enum cw_op op, uint32_t aux);
const char *cw_scope_text(enum cw_scope s);
const char *cw_memory_order_text(enum cw_memory_order order);

/* ---- reading a function ---- */
static inline struct cw_ins *cw_ins_of(const struct cw_fn *fn, cw_ref ref) {
    return ref.tag == CW_REF_INS ? &fn->ins.at[ref.index] : NULL;
}
static inline cw_ref cw_arg(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t k) {
    return fn->args.at[ins->arg + k];
}
static inline cw_ref cw_ref_ins(uint32_t index) {
    return cw_ref_of(CW_REF_INS, index);
}
enum cw_type cw_ref_type(const struct cw_fn *fn, cw_ref r);
bool cw_ref_const(const struct cw_fn *fn, cw_ref r, int64_t *value); /* true for integer constants */
/* Do at most `depth` pure operations lead from blockIdx to the value? Cost: the operations behind it, each as often as
 * it is used. */
bool cw_rests_on_block_index(const struct cw_fn *fn, cw_ref value, uint32_t depth);

/* ---- building (ir/build.c) ---- */
struct cw_fn *cw_fn_new(struct cw_module *m, enum cw_fn_kind kind, const char *name, const char *key);
uint32_t cw_fn_add_block(struct cw_fn *fn);
cw_ref cw_fn_const(struct cw_fn *fn, enum cw_type t, int64_t value); /* deduplicated; value truncated to the type */
cw_ref cw_fn_undef(enum cw_type t);
uint32_t cw_fn_add_loc(struct cw_fn *fn, struct cw_loc loc);         /* deduplicated */
uint32_t cw_fn_add_text(struct cw_fn *fn, const char *text);         /* deduplicated, interned */
uint32_t cw_fn_add_callee(struct cw_fn *fn, const char *key);
cw_ref cw_fn_add_object(struct cw_fn *fn, struct cw_object o);       /* one with an equal non-NULL key is reused */
cw_ref cw_fn_add_param(struct cw_fn *fn, struct cw_param p);
cw_ref cw_fn_add_tparam(struct cw_fn *fn, struct cw_param p);
/* Appends an instruction to a block; operands are copied. Counts the bail reason of OPAQUE and OPCALL. */
cw_ref cw_fn_emit(struct cw_fn *fn, uint32_t block, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                  uint32_t narg, uint32_t loc);
/* The kernel requires clusters of these sizes, from x on; those that are not given are 1. False, and nothing changes,
 * when `n` is 0 or a size is impossible. */
bool cw_fn_require_cluster(struct cw_fn *fn, const int64_t *size, uint32_t n);
void cw_fn_jump(struct cw_fn *fn, uint32_t block, uint32_t target, uint32_t loc, enum cw_origin origin);
void cw_fn_branch(struct cw_fn *fn, uint32_t block, cw_ref cond, uint32_t yes, uint32_t no, uint32_t loc,
                  enum cw_origin origin);
/* cases: n values; succ: n + 1 blocks, the default last. */
void cw_fn_switch(struct cw_fn *fn, uint32_t block, cw_ref value, uint32_t n, const int64_t *cases,
                  const uint32_t *succ, uint32_t loc);
void cw_fn_return(struct cw_fn *fn, uint32_t block, cw_ref value, uint32_t loc);
void cw_fn_trap(struct cw_fn *fn, uint32_t block, uint32_t loc);
/* Recomputes every block's pred list from the jumps (a block that jumps twice to one target is listed twice).
 * Before SSA only: later passes keep preds and PHI operands in step themselves. */
void cw_fn_link_preds(struct cw_fn *fn);

/* ---- text form ---- */
struct cw_buf;
void cw_module_print(const struct cw_module *m, struct cw_buf *out);
void cw_fn_print(const struct cw_fn *fn, struct cw_buf *out);
/* One reference as the function's text form calls it ("%i.12", "$tile", "tid.x", "64"), and one instruction without its
 * location, for the dumps of analyses. */
void cw_ref_print(const struct cw_fn *fn, cw_ref r, struct cw_buf *out);
void cw_ins_print(const struct cw_fn *fn, uint32_t index, struct cw_buf *out);
/* Reads what the printer wrote. NULL and *error (arena text with a line number) when malformed. */
struct cw_module *cw_module_parse(struct cw_arena *a, const char *text, size_t n, const char **error);

/* ---- passes ---- */
/* NULL when the function is well-formed, else what is wrong (arena text). */
const char *cw_fn_verify(const struct cw_fn *fn);

/* Makes calls of the function by itself in tail position a loop; true when there was one. requires: a lowered function,
 * without PHIs, that nothing was inlined into. computes: linked preds where it returns true. */
bool cw_tail_calls(struct cw_fn *fn);

/* requires: lowered functions. computes: a copy of `root` into `into`'s module arena with calls of module functions
 * inlined up to the budget, shared objects merged by key, inline stacks in locs. preserves: the callees.
 * Recursion, depth > 128 or more than `max_ins` instructions leave an OPCALL with a counted reason. It says what is
 * known of the callee: whether it synchronises, and as further operands the objects that it may access on its own. */
struct cw_fn *cw_inline(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins);

/* The same with callees as cw_condensed() has them (ir/condense.h): for what does not fit otherwise. Code that neither
 * the caller nor its callees need is gone, with its reasons for not knowing; variables of callees have no objects. */
struct cw_fn *cw_inline_condensed(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins);

/* The same with a NOTE of each argument of an inlined call, named after the parameter: for who wants to know what a
 * parameter is in all calls. No analysis is asked about such a function but its uniformity. */
struct cw_fn *cw_inline_noted(const struct cw_fn *root, struct cw_arena *a, uint32_t max_ins);

/* requires: cw_fn_link_preds. computes: SSA for every LOCAL object whose address does not escape and whose accesses
 * fall into disjoint constant (offset, size) fields; removes unreachable blocks. preserves: all other accesses. */
void cw_promote(struct cw_fn *fn);

/* requires: SSA. computes: constant folding, copy and single-value phi removal, branch folding, dead pure code removal,
 * local value numbering of pure ops. Keeps names and locations. */
void cw_simplify(struct cw_fn *fn);

/* requires: a lowered or inlined function. computes: cw_fn_link_preds (before SSA), then promote and simplify in turn
 * until neither finds more (at most 3 rounds: folding an index can make an array promotable). With CUWARP_VERIFY each
 * pass is verified. preserves: effects, in order. */
void cw_optimize(struct cw_fn *fn);

/* Integer semantics of an op on constants, one place for folding and evaluation. Arguments and *result are
 * sign-extended from `type`'s width (`type` is that of the operands). False when undefined (division by zero, shift
 * past the width) or not an integer op. */
bool cw_fold(enum cw_op op, enum cw_type type, enum cw_type result_type, const int64_t *args, int64_t *result);

/* The value of a PURE operation with that name, for those on f32 and f64 whose result every implementation agrees on:
 * arithmetic, comparisons, conversions, rounding, sqrt. Floats are bit patterns of doubles. False for all others. */
bool cw_fold_pure(const char *name, const enum cw_type *types, enum cw_type result, const int64_t *args, uint32_t n,
                  int64_t *out);

/* cw_fold() for many threads at once: an operand's element t is at[t & mask], so that one value may stand for all.
 * Knows the common operations on 32- and 64-bit integers, whose rows a compiler can vectorise; false: ask cw_fold()
 * for each, and out[] holds nothing. */
struct cw_row {
    const int64_t *at;
    uint32_t mask; /* 0 or ~0 */
};
bool cw_fold_row(enum cw_op op, enum cw_type type, enum cw_type result_type, const struct cw_row *args, uint32_t nargs,
                 uint32_t n, int64_t *out);

#endif
