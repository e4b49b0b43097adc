// dmlc-core and nnvm: checks, parameters, registries; what the host computes is declared only.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>
#define DMLC_USE_CXX11 1
#define DMLC_CXX11_THREAD_LOCAL 1
#define DMLC_NO_INLINE
#define DMLC_ALWAYS_INLINE inline
#define DMLC_LITTLE_ENDIAN 1
#define DMLC_ATTRIBUTE_UNUSED __attribute__((unused))
#define DMLC_STR_CONCAT_(a, b) a##b
#define DMLC_STR_CONCAT(a, b) DMLC_STR_CONCAT_(a, b)
namespace dmlc {
typedef float real_t;
typedef unsigned index_t;
struct Error : std::runtime_error {
    explicit Error(const std::string &s);
};
struct ParamError : Error {
    explicit ParamError(const std::string &s);
};
struct cuwarp_sink {
    template <typename T> const cuwarp_sink &operator<<(T &&) const;
    const cuwarp_sink &operator<<(std::ostream &(*)(std::ostream &)) const;
    const cuwarp_sink &stream() const;
};
[[noreturn]] const cuwarp_sink &cuwarp_check_failed();
const cuwarp_sink &cuwarp_say();
template <typename T> T *BeginPtr(std::vector<T> &v);
template <typename T> const T *BeginPtr(const std::vector<T> &v);
template <typename T> T GetEnv(const char *key, T otherwise);
template <typename T> void SetEnv(const char *key, T value);
template <typename T> size_t HashCombine(size_t key, const T &value);
double GetTime();
struct nullopt_t {
    constexpr explicit nullopt_t(int) {}
};
constexpr nullopt_t nullopt(0);
template <typename T> struct optional {
    typedef T value_type;
    optional();
    optional(nullopt_t);
    optional(const T &v);
    optional &operator=(const T &v);
    optional &operator=(nullopt_t);
    T &operator*();
    const T &operator*() const;
    const T &value() const;
    explicit operator bool() const;
    bool has_value() const;
    bool operator==(const optional &o) const;
    bool operator!=(const optional &o) const;
};
template <typename T> std::ostream &operator<<(std::ostream &out, const optional<T> &v);
struct any {
    any();
    template <typename T> any(T &&v);
    template <typename T> any &operator=(T &&v);
    bool empty() const;
    void clear();
    template <typename T, typename... A> void construct(A &&...);
};
template <typename T> T &get(any &v);
template <typename T> const T &get(const any &v);
template <typename T> T &unsafe_get(any &v);
template <typename T> const T &unsafe_get(const any &v);
struct Stream {
    static Stream *Create(const char *uri, const char *flag, bool allow_null = false);
    virtual size_t Read(void *to, size_t n) = 0;
    virtual size_t Write(const void *from, size_t n) = 0;
    template <typename T> void Write(const T &v);
    template <typename T> bool Read(T *v);
    virtual ~Stream();
};
struct SeekStream : Stream {
    virtual void Seek(size_t at) = 0;
    virtual size_t Tell() = 0;
};
struct Serializable {
    virtual void Load(Stream *from) = 0;
    virtual void Save(Stream *to) const = 0;
    virtual ~Serializable();
};
struct JSONReader {
    explicit JSONReader(std::istream *in);
    template <typename... T> void Read(T &&...);
    void BeginObject();
    bool NextObjectItem(std::string *key);
    void BeginArray();
    bool NextArrayItem();
};
struct JSONWriter {
    explicit JSONWriter(std::ostream *out);
    template <typename... T> void Write(T &&...);
    template <typename... T> void WriteObjectKeyValue(T &&...);
    void BeginObject(bool is_long = true);
    void EndObject();
};
struct JSONObjectReadHelper {
    template <typename... T> void DeclareField(T &&...);
    template <typename... T> void DeclareOptionalField(T &&...);
    void ReadAllFields(JSONReader *in);
};
template <typename T> struct cuwarp_field {
    template <typename... A> cuwarp_field &set_default(A &&...);
    template <typename... A> cuwarp_field &set_lower_bound(A &&...);
    template <typename... A> cuwarp_field &set_upper_bound(A &&...);
    template <typename... A> cuwarp_field &set_range(A &&...);
    template <typename... A> cuwarp_field &add_enum(A &&...);
    template <typename... A> cuwarp_field &describe(A &&...);
    template <typename... A> cuwarp_field &enforce_nonzero(A &&...);
};
template <typename T> cuwarp_field<T> cuwarp_field_of(T &);
struct ParamFieldInfo {
    std::string name, type, type_info_str, description;
};
namespace parameter {
enum ParamInitOption { kAllowUnknown, kAllMatch, kAllowHidden };
struct ParamManager {};
template <typename T> struct FieldEntry {};
} // namespace parameter
template <typename P> struct Parameter {
    template <typename... A> void Init(A &&...);
    template <typename A> std::vector<std::pair<std::string, std::string>> InitAllowUnknown(const A &);
    template <typename A> std::vector<std::pair<std::string, std::string>> UpdateAllowUnknown(const A &);
    template <typename A> void UpdateDict(A *) const;
    std::map<std::string, std::string> __DICT__() const;
    static std::vector<ParamFieldInfo> __FIELDS__();
    static std::string __DOC__();
    void Save(JSONWriter *out) const;
    void Load(JSONReader *in);
};
template <typename E, typename F> struct FunctionRegEntryBase {
    std::string name, description;
    F body;
    E &set_body(F f);
    E &describe(const std::string &s);
    template <typename... A> E &add_argument(A &&...);
    template <typename... A> E &add_arguments(A &&...);
    template <typename... A> E &set_return_type(A &&...);
};
template <typename E> struct Registry {
    static Registry *Get();
    static const std::vector<const E *> &List();
    static const E *Find(const std::string &name);
    static std::vector<std::string> ListAllNames();
    E &__REGISTER__(const std::string &name);
    E &__REGISTER_OR_GET__(const std::string &name);
};
template <typename T> struct ThreadLocalStore {
    static T *Get();
};
struct OMPException {
    template <typename F, typename... A> void Run(F f, A... a);
    void Rethrow();
};
template <typename T> struct is_pod : std::is_pod<T> {};
template <typename T> struct is_arithmetic : std::is_arithmetic<T> {};
template <typename T> struct is_integral : std::is_integral<T> {};
template <typename T> struct is_floating_point : std::is_floating_point<T> {};
template <typename T> struct type_name_helper {
    static std::string value();
};
template <typename T> std::string type_name();
template <bool c, typename A, typename B> struct IfThenElseType : std::conditional<c, A, B> { typedef A Type; };
template <typename A, typename B> struct IfThenElseType<false, A, B> { typedef B Type; };
} // namespace dmlc
namespace nnvm {
typedef int64_t dim_t;
struct Op;
struct Node;
typedef std::shared_ptr<Node> NodePtr;
typedef std::shared_ptr<Node> ObjectPtr;
struct NodeEntry {
    ObjectPtr node;
    uint32_t index, version;
};
struct NodeAttrs {
    const Op *op;
    std::string name;
    std::vector<double> scalars;
    std::unordered_map<std::string, std::string> dict;
    dmlc::any parsed;
};
struct Node {
    NodeAttrs attrs;
    std::vector<NodeEntry> inputs;
    std::vector<ObjectPtr> control_deps;
    const Op *op() const;
    bool is_variable() const;
    uint32_t num_outputs() const;
    uint32_t num_inputs() const;
    template <typename... A> static ObjectPtr Create(A &&...);
};
struct Graph;
struct IndexedGraph;
struct Symbol;
} // namespace nnvm
#define CHECK(condition)                                                                                               \
    if (!(condition))                                                                                                  \
    ::dmlc::cuwarp_check_failed()
#define CHECK_EQ(a, b) CHECK((a) == (b))
#define CHECK_NE(a, b) CHECK((a) != (b))
#define CHECK_LT(a, b) CHECK((a) < (b))
#define CHECK_LE(a, b) CHECK((a) <= (b))
#define CHECK_GT(a, b) CHECK((a) > (b))
#define CHECK_GE(a, b) CHECK((a) >= (b))
#define CHECK_NOTNULL(p) (p)
#define DCHECK(condition)                                                                                              \
    while (false)                                                                                                      \
    CHECK(condition)
#define DCHECK_EQ(a, b) DCHECK((a) == (b))
#define DCHECK_NE(a, b) DCHECK((a) != (b))
#define DCHECK_LT(a, b) DCHECK((a) < (b))
#define DCHECK_LE(a, b) DCHECK((a) <= (b))
#define DCHECK_GT(a, b) DCHECK((a) > (b))
#define DCHECK_GE(a, b) DCHECK((a) >= (b))
#define CUWARP_LOG_INFO ::dmlc::cuwarp_say()
#define CUWARP_LOG_DEBUG ::dmlc::cuwarp_say()
#define CUWARP_LOG_WARNING ::dmlc::cuwarp_say()
#define CUWARP_LOG_ERROR ::dmlc::cuwarp_say()
#define CUWARP_LOG_CONSOLE ::dmlc::cuwarp_say()
#define CUWARP_LOG_FATAL ::dmlc::cuwarp_check_failed()
#define LOG(level) CUWARP_LOG_##level
#define DLOG(level) LOG(level)
#define LOG_IF(level, condition)                                                                                       \
    if (condition)                                                                                                     \
    LOG(level)
#define VLOG(n) ::dmlc::cuwarp_say()
#define DMLC_DECLARE_PARAMETER(P)                                                                                      \
    static ::dmlc::parameter::ParamManager *__MANAGER__();                                                             \
    inline void __DECLARE__(::dmlc::parameter::ParamManager *)
#define DMLC_DECLARE_FIELD(field) ::dmlc::cuwarp_field_of(this->field)
#define DMLC_DECLARE_ALIAS(field, other) ((void)0)
#define DMLC_REGISTER_PARAMETER(P) static_assert(true, "")
#define DMLC_REGISTRY_ENABLE(E) static_assert(true, "")
#define DMLC_REGISTRY_FILE_TAG(tag) static_assert(true, "")
#define DMLC_REGISTRY_LINK_TAG(tag) static_assert(true, "")
#define DMLC_REGISTRY_REGISTER(E, type, name)                                                                          \
    static DMLC_ATTRIBUTE_UNUSED E &cuwarp_made_##type##_##name = ::dmlc::Registry<E>::Get()->__REGISTER__(#name)
#define DMLC_JSON_ENABLE_ANY(type, name) static_assert(true, "")
#define DMLC_DECLARE_TRAITS(trait, type, value) static_assert(true, "")
#define DMLC_DECLARE_TYPE_NAME(type, name) static_assert(true, "")
