/* Memory as ThreadSanitizer sees it: the accesses of the instrumented code pass through here on their way to it, which is
 * where other threads get their turn; atomics, fences and asynchronous copies announce what they do. */
#include "internal.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

extern "C" {
void __tsan_read1_pc(void *, void *);
void __tsan_read2_pc(void *, void *);
void __tsan_read4_pc(void *, void *);
void __tsan_read8_pc(void *, void *);
void __tsan_read16_pc(void *, void *);
void __tsan_write1_pc(void *, void *);
void __tsan_write2_pc(void *, void *);
void __tsan_write4_pc(void *, void *);
void __tsan_write8_pc(void *, void *);
void __tsan_write16_pc(void *, void *);
void __tsan_read_range_pc(void *, unsigned long, void *);
void __tsan_write_range_pc(void *, unsigned long, void *);
std::uint8_t __tsan_atomic8_load(const volatile std::uint8_t *, int);
std::uint16_t __tsan_atomic16_load(const volatile std::uint16_t *, int);
std::uint32_t __tsan_atomic32_load(const volatile std::uint32_t *, int);
std::uint64_t __tsan_atomic64_load(const volatile std::uint64_t *, int);
void __tsan_atomic8_store(volatile std::uint8_t *, std::uint8_t, int);
void __tsan_atomic16_store(volatile std::uint16_t *, std::uint16_t, int);
void __tsan_atomic32_store(volatile std::uint32_t *, std::uint32_t, int);
void __tsan_atomic64_store(volatile std::uint64_t *, std::uint64_t, int);
int __tsan_get_report_data(void *, const char **, int *, int *, int *, int *, int *, int *, int *, void **, unsigned long);
int __tsan_get_report_mop(void *, unsigned long, int *, void **, int *, int *, int *, void **, unsigned long);
int __tsan_get_report_thread(void *, unsigned long, int *, unsigned long *, int *, const char **, int *, void **,
                             unsigned long);
void __sanitizer_symbolize_pc(void *, const char *, char *, unsigned long);

const char *__tsan_default_options() {
    return "suppress_equal_stacks=1:suppress_equal_addresses=0:exitcode=0:report_thread_leaks=0:handle_segv=0:"
           "handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:allow_user_segv_handler=1:use_sigaltstack=0:"
           "history_size=4";
}
}

namespace cuemu {

namespace {

/* For each place that atomics or volatile accesses write: the moments whose fences such a read carries on. */
std::unordered_map<std::uintptr_t, std::vector<token>> published;

void publish(const void *at, token t, bool keeps_earlier) {
    auto &tokens = published[reinterpret_cast<std::uintptr_t>(at)];
    if (!keeps_earlier)
        tokens.clear();
    if (t && (tokens.empty() || tokens.back() != t))
        tokens.push_back(t);
}

void collect(fiber &f, const void *at, bool acquires) {
    auto found = published.find(reinterpret_cast<std::uintptr_t>(at));
    if (found == published.end())
        return;
    for (token t : found->second) {
        if (acquires)
            __tsan_acquire(t);
        else if (std::find(f.seen.begin(), f.seen.end(), t) == f.seen.end())
            f.seen.push_back(t);
    }
}

token release_moment(fiber &f, order o) {
    if (o != order::release && o != order::acq_rel)
        return f.fence_token;
    token t = new_token();
    __tsan_release(t);
    return t;
}

bool acquires(order o) { return o == order::acquire || o == order::acq_rel; }

/* There is one thread of the host, so that a plain load and store are one step; ThreadSanitizer is told of both. */
void load_bits(const void *at, std::size_t size, void *value) {
    constexpr int relaxed = 0;
    switch (size) {
    case 1: *static_cast<std::uint8_t *>(value) = __tsan_atomic8_load(static_cast<const std::uint8_t *>(at), relaxed); break;
    case 2: *static_cast<std::uint16_t *>(value) = __tsan_atomic16_load(static_cast<const std::uint16_t *>(at), relaxed); break;
    case 4: *static_cast<std::uint32_t *>(value) = __tsan_atomic32_load(static_cast<const std::uint32_t *>(at), relaxed); break;
    default: *static_cast<std::uint64_t *>(value) = __tsan_atomic64_load(static_cast<const std::uint64_t *>(at), relaxed);
    }
}

void store_bits(void *at, std::size_t size, const void *value) {
    constexpr int relaxed = 0;
    switch (size) {
    case 1: __tsan_atomic8_store(static_cast<std::uint8_t *>(at), *static_cast<const std::uint8_t *>(value), relaxed); break;
    case 2: __tsan_atomic16_store(static_cast<std::uint16_t *>(at), *static_cast<const std::uint16_t *>(value), relaxed); break;
    case 4: __tsan_atomic32_store(static_cast<std::uint32_t *>(at), *static_cast<const std::uint32_t *>(value), relaxed); break;
    default: __tsan_atomic64_store(static_cast<std::uint64_t *>(at), *static_cast<const std::uint64_t *>(value), relaxed);
    }
}

struct caller { /* names the line of the kernel in ThreadSanitizer's stacks */
    explicit caller(void *pc) { __tsan_func_entry(pc); }
    ~caller() { __tsan_func_exit(); }
};


bool is_dynamic(const void *at, std::size_t size) {
    auto begin = reinterpret_cast<std::uintptr_t>(dynamic_shared()), a = reinterpret_cast<std::uintptr_t>(at);
    if (a < begin || a >= begin + dynamic_bytes)
        return false;
    if (a + size > begin + dynamic_size())
        finish("violation", describe(self()) + " leaves the " + std::to_string(dynamic_size()) +
                                " bytes of dynamic shared memory of the launch");
    return true;
}

/* Before an access: other threads may come first. */
void turn(const void *at, std::size_t size) {
    fiber &f = self();
    settle(f);
    is_dynamic(at, size);
    if (hook_is_due())
        yield();
}


/* ThreadSanitizer's own entry points, by way of the turn above. */
bool on_device() { return current != nullptr; }

/* Calls by which volatile accesses came in. Beside an atomic they are as good as relaxed atomics; beside each other they
 * count as what they were meant for before Volta: an exchange of data without any order. */
std::set<const void *> volatile_calls;

void volatile_read(const void *at, const void *call) {
    if (!on_device())
        return;
    volatile_calls.insert(call);
    collect(self(), at, false);
}

void volatile_write(const void *at, const void *call) {
    if (!on_device())
        return;
    volatile_calls.insert(call);
    publish(at, self().fence_token, false);
}

/* --- what a report says ------------------------------------------------------------------------------------------- */

std::string thread_name(void *report, int threads, int tid) {
    for (int i = 0; i < threads; i++) {
        int id = -1, running, parent;
        unsigned long os;
        const char *name = nullptr;
        void *trace[1];
        __tsan_get_report_thread(report, static_cast<unsigned long>(i), &id, &os, &running, &name, &parent, trace, 1);
        if (id == tid && name)
            return name;
    }
    return "thread ?";
}

/* The innermost frame in a fixture. */
std::string line_of(void *const *trace, unsigned n) {
    char text[512];
    std::string first;
    for (unsigned i = 0; i < n && trace[i]; i++) {
        __sanitizer_symbolize_pc(static_cast<char *>(trace[i]) - 1, "%s:%l", text, sizeof text);
        if (std::strstr(text, ".cu:")) {
            const char *slash = std::strrchr(text, '/');
            return slash ? slash + 1 : text;
        }
        if (first.empty())
            first = text;
    }
    return first;
}

struct access {
    void *at;
    int size, writes, atomic;
    bool is_volatile;
    std::string text;
};

/* A plain read beside an atomic: how the guide's loops around atomicCAS() begin, and then harmless, since the swap checks
 * what was read. Whether the place is changed by nothing else is known at the end of the block. */
struct put_off {
    const void *at;
    std::string text;
};
std::vector<put_off> conflicts_put_off;
std::set<const void *> compared, updated_otherwise;

bool begins_update(const access &read, const access &write) {
    return !read.writes && !read.atomic && write.atomic && read.at == write.at && read.size == write.size;
}

bool is_strong(const access &a) { return a.atomic || a.is_volatile; }

access access_of(void *report, unsigned long index, int threads) {
    access a = {};
    int tid = -1;
    void *trace[16] = {};
    __tsan_get_report_mop(report, index, &tid, &a.at, &a.size, &a.writes, &a.atomic, trace, 16);
    a.is_volatile = volatile_calls.count(trace[0]) != 0;
    a.text = thread_name(report, threads, tid) + (a.writes ? " writes" : " reads") + (a.atomic ? " atomically" : "") + " " +
             std::to_string(a.size) + " bytes at " + line_of(trace, 16);
    return a;
}

} // namespace

void judge_report(void *report) {
    const char *kind = "";
    int count, stacks, mops = 0, locations, mutexes, threads = 0, unique;
    void *sleep[1];
    __tsan_get_report_data(report, &kind, &count, &stacks, &mops, &locations, &mutexes, &threads, &unique, sleep, 1);
    if (mops < 2)
        finish("race", kind);
    access now = access_of(report, 0, threads), before = access_of(report, 1, threads);
    std::string text = before.text + "; " + now.text;
    if (is_strong(now) && is_strong(before) && (now.atomic || before.atomic) && now.at == before.at)
        return;
    if (begins_update(now, before) || begins_update(before, now)) {
        if (conflicts_put_off.size() < 1000)
            conflicts_put_off.push_back({now.at, text});
        return;
    }
    if (!now.writes || !before.writes || now.atomic || before.atomic || now.at != before.at || now.size != before.size ||
        !on_device() || self().twin.at)
        finish("race", text);
    twin_write &twin = self().twin;
    twin.at = static_cast<unsigned char *>(now.at);
    twin.size = std::min<unsigned>(static_cast<unsigned>(now.size), sizeof twin.before);
    std::memcpy(twin.before, now.at, twin.size);
    twin.text = text;
}

void settle(fiber &f) {
    if (!f.twin.at)
        return;
    if (std::memcmp(f.twin.before, f.twin.at, f.twin.size) != 0)
        finish("race", f.twin.text);
    f.twin.at = nullptr;
}

void atomic_load(const void *at, std::size_t size, void *value, order o) {
    caller c(__builtin_return_address(0));
    turn(at, size);
    load_bits(at, size, value);
    collect(self(), at, acquires(o));
}

void atomic_store(void *at, std::size_t size, const void *value, order o) {
    caller c(__builtin_return_address(0));
    turn(at, size);
    publish(at, release_moment(self(), o), false);
    store_bits(at, size, value);
}

void atomic_update(void *at, std::size_t size, void *old, change how, const void *operand, const void *operand2, order o,
                   bool compares) {
    caller c(__builtin_return_address(0));
    turn(at, size);
    (compares ? compared : updated_otherwise).insert(at);
    load_bits(at, size, old);
    collect(self(), at, acquires(o));
    publish(at, release_moment(self(), o), true);
    alignas(16) unsigned char value[16];
    std::memcpy(value, old, size);
    how(value, operand, operand2);
    store_bits(at, size, value);
}

void fence() {
    fiber &f = self();
    for (token t : f.seen)
        __tsan_acquire(t);
    f.seen.clear();
    f.fence_token = new_token();
    __tsan_release(f.fence_token);
}

/* The copy may write from now on, and until it has been waited for the target holds anything. */
void copy_async(void *to, const void *from, std::size_t size) {
    caller c(__builtin_return_address(0));
    turn(to, size);
    __tsan_read_range_pc(const_cast<void *>(from), size, __builtin_return_address(0));
    __tsan_write_range_pc(to, size, __builtin_return_address(0));
    fill_undefined(to, size);
    self().copies.back().push_back({to, from, size});
}

void copy_commit() { self().copies.emplace_back(); }

void copy_wait(unsigned left) {
    caller c(__builtin_return_address(0));
    fiber &f = self();
    while (f.copies.size() > left + 1) {
        for (const pending_copy &p : f.copies.front()) {
            __tsan_write_range_pc(p.to, p.size, __builtin_return_address(0));
            std::memcpy(p.to, p.from, p.size);
        }
        f.copies.erase(f.copies.begin());
    }
}

void memory_reset() {
    published.clear();
    conflicts_put_off.clear();
    compared.clear();
    updated_otherwise.clear();
}

void memory_finish() {
    for (const put_off &c : conflicts_put_off)
        if (!compared.count(c.at) || updated_otherwise.count(c.at))
            finish("race", c.text);
}

} // namespace cuemu

namespace __tsan {
class ReportDesc;

/* Replaces ThreadSanitizer's: nothing is printed, the first conflict that counts ends the run. */
bool OnReport(const ReportDesc *report, bool) {
    cuemu::judge_report(const_cast<ReportDesc *>(report));
    return true;
}
} // namespace __tsan

#define ENTRY(access, size)                                                                                            \
    extern "C" void __tsan_##access##size(void *at) {                                                                  \
        if (cuemu::on_device())                                                                                        \
            cuemu::turn(at, size);                                                                                     \
        __tsan_##access##size##_pc(at, __builtin_return_address(0));                                                   \
    }                                                                                                                  \
    extern "C" void __tsan_volatile_##access##size(void *at) {                                                         \
        if (cuemu::on_device())                                                                                        \
            cuemu::turn(at, size);                                                                                     \
        cuemu::volatile_##access(at, __builtin_return_address(0));                                                     \
        __tsan_##access##size##_pc(at, __builtin_return_address(0));                                                   \
    }                                                                                                                  \
    extern "C" void __tsan_unaligned_##access##size(void *at) {                                                        \
        if (cuemu::on_device())                                                                                        \
            cuemu::turn(at, size);                                                                                     \
        __tsan_##access##_range_pc(at, size, __builtin_return_address(0));                                             \
    }

ENTRY(read, 1)
ENTRY(read, 2)
ENTRY(read, 4)
ENTRY(read, 8)
ENTRY(read, 16)
ENTRY(write, 1)
ENTRY(write, 2)
ENTRY(write, 4)
ENTRY(write, 8)
ENTRY(write, 16)

extern "C" void __tsan_read_range(void *at, unsigned long size) {
    if (cuemu::on_device())
        cuemu::turn(at, size);
    __tsan_read_range_pc(at, size, __builtin_return_address(0));
}

extern "C" void __tsan_write_range(void *at, unsigned long size) {
    if (cuemu::on_device())
        cuemu::turn(at, size);
    __tsan_write_range_pc(at, size, __builtin_return_address(0));
}
