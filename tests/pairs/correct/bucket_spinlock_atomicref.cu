// Running mean/extent per cell under a per-cell lock (acquire exchange, release store).
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <stdexcept>

struct Cell {
    int lock;
    int count;
    float mean;
    float lo, hi;
};

class CellLock {
    cuda::atomic_ref<int, cuda::thread_scope_device> l_;
public:
    __device__ explicit CellLock(int& w) : l_(w) {}
    __device__ bool tryLock() { return l_.exchange(1, cuda::memory_order_acquire) == 0; }
    __device__ void unlock() { l_.store(0, cuda::memory_order_release); }
};

__global__ void resetCells(Cell* cells, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) cells[i] = Cell{0, 0, 0.f, 3e38f, -3e38f};
}

__global__ void __launch_bounds__(128)
accumulate(const int* __restrict__ cellOf, const float* __restrict__ v, int n, Cell* cells, int numCells)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int c = cellOf[i];
        if (c < 0 || c >= numCells) continue;
        Cell& cell = cells[c];
        CellLock lock(cell.lock);
        bool done = false;
        // The critical section is inside the attempt, so that lanes of one warp that
        // want the same cell take turns.
        while (!done) {
            if (lock.tryLock()) {
                const float x = v[i];
                cell.count += 1;
                cell.mean += (x - cell.mean) / (float)cell.count;
                cell.lo = fminf(cell.lo, x);
                cell.hi = fmaxf(cell.hi, x);
                lock.unlock();
                done = true;
            }
        }
    }
}

void cellStats(const int* cellOf, const float* v, int n, Cell* cells, int numCells, cudaStream_t s)
{
    if (numCells <= 0 || n < 0 || n > (1 << 30)) throw std::invalid_argument("cellStats");
    resetCells<<<(numCells + 255) / 256, 256, 0, s>>>(cells, numCells);
    if (n == 0) return;
    int grid = (n + 127) / 128;
    if (grid > 1024) grid = 1024;
    accumulate<<<grid, 128, 0, s>>>(cellOf, v, n, cells, numCells);
}
