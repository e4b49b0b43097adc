/* Shapes of kernels that go through rows of data, a row for each iteration of a loop, and of others of runtime_check/wild/. */
#ifndef CUWARP_SHAPES_ROWS_HPP
#define CUWARP_SHAPES_ROWS_HPP

#include "kernels.hpp"

namespace cuwarp {

/* n rows of as many elements as a block has threads. */
template <typename T> struct rows_view {
    const std::vector<T> &in;
    int width;

    wide<T> at(int row, int t) const { return static_cast<wide<T>>(in[static_cast<std::size_t>(row * width + t)]); }
    wide<T> sum(int row) const {
        wide<T> total = 0;
        for (int t = 0; t < width; t++)
            total += at(row, t);
        return total;
    }
};

/* The kernel gets n rows and makes `per_row` elements of each: f(rows, row, t) for the t-th. */
template <typename K, typename F> void run_rows(K kernel, const config &c, int per_row, F f) {
    using T = in_of<K>;
    std::size_t size = static_cast<std::size_t>(c.n * per_row);
    run_on(kernel, c, random_values<T>(static_cast<std::size_t>(c.n * c.threads()), 1), c.n, size, unwritten, by_launch(),
           [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
               for (int row = 0; row < c.n; row++)
                   for (int t = 0; t < per_row; t++)
                       out[static_cast<std::size_t>(row * per_row + t)] = f(rows_view<T>{in, c.threads()}, row, t);
           });
}

/* out[row] = the sum of the row. */
template <typename K> void run_row_sums(K kernel, const config &c) {
    run_rows(kernel, c, 1, [](auto rows, int row, int) { return rows.sum(row); });
}

/* Each element plus the first one of its row. */
template <typename K> void run_row_plus_first(K kernel, const config &c) {
    run_rows(kernel, c, c.threads(), [](auto rows, int row, int t) { return rows.at(row, t) + rows.at(row, 0); });
}

/* Each element less the sum of those whose places differ from its own by multiples of 32. */
template <typename K> void run_row_less_column_sum(K kernel, const config &c) {
    run_rows(kernel, c, c.threads(), [=](auto rows, int row, int t) {
        auto v = rows.at(row, t);
        for (int k = t % 32; k < c.threads(); k += 32)
            v -= rows.at(row, k);
        return v;
    });
}

/* Elements of even rows as they are, those of odd rows with the other sign. */
template <typename K> void run_rows_with_sign(K kernel, const config &c) {
    run_rows(kernel, c, c.threads(), [](auto rows, int row, int t) { return row % 2 ? -rows.at(row, t) : rows.at(row, t); });
}

/* How often each thread tries: once more than the remainder by 4 of the row's first element. */
template <typename K> void run_row_trials(K kernel, const config &c) {
    run_rows(kernel, c, c.threads(), [](auto rows, int row, int) { return (rows.at(row, 0) & 3) + 1; });
}

/* Of each row the largest element, plus that of the row before, and so on. */
template <typename K> void run_running_most(K kernel, const config &c) {
    run_rows(kernel, c, 1, [=](auto rows, int row, int) {
        auto total = rows.at(0, 0) - rows.at(0, 0);
        for (int r = 0; r <= row; r++) {
            auto most = rows.at(r, 0);
            for (int t = 1; t < c.threads(); t++)
                most = std::max(most, rows.at(r, t));
            total += most;
        }
        return total;
    });
}

/* Rows of 32 elements: out[column] = the sum of the column. */
template <typename K> void run_column_sums(K kernel, const config &c) {
    using T = in_of<K>;
    run_on(kernel, c, random_values<T>(static_cast<std::size_t>(32 * c.n), 1), c.n, 32, unwritten, by_launch(),
           [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
               std::fill(out.begin(), out.end(), wide<T>(0));
               for (std::size_t i = 0; i < in.size(); i++)
                   out[i % 32] += static_cast<wide<T>>(in[i]);
           });
}

/* Two rows of a warp: the first has 16 elements, the second 32; out[row] = the sum of the row, and so for every warp. */
template <typename K> void run_uneven_rows(K kernel, const config &c) {
    using T = in_of<K>;
    int rows = 2 * c.warps();
    run_in_out(kernel, c, 32 * rows, static_cast<std::size_t>(rows), unwritten, by_block(c),
               [=](const std::vector<T> &in, std::vector<wide<T>> &out) {
                   for (int row = 0; row < rows; row++) {
                       out[static_cast<std::size_t>(row)] = 0;
                       for (int k = 0; k < (row % 2 ? 32 : 16); k++)
                           out[static_cast<std::size_t>(row)] += static_cast<wide<T>>(in[static_cast<std::size_t>(32 * row + k)]);
                   }
               });
}

/* --- blocks that look at all of their elements ---------------------------------------------------------------------------- */

/* Each of the first n elements times the sum of all of these; input behind them is zero. */
template <typename K> void run_all_pairs(K kernel, const config &c) {
    using T = in_of<K>;
    int n = c.count();
    std::vector<T> in = random_values<T>(static_cast<std::size_t>(c.whole()), 1);
    std::fill(in.begin() + n, in.end(), T(0));
    run_on(kernel, c, in, n, static_cast<std::size_t>(n), unwritten, by_block(c), [=](const std::vector<T> &v, std::vector<wide<T>> &out) {
        wide<T> sum = 0;
        for (int i = 0; i < n; i++)
            sum += static_cast<wide<T>>(v[static_cast<std::size_t>(i)]);
        for (int i = 0; i < n; i++)
            out[static_cast<std::size_t>(i)] = sum * static_cast<wide<T>>(v[static_cast<std::size_t>(i)]);
    });
}

/* Each of the first n elements: the sum of those of its block. */
template <typename K> void run_block_total(K kernel, const config &c) {
    int n = c.count();
    run_each(kernel, c, n, [=](auto in, int i) {
        auto total = in(-1);
        for (int k = i / c.threads() * c.threads(); k < (i / c.threads() + 1) * c.threads(); k++)
            total += in(k);
        return total;
    });
}

/* Each element, less the largest of its block, plus the sum of the block. */
template <typename K> void run_less_most_plus_sum(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        int first = w.p.i - w.p.t;
        auto most = w.at(first), sum = w.at(first);
        for (int t = 1; t < c.threads(); t++) {
            most = std::max(most, w.at(first + t));
            sum += w.at(first + t);
        }
        return w.own() - most + sum;
    });
}

/* The element of the thread with the same lane in the next warp, plus the sum of the block. */
template <typename K> void run_next_warp_plus_sum(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        int first = w.p.i - w.p.t;
        auto sum = w.at(first + (w.p.t + 32) % c.threads());
        for (int t = 0; t < c.threads(); t++)
            sum += w.at(first + t);
        return sum;
    });
}

/* Every thread: the sum of what is positive in front of the block's first zero. */
template <typename K> void run_positive_before_zero(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        auto sum = w.own() - w.own();
        for (int i = w.p.i - w.p.t; i < w.p.i - w.p.t + c.threads() && w.at(i) != 0; i++)
            sum += w.at(i) > 0 ? w.at(i) : 0;
        return sum;
    });
}

/* Every thread: how many elements of its block come before the first one that is zero. */
template <typename K> void run_place_of_zero(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto) {
        int first = w.p.i - w.p.t, k = 0;
        while (k < c.threads() && w.at(first + k) != 0)
            k++;
        return k;
    });
}

/* Blocks whose first element is at least 20, and then those whose second one is, leave; the others store what they have. */
template <typename K> void run_two_gates(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto before) {
        int first = w.p.i - w.p.t;
        return w.at(first) >= 20 || w.at(first + 1) >= 20 ? before : static_cast<decltype(before)>(w.own());
    });
}

/* --- lanes and tiles ----------------------------------------------------------------------------------------------------- */

/* The value of the lane below, in lanes under n; lane 0 keeps its own, lanes from n on store nothing. */
template <typename K> void run_previous_lane(K kernel, const config &c) {
    run_threads(kernel, c, [=](auto w, auto before) {
        return w.p.lane >= c.n ? before : static_cast<decltype(before)>(w.lane(std::max(w.p.lane - 1, 0)));
    });
}

/* Tiles of 8 by 8 elements, one behind the other, are transposed; a thread has 8 elements. */
template <typename K> void run_tiles_of_8(K kernel, const config &c) {
    using T = in_of<K>;
    std::size_t size = static_cast<std::size_t>(8 * c.whole());
    run_on(kernel, c, random_values<T>(size, 1), 8 * c.whole(), size, unwritten, by_block(c),
           [](const std::vector<T> &in, std::vector<wide<T>> &out) {
               for (std::size_t i = 0; i < out.size(); i++)
                   out[i] = static_cast<wide<T>>(in[i / 64 * 64 + i % 8 * 8 + i / 8 % 8]);
           });
}

/* n elements: the two of each pair have changed places. */
template <typename K> void run_swapped_pairs(K kernel, const config &c) {
    using T = in_of<K>;
    std::size_t n = static_cast<std::size_t>(c.n);
    run_on(kernel, c, random_values<T>(n, 1), c.n, n, unwritten, by_launch(), [](const std::vector<T> &in, std::vector<wide<T>> &out) {
        for (std::size_t i = 0; i < out.size(); i++)
            out[i] = static_cast<wide<T>>(in[i ^ 1]);
    });
}

} // namespace cuwarp

#endif
