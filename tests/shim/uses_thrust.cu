// Thrust around kernels, as it is written for the toolkit's headers.
#include <cooperative_groups.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/advance.h>
#include <thrust/device_ptr.h>
#include <thrust/distance.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

__global__ void count(const int *keys, int *bins, thrust::pair<int, float> *best, int n) {
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    thrust::tuple<int, float> t = thrust::make_tuple(i, 1.f);
    if (i < n)
        atomicAdd(&bins[keys[i]], thrust::get<0>(t) > 0);
    block.sync();
    __syncthreads();
    if (i == 0)
        *best = thrust::make_pair(i, thrust::get<1>(t) + thrust::maximum<float>()(1.f, 2.f));
}

__global__ void search(const int *keys, int *places, int n) {
    int i = threadIdx.x;
    thrust::sort(thrust::seq, places, places + 4);
    const int *at = thrust::lower_bound(thrust::seq, keys, keys + n, i);
    const int *behind = thrust::upper_bound(thrust::seq, keys, keys + n, i, thrust::less<int>());
    if (at != keys + n && *at == i)
        places[i] = static_cast<int>(thrust::distance(keys, at) + (behind - at));
    thrust::tuple<int, long> wide = thrust::make_tuple(i, 2);
    thrust::advance(at, 1);
    places[i] += static_cast<int>(thrust::get<1>(wide)) + *at;
}

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

void run(cudaStream_t stream) {
    thrust::host_vector<int> host(1024, 3);
    thrust::device_vector<int> keys = host, bins(64);
    thrust::device_vector<thrust::pair<int, float>> best(1);
    count<<<4, 256, 0, stream>>>(thrust::raw_pointer_cast(keys.data()), thrust::raw_pointer_cast(&bins[0]),
                                 thrust::raw_pointer_cast(best.data()), (int)keys.size());
    thrust::sort(thrust::cuda::par.on(stream), keys.begin(), keys.end());
    int sum = thrust::reduce(thrust::device, keys.begin(), keys.end(), 0, thrust::plus<int>());
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), bins.begin(), keys.begin(), bins.begin());
    auto left = ends.first - keys.begin();
    int odd = (int)(thrust::remove_if(keys.begin(), keys.end(), is_odd()) - keys.begin());
    keys.resize(thrust::unique(keys.begin(), keys.end()) - keys.begin());
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), bins.begin()));
    thrust::exclusive_scan(keys.begin(), keys.end(), bins.begin());
    thrust::copy(zipped, zipped + 1, zipped);
    thrust::counting_iterator<int> first(0);
    thrust::device_ptr<int> p = thrust::device_pointer_cast(thrust::raw_pointer_cast(keys.data()));
    thrust::device_ptr<const int> read_only = p;
    count<<<sum, odd + (int)left>>>(p.get(), p.get(), nullptr, *first);
}
