// NVTX: names only.
#pragma once
typedef unsigned long long nvtxRangeId_t;
typedef struct cuwarp_nvtxDomain *nvtxDomainHandle_t;
struct nvtxEventAttributes_t {
    unsigned short version, size;
    unsigned category;
    int colorType;
    unsigned color;
    int payloadType;
    union {
        unsigned long long ullValue;
        double dValue;
    } payload;
    int messageType;
    union {
        const char *ascii;
        const wchar_t *unicode;
    } message;
};
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE sizeof(nvtxEventAttributes_t)
enum { NVTX_COLOR_ARGB = 1, NVTX_MESSAGE_TYPE_ASCII = 1 };
#define nvtxRangePush nvtxRangePushA
#define nvtxMark nvtxMarkA
int nvtxRangePushA(const char *s), nvtxRangePushEx(const nvtxEventAttributes_t *a), nvtxRangePop();
void nvtxMarkA(const char *s), nvtxMarkEx(const nvtxEventAttributes_t *a), nvtxRangeEnd(nvtxRangeId_t id),
    nvtxNameCudaStreamA(cudaStream_t s, const char *n), nvtxNameOsThread(unsigned id, const char *n);
nvtxRangeId_t nvtxRangeStartA(const char *s), nvtxRangeStartEx(const nvtxEventAttributes_t *a);
