/* misused-directive: a comment for this tool that it does not understand or cannot use
 *
 * ## What it does
 * Reports comments that begin with `cuwarp:` and are not well-formed: an unknown word, a missing list of rules, `on[…]`
 * for what was not switched off, a launch shape that no device accepts, an assumption about a variable that is not
 * there. Also `cuwarp-lint: ignore[…]`, and `NOLINT(rule)` with a rule's name that lacks its `cuwarp-`.
 *
 * ## Why it is wrong
 * The comment has no effect, although it looks as if it had.
 *
 * ## Example
 * ```cuda bad
 * __global__ void shift(int *out) {
 *     out[threadIdx.x] = 1; // cuwarp: ignore -- no rule is named
 * }
 * ```
 * ```cuda good
 * // cuwarp: launch block=256 grid=8
 * __global__ void shift(int *out) {
 *     out[threadIdx.x] = 1;
 * }
 * ```
 *
 * ## How to fix
 * Write one of `ignore[rule]`, `ignore-file[rule]`, `off[rule]`, `on[rule]`, `assume uniform(variable)`, `assume
 * converged` or `launch block=256`, each with `-- reason` behind it if you like.
 *
 * ## When it stays silent
 * For comments that mention `cuwarp:` elsewhere than at their beginning.
 *
 * ## References
 * - docs/internals/suppressions.md
 */
#include "rules/rule.h"

/* It is about comments and not about kernels: found when a run's findings are known, by engine/suppressor.c. */
CW_RULE_CHECK(misused_directive) {
    (void)ctx;
}
