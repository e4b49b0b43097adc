#pragma once
typedef struct cuwarp_ncclComm *ncclComm_t;
struct ncclUniqueId {
    char internal[128];
};
enum ncclResult_t {
    ncclSuccess,
    ncclUnhandledCudaError,
    ncclSystemError,
    ncclInternalError,
    ncclInvalidArgument,
    ncclInvalidUsage
};
enum ncclDataType_t {
    ncclInt8,
    ncclUint8,
    ncclInt32,
    ncclInt = ncclInt32,
    ncclUint32,
    ncclInt64,
    ncclUint64,
    ncclFloat16,
    ncclHalf = ncclFloat16,
    ncclFloat32,
    ncclFloat = ncclFloat32,
    ncclFloat64,
    ncclDouble = ncclFloat64,
    ncclBfloat16
};
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
ncclResult_t ncclCommInitAll(...), ncclCommInitRank(...), ncclCommDestroy(...), ncclCommCount(...),
    ncclGetUniqueId(...), ncclGroupStart(...), ncclGroupEnd(...), ncclAllReduce(...), ncclBroadcast(...),
    ncclReduce(...), ncclAllGather(...), ncclReduceScatter(...), ncclSend(...), ncclRecv(...);
const char *ncclGetErrorString(ncclResult_t r);
