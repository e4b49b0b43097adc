// Vectors of the host's processor: types and the common functions, none with a meaning.
#pragma once
typedef float __m64 __attribute__((vector_size(8))), __m128 __attribute__((vector_size(16))),
    __m256 __attribute__((vector_size(32))), __m512 __attribute__((vector_size(64)));
typedef double __m128d __attribute__((vector_size(16))), __m256d __attribute__((vector_size(32))),
    __m512d __attribute__((vector_size(64)));
typedef long long __m128i __attribute__((vector_size(16))), __m256i __attribute__((vector_size(32))),
    __m512i __attribute__((vector_size(64)));
#define _MM_SHUFFLE(z, y, x, w) ((z) << 6 | (y) << 4 | (x) << 2 | (w))
#define _MM_HINT_T0 3
#define _MM_HINT_T1 2
#define _MM_HINT_T2 1
#define _MM_HINT_NTA 0
void _mm_pause(), _mm_sfence(), _mm_lfence(), _mm_mfence(), _mm_prefetch(...), _mm_setcsr(unsigned n),
    _mm_free(void *p), _mm_clflush(const void *p), _mm_stream_si32(...), _mm_stream_si128(...), _mm_stream_ps(...),
    _mm_store_ps(...), _mm_storeu_ps(...), _mm_store_ss(...), _mm_store_pd(...), _mm_storeu_pd(...),
    _mm_store_si128(...), _mm_storeu_si128(...), _mm_storel_epi64(...), _mm256_store_ps(...), _mm256_storeu_ps(...),
    _mm256_store_pd(...), _mm256_storeu_pd(...), _mm256_store_si256(...), _mm256_storeu_si256(...), _mm256_zeroupper();
unsigned _mm_getcsr(), _mm_crc32_u8(...), _mm_crc32_u32(...);
unsigned long _mm_crc32_u64(...);
void *_mm_malloc(unsigned long n, unsigned long a);
int _mm_movemask_ps(...), _mm_movemask_epi8(...), _mm_cvtsi128_si32(...), _mm_cvtss_si32(...), _mm_popcnt_u32(...),
    _mm_cvttss_si32(...), _mm_cvtsd_si32(...), _mm_extract_epi16(...), _mm_extract_epi32(...), _mm256_movemask_ps(...);
float _mm_cvtss_f32(...), _cvtsh_ss(unsigned short h);
unsigned short _cvtss_sh(...);
double _mm_cvtsd_f64(...);
__m128 _mm_setzero_ps(), _mm_set1_ps(...), _mm_set_ps(...), _mm_setr_ps(...), _mm_set_ss(...), _mm_load_ps(...),
    _mm_loadu_ps(...), _mm_load_ss(...), _mm_add_ps(...), _mm_sub_ps(...), _mm_mul_ps(...), _mm_div_ps(...),
    _mm_add_ss(...), _mm_mul_ss(...), _mm_min_ps(...), _mm_max_ps(...), _mm_min_ss(...), _mm_max_ss(...),
    _mm_sqrt_ps(...), _mm_sqrt_ss(...), _mm_rsqrt_ps(...), _mm_rsqrt_ss(...), _mm_rcp_ps(...), _mm_shuffle_ps(...),
    _mm_unpacklo_ps(...), _mm_unpackhi_ps(...), _mm_movehl_ps(...), _mm_movelh_ps(...), _mm_and_ps(...),
    _mm_or_ps(...), _mm_xor_ps(...), _mm_andnot_ps(...), _mm_cmpeq_ps(...), _mm_cmpneq_ps(...), _mm_cmplt_ps(...),
    _mm_cmpgt_ps(...), _mm_cvtepi32_ps(...), _mm_castsi128_ps(...), _mm_cvtph_ps(...), _mm_fmadd_ps(...);
__m128d _mm_setzero_pd(), _mm_set1_pd(...), _mm_load_pd(...), _mm_loadu_pd(...), _mm_add_pd(...), _mm_mul_pd(...),
    _mm_sub_pd(...), _mm_div_pd(...);
__m128i _mm_setzero_si128(), _mm_set1_epi8(...), _mm_set1_epi16(...), _mm_set1_epi32(...), _mm_set_epi32(...),
    _mm_setr_epi32(...), _mm_set_epi8(...), _mm_setr_epi8(...), _mm_load_si128(...), _mm_loadu_si128(...),
    _mm_loadl_epi64(...), _mm_cvtsi32_si128(...), _mm_cvtps_epi32(...), _mm_cvttps_epi32(...), _mm_castps_si128(...),
    _mm_add_epi8(...), _mm_add_epi16(...), _mm_add_epi32(...), _mm_add_epi64(...), _mm_sub_epi8(...),
    _mm_sub_epi16(...), _mm_sub_epi32(...), _mm_and_si128(...), _mm_or_si128(...), _mm_xor_si128(...),
    _mm_andnot_si128(...), _mm_cmpeq_epi8(...), _mm_cmpeq_epi32(...), _mm_cmpgt_epi32(...), _mm_sll_epi32(...),
    _mm_slli_epi32(...), _mm_srli_epi32(...), _mm_srl_epi32(...), _mm_sra_epi32(...), _mm_srai_epi32(...),
    _mm_bslli_si128(...), _mm_bsrli_si128(...), _mm_slli_si128(...), _mm_srli_si128(...), _mm_packs_epi16(...),
    _mm_packs_epi32(...), _mm_packus_epi16(...), _mm_unpacklo_epi8(...), _mm_unpackhi_epi8(...),
    _mm_unpacklo_epi16(...), _mm_unpackhi_epi16(...), _mm_shuffle_epi8(...), _mm_shuffle_epi32(...), _mm_cvtps_ph(...);
__m256 _mm256_setzero_ps(), _mm256_set1_ps(...), _mm256_load_ps(...), _mm256_loadu_ps(...), _mm256_add_ps(...),
    _mm256_mul_ps(...), _mm256_sub_ps(...), _mm256_div_ps(...), _mm256_fmadd_ps(...), _mm256_cvtph_ps(...);
__m256d _mm256_setzero_pd(), _mm256_set1_pd(...), _mm256_load_pd(...), _mm256_loadu_pd(...), _mm256_add_pd(...),
    _mm256_mul_pd(...);
__m256i _mm256_setzero_si256(), _mm256_set1_epi32(...), _mm256_loadu_si256(...), _mm256_load_si256(...),
    _mm256_add_epi32(...);
