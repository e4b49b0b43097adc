// cuBLAS: names only, every call takes anything.
#pragma once
#define CUBLAS_API_H_
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
typedef struct cuwarp_cublasHandle_t *cublasHandle_t;
typedef struct cuwarp_cublasXtHandle_t *cublasXtHandle_t;
typedef struct cuwarp_cublasLtHandle_t *cublasLtHandle_t;
typedef struct cuwarp_cublasLtMatmulDesc_t *cublasLtMatmulDesc_t;
typedef struct cuwarp_cublasLtMatrixLayout_t *cublasLtMatrixLayout_t;
typedef struct cuwarp_cublasLtMatmulPreference_t *cublasLtMatmulPreference_t;
enum cublasLtOrder_t {
    CUBLASLT_ORDER_COL,
    CUBLASLT_ORDER_ROW,
    CUBLASLT_ORDER_COL32,
    CUBLASLT_ORDER_COL4_4R2_8C,
    CUBLASLT_ORDER_COL32_2R_4R4
};
enum cublasLtMatrixLayoutAttribute_t {
    CUBLASLT_MATRIX_LAYOUT_TYPE,
    CUBLASLT_MATRIX_LAYOUT_ORDER,
    CUBLASLT_MATRIX_LAYOUT_ROWS,
    CUBLASLT_MATRIX_LAYOUT_COLS,
    CUBLASLT_MATRIX_LAYOUT_LD,
    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
    CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET
};
enum cublasLtMatmulPreferenceAttributes_t {
    CUBLASLT_MATMUL_PREF_SEARCH_MODE,
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
    CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES
};
typedef struct {
    unsigned long long data[8];
} cublasLtMatmulAlgo_t;
enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS,
    CUBLAS_STATUS_NOT_INITIALIZED,
    CUBLAS_STATUS_ALLOC_FAILED,
    CUBLAS_STATUS_INVALID_VALUE,
    CUBLAS_STATUS_ARCH_MISMATCH,
    CUBLAS_STATUS_MAPPING_ERROR,
    CUBLAS_STATUS_EXECUTION_FAILED,
    CUBLAS_STATUS_INTERNAL_ERROR,
    CUBLAS_STATUS_NOT_SUPPORTED,
    CUBLAS_STATUS_LICENSE_ERROR
};
typedef cublasStatus_t cublasStatus;
typedef struct {
    cublasLtMatmulAlgo_t algo;
    size_t workspaceSize;
    cublasStatus_t state;
    float wavesCount;
    int reserved[4];
} cublasLtMatmulHeuristicResult_t;
enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C };
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t { CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH, CUBLAS_PEDANTIC_MATH, CUBLAS_TF32_TENSOR_OP_MATH };
enum cublasComputeType_t {
    CUBLAS_COMPUTE_16F,
    CUBLAS_COMPUTE_16F_PEDANTIC,
    CUBLAS_COMPUTE_32F,
    CUBLAS_COMPUTE_32F_PEDANTIC,
    CUBLAS_COMPUTE_32F_FAST_16F,
    CUBLAS_COMPUTE_32F_FAST_16BF,
    CUBLAS_COMPUTE_32F_FAST_TF32,
    CUBLAS_COMPUTE_64F,
    CUBLAS_COMPUTE_32I
};
enum cublasGemmAlgo_t {
    CUBLAS_GEMM_DFALT,
    CUBLAS_GEMM_DEFAULT,
    CUBLAS_GEMM_DEFAULT_TENSOR_OP,
    CUBLAS_GEMM_ALGO0,
    CUBLAS_GEMM_ALGO1,
    CUBLAS_GEMM_ALGO2
};
cublasStatus_t cublasCreate(...), cublasDestroy(...), cublasSetStream(...), cublasGetStream(...), cublasGetVersion(...),
    cublasSetPointerMode(...), cublasGetPointerMode(...), cublasSetMathMode(...), cublasGetMathMode(...),
    cublasSetWorkspace(...), cublasSetAtomicsMode(...), cublasSetVector(...), cublasGetVector(...),
    cublasSetMatrix(...), cublasGetMatrix(...), cublasSetVectorAsync(...), cublasGetVectorAsync(...),
    cublasSetMatrixAsync(...), cublasGetMatrixAsync(...), cublasGemmEx(...), cublasSgemmEx(...),
    cublasGemmBatchedEx(...), cublasGemmStridedBatchedEx(...), cublasHgemm(...), cublasHgemmBatched(...),
    cublasHgemmStridedBatched(...), cublasIsamax(...), cublasIdamax(...), cublasIsamin(...), cublasIdamin(...),
    cublasAxpyEx(...), cublasDotEx(...), cublasNrm2Ex(...), cublasScalEx(...), cublasLoggerConfigure(...),
    cublasInit(...), cublasShutdown(...), cublasAlloc(...), cublasFree(...), cublasXtCreate(...), cublasXtDestroy(...),
    cublasXtDeviceSelect(...), cublasXtSetBlockDim(...), cublasXtSgemm(...), cublasXtDgemm(...), cublasLtCreate(...),
    cublasLtDestroy(...), cublasLtMatmul(...), cublasLtMatmulDescCreate(...), cublasLtMatmulDescDestroy(...),
    cublasLtMatmulDescSetAttribute(...), cublasLtMatrixLayoutSetAttribute(...),
    cublasLtMatrixLayoutCreate(...), cublasLtMatrixLayoutDestroy(...),
    cublasLtMatmulPreferenceCreate(...), cublasLtMatmulPreferenceDestroy(...),
    cublasLtMatmulPreferenceSetAttribute(...), cublasLtMatmulAlgoGetHeuristic(...), cublasSaxpy(...), cublasDaxpy(...),
    cublasCaxpy(...), cublasZaxpy(...), cublasScopy(...), cublasDcopy(...), cublasCcopy(...), cublasZcopy(...),
    cublasSdot(...), cublasDdot(...), cublasCdot(...), cublasZdot(...), cublasSnrm2(...), cublasDnrm2(...),
    cublasCnrm2(...), cublasZnrm2(...), cublasSasum(...), cublasDasum(...), cublasCasum(...), cublasZasum(...),
    cublasSscal(...), cublasDscal(...), cublasCscal(...), cublasZscal(...), cublasSswap(...), cublasDswap(...),
    cublasCswap(...), cublasZswap(...), cublasSrot(...), cublasDrot(...), cublasCrot(...), cublasZrot(...),
    cublasSgemv(...), cublasDgemv(...), cublasCgemv(...), cublasZgemv(...), cublasSger(...), cublasDger(...),
    cublasCger(...), cublasZger(...), cublasStrsv(...), cublasDtrsv(...), cublasCtrsv(...), cublasZtrsv(...),
    cublasStrsm(...), cublasDtrsm(...), cublasCtrsm(...), cublasZtrsm(...), cublasStrmm(...), cublasDtrmm(...),
    cublasCtrmm(...), cublasZtrmm(...), cublasSsymm(...), cublasDsymm(...), cublasCsymm(...), cublasZsymm(...),
    cublasSsyrk(...), cublasDsyrk(...), cublasCsyrk(...), cublasZsyrk(...), cublasSsyr2k(...), cublasDsyr2k(...),
    cublasCsyr2k(...), cublasZsyr2k(...), cublasSgemm(...), cublasDgemm(...), cublasCgemm(...), cublasZgemm(...),
    cublasSgemmBatched(...), cublasDgemmBatched(...), cublasCgemmBatched(...), cublasZgemmBatched(...),
    cublasSgemmStridedBatched(...), cublasDgemmStridedBatched(...), cublasCgemmStridedBatched(...),
    cublasZgemmStridedBatched(...), cublasSgeam(...), cublasDgeam(...), cublasCgeam(...), cublasZgeam(...),
    cublasSdgmm(...), cublasDdgmm(...), cublasCdgmm(...), cublasZdgmm(...), cublasSgetrfBatched(...),
    cublasDgetrfBatched(...), cublasCgetrfBatched(...), cublasZgetrfBatched(...), cublasSgetrsBatched(...),
    cublasDgetrsBatched(...), cublasCgetrsBatched(...), cublasZgetrsBatched(...), cublasSgetriBatched(...),
    cublasDgetriBatched(...), cublasCgetriBatched(...), cublasZgetriBatched(...), cublasStrsmBatched(...),
    cublasDtrsmBatched(...), cublasCtrsmBatched(...), cublasZtrsmBatched(...), cublasSsymv(...), cublasDsymv(...),
    cublasCsymv(...), cublasZsymv(...), cublasSgbmv(...), cublasDgbmv(...), cublasCgbmv(...), cublasZgbmv(...),
    cublasDgemm_v2(...), cublasSgemm_v2(...);
const char *cublasGetStatusString(cublasStatus_t s);
const char *cublasGetStatusName(cublasStatus_t s);
