#pragma once
#include "thrust/cuwarp_thrust.h"
namespace thrust {
template <typename T> struct is_execution_policy : std::is_same<typename std::decay<T>::type, cuwarp_policy> {};
template <typename T> constexpr bool is_execution_policy_v = is_execution_policy<T>::value;
} // namespace thrust
