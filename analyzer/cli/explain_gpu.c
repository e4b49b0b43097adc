#include "cli/explain_gpu.h"

#include <string.h>

enum {
    SHOWN = 3,   /* kernels told one by one in a terminal */
    VERDICTS = 8 /* different ones of a rule */
};

static const char machine[] =
#define CW_GPU_MACHINE(text) text
#define CW_GPU_VERDICT(rule, kernel, verdict, text)
#include "runtime_check/verdicts.def"
    "";

struct verdict {
    const char *rule, *kernel, *verdict, *text;
};

static const struct verdict verdicts[] = {
#define CW_GPU_MACHINE(text)
#define CW_GPU_VERDICT(rule, kernel, verdict, text) {rule, kernel, verdict, text},
#include "runtime_check/verdicts.def"
    {NULL, NULL, NULL, NULL},
};

/* The first from `verdict` on that is about the rule and, as asked for, about a kernel or about the rule as a whole;
 * NULL: none. */
static const struct verdict *next_verdict(const struct verdict *verdict, const char *rule, bool of_kernel) {
    while (verdict->rule && (strcmp(verdict->rule, rule) != 0 || (*verdict->kernel != '\0') != of_kernel))
        verdict++;
    return verdict->rule ? verdict : NULL;
}

static uint32_t count_verdicts(const char *rule, const char *verdict) {
    uint32_t n = 0;
    for (const struct verdict *v = verdicts; (v = next_verdict(v, rule, true)); v++)
        n += !verdict || !strcmp(v->verdict, verdict);
    return n;
}

static uint32_t reported_by(const char *rule, const char *report) {
    uint32_t n = 0;
    for (const struct verdict *v = verdicts; (v = next_verdict(v, rule, true)); v++)
        n += strstr(v->text, report) != NULL;
    return n;
}

/* What a verdict says of one kernel, and of several. */
static const char *in_words(const char *verdict, bool one) {
    static const char *const words[][3] = {
        {"wrong results", "gives wrong results", "give wrong results"},
        {"wrong when skewed", "is wrong when skewed", "are wrong when skewed"},
        {"hang", "hangs", "hang"},
        {"hang when skewed", "hangs when skewed", "hang when skewed"},
        {"fault", "faults", "fault"},
        {"fault when skewed", "faults when skewed", "fault when skewed"},
        {"wrong with -G", "is wrong when built with -G", "are wrong when built with -G"},
        {"wrong under racecheck", "is wrong when racecheck slows it", "are wrong when racecheck slows them"},
        {"sanitizer only", "shows to a sanitizer only", "show to a sanitizer only"},
        {"not reproduced on this GPU", "shows nothing", "show nothing"},
    };
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (!strcmp(verdict, words[k][0]))
            return words[k][one ? 1 : 2];
    return verdict;
}

/* "6 give wrong results, 1 hangs when skewed" */
static void put_tally(const char *rule, struct cw_buf *out) {
    const char *told[VERDICTS];
    uint32_t n = 0;
    for (const struct verdict *v = verdicts; (v = next_verdict(v, rule, true)); v++) {
        uint32_t k = 0;
        while (k < n && strcmp(told[k], v->verdict) != 0)
            k++;
        if (k < n || n == VERDICTS)
            continue;
        uint32_t kernels = count_verdicts(rule, v->verdict);
        cw_buf_printf(out, "%s%u %s", n ? ", " : "", kernels, in_words(v->verdict, kernels == 1));
        told[n++] = v->verdict;
    }
}

/* Of "A plain, B skewed, C skewed everywhere, D with -G; racecheck …" the first two. */
static size_t main_part(const char *text) {
    const char *comma = strchr(text, ','), *end = comma ? strchr(comma + 1, ',') : NULL;
    return end ? (size_t)(end - text) : strlen(text);
}

static void put_summary(const char *rule, uint32_t n, struct cw_buf *out) {
    cw_buf_printf(out, "%s: of %u kernel%s with this hazard ", machine, n, n == 1 ? "" : "s");
    put_tally(rule, out);
    cw_buf_printf(out,
                  ";\nracecheck reports %u, synccheck %u. \"Skewed\": some lanes are held up for a moment, which "
                  "changes timing only.\n",
                  reported_by(rule, "racecheck reports it"), reported_by(rule, "synccheck reports it"));
}

static void put_some(const char *rule, uint32_t n, struct cw_buf *out) {
    const struct verdict *v = verdicts;
    for (uint32_t k = 0; k < SHOWN && (v = next_verdict(v, rule, true)); k++, v++)
        cw_buf_printf(out, "- %s: %.*s\n", v->kernel, (int)main_part(v->text), v->text);
    if (n > SHOWN)
        cw_buf_printf(out, "- and %u more: `cuwarp-lint explain %s --output markdown`\n", n - SHOWN, rule);
}

static void put_table(const char *rule, struct cw_buf *out) {
    cw_buf_puts(out, "\n| Kernel | Verdict | Runs |\n| --- | --- | --- |\n");
    for (const struct verdict *v = verdicts; (v = next_verdict(v, rule, true)); v++)
        cw_buf_printf(out, "| %s | %s | %s |\n", v->kernel, v->verdict, v->text);
}

void cw_explain_gpu(const char *rule, bool all, struct cw_buf *out) {
    uint32_t n = count_verdicts(rule, NULL);
    const struct verdict *of_rule = next_verdict(verdicts, rule, false);
    if (n || of_rule)
        cw_buf_puts(out, "\n## On a GPU\n\n");
    if (n)
        put_summary(rule, n, out);
    if (n && all)
        put_table(rule, out);
    else if (n)
        put_some(rule, n, out);
    for (const struct verdict *v = of_rule; v; v = next_verdict(v + 1, rule, false))
        cw_buf_printf(out, "%s%s: %s\n", n ? "\n" : "", v->verdict, v->text);
}

json_t *cw_explain_gpu_json(const char *rule) {
    json_t *list = json_array();
    for (const struct verdict *v = verdicts; v->rule; v++)
        if (!strcmp(v->rule, rule))
            json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "machine", machine, "kernel", v->kernel,
                                                  "verdict", v->verdict, "text", v->text));
    return list;
}
