/* Is AddressSanitizer part of the program? GCC says so with a macro, clang with a feature. */
#ifndef CW_BASE_SANITIZER_H
#define CW_BASE_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define CW_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CW_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#endif
