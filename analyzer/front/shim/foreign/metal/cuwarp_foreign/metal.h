// Metal: lists of types, as tests name what a template is instantiated with.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
namespace metal {
typedef std::intmax_t int_;
template <typename... T> struct list {};
template <int_ v> using number = std::integral_constant<int_, v>;
template <typename A, typename B> using pair = list<A, B>;
template <int_... v> using numbers = list<number<v>...>;
namespace detail {
template <typename L> struct count;
template <template <typename...> class L, typename... T> struct count<L<T...>> { typedef number<sizeof...(T)> type; };
template <typename... L> struct joined { typedef list<> type; };
template <typename... T> struct joined<list<T...>> { typedef list<T...> type; };
template <typename... T, typename... U, typename... L>
struct joined<list<T...>, list<U...>, L...> : joined<list<T..., U...>, L...> {};
template <typename T, typename L> struct put_first;
template <typename T, typename... U> struct put_first<T, list<U...>> { typedef list<T, U...> type; };
template <typename T, typename L> struct put_first_in_all;
template <typename T, typename... L> struct put_first_in_all<T, list<L...>> {
    typedef list<typename put_first<T, L>::type...> type;
};
template <typename... L> struct product { typedef list<list<>> type; };
template <typename... T, typename... L> struct product<list<T...>, L...> {
    typedef typename joined<typename put_first_in_all<T, typename product<L...>::type>::type...>::type type;
};
template <int_ start, int_ stride, typename I> struct steps;
template <int_ start, int_ stride, std::size_t... i> struct steps<start, stride, std::index_sequence<i...>> {
    typedef numbers<start + int_(i) * stride...> type;
};
template <template <typename...> class F, typename L> struct mapped;
template <template <typename...> class F, typename... T> struct mapped<F, list<T...>> { typedef list<F<T>...> type; };
template <typename L, std::size_t i> struct element;
template <template <typename...> class L, typename... T, std::size_t i> struct element<L<T...>, i> {
    typedef __type_pack_element<i, T...> type;
};
} // namespace detail
template <typename L> using size = typename detail::count<L>::type;
template <typename L, typename N> using at = typename detail::element<L, std::size_t(N::value)>::type;
template <typename L> using first = at<L, number<0>>;
template <typename L> using second = at<L, number<1>>;
template <typename L> using front = at<L, number<0>>;
template <typename L> using back = at<L, number<size<L>::value - 1>>;
template <typename... L> using join = typename detail::joined<L...>::type;
template <typename L, typename... T> using append = join<L, list<T...>>;
template <typename L, typename... T> using prepend = join<list<T...>, L>;
template <typename... L> using cartesian = typename detail::product<L...>::type;
template <typename start, typename size, typename stride = number<1>>
using iota = typename detail::steps<start::value, stride::value, std::make_index_sequence<size::value>>::type;
template <template <typename...> class F> struct lambda;
template <typename F, typename L> struct cuwarp_transform;
template <template <typename...> class F, typename L> struct cuwarp_transform<lambda<F>, L> : detail::mapped<F, L> {};
template <typename F, typename L> using transform = typename cuwarp_transform<F, L>::type;
} // namespace metal
