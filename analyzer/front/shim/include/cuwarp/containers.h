// Host containers: their interface, without bodies.
#pragma once
#include "cuwarp/algorithms.h"
#include "iterator"
#include "cuwarp/pair.h"
#include "limits"
#include "cuwarp/operators.h"
namespace std {
template <typename T> struct allocator {
    typedef T value_type, *pointer, &reference;
    typedef const T *const_pointer, &const_reference;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef true_type propagate_on_container_move_assignment, is_always_equal;
    constexpr allocator() noexcept {}
    template <typename U> constexpr allocator(const allocator<U> &) noexcept {}
    T *address(T &x) const noexcept;
    size_t max_size() const noexcept;
    template <typename U, typename... A> void construct(U *p, A &&...a);
    template <typename U> void destroy(U *p);
    T *allocate(size_t n);
    T *allocate(size_t n, const void *hint);
    void deallocate(T *p, size_t n);
    template <typename U> struct rebind { typedef allocator<U> other; };
};
template <> struct allocator<void> {
    typedef void value_type, *pointer;
    typedef const void *const_pointer;
    template <typename U> struct rebind { typedef allocator<U> other; };
};
template <typename A, typename B> constexpr bool operator==(const allocator<A> &, const allocator<B> &) { return true; }
template <typename A, typename B> constexpr bool operator!=(const allocator<A> &, const allocator<B> &) {
    return false;
}
template <typename A> struct allocator_traits {
    template <template <typename...> class B, typename V, typename... R, typename U>
    static B<U, R...> cuwarp_other(B<V, R...> *, U *);
    template <typename U> using rebind_alloc = decltype(cuwarp_other((A *)nullptr, (U *)nullptr));
    template <typename U> using rebind_traits = allocator_traits<rebind_alloc<U>>;
    typedef void *void_pointer;
    typedef const void *const_void_pointer;
    typedef false_type propagate_on_container_copy_assignment, propagate_on_container_swap;
    typedef true_type propagate_on_container_move_assignment, is_always_equal;
    static A select_on_container_copy_construction(const A &a);
    typedef A allocator_type;
    typedef typename A::value_type value_type;
    typedef decltype(((A *)nullptr)->allocate(0)) pointer;
    typedef const value_type *const_pointer;
    typedef ptrdiff_t difference_type;
    typedef size_t size_type;
    static pointer allocate(A &a, size_t n);
    static pointer allocate(A &a, size_t n, const void *hint);
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
    typedef std::reverse_iterator<T *> reverse_iterator;
    typedef std::reverse_iterator<const T *> const_reverse_iterator;
    constexpr vector() {}
    explicit vector(size_t n);
    explicit vector(const A &a);
    vector(size_t n, const T &v);
    vector(initializer_list<T> l);
    template <typename I> vector(I a, I b);
    vector(const vector &);
    vector(vector &&) noexcept;
    vector &operator=(const vector &);
    vector &operator=(vector &&) noexcept;
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
    reverse_iterator rbegin();
    reverse_iterator rend();
    const_reverse_iterator rbegin() const;
    const_reverse_iterator rend() const;
    const_reverse_iterator crbegin() const;
    const_reverse_iterator crend() const;
    A get_allocator() const;
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
    T *insert(const T *at, T &&v);
    void assign(initializer_list<T> l);
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
        bool operator~() const;
        void flip();
    };
    typedef bool value_type, const_reference, *iterator, *pointer;
    typedef const bool *const_iterator, *const_pointer;
    typedef std::reverse_iterator<bool *> reverse_iterator;
    typedef std::reverse_iterator<const bool *> const_reverse_iterator;
    typedef size_t size_type;
    typedef ptrdiff_t difference_type;
    typedef A allocator_type;
    vector();
    vector(size_t n, bool v = false);
    vector(initializer_list<bool> l);
    template <typename I> vector(I a, I b);
    reference operator[](size_t i);
    bool operator[](size_t i) const;
    reference at(size_t i);
    bool at(size_t i) const;
    const bool *cbegin() const;
    const bool *cend() const;
    reverse_iterator rbegin();
    reverse_iterator rend();
    const_reverse_iterator rbegin() const;
    const_reverse_iterator rend() const;
    const_reverse_iterator crbegin() const;
    const_reverse_iterator crend() const;
    A get_allocator() const;
    size_t capacity() const;
    size_t max_size() const;
    void shrink_to_fit();
    void flip();
    void swap(vector &o);
    static void swap(reference a, reference b);
    template <typename... B> reference emplace_back(B &&...b);
    template <typename... B> bool *emplace(const bool *at, B &&...b);
    template <typename... B> bool *insert(const bool *at, B &&...b);
    bool *erase(const bool *at);
    bool *erase(const bool *a, const bool *b);
    template <typename I> void assign(I a, I b);
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
    template <typename... F> void sort(F... f);
    template <typename F> void remove_if(F f);
    template <typename... F> void unique(F... f);
    template <typename... F> void merge(list &o, F... f);
    template <typename... F> void merge(list &&o, F... f);
    template <typename... I> void splice(const T *at, list &o, I... i);
    template <typename... I> void splice(const T *at, list &&o, I... i);
    void remove(const T &v);
    void reverse();
    template <typename... B> T &emplace_front(B &&...b);
};
template <typename T, typename A = allocator<T>> struct deque : vector<T, A> {
    using vector<T, A>::vector;
    void push_front(const T &v);
    void pop_front();
    template <typename... B> T &emplace_front(B &&...b);
};
template <typename T, typename A = allocator<T>> struct forward_list : list<T, A> {
    using list<T, A>::list;
    T *before_begin();
    const T *before_begin() const;
    template <typename... B> T *emplace_after(const T *at, B &&...b);
    template <typename... B> T *insert_after(const T *at, B &&...b);
    template <typename... B> T *erase_after(const T *at, B... b);
    template <typename... B> void splice_after(const T *at, B &&...b);
};
#if __cplusplus >= 202002L
template <template <typename...> class C, typename... A, typename F> size_t erase_if(C<A...> &c, F f);
template <template <typename...> class C, typename... A, typename T> size_t erase(C<A...> &c, const T &v);
#endif
}
