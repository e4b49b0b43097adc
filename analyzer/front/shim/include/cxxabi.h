#pragma once
#include "typeinfo"
namespace __cxxabiv1 {
extern "C" char *__cxa_demangle(const char *name, char *to, size_t *n, int *status);
extern "C" std::type_info *__cxa_current_exception_type() noexcept;
}
namespace abi = __cxxabiv1;
