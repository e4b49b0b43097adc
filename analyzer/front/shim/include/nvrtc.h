#pragma once
typedef struct cuwarp_nvrtcProgram *nvrtcProgram;
enum nvrtcResult { NVRTC_SUCCESS, NVRTC_ERROR_COMPILATION };
nvrtcResult nvrtcCreateProgram(...), nvrtcDestroyProgram(...), nvrtcCompileProgram(...), nvrtcGetPTX(...),
    nvrtcGetPTXSize(...), nvrtcGetCUBIN(...), nvrtcGetCUBINSize(...), nvrtcGetLTOIR(...), nvrtcGetLTOIRSize(...),
    nvrtcGetProgramLog(...), nvrtcGetProgramLogSize(...), nvrtcAddNameExpression(...), nvrtcGetLoweredName(...),
    nvrtcVersion(...);
const char *nvrtcGetErrorString(nvrtcResult r);
