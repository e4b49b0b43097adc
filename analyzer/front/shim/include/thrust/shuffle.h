#pragma once
#include "thrust/cuwarp_thrust.h"
namespace thrust {
template <typename... T> void shuffle(T &&...);
template <typename... T> void shuffle_copy(T &&...);
} // namespace thrust
