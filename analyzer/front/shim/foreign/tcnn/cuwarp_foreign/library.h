// tiny-cuda-nn: memory of the device, matrices, and the networks that the host builds. What these compute is not said.
#pragma once
#include "cuwarp_foreign/common.h"
#include <cuda.h>
#include <nvrtc.h>
#include <stack>
#include <tuple>
#if __has_include(<json/json.hpp>)
#include <json/json.hpp>
#else
namespace nlohmann {
struct json;
}
#endif
namespace tcnn {
using json = nlohmann::json;

// ---- memory ----

std::atomic<size_t> &total_n_bytes_allocated();
template <typename T> class GPUMemory {
    T *m_data = nullptr;
    size_t m_size = 0;
    bool m_managed = false;

public:
    typedef T Type;
    typedef T *View;
    typedef const T *ConstView;
    GPUMemory() {}
    GPUMemory(size_t n, bool managed = false) : m_managed(managed) { resize(n); }
    GPUMemory(GPUMemory &&);
    explicit GPUMemory(const GPUMemory &);
    GPUMemory &operator=(GPUMemory &&);
    GPUMemory &operator=(const GPUMemory &) = delete;
    void check_guards() const;
    void allocate_memory(size_t bytes) { cudaMalloc((void **)&m_data, bytes); }
    void free_memory() { cudaFree(m_data); }
    void resize(size_t n) {
        if (m_size != n)
            allocate_memory(n * sizeof(T));
        m_size = n;
    }
    void enlarge(size_t n) {
        if (n > m_size)
            resize(n);
    }
    void memset(int value) { memset(value, m_size); }
    void memset(int value, size_t n, size_t from = 0) { cudaMemset(m_data + from, value, n * sizeof(T)); }
    void memset_async(cudaStream_t stream, int value) { cudaMemsetAsync(m_data, value, m_size * sizeof(T), stream); }
    void copy_from_host(const T *, size_t);
    void copy_from_host(const T *);
    void copy_from_host(const std::vector<T> &, size_t);
    void copy_from_host(const std::vector<T> &);
    void copy_to_host(T *, size_t) const;
    void copy_to_host(T *) const;
    void copy_to_host(std::vector<T> &, size_t) const;
    void copy_to_host(std::vector<T> &) const;
    void copy_from_device(const GPUMemory &, size_t);
    void copy_from_device(const GPUMemory &);
    void enlarge_and_copy_from_host(const T *, size_t n) { enlarge(n); }
    void enlarge_and_copy_from_host(const std::vector<T> &v, size_t n) { enlarge(n); }
    void enlarge_and_copy_from_host(const std::vector<T> &v) { enlarge(v.size()); }
    void resize_and_copy_from_host(const T *, size_t n) { resize(n); }
    void resize_and_copy_from_host(const std::vector<T> &v, size_t n) { resize(n); }
    void resize_and_copy_from_host(const std::vector<T> &v) { resize(v.size()); }
    GPUMemory copy(size_t) const;
    GPUMemory copy() const;
    T *data() const { return m_data; }
    View view() const { return m_data; }
    ConstView const_view() const { return m_data; }
    bool managed() const { return m_managed; }
    T &at(size_t i) const { return m_data[i]; }
    CW_TCNN T &operator[](size_t i) const { return m_data[i]; }
    CW_TCNN T &operator[](uint32_t i) const { return m_data[i]; }
    size_t get_num_elements() const { return m_size; }
    size_t size() const { return m_size; }
    size_t get_bytes() const { return m_size * sizeof(T); }
    size_t n_bytes() const { return m_size * sizeof(T); }
    size_t bytes() const { return m_size * sizeof(T); }
};
class GPUMemoryArena {
public:
    struct Allocation {
        uint8_t *m_data = nullptr;
        Allocation() = default;
        Allocation(const Allocation &) = delete;
        Allocation(Allocation &&);
        Allocation &operator=(Allocation &&);
        uint8_t *data() { return m_data; }
        const uint8_t *data() const { return m_data; }
        cudaStream_t stream() const;
    };
    uint8_t *data();
    size_t size() const;
    bool in_use() const;
};
GPUMemoryArena::Allocation allocate_workspace(cudaStream_t, size_t);
void free_gpu_memory_arena(cudaStream_t);
void free_all_gpu_memory_arenas();
inline size_t align_to_cacheline(size_t bytes) { return next_multiple(bytes, (size_t)128); }
uint8_t *cuwarp_place(GPUMemoryArena::Allocation *);
template <typename... Types, typename... Sizes>
std::tuple<Types *...> allocate_workspace_and_distribute(cudaStream_t, GPUMemoryArena::Allocation *a, Sizes...) {
    return std::tuple<Types *...>((Types *)cuwarp_place(a)...);
}

// ---- matrices ----

template <typename T> class GPUMatrixDynamic;
template <typename T, MatrixLayout layout = MatrixLayout::ColumnMajor> class GPUMatrix;
struct GPUMatrixBase {
    virtual ~GPUMatrixBase() {}
    virtual size_t n_bytes() const = 0;
    virtual void set_data_unsafe(void *) = 0;
    template <typename V> static void allocate_shared_memory(GPUMemory<char> &, V &&);
    template <typename V> static GPUMemoryArena::Allocation allocate_shared_memory(cudaStream_t, V &&);
};
template <typename T> class GPUMatrixDynamic : public GPUMatrixBase {
    T *m_data = nullptr;
    uint32_t m_rows = 0, m_cols = 0, m_stride = 0;
    MatrixLayout m_layout = CM;

public:
    typedef T Type;
    typedef MatrixView<T> View;
    typedef MatrixView<const T> ConstView;
    GPUMatrixDynamic() {}
    GPUMatrixDynamic(uint32_t m, uint32_t n, MatrixLayout l = CM) : m_rows(m), m_cols(n), m_layout(l) {
        m_stride = stride_contiguous();
    }
    GPUMatrixDynamic(uint32_t m, uint32_t n, cudaStream_t, MatrixLayout l = CM) : GPUMatrixDynamic(m, n, l) {}
    template <typename... A>
    explicit GPUMatrixDynamic(T *d, uint32_t m, uint32_t n, MatrixLayout l = CM, uint32_t stride = 0, A...)
        : GPUMatrixDynamic(m, n, l) {
        set(d, m, n, stride);
    }
    GPUMatrixDynamic(GPUMatrixDynamic &&);
    GPUMatrixDynamic(const GPUMatrixDynamic &) = delete;
    GPUMatrixDynamic &operator=(GPUMatrixDynamic &&);
    void set_data_unsafe(void *d) override { m_data = (T *)d; }
    void set_size_unsafe(uint32_t m, uint32_t n, uint32_t stride = 0) {
        m_rows = m;
        m_cols = n;
        m_stride = stride ? stride : stride_contiguous();
    }
    void set(T *d, uint32_t m, uint32_t n, uint32_t stride = 0) {
        m_data = d;
        set_size_unsafe(m, n, stride);
    }
    void resize(uint32_t m, uint32_t n) { set_size_unsafe(m, n); }
    uint32_t stride_contiguous() const { return m_layout == CM ? m_rows : m_cols; }
    bool is_contiguous() const { return m_stride == stride_contiguous(); }
    void set_stride_contiguous() { m_stride = stride_contiguous(); }
    GPUMatrixDynamic slice(uint32_t, uint32_t, uint32_t, uint32_t) const;
    GPUMatrixDynamic slice_rows(uint32_t, uint32_t) const;
    GPUMatrixDynamic slice_cols(uint32_t, uint32_t) const;
    GPUMatrixDynamic alias() const;
    GPUMatrixDynamic transposed() const;
    GPUMatrix<T, RM> rm() const;
    GPUMatrix<T, CM> cm() const;
    View view() const { return {m_data, m_layout == CM ? 1u : m_stride, m_layout == CM ? m_stride : 1u}; }
    ConstView const_view() const { return view(); }
    uint32_t rows() const { return m_rows; }
    uint32_t fan_out() const { return m_rows; }
    uint32_t m() const { return m_rows; }
    uint32_t cols() const { return m_cols; }
    uint32_t fan_in() const { return m_cols; }
    uint32_t n() const { return m_cols; }
    uint32_t stride() const { return m_stride; }
    PitchedPtr<T> pitched_ptr() { return {m_data, m_stride}; }
    PitchedPtr<const T> pitched_ptr() const { return {m_data, m_stride}; }
    uint32_t n_elements() const { return m_rows * m_cols; }
    size_t n_bytes() const override { return n_elements() * sizeof(T); }
    MatrixLayout layout() const { return m_layout; }
    MatrixLayout transposed_layout() const { return m_layout == RM ? CM : RM; }
    T *data() const { return m_data; }
    void memset(int);
    void memset_async(cudaStream_t, int);
    std::vector<T> to_cpu_vector();
    template <typename... A> void initialize_uniform(pcg32 &, A...);
    template <typename... A> void initialize_xavier_uniform(pcg32 &, A...);
    void initialize_constant(float);
    void initialize_diagonal(float = 1);
};
template <typename T, MatrixLayout l> class GPUMatrix : public GPUMatrixDynamic<T> {
public:
    static const MatrixLayout static_layout = l, static_transposed_layout = l == RM ? CM : RM;
    GPUMatrix() {}
    GPUMatrix(uint32_t m, uint32_t n) : GPUMatrixDynamic<T>(m, n, l) {}
    GPUMatrix(uint32_t m, uint32_t n, cudaStream_t s) : GPUMatrixDynamic<T>(m, n, s, l) {}
    template <typename... A>
    explicit GPUMatrix(T *d, uint32_t m, uint32_t n, uint32_t stride = 0, A...)
        : GPUMatrixDynamic<T>(d, m, n, l, stride) {}
    GPUMatrix(GPUMatrixDynamic<T> &&);
    GPUMatrix(GPUMatrix &&);
    GPUMatrix &operator=(GPUMatrixDynamic<T> &&);
    GPUMatrix &operator=(GPUMatrix &&);
    GPUMatrix slice(uint32_t, uint32_t, uint32_t, uint32_t) const;
    GPUMatrix slice_rows(uint32_t, uint32_t) const;
    GPUMatrix slice_cols(uint32_t, uint32_t) const;
    GPUMatrix alias() const;
    GPUMatrix<T, static_transposed_layout> transposed() const;
};

// ---- streams and kernels of strings ----

struct StreamAndEvent {
    StreamAndEvent();
    StreamAndEvent(StreamAndEvent &&);
    StreamAndEvent &operator=(StreamAndEvent &&);
    void wait_for(cudaEvent_t);
    void wait_for(cudaStream_t);
    void signal(cudaStream_t);
    cudaStream_t get();
};
struct SyncedMultiStream {
    SyncedMultiStream();
    SyncedMultiStream(cudaStream_t, size_t);
    SyncedMultiStream(SyncedMultiStream &&);
    SyncedMultiStream &operator=(SyncedMultiStream &&);
    cudaStream_t get(size_t);
};
struct CudaGraph {
    ScopeGuard capture_guard(cudaStream_t);
    void reset();
    cudaGraph_t graph() const;
    cudaGraphExec_t graph_exec() const;
};
CudaGraph *current_capture();
bool supports_jit_fusion(int device = 0);
std::string &rtc_cache_dir();
void rtc_set_cache_dir(const std::string &);
std::string &rtc_include_dir();
void rtc_set_include_dir(const std::string &);
struct CudaRtcKernel {
    template <typename... A> CudaRtcKernel(const std::string &, const std::string &, A &&...);
    void clear();
    void set(CUfunction_attribute, int);
    template <typename... A> void launch(dim3, dim3, uint32_t, cudaStream_t, A &&...);
    template <typename... A> void launch(uint32_t, uint32_t, uint32_t, cudaStream_t, A &&...);
};
template <typename T, typename R, typename... A> void generate_random_uniform(cudaStream_t, R &, size_t, T *, A...);
template <typename T, typename R, typename... A> void generate_random_uniform(R &, size_t, T *, A...);
template <typename T, typename R, typename... A> void generate_random_logistic(cudaStream_t, R &, size_t, T *, A...);
template <typename T, typename R, typename... A> void generate_random_logistic(R &, size_t, T *, A...);
template <typename T, typename F> T reduce_sum(T *, F, uint32_t, cudaStream_t);
template <typename T, typename... A> void reduce_sum(T *, A...);
uint32_t reduce_sum_workspace_size(uint32_t);

// ---- networks ----

struct Context {
    virtual ~Context() {}
};
struct Object {
    virtual ~Object() {}
    virtual json hyperparams() const = 0;
    std::string name() const;
};
struct ObjectWithMutableHyperparams : Object {
    virtual void update_hyperparams(const json &) = 0;
};
template <typename P> struct ParametricObject : Object {
    virtual void set_params_impl(P *, P *, P *) = 0;
    void set_params(P *, P *, P *);
    virtual void initialize_params(pcg32 &, float *, float = 1) = 0;
    virtual size_t n_params() const = 0;
    P *params() const;
    P *inference_params() const;
    P *gradients() const;
    virtual std::vector<std::pair<uint32_t, uint32_t>> layer_sizes() const = 0;
};
template <typename T, typename P, typename C = T> struct DifferentiableObject : ParametricObject<P> {
    typedef GPUMatrixDynamic<T> cuwarp_in;
    typedef GPUMatrixDynamic<C> cuwarp_out;
    virtual void inference_mixed_precision_impl(cudaStream_t, const cuwarp_in &, cuwarp_out &, bool = true) = 0;
    void inference_mixed_precision(cudaStream_t, const cuwarp_in &, cuwarp_out &, bool = true);
    void inference_mixed_precision(const cuwarp_in &, cuwarp_out &, bool = true);
    void inference(cudaStream_t, const cuwarp_in &, GPUMatrixDynamic<float> &, bool = true);
    void inference(const cuwarp_in &, GPUMatrixDynamic<float> &, bool = true);
    virtual std::unique_ptr<Context> forward_impl(cudaStream_t, const cuwarp_in &, cuwarp_out * = nullptr, bool = false,
                                                  bool = false) = 0;
    std::unique_ptr<Context> forward(cudaStream_t, const cuwarp_in &, cuwarp_out * = nullptr, bool = false,
                                     bool = false);
    std::unique_ptr<Context> forward(const cuwarp_in &, cuwarp_out * = nullptr, bool = false, bool = false);
    virtual void backward_impl(cudaStream_t, const Context &, const cuwarp_in &, const cuwarp_out &, const cuwarp_out &,
                               cuwarp_in * = nullptr, bool = false, GradientMode = GradientMode::Overwrite) = 0;
    void backward(cudaStream_t, const Context &, const cuwarp_in &, const cuwarp_out &, const cuwarp_out &,
                  cuwarp_in * = nullptr, bool = false, GradientMode = GradientMode::Overwrite);
    void backward(const Context &, const cuwarp_in &, const cuwarp_out &, const cuwarp_out &, cuwarp_in * = nullptr,
                  bool = false, GradientMode = GradientMode::Overwrite);
    virtual void backward_backward_input_impl(cudaStream_t, const Context &, const cuwarp_in &, const cuwarp_in &,
                                              const cuwarp_out &, cuwarp_out * = nullptr, cuwarp_in * = nullptr,
                                              bool = false, GradientMode = GradientMode::Overwrite);
    void backward_backward_input(cudaStream_t, const Context &, const cuwarp_in &, const cuwarp_in &,
                                 const cuwarp_out &, cuwarp_out * = nullptr, cuwarp_in * = nullptr, bool = false,
                                 GradientMode = GradientMode::Overwrite);
    template <typename... A> void input_gradient(cudaStream_t, uint32_t, A &&...);
    virtual uint32_t input_width() const = 0;
    virtual uint32_t padded_output_width() const = 0;
    virtual uint32_t output_width() const = 0;
    virtual uint32_t required_input_alignment() const = 0;
    virtual std::string generate_device_function(const std::string &) const;
    virtual std::string generate_backward_device_function(const std::string &, uint32_t) const;
    virtual uint32_t device_function_fwd_ctx_bytes() const;
    virtual bool device_function_fwd_ctx_aligned_per_element() const;
    virtual uint32_t backward_device_function_shmem_bytes(uint32_t, GradientMode) const;
    virtual void convert_params_to_jit_layout(cudaStream_t, bool);
    virtual void convert_params_from_jit_layout(cudaStream_t, bool);
    std::string generate_vec_in() const;
    std::string generate_vec(uint32_t) const;
    std::string generate_vec_padded_out() const;
    std::string generate_vec_out() const;
    std::string generate_device_function_from_body(const std::string &, const std::string &) const;
    std::string generate_backward_device_function_from_body(const std::string &, const std::string &) const;
    bool jit_fusion() const;
    void set_jit_fusion(bool);
    ScopeGuard jit_guard(cudaStream_t, bool);
    bool in_jit_guard() const;
};
template <typename T> struct Encoding : DifferentiableObject<float, T, T> {
    void inference_mixed_precision_impl(cudaStream_t, const GPUMatrixDynamic<float> &, GPUMatrixDynamic<T> &,
                                        bool = true) override;
    virtual void set_padded_output_width(uint32_t) = 0;
    virtual uint32_t required_output_alignment() const = 0;
    virtual MatrixLayout preferred_output_layout() const = 0;
    virtual size_t n_nested() const;
    virtual const std::shared_ptr<Encoding> &nested(size_t = 0) const;
    void set_params_impl(T *, T *, T *) override;
    void initialize_params(pcg32 &, float *, float = 1) override;
    size_t n_params() const override;
    std::vector<std::pair<uint32_t, uint32_t>> layer_sizes() const override;
    void set_alignment(uint32_t);
};
template <typename T> Encoding<T> *create_encoding(uint32_t, const json &, uint32_t = 8);
template <typename T> struct MultiLevelEncoding : Encoding<T> {
    virtual uint32_t n_pos_dims() const = 0;
    virtual uint32_t n_features_per_level() const = 0;
    virtual size_t level_n_params(uint32_t) const = 0;
    virtual size_t level_params_offset(uint32_t) const = 0;
    float max_level() const;
    void set_max_level(float);
    bool max_level_gpu_enabled() const;
    float *max_level_gpu() const;
    void set_max_level_gpu(float *);
    float quantize_threshold() const;
    void set_quantize_threshold(float);
};
struct GridOffsetTable { uint32_t data[33]; uint32_t size; };
template <typename T> struct GridEncoding : MultiLevelEncoding<T> {
    virtual const GridOffsetTable &grid_offset_table() const = 0;
    virtual uint32_t n_levels() const;
};
template <typename T, typename P = T> struct Network : DifferentiableObject<T, P, P> {
    void visualize_activation(cudaStream_t, uint32_t, uint32_t, const GPUMatrix<T> &, GPUMatrix<float> &);
    virtual uint32_t width(uint32_t) const = 0;
    virtual uint32_t num_forward_activations() const = 0;
    virtual std::pair<const P *, MatrixLayout> forward_activations(const Context &, uint32_t) const = 0;
};
template <typename T> Network<T> *create_network(const json &);
uint32_t minimum_alignment(const json &);
template <typename T> struct NetworkWithInputEncoding : Network<float, T> {
    NetworkWithInputEncoding(std::shared_ptr<Encoding<T>>, uint32_t, const json &);
    NetworkWithInputEncoding(uint32_t, uint32_t, const json &, const json &);
    const std::shared_ptr<Encoding<T>> &encoding() const;
    uint32_t num_encoded_dims() const;
    void inference_mixed_precision_impl(cudaStream_t, const GPUMatrixDynamic<float> &, GPUMatrixDynamic<T> &,
                                        bool = true) override;
    std::unique_ptr<Context> forward_impl(cudaStream_t, const GPUMatrixDynamic<float> &, GPUMatrixDynamic<T> *, bool,
                                          bool) override;
    void backward_impl(cudaStream_t, const Context &, const GPUMatrixDynamic<float> &, const GPUMatrixDynamic<T> &,
                       const GPUMatrixDynamic<T> &, GPUMatrixDynamic<float> *, bool, GradientMode) override;
    void set_params_impl(T *, T *, T *) override;
    void initialize_params(pcg32 &, float *, float = 1) override;
    size_t n_params() const override;
    uint32_t padded_output_width() const override;
    uint32_t output_width() const override;
    uint32_t input_width() const override;
    uint32_t required_input_alignment() const override;
    std::vector<std::pair<uint32_t, uint32_t>> layer_sizes() const override;
    uint32_t width(uint32_t) const override;
    uint32_t num_forward_activations() const override;
    std::pair<const T *, MatrixLayout> forward_activations(const Context &, uint32_t) const override;
    json hyperparams() const override;
};
template <typename T> struct Loss : ObjectWithMutableHyperparams {
    virtual void evaluate(cudaStream_t, uint32_t, uint32_t, float, const GPUMatrix<T> &, const GPUMatrix<float> &,
                          GPUMatrix<float> &, GPUMatrix<T> &, const GPUMatrix<float> * = nullptr) const = 0;
};
template <typename T> Loss<T> *create_loss(const json &);
template <typename T> struct Optimizer : ObjectWithMutableHyperparams {
    virtual void allocate(uint32_t, const std::vector<std::pair<uint32_t, uint32_t>> & = {}) = 0;
    void allocate(const std::shared_ptr<ParametricObject<T>> &);
    virtual void step(cudaStream_t, float, float *, T *, const T *) = 0;
    virtual float learning_rate() const = 0;
    virtual void set_learning_rate(float) = 0;
    virtual uint32_t step() const = 0;
    virtual uint32_t n_weights() const = 0;
    virtual T *custom_weights() const = 0;
    virtual size_t n_nested() const;
    virtual const std::shared_ptr<Optimizer> &nested(size_t = 0) const;
    virtual json serialize() const;
    virtual void deserialize(const json &);
};
template <typename T> Optimizer<T> *create_optimizer(const json &);
template <typename T, typename P, typename C = T> struct Trainer : ObjectWithMutableHyperparams {
    template <typename... A> Trainer(A &&...);
    struct ForwardContext : Context {
        GPUMatrix<C> perturbed_output, output, dL_doutput;
        GPUMatrix<float> L;
        std::unique_ptr<Context> model_ctx;
    };
    void set_loss(std::shared_ptr<Loss<C>>);
    void initialize_params();
    template <typename... A> std::unique_ptr<ForwardContext> forward(A &&...);
    template <typename... A> void backward(A &&...);
    template <typename... A> std::unique_ptr<ForwardContext> training_step(A &&...);
    void optimizer_step(cudaStream_t, float);
    void optimizer_step(float);
    float loss(cudaStream_t, const ForwardContext &) const;
    float loss(const ForwardContext &) const;
    void update_hyperparams(const json &) override;
    json hyperparams() const override;
    float *params_full_precision() const;
    P *params() const;
    P *params_inference() const;
    P *param_gradients() const;
    void set_params_full_precision(const float *, size_t, bool = false);
    void set_params(const P *, size_t, bool = false);
    std::shared_ptr<DifferentiableObject<T, P, C>> model();
    json serialize(bool = false);
    void deserialize(const json &);
    void set_param_gradients_pointer(P *);
    void reset_param_pointers();
    size_t n_params() const;
};
struct TrainableModel {
    std::shared_ptr<Loss<network_precision_t>> loss;
    std::shared_ptr<Optimizer<network_precision_t>> optimizer;
    std::shared_ptr<NetworkWithInputEncoding<network_precision_t>> network;
    std::shared_ptr<Trainer<float, network_precision_t, network_precision_t>> trainer;
};
TrainableModel create_from_config(uint32_t, uint32_t, json);
} // namespace tcnn
