/* Runs lowered functions of one thread on real memory: what a front end made must compute what the source says.
 *
 * Works before and after promotion. Integers, pointers (host addresses) and floats; anything unknown or of several
 * threads stops the run, which counts as a failure of the test. */
#ifndef CW_TESTS_IR_INTERP_H
#define CW_TESTS_IR_INTERP_H

#include "ir/ir.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct interp {
    struct cw_arena *arena;
    const struct cw_module *module;
    uint64_t steps;
    int depth;
    const char *stuck; /* why the run ended early */
    struct cw_map shared; /* key -> memory */
    int64_t sreg[CW_NSREGS];
};

struct interp_frame {
    const struct cw_fn *fn;
    int64_t *ins;
    const int64_t *params;
    char **objects;
};

static void interp_stuck(struct interp *in, const char *why) {
    if (!in->stuck)
        in->stuck = why;
}

static double interp_float(enum cw_type t, int64_t bits) {
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    if (t == CW_F32) {
        memcpy(&f, &low, 4);
        return f;
    }
    memcpy(&d, &bits, 8);
    return d;
}

static int64_t interp_bits(enum cw_type t, double value) {
    int64_t bits = 0;
    float f = (float)value;
    if (t == CW_F32)
        memcpy(&bits, &f, 4);
    else
        memcpy(&bits, &value, 8);
    return bits;
}

static char *interp_object(struct interp *in, struct interp_frame *f, uint32_t index) {
    const struct cw_object *o = &f->fn->objects.at[index];
    uint64_t found;
    if (f->objects[index])
        return f->objects[index];
    if (o->key && cw_map_get(&in->shared, (uint64_t)(uintptr_t)o->key, &found))
        return f->objects[index] = (char *)(uintptr_t)found;
    char *at = cw_arena_alloc(in->arena, o->size ? o->size : 65536);
    memset(at, 0xa5, o->size ? o->size : 65536);
    if (o->key)
        cw_map_put(&in->shared, (uint64_t)(uintptr_t)o->key, (uint64_t)(uintptr_t)at);
    return f->objects[index] = at;
}

static int64_t interp_value(struct interp *in, struct interp_frame *f, cw_ref r) {
    switch ((enum cw_ref_tag)r.tag) {
    case CW_REF_INS: return f->ins[r.index];
    case CW_REF_CONST: {
        const struct cw_const *c = &f->fn->consts.at[r.index];
        double d;
        if (!cw_type_is_float(c->type))
            return c->value;
        memcpy(&d, &c->value, 8);
        return interp_bits(c->type, d);
    }
    case CW_REF_OBJECT: return (int64_t)(intptr_t)interp_object(in, f, r.index);
    case CW_REF_PARAM: return f->params[r.index];
    case CW_REF_SREG: return in->sreg[r.index];
    case CW_REF_UNDEF: return 0x5a5a5a5a;
    default: interp_stuck(in, "operand without a value"); return 0;
    }
}

static int64_t interp_read(const char *at, uint32_t bytes, enum cw_type t) {
    int64_t value = 0;
    memcpy(&value, at, bytes <= 8 ? bytes : 8);
    return cw_type_is_int(t) ? cw_type_wrap(t, value) : value;
}

static int64_t interp_pure(struct interp *in, struct interp_frame *f, const struct cw_ins *i) {
    const char *name = f->fn->texts.at[i->aux];
    cw_ref a = i->narg ? cw_arg(f->fn, i, 0) : CW_NONE, b = i->narg > 1 ? cw_arg(f->fn, i, 1) : CW_NONE;
    enum cw_type ta = cw_ref_type(f->fn, a), to = (enum cw_type)i->type;
    int64_t x = i->narg ? interp_value(in, f, a) : 0;
    double u = cw_type_is_float(ta) ? interp_float(ta, x) : 0;
    double v = i->narg > 1 ? interp_float(ta, interp_value(in, f, b)) : 0, r;
    if (strncmp(name, "c:", 2) == 0)
        return (int64_t)(intptr_t)name; /* a function's address */
    if (strcmp(name, "signed") == 0)
        return interp_bits(to, (double)x);
    if (strcmp(name, "unsigned") == 0)
        return interp_bits(to, (double)((uint64_t)x & (UINT64_MAX >> (64 - cw_type_bits(ta)))));
    if (strcmp(name, "to signed") == 0 || strcmp(name, "to unsigned") == 0)
        return cw_type_wrap(to, u < 0 ? (int64_t)u : (int64_t)(uint64_t)u);
    if (strcmp(name, "convert") == 0)
        return interp_bits(to, u);
    if (strcmp(name, "bool") == 0)
        return u != 0;
    static const char *const compare[] = {"==", "!=", "<", "<=", ">", ">="};
    const int results[] = {u == v, u != v, u < v, u <= v, u > v, u >= v};
    for (int k = 0; k < 6; k++)
        if (strcmp(name, compare[k]) == 0)
            return results[k];
    switch (name[0]) {
    case '+': r = u + v; break;
    case '-': r = i->narg > 1 ? u - v : -u; break;
    case '*': r = u * v; break;
    case '/': r = u / v; break;
    default: interp_stuck(in, name); return 0;
    }
    return interp_bits(to, r);
}

static int64_t interp_call(struct interp *in, const struct cw_fn *fn, const int64_t *params);

static int64_t interp_callee(struct interp *in, struct interp_frame *f, const struct cw_ins *i) {
    const struct cw_fn *fn = cw_module_find(in->module, f->fn->callees.at[i->aux]);
    int64_t *params = CW_NEW_ARRAY(in->arena, int64_t, i->narg);
    if (!fn || fn->params.n != i->narg) {
        interp_stuck(in, "call of a function that is not there");
        return 0;
    }
    for (uint32_t k = 0; k < i->narg; k++)
        params[k] = interp_value(in, f, cw_arg(f->fn, i, k));
    return interp_call(in, fn, params);
}

static int64_t interp_memory(struct interp *in, struct interp_frame *f, const struct cw_ins *i) {
    int64_t x = interp_value(in, f, cw_arg(f->fn, i, 0));
    int64_t y = i->narg > 1 ? interp_value(in, f, cw_arg(f->fn, i, 1)) : 0;
    switch ((enum cw_op)i->op) {
    case CW_OP_LOAD: return interp_read((char *)(intptr_t)x, i->aux, (enum cw_type)i->type);
    case CW_OP_STORE: memcpy((char *)(intptr_t)y, &x, i->aux <= 8 ? i->aux : 8); return 0;
    case CW_OP_MEMCOPY: memmove((char *)(intptr_t)x, (char *)(intptr_t)y, i->aux); return 0;
    default: memset((char *)(intptr_t)x, (int)y, i->aux); return 0;
    }
}

static int64_t interp_ins(struct interp *in, struct interp_frame *f, const struct cw_ins *i) {
    int64_t args[3] = {0}, result = 0;
    enum cw_type of = i->narg ? cw_ref_type(f->fn, cw_arg(f->fn, i, 0)) : CW_VOID;
    switch ((enum cw_op)i->op) {
    case CW_OP_LOAD:
    case CW_OP_STORE:
    case CW_OP_MEMCOPY:
    case CW_OP_MEMSET: return interp_memory(in, f, i);
    case CW_OP_PTRADD: return interp_value(in, f, cw_arg(f->fn, i, 0)) + interp_value(in, f, cw_arg(f->fn, i, 1));
    case CW_OP_PTRTOINT:
    case CW_OP_INTTOPTR:
    case CW_OP_COPY: return interp_value(in, f, cw_arg(f->fn, i, 0));
    case CW_OP_CALL: return interp_callee(in, f, i);
    case CW_OP_PURE: return interp_pure(in, f, i);
    case CW_OP_ASSUME: return 0;
    case CW_OP_SELECT:
        return interp_value(in, f, cw_arg(f->fn, i, interp_value(in, f, cw_arg(f->fn, i, 0)) ? 1 : 2));
    default: break;
    }
    for (uint32_t k = 0; k < i->narg && k < 3; k++)
        args[k] = interp_value(in, f, cw_arg(f->fn, i, k));
    if (of == CW_PTR && (i->op == CW_OP_EQ || i->op == CW_OP_NE))
        of = CW_I64;
    if (!cw_fold((enum cw_op)i->op, of, (enum cw_type)i->type, args, &result))
        interp_stuck(in, cw_op_text((enum cw_op)i->op));
    return result;
}

static uint32_t interp_next(struct interp *in, struct interp_frame *f, const struct cw_jump *j) {
    switch (j->kind) {
    case CW_JUMP_GOTO: return j->succ[0];
    case CW_JUMP_BRANCH: return interp_value(in, f, j->value) ? j->succ[0] : j->succ[1];
    case CW_JUMP_SWITCH: {
        int64_t v = interp_value(in, f, j->value);
        for (uint32_t k = 0; k + 1 < j->nsucc; k++)
            if (j->cases[k] == v)
                return j->succ[k];
        return j->succ[j->nsucc - 1];
    }
    default: interp_stuck(in, "trap"); return 0;
    }
}

static uint32_t interp_phis(struct interp *in, struct interp_frame *f, uint32_t block, uint32_t from) {
    const struct cw_block *b = &f->fn->blocks.at[block];
    uint32_t n = 0, which = 0;
    while (which < b->pred.n && b->pred.at[which] != from)
        which++;
    int64_t *values = CW_NEW_ARRAY(in->arena, int64_t, b->ins.n);
    while (n < b->ins.n && f->fn->ins.at[b->ins.at[n]].op == CW_OP_PHI) {
        values[n] = interp_value(in, f, cw_arg(f->fn, &f->fn->ins.at[b->ins.at[n]], which));
        n++;
    }
    for (uint32_t k = 0; k < n; k++)
        f->ins[b->ins.at[k]] = values[k];
    return n;
}

static int64_t interp_call(struct interp *in, const struct cw_fn *fn, const int64_t *params) {
    struct interp_frame f = {fn, CW_NEW_ARRAY(in->arena, int64_t, fn->ins.n + 1), params,
                             CW_NEW_ARRAY(in->arena, char *, fn->objects.n + 1)};
    uint32_t block = 0, from = 0;
    if (++in->depth > 200)
        interp_stuck(in, "recursion");
    while (!in->stuck) {
        const struct cw_block *b = &fn->blocks.at[block];
        for (uint32_t k = interp_phis(in, &f, block, from); k < b->ins.n && !in->stuck; k++)
            f.ins[b->ins.at[k]] = interp_ins(in, &f, &fn->ins.at[b->ins.at[k]]);
        if (++in->steps > 1000000)
            interp_stuck(in, "too many steps");
        if (b->jump.kind == CW_JUMP_RETURN) {
            in->depth--;
            return b->jump.value.tag == CW_REF_NONE ? 0 : interp_value(in, &f, b->jump.value);
        }
        from = block;
        block = interp_next(in, &f, &b->jump);
    }
    return 0;
}

static void interp_init(struct interp *in, struct cw_arena *a, const struct cw_module *m) {
    memset(in, 0, sizeof *in);
    in->arena = a;
    in->module = m;
    cw_map_init(&in->shared, a);
}

#endif
