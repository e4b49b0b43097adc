/* commented-out-barrier: a barrier stands in a comment, and nothing takes its place
 *
 * ## What it does
 * Compares each function with what it was before (`--since REF`, `--staged`) and reports barriers that became comments.
 * Without a version to compare with, comments in device functions that are nothing but a barrier's call are reported as
 * `possible`.
 *
 * ## Why it is wrong
 * "__syncthreads() is used to coordinate communication between the threads of the same block" (CUDA C++ Programming
 * Guide). What is commented out for an experiment tends to stay so, and later nobody can tell whether the barrier was
 * one too many, or was only taken out to see how fast the kernel is without it.
 *
 * ## Example
 * ```cuda bad --possible --ignore race
 * __global__ void reverse(int *data) {
 *     __shared__ int s[64];
 *     s[threadIdx.x] = data[threadIdx.x];
 *     // __syncthreads();
 *     data[threadIdx.x] = s[63 - threadIdx.x];
 * }
 * void run(int *data) { reverse<<<1, 64>>>(data); }
 * ```
 * ```cuda good --possible
 * __global__ void reverse(int *data) {
 *     __shared__ int s[64];
 *     s[threadIdx.x] = data[threadIdx.x];
 *     __syncthreads(); // all of s[] is written
 *     data[threadIdx.x] = s[63 - threadIdx.x];
 * }
 * void run(int *data) { reverse<<<1, 64>>>(data); }
 * ```
 *
 * ## How to fix
 * Take the barrier back in, or delete the comment and say why no thread needs to wait.
 *
 * ## When it stays silent
 * For comments that say something else besides; where a barrier stands next to the comment.
 *
 * ## References
 * - CUDA C++ Programming Guide, synchronization functions
 */
#include "rules/rule.h"

/* Found by gate/changes.c in two versions, and by engine/commented.c in one. */
CW_RULE_CHECK(commented_out_barrier) {
    (void)ctx;
}
