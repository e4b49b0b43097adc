// Per-trade-day aggregates: inclusive segmented scan by day, the last trade of a day writes its total.
#include <cuda_runtime.h>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>

struct Trade {
    int day;         // trades are stored in time order, so day never decreases
    float price;
    float volume;
};

struct Running {
    double notional;
    double volume;
    float high, low;
};

struct Merge {
    __host__ __device__ Running operator()(const Running &a, const Running &b) const
    {
        Running r;
        r.notional = a.notional + b.notional;
        r.volume = a.volume + b.volume;
        r.high = a.high > b.high ? a.high : b.high;
        r.low = a.low < b.low ? a.low : b.low;
        return r;
    }
};

struct DayStat {
    double vwap;
    double volume;
    float open, high, low, close;
};

__global__ void lift(const Trade *__restrict__ t, int n, int *day, Running *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    Running v;
    v.notional = (double)t[i].price * t[i].volume;
    v.volume = t[i].volume;
    v.high = v.low = t[i].price;
    r[i] = v;
    day[i] = t[i].day;
}

__global__ void write_days(const Trade *__restrict__ t, const Running *__restrict__ r, int n, DayStat *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const int d = t[i].day;
    if (i == 0 || t[i - 1].day != d)
        out[d].open = t[i].price;
    if (i == n - 1 || t[i + 1].day != d) {
        DayStat *s = out + d;
        s->vwap = r[i].volume > 0.0 ? r[i].notional / r[i].volume : 0.0;
        s->volume = r[i].volume;
        s->high = r[i].high;
        s->low = r[i].low;
        s->close = t[i].price;
    }
}

cudaError_t daily_bars(const Trade *d_trades, int n, DayStat *d_out, int days)
{
    int *d_day;
    Running *d_run;
    cudaError_t e = cudaMemset(d_out, 0, days * sizeof(DayStat));
    if (n == 0 || e != cudaSuccess)
        return e;
    if ((e = cudaMalloc(&d_day, n * sizeof(int))) != cudaSuccess)
        return e;
    if ((e = cudaMalloc(&d_run, n * sizeof(Running))) != cudaSuccess) {
        cudaFree(d_day);
        return e;
    }
    const int tb = 256, nb = (n + tb - 1) / tb;
    lift<<<nb, tb>>>(d_trades, n, d_day, d_run);
    thrust::inclusive_scan_by_key(thrust::device, d_day, d_day + n, d_run, d_run, thrust::equal_to<int>(), Merge());
    write_days<<<nb, tb>>>(d_trades, d_run, n, d_out);
    e = cudaDeviceSynchronize();
    cudaFree(d_day);
    cudaFree(d_run);
    return e;
}
