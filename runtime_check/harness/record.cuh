/* In place of delays: who comes to each place that `cuwarp-lint perturb --all` marked, and with whom. The first block of the
 * first launch of a case is recorded. Stands in for cuwarp_skew.h, which marked files include. */
#ifndef CUWARP_SKEW_H
#define CUWARP_SKEW_H

#define CUWARP_SKEW(id) ::cuwarp_record::note(id)

namespace cuwarp_record {

constexpr unsigned places = 1024, warps = 32;

struct log {
    unsigned reached[places][warps];  /* lanes that came at all */
    unsigned together[places][warps]; /* lanes of the largest set that came to the place together */
};

static __device__ log seen;
static __device__ unsigned recording;

static __device__ __forceinline__ void note(unsigned id) {
    if (!recording || id >= places || blockIdx.x || blockIdx.y || blockIdx.z)
        return;
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), warp = thread / 32;
    unsigned active = __activemask();
    atomicOr(&seen.reached[id][warp], 1u << thread % 32);
    if (thread % 32 == static_cast<unsigned>(__ffs(static_cast<int>(active))) - 1) {
        for (unsigned old = seen.together[id][warp]; __popc(old) < __popc(active);) {
            unsigned before = atomicCAS(&seen.together[id][warp], old, active);
            if (before == old)
                break;
            old = before;
        }
    }
}

inline void begin() {
    static log empty;
    unsigned on = 1;
    cuwarp_driver::check(cudaMemcpyToSymbol(seen, &empty, sizeof empty), "record");
    cuwarp_driver::check(cudaMemcpyToSymbol(recording, &on, sizeof on), "record");
}

inline void after_launch() {
    unsigned off = 0;
    cuwarp_driver::check(cudaMemcpyToSymbol(recording, &off, sizeof off), "record");
}

/* {"record": CASE, "places": {ID: {WARP: [reached, largest set that came together]}}} */
inline void print(const std::string &name) {
    static log got;
    cuwarp_driver::check(cudaMemcpyFromSymbol(&got, seen, sizeof got), "record");
    std::printf("{\"record\": %s, \"places\": {", cuwarp_driver::quoted(name).c_str());
    const char *between = "";
    for (unsigned id = 0; id < places; id++) {
        std::string of_place;
        for (unsigned w = 0; w < warps; w++)
            if (got.reached[id][w])
                of_place += (of_place.empty() ? "\"" : ", \"") + std::to_string(w) + "\": [" + std::to_string(got.reached[id][w]) +
                            ", " + std::to_string(got.together[id][w]) + "]";
        if (!of_place.empty()) {
            std::printf("%s\"%u\": {%s}", between, id, of_place.c_str());
            between = ", ";
        }
    }
    std::printf("}}\n");
    std::fflush(stdout);
}

} // namespace cuwarp_record

#endif
