#pragma once
extern "C" {
int omp_get_num_threads(), omp_get_thread_num(), omp_get_max_threads(), omp_get_num_procs(), omp_get_thread_limit();
void omp_set_num_threads(int n);
double omp_get_wtime();
}
