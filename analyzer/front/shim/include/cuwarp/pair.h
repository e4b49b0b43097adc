// The part of <utility> that is always read.
#pragma once
#include "cuwarp/move.h"
#include "initializer_list"
namespace std {
struct piecewise_construct_t {};
template <typename A, typename B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    constexpr pair() : first(), second() {}
    constexpr pair(const A &a, const B &b) : first(a), second(b) {}
    template <typename C, typename D> constexpr pair(C &&a, D &&b)
        : first(static_cast<C &&>(a)),
          second(static_cast<D &&>(b)) {}
    template <typename C, typename D> constexpr pair(const pair<C, D> &p) : first(p.first), second(p.second) {}
    template <typename C, typename D> pair(piecewise_construct_t, C c, D d);
    void swap(pair &p);
};
#if __cplusplus >= 201703L
template <typename A, typename B> __host__ __device__ pair(A, B) -> pair<A, B>;
#endif
template <typename A, typename B>
constexpr pair<typename decay<A>::type, typename decay<B>::type> make_pair(A &&a, B &&b) {
    return pair<typename decay<A>::type, typename decay<B>::type>(static_cast<A &&>(a), static_cast<B &&>(b));
}
template <typename A, typename B> constexpr bool operator==(const pair<A, B> &a, const pair<A, B> &b) {
    return a.first == b.first && a.second == b.second;
}
template <typename A, typename B> constexpr bool operator!=(const pair<A, B> &a, const pair<A, B> &b) {
    return !(a == b);
}
template <typename A, typename B> constexpr bool operator<(const pair<A, B> &a, const pair<A, B> &b) {
    return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
}
template <typename T, T... v> struct integer_sequence {
    typedef T value_type;
    static constexpr size_t size() noexcept { return sizeof...(v); }
};
template <size_t... v> using index_sequence = integer_sequence<size_t, v...>;
template <typename T, T n> using make_integer_sequence = __make_integer_seq<integer_sequence, T, n>;
template <size_t n> using make_index_sequence = make_integer_sequence<size_t, n>;
template <typename... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
template <typename T> struct tuple_size;
template <size_t i, typename T> struct tuple_element;
// Of a class that is none of these there is no size, so that its members may be bound: `const auto &[a, b] = object`.
template <typename T, typename = void> struct cuwarp_size_of {};
template <typename T> struct cuwarp_size_of<T, decltype((void)tuple_size<T>::value)>
    : integral_constant<size_t, tuple_size<T>::value> {};
template <typename T> struct tuple_size<const T> : cuwarp_size_of<T> {};
template <size_t i, typename T> struct tuple_element<i, const T> {
    typedef const typename tuple_element<i, T>::type type;
};
template <typename A, typename B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <typename A, typename B> struct tuple_element<0, pair<A, B>> { typedef A type; };
template <typename A, typename B> struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t i, typename T> using tuple_element_t = typename tuple_element<i, T>::type;
template <typename T> constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t i, typename A, typename B>
constexpr typename tuple_element<i, pair<A, B>>::type &get(pair<A, B> &p) noexcept {
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
template <size_t i, typename A, typename B>
constexpr const typename tuple_element<i, pair<A, B>>::type &get(const pair<A, B> &p) noexcept {
    if constexpr (i == 0)
        return p.first;
    else
        return p.second;
}
template <size_t i, typename A, typename B>
constexpr typename tuple_element<i, pair<A, B>>::type &&get(pair<A, B> &&p) noexcept {
    return static_cast<typename tuple_element<i, pair<A, B>>::type &&>(get<i>(p));
}
constexpr piecewise_construct_t piecewise_construct{};
struct in_place_t {};
constexpr in_place_t in_place{};
[[noreturn]] inline void unreachable() { __builtin_unreachable(); }
}
