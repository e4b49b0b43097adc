// Thrust: host-side algorithms as declarations that take anything, containers as interfaces.
#pragma once
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
struct cuwarp_policy {
    template <typename S> cuwarp_policy on(S s) const;
    template <typename S> cuwarp_policy operator()(S s) const;
};
extern const cuwarp_policy device, host, seq;
namespace cuda {
extern const cuwarp_policy par, par_nosync;
}
namespace omp {
extern const cuwarp_policy par;
}
template <typename T> struct device_ptr;
template <typename T> struct device_reference {
    device_ptr<T> operator&() const;
    operator T() const;
    device_reference &operator=(const T &v);
    device_reference &operator+=(const T &v);
};
template <typename T> struct device_ptr {
    typedef T value_type;
    device_ptr();
    template <typename U> explicit device_ptr(U *p);
    T *get() const;
    device_reference<T> operator*() const;
    device_reference<T> operator[](ptrdiff_t i) const;
    device_ptr operator+(ptrdiff_t n) const;
    device_ptr operator-(ptrdiff_t n) const;
    ptrdiff_t operator-(device_ptr o) const;
    device_ptr &operator++();
    bool operator!=(device_ptr o) const;
};
template <typename T> struct device_malloc_allocator {
    typedef T value_type;
    typedef device_ptr<T> pointer;
    typedef device_ptr<const T> const_pointer;
    typedef size_t size_type;
    device_malloc_allocator();
    template <typename U> device_malloc_allocator(const device_malloc_allocator<U> &);
    pointer allocate(size_t n);
    void deallocate(pointer p, size_t n);
};
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
    device_ptr<T> cbegin() const;
    device_ptr<T> cend() const;
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
    T *begin();
    T *end();
};
template <typename T, typename A = void> struct universal_vector : host_vector<T> {
    using host_vector<T>::host_vector;
};
template <typename T> device_ptr<T> device_pointer_cast(T *p);
template <typename T> T *raw_pointer_cast(device_ptr<T> p);
template <typename T> T *raw_pointer_cast(T *p);
template <typename T> device_ptr<T> device_malloc(size_t n);
template <typename T> void device_free(T p);
template <typename T> T &raw_reference_cast(device_reference<T> r);
template <typename T> __host__ __device__ constexpr T &raw_reference_cast(T &r) { return r; }
template <typename T> __host__ __device__ constexpr const T &raw_reference_cast(const T &r) { return r; }
#define CUWARP_BOTH __host__ __device__
// An iterator that is made of a place `i`, and moves with it.
#define CUWARP_MOVES(name, ...)                                                                                        \
    typedef ptrdiff_t difference_type;                                                                                 \
    typedef void pointer;                                                                                              \
    typedef std::random_access_iterator_tag iterator_category;                                                         \
    CUWARP_BOTH name operator+(ptrdiff_t n) const { return name(i + n, ##__VA_ARGS__); }                               \
    CUWARP_BOTH name operator-(ptrdiff_t n) const { return name(i - n, ##__VA_ARGS__); }                               \
    CUWARP_BOTH ptrdiff_t operator-(const name &o) const { return (ptrdiff_t)(i - o.i); }                              \
    CUWARP_BOTH name &operator+=(ptrdiff_t n) {                                                                        \
        i = i + n;                                                                                                     \
        return *this;                                                                                                  \
    }                                                                                                                  \
    CUWARP_BOTH name &operator++() { return *this += 1; }                                                              \
    CUWARP_BOTH bool operator==(const name &o) const { return i == o.i; }                                              \
    CUWARP_BOTH bool operator!=(const name &o) const { return !(i == o.i); }
template <typename T, typename... R> struct counting_iterator {
    typedef T value_type;
    typedef T reference;
    T i;
    CUWARP_BOTH counting_iterator() : i() {}
    CUWARP_BOTH counting_iterator(T v) : i(v) {}
    CUWARP_MOVES(counting_iterator)
    CUWARP_BOTH T operator*() const { return i; }
    CUWARP_BOTH T operator[](ptrdiff_t n) const { return i + n; }
};
template <typename T> CUWARP_BOTH counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }
template <typename T> struct constant_iterator {
    typedef T value_type;
    typedef T reference;
    typedef void pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    T value;
    CUWARP_BOTH constant_iterator(T v) : value(v) {}
    CUWARP_BOTH constant_iterator operator+(ptrdiff_t) const { return *this; }
    CUWARP_BOTH T operator*() const { return value; }
    CUWARP_BOTH T operator[](ptrdiff_t) const { return value; }
};
template <typename T> CUWARP_BOTH constant_iterator<T> make_constant_iterator(T v) { return constant_iterator<T>(v); }
template <typename T> struct zip_iterator {
    zip_iterator(T t);
    zip_iterator operator+(ptrdiff_t n) const;
};
template <typename... T> zip_iterator<tuple<T...>> make_zip_iterator(T... t);
template <typename V, typename F, typename I> struct cuwarp_applied {
    typedef void reference;
    typedef void value_type;
};
template <typename F, typename I>
struct cuwarp_applied<std::void_t<decltype(std::declval<const F &>()(*std::declval<const I &>()))>, F, I> {
    typedef decltype(std::declval<const F &>()(*std::declval<const I &>())) reference;
    typedef typename std::decay<reference>::type value_type;
};
template <typename F, typename I, typename... R> struct transform_iterator : cuwarp_applied<void, F, I> {
    I i;
    F f;
    CUWARP_BOTH transform_iterator(I i, F f) : i(i), f(f) {}
    CUWARP_MOVES(transform_iterator, f)
    CUWARP_BOTH decltype(auto) operator*() const { return f(*i); }
    CUWARP_BOTH decltype(auto) operator[](ptrdiff_t n) const { return f(i[n]); }
};
template <typename I, typename F> CUWARP_BOTH transform_iterator<F, I> make_transform_iterator(I i, F f) {
    return transform_iterator<F, I>(i, f);
}
#undef CUWARP_MOVES
#undef CUWARP_BOTH
template <typename A, typename B> struct permutation_iterator { permutation_iterator(A a, B b); };
template <typename A, typename B> permutation_iterator<A, B> make_permutation_iterator(A a, B b);
template <typename T = void> struct discard_iterator {};
discard_iterator<> make_discard_iterator();
template <typename F, typename I> struct transform_output_iterator {
    transform_output_iterator(I i, F f);
    transform_output_iterator operator+(ptrdiff_t n) const;
};
template <typename F, typename I> transform_output_iterator<F, I> make_transform_output_iterator(I i, F f);
template <typename I> struct reverse_iterator { reverse_iterator(I i); };
template <typename I> reverse_iterator<I> make_reverse_iterator(I i);
template <typename F> F zip_function(F f);
template <typename F> F make_zip_function(F f);
struct cuwarp_any_half;
struct cuwarp_any {
    template <typename T> operator T() const;
    cuwarp_any operator-(cuwarp_any) const;
    template <typename I> friend ptrdiff_t operator-(cuwarp_any a, const I &b);
    template <typename I> friend ptrdiff_t operator-(const I &a, cuwarp_any b);
    cuwarp_any_half &first, &second;
};
struct cuwarp_any_half : cuwarp_any {};
#define CUWARP_ALGORITHM(name) template <typename... A> cuwarp_any name(A &&...a);
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
                                                                    CUWARP_ALGORITHM(distance)
                                                                        CUWARP_ALGORITHM(swap_ranges)
                                                                            CUWARP_ALGORITHM(uninitialized_fill)
#undef CUWARP_ALGORITHM
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
};
#define THRUST_STATIC_ASSERT(...) static_assert(__VA_ARGS__, "")
#define THRUST_VERSION 300000
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0
#define THRUST_SUBMINOR_VERSION 0
}
