/* unknown-rule: a comment names a rule that does not exist
 *
 * ## What it does
 * Reports names in `cuwarp: ignore[…]` and the like, and behind `cuwarp-` in `NOLINT(…)`, that are neither a rule nor a
 * category.
 *
 * ## Why it is wrong
 * The comment silences nothing, although it looks as if it did.
 *
 * ## Example
 * ```cuda bad
 * __global__ void fill(int *out) {
 *     out[threadIdx.x] = 1; // cuwarp: ignore[scratch-reus] -- one block only
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
 * Write the name as `cuwarp-lint rules` lists it: `--fix --unsafe-fixes` does when one is near (what the comment then
 * silences was told of before).
 *
 * ## When it stays silent
 * For names in `NOLINT(…)` that do not begin with `cuwarp-`: those are other tools'.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

/* It is about comments and not about kernels: found when a run's findings are known, by engine/suppressor.c. */
CW_RULE_CHECK(unknown_rule) {
    (void)ctx;
}
