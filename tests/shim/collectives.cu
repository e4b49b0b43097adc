// Every class of CUB's collectives with each way of calling it; nvcc and the shim must both take it. The kernel is correct.
#include <cub/block/block_shuffle.cuh>
#include <cub/cub.cuh>

struct Larger {
    template <typename Any> __device__ Any operator()(const Any &a, const Any &b) const { return a < b ? b : a; }
};

struct Less {
    template <typename Any> __device__ bool operator()(const Any &a, const Any &b) const { return a < b; }
};

struct Differs {
    template <typename Any> __device__ bool operator()(const Any &a, const Any &b) const { return a != b; }
};

struct Minus {
    template <typename Any> __device__ Any operator()(const Any &a, const Any &b) const { return a - b; }
};

struct Running {
    int total;
    __device__ int operator()(int block) {
        int old = total;
        total += block;
        return old;
    }
};

__global__ void reduces_and_scans(const int *in, int *out) {
    using Reduce = cub::BlockReduce<int, 128>;
    using Scan = cub::BlockScan<int, 128>;
    __shared__ typename Reduce::TempStorage reduce[3];
    __shared__ typename Scan::TempStorage scan[5];
    int own = in[threadIdx.x], items[2] = {own, own}, ranks[2], before, total;
    int sum = Reduce(reduce[0]).Sum(own), some = Reduce(reduce[1]).Reduce(own, Larger(), 100);
    int all = Reduce(reduce[2]).Sum(items);
    Running state{0};
    Scan(scan[0]).ExclusiveSum(own, before);
    Scan(scan[1]).InclusiveSum(items, ranks, total);
    Scan(scan[2]).ExclusiveScan(own, before, 0, Larger());
    Scan(scan[3]).InclusiveScan(own, before, Larger(), total);
    Scan(scan[4]).ExclusiveSum(own, before, state);
    out[threadIdx.x] = before + ranks[1] + total;
    if (threadIdx.x == 0)
        out[128] = sum + some + all;
}

__global__ void sorts_and_exchanges(int *data) {
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, 128, 4, int>;
    using Merge = cub::BlockMergeSort<int, 128, 4>;
    using Exchange = cub::BlockExchange<int, 128, 4>;
    __shared__ typename Load::TempStorage load;
    __shared__ typename Store::TempStorage store;
    __shared__ typename Sort::TempStorage sort;
    __shared__ typename Merge::TempStorage merge;
    __shared__ typename Exchange::TempStorage exchange;
    int keys[4], values[4] = {0, 1, 2, 3};
    Load(load).Load(data, keys, 500, 0);
    Sort(sort).Sort(keys, values);
    Merge(merge).Sort(keys, Less());
    Exchange(exchange).BlockedToStriped(keys, values);
    Store(store).Store(data, values);
}

__global__ void flags_and_counts(const int *in, int *out, unsigned *counts) {
    using Discontinuity = cub::BlockDiscontinuity<int, 128>;
    using Difference = cub::BlockAdjacentDifference<int, 128>;
    using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256>;
    using Shuffle = cub::BlockShuffle<int, 128>;
    using Decode = cub::BlockRunLengthDecode<int, 128, 2, 4>;
    __shared__ typename Discontinuity::TempStorage discontinuity;
    __shared__ typename Difference::TempStorage difference;
    __shared__ typename Histogram::TempStorage histogram;
    __shared__ typename Shuffle::TempStorage shuffle;
    __shared__ typename Decode::TempStorage decode;
    __shared__ unsigned bins[256];
    int items[2] = {in[threadIdx.x], in[threadIdx.x + 128]}, heads[2], steps[2], runs[2] = {1, 2}, decoded[4], next;
    unsigned total;
    unsigned char bytes[4] = {1, 2, 3, 4};
    Discontinuity(discontinuity).FlagHeads(heads, items, Differs());
    Difference(difference).SubtractLeft(items, steps, Minus());
    Histogram(histogram).Histogram(bytes, bins);
    Shuffle(shuffle).Offset(items[0], next, 1);
    Decode all(decode, items, runs, total);
    all.RunLengthDecode(decoded, 0);
    __syncthreads();
    out[threadIdx.x] = heads[0] + steps[1] + next + decoded[3];
    counts[threadIdx.x] = bins[threadIdx.x] + total;
}

__global__ void warps(const int *in, int *out) {
    using Reduce = cub::WarpReduce<int, 16>;
    using Scan = cub::WarpScan<int>;
    using Sort = cub::WarpMergeSort<int, 2, 32>;
    using Exchange = cub::WarpExchange<int, 2, 32>;
    using Load = cub::WarpLoad<int, 2, cub::WARP_LOAD_TRANSPOSE>;
    using Store = cub::WarpStore<int, 2, cub::WARP_STORE_DIRECT>;
    __shared__ typename Reduce::TempStorage reduce[8];
    __shared__ typename Scan::TempStorage scan[2][4];
    __shared__ typename Sort::TempStorage sort[4];
    __shared__ typename Exchange::TempStorage exchange[4];
    __shared__ typename Load::TempStorage load[4];
    __shared__ typename Store::TempStorage store[4];
    int warp = threadIdx.x / 32, items[2], striped[2], rank, total;
    Load(load[warp]).Load(in + warp * 64, items);
    Sort(sort[warp]).Sort(items, Less());
    Exchange(exchange[warp]).BlockedToStriped(items, striped);
    int sum = Reduce(reduce[threadIdx.x / 16]).Sum(items[0]);
    Scan(scan[0][warp]).ExclusiveSum(items[0], rank, total);
    int first = Scan(scan[1][warp]).Broadcast(rank + total, 0);
    striped[1] += first;
    Store(store[warp]).Store(out + 16 + warp * 64, striped);
    if (threadIdx.x % 16 == 0)
        out[threadIdx.x / 16] = sum;
}

void run(int *in, int *out, unsigned *counts) {
    reduces_and_scans<<<1, 128>>>(in, out);
    sorts_and_exchanges<<<1, 128>>>(in);
    flags_and_counts<<<1, 128>>>(in, out, counts);
    warps<<<1, 128>>>(in, out);
}
