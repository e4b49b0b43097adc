// The part of <ranges> that comes with <algorithm>: what ranges are, and algorithms of them.
#pragma once
#include "iterator"
#if __cplusplus >= 202002L
namespace std {
namespace ranges {
template <typename R> constexpr auto begin(R &&r) { return std::begin(r); }
template <typename R> constexpr auto end(R &&r) { return std::end(r); }
template <typename R> constexpr auto size(R &&r) { return std::size(r); }
template <typename R> constexpr auto ssize(R &&r) { return (ptrdiff_t)std::size(r); }
template <typename R> constexpr auto data(R &&r) { return std::data(r); }
template <typename R> constexpr bool empty(R &&r) { return std::begin(r) == std::end(r); }
template <typename R> using iterator_t = decltype(std::begin(*(typename remove_reference<R>::type *)nullptr));
template <typename R> using sentinel_t = decltype(std::end(*(typename remove_reference<R>::type *)nullptr));
template <typename R> using range_reference_t = decltype(*std::begin(*(typename remove_reference<R>::type *)nullptr));
template <typename R> using range_value_t = typename decay<range_reference_t<R>>::type;
template <typename R> using range_difference_t = ptrdiff_t;
template <typename R> using range_size_t = size_t;
template <typename R> constexpr auto cbegin(const R &r) { return std::begin(r); }
template <typename R> constexpr auto cend(const R &r) { return std::end(r); }
template <typename R> constexpr auto rbegin(R &&r) { return std::rbegin(r); }
template <typename R> constexpr auto rend(R &&r) { return std::rend(r); }
template <typename I, typename S> constexpr ptrdiff_t distance(I a, S b) {
    ptrdiff_t n = 0;
    for (; a != b; ++a) n++;
    return n;
}
template <typename R> constexpr ptrdiff_t distance(R &&r) { return ranges::distance(std::begin(r), std::end(r)); }
template <typename I> constexpr I next(I i, ptrdiff_t n = 1) { return std::next(i, n); }
template <typename I> constexpr I prev(I i, ptrdiff_t n = 1) { return std::prev(i, n); }
template <typename I> constexpr void advance(I &i, ptrdiff_t n) { std::advance(i, n); }
template <typename R> constexpr bool enable_view = false;
template <typename R> constexpr bool enable_borrowed_range = false;
struct view_base {};
template <typename R>
concept range = requires(R &r) {
    std::begin(r);
    std::end(r);
};
template <typename R>
concept input_range = range<R>;
template <typename R>
concept forward_range = range<R>;
template <typename R>
concept bidirectional_range = range<R>;
template <typename R>
concept common_range = range<R>;
template <typename R>
concept viewable_range = range<R>;
template <typename R, typename T>
concept output_range = range<R>;
template <typename R>
concept random_access_range = range<R>;
template <typename R>
concept contiguous_range = range<R> && requires(R &r) { std::data(r); };
template <typename R>
concept sized_range = range<R> && requires(R &r) { std::size(r); };
template <typename R>
concept view = range<R>;
template <typename R, typename T> constexpr auto find(R &&r, const T &value) {
    auto i = std::begin(r);
    for (; i != std::end(r) && !(*i == value); ++i) {}
    return i;
}
template <typename R, typename T, typename P> constexpr auto find(R &&r, const T &value, P projection) {
    auto i = std::begin(r);
    for (; i != std::end(r) && !(projection(*i) == value); ++i) {}
    return i;
}
template <typename R, typename F> constexpr auto find_if(R &&r, F f) {
    auto i = std::begin(r);
    for (; i != std::end(r) && !f(*i); ++i) {}
    return i;
}
template <typename R, typename F> constexpr bool any_of(R &&r, F f) {
    for (auto &&x : r)
        if (f(x)) return true;
    return false;
}
template <typename R, typename F> constexpr bool all_of(R &&r, F f) {
    for (auto &&x : r)
        if (!f(x)) return false;
    return true;
}
template <typename R, typename F> constexpr bool none_of(R &&r, F f) { return !ranges::any_of(r, f); }
template <typename R, typename T> constexpr bool contains(R &&r, const T &value) {
    return ranges::find(r, value) != std::end(r);
}
template <typename R> constexpr range_value_t<R> max(R &&r) {
    range_value_t<R> best = *std::begin(r);
    for (auto &&x : r)
        if (best < x) best = x;
    return best;
}
template <typename R> constexpr range_value_t<R> min(R &&r) {
    range_value_t<R> best = *std::begin(r);
    for (auto &&x : r)
        if (x < best) best = x;
    return best;
}
template <typename T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <typename R, typename T> constexpr ptrdiff_t count(R &&r, const T &value) {
    ptrdiff_t n = 0;
    for (auto &&x : r) n += x == value;
    return n;
}
template <typename R, typename F> constexpr ptrdiff_t count_if(R &&r, F f) {
    ptrdiff_t n = 0;
    for (auto &&x : r) n += f(x) ? 1 : 0;
    return n;
}
template <typename R, typename F> constexpr void for_each(R &&r, F f) {
    for (auto &&x : r) f(x);
}
template <typename R, typename T> constexpr void fill(R &&r, const T &value) {
    for (auto &&x : r) x = value;
}
template <typename R, typename O> constexpr O copy(R &&r, O to) {
    for (auto &&x : r) *to++ = x;
    return to;
}
template <typename R, typename O, typename F> constexpr O transform(R &&r, O to, F f) {
    for (auto &&x : r) *to++ = f(x);
    return to;
}
template <typename A, typename B> constexpr bool equal(A &&a, B &&b) {
    auto i = std::begin(a);
    auto j = std::begin(b);
    for (; i != std::end(a) && j != std::end(b); ++i, ++j)
        if (!(*i == *j)) return false;
    return i == std::end(a) && j == std::end(b);
}
template <typename R, typename... F> void sort(R &&r, F... f);
template <typename R, typename... F> void stable_sort(R &&r, F... f);
template <typename R> void reverse(R &&r);
template <typename R> iterator_t<R> max_element(R &&r);
template <typename R> iterator_t<R> min_element(R &&r);
} // namespace ranges
} // namespace std
#endif
