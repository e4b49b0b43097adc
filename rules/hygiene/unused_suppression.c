/* unused-suppression: a comment that silences a rule where the rule finds nothing
 *
 * ## What it does
 * Reports `cuwarp: ignore[…]`, `ignore-file[…]`, `off[…]` and `NOLINT(cuwarp-…)` comments whose rules report nothing in
 * what they cover. The fix takes the name out of the list, or the whole comment.
 *
 * ## Why it is wrong
 * A suppression that silences nothing today silences what somebody writes there tomorrow. It also tells the reader of a
 * problem that the code no longer has.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 16);
 *     out[threadIdx.x] = v;
 * }
 * ```
 * ```cuda good
 * __global__ void shift(int *out) {
 *     int v = threadIdx.x;
 *     // cuwarp: ignore[bad-shuffle-width] -- the last lanes are not used
 *     v += __shfl_down_sync(0xffffffffu, v, 1, 24);
 *     out[threadIdx.x] = v;
 * }
 * ```
 *
 * ## How to fix
 * Remove the comment, or the rule from its list: `--fix` does.
 *
 * ## When it stays silent
 * When the rule did not run on the file, when a kernel of the file could be analysed in part only or not at all, and in
 * headers unless files that include them were looked at in the same run.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

/* It is about comments and not about kernels: found when a run's findings are known, by engine/suppressor.c. */
CW_RULE_CHECK(unused_suppression) {
    (void)ctx;
}
