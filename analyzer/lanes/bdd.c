/* Binary decision diagrams; see bdd.h. */
#include "lanes/bdd.h"

/* Nothing is ever claimed of an opaque condition; a few keep their names, so that one which is the same for all threads
 * can be told from many. Racy ones, of which each thread has its own, may be a quarter of all nodes. */
enum { TERMINAL_VAR = INT32_MAX, DEPTH_MAX = 3000, NODES_MAX = 1 << 20, OPAQUE_MAX = 256, RACY_SHARE = 4 };

/* The first variable is the lowest one. A path condition that grows by a new variable, or a new number between two
 * marks of a token, is one node over formulas that exist. */
enum { VAR_FIRST = NODES_MAX };

void cw_bdds_init(struct cw_bdds *fs, struct cw_arena *a, uint32_t max_nodes) {
    if (max_nodes > NODES_MAX)
        max_nodes = NODES_MAX;
    *fs = (struct cw_bdds){.arena = a, .max_nodes = max_nodes, .max_work = (uint64_t)max_nodes * 16};
    cw_map_init(&fs->unique, a);
    cw_map_init(&fs->vars, a);
    cw_map_init(&fs->ands, a);
    cw_map_init(&fs->givens, a);
    cw_map_init(&fs->whatevers, a);
    cw_vec_push(a, &fs->nodes, ((struct cw_bdd_node){TERMINAL_VAR, 0, 0, CW_NUMBER}));
}

static const struct cw_bdd_node *node_of(const struct cw_bdds *fs, uint32_t f) {
    return &fs->nodes.at[f >> 1];
}

static uint32_t var_of(const struct cw_bdds *fs, uint32_t f) {
    return node_of(fs, f)->var;
}

uint8_t cw_bdd_known(const struct cw_bdds *fs, uint32_t f) {
    return f == CW_BDD_POISON ? CW_OPAQUE : node_of(fs, f)->known;
}

static uint8_t worse_of(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

/* A node's key: its variable and 21 bits for each branch; NODES_MAX keeps formulas below that. */
static uint64_t node_key(uint32_t var, uint32_t hi, uint32_t lo) {
    return (uint64_t)var << 42 | (uint64_t)hi << 21 | lo;
}

static uint32_t make_node(struct cw_bdds *fs, uint32_t var, uint32_t hi, uint32_t lo) {
    if (hi == CW_BDD_POISON || lo == CW_BDD_POISON)
        return CW_BDD_POISON;
    if (hi == lo)
        return hi;
    uint32_t negate = hi & 1; /* canonical: the branch for "true" is never negated */
    hi ^= negate;
    lo ^= negate;
    uint64_t key = node_key(var, hi, lo), found;
    if (cw_map_get(&fs->unique, key, &found))
        return (uint32_t)found << 1 | negate;
    if (fs->nodes.n >= fs->max_nodes)
        return CW_BDD_POISON;
    uint8_t known = worse_of(fs->var_known.at[VAR_FIRST - var], worse_of(cw_bdd_known(fs, hi), cw_bdd_known(fs, lo)));
    cw_map_put(&fs->unique, key, fs->nodes.n);
    cw_vec_push(fs->arena, &fs->nodes, ((struct cw_bdd_node){var, hi, lo, known}));
    return (fs->nodes.n - 1) << 1 | negate;
}

static bool is_opaque(uint8_t known) {
    return known != CW_FREE && known != CW_RACY;
}

bool cw_bdd_is_full(const struct cw_bdds *fs, uint8_t known) {
    return fs->nodes.n >= fs->max_nodes || (is_opaque(known) && fs->nopaque == OPAQUE_MAX) ||
           (known == CW_RACY && fs->nracy >= fs->max_nodes / RACY_SHARE);
}

/* A new variable on top of both formulas; POISON where there is no room for one. */
static uint32_t add_var(struct cw_bdds *fs, uint64_t name, uint8_t known, uint32_t high, uint32_t low) {
    bool racy = known == CW_RACY, opaque = is_opaque(known);
    if (cw_bdd_is_full(fs, known))
        return CW_BDD_POISON;
    fs->nopaque += opaque;
    fs->nracy += racy;
    cw_vec_push(fs->arena, &fs->var_known, (uint8_t)(opaque ? CW_OPAQUE : known));
    cw_vec_push(fs->arena, &fs->var_names, name);
    uint32_t f = make_node(fs, VAR_FIRST - (fs->var_known.n - 1), high, low);
    cw_map_put(&fs->vars, name, f);
    return f;
}

uint32_t cw_bdd_var(struct cw_bdds *fs, uint64_t name, uint8_t known) {
    uint64_t found;
    return cw_map_get(&fs->vars, name, &found) ? (uint32_t)found
                                               : add_var(fs, name, known, CW_BDD_TRUE, CW_BDD_FALSE);
}

uint32_t cw_bdd_between(struct cw_bdds *fs, uint64_t name, uint8_t known, uint32_t below, uint32_t above) {
    uint64_t found;
    if (below == CW_BDD_POISON || above == CW_BDD_POISON)
        return CW_BDD_POISON;
    return cw_map_get(&fs->vars, name, &found) ? (uint32_t)found : add_var(fs, name, known, above, below);
}

/* The two halves of f by a variable at or above its top one. */
static uint32_t half_by(const struct cw_bdds *fs, uint32_t f, uint32_t var, bool high) {
    const struct cw_bdd_node *n = node_of(fs, f);
    if (n->var != var)
        return f;
    return (high ? n->hi : n->lo) ^ (f & 1);
}

static bool may_work(struct cw_bdds *fs) {
    return fs->depth < DEPTH_MAX && ++fs->work < fs->max_work;
}

static uint64_t pair_key(uint32_t f, uint32_t g) {
    return f < g ? (uint64_t)f << 32 | g : (uint64_t)g << 32 | f;
}

static uint32_t and_halves(struct cw_bdds *fs, uint32_t f, uint32_t g) {
    uint32_t vf = var_of(fs, f), vg = var_of(fs, g), var = vf < vg ? vf : vg;
    fs->depth++;
    uint32_t hi = cw_bdd_and(fs, half_by(fs, f, var, true), half_by(fs, g, var, true));
    uint32_t lo = cw_bdd_and(fs, half_by(fs, f, var, false), half_by(fs, g, var, false));
    fs->depth--;
    return make_node(fs, var, hi, lo);
}

uint32_t cw_bdd_and(struct cw_bdds *fs, uint32_t f, uint32_t g) {
    if (f == CW_BDD_FALSE || g == CW_BDD_FALSE)
        return CW_BDD_FALSE;
    if (f == CW_BDD_TRUE)
        return g;
    if (g == CW_BDD_TRUE)
        return f;
    if (f == CW_BDD_POISON || g == CW_BDD_POISON)
        return CW_BDD_POISON;
    if (f == g)
        return f;
    if (f == (g ^ 1))
        return CW_BDD_FALSE;
    uint64_t key = pair_key(f, g), found;
    if (cw_map_get(&fs->ands, key, &found))
        return (uint32_t)found;
    if (!may_work(fs))
        return CW_BDD_POISON;
    uint32_t r = and_halves(fs, f, g);
    if (r != CW_BDD_POISON)
        cw_map_put(&fs->ands, key, r);
    return r;
}

/* `apart`: the pairs that were found not to overlap. One that does ends the search. */
static enum cw_overlap overlap_of(struct cw_bdds *fs, uint32_t f, uint32_t g, struct cw_map *apart) {
    uint64_t found;
    if (f == CW_BDD_FALSE || g == CW_BDD_FALSE || f == (g ^ 1) || cw_map_get(apart, pair_key(f, g), &found))
        return CW_OVERLAP_NONE;
    if (f == CW_BDD_TRUE || g == CW_BDD_TRUE || f == g)
        return CW_OVERLAP_SOME;
    if (!may_work(fs))
        return CW_OVERLAP_UNDECIDED;
    uint32_t vf = var_of(fs, f), vg = var_of(fs, g), var = vf < vg ? vf : vg;
    fs->depth++;
    enum cw_overlap overlap = overlap_of(fs, half_by(fs, f, var, true), half_by(fs, g, var, true), apart);
    if (overlap == CW_OVERLAP_NONE)
        overlap = overlap_of(fs, half_by(fs, f, var, false), half_by(fs, g, var, false), apart);
    fs->depth--;
    if (overlap == CW_OVERLAP_NONE)
        cw_map_put(apart, pair_key(f, g), 1);
    return overlap;
}

enum cw_overlap cw_bdd_overlap(struct cw_bdds *fs, uint32_t f, uint32_t g) {
    struct cw_map apart;
    if (f == CW_BDD_POISON || g == CW_BDD_POISON)
        return f == CW_BDD_FALSE || g == CW_BDD_FALSE ? CW_OVERLAP_NONE : CW_OVERLAP_UNDECIDED;
    cw_map_init(&apart, fs->arena);
    return overlap_of(fs, f, g, &apart);
}

uint32_t cw_bdd_ite(struct cw_bdds *fs, uint32_t c, uint32_t f, uint32_t g) {
    if (f == g)
        return f;
    return cw_bdd_or(fs, cw_bdd_and(fs, c, f), cw_bdd_and(fs, cw_bdd_not(c), g));
}

uint32_t cw_bdd_whatever(struct cw_bdds *fs, uint32_t f) {
    uint64_t found;
    if (f == CW_BDD_POISON || !cw_bdd_unknown(fs, f))
        return f;
    if (cw_map_get(&fs->whatevers, f, &found))
        return (uint32_t)found;
    if (!may_work(fs))
        return CW_BDD_POISON;
    uint32_t var = var_of(fs, f);
    fs->depth++;
    uint32_t hi = cw_bdd_whatever(fs, half_by(fs, f, var, true)), lo = cw_bdd_whatever(fs, half_by(fs, f, var, false));
    uint32_t r = fs->var_known.at[VAR_FIRST - var] >= CW_RACY ? cw_bdd_and(fs, hi, lo) : make_node(fs, var, hi, lo);
    fs->depth--;
    if (r != CW_BDD_POISON)
        cw_map_put(&fs->whatevers, f, r);
    return r;
}

uint32_t cw_bdd_xor(struct cw_bdds *fs, uint32_t f, uint32_t g) {
    return cw_bdd_ite(fs, f, cw_bdd_not(g), g);
}

static uint32_t given_halves(struct cw_bdds *fs, uint32_t f, uint32_t care) {
    uint32_t vf = var_of(fs, f), vc = var_of(fs, care), var = vf < vc ? vf : vc;
    uint32_t c1 = half_by(fs, care, var, true), c0 = half_by(fs, care, var, false);
    uint32_t f1 = half_by(fs, f, var, true), f0 = half_by(fs, f, var, false);
    if (vc < vf)
        return cw_bdd_given(fs, f, cw_bdd_or(fs, c1, c0));
    if (c1 == CW_BDD_FALSE)
        return cw_bdd_given(fs, f0, c0);
    if (c0 == CW_BDD_FALSE)
        return cw_bdd_given(fs, f1, c1);
    uint32_t hi = cw_bdd_given(fs, f1, c1), lo = cw_bdd_given(fs, f0, c0);
    return make_node(fs, var, hi, lo);
}

uint32_t cw_bdd_given(struct cw_bdds *fs, uint32_t f, uint32_t care) {
    if (f == CW_BDD_POISON || care == CW_BDD_POISON || care == CW_BDD_FALSE || care == CW_BDD_TRUE ||
        cw_bdd_terminal(f))
        return f;
    if (f == care)
        return CW_BDD_TRUE;
    if (f == (care ^ 1))
        return CW_BDD_FALSE;
    uint64_t key = (uint64_t)f << 32 | care, found;
    if (cw_map_get(&fs->givens, key, &found))
        return (uint32_t)found;
    if (!may_work(fs))
        return f;
    fs->depth++;
    uint32_t r = given_halves(fs, f, care);
    fs->depth--;
    if (r != CW_BDD_POISON)
        cw_map_put(&fs->givens, key, r);
    return r;
}

/* ---- names ---- */

enum { NAMES_MAX = 64, NAMED_NODES_MAX = 1024 };

struct names {
    uint64_t at[NAMES_MAX];
    uint32_t n;
    bool is_cut;
};

static void add_names(const struct cw_bdds *fs, uint32_t f, struct names *names) {
    uint32_t seen[NAMED_NODES_MAX], nseen = 0;
    if (!cw_bdd_terminal(f))
        seen[nseen++] = f >> 1;
    for (uint32_t k = 0; k < nseen && !names->is_cut; k++) {
        const struct cw_bdd_node *node = &fs->nodes.at[seen[k]];
        const uint32_t below[2] = {node->hi, node->lo};
        uint64_t name = fs->var_names.at[VAR_FIRST - node->var];
        uint32_t at = 0;
        while (at < names->n && names->at[at] != name)
            at++;
        names->is_cut |= names->n == NAMES_MAX || nseen + 2 > NAMED_NODES_MAX;
        if (at == names->n && !names->is_cut)
            names->at[names->n++] = name;
        for (uint32_t b = 0; b < 2 && !names->is_cut; b++) {
            uint32_t old = 0;
            while (old < nseen && seen[old] != below[b] >> 1)
                old++;
            if (old == nseen && !cw_bdd_terminal(below[b]))
                seen[nseen++] = below[b] >> 1;
        }
    }
}

bool cw_bdd_share_names(const struct cw_bdds *fs, uint32_t f, const struct cw_bdds *gs, uint32_t g) {
    struct names of_f = {.n = 0}, of_g = {.n = 0};
    add_names(fs, f, &of_f);
    add_names(gs, g, &of_g);
    for (uint32_t k = 0; k < of_f.n; k++)
        for (uint32_t n = 0; n < of_g.n; n++)
            if (of_f.at[k] == of_g.at[n])
                return true;
    return of_f.is_cut || of_g.is_cut;
}
