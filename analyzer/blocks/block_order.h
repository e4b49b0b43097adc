/* What orders two accesses to device memory by different threads, of one block or of two.
 *
 * The model is the PTX memory consistency model at the precision that linting needs: a store is ordered before a load
 * of another thread when a chain of *hops* leads from one to the other. A hop is
 *   - a signal that a wait of another thread observes, where a fence stands between what came before and the signal
 *     (release pattern) and where the scopes of fence, signal and wait include both threads;
 *   - a barrier of the block, for threads of that block; grid.sync() for all threads.
 * A chain may lead through a third block of the grid, which may execute everything.
 * A lock is a variable that both threads take by an exchange in a loop and give back by a signal: it orders what both
 * do between taking it and giving it back, in either order.
 *
 * A signal or wait that may be executed counts as executed, and a path that may exist counts as one: what is not
 * ordered here is ordered by nothing that is modelled. Source: PTX ISA 9.0, chapter "Memory Consistency Model"
 * (synchronizes, causality order); the CUDA C++ Programming Guide on fences.
 *
 * requires: device events, evaluators of two blocks. Cost: roles times events for a question. */
#ifndef CW_BLOCKS_BLOCK_ORDER_H
#define CW_BLOCKS_BLOCK_ORDER_H

#include "blocks/device_events.h"
#include "lanes/lanes.h"

/* One thread of one of the two blocks. */
struct cw_block_thread {
    uint32_t block; /* 0 or 1: which of the two evaluators */
    uint32_t thread;
};

/* What is left out of account when an order is looked for, to find out what is missing. */
struct cw_order_slack {
    bool any_scope;  /* scopes of fences and atomics do not matter */
    bool no_fence;   /* fences are not needed */
    bool any_signal; /* a thread of the block may signal for the others without a barrier before */
    bool comes_first; /* no slack: the second access is in the first iteration of all loops around it */
    bool comes_next;  /* no slack: it is in the iteration of the loop `turn` behind that of the first one */
    bool is_past;     /* no slack: it is in the iteration before that of the first one */
    bool same_trip;   /* no slack: what the first access is announced by does not come round a loop that holds both */
    bool acquires;   /* no slack: a thread that has polled a flag needs a fence or a barrier after it as well */
    uint32_t turn;   /* of comes_next and is_past */
};

struct cw_block_order;

/* The two blocks in their grid. What is not known counts as what orders more. */
struct cw_block_pair {
    bool in_cluster;       /* both may be in one cluster, so that cluster scope includes them */
    bool has_third;        /* the grid may have more than these two */
    bool third_in_cluster; /* one of the others may be in a cluster with one of them */
};

/* `lanes`: the evaluators of the two blocks. NULL when threads take too many different ways. */
struct cw_block_order *cw_block_order_new(const struct cw_device_events *d, const struct cw_uniformity *u,
                                          struct cw_lanes *const lanes[2], struct cw_block_pair pair,
                                          struct cw_arena *a);

/* Does the thread execute the block on some input, and on all inputs but those that other threads decide by signals? */
bool cw_block_order_may_execute(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block);
bool cw_block_order_executes(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block);
/* The same where the thread's own data may decide too: for two threads that are chosen by equal data. */
bool cw_block_order_executes_by_data(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block);

/* Do both threads execute their block on some input? They do when conditions that are the same for the whole grid are
 * all that input decides, and one of the two needs no condition that the other one does not need. */
bool cw_block_order_execute_together(const struct cw_block_order *o, struct cw_block_thread t, uint32_t block,
                                     struct cw_block_thread u, uint32_t other_block);

/* May the thread execute event `to` after event `from`? */
bool cw_block_order_may_follow(const struct cw_block_order *o, struct cw_block_thread t, uint32_t from, uint32_t to);

/* The awaited operations, a bit each, whose results decide whether the block is executed, without those that a loop
 * polls: who wins a ticket executes it, and others do not. */
uint64_t cw_block_order_decided_by(const struct cw_block_order *o, uint32_t block);

/* Are both blocks executed by who draws a certain number from one ticket, perhaps in two places? */
bool cw_block_order_same_ticket(const struct cw_block_order *o, uint32_t block, uint32_t other);

/* Is event `from` of thread t ordered before event `to` of thread u? `signal` receives the event that announces it. */
bool cw_block_order_before(const struct cw_block_order *o, struct cw_block_thread t, uint32_t from,
                           struct cw_block_thread u, uint32_t to, struct cw_order_slack slack, uint32_t *signal);

/* May both threads hold one lock at the events? Then they execute them one after the other, whether or not they release
 * the lock afterwards. */
bool cw_block_order_both_hold(const struct cw_block_order *o, struct cw_block_thread t, uint32_t event,
                              struct cw_block_thread u, uint32_t other_event);

/* Does some thread take a lock and never release it? Then others may wait for it forever, and what comes after their
 * waits, barriers included, may never be executed. */
bool cw_block_order_keeps_a_lock(const struct cw_block_order *o);

/* How a critical section of one lock holds an event of the thread; of several the one that does most for threads within
 * the scope. */
struct cw_critical_section {
    bool found;
    uint32_t take, release; /* events */
    uint8_t fence_after_take, fence_before_release; /* enum cw_scope, CW_SCOPE_THREAD: none */
};
struct cw_critical_section cw_block_order_section(const struct cw_block_order *o, struct cw_block_thread t,
                                                  uint32_t event, const struct cw_base *lock,
                                                  uint8_t scope);

/* The scope that includes both threads. */
uint8_t cw_block_order_scope(const struct cw_block_order *o, struct cw_block_thread t, struct cw_block_thread u);

#endif
