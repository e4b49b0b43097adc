// The float functions in namespace std, which nvcc brings in unasked.
#pragma once
namespace std {
using ::abs; using ::acos; using ::acosh; using ::asin; using ::asinh; using ::atan; using ::atan2; using ::atanh; using ::cbrt; using ::ceil; using
::copysign; using ::cos; using ::cosh; using ::erf; using ::erfc; using ::exp; using ::exp2; using ::expm1; using ::fabs; using ::fdim; using ::floor;
using ::fma; using ::fmax; using ::fmin; using ::fmod; using ::frexp; using ::hypot; using ::ilogb; using ::isfinite; using ::isinf; using ::isnan;
using ::isnormal; using ::ldexp; using ::lgamma; using ::llrint; using ::llround; using ::log; using ::log10; using ::log1p; using ::log2; using
::logb; using ::lrint; using ::lround; using ::modf; using ::nan; using ::nearbyint; using ::nextafter; using ::pow; using ::remainder; using
::remquo; using ::rint; using ::round; using ::scalbn; using ::signbit; using ::sin; using ::sinh; using ::sqrt; using ::tan; using ::tanh; using
::tgamma; using ::trunc; using ::labs; using ::llabs; using ::acosf; using ::asinf; using ::atanf; using ::atan2f; using ::ceilf; using ::cosf; using
::coshf; using ::expf; using ::exp2f; using ::fabsf; using ::floorf; using ::fmaf; using ::fmaxf; using ::fminf; using ::fmodf; using ::logf; using
::log10f; using ::log2f; using ::powf; using ::roundf; using ::sinf; using ::sinhf; using ::sqrtf; using ::tanf; using ::tanhf; using ::truncf; }
