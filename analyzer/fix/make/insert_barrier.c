/* The barrier that a race lacks, as edits: put before the statement of the access that comes too early, or into a
 * statement that reads and writes at once, which then keeps what it read in a register.
 *
 * Where a statement begins that the threads do not reach together, the barrier goes before the statement around it.
 * Accesses in different calls are ordered in the function that makes both calls. */
#include "fix/make/insert_barrier.h"

#include "kernel/ask/races.h"
#include "kernel/ask/values.h"
#include "fix/make/drafts.h"
#include "fix/make/statements.h"
#include "fix/make/together.h"
#include "rules/sink.h"
#include "source/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLANS = 32, MAX_PAIRS = 64 };

/* What happens to one statement. */
struct plan {
    struct cw_spot at;
    bool before;          /* a barrier before it */
    bool split;           /* read, barrier, write */
    bool behind;          /* split, and a barrier behind the write */
    uint32_t guard;       /* split: the if around it, whose condition is asked twice; CW_NO_STATEMENT */
};

struct barriers {
    struct cw_rule_ctx *ctx;
    const struct cw_race *race;
    enum cw_uni level;
    const char *call;     /* "__syncwarp();" */
    struct plan plans[MAX_PLANS];
    uint32_t n;
    bool rounds;          /* what one statement reads and writes is taken to race from one iteration to the next */
    bool impossible, unproved;
};

/* ---- planning ---- */

static struct plan *plan_for(struct barriers *barriers, const struct plan *wanted) {
    for (uint32_t i = 0; i < barriers->n; i++) {
        struct plan *p = &barriers->plans[i];
        if (p->at.statement == wanted->at.statement && p->at.file == wanted->at.file)
            return p;
    }
    if (barriers->n == MAX_PLANS) {
        barriers->impossible = true;
        return &barriers->plans[0];
    }
    barriers->plans[barriers->n] = *wanted;
    return &barriers->plans[barriers->n++];
}

static void need_proof(struct barriers *barriers, uint32_t loc, enum cw_together together) {
    barriers->unproved |= !cw_rule_proves(barriers->ctx, loc, together);
}

/* Can a barrier stand right before it? A `for` must not lose its pragma, nor a case its label. */
static bool takes_barrier(const struct cw_statement *statement) {
    return statement->kind != CW_STATEMENT_COMPOUND && !statement->is_labelled && !statement->is_broken;
}

/* Once in front of a loop, rather than in each of its iterations, when only the later access is in it. */
static void leave_loops(struct barriers *barriers, struct plan *plan, enum cw_together *together,
                        const struct cw_span_text *early) {
    const struct cw_statements *all = cw_rule_statements(barriers->ctx, plan->at.file);
    struct plan outer = *plan;
    for (; outer.at.statement != CW_NO_STATEMENT; outer.at.statement = all->at.at[outer.at.statement].parent) {
        const struct cw_statement *s = &all->at.at[outer.at.statement];
        if (early && cw_statement_holds(s, early))
            return;
        enum cw_together comes = s->kind == CW_STATEMENT_LOOP && takes_barrier(s)
                                     ? cw_spot_together(barriers->ctx, &outer.at, barriers->level)
                                     : CW_APART;
        if (comes == CW_APART)
            continue;
        *plan = outer;
        *together = comes;
    }
}

/* Plans a barrier before the innermost statement around `late` that all threads come to; it must not be around `early`,
 * unless that access is one of an earlier iteration. */
static void plan_barrier(struct barriers *barriers, uint32_t early, uint32_t late, bool across) {
    const struct cw_fn *fn = barriers->ctx->fn;
    uint32_t frame = cw_site_common(fn, early, late), a = cw_site_lift(fn, early, frame),
             c = cw_site_lift(fn, late, frame);
    struct cw_span_text first = {0}, second;
    const struct cw_statements *all;
    if (!cw_rule_use_text(barriers->ctx, c, &second) || !(all = cw_rule_statements(barriers->ctx, second.file))) {
        barriers->impossible = true;
        return;
    }
    bool one_file = cw_rule_use_text(barriers->ctx, a, &first) && first.file == second.file;
    struct plan p = {.guard = CW_NO_STATEMENT};
    (void)cw_spot_of(barriers->ctx, c, &p.at);
    for (; p.at.statement != CW_NO_STATEMENT; p.at.statement = all->at.at[p.at.statement].parent) {
        const struct cw_statement *s = &all->at.at[p.at.statement];
        if (one_file && cw_statement_holds(s, &first) && !across)
            break;
        enum cw_together t = takes_barrier(s) ? cw_spot_together(barriers->ctx, &p.at, barriers->level) : CW_APART;
        if (t == CW_APART)
            continue;
        if (one_file)
            leave_loops(barriers, &p, &t, &first);
        need_proof(barriers, c, t);
        plan_for(barriers, &p)->before = true;
        return;
    }
    barriers->impossible = true;
}

/* ---- one statement that reads and writes ---- */

static const struct cw_statement *outer_statement(const struct barriers *barriers, const struct cw_spot *spot,
                                                  uint32_t at) {
    return &cw_rule_statements(barriers->ctx, spot->file)->at.at[at];
}

/* The if around the statement, when that is all there is in it. */
static uint32_t guard_of(const struct barriers *barriers, const struct plan *plan) {
    const struct cw_statements *all = cw_rule_statements(barriers->ctx, plan->at.file);
    uint32_t outer = all->at.at[plan->at.statement].parent;
    if (outer != CW_NO_STATEMENT && all->at.at[outer].kind == CW_STATEMENT_COMPOUND) {
        for (uint32_t i = 0; i < all->at.n; i++)
            if (all->at.at[i].parent == outer && i != plan->at.statement)
                return CW_NO_STATEMENT;
        outer = all->at.at[outer].parent;
    }
    if (outer == CW_NO_STATEMENT || all->at.at[outer].kind != CW_STATEMENT_IF || all->at.at[outer].has_else ||
        all->at.at[outer].is_bare)
        return CW_NO_STATEMENT;
    return outer;
}

/* A condition that gives the same when it is asked again behind the barrier. */
static bool guard_may_repeat(const struct barriers *barriers, const struct plan *plan, const char *text) {
    const struct cw_statement *g = outer_statement(barriers, &plan->at, plan->guard);
    return g->condition.to && cw_text_is_repeatable(text, g->condition) &&
           !cw_text_has_comment(text, cw_statement_extent(g)) &&
           !cw_spot_touches_memory(barriers->ctx, &plan->at, g->condition, CW_EFFECTS | CW_OP_R);
}

static void plan_split(struct barriers *barriers, uint32_t early, uint32_t late) {
    const struct cw_fn *fn = barriers->ctx->fn;
    uint32_t frame = cw_site_common(fn, early, late), c = cw_site_lift(fn, late, frame);
    struct cw_span_text t;
    barriers->impossible = true;
    struct plan p = {.guard = CW_NO_STATEMENT};
    if (!cw_rule_text(barriers->ctx, c, &t) || !cw_spot_of(barriers->ctx, c, &p.at))
        return;
    const struct cw_statement *s = cw_spot_statement(barriers->ctx, &p.at);
    if (!s->left.to || s->is_labelled)
        return;
    if (!cw_text_is_repeatable(t.source->text, s->left) ||
        cw_spot_touches_memory(barriers->ctx, &p.at, s->left, CW_EFFECTS & ~(unsigned)CW_OP_W) ||
        cw_text_has_comment(t.source->text, cw_statement_extent(s)))
        return;
    enum cw_together comes = cw_spot_together(barriers->ctx, &p.at, barriers->level);
    if (comes == CW_APART) {
        struct plan outer = p;
        outer.at.statement = p.guard = guard_of(barriers, &p);
        if (p.guard == CW_NO_STATEMENT || !guard_may_repeat(barriers, &p, t.source->text))
            return;
        comes = cw_spot_together(barriers->ctx, &outer.at, barriers->level);
    }
    if (comes == CW_APART)
        return;
    barriers->impossible = false;
    need_proof(barriers, c, comes);
    struct plan *known = plan_for(barriers, &p);
    known->split = true;
    known->guard = p.guard;
}

/* ---- all pairs ---- */

static bool is_write(const struct cw_fn *fn, uint32_t ins) {
    return (cw_op_flags(fn->ins.at[ins].op) & CW_OP_W) != 0;
}

static bool in_one_statement(struct barriers *barriers, uint32_t x, uint32_t y) {
    const struct cw_fn *fn = barriers->ctx->fn;
    uint32_t frame = cw_site_common(fn, x, y);
    struct cw_spot s, t;
    return cw_spot_of(barriers->ctx, cw_site_lift(fn, x, frame), &s) &&
           cw_spot_of(barriers->ctx, cw_site_lift(fn, y, frame), &t) && s.file == t.file && s.statement == t.statement;
}

/* A pair of which one side lies in a statement that will be split: a barrier behind the write orders it too. */
static bool end_split(struct barriers *barriers, uint32_t early) {
    for (uint32_t i = 0; i < barriers->n; i++) {
        struct plan *p = &barriers->plans[i];
        if (p->split && cw_spot_is_in(barriers->ctx, early, &p->at,
                                      cw_statement_extent(cw_spot_statement(barriers->ctx, &p->at)))) {
            p->behind = true;
            return true;
        }
    }
    return false;
}

struct pair {
    uint32_t early, late;       /* locs */
    uint32_t early_block, late_block;
    bool one_statement, across; /* across: of different iterations */
    bool needs_barrier;         /* nothing that splits a statement orders it */
    size_t from, to;            /* in the text of one file; SIZE_MAX where the two lie in different ones */
};

/* Those across iterations from the top, then those that end first: a barrier right before the end of one interval lies
 * in all others that have begun by then, which makes the fewest barriers for intervals on a line. */
static int by_end(const void *x, const void *y) {
    const struct pair *a = x, *b = y;
    if (a->across != b->across)
        return a->across ? -1 : 1;
    if (a->to != b->to)
        return a->to > b->to ? 1 : -1;
    return (a->from < b->from) - (a->from > b->from);
}

static void find_interval(const struct barriers *barriers, struct pair *pair) {
    struct cw_span_text x, y;
    uint32_t frame = cw_site_common(barriers->ctx->fn, pair->early, pair->late);
    bool is_known = cw_rule_use_text(barriers->ctx, cw_site_lift(barriers->ctx->fn, pair->early, frame), &x) &&
                    cw_rule_use_text(barriers->ctx, cw_site_lift(barriers->ctx->fn, pair->late, frame), &y) &&
                    x.file == y.file;
    pair->from = is_known ? x.from : SIZE_MAX;
    pair->to = is_known ? y.from : SIZE_MAX;
}

/* The innermost loop around both blocks. */
static uint32_t common_loop(const struct cw_cfg *cfg, uint32_t x, uint32_t y) {
    uint32_t loop = cfg->loop_of[x];
    while (loop != CW_NO_LOOP && !cw_cfg_in_loop(cfg, loop, y))
        loop = cfg->loops.at[loop].parent;
    return loop;
}

/* Does a planned barrier stand on every way from the first to the second already? */
static bool is_ordered(const struct barriers *barriers, const struct pair *pair) {
    const struct cw_cfg *cfg = barriers->ctx->fn->cfg;
    uint32_t loop = common_loop(cfg, pair->early_block, pair->late_block);
    for (uint32_t i = 0; i < barriers->n; i++) {
        const struct plan *p = &barriers->plans[i];
        struct cw_extent front = {0, cw_spot_statement(barriers->ctx, &p->at)->from}, back = {front.to, UINT32_MAX};
        if (!p->before || !cw_cfg_dominates(cfg, p->at.block, pair->late_block) ||
            !cw_spot_is_in(barriers->ctx, pair->late, &p->at, back))
            continue;
        if (pair->across ? loop != CW_NO_LOOP && cw_cfg_in_loop(cfg, loop, p->at.block)
                         : cw_spot_is_in(barriers->ctx, pair->early, &p->at, front))
            return true;
    }
    return false;
}

static uint32_t collect_pairs(struct barriers *barriers, struct pair *pairs) {
    const struct cw_race *r = barriers->race;
    const struct cw_fn *fn = barriers->ctx->fn;
    uint32_t n = 0;
    for (uint32_t k = 0; k <= r->also.n && n < MAX_PAIRS; k++) {
        uint32_t x = k ? r->also.at[k - 1].first : r->first.ins, y = k ? r->also.at[k - 1].second : r->second.ins;
        if (x >= fn->ins.n || y >= fn->ins.n)
            continue;
        struct pair p = {.early = fn->ins.at[x].loc, .late = fn->ins.at[y].loc, .early_block = fn->ins.at[x].block,
                         .late_block = fn->ins.at[y].block};
        p.one_statement = in_one_statement(barriers, p.early, p.late);
        p.across = k ? cw_cfg_reaches(fn, fn->ins.at[y].block, fn->ins.at[x].block) || p.one_statement
                     : r->first.context != r->second.context &&
                           common_loop(fn->cfg, p.early_block, p.late_block) != CW_NO_LOOP;
        if (k && p.one_statement && is_write(fn, y) && !is_write(fn, x))
            p.across = barriers->rounds; /* a statement reads before it writes */
        find_interval(barriers, &p);
        pairs[n++] = p;
    }
    qsort(pairs, n, sizeof *pairs, by_end);
    return n;
}

static bool are_all_ordered(const struct barriers *barriers, const struct pair *pairs, uint32_t n) {
    for (uint32_t k = 0; k < n; k++)
        if (pairs[k].needs_barrier && !is_ordered(barriers, &pairs[k]))
            return false;
    return true;
}

/* Tries each barrier without: one that was planned for a near pair may order what an earlier one was planned for. */
static void leave_out_spare(struct barriers *barriers, const struct pair *pairs, uint32_t n) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < barriers->n; i++) {
        bool before = barriers->plans[i].before;
        barriers->plans[i].before = false;
        barriers->plans[i].before = before && !are_all_ordered(barriers, pairs, n);
    }
    for (uint32_t i = 0; i < barriers->n; i++)
        if (barriers->plans[i].before || barriers->plans[i].split)
            barriers->plans[kept++] = barriers->plans[i];
    barriers->n = kept;
}

static void plan_all(struct barriers *barriers) {
    struct pair pairs[MAX_PAIRS];
    uint32_t n = collect_pairs(barriers, pairs);
    for (uint32_t k = 0; k < n && !barriers->impossible; k++)
        if (pairs[k].one_statement && !pairs[k].across)
            plan_split(barriers, pairs[k].early, pairs[k].late);
    for (uint32_t k = 0; k < n && !barriers->impossible; k++) {
        struct pair *p = &pairs[k];
        p->needs_barrier = (!p->one_statement || p->across) && !end_split(barriers, p->early);
        if (p->needs_barrier && !is_ordered(barriers, p))
            plan_barrier(barriers, p->early, p->late, p->across);
    }
    if (!barriers->impossible)
        leave_out_spare(barriers, pairs, n);
}

/* ---- the words ---- */

static uint32_t outermost_statement(const struct cw_statements *all, uint32_t at) {
    while (at != CW_NO_STATEMENT && all->at.at[at].parent != CW_NO_STATEMENT)
        at = all->at.at[at].parent;
    return at;
}

/* "block" of `block.sync()`, when that is all of the text; empty else. */
static cw_str group_of(cw_str call) {
    static const char sync[] = ".sync()";
    size_t n = 0;
    while (n < call.n && (isalnum((unsigned char)call.at[n]) || call.at[n] == '_'))
        n++;
    bool is_sync = n && call.n == n + sizeof sync - 1 && !memcmp(call.at + n, sync, sizeof sync - 1);
    return is_sync ? (cw_str){call.at, n} : (cw_str){0};
}

/* A statement before the place, in a block around it, names the variable: it is declared there or earlier. */
static bool is_in_scope(const struct cw_statements *all, const struct plan *plan, const char *text, const char *name) {
    const struct cw_statement *s = &all->at.at[plan->at.statement];
    for (uint32_t outer = s->parent; outer != CW_NO_STATEMENT; outer = all->at.at[outer].parent)
        for (uint32_t i = outer + 1; i < all->at.n && all->at.at[i].from < s->from; i++) {
            const struct cw_statement *before = &all->at.at[i];
            if (before->parent == outer && before->kind == CW_STATEMENT_PLAIN && before->to <= s->from &&
                cw_str_has_word((cw_str){text + before->from, before->to - before->from}, name))
                return true;
        }
    return false;
}

/* A barrier of the block as the function around the place writes it: `block.sync()` where it has such a call and the
 * group is in scope, else `__syncthreads()`. */
static const char *block_call(struct barriers *barriers, const struct plan *plan) {
    const struct cw_fn *fn = barriers->ctx->fn;
    const struct cw_statements *all = cw_rule_statements(barriers->ctx, plan->at.file);
    for (uint32_t i = 0; all && i < fn->ins.n; i++) {
        struct cw_span_text t;
        struct cw_spot at;
        if (fn->ins.at[i].op != CW_OP_BARRIER || !cw_rule_text(barriers->ctx, fn->ins.at[i].loc, &t) ||
            t.file != plan->at.file || !cw_spot_of(barriers->ctx, fn->ins.at[i].loc, &at))
            continue;
        const char *text = t.source->text;
        cw_str group = group_of((cw_str){text + t.from, t.to - t.from});
        if (!group.n || outermost_statement(all, at.statement) != outermost_statement(all, plan->at.statement))
            continue;
        const char *name = cw_arena_strndup(barriers->ctx->arena, group.at, group.n);
        if (is_in_scope(all, plan, text, name))
            return cw_arena_printf(barriers->ctx->arena, "%s.sync();", name);
    }
    return "__syncthreads();";
}

/* One spelling for all plans: where one place has no group in scope, none uses it. */
static void choose_call(struct barriers *barriers) {
    const char *call =
        barriers->n && barriers->level == CW_UNI_BLOCK ? block_call(barriers, &barriers->plans[0]) : barriers->call;
    for (uint32_t i = 1; i < barriers->n && barriers->level == CW_UNI_BLOCK; i++)
        if (strcmp(block_call(barriers, &barriers->plans[i]), call) != 0)
            return;
    barriers->call = call;
}

/* ---- writing ---- */

/* A bare statement on a line of its own gets braces where its author would put them: behind what it follows, and below.
 * Writes the first and says what comes in place of [s->to, end), a comment and the second. */
static const char *write_braces(struct barriers *barriers, struct cw_draft *draft, const struct cw_span_text *span_text,
                                const struct cw_spot *at, const struct cw_statement *statement, size_t *end) {
    const char *text = span_text->source->text;
    *end = cw_text_end_with_comment(text, span_text->source->size, statement->to);
    const char *outer =
        cw_text_indent(barriers->ctx->arena, text, outer_statement(barriers, at, statement->parent)->from);
    cw_draft_edit(draft, span_text, statement->header_end, statement->header_end, " {");
    return cw_arena_printf(barriers->ctx->arena, "%.*s\n%s}", (int)(*end - statement->to), text + statement->to, outer);
}

/* By how much the code around it is indented from one level to the next. */
static const char *indent_step(const struct barriers *barriers, const struct cw_spot *at,
                               const struct cw_statement *statement, const char *text) {
    struct cw_arena *a = barriers->ctx->arena;
    const char *in = cw_text_indent(a, text, statement->from);
    for (uint32_t i = statement->parent; i != CW_NO_STATEMENT; i = outer_statement(barriers, at, i)->parent) {
        const char *outer = cw_text_indent(a, text, outer_statement(barriers, at, i)->from);
        size_t n = strlen(outer);
        if (n < strlen(in) && !strncmp(in, outer, n))
            return in + n;
    }
    return "    ";
}

static void write_before(struct barriers *barriers, struct cw_draft *draft, const struct cw_span_text *span_text,
                         const struct plan *plan) {
    struct cw_arena *a = barriers->ctx->arena;
    const struct cw_statement *s = cw_spot_statement(barriers->ctx, &plan->at);
    const char *text = span_text->source->text, *indent = cw_text_indent(a, text, s->from);
    bool own_line = cw_text_begins_line(text, s->from);
    if (!s->is_bare) {
        cw_draft_insert_before(draft, span_text, s, barriers->call);
    } else if (!own_line || s->parent == CW_NO_STATEMENT) {
        cw_draft_edit(draft, span_text, s->from, s->from, cw_arena_printf(a, "{ %s ", barriers->call));
        cw_draft_edit(draft, span_text, s->to, s->to, " }");
    } else {
        size_t end;
        const char *rest = write_braces(barriers, draft, span_text, &plan->at, s, &end);
        cw_draft_edit(draft, span_text, s->from, s->from, cw_arena_printf(a, "%s\n%s", barriers->call, indent));
        cw_draft_edit(draft, span_text, end, end, rest + (end - s->to));
    }
}

static bool is_one_operand(const char *text, struct cw_extent extent) {
    struct cw_lexer l;
    int depth = 0;
    cw_lexer_init(&l, text + extent.from, extent.to - extent.from);
    for (struct cw_token t = cw_lexer_next(&l); t.kind != CW_TOKEN_END; t = cw_lexer_next(&l)) {
        char c = t.kind == CW_TOKEN_PUNCT ? l.text[t.at] : 0;
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        if (!depth && c && !strchr(")].", c))
            return false;
    }
    return true;
}

/* What the statement computes: its right side, or `left op right` of a compound assignment. */
static const char *value_text(struct cw_arena *a, const char *text, const struct cw_statement *statement) {
    const char *right = cw_arena_strndup(a, text + statement->right.from, statement->right.to - statement->right.from);
    if (statement->op.to - statement->op.from == 1)
        return right;
    return cw_arena_printf(a, is_one_operand(text, statement->right) ? "%.*s %.*s %s" : "%.*s %.*s (%s)",
                           (int)(statement->left.to - statement->left.from), text + statement->left.from,
                           (int)(statement->op.to - statement->op.from - 1), text + statement->op.from, right);
}

/* The type of the one thing that the statement stores, for a variable that lives outside of the branch; NULL: not told.
 */
static const char *stored_type(const struct barriers *barriers, const struct plan *plan) {
    const struct cw_fn *fn = barriers->ctx->fn;
    struct cw_extent range = cw_statement_extent(cw_spot_statement(barriers->ctx, &plan->at));
    const char *type = NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < fn->ins.n; i++) {
        if (fn->ins.at[i].op != CW_OP_STORE || !cw_spot_is_in(barriers->ctx, fn->ins.at[i].loc, &plan->at, range))
            continue;
        switch (cw_ref_type(fn, cw_arg(fn, &fn->ins.at[i], 0))) {
        case CW_F32: type = "float"; break;
        case CW_F64: type = "double"; break;
        case CW_I32: type = "int"; break;
        case CW_I64: type = "long long"; break;
        default: return NULL;
        }
        n++;
    }
    return n == 1 ? type : NULL;
}

static void write_split(struct barriers *barriers, struct cw_draft *draft, const struct cw_span_text *span_text,
                        const struct plan *plan) {
    struct cw_arena *a = barriers->ctx->arena;
    const char *text = span_text->source->text;
    const struct cw_statement *s = cw_spot_statement(barriers->ctx, &plan->at), *whole = s;
    const char *name = cw_text_fresh_name(a, span_text->source, "updated"), *value = value_text(a, text, s),
               *guard = "";
    if (plan->guard != CW_NO_STATEMENT) {
        whole = outer_statement(barriers, &plan->at, plan->guard);
        guard = cw_arena_printf(a, "if (%.*s) ", (int)(whole->condition.to - whole->condition.from),
                                text + whole->condition.from);
    }
    const char *type = *guard ? stored_type(barriers, plan) : "auto", *in = cw_text_indent(a, text, whole->from);
    if (!type || memchr(value, '\n', strlen(value))) {
        cw_draft_spoil(draft);
        return;
    }
    bool in_place = whole->is_bare && whole->parent != CW_NO_STATEMENT && cw_text_begins_line(text, whole->from);
    const char *line = cw_arena_printf(a, "\n%s%s", in, in_place ? "" : indent_step(barriers, &plan->at, whole, text));
    const char *first = *guard ? cw_arena_printf(a, "%s %s = 0;%s%s%s = %s;", type, name, line, guard, name, value)
                               : cw_arena_printf(a, "%s %s = %s;", type, name, value);
    const char *body =
        cw_arena_printf(a, "%s%s%s%s%s%s%s%.*s = %s;%s%s", plan->before ? barriers->call : "", plan->before ? line : "",
                        first, line, barriers->call, line, guard, (int)(s->left.to - s->left.from), text + s->left.from,
                        name, plan->behind ? line : "", plan->behind ? barriers->call : "");
    size_t end = whole->to;
    body = in_place ? cw_arena_printf(a, "%s%s", body, write_braces(barriers, draft, span_text, &plan->at, whole, &end))
                    : cw_arena_printf(a, "{%s%s\n%s}", line, body, in);
    cw_draft_edit(draft, span_text, whole->from, end, body);
}

static void offer_fix(struct barriers *barriers, struct cw_finding *finding) {
    struct cw_draft d = cw_draft_begin(barriers->ctx);
    bool splits = false;
    choose_call(barriers);
    for (uint32_t i = 0; i < barriers->n; i++) {
        const struct plan *p = &barriers->plans[i];
        const char *path = barriers->ctx->module->files.at[p->at.file];
        struct cw_span_text t = {.source = barriers->ctx->sink->source_of(barriers->ctx->sink->ctx, path),
                                 .file = p->at.file};
        if (p->split)
            write_split(barriers, &d, &t, p);
        else
            write_before(barriers, &d, &t, p);
        splits |= p->split;
    }
    int name = (int)strlen(barriers->call) - 1;
    if (splits)
        cw_draft_offer(&d, finding, !barriers->unproved, "read into a register, %.*s, write", name, barriers->call);
    else
        cw_draft_offer(&d, finding, !barriers->unproved,
                       barriers->n == 1 ? "insert %.*s between the two" : "insert %.*s between the steps", name,
                       barriers->call);
}

/* Only a __syncwarp() stands where the whole block has to wait. */
static void widen_barrier(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    struct cw_draft d = cw_draft_begin(ctx);
    struct cw_span_text t;
    if (!race->is.crosses_syncwarp || race->between == UINT32_MAX ||
        !cw_rule_text(ctx, ctx->fn->ins.at[race->between].loc, &t) || !cw_span_text_is(&t, "__syncwarp()"))
        return;
    enum cw_together comes = cw_rule_together(ctx, ctx->fn->ins.at[race->between].block, CW_UNI_BLOCK);
    if (comes == CW_APART)
        return;
    cw_draft_edit(&d, &t, t.from, t.to, "__syncthreads()");
    cw_draft_offer(&d, finding, cw_rule_proves(ctx, ctx->fn->ins.at[race->between].loc, comes),
                   "make it a __syncthreads()");
}

const char *cw_fix_race(struct cw_rule_ctx *ctx, struct cw_finding *finding, const struct cw_race *race) {
    struct barriers b = {.ctx = ctx, .race = race, 
                         .level = race->remedy == CW_REMEDY_WARP ? CW_UNI_WARP : CW_UNI_BLOCK,
                         .unproved = race->is_unsettled,
                         .call = race->remedy == CW_REMEDY_WARP ? "__syncwarp();" : "__syncthreads();"};
    if (race->is.asynchronous || race->is.unwritten || race->unused)
        return NULL; /* no barrier helps, or it costs time and changes no result */
    widen_barrier(ctx, finding, race);
    if (race->first.context != race->second.context) { /* the cheap way first: the proof tells when it is not enough */
        struct barriers cheap = b;
        cheap.rounds = true;
        plan_all(&cheap);
        if (!cheap.impossible && cheap.n)
            offer_fix(&cheap, finding);
    }
    plan_all(&b);
    if (b.impossible || !b.n)
        return NULL;
    offer_fix(&b, finding);
    return cw_arena_strndup(ctx->arena, b.call, strlen(b.call) - 1);
}
