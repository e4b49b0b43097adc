/* sibling-without-sync: like places have a barrier, and one of them has none
 *
 * ## What it does
 * Looks for pieces of code in the device functions of a file that are the same but for names and numbers, at two or
 * more of which a barrier stands, the same one each time, while exactly one has nothing there. What is found is a
 * suggestion, hence `possible`.
 *
 * ## Why it is wrong
 * Kernels come in variants, made by copying: one for each type, block size or boundary. "Insert the new `__syncwarp()`
 * between any steps where data is exchanged between threads" (CUDA C++ Programming Guide) is then done in all copies
 * but one. Or this copy needs none: then the others may have one too many.
 *
 * ## Example
 * ```cuda bad --possible --ignore race
 * __global__ void shift_left(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 3) % 128];
 * }
 * __global__ void shift_right(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 127) % 128];
 * }
 * __global__ void shift_half(int *out) {
 *     __shared__ int tile[256];
 *     int i = threadIdx.x;
 *     tile[i] = out[blockIdx.x * 256 + i];
 *     out[blockIdx.x * 256 + i] = tile[(i + 128) % 256];
 * }
 * ```
 * ```cuda good --possible
 * __global__ void shift_left(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 3) % 128];
 * }
 * __global__ void shift_right(int *data) {
 *     __shared__ int s[128];
 *     int t = threadIdx.x;
 *     s[t] = data[blockIdx.x * 128 + t];
 *     __syncthreads();
 *     data[blockIdx.x * 128 + t] = s[(t + 127) % 128];
 * }
 * ```
 *
 * ## How to fix
 * Put the barrier in where it is missing. Better, make one function template of the copies, so that there is one place
 * to get right.
 *
 * ## When it stays silent
 * When fewer than two like places have the barrier, or more than one lacks it; when they have different barriers; when
 * the code around is too short to be a copy, or differs by more than names and numbers; across files; in functions in
 * which a race is reported, which says more.
 *
 * ## References
 * - D. Engler et al., Bugs as Deviant Behavior, SOSP 2001
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

/* It is about several functions: found by engine/unlike.c in a file's text. */
CW_RULE_CHECK(sibling_without_sync) {
    (void)ctx;
}
