// The C++ library of C++20 as host code uses it. What is asserted holds of a real library too: any compiler of C++20
// takes the file.
#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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
