#pragma once
struct curandStateXORWOW {
    unsigned d, v[5];
    int flags;
    float extra;
    double extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned state;
    int flags;
    float extra;
    double extra_double;
};
struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int flags;
    float extra;
    double extra_double;
};
struct curandStateMtgp32 {
    unsigned s[1024];
    int offset, index;
    void *k;
};
struct curandStateSobol32 {
    unsigned i, x, c, direction_vectors[32];
};
struct curandStateScrambledSobol32 {
    unsigned i, x, c, direction_vectors[32];
};
struct curandStateSobol64 {
    unsigned long long i, x, c, direction_vectors[64];
};
struct curandStateScrambledSobol64 {
    unsigned long long i, x, c, direction_vectors[64];
};
typedef curandStateScrambledSobol64 curandStateScrambledSobol64_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
typedef curandStateMtgp32 curandStateMtgp32_t;
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol64 curandStateSobol64_t;
typedef curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];
struct mtgp32_params_fast;
struct mtgp32_kernel_params {
    unsigned pos_tbl[200];
};
typedef mtgp32_kernel_params mtgp32_kernel_params_t;
