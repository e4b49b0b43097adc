// Sorted and hashed host containers: their interface, without bodies.
#pragma once
#include "cuwarp/containers.h"
namespace std {
// K: what keys are; A: of the memory. How keys are compared and hashed is a matter of the class.
template <typename T, typename K, typename A> struct cuwarp_tree {
    typedef K key_type;
    typedef T value_type, *iterator, *pointer, &reference, *local_iterator;
    typedef const T *const_iterator, *const_pointer, &const_reference, *const_local_iterator;
    typedef std::reverse_iterator<T *> reverse_iterator;
    typedef std::reverse_iterator<const T *> const_reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef A allocator_type;
    struct node_type {
        typedef A allocator_type;
        K &key() const;
        T &value() const;
        bool empty() const;
        explicit operator bool() const;
    };
    struct insert_return_type {
        T *position;
        bool inserted;
        node_type node;
    };
    cuwarp_tree();
    cuwarp_tree(initializer_list<T> l);
    template <typename I> cuwarp_tree(I a, I b);
    T *begin();
    const T *begin() const;
    T *end();
    const T *end() const;
    const T *cbegin() const;
    const T *cend() const;
    size_t size() const;
    size_t max_size() const;
    bool empty() const;
    void clear();
    void reserve(size_t n);
    void swap(cuwarp_tree &t);
    A get_allocator() const;
    template <typename Q> T *find(const Q &k);
    template <typename Q> const T *find(const Q &k) const;
    template <typename Q> size_t count(const Q &k) const;
    template <typename Q> bool contains(const Q &k) const;
    template <typename Q> size_t erase(const Q &k);
    T *erase(T *at);
    T *erase(const T *at);
    T *erase(const T *a, const T *b);
    template <typename Q> pair<T *, T *> equal_range(const Q &k);
    template <typename Q> pair<const T *, const T *> equal_range(const Q &k) const;
    pair<T *, bool> insert(const T &v);
    pair<T *, bool> insert(T &&v);
    T *insert(const T *hint, const T &v);
    insert_return_type insert(node_type &&n);
    template <typename I> void insert(I a, I b);
    void insert(initializer_list<T> l);
    template <typename... B> pair<T *, bool> emplace(B &&...b);
    template <typename... B> T *emplace_hint(const T *hint, B &&...b);
    template <typename Q> node_type extract(const Q &k);
    template <typename C> void merge(C &&c);
};
template <typename T, typename K, typename F, typename A> struct cuwarp_sorted : cuwarp_tree<T, K, A> {
    typedef F key_compare;
    // Of a map's elements by their keys.
    struct value_compare {
        bool operator()(const T &a, const T &b) const;
    };
    using cuwarp_tree<T, K, A>::cuwarp_tree;
    explicit cuwarp_sorted(const F &f);
    cuwarp_sorted(initializer_list<T> l, const F &f);
    F key_comp() const;
    value_compare value_comp() const;
    std::reverse_iterator<T *> rbegin(), rend();
    std::reverse_iterator<const T *> rbegin() const, rend() const, crbegin() const, crend() const;
    template <typename Q> T *lower_bound(const Q &k);
    template <typename Q> T *upper_bound(const Q &k);
    template <typename Q> const T *lower_bound(const Q &k) const;
    template <typename Q> const T *upper_bound(const Q &k) const;
};
template <typename T, typename K, typename H, typename F, typename A> struct cuwarp_hashed : cuwarp_tree<T, K, A> {
    typedef H hasher;
    typedef F key_equal;
    using cuwarp_tree<T, K, A>::cuwarp_tree;
    explicit cuwarp_hashed(size_t n, const H &h = H(), const F &f = F());
    H hash_function() const;
    F key_eq() const;
    template <typename Q> size_t bucket(const Q &k) const;
    size_t bucket_count() const, max_bucket_count() const, bucket_size(size_t i) const;
    float load_factor() const, max_load_factor() const;
    void max_load_factor(float f), rehash(size_t n);
};
template <typename K, typename V, typename B> struct cuwarp_dictionary : B {
    typedef V mapped_type;
    using B::B;
    V &operator[](const K &k);
    V &at(const K &k);
    const V &at(const K &k) const;
    template <typename... C> pair<pair<const K, V> *, bool> try_emplace(const K &k, C &&...c);
    template <typename W> pair<pair<const K, V> *, bool> insert_or_assign(const K &k, W &&w);
};
#define CUWARP_MAP(name)                                                                                               \
    template <typename K, typename V, typename F = less<K>, typename A = allocator<pair<const K, V>>> struct name      \
        : cuwarp_dictionary<K, V, cuwarp_sorted<pair<const K, V>, K, F, A>> {                                          \
        using name::cuwarp_dictionary::cuwarp_dictionary;                                                              \
    };
CUWARP_MAP(map)
CUWARP_MAP(multimap)
#undef CUWARP_MAP
#define CUWARP_MAP(name)                                                                                               \
    template <typename K, typename V, typename H = hash<K>, typename F = equal_to<K>,                                  \
              typename A = allocator<pair<const K, V>>> struct name                                                    \
        : cuwarp_dictionary<K, V, cuwarp_hashed<pair<const K, V>, K, H, F, A>> {                                       \
        using name::cuwarp_dictionary::cuwarp_dictionary;                                                              \
    };
CUWARP_MAP(unordered_map)
CUWARP_MAP(unordered_multimap)
#undef CUWARP_MAP
#define CUWARP_SET(name)                                                                                               \
    template <typename K, typename F = less<K>, typename A = allocator<K>> struct name : cuwarp_sorted<K, K, F, A> {   \
        using cuwarp_sorted<K, K, F, A>::cuwarp_sorted;                                                                \
    };
CUWARP_SET(set)
CUWARP_SET(multiset)
#undef CUWARP_SET
#define CUWARP_SET(name)                                                                                               \
    template <typename K, typename H = hash<K>, typename F = equal_to<K>, typename A = allocator<K>> struct name       \
        : cuwarp_hashed<K, K, H, F, A> {                                                                               \
        using cuwarp_hashed<K, K, H, F, A>::cuwarp_hashed;                                                             \
    };
CUWARP_SET(unordered_set)
CUWARP_SET(unordered_multiset)
#undef CUWARP_SET
}
