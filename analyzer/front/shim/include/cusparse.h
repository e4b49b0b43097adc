// cuSPARSE: names only.
#pragma once
#define CUSPARSEAPI
#include "cuComplex.h"
typedef struct cuwarp_cusparseHandle_t *cusparseHandle_t;
typedef struct cuwarp_cusparseMatDescr_t *cusparseMatDescr_t;
typedef struct cuwarp_cusparseSpMatDescr_t *cusparseSpMatDescr_t;
typedef struct cuwarp_cusparseDnMatDescr_t *cusparseDnMatDescr_t;
typedef struct cuwarp_cusparseDnVecDescr_t *cusparseDnVecDescr_t;
typedef struct cuwarp_cusparseSpVecDescr_t *cusparseSpVecDescr_t;
typedef struct cuwarp_cusparseSpSVDescr_t *cusparseSpSVDescr_t;
typedef struct cuwarp_cusparseSpSMDescr_t *cusparseSpSMDescr_t;
typedef struct cuwarp_cusparseSpGEMMDescr_t *cusparseSpGEMMDescr_t;
typedef struct cuwarp_csrilu02Info_t *csrilu02Info_t;
typedef struct cuwarp_csrsv2Info_t *csrsv2Info_t;
typedef struct cuwarp_csric02Info_t *csric02Info_t;
typedef struct cuwarp_csrsm2Info_t *csrsm2Info_t;
enum cusparseStatus_t {
    CUSPARSE_STATUS_SUCCESS,
    CUSPARSE_STATUS_NOT_INITIALIZED,
    CUSPARSE_STATUS_ALLOC_FAILED,
    CUSPARSE_STATUS_INVALID_VALUE,
    CUSPARSE_STATUS_ARCH_MISMATCH,
    CUSPARSE_STATUS_MAPPING_ERROR,
    CUSPARSE_STATUS_EXECUTION_FAILED,
    CUSPARSE_STATUS_INTERNAL_ERROR,
    CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    CUSPARSE_STATUS_ZERO_PIVOT,
    CUSPARSE_STATUS_NOT_SUPPORTED,
    CUSPARSE_STATUS_INSUFFICIENT_RESOURCES
};
enum cusparseOperation_t {
    CUSPARSE_OPERATION_NON_TRANSPOSE,
    CUSPARSE_OPERATION_TRANSPOSE,
    CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
};
enum cusparseIndexType_t { CUSPARSE_INDEX_16U, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I };
enum cusparseIndexBase_t { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE };
enum cusparseMatrixType_t {
    CUSPARSE_MATRIX_TYPE_GENERAL,
    CUSPARSE_MATRIX_TYPE_SYMMETRIC,
    CUSPARSE_MATRIX_TYPE_HERMITIAN,
    CUSPARSE_MATRIX_TYPE_TRIANGULAR
};
enum cusparseFillMode_t { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER };
enum cusparseDiagType_t { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT };
enum cusparsePointerMode_t { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE };
enum cusparseSolvePolicy_t { CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL };
enum cusparseSpMVAlg_t { CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2 };
enum cusparseSpMMAlg_t {
    CUSPARSE_SPMM_ALG_DEFAULT,
    CUSPARSE_SPMM_CSR_ALG1,
    CUSPARSE_SPMM_CSR_ALG2,
    CUSPARSE_SPMM_CSR_ALG3,
    CUSPARSE_SPMM_COO_ALG1,
    CUSPARSE_SPMM_COO_ALG2,
    CUSPARSE_SPMM_COO_ALG3,
    CUSPARSE_SPMM_COO_ALG4
};
enum cusparseSpSVAlg_t { CUSPARSE_SPSV_ALG_DEFAULT };
enum cusparseSpMatAttribute_t { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE };
enum cusparseOrder_t { CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW };
enum cusparseAction_t { CUSPARSE_ACTION_SYMBOLIC, CUSPARSE_ACTION_NUMERIC };
cusparseStatus_t cusparseCreate(...), cusparseDestroy(...), cusparseSetStream(...), cusparseSetPointerMode(...),
    cusparseCreateMatDescr(...), cusparseDestroyMatDescr(...), cusparseSetMatType(...), cusparseSetMatIndexBase(...),
    cusparseGetMatIndexBase(...), cusparseSetMatFillMode(...), cusparseSetMatDiagType(...), cusparseCreateCsr(...),
    cusparseCreateCoo(...), cusparseCreateCsc(...), cusparseDestroySpMat(...), cusparseCreateDnVec(...),
    cusparseDestroyDnVec(...), cusparseDnVecSetValues(...), cusparseCreateDnMat(...), cusparseDestroyDnMat(...),
    cusparseCreateSpVec(...), cusparseDestroySpVec(...), cusparseSpMatSetAttribute(...), cusparseSpMV(...),
    cusparseSpMV_bufferSize(...), cusparseSpMV_preprocess(...), cusparseSpMM(...), cusparseSpMM_bufferSize(...),
    cusparseSpVV(...), cusparseSpSV_createDescr(...), cusparseSpSV_destroyDescr(...), cusparseSpSV_bufferSize(...),
    cusparseSpSV_analysis(...), cusparseSpSV_solve(...), cusparseSpGEMM_createDescr(...),
    cusparseSpGEMM_destroyDescr(...), cusparseSpGEMM_compute(...), cusparseGather(...), cusparseScatter(...),
    cusparseAxpby(...), cusparseDenseToSparse_bufferSize(...), cusparseSparseToDense(...),
    cusparseCreateCsrilu02Info(...), cusparseDestroyCsrilu02Info(...), cusparseScsrilu02(...),
    cusparseScsrilu02_bufferSize(...), cusparseScsrilu02_analysis(...), cusparseScsrsv2_solve(...),
    cusparseXcsr2coo(...), cusparseXcoo2csr(...), cusparseSnnz(...), cusparseDnnz(...), cusparseSdense2csr(...),
    cusparseDdense2csr(...), cusparseScsrmv(...), cusparseDcsrmv(...), cusparseScsrmm(...), cusparseDcsrmm(...),
    cusparseXcoosort_bufferSizeExt(...);
