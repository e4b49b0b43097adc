/* What a fixture's translation unit includes; it is compiled once. */
#include <algorithm>
#include <cfloat>
#include <cstdio>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "cuda_emu.hpp"
#include "groups_emu.hpp"

#define CUWARP_LAUNCH(kernel, grid, block, shared, ...) ::cuemu::launch(grid, block, shared, [&] { (kernel)(__VA_ARGS__); })
#define CUWARP_ALLOC(bytes) ::cuemu::device_alloc(bytes)
#define CUWARP_TO_DEVICE(device, host, bytes) std::memcpy(device, host, bytes)
#define CUWARP_TO_HOST(host, device, bytes) std::memcpy(host, device, bytes)
#define CUWARP_DATA_SEED() ::cuemu::data_seed()
#define CUWARP_WRONG(text) ::cuemu::report_wrong(text)
#define CUWARP_COUNT(wrong, units, name) static_cast<void>(wrong)
#define CUWARP_CALL(expression) static_cast<void>(expression)
#include "../../runtime_check/shapes/kernels.hpp"
