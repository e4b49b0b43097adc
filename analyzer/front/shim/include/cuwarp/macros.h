#pragma once
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 48
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define __CUDA_ARCH_LIST__ 750
#ifndef CUDART_VERSION
#define CUDART_VERSION 13000
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION CUDART_VERSION
#endif
#define __CUWARP__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __grid_constant__
#define __launch_bounds__(...) \
    __attribute__((launch_bounds(__VA_ARGS__), annotate("cuwarp_launch_bounds", __VA_ARGS__)))
#define __maxnreg__(n)
#define __block_size__(...)
#define __cluster_dims__(...) __attribute__((annotate("cuwarp_cluster_dims", __VA_ARGS__)))
#define __nv_is_extended_device_lambda_closure_type(...) true
#define __nv_is_extended_host_device_lambda_closure_type(...) true
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __nv_pure__
#define __nv_noinline__ __attribute__((noinline))
#define __nv_tex_surf_handler__
#define __thread__ __thread
#define __specialization_static static
#define __no_sc__
#define __annotate__(a) __attribute__((a))
#define __location__(a) __attribute__((a))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDAAPI
#define CUDA_CB
#define CUDA_STDCALL
#define __cdecl
#define __stdcall
#define __declspec(x)
#define __host_builtin__
#define nv_weak __attribute__((weak))
// Guards of the toolkit's headers that other headers ask for.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __HOST_DEFINES_H__
