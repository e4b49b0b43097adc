/* Random kernels of two blocks against the order between blocks. Every program is really run in many interleavings
 * (support/block_schedules.h):
 * a definite finding must be shown: its two threads race at its two instructions in some execution. It is counted how
 * often the two race in spite of what is said to be missing (wider scopes, fences), as a signal that may be observed
 * counts as one that is; and what races and is not reported. A failing program is made smaller before it is shown.
 *
 *     test_blocks_random           the usual seeds
 *     test_blocks_random SEED      one seed, with words
 *     test_blocks_random FROM TO   many */
#include "check.h"
#include "support/block_schedules.h"

#include "blocks/inter_block.h"

#include <stdlib.h>

enum { PROGRAMS = 600, BUDGET = 1 << 15, SHOWN = 5 };

enum fault { FINE, UNFIT, NOT_SHOWN, FAULTS };

static const char *const fault_text[FAULTS] = {
    [FINE] = "fine",
    [UNFIT] = "could not be read",
    [NOT_SHOWN] = "a definite finding that no execution shows",
};

static const char *const kind_text[] = {
    [CW_BLOCK_RACE] = "inter-block-race",          [CW_BLOCK_NARROW_SCOPE] = "narrow-scope",
    [CW_BLOCK_MISSING_FENCE] = "missing-fence",    [CW_BLOCK_WAIT_FENCE] = "missing-fence (acquire)",
    [CW_BLOCK_LOCK_FENCE] = "lock-without-fence",
    [CW_BLOCK_UNLOCK_FENCE] = "unlock-without-fence", [CW_BLOCK_EARLY_SIGNAL] = "signal-before-barrier",
    [CW_BLOCK_PLAIN_SPIN] = "plain-spin"};
enum { KINDS = sizeof kind_text / sizeof kind_text[0] };

struct verdict {
    enum fault fault;
    uint32_t definite, possible, misnamed, kinds[KINDS];
    uint32_t pairs, reported; /* of statements that race; of them, reported */
    bool racy, is_reported;
    char what[160];
};

struct subject {
    struct cw_arena arena;
    struct cw_fn *fn;
    struct cw_uniformity *uniformity;
    struct cw_launch launch;
    struct cw_launches launches;
};

static struct cw_lanes *make_lanes(void *owner, uint32_t launch, uint32_t sample) {
    struct subject *s = owner;
    return cw_lanes_new(s->fn, s->uniformity, &s->launches.at[launch], sample, BUDGET, &s->arena);
}

static bool read_program(struct subject *subject, const struct block_program *program, struct verdict *verdict) {
    struct cw_buf text = {0};
    const char *error = NULL;
    block_program_print(program, &text);
    struct cw_module *m = cw_module_parse(&subject->arena, text.at, text.n, &error);
    if (m != NULL)
        error = cw_fn_verify(m->fns.at[0]);
    if (error != NULL) {
        verdict->fault = UNFIT;
        snprintf(verdict->what, sizeof verdict->what, "%s", error);
    } else {
        subject->fn = m->fns.at[0];
        subject->fn->cfg = cw_cfg_build(subject->fn);
        subject->launch = (struct cw_launch){
            .block = {64, 1, 1}, .grid = {2, 1, 1}, .grid_known = true, .source = CW_LAUNCH_SITE};
        subject->launches = (struct cw_launches){.at = &subject->launch, .n = 1, .from_facts = true};
        subject->uniformity = cw_uniformity(subject->fn, cw_shape_facts_of(&subject->launches), &subject->arena);
    }
    cw_buf_free(&text);
    return error == NULL;
}

static uint32_t statement_of(const struct subject *subject, uint32_t ins) {
    return subject->fn->locs.at[subject->fn->ins.at[ins].loc].span.line - 1;
}

static uint32_t access_of(const struct block_program *program, const struct subject *subject,
                          const struct cw_block_side *side) {
    return block_access(statement_of(subject, side->ins), side->at.block * 2 + side->at.thread / program->apart);
}

static bool has_race(const struct block_program *program, struct block_model model, uint32_t a, uint32_t b) {
    static struct block_races races;
    for (uint32_t switches = 0; switches <= 2; switches++)
        for (uint32_t initial = 0; initial < BLOCK_INITIAL; initial++) {
            memset(&races, 0, sizeof races);
            block_schedules_run(program, model, switches, initial, &races);
            if (races.pair[a][b])
                return true;
        }
    return false;
}

/* What the rule says of the wait decides which executions count: a lock's missing acquire shows only where a read that
 * observes a release does not order by itself. */
static bool is_shown(const struct block_program *program, enum cw_block_fault_kind kind, uint32_t a, uint32_t b) {
    bool acquire = kind == CW_BLOCK_LOCK_FENCE || kind == CW_BLOCK_NARROW_SCOPE;
    struct block_model model = {.no_acquire = !acquire, .collected = kind == CW_BLOCK_EARLY_SIGNAL};
    return has_race(program, model, a, b);
}

static bool is_misnamed(const struct block_program *program, enum cw_block_fault_kind kind, uint32_t a, uint32_t b) {
    static struct block_races races;
    struct block_model model = {.any_scope = true, .no_fence = kind != CW_BLOCK_NARROW_SCOPE, .no_acquire = true};
    if (kind == CW_BLOCK_RACE || kind == CW_BLOCK_EARLY_SIGNAL)
        return false;
    memset(&races, 0, sizeof races);
    block_schedules_run(program, model, 1, 0, &races);
    return races.pair[a][b] != 0;
}

static void check_fault(const struct block_program *program, const struct subject *subject,
                        const struct cw_block_fault *fault, struct verdict *verdict) {
    uint32_t a = access_of(program, subject, &fault->first), b = access_of(program, subject, &fault->second);
    verdict->kinds[fault->kind]++;
    verdict->definite += fault->definite;
    verdict->possible += !fault->definite;
    if (!fault->definite || verdict->fault != FINE)
        return;
    if (!is_shown(program, fault->kind, a, b))
        verdict->fault = NOT_SHOWN;
    else
        verdict->misnamed += is_misnamed(program, fault->kind, a, b);
    snprintf(verdict->what, sizeof verdict->what, "%s: line %u, thread %u of block %u; line %u, thread %u of block %u",
             kind_text[fault->kind], a / BLOCK_ACTORS + 1, fault->first.at.thread, fault->first.at.block,
             b / BLOCK_ACTORS + 1, fault->second.at.thread, fault->second.at.block);
}

static bool is_pair_reported(const struct subject *subject, const struct cw_block_faults *faults, uint32_t a,
                             uint32_t b) {
    for (uint32_t k = 0; k < faults->at.n; k++) {
        uint32_t first = statement_of(subject, faults->at.at[k].first.ins),
                 second = statement_of(subject, faults->at.at[k].second.ins);
        if ((first == a && second == b) || (first == b && second == a))
            return true;
    }
    return false;
}

/* Races between threads of two blocks; those within a block are what races/ looks for. */
static void count_missed(const struct block_program *program, const struct subject *subject,
                         const struct cw_block_faults *faults, struct verdict *verdict) {
    static struct block_races races;
    memset(&races, 0, sizeof races);
    block_schedules_run(program, (struct block_model){.no_acquire = true}, 1, 0, &races);
    for (uint32_t a = 0; a < program->n; a++)
        for (uint32_t b = a; b < program->n; b++) {
            bool some = false;
            for (uint32_t x = 0; x < BLOCK_ACTORS; x++)
                for (uint32_t y = 0; y < BLOCK_ACTORS; y++)
                    some |= x / 2 != y / 2 && races.pair[block_access(a, x)][block_access(b, y)];
            verdict->pairs += some;
            verdict->reported += some && is_pair_reported(subject, faults, a, b);
        }
    verdict->racy = verdict->pairs > 0;
    verdict->is_reported = verdict->racy && faults->at.n > 0;
}

/* Either list is empty: it is asked which of the two kinds the kernel is. */
static struct cw_block_faults faults_of(const struct cw_kernel_query *query) {
    struct cw_block_faults faults = cw_block_faults_of(query);
    return faults.at.n ? faults : cw_plain_block_races_of(query);
}

static struct verdict judge_program(const struct block_program *program) {
    struct verdict verdict = {.fault = FINE};
    struct subject subject = {0};
    cw_arena_init(&subject.arena);
    if (read_program(&subject, program, &verdict)) {
        struct cw_kernel_query q = {subject.fn, subject.uniformity, &subject.launches, make_lanes,
                                    &subject,   &subject.arena,     NULL};
        struct cw_block_faults faults = faults_of(&q);
        for (uint32_t k = 0; k < faults.at.n; k++)
            check_fault(program, &subject, &faults.at.at[k], &verdict);
        count_missed(program, &subject, &faults, &verdict);
    }
    cw_arena_free(&subject.arena);
    return verdict;
}

/* ---- making a failing program smaller ---- */

static bool is_still_wrong(const struct block_program *program, const struct verdict *verdict, bool missed) {
    struct verdict now = judge_program(program);
    return missed ? now.fault == FINE && now.racy && !now.is_reported : now.fault == verdict->fault;
}

static uint32_t find_end(const struct block_program *program, uint32_t at) {
    uint32_t depth = 1;
    while (depth > 0) {
        uint8_t kind = program->at[++at].kind;
        depth += kind == BLOCK_IF || kind == BLOCK_TICKET;
        depth -= kind == BLOCK_END;
    }
    return at;
}

static void shrink_program(struct block_program *program, const struct verdict *verdict, bool missed) {
    for (bool some = true; some;) {
        some = false;
        for (uint32_t k = 0; k < program->n; k++) {
            struct block_program smaller = *program;
            uint8_t kind = program->at[k].kind;
            if (program->at[k].dropped || kind == BLOCK_END)
                continue;
            uint32_t end = kind == BLOCK_IF || kind == BLOCK_TICKET ? find_end(program, k) : k;
            for (uint32_t n = k; n <= end; n++)
                smaller.at[n].dropped = true;
            if (is_still_wrong(&smaller, verdict, missed)) {
                *program = smaller;
                some = true;
            }
        }
    }
}

static void print_source(const struct block_program *program, struct cw_buf *out) {
    static const char *const name[] = {"store", "load", "update", "fence", "signal", "spin", "take", "release",
                                       "if",    "ticket", "end",  "barrier", "grid", "warp"};
    static const char *const order[] = {"", " acquire", " release", " acq_rel"};
    for (uint32_t k = 0; k < program->n; k++) {
        const struct block_statement *s = &program->at[k];
        if (!s->dropped)
            cw_buf_printf(out, "%3u %s element=%u value=%u scope=%u block=%d warp=%d%s%s%s%s%s%s%s\n", k + 1,
                          name[s->kind], s->element, s->value, s->scope, s->block, s->warp,
                          s->by_block ? " by-block" : "",
                          s->by_warp ? " by-warp" : "", s->is_volatile ? " volatile" : "", order[s->order],
                          s->is_access ? " access" : "", s->adds ? " adds" : "",
                          s->collects ? " collects" : "");
    }
}

static void show_program(struct block_program *program, uint64_t seed, bool missed, bool whole) {
    struct verdict verdict = judge_program(program);
    struct cw_buf text = {0};
    shrink_program(program, &verdict, missed);
    verdict = judge_program(program);
    cw_buf_printf(&text, "seed %llu: %s %s\n", (unsigned long long)seed,
                  missed ? "races, and nothing is reported" : fault_text[verdict.fault], verdict.what);
    print_source(program, &text);
    if (whole)
        block_program_print(program, &text);
    fputs(text.at, stderr);
    cw_buf_free(&text);
}

static struct tally {
    uint64_t programs, racy, reported, definite, possible, misnamed, pairs, pairs_reported;
    uint64_t faults[FAULTS], kinds[KINDS];
} tally;

static void check_seed(uint64_t seed, bool verbose) {
    static struct block_program program;
    block_program_make(&program, seed);
    struct verdict v = judge_program(&program);
    tally.programs++;
    tally.racy += v.racy;
    tally.reported += v.is_reported;
    tally.definite += v.definite;
    tally.possible += v.possible;
    tally.misnamed += v.misnamed;
    tally.pairs += v.pairs;
    tally.pairs_reported += v.reported;
    for (uint32_t k = 0; k < KINDS; k++)
        tally.kinds[k] += v.kinds[k];
    CHECK(v.fault == FINE);
    bool wrong = v.fault != FINE && tally.faults[v.fault]++ < SHOWN, missed = v.racy && !v.is_reported;
    if (wrong || verbose)
        show_program(&program, seed, v.fault == FINE && missed, verbose);
}

int main(int argc, char **argv) {
    uint64_t from = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t to = argc > 2 ? strtoull(argv[2], NULL, 10) : argc > 1 ? from : PROGRAMS;
    for (uint64_t seed = from; seed <= to; seed++)
        check_seed(seed, argc == 2);
    printf("%llu programs; %llu race between blocks, %llu of them reported; %llu racing pairs, %llu of them reported\n"
           "%llu definite findings (%llu need more than is said), %llu possible:",
           (unsigned long long)tally.programs, (unsigned long long)tally.racy, (unsigned long long)tally.reported,
           (unsigned long long)tally.pairs, (unsigned long long)tally.pairs_reported,
           (unsigned long long)tally.definite, (unsigned long long)tally.misnamed,
           (unsigned long long)tally.possible);
    for (uint32_t k = 0; k < KINDS; k++)
        printf(" %s %llu", kind_text[k], (unsigned long long)tally.kinds[k]);
    puts("");
    for (uint32_t k = 1; k < FAULTS; k++)
        if (tally.faults[k])
            printf("%llu: %s\n", (unsigned long long)tally.faults[k], fault_text[k]);
    if (argc == 1) { /* both sides of every question are asked often */
        CHECK(tally.racy > PROGRAMS / 4 && tally.programs - tally.racy > PROGRAMS / 8);
        for (uint32_t k = 0; k < CW_BLOCK_PLAIN_SPIN; k++) /* all waits here are strong */
            CHECK(tally.kinds[k] > 0);
    }
    return check_report();
}
