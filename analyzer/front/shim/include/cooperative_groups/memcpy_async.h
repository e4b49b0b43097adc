#pragma once
#include "cooperative_groups.h"
namespace cooperative_groups {
//@ cg.memcpy_async | __device__
}
