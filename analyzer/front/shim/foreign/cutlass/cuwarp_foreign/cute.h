// CUTLASS's cute: static shapes, layouts, tensors, tiled copies and products.
//
// Shapes and sizes are those of the library. Positions are those of the library for layouts of shape and stride; in a
// swizzled layout, and in the part of a tensor that a tiled copy or product gives to a thread, the position of an
// element is a function of thread and coordinate that is not computed (cuwarp_place).
#pragma once
#include <cuda_fp16.h>
#include <cuwarp_foreign/cutlass.h>
#include <tuple>
#include <type_traits>
#define CUTE_STATIC_ASSERT static_assert
#define CUTE_GCC_UNREACHABLE
#define CUTE_STATIC_ASSERT_V(...) ((void)0)
#define CUTE_INLINE_CONSTANT static constexpr
#define CUTE_GRID_CONSTANT __grid_constant__
#define CUTE_RUNTIME_ASSERT(x) ((void)0)
#define CUTE_INVALID_CONTROL_PATH(x) ((void)0)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define CUTE_ARCH_CP_ASYNC_SM80_ENABLED
#endif
namespace cute {
using cutlass::bfloat16_t;
using cutlass::half_t;
using cutlass::sizeof_bits;
using cutlass::tfloat32_t;
typedef uint4 uint128_t;
using std::conditional_t;
using std::is_same_v;
using std::remove_cv_t;
using std::is_integral_v;
template <typename T> using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <bool b, class T, class F> CUTE_HOST_DEVICE constexpr auto conditional_return(const T &t, const F &f) {
    if constexpr (b)
        return t;
    else
        return f;
}
template <typename T> inline constexpr int sizeof_bits_v = sizeof_bits<T>::value;

// What nobody computes here: a position, or a coordinate, of a thread's part; and bytes that are read and written.
CUTE_HOST_DEVICE int cuwarp_place(int x, int y, int z, int mode, int coordinate);
CUTE_HOST_DEVICE void cuwarp_move(const void *from, void *to);

// ---- integers ----

template <auto v> struct C {
    static constexpr auto value = v;
    typedef decltype(v) value_type;
    typedef C type;
    CUTE_HOST_DEVICE constexpr operator value_type() const { return v; }
    CUTE_HOST_DEVICE constexpr value_type operator()() const { return v; }
};
template <class T, T v> using constant = C<v>;
template <int v> using Int = C<v>;
template <bool v> using bool_constant = C<v>;
typedef C<true> true_type;
typedef C<false> false_type;
#define CUWARP_STATIC(op)                                                                                              \
    template <auto a, auto b> CUTE_HOST_DEVICE constexpr C<(a op b)> operator op(C<a>, C<b>) { return {}; }
CUWARP_STATIC(+)
CUWARP_STATIC(-)
CUWARP_STATIC(*)
CUWARP_STATIC(/)
CUWARP_STATIC(%)
CUWARP_STATIC(&)
CUWARP_STATIC(|)
CUWARP_STATIC(^)
CUWARP_STATIC(<<)
CUWARP_STATIC(==)
CUWARP_STATIC(!=)
CUWARP_STATIC(<=)
CUWARP_STATIC(>=)
CUWARP_STATIC(&&)
CUWARP_STATIC(||)
template <auto a, auto b> CUTE_HOST_DEVICE constexpr C<(a >> b)> operator>>(C<a>, C<b>) { return {}; }
template <auto a, auto b> CUTE_HOST_DEVICE constexpr C<(a < b)> operator<(C<a>, C<b>) { return {}; }
template <auto a, auto b> CUTE_HOST_DEVICE constexpr C<(a > b)> operator>(C<a>, C<b>) { return {}; }
template <auto a> CUTE_HOST_DEVICE constexpr C<-a> operator-(C<a>) { return {}; }
template <auto a> CUTE_HOST_DEVICE constexpr C<!a> operator!(C<a>) { return {}; }
#undef CUWARP_STATIC
typedef Int<-1> _m1;
#define CUWARP_INT(n) typedef Int<n> _##n;
// clang-format off
CUWARP_INT(0) CUWARP_INT(1) CUWARP_INT(2) CUWARP_INT(3) CUWARP_INT(4) CUWARP_INT(5) CUWARP_INT(6) CUWARP_INT(7)
CUWARP_INT(8) CUWARP_INT(9) CUWARP_INT(10) CUWARP_INT(12) CUWARP_INT(16) CUWARP_INT(24) CUWARP_INT(32)
CUWARP_INT(40) CUWARP_INT(48) CUWARP_INT(64) CUWARP_INT(72) CUWARP_INT(80) CUWARP_INT(96) CUWARP_INT(112)
CUWARP_INT(128) CUWARP_INT(144) CUWARP_INT(160) CUWARP_INT(176) CUWARP_INT(192) CUWARP_INT(208) CUWARP_INT(224)
CUWARP_INT(240) CUWARP_INT(256) CUWARP_INT(384) CUWARP_INT(512) CUWARP_INT(768) CUWARP_INT(1024) CUWARP_INT(2048)
CUWARP_INT(4096)
// clang-format on
#undef CUWARP_INT
                        struct Underscore {
};
#define CUWARP_UNDERSCORE(empty) typedef Underscore empty##X; // one letter: a name that the shim would reserve
CUWARP_UNDERSCORE()
#undef CUWARP_UNDERSCORE
constexpr Underscore _{};
template <class T, class F> CUTE_HOST_DEVICE constexpr auto conditional_return(bool b, const T &t, const F &f) {
    return b ? t : f;
}
template <auto b, class T, class F> CUTE_HOST_DEVICE constexpr auto conditional_return(C<b>, const T &t, const F &f) {
    return conditional_return<bool(b)>(t, f);
}
template <class T> struct is_static : std::false_type {};
template <auto v> struct is_static<C<v>> : std::true_type {};
template <class T> struct is_underscore : std::is_same<T, Underscore> {};

CUTE_HOST_DEVICE bool thread0() {
    return !threadIdx.x && !threadIdx.y && !threadIdx.z && !blockIdx.x && !blockIdx.y && !blockIdx.z;
}
CUTE_HOST_DEVICE bool thread(int t = 0, int b = 0) { return threadIdx.x == t && blockIdx.x == b; }
CUTE_HOST_DEVICE bool block(int b) { return blockIdx.x == b; }
template <class... T> CUTE_HOST_DEVICE void print(const T &...) {}
template <class... T> CUTE_HOST_DEVICE void print_tensor(const T &...) {}
template <class... T> CUTE_HOST_DEVICE void print_layout(const T &...) {}

// ---- tuples ----

template <class... T> struct tuple;
template <> struct tuple<> {};
template <class A, class... T> struct tuple<A, T...> {
    A head;
    tuple<T...> tail;
    CUTE_HOST_DEVICE constexpr tuple() : head(), tail() {}
    CUTE_HOST_DEVICE constexpr tuple(const A &a, const T &...t) : head(a), tail(t...) {}
};
} // namespace cute
template <class... T> struct std::tuple_size<cute::tuple<T...>> {
    static constexpr std::size_t value = sizeof...(T);
};
template <std::size_t i, class A, class... T> struct std::tuple_element<i, cute::tuple<A, T...>> {
    typedef typename std::tuple_element<i - 1, cute::tuple<T...>>::type type;
};
template <class A, class... T> struct std::tuple_element<0, cute::tuple<A, T...>> {
    typedef A type;
};
namespace cute {
template <class... T> using Shape = tuple<T...>;
template <class... T> using Stride = tuple<T...>;
template <class... T> using Coord = tuple<T...>;
template <class... T> using Tile = tuple<T...>;
template <class... T> using Step = tuple<T...>;
template <class... T> using IntTuple = tuple<T...>;
template <class T> struct is_tuple : std::false_type {};
template <class... T> struct is_tuple<tuple<T...>> : std::true_type {};
template <class T> struct cuwarp_rank { static constexpr int value = 1; };
template <class... T> struct cuwarp_rank<tuple<T...>> { static constexpr int value = sizeof...(T); };
template <class T> struct tuple_size : cuwarp_rank<T> {};
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_tuple(const T &...t) { return tuple<T...>(t...); }
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_shape(const T &...t) { return tuple<T...>(t...); }
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_stride(const T &...t) { return tuple<T...>(t...); }
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_coord(const T &...t) { return tuple<T...>(t...); }
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_tile(const T &...t) { return tuple<T...>(t...); }
template <class... T> CUTE_HOST_DEVICE constexpr tuple<T...> make_step(const T &...t) { return tuple<T...>(t...); }

template <class... A, class... B>
CUTE_HOST_DEVICE constexpr bool operator==(const tuple<A...> &a, const tuple<B...> &b) {
    if constexpr (sizeof...(A) != sizeof...(B))
        return false;
    else if constexpr (sizeof...(A) == 0)
        return true;
    else
        return a.head == b.head && a.tail == b.tail;
}

struct cuwarp_hidden {}; // stands for the strides of a layout whose positions are not computed
template <class S, class D> struct Layout;
template <class E, class L> struct Tensor;

using std::get;
template <int i, class A, class... T> CUTE_HOST_DEVICE constexpr auto get(const tuple<A, T...> &t) {
    if constexpr (i == 0)
        return t.head;
    else
        return get<i - 1>(t.tail);
}
template <int i, class T, class = std::enable_if_t<!is_tuple<T>::value>>
CUTE_HOST_DEVICE constexpr auto cuwarp_mode(const T &t) {
    if constexpr (i == 0 || std::is_same<T, cuwarp_hidden>::value)
        return t;
    else
        return Int<1>{};
}
template <int i, class... T> CUTE_HOST_DEVICE constexpr auto cuwarp_mode(const tuple<T...> &t) {
    if constexpr (i < int(sizeof...(T)))
        return get<i>(t);
    else
        return Int<1>{};
}
template <int i, int j, int... k, class... T> CUTE_HOST_DEVICE constexpr auto get(const tuple<T...> &t) {
    if constexpr (sizeof...(k) == 0)
        return cuwarp_mode<j>(get<i>(t));
    else
        return get<j, k...>(get<i>(t));
}
template <class A, class... T> CUTE_HOST_DEVICE constexpr auto cuwarp_prepend(const A &a, const tuple<T...> &t) {
    if constexpr (sizeof...(T) == 0)
        return tuple<A>(a);
    else {
        tuple<A, T...> made;
        made.head = a;
        made.tail = t;
        return made;
    }
}
template <class... T> CUTE_HOST_DEVICE constexpr auto tuple_cat(const tuple<> &, const tuple<T...> &t) { return t; }
template <class A, class... S, class... T>
CUTE_HOST_DEVICE constexpr auto tuple_cat(const tuple<A, S...> &s, const tuple<T...> &t) {
    return cuwarp_prepend(s.head, tuple_cat(s.tail, t));
}
template <class T, class A> CUTE_HOST_DEVICE constexpr auto append(const T &t, const A &a) {
    if constexpr (is_tuple<T>::value)
        return tuple_cat(t, tuple<A>(a));
    else
        return tuple<T, A>(t, a);
}
template <int n, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_drop(const T &t) {
    if constexpr (n == 0)
        return t;
    else if constexpr (std::is_same<T, cuwarp_hidden>::value)
        return t;
    else
        return cuwarp_drop<n - 1>(t.tail);
}
template <class T> CUTE_HOST_DEVICE constexpr auto cuwarp_product(const T &t) { return t; }
CUTE_HOST_DEVICE constexpr auto cuwarp_product(const tuple<> &) { return Int<1>{}; }
template <class A, class... T> CUTE_HOST_DEVICE constexpr auto cuwarp_product(const tuple<A, T...> &t) {
    if constexpr (sizeof...(T) == 0)
        return cuwarp_product(t.head);
    else
        return cuwarp_product(t.head) * cuwarp_product(t.tail);
}
template <class T> CUTE_HOST_DEVICE constexpr auto product(const T &t) { return cuwarp_product(t); }
template <int... i, class... T> CUTE_HOST_DEVICE constexpr auto size(const tuple<T...> &t) {
    if constexpr (sizeof...(i) == 0)
        return cuwarp_product(t);
    else
        return cuwarp_product(get<i...>(t));
}
template <auto v> CUTE_HOST_DEVICE constexpr auto size(C<v> c) { return c; }
CUTE_HOST_DEVICE constexpr int size(int n) { return n; }
template <class... T> CUTE_HOST_DEVICE constexpr auto rank(const tuple<T...> &) { return Int<int(sizeof...(T))>{}; }
template <auto v> CUTE_HOST_DEVICE constexpr auto rank(C<v>) { return Int<1>{}; }
CUTE_HOST_DEVICE constexpr auto rank(int) { return Int<1>{}; }
template <class A, class B> CUTE_HOST_DEVICE constexpr auto ceil_div(const A &a, const B &b) {
    if constexpr (is_tuple<A>::value)
        return tuple<>{};
    else if constexpr (is_static<A>::value && is_static<B>::value)
        return Int<(A::value + B::value - 1) / B::value>{};
    else
        return (a + b - 1) / b;
}
template <class A, class B> CUTE_HOST_DEVICE constexpr auto round_up(const A &a, const B &b) {
    return ceil_div(a, b) * b;
}
template <class A, class B> CUTE_HOST_DEVICE constexpr auto shape_div(const A &a, const B &b) { return ceil_div(a, b); }
template <class A, class B> CUTE_HOST_DEVICE constexpr auto max(const A &a, const B &b) {
    if constexpr (is_static<A>::value && is_static<B>::value)
        return Int<(A::value < B::value ? B::value : A::value)>{};
    else
        return a < b ? b : a;
}
template <class A, class B> CUTE_HOST_DEVICE constexpr auto min(const A &a, const B &b) {
    if constexpr (is_static<A>::value && is_static<B>::value)
        return Int<(A::value < B::value ? A::value : B::value)>{};
    else
        return b < a ? b : a;
}
template <class T> CUTE_HOST_DEVICE constexpr auto abs(T a) { return a < 0 ? -a : a; }

// ---- layouts ----

template <class S, class D> CUTE_HOST_DEVICE constexpr auto cuwarp_compact(const S &s, const D &d) {
    if constexpr (!is_tuple<S>::value)
        return d;
    else if constexpr (cuwarp_rank<S>::value == 0)
        return s;
    else
        return cuwarp_prepend(cuwarp_compact(s.head, d), cuwarp_compact(s.tail, d * cuwarp_product(s.head)));
}
template <class S> CUTE_HOST_DEVICE constexpr auto cuwarp_compact_right(const S &s) {
    if constexpr (!is_tuple<S>::value)
        return Int<1>{};
    else if constexpr (cuwarp_rank<S>::value == 0)
        return s;
    else
        return cuwarp_prepend(cuwarp_compact(s.head, cuwarp_product(s.tail)), cuwarp_compact_right(s.tail));
}
template <class S> using cuwarp_compact_t = decltype(cuwarp_compact(S{}, Int<1>{}));
struct LayoutLeft {};
struct LayoutRight {};
typedef LayoutLeft GenColMajor;
typedef LayoutRight GenRowMajor;

CUTE_HOST_DEVICE int cuwarp_at(int mode, int coordinate) {
    return cuwarp_place(threadIdx.x, threadIdx.y, threadIdx.z, mode, coordinate);
}

// The index of a coordinate.
template <class K, class S, class D> CUTE_HOST_DEVICE constexpr auto cuwarp_index(const K &c, const S &s, const D &d);
template <int mode, class K> CUTE_HOST_DEVICE auto cuwarp_hidden_index(const K &c) {
    if constexpr (!is_tuple<K>::value) {
        if constexpr (is_underscore<K>::value)
            return 0;
        else
            return cuwarp_at(mode, c);
    } else if constexpr (cuwarp_rank<K>::value == 0)
        return 0;
    else
        return cuwarp_hidden_index<mode>(c.head) + cuwarp_hidden_index<mode + 1>(c.tail);
}
template <class K, class S, class D> CUTE_HOST_DEVICE constexpr auto cuwarp_index(const K &c, const S &s, const D &d) {
    if constexpr (is_underscore<K>::value)
        return Int<0>{};
    else if constexpr (std::is_same<D, cuwarp_hidden>::value)
        return cuwarp_hidden_index<0>(c);
    else if constexpr (is_tuple<K>::value) {
        if constexpr (cuwarp_rank<K>::value == 0)
            return Int<0>{};
        else if constexpr (cuwarp_rank<K>::value == 1)
            return cuwarp_index(c.head, s.head, d.head);
        else
            return cuwarp_index(c.head, s.head, d.head) + cuwarp_index(c.tail, s.tail, d.tail);
    } else if constexpr (!is_tuple<S>::value)
        return c * d;
    else if constexpr (cuwarp_rank<S>::value == 0)
        return Int<0>{};
    else if constexpr (cuwarp_rank<S>::value == 1)
        return cuwarp_index(c, s.head, d.head);
    else if constexpr (std::is_same<K, Int<0>>::value)
        return Int<0>{};
    else
        return cuwarp_index(c % cuwarp_product(s.head), s.head, d.head) +
               cuwarp_index(c / cuwarp_product(s.head), s.tail, d.tail);
}
// The modes at underscores.
template <class K, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_kept(const K &c, const T &t) {
    if constexpr (std::is_same<T, cuwarp_hidden>::value)
        return t;
    else if constexpr (is_underscore<K>::value)
        return tuple<T>(t);
    else if constexpr (!is_tuple<K>::value)
        return tuple<>{};
    else if constexpr (cuwarp_rank<K>::value == 0)
        return tuple<>{};
    else
        return tuple_cat(cuwarp_kept(c.head, t.head), cuwarp_kept(c.tail, t.tail));
}
template <class K> struct cuwarp_slices : std::is_same<K, Underscore> {};
template <class... K> struct cuwarp_slices<tuple<K...>> {
    static constexpr bool value = (false || ... || cuwarp_slices<K>::value);
};

template <class S, class D> CUTE_HOST_DEVICE constexpr Layout<S, D> cuwarp_layout(const S &s, const D &d) {
    return Layout<S, D>(s, d);
}

template <class S, class D = cuwarp_compact_t<S>> struct Layout {
    S shape_;
    D stride_;
    static constexpr int rank = cuwarp_rank<S>::value;
    CUTE_HOST_DEVICE constexpr Layout() : shape_(), stride_() {}
    CUTE_HOST_DEVICE constexpr Layout(const S &s, const D &d) : shape_(s), stride_(d) {}
    CUTE_HOST_DEVICE constexpr explicit Layout(const S &s) : shape_(s), stride_(cuwarp_compact(s, Int<1>{})) {}
    template <int... i> CUTE_HOST_DEVICE constexpr auto shape() const {
        if constexpr (sizeof...(i) == 0)
            return shape_;
        else
            return cute::get<i...>(shape_);
    }
    template <int... i> CUTE_HOST_DEVICE constexpr auto stride() const {
        if constexpr (sizeof...(i) == 0 || std::is_same<D, cuwarp_hidden>::value)
            return stride_;
        else
            return cute::get<i...>(stride_);
    }
    template <int... i> CUTE_HOST_DEVICE constexpr auto size() const {
        return cuwarp_product(this->template shape<i...>());
    }
    template <class... K> CUTE_HOST_DEVICE constexpr auto operator()(const K &...c) const {
        if constexpr (sizeof...(K) == 1) {
            if constexpr ((false || ... || cuwarp_slices<K>::value))
                return cuwarp_layout(cuwarp_kept(c..., shape_), cuwarp_kept(c..., stride_));
            else
                return cuwarp_index(c..., shape_, stride_);
        } else if constexpr ((false || ... || cuwarp_slices<K>::value))
            return cuwarp_layout(cuwarp_kept(tuple<K...>(c...), shape_), cuwarp_kept(tuple<K...>(c...), stride_));
        else
            return cuwarp_index(tuple<K...>(c...), shape_, stride_);
    }
    template <class K> CUTE_HOST_DEVICE constexpr auto get_hier_coord(const K &c) const { return c; }
};
template <class T> struct is_layout : std::false_type {};
template <class S, class D> struct is_layout<Layout<S, D>> : std::true_type {};
template <class T> struct is_tensor : std::false_type {};
template <class E, class L> struct is_tensor<Tensor<E, L>> : std::true_type {};

template <class S> CUTE_HOST_DEVICE constexpr auto make_layout(const S &s) {
    return cuwarp_layout(s, cuwarp_compact(s, Int<1>{}));
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto cuwarp_of_layouts(const Layout<S, D> &a) {
    return cuwarp_layout(tuple<S>(a.shape_), tuple<D>(a.stride_));
}
template <class S, class D, class... L>
CUTE_HOST_DEVICE constexpr auto cuwarp_of_layouts(const Layout<S, D> &a, const L &...l) {
    auto rest = cuwarp_of_layouts(l...);
    if constexpr (std::is_same<D, cuwarp_hidden>::value || std::is_same<decltype(rest.stride_), cuwarp_hidden>::value)
        return cuwarp_layout(cuwarp_prepend(a.shape_, rest.shape_), cuwarp_hidden{});
    else
        return cuwarp_layout(cuwarp_prepend(a.shape_, rest.shape_), cuwarp_prepend(a.stride_, rest.stride_));
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto make_layout(const Layout<S, D> &a) {
    return cuwarp_of_layouts(a);
}
template <class A, class B> CUTE_HOST_DEVICE constexpr auto make_layout(const A &a, const B &b) {
    if constexpr (is_layout<A>::value)
        return cuwarp_of_layouts(a, b);
    else if constexpr (std::is_same<B, LayoutRight>::value)
        return cuwarp_layout(a, cuwarp_compact_right(a));
    else if constexpr (std::is_same<B, LayoutLeft>::value)
        return make_layout(a);
    else
        return cuwarp_layout(a, b);
}
template <class A, class B, class K, class... L>
CUTE_HOST_DEVICE constexpr auto make_layout(const A &a, const B &b, const K &c, const L &...l) {
    return cuwarp_of_layouts(a, b, c, l...);
}
template <class S> CUTE_HOST_DEVICE constexpr auto cuwarp_hide(const S &s) { return cuwarp_layout(s, cuwarp_hidden{}); }
template <class S, class D> CUTE_HOST_DEVICE constexpr auto make_layout_like(const Layout<S, D> &l) {
    return make_layout(l.shape_);
}
template <class S> CUTE_HOST_DEVICE constexpr auto make_identity_layout(const S &s) { return cuwarp_hide(s); }
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto size(const Layout<S, D> &l) {
    return l.template size<i...>();
}
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto shape(const Layout<S, D> &l) {
    return l.template shape<i...>();
}
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto stride(const Layout<S, D> &l) {
    return l.template stride<i...>();
}
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto rank(const Layout<S, D> &l) {
    if constexpr (sizeof...(i) == 0)
        return Int<cuwarp_rank<S>::value>{};
    else
        return rank(l.template shape<i...>());
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto cosize(const Layout<S, D> &l) { return l.size(); }
template <class T> using cuwarp_cosize = decltype(cosize(T{}));
template <class T> inline constexpr int cosize_v = cuwarp_cosize<T>::value;
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto get(const Layout<S, D> &l) {
    return cuwarp_layout(l.template shape<i...>(), l.template stride<i...>());
}
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto layout(const Layout<S, D> &l) {
    if constexpr (sizeof...(i) == 0)
        return l;
    else
        return get<i...>(l);
}
template <int... i, class S, class D> CUTE_HOST_DEVICE constexpr auto select(const Layout<S, D> &l) {
    return cuwarp_of_layouts(get<i>(l)...);
}
template <int... i, class... T> CUTE_HOST_DEVICE constexpr auto select(const tuple<T...> &t) {
    return make_tuple(get<i>(t)...);
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto coalesce(const Layout<S, D> &l) {
    return cuwarp_hide(cuwarp_product(l.shape_));
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto flatten(const Layout<S, D> &l) {
    return cuwarp_hide(tuple<decltype(l.size())>(l.size()));
}
template <class S, class D> CUTE_HOST_DEVICE constexpr auto filter(const Layout<S, D> &l) { return l; }
template <int b, int m, int s = m> struct Swizzle {};
template <class A, class S, class D> CUTE_HOST_DEVICE constexpr auto composition(const A &, const Layout<S, D> &l) {
    return cuwarp_hide(l.shape_);
}
template <class S, class D, class... T>
CUTE_HOST_DEVICE constexpr auto composition(const Layout<S, D> &, const tuple<T...> &t) {
    return cuwarp_hide(t);
}
template <class L, class S> CUTE_HOST_DEVICE constexpr auto tile_to_shape(const L &, const S &s) {
    return cuwarp_hide(s);
}
template <class L, class S, class O> CUTE_HOST_DEVICE constexpr auto tile_to_shape(const L &, const S &s, const O &) {
    return cuwarp_hide(s);
}
template <class L> CUTE_HOST_DEVICE constexpr auto get_nonswizzle_portion(const L &l) { return l; }
template <class L> CUTE_HOST_DEVICE constexpr auto as_position_independent_swizzle_layout(const L &l) { return l; }
// A mode of n elements in parts of t.
template <class S, class D, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_divide(const S &s, const D &d, const T &t) {
    if constexpr (is_underscore<T>::value)
        return cuwarp_layout(s, d);
    else if constexpr (!is_tuple<S>::value && !std::is_same<D, cuwarp_hidden>::value)
        return cuwarp_layout(make_tuple(t, ceil_div(s, t)), make_tuple(d, d * t));
    else {
        auto parts = make_tuple(t, ceil_div(cuwarp_product(s), t));
        if constexpr (std::is_same<decltype(parts), S>::value)
            return cuwarp_layout(s, d);
        else
            return cuwarp_hide(parts);
    }
}
template <class S, class D, class T>
CUTE_HOST_DEVICE constexpr auto cuwarp_divide_modes(const S &s, const D &d, const T &t) {
    if constexpr (cuwarp_rank<T>::value == 0)
        return cuwarp_layout(s, d);
    else {
        auto first = cuwarp_divide(s.head, cuwarp_mode<0>(d), t.head);
        if constexpr (cuwarp_rank<S>::value == 1)
            return cuwarp_of_layouts(first);
        else {
            auto rest = cuwarp_divide_modes(s.tail, cuwarp_drop<1>(d), t.tail);
            if constexpr (std::is_same<decltype(first.stride_), cuwarp_hidden>::value ||
                          std::is_same<decltype(rest.stride_), cuwarp_hidden>::value)
                return cuwarp_hide(cuwarp_prepend(first.shape_, rest.shape_));
            else
                return cuwarp_layout(cuwarp_prepend(first.shape_, rest.shape_),
                                     cuwarp_prepend(first.stride_, rest.stride_));
        }
    }
}
template <class S, class D, class T> CUTE_HOST_DEVICE constexpr auto logical_divide(const Layout<S, D> &l, const T &t) {
    if constexpr (is_tuple<T>::value)
        return cuwarp_divide_modes(l.shape_, l.stride_, t);
    else
        return cuwarp_divide(l.shape_, l.stride_, t);
}

// ---- pointers, tensors ----

#define CUWARP_POINTER(name)                                                                                           \
    template <class T> struct name {                                                                                   \
        T *p;                                                                                                          \
        typedef std::remove_cv_t<T> value_type;                                                                        \
        typedef T element_type;                                                                                        \
        CUTE_HOST_DEVICE T *get() const { return p; }                                                                  \
        CUTE_HOST_DEVICE T &operator*() const { return *p; }                                                           \
        CUTE_HOST_DEVICE T *operator->() const { return p; }                                                           \
        template <class I> CUTE_HOST_DEVICE T &operator[](const I &i) const { return p[i]; }                           \
        template <class I> CUTE_HOST_DEVICE name operator+(const I &i) const { return {p + i}; }                       \
        template <class I> CUTE_HOST_DEVICE name operator-(const I &i) const { return {p - i}; }                       \
    };
CUWARP_POINTER(gmem_ptr)
CUWARP_POINTER(smem_ptr)
#undef CUWARP_POINTER
template <class T> CUTE_HOST_DEVICE gmem_ptr<T> make_gmem_ptr(T *p) { return {p}; }
template <class T> CUTE_HOST_DEVICE gmem_ptr<T> make_gmem_ptr(gmem_ptr<T> p) { return p; }
template <class T> CUTE_HOST_DEVICE gmem_ptr<T> make_gmem_ptr(void *p) { return {(T *)p}; }
template <class T> CUTE_HOST_DEVICE gmem_ptr<const T> make_gmem_ptr(const void *p) { return {(const T *)p}; }
template <class T> CUTE_HOST_DEVICE smem_ptr<T> make_smem_ptr(T *p) { return {p}; }
template <class T> CUTE_HOST_DEVICE smem_ptr<T> make_smem_ptr(smem_ptr<T> p) { return p; }
template <class T> CUTE_HOST_DEVICE smem_ptr<T> make_smem_ptr(void *p) { return {(T *)p}; }
template <class T> CUTE_HOST_DEVICE T *make_rmem_ptr(T *p) { return p; }
template <class T> CUTE_HOST_DEVICE T *make_rmem_ptr(void *p) { return (T *)p; }
template <class T> CUTE_HOST_DEVICE const T *make_rmem_ptr(const void *p) { return (const T *)p; }
template <class T> CUTE_HOST_DEVICE T *raw_pointer_cast(T *p) { return p; }
template <class T> CUTE_HOST_DEVICE T *raw_pointer_cast(gmem_ptr<T> p) { return p.p; }
template <class T> CUTE_HOST_DEVICE T *raw_pointer_cast(smem_ptr<T> p) { return p.p; }
CUTE_HOST_DEVICE uint32_t cast_smem_ptr_to_uint(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
template <class U, class T> CUTE_HOST_DEVICE U *recast_ptr(T *p) { return (U *)p; }
template <class U, class T> CUTE_HOST_DEVICE gmem_ptr<U> recast_ptr(gmem_ptr<T> p) { return {(U *)p.p}; }
template <class U, class T> CUTE_HOST_DEVICE smem_ptr<U> recast_ptr(smem_ptr<T> p) { return {(U *)p.p}; }

template <class T> struct cuwarp_pointee;
template <class T> struct cuwarp_pointee<T *> { typedef T type; };
template <class T> struct cuwarp_pointee<gmem_ptr<T>> { typedef T type; };
template <class T> struct cuwarp_pointee<smem_ptr<T>> { typedef T type; };
template <class P> struct ViewEngine {
    typedef P iterator;
    typedef typename cuwarp_pointee<P>::type element_type;
    typedef std::remove_cv_t<element_type> value_type;
    typedef element_type &reference;
    P storage_;
    CUTE_HOST_DEVICE P &data() { return storage_; }
    CUTE_HOST_DEVICE const P &data() const { return storage_; }
};
template <class T, int n> struct ArrayEngine {
    typedef T *iterator;
    typedef T element_type;
    typedef T value_type;
    typedef T &reference;
    T storage_[n];
    CUTE_HOST_DEVICE T *data() { return storage_; }
    CUTE_HOST_DEVICE const T *data() const { return storage_; }
};
// The elements of an identity tensor are their coordinates, of a thread's part of one: unknown ones.
template <int n> struct cuwarp_coordinates {
    int at;
    template <class I> CUTE_HOST_DEVICE cuwarp_coordinates operator+(const I &i) const { return {at + int(i)}; }
};
template <int n> struct cuwarp_coordinates_t;
template <> struct cuwarp_coordinates_t<1> { typedef tuple<int> type; };
template <> struct cuwarp_coordinates_t<2> { typedef tuple<int, int> type; };
template <> struct cuwarp_coordinates_t<3> { typedef tuple<int, int, int> type; };
template <> struct cuwarp_coordinates_t<4> { typedef tuple<int, int, int, int> type; };
template <int n> CUTE_HOST_DEVICE auto cuwarp_coordinate(int at) {
    if constexpr (n == 1)
        return tuple<int>(cuwarp_at(100, at));
    else if constexpr (n == 2)
        return tuple<int, int>(cuwarp_at(100, at), cuwarp_at(101, at));
    else if constexpr (n == 3)
        return tuple<int, int, int>(cuwarp_at(100, at), cuwarp_at(101, at), cuwarp_at(102, at));
    else
        return tuple<int, int, int, int>(cuwarp_at(100, at), cuwarp_at(101, at), cuwarp_at(102, at),
                                         cuwarp_at(103, at));
}
template <int n> struct ViewEngine<cuwarp_coordinates<n>> {
    typedef cuwarp_coordinates<n> iterator;
    typedef typename cuwarp_coordinates_t<n>::type value_type, element_type, reference;
    cuwarp_coordinates<n> storage_;
    CUTE_HOST_DEVICE cuwarp_coordinates<n> &data() { return storage_; }
    CUTE_HOST_DEVICE const cuwarp_coordinates<n> &data() const { return storage_; }
};

template <class P, class L> CUTE_HOST_DEVICE auto cuwarp_view(const P &p, const L &l) {
    Tensor<ViewEngine<P>, L> made;
    made.engine_.storage_ = p;
    made.layout_ = l;
    return made;
}
template <class E, class L> struct Tensor {
    typedef E engine_type;
    typedef L layout_type;
    typedef typename E::value_type value_type;
    typedef typename E::element_type element_type;
    typedef typename E::reference reference;
    typedef typename E::iterator iterator;
    static constexpr int rank = L::rank;
    E engine_;
    L layout_;
    CUTE_HOST_DEVICE constexpr Tensor() {}
    CUTE_HOST_DEVICE constexpr auto layout() const { return layout_; }
    CUTE_HOST_DEVICE constexpr auto shape() const { return layout_.shape_; }
    CUTE_HOST_DEVICE constexpr auto stride() const { return layout_.stride_; }
    CUTE_HOST_DEVICE constexpr auto size() const { return layout_.size(); }
    CUTE_HOST_DEVICE decltype(auto) data() { return engine_.data(); }
    CUTE_HOST_DEVICE decltype(auto) data() const { return engine_.data(); }
    template <class... K> CUTE_HOST_DEVICE decltype(auto) operator()(const K &...c) { return at(data(), c...); }
    template <class... K> CUTE_HOST_DEVICE decltype(auto) operator()(const K &...c) const { return at(data(), c...); }
    template <class K> CUTE_HOST_DEVICE decltype(auto) operator[](const K &c) { return at(data(), c); }
    template <class K> CUTE_HOST_DEVICE decltype(auto) operator[](const K &c) const { return at(data(), c); }

  private:
    template <class P, class K> CUTE_HOST_DEVICE decltype(auto) at(P p, const K &c) const {
        if constexpr (cuwarp_slices<K>::value)
            return cuwarp_view(p + cuwarp_index(c, layout_.shape_, layout_.stride_), layout_(c));
        else
            return element(p, cuwarp_index(c, layout_.shape_, layout_.stride_));
    }
    template <class P, class A, class B, class... K>
    CUTE_HOST_DEVICE decltype(auto) at(P p, const A &a, const B &b, const K &...c) const {
        return at(p, tuple<A, B, K...>(a, b, c...));
    }
    template <class P, class I> CUTE_HOST_DEVICE decltype(auto) element(P p, const I &i) const {
        if constexpr (is_tuple<value_type>::value)
            return cuwarp_coordinate<cuwarp_rank<value_type>::value>(p.at + int(i));
        else
            return p[i];
    }
};
template <int... i, class E, class L> CUTE_HOST_DEVICE constexpr auto size(const Tensor<E, L> &t) {
    return t.layout_.template size<i...>();
}
template <int... i, class E, class L> CUTE_HOST_DEVICE constexpr auto shape(const Tensor<E, L> &t) {
    return t.layout_.template shape<i...>();
}
template <int... i, class E, class L> CUTE_HOST_DEVICE constexpr auto stride(const Tensor<E, L> &t) {
    return t.layout_.template stride<i...>();
}
template <int... i, class E, class L> CUTE_HOST_DEVICE constexpr auto rank(const Tensor<E, L> &t) {
    return rank<i...>(t.layout_);
}
template <int... i, class E, class L> CUTE_HOST_DEVICE constexpr auto layout(const Tensor<E, L> &t) {
    return layout<i...>(t.layout_);
}

template <class T> struct is_rmem : std::false_type {};
template <class T> struct is_rmem<T *> : std::true_type {};
template <class T, int n> struct is_rmem<ArrayEngine<T, n>> : std::true_type {};
template <class P> struct is_rmem<ViewEngine<P>> : is_rmem<P> {};
template <class E, class L> struct is_rmem<Tensor<E, L>> : is_rmem<E> {};
template <class T> inline constexpr bool is_rmem_v = is_rmem<T>::value;
template <class T> struct is_smem : std::false_type {};
template <class T> struct is_smem<smem_ptr<T>> : std::true_type {};
template <class P> struct is_smem<ViewEngine<P>> : is_smem<P> {};
template <class E, class L> struct is_smem<Tensor<E, L>> : is_smem<E> {};
template <class T> inline constexpr bool is_smem_v = is_smem<T>::value;
template <class T> struct is_gmem : std::false_type {};
template <class T> struct is_gmem<gmem_ptr<T>> : std::true_type {};
template <class P> struct is_gmem<ViewEngine<P>> : is_gmem<P> {};
template <class E, class L> struct is_gmem<Tensor<E, L>> : is_gmem<E> {};
template <class T> inline constexpr bool is_gmem_v = is_gmem<T>::value;

template <class L> CUTE_HOST_DEVICE constexpr auto cuwarp_as_layout(const L &l) {
    if constexpr (is_layout<L>::value)
        return l;
    else
        return make_layout(l);
}
template <class P, class L> CUTE_HOST_DEVICE auto make_tensor(const P &p, const L &l) {
    return cuwarp_view(p, cuwarp_as_layout(l));
}
template <class P, class S, class D> CUTE_HOST_DEVICE auto make_tensor(const P &p, const S &s, const D &d) {
    return cuwarp_view(p, make_layout(s, d));
}
template <class T, class L> CUTE_HOST_DEVICE auto make_tensor(const L &l) {
    auto made = make_layout(cuwarp_as_layout(l).shape_);
    return Tensor<ArrayEngine<T, decltype(made.size())::value>, decltype(made)>();
}
template <class T, class S, class D, class = std::enable_if_t<is_tuple<S>::value>>
CUTE_HOST_DEVICE auto make_tensor(const S &s, const D &) {
    return make_tensor<T>(s);
}
template <class T, class E, class L> CUTE_HOST_DEVICE auto make_tensor_like(const Tensor<E, L> &t) {
    return make_tensor<T>(t.layout_);
}
template <class E, class L> CUTE_HOST_DEVICE auto make_tensor_like(const Tensor<E, L> &t) {
    return make_tensor<typename E::value_type>(t.layout_);
}
template <class T, class E, class L> CUTE_HOST_DEVICE auto make_fragment_like(const Tensor<E, L> &t) {
    return make_tensor<T>(t.layout_);
}
template <class E, class L> CUTE_HOST_DEVICE auto make_fragment_like(const Tensor<E, L> &t) {
    return make_tensor<typename E::value_type>(t.layout_);
}
template <class T, class S, class D> CUTE_HOST_DEVICE auto make_fragment_like(const Layout<S, D> &l) {
    return make_tensor<T>(l);
}
template <class S> CUTE_HOST_DEVICE auto make_identity_tensor(const S &s) {
    return cuwarp_view(cuwarp_coordinates<cuwarp_rank<S>::value>{0}, cuwarp_hide(s));
}
// The same elements under a layout whose positions are not computed.
template <class E, class L, class S> CUTE_HOST_DEVICE auto cuwarp_part(const Tensor<E, L> &t, const S &s) {
    if constexpr (is_rmem<E>::value)
        return cuwarp_view((typename E::element_type *)&t.engine_.storage_[0], cuwarp_hide(s));
    else
        return cuwarp_view(t.engine_.storage_, cuwarp_hide(s));
}
template <class E, class L, class T> CUTE_HOST_DEVICE auto logical_divide(const Tensor<E, L> &t, const T &tiler) {
    auto l = logical_divide(t.layout_, tiler);
    if constexpr (is_rmem<E>::value)
        return cuwarp_view((typename E::element_type *)&t.engine_.storage_[0], l);
    else
        return cuwarp_view(t.engine_.storage_, l);
}
template <class U, class T, class S> CUTE_HOST_DEVICE constexpr auto cuwarp_scale(const S &s) {
    if constexpr (is_tuple<S>::value)
        return cuwarp_prepend(cuwarp_scale<U, T>(s.head), s.tail);
    else if constexpr (sizeof(U) >= sizeof(T))
        return s / Int<int(sizeof(U) / sizeof(T))>{};
    else
        return s * Int<int(sizeof(T) / sizeof(U))>{};
}
template <class U, class E, class L> CUTE_HOST_DEVICE auto recast(const Tensor<E, L> &t) {
    typedef typename E::value_type T;
    if constexpr (is_rmem<E>::value)
        return cuwarp_view((U *)&t.engine_.storage_[0], make_layout(cuwarp_scale<U, T>(t.layout_.shape_)));
    else
        return cuwarp_view(recast_ptr<U>(t.engine_.storage_), cuwarp_hide(cuwarp_scale<U, T>(t.layout_.shape_)));
}
template <int b, int e, class E, class L> CUTE_HOST_DEVICE auto group_modes(const Tensor<E, L> &t) {
    return cuwarp_part(t, cuwarp_group<b, e>(t.layout_.shape_));
}
template <class E, class L> CUTE_HOST_DEVICE auto flatten(const Tensor<E, L> &t) {
    return cuwarp_part(t, tuple<decltype(t.size())>(t.size()));
}
template <class E, class L> CUTE_HOST_DEVICE auto coalesce(const Tensor<E, L> &t) {
    return cuwarp_part(t, tuple<decltype(t.size())>(t.size()));
}
template <class E, class L> CUTE_HOST_DEVICE auto filter_zeros(const Tensor<E, L> &t) { return t; }
template <class E, class L> CUTE_HOST_DEVICE auto as_position_independent_swizzle_tensor(const Tensor<E, L> &t) {
    return t;
}

// Tiles: of mode i, the tile at coordinate c, or for an underscore one more mode that counts tiles.
template <class T, class K> CUTE_HOST_DEVICE constexpr auto cuwarp_padded(const T &t, const K &c) {
    if constexpr (cuwarp_rank<K>::value < cuwarp_rank<T>::value)
        return cuwarp_padded(t, append(c, Int<0>{}));
    else
        return c;
}
template <class T, class S, class K>
CUTE_HOST_DEVICE constexpr auto cuwarp_tile_counts(const T &t, const S &s, const K &c) {
    if constexpr (cuwarp_rank<T>::value == 0)
        return tuple<>{};
    else if constexpr (is_underscore<decltype(c.head)>::value)
        return cuwarp_prepend(ceil_div(cuwarp_product(s.head), cuwarp_product(t.head)),
                              cuwarp_tile_counts(t.tail, s.tail, c.tail));
    else
        return cuwarp_tile_counts(t.tail, s.tail, c.tail);
}
template <class T, class D, class K>
CUTE_HOST_DEVICE constexpr auto cuwarp_tile_strides(const T &t, const D &d, const K &c) {
    if constexpr (cuwarp_rank<T>::value == 0)
        return tuple<>{};
    else if constexpr (is_underscore<decltype(c.head)>::value)
        return cuwarp_prepend(d.head * t.head, cuwarp_tile_strides(t.tail, d.tail, c.tail));
    else
        return cuwarp_tile_strides(t.tail, d.tail, c.tail);
}
template <class T, class D, class K>
CUTE_HOST_DEVICE constexpr auto cuwarp_tile_offset(const T &t, const D &d, const K &c) {
    if constexpr (cuwarp_rank<T>::value == 0)
        return Int<0>{};
    else if constexpr (is_underscore<decltype(c.head)>::value)
        return cuwarp_tile_offset(t.tail, d.tail, c.tail);
    else
        return c.head * (d.head * t.head) + cuwarp_tile_offset(t.tail, d.tail, c.tail);
}
template <class T> struct cuwarp_is_flat : std::false_type {};
template <class... T> struct cuwarp_is_flat<tuple<T...>> {
    static constexpr bool value = (true && ... && !is_tuple<T>::value);
};
template <int n, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_take(const T &t) {
    if constexpr (n == 0)
        return tuple<>{};
    else
        return cuwarp_prepend(t.head, cuwarp_take<n - 1>(t.tail));
}
template <int b, int e, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_group(const T &t) {
    return tuple_cat(cuwarp_take<b>(t), cuwarp_prepend(cuwarp_take<e - b>(cuwarp_drop<b>(t)), cuwarp_drop<e>(t)));
}
template <class E, class L, class T, class K>
CUTE_HOST_DEVICE auto local_tile(const Tensor<E, L> &t, const T &tiler, const K &coord) {
    typedef decltype(t.layout_.shape_) S;
    typedef decltype(t.layout_.stride_) D;
    if constexpr (!is_tuple<K>::value)
        return local_tile(t, tiler, tuple<K>(coord));
    else {
        auto c = cuwarp_padded(tiler, coord);
        auto shape = tuple_cat(tuple_cat(tiler, cuwarp_tile_counts(tiler, t.layout_.shape_, c)),
                               cuwarp_drop<cuwarp_rank<T>::value>(t.layout_.shape_));
        if constexpr (cuwarp_is_flat<D>::value && cuwarp_is_flat<S>::value) {
            auto stride = tuple_cat(tuple_cat(cuwarp_take<cuwarp_rank<T>::value>(t.layout_.stride_),
                                              cuwarp_tile_strides(tiler, t.layout_.stride_, c)),
                                    cuwarp_drop<cuwarp_rank<T>::value>(t.layout_.stride_));
            return cuwarp_view(t.engine_.storage_ + cuwarp_tile_offset(tiler, t.layout_.stride_, c),
                               cuwarp_layout(shape, stride));
        } else
            return cuwarp_view(t.engine_.storage_ + cuwarp_hidden_index<0>(c), cuwarp_hide(shape));
    }
}
template <class T, class P> CUTE_HOST_DEVICE constexpr auto cuwarp_project(const T &t, const P &p) {
    if constexpr (cuwarp_rank<P>::value == 0)
        return tuple<>{};
    else if constexpr (is_underscore<decltype(p.head)>::value)
        return cuwarp_project(t.tail, p.tail);
    else
        return cuwarp_prepend(t.head, cuwarp_project(t.tail, p.tail));
}
template <class E, class L, class T, class K, class P>
CUTE_HOST_DEVICE auto local_tile(const Tensor<E, L> &t, const T &tiler, const K &coord, const P &p) {
    return local_tile(t, cuwarp_project(tiler, p), cuwarp_project(coord, p));
}
// A thread's part of a tile by a layout of threads.
template <class S, class T> CUTE_HOST_DEVICE constexpr auto cuwarp_divided(const S &s, const T &t) {
    if constexpr (cuwarp_rank<S>::value == 0)
        return tuple<>{};
    else if constexpr (cuwarp_rank<T>::value == 0)
        return s;
    else
        return cuwarp_prepend(ceil_div(cuwarp_product(s.head), cuwarp_product(t.head)), cuwarp_divided(s.tail, t.tail));
}
template <class E, class L, class T, class I>
CUTE_HOST_DEVICE auto local_partition(const Tensor<E, L> &t, const T &threads, const I &) {
    return cuwarp_part(t, cuwarp_divided(t.layout_.shape_, cuwarp_as_layout(threads).shape_));
}

// ---- copies ----

template <class S, class D = S> struct UniversalCopy { static constexpr int cuwarp_bits = sizeof(S) * 8; };
template <int bits = 128> struct AutoVectorizingCopyWithAssumedAlignment { static constexpr int cuwarp_bits = 0; };
typedef AutoVectorizingCopyWithAssumedAlignment<128> AutoVectorizingCopy;
typedef AutoVectorizingCopyWithAssumedAlignment<8> DefaultCopy;
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEALWAYS { static constexpr int cuwarp_bits = sizeof(S) * 8; };
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEGLOBAL { static constexpr int cuwarp_bits = sizeof(S) * 8; };
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEALWAYS_ZFILL {
    static constexpr int cuwarp_bits = sizeof(S) * 8;
};
template <class S, class D = S> struct SM80_CP_ASYNC_CACHEGLOBAL_ZFILL {
    static constexpr int cuwarp_bits = sizeof(S) * 8;
};
#define CUWARP_COPY(name, bits)                                                                                        \
    struct name {                                                                                                      \
        static constexpr int cuwarp_bits = bits;                                                                       \
    };
CUWARP_COPY(SM75_U32x1_LDSM_N, 32)
CUWARP_COPY(SM75_U32x2_LDSM_N, 64)
CUWARP_COPY(SM75_U32x4_LDSM_N, 128)
CUWARP_COPY(SM75_U16x2_LDSM_T, 32)
CUWARP_COPY(SM75_U16x4_LDSM_T, 64)
CUWARP_COPY(SM75_U16x8_LDSM_T, 128)
CUWARP_COPY(SM90_U32x1_STSM_N, 32)
CUWARP_COPY(SM90_U32x2_STSM_N, 64)
CUWARP_COPY(SM90_U32x4_STSM_N, 128)
CUWARP_COPY(SM90_U16x2_STSM_T, 32)
CUWARP_COPY(SM90_U16x4_STSM_T, 64)
CUWARP_COPY(SM90_U16x8_STSM_T, 128)
#undef CUWARP_COPY
template <class O, class T> struct Copy_Atom {
    typedef T ValType;
    static constexpr int cuwarp_values = O::cuwarp_bits ? O::cuwarp_bits / sizeof_bits<T>::value : 1;
};
// A tile of tile_m by tile_n elements, of which each thread has so many values. A product's tile is unit_m by unit_n.
template <class M> struct ThrCopy;
template <class A, int tile_m, int tile_n, int values, int threads, int unit_m = tile_m, int unit_n = tile_n>
struct TiledCopy : A {
    typedef tuple<Int<tile_m>, Int<tile_n>> Tiler_MN;
    typedef Int<A::cuwarp_values> cuwarp_v;
    CUTE_HOST_DEVICE auto get_slice(int) const { return ThrCopy<TiledCopy>(); }
    CUTE_HOST_DEVICE auto get_thread_slice(int) const { return ThrCopy<TiledCopy>(); }
    CUTE_HOST_DEVICE static constexpr auto size() { return Int<threads>{}; }
    template <class S> CUTE_HOST_DEVICE static constexpr auto cuwarp_shape(const S &s) {
        return cuwarp_prepend(tuple<cuwarp_v, Int<values / cuwarp_v::value>>(), cuwarp_divided(s, Tiler_MN{}));
    }
    // A fragment of products, in the copy's order: each of its tiles covers several of the product's.
    template <class S> CUTE_HOST_DEVICE static constexpr auto cuwarp_retiled(const S &s) {
        constexpr int m = decltype(cuwarp_product(cuwarp_mode<1>(s)))::value,
                      n = decltype(cuwarp_product(cuwarp_mode<2>(s)))::value;
        return tuple<tuple<cuwarp_v, Int<values / cuwarp_v::value>>, Int<m * unit_m / tile_m>,
                     Int<n * unit_n / tile_n>>();
    }
};
template <class M> struct ThrCopy : M {
    template <class E, class L> CUTE_HOST_DEVICE auto partition_S(const Tensor<E, L> &t) const {
        return cuwarp_part(t, M::cuwarp_shape(t.layout_.shape_));
    }
    template <class E, class L> CUTE_HOST_DEVICE auto partition_D(const Tensor<E, L> &t) const {
        return cuwarp_part(t, M::cuwarp_shape(t.layout_.shape_));
    }
    template <class E, class L> CUTE_HOST_DEVICE auto retile_S(const Tensor<E, L> &t) const {
        return cuwarp_part(t, M::cuwarp_retiled(t.layout_.shape_));
    }
    template <class E, class L> CUTE_HOST_DEVICE auto retile_D(const Tensor<E, L> &t) const {
        return cuwarp_part(t, M::cuwarp_retiled(t.layout_.shape_));
    }
};
template <class A, int m, int n, int v, int t, int um, int un>
CUTE_HOST_DEVICE constexpr auto size(const TiledCopy<A, m, n, v, t, um, un> &) {
    return Int<t>{};
}
template <class O, class T, class H, class V>
CUTE_HOST_DEVICE constexpr auto make_tiled_copy(const Copy_Atom<O, T> &, const H &threads, const V &values) {
    constexpr int hm = decltype(size(cuwarp_mode<0>(threads.shape_)))::value,
                  hn = decltype(size(cuwarp_mode<1>(threads.shape_)))::value;
    constexpr int vm = decltype(size(cuwarp_mode<0>(values.shape_)))::value,
                  vn = decltype(size(cuwarp_mode<1>(values.shape_)))::value;
    return TiledCopy<Copy_Atom<O, T>, hm * vm, hn * vn, vm * vn, hm * hn>();
}
template <class O, class T, class H>
CUTE_HOST_DEVICE constexpr auto make_tiled_copy(const Copy_Atom<O, T> &a, const H &threads) {
    return make_tiled_copy(a, threads, Layout<Int<1>>{});
}

CUTE_HOST_DEVICE void cp_async_fence() { asm volatile("cp.async.commit_group;\n" ::); }
template <int n> CUTE_HOST_DEVICE void cp_async_wait() {
    if constexpr (n == 0)
        asm volatile("cp.async.wait_all;\n" ::);
    else
        asm volatile("cp.async.wait_group %0;\n" ::"n"(n));
}
template <int n> CUTE_HOST_DEVICE void cp_async_wait(Int<n>) { cp_async_wait<n>(); }

template <class E, class L> CUTE_HOST_DEVICE auto cuwarp_address(const Tensor<E, L> &t) {
    if constexpr (is_rmem<E>::value)
        return (typename E::element_type *)&t.engine_.storage_[0];
    else
        return t.engine_.storage_.p;
}
template <class L> struct cuwarp_computes : std::false_type {};
template <class S, class D> struct cuwarp_computes<Layout<S, D>> {
    static constexpr bool value = is_static<decltype(size(S{}))>::value && !std::is_same<D, cuwarp_hidden>::value;
};
// Elements of known positions are copied one by one.
template <class E, class L, class F, class M>
CUTE_HOST_DEVICE void copy(const Tensor<E, L> &from, const Tensor<F, M> &to) {
    if constexpr (cuwarp_computes<L>::value && cuwarp_computes<M>::value && is_rmem<F>::value) {
        auto *written = cuwarp_address(to);
        for (int i = 0; i < size(from); i++)
            written[cuwarp_index(i, to.layout_.shape_, to.layout_.stride_)] = from(i);
    } else
        cuwarp_move(cuwarp_address(from), (void *)cuwarp_address(to));
}
template <class C_, class E, class L, class F, class M>
CUTE_HOST_DEVICE void copy(const C_ &, const Tensor<E, L> &from, const Tensor<F, M> &to) {
    cuwarp_move(cuwarp_address(from), (void *)cuwarp_address(to));
}
template <class Q, class E, class L, class F, class M>
CUTE_HOST_DEVICE void copy_if(const Q &, const Tensor<E, L> &from, const Tensor<F, M> &to) {
    cuwarp_move(cuwarp_address(from), (void *)cuwarp_address(to));
}
template <class C_, class Q, class E, class L, class F, class M>
CUTE_HOST_DEVICE void copy_if(const C_ &, const Q &, const Tensor<E, L> &from, const Tensor<F, M> &to) {
    cuwarp_move(cuwarp_address(from), (void *)cuwarp_address(to));
}
template <class E, class L, class T> CUTE_HOST_DEVICE void fill(const Tensor<E, L> &t, const T &v) {
    typedef typename E::value_type V;
    auto *written = cuwarp_address(t);
    if constexpr (cuwarp_computes<L>::value && is_rmem<E>::value)
        for (int i = 0; i < size(t); i++)
            written[cuwarp_index(i, t.layout_.shape_, t.layout_.stride_)] = V(v);
    else
        cuwarp_move(&v, (void *)written);
}
template <class E, class L> CUTE_HOST_DEVICE void clear(const Tensor<E, L> &t) { fill(t, typename E::value_type(0)); }
template <class A, class E, class L, class B, class F, class M>
CUTE_HOST_DEVICE void axpby(const A &a, const Tensor<E, L> &x, const B &b, const Tensor<F, M> &y) {
    cuwarp_move(cuwarp_address(x), (void *)cuwarp_address(y));
}

// ---- products ----

template <int m, int n, int k, class A, class B, class D> struct cuwarp_mma {
    typedef tuple<Int<m>, Int<n>, Int<k>> Shape_MNK;
    typedef A cuwarp_a;
    typedef B cuwarp_b;
    typedef D cuwarp_c;
};
typedef Shape<_2> cuwarp_2;
typedef Shape<_2, _2> cuwarp_22;
typedef Shape<_2, _2, _2> cuwarp_222;
#define CUWARP_MMA(name, m, n, k, a, b, c)                                                                             \
    struct name : cuwarp_mma<m, n, k, a, b, c> {};
CUWARP_MMA(SM75_16x8x8_F32F16F16F32_TN, 16, 8, 8, cuwarp_22, cuwarp_2, cuwarp_22)
CUWARP_MMA(SM80_16x8x8_F16F16F16F16_TN, 16, 8, 8, cuwarp_22, cuwarp_2, cuwarp_22)
CUWARP_MMA(SM80_16x8x8_F32F16F16F32_TN, 16, 8, 8, cuwarp_22, cuwarp_2, cuwarp_22)
CUWARP_MMA(SM80_16x8x8_F32BF16BF16F32_TN, 16, 8, 8, cuwarp_22, cuwarp_2, cuwarp_22)
CUWARP_MMA(SM80_16x8x16_F16F16F16F16_TN, 16, 8, 16, cuwarp_222, cuwarp_22, cuwarp_22)
CUWARP_MMA(SM80_16x8x16_F32F16F16F32_TN, 16, 8, 16, cuwarp_222, cuwarp_22, cuwarp_22)
CUWARP_MMA(SM80_16x8x16_F32BF16BF16F32_TN, 16, 8, 16, cuwarp_222, cuwarp_22, cuwarp_22)
#undef CUWARP_MMA
template <class T> struct cuwarp_value_of_mma {
    typedef cutlass::half_t a;
    typedef float c;
};
template <> struct cuwarp_value_of_mma<SM80_16x8x16_F32BF16BF16F32_TN> {
    typedef cutlass::bfloat16_t a;
    typedef float c;
};
template <> struct cuwarp_value_of_mma<SM80_16x8x8_F32BF16BF16F32_TN> {
    typedef cutlass::bfloat16_t a;
    typedef float c;
};
template <> struct cuwarp_value_of_mma<SM80_16x8x16_F16F16F16F16_TN> {
    typedef cutlass::half_t a;
    typedef cutlass::half_t c;
};
template <> struct cuwarp_value_of_mma<SM80_16x8x8_F16F16F16F16_TN> {
    typedef cutlass::half_t a;
    typedef cutlass::half_t c;
};
template <class O> struct MMA_Atom {
    typedef typename O::Shape_MNK Shape_MNK;
    typedef O MMA_Op;
    typedef O cuwarp_op;
};
template <class T> struct cuwarp_op_of { typedef T type; };
template <class O> struct cuwarp_op_of<MMA_Atom<O>> { typedef O type; };
template <int rows, int columns, int values, int unit_m, int unit_n> struct cuwarp_tv {}; // a tile's values of a thread
template <class M> struct ThrMMA;
template <class A, class H = Layout<Shape<_1, _1, _1>>, class P = Tile<Underscore, Underscore, Underscore>>
struct TiledMMA {
    typedef typename cuwarp_op_of<A>::type cuwarp_op;
    typedef typename cuwarp_op::Shape_MNK AtomShape_MNK;
    typedef AtomShape_MNK Shape_MNK;
    typedef typename cuwarp_value_of_mma<cuwarp_op>::c ValTypeC;
    typedef typename cuwarp_value_of_mma<cuwarp_op>::a ValTypeA;
    typedef ValTypeA ValTypeB;
    template <int i> static constexpr int cuwarp_atom = decltype(get<i>(AtomShape_MNK{}))::value;
    template <int i> static constexpr int cuwarp_threads = decltype(cuwarp_product(cuwarp_mode<i>(H{}.shape_)))::value;
    template <int i> static constexpr int cuwarp_cover = cuwarp_atom<i> *cuwarp_threads<i>;
    template <int i> static constexpr int cuwarp_tile() {
        if constexpr (is_underscore<decltype(get<i>(P{}))>::value)
            return cuwarp_cover<i>;
        else
            return decltype(size(get<i>(P{})))::value;
    }
    static constexpr int cuwarp_size = 32 * cuwarp_threads<0> * cuwarp_threads<1> * cuwarp_threads<2>;
    // The values of a thread in a tile of modes i and j, of atoms with so many of them.
    template <int i, int j, class V> static constexpr int cuwarp_values =
        decltype(size(V{}))::value *(cuwarp_tile<i>() / cuwarp_cover<i>)*(cuwarp_tile<j>() / cuwarp_cover<j>);
    template <int i, int j, class V, class S> CUTE_HOST_DEVICE static constexpr auto cuwarp_shape(const S &s) {
        return cuwarp_prepend(V{}, cuwarp_divided(s, tuple<Int<cuwarp_cover<i>>, Int<cuwarp_cover<j>>>{}));
    }
    template <int i> CUTE_HOST_DEVICE static constexpr auto tile_size_mnk() { return Int<cuwarp_tile<i>()>{}; }
    CUTE_HOST_DEVICE static constexpr auto get_layoutA_TV() {
        return cuwarp_tv<cuwarp_tile<0>(), cuwarp_tile<2>(), cuwarp_values<0, 2, typename cuwarp_op::cuwarp_a>,
                         cuwarp_cover<0>, cuwarp_cover<2>>{};
    }
    CUTE_HOST_DEVICE static constexpr auto get_layoutB_TV() {
        return cuwarp_tv<cuwarp_tile<1>(), cuwarp_tile<2>(), cuwarp_values<1, 2, typename cuwarp_op::cuwarp_b>,
                         cuwarp_cover<1>, cuwarp_cover<2>>{};
    }
    CUTE_HOST_DEVICE static constexpr auto get_layoutC_TV() {
        return cuwarp_tv<cuwarp_tile<0>(), cuwarp_tile<1>(), cuwarp_values<0, 1, typename cuwarp_op::cuwarp_c>,
                         cuwarp_cover<0>, cuwarp_cover<1>>{};
    }
    CUTE_HOST_DEVICE auto get_slice(int) const { return ThrMMA<TiledMMA>(); }
    CUTE_HOST_DEVICE auto get_thread_slice(int) const { return ThrMMA<TiledMMA>(); }
    template <class T> CUTE_HOST_DEVICE static auto make_fragment_A(const T &t) {
        return make_tensor<ValTypeA>(t.shape());
    }
    template <class T> CUTE_HOST_DEVICE static auto make_fragment_B(const T &t) {
        return make_tensor<ValTypeB>(t.shape());
    }
    template <class T> CUTE_HOST_DEVICE static auto make_fragment_C(const T &t) {
        return make_tensor<ValTypeC>(t.shape());
    }
};
template <class M> struct ThrMMA : M {
    template <class T> CUTE_HOST_DEVICE auto partition_A(const T &t) const {
        return cuwarp_part(t, M::template cuwarp_shape<0, 2, typename M::cuwarp_op::cuwarp_a>(t.layout_.shape_));
    }
    template <class T> CUTE_HOST_DEVICE auto partition_B(const T &t) const {
        return cuwarp_part(t, M::template cuwarp_shape<1, 2, typename M::cuwarp_op::cuwarp_b>(t.layout_.shape_));
    }
    template <class T> CUTE_HOST_DEVICE auto partition_C(const T &t) const {
        return cuwarp_part(t, M::template cuwarp_shape<0, 1, typename M::cuwarp_op::cuwarp_c>(t.layout_.shape_));
    }
    template <class T> CUTE_HOST_DEVICE auto partition_fragment_A(const T &t) const {
        return make_tensor<typename M::ValTypeA>(partition_A(t).shape());
    }
    template <class T> CUTE_HOST_DEVICE auto partition_fragment_B(const T &t) const {
        return make_tensor<typename M::ValTypeB>(partition_B(t).shape());
    }
    template <class T> CUTE_HOST_DEVICE auto partition_fragment_C(const T &t) const {
        return make_tensor<typename M::ValTypeC>(partition_C(t).shape());
    }
};
template <class A, class H, class P> CUTE_HOST_DEVICE constexpr auto size(const TiledMMA<A, H, P> &) {
    return Int<TiledMMA<A, H, P>::cuwarp_size>{};
}
template <class A, class H, class P> CUTE_HOST_DEVICE constexpr auto make_tiled_mma(const A &, const H &, const P &) {
    return TiledMMA<A, H, P>();
}
template <class A, class H> CUTE_HOST_DEVICE constexpr auto make_tiled_mma(const A &, const H &) {
    return TiledMMA<A, H>();
}
template <class A, class H, class P, class S>
CUTE_HOST_DEVICE auto partition_shape_C(const TiledMMA<A, H, P> &, const S &s) {
    return TiledMMA<A, H, P>::template cuwarp_shape<0, 1, typename TiledMMA<A, H, P>::cuwarp_op::cuwarp_c>(s);
}
template <class A, class H, class P, class S>
CUTE_HOST_DEVICE auto partition_fragment_C(const TiledMMA<A, H, P> &m, const S &s) {
    return make_tensor<typename TiledMMA<A, H, P>::ValTypeC>(partition_shape_C(m, s));
}
template <class O, class T, int rows, int columns, int values, int um, int un, class R> CUTE_HOST_DEVICE constexpr auto
make_tiled_copy_impl(const Copy_Atom<O, T> &, const cuwarp_tv<rows, columns, values, um, un> &, const R &) {
    return TiledCopy<Copy_Atom<O, T>, rows, columns, values, rows * columns / values, um, un>();
}
template <class C_, class M> CUTE_HOST_DEVICE constexpr auto make_tiled_copy_A(const C_ &a, const M &m) {
    return make_tiled_copy_impl(a, m.get_layoutA_TV(), 0);
}
template <class C_, class M> CUTE_HOST_DEVICE constexpr auto make_tiled_copy_B(const C_ &a, const M &m) {
    return make_tiled_copy_impl(a, m.get_layoutB_TV(), 0);
}
template <class C_, class M> CUTE_HOST_DEVICE constexpr auto make_tiled_copy_C(const C_ &a, const M &m) {
    return make_tiled_copy_impl(a, m.get_layoutC_TV(), 0);
}

// A product of registers is one of all threads of a warp; it reads two fragments and adds to the third.
template <class M, class E, class L, class F, class N_, class G, class O>
CUTE_HOST_DEVICE void gemm(const M &, const Tensor<E, L> &a, const Tensor<F, N_> &b, const Tensor<G, O> &c) {
    unsigned sum, zero = 0;
    cuwarp_move(cuwarp_address(a), (void *)cuwarp_address(c));
    cuwarp_move(cuwarp_address(b), (void *)cuwarp_address(c));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3};\n"
                 : "=r"(sum)
                 : "r"(zero), "r"(zero), "r"(zero));
}
template <class M, class D, class A, class B, class C_>
CUTE_HOST_DEVICE void gemm(const M &m, const D &d, const A &a, const B &b, const C_ &) {
    gemm(m, a, b, d);
}
} // namespace cute
