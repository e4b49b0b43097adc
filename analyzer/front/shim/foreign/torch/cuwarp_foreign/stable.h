// The interface of PyTorch's stable ABI (torch::stable, torch::headeronly), by way of the tensors of torch.h.
#pragma once
#include <cuwarp_foreign/torch.h>
#define STD_TORCH_CHECK(condition, ...) TORCH_CHECK(condition)
#define STD_TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition)
#define STD_TORCH_CHECK_MSG(condition, type, ...) ""
#define STD_TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition)
#define STD_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define STD_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
#define TORCH_ERROR_CODE_CHECK(call) TORCH_CHECK((call) == 0)
#define AOTI_TORCH_ERROR_CODE_CHECK(call) TORCH_ERROR_CODE_CHECK(call)
#define AOTI_TORCH_EXPORT
#define HIDDEN_NAMESPACE_BEGIN(...) namespace torch { namespace stable {
#define HIDDEN_NAMESPACE_END(...) } }
#define TORCH_ABI_VERSION ((2ULL << 56) | (11ULL << 48))
#ifndef TORCH_TARGET_VERSION
#define TORCH_TARGET_VERSION TORCH_ABI_VERSION
#endif
#define TORCH_FEATURE_VERSION TORCH_TARGET_VERSION
#define TORCH_VERSION_2_9_0 (((0ULL + 2) << 56) | ((0ULL + 9) << 48))
#define TORCH_VERSION_2_10_0 (((0ULL + 2) << 56) | ((0ULL + 10) << 48))
#define TORCH_VERSION_2_11_0 (((0ULL + 2) << 56) | ((0ULL + 11) << 48))
#define THO_PRIVATE_CASE_TYPE_USING_HINT(...) AT_PRIVATE_CASE_TYPE_USING_HINT(__VA_ARGS__)
#define THO_EMPTY
#define THO_DISPATCH_CASE(...) AT_DISPATCH_CASE(__VA_ARGS__)
#define THO_DISPATCH_SWITCH(...) AT_DISPATCH_SWITCH(__VA_ARGS__)
#define THO_DISPATCH_V2(...) AT_DISPATCH_V2(__VA_ARGS__)
#define THO_DISPATCH_V2_TMPL(...) AT_DISPATCH_V2_TMPL(__VA_ARGS__)
extern "C" {
struct AtenTensorOpaque;
struct StableListOpaque;
struct cuwarp_device_guard;
}
typedef AtenTensorOpaque *AtenTensorHandle;
typedef StableListOpaque *StableListHandle;
typedef int32_t AOTITorchError;
typedef int32_t AOTIRuntimeError;
typedef uint64_t StableIValue;
extern "C" {
AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device, void **stream);
AOTITorchError aoti_torch_get_current_stream(int32_t device, void **stream);
AOTITorchError torch_get_current_cuda_blas_handle(void **handle);
AOTITorchError torch_get_cuda_stream_from_pool(bool is_high, int32_t device, void **stream);
AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle, void **);
AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t *);
AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle, int64_t *);
AOTITorchError aoti_torch_get_numel(AtenTensorHandle, int64_t *);
AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t *);
AOTITorchError aoti_torch_get_size(AtenTensorHandle, int64_t, int64_t *);
AOTITorchError aoti_torch_get_stride(AtenTensorHandle, int64_t, int64_t *);
AOTITorchError aoti_torch_get_dtype(AtenTensorHandle, int32_t *);
AOTITorchError aoti_torch_call_dispatcher(const char *, const char *, StableIValue *);
AOTITorchError torch_call_dispatcher(const char *, const char *, StableIValue *, uint64_t);
}
namespace torch {
namespace headeronly {
using namespace c10;
template <typename T> using HeaderOnlyArrayRef = c10::ArrayRef<T>;
typedef c10::IntArrayRef IntHeaderOnlyArrayRef;
} // namespace headeronly
namespace stable {
using c10::Device;
using c10::DeviceType;
typedef int32_t DeviceIndex;
struct Tensor : at::Tensor {
    Tensor() = default;
    explicit Tensor(AtenTensorHandle);
    Tensor(const at::Tensor &t) : at::Tensor(t) {}
    int32_t get_device_index() const { return cuwarp_device.index_; }
    AtenTensorHandle get() const;
    bool is_same(const Tensor &t) const;
};
namespace detail {
template <typename T> StableIValue from(T &&value);
template <typename T> T to(StableIValue value);
struct StableLibrary {
    template <typename... T> StableLibrary &def(T &&...);
    template <typename... T> StableLibrary &impl(T &&...);
};
} // namespace detail
namespace accelerator {
typedef int32_t DeviceIndex;
struct DeviceGuard {
    explicit DeviceGuard(DeviceIndex);
    ~DeviceGuard();
    void set_index(DeviceIndex);
};
struct Stream {
    int64_t id() const;
    void *nativeHandle() const;
};
Stream getCurrentStream(DeviceIndex);
DeviceIndex getCurrentDeviceIndex();
void setCurrentDeviceIndex(DeviceIndex);
} // namespace accelerator
#define CUWARP_MADE(name) template <typename... T> Tensor name(headeronly::IntHeaderOnlyArrayRef size, T &&...);
#define CUWARP_COMPUTED(name)                                                                                          \
    template <typename... T> Tensor name(const Tensor &from, headeronly::IntHeaderOnlyArrayRef, T &&...);              \
    template <typename... T> Tensor name(const Tensor &from, T &&...);
#define CUWARP_CHANGED(name) template <typename... T> const Tensor &name(const Tensor &to, T &&...);
CUWARP_MADE(empty) CUWARP_MADE(zeros) CUWARP_MADE(ones) CUWARP_MADE(full)
CUWARP_COMPUTED(empty_like) CUWARP_COMPUTED(new_empty) CUWARP_COMPUTED(new_zeros) CUWARP_COMPUTED(view)
CUWARP_COMPUTED(reshape) CUWARP_COMPUTED(transpose) CUWARP_COMPUTED(contiguous) CUWARP_COMPUTED(narrow)
CUWARP_COMPUTED(pad) CUWARP_COMPUTED(flatten) CUWARP_COMPUTED(to) CUWARP_COMPUTED(sum) CUWARP_COMPUTED(clone)
CUWARP_COMPUTED(select) CUWARP_COMPUTED(squeeze) CUWARP_COMPUTED(unsqueeze) CUWARP_COMPUTED(amax)
CUWARP_COMPUTED(matmul) CUWARP_COMPUTED(subtract) CUWARP_COMPUTED(permute) CUWARP_COMPUTED(expand)
CUWARP_CHANGED(copy_) CUWARP_CHANGED(zero_) CUWARP_CHANGED(fill_) CUWARP_CHANGED(sum_out)
template <typename... T> Tensor from_blob(void *data, headeronly::IntHeaderOnlyArrayRef size, T &&...);
template <typename... T> Tensor from_blob(void *data, headeronly::IntHeaderOnlyArrayRef size,
                                          headeronly::IntHeaderOnlyArrayRef strides, T &&...);
template <typename F> void parallel_for(int64_t from, int64_t to, int64_t grain, const F &f);
uint32_t get_num_threads();
} // namespace stable
} // namespace torch
#define TORCH_BOX(...) (__VA_ARGS__)
#define STABLE_TORCH_LIBRARY(ns, m)                                                                                    \
    static void C10_CONCATENATE(cuwarp_stable_##ns, __LINE__)(torch::stable::detail::StableLibrary & m)
#define STABLE_TORCH_LIBRARY_FRAGMENT(ns, m) STABLE_TORCH_LIBRARY(ns, m)
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) STABLE_TORCH_LIBRARY(ns##key, m)
