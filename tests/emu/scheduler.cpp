/* Fibers: each CUDA thread of a block is one fiber, and one thread to ThreadSanitizer. One of them runs at a time; who is
 * next, and after how many memory accesses, comes out of the seed. Switching orders nothing. */
#include "internal.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuemu {

thread *current;

namespace {
dim3 block_size, grid_size;
uint3 block_at;
} // namespace

uint3 thread_index() { return current->index; }
uint3 block_index() { return block_at; }
dim3 block_dim() { return block_size; }
dim3 grid_dim() { return grid_size; }
unsigned lane_index() { return current->lane; }

namespace {

constexpr unsigned no_sync = 1; /* __tsan_switch_to_fiber_no_sync */
constexpr std::size_t stack_bytes = 512 * 1024;
constexpr unsigned long hook_limit = 4000000; /* of one block: beyond it, nobody gets on */
constexpr unsigned fair_turn = 400;           /* accesses after which a thread that runs alone lets others run */
constexpr std::size_t arena_bytes = std::size_t(64) << 20;

fiber fibers[block_threads];
unsigned threads_in_block, threads_live, threads_at_end;
ucontext_t main_context;
void *main_fiber;
const std::function<void()> *kernel_body;
token start_token, end_token;
std::vector<token> tokens;

unsigned seed, filling;
unsigned long hooks_of_block;
std::uint64_t scheduling_state, undefined_state;
int result_fd = 1;

alignas(256) unsigned char dynamic_memory[dynamic_bytes];
std::size_t dynamic_used;
unsigned char *arena;
std::size_t arena_used;

std::vector<test_case> &cases() {
    static std::vector<test_case> all;
    return all;
}

std::uint64_t next_bits(std::uint64_t &s) { /* splitmix64, Vigna */
    std::uint64_t z = (s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void switch_context(ucontext_t *from, ucontext_t *to, void *tsan) {
    __tsan_switch_to_fiber(tsan, no_sync);
    swapcontext(from, to);
}

void resume(ucontext_t *from, fiber &next) {
    current = &next;
    next.hooks = 0;
    switch_context(from, &next.context, next.tsan);
}

/* The seed's kind decides: the lowest or the highest thread first, or any. A thread that gives way is not chosen again
 * at once, in whatever order. */
fiber *choose(const fiber *giving_way) {
    static unsigned candidates[block_threads];
    unsigned n = 0;
    for (unsigned i = 0; i < threads_in_block; i++)
        if (fibers[i].now == state::runnable && &fibers[i] != giving_way)
            candidates[n++] = i;
    if (n == 0)
        return nullptr;
    if (giving_way && seed % 4 < 2) {
        for (unsigned i = 0; i < n; i++)
            if (candidates[i] > giving_way->rank)
                return &fibers[candidates[i]];
        return &fibers[candidates[0]];
    }
    switch (seed % 4) {
    case 0: return &fibers[candidates[0]];
    case 1: return &fibers[candidates[n - 1]];
    default: return &fibers[candidates[scheduling_bits() % n]];
    }
}

std::string who_waits() {
    std::map<std::string, std::vector<unsigned>> at;
    for (unsigned i = 0; i < threads_in_block; i++)
        if (fibers[i].now == state::blocked)
            at[fibers[i].at_end ? std::string("are at the end")
                                : std::string("wait in ") + fibers[i].reason + " at " + describe(fibers[i].at)]
                .push_back(i);
    std::string text;
    for (const auto &[where, threads] : at)
        text += (text.empty() ? "" : "; ") + std::to_string(threads.size()) + " threads (first: " +
                std::to_string(threads[0]) + ") " + where;
    return text;
}

void leave(ucontext_t *from) {
    if (fiber *next = choose(nullptr))
        resume(from, *next);
    else if (threads_live == 0)
        switch_context(from, &main_context, main_fiber);
    else
        finish("hang", who_waits());
}

void release_end() {
    if (threads_at_end > 0 && threads_at_end == threads_live)
        for (unsigned i = 0; i < threads_in_block; i++)
            if (fibers[i].at_end)
                wake(fibers[i]);
}

/* Who comes to the end of the kernel, and did not return before, could have come to every barrier: it is missed by those
 * who wait there. So it stays until all have come. */
void end_of_kernel(fiber &f) {
    if (f.leaves_early)
        return;
    f.at_end = true;
    threads_at_end++;
    release_end();
    if (threads_at_end < threads_live)
        block_until_woken("the end", {});
}

void fiber_main(unsigned rank) {
    fiber &f = fibers[rank];
    for (;;) {
        __tsan_acquire(start_token);
        (*kernel_body)();
        settle(f);
        end_of_kernel(f);
        __tsan_release(end_token);
        f.now = state::exited;
        threads_live--;
        threads_at_end -= f.at_end;
        release_end();
        sync_exit(f);
        leave(&f.context);
    }
}

void create(fiber &f, unsigned rank) {
    f.stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    f.tsan = __tsan_create_fiber(0);
    __tsan_set_fiber_name(f.tsan, ("thread " + std::to_string(rank)).c_str());
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = stack_bytes;
    f.context.uc_link = nullptr;
    makecontext(&f.context, reinterpret_cast<void (*)()>(fiber_main), 1, rank);
}

void prepare(fiber &f, unsigned rank) {
    if (!f.tsan)
        create(f, rank);
    f.rank = rank;
    f.warp = rank / warp_lanes;
    f.lane = rank % warp_lanes;
    f.index = {rank % block_size.x, rank / block_size.x % block_size.y, rank / block_size.x / block_size.y};
    f.now = state::runnable;
    f.meeting = f.gathering = f.leaves_early = f.at_end = false;
    f.fence_token = nullptr;
    f.seen.clear();
    f.copies.assign(1, {});
}

/* __shared__ is thread-local storage of the one thread there is: the only part of memory that holds nothing else. */
int find_static_shared(dl_phdr_info *info, std::size_t, void *found) {
    if (info->dlpi_name[0])
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *static_cast<std::pair<void *, std::size_t> *>(found) = {info->dlpi_tls_data, info->dlpi_phdr[i].p_memsz};
    return 1;
}

void forget_shared_memory() {
    static std::pair<void *, std::size_t> range;
    if (!range.first)
        dl_iterate_phdr(find_static_shared, &range);
    if (range.first)
        fill_undefined(range.first, range.second);
    fill_undefined(dynamic_memory, dynamic_used);
}

void run_block() {
    sync_reset();
    memory_reset();
    forget_shared_memory();
    start_token = new_token();
    end_token = new_token();
    for (unsigned i = 0; i < threads_in_block; i++)
        prepare(fibers[i], i);
    threads_live = threads_in_block;
    threads_at_end = 0;
    hooks_of_block = 0;
    __tsan_release(start_token);
    leave(&main_context);
    current = nullptr;
    __tsan_acquire(end_token);
    memory_finish();
    for (token t : tokens)
        std::free(t);
    tokens.clear();
}

/* Nothing but system calls: what has crashed may be anything. */
void on_crash(int) {
    static const char line[] = "{\"verdict\": \"crash\", \"seed\": -1, \"text\": \"a thread crashed\"}\n";
    syscall(SYS_write, result_fd, line, sizeof line - 1);
    syscall(SYS_exit_group, 0);
}

std::string quoted(const std::string &text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
    return out + '"';
}

void set_up() {
    result_fd = dup(1);
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1); /* what kernels print */
    arena = static_cast<unsigned char *>(
        mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    main_fiber = __tsan_get_current_fiber();
    static unsigned char signal_stack[64 * 1024];
    stack_t alternative = {};
    alternative.ss_sp = signal_stack;
    alternative.ss_size = sizeof signal_stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action = {};
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    for (int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        sigaction(s, &action, nullptr);
}

void run_once(const test_case &c, unsigned with_seed, unsigned with_filling) {
    seed = with_seed;
    filling = with_filling;
    scheduling_state = seed * 0x9e3779b97f4a7c15u + 1;
    undefined_state = seed * 0x94d049bb133111ebu + 77;
    std::memset(arena, 0, arena_used);
    arena_used = 0;
    c.run();
}

/* Twice with the same scheduling and other undefined bytes: a result that differs was made of them. */
void run_seed(const test_case &c, unsigned with_seed) {
    run_once(c, with_seed, 0);
    std::vector<unsigned char> first(arena, arena + arena_used);
    run_once(c, with_seed, 1);
    if (first.size() != arena_used || std::memcmp(first.data(), arena, arena_used) != 0)
        finish("wrong", "the result depends on undefined values (shared memory that nobody wrote, or a shuffle from a "
                        "lane that is not there)");
}

} // namespace

token new_token() {
    tokens.push_back(std::malloc(16));
    return tokens.back();
}

fiber &self() { return *static_cast<fiber *>(current); }

fiber *fibers_of_block(unsigned *count) {
    *count = threads_in_block;
    return fibers;
}

unsigned live_threads() { return threads_live; }

std::uint64_t scheduling_bits() { return next_bits(scheduling_state); }

bool hook_is_due() {
    fiber &f = self();
    if (++hooks_of_block > hook_limit)
        finish("hang", "threads run for ever; the last was thread " + std::to_string(f.rank) + "; " + who_waits());
    f.hooks++;
    switch (seed % 4) {
    case 2: return scheduling_bits() % 4 == 0;
    case 3: return scheduling_bits() % 48 == 0;
    default: return f.hooks >= fair_turn;
    }
}

void yield() {
    fiber &f = self();
    settle(f);
    if (fiber *next = choose(&f))
        resume(&f.context, *next);
    else
        f.hooks = 0;
}

void leave_early() { self().leaves_early = true; }

void block_until_woken(const char *reason, place at) {
    fiber &f = self();
    settle(f);
    f.now = state::blocked;
    f.reason = reason;
    f.at = at;
    leave(&f.context);
}

void wake(fiber &f) {
    if (f.now == state::blocked)
        f.now = state::runnable;
}

long long ticks() {
    yield();
    return static_cast<long long>(hooks_of_block);
}

/* The first filling is what one often finds, the second is anything. */
void fill_undefined(void *to, std::size_t size) {
    auto *bytes = static_cast<unsigned char *>(to);
    for (std::size_t i = 0; i < size; i += 8) {
        std::uint64_t bits = usual_filling() ? 0 : next_bits(undefined_state);
        std::memcpy(bytes + i, &bits, size - i < 8 ? size - i : 8);
    }
}

bool usual_filling() { return filling == 0; }

bool lanes_converge() { return seed % 2 == 1; }

std::string describe(place at) {
    const char *slash = at.file ? std::strrchr(at.file, '/') : nullptr;
    return std::string(slash ? slash + 1 : at.file ? at.file : "?") + ":" + std::to_string(at.line);
}

std::string describe(const fiber &f) { return "thread " + std::to_string(f.rank); }

void end_run(const char *verdict, const std::string &text) {
    std::string line = "{\"verdict\": " + quoted(verdict) + ", \"seed\": " + std::to_string(seed) + ", \"text\": " +
                       quoted(text) + "}\n";
    if (write(result_fd, line.data(), line.size()) < 0)
        syscall(SYS_exit_group, 3);
    syscall(SYS_exit_group, 0); /* no destructors, no report of threads that were left */
    std::abort();
}

void trap(place at) { finish("wrong", "trap or failed assertion at " + describe(at)); }

void unsupported(const char *what, place at) { finish("cannot", std::string(what) + " at " + describe(at)); }

unsigned *dynamic_shared() { return reinterpret_cast<unsigned *>(dynamic_memory); }

unsigned dynamic_size() { return static_cast<unsigned>(dynamic_used); }

void launch(dim3 grid, dim3 block, std::size_t shared, const std::function<void()> &body) {
    threads_in_block = block.x * block.y * block.z;
    if (threads_in_block == 0 || threads_in_block > block_threads || shared > dynamic_bytes) {
        std::fprintf(stderr, "launch with %u threads and %zu bytes of shared memory\n", threads_in_block, shared);
        std::exit(2);
    }
    block_size = block;
    grid_size = grid;
    dynamic_used = shared;
    kernel_body = &body;
    for (unsigned b = 0; b < grid.x * grid.y * grid.z; b++) {
        block_at = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
        run_block();
    }
}

void *device_alloc(std::size_t size) {
    constexpr std::size_t slack = 64 * 1024; /* in front of and behind each buffer, zero */
    void *at = arena + arena_used + slack;
    arena_used += (size + 2 * slack + 255) & ~std::size_t(255);
    if (arena_used > arena_bytes) {
        std::fprintf(stderr, "the buffers of the test are too large\n");
        std::exit(2);
    }
    return at;
}

void report_wrong(const char *what) { finish("wrong", what); }

void add_case(const test_case &c) { cases().push_back(c); }

unsigned data_seed() { return seed + 1; }

} // namespace cuemu

/* PROGRAM NAME SEEDS: runs the cases of one fixture until one of them has a verdict. */
int main(int argc, char **argv) {
    using namespace cuemu;
    if (argc != 3) {
        for (const test_case &c : cases())
            std::printf("%s: %s\n", c.fixture, c.text);
        return 0;
    }
    set_up();
    unsigned seeds = static_cast<unsigned>(std::atoi(argv[2])), ran = 0;
    for (const test_case &c : cases())
        if (std::strcmp(c.fixture, argv[1]) == 0)
            for (unsigned s = 0; s < seeds; s++, ran++)
                run_seed(c, s);
    if (ran == 0)
        return 2;
    finish("clean", std::to_string(ran) + " runs");
}
