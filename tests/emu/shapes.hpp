/* Drivers for fixtures, by the shape of the kernel: random input from a seed, the launch, and what a correct kernel
 * computes, summed up wider than the kernel does. What runs the kernel defines, before this file is included,
 *
 *   CUWARP_LAUNCH(kernel, grid, block, shared, ...)   launches and waits
 *   CUWARP_ALLOC(bytes)                               device memory, zeroed
 *   CUWARP_TO_DEVICE(device, host, bytes)
 *   CUWARP_TO_HOST(host, device, bytes)
 *   CUWARP_DATA_SEED()                                an unsigned number that chooses the input
 *   CUWARP_WRONG(text)                                the result is not what it must be
 */
#ifndef CUWARP_SHAPES_HPP
#define CUWARP_SHAPES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace cuwarp {

struct config {
    dim3 grid, block;
    int n; /* 0: the shape's own choice */
    std::size_t shared;

    int threads() const { return static_cast<int>(block.x * block.y * block.z); }
    int blocks() const { return static_cast<int>(grid.x * grid.y * grid.z); }
    int whole() const { return threads() * blocks(); }
    int count() const { return n ? n : whole() > 7 ? whole() - 7 : whole(); }
    int whole_count() const { return n ? n : whole(); }
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
    random_source source = {CUWARP_DATA_SEED() * 1000003u + stream};
    std::vector<T> v(n);
    for (std::size_t i = 0; i < n; i++)
        v[i] = random_value<T>(source);
    return v;
}

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

template <typename T> using wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

template <typename T> bool is_close(T got, wide<T> expected) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(static_cast<double>(got) - expected) <= 1e-4 * (1.0 + std::fabs(expected));
    else
        return got == static_cast<T>(expected);
}

template <typename T> void expect(const std::vector<T> &got, const std::vector<wide<T>> &expected) {
    for (std::size_t i = 0; i < expected.size(); i++)
        if (!is_close(got[i], expected[i])) {
            CUWARP_WRONG(("element " + std::to_string(i) + " is " + std::to_string(got[i]) + " instead of " +
                          std::to_string(std::is_floating_point_v<T> ? static_cast<double>(expected[i])
                                                                    : static_cast<double>(static_cast<T>(expected[i]))))
                             .c_str());
            return;
        }
}

constexpr int unwritten = 77;

/* Launches `kernel(in, out, n)`; what `reference` makes of the input must come out. */
template <typename In, typename Out, typename F>
void run_in_out(void (*kernel)(const In *, Out *, int), const config &c, int n, std::size_t out_size, int out_before,
                F reference) {
    std::vector<In> in = random_values<In>(static_cast<std::size_t>(std::max(n, c.whole())), 1);
    device_buffer<In> from(in);
    device_buffer<Out> to(std::vector<Out>(out_size, static_cast<Out>(out_before)));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, from.get(), to.get(), n);
    std::vector<wide<Out>> expected(out_size, static_cast<wide<Out>>(static_cast<Out>(out_before)));
    reference(in, expected);
    expect(to.read(), expected);
}

/* --- shapes ----------------------------------------------------------------------------------------------------------- */

/* out[g] = sum of the g-th `group` elements, as far as there are n. */
template <typename T> void run_group_reduce(void (*kernel)(const T *, T *, int), const config &c, int group) {
    int n = c.count();
    std::size_t groups = static_cast<std::size_t>((n + group - 1) / group);
    run_in_out(kernel, c, n, groups, unwritten, [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
        for (std::size_t g = 0; g < groups; g++) {
            out[g] = 0;
            for (int i = static_cast<int>(g) * group; i < std::min(n, static_cast<int>(g + 1) * group); i++)
                out[g] += static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
        }
    });
}

template <typename T> void run_block_reduce(void (*kernel)(const T *, T *, int), const config &c) {
    run_group_reduce(kernel, c, c.threads());
}

template <typename T> void run_warp_reduce(void (*kernel)(const T *, T *, int), const config &c) {
    run_group_reduce(kernel, c, 32);
}

template <typename T> void run_grid_reduce(void (*kernel)(const T *, T *, int), const config &c) {
    int n = c.count();
    run_in_out(kernel, c, n, 1, 0, [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
        for (int i = 0; i < n; i++)
            out[0] += static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
    });
}

template <typename T> void run_scan(void (*kernel)(const T *, T *, int), const config &c, bool inclusive) {
    int n = c.count(), block = c.threads();
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
        wide<T> sum = 0;
        for (int i = 0; i < n; i++) {
            std::size_t at = static_cast<std::size_t>(i);
            if (i % block == 0)
                sum = 0;
            out[at] = inclusive ? sum + static_cast<wide<T>>(in[at]) : sum;
            sum += static_cast<wide<T>>(in[at]);
        }
    });
}

template <typename T> void run_block_scan(void (*kernel)(const T *, T *, int), const config &c) { run_scan(kernel, c, true); }

template <typename T> void run_block_exscan(void (*kernel)(const T *, T *, int), const config &c) {
    run_scan(kernel, c, false);
}

/* out[i] = f(in, i), for shapes whose elements do not depend on each other. */
template <typename T, typename F>
void run_each(void (*kernel)(const T *, T *, int), const config &c, int n, F element) {
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
        auto value = [&](int i) {
            return i < 0 || i >= n ? wide<T>(0) : static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
        };
        for (int i = 0; i < n; i++)
            out[static_cast<std::size_t>(i)] = element(value, i);
    });
}

template <typename T> void run_reverse(void (*kernel)(const T *, T *, int), const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.whole_count(), [=](auto in, int i) { return in(i / block * block + block - 1 - i % block); });
}

template <typename T> void run_stencil3(void (*kernel)(const T *, T *, int), const config &c) {
    run_each(kernel, c, c.count(), [](auto in, int i) { return in(i - 1) + in(i) + in(i + 1); });
}

template <typename T> void run_rotate(void (*kernel)(const T *, T *, int), const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.whole_count(), [=](auto in, int i) { return in(i / block * block + (i % block + 1) % block); });
}

template <typename T> void run_broadcast(void (*kernel)(const T *, T *, int), const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.count(), [=](auto in, int i) { return in(i) + in(i / block * block); });
}

template <typename T> void run_copy(void (*kernel)(const T *, T *, int), const config &c) {
    run_each(kernel, c, c.count(), [](auto in, int i) { return in(i); });
}

template <typename T> void run_histogram(void (*kernel)(const T *, unsigned *, int), const config &c) {
    int n = c.count();
    run_in_out(kernel, c, n, 256, 0, [=](const std::vector<T> &in, std::vector<wide<unsigned>> &out) {
        for (int i = 0; i < n; i++)
            out[static_cast<std::size_t>(static_cast<int>(in[static_cast<std::size_t>(i)]) & 255)]++;
    });
}

template <typename T> void run_sort(void (*kernel)(const T *, T *, int), const config &c) {
    int n = c.whole_count(), block = c.threads();
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, [=](std::vector<T> in, std::vector<wide<T>> &out) {
        for (int first = 0; first < n; first += block)
            std::sort(in.begin() + first, in.begin() + std::min(first + block, n));
        for (int i = 0; i < n; i++)
            out[static_cast<std::size_t>(i)] = static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
    });
}

/* Square matrices: blocks cover tiles of block.x by block.x elements. */
inline config over_matrix(config c, int width) {
    unsigned tiles = (static_cast<unsigned>(width) + c.block.x - 1) / c.block.x;
    c.grid = dim3(tiles, tiles);
    return c;
}

template <typename T> void run_transpose(void (*kernel)(const T *, T *, int), const config &c) {
    int width = c.n ? c.n : static_cast<int>(2 * c.block.x);
    std::size_t w = static_cast<std::size_t>(width);
    std::vector<T> in = random_values<T>(w * w, 1);
    device_buffer<T> from(in), to(std::vector<T>(w * w, static_cast<T>(unwritten)));
    config over = over_matrix(c, width);
    CUWARP_LAUNCH(kernel, over.grid, over.block, over.shared, from.get(), to.get(), width);
    std::vector<wide<T>> expected(w * w);
    for (std::size_t y = 0; y < w; y++)
        for (std::size_t x = 0; x < w; x++)
            expected[x * w + y] = static_cast<wide<T>>(in[y * w + x]);
    expect(to.read(), expected);
}

template <typename T> void run_matmul(void (*kernel)(const T *, const T *, T *, int), const config &c) {
    int width = c.n ? c.n : static_cast<int>(2 * c.block.x);
    std::size_t w = static_cast<std::size_t>(width);
    std::vector<T> a = random_values<T>(w * w, 1), b = random_values<T>(w * w, 2);
    device_buffer<T> first(a), second(b), to(std::vector<T>(w * w, static_cast<T>(unwritten)));
    config over = over_matrix(c, width);
    CUWARP_LAUNCH(kernel, over.grid, over.block, over.shared, first.get(), second.get(), to.get(), width);
    std::vector<wide<T>> expected(w * w);
    for (std::size_t y = 0; y < w; y++)
        for (std::size_t x = 0; x < w; x++)
            for (std::size_t k = 0; k < w; k++)
                expected[y * w + x] += static_cast<wide<T>>(a[y * w + k]) * static_cast<wide<T>>(b[k * w + x]);
    expect(to.read(), expected);
}

/* --- any signature ---------------------------------------------------------------------------------------------------- */

constexpr std::size_t any_elements = 65536;

/* What a kernel may change begins with nothing negative: that may be a counter. Structures are filled as if they were
 * numbers of four bytes. */
template <typename T> std::vector<T> any_values(unsigned stream, bool constant) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
        std::vector<T> values = random_values<T>(any_elements, stream);
        for (std::size_t i = 0; i < 16 && !constant; i++)
            values[i] = values[i] < T(0) ? T(0) : values[i];
        return values;
    } else {
        std::vector<T> values(any_elements);
        std::vector<int> words = random_values<int>(any_elements * sizeof(T) / sizeof(int), stream);
        if constexpr (std::is_trivially_copyable_v<T>)
            std::copy(words.begin(), words.end(), reinterpret_cast<int *>(values.data()));
        return values;
    }
}

inline std::vector<unsigned char> any_bools(unsigned stream) {
    std::vector<unsigned char> values = random_values<unsigned char>(any_elements, stream);
    for (unsigned char &v : values)
        v &= 1;
    return values;
}

template <typename A> std::remove_cv_t<A> any_argument(const config &c, unsigned stream) {
    if constexpr (std::is_pointer_v<A>) {
        using T = std::remove_cv_t<std::remove_pointer_t<A>>;
        constexpr bool constant = std::is_const_v<std::remove_pointer_t<A>>;
        if constexpr (std::is_void_v<T>)
            return device_buffer<int>(any_values<int>(stream, constant)).get();
        else if constexpr (std::is_same_v<T, bool>)
            return reinterpret_cast<bool *>(device_buffer<unsigned char>(any_bools(stream)).get());
        else
            return device_buffer<T>(any_values<T>(stream, constant)).get();
    } else if constexpr (std::is_same_v<A, bool>) {
        return true;
    } else if constexpr (std::is_integral_v<A>) {
        return static_cast<A>(c.count());
    } else if constexpr (std::is_floating_point_v<A>) {
        return static_cast<A>(0.5);
    } else {
        return A();
    }
}

/* The kernel's parameters by their types; nothing is known about its result. */
template <typename... A> void run_any(void (*kernel)(A...), const config &c) {
    unsigned stream = 0;
    std::tuple<std::remove_cv_t<A>...> arguments{any_argument<A>(c, ++stream)...};
    std::apply([&](auto... a) { CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, a...); }, arguments);
}

} // namespace cuwarp

#endif
