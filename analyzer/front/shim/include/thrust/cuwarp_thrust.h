// Thrust: host-side algorithms as declarations that take anything, containers as interfaces.
#pragma once
#include "algorithm"
#include "functional"
#include "iterator"
#include "tuple"
namespace thrust {
using std::plus;
using std::minus;
using std::multiplies;
using std::divides;
using std::modulus;
using std::negate;
using std::less;
using std::greater;
using std::less_equal;
using std::greater_equal;
using std::equal_to;
using std::not_equal_to;
using std::logical_and;
using std::logical_or;
using std::logical_not;
template <typename T = void> struct identity {
    template <typename U> __host__ __device__ constexpr U &&operator()(U &&x) const { return static_cast<U &&>(x); }
};
using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::tuple;
using std::make_tuple;
using std::tie;
using std::get;
using std::pair;
using std::make_pair;
using std::swap;
using std::tuple_element;
using std::tuple_size;
template <typename T = void> struct maximum {
    __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <typename T = void> struct minimum {
    __host__ __device__ constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <typename T> struct square {
    __host__ __device__ constexpr T operator()(const T &a) const { return a * a; }
};
template <typename A = void, typename B = void, typename R = void> struct unary_function {};
template <typename A = void, typename B = void, typename R = void> struct binary_function {};
namespace detail {
template <typename D> struct execution_policy_base {};
}
template <typename D> struct execution_policy : detail::execution_policy_base<D> {};
struct cuwarp_policy : execution_policy<cuwarp_policy> {
    constexpr cuwarp_policy() {}
    template <typename S> cuwarp_policy on(S s) const;
    template <typename S> cuwarp_policy operator()(S s) const;
};
constexpr cuwarp_policy device{}, host{}, seq{};
namespace cuda {
constexpr cuwarp_policy par{}, par_nosync{};
}
namespace omp {
constexpr cuwarp_policy par{};
}
using std::distance;
using std::advance;
using std::next;
using std::prev;
// Iterators are used in kernels as well: they are what they stand for.
#define CUWARP_HD __host__ __device__ constexpr
template <typename D, typename V, typename R> struct cuwarp_iterator {
    typedef typename std::remove_cv<V>::type value_type;
    typedef R reference;
    typedef V *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    CUWARP_HD const D &self() const { return static_cast<const D &>(*this); }
    __host__ __device__ D &self() { return static_cast<D &>(*this); }
    CUWARP_HD R operator*() const { return self().at(0); }
    CUWARP_HD R operator[](ptrdiff_t i) const { return self().at(i); }
    CUWARP_HD D operator+(ptrdiff_t n) const { return self().moved(n); }
    CUWARP_HD D operator-(ptrdiff_t n) const { return self().moved(-n); }
    __host__ __device__ D &operator+=(ptrdiff_t n) { return self() = self().moved(n); }
    __host__ __device__ D &operator-=(ptrdiff_t n) { return self() = self().moved(-n); }
    __host__ __device__ D &operator++() { return self() = self().moved(1); }
    __host__ __device__ D &operator--() { return self() = self().moved(-1); }
    __host__ __device__ D operator++(int) {
        D before = self();
        self() = before.moved(1);
        return before;
    }
    CUWARP_HD ptrdiff_t operator-(const D &o) const { return self().place() - o.place(); }
    CUWARP_HD bool operator==(const D &o) const { return self().place() == o.place(); }
    CUWARP_HD bool operator!=(const D &o) const { return self().place() != o.place(); }
    CUWARP_HD bool operator<(const D &o) const { return self().place() < o.place(); }
};
template <typename T> struct device_ptr;
template <typename T> struct device_reference {
    T *p;
    CUWARP_HD explicit device_reference(T *p) : p(p) {}
    CUWARP_HD device_reference(const device_reference &o) : p(o.p) {}
    CUWARP_HD device_ptr<T> operator&() const { return device_ptr<T>(p); }
    CUWARP_HD operator T() const { return *p; }
    __host__ __device__ const device_reference &operator=(const T &v) const {
        *p = v;
        return *this;
    }
    __host__ __device__ const device_reference &operator=(const device_reference &o) const {
        *p = *o.p;
        return *this;
    }
#define CUWARP_ASSIGN(op)                                                                                              \
    __host__ __device__ const device_reference &operator op(const T &v) const {                                        \
        *p op v;                                                                                                       \
        return *this;                                                                                                  \
    }
    CUWARP_ASSIGN(+=)
    CUWARP_ASSIGN(-=)
    CUWARP_ASSIGN(|=)
    CUWARP_ASSIGN(&=)
    CUWARP_ASSIGN(^=)
#undef CUWARP_ASSIGN
};
template <typename T> struct device_ptr : cuwarp_iterator<device_ptr<T>, T, device_reference<T>> {
    T *p;
    CUWARP_HD device_ptr() : p(nullptr) {}
    template <typename U> CUWARP_HD explicit device_ptr(U *p) : p(p) {}
    template <typename U, typename = typename std::enable_if<std::is_convertible<U *, T *>::value>::type>
    CUWARP_HD device_ptr(const device_ptr<U> &o) : p(o.p) {}
    CUWARP_HD T *get() const { return p; }
    CUWARP_HD device_reference<T> at(ptrdiff_t i) const { return device_reference<T>(p + i); }
    CUWARP_HD device_ptr moved(ptrdiff_t n) const { return device_ptr(p + n); }
    CUWARP_HD T *place() const { return p; }
};
template <typename T> struct device_malloc_allocator {
    typedef T value_type;
    typedef device_ptr<T> pointer;
    typedef device_ptr<const T> const_pointer;
    typedef device_reference<T> reference;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    template <typename U> struct rebind { typedef device_malloc_allocator<U> other; };
    pointer allocate(size_t n);
    void deallocate(pointer p, size_t n);
};
template <typename T> using device_allocator = device_malloc_allocator<T>;
template <typename T> struct cuwarp_vector {
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<T> pointer;
    cuwarp_vector();
    explicit cuwarp_vector(size_t n);
    cuwarp_vector(size_t n, const T &v);
    template <typename I> cuwarp_vector(I a, I b);
    template <typename V> cuwarp_vector(const V &v);
    template <typename V> cuwarp_vector &operator=(const V &v);
    size_t size() const;
    size_t capacity() const;
    bool empty() const;
    void resize(size_t n);
    void resize(size_t n, const T &v);
    void reserve(size_t n);
    void clear();
    void shrink_to_fit();
    void push_back(const T &v);
    void pop_back();
    template <typename... A> void insert(A &&...a);
    template <typename... A> iterator erase(A &&...a);
    void swap(cuwarp_vector &o);
    template <typename... A> void assign(A &&...a);
    device_ptr<T> begin();
    device_ptr<T> end();
    device_ptr<T> begin() const;
    device_ptr<T> end() const;
    device_ptr<T> data();
    device_ptr<const T> data() const;
    device_ptr<T> cbegin() const;
    device_ptr<T> cend() const;
    std::reverse_iterator<device_ptr<T>> rbegin();
    std::reverse_iterator<device_ptr<T>> rend();
    device_reference<T> operator[](size_t i);
    T operator[](size_t i) const;
    device_reference<T> front();
    device_reference<T> back();
};
template <typename T, typename A = void> struct device_vector : cuwarp_vector<T> {
    using cuwarp_vector<T>::cuwarp_vector;
    using cuwarp_vector<T>::operator=;
};
template <typename T, typename A = void> struct host_vector : cuwarp_vector<T> {
    using cuwarp_vector<T>::cuwarp_vector;
    using cuwarp_vector<T>::operator=;
    T &operator[](size_t i);
    const T &operator[](size_t i) const;
    T *data();
    const T *data() const;
    T *begin();
    T *end();
    const T *begin() const;
    const T *end() const;
};
template <typename T, typename U> bool operator==(const cuwarp_vector<T> &a, const cuwarp_vector<U> &b);
template <typename T, typename U> bool operator!=(const cuwarp_vector<T> &a, const cuwarp_vector<U> &b);
template <typename T, typename A = void> struct universal_vector : host_vector<T> {
    using host_vector<T>::host_vector;
};
template <typename T> CUWARP_HD device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <typename T> CUWARP_HD T *raw_pointer_cast(device_ptr<T> p) { return p.p; }
template <typename T> CUWARP_HD T *raw_pointer_cast(T *p) { return p; }
template <typename T> device_ptr<T> device_malloc(size_t n);
template <typename T> void device_free(T p);
template <typename T> CUWARP_HD T &raw_reference_cast(device_reference<T> r) { return *r.p; }
template <typename T> __host__ __device__ constexpr T &raw_reference_cast(T &r) { return r; }
template <typename T> __host__ __device__ constexpr const T &raw_reference_cast(const T &r) { return r; }
template <typename T, typename... R> struct counting_iterator : cuwarp_iterator<counting_iterator<T, R...>, T, T> {
    T value;
    CUWARP_HD counting_iterator(T v = T()) : value(v) {}
    CUWARP_HD T at(ptrdiff_t i) const { return T(value + i); }
    CUWARP_HD counting_iterator moved(ptrdiff_t n) const { return counting_iterator(T(value + n)); }
    CUWARP_HD ptrdiff_t place() const { return ptrdiff_t(value); }
};
template <typename T> CUWARP_HD counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <typename T> struct constant_iterator : cuwarp_iterator<constant_iterator<T>, T, const T &> {
    T value;
    ptrdiff_t index;
    CUWARP_HD constant_iterator(const T &v, ptrdiff_t index = 0) : value(v), index(index) {}
    CUWARP_HD const T &at(ptrdiff_t) const { return value; }
    CUWARP_HD constant_iterator moved(ptrdiff_t n) const { return constant_iterator(value, index + n); }
    CUWARP_HD ptrdiff_t place() const { return index; }
};
template <typename T> CUWARP_HD constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
using std::iterator_traits;
template <typename I> struct iterator_difference { typedef typename std::iterator_traits<I>::difference_type type; };
template <typename I> struct iterator_value { typedef typename std::iterator_traits<I>::value_type type; };
template <typename I> struct iterator_reference { typedef typename std::iterator_traits<I>::reference type; };
template <typename I> struct iterator_pointer { typedef typename std::iterator_traits<I>::pointer type; };
template <typename I> using iterator_difference_t = typename iterator_difference<I>::type;
template <typename I> using iterator_value_t = typename iterator_value<I>::type;
template <typename I> using iterator_reference_t = typename iterator_reference<I>::type;
template <typename I> using cuwarp_reference_of = decltype(*std::declval<const I &>());
template <typename I>
using cuwarp_value_of = typename std::remove_cv<typename std::iterator_traits<I>::value_type>::type;
template <typename T> struct zip_iterator;
template <typename... I> struct zip_iterator<tuple<I...>>
    : cuwarp_iterator<zip_iterator<tuple<I...>>, tuple<cuwarp_value_of<I>...>, tuple<cuwarp_reference_of<I>...>> {
    typedef tuple<cuwarp_reference_of<I>...> references;
    tuple<I...> all;
    CUWARP_HD zip_iterator(const tuple<I...> &t) : all(t) {}
    CUWARP_HD const tuple<I...> &get_iterator_tuple() const { return all; }
    CUWARP_HD references at(ptrdiff_t i) const { return at_all(i, std::index_sequence_for<I...>()); }
    CUWARP_HD zip_iterator moved(ptrdiff_t n) const { return moved_all(n, std::index_sequence_for<I...>()); }
    CUWARP_HD decltype(std::get<0>(std::declval<const tuple<I...> &>())) place() const { return std::get<0>(all); }
    template <size_t... k> CUWARP_HD references at_all(ptrdiff_t i, std::index_sequence<k...>) const {
        return references(*(std::get<k>(all) + i)...);
    }
    template <size_t... k> CUWARP_HD zip_iterator moved_all(ptrdiff_t n, std::index_sequence<k...>) const {
        return zip_iterator(tuple<I...>((std::get<k>(all) + n)...));
    }
};
template <typename... I> CUWARP_HD zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return {t}; }
template <typename... I> CUWARP_HD zip_iterator<tuple<I...>> make_zip_iterator(I... i) { return {tuple<I...>(i...)}; }
template <typename V, typename F, typename I> struct cuwarp_applied {
    typedef void reference;
    typedef void value_type;
};
template <typename F, typename I>
struct cuwarp_applied<std::void_t<decltype(std::declval<F &>()(*std::declval<const I &>()))>, F, I> {
    typedef decltype(std::declval<F &>()(*std::declval<const I &>())) reference;
    typedef typename std::decay<reference>::type value_type;
};
template <typename F, typename I, typename R = void, typename V = void> struct transform_iterator
    : cuwarp_iterator<transform_iterator<F, I, R, V>, typename cuwarp_applied<void, F, I>::value_type,
                      typename cuwarp_applied<void, F, I>::reference> {
    I i;
    mutable F f; // its call operator need not be const
    CUWARP_HD transform_iterator(I i, F f) : i(i), f(f) {}
    CUWARP_HD typename cuwarp_applied<void, F, I>::reference at(ptrdiff_t n) const { return f(*(i + n)); }
    CUWARP_HD transform_iterator moved(ptrdiff_t n) const { return transform_iterator(i + n, f); }
    CUWARP_HD I place() const { return i; }
    CUWARP_HD I base() const { return i; }
};
template <typename I, typename F> CUWARP_HD transform_iterator<F, I> make_transform_iterator(I i, F f) {
    return {i, f};
}
template <typename A, typename B> struct permutation_iterator
    : cuwarp_iterator<permutation_iterator<A, B>, cuwarp_value_of<A>, decltype(std::declval<const A &>()[0])> {
    A a;
    B b;
    CUWARP_HD permutation_iterator(A a, B b) : a(a), b(b) {}
    CUWARP_HD decltype(std::declval<const A &>()[0]) at(ptrdiff_t i) const { return a[*(b + i)]; }
    CUWARP_HD permutation_iterator moved(ptrdiff_t n) const { return permutation_iterator(a, b + n); }
    CUWARP_HD B place() const { return b; }
};
template <typename A, typename B> CUWARP_HD permutation_iterator<A, B> make_permutation_iterator(A a, B b) {
    return {a, b};
}
struct cuwarp_discard {
    template <typename T> CUWARP_HD const cuwarp_discard &operator=(const T &) const { return *this; }
};
template <typename T = void> struct discard_iterator
    : cuwarp_iterator<discard_iterator<T>, cuwarp_discard, cuwarp_discard> {
    ptrdiff_t index;
    CUWARP_HD explicit discard_iterator(ptrdiff_t index = 0) : index(index) {}
    CUWARP_HD cuwarp_discard at(ptrdiff_t) const { return {}; }
    CUWARP_HD discard_iterator moved(ptrdiff_t n) const { return discard_iterator(index + n); }
    CUWARP_HD ptrdiff_t place() const { return index; }
};
CUWARP_HD discard_iterator<> make_discard_iterator() { return discard_iterator<>(); }
template <typename F, typename I> struct transform_output_iterator {
    transform_output_iterator(I i, F f);
    transform_output_iterator operator+(ptrdiff_t n) const;
};
template <typename F, typename I> transform_output_iterator<F, I> make_transform_output_iterator(I i, F f);
template <typename I> struct reverse_iterator
    : cuwarp_iterator<reverse_iterator<I>, cuwarp_value_of<I>, cuwarp_reference_of<I>> {
    I i;
    CUWARP_HD reverse_iterator(I i) : i(i) {}
    CUWARP_HD cuwarp_reference_of<I> at(ptrdiff_t n) const { return *(i - n - 1); }
    CUWARP_HD reverse_iterator moved(ptrdiff_t n) const { return reverse_iterator(i - n); }
    CUWARP_HD I place() const { return i; }
};
template <typename I> CUWARP_HD reverse_iterator<I> make_reverse_iterator(I i) { return {i}; }
#undef CUWARP_HD
template <typename F> F zip_function(F f);
template <typename F> F make_zip_function(F f);
struct cuwarp_any_half;
struct cuwarp_any {
    template <typename T> __host__ __device__ operator T() const;
    __host__ __device__ cuwarp_any operator-(cuwarp_any) const;
    template <typename I> __host__ __device__ friend ptrdiff_t operator-(cuwarp_any a, const I &b);
    template <typename I> __host__ __device__ friend ptrdiff_t operator-(const I &a, cuwarp_any b);
    cuwarp_any_half &first, &second;
};
struct cuwarp_any_half : cuwarp_any {};
#define CUWARP_ALGORITHM(name) template <typename... A> __host__ __device__ cuwarp_any name(A &&...a);
CUWARP_ALGORITHM(sort)
CUWARP_ALGORITHM(stable_sort) CUWARP_ALGORITHM(sort_by_key) CUWARP_ALGORITHM(stable_sort_by_key) CUWARP_ALGORITHM(copy)
    CUWARP_ALGORITHM(copy_n) CUWARP_ALGORITHM(copy_if) CUWARP_ALGORITHM(fill) CUWARP_ALGORITHM(fill_n) CUWARP_ALGORITHM(
        sequence) CUWARP_ALGORITHM(generate) CUWARP_ALGORITHM(transform) CUWARP_ALGORITHM(transform_if)
        CUWARP_ALGORITHM(for_each) CUWARP_ALGORITHM(for_each_n) CUWARP_ALGORITHM(reduce) CUWARP_ALGORITHM(reduce_by_key)
            CUWARP_ALGORITHM(transform_reduce) CUWARP_ALGORITHM(inner_product) CUWARP_ALGORITHM(count) CUWARP_ALGORITHM(
                count_if) CUWARP_ALGORITHM(inclusive_scan) CUWARP_ALGORITHM(exclusive_scan)
                CUWARP_ALGORITHM(inclusive_scan_by_key) CUWARP_ALGORITHM(exclusive_scan_by_key) CUWARP_ALGORITHM(
                    transform_inclusive_scan) CUWARP_ALGORITHM(transform_exclusive_scan) CUWARP_ALGORITHM(unique)
                    CUWARP_ALGORITHM(unique_by_key) CUWARP_ALGORITHM(unique_by_key_copy) CUWARP_ALGORITHM(unique_copy)
                        CUWARP_ALGORITHM(find) CUWARP_ALGORITHM(find_if) CUWARP_ALGORITHM(max_element)
                            CUWARP_ALGORITHM(min_element) CUWARP_ALGORITHM(minmax_element) CUWARP_ALGORITHM(gather)
                                CUWARP_ALGORITHM(scatter) CUWARP_ALGORITHM(scatter_if) CUWARP_ALGORITHM(remove)
                                    CUWARP_ALGORITHM(remove_if) CUWARP_ALGORITHM(partition) CUWARP_ALGORITHM(
                                        stable_partition) CUWARP_ALGORITHM(is_sorted) CUWARP_ALGORITHM(equal)
                                        CUWARP_ALGORITHM(adjacent_difference) CUWARP_ALGORITHM(lower_bound)
                                            CUWARP_ALGORITHM(upper_bound) CUWARP_ALGORITHM(binary_search)
                                                CUWARP_ALGORITHM(merge) CUWARP_ALGORITHM(merge_by_key)
                                                    CUWARP_ALGORITHM(set_intersection) CUWARP_ALGORITHM(replace)
                                                        CUWARP_ALGORITHM(replace_if) CUWARP_ALGORITHM(reverse)
                                                            CUWARP_ALGORITHM(tabulate) CUWARP_ALGORITHM(all_of)
                                                                CUWARP_ALGORITHM(any_of) CUWARP_ALGORITHM(none_of)
                                                                        CUWARP_ALGORITHM(swap_ranges)
                                                                            CUWARP_ALGORITHM(uninitialized_fill)
#undef CUWARP_ALGORITHM
// Searches of a thread that give a place.
#define CUWARP_SEARCH(name)                                                                                            \
    template <typename I, typename T> __host__ __device__ I name(const cuwarp_policy &, I a, I b, T &&v) {             \
        return std::name(a, b, v);                                                                                     \
    }                                                                                                                  \
    template <typename I, typename T, typename F>                                                                      \
    __host__ __device__ I name(const cuwarp_policy &, I a, I b, T &&v, F f) {                                          \
        return std::name(a, b, v, f);                                                                                  \
    }
CUWARP_SEARCH(lower_bound)
CUWARP_SEARCH(upper_bound)
#undef CUWARP_SEARCH
    //@ thrust.random | __host__ __device__
    struct cuwarp_generator {
    typedef unsigned result_type;
    unsigned state;
    __host__ __device__ explicit cuwarp_generator(unsigned seed = 0) : state(seed) {}
    __host__ __device__ unsigned operator()() { return cuwarp_random<unsigned>(&state); }
    __host__ __device__ void discard(unsigned long long) { state = cuwarp_random<unsigned>(&state); }
};
typedef cuwarp_generator default_random_engine, minstd_rand, taus88, ranlux24;
template <typename T = double> struct uniform_real_distribution {
    __host__ __device__ uniform_real_distribution(T = 0, T = 1) {}
    template <typename G> __host__ __device__ T operator()(G &g) { return cuwarp_random<T>(&g.state); }
};
template <typename T = int> struct uniform_int_distribution {
    __host__ __device__ uniform_int_distribution(T = 0, T = 1) {}
    template <typename G> __host__ __device__ T operator()(G &g) { return cuwarp_random<T>(&g.state); }
};
template <typename T = double> struct normal_distribution {
    __host__ __device__ normal_distribution(T = 0, T = 1) {}
    template <typename G> __host__ __device__ T operator()(G &g) { return cuwarp_random<T>(&g.state); }
};
namespace random {
using thrust::default_random_engine;
using thrust::uniform_real_distribution;
using thrust::uniform_int_distribution;
using thrust::normal_distribution;
}
struct system_error {
    const char *what() const;
    int code() const;
};
template <typename T> struct complex {
    T re, im;
    __host__ __device__ constexpr complex(T a = T(), T b = T()) : re(a), im(b) {}
    __host__ __device__ constexpr T real() const { return re; }
    __host__ __device__ constexpr T imag() const { return im; }
    __host__ __device__ void real(T v) { re = v; }
    __host__ __device__ void imag(T v) { im = v; }
};
#define CUWARP_COMPLEX(name) template <typename T> __host__ __device__ complex<T> name(const complex<T> &c);
CUWARP_COMPLEX(exp) CUWARP_COMPLEX(log) CUWARP_COMPLEX(log10) CUWARP_COMPLEX(sqrt) CUWARP_COMPLEX(sin)
CUWARP_COMPLEX(cos) CUWARP_COMPLEX(tan) CUWARP_COMPLEX(sinh) CUWARP_COMPLEX(cosh) CUWARP_COMPLEX(tanh)
CUWARP_COMPLEX(asin) CUWARP_COMPLEX(acos) CUWARP_COMPLEX(atan) CUWARP_COMPLEX(asinh) CUWARP_COMPLEX(acosh)
CUWARP_COMPLEX(atanh) CUWARP_COMPLEX(conj) CUWARP_COMPLEX(proj) CUWARP_COMPLEX(operator-)
#undef CUWARP_COMPLEX
template <typename T> __host__ __device__ T abs(const complex<T> &c);
template <typename T> __host__ __device__ T arg(const complex<T> &c);
template <typename T> __host__ __device__ T norm(const complex<T> &c);
template <typename T, typename U = T> __host__ __device__ complex<T> polar(const T &r, const U &a = U());
template <typename T, typename U>
__host__ __device__ complex<typename ::std::common_type<T, U>::type> pow(const complex<T> &a, const complex<U> &b);
template <typename T, typename U>
__host__ __device__ complex<typename ::std::common_type<T, U>::type> pow(const complex<T> &a, const U &b);
template <typename T, typename U>
__host__ __device__ complex<typename ::std::common_type<T, U>::type> pow(const T &a, const complex<U> &b);
#define CUWARP_COMPLEX(op)                                                                                             \
    template <typename T> __host__ __device__ complex<T> operator op(const complex<T> &a, const complex<T> &b);        \
    template <typename T> __host__ __device__ complex<T> operator op(const complex<T> &a, const T &b);                 \
    template <typename T> __host__ __device__ complex<T> operator op(const T &a, const complex<T> &b);                 \
    template <typename T> __host__ __device__ complex<T> &operator op##=(complex<T> &a, const complex<T> &b);          \
    template <typename T> __host__ __device__ complex<T> &operator op##=(complex<T> &a, const T &b);
CUWARP_COMPLEX(+)
CUWARP_COMPLEX(-)
CUWARP_COMPLEX(*)
CUWARP_COMPLEX(/)
#undef CUWARP_COMPLEX
template <typename T, typename U> __host__ __device__ bool operator==(const complex<T> &a, const complex<U> &b) {
    return a.real() == b.real() && a.imag() == b.imag();
}
template <typename T, typename U> __host__ __device__ bool operator!=(const complex<T> &a, const complex<U> &b) {
    return !(a == b);
}
#define THRUST_STATIC_ASSERT(...) static_assert(__VA_ARGS__, "")
#define THRUST_VERSION 300000
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0
#define THRUST_SUBMINOR_VERSION 0
}
