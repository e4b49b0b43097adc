/* Random kernels of fences, products, groups, waits and accesses to accumulators, against all their paths: what is
 * reported happens on some path, what is definite on every path on which the loops run, and silence means none.
 *
 *     test_faults_wgmma_random             the usual seeds
 *     test_faults_wgmma_random FROM TO     others; a failing program is printed */
#include "check.h"

#include "base/str.h"
#include "faults/wgmma_order.h"
#include "ir/ir.h"

#include <stdlib.h>

#ifdef __OPTIMIZE__
enum { PROGRAMS = 4000 };
#else
enum { PROGRAMS = 800 };
#endif

enum { MAX_ITEMS = 64, MAX_DEPTH = 2, ELEMENTS = 2, MAX_CHOICES = 12, OVER = 15 };
enum item_kind { FENCE, PRODUCT, COMMIT, WAIT, USE, WRITE, IF, LOOP, END, KINDS };

/* A program as a list in order; IF and LOOP hold what follows up to their END. */
struct item {
    enum item_kind kind;
    uint32_t value; /* an element, or how many groups a WAIT leaves; of IF and LOOP: the item of their END */
    uint32_t ins;   /* in the IR: the product, the store of a USE or a WRITE */
};

struct program {
    uint64_t random;
    struct item at[MAX_ITEMS];
    uint32_t n;
    struct cw_buf text;
    uint32_t nblocks, nvalues;
};

static struct tally {
    uint64_t paths, faults[3], definite, silent;
} tally;

static uint32_t draw(struct program *p, uint32_t below) {
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % below;
}

static uint32_t add_item(struct program *p, enum item_kind kind, uint32_t value) {
    p->at[p->n] = (struct item){kind, value, UINT32_MAX};
    return p->n++;
}

static void make_items(struct program *p, uint32_t depth) {
    static const enum item_kind often[] = {FENCE, PRODUCT, PRODUCT, COMMIT, COMMIT, WAIT, WAIT, USE, WRITE, IF, LOOP};
    for (uint32_t n = 2 + draw(p, depth == 0 ? 8 : 4); n > 0 && p->n + 8 < MAX_ITEMS; n--) {
        enum item_kind kind = often[draw(p, depth < MAX_DEPTH ? 11 : 9)];
        uint32_t at = add_item(p, kind, draw(p, kind == WAIT ? 3 : ELEMENTS));
        if (kind == IF || kind == LOOP) {
            make_items(p, depth + 1);
            p->at[at].value = p->n;
            add_item(p, END, at);
        }
    }
}

/* ---- as IR ---- */

static void write_condition(struct program *p) {
    uint32_t v = p->nvalues;
    cw_buf_printf(&p->text, "  %%v%u = load i32 %%in\n  %%c%u = sgt i32 %%v%u, 0\n", v, v, v);
}

static void write_access(struct program *p, const struct item *item) {
    uint32_t v = p->nvalues++;
    const char *element = item->value ? "%second" : "$d";
    if (item->kind == USE)
        cw_buf_printf(&p->text, "  %%v%u = load f32 %s\n  store %%v%u, %%out\n", v, element, v);
    else if (item->kind == WRITE)
        cw_buf_printf(&p->text, "  %%v%u = load f32 %%in\n  store %%v%u, %s\n", v, v, element);
    else
        cw_buf_printf(&p->text,
                      "  %%a%u = load f32 %s\n  %%t%u = wgmma.3 %%out, undef, %%a%u\n"
                      "  %%v%u = pure.wgmma f32 %%t%u, 0\n  store %%v%u, %s\n",
                      v, element, v, v, v, v, v, element);
}

static void write_items(struct program *p, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        const struct item *item = &p->at[k];
        uint32_t b = p->nblocks;
        switch (item->kind) {
        case FENCE: cw_buf_printf(&p->text, "  wgmmafence\n"); break;
        case COMMIT: cw_buf_printf(&p->text, "  asynccommit.3\n"); break;
        case WAIT: cw_buf_printf(&p->text, "  asyncwait.4 %u\n", item->value); break;
        case USE: case WRITE: case PRODUCT: write_access(p, item); break;
        case IF:
            p->nblocks += 2;
            write_condition(p);
            cw_buf_printf(&p->text, "  branch %%c%u, b%u, b%u !if\nb%u:\n", p->nvalues++, b, b + 1, b);
            write_items(p, k + 1, item->value);
            cw_buf_printf(&p->text, "  goto b%u\nb%u:\n", b + 1, b + 1);
            k = item->value;
            break;
        case LOOP:
            p->nblocks += 3;
            cw_buf_printf(&p->text, "  goto b%u\nb%u:\n", b, b);
            write_condition(p);
            cw_buf_printf(&p->text, "  branch %%c%u, b%u, b%u !while\nb%u:\n", p->nvalues++, b + 1, b + 2, b + 1);
            write_items(p, k + 1, item->value);
            cw_buf_printf(&p->text, "  goto b%u\nb%u:\n", b, b + 2);
            k = item->value;
            break;
        case END: case KINDS: break;
        }
    }
}

/* Gives each PRODUCT, USE and WRITE its instruction: both lists are in the order of the text. */
static void find_instructions(struct program *p, const struct cw_fn *fn) {
    uint32_t at = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        enum item_kind kind = p->at[k].kind;
        if (kind != PRODUCT && kind != USE && kind != WRITE)
            continue;
        enum cw_op op = kind == PRODUCT ? CW_OP_WGMMA : CW_OP_STORE;
        while (fn->ins.at[at].op != (uint8_t)op)
            at++;
        p->at[k].ins = at++;
        if (kind == PRODUCT) { /* the store of its register */
            while (fn->ins.at[at].op != CW_OP_STORE)
                at++;
            at++;
        }
    }
}

/* ---- as paths ---- */

struct path {
    const struct program *p;
    uint32_t choices, nchoices; /* bits: what each condition says in turn */
    bool skips_loop, is_cut;
    bool is_fenced;
    uint8_t state[MAX_ITEMS];                /* of each product: 0 no group, 1 + k later groups, OVER */
    bool is_executed[MAX_ITEMS];
    bool is_dirty[MAX_ITEMS];                /* WRITE: no fence since */
    bool unfenced[MAX_ITEMS];                /* seen, by product */
    bool written[MAX_ITEMS][MAX_ITEMS];      /* by product and WRITE */
    bool incomplete[MAX_ITEMS][MAX_ITEMS];   /* by product and access */
};

static bool choose(struct path *path) {
    if (path->nchoices >= MAX_CHOICES)
        return path->is_cut = true, false;
    return path->choices >> path->nchoices++ & 1;
}

static void start_product(struct path *path, uint32_t at) {
    path->unfenced[at] |= !path->is_fenced;
    for (uint32_t k = 0; k < path->p->n; k++)
        if (path->p->at[k].kind == WRITE && path->is_dirty[k] && path->p->at[k].value == path->p->at[at].value)
            path->written[at][k] = true;
    path->state[at] = 0;
    path->is_executed[at] = true;
}

static void run_item(struct path *path, uint32_t at) {
    const struct item *item = &path->p->at[at];
    path->is_executed[at] = true;
    if (item->kind == FENCE)
        path->is_fenced = true, memset(path->is_dirty, 0, sizeof path->is_dirty);
    if (item->kind == WRITE)
        path->is_dirty[at] = true;
    for (uint32_t k = 0; k < path->p->n; k++) {
        if (path->p->at[k].kind != PRODUCT || !path->is_executed[k] || path->state[k] == OVER)
            continue;
        if (item->kind == COMMIT)
            path->state[k]++;
        else if (item->kind == WAIT && path->state[k] > item->value)
            path->state[k] = OVER;
        else if ((item->kind == USE || item->kind == WRITE) && path->p->at[k].value == item->value)
            path->incomplete[k][at] = true;
    }
    if (item->kind == PRODUCT)
        start_product(path, at);
}

static void run_items(struct path *path, uint32_t from, uint32_t to) {
    for (uint32_t k = from; k < to; k++) {
        const struct item *item = &path->p->at[k];
        if (item->kind == IF || item->kind == LOOP) {
            uint32_t trips = 0;
            while (trips < (item->kind == IF ? 1u : 2u) && choose(path)) {
                run_items(path, k + 1, item->value);
                trips++;
            }
            path->skips_loop |= item->kind == LOOP && trips == 0;
            k = item->value;
        } else {
            run_item(path, k);
        }
    }
}

static uint32_t item_of(const struct program *p, uint32_t ins) {
    for (uint32_t k = 0; k < p->n; k++)
        if (p->at[k].ins == ins)
            return k;
    CHECK(false);
    return 0;
}

static bool shows(const struct path *path, const struct cw_wgmma_fault *fault) {
    uint32_t product = item_of(path->p, fault->product), access = item_of(path->p, fault->access);
    return fault->kind == CW_WGMMA_UNFENCED  ? path->unfenced[product]
           : fault->kind == CW_WGMMA_WRITTEN ? path->written[product][access]
                                             : path->incomplete[product][access];
}

/* Is the fault to be seen on this path, if it is definite? */
static bool must_show(const struct path *path, const struct cw_wgmma_fault *fault) {
    uint32_t last = item_of(path->p, fault->kind == CW_WGMMA_INCOMPLETE ? fault->access : fault->product);
    return fault->definite && !path->skips_loop && path->is_executed[last];
}

static void note_kinds(const struct path *path, bool *fence, bool *access) {
    for (uint32_t k = 0; k < path->p->n; k++) {
        *fence |= path->unfenced[k];
        for (uint32_t i = 0; i < path->p->n; i++) {
            *fence |= path->written[k][i];
            *access |= path->incomplete[k][i];
        }
    }
}

static void fail(const struct program *p, uint64_t seed, const char *what) {
    printf("seed %llu: %s\n%s\n", (unsigned long long)seed, what, p->text.at);
    CHECK(false);
}

static void check_paths(const struct program *p, uint64_t seed, const struct cw_wgmma_faults *faults) {
    bool fence = false, access = false, is_shown[MAX_ITEMS] = {false}, said_fence = false, said_access = false;
    for (uint32_t choices = 0; choices < 1u << MAX_CHOICES; choices++) {
        struct path path = {.p = p, .choices = choices};
        run_items(&path, 0, p->n);
        tally.paths++;
        if (path.is_cut) /* more conditions than choices: it ends as if the others were false, a path as well */
            path.is_cut = false;
        note_kinds(&path, &fence, &access);
        for (uint32_t k = 0; k < faults->at.n; k++) {
            is_shown[k] |= shows(&path, &faults->at.at[k]);
            if (must_show(&path, &faults->at.at[k]) && !shows(&path, &faults->at.at[k])) {
                fail(p, seed, "a definite fault is not to be seen on a path");
                return;
            }
        }
        if (path.nchoices < MAX_CHOICES && choices + 1 == 1u << path.nchoices)
            break; /* all its paths were run */
    }
    for (uint32_t k = 0; k < faults->at.n; k++) {
        (faults->at.at[k].kind == CW_WGMMA_INCOMPLETE ? &said_access : &said_fence)[0] = true;
        tally.faults[faults->at.at[k].kind]++;
        tally.definite += faults->at.at[k].definite;
        if (!is_shown[k])
            fail(p, seed, "a fault is on no path");
    }
    tally.silent += faults->at.n == 0;
    if ((fence && !said_fence) || (access && !said_access))
        fail(p, seed, "a fault of a path is not reported");
}

static void check_seed(uint64_t seed) {
    struct program p = {.random = seed * 0x9e3779b97f4a7c15u, .nblocks = 1};
    struct cw_arena arena;
    const char *error = NULL;
    make_items(&p, 0);
    cw_buf_printf(&p.text, "kernel @k(ptr %%in, ptr %%out) {\n  local $d[8] align=4 elem=4\nb0:\n"
                           "  %%second = ptradd $d, 4\n");
    write_items(&p, 0, p.n);
    cw_buf_printf(&p.text, "  return\n}\n");
    cw_arena_init(&arena);
    struct cw_module *m = cw_module_parse(&arena, p.text.at, strlen(p.text.at), &error);
    if (m == NULL)
        fail(&p, seed, error);
    else {
        struct cw_fn *fn = m->fns.at[0];
        cw_cfg_build(fn);
        find_instructions(&p, fn);
        struct cw_wgmma_faults faults = cw_wgmma_faults_of(fn, &arena);
        check_paths(&p, seed, &faults);
    }
    cw_buf_free(&p.text);
    cw_arena_free(&arena);
}

int main(int argc, char **argv) {
    uint64_t from = argc > 2 ? strtoull(argv[1], NULL, 10) : 1, to = argc > 2 ? strtoull(argv[2], NULL, 10) : PROGRAMS;
    for (uint64_t seed = from; seed <= to && !check_failures; seed++)
        check_seed(seed);
    printf("%llu paths: %llu unfenced, %llu written, %llu incomplete, %llu definite; %llu programs without a fault\n",
           (unsigned long long)tally.paths, (unsigned long long)tally.faults[0], (unsigned long long)tally.faults[1],
           (unsigned long long)tally.faults[2], (unsigned long long)tally.definite, (unsigned long long)tally.silent);
    if (argc == 1) /* every answer comes often enough to mean something */
        CHECK(tally.faults[0] > PROGRAMS / 8 && tally.faults[1] > PROGRAMS / 20 && tally.faults[2] > PROGRAMS / 4 &&
              tally.definite > PROGRAMS / 8 && tally.silent > PROGRAMS / 20);
    return check_report();
}
