/* Building functions: tables with deduplication, instructions, jumps. */
#include "ir/ir.h"

#include "base/hash.h"
#include "base/require.h"
#include "ir/edit.h"

#include <string.h>

enum {
    MAX_INDEX = 1 << 28, /* what fits cw_ref.index */
    MOST_BLOCKS_OF_CLUSTER = 1024
};

static const char *intern_name(struct cw_fn *fn, const char *text) {
    return text ? cw_intern(&fn->module->names, text) : NULL;
}

struct cw_fn *cw_fn_bare(struct cw_module *m, struct cw_arena *a, const char *name, const char *key) {
    struct cw_fn *fn = CW_NEW(a, struct cw_fn);
    fn->arena = a;
    fn->module = m;
    fn->name = cw_intern(&m->names, name);
    fn->key = cw_intern(&m->names, key);
    cw_map_init(&fn->const_index, a);
    cw_map_init(&fn->loc_index, a);
    cw_map_init(&fn->text_index, a);
    cw_map_init(&fn->object_index, a);
    cw_map_init(&fn->callee_index, a);
    cw_vec_push(a, &fn->locs, (struct cw_loc){0});
    cw_vec_push(a, &fn->sites, (struct cw_site){0});
    return fn;
}

struct cw_fn *cw_fn_new(struct cw_module *m, enum cw_fn_kind kind, const char *name, const char *key) {
    struct cw_fn *fn = cw_fn_bare(m, m->arena, name, key);
    fn->kind = kind;
    cw_vec_push(m->arena, &m->fns, fn);
    cw_map_put(&m->fn_by_key, (uint64_t)(uintptr_t)fn->key, (uint64_t)(uintptr_t)fn);
    return fn;
}

uint32_t cw_fn_add_block(struct cw_fn *fn) {
    cw_require(fn->blocks.n < MAX_INDEX);
    cw_vec_push(fn->arena, &fn->blocks, (struct cw_block){.unroll = -1});
    return fn->blocks.n - 1;
}

enum cw_type cw_ref_type(const struct cw_fn *fn, cw_ref ref) {
    switch ((enum cw_ref_tag)ref.tag) {
    case CW_REF_NONE: return CW_VOID;
    case CW_REF_INS: return (enum cw_type)fn->ins.at[ref.index].type;
    case CW_REF_CONST: return fn->consts.at[ref.index].type;
    case CW_REF_OBJECT: return CW_PTR;
    case CW_REF_PARAM: return fn->params.at[ref.index].type;
    case CW_REF_TPARAM: return fn->tparams.at[ref.index].type;
    case CW_REF_SREG: return CW_I32;
    case CW_REF_UNDEF: return (enum cw_type)ref.index;
    }
    return CW_VOID;
}

bool cw_ref_const(const struct cw_fn *fn, cw_ref ref, int64_t *value) {
    if (ref.tag != CW_REF_CONST || !cw_type_is_int(fn->consts.at[ref.index].type))
        return false;
    if (value)
        *value = fn->consts.at[ref.index].value;
    return true;
}

bool cw_rests_on_block_index(const struct cw_fn *fn, cw_ref value, uint32_t depth) {
    if (cw_is_block_index(value))
        return true;
    const struct cw_ins *i = cw_ins_of(fn, value);
    if (!i || depth == 0 || !(cw_op_flags((enum cw_op)i->op) & CW_OP_P))
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (cw_rests_on_block_index(fn, cw_arg(fn, i, k), depth - 1))
            return true;
    return false;
}

cw_ref cw_fn_const(struct cw_fn *fn, enum cw_type type, int64_t value) {
    struct cw_const c = {.type = type, .value = cw_type_wrap(type, value)};
    uint64_t key = cw_hash(&c.value, sizeof c.value, (uint64_t)type), found;
    if (cw_map_get(&fn->const_index, key, &found)) {
        const struct cw_const *have = &fn->consts.at[found];
        if (have->type == type && have->value == c.value)
            return cw_ref_of(CW_REF_CONST, (uint32_t)found);
    }
    cw_require(fn->consts.n < MAX_INDEX);
    cw_map_put(&fn->const_index, key, fn->consts.n);
    cw_vec_push(fn->arena, &fn->consts, c);
    return cw_ref_of(CW_REF_CONST, fn->consts.n - 1);
}

cw_ref cw_fn_undef(enum cw_type type) {
    return cw_ref_of(CW_REF_UNDEF, type);
}

static bool same_loc(const struct cw_loc *loc, const struct cw_loc *other) {
    return memcmp(&loc->span, &other->span, sizeof loc->span) == 0 && loc->site == other->site &&
           loc->macro == other->macro;
}

uint32_t cw_fn_add_loc(struct cw_fn *fn, struct cw_loc loc) {
    loc.macro = intern_name(fn, loc.macro);
    if (same_loc(&loc, &fn->locs.at[0]))
        return 0;
    uint64_t key = cw_hash(&loc.span, sizeof loc.span, loc.site ^ (uint64_t)(uintptr_t)loc.macro), found;
    if (cw_map_get(&fn->loc_index, key, &found) && same_loc(&fn->locs.at[found], &loc))
        return (uint32_t)found;
    cw_map_put(&fn->loc_index, key, fn->locs.n);
    cw_vec_push(fn->arena, &fn->locs, loc);
    return fn->locs.n - 1;
}

uint32_t cw_fn_add_text(struct cw_fn *fn, const char *text) {
    text = intern_name(fn, text ? text : "");
    uint64_t key = (uint64_t)(uintptr_t)text, found;
    if (cw_map_get(&fn->text_index, key, &found))
        return (uint32_t)found;
    cw_map_put(&fn->text_index, key, fn->texts.n);
    cw_vec_push(fn->arena, &fn->texts, text);
    return fn->texts.n - 1;
}

uint32_t cw_fn_add_callee(struct cw_fn *fn, const char *callee_key) {
    callee_key = intern_name(fn, callee_key ? callee_key : "");
    uint64_t key = (uint64_t)(uintptr_t)callee_key, found;
    if (cw_map_get(&fn->callee_index, key, &found))
        return (uint32_t)found;
    cw_map_put(&fn->callee_index, key, fn->callees.n);
    cw_vec_push(fn->arena, &fn->callees, callee_key);
    return fn->callees.n - 1;
}

/* Two declarations of one object (`extern __shared__` in two functions): what one leaves open the other may know. */
static void merge_object(struct cw_object *have, const struct cw_object *more) {
    if (have->size == 0)
        have->size = more->size;
    if (have->align < more->align)
        have->align = more->align;
    if (have->element == 0)
        have->element = more->element;
    if (have->row != more->row)
        have->row = 0;
    have->is_volatile |= more->is_volatile;
}

cw_ref cw_fn_add_object(struct cw_fn *fn, struct cw_object object) {
    object.name = intern_name(fn, object.name);
    object.key = intern_name(fn, object.key);
    object.type_text = intern_name(fn, object.type_text);
    uint64_t found;
    if (object.key && cw_map_get(&fn->object_index, (uint64_t)(uintptr_t)object.key, &found)) {
        merge_object(&fn->objects.at[found], &object);
        return cw_ref_of(CW_REF_OBJECT, (uint32_t)found);
    }
    cw_require(fn->objects.n < MAX_INDEX);
    if (object.key)
        cw_map_put(&fn->object_index, (uint64_t)(uintptr_t)object.key, fn->objects.n);
    cw_vec_push(fn->arena, &fn->objects, object);
    return cw_ref_of(CW_REF_OBJECT, fn->objects.n - 1);
}

cw_ref cw_fn_add_param(struct cw_fn *fn, struct cw_param param) {
    param.name = intern_name(fn, param.name);
    cw_vec_push(fn->arena, &fn->params, param);
    return cw_ref_of(CW_REF_PARAM, fn->params.n - 1);
}

cw_ref cw_fn_add_tparam(struct cw_fn *fn, struct cw_param param) {
    param.name = intern_name(fn, param.name);
    cw_vec_push(fn->arena, &fn->tparams, param);
    return cw_ref_of(CW_REF_TPARAM, fn->tparams.n - 1);
}

uint32_t cw_fn_new_ins(struct cw_fn *fn, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                       uint32_t narg, uint32_t loc) {
    cw_require(fn->ins.n < MAX_INDEX && (narg == 0 || args));
    struct cw_ins i = {.op = (uint8_t)op, .type = (uint8_t)type, .aux = aux, .loc = loc};
    i.arg = fn->args.n;
    i.narg = narg;
    for (uint32_t k = 0; k < narg; k++)
        cw_vec_push(fn->arena, &fn->args, args[k]);
    cw_vec_push(fn->arena, &fn->ins, i);
    return fn->ins.n - 1;
}

cw_ref cw_fn_emit(struct cw_fn *fn, uint32_t block, enum cw_op op, enum cw_type type, uint32_t aux, const cw_ref *args,
                  uint32_t narg, uint32_t loc) {
    cw_require(block < fn->blocks.n && op != CW_OP_HOLE && op < CW_NOPS);
    uint32_t index = cw_fn_new_ins(fn, op, type, aux, args, narg, loc);
    fn->ins.at[index].block = block;
    cw_vec_push(fn->arena, &fn->blocks.at[block].ins, index);
    if (op == CW_OP_OPAQUE || op == CW_OP_OPCALL)
        fn->bails[aux < CW_NBAILS ? aux : CW_BAIL_NONE]++;
    return cw_ref_ins(index);
}

static struct cw_jump *set_jump(struct cw_fn *fn, uint32_t block, enum cw_jump_kind kind, uint32_t nsucc,
                                uint32_t loc) {
    cw_require(block < fn->blocks.n);
    struct cw_jump *j = &fn->blocks.at[block].jump;
    *j = (struct cw_jump){.kind = kind, .nsucc = nsucc, .loc = loc};
    j->succ = nsucc ? CW_NEW_ARRAY(fn->arena, uint32_t, nsucc) : NULL;
    return j;
}

bool cw_fn_require_cluster(struct cw_fn *fn, const int64_t *size, uint32_t n) {
    uint32_t cluster[3] = {1, 1, 1};
    for (uint32_t d = 0; d < n && d < 3; d++) {
        if (size[d] < 1 || size[d] > MOST_BLOCKS_OF_CLUSTER)
            return false;
        cluster[d] = (uint32_t)size[d];
    }
    if (n)
        memcpy(fn->reqd_cluster, cluster, sizeof cluster);
    return n > 0;
}

void cw_fn_jump(struct cw_fn *fn, uint32_t block, uint32_t target, uint32_t loc, enum cw_origin origin) {
    struct cw_jump *j = set_jump(fn, block, CW_JUMP_GOTO, 1, loc);
    j->origin = origin;
    j->succ[0] = target;
}

void cw_fn_branch(struct cw_fn *fn, uint32_t block, cw_ref cond, uint32_t yes, uint32_t no, uint32_t loc,
                  enum cw_origin origin) {
    struct cw_jump *j = set_jump(fn, block, CW_JUMP_BRANCH, 2, loc);
    j->origin = origin;
    j->value = cond;
    j->succ[0] = yes;
    j->succ[1] = no;
}

void cw_fn_switch(struct cw_fn *fn, uint32_t block, cw_ref value, uint32_t n, const int64_t *cases,
                  const uint32_t *succ, uint32_t loc) {
    struct cw_jump *j = set_jump(fn, block, CW_JUMP_SWITCH, n + 1, loc);
    j->origin = CW_FROM_SWITCH;
    j->value = value;
    memcpy(j->succ, succ, sizeof *succ * (n + 1));
    j->cases = CW_NEW_ARRAY(fn->arena, int64_t, n + 1);
    if (n)
        memcpy(j->cases, cases, sizeof *cases * n);
}

void cw_fn_return(struct cw_fn *fn, uint32_t block, cw_ref value, uint32_t loc) {
    struct cw_jump *j = set_jump(fn, block, CW_JUMP_RETURN, 0, loc);
    j->origin = CW_FROM_RETURN;
    j->value = value;
}

void cw_fn_trap(struct cw_fn *fn, uint32_t block, uint32_t loc) {
    set_jump(fn, block, CW_JUMP_TRAP, 0, loc);
}

void cw_fn_link_preds(struct cw_fn *fn) {
    for (uint32_t b = 0; b < fn->blocks.n; b++)
        fn->blocks.at[b].pred.n = 0;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_jump *j = &fn->blocks.at[b].jump;
        for (uint32_t s = 0; s < j->nsucc; s++)
            cw_vec_push(fn->arena, &fn->blocks.at[j->succ[s]].pred, b);
    }
}
