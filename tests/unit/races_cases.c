/* Textual IR with the races in it: every case of tests/analyses/races_*.ir and lost_updates.ir. A case is a title
 * (`;; …`), perhaps a launch, what is expected, and one function. All must be named, and no others:
 *   ;= definite KIND warp|block OBJECT+OFFSET FIRST-SECOND [unused]     two threads that meet there
 *   ;= definite GROUND FIRST-SECOND                                     of lost updates
 *   ;= none */
#include "check.h"
#include "support/files.h"

#include "base/str.h"
#include "races/lost_updates.h"
#include "races/races.h"

enum { BUDGET = 1 << 15, EXPECTED = 8, MOST = 32, SAMPLES = 8 };

struct race_case {
    const char *file;
    char title[160];
    struct cw_launch launch;
    char expected[EXPECTED][160];
    uint32_t n;
    bool none, is_of_updates;
    const char *text;
};

struct subject {
    struct cw_arena *arena;
    struct cw_fn *fn;
    struct cw_uniformity *uniformity;
    struct cw_launches launches;
    struct cw_lanes *lanes[2 * CW_SAMPLE_DATA];
};

static struct cw_lanes *lanes_of(void *owner, uint32_t launch, uint32_t sample) {
    struct subject *s = owner;
    if (!s->lanes[sample])
        s->lanes[sample] =
            cw_lanes_new(s->fn, s->uniformity, &s->launches.at[launch], sample, BUDGET, s->arena);
    return s->lanes[sample];
}

/* In the words of the expectations. */
static const char *told_update(const struct cw_lost_update *u, struct cw_arena *a) {
    static const char *const grounds[] = {
        [CW_GROUND_ASSUMED] = "assumed",       [CW_GROUND_ONE_PLACE] = "place",  [CW_GROUND_FEW] = "few",
        [CW_GROUND_NARROWED] = "narrowed",     [CW_GROUND_NEIGHBOURS] = "lists", [CW_GROUND_ATOMICS] = "atomics",
        [CW_GROUND_PROBE] = "probe"};
    return cw_arena_printf(a, "%s %s %u-%u", u->definite ? "definite" : "possible", grounds[u->ground], u->first,
                           u->second);
}

static const char *told(const struct cw_fn *fn, const struct cw_race *r, struct cw_arena *a) {
    const char *name = r->base.tag == CW_REF_OBJECT  ? fn->objects.at[r->base.index].name
                       : r->base.tag == CW_REF_PARAM ? fn->params.at[r->base.index].name
                                                     : "?";
    return cw_arena_printf(a, "%s %s %s %s+%lld %d-%u%s", r->definite ? "definite" : "possible",
                           cw_race_properties_text(&r->is), r->same_warp ? "warp" : "block", name, (long long)r->offset,
                           r->first.ins == UINT32_MAX ? -1 : (int)r->first.thread, r->second.thread,
                           r->unused ? " unused" : "");
}

static void compare(const struct race_case *c, const char *const *texts, uint32_t n) {
    bool met[EXPECTED] = {false};
    for (uint32_t k = 0; k < n; k++) {
        const char *text = texts[k];
        uint32_t e = 0;
        while (e < c->n && (met[e] || strcmp(c->expected[e], text) != 0))
            e++;
        if (e < c->n)
            met[e] = true;
        else
            fprintf(stderr, "  unexpected: %s\n", text);
        CHECK(e < c->n);
    }
    for (uint32_t e = 0; e < c->n; e++) {
        if (!met[e])
            fprintf(stderr, "  missing: %s\n", c->expected[e]);
        CHECK(met[e]);
    }
}

static uint32_t tell_races(const struct cw_kernel_query *q, const char **texts) {
    struct cw_races races = cw_races_of(q);
    for (uint32_t k = 0; k < races.at.n && k < MOST; k++)
        texts[k] = told(q->fn, &races.at.at[k], q->arena);
    return races.at.n;
}

static uint32_t tell_updates(const struct cw_kernel_query *q, const char **texts) {
    struct cw_lost_updates updates = cw_lost_updates_of(q);
    for (uint32_t k = 0; k < updates.at.n && k < MOST; k++)
        texts[k] = told_update(&updates.at.at[k], q->arena);
    return updates.at.n;
}

static void check_function(const struct race_case *c, struct cw_fn *fn, struct cw_arena *a) {
    struct subject s = {.arena = a, .fn = fn};
    struct cw_launch launch = c->launch;
    if (!fn->is_ssa)
        cw_optimize(fn);
    fn->is_ssa = true;
    fn->cfg = cw_cfg_build(fn);
    s.launches = (struct cw_launches){.at = &launch, .n = 1, .from_facts = true};
    s.uniformity = cw_uniformity(fn, cw_shape_facts_of(&s.launches), a);
    struct cw_kernel_query q = {fn, s.uniformity, &s.launches, lanes_of, &s, a, NULL};
    const char *texts[MOST];
    uint32_t n = c->is_of_updates ? tell_updates(&q, texts) : tell_races(&q, texts);
    CHECK(n < MOST);
    compare(c, texts, n);
}

static void run_case(const struct race_case *c) {
    struct cw_arena a;
    const char *error = NULL;
    int before = check_failures;
    cw_arena_init(&a);
    struct cw_module *m = cw_module_parse(&a, c->text, strlen(c->text), &error);
    if (!m)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1 && (c->none ? c->n == 0 : c->n > 0));
    if (m) {
        const char *wrong = cw_fn_verify(m->fns.at[0]);
        if (wrong)
            fprintf(stderr, "%s\n", wrong);
        CHECK(wrong == NULL);
        if (!wrong)
            check_function(c, m->fns.at[0], &a);
    }
    if (check_failures != before)
        fprintf(stderr, "  … in %s: %s\n", c->file, c->title);
    cw_arena_free(&a);
}

static void read_line(struct race_case *c, struct cw_buf *text, const char *line) {
    if (strncmp(line, ";; launch block=", 16) == 0) {
        CHECK_INT(sscanf(line + 16, "%u,%u,%u", &c->launch.block[0], &c->launch.block[1], &c->launch.block[2]), 3);
    } else if (strncmp(line, ";; ", 3) == 0) {
        *c =
            (struct race_case){.file = c->file,
                               .is_of_updates = c->is_of_updates,
                               .launch = {.block = {32, 1, 1}, .grid = {1, 1, 1}, .grid_known = true}};
        snprintf(c->title, sizeof c->title, "%s", line + 3);
        text->n = 0;
    } else if (strcmp(line, ";= none") == 0) {
        c->none = true;
    } else if (strncmp(line, ";= ", 3) == 0) {
        CHECK(c->n < EXPECTED);
        snprintf(c->expected[c->n++ % EXPECTED], sizeof c->expected[0], "%s", line + 3);
    } else {
        cw_buf_printf(text, "%s\n", line);
    }
}

static uint32_t run_file(const char *file) {
    struct race_case c = {.file = file, .is_of_updates = strcmp(file, "lost_updates.ir") == 0};
    struct cw_buf function = {0};
    uint32_t cases = 0;
    char path[512];
    snprintf(path, sizeof path, "%s/analyses/%s", CW_TEST_DIR, file);
    char *text = read_whole(path, NULL), *rest = text;
    for (char *line = text; line; line = rest) {
        rest = strchr(line, '\n');
        if (rest)
            *rest++ = '\0';
        if (*line)
            read_line(&c, &function, line);
        if (strcmp(line, "}") == 0) {
            c.text = function.at;
            run_case(&c);
            cases++;
        }
    }
    cw_buf_free(&function);
    free(text);
    return cases;
}

int main(void) {
    CHECK(run_file("races_warp.ir") >= 14);
    CHECK(run_file("races_block.ir") >= 14);
    CHECK(run_file("races_memory_barriers.ir") >= 9);
    CHECK(run_file("lost_updates.ir") >= 13);
    return check_report();
}
