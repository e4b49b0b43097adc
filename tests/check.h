/* A micro harness for unit tests: each test file is one program, each CHECK counts, the first failures are printed. */
#ifndef CW_TESTS_CHECK_H
#define CW_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int check_count, check_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        check_count++;                                                                                                 \
        if (!(condition)) {                                                                                            \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition);                              \
        }                                                                                                              \
    } while (0)

#define CHECK_INT(actual, expected)                                                                                    \
    do {                                                                                                               \
        long long actual_ = (long long)(actual), expected_ = (long long)(expected);                                    \
        check_count++;                                                                                                 \
        if (actual_ != expected_) {                                                                                    \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: %s is %lld, expected %lld\n", __FILE__, __LINE__, #actual, actual_, expected_);    \
        }                                                                                                              \
    } while (0)

#define CHECK_STR(actual, expected)                                                                                    \
    do {                                                                                                               \
        const char *actual_ = (actual), *expected_ = (expected);                                                       \
        check_count++;                                                                                                 \
        if (!actual_ || strcmp(actual_, expected_) != 0) {                                                             \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: %s is\n  %s\nexpected\n  %s\n", __FILE__, __LINE__, #actual,                       \
                    actual_ ? actual_ : "(null)", expected_);                                                          \
        }                                                                                                              \
    } while (0)

/* Prints the tally; the program's exit status. A test that checked nothing fails. */
static inline int check_report(void) {
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures || !check_count;
}

#endif
