// Places of every kind; the comment says what is special about it.
#define PUT(at, v) s[at] = (v)
#define UNROLL _Pragma("unroll")
#define TWICE(x) x; x;

__device__ int helper(const int *s, int i) { return s[i]; }

template <int N>
__device__ __forceinline__ int in_template(int *s, int i) {
    return s[i] + N;
}

constexpr __device__ int never(const int *s, int i) { return s[i]; } // constexpr: its call is skewed instead

struct Sum {
    int *s;
    __device__ Sum(int *p) : s(p) { s[0] = 0; }
    __device__ int operator()(int i) const { return s[i]; }
};

__global__ void places(int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x, v = 0;
    s[t] = t;
    int a = s[t], b = s[t ^ 1];                // a declaration
    if (s[t] > 0) v++;                         // a condition
    else if (s[t] < -1) v--;                   // not the beginning of a statement
    else s[t] = 1;                             // behind else
    if (t < 5)
        s[t] = v;                              // a body without braces
    if (t < 5) if (t > 2) s[t] = v; else s[t] = 2 * v;
    for (int i = s[0]; i < s[1]; i += s[2])    // all three parts of a head
        v += i;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            v += s[k];
    while (s[t] != 0)
        v += s[t];
    while (int w = s[v & 127])                 // a declaration as condition
        v += w;
    do v++; while (s[v & 127] < 3);
    do {
        s[t] = v++;
    } while (v < s[t]);
    while (s[1] == v);                         // an empty body
    switch (s[t]) {
    case 0: s[t] = 1; break;
    case 1:
    case 2: {
        s[t] = 2;
        break;
    }
    default: s[t] = 3;
    }
#pragma unroll
    for (int i = s[3]; i < 4; i++) v += s[i];
    UNROLL for (int i = s[3]; i < 4; i++) v += s[i];
    if (t == 0)
#pragma unroll
        for (int i = 0; i < 4; i++) s[i] = 0;
#if defined(NEVER)
    if (t == 1)
#else
    if (t == 2)
#endif
        s[t] = 4;
    if (t == 3)
#if defined(NEVER)
        s[t] = 5;
#else
        s[t] = 6;
#endif
#ifdef NEVER
    for (int i = 0; i < 3; i++) {
#else
    for (int i = 0; i < 5; i++) {
#endif
        s[i] = i;
    }
    PUT(t, v);
    if (v) PUT(t, 7);
    TWICE(s[t] = v)
    if (v) TWICE(s[t] = v)
    v += never(s, t);
    auto f = [&](int i) { return s[i]; };
    auto g = [&](int i) -> int { if (i) return s[i]; return f(i); };
    v += g(t) + Sum(s)(t);
    v += t > 3 ? s[t] : s[t + 1];
    int list[] = {s[0], s[1]};
    int more[2]{s[0], s[1]};
    { s[t] = v; }
again:
    s[t] += 1;
    if (v > 100) goto again;
    if (int w = s[t]; w > 2) v += w;
    if constexpr (sizeof(int) == 4) s[t] = 9;
    struct Local {
        __device__ static int get(int *p) { return p[0]; }
    };
    v += Local::get(s);
    __syncwarp(); __syncthreads();
    asm volatile("bar.sync 0;");
    out[t] = v + a + b + list[0] + more[1] + helper(s, t) + in_template<3>(s, t);
}
