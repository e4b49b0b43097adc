#pragma once
#include <cuda/std/algorithm>
