/* What the parent makes of a worker's output and end. */
#include "check.h"

#include "base/str.h"
#include "diag/diag_json.h"
#include "engine/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXITED_0 = 0, EXITED_2 = 2 << 8 };

static struct cw_arena arena;

static struct cw_file_result result_of(const char *text, int status, const char *killed, uint64_t peak,
                                       struct cw_buf *dump) {
    struct cw_buf wire = {0};
    struct cw_file_result r;
    cw_buf_puts(&wire, text);
    cw_worker_result(&arena, "a.cu", &wire, status, killed, UINT64_C(1) << 30, peak, &r, dump);
    cw_buf_free(&wire);
    return r;
}

static void check_failure(const char *text, int status, const char *killed, uint64_t peak, const char *reason) {
    struct cw_buf dump = {0};
    struct cw_file_result r = result_of(text, status, killed, peak, &dump);
    CHECK(r.failed);
    CHECK_STR(r.path, "a.cu");
    CHECK_STR(r.failure, reason);
    CHECK_INT(dump.n, 0);
    cw_buf_free(&dump);
}

static void test_failures(void) {
    const char *whole = "{\"path\":\"x\",\"kernels\":1}";
    check_failure("", SIGSEGV, NULL, 0, "the analyser crashed on it (SIGSEGV)");
    check_failure(whole, SIGABRT, NULL, 0, "the analyser crashed on it (SIGABRT)");
    check_failure("", SIGABRT, NULL, (UINT64_C(1) << 30) - 1000, "more memory needed than the limit of 1024 MB");
    check_failure("", EXITED_2, NULL, 0, "the analyser gave up on it (status 2)");
    check_failure("", SIGKILL, "more time", 0, "more time");
    check_failure("", EXITED_0, NULL, 0, "the analyser gave no result");
    check_failure("{\"path\":\"x\"", EXITED_0, NULL, 0, "the analyser gave no result");
    check_failure("[1]", EXITED_0, NULL, 0, "the analyser gave no result");
}

static void test_success(void) {
    struct cw_buf dump = {0};
    struct cw_file_result r = result_of("{\"path\":\"x\",\"kernels\":2,\"analysed\":1,\"dump\":\"text\\n\"}", EXITED_0,
                                        NULL, 0, &dump);
    CHECK(!r.failed);
    CHECK_STR(r.path, "a.cu");
    CHECK_INT(r.kernels, 2);
    CHECK_STR(dump.at, "text\n");
    cw_buf_free(&dump);
}

static void test_memory_probe(void) {
    CHECK(cw_process_memory(getpid()) > 4096);
    CHECK(cw_process_memory(-1) == 0);
}

int main(void) {
    cw_arena_init(&arena);
    test_failures();
    test_success();
    test_memory_probe();
    cw_arena_free(&arena);
    return check_report();
}
