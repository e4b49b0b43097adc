// dmlc-core: parameters, registries, streams, checks. All of it is host code.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#define DMLC_LITTLE_ENDIAN 1
#define DMLC_IO_NO_ENDIAN_SWAP 1
#define DMLC_ATTRIBUTE_UNUSED
#define DMLC_CXX11_THREAD_LOCAL 1
#define DMLC_USE_CXX11 1
namespace dmlc {
typedef float real_t;
typedef unsigned index_t;
typedef unsigned omp_uint;
typedef unsigned long omp_ulong;
struct Error : std::runtime_error {
    explicit Error(const std::string &s) : std::runtime_error(s) {}
};
template <typename T> T *BeginPtr(std::vector<T> &v);
template <typename T> const T *BeginPtr(const std::vector<T> &v);
template <typename... A> void ByteSwap(A &&...);
struct DateLogger {
    const char *HumanDate();
};
struct cuwarp_message {
    std::ostringstream s;
    std::ostringstream &stream() { return s; }
};
// A check that fails ends the thread: what it asks holds behind it.
struct LogMessageFatal : cuwarp_message {
    template <typename... A> LogMessageFatal(A &&...) {}
    [[noreturn]] ~LogMessageFatal() { cuwarp_fail(); }
    [[noreturn]] static void cuwarp_fail();
};
struct CustomLogMessage : cuwarp_message {
    static void Log(const std::string &s);
};
template <typename T> struct ThreadLocalStore { static T *Get(); };
struct OMPException {
    template <typename F, typename... A> void Run(F f, A... a) { f(a...); }
    void Rethrow();
};
struct Stream {
    virtual ~Stream();
    virtual size_t Read(void *p, size_t n) = 0;
    virtual size_t Write(const void *p, size_t n) = 0;
    template <typename T> bool Read(T *p);
    template <typename T> void Write(const T &v);
    static Stream *Create(const char *uri, const char *mode, bool allow_null = false);
};
struct SeekStream : Stream {
    virtual void Seek(size_t at) = 0;
    virtual size_t Tell() = 0;
    static SeekStream *CreateForRead(const char *uri, bool allow_null = false);
};
struct Serializable {
    virtual ~Serializable();
    virtual void Load(Stream *s) = 0;
    virtual void Save(Stream *s) const = 0;
};
struct istream : std::istream {};
struct ostream : std::ostream {};
namespace io {
struct URI {
    std::string protocol, host, name;
    explicit URI(const char *s);
};
} // namespace io
template <typename T> struct DataIter {
    virtual ~DataIter();
    virtual void BeforeFirst() = 0;
    virtual bool Next() = 0;
    virtual const T &Value() const = 0;
};
template <typename I, typename D = real_t> struct RowBlock {
    size_t size;
    const size_t *offset;
    const real_t *label, *weight;
    const uint64_t *qid;
    const I *field, *index;
    const D *value;
};
template <typename I, typename D = real_t> struct Parser : DataIter<RowBlock<I, D>> {
    static Parser *Create(const char *uri, unsigned part, unsigned parts, const char *type);
    virtual size_t BytesRead() const = 0;
};
namespace serializer {
template <typename T> struct Handler;
}
namespace parser {}
namespace parameter {
struct FieldAccessEntry {};
struct ParamFieldInfo {
    std::string name, type, type_info_str, description;
};
template <typename E, typename T> struct FieldEntryBase : FieldAccessEntry {
    T default_value_;
    bool has_default_;
    E &set_default(const T &v);
    E &describe(const std::string &s);
    E &self();
    void Init(const std::string &key, void *head, T &ref);
};
template <typename T> struct FieldEntry : FieldEntryBase<FieldEntry<T>, T> {
    FieldEntry &set_range(T low, T high);
    FieldEntry &set_lower_bound(T low);
    FieldEntry &set_upper_bound(T high);
    FieldEntry &add_enum(const std::string &key, int value);
};
struct ParamManager {};
} // namespace parameter
template <typename P> struct Parameter {
    template <typename C> void Init(const C &kwargs);
    template <typename C> std::vector<std::pair<std::string, std::string>> InitAllowUnknown(const C &kwargs);
    template <typename C> std::vector<std::pair<std::string, std::string>> UpdateAllowUnknown(const C &kwargs);
    template <typename C> void UpdateDict(C *dict) const;
    std::map<std::string, std::string> __DICT__() const;
    static std::vector<parameter::ParamFieldInfo> __FIELDS__();
    static std::string __DOC__();
  protected:
    template <typename T> parameter::FieldEntry<T> &DECLARE(parameter::ParamManager &m, const std::string &key, T &ref);
};
template <typename E, typename F> struct FunctionRegEntryBase {
    std::string name, description;
    std::vector<parameter::ParamFieldInfo> arguments;
    F body;
    std::string return_type;
    E &set_body(F f);
    E &describe(const std::string &s);
    E &add_arguments(const std::vector<parameter::ParamFieldInfo> &a);
    E &add_argument(const std::string &n, const std::string &t, const std::string &d);
    E &set_return_type(const std::string &t);
    E &self();
};
template <typename E> struct Registry {
    static Registry *Get();
    static const std::vector<const E *> &List();
    static std::vector<std::string> ListAllNames();
    static const E *Find(const std::string &n);
    E &__REGISTER__(const std::string &n);
    E &__REGISTER_OR_GET__(const std::string &n);
    void AddAlias(const std::string &n, const std::string &a);
};
struct JSONReader;
struct JSONWriter;
inline double GetTime();
} // namespace dmlc
#define DMLC_DECLARE_PARAMETER(type)                                                                                   \
    static ::dmlc::parameter::ParamManager *__MANAGER__();                                                             \
    template <typename CuwarpManager> void __DECLARE__(CuwarpManager manager)
#define DMLC_DECLARE_FIELD(field) this->DECLARE(*manager, #field, field)
#define DMLC_DECLARE_ALIAS(field, alias) ((void)0)
#define DMLC_REGISTER_PARAMETER(...) static_assert(true, "")
#define DMLC_DECLARE_TRAITS(...) static_assert(true, "")
#define DMLC_REGISTRY_ENABLE(...) static_assert(true, "")
#define DMLC_REGISTRY_FILE_TAG(...) static_assert(true, "")
#define DMLC_REGISTRY_LINK_TAG(...) static_assert(true, "")
#define CUWARP_DMLC_NAME_(a, b) a##b
#define CUWARP_DMLC_NAME(a, b) CUWARP_DMLC_NAME_(a, b)
#define DMLC_REGISTRY_REGISTER(type, name, entry)                                                                      \
    static type &CUWARP_DMLC_NAME(cuwarp_registered_, __LINE__) = ::dmlc::Registry<type>::Get()->__REGISTER__(#entry)
#define CUWARP_DMLC_CHECK(condition)                                                                                   \
    if (condition) {                                                                                                   \
    } else                                                                                                             \
        ::dmlc::LogMessageFatal().stream()
#define CHECK(...) CUWARP_DMLC_CHECK(__VA_ARGS__)
#define CHECK_EQ(a, b) CUWARP_DMLC_CHECK((a) == (b))
#define CHECK_NE(a, b) CUWARP_DMLC_CHECK((a) != (b))
#define CHECK_LT(a, b) CUWARP_DMLC_CHECK((a) < (b))
#define CHECK_LE(a, b) CUWARP_DMLC_CHECK((a) <= (b))
#define CHECK_GT(a, b) CUWARP_DMLC_CHECK((a) > (b))
#define CHECK_GE(a, b) CUWARP_DMLC_CHECK((a) >= (b))
#define CHECK_NOTNULL(p) (p)
#define LOG_INFO ::dmlc::cuwarp_message()
#define LOG_WARNING ::dmlc::cuwarp_message()
#define LOG_ERROR ::dmlc::cuwarp_message()
#define LOG_FATAL ::dmlc::LogMessageFatal()
#define LOG(severity) LOG_##severity.stream()
