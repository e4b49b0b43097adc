/* What drivers of kernels need: where and how large a launch is, random input from a seed, device memory, and the comparison
 * of what came out with what must. Nothing here knows what runs the kernels, a GPU or the emulation; what does defines, before
 * this file is included,
 *
 *   CUWARP_LAUNCH(kernel, grid, block, shared, ...)   launches and waits
 *   CUWARP_CALL(expression)                           calls host code that launches, and waits
 *   CUWARP_ALLOC(bytes)                               device memory, zeroed
 *   CUWARP_TO_DEVICE(device, host, bytes)
 *   CUWARP_TO_HOST(host, device, bytes)
 *   CUWARP_DATA_SEED()                                an unsigned number that chooses the input
 *   CUWARP_WRONG(text)                                the result is not what it must be
 *   CUWARP_COUNT(wrong, units, name)                  so many of so many units (blocks, launches) came out wrong
 */
#ifndef CUWARP_SHAPES_BASE_HPP
#define CUWARP_SHAPES_BASE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace cuwarp {

/* Where a thread is; `first` is the index of its warp's lane 0, and the warp has `lanes` lanes. */
struct place {
    int i, block, t, lane, first, lanes;
};

struct config {
    dim3 grid, block;
    int n; /* 0: the shape's own choice */
    std::size_t shared;

    int threads() const { return static_cast<int>(block.x * block.y * block.z); }
    int blocks() const { return static_cast<int>(grid.x * grid.y * grid.z); }
    int whole() const { return threads() * blocks(); }
    int count() const { return n ? n : whole() > 7 ? whole() - 7 : whole(); }
    int whole_count() const { return n ? n : whole(); }
    int warps_per_block() const { return (threads() + 31) / 32; }
    int warps() const { return warps_per_block() * blocks(); }

    place at(int i) const {
        int b = i / threads(), t = i % threads(), start = t / 32 * 32;
        return {i, b, t, t % 32, b * threads() + start, std::min(32, threads() - start)};
    }
    place warp_at(int w) const { return at(w / warps_per_block() * threads() + w % warps_per_block() * 32); }
};

/* --- input ------------------------------------------------------------------------------------------------------------ */

struct random_source { /* splitmix64, Vigna */
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
};

inline random_source source_of(unsigned stream) { return {CUWARP_DATA_SEED() * 1000003u + stream}; }

/* Small numbers, so that sums of floats are exact and a value used as an index stays near; a few are negative. */
template <typename T> T random_value(random_source &source) {
    std::uint64_t bits = source.next();
    if constexpr (std::is_same_v<T, bool>)
        return bits & 1;
    else if constexpr (std::is_unsigned_v<T>)
        return static_cast<T>(bits % 60);
    else
        return static_cast<T>(static_cast<int>(bits % 64) - 4);
}

template <typename T> std::vector<T> random_values(std::size_t n, unsigned stream) {
    random_source source = source_of(stream);
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; i++)
        v[i] = random_value<T>(source);
    return v;
}

/* Memory of the device, given back by what runs the kernels when the case is over. */
template <typename T> class device_buffer {
public:
    explicit device_buffer(const std::vector<T> &host)
        : size_(host.size()), at_(static_cast<T *>(CUWARP_ALLOC(host.size() * sizeof(T)))) {
        CUWARP_TO_DEVICE(at_, host.data(), size_ * sizeof(T));
    }
    T *get() const { return at_; }
    std::vector<T> read() const {
        std::vector<T> host(size_);
        CUWARP_TO_HOST(host.data(), at_, size_ * sizeof(T));
        return host;
    }

private:
    std::size_t size_;
    T *at_;
};

/* --- results ---------------------------------------------------------------------------------------------------------- */

template <typename T> using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

template <typename T> bool is_close(T got, wide<T> expected) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(static_cast<double>(got) - expected) <= 1e-4 * (1.0 + std::fabs(expected));
    else
        return got == static_cast<T>(expected);
}

/* Whose results lie where: `units` equal parts one behind the other (blocks), or all is one result (units == 1). */
struct counted {
    int units;
    const char *name;
};

inline counted by_launch() { return {1, "launches"}; }
inline counted by_block(const config &c) { return {c.blocks(), "blocks"}; }

template <typename T> std::string told(std::size_t i, T got, wide<T> expected) {
    using shown = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    return "element " + std::to_string(i) + " is " + std::to_string(static_cast<shown>(got)) + " instead of " +
           std::to_string(static_cast<shown>(static_cast<T>(expected)));
}

template <typename T> void expect(const std::vector<T> &got, const std::vector<wide<T>> &expected, counted how) {
    std::size_t units = static_cast<std::size_t>(how.units), per = (expected.size() + units - 1) / units;
    std::vector<char> wrong(units);
    bool first = true;
    for (std::size_t i = 0; i < expected.size(); i++) {
        if (is_close(got[i], expected[i]))
            continue;
        wrong[i / per] = 1;
        if (first)
            CUWARP_WRONG(told(i, got[i], expected[i]).c_str());
        first = false;
    }
    CUWARP_COUNT(static_cast<int>(std::count(wrong.begin(), wrong.end(), 1)), how.units, how.name);
}

constexpr int unwritten = 77;

/* --- kernels with one input and one output ------------------------------------------------------------------------------ */

/* The orders in which kernels take an input, an output and a count. */
template <typename K> struct unary;

#define CUWARP_UNARY(PARAMETERS, ARGUMENTS)                                                                                \
    template <typename I, typename O> struct unary<void(*) PARAMETERS> {                                                   \
        using in_type = I;                                                                                                 \
        using out_type = O;                                                                                                \
        static constexpr bool in_place = false;                                                                            \
        static void launch(void(*kernel) PARAMETERS, const config &c, I *in, O *out, int n) {                              \
            static_cast<void>(n);                                                                                          \
            CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, ARGUMENTS);                                                   \
        }                                                                                                                  \
    }
#define CUWARP_LIST(...) __VA_ARGS__
CUWARP_UNARY((const I *, O *, int), CUWARP_LIST(in, out, n));
CUWARP_UNARY((O *, const I *, int), CUWARP_LIST(out, in, n));
CUWARP_UNARY((O *, const I *, unsigned), CUWARP_LIST(out, in, static_cast<unsigned>(n)));
CUWARP_UNARY((const I *, O *), CUWARP_LIST(in, out));
CUWARP_UNARY((O *, const I *), CUWARP_LIST(out, in));
#undef CUWARP_UNARY
#undef CUWARP_LIST

template <typename T> struct unary<void (*)(T *)> {
    using in_type = T;
    using out_type = T;
    static constexpr bool in_place = true;
    static void launch(void (*kernel)(T *), const config &c, T *, T *data, int) {
        CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, data);
    }
};

template <typename T> struct unary<void (*)(T *, int)> {
    using in_type = T;
    using out_type = T;
    static constexpr bool in_place = true;
    static void launch(void (*kernel)(T *, int), const config &c, T *, T *data, int n) {
        CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, data, n);
    }
};

template <typename K> using in_of = typename unary<K>::in_type;
template <typename K> using out_of = typename unary<K>::out_type;

/* Launches the kernel on `in` with the count `n`; the output holds `before` and must become what `reference(in, expected)`
 * makes of it. A kernel that works in place starts from its input. */
template <typename K, typename F>
void run_on(K kernel, const config &c, const std::vector<in_of<K>> &in, int n, std::size_t out_size, int before, counted how,
            F reference) {
    using Out = out_of<K>;
    device_buffer<in_of<K>> from(in);
    std::vector<Out> start(out_size, static_cast<Out>(before));
    if constexpr (unary<K>::in_place)
        std::copy(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(out_size), start.begin());
    device_buffer<Out> to(start);
    unary<K>::launch(kernel, c, from.get(), to.get(), n);
    std::vector<wide<Out>> expected(start.begin(), start.end());
    reference(in, expected);
    expect(to.read(), expected, how);
}

template <typename K, typename F>
void run_in_out(K kernel, const config &c, int n, std::size_t out_size, int before, counted how, F reference) {
    run_on(kernel, c, random_values<in_of<K>>(static_cast<std::size_t>(std::max(n, c.whole())), 1), n, out_size, before, how,
           reference);
}

} // namespace cuwarp

#endif
