/* SAME(name, call): the IR of `call`, when run, gives the value that the compiler's constant evaluator gives. The
 * expected value is an enumerator, which the front end never computes by itself. */
#pragma once
#define SAME(name, call)                                                                                               \
    __device__ bool check_##name() {                                                                                   \
        enum : long long { expected = (long long)(call) };                                                             \
        return (long long)(call) == expected;                                                                          \
    }
/* IS(name, call, value): for code that no constant evaluator takes; the value is worked out by hand. */
#define IS(name, call, value)                                                                                          \
    __device__ bool check_##name() { return (long long)(call) == (value); }
/* The same call with several arguments. */
#define SAME2(name, f, a, b) SAME(name, f(a, b))
#define EACH_PAIR(name, f)                                                                                             \
    SAME2(name##_0, f, 0, 0)                                                                                           \
    SAME2(name##_1, f, 1, 2)                                                                                           \
    SAME2(name##_2, f, -1, 3)                                                                                          \
    SAME2(name##_3, f, 100, -7)                                                                                        \
    SAME2(name##_4, f, -12345, 678)                                                                                    \
    SAME2(name##_5, f, 255, 256)                                                                                       \
    SAME2(name##_6, f, 65536, -65536)                                                                                  \
    SAME2(name##_7, f, 31, 17)
#define FN constexpr __device__
