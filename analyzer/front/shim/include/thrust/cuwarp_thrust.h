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
    typedef typename std::remove_cv<T>::type value_type;
    typedef ptrdiff_t difference_type;
    typedef device_ptr pointer;
    typedef device_reference<T> reference;
    typedef std::random_access_iterator_tag iterator_category;
    T *cuwarp_pointer;
    __host__ __device__ device_ptr() : cuwarp_pointer(nullptr) {}
    template <typename U> __host__ __device__ explicit device_ptr(U *p) : cuwarp_pointer((T *)p) {}
    template <typename U> __host__ __device__ device_ptr(const device_ptr<U> &o) : cuwarp_pointer(o.cuwarp_pointer) {}
    __host__ __device__ T *get() const { return cuwarp_pointer; }
    __host__ device_reference<T> operator*() const;
    __host__ device_reference<T> operator[](ptrdiff_t i) const;
    __device__ T &operator*() const { return *cuwarp_pointer; }
    __device__ T &operator[](ptrdiff_t i) const { return cuwarp_pointer[i]; }
    __host__ __device__ device_ptr operator+(ptrdiff_t n) const { return device_ptr(cuwarp_pointer + n); }
    __host__ __device__ device_ptr operator-(ptrdiff_t n) const { return device_ptr(cuwarp_pointer - n); }
    __host__ __device__ ptrdiff_t operator-(device_ptr o) const { return cuwarp_pointer - o.cuwarp_pointer; }
    __host__ __device__ device_ptr &operator++() {
        ++cuwarp_pointer;
        return *this;
    }
    __host__ __device__ device_ptr operator++(int) { return device_ptr(cuwarp_pointer++); }
    __host__ __device__ device_ptr &operator--() {
        --cuwarp_pointer;
        return *this;
    }
    __host__ __device__ device_ptr &operator+=(ptrdiff_t n) {
        cuwarp_pointer += n;
        return *this;
    }
    __host__ __device__ device_ptr &operator-=(ptrdiff_t n) {
        cuwarp_pointer -= n;
        return *this;
    }
    __host__ __device__ bool operator==(device_ptr o) const { return cuwarp_pointer == o.cuwarp_pointer; }
    __host__ __device__ bool operator!=(device_ptr o) const { return cuwarp_pointer != o.cuwarp_pointer; }
    __host__ __device__ bool operator<(device_ptr o) const { return cuwarp_pointer < o.cuwarp_pointer; }
    __host__ __device__ bool operator>(device_ptr o) const { return cuwarp_pointer > o.cuwarp_pointer; }
    __host__ __device__ bool operator<=(device_ptr o) const { return cuwarp_pointer <= o.cuwarp_pointer; }
    __host__ __device__ bool operator>=(device_ptr o) const { return cuwarp_pointer >= o.cuwarp_pointer; }
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
template <typename T> struct device_malloc_allocator {
    typedef T value_type;
    typedef device_ptr<T> pointer;
    typedef device_ptr<const T> const_pointer;
    typedef size_t size_type;
    device_malloc_allocator();
    template <typename U> device_malloc_allocator(const device_malloc_allocator<U> &);
    pointer allocate(size_t n);
    void deallocate(pointer p, size_t n);
    template <typename U> struct rebind { typedef device_malloc_allocator<U> other; };
};
template <typename T> using device_allocator = device_malloc_allocator<T>;
template <typename T> void device_free(T p);
template <typename T> T &raw_reference_cast(device_reference<T> r);
template <typename T> __host__ __device__ constexpr T &raw_reference_cast(T &r) { return r; }
template <typename T> __host__ __device__ constexpr const T &raw_reference_cast(const T &r) { return r; }
#define CUWARP_STEPS(name, at)                                                                                         \
    __host__ __device__ name &operator+=(ptrdiff_t n) {                                                                \
        at += n;                                                                                                       \
        return *this;                                                                                                  \
    }                                                                                                                  \
    __host__ __device__ name &operator-=(ptrdiff_t n) {                                                                \
        at -= n;                                                                                                       \
        return *this;                                                                                                  \
    }                                                                                                                  \
    __host__ __device__ name &operator++() { return *this += 1; }                                                      \
    __host__ __device__ name &operator--() { return *this -= 1; }                                                      \
    __host__ __device__ name operator++(int) {                                                                         \
        name before = *this;                                                                                           \
        *this += 1;                                                                                                    \
        return before;                                                                                                 \
    }                                                                                                                  \
    __host__ __device__ name operator+(ptrdiff_t n) const {                                                            \
        name moved = *this;                                                                                            \
        moved += n;                                                                                                    \
        return moved;                                                                                                  \
    }                                                                                                                  \
    __host__ __device__ name operator-(ptrdiff_t n) const { return *this + -n; }                                       \
    __host__ __device__ ptrdiff_t operator-(const name &o) const { return at - o.at; }                                 \
    __host__ __device__ bool operator==(const name &o) const { return at == o.at; }                                    \
    __host__ __device__ bool operator!=(const name &o) const { return at != o.at; }                                    \
    __host__ __device__ bool operator<(const name &o) const { return at < o.at; }
template <typename T, typename... R> struct counting_iterator {
    typedef T value_type;
    typedef T reference;
    typedef const value_type *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    T cuwarp_at;
    __host__ __device__ counting_iterator(T v = T()) : cuwarp_at(v) {}
    __host__ __device__ T operator*() const { return cuwarp_at; }
    __host__ __device__ T operator[](ptrdiff_t n) const { return T(cuwarp_at + n); }
    CUWARP_STEPS(counting_iterator, cuwarp_at)
};
template <typename T> __host__ __device__ counting_iterator<T> make_counting_iterator(T v) {
    return counting_iterator<T>(v);
}
template <typename T> struct constant_iterator {
    typedef T value_type;
    typedef T reference;
    typedef const value_type *pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    T cuwarp_value;
    ptrdiff_t cuwarp_at;
    __host__ __device__ constant_iterator(T v, ptrdiff_t n = 0) : cuwarp_value(v), cuwarp_at(n) {}
    __host__ __device__ T operator*() const { return cuwarp_value; }
    __host__ __device__ T operator[](ptrdiff_t) const { return cuwarp_value; }
    CUWARP_STEPS(constant_iterator, cuwarp_at)
};
template <typename T> __host__ __device__ constant_iterator<T> make_constant_iterator(T v) {
    return constant_iterator<T>(v);
}
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
    typedef void pointer;
    typedef ptrdiff_t difference_type;
    typedef std::random_access_iterator_tag iterator_category;
    I cuwarp_at;
    F cuwarp_function;
    __host__ __device__ transform_iterator(I i, F f) : cuwarp_at(i), cuwarp_function(f) {}
    __host__ __device__ decltype(auto) operator*() const { return cuwarp_function(*cuwarp_at); }
    __host__ __device__ decltype(auto) operator[](ptrdiff_t n) const { return cuwarp_function(*(cuwarp_at + n)); }
    CUWARP_STEPS(transform_iterator, cuwarp_at)
};
#undef CUWARP_STEPS
template <typename I, typename F> __host__ __device__ transform_iterator<F, I> make_transform_iterator(I i, F f) {
    return transform_iterator<F, I>(i, f);
}
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
