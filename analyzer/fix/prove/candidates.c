/* Which fixes are tried in a round, and which units have to be looked at again for them. */
#include "fix/prove/prove_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fix of a finding ---- */

static bool is_eligible(const struct round *round, const struct cw_finding *finding, const struct cw_fix *fix) {
    const struct cw_repair_options *o = round->options;
    return fix->edits.n && (fix->safe || o->unsafe) && (!o->wants || o->wants(o->ctx, finding, fix));
}

/* The one after those that were refused in earlier rounds; NULL: none is left. */
static const struct cw_fix *fix_of(const struct round *round, const struct cw_finding *finding, uint32_t refused) {
    for (uint32_t i = 0; i < finding->fixes.n; i++)
        if (is_eligible(round, finding, &finding->fixes.at[i]) && refused-- == 0)
            return &finding->fixes.at[i];
    return NULL;
}

static uint32_t file_of(const struct round *round, const char *path) {
    for (uint32_t i = 0; path && i < cw_run_nfiles(round->run); i++)
        if (!strcmp(cw_run_path(round->run, i), path))
            return i;
    return UINT32_MAX;
}

/* The one file that the fix edits, when the run was asked about it. */
static uint32_t edited_file(const struct round *round, const struct cw_fix *fix) {
    const char *path = fix->edits.at[0].place.file;
    for (uint32_t i = 0; i < fix->edits.n; i++)
        if (!fix->edits.at[i].place.line || !path || strcmp(fix->edits.at[i].place.file, path) != 0)
            return UINT32_MAX;
    return file_of(round, path);
}

static uint32_t target_of(struct round *round, uint32_t file) {
    for (uint32_t i = 0; i < round->targets.n; i++)
        if (round->targets.at[i].file == file)
            return i;
    const struct cw_source *base = cw_sources_get(round->sources, cw_run_path(round->run, file), NULL);
    struct target t = {.file = file, .base = base};
    if (!base || base->is_binary)
        return UINT32_MAX;
    cw_vec_push(round->arena, &round->targets, t);
    return round->targets.n - 1;
}

/* How many of its fixes were tried in earlier rounds. */
static uint32_t times_refused(const struct round *round, const struct refusals *refused,
                              const struct cw_finding *finding) {
    const struct cw_source *s = finding->place.file ? cw_sources_get(round->sources, finding->place.file, NULL) : NULL;
    uint32_t n = 0;
    for (uint32_t i = 0; i < refused->at.n && s; i++) {
        const struct refused *x = &refused->at.at[i];
        n += x->offset == cw_source_offset(s, finding->place.line, finding->place.col) &&
             !strcmp(x->rule, finding->rule) && !strcmp(x->file, finding->place.file);
    }
    return n;
}

/* Takes the candidate's edits into the target's set: all of them or none. */
static bool take_edits(struct round *round, struct target *target, struct candidate *candidate) {
    struct cw_edits with = {0};
    for (uint32_t i = 0; i < target->edits.at.n; i++)
        cw_vec_push(round->arena, &with.at, target->edits.at.at[i]);
    for (uint32_t i = 0; i < candidate->edits.n; i++)
        if (!cw_edits_add(round->arena, &with, candidate->edits.at[i]))
            return false;
    target->edits = with;
    return true;
}

static void add_candidate(struct round *round, const struct cw_finding *finding, const struct cw_fix *fix,
                          bool is_last) {
    uint32_t file = edited_file(round, fix), at = file != UINT32_MAX ? target_of(round, file) : UINT32_MAX;
    if (at == UINT32_MAX)
        return;
    struct target *t = &round->targets.at[at];
    struct candidate c = {.finding = finding, .fix = fix, .target = at, .is_last = is_last};
    for (uint32_t i = 0; i < fix->edits.n; i++) {
        struct cw_replacement edit = cw_edit_resolve(round->arena, t->base, &fix->edits.at[i]);
        cw_vec_push(round->arena, &c.edits, edit);
    }
    if (!take_edits(round, t, &c))
        return; /* the next round's */
    cw_vec_push(round->arena, &t->candidates, round->candidates.n);
    cw_vec_push(round->arena, &round->candidates, c);
}

/* ---- the units that read the files ---- */

struct readers {
    struct round *round;
    const char **real;     /* of each target */
    struct cw_intern names;
    struct cw_map known;   /* interned path as a unit opened it -> 1 + target, 0: none */
};

static void find_real_paths(struct readers *readers) {
    struct round *r = readers->round;
    char full[PATH_MAX];
    readers->real = CW_NEW_ARRAY(r->arena, const char *, r->targets.n + 1);
    for (uint32_t i = 0; i < r->targets.n; i++) {
        const char *path = cw_run_path(r->run, r->targets.at[i].file);
        readers->real[i] = realpath(path, full) ? cw_arena_strdup(r->arena, full) : path;
    }
}

static uint64_t target_by_path(struct readers *readers, const char *path) {
    uint64_t key = (uint64_t)(uintptr_t)cw_intern(&readers->names, path), found = 0;
    char full[PATH_MAX];
    if (cw_map_get(&readers->known, key, &found))
        return found;
    const char *real = realpath(path, full) ? full : path;
    for (uint32_t i = 0; i < readers->round->targets.n && !found; i++)
        if (!strcmp(readers->real[i], real))
            found = i + 1;
    cw_map_put(&readers->known, key, found);
    return found;
}

static void add_reader(struct readers *readers, struct affected *affected, uint64_t target) {
    for (uint32_t i = 0; i < affected->targets.n; i++)
        if (affected->targets.at[i] + 1 == target)
            return;
    if (target)
        cw_vec_push(readers->round->arena, &affected->targets, (uint32_t)target - 1);
}

static void find_units(struct round *round) {
    struct readers d = {.round = round};
    cw_intern_init(&d.names, round->arena);
    cw_map_init(&d.known, round->arena);
    find_real_paths(&d);
    for (uint32_t i = 0; i < cw_run_nfiles(round->run) && round->targets.n; i++) {
        const struct cw_file_result *result = cw_run_result(round->run, i);
        struct affected u = {.file = i, .before = *result};
        add_reader(&d, &u, target_by_path(&d, cw_run_path(round->run, i)));
        for (uint32_t k = 0; k < result->reads.n; k++)
            add_reader(&d, &u, target_by_path(&d, result->reads.at[k]));
        if (u.targets.n)
            cw_vec_push(round->arena, &round->units, u);
    }
}

void cw_round_plan(struct round *round, const struct refusals *refused) {
    for (uint32_t i = 0; i < round->report.findings.n; i++) {
        const struct cw_finding *f = &round->report.findings.at[i];
        uint32_t tried = f->fixes.n ? times_refused(round, refused, f) : 0;
        const struct cw_fix *fix = fix_of(round, f, tried);
        if (fix)
            add_candidate(round, f, fix, !fix_of(round, f, tried + 1));
        else
            round->unsafe_left += f->fixes.n != 0 && !fix_of(round, f, 0);
    }
    for (uint32_t i = 0; i < round->targets.n; i++) {
        struct slice all = {0, round->targets.at[i].candidates.n};
        if (all.n)
            cw_vec_push(round->arena, &round->targets.at[i].pending, all);
    }
    find_units(round);
}

void cw_round_edits(struct round *round, struct target *target) {
    target->edits = (struct cw_edits){0};
    for (uint32_t i = 0; i < target->attempt.n; i++)
        (void)take_edits(round, target, &round->candidates.at[target->attempt.at[i]]); /* they do not overlap */
}
