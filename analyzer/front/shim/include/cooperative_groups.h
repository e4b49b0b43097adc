// Cooperative groups: classes as handles; what their members mean is in intrinsics_groups.def.
#pragma once
namespace cooperative_groups {
struct thread_group {
    unsigned long long handle; /* the analysis keeps a group in eight bytes */
    struct arrival_token {};
    //@ cg.thread_group | __device__ | const
};
struct thread_block : thread_group {
    //@ cg.thread_block | __device__ | const
};
struct grid_group : thread_group {
    //@ cg.grid_group | __device__ | const
};
struct multi_grid_group : thread_group {
    //@ cg.multi_grid_group | __device__ | const
};
struct cluster_group : thread_group {
    //@ cg.cluster_group | __device__ | const
};
template <unsigned N, typename Parent = void> struct thread_block_tile : thread_group {
    __device__ thread_block_tile() {}
    template <typename Other> __device__ thread_block_tile(const thread_block_tile<N, Other> &) {}
    //@ cg.thread_block_tile | __device__ | const
};
struct coalesced_group : thread_group {
    //@ cg.coalesced_group | __device__ | const
};
struct thread_ : thread_group {
    //@ cg.thread_ | __device__ | const
};
//@ cg.free | __device__
template <typename T> struct is_group { static constexpr bool value = false; };
template <unsigned N> struct block_tile_memory { char bytes[N]; };
template <unsigned N> __device__ inline thread_block this_thread_block(block_tile_memory<N> &) {
    return this_thread_block();
}
template <typename G, typename F, typename... A>
__device__ inline void invoke_one(const G &group, F &&function, A &&...arguments) {
    if (elect_one(group)) function(static_cast<A &&>(arguments)...);
}
template <typename G, typename F, typename... A>
__device__ inline auto invoke_one_broadcast(const G &group, F &&function, A &&...arguments)
    -> decltype(function(static_cast<A &&>(arguments)...)) {
    decltype(function(static_cast<A &&>(arguments)...)) result{};
    if (elect_one(group)) result = function(static_cast<A &&>(arguments)...);
    return group.shfl(result, 0);
}
template <typename T> struct plus {
    __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
    __device__ T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct bit_or {
    __device__ T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct bit_xor {
    __device__ T operator()(T a, T b) const { return a ^ b; }
};
namespace experimental {
using namespace cooperative_groups;
}
}
