/* Written by `cuwarp-lint perturb`: delays the threads of a warp by different amounts at the places that call
 * CUWARP_SKEW.
 *
 * Only timing changes: a program whose result changes rests on an order that nothing guarantees. The amounts depend on
 * the seed, the place's number, and the thread, so a seed repeats its pattern. An odd seed parts the threads of a warp;
 * an even one makes one warp in four late at every place and no other.
 *
 *   -DCUWARP_SKEW_SEED=N           the seed (default 1; 0: no delays)
 *   CUWARP_SKEW_SEED=N program     the same when the program starts, for programs linked with the CUDA runtime
 *   -DCUWARP_SKEW_NANOSECONDS=N    the longest delay (default 4096)
 *   -DCUWARP_NO_SKEW               nothing at all
 *   -DCUWARP_SKEW_NO_ENVIRONMENT   no host code
 */
#ifndef CUWARP_SKEW_H
#define CUWARP_SKEW_H

#if defined(CUWARP_NO_SKEW) || defined(__CUWARP__) || !(defined(__CUDACC__) || defined(__CUDA__))
#define CUWARP_SKEW(id) ((void)0)
#else
#define CUWARP_SKEW(id) ::cuwarp_skew_wait(id##u)

#ifndef CUWARP_SKEW_SEED
#define CUWARP_SKEW_SEED 1
#endif
#ifndef CUWARP_SKEW_NANOSECONDS
#define CUWARP_SKEW_NANOSECONDS 4096
#endif

/* One for each translation unit: nothing needs to be linked with it. */
static __device__ __attribute__((unused)) unsigned cuwarp_skew_seed = CUWARP_SKEW_SEED;

/* The finaliser of MurmurHash3 (Austin Appleby): every bit of x reaches every bit of the result. */
static __device__ __forceinline__ unsigned cuwarp_skew_mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    return x ^ x >> 16;
}

static __device__ __forceinline__ void cuwarp_skew_sleep(unsigned nanoseconds) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    __nanosleep(nanoseconds);
#else
    long long start = clock64();
    while (clock64() - start < nanoseconds)
        continue;
#endif
}

/* Even seeds: the same warps are late everywhere, so that others overtake them by as much as the code lets them.
 * Odd seeds: half of the threads wait: a lane that goes on at once meets one that does not, whatever the amounts are.
 * One warp in four does not wait at all: where each has somebody who waits long, all warps are late by the same. */
static __host__ __device__ __forceinline__ void cuwarp_skew_wait(unsigned id) {
#if defined(__CUDA_ARCH__)
    if (cuwarp_skew_seed == 0)
        return;
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned own_warp = cuwarp_skew_mix(thread / 32u + 32u * block);
    if (cuwarp_skew_seed % 2u == 0) {
        if ((cuwarp_skew_mix(cuwarp_skew_seed ^ own_warp) & 3u) == 0)
            cuwarp_skew_sleep(CUWARP_SKEW_NANOSECONDS);
        return;
    }
    unsigned place = id + 0x9e3779b9u * cuwarp_skew_mix(thread + 1024u * block);
    unsigned warp = ~id + 0x9e3779b9u * own_warp;
    unsigned h = cuwarp_skew_mix(cuwarp_skew_seed ^ cuwarp_skew_mix(place));
    if ((h & 1u) && (cuwarp_skew_mix(cuwarp_skew_seed ^ cuwarp_skew_mix(warp)) & 3u))
        cuwarp_skew_sleep((h >> 1) % (CUWARP_SKEW_NANOSECONDS + 1u));
#else
    (void)id;
#endif
}

#if !defined(__CUDACC_RTC__) && !defined(CUWARP_SKEW_NO_ENVIRONMENT)
#include <stdio.h>
#include <stdlib.h>

/* For all devices that the program can see; the one in use stays the one in use. Returns what the runtime says. */
static __attribute__((unused)) cudaError_t cuwarp_skew_set_seed(unsigned seed) {
    int devices = 0, used = 0;
    cudaError_t status = cudaGetDeviceCount(&devices);
    if (status == cudaSuccess)
        status = cudaGetDevice(&used);
    for (int d = 0; d < devices && status == cudaSuccess; d++) {
        status = cudaSetDevice(d);
        if (status == cudaSuccess)
            status = cudaMemcpyToSymbol(cuwarp_skew_seed, &seed, sizeof seed);
    }
    if (devices)
        cudaSetDevice(used);
    return status;
}

/* Without the variable in the environment the runtime is not touched. */
struct cuwarp_skew_environment {
    cuwarp_skew_environment() {
        const char *text = getenv("CUWARP_SKEW_SEED");
        if (!text || !*text)
            return;
        cudaError_t status = cuwarp_skew_set_seed((unsigned)strtoul(text, NULL, 0));
        if (status == cudaSuccess)
            return;
        cudaGetLastError();
        fprintf(stderr, "cuwarp-skew: CUWARP_SKEW_SEED has no effect here (%s); use -DCUWARP_SKEW_SEED=%s\n",
                cudaGetErrorString(status), text);
    }
};
static __attribute__((unused)) cuwarp_skew_environment cuwarp_skew_from_environment;
#endif
#endif
#endif
