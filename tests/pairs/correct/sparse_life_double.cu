// Game of life on a huge board: only tiles on the active list are stepped, ping-pong buffers.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <vector>

constexpr int TS = 16;     // tile side

struct Board {
    int tiles_x, tiles_y;
    uint8_t *cells[2];     // [tiles][TS*TS]
    int cur;
};

__device__ int cell_at(const uint8_t *c, int tx, int ty, int x, int y, int ntx, int nty)
{
    if (x < 0) { x += TS; tx = (tx + ntx - 1) % ntx; }
    if (x >= TS) { x -= TS; tx = (tx + 1) % ntx; }
    if (y < 0) { y += TS; ty = (ty + nty - 1) % nty; }
    if (y >= TS) { y -= TS; ty = (ty + 1) % nty; }
    return c[(ty * ntx + tx) * TS * TS + y * TS + x];
}

__global__ void stepTiles(const int *__restrict__ active, const uint8_t *__restrict__ in, uint8_t *__restrict__ out,
                          int ntx, int nty, int *alive_in_tile)
{
    __shared__ int alive;
    const int tile = active[blockIdx.x];
    const int tx = tile % ntx, ty = tile / ntx;
    const int x = threadIdx.x, y = threadIdx.y;
    if (x == 0 && y == 0)
        alive = 0;
    __syncthreads();
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                n += cell_at(in, tx, ty, x + dx, y + dy, ntx, nty);
    const int me = in[tile * TS * TS + y * TS + x];
    const int next = n == 3 || (me && n == 2);
    out[tile * TS * TS + y * TS + x] = (uint8_t)next;
    if (next)
        atomicAdd(&alive, 1);
    __syncthreads();
    if (x == 0 && y == 0)
        alive_in_tile[tile] = alive;
}

class SparseLife {
public:
    SparseLife(Board b, int *d_active, int *d_alive) : m_b(b), m_active(d_active), m_alive(d_alive), m_pop(b.tiles_x * b.tiles_y) {}

    // A tile is active when it or one of its 8 neighbours has a living cell now or had one a step ago.
    void step()
    {
        const int nt = m_b.tiles_x * m_b.tiles_y;
        cudaMemcpy(m_pop.data(), m_alive, nt * sizeof(int), cudaMemcpyDeviceToHost);
        std::vector<char> want(nt, 0);
        for (int t = 0; t < nt; t++) {
            if (!m_pop[t] && (m_last.empty() || !m_last[t])) continue;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int x = (t % m_b.tiles_x + dx + m_b.tiles_x) % m_b.tiles_x;
                    int y = (t / m_b.tiles_x + dy + m_b.tiles_y) % m_b.tiles_y;
                    want[y * m_b.tiles_x + x] = 1;
                }
        }
        std::vector<int> list;
        for (int t = 0; t < nt; t++)
            if (want[t]) list.push_back(t);
        m_last = m_pop;
        if (list.empty()) return;
        cudaMemcpy(m_active, list.data(), list.size() * sizeof(int), cudaMemcpyHostToDevice);
        stepTiles<<<(unsigned)list.size(), dim3(TS, TS)>>>(m_active, m_b.cells[m_b.cur], m_b.cells[m_b.cur ^ 1],
                                                         m_b.tiles_x, m_b.tiles_y, m_alive);
        m_b.cur ^= 1;
    }

private:
    Board m_b;
    int *m_active, *m_alive;
    std::vector<int> m_pop, m_last;
};

void run_life(Board b, int *d_active, int *d_alive, int steps)
{
    SparseLife life(b, d_active, d_alive);
    for (int i = 0; i < steps; i++)
        life.step();
}
