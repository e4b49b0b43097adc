#pragma once
#include "cuwarp/rare_runtime.h"
