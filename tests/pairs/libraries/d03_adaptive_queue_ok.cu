// Adaptive Simpson quadrature of many integrands with persistent threads and a
// global task queue.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace quad {

struct Task {
    double a, b;
    double fa, fm, fb;
    double tol;
    int problem, depth;
};

struct Queue {
    Task* tasks;
    int* ready;      // one flag per slot
    int* head;
    int* tail;
    int* pending;    // tasks queued or in work
    int capacity;

    __device__ bool put(const Task& t) const
    {
        const int slot = atomicAdd(tail, 1);
        if (slot >= capacity) return false;
        tasks[slot] = t;
        __threadfence();
        atomicExch(ready + slot, 1);
        return true;
    }

    // false: all work is done
    __device__ bool take(Task& t) const
    {
        const int ticket = atomicAdd(head, 1);
        if (ticket >= capacity) return false;
        while (atomicAdd(ready + ticket, 0) == 0) {
            if (atomicAdd(pending, 0) == 0) return false;
            __nanosleep(100);
        }
        __threadfence();
        t = tasks[ticket];
        return true;
    }
};

struct Lorentz {
    __device__ static double eval(int p, double x) { return 1.0 / (1.0 + (25.0 + p) * x * x); }
};
struct Chirp {
    __device__ static double eval(int p, double x) { return sin((1.0 + p) * x * x); }
};

template <class F>
__device__ void refine(const Task& t, const Queue& q, double* result)
{
    const double m = 0.5 * (t.a + t.b), h = t.b - t.a;
    const double lm = F::eval(t.problem, 0.5 * (t.a + m)), rm = F::eval(t.problem, 0.5 * (m + t.b));
    const double whole = h / 6.0 * (t.fa + 4.0 * t.fm + t.fb);
    const double left = h / 12.0 * (t.fa + 4.0 * lm + t.fm), right = h / 12.0 * (t.fm + 4.0 * rm + t.fb);
    const double err = left + right - whole;

    if (t.depth > 0 && fabs(err) > 15.0 * t.tol) {
        const Task l = {t.a, m, t.fa, lm, t.fm, 0.5 * t.tol, t.problem, t.depth - 1};
        const Task r = {m, t.b, t.fm, rm, t.fb, 0.5 * t.tol, t.problem, t.depth - 1};
        atomicAdd(q.pending, 2);
        if (!q.put(l)) {
            atomicAdd(result + t.problem, left);
            atomicSub(q.pending, 1);
        }
        if (!q.put(r)) {
            atomicAdd(result + t.problem, right);
            atomicSub(q.pending, 1);
        }
    } else {
        atomicAdd(result + t.problem, left + right + err / 15.0);
    }
}

template <class F>
__global__ void seed(Queue q, int problems, double lo, double hi, double tol, int depth)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= problems) return;
    const Task t = {lo, hi, F::eval(p, lo), F::eval(p, 0.5 * (lo + hi)), F::eval(p, hi), tol, p, depth};
    atomicAdd(q.pending, 1);
    if (!q.put(t)) atomicSub(q.pending, 1);
}

template <class F>
__global__ void integrate(Queue q, double* result)
{
    Task t;
    while (q.take(t)) {
        refine<F>(t, q, result);
        __threadfence();
        atomicSub(q.pending, 1);
    }
}

template <class F>
int solve(int problems, double lo, double hi, double tol, std::vector<double>& out)
{
    const int capacity = 1 << 20, threads = 128;
    int dev = 0, sms = 0, per = 0;
    cudaGetDevice(&dev);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, dev);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, integrate<F>, threads, 0);

    Queue q;
    q.capacity = capacity;
    int* ctl;
    double* d_res;
    cudaMalloc(&q.tasks, capacity * sizeof(Task));
    cudaMalloc(&ctl, (capacity + 3) * sizeof(int));
    cudaMalloc(&d_res, problems * sizeof(double));
    cudaMemset(ctl, 0, (capacity + 3) * sizeof(int));
    cudaMemset(d_res, 0, problems * sizeof(double));
    q.head = ctl;
    q.tail = ctl + 1;
    q.pending = ctl + 2;
    q.ready = ctl + 3;

    seed<F><<<(problems + 127) / 128, 128>>>(q, problems, lo, hi, tol, 24);
    integrate<F><<<sms * per, threads>>>(q, d_res);
    out.resize(problems);
    const cudaError_t e = cudaMemcpy(out.data(), d_res, problems * sizeof(double), cudaMemcpyDeviceToHost);
    cudaFree(q.tasks);
    cudaFree(ctl);
    cudaFree(d_res);
    return e == cudaSuccess ? 0 : 1;
}

}  // namespace quad

int main()
{
    std::vector<double> r;
    if (quad::solve<quad::Lorentz>(64, -1.0, 1.0, 1e-10, r)) return 1;
    printf("%.12f\n", r[0]);
    if (quad::solve<quad::Chirp>(16, 0.0, 8.0, 1e-9, r)) return 1;
    printf("%.12f\n", r[0]);
    return 0;
}
