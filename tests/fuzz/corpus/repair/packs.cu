template <typename... Args> __device__ int count(Args... args) { return sizeof...(args); }
__device__ int sum() { return 0; }
template <typename T, typename... Rest> __device__ int sum(T first, Rest... rest) { return first + sum(rest...); }
template <typename... Args> __device__ int fold(Args... args) { return (args + ...); }
template <typename... Args> __device__ int fold2(Args... args) { return (0 + ... + args); }
template <typename F, typename... Args> __device__ void apply(F f, Args &&...args) { f(args...); }
template <int... Is> struct seq {};
template <int... Is> __device__ int total(seq<Is...>) { return (Is + ... + 0); }
template <typename... Ts> struct first_of;
template <typename T, typename... Ts> struct first_of<T, Ts...> { using type = T; static constexpr int n = sizeof...(Ts); };
template <typename Op, typename... Args> __global__ void k(Op op, int *out, Args... args) {
    out[threadIdx.x] = op(args...) + count(1, 2, 3) + sum(1, out[1], 3) + fold(1, out[2]) + fold2(5, out[3]);
    out[1] = total(seq<1, 2, 3>{}) + first_of<int, float, char>::n;
}
struct plus { __device__ int operator()(int a, int b) const { return a + b; } };
template <typename... P> __device__ void store_all(P... p) { ((*p = 1), ...); }
__global__ void k3(int *a, int *b) { store_all(a + threadIdx.x, b); int x[] = {1,2}; apply([&](int i, int j) { a[i] = x[j & 1]; }, 1, 2); }
void run(int *o) { k<plus><<<1, 32>>>(plus{}, o, 1, 2); }
