// pybind11: what a module definition names.
#pragma once
#include <string>
#include <vector>
namespace pybind11 {
struct any {
    template <typename... T> any(T &&...);
    template <typename T> T cast() const;
    template <typename... T> any operator()(T &&...) const;
};
struct arg {
    arg(const char *);
    template <typename T> arg &operator=(T &&);
    arg &noconvert();
};
inline namespace literals {
arg operator""_a(const char *, size_t);
}
struct object : any {
    using any::any;
    any attr(const char *) const;
};
struct list : object {
    using object::object;
    template <typename T> void append(T &&);
    size_t size() const;
};
struct dict : object {
    using object::object;
};
struct tuple : object {
    using object::object;
};
struct str : object {
    using object::object;
};
struct bytes : object {
    using object::object;
};
struct none : object {
    using object::object;
};
struct buffer : object {
    using object::object;
};
struct gil_scoped_release {
    gil_scoped_release();
    ~gil_scoped_release();
};
struct gil_scoped_acquire {
    gil_scoped_acquire();
    ~gil_scoped_acquire();
};
template <typename... T> struct call_guard {};
template <typename... T> struct init_type {};
template <typename... T> init_type<T...> init(T &&...);
template <typename... T> struct overload_cast_type {
    template <typename F> constexpr F operator()(F f) const { return f; }
};
template <typename... T> constexpr overload_cast_type<T...> overload_cast{};
struct module_ {
    template <typename... T> module_ &def(const char *, T &&...);
    template <typename... T> module_ def_submodule(T &&...);
    template <typename... T> module_ &add_object(T &&...);
    any attr(const char *) const;
    any doc();
};
typedef module_ module;
template <typename... T> struct class_ {
    template <typename... U> class_(U &&...);
    template <typename... U> class_ &def(U &&...);
    template <typename... U> class_ &def_readwrite(U &&...);
    template <typename... U> class_ &def_readonly(U &&...);
    template <typename... U> class_ &def_property(U &&...);
    template <typename... U> class_ &def_property_readonly(U &&...);
    template <typename... U> class_ &def_static(U &&...);
};
template <typename T> struct enum_ {
    template <typename... U> enum_(U &&...);
    template <typename... U> enum_ &value(U &&...);
    enum_ &export_values();
};
template <typename T, int flags = 0> struct array_t : object {
    using object::object;
    T *mutable_data() const;
    const T *data() const;
    size_t size() const;
};
} // namespace pybind11
namespace py = pybind11;
#define PYBIND11_MODULE(name, variable) static void cuwarp_pybind11_init(pybind11::module_ &variable)
