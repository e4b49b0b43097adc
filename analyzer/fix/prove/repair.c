#include "fix/prove/prove_internal.h"

#include <string.h>

enum {
    MAX_ROUNDS = 10,
    MAX_ATTEMPTS = 60, /* analyses of one round; fixes that would need more are dropped */
};

/* ---- one attempt: the next slice of every target, all units once ---- */

static const struct cw_source *edited_source(struct round *round, const struct target *target) {
    struct cw_buf text = {0};
    cw_edits_apply(&target->edits, target->base->text, target->base->size, &text);
    struct cw_source *s =
        cw_source_of_text(round->arena, cw_run_path(round->run, target->file), text.at ? text.at : "", text.n);
    s->has_bom = target->base->has_bom;
    cw_buf_free(&text);
    return s;
}

static void put_text(struct round *round, struct target *target) {
    cw_round_edits(round, target);
    cw_sources_override(round->sources, cw_run_path(round->run, target->file),
                        target->edits.at.n ? edited_source(round, target) : target->base);
}

/* The accepted candidates, and those of the slice on top of the stack, when there is one. */
static void next_attempt(struct round *round, struct target *target) {
    target->attempt.n = 0;
    target->blame = NULL;
    target->is_tried = target->pending.n != 0;
    for (uint32_t i = 0; i < target->accepted.n; i++)
        cw_vec_push(round->arena, &target->attempt, target->accepted.at[i]);
    struct slice top = target->is_tried ? cw_vec_last(&target->pending) : (struct slice){0};
    for (uint32_t i = 0; i < top.n; i++)
        cw_vec_push(round->arena, &target->attempt, target->candidates.at[top.from + i]);
    put_text(round, target);
}

static bool is_due(const struct round *round, const struct affected *affected) {
    for (uint32_t i = 0; i < affected->targets.n; i++)
        if (round->targets.at[affected->targets.at[i]].is_tried)
            return true;
    return false;
}

static int analyse_units(struct round *round, bool all) {
    struct cw_vec_u32 files = {0};
    for (uint32_t i = 0; i < round->units.n; i++)
        if (all || is_due(round, &round->units.at[i]))
            cw_vec_push(round->arena, &files, round->units.at[i].file);
    int failed = cw_run_again(round->run, files.at, files.n);
    return failed ? failed
                  : cw_run_tell(round->run, round->options->shown, &round->report); /* gives files their names */
}

/* ---- what follows from it ---- */

static void drop_slice(struct round *round, struct target *target, struct slice slice, const char *reason) {
    for (uint32_t i = 0; i < slice.n; i++)
        round->candidates.at[target->candidates.at[slice.from + i]].dropped = reason;
}

static void settle_attempt(struct round *round, struct target *target) {
    if (!target->is_tried)
        return;
    struct slice s = target->pending.at[--target->pending.n];
    struct slice left = {s.from, s.n / 2}, right = {s.from + s.n / 2, s.n - s.n / 2};
    if (!target->blame) {
        for (uint32_t i = 0; i < s.n; i++)
            cw_vec_push(round->arena, &target->accepted, target->candidates.at[s.from + i]);
    } else if (s.n == 1) {
        drop_slice(round, target, s, target->blame);
    } else {
        cw_vec_push(round->arena, &target->pending, right);
        cw_vec_push(round->arena, &target->pending, left);
    }
}

static bool has_pending(const struct round *round) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        if (round->targets.at[i].pending.n)
            return true;
    return false;
}

static int attempt_fixes(struct round *round) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        next_attempt(round, &round->targets.at[i]);
    if (analyse_units(round, false))
        return -1;
    cw_round_judge(round);
    for (uint32_t i = 0; i < round->targets.n; i++)
        settle_attempt(round, &round->targets.at[i]);
    return 0;
}

static void give_up(struct round *round) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        while (round->targets.at[i].pending.n) {
            struct slice s = round->targets.at[i].pending.at[--round->targets.at[i].pending.n];
            drop_slice(round, &round->targets.at[i], s, "too many fixes of this run do harm for each to be tried");
        }
}

/* A unit that reads two files was seen with an attempt in one of them that did not stay. So all are seen once more with
 * what did; what is worse even now loses its fixes. */
static int confirm_fixes(struct round *round) {
    for (bool worse = true; worse;) {
        worse = false;
        for (uint32_t i = 0; i < round->targets.n; i++) {
            next_attempt(round, &round->targets.at[i]);
            round->targets.at[i].is_tried = round->targets.at[i].accepted.n != 0;
        }
        if (analyse_units(round, true))
            return -1;
        cw_round_judge(round);
        for (uint32_t i = 0; i < round->targets.n; i++) {
            struct target *t = &round->targets.at[i];
            for (uint32_t k = 0; k < t->accepted.n && t->blame; k++)
                round->candidates.at[t->accepted.at[k]].dropped = t->blame;
            worse |= t->blame != NULL;
            t->accepted.n = t->blame ? 0 : t->accepted.n;
        }
    }
    return 0;
}

static int try_candidates(struct round *round) {
    int failed = 0;
    uint32_t attempts = 0;
    for (; has_pending(round) && attempts < MAX_ATTEMPTS && !failed; attempts++)
        failed = attempt_fixes(round);
    give_up(round);
    bool one_clean_attempt = attempts == 1;
    for (uint32_t i = 0; i < round->targets.n; i++)
        one_clean_attempt &= round->targets.at[i].accepted.n == round->targets.at[i].candidates.n;
    return failed || one_clean_attempt ? failed : confirm_fixes(round);
}

/* ---- rounds ---- */

static struct cw_repaired *repaired_of(struct round *round, struct cw_repair *out, const struct target *target) {
    const char *path = cw_run_path(round->run, target->file);
    for (uint32_t i = 0; i < out->files.n; i++)
        if (!strcmp(out->files.at[i].path, path))
            return &out->files.at[i];
    struct cw_repaired f = {.path = path, .original = target->base, .now = target->base};
    cw_vec_push(round->arena, &out->files, f);
    return &cw_vec_last(&out->files);
}

static void keep_accepted(struct round *round, struct cw_repair *out, struct target *target) {
    struct cw_repaired *f = repaired_of(round, out, target);
    f->edits = cw_edits_compose(round->arena, f->original->text, &f->edits, &target->edits);
    f->now = cw_sources_get(round->sources, f->path, NULL);
    f->fixed += target->accepted.n;
    out->fixed += target->accepted.n;
}

static const struct target *target_named(const struct round *round, const char *path) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        if (!strcmp(cw_run_path(round->run, round->targets.at[i].file), path))
            return &round->targets.at[i];
    return NULL;
}

static const struct cw_source *base_of(struct round *round, const char *path) {
    const struct target *t = target_named(round, path);
    return t ? t->base : cw_sources_get(round->sources, path, NULL);
}

static size_t map_offset(const struct round *round, const char *path, size_t offset) {
    const struct target *t = target_named(round, path);
    return t ? cw_edits_map(&t->edits, offset).from : offset;
}

/* Earlier refusals move with the text; new ones join them. Is there another fix to try for one of those? */
static bool keep_refusals(struct round *round, struct refusals *refused, struct cw_repair *out) {
    bool more = false;
    for (uint32_t k = 0; k < refused->at.n; k++)
        refused->at.at[k].offset = map_offset(round, refused->at.at[k].file, refused->at.at[k].offset);
    for (uint32_t i = 0; i < round->candidates.n; i++) {
        const struct candidate *c = &round->candidates.at[i];
        const struct cw_place *place = &c->finding->place;
        const struct cw_source *s = base_of(round, place->file);
        if (!c->dropped || !s)
            continue;
        struct refused x = {place->file, c->finding->rule,
                            map_offset(round, place->file, cw_source_offset(s, place->line, place->col))};
        struct cw_unrepaired u = {*place, c->finding->rule, c->fix->message, c->dropped};
        cw_vec_push(round->arena, &refused->at, x);
        more |= !c->is_last;
        if (c->is_last)
            cw_vec_push(round->arena, &out->dropped, u);
    }
    return more;
}

/* Did the round change anything, so that another one may find more? */
static int run_round(struct round *round, struct refusals *refused, struct cw_repair *out, bool *changed) {
    struct cw_run_options shown = *round->options->shown;
    shown.max_results = 0;
    *changed = false;
    if (cw_run_tell(round->run, &shown, &round->report))
        return -1;
    cw_round_plan(round, refused);
    out->unsafe_left = round->unsafe_left;
    if (try_candidates(round))
        return -1;
    for (uint32_t i = 0; i < round->targets.n; i++)
        if (round->targets.at[i].accepted.n) {
            keep_accepted(round, out, &round->targets.at[i]);
            *changed = true;
        }
    *changed |= keep_refusals(round, refused, out);
    return 0;
}

int cw_repair(struct cw_run_state *run, const struct cw_repair_options *options, struct cw_sources *sources,
              struct cw_arena *a, struct cw_repair *out) {
    struct refusals refused = {0};
    bool changed = true;
    *out = (struct cw_repair){0};
    for (uint32_t n = 0; n < MAX_ROUNDS && changed; n++) {
        struct round *r = CW_NEW(a, struct round);
        *r = (struct round){.run = run, .sources = sources, .arena = a, .options = options};
        if (run_round(r, &refused, out, &changed))
            return -1;
    }
    return 0;
}
