#include "uniformity/uses.h"

#include <string.h>

typedef void use_visitor(void *ctx, uint32_t ins, uint32_t user);

static void each_use(const struct cw_fn *fn, use_visitor *visit, void *ctx) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t n = 0; n < b->ins.n; n++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[n]];
            for (uint32_t o = 0; o < i->narg; o++)
                if (cw_arg(fn, i, o).tag == CW_REF_INS)
                    visit(ctx, cw_arg(fn, i, o).index, b->ins.at[n]);
        }
        if ((b->jump.kind == CW_JUMP_BRANCH || b->jump.kind == CW_JUMP_SWITCH) && b->jump.value.tag == CW_REF_INS)
            visit(ctx, b->jump.value.index, CW_USE_JUMP | fn->cfg->rpo[k]);
    }
}

struct table {
    uint32_t *first, *next, *user;
};

static void count_use(void *ctx, uint32_t ins, uint32_t user) {
    struct table *t = ctx;
    (void)user;
    t->first[ins + 1]++;
}

static void enter_use(void *ctx, uint32_t ins, uint32_t user) {
    struct table *t = ctx;
    if (t->next[ins] == t->first[ins] || t->user[t->next[ins] - 1] != user)
        t->user[t->next[ins]++] = user;
}

/* An operand that stands twice was counted twice: closes the gaps. */
static void close_gaps(struct table *table, uint32_t n) {
    uint32_t to = 0;
    for (uint32_t ins = 0; ins < n; ins++) {
        uint32_t users = table->next[ins] - table->first[ins];
        memmove(table->user + to, table->user + table->first[ins], users * sizeof *table->user);
        table->first[ins] = to;
        to += users;
    }
    table->first[n] = to;
}

const struct cw_uses *cw_uses_of(const struct cw_fn *fn, struct cw_arena *a) {
    struct table t = {.first = CW_NEW_ARRAY(a, uint32_t, fn->ins.n + 1),
                      .next = CW_NEW_ARRAY(a, uint32_t, fn->ins.n + 1)};
    each_use(fn, count_use, &t);
    for (uint32_t ins = 0; ins < fn->ins.n; ins++)
        t.first[ins + 1] += t.first[ins];
    t.user = CW_NEW_ARRAY(a, uint32_t, t.first[fn->ins.n] + 1);
    memcpy(t.next, t.first, fn->ins.n * sizeof *t.next);
    each_use(fn, enter_use, &t);
    close_gaps(&t, fn->ins.n);
    struct cw_uses *uses = CW_NEW(a, struct cw_uses);
    *uses = (struct cw_uses){t.first, t.user};
    return uses;
}
