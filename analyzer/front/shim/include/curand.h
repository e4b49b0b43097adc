// cuRAND on the host: names only.
#pragma once
#define CURAND_H_
#include "cuwarp/curand_types.h"
typedef struct cuwarp_curandGenerator_t *curandGenerator_t;
typedef struct cuwarp_curandDiscreteDistribution_t *curandDiscreteDistribution_t;
enum curandStatus {
    CURAND_STATUS_SUCCESS,
    CURAND_STATUS_VERSION_MISMATCH,
    CURAND_STATUS_NOT_INITIALIZED,
    CURAND_STATUS_ALLOCATION_FAILED,
    CURAND_STATUS_TYPE_ERROR,
    CURAND_STATUS_OUT_OF_RANGE,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED,
    CURAND_STATUS_LAUNCH_FAILURE,
    CURAND_STATUS_PREEXISTING_FAILURE,
    CURAND_STATUS_INITIALIZATION_FAILED,
    CURAND_STATUS_ARCH_MISMATCH,
    CURAND_STATUS_INTERNAL_ERROR
};
typedef curandStatus curandStatus_t;
enum curandRngType {
    CURAND_RNG_PSEUDO_DEFAULT,
    CURAND_RNG_PSEUDO_XORWOW,
    CURAND_RNG_PSEUDO_MRG32K3A,
    CURAND_RNG_PSEUDO_MTGP32,
    CURAND_RNG_PSEUDO_MT19937,
    CURAND_RNG_PSEUDO_PHILOX4_32_10,
    CURAND_RNG_QUASI_DEFAULT,
    CURAND_RNG_QUASI_SOBOL32,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
    CURAND_RNG_QUASI_SOBOL64,
    CURAND_RNG_QUASI_SCRAMBLED_SOBOL64
};
typedef curandRngType curandRngType_t;
enum curandOrdering {
    CURAND_ORDERING_PSEUDO_BEST,
    CURAND_ORDERING_PSEUDO_DEFAULT,
    CURAND_ORDERING_PSEUDO_SEEDED,
    CURAND_ORDERING_PSEUDO_LEGACY,
    CURAND_ORDERING_QUASI_DEFAULT
};
enum curandDirectionVectorSet { CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_DIRECTION_VECTORS_64_JOEKUO6 };
typedef curandOrdering curandOrdering_t;
typedef curandDirectionVectorSet curandDirectionVectorSet_t;
curandStatus curandCreateGenerator(...), curandCreateGeneratorHost(...), curandDestroyGenerator(...),
    curandSetStream(...), curandSetPseudoRandomGeneratorSeed(...), curandSetQuasiRandomGeneratorDimensions(...),
    curandSetGeneratorOffset(...), curandSetGeneratorOrdering(...), curandGenerate(...), curandGenerateLongLong(...),
    curandGenerateUniform(...), curandGenerateUniformDouble(...), curandGenerateNormal(...),
    curandGenerateNormalDouble(...), curandGenerateLogNormal(...), curandGenerateLogNormalDouble(...),
    curandGeneratePoisson(...), curandGenerateSeeds(...), curandGetDirectionVectors32(...),
    curandGetDirectionVectors64(...), curandGetScrambleConstants32(...), curandGetVersion(...),
    curandMakeMTGP32Constants(...), curandMakeMTGP32KernelState(...), curandCreatePoissonDistribution(...),
    curandDestroyDistribution(...);
