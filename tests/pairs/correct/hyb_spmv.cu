// Hybrid ELL + COO sparse matrix vector product; the COO tail is reduced by one thread per tail row.
#include <cuda_runtime.h>
#include <algorithm>
#include <vector>

template <typename T>
struct HybMatrix {
    int rows;
    // ELL part, column major, -1 pads
    int ell_width, ell_pitch;
    int *ell_col;
    T *ell_val;
    // rows that did not fit, each listed once, with their overflow entries
    int tail_rows;
    int *tail_row;
    int *tail_ptr;
    int *tail_col;
    T *tail_val;
};

template <typename T>
__global__ void ell_kernel(HybMatrix<T> m, const T *__restrict__ x, T *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= m.rows) return;
    T s = 0;
    for (int k = 0; k < m.ell_width; k++) {
        int c = m.ell_col[k * m.ell_pitch + r];
        if (c < 0) break;
        s += m.ell_val[k * m.ell_pitch + r] * x[c];
    }
    y[r] = s;
}

template <typename T>
__global__ void tail_kernel(HybMatrix<T> m, const T *__restrict__ x, T *y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= m.tail_rows) return;
    T s = 0;
    for (int k = m.tail_ptr[t]; k < m.tail_ptr[t + 1]; k++)
        s += m.tail_val[k] * x[m.tail_col[k]];
    y[m.tail_row[t]] += s;
}

template <typename T>
static T *upload(const std::vector<T> &v)
{
    T *d = nullptr;
    cudaMalloc(&d, std::max<size_t>(1, v.size()) * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}

template <typename T>
HybMatrix<T> make_hyb(int rows, const std::vector<int> &ptr, const std::vector<int> &col, const std::vector<T> &val, int width)
{
    HybMatrix<T> m;
    m.rows = rows;
    m.ell_width = width;
    m.ell_pitch = (rows + 31) / 32 * 32;
    std::vector<int> ec((size_t)width * m.ell_pitch, -1), trow, tptr(1, 0), tcol;
    std::vector<T> ev(ec.size(), T(0)), tval;
    for (int r = 0; r < rows; r++) {
        int len = ptr[r + 1] - ptr[r];
        for (int k = 0; k < std::min(len, width); k++) {
            ec[(size_t)k * m.ell_pitch + r] = col[ptr[r] + k];
            ev[(size_t)k * m.ell_pitch + r] = val[ptr[r] + k];
        }
        if (len > width) {
            trow.push_back(r);
            tcol.insert(tcol.end(), col.begin() + ptr[r] + width, col.begin() + ptr[r + 1]);
            tval.insert(tval.end(), val.begin() + ptr[r] + width, val.begin() + ptr[r + 1]);
            tptr.push_back((int)tcol.size());
        }
    }
    m.tail_rows = (int)trow.size();
    m.ell_col = upload(ec);
    m.ell_val = upload(ev);
    m.tail_row = upload(trow);
    m.tail_ptr = upload(tptr);
    m.tail_col = upload(tcol);
    m.tail_val = upload(tval);
    return m;
}

void hyb_spmv(const HybMatrix<float> &m, const float *x, float *y)
{
    ell_kernel<float><<<(m.rows + 255) / 256, 256>>>(m, x, y);
    if (m.tail_rows)
        tail_kernel<float><<<(m.tail_rows + 63) / 64, 64>>>(m, x, y);
}

template HybMatrix<float> make_hyb<float>(int, const std::vector<int> &, const std::vector<int> &, const std::vector<float> &, int);
