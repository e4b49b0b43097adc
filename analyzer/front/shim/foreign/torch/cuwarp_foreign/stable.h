// PyTorch's stable interface for extensions: the same tensors, checks and dispatch by other names.
#pragma once
#include <cuwarp_foreign/torch.h>
#define TORCH_FEATURE_VERSION 0
#define TORCH_TARGET_VERSION 0
#define STD_TORCH_CHECK(condition, ...) TORCH_CHECK(condition)
#define STD_TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define STD_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define STD_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
#define TORCH_ERROR_CODE_CHECK(...) ((void)(__VA_ARGS__))
#define TORCH_BOX(function) (function)
#define STABLE_TORCH_LIBRARY(ns, m) TORCH_LIBRARY(ns, m)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) TORCH_LIBRARY_FRAGMENT(ns, m)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) TORCH_LIBRARY_IMPL(ns, key, m)
#define HIDDEN_NAMESPACE_BEGIN(...) namespace __VA_ARGS__ {
#define HIDDEN_NAMESPACE_END(...) }
#define THO_PRIVATE_CASE_TYPE_USING_HINT AT_PRIVATE_CASE_TYPE_USING_HINT
#define THO_DISPATCH_CASE AT_DISPATCH_CASE
#define THO_DISPATCH_SWITCH AT_DISPATCH_SWITCH
#define THO_DISPATCH_V2 AT_DISPATCH_V2
#define THO_EMPTY
typedef int32_t AOTITorchError;
typedef uint64_t StableIValue;
typedef at::Tensor *AtenTensorHandle;
template <typename... A> AOTITorchError aoti_torch_get_current_cuda_stream(A &&...a);
template <typename... A> AOTITorchError aoti_torch_get_storage_size(A &&...a);
template <typename... A> AOTITorchError aoti_torch_call_dispatcher(A &&...a);
namespace torch {
namespace headeronly {
using at::ArrayRef;
using c10::BFloat16;
using c10::CppTypeToScalarType;
using c10::Device;
using c10::DeviceType;
using c10::Float8_e4m3fn;
using c10::Float8_e4m3fnuz;
using c10::Float8_e5m2;
using c10::Float8_e5m2fnuz;
using c10::Half;
using c10::Layout;
using c10::MemoryFormat;
using c10::ScalarType;
namespace impl {
using c10::impl::ScalarTypeToCPPTypeT;
}
template <typename T> using HeaderOnlyArrayRef = ArrayRef<T>;
typedef c10::IntArrayRef IntHeaderOnlyArrayRef;
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kInt = ScalarType::Int,
                     kLong = ScalarType::Long, kHalf = ScalarType::Half, kFloat = ScalarType::Float,
                     kDouble = ScalarType::Double, kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16;
constexpr DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;
} // namespace headeronly
namespace stable {
using at::Tensor;
using c10::Device;
using c10::DeviceType;
namespace detail {
using torch::Library;
template <typename T> StableIValue from(T &&value);
template <typename T> T to(StableIValue value);
} // namespace detail
#define CUWARP_STABLE(name)                                                                                            \
    template <typename... T> Tensor name(c10::IntArrayRef, T &&...);                                                   \
    template <typename... T> Tensor name(const Tensor &, c10::IntArrayRef, T &&...);                                   \
    template <typename U, typename... T> Tensor name(U &&, T &&...);
CUWARP_STABLE(empty) CUWARP_STABLE(empty_like) CUWARP_STABLE(full) CUWARP_STABLE(new_empty) CUWARP_STABLE(new_zeros)
CUWARP_STABLE(from_blob) CUWARP_STABLE(view) CUWARP_STABLE(contiguous) CUWARP_STABLE(reshape) CUWARP_STABLE(narrow)
CUWARP_STABLE(copy_) CUWARP_STABLE(zero_) CUWARP_STABLE(fill_) CUWARP_STABLE(transpose) CUWARP_STABLE(to)
CUWARP_STABLE(sum) CUWARP_STABLE(sum_out) CUWARP_STABLE(pad) CUWARP_STABLE(flatten) CUWARP_STABLE(select)
CUWARP_STABLE(squeeze) CUWARP_STABLE(unsqueeze) CUWARP_STABLE(clone) CUWARP_STABLE(amax) CUWARP_STABLE(subtract)
CUWARP_STABLE(matmul) CUWARP_STABLE(expand) CUWARP_STABLE(permute)
#undef CUWARP_STABLE
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t grain, const F &body);
int get_num_threads();
namespace accelerator {
typedef int32_t DeviceIndex;
struct DeviceGuard {
    explicit DeviceGuard(DeviceIndex index);
    void set_index(DeviceIndex index);
};
struct Stream {
    cudaStream_t id() const;
    cudaStream_t nativeHandle() const;
};
Stream getCurrentStream(DeviceIndex index = -1);
DeviceIndex getCurrentDeviceIndex();
void setCurrentDeviceIndex(DeviceIndex index);
} // namespace accelerator
} // namespace stable
} // namespace torch
