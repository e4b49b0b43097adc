#pragma once
#include "cooperative_groups.h"
namespace cooperative_groups {
//@ cg.scan | __device__
}
