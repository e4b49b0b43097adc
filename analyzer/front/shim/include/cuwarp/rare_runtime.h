// Calls of the runtime library that few programs make.
#pragma once
#include "cuwarp/runtime.h"
#define cudaEventWaitExternal 1
#define cudaDeviceMask 0xff
#define cudaDeviceScheduleMask 7
#define cudaDeviceSyncMemops 0x80
#define cudaGraphKernelNodePortDefault 0
#define cudaGraphKernelNodePortLaunchCompletion 2
#define cudaArrayColorAttachment 0x20
#define cudaArraySparse 0x40
#define cudaArrayDeferredMapping 0x80
#define CUDA_IPC_HANDLE_SIZE 64
cudaError_t cudaArrayGetMemoryRequirements(...), cudaArrayGetPlane(...), cudaArrayGetSparseProperties(...),
    cudaFuncGetParamInfo(...), cudaGetSurfaceObjectResourceDesc(...), cudaGetTextureObjectResourceViewDesc(...),
    cudaGetTextureObjectTextureDesc(...), cudaGraphAddExternalSemaphoresSignalNode(...),
    cudaGraphAddExternalSemaphoresWaitNode(...), cudaGraphAddMemcpyNodeFromSymbol(...),
    cudaGraphAddMemcpyNodeToSymbol(...), cudaGraphChildGraphNodeGetGraph(...), cudaGraphDestroyNode(...),
    cudaGraphEventRecordNodeGetEvent(...), cudaGraphEventRecordNodeSetEvent(...), cudaGraphEventWaitNodeGetEvent(...),
    cudaGraphEventWaitNodeSetEvent(...), cudaGraphExecChildGraphNodeSetParams(...),
    cudaGraphExecEventRecordNodeSetEvent(...), cudaGraphExecEventWaitNodeSetEvent(...),
    cudaGraphExecExternalSemaphoresSignalNodeSetParams(...), cudaGraphExecExternalSemaphoresWaitNodeSetParams(...),
    cudaGraphExecGetFlags(...), cudaGraphExecHostNodeSetParams(...), cudaGraphExecMemcpyNodeSetParams1D(...),
    cudaGraphExecMemcpyNodeSetParamsFromSymbol(...), cudaGraphExecMemcpyNodeSetParamsToSymbol(...),
    cudaGraphExecMemsetNodeSetParams(...), cudaGraphExecNodeSetParams(...),
    cudaGraphExternalSemaphoresSignalNodeGetParams(...), cudaGraphExternalSemaphoresSignalNodeSetParams(...),
    cudaGraphExternalSemaphoresWaitNodeGetParams(...), cudaGraphExternalSemaphoresWaitNodeSetParams(...),
    cudaGraphHostNodeGetParams(...), cudaGraphHostNodeSetParams(...), cudaGraphInstantiateWithParams(...),
    cudaGraphKernelNodeCopyAttributes(...), cudaGraphKernelNodeGetAttribute(...), cudaGraphMemFreeNodeGetParams(...),
    cudaGraphMemcpyNodeGetParams(...), cudaGraphMemcpyNodeSetParams1D(...),
    cudaGraphMemcpyNodeSetParamsFromSymbol(...), cudaGraphMemcpyNodeSetParamsToSymbol(...),
    cudaGraphMemsetNodeGetParams(...), cudaGraphMemsetNodeSetParams(...), cudaGraphNodeGetDependencies(...),
    cudaGraphNodeGetDependentNodes(...), cudaGraphNodeGetEnabled(...), cudaGraphNodeSetEnabled(...),
    cudaGraphNodeSetParams(...), cudaGraphReleaseUserObject(...), cudaGraphRemoveDependencies(...),
    cudaGraphRetainUserObject(...), cudaKernelSetAttributeForDevice(...), cudaLibraryEnumerateKernels(...),
    cudaLibraryGetGlobal(...), cudaLibraryGetKernel(...), cudaLibraryGetKernelCount(...), cudaLibraryGetManaged(...),
    cudaLibraryGetUnifiedFunction(...), cudaLibraryLoadData(...), cudaLibraryLoadFromFile(...),
    cudaLibraryUnload(...), cudaLogsDumpToFile(...), cudaLogsDumpToMemory(...), cudaLogsRegisterCallback(...),
    cudaLogsUnregisterCallback(...), cudaMemDiscardAndPrefetchBatchAsync(...), cudaMemDiscardBatchAsync(...),
    cudaMemGetDefaultMemPool(...), cudaMemGetMemPool(...), cudaMemPoolGetAccess(...), cudaMemPrefetchBatchAsync(...),
    cudaMemRangeGetAttributes(...), cudaMemSetMemPool(...), cudaMemcpy2DArrayToArray(...),
    cudaMemcpy2DFromArrayAsync(...), cudaMemcpy3DBatchAsync(...), cudaMemcpyFromArrayAsync(...),
    cudaMemset3DAsync(...), cudaMipmappedArrayGetMemoryRequirements(...), cudaMipmappedArrayGetSparseProperties(...),
    cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(...), cudaStreamGetId(...), cudaUserObjectCreate(...),
    cudaUserObjectRelease(...), cudaUserObjectRetain(...);
