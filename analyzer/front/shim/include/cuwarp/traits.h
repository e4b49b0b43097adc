// The part of <type_traits> that is always read.
#pragma once
#include "cuwarp/types.h"
namespace std {
template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    constexpr operator T() const noexcept { return v; }
    constexpr T operator()() const noexcept { return v; }
};
template <bool b> using bool_constant = integral_constant<bool, b>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool b, typename A, typename B> struct conditional { typedef A type; };
template <typename A, typename B> struct conditional<false, A, B> { typedef B type; };
template <bool b, typename A, typename B> using conditional_t = typename conditional<b, A, B>::type;
template <bool b, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool b, typename T = void> using enable_if_t = typename enable_if<b, T>::type;
template <typename...> using void_t = void;
template <typename T> struct type_identity { typedef T type; };
template <typename A, typename B> struct is_same : false_type {};
template <typename A> struct is_same<A, A> : true_type {};
template <typename T> struct remove_const { typedef T type; };
template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_volatile { typedef T type; };
template <typename T> struct remove_volatile<volatile T> { typedef T type; };
template <typename T> struct remove_cv { typedef T type; };
template <typename T> struct remove_cv<const T> { typedef T type; };
template <typename T> struct remove_cv<volatile T> { typedef T type; };
template <typename T> struct remove_cv<const volatile T> { typedef T type; };
template <typename T> struct remove_reference { typedef T type; };
template <typename T> struct remove_reference<T &> { typedef T type; };
template <typename T> struct remove_reference<T &&> { typedef T type; };
template <typename T> struct remove_pointer { typedef T type; };
template <typename T> struct remove_pointer<T *> { typedef T type; };
template <typename T> struct remove_pointer<T *const> { typedef T type; };
template <typename T> struct remove_extent { typedef T type; };
template <typename T> struct remove_extent<T[]> { typedef T type; };
template <typename T, size_t n> struct remove_extent<T[n]> { typedef T type; };
template <typename T> struct remove_all_extents { typedef T type; };
template <typename T, size_t n> struct remove_all_extents<T[n]> : remove_all_extents<T> {};
template <typename T> struct remove_cvref {
    typedef typename remove_cv<typename remove_reference<T>::type>::type type;
};
template <typename T> struct add_const { typedef const T type; };
template <typename T> struct add_volatile { typedef volatile T type; };
template <typename T> struct add_cv { typedef const volatile T type; };
template <typename T> struct add_pointer { typedef __add_pointer(T) type; };
template <typename T> struct add_lvalue_reference { typedef __add_lvalue_reference(T) type; };
template <typename T> struct add_rvalue_reference { typedef __add_rvalue_reference(T) type; };
template <typename T> struct decay { typedef __decay(T) type; };
template <typename T> struct underlying_type { typedef __underlying_type(T) type; };
template <typename T> struct make_signed { typedef __make_signed(T) type; };
template <typename T> struct make_unsigned { typedef __make_unsigned(T) type; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using remove_extent_t = typename remove_extent<T>::type;
template <typename T> using remove_all_extents_t = typename remove_all_extents<T>::type;
template <typename T> using remove_cvref_t = typename remove_cvref<T>::type;
template <typename T> using add_const_t = typename add_const<T>::type;
template <typename T> using add_pointer_t = typename add_pointer<T>::type;
template <typename T> using add_lvalue_reference_t = typename add_lvalue_reference<T>::type;
template <typename T> using add_rvalue_reference_t = typename add_rvalue_reference<T>::type;
template <typename T> using decay_t = typename decay<T>::type;
template <typename T> using underlying_type_t = typename underlying_type<T>::type;
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> __host__ __device__ typename add_rvalue_reference<T>::type declval() noexcept;
template <typename T> struct is_aggregate : integral_constant<bool, __is_aggregate(T)> {};
#if __cplusplus >= 201703L
template <typename T> inline constexpr bool is_aggregate_v = is_aggregate<T>::value;
#endif
template <typename T> struct is_void : bool_constant<__is_void(T)> {};
template <typename T> struct is_null_pointer : is_same<typename remove_cv<T>::type, nullptr_t> {};
template <typename T> struct is_integral : bool_constant<__is_integral(T)> {};
template <typename T> struct is_floating_point : bool_constant<__is_floating_point(T)> {};
template <typename T> struct is_arithmetic : bool_constant<__is_arithmetic(T)> {};
template <typename T> struct is_fundamental : bool_constant<__is_fundamental(T)> {};
template <typename T> struct is_scalar : bool_constant<__is_scalar(T)> {};
template <typename T> struct is_compound : bool_constant<!__is_fundamental(T)> {};
template <typename T> struct is_object : bool_constant<__is_object(T)> {};
template <typename T> struct is_enum : bool_constant<__is_enum(T)> {};
template <typename T> struct is_class : bool_constant<__is_class(T)> {};
template <typename T> struct is_union : bool_constant<__is_union(T)> {};
template <typename T> struct is_array : bool_constant<__is_array(T)> {};
template <typename T> struct is_function : bool_constant<__is_function(T)> {};
template <typename T> struct is_pointer : bool_constant<__is_pointer(T)> {};
template <typename T> struct is_reference : bool_constant<__is_reference(T)> {};
template <typename T> struct is_lvalue_reference : bool_constant<__is_lvalue_reference(T)> {};
template <typename T> struct is_rvalue_reference : bool_constant<__is_rvalue_reference(T)> {};
template <typename T> struct is_member_pointer : bool_constant<__is_member_pointer(T)> {};
template <typename T> struct is_const : bool_constant<__is_const(T)> {};
template <typename T> struct is_volatile : bool_constant<__is_volatile(T)> {};
template <typename T> struct is_signed : bool_constant<__is_signed(T)> {};
template <typename T> struct is_unsigned : bool_constant<__is_unsigned(T)> {};
template <typename T> struct is_trivial : bool_constant<__is_trivial(T)> {};
template <typename T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <typename T> struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};
template <typename T> struct is_pod : bool_constant<__is_pod(T)> {};
template <typename T> struct is_empty : bool_constant<__is_empty(T)> {};
template <typename T> struct is_polymorphic : bool_constant<__is_polymorphic(T)> {};
template <typename T> struct is_abstract : bool_constant<__is_abstract(T)> {};
template <typename T> struct is_final : bool_constant<__is_final(T)> {};
template <typename A, typename B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <typename A, typename B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <typename A, typename B> struct is_assignable : bool_constant<__is_assignable(A, B)> {};
template <typename T, typename... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <typename T, typename... A> struct is_nothrow_constructible
    : bool_constant<__is_nothrow_constructible(T, A...)> {};
template <typename T, typename... A> struct is_trivially_constructible
    : bool_constant<__is_trivially_constructible(T, A...)> {};
template <typename T> struct is_default_constructible : bool_constant<__is_constructible(T)> {};
template <typename T> struct is_trivially_default_constructible : bool_constant<__is_trivially_constructible(T)> {};
template <typename T>
struct is_copy_constructible : bool_constant<__is_constructible(T, __add_lvalue_reference(const T))> {};
template <typename T> struct is_move_constructible : bool_constant<__is_constructible(T, __add_rvalue_reference(T))> {};
template <typename T>
struct is_copy_assignable : bool_constant<__is_assignable(__add_lvalue_reference(T), __add_lvalue_reference(const T))> {
};
template <typename T> struct is_trivially_copy_constructible
    : bool_constant<__is_trivially_constructible(T, __add_lvalue_reference(const T))> {};
template <typename T> struct is_trivially_move_constructible
    : bool_constant<__is_trivially_constructible(T, __add_rvalue_reference(T))> {};
template <typename T>
struct is_move_assignable : bool_constant<__is_assignable(__add_lvalue_reference(T), __add_rvalue_reference(T))> {};
template <typename T> struct is_nothrow_default_constructible : bool_constant<__is_nothrow_constructible(T)> {};
template <typename T>
struct is_nothrow_copy_constructible : bool_constant<__is_nothrow_constructible(T, __add_lvalue_reference(const T))> {};
template <typename T>
struct is_nothrow_move_constructible : bool_constant<__is_nothrow_constructible(T, __add_rvalue_reference(T))> {};
template <typename T>
struct is_nothrow_copy_assignable
    : bool_constant<__is_nothrow_assignable(__add_lvalue_reference(T), __add_lvalue_reference(const T))> {};
template <typename T>
struct is_nothrow_move_assignable
    : bool_constant<__is_nothrow_assignable(__add_lvalue_reference(T), __add_rvalue_reference(T))> {};
template <typename T> struct is_destructible : bool_constant<__is_destructible(T)> {};
template <typename T> struct is_trivially_destructible : bool_constant<__is_trivially_destructible(T)> {};
template <typename T> struct rank : integral_constant<size_t, __array_rank(T)> {};
template <typename T, unsigned d = 0> struct extent : integral_constant<size_t, __array_extent(T, d)> {};
template <typename T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <typename B> struct negation : bool_constant<!B::value> {};
template <typename...> struct conjunction : true_type {};
template <typename A, typename... B> struct conjunction<A, B...>
    : conditional<bool(A::value), conjunction<B...>, false_type>::type {};
template <typename...> struct disjunction : false_type {};
template <typename A, typename... B> struct disjunction<A, B...>
    : conditional<bool(A::value), true_type, disjunction<B...>>::type {};
template <typename V, typename F, typename... A> struct cuwarp_invocable {
    static constexpr bool value = false, quiet = false;
};
template <typename R, bool q> struct cuwarp_invoked {
    typedef R type;
    static constexpr bool value = true, quiet = q;
};
#define CUWARP_INVOCABLE(parameters, arguments, ...)                                                                   \
    template <typename F, CUWARP_LIST parameters>                                                                      \
    struct cuwarp_invocable<decltype((void)(__VA_ARGS__)), F, CUWARP_LIST arguments>                                   \
        : cuwarp_invoked<decltype(__VA_ARGS__), noexcept(__VA_ARGS__)> {};
#define CUWARP_LIST(...) __VA_ARGS__
CUWARP_INVOCABLE((typename... A), (A...), declval<F>()(declval<A>()...))
CUWARP_INVOCABLE((typename O, typename... A), (O, A...), (declval<O>().*declval<F>())(declval<A>()...))
CUWARP_INVOCABLE((typename O, typename... A), (O, A...), ((*declval<O>()).*declval<F>())(declval<A>()...))
CUWARP_INVOCABLE((typename O), (O), declval<O>().*declval<F>())
CUWARP_INVOCABLE((typename O), (O), (*declval<O>()).*declval<F>())
#undef CUWARP_LIST
#undef CUWARP_INVOCABLE
template <typename F, typename... A> struct invoke_result : cuwarp_invocable<void, F, A...> {};
template <typename F, typename... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <typename> struct result_of;
template <typename F, typename... A> struct result_of<F(A...)> : invoke_result<F, A...> {};
template <typename T> using result_of_t = typename result_of<T>::type;
template <typename F, typename... A> struct is_invocable : bool_constant<cuwarp_invocable<void, F, A...>::value> {};
template <bool, typename R, typename F, typename... A> struct cuwarp_invocable_r : false_type {};
template <typename R, typename F, typename... A> struct cuwarp_invocable_r<true, R, F, A...>
    : bool_constant<__is_void(R) || __is_convertible_to(typename cuwarp_invocable<void, F, A...>::type, R)> {};
template <typename R, typename F, typename... A> struct is_invocable_r
    : cuwarp_invocable_r<cuwarp_invocable<void, F, A...>::value, R, F, A...> {};
template <typename...> struct common_type {};
template <typename A> struct common_type<A> : decay<A> {};
template <typename V, typename A, typename B> struct cuwarp_common {};
template <typename A, typename B> struct cuwarp_common<void_t<decltype(true ? declval<A>() : declval<B>())>, A, B> {
    typedef typename decay<decltype(true ? declval<A>() : declval<B>())>::type type;
};
template <typename A, typename B> struct common_type<A, B> : cuwarp_common<void, A, B> {};
template <typename V, typename A, typename B, typename... C> struct cuwarp_common_of {};
template <typename A, typename B, typename... C>
struct cuwarp_common_of<void_t<typename common_type<A, B>::type>, A, B, C...>
    : common_type<typename common_type<A, B>::type, C...> {};
template <typename A, typename B, typename... C> struct common_type<A, B, C...> : cuwarp_common_of<void, A, B, C...> {};
template <typename... A> using common_type_t = typename common_type<A...>::type;
template <size_t n, size_t a = 16> struct aligned_storage {
    struct type {
        alignas(a) unsigned char data[n];
    };
};
template <size_t n, size_t a = 16> using aligned_storage_t = typename aligned_storage<n, a>::type;
template <typename A, typename B> constexpr bool is_same_v = is_same<A, B>::value;
template <typename A, typename B> constexpr bool is_base_of_v = __is_base_of(A, B);
template <typename A, typename B> constexpr bool is_convertible_v = __is_convertible_to(A, B);
template <typename T> constexpr bool is_void_v = __is_void(T);
template <typename T> constexpr bool is_integral_v = __is_integral(T);
template <typename T> constexpr bool is_floating_point_v = __is_floating_point(T);
template <typename T> constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <typename T> constexpr bool is_scalar_v = __is_scalar(T);
template <typename T> constexpr bool is_enum_v = __is_enum(T);
template <typename T> constexpr bool is_class_v = __is_class(T);
template <typename T> constexpr bool is_array_v = __is_array(T);
template <typename T> constexpr bool is_function_v = __is_function(T);
template <typename T> constexpr bool is_pointer_v = __is_pointer(T);
template <typename T> constexpr bool is_reference_v = __is_reference(T);
template <typename T> constexpr bool is_lvalue_reference_v = __is_lvalue_reference(T);
template <typename T> constexpr bool is_rvalue_reference_v = __is_rvalue_reference(T);
template <typename T> constexpr bool is_const_v = __is_const(T);
template <typename T> constexpr bool is_signed_v = __is_signed(T);
template <typename T> constexpr bool is_unsigned_v = __is_unsigned(T);
template <typename T> constexpr bool is_trivial_v = __is_trivial(T);
template <typename T> constexpr bool is_pod_v = __is_pod(T);
template <typename T> constexpr size_t alignment_of_v = alignof(T);
template <typename T>
constexpr bool is_trivially_copy_constructible_v = __is_trivially_constructible(T, __add_lvalue_reference(const T));
template <typename T>
constexpr bool is_trivially_copy_assignable_v = __is_trivially_assignable(__add_lvalue_reference(T),
                                                                          __add_lvalue_reference(const T));
template <typename T> constexpr bool is_trivially_destructible_v = __is_trivially_destructible(T);
template <typename T> constexpr bool is_trivially_default_constructible_v = __is_trivially_constructible(T);
template <typename T>
struct has_unique_object_representations : bool_constant<__has_unique_object_representations(T)> {};
template <typename T> constexpr bool has_unique_object_representations_v = __has_unique_object_representations(T);
template <typename T> constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <typename T> constexpr bool is_standard_layout_v = __is_standard_layout(T);
template <typename T> constexpr bool is_empty_v = __is_empty(T);
template <typename T, typename... A> constexpr bool is_constructible_v = __is_constructible(T, A...);
template <typename T> constexpr bool is_default_constructible_v = __is_constructible(T);
template <typename F, typename... A> constexpr bool is_invocable_v = is_invocable<F, A...>::value;
template <typename R, typename F, typename... A> constexpr bool is_invocable_r_v = is_invocable_r<R, F, A...>::value;
template <typename T> constexpr size_t rank_v = __array_rank(T);
template <typename T, unsigned d = 0> constexpr size_t extent_v = __array_extent(T, d);
template <typename B> constexpr bool negation_v = !B::value;
template <typename... B> constexpr bool conjunction_v = conjunction<B...>::value;
template <typename... B> constexpr bool disjunction_v = disjunction<B...>::value;
template <typename T> constexpr bool is_polymorphic_v = is_polymorphic<T>::value;
template <typename T> constexpr bool is_abstract_v = is_abstract<T>::value;
template <typename T> constexpr bool is_final_v = is_final<T>::value;
template <typename T> constexpr bool is_volatile_v = is_volatile<T>::value;
template <typename T> constexpr bool is_copy_constructible_v = is_copy_constructible<T>::value;
template <typename T> constexpr bool is_move_constructible_v = is_move_constructible<T>::value;
template <typename T> constexpr bool is_copy_assignable_v = is_copy_assignable<T>::value;
template <typename T> constexpr bool is_move_assignable_v = is_move_assignable<T>::value;
template <typename T> constexpr bool is_trivially_move_constructible_v = is_trivially_move_constructible<T>::value;
template <typename T> constexpr bool is_nothrow_default_constructible_v = is_nothrow_default_constructible<T>::value;
template <typename T> constexpr bool is_nothrow_copy_constructible_v = is_nothrow_copy_constructible<T>::value;
template <typename T> constexpr bool is_nothrow_move_constructible_v = is_nothrow_move_constructible<T>::value;
template <typename T> constexpr bool is_nothrow_copy_assignable_v = is_nothrow_copy_assignable<T>::value;
template <typename T> constexpr bool is_nothrow_move_assignable_v = is_nothrow_move_assignable<T>::value;
template <typename T> constexpr bool is_destructible_v = is_destructible<T>::value;
template <typename A, typename B> constexpr bool is_assignable_v = __is_assignable(A, B);
template <typename T, typename... A> constexpr bool is_nothrow_constructible_v = __is_nothrow_constructible(T, A...);
template <typename T, typename... A> constexpr bool is_trivially_constructible_v =
    __is_trivially_constructible(T, A...);
template <typename T> constexpr bool is_fundamental_v = is_fundamental<T>::value;
template <typename T> constexpr bool is_object_v = is_object<T>::value;
template <typename T> constexpr bool is_compound_v = is_compound<T>::value;
template <typename T> constexpr bool is_union_v = is_union<T>::value;
template <typename T> constexpr bool is_null_pointer_v = is_null_pointer<T>::value;
template <typename T> constexpr bool is_member_pointer_v = is_member_pointer<T>::value;
constexpr bool is_constant_evaluated() noexcept { return __builtin_is_constant_evaluated(); }
}
