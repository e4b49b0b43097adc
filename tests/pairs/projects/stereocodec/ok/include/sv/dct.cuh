#pragma once

namespace sv {

// In-place 8-point DCT-II (AAN without the final scaling).
__device__ __forceinline__ void dct8(float (&v)[8]) {
  const float s07 = v[0] + v[7], d07 = v[0] - v[7];
  const float s16 = v[1] + v[6], d16 = v[1] - v[6];
  const float s25 = v[2] + v[5], d25 = v[2] - v[5];
  const float s34 = v[3] + v[4], d34 = v[3] - v[4];
  const float a = s07 + s34, b = s07 - s34, c = s16 + s25, d = s16 - s25;
  v[0] = a + c;
  v[4] = a - c;
  const float z1 = (d + b) * 0.707106781f;
  v[2] = b + z1;
  v[6] = b - z1;
  const float e = d34 + d25, f = d25 + d16, g = d16 + d07;
  const float z5 = (e - g) * 0.382683433f;
  const float z2 = 0.541196100f * e + z5, z4 = 1.306562965f * g + z5, z3 = f * 0.707106781f;
  const float h = d07 + z3, k = d07 - z3;
  v[5] = k + z2;
  v[3] = k - z2;
  v[1] = h + z4;
  v[7] = h - z4;
}

}  // namespace sv
