// Host containers: their interface, without bodies.
#pragma once
#include "cuwarp/algorithms.h"
#include "iterator"
#include "utility"
#include "limits"
#include "cuwarp/operators.h"
namespace std {
template <typename T> struct allocator {
    typedef T value_type;
    T *allocate(size_t n);
    void deallocate(T *p, size_t n);
    template <typename U> struct rebind { typedef allocator<U> other; };
};
template <typename A> struct allocator_traits {
    template <template <typename...> class B, typename V, typename... R, typename U>
    static B<U, R...> cuwarp_other(B<V, R...> *, U *);
    template <typename U> using rebind_alloc = decltype(cuwarp_other((A *)nullptr, (U *)nullptr));
    typedef A allocator_type;
    typedef typename A::value_type value_type;
    typedef decltype(((A *)nullptr)->allocate(0)) pointer;
    typedef const value_type *const_pointer;
    typedef ptrdiff_t difference_type;
    typedef size_t size_type;
    static pointer allocate(A &a, size_t n);
    static void deallocate(A &a, pointer p, size_t n);
    template <typename T, typename... B> static void construct(A &a, T *p, B &&...b);
    template <typename T> static void destroy(A &a, T *p);
    static size_t max_size(const A &a);
};
template <typename T> struct hash { size_t operator()(const T &x) const; };
template <typename T, typename A = allocator<T>> struct vector {
    typedef T value_type;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef T &reference;
    typedef const T &const_reference;
    typedef T *pointer;
    typedef const T *const_pointer;
    typedef T *iterator;
    typedef const T *const_iterator;
    typedef A allocator_type;
    constexpr vector() {}
    explicit vector(size_t n);
    explicit vector(const A &a);
    vector(size_t n, const T &v);
    vector(initializer_list<T> l);
    template <typename I> vector(I a, I b);
    vector(const vector &);
    vector(vector &&);
    vector &operator=(const vector &);
    vector &operator=(vector &&);
    vector &operator=(initializer_list<T> l);
    T &operator[](size_t i);
    const T &operator[](size_t i) const;
    T &at(size_t i);
    const T &at(size_t i) const;
    T &front();
    const T &front() const;
    T &back();
    const T &back() const;
    T *data();
    const T *data() const;
    T *begin();
    const T *begin() const;
    T *end();
    const T *end() const;
    const T *cbegin() const;
    const T *cend() const;
    reverse_iterator<T *> rbegin();
    reverse_iterator<T *> rend();
    size_t size() const;
    size_t capacity() const;
    bool empty() const;
    void resize(size_t n);
    void resize(size_t n, const T &v);
    void reserve(size_t n);
    void clear();
    void shrink_to_fit();
    void swap(vector &o);
    void push_back(const T &v);
    void push_back(T &&v);
    void pop_back();
    template <typename... B> T &emplace_back(B &&...b);
    template <typename... B> T *emplace(const T *at, B &&...b);
    T *insert(const T *at, const T &v);
    template <typename I> T *insert(const T *at, I a, I b);
    T *insert(const T *at, size_t n, const T &v);
    T *insert(const T *at, initializer_list<T> l);
    T *erase(const T *at);
    T *erase(const T *a, const T *b);
    void assign(size_t n, const T &v);
    template <typename I> void assign(I a, I b);
    size_t max_size() const;
};
template <typename A> struct vector<bool, A> {
    struct reference {
        operator bool() const;
        reference &operator=(bool v);
    };
    typedef bool value_type;
    typedef bool *iterator;
    vector();
    vector(size_t n, bool v = false);
    vector(initializer_list<bool> l);
    reference operator[](size_t i);
    bool operator[](size_t i) const;
    size_t size() const;
    bool empty() const;
    void resize(size_t n, bool v = false);
    void push_back(bool v);
    void pop_back();
    reference back();
    bool back() const;
    reference front();
    bool front() const;
    void reserve(size_t n);
    void clear();
    void assign(size_t n, bool v);
    bool *begin();
    bool *end();
    const bool *begin() const;
    const bool *end() const;
};
template <typename T, typename A> bool operator==(const vector<T, A> &a, const vector<T, A> &b);
template <typename T, typename A> bool operator!=(const vector<T, A> &a, const vector<T, A> &b);
template <typename T, typename A> bool operator<(const vector<T, A> &a, const vector<T, A> &b);
template <typename T, typename A> bool operator>(const vector<T, A> &a, const vector<T, A> &b);
template <typename T, typename A = allocator<T>> struct list : vector<T, A> {
    using vector<T, A>::vector;
    void push_front(const T &v);
    void pop_front();
    void sort();
    template <typename F> void remove_if(F f);
};
template <typename T, typename A = allocator<T>> struct deque : vector<T, A> {
    using vector<T, A>::vector;
    void push_front(const T &v);
    void pop_front();
};
template <typename T, typename A = allocator<T>> struct forward_list : list<T, A> { using list<T, A>::list; };
template <typename T> struct cuwarp_tree {
    typedef T value_type;
    typedef T *iterator;
    typedef const T *const_iterator;
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
    template <typename K> T *find(const K &k);
    template <typename K> const T *find(const K &k) const;
    template <typename K> size_t count(const K &k) const;
    template <typename K> bool contains(const K &k) const;
    template <typename K> size_t erase(const K &k);
    T *erase(T *at);
    template <typename K> T *lower_bound(const K &k);
    template <typename K> T *upper_bound(const K &k);
    template <typename K> pair<T *, T *> equal_range(const K &k);
    pair<T *, bool> insert(const T &v);
    pair<T *, bool> insert(T &&v);
    template <typename I> void insert(I a, I b);
    void insert(initializer_list<T> l);
    template <typename... B> pair<T *, bool> emplace(B &&...b);
};
template <typename K, typename V> struct cuwarp_dictionary : cuwarp_tree<pair<const K, V>> {
    typedef K key_type;
    typedef V mapped_type;
    using cuwarp_tree<pair<const K, V>>::cuwarp_tree;
    V &operator[](const K &k);
    V &at(const K &k);
    const V &at(const K &k) const;
    template <typename... B> pair<pair<const K, V> *, bool> try_emplace(const K &k, B &&...b);
    template <typename W> pair<pair<const K, V> *, bool> insert_or_assign(const K &k, W &&w);
};
template <typename K, typename V, typename... R> struct map : cuwarp_dictionary<K, V> {
    using cuwarp_dictionary<K, V>::cuwarp_dictionary;
};
template <typename K, typename V, typename... R> struct multimap : cuwarp_dictionary<K, V> {
    using cuwarp_dictionary<K, V>::cuwarp_dictionary;
};
template <typename K, typename V, typename... R> struct unordered_map : cuwarp_dictionary<K, V> {
    using cuwarp_dictionary<K, V>::cuwarp_dictionary;
};
template <typename K, typename V, typename... R> struct unordered_multimap : cuwarp_dictionary<K, V> {
    using cuwarp_dictionary<K, V>::cuwarp_dictionary;
};
template <typename K, typename... R> struct set : cuwarp_tree<K> { using cuwarp_tree<K>::cuwarp_tree; };
template <typename K, typename... R> struct multiset : cuwarp_tree<K> { using cuwarp_tree<K>::cuwarp_tree; };
template <typename K, typename... R> struct unordered_set : cuwarp_tree<K> { using cuwarp_tree<K>::cuwarp_tree; };
template <size_t n> struct bitset {
    bitset(unsigned long v = 0);
    bool operator[](size_t i) const;
    bitset &set(size_t i, bool v = true);
    bool test(size_t i) const;
    size_t count() const;
    size_t size() const;
};
}
