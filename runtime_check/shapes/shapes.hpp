/* Drivers for kernels, by the shape of what they compute: `cuwarp-run: SHAPE KERNEL …` of a fixture and the registry of
 * runtime_check name them, run_SHAPE() (with _ for -) is one. Each makes input, launches, and compares with what a correct
 * kernel computes, summed up wider than the kernel does. */
#ifndef CUWARP_SHAPES_HPP
#define CUWARP_SHAPES_HPP

#include "base.hpp"
#include "warps.hpp"

namespace cuwarp {

/* out[g] = sum of the g-th `group` elements, as far as there are n. */
template <typename K> void run_group_reduce(K kernel, const config &c, int group) {
    using T = in_of<K>;
    int n = c.count();
    std::size_t groups = static_cast<std::size_t>((n + group - 1) / group);
    run_in_out(kernel, c, n, groups, unwritten, by_block(c), [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
        for (std::size_t g = 0; g < groups; g++) {
            out[g] = 0;
            for (int i = static_cast<int>(g) * group; i < std::min(n, static_cast<int>(g + 1) * group); i++)
                out[g] += static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
        }
    });
}

template <typename K> void run_block_reduce(K kernel, const config &c) { run_group_reduce(kernel, c, c.threads()); }

template <typename K> void run_warp_reduce(K kernel, const config &c) { run_group_reduce(kernel, c, 32); }

/* *out += the sum of n elements. */
template <typename K> void run_grid_reduce(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    run_in_out(kernel, c, n, 1, 0, by_launch(), [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
        for (int i = 0; i < n; i++)
            out[0] += static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
    });
}

template <typename K> void run_scan(K kernel, const config &c, bool inclusive) {
    using T = in_of<K>;
    int n = c.count(), block = c.threads();
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, by_block(c),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
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

template <typename K> void run_block_scan(K kernel, const config &c) { run_scan(kernel, c, true); }

template <typename K> void run_block_exscan(K kernel, const config &c) { run_scan(kernel, c, false); }

/* out[i] = f(in, i), for shapes whose elements do not depend on each other. */
template <typename K, typename F> void run_each(K kernel, const config &c, int n, F element) {
    using T = in_of<K>;
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, by_block(c),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   auto value = [&](int i) {
                       return i < 0 || i >= n ? wide<T>(0) : static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
                   };
                   for (int i = 0; i < n; i++)
                       out[static_cast<std::size_t>(i)] = element(value, i);
               });
}

template <typename K> void run_reverse(K kernel, const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.whole_count(), [=](auto in, int i) { return in(i / block * block + block - 1 - i % block); });
}

template <typename K> void run_stencil3(K kernel, const config &c) {
    run_each(kernel, c, c.count(), [](auto in, int i) { return in(i - 1) + in(i) + in(i + 1); });
}

template <typename K> void run_rotate(K kernel, const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.whole_count(), [=](auto in, int i) { return in(i / block * block + (i % block + 1) % block); });
}

template <typename K> void run_broadcast(K kernel, const config &c) {
    int block = c.threads();
    run_each(kernel, c, c.count(), [=](auto in, int i) { return in(i) + in(i / block * block); });
}

template <typename K> void run_copy(K kernel, const config &c) {
    run_each(kernel, c, c.count(), [](auto in, int i) { return in(i); });
}

template <typename K> void run_histogram(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    run_in_out(kernel, c, n, 256, 0, by_launch(), [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
        for (int i = 0; i < n; i++)
            out[static_cast<std::size_t>(static_cast<int>(in[static_cast<std::size_t>(i)]) & 255)]++;
    });
}

template <typename K> void run_sort(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.whole_count(), block = c.threads();
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, by_block(c),
               [=](std::vector<T> in, std::vector<wide<T>> &out) {
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

template <typename K> void run_transpose(K kernel, const config &c) {
    using T = in_of<K>;
    int width = c.n ? c.n : static_cast<int>(2 * c.block.x);
    std::size_t w = static_cast<std::size_t>(width);
    run_on(kernel, over_matrix(c, width), random_values<T>(w * w, 1), width, w * w, unwritten, by_launch(),
           [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
               for (std::size_t y = 0; y < w; y++)
                   for (std::size_t x = 0; x < w; x++)
                       out[x * w + y] = static_cast<wide<T>>(in[y * w + x]);
           });
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
    expect(to.read(), expected, by_launch());
}

/* kept (in any order) and how many: what is positive among the first n. */
template <typename T> void run_filter(void (*kernel)(T *, int *, const T *, int), const config &c) {
    int n = c.count();
    std::vector<T> in = random_values<T>(static_cast<std::size_t>(std::max(n, c.whole())), 1), sorted;
    std::copy_if(in.begin(), in.begin() + n, std::back_inserter(sorted), [](T v) { return v > T(0); });
    device_buffer<T> from(in), kept(std::vector<T>(in.size(), T(-unwritten)));
    device_buffer<int> count(std::vector<int>(1));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, kept.get(), count.get(), from.get(), n);
    std::vector<T> got = kept.read();
    std::sort(sorted.begin(), sorted.end());
    std::sort(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(sorted.size()));
    std::vector<wide<T>> expected(sorted.begin(), sorted.end());
    got.push_back(static_cast<T>(count.read()[0]));
    std::swap(got[sorted.size()], got.back());
    expected.push_back(static_cast<wide<T>>(static_cast<T>(sorted.size())));
    expect(got, expected, by_launch());
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
