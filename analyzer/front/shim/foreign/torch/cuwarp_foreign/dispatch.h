// AT_DISPATCH_…: the launches inside are instantiated for the types. Of integers of like use (8 and 16 bits, signed or
// not) one is taken: their kernels do the same.
#pragma once
#include <cuwarp_foreign/c10_types.h>
namespace detail {
inline at::ScalarType scalar_type(at::ScalarType s) { return s; }
} // namespace detail
#define AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, HINT, ...)                                                          \
    case enum_type: {                                                                                                  \
        using HINT = c10::impl::ScalarTypeToCPPTypeT<enum_type>;                                                       \
        return __VA_ARGS__();                                                                                          \
    }
#define AT_DISPATCH_CASE(enum_type, ...) AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, scalar_t, __VA_ARGS__)
#define AT_PRIVATE_CASE_TYPE(name, enum_type, type, ...) AT_DISPATCH_CASE(enum_type, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                                                            \
    [&] {                                                                                                              \
        const auto &the_type = TYPE;                                                                                   \
        at::ScalarType _st = ::detail::scalar_type(the_type);                                                          \
        switch (_st) { __VA_ARGS__ default : ::c10::detail::cuwarp_check_failed(); }                                   \
    }()
#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                                                                           \
    AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...)                                                                   \
    AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                           \
    AT_DISPATCH_CASE(at::ScalarType::Byte, __VA_ARGS__)                                                                \
    AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::Long, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)                                                                                \
    AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...) AT_DISPATCH_CASE(at::ScalarType::ComplexFloat, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...)                                                                  \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(S1, ...)                                                                   \
    AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(S1, S2, ...)                                                              \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND(S1, __VA_ARGS__) AT_DISPATCH_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(S1, S2, S3, ...)                                                          \
    AT_DISPATCH_CASE_FLOATING_TYPES_AND2(S1, S2, __VA_ARGS__) AT_DISPATCH_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND(S1, ...)                                                                        \
    AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(S1, S2, ...)                                                                   \
    AT_DISPATCH_CASE_ALL_TYPES_AND(S1, __VA_ARGS__) AT_DISPATCH_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(S1, S2, S3, ...)                                                               \
    AT_DISPATCH_CASE_ALL_TYPES_AND2(S1, S2, __VA_ARGS__) AT_DISPATCH_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)                                                                    \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                                                           \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...)                                                            \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(S1, TYPE, NAME, ...)                                                            \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND(S1, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(S1, S2, TYPE, NAME, ...)                                                       \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(S1, S2, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(S1, S2, S3, TYPE, NAME, ...)                                                   \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES_AND3(S1, S2, S3, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...)                                                        \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                                     \
                       AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...)                                                                     \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...)                                                                    \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(S1, TYPE, NAME, ...)                                                            \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(S1, TYPE, NAME, ...)                                                                 \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND(S1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(S1, S2, TYPE, NAME, ...)                                                            \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND2(S1, S2, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(S1, S2, S3, TYPE, NAME, ...)                                                        \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND3(S1, S2, S3, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...)                                                             \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(S1, S2, TYPE, NAME, ...)                                                \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES_AND2(S1, S2, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                                                       \
    AT_DISPATCH_SWITCH(TYPE, NAME,                                                                                     \
                       AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Int, index_t, __VA_ARGS__)                      \
                           AT_PRIVATE_CASE_TYPE_USING_HINT(at::ScalarType::Long, index_t, __VA_ARGS__))
#define AT_FLOATING_TYPES at::ScalarType::Double, at::ScalarType::Float
#define AT_INTEGRAL_TYPES at::ScalarType::Byte, at::ScalarType::Int, at::ScalarType::Long
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_COMPLEX_TYPES at::ScalarType::ComplexFloat
#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(x) x
#define AT_AP1(f, a1) AT_DISPATCH_CASE(a1, f)
#define AT_AP2(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP1(AT_WRAP(f), __VA_ARGS__)
#define AT_AP3(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP2(AT_WRAP(f), __VA_ARGS__)
#define AT_AP4(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP3(AT_WRAP(f), __VA_ARGS__)
#define AT_AP5(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP4(AT_WRAP(f), __VA_ARGS__)
#define AT_AP6(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP5(AT_WRAP(f), __VA_ARGS__)
#define AT_AP7(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP6(AT_WRAP(f), __VA_ARGS__)
#define AT_AP8(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP7(AT_WRAP(f), __VA_ARGS__)
#define AT_AP9(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP8(AT_WRAP(f), __VA_ARGS__)
#define AT_AP10(f, a1, ...) AT_DISPATCH_CASE(a1, f) AT_AP9(AT_WRAP(f), __VA_ARGS__)
#define AT_NUM_ARGS_AUX(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, n, ...) n
#define AT_NUM_ARGS(...) AT_NUM_ARGS_AUX(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define AT_CONCAT_AUX(a, b) a##b
#define AT_CONCAT(a, b) AT_CONCAT_AUX(a, b)
#define AT_AP_VAR(f, t, ...) AT_CONCAT(AT_AP, AT_NUM_ARGS(__VA_ARGS__))(AT_WRAP(f), __VA_ARGS__)
#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...)                                                                          \
    AT_DISPATCH_SWITCH(TYPE, NAME, AT_AP_VAR(AT_WRAP(BODY), TYPE, __VA_ARGS__))
#define AT_DISPATCH_V2_TMPL(SWITCH, CASE, TYPE, NAME, BODY, ...) AT_DISPATCH_V2(TYPE, NAME, AT_WRAP(BODY), __VA_ARGS__)
