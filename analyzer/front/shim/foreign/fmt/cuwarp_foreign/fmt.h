// fmt and spdlog: what is said has no meaning here.
#pragma once
#include <string>
#include <string_view>
namespace fmt {
template <typename... T> std::string format(T &&...);
template <typename... T> std::string sprintf(T &&...);
template <typename... T> void print(T &&...);
template <typename... T> void printf(T &&...);
template <typename... T> std::string to_string(T &&...);
template <typename... T> std::string join(T &&...);
template <typename... T> auto arg(T &&...) -> int;
struct cuwarp_named {
    template <typename T> int operator=(T &&) const;
};
namespace literals {
cuwarp_named operator""_a(const char *, decltype(sizeof 0));
}
struct format_args {};
template <typename... T> format_args make_format_args(T &&...);
template <typename... T> std::string vformat(T &&...);
template <typename... T> auto runtime(T &&...) -> std::string;
template <typename T> const void *ptr(T);
template <typename T = char> struct basic_string_view : std::string_view { using std::string_view::string_view; };
typedef std::string_view string_view;
template <typename T, typename C = char, typename E = void> struct formatter {
    template <typename X> auto parse(X &x) { return x.begin(); }
};
} // namespace fmt
namespace spdlog {
template <typename... T> void trace(T &&...);
template <typename... T> void debug(T &&...);
template <typename... T> void info(T &&...);
template <typename... T> void warn(T &&...);
template <typename... T> void error(T &&...);
template <typename... T> void critical(T &&...);
namespace level {
enum level_enum { trace, debug, info, warn, err, critical, off };
}
void set_level(level::level_enum);
} // namespace spdlog
#define SPDLOG_TRACE(...) ((void)0)
#define SPDLOG_DEBUG(...) ((void)0)
#define SPDLOG_INFO(...) ((void)0)
#define SPDLOG_WARN(...) ((void)0)
#define SPDLOG_ERROR(...) ((void)0)
#define FMT_STRING(s) s
