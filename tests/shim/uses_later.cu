// The C++ library of C++20 as host code uses it. What is asserted holds of a real library too: any compiler of C++20
// takes the file.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <compare>
#include <concepts>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace views = std::views;

template <std::integral A, std::integral B> constexpr auto ceil_div(A a, B b) { return (a + b - 1) / b; }
static_assert(ceil_div(1000u, 256) == 4);

// Deduced from arguments.
constexpr auto names = std::array<std::pair<int, const char *>, 3>{std::pair{1, "one"}, std::pair{2, "two"},
                                                                   std::pair{4, "four"}};
static_assert(std::is_same_v<decltype(std::pair{1, "one"}), std::pair<int, const char *>>);
static_assert(std::is_same_v<decltype(std::optional{2.0f}), std::optional<float>>);
static_assert(std::is_same_v<decltype(std::normal_distribution{1.0f, 2.0f}), std::normal_distribution<float>>);
static_assert(std::is_same_v<decltype(std::uniform_real_distribution{0.0f, 1.0f}),
                             std::uniform_real_distribution<float>>);
static_assert(std::is_same_v<decltype(std::span{names})::element_type, const std::pair<int, const char *>>);

// Ranges, as constants.
static_assert(std::ranges::max(names | views::keys) == 4);
static_assert(std::ranges::size(names) == 3 && !std::ranges::empty(names));
static_assert(std::ranges::find(names, 2, [](auto &p) { return p.first; })->second[0] == 't');
static_assert(std::ranges::any_of(names, [](auto &p) { return p.second[0] == 'f'; }));
static_assert(std::ranges::all_of(names | views::keys, [](int n) { return n > 0; }));
static_assert(std::ranges::none_of(names | views::keys, [](int n) { return n == 3; }));
static_assert(std::ranges::count_if(names | views::keys, [](int n) { return n % 2 == 0; }) == 2);

constexpr int sum_of(auto &&range) {
    int sum = 0;
    for (auto &&x : range)
        sum += (int)x;
    return sum;
}
static_assert(sum_of(views::iota(0, 5)) == 10);
static_assert(sum_of(views::iota(1, 4) | views::transform([](int n) { return n * n; })) == 14);
static_assert(sum_of(views::iota(0, 10) | views::filter([](int n) { return n % 3 == 0; })) == 18);
static_assert(sum_of(names | views::keys | views::drop(1)) == 6);
static_assert(sum_of(names | views::keys | views::take(2)) == 3);

// A comparison of one's own, without <functional>.
struct device {
    int type, index;
};
template <> struct std::less<device> {
    bool operator()(const device &a, const device &b) const { return a.index < b.index; }
};

constexpr std::variant<long, double> scalar() { return {}; }
static_assert(scalar().index() == 0);

struct sizes {
    std::span<const long> all;
    sizes(std::initializer_list<long> list) : all(list.begin(), list.size()) {}
};

long use(std::mt19937 &engine) {
    std::map<device, std::string> byDevice;
    std::discrete_distribution<int> dice({1, 2, 3});
    std::vector<int> order(10);
    std::ranges::copy(views::iota(0, 10), order.begin());
    std::ranges::sort(order, std::greater<>());
    sizes some({1, 2, 3});
    std::optional<long> found = some.all.empty() ? std::nullopt : std::optional{some.all.front()};
    byDevice[device{0, 1}] = "first";
    return found.value_or(0) + dice(engine) + order.back();
}

int sum_of_both(const std::variant<int, long> &a, const std::variant<char, short> &b, const std::variant<int, float> &c) {
    return std::visit([](auto x, auto y, auto z) { return (int)(x + y + z); }, a, b, c);
}

struct parameters {
    float *data;
    int n;
};

int bound(const parameters &p) {
    const auto &[data, n] = p;
    const auto [first, second] = std::tuple<int, long>{1, 2};
    return n + (data ? first : (int)second);
}

// Traits, by classes that differ in one thing each.
namespace traits {
struct plain {
    int n;
    void f(int);
    void quiet() noexcept;
};
struct derived : plain {
    virtual ~derived() noexcept(false);
};
struct unmovable {
    unmovable(const unmovable &) = delete;
    unmovable &operator=(const unmovable &) = delete;
};
struct swapped : unmovable {};
void swap(swapped &, swapped &) noexcept;
struct copies {
    copies(const copies &);
    copies &operator=(const copies &);
};
struct hidden {
  private:
    ~hidden();
};
enum class scoped : short { one };
template <template <typename...> class Trait, typename... T> constexpr bool all = (Trait<T>::value && ...);
template <template <typename...> class Trait, typename... T> constexpr bool none = (!Trait<T>::value && ...);
static_assert(all<std::is_destructible, int, plain, derived, int &> && none<std::is_destructible, hidden, void, int()>);
static_assert(all<std::is_nothrow_destructible, int, plain> && none<std::is_nothrow_destructible, derived, hidden>);
static_assert(all<std::has_virtual_destructor, derived> && none<std::has_virtual_destructor, plain, int>);
static_assert(all<std::is_member_function_pointer, void (plain::*)(int), void (plain::*const)() noexcept> &&
              none<std::is_member_function_pointer, int plain::*, void (*)(int), int>);
static_assert(all<std::is_member_object_pointer, int plain::*> &&
              none<std::is_member_object_pointer, void (plain::*)(int)>);
static_assert(all<std::is_swappable, int, int[3], swapped, copies, std::vector<int>> &&
              none<std::is_swappable, unmovable, const int, void, int[]>);
static_assert(all<std::is_nothrow_swappable, int, int[3], swapped, plain> &&
              none<std::is_nothrow_swappable, copies, unmovable>);
static_assert(std::is_swappable_with_v<int &, int &> && !std::is_swappable_with_v<int, int> &&
              !std::is_swappable_with_v<int &, long &>);
static_assert(all<std::is_copy_constructible, int, copies> && none<std::is_copy_constructible, void, unmovable, int()>);
static_assert(all<std::is_trivially_copy_assignable, int, plain> &&
              none<std::is_trivially_copy_assignable, copies, void>);
static_assert(all<std::is_trivially_move_assignable, int, plain> &&
              none<std::is_trivially_move_assignable, copies, const int>);
static_assert(std::is_trivially_assignable_v<int &, long> && !std::is_trivially_assignable_v<int, int> &&
              !std::is_trivially_assignable_v<copies &, copies>);
static_assert(std::is_nothrow_assignable_v<int &, int> && !std::is_nothrow_assignable_v<copies &, const copies &>);
static_assert(all<std::is_bounded_array, int[1], int[2][3]> && none<std::is_bounded_array, int[], int, int (&)[1]>);
static_assert(all<std::is_unbounded_array, int[], int[][3]> && none<std::is_unbounded_array, int[1], int *>);
static_assert(std::is_nothrow_convertible_v<int, long> && std::is_nothrow_convertible_v<void, void> &&
              !std::is_nothrow_convertible_v<const copies &, copies> && !std::is_nothrow_convertible_v<plain, int>);

// What may be called, with which result.
using method = void (plain::*)(int);
using quiet = void (plain::*)() noexcept;
static_assert(std::is_invocable_v<method, plain &, int> && std::is_invocable_v<method, plain *, int> &&
              !std::is_invocable_v<method, plain &> && !std::is_invocable_v<method, int, int>);
static_assert(std::is_invocable_v<int plain::*, plain> && !std::is_invocable_v<int plain::*, plain, int>);
static_assert(std::is_invocable_r_v<long, int (*)()> && std::is_invocable_r_v<void, int (*)()> &&
              !std::is_invocable_r_v<plain, int (*)()> && !std::is_invocable_r_v<int, int (*)(int)>);
static_assert(std::is_nothrow_invocable_v<quiet, plain &> && !std::is_nothrow_invocable_v<method, plain &, int> &&
              !std::is_nothrow_invocable_v<quiet, int>);
static_assert(std::is_nothrow_invocable_r_v<long, int (*)() noexcept> &&
              !std::is_nothrow_invocable_r_v<long, int (*)()>);
static_assert(std::is_same_v<std::invoke_result_t<int plain::*, plain &>, int &> &&
              std::is_same_v<std::invoke_result_t<method, plain *, int>, void>);
template <typename F>
concept has_result = requires {
    typename std::invoke_result<F, int>::type;
};
static_assert(has_result<int (*)(int)> && !has_result<int (*)()>);
template <typename A, typename B>
concept has_common = requires {
    typename std::common_type<A, B>::type;
};
static_assert(has_common<int, long> && !has_common<plain, int>);
static_assert(std::is_same_v<std::common_type_t<int, long, float>, float>);
static_assert(std::is_same_v<std::common_reference_t<int &, const int &>, const int &> &&
              std::is_same_v<std::common_reference_t<int &&, int &>, const int &> &&
              std::is_same_v<std::common_reference_t<int &&, int &&>, int &&> &&
              std::is_same_v<std::common_reference_t<int, long>, long>);
static_assert(std::is_same_v<std::add_lvalue_reference_t<const void>, const void> &&
              std::is_same_v<std::add_rvalue_reference_t<int &>, int &> &&
              std::is_same_v<std::add_pointer_t<int &>, int *>);
static_assert(sizeof(std::aligned_union_t<2, char, double>) == 8 &&
              std::aligned_union<1, int, double>::alignment_value == 8);
static_assert(std::is_same_v<std::unwrap_ref_decay_t<std::reference_wrapper<int>>, int &> &&
              std::is_same_v<std::unwrap_ref_decay_t<const int &>, int>);
} // namespace traits

// Limits.
using of_float = std::numeric_limits<float>;
using of_double = std::numeric_limits<double>;
using of_int = std::numeric_limits<int>;
static_assert(of_float::has_denorm == std::denorm_present && !of_float::has_denorm_loss && of_float::has_signaling_NaN);
static_assert(of_float::round_style == std::round_to_nearest && !of_float::traps && !of_float::tinyness_before);
static_assert(of_float::min_exponent == -125 && of_float::max_exponent == 128 && of_float::min_exponent10 == -37 &&
              of_float::max_exponent10 == 38 && of_float::max_digits10 == 9 && !of_float::is_modulo);
static_assert(of_double::max_digits10 == 17 && of_double::digits10 == 15 && of_double::max_exponent10 == 308 &&
              of_double::denorm_min() > 0);
static_assert(of_int::has_denorm == std::denorm_absent && of_int::round_style == std::round_toward_zero &&
              of_int::min_exponent == 0 && of_int::max_digits10 == 0 && !of_int::is_modulo &&
              of_int::denorm_min() == 0);
static_assert(std::numeric_limits<unsigned>::is_modulo && !std::numeric_limits<bool>::is_modulo &&
              std::numeric_limits<char16_t>::max() == 65535 && std::numeric_limits<const volatile int>::digits == 31);
static_assert(!std::numeric_limits<void *>::is_specialized && std::numeric_limits<void *>::digits == 0);

// Comparisons in one.
struct version {
    int major, minor;
    friend auto operator<=>(const version &, const version &) = default;
};
static_assert(version{1, 2} < version{1, 3} && version{2, 0} >= version{1, 9} && version{1, 1} == version{1, 1});
static_assert(std::is_same_v<decltype(1 <=> 2), std::strong_ordering> && (1 <=> 2) < 0 && std::is_gt(2 <=> 1));
static_assert(std::is_same_v<decltype(1.0 <=> 2.0), std::partial_ordering> &&
              (1.0 <=> of_double::quiet_NaN()) == std::partial_ordering::unordered);
static_assert(std::is_same_v<std::common_comparison_category_t<std::strong_ordering, std::partial_ordering>,
                             std::partial_ordering>);
static_assert(std::three_way_comparable<int> && !std::three_way_comparable<traits::plain> &&
              !std::three_way_comparable<float, std::strong_ordering>);
static_assert(std::compare_three_way()(1, 2) == std::strong_ordering::less && std::strong_order(2, 2) == 0);

// Concepts, and what iterators are.
static_assert(std::regular<int> && std::copyable<traits::copies> && !std::semiregular<traits::copies> &&
              !std::movable<traits::unmovable> && std::totally_ordered<int> &&
              !std::equality_comparable<traits::plain>);
static_assert(std::predicate<bool (*)(int), int> && !std::predicate<void (*)(int), int> &&
              std::common_with<int, long> && std::derived_from<traits::derived, traits::plain> && std::swappable<int> &&
              std::destructible<int>);
static_assert(std::contiguous_iterator<int *> && std::random_access_iterator<std::reverse_iterator<int *>> &&
              std::sentinel_for<int *, const int *> && std::input_iterator<const int *> && !std::input_iterator<int> &&
              std::sized_sentinel_for<int *, int *> && std::output_iterator<int *, int> &&
              !std::output_iterator<const int *, int>);
static_assert(std::is_same_v<std::iter_value_t<const int *>, int> &&
              std::is_same_v<std::iter_reference_t<int *>, int &> &&
              std::is_same_v<std::iter_difference_t<int *>, std::ptrdiff_t>);
constexpr int three[] = {1, 2, 3};
static_assert(*std::rbegin(three) == 3 && std::crend(three) - std::crbegin(three) == 3 && std::ssize(three) == 3 &&
              !std::empty(three) && std::rbegin(three)[1] == 2);

// Functions that compute.
static_assert(std::cmp_less(-1, 1u) && !std::cmp_equal(-1, ~0u) && std::in_range<unsigned char>(255) &&
              !std::in_range<unsigned>(-1) && !std::in_range<int>(~0u));
static_assert(std::rotl(0x81u, 4) == 0x810u && std::rotr((unsigned char)1, 1) == 128 &&
              std::countl_one((unsigned char)0xf0) == 4 && std::countr_one(7u) == 3);
static_assert(std::midpoint(1, 4) == 2 && std::midpoint(4, 1) == 3 && std::midpoint(2.0f, 4.0f) == 3.0f);
static_assert(std::get<int>(std::tuple<int, long>{1, 2}) == 1 && std::tuple{1, 2} < std::tuple{1, 3} &&
              std::tuple{1, 2} == std::tuple{1, 2} && std::make_from_tuple<version>(std::tuple{1, 2}) == version{1, 2});
static_assert(std::tuple_cat(std::tuple{1, 2}, std::tuple{}, std::tuple{3}) == std::tuple{1, 2, 3});
static_assert(std::to_array({1, 2, 3})[2] == 3 && std::array{1, 2} < std::array{1, 3});
static_assert(std::not_fn([](int n) { return n > 1; })(0) && std::invoke(&version::major, version{3, 0}) == 3 &&
              std::bind_front([](int a, int b) { return a - b; }, 5)(2) == 3);
static_assert(std::bit_not<>()(0) == -1 &&
              std::is_placeholder_v<std::remove_cv_t<decltype(std::placeholders::_2)>> == 2);
static_assert(std::lerp(0.0f, 2.0f, 0.5f) == 1.0f);
using namespace std::chrono_literals;
static_assert(2s == 2000ms && 1h + 30min == 90min && std::chrono::duration_cast<std::chrono::seconds>(1999ms) == 1s &&
              std::chrono::ceil<std::chrono::seconds>(1001ms) == 2s && std::chrono::milliseconds(3s).count() == 3000 &&
              7ms / 2ms == 3);
static_assert(std::ratio_add<std::ratio<1, 2>, std::ratio<1, 3>>::num == 5 && std::ratio<2, -4>::den == 2 &&
              std::ratio_less_v<std::micro, std::milli>);
static_assert(std::is_same_v<std::pointer_traits<int *>::rebind<char>, char *> &&
              std::is_same_v<std::pointer_traits<std::shared_ptr<int>>::element_type, int>);
static_assert(std::variant_size_v<const std::variant<int, long>> == 2 &&
              std::is_same_v<std::variant_alternative_t<1, const std::variant<int, long>>, const long>);

// Members, as host code names them.
struct releaser {
    void operator()(int *) const;
};
const releaser &of(const std::unique_ptr<int, releaser> &p) {
    return p.get_deleter();
}
bool is_large(const std::pair<const int, long> &p) { return p.first > 1; }
int members(std::unordered_map<int, long> &hashed, std::map<int, long> &sorted, const std::map<int, long> &fixed) {
    std::optional<long> from = std::optional<int>(1);
    std::function<int(int)> nothing, call = [](int n) { return n; };
    std::unique_ptr<int> released;
    std::shared_ptr<const int> shared = std::make_shared<int>(1);
    std::atomic<int> bits{0};
    std::string text = {}, joined;
    text = {};
    joined.assign(text.rbegin(), text.rend());
    released.swap(released);
    nothing.swap(call);
    bits |= 1;
    std::pair<std::map<int, long>::const_iterator, std::map<int, long>::const_iterator> both = fixed.equal_range(1);
    return (int)(from.value() + *std::const_pointer_cast<int>(shared) + bits.fetch_or(2) + hashed.bucket_count() +
                 (sorted.rbegin() == sorted.rend()) + (both.first == fixed.upper_bound(1)) +
                 std::erase_if(sorted, &is_large));
}
