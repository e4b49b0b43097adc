/* Memory functions and a heap that ThreadSanitizer does not see. Its own heap takes an allocation for a write by the
 * allocating thread, and memory of the run time wanders between fibers without any order. */
#include <cstddef>
#include <new>
#include <sys/mman.h>

#define PLAIN_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))

extern "C" {
PLAIN_LOOP void *cuemu_memmove(void *to, const void *from, std::size_t n) noexcept {
    auto *t = static_cast<unsigned char *>(to);
    auto *f = static_cast<const unsigned char *>(from);
    if (t <= f)
        for (std::size_t i = 0; i < n; i++)
            t[i] = f[i];
    else
        while (n--)
            t[n] = f[n];
    return to;
}

void *cuemu_memcpy(void *to, const void *from, std::size_t n) noexcept { return cuemu_memmove(to, from, n); }

PLAIN_LOOP void *cuemu_memset(void *to, int value, std::size_t n) noexcept {
    auto *t = static_cast<unsigned char *>(to);
    for (std::size_t i = 0; i < n; i++)
        t[i] = static_cast<unsigned char>(value);
    return to;
}

PLAIN_LOOP int cuemu_memcmp(const void *a, const void *b, std::size_t n) noexcept {
    auto *x = static_cast<const unsigned char *>(a), *y = static_cast<const unsigned char *>(b);
    for (std::size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
}

namespace {

constexpr unsigned classes = 40;
constexpr std::size_t chunk_bytes = std::size_t(1) << 20;

struct free_block {
    free_block *next;
};
free_block *free_lists[classes];
unsigned char *chunk;
std::size_t chunk_left;

unsigned class_of(std::size_t size) {
    unsigned c = 5;
    while ((std::size_t(1) << c) < size)
        c++;
    return c;
}

void *map(std::size_t size) {
    void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        throw std::bad_alloc();
    return at;
}

/* Powers of two, kept in lists when they are given back; the class stands in front of the block. */
void *allocate(std::size_t size) {
    unsigned c = class_of(size + 16);
    std::size_t whole = std::size_t(1) << c;
    unsigned char *at;
    if (free_lists[c]) {
        at = reinterpret_cast<unsigned char *>(free_lists[c]);
        free_lists[c] = free_lists[c]->next;
    } else if (whole >= chunk_bytes) {
        at = static_cast<unsigned char *>(map(whole));
    } else {
        if (chunk_left < whole) {
            chunk = static_cast<unsigned char *>(map(chunk_bytes));
            chunk_left = chunk_bytes;
        }
        at = chunk;
        chunk += whole;
        chunk_left -= whole;
    }
    *reinterpret_cast<unsigned *>(at) = c;
    return at + 16;
}

void release(void *p) {
    if (!p)
        return;
    unsigned char *at = static_cast<unsigned char *>(p) - 16;
    unsigned c = *reinterpret_cast<unsigned *>(at);
    auto *block = reinterpret_cast<free_block *>(at);
    block->next = free_lists[c];
    free_lists[c] = block;
}

} // namespace

void *operator new(std::size_t size) { return allocate(size); }
void *operator new[](std::size_t size) { return allocate(size); }
void operator delete(void *p) noexcept { release(p); }
void operator delete[](void *p) noexcept { release(p); }
void operator delete(void *p, std::size_t) noexcept { release(p); }
void operator delete[](void *p, std::size_t) noexcept { release(p); }
