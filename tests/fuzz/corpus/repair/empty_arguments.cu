#define NONE
#define JOIN(a, b) a##b b##a a ## b ## a
#define TEXT(x) #x x##x
__global__ void k(int *o) { JOIN(, ) TEXT() JOIN(NONE, ) o[threadIdx.x] = JOIN(1, ) JOIN(, 2); }
