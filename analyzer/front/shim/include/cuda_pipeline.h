#pragma once
#include "cuda_pipeline_primitives.h"
#include "cuda/pipeline"
namespace nvcuda {
namespace experimental {
struct pipeline {
    __device__ size_t commit() {
        __pipeline_commit();
        return 0;
    }
    __device__ void wait(size_t) { __pipeline_wait_prior(0); }
    template <unsigned N> __device__ void wait_prior() { __pipeline_wait_prior(N); }
    __device__ void commit_and_wait() {
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
};
template <typename T> __device__ inline void memcpy_async(T &to, const T &from, pipeline &) {
    __pipeline_memcpy_async(&to, &from, sizeof(T));
}
}
}
