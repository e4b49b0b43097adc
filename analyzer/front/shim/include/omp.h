#pragma once
#define __GOMP_NOTHROW noexcept
extern "C" {
int omp_get_num_threads() __GOMP_NOTHROW, omp_get_thread_num() __GOMP_NOTHROW, omp_get_max_threads() __GOMP_NOTHROW,
    omp_get_num_procs() __GOMP_NOTHROW, omp_get_thread_limit() __GOMP_NOTHROW;
void omp_set_num_threads(int n) __GOMP_NOTHROW;
double omp_get_wtime() __GOMP_NOTHROW;
}
