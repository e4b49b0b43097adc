// One step of batched beam search: per sentence the best `beams` continuations
// out of beams * vocab candidates, by repeated block-wide argmax.
#include <cuda_runtime.h>

#include <cfloat>
#include <vector>

namespace decode {

struct Candidate {
    float score;
    int id;  // beam * vocab + token
};

struct BetterCandidate {
    __device__ bool operator()(const Candidate& a, const Candidate& b) const
    {
        return a.score > b.score || (a.score == b.score && a.id < b.id);
    }
};

template <int THREADS, typename Better>
struct BlockArgmax {
    struct Storage { Candidate pair[THREADS]; };
    Storage& st;
    Better better;

    __device__ Candidate run(Candidate c)
    {
        st.pair[threadIdx.x] = c;
        __syncthreads();
#pragma unroll
        for (int h = THREADS / 2; h > 0; h >>= 1) {
            if (threadIdx.x < h && better(st.pair[threadIdx.x + h], st.pair[threadIdx.x]))
                st.pair[threadIdx.x] = st.pair[threadIdx.x + h];
            __syncthreads();
        }
        return st.pair[0];
    }
};

// a few candidates per thread, best first
template <int DEPTH>
struct ThreadQueue {
    Candidate q[DEPTH];
    __device__ ThreadQueue()
    {
        for (int i = 0; i < DEPTH; ++i) q[i] = {-FLT_MAX, 0x7fffffff};
    }
    template <typename Better>
    __device__ void push(Candidate c, Better better)
    {
        if (!better(c, q[DEPTH - 1])) return;
        q[DEPTH - 1] = c;
#pragma unroll
        for (int i = DEPTH - 1; i > 0; --i)
            if (better(q[i], q[i - 1])) {
                const Candidate t = q[i];
                q[i] = q[i - 1];
                q[i - 1] = t;
            }
    }
    __device__ void pop()
    {
#pragma unroll
        for (int i = 0; i + 1 < DEPTH; ++i) q[i] = q[i + 1];
        q[DEPTH - 1] = {-FLT_MAX, 0x7fffffff};
    }
};

struct StepArgs {
    const float* logp;       // [batch][beams][vocab]
    const float* score_in;   // [batch][beams]
    float* score_out;        // [batch][beams]
    int* parent;             // [batch][beams]
    int* token;              // [batch][beams]
    const int* finished;     // [batch][beams]
    int vocab, eos;
    float length_penalty;
};

template <int BEAMS, int THREADS>
__global__ void __launch_bounds__(THREADS) beam_step(StepArgs a)
{
    using Argmax = BlockArgmax<THREADS, BetterCandidate>;
    __shared__ typename Argmax::Storage storage;
    const BetterCandidate better{};
    Argmax argmax{storage, better};

    const int base = blockIdx.x * BEAMS;
    ThreadQueue<BEAMS> mine;
    for (int b = 0; b < BEAMS; ++b) {
        const float s0 = a.score_in[base + b];
        if (a.finished[base + b]) {
            if (threadIdx.x == 0) mine.push({s0, b * a.vocab + a.eos}, better);
            continue;
        }
        const float* row = a.logp + (size_t)(base + b) * a.vocab;
        for (int v = threadIdx.x; v < a.vocab; v += THREADS)
            mine.push({s0 + row[v] * a.length_penalty, b * a.vocab + v}, better);
    }

    for (int k = 0; k < BEAMS; ++k) {
        const Candidate best = argmax.run(mine.q[0]);
        if (best.id == mine.q[0].id) mine.pop();
        if (threadIdx.x == 0) {
            a.score_out[base + k] = best.score;
            a.parent[base + k] = best.id / a.vocab;
            a.token[base + k] = best.id % a.vocab;
        }
    }
}

template <int BEAMS>
static void dispatch_threads(const StepArgs& a, int batch, cudaStream_t s)
{
    if (a.vocab >= 16384) beam_step<BEAMS, 512><<<batch, 512, 0, s>>>(a);
    else beam_step<BEAMS, 128><<<batch, 128, 0, s>>>(a);
}

cudaError_t beam_search_step(const StepArgs& a, int batch, int beams, cudaStream_t s)
{
    if (batch == 0) return cudaSuccess;
    switch (beams) {
    case 1: dispatch_threads<1>(a, batch, s); break;
    case 2: dispatch_threads<2>(a, batch, s); break;
    case 4: dispatch_threads<4>(a, batch, s); break;
    case 8: dispatch_threads<8>(a, batch, s); break;
    default: return cudaErrorInvalidValue;
    }
    return cudaGetLastError();
}

}  // namespace decode
