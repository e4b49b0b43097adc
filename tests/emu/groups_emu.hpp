/* Cooperative groups and the parts of libcu++ that fixtures use. A group's sync orders its threads; its shuffles, votes,
 * reductions and scans order nothing. Making a group asks all threads of its parent to come, and orders nothing either. */
#ifndef CUWARP_GROUPS_EMU_HPP
#define CUWARP_GROUPS_EMU_HPP

#include "cuda_emu.hpp"

namespace cooperative_groups {

enum class group_kind { thread, block, warp_part, block_part, grid };

/* Any group: what it is made of is decided at run time, as for CUDA's base class. */
class thread_group {
public:
    thread_group() = default;

    void sync(CUEMU_HERE) const {
        switch (kind_) {
        case group_kind::block: cuemu::syncthreads(cuemu::arrival::sync, "a block's sync()", false, at_); break;
        case group_kind::warp_part: cuemu::meet(cuemu::op::tile_sync, mask_, at_, nullptr, 0, true); break;
        case group_kind::block_part: cuemu::group_barrier(size_, at_); break;
        case group_kind::grid: sync_grid(at_); break;
        case group_kind::thread: break;
        }
    }
    unsigned thread_rank() const { return rank_; }
    unsigned size() const { return size_; }
    unsigned num_threads() const { return size_; }
    unsigned meta_group_rank() const { return meta_rank_; }
    unsigned meta_group_size() const { return meta_size_; }
    bool is_valid() const { return true; }

    group_kind kind_of() const { return kind_; }
    unsigned mask_of() const { return mask_; }

protected:
    thread_group(group_kind kind, unsigned mask, unsigned rank, unsigned size, unsigned meta_rank, unsigned meta_size)
        : kind_(kind), mask_(mask), rank_(rank), size_(size), meta_rank_(meta_rank), meta_size_(meta_size) {}

    static void sync_grid(cuemu::place at) {
        if (gridDim.x * gridDim.y * gridDim.z != 1)
            cuemu::unsupported("a grid's sync() with more than one block", at);
        cuemu::syncthreads(cuemu::arrival::sync, "a grid's sync()", false, at);
    }

    group_kind kind_ = group_kind::thread;
    unsigned mask_ = 0, rank_ = 0, size_ = 1, meta_rank_ = 0, meta_size_ = 1;
};

inline unsigned block_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

class thread_block : public thread_group {
public:
    thread_block() : thread_group(group_kind::block, 0, cooperative_groups::block_rank(), block_size(), 0, 1) {}
    static dim3 group_index() { return blockIdx; }
    static dim3 thread_index() { return threadIdx; }
    static dim3 dim_threads() { return blockDim; }
    static dim3 group_dim() { return blockDim; }
};

class grid_group : public thread_group {
public:
    grid_group()
        : thread_group(group_kind::grid, 0, block_rank() * block_size() + cooperative_groups::block_rank(),
                       block_size() * gridDim.x * gridDim.y * gridDim.z, 0, 1) {}
    static unsigned block_rank() { return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z); }
    static dim3 group_dim() { return gridDim; }
};

/* Groups within a warp: ranks count the lanes of the mask. */
class warp_group : public thread_group {
public:
    template <typename T> T shfl(T v, unsigned rank, CUEMU_HERE) const { return from(v, lane_of(wrapped(rank)), at_); }
    template <typename T> T shfl_up(T v, unsigned by, CUEMU_HERE) const {
        return from(v, lane_of(rank_ >= by ? rank_ - by : rank_), at_);
    }
    template <typename T> T shfl_down(T v, unsigned by, CUEMU_HERE) const {
        return from(v, lane_of(rank_ + by < size_ ? rank_ + by : rank_), at_);
    }
    template <typename T> T shfl_xor(T v, unsigned by, CUEMU_HERE) const {
        return from(v, lane_of((rank_ ^ by) < size_ ? rank_ ^ by : rank_), at_);
    }
    int any(int p, CUEMU_HERE) const { return cuemu::ballot(mask_, p != 0, at_) != 0; }
    int all(int p, CUEMU_HERE) const { return cuemu::ballot(mask_, p == 0, at_) == 0; }
    unsigned ballot(int p, CUEMU_HERE) const { return packed(cuemu::ballot(mask_, p != 0, at_)); }
    template <typename T> unsigned match_any(T v, CUEMU_HERE) const { return packed(__match_any_sync(mask_, v, at_)); }
    template <typename T> unsigned match_all(T v, int &all, CUEMU_HERE) const {
        return packed(__match_all_sync(mask_, v, &all, at_));
    }

    unsigned lane_of(unsigned rank) const { return __fns(mask_, 0, static_cast<int>(rank) + 1); }

protected:
    using thread_group::thread_group;
    warp_group() = default;

    unsigned wrapped(unsigned rank) const { return (size_ & (size_ - 1)) == 0 ? rank & (size_ - 1) : rank; }
    unsigned packed(unsigned lanes) const {
        unsigned out = 0, rank = 0;
        for (unsigned l = 0; l < 32; l++)
            if (mask_ >> l & 1)
                out |= (lanes >> l & 1) << rank++;
        return out;
    }
    template <typename T> T from(T v, unsigned lane, cuemu::place at) const {
        return cuemu::lane_value<T>(cuemu::meet(cuemu::op::shuffle, mask_, at, &v, sizeof v, false), lane);
    }
};

class coalesced_group : public warp_group {
public:
    coalesced_group() = default;
    explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : warp_group(group_kind::warp_part, mask,
                     static_cast<unsigned>(__popc(mask & ((1u << cuemu::lane_index()) - 1))),
                     static_cast<unsigned>(__popc(mask)), meta_rank, meta_size) {}
};

inline unsigned tile_mask(unsigned size, unsigned rank) {
    return size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (rank % 32 / size * size);
}

/* Lanes of a tile that the block does not have do not exist; CUDA gives the tile its full size nevertheless. */
template <unsigned Size, typename Parent = void> class thread_block_tile : public warp_group {
    static_assert(Size > 0 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile's size is a power of two");

public:
    thread_block_tile() = default;
    thread_block_tile(unsigned rank_in_parent, unsigned parent_size)
        : warp_group(Size <= 32 ? group_kind::warp_part : group_kind::block_part, tile_mask(Size, cooperative_groups::block_rank()),
                     rank_in_parent % Size, Size, rank_in_parent / Size, (parent_size + Size - 1) / Size) {}
    template <typename Other> thread_block_tile(const thread_block_tile<Size, Other> &o) : warp_group(o) {}
    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
};

inline thread_block this_thread_block(CUEMU_HERE) {
    cuemu::block_meet("this_thread_block()", at_);
    return {};
}
inline grid_group this_grid(CUEMU_HERE) {
    cuemu::block_meet("this_grid()", at_);
    return {};
}
struct this_thread_group : thread_group {};
inline this_thread_group this_thread() { return {}; }
inline coalesced_group coalesced_threads(CUEMU_HERE) { return coalesced_group(__activemask(at_)); }

inline void come_together(const thread_group &parent, cuemu::place at) {
    if (parent.kind_of() == group_kind::block)
        cuemu::block_meet("tiled_partition()", at);
    else if (parent.kind_of() == group_kind::warp_part)
        cuemu::meet(cuemu::op::group_make, parent.mask_of(), at, nullptr, 0, false);
}

template <unsigned Size, typename Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent &parent, CUEMU_HERE) {
    come_together(parent, at_);
    return {parent.thread_rank(), parent.size()};
}

struct runtime_tile : warp_group {
    runtime_tile(unsigned size, unsigned rank, unsigned parent_size)
        : warp_group(size <= 32 ? group_kind::warp_part : group_kind::block_part, tile_mask(size, cooperative_groups::block_rank()),
                     rank % size, size, rank / size, (parent_size + size - 1) / size) {}
};

inline void check_tile_size(unsigned size, cuemu::place at) {
    if (size == 0 || size > 1024 || (size & (size - 1)))
        cuemu::bad_width(static_cast<int>(size), at);
}

inline thread_group tiled_partition(const thread_group &parent, unsigned size, CUEMU_HERE) {
    check_tile_size(size, at_);
    come_together(parent, at_);
    return runtime_tile(size, parent.thread_rank(), parent.size());
}

inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size, CUEMU_HERE) {
    check_tile_size(size, at_);
    come_together(parent, at_);
    unsigned mask = 0;
    for (unsigned r = 0; r < size; r++)
        if (parent.thread_rank() / size * size + r < parent.size())
            mask |= 1u << parent.lane_of(parent.thread_rank() / size * size + r);
    return coalesced_group(mask, parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

template <typename Group, typename Label>
coalesced_group labeled_partition(const Group &group, Label label, CUEMU_HERE) {
    const cuemu::exchange &e = cuemu::meet(cuemu::op::group_make, group.mask_of(), at_, &label, sizeof label, false);
    return coalesced_group(cuemu::lanes_where<Label>(e, [label](Label other) { return other == label; }));
}
template <typename Group> coalesced_group binary_partition(const Group &group, bool side, CUEMU_HERE) {
    return labeled_partition(group, side, at_);
}

template <typename Group> void sync(const Group &group, CUEMU_HERE) { group.sync(at_); }
template <typename Group> unsigned thread_rank(const Group &group) { return group.thread_rank(); }
template <typename Group> unsigned group_size(const Group &group) { return group.size(); }

#define CUEMU_FUNCTOR(name, expression)                                                                                \
    template <typename T> struct name {                                                                                \
        T operator()(T a, T b) const { return expression; }                                                            \
    };
CUEMU_FUNCTOR(plus, a + b)
CUEMU_FUNCTOR(less, b < a ? b : a)
CUEMU_FUNCTOR(greater, a < b ? b : a)
CUEMU_FUNCTOR(bit_and, a & b)
CUEMU_FUNCTOR(bit_or, a | b)
CUEMU_FUNCTOR(bit_xor, a ^ b)

template <typename Group, typename T, typename F> T reduce(const Group &group, T v, F f, CUEMU_HERE) {
    return cuemu::reduce_lanes<T>(group.mask_of(), v, f, at_);
}

template <typename Group, typename T, typename F>
T scan(const Group &group, T v, F f, bool inclusive, cuemu::place at) {
    const cuemu::exchange &e = cuemu::meet(cuemu::op::group_scan, group.mask_of(), at, &v, sizeof v, false);
    T sum = T();
    bool any = false;
    for (unsigned l = 0; l < cuemu::lane_index() + inclusive; l++)
        if (cuemu::lanes_of(e) >> l & 1) {
            sum = any ? f(sum, cuemu::lane_value<T>(e, l)) : cuemu::lane_value<T>(e, l);
            any = true;
        }
    return sum;
}
template <typename Group, typename T, typename F = plus<T>> T inclusive_scan(const Group &g, T v, F f = F(), CUEMU_HERE) {
    return scan(g, v, f, true, at_);
}
template <typename Group, typename T, typename F = plus<T>> T exclusive_scan(const Group &g, T v, F f = F(), CUEMU_HERE) {
    return scan(g, v, f, false, at_);
}

template <typename Group, typename F, typename... A> void invoke_one(const Group &group, F &&f, A &&...arguments) {
    if (group.thread_rank() == 0)
        std::forward<F>(f)(std::forward<A>(arguments)...);
}

/* The threads of the group share the copy, by words; wait() is also the group's sync. */
template <typename Group> CUEMU_FRAME void memcpy_async(const Group &group, void *to, const void *from, std::size_t size) {
    std::size_t word = size % 4 ? 1 : 4;
    for (std::size_t i = group.thread_rank() * word; i < size; i += group.size() * word)
        cuemu::copy_async(static_cast<unsigned char *>(to) + i, static_cast<const unsigned char *>(from) + i, word);
    cuemu::copy_commit();
}
template <typename Group, typename T, typename F>
CUEMU_FRAME void memcpy_async(const Group &group, T *to, std::size_t to_count, const F *from, std::size_t from_count) {
    memcpy_async(group, static_cast<void *>(to), from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}
template <typename Group> CUEMU_FRAME void wait(const Group &group, CUEMU_HERE) {
    cuemu::copy_wait(0);
    group.sync(at_);
}
template <unsigned Left, typename Group> CUEMU_FRAME void wait_prior(const Group &group, CUEMU_HERE) {
    cuemu::copy_wait(Left);
    group.sync(at_);
}

} // namespace cooperative_groups

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

template <std::size_t Alignment> struct aligned_size_t {
    std::size_t value;
    constexpr explicit aligned_size_t(std::size_t v) : value(v) {}
    constexpr operator std::size_t() const { return value; }
};

template <thread_scope Scope = thread_scope_system> class barrier {
public:
    struct arrival_token {
        std::uint64_t phase;
    };
    barrier() = default;
    arrival_token arrive(std::ptrdiff_t update = 1, CUEMU_HERE) {
        finish_copies();
        return {cuemu::mbarrier_arrive(this, update, false, at_)};
    }
    void wait(arrival_token token, CUEMU_HERE) { cuemu::mbarrier_wait(this, token.phase, at_); }
    void arrive_and_wait(CUEMU_HERE) { wait(arrive(1, at_), at_); }
    void arrive_and_drop(CUEMU_HERE) {
        finish_copies();
        cuemu::mbarrier_arrive(this, 1, true, at_);
    }
    friend void init(barrier *b, std::ptrdiff_t expected, CUEMU_HERE) { cuemu::mbarrier_init(b, expected, at_); }

private:
    /* Copies that the barrier tracks are done before the thread's own arrival counts. */
    static void finish_copies() {
        cuemu::copy_commit();
        cuemu::copy_wait(0);
    }
    std::uint64_t storage_;
};

template <thread_scope Scope>
CUEMU_FRAME void memcpy_async(void *to, const void *from, std::size_t size, barrier<Scope> &) {
    cuemu::copy_async(to, from, size);
}
template <typename Group, thread_scope Scope>
CUEMU_FRAME void memcpy_async(const Group &group, void *to, const void *from, std::size_t size, barrier<Scope> &) {
    std::size_t word = size % 4 ? 1 : 4;
    for (std::size_t i = group.thread_rank() * word; i < size; i += group.size() * word)
        cuemu::copy_async(static_cast<unsigned char *>(to) + i, static_cast<const unsigned char *>(from) + i, word);
}

/* The pipeline of one thread: batches are waited for in the order in which they were committed. */
template <thread_scope Scope> class pipeline {
    static_assert(Scope == thread_scope_thread, "only a thread's own pipeline is emulated");

public:
    void producer_acquire() {}
    void producer_commit() {
        cuemu::copy_commit();
        left_++;
    }
    void consumer_wait() {
        if (left_)
            left_--;
        cuemu::copy_wait(left_);
    }
    void consumer_release() {}
    void wait_prior(unsigned n) { cuemu::copy_wait(n); }

private:
    unsigned left_ = 0;
};
inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <unsigned N, thread_scope Scope> void pipeline_consumer_wait_prior(pipeline<Scope> &p) { p.wait_prior(N); }
template <thread_scope Scope> CUEMU_FRAME void memcpy_async(void *to, const void *from, std::size_t size, pipeline<Scope> &) {
    cuemu::copy_async(to, from, size);
}
template <typename Group, thread_scope Scope>
CUEMU_FRAME void memcpy_async(const Group &group, void *to, const void *from, std::size_t size, pipeline<Scope> &) {
    std::size_t word = size % 4 ? 1 : 4;
    for (std::size_t i = group.thread_rank() * word; i < size; i += group.size() * word)
        cuemu::copy_async(static_cast<unsigned char *>(to) + i, static_cast<const unsigned char *>(from) + i, word);
}

enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release, memory_order_acq_rel, memory_order_seq_cst };

inline cuemu::order order_of(memory_order o) {
    switch (o) {
    case memory_order_relaxed: return cuemu::order::relaxed;
    case memory_order_acquire: return cuemu::order::acquire;
    case memory_order_release: return cuemu::order::release;
    default: return cuemu::order::acq_rel;
    }
}

template <typename T, thread_scope Scope = thread_scope_system> class atomic_ref {
public:
    explicit atomic_ref(T &v) : at_address(&v) {}
    T load(memory_order o = memory_order_seq_cst) const {
        T v;
        cuemu::atomic_load(at_address, sizeof v, &v, order_of(o));
        return v;
    }
    void store(T v, memory_order o = memory_order_seq_cst) const { cuemu::atomic_store(at_address, sizeof v, &v, order_of(o)); }
    T exchange(T v, memory_order o = memory_order_seq_cst) const { return cuemu::atomic_exch<T>(at_address, v, T(), order_of(o)); }
    T fetch_add(T v, memory_order o = memory_order_seq_cst) const { return cuemu::atomic_add<T>(at_address, v, T(), order_of(o)); }
    T fetch_sub(T v, memory_order o = memory_order_seq_cst) const { return cuemu::atomic_sub<T>(at_address, v, T(), order_of(o)); }
    bool compare_exchange_strong(T &expected, T desired, memory_order o = memory_order_seq_cst) const {
        T old = cuemu::atomic_cas<T>(at_address, expected, desired, order_of(o));
        bool same = old == expected;
        expected = old;
        return same;
    }

private:
    T *at_address;
};

inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) { cuemu::fence(); }

} // namespace cuda

#endif
