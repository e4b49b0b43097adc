/* Textual IR with expected levels: every case of tests/analyses/uniformity_*.ir. A case is a title (`;; …`), facts, a
 * function; `;=` behind a line states what must hold for the value or block that the line begins. */
#include "check.h"
#include "support/files.h"

#include "uniformity/uniformity.h"

#include <ctype.h>

struct expectation {
    char subject[64];  /* name of a value, or label of a block */
    bool is_block;
    char words[6][32];
    uint32_t nwords;
};

struct flow_case {
    const char *file;
    char title[160];
    struct cw_shape_facts facts;
    CW_VEC(struct expectation) expected;
    CW_VEC(char *) labels; /* of the blocks, in order */
    char *text;
    size_t n;
};


static enum cw_uni level_of(const char *word) {
    for (enum cw_uni u = CW_UNI_CONST; u <= CW_UNI_DIVERGENT; u++)
        if (strcmp(cw_uni_text(u), word) == 0)
            return u;
    fprintf(stderr, "unknown level %s\n", word);
    CHECK(false);
    return CW_UNI_CONST;
}

static uint32_t block_of(const struct flow_case *c, const char *label) {
    for (uint32_t b = 0; b < c->labels.n; b++)
        if (strcmp(c->labels.at[b], label) == 0)
            return b;
    fprintf(stderr, "no block %s\n", label);
    CHECK(false);
    return 0;
}

static uint32_t value_of(const struct cw_fn *fn, const char *name) {
    for (uint32_t k = 0; k < fn->ins.n; k++)
        if (fn->ins.at[k].name && strcmp(fn->ins.at[k].name, name) == 0)
            return k;
    fprintf(stderr, "no value %s\n", name);
    CHECK(false);
    return 0;
}

static void check_cause(const struct flow_case *c, const struct cw_uniformity *u, uint32_t ins, const char *by) {
    cw_ref steps[16];
    uint32_t n = cw_uni_explain(u, cw_ref_ins(ins), steps, 16);
    CHECK(n >= 1 && cw_ref_eq(steps[0], cw_ref_ins(ins)));
    if (u->cause_branch[ins] != CW_NO_BLOCK) {
        CHECK_STR(c->labels.at[u->cause_branch[ins]], by);
        return;
    }
    bool found = false;
    for (uint32_t k = 1; k < n; k++) {
        cw_ref r = steps[k];
        const char *name = r.tag == CW_REF_SREG ? cw_sreg_text((enum cw_sreg)r.index)
                           : r.tag == CW_REF_PARAM ? u->fn->params.at[r.index].name
                           : r.tag == CW_REF_INS ? u->fn->ins.at[r.index].name : NULL;
        found |= name && strcmp(name, by[0] == '%' ? by + 1 : by) == 0;
    }
    CHECK(found);
}

static void check_value(const struct flow_case *c, const struct cw_uniformity *u, const struct expectation *e) {
    uint32_t ins = value_of(u->fn, e->subject);
    CHECK_STR(cw_uni_text((enum cw_uni)u->ins[ins]), cw_uni_text(level_of(e->words[0])));
    for (uint32_t k = 1; k < e->nwords; k++) {
        if (strcmp(e->words[k], "by") == 0 && k + 1 < e->nwords)
            check_cause(c, u, ins, e->words[++k]);
        else if (strcmp(e->words[k], "unstable") == 0)
            CHECK(cw_bitset_has(&u->unstable, ins));
        else if (strcmp(e->words[k], "stable") == 0)
            CHECK(!cw_bitset_has(&u->unstable, ins));
        else
            CHECK(false && "known word");
    }
}

static void check_block(const struct flow_case *c, const struct cw_uniformity *u, const struct expectation *e) {
    uint32_t b = block_of(c, e->subject);
    CHECK_STR(cw_uni_text((enum cw_uni)u->control[b]), cw_uni_text(level_of(e->words[0])));
    CHECK(u->control_live[b] <= u->control[b]);
    for (uint32_t k = 1; k < e->nwords; k++) {
        if (strcmp(e->words[k], "by") == 0 && k + 1 < e->nwords)
            CHECK_INT(u->control_branch[b], block_of(c, e->words[++k]));
        else if (strncmp(e->words[k], "live=", 5) == 0)
            CHECK_STR(cw_uni_text((enum cw_uni)u->control_live[b]), cw_uni_text(level_of(e->words[k] + 5)));
        else
            CHECK(false && "known word");
    }
}

static void run_case(struct flow_case *c) {
    struct cw_arena a;
    const char *error = NULL;
    int before = check_failures;
    cw_arena_init(&a);
    struct cw_module *m = cw_module_parse(&a, c->text, c->n, &error);
    if (!m)
        fprintf(stderr, "%s\n", error);
    CHECK(m != NULL && m->fns.n == 1 && c->expected.n > 0);
    if (m) {
        struct cw_fn *fn = m->fns.at[0];
        cw_cfg_build(fn);
        struct cw_uniformity *u = cw_uniformity(fn, c->facts, &a);
        for (uint32_t k = 0; k < c->expected.n; k++) {
            int at = check_failures;
            (c->expected.at[k].is_block ? check_block : check_value)(c, u, &c->expected.at[k]);
            if (check_failures != at)
                fprintf(stderr, "  … for %s\n", c->expected.at[k].subject);
        }
    }
    if (check_failures != before)
        fprintf(stderr, "  … in %s: %s\n\n", c->file, c->title);
    cw_arena_free(&a);
}

/* ---- reading the cases ---- */

static void read_facts(struct flow_case *c, const char *words) {
    c->facts.one_dimensional = strstr(words, "1d") != NULL;
    c->facts.two_dimensional = strstr(words, "2d") != NULL || c->facts.one_dimensional;
    c->facts.x_multiple_of_32 = strstr(words, "x32") != NULL;
    const char *block = strstr(words, "block=");
    if (!block)
        return;
    CHECK_INT(sscanf(block, "block=%u,%u,%u", &c->facts.block[0], &c->facts.block[1], &c->facts.block[2]), 3);
    c->facts.x_multiple_of_32 = c->facts.block[0] % 32 == 0;
    c->facts.two_dimensional = c->facts.block[2] == 1;
    c->facts.one_dimensional = c->facts.block[2] == 1 && c->facts.block[1] == 1;
}

static void read_expectation(struct flow_case *c, struct cw_arena *a, const char *line, const char *words) {
    struct expectation e = {.is_block = line[0] != ' '};
    const char *p = line;
    while (*p == ' ' || *p == '%')
        p++;
    for (size_t k = 0; k + 1 < sizeof e.subject && (isalnum((unsigned char)*p) || *p == '_'); k++)
        e.subject[k] = *p++;
    e.nwords = (uint32_t)sscanf(words, "%31s %31s %31s %31s %31s %31s", e.words[0], e.words[1], e.words[2], e.words[3],
                                e.words[4], e.words[5]);
    CHECK(e.nwords >= 1 && e.nwords <= 6 && e.subject[0]);
    cw_vec_push(a, &c->expected, e);
}

/* One line of the function: kept for the parser without what is ours. */
static void read_line(struct flow_case *c, struct cw_arena *a, const char *line, size_t n) {
    char text[512];
    CHECK(n < sizeof text);
    n = n < sizeof text ? n : sizeof text - 1;
    memcpy(text, line, n);
    text[n] = 0;
    const char *expected = strstr(text, ";=");
    if (expected)
        read_expectation(c, a, text, expected + 2);
    size_t label = 0;
    while (isalnum((unsigned char)text[label]) || text[label] == '_')
        label++;
    if (label && text[label] == ':') {
        char *name = cw_arena_strndup(a, text, label);
        cw_vec_push(a, &c->labels, name);
    }
    memcpy(c->text + c->n, line, n);
    c->n += n;
    c->text[c->n++] = '\n';
}

static uint32_t run_file(const char *file) {
    struct cw_arena a;
    struct flow_case c = {.file = file};
    uint32_t cases = 0;
    char path[512];
    size_t n;
    cw_arena_init(&a);
    snprintf(path, sizeof path, "%s/analyses/%s", CW_TEST_DIR, file);
    char *text = read_whole(path, &n);
    c.text = cw_arena_alloc(&a, n + 2);
    for (const char *line = text, *end; line < text + n; line = end + 1) {
        end = memchr(line, '\n', (size_t)(text + n - line));
        end = end ? end : text + n;
        size_t length = (size_t)(end - line);
        if (length > 9 && memcmp(line, ";; facts ", 9) == 0) {
            char words[128];
            snprintf(words, sizeof words, "%.*s", (int)length, line);
            read_facts(&c, words);
        } else if (length > 3 && memcmp(line, ";; ", 3) == 0) {
            c = (struct flow_case){.file = file, .text = c.text};
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
    CHECK(run_file("uniformity_shapes.ir") >= 12);
    CHECK(run_file("uniformity_control.ir") >= 30);
    CHECK(run_file("uniformity_memory.ir") >= 20);
    CHECK(run_file("uniformity_collectives.ir") >= 18);
    return check_report();
}
