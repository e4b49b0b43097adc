// OpenCV: the types that kernels take, and the matrix of the device.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <string>
#include <vector>
typedef unsigned char uchar;
typedef unsigned short ushort;
#define CV_8U 0
#define CV_8S 1
#define CV_16U 2
#define CV_16S 3
#define CV_32S 4
#define CV_32F 5
#define CV_64F 6
#define CV_8UC1 0
#define CV_8UC3 16
#define CV_8UC4 24
#define CV_32FC1 5
#define CV_32FC3 21
#define CV_32SC1 4
#define CV_Assert(...) ((__VA_ARGS__) ? (void)0 : ::cv::cuwarp_failed())
#define CV_Error(...) ::cv::cuwarp_failed()
#define CV_EXPORTS
#define CV_CUDEV_SAFE_CALL(...) ((void)(__VA_ARGS__))
#define cudaSafeCall(...) ((void)(__VA_ARGS__))
namespace cv {
[[noreturn]] void cuwarp_failed();
template <typename T> struct Size_ {
    T width, height;
    Size_() = default;
    Size_(T w, T h) : width(w), height(h) {}
    T area() const { return width * height; }
};
typedef Size_<int> Size;
template <typename T> struct Point_ {
    T x, y;
    Point_() = default;
    Point_(T a, T b) : x(a), y(b) {}
};
typedef Point_<int> Point;
struct Rect {
    int x, y, width, height;
};
template <typename T, int n> struct Vec {
    T val[n];
    __host__ __device__ T &operator[](int i) { return val[i]; }
    __host__ __device__ const T &operator[](int i) const { return val[i]; }
};
typedef Vec<uchar, 3> Vec3b;
typedef Vec<float, 3> Vec3f;
struct Scalar {
    double val[4];
    template <typename... T> Scalar(T...);
    double operator[](int i) const { return val[i]; }
};
struct Mat {
    int rows, cols, flags;
    uchar *data;
    size_t step;
    template <typename... T> Mat(T &&...);
    template <typename T> T *ptr(int y = 0) const;
    uchar *ptr(int y = 0) const;
    template <typename T> T &at(int y, int x) const;
    Size size() const { return Size(cols, rows); }
    int type() const;
    int channels() const;
    bool empty() const;
    bool isContinuous() const;
    size_t elemSize() const;
    size_t total() const;
    Mat clone() const;
    template <typename... T> void create(T &&...);
    template <typename... T> void convertTo(T &&...) const;
    template <typename... T> void copyTo(T &&...) const;
};
struct InputArray {
    template <typename T> InputArray(const T &);
};
struct OutputArray {
    template <typename T> OutputArray(T &&);
};
template <typename... T> Mat imread(T &&...);
template <typename... T> bool imwrite(T &&...);
template <typename... T> void imshow(T &&...);
template <typename... T> void cvtColor(T &&...);
template <typename... T> void resize(T &&...);
int waitKey(int d = 0);
namespace cuda {
template <typename T> struct DevPtr {
    typedef T elem_type;
    T *data;
    __host__ __device__ DevPtr() : data(nullptr) {}
    __host__ __device__ DevPtr(T *p) : data(p) {}
    __host__ __device__ operator T *() { return data; }
    __host__ __device__ operator const T *() const { return data; }
};
template <typename T> struct PtrSz : DevPtr<T> {
    size_t size;
    __host__ __device__ PtrSz() : size(0) {}
    __host__ __device__ PtrSz(T *p, size_t n) : DevPtr<T>(p), size(n) {}
};
template <typename T> struct PtrStep : DevPtr<T> {
    size_t step;
    __host__ __device__ PtrStep() : step(0) {}
    __host__ __device__ PtrStep(T *p, size_t s) : DevPtr<T>(p), step(s) {}
    __host__ __device__ T *ptr(int y = 0) { return (T *)((char *)this->data + y * step); }
    __host__ __device__ const T *ptr(int y = 0) const { return (const T *)((const char *)this->data + y * step); }
    __host__ __device__ T &operator()(int y, int x) { return ptr(y)[x]; }
    __host__ __device__ const T &operator()(int y, int x) const { return ptr(y)[x]; }
};
template <typename T> struct PtrStepSz : PtrStep<T> {
    int cols, rows;
    __host__ __device__ PtrStepSz() : cols(0), rows(0) {}
    __host__ __device__ PtrStepSz(int r, int c, T *p, size_t s) : PtrStep<T>(p, s), cols(c), rows(r) {}
    template <typename U>
    explicit PtrStepSz(const PtrStepSz<U> &d) : PtrStep<T>((T *)d.data, d.step), cols(d.cols), rows(d.rows) {}
};
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;
struct Stream {
    static Stream &Null();
    void waitForCompletion();
    Stream();
};
struct StreamAccessor {
    static cudaStream_t getStream(const Stream &s);
};
struct GpuMat {
    int rows, cols, flags;
    size_t step;
    uchar *data;
    template <typename... T> GpuMat(T &&...);
    template <typename T> T *ptr(int y = 0) const { return (T *)(data + y * step); }
    uchar *ptr(int y = 0) const { return data + y * step; }
    template <typename T> operator PtrStepSz<T>() const { return PtrStepSz<T>(rows, cols, (T *)data, step); }
    template <typename T> operator PtrStep<T>() const { return PtrStep<T>((T *)data, step); }
    Size size() const { return Size(cols, rows); }
    int type() const;
    int depth() const;
    int channels() const;
    size_t elemSize() const;
    bool empty() const;
    bool isContinuous() const;
    template <typename... T> void create(T &&...);
    template <typename... T> void upload(T &&...);
    template <typename... T> void download(T &&...) const;
    template <typename... T> void copyTo(T &&...) const;
    template <typename... T> GpuMat &setTo(T &&...);
    GpuMat clone() const;
};
__host__ __device__ __forceinline__ constexpr int divUp(int total, int grain) { return (total + grain - 1) / grain; }
namespace device {
using cv::cuda::divUp;
using cv::cuda::PtrStep;
using cv::cuda::PtrStepSz;
} // namespace device
} // namespace cuda
namespace cudev {
using cv::cuda::divUp;
using cv::cuda::PtrStep;
using cv::cuda::PtrStepSz;
} // namespace cudev
} // namespace cv
