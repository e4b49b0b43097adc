template <typename... A> __device__ int f(A... a) { return sizeof...(a); }
__device__ void none(void v) {}
__global__ void k(int *p, void q) { f<void>(none(p)); none(none(p), q); none(); f<void, int>(1, 2); k<<<1, 2>>>(none(p)); }
void run(int *p) { k<<<1, 2>>>(p, none(p, p)); k<<<1, 2>>>(p); f<void>(); none(); }
