/* What the device API of the emulation stands on: fibers for the threads of one block, and the meeting points between
 * them. Everything here is compiled without ThreadSanitizer, so that it sees exactly the order that is announced to it.
 * docs/internals/emulation.md tells why. */
#ifndef CUWARP_EMU_RUNTIME_HPP
#define CUWARP_EMU_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

namespace cuemu {

constexpr unsigned warp_lanes = 32;
constexpr std::size_t value_bytes = 32;

/* The thread that runs now. A fiber always sees itself here, whatever the compiler caches. */
struct thread {
    uint3 index;
    unsigned rank, warp, lane;
};
extern thread *current;

/* By value, so that reading an index is no access to memory. */
uint3 thread_index();
uint3 block_index();
dim3 block_dim();
dim3 grid_dim();
unsigned lane_index();

/* Where in the source a synchronising call stands. Instantiations of one template are one place. */
struct place {
    const char *file;
    int line;
};
constexpr place here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }

enum class op {
    shuffle, vote, match, reduce, syncwarp, tile_sync, group_make, group_scan, elect,
};

/* What the lanes of one completed warp collective brought along. */
struct exchange;
unsigned lanes_of(const exchange &e); /* that came; a lane that is named but has exited is not among them */
void lane_bytes(const exchange &e, unsigned lane, void *to, std::size_t size); /* undefined ones from other lanes */

/* Waits until every lane of `mask` that has not exited has come here with the same mask. `orders`: a memory barrier among
 * them; otherwise ThreadSanitizer sees nothing of the meeting. */
const exchange &meet(op what, unsigned mask, place at, const void *value, std::size_t size, bool orders);

/* What __activemask() gives: the caller alone under some seeds, all lanes that come together under others. */
unsigned active_lanes(place at);

/* Bytes that mean nothing and differ between runs with different fillings: the result where CUDA defines none. */
void fill_undefined(void *to, std::size_t size);

enum class arrival { sync, arrive, reduce };

struct votes {
    unsigned count;
    bool all, any;
};

/* Barrier `id` of the block. count 0: all threads that have not exited. `textual`: all must come from one place, as
 * __syncthreads() demands. `aligned`: the lanes of a warp come together. */
struct barrier_use {
    unsigned id, count;
    arrival how;
    bool textual, aligned;
    const char *name;
};
votes block_barrier(const barrier_use &use, bool vote, place at);

/* All threads of the block come, and nothing is ordered: making a group. */
void block_meet(const char *name, place at);

/* A barrier among the threads whose rank / size is the same as the caller's, for groups above a warp. */
void group_barrier(unsigned size, place at);

/* cuda::barrier and its like: the object's address is its name. */
void mbarrier_init(void *object, long expected, place at);
std::uint64_t mbarrier_arrive(void *object, long update, bool drop, place at);
bool mbarrier_done(void *object, std::uint64_t phase);
void mbarrier_wait(void *object, std::uint64_t phase, place at);

/* Atomic accesses have no order by themselves; __threadfence() gives one to those before and after it, as in C++. */
enum class order { relaxed, acquire, release, acq_rel };
using change = void (*)(void *value, const void *operand, const void *operand2);
void atomic_update(void *at, std::size_t size, void *old, change how, const void *operand, const void *operand2, order o,
                   bool compares);
void atomic_load(const void *at, std::size_t size, void *value, order o);
void atomic_store(void *at, std::size_t size, const void *value, order o);
void fence();

/* An asynchronous copy writes when it is waited for; until then the target holds undefined bytes. */
void copy_async(void *to, const void *from, std::size_t size);
void copy_commit();
void copy_wait(unsigned groups_that_may_be_left);

/* `return` in a kernel, as opposed to its end: the thread is not missed by anybody from then on. */
void leave_early();

void yield();
unsigned *dynamic_shared();
unsigned dynamic_size();
unsigned lanes_of_warp(); /* the lanes that the caller's warp has in this block */
[[noreturn]] void trap(place at);
[[noreturn]] void unsupported(const char *what, place at);
[[noreturn]] void bad_width(int width, place at);
long long ticks();

/* One operand of inline PTX: a C++ lvalue or value of up to eight bytes. */
struct operand {
    void *to;           /* null for an input */
    std::uint64_t from; /* its bits */
    unsigned size;
};
void ptx(const char *text, std::initializer_list<operand> operands, place at);

/* For the drivers. */
void launch(dim3 grid, dim3 block, std::size_t shared, const std::function<void()> &body);
void *device_alloc(std::size_t size);
void report_wrong(const char *what);

struct test_case {
    const char *fixture, *text;
    void (*run)();
};
void add_case(const test_case &c);
unsigned data_seed();

} // namespace cuemu

#endif
