// The driver interface of the host.
#pragma once
#define __cuda_cuda_h__
typedef enum cudaError_enum {
    CUDA_SUCCESS,
    CUDA_ERROR_INVALID_VALUE,
    CUDA_ERROR_OUT_OF_MEMORY,
    CUDA_ERROR_NOT_INITIALIZED,
    CUDA_ERROR_DEINITIALIZED,
    CUDA_ERROR_NO_DEVICE,
    CUDA_ERROR_INVALID_DEVICE,
    CUDA_ERROR_INVALID_IMAGE,
    CUDA_ERROR_INVALID_CONTEXT,
    CUDA_ERROR_NO_BINARY_FOR_GPU,
    CUDA_ERROR_INVALID_SOURCE,
    CUDA_ERROR_FILE_NOT_FOUND,
    CUDA_ERROR_INVALID_HANDLE,
    CUDA_ERROR_NOT_FOUND,
    CUDA_ERROR_NOT_READY,
    CUDA_ERROR_LAUNCH_FAILED,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
    CUDA_ERROR_LAUNCH_TIMEOUT,
    CUDA_ERROR_ILLEGAL_ADDRESS,
    CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
    CUDA_ERROR_NOT_SUPPORTED,
    CUDA_ERROR_UNKNOWN
} CUresult;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUkern_st *CUkernel;
typedef struct CUlib_st *CUlibrary;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUextSemaphore_st *CUexternalSemaphore;
typedef struct CUgraph_st *CUgraph;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUeglStreamConnection_st *CUeglStreamConnection;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY,
    CU_DEVICE_ATTRIBUTE_INTEGRATED,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED
} CUdevice_attribute;
typedef enum CUmemAllocationType_enum { CU_MEM_ALLOCATION_TYPE_PINNED } CUmemAllocationType;
typedef enum CUmemLocationType_enum { CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST } CUmemLocationType;
typedef enum CUmemAccess_flags_enum {
    CU_MEM_ACCESS_FLAGS_PROT_READ,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE
} CUmemAccess_flags;
typedef enum CUmemAllocationGranularity_flags_enum {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED
} CUmemAllocationGranularity_flags;
typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
    CU_MEM_HANDLE_TYPE_WIN32
} CUmemAllocationHandleType;
typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
    CU_FUNC_ATTRIBUTE_NUM_REGS
} CUfunction_attribute;
typedef enum CUarray_format_enum {
    CU_AD_FORMAT_UNSIGNED_INT8,
    CU_AD_FORMAT_UNSIGNED_INT32,
    CU_AD_FORMAT_FLOAT,
    CU_AD_FORMAT_HALF
} CUarray_format;
typedef enum CUjit_option_enum {
    CU_JIT_MAX_REGISTERS,
    CU_JIT_INFO_LOG_BUFFER,
    CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_ERROR_LOG_BUFFER,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    CU_JIT_LOG_VERBOSE,
    CU_JIT_WALL_TIME,
    CU_JIT_INPUT_PTX_,
    CU_JIT_TARGET
} CUjit_option;
typedef enum CUjitInputType_enum {
    CU_JIT_INPUT_CUBIN,
    CU_JIT_INPUT_PTX,
    CU_JIT_INPUT_FATBINARY,
    CU_JIT_INPUT_LIBRARY
} CUjitInputType;
typedef enum CUtensorMapDataType_enum {
    CU_TENSOR_MAP_DATA_TYPE_UINT8,
    CU_TENSOR_MAP_DATA_TYPE_INT32,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
    CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
    CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave_enum { CU_TENSOR_MAP_INTERLEAVE_NONE } CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle_enum { CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B } CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion_enum { CU_TENSOR_MAP_L2_PROMOTION_NONE } CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill_enum { CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE } CUtensorMapFloatOOBfill;
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};
struct CUmemLocation {
    CUmemLocationType type;
    int id;
};
struct CUmemAllocationProp {
    CUmemAllocationType type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    struct {
        unsigned char gpuDirectRDMACapable;
    } allocFlags;
};
typedef struct CUmemDecompressParams_st {
    size_t srcNumBytes, dstNumBytes;
    unsigned *dstActBytes;
    const void *src;
    void *dst;
    int algo;
} CUmemDecompressParams;
struct CUmemAccessDesc {
    CUmemLocation location;
    CUmemAccess_flags flags;
};
struct CUdevprop {
    int maxThreadsPerBlock;
};
struct CUlaunchConfig {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
};
#define CU_CTX_SCHED_AUTO 0
#define CU_STREAM_DEFAULT 0
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
#define CUDAAPI
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define CU_LAUNCH_PARAM_END ((void *)0)
CUresult cuArray3DCreate(...), cuArray3DGetDescriptor(...), cuArrayCreate(...), cuArrayDestroy(...),
    cuArrayGetDescriptor(...), cuCtxAttach(...), cuCtxCreate(...), cuCtxDestroy(...), cuCtxDetach(...),
    cuCtxDisablePeerAccess(...), cuCtxEnablePeerAccess(...), cuCtxGetApiVersion(...), cuCtxGetCurrent(...),
    cuCtxGetDevice(...), cuCtxGetLimit(...), cuCtxPopCurrent(...), cuCtxPushCurrent(...), cuCtxSetCurrent(...),
    cuCtxSetLimit(...), cuCtxSynchronize(...), cuDevice(...), cuDeviceCanAccessPeer(...),
    cuDeviceComputeCapability(...), cuDeviceGet(...), cuDeviceGetAttribute(...), cuDeviceGetCount(...),
    cuDeviceGetName(...), cuDeviceGetProperties(...), cuDeviceGetUuid(...), cuDevicePrimaryCtxRelease(...),
    cuDevicePrimaryCtxRetain(...), cuDeviceTotalMem(...), cuDriverGetVersion(...), cuEGLStreamConsumerAcquireFrame(...),
    cuEGLStreamConsumerConnect(...), cuEGLStreamConsumerDisconnect(...), cuEGLStreamConsumerReleaseFrame(...),
    cuEGLStreamProducerConnect(...), cuEGLStreamProducerDisconnect(...), cuEGLStreamProducerPresentFrame(...),
    cuEGLStreamProducerReturnFrame(...), cuEventCreate(...), cuEventCreateFromEGLSync(...), cuEventDestroy(...),
    cuEventElapsedTime(...), cuEventQuery(...), cuEventRecord(...), cuEventSynchronize(...), cuFuncGetAttribute(...),
    cuFuncSetAttribute(...), cuFuncSetBlockShape(...), cuFuncSetCacheConfig(...), cuFuncSetSharedMemConfig(...),
    cuFuncSetSharedSize(...), cuFunction(...), cuGet(...), cuGetErrorName(...), cuGetErrorString(...),
    cuGetExportTable(...), cuGraphicsEGLRegisterImage(...), cuGraphicsMapResources(...),
    cuGraphicsResourceGetMappedEglFrame(...), cuGraphicsResourceGetMappedPointer(...),
    cuGraphicsResourceSetMapFlags(...), cuGraphicsSubResourceGetMappedArray(...), cuGraphicsUnmapResources(...),
    cuGraphicsUnregisterResource(...), cuInit(...), cuLaunch(...), cuLaunchCooperativeKernel(...),
    cuLaunchCooperativeKernelMultiDevice(...), cuLaunchGrid(...), cuLaunchGridAsync(...), cuLaunchKernel(...),
    cuLaunchKernelEx(...), cuLinkAddData(...), cuLinkAddFile(...), cuLinkComplete(...), cuLinkCreate(...),
    cuLinkDestroy(...), cuMemAddressFree(...), cuMemAddressReserve(...), cuMemAlloc(...), cuMemAllocHost(...),
    cuMemAllocPitch(...), cuMemCpy(...), cuMemCpy3D(...), cuMemCreate(...), cuMemExportToShareableHandle(...),
    cuMemFree(...), cuMemFreeHost(...), cuMemGetAddressRange(...), cuMemGetAllocationGranularity(...),
    cuMemGetAllocationPropertiesFromHandle(...), cuMemGetInfo(...), cuMemHostAlloc(...), cuMemHostGetDevicePointer(...),
    cuMemHostGetFlags(...), cuMemHostRegister(...), cuMemHostUnregister(...), cuMemImportFromShareableHandle(...),
    cuMemMap(...), cuMemPeerGetDevicePointer(...), cuMemPeerRegister(...), cuMemPeerUnregister(...), cuMemRelease(...),
    cuMemSetAccess(...), cuMemUnmap(...), cuMemcpy2D(...), cuMemcpy2DAsync(...), cuMemcpy2DUnaligned(...),
    cuMemcpy3D(...), cuMemcpy3DAsync(...), cuMemcpyAtoA(...), cuMemcpyAtoD(...), cuMemcpyAtoH(...),
    cuMemcpyAtoHAsync(...), cuMemcpyDtoA(...), cuMemcpyDtoD(...), cuMemcpyDtoDAsync(...), cuMemcpyDtoH(...),
    cuMemcpyDtoHAsync(...), cuMemcpyHtoA(...), cuMemcpyHtoAAsync(...), cuMemcpyHtoD(...), cuMemcpyHtoDAsync(...),
    cuMemcpyPeer(...), cuMemsetD16(...), cuMemsetD2D16(...), cuMemsetD2D32(...), cuMemsetD2D8(...), cuMemsetD32(...),
    cuMemsetD8(...), cuModuleGetFunction(...), cuModuleGetGlobal(...), cuModuleGetSurfRef(...), cuModuleGetTexRef(...),
    cuModuleLoad(...), cuModuleLoadData(...), cuModuleLoadDataEx(...), cuModuleLoadFatBinary(...), cuModuleUnload(...),
    cuOccupancyMaxActiveBlocksPerMultiprocessor(...), cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(...),
    cuOccupancyMaxPotentialBlockSize(...), cuParamSetSize(...), cuParamSetTexRef(...), cuParamSetf(...),
    cuParamSeti(...), cuParamSetv(...), cuStreamAddCallback(...), cuStreamCreate(...), cuStreamDestroy(...),
    cuStreamQuery(...), cuStreamSynchronize(...), cuStreamWaitEvent(...), cuTensorMapEncodeTiled(...),
    cuTexObjectCreate(...), cuTexObjectDestroy(...), cuTexRefCreate(...), cuTexRefDestroy(...), cuTexRefGetAddress(...),
    cuTexRefGetAddressMode(...), cuTexRefGetArray(...), cuTexRefGetFilterMode(...), cuTexRefGetFlags(...),
    cuTexRefGetFormat(...), cuTexRefSetAddress(...), cuTexRefSetAddress2D(...), cuTexRefSetAddressMode(...),
    cuTexRefSetArray(...), cuTexRefSetFilterMode(...), cuTexRefSetFlags(...), cuTexRefSetFormat(...);
