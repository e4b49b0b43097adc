/* Shared by the files of the emulation's run time: fibers, tokens, verdicts. */
#ifndef CUWARP_EMU_INTERNAL_HPP
#define CUWARP_EMU_INTERNAL_HPP

#include "hidden.hpp"

#include <string>
#include <ucontext.h>
#include <vector>

#include "runtime.hpp"

extern "C" {
void *__tsan_create_fiber(unsigned flags);
void *__tsan_get_current_fiber();
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
void __tsan_acquire(void *at);
void __tsan_release(void *at);
void __tsan_func_entry(void *pc);
void __tsan_func_exit();
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
}

namespace cuemu {

constexpr unsigned block_threads = 1024;
constexpr std::size_t dynamic_bytes = 227 * 1024;

struct exchange {
    unsigned lanes;
    alignas(16) unsigned char value[warp_lanes][value_bytes];
};

/* A moment of some thread that others can wait for: release and acquire are all the order that ThreadSanitizer sees. */
using token = void *;
token new_token();

/* Strings of the run time: the library moves them with functions that ThreadSanitizer intercepts. */
struct unobserved {
    unobserved() { __tsan_ignore_thread_begin(); }
    ~unobserved() { __tsan_ignore_thread_end(); }
};

struct pending_copy {
    void *to;
    const void *from;
    std::size_t size;
};

/* A second write of the same bytes is no conflict worth the name; whether they are the same is known after the store. */
struct twin_write {
    const unsigned char *at;
    unsigned size;
    unsigned char before[16];
    std::string text;
};

enum class state { idle, runnable, blocked, exited };

struct fiber : thread {
    state now = state::idle;
    ucontext_t context;
    void *tsan = nullptr, *stack = nullptr;
    unsigned hooks = 0; /* since it began to run */
    bool leaves_early = false, at_end = false;

    /* what it waits for */
    const char *reason = nullptr;
    place at = {};
    /* a warp collective */
    bool meeting = false;
    op what = op::vote;
    unsigned mask = 0;
    bool orders = false;
    std::size_t size = 0;
    token meeting_token = nullptr;
    const exchange *met = nullptr;
    bool gathering = false;
    unsigned gathered = 0;
    alignas(16) unsigned char value[value_bytes];
    /* a block barrier */
    votes result = {};

    /* fences */
    token fence_token = nullptr;
    std::vector<token> seen;
    /* asynchronous copies, by groups; the last one is open */
    std::vector<std::vector<pending_copy>> copies;
    twin_write twin = {};
};

fiber &self();
fiber *fibers_of_block(unsigned *count); /* all of the block, by rank */
unsigned live_threads();

void block_until_woken(const char *reason, place at);
void wake(fiber &f);
void settle(fiber &f); /* judges the twin write, now that it has happened */

/* Ends the process with a verdict. Nothing is observed from there on, nor while the text is put together. */
[[noreturn]] void end_run(const char *verdict, const std::string &text);
#define finish(verdict, ...) (__tsan_ignore_thread_begin(), end_run(verdict, __VA_ARGS__))
std::string describe(place at);
std::string describe(const fiber &f);

void sync_reset();            /* before a block */
void sync_exit(fiber &f);     /* a thread has ended: who waits for it? */
void memory_reset();
void memory_finish(); /* after a block: conflicts that were put off */
bool hook_is_due();
bool usual_filling();
bool lanes_converge(); /* under this seed */
std::uint64_t scheduling_bits();

} // namespace cuemu

#endif
