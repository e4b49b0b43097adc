// Sums over a warp that are WRONG under independent thread scheduling. They stand here to be measured beside their
// corrections: what does being right cost, or gain? Nothing else may use them.
#pragma once

namespace hazard {

// Lock-step code as it was written before Volta: `volatile`, and nothing that orders the lanes.
__device__ inline unsigned sum_in_lock_step(volatile unsigned *part, unsigned lane)
{
    if (lane < 16) {
        part[lane] += part[lane + 16];
        part[lane] += part[lane + 8]; //~ error: syncwarp-loop-race
        part[lane] += part[lane + 4];
        part[lane] += part[lane + 2];
        part[lane] += part[lane + 1];
    }
    __syncwarp();
    return part[0];
}

// One __syncwarp() for each step: a lane still reads what another one writes in the same step.
__device__ inline unsigned sum_with_one_syncwarp(unsigned *part, unsigned lane)
{
    for (unsigned offset = 16; offset > 0; offset /= 2) {
        part[lane] += part[(lane + offset) % 32]; //~ error: syncwarp-loop-race
        __syncwarp();
    }
    return part[lane];
}

} // namespace hazard
