#include "ir/text.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum cw_type cw_text_result_type(enum cw_op op) {
    if (cw_is_compare(op))
        return CW_I1;
    switch (op) {
    case CW_OP_ELECT: return CW_I1;
    case CW_OP_PTRADD: case CW_OP_INTTOPTR: case CW_OP_MATRIXPTR: return CW_PTR;
    case CW_OP_PTRTOINT: case CW_OP_MBARARRIVE: return CW_I64;
    case CW_OP_POPC: case CW_OP_FFS: case CW_OP_CLZ: case CW_OP_VOTE: case CW_OP_MATCH: case CW_OP_ACTIVEMASK:
    case CW_OP_WGMMA: case CW_OP_GROUPRANK: case CW_OP_GROUPSIZE: case CW_OP_GROUPMETARANK:
    case CW_OP_GROUPMETASIZE: return CW_I32;
    case CW_OP_GROUP: return CW_GROUP;
    default: return CW_VOID;
    }
}

static enum cw_type or_i32(enum cw_type type) {
    return type == CW_VOID ? CW_I32 : type;
}

static enum cw_type memory_operand(enum cw_op op, enum cw_type result, uint32_t k) {
    switch (op) {
    case CW_OP_PTRADD: return k == 0 ? CW_PTR : CW_I64;
    case CW_OP_STORE: return k == 0 ? CW_I32 : CW_PTR;
    case CW_OP_MEMSET: return k == 0 ? CW_PTR : CW_I8;
    case CW_OP_ATOMIC: return k == 0 ? CW_PTR : or_i32(result);
    case CW_OP_ASYNCCOPY: return k == 2 ? CW_I64 : CW_PTR;
    default: return CW_PTR;
    }
}

enum cw_type cw_text_operand_type(enum cw_op op, enum cw_type result, uint32_t k) {
    if (op >= CW_OP_ADD && op <= CW_OP_BREV && op != CW_OP_POPC && op != CW_OP_FFS && op != CW_OP_CLZ)
        return or_i32(result);
    switch (op) {
    case CW_OP_SELECT: return k == 0 ? CW_I1 : or_i32(result);
    case CW_OP_COPY: case CW_OP_PHI: return or_i32(result);
    case CW_OP_ASSUME: return CW_I1;
    case CW_OP_INTTOPTR: case CW_OP_MATRIXPTR: return CW_I64;
    case CW_OP_WGMMA: return k < 2 ? CW_PTR : CW_I32;
    case CW_OP_PTRADD: case CW_OP_LOAD: case CW_OP_STORE: case CW_OP_MEMCOPY: case CW_OP_MEMSET: case CW_OP_ATOMIC:
    case CW_OP_ASYNCCOPY: return memory_operand(op, result, k);
    case CW_OP_SHFL: case CW_OP_REDUX: case CW_OP_SCAN: return k == 1 ? or_i32(result) : CW_I32;
    default: return CW_I32;
    }
}

enum cw_origin cw_text_origin(enum cw_jump_kind kind) {
    return kind == CW_JUMP_RETURN ? CW_FROM_RETURN : kind == CW_JUMP_SWITCH ? CW_FROM_SWITCH : CW_FROM_NONE;
}

bool cw_text_is_mask(enum cw_op op, uint32_t k) {
    return k == 0 && (cw_op_flags(op) & CW_OP_C) && op != CW_OP_FRAGLOAD && op != CW_OP_FRAGSTORE;
}

const char *cw_text_flag(unsigned bit) {
    static const char *const names[] = {"volatile",      "legacy",   "cooperative", "aligned",    "default_mask",
                                        "default_width", "implicit", "readonly",    "superseded", "syncfree",
                                        "syncs",         "proxy",    "attributes",  "how"};
    return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

bool cw_text_is_plain(const char *text) {
    if (!text || !(isalpha((unsigned char)text[0]) || text[0] == '_'))
        return false;
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            return false;
    return true;
}

const char *cw_text_default_key(enum cw_space space, const char *name) {
    switch (space) {
    case CW_SPACE_DYNSHARED: return "dynshared";
    case CW_SPACE_SHARED: case CW_SPACE_GLOBAL: case CW_SPACE_CONSTANT: return name;
    default: return NULL;
    }
}
