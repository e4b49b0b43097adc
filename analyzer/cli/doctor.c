/* cuwarp-lint doctor: is this installation able to work? One line per check, with a verdict. */
#include "base/log.h"
#include "base/printable.h"
#include "base/str.h"
#include "cli/cli.h"
#include "front/front.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct doctor {
    const struct cw_command_line *line;
    struct cw_arena *arena;
    struct cw_buf out;
    bool broken;
};

enum verdict { GOOD, NOTE, BROKEN };

static void report_item(struct doctor *doctor, enum verdict verdict, const char *what, const char *found) {
    static const char *const verdicts[] = {[GOOD] = "ok", [NOTE] = "note", [BROKEN] = "BROKEN"};
    doctor->broken |= verdict == BROKEN;
    cw_buf_printf(&doctor->out, "%-7s %-14s ", verdicts[verdict], what);
    cw_puts_printable(&doctor->out, found);
    cw_buf_putc(&doctor->out, '\n');
}

/* A kernel that needs the built-in headers: cooperative groups, half precision, a standard header. */
static const char self_test[] = "#include <cooperative_groups.h>\n"
                                "#include <cuda_fp16.h>\n"
                                "#include <cstdint>\n"
                                "__global__ void doctor(std::uint32_t *out) {\n"
                                "    auto block = cooperative_groups::this_thread_block();\n"
                                "    __shared__ std::uint32_t s[256];\n"
                                "    s[threadIdx.x] = __shfl_xor_sync(0xffffffffu, threadIdx.x, 1);\n"
                                "    block.sync();\n"
                                "    out[threadIdx.x] = s[255 - threadIdx.x];\n"
                                "}\n";

static void check_parse(struct doctor *doctor, const struct cw_run_options *given) {
    static const char name[] = "doctor.cu";
    struct cw_run_options o = *given;
    struct cw_sources sources;
    struct cw_run_report report;
    struct cw_buf dump = {0};
    cw_sources_init(&sources, doctor->arena);
    cw_sources_put(&sources, name, cw_source_of_text(doctor->arena, name, self_test, sizeof self_test - 1));
    o.stdin_name = name;
    o.npaths = 0;
    int failed = cw_run(&o, &sources, doctor->arena, &report, &dump);
    cw_buf_free(&dump);
    if (failed || report.files.n != 1) {
        report_item(doctor, BROKEN, "self-test", "no worker process could be started");
        return;
    }
    const struct cw_file_result *r = &report.files.at[0];
    const char *headers = o.unit.cuda_path ? "the toolkit's headers" : "the built-in headers";
    if (r->failed)
        report_item(doctor, BROKEN, "self-test", r->failure);
    else if (r->analysed != 1 || r->degraded || r->parse_notes.n)
        report_item(doctor, BROKEN, "self-test",
                    r->parse_notes.n ? r->parse_notes.at[0].text : "a small kernel was not understood");
    else
        report_item(doctor, GOOD, "self-test",
                    cw_arena_printf(doctor->arena, "a kernel with %s in %.0f ms", headers,
                                    1e3 * (r->seconds_scan + r->seconds_parse + r->seconds_analyse)));
}

static bool is_toolkit(struct doctor *doctor, const char *path) {
    struct stat st;
    return path && *path && !stat(cw_arena_printf(doctor->arena, "%s/include/cuda_runtime.h", path), &st);
}

static void check_toolkit(struct doctor *doctor, const char *given) {
    const char *places[] = {getenv("CUDA_PATH"), getenv("CUDA_HOME"), "/usr/local/cuda"};
    if (given) {
        report_item(doctor, is_toolkit(doctor, given) ? GOOD : BROKEN, "CUDA toolkit",
                    cw_arena_printf(doctor->arena,
                                    is_toolkit(doctor, given) ? "%s (--cuda-path)" : "%s has no include/cuda_runtime.h",
                                    given));
        return;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (is_toolkit(doctor, places[i])) {
            report_item(
                doctor, GOOD, "CUDA toolkit",
                cw_arena_printf(doctor->arena, "built-in headers are used; one is at %s (for --cuda-path)", places[i]));
            return;
        }
    report_item(doctor, GOOD, "CUDA toolkit", "none found; none is needed");
}

static void check_libclang(struct doctor *doctor) {
    const char *error, *version = cw_front_clang_version(doctor->arena, &error);
    report_item(doctor, version ? GOOD : BROKEN, "libclang", version ? version : error);
}

static void check_terminal(struct doctor *doctor) {
    const char *codeset = nl_langinfo(CODESET);
    report_item(doctor, cw_cli_unicode() ? GOOD : NOTE, "locale",
                cw_cli_unicode() ? codeset
                                 : cw_arena_printf(doctor->arena, "%s: lanes are drawn with # and .", codeset));
}

int cw_command_doctor(const struct cw_command_line *command, struct cw_arena *a) {
    struct doctor d = {.line = command, .arena = a};
    struct cw_run_options o;
    const char *error = command->operands.n ? "doctor takes no operands" : cw_cli_run_options(command, a, &o);
    if (error)
        return cw_cli_usage(error);
    report_item(&d, GOOD, "cuwarp-lint", CUWARP_VERSION);
    check_libclang(&d);
    report_item(&d, GOOD, "tree-sitter", cw_scan_grammar_version(a));
    check_toolkit(&d, o.unit.cuda_path);
    check_parse(&d, &o);
    report_item(&d, GOOD, "workers", cw_arena_printf(a, "%d at a time", cw_cli_processors()));
    check_terminal(&d);
    cw_buf_printf(&d.out, "%s\n",
                  d.broken ? "This installation cannot analyse CUDA sources; see the lines marked BROKEN."
                           : "All is well.");
    int failed = cw_cli_write(&d.out, NULL);
    cw_buf_free(&d.out);
    return failed || d.broken ? CW_EXIT_USAGE : CW_EXIT_CLEAN;
}
