// cuFFT: names only.
#pragma once
#define _CUFFT_H_
#include "cuComplex.h"
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;
enum cufftResult_t {
    CUFFT_SUCCESS,
    CUFFT_INVALID_PLAN,
    CUFFT_ALLOC_FAILED,
    CUFFT_INVALID_TYPE,
    CUFFT_INVALID_VALUE,
    CUFFT_INTERNAL_ERROR,
    CUFFT_EXEC_FAILED,
    CUFFT_SETUP_FAILED,
    CUFFT_INVALID_SIZE,
    CUFFT_UNALIGNED_DATA,
    CUFFT_INVALID_DEVICE,
    CUFFT_NO_WORKSPACE,
    CUFFT_NOT_IMPLEMENTED,
    CUFFT_NOT_SUPPORTED,
    CUFFT_MISSING_DEPENDENCY,
    CUFFT_NVRTC_FAILURE,
    CUFFT_NVJITLINK_FAILURE,
    CUFFT_NVSHMEM_FAILURE
};
typedef cufftResult_t cufftResult;
enum cufftType_t { CUFFT_R2C, CUFFT_C2R, CUFFT_C2C, CUFFT_D2Z, CUFFT_Z2D, CUFFT_Z2Z };
typedef cufftType_t cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
enum cufftXtSubFormat {
    CUFFT_XT_FORMAT_INPUT,
    CUFFT_XT_FORMAT_OUTPUT,
    CUFFT_XT_FORMAT_INPLACE,
    CUFFT_XT_FORMAT_INPLACE_SHUFFLED
};
enum cufftXtCopyType { CUFFT_COPY_HOST_TO_DEVICE, CUFFT_COPY_DEVICE_TO_HOST, CUFFT_COPY_DEVICE_TO_DEVICE };
enum cufftXtCallbackType { CUFFT_CB_LD_COMPLEX, CUFFT_CB_LD_REAL, CUFFT_CB_ST_COMPLEX, CUFFT_CB_ST_REAL };
struct cudaXtDesc {
    int version, nGPUs, GPUs[64];
    void *data[64];
    size_t size[64];
    void *cudaXtState;
};
struct cudaLibXtDesc {
    int version;
    cudaXtDesc *descriptor;
    int library, subFormat;
    void *libDescriptor;
};
typedef cufftComplex (*cufftCallbackLoadC)(void *in, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *out, size_t offset, cufftComplex v, void *info, void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *in, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *out, size_t offset, cufftReal v, void *info, void *shared);
cufftResult_t cufftCreate(...), cufftDestroy(...), cufftPlan1d(...), cufftPlan2d(...), cufftPlan3d(...),
    cufftPlanMany(...), cufftMakePlan1d(...), cufftMakePlan2d(...), cufftMakePlan3d(...), cufftMakePlanMany(...),
    cufftSetStream(...), cufftSetWorkArea(...), cufftSetAutoAllocation(...), cufftGetSize(...), cufftGetVersion(...),
    cufftEstimate1d(...), cufftExecC2C(...), cufftExecR2C(...), cufftExecC2R(...), cufftExecZ2Z(...), cufftExecD2Z(...),
    cufftExecZ2D(...), cufftXtSetGPUs(...), cufftXtMalloc(...), cufftXtFree(...), cufftXtMemcpy(...), cufftXtExec(...),
    cufftXtExecDescriptor(...), cufftXtExecDescriptorC2C(...), cufftXtMakePlanMany(...), cufftXtSetCallback(...),
    cufftXtQueryPlan(...);
