// The runtime library of the host. Its calls mean nothing to the analysis, except the launches: most are declared
// to take anything, which is quick to parse and forgiving about versions.
#pragma once
enum cudaError {
    cudaSuccess,
    cudaErrorInvalidValue,
    cudaErrorMemoryAllocation,
    cudaErrorInitializationError,
    cudaErrorCudartUnloading,
    cudaErrorProfilerDisabled,
    cudaErrorInvalidConfiguration,
    cudaErrorInvalidPitchValue,
    cudaErrorInvalidSymbol,
    cudaErrorInvalidHostPointer,
    cudaErrorInvalidDevicePointer,
    cudaErrorInvalidTexture,
    cudaErrorInvalidChannelDescriptor,
    cudaErrorInvalidMemcpyDirection,
    cudaErrorNotYetImplemented,
    cudaErrorInsufficientDriver,
    cudaErrorInvalidSurface,
    cudaErrorDevicesUnavailable,
    cudaErrorMissingConfiguration,
    cudaErrorLaunchMaxDepthExceeded,
    cudaErrorSyncDepthExceeded,
    cudaErrorLaunchPendingCountExceeded,
    cudaErrorInvalidDeviceFunction,
    cudaErrorNoDevice,
    cudaErrorInvalidDevice,
    cudaErrorStartupFailure,
    cudaErrorNoKernelImageForDevice,
    cudaErrorECCUncorrectable,
    cudaErrorUnsupportedLimit,
    cudaErrorPeerAccessUnsupported,
    cudaErrorInvalidPtx,
    cudaErrorInvalidResourceHandle,
    cudaErrorSymbolNotFound,
    cudaErrorNotReady,
    cudaErrorIllegalAddress,
    cudaErrorLaunchOutOfResources,
    cudaErrorLaunchTimeout,
    cudaErrorPeerAccessAlreadyEnabled,
    cudaErrorPeerAccessNotEnabled,
    cudaErrorAssert,
    cudaErrorHostMemoryAlreadyRegistered,
    cudaErrorHostMemoryNotRegistered,
    cudaErrorIllegalInstruction,
    cudaErrorMisalignedAddress,
    cudaErrorLaunchFailure,
    cudaErrorCooperativeLaunchTooLarge,
    cudaErrorNotPermitted,
    cudaErrorNotSupported,
    cudaErrorStreamCaptureUnsupported,
    cudaErrorGraphExecUpdateFailure,
    cudaErrorUnknown
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout { cudaSharedmemCarveoutDefault, cudaSharedmemCarveoutMaxShared, cudaSharedmemCarveoutMaxL1 };
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount,
    cudaLimitMaxL2FetchGranularity,
    cudaLimitPersistingL2CacheSize
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize,
    cudaFuncAttributePreferredSharedMemoryCarveout,
    cudaFuncAttributeClusterDimMustBeSet,
    cudaFuncAttributeNonPortableClusterSizeAllowed
};
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid,
    cudaMemLocationTypeDevice,
    cudaMemLocationTypeHost,
    cudaMemLocationTypeHostNuma
};
enum cudaMemAllocationType { cudaMemAllocationTypeInvalid, cudaMemAllocationTypePinned };
enum cudaMemAllocationHandleType {
    cudaMemHandleTypeNone,
    cudaMemHandleTypePosixFileDescriptor,
    cudaMemHandleTypeWin32
};
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone, cudaMemAccessFlagsProtRead, cudaMemAccessFlagsProtReadWrite };
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum cudaGraphNodeType {
    cudaGraphNodeTypeKernel,
    cudaGraphNodeTypeMemcpy,
    cudaGraphNodeTypeMemset,
    cudaGraphNodeTypeHost,
    cudaGraphNodeTypeGraph,
    cudaGraphNodeTypeEmpty,
    cudaGraphNodeTypeConditional
};
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf, cudaGraphCondTypeWhile, cudaGraphCondTypeSwitch };
enum cudaGraphExecUpdateResult { cudaGraphExecUpdateSuccess, cudaGraphExecUpdateError };
enum cudaLaunchAttributeID {
    cudaLaunchAttributeIgnore,
    cudaLaunchAttributeAccessPolicyWindow,
    cudaLaunchAttributeCooperative,
    cudaLaunchAttributeSynchronizationPolicy,
    cudaLaunchAttributeClusterDimension,
    cudaLaunchAttributeClusterSchedulingPolicyPreference,
    cudaLaunchAttributeProgrammaticStreamSerialization,
    cudaLaunchAttributeProgrammaticEvent,
    cudaLaunchAttributePriority
};
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMaxBlockDimX,
    cudaDevAttrMaxBlockDimY,
    cudaDevAttrMaxBlockDimZ,
    cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxGridDimY,
    cudaDevAttrMaxGridDimZ,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrTotalConstantMemory,
    cudaDevAttrWarpSize,
    cudaDevAttrMaxPitch,
    cudaDevAttrMaxRegistersPerBlock,
    cudaDevAttrClockRate,
    cudaDevAttrTextureAlignment,
    cudaDevAttrGpuOverlap,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrKernelExecTimeout,
    cudaDevAttrIntegrated,
    cudaDevAttrCanMapHostMemory,
    cudaDevAttrComputeMode,
    cudaDevAttrConcurrentKernels,
    cudaDevAttrMemoryClockRate,
    cudaDevAttrGlobalMemoryBusWidth,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrAsyncEngineCount,
    cudaDevAttrUnifiedAddressing,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrManagedMemory,
    cudaDevAttrConcurrentManagedAccess,
    cudaDevAttrCooperativeLaunch,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxRegistersPerMultiprocessor,
    cudaDevAttrMemoryPoolsSupported,
    cudaDevAttrPageableMemoryAccess,
    cudaDevAttrHostNativeAtomicSupported,
    cudaDevAttrStreamPrioritiesSupported,
    cudaDevAttrCooperativeMultiDeviceLaunch,
    cudaDevAttrClusterLaunch,
    cudaDevAttrMaxBlocksPerMultiprocessor
};
enum cudaDataType_t {
    CUDA_R_32F,
    CUDA_R_64F,
    CUDA_R_16F,
    CUDA_R_8I,
    CUDA_C_32F,
    CUDA_C_64F,
    CUDA_C_16F,
    CUDA_C_8I,
    CUDA_R_8U,
    CUDA_C_8U,
    CUDA_R_32I,
    CUDA_C_32I,
    CUDA_R_32U,
    CUDA_C_32U,
    CUDA_R_16BF,
    CUDA_C_16BF,
    CUDA_R_8F_E4M3,
    CUDA_R_8F_E5M2,
    CUDA_R_64I
};
enum cudaOutputMode { cudaKeyValuePair, cudaCSV };
typedef enum cudaDataType_t cudaDataType;
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };
enum {
    cudaHostAllocDefault,
    cudaHostAllocPortable,
    cudaHostAllocMapped,
    cudaHostAllocWriteCombined,
    cudaHostRegisterDefault,
    cudaHostRegisterPortable,
    cudaHostRegisterMapped,
    cudaHostRegisterIoMemory,
    cudaHostRegisterReadOnly,
    cudaStreamDefault,
    cudaStreamNonBlocking,
    cudaEventDefault,
    cudaEventBlockingSync,
    cudaEventDisableTiming,
    cudaEventInterprocess,
    cudaEventRecordDefault,
    cudaEventRecordExternal,
    cudaEventWaitDefault,
    cudaDeviceScheduleAuto,
    cudaDeviceScheduleSpin,
    cudaDeviceScheduleYield,
    cudaDeviceScheduleBlockingSync,
    cudaDeviceBlockingSync,
    cudaDeviceMapHost,
    cudaDeviceLmemResizeToMax,
    cudaArrayDefault,
    cudaArrayLayered,
    cudaArraySurfaceLoadStore,
    cudaArrayCubemap,
    cudaArrayTextureGather,
    cudaMemAttachGlobal,
    cudaMemAttachHost,
    cudaMemAttachSingle,
    cudaPeerAccessDefault,
    cudaOccupancyDefault,
    cudaOccupancyDisableCachingOverride,
    cudaIpcMemLazyEnablePeerAccess,
    cudaGraphInstantiateFlagAutoFreeOnLaunch,
    cudaGraphInstantiateFlagDeviceLaunch,
    cudaGraphKernelNodePortProgrammatic,
    cudaGraphicsRegisterFlagsNone,
    cudaGraphicsMapFlagsNone,
    cudaGraphicsMapFlagsReadOnly,
    cudaGraphicsMapFlagsWriteDiscard,
    cudaGraphicsRegisterFlagsReadOnly,
    cudaGraphicsRegisterFlagsWriteDiscard,
    cudaExternalMemoryDedicated,
    cudaGraphCondAssignDefault,
    cudaCooperativeLaunchMultiDeviceNoPreSync,
    cudaInitDeviceFlagsAreValid
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct cudaArray *cudaArray_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;
typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUuserObject_st *cudaUserObject_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef unsigned long long cudaGraphConditionalHandle;
typedef void (*cudaHostFn_t)(void *);
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
#define cudaDevicePropDontCare                                                                                         \
    {}
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaUUID_t {
    char bytes[16];
};
typedef cudaUUID_t CUuuid;
struct cudaIpcMemHandle_t {
    char reserved[64];
};
struct cudaIpcEventHandle_t {
    char reserved[64];
};
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
struct cudaMemAccessDesc {
    cudaMemLocation location;
    cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
    cudaMemAllocationType allocType;
    cudaMemAllocationHandleType handleTypes;
    cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
};
struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cudaKernelNodeParams {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
};
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;
};
struct cudaGraphNodeParams {
    cudaGraphNodeType type;
    cudaKernelNodeParams kernel;
    cudaMemcpy3DParms memcpy;
    cudaMemsetParams memset;
    cudaHostNodeParams host;
    cudaConditionalNodeParams conditional;
};
struct cudaGraphExecUpdateResultInfo {
    cudaGraphExecUpdateResult result;
    cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    cudaAccessProperty hitProp, missProp;
};
union cudaStreamAttrValue {
    cudaAccessPolicyWindow accessPolicyWindow;
    int syncPolicy, priority;
};
typedef cudaStreamAttrValue cudaStreamAttributeValue;
typedef cudaLaunchAttributeID cudaStreamAttrID;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
union cudaLaunchAttributeValue {
    char pad[64];
    int cooperative, programmaticStreamSerializationAllowed, priority;
    struct {
        unsigned x, y, z;
    } clusterDim;
    cudaAccessPolicyWindow accessPolicyWindow;
};
struct cudaLaunchAttribute {
    cudaLaunchAttributeID id;
    cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned numAttrs;
};
struct cudaLaunchParams {
    void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
};
struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout;
};
struct cudaPointerAttributes {
    cudaMemoryType type;
    int device;
    void *devicePointer, *hostPointer;
};
struct cudaResourceDesc {
    cudaResourceType resType;
    struct {
        struct {
            cudaArray_t array;
        } array;
        struct {
            cudaMipmappedArray_t mipmap;
        } mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaResourceViewDesc {
    int format;
    size_t width, height, depth;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock, memPitch, totalConstMem, textureAlignment, texturePitchAlignment,
        surfaceAlignment, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, reservedSharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, major, minor,
        deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DLinear[3], maxTexture3D[3],
        maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemap, maxSurface1D, maxSurface2D[2],
        maxSurface3D[3];
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported, regsPerMultiprocessor, managedMemory,
        isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio,
        pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem,
        cooperativeLaunch, cooperativeMultiDeviceLaunch, pageableMemoryAccessUsesHostPageTables,
        directManagedMemAccessFromHost, maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize, memoryPoolsSupported,
        clusterLaunch, hostRegisterSupported;
};
__host__ __device__ cudaError_t cudaMalloc(...), cudaFree(...), cudaMemcpy(...), cudaMemcpyAsync(...), cudaMemset(...),
    cudaMemsetAsync(...), cudaMemset2D(...), cudaMemset2DAsync(...), cudaMemset3D(...), cudaMallocHost(...),
    cudaFreeHost(...), cudaHostAlloc(...), cudaHostGetDevicePointer(...), cudaHostGetFlags(...), cudaHostRegister(...),
    cudaHostUnregister(...), cudaMallocManaged(...), cudaMallocPitch(...), cudaMalloc3D(...), cudaMallocArray(...),
    cudaMalloc3DArray(...), cudaMallocMipmappedArray(...), cudaFreeArray(...), cudaFreeMipmappedArray(...),
    cudaGetMipmappedArrayLevel(...), cudaMallocAsync(...), cudaFreeAsync(...), cudaMallocFromPoolAsync(...),
    cudaMemcpy2D(...), cudaMemcpy2DAsync(...), cudaMemcpy3D(...), cudaMemcpy3DAsync(...), cudaMemcpyPeer(...),
    cudaMemcpyPeerAsync(...), cudaMemcpy3DPeer(...), cudaMemcpy3DPeerAsync(...), cudaMemcpyToSymbol(...),
    cudaMemcpyToSymbolAsync(...), cudaMemcpyFromSymbol(...), cudaMemcpyFromSymbolAsync(...), cudaGetSymbolAddress(...),
    cudaGetSymbolSize(...), cudaMemcpyToArray(...), cudaMemcpyFromArray(...), cudaMemcpyToArrayAsync(...),
    cudaMemcpy2DToArray(...), cudaMemcpy2DFromArray(...), cudaMemcpy2DToArrayAsync(...), cudaMemcpyArrayToArray(...),
    cudaMemGetInfo(...), cudaMemAdvise(...), cudaMemPrefetchAsync(...), cudaMemRangeGetAttribute(...),
    cudaPointerGetAttributes(...), cudaMemPoolCreate(...), cudaMemPoolDestroy(...), cudaMemPoolSetAttribute(...),
    cudaMemPoolGetAttribute(...), cudaMemPoolSetAccess(...), cudaMemPoolTrimTo(...), cudaMemPoolExportPointer(...),
    cudaMemPoolImportPointer(...), cudaMemPoolExportToShareableHandle(...), cudaMemPoolImportFromShareableHandle(...),
    cudaDeviceGetDefaultMemPool(...), cudaDeviceSetMemPool(...), cudaDeviceGetMemPool(...), cudaDeviceSynchronize(...),
    cudaThreadSynchronize(...), cudaThreadExit(...), cudaDeviceReset(...), cudaSetDevice(...), cudaGetDevice(...),
    cudaGetDeviceCount(...), cudaGetDeviceProperties(...), cudaChooseDevice(...), cudaDeviceGetAttribute(...),
    cudaDeviceGetByPCIBusId(...), cudaDeviceGetPCIBusId(...), cudaDeviceGetP2PAttribute(...),
    cudaDeviceGetNvSciSyncAttributes(...), cudaDeviceCanAccessPeer(...), cudaDeviceEnablePeerAccess(...),
    cudaDeviceDisablePeerAccess(...), cudaDeviceSetLimit(...), cudaDeviceGetLimit(...), cudaDeviceSetCacheConfig(...),
    cudaDeviceGetCacheConfig(...), cudaDeviceSetSharedMemConfig(...), cudaDeviceGetSharedMemConfig(...),
    cudaDeviceGetStreamPriorityRange(...), cudaDeviceGraphMemTrim(...), cudaDeviceGetGraphMemAttribute(...),
    cudaDeviceFlushGPUDirectRDMAWrites(...), cudaSetDeviceFlags(...), cudaGetDeviceFlags(...), cudaSetValidDevices(...),
    cudaThreadSetCacheConfig(...), cudaThreadSetLimit(...), cudaGetLastError(...), cudaPeekAtLastError(...),
    cudaDriverGetVersion(...), cudaRuntimeGetVersion(...), cudaStreamCreate(...), cudaStreamCreateWithFlags(...),
    cudaStreamCreateWithPriority(...), cudaStreamDestroy(...), cudaStreamSynchronize(...), cudaStreamQuery(...),
    cudaStreamWaitEvent(...), cudaStreamAddCallback(...), cudaStreamAttachMemAsync(...), cudaStreamGetFlags(...),
    cudaStreamGetPriority(...), cudaStreamGetDevice(...), cudaStreamBeginCapture(...),
    cudaStreamBeginCaptureToGraph(...), cudaStreamEndCapture(...), cudaStreamIsCapturing(...),
    cudaStreamGetCaptureInfo(...), cudaStreamUpdateCaptureDependencies(...), cudaStreamSetAttribute(...),
    cudaStreamGetAttribute(...), cudaStreamCopyAttributes(...), cudaThreadExchangeStreamCaptureMode(...),
    cudaEventCreate(...), cudaEventCreateWithFlags(...), cudaEventRecord(...), cudaEventRecordWithFlags(...),
    cudaEventSynchronize(...), cudaEventQuery(...), cudaEventDestroy(...), cudaEventElapsedTime(...),
    cudaLaunchHostFunc(...), cudaFuncSetCacheConfig(...), cudaFuncSetSharedMemConfig(...), cudaFuncSetAttribute(...),
    cudaFuncGetAttributes(...), cudaFuncGetName(...), cudaGetFuncBySymbol(...),
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(...), cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(...),
    cudaOccupancyMaxPotentialBlockSize(...), cudaOccupancyMaxPotentialBlockSizeWithFlags(...),
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(...), cudaOccupancyAvailableDynamicSMemPerBlock(...),
    cudaOccupancyMaxActiveClusters(...), cudaOccupancyMaxPotentialClusterSize(...), cudaGraphCreate(...),
    cudaGraphDestroy(...), cudaGraphInstantiate(...), cudaGraphInstantiateWithFlags(...), cudaGraphLaunch(...),
    cudaGraphUpload(...), cudaGraphExecDestroy(...), cudaGraphExecUpdate(...), cudaGraphExecKernelNodeSetParams(...),
    cudaGraphExecMemcpyNodeSetParams(...), cudaGraphAddNode(...), cudaGraphAddKernelNode(...),
    cudaGraphAddMemcpyNode(...), cudaGraphAddMemcpyNode1D(...), cudaGraphAddMemsetNode(...), cudaGraphAddHostNode(...),
    cudaGraphAddChildGraphNode(...), cudaGraphAddEmptyNode(...), cudaGraphAddEventRecordNode(...),
    cudaGraphAddEventWaitNode(...), cudaGraphAddMemAllocNode(...), cudaGraphAddMemFreeNode(...),
    cudaGraphAddDependencies(...), cudaGraphClone(...), cudaGraphGetNodes(...), cudaGraphGetEdges(...),
    cudaGraphGetRootNodes(...), cudaGraphNodeGetType(...), cudaGraphNodeFindInClone(...),
    cudaGraphKernelNodeGetParams(...), cudaGraphKernelNodeSetParams(...), cudaGraphMemcpyNodeSetParams(...),
    cudaGraphMemAllocNodeGetParams(...), cudaGraphDebugDotPrint(...), cudaGraphConditionalHandleCreate(...),
    cudaGraphKernelNodeSetAttribute(...), cudaIpcGetMemHandle(...), cudaIpcOpenMemHandle(...),
    cudaIpcCloseMemHandle(...), cudaIpcGetEventHandle(...), cudaIpcOpenEventHandle(...), cudaCreateTextureObject(...),
    cudaDestroyTextureObject(...), cudaGetTextureObjectResourceDesc(...), cudaCreateSurfaceObject(...),
    cudaDestroySurfaceObject(...), cudaBindTexture(...), cudaBindTexture2D(...), cudaBindTextureToArray(...),
    cudaBindTextureToMipmappedArray(...), cudaUnbindTexture(...), cudaBindSurfaceToArray(...),
    cudaGetTextureReference(...), cudaGetTextureAlignmentOffset(...), cudaGetChannelDesc(...), cudaArrayGetInfo(...),
    cudaGraphicsUnregisterResource(...), cudaGraphicsMapResources(...), cudaGraphicsUnmapResources(...),
    cudaGraphicsResourceGetMappedPointer(...), cudaGraphicsSubResourceGetMappedArray(...),
    cudaGraphicsResourceGetMappedMipmappedArray(...), cudaGraphicsResourceSetMapFlags(...),
    cudaGraphicsGLRegisterBuffer(...), cudaGraphicsGLRegisterImage(...), cudaGLSetGLDevice(...),
    cudaGLRegisterBufferObject(...), cudaGLUnregisterBufferObject(...), cudaGLMapBufferObject(...),
    cudaGLUnmapBufferObject(...), cudaGLGetDevices(...), cudaImportExternalMemory(...),
    cudaImportExternalSemaphore(...), cudaDestroyExternalMemory(...), cudaDestroyExternalSemaphore(...),
    cudaExternalMemoryGetMappedBuffer(...), cudaExternalMemoryGetMappedMipmappedArray(...),
    cudaSignalExternalSemaphoresAsync(...), cudaWaitExternalSemaphoresAsync(...), cudaProfilerStart(...),
    cudaProfilerStop(...), cudaProfilerInitialize(...), cudaCtxResetPersistingL2Cache(...),
    cudaGetDriverEntryPoint(...), cudaGetDriverEntryPointByVersion(...), cudaSetupArgument(...), cudaLaunch(...),
    cudaInitDevice(...), cudaSetDoubleForDevice(...), cudaGetExportTable(...);
__device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
__host__ __device__ const char *cudaGetErrorString(cudaError_t error);
__host__ __device__ const char *cudaGetErrorName(cudaError_t error);
template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc();
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind);
cudaChannelFormatDesc cudaCreateChannelDescHalf();
cudaExtent make_cudaExtent(size_t w, size_t h, size_t d);
cudaPos make_cudaPos(size_t x, size_t y, size_t z);
cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch, size_t xsize, size_t ysize);
extern "C" __host__ __device__ unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                                                    void *stream = 0);
extern "C" __host__ __device__ int cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                             cudaStream_t stream = 0);
template <typename T> cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                   size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                        cudaStream_t stream = 0);
template <typename T> cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                                              size_t shared = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchCooperativeKernelMultiDevice(cudaLaunchParams *launches, unsigned n, unsigned flags = 0);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments);
template <typename... P, typename... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(P...), A &&...arguments);
