/* lost-update: two threads load, change and store one element at once, and neither does it by an atomic
 *
 * ## What it does
 * Reports an ordinary load and store of one element, `bins[key]++` or `if (d < dist[v]) dist[v] = d;`, that two threads
 * may do at the same time, because their data lead them to one element, or both to a place that all threads share.
 *
 * ## Why it is wrong
 * "If a non-atomic instruction executed by a warp writes to the same location in global or shared memory for more than
 * one of the threads of the warp, the number of serialized writes that occur to that location varies [...] and which
 * thread performs the final write is undefined" (CUDA C++ Programming Guide, SIMT architecture). Both threads load the
 * old value, and what one of them stores is lost: of 256 counts that arrive at once, as few as one may be kept. No
 * barrier helps, as both threads are in one execution of one statement.
 *
 * ## Example
 * ```cuda bad
 * __global__ void histogram(const unsigned char *in, int *bins, int n) {
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     if (i < n)
 *         bins[in[i]]++;
 * }
 * void run(const unsigned char *in, int *bins, int n) {
 *     histogram<<<(n + 255) / 256, 256>>>(in, bins, n);
 * }
 * ```
 * ```cuda good
 * __global__ void histogram(const unsigned char *in, int *bins, int n) {
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;
 *     if (i < n)
 *         atomicAdd(&bins[in[i]], 1);
 * }
 * void run(const unsigned char *in, int *bins, int n) {
 *     histogram<<<(n + 255) / 256, 256>>>(in, bins, n);
 * }
 * ```
 *
 * ## How to fix
 * Update the element by an atomic (`atomicAdd()`, `atomicMin()`, `atomicCAS()` in a loop), take a lock, or give each
 * thread elements of its own and add them up behind a barrier.
 *
 * ## When it stays silent
 * When the index is loaded as it is and may be one of a permutation, of unique keys or of a colour, the finding is
 * possible only, and there is none where nothing of the thread's own is added. It is definite where there are fewer
 * elements than threads, where many data lead to one element (`key % n`, a rounded number, a hash), where each thread
 * keeps the better of two for the neighbours in a list of its own, looks for the first free element, or where the
 * kernel updates the same memory by atomics elsewhere. Silent: segments (`start[i] + k`), elements that only who wins
 * an atomic or a vote updates, locks, updates that may be done twice (`flags[k] |= 1`).
 *
 * ## References
 * - CUDA C++ Programming Guide, SIMT architecture, atomic functions
 */
#include "rules/rule.h"

#include "kernel/ask/races.h"
#include "rules/report_names.h"
#include "rules/report_updates.h"

static void report_lost_update(struct cw_rule_ctx *ctx, const struct cw_lost_update *update) {
    struct cw_finding *f =
        cw_report(ctx, update->definite ? CW_DEFINITE : CW_POSSIBLE, update->update.store,
                  "lost update of %s: %s may load and store one element at once",
                  cw_ins_text(ctx, update->update.store, "an element"), cw_lost_update_who(ctx, update));
    cw_report_lost_update(ctx, f, update);
    cw_report_submit(ctx, f);
}

CW_RULE_CHECK(lost_update) {
    const struct cw_lost_updates *updates = cw_kernel_lost_updates(ctx->kernel);
    for (uint32_t k = 0; k < updates->at.n; k++)
        report_lost_update(ctx, &updates->at.at[k]);
}
