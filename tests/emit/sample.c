/* Prints a made-up report in a format:  emit_sample FORMAT
 *
 * The report has everything that formats must get right: places in other files and none, ranges over lines, characters
 * of one to four bytes, text that is markup elsewhere, bytes that are no text, fixes, suppressed findings, files not
 * analysed. */
#include "emit/emit.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static struct cw_arena arena;

/* In line 5 two characters outside ASCII stand before the call: U+00E9 (2 bytes, 1 unit) and U+1F600 (4 bytes, 2
 * units). */
static const char reduce_text[] = "__global__ void reduce(float *out) {\n"
                                  "    __shared__ float s[128];\n"
                                  "    int t = threadIdx.x;\n"
                                  "    if (t < 16)\n"
                                  "\t/* \xc3\xa9 \xf0\x9f\x98\x80 */ __syncthreads();\n"
                                  "    s[t] += s[t + 16];\n"
                                  "    s[t] = fmaxf(s[t],\n"
                                  "                 s[t + 1]);\n"
                                  "}\n";
static const char hostile_text[] = "#define END </script><script>alert(1)</script>\n"
                                   "const char *s = \"]]> & <b> \xff \x01 \xe2\x80\xae\"; // '\n"
                                   "helper(s);\n";

static const struct cw_source *source_of(void *ctx, const char *file) {
    struct cw_source **sources = ctx;
    for (int i = 0; i < 2; i++)
        if (!strcmp(sources[i]->path, file))
            return sources[i];
    return NULL;
}

static struct cw_place at(const char *file, uint32_t line, uint32_t col, uint32_t end_line, uint32_t end_col) {
    return (struct cw_place){file, line, col, end_line, end_col};
}

static void add_remark(struct cw_remark **list, uint32_t *n, uint32_t *cap, struct cw_place p, const char *text) {
    struct {
        struct cw_remark *at;
        uint32_t n, cap;
    } v = {*list, *n, *cap};
    cw_vec_push(&arena, &v, ((struct cw_remark){p, text}));
    *list = v.at;
    *n = v.n;
    *cap = v.cap;
}
#define REMARK(vec, place, text) add_remark(&(vec).at, &(vec).n, &(vec).cap, place, text)

static const char reduce[] = "src/reduce.cu", hostile[] = "src/a b#\xc3\xa9%,:\xff.cuh";

/* Source of divergence, branch, barrier; one more note that is no step; a fix of two edits. */
static struct cw_finding barrier(void) {
    struct cw_finding f = {.rule = "divergent-barrier",
                           .severity = CW_ERROR,
                           .nsteps = 2,
                           .message = "only some threads of the block reach __syncthreads()",
                           .place = at(reduce, 5, 16, 5, 31),
                           .kernel = "reduce",
                           .help = "move the barrier out of the condition",
                           .fingerprint = "00000000000000aa"};
    REMARK(f.notes, at(reduce, 3, 13, 3, 24), "threadIdx.x differs between threads");
    REMARK(f.notes, at(reduce, 4, 9, 4, 15), "threads part at 't < 16'");
    REMARK(f.notes, at(reduce, 6, 5, 6, 9), "the same branch also splits this barrier");
    REMARK(f.notes, at(NULL, 0, 0, 0, 0), "and 2 more");
    f.witness = (struct cw_witness){.present = true,
                                    .block = {128, 1, 1},
                                    .grid = {4, 1, 1},
                                    .warp = 0,
                                    .iteration = -1,
                                    .launch_source = "launch at src/reduce.cu:12",
                                    .has_mask = true,
                                    .mask = 0xffffffffu};
    cw_vec_push(&arena, &f.witness.rows,
                ((struct cw_lane_row){"arrive", 0x0000ffffu, "16 of 128 threads reach it", 0}));
    cw_vec_push(&arena, &f.witness.rows, ((struct cw_lane_row){"elsewhere", 0xffff0000u, NULL, 0}));
    struct cw_fix fix = {.message = "move the barrier behind the branch", .safe = false};
    cw_vec_push(&arena, &fix.edits, ((struct cw_edit){at(reduce, 5, 16, 5, 32), ";"}));
    cw_vec_push(&arena, &fix.edits, ((struct cw_edit){at(reduce, 6, 1, 6, 1), "    __syncthreads();\n"}));
    cw_vec_push(&arena, &f.fixes, fix);
    return f;
}

/* Two labels, one edit, a range of two lines, only possible. */
static struct cw_finding race(void) {
    struct cw_finding f = {.rule = "implicit-warp-sync",
                           .severity = CW_WARNING,
                           .confidence = CW_POSSIBLE,
                           .message = "lanes 0 and 1 race on s[1], 100% sure: \"maybe\"",
                           .place = at(reduce, 7, 5, 8, 27),
                           .kernel = "reduce<float, 2>",
                           .macro = "FMAX",
                           .fingerprint = "00000000000000bb"};
    REMARK(f.labels, at(reduce, 7, 5, 8, 27), "lane 1 writes s[1]");
    REMARK(f.labels, at(reduce, 8, 18, 8, 26), "lane 0 reads s[1]");
    f.witness = (struct cw_witness){.present = true, .warp = 1, .iteration = 3, .block = {40, 1, 1}, .address = "s[1]"};
    cw_vec_push(&arena, &f.witness.rows, ((struct cw_lane_row){"reads", 0x55u, "<lanes> & \"lanes\"", 0}));
    cw_vec_push(&arena, &f.witness.lanes, 1);
    cw_vec_push(&arena, &f.witness.threads, 33);
    cw_vec_push(&arena, &f.witness.facts, ((struct cw_witness_fact){"offset", "16"}));
    cw_vec_push(&arena, &f.also_in, (const char *)"reduce<int, 2>");
    struct cw_fix fix = {.message = "put a __syncwarp() before line 7", .safe = true};
    cw_vec_push(&arena, &fix.edits, ((struct cw_edit){at(reduce, 7, 1, 7, 1), "    __syncwarp();\n"}));
    cw_vec_push(&arena, &f.fixes, fix);
    cw_vec_push(&arena, &f.fixes, fix); /* SARIF must not have it twice */
    return f;
}

/* In an included file whose name and text are hostile, reached through a call; the same fingerprint as another. */
static struct cw_finding inlined(uint32_t line, uint32_t col, uint32_t end_col) {
    struct cw_finding f = {.rule = "legacy-warp-intrinsic",
                           .severity = CW_INFO,
                           .message = "</script><img src=x onerror=alert(1)>\n::error::%0A\x1b[31m",
                           .kernel = "k<&>",
                           .place = at(hostile, line, col, line, end_col),
                           .help = "don't \xfe",
                           .fingerprint = "00000000000000cc"};
    REMARK(f.inlined_at, at(hostile, 3, 1, 3, 10), "helper");
    return f;
}

/* A witness that shows warps of the block. */
static struct cw_finding between_warps(struct cw_finding f) {
    f.witness = (struct cw_witness){
        .present = true, .warp = 0, .iteration = -1, .block = {96, 1, 1}, .rows_are_warps = true};
    cw_vec_push(&arena, &f.witness.rows,
                ((struct cw_lane_row){"arrive", UINT32_MAX, "64 of 96 threads reach it", 0x3u}));
    return f;
}

static struct cw_finding silenced(void) {
    struct cw_finding f = {.rule = "divergent-barrier",
                           .severity = CW_ERROR,
                           .message = "silenced",
                           .place = at(reduce, 6, 5, 6, 9),
                           .kernel = "reduce",
                           .fingerprint = "00000000000000dd"};
    f.suppression = (struct cw_suppression){"inSource", "known & <harmless>", at(reduce, 5, 2, 5, 13)};
    return f;
}

static void add_rules(struct cw_run_report *r) {
    static const struct cw_rule_info rules[] = {
        {"divergent-barrier", "barrier", "a barrier that only some threads reach",
         "## What it does\n\nSays where.\n\n```cuda bad\n__syncthreads();\n```\n", CW_ERROR, false},
        {"implicit-warp-sync", "race", "relies on lanes in lock-step", "## What it does\n\nA <b>race</b>.\n",
         CW_WARNING, false},
        {"legacy-warp-intrinsic", "volta", "an intrinsic without a mask", "Old.\n", CW_INFO, true},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        cw_vec_push(&arena, &r->rules, rules[i]);
}

static struct cw_run_report sample(void) {
    struct cw_run_report r = {.version = "1.2.3",
                              .kernels = 4,
                              .analysed = 2,
                              .degraded = 1,
                              .failed = 1,
                              .not_shown = 5,
                              .fail_on = CW_WARNING,
                              .exit_status = 1};
    struct cw_file_result clean = {.path = "src/clean.cu"}, bad = {.path = reduce, .has_device_code = true};
    struct cw_file_result lost = {
        .path = "src/lost.cu", .failed = true, .failure = "more time needed than the limit of 60 s"};
    struct cw_skipped skipped = {"sort<T>", at(reduce, 9, 1, 9, 2), "its body was not parsed"};
    cw_vec_push(&arena, &bad.skipped, skipped);
    struct cw_partial partial = {.kernel = "scan<T &>", .place = at(reduce, 3, 1, 3, 5)};
    struct cw_part_reason masks = {"masks", "mask that could not be followed", NULL, 1};
    struct cw_part_reason reading = {"reading", "missing header <odd> & \"name\".h", "-I DIR", 2};
    cw_vec_push(&arena, &partial.reasons, masks);
    cw_vec_push(&arena, &partial.reasons, reading);
    cw_vec_push(&arena, &bad.partial, partial);
    struct cw_basis without = {"scan", at(reduce, 3, 1, 3, 5),
                               CW_BASIS_GUESSED | CW_BASIS_NO_LAUNCH | CW_BASIS_NO_HEADERS};
    cw_vec_push(&arena, &r.basis.kernels, without);
    r.basis.guessed = r.basis.no_headers = 1;
    cw_vec_push(&arena, &r.files, clean);
    cw_vec_push(&arena, &r.files, lost);
    cw_vec_push(&arena, &r.files, bad);
    cw_vec_push(&arena, &r.findings, inlined(2, 1, 6));
    cw_vec_push(&arena, &r.findings, between_warps(inlined(2, 36, 40)));
    cw_vec_push(&arena, &r.findings, barrier());
    cw_vec_push(&arena, &r.findings, race());
    cw_vec_push(&arena, &r.suppressed, silenced());
    cw_vec_push(&arena, &r.bails, ((struct cw_bail_count){"a pointer of unknown space", 7}));
    add_rules(&r);
    return r;
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, "C.UTF-8");
    cw_arena_init(&arena);
    struct cw_source *sources[] = {cw_source_of_text(&arena, reduce, reduce_text, sizeof reduce_text - 1),
                                   cw_source_of_text(&arena, hostile, hostile_text, sizeof hostile_text - 1)};
    struct cw_run_report report = sample();
    struct cw_buf out = {0};
    const struct cw_format *format = argc == 2 ? cw_format_find(argv[1]) : NULL;
    if (argc == 2 && !strcmp(argv[1], "--list"))
        for (uint32_t i = 0; i < cw_nformats; i++)
            printf("%s\n", cw_formats[i].name);
    struct cw_emit e = {
        .report = &report, .arena = &arena, .source_of = source_of, .ctx = sources, .unicode = true, .out = &out};
    if (format)
        format->emit(&e);
    fwrite(out.at ? out.at : "", 1, out.n, stdout);
    cw_buf_free(&out);
    cw_arena_free(&arena);
    return format || argc == 2 ? 0 : 2;
}
