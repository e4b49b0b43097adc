__device__ void nothing();
__global__ void k(float *m) {
    dim3 d(nothing(), k<<<1, 2>>>(m));
    m[0] = max(nothing(), nothing());
    m[1] = max(m[0], nothing()) + min(nothing(), m[2]) + abs(nothing());
    k<<<{nothing(), 1}, {2}>>>(m);
}
void run(float *m) { dim3 k(n <<<{nothing()}, oc>>>(1)); k<<<d, k>>>(m); }
