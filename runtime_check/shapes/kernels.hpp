/* Shapes of single kernels of fixtures/, whose results fit no general one. */
#ifndef CUWARP_SHAPES_KERNELS_HPP
#define CUWARP_SHAPES_KERNELS_HPP

#include "shapes.hpp"

namespace cuwarp {

/* --- barriers ----------------------------------------------------------------------------------------------------------- */

/* data[t] = the mirrored element, but at most `top`. */
template <typename T> void run_clamp_mirror(void (*kernel)(T *, T), const config &c) {
    std::vector<T> in = random_values<T>(static_cast<std::size_t>(c.threads()), 1);
    const T top = T(20);
    device_buffer<T> data(in);
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, data.get(), top);
    std::vector<wide<T>> expected;
    for (std::size_t i = 0; i < in.size(); i++)
        expected.push_back(static_cast<wide<T>>(std::min(in[in.size() - 1 - i], top)));
    expect(data.read(), expected, by_launch());
}

/* Of a tile of a block's size for each of n rounds: out[t] = the sum of the t-th elements from the end. */
template <typename K> void run_mirrored_sums(K kernel, const config &c) {
    using T = in_of<K>;
    int block = c.threads();
    run_in_out(kernel, c, c.n * block, static_cast<std::size_t>(block), unwritten, by_launch(),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   for (int t = 0; t < block; t++) {
                       out[static_cast<std::size_t>(t)] = 0;
                       for (int tile = 0; tile < c.n; tile++)
                           out[static_cast<std::size_t>(t)] +=
                               static_cast<wide<T>>(in[static_cast<std::size_t>(tile * block + block - 1 - t)]);
                   }
               });
}

/* Twice each of n elements. */
template <typename K> void run_doubled(K kernel, const config &c) {
    run_each(kernel, c, c.count(), [](auto in, int i) { return 2 * in(i); });
}

/* The lower half learns whether all elements are there, the upper half whether any is. */
template <typename K> void run_votes_by_half(K kernel, const config &c) {
    std::vector<in_of<K>> in(static_cast<std::size_t>(c.threads()), 1);
    in[source_of(1).next() % in.size()] = 0;
    run_threads_on(kernel, c, in, [=](auto w, auto) { return w.p.t < c.threads() / 2 ? 0 : 1; });
}

/* Twice the own element. */
template <typename K> void run_twice(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return 2 * w.own(); });
}

/* Twice the element of the same place in the other half of the block. */
template <typename K> void run_other_half_doubled(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return 2 * w.at(w.p.i - w.p.t + (w.p.t ^ (c.threads() / 2))); });
}

/* The element of the same place in the other block of a pair. */
template <typename K> void run_partner_block(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        int block = (w.p.i - w.p.t) / c.threads();
        return w.at((block ^ 1) * c.threads() + w.p.t);
    });
}

/* The block turned round if its first element is positive. */
template <typename K> void run_mirror_if_first_positive(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        int first = w.p.i - w.p.t;
        return w.at(first) > 0 ? w.at(first + c.threads() - 1 - w.p.t) : w.own();
    });
}

/* n rows of elements: each that is positive becomes one less. */
inline void run_settle(void (*kernel)(int *, int), const config &c) {
    std::vector<int> in = random_values<int>(static_cast<std::size_t>(c.threads() * c.n), 1);
    device_buffer<int> data(in);
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, data.get(), c.n);
    std::vector<wide<int>> expected;
    for (int v : in)
        expected.push_back(v > 0 ? v - 1 : v);
    expect(data.read(), expected, by_launch());
}

/* The next element of the chunk of a block's size less the own one; behind the n-th there are zeros. */
template <typename K> void run_differences(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    run_in_out(kernel, c, n, static_cast<std::size_t>(n), unwritten, by_launch(),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   for (int i = 0; i < n; i++) {
                       int next = i / c.threads() * c.threads() + (i + 1) % c.threads();
                       out[static_cast<std::size_t>(i)] = (next < n ? static_cast<wide<T>>(in[static_cast<std::size_t>(next)]) : 0) -
                                                          static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
                   }
               });
}

/* Of each block the sum and the sum of squares. */
template <typename K> void run_moments(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    run_in_out(kernel, c, n, static_cast<std::size_t>(2 * c.blocks()), unwritten, by_block(c),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   std::fill(out.begin(), out.end(), wide<T>(0));
                   for (int i = 0; i < n; i++) {
                       std::size_t b = static_cast<std::size_t>(i / c.threads());
                       wide<T> v = static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
                       out[2 * b] += v;
                       out[2 * b + 1] += v * v;
                   }
               });
}

/* --- masks and groups ---------------------------------------------------------------------------------------------------- */

/* Eight rows: the sums of a warp's lanes, row after row, until the lane's own element is zero. */
template <typename K> void run_sums_until_zero(K kernel, const config &c) {
    using T = in_of<K>;
    std::vector<T> in = random_values<T>(static_cast<std::size_t>(8 * c.threads()), 1);
    for (std::size_t i = 0; i < in.size(); i++)
        in[i] = in[i] % 5 ? in[i] : T(0);
    run_on(kernel, c, in, 0, static_cast<std::size_t>(c.threads()), unwritten, by_launch(),
           [=](const std::vector<T> &values, std::vector<wide<T>> &out) {
               for (int t = 0; t < c.threads(); t++) {
                   place row = c.at(t);
                   wide<T> total = 0;
                   for (int k = 0; k < 8 && values[static_cast<std::size_t>(row.i)] != 0; k++) {
                       total += warp_view<T>{values, row}.sum();
                       row.i += c.threads();
                       row.first += c.threads();
                       if (k == 7)
                           break;
                   }
                   out[static_cast<std::size_t>(t)] = total;
               }
           });
}

/* Lanes below 16 add their neighbour's element to their own. */
template <typename K> void run_low_lanes_add_next(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.p.lane < 16 ? w.own() + w.lane(w.p.lane + 1) : w.own(); });
}

/* Lanes below 24 store their rank in a tile of n. */
template <typename T> void run_tile_rank_of_24(void (*kernel)(T *), const config &c) {
    run_without_input(kernel, c, [=](int t) { return t % 32 < 24 ? t % c.n : unwritten; });
}

/* How many lanes of the warp have the same key; lanes with a negative one store nothing. */
template <typename K> void run_equal_keys(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto before) {
        auto own = w.own();
        return own >= 0 ? static_cast<decltype(before)>(w.count([=](auto v) { return v == own; })) : before;
    });
}

/* Lanes with something positive: what the first such lane has; the others: what lane 0 has. */
template <typename K> void run_first_of_own_sign(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) {
        int leader = 0;
        for (int l = w.p.lanes - 1; l >= 0 && w.own() > 0; l--)
            leader = w.lane(l) > 0 ? l : leader;
        return w.lane(leader);
    });
}

/* out[0] += 16 for each lane below 16; out[t + 1] = who is positive, among the lower half for those of it, else in the warp. */
template <typename K> void run_ballot_of_group(K kernel, const config &c) {
    using T = in_of<K>;
    run_on(kernel, c, random_values<T>(static_cast<std::size_t>(c.threads()), 1), 0, static_cast<std::size_t>(c.threads()) + 1, 0,
           by_launch(), [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
               for (int t = 0; t < c.threads(); t++) {
                   warp_view<T> w{in, c.at(t)};
                   std::uint32_t all = 0;
                   for (int l = 0; l < w.p.lanes; l++)
                       all |= w.lane(l) > 0 ? 1u << l : 0u;
                   out[0] += w.p.lane < 16 ? 16 : 0;
                   out[static_cast<std::size_t>(t) + 1] = w.p.lane < 16 ? all & 0xffffu : all;
               }
           });
}

/* Rows of 32: eight times four values become four times eight. */
template <typename K> void run_rows_regrouped(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.lane(w.p.lane % 4 * 8 + w.p.lane / 4); });
}

/* out[t] = the squared length of what the lane across the eighth has: the parts come on two ways. */
inline void run_butterfly_norm(void (*kernel)(float *, const float *, const float *), const config &c) {
    std::vector<float> re = random_values<float>(static_cast<std::size_t>(c.whole()), 1), im = random_values<float>(re.size(), 2);
    device_buffer<float> real(re), imaginary(im), out(std::vector<float>(re.size(), unwritten));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, out.get(), real.get(), imaginary.get());
    std::vector<double> expected;
    for (std::size_t i = 0; i < re.size(); i++) {
        double a = static_cast<double>(re[i ^ 8]), b = static_cast<double>(im[i ^ 8]);
        expected.push_back(a * a + b * b);
    }
    expect(out.read(), expected, by_block(c));
}

/* --- host functions, which launch by themselves ---------------------------------------------------------------------------- */

/* x[i] = 2 x[i] + 1 */
inline void run_doubled_plus_one(void (*function)(int *, int), const config &c) {
    std::vector<int> in = random_values<int>(static_cast<std::size_t>(c.whole()), 1);
    device_buffer<int> data(in);
    CUWARP_CALL(function(data.get(), c.whole()));
    std::vector<wide<int>> expected;
    for (int v : in)
        expected.push_back(2 * v + 1);
    expect(data.read(), expected, by_block(c));
}

/* *out = the sum; `part` is scratch. */
inline void run_sum_of_all(void (*function)(int *, int *, const int *), const config &c) {
    std::vector<int> in = random_values<int>(static_cast<std::size_t>(c.whole()), 1);
    device_buffer<int> from(in), part(std::vector<int>(in.size())), out(std::vector<int>(1));
    CUWARP_CALL(function(out.get(), part.get(), from.get()));
    wide<int> sum = 0;
    for (int v : in)
        sum += v;
    expect(out.read(), {sum}, by_launch());
}

/* The host function returns the sum of n elements. */
inline void run_returned_sum(float (*function)(const float *, int), const config &c) {
    std::vector<float> in = random_values<float>(static_cast<std::size_t>(c.n), 1);
    device_buffer<float> from(in);
    float got = 0;
    CUWARP_CALL(got = function(from.get(), c.n));
    double sum = 0;
    for (float v : in)
        sum += static_cast<double>(v);
    expect(std::vector<float>{got}, {sum}, by_launch());
}

/* --- seeds ------------------------------------------------------------------------------------------------------------------ */

/* The sums of the blocks add up to the sum of n elements, however they share them. */
template <typename K> void run_partial_sums(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    std::vector<T> in = random_values<T>(static_cast<std::size_t>(std::max(n, c.whole())), 1);
    device_buffer<T> from(in), to(std::vector<T>(static_cast<std::size_t>(c.blocks())));
    unary<K>::launch(kernel, c, from.get(), to.get(), n);
    wide<T> got = 0, sum = 0;
    for (T v : to.read())
        got += static_cast<wide<T>>(v);
    for (int i = 0; i < n; i++)
        sum += static_cast<wide<T>>(in[static_cast<std::size_t>(i)]);
    expect(std::vector<T>{static_cast<T>(got)}, {sum}, by_launch());
}

/* One launch per step of a sum in device memory: x[i] += x[i + stride]. A step is checked, with the stride n. */
inline void run_strided_step(void (*kernel)(float *, const float *, int, int), const config &c) {
    std::vector<float> in = random_values<float>(static_cast<std::size_t>(c.whole()), 1), before = random_values<float>(in.size(), 2);
    device_buffer<float> from(in), to(before);
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, to.get(), from.get(), c.n, c.whole());
    std::vector<double> expected(before.begin(), before.end());
    for (int i = 0; i + c.n < c.whole(); i++)
        expected[static_cast<std::size_t>(i)] += static_cast<double>(in[static_cast<std::size_t>(i + c.n)]);
    expect(to.read(), expected, by_block(c));
}

/* 100 elements for three blocks of ten threads. */
inline void run_hundred_by_thirty(void (*kernel)(const int *, int *), const config &c) {
    std::vector<int> in = random_values<int>(100, 1);
    device_buffer<int> from(in), to(std::vector<int>(3));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, from.get(), to.get());
    std::vector<wide<int>> expected(3);
    for (std::size_t i = 0; i < 100; i++)
        expected[i % 30 / 10] += in[i];
    expect(to.read(), expected, by_block(c));
}

/* Four functions, one per warp of the block or one per lane; what has none stays as it is. */
template <typename K> void run_four_functions(K kernel, const config &c, bool by_lane) {
    run_threads(kernel, c, [=](auto w, auto) {
        auto v = w.own();
        switch (by_lane ? w.p.lane : w.p.t / 32) {
        case 0: return v + 1;
        case 1: return v * 2;
        case 2: return v - 3;
        case 3: return v * v;
        default: return v;
        }
    });
}

template <typename K> void run_four_by_warp(K kernel, const config &c) { run_four_functions(kernel, c, false); }

template <typename K> void run_four_by_lane(K kernel, const config &c) { run_four_functions(kernel, c, true); }

/* slots: places within sixteen buckets, each taken once; counters: how many there are in each. */
inline void run_buckets(void (*kernel)(int *, int *, const int *, int), const config &c) {
    int n = c.count();
    std::vector<int> in = random_values<int>(static_cast<std::size_t>(std::max(n, c.whole())), 1);
    device_buffer<int> keys(in), slots(std::vector<int>(in.size(), -1)), counters(std::vector<int>(16));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, slots.get(), counters.get(), keys.get(), n);
    std::vector<int> got = slots.read(), places[16];
    std::vector<wide<int>> expected;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); i++)
        places[in[i] & 15].push_back(got[i]);
    got = counters.read();
    for (std::vector<int> &bucket : places) {
        std::sort(bucket.begin(), bucket.end());
        expected.push_back(static_cast<wide<int>>(bucket.size()));
    }
    for (const std::vector<int> &bucket : places)
        for (std::size_t k = 0; k < bucket.size(); k++) {
            got.push_back(bucket[k]);
            expected.push_back(static_cast<wide<int>>(k));
        }
    expect(got, expected, by_launch());
}

/* The table of a tour of the warp primitives: for each of sixteen lanes what each primitive gives. */
inline void run_primitives_table(void (*kernel)(int *), const config &c) {
    device_buffer<int> table(std::vector<int>(16 * 8, -unwritten));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, table.get());
    std::vector<wide<int>> expected;
    for (int me = 0; me < 16; me++) {
        int segment = me / 8 * 8;
        const int row[] = {0xfffe, 1, 0, 1, segment + 2, me % 8 ? me - 1 : me, me % 8 == 7 ? me : me + 1, me ^ 1};
        expected.insert(expected.end(), row, row + 8);
    }
    expect(table.read(), expected, by_launch());
}

/* --- locks ------------------------------------------------------------------------------------------------------------------- */

/* out[t] = in[t], added to nothing, one thread after the other. */
template <typename K> void run_add_own(K kernel, const config &c) {
    using T = in_of<K>;
    run_in_out(kernel, c, c.threads(), static_cast<std::size_t>(c.threads()), 0, by_launch(),
               [](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   for (std::size_t i = 0; i < out.size(); i++)
                       out[i] = static_cast<wide<T>>(in[i]);
               });
}

} // namespace cuwarp

#endif
