// Textures and surfaces, references (gone with CUDA 12) and objects.
#pragma once
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureAddressMode { cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
enum cudaSurfaceFormatMode { cudaFormatModeForced, cudaFormatModeAuto };
enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned,
    cudaChannelFormatKindUnsigned,
    cudaChannelFormatKindFloat,
    cudaChannelFormatKindNone,
    cudaChannelFormatKindNV12 = 4,
    cudaChannelFormatKindUnsignedNormalized8X1 = 5,
    cudaChannelFormatKindUnsignedNormalized8X2 = 6,
    cudaChannelFormatKindUnsignedNormalized8X4 = 7,
    cudaChannelFormatKindUnsignedNormalized16X1 = 8,
    cudaChannelFormatKindUnsignedNormalized16X2 = 9,
    cudaChannelFormatKindUnsignedNormalized16X4 = 10,
    cudaChannelFormatKindSignedNormalized8X1 = 11,
    cudaChannelFormatKindSignedNormalized8X2 = 12,
    cudaChannelFormatKindSignedNormalized8X4 = 13,
    cudaChannelFormatKindSignedNormalized16X1 = 14,
    cudaChannelFormatKindSignedNormalized16X2 = 15,
    cudaChannelFormatKindSignedNormalized16X4 = 16,
    cudaChannelFormatKindUnsignedBlockCompressed1 = 17,
    cudaChannelFormatKindUnsignedBlockCompressed1SRGB = 18,
    cudaChannelFormatKindUnsignedBlockCompressed2 = 19,
    cudaChannelFormatKindUnsignedBlockCompressed2SRGB = 20,
    cudaChannelFormatKindUnsignedBlockCompressed3 = 21,
    cudaChannelFormatKindUnsignedBlockCompressed3SRGB = 22,
    cudaChannelFormatKindUnsignedBlockCompressed4 = 23,
    cudaChannelFormatKindSignedBlockCompressed4 = 24,
    cudaChannelFormatKindUnsignedBlockCompressed5 = 25,
    cudaChannelFormatKindSignedBlockCompressed5 = 26,
    cudaChannelFormatKindUnsignedBlockCompressed6H = 27,
    cudaChannelFormatKindSignedBlockCompressed6H = 28,
    cudaChannelFormatKindUnsignedBlockCompressed7 = 29,
    cudaChannelFormatKindUnsignedBlockCompressed7SRGB = 30,
    cudaChannelFormatKindUnsignedNormalized1010102 = 31
};
struct cudaChannelFormatDesc {
    int x, y, z, w;
    enum cudaChannelFormatKind f;
};
enum {
    cudaTextureType1D = 1,
    cudaTextureType2D,
    cudaTextureType3D,
    cudaTextureTypeCubemap = 0xc,
    cudaTextureType1DLayered = 0xf1,
    cudaTextureType2DLayered,
    cudaTextureTypeCubemapLayered = 0xfc
};
enum {
    cudaSurfaceType1D = 1,
    cudaSurfaceType2D,
    cudaSurfaceType3D,
    cudaSurfaceTypeCubemap = 0xc,
    cudaSurfaceType1DLayered = 0xf1,
    cudaSurfaceType2DLayered,
    cudaSurfaceTypeCubemapLayered = 0xfc
};
struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};
template <typename T, int D = 1, cudaTextureReadMode M = cudaReadModeElementType>
struct __attribute__((device_builtin_texture_type)) texture : textureReference {
    texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode address = cudaAddressModeClamp);
    texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address, cudaChannelFormatDesc format);
};
template <typename T, int D = 1> struct __attribute__((device_builtin_surface_type)) surface : surfaceReference {
    surface();
};
template <typename T, cudaTextureReadMode M> struct cuwarp_texel { typedef T type; };
template <> struct cuwarp_texel<unsigned char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cuwarp_texel<signed char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cuwarp_texel<char, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cuwarp_texel<unsigned short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cuwarp_texel<short, cudaReadModeNormalizedFloat> { typedef float type; };
template <> struct cuwarp_texel<uchar4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cuwarp_texel<char4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cuwarp_texel<uchar2, cudaReadModeNormalizedFloat> { typedef float2 type; };
template <> struct cuwarp_texel<ushort4, cudaReadModeNormalizedFloat> { typedef float4 type; };
template <> struct cuwarp_texel<short4, cudaReadModeNormalizedFloat> { typedef float4 type; };
//@ texture | __device__ | =
#define CUWARP_READ_INTO(name, objects, parameters, arguments)                                                         \
    template <typename T> __device__ inline void name(T *result, objects object, parameters) {                         \
        *result = name<T>(object, arguments);                                                                          \
    }
#define CUWARP_LIST(...) __VA_ARGS__
CUWARP_READ_INTO(surf1Dread, cudaSurfaceObject_t,
                 CUWARP_LIST(int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap), CUWARP_LIST(x, mode))
CUWARP_READ_INTO(surf2Dread, cudaSurfaceObject_t,
                 CUWARP_LIST(int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 CUWARP_LIST(x, y, mode))
CUWARP_READ_INTO(surf3Dread, cudaSurfaceObject_t,
                 CUWARP_LIST(int x, int y, int z, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap),
                 CUWARP_LIST(x, y, z, mode))
CUWARP_READ_INTO(tex1Dfetch, cudaTextureObject_t, CUWARP_LIST(int x), CUWARP_LIST(x))
CUWARP_READ_INTO(tex2D, cudaTextureObject_t, CUWARP_LIST(float x, float y), CUWARP_LIST(x, y))
CUWARP_READ_INTO(tex3D, cudaTextureObject_t, CUWARP_LIST(float x, float y, float z), CUWARP_LIST(x, y, z))
#undef CUWARP_READ_INTO
#undef CUWARP_LIST
