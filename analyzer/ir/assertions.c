#include "ir/assertions.h"

#include "base/words.h"
#include "ir/edit.h"

#include <string.h>

enum { LONGEST_WORD = 24, MESSAGE_DEPTH = 6 /* parts of a message */ };

enum role { ROLE_NONE, ROLE_VERB, ROLE_AFTER, ROLE_EQ, ROLE_NE, ROLE_LT, ROLE_LE, ROLE_GT, ROLE_GE };

/* ---- names ---- */

static enum role role_of_word(const char *word) {
    static const struct {
        const char *word;
        enum role role;
    } words[] = {
#define CW_ASSERTION_WORD(word, role) {word, ROLE_##role},
#include "ir/assertion_words.def"
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(words[k].word, word))
            return words[k].role;
    return ROLE_NONE;
}

/* VERB: it checks a condition; EQ to GE: it compares; NONE: its name does not say that it checks what it is given. */
static enum role role_of_name(const char *name) {
    const char *at, *end = cw_bare_name(name, &at);
    enum role role = ROLE_NONE;
    char word[LONGEST_WORD];
    while (cw_next_word(&at, end, word, sizeof word)) {
        enum role next = role_of_word(word);
        if (next == ROLE_VERB)
            role = ROLE_VERB;
        else if (role != ROLE_NONE && next >= ROLE_EQ)
            role = next;
        else if (next != ROLE_AFTER)
            role = ROLE_NONE;
    }
    return role;
}

/* ---- conditions ---- */

/* The condition behind `bool` passed as a number. */
static cw_ref strip_extension(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    return i && i->op == CW_OP_ZEXT ? cw_arg(fn, i, 0) : ref;
}

static cw_ref first_condition(const struct cw_fn *fn, const struct cw_ins *call) {
    for (uint32_t k = 0; k < call->narg; k++) {
        cw_ref ref = strip_extension(fn, cw_arg(fn, call, k));
        enum cw_type type = cw_ref_type(fn, ref);
        if (ref.tag != CW_REF_UNDEF && type == CW_I1)
            return ref;
        if (type != CW_AGG) /* the unresolved callee itself comes first */
            return CW_NONE;
    }
    return CW_NONE;
}

/* `CHECK_EQ(a, b)`. Whether integers are compared as signed ones is not known of an unseen function: sizes are small
 * enough for both to be the same. */
static cw_ref first_comparison(struct cw_fn *fn, const struct cw_ins *call, enum role role) {
    static const struct {
        enum cw_op op;
        bool is_swapped;
    } ops[] = {[ROLE_EQ] = {CW_OP_EQ, false},  [ROLE_NE] = {CW_OP_NE, false},  [ROLE_LT] = {CW_OP_SLT, false},
               [ROLE_LE] = {CW_OP_SLE, false}, [ROLE_GT] = {CW_OP_SLT, true}, [ROLE_GE] = {CW_OP_SLE, true}};
    for (uint32_t k = 0; k + 1 < call->narg; k++) {
        cw_ref a = cw_arg(fn, call, k), b = cw_arg(fn, call, k + 1);
        enum cw_type type = cw_ref_type(fn, a);
        if (type == CW_AGG)
            continue;
        if (type != cw_ref_type(fn, b) || (type != CW_I32 && type != CW_I64) || a.tag == CW_REF_UNDEF ||
            b.tag == CW_REF_UNDEF)
            return CW_NONE;
        cw_ref args[2] = {ops[role].is_swapped ? b : a, ops[role].is_swapped ? a : b};
        return cw_ref_ins(cw_fn_new_ins(fn, ops[role].op, CW_I1, 0, args, 2, call->loc));
    }
    return CW_NONE;
}

/* ---- calls ---- */

enum use { UNUSED, USED_BY_CALLS, USED };

static enum use use_of_result(const struct cw_fn *fn, uint32_t call, uint32_t depth);

/* The `<<` behind `CHECK(n > 0) << "none"` is a call that nobody sees, or an unknown value that nobody uses. */
static bool is_message(const struct cw_fn *fn, uint32_t user, uint32_t depth) {
    enum cw_op op = fn->ins.at[user].op;
    bool is_value = op == CW_OP_OPAQUE || cw_op_flags(op) & CW_OP_P;
    return op == CW_OP_OPCALL || (is_value && depth > 0 && use_of_result(fn, user, depth - 1) != USED);
}

/* Who uses the result? */
static enum use use_of_result(const struct cw_fn *fn, uint32_t call, uint32_t depth) {
    enum use use = UNUSED;
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_vec_u32 *list = &fn->blocks.at[b].ins;
        for (uint32_t n = 0; n < list->n; n++) {
            const struct cw_ins *i = &fn->ins.at[list->at[n]];
            for (uint32_t k = 0; k < i->narg; k++) {
                if (!cw_ref_eq(cw_arg(fn, i, k), cw_ref_ins(call)))
                    continue;
                if (!is_message(fn, list->at[n], depth))
                    return USED;
                use = USED_BY_CALLS;
            }
        }
        if (cw_ref_eq(fn->blocks.at[b].jump.value, cw_ref_ins(call)))
            return USED;
    }
    return use;
}

static void move_behind(struct cw_fn *fn, uint32_t ins, uint32_t block) {
    fn->ins.at[ins].block = block;
    cw_vec_push(fn->arena, &fn->blocks.at[block].ins, ins);
}

/* Ends the call's block in front of it, with a branch to a trap; what stood behind it goes on in a block of its own. */
static void trap_unless(struct cw_fn *fn, uint32_t call, uint32_t position, cw_ref condition, bool keeps_call) {
    uint32_t block = fn->ins.at[call].block, loc = fn->ins.at[call].loc, rest = cw_fn_add_block(fn),
             dead = cw_fn_add_block(fn);
    uint32_t end = fn->blocks.at[block].ins.n;
    if (keeps_call) {
        fn->ins.at[call].flags |= CW_INS_SYNCFREE;
        fn->ins.at[call].name = NULL; /* its turn is over */
        move_behind(fn, call, rest);
    } else {
        cw_edit_remove(fn, call);
    }
    for (uint32_t n = position + 1; n < end; n++)
        move_behind(fn, fn->blocks.at[block].ins.at[n], rest);
    fn->blocks.at[block].ins.n = position;
    fn->blocks.at[rest].jump = fn->blocks.at[block].jump;
    fn->blocks.at[block].jump = (struct cw_jump){.kind = CW_JUMP_NONE};
    const struct cw_ins *compare = cw_ins_of(fn, condition);
    if (compare && condition.index == fn->ins.n - 1) /* made for it */
        move_behind(fn, condition.index, block);
    cw_fn_branch(fn, block, condition, rest, dead, loc, CW_FROM_ASSERT);
    cw_fn_trap(fn, dead, loc);
}

static bool lower_call(struct cw_fn *fn, uint32_t block, uint32_t position) {
    uint32_t call = fn->blocks.at[block].ins.at[position];
    const struct cw_ins i = fn->ins.at[call];
    enum role role = i.op == CW_OP_OPCALL && i.name ? role_of_name(i.name) : ROLE_NONE;
    enum use use = role == ROLE_NONE ? USED : use_of_result(fn, call, MESSAGE_DEPTH);
    if (use == USED || fn->blocks.at[block].jump.kind == CW_JUMP_NONE)
        return false;
    cw_ref condition = role == ROLE_VERB ? first_condition(fn, &i) : first_comparison(fn, &i, role);
    if (condition.tag == CW_REF_NONE)
        return false;
    trap_unless(fn, call, position, condition, use == USED_BY_CALLS);
    return true;
}

void cw_fn_lower_assertions(struct cw_fn *fn) {
    for (uint32_t b = 0; b < fn->blocks.n; b++) /* blocks that are added get their turn */
        for (uint32_t n = 0; n < fn->blocks.at[b].ins.n; n++)
            if (lower_call(fn, b, n))
                break;
}
