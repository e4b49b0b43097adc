/* suppression-without-reason: a comment silences a rule and does not say why that is fine
 *
 * ## What it does
 * Reports `cuwarp: ignore[…]`, `ignore-file[…]` and `off[…]` without `-- reason`. Off by default.
 *
 * ## Why it is wrong
 * What one person knew about the launch or the data is lost for the next one, who can neither trust the suppression nor
 * dare to remove it.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24); // cuwarp: ignore[bad-shuffle-width]
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24); // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Say it behind two dashes: `// cuwarp: ignore[rule] -- only ever launched with one warp`.
 *
 * ## When it stays silent
 * For `NOLINT(…)`, which has no place for a reason.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

/* It is about comments and not about kernels: found when a run's findings are known, by engine/suppressor.c. */
CW_RULE_CHECK(suppression_without_reason) {
    (void)ctx;
}
