#include "fix/prove/prove_internal.h"

#include <string.h>

enum {
    MAX_ROUNDS = 10,
    MAX_ATTEMPTS = 60, /* analyses of one round; fixes that would need more are dropped */
};

/* ---- one attempt: the next slice of every target, all units once ---- */

static const struct cw_source *edited(struct round *r, const struct target *t) {
    struct cw_buf text = {0};
    cw_edits_apply(&t->edits, t->base->text, t->base->size, &text);
    struct cw_source *s = cw_source_of_text(r->arena, cw_run_path(r->run, t->file), text.at ? text.at : "", text.n);
    s->has_bom = t->base->has_bom;
    cw_buf_free(&text);
    return s;
}

static void put_text(struct round *r, struct target *t) {
    cw_round_edits(r, t);
    cw_sources_override(r->sources, cw_run_path(r->run, t->file), t->edits.at.n ? edited(r, t) : t->base);
}

/* The accepted candidates, and those of the slice on top of the stack, when there is one. */
static void next_attempt(struct round *r, struct target *t) {
    t->attempt.n = 0;
    t->blame = NULL;
    t->is_tried = t->pending.n != 0;
    for (uint32_t i = 0; i < t->accepted.n; i++)
        cw_vec_push(r->arena, &t->attempt, t->accepted.at[i]);
    struct slice top = t->is_tried ? cw_vec_last(&t->pending) : (struct slice){0};
    for (uint32_t i = 0; i < top.n; i++)
        cw_vec_push(r->arena, &t->attempt, t->candidates.at[top.from + i]);
    put_text(r, t);
}

static bool is_due(const struct round *r, const struct affected *u) {
    for (uint32_t i = 0; i < u->targets.n; i++)
        if (r->targets.at[u->targets.at[i]].is_tried)
            return true;
    return false;
}

static int analyse_units(struct round *r, bool all) {
    struct cw_vec_u32 files = {0};
    for (uint32_t i = 0; i < r->units.n; i++)
        if (all || is_due(r, &r->units.at[i]))
            cw_vec_push(r->arena, &files, r->units.at[i].file);
    int failed = cw_run_again(r->run, files.at, files.n);
    return failed ? failed : cw_run_tell(r->run, r->options->shown, &r->report); /* gives files their names */
}

/* ---- what follows from it ---- */

static void drop(struct round *r, struct target *t, struct slice s, const char *reason) {
    for (uint32_t i = 0; i < s.n; i++)
        r->candidates.at[t->candidates.at[s.from + i]].dropped = reason;
}

static void settle(struct round *r, struct target *t) {
    if (!t->is_tried)
        return;
    struct slice s = t->pending.at[--t->pending.n];
    struct slice left = {s.from, s.n / 2}, right = {s.from + s.n / 2, s.n - s.n / 2};
    if (!t->blame) {
        for (uint32_t i = 0; i < s.n; i++)
            cw_vec_push(r->arena, &t->accepted, t->candidates.at[s.from + i]);
    } else if (s.n == 1) {
        drop(r, t, s, t->blame);
    } else {
        cw_vec_push(r->arena, &t->pending, right);
        cw_vec_push(r->arena, &t->pending, left);
    }
}

static bool has_pending(const struct round *r) {
    for (uint32_t i = 0; i < r->targets.n; i++)
        if (r->targets.at[i].pending.n)
            return true;
    return false;
}

static int attempt(struct round *r) {
    for (uint32_t i = 0; i < r->targets.n; i++)
        next_attempt(r, &r->targets.at[i]);
    if (analyse_units(r, false))
        return -1;
    cw_round_judge(r);
    for (uint32_t i = 0; i < r->targets.n; i++)
        settle(r, &r->targets.at[i]);
    return 0;
}

static void give_up(struct round *r) {
    for (uint32_t i = 0; i < r->targets.n; i++)
        while (r->targets.at[i].pending.n) {
            struct slice s = r->targets.at[i].pending.at[--r->targets.at[i].pending.n];
            drop(r, &r->targets.at[i], s, "too many fixes of this run do harm for each to be tried");
        }
}

/* A unit that reads two files was seen with an attempt in one of them that did not stay. So all are seen once more with
 * what did; what is worse even now loses its fixes. */
static int confirm(struct round *r) {
    for (bool worse = true; worse;) {
        worse = false;
        for (uint32_t i = 0; i < r->targets.n; i++) {
            next_attempt(r, &r->targets.at[i]);
            r->targets.at[i].is_tried = r->targets.at[i].accepted.n != 0;
        }
        if (analyse_units(r, true))
            return -1;
        cw_round_judge(r);
        for (uint32_t i = 0; i < r->targets.n; i++) {
            struct target *t = &r->targets.at[i];
            for (uint32_t k = 0; k < t->accepted.n && t->blame; k++)
                r->candidates.at[t->accepted.at[k]].dropped = t->blame;
            worse |= t->blame != NULL;
            t->accepted.n = t->blame ? 0 : t->accepted.n;
        }
    }
    return 0;
}

static int try_candidates(struct round *r) {
    int failed = 0;
    uint32_t attempts = 0;
    for (; has_pending(r) && attempts < MAX_ATTEMPTS && !failed; attempts++)
        failed = attempt(r);
    give_up(r);
    bool one_clean_attempt = attempts == 1;
    for (uint32_t i = 0; i < r->targets.n; i++)
        one_clean_attempt &= r->targets.at[i].accepted.n == r->targets.at[i].candidates.n;
    return failed || one_clean_attempt ? failed : confirm(r);
}

/* ---- rounds ---- */

static struct cw_repaired *repaired_of(struct round *r, struct cw_repair *out, const struct target *t) {
    const char *path = cw_run_path(r->run, t->file);
    for (uint32_t i = 0; i < out->files.n; i++)
        if (!strcmp(out->files.at[i].path, path))
            return &out->files.at[i];
    struct cw_repaired f = {.path = path, .original = t->base, .now = t->base};
    cw_vec_push(r->arena, &out->files, f);
    return &cw_vec_last(&out->files);
}

static void keep_accepted(struct round *r, struct cw_repair *out, struct target *t) {
    struct cw_repaired *f = repaired_of(r, out, t);
    f->edits = cw_edits_compose(r->arena, f->original->text, &f->edits, &t->edits);
    f->now = cw_sources_get(r->sources, f->path, NULL);
    f->fixed += t->accepted.n;
    out->fixed += t->accepted.n;
}

static const struct target *target_named(const struct round *r, const char *path) {
    for (uint32_t i = 0; i < r->targets.n; i++)
        if (!strcmp(cw_run_path(r->run, r->targets.at[i].file), path))
            return &r->targets.at[i];
    return NULL;
}

static const struct cw_source *base_of(struct round *r, const char *path) {
    const struct target *t = target_named(r, path);
    return t ? t->base : cw_sources_get(r->sources, path, NULL);
}

static size_t moved(const struct round *r, const char *path, size_t offset) {
    const struct target *t = target_named(r, path);
    return t ? cw_edits_map(&t->edits, offset).from : offset;
}

/* Earlier refusals move with the text; new ones join them. Is there another fix to try for one of those? */
static bool keep_refusals(struct round *r, struct refusals *refused, struct cw_repair *out) {
    bool more = false;
    for (uint32_t k = 0; k < refused->at.n; k++)
        refused->at.at[k].offset = moved(r, refused->at.at[k].file, refused->at.at[k].offset);
    for (uint32_t i = 0; i < r->candidates.n; i++) {
        const struct candidate *c = &r->candidates.at[i];
        const struct cw_place *place = &c->finding->place;
        const struct cw_source *s = base_of(r, place->file);
        if (!c->dropped || !s)
            continue;
        struct refused x = {place->file, c->finding->rule,
                            moved(r, place->file, cw_source_offset(s, place->line, place->col))};
        struct cw_unrepaired u = {*place, c->finding->rule, c->fix->message, c->dropped};
        cw_vec_push(r->arena, &refused->at, x);
        more |= !c->is_last;
        if (c->is_last)
            cw_vec_push(r->arena, &out->dropped, u);
    }
    return more;
}

/* Did the round change anything, so that another one may find more? */
static int run_round(struct round *r, struct refusals *refused, struct cw_repair *out, bool *changed) {
    struct cw_run_options shown = *r->options->shown;
    shown.max_results = 0;
    *changed = false;
    if (cw_run_tell(r->run, &shown, &r->report))
        return -1;
    cw_round_plan(r, refused);
    out->unsafe_left = r->unsafe_left;
    if (try_candidates(r))
        return -1;
    for (uint32_t i = 0; i < r->targets.n; i++)
        if (r->targets.at[i].accepted.n) {
            keep_accepted(r, out, &r->targets.at[i]);
            *changed = true;
        }
    *changed |= keep_refusals(r, refused, out);
    return 0;
}

int cw_repair(struct cw_run_state *run, const struct cw_repair_options *o, struct cw_sources *sources,
              struct cw_arena *a, struct cw_repair *out) {
    struct refusals refused = {0};
    bool changed = true;
    *out = (struct cw_repair){0};
    for (uint32_t n = 0; n < MAX_ROUNDS && changed; n++) {
        struct round *r = CW_NEW(a, struct round);
        *r = (struct round){.run = run, .sources = sources, .arena = a, .options = o};
        if (run_round(r, &refused, out, &changed))
            return -1;
    }
    return 0;
}
