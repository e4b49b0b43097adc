// Small path tracer over a height field.  The block adapts its Russian roulette
// to the share of paths that are still alive.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

struct Rng {
    uint32_t s;
    __device__ explicit Rng(uint32_t seed) : s(seed * 747796405u + 2891336453u) {}
    __device__ float next()
    {
        s = s * 747796405u + 2891336453u;
        uint32_t w = ((s >> ((s >> 28) + 4u)) ^ s) * 277803737u;
        w = (w >> 22) ^ w;
        return (w >> 8) * (1.f / 16777216.f);
    }
};

struct HeightField {
    cudaTextureObject_t tex;
    int w, h;
    float scale;
    __device__ float at(float x, float y) const { return scale * tex2D<float>(tex, x + 0.5f, y + 0.5f); }
    __device__ float3 normal(float x, float y) const
    {
        const float dx = at(x + 1.f, y) - at(x - 1.f, y), dy = at(x, y + 1.f) - at(x, y - 1.f);
        const float inv = rsqrtf(dx * dx + dy * dy + 4.f);
        return make_float3(-dx * inv, -dy * inv, 2.f * inv);
    }
};

struct Settings {
    int max_bounces, samples;
    float albedo, sky;
    float step;
};

struct Path {
    float3 o, d;
    float weight, radiance;
    int bounce;
    bool done;
};

__device__ bool march(const HeightField& f, Path& p, float step)
{
    for (int i = 0; i < 512; ++i) {
        p.o.x += step * p.d.x; p.o.y += step * p.d.y; p.o.z += step * p.d.z;
        if (p.o.x < 0.f || p.o.y < 0.f || p.o.x >= f.w || p.o.y >= f.h || p.o.z > f.scale) return false;
        if (p.o.z < f.at(p.o.x, p.o.y)) return true;
    }
    return false;
}

__device__ float3 cosine_sample(float3 n, Rng& rng)
{
    const float z = 1.f - 2.f * rng.next(), phi = 6.2831853f * rng.next();
    const float r = sqrtf(fmaxf(0.f, 1.f - z * z));
    float3 d = make_float3(n.x + r * cosf(phi), n.y + r * sinf(phi), n.z + z);
    const float inv = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z + 1e-12f);
    return make_float3(d.x * inv, d.y * inv, d.z * inv);
}

__device__ void bounce(const HeightField& f, const Settings& st, Path& p, Rng& rng)
{
    if (!march(f, p, st.step)) {
        p.radiance += p.weight * st.sky;
        p.done = true;
        return;
    }
    const float3 n = f.normal(p.o.x, p.o.y);
    p.d = cosine_sample(n, rng);
    p.o.x += n.x * st.step; p.o.y += n.y * st.step; p.o.z += n.z * st.step;
    p.weight *= st.albedo;
    if (++p.bounce >= st.max_bounces) p.done = true;
}

template <int BX, int BY>
__global__ void __launch_bounds__(BX* BY) render(HeightField f, Settings st, float* image, uint32_t frame)
{
    const int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    const bool inside = x < f.w && y < f.h;
    Rng rng((uint32_t)(y * f.w + x) * 9781u + frame);
    float sum = 0.f;

    for (int s = 0; s < st.samples; ++s) {
        Path p;
        p.o = make_float3(x + rng.next(), y + rng.next(), f.scale);
        p.d = make_float3(0.f, 0.f, -1.f);
        p.weight = 1.f;
        p.radiance = 0.f;
        p.bounce = 0;
        p.done = !inside;

        while (true) {
            if (!__syncthreads_or(!p.done)) break;
            if (!p.done) bounce(f, st, p, rng);
            const int alive = __syncthreads_count(!p.done);
            // few survivors keep a whole block busy, so thin them out
            const float keep = alive * 4 < BX * BY ? 0.5f : 0.95f;
            if (!p.done) {
                if (rng.next() < keep) p.weight /= keep;
                else p.done = true;
            }
        }
        sum += p.radiance;
    }
    if (inside) image[y * f.w + x] += sum / st.samples;
}

static cudaTextureObject_t make_texture(const float* d, int w, int h, size_t pitch)
{
    cudaResourceDesc res = {};
    res.resType = cudaResourceTypePitch2D;
    res.res.pitch2D.devPtr = const_cast<float*>(d);
    res.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    res.res.pitch2D.width = w;
    res.res.pitch2D.height = h;
    res.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc td = {};
    td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
    td.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = 0;
    cudaCreateTextureObject(&t, &res, &td, nullptr);
    return t;
}

int render_frame(const float* d_height, int w, int h, size_t pitch, float scale, const Settings& st, float* d_image,
                 uint32_t frame, bool wide, cudaStream_t s)
{
    HeightField f = {make_texture(d_height, w, h, pitch), w, h, scale};
    if (!f.tex) return -1;
    if (wide) render<32, 8><<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, s>>>(f, st, d_image, frame);
    else render<16, 8><<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8), 0, s>>>(f, st, d_image, frame);
    const cudaError_t e = cudaStreamSynchronize(s);
    cudaDestroyTextureObject(f.tex);
    if (e != cudaSuccess) fprintf(stderr, "render: %s\n", cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : -1;
}
