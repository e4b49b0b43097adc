#if 0
__global__ void no() {
#else
__device__ int f() { return 1'000; }
#endif
﻿__device__ #include <a
/* open