// Forward tile rasteriser for 2D-projected Gaussians, front to back alpha blending.
#include <cuda_runtime.h>
#include <cstdint>
#include "auxiliary.h"

#define BLOCK_X 16
#define BLOCK_Y 16
#define BLOCK_SIZE (BLOCK_X * BLOCK_Y)
#define NUM_CHANNELS 3

template <uint32_t CHANNELS>
__global__ void __launch_bounds__(BLOCK_X* BLOCK_Y) renderCUDA(
    const uint2* __restrict__ ranges, const uint32_t* __restrict__ point_list, int W, int H,
    const float2* __restrict__ points_xy_image, const float* __restrict__ features,
    const float4* __restrict__ conic_opacity, float* __restrict__ final_T,
    uint32_t* __restrict__ n_contrib, const float* __restrict__ bg_color,
    float* __restrict__ out_color)
{
	// Identify current tile and associated min/max pixel range.
	const uint32_t horizontal_blocks = (W + BLOCK_X - 1) / BLOCK_X;
	const uint2 pix = {blockIdx.x * BLOCK_X + threadIdx.x, blockIdx.y * BLOCK_Y + threadIdx.y};
	const uint32_t pix_id = W * pix.y + pix.x;
	const float2 pixf = {(float)pix.x, (float)pix.y};
	const uint32_t rank = threadIdx.y * BLOCK_X + threadIdx.x;

	// Check if this thread is associated with a valid pixel or outside.
	const bool inside = pix.x < (uint32_t)W && pix.y < (uint32_t)H;
	// Done threads can help with fetching, but don't rasterize
	bool done = !inside;

	const uint2 range = ranges[blockIdx.y * horizontal_blocks + blockIdx.x];
	const int rounds = ((range.y - range.x + BLOCK_SIZE - 1) / BLOCK_SIZE);
	int toDo = range.y - range.x;

	__shared__ int collected_id[BLOCK_SIZE];
	__shared__ float2 collected_xy[BLOCK_SIZE];
	__shared__ float4 collected_conic_opacity[BLOCK_SIZE];

	float T = 1.0f;
	uint32_t contributor = 0;
	uint32_t last_contributor = 0;
	float C[CHANNELS] = {0};

	for (int i = 0; i < rounds; i++, toDo -= BLOCK_SIZE)
	{
		// Collectively fetch per-Gaussian data from global to shared
		const uint32_t progress = i * BLOCK_SIZE + rank;
		if (range.x + progress < range.y)
		{
			const int coll_id = point_list[range.x + progress];
			collected_id[rank] = coll_id;
			collected_xy[rank] = points_xy_image[coll_id];
			collected_conic_opacity[rank] = conic_opacity[coll_id];
		}
		// End if entire block votes that it is done rasterizing
		const int num_done = __syncthreads_count(done);
		if (num_done == BLOCK_SIZE)
			break;

		// Iterate over current batch
		for (int j = 0; !done && j < min(BLOCK_SIZE, toDo); j++)
		{
			contributor++;
			const float2 xy = collected_xy[j];
			const float2 d = {xy.x - pixf.x, xy.y - pixf.y};
			const float4 con_o = collected_conic_opacity[j];
			const float power =
			    -0.5f * (con_o.x * d.x * d.x + con_o.z * d.y * d.y) - con_o.y * d.x * d.y;
			if (power > 0.0f)
				continue;

			const float alpha = min(0.99f, con_o.w * exp(power));
			if (alpha < 1.0f / 255.0f)
				continue;
			const float test_T = T * (1 - alpha);
			if (test_T < 0.0001f)
			{
				done = true;
				continue;
			}

			for (int ch = 0; ch < CHANNELS; ch++)
				C[ch] += features[collected_id[j] * CHANNELS + ch] * alpha * T;
			T = test_T;
			last_contributor = contributor;
		}
	}

	if (inside)
	{
		final_T[pix_id] = T;
		n_contrib[pix_id] = last_contributor;
		for (int ch = 0; ch < CHANNELS; ch++)
			out_color[ch * H * W + pix_id] = C[ch] + T * bg_color[ch];
	}
}

void FORWARD_render(const uint2* ranges, const uint32_t* point_list, int W, int H,
                    const float2* means2D, const float* colors, const float4* conic_opacity,
                    float* final_T, uint32_t* n_contrib, const float* bg_color, float* out_color)
{
	const dim3 grid((W + BLOCK_X - 1) / BLOCK_X, (H + BLOCK_Y - 1) / BLOCK_Y, 1);
	const dim3 block(BLOCK_X, BLOCK_Y, 1);
	renderCUDA<NUM_CHANNELS><<<grid, block>>>(ranges, point_list, W, H, means2D, colors,
	                                          conic_opacity, final_T, n_contrib, bg_color,
	                                          out_color);
}
