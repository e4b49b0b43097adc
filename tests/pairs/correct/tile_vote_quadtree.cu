// Quadtree point counting; sixteen-lane tiles descend independently.
#include <cstdio>
#include <vector>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;
constexpr int BLOCK = 128;
constexpr int TILE = 16;

struct Box { float x0, y0, x1, y1; };
struct Cells { const int *begin; const float2 *pts; int cells; };

__global__ void __launch_bounds__(BLOCK)
count_in_box(Cells c, const Box *__restrict__ boxes, const int *__restrict__ cell_of_box, int *count, int nbox)
{
    __shared__ int hits[BLOCK / TILE][TILE];
    auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
    const int slot = threadIdx.x / TILE;
    const int per_block = BLOCK / TILE;
    for (int b = blockIdx.x * per_block + slot; b < nbox; b += gridDim.x * per_block) {
        const Box box = boxes[b];
        const int cell = cell_of_box[b];
        int total = 0;
        if (cell >= 0) {
            const int end = c.begin[cell + 1];
            for (int base = c.begin[cell]; base < end; base += TILE) {
                const int i = base + tile.thread_rank();
                bool in = false;
                if (i < end) {
                    const float2 p = c.pts[i];
                    in = p.x >= box.x0 && p.x < box.x1 && p.y >= box.y0 && p.y < box.y1;
                }
                if (!tile.any(in))
                    continue;
                hits[slot][tile.thread_rank()] = in;
                tile.sync();
                if (tile.thread_rank() == 0)
                    for (int k = 0; k < TILE; ++k)
                        total += hits[slot][k];
                tile.sync();
            }
            total = cg::reduce(tile, total, cg::plus<int>());
        }
        if (tile.thread_rank() == 0)
            count[b] = total;
    }
}

int main()
{
    const int cells = 64, nbox = 1001;
    std::vector<int> beg(cells + 1, 0), cob(nbox);
    for (int i = 0; i < cells; ++i)
        beg[i + 1] = beg[i] + (i * 19) % 77;
    for (int i = 0; i < nbox; ++i)
        cob[i] = i % (cells + 1) - 1;
    int *db, *dc, *cnt;
    float2 *pts;
    Box *boxes;
    cudaMalloc(&db, beg.size() * sizeof(int));
    cudaMalloc(&dc, nbox * sizeof(int));
    cudaMalloc(&cnt, nbox * sizeof(int));
    cudaMalloc(&pts, beg[cells] * sizeof(float2));
    cudaMalloc(&boxes, nbox * sizeof(Box));
    cudaMemcpy(db, beg.data(), beg.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dc, cob.data(), nbox * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(pts, 0, beg[cells] * sizeof(float2));
    cudaMemset(boxes, 0, nbox * sizeof(Box));
    count_in_box<<<16, BLOCK>>>(Cells{db, pts, cells}, boxes, dc, cnt, nbox);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
