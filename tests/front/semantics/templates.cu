#include "check.h"

template <typename T>
FN T larger(T a, T b) { return a > b ? a : b; }
template <int N, typename T>
FN T power(T x) {
    T r = 1;
    for (int i = 0; i < N; i++)
        r *= x;
    return r;
}
FN long long functions(int a, int b) {
    return larger(a, b) + larger<unsigned>(a, b) + larger<signed char>(a, b) + power<3>((long long)(a & 15)) +
           power<2, unsigned char>(b);
}
EACH_PAIR(functions, functions)

template <int N>
FN int depth(int a) {
    if constexpr (N == 0)
        return a;
    else
        return depth<N - 1>(a) * 3 + N;
}
template <typename T>
FN int kind(T v) {
    if constexpr (sizeof(T) == 8)
        return 800 + (int)v;
    else if constexpr (sizeof(T) == 1)
        return 100 + v;
    return 400 + v;
}
FN long long constexpr_if(int a, int b) { return depth<4>(a & 255) + kind((char)b) + kind(a & 7) + kind((long)3); }
EACH_PAIR(constexpr_if, constexpr_if)

template <typename T, int N>
struct stack {
    T data[N] = {};
    int top = 0;
    static constexpr int capacity = N;
    FN void push(T v) {
        if (top < N)
            data[top++] = v;
    }
    FN T pop() { return data[--top]; }
    FN bool full() const { return top == capacity; }
    template <typename U>
    FN U as(int i) const { return static_cast<U>(data[i]); }
};
FN long long classes(int a, int b) {
    stack<int, 3> s;
    stack<short, 2> t;
    for (int i = 0; i < 5; i++)
        s.push(a + i), t.push((short)(b * i));
    return s.pop() * 3LL + t.pop() + s.full() + t.top + s.as<signed char>(0) + s.as<long long>(1) + stack<int, 9>::capacity;
}
EACH_PAIR(classes, classes)

template <typename... T>
FN long long total(T... v) { return (0LL + ... + v); }
FN long long first(int a) { return a; }
template <typename... T>
FN long long first(int a, T... rest) { return a * 2LL + first(rest...) + sizeof...(rest); }
FN long long variadic(int a, int b) { return total(a, b, (short)3, 4u) + first(a, b, 5); }
EACH_PAIR(variadic, variadic)

struct add {
    FN int operator()(int a, int b) const { return a + b; }
};
struct scale {
    int k;
    FN int operator()(int a, int b) const { return a * k - b; }
};
template <typename F>
FN int fold(const int *v, int n, F f) {
    int r = v[0];
    for (int i = 1; i < n; i++)
        r = f(r, v[i]);
    return r;
}
FN int plain(int a, int b) { return a ^ b; }
template <int (*f)(int, int)>
FN int apply(int a, int b) { return f(a, b); }
FN long long functors(int a, int b) {
    int v[4] = {a & 15, b & 15, 3, 4};
    int k = a & 3;
    return fold(v, 4, add()) + fold(v, 3, scale{3}) * 7 + apply<plain>(a, b) +
           fold(v, 4, [k](int x, int y) { return x * k + y; });
}
EACH_PAIR(functors, functors)

FN long long lambdas(int a, int b) {
    int n = a, m = b;
    auto by_value = [=](int x) { return x + n * 2; };
    auto by_reference = [&](int x) { m += x; n -= 1; return m; };
    auto mixed = [n, &m] { m *= 2; return n + m; };
    auto made = [k = a + 1, &r = m](auto x) { r += 1; return k + r + x; };
    auto changing = [c = 0]() mutable { return ++c; };
    n = 77;
    long long r = by_value(1) + by_reference(5);
    r = r * 3 + mixed();
    r = r * 3 + made(2) + made((signed char)b);
    changing();
    r = r * 3 + changing();
    auto nested = [&] {
        auto in = [&](int q) { m += q; return m + n; };
        return in(4) + in(5);
    };
    return r * 3 + nested() + m + n;
}
EACH_PAIR(lambdas, lambdas)

struct holder {
    int v;
    FN int run(int a) {
        auto f = [=](int z) { return v + z + a; };
        auto g = [*this, a] { return v - a; };
        auto h = [this, &a] { a += 1; return this->v * 2 + a; };
        v += 10;
        return f(1) * 100 + g() * 10 + h() + a;
    }
};
FN long long captured_this(int a, int b) {
    holder h{a & 255};
    return h.run(b & 255) + h.v;
}
EACH_PAIR(captured_this, captured_this)

template <typename T>
struct traits {
    static constexpr int size = 1;
};
template <>
struct traits<long> {
    static constexpr int size = 2;
};
template <typename T>
using alias = stack<T, 4>;
template <typename T, int N>
FN int array_size(const T (&)[N]) { return N; }
FN long long meta(int a, int b) {
    alias<unsigned char> s;
    s.push((unsigned char)a);
    int v[3] = {b};
    return traits<int>::size + traits<long>::size * 10 + s.pop() + array_size(v);
}
EACH_PAIR(meta, meta)

template <typename D>
struct crtp {
    FN int twice() const { return static_cast<const D *>(this)->value() * 2; }
};
struct user : crtp<user> {
    int k;
    FN user(int v) : k(v) {}
    FN int value() const { return k + 1; }
};
FN long long crtps(int a, int b) { return user(a & 255).twice() + user(b & 15).value(); }
EACH_PAIR(crtps, crtps)

template <typename A, typename B>
constexpr bool same_type = false;
template <typename A>
constexpr bool same_type<A, A> = true;
template <int N>
constexpr int triple = N * 3;
template <typename T, bool flag>
FN int variable_templates(T v) {
    if constexpr (same_type<T, int>)
        return triple<4> + v;
    return flag + triple<5> + (same_type<T, short> ? 1000 : 2000);
}
FN long long variable_template(int a, int b) {
    return variable_templates<int, true>(a & 255) + variable_templates<short, false>(1) + variable_templates<long, true>(b);
}
EACH_PAIR(variable_template, variable_template)


template <typename F>
FN int apply(F f, int v) { return f(v); }
template <typename F>
FN int apply_reference(const F &f, int v) { return f(v) + 1; }
template <typename F>
FN int apply_through(F &&f, int v) { return apply(f, v) * 2; }
FN long long handed_copies(int a, int b) {
    int n = a, table[3] = {a, b, 5};
    const int three = 3;
    auto copy = [=](int x) { return x + n * 2 + three + table[1]; };
    auto chosen = [n, b](int x) { return n + b * x; };
    n += 10;
    table[1] = 0;
    auto again = copy;
    auto nested = [=](int x) { return apply(again, x) + apply([=](int y) { return y + n; }, 1); };
    long long r = apply(copy, a & 255) + apply_reference(chosen, 4) * 3ll;
    return r * 31 + apply_through(nested, 7) + apply([](int x) { return x * three; }, b & 255);
}
EACH_PAIR(handed_copies, handed_copies)
FN long long handed_references(int a, int b) {
    int n = a, m = b;
    struct local {
        int x;
    };
    auto change = [&](int x) { m += x; n -= 1; return m; };
    auto mixed = [&m, n](int x) { m += 2 * x; return n; };
    long long r = apply(change, b & 255) + apply_reference(change, 2) * 3ll;
    r = r * 31 + apply_through(mixed, 5) + m;
    auto nested = [&](int x) {
        local p = {x};
        return apply(change, p.x) + apply([&](int y) { m += y; return m; }, 1);
    };
    r = r * 31 + apply(nested, 4);
    return r * 31 + m * 7ll + n;
}
EACH_PAIR(handed_references, handed_references)

struct counter {
    int k;
    FN int count(int a) {
        int before = apply([this](int x) { return k + x; }, a);
        return before + apply([=](int x) { k += x; return k * 2; }, a) + k;
    }
};
FN long long handed_this(int a, int b) {
    counter c = {b & 255};
    return c.count(a & 255) * 31 + c.k;
}
EACH_PAIR(handed_this, handed_this)

template <typename F>
struct keeper {
    F f;
    int k;
    FN keeper(F g, int n) : f(g), k(n) {}
    FN int go(int v) const { return f(v + k); }
};
template <typename F>
FN int hold(F f, int v) { return keeper<F>(f, 2).go(v); }
FN long long handed_held(int a, int b) { return hold([=](int x) { return x * 3 + b; }, a & 255); }
EACH_PAIR(handed_held, handed_held)
