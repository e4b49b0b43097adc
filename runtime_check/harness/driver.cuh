/* What a driver program runs its cases on: the CUDA runtime. Included once, before the shapes and the fixtures.
 *
 * A program holds cases, each one kernel of one fixture with its launches, and is run for some of them, one after the other:
 *
 *     PROGRAM [--trials N] [--single N] [--seconds S] [--seed N] [--grid N] [--spoil 0|1] [--time N] [--scale N] CASE…
 *
 * For each it prints one line of JSON: {"case": NAME, "outcome": "done" | "hang" | "fault" | "failed", "wrong": W, "units": U,
 * "unit": NAME, "launches": L, "text": …}. A kernel that does not end within S seconds is a hang. After a hang, a fault or a
 * failure nothing more can be had of the device, and the program ends without waiting; cases behind that one have no line.
 * With --time N the line has "us", too: the quartiles of N measured times of the case's first launch in each trial, in
 * microseconds. --scale multiplies the blocks of launches without a size of their own. */
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
#include <map>
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
    bool single; /* of one block only */
};

inline std::vector<launch_case> &cases() {
    static std::vector<launch_case> all;
    return all;
}

inline bool add_case(const char *name, void (*run)(), bool single) {
    cases().push_back({name, run, single});
    return true;
}

/* What the command line asks for. */
struct options {
    int trials = 20;
    int single = 0; /* trials of a case that is one block; 0: as many as the others */
    double seconds = 5;
    unsigned seed = 1;
    unsigned grid = 0;  /* at most so many blocks; 0: as many as the case says */
    bool spoil = true;  /* overwrite shared memory before each launch */
    int time = 0;       /* samples of a launch's time; 0: none is measured */
    unsigned scale = 1;
    std::vector<launch_case> wanted;
};

/* What has been seen of one case. */
struct state : options {
    std::string name;
    unsigned trial = 0;
    long long wrong = 0, units = 0, launches = 0;
    std::string unit = "launches", text;
    bool is_timed = false; /* in this trial */
    std::vector<float> times;
    std::multimap<std::size_t, void *> memory, spare; /* by size: what a trial has, and what earlier ones had */
};

inline state &now() {
    static state s;
    return s;
}

/* What programs of a variant add: a pattern of delays, or a record of who came where. */
struct additions {
    void (*set_skew)(unsigned seed) = nullptr;
    void (*before_case)() = nullptr;
    void (*after_launch)() = nullptr;
    void (*after_case)(const std::string &name) = nullptr;
};

inline additions &added() {
    static additions a;
    return a;
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

/* The quartiles of what was measured, as a member of the line. */
inline std::string times_of(std::vector<float> times) {
    if (times.empty())
        return "";
    std::sort(times.begin(), times.end());
    auto at = [&](std::size_t quarter) { return std::to_string(times[(times.size() - 1) * quarter / 4]); };
    return ", \"us\": [" + at(1) + ", " + at(2) + ", " + at(3) + "]";
}

inline void print_line(const char *outcome, const std::string &text) {
    const state &s = now();
    std::printf("{\"case\": %s, \"outcome\": \"%s\", \"wrong\": %lld, \"units\": %lld, \"unit\": \"%s\", "
                "\"launches\": %lld, \"text\": %s%s}\n",
                quoted(s.name).c_str(), outcome, s.wrong, s.units, s.unit.c_str(), s.launches, quoted(text).c_str(),
                times_of(s.times).c_str());
    std::fflush(stdout);
}

[[noreturn]] inline void finish(const char *outcome, const std::string &text) {
    print_line(outcome, text);
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
    if (added().after_launch)
        added().after_launch();
}

constexpr int calls_of_sample = 8; /* in a row, so that the time between two launches counts less */

/* Measures a launch that has run once and ended: what it computes is of no interest any more. */
template <typename F> void time_launch(F launch) {
    state &s = now();
    if (!s.time || s.is_timed)
        return;
    s.is_timed = true;
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "event");
    check(cudaEventCreate(&end), "event");
    for (int i = 0; i < s.time; i++) {
        check(cudaEventRecord(begin), "event");
        for (int k = 0; k < calls_of_sample; k++)
            launch();
        check(cudaEventRecord(end), "event");
        wait();
        float ms = 0;
        check(cudaEventElapsedTime(&ms, begin, end), "event");
        s.times.push_back(ms * 1000 / calls_of_sample);
    }
    check(cudaEventDestroy(begin), "event");
    check(cudaEventDestroy(end), "event");
}

/* Memory of earlier trials is used again: where processes share a GPU, each call that waits for it waits for all of them. */
inline void *alloc(std::size_t bytes) {
    void *at = nullptr;
    bytes = bytes ? bytes : 1;
    auto found = now().spare.find(bytes);
    if (found != now().spare.end()) {
        at = found->second;
        now().spare.erase(found);
    } else {
        check(cudaMalloc(&at, bytes), "cudaMalloc");
    }
    check(cudaMemsetAsync(at, 0, bytes), "cudaMemset");
    now().memory.emplace(bytes, at);
    return at;
}

inline void end_trial() {
    now().spare.merge(now().memory);
}

inline void release() {
    end_trial();
    for (const auto &[bytes, at] : now().spare)
        check(cudaFree(at), "cudaFree");
    now().spare.clear();
}

/* What a kernel finds in shared memory that it has not written is undefined; usually it is what somebody left there. This leaves
 * something else there each time, in as much of every multiprocessor's memory as a block can have. */
static __global__ void fill_shared(unsigned words, unsigned pattern) {
    extern __shared__ unsigned all_of_it[];
    volatile unsigned *words_of_it = all_of_it; /* so that the stores are needed */
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        words_of_it[i] = pattern * (i + 1) | 1u;
}

inline void spoil_shared() {
    static int bytes = 0, processors = 0;
    if (!now().spoil)
        return;
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
    if (grid.y == 1 && grid.z == 1)
        grid.x *= now().scale;
    if (now().grid && grid.y == 1 && grid.z == 1)
        grid.x = std::min(grid.x, now().grid);
    return grid;
}

inline int usage(const char *program) {
    std::fprintf(stderr, "usage: %s [--trials N] [--single N] [--seconds S] [--seed N] [--grid N] [--spoil 0|1] "
                         "[--time N] [--scale N] CASE...\n", program);
    for (const launch_case &c : cases())
        std::fprintf(stderr, "  %s\n", c.name);
    return 2;
}

inline bool read_option(options &o, const std::string &option, double value) {
    if (option == "--trials")
        o.trials = static_cast<int>(value);
    else if (option == "--single")
        o.single = static_cast<int>(value);
    else if (option == "--seconds")
        o.seconds = value;
    else if (option == "--seed")
        o.seed = static_cast<unsigned>(value);
    else if (option == "--grid")
        o.grid = static_cast<unsigned>(value);
    else if (option == "--spoil")
        o.spoil = value != 0;
    else if (option == "--time")
        o.time = static_cast<int>(value);
    else if (option == "--scale")
        o.scale = static_cast<unsigned>(value);
    else
        return false;
    return true;
}

inline bool read_arguments(options &o, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        if (word.rfind("--", 0) == 0) {
            if (i + 1 == argc || !read_option(o, word, std::atof(argv[i + 1])))
                return false;
            i++;
            continue;
        }
        auto found = std::find_if(cases().begin(), cases().end(), [&](const launch_case &c) { return c.name == word; });
        if (found == cases().end())
            return false;
        o.wanted.push_back(*found);
    }
    return !o.wanted.empty();
}

constexpr double case_seconds = 6;

/* Trials until there are enough, or until they take too long. */
inline void run_trials(void (*run)(), int trials) {
    state &s = now();
    auto begin = std::chrono::steady_clock::now();
    for (s.trial = 0; s.trial < static_cast<unsigned>(trials); s.trial++) {
        if (added().set_skew) /* another pattern of delays each time; 0 would be none */
            added().set_skew((s.seed * 65599u + s.trial) | 0x80000000u);
        s.is_timed = false;
        run();
        end_trial();
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > std::max(case_seconds, 3 * s.seconds))
            break;
    }
}

inline void run_case(const options &asked, const launch_case &c) {
    now() = state();
    static_cast<options &>(now()) = asked;
    now().name = c.name;
    if (added().before_case)
        added().before_case();
    run_trials(c.run, c.single && asked.single ? asked.single : asked.trials);
    release();
    check(cudaDeviceSynchronize(), "end");
    if (added().after_case)
        added().after_case(now().name);
    print_line("done", now().text);
}

inline int main_of(int argc, char **argv, const additions &a) {
    added() = a;
    options asked;
    if (!read_arguments(asked, argc, argv))
        return usage(argv[0]);
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::fprintf(stderr, "%s: no CUDA device: runtime_check needs a GPU of compute capability 7.5 or later\n", argv[0]);
        return 3;
    }
    for (const launch_case &c : asked.wanted)
        run_case(asked, c);
    return 0;
}

} // namespace cuwarp_driver

#define CUWARP_LAUNCH(kernel, grid, block, shared, ...)                                                                     \
    do {                                                                                                                   \
        ::cuwarp_driver::spoil_shared();                                                                                   \
        (kernel)<<<(grid), (block), (shared)>>>(__VA_ARGS__);                                                              \
        ::cuwarp_driver::wait();                                                                                           \
        ::cuwarp_driver::time_launch([&] { (kernel)<<<(grid), (block), (shared)>>>(__VA_ARGS__); });                       \
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

#include "../shapes/rows.hpp"

#endif
