#pragma once
#include "cooperative_groups.h"
namespace cooperative_groups {
//@ cg.reduce | __device__
}
