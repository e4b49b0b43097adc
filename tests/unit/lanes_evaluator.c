/* Textual IR with expected values, ways and presence: every case of tests/analyses/lanes_*.ir. A case is a title (`;;
 * …`), a launch, and one function. `;=` behind a line states what must hold there, in iteration `@k` (`@outer.inner`)
 * of the loops around; several are separated by `;=`: exact E | sampled E         the value of thread t is E, an
 * expression of t, w (warp), l (lane) input S | unknown S         no number; S: `one` token, one per `warp`, or `each`
 * thread its own at NAME E                   a pointer to byte E of that object or parameter within E, F | within any
 * a pointer to one of bytes E to F of what it points into; or nothing is known of it yes E | input | unknown     a
 * block: reached by threads for which E holds, by others surely not; or undecided trips E                     a loop
 * header: how often it runs, -1 unknown present A E, B E, …         a collective: which threads arrive, have exited, …;
 * all others are elsewhere where E                     behind any of them: only threads for which E holds are looked at
 */
#include "check.h"
#include "support/files.h"
#include "support/thread_expr.h"

#include "lanes/lanes.h"
#include "lanes/lanes_internal.h"
#include "lanes/participation.h"

struct expectation {
    uint32_t block, nth; /* nth instruction of the block; UINT32_MAX: the block itself */
    uint32_t iteration[4], depth;
    const char *words;
    bool outside;        /* asked without any iteration fixed: in some, or the last */
};

struct lane_case {
    const char *file;
    char title[160];
    struct cw_launch launch;
    struct cw_launch_arg args[4];
    uint32_t sample;
    bool alone; /* without uniformity */
    CW_VEC(struct expectation) expected;
    uint32_t block, nth; /* where reading stands */
    char *text;
    size_t n;
};

struct subject {
    struct cw_lanes *lanes;
    struct cw_fn *fn;
    const struct expectation *e;
    const struct cw_context *context;
    uint32_t ins;
    const char *where;
    struct cw_arena *arena;
};

static int64_t expr(const char *text, uint32_t t, const char **end) {
    const char *rest;
    bool bad = false;
    int64_t v = thread_expr(text, t, &rest, &bad);
    CHECK(!bad);
    if (end)
        *end = rest;
    return v;
}

static bool asked(const struct subject *s, uint32_t t) {
    return !s->where || expr(s->where, t, NULL);
}

static int told; /* per expectation a few threads are enough */

static void differ(uint32_t t, const char *what, long long got, long long expected) {
    check_count++;
    if (got == expected)
        return;
    check_failures++;
    if (told++ < 3)
        fprintf(stderr, "thread %u: %s is %lld, expected %lld\n", t, what, got, expected);
}

/* ---- values ---- */

static void check_number(const struct subject *s, enum cw_known known, const char *words) {
    const struct cw_lane_values *v = cw_lanes_eval(s->lanes, cw_ref_ins(s->ins), s->context);
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++) {
        if (!asked(s, t))
            continue;
        differ(t, "known", v->known[t], known);
        differ(t, "value", v->value[t], expr(words, t, NULL));
    }
}

static void check_token(const struct subject *s, enum cw_known known, const char *words) {
    const struct cw_lane_values *v = cw_lanes_eval(s->lanes, cw_ref_ins(s->ins), s->context);
    bool each = strncmp(words, "each", 4) == 0, warp = strncmp(words, "warp", 4) == 0;
    CHECK(each || warp || strncmp(words, "one", 3) == 0);
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++) {
        if (!asked(s, t))
            continue;
        differ(t, "known", v->known[t], known);
        for (uint32_t u = 0; u < t; u++)
            if (asked(s, u) && (v->value[t] == v->value[u]) != (!each && (!warp || t / 32 == u / 32))) {
                differ(t, "token like that of thread", u, -1);
                break;
            }
    }
}

static bool is_named(const struct cw_fn *fn, cw_ref r, const char *name, size_t n) {
    const char *have = r.tag == CW_REF_OBJECT ? fn->objects.at[r.index].name
                       : r.tag == CW_REF_PARAM ? fn->params.at[r.index].name
                       : r.tag == CW_REF_CONST ? "null" : r.tag == CW_REF_INS ? "value" : "nowhere";
    return strlen(have) == n && memcmp(have, name, n) == 0;
}

static void check_address(const struct subject *s, const char *words) {
    struct cw_lane_addresses a;
    size_t n = strcspn(words, " ");
    CHECK(cw_lanes_address(s->lanes, cw_ref_ins(s->ins), s->context, &a));
    const struct cw_lane_value *places = cw_lanes_places(s->lanes, cw_ref_ins(s->ins), s->context);
    for (uint32_t t = 0; places && t < cw_lanes_count(s->lanes); t++) {
        struct cw_lane_place p = cw_lanes_place(places, t);
        bool same = cw_ref_eq(p.base, a.base[t]) && p.known == a.known[t];
        CHECK(same && (p.known > CW_SAMPLED || p.offset == a.offset[t]));
    }
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++) {
        if (!asked(s, t))
            continue;
        differ(t, "base", is_named(s->fn, a.base[t], words, n), 1);
        if (strncmp(words + n, " input", 6) == 0)
            differ(t, "known", a.known[t], CW_INPUT);
        else
            differ(t, "offset", a.offset[t], expr(words + n, t, NULL));
        if (strncmp(words + n, " input", 6) != 0)
            CHECK(a.known[t] <= CW_SAMPLED);
    }
}

static void check_offsets(const struct subject *s, const char *words) {
    bool any = strncmp(words, "any", 3) == 0;
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++) {
        struct cw_range have = cw_lanes_offsets_at(s->lanes, cw_ref_ins(s->ins), s->context, t);
        const char *rest = words;
        if (!asked(s, t))
            continue;
        differ(t, "lowest", have.lo, any ? INT64_MIN : expr(words, t, &rest));
        CHECK(any || *rest == ',');
        differ(t, "highest", have.hi, any ? INT64_MAX : expr(rest + 1, t, NULL));
    }
}

/* ---- control ---- */

static void check_reach(const struct subject *s, const char *words) {
    const uint8_t *reach = cw_lanes_reach(s->lanes, s->e->block, s->context);
    bool input = strncmp(words, "input", 5) == 0, unknown = strncmp(words, "unknown", 7) == 0;
    CHECK(input || unknown || strncmp(words, "yes", 3) == 0);
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++)
        if (asked(s, t))
            differ(t, "reach", reach[t], input     ? CW_REACH_INPUT
                                         : unknown ? CW_REACH_UNKNOWN
                                         : expr(words + 3, t, NULL) ? CW_REACH_YES
                                                                    : CW_REACH_NO);
}

static void check_trips(const struct subject *s, const char *words) {
    const int32_t *trips =
        cw_lanes_trips(s->lanes, s->fn->cfg->loop_of[s->e->block], s->context ? s->context->outer : NULL);
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++)
        if (asked(s, t))
            differ(t, "trips", trips[t], expr(words, t, NULL));
}

static enum cw_presence presence_word(const char **words) {
    static const char *const names[] = {"arrives", "exited", "elsewhere", "data-exit", "data", "unsure"};
    static const enum cw_presence means[] = {CW_ARRIVES, CW_EXITED, CW_ELSEWHERE, CW_DATA_EXIT, CW_DATA, CW_UNSURE};
    for (size_t k = 0; k < 6; k++)
        if (strncmp(*words, names[k], strlen(names[k])) == 0) {
            *words += strlen(names[k]);
            return means[k];
        }
    CHECK(false && "a presence");
    *words += strlen(*words);
    return CW_UNSURE;
}

static enum cw_presence expected_presence(const char *words, uint32_t t) {
    while (*words && *words != ';') {
        while (*words == ' ' || *words == ',')
            words++;
        enum cw_presence what = presence_word(&words);
        if (expr(words, t, &words))
            return what;
        if (*words != ',')
            break;
    }
    return CW_ELSEWHERE;
}

static void check_present(const struct subject *s, const char *words) {
    const struct cw_participation *p = cw_participation(s->lanes, s->ins, s->context, s->arena);
    for (uint32_t t = 0; t < cw_lanes_count(s->lanes); t++)
        if (asked(s, t))
            differ(t, "presence", p->presence[t], expected_presence(words, t));
}

/* ---- a case ---- */

static const struct cw_context *context_of(const struct subject *s) {
    const struct cw_cfg *cfg = s->fn->cfg;
    uint32_t nest[8], depth = 0;
    const struct cw_context *c = NULL;
    if (s->e->outside)
        return NULL;
    for (uint32_t l = cfg->loop_of[s->e->block]; l != CW_NO_LOOP && depth < 8; l = cfg->loops.at[l].parent)
        nest[depth++] = l;
    for (uint32_t k = 0; k < depth; k++) {
        uint32_t iteration = s->e->depth + k >= depth ? s->e->iteration[s->e->depth + k - depth] : 0;
        c = cw_lanes_context(s->lanes, c, nest[depth - 1 - k], iteration);
    }
    return c;
}

static void check_one(struct subject *s) {
    const char *w = s->e->words, *rest = strchr(w, ' ') ? strchr(w, ' ') + 1 : "";
    s->where = strstr(w, "where ");
    s->where = s->where ? s->where + 6 : NULL;
    s->context = context_of(s);
    if (s->e->nth == UINT32_MAX) {
        strncmp(w, "trips", 5) == 0 ? check_trips(s, rest) : check_reach(s, w);
        return;
    }
    s->ins = s->fn->blocks.at[s->e->block].ins.at[s->e->nth];
    if (strncmp(w, "exact", 5) == 0)
        check_number(s, CW_EXACT, rest);
    else if (strncmp(w, "sampled", 7) == 0)
        check_number(s, CW_SAMPLED, rest);
    else if (strncmp(w, "input", 5) == 0)
        check_token(s, CW_INPUT, rest);
    else if (strncmp(w, "unknown", 7) == 0)
        check_token(s, CW_UNKNOWN, rest);
    else if (strncmp(w, "at ", 3) == 0)
        check_address(s, rest);
    else if (strncmp(w, "within", 6) == 0)
        check_offsets(s, rest);
    else if (strncmp(w, "present", 7) == 0)
        check_present(s, rest);
    else
        CHECK(false && "a known word");
}

static void check_case(struct lane_case *c, struct cw_fn *fn, struct cw_arena *a) {
    struct cw_launches launches = {.at = &c->launch, .n = 1, .from_facts = true};
    cw_cfg_build(fn);
    struct cw_uniformity *u = c->alone ? NULL : cw_uniformity(fn, cw_shape_facts_of(&launches), a);
    struct cw_lanes *lanes = cw_lanes_new(fn, u, &c->launch, c->sample, 200000, a);
    for (uint32_t k = 0; k < c->expected.n; k++) {
        struct subject s = {.lanes = lanes, .fn = fn, .e = &c->expected.at[k], .arena = a};
        int before = check_failures;
        told = 0;
        check_one(&s);
        if (check_failures != before)
            fprintf(stderr, "  … for block %u, instruction %d: %s\n", s.e->block, (int)s.e->nth, s.e->words);
    }
}

static void run_case(struct lane_case *c) {
    struct cw_arena a;
    const char *error = NULL;
    int before = check_failures;
    cw_arena_init(&a);
    struct cw_module *m = cw_module_parse(&a, c->text, c->n, &error);
    if (!m)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1 && c->expected.n > 0);
    if (m) {
        const char *wrong = cw_fn_verify(m->fns.at[0]);
        if (wrong)
            fprintf(stderr, "%s\n", wrong);
        CHECK(wrong == NULL);
        check_case(c, m->fns.at[0], &a);
    }
    if (check_failures != before)
        fprintf(stderr, "  … in %s: %s\n\n", c->file, c->title);
    cw_arena_free(&a);
}

/* ---- reading ---- */

static void read_args(struct lane_case *c, const char *words) {
    c->launch.args = c->args;
    for (const char *p = words; *p && *p != ' ' && c->launch.nargs < 4; p += *p == ',') {
        char *end;
        int64_t v = strtoll(p, &end, 0);
        c->args[c->launch.nargs++] = (struct cw_launch_arg){.known = end != p, .value = v, .least = INT64_MIN,
                                                            .most = INT64_MAX};
        p = end == p ? p + 1 : end;
    }
}

static void read_launch(struct lane_case *c, const char *words) {
    const char *w;
    if ((w = strstr(words, "block=")) != NULL)
        sscanf(w, "block=%u,%u,%u", &c->launch.block[0], &c->launch.block[1], &c->launch.block[2]);
    if ((w = strstr(words, "grid=")) != NULL)
        c->launch.grid_known =
            sscanf(w, "grid=%u,%u,%u", &c->launch.grid[0], &c->launch.grid[1], &c->launch.grid[2]) > 0;
    if ((w = strstr(words, "sample=")) != NULL)
        c->sample = (uint32_t)strtoul(w + 7, NULL, 10);
    if ((w = strstr(words, "covers=")) != NULL)
        c->launch.exact_cover_param = (uint32_t)strtoul(w + 7, NULL, 10);
    if ((w = strstr(words, "args=")) != NULL)
        read_args(c, w + 5);
    c->alone = strstr(words, "alone") != NULL;
}

static void read_expectations(struct lane_case *c, struct cw_arena *a, const char *text, bool is_block) {
    for (const char *p = strstr(text, ";="); p; p = strstr(p, ";=")) {
        struct expectation e = {.block = c->block, .nth = is_block ? UINT32_MAX : c->nth};
        p += 2;
        while (*p == ' ')
            p++;
        if (strncmp(p, "after ", 6) == 0) {
            e.outside = true;
            p += 6;
        }
        while ((*p == '@' || *p == '.') && e.depth < 4) {
            char *end;
            e.iteration[e.depth++] = (uint32_t)strtoul(p + 1, &end, 10);
            p = end;
        }
        while (*p == ' ')
            p++;
        const char *end = strstr(p, ";=");
        e.words = cw_arena_strndup(a, p, end ? (size_t)(end - p) : strlen(p));
        cw_vec_push(a, &c->expected, e);
    }
}

/* One line of the function: noted, and kept for the parser. */
static void read_line(struct lane_case *c, struct cw_arena *a, const char *line, size_t n) {
    char *text = cw_arena_strndup(a, line, n);
    size_t label = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
    const char *body = text + strspn(text, " ");
    static const char *const jumps[] = {"goto ", "branch ", "switch ", "return", "trap"};
    bool is_block = label > 0 && text[label] == ':', is_jump = *text != ' ';
    for (size_t k = 0; k < 5; k++)
        is_jump |= strncmp(body, jumps[k], strlen(jumps[k])) == 0;
    if (is_block) {
        c->block = c->block == UINT32_MAX ? 0 : c->block + 1;
        c->nth = 0;
    }
    bool is_ins = !is_block && !is_jump && *body && *body != ';' && c->block != UINT32_MAX && !strchr("$}", *body);
    read_expectations(c, a, text, is_block);
    c->nth += is_ins;
    memcpy(c->text + c->n, line, n);
    c->n += n;
    c->text[c->n++] = '\n';
}

static uint32_t run_file(const char *file) {
    struct cw_arena a;
    struct lane_case c = {.file = file};
    uint32_t cases = 0;
    char path[512];
    size_t n;
    cw_arena_init(&a);
    snprintf(path, sizeof path, "%s/analyses/%s", CW_TEST_DIR, file);
    char *text = read_whole(path, &n), *copy = cw_arena_alloc(&a, n + 2);
    for (const char *line = text, *end; line < text + n; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + n - line));
        end = end ? end : text + n;
        size_t length = (size_t)(end - line);
        if (length > 10 && memcmp(line, ";; launch ", 10) == 0) {
            read_launch(&c, cw_arena_strndup(&a, line + 10, length - 10));
        } else if (length > 3 && memcmp(line, ";; ", 3) == 0) {
            c = (struct lane_case){.file = file, .text = copy, .block = UINT32_MAX};
            c.launch = (struct cw_launch){.block = {64, 1, 1}, .grid = {1, 1, 1}, .source = CW_LAUNCH_SITE};
            snprintf(c.title, sizeof c.title, "%.*s", (int)length - 3, line + 3);
        } else if (c.title[0]) {
            read_line(&c, &a, line, length);
            if (length == 1 && *line == '}') {
                run_case(&c);
                cases++;
                c.title[0] = 0;
            }
        }
    }
    free(text);
    cw_arena_free(&a);
    return cases;
}

int main(void) {
    CHECK(run_file("lanes_values.ir") >= 20);
    CHECK(run_file("lanes_control.ir") >= 15);
    CHECK(run_file("lanes_memory.ir") >= 10);
    CHECK(run_file("lanes_collectives.ir") >= 12);
    CHECK(run_file("participation.ir") >= 15);
    return check_report();
}
