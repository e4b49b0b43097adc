// nlohmann's json: a value of the host's. What it holds is not said.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#define NLOHMANN_JSON_VERSION_MAJOR 3
#define NLOHMANN_JSON_VERSION_MINOR 11
#define NLOHMANN_JSON_VERSION_PATCH 0
#define NLOHMANN_JSON_SERIALIZE_ENUM(...)
#define NLOHMANN_DEFINE_TYPE_INTRUSIVE(...)
#define NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(...)
namespace nlohmann {
struct json {
    typedef std::map<std::string, json> object_t;
    typedef std::vector<json> array_t;
    typedef std::string string_t;
    typedef bool boolean_t;
    typedef int64_t number_integer_t;
    typedef uint64_t number_unsigned_t;
    typedef double number_float_t;
    typedef std::vector<uint8_t> binary_t;
    typedef json value_type, basic_json;
    typedef size_t size_type;
    struct exception : std::runtime_error {
        using std::runtime_error::runtime_error;
    };
    typedef exception parse_error, type_error, out_of_range, other_error, invalid_iterator;
    struct iterator {
        json &operator*() const;
        json *operator->() const;
        iterator &operator++();
        iterator operator++(int);
        bool operator==(const iterator &) const;
        bool operator!=(const iterator &) const;
        const std::string &key() const;
        json &value() const;
    };
    typedef iterator const_iterator;
    json();
    json(const json &);
    json(json &&);
    json(std::nullptr_t);
    json(std::initializer_list<json>);
    template <typename T, typename = std::enable_if_t<!std::is_same<std::decay_t<T>, json>::value>> json(T &&);
    json &operator=(const json &);
    json &operator=(json &&);
    template <typename T> json &operator=(T &&);
    static json object();
    static json object(std::initializer_list<json>);
    static json array();
    static json array(std::initializer_list<json>);
    static json binary(const binary_t &);
    template <typename... A> static json parse(A &&...);
    template <typename... A> static json from_msgpack(A &&...);
    template <typename... A> static json from_cbor(A &&...);
    template <typename... A> static std::vector<uint8_t> to_msgpack(A &&...);
    template <typename... A> static std::vector<uint8_t> to_cbor(A &&...);
    template <typename K> json &operator[](K &&);
    template <typename K> const json &operator[](K &&) const;
    template <typename K> json &at(K &&);
    template <typename K> const json &at(K &&) const;
    template <typename K, typename T> T value(K &&, const T &) const;
    template <typename K> std::string value(K &&, const char *) const;
    template <typename T> T get() const;
    template <typename T> void get_to(T &) const;
    template <typename T> T get_ptr();
    template <typename T> T get_ref() const;
    binary_t &get_binary();
    const binary_t &get_binary() const;
    template <typename T, typename = std::enable_if_t<!std::is_pointer<T>::value && !std::is_reference<T>::value &&
                                                      !std::is_same<T, std::initializer_list<char>>::value>>
    operator T() const;
    template <typename K> bool contains(K &&) const;
    template <typename K> size_t count(K &&) const;
    template <typename K> iterator find(K &&) const;
    template <typename K> size_t erase(K &&);
    template <typename T> void push_back(T &&);
    template <typename... T> json &emplace_back(T &&...);
    template <typename... T> void emplace(T &&...);
    template <typename... T> void insert(T &&...);
    void update(const json &);
    void merge_patch(const json &);
    void clear();
    void resize(size_t);
    size_t size() const;
    bool empty() const;
    json &front();
    json &back();
    json &items();
    const json &items() const;
    iterator begin() const;
    iterator end() const;
    std::string dump(int = -1, char = ' ', bool = false) const;
    const char *type_name() const;
    bool is_null() const;
    bool is_boolean() const;
    bool is_number() const;
    bool is_number_integer() const;
    bool is_number_unsigned() const;
    bool is_number_float() const;
    bool is_object() const;
    bool is_array() const;
    bool is_string() const;
    bool is_binary() const;
    bool is_structured() const;
    bool is_primitive() const;
    template <typename T> json &operator+=(T &&);
};
typedef json ordered_json;
bool operator==(const json &, const json &);
bool operator!=(const json &, const json &);
std::ostream &operator<<(std::ostream &, const json &);
std::istream &operator>>(std::istream &, json &);
template <typename T, typename E = void> struct adl_serializer {};
} // namespace nlohmann
