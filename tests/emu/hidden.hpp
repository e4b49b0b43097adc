/* ThreadSanitizer intercepts memcpy() and its like, also when code that is not instrumented calls them. What the run time
 * does with its own memory is none of its business: these names lead to versions that it does not see. Included first. */
#ifndef CUWARP_EMU_HIDDEN_HPP
#define CUWARP_EMU_HIDDEN_HPP

#include <cstddef>

extern "C" {
void *memcpy(void *, const void *, std::size_t) noexcept __asm__("cuemu_memcpy");
void *memmove(void *, const void *, std::size_t) noexcept __asm__("cuemu_memmove");
void *memset(void *, int, std::size_t) noexcept __asm__("cuemu_memset");
int memcmp(const void *, const void *, std::size_t) noexcept __asm__("cuemu_memcmp");
}

#endif
