// Ways to load data that is read once.
#pragma once

#include <cstdint>

namespace ladder {

enum class load {
    plain,       // ld.global
    read_only,   // ld.global.nc, does not stay in the first-level cache
    evict_first, // ld.global.cs: first to go from both caches
    ahead,       // as read_only, and the second-level cache fetches 256 bytes at a time (sm_80)
};

constexpr const char *name_of(load kind)
{
    switch (kind) {
    case load::plain:
        return "plain";
    case load::read_only:
        return "read_only";
    case load::evict_first:
        return "evict_first";
    case load::ahead:
        return "ahead";
    }
    return "";
}

template <bool Ahead> __device__ float4 load_read_only(const float4 *from)
{
    float4 v;
#if __CUDA_ARCH__ >= 800
    if constexpr (Ahead) {
        asm("ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
            : "l"(from));
        return v;
    }
#endif
    asm("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "l"(from));
    return v;
}

template <load Load> __device__ float4 load_vector(const float4 *from)
{
    float4 v;
    if constexpr (Load == load::plain)
        v = *from;
    else if constexpr (Load == load::evict_first)
        v = __ldcs(from);
    else
        v = load_read_only<Load == load::ahead>(from);
    return v;
}

} // namespace ladder
