// Batch settlement: applies transfers to account records, each guarded by a spin lock.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

struct Account {
    long long balance;
    int       credits;
    int       last_batch;
};

struct Transfer {
    int       from, to;
    long long amount;
};

class SpinLocks {
public:
    explicit SpinLocks(int *words) : m_words(words) {}

    template <typename F>
    __device__ void with(int i, F body) const
    {
        bool done = false;
        while (!done) {
            if (atomicCAS(m_words + i, 0, 1) == 0) {
                __threadfence();
                body();
                __threadfence();
                atomicExch(m_words + i, 0);
                done = true;
            }
        }
    }

private:
    int *m_words;
};

__global__ void credit(const Transfer *transfers, int n, volatile Account *acc, SpinLocks locks, int batch)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const Transfer t = transfers[i];
    locks.with(t.from, [&]() {
        acc[t.to].balance = acc[t.to].balance + t.amount;
        acc[t.to].credits = acc[t.to].credits + 1;
        acc[t.to].last_batch = batch;
    });
}

__global__ void debit(const Transfer *transfers, int n, Account *acc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    atomicAdd((unsigned long long *)&acc[transfers[i].from].balance,
              (unsigned long long)(-transfers[i].amount));
}

int settle(const std::vector<Transfer> &batch, Account *d_acc, int num_accounts, int batch_no)
{
    if (batch.empty())
        return 0;
    Transfer *d_t;
    int *d_locks;
    const int n = (int)batch.size();
    cudaMalloc(&d_t, n * sizeof(Transfer));
    cudaMalloc(&d_locks, num_accounts * sizeof(int));
    cudaMemcpy(d_t, batch.data(), n * sizeof(Transfer), cudaMemcpyHostToDevice);
    cudaMemset(d_locks, 0, num_accounts * sizeof(int));
    const int threads = 128, blocks = (n + threads - 1) / threads;
    debit<<<blocks, threads>>>(d_t, n, d_acc);
    credit<<<blocks, threads>>>(d_t, n, d_acc, SpinLocks(d_locks), batch_no);
    cudaError_t err = cudaDeviceSynchronize();
    cudaFree(d_t);
    cudaFree(d_locks);
    if (err != cudaSuccess) {
        fprintf(stderr, "settle: %s\n", cudaGetErrorString(err));
        return -1;
    }
    return n;
}
