// dmlc-core: checks, parameters, registries and streams, all of them the host's. A check ends in a call that never
// returns.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iosfwd>
#include <map>
#include <memory>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>
#ifdef __CUDACC__
#define CW_DMLC_BOTH __host__ __device__
#else
#define CW_DMLC_BOTH
#endif
#define DMLC_USE_CXX11 1
#define DMLC_USE_CXX14 1
#define DMLC_LITTLE_ENDIAN 1
#define DMLC_IO_NO_ENDIAN_SWAP 1
#define DMLC_ENABLE_STD_THREAD 1
#define DMLC_CXX11_THREAD_LOCAL 1
#define DMLC_ENABLE_RTTI 1
#define DMLC_NO_EXCEPTION
#define DMLC_THROW_EXCEPTION noexcept(false)
#define DMLC_ALWAYS_INLINE inline
#define DMLC_NO_INLINE
#define DMLC_ATTRIBUTE_UNUSED __attribute__((unused))
#define DMLC_NO_SANITIZE_ADDRESS
#define DMLC_STR_CONCAT_(a, b) a##b
#define DMLC_STR_CONCAT(a, b) DMLC_STR_CONCAT_(a, b)
#define DMLC_DISALLOW_COPY_AND_ASSIGN(T) T(T const &) = delete; T(T &&) = delete; T &operator=(T const &) = delete
namespace dmlc {
typedef unsigned int index_t;
typedef float real_t;
typedef int omp_uint;
typedef long long omp_ulong;
struct Error : std::runtime_error {
    explicit Error(const std::string &s) : std::runtime_error(s) {}
};
struct ParamError : Error {
    explicit ParamError(const std::string &s) : Error(s) {}
};
struct LogMessage {
    CW_DMLC_BOTH LogMessage();
    template <typename... A> CW_DMLC_BOTH LogMessage(A &&...);
    CW_DMLC_BOTH LogMessage &stream();
    template <typename T> CW_DMLC_BOTH LogMessage &operator<<(T &&);
};
typedef LogMessage LogMessageFatal;
[[noreturn]] CW_DMLC_BOTH LogMessage &cuwarp_fail();
CW_DMLC_BOTH LogMessage &cuwarp_log();
CW_DMLC_BOTH inline LogMessage &cuwarp_log_INFO() { return cuwarp_log(); }
CW_DMLC_BOTH inline LogMessage &cuwarp_log_WARNING() { return cuwarp_log(); }
CW_DMLC_BOTH inline LogMessage &cuwarp_log_ERROR() { return cuwarp_log(); }
CW_DMLC_BOTH inline LogMessage &cuwarp_log_DEBUG() { return cuwarp_log(); }
CW_DMLC_BOTH inline LogMessage &cuwarp_log_CONSOLE() { return cuwarp_log(); }
CW_DMLC_BOTH inline LogMessage &cuwarp_log_FATAL() { cuwarp_fail(); }
inline void InitLogging(const char *) {}
template <typename T> T *cuwarp_not_null(T *p) {
    if (!p)
        cuwarp_fail();
    return p;
}
template <typename T, typename A> T *BeginPtr(std::vector<T, A> &v) { return v.data(); }
template <typename T, typename A> const T *BeginPtr(const std::vector<T, A> &v) { return v.data(); }
inline char *BeginPtr(std::string &s) { return &s[0]; }
inline const char *BeginPtr(const std::string &s) { return s.data(); }
template <typename T> inline T GetEnv(const char *, T or_else) { return or_else; }
template <typename T> inline void SetEnv(const char *, T) {}
double GetTime();
struct DateLogger {
    const char *HumanDate();
};
std::vector<std::string> Split(const std::string &s, char by);
template <typename T> size_t HashCombine(size_t key, const T &value);
struct OMPException {
    template <typename F, typename... A> void Run(F f, A... a) { f(a...); }
    void Rethrow();
};
} // namespace dmlc
#ifndef LOG
#define LOG(severity) ::dmlc::cuwarp_log_##severity()
#define LOG_IF(severity, condition) if (condition) LOG(severity)
#define CHECK(x) if (!(x)) ::dmlc::cuwarp_fail()
#define CHECK_EQ(x, y) CHECK((x) == (y))
#define CHECK_NE(x, y) CHECK((x) != (y))
#define CHECK_LT(x, y) CHECK((x) < (y))
#define CHECK_LE(x, y) CHECK((x) <= (y))
#define CHECK_GT(x, y) CHECK((x) > (y))
#define CHECK_GE(x, y) CHECK((x) >= (y))
#define CHECK_NOTNULL(x) ::dmlc::cuwarp_not_null(x)
#define DCHECK(x) CHECK(x)
#define DCHECK_EQ(x, y) CHECK_EQ(x, y)
#define DCHECK_NE(x, y) CHECK_NE(x, y)
#define DCHECK_LT(x, y) CHECK_LT(x, y)
#define DCHECK_LE(x, y) CHECK_LE(x, y)
#define DCHECK_GT(x, y) CHECK_GT(x, y)
#define DCHECK_GE(x, y) CHECK_GE(x, y)
#define DLOG(severity) LOG(severity)
#define VLOG(level) LOG(INFO)
#endif
namespace dmlc {
template <typename T> struct is_pod { static const bool value = std::is_trivial<T>::value; };
template <typename T> struct is_integral { static const bool value = std::is_integral<T>::value; };
template <typename T> struct is_floating_point { static const bool value = std::is_floating_point<T>::value; };
template <typename T> struct is_arithmetic { static const bool value = std::is_arithmetic<T>::value; };
template <typename T> struct has_saveload { static const bool value = false; };
template <bool C, typename A, typename B> struct IfThenElseType {
    typedef typename std::conditional<C, A, B>::type Type;
};
struct Stream {
    virtual ~Stream();
    virtual size_t Read(void *p, size_t n);
    virtual size_t Write(const void *p, size_t n);
    template <typename T> bool Read(T *p);
    template <typename T> void Write(const T &v);
    static Stream *Create(const char *name, const char *mode, bool may_fail = false);
};
struct SeekStream : Stream {
    virtual void Seek(size_t at);
    virtual size_t Tell();
    static SeekStream *CreateForRead(const char *name, bool may_fail = false);
};
struct Serializable {
    virtual ~Serializable();
    virtual void Load(Stream *s);
    virtual void Save(Stream *s) const;
};
struct MemoryFixedSizeStream : SeekStream {
    MemoryFixedSizeStream(void *p, size_t n);
};
struct MemoryStringStream : SeekStream {
    explicit MemoryStringStream(std::string *s);
};
struct JSONReader {
    explicit JSONReader(std::istream *s);
    void BeginObject();
    void BeginArray();
    bool NextObjectItem(std::string *key);
    bool NextArrayItem();
    template <typename T> void Read(T *v);
};
struct JSONWriter {
    explicit JSONWriter(std::ostream *s);
    void BeginObject(bool many_lines = true);
    void EndObject();
    void BeginArray(bool many_lines = true);
    void EndArray();
    template <typename T> void Write(const T &v);
    template <typename T> void WriteObjectKeyValue(const std::string &key, const T &v);
    template <typename T> void WriteArrayItem(const T &v);
};
struct nullopt_t {
    constexpr explicit nullopt_t(int) {}
};
constexpr nullopt_t nullopt{0};
template <typename T> struct optional {
    bool has_;
    T value_;
    optional() : has_(false) {}
    optional(nullopt_t) : has_(false) {}
    optional(const T &v) : has_(true), value_(v) {}
    bool has_value() const { return has_; }
    explicit operator bool() const { return has_; }
    const T &value() const { return value_; }
    T &operator*() { return value_; }
    const T &operator*() const { return value_; }
    bool operator==(const optional &o) const;
    template <typename... A> void emplace(A &&...);
};
struct any {
    any();
    template <typename T> any(T &&);
    bool empty() const;
    void clear();
};
template <typename T> T &get(any &a);
template <typename T> const T &get(const any &a);
template <typename T> T &unsafe_get(any &a);
namespace serializer {
template <typename T> struct Handler {
    static void Write(Stream *s, const T &v);
    static bool Read(Stream *s, T *v);
};
} // namespace serializer
template <typename T> struct ThreadLocalStore {
    static T *Get();
};
template <typename T> struct array_view {
    const T *begin_;
    size_t size_;
    const T *begin() const { return begin_; }
    const T *end() const { return begin_ + size_; }
    size_t size() const { return size_; }
    const T &operator[](size_t i) const { return begin_[i]; }
};
struct ParamFieldInfo {
    std::string name, type, type_info_str, description;
};
namespace parameter {
struct ParamManager {
    std::vector<std::pair<std::string, std::string>> GetDict(void *head) const;
};
template <typename P> struct ParamManagerSingleton {
    ParamManager manager;
    explicit ParamManagerSingleton(const std::string &name);
};
enum ParamInitOption { kAllowUnknown, kAllMatch, kAllowHidden };
struct FieldAccessEntry {
    bool has_default_;
    size_t index_;
    std::string key_, type_, description_;
    virtual ~FieldAccessEntry();
    virtual void SetDefault(void *head) const;
    virtual void Set(void *head, const std::string &value) const;
    virtual void Check(void *head) const;
    virtual std::string GetStringValue(void *head) const;
};
template <typename E, typename T> struct FieldEntryBase : FieldAccessEntry {
    T default_value_;
    E &self() { return *static_cast<E *>(this); }
    void Init(const std::string &key, void *head, T &field);
    E &set_default(const T &v) { return self(); }
    E &describe(const std::string &) { return self(); }
    virtual void PrintValue(std::ostream &s, T v) const;
    virtual void PrintDefaultValueString(std::ostream &s) const;
    T &Get(void *head) const;
};
template <typename T> struct FieldEntry : FieldEntryBase<FieldEntry<T>, T> {
    template <typename A, typename B> FieldEntry &set_range(A, B) { return *this; }
    template <typename A> FieldEntry &set_lower_bound(A) { return *this; }
    template <typename A> FieldEntry &set_upper_bound(A) { return *this; }
    template <typename A> FieldEntry &add_enum(const std::string &, const A &) { return *this; }
    template <typename A> FieldEntry &set_expect_ndim(A) { return *this; }
    template <typename A> FieldEntry &enforce_nonzero(A) { return *this; }
    FieldEntry &enforce_nonzero() { return *this; }
};
} // namespace parameter
template <typename P> struct Parameter {
    template <typename C> void Init(const C &, parameter::ParamInitOption o = parameter::kAllowHidden);
    template <typename C> std::vector<std::pair<std::string, std::string>> InitAllowUnknown(const C &);
    template <typename C>
    std::vector<std::pair<std::string, std::string>> UpdateAllowUnknown(const C &, bool *changed = nullptr);
    template <typename C> void UpdateDict(C *) const;
    std::map<std::string, std::string> __DICT__() const;
    void Save(JSONWriter *w) const;
    void Load(JSONReader *r);
    static std::vector<ParamFieldInfo> __FIELDS__();
    static std::string __DOC__();
  protected:
    template <typename T>
    parameter::FieldEntry<T> &DECLARE(parameter::ParamManagerSingleton<P> *m, const std::string &name, T &field);
};
template <typename E> struct Registry {
    static std::vector<const E *> List();
    static std::vector<std::string> ListAllNames();
    static const E *Find(const std::string &name);
    static Registry *Get();
    E &__REGISTER__(const std::string &name);
    E &__REGISTER_OR_GET__(const std::string &name);
    void AddAlias(const std::string &name, const std::string &alias);
};
template <typename E, typename F> struct FunctionRegEntryBase {
    std::string name, description, return_type;
    std::vector<ParamFieldInfo> arguments;
    F body;
    E &self() { return *static_cast<E *>(this); }
    E &set_body(F f) { return self(); }
    E &describe(const std::string &) { return self(); }
    E &add_argument(const std::string &, const std::string &, const std::string &) { return self(); }
    E &add_arguments(const std::vector<ParamFieldInfo> &) { return self(); }
    E &set_return_type(const std::string &) { return self(); }
};
template <typename I, typename D = float> struct Row {
    const D *label;
    const float *weight;
    size_t length;
    const I *index;
    const D *value;
};
template <typename I, typename D = float> struct RowBlock {
    size_t size;
    const size_t *offset;
    const D *label;
    const float *weight;
    const uint64_t *qid;
    const I *field, *index;
    const D *value;
    Row<I, D> operator[](size_t i) const;
};
template <typename D> struct DataIter {
    virtual ~DataIter();
    virtual void BeforeFirst();
    virtual bool Next();
    virtual const D &Value() const;
};
template <typename I, typename D = float> struct Parser : DataIter<RowBlock<I, D>> {
    static Parser *Create(const char *uri, unsigned part, unsigned parts, const char *type);
    virtual size_t BytesRead() const;
};
struct InputSplit {
    struct Blob {
        void *dptr;
        size_t size;
    };
    virtual ~InputSplit();
    virtual bool NextRecord(Blob *b);
    virtual bool NextChunk(Blob *b);
    static InputSplit *Create(const char *uri, unsigned part, unsigned parts, const char *type);
};
struct RecordIOWriter {
    explicit RecordIOWriter(Stream *s);
};
struct RecordIOReader {
    explicit RecordIOReader(Stream *s);
};
template <typename D> struct ThreadedIter : DataIter<D> {
    explicit ThreadedIter(size_t n = 8);
    template <typename... F> void Init(F...);
    bool Next(D **d);
    void Recycle(D **d);
    void Destroy();
};
template <typename T> struct ConcurrentBlockingQueue {
    template <typename E> void Push(E &&e, int priority = 0);
    bool Pop(T *v);
    void SignalForKill();
};
} // namespace dmlc
#define DMLC_DECLARE_TRAITS(Trait, Type, Value) \
    template <> struct Trait<Type> { static const bool value = Value; }
#define DMLC_DECLARE_PARAMETER(Type)                        \
    static ::dmlc::parameter::ParamManager *__MANAGER__();  \
    inline void __DECLARE__(::dmlc::parameter::ParamManagerSingleton<Type> *manager)
#define DMLC_DECLARE_FIELD(Name) this->DECLARE(manager, #Name, Name)
#define DMLC_DECLARE_ALIAS(Name, Alias) (void)manager
#define DMLC_REGISTER_PARAMETER(Type) ::dmlc::parameter::ParamManager *Type::__MANAGER__() { return nullptr; }
#define DMLC_REGISTRY_ENABLE(Type)
#define DMLC_REGISTRY_REGISTER(Type, TypeName, Name)                                            \
    static DMLC_ATTRIBUTE_UNUSED Type &__make_##TypeName##_##Name##__ =                         \
        ::dmlc::Registry<Type>::Get()->__REGISTER__(#Name)
#define DMLC_REGISTRY_FILE_TAG(Tag) int __dmlc_registry_file_tag_##Tag##__() { return 0; }
#define DMLC_REGISTRY_LINK_TAG(Tag) int __dmlc_registry_file_tag_##Tag##__();
