/* Which fixes are tried in a round, and which units have to be looked at again for them. */
#include "fix/prove/prove_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fix of a finding ---- */

static bool is_eligible(const struct round *r, const struct cw_finding *f, const struct cw_fix *x) {
    const struct cw_repair_options *o = r->options;
    return x->edits.n && (x->safe || o->unsafe) && (!o->wants || o->wants(o->ctx, f, x));
}

/* The one after those that were refused in earlier rounds; NULL: none is left. */
static const struct cw_fix *fix_of(const struct round *r, const struct cw_finding *f, uint32_t refused) {
    for (uint32_t i = 0; i < f->fixes.n; i++)
        if (is_eligible(r, f, &f->fixes.at[i]) && refused-- == 0)
            return &f->fixes.at[i];
    return NULL;
}

static uint32_t file_of(const struct round *r, const char *path) {
    for (uint32_t i = 0; path && i < cw_run_nfiles(r->run); i++)
        if (!strcmp(cw_run_path(r->run, i), path))
            return i;
    return UINT32_MAX;
}

/* The one file that the fix edits, when the run was asked about it. */
static uint32_t edited_file(const struct round *r, const struct cw_fix *fix) {
    const char *path = fix->edits.at[0].place.file;
    for (uint32_t i = 0; i < fix->edits.n; i++)
        if (!fix->edits.at[i].place.line || !path || strcmp(fix->edits.at[i].place.file, path) != 0)
            return UINT32_MAX;
    return file_of(r, path);
}

static uint32_t target_of(struct round *r, uint32_t file) {
    for (uint32_t i = 0; i < r->targets.n; i++)
        if (r->targets.at[i].file == file)
            return i;
    const struct cw_source *base = cw_sources_get(r->sources, cw_run_path(r->run, file), NULL);
    struct target t = {.file = file, .base = base};
    if (!base || base->is_binary)
        return UINT32_MAX;
    cw_vec_push(r->arena, &r->targets, t);
    return r->targets.n - 1;
}

/* How many of its fixes were tried in earlier rounds. */
static uint32_t times_refused(const struct round *r, const struct refusals *refused, const struct cw_finding *f) {
    const struct cw_source *s = f->place.file ? cw_sources_get(r->sources, f->place.file, NULL) : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < refused->at.n && s; i++) {
        const struct refused *x = &refused->at.at[i];
        n += x->offset == cw_source_offset(s, f->place.line, f->place.col) && !strcmp(x->rule, f->rule) &&
             !strcmp(x->file, f->place.file);
    }
    return n;
}

/* Takes the candidate's edits into the target's set: all of them or none. */
static bool take_edits(struct round *r, struct target *t, struct candidate *c) {
    struct cw_edits with = {0};
    for (uint32_t i = 0; i < t->edits.at.n; i++)
        cw_vec_push(r->arena, &with.at, t->edits.at.at[i]);
    for (uint32_t i = 0; i < c->edits.n; i++)
        if (!cw_edits_add(r->arena, &with, c->edits.at[i]))
            return false;
    t->edits = with;
    return true;
}

static void add_candidate(struct round *r, const struct cw_finding *f, const struct cw_fix *fix, bool is_last) {
    uint32_t file = edited_file(r, fix), at = file != UINT32_MAX ? target_of(r, file) : UINT32_MAX;
    if (at == UINT32_MAX)
        return;
    struct target *t = &r->targets.at[at];
    struct candidate c = {.finding = f, .fix = fix, .target = at, .is_last = is_last};
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        struct cw_replacement edit = cw_edit_resolve(r->arena, t->base, &fix->edits.at[i]);
        cw_vec_push(r->arena, &c.edits, edit);
    }
    if (!take_edits(r, t, &c))
        return; /* the next round's */
    cw_vec_push(r->arena, &t->candidates, r->candidates.n);
    cw_vec_push(r->arena, &r->candidates, c);
}

/* ---- the units that read the files ---- */

struct readers {
    struct round *round;
    const char **real;     /* of each target */
    struct cw_intern names;
    struct cw_map known;   /* interned path as a unit opened it -> 1 + target, 0: none */
};

static void find_real_paths(struct readers *d) {
    struct round *r = d->round;
    char full[PATH_MAX];
    d->real = CW_NEW_ARRAY(r->arena, const char *, r->targets.n + 1);
    for (uint32_t i = 0; i < r->targets.n; i++) {
        const char *path = cw_run_path(r->run, r->targets.at[i].file);
        d->real[i] = realpath(path, full) ? cw_arena_strdup(r->arena, full) : path;
    }
}

static uint64_t target_by_path(struct readers *d, const char *path) {
    uint64_t key = (uint64_t)(uintptr_t)cw_intern(&d->names, path), found = 0;
    char full[PATH_MAX];
    if (cw_map_get(&d->known, key, &found))
        return found;
    const char *real = realpath(path, full) ? full : path;
    for (uint32_t i = 0; i < d->round->targets.n && !found; i++)
        if (!strcmp(d->real[i], real))
            found = i + 1;
    cw_map_put(&d->known, key, found);
    return found;
}

static void add_reader(struct readers *d, struct affected *u, uint64_t target) {
    for (uint32_t i = 0; i < u->targets.n; i++)
        if (u->targets.at[i] + 1 == target)
            return;
    if (target)
        cw_vec_push(d->round->arena, &u->targets, (uint32_t)target - 1);
}

static void find_units(struct round *r) {
    struct readers d = {.round = r};
    cw_intern_init(&d.names, r->arena);
    cw_map_init(&d.known, r->arena);
    find_real_paths(&d);
    for (uint32_t i = 0; i < cw_run_nfiles(r->run) && r->targets.n; i++) {
        const struct cw_file_result *result = cw_run_result(r->run, i);
        struct affected u = {.file = i, .before = *result};
        add_reader(&d, &u, target_by_path(&d, cw_run_path(r->run, i)));
        for (uint32_t k = 0; k < result->reads.n; k++)
            add_reader(&d, &u, target_by_path(&d, result->reads.at[k]));
        if (u.targets.n)
            cw_vec_push(r->arena, &r->units, u);
    }
}

void cw_round_plan(struct round *r, const struct refusals *refused) {
    for (uint32_t i = 0; i < r->report.findings.n; i++) {
        const struct cw_finding *f = &r->report.findings.at[i];
        uint32_t tried = f->fixes.n ? times_refused(r, refused, f) : 0;
        const struct cw_fix *fix = fix_of(r, f, tried);
        if (fix)
            add_candidate(r, f, fix, !fix_of(r, f, tried + 1));
        else
            r->unsafe_left += f->fixes.n != 0 && !fix_of(r, f, 0);
    }
    for (uint32_t i = 0; i < r->targets.n; i++) {
        struct slice all = {0, r->targets.at[i].candidates.n};
        if (all.n)
            cw_vec_push(r->arena, &r->targets.at[i].pending, all);
    }
    find_units(r);
}

void cw_round_edits(struct round *r, struct target *t) {
    t->edits = (struct cw_edits){0};
    for (uint32_t i = 0; i < t->attempt.n; i++)
        (void)take_edits(r, t, &r->candidates.at[t->attempt.at[i]]); /* they do not overlap */
}
