// cuSOLVER: names only.
#pragma once
#define CUSOLVER_COMMON_H_
#include "cublas_v2.h"
#include "cusparse.h"
typedef struct cuwarp_cusolverDnHandle_t *cusolverDnHandle_t;
typedef struct cuwarp_cusolverSpHandle_t *cusolverSpHandle_t;
typedef struct cuwarp_cusolverRfHandle_t *cusolverRfHandle_t;
typedef struct cuwarp_cusolverDnParams_t *cusolverDnParams_t;
typedef struct cuwarp_syevjInfo_t *syevjInfo_t;
typedef struct cuwarp_gesvdjInfo_t *gesvdjInfo_t;
typedef struct cuwarp_csrqrInfo_t *csrqrInfo_t;
typedef struct cuwarp_csrqrInfoHost_t *csrqrInfoHost_t;
typedef struct cuwarp_csrluInfoHost_t *csrluInfoHost_t;
typedef struct cuwarp_csrcholInfo_t *csrcholInfo_t;
typedef struct cuwarp_csrcholInfoHost_t *csrcholInfoHost_t;
enum cusolverPrecType_t {
    CUSOLVER_R_8I = 1201,
    CUSOLVER_R_16F = 1205,
    CUSOLVER_R_16BF = 1207,
    CUSOLVER_R_32F = 1209,
    CUSOLVER_R_64F = 1211,
    CUSOLVER_C_32F = 1210,
    CUSOLVER_C_64F = 1212
};
enum cusolverStatus_t {
    CUSOLVER_STATUS_SUCCESS,
    CUSOLVER_STATUS_NOT_INITIALIZED,
    CUSOLVER_STATUS_ALLOC_FAILED,
    CUSOLVER_STATUS_INVALID_VALUE,
    CUSOLVER_STATUS_ARCH_MISMATCH,
    CUSOLVER_STATUS_MAPPING_ERROR,
    CUSOLVER_STATUS_EXECUTION_FAILED,
    CUSOLVER_STATUS_INTERNAL_ERROR,
    CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED,
    CUSOLVER_STATUS_NOT_SUPPORTED,
    CUSOLVER_STATUS_ZERO_PIVOT,
    CUSOLVER_STATUS_INVALID_LICENSE
};
enum cusolverEigMode_t { CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR };
enum cusolverRfFactorization_t {
    CUSOLVERRF_FACTORIZATION_ALG0,
    CUSOLVERRF_FACTORIZATION_ALG1,
    CUSOLVERRF_FACTORIZATION_ALG2
};
enum cusolverRfTriangularSolve_t {
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG1,
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG2,
    CUSOLVERRF_TRIANGULAR_SOLVE_ALG3
};
cusolverStatus_t cusolverDnCgeqrf(...), cusolverDnCgeqrf_bufferSize(...), cusolverDnCgesvd(...),
    cusolverDnCgesvd_bufferSize(...), cusolverDnCgesvdj(...), cusolverDnCgesvdj_bufferSize(...), cusolverDnCgetrf(...),
    cusolverDnCgetrf_bufferSize(...), cusolverDnCgetrs(...), cusolverDnCgetrs_bufferSize(...), cusolverDnCheevd(...),
    cusolverDnCheevd_bufferSize(...), cusolverDnCorgqr(...), cusolverDnCorgqr_bufferSize(...), cusolverDnCormqr(...),
    cusolverDnCormqr_bufferSize(...), cusolverDnCpotrf(...), cusolverDnCpotrf_bufferSize(...), cusolverDnCpotrs(...),
    cusolverDnCpotrs_bufferSize(...), cusolverDnCreate(...), cusolverDnCreateParams(...), cusolverDnCsyevd(...),
    cusolverDnCsyevd_bufferSize(...), cusolverDnCsyevj(...), cusolverDnCsyevj_bufferSize(...), cusolverDnDestroy(...),
    cusolverDnDestroyParams(...), cusolverDnDgeqrf(...), cusolverDnDgeqrf_bufferSize(...), cusolverDnDgesvd(...),
    cusolverDnDgesvd_bufferSize(...), cusolverDnDgesvdj(...), cusolverDnDgesvdj_bufferSize(...), cusolverDnDgetrf(...),
    cusolverDnDgetrf_bufferSize(...), cusolverDnDgetrs(...), cusolverDnDgetrs_bufferSize(...), cusolverDnDheevd(...),
    cusolverDnDheevd_bufferSize(...), cusolverDnDorgqr(...), cusolverDnDorgqr_bufferSize(...), cusolverDnDormqr(...),
    cusolverDnDormqr_bufferSize(...), cusolverDnDpotrf(...), cusolverDnDpotrf_bufferSize(...), cusolverDnDpotrs(...),
    cusolverDnDpotrs_bufferSize(...), cusolverDnDsyevd(...), cusolverDnDsyevd_bufferSize(...), cusolverDnDsyevj(...),
    cusolverDnDsyevj_bufferSize(...), cusolverDnSetStream(...), cusolverDnSgeqrf(...), cusolverDnSgeqrf_bufferSize(...),
    cusolverDnSgesvd(...), cusolverDnSgesvd_bufferSize(...), cusolverDnSgesvdj(...), cusolverDnSgesvdj_bufferSize(...),
    cusolverDnSgetrf(...), cusolverDnSgetrf_bufferSize(...), cusolverDnSgetrs(...), cusolverDnSgetrs_bufferSize(...),
    cusolverDnSheevd(...), cusolverDnSheevd_bufferSize(...), cusolverDnSorgqr(...), cusolverDnSorgqr_bufferSize(...),
    cusolverDnSormqr(...), cusolverDnSormqr_bufferSize(...), cusolverDnSpotrf(...), cusolverDnSpotrf_bufferSize(...),
    cusolverDnSpotrs(...), cusolverDnSpotrs_bufferSize(...), cusolverDnSsyevd(...), cusolverDnSsyevd_bufferSize(...),
    cusolverDnSsyevj(...), cusolverDnSsyevj_bufferSize(...), cusolverDnZgeqrf(...), cusolverDnZgeqrf_bufferSize(...),
    cusolverDnZgesvd(...), cusolverDnZgesvd_bufferSize(...), cusolverDnZgesvdj(...), cusolverDnZgesvdj_bufferSize(...),
    cusolverDnZgetrf(...), cusolverDnZgetrf_bufferSize(...), cusolverDnZgetrs(...), cusolverDnZgetrs_bufferSize(...),
    cusolverDnZheevd(...), cusolverDnZheevd_bufferSize(...), cusolverDnZorgqr(...), cusolverDnZorgqr_bufferSize(...),
    cusolverDnZormqr(...), cusolverDnZormqr_bufferSize(...), cusolverDnZpotrf(...), cusolverDnZpotrf_bufferSize(...),
    cusolverDnZpotrs(...), cusolverDnZpotrs_bufferSize(...), cusolverDnZsyevd(...), cusolverDnZsyevd_bufferSize(...),
    cusolverDnZsyevj(...), cusolverDnZsyevj_bufferSize(...), cusolverRfCreate(...), cusolverRfDestroy(...),
    cusolverSpCreate(...), cusolverSpDestroy(...), cusolverSpSetStream(...);
