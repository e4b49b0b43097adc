#include <cuda_runtime.h>
#include <stdint.h>

typedef uint32_t u32;

#define WARPS_PER_BLOCK 8
#define TREE_LEAVES 32

struct equi_tables {
	const uint2 *slots[6];   /* per level: (left slot, right slot) */
	u32 nslots;
};

struct solution_list {
	u32 count;
	u32 max;
	u32 *idx;                /* [max][TREE_LEAVES] */
};

__device__ __forceinline__ uint2 fetch(const equi_tables &eq, int level, u32 s)
{
	return eq.slots[level][s % eq.nslots];
}

/* Walk a collision tree: the root is at position 0 and each level halves the stride. */
__device__ void expand_tree(const equi_tables &eq, u32 root, u32 *levels, int lane)
{
	if (lane == 0) {
		const uint2 p = fetch(eq, 5, root);
		levels[0] = p.x;
		levels[16] = p.y;
	}
	__syncwarp();
	if (lane % 16 == 0) {
		const uint2 p = fetch(eq, 4, levels[lane]);
		levels[lane] = p.x;
		levels[lane + 8] = p.y;
	}
	__syncwarp();
	if (lane % 8 == 0) {
		const uint2 p = fetch(eq, 3, levels[lane]);
		levels[lane] = p.x;
		levels[lane + 4] = p.y;
	}
	__syncwarp();
	if (lane % 4 == 0) {
		const uint2 p = fetch(eq, 2, levels[lane]);
		levels[lane] = p.x;
		levels[lane + 2] = p.y;
	}
	__syncwarp();
	if (lane % 2 == 0) {
		const uint2 p = fetch(eq, 1, levels[lane]);
		levels[lane] = p.x;
		levels[lane + 1] = p.y;
	}
	__syncwarp();
}

__global__ void digit_last(equi_tables eq, const u32 *roots, u32 nroots, solution_list sols)
{
	__shared__ u32 levels[WARPS_PER_BLOCK][TREE_LEAVES];

	const int lane = threadIdx.x & 31;
	const int wid = threadIdx.x >> 5;
	const u32 warp = blockIdx.x * WARPS_PER_BLOCK + wid;
	if (warp >= nroots) return;

	expand_tree(eq, roots[warp], levels[wid], lane);
	const u32 ind = fetch(eq, 0, levels[wid][lane]).x;

	const u32 same = __match_any_sync(0xffffffffu, ind);
	const bool dup = __any_sync(0xffffffffu, __popc(same) > 1);
	if (dup) return;

	u32 pos = 0;
	if (lane == 0) pos = atomicAdd(&((u32 *)sols.idx)[(size_t)sols.max * TREE_LEAVES], 1u);
	pos = __shfl_sync(0xffffffffu, pos, 0);
	if (pos < sols.max) sols.idx[(size_t)pos * TREE_LEAVES + lane] = ind;
}

void equi_last_round(const equi_tables &eq, const u32 *roots, u32 nroots, solution_list sols,
                     cudaStream_t s)
{
	if (nroots == 0) return;
	cudaMemsetAsync(sols.idx + (size_t)sols.max * TREE_LEAVES, 0, sizeof(u32), s);
	const u32 blocks = (nroots + WARPS_PER_BLOCK - 1) / WARPS_PER_BLOCK;
	digit_last<<<blocks, WARPS_PER_BLOCK * 32, 0, s>>>(eq, roots, nroots, sols);
}
