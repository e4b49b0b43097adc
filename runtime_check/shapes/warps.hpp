/* Shapes whose results are made by warps: what a lane gets, what a warp or block stores, in terms of the lanes' inputs. */
#ifndef CUWARP_SHAPES_WARPS_HPP
#define CUWARP_SHAPES_WARPS_HPP

#include "base.hpp"

namespace cuwarp {

/* The input as one thread's warp sees it. */
template <typename T> struct warp_view {
    const std::vector<T> &in;
    place p;

    wide<T> at(int i) const { return static_cast<wide<T>>(in[static_cast<std::size_t>(i)]); }
    wide<T> own() const { return at(p.i); }
    wide<T> lane(int l) const { return at(p.first + l); }
    wide<T> sum(int from, int to) const {
        wide<T> total = 0;
        for (int l = from; l < to; l++)
            total += lane(l);
        return total;
    }
    wide<T> sum() const { return sum(0, p.lanes); }
    template <typename P> int count(P holds, int from = 0, int to = 32) const {
        int n = 0;
        for (int l = from; l < std::min(to, p.lanes); l++)
            n += holds(lane(l)) ? 1 : 0;
        return n;
    }
    bool any(bool (*holds)(wide<T>)) const { return count(holds) > 0; }
    wide<T> least() const {
        wide<T> found = lane(0);
        for (int l = 1; l < p.lanes; l++)
            found = std::min(found, lane(l));
        return found;
    }
    wide<T> most() const {
        wide<T> found = lane(0);
        for (int l = 1; l < p.lanes; l++)
            found = std::max(found, lane(l));
        return found;
    }
};

template <typename T> bool is_positive(wide<T> v) { return v > 0; }
template <typename T> bool is_negative(wide<T> v) { return v < 0; }

/* out[i] = f(view, before) for every thread; `before` is what the output held. */
template <typename K, typename F>
void run_threads_on(K kernel, const config &c, const std::vector<in_of<K>> &input, F f) {
    using T = in_of<K>;
    int n = c.whole();
    run_on(kernel, c, input, c.count(), static_cast<std::size_t>(n), unwritten, by_block(c),
           [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
               for (int i = 0; i < n; i++)
                   out[static_cast<std::size_t>(i)] =
                       static_cast<wide<out_of<K>>>(f(warp_view<T>{in, c.at(i)}, out[static_cast<std::size_t>(i)]));
           });
}

template <typename K, typename F> void run_threads(K kernel, const config &c, F f) {
    run_threads_on(kernel, c, random_values<in_of<K>>(static_cast<std::size_t>(c.whole()), 1), f);
}

/* out[w] = f(view of the warp's lane 0, before) for every warp. */
template <typename K, typename F> void run_warps(K kernel, const config &c, F f) {
    using T = in_of<K>;
    std::size_t warps = static_cast<std::size_t>(c.warps());
    run_in_out(kernel, c, c.whole(), warps, unwritten, by_block(c),
               [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
                   for (std::size_t w = 0; w < warps; w++)
                       out[w] = static_cast<wide<out_of<K>>>(f(warp_view<T>{in, c.warp_at(static_cast<int>(w))}, out[w]));
               });
}

/* *out += f(view) of every thread. */
template <typename K, typename F> void run_total_on(K kernel, const config &c, const std::vector<in_of<K>> &input, F f) {
    using T = in_of<K>;
    run_on(kernel, c, input, c.whole(), 1, 0, by_launch(),
           [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
               for (int i = 0; i < c.whole(); i++)
                   out[0] += static_cast<wide<out_of<K>>>(f(warp_view<T>{in, c.at(i)}));
           });
}

template <typename K, typename F> void run_total(K kernel, const config &c, F f) {
    run_total_on(kernel, c, random_values<in_of<K>>(static_cast<std::size_t>(c.whole()), 1), f);
}

/* --- what a lane gets ------------------------------------------------------------------------------------------------- */

/* Every lane: the sum of its warp's lanes. */
template <typename K> void run_warp_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.sum(); });
}

/* Every lane: the sum of its own half of the warp. */
template <typename K> void run_half_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.sum(w.p.lane / 16 * 16, w.p.lane / 16 * 16 + 16); });
}

/* Lanes below 16: the sum of their half; the others: that of the warp. */
template <typename K> void run_nested_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.p.lane < 16 ? w.sum(0, 16) : w.sum(); });
}

/* Lanes below 16: the sum of the warp; the others store nothing. */
template <typename K> void run_low_lanes_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto before) { return w.p.lane < 16 ? w.sum() : before; });
}

/* Lanes 0 to 4: the larger of their own value and that of the lane two further on, if it is one of the five. */
template <typename K> void run_five_lane_maximum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto before) {
        if (w.p.lane > 4)
            return before;
        return w.p.lane + 2 > 4 ? w.own() : std::max(w.own(), w.lane(w.p.lane + 2));
    });
}

/* Lanes below 8: the smallest of the warp; the others store nothing. */
template <typename K> void run_low_lanes_least(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto before) { return w.p.lane < 8 ? w.least() : before; });
}

/* Every lane: the value of lane n of its warp. */
template <typename K> void run_lane_broadcast(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.lane(c.n); });
}

/* Every lane: its value less that of lane n. */
template <typename K> void run_minus_lane(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.own() - w.lane(c.n); });
}

/* Every lane: the value of the lane whose number differs in the bits of n. */
template <typename K> void run_lane_xor(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.lane(w.p.lane ^ c.n); });
}

/* Every thread: the value of the first of its n neighbours, counted through the block. */
template <typename K> void run_first_of_group(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.at(w.p.block * c.threads() + w.p.t / c.n * c.n); });
}

/* Every thread: the value of the thread n places further on in its block, or its own at the end. */
template <typename K> void run_block_shift(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.p.t + c.n < c.threads() ? w.at(w.p.i + c.n) : w.own(); });
}

/* Every thread: the value of thread t - n, counted round the block. */
template <typename K> void run_block_mirror_part(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto before) { return w.p.t < c.n ? w.at(w.p.i - w.p.t + c.threads() - 1 - w.p.t) : before; });
}

/* Every thread: the value of the block's last thread. */
template <typename K> void run_last_of_block(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.at(w.p.i - w.p.t + c.threads() - 1); });
}

/* Every thread: the value of the block's first thread. */
template <typename K> void run_first_of_block(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) { return w.at(w.p.i - w.p.t); });
}

/* The lanes of whole warps in opposite order. */
template <typename K> void run_lane_mirror(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.lane(31 - w.p.lane); });
}

/* One lane in four asks its neighbour, and gets the neighbour's value and the neighbour's number among four. */
template <typename K> void run_neighbour_plus_place(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.lane(w.p.lane ^ 1) + (w.p.lane ^ 1) % 4; });
}

/* Every lane: the sum of the lanes below it. */
template <typename K> void run_lanes_below_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) { return w.sum(0, w.p.lane); });
}

/* Every lane but the first: how many lanes below it have something positive. */
template <typename K> void run_positive_below(K kernel, const config &c) {
    using T = in_of<K>;
    run_threads(kernel, c, [](auto w, auto before) {
        return w.p.lane ? wide<T>(w.count(is_positive<T>, 0, w.p.lane)) : before;
    });
}

/* Every lane: how many of the eight lanes from itself on have something positive. */
template <typename K> void run_positive_window(K kernel, const config &c) {
    using T = in_of<K>;
    run_threads(kernel, c, [](auto w, auto) { return w.count(is_positive<T>, w.p.lane, w.p.lane + 8); });
}

/* Every lane: the sum of what is positive in its warp. */
template <typename K> void run_positive_sum(K kernel, const config &c) {
    run_threads(kernel, c, [](auto w, auto) {
        auto total = w.own() - w.own();
        for (int l = 0; l < w.p.lanes; l++)
            total += w.lane(l) > 0 ? w.lane(l) : 0;
        return total;
    });
}

/* One lane of a warp, chosen anew, has something negative; every lane learns that there is one. */
template <typename T> std::vector<T> one_negative_per_warp(const config &c) {
    std::vector<T> in(static_cast<std::size_t>(c.whole()), T(1));
    random_source source = source_of(1);
    for (int w = 0; w < c.warps(); w++) {
        place p = c.warp_at(w);
        in[static_cast<std::size_t>(p.first) + source.next() % static_cast<unsigned>(p.lanes)] = T(-1);
    }
    return in;
}

template <typename K> void run_any_negative(K kernel, const config &c) {
    using T = in_of<K>;
    run_threads_on(kernel, c, one_negative_per_warp<T>(c), [](auto w, auto) { return w.any(is_negative<T>) ? 1 : 0; });
}

/* The one lane of its warp with something negative stores 1, the others nothing. */
template <typename K> void run_alone(K kernel, const config &c) {
    run_threads_on(kernel, c, one_negative_per_warp<in_of<K>>(c), [](auto w, auto before) { return w.own() < 0 ? 1 : before; });
}

/* --- what a warp or block stores ---------------------------------------------------------------------------------------- */

/* out[t / 16] = the sum of sixteen neighbours. */
template <typename K> void run_sum_of_16(K kernel, const config &c) {
    config sixteens = c;
    sixteens.n = c.whole();
    run_group_reduce(kernel, sixteens, 16);
}

/* The block's first n elements are added up, by one warp. */
template <typename K> void run_first_elements_sum(K kernel, const config &c) {
    using T = in_of<K>;
    run_in_out(kernel, c, c.whole(), 1, unwritten, by_launch(), [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
        out[0] = warp_view<T>{in, c.at(0)}.sum(0, c.n);
    });
}

/* *out = the product of the first n of the only warp. */
template <typename K> void run_first_elements_product(K kernel, const config &c) {
    using T = in_of<K>;
    run_in_out(kernel, c, c.whole(), 1, unwritten, by_launch(), [=](const std::vector<T> &in, std::vector<wide<out_of<K>>> &out) {
        out[0] = 1;
        for (int l = 0; l < c.n; l++)
            out[0] *= warp_view<T>{in, c.at(0)}.lane(l);
    });
}

template <typename K> void run_warp_most(K kernel, const config &c) {
    run_warps(kernel, c, [](auto w, auto) { return w.most(); });
}

/* How many lanes of the warp have something positive; nothing is stored where none has. */
template <typename K> void run_positive_of_warp(K kernel, const config &c) {
    using T = in_of<K>;
    run_warps(kernel, c, [](auto w, auto before) {
        int n = w.count(is_positive<T>);
        return n ? wide<T>(n) : before;
    });
}

/* out[t / 32] = the mask of the lanes with an odd number; there is no input. */
template <typename T> void run_odd_bits(void (*kernel)(T *), const config &c) {
    device_buffer<T> out(std::vector<T>(static_cast<std::size_t>(c.warps()), T(unwritten)));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, out.get());
    expect(out.read(), std::vector<wide<T>>(static_cast<std::size_t>(c.warps()), 0xaaaaaaaa), by_block(c));
}

/* Every thread stores f(its number in the block); there is no input. */
template <typename T, typename F> void run_without_input(void (*kernel)(T *), const config &c, F f) {
    device_buffer<T> out(std::vector<T>(static_cast<std::size_t>(c.whole()), T(unwritten)));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, out.get());
    std::vector<wide<T>> expected;
    for (int i = 0; i < c.whole(); i++)
        expected.push_back(static_cast<wide<T>>(f(i % c.threads())));
    expect(out.read(), expected, by_block(c));
}

/* Every thread stores n. */
template <typename T> void run_constant(void (*kernel)(T *), const config &c) {
    run_without_input(kernel, c, [=](int) { return c.n; });
}

/* Every thread stores its rank in a tile of n threads. */
template <typename T> void run_tile_rank(void (*kernel)(T *), const config &c) {
    run_without_input(kernel, c, [=](int t) { return t % c.n; });
}

/* Threads with an even number store 1, the others 2. */
template <typename T> void run_parity_plus_one(void (*kernel)(T *), const config &c) {
    run_without_input(kernel, c, [](int t) { return 1 + t % 2; });
}

/* The first half of the block stores 1, the second 2. */
template <typename T> void run_half_plus_one(void (*kernel)(T *), const config &c) {
    run_without_input(kernel, c, [=](int t) { return 1 + 2 * t / c.threads(); });
}

/* Warps draw 32 places each from a counter and store a 1 in each of them. */
template <typename T> void run_append(void (*kernel)(T *, int *), const config &c) {
    device_buffer<T> out(std::vector<T>(static_cast<std::size_t>(c.whole())));
    device_buffer<int> counter(std::vector<int>(1));
    CUWARP_LAUNCH(kernel, c.grid, c.block, c.shared, out.get(), counter.get());
    expect(out.read(), std::vector<wide<T>>(static_cast<std::size_t>(c.whole()), 1), by_launch());
}

/* --- what a grid adds up ------------------------------------------------------------------------------------------------ */

/* *out = the sum of all elements, of which there are whole blocks. */
template <typename K> void run_whole_sum(K kernel, const config &c) {
    run_total(kernel, c, [](auto w) { return w.own(); });
}

/* *out = for each lane with something positive, how many lanes of its warp have the same value. */
template <typename K> void run_equal_lanes(K kernel, const config &c) {
    run_total(kernel, c, [](auto w) {
        auto own = w.own();
        return own > 0 ? w.count([=](auto v) { return v == own; }) : 0;
    });
}

/* *out = each lane with something positive adds its warp's sum, each other lane its own value. */
template <typename K> void run_positive_add_warp_sum(K kernel, const config &c) {
    run_total(kernel, c, [](auto w) { return w.own() > 0 ? w.sum() : w.own(); });
}

/* *out = lanes below 24 add their warp's sum. */
template <typename K> void run_most_lanes_add_warp_sum(K kernel, const config &c) {
    run_total(kernel, c, [](auto w) { return w.p.lane < 24 ? w.sum() : 0; });
}

} // namespace cuwarp

#endif
