// Code for other libraries' types, as projects write it.
#include <Eigen/Core>
#include <cutlass/array.h>
#include <cufftdx.hpp>
#include <cutlass/numeric_conversion.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <opencv2/core/cuda.hpp>
#include <ranger/ranger.hpp>
#include <raft/core/device_mdspan.hpp>
#include <raft/util/cuda_utils.cuh>
#include <json/json.hpp>
#include <rmm/device_uvector.hpp>
#include <tiny-cuda-nn/gpu_matrix.h>
#include <tiny-cuda-nn/trainer.h>

__global__ void blur(const cv::cuda::PtrStepSz<uchar> in, cv::cuda::PtrStep<float> out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < in.cols && y < in.rows)
        out(y, x) = in.ptr(y)[x] + in(y, x);
}

template <typename T> RAFT_KERNEL norms(raft::device_matrix_view<const T, int> in, raft::device_vector_view<T, int> out) {
    T sum = 0;
    for (int i = threadIdx.x; i < in.extent(1); i += raft::WarpSize)
        sum += in(blockIdx.x, i) * in(blockIdx.x, i);
    sum = raft::warpReduce(sum);
    if (raft::laneId() == 0)
        out(blockIdx.x) = sum;
}

__global__ void turn(const float *points, float *out, int n) {
    __shared__ Eigen::Vector3f centre;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        centre = Eigen::Vector3f::Zero();
    __syncthreads();
    if (i >= n)
        return;
    Eigen::Map<const Eigen::Vector3f> p(points + 3 * i);
    Eigen::Matrix3f turned = Eigen::Matrix3f::Identity() * 2.f;
    Eigen::Vector3f q = turned.transpose() * (Eigen::Vector3f(p) - centre) + Eigen::Vector3f(1.f, 2.f, 3.f);
    Eigen::Map<Eigen::Vector3f>(out + 3 * i) = q.normalized() * q.dot(q);
}

__global__ void convert(const float *in, cutlass::half_t *out) {
    cutlass::Array<float, 4> values;
    CUTLASS_PRAGMA_UNROLL
    for (int i = 0; i < values.size(); i++)
        values[i] = in[threadIdx.x * 4 + i];
    cutlass::NumericArrayConverter<cutlass::half_t, float, 4> to_half;
    cutlass::Array<cutlass::half_t, 4> halves = to_half(values);
    out[threadIdx.x] = halves[cutlass::ceil_div(3, 2)];
}

template <class FFT>
__launch_bounds__(FFT::max_threads_per_block) __global__ void transform(typename FFT::value_type *data) {
    CUFFTDX_SKIP_IF_NOT_APPLICABLE_SM(FFT);
    extern __shared__ typename FFT::value_type memory[];
    typename FFT::value_type own[FFT::storage_size];
    for (unsigned i = 0; i < FFT::elements_per_thread; i++)
        own[i] = data[threadIdx.y * cufftdx::size_of<FFT>::value + i * FFT::stride + threadIdx.x];
    FFT().execute(own, memory);
    data[threadIdx.y * FFT::input_length + threadIdx.x] = own[0];
}

template <unsigned arch> void transform_all(cufftdx::complex<float> *data) {
    using namespace cufftdx;
    using FFT = decltype(Size<128>() + Precision<float>() + Type<fft_type::c2c>() + Direction<fft_direction::forward>() +
                         ElementsPerThread<8>() + FFTsPerBlock<2>() + SM<arch>() + Block());
    static_assert(FFT::max_threads_per_block == 32, "16 threads for each of two transforms");
    transform<FFT><<<1, FFT::block_dim, FFT::shared_memory_size>>>(data);
}
template void transform_all<800>(cufftdx::complex<float> *);

template <typename T, typename A = raft::host_device_accessor<cuda::std::default_accessor<T>, raft::memory_type::device>>
__global__ void rows(raft::mdspan<const T, raft::matrix_extent<int>, raft::row_major, A> in,
                     raft::device_mdspan<T, raft::extent_2d<int>> out) {
    raft::TxN_t<T, 4> values;
    values.load(in.data_handle(), int(threadIdx.x) * 4);
    values.store(&out(blockIdx.x, 0), int(threadIdx.x) * 4);
}

void run_rows(const raft::resources &handle, raft::device_matrix<float, int> &m) {
    auto extents = m.extents();
    rows<float><<<extents.extent(0), 32, 0, raft::resource::get_cuda_stream(handle)>>>(
        raft::make_const_mdspan(m.view()), m.view());
    raft::linalg::row_normalize<raft::linalg::L2Norm, float, int>(handle, m.view(), m.view());
}

void run(const raft::resources &handle, cv::cuda::GpuMat &in, cv::cuda::GpuMat &out, rmm::cuda_stream_view stream) {
    rmm::device_uvector<float> buffer(128, stream);
    blur<<<dim3(cv::cuda::divUp(in.cols, 32), in.rows), 32>>>(in, out);
    norms<float><<<8, 32, 0, raft::resource::get_cuda_stream(handle)>>>(
        raft::make_device_matrix_view<const float, int>(buffer.data(), 8, 16), raft::make_device_vector_view<float, int>(buffer.data(), 8));
    turn<<<1, 64, 0, stream>>>(buffer.data(), buffer.begin(), 64);
    RAFT_CUDA_TRY(cudaGetLastError());
    RAFT_EXPECTS(buffer.size() == 128, "%zu elements", buffer.size());
    fmt::print("{} {}\n", buffer.size(), in.cols);
}

template <typename T> struct TypedKernels : ::testing::Test {
    template <typename U> void launch(U *p);
};
template <typename U> __global__ void typed(U *p) {
    for (auto i : ranger::grid_stride_range(64))
        p[i] += U(1);
}
template <typename T> template <typename U> void TypedKernels<T>::launch(U *p) { typed<U><<<2, 32>>>(p); }
using Numbers = ::testing::Types<float, int, double>;
TYPED_TEST_SUITE(TypedKernels, Numbers);
TYPED_TEST(TypedKernels, run) {
    using T = TypeParam;
    rmm::device_vector<T> numbers(64);
    this->launch(numbers.data());
}

MATCHER_P(is_near, distance, "near") { return std::get<0>(arg) - std::get<1>(arg) < distance && !negation; }

TEST(Kernels, run) {
    EXPECT_EQ(raft::ceildiv(3, 2), 2) << "rounded up";
    ASSERT_TRUE(true);
}

struct Task {
    tcnn::json options;
    tcnn::GPUMemory<tcnn::vec3> points;
    std::shared_ptr<tcnn::Trainer<float, tcnn::network_precision_t, tcnn::network_precision_t>> trainer;
};

__global__ void project(const uint32_t n, tcnn::mat4x3 camera, const tcnn::vec3 *points, tcnn::vec2 *out,
                        tcnn::MatrixView<float> depth) {
    const uint32_t i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n)
        return;
    tcnn::vec3 p = camera * tcnn::vec4(points[i], 1.0f), q = tcnn::clamp(p, -1.0f, 1.0f) * tcnn::vec3{0.5f, 2.0f, 1.0f};
    tcnn::mat3 turn = tcnn::transpose(tcnn::mat3(camera)) * 2.0f;
    p = tcnn::normalize(turn * p + tcnn::cross(p, q)) / (1.0f + tcnn::length(q));
    p.xy() += q.yz();
    out[i] = p.xy() * tcnn::max(p.z, 1e-3f);
    depth(0u, i) = tcnn::dot(p, q);
}

void run(Task &task, tcnn::GPUMatrixDynamic<float> &depth, tcnn::vec2 *out, uint32_t n, cudaStream_t stream) {
    float scale = task.options.value("scale", 1.0f);
    std::string kind = task.options["kind"];
    tcnn::json &parts = task.options["parts"];
    for (auto &part : parts)
        scale *= (float)part;
    tcnn::GPUMemoryArena::Allocation work;
    auto pointers = tcnn::allocate_workspace_and_distribute<float, tcnn::vec3>(stream, &work, n, n);
    tcnn::linear_kernel(project, 0, stream, n, tcnn::mat4x3(scale), std::get<1>(pointers), out, depth.view());
    task.trainer->training_step(stream, depth, tcnn::GPUMatrix<float>(16, n));
    tcnn::parallel_for_gpu_aos(stream, n, 3, [p = task.points.data()] __device__(size_t i, size_t k) { p[i][k] *= 2.0f; });
}
