// What nvcc includes before every file: the language extensions, the built-in variables, the device functions, the
// runtime library of the host.
#pragma once
#include "cuwarp/macros.h"
#include "cuwarp/types.h"
#include "cuwarp/vector_types.h"
#include "cuwarp/device.h"
#include "cuwarp/std_math.h"
#include "cuwarp/pair.h"
#include "assert.h"
#include "limits.h"
#include "cuwarp/math_macros.h"
#include "stddef.h"
#include "stdio.h"
#include "stdlib.h"
#include "string.h"
#include "cuwarp/texture.h"
#include "cuwarp/host_runtime.h"
