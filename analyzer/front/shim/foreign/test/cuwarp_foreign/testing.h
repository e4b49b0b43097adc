// GoogleTest and Catch2: tests are functions, what they check is evaluated.
#pragma once
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>
namespace cuwarp_test {
struct sink {
    template <typename T> const sink &operator<<(const T &) const { return *this; }
};
template <typename... T> sink check(const T &...) { return sink(); }
// Of a list of types: the first, the last, and two between, which differ in more than the first and the last place.
template <int part, typename L> struct pick { typedef L type; };
template <typename L, typename...> using first_type = L;
template <int part, template <typename...> class L, typename... T> struct pick<part, L<T...>> {
    typedef __type_pack_element<part * (sizeof...(T) - 1) / 3, T...> type;
};
template <typename T, typename... O> T first_of(T value, const O &...) { return value; }
} // namespace cuwarp_test
namespace Catch {
struct Approx {
    template <typename T> explicit Approx(const T &);
    template <typename T> Approx &epsilon(const T &);
    template <typename T> Approx &margin(const T &);
    template <typename T> Approx &scale(const T &);
    template <typename T> friend bool operator==(const T &, const Approx &);
    template <typename T> friend bool operator==(const Approx &, const T &);
};
struct Session {
    template <typename... A> int applyCommandLine(A &&...a);
    int run();
    template <typename... A> int run(A &&...a);
};
// A generator is one of the values that it makes.
namespace Generators {
template <typename A, typename B> A random(A least, B most);
template <typename A, typename B, typename... C> A range(A first, B end, C... step);
template <typename T> T value(T v);
template <typename T> T values(std::initializer_list<T>);
template <typename T> T take(int, T generated) { return generated; }
template <typename T> T repeat(int, T generated) { return generated; }
template <typename T> T cycle(T generated) { return generated; }
template <typename F, typename T> T filter(F, T generated) { return generated; }
template <typename R, typename F, typename T> R map(F function, T generated);
template <typename T> std::vector<T> chunk(int, T generated);
} // namespace Generators
} // namespace Catch
namespace testing {
struct Test {
    virtual ~Test();
    virtual void SetUp() {}
    virtual void TearDown() {}
    static void SetUpTestSuite() {}
};
template <typename T> struct WithParamInterface { static const T &GetParam(); };
template <typename T> struct TestWithParam : Test, WithParamInterface<T> {};
template <typename... T> struct Types {};
struct AssertionResult {
    explicit operator bool() const;
    template <typename T> AssertionResult &operator<<(const T &);
};
AssertionResult AssertionSuccess();
AssertionResult AssertionFailure();
template <typename... T> auto Values(T &&...) -> int;
template <typename... T> auto ValuesIn(T &&...) -> int;
template <typename... T> auto Combine(T &&...) -> int;
template <typename... T> auto Range(T &&...) -> int;
auto Bool() -> int;
template <typename... T> void InitGoogleTest(T &&...);
template <typename T> struct TestParamInfo {
    T param;
    size_t index;
};
struct PrintToStringParamName {};
using std::get;
// What GoogleMock's matchers are made of is not read: they are values.
struct cuwarp_matcher {
    template <typename... A> cuwarp_matcher(A &&...);
    template <typename T> bool operator()(const T &) const;
};
#define CUWARP_MATCHER(name) template <typename... A> cuwarp_matcher name(A &&...);
CUWARP_MATCHER(Matches) CUWARP_MATCHER(NanSensitiveFloatEq) CUWARP_MATCHER(NanSensitiveDoubleEq)
CUWARP_MATCHER(NanSensitiveFloatNear) CUWARP_MATCHER(NanSensitiveDoubleNear) CUWARP_MATCHER(FloatEq)
CUWARP_MATCHER(DoubleEq) CUWARP_MATCHER(FloatNear) CUWARP_MATCHER(DoubleNear) CUWARP_MATCHER(Pointwise)
CUWARP_MATCHER(ElementsAre) CUWARP_MATCHER(ElementsAreArray) CUWARP_MATCHER(Each) CUWARP_MATCHER(Eq)
CUWARP_MATCHER(UnorderedElementsAreArray)
#undef CUWARP_MATCHER
} // namespace testing
#define CUWARP_MATCHES                                                                                                 \
    cuwarp_matches(const A &arg, std::ostream *result_listener, bool negation) const
#define MATCHER(name, ...)                                                                                             \
    struct name##_cuwarp {                                                                                             \
        template <typename A> bool CUWARP_MATCHES;                                                                     \
    };                                                                                                                 \
    inline name##_cuwarp name() { return {}; }                                                                         \
    template <typename A> bool name##_cuwarp::CUWARP_MATCHES
#define MATCHER_P(name, parameter, ...)                                                                                \
    template <typename P> struct name##_cuwarp {                                                                       \
        P parameter;                                                                                                   \
        template <typename A> bool CUWARP_MATCHES;                                                                     \
    };                                                                                                                 \
    template <typename P> name##_cuwarp<P> name(P parameter) { return {parameter}; }                                   \
    template <typename P> template <typename A> bool name##_cuwarp<P>::CUWARP_MATCHES
#define CUWARP_TEST_NAME_(a, b) a##_##b##_Test
#define CUWARP_TEST_NAME(a, b) CUWARP_TEST_NAME_(a, b)
#define TEST(suite, name)                                                                                              \
    struct CUWARP_TEST_NAME(suite, name) : ::testing::Test {                                                           \
        void TestBody();                                                                                               \
    };                                                                                                                 \
    void CUWARP_TEST_NAME(suite, name)::TestBody()
#define TEST_F(suite, name)                                                                                            \
    struct CUWARP_TEST_NAME(suite, name) : suite {                                                                     \
        void TestBody();                                                                                               \
    };                                                                                                                 \
    void CUWARP_TEST_NAME(suite, name)::TestBody()
#define TEST_P(suite, name) TEST_F(suite, name)
// The test of a list of types is run for the first and the last of them.
#define TYPED_TEST_SUITE(suite, ...) typedef ::cuwarp_test::first_type<__VA_ARGS__> suite##_cuwarp_types;
#define TYPED_TEST_CASE(...) TYPED_TEST_SUITE(__VA_ARGS__)
#define TYPED_TEST(suite, name)                                                                                        \
    template <typename TypeParam> struct CUWARP_TEST_NAME(suite, name) : suite<TypeParam> {                            \
        typedef suite<TypeParam> TestFixture;                                                                          \
        void TestBody();                                                                                               \
    };                                                                                                                 \
    inline void cuwarp_run_##suite##_##name() {                                                                        \
        CUWARP_TEST_NAME(suite, name)<::cuwarp_test::pick<0, suite##_cuwarp_types>::type>().TestBody();                \
        CUWARP_TEST_NAME(suite, name)<::cuwarp_test::pick<3, suite##_cuwarp_types>::type>().TestBody();                \
    }                                                                                                                  \
    template <typename TypeParam> void CUWARP_TEST_NAME(suite, name)<TypeParam>::TestBody()
#define INSTANTIATE_TEST_SUITE_P(...)
#define INSTANTIATE_TEST_CASE_P(...)
#define RUN_ALL_TESTS() 0
#define CUWARP_CHECK(...) ::cuwarp_test::check(__VA_ARGS__)
#define EXPECT_EQ(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_NE(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_LT(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_LE(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_GT(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_GE(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_TRUE(...) CUWARP_CHECK((bool)(__VA_ARGS__))
#define EXPECT_FALSE(...) CUWARP_CHECK((bool)(__VA_ARGS__))
#define EXPECT_NEAR(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_FLOAT_EQ(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_DOUBLE_EQ(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_STREQ(...) CUWARP_CHECK(__VA_ARGS__)
#define EXPECT_THROW(statement, ...)                                                                                   \
    do {                                                                                                               \
        statement;                                                                                                     \
    } while (0)
#define EXPECT_NO_THROW(statement)                                                                                     \
    do {                                                                                                               \
        statement;                                                                                                     \
    } while (0)
#define EXPECT_THAT(...) CUWARP_CHECK()
#define ASSERT_EQ EXPECT_EQ
#define ASSERT_NE EXPECT_NE
#define ASSERT_LT EXPECT_LT
#define ASSERT_LE EXPECT_LE
#define ASSERT_GT EXPECT_GT
#define ASSERT_GE EXPECT_GE
#define ASSERT_TRUE EXPECT_TRUE
#define ASSERT_FALSE EXPECT_FALSE
#define ASSERT_NEAR EXPECT_NEAR
#define ASSERT_FLOAT_EQ EXPECT_FLOAT_EQ
#define ASSERT_STREQ EXPECT_STREQ
#define ASSERT_THROW EXPECT_THROW
#define ASSERT_NO_THROW EXPECT_NO_THROW
#define FAIL(...) ::cuwarp_test::sink()
#define SUCCEED() ::cuwarp_test::sink()
#define ADD_FAILURE() ::cuwarp_test::sink()
#define GTEST_SKIP() return (void)0
#define SCOPED_TRACE(...)
#define CUWARP_CASE_(n) cuwarp_case_##n
#define CUWARP_CASE(n) CUWARP_CASE_(n)
#define TEST_CASE(...) static void CUWARP_CASE(__LINE__)()
// Of the arguments that a template of tests is made with, the first ones say what it instantiates.
#define CUWARP_TEMPLATE_CASE(test, parameters, first, second)                                                          \
    template <parameters> static void test();                                                                          \
    static void (*const CUWARP_PASTE(test, _first))() = &test<first>;                                                  \
    static void (*const CUWARP_PASTE(test, _second))() = &test<second>;                                                \
    template <parameters> static void test()
#define CUWARP_PASTE_(a, b) a##b
#define CUWARP_PASTE(a, b) CUWARP_PASTE_(a, b)
#define CUWARP_UNWRAP(...) __VA_ARGS__
#define CUWARP_TEMPLATE_TYPES(test, first, second, ...)                                                                \
    CUWARP_TEMPLATE_CASE(test, typename TestType, CUWARP_UNWRAP first, CUWARP_UNWRAP second)
#define TEMPLATE_TEST_CASE(name, tags, ...) CUWARP_TYPES_(CUWARP_CASE(__LINE__), __VA_ARGS__, __VA_ARGS__)
#define CUWARP_TYPES_(test, first, ...) CUWARP_TYPES(test, first, __VA_ARGS__)
#define CUWARP_TYPES(test, first, second, ...) CUWARP_TEMPLATE_TYPES(test, (first), (second), )
#define TEMPLATE_LIST_TEST_CASE(name, tags, ...) CUWARP_LIST(CUWARP_CASE(__LINE__), __VA_ARGS__)
#define CUWARP_LIST(test, ...)                                                                                         \
    template <typename TestType> static void test();                                                                   \
    static void (*const CUWARP_PASTE(test, _listed)[])() = {                                                           \
        &test<typename ::cuwarp_test::pick<0, __VA_ARGS__>::type>,                                                     \
        &test<typename ::cuwarp_test::pick<1, __VA_ARGS__>::type>,                                                     \
        &test<typename ::cuwarp_test::pick<2, __VA_ARGS__>::type>,                                                     \
        &test<typename ::cuwarp_test::pick<3, __VA_ARGS__>::type>};                                                    \
    template <typename TestType> static void test()
#define TEMPLATE_TEST_CASE_SIG(name, tags, signature, ...)                                                             \
    CUWARP_SIG_(CUWARP_CASE(__LINE__), CUWARP_SIGNATURE signature, __VA_ARGS__, __VA_ARGS__)
#define CUWARP_SIGNATURE(parameters, ...) parameters
#define CUWARP_SIG_(test, ...) CUWARP_SIG(test, __VA_ARGS__)
#define CUWARP_SIG(test, parameters, first, second, ...)                                                               \
    CUWARP_TEMPLATE_CASE(test, CUWARP_UNWRAP parameters, CUWARP_SET(first), CUWARP_SET(second))
// `(int, 2)` or, of one parameter, `int`.
#define CUWARP_SET(...) CUWARP_IF_PAREN(__VA_ARGS__)(__VA_ARGS__)
#define CUWARP_IF_PAREN(...) CUWARP_THIRD_(CUWARP_PROBE __VA_ARGS__, CUWARP_UNWRAP_SET, CUWARP_UNWRAP, )
#define CUWARP_PROBE(...) ,
#define CUWARP_THIRD(a, b, c, ...) c
#define CUWARP_THIRD_(...) CUWARP_THIRD(__VA_ARGS__)
#define CUWARP_UNWRAP_SET(x) CUWARP_UNWRAP x
#define SECTION(...) if (bool cuwarp_section = true)
#define REQUIRE(...) CUWARP_CHECK((bool)(__VA_ARGS__))
#define REQUIRE_FALSE(...) CUWARP_CHECK((bool)(__VA_ARGS__))
#define CHECK(...) CUWARP_CHECK((bool)(__VA_ARGS__))
#define STATIC_REQUIRE(...) static_assert(__VA_ARGS__, "")
#define INFO(...) ((void)0)
#define CAPTURE(...) ((void)0)
#define GENERATE(...)                                                                                                  \
    ([&] {                                                                                                             \
        using namespace ::Catch::Generators;                                                                           \
        return ::cuwarp_test::first_of(__VA_ARGS__);                                                                   \
    }())
#define GENERATE_COPY GENERATE
#define GENERATE_REF GENERATE
#define REQUIRE_THAT(value, matcher) CUWARP_CHECK(value)
#define CHECK_THAT(value, matcher) CUWARP_CHECK(value)
