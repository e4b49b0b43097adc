/* What a driver program runs its cases on: the CUDA runtime. Included once, before the shapes and the fixtures.
 *
 * A program holds cases, each one kernel of one fixture with its launch, and is run for one of them:
 *
 *     PROGRAM CASE [--trials N] [--seconds S] [--seed N] [--grid N]
 *
 * It prints one line of JSON: {"outcome": "done" | "hang" | "fault" | "failed", "wrong": W, "units": U, "unit": NAME,
 * "launches": L, "text": …}. Exit status 0 whenever there is such a line. A kernel that does not end within S seconds is a hang;
 * the program then leaves without waiting for it. */
#ifndef CUWARP_DRIVER_CUH
#define CUWARP_DRIVER_CUH

#include <algorithm>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

namespace cuwarp_driver {

struct launch_case {
    const char *name;
    void (*run)();
};

inline std::vector<launch_case> &cases() {
    static std::vector<launch_case> all;
    return all;
}

inline bool add_case(const char *name, void (*run)()) {
    cases().push_back({name, run});
    return true;
}

/* What the command line asks for, and what has been seen so far. */
struct state {
    int trials = 20;
    double seconds = 5;
    unsigned seed = 1;
    unsigned grid = 0; /* at most so many blocks; 0: as many as the case says */
    unsigned trial = 0;
    long long wrong = 0, units = 0, launches = 0;
    std::string unit = "launches", text;
    std::vector<void *> memory;
};

inline state &now() {
    static state s;
    return s;
}

inline std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

[[noreturn]] inline void finish(const char *outcome, const std::string &text) {
    const state &s = now();
    std::printf("{\"outcome\": \"%s\", \"wrong\": %lld, \"units\": %lld, \"unit\": \"%s\", \"launches\": %lld, \"text\": %s}\n",
                outcome, s.wrong, s.units, s.unit.c_str(), s.launches, quoted(text).c_str());
    std::fflush(stdout);
    _exit(0);
}

/* Errors that a kernel makes are its faults; all others are ours, or the machine's. */
inline bool is_fault(cudaError_t error) {
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorCooperativeLaunchTooLarge: return true;
    default: return false;
    }
}

inline void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess)
        finish(is_fault(error) ? "fault" : "failed", std::string(what) + ": " + cudaGetErrorName(error));
}

/* Waits for the kernels that run, but not for ever. */
inline void wait() {
    check(cudaGetLastError(), "launch");
    now().launches++;
    auto begin = std::chrono::steady_clock::now();
    for (cudaError_t at; (at = cudaStreamQuery(nullptr)) != cudaSuccess;) {
        if (at != cudaErrorNotReady)
            check(at, "kernel");
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > now().seconds)
            finish("hang", "no end within " + std::to_string(static_cast<int>(now().seconds)) + " seconds");
        usleep(20);
    }
}

inline void *alloc(std::size_t bytes) {
    void *at = nullptr;
    check(cudaMalloc(&at, bytes ? bytes : 1), "cudaMalloc");
    check(cudaMemset(at, 0, bytes ? bytes : 1), "cudaMemset");
    now().memory.push_back(at);
    return at;
}

inline void release() {
    for (void *at : now().memory)
        check(cudaFree(at), "cudaFree");
    now().memory.clear();
}

/* What a kernel finds in shared memory that it has not written is undefined; usually it is what somebody left there. This leaves
 * something else there each time, in as much of every multiprocessor's memory as a block can have. */
static __global__ void fill_shared(unsigned words, unsigned pattern) {
    extern __shared__ unsigned all_of_it[];
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        all_of_it[i] = pattern * (i + 1) | 1u;
    __syncthreads();
    if (pattern == 0 && all_of_it[words - 1] == 0)
        __trap(); /* so that the stores are needed */
}

inline void spoil_shared() {
    static int bytes = 0, processors = 0;
    if (!bytes) {
        check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), "attribute");
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0), "attribute");
        check(cudaFuncSetAttribute(fill_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "attribute");
    }
    fill_shared<<<static_cast<unsigned>(processors), 256, static_cast<std::size_t>(bytes)>>>(
        static_cast<unsigned>(bytes) / 4, (now().seed + now().trial) * 2654435761u | 1u);
    check(cudaGetLastError(), "fill");
}

inline void count(int wrong, int units, const char *name) {
    now().wrong += wrong;
    now().units += units;
    now().unit = name;
}

inline dim3 bounded(dim3 grid) {
    if (now().grid && grid.y == 1 && grid.z == 1)
        grid.x = std::min(grid.x, now().grid);
    return grid;
}

inline int usage(const char *program) {
    std::fprintf(stderr, "usage: %s CASE [--trials N] [--seconds S] [--seed N] [--grid N]; cases:\n", program);
    for (const launch_case &c : cases())
        std::fprintf(stderr, "  %s\n", c.name);
    return 2;
}

inline int read_options(int argc, char **argv) {
    state &s = now();
    for (int i = 2; i + 1 < argc; i += 2) {
        std::string option = argv[i];
        double value = std::atof(argv[i + 1]);
        if (option == "--trials")
            s.trials = static_cast<int>(value);
        else if (option == "--seconds")
            s.seconds = value;
        else if (option == "--seed")
            s.seed = static_cast<unsigned>(value);
        else if (option == "--grid")
            s.grid = static_cast<unsigned>(value);
        else
            return -1;
    }
    return argc % 2 == 0 ? 0 : -1;
}

inline int main_of(int argc, char **argv) {
    auto wanted = std::find_if(cases().begin(), cases().end(),
                               [&](const launch_case &c) { return argc > 1 && c.name == std::string(argv[1]); });
    if (wanted == cases().end() || read_options(argc, argv) < 0)
        return usage(argv[0]);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "%s: no CUDA device: runtime_check needs a GPU of compute capability 7.5 or later\n", argv[0]);
        return 3;
    }
    state &s = now();
    auto begin = std::chrono::steady_clock::now();
    for (; s.trial < static_cast<unsigned>(s.trials); s.trial++) {
        wanted->run();
        release();
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > 4 * s.seconds)
            break;
    }
    check(cudaDeviceSynchronize(), "end");
    finish("done", s.text);
}

} // namespace cuwarp_driver

#define CUWARP_LAUNCH(kernel, grid, block, shared, ...)                                                                     \
    do {                                                                                                                   \
        ::cuwarp_driver::spoil_shared();                                                                                   \
        (kernel)<<<(grid), (block), (shared)>>>(__VA_ARGS__);                                                              \
        ::cuwarp_driver::wait();                                                                                           \
    } while (0)
#define CUWARP_CALL(expression)                                                                                            \
    do {                                                                                                                   \
        ::cuwarp_driver::spoil_shared();                                                                                   \
        expression;                                                                                                        \
        ::cuwarp_driver::wait();                                                                                           \
    } while (0)
#define CUWARP_BOUNDED(grid) ::cuwarp_driver::bounded(grid)
#define CUWARP_ALLOC(bytes) ::cuwarp_driver::alloc(bytes)
#define CUWARP_TO_DEVICE(device, host, bytes)                                                                              \
    ::cuwarp_driver::check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "to the device")
#define CUWARP_TO_HOST(host, device, bytes)                                                                                \
    ::cuwarp_driver::check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "from the device")
#define CUWARP_DATA_SEED() (::cuwarp_driver::now().seed * 4096u + ::cuwarp_driver::now().trial)
#define CUWARP_WRONG(what) (::cuwarp_driver::now().text.empty() ? void(::cuwarp_driver::now().text = (what)) : void())
#define CUWARP_COUNT(wrong, units, name) ::cuwarp_driver::count(wrong, units, name)

#include "../shapes/kernels.hpp"

#endif
