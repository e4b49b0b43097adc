#pragma once
#include "cuda_awbarrier_primitives.h"
#include "cuda/barrier"
namespace nvcuda {
namespace experimental {
typedef cuda::barrier<cuda::thread_scope_block> awbarrier;
}
}
